"""Text lines with line numbers, and a table of the first lines of a file with column meanings."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal, Slot
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
    QTextEdit,
    QWidget,
)

from shrec_viewer.widgets.controls.controls import ItemRoles
from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme

NUMBER_MARGIN = 2 * SPACE
"""Margin in pixels left and right of the line numbers."""


class NumberedLinesView(QPlainTextEdit):
    """Read-only text view with line numbers, without wrapping."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = current_theme()
        self._first: int | None = None
        self._marked: int | None = None
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
        self._first, self._marked = first, marked
        self.setPlainText("\n".join(lines))
        self.setViewportMargins(self._numbers.preferred_width(), 0, 0, 0)
        self._position_numbers()
        self._mark()
        self._numbers.update()

    @property
    def first(self) -> int | None:
        """Number of the first line, or None."""
        return self._first

    @property
    def marked(self) -> int | None:
        """Number of the marked line."""
        return self._marked

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
        if self._first is None:
            return
        painter.setFont(self.font())
        block = self.firstVisibleBlock()
        top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
        width = self._numbers.width() - NUMBER_MARGIN
        while block.isValid() and top <= event.rect().bottom():
            height = self.blockBoundingRect(block).height()
            number = self._first + block.blockNumber()
            painter.setPen(theme.colour("warning" if number == self._marked else "muted"))
            painter.drawText(QRect(0, round(top), width, round(height)), Qt.AlignmentFlag.AlignRight, f"{number:,}")
            block, top = block.next(), top + height

    def number_digits(self) -> str:
        """The longest line number as text."""
        return "" if self._first is None else f"{self._first + self.blockCount() - 1:,}"

    def _mark(self, *, scroll: bool = True) -> None:
        if self._marked is None or self._first is None:
            self.setExtraSelections([])
            return
        cursor = QTextCursor(self.document().findBlockByNumber(self._marked - self._first))
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
        self._numbers.setGeometry(QRect(inside.left(), inside.top(), self._numbers.preferred_width(), inside.height()))

    @Slot(QRect, int)
    def _scroll_numbers(self, _rect: QRect, _dy: int) -> None:
        self._numbers.update()


class _LineNumbers(QWidget):
    """Widget with the line numbers."""

    def __init__(self, view: NumberedLinesView) -> None:
        super().__init__(view)
        self._view = view

    def preferred_width(self) -> int:
        digits = self._view.number_digits()
        return self._view.fontMetrics().horizontalAdvance(digits) + 2 * NUMBER_MARGIN if digits else NUMBER_MARGIN

    def sizeHint(self) -> QSize:
        """Width of the largest number."""
        return QSize(self.preferred_width(), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the numbers of the visible lines."""
        self._view.paint_numbers(event)


ROW_HEIGHT = 24

COLUMN_WIDTH_LIMITS = (84, 260)
"""Minimum and maximum width of a column in pixels."""

FIELD_COLUMN_WIDTH = 120
"""Minimum width in pixels of a column with a combo box in its header."""


@dataclass(frozen=True)
class ColumnMeanings:
    """Possible meanings of a column (key and label) and the current key; without choices it cannot be changed."""

    choices: tuple[tuple[str, str], ...] = ()
    chosen: str = ""


class FilePreviewTable(QTableView):
    """Table of the first lines of a file; the role ``ignored`` (bool) greys a cell.

    Signals
    -------
    meaning_changed(column, key)
        Another meaning of a column was selected.
    """

    meaning_changed = Signal(int, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._head = _MeaningHeader(self)
        self._lines = _PreviewDelegate(self)
        self.setHorizontalHeader(self._head)
        self.setItemDelegate(self._lines)
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
        self._head.picked.connect(self.meaning_changed)

    def setModel(self, model: QAbstractItemModel | None) -> None:
        """Look up the role of ignored cells and fit the columns."""
        super().setModel(model)
        self._lines.ignored_role = ItemRoles(model).number("ignored")
        if model is not None:
            model.modelReset.connect(self._fit)

    def set_meanings(self, columns: Sequence[ColumnMeanings]) -> None:
        """Set the meanings of the columns; does not emit."""
        self._head.set_meanings(columns)
        self._fit()

    def field(self, column: int) -> QComboBox | None:
        """The combo box of a column, or None."""
        return self._head.fields.get(column)

    def set_theme(self, theme: Theme) -> None:
        """Set the theme."""
        self._lines.theme = theme
        self.viewport().update()

    @Slot()
    def _fit(self) -> None:
        model = self.model()
        rows = 0 if model is None else model.rowCount()
        self.verticalHeader().setVisible(any(model.headerData(row, Qt.Orientation.Vertical) for row in range(rows)))
        last = -1 if model is None else model.columnCount() - 1
        self._head.setStretchLastSection(last not in self._head.fields)  # only texts are stretched
        for column in range(0 if model is None else model.columnCount()):
            wanted = max(self.sizeHintForColumn(column), self._head.sectionSizeHint(column)) + 2 * SPACE
            min_width = FIELD_COLUMN_WIDTH if column in self._head.fields else COLUMN_WIDTH_LIMITS[0]
            self.setColumnWidth(column, min(max(wanted, min_width), COLUMN_WIDTH_LIMITS[1]))
        self._head.position_fields()


class _MeaningHeader(QHeaderView):
    """Header with titles, or combo boxes for columns whose meaning can be changed."""

    picked = Signal(int, str)

    def __init__(self, table: QTableView) -> None:
        super().__init__(Qt.Orientation.Horizontal, table)
        self.fields: dict[int, QComboBox] = {}
        self.sectionResized.connect(self._place)

    def set_meanings(self, columns: Sequence[ColumnMeanings]) -> None:
        wanted = {column: meanings for column, meanings in enumerate(columns) if len(meanings.choices) > 1}
        for column in [column for column in self.fields if column not in wanted]:
            self.fields.pop(column).deleteLater()
        for column, meanings in wanted.items():
            field = self.fields.get(column) or self._new_field(column)
            keys = [field.itemData(index) for index in range(field.count())]
            if keys != [key for key, _ in meanings.choices]:
                field.clear()
                for key, label in meanings.choices:
                    field.addItem(label, key)
            field.setCurrentIndex(field.findData(meanings.chosen))
            field.show()
        self.updateGeometry()
        self.position_fields()

    def position_fields(self) -> None:
        for column, field in self.fields.items():
            field.setGeometry(
                self.sectionViewportPosition(column) + 2, 2, self.sectionSize(column) - 4, self.height() - 5
            )

    def sizeHint(self) -> QSize:
        """Height of the combo boxes in the header."""
        size = super().sizeHint()
        tallest = max((field.sizeHint().height() + 4 for field in self.fields.values()), default=0)
        return QSize(size.width(), max(size.height(), tallest))

    def setOffset(self, offset: int) -> None:  # noqa: N802
        """Move the combo boxes with their columns."""
        super().setOffset(offset)
        self.position_fields()

    def _new_field(self, column: int) -> QComboBox:
        field = QComboBox(self.viewport())
        field.setAccessibleName(f"Meaning of column {column + 1}")
        field.activated.connect(self._on_activated)
        self.fields[column] = field
        return field

    @Slot()
    def _place(self, *_: int) -> None:
        self.position_fields()

    @Slot(int)
    def _on_activated(self, index: int) -> None:
        field = self.sender()
        for column, field_key in self.fields.items():
            if field_key is field:
                self.picked.emit(column, field_key.itemData(index))
                return


class _PreviewDelegate(QStyledItemDelegate):
    """Delegate with a fixed-width font; ignored cells are grey."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.theme = current_theme()
        self.ignored_role: int | None = None
        self._font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:  # noqa: N802
        """Use a fixed-width font, and pale text for ignored cells."""
        super().initStyleOption(option, index)
        option.font = self._font
        if self.ignored_role is not None and index.data(self.ignored_role):
            for role in (option.palette.ColorRole.Text, option.palette.ColorRole.HighlightedText):
                option.palette.setColor(role, self.theme.colour("muted"))
