"""Rank changes of relevant models between two lists of one query."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.evaluation.ranked_list import RankedList

NOT_LISTED = 0
"""Rank of a model that is not in a list."""

TOP = 10
"""Number of ranks on a first page of results; models that enter or leave these ranks are counted."""


@dataclass(frozen=True)
class RankShift:
    """A relevant model in both lists: its index in the collection, its level, its 1-based ranks (0: not listed)."""

    item: int
    level: int
    rank_a: int
    rank_b: int

    @property
    def moved_up(self) -> bool:
        """Whether its rank is better in the second list, or it is listed only there."""
        return self.rank_b != NOT_LISTED and (self.rank_a == NOT_LISTED or self.rank_b < self.rank_a)


def ranks_in(ranked_list: RankedList, items: NDArray[np.int32]) -> NDArray[np.int64]:
    """(n,) int64, 1-based rank of each of `items` in a list; `NOT_LISTED` if it is not there.

    Examples
    --------
    >>> import numpy as np
    >>> nothing = np.zeros(0, np.int32)
    >>> listed = np.array([7, 3, 9], np.int32)
    >>> ranked_list = RankedList(listed, np.zeros(3), np.zeros(3, np.uint8), np.zeros(3, bool), listed, False, nothing)
    >>> ranks_in(ranked_list, np.array([9, 4, 7], np.int32)).tolist()
    [3, 0, 1]
    """
    if not len(ranked_list.items) or not len(items):
        return np.zeros(len(items), np.int64)
    order = np.argsort(ranked_list.items, kind="stable")
    ordered = ranked_list.items[order]
    found = np.minimum(np.searchsorted(ordered, items), len(ordered) - 1)
    return np.where((ordered[found] == items) & (items >= 0), order[found] + 1, NOT_LISTED).astype(np.int64)


def rank_shifts(a: RankedList, b: RankedList) -> tuple[RankShift, ...]:
    """Every relevant model in at least one of the lists, the largest shifts first.

    The size of a shift is the change of ``level / rank``: from 38 to 2 is large, from 938 to 902 is not. A model that
    is not listed has rank infinity. Equal shifts are ordered by rank in `b`.
    """
    items = np.unique(np.concatenate([a.items[a.levels > 0], b.items[b.levels > 0]])).astype(np.int32)
    ranks_a, ranks_b = ranks_in(a, items), ranks_in(b, items)
    levels = np.where(ranks_a > 0, a.levels[ranks_a - 1] if len(a) else 0, b.levels[ranks_b - 1] if len(b) else 0)
    size = np.abs(_reciprocal_ranks(ranks_b) - _reciprocal_ranks(ranks_a)) * levels
    order = np.lexsort((np.where(ranks_b > 0, ranks_b, np.iinfo(np.int64).max), -size))
    return tuple(RankShift(int(items[i]), int(levels[i]), int(ranks_a[i]), int(ranks_b[i])) for i in order)


def _reciprocal_ranks(ranks: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.where(ranks > 0, 1.0 / np.maximum(ranks, 1), 0.0)


def entering_top(a: RankedList, b: RankedList, top: int = TOP) -> tuple[int, int]:
    """Number of relevant models within the first ranks of `b` but not of `a`, and of `a` but not of `b`."""
    first_a, first_b = set(_relevant_in_top(a, top)), set(_relevant_in_top(b, top))
    return len(first_b - first_a), len(first_a - first_b)


def _relevant_in_top(ranked_list: RankedList, top: int) -> list[int]:
    return [int(item) for item in ranked_list.items[:top][ranked_list.levels[:top] > 0]]
