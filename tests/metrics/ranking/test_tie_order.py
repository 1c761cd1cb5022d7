"""Best and worst order of equal distances, compared with all orders; counted anomalies."""

from dataclasses import replace
from itertools import permutations, product

import numpy as np
import pytest
from hit_tables import Case, table_of, truth_of
from hypothesis import given, settings
from hypothesis import strategies as st

from shrec_viewer.metrics import (
    MEASURES,
    PROFILES,
    HitTable,
    ListArrays,
    find_profile,
    hits_from_lists,
    hits_from_matrix,
)

DEFAULT = find_profile("default")
ORDERS = ("pessimistic", "profile", "optimistic")
ROWS = [measure for measure in MEASURES if measure.better != "none" and not measure.uses_classes]
FORMS = [measure.at() for measure in ROWS] + [measure.at(cutoff=2) for measure in ROWS if measure.takes_cutoff]
FORMS += [measure.at(level=2) for measure in ROWS if measure.takes_level]


def every_order(levels: list[int], distances: list[float], cut: int | None) -> HitTable:
    """All lists that respect the distances, as queries of one table."""
    groups = [[i for i, d in enumerate(distances) if d == value] for value in sorted(set(distances))]
    cases = []
    for orders in product(*(permutations(group) for group in groups)):
        gains = tuple(levels[i] for order in orders for i in order)
        cases.append(Case(gains[:cut], gains[cut:] if cut is not None else (), highest=2))
    return table_of(cases)


@given(
    models=st.lists(st.tuples(st.integers(0, 2), st.sampled_from([0.0, 1.0, 2.0])), min_size=1, max_size=6),
    cut=st.sampled_from([None, 1, 3]),
    as_list=st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_no_order_of_ties_is_better_or_worse(models, cut, as_list):
    levels, distances = [level for level, _ in models], [distance for _, distance in models]
    truth = truth_of(np.array([levels]), np.array([-1]))
    truth = replace(truth, highest_level=2)
    for profile in (replace(DEFAULT, list_cut=cut), replace(find_profile("shrec2006"), list_cut=cut)):
        if as_list:
            everything = ListArrays.of([range(len(levels))])
            lists = replace(everything, distances=np.array(distances), by_score=True)
            ranked = hits_from_lists(truth, lists, profile)
        else:
            ranked = hits_from_matrix(truth, np.array([distances]), profile=profile)
        every = every_order(levels, distances, cut)
        worst, actual, best = (ranked.in_order(order) for order in ORDERS)
        for form in FORMS:
            if form.measure.name in ("AP", "GMAP") and profile.ap_divisor == "retrieved" and (cut or form.cutoff):
                continue  # one more model within the places looked at can lower the mean over those found there
            values = form.evaluate(every, profile)
            low, high = (values.min(), values.max()) if form.better == "higher" else (values.max(), values.min())
            assert form.evaluate(worst, profile)[0] == pytest.approx(low, abs=1e-12, nan_ok=True), form.key
            assert form.evaluate(best, profile)[0] == pytest.approx(high, abs=1e-12, nan_ok=True), form.key
            assert form.evaluate(actual, profile)[0] in values or np.isnan(values).all()


@given(
    levels=st.lists(st.integers(0, 2), min_size=1, max_size=12),
    lists=st.lists(
        st.lists(st.tuples(st.integers(0, 11), st.sampled_from([0.0, 1.0, 2.0])), max_size=12), min_size=1, max_size=4
    ),
    profile=st.sampled_from(PROFILES),
)
@settings(max_examples=120, deadline=None)
def test_no_value_is_beyond_its_ceiling_in_any_order_of_ties(levels, lists, profile):
    """Lists of any length with equal distances, repeated and, beyond the collection, unknown models."""
    truth = replace(truth_of(np.array([levels] * len(lists)), np.full(len(lists), -1)), highest_level=2)
    items = [[model if model < len(levels) else -1 for model, _ in one] for one in lists]
    distances = np.array([distance for one in lists for _, distance in one])
    given_lists = replace(ListArrays.of(items), distances=distances, by_score=True)
    is_lower_better = np.array([[form.better == "lower"] for form in FORMS])
    ranked = hits_from_lists(truth, given_lists, profile)
    for order in ORDERS:
        hits = ranked.in_order(order)
        values = np.stack([form.evaluate(hits, profile) for form in FORMS])
        ceilings = np.stack([form.ceiling(hits, profile) for form in FORMS])
        excess = np.where(is_lower_better, ceilings - values, values - ceilings)
        is_within = ((excess <= 1e-12) | np.isnan(values)).all(axis=1)
        beyond = [form.key for form, within in zip(FORMS, is_within, strict=True) if not within]
        assert beyond == [], (profile.key, order)


def test_tie_orders_by_hand():
    """Distances 0 1 1 1 2 with levels 0 0 1 2 1: the group at distance 1 has ranks 2 to 4."""
    truth = replace(truth_of(np.array([[0, 0, 1, 2, 1]]), np.array([-1])), highest_level=2)
    ranked = hits_from_matrix(truth, np.array([[0.0, 1, 1, 1, 2]]), profile=DEFAULT)
    found = {order: (ranked.in_order(order).ranks.tolist(), ranked.in_order(order).levels.tolist()) for order in ORDERS}
    assert found["profile"] == ([3, 4, 5], [1, 2, 1])
    assert found["optimistic"] == ([2, 3, 5], [2, 1, 1])
    assert found["pessimistic"] == ([3, 4, 5], [1, 2, 1])
    assert ranked.anomalies.tied.tolist() == [2]


def test_list_cut_within_a_tie_depends_on_the_order():
    truth = truth_of(np.array([[0, 0, 1]]), np.array([-1]))
    ranked = hits_from_matrix(truth, np.zeros((1, 3)), profile=replace(DEFAULT, list_cut=2))
    assert ranked.in_order("profile").ranks.tolist() == []
    assert ranked.in_order("optimistic").ranks.tolist() == [1]
    assert ranked.in_order("pessimistic").ranks.tolist() == []
    assert ranked.anomalies.cut.tolist() == [1]


def test_the_query_does_not_tie_with_its_own_list():
    """Distances 0 0 1 1 of query 0: alone with model 1 at distance 0, so nothing there is undecided."""
    truth = truth_of(np.array([[1, 1, 1, 0]]), np.array([0]))
    ranked = hits_from_matrix(truth, np.array([[0.0, 0, 1, 1]]), profile=DEFAULT)
    assert ranked.anomalies.tied.tolist() == [1]
    assert ranked.in_order("pessimistic").ranks.tolist() == [1, 3]
    assert ranked.in_order("optimistic").ranks.tolist() == [1, 2]


def test_equal_adjacent_distances_in_line_order_are_ties():
    """The order of the lines ranks, and says nothing about models at equal distances that need not be neighbours."""
    truth = truth_of(np.array([[0, 1, 0, 1, 0]]), np.array([-1]))
    lists = replace(ListArrays.of([[0, 1, 2, 3, 4]]), distances=np.array([1.0, 1.0, 2.0, 1.0, 1.0]))
    ranked = hits_from_lists(truth, lists, DEFAULT)
    assert ranked.hits.ranks.tolist() == [2, 4]
    assert ranked.in_order("optimistic").ranks.tolist() == [1, 4]
    assert ranked.in_order("pessimistic").ranks.tolist() == [2, 5]
    assert ranked.anomalies.tied.tolist() == [2]


def test_removed_lines_neither_split_ties_nor_have_a_rank():
    """An unknown id and a repeated one are between two models at the same distance."""
    truth = truth_of(np.array([[0, 1, 0]]), np.array([-1]))
    lists = replace(ListArrays.of([[0, -1, 0, 1, 2]]), distances=np.array([1.0, 5.0, 5.0, 1.0, 2.0]))
    ranked = hits_from_lists(truth, lists, DEFAULT)
    assert ranked.hits.ranks.tolist() == [2]
    assert ranked.in_order("optimistic").ranks.tolist() == [1]
    assert ranked.anomalies.unknown.tolist() == [1]
    assert ranked.anomalies.repeated.tolist() == [1]


def test_missing_distances_are_not_tied_but_nan_scores_are():
    truth = truth_of(np.array([[0, 1, 0]]), np.array([-1]))
    lists = replace(ListArrays.of([[0, 1, 2]]), distances=np.array([np.nan, np.nan, np.nan]))
    assert hits_from_lists(truth, lists, DEFAULT).in_order("optimistic").ranks.tolist() == [2]
    by_score = hits_from_lists(truth, replace(lists, by_score=True), DEFAULT)
    assert by_score.in_order("optimistic").ranks.tolist() == [1]
    assert by_score.in_order("pessimistic").ranks.tolist() == [3]
    assert by_score.anomalies.nans.tolist() == [3]


def test_trec_ties_scores_equal_in_single_precision():
    truth = truth_of(np.array([[0, 1]]), np.array([-1]))
    lists = replace(ListArrays.of([[0, 1]]), distances=np.array([1.0, 1.0 + 1e-12]), by_score=True)
    trec = find_profile("trec")
    assert hits_from_lists(truth, lists, trec).in_order("optimistic").ranks.tolist() == [1]
    assert hits_from_lists(truth, lists, DEFAULT).in_order("optimistic").ranks.tolist() == [2]
    matrix = np.array([[1.0, 1.0 + 1e-12]])
    assert hits_from_matrix(truth, matrix, profile=trec).in_order("optimistic").ranks.tolist() == [1]


@given(seed=st.integers(0, 2**32 - 1), profile=st.sampled_from(PROFILES))
@settings(max_examples=60, deadline=None)
def test_lists_and_matrices_have_the_same_ties(seed, profile):
    random = np.random.default_rng(seed)
    levels = random.integers(0, 3, (3, 12))
    distances = random.integers(0, 4, (3, 12)).astype(float)
    truth = truth_of(levels, np.array([2, -1, 0]))
    lists = replace(ListArrays.of([range(12)] * 3), distances=distances.ravel(), by_score=True)
    by_list, by_matrix = hits_from_lists(truth, lists, profile), hits_from_matrix(truth, distances, profile=profile)
    for order in ORDERS:
        one, other = by_list.in_order(order), by_matrix.in_order(order)
        np.testing.assert_array_equal(one.ranks, other.ranks)
        np.testing.assert_array_equal(one.levels, other.levels)
        np.testing.assert_array_equal(one.list_length, other.list_length)
    np.testing.assert_array_equal(by_list.hits.own_rank, by_matrix.hits.own_rank)
    np.testing.assert_array_equal(by_list.anomalies.tied, by_matrix.anomalies.tied)


@given(seed=st.integers(0, 2**32 - 1), cut=st.integers(1, 13), self_match=st.sampled_from(["drop", "keep"]))
@settings(max_examples=60, deadline=None)
def test_lists_and_matrices_are_cut_after_the_same_lines(seed, cut, self_match):
    """The query itself is a line, whether it is removed afterwards or not."""
    random = np.random.default_rng(seed)
    distances = random.permuted(np.tile(np.arange(12.0), (3, 1)), axis=1)
    truth = truth_of(random.integers(0, 3, (3, 12)), np.array([2, -1, 0]))
    profile = replace(DEFAULT, list_cut=cut, cut_counts="lines", self_match=self_match)
    lists = ListArrays.of(np.argsort(distances, axis=1).tolist())
    one, other = hits_from_lists(truth, lists, profile).hits, hits_from_matrix(truth, distances, profile=profile).hits
    for name in ("query", "ranks", "levels", "list_length", "own_rank"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
