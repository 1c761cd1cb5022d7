"""The queries filtered by a text and a class and put in order, without changing what they are."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractProxyModel, QModelIndex, QObject, QPersistentModelIndex, Slot

from shrec_viewer.formats.naming import natural_order
from shrec_viewer.viewmodels.queries_filter import meant
from shrec_viewer.viewmodels.queries_model import SCORED, QueriesModel

ORDERS = ("file", "id", "class", "worst", "best", "change", "loss", "gain", "spread")
"""How queries can stand: as in the benchmark, by id or class, lowest or highest value first, largest difference to the
run compared with first (either way, negative, positive), those first on which the runs differ most."""

COMPARING = ("change", "loss", "gain")
"""Those of `ORDERS` that need a run to compare with."""

ANY_CLASS = ""
"""For `QueriesOrder.set_class`: no class in particular. No class has an empty name."""

Index = QModelIndex | QPersistentModelIndex


class QueriesOrder(QAbstractProxyModel):
    """Shows those queries that a text means, in one of `ORDERS`.

    Qt's own proxy asks for every comparison: a second for 10,000 queries. Here order and filter are arrays.
    """

    def __init__(self, queries: QueriesModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._queries = queries
        self._text = ""
        self._class = ANY_CLASS
        self._order = ORDERS[0]
        self._ids: list[str] = []
        self._classes: list[str] = []
        self._by_id: NDArray[np.int64] | None = None
        self._rows: NDArray[np.int64] = np.zeros(0, np.int64)
        self._places: NDArray[np.int64] = np.zeros(0, np.int64)
        self.setSourceModel(queries)
        queries.modelAboutToBeReset.connect(self.beginResetModel)
        queries.modelReset.connect(self._take_queries)
        queries.dataChanged.connect(self._take_data)
        self._read()

    @property
    def order(self) -> str:
        """One of `ORDERS`."""
        return self._order

    @property
    def total(self) -> int:
        """Queries there are, shown or not."""
        return len(self._ids)

    def classes(self) -> list[str]:
        """Names of the classes that queries have, in order."""
        names = sorted(set(self._classes) - {""})
        return [names[place] for place in natural_order(names)]

    def set_text(self, text: str) -> None:
        """Show the queries that `text` means; see `meant`."""
        if text.strip().casefold() != self._text:
            self._text = text.strip().casefold()
            self._show()

    def set_class(self, name: str) -> None:
        """Show the queries of this class, or of any for `ANY_CLASS`."""
        if name != self._class:
            self._class = name
            self._show()

    def set_order(self, order: str) -> None:
        """Put the queries in this order; equal ones stay as in the benchmark."""
        if order != self._order:
            self._order = order
            self._show()

    def query_of(self, row: int) -> int:
        """Place in the benchmark of what stands in `row` here; -1 for nothing."""
        return int(self._rows[row]) if 0 <= row < len(self._rows) else -1

    def row_of(self, query: int) -> int | None:
        """Where a query of the benchmark stands here; None where the filter hides it."""
        place = int(self._places[query]) if 0 <= query < len(self._places) else -1
        return place if place >= 0 else None

    # What a model has to answer.

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's way
        """Qt override."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's way
        """Qt override."""
        return 0 if parent.isValid() else 1

    def index(self, row: int, column: int = 0, parent: Index = QModelIndex()) -> QModelIndex:  # noqa: B008 - Qt's way
        """Qt override."""
        inside = 0 <= row < len(self._rows) and column == 0 and not parent.isValid()
        return self.createIndex(row, column) if inside else QModelIndex()

    def parent(self, child: Index | None = None) -> QModelIndex | QObject:  # type: ignore[override]
        """Qt override; without an index the object it belongs to."""
        return super().parent() if child is None else QModelIndex()

    def mapToSource(self, proxyIndex: Index) -> QModelIndex:  # noqa: N802, N803 - Qt's names
        """Qt override."""
        return self._queries.index(self.query_of(proxyIndex.row())) if proxyIndex.isValid() else QModelIndex()

    def mapFromSource(self, sourceIndex: Index) -> QModelIndex:  # noqa: N802, N803 - Qt's names
        """Qt override."""
        row = self.row_of(sourceIndex.row()) if sourceIndex.isValid() else None
        return QModelIndex() if row is None else self.index(row)

    # The inside.

    @Slot()
    def _take_queries(self) -> None:
        self._text, self._class = "", ANY_CLASS
        self._read()
        self.endResetModel()

    def _read(self) -> None:
        self._ids, self._classes = self._queries.texts()
        self._by_id = None
        self._set(self._wanted())

    @Slot(QModelIndex, QModelIndex, "QList<int>")
    def _take_data(self, first: QModelIndex, last: QModelIndex, roles: list[int]) -> None:
        """Numbers may change the order; pictures only their own rows."""
        if not roles or set(roles) & set(SCORED):
            self._show()
            if len(self._rows):
                self.dataChanged.emit(self.index(0), self.index(len(self._rows) - 1), roles)
            return
        places = self._places[first.row() : last.row() + 1]
        if (seen := places[places >= 0]).size:
            self.dataChanged.emit(self.index(int(seen.min())), self.index(int(seen.max())), roles)

    def _show(self) -> None:
        """Show what is wanted now; where only the order is another, views keep place and current row."""
        wanted = self._wanted()
        if np.array_equal(wanted, self._rows):
            return
        if len(wanted) != len(self._rows):
            self.beginResetModel()
            self._set(wanted)
            self.endResetModel()
            return
        self.layoutAboutToBeChanged.emit()
        kept = self.persistentIndexList()
        queries = [self.query_of(index.row()) for index in kept]
        self._set(wanted)
        moved = [self.index(-1 if (row := self.row_of(query)) is None else row) for query in queries]
        self.changePersistentIndexList(kept, moved)
        self.layoutChanged.emit()

    def _set(self, rows: NDArray[np.int64]) -> None:
        self._rows = rows
        self._places = np.full(len(self._ids), -1, np.int64)
        self._places[rows] = np.arange(len(rows))

    def _wanted(self) -> NDArray[np.int64]:
        """(n,) int64, places in the benchmark of what is to be shown, in order."""
        order = self._ordered()
        if not self._text and self._class == ANY_CLASS:
            return order
        kept = meant(self._text, self._ids, self._classes)
        if self._class != ANY_CLASS:
            kept &= np.array([name == self._class for name in self._classes], np.bool_)
        return order[kept[order]]

    def _ordered(self) -> NDArray[np.int64]:
        facts, count = self._queries.facts, len(self._ids)
        if self._order == "file":
            return np.arange(count)
        if self._order == "id":
            if self._by_id is None:
                self._by_id = natural_order(self._ids).astype(np.int64)
            return self._by_id
        if self._order == "class":
            known = {name: place for place, name in enumerate((*self.classes(), ""))}
            return np.argsort([known[name] for name in self._classes], kind="stable").astype(np.int64)
        key = {
            "worst": facts.values,
            "best": -facts.values,
            "change": -np.abs(facts.differences),
            "loss": facts.differences,
            "gain": -facts.differences,
            "spread": -facts.spread,
        }[self._order]
        return np.argsort(key, kind="stable")  # what is undefined says nothing: NaN stands last either way
