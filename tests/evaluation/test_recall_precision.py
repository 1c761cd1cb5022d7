"""Recall and precision at every rank equal the curves of evaluation; conversion back to ranks."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sample_benchmark import write_sample_benchmark

from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.evaluation.plots.curves import (
    RecallPrecision,
    baselines_over_recall,
    compute_baselines,
    recall_precision,
)
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.metrics import find_curve, find_profile


@pytest.fixture(scope="module")
def scores(tmp_path_factory):
    benchmark = read_benchmark(write_sample_benchmark(tmp_path_factory.mktemp("m") / "sample_benchmark"))
    return evaluate(benchmark, find_profile("shrec2006"))


RUNS, QUERIES = range(3), range(3)


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("query", QUERIES)
def test_recall_and_precision_of_query_are_those_of_curves(scores, run, query):
    got = recall_precision(scores, run, query)
    if scores.missing[run, query]:
        assert math.isnan(got.at(1)[0])
        return
    precision, recall = (scores.curve(key, run, query, 12).y for key in ("P", "R"))
    for rank in range(1, 13):
        assert got.at(rank) == pytest.approx((recall[rank - 1], precision[rank - 1]), abs=1e-12)


@pytest.mark.parametrize("run", RUNS)
def test_means_are_those_of_curves(scores, run):
    got = recall_precision(scores, run, None)
    precision, recall = (scores.curve(key, run, None, 8).y for key in ("P", "R"))
    for rank in range(1, 9):
        assert got.at(rank) == pytest.approx((recall[rank - 1], precision[rank - 1]), abs=1e-12)


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("query", [0, 1, None])
def test_rank_of_recall_is_first_that_reaches_it(scores, run, query):
    got = recall_precision(scores, run, query)
    for rank in range(1, len(got.recall) + 1):
        recall = got.at(rank)[0]
        found = got.rank_of(recall)
        assert found <= rank
        assert got.at(found)[0] == pytest.approx(recall)
        assert found == 1 or got.at(found - 1)[0] < recall - 1e-12
    assert got.rank_of(1.01) is None


def test_unreached_recall_has_no_rank():
    none = RecallPrecision(np.zeros(0), np.zeros(0))
    assert all(math.isnan(value) for value in none.at(3))
    assert none.rank_of(0.0) is None


def test_no_run_is_above_ideal(scores):
    for key in ("NDCG", "NCG", "DCG", "CG", "P", "R", "PR20", "PR11"):
        for query in (0, 1, None):
            ideal = compute_baselines(scores, find_curve(key), query, 8).ideal
            for run in RUNS:
                curve = scores.curve(key, run, query, 8)
                np.testing.assert_array_equal(curve.x, ideal.x)
                assert not (curve.y > ideal.y + 1e-9).any(), (key, query, run)


def test_random_baseline_is_mean_over_all_orders(scores):
    """Over all permutations of the gains: the expected gain at a rank is the mean gain of the collection."""
    hits = scores.hits[0].rows(0, 1)
    gains = np.zeros(int(hits.collection_size[0]))
    sizes = hits.class_sizes[0].tolist()
    place = 0
    for level, size in enumerate(sizes, 1):
        gains[place : place + size] = level
        place += size
    random = np.random.default_rng(0)
    lists = np.array([random.permutation(gains) for _ in range(4000)])
    for key, along in (("CG", np.cumsum(lists, 1)), ("P", np.cumsum(lists > 0, 1) / np.arange(1, len(gains) + 1))):
        chance = compute_baselines(scores, find_curve(key), 0, len(gains)).random
        np.testing.assert_allclose(chance.y, along.mean(0), rtol=0.05)
    recall = compute_baselines(scores, find_curve("R"), 0, len(gains)).random
    np.testing.assert_allclose(recall.y, np.arange(1, len(gains) + 1) / len(gains))


def test_scope_lines_end_at_axis_limits(scores):
    found = compute_baselines(scores, find_curve("PR"), 0, 8)
    assert (found.class_size, found.collection) == (4, 8)
    assert found.scopes.tolist() == [0.25, 0.5, 1.0, 2.0]
    for scope, line in zip(found.scopes, found.lines, strict=True):
        np.testing.assert_allclose(line[1, 1], line[1, 0] / scope)
    assert found.wedge.shape == (4, 2)
    mixed = compute_baselines(scores, find_curve("PR"), None, 8)
    assert mixed.wedge is None or mixed.class_size is not None


def test_lines_of_a_curve_that_counts_the_query_are_those_of_its_class_size(scores):
    """Four of eight others are relevant; five of nine with the query itself, which is at rank 1."""
    first = replace(scores.hits[0], own_rank=np.ones(3, np.int32))
    counting = replace(scores, hits=(first,), runs=scores.runs[:1], anomalies=scores.anomalies[:1])
    without, counted = (compute_baselines(counting, find_curve(key), 0, 8) for key in ("PR20", "PR20(self)"))
    assert (without.class_size, without.collection) == (4, 8)
    assert (counted.class_size, counted.collection) == (5, 9)
    np.testing.assert_allclose(counted.doublings, math.log2(9 / 5))
    np.testing.assert_allclose(counted.wedge, [[0, 0], [1 / 5, 1], [1, 1], [1, 5 / 9]])
    np.testing.assert_allclose(counted.scopes, [1 / 5, 1 / 4, 1 / 2, 1, 9 / 5])
    found = counting.curve("PR20(self)", 0, 0)
    inside = ~np.isnan(found.y)
    assert np.all(found.y[inside] <= np.minimum(1, 5 * found.x[inside]) + 1e-12)
    assert np.any(found.y[inside] > 4 * found.x[inside] + 1e-12), "outside of the region of four"


def test_a_missing_list_does_not_remove_the_lines_of_a_curve_that_counts_the_query(scores):
    first = replace(scores.hits[0], own_rank=np.ones(3, np.int32))
    start = int(first.indptr[1])
    second = replace(
        first,
        indptr=np.concatenate([[0, 0], first.indptr[2:] - start]),
        ranks=first.ranks[start:],
        levels=first.levels[start:],
        list_length=first.list_length * [0, 1, 1],
        missing=np.arange(3) == 0,
        own_rank=np.array([0, 1, 1], np.int32),
    )
    counting = replace(scores, hits=(first, second), runs=scores.runs[:2], anomalies=scores.anomalies[:2])
    found = compute_baselines(counting, find_curve("PR20(self)"), 0, 8)
    assert (found.class_size, found.collection) == (5, 9)
    np.testing.assert_allclose(found.wedge, [[0, 0], [1 / 5, 1], [1, 1], [1, 5 / 9]])
    without_lists = replace(counting, hits=(second, second))
    assert compute_baselines(without_lists, find_curve("PR20(self)"), 0, 8).class_size == 4


def test_ideal_curve_of_a_query_continues_down_to_the_generality(scores):
    """Along recall 1: precision 4/5, 4/6, 4/7 and at last 4/8."""
    ideal = compute_baselines(scores, find_curve("PR"), 0, 8).ideal
    np.testing.assert_allclose(ideal.x, [1 / 4, 1 / 2, 3 / 4, 1, 1, 1, 1, 1])
    np.testing.assert_allclose(ideal.y, [1, 1, 1, 1, 4 / 5, 4 / 6, 4 / 7, 4 / 8])


def test_means_at_one_generality_have_the_lines_of_the_smallest_class(scores):
    found = compute_baselines(scores, find_curve("PR"), None, 8, "generality")
    assert found.doublings[0] == found.doublings[1]
    assert found.scopes is not None
    np.testing.assert_allclose(found.random.y, 2.0 ** -found.doublings[0])
    assert (1.0, 1.0) in list(zip(found.ideal.x.tolist(), found.ideal.y.tolist(), strict=True))
    assert found.ideal.y[-1] == pytest.approx(2.0 ** -found.doublings[0])
    for way in ("recall", "rank", "class"):
        assert compute_baselines(scores, find_curve("PR"), None, 8, way).lines is None


def test_ideal_curve_over_recall_reaches_1(scores):
    over = baselines_over_recall(compute_baselines(scores, find_curve("NDCG"), 0, 8), scores, 0, 8)
    assert over.ideal.x[3] == 1.0
    assert (np.diff(over.ideal.x) >= 0).all()
    assert (np.diff(over.random.x) >= 0).all()


SHREC06 = Path(__file__).parents[2] / "../shared/data/shrec06"


@pytest.mark.skipif(not SHREC06.exists(), reason="the lists of SHREC 2006 are not available")
def test_cursor_points_on_real_lists_equal_evaluation():
    scores = evaluate(read_benchmark(SHREC06), find_profile("shrec2006"))
    random = np.random.default_rng(6)
    for run in range(len(scores.runs)):
        for query in [*random.integers(0, len(scores.queries), 3).tolist(), None]:
            got = recall_precision(scores, run, query)
            if query is not None and scores.missing[run, query]:
                assert not len(got.recall)
                continue
            ends = scores.hits[run].list_length
            last = int(ends.max() if query is None else ends[query])
            precision, recall = (scores.curve(key, run, query, last).y for key in ("P", "R"))
            np.testing.assert_allclose(got.recall, recall, atol=1e-12)
            np.testing.assert_allclose(got.precision, precision, atol=1e-12)
