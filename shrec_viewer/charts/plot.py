"""Contents of a plot as records, for the window and for figures: curves, and lines, areas and points for comparison."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.charts.notes import Notes

FloatArray = NDArray[np.float64]

#: Format of tick labels: number; rank, from 1; share as percent; x as 2 to the power of -x, so that 3 is 1/8.
TickFormat = Literal["number", "ranks", "percent", "halves"]


@dataclass(frozen=True, eq=False)
class PlotCurve:
    """A line to draw.

    Attributes
    ----------
    key : unique within a plot.
    label : name in legend and readout.
    x : (K,) float64, ascending (equal neighbours allowed).
    y : (K,) float64, NaN in gaps; a curve of NaN only is not drawn.
    colour : ``#rrggbb``.
    dash : a key of `DASH_PATTERNS`.
    marker : "" for none, else one of `MARKERS`, drawn along the line; distinguishes participants of the same colour.
        May be followed by a space and one of `FILLS`.
    dotted : draw every sample as a marker and the line only while the curve is selected; for measured points.
    spread : (2, K) float64, low and high ends of an interval around each sample; None for none.
    emphasis : ``"normal"``; ``"strong"`` (wide; for the selected runs); ``"crowd"`` (one of many thin curves, not in
        the legend).
    run : run whose style the curve has, with a marker at each sample; "" for that of the run named by `label`.
    """

    key: str
    label: str
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    colour: str
    dash: str = "solid"
    marker: str = ""
    dotted: bool = False
    spread: NDArray[np.float64] | None = None
    emphasis: str = "normal"
    run: str = ""

    @cached_property
    def is_drawn(self) -> bool:
        """Whether the curve has a finite value."""
        return bool(np.isfinite(self.y).any())

    @property
    def sample_marker(self) -> str:
        """Marker of the line sample in legends; "" for none."""
        return self.marker or ("circle" if self.dotted else "")

    @cached_property
    def isolated_samples(self) -> NDArray[np.intp]:
        """Indices of samples without a finite neighbour."""
        finite = np.isfinite(self.y) & np.isfinite(self.x)
        before, after = np.append(False, finite[:-1]), np.append(finite[1:], False)
        return np.flatnonzero(finite & ~before & ~after)

    @property
    def end(self) -> tuple[float, float]:
        """The last finite sample; NaN for a curve without one."""
        finite = np.flatnonzero(np.isfinite(self.y))
        return (float(self.x[finite[-1]]), float(self.y[finite[-1]])) if len(finite) else (float("nan"), float("nan"))

    def value_at(self, x: float) -> float:
        """Value at `x` by linear interpolation; NaN outside the curve and in gaps.

        At a step (samples of equal x) the higher value.
        """
        if not len(self.x) or not self.x[0] <= x <= self.x[-1]:
            return float("nan")
        at_x = self.y[np.searchsorted(self.x, x, "left") : np.searchsorted(self.x, x, "right")]
        if len(at_x):
            return float(np.fmax.reduce(at_x))
        return float(np.interp(x, self.x, self.y))

    def distance_to(self, x: float, y: float, scale: tuple[float, float], reach: float) -> float:
        """Distance in pixels from the point (x, y) to the line; infinite if farther than `reach` pixels in x.

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


@dataclass(frozen=True, eq=False)
class ReferenceLine:
    """A line for comparison that does not belong to a run.

    Attributes
    ----------
    label : description, also the column title in the table of values.
    x, y : (K,) float64.
    token : colour, a field of `Theme` and a key of `TOKENS`.
    dash : a key of `DASH_PATTERNS`.
    mark : short label next to the line; "" for none.
    at : index of the sample next to which `mark` is placed.
    listed : whether the table of values has a column for it.
    ends : `mark` is placed at the end of the line like the name of a run.
    width : in pixels; in figures, relative to other lines for comparison.
    in_legend : whether the legend of a figure has an entry for it.
    """

    label: str
    x: FloatArray
    y: FloatArray
    token: str = "muted"
    dash: str = "solid"
    mark: str = ""
    at: int = -1
    listed: bool = True
    ends: bool = False
    width: float = 1.0
    in_legend: bool = False


@dataclass(frozen=True, eq=False)
class ReferenceArea:
    """A filled polygon with the corners x, y (K,) float64."""

    label: str
    x: FloatArray
    y: FloatArray
    token: str = "muted"


@dataclass(frozen=True)
class ReferencePoint:
    """A point, with a label unless it is ""."""

    label: str
    x: float
    y: float


@dataclass(frozen=True, eq=False)
class References:
    """References of a plot; areas are painted first."""

    areas: tuple[ReferenceArea, ...] = ()
    lines: tuple[ReferenceLine, ...] = ()
    points: tuple[ReferencePoint, ...] = ()


NO_REFERENCES = References()


def area_between_lines(
    label: str, x: FloatArray, low: FloatArray, high: FloatArray, token: str = "muted"
) -> ReferenceArea:
    """The area between two lines over the same x, without samples where one of them is NaN."""
    keep = np.isfinite(low) & np.isfinite(high)
    x, low, high = x[keep], low[keep], high[keep]
    return ReferenceArea(label, np.concatenate([x, x[::-1]]), np.concatenate([low, high[::-1]]), token)


@dataclass(frozen=True)
class Axes:
    """Axes of a plot.

    Attributes
    ----------
    x_label, y_label : with units.
    x_range, y_range : lower and upper limits.
    x_ticks : ``"number"``; ``"ranks"``; ``"percent"``; ``"halves"`` if x is the exponent of 1 / 2**x.
    short_x_labels, short_y_labels : shorter forms of the labels, the longest first.
    """

    x_label: str
    y_label: str
    x_range: tuple[float, float]
    y_range: tuple[float, float]
    x_ticks: TickFormat = "number"
    short_x_labels: tuple[str, ...] = ()
    short_y_labels: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Plot(Notes):
    """Curves over common axes.

    Attributes
    ----------
    title : of the plot; in figures in the metadata of the file only.
    axes : labels, limits and ticks.
    curves : of the runs, in the order of the legend.
    selected : key of the curve that is emphasised; None where no run is selected.
    references : lines, areas and points for comparison, drawn behind the curves.
    """

    title: str
    axes: Axes
    curves: tuple[PlotCurve, ...]
    selected: str | None = None
    references: References = NO_REFERENCES

    @property
    def drawn(self) -> tuple[PlotCurve, ...]:
        """The curves that have values."""
        return tuple(curve for curve in self.curves if curve.is_drawn)
