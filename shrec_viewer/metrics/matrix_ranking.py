"""Ranks of the relevant models in rows of distances, without sorting the models."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.metrics.hits import HitTable
from shrec_viewer.metrics.profile import Profile
from shrec_viewer.metrics.ranking import Found, by_query_and_rank, hit_table
from shrec_viewer.metrics.truth import Truth

BLOCK_VALUES = 1 << 18
"""Distances sorted at a time: 1 MB of single precision, which stays in the second-level cache."""


@dataclass(frozen=True, eq=False)
class MatrixHits:
    """Hits with what only a matrix can tell.

    Attributes
    ----------
    hits : exact ranks, equal distances in the order that the profile says.
    earliest, latest : (nnz,) int32, the ranks a hit would have if it stood first, or last, among its equals.
    nans : (Q,) int64, distances of each query that are not a number (the query itself not counted where it is left
        out).
    """

    hits: HitTable
    earliest: NDArray[np.int32]
    latest: NDArray[np.int32]
    nans: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Columns:
    """The columns of a matrix that take part, in the order in which equal distances rank.

    Attributes
    ----------
    kept : (K,) int64 columns, or None for all of them as they stand.
    of_model : (N,) int64, place of each model in that order, -1 where the matrix has no column for it.
    count : K.
    """

    kept: NDArray[np.int64] | None
    of_model: NDArray[np.int64]
    count: int


def columns_for(
    columns: NDArray[np.int32], n_models: int, profile: Profile, id_order: NDArray[np.int64] | None = None
) -> Columns:
    """Which columns rank, and in which order.

    Parameters
    ----------
    columns : (M,) int32, model of each column, -1 for none.
    n_models : models in the collection.
    profile : `unknown` and `ties` count.
    id_order : (N,) int64, place of each model when ids descend; needed for ``ties="trec"``.
    """
    kept = np.arange(len(columns)) if profile.unknown == "keep" else np.flatnonzero(columns >= 0)
    if profile.ties == "trec" and id_order is not None:
        known = columns[kept] >= 0
        kept = kept[np.argsort(np.where(known, id_order[columns[kept]], n_models), kind="stable")]
    of_model = np.full(n_models, -1, np.int64)
    named = columns[kept] >= 0
    of_model[columns[kept][named]] = np.flatnonzero(named)
    unchanged = len(kept) == len(columns) and bool(np.all(kept == np.arange(len(columns))))
    return Columns(None if unchanged else kept, of_model, len(kept))


def distances_of(
    values: NDArray[np.floating], rows: NDArray[np.integer], columns: Columns, profile: Profile, similarity: bool
) -> NDArray[np.floating]:
    """(B, K) distances of some rows, smaller is nearer, in the order of `columns`."""
    block = np.asarray(values[rows])
    if columns.kept is not None:
        block = block[:, columns.kept]
    if profile.ties == "trec":
        with np.errstate(over="ignore"):
            block = block.astype(np.float32)
    return -block if similarity else block


def hits_from_matrix(
    truth: Truth,
    values: NDArray[np.floating],
    rows: NDArray[np.int32],
    columns: NDArray[np.int32],
    profile: Profile,
    *,
    similarity: bool = False,
    id_order: NDArray[np.int64] | None = None,
    block_values: int = BLOCK_VALUES,
    checkpoint: Callable[[], None] | None = None,
) -> MatrixHits:
    """Ranks of all relevant models in a matrix of distances.

    Only the distances of a row are sorted, not its models: a binary search then gives how many are smaller, and how
    many are equal. Where some are, their order is settled among them alone. Not-a-number is the worst of all, after
    +inf.

    Parameters
    ----------
    truth : relevant models; `len(truth)` is Q.
    values : (R, M) float, may be mapped from a file; read block by block.
    rows : (Q,) int32, row of each query, -1 for a query the matrix does not answer.
    columns : (M,) int32, model of each column, -1 for none.
    profile : conventions.
    similarity : larger is nearer.
    id_order : see `columns_for`.
    block_values : how many distances to sort at a time; the result does not depend on it.
    checkpoint : called before each block; may raise to give up.
    """
    order = columns_for(columns, truth.n_models, profile, id_order)
    own_model = truth.own(profile.self_match == "drop")
    own = np.where(own_model >= 0, order.of_model[own_model], -1)
    per_block = max(1, block_values // max(order.count, 1))
    parts: list[_Block] = []
    for start in range(0, len(truth), per_block):
        if checkpoint is not None:
            checkpoint()
        stop = min(start + per_block, len(truth))
        query, items, levels = truth.pairs(start, stop, own_model)
        there = (rows[start:stop][query] >= 0) & (order.of_model[items] >= 0)
        block = _Block(start, query[there], order.of_model[items[there]], levels[there], own[start:stop])
        answered = np.flatnonzero(rows[start:stop] >= 0)
        distances = distances_of(values, rows[start:stop][answered], order, profile, similarity)
        block.rank(answered, distances)
        parts.append(block)
    return _collect(truth, profile, own_model, order.count - (own >= 0), rows < 0, parts)


class _Block:
    """The hits of some queries, and their ranks once `rank` was called."""

    def __init__(
        self,
        start: int,
        query: NDArray[np.int64],
        columns: NDArray[np.int64],
        levels: NDArray[np.uint8],
        own: NDArray[np.int64],
    ) -> None:
        self.query = query + start
        self.levels = levels
        self.exact = np.zeros(len(query), np.int64)
        self.earliest = np.zeros(len(query), np.int64)
        self.latest = np.zeros(len(query), np.int64)
        self.own_rank = np.zeros(len(own), np.int32)
        self.nans = np.zeros(len(own), np.int64)
        self._columns = columns
        self._own = own
        self._bounds = np.searchsorted(query, np.arange(len(own) + 1))

    def rank(self, answered: NDArray[np.int64], distances: NDArray[np.floating]) -> None:
        """Rank the hits of the answered queries (from 0 in this block) by their rows of `distances`."""
        keys = np.sort(distances, axis=1)
        for row, local in enumerate(answered):
            self._rank_row(int(local), distances[row], keys[row])
        order = by_query_and_rank(self.query, self.exact)
        self.levels, self.exact = self.levels[order], self.exact[order]
        self.earliest, self.latest = self.earliest[order], self.latest[order]

    def _rank_row(self, local: int, distances: NDArray[np.floating], keys: NDArray[np.floating]) -> None:
        hits = slice(int(self._bounds[local]), int(self._bounds[local + 1]))
        own = int(self._own[local])
        columns = self._columns[hits]
        asked = columns if own < 0 else np.append(columns, own)
        before = np.searchsorted(keys, distances[asked], side="left")
        until, exact = before + 1, before.copy()
        tied = np.flatnonzero(_has_equal_neighbour(keys, before))
        if len(tied) > 0:
            until[tied] = np.searchsorted(keys, distances[asked[tied]], side="right")
            exact[tied] += _places_among_equals(distances, asked[tied])
        self.nans[local] = np.count_nonzero(np.isnan(keys))
        if own >= 0:
            self.own_rank[local] = exact[-1] + 1
            self.nans[local] -= bool(np.isnan(distances[own]))
            before, until, exact = _without_own(before, until, exact)
        self.exact[hits] = exact + 1
        self.earliest[hits] = before + 1
        self.latest[hits] = until


def _without_own(
    before: NDArray[np.int64], until: NDArray[np.int64], exact: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The counts of the hits after the last entry, the query itself, has left the row."""
    first, place = before[-1], exact[-1]
    before, until, exact = before[:-1], until[:-1], exact[:-1]
    return before - (first < before), until - (first < until), exact - (place < exact)


def _has_equal_neighbour(keys: NDArray[np.floating], place: NDArray[np.int64]) -> NDArray[np.bool_]:
    """(n,) bool, whether the sorted `keys` hold the same value after `place` once more."""
    here, after = keys[place], keys[np.minimum(place + 1, len(keys) - 1)]
    return (place + 1 < len(keys)) & ((here == after) | (np.isnan(here) & np.isnan(after)))


def _places_among_equals(distances: NDArray[np.floating], asked: NDArray[np.int64]) -> NDArray[np.int64]:
    """(n,) how many equal distances stand in earlier columns than each of the asked ones."""
    wanted = distances[asked]
    places = np.zeros(len(asked), np.int64)
    nan = np.isnan(wanted)
    if np.any(nan):
        places[nan] = np.cumsum(np.isnan(distances))[asked[nan]] - 1
    if np.all(nan):
        return places
    groups = np.unique(wanted[~nan])
    group = np.minimum(np.searchsorted(groups, distances), len(groups) - 1)
    equal = np.flatnonzero(groups[group] == distances)
    by_group = equal[np.argsort(group[equal], kind="stable")]
    starts = np.searchsorted(group[by_group], np.arange(len(groups)))
    place = np.empty(len(distances), np.int64)
    place[by_group] = np.arange(len(by_group)) - starts[group[by_group]]
    places[~nan] = place[asked[~nan]]
    return places


def _collect(
    truth: Truth,
    profile: Profile,
    own: NDArray[np.int64],
    length: NDArray[np.int64],
    missing: NDArray[np.bool_],
    parts: list[_Block],
) -> MatrixHits:
    query, exact, earliest, latest = (
        np.concatenate([np.zeros(0, np.int64), *(getattr(part, name) for part in parts)])
        for name in ("query", "exact", "earliest", "latest")
    )
    levels = np.concatenate([np.zeros(0, np.uint8), *(part.levels for part in parts)])
    own_rank = np.concatenate([np.zeros(0, np.int32), *(part.own_rank for part in parts)])
    found = Found(query, exact, levels, np.where(missing, 0, length), missing, own_rank)
    hits, kept = hit_table(truth, profile, own, found)
    return MatrixHits(
        hits=hits,
        earliest=earliest[kept].astype(np.int32),
        latest=latest[kept].astype(np.int32),
        nans=np.concatenate([np.zeros(0, np.int64), *(part.nans for part in parts)]),
    )
