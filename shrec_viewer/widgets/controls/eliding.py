"""Single-line labels that elide their text and show all of it in the tool tip."""

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QHelpEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QToolTip, QWidget

from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme

MIN_CHARACTERS = 12
"""Letters of a text that are seen at least, before its ellipsis."""


class ElidingLabel(QLabel):
    """A line of plain text that ends in an ellipsis where there is no room; the tool tip then has all of it."""

    def is_cut(self) -> bool:
        """Whether not all of the text is seen."""
        return self.fontMetrics().horizontalAdvance(self.text()) > self.width()

    def sizeHint(self) -> QSize:
        """Qt override; a line and a little, so that rounding cuts nothing."""
        return QSize(self.fontMetrics().horizontalAdvance(self.text()) + 2, self.fontMetrics().height())

    def minimumSizeHint(self) -> QSize:
        """Qt override."""
        return QSize(min(MIN_CHARACTERS * self.fontMetrics().averageCharWidth(), self.sizeHint().width()), 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt override."""
        super().resizeEvent(event)
        self.setToolTip(self.text() if self.is_cut() else "")

    def paintEvent(self, event: QPaintEvent) -> None:
        """Qt override."""
        painter = QPainter(self)
        shown = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, self.width())
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)


class ElidingLine(QWidget):
    """A text that is cut with an ellipsis where it does not fit.

    A label asks the window to lay everything out anew for each text; this one keeps its place.

    Parameters
    ----------
    grows : keep as much width as the longest text so far needed; else take what is left.
    token : colour of the theme it is written in.
    """

    def __init__(self, *, grows: bool = False, token: str = "ink", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = current_theme()
        self._grows = grows
        self._token = token
        self._text = ""
        self._widest = 0
        across = QSizePolicy.Policy.Fixed if grows else QSizePolicy.Policy.Ignored
        self.setSizePolicy(across, QSizePolicy.Policy.Preferred)

    def text(self) -> str:
        """What it says."""
        return self._text

    def setText(self, text: str) -> None:  # noqa: N802 - as a label's
        """Say something else."""
        if text == self._text:
            return
        self._text = text
        self.setAccessibleDescription(text)
        if self._grows:
            self._grow()
        self.update()

    def reset_width(self) -> None:
        """Take no more room than the present text needs."""
        self._widest = 0
        self._grow()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self._theme = theme
        self.update()

    def sizeHint(self) -> QSize:
        """Qt override."""
        return QSize(self._widest, round(QFontMetricsF(self.font()).height()) + SPACE)

    def minimumSizeHint(self) -> QSize:
        """Qt override."""
        return QSize(self._widest if self._grows else 0, self.sizeHint().height())

    def event(self, event: QEvent) -> bool:
        """Qt override; the tool tip has what is cut, where it has nothing else to say."""
        if isinstance(event, QHelpEvent) and not self.toolTip():
            is_cut = QFontMetricsF(self.font()).horizontalAdvance(self._text) > self.width()
            QToolTip.showText(event.globalPos(), self._text if is_cut else "", self)
            return True
        return super().event(event)

    def changeEvent(self, event: QEvent) -> None:
        """Qt override."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and self._grows:
            self.reset_width()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Qt override."""
        painter, metrics = QPainter(self), QFontMetricsF(self.font())
        painter.setPen(self._theme.colour(self._token))
        shown = metrics.elidedText(self._text, Qt.TextElideMode.ElideRight, self.width())
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)

    def _grow(self) -> None:
        needed = round(QFontMetricsF(self.font()).horizontalAdvance(self._text)) + SPACE if self._text else 0
        if needed > self._widest or not self._widest:
            self._widest = needed
            self.updateGeometry()
