"""Lines of text in the fonts of the program."""

from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter

from shrec_viewer.widgets.style.theme import text_font


@dataclass(frozen=True, eq=False)
class MeasuredFont:
    """A font with its metrics; to make both takes as long as to paint a line of text."""

    font: QFont
    metrics: QFontMetricsF

    @property
    def height(self) -> float:
        """Height of a line in pixels."""
        return self.metrics.height()

    def width(self, text: str) -> float:
        """Width of a text in pixels."""
        return self.metrics.horizontalAdvance(text)


def measured_font(base: QFont, scale: float = 1.0, *, bold: bool = False) -> MeasuredFont:
    """The `text_font` of these arguments with its metrics."""
    font = text_font(base, scale, bold=bold)
    return MeasuredFont(font, QFontMetricsF(font))


def draw_text(
    painter: QPainter,
    box: QRectF,
    text: str,
    font: MeasuredFont,
    colour: QColor,
    elide: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
    *,
    right: bool = False,
) -> float:
    """Paint a text in one line, elided to the width of a box and centred vertically; returns its width in pixels."""
    if not text:
        return 0.0
    width = font.width(text)
    if width > box.width():
        text = font.metrics.elidedText(text, elide, max(box.width(), 0.0))
        width = font.width(text)
    painter.setFont(font.font)
    painter.setPen(colour)
    painter.drawText(box, ONE_LINE_RIGHT if right else ONE_LINE_LEFT, text)
    return width


LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
#: Places of a text in a box, as arguments of `put_text`.
CENTRE = Qt.AlignmentFlag.AlignCenter

ONE_LINE_LEFT, ONE_LINE_RIGHT = LEFT | Qt.TextFlag.TextSingleLine, RIGHT | Qt.TextFlag.TextSingleLine


def put_text(
    painter: QPainter,
    box: QRectF,
    text: str,
    colour: QColor,
    place: Qt.AlignmentFlag = LEFT,
    *,
    font: QFont | None = None,
    elide: Qt.TextElideMode = Qt.TextElideMode.ElideNone,
) -> None:
    """Paint a text in a colour; in the font of the painter unless given, and as it is unless it is to be elided."""
    if font is not None:
        painter.setFont(font)
    if elide != Qt.TextElideMode.ElideNone:
        text = QFontMetricsF(painter.font()).elidedText(text, elide, box.width())
    painter.setPen(colour)
    painter.drawText(box, place, text)
