"""The first lines of a file as they are understood, as a table."""

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QByteArray, QModelIndex, QObject, QPersistentModelIndex, Qt

from shrec_viewer.formats.preview import Preview

PASSED_OVER_ROLE = Qt.ItemDataRole.UserRole + 1
"""Whether the line is not read as an answer."""

NOTE = "What becomes of the line"
"""Head of the last column, where any line is not simply read."""


class ImportRows(QAbstractTableModel):
    """The rows of a `Preview`; the last column says what is odd about a line, where anything is."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._preview: Preview | None = None
        self._has_notes = False

    def set_preview(self, preview: Preview | None) -> None:
        """Show this one; None for none."""
        self.beginResetModel()
        self._preview = preview
        self._has_notes = preview is not None and any(row.note for row in preview.rows)
        self.endResetModel()

    def roleNames(self) -> dict[int, QByteArray]:
        """Qt override."""
        return {**super().roleNames(), PASSED_OVER_ROLE: QByteArray(b"passed_over")}

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008 - Qt's way
        """Qt override."""
        return 0 if parent.isValid() or self._preview is None else len(self._preview.rows)

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008 - Qt's way
        """Qt override."""
        return 0 if parent.isValid() or self._preview is None else len(self._preview.columns) + self._has_notes

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Qt override; rows are headed by their line."""
        if self._preview is None or role != Qt.ItemDataRole.DisplayRole:
            return None
        if orientation == Qt.Orientation.Vertical:
            line = self._preview.rows[section].line
            return "" if line is None else f"{line:,}"
        columns = self._preview.columns
        return columns[section].title if section < len(columns) else NOTE

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Qt override."""
        if self._preview is None or not index.isValid() or index.row() >= len(self._preview.rows):
            return None
        row, columns = self._preview.rows[index.row()], self._preview.columns
        if role == Qt.ItemDataRole.DisplayRole:
            if index.column() >= len(columns):
                return row.note
            return row.cells[index.column()] if index.column() < len(row.cells) else ""
        if role == PASSED_OVER_ROLE:
            return bool(row.note) or (
                index.column() < len(columns) and columns[index.column()].meaning in ("ignored", "text")
            )
        return None
