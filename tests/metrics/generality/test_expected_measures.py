"""Expected measures by generality: means, random baseline, loss per doubling, surface and curves."""

import math
from dataclasses import replace
from itertools import combinations, permutations

import numpy as np
import pytest
from hit_tables import Case, table_of
from hypothesis import given, settings
from hypothesis import strategies as st

from shrec_viewer.metrics import Curve, find_curve, find_measure, find_profile
from shrec_viewer.metrics.curves.generality_curves import GR2P_CURVE, GRIP_CURVE
from shrec_viewer.metrics.generality.embedding import embedding_of
from shrec_viewer.metrics.generality.expected_measures import (
    common_levels,
    expected_by_generality,
    last_doubling_loss,
    loss_per_doubling,
    random_baseline,
)
from shrec_viewer.metrics.generality.scope_graph import scope_points
from shrec_viewer.metrics.generality.surface import generality_surface

DEFAULT = find_profile("default")
SOMETIMES = settings(max_examples=30, deadline=None)
COMPLETE = st.lists(st.integers(0, 2), min_size=1, max_size=40).map(tuple)
TRUNCATED = st.builds(
    Case,
    gains=st.lists(st.integers(0, 2), max_size=30).map(tuple),
    lacking=st.lists(st.integers(0, 2), max_size=30).map(tuple),
    highest=st.just(2),
)


def equal_classes(queries=12, size=5, models=40, seed=1):
    """Complete lists with classes of one size, better than chance."""
    random = np.random.default_rng(seed)
    cases = []
    for _ in range(queries):
        keys = random.random(models)
        keys[:size] *= 0.5
        cases.append(Case(tuple((np.argsort(keys) < size).astype(int))))
    return table_of(cases)


# ------------------------------------------------------------------------------------------------- a range of values


@pytest.mark.parametrize(
    ("measure", "key", "options"),
    [
        ("recall", "GR1", {}),
        ("recall", "GR2", {"relevant_scope": 2.0}),
        ("AP", "AP", {}),
        ("DCG", "DCG", {}),
        ("NDCG", "NDCG", {}),
        ("E", "E", {}),
        ("AP", "AP(rel=2)", {"level": 2}),
        ("recall", "GR1(rel=2)", {"level": 2}),
    ],
)
def test_value_at_the_last_level_equals_the_measure(measure, key, options):
    random = np.random.default_rng(6)
    cases = [Case(tuple((random.random(60) < share) * random.integers(1, 3, 60))) for share in (0.1, 0.2, 0.4)]
    hits = table_of(cases)
    ends = embedding_of(hits, options.get("level", 1))
    levels = ends.doublings[ends.kind]
    swept = expected_by_generality(hits, DEFAULT, measure, doublings=levels, **options)
    measured = find_measure(key).evaluate(hits, DEFAULT)
    np.testing.assert_array_equal(np.diag(swept.lower), measured)
    np.testing.assert_array_equal(swept.lower, swept.upper)
    np.testing.assert_array_equal(np.isnan(swept.lower), levels[None, :] > levels[:, None])


def test_average_precision_over_the_retrieved_has_no_upper_bound():
    profile = replace(DEFAULT, ap_divisor="retrieved")
    hits = table_of([Case((0, 1, 0, 1), lacking=(1, 1, 0, 0)), Case((0, 0, 0), lacking=(1, 0))])
    swept = expected_by_generality(hits, profile, "AP", doublings=[1.0])
    np.testing.assert_array_equal(swept.lower, swept.upper)
    np.testing.assert_array_equal(swept.lower[0], find_measure("AP").evaluate(hits, profile)[:1])
    assert swept.lower[0, 0] == (1 / 2 + 2 / 4) / 2


@given(st.lists(TRUNCATED, min_size=1, max_size=4), st.sampled_from(["recall", "E", "AP", "DCG", "NDCG"]))
@SOMETIMES
def test_bounds_are_in_order_and_shares_are_shares(cases, measure):
    swept = expected_by_generality(table_of(cases), DEFAULT, measure, doublings=np.arange(0, 5, 0.3))
    some = ~np.isnan(swept.lower)
    np.testing.assert_array_equal(some, ~np.isnan(swept.upper))
    assert np.all(swept.lower[some] <= swept.value[some] + 1e-12)
    assert np.all(swept.value[some] <= swept.upper[some] + 1e-12)
    assert np.all(swept.lower[some] >= 0)
    if measure != "DCG":
        assert np.all(swept.upper[some] <= 1 + 1e-12)


@given(st.lists(COMPLETE, min_size=1, max_size=4), st.sampled_from([0.7, 1.0, 2.0, 3.0]))
@SOMETIMES
def test_recall_never_rises_with_the_embedding(lists, scope):
    swept = expected_by_generality(
        table_of([Case(gains) for gains in lists]), DEFAULT, relevant_scope=scope, doublings=np.arange(0, 5, 0.3)
    )
    for row in swept.lower:
        row = row[~np.isnan(row)]
        assert np.all(np.diff(row) <= 1e-12)


def test_truncated_list_has_bounds():
    """Worked by hand: one of two relevant models was seen, behind one irrelevant one; four models were not."""
    hits = table_of([Case((0, 1), lacking=(1, 0, 0, 0))])
    swept = expected_by_generality(hits, DEFAULT, doublings=[0.0, 1.0, math.log2(3)])
    # Nothing irrelevant: the second of two is found at rank 2 or never.
    # Two of four irrelevant ones: the one ahead stays with 1/2, then the first relevant stands at rank 2, still found.
    # The second would be within two places only if the one ahead goes, which is 1/2 as well.
    np.testing.assert_allclose(swept.lower, [[1 / 2, 1 / 2, 1 / 2]])
    np.testing.assert_allclose(swept.upper, [[1, (1 + 1 / 2) / 2, 1 / 2]])


def test_scopes_beyond_the_collection_have_no_value():
    hits = equal_classes()
    swept = expected_by_generality(hits, DEFAULT, relevant_scope=4.0, doublings=[0.0, 1.0, 1.99, 2.0, 2.5])
    np.testing.assert_array_equal(np.isnan(swept.lower[0]), [True, True, True, False, False])
    assert swept.lower[0, 3] == 1.0  # as many places as models
    np.testing.assert_allclose(swept.generality, [1, 0.5, 2**-1.99, 0.25, 2**-2.5])


def test_common_levels_start_at_the_scope_and_end_at_the_largest_class():
    hits = table_of([Case((1, 0, 0, 0, 0, 0, 0, 0)), Case((1, 1, 0, 0, 0, 0, 0, 0, 0)), Case((0, 0))])
    embedding = embedding_of(hits)
    np.testing.assert_allclose(common_levels(embedding, step=1.0), [0, 1, 2, math.log2(9 / 2)])
    np.testing.assert_allclose(common_levels(embedding, 3.0, step=1.0), [math.log2(3), 2, math.log2(9 / 2)])
    assert common_levels(embedding, 5.0).size == 0
    assert common_levels(embedding_of(table_of([Case((0, 0))]))).size == 0
    np.testing.assert_array_equal(common_levels(embedding_of(table_of([Case((1, 1))]))), [0.0])
    np.testing.assert_array_equal(common_levels(embedding_of(table_of([Case((1, 0))])), step=0.5), [0.0, 0.5, 1.0])


def test_means_are_over_the_same_queries_at_every_level():
    hits = table_of([Case((0, 1, 0, 0)), Case((1, 0)), Case((0, 0, 0))])
    swept = expected_by_generality(hits, DEFAULT, doublings=[0.0, 1.0, 2.0])
    np.testing.assert_allclose(swept.lower, [[1, 2 / 3, 0], [1, 1, np.nan], [np.nan] * 3])
    np.testing.assert_allclose(swept.mean()[0], [1, 5 / 6, np.nan])
    np.testing.assert_allclose(swept.mean(np.array([True, False, True]))[0], [1, 2 / 3, 0])
    assert np.isnan(swept.mean(np.zeros(3, bool))[1]).all()


def test_cancelled_between_levels():
    def stop():
        raise InterruptedError

    with pytest.raises(InterruptedError):
        expected_by_generality(equal_classes(), DEFAULT, checkpoint=stop)
    with pytest.raises(InterruptedError):
        generality_surface(equal_classes(), checkpoint=stop)


# ---------------------------------------------------------------------------------------- truncated lists, random order


@pytest.mark.parametrize("measure", ["recall", "E", "AP", "DCG", "NDCG"])
def test_unlisted_models_in_random_order_are_the_mean_over_all_completions(measure):
    """All orders of the unlisted models, one by one, in complete lists."""
    listed, unlisted = (0, 2, 0), (1, 2, 0, 0, 0)
    truncated = table_of([Case(listed, lacking=unlisted)])
    complete = table_of([Case(listed + order) for order in set(permutations(unlisted))])
    options = {"relevant_scope": 1.5} if measure == "recall" else {}
    levels = [math.log2(1.5), 1.0, 1.3]
    found = expected_by_generality(truncated, DEFAULT, measure, doublings=levels, **options).value[0]
    np.testing.assert_allclose(
        found, expected_by_generality(complete, DEFAULT, measure, doublings=levels, **options).value.mean(axis=0)
    )


@pytest.mark.parametrize("size", [2, 3, 5])
@pytest.mark.parametrize("length", [0, 3, 14])
def test_random_lists_of_any_length_have_recall_g_at_every_level(size, length):
    """The mean over all placements of the relevant models in a list of `length` of 14 models."""
    cases = []
    for relevant in combinations(range(14), size):
        gains = np.isin(np.arange(14), relevant).astype(int)
        cases.append(Case(tuple(gains[:length]), lacking=tuple(gains[length:])))
    hits = table_of(cases)
    levels = np.linspace(0, math.log2(14 / size), 23)[:-1]  # to the whole collection random lists are what they are
    np.testing.assert_allclose(expected_by_generality(hits, DEFAULT, doublings=levels).mean().value, 2.0**-levels)
    band = random_baseline(embedding_of(hits), levels)
    np.testing.assert_allclose(band.mean, 2.0**-levels)
    found = expected_by_generality(hits, DEFAULT, "E", doublings=levels).mean().value
    np.testing.assert_allclose(found, random_baseline(embedding_of(hits), levels, measure="E").mean)
    points = scope_points(hits, levels[-3], [0.5, 1.0, 1.7, 2.0])
    np.testing.assert_allclose(np.mean(points.x[:, 1:], axis=0), np.array([1.0, 1.7, 2.0]) * 2.0 ** -levels[-3])


@pytest.mark.parametrize(
    ("key", "measure", "scope"), [("GR2", "recall", 2.0), ("E", "E", 1.0), ("AP", "AP", 1.0), ("NDCG", "NDCG", 1.0)]
)
def test_in_the_whole_collection_a_truncated_list_has_the_value_of_the_measure(key, measure, scope):
    """Models behind the list are not retrieved there, as in tables; in smaller collections their ranks are a range."""
    hits = table_of([Case((0, 2, 0, 1), lacking=(1, 2, 1) + (0,) * 60, highest=2)])
    whole = float(embedding_of(hits).doublings[0])
    swept = expected_by_generality(hits, DEFAULT, measure, relevant_scope=scope, doublings=[whole - 0.5, whole])
    expected = find_measure(key).evaluate(hits, DEFAULT)[0]
    for values in (swept.value, swept.lower, swept.upper):
        assert values[0, 1] == pytest.approx(expected, abs=1e-12)
    assert swept.lower[0, 0] < swept.value[0, 0] < swept.upper[0, 0]
    kind = {"GR2": "GR2P", "E": "E(generality)"}.get(key)
    if kind is not None:
        curve = find_curve(kind).evaluate(hits, DEFAULT, 0)
        assert curve.y[0][~np.isnan(curve.y[0])][-1] == pytest.approx(expected, abs=1e-12)


def test_a_common_generality_is_the_whole_collection_only_if_it_is_for_all_queries():
    """Classes of 2 and 4 of 16 models: at -log2 g = 2 the larger one has all its irrelevant models, the other not."""
    cases = [Case((1,), (1, 1, 1) + (0,) * 12), Case((1,), (1,) + (0,) * 14)]
    both = expected_by_generality(table_of(cases), DEFAULT, doublings=[2.0])
    assert both.lower[0, 0] < both.value[0, 0] < both.upper[0, 0]
    alone = expected_by_generality(table_of(cases[:1]), DEFAULT, doublings=[2.0])
    assert alone.lower[0, 0] == alone.value[0, 0] == alone.upper[0, 0] == 1 / 4


def test_points_of_precision_and_recall_in_the_whole_collection_are_those_of_the_list():
    hits = table_of([Case((0, 2, 0, 1), lacking=(1, 2, 1) + (0,) * 60, highest=2)])
    whole = float(embedding_of(hits).doublings[0])
    points = scope_points(hits, whole, [2 / 5, 4 / 5, 2.0])
    np.testing.assert_allclose(points.x[0], [1 / 5, 2 / 5, 2 / 5])
    np.testing.assert_allclose(points.lower, points.upper)
    below = scope_points(hits, whole - 0.5, [2.0])
    assert below.lower[0, 0] < below.y[0, 0] < below.upper[0, 0]


def test_queries_without_results_have_value_0_and_no_bounds():
    hits = replace(table_of([Case((), lacking=(1, 1, 0, 0))]), missing=np.array([True]))
    for measure in ("recall", "E", "AP", "NDCG"):
        swept = expected_by_generality(hits, DEFAULT, measure, doublings=[0.5])
        assert swept.value[0, 0] == swept.lower[0, 0] == swept.upper[0, 0] == 0.0


def test_unknown_ids_are_no_models_of_the_e_measure():
    """A collection of 3 models, of which 2 are relevant, and a list of two unknown ids, both relevant ones, the third.

    E = 2 V(3) / (3 + 2) with V(3) = 1, as E@32. With two of the three irrelevant entries, both relevant models are
    within 3 ranks if one of the two is the last entry (2 of 3 pairs), else one of them; with one entry always.
    """
    hits = table_of([Case((0, 0, 1, 1, 0), collection=3)])
    swept = expected_by_generality(hits, DEFAULT, "E", doublings=np.log2([1, 3 / 2, 4 / 2, 5 / 2])).value[0]
    np.testing.assert_allclose(swept, [1, 2 * 2 / 5, 2 * (5 / 3) / 5, 2 / 5])
    assert find_measure("E").evaluate(hits, DEFAULT)[0] == pytest.approx(2 / 5)
    # Random orders of the five entries: 3 ranks hold 3 * 2 / 5 relevant models on average.
    band = random_baseline(embedding_of(hits), [math.log2(5 / 2)], measure="E")
    assert band.mean[0] == pytest.approx(2 * (6 / 5) / 5)


# ------------------------------------------------------------------------------------------------------ chance, losses


def test_random_band_for_19_of_1199():
    """Class size 19, d = 1199: g = .01585, standard deviation of one query .0284."""
    gains = (1,) * 19 + (0,) * 1180
    embedding = embedding_of(table_of([Case(gains)]))
    band = random_baseline(embedding, embedding.doublings)
    assert band.mean[0] == pytest.approx(19 / 1199)
    assert band.deviation[0] == pytest.approx(0.0284, abs=5e-5)
    many = embedding_of(table_of([Case(gains)] * 100))
    narrow = random_baseline(many, embedding.doublings, relevant_scope=2.0, confidence=0.99)
    assert narrow.mean[0] == pytest.approx(2 * 19 / 1199)
    spread = math.sqrt(38 * (19 / 1199) * (1 - 19 / 1199) * (1199 - 38) / 1198) / 19 / 10
    assert narrow.deviation[0] == pytest.approx(spread)
    assert narrow.high[0] == pytest.approx(2 * 19 / 1199 + 2.5758293 * spread)
    assert narrow.low[0] == pytest.approx(2 * 19 / 1199 - 2.5758293 * spread)


def test_random_lists_scatter_within_the_band():
    random = np.random.default_rng(12)
    sizes = (3, 3, 8)

    def random_lists():
        return table_of([Case(tuple((random.permutation(40) < size).astype(int))) for size in sizes])

    levels = [1.0, 2.0, math.log2(5)]
    means = np.array(
        [expected_by_generality(random_lists(), DEFAULT, doublings=levels[2:]).mean()[0] for _ in range(600)]
    )
    band = random_baseline(embedding_of(random_lists()), levels)
    np.testing.assert_allclose(band.mean, [0.5, 0.25, 0.2])
    assert abs(means.mean() - 0.2) < 4 * means.std() / math.sqrt(600)
    # The expectation over embeddings has less spread than one embedding; at the last level of the largest class only
    # the smaller ones are thinned. Single embeddings scatter exactly as said:
    single = []
    for _ in range(3000):
        found = []
        for size in sizes:
            whole = 5 * size
            found.append(np.sum(random.permutation(whole)[:size] < size) / size)
        single.append(np.mean(found))
    assert np.std(single) == pytest.approx(band.deviation[2], rel=0.06)
    inside = (np.array(single) >= band.low[2]) & (np.array(single) <= band.high[2])
    assert 0.93 < inside.mean() < 0.98


def test_the_band_is_undefined_where_queries_are_missing():
    embedding = embedding_of(table_of([Case((1, 0)), Case((1, 0, 0, 0)), Case((0, 0))]))
    band = random_baseline(embedding, [1.0, 1.5])
    assert band.mean[0] == 0.5
    assert np.isnan(band.mean[1])
    assert not np.isnan(random_baseline(embedding, [1.5], counted=np.array([False, True, True])).high).any()
    assert np.isnan(random_baseline(embedding, [1.0], counted=np.zeros(3, bool)).low).all()
    assert random_baseline(embedding, [0.0]).deviation[0] == 0.0


def test_losses_of_a_straight_line():
    x = np.array([1.0, 1.5, 2.25, 3.0, 4.0])
    y = 0.9 - 0.2 * x
    assert loss_per_doubling(x, y) == pytest.approx(0.2)
    assert last_doubling_loss(x, y) == pytest.approx(0.2)
    assert last_doubling_loss(x, np.where(x > 3.5, np.nan, y)) == pytest.approx(0.2)
    assert last_doubling_loss([0.0, 1.0, 2.0], [1.0, 0.9, 0.5]) == pytest.approx(0.4)
    assert loss_per_doubling([0.0, 1.0, 2.0], [1.0, 0.9, 0.5]) == pytest.approx(0.25)
    assert math.isnan(loss_per_doubling([1.0], [0.5]))
    assert math.isnan(loss_per_doubling([1.0, 2.0], [0.5, np.nan]))
    assert math.isnan(last_doubling_loss([1.0, 1.5], [0.5, 0.4]))
    assert math.isnan(last_doubling_loss([], []))


# --------------------------------------------------------------------------------------------------------- the surface


def test_surface_points_are_in_the_planes_of_their_scopes_and_its_diagonal_is_grip():
    hits = equal_classes()
    found = generality_surface(hits)
    np.testing.assert_allclose(found.precision * found.relevant_scopes, found.recall, rtol=1e-15)
    column = int(np.flatnonzero(found.relevant_scopes == 1.0)[0])
    swept = expected_by_generality(hits, DEFAULT)
    np.testing.assert_array_equal(found.doublings, swept.doublings)
    np.testing.assert_allclose(found.recall[:, column], swept.mean()[0], rtol=1e-15)
    assert found.queries == 12


def test_surface_covers_exactly_the_reachable_region():
    found = generality_surface(equal_classes(size=4, models=32))
    x, s = found.doublings[:, None], found.relevant_scopes[None, :]
    reachable = (s >= 1 / 4 - 1e-9) & (s <= 2**x + 1e-9)
    np.testing.assert_array_equal(~np.isnan(found.recall), reachable)
    p, r = found.precision[reachable], found.recall[reachable]
    g = np.broadcast_to(2.0**-x, found.recall.shape)[reachable]
    assert np.all((p >= g * r - 1e-12) & (p <= np.minimum(1, 4 * r) + 1e-12))
    whole = np.isclose(s, 2**x) & (x == np.round(x))  # the whole collection, in whole models
    np.testing.assert_array_equal(found.recall[whole], np.ones(4))


def test_the_surface_averages_the_counted_queries():
    hits = table_of([Case((0, 1, 0, 0)), Case((1, 0, 0, 0)), Case((0, 0, 0, 0))])
    both = generality_surface(hits, doublings=[2.0], relevant_scopes=[1.0, 2.0])
    np.testing.assert_allclose(both.recall, [[0.5, 1.0]])
    one = generality_surface(hits, doublings=[2.0], relevant_scopes=[1.0, 2.0], counted=np.array([True, False, True]))
    np.testing.assert_allclose(one.recall, [[0.0, 1.0]])
    assert (both.queries, one.queries) == (2, 1)
    nothing = generality_surface(table_of([Case((0, 0))]), doublings=[1.0])
    assert nothing.queries == 0
    assert np.isnan(nothing.recall).all()


def test_the_surface_knows_where_lists_end():
    """Rank 1 of any part is one of the list; at g = 1/2 two of six models are found at s = 2 c, or none of the two."""
    hits = table_of([Case((0, 1, 0, 0), lacking=(1, 1) + (0,) * 6)])
    whole = float(embedding_of(hits).doublings[0])
    found = generality_surface(hits, doublings=[1.0, whole], relevant_scopes=[1 / 3, 1.0, 2.0])
    np.testing.assert_array_equal(found.spread[1], 0.0)
    assert found.spread[0, 0] == 0.0
    assert found.spread[0, 1] > 0
    assert found.spread[0, 2] == pytest.approx(2 / 6)


# ---------------------------------------------------------------------------------------------------------- the curves


@pytest.mark.parametrize(("kind", "scope", "key"), [(GRIP_CURVE, 1, "GR1"), (GR2P_CURVE, 2, "GR2")])
@given(cases=st.lists(TRUNCATED, min_size=1, max_size=5), data=st.data())
@SOMETIMES
def test_curve_of_a_query_ends_in_the_measure_and_ignores_other_queries(kind: Curve, scope, key, cases, data):
    hits = table_of(cases)
    curve = kind.evaluate(hits, DEFAULT)
    ends = embedding_of(hits).doublings[embedding_of(hits).kind]
    np.testing.assert_array_equal(np.isnan(curve.x), np.isnan(curve.y))
    for query, measured in enumerate(find_measure(key).evaluate(hits, DEFAULT)):
        x, y = (values[query][~np.isnan(values[query])] for values in (curve.x, curve.y))
        if np.isnan(ends[query]) or ends[query] < math.log2(scope) - 1e-9:
            assert len(x) == 0
            continue
        assert x[-1] == ends[query]
        assert curve.lower[query][len(y) - 1] == measured
        assert curve.lower[query][len(y) - 1] <= y[-1] <= curve.upper[query][len(y) - 1] + 1e-12
        if sum(cases[query].lacking) == 0:
            assert y[-1] == measured
        assert np.all(np.diff(x) > 0)
        assert x[0] == math.log2(scope) or len(x) == 1
    query = data.draw(st.integers(0, len(cases) - 1))
    one = kind.evaluate(hits.rows(query, query + 1), DEFAULT)
    width = one.y.shape[1]
    np.testing.assert_array_equal(curve.y[query][:width], one.y[0])
    np.testing.assert_array_equal(curve.x[query][:width], one.x[0])
    assert np.isnan(curve.y[query][width:]).all()


@pytest.mark.parametrize(("kind", "scope"), [(GRIP_CURVE, 1.0), (GR2P_CURVE, 2.0)])
def test_the_mean_curve_is_averaged_where_all_queries_have_the_same_generality(kind, scope):
    hits = table_of([Case((0, 1, 0, 0, 0, 0)), Case((0, 1, 1, 0, 0, 0, 0, 0, 0, 0))])
    curve = kind.averaged().function(hits, DEFAULT, 100)
    swept = expected_by_generality(hits, DEFAULT, relevant_scope=scope)
    np.testing.assert_array_equal(curve.x, swept.doublings)
    np.testing.assert_array_equal(curve.y, swept.value)
    assert curve.x[-1] == pytest.approx(math.log2(5))
    assert not np.isnan(curve.y).any()
    assert curve.y[:, 0].tolist() == [1.0, 1.0]


def test_missing_query_has_value_0():
    hits = replace(table_of([Case((), lacking=(1, 1, 0, 0))]), missing=np.array([True]))
    curve = GRIP_CURVE.evaluate(hits, DEFAULT)
    np.testing.assert_array_equal(curve.y, np.zeros((1, 5)))
    np.testing.assert_array_equal(curve.x, [[0, 0.25, 0.5, 0.75, 1.0]])


@pytest.mark.parametrize("measure", ["recall", "E", "AP", "NDCG"])
def test_levels_of_few_queries_are_computed_together_and_equal_each_alone(measure):
    hits = table_of([Case((1, 0, 1), (1,), 90), Case((0, 0), (), 40), Case((), (1, 1), 60), Case((0, 1, 1))])
    hits, calls = replace(hits, missing=np.array([False, False, True, False])), []
    whole = embedding_of(hits).doublings
    levels = [-1.0, 0.0, 0.3, 1.0, 2.2, 40.0, *whole[~np.isnan(whole)]]
    found = expected_by_generality(hits, DEFAULT, measure, doublings=levels, checkpoint=lambda: calls.append(1))
    assert len(calls) == 1
    for index, level in enumerate(levels):
        alone = expected_by_generality(hits, DEFAULT, measure, doublings=level)
        for together, one in ((found.value, alone.value), (found.lower, alone.lower), (found.upper, alone.upper)):
            np.testing.assert_array_equal(together[:, index], one[:, 0])
