"""Confusion of classes: contents of the first and second tiers of all lists."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Benchmark, Run
from shrec_viewer.evaluation.evaluate import Progress, make_checkpoint, never_cancelled
from shrec_viewer.evaluation.ranked_list import ListHeads
from shrec_viewer.metrics import Profile

#: First tier: the first C ranks, where C is the number of relevant models; second tier: the first 2 C ranks.
Tier = Literal[1, 2]


@dataclass(frozen=True, eq=False)
class TierLists:
    """The first 2 C ranks of all lists of one run, as compressed sparse rows (CSR).

    Attributes
    ----------
    run : its name.
    indptr : (Q + 1,) int64; the ranks of query q are ``indptr[q]:indptr[q + 1]``, best first.
    items : (nnz,) int32, models; negative for ids that are not in the collection.
    sizes : (Q,) int64, C of each query: its relevant models, without itself if the profile excludes it. A query without
        relevant models has no tiers.
    """

    run: str
    indptr: NDArray[np.int64]
    items: NDArray[np.int32]
    sizes: NDArray[np.int64]

    @cached_property
    def query(self) -> NDArray[np.int64]:
        """(nnz,) int64, query of each entry."""
        return np.repeat(np.arange(len(self.sizes)), np.diff(self.indptr))

    @cached_property
    def rank(self) -> NDArray[np.int64]:
        """(nnz,) int64, 1-based rank of each entry."""
        return np.arange(len(self.items)) - self.indptr[self.query] + 1

    @cached_property
    def tier(self) -> NDArray[np.uint8]:
        """(nnz,) uint8, 1 in the first tier, 2 in the ranks that the second adds."""
        return np.where(self.rank <= self.sizes[self.query], 1, 2).astype(np.uint8)


@dataclass(frozen=True, eq=False)
class Confusion:
    """Distribution of the models in one tier over the classes.

    Attributes
    ----------
    tier : 1 or 2.
    rows : (K,) int32, classes that have queries with relevant models, in the order of the classification.
    columns : (L,) int32, classes that have models, in the same order.
    shares : (K, L) float64 in [0, 1], mean over the queries of class k of the share of models of class l in the tier. A
        row sums to less than 1 if lists are short or models have no class. The share of the own class is the tier
        measure, if the assessment is by class and lists are long enough.
    queries : (K,) int64, number of queries of each row.

    Source: Princeton Shape Benchmark, program SimMat (tier image), summed over classes.
    """

    tier: Tier
    rows: NDArray[np.int32]
    columns: NDArray[np.int32]
    shares: NDArray[np.float64]
    queries: NDArray[np.int64]


def tier_lists(
    benchmark: Benchmark,
    run: Run,
    profile: Profile,
    *,
    cancelled: Callable[[], bool] = never_cancelled,
    progress: Progress | None = None,
) -> TierLists:
    """The entries of both tiers of every query of `run`, ranked under `profile`.

    Raises
    ------
    Cancelled
        If `cancelled()` returns True.
    """
    n_queries = len(benchmark.queries)
    sizes = np.zeros(n_queries, np.int64)
    found: list[NDArray[np.int32]] = []
    heads, checkpoint = ListHeads(benchmark, run, profile), make_checkpoint(cancelled)
    for query in range(n_queries):
        checkpoint()
        sizes[query] = _relevant_count(benchmark, query, profile)
        found.append(heads.head(query, 2 * int(sizes[query])).items if sizes[query] else np.zeros(0, np.int32))
        if progress is not None:
            progress(query + 1, n_queries, "query")
    indptr = np.zeros(n_queries + 1, np.int64)
    np.cumsum([len(items) for items in found], out=indptr[1:])
    return TierLists(run.name, indptr, np.concatenate([np.zeros(0, np.int32), *found]), sizes)


def _relevant_count(benchmark: Benchmark, query: int, profile: Profile) -> int:
    if benchmark.assessment is None:
        return 0
    items, _ = benchmark.assessment.relevant(query)
    own = int(benchmark.queries.member[query])
    return len(items) - int(profile.self_match == "drop" and own >= 0 and own in items)


def confusion(tiers: TierLists, benchmark: Benchmark, tier: Tier) -> Confusion:
    """Confusion of one tier by class of the query and class of the model.

    Raises
    ------
    ValueError
        If the benchmark has no classification.
    """
    if benchmark.classification is None:
        raise ValueError("a confusion of classes needs a classification")
    labels, of_queries = benchmark.classification.labels, benchmark.queries.labels
    is_row = (tiers.sizes > 0) & (of_queries >= 0)  # queries of the map: with relevant models and a class
    rows = np.unique(of_queries[is_row]).astype(np.int32)
    columns = benchmark.classification.leaves
    query, items = tiers.query, tiers.items
    counted = is_row[query] & (items >= 0) & (tiers.rank <= tier * tiers.sizes[query])
    query, items = query[counted], items[counted]
    known = labels[items] >= 0
    query, items = query[known], items[known]
    row, column = np.searchsorted(rows, of_queries[query]), np.searchsorted(columns, labels[items])
    weight = 1.0 / (tier * tiers.sizes[query])
    sums = np.bincount(row * len(columns) + column, weight, len(rows) * len(columns))
    queries = np.bincount(np.searchsorted(rows, of_queries[is_row]), minlength=len(rows)).astype(np.int64)
    shares = sums.reshape(len(rows), len(columns)) / np.maximum(queries, 1)[:, None]
    return Confusion(tier, rows, columns, shares, queries)


def largest_confusions(found: Confusion, limit: int) -> list[tuple[int, int]]:
    """Row and column of the cells of different classes with the largest shares, largest first; none with share 0.

    Equal shares are in the order of the classes.
    """
    shares = np.where(found.rows[:, None] == found.columns[None, :], 0.0, found.shares)
    order = np.argsort(-shares, axis=None, kind="stable")[: max(limit, 0)]
    cells = [(int(row), int(column)) for row, column in zip(*np.unravel_index(order, shares.shape), strict=True)]
    return [cell for cell in cells if shares[cell] > 0]


def confused_ranks(
    tiers: TierLists, benchmark: Benchmark, tier: Tier, row: int, column: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]:
    """Queries, 1-based ranks and models of one cell: models of class `column` in lists of queries of class `row`.

    Returns
    -------
    tuple
        (n,) int64 indices of queries, ascending; (n,) int64 ranks, ascending within a query; (n,) int32 models.
    """
    if benchmark.classification is None:
        raise ValueError("a confusion of classes needs a classification")
    queries = np.flatnonzero(benchmark.queries.labels == row)
    ends = np.minimum(tiers.indptr[queries] + tier * tiers.sizes[queries], tiers.indptr[queries + 1])
    lengths = ends - tiers.indptr[queries]
    query = np.repeat(queries, lengths)
    rank = np.arange(len(query)) - np.repeat(np.cumsum(lengths) - lengths, lengths) + 1
    items = tiers.items[tiers.indptr[query] + rank - 1]
    inside = (items >= 0) & (benchmark.classification.labels[np.maximum(items, 0)] == column)
    return query[inside], rank[inside], items[inside]


def tier_image(
    tiers: TierLists, benchmark: Benchmark, height: int, width: int
) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]:
    """Tier image of the Princeton Shape Benchmark: queries by class in rows, models by class in columns.

    If several entries fall on one pixel, the best one is drawn.

    Returns
    -------
    tuple
        (h, w) uint8 with h <= `height` and w <= `width`: 0 neither tier, 1 second, 2 first, 3 nearest neighbour; (Q,)
        int64 and (N,) int64, rows of the queries and columns of the models.

    Source: Princeton Shape Benchmark, program SimMat.
    """
    n_queries, n_models = len(benchmark.queries), len(benchmark.collection)
    labels = np.zeros(n_models, np.int32) if benchmark.classification is None else benchmark.classification.labels
    query_positions, model_positions = _class_order(benchmark.queries.labels), _class_order(labels)
    h, w = max(1, min(height, n_queries)), max(1, min(width, n_models))
    image = np.zeros((h, w), np.uint8)
    rows = (query_positions * h // max(n_queries, 1))[tiers.query]
    columns = (model_positions * w // max(n_models, 1))[np.maximum(tiers.items, 0)]
    known = tiers.items >= 0
    # From the lowest to the highest value: of several entries of one pixel, the last one remains.
    for value, drawn in ((1, tiers.tier == 2), (2, tiers.tier == 1), (3, tiers.rank == 1)):
        drawn &= known
        image[rows[drawn], columns[drawn]] = value
    return image, query_positions, model_positions


def _class_order(labels: NDArray[np.int32]) -> NDArray[np.int64]:
    """(n,) position of each in the order of classes, those without a class last."""
    order = np.argsort(np.where(labels < 0, np.iinfo(np.int32).max, labels), kind="stable")
    positions = np.empty(len(labels), np.int64)
    positions[order] = np.arange(len(labels))
    return positions
