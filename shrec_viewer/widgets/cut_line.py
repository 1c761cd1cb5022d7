"""A line of text that is cut where there is no room, and says so."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLabel

LEAST_LETTERS = 12
"""Letters of a text that are seen at least, before its ellipsis."""


class CutLine(QLabel):
    """A line of plain text that ends in an ellipsis where there is no room; the tool tip then has all of it."""

    def is_cut(self) -> bool:
        """Whether not all of the text is seen."""
        return self.fontMetrics().horizontalAdvance(self.text()) > self.width()

    def sizeHint(self) -> QSize:
        """Qt override; a line and a little, so that rounding cuts nothing."""
        return QSize(self.fontMetrics().horizontalAdvance(self.text()) + 2, self.fontMetrics().height())

    def minimumSizeHint(self) -> QSize:
        """Qt override."""
        return QSize(min(LEAST_LETTERS * self.fontMetrics().averageCharWidth(), self.sizeHint().width()), 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt override."""
        super().resizeEvent(event)
        self.setToolTip(self.text() if self.is_cut() else "")

    def paintEvent(self, event: QPaintEvent) -> None:
        """Qt override."""
        painter = QPainter(self)
        shown = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, self.width())
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)
