"""The hit table: ranks and levels of the relevant models, all that a measure sees."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class LevelHits:
    """The hits of at least one level, seen from the list.

    Attributes
    ----------
    query : (n,) int64, query of each hit, ascending.
    ranks : (n,) int64, 1-based, ascending within a query.
    number : (n,) int64, 1-based: this is the first, second, third … hit of its query. ``number / ranks`` is the
        precision at the hit.
    indptr : (Q + 1,) int64, where the hits of each query stand.
    """

    query: NDArray[np.int64]
    ranks: NDArray[np.int64]
    number: NDArray[np.int64]
    indptr: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class HitTable:
    """Where the relevant models of each query stand in one run's lists, as compressed sparse rows.

    5,000 queries over 50,000 models are 1.3 MB of hits against 1 GB of ranked models.

    Attributes
    ----------
    indptr : (Q + 1,) int64; the hits of query q are ``indptr[q]:indptr[q + 1]``.
    ranks : (nnz,) int32, 1-based, strictly ascending within a query.
    levels : (nnz,) uint8, relevance level of each hit, all above 0.
    list_length : (Q,) int64, length of each list after clean-up (Va); 0 where the query is missing or the list empty.
    class_sizes : (Q, L) int64; column l - 1 counts the models of level l **in the truth**, found or not, without the
        query itself where the profile leaves it out. L is the highest level of the assessment, at least 1.
    collection_size : (Q,) int64, models that could be returned (Ds; one less where the query itself is left out).
    missing : (Q,) bool, the run has no answer to the query at all.
    largest_sizes : (L,) int64 or None. Number of models with at least level 1, 2 … of the query that has most of them;
        None for that of the queries of this table. Only the sketch toolkits' average precision asks for it.
    own_rank : (Q,) int32 or None. The 1-based place at which the query itself stood in its own list before it was left
        out; 0 where it did not stand there or was not left out. Only the curve of the released psbPlot asks for it.

    Source: SHREC 2006 report, section 4, for the names Va, Ch, Cr, Ds.
    """

    indptr: NDArray[np.int64]
    ranks: NDArray[np.int32]
    levels: NDArray[np.uint8]
    list_length: NDArray[np.int64]
    class_sizes: NDArray[np.int64]
    collection_size: NDArray[np.int64]
    missing: NDArray[np.bool_]
    own_rank: NDArray[np.int32] | None = None
    largest_sizes: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.list_length)

    @property
    def highest_level(self) -> int:
        """Highest level the truth can give."""
        return self.class_sizes.shape[1]

    def relevant_size(self, level: int = 1) -> NDArray[np.int64]:
        """(Q,) int64, number of models in the truth with at least `level` (C_t: Cr for 1, Ch for 2)."""
        return self.class_sizes[:, level - 1 :].sum(axis=1)

    def largest_size(self, level: int = 1) -> int:
        """Number of models of at least `level` that the query with most of them has; 0 where there are no queries."""
        if self.largest_sizes is None:
            return int(self.relevant_size(level).max(initial=0))
        return int(self.largest_sizes[level - 1]) if level <= len(self.largest_sizes) else 0

    @cached_property
    def query(self) -> NDArray[np.int64]:
        """(nnz,) int64, query of each hit."""
        return np.repeat(np.arange(len(self), dtype=np.int64), np.diff(self.indptr))

    @cached_property
    def _of_level(self) -> dict[int, LevelHits]:
        return {}

    def at_least(self, level: int) -> LevelHits:
        """The hits of at least `level`; every measure of that level asks for the same ones, so they are kept."""
        if level not in self._of_level:
            self._of_level[level] = self._pick(level)
        return self._of_level[level]

    def _pick(self, level: int) -> LevelHits:
        enough = self.levels >= level
        query = self.query[enough]
        indptr = np.zeros(len(self) + 1, np.int64)
        np.cumsum(np.bincount(query, minlength=len(self)), out=indptr[1:])
        number = np.arange(1, len(query) + 1, dtype=np.int64) - indptr[query]
        return LevelHits(query, self.ranks[enough].astype(np.int64), number, indptr)

    def rows(self, start: int, stop: int) -> "HitTable":
        """The queries ``start:stop`` as a table of their own; no measure may answer differently for it."""
        first, last = int(self.indptr[start]), int(self.indptr[stop])
        return replace(
            self,
            indptr=self.indptr[start : stop + 1] - first,
            ranks=self.ranks[first:last],
            levels=self.levels[first:last],
            list_length=self.list_length[start:stop],
            class_sizes=self.class_sizes[start:stop],
            collection_size=self.collection_size[start:stop],
            missing=self.missing[start:stop],
            own_rank=None if self.own_rank is None else self.own_rank[start:stop],
            largest_sizes=np.array([self.largest_size(level) for level in range(1, self.highest_level + 1)], np.int64),
        )

    def ideal(self, list_cut: int | None = None) -> "HitTable":
        """The best possible lists for the same queries: the whole collection, highest levels first, up to the cut."""
        sizes = self.class_sizes[:, ::-1]
        levels = np.tile(np.arange(self.highest_level, 0, -1, dtype=np.uint8), len(self))
        query = np.repeat(np.arange(len(self), dtype=np.int64), sizes.sum(axis=1))
        starts = np.concatenate([[0], np.cumsum(sizes.sum(axis=1))])
        ranks = np.arange(1, len(query) + 1, dtype=np.int64) - starts[query]
        kept = ranks <= (len(query) if list_cut is None else list_cut)
        counts = np.bincount(query[kept], minlength=len(self))
        return replace(
            self,
            indptr=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
            ranks=ranks[kept].astype(np.int32),
            levels=np.repeat(levels, sizes.ravel())[kept],
            list_length=self.collection_size if list_cut is None else np.minimum(self.collection_size, list_cut),
            missing=np.zeros(len(self), np.bool_),
            own_rank=None,
        )
