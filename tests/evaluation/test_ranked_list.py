"""Displayed lists have the ranks that the scores are computed from."""

from dataclasses import replace

import numpy as np
import pytest
from independent_loaders import lists_of, load_psb, load_shrec06
from small_benchmarks import external, hit_table, itself

from shrec_viewer.domain import DistanceMatrix
from shrec_viewer.evaluation.ranked_list import ranked_list
from shrec_viewer.metrics import PROFILES, find_profile

DEFAULT = find_profile("default")


def assert_agrees(benchmark, profile, queries):
    for run in benchmark.runs:
        hits = hit_table(run, benchmark, profile)
        for query in queries:
            shown = ranked_list(benchmark, run, query, profile)
            first, last = hits.indptr[query], hits.indptr[query + 1]
            assert len(shown) == hits.list_length[query]
            np.testing.assert_array_equal(np.flatnonzero(shown.levels) + 1, hits.ranks[first:last])
            np.testing.assert_array_equal(shown.levels[shown.levels > 0], hits.levels[first:last])
            assert shown.missing == hits.missing[query]
            assert last - first + len(shown.not_retrieved) == hits.relevant_size()[query]
            assert shown.items.dtype == np.int32
            assert shown.distances.shape == shown.items.shape == shown.tied.shape == shown.tie_start.shape


@pytest.mark.parametrize("profile", [*PROFILES, replace(DEFAULT, list_cut=2)], ids=lambda profile: profile.key)
@pytest.mark.parametrize("benchmark", [external(), itself(), itself(graded=True)], ids=["external", "self", "graded"])
def test_agrees_with_the_hits(benchmark, profile):
    assert_agrees(benchmark, profile, range(len(benchmark.queries)))


def test_agrees_with_the_hits_of_2006():
    assert_agrees(load_shrec06(), find_profile("shrec2006"), range(0, 30, 7))


def test_agrees_with_the_hits_of_princeton():
    assert_agrees(load_psb(), find_profile("psb"), range(0, 907, 50))


def test_a_matrix_row_by_hand():
    """The list of model b: c and a at distance 1 (columns are reversed), d at 2, e at 3, f at 4."""
    shown = ranked_list(itself(), itself().runs[0], 1, DEFAULT)
    assert shown.items.tolist() == [2, 0, 3, 4, 5]
    assert shown.distances.tolist() == [1, 1, 2, 3, 4]
    assert shown.levels.tolist() == [1, 1, 0, 0, 0]
    assert shown.tied.tolist() == [True, True, False, False, False]
    assert shown.tie_start.tolist() == [0, 0, 2, 3, 4]
    assert shown.not_retrieved.tolist() == []


def test_unknown_columns_are_skipped_and_distances_stay_with_their_models():
    benchmark = itself()
    columns = np.array([-1, 3, 0, -1, 2], np.int32)
    matrix = DistanceMatrix(np.array([[0.0, 7, 0, 1, 5]]), np.zeros(6, np.int32), columns)
    for profile in (find_profile("default"), find_profile("trec")):
        external_query = replace(profile, unknown="drop", self_match="keep")
        shown = ranked_list(benchmark, replace(benchmark.runs[0], ranking=matrix), 0, external_query)
        assert shown.items.tolist() == [0, 2, 3]
        assert shown.distances.tolist() == [0, 5, 7]


def test_similarity_is_displayed_as_written():
    benchmark = itself()
    run = benchmark.runs[0]
    similar = replace(run, ranking=replace(run.ranking, similarity=True))
    shown = ranked_list(benchmark, similar, 0, DEFAULT)
    assert shown.items.tolist() == [5, 4, 3, 2, 1]
    assert shown.distances.tolist() == [5, 4, 3, 2, 1]


def test_cleaned_list_keeps_its_distances():
    lists = lists_of([[3, -1, 3, 0, 4], None, [], []], [[0.5, 0.6, 0.7, np.nan, 0.7], [], [], []])
    benchmark = external()
    shown = ranked_list(benchmark, replace(benchmark.runs[0], ranking=lists), 0, DEFAULT)
    assert shown.items.tolist() == [3, 0, 4]
    np.testing.assert_array_equal(shown.distances, [0.5, np.nan, 0.7])
    assert shown.levels.tolist() == [1, 2, 0]
    assert shown.not_retrieved.tolist() == [1]
    assert not shown.tied.any()


def test_nan_distances_are_not_tied():
    lists = lists_of([[0, 1, 2, 3], None, [], []], [[np.nan, np.nan, 1.0, 1.0], [], [], []])
    shown = ranked_list(external(), replace(external().runs[0], ranking=lists), 0, DEFAULT)
    assert shown.tied.tolist() == [False, False, True, True]


def test_missing_and_empty_lists_differ():
    gaps = external().run("gaps")
    missing, empty = (ranked_list(external(), gaps, query, DEFAULT) for query in (1, 3))
    assert missing.missing
    assert not empty.missing
    assert len(missing) == len(empty) == 0
    assert missing.not_retrieved.tolist() == [2]
    assert empty.not_retrieved.tolist() == [5]


def test_lists_without_relevance_assessment():
    benchmark = replace(external(), assessment=None)
    shown = ranked_list(benchmark, benchmark.runs[0], 0, DEFAULT)
    assert shown.items.tolist() == [0, 1, 3, 2, 4, 5]
    assert not shown.levels.any()
    assert len(shown.not_retrieved) == 0


def test_ranks_of_unknown_ids_follow_the_profile():
    lists = lists_of([[0, -1, 1], None, [], []])
    shown = ranked_list(external(), replace(external().runs[0], ranking=lists), 0, replace(DEFAULT, unknown="keep"))
    assert shown.items.tolist() == [0, -1, 1]
    assert shown.levels.tolist() == [2, 0, 2]


@pytest.mark.parametrize("ties", ["file", "index", "trec"])
@pytest.mark.parametrize("not_a_number", ["last", "drop"])
@pytest.mark.parametrize("infinite", ["rank", "drop"])
def test_order_of_odd_and_equal_distances_equals_that_of_the_scores(ties, not_a_number, infinite):
    benchmark = itself(graded=True)
    random = np.random.default_rng(3)
    values = random.choice(np.array([0.0, 1.0, 2.0, np.inf, -np.inf, np.nan]), (6, 6))
    matrix = replace(benchmark.runs[0].ranking, values=values)
    rows = [random.permutation(6).tolist() for _ in range(6)]
    by_score = lists_of(rows, values.tolist(), by_score=True)
    runs = (replace(benchmark.runs[0], ranking=matrix), replace(benchmark.runs[0], name="list", ranking=by_score))
    profile = replace(DEFAULT, ties=ties, not_a_number=not_a_number, infinite=infinite)
    assert_agrees(replace(benchmark, runs=runs), profile, range(6))
