"""The queries filtered by a text and put in order, without changing what they are."""

import math

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QSortFilterProxyModel

from shrec_viewer.viewmodels.queries_model import QueriesModel, QueryRole

ORDERS = ("file", "worst", "best", "class")
"""How queries can stand: as in the benchmark, lowest or highest score first, by class."""


class QueriesOrder(QSortFilterProxyModel):
    """Shows those queries whose id or class contains a text, in one of `ORDERS`."""

    def __init__(self, queries: QueriesModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._text = ""
        self._order = ORDERS[0]
        self.setDynamicSortFilter(True)
        self.setSourceModel(queries)

    @property
    def order(self) -> str:
        """One of `ORDERS`."""
        return self._order

    def set_text(self, text: str) -> None:
        """Show the queries that contain `text`; case does not matter."""
        self._text = text.strip().casefold()
        self.invalidate()

    def set_order(self, order: str) -> None:
        """Put the queries in this order; equal ones stay as in the benchmark."""
        self._order = order
        self.sort(-1 if order == "file" else 0)
        self.invalidate()

    def query_of(self, row: int) -> int:
        """Place in the benchmark of what stands in `row` here; -1 for nothing."""
        return self.mapToSource(self.index(row, 0)).row()

    def row_of(self, query: int) -> int | None:
        """Where a query of the benchmark stands here; None where the filter hides it."""
        index = self.mapFromSource(self.sourceModel().index(query, 0))
        return index.row() if index.isValid() else None

    def filterAcceptsRow(self, source_row: int, source_parent: QModelIndex | QPersistentModelIndex) -> bool:
        """Qt override."""
        if not self._text:
            return True
        index = self.sourceModel().index(source_row, 0, source_parent)
        texts = (index.data(QueryRole.QUERY_ID), index.data(QueryRole.CLASS_NAME))
        return any(self._text in text.casefold() for text in texts)

    def lessThan(self, left: QModelIndex | QPersistentModelIndex, right: QModelIndex | QPersistentModelIndex) -> bool:
        """Qt override."""
        return self._key(left) < self._key(right)

    def _key(self, index: QModelIndex | QPersistentModelIndex) -> tuple[float | str, int]:
        if self._order == "class":
            return index.data(QueryRole.CLASS_NAME).casefold(), index.row()
        score = float(index.data(QueryRole.SCORE))
        if math.isnan(score):
            # Undefined scores say nothing: they stand behind all others either way.
            return math.inf, index.row()
        return (-score if self._order == "best" else score), index.row()
