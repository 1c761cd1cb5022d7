"""A run: ranked lists or a distance matrix for all queries."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

UNKNOWN_ITEM = -1
"""`RankedLists.items` where a list names something that is not in the collection."""


@dataclass(frozen=True, eq=False)
class RankedLists:
    """Ranked lists as submitted, as compressed sparse rows; nothing is removed yet.

    Attributes
    ----------
    indptr : (Q + 1,) int64; the list of query q is ``indptr[q]:indptr[q + 1]``, best first.
    items : (nnz,) int32, models; `UNKNOWN_ITEM` for ids outside the collection; repetitions stand where they stood.
        What happens to both is a policy of the profile (see `metrics.ranking`).
    distances : (nnz,) float64 or None. Smaller is nearer. NaN where the file says so or says nothing.
    present : (Q,) bool. False: the run has no answer to the query at all. A present, empty list is something else.
    by_score : the format defines the order by score (TREC); else the order of the lines is the ranking, whatever the
        distances say.
    """

    indptr: NDArray[np.int64]
    items: NDArray[np.int32]
    distances: NDArray[np.float64] | None
    present: NDArray[np.bool_]
    by_score: bool = False

    def __len__(self) -> int:
        return len(self.indptr) - 1

    def rows(self, query: int) -> slice:
        """Where the list of `query` stands in `items` and `distances`."""
        return slice(int(self.indptr[query]), int(self.indptr[query + 1]))


@dataclass(frozen=True, eq=False)
class DistanceMatrix:
    """A matrix of distances, mapped from its file where the format allows.

    Attributes
    ----------
    values : (R, M) float; row r holds the distances of one query to M models.
    rows : (Q,) int32, row of each query; -1 where the matrix has none.
    columns : (M,) int32, model of each column, distinct; -1 for a column that is no model of the collection.
    similarity : larger is nearer.
    """

    values: NDArray[np.floating]
    rows: NDArray[np.int32]
    columns: NDArray[np.int32]
    similarity: bool = False

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def present(self) -> NDArray[np.bool_]:
        """(Q,) bool, whether the matrix answers each query."""
        return self.rows >= 0


@dataclass(frozen=True, eq=False)
class Run:
    """A submitted run.

    Attributes
    ----------
    name : unique within the benchmark (``"M2"``).
    participant : who submitted it (``"Makadia"``); the run's name without its number where nobody said.
    source : file or folder it was read from.
    ranking : the answers, for the benchmark's queries in their order.
    """

    name: str
    participant: str
    source: Path
    ranking: RankedLists | DistanceMatrix

    @property
    def present(self) -> NDArray[np.bool_]:
        """(Q,) bool, whether the run answers each query."""
        return self.ranking.present
