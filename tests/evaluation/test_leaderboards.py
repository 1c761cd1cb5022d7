"""Leaderboards and their rank correlation: values by hand, polarity, runs of two sources, tables."""

import json
import math

import numpy as np
import pytest
from independent_loaders import load_shrec06
from small_benchmarks import external

from shrec_viewer.domain import FormatError, ShrecViewerError
from shrec_viewer.evaluation.comparison.leaderboards import (
    Leaderboard,
    correlate,
    correlate_all,
    correlate_same_measures,
    correlate_with,
    correlation_document,
    correlation_rows,
    leaderboards,
    published_leaderboards,
    require_common_runs,
)
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.formats.truth.published import read_published
from shrec_viewer.metrics import find_profile, kendall_tau, tau_ap

RUNS = ("A", "B", "C", "D", "E")


def board(values, runs=RUNS, measure="AP", source="default"):
    return Leaderboard(measure, source, tuple(runs), np.array(values, float))


def test_correlation_by_hand():
    """Orders A B C D E and B A C D E: one of ten pairs is discordant; shares rightly above are 0/1, 2/2, 3/3, 4/4."""
    found = correlate(board([5, 4, 3, 2, 1]), board([4, 5, 3, 2, 1]))
    assert found.runs == 5
    assert found.tau == pytest.approx(1 - 2 / 10)
    assert found.tau_ap == pytest.approx(2 * 3 / 4 - 1)
    assert found.tau_ap_reversed == pytest.approx(2 * 3 / 4 - 1)


def test_runs_are_matched_by_name_and_undefined_scores_ignored():
    ours = board([5, 4, np.nan, 2, 1])
    theirs = board([9, 1, 2, 5, 7], ("other", "E", "D", "A", "C"))
    found = correlate(ours, theirs)
    assert found.runs == 3  # A, D and E
    assert found.tau == found.tau_ap == 1.0
    assert math.isnan(correlate(ours, board([1.0], ("nobody",))).tau)


def test_leaderboards_are_the_means_with_higher_values_better():
    benchmark = load_shrec06()
    runs = ["A1", "A2", "B1", "B2", "G1"]  # with a list for every query
    scores = evaluate(benchmark, find_profile("shrec2006"), runs=runs, measures=["AP", "FP@10", "ADR"])
    boards = leaderboards(scores)
    assert [found.measure for found in boards] == ["AP", "FP@10", "ADR"]
    for found, sign in zip(boards, (1, -1, 1), strict=True):
        np.testing.assert_array_equal(found.values, sign * scores.mean()[:, scores.column(found.measure)])
    # P@10 is 1 - FP@10 / 10 for lists of at least ten models: the same order of runs.
    precision = leaderboards(evaluate(benchmark, scores.profile, runs=runs, measures=["P@10"]))[0]
    assert correlate(boards[1], precision).tau == pytest.approx(1.0)


def test_pairs_of_leaderboards():
    boards = [board([1, 2, 3, 4, 5], measure=key) for key in ("AP", "FT", "NN")]
    keys = [(found.first.measure, found.second.measure) for found in correlate_all(boards)]
    assert keys == [("AP", "FT"), ("AP", "NN"), ("FT", "NN")]
    assert [found.second.measure for found in correlate_with(boards[1], boards)] == ["AP", "NN"]
    other = [board([1, 2, 3, 4, 5], measure=key, source="trec") for key in ("NN", "AP", "ST")]
    keys = [(found.first.measure, found.second.measure) for found in correlate_same_measures(boards, other)]
    assert keys == [("AP", "AP"), ("NN", "NN")]
    votes = [board([1, 2, 3, 4, 5], measure="votes")]
    assert [found.second.measure for found in correlate_same_measures(boards, votes)] == ["votes"] * 3


def test_rows_and_document_hold_the_same_values():
    profile = find_profile("shrec2006")
    scores = evaluate(load_shrec06(), profile, measures=["AP", "NDCG", "FT"])
    found = correlate_all(leaderboards(scores))
    document = json.loads(json.dumps(correlation_document(found, profile, scores.benchmark), allow_nan=False))
    assert document["schema"] == "shrec-viewer/correlation/1"
    means = scores.mean()
    for record, row in zip(document["correlations"], correlation_rows(found).rows, strict=True):
        keys = [record[name]["measure"] for name in ("first", "second")]
        x, y = (means[:, scores.column(key)] for key in keys)
        assert record["tau"] == kendall_tau(x, y)
        assert (record["tau_ap"], record["tau_ap_reversed"]) == (tau_ap(x, y), tau_ap(y, x))
        assert row == (keys[0], "shrec2006", keys[1], "shrec2006", record["runs"], *list(record.values())[3:])
    undefined = correlation_document(correlate_all([board([1] * 5), board([1, 2, 3, 4, 5])]), profile, external())
    assert undefined["correlations"][0]["tau"] is None


def test_tables_of_other_sources(tmp_path):
    path = tmp_path / "published.csv"
    path.write_text("Run;First Tier;FP@10;votes;comment\nA;0.5;3;10;good\nB;0.4;2;-;\nC;;4;30;late\n")
    (tier, false, votes), findings = published_leaderboards(read_published(path))
    assert [finding.message for finding in findings] == ["the column 'votes' is named after no measure"]
    assert (tier.measure, tier.source, tier.runs) == ("FT", "published.csv", ("A", "B", "C"))
    np.testing.assert_array_equal(tier.values, [0.5, 0.4, np.nan])
    assert (false.measure, false.values.tolist()) == ("FP@10", [-3, -2, -4])
    assert votes.measure == "votes"
    np.testing.assert_array_equal(votes.values, [10, np.nan, 30])


def test_means_are_read_from_tables_of_evaluate(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text(
        "run,participant,query,status,profile,AP\nA,x,q1,answered,default,0.1\nA,x,mean,,default,0.3\n"
        "A,x,class_mean,,default,0.4\nB,y,mean,,default,0.2\n"
    )
    (found,), _ = published_leaderboards(read_published(path))
    assert (found.runs, found.values.tolist()) == (("A", "B"), [0.3, 0.2])


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("run,AP\nA,1\nB,2\nA,3\n", "the run 'A' is repeated", 4),
        ("run,name\nA,x\n", "contains no column of scores", 1),
        ("run,AP\nA,\n", "contains no column of scores", 1),
        ("A 1\nB 2\n", "is not a table", 1),
        ("run,query,measure,value\nA,mean,AP,0.5\n", "has a row per measure; a row per run and a column", 1),
    ],
)
def test_other_tables_are_refused(tmp_path, text, message, line):
    path = tmp_path / "table.csv"
    path.write_text(text)
    with pytest.raises(FormatError, match=message) as error:
        read_published(path)
    assert error.value.line == line


def test_two_common_runs_are_required():
    assert require_common_runs([board([1, 2, 3, 4, 5])], [board([1, 2, 3], ("A", "x", "B"))]) == ("x",)
    with pytest.raises(ShrecViewerError, match="fewer than two runs in common: A, B, C, D, E and A, x"):
        require_common_runs([board([1, 2, 3, 4, 5])], [board([1, 2], ("A", "x"))])
