"""Single-line labels that elide their text and show it in full in the tooltip."""

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QHelpEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QToolTip, QWidget

from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme

MIN_CHARACTERS = 12
"""Minimum width of an `ElidingLabel` in average characters."""


class ElidingLabel(QLabel):
    """Label of one line that elides its text at the right; the tooltip then has the full text."""

    def is_elided(self) -> bool:
        """Whether the text is elided."""
        return self.fontMetrics().horizontalAdvance(self.text()) > self.width()

    def sizeHint(self) -> QSize:
        """Two pixels more than the text, so that rounding does not elide it."""
        return QSize(self.fontMetrics().horizontalAdvance(self.text()) + 2, self.fontMetrics().height())

    def minimumSizeHint(self) -> QSize:
        """Width of the first characters and an ellipsis."""
        return QSize(min(MIN_CHARACTERS * self.fontMetrics().averageCharWidth(), self.sizeHint().width()), 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Set the whole text as the tooltip while it is elided."""
        super().resizeEvent(event)
        self.setToolTip(self.text() if self.is_elided() else "")

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the elided text."""
        painter = QPainter(self)
        elided = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, self.width())
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, elided)


class ElidingLine(QWidget):
    """Line of text that elides, for texts that change often.

    Unlike `QLabel.setText`, `setText` does not call `updateGeometry`, which would lay out the whole window with each
    move of the cursor.

    Parameters
    ----------
    grows : keep the width of the longest text so far; otherwise take the remaining width.
    token : text colour, a field of `Theme`.
    """

    def __init__(self, *, grows: bool = False, token: str = "ink", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = current_theme()
        self._grows = grows
        self._token = token
        self._text = ""
        self._text_width = 0
        horizontal = QSizePolicy.Policy.Fixed if grows else QSizePolicy.Policy.Ignored
        self.setSizePolicy(horizontal, QSizePolicy.Policy.Preferred)

    def text(self) -> str:
        """The full text."""
        return self._text

    def setText(self, text: str) -> None:  # noqa: N802 - as in QLabel
        """Set the text."""
        if text == self._text:
            return
        self._text = text
        self.setAccessibleDescription(text)
        if self._grows:
            self._update_width()
        self.update()

    def reset_width(self) -> None:
        """Shrink to the width of the current text."""
        self._text_width = 0
        self._update_width()

    def set_theme(self, theme: Theme) -> None:
        """Set the theme."""
        self._theme = theme
        self.update()

    def sizeHint(self) -> QSize:
        """Size of the whole text."""
        return QSize(self._text_width, round(QFontMetricsF(self.font()).height()) + SPACE)

    def minimumSizeHint(self) -> QSize:
        """Zero width, or that of the text where the line grows with it."""
        return QSize(self._text_width if self._grows else 0, self.sizeHint().height())

    def event(self, event: QEvent) -> bool:
        """Show an elided text as the tooltip, unless another one is set."""
        if isinstance(event, QHelpEvent) and not self.toolTip():
            is_elided = QFontMetricsF(self.font()).horizontalAdvance(self._text) > self.width()
            QToolTip.showText(event.globalPos(), self._text if is_elided else "", self)
            return True
        return super().event(event)

    def changeEvent(self, event: QEvent) -> None:
        """Measure the text again when the font changes."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and self._grows:
            self.reset_width()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the elided text."""
        painter, metrics = QPainter(self), QFontMetricsF(self.font())
        painter.setPen(self._theme.colour(self._token))
        elided = metrics.elidedText(self._text, Qt.TextElideMode.ElideRight, self.width())
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, elided)

    def _update_width(self) -> None:
        needed = round(QFontMetricsF(self.font()).horizontalAdvance(self._text)) + SPACE if self._text else 0
        if needed > self._text_width or not self._text_width:
            self._text_width = needed
            self.updateGeometry()
