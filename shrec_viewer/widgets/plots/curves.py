"""Curve record, pens, dash patterns and markers, nearest-curve search, styles of identical curves."""

from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPen, QPixmap, QPolygonF

from shrec_viewer.charts.plot import PlotCurve

#: Opacity of a hidden curve in the legend.
FADED_OPACITY = 0.25

#: Opacity of the curves of a crowd; overlapping curves appear darker.
CROWD_OPACITY = 0.35

#: Width of the selected or hovered curve in pixels. The others have width 1, which Qt draws 10 to 20 times faster.
BOLD_WIDTH = 2.5

#: Dashes and gaps in pixels, independent of the line width: the palette's patterns, and `OUTLINE_DASHES`.
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

#: Pixels of background, the sum of both sides, around a thin line that is drawn on the wide line of an equal curve.
OUTLINE_WIDTH = 2.0


#: Radius of a marker in pixels.
DOT_RADIUS = 3.5

#: The same in plots of points without lines, where it alone distinguishes runs: at 3.5 a circle and a square have no
#: pixel that differs by more than a quarter of the range of grey.
POINT_RADIUS = 4.5

#: Marker shapes, by the palette's names.
MARKERS = ("circle", "square", "triangle", "diamond", "cross")

#: Filled parts of markers as rectangles (x, y, width, height) around the centre, in radii, by the palette's names.
FILLS: dict[str, tuple[float, float, float, float]] = {
    "hollow": (0, 0, 0, 0),
    "left": (-2, -2, 2, 4),
    "right": (0, -2, 2, 4),
    "bottom": (-2, 0, 4, 2),
}


def curve_pen(
    curve: PlotCurve, *, bold: bool = False, faded: bool = False, colour: str | None = None, ratio: float | None = None
) -> QPen:
    """Pen of the line of a curve.

    Parameters
    ----------
    bold, faded : for the selected or hovered curve, and for a hidden one.
    colour : replaces the curve's colour.
    ratio : device pixels per pixel, makes the pen cosmetic (independent of the plot's scale); None for widgets.
    """
    shade = QColor(colour or curve.colour)
    if faded:
        shade.setAlphaF(FADED_OPACITY)
    elif curve.emphasis == "crowd" and not bold:
        shade.setAlphaF(CROWD_OPACITY)
    is_wide = bold or (curve.emphasis == "strong" and not faded)
    pen = line_pen(shade, BOLD_WIDTH if bold else 2.0 if is_wide else 1.0, curve.dash)
    if ratio is not None:
        pen.setCosmetic(True)
        pen.setWidthF(pen.widthF() * ratio)
    return pen


def line_pen(colour: QColor, width: float, dash: str) -> QPen:
    """Pen with one of `DASH_PATTERNS`."""
    pen = QPen(colour, width)
    if DASH_PATTERNS[dash]:
        pen.setDashPattern([part / width for part in DASH_PATTERNS[dash]])
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    return pen


def draw_marker(painter: QPainter, centre: QPointF, marker: str, radius: float) -> None:
    """Draw a marker, see `PlotCurve.marker`, with the painter's pen and brush; the outline of a hollow one is wider."""
    shape, _, fill = marker.partition(" ")
    if not fill:
        _draw_shape(painter, centre, shape, radius)
        return
    colour = painter.brush().color()
    painter.save()
    painter.setPen(QPen(colour, 1.3))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    _draw_shape(painter, centre, shape, radius)
    x, y, width, height = (radius * part for part in FILLS[fill])
    painter.setClipRect(QRectF(x, y, width, height).translated(centre), Qt.ClipOperation.IntersectClip)
    painter.setBrush(colour)
    _draw_shape(painter, centre, shape, radius)
    painter.restore()


def _draw_shape(painter: QPainter, centre: QPointF, marker: str, radius: float) -> None:
    """Draw one of `MARKERS`; the factors make all look equally large."""
    if marker == "circle":
        painter.drawEllipse(centre, radius, radius)
    elif marker == "square":
        size = radius * 0.9
        painter.drawRect(QRectF(centre.x() - size, centre.y() - size, 2 * size, 2 * size))
    elif marker == "triangle":
        painter.drawPolygon(_corners(centre, radius * 1.25, ((0, -1), (0.9, 0.7), (-0.9, 0.7))))
    elif marker == "diamond":
        painter.drawPolygon(_corners(centre, radius * 1.25, ((0, -1), (1, 0), (0, 1), (-1, 0))))
    else:
        third = 0.38
        first_half = ((-third, -1), (third, -1), (third, -third), (1, -third), (1, third), (third, third))
        second_half = ((third, 1), (-third, 1), (-third, third), (-1, third), (-1, -third), (-third, -third))
        painter.drawPolygon(_corners(centre, radius * 1.1, (*first_half, *second_half)))


def draw_line_sample(painter: QPainter, start: QPointF, width: float, pen: QPen, marker: str = "") -> None:
    """Draw a horizontal sample of a run's line from `start` to the right, with its marker, if any, at the centre."""
    painter.setPen(pen)
    painter.drawLine(start, start + QPointF(width, 0))
    if marker:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(pen.color())
        draw_marker(painter, start + QPointF(width / 2, 0), marker, DOT_RADIUS)


def line_icon(colour: QColor, dash: str, size: QSize, ratio: float) -> QIcon:
    """Sample of a line.

    Parameters
    ----------
    size : in pixels of the layout.
    ratio : of device pixels to these.
    """
    pixmap = QPixmap(size * ratio)
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    draw_line_sample(painter, QPointF(0, size.height() / 2), size.width(), line_pen(colour, 2.0, dash))
    painter.end()
    return QIcon(pixmap)


def _corners(centre: QPointF, radius: float, corners: Sequence[tuple[float, float]]) -> QPolygonF:
    return QPolygonF([QPointF(centre.x() + radius * x, centre.y() + radius * y) for x, y in corners])


def joined_with_gaps(curves: Sequence[PlotCurve]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """X and y of all curves as one line with gaps: building one item takes 2 ms, a thousand items 717 ms."""
    separator = np.array([np.nan])
    x = [part for curve in curves for part in (curve.x, separator)]
    y = [part for curve in curves for part in (curve.y, separator)]
    return (np.concatenate(x), np.concatenate(y)) if x else (np.zeros(0), np.zeros(0))


class CurveItem(pg.PlotCurveItem):  # type: ignore[misc]  # pyqtgraph has no types
    """Line of a curve."""

    def boundingRect(self) -> QRectF:
        """The visible range: all of the canvas is painted anyway, and pyqtgraph searches the data for their bounds."""
        return self.getViewBox().viewRect()


def nearest_curve(
    curves: Sequence[PlotCurve], x: float, y: float, scale: tuple[float, float], reach: float
) -> PlotCurve | None:
    """The curve nearest to a point, at most `reach` pixels away; the first one of several at equal distance."""
    nearest, minimum = None, reach
    for curve in curves:
        distance = curve.distance_to(x, y, scale, reach)
        if distance < minimum:
            nearest, minimum = curve, distance
    return nearest


def nearest_sample(curve: PlotCurve, x: float) -> float:
    """X of the sample nearest to `x`; NaN for a curve without samples."""
    samples = curve.x[np.isfinite(curve.y)]
    if not len(samples):
        return float("nan")
    index = int(np.searchsorted(samples, x))
    neighbours = samples[max(0, index - 1) : index + 1]
    return float(neighbours[np.argmin(np.abs(neighbours - x))])


def value_range(arrays: Sequence[NDArray[np.float64]], *, from_zero: bool = False) -> tuple[float, float]:
    """Lowest and highest finite value, (0, 1) if there is none; `from_zero` starts at 0 unless a value is negative."""
    finite = [array[np.isfinite(array)] for array in arrays]
    finite = [array for array in finite if len(array)]
    if not finite:
        return (0.0, 1.0)
    low, high = min(float(a.min()) for a in finite), max(float(a.max()) for a in finite)
    if from_zero and low >= 0:
        low = 0.0
    return (low, high) if high > low else (low, low + 1.0)
