"""First ranks of lists equal those of the full lists, for any number of ranks, blocks of the matrix and profile."""

from dataclasses import replace
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from independent_loaders import collection_of, pairs_of, queries_of

from shrec_viewer.domain import Benchmark, DistanceMatrix, EditedAssessment, RankedLists, Run, descending_ranks
from shrec_viewer.evaluation.plots.confusion import tier_lists
from shrec_viewer.evaluation.ranked_list import ListHeads, ranked_list
from shrec_viewer.formats.matrices.matrix_blocks import BlockMatrix
from shrec_viewer.metrics import PROFILES
from shrec_viewer.metrics.ranking.hit_table import head_of_row, order_of_row

IDS = ("m10", "m9", "a", "Z", "é", "m09", "b")
N = len(IDS)
VALUES = [0.0, -0.0, 0.25, 0.25, 1.0, 2.0, -1.0, np.nan, np.inf, -np.inf]
DISTANCES = st.sampled_from(VALUES)

PROFILE = st.builds(
    replace,
    st.sampled_from(PROFILES),
    self_match=st.sampled_from(["drop", "keep"]),
    ties=st.sampled_from(["file", "index", "trec"]),
    unknown=st.sampled_from(["drop", "keep"]),
    not_a_number=st.sampled_from(["last", "drop"]),
    infinite=st.sampled_from(["rank", "drop"]),
    list_cut=st.sampled_from([None, 1, 3, 100]),
)


@st.composite
def matrix_runs(draw) -> Run:
    """A matrix in blocks of rows or columns; some columns are no models."""
    columns = draw(st.permutations([*range(N), -1, -1]))[: draw(st.integers(1, N + 2))]
    values = np.array(
        draw(st.lists(st.lists(DISTANCES, min_size=len(columns), max_size=len(columns)), min_size=3, max_size=3))
    )
    axis = draw(st.integers(0, 1))
    cuts = sorted(draw(st.sets(st.integers(1, values.shape[axis]), max_size=3)))
    blocks = tuple(block.astype(np.float32) for block in np.split(values, cuts, axis) if block.size)
    ids = tuple(IDS[column] if column >= 0 else f"x{index}" for index, column in enumerate(columns))
    rows = np.array(draw(st.sampled_from([[0, 1, 2], [2, -1, 0]])), np.int32)
    matrix = DistanceMatrix(
        BlockMatrix(blocks, axis),
        rows,
        np.array(columns, np.int32),
        draw(st.booleans()),
        draw(st.sampled_from([(), ids])),
    )
    return Run("A", "A", Path("A"), matrix)


@st.composite
def list_runs(draw) -> Run:
    """Ranked lists with repeated and unknown ids."""
    lists = draw(st.lists(st.lists(st.integers(-1, N - 1), max_size=9), min_size=3, max_size=3))
    items = np.array([item for entries in lists for item in entries], np.int32)
    distances = np.array(draw(st.lists(DISTANCES, min_size=len(items), max_size=len(items))), np.float64)
    unknown = np.where(items < 0, np.arange(len(items)) % 2, -1).astype(np.int32)
    indptr = np.cumsum([0, *map(len, lists)]).astype(np.int64)
    ranking = RankedLists(
        indptr, items, draw(st.sampled_from([None, distances])), np.ones(3, bool), False, unknown, ("m1", "n")
    )
    if ranking.distances is not None:
        ranking = replace(ranking, by_score=draw(st.booleans()))
    return Run("A", "A", Path("A"), ranking)


@st.composite
def benchmarks(draw) -> Benchmark:
    """Seven models and three queries, some of which are models."""
    member = np.array(draw(st.sampled_from([[-1, -1, -1], [0, 3, 6]])), np.int32)
    levels = st.dictionaries(st.integers(0, N - 1), st.integers(1, 3), max_size=5)
    assessment = draw(st.sampled_from([None, pairs_of([draw(levels) for _ in range(3)])]))
    if assessment is not None and draw(st.booleans()):
        assessment = EditedAssessment(assessment, {0: {1: 0, 2: 3}, 2: {0: 1}})
    return Benchmark(
        name="heads",
        root=Path("heads"),
        collection=collection_of(IDS),
        queries=queries_of(("q0", "q1", "q2"), np.full(3, -1), member),
        assessment=assessment,
        runs=(draw(st.one_of(matrix_runs(), list_runs())),),
    )


@given(benchmarks(), PROFILE, st.integers(0, N + 4))
def test_a_head_is_the_beginning_of_the_full_list(benchmark, profile, count):
    heads = ListHeads(benchmark, benchmark.runs[0], profile)
    for query in range(3):
        head, full = heads.head(query, count), ranked_list(benchmark, benchmark.runs[0], query, profile)
        for name in ("items", "distances", "levels"):
            part, whole = getattr(head, name), getattr(full, name)
            assert part.dtype == whole.dtype
            np.testing.assert_array_equal(part, whole[:count], strict=True)
        assert len(head) == min(count, len(full))


@given(benchmarks(), PROFILE)
def test_tiers_are_the_beginnings_of_the_full_lists(benchmark, profile):
    tiers = tier_lists(benchmark, benchmark.runs[0], profile)
    for query in range(3):
        items = tiers.items[tiers.indptr[query] : tiers.indptr[query + 1]]
        full = ranked_list(benchmark, benchmark.runs[0], query, profile).items
        assert items.tolist() == full[: 2 * tiers.sizes[query]].tolist()


@given(
    st.lists(DISTANCES, max_size=30),
    st.integers(0, 33),
    st.integers(-1, 29),
    st.sampled_from([None, "reversed", "random"]),
)
def test_the_first_columns_of_a_row_are_in_the_order_of_all(values, count, own, ties):
    row = np.array(values, np.float32)
    own = own if own < len(row) else -1
    order = np.random.default_rng(1).permutation(len(row)) if ties == "random" else np.arange(len(row))[::-1]
    tie_rank = None if ties is None else order.astype(np.int64)
    expected = order_of_row(row, own, tie_rank)[:count]
    assert head_of_row(row, count, own, tie_rank).tolist() == expected.tolist()


@given(st.lists(st.text(st.characters(), max_size=3), unique=True, max_size=12))
def test_ids_are_in_the_order_of_their_bytes(names):
    by_bytes = sorted(names, key=lambda name: name.encode("utf-8", "surrogatepass"), reverse=True)
    assert [names[index] for index in np.argsort(descending_ranks(names))] == by_bytes
