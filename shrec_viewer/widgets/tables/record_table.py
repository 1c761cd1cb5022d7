"""The table model of all tables but those of scores: a `Table` with keys of its rows, sorted and filtered."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from shrec_viewer.charts.table import DIGITS, Cell, Table, TableColumn, is_undefined
from shrec_viewer.number_format import format_fixed
from shrec_viewer.printable import printable, separated_text

#: `Mark` of a cell, or None.
MARK_ROLE = Qt.ItemDataRole.UserRole + 1

#: Rows up to which those with the keys of rows shown before are kept in the view; matching takes up to 20 ms.
MAX_MATCHED_ROWS = 300

NO_TABLE = Table("", "", (), ())

ALIGNED_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True)
class Mark:
    """What is painted in a cell besides its text.

    Attributes
    ----------
    icon, token : name and colour of an icon before the text, or in the centre of a cell without text; "" for none.
    share : fraction done in [0, 1], as a bar before the text; -1 for unknown, None for no bar.
    level : relevance level in whose colour the background is; None for none.
    note : muted text in a second line; "" for none.
    """

    icon: str = ""
    token: str = ""
    share: float | None = None
    level: int | None = None
    note: str = ""


@dataclass(frozen=True, eq=False)
class _Content:
    """What `RecordTableModel.set_table` was given, and the headers."""

    table: Table
    keys: Sequence[Hashable] = ()
    headers: tuple[str, ...] = ()
    tips: Sequence[str] | Callable[[int, int], str] = ()
    marks: Callable[[int, int], Mark | None] | None = None
    sort_keys: Mapping[int, Callable[[int], Any]] = field(default_factory=dict)

    def tip(self, row: int, column: int) -> str:
        if callable(self.tips):
            return self.tips(row, column)
        return self.tips[row] if self.tips else ""


class RecordTableModel(QAbstractTableModel):
    """A `Table` in the given order until it is sorted; rows are addressed by the order shown.

    Attributes
    ----------
    filter_text : words of the filter, in lower case; "" for none.

    Signals
    -------
    changed()
        Rows, values or the order of the rows changed. Views have their current row again.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.is_changing = False
        self._content = _Content(NO_TABLE)
        self._rows: list[int] = []  # those shown
        self._sorting = -1, False  # column, whether descending
        self.filter_text = ""

    # Contents.

    def set_table(
        self,
        table: Table,
        keys: Sequence[Hashable] = (),
        *,
        headers: Iterable[str] = (),
        tips: Sequence[str] | Callable[[int, int], str] = (),
        marks: Callable[[int, int], Mark | None] | None = None,
        sort_keys: Mapping[int, Callable[[int], Any]] | None = None,
    ) -> None:
        """Show another table, in which rows with the keys of rows shown before stay current, selected and edited.

        Parameters
        ----------
        keys : (R,) identities of the rows; by default their indices.
        headers : (C,) titles of the columns; by default those of the table.
        tips : (R,) tooltips of the rows, or a function of row and column of the table.
        marks : function of row and column of the table.
        sort_keys : by index of a column, function of the row of the table by which it is sorted instead of its cells.
        """
        names = tuple(headers) or tuple(column.title or column.key for column in table.columns)
        content = _Content(table, keys or range(len(table.rows)), names, tips, marks, sort_keys or {})
        rows = self._shown_rows(content)
        is_matched = names == self._content.headers and max(len(rows), len(self._rows)) <= MAX_MATCHED_ROWS
        self.is_changing = True
        (self._match if is_matched else self._reset)(content, rows)
        self._end_change()

    def set_filter(self, text: str) -> None:
        """Show only the rows that contain all words of a text."""
        if (words := " ".join(text.casefold().split())) != self.filter_text:
            self.filter_text = words
            self._arrange()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column; stable; -1 for the given order."""
        self._sorting = column, order == Qt.SortOrder.DescendingOrder
        self._arrange()

    def _arrange(self) -> None:
        self.is_changing = True
        self._reset(self._content, self._shown_rows(self._content))
        self._end_change()

    def _end_change(self) -> None:
        self.is_changing = False
        self.changed.emit()

    def _shown_rows(self, content: _Content) -> list[int]:
        column, is_descending = self._sorting
        return content.table.shown_rows(
            self.filter_text,
            column if column < len(content.headers) else -1,
            is_descending=is_descending,
            key=content.sort_keys.get(column),
        )

    def _reset(self, content: _Content, rows: list[int]) -> None:
        self.beginResetModel()
        self._content, self._rows = content, rows
        self.endResetModel()

    def _match(self, content: _Content, rows: list[int]) -> None:
        """Remove and insert rows, so that views keep the rows of the other keys, with an open editor."""
        old, new = self.keys, [content.keys[row] for row in rows]
        changes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        for change, first, end, _, _ in reversed(changes):
            if change in ("delete", "replace"):
                self.beginRemoveRows(QModelIndex(), first, end - 1)
                del self._rows[first:end]
                self.endRemoveRows()
        former = self._content.table, self._rows
        self._content = content
        self._rows = [row for change, _, _, *ends in changes if change == "equal" for row in rows[slice(*ends)]]
        self._emit_changed_cells(*former)
        for change, _, _, first, end in changes:
            if change in ("insert", "replace"):
                self.beginInsertRows(QModelIndex(), first, end - 1)
                self._rows[first:first] = rows[first:end]
                self.endInsertRows()
        if content.headers:
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(content.headers) - 1)  # their alignment

    def _emit_changed_cells(self, table: Table, rows: list[int]) -> None:
        """Emit `dataChanged` for the cells that differ: for others it would replace the text in an open editor."""
        for column in range(self.columnCount()):
            cells = zip(rows, self._rows, strict=True)
            changed = [
                at for at, (a, b) in enumerate(cells) if table.rows[a][column] != self._content.table.rows[b][column]
            ]
            if changed:
                self.dataChanged.emit(self.index(changed[0], column), self.index(changed[-1], column))

    # Rows.

    @property
    def total(self) -> int:
        """Number of rows of the table, including those filtered out."""
        return len(self._content.table.rows)

    @property
    def keys(self) -> list[Hashable]:
        """Keys of the rows, in the order shown."""
        return [self._content.keys[row] for row in self._rows]

    @property
    def table(self) -> Table:
        """The table with the rows that are shown, in their order."""
        return self._content.table.with_rows(self._rows)

    def key(self, row: int) -> Hashable:
        """Key of a row; None for -1 and other numbers that are no rows."""
        return self._content.keys[self._rows[row]] if 0 <= row < len(self._rows) else None

    def row_of(self, key: Hashable) -> int:
        """Row with a key; -1 if it is filtered out or unknown."""
        keys = self.keys
        return keys.index(key) if key in keys else -1

    @property
    def sorting(self) -> str:
        """Key of the column that the rows are sorted by, with a minus if descending; "" for the given order."""
        column, is_descending = self._sorting
        columns = self._content.table.columns
        key = columns[column].key if 0 <= column < len(columns) else ""
        return f"-{key}" if is_descending and key else key

    def copied(
        self, rows: Iterable[int] | None = None, columns: Iterable[int] | None = None, *, exact: bool = False
    ) -> str:
        """Headers and cells as tab-separated text.

        Parameters
        ----------
        rows, columns : None for all.
        exact : numbers have full precision instead of what is shown.
        """
        content = self._content
        chosen = range(self.columnCount()) if columns is None else tuple(columns)
        lines = [[content.headers[column] for column in chosen]]
        for row in range(len(self._rows)) if rows is None else rows:
            cells = content.table.rows[self._rows[row]]
            lines.append([_copied_text(cells[column], content.table.columns[column], exact) for column in chosen])
        return separated_text(lines, "\t").removesuffix("\n")

    # Qt.

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008 - Qt's way
        """Number of rows; 0 below a row."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008 - Qt's way
        """Number of columns; 0 below a row."""
        return 0 if parent.isValid() else len(self._content.headers)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Title of a column, at the right above numbers."""
        if orientation == Qt.Orientation.Vertical or not 0 <= section < self.columnCount():
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._content.headers[section]
        is_above_numbers = self._content.table.columns[section].is_number and self.total > 0
        return ALIGNED_RIGHT if role == Qt.ItemDataRole.TextAlignmentRole and is_above_numbers else None

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Value of a cell for a role."""
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        content, row, at = self._content, self._rows[index.row()], index.column()
        column, cell = content.table.columns[at], content.table.rows[row][at]
        if role == Qt.ItemDataRole.DisplayRole:
            return cell_text(cell, column)
        if role == Qt.ItemDataRole.EditRole:
            return cell
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return ALIGNED_RIGHT if column.is_number else None
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleDescriptionRole):
            return content.tip(row, at) or None
        if role == Qt.ItemDataRole.AccessibleTextRole:
            title = content.headers[at]
            return f"{title}: {cell_text(cell, column) or 'none'}" if title else content.tip(row, at)
        return content.marks(row, at) if role == MARK_ROLE and content.marks is not None else None


class EditableTableModel(RecordTableModel):
    """A `RecordTableModel` with a column of texts that can be edited.

    Not the base class: Qt calls an override of `flags` for each cell that it selects.

    Signals
    -------
    edited(key, text)
        The user changed a text; the table still has the former one.
    """

    edited = Signal(object, str)

    def __init__(self, column: int, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._editable = column

    def flags(self, index: QModelIndex | QPersistentModelIndex) -> Qt.ItemFlag:
        """Whether a cell can be edited, besides Qt's flags."""
        flags = super().flags(index)
        is_editable = index.isValid() and index.column() == self._editable
        return flags | Qt.ItemFlag.ItemIsEditable if is_editable else flags

    def setData(
        self, index: QModelIndex | QPersistentModelIndex, value: Any, role: int = Qt.ItemDataRole.EditRole
    ) -> bool:
        """Emit an edited text."""
        if role != Qt.ItemDataRole.EditRole or index.column() != self._editable:
            return False
        if str(value) != index.data(role):
            self.edited.emit(self.key(index.row()), str(value))
        return True


def cell_text(cell: Cell, column: TableColumn) -> str:
    """Text of a cell: numbers as their column says, text on one line.

    Examples
    --------
    >>> column = TableColumn("change", is_number=True, shown_digits=4, is_difference=True)
    >>> cell_text(0.25, column), cell_text(0.25, TableColumn("mean")), cell_text(1200, TableColumn("pairs"))
    ('+0.2500', '0.250', '1200')
    >>> cell_text(1200, TableColumn("rank", shown_digits=0)), cell_text(None, TableColumn("note"))
    ('1,200', '')
    """
    if cell is None:
        return column.undefined
    if isinstance(cell, str):
        return printable(cell)
    if isinstance(cell, int) and column.shown_digits is None:
        return str(cell)
    digits = DIGITS if column.shown_digits is None else column.shown_digits
    return format_fixed(cell, digits, signed=column.is_difference)


def _copied_text(cell: Cell, column: TableColumn, exact: bool) -> str:
    if not exact:
        return cell_text(cell, column)
    return "" if is_undefined(cell) else str(cell)
