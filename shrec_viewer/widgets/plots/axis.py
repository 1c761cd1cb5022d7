"""Plot axis with a single tick level, steps of 1, 2 or 5, and a label that shortens to fit."""

import math
from collections.abc import Callable
from typing import Any, Literal

import pyqtgraph as pg
from PySide6.QtCore import QRectF
from PySide6.QtGui import QFont, QFontMetricsF, QPen

from shrec_viewer.number_format import format_fixed
from shrec_viewer.widgets.style.theme import Theme

MIN_TICK_SPACING = {"bottom": 46, "left": 30}
"""Pixels between two ticks at least: a label of four digits across, two lines of text down."""

OVERHANG = 24
"""Pixels that a label may reach beyond the end of its axis: half a label of five digits."""

RANGE_MARGIN = 0.02
"""Share of the range left free at either end, so that lines at 0 and 1 are seen whole."""

OPAQUE_ALPHA = 255

LABEL_MARGIN = 8.0
"""Pixels around the name of an axis within its text item."""

AxisLabel = str | tuple[str, ...]
"""Name of an axis: a text, or several from the longest to the shortest of which the axis takes what fits."""

MAX_HALVINGS = 20
"""Of the collection, up to which it is written out: 1/1,048,576."""

TickFormat = Literal["number", "percent", "halves"]
"""How ticks are written: as they are; a share as percent; x as 2 to the power of -x, so that 3 is 1/8."""

MIN_HALVES_SPACING = 58
"""Pixels between two ticks written as fractions: 1/16,384."""


class PlotAxis(pg.AxisItem):  # type: ignore[misc]  # pyqtgraph has no types
    """Draws grid lines and labels in theme colours.

    pyqtgraph's own axes draw three levels of ticks in fading alphas and take their colours when they are made.

    Parameters
    ----------
    side : ``"bottom"`` or ``"left"``.
    """

    def __init__(self, side: str) -> None:
        self._side = side
        self._names: tuple[str, ...] = ("",)
        self._ticks: TickFormat = "number"
        super().__init__(side)
        self.enableAutoSIPrefix(False)
        self.setStyle(tickLength=0, tickAlpha=OPAQUE_ALPHA, maxTextLevel=0, tickTextOffset=6)

    def set_words(self, words: AxisLabel) -> None:
        """Name the axis with its unit; the longest of `axis_label_forms` that fits is shown, whatever its size becomes."""
        self._names = axis_label_forms(words)
        self._show_name()

    def set_ticks(self, ticks: TickFormat) -> None:
        """Write ticks in this way from now on."""
        if ticks != self._ticks:
            self._ticks = ticks
            self.picture = None
            self.update()

    def resizeEvent(self, ev: Any = None) -> None:
        """Pyqtgraph override."""
        super().resizeEvent(ev)
        if self.label is not None and self._show_name():
            super().resizeEvent(ev)

    def _show_name(self) -> bool:
        """Show the name that fits, and say whether it is another one than before."""
        room = self.size().width() if self._side == "bottom" else self.size().height()
        metrics = QFontMetricsF(self.label.font())
        name = fitting_label(self._names, room - LABEL_MARGIN, metrics.horizontalAdvance)
        if name == self.labelText:
            return False
        self.setLabel(name)
        self.setToolTip(self._names[0] if name != self._names[0] else "")
        return True

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
        self._show_name()
        self.label.setDefaultTextColor(theme.colour("ink"))
        self.setGrid(OPAQUE_ALPHA)
        self.picture = None
        self.update()

    def boundingRect(self) -> QRectF:
        """Pyqtgraph override; with a grid its own has no room for the labels at the ends and leaves them out."""
        across, down = (OVERHANG, 0) if self._side == "bottom" else (0, OVERHANG)
        return super().boundingRect().adjusted(-across, -down, across, down)

    def tickValues(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, list[float]]]:  # noqa: N803
        """Pyqtgraph override."""
        low, high = sorted((minVal, maxVal))
        room = MIN_HALVES_SPACING if self._ticks == "halves" else MIN_TICK_SPACING[self._side]
        step = nice_step((high - low) / (1 + 2 * RANGE_MARGIN), max(2, int(size / room)))
        if self._ticks == "halves":
            step = max(1.0, float(round(step)))  # a half of a half is no fraction one can read
        first = math.ceil(low / step - 1e-9)
        last = math.floor(high / step + 1e-9)
        return [(step, [tick * step for tick in range(first, last + 1)])]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        """Pyqtgraph override."""
        return [tick_text(value, spacing, self._ticks) for value in values]

    def mouseDragEvent(self, event: Any) -> None:
        """Pyqtgraph override; axes are not handles here, one way to move a plot is enough."""
        event.ignore()

    def wheelEvent(self, event: Any) -> None:
        """Pyqtgraph override; the wheel scrolls what is around the plot."""
        event.ignore()


def axis_label_forms(words: AxisLabel) -> tuple[str, ...]:
    """Names of an axis from the longest to the shortest.

    Of a single text the part before the first parenthesis and the part before the first comma are its shorter forms.

    Examples
    --------
    >>> axis_names("Gain, share of the ideal (0 to 1)"), axis_names(("Share of the ideal gain", "NDCG"))
    (('Gain, share of the ideal (0 to 1)', 'Gain, share of the ideal', 'Gain'), ('Share of the ideal gain', 'NDCG'))
    """
    if not isinstance(words, str):
        return tuple(words)
    forms = (words, words.partition(" (")[0], words.partition(" (")[0].partition(", ")[0])
    return tuple(dict.fromkeys(forms))


def fitting_label(names: tuple[str, ...], room: float, width: Callable[[str], float]) -> str:
    """The first of `names` that is at most `room` wide; else whole words of the last one and "…", "" for none.

    Parameters
    ----------
    width : of a text, in the unit of `room`.

    Examples
    --------
    >>> names = ("Share of the ideal gain", "Ideal gain")
    >>> fitting_name(names, 30, len), fitting_name(names, 10, len), fitting_name(names, 8, len)
    ('Share of the ideal gain', 'Ideal gain', 'Ideal…')
    """
    for name in names:
        if width(name) <= room:
            return name
    words = names[-1].split()
    for count in range(len(words) - 1, 0, -1):
        name = " ".join(words[:count]).rstrip(",;:") + "…"
        if width(name) <= room:
            return name
    return ""


def tick_text(value: float, step: float, ticks: TickFormat = "number") -> str:
    """How a tick is written among ticks that are `step` apart.

    Examples
    --------
    >>> tick_text(0.2, 0.2), tick_text(0.25, 0.05, "percent")
    ('0.2', '25%')
    >>> tick_text(10.0, 1.0, "halves"), tick_text(2.25, 0.25, "halves"), tick_text(0, 1, "halves")
    ('1/1,024', '1/4.76', '1')
    >>> tick_text(2000.0, 1.0, "halves")
    '1/2^2,000'
    """
    if ticks == "halves":
        if value > MAX_HALVINGS:  # as when somebody zoomed far out
            return f"1/2^{value:,.0f}"
        whole = 2.0**value
        is_short = whole >= 100 or whole == round(whole)
        return "1" if value == 0 else "" if value < 0 else f"1/{whole:,.0f}" if is_short else f"1/{whole:.3g}"
    factor = 100.0 if ticks == "percent" else 1.0
    decimals = max(0, -math.floor(math.log10(step * factor) + 1e-9)) if step > 0 else 0
    return format_fixed(value * factor, decimals) + ("%" if ticks == "percent" else "")


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
