"""An axis with calm ticks: one level, steps of 1, 2 or 5, as many as there is room for."""

import math
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QRectF
from PySide6.QtGui import QFont, QPen

from shrec_viewer.widgets.theme import Theme

ROOM = {"bottom": 46, "left": 30}
"""Pixels between two ticks at least: a label of four digits across, two lines of text down."""

OVERHANG = 24
"""Pixels that a label may reach beyond the end of its axis: half a label of five digits."""

EDGE = 0.02
"""Share of the range left free at either end, so that lines at 0 and 1 are seen whole."""

OPAQUE = 255


class PlotAxis(pg.AxisItem):  # type: ignore[misc]  # pyqtgraph has no types
    """Draws grid lines and labels in theme colours.

    pyqtgraph's own axes draw three levels of ticks in fading alphas and take their colours when they are made.

    Parameters
    ----------
    side : ``"bottom"`` or ``"left"``.
    """

    def __init__(self, side: str) -> None:
        self._side = side
        super().__init__(side)
        self.enableAutoSIPrefix(False)
        self.setStyle(tickLength=0, tickAlpha=OPAQUE, maxTextLevel=0, tickTextOffset=6)

    def set_words(self, words: str) -> None:
        """Name of the axis with its unit."""
        self.setLabel(words)

    def set_theme(self, theme: Theme, font: QFont, label_font: QFont) -> None:
        """Repaint in this theme and these fonts."""
        line = QPen(theme.colour("line"), 1)
        line.setCosmetic(True)
        self.setTickPen(line)
        strong = QPen(theme.colour("line_strong"), 1)
        strong.setCosmetic(True)
        self.setPen(strong)
        self.setTextPen(theme.muted)
        self.setTickFont(font)
        self.label.setFont(label_font)
        self.label.setDefaultTextColor(theme.colour("ink"))
        self.setGrid(OPAQUE)
        self.picture = None
        self.update()

    def boundingRect(self) -> QRectF:
        """Pyqtgraph override; with a grid its own has no room for the labels at the ends and leaves them out."""
        across, down = (OVERHANG, 0) if self._side == "bottom" else (0, OVERHANG)
        return super().boundingRect().adjusted(-across, -down, across, down)

    def tickValues(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, list[float]]]:  # noqa: N803
        """Pyqtgraph override."""
        low, high = sorted((minVal, maxVal))
        step = nice_step((high - low) / (1 + 2 * EDGE), max(2, int(size / ROOM[self._side])))
        first = math.ceil(low / step - 1e-9)
        last = math.floor(high / step + 1e-9)
        return [(step, [tick * step for tick in range(first, last + 1)])]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        """Pyqtgraph override."""
        decimals = max(0, -math.floor(math.log10(spacing) + 1e-9)) if spacing > 0 else 0
        return [f"{value:,.{decimals}f}".replace("-", "−") for value in values]

    def mouseDragEvent(self, event: Any) -> None:
        """Pyqtgraph override; axes are not handles here, one way to move a plot is enough."""
        event.ignore()

    def wheelEvent(self, event: Any) -> None:
        """Pyqtgraph override; the wheel scrolls what is around the plot."""
        event.ignore()


def nice_step(span: float, most: int) -> float:
    """Smallest step of 1, 2 or 5 times a power of ten that cuts `span` into at most `most` parts; 1 for an empty span.

    Examples
    --------
    >>> nice_step(1.0, 10), nice_step(1.0, 4), nice_step(1814, 8), nice_step(0.0, 5)
    (0.1, 0.5, 500.0, 1.0)
    """
    if not span > 0 or not math.isfinite(span):
        return 1.0
    power = 10.0 ** math.floor(math.log10(span / most))
    for factor in (1, 2, 5, 10):
        if span / (factor * power) <= most + 1e-9:
            return factor * power
    return 10 * power
