"""Colours of numbers in a map: values from low to high, differences around a middle."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from shrec_viewer.render.palette import CIVIDIS, RANK_CHANGE, map_colours
from shrec_viewer.widgets.relevance_mark import readable_on
from shrec_viewer.widgets.theme import SPACE, Theme, current_theme, text_font

STEPS = 17
"""Entries of a table of differences: as fine as the tables of values."""

Scale = Literal["values", "shares", "differences"]

SCALE_WIDTH, SCALE_HEIGHT = 120, 10
"""Pixels of the bar that explains the colours."""


def heat_table(theme: Theme, scale: Scale) -> tuple[str, ...]:
    """Colours from the lowest to the highest value.

    Differences run from the colour of a loss over the ground to the colour of a gain, those of rank changes
    (`RANK_CHANGE`), and shares from the ground to the accent, so that what is nothing is quiet in both themes.
    """
    if scale == "values":
        return CIVIDIS
    if scale == "shares":
        return _blend(theme.surface, theme.accent, theme.ink)
    ends = RANK_CHANGE[theme.name]
    return _blend(ends["down"], theme.window, ends["up"])


def _blend(low: str, middle: str, high: str) -> tuple[str, ...]:
    first, second, third = QColor(low), QColor(middle), QColor(high)
    half = STEPS // 2
    rising = [_between(first, second, step / half) for step in range(half)]
    return (*rising, *(_between(second, third, step / half) for step in range(half + 1)))


def _between(one: QColor, two: QColor, share: float) -> str:
    ends = ((one.redF(), two.redF()), (one.greenF(), two.greenF()), (one.blueF(), two.blueF()))
    return QColor.fromRgbF(*(start + (end - start) * share for start, end in ends)).name()


def heat_image(values: NDArray[np.float64], table: Sequence[str], low: float, high: float) -> QImage:
    """One pixel a value, (R, C) float64; what is not a number is transparent."""
    pixels = np.ascontiguousarray(map_colours(values, tuple(table), low, high))
    height, width = values.shape
    # A copy, because the image must own its pixels once the array is gone.
    return QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_RGBA8888).copy()


def ink_on(colour: QColor) -> QColor:
    """Black or white, whichever can be read on a cell of this colour."""
    return readable_on(colour)


class HeatScale(QWidget):
    """A bar with the colours, and what both ends and the middle stand for."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = current_theme()
        self._texts = ("", "", "")
        self._diverging = False
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Colours"))

    def set_scale(self, low: str, middle: str, high: str, *, diverging: bool) -> None:
        """Name the ends; `middle` only where there is something to say."""
        if ((low, middle, high), diverging) == (self._texts, self._diverging):
            return
        self._texts, self._diverging = (low, middle, high), diverging
        self.setAccessibleDescription(f"{low} … {high}")
        self.updateGeometry()
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self._theme = theme
        self.update()

    def sizeHint(self) -> QSize:
        """Qt override."""
        metrics = self.fontMetrics()
        words = metrics.horizontalAdvance(self._texts[0]) + metrics.horizontalAdvance(self._texts[2])
        return QSize(SCALE_WIDTH + words + 4 * SPACE, metrics.height() + SPACE)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Qt override."""
        painter = QPainter(self)
        painter.setFont(text_font(self.font(), 0.92))
        painter.setPen(self._theme.colour("muted"))
        metrics = painter.fontMetrics()
        left = metrics.horizontalAdvance(self._texts[0]) + SPACE
        bar = QRectF(left, (self.height() - SCALE_HEIGHT) / 2, SCALE_WIDTH, SCALE_HEIGHT)
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(QRectF(0, 0, left, self.height()), middle, self._texts[0])
        painter.drawText(QRectF(bar.right() + SPACE, 0, self.width(), self.height()), middle, self._texts[2])
        values = np.linspace(0.0, 1.0, SCALE_WIDTH)[None]
        painter.drawImage(
            bar, heat_image(values, heat_table(self._theme, "differences" if self._diverging else "values"), 0.0, 1.0)
        )
        painter.setPen(self._theme.colour("line_strong"))
        painter.drawRect(bar.adjusted(0.5, 0.5, -0.5, -0.5))
        if self._texts[1]:
            painter.drawLine(
                bar.center().toPoint().x(), int(bar.top()) - 2, bar.center().toPoint().x(), int(bar.bottom()) + 2
            )
