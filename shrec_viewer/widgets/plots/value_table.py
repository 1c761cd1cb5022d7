"""Values of a plot as a table that can be copied and saved."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QEvent, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from shrec_viewer.number_format import SHARE_DECIMALS, format_fixed
from shrec_viewer.printable import separated_text
from shrec_viewer.widgets.controls.controls import overrides_copy

Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, eq=False)
class ValueColumn:
    """A column of numbers.

    Attributes
    ----------
    title : header text.
    values : (K,) float64; NaN is an empty cell.
    decimals : number of decimals shown; 0 for ranks. Copied and saved text has full precision.
    """

    title: str
    values: NDArray[np.float64]
    decimals: int = SHARE_DECIMALS

    def text(self, row: int) -> str:
        """A value as shown; "" for NaN."""
        value = float(self.values[row]) if row < len(self.values) else math.nan
        return "" if math.isnan(value) else format_fixed(value, self.decimals)

    def exact(self, row: int) -> str:
        """A value in full precision without separators; "" for NaN."""
        value = float(self.values[row]) if row < len(self.values) else math.nan
        if math.isnan(value):
            return ""
        return str(int(value)) if value == int(value) and self.decimals == 0 else repr(value)


class ValueTableModel(QAbstractTableModel):
    """Item model with columns of numbers."""

    def __init__(self, parent: Any = None) -> None:
        super().__init__(parent)
        self.columns: tuple[ValueColumn, ...] = ()

    def set_columns(self, columns: Sequence[ValueColumn]) -> None:
        """Show these columns."""
        self.beginResetModel()
        self.columns = tuple(columns)
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Length of the longest column."""
        return 0 if parent.isValid() else max((len(column.values) for column in self.columns), default=0)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Number of columns."""
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Formatted value, alignment, and accessible text with the title."""
        column = self.columns[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.text(index.row())
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{column.title}: {column.text(index.row()) or 'none'}"
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Title of a column and its alignment."""
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return self.columns[section].title
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None


class ValueTable(QTableView):
    """Table of numbers; a copy includes the column titles."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = ValueTableModel(self)
        self.setModel(self._model)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ContiguousSelection)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setCornerButtonEnabled(False)
        self.setShowGrid(False)
        self.setAlternatingRowColors(True)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 6)
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setResizeContentsPrecision(20)
        self.setAccessibleName("Values of the graph")

    @property
    def columns(self) -> tuple[ValueColumn, ...]:
        """The columns shown."""
        return self._model.columns

    def set_columns(self, columns: Sequence[ValueColumn]) -> None:
        """Show these columns."""
        self._model.set_columns(columns)
        self.resizeColumnsToContents()

    def event(self, event: QEvent) -> bool:
        """Override the window's shortcut for copying while the table has the focus."""
        return overrides_copy(event) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy with column titles."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        else:
            super().keyPressEvent(event)

    def copy(self) -> None:
        """Copy the selected cells, or the whole table if fewer than two are selected, as tab-separated text."""
        QGuiApplication.clipboard().setText(self.copied())

    def copied(self) -> str:
        """The text that `copy` puts on the clipboard."""
        selected = self.selectionModel().selectedIndexes()
        if len(selected) < 2:
            return self.to_text("\t")
        rows = range(min(i.row() for i in selected), max(i.row() for i in selected) + 1)
        columns = range(min(i.column() for i in selected), max(i.column() for i in selected) + 1)
        return columns_as_text([self.columns[column] for column in columns], rows, "\t")

    def to_text(self, separator: str = ",") -> str:
        """The whole table as separated text in full precision."""
        return columns_as_text(self.columns, range(self._model.rowCount()), separator)


def columns_as_text(columns: Sequence[ValueColumn], rows: range, separator: str) -> str:
    r"""Rows of columns as separated text below the titles; a title that contains the separator is quoted.

    Examples
    --------
    >>> columns = [ValueColumn("Rank", np.array([1.0, 2.0]), 0), ValueColumn("A, B", np.array([0.5, np.nan]))]
    >>> columns_as_text(columns, range(2), ",")
    'Rank,"A, B"\n1,0.5\n2,\n'
    """
    cells = ([column.exact(row) for column in columns] for row in rows)
    return separated_text([[column.title for column in columns], *cells], separator)
