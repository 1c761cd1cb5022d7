"""Readout next to the mouse: position and value of each curve there."""

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
"""Width in pixels of the line sample before each name."""

MAX_COLUMNS = 2
"""Maximum number of columns; more would cover the plot."""

TWO_COLUMNS_FROM_WIDTH = 300
"""Plot width in pixels from which two columns are used."""

MAX_WIDTH_SHARE = 0.6
"""Maximum share of the plot's width for the columns; the position under the mouse stays visible."""

MAX_READOUT_NAME, MIN_READOUT_NAME = 140, 40
"""Pixels above which a name is elided, and minimum width in a narrow plot."""


@dataclass(frozen=True, eq=False)
class CurveReading:
    """One line of the readout: the value of a curve."""

    curve: PlotCurve
    value: float
    is_nearest: bool

    @property
    def text(self) -> str:
        """The formatted value."""
        return format_value(self.value)


def readings_at(
    x: float, curves: Sequence[PlotCurve], nearest: PlotCurve | None, highlighted: str | None, max_count: int
) -> tuple[list[CurveReading], int]:
    """The `max_count` highest values at `x`, with the nearest and the highlighted curve; and the number of others."""
    found = [CurveReading(curve, curve.value_at(x), curve is nearest) for curve in curves]
    found = sorted((reading for reading in found if not math.isnan(reading.value)), key=_by_value_descending)
    fixed = [reading for reading in found if reading.is_nearest or reading.curve.key == highlighted]
    others = [reading for reading in found if reading not in fixed][: max(0, max_count - len(fixed))]
    shown = [reading for reading in found if reading in fixed or reading in others]
    return shown, len(found) - len(shown)


def _by_value_descending(reading: CurveReading) -> float:
    return -reading.value


def format_x(x: float) -> str:
    """A position on the x axis: a rank without decimals, a share with up to three.

    Examples
    --------
    >>> format_x(1814.0), format_x(0.35), format_x(0.0), format_x(1 / 3)
    ('1,814', '0.35', '0', '0.333')
    """
    return f"{x:,.0f}" if x == round(x) and abs(x) >= 1 else f"{x:.3f}".rstrip("0").rstrip(".")


class PlotReadout(QWidget):
    """Card with the values at the mouse; transparent to mouse events, sized to its text."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._canvas = parent
        self._theme = current_theme()
        self._title = ""
        self._readings: tuple[CurveReading, ...] = ()
        self._more = ""
        self._rows = 1
        self._widths = (0.0, 0.0)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def max_readings(self) -> int:
        """Number of curves that fit into the plot, with the line that counts the others."""
        return self._max_rows() * self._max_columns()

    def _max_columns(self) -> int:
        return MAX_COLUMNS if self._canvas.width() >= TWO_COLUMNS_FROM_WIDTH else 1

    def _max_rows(self) -> int:
        return max(1, int((self._canvas.height() - 5 * SPACE) // self._line_height()) - 2)

    def set_readings(self, title: str, readings: Sequence[CurveReading], more: str = "") -> None:
        """Show these lines below `title` (``"Rank 12"``) and above `more` (``"and 3 more"``)."""
        self._title, self._readings, self._more = title, tuple(readings), more
        self._widths = self._column_widths()
        self._rows = max(1, len(self._readings))
        if len(self._readings) > self._max_rows():
            self._rows = -(-len(self._readings) // self._max_columns())
        self.resize(self.sizeHint())
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self._theme = theme
        self.update()

    def move_near(self, point: QPointF, keep_free: float | None = None) -> None:
        """Move next to this point of the parent, within the parent.

        On the right if there is space and it does not cover the x `keep_free` (in pixels), else on the left.
        """
        parent = self._canvas
        right, left = point.x() + 4 * SPACE, point.x() - 4 * SPACE - self.width()
        fitting = [x for x in (right, left) if x >= SPACE and x + self.width() <= parent.width() - SPACE] or [left]
        uncovered = [x for x in fitting if keep_free is None or not x <= keep_free <= x + self.width()]
        x = (uncovered or fitting)[0]
        y = min(max(SPACE, point.y() - self.height() / 2), parent.height() - self.height() - SPACE)
        x = min(max(SPACE, x), parent.width() - self.width() - SPACE)
        self.move(round(max(0, x)), round(max(0, y)))

    def sizeHint(self) -> QSize:
        """Qt override."""
        columns = -(-len(self._readings) // self._rows) if self._readings else 1
        title = QFontMetricsF(self._font(strong=True)).horizontalAdvance(max(self._title, self._more, key=len))
        width = max(title, columns * self._column_width() + (columns - 1) * 4 * SPACE) + 4 * SPACE
        lines = 1 + (min(self._rows, len(self._readings)) if self._readings else 0) + bool(self._more)
        return QSize(round(width), round(lines * self._line_height() + 3 * SPACE))

    def _column_width(self) -> float:
        """Pixels of a column: line sample, name, value."""
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
        top, height = 1.5 * SPACE, self._line_height()
        box = QRectF(2 * SPACE, top, self.width() - 4 * SPACE, height)
        painter.setFont(strong)
        painter.setPen(self._theme.colour("muted"))
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, self._title)
        wide = len(self._readings) <= self._rows
        column = box.width() if wide else self._column_width()
        for number, reading in enumerate(self._readings):
            across, down = divmod(number, self._rows)
            left = box.left() + across * (column + 4 * SPACE)
            cell = QRectF(left, top + (1 + down) * height, column, height)
            self._draw_reading(painter, cell, reading, strong if reading.is_nearest else plain)
        if self._more:
            box.translate(0, height * (1 + min(self._rows, len(self._readings))))
            painter.setFont(plain)
            painter.setPen(self._theme.colour("muted"))
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, self._more)

    def _draw_reading(self, painter: QPainter, box: QRectF, reading: CurveReading, font: QFont) -> None:
        middle = box.center().y()
        painter.setPen(reading.curve.pen(emphasised=reading.is_nearest))
        painter.drawLine(QPointF(box.left(), middle), QPointF(box.left() + READOUT_SAMPLE, middle))
        painter.setFont(font)
        painter.setPen(self._theme.colour("ink"))
        name_box = box.adjusted(READOUT_SAMPLE + 1.5 * SPACE, 0, 0, 0)
        width = self._widths[0]
        name = QFontMetricsF(font).elidedText(reading.curve.label, Qt.TextElideMode.ElideMiddle, width)
        painter.drawText(name_box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, name)
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, reading.text)

    def _font(self, *, strong: bool = False) -> QFont:
        return text_font(self.font(), 0.92, strong=strong)

    def _line_height(self) -> float:
        return QFontMetricsF(self._font()).height() + 1

    def _column_widths(self) -> tuple[float, float]:
        metrics = QFontMetricsF(self._font(strong=True))
        names = max((metrics.horizontalAdvance(reading.curve.label) for reading in self._readings), default=0.0)
        values = max((metrics.horizontalAdvance(reading.text) for reading in self._readings), default=0.0)
        available = self._canvas.width() * MAX_WIDTH_SHARE / self._max_columns() - values - READOUT_SAMPLE - 8 * SPACE
        return min(names, MAX_READOUT_NAME, max(available, MIN_READOUT_NAME)), values
