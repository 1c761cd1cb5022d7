"""Relevant models of all queries as arrays; queries with the same relevant models share them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shrec_viewer.metrics.profiles.profile import Difficulty
from shrec_viewer.read_only import ReadOnlyArrays, shared_array


@dataclass(frozen=True, eq=False)
class Truth(ReadOnlyArrays):
    """Relevant models by group of queries; all queries of a class form one group, so classes are not expanded to pairs.

    Attributes
    ----------
    group : (Q,) int64, group of each query.
    indptr : (G + 1,) int64; the models of group g are ``indptr[g]:indptr[g + 1]``.
    items : (nnz,) int32, models, ascending and distinct within a group.
    levels : (nnz,) uint8, all above 0.
    members : (Q,) int32, index of the query in the collection, -1 if it is not in it.
    n_models : number of models in the collection.
    highest_level : highest possible level, at least 1.
    junk : (j,) int64, ascending: ``query * n_models + model`` of the models of level -1, which are not relevant.
    judged_cells : (z,) int64 or None, ascending: the same numbers of all models that were judged and are not relevant,
        junk among them. None if all models were judged, and where no measure asks for them.
    judged_levels : (z,) int16 or None, their levels: 0, or -1 for junk.
    """

    group: NDArray[np.int64]
    indptr: NDArray[np.int64]
    items: NDArray[np.int32]
    levels: NDArray[np.uint8]
    members: NDArray[np.int32]
    n_models: int
    highest_level: int = 1
    junk: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    judged_cells: NDArray[np.int64] | None = None
    judged_levels: NDArray[np.int16] | None = None

    def __len__(self) -> int:
        return len(self.group)

    def own(self, drop: bool) -> NDArray[np.int64]:
        """(Q,) int64, model to exclude from the list of each query: the query itself, or -1 for none."""
        return self.members.astype(np.int64) if drop else np.full(len(self), -1, np.int64)

    def at_least(self, level: int) -> "Truth":
        """The same with a relevance threshold: models below `level` are not relevant. Unchanged for level 1."""
        if level <= 1:
            return self
        part = self._where(self.levels >= level)
        if self.judged_cells is None or self.judged_levels is None:
            return part
        query, items, levels = self.pairs(0, len(self), self.own(drop=False))
        below = (query * self.n_models + items)[levels < level]
        cells = np.concatenate([self.judged_cells, below])
        order = np.argsort(cells)
        return replace(
            part, judged_cells=cells[order],
            judged_levels=np.concatenate([self.judged_levels, np.zeros(len(below), np.int16)])[order],
        )  # fmt: skip

    def _where(self, is_relevant: NDArray[np.bool_]) -> "Truth":
        """With these entries of `items` only."""
        # Number of relevant models before each entry: maps old starts of groups to new ones.
        before = np.concatenate([[0], np.cumsum(is_relevant)]).astype(np.int64)
        return replace(self, indptr=before[self.indptr], items=self.items[is_relevant], levels=self.levels[is_relevant])

    def of_difficulty(self, difficulty: Difficulty) -> "Truth":
        """The same with some relevant models as junk; see `Profile.difficulty`."""
        if difficulty == "medium":
            return self
        query, items, levels = self.pairs(0, len(self), np.full(len(self), -1, np.int64))
        junk = (query * self.n_models + items)[is_too_hard_or_easy(levels, difficulty)]
        return replace(self._where(~is_too_hard_or_easy(self.levels, difficulty)), junk=np.union1d(self.junk, junk))

    def with_junk(self, removed: bool) -> "Truth":
        """The same, with junk only if the profile removes it from lists."""
        return self if removed or not len(self.junk) else replace(self, junk=np.zeros(0, np.int64))

    def junk_cells(self, start: int, stop: int) -> NDArray[np.int64]:
        """(j,) int64, elements of `junk` of the queries ``start:stop``, counted from `start`."""
        first, last = np.searchsorted(self.junk, (start * self.n_models, stop * self.n_models))
        return self.junk[first:last] - start * self.n_models

    def judged(self, start: int, stop: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int16]]:
        """Models of the queries ``start:stop`` that were judged and are not relevant: query (from 0), model, level."""
        if self.judged_cells is None or self.judged_levels is None:
            return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int16)
        rows = slice(*np.searchsorted(self.judged_cells, (start * self.n_models, stop * self.n_models)))
        query, items = np.divmod(self.judged_cells[rows] - start * self.n_models, max(self.n_models, 1))
        return query, items, self.judged_levels[rows]

    def n_judged(self, own: NDArray[np.int64]) -> NDArray[np.int64]:
        """(Q,) int64, models of level 0 that were judged, without `own`."""
        query, items, levels = self.judged(0, len(self))
        return np.bincount(query[(levels == 0) & (items != own[query])], minlength=len(self)).astype(np.int64)

    def n_retrievable(self, own: NDArray[np.int64]) -> NDArray[np.int64]:
        """(Q,) int64, models that lists can contain: without `own` and junk; see `HitTable.collection_size`."""
        query, items = np.divmod(self.junk, max(self.n_models, 1))
        n_junk = np.bincount(query[items != own[query]], minlength=len(self))
        return np.int64(self.n_models) - (own >= 0) - n_junk

    def pairs(
        self, start: int, stop: int, own: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint8]]:
        """Relevant models of the queries ``start:stop`` without `own`: query (from 0), model and level, each (n,)."""
        group = self.group[start:stop]
        first = self.indptr[group]
        counts = self.indptr[group + 1] - first
        query = np.repeat(np.arange(len(group), dtype=np.int64), counts)
        ends = np.cumsum(counts)
        # Concatenated ranges first, first + 1, … of each query without a loop: a running index, shifted per query.
        index = np.arange(len(query), dtype=np.int64) + np.repeat(first - (ends - counts), counts)
        items = self.items[index].astype(np.int64)
        others = items != own[start:stop][query]
        return query[others], items[others], self.levels[index][others]

    def levels_of(self, start: int, stop: int, query: NDArray[np.int64], items: NDArray[np.int64]) -> NDArray[np.uint8]:
        """(n,) uint8, level of each of `items` (-1 for none) for `query`, which counts from `start`."""
        if not len(query):
            return np.zeros(0, np.uint8)
        # Queries of one class share a row of the table of levels, so that Core55 needs one per class and not per query.
        groups, local = np.unique(self.group[start:stop], return_inverse=True)
        first = self.indptr[groups]
        counts = self.indptr[groups + 1] - first
        row = np.repeat(np.arange(len(groups), dtype=np.int64), counts)
        index = np.arange(len(row), dtype=np.int64) + np.repeat(first - (np.cumsum(counts) - counts), counts)
        levels = np.zeros(len(groups) * self.n_models + 1, np.uint8)  # the last cell is for items of -1
        levels[row * self.n_models + self.items[index]] = self.levels[index]
        cells = (local * self.n_models)[query] + items
        is_unknown = items < 0
        if np.any(is_unknown):
            # Index -1 is the last cell, which is 0.
            cells[is_unknown] = -1
        return levels[cells]

    @shared_array
    def _group_of_item(self) -> NDArray[np.int64]:
        return np.repeat(np.arange(len(self.indptr) - 1, dtype=np.int64), np.diff(self.indptr))

    @shared_array
    def _cells(self) -> NDArray[np.int64]:
        """(nnz,) group and model as one ascending number."""
        return self._group_of_item * self.n_models + self.items

    @shared_array
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
        cells = self.group[query] * self.n_models + own[query]
        # `_cells` is ascending, so a binary search finds them; clipped for queries after the last cell.
        index = np.minimum(np.searchsorted(self._cells, cells), len(self.items) - 1)
        listed = self._cells[index] == cells
        sizes[query[listed], self.levels[index[listed]].astype(np.int64) - 1] -= 1
        return sizes


def is_too_hard_or_easy(levels: NDArray[np.uint8], difficulty: Difficulty) -> NDArray[np.bool_]:
    """Which models of these levels are junk at a difficulty; see `Profile.difficulty`."""
    if difficulty == "medium":
        return np.zeros(len(levels), np.bool_)
    return levels == 1 if difficulty == "easy" else levels > 1


def classes_as_truth(
    labels: ArrayLike, query_labels: ArrayLike | None = None, members: ArrayLike | None = None
) -> Truth:
    """Relevant models from classes: those of the class of the query, at level 1.

    Parameters
    ----------
    labels : (N,) int, class of each model, -1 for none.
    query_labels : (Q,) int, class of each query; None if the models are the queries.
    members : (Q,) int, index of each query in the collection, -1 if it is not in it. None: the same index if the models
        are the queries, else -1.

    Examples
    --------
    >>> truth = classes_as_truth([0, 0, 1])
    >>> truth.class_sizes(truth.own(drop=True)).tolist()
    [[1], [1], [0]]
    """
    classes = np.asarray(labels, np.int64)
    labels_of_queries = classes if query_labels is None else np.asarray(query_labels, np.int64)
    if members is None:
        members = np.arange(len(classes)) if query_labels is None else np.full(len(labels_of_queries), -1)
    used_labels, group = np.unique(labels_of_queries, return_inverse=True)
    order = np.argsort(classes, kind="stable")
    first, last = (np.searchsorted(classes[order], used_labels, side=side) for side in ("left", "right"))
    # Models without a class do not form a class: a query without one has no relevant models.
    last = np.where(used_labels < 0, first, last)
    parts = [order[start:stop] for start, stop in zip(first, last, strict=True)]
    items = np.concatenate([np.zeros(0, np.int64), *parts]).astype(np.int32)
    return Truth(
        group=group.astype(np.int64),
        indptr=np.concatenate([[0], np.cumsum(last - first)]).astype(np.int64),
        items=items,
        levels=np.ones(len(items), np.uint8),
        members=np.asarray(members, np.int32),
        n_models=len(classes),
    )


def pairs_as_truth(levels: Sequence[Mapping[int, int]], n_models: int, members: ArrayLike | None = None) -> Truth:
    """Relevant models from relevance levels by query and model; other pairs are not relevant.

    Parameters
    ----------
    levels : for each query {model: level}; levels of 0 and below mean not relevant.
    n_models : number of models in the collection.
    members : as in `classes_as_truth`; None if no query is in the collection.
    """
    rows = [sorted((model, level) for model, level in row.items() if level > 0) for row in levels]
    flat = np.array([pair for row in rows for pair in row], np.int64).reshape(-1, 2)
    return Truth(
        group=np.arange(len(rows), dtype=np.int64),
        indptr=np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64),
        items=flat[:, 0].astype(np.int32),
        levels=flat[:, 1].astype(np.uint8),
        members=np.full(len(rows), -1, np.int32) if members is None else np.asarray(members, np.int32),
        n_models=n_models,
        highest_level=int(flat[:, 1].max(initial=1)),
    )
