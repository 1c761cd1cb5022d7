"""Colour tables and colour bar of a heat map."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetricsF, QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from shrec_viewer.charts.matrix import EMPTY_MATRIX, Matrix, MatrixScale
from shrec_viewer.render.scene.palette import CIVIDIS, ONE_HUE, RANK_CHANGE, map_colours
from shrec_viewer.widgets.controls.plain_text import set_tooltip
from shrec_viewer.widgets.style.painted import PaintedWidget
from shrec_viewer.widgets.style.text import put_text
from shrec_viewer.widgets.style.theme import SPACE, Theme, text_font

#: Number of colours of differences, as in the tables of values.
DIVERGING_STEPS = 17


def heatmap_colour_table(theme: Theme, scale: MatrixScale) -> tuple[str, ...]:
    """Colours from the lowest to the highest value.

    Differences run from the colour of a loss over the background to that of a gain (`RANK_CHANGE`), shares from the
    background to the accent, so that zero is inconspicuous in both themes.
    """
    if scale == "values":
        return ONE_HUE[::-1] if theme.name == "dark" else ONE_HUE
    if scale == "cividis":
        return CIVIDIS
    if scale == "shares":
        return _blend(theme.surface, theme.accent, theme.ink)
    colours = RANK_CHANGE[theme.name]
    return _blend(colours["down"], theme.window, colours["up"])


def _blend(low: str, centre: str, high: str) -> tuple[str, ...]:
    low_colour, centre_colour, high_colour = QColor(low), QColor(centre), QColor(high)
    half = DIVERGING_STEPS // 2
    rising = [mixed(low_colour, centre_colour, step / half).name() for step in range(half)]
    return (*rising, *(mixed(centre_colour, high_colour, step / half).name() for step in range(half + 1)))


def mixed(one: QColor, two: QColor, share: float) -> QColor:
    """A colour between two others."""
    channels = ((one.redF(), two.redF()), (one.greenF(), two.greenF()), (one.blueF(), two.blueF()))
    return QColor.fromRgbF(*(start + (end - start) * share for start, end in channels))


def heatmap_image(values: NDArray[np.float64], table: Sequence[str], low: float, high: float) -> QImage:
    """Image with one pixel per value, (R, C) float64; NaN is transparent."""
    pixels = np.ascontiguousarray(map_colours(values, tuple(table), low, high))
    height, width = values.shape
    # Copied, since QImage does not own the memory of the array.
    return QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_RGBA8888).copy()


#: Size of the bar in pixels.
BAR_WIDTH, BAR_HEIGHT = 84, 10

#: Width of a hatched swatch in pixels.
SWATCH_WIDTH = 14


class HeatmapColourBar(PaintedWidget):
    """Colour bar with name and range of the values, and a swatch for each hatching in use.

    The name is elided in a narrow widget; the tooltip is complete.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._cells = EMPTY_MATRIX
        self._name = ""
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Colours")

    def set_scale(self, cells: Matrix, name: str) -> None:
        """Show the colours of these cells.

        Parameters
        ----------
        name : quantity with its unit: ``"ADR"``, ``"share of the first tier"``.
        """
        self._cells, self._name = cells, name
        self.setAccessibleDescription(self.description())
        set_tooltip(self, self.description())
        self.updateGeometry()
        self.update()

    def limits(self) -> tuple[str, str]:
        """The lowest and the highest value."""
        cells = self._cells
        return cells.number(cells.low), cells.number(cells.high)

    def hatched(self) -> tuple[tuple[Qt.BrushStyle, str], ...]:
        """Each hatching that occurs, with its meaning."""
        cells = self._cells
        missing = np.isnan(cells.values)
        absent = np.zeros_like(missing) if cells.absent is None else cells.absent & missing
        found = []
        if absent.any():
            found.append((Qt.BrushStyle.DiagCrossPattern, "no ranked list"))
        if (missing & ~absent).any():
            found.append((Qt.BrushStyle.BDiagPattern, "undefined"))
        return tuple(found)

    def description(self) -> str:
        """``"ADR: 0.000 … 0.965, hatched: no ranked list"``."""
        low, high = self.limits()
        missing = "".join(f", hatched: {meaning}" for _, meaning in self.hatched())
        return f"{self._name}: {low} … {high}{missing}"

    def sizeHint(self) -> QSize:
        """Size of gradient, limits and name."""
        name = QFontMetricsF(self._font()).horizontalAdvance(self._name) + 2 * SPACE
        return QSize(round(self._fixed_width() + name) + 1, self._height())

    def minimumSizeHint(self) -> QSize:
        """Size without the name."""
        return QSize(round(self._fixed_width()), self._height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint name, lower limit, gradient and upper limit."""
        if not self._cells.rows:
            return
        painter = QPainter(self)
        painter.setFont(self._font())
        metrics = QFontMetricsF(self._font())
        available = self.width() - self._fixed_width() - 2 * SPACE
        left = self._paint_text(
            painter, 0.0, metrics.elidedText(self._name, Qt.TextElideMode.ElideRight, max(available, 0.0))
        )
        left = left + 2 * SPACE if left else 0.0
        low, high = self.limits()
        bar = QRectF(
            self._paint_text(painter, left, low) + SPACE, (self.height() - BAR_HEIGHT) / 2, BAR_WIDTH, BAR_HEIGHT
        )
        self._paint_bar(painter, bar)
        left = self._paint_text(painter, bar.right() + SPACE, high)
        for pattern, meaning in self.hatched():
            swatch = QRectF(left + 3 * SPACE, bar.top(), SWATCH_WIDTH, BAR_HEIGHT)
            painter.fillRect(swatch, self._theme.colour("sunken"))
            painter.fillRect(swatch, QBrush(self._theme.colour("line_strong", 0.8), pattern))
            left = self._paint_text(painter, swatch.right() + SPACE, meaning)

    def _paint_bar(self, painter: QPainter, bar: QRectF) -> None:
        table = heatmap_colour_table(self._theme, self._cells.scale)
        table = table[::-1] if self._cells.inverted else table
        painter.drawImage(bar, heatmap_image(np.linspace(0.0, 1.0, BAR_WIDTH)[None], table, 0.0, 1.0))
        painter.setPen(self._theme.colour("line_strong"))
        painter.drawRect(bar.adjusted(0.5, 0.5, -0.5, -0.5))
        if self._cells.diverging:
            zero_x = round(bar.center().x())
            painter.drawLine(zero_x, int(bar.top()) - 2, zero_x, int(bar.bottom()) + 2)

    def _paint_text(self, painter: QPainter, left: float, text: str) -> float:
        """Paint a text; returns the x of its end."""
        width = QFontMetricsF(painter.font()).horizontalAdvance(text)
        put_text(painter, QRectF(left, 0, width + 1, self.height()), text, self._theme.colour("muted"))
        return left + width

    def _fixed_width(self) -> float:
        """Width in pixels of everything but the name."""
        metrics = QFontMetricsF(self._font())
        labels_width = sum(metrics.horizontalAdvance(text) + SPACE for text in self.limits())
        missing_width = sum(
            metrics.horizontalAdvance(meaning) + SWATCH_WIDTH + 4 * SPACE for _, meaning in self.hatched()
        )
        return BAR_WIDTH + labels_width + missing_width + 1

    def _height(self) -> int:
        return round(QFontMetricsF(self._font()).height()) + SPACE

    def _font(self) -> QFont:
        return text_font(self.font(), 0.92)
