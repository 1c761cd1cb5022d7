"""Readout beside the mouse: the position and the value of each curve there."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from shrec_viewer.number_format import format_value
from shrec_viewer.widgets.plots.curves import PlotCurve
from shrec_viewer.widgets.style.theme import RADIUS, SPACE, Theme, current_theme, text_font

READOUT_SAMPLE = 14
"""Pixels of line before each name."""

MAX_COLUMNS = 2
"""Columns of curves; more would cover the plot."""

TWO_COLUMNS_FROM_WIDTH = 300
"""Pixels of a plot's width from which two columns leave something of it in sight."""

MAX_WIDTH_SHARE = 0.6
"""Share of the plot's width that the columns may take, so that the place that is read stays in sight."""

MAX_READOUT_NAME, MIN_READOUT_NAME = 140, 40
"""Pixels after which a name is cut, and to which it is cut at most in a narrow plot."""


@dataclass(frozen=True, eq=False)
class CurveReading:
    """One line of the readout."""

    curve: PlotCurve
    value: float
    is_nearest: bool

    @property
    def text(self) -> str:
        """The value as shown."""
        return format_value(self.value)


def readings_at(
    x: float, curves: Sequence[PlotCurve], nearest: PlotCurve | None, highlighted: str | None, most: int
) -> tuple[list[CurveReading], int]:
    """The `most` highest values at `x`, with the nearest and the highlighted; and how many are left out."""
    found = [CurveReading(curve, curve.value_at(x), curve is nearest) for curve in curves]
    found = sorted((reading for reading in found if not math.isnan(reading.value)), key=_by_value_descending)
    wanted = [reading for reading in found if reading.is_nearest or reading.curve.key == highlighted]
    others = [reading for reading in found if reading not in wanted][: max(0, most - len(wanted))]
    shown = [reading for reading in found if reading in wanted or reading in others]
    return shown, len(found) - len(shown)


def _by_value_descending(reading: CurveReading) -> float:
    return -reading.value


def format_x(x: float) -> str:
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
        self._readings: tuple[CurveReading, ...] = ()
        self._more = ""
        self._rows = 1
        self._widths = (0.0, 0.0)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def max_readings(self) -> int:
        """Curves that can be listed without the card leaving the plot, the line that counts the others included."""
        return self._rows_that_fit() * self._most_columns()

    def _most_columns(self) -> int:
        return MAX_COLUMNS if self._ground.width() >= TWO_COLUMNS_FROM_WIDTH else 1

    def _rows_that_fit(self) -> int:
        return max(1, int((self._ground.height() - 5 * SPACE) // self._line()) - 2)

    def set_readings(self, place: str, readings: Sequence[CurveReading], more: str = "") -> None:
        """Show these lines below `place` (``"Rank 12"``); `more` says what was left out."""
        self._place, self._readings, self._more = place, tuple(readings), more
        self._widths = self._measured()
        self._rows = max(1, len(self._readings))
        if len(self._readings) > self._rows_that_fit():
            self._rows = -(-len(self._readings) // self._most_columns())
        self.resize(self.sizeHint())
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self._theme = theme
        self.update()

    def move_near(self, point: QPointF, keep_free: float | None = None) -> None:
        """Stand beside this point of the parent, always within the parent.

        Right of it where there is room, unless that would cover the place `keep_free` pixels from the left.
        """
        parent = self._ground
        right, left = point.x() + 4 * SPACE, point.x() - 4 * SPACE - self.width()
        fitting = [x for x in (right, left) if x >= SPACE and x + self.width() <= parent.width() - SPACE] or [left]
        seen = [x for x in fitting if keep_free is None or not x <= keep_free <= x + self.width()]
        x = (seen or fitting)[0]
        y = min(max(SPACE, point.y() - self.height() / 2), parent.height() - self.height() - SPACE)
        x = min(max(SPACE, x), parent.width() - self.width() - SPACE)
        self.move(round(max(0, x)), round(max(0, y)))

    def sizeHint(self) -> QSize:
        """Qt override."""
        columns = -(-len(self._readings) // self._rows) if self._readings else 1
        title = QFontMetricsF(self._font(strong=True)).horizontalAdvance(max(self._place, self._more, key=len))
        width = max(title, columns * self._column() + (columns - 1) * 4 * SPACE) + 4 * SPACE
        lines = 1 + (min(self._rows, len(self._readings)) if self._readings else 0) + bool(self._more)
        return QSize(round(width), round(lines * self._line() + 3 * SPACE))

    def _column(self) -> float:
        """Pixels of a column: line, name, value."""
        names, values = self._widths
        return READOUT_SAMPLE + names + values + 4 * SPACE

    def paintEvent(self, event: QPaintEvent) -> None:
        """Qt override."""
        painter = QPainter(self)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        painter.setPen(QPen(self._theme.colour("line_strong", 0.6), 1))
        painter.setBrush(self._theme.colour("raised", 0.95))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)
        strong, plain = self._font(strong=True), self._font()
        top, height = 1.5 * SPACE, self._line()
        room = QRectF(2 * SPACE, top, self.width() - 4 * SPACE, height)
        painter.setFont(strong)
        painter.setPen(self._theme.colour("muted"))
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, self._place)
        wide = len(self._readings) <= self._rows
        column = room.width() if wide else self._column()
        for number, reading in enumerate(self._readings):
            across, down = divmod(number, self._rows)
            left = room.left() + across * (column + 4 * SPACE)
            place = QRectF(left, top + (1 + down) * height, column, height)
            self._draw_reading(painter, place, reading, strong if reading.is_nearest else plain)
        if self._more:
            room.translate(0, height * (1 + min(self._rows, len(self._readings))))
            painter.setFont(plain)
            painter.setPen(self._theme.colour("muted"))
            painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, self._more)

    def _draw_reading(self, painter: QPainter, room: QRectF, reading: CurveReading, font: QFont) -> None:
        middle = room.center().y()
        painter.setPen(reading.curve.pen(emphasised=reading.is_nearest))
        painter.drawLine(QPointF(room.left(), middle), QPointF(room.left() + READOUT_SAMPLE, middle))
        painter.setFont(font)
        painter.setPen(self._theme.colour("ink"))
        names = room.adjusted(READOUT_SAMPLE + 1.5 * SPACE, 0, 0, 0)
        width = self._widths[0]
        name = QFontMetricsF(font).elidedText(reading.curve.label, Qt.TextElideMode.ElideMiddle, width)
        painter.drawText(names, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, name)
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, reading.text)

    def _font(self, *, strong: bool = False) -> QFont:
        return text_font(self.font(), 0.92, strong=strong)

    def _line(self) -> float:
        return QFontMetricsF(self._font()).height() + 1

    def _measured(self) -> tuple[float, float]:
        metrics = QFontMetricsF(self._font(strong=True))
        names = max((metrics.horizontalAdvance(reading.curve.label) for reading in self._readings), default=0.0)
        values = max((metrics.horizontalAdvance(reading.text) for reading in self._readings), default=0.0)
        room = self._ground.width() * MAX_WIDTH_SHARE / self._most_columns() - values - READOUT_SAMPLE - 8 * SPACE
        return min(names, MAX_READOUT_NAME, max(room, MIN_READOUT_NAME)), values
