"""Change of profile: hits are reused where they are equal, textbook scores and ceilings are computed from them."""

from dataclasses import replace

import numpy as np
import pytest
from independent_loaders import lists_of
from small_benchmarks import external, hit_table, itself

from shrec_viewer.domain import DistanceMatrix, Run
from shrec_viewer.evaluation.evaluate import evaluate, evaluate_ties, ranked_hits, tie_range
from shrec_viewer.evaluation.scores import same_ranking
from shrec_viewer.metrics import MEASURES, PROFILES, find_curve, find_profile

DEFAULT = find_profile("default")
ALL = [*PROFILES, *(find_profile(f"{key}-textbook") for key in ("shrec2021", "shrec2017rgbd"))]


def tied():
    """`itself` with distances that tie across classes, columns in the order of the collection and reversed."""
    benchmark = itself(graded=True)
    values = np.abs(np.arange(6)[:, None] - np.arange(6)[None, :]) // 2
    forwards, backwards = np.arange(6, dtype=np.int32), np.arange(5, -1, -1, dtype=np.int32)
    runs = tuple(
        Run(name, "A", benchmark.root, DistanceMatrix(values[:, columns].astype(float), forwards, columns))
        for name, columns in (("forwards", forwards), ("backwards", backwards))
    )
    rows = [[3, 3, -1, 0, 5, 1], [0, 1], None, [2, 1, 0], [], [5, 4, 3, 2, 1, 0]]
    distances = [
        [1.0, 1.0, 1.0, 1.0, 2.0, 2.0],
        [np.nan, 0.0],
        [],
        [0.0, 0.0, 0.0],
        [],
        [1.0, 1.0, 2.0, 2.0, np.inf, 3.0],
    ]
    lists = lists_of(rows, distances)
    runs += (
        Run("lines", "B", benchmark.root, lists),
        Run("scores", "B", benchmark.root, replace(lists, by_score=True)),
    )
    return replace(benchmark, runs=runs)


@pytest.mark.parametrize("make", [external, itself, tied], ids=lambda make: make.__name__)
@pytest.mark.parametrize("before", ALL, ids=lambda profile: profile.key)
def test_reused_hits_give_equal_scores(make, before):
    benchmark = make()
    earlier = evaluate(benchmark, before)
    for profile in ALL:
        fresh, changed = evaluate(benchmark, profile), evaluate(benchmark, profile, previous=earlier)
        np.testing.assert_array_equal(fresh.raw_values, changed.raw_values)
        np.testing.assert_array_equal(fresh.query_labels, changed.query_labels)
        np.testing.assert_array_equal(fresh.excluded, changed.excluded)
        for one, other in zip(fresh.hits, changed.hits, strict=True):
            np.testing.assert_array_equal(one.ranks, other.ranks)


def test_hits_are_reused_without_ranking():
    benchmark = tied()
    earlier = evaluate(benchmark, DEFAULT)
    changed = evaluate(benchmark, find_profile("shrec2021"), previous=earlier)
    assert all(one.ranks is other.ranks for one, other in zip(earlier.hits, changed.hits, strict=True))
    fewer = evaluate(benchmark, find_profile("shrec2021"), runs=["scores"], previous=earlier)
    assert fewer.hits[0].ranks is earlier.hits[3].ranks
    back = evaluate(benchmark, DEFAULT, previous=fewer)
    assert back.hits[3].ranks is earlier.hits[3].ranks
    assert back.hits[0].ranks is not earlier.hits[0].ranks
    by_index = evaluate(benchmark, find_profile("psb"), previous=earlier)  # ties in the order of the collection
    kept = [one.ranks is other.ranks for one, other in zip(earlier.hits, by_index.hits, strict=True)]
    assert kept == [True, False, True, False]


@pytest.mark.parametrize("part", ["assessment", "queries", "collection", "runs"])
def test_hits_of_another_benchmark_are_not_reused(part):
    benchmark = itself()
    earlier = evaluate(benchmark, DEFAULT)
    other = itself()
    changed = replace(benchmark, **{part: getattr(other, part)})
    assert evaluate(changed, DEFAULT, previous=earlier).hits[0].ranks is not earlier.hits[0].ranks


def test_hits_in_another_order_of_ties_are_not_reused():
    benchmark = tied()
    best = evaluate(benchmark, DEFAULT, ties="optimistic")
    np.testing.assert_array_equal(
        evaluate(benchmark, DEFAULT, previous=best).raw_values, evaluate(benchmark, DEFAULT).raw_values
    )
    again = evaluate(benchmark, DEFAULT, ties="optimistic", previous=best)
    assert again.hits[0].ranks is best.hits[0].ranks


def test_same_ranking_depends_on_the_kind_of_run():
    forwards, backwards, lines, scores = tied().runs
    index, file = replace(DEFAULT, ties="index"), DEFAULT
    assert [same_ranking(run, index, file) for run in tied().runs] == [True, False, True, False]
    strict = replace(DEFAULT, not_a_number="drop")
    assert [same_ranking(run, strict, DEFAULT) for run in (forwards, backwards, lines, scores)] == [
        False,
        False,
        True,
        False,
    ]
    assert same_ranking(forwards, replace(DEFAULT, unknown="keep"), DEFAULT)
    assert not same_ranking(lines, replace(DEFAULT, unknown="keep"), DEFAULT)
    assert same_ranking(lines, replace(DEFAULT, cut_counts="lines"), DEFAULT)
    assert not same_ranking(lines, replace(DEFAULT, list_cut=3), DEFAULT)
    assert same_ranking(lines, replace(DEFAULT, tiers="shrec2006", missing_query="skip", min_class_size=5), DEFAULT)


def test_tie_range_equals_separate_evaluations():
    benchmark = tied()
    for profile in PROFILES:
        found = evaluate_ties(benchmark, profile)
        for scores, order in (
            (found.actual, "profile"),
            (found.optimistic, "optimistic"),
            (found.pessimistic, "pessimistic"),
        ):
            alone = evaluate(benchmark, profile, ties=order)
            assert scores.ties == alone.ties == order
            np.testing.assert_array_equal(scores.raw_values, alone.raw_values)
            table = hit_table(benchmark.runs[0], benchmark, profile, order)
            np.testing.assert_array_equal(table.ranks, scores.hits[0].ranks)
        low, high = found.values()
        values = found.actual.values
        assert np.all((low <= values) | np.isnan(values))
        assert np.all((values <= high) | np.isnan(values))
        for low, high, mean in (
            (*found.mean(), found.actual.mean()),
            (*found.class_mean(), found.actual.class_mean()),
        ):
            assert np.all((low <= mean + 1e-12) | np.isnan(mean))
            assert np.all((mean <= high + 1e-12) | np.isnan(mean))


def test_tie_range_equals_all_three_orders_and_ranks_only_tied_runs(monkeypatch):
    several = tied()
    lines = replace(several.runs[0], name="no ties", ranking=itself().runs[0].ranking)
    lines = replace(lines, ranking=replace(lines.ranking, values=np.arange(36.0).reshape(6, 6)))
    several = replace(several, runs=(lines, *several.runs, replace(several.runs[0], name="again")))
    ranked = []

    def watched(run, *arguments):
        ranked.append(run.name)
        return ranked_hits(run, *arguments)

    monkeypatch.setattr("shrec_viewer.evaluation.evaluate.ranked_hits", watched)
    for profile in PROFILES:
        whole = evaluate_ties(several, profile)
        for scores in (whole.actual, whole.optimistic):
            ranked.clear()
            found = tie_range(scores)
            assert ("no ties" in ranked) == (scores is whole.optimistic)
            for name in ("actual", "optimistic", "pessimistic"):
                one, other = getattr(found, name), getattr(whole, name)
                assert (one.ties, one.runs) == (other.ties, other.runs)
                np.testing.assert_array_equal(one.raw_values, other.raw_values)
                for mine, theirs in zip(one.hits, other.hits, strict=True):
                    np.testing.assert_array_equal(mine.ranks, theirs.ranks)


def test_ties_by_hand():
    """Query a: b is at its distance 0, c d at 1, e f at 2; its class is a b c (2), sister d e (1)."""
    found = evaluate_ties(tied(), DEFAULT, runs=["backwards"], measures=["AP(rel=2)", "CG@2"])
    low, high = found.values()
    assert found.actual.values[0, 0].tolist() == [pytest.approx((1 + 2 / 3) / 2), 3]  # b d c f e
    assert low[0, 0].tolist() == [pytest.approx((1 + 2 / 3) / 2), 3]
    assert high[0, 0].tolist() == [1, 4]
    assert found.actual.anomalies[0].tied.tolist()[0] == 3  # c, d and e


def test_ceilings_of_a_benchmark():
    scores = evaluate(external(), DEFAULT, measures=["AP", "E@32", "CG", "TP"])
    best = scores.ceiling()
    assert best.runs == scores.runs
    assert best.values.shape == scores.values.shape
    np.testing.assert_allclose(best.values[0, 0], [1, 2 * 3 / (6 + 3), 5, 3])
    assert np.isnan(best.values[0, 2, 0])
    assert np.all((scores.values <= best.values + 1e-12) | np.isnan(scores.values))
    np.testing.assert_array_equal(best.missing, scores.missing)
    assert np.all(scores.mean() <= best.mean() + 1e-12)
    assert evaluate(external(), DEFAULT, runs=[]).ceiling().mean().shape == (0, 17)


@pytest.mark.parametrize("order", ["profile", "optimistic", "pessimistic"])
@pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: profile.key)
def test_no_score_exceeds_its_ceiling_in_any_order_of_ties(profile, order):
    keys = [measure.name for measure in MEASURES]
    for benchmark in (tied(), external(), itself()):
        scores = evaluate(benchmark, profile, measures=keys, ties=order)
        best = scores.ceiling()
        for column, measure in enumerate(scores.measures):
            sign = -1 if measure.better == "lower" else 1
            for values, ceilings in ((scores.values, best.values), (scores.mean()[:, None], best.mean()[:, None])):
                excess = sign * (values[:, :, column] - ceilings[:, :, column])
                assert np.all((excess <= 1e-12) | np.isnan(excess)), measure.key


def test_textbook_scores_of_an_official_profile():
    scores = evaluate(external(), find_profile("shrec2021"), measures=["FT", "AP"])
    mended = scores.textbook()
    expected = evaluate(external(), find_profile("shrec2021-textbook"), measures=["FT", "AP"])
    np.testing.assert_array_equal(mended.raw_values, expected.raw_values)
    np.testing.assert_array_equal(mended.values[:, :, 1], scores.values[:, :, 1])
    assert np.any(mended.values[:, :, 0] != scores.values[:, :, 0])
    assert evaluate(external(), DEFAULT).textbook() is None


def test_curves_use_the_given_order_of_ties():
    best = evaluate(tied(), DEFAULT, ties="optimistic").curve("P", 0, None, points=3).y
    worst = evaluate(tied(), DEFAULT, ties="pessimistic").curve("P", 0, None, points=3).y
    assert np.all(best >= worst)
    assert np.any(best > worst)
    assert find_curve("P").x_range is None


def test_anomalies_are_counted_for_every_run():
    anomalies = evaluate(tied(), DEFAULT).anomalies
    lines, scores = anomalies[2], anomalies[3]
    assert lines.repeated.tolist() == [1, 0, 0, 0, 0, 0]
    assert lines.unknown.tolist() == [1, 0, 0, 0, 0, 0]
    assert lines.nans.tolist() == [0] * 6
    assert scores.nans.tolist() == [0, 1, 0, 0, 0, 0]
    assert scores.infinite.tolist() == [0, 0, 0, 0, 0, 1]
    assert evaluate(tied(), replace(DEFAULT, list_cut=2)).anomalies[0].cut.tolist() == [3] * 6
