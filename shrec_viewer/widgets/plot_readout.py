"""The small table beside the mouse in a plot: where it is, and the value of each curve there."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from shrec_viewer.widgets.plot_curve import PlotCurve
from shrec_viewer.widgets.theme import RADIUS, SPACE, Theme, current_theme, text_font

SAMPLE = 14
"""Pixels of line before each name."""

MOST_READINGS = 8
"""Curves listed; more would cover the plot."""

LONGEST = 140
"""Pixels after which a name is cut."""


@dataclass(frozen=True, eq=False)
class Reading:
    """One line of the readout."""

    curve: PlotCurve
    value: float
    is_nearest: bool

    @property
    def text(self) -> str:
        """The value as shown."""
        return value_text(self.value)


def readings_at(
    x: float, curves: Sequence[PlotCurve], nearest: PlotCurve | None, highlighted: str | None
) -> tuple[list[Reading], int]:
    """The values at `x` that fit, highest first, with the nearest and the highlighted; and how many are left out."""
    found = [Reading(curve, curve.value_at(x), curve is nearest) for curve in curves]
    found = sorted((reading for reading in found if not math.isnan(reading.value)), key=_descending)
    wanted = [reading for reading in found if reading.is_nearest or reading.curve.key == highlighted]
    others = [reading for reading in found if reading not in wanted][: max(0, MOST_READINGS - len(wanted))]
    shown = [reading for reading in found if reading in wanted or reading in others]
    return shown, len(found) - len(shown)


def _descending(reading: Reading) -> float:
    return -reading.value


def value_text(value: float) -> str:
    """A value in five places.

    Examples
    --------
    >>> value_text(0.41268), value_text(23.0), value_text(1814.0)
    ('0.413', '23.00', '1814')
    """
    return f"{value:.{3 if abs(value) < 10 else 2 if abs(value) < 1000 else 0}f}"


def place_text(x: float) -> str:
    """A place on the x axis: a rank without decimals, a share with as many as it needs.

    Examples
    --------
    >>> place_text(1814.0), place_text(0.35), place_text(0.0), place_text(1 / 3)
    ('1,814', '0.35', '0', '0.333')
    """
    return f"{x:,.0f}" if x == round(x) and abs(x) >= 1 else f"{x:.3f}".rstrip("0").rstrip(".")


class PlotReadout(QWidget):
    """Lets mouse events through; sized to its text."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._ground = parent
        self._theme = current_theme()
        self._place = ""
        self._readings: tuple[Reading, ...] = ()
        self._more = ""
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def set_readings(self, place: str, readings: Sequence[Reading], more: str = "") -> None:
        """Show these lines below `place` (``"Rank 12"``); `more` says what was left out."""
        self._place, self._readings, self._more = place, tuple(readings), more
        self.resize(self.sizeHint())
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self._theme = theme
        self.update()

    def move_beside(self, point: QPointF) -> None:
        """Stand beside this point of the parent, always within the parent."""
        parent = self._ground
        x = point.x() + 4 * SPACE
        if x + self.width() > parent.width() - SPACE:
            x = point.x() - 4 * SPACE - self.width()
        y = min(max(SPACE, point.y() - self.height() / 2), parent.height() - self.height() - SPACE)
        self.move(round(max(SPACE, x)), round(max(SPACE, y)))

    def sizeHint(self) -> QSize:
        """Qt override."""
        names, values, title = self._widths()
        lines = 1 + len(self._readings) + bool(self._more)
        width = max(title, SAMPLE + names + values + 4 * SPACE) + 4 * SPACE
        return QSize(round(width), round(lines * self._line() + 3 * SPACE))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Qt override."""
        painter = QPainter(self)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        painter.setPen(QPen(self._theme.colour("line_strong", 0.6), 1))
        painter.setBrush(self._theme.colour("raised", 0.95))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)
        strong, plain = text_font(self.font(), 0.92, strong=True), text_font(self.font(), 0.92)
        room = QRectF(2 * SPACE, 1.5 * SPACE, self.width() - 4 * SPACE, self._line())
        painter.setFont(strong)
        painter.setPen(self._theme.colour("muted"))
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, self._place)
        for reading in self._readings:
            room.translate(0, self._line())
            self._draw_reading(painter, room, reading, strong if reading.is_nearest else plain)
        if self._more:
            room.translate(0, self._line())
            painter.setFont(plain)
            painter.setPen(self._theme.colour("muted"))
            painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, self._more)

    def _draw_reading(self, painter: QPainter, room: QRectF, reading: Reading, font: QFont) -> None:
        middle = room.center().y()
        painter.setPen(reading.curve.pen(lifted=reading.is_nearest))
        painter.drawLine(QPointF(room.left(), middle), QPointF(room.left() + SAMPLE, middle))
        painter.setFont(font)
        painter.setPen(self._theme.colour("ink"))
        names = room.adjusted(SAMPLE + 1.5 * SPACE, 0, 0, 0)
        name = QFontMetricsF(font).elidedText(reading.curve.label, Qt.TextElideMode.ElideMiddle, LONGEST)
        painter.drawText(names, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, name)
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, reading.text)

    def _line(self) -> float:
        return QFontMetricsF(text_font(self.font(), 0.92)).height() + 1

    def _widths(self) -> tuple[float, float, float]:
        metrics = QFontMetricsF(text_font(self.font(), 0.92, strong=True))
        names = max((metrics.horizontalAdvance(reading.curve.label) for reading in self._readings), default=0.0)
        values = max((metrics.horizontalAdvance(reading.text) for reading in self._readings), default=0.0)
        return min(names, LONGEST), values, metrics.horizontalAdvance(max(self._place, self._more, key=len))
