"""Groups of runs: patterns, mean and deviation against the statistics module, the median member, the command line."""

import json
import statistics
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner
from small_benchmarks import external

from shrec_viewer.cli.program import program
from shrec_viewer.content.contents import build_chart, build_table
from shrec_viewer.content.data import ContentData
from shrec_viewer.content.diagnosis.run_groups import RunGroupsRequest
from shrec_viewer.domain import ShrecViewerError
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.evaluation.run_groups import members_of, pattern_of, run_groups, with_representatives
from shrec_viewer.metrics import find_profile

RUNS = ("net_10", "other", "net_2", "net_1")


def test_members_are_in_natural_order():
    assert members_of("net_*", RUNS) == ("net_1", "net_2", "net_10")
    assert members_of("other, net_?", RUNS) == ("net_1", "net_2", "other")
    assert members_of("a[1]", ("a[1]", "a1")) == ("a1", "a[1]")  # a name matches itself
    assert members_of("NET_*", RUNS) == ()


@pytest.mark.parametrize(
    ("members", "pattern"),
    [(("net_10", "net_2", "net_1"), "net_*"), (("net_10", "net_1"), "net_1*"), (("net_2", "net_10"), "net_2,net_10")],
)
def test_a_pattern_of_chosen_runs_matches_these_only(members, pattern):
    assert pattern_of(members, RUNS) == pattern
    assert set(members_of(pattern, RUNS)) == set(members)


@pytest.fixture
def scores():
    """Six runs with known means in the first of two measures."""
    found = evaluate(external(), find_profile("default"), measures=["AP", "NN"])
    names = ("net_3", "net_1", "net_2", "net_4", "single", "other")
    values = np.zeros((6, 4, 2))
    values[:, :, 0] = np.array([0.3, 0.9, 0.4, 0.5, 0.7, np.nan])[:, None]
    values[:, :, 1] = np.arange(6.0)[:, None] / 10
    rows = found.select_runs([0] * 6)
    return replace(rows, runs=names, raw_values=values)


def test_mean_deviation_and_median_member(scores):
    (group,) = run_groups(scores, ["net_*"])
    assert group.members == ("net_1", "net_2", "net_3", "net_4")
    means = [0.9, 0.4, 0.3, 0.5]
    np.testing.assert_allclose(group.means[:, 0], means)
    np.testing.assert_allclose(group.mean, [statistics.fmean(means), statistics.fmean([0.1, 0.2, 0.0, 0.3])])
    np.testing.assert_allclose(group.deviation, [statistics.stdev(means), statistics.stdev([0.1, 0.2, 0.0, 0.3])])
    assert group.representative == "net_2"  # 0.4 and 0.5 are in the middle
    assert run_groups(scores, ["net_*"], 1)[0].representative == "net_1"  # 0.1 and 0.2
    assert with_representatives(scores, [group]).runs == ("net_2", "single", "other")
    (undefined,) = run_groups(scores, ["single,other"])
    assert undefined.representative == "single"
    assert undefined.mean[0] == pytest.approx(0.7)
    assert np.isnan(undefined.deviation[0])


def test_runs_are_in_one_group_each(scores):
    with pytest.raises(ShrecViewerError, match="no run matches 'x\\*'; the runs are net_3, net_1"):
        run_groups(scores, ["x*"])
    with pytest.raises(ShrecViewerError, match="'net_2' is in two groups, 'net_\\*' and 'net_2'"):
        run_groups(scores, ["net_*", "net_2"])


def test_the_commands_take_groups():
    def run(*words):
        found = CliRunner().invoke(program, [*words, "--measure", "AP", "--format", "json"], standalone_mode=False)
        assert found.exception is None, found.exception
        return json.loads(found.stdout)

    means = {one["name"]: one["mean"]["AP"] for one in run("evaluate", "demo")["runs"]}
    found = run("evaluate", "demo", "--group", "[AB]1,A2", "--per-query")
    (group,) = found["groups"]
    assert (group["pattern"], group["representative"], group["median_of"]) == ("[AB]1,A2", "A2", "AP")
    assert {one["name"]: one["mean"]["AP"] for one in group["members"]} == {
        name: means[name] for name in ("A1", "A2", "B1")
    }
    assert group["deviation"]["AP"] == pytest.approx(statistics.stdev(means[name] for name in ("A1", "A2", "B1")))
    assert [one["name"] for one in found["runs"]] == ["A2", "B2", "C1", "R1"]
    assert {one["run"] for one in run("compare", "demo", "--group", "?1")["runs"]} == {"A1", "A2", "B2"}


def test_the_chart_has_the_members_in_order_with_mean_and_deviation(scores):
    benchmark = replace(
        scores.benchmark, runs=tuple(replace(scores.benchmark.runs[0], name=name) for name in scores.runs)
    )
    data = ContentData(benchmark, scores.profile, replace(scores, benchmark=benchmark))
    plot = build_chart(data, RunGroupsRequest(groups=("net_*", "single"), measure="AP"))
    group, alone = plot.curves
    assert (group.x.tolist(), group.y.tolist()) == ([1, 2, 3, 4], pytest.approx([0.9, 0.4, 0.3, 0.5]))
    assert (group.run, alone.run) == ("net_2", "single")
    low, high = 0.525 - statistics.stdev(group.y), 0.525 + statistics.stdev(group.y)
    (area,) = plot.references.areas  # a single run has no deviation
    np.testing.assert_allclose(area.y, [low, low, high, high])
    assert [line.y[0] for line in plot.references.lines] == pytest.approx([0.525, 0.7])
    point, _ = plot.references.points
    assert (point.label, point.x, point.y) == ("net_2", 2, pytest.approx(0.4))
    table = build_table(data, RunGroupsRequest(groups=("net_*",), measure="AP"))
    assert table.rows[1] == ("net_*", "net_2", "median", pytest.approx(0.4))
    participants = ("A", "B", "A", "C", "D", "E")
    by_participant = replace(data, scores=replace(data.scores, participants=participants))
    assert [curve.label for curve in build_chart(by_participant, RunGroupsRequest()).curves] == ["net_2,net_3"]
    alone = replace(data, scores=replace(data.scores, participants=scores.runs))
    with pytest.raises(ShrecViewerError, match="there is no group"):
        build_chart(alone, RunGroupsRequest())


def test_tests_have_one_member_of_each_group():
    def runs(*words):
        found = CliRunner().invoke(program, ["table", "demo", "significance", *words, "--format", "json"])
        return {row[0] for row in json.loads(found.stdout)["rows"]}

    assert runs("--group", "B*", "--measure", "AP") == {"A1", "A2", "B1", "C1", "R1"}
    assert runs("--group", "B*", "--measure", "AP", "--run", "C1", "--run", "A1") == {"C1", "A1"}
