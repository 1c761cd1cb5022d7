"""Curve record, pens and dash patterns, nearest-curve search, and styles of identical curves."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPen

FADED_OPACITY = 0.25
"""Opacity of the others while one curve is lifted."""

CROWD_OPACITY = 0.35
"""Opacity of a crowd's curves, so that where they are dense can be seen."""

EMPHASISED_WIDTH = 2.5
"""Width of the one lifted curve in pixels. Width 1 is 10 to 20 times faster to draw, so the others have that."""

DASH_PATTERNS: dict[str, tuple[float, ...]] = {
    "solid": (),
    "dash": (8.0, 4.0),
    "dot": (2.0, 3.0),
    "dashdot": (9.0, 3.0, 2.0, 3.0),
    "dashdotdot": (9.0, 3.0, 2.0, 3.0, 2.0, 3.0),
    "gaps": (10.0, 10.0),
    "gaps2": (10.0, 20.0),
    "gaps3": (10.0, 30.0),
}
"""Dashes and gaps in pixels, by the palette's names, and for a line upon an equal one; alike whatever its width."""

GROOVE_WIDTH = 2.0
"""Pixels of the ground at both sides together of a thin line drawn into the wide one of an equal curve."""


MARKERS = ("circle", "square", "triangle", "diamond", "cross")
"""Shapes that mark a line, by the palette's names."""


@dataclass(frozen=True, eq=False)
class PlotCurve:
    """A line to draw.

    Attributes
    ----------
    key : distinct among the curves of a plot.
    label : for legend and readout.
    x : (K,) float64, ascending (equal neighbours allowed).
    y : (K,) float64, NaN where the curve is interrupted; all NaN draws nothing.
    colour : ``#rrggbb``.
    dash : a key of `DASH_PATTERNS`.
    marker : "" for none, else one of `MARKERS`, drawn along the line; for a participant that has no colour of its own.
    dotted : whether every sample is marked and only the curve in hand has its line, because the samples are what was
        measured and the line only joins them.
    spread : (2, K) float64, low and high ends of an interval around each sample; None for none.
    emphasis : ``"normal"``; ``"strong"`` (wide; for the two or three runs in hand); ``"crowd"`` (a thin part of a mass,
        not in the legend).
    """

    key: str
    label: str
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    colour: str
    dash: str = "solid"
    emphasis: str = "normal"
    marker: str = ""
    dotted: bool = False
    spread: NDArray[np.float64] | None = None

    @property
    def is_drawn(self) -> bool:
        """Whether there is a value to show."""
        return bool(np.isfinite(self.y).any())

    @property
    def shade(self) -> QColor:
        """`colour` for a painter."""
        return QColor(self.colour)

    @property
    def lone(self) -> NDArray[np.intp]:
        """Samples without a neighbour to draw a line to."""
        finite = np.isfinite(self.y) & np.isfinite(self.x)
        before, after = np.append(False, finite[:-1]), np.append(finite[1:], False)
        return np.flatnonzero(finite & ~before & ~after)

    @property
    def end(self) -> tuple[float, float]:
        """The last sample; NaN for a curve without any."""
        finite = np.flatnonzero(np.isfinite(self.y))
        return (float(self.x[finite[-1]]), float(self.y[finite[-1]])) if len(finite) else (float("nan"), float("nan"))

    def pen(
        self, *, emphasised: bool = False, faded: bool = False, colour: str | None = None, ratio: float | None = None
    ) -> QPen:
        """Pen of the line.

        Parameters
        ----------
        lifted, faded : before the others, behind the one before the others.
        colour : instead of the curve's own.
        ratio : device pixels per pixel, for a pen that is as wide whatever the plot's scale; None for widgets.
        """
        shade = QColor(colour or self.colour)
        if faded:
            shade.setAlphaF(FADED_OPACITY)
        elif self.emphasis == "crowd" and not emphasised:
            shade.setAlphaF(CROWD_OPACITY)
        wide = emphasised or (self.emphasis == "strong" and not faded)
        pen = line_pen(shade, EMPHASISED_WIDTH if emphasised else 2.0 if wide else 1.0, self.dash)
        if ratio is not None:
            pen.setCosmetic(True)
            pen.setWidthF(pen.widthF() * ratio)
        return pen

    def value_at(self, x: float) -> float:
        """The curve's value at `x`, between samples by straight lines; NaN outside of it or where it is interrupted.

        At a step (equal x) the upper value counts.
        """
        if not len(self.x) or not self.x[0] <= x <= self.x[-1]:
            return float("nan")
        same = self.y[np.searchsorted(self.x, x, "left") : np.searchsorted(self.x, x, "right")]
        if len(same):
            return float(np.fmax.reduce(same))
        return float(np.interp(x, self.x, self.y))

    def distance_to(self, x: float, y: float, scale: tuple[float, float], reach: float) -> float:
        """Pixels from the point (x, y) to the line within `reach` pixels to either side; infinite where it is farther.

        Parameters
        ----------
        scale : pixels per unit of x and of y.
        """
        margin = reach / scale[0]
        first = max(0, int(np.searchsorted(self.x, x - margin, "left")) - 1)
        last = min(len(self.x), int(np.searchsorted(self.x, x + margin, "right")) + 1)
        px = (self.x[first:last] - x) * scale[0]
        py = (self.y[first:last] - y) * scale[1]
        ok = np.isfinite(py)
        if ok.sum() < 2:
            return float(np.hypot(px[ok], py[ok]).min()) if ok.any() else float("inf")
        dx, dy = np.diff(px), np.diff(py)
        length = dx * dx + dy * dy
        share = np.clip(-(px[:-1] * dx + py[:-1] * dy) / np.where(length > 0, length, 1.0), 0.0, 1.0)
        gaps = np.hypot(px[:-1] + share * dx, py[:-1] + share * dy)
        gaps = gaps[np.isfinite(gaps)]
        return float(gaps.min()) if len(gaps) else float("inf")


def line_pen(colour: QColor, width: float, dash: str) -> QPen:
    """A pen with one of `DASH_PATTERNS`."""
    pen = QPen(colour, width)
    if DASH_PATTERNS[dash]:
        pen.setDashPattern([part / width for part in DASH_PATTERNS[dash]])
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    return pen


def joined_with_gaps(curves: Sequence[PlotCurve]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """All curves as one line with gaps: a thousand items take 717 ms to build, one item 2 ms."""
    gap = np.array([np.nan])
    x = [part for curve in curves for part in (curve.x, gap)]
    y = [part for curve in curves for part in (curve.y, gap)]
    return (np.concatenate(x), np.concatenate(y)) if x else (np.zeros(0), np.zeros(0))


def nearest_curve(
    curves: Sequence[PlotCurve], x: float, y: float, scale: tuple[float, float], reach: float
) -> PlotCurve | None:
    """The curve nearest to a point, at most `reach` pixels away; the first one of several that are equally near."""
    found, least = None, reach
    for curve in curves:
        distance = curve.distance_to(x, y, scale, reach)
        if distance < least:
            found, least = curve, distance
    return found


def nearest_sample(curve: PlotCurve, x: float) -> float:
    """The x of the sample nearest to `x`; NaN for a curve without samples."""
    samples = curve.x[np.isfinite(curve.y)]
    if not len(samples):
        return float("nan")
    place = int(np.searchsorted(samples, x))
    around = samples[max(0, place - 1) : place + 1]
    return float(around[np.argmin(np.abs(around - x))])


def value_range(arrays: Sequence[NDArray[np.float64]], *, from_zero: bool = False) -> tuple[float, float]:
    """What the values span, 0 to 1 where there are none; `from_zero` begins at 0 where none is below."""
    finite = [array[np.isfinite(array)] for array in arrays]
    finite = [array for array in finite if len(array)]
    if not finite:
        return (0.0, 1.0)
    low, high = min(float(a.min()) for a in finite), max(float(a.max()) for a in finite)
    if from_zero and low >= 0:
        low = 0.0
    return (low, high) if high > low else (low, low + 1.0)


EQUAL_TOLERANCE = 1e-9
"""Values nearer than this are one line on any screen."""

GAP_DASHES = ("gaps", "gaps2", "gaps3")
"""Dashes of the second, third and fourth of equal curves that have the same dash; their gaps grow, so that all show."""


@dataclass(frozen=True)
class OverlapStyle:
    """How a curve lies upon an equal one.

    Attributes
    ----------
    level : 1 for the first one upon the lowest, and so on.
    dash : a key of `DASH_PATTERNS` that leaves the lower one in sight.
    thin : the lowest one is the curve in hand, and wide: this one is a thin line in a groove of the ground's colour.
    """

    level: int
    dash: str
    thin: bool


def overlap_styles(curves: Sequence[PlotCurve], in_hand: str | None) -> dict[str, OverlapStyle]:
    """The curves that lie upon an equal one, by key: dashed ones upon solid ones, the one in hand last.

    A curve in hand that is solid lies below the others: it is wide, and they are drawn into it.
    """
    lines = [curve for curve in curves if curve.emphasis != "crowd" and not curve.dotted]
    found: dict[str, OverlapStyle] = {}
    while lines:
        first, *lines = lines
        equal = [first, *(curve for curve in lines if _are_equal(first, curve))]
        lines = [curve for curve in lines if curve not in equal]
        equal.sort(key=lambda curve: _stacking_key(curve, in_hand))
        taken = {equal[0].dash}
        for level, curve in enumerate(equal[1:], start=1):
            thin = equal[0].key == in_hand  # a groove with the dashes of most runs would leave little of the wide line
            needs_gaps = thin or curve.dash in taken or curve.dash == "solid"
            found[curve.key] = OverlapStyle(
                level, GAP_DASHES[min(level, len(GAP_DASHES)) - 1] if needs_gaps else curve.dash, thin
            )
            taken.add(curve.dash)
    return found


def _stacking_key(curve: PlotCurve, in_hand: str | None) -> int:
    is_solid = curve.dash == "solid"
    return (0 if is_solid else 3) if curve.key == in_hand else 1 if is_solid else 2


def _are_equal(one: PlotCurve, other: PlotCurve) -> bool:
    if len(one.x) != len(other.x) or not np.allclose(one.x, other.x, rtol=0.0, atol=EQUAL_TOLERANCE, equal_nan=True):
        return False
    return bool(np.allclose(one.y, other.y, rtol=0.0, atol=EQUAL_TOLERANCE, equal_nan=True))
