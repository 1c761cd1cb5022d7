"""The precision-recall graph with scopes: geometry, natural class sizes."""

import math

import numpy as np
from hit_tables import Case, table_of
from hypothesis import given, settings
from hypothesis import strategies as st

from shrec_viewer.metrics.generality.scope_graph import (
    CONFOUNDED,
    TRIS,
    by_class_size,
    default_scopes,
    reachable_region,
    scope_lines,
)

SOMETIMES = settings(max_examples=40, deadline=None)


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
def test_lines_are_inside_the_reachable_region(class_size, embedding):
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


# ------------------------------------------------------------------------------------------------- natural class sizes


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
