"""Lines of a file with their numbers, one of them marked; for reading only."""

from collections.abc import Sequence

from PySide6.QtCore import QRect, QSize, Qt, Slot
from PySide6.QtGui import QFontDatabase, QPainter, QPaintEvent, QResizeEvent, QTextCursor, QTextFormat
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QTextEdit, QWidget

from shrec_viewer.widgets.theme import SPACE, Theme, current_theme

MARGIN = 2 * SPACE
"""Pixels left and right of the numbers."""


class LinesView(QPlainTextEdit):
    """Shows lines as they stand in a file, none of them wrapped."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = current_theme()
        self._first: int | None = None
        self._marked: int | None = None
        self._numbers = _Numbers(self)
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
        first : number of the first one; None for no numbers.
        marked : number of the line to mark and to show in the middle; None for none.
        """
        self._first, self._marked = first, marked
        self.setPlainText("\n".join(lines))
        self.setViewportMargins(self._numbers.wanted_width(), 0, 0, 0)
        self._place_numbers()
        self._mark()
        self._numbers.update()

    @property
    def first(self) -> int | None:
        """Number of the first line, None where they have none."""
        return self._first

    @property
    def marked(self) -> int | None:
        """Number of the marked line."""
        return self._marked

    def marked_text(self) -> str:
        """What stands in the marked line; "" where none is marked."""
        selections = self.extraSelections()
        return selections[0].cursor.block().text() if selections else ""

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self._theme = theme
        self._mark(scroll=False)
        self._numbers.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt override."""
        super().resizeEvent(event)
        self._place_numbers()

    def paint_numbers(self, event: QPaintEvent) -> None:
        """Paint what the column of numbers asks for."""
        painter = QPainter(self._numbers)
        theme = self._theme
        painter.fillRect(event.rect(), theme.colour("window"))
        if self._first is None:
            return
        painter.setFont(self.font())
        block = self.firstVisibleBlock()
        top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
        width = self._numbers.width() - MARGIN
        while block.isValid() and top <= event.rect().bottom():
            height = self.blockBoundingRect(block).height()
            number = self._first + block.blockNumber()
            painter.setPen(theme.colour("warning" if number == self._marked else "muted"))
            painter.drawText(QRect(0, round(top), width, round(height)), Qt.AlignmentFlag.AlignRight, f"{number:,}")
            block, top = block.next(), top + height

    def number_digits(self) -> str:
        """The widest number as text."""
        return "" if self._first is None else f"{self._first + self.blockCount() - 1:,}"

    def _mark(self, *, scroll: bool = True) -> None:
        if self._marked is None or self._first is None:
            self.setExtraSelections([])
            return
        cursor = QTextCursor(self.document().findBlockByNumber(self._marked - self._first))
        selection = QTextEdit.ExtraSelection()
        selection.cursor = cursor
        selection.format.setBackground(self._theme.colour("warning_ground"))
        selection.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
        self.setExtraSelections([selection])
        if scroll:
            self.setTextCursor(cursor)
            self.centerCursor()
            self.horizontalScrollBar().setValue(0)

    def _place_numbers(self) -> None:
        inside = self.contentsRect()
        self._numbers.setGeometry(QRect(inside.left(), inside.top(), self._numbers.wanted_width(), inside.height()))

    @Slot(QRect, int)
    def _scroll_numbers(self, _rect: QRect, _dy: int) -> None:
        self._numbers.update()


class _Numbers(QWidget):
    """The column beside the lines."""

    def __init__(self, view: LinesView) -> None:
        super().__init__(view)
        self._view = view

    def wanted_width(self) -> int:
        digits = self._view.number_digits()
        return self._view.fontMetrics().horizontalAdvance(digits) + 2 * MARGIN if digits else MARGIN

    def sizeHint(self) -> QSize:
        """Qt override."""
        return QSize(self.wanted_width(), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Qt override."""
        self._view.paint_numbers(event)
