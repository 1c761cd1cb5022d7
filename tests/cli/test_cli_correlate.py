"""The correlate command: measures, profiles and tables of other sources, in every format."""

import csv
import json
from io import StringIO

import pytest
from tiny_benchmark import write_tiny

from shrec_viewer.cli import main
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.metrics import find_profile, kendall_tau, tau_ap
from shrec_viewer.resources import resource


@pytest.fixture
def call(capsys):
    """Call the program; its status, standard output and standard error."""

    def run(*arguments):
        status = main([str(argument) for argument in arguments])
        said = capsys.readouterr()
        return status, said.out, said.err

    return run


def correlations(call, *arguments):
    status, out, err = call("correlate", "demo", "--format", "json", *arguments)
    assert status == 0, err
    return json.loads(out)["correlations"]


def means(profile, measure):
    scores = evaluate(read_benchmark(resource("demo")), find_profile(profile), measures=[measure])
    return scores.mean()[:, 0]


def test_default_compares_the_headline_with_every_other_measure(call):
    found = correlations(call)
    profile = find_profile("shrec2006")
    assert {record["first"]["measure"] for record in found} == {profile.headline}
    assert profile.headline not in [record["second"]["measure"] for record in found]
    x, y = means("shrec2006", profile.headline), means("shrec2006", "NDCG@10")
    record = next(record for record in found if record["second"]["measure"] == "NDCG@10")
    assert (record["runs"], record["tau"], record["tau_ap"]) == (6, kendall_tau(x, y), tau_ap(x, y))


def test_several_measures_are_compared_in_pairs(call):
    status, out, _ = call("correlate", "demo", "--measure", "AP", "--measure", "First Tier", "--measure", "NN")
    assert status == 0
    lines = [line.split() for line in out.splitlines()]
    assert lines[0] == ["order", "by", "compared", "with", "runs", "tau", "tau_AP", "tau_AP", "reversed"]
    assert [line[:3] for line in lines[1:]] == [["AP", "FT", "6"], ["AP", "NN", "6"], ["FT", "NN", "6"]]
    x, y = means("shrec2006", "AP"), means("shrec2006", "NN")
    assert lines[2][3:] == [f"{value:.3f}" for value in (kendall_tau(x, y), tau_ap(x, y), tau_ap(y, x))]


def test_two_profiles_are_compared_measure_by_measure(call):
    found = correlations(call, "--measure", "AP", "--measure", "FT", "--against-profile", "trec")
    assert [(r["first"], r["second"]) for r in found] == [
        ({"measure": key, "source": "shrec2006"}, {"measure": key, "source": "trec"}) for key in ("AP", "FT")
    ]
    x, y = means("shrec2006", "AP"), means("trec", "AP")
    assert (found[0]["tau"], found[0]["tau_ap_reversed"]) == (kendall_tau(x, y), tau_ap(y, x))


def test_our_own_table_agrees_and_a_reversed_one_is_opposite(call, tmp_path):
    path = tmp_path / "scores.csv"
    call("evaluate", "demo", "--measure", "AP", "--measure", "FP@10", "--output", path)
    found = correlations(call, "--against", path)
    assert [r["first"]["measure"] for r in found] == ["AP", "FP@10"]
    assert [r["tau"] for r in found] == [1.0, 1.0]
    runs = [row["run"] for row in csv.DictReader(StringIO(path.read_text()))]
    order = sorted(runs, key=dict(zip(runs, means("shrec2006", "AP"), strict=True)).get)
    published = "".join(f"{name},{-rank}\n" for rank, name in enumerate(order))
    (tmp_path / "published.csv").write_text(f"run,points\n{published}ZZ,3\n")
    status, out, err = call("correlate", "demo", "--measure", "AP", "--against", tmp_path / "published.csv")
    assert status == 0
    assert out.splitlines()[1].split()[-3:] == ["-1.000", "-1.000", "-1.000"]
    assert "AP (shrec2006)" in out
    assert "points (published.csv)" in out
    assert "ignored runs of published.csv that are not compared: ZZ" in err


@pytest.mark.parametrize(
    ("suffix", "start"), [(".tex", "% \\usepackage"), (".md", "Rank correlation"), (".csv", "measure_1")]
)
def test_output_is_written_in_the_format_of_its_suffix(call, tmp_path, suffix, start):
    path = tmp_path / f"table{suffix}"
    status, out, _ = call("correlate", "demo", "--measure", "AP", "--measure", "NN", "--output", path)
    assert (status, out) == (0, "")
    assert path.read_text().startswith(start)


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("--measure", "AP"), 2, "one measure has no other to be compared with"),
        (("--against-profile", "nope"), 2, "'nope'"),
        (("--against", "missing.csv"), 2, "does not exist"),
        (("--run", "good"), 1, "an order of the runs requires two of them"),
        (("--run", "nope"), 2, "there is no run 'nope'"),
    ],
)
def test_wrong_calls_are_refused(call, tmp_path, arguments, status, message):
    found, out, err = call("correlate", write_tiny(tmp_path / "tiny"), *arguments)
    assert (found, out) == (status, "")
    assert message in err


def test_columns_of_no_measure_are_named(call, tmp_path):
    (tmp_path / "table.csv").write_text("run,points,votes\ngood,1,2\npoor,2,1\n")
    status, out, err = call("correlate", write_tiny(tmp_path / "tiny"), "--against", tmp_path / "table.csv")
    assert (status, out) == (1, "")
    assert "table.csv has no column of the measures compared; its columns are: points, votes" in err


def test_leaderboards_under_two_assessments(capsys, tmp_path):
    """Against scipy, with scores of two separate evaluations."""
    from scipy.stats import kendalltau

    from shrec_viewer.cli.program import run
    from shrec_viewer.evaluation.edits import AssessmentEdit, amended_qrels, with_edits
    from shrec_viewer.evaluation.evaluate import evaluate
    from shrec_viewer.formats.discovery.benchmark import read_benchmark
    from shrec_viewer.metrics import find_profile
    from shrec_viewer.resources import resource

    benchmark, profile = read_benchmark(resource("demo")), find_profile("shrec2006")
    edits = [
        AssessmentEdit(query, model, 0, (index + number) % 3)
        for index, query in enumerate(benchmark.queries.ids)
        for number, model in enumerate(benchmark.collection.ids[index * 3 : index * 3 + 12])
    ]
    other = with_edits(benchmark, edits)
    path = tmp_path / "amended.qrels"
    path.write_text(amended_qrels(other))
    arguments = ("--measure", "AP", "--measure", "ADR", "--against-assessment", str(path), "--format", "json")
    assert run(("correlate", "demo", *arguments)) == 0
    found = json.loads(capsys.readouterr().out)["correlations"]
    before, after = (evaluate(one, profile, measures=["AP", "ADR"]).mean() for one in (benchmark, other))
    for column, row in enumerate(found):
        assert row["second"] == {"measure": ("AP", "ADR")[column], "source": "amended.qrels"}
        expected = kendalltau(before[:, column], after[:, column]).statistic
        assert abs(row["tau"] - expected) < 1e-12
    assert run(("correlate", "demo", "--against-assessment", str(path), "--against-profile", "trec")) == 2


def test_leaderboards_under_classes_and_several_assessments(tmp_path, call):
    from shrec_viewer.evaluation.edits import amended_qrels

    path = tmp_path / "same.qrels"
    path.write_text(amended_qrels(read_benchmark(resource("demo"))))
    options = ("--measure", "AP(rel=2)", "--against-assessment", "classes:1", "--against-assessment", path)
    coarse, same = correlations(call, *options)
    assert coarse["second"] == {"measure": "AP", "source": "classes:1"}
    assert same["second"] == {"measure": "AP(rel=2)", "source": "same.qrels"}
    assert same["tau"] == 1.0 > coarse["tau"]
    status, _, err = call("correlate", "demo", "--against-assessment", "nothing")
    assert status == 2
    assert "there is no file 'nothing'" in err
