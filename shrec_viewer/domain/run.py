"""A run: ranked lists or a distance matrix for all queries."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

UNKNOWN_ITEM = -1
"""`RankedLists.items` of an id that is not in the collection."""


@dataclass(frozen=True, eq=False)
class RankedLists:
    """Ranked lists as submitted, as compressed sparse rows, including unknown and repeated ids.

    Attributes
    ----------
    indptr : (Q + 1,) int64; the list of query q is ``indptr[q]:indptr[q + 1]``, best first.
    items : (nnz,) int32, models; `UNKNOWN_ITEM` for ids outside the collection. The profile defines how these and
        repeated ids are treated (see `metrics.ranking`).
    distances : (nnz,) float64 or None; smaller is more similar. NaN for missing values.
    present : (Q,) bool; False if the run has no list for the query, which differs from an empty list.
    by_score : True if the format defines the ranking by score (TREC), False if by line.
    unknown : (nnz,) int32, index in `unknown_ids` of each item that is `UNKNOWN_ITEM`, else -1; None where equal scores
        are not ordered by id, as in rank lists.
    unknown_ids : distinct ids outside the collection, in file order.
    """

    indptr: NDArray[np.int64]
    items: NDArray[np.int32]
    distances: NDArray[np.float64] | None
    present: NDArray[np.bool_]
    by_score: bool = False
    unknown: NDArray[np.int32] | None = None
    unknown_ids: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.indptr) - 1

    def rows(self, query: int) -> slice:
        """Slice of `items` and `distances` with the list of a query."""
        return slice(int(self.indptr[query]), int(self.indptr[query + 1]))


class DistanceRows(Protocol):
    """Rows of distances: an array in memory, or an object that reads rows from a file when they are indexed."""

    @property
    def shape(self) -> tuple[int, ...]:
        """(R, M)."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the distances."""

    @property
    def ndim(self) -> int:
        """Number of axes."""

    @property
    def size(self) -> int:
        """Number of distances."""

    def __len__(self) -> int: ...

    def __getitem__(self, rows: Any, /) -> Any:
        """Rows in memory, for an integer, a slice or an array of integers."""

    def __array__(self) -> NDArray[Any]:
        """All rows in memory."""


@dataclass(frozen=True, eq=False)
class DistanceMatrix:
    """A matrix of distances, in memory or read from its file by blocks of rows.

    Attributes
    ----------
    values : (R, M) float; row r holds the distances of one query to M models. Index rows only, not columns: a matrix
        in a file raises FormatError when the file has changed since it was opened.
    rows : (Q,) int32, row of each query, or -1.
    columns : (M,) int32, distinct, model of each column; -1 for columns that are not models of the collection.
    similarity : True if larger values are more similar.
    column_ids : (M,) ids of the columns as written, of files with ids; else empty.
    """

    values: DistanceRows
    rows: NDArray[np.int32]
    columns: NDArray[np.int32]
    similarity: bool = False
    column_ids: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def present(self) -> NDArray[np.bool_]:
        """(Q,) bool, whether the matrix has a row for each query."""
        return self.rows >= 0


@dataclass(frozen=True, eq=False)
class Run:
    """A submitted run.

    Attributes
    ----------
    name : unique in the benchmark (``"M2"``).
    participant : who submitted it (``"Makadia"``); if unknown, the name without its number.
    source : file or folder of the run.
    ranking : results for the queries of the benchmark, in their order.
    """

    name: str
    participant: str
    source: Path
    ranking: RankedLists | DistanceMatrix

    @property
    def present(self) -> NDArray[np.bool_]:
        """(Q,) bool, whether the run has results for each query."""
        return self.ranking.present
