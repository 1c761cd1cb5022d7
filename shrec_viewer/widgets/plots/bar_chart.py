"""Horizontal bars with names and values."""

import math

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from shrec_viewer.charts.bars import Bars
from shrec_viewer.number_format import format_fixed
from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme

MAX_NAME_SHARE = 0.4
"""Largest share of the width that names take; longer ones are elided."""


class BarChart(QAbstractScrollArea):
    """Draws `Bars`, from the top; more than fit are scrolled."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = current_theme()
        self._chart: Bars | None = None
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def set_chart(self, chart: Bars) -> None:
        """Show these bars."""
        self._chart = chart
        self.setAccessibleName(chart.x_label)
        self.setAccessibleDescription("; ".join(f"{bar.name} {self._value(bar.value)}" for bar in chart.bars))
        self._update_scroll_bar()

    def set_theme(self, theme: Theme) -> None:
        """Set the theme."""
        self._theme = theme
        self.viewport().update()

    def sizeHint(self) -> QSize:
        """Preferred size of the chart."""
        return QSize(480, 220)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt override."""
        super().resizeEvent(event)
        self._update_scroll_bar()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the label and the visible bars."""
        painter = QPainter(self.viewport())
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        painter.fillRect(self.viewport().rect(), self._theme.colour("surface"))
        if self._chart is None or not self._chart.bars:
            return
        metrics, width = QFontMetricsF(self.font()), self.viewport().width() - 4 * SPACE
        names = min(max(metrics.horizontalAdvance(bar.name) for bar in self._chart.bars), MAX_NAME_SHARE * width)
        values = max(metrics.horizontalAdvance(self._value(bar.value)) for bar in self._chart.bars)
        left, scale = 2 * SPACE + names + 2 * SPACE, max(width - names - values - 4 * SPACE, 1.0)
        height, top = self._row_height(), -self.verticalScrollBar().value()
        low, high = self._chart.limits
        centre = Qt.AlignmentFlag.AlignVCenter
        for bar in self._chart.bars:
            if -height < top < self.viewport().height() - height:
                painter.setPen(self._theme.colour("ink"))
                name = metrics.elidedText(bar.name, Qt.TextElideMode.ElideMiddle, names + 1)
                painter.drawText(QRectF(2 * SPACE, top, names + 1, height), centre, name)
                painter.drawText(
                    QRectF(left + scale + 2 * SPACE, top, values + 1, height), centre, self._value(bar.value)
                )
                if math.isfinite(bar.value):
                    start, end = (left + scale * (value - low) / (high - low) for value in (max(low, 0.0), bar.value))
                    shape = QRectF(min(start, end), top + SPACE, abs(end - start), height - 2 * SPACE)
                    painter.fillRect(shape, QColor(bar.colour))
            top += height
        footer = QRectF(left, self.viewport().height() - height, scale, height)
        painter.fillRect(QRectF(0, footer.top(), self.viewport().width(), height), self._theme.colour("surface"))
        painter.setPen(self._theme.colour("muted"))
        painter.drawText(footer, centre, metrics.elidedText(self._chart.x_label, Qt.TextElideMode.ElideRight, scale))

    def _value(self, value: float) -> str:
        return format_fixed(value, self._chart.decimals) if self._chart is not None and math.isfinite(value) else "–"

    def _row_height(self) -> int:
        return round(QFontMetricsF(self.font()).height()) + 2 * SPACE

    def _update_scroll_bar(self) -> None:
        bar, rows = self.verticalScrollBar(), 0 if self._chart is None else len(self._chart.bars)
        page = self.viewport().height() - self._row_height()
        bar.setPageStep(max(page, 1))
        bar.setSingleStep(self._row_height())
        bar.setRange(0, max(0, rows * self._row_height() - page))
        self.viewport().update()
