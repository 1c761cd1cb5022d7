"""Horizontal bars with names and values."""

import math

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from shrec_viewer.charts.bars import Bar, Bars
from shrec_viewer.number_format import format_fixed
from shrec_viewer.widgets.style.painted import PaintedArea
from shrec_viewer.widgets.style.text import put_text
from shrec_viewer.widgets.style.theme import SPACE

MAX_NAME_SHARE = 0.4
"""Largest share of the width that names take; longer ones are elided."""


class BarChart(PaintedArea):
    """Draws `Bars`, from the top; more than fit are scrolled.

    Signals
    -------
    bar_picked(key)
        A bar with a key was clicked, or reached with the arrow keys.
    """

    bar_picked = Signal(str)
    preferred_size = QSize(480, 220)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chart: Bars | None = None
        self._selected = ""
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def set_chart(self, chart: Bars) -> None:
        """Show these bars."""
        self._chart = chart
        self.setAccessibleName(chart.x_label)
        self.setAccessibleDescription("; ".join(f"{bar.name} {self._value(bar.value)}" for bar in chart.bars))
        self._update_scroll_bar()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt override."""
        super().resizeEvent(event)
        self._update_scroll_bar()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the label and the visible bars."""
        painter = self.start_painting()
        if self._chart is None or not self._chart.bars:
            return
        metrics, width = QFontMetricsF(self.font()), self.viewport().width() - 4 * SPACE
        names = min(max(metrics.horizontalAdvance(bar.name) for bar in self._chart.bars), MAX_NAME_SHARE * width)
        values = max(metrics.horizontalAdvance(self._value(bar.value)) for bar in self._chart.bars)
        left, scale = 2 * SPACE + names + 2 * SPACE, max(width - names - values - 4 * SPACE, 1.0)
        height, top = self._row_height(), -self.verticalScrollBar().value()
        right, ink = left + scale + 2 * SPACE, self._theme.colour("ink")
        for bar in self._chart.bars:
            if -height < top < self.viewport().height() - height:
                if bar.key and bar.key == self._selected:
                    whole = QRectF(0, top, self.viewport().width(), height)
                    painter.fillRect(whole, self._theme.colour("selection"))
                name, value = (QRectF(x, top, w + 1, height) for x, w in ((2 * SPACE, names), (right, values)))
                put_text(painter, name, bar.name, ink, elide=Qt.TextElideMode.ElideMiddle)
                put_text(painter, value, self._value(bar.value), ink)
                self._paint_bar(painter, bar, QRectF(left, top, scale, height))
            top += height
        footer = QRectF(left, self.viewport().height() - height, scale, height)
        painter.fillRect(QRectF(0, footer.top(), self.viewport().width(), height), self._theme.colour("surface"))
        muted = self._theme.colour("muted")
        put_text(painter, footer, self._chart.x_label, muted, elide=Qt.TextElideMode.ElideRight)

    def _paint_bar(self, painter: QPainter, bar: Bar, row: QRectF) -> None:
        assert self._chart is not None
        low, high = self._chart.limits

        def place(value: float) -> float:
            return row.left() + row.width() * (min(max(value, low), high) - low) / (high - low)

        for start, stop, opacity in bar.segments:
            colour = QColor(bar.colour)
            colour.setAlphaF(opacity)
            left, right = sorted((place(start), place(stop)))
            painter.fillRect(QRectF(left, row.top() + SPACE, right - left, row.height() - 2 * SPACE), colour)
        painter.setPen(self._theme.colour("ink"))
        if math.isfinite(bar.low) and math.isfinite(bar.high):
            middle = row.center().y()
            ends = (place(bar.start + end) for end in (bar.low, bar.high))
            painter.drawLine(*(QPointF(end, middle) for end in ends))
        if math.isfinite(bar.mark):
            x = place(bar.start + bar.mark)
            painter.drawLine(QPointF(x, row.top() + SPACE / 2), QPointF(x, row.bottom() - SPACE / 2))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Pick the bar under the pointer."""
        index = self._index_at(event.position().y())
        if event.button() == Qt.MouseButton.LeftButton and index is not None:
            self.setFocus(Qt.FocusReason.MouseFocusReason)
            self._pick(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Pick the bar above or below with the arrow keys."""
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()), 0)
        keys = [bar.key for bar in self._chart.bars] if self._chart is not None else []
        if not step or not any(keys):
            super().keyPressEvent(event)
            return
        current = keys.index(self._selected) if self._selected in keys else -1
        following = [index for index, key in enumerate(keys) if key and (index - current) * step > 0]
        if following:
            self._pick(following[0] if step > 0 else following[-1])

    def set_selected(self, key: str) -> None:
        """Mark the bar with a key; "" for none."""
        self._selected = key
        self.viewport().update()

    def _pick(self, index: int) -> None:
        assert self._chart is not None
        if key := self._chart.bars[index].key:
            self.bar_picked.emit(key)

    def _index_at(self, y: float) -> int | None:
        index = int((y + self.verticalScrollBar().value()) // self._row_height())
        n_bars = 0 if self._chart is None else len(self._chart.bars)
        return index if 0 <= index < n_bars and y < self.viewport().height() - self._row_height() else None

    def _value(self, value: float) -> str:
        return format_fixed(value, self._chart.decimals) if self._chart is not None and math.isfinite(value) else "–"

    def _row_height(self) -> int:
        return round(QFontMetricsF(self.font()).height()) + 2 * SPACE

    def _update_scroll_bar(self) -> None:
        rows, height = 0 if self._chart is None else len(self._chart.bars), self._row_height()
        self.set_scroll_range(self.verticalScrollBar(), rows * height, self.viewport().height() - height, height)
