"""Overlays of a plot: references, rank cursor, hover line, dots, sample markers and end labels."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QPolygonF

from shrec_viewer.charts.plot import NO_REFERENCES, PlotCurve, ReferenceLine
from shrec_viewer.widgets.plots.canvas import PlotFrame
from shrec_viewer.widgets.plots.curves import (
    DOT_RADIUS,
    POINT_RADIUS,
    curve_pen,
    draw_marker,
    joined_with_gaps,
    line_pen,
)
from shrec_viewer.widgets.style.text import CENTRE, MeasuredFont, draw_text, measured_font, put_text
from shrec_viewer.widgets.style.theme import SPACE, text_font

#: Opacity of an area: visible in both themes, and curves on it keep their contrast.
AREA_OPACITY = 0.10

#: Plot height in pixels below which labels are left out, as they would cover the curves.
MIN_LABEL_HEIGHT = 90.0

FloatArray = NDArray[np.float64]


CurveSource = Callable[[], Sequence[PlotCurve]]

#: Maximum pixels between the points examined along a curve when a label is placed.
POINT_DISTANCE = 1.0

#: Pixels between a label and a curve: half the width of the selected curve, and space.
CLEARANCE = 3.0


class CurvePixels:
    """Pixels of the visible curves, for labels that must not cover them; those of crowds are left out.

    With 40 truncated curves, comparing the points of the curves with each candidate of a label took 180 ms per paint
    event.
    """

    def __init__(self, curves: CurveSource) -> None:
        self._curves = curves
        self._cache: tuple[object, NDArray[np.bool_]] | None = None

    def count(self, frame: PlotFrame, box: QRectF) -> int:
        """Number of pixels of curves within a box."""
        left, right = (max(math.floor(x - frame.rect.left()), 0) for x in (box.left(), box.right() + 1))
        top, bottom = (max(math.floor(y - frame.rect.top()), 0) for y in (box.top(), box.bottom() + 1))
        return int(np.count_nonzero(self._image(frame)[top:bottom, left:right]))

    def covers(self, frame: PlotFrame, box: QRectF) -> bool:
        """Whether a box covers a curve, or is less than `CLEARANCE` from one."""
        return self.count(frame, box.adjusted(-CLEARANCE, -CLEARANCE, CLEARANCE, CLEARANCE)) > 0

    def _image(self, frame: PlotFrame) -> NDArray[np.bool_]:
        """(h, w) bool, the pixels of curves in the area within the axes.

        Cached while curves and transform are the same.
        """
        curves = [curve for curve in self._curves() if curve.emphasis != "crowd"]
        key = (frame.rect.getRect(), frame.x_range, frame.y_range, curves)
        if self._cache is None or self._cache[0] != key:
            width, height = max(math.ceil(frame.rect.width()), 1) + 1, max(math.ceil(frame.rect.height()), 1) + 1
            is_curve = np.zeros((height, width), np.bool_)
            x, y = np.floor(points_along(frame, *joined_with_gaps(curves))).T
            x, y = x - math.floor(frame.rect.left()), y - math.floor(frame.rect.top())
            inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
            is_curve[y[inside].astype(np.intp), x[inside].astype(np.intp)] = True
            self._cache = key, is_curve
        return self._cache[1]


def points_along(frame: PlotFrame, x: FloatArray, y: FloatArray) -> FloatArray:
    """(K, 2) points along a line in pixels, at most `POINT_DISTANCE` apart where it is visible; none in gaps."""
    points = np.stack([np.asarray(frame.x_at(x), np.float64), np.asarray(frame.y_at(y), np.float64)], axis=1)
    steps = np.diff(points, axis=0)
    length = np.nan_to_num(np.hypot(steps[:, 0], steps[:, 1]))
    # At most 2,000: zoomed in, a segment can be millions of pixels long, nearly all of them outside.
    count = np.clip(np.ceil(length / POINT_DISTANCE), 1, 2000).astype(np.int64)
    segment = np.repeat(np.arange(len(count)), count)
    share = (np.arange(len(segment)) - np.repeat(np.cumsum(count) - count, count)) / count[segment]
    between = points[segment] + share[:, None] * steps[segment] if len(segment) else points[:0]
    found = np.concatenate([between, points])
    return found[np.isfinite(found).all(axis=1)]


def free_label_box(
    anchors: Sequence[QPointF],
    size: QSizeF,
    frame: PlotFrame,
    pixels: CurvePixels,
    used: Sequence[QRectF],
    distances: Sequence[float],
    sides: Sequence[tuple[int, int]],
) -> QRectF | None:
    """The first free box next to one of `anchors`: within the axes, off the curves and the used boxes.

    Nearer boxes are tried first, and at each distance those of the first anchor, in the order of `sides`.

    Parameters
    ----------
    distances : pixels between box and anchor, in the order of preference.
    sides : `LABEL_SIDES` or `ON_LINE`.
    """
    width, height = size.width(), size.height()
    for distance, anchor in product(distances, anchors):
        for right, down in sides:
            # -1, 0 and 1 place the box left of, centred on and right of the anchor.
            left = anchor.x() - width / 2 + right * (width / 2 + distance)
            top = anchor.y() - height / 2 + down * (height / 2 + distance)
            box = QRectF(left, top, width, height)
            is_free = frame.rect.contains(box) and not any(box.intersects(other) for other in used)
            if is_free and not pixels.covers(frame, box):
                return box
    return None


#: Sides of a label relative to its point, as steps to the right and down, in the order of preference.
LABEL_SIDES = ((1, 0), (1, -1), (1, 1), (-1, -1), (-1, 1), (0, -1), (0, 1), (-1, 0))

#: The mark of a line on the line itself: next to it, it may be nearer to another line of a fan.
ON_LINE = ((0, 0),)

#: Pixels between the mark of a reference line and the line, in the order of preference.
LABEL_DISTANCES = (6.0, 14.0, 28.0)

#: Pixels between the name of a run and the end of its curve: farther away it would be next to another curve.
END_DISTANCES = LABEL_DISTANCES[:1]


class ReferenceLayer:
    """Paints areas below the grid, lines above it and below the curves, points and labels above, but never on a curve.

    Attributes
    ----------
    references : what is shown.
    label_boxes : rectangles of the labels painted last.
    """

    def __init__(self, pixels: CurvePixels) -> None:
        self._pixels = pixels
        self.references = NO_REFERENCES
        self.label_boxes: list[QRectF] = []

    def paint_areas(self, painter: QPainter, frame: PlotFrame) -> None:
        """Paint areas; a `PaintFunction`."""
        painter.setClipRect(frame.rect)
        painter.setPen(Qt.PenStyle.NoPen)
        for area in self.references.areas:
            painter.setBrush(frame.theme.colour(area.token, AREA_OPACITY))
            painter.drawPolygon(frame.polygon(area.x, area.y))

    def paint_lines(self, painter: QPainter, frame: PlotFrame) -> None:
        """Paint lines; a `PaintFunction`."""
        painter.setClipRect(frame.rect)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for line in self.references.lines:
            painter.setPen(line_pen(frame.theme.colour(line.token), line.width, line.dash))
            # NaN has no position in pixels.
            keep = np.isfinite(line.x) & np.isfinite(line.y)
            painter.drawPolyline(frame.polygon(line.x[keep], line.y[keep]))

    def paint_labels(self, painter: QPainter, frame: PlotFrame) -> None:
        """Paint points and labels; a `PaintFunction`."""
        self.label_boxes.clear()
        if frame.rect.height() < MIN_LABEL_HEIGHT:
            return
        font = text_font(frame.font, 0.85)
        painter.setFont(font)
        metrics = QFontMetricsF(font)
        for point in self.references.points:
            if frame.contains(point.x, point.y):
                position = frame.point(point.x, point.y)
                painter.setPen(QPen(frame.theme.colour("ink"), 1.2))
                painter.setBrush(frame.theme.colour("surface"))
                draw_marker(painter, position, "diamond", 4.0)
                if point.label:
                    self._draw_label(painter, frame, metrics, [position], point.label)
        for line in self.references.lines:
            if line.mark and not line.ends and len(line.x):
                self._draw_label(painter, frame, metrics, _anchors(frame, line), line.mark, is_line=True)

    def _draw_label(
        self,
        painter: QPainter,
        frame: PlotFrame,
        metrics: QFontMetricsF,
        anchors: Sequence[QPointF],
        text: str,
        *,
        is_line: bool = False,
    ) -> None:
        """Draw a label at the first of the points where it covers no curve and no other label.

        Parameters
        ----------
        is_line : the points are on one line: the label is on it if possible, else next to it.
        """
        size = QSizeF(metrics.horizontalAdvance(text) + SPACE, metrics.height())
        box = None
        if is_line:
            box = free_label_box(anchors, size, frame, self._pixels, self.label_boxes, (0.0,), ON_LINE)
        if box is None:
            box = free_label_box(anchors, size, frame, self._pixels, self.label_boxes, LABEL_DISTANCES, LABEL_SIDES)
        if box is None:
            return
        self.label_boxes.append(box)
        painter.fillRect(box, frame.theme.colour("surface", MARK_BACKGROUND_OPACITY))
        put_text(painter, box, text, frame.theme.colour("muted"), CENTRE)


#: Candidate positions of a label along its line, relative to that of `ReferenceLine.at`, as shares of its length.
ANCHOR_SHIFTS = (0.0, -0.06, 0.06, -0.12, 0.12, -0.2, 0.2, -0.3, 0.3, -0.4, 0.4)


def _anchors(frame: PlotFrame, line: ReferenceLine) -> list[QPointF]:
    """Visible points of a line next to which its label may be placed, best first."""
    last = len(line.x) - 1
    start = line.at if line.at >= 0 else last
    positions = [min(max(start + shift * max(last, 1), 0.0), last) for shift in ANCHOR_SHIFTS]
    index = np.arange(last + 1)
    found = [(float(np.interp(at, index, line.x)), float(np.interp(at, index, line.y))) for at in positions]
    return [frame.point(x, y) for x, y in dict.fromkeys(found) if frame.contains(x, y)]


#: Radius of the dot on the selected curve in pixels.
LARGE_DOT_RADIUS = 5.0

#: Candidate positions of the label of a ray, as shares of its length, best first.
RAY_LABEL_POSITIONS = (1.0, 0.85, 0.7, 0.55, 0.4, 0.25, 0.12)

#: Number of points examined along a ray when its label is placed: about the pixels of a small plot.
RAY_SAMPLES = 240

#: Opacity of the background of a label that may cover reference lines, but no curve.
MARK_BACKGROUND_OPACITY = 0.85

#: Opacity of the background of a label; a curve below it stays visible.
LABEL_BACKGROUND_OPACITY = 0.5

#: Candidate offsets of a label above and below a ray, in units of `SPACE`.
RAY_LABEL_OFFSETS = (1, 4, 8, 12)

#: Opacity of the surface colour painted over the other curves while one is hovered; they keep 28 %.
VEIL_OPACITY = 0.72


@dataclass(frozen=True)
class CurveDot:
    """A dot on a curve.

    Attributes
    ----------
    key : key of the curve.
    x, y : position in data units; NaN draws no dot.
    """

    key: str
    x: float
    y: float


@dataclass(frozen=True)
class PlotCursor:
    """Position of the selected rank in a plot.

    Attributes
    ----------
    x : x of a vertical line; None for none. Outside the visible range an arrow at the edge replaces the line.
    dots : position of the rank on each curve.
    slope : slope of a ray through the origin, such as p = r c / k; None for none.
    level : y of a horizontal line; None for none.
    label : label at the end of the line, ``"Rank 12"``; without a line at the dot of the selected curve.
    """

    x: float | None = None
    dots: tuple[CurveDot, ...] = ()
    slope: float | None = None
    level: float | None = None
    label: str = ""


NO_CURSOR = PlotCursor()


class CursorLayer:
    """Overlay with rank cursor, pin, hover line and dots, and the hovered curve in front of the others.

    Attributes
    ----------
    hover, hover_dots : x of the line under the mouse, and the dots on it.
    hovered_key : key of the curve under the mouse.
    selected_key : key of the curve of the selected run.
    occupied : rectangles within the axes that other labels cover.
    """

    def __init__(self, curves: CurveSource, pixels: CurvePixels | None = None) -> None:
        self._curves, self._pixels = curves, pixels or CurvePixels(curves)
        self.cursor = NO_CURSOR
        self.pin = NO_CURSOR
        self.hover: float | None = None
        self.hover_dots: tuple[CurveDot, ...] = ()
        self.hovered_key: str | None = None
        self.selected_key: str | None = None
        self.occupied: Sequence[QRectF] = ()

    def paint(self, painter: QPainter, frame: PlotFrame) -> None:
        """Paint everything; a `PaintFunction`."""
        curves = {curve.key: curve for curve in self._curves()}
        painter.setClipRect(frame.rect)
        if self.hovered_key in curves:
            painter.fillRect(frame.rect, frame.theme.colour("surface", VEIL_OPACITY))
            for key in dict.fromkeys((self.selected_key, self.hovered_key)):
                if key in curves:
                    draw_line(painter, frame, curves[key], bold=True)
        self._draw_lines(painter, frame)
        # While the mouse hovers, its dots replace those of the rank.
        dots = (*self.pin.dots, *(self.hover_dots or self.cursor.dots))
        front = self.hovered_key or self.selected_key
        painter.setClipRect(
            frame.rect.adjusted(-LARGE_DOT_RADIUS, -LARGE_DOT_RADIUS, LARGE_DOT_RADIUS, LARGE_DOT_RADIUS)
        )
        for dot in sorted((dot for dot in dots if dot.key in curves), key=lambda dot: dot.key == front):
            if math.isfinite(dot.x) and math.isfinite(dot.y):
                draw_dot(painter, frame, curves[dot.key], dot, large=dot.key == front)
        self._draw_label(painter, frame)

    def _draw_lines(self, painter: QPainter, frame: PlotFrame) -> None:
        if self.hover is not None and math.isfinite(self.hover):
            self._draw_vertical(painter, frame, self.hover, QPen(frame.theme.colour("muted", 0.6), 1))
        if self.pin.x is not None:
            self._draw_vertical(painter, frame, self.pin.x, QPen(frame.theme.colour("ink"), 1, Qt.PenStyle.DashLine))
        pen = QPen(frame.theme.colour("accent"), 1)
        cursor = self.cursor
        if cursor.x is not None and math.isfinite(cursor.x):
            self._draw_vertical(painter, frame, cursor.x, pen)
        if cursor.slope is not None:
            painter.setPen(pen)
            painter.drawLine(frame.point(0.0, 0.0), self._ray_end(frame, cursor.slope))
        if cursor.level is not None and math.isfinite(cursor.level):
            painter.setPen(pen)
            y = math.floor(float(frame.y_at(cursor.level))) + 0.5
            painter.drawLine(QPointF(frame.rect.left(), y), QPointF(frame.rect.right(), y))

    def _draw_vertical(self, painter: QPainter, frame: PlotFrame, x: float, pen: QPen) -> None:
        """Draw at the centre of a pixel; antialiasing would make the line two pixels wide in half its colour."""
        painter.setPen(pen)
        position = math.floor(float(frame.x_at(x))) + 0.5
        painter.drawLine(QPointF(position, frame.rect.top()), QPointF(position, frame.rect.bottom()))

    def _ray_end(self, frame: PlotFrame, slope: float) -> QPointF:
        x = min(1.0, 1.0 / slope) if slope > 0 else 1.0
        return frame.point(x, slope * x)

    def _draw_label(self, painter: QPainter, frame: PlotFrame) -> None:
        """Draw the label of the cursor on a translucent background at the end of its line."""
        cursor = self.cursor
        if not cursor.label:
            return
        font = text_font(frame.font, 0.88, bold=True)
        metrics = QFontMetricsF(font)
        text = metrics.elidedText(cursor.label, Qt.TextElideMode.ElideRight, frame.rect.width() - 7 * SPACE)
        size = QRectF(0, 0, metrics.horizontalAdvance(text) + 2 * SPACE, metrics.height() + 2)
        if cursor.slope is not None:
            position = self._ray_label_position(frame, cursor.slope, size)
        elif cursor.x is not None:
            side = _side_outside(cursor.x, frame)
            if side:
                draw_arrow(painter, frame, side)
            x = float(frame.x_at(cursor.x)) + SPACE if not side else frame.rect.left() + 3 * SPACE
            position = QPointF(frame.rect.right() - 3 * SPACE - size.width() if side > 0 else x, frame.rect.top())
        elif cursor.level is not None:
            position = frame.point(frame.x_range[0], cursor.level) + QPointF(SPACE, -size.height() - 1)
        elif dot := self._selected_dot():
            position = frame.point(dot.x, dot.y) + QPointF(2 * SPACE, -size.height() - SPACE)
        else:
            position = frame.rect.topLeft() + QPointF(SPACE, 0)
        painter.setClipping(False)
        size.moveTo(position)
        margin = 3 * SPACE if cursor.x is not None and _side_outside(cursor.x, frame) else 1
        inside = frame.rect.adjusted(margin, 0, -margin, 0)
        size.moveLeft(min(max(size.left(), inside.left()), inside.right() - size.width()))
        size.moveTop(min(max(size.top(), inside.top()), inside.bottom() - size.height()))
        for other in sorted((box for box in self.occupied if box.intersects(size)), key=QRectF.bottom):
            size.moveTop(min(other.bottom() + 1, inside.bottom() - size.height()))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(frame.theme.colour("surface", LABEL_BACKGROUND_OPACITY))
        painter.drawRoundedRect(size, 3, 3)
        put_text(painter, size, text, frame.theme.colour("accent"), CENTRE, font=font)

    def _ray_label_position(self, frame: PlotFrame, slope: float, size: QRectF) -> QPointF:
        """Top left corner of the label of a ray where it covers the fewest points of curves and ray."""
        start, end = frame.point(0.0, 0.0), self._ray_end(frame, slope)
        inside = frame.rect.adjusted(1, 0, -1, 0)
        shares = np.linspace(0.0, 1.0, RAY_SAMPLES)
        xs = start.x() + (end.x() - start.x()) * shares
        ys = start.y() + (end.y() - start.y()) * shares
        best, minimum = end, math.inf
        for share in RAY_LABEL_POSITIONS:
            anchor = start + (end - start) * share
            for offset in _ray_label_offsets(start, end, size):
                left = min(max(anchor.x() + offset.x(), inside.left()), inside.right() - size.width())
                top = min(max(anchor.y() + offset.y(), inside.top()), inside.bottom() - size.height())
                over = (xs > left) & (xs < left + size.width()) & (ys > top) & (ys < top + size.height())
                box = size.translated(left, top)
                covered = int(np.count_nonzero(over)) + self._pixels.count(frame, box)
                covered += RAY_SAMPLES * any(other.intersects(box) for other in self.occupied)
                if covered < minimum:
                    best, minimum = QPointF(left, top), covered
            if not minimum:
                break
        return best

    def _selected_dot(self) -> CurveDot | None:
        dots = [dot for dot in self.cursor.dots if dot.key == self.selected_key and math.isfinite(dot.y)]
        return dots[0] if dots else None


def _ray_label_offsets(start: QPointF, end: QPointF, size: QRectF) -> list[QPointF]:
    """Candidate offsets from a point on a ray to the label's corner: right, left, for a flat ray above and below."""
    vertical = -size.height() / 2
    offsets = [QPointF(SPACE, vertical), QPointF(-size.width() - SPACE, vertical)]
    dx, dy = end.x() - start.x(), start.y() - end.y()
    if dx > dy:  # left and right of a flat ray the label would cover it
        climb = size.width() / 2 * dy / dx
        for step in RAY_LABEL_OFFSETS:
            offsets.append(QPointF(-size.width() / 2, -size.height() - climb - step * SPACE))
            offsets.append(QPointF(-size.width() / 2, climb + step * SPACE))
    return offsets


def _side_outside(x: float, frame: PlotFrame) -> int:
    """-1 for an x left of the visible range, 1 for one right of it, 0 within."""
    return int(x > frame.x_range[1]) - int(x < frame.x_range[0])


def draw_arrow(painter: QPainter, frame: PlotFrame, side: int) -> None:
    """Draw an arrow at the left (-1) or right (1) edge that points outside the visible range."""
    edge = frame.rect.right() if side > 0 else frame.rect.left()
    top = frame.rect.top() + 2 * SPACE
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(frame.theme.colour("accent"))
    tail = edge - side * 2 * SPACE
    painter.drawPolygon(QPolygonF([QPointF(tail, top - 5), QPointF(tail, top + 5), QPointF(edge, top)]))


def draw_line(painter: QPainter, frame: PlotFrame, curve: PlotCurve, *, bold: bool) -> None:
    """Draw a curve with gaps where it has no value."""
    painter.setPen(curve_pen(curve, bold=bold))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    finite = np.isfinite(curve.y) & np.isfinite(curve.x)
    # Alternating starts and ends of the runs of finite samples.
    edges = np.flatnonzero(np.diff(np.concatenate([[0], finite.astype(np.int8), [0]])))
    for start, stop in edges.reshape(-1, 2).tolist():
        painter.drawPolyline(frame.polygon(curve.x[start:stop], curve.y[start:stop]))


def draw_dot(painter: QPainter, frame: PlotFrame, curve: PlotCurve, dot: CurveDot, *, large: bool) -> None:
    """Draw a dot on a curve with an outline in the background colour."""
    painter.setPen(QPen(frame.theme.colour("surface"), 1.5))
    painter.setBrush(QColor(curve.colour))
    radius = LARGE_DOT_RADIUS if large else DOT_RADIUS
    draw_marker(painter, frame.point(dot.x, dot.y), curve.marker or "circle", radius)


#: Length in pixels of the leader from the end of a curve to its label.
LEADER_LENGTH = 10

#: Pixels of the curve's colour before its label; leaders are grey, as coloured ones would look like data.
LABEL_SAMPLE_WIDTH = 7

#: Maximum and minimum pixels for the text of labels; longer names are elided. The minimum is about five letters.
MAX_LABEL_WIDTH, MIN_LABEL_WIDTH = 84, 34

#: Maximum share of the plot's width for end labels, unless that is less than `MIN_LABEL_WIDTH`.
MAX_LABEL_SHARE = 0.23

#: Plot width in pixels below which there are no end labels: they would take more than a third of it.
MIN_LABELLED_WIDTH = 180

#: Maximum number of end labels where there is no room for all, unless more are required; the legend lists all.
MAX_LABELS = 6

#: Maximum vertical offset of a label that is not required from the end of its curve, in lines of text.
MAX_LABEL_SHIFT = 0.8

#: A curve that ends at least this many pixels before the right edge has its label within the axes: a leader from there
#: to the margin would look like data.
EARLY_END_DISTANCE = 24.0

#: Samples of a reference line next to which its mark is tried, where it is wider than the space at the side.
MAX_ANCHORS = 12

#: Pixels between two markers along a line.
MARKER_SPACING = 72.0


@dataclass(frozen=True)
class EndLabel:
    """Name of a curve.

    Attributes
    ----------
    curve : the curve, or a labelled reference line.
    y : centre of the label, in pixels.
    end : end of the curve in pixels; None for a label at the side of a curve that ends before the right edge.
    """

    curve: PlotCurve
    y: float
    end: QPointF | None


class EndLabelLayer:
    """Overlay with names at the ends of curves; no name covers a curve.

    The selected, the hovered and the `named` curves are always named. Their names are moved apart where their ends are
    close, with lines to the ends. So are all others where there is room; else they are named where there is space, from
    the highest to the lowest.

    Attributes
    ----------
    references : labelled reference lines, always named.
    named : keys of curves that are always named.
    selected_key, hovered_key : keys of the selected curve and of the one under the mouse.
    occupied : rectangles within the axes that other labels cover.
    """

    def __init__(self, curves: CurveSource, pixels: CurvePixels | None = None) -> None:
        self._curves, self._pixels = curves, pixels or CurvePixels(curves)
        self.references: tuple[ReferenceLine, ...] = ()
        self.named: frozenset[str] = frozenset()
        self.selected_key: str | None = None
        self.hovered_key: str | None = None
        self.occupied: Sequence[QRectF] = ()
        self.is_visible = False

    def width(self, font: QFont, plot_width: int) -> int:
        """Pixels that the labels at the right of the axes need; 0 in a plot narrower than `MIN_LABELLED_WIDTH`.

        Independent of `is_visible`.
        """
        names = [curve.label for curve in self._curves() if curve.emphasis != "crowd"]
        if not names or plot_width < MIN_LABELLED_WIDTH:
            return 0
        names += [line.mark for line in self.references]
        metrics = QFontMetricsF(text_font(font, 0.85, bold=True))
        fixed = LEADER_LENGTH + LABEL_SAMPLE_WIDTH + 2 * SPACE
        widest = min(max(metrics.horizontalAdvance(name) for name in names), MAX_LABEL_WIDTH)
        available = max(MAX_LABEL_SHARE * plot_width - fixed, MIN_LABEL_WIDTH)
        return math.ceil(min(widest, available)) + fixed

    def paint(self, painter: QPainter, frame: PlotFrame) -> None:
        """Paint the labels; a `PaintFunction`."""
        if not self.is_visible:
            return
        fonts = [measured_font(frame.font, 0.85, bold=bold) for bold in (False, True)]
        height = fonts[0].height - 1
        inner, side = self.layout(frame, height)
        for label in side:
            x = frame.rect.right() + LEADER_LENGTH
            if label.end is not None:
                painter.setPen(QPen(frame.theme.colour("line_strong"), 1.0))
                painter.drawLine(QPointF(frame.rect.right() + 1, label.end.y()), QPointF(x - 1, label.y))
            painter.setPen(line_pen(QColor(label.curve.colour), 2.0, "solid"))
            painter.drawLine(QPointF(x, label.y), QPointF(x + LABEL_SAMPLE_WIDTH, label.y))
            left = x + LABEL_SAMPLE_WIDTH + SPACE / 2
            box = QRectF(left, label.y - height / 2, frame.whole.right() - left, height)
            self._draw_text(painter, frame, label.curve, box, fonts)
        for curve, box in inner:
            painter.fillRect(box, frame.theme.colour("surface", MARK_BACKGROUND_OPACITY))
            self._draw_text(painter, frame, curve, box, fonts)

    def _draw_text(
        self, painter: QPainter, frame: PlotFrame, curve: PlotCurve, box: QRectF, fonts: Sequence[MeasuredFont]
    ) -> None:
        font = fonts[curve.key in (self.selected_key, self.hovered_key)]
        ink = frame.theme.colour("muted" if curve.key.startswith(REFERENCE_PREFIX) else "ink")
        draw_text(painter, box, curve.label, font, ink, Qt.TextElideMode.ElideMiddle)

    def layout(self, frame: PlotFrame, height: float) -> tuple[list[tuple[PlotCurve, QRectF]], list[EndLabel]]:
        """Names within the axes, of curves that end there, and names at the side, from the top.

        Parameters
        ----------
        height : of a line of text in pixels.
        """
        inner: list[tuple[PlotCurve, QRectF]] = []
        required: list[EndLabel] = []
        optional: list[EndLabel] = []
        metrics = QFontMetricsF(text_font(frame.font, 0.85, bold=True))
        side_width = frame.whole.right() - frame.rect.right() - LEADER_LENGTH - LABEL_SAMPLE_WIDTH - SPACE / 2
        for curve, end in sorted(self._end_points(frame), key=self._priority):
            is_required = self._is_required(curve)
            # The mark of a reference line is the same in all plots, and not in the legend: it is not elided.
            is_too_wide = curve.key.startswith(REFERENCE_PREFIX) and metrics.horizontalAdvance(curve.label) > side_width
            if end.x() >= frame.rect.right() - EARLY_END_DISTANCE and not is_too_wide:
                (required if is_required else optional).append(EndLabel(curve, end.y(), end))
                continue
            if not is_required and len(inner) >= MAX_LABELS:
                continue
            width = min(metrics.horizontalAdvance(curve.label), MAX_LABEL_WIDTH) + 2
            used = [*self.occupied, *(box for _, box in inner)]
            anchors = [end] if not is_too_wide else _anchors_along(curve, frame)
            distances = LABEL_DISTANCES if is_too_wide else END_DISTANCES
            box = free_label_box(anchors, QSizeF(width, height), frame, self._pixels, used, distances, LABEL_SIDES)
            if box is not None:
                inner.append((curve, box))
            elif is_required:
                required.append(EndLabel(curve, end.y(), end if is_too_wide else None))
        return inner, self._side_labels(frame, height, required, optional)

    def _side_labels(
        self, frame: PlotFrame, height: float, required: list[EndLabel], optional: list[EndLabel]
    ) -> list[EndLabel]:
        """Labels at the side, moved apart where there is room for all.

        Else the required ones, and others within `MAX_LABEL_SHIFT` lines of their ends.
        """
        top, bottom = frame.rect.top() - height / 2, frame.rect.bottom() + height / 2
        fitting = max(1, int((bottom - top) / height) + 1)
        if len(required) + len(optional) <= fitting:
            required, optional = [*required, *optional], []
        required = sorted(required[:fitting], key=_label_y)
        positions = spread_labels([label.y for label in required], height, top, bottom)
        found = [(label.y, replace(label, y=y)) for label, y in zip(required, positions, strict=True)]
        for label in optional:
            if len(found) >= MAX_LABELS:
                break
            y = find_label_y(label.y, [(end, other.y) for end, other in found], height, MAX_LABEL_SHIFT * height)
            if y is not None and top <= y <= bottom:
                found.append((label.y, replace(label, y=y)))
        return sorted((label for _, label in found), key=_label_y)

    def _is_required(self, curve: PlotCurve) -> bool:
        is_named = curve.key in self.named or curve.key.startswith(REFERENCE_PREFIX)
        return is_named or curve.key in (self.selected_key, self.hovered_key)

    def _end_points(self, frame: PlotFrame) -> list[tuple[PlotCurve, QPointF]]:
        """Curves and reference lines with a visible end, and this end."""
        lines = [
            PlotCurve(REFERENCE_PREFIX + line.label, line.mark, line.x, line.y, getattr(frame.theme, line.token))
            for line in self.references
        ]
        curves = [curve for curve in (*self._curves(), *lines) if curve.emphasis != "crowd"]
        ends = [(curve, _visible_end(curve, frame)) for curve in curves]
        return [(curve, end) for curve, end in ends if end is not None]

    def _priority(self, entry: tuple[PlotCurve, QPointF]) -> tuple[bool, bool, float]:
        curve, end = entry
        return curve.key != self.selected_key, not self._is_required(curve), end.y()


#: Start of the keys of labelled reference lines; keys of runs are numbers.
REFERENCE_PREFIX = "reference "


def spread_labels(ends: Sequence[float], spacing: float, low: float, high: float) -> list[float]:
    """Positions at least `spacing` apart and within [low, high], with the least squared distance from the ends.

    Parameters
    ----------
    ends : ascending.

    Examples
    --------
    >>> spread_labels([10.0, 50.0], 12, 0, 100), spread_labels([50.0, 50.0, 52.0], 12, 0, 100)
    ([10.0, 50.0], [38.67, 50.67, 62.67])
    >>> spread_labels([99.0, 99.0], 12, 0, 100)
    [88.0, 100.0]
    """
    blocks: list[tuple[float, int]] = []  # sum and number of members; isotonic regression by adjacent violators
    for index, end in enumerate(ends):
        block = (end - index * spacing, 1)
        while blocks and blocks[-1][0] / blocks[-1][1] > block[0] / block[1]:
            total, count = blocks.pop()
            block = (total + block[0], count + block[1])
        blocks.append(block)
    starts = [total / count for total, count in blocks for _ in range(count)]
    last = max(high - (len(ends) - 1) * spacing, low)
    return [round(float(min(max(start, low), last)) + index * spacing, 2) for index, start in enumerate(starts)]


def _anchors_along(curve: PlotCurve, frame: PlotFrame) -> list[QPointF]:
    """At most `MAX_ANCHORS` visible samples of a curve in pixels, from its end."""
    inside = np.flatnonzero(np.isfinite(curve.y) & (curve.x >= frame.x_range[0]) & (curve.x <= frame.x_range[1]))
    samples = inside[::-1][:: max(1, len(inside) // MAX_ANCHORS)]
    return [frame.point(float(curve.x[sample]), float(curve.y[sample])) for sample in samples]


def _label_y(label: EndLabel) -> float:
    return label.y


def _visible_end(curve: PlotCurve, frame: PlotFrame) -> QPointF | None:
    """Last visible point of a curve in pixels, clipped at the upper and lower edge; None if there is none."""
    inside = np.isfinite(curve.y) & (curve.x >= frame.x_range[0]) & (curve.x <= frame.x_range[1])
    indices = np.flatnonzero(inside)
    if not len(indices):
        return None
    x, y = float(curve.x[indices[-1]]), float(curve.y[indices[-1]])
    edge = curve.value_at(frame.x_range[1])
    if np.isfinite(edge):
        x, y = frame.x_range[1], edge
    low, high = frame.y_range
    return frame.point(x, min(max(y, low), high))


def find_label_y(end: float, placed: Sequence[tuple[float, float]], spacing: float, max_shift: float) -> float | None:
    """Label position nearest to `end` that keeps the order of the ends and the spacing; None if shifted too far.

    Parameters
    ----------
    end : y of the end of the curve, in pixels from the top.
    placed : (end, position) of the labels placed so far.

    Examples
    --------
    >>> find_label_y(50, [], 10, 8), find_label_y(44, [(50, 50)], 10, 8), find_label_y(49, [(50, 50)], 10, 8)
    (50, 40, None)
    """
    lowest = max((y + spacing for other, y in placed if other <= end), default=-math.inf)
    highest = min((y - spacing for other, y in placed if other > end), default=math.inf)
    y = min(max(end, lowest), highest)
    return y if y >= lowest and abs(y - end) <= max_shift else None


class SampleMarkerLayer:
    """Overlay with isolated samples, markers along lines, and measured points with their intervals."""

    def __init__(self, curves: CurveSource) -> None:
        self._curves = curves
        self.selected_key: str | None = None

    def paint(self, painter: QPainter, frame: PlotFrame) -> None:
        """Paint markers and intervals; a `PaintFunction`."""
        painter.setClipRect(frame.rect.adjusted(-DOT_RADIUS, -DOT_RADIUS, DOT_RADIUS, DOT_RADIUS))
        for curve in self._curves():
            if curve.emphasis == "crowd":
                continue
            if curve.spread is not None and curve.key == self.selected_key:
                _draw_error_bars(painter, frame, curve)
            samples = marked_samples(curve, frame).tolist()
            if samples:
                painter.setPen(QPen(frame.theme.colour("surface"), 1.0))
                painter.setBrush(QColor(curve.colour))
            for index in samples:
                position = frame.point(float(curve.x[index]), float(curve.y[index]))
                radius = POINT_RADIUS if curve.dotted else DOT_RADIUS
                draw_marker(painter, position, curve.marker or "circle", radius)


def marked_samples(curve: PlotCurve, frame: PlotFrame) -> np.ndarray:
    """Indices of the samples with a marker: all, the isolated ones, or one every `MARKER_SPACING` pixels."""
    finite = np.flatnonzero(np.isfinite(curve.y) & np.isfinite(curve.x))
    if curve.dotted:
        return finite
    if not curve.marker or not len(finite):
        return curve.isolated_samples
    columns = np.floor(frame.x_at(curve.x[finite]) / MARKER_SPACING)
    first = np.append(True, columns[1:] != columns[:-1])
    return np.union1d(finite[first], curve.isolated_samples)


def _draw_error_bars(painter: QPainter, frame: PlotFrame, curve: PlotCurve) -> None:
    assert curve.spread is not None
    painter.setPen(QPen(QColor(curve.colour), 1.2))
    for x, low, high in zip(curve.x.tolist(), *curve.spread.tolist(), strict=True):
        if np.isfinite(low) and np.isfinite(high):
            painter.drawLine(frame.point(x, low), frame.point(x, high))
            for end in (low, high):
                position = frame.point(x, end)
                painter.drawLine(position - QPointF(3, 0), position + QPointF(3, 0))
