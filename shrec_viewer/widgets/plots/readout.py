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

LINE_SAMPLE_WIDTH = 14
"""Width in pixels of the line sample before each name."""

MAX_COLUMNS = 2
"""Maximum number of columns; more would cover the plot."""

TWO_COLUMNS_FROM_WIDTH = 300
"""Plot width in pixels from which two columns are used."""

MAX_WIDTH_SHARE = 0.6
"""Maximum share of the plot's width for the columns; the position under the mouse stays visible."""

MAX_NAME_WIDTH, MIN_NAME_WIDTH = 140, 40
"""Pixels above which a name is elided, and minimum width in a narrow plot."""


@dataclass(frozen=True, eq=False)
class CurveValue:
    """One line of the readout: the value of a curve."""

    curve: PlotCurve
    value: float
    is_nearest: bool

    @property
    def text(self) -> str:
        """The formatted value."""
        return format_value(self.value)


def curve_values_at(
    x: float, curves: Sequence[PlotCurve], nearest: PlotCurve | None, selected_key: str | None, max_count: int
) -> tuple[list[CurveValue], int]:
    """The `max_count` highest values at `x`, with the nearest and the selected curve; and the number of others."""
    found = [CurveValue(curve, curve.value_at(x), curve is nearest) for curve in curves]
    found = sorted(
        (curve_value for curve_value in found if not math.isnan(curve_value.value)), key=_by_value_descending
    )
    required = [curve_value for curve_value in found if curve_value.is_nearest or curve_value.curve.key == selected_key]
    others = [curve_value for curve_value in found if curve_value not in required][: max(0, max_count - len(required))]
    visible = [curve_value for curve_value in found if curve_value in required or curve_value in others]
    return visible, len(found) - len(visible)


def _by_value_descending(curve_value: CurveValue) -> float:
    return -curve_value.value


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
        self._curve_values: tuple[CurveValue, ...] = ()
        self._footer = ""
        self._rows = 1
        self._widths = (0.0, 0.0)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def max_curves(self) -> int:
        """Number of curves that fit into the plot, with the line that counts the others."""
        return self._max_rows() * self._max_columns()

    def _max_columns(self) -> int:
        return MAX_COLUMNS if self._canvas.width() >= TWO_COLUMNS_FROM_WIDTH else 1

    def _max_rows(self) -> int:
        return max(1, int((self._canvas.height() - 5 * SPACE) // self._line_height()) - 2)

    def set_curve_values(self, title: str, curve_values: Sequence[CurveValue], footer: str = "") -> None:
        """Show these lines below `title` (``"Rank 12"``) and above `footer` (``"and 3 more"``)."""
        self._title, self._curve_values, self._footer = title, tuple(curve_values), footer
        self._widths = self._column_widths()
        self._rows = max(1, len(self._curve_values))
        if len(self._curve_values) > self._max_rows():
            self._rows = -(-len(self._curve_values) // self._max_columns())
        self.resize(self.sizeHint())
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Set the theme."""
        self._theme = theme
        self.update()

    def move_near(self, point: QPointF, avoid_x: float | None = None) -> None:
        """Move next to this point of the parent, within the parent.

        On the right if there is space and it does not cover the x `avoid_x` (in pixels), else on the left.
        """
        parent = self._canvas
        right, left = point.x() + 4 * SPACE, point.x() - 4 * SPACE - self.width()
        fitting = [x for x in (right, left) if x >= SPACE and x + self.width() <= parent.width() - SPACE] or [left]
        uncovered = [x for x in fitting if avoid_x is None or not x <= avoid_x <= x + self.width()]
        x = (uncovered or fitting)[0]
        y = min(max(SPACE, point.y() - self.height() / 2), parent.height() - self.height() - SPACE)
        x = min(max(SPACE, x), parent.width() - self.width() - SPACE)
        self.move(round(max(0, x)), round(max(0, y)))

    def sizeHint(self) -> QSize:
        """Size of title, values and footer."""
        columns = -(-len(self._curve_values) // self._rows) if self._curve_values else 1
        title = QFontMetricsF(self._font(bold=True)).horizontalAdvance(max(self._title, self._footer, key=len))
        width = max(title, columns * self._column_width() + (columns - 1) * 4 * SPACE) + 4 * SPACE
        lines = 1 + (min(self._rows, len(self._curve_values)) if self._curve_values else 0) + bool(self._footer)
        return QSize(round(width), round(lines * self._line_height() + 3 * SPACE))

    def _column_width(self) -> float:
        """Pixels of a column: line sample, name, value."""
        names_width, values_width = self._widths
        return LINE_SAMPLE_WIDTH + names_width + values_width + 4 * SPACE

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint background, title, values and footer."""
        painter = QPainter(self)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        painter.setPen(QPen(self._theme.colour("line_strong", 0.6), 1))
        painter.setBrush(self._theme.colour("raised", 0.95))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)
        bold_font, regular_font = self._font(bold=True), self._font()
        top, height = 1.5 * SPACE, self._line_height()
        box = QRectF(2 * SPACE, top, self.width() - 4 * SPACE, height)
        painter.setFont(bold_font)
        painter.setPen(self._theme.colour("muted"))
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, self._title)
        is_single_column = len(self._curve_values) <= self._rows
        column_width = box.width() if is_single_column else self._column_width()
        for number, curve_value in enumerate(self._curve_values):
            column_index, row_index = divmod(number, self._rows)
            left = box.left() + column_index * (column_width + 4 * SPACE)
            cell = QRectF(left, top + (1 + row_index) * height, column_width, height)
            self._draw_value(painter, cell, curve_value, bold_font if curve_value.is_nearest else regular_font)
        if self._footer:
            box.translate(0, height * (1 + min(self._rows, len(self._curve_values))))
            painter.setFont(regular_font)
            painter.setPen(self._theme.colour("muted"))
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, self._footer)

    def _draw_value(self, painter: QPainter, box: QRectF, curve_value: CurveValue, font: QFont) -> None:
        y = box.center().y()
        painter.setPen(curve_value.curve.pen(bold=curve_value.is_nearest))
        painter.drawLine(QPointF(box.left(), y), QPointF(box.left() + LINE_SAMPLE_WIDTH, y))
        painter.setFont(font)
        painter.setPen(self._theme.colour("ink"))
        name_box = box.adjusted(LINE_SAMPLE_WIDTH + 1.5 * SPACE, 0, 0, 0)
        width = self._widths[0]
        name = QFontMetricsF(font).elidedText(curve_value.curve.label, Qt.TextElideMode.ElideMiddle, width)
        painter.drawText(name_box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, name)
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, curve_value.text)

    def _font(self, *, bold: bool = False) -> QFont:
        return text_font(self.font(), 0.92, bold=bold)

    def _line_height(self) -> float:
        return QFontMetricsF(self._font()).height() + 1

    def _column_widths(self) -> tuple[float, float]:
        metrics = QFontMetricsF(self._font(bold=True))
        names_width = max(
            (metrics.horizontalAdvance(curve_value.curve.label) for curve_value in self._curve_values), default=0.0
        )
        values_width = max(
            (metrics.horizontalAdvance(curve_value.text) for curve_value in self._curve_values), default=0.0
        )
        available = (
            self._canvas.width() * MAX_WIDTH_SHARE / self._max_columns() - values_width - LINE_SAMPLE_WIDTH - 8 * SPACE
        )
        return min(names_width, MAX_NAME_WIDTH, max(available, MIN_NAME_WIDTH)), values_width
