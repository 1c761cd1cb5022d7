"""Overlays of a plot: references, rank cursor, hover line, dots, sample markers and end labels."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPen, QPolygonF

from shrec_viewer.widgets.plots.canvas import PlotFrame
from shrec_viewer.widgets.plots.curves import DOT_RADIUS, PlotCurve, draw_marker, line_pen
from shrec_viewer.widgets.style.theme import SPACE, text_font

AREA_OPACITY = 0.10
"""Opacity of an area: visible in both themes, and curves on it keep their contrast."""

MIN_LABEL_HEIGHT = 90.0
"""Plot height in pixels below which labels are left out, as they would cover the curves."""

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ReferenceLine:
    """A line for comparison that does not belong to a run.

    Attributes
    ----------
    label : description, also the column title in the table of values.
    x, y : (K,) float64.
    token : colour, a field of `Theme`.
    dash : a key of `DASH_PATTERNS`.
    mark : short label next to the line; "" for none.
    at : index of the sample next to which `mark` is placed.
    listed : whether the table of values has a column for it.
    """

    label: str
    x: FloatArray
    y: FloatArray
    token: str = "muted"
    dash: str = "solid"
    mark: str = ""
    at: int = -1
    listed: bool = True


@dataclass(frozen=True, eq=False)
class ReferenceArea:
    """A filled polygon with the corners x, y (K,) float64."""

    label: str
    x: FloatArray
    y: FloatArray
    token: str = "muted"


@dataclass(frozen=True)
class ReferencePoint:
    """A labelled point."""

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


class ReferenceLayer:
    """Paints references below the curves, and their points and labels above them."""

    def __init__(self) -> None:
        self.references = NO_REFERENCES

    def paint(self, painter: QPainter, frame: PlotFrame) -> None:
        """Paint areas and lines; a `PaintFunction`."""
        painter.setClipRect(frame.rect)
        painter.setPen(Qt.PenStyle.NoPen)
        for area in self.references.areas:
            painter.setBrush(frame.theme.colour(area.token, AREA_OPACITY))
            painter.drawPolygon(frame.polygon(area.x, area.y))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for line in self.references.lines:
            painter.setPen(line_pen(frame.theme.colour(line.token), 1.0, line.dash))
            keep = np.isfinite(line.x) & np.isfinite(line.y)
            painter.drawPolyline(frame.polygon(line.x[keep], line.y[keep]))

    def paint_labels(self, painter: QPainter, frame: PlotFrame) -> None:
        """Paint points and labels; a `PaintFunction`."""
        if frame.rect.height() < MIN_LABEL_HEIGHT:
            return
        font = text_font(frame.font, 0.85)
        painter.setFont(font)
        metrics = QFontMetricsF(font)
        used_boxes: list[QRectF] = []
        for point in self.references.points:
            if frame.contains(point.x, point.y):
                painter.setPen(QPen(frame.theme.colour("ink"), 1.2))
                painter.setBrush(frame.theme.colour("surface"))
                draw_marker(painter, frame.point(point.x, point.y), "diamond", 4.0)
                self._draw_label(painter, frame, metrics, frame.point(point.x, point.y), point.label, used_boxes)
        for line in self.references.lines:
            if line.mark and len(line.x) and math.isfinite(line.y[line.at]):
                x, y = float(line.x[line.at]), float(line.y[line.at])
                if frame.contains(x, y):
                    self._draw_label(painter, frame, metrics, frame.point(x, y), line.mark, used_boxes)

    def _draw_label(
        self,
        painter: QPainter,
        frame: PlotFrame,
        metrics: QFontMetricsF,
        at: QPointF,
        text: str,
        used_boxes: list[QRectF],
    ) -> None:
        """Draw a label next to the point, within the axes, unless it would overlap another one."""
        box = QRectF(0, 0, metrics.horizontalAdvance(text) + SPACE, metrics.height())
        box.moveCenter(at)
        inside = frame.rect.adjusted(2, 2, -2, -2)
        left = at.x() + 2 * SPACE if at.x() < inside.center().x() else at.x() - 2 * SPACE - box.width()
        top = at.y() + SPACE if at.y() < inside.center().y() else at.y() - SPACE - box.height()
        box.moveTo(
            min(max(left, inside.left()), inside.right() - box.width()),
            min(max(top, inside.top()), inside.bottom() - box.height()),
        )
        if any(box.intersects(other) for other in used_boxes):
            return
        used_boxes.append(box)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(frame.theme.colour("surface", 0.75))
        painter.drawRect(box)
        painter.setPen(frame.theme.colour("muted"))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)


def area_between(label: str, x: FloatArray, low: FloatArray, high: FloatArray, token: str = "muted") -> ReferenceArea:
    """The area between two lines over the same x, without samples where one of them is NaN."""
    keep = np.isfinite(low) & np.isfinite(high)
    x, low, high = x[keep], low[keep], high[keep]
    return ReferenceArea(label, np.concatenate([x, x[::-1]]), np.concatenate([low, high[::-1]]), token)


LARGE_DOT_RADIUS = 5.0
"""Radius of the dot on the selected curve in pixels."""

RAY_LABEL_POSITIONS = (1.0, 0.85, 0.7, 0.55, 0.4, 0.25, 0.12)
"""Candidate positions of the label of a ray, as shares of its length, best first."""

MIN_CURVE_SAMPLES = 240
"""Minimum number of points examined along a curve when a label is placed: about the pixels of a small plot."""

LABEL_BACKGROUND_OPACITY = 0.5
"""Opacity of the background of a label; a curve below it stays visible."""

RAY_LABEL_OFFSETS = (1, 4, 8, 12)
"""Candidate offsets of a label above and below a ray, in units of `SPACE`."""

VEIL_OPACITY = 0.72
"""Opacity of the surface colour painted over the other curves while one is hovered; they keep 28 %."""


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
    """

    def __init__(self, curves: Callable[[], Sequence[PlotCurve]]) -> None:
        self._curves = curves
        self.cursor = NO_CURSOR
        self.pin = NO_CURSOR
        self.hover: float | None = None
        self.hover_dots: tuple[CurveDot, ...] = ()
        self.hovered_key: str | None = None
        self.selected_key: str | None = None
        self._curve_pixels_cache: tuple[object, tuple[PlotCurve, ...], NDArray[np.float64]] | None = None

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
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(frame.theme.colour("surface", LABEL_BACKGROUND_OPACITY))
        painter.drawRoundedRect(size, 3, 3)
        painter.setFont(font)
        painter.setPen(frame.theme.colour("accent"))
        painter.drawText(size, Qt.AlignmentFlag.AlignCenter, text)

    def _ray_label_position(self, frame: PlotFrame, slope: float, size: QRectF) -> QPointF:
        """Top left corner of the label of a ray where it covers the fewest points of curves and ray."""
        start, end = frame.point(0.0, 0.0), self._ray_end(frame, slope)
        inside = frame.rect.adjusted(1, 0, -1, 0)
        xs, ys = self._curve_points(frame)
        shares = np.linspace(0.0, 1.0, MIN_CURVE_SAMPLES)
        xs = np.concatenate([xs, start.x() + (end.x() - start.x()) * shares])
        ys = np.concatenate([ys, start.y() + (end.y() - start.y()) * shares])
        best, minimum = end, math.inf
        for share in RAY_LABEL_POSITIONS:
            anchor = start + (end - start) * share
            for offset in _ray_label_offsets(start, end, size):
                left = min(max(anchor.x() + offset.x(), inside.left()), inside.right() - size.width())
                top = min(max(anchor.y() + offset.y(), inside.top()), inside.bottom() - size.height())
                over = (xs > left) & (xs < left + size.width()) & (ys > top) & (ys < top + size.height())
                if (covered := int(np.count_nonzero(over))) < minimum:
                    best, minimum = QPointF(left, top), covered
            if not minimum:
                break
        return best

    def _curve_points(self, frame: PlotFrame) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """X and y in pixels of points along all visible curves, cached while curves and transform are the same."""
        curves = tuple(self._curves())
        key = (frame.rect.getRect(), frame.x_range, frame.y_range, *(id(curve) for curve in curves))
        if self._curve_pixels_cache is None or self._curve_pixels_cache[0] != key:
            found = [_curve_pixels(frame, curve) for curve in curves] or [np.zeros((0, 2))]
            self._curve_pixels_cache = (key, curves, np.concatenate(found))  # holding the curves keeps their ids unique
        return self._curve_pixels_cache[2][:, 0], self._curve_pixels_cache[2][:, 1]

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


def _curve_pixels(frame: PlotFrame, curve: PlotCurve) -> NDArray[np.float64]:
    """(K, 2) points along a curve in pixels, at least `MIN_CURVE_SAMPLES` of them."""
    x, y = np.asarray(frame.x_at(curve.x), np.float64), np.asarray(frame.y_at(curve.y), np.float64)
    steps = min(max(1, math.ceil(MIN_CURVE_SAMPLES / max(len(x), 1))), MIN_CURVE_SAMPLES)
    shares = np.arange(steps) / steps
    between = np.stack([(a[:-1, None] + np.diff(a)[:, None] * shares).ravel() for a in (x, y)], axis=1)
    found = np.concatenate([between, np.stack([x, y], axis=1)])
    return found[np.isfinite(found).all(axis=1)]


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
    painter.setPen(curve.pen(bold=bold))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    finite = np.isfinite(curve.y) & np.isfinite(curve.x)
    edges = np.flatnonzero(np.diff(np.concatenate([[0], finite.astype(np.int8), [0]])))
    for start, stop in edges.reshape(-1, 2).tolist():
        painter.drawPolyline(frame.polygon(curve.x[start:stop], curve.y[start:stop]))


def draw_dot(painter: QPainter, frame: PlotFrame, curve: PlotCurve, dot: CurveDot, *, large: bool) -> None:
    """Draw a dot on a curve with an outline in the background colour."""
    painter.setPen(QPen(frame.theme.colour("surface"), 1.5))
    painter.setBrush(curve.shade)
    radius = LARGE_DOT_RADIUS if large else DOT_RADIUS
    draw_marker(painter, frame.point(dot.x, dot.y), curve.marker or "circle", radius)


LEADER_LENGTH = 10
"""Length in pixels of the leader from the end of a curve to its label."""

LABEL_SAMPLE_WIDTH = 7
"""Pixels of the curve's colour before its label; leaders are grey, as coloured ones would look like data."""

MAX_LABEL_WIDTH, MIN_LABEL_WIDTH = 84, 34
"""Pixels above which a label is elided, and below which labels are left out: about five letters."""

MAX_LABEL_SHARE = 0.23
"""Maximum share of the plot's width for end labels: five letters from 260 pixels on."""

MAX_LABELS = 6
"""Maximum number of end labels; more would duplicate the legend."""

MAX_LABEL_SHIFT = 0.8
"""Maximum vertical offset of a label from the end of its curve, in lines of text; farther ones are left out."""

EARLY_END_DISTANCE = 24.0
"""A curve that ends at least this many pixels before the right edge has its label at its end, within the axes: a leader
from there to the margin would look like data."""

MARKER_SPACING = 72.0
"""Pixels between two markers along a line."""

CurveSource = Callable[[], Sequence[PlotCurve]]


@dataclass(frozen=True)
class EndLabel:
    """A label at the side: y of its centre and the end of its curve, in pixels."""

    curve: PlotCurve
    y: float
    end: QPointF


class EndLabelLayer:
    """Overlay with labels at the ends of the selected and the highest curves, as far as they fit there."""

    def __init__(self, curves: CurveSource) -> None:
        self._curves = curves
        self.selected_key: str | None = None
        self.is_visible = False

    def width(self, font: QFont, plot_width: int) -> int:
        """Pixels that the labels at the right of the axes need; 0 where they would be too short.

        Independent of `is_visible`.
        """
        curves = [curve for curve in self._curves() if curve.emphasis != "crowd"]
        if not curves:
            return 0
        metrics = QFontMetricsF(text_font(font, 0.85, bold=True))
        fixed = LEADER_LENGTH + LABEL_SAMPLE_WIDTH + 2 * SPACE
        max_label_width = min(max(metrics.horizontalAdvance(curve.label) for curve in curves), MAX_LABEL_WIDTH)
        width = min(max_label_width, MAX_LABEL_SHARE * plot_width - fixed)
        return math.ceil(width) + fixed if width >= min(max_label_width, MIN_LABEL_WIDTH) else 0

    def paint(self, painter: QPainter, frame: PlotFrame) -> None:
        """Paint the labels; a `PaintFunction`."""
        if not self.is_visible:
            return
        metrics = QFontMetricsF(text_font(frame.font, 0.85))
        height = metrics.height() - 1
        for label in self.side_labels(frame, height):
            x = frame.rect.right() + LEADER_LENGTH
            painter.setPen(QPen(frame.theme.colour("line_strong"), 1.0))
            painter.drawLine(QPointF(frame.rect.right() + 1, label.end.y()), QPointF(x - 1, label.y))
            painter.setPen(line_pen(label.curve.shade, 2.0, "solid"))
            painter.drawLine(QPointF(x, label.y), QPointF(x + LABEL_SAMPLE_WIDTH, label.y))
            left = x + LABEL_SAMPLE_WIDTH + SPACE / 2
            self._draw_text(
                painter, frame, label.curve, QRectF(left, label.y - height / 2, frame.whole.right() - left, height)
            )
        used_boxes: list[QRectF] = []
        for curve, end in sorted(self._end_points(frame, early=True), key=self._priority):
            width = min(metrics.horizontalAdvance(curve.label), MAX_LABEL_WIDTH) + 2
            box = QRectF(end.x() + 1.5 * SPACE, end.y() - height / 2, width, height)
            box.moveRight(min(box.right(), frame.rect.right()))
            if len(used_boxes) < MAX_LABELS and not any(box.intersects(other) for other in used_boxes):
                used_boxes.append(box)
                self._draw_text(painter, frame, curve, box)

    def _draw_text(self, painter: QPainter, frame: PlotFrame, curve: PlotCurve, box: QRectF) -> None:
        font = text_font(frame.font, 0.85, bold=curve.key == self.selected_key)
        painter.setFont(font)
        painter.setPen(frame.theme.colour("ink"))
        text = QFontMetricsF(font).elidedText(curve.label, Qt.TextElideMode.ElideMiddle, box.width())
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)

    def side_labels(self, frame: PlotFrame, height: float) -> list[EndLabel]:
        """Labels of curves that reach the right edge, top to bottom, each within `MAX_LABEL_SHIFT` lines of its end.

        The selected curve is placed first, then the others from the highest to the lowest.
        """
        found: list[EndLabel] = []
        for curve, end in sorted(self._end_points(frame, early=False), key=self._priority):
            y = find_label_y(end.y(), [(label.end.y(), label.y) for label in found], height, MAX_LABEL_SHIFT * height)
            if y is not None and frame.rect.top() - height / 2 <= y <= frame.rect.bottom() + height / 2:
                found.append(EndLabel(curve, y, end))
            if len(found) == MAX_LABELS:
                break
        return sorted(found, key=_label_y)

    def _end_points(self, frame: PlotFrame, *, early: bool) -> list[tuple[PlotCurve, QPointF]]:
        """Visible ends of the curves: of those that end within the axes (`early`), or of the others."""
        found = []
        for curve in self._curves():
            position = _visible_end(curve, frame)
            if (
                position is not None
                and curve.emphasis != "crowd"
                and (position.x() < frame.rect.right() - EARLY_END_DISTANCE) == early
            ):
                found.append((curve, position))
        return found

    def _priority(self, entry: tuple[PlotCurve, QPointF]) -> tuple[bool, float]:
        return entry[0].key != self.selected_key, entry[1].y()


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
    """Overlay with lone samples, markers along lines, and measured points with their intervals."""

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
            painter.setPen(QPen(frame.theme.colour("surface"), 1.0))
            painter.setBrush(curve.shade)
            for index in marked_samples(curve, frame).tolist():
                position = frame.point(float(curve.x[index]), float(curve.y[index]))
                draw_marker(painter, position, curve.marker or "circle", DOT_RADIUS)


def marked_samples(curve: PlotCurve, frame: PlotFrame) -> np.ndarray:
    """Indices of the samples with a marker: all, the lone ones, or one every `MARKER_SPACING` pixels."""
    finite = np.flatnonzero(np.isfinite(curve.y) & np.isfinite(curve.x))
    if curve.dotted:
        return finite
    if not curve.marker or not len(finite):
        return curve.lone
    columns = np.floor(frame.x_at(curve.x[finite]) / MARKER_SPACING)
    first = np.append(True, columns[1:] != columns[:-1])
    return np.union1d(finite[first], curve.lone)


def _draw_error_bars(painter: QPainter, frame: PlotFrame, curve: PlotCurve) -> None:
    assert curve.spread is not None
    painter.setPen(QPen(curve.shade, 1.2))
    for x, low, high in zip(curve.x.tolist(), *curve.spread.tolist(), strict=True):
        if np.isfinite(low) and np.isfinite(high):
            painter.drawLine(frame.point(x, low), frame.point(x, high))
            for end in (low, high):
                position = frame.point(x, end)
                painter.drawLine(position - QPointF(3, 0), position + QPointF(3, 0))
