"""Chart of runs with mean, confidence interval and letters of significance groups."""

import math

from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QWidget

from shrec_viewer.charts.intervals import IntervalRow, Intervals
from shrec_viewer.number_format import format_value
from shrec_viewer.widgets.plots.canvas import nice_step, tick_text
from shrec_viewer.widgets.plots.curves import draw_line_sample, line_pen
from shrec_viewer.widgets.style.painted import PaintedItems
from shrec_viewer.widgets.style.text import CENTRE, RIGHT, put_text
from shrec_viewer.widgets.style.theme import SPACE, text_font

#: Width in pixels of the line sample before a run's name.
LINE_SAMPLE = 24

#: Width of the scale in pixels below which notes and tick labels are left out.
MIN_SCALE_WIDTH = 64

#: Width of a name in pixels above which it is elided.
MAX_NAME_WIDTH = 160

#: Width of a group's column in pixels.
GROUP_BAR_WIDTH = 18


class IntervalChart(PaintedItems):
    """Means and confidence intervals of runs on a common scale.

    Attributes
    ----------
    rows : the rows, from the top.

    Signals
    -------
    row_selected(int)
        A row was clicked or reached with the arrow keys.
    """

    row_selected = Signal(int)
    preferred_size = QSize(480, 220)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows: tuple[IntervalRow, ...] = ()
        self._scale_name, self._decimals = "", 3
        self.item_selected.connect(self.row_selected)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("Runs with intervals")

    def set_chart(self, chart: Intervals) -> None:
        """Show these rows and the label of the scale."""
        self.rows, self._scale_name, self._decimals = chart.rows, chart.x_label, chart.decimals
        self.current = self.current if self.current < len(self.rows) else -1
        self._update_scroll_bar()

    def n_items(self) -> int:
        """Number of rows."""
        return len(self.rows)

    def item_text(self, index: int) -> str:
        """Description of a row."""
        return self.rows[index].description

    def row_at(self, point: QPoint) -> int:
        """Index of the row at a point of the viewport, -1 for none."""
        row = (point.y() + self.verticalScrollBar().value()) // self._row_height()
        return row if 0 <= row < len(self.rows) and point.y() < self._body_height() else -1

    item_at = row_at

    def row_rect(self, row: int) -> QRectF:
        """Rectangle of a row in the viewport."""
        top = row * self._row_height() - self.verticalScrollBar().value()
        return QRectF(0, top, self.viewport().width(), self._row_height())

    # Qt overrides.

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Compute the scroll range."""
        super().resizeEvent(event)
        self._update_scroll_bar()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint axis, visible rows and intervals."""
        painter = self.start_painting()
        if not self.rows:
            return
        span, (low, high) = self._span(), self._limits()
        painter.save()
        painter.setClipRect(QRectF(0, 0, self.viewport().width(), self._body_height()))
        for row in range(len(self.rows)):
            self._paint_row(painter, row, span, low, high)
        painter.restore()
        self._paint_scale(painter, span, low, high)

    # Layout and painting.

    def _font(self, *, bold: bool = False) -> QFont:
        return text_font(self.font(), bold=bold)

    def _row_height(self) -> int:
        return round(QFontMetricsF(self._font()).height()) + 2 * SPACE

    def _body_height(self) -> int:
        return self.viewport().height() - 2 * self._row_height()

    def _groups_width(self) -> float:
        groups = {letter for row in self.rows for letter in row.letters}
        return GROUP_BAR_WIDTH * len(groups)

    def _span(self) -> tuple[float, float]:
        """X of the left and right end of the scale."""
        left, right = self._full_span()
        return left, max(right - self._notes_width(), left + 40)

    def _full_span(self) -> tuple[float, float]:
        """X of the left and right end of a scale without notes."""
        metrics = QFontMetricsF(self._font(bold=True))
        names = min(max(metrics.horizontalAdvance(row.name) for row in self.rows), MAX_NAME_WIDTH)
        left = 2 * SPACE + LINE_SAMPLE + 2 * SPACE + names + 4 * SPACE
        reserved_width = self._groups_width() + metrics.horizontalAdvance("0.000") + 10 * SPACE
        return left, self.viewport().width() - reserved_width

    def _notes_width(self) -> float:
        """Width of the notes; 0 if the scale would be too narrow: then only the tooltips contain them."""
        left, right = self._full_span()
        metrics = QFontMetricsF(self._font(bold=True))
        width = max(metrics.horizontalAdvance(row.note) for row in self.rows)
        return width if right - left - width >= MIN_SCALE_WIDTH else 0.0

    def _limits(self) -> tuple[float, float]:
        ends = ((row.low, row.high, row.value, *row.outer, *(x for x, _ in row.violin(1.0))) for row in self.rows)
        finite = [value for values in ends for value in values if value == value]
        low, high = min(finite, default=0.0), max(finite, default=1.0)
        margin = (high - low or 1.0) * 0.05
        return low - margin, high + margin

    def _update_scroll_bar(self) -> None:
        height = self._row_height()
        self.set_scroll_range(self.verticalScrollBar(), len(self.rows) * height, self._body_height(), height)

    def _paint_row(self, painter: QPainter, index: int, span: tuple[float, float], low: float, high: float) -> None:
        row, box = self.rows[index], self.row_rect(index)
        if index == self.current:
            painter.fillRect(box, self._theme.colour("selection"))
        centre_y = box.center().y()
        if not row.is_bar:
            pen = line_pen(QColor(row.colour), 2.5, row.dash)
            draw_line_sample(painter, QPointF(2 * SPACE, centre_y), LINE_SAMPLE, pen, row.marker)
        ink, name = self._theme.colour("ink"), QRectF(4 * SPACE + LINE_SAMPLE, box.top(), MAX_NAME_WIDTH, box.height())
        put_text(painter, name, row.name, ink, font=self._font(bold=True), elide=Qt.TextElideMode.ElideMiddle)
        scale = (span[1] - span[0]) / (high - low)
        if row.is_bar:
            left, right = (span[0] + (value - low) * scale for value in (row.low, row.high))
            painter.fillRect(QRectF(left, centre_y - 2, max(right - left, 4.0), 4), self._theme.colour("line_strong"))
            return
        self._paint_violin(painter, row, centre_y, span[0] - low * scale, scale)
        if row.value == row.value or row.low == row.low:
            xs = [span[0] + (value - low) * scale for value in (row.low, row.value, row.high)]
            self._paint_interval(painter, row, centre_y, xs)
        at = span[1] + 2 * SPACE
        width = QFontMetricsF(self._font()).horizontalAdvance("0.000")
        number = QRectF(at, box.top(), width, box.height())
        text = format_value(row.value, counted=not self._decimals)
        put_text(painter, number, text, ink, RIGHT, font=self._font())
        self._paint_group_bars(painter, row, at + width + 3 * SPACE, box)
        if self._notes_width():
            put_text(painter, box.adjusted(0, 0, -2 * SPACE, 0), row.note, self._theme.colour("muted"), RIGHT)

    def _paint_violin(self, painter: QPainter, row: IntervalRow, centre_y: float, zero: float, scale: float) -> None:
        """Paint the shares of a row, and the thin line that continues its interval."""
        if row.outer[0] == row.outer[0]:
            painter.setPen(QPen(self._theme.colour("line_strong"), 1))
            left, right = (zero + value * scale for value in row.outer)
            painter.drawLine(QPointF(left, centre_y), QPointF(right, centre_y))
        if upper := row.violin(self._row_height() / 2 - 1):
            colour = QColor(row.colour)
            colour.setAlphaF(0.3)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour)
            points = [QPointF(zero + x * scale, centre_y - height) for x, height in upper]
            painter.drawPolygon([*points, *(QPointF(p.x(), 2 * centre_y - p.y()) for p in reversed(points))])

    def _paint_interval(self, painter: QPainter, row: IntervalRow, centre_y: float, xs: list[float]) -> None:
        painter.setPen(QPen(self._theme.colour("line_strong"), 1.5))
        if row.low == row.low and row.high == row.high:
            painter.drawLine(QPointF(xs[0], centre_y), QPointF(xs[2], centre_y))
            for x in (xs[0], xs[2]):
                painter.drawLine(QPointF(x, centre_y - SPACE), QPointF(x, centre_y + SPACE))
        if row.value != row.value:
            return
        painter.setPen(QPen(self._theme.colour("surface"), 1))
        painter.setBrush(QColor(row.colour))
        painter.drawEllipse(QPointF(xs[1], centre_y), SPACE + 0.5, SPACE + 0.5)

    def _paint_group_bars(self, painter: QPainter, row: IntervalRow, left: float, box: QRectF) -> None:
        """Paint a cell in the column of each group; adjacent members form one bar."""
        groups = sorted({letter for other in self.rows for letter in other.letters})
        for column, letter in enumerate(groups):
            if letter in row.letters:
                cell = QRectF(left + column * GROUP_BAR_WIDTH, box.top(), GROUP_BAR_WIDTH - 3, box.height())
                painter.fillRect(cell, self._theme.colour("bar"))
                put_text(painter, cell, letter, self._theme.colour("ink"), CENTRE)

    def ticks(self, low: float, high: float, width: float) -> list[tuple[float, str]]:
        """Values and labels of the ticks: round numbers; none on a scale narrower than `MIN_SCALE_WIDTH` pixels."""
        if width < MIN_SCALE_WIDTH:
            return []
        step = nice_step(high - low, max(1, int(width / MIN_SCALE_WIDTH)))
        if not self._decimals:
            step = max(1.0, math.ceil(step))
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        return [(tick * step, tick_text(tick * step, step)) for tick in range(first, last + 1)]

    def _paint_scale(self, painter: QPainter, span: tuple[float, float], low: float, high: float) -> None:
        top = self._body_height()
        painter.setPen(self._theme.colour("line"))
        painter.drawLine(QPointF(span[0], top), QPointF(span[1], top))
        muted = self._theme.colour("muted")
        painter.setPen(muted)
        painter.setFont(text_font(self.font(), 0.92))
        span_width = span[1] - span[0]
        for value, text in self.ticks(low, high, span_width):
            x = span[0] + (value - low) / (high - low) * span_width
            painter.drawLine(QPointF(x, top), QPointF(x, top + SPACE))
            put_text(painter, QRectF(x - 40, top, 80, self._row_height()), text, muted, CENTRE)
        name = QRectF(span[0], top + self._row_height() - SPACE, span_width, self._row_height())
        if painter.fontMetrics().horizontalAdvance(self._scale_name) > span_width:
            name.setLeft(2 * SPACE)
            name.setRight(self.viewport().width() - 2 * SPACE)
        put_text(painter, name, self._scale_name, muted, CENTRE, elide=Qt.TextElideMode.ElideRight)
