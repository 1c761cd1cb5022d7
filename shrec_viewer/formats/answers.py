"""A run as ranked lists to be written, whatever it was read from."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import DistanceMatrix, RankedLists, Run


@dataclass(frozen=True, eq=False)
class WrittenList:
    """The list of one query, best first; only models of the collection.

    Attributes
    ----------
    query : place of the query.
    items : (n,) int32.
    distances : (n,) float64, smaller is nearer; None where the run has none.
    unknown : entries left out because they name no model of the collection.
    """

    query: int
    items: NDArray[np.int32]
    distances: NDArray[np.float64] | None
    unknown: int = 0

    @property
    def rises(self) -> bool:
        """Whether there are distances, all of them numbers, and none is smaller than the one before."""
        far = self.distances
        return far is not None and not np.isnan(far).any() and bool(np.all(far[1:] >= far[:-1]))

    def once_each(self) -> "WrittenList":
        """The list with the first entry of each model only."""
        _, first = np.unique(self.items, return_index=True)
        if len(first) == len(self.items):
            return self
        kept = np.sort(first)
        far = self.distances[kept] if self.distances is not None else None
        return WrittenList(self.query, self.items[kept], far, self.unknown)


def lists_of(run: Run) -> Iterator[WrittenList]:
    """The lists of the queries that a run answers, in the order of the queries.

    A row of a matrix is sorted: equal distances by column, what is no number last; a similarity becomes its negative.
    """
    ranking = run.ranking
    for query in np.flatnonzero(ranking.present).tolist():
        yield _of_row(ranking, query) if isinstance(ranking, DistanceMatrix) else _of_lines(ranking, query)


def _of_row(matrix: DistanceMatrix, query: int) -> WrittenList:
    known = np.flatnonzero(matrix.columns >= 0)
    line = np.asarray(matrix.values[matrix.rows[query]], np.float64)[known]
    line = -line if matrix.similarity else line
    order = np.argsort(line, kind="stable")  # NaN go last
    return WrittenList(query, matrix.columns[known[order]], line[order])


def _of_lines(lists: RankedLists, query: int) -> WrittenList:
    rows = lists.rows(query)
    items = lists.items[rows]
    known = items >= 0
    far = lists.distances[rows][known] if lists.distances is not None else None
    return WrittenList(query, items[known], far, int((~known).sum()))
