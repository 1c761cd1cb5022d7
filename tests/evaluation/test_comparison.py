"""Comparison of two runs and significance of all: by hand, on a real contest, and as a document."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from independent_loaders import data_folder, load_psb, load_shrec06
from small_benchmarks import external

from shrec_viewer.domain import Cancelled
from shrec_viewer.evaluation.comparison.comparison import compare, comparison_document, comparison_summary
from shrec_viewer.evaluation.comparison.significance import run_significance
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.evaluation.score_tables import to_json
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.metrics import UnknownKeyError, find_profile
from shrec_viewer.metrics.generality.expected_measures import expected_by_generality
from shrec_viewer.metrics.statistics.significance import WinTieLoss

DEFAULT = find_profile("default")
POLICIES = [{}, {"missing_query": "skip"}, {"no_relevant": "zero"}, {"missing_query": "skip", "no_relevant": "zero"}]


@pytest.fixture(scope="module")
def shrec06() -> Scores:
    return evaluate(load_shrec06(), find_profile("shrec2006"), measures=["AP(rel=2)", "ADR", "FN", "TN"])


# ----------------------------------------------------------------------------------------------------------- two runs


def test_a_comparison_by_hand():
    """External queries q0 q1 q3 count (q2 has no relevant models). Recall of `full` is 1 1 1, of `gaps` 2/3 0 0."""
    found = compare(evaluate(external(), DEFAULT, measures=["R"]), "gaps", "full", "R")
    assert found.n == 3
    assert found.mean_a.mean == pytest.approx(2 / 9)
    assert found.mean_b.mean == 1.0
    assert found.difference.mean == pytest.approx(7 / 9)
    assert found.win_tie_loss == WinTieLoss(better=3, equal=0, worse=0, undefined=0)
    assert (found.test.p, found.test.exact) == (0.25, True)  # + + + and - - - of eight patterns
    differences = np.array([1 / 3, 1, 1])
    assert found.effect == pytest.approx(differences.mean() / differences.std(ddof=1))
    assert found.better == "full"
    assert [(change.query, change.a, change.b) for change in found.gains] == [
        ("q1", 0, 1),
        ("q3", 0, 1),
        ("q0", 2 / 3, 1),
    ]
    assert found.losses == ()
    assert comparison_summary(found) == (
        "full scores 0.778 more than gaps in Recall "
        f"(95 % confidence interval of the difference {found.difference.low:+.3f} to {found.difference.high:+.3f}, "
        "by resampling queries; p = 0.250, paired randomisation test of this pair alone over 3 queries)."
    )


def test_skipped_queries_are_excluded_from_the_pair_and_counted():
    scores = evaluate(external(), replace(DEFAULT, missing_query="skip"), measures=["R"])
    found = compare(scores, "full", "gaps", "R")
    assert found.n == 2
    assert found.win_tie_loss == WinTieLoss(better=0, equal=0, worse=2, undefined=1)
    assert (found.mean_a.mean, found.mean_b.mean) == (1.0, pytest.approx(1 / 3))
    assert [change.query for change in found.losses] == ["q3", "q0"]
    assert found.better == "full"


@pytest.mark.parametrize("policy", POLICIES, ids=str)
def test_compared_values_are_those_of_the_means(policy):
    scores = evaluate(external(), replace(DEFAULT, **policy), measures=["NN", "AP(rel=2)", "R", "FN", "CG"])
    for column in range(len(scores.measures)):
        placed = run_significance(scores, scores.measures[column].key)
        np.testing.assert_allclose([interval.mean for interval in placed.means], scores.mean()[:, column], rtol=1e-12)


def test_lower_values_are_gains_if_lower_is_better(shrec06):
    """Relevant models that two lists of 200 do not hold."""
    column = shrec06.column("FN")
    assert shrec06.measures[column].better == "lower"
    found = compare(shrec06, "B1", "B2", "FN")
    change = np.subtract(*shrec06.values_in_mean[[shrec06.run_index("B2"), shrec06.run_index("B1")], :, column])
    assert found.better == ("B2" if change.mean() < 0 else "B1")
    assert (found.win_tie_loss.better, found.win_tie_loss.worse) == (np.sum(change < 0), np.sum(change > 0))
    assert [one.change for one in found.gains] == sorted(change[change < 0])[:5]
    assert [one.change for one in found.losses] == sorted(change[change > 0], reverse=True)[:5]
    assert found.gains
    assert found.losses


def test_largest_changes_of_a_contest(shrec06):
    found = compare(shrec06, "A1", "B2")
    assert found.measure.key == find_profile("shrec2006").headline
    column = shrec06.column(found.measure.key)
    values = shrec06.values_in_mean[[0, shrec06.run_index("B2")], :, column]
    a, b = (dict(zip(shrec06.queries, row, strict=True)) for row in values)
    change = {query: b[query] - a[query] for query in shrec06.queries}
    by_change = sorted(shrec06.queries, key=change.__getitem__)
    assert [gain.query for gain in found.gains] == by_change[:-6:-1]
    assert [loss.query for loss in found.losses] == [query for query in by_change[:5] if change[query] < 0]
    assert all(one.change == one.b - one.a == change[one.query] for one in found.gains + found.losses)
    assert found.difference.mean == pytest.approx(found.mean_b.mean - found.mean_a.mean)
    assert found.mean_b.mean == pytest.approx(shrec06.mean()[shrec06.run_index("B2"), column])
    assert found.difference.low < found.difference.mean < found.difference.high
    assert found.win_tie_loss.better + found.win_tie_loss.equal + found.win_tie_loss.worse == found.n == 30
    assert len(compare(shrec06, "A1", "B2", shown=2).gains) == 2


def test_comparison_is_antisymmetric(shrec06):
    there, back = compare(shrec06, "A1", "F2"), compare(shrec06, "F2", "A1")
    assert there.test.p == back.test.p
    assert there.difference.mean == -back.difference.mean
    assert [change.query for change in there.gains] == [change.query for change in back.losses]
    assert there.better == back.better
    assert (there.win_tie_loss.better, there.win_tie_loss.worse) == (back.win_tie_loss.worse, back.win_tie_loss.better)


def test_run_equals_itself(shrec06):
    same = compare(shrec06, "A1", "A1")
    assert (same.test.p, same.difference.mean, same.better, same.gains, same.losses) == (1.0, 0.0, None, (), ())
    assert same.win_tie_loss == WinTieLoss(0, 30, 0, 0)
    assert "A1 scores as much as A1" in comparison_summary(same)


def test_same_seed_gives_the_same_result(shrec06):
    assert compare(shrec06, "G1", "H1") == compare(shrec06, "G1", "H1")
    assert compare(shrec06, "G1", "H1", seed=1).difference.low != compare(shrec06, "G1", "H1").difference.low


def test_no_common_query_is_reported():
    scores = evaluate(external(), replace(DEFAULT, min_class_size=99), measures=["R"])
    found = compare(scores, "full", "gaps", "R")
    assert (found.n, found.better, found.gains) == (0, None, ())
    assert math.isnan(found.test.p)
    assert comparison_summary(found) == "full and gaps have no common query with a defined Recall."
    document = comparison_document(found, scores, external())
    assert document["test"]["p"] is None
    to_json(document)


def test_unknown_names_raise(shrec06):
    with pytest.raises(UnknownKeyError, match="there is no run 'A9'"):
        compare(shrec06, "A1", "A9")
    with pytest.raises(UnknownKeyError, match="'FT' was not evaluated"):
        compare(shrec06, "A1", "B2", "FT")


def test_classes_are_resampled_if_all_have_several_queries():
    scores = evaluate(load_psb(), find_profile("psb"), measures=["AP", "FT"])
    run = scores.runs[0]
    by_class, by_query = compare(scores, run, run, "AP"), compare(scores, run, run, "AP", resample="query")
    assert (by_class.unit, by_query.unit) == ("class", "query")
    assert by_class.mean_a.units < by_query.mean_a.units == by_query.n
    width = [found.mean_a.high - found.mean_a.low for found in (by_class, by_query)]
    assert width[0] > 1.5 * width[1]
    assert compare(evaluate(external(), DEFAULT, measures=["R"]), "full", "gaps", "R").unit == "query"  # one cup


def test_document_has_full_precision_and_no_nan(shrec06):
    found = compare(shrec06, "A1", "B2")
    document = comparison_document(found, shrec06, load_shrec06())
    again = json.loads(to_json(document))
    assert again == document
    assert again["schema"] == "shrec-viewer/comparison/1"
    assert (again["a"]["run"], again["b"]["run"], again["queries"]) == ("A1", "B2", 30)
    assert again["difference"]["value"] == found.difference.mean
    assert again["difference"]["low"] == found.difference.low
    assert (again["difference"]["confidence"], again["difference"]["method"], again["difference"]["units"]) == (
        0.95,
        "bca",
        30,
    )
    assert again["test"] == {
        "name": "paired randomisation",
        "p": found.test.p,
        "exact": False,
        "patterns": 100_000,
        "seed": 2006,
    }
    assert sum(again["tally"].values()) == 30
    assert [gain["query"] for gain in again["gains"]] == [gain.query for gain in found.gains]
    assert set(again["gains"][0]) == {"query", "a", "b", "change"}
    assert again["measure"]["key"] == found.measure.key


# -------------------------------------------------------------------------------------------------------- all at once


def test_significance_of_a_contest(shrec06):
    found = run_significance(shrec06)
    column = shrec06.column(found.measure.key)
    np.testing.assert_allclose([interval.mean for interval in found.means], shrec06.mean()[:, column])
    assert found.runs == shrec06.runs
    best = int(np.argmax(shrec06.mean()[:, column]))
    assert found.baseline == shrec06.runs[best]
    assert math.isnan(found.p_against_baseline[best])
    assert "a" in found.groups.letters[best]
    chance = shrec06.run_index("R1")
    assert not set(found.groups.letters[chance]) & set(found.groups.letters[best])
    assert found.p_against_baseline[chance] < 0.001
    assert found.pairs.n == 30
    single = compare(shrec06, found.baseline, "R1").test.p
    assert found.p_against_baseline[chance] >= single
    other = run_significance(shrec06, baseline="R1")
    assert math.isnan(other.p_against_baseline[chance])
    np.testing.assert_array_equal(other.pairs.p, found.pairs.p)


def test_significance_uses_polarity(shrec06):
    found = run_significance(shrec06, "FN")
    assert found.baseline == shrec06.runs[int(np.argmin(shrec06.mean()[:, shrec06.column("FN")]))]
    assert found.groups.members[0][0] == found.runs.index(found.baseline)


def test_significance_of_no_run_and_of_one_run():
    empty = run_significance(evaluate(external(), DEFAULT, runs=[], measures=["R"]), "R")
    assert (empty.runs, empty.means, empty.groups.letters, empty.baseline) == ((), (), (), "")
    alone = run_significance(evaluate(external(), DEFAULT, runs=["full"], measures=["R"]), "R")
    assert alone.groups.letters == ("a",)
    assert np.isnan(alone.p_against_baseline).all()


def test_significance_can_be_cancelled(shrec06):
    with pytest.raises(Cancelled):
        run_significance(shrec06, cancelled=lambda: True)


# ----------------------------------------------------------------------------------------- generality on a real contest


def test_truncated_lists_give_a_band_that_narrows():
    """B2 lists 200 of 1,814 models: the bounds are equal at relevant scope 1 in the whole collection, not in a part."""
    data_folder("shrec06")
    scores = evaluate(load_shrec06(), find_profile("shrec2006"), measures=["GR1(rel=2)"])
    hits = scores.hits[scores.run_index("B2")]
    found = expected_by_generality(hits, scores.profile, level=2)
    value, lower, upper = found.mean()
    assert np.all((lower <= value + 1e-12) & (value <= upper + 1e-12))
    assert np.all(np.diff(lower[1:]) < 1e-12)
    assert lower[1] < upper[1] - 0.05
    assert upper[-1] - lower[-1] < 0.02
    full = expected_by_generality(scores.hits[0], scores.profile, level=2)
    measured = scores.values[0, :, 0]
    size = hits.relevant_size(2)
    largest = size == size.max()
    np.testing.assert_array_equal(full.lower[largest, -1], measured[largest])


def test_random_rankings_stay_at_the_expected_precision():
    from shrec_viewer.metrics.generality.embedding import embedding_of
    from shrec_viewer.metrics.generality.expected_measures import random_baseline

    scores = evaluate(load_shrec06(), find_profile("shrec2006"), measures=["GR1"])
    hits = scores.hits[scores.run_index("R1")]
    found = expected_by_generality(hits, scores.profile, level=2)
    band = random_baseline(embedding_of(hits, 2), found.doublings, confidence=0.999)
    mean = found.mean()[0]
    assert np.all((mean[1:] >= band.low[1:] - 1e-3) & (mean[1:] <= band.high[1:])), "also where lists end early"


def test_a_perfect_run_crosses_the_diagonal_at_one_on_a_real_contest():
    """At equal rank the means of classes of different size cross it at .79: scope lines and TRIS do not hold there."""
    data_folder("shrec06")
    scores = evaluate(load_shrec06(), find_profile("shrec2006"), measures=[])
    perfect = replace(scores, hits=tuple(hits.ideal() for hits in scores.hits))
    for way in ("recall", "generality", "class"):
        curve = perfect.curve("PR", 0, None, average=way)
        assert (1.0, 1.0) in list(zip(curve.x.tolist(), curve.y.tolist(), strict=True)), way
    for run in range(len(scores.runs)):
        curve = scores.curve("PR", run, None, average="generality")
        np.testing.assert_allclose(curve.x, curve.relevant_scopes * curve.y, atol=1e-12)
        answered = 1.0 - scores.missing[run].mean()
        assert curve.x[-1] == pytest.approx(answered, abs=1e-3), "the whole collection, up to a fraction of a model"
    rank = perfect.curve("PR", 0, None, average="rank")
    crossing = np.flatnonzero(rank.x >= rank.y)[0]
    assert rank.y[crossing] == pytest.approx(0.787, abs=5e-4)


def test_no_curve_is_below_chance_because_lists_end_early():
    """B1 and B2 list 200 of 1,814 models: found never, their other relevant models would be below the chance band."""
    from shrec_viewer.metrics.generality.embedding import embedding_of
    from shrec_viewer.metrics.generality.expected_measures import random_baseline

    data_folder("shrec06")
    scores = evaluate(load_shrec06(), find_profile("shrec2006"), measures=[])
    for key, scope in (("GRiP", 1.0), ("GR2P", 2.0), ("GR8P", 8.0)):
        for name in ("B1", "B2", "B3"):
            run = scores.run_index(name)
            curve = scores.curve(key, run, None)
            band = random_baseline(embedding_of(scores.hits[run]), curve.x, relevant_scope=scope)
            assert np.all(curve.y >= band.low - 1e-12)
            assert np.any(curve.lower < band.low)
            assert np.all((curve.lower <= curve.y + 1e-12) & (curve.y <= curve.upper + 1e-12))
