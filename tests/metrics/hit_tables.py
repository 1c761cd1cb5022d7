"""Hit tables from gain vectors as printed in the papers."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shrec_viewer.metrics import HitTable
from shrec_viewer.metrics.ranking.truth import Truth


@dataclass(frozen=True)
class Case:
    """One query: levels in the list, levels of the relevant models that are not in it, and size of the collection.

    `highest` is the highest level of the assessment; this query need not have it. `own` is the 1-based rank of the
    query itself before it was removed, 0 for none.
    """

    gains: tuple[int, ...]
    lacking: tuple[int, ...] = ()
    collection: int | None = None
    highest: int = 1
    own: int = 0

    @property
    def size(self) -> int:
        return len(self.gains) + len(self.lacking) if self.collection is None else self.collection

    @property
    def first_class(self) -> int:
        """1 where the first model is relevant, else 2; -1 for an empty list."""
        return -1 if not self.gains else 1 if self.gains[0] else 2

    def count(self, level: int) -> int:
        """Number of models of at least `level`."""
        return sum(gain >= level for gain in self.gains + self.lacking)


def table_of(cases: Sequence[Case]) -> HitTable:
    """Hit table of some queries of one assessment."""
    top = max([1, *(max((case.highest, *case.gains, *case.lacking)) for case in cases)])
    found = [[(rank, gain) for rank, gain in enumerate(case.gains, 1) if gain > 0] for case in cases]
    return HitTable(
        indptr=np.concatenate([[0], np.cumsum([len(row) for row in found])]).astype(np.int64),
        ranks=np.array([rank for row in found for rank, _ in row], np.int32),
        levels=np.array([gain for row in found for _, gain in row], np.uint8),
        list_length=np.array([len(case.gains) for case in cases], np.int64),
        class_sizes=np.array(
            [[case.count(level) - case.count(level + 1) for level in range(1, top + 1)] for case in cases], np.int64
        ).reshape(len(cases), top),
        collection_size=np.array([case.size for case in cases], np.int64),
        missing=np.zeros(len(cases), np.bool_),
        own_rank=np.array([case.own for case in cases], np.int32),
        # The relevant models have the class of the query.
        classes=np.array([(1, case.first_class) for case in cases], np.int32).reshape(-1, 2),
    )


def truth_of(levels: np.ndarray, members: np.ndarray) -> Truth:
    """Relevant models from the level of every model (Q, N)."""
    rows = [np.flatnonzero(row) for row in levels]
    return Truth(
        group=np.arange(len(levels)),
        indptr=np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64),
        items=np.concatenate([np.zeros(0, np.int32), *rows]).astype(np.int32),
        levels=levels[levels > 0].astype(np.uint8),
        members=members.astype(np.int32),
        n_models=levels.shape[1],
        highest_level=max(1, int(levels.max(initial=1))),
    )


def as_triples(hits: HitTable) -> list[tuple[int, int, int]]:
    """(query, rank, level) of every hit."""
    return list(zip(hits.query.tolist(), hits.ranks.tolist(), hits.levels.tolist(), strict=True))
