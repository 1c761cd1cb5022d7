"""Ranks from matrices against a stable sort of every row: ties, not-a-number, infinities, signed zeros, blocks."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from hit_tables import as_triples, truth_of
from hypothesis import given, settings
from hypothesis import strategies as st

from shrec_viewer.metrics import find_profile
from shrec_viewer.metrics.ranking import matrix_ranking
from shrec_viewer.metrics.ranking.hit_table import order_of_row
from shrec_viewer.metrics.ranking.matrix_ranking import (
    hits_from_matrix,
    row_distances,
    select_columns,
    tie_offsets,
)

DEFAULT = find_profile("default")
ODD = np.array([0.0, -0.0, 1.0, 1.0, 2.5, np.inf, -np.inf, np.nan, -1.0, 1.0 + 2**-52])


def slow_hits(levels, members, values, rows, columns, profile, similarity):
    """(query, rank, level) of every hit, list lengths, own ranks and NaN counts, by sorting whole rows in Python."""
    hits, lengths, own_ranks, nans = [], [], [], []
    for query in range(len(levels)):
        if rows[query] < 0:
            lengths.append(0), own_ranks.append(0), nans.append(0)
            continue
        keys = []
        for column, model in enumerate(columns):
            value = float(values[rows[query], column])
            keys.append((np.isnan(value), 0.0 if np.isnan(value) else (-value if similarity else value), column, model))
        kept = [key for key in sorted(keys) if key[3] >= 0 or profile.unknown == "keep"]
        own = int(members[query]) if profile.self_match == "drop" else -1
        own_ranks.append(next((rank for rank, key in enumerate(kept, 1) if own >= 0 and key[3] == own), 0))
        kept = [key for key in kept if own < 0 or key[3] != own]
        nans.append(sum(key[0] for key in kept))
        kept = kept[: profile.list_cut]
        lengths.append(len(kept))
        for rank, (_, _, _, model) in enumerate(kept, 1):
            if model >= 0 and levels[query, model] > 0:
                hits.append((query, rank, int(levels[query, model])))
    return hits, lengths, own_ranks, nans


@st.composite
def problems(draw):
    """Queries inside and outside the collection, columns in any order, some of them strangers, some models without."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_models, n_queries, n_columns = draw(st.integers(1, 30)), draw(st.integers(1, 8)), draw(st.integers(0, 40))
    levels = random.integers(0, 4, (n_queries, n_models)) * (random.random((n_queries, n_models)) < 0.5)
    members = np.where(random.random(n_queries) < 0.7, random.integers(0, n_models, n_queries), -1)
    columns = np.full(n_columns, -1, np.int64)
    models = random.permutation(n_models)[:n_columns]
    columns[random.permutation(n_columns)[: len(models)]] = models
    rows = np.where(random.random(n_queries) < 0.8, random.permutation(n_queries), -1)
    palette = draw(st.sampled_from([ODD, np.arange(3.0), np.zeros(1), np.linspace(0, 1, 997), np.array([np.nan])]))
    values = random.choice(palette, (n_queries, n_columns)).astype(draw(st.sampled_from([np.float32, np.float64])))
    return levels, members, values, rows, columns


@given(
    problem=problems(),
    similarity=st.booleans(),
    profile=st.builds(
        replace,
        st.just(DEFAULT),
        self_match=st.sampled_from(["drop", "keep"]),
        unknown=st.sampled_from(["drop", "keep"]),
        list_cut=st.sampled_from([None, None, 1, 5]),
    ),
    block_values=st.sampled_from([1, 50, 1 << 18]),
)
@settings(max_examples=300, deadline=None)
def test_equals_a_stable_sort_of_whole_rows(problem, similarity, profile, block_values):
    levels, members, values, rows, columns = problem
    found = hits_from_matrix(
        truth_of(levels, members),
        values,
        rows.astype(np.int32),
        columns.astype(np.int32),
        profile,
        similarity=similarity,
        block_values=block_values,
    )
    expected, lengths, own_ranks, nans = slow_hits(levels, members, values, rows, columns, profile, similarity)
    assert as_triples(found.hits) == expected
    assert found.hits.list_length.tolist() == lengths
    assert found.hits.own_rank.tolist() == own_ranks
    assert found.anomalies.nans.tolist() == nans
    assert found.hits.missing.tolist() == (rows < 0).tolist()
    dropped = members >= 0 if profile.self_match == "drop" else np.zeros(len(members), bool)
    assert found.hits.collection_size.tolist() == (levels.shape[1] - dropped).tolist()
    for query in range(len(levels)):
        for level in range(1, found.hits.highest_level + 1):
            own = dropped[query] and levels[query, members[query]] == level
            assert found.hits.class_sizes[query, level - 1] == (levels[query] == level).sum() - own
    assert np.all(found.found.earliest <= found.found.ranks)
    assert np.all(found.found.latest >= found.found.ranks)


@given(problem=problems(), similarity=st.booleans())
@settings(max_examples=100, deadline=None)
def test_the_full_order_of_a_row_agrees_with_the_ranks(problem, similarity):
    levels, members, values, rows, columns = problem
    found = hits_from_matrix(
        truth_of(levels, members),
        values,
        rows.astype(np.int32),
        columns.astype(np.int32),
        DEFAULT,
        similarity=similarity,
    ).hits
    order = select_columns(columns.astype(np.int32), levels.shape[1], DEFAULT)
    for query in np.flatnonzero(rows >= 0):
        distances = row_distances(values, rows[query : query + 1], order, DEFAULT, similarity)[0]
        own = int(order.of_model[members[query]]) if members[query] >= 0 else -1
        listed = order_of_row(distances, own)
        kept = np.arange(len(columns)) if order.kept is None else order.kept
        models = columns[kept[listed]]
        assert len(models) == found.list_length[query]
        first, last = found.indptr[query], found.indptr[query + 1]
        at_ranks = models[found.ranks[first:last] - 1]
        np.testing.assert_array_equal(levels[query, at_ranks], found.levels[first:last])


SPECIAL = [0.0, -0.0, np.nan, -np.nan, np.inf, -np.inf, 1.0, -1.0, 1e-40, -1e-40, 3.4e38, -3.4e38]
"""Signed zeros, subnormal and largest numbers of single precision."""


@given(
    st.lists(st.sampled_from(SPECIAL) | st.floats(-2, 2, width=32), max_size=40),
    st.booleans(),
    st.integers(-1, 39),
    st.integers(0, 2**32 - 1),
)
def test_order_of_single_precision_is_the_stable_one(values, has_tie_rank, own, seed):
    row = np.array(values, np.float32)
    tie_rank = np.random.default_rng(seed).permutation(len(row)) if has_tie_rank else np.arange(len(row))
    expected = sorted(
        range(len(row)), key=lambda i: (bool(np.isnan(row[i])), row[i] if row[i] == row[i] else 0.0, tie_rank[i])
    )
    found = order_of_row(row, own, tie_rank if has_tie_rank else None)
    assert found.tolist() == [column for column in expected if column != own]
    assert found.dtype == np.int64


def test_range_of_a_tie_without_the_query_in_it():
    """Distances 1 1 1 2 with the query in column 1: its equals lose one place, never the first column."""
    truth = truth_of(np.array([[1, 1, 1, 1]]), np.array([1]))
    columns = np.arange(4, dtype=np.int32)
    found = hits_from_matrix(truth, np.array([[1.0, 1, 1, 2]]), np.array([0], np.int32), columns, DEFAULT)
    assert found.hits.ranks.tolist() == [1, 2, 3]
    assert found.found.earliest.tolist() == [1, 1, 3]
    assert found.found.latest.tolist() == [2, 2, 3]
    assert found.hits.own_rank.tolist() == [2]


def test_signed_zeros_are_equal_and_rank_by_column():
    truth = truth_of(np.array([[0, 1, 2]]), np.array([-1]))
    values = np.array([[0.0, -0.0, 0.0]], np.float32)
    found = hits_from_matrix(truth, values, np.array([0], np.int32), np.arange(3, dtype=np.int32), DEFAULT)
    assert found.hits.ranks.tolist() == [2, 3]
    assert found.found.earliest.tolist() == [1, 1]


def test_not_a_number_is_worse_than_infinity_in_both_directions():
    truth = truth_of(np.array([[1, 1, 1]]), np.array([-1]))
    for similarity in (False, True):
        worst = -np.inf if similarity else np.inf
        values = np.array([[np.nan, worst, np.nan]])
        found = hits_from_matrix(
            truth, values, np.array([0], np.int32), np.arange(3, dtype=np.int32), DEFAULT, similarity=similarity
        )
        order = order_of_row(-values[0] if similarity else values[0])
        assert order.tolist() == [1, 0, 2]
        assert found.hits.ranks.tolist() == [1, 2, 3]
        assert found.anomalies.nans.tolist() == [2]


def test_trec_ties_are_in_single_precision_with_ids_descending():
    profile = replace(DEFAULT, ties="trec")
    truth = truth_of(np.array([[0, 1, 0, 2]]), np.array([-1]))
    values = np.array([[1.0, 1.0 + 1e-12, 5.0, 1.0]])
    tie_order = np.array([3, 2, 1, 0])  # ids a b c d
    found = hits_from_matrix(
        truth, values, np.array([0], np.int32), np.arange(4, dtype=np.int32), profile, tie_order=tie_order
    )
    assert found.hits.ranks.tolist() == [1, 2]  # d, b, a, then c
    assert found.hits.levels.tolist() == [2, 1]


def test_huge_scores_overflow_without_a_warning():
    profile = replace(DEFAULT, ties="trec")
    truth = truth_of(np.array([[0, 1]]), np.array([-1]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = hits_from_matrix(
            truth,
            np.array([[1e300, -1e300]]),
            np.array([0], np.int32),
            np.arange(2, dtype=np.int32),
            profile,
            tie_order=np.array([0, 1]),
        )
    assert found.hits.ranks.tolist() == [1]


def test_cancelled_at_a_checkpoint():
    truth = truth_of(np.ones((4, 3), int), np.full(4, -1))
    calls = []

    def cancel_pending():
        calls.append(1)
        if len(calls) == 3:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        hits_from_matrix(
            truth,
            np.zeros((4, 3)),
            np.arange(4, dtype=np.int32),
            np.arange(3, dtype=np.int32),
            DEFAULT,
            block_values=3,
            checkpoint=cancel_pending,
        )
    assert len(calls) == 3


@pytest.mark.parametrize("n_columns", [1, 16, 17, 60])
@pytest.mark.parametrize("palette", [[0.0, 1.0], [0.0, np.nan], [np.nan], list(range(40))], ids=str)
def test_tie_offsets_of_few_and_many_columns(n_columns, palette):
    random = np.random.default_rng(n_columns)
    distances = random.choice(np.array(palette, np.float32), 80)
    columns = random.permutation(80)[:n_columns]
    same = [(distances == value) | (np.isnan(distances) & np.isnan(value)) for value in distances[columns]]
    expected = [int(row[:column].sum()) for row, column in zip(same, columns, strict=True)]
    assert tie_offsets(distances, columns).tolist() == expected
    order = random.permutation(80)
    before = order[None, :] < order[columns, None]
    by_order = [int((row & earlier).sum()) for row, earlier in zip(same, before, strict=True)]
    assert tie_offsets(distances, columns, order).tolist() == by_order


WIDE_ROWS = {
    "uniform": lambda random, size: random.random(size),
    "normal": lambda random, size: random.normal(0, 1, size),
    "few values": lambda random, size: random.integers(0, 50, size) / 7,
    "one far value": lambda random, size: np.append(random.random(size - 1), 1e30),
    "far values": lambda random, size: np.append(random.random(size - 60), random.choice([-9e3, 5e3, 3e4], 60)),
    "heavy tails": lambda random, size: random.standard_cauchy(size),
    "denormal": lambda random, size: random.integers(0, 2000, size) * 2.0**-149,
    "tiny range": lambda random, size: 1 + random.integers(0, 3, size) * 2.0**-23,
    "range beyond float32": lambda random, size: random.choice([-3e38, 0.0, 1.0, 3e38], size),
    "signed zeros": lambda random, size: random.choice([0.0, -0.0, 1.0, -1.0], size),
    "constant": lambda random, size: np.full(size, 0.25),
    "not a number": lambda random, size: np.where(random.random(size) < 0.1, np.nan, random.random(size)),
    "infinite": lambda random, size: np.where(random.random(size) < 0.1, np.inf, random.random(size)),
    "least similar": lambda random, size: np.where(random.random(size) < 0.1, -np.inf, random.random(size)),
}


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("kind", WIDE_ROWS)
def test_counts_equal_those_of_a_binary_search_in_each_row(kind, dtype):
    random = np.random.default_rng(20)
    with np.errstate(over="ignore", under="ignore"):
        rows = np.stack([WIDE_ROWS[kind](random, 1000) for _ in range(3)]).astype(dtype)
    row = np.sort(random.integers(0, 3, 90))
    values = rows[row, random.integers(0, 1000, 90)]
    before, until = matrix_ranking._counts_around(rows, row, values)
    keys = np.sort(rows, axis=1)
    assert before.tolist() == [keys[k].searchsorted(value) for k, value in zip(row, values, strict=True)]
    assert until.tolist() == [keys[k].searchsorted(value, "right") for k, value in zip(row, values, strict=True)]
