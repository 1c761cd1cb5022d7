"""Bar chart of the score difference of two runs, one bar per query."""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QWidget

from shrec_viewer.number_format import format_fixed
from shrec_viewer.render.scene.palette import RANK_CHANGE
from shrec_viewer.widgets.plots.canvas import nice_step
from shrec_viewer.widgets.style.painted import PaintedItems
from shrec_viewer.widgets.style.theme import SPACE, text_font

#: Minimum width in pixels of a bar with its gap; more bars are scrolled.
MIN_BAR_WIDTH = 5

#: Maximum width in pixels of a bar; few bars are spread over the width, with larger gaps.
MAX_BAR_WIDTH = 44

#: Width of a bar in pixels from which its query is named below it.
NAMES_FROM_WIDTH = 13

#: Minimum distance of ticks in lines of text.
MIN_TICK_LINES = 1.6

#: Minimum height of the lower side as a share of the higher one.
MIN_HEIGHT_SHARE = 0.2

#: Maximum length in pixels of the names below the bars, which are written vertically.
MAX_NAME_LENGTH = 64


def _no_bar_text(index: int) -> str:
    return ""


class GainLossBars(PaintedItems):
    """Bars in the given order, upwards for a gain and downwards for a loss, around a zero line.

    Signals
    -------
    bar_activated(index)
        Double click or Enter.
    """

    bar_activated = Signal(int)
    preferred_size = QSize(480, 180)
    step_keys = (Qt.Key.Key_Left, Qt.Key.Key_Right)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._names: tuple[str, ...] = ()
        self._gains: NDArray[np.float64] = np.zeros(0)
        self._inverted = False
        self._title = ""
        self._bar_text: Callable[[int], str] = _no_bar_text
        self._hovered = -1
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setMouseTracking(True)
        self.setAccessibleName("Score difference per query")

    def set_bars(
        self,
        names: tuple[str, ...],
        gains: NDArray[np.float64],
        bar_text: Callable[[int], str] = _no_bar_text,
        *,
        title: str = "",
        inverted: bool = False,
    ) -> None:
        """Show these bars.

        Parameters
        ----------
        names, gains : (n,) queries and differences; NaN if one of the runs has no value: a mark without bar.
        bar_text : description of a bar.
        title : label of the axis, painted in a corner.
        inverted : lower is better: a bar downwards is a gain.
        """
        self._names, self._gains, self._bar_text, self._inverted = names, gains, bar_text, inverted
        self._title = title
        self.current = self.current if self.current < len(names) else -1
        self._hovered = -1
        self._lay_out()

    def set_current(self, index: int) -> None:
        """Mark a bar and scroll to it, -1 for none; does not emit."""
        super().set_current(index)
        if self.current >= 0:
            bar = self.horizontalScrollBar()
            left = self.current * self._pitch()
            if not bar.value() <= left <= bar.value() + self._body().width() - self._pitch():
                bar.setValue(round(left - self._body().width() / 2))

    def n_items(self) -> int:
        """Number of bars."""
        return len(self._names)

    def item_text(self, index: int) -> str:
        """Description of a bar."""
        return self._bar_text(index)

    def item_at(self, point: QPoint) -> int:
        """Index of the bar at a point of the viewport, -1 for none."""
        body = self._body()
        if not body.left() <= point.x() <= body.right() or not self._names:
            return -1
        index = int((point.x() - body.left() + self.horizontalScrollBar().value()) // self._pitch())
        return index if index < len(self._names) else -1

    def column(self, index: int) -> QRectF:
        """Rectangle of a bar in the viewport, over the full height."""
        return self._column(index, self._body(), self._pitch())

    def _column(self, index: int, body: QRectF, pitch: float) -> QRectF:
        left = body.left() + index * pitch - self.horizontalScrollBar().value()
        return QRectF(left, body.top(), pitch, body.height())

    # Qt overrides.

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Compute the scroll range."""
        super().resizeEvent(event)
        self._lay_out()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint axis, visible bars, zero line and title."""
        painter = self.start_painting()
        if not self._names:
            return
        # Once for all bars: font metrics and limits for each of them take 20 ms.
        body, zero, pitch, span = self._body(), self._zero(), self._pitch(), sum(self._limits())
        painter.setFont(self._font())
        self._paint_axis(painter, body)
        painter.setClipRect(QRectF(body.left(), 0, body.width(), self.viewport().height()))
        first = int(self.horizontalScrollBar().value() // pitch)
        last = min(len(self._names), first + int(body.width() // pitch) + 2)
        for index in range(first, last):
            self._paint_bar(painter, index, self._column(index, body, pitch), zero, span)
        painter.setPen(self._theme.colour("line_strong"))
        painter.drawLine(round(body.left()), round(zero), round(body.right()), round(zero))
        self._paint_title(painter, body)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Highlight the bar under the mouse."""
        self._hover(self.item_at(event.position().toPoint()))

    def leaveEvent(self, event: QEvent) -> None:
        """Highlight no bar."""
        self._hover(-1)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Activate the bar under the mouse."""
        if (index := self.item_at(event.position().toPoint())) >= 0:
            self.bar_activated.emit(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Activate the current bar with Enter."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.current >= 0:
            self.bar_activated.emit(self.current)
        else:
            super().keyPressEvent(event)

    # Layout and painting.

    def _font(self) -> QFont:
        return text_font(self.font(), 0.92)

    def _body(self) -> QRectF:
        metrics = QFontMetricsF(self._font())
        left = metrics.horizontalAdvance("+0.000") + 4 * SPACE
        name_height = self._name_height(metrics)
        available = self.viewport().rect()
        return QRectF(
            left, 2 * SPACE, available.width() - left - 2 * SPACE, available.height() - name_height - 3 * SPACE
        )

    def _name_height(self, metrics: QFontMetricsF) -> float:
        if not self._names or self._pitch() < NAMES_FROM_WIDTH:
            return 0.0
        return min(max(metrics.horizontalAdvance(name) for name in self._names), MAX_NAME_LENGTH) + SPACE

    def _pitch(self) -> float:
        if not self._names:
            return 1.0
        metrics = QFontMetricsF(self._font())
        available = self.viewport().width() - metrics.horizontalAdvance("+0.000") - 6 * SPACE
        return max(available / len(self._names), MIN_BAR_WIDTH)

    def _limits(self) -> tuple[float, float]:
        """Largest gain and largest loss of the scale; both sides have a minimum height."""
        finite = self._gains[np.isfinite(self._gains)]
        up, down = float(finite.max(initial=0.0)), float(-finite.min(initial=0.0))
        largest = max(up, down) or 1.0
        return max(up, largest * MIN_HEIGHT_SHARE), max(down, largest * MIN_HEIGHT_SHARE)

    def _zero(self) -> float:
        body, (up, down) = self._body(), self._limits()
        return body.top() + body.height() * up / (up + down)

    def _lay_out(self) -> None:
        pitch = self._pitch()
        self.set_scroll_range(self.horizontalScrollBar(), pitch * len(self._names), self._body().width(), pitch)

    def _hover(self, index: int) -> None:
        if index != self._hovered:
            self._hovered = index
            self.viewport().update()

    def ticks(self) -> list[tuple[float, str]]:
        """Values and labels of the ticks: round numbers within the scale, none on a side without bars."""
        (up, down), body = self._limits(), self._body()
        line_height = QFontMetricsF(self._font()).height()
        fitting = max(2, int(body.height() / (MIN_TICK_LINES * line_height)))
        for max_steps in range(fitting, fitting + 8):  # more ticks than fit rather than none but zero
            step = nice_step(up + down, max_steps)
            highest = math.floor(up / step + 1e-9) if (self._gains > 0).any() else 0
            lowest = -math.floor(down / step + 1e-9) if (self._gains < 0).any() else 0
            if highest > lowest:
                break
        decimals = max(0, -math.floor(math.log10(step) + 1e-9))
        return [
            (tick * step, format_fixed(tick * step, decimals, signed=True) if tick else "0")
            for tick in range(lowest, highest + 1)
        ]

    def _paint_axis(self, painter: QPainter, body: QRectF) -> None:
        height, span = painter.fontMetrics().height(), sum(self._limits())
        for value, text in self.ticks():
            y = self._zero() - value / span * body.height()
            painter.setPen(self._theme.colour("line"))
            painter.drawLine(round(body.left()), round(y), round(body.right()), round(y))
            painter.setPen(self._theme.colour("muted"))
            box = QRectF(0, y - height / 2, body.left() - SPACE, height)
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)

    def _paint_title(self, painter: QPainter, body: QRectF) -> None:
        """Paint the title at the upper right or the lower left, whichever is farther from the zero line.

        Sorted by difference, bars leave both corners free. The background covers bars in other orders, and the mark of
        the current bar.
        """
        size = painter.fontMetrics().size(0, self._title)
        width, height = size.width() + 2 * SPACE, size.height()
        box = QRectF(body.right() - width, body.top() + 1, width, height)
        if body.bottom() - self._zero() > self._zero() - body.top():
            box.moveBottomLeft(body.bottomLeft() + QPointF(1, -1))
        if self._title:
            painter.fillRect(box, self._theme.colour("surface", 0.86))
            painter.setPen(self._theme.colour("muted"))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, self._title)

    def _paint_bar(self, painter: QPainter, index: int, column: QRectF, zero: float, span: float) -> None:
        """Paint one bar; `zero` is the y coordinate of the zero line, `span` the difference over the full height."""
        gain = float(self._gains[index])
        if index in (self.current, self._hovered):
            token = "selection" if index == self.current else "hover"
            painter.fillRect(
                QRectF(column.left(), 0, column.width(), self.viewport().height()), self._theme.colour(token)
            )
        inset = max(1.5 if column.width() > 8 else 0.5, (column.width() - MAX_BAR_WIDTH) / 2)
        if math.isnan(gain):
            painter.setPen(self._theme.colour("muted"))
            painter.drawText(column.adjusted(-8, 0, 8, 0), Qt.AlignmentFlag.AlignCenter, "–")
        else:
            height = abs(gain) / span * column.height()
            top = zero - height if gain > 0 else zero
            colours = RANK_CHANGE[self._theme.name]
            is_gain = (gain > 0) != self._inverted
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(colours["up" if is_gain else "down"]))
            painter.drawRect(
                QRectF(column.left() + inset, top, column.width() - 2 * inset, max(height, 1.0 if gain else 0.0))
            )
        if column.width() >= NAMES_FROM_WIDTH:
            self._paint_name(painter, index, column, painter.fontMetrics().height())

    def _paint_name(self, painter: QPainter, index: int, column: QRectF, height: float) -> None:
        painter.save()
        painter.setPen(self._theme.colour("ink" if index == self.current else "muted"))
        painter.translate(column.center().x(), column.bottom() + SPACE)
        painter.rotate(90)
        name = painter.fontMetrics().elidedText(self._names[index], Qt.TextElideMode.ElideMiddle, MAX_NAME_LENGTH)
        painter.drawText(QRectF(0, -height / 2, MAX_NAME_LENGTH + SPACE, height), Qt.AlignmentFlag.AlignVCenter, name)
        painter.restore()
