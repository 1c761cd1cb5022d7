"""Truths from classes and from pairs are equal; levels are looked up by group."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from shrec_viewer.metrics import ListArrays, classes_as_truth, hits_from_lists, hits_from_matrix, pairs_as_truth


@given(
    labels=st.lists(st.integers(-1, 4), min_size=1, max_size=20),
    query_labels=st.one_of(st.none(), st.lists(st.integers(-1, 6), max_size=8)),
    seed=st.integers(0, 2**32 - 1),
)
@settings(max_examples=100, deadline=None)
def test_classes_and_pairs_give_equal_truths(labels, query_labels, seed):
    classes = classes_as_truth(labels, query_labels)
    queries = labels if query_labels is None else query_labels
    rows = [{i: 1 for i, own in enumerate(labels) if own == label and label >= 0} for label in queries]
    members = list(range(len(labels))) if query_labels is None else [-1] * len(queries)
    pairs = pairs_as_truth(rows, len(labels), members)
    random = np.random.default_rng(seed)
    distances = random.integers(0, 9, (len(queries), len(labels))).astype(float)
    lists = ListArrays.of([random.permutation(len(labels)) for _ in queries])
    for one, other in (
        (hits_from_matrix(classes, distances).hits, hits_from_matrix(pairs, distances).hits),
        (hits_from_lists(classes, lists).hits, hits_from_lists(pairs, lists).hits),
    ):
        for field in ("indptr", "ranks", "levels", "list_length", "class_sizes", "collection_size"):
            np.testing.assert_array_equal(getattr(one, field), getattr(other, field))


@given(
    rows=st.lists(st.dictionaries(st.integers(0, 9), st.integers(-1, 3)), min_size=1, max_size=6),
    start=st.integers(0, 5),
    seed=st.integers(0, 2**32 - 1),
)
@settings(max_examples=100, deadline=None)
def test_levels_equal_those_of_the_rows(rows, start, seed):
    truth = pairs_as_truth(rows, n_models=10)
    start = min(start, len(rows) - 1)
    random = np.random.default_rng(seed)
    query = np.sort(random.integers(0, len(rows) - start, 30))
    items = random.integers(-1, 10, 30)
    expected = [
        0 if item < 0 else max(rows[start + q].get(item, 0), 0)
        for q, item in zip(query.tolist(), items.tolist(), strict=True)
    ]
    assert truth.levels_of(start, len(rows), query, items).tolist() == expected
    assert truth.highest_level == max([1, *(level for row in rows for level in row.values())])
