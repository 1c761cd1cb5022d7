"""Table model of plain records, sorted and filtered, for panels that list results."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from shrec_viewer.charts.table import Cell, sort_key
from shrec_viewer.number_format import format_fixed
from shrec_viewer.printable import printable


class Difference(float):
    """A number of a cell that is shown with its sign and four decimals."""


@dataclass(frozen=True)
class Record:
    """One row.

    Attributes
    ----------
    key : identity of the row, by which it stays selected when the rows change.
    cells : one per column; numbers are aligned right and sorted by value, None is empty.
    tip : tooltip of the row.
    """

    key: Hashable
    cells: tuple[Cell, ...]
    tip: str = ""


class RecordTableModel(QAbstractTableModel):
    """Rows of `Record`; in the given order until sorted."""

    def __init__(self, headers: Sequence[str], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._headers = tuple(headers)
        self._records: tuple[Record, ...] = ()
        self._numeric: set[int] = set()  # columns of numbers
        self._rows: list[int] = []
        self._sorting: tuple[int, bool] | None = None
        self._words: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        """Number of records, including those filtered out."""
        return len(self._records)

    @property
    def filter_text(self) -> str:
        """Words of the filter, in lower case; "" for none."""
        return " ".join(self._words)

    def sorted_by(self, keys: Sequence[str]) -> str:
        """`TableRequest.sort` for the order of the rows, with these keys of the columns; "" for the given order."""
        if self._sorting is None:
            return ""
        column, is_descending = self._sorting
        return f"{'-' if is_descending else ''}{keys[column]}" if keys[column] else ""

    @property
    def records(self) -> tuple[Record, ...]:
        """The records of the rows, in the order shown."""
        return tuple(self._records[row] for row in self._rows)

    def record(self, row: int) -> Record:
        """The record in a row."""
        return self._records[self._rows[row]]

    def row_of(self, key: Hashable) -> int:
        """Row of a record; -1 if it is filtered out or unknown."""
        return next((row for row, index in enumerate(self._rows) if self._records[index].key == key), -1)

    def set_records(self, records: Sequence[Record], headers: Sequence[str] | None = None) -> None:
        """Replace all records, and the headers unless they are None."""
        self._records = tuple(records)
        columns = enumerate(zip(*(record.cells for record in records), strict=False))
        self._numeric = {
            column
            for column, cells in columns
            if any(cell is not None for cell in cells)
            and all(cell is None or isinstance(cell, int | float) for cell in cells)
        }
        if headers is not None and tuple(headers) != self._headers:
            self._headers = tuple(headers)
            self._sorting = None
        self._arrange()

    def set_filter(self, text: str) -> None:
        """Show only the records that contain all words of a text."""
        if (words := tuple(text.casefold().split())) != self._words:
            self._words = words
            self._arrange()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column; stable; -1 for the given order."""
        self._sorting = (column, order == Qt.SortOrder.DescendingOrder) if column >= 0 else None
        self._arrange()

    def _arrange(self) -> None:
        self.beginResetModel()
        self._rows = [row for row, record in enumerate(self._records) if self.contains(record)]
        if self._sorting is not None:
            column, descending = self._sorting
            # Empty cells are last in both directions.
            filled = [row for row in self._rows if self._records[row].cells[column] is not None]
            empty = [row for row in self._rows if self._records[row].cells[column] is None]
            keys = {row: self.sort_key(self._records[row], column) for row in filled}
            self._rows = sorted(filled, key=keys.__getitem__, reverse=descending) + empty
        self.endResetModel()

    def sort_key(self, record: Record, column: int) -> Any:
        """What a column is sorted by."""
        return sort_key(record.cells[column])

    def contains(self, record: Record) -> bool:
        """Whether a record passes the filter."""
        if not self._words:
            return True
        text = " ".join("" if cell is None else str(cell) for cell in (*record.cells, record.tip)).casefold()
        return all(word in text for word in self._words)

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008 - Qt's way
        """Number of rows; 0 below a row."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008 - Qt's way
        """Number of columns; 0 below a row."""
        return 0 if parent.isValid() else len(self._headers)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Title of a column, above numbers at the right."""
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return self._headers[section]
        if role == Qt.ItemDataRole.TextAlignmentRole and section in self._numeric:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Value of a cell for a role."""
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        record = self._records[self._rows[index.row()]]
        cell = record.cells[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return cell_text(cell)
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleDescriptionRole):
            return record.tip or None
        if role == Qt.ItemDataRole.TextAlignmentRole and isinstance(cell, int | float):
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def as_rows(self) -> list[tuple[str, ...]]:
        """Header and shown rows as text, for the clipboard and for files."""
        return [self._headers, *(tuple(map(cell_text, self._records[row].cells)) for row in self._rows)]


def cell_text(cell: Cell) -> str:
    """Text of a cell: numbers with three decimals, text on one line."""
    if cell is None:
        return ""
    if isinstance(cell, Difference):
        return format_fixed(cell, 4, signed=True)
    return format_fixed(cell, 3) if isinstance(cell, float) else printable(str(cell))
