"""The ranked list of one run and query, cleaned, with levels and ties."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Benchmark, DistanceMatrix, RankedLists, Run
from shrec_viewer.evaluation.ranking_inputs import column_tie_orders, ranking_lists, tie_ranks
from shrec_viewer.metrics import Profile
from shrec_viewer.metrics.ranking.list_ranking import clean_lists
from shrec_viewer.metrics.ranking.matrix_ranking import is_dropped, row_distances, select_columns
from shrec_viewer.metrics.ranking.ranked_hits import order_of_row


@dataclass(frozen=True, eq=False)
class RankedList:
    """A ranked list for display; index i holds rank i + 1.

    Attributes
    ----------
    items : (n,) int32, models, best first; `UNKNOWN_ITEM` only if the profile keeps unknown ids.
    distances : (n,) float64, as written in the file (for a similarity: larger is nearer); NaN if not given.
    levels : (n,) uint8, relevance level of each model, independent of the relevance threshold of the profile; 0 not
        relevant, and all 0 without an assessment.
    tied : (n,) bool, whether an adjacent model has the same distance, so that another order is equally valid.
    tie_start : (n,) int32, first index of the group of equal distances of each model.
    missing : whether the run has no results for the query.
    not_retrieved : (m,) int32, relevant models that are not in the list, ascending.
    """

    items: NDArray[np.int32]
    distances: NDArray[np.float64]
    levels: NDArray[np.uint8]
    tied: NDArray[np.bool_]
    tie_start: NDArray[np.int32]
    missing: bool
    not_retrieved: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.items)


def ranked_list(benchmark: Benchmark, run: Run, query: int, profile: Profile) -> RankedList:
    """The list of `run` for one query, cleaned up under the profile: the ranks that `evaluate` uses."""
    own = int(benchmark.queries.member[query]) if profile.self_match == "drop" else -1
    if isinstance(run.ranking, DistanceMatrix):
        items, distances = _rank_matrix_row(benchmark, run.ranking, query, own, profile)
    else:
        items, distances = _rank_list_lines(benchmark, run.ranking, query, own, profile)
    gains = query_levels(benchmark, query, profile)
    not_retrieved = gains > 0
    known = items >= 0
    not_retrieved[items[known]] = False
    tie_start = _tie_starts(distances)
    return RankedList(
        items=items,
        distances=distances,
        levels=np.where(known, gains[items], 0).astype(np.uint8) if len(gains) else np.zeros(len(items), np.uint8),
        tied=np.bincount(tie_start, minlength=len(items))[tie_start] > 1,
        tie_start=tie_start,
        missing=not bool(run.present[query]),
        not_retrieved=np.flatnonzero(not_retrieved).astype(np.int32),
    )


def query_levels(benchmark: Benchmark, query: int, profile: Profile) -> NDArray[np.uint8]:
    """(N,) uint8, relevance level of each model for a query; all 0 without an assessment.

    0 for the query itself if the profile excludes it.
    """
    if benchmark.assessment is None:
        return np.zeros(len(benchmark.collection), np.uint8)
    levels = benchmark.assessment.gains(query, len(benchmark.collection))
    own = int(benchmark.queries.member[query])
    if own >= 0 and profile.self_match == "drop":
        levels[own] = 0
    return levels


def _rank_matrix_row(
    benchmark: Benchmark, matrix: DistanceMatrix, query: int, own: int, profile: Profile
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    row = int(matrix.rows[query])
    if row < 0:
        return np.zeros(0, np.int32), np.zeros(0)
    orders = column_tie_orders(matrix, tie_ranks(benchmark, profile))
    columns = select_columns(matrix.columns, len(benchmark.collection), profile, *orders)
    distances = row_distances(matrix.values, np.array([row]), columns, profile, matrix.similarity)[0]
    own_column = int(columns.of_model[own]) if own >= 0 else -1
    order = order_of_row(distances, own_column, columns.tie_rank)
    order = order[~is_dropped(distances, profile)[order]][: profile.list_cut]
    original = order if columns.kept is None else columns.kept[order]
    return matrix.columns[original].astype(np.int32), np.asarray(matrix.values[row])[original].astype(np.float64)


def _rank_list_lines(
    benchmark: Benchmark, lists: RankedLists, query: int, own: int, profile: Profile
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    submitted = ranking_lists(lists, tie_ranks(benchmark, profile))
    block = clean_lists(submitted, query, query + 1, np.array([own]), len(benchmark.collection), profile)
    entries = block.entries[block.is_counted][: profile.list_cut]
    distances = np.full(len(entries), np.nan) if lists.distances is None else lists.distances[entries]
    return lists.items[entries].astype(np.int32), distances.astype(np.float64)


def _tie_starts(distances: NDArray[np.float64]) -> NDArray[np.int32]:
    """(n,) int32, first index of each group of equal adjacent distances; NaN equals nothing."""
    opens = np.ones(len(distances), np.bool_)
    opens[1:] = distances[1:] != distances[:-1]
    return np.maximum.accumulate(np.where(opens, np.arange(len(distances)), 0)).astype(np.int32)
