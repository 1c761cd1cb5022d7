"""The precision-recall graph with scopes: geometry, averages along scope lines, natural class sizes."""

import math

import numpy as np
import pytest
from hit_tables import Case, table_of
from hypothesis import given, settings
from hypothesis import strategies as st

from shrec_viewer.metrics import find_measure, find_profile
from shrec_viewer.metrics.generality.scope_graph import (
    CONFOUNDED,
    TRIS,
    average_by_generality,
    by_class_size,
    default_scopes,
    ideal_curve,
    points_on_scopes,
    random_curve,
    reachable_region,
    scope_lines,
)

DEFAULT = find_profile("default")
SOMETIMES = settings(max_examples=40, deadline=None)
COMPLETE = st.lists(st.integers(0, 1), min_size=2, max_size=40).map(tuple)


def is_inside(points: np.ndarray, class_size: int, collection: int) -> np.ndarray:
    """Whether (recall, precision) fulfil g r <= p <= min(1, c r)."""
    recall, precision = points[..., 0], points[..., 1]
    low, high = class_size / collection * recall, np.minimum(1, class_size * recall)
    return (precision >= low - 1e-12) & (precision <= high + 1e-12)


# ------------------------------------------------------------------------------------------------------------ geometry


def test_lines_of_figure_2a():
    """Class size 4: scopes 1, 2, 4, 8 and 16 of a collection of 100 models."""
    lines = scope_lines(np.array([1, 2, 4, 8, 16]) / 4, class_size=4, collection=100)
    np.testing.assert_array_equal(lines[:, 0], 0.0)
    np.testing.assert_allclose(lines[:, 1], [[0.25, 1], [0.5, 1], TRIS, [1, 0.5], [1, 0.25]])


def test_upper_left_half_is_unreachable_for_one_relevant_model():
    """Figure 2b: c = 1, so the first line is the diagonal, and the wedge has no corner on the left."""
    np.testing.assert_allclose(default_scopes(1, 8), [1, 2, 4, 8])
    np.testing.assert_allclose(reachable_region(1, 8), [[0, 0], [1, 1], [1, 1], [1, 1 / 8]])
    assert np.isnan(scope_lines([0.5, 0.99, 8.1], 1, 8)).all()
    assert np.isnan(scope_lines([0.24, 25.1], 4, 100)).all()


@given(st.integers(1, 30), st.integers(0, 200))
@SOMETIMES
def test_lines_and_curves_are_inside_the_reachable_region(class_size, embedding):
    collection = class_size + embedding
    scopes = default_scopes(class_size, collection)
    lines = scope_lines(scopes, class_size, collection)
    assert scopes[0] == 1 / class_size
    assert scopes[-1] == collection / class_size
    assert np.all(np.diff(scopes) > 0)
    assert np.all(is_inside(lines, class_size, collection))
    np.testing.assert_allclose(lines[:, 1, 1], lines[:, 1, 0] / scopes)
    wedge = reachable_region(class_size, collection)
    assert np.all(is_inside(wedge, class_size, collection))
    np.testing.assert_allclose(lines[0, 1], wedge[1])
    np.testing.assert_allclose(lines[-1, 1], wedge[3])
    for curve in (ideal_curve(class_size, collection), random_curve(class_size, collection)):
        points = np.stack([curve.x, curve.y], axis=1)
        assert np.all(is_inside(points[1:], class_size, collection))
        np.testing.assert_allclose(points[-1], [1, class_size / collection])
    ideal = ideal_curve(class_size, collection)
    assert (ideal.x[class_size - 1], ideal.y[class_size - 1]) == TRIS


def test_ideal_and_random_curves_equal_the_ideal_list_and_the_mean_over_all_orders():
    hits = table_of([Case((1, 1, 1, 0, 0, 0, 0))])
    ideal, scopes = ideal_curve(3, 7), np.arange(1, 8) / 3
    points = points_on_scopes(hits, scopes)
    np.testing.assert_allclose(points.x[0], ideal.x)
    np.testing.assert_allclose(points.y[0], ideal.y)
    every = table_of([Case(tuple(int(i in (a, b)) for i in range(5))) for a in range(5) for b in range(a)])
    random, mean = random_curve(2, 5), average_by_generality(every, np.arange(1, 6) / 2)[0]
    np.testing.assert_allclose(mean.recall, random.x)
    np.testing.assert_allclose(mean.precision, random.y)


# ------------------------------------------------------------------------------------------------------------ averages


@given(st.lists(COMPLETE, min_size=1, max_size=5))
@SOMETIMES
def test_points_are_the_measures_at_their_scopes_and_lie_on_their_lines(lists):
    hits = table_of([Case(gains) for gains in lists])
    scopes = np.array([0.25, 1.0, 1.5, 2.0, 7.0])
    points = points_on_scopes(hits, scopes)
    np.testing.assert_array_equal(points.y, points.x / scopes)
    for query, gains in enumerate(lists):
        size = sum(gains)
        for column, scope in enumerate(scopes):
            place = scope * size
            if size == 0 or place < 1 or place > len(gains):
                assert np.isnan(points.x[query, column])
                continue
            low, high = math.floor(place), min(math.floor(place) + 1, len(gains))
            found = sum(gains[:low]) + (place - low) * (sum(gains[:high]) - sum(gains[:low]))
            assert points.x[query, column] == pytest.approx(found / size, abs=1e-12)
    one = find_measure("GR1").evaluate(hits, DEFAULT)
    np.testing.assert_array_equal(points.x[:, 1], one)


def test_each_average_is_of_one_generality():
    """Two queries share c = 2 of d = 6; a third has the same generality with c = 1 of 3; a fourth another one."""
    cases = [Case((1, 0, 1, 0, 0, 0)), Case((0, 0, 1, 1, 0, 0)), Case((0, 1, 0)), Case((1, 0, 0, 0)), Case((0, 0))]
    means = average_by_generality(table_of(cases), [0.5, 1.0, 2.0, 3.0])
    assert [(mean.class_size, mean.collection, mean.queries) for mean in means] == [(1, 3, 1), (2, 6, 2), (1, 4, 1)]
    assert [round(2**mean.doublings, 9) for mean in means] == [3, 3, 4]
    np.testing.assert_allclose(means[1].recall, [(1 / 2 + 0) / 2, (1 / 2 + 0) / 2, (1 + 1) / 2, 1])
    np.testing.assert_allclose(means[1].precision, [(1 + 0) / 2, (1 / 2 + 0) / 2, (2 / 4 + 2 / 4) / 2, 1 / 3])
    np.testing.assert_allclose(means[0].recall, [np.nan, 0, 1, 1])
    only = average_by_generality(table_of(cases), [1.0], counted=np.array([False, True, False, False, True]))
    assert [(mean.class_size, mean.queries, mean.recall.tolist()) for mean in only] == [(2, 1, [0.0])]


def test_queries_of_one_generality_have_equal_means_over_queries_and_over_classes():
    """Section 3.4: classes of one size each queried by all members give micro = macro at every scope."""
    random = np.random.default_rng(2)
    lists = [tuple((random.permutation(30) < 4).astype(int)) for _ in range(20)]
    scopes = np.arange(1, 31) / 4
    points = points_on_scopes(table_of([Case(gains) for gains in lists]), scopes)
    mean = average_by_generality(table_of([Case(gains) for gains in lists]), scopes)[0]
    of_classes = points.x.reshape(4, 5, -1).mean(axis=1).mean(axis=0)
    np.testing.assert_allclose(mean.recall, of_classes, rtol=1e-14)
    np.testing.assert_allclose(mean.precision, points.y.mean(axis=0), rtol=1e-14)


def test_natural_class_sizes_in_one_collection():
    cases = [Case((1, 0, 0, 0, 0, 0)), Case((0, 0, 1, 0, 0, 0)), Case((1, 0, 1, 0, 1, 0)), Case((0, 0, 0, 0, 0, 0))]
    found = by_class_size(table_of(cases))
    assert [(point.class_size, point.collection, point.queries) for point in found] == [(3, 6, 1), (1, 6, 2)]
    np.testing.assert_allclose([point.doublings for point in found], [1, math.log2(6)])
    np.testing.assert_allclose([point.recall.mean for point in found], [2 / 3, 1 / 2])
    assert math.isnan(found[0].recall.low)
    assert (found[1].recall.low, found[1].recall.high) == (0.0, 1.0)
    assert [point.class_size for point in by_class_size(table_of(cases), relevant_scope=3.0)] == [1]
    assert by_class_size(table_of(cases), relevant_scope=3.0)[0].recall.mean == 1.0
    as_classes = by_class_size(table_of(cases), labels=[5, 5, 6, 6])
    assert (as_classes[1].recall.units, as_classes[1].queries) == (1, 2)
    assert len(by_class_size(table_of(cases), counted=np.array([True, False, False, True]))) == 1
    assert CONFOUNDED.endswith(".")
