"""Horizontal bars with names and values."""

import math

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QWidget

from shrec_viewer.charts.bars import Bar, Bars
from shrec_viewer.number_format import format_fixed
from shrec_viewer.widgets.style.painted import PaintedArea
from shrec_viewer.widgets.style.text import CENTRE, put_text
from shrec_viewer.widgets.style.theme import SPACE

#: Largest share of the width that names take; longer ones are elided.
MAX_NAME_SHARE = 0.4

#: Largest share of the width that the dots of sets take.
MAX_DOTS_SHARE = 0.7


#: Width in pixels of the line that joins the dots of a set.
JOIN_WIDTH = 2


class BarChart(PaintedArea):
    """Draws `Bars`, from the top; more than fit are scrolled.

    Signals
    -------
    bar_picked(key)
        A bar with a key was clicked, or reached with the arrow keys; the marked one also by Escape.
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
        columns = self._chart.columns
        if columns:
            pitch = max(metrics.horizontalAdvance(name) for name in columns) + 2 * SPACE
            names = min(pitch * len(columns), MAX_DOTS_SHARE * width)
        else:
            names = min(max(metrics.horizontalAdvance(bar.name) for bar in self._chart.bars), MAX_NAME_SHARE * width)
        values = max(metrics.horizontalAdvance(self._value(bar.value)) for bar in self._chart.bars)
        left, scale = 2 * SPACE + names + 2 * SPACE, max(width - names - values - 4 * SPACE, 1.0)
        height, top = self._row_height(), self._header_height() - self.verticalScrollBar().value()
        right, ink = left + scale + 2 * SPACE, self._theme.colour("ink")
        for bar in self._chart.bars:
            if -height < top < self.viewport().height() - height:
                if bar.key and bar.key == self._selected:
                    whole = QRectF(0, top, self.viewport().width(), height)
                    painter.fillRect(whole, self._theme.colour("selection"))
                name, value = (QRectF(x, top, w + 1, height) for x, w in ((2 * SPACE, names), (right, values)))
                if columns:
                    self._paint_dots(painter, bar, name)
                else:
                    put_text(painter, name, bar.name, ink, elide=Qt.TextElideMode.ElideMiddle)
                put_text(painter, value, self._value(bar.value), ink)
                self._paint_bar(painter, bar, QRectF(left, top, scale, height))
            top += height
        if columns:
            painter.fillRect(QRectF(0, 0, self.viewport().width(), height), self._theme.colour("surface"))
            pitch = names / len(columns)
            for number, column in enumerate(columns):
                place = QRectF(2 * SPACE + number * pitch, 0, pitch, height)
                put_text(painter, place, column, ink, CENTRE, elide=Qt.TextElideMode.ElideRight)
        text = " · ".join(filter(None, (self._chart.x_label, self._chart.note)))
        start = 2 * SPACE if columns else left
        footer = QRectF(start, self.viewport().height() - height, left + scale - start, height)
        painter.fillRect(QRectF(0, footer.top(), self.viewport().width(), height), self._theme.colour("surface"))
        forms = text, self._chart.x_label, self._chart.x_label.partition("; ")[0]
        text = next((form for form in forms if metrics.horizontalAdvance(form) <= footer.width()), forms[-1])
        put_text(painter, footer, text, self._theme.colour("muted"), elide=Qt.TextElideMode.ElideRight)

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

    def _paint_dots(self, painter: QPainter, bar: Bar, row: QRectF) -> None:
        """One dot for each set, filled for those that the bar is an intersection of, which a line joins."""
        pitch, middle = row.width() / max(len(bar.members), 1), row.center().y()
        radius = min(pitch, row.height()) / 5
        places = [QPointF(row.left() + (number + 0.5) * pitch, middle) for number in range(len(bar.members))]
        painter.save()
        for is_filled, token in ((False, "line"), (True, "ink")):
            chosen = [place for place, is_member in zip(places, bar.members, strict=True) if is_member == is_filled]
            painter.setPen(QPen(self._theme.colour(token), JOIN_WIDTH))
            painter.setBrush(self._theme.colour(token))
            if is_filled and len(chosen) > 1:
                painter.drawLine(chosen[0], chosen[-1])
            for place in chosen:
                painter.drawEllipse(place, radius, radius)
        painter.restore()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Pick the bar under the pointer."""
        index = self._index_at(event.position().y())
        if event.button() == Qt.MouseButton.LeftButton and index is not None:
            self.setFocus(Qt.FocusReason.MouseFocusReason)
            self._pick(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Pick the bar above or below with the arrow keys; Escape picks the marked one again."""
        if event.key() == Qt.Key.Key_Escape and self._selected:
            self.bar_picked.emit(self._selected)
            return
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
        index = int((y + self.verticalScrollBar().value() - self._header_height()) // self._row_height())
        n_bars = 0 if self._chart is None else len(self._chart.bars)
        return (
            index
            if 0 <= index < n_bars and self._header_height() <= y < self.viewport().height() - self._row_height()
            else None
        )

    def _value(self, value: float) -> str:
        return format_fixed(value, self._chart.decimals) if self._chart is not None and math.isfinite(value) else "–"

    def _header_height(self) -> int:
        return self._row_height() if self._chart is not None and self._chart.columns else 0

    def _row_height(self) -> int:
        return round(QFontMetricsF(self.font()).height()) + 2 * SPACE

    def _update_scroll_bar(self) -> None:
        rows, height = 0 if self._chart is None else len(self._chart.bars), self._row_height()
        page = self.viewport().height() - height - self._header_height()
        self.set_scroll_range(self.verticalScrollBar(), rows * height, page, height)
