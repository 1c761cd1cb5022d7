"""Ranks of relevant models in rows of distances, without sorting the models."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.metrics.profiles.contests import DEFAULT
from shrec_viewer.metrics.profiles.profile import Profile
from shrec_viewer.metrics.ranking.hit_table import HitRanks, RankedHits, by_query_and_rank
from shrec_viewer.metrics.ranking.truth import Truth

#: At most this many values of a row are counted one by one; grouping a row of 50,000 costs as much as 50 of them.
SHORT_SEARCH = 16

Rows = NDArray[np.floating]
Ints = NDArray[np.int64]


def count_below(keys: Rows, row: Ints, values: Rows) -> Ints:
    """(n,) number of keys in its row that are smaller than each value; NaN is the largest and equals NaN.

    Parameters
    ----------
    keys : (R, K) float, each row ascending, NaN last.
    row : (n,) int64, row of each value.
    values : (n,) float.

    Examples
    --------
    >>> count_below(np.array([[0.0, 1.0, 1.0, np.nan]]), np.zeros(3, int), np.array([1.0, 2.0, np.nan]))
    array([1, 3, 3])
    """
    return _counts(keys, row, values, np.less)


def count_at_or_below(keys: Rows, row: Ints, values: Rows) -> Ints:
    """(n,) number of keys in its row that are smaller than or equal to each value; NaN equals NaN.

    Examples
    --------
    >>> count_at_or_below(np.array([[0.0, 1.0, 1.0, np.nan]]), np.zeros(3, int), np.array([1.0, 2.0, np.nan]))
    array([3, 3, 4])
    """
    return _counts(keys, row, values, np.less_equal)


def _counts(keys: Rows, row: Ints, values: Rows, precedes: Callable[[Rows, Rows], NDArray[np.bool_]]) -> Ints:
    """Binary search of all values at once, which needs few numpy calls for many short searches."""
    width = keys.shape[1]
    nan = np.flatnonzero(np.isnan(values))
    flat, offset = keys.ravel(), row * width - 1
    count = np.zeros(len(values), np.int64)
    # The first step is the largest power of two that can be needed; each step halves it.
    step = 1 << width.bit_length()
    while step > 1:
        step >>= 1
        further = np.minimum(count + step, width)
        # `offset` is the element before the row, so that index `further` is the last of that many keys.
        count = np.where(precedes(flat[offset + further], values), further, count)
    if len(nan) > 0:
        numbers = np.count_nonzero(~np.isnan(keys), axis=1)
        # Comparisons with NaN are False, so the search above ends at 0 for them.
        count[nan] = width if precedes is np.less_equal else numbers[row[nan]]
    return count


def tie_offsets(distances: Rows, columns: Ints, tie_rank: Ints | None = None) -> Ints:
    """(n,) number of columns at the same distance that rank before each of the given ones.

    Parameters
    ----------
    distances : (K,) float, one row; NaN equals NaN.
    columns : (n,) int64 columns.
    tie_rank : (K,) int64, order of columns at the same distance; None for column order.

    Examples
    --------
    >>> tie_offsets(np.array([1.0, 0.0, 1.0, 1.0]), np.array([3, 0]))
    array([2, 0])
    """
    # Few hits are tied in matrices of real numbers; many are in matrices of integers or shortened decimals.
    if len(columns) <= SHORT_SEARCH and not np.any(np.isnan(distances[columns])):
        return np.array([_count_ties_before(distances, column, tie_rank) for column in columns.tolist()], np.int64)
    if tie_rank is not None:
        order = np.argsort(tie_rank)
        distances, columns = distances[order], tie_rank[columns]
    values = distances[columns]
    nan = np.isnan(values)
    offsets = np.zeros(len(columns), np.int64)
    if np.any(nan):
        offsets[nan] = np.cumsum(np.isnan(distances))[columns[nan]] - 1
    if np.all(nan):
        return offsets
    groups = np.unique(values[~nan])
    group = np.minimum(np.searchsorted(groups, distances), len(groups) - 1)
    # searchsorted gives the nearest larger group for distances that equal none; those are left out here.
    equal = np.flatnonzero(groups[group] == distances)
    by_group = equal[np.argsort(group[equal], kind="stable")]
    starts = np.searchsorted(group[by_group], np.arange(len(groups)))
    offset = np.empty(len(distances), np.int64)
    offset[by_group] = np.arange(len(by_group)) - starts[group[by_group]]
    offsets[~nan] = offset[columns[~nan]]
    return offsets


def _count_ties_before(distances: Rows, column: int, tie_rank: Ints | None) -> int:
    if tie_rank is None:
        return int(np.count_nonzero(distances[:column] == distances[column]))
    equal = np.flatnonzero(distances == distances[column])
    return int(np.count_nonzero(tie_rank[equal] < tie_rank[column]))


class MatrixRows(Protocol):
    """(R, M) float, an array or an object that reads rows from a file when they are indexed."""

    @property
    def shape(self) -> tuple[int, ...]:
        """(R, M)."""

    def __getitem__(self, rows: Any, /) -> Any:
        """Rows in memory, for a slice or an array of integers."""


#: Calls a function with each number and returns the results in the same order, like `map`.
MapBlocks = Callable[["MatrixBlocks", range], Iterable[HitRanks]]

#: Distances in memory for each thread: 8 MB of single precision. Ranking the hits of a block takes 0.7 ms of Python.
BLOCK_VALUES = 1 << 21


@dataclass(frozen=True, eq=False)
class RankedColumns:
    """The columns of a matrix that are ranked.

    Attributes
    ----------
    kept : (K,) int64 columns, or None for all.
    of_model : (N,) int64, index of the column of each model, -1 if the matrix has none.
    count : K.
    tie_rank : (K,) int64, order of columns at the same distance; None for column order.
    """

    kept: NDArray[np.int64] | None
    of_model: NDArray[np.int64]
    count: int
    tie_rank: NDArray[np.int64] | None = None


def select_columns(
    columns: NDArray[np.int32],
    n_models: int,
    profile: Profile,
    tie_order: NDArray[np.int64] | None = None,
    unknown_tie_order: NDArray[np.int64] | None = None,
) -> RankedColumns:
    """The columns that are ranked, and their order at the same distance.

    Parameters
    ----------
    columns : (M,) int32, model of each column, -1 for none, -2 for columns that are never ranked.
    n_models : number of models in the collection.
    profile : its convention `unknown` is used.
    tie_order : (N,) int64, order of models at the same distance; None for column order.
    unknown_tie_order : (M,) int64, the same order for columns without a model; None: after the models.
    """
    kept = np.flatnonzero(columns >= (-1 if profile.unknown == "keep" else 0))
    models = columns[kept]
    of_model = np.full(n_models, -1, np.int64)
    of_model[models[models >= 0]] = np.flatnonzero(models >= 0)
    # None, since indexing with all columns would copy each block of the matrix.
    everything = None if len(kept) == len(columns) else kept
    if tie_order is None:
        return RankedColumns(everything, of_model, len(kept))
    unknown = np.int64(n_models) if unknown_tie_order is None else unknown_tie_order[kept]
    order = np.argsort(np.where(models >= 0, tie_order[models], unknown), kind="stable")
    tie_rank = np.empty(len(kept), np.int64)
    tie_rank[order] = np.arange(len(kept))
    return RankedColumns(everything, of_model, len(kept), None if np.all(order[1:] > order[:-1]) else tie_rank)


def row_distances(
    values: MatrixRows, rows: NDArray[np.integer], columns: RankedColumns, profile: Profile, similarity: bool
) -> NDArray[np.floating]:
    """(B, K) distances of the given rows in the ranked columns, smaller is nearer; a view if possible."""
    # A slice is a view; an index array copies the rows.
    in_sequence = len(rows) > 0 and bool(np.all(np.diff(rows) == 1))
    block = np.asarray(values[int(rows[0]) : int(rows[-1]) + 1] if in_sequence else values[rows])
    if columns.kept is not None:
        # Unlike `block[:, kept]`, whose columns are contiguous, `take` keeps rows contiguous, which are sorted by row.
        block = block.take(columns.kept, axis=1)
    if profile.ties == "trec":
        with np.errstate(over="ignore"):
            block = block.astype(np.float32, copy=False)
    # Negative, not 1 - x: exact for every value, keeps NaN, and turns -inf, the least similar, into the largest
    # distance.
    return -block if similarity else block


def is_dropped(distances: NDArray[np.floating], profile: Profile) -> NDArray[np.bool_]:
    """Boolean array of the same shape: which distances mean that a model is not retrieved, under the profile."""
    dropped = np.zeros(distances.shape, np.bool_)
    if profile.not_a_number == "drop":
        dropped |= np.isnan(distances)
    if profile.infinite == "drop":
        # Only +inf: a distance of -inf is the nearest, not an absent one.
        dropped |= np.isposinf(distances)
    return dropped


def hits_from_matrix(
    truth: Truth,
    values: MatrixRows,
    rows: NDArray[np.int32] | None = None,
    columns: NDArray[np.int32] | None = None,
    profile: Profile = DEFAULT,
    *,
    similarity: bool = False,
    tie_order: NDArray[np.int64] | None = None,
    unknown_tie_order: NDArray[np.int64] | None = None,
    block_values: int = BLOCK_VALUES,
    checkpoint: Callable[[], None] | None = None,
    map_blocks: MapBlocks = map,
) -> RankedHits:
    """Ranks of all relevant models in a matrix of distances.

    The smaller and the equal distances are counted for each relevant model; no list of models is sorted. Only ties are
    ordered. NaN is larger than all other distances, including +inf.

    Parameters
    ----------
    truth : relevant models; `len(truth)` is Q.
    values : (R, M) float, an array or rows in a file; accessed by blocks of rows.
    rows : (Q,) int32, row of each query, -1 for a missing query; None for 0, 1, 2 …
    columns : (M,) int32, model of each column, -1 for none; None for 0, 1, 2 …
    profile : conventions.
    similarity : whether larger is nearer.
    tie_order, unknown_tie_order : see `select_columns`.
    block_values : number of distances read at a time; the result does not depend on it.
    checkpoint : called between blocks; may raise an exception to cancel.
    map_blocks : calls a `MatrixBlocks` with the first query of each block and returns the results in this order; `map`,
        or that of an executor with threads. Counting, sorting and searching release the interpreter lock.

    Examples
    --------
    Five models in two classes, each model a query:

    >>> from shrec_viewer.metrics import classes_as_truth, find_measure, find_profile
    >>> positions = np.arange(5.0)
    >>> distances = np.abs(np.subtract.outer(positions, positions))
    >>> profile = find_profile("shrec2012")
    >>> hits = hits_from_matrix(classes_as_truth([0, 0, 0, 1, 1]), distances, profile=profile).hits
    >>> find_measure("FT").evaluate(hits, profile).tolist()
    [1.0, 1.0, 0.5, 0.0, 1.0]
    """
    truth = truth.at_least(profile.relevant_from).with_junk(profile.junk == "removed")
    rows = np.arange(len(truth), dtype=np.int32) if rows is None else rows
    columns = np.arange(values.shape[1], dtype=np.int32) if columns is None else columns
    order = select_columns(columns, truth.n_models, profile, tie_order, unknown_tie_order)
    own_model = truth.own(profile.self_match == "drop")
    per_block = max(1, block_values // max(order.count, 1))
    n_unknown = int(np.count_nonzero(columns == -1))
    blocks = MatrixBlocks(truth, own_model, values, rows, order, profile, similarity, n_unknown, per_block)
    parts: list[HitRanks] = []
    if checkpoint is not None:
        checkpoint()
    for part in map_blocks(blocks, range(0, max(len(truth), 1), per_block)):
        parts.append(part)
        if checkpoint is not None:
            checkpoint()
    return RankedHits(truth, profile, HitRanks.joined(parts), rows < 0)


@dataclass(frozen=True, eq=False)
class MatrixBlocks:
    """The rows of one matrix in blocks; calling it with the first query of a block ranks the block.

    Without state, so that threads can share it and worker processes can receive it by pickle.

    Attributes
    ----------
    truth : relevant models, and those that are removed as junk.
    own_model : (Q,) int64, model excluded from the list of each query, or -1.
    values, rows, profile, similarity : see `hits_from_matrix`.
    columns : the columns that are ranked.
    n_unknown : number of columns without a model.
    per_block : queries in a block.
    """

    truth: Truth
    own_model: NDArray[np.int64]
    values: MatrixRows
    rows: NDArray[np.int32]
    columns: RankedColumns
    profile: Profile
    similarity: bool
    n_unknown: int
    per_block: int

    def __call__(self, start: int) -> HitRanks:
        """Ranks of the hits of the queries from `start` on."""
        stop = min(start + self.per_block, len(self.truth))
        pairs, own = self._listed_pairs(start, stop), self._own_column(start, stop)
        block = _RowBlock(start, *pairs, own, *self._junk_columns(start, stop, own))
        answered = np.flatnonzero(self.rows[start:stop] >= 0)
        distances = row_distances(
            self.values, self.rows[start:stop][answered], self.columns, self.profile, self.similarity
        )
        return block.ranked(answered, distances, self.columns.tie_rank, self.profile, self.n_unknown)

    def _listed_pairs(
        self, start: int, stop: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint8] | NDArray[np.int16]]:
        """Hits that the matrix has: query from 0, ranked column and level, each (n,); see `HitRanks.levels`."""
        query, items, levels = self.truth.pairs(start, stop, self.own_model)
        if self.truth.judged_cells is not None:
            parts = [(query, items, levels), self.truth.judged(start, stop)]
            query, items, levels = map(np.concatenate, zip(*parts, strict=True))
            others = items != self.own_model[start:stop][query]
            query, items, levels = query[others], items[others], levels[others]
        columns = self.columns.of_model[items]
        there = (self.rows[start:stop][query] >= 0) & (columns >= 0)
        if len(junk := self.truth.junk_cells(start, stop)):
            there &= ~np.isin(query * self.truth.n_models + items, junk)
        return query[there], columns[there], levels[there]

    def _junk_columns(
        self, start: int, stop: int, own: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Query from 0 and ranked column of each model that is removed as junk, without the query itself."""
        query, items = np.divmod(self.truth.junk_cells(start, stop), max(self.truth.n_models, 1))
        columns = self.columns.of_model[items]
        there = (self.rows[start:stop][query] >= 0) & (columns >= 0) & (columns != own[query])
        return query[there], columns[there]

    def _own_column(self, start: int, stop: int) -> NDArray[np.int64]:
        """(B,) int64, ranked column of each query itself if it is excluded, or -1."""
        own_model = self.own_model[start:stop]
        return np.where(own_model >= 0, self.columns.of_model[own_model], -1)

    def fault(self, starts: range, ranks: object) -> str:
        """Why `ranks` cannot be those of some blocks that another process ranked; "" if they can.

        Checked without the distances: types, lengths, the relevant models of each query and their levels, and
        whether ranks are possible in lists of these lengths.

        Parameters
        ----------
        starts : first query of each block; the blocks follow each other.
        """
        if not isinstance(ranks, HitRanks):
            return f"a result of type {type(ranks).__name__}"
        start, stop = starts[0], min(starts[-1] + self.per_block, len(self.truth))
        queries = ("list_length", "own_rank", "nans", "infinite", "repeated", "unknown")
        for field in fields(ranks):
            array, length = getattr(ranks, field.name), stop - start if field.name in queries else np.size(ranks.query)
            if not isinstance(array, np.ndarray) or array.dtype.kind not in "iu":
                return f"'{field.name}' does not consist of integers"
            if array.shape != (length,):
                return f"'{field.name}' has shape {array.shape} instead of {(length,)}"
        counts = [getattr(ranks, name) for name in queries]
        if any(np.any((array < 0) | (array > self.columns.count + self.n_unknown)) for array in counts):
            return "a number of models or an own rank is below 0 or above the number of columns"
        return self._fault_of_lengths(ranks, start, stop) or self._fault_of_hits(ranks, start, stop)

    def _fault_of_lengths(self, ranks: HitRanks, start: int, stop: int) -> str:
        dropped = self._dropped(ranks)
        is_answered = self.rows[start:stop] >= 0
        own = self._own_column(start, stop)
        n_junk = np.bincount(self._junk_columns(start, stop, own)[0], minlength=stop - start)
        length = is_answered * (self.columns.count - (own >= 0) - n_junk - dropped)
        return "" if np.array_equal(ranks.list_length, length) else "a list has another length"

    def _dropped(self, ranks: HitRanks) -> NDArray[np.int64]:
        """(B,) number of models that are not retrieved as their distance is NaN or infinite."""
        is_dropped = self.profile.not_a_number == "drop", self.profile.infinite == "drop"
        return np.asarray(is_dropped[0] * ranks.nans + is_dropped[1] * ranks.infinite, np.int64)

    def _fault_of_hits(self, ranks: HitRanks, start: int, stop: int) -> str:
        query = ranks.query - start
        if np.any((query < 0) | (query >= stop - start)) or np.any(np.diff(query) < 0):
            return "the queries are not ascending, or others"
        if np.any((np.diff(query) == 0) & (np.diff(ranks.ranks) <= 0)):
            return "the ranks of a query are not strictly ascending"
        limit = ranks.list_length[query]
        in_order = (ranks.earliest >= 1) & (ranks.earliest <= ranks.ranks) & (ranks.ranks <= ranks.latest)
        if not np.all(in_order & (ranks.latest <= limit)):
            return "a rank is not from 1 to the length of its list, or outside of its ties"
        expected, _, levels = self._listed_pairs(start, stop)
        # From -1 on, the level of junk.
        n_levels = self.truth.highest_level + 2
        found = ranks.levels.astype(np.int64) + 1
        if np.any((found >= n_levels) | (found < 0)):
            return "a relevance level is too high"
        size = (stop - start) * n_levels
        missing = np.bincount(expected * n_levels + levels + 1, minlength=size)
        missing = (missing - np.bincount(query * n_levels + found, minlength=size)).reshape(-1, n_levels)
        # Where distances are dropped, those of relevant models may be among them.
        if np.any(missing < 0) or np.any(missing.sum(axis=1) > self._dropped(ranks)):
            return "a query has more or fewer relevant models, or of other levels"
        return ""


class _RowBlock:
    """Ranks of the hits of a block of queries."""

    def __init__(
        self,
        start: int,
        query: NDArray[np.int64],
        columns: NDArray[np.int64],
        levels: NDArray[np.uint8] | NDArray[np.int16],
        own: NDArray[np.int64],
        junk_query: NDArray[np.int64],
        junk_columns: NDArray[np.int64],
    ) -> None:
        self._start, self._query, self._columns, self._levels = start, query, columns, levels
        self._own, self._junk_query, self._junk_columns = own, junk_query, junk_columns

    def ranked(
        self,
        answered: NDArray[np.int64],
        distances: NDArray[np.floating],
        tie_rank: NDArray[np.int64] | None,
        profile: Profile,
        n_unknown: int,
    ) -> HitRanks:
        """The hits of the queries with results (from 0 in this block) by their rows of `distances`."""
        row_of = np.full(len(self._own), -1, np.int64)
        row_of[answered] = np.arange(len(answered))
        members = answered[self._own[answered] >= 0]  # queries excluded from their own row
        # The query itself and junk are ranked along with the relevant models, and then taken out of their ranks.
        removed = np.concatenate([members, self._junk_query])
        query = np.concatenate([self._query, removed])
        column = np.concatenate([self._columns, self._own[members], self._junk_columns])
        values = distances[row_of[query], column]
        before, until, exact = _ranks(distances, row_of[query], column, values, tie_rank)
        last = slice(len(self._query), None)
        nans, infinite = self._count_anomalies(answered, distances, removed, values[last])
        first = before[last]
        exact = exact - _removed_before(removed, exact[last], query, exact, len(self._own))
        until = until - _removed_before(removed, first, query, until, len(self._own))
        before = before - _removed_before(removed, first, query, before, len(self._own))
        if profile.infinite == "drop":
            behind = np.isnan(values) * infinite[query]
            before, until, exact = before - behind, until - behind, exact - behind
        dropped = is_dropped(values, profile)
        own_rank = np.zeros(len(self._own), np.int32)
        own_rank[members] = np.where(dropped[last], 0, exact[last] + 1)[: len(members)]
        order = by_query_and_rank(self._query, exact[: last.start])
        order = order[~dropped[order]]
        there = np.zeros(len(self._own), np.int64)
        there[answered] = 1
        length = distances.shape[1] - np.bincount(removed, minlength=len(self._own))
        length = length - (profile.not_a_number == "drop") * nans - (profile.infinite == "drop") * infinite
        return HitRanks(
            query=query[order] + self._start,
            ranks=exact[order] + 1,
            levels=self._levels[order],
            earliest=before[order] + 1,
            latest=until[order],
            list_length=there * length,
            own_rank=own_rank,
            nans=nans,
            infinite=infinite,
            repeated=np.zeros(len(self._own), np.int64),
            unknown=there * n_unknown,
        )

    def _count_anomalies(
        self,
        answered: NDArray[np.int64],
        distances: NDArray[np.floating],
        removed: NDArray[np.int64],
        values: NDArray[np.floating],
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(B,) numbers of NaN and of +inf in each row, without the removed models: their queries and distances."""
        nans, infinite = np.zeros(len(self._own), np.int64), np.zeros(len(self._own), np.int64)
        # The maximum is NaN if any distance is; one comparison shows that there is nothing to count.
        if distances.size == 0 or distances.max() < np.inf:
            return nans, infinite
        nans[answered] = np.count_nonzero(np.isnan(distances), axis=1)
        infinite[answered] = np.count_nonzero(np.isposinf(distances), axis=1)
        nans -= np.bincount(removed[np.isnan(values)], minlength=len(nans))
        infinite -= np.bincount(removed[np.isposinf(values)], minlength=len(nans))
        return nans, infinite


def _removed_before(
    removed: NDArray[np.int64],
    positions: NDArray[np.int64],
    query: NDArray[np.int64],
    counts: NDArray[np.int64],
    n_queries: int,
) -> NDArray[np.int64]:
    """(n,) number of removed models of the query among the first `counts`; `positions` precede each removed one."""
    if len(removed) == 0:
        return np.zeros(len(query), np.int64)
    # One integer for query and position, so that one binary search serves all queries.
    span = int(max(positions.max(initial=0), counts.max(initial=0))) + 1
    keys = np.sort(removed * span + positions)
    starts = np.searchsorted(keys, np.arange(n_queries, dtype=np.int64) * span)
    return np.searchsorted(keys, query * span + counts) - starts[query]


def _ranks(
    distances: NDArray[np.floating],
    row: NDArray[np.int64],
    column: NDArray[np.int64],
    values: NDArray[np.floating],
    tie_rank: NDArray[np.int64] | None,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Numbers of distances of the row before each cell, before or equal, and before with ties ordered; (n,) int64."""
    before, until = _counts_around(distances, row, values)
    exact = before.copy()
    tied = np.flatnonzero(until - before > 1)
    if len(tied) > 0:
        tied = tied[np.argsort(row[tied], kind="stable")]
        bounds = np.flatnonzero(np.diff(row[tied], prepend=-1, append=-1))
        for start, stop in pairwise(bounds):
            cells = tied[start:stop]
            exact[cells] += tie_offsets(distances[row[cells[0]]], column[cells], tie_rank)
    return before, until, exact


def _counts_around(
    distances: NDArray[np.floating], row: NDArray[np.int64], values: NDArray[np.floating]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Numbers of distances of the row below, and at or below, each value, which is in that row; (n,) int64."""
    # Keys only: sorting values is 4 times as fast as argsort, 16 times as fast as a stable one (5 rows of 50,000).
    # Counting in buckets takes 0.7 times the time of sorting in one thread, but 6 times in four threads: its many short
    # calls wait for the lock of the interpreter (5,000 x 50,000, numpy 2.4). With calls for five to forty rows, it
    # takes 0.8 to 1.0 times the processor time of sorting in one or two threads, which does not justify its length.
    keys = np.sort(distances, axis=1)
    before = count_below(keys, row, values)
    until = before + 1
    # A value is tied if the key behind its first equal one is equal too; only then both searches are needed.
    after = keys[row, np.minimum(until, keys.shape[1] - 1)]
    tied = np.flatnonzero((until < keys.shape[1]) & ((after == values) | (np.isnan(after) & np.isnan(values))))
    until[tied] = count_at_or_below(keys, row[tied], values[tied])
    return before, until
