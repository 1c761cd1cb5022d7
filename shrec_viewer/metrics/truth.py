"""What ranking must know of the truth: which models are relevant to which query, shared between equal queries."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Truth:
    """Relevant models by group of queries; queries of one class share one, so classes are never written out as pairs.

    Attributes
    ----------
    group : (Q,) int64, group of each query.
    indptr : (G + 1,) int64; the models of group g are ``indptr[g]:indptr[g + 1]``.
    items : (nnz,) int32, models, ascending and distinct within a group.
    levels : (nnz,) uint8, all above 0.
    members : (Q,) int32, place of the query itself in the collection, -1 for a query from outside.
    n_models : models in the collection.
    highest_level : highest level the truth can give, at least 1.
    """

    group: NDArray[np.int64]
    indptr: NDArray[np.int64]
    items: NDArray[np.int32]
    levels: NDArray[np.uint8]
    members: NDArray[np.int32]
    n_models: int
    highest_level: int = 1

    def __len__(self) -> int:
        return len(self.group)

    def own(self, drop: bool) -> NDArray[np.int64]:
        """(Q,) int64, the model to leave out of each query's list: itself, or -1 where nothing is left out."""
        return self.members.astype(np.int64) if drop else np.full(len(self), -1, np.int64)

    def pairs(
        self, start: int, stop: int, own: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint8]]:
        """Relevant models of the queries ``start:stop`` without `own`: query (from 0), model and level, each (n,)."""
        group = self.group[start:stop]
        first = self.indptr[group]
        counts = self.indptr[group + 1] - first
        query = np.repeat(np.arange(len(group), dtype=np.int64), counts)
        ends = np.cumsum(counts)
        place = np.arange(len(query), dtype=np.int64) + np.repeat(first - (ends - counts), counts)
        items = self.items[place].astype(np.int64)
        others = items != own[start:stop][query]
        return query[others], items[others], self.levels[place][others]

    @cached_property
    def _group_of_item(self) -> NDArray[np.int64]:
        return np.repeat(np.arange(len(self.indptr) - 1, dtype=np.int64), np.diff(self.indptr))

    @cached_property
    def _cells(self) -> NDArray[np.int64]:
        """(nnz,) group and model as one ascending number."""
        return self._group_of_item * self.n_models + self.items

    @cached_property
    def _group_sizes(self) -> NDArray[np.int64]:
        cells = self._group_of_item * self.highest_level + self.levels - 1
        counts = np.bincount(cells, minlength=(len(self.indptr) - 1) * self.highest_level)
        return counts.astype(np.int64).reshape(-1, self.highest_level)

    def class_sizes(self, own: NDArray[np.int64]) -> NDArray[np.int64]:
        """(Q, L) int64, relevant models of each level without `own`; see `HitTable.class_sizes`."""
        sizes = self._group_sizes[self.group]
        query = np.flatnonzero(own >= 0)
        if len(query) == 0 or len(self.items) == 0:
            return sizes
        asked = self.group[query] * self.n_models + own[query]
        place = np.minimum(np.searchsorted(self._cells, asked), len(self.items) - 1)
        listed = self._cells[place] == asked
        sizes[query[listed], self.levels[place[listed]].astype(np.int64) - 1] -= 1
        return sizes
