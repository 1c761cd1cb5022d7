"""Text lines with line numbers, and a table of the first lines of a file with column meanings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFontDatabase, QPainter, QPaintEvent, QResizeEvent, QTextCursor, QTextFormat
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QFrame,
    QHeaderView,
    QPlainTextEdit,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QTableWidget,
    QTableWidgetItem,
    QTextEdit,
    QWidget,
)

from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme

#: Margin in pixels left and right of the line numbers.
NUMBER_MARGIN = 2 * SPACE


class NumberedLinesView(QPlainTextEdit):
    """Read-only text view with line numbers, without wrapping.

    Attributes
    ----------
    first, marked : numbers of the first line and of the marked one; None for none.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = current_theme()
        self.first: int | None = None
        self.marked: int | None = None
        self._numbers = _LineNumbers(self)
        self.setReadOnly(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.setStyleSheet("QPlainTextEdit { border: none; border-radius: 0; padding: 0; }")
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.updateRequest.connect(self._scroll_numbers)

    def set_lines(self, lines: Sequence[str], first: int | None = 1, marked: int | None = None) -> None:
        """Show these lines.

        Parameters
        ----------
        first : number of the first line; None for no line numbers.
        marked : number of the line to mark and scroll to; None for none.
        """
        self.first, self.marked = first, marked
        self.setPlainText("\n".join(lines))
        self.setViewportMargins(self.numbers_width(), 0, 0, 0)
        self._position_numbers()
        self._mark()
        self._numbers.update()

    def set_theme(self, theme: Theme) -> None:
        """Set the theme."""
        self._theme = theme
        self._mark(scroll=False)
        self._numbers.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Resize the column of line numbers."""
        super().resizeEvent(event)
        self._position_numbers()

    def paint_numbers(self, event: QPaintEvent) -> None:
        """Paint the line numbers."""
        painter = QPainter(self._numbers)
        theme = self._theme
        painter.fillRect(event.rect(), theme.colour("window"))
        if self.first is None:
            return
        painter.setFont(self.font())
        block = self.firstVisibleBlock()
        top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
        width = self._numbers.width() - NUMBER_MARGIN
        while block.isValid() and top <= event.rect().bottom():
            height = self.blockBoundingRect(block).height()
            number = self.first + block.blockNumber()
            painter.setPen(theme.colour("warning" if number == self.marked else "muted"))
            painter.drawText(QRect(0, round(top), width, round(height)), Qt.AlignmentFlag.AlignRight, f"{number:,}")
            block, top = block.next(), top + height

    def numbers_width(self) -> int:
        """Width in pixels of the largest line number with its margins."""
        digits = "" if self.first is None else f"{self.first + self.blockCount() - 1:,}"
        return self.fontMetrics().horizontalAdvance(digits) + 2 * NUMBER_MARGIN if digits else NUMBER_MARGIN

    def _mark(self, *, scroll: bool = True) -> None:
        self.setExtraSelections([])
        if self.marked is None or self.first is None:
            return
        cursor = QTextCursor(self.document().findBlockByNumber(self.marked - self.first))
        selection = QTextEdit.ExtraSelection()
        selection.cursor = cursor
        selection.format.setBackground(self._theme.colour("warning_background"))
        selection.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
        self.setExtraSelections([selection])
        if scroll:
            self.setTextCursor(cursor)
            self.centerCursor()
            self.horizontalScrollBar().setValue(0)

    def _position_numbers(self) -> None:
        inside = self.contentsRect()
        self._numbers.setGeometry(QRect(inside.left(), inside.top(), self.numbers_width(), inside.height()))

    @Slot(QRect, int)
    def _scroll_numbers(self, _rect: QRect, _dy: int) -> None:
        self._numbers.update()


class _LineNumbers(QWidget):
    """Widget with the line numbers."""

    def __init__(self, view: NumberedLinesView) -> None:
        super().__init__(view)
        self._view = view

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the numbers of the visible lines."""
        self._view.paint_numbers(event)


ROW_HEIGHT = 24

#: Minimum and maximum width of a column in pixels.
COLUMN_WIDTH_LIMITS = (84, 260)

#: Minimum width in pixels of a column with a combo box in its header.
FIELD_COLUMN_WIDTH = 120

#: Whether a cell is not used.
IGNORED_ROLE = Qt.ItemDataRole.UserRole


@dataclass(frozen=True)
class PreviewTableColumn:
    """A column: its title, and the options for its meaning (key and label) with the current one, if there are any."""

    title: str
    choices: tuple[tuple[str, str], ...] = ()
    chosen: str = ""


@dataclass(frozen=True)
class PreviewTableRow:
    """A row: its title, and the text of each cell, with whether it is not used."""

    title: str
    cells: tuple[tuple[str, bool], ...]


class FilePreviewTable(QTableWidget):
    """Table of the first lines of a file; unused cells are grey.

    Signals
    -------
    option_picked(key)
        Another meaning of a column was selected.
    """

    option_picked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.fields: dict[int, QComboBox] = {}
        self._head = _MeaningHeader(self.fields, self)
        self._delegate = _PreviewDelegate(self)
        self.setHorizontalHeader(self._head)
        self.setItemDelegate(self._delegate)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        rows = self.verticalHeader()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setDefaultSectionSize(ROW_HEIGHT)
        rows.setDefaultAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        rows.setHighlightSections(False)
        rows.setStyleSheet("QHeaderView::section { border: none; font-weight: normal; }")
        self._head.setHighlightSections(False)
        self._head.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)

    def set_contents(self, columns: Sequence[PreviewTableColumn], rows: Sequence[PreviewTableRow]) -> None:
        """Show these columns and rows; does not emit."""
        self.clear()
        self.setRowCount(len(rows))
        self.setColumnCount(len(columns))
        self.setHorizontalHeaderLabels([column.title for column in columns])
        self.setVerticalHeaderLabels([row.title for row in rows])
        self.verticalHeader().setVisible(any(row.title for row in rows))
        for at, row in enumerate(rows):
            for column, (text, is_ignored) in enumerate(row.cells):
                item = QTableWidgetItem(text)
                item.setData(IGNORED_ROLE, is_ignored)
                self.setItem(at, column, item)
        self._set_fields(columns)
        self._head.setStretchLastSection(len(columns) - 1 not in self.fields)  # only texts are stretched
        for column in range(len(columns)):
            wanted = max(self.sizeHintForColumn(column), self._head.sectionSizeHint(column)) + 2 * SPACE
            min_width = FIELD_COLUMN_WIDTH if column in self.fields else COLUMN_WIDTH_LIMITS[0]
            self.setColumnWidth(column, min(max(wanted, min_width), COLUMN_WIDTH_LIMITS[1]))
        self._head.position_fields()

    def set_theme(self, theme: Theme) -> None:
        """Set the theme."""
        self._delegate.theme = theme
        self.viewport().update()

    def _set_fields(self, columns: Sequence[PreviewTableColumn]) -> None:
        """Combo boxes in place of the titles of columns that can be changed."""
        changeable = {at: column for at, column in enumerate(columns) if len(column.choices) > 1}
        for at in self.fields.keys() - changeable.keys():
            self.fields.pop(at).deleteLater()
        for at, column in changeable.items():
            field = self.fields.get(at) or self._new_field(at)
            if [field.itemData(index) for index in range(field.count())] != [key for key, _ in column.choices]:
                field.clear()
                for key, label in column.choices:
                    field.addItem(label, key)
            field.setCurrentIndex(field.findData(column.chosen))
            field.show()
        self._head.updateGeometry()

    def _new_field(self, column: int) -> QComboBox:
        field = self.fields[column] = QComboBox(self._head.viewport())
        field.setAccessibleName(f"Meaning of column {column + 1}")
        field.activated.connect(self._emit_option)
        return field

    @Slot()
    def _emit_option(self) -> None:
        field = self.sender()
        if isinstance(field, QComboBox):
            self.option_picked.emit(field.currentData())


class _MeaningHeader(QHeaderView):
    """Header with titles, or combo boxes for columns whose meaning can be changed."""

    def __init__(self, fields: Mapping[int, QComboBox], table: QTableView) -> None:
        super().__init__(Qt.Orientation.Horizontal, table)
        self._fields = fields
        self.sectionResized.connect(self.position_fields)

    @Slot()
    def position_fields(self) -> None:
        for column, field in self._fields.items():
            field.setGeometry(
                self.sectionViewportPosition(column) + 2, 2, self.sectionSize(column) - 4, self.height() - 5
            )

    def sizeHint(self) -> QSize:
        """Height of the combo boxes in the header."""
        size = super().sizeHint()
        tallest = max((field.sizeHint().height() + 4 for field in self._fields.values()), default=0)
        return QSize(size.width(), max(size.height(), tallest))

    def setOffset(self, offset: int) -> None:  # noqa: N802
        """Move the combo boxes with their columns."""
        super().setOffset(offset)
        self.position_fields()


class _PreviewDelegate(QStyledItemDelegate):
    """Delegate with a fixed-width font; ignored cells are grey."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.theme = current_theme()
        self._font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:  # noqa: N802
        """Use a fixed-width font, and pale text for ignored cells."""
        super().initStyleOption(option, index)
        option.font = self._font
        if index.data(IGNORED_ROLE):
            for role in (option.palette.ColorRole.Text, option.palette.ColorRole.HighlightedText):
                option.palette.setColor(role, self.theme.colour("muted"))
