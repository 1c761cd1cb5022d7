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
"""Minimum distance of ticks in pixels: a label of four digits horizontally, two lines of text vertically."""

OVERHANG = 24
"""Pixels that a tick label may extend beyond the end of its axis: half a label of five digits."""

RANGE_MARGIN = 0.02
"""Margin at both ends as a share of the range, so that lines at 0 and 1 are drawn in full width."""

OPAQUE_ALPHA = 255

LABEL_MARGIN = 8.0
"""Pixels around the label of an axis within its text item."""

AxisLabel = str | tuple[str, ...]
"""Label of an axis: a text, or several from the longest to the shortest; the axis shows the longest that fits."""

MAX_HALVINGS = 20
"""Exponent up to which a power of one half is written out: 1/1,048,576."""

TickFormat = Literal["number", "percent", "halves"]
"""Format of tick labels: number; share as percent; x as 2 to the power of -x, so that 3 is 1/8."""

MIN_HALVES_SPACING = 58
"""Minimum distance in pixels of ticks written as fractions: 1/16,384."""


class PlotAxis(pg.AxisItem):  # type: ignore[misc]  # pyqtgraph has no types
    """Axis with a grid of one tick level in theme colours and a label that shortens to fit.

    `pg.AxisItem` draws three levels of ticks with decreasing opacity and fixes its colours in the constructor.

    Parameters
    ----------
    side : ``"bottom"`` or ``"left"``.
    """

    def __init__(self, side: str) -> None:
        self._side = side
        self._forms: tuple[str, ...] = ("",)
        self._ticks: TickFormat = "number"
        super().__init__(side)
        self.enableAutoSIPrefix(False)
        self.setStyle(tickLength=0, tickAlpha=OPAQUE_ALPHA, maxTextLevel=0, tickTextOffset=6)

    def set_label(self, label: AxisLabel) -> None:
        """Set the label, with unit; the longest of `axis_label_forms` that fits is shown, also after a resize."""
        self._forms = axis_label_forms(label)
        self._update_label()

    def set_ticks(self, ticks: TickFormat) -> None:
        """Set the format of the tick labels."""
        if ticks != self._ticks:
            self._ticks = ticks
            self.picture = None
            self.update()

    def resizeEvent(self, ev: Any = None) -> None:
        """Choose the longest label that fits."""
        super().resizeEvent(ev)
        if self.label is not None and self._update_label():
            super().resizeEvent(ev)

    def _update_label(self) -> bool:
        """Show the longest label that fits; returns whether it changed."""
        available = self.size().width() if self._side == "bottom" else self.size().height()
        metrics = QFontMetricsF(self.label.font())
        label = fitting_label(self._forms, available - LABEL_MARGIN, metrics.horizontalAdvance)
        if label == self.labelText:
            return False
        self.setLabel(label)
        self.setToolTip(self._forms[0] if label != self._forms[0] else "")
        return True

    def set_theme(self, theme: Theme, font: QFont, label_font: QFont) -> None:
        """Repaint in this theme and these fonts."""
        line = QPen(theme.colour("line"), 1)
        line.setCosmetic(True)
        self.setTickPen(line)
        axis_pen = QPen(theme.colour("line_strong"), 1)
        axis_pen.setCosmetic(True)
        self.setPen(axis_pen)
        self.setTextPen(theme.muted)
        self.setTickFont(font)
        self.label.setFont(label_font)
        self._update_label()
        self.label.setDefaultTextColor(theme.colour("ink"))
        self.setGrid(OPAQUE_ALPHA)
        self.picture = None
        self.update()

    def boundingRect(self) -> QRectF:
        """Include the labels at the ends, which the inherited rectangle excludes when there is a grid."""
        across, down = (OVERHANG, 0) if self._side == "bottom" else (0, OVERHANG)
        return super().boundingRect().adjusted(-across, -down, across, down)

    def tickValues(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, list[float]]]:  # noqa: N803
        """A single level of ticks at multiples of a round step."""
        low, high = sorted((minVal, maxVal))
        spacing = MIN_HALVES_SPACING if self._ticks == "halves" else MIN_TICK_SPACING[self._side]
        step = nice_step((high - low) / (1 + 2 * RANGE_MARGIN), max(2, int(size / spacing)))
        if self._ticks == "halves":
            step = max(1.0, float(round(step)))  # fractional exponents are hard to read
        first = math.ceil(low / step - 1e-9)
        last = math.floor(high / step + 1e-9)
        return [(step, [tick * step for tick in range(first, last + 1)])]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        """Labels of the ticks in the format of the axis."""
        return [tick_text(value, spacing, self._ticks) for value in values]

    def mouseDragEvent(self, event: Any) -> None:
        """Ignore dragging: an axis is not scaled by itself."""
        event.ignore()

    def wheelEvent(self, event: Any) -> None:
        """Ignore the wheel, so that the scroll area around the plot gets it."""
        event.ignore()


def axis_label_forms(label: AxisLabel) -> tuple[str, ...]:
    """Forms of an axis label from the longest to the shortest.

    The shorter forms of a single text are the parts before the first parenthesis and before the first comma.

    Examples
    --------
    >>> axis_label_forms("Gain, share of the ideal (0 to 1)")
    ('Gain, share of the ideal (0 to 1)', 'Gain, share of the ideal', 'Gain')
    >>> axis_label_forms(("Share of the ideal gain", "NDCG"))
    ('Share of the ideal gain', 'NDCG')
    """
    if not isinstance(label, str):
        return tuple(label)
    forms = (label, label.partition(" (")[0], label.partition(" (")[0].partition(", ")[0])
    return tuple(dict.fromkeys(forms))


def fitting_label(forms: tuple[str, ...], available: float, width: Callable[[str], float]) -> str:
    """The first of `forms` that is at most `available` wide; else the last one elided after a word; "" if none fits.

    Parameters
    ----------
    width : measures a text, in the unit of `available`.

    Examples
    --------
    >>> forms = ("Share of the ideal gain", "Ideal gain")
    >>> fitting_label(forms, 30, len), fitting_label(forms, 10, len), fitting_label(forms, 8, len)
    ('Share of the ideal gain', 'Ideal gain', 'Ideal…')
    """
    for label in forms:
        if width(label) <= available:
            return label
    text_parts = forms[-1].split()
    for count in range(len(text_parts) - 1, 0, -1):
        label = " ".join(text_parts[:count]).rstrip(",;:") + "…"
        if width(label) <= available:
            return label
    return ""


def tick_text(value: float, step: float, ticks: TickFormat = "number") -> str:
    """Label of a tick in a series with the given step.

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
        if value > MAX_HALVINGS:
            return f"1/2^{value:,.0f}"
        whole = 2.0**value
        is_short = whole >= 100 or whole == round(whole)
        return "1" if value == 0 else "" if value < 0 else f"1/{whole:,.0f}" if is_short else f"1/{whole:.3g}"
    factor = 100.0 if ticks == "percent" else 1.0
    decimals = max(0, -math.floor(math.log10(step * factor) + 1e-9)) if step > 0 else 0
    return format_fixed(value * factor, decimals) + ("%" if ticks == "percent" else "")


def nice_step(span: float, max_steps: int) -> float:
    """Smallest step of 1, 2 or 5 times a power of ten with at most `max_steps` steps in `span`; 1 for an empty span.

    Examples
    --------
    >>> nice_step(1.0, 10), nice_step(1.0, 4), nice_step(1814, 8), nice_step(0.0, 5)
    (0.1, 0.5, 500.0, 1.0)
    """
    if not span > 0 or not math.isfinite(span):
        return 1.0
    power = 10.0 ** math.floor(math.log10(span / max_steps))
    for factor in (1, 2, 5, 10):
        if span / (factor * power) <= max_steps + 1e-9:
            return factor * power
    return 10 * power
