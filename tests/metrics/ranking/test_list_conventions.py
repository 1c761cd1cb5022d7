"""Each convention for anomalies: the cleaned list, and the counts of anomalies."""

from dataclasses import replace

import numpy as np
import pytest
from hit_tables import truth_of
from hypothesis import given, settings
from hypothesis import strategies as st

from shrec_viewer.metrics import ListArrays, find_measure, find_profile, hits_from_lists, hits_from_matrix

DEFAULT = find_profile("default")
NAN, INF = np.nan, np.inf
EVERYTHING = truth_of(np.ones((1, 6), int), np.array([-1]))
ODD = [NAN, 1.0, INF, 0.0, -INF, INF]
"""Distances of the models 0 to 5: 4 is nearest, then 3 and 1, then 2 and 5 at +inf, and 0 at no number."""


def ranked(profile, distances=ODD, truth=EVERYTHING, as_list=False):
    if not as_list:
        return hits_from_matrix(truth, np.array([distances]), profile=profile)
    lists = replace(ListArrays.of([range(len(distances))]), distances=np.array(distances), by_score=True)
    return hits_from_lists(truth, lists, profile)


@pytest.mark.parametrize("as_list", [False, True])
@pytest.mark.parametrize(
    ("not_a_number", "infinite", "ranks_of_models"),
    [
        ("last", "rank", {4: 1, 3: 2, 1: 3, 2: 4, 5: 5, 0: 6}),
        ("drop", "rank", {4: 1, 3: 2, 1: 3, 2: 4, 5: 5}),
        ("last", "drop", {4: 1, 3: 2, 1: 3, 0: 4}),
        ("drop", "drop", {4: 1, 3: 2, 1: 3}),
    ],
)
def test_not_a_number_and_infinity(not_a_number, infinite, ranks_of_models, as_list):
    profile = replace(DEFAULT, not_a_number=not_a_number, infinite=infinite)
    for model in range(6):
        truth = truth_of((np.arange(6) == model)[None, :].astype(int), np.array([-1]))
        found = ranked(profile, truth=truth, as_list=as_list)
        assert found.hits.ranks.tolist() == ([ranks_of_models[model]] if model in ranks_of_models else [])
        assert found.hits.list_length.tolist() == [len(ranks_of_models)]
        assert found.hits.class_sizes.tolist() == [[1]]  # what is not retrieved is still to be found
        assert found.anomalies.nans.tolist() == [1]
        assert found.anomalies.infinite.tolist() == [2]


@pytest.mark.parametrize("as_list", [False, True])
def test_query_itself_is_no_anomaly_and_has_no_rank(as_list):
    """Model 2, at +inf from itself, is the query."""
    truth = truth_of(np.ones((1, 6), int), np.array([2]))
    found = ranked(DEFAULT, truth=truth, as_list=as_list)
    assert found.anomalies.infinite.tolist() == [1]
    assert found.anomalies.nans.tolist() == [1]
    assert found.hits.own_rank.tolist() == [4]
    assert found.hits.ranks.tolist() == [1, 2, 3, 4, 5]
    dropped = ranked(replace(DEFAULT, infinite="drop"), truth=truth, as_list=as_list)
    assert dropped.hits.own_rank.tolist() == [0]
    assert dropped.hits.ranks.tolist() == [1, 2, 3, 4]
    no_number = truth_of(np.ones((1, 6), int), np.array([0]))
    behind = ranked(replace(DEFAULT, infinite="drop"), truth=no_number, as_list=as_list)
    assert behind.hits.own_rank.tolist() == [4]
    assert behind.anomalies.nans.tolist() == [0]
    assert behind.hits.ranks.tolist() == [1, 2, 3]


@given(
    seed=st.integers(0, 2**32 - 1),
    not_a_number=st.sampled_from(["last", "drop"]),
    infinite=st.sampled_from(["rank", "drop"]),
    self_match=st.sampled_from(["drop", "keep"]),
    list_cut=st.sampled_from([None, 4]),
)
@settings(max_examples=150, deadline=None)
def test_matrices_and_lists_agree_under_every_convention(seed, not_a_number, infinite, self_match, list_cut):
    random = np.random.default_rng(seed)
    values = random.choice(np.array([0.0, 1.0, 2.0, INF, -INF, NAN]), (4, 9))
    truth = truth_of(random.integers(0, 3, (4, 9)), random.integers(-1, 9, 4))
    profile = replace(DEFAULT, not_a_number=not_a_number, infinite=infinite, self_match=self_match, list_cut=list_cut)
    lists = replace(ListArrays.of([range(9)] * 4), distances=values.ravel(), by_score=True)
    one, other = hits_from_matrix(truth, values, profile=profile), hits_from_lists(truth, lists, profile)
    for order in ("profile", "optimistic", "pessimistic"):
        for field in ("indptr", "ranks", "levels", "list_length", "class_sizes", "collection_size", "own_rank"):
            mine, theirs = getattr(one.in_order(order), field), getattr(other.in_order(order), field)
            np.testing.assert_array_equal(mine, theirs, err_msg=field)
    for field in ("nans", "infinite", "repeated", "unknown", "tied", "cut"):
        np.testing.assert_array_equal(getattr(one.anomalies, field), getattr(other.anomalies, field), err_msg=field)


def test_lists_in_the_order_of_their_lines_need_no_distances():
    """A list without distances, or with odd ones, keeps every line under every policy."""
    strict = replace(DEFAULT, not_a_number="drop", infinite="drop")
    lists = replace(ListArrays.of([range(6)]), distances=np.array(ODD))
    found = hits_from_lists(EVERYTHING, lists, strict)
    assert found.hits.ranks.tolist() == [1, 2, 3, 4, 5, 6]
    assert found.anomalies.nans.tolist() == [0]


@pytest.mark.parametrize(("ties", "first"), [("file", 2), ("index", 0), ("trec", 1)])
def test_equal_distances_by_column_by_model_and_by_id(ties, first):
    """Columns are the models 2 0 1; the ids descend as 1 2 0; all distances are equal."""
    orders = {"file": None, "index": np.arange(3), "trec": np.array([2, 0, 1])}
    profile = replace(DEFAULT, ties=ties)
    for model in range(3):
        truth = truth_of((np.arange(3) == model)[None, :].astype(int), np.array([-1]))
        columns = np.array([2, 0, 1], np.int32)
        found = hits_from_matrix(truth, np.zeros((1, 3)), None, columns, profile, tie_order=orders[ties])
        listed = replace(ListArrays.of([[2, 0, 1]]), distances=np.zeros(3), by_score=True, tie_order=orders[ties])
        assert (found.hits.ranks[0] == 1) == (model == first)
        assert hits_from_lists(truth, listed, profile).hits.ranks.tolist() == found.hits.ranks.tolist()


def test_unlisted_relevant_models_count_in_the_class_size():
    truth = truth_of(np.array([[1, 1, 0, 1]]), np.array([-1]))
    hits = hits_from_lists(truth, ListArrays.of([[0, 2]]), DEFAULT).hits
    assert find_measure("R").evaluate(hits, DEFAULT).tolist() == [pytest.approx(1 / 3)]
    assert find_measure("AP").evaluate(hits, DEFAULT).tolist() == [pytest.approx(1 / 3)]
    assert find_measure("FN").evaluate(hits, DEFAULT).tolist() == [2]


def test_models_without_a_level_are_not_relevant():
    truth = truth_of(np.array([[0, 2, 0]]), np.array([-1]))
    hits = hits_from_lists(truth, ListArrays.of([[0, 1, 2]]), DEFAULT).hits
    assert find_measure("P@1").evaluate(hits, DEFAULT).tolist() == [0]
    assert find_measure("P").evaluate(hits, DEFAULT).tolist() == [pytest.approx(1 / 3)]


def test_anomalies_are_counted_by_query():
    truth = truth_of(np.ones((3, 4), int), np.array([-1, -1, -1]))
    lists = ListArrays.of([[0, 0, -1, 1, 0], None, [-1, -1, 2, 3]])
    anomalies = hits_from_lists(truth, lists, replace(DEFAULT, list_cut=1)).anomalies
    assert anomalies.repeated.tolist() == [2, 0, 0]
    assert anomalies.unknown.tolist() == [1, 0, 2]
    assert anomalies.cut.tolist() == [1, 0, 1]
    matrix = hits_from_matrix(
        truth, np.zeros((3, 5)), np.array([0, -1, 1], np.int32), np.array([0, -1, 1, -1, 2], np.int32), DEFAULT
    )
    assert matrix.anomalies.unknown.tolist() == [2, 0, 2]
    assert matrix.anomalies.tied.tolist() == [3, 0, 3]


def test_repeated_unknown_ids_count_once():
    """An unknown id, model 0, the same id, another one, model 1: kept, the second line of the first id is removed."""
    lists = replace(ListArrays.of([[-1, 0, -1, -1, 1]]), unknown=np.array([0, -1, 0, 1, -1], np.int32))
    kept = hits_from_lists(EVERYTHING, lists, replace(DEFAULT, unknown="keep"))
    assert kept.hits.ranks.tolist() == [2, 4]
    assert (kept.anomalies.repeated.tolist(), kept.anomalies.unknown.tolist()) == ([1], [3])
    assert hits_from_lists(EVERYTHING, lists, DEFAULT).hits.ranks.tolist() == [1, 2]
    # Where it is not known which ids are equal, all differ.
    alike = hits_from_lists(EVERYTHING, replace(lists, unknown=None), replace(DEFAULT, unknown="keep"))
    assert alike.hits.ranks.tolist() == [2, 5]
