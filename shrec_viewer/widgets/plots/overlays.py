"""Layers painted on the curves: rank cursor, hover line, dots, sample markers and end labels."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPen, QPolygonF

from shrec_viewer.widgets.plots.canvas import PlotFrame
from shrec_viewer.widgets.plots.curves import PlotCurve, line_pen
from shrec_viewer.widgets.style.theme import SPACE, text_font

DOT_RADIUS, LARGE_DOT_RADIUS = 3.5, 5.0
"""Radius of a dot on a curve in pixels, and of that on the curve in hand."""

RAY_LABEL_POSITIONS = (1.0, 0.85, 0.7, 0.55, 0.4, 0.25, 0.12)
"""Shares of a line through the origin beside whose ends its words may stand, the best one first."""

MIN_CURVE_SAMPLES = 240
"""Places looked at along a curve at least, as many as a small plot has pixels."""

LABEL_BACKGROUND_OPACITY = 0.5
"""Opacity of the ground of words: where they have to stand on a curve it is seen through."""

RAY_LABEL_OFFSETS = (1, 4, 8, 12)
"""Times `SPACE` that words may stand above or below a ray."""

VEIL_OPACITY = 0.72
"""Opacity of the ground laid over the other curves while one is lifted: they keep 28 %."""


@dataclass(frozen=True)
class CurveDot:
    """A place on a curve.

    Attributes
    ----------
    key : of the curve.
    x, y : in data units; NaN for nowhere.
    """

    key: str
    x: float
    y: float


@dataclass(frozen=True)
class PlotCursor:
    """Where the rank in hand is in a plot.

    Attributes
    ----------
    x : of a line from top to bottom; None for none. Beyond what is in sight there is an arrow at the edge instead.
    dots : where the rank is on each curve.
    slope : of a line through the origin, such as p = r c / k; None for none.
    level : of a line from left to right; None for none.
    words : at the end of the line, ``"Rank 12"``; without a line at the dot of the curve in hand.
    """

    x: float | None = None
    dots: tuple[CurveDot, ...] = ()
    slope: float | None = None
    level: float | None = None
    words: str = ""


NO_CURSOR = PlotCursor()


class CursorLayer:
    """The moving layer; it is told what to show and asks which curves are in sight."""

    def __init__(self, curves: Callable[[], Sequence[PlotCurve]]) -> None:
        self._curves = curves
        self.cursor = NO_CURSOR
        self.pin = NO_CURSOR
        self.hover: float | None = None
        self.hover_dots: tuple[CurveDot, ...] = ()
        self.emphasised: str | None = None
        self.highlighted: str | None = None
        self._known: tuple[object, tuple[PlotCurve, ...], NDArray[np.float64]] | None = None

    def paint(self, painter: QPainter, frame: PlotFrame) -> None:
        """See `Layer`."""
        curves = {curve.key: curve for curve in self._curves()}
        painter.setClipRect(frame.rect)
        if self.emphasised in curves:
            painter.fillRect(frame.rect, frame.theme.colour("surface", VEIL_OPACITY))
            for key in dict.fromkeys((self.highlighted, self.emphasised)):
                if key in curves:
                    draw_line(painter, frame, curves[key], emphasised=True)
        self._draw_lines(painter, frame)
        # Under the mouse the values are read along its line; the same curves have no second dots for the rank.
        dots = (*self.pin.dots, *(self.hover_dots or self.cursor.dots))
        front = self.emphasised or self.highlighted
        painter.setClipRect(
            frame.rect.adjusted(-LARGE_DOT_RADIUS, -LARGE_DOT_RADIUS, LARGE_DOT_RADIUS, LARGE_DOT_RADIUS)
        )
        for dot in sorted((dot for dot in dots if dot.key in curves), key=lambda dot: dot.key == front):
            if math.isfinite(dot.x) and math.isfinite(dot.y):
                draw_dot(painter, frame, curves[dot.key], dot, large=dot.key == front)
        self._write(painter, frame)

    def _draw_lines(self, painter: QPainter, frame: PlotFrame) -> None:
        if self.hover is not None and math.isfinite(self.hover):
            self._across(painter, frame, self.hover, QPen(frame.theme.colour("muted", 0.6), 1))
        if self.pin.x is not None:
            self._across(painter, frame, self.pin.x, QPen(frame.theme.colour("ink"), 1, Qt.PenStyle.DashLine))
        pen = QPen(frame.theme.colour("accent"), 1)
        cursor = self.cursor
        if cursor.x is not None and math.isfinite(cursor.x):
            self._across(painter, frame, cursor.x, pen)
        if cursor.slope is not None:
            painter.setPen(pen)
            painter.drawLine(frame.point(0.0, 0.0), self._ray_end(frame, cursor.slope))
        if cursor.level is not None and math.isfinite(cursor.level):
            painter.setPen(pen)
            y = math.floor(float(frame.y_at(cursor.level))) + 0.5
            painter.drawLine(QPointF(frame.rect.left(), y), QPointF(frame.rect.right(), y))

    def _across(self, painter: QPainter, frame: PlotFrame, x: float, pen: QPen) -> None:
        """In the middle of a pixel: else the line would be two pixels wide in half its colour."""
        painter.setPen(pen)
        at = math.floor(float(frame.x_at(x))) + 0.5
        painter.drawLine(QPointF(at, frame.rect.top()), QPointF(at, frame.rect.bottom()))

    def _ray_end(self, frame: PlotFrame, slope: float) -> QPointF:
        x = min(1.0, 1.0 / slope) if slope > 0 else 1.0
        return frame.point(x, slope * x)

    def _write(self, painter: QPainter, frame: PlotFrame) -> None:
        """The words of the cursor, on a ground of their own where its line ends."""
        cursor = self.cursor
        if not cursor.words:
            return
        font = text_font(frame.font, 0.88, strong=True)
        metrics = QFontMetricsF(font)
        words = metrics.elidedText(cursor.words, Qt.TextElideMode.ElideRight, frame.rect.width() - 7 * SPACE)
        size = QRectF(0, 0, metrics.horizontalAdvance(words) + 2 * SPACE, metrics.height() + 2)
        if cursor.slope is not None:
            at = self._ray_label_position(frame, cursor.slope, size)
        elif cursor.x is not None:
            beyond = _side_outside(cursor.x, frame)
            if beyond:
                draw_arrow(painter, frame, beyond)
            x = float(frame.x_at(cursor.x)) + SPACE if not beyond else frame.rect.left() + 3 * SPACE
            at = QPointF(frame.rect.right() - 3 * SPACE - size.width() if beyond > 0 else x, frame.rect.top())
        elif cursor.level is not None:
            at = frame.point(frame.x_range[0], cursor.level) + QPointF(SPACE, -size.height() - 1)
        elif dot := self._dot_in_hand():
            at = frame.point(dot.x, dot.y) + QPointF(2 * SPACE, -size.height() - SPACE)
        else:
            at = frame.rect.topLeft() + QPointF(SPACE, 0)
        painter.setClipping(False)
        size.moveTo(at)
        margin = 3 * SPACE if cursor.x is not None and _side_outside(cursor.x, frame) else 1
        inside = frame.rect.adjusted(margin, 0, -margin, 0)
        size.moveLeft(min(max(size.left(), inside.left()), inside.right() - size.width()))
        size.moveTop(min(max(size.top(), inside.top()), inside.bottom() - size.height()))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(frame.theme.colour("surface", LABEL_BACKGROUND_OPACITY))
        painter.drawRoundedRect(size, 3, 3)
        painter.setFont(font)
        painter.setPen(frame.theme.colour("accent"))
        painter.drawText(size, Qt.AlignmentFlag.AlignCenter, words)

    def _ray_label_position(self, frame: PlotFrame, slope: float, size: QRectF) -> QPointF:
        """Where the words cover least of the curves: beside the end of the ray, else farther down along it."""
        start, end = frame.point(0.0, 0.0), self._ray_end(frame, slope)
        inside = frame.rect.adjusted(1, 0, -1, 0)
        xs, ys = self._curve_points(frame)
        shares = np.linspace(0.0, 1.0, MIN_CURVE_SAMPLES)  # the ray is no less to be read than the curves
        xs = np.concatenate([xs, start.x() + (end.x() - start.x()) * shares])
        ys = np.concatenate([ys, start.y() + (end.y() - start.y()) * shares])
        best, least = end, math.inf
        for share in RAY_LABEL_POSITIONS:
            on = start + (end - start) * share
            for aside in _ray_label_offsets(start, end, size):
                left = min(max(on.x() + aside.x(), inside.left()), inside.right() - size.width())
                top = min(max(on.y() + aside.y(), inside.top()), inside.bottom() - size.height())
                over = (xs > left) & (xs < left + size.width()) & (ys > top) & (ys < top + size.height())
                if (covered := int(np.count_nonzero(over))) < least:
                    best, least = QPointF(left, top), covered
            if not least:
                break
        return best

    def _curve_points(self, frame: PlotFrame) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Pixels along all curves in sight, found once for each picture of them."""
        curves = tuple(self._curves())
        of = (frame.rect.getRect(), frame.x_range, frame.y_range, *(id(curve) for curve in curves))
        if self._known is None or self._known[0] != of:
            found = [_curve_pixels(frame, curve) for curve in curves] or [np.zeros((0, 2))]
            self._known = (of, curves, np.concatenate(found))  # curves are held: the next ones cannot have their ids
        return self._known[2][:, 0], self._known[2][:, 1]

    def _dot_in_hand(self) -> CurveDot | None:
        dots = [dot for dot in self.cursor.dots if dot.key == self.highlighted and math.isfinite(dot.y)]
        return dots[0] if dots else None


def _ray_label_offsets(start: QPointF, end: QPointF, size: QRectF) -> list[QPointF]:
    """Where words may stand, from a place on a ray to their corner: right and left of it, else above and below it."""
    middle = -size.height() / 2
    asides = [QPointF(SPACE, middle), QPointF(-size.width() - SPACE, middle)]
    across, up = end.x() - start.x(), start.y() - end.y()
    if across > up:  # beside a flat ray is upon it
        climb = size.width() / 2 * up / across
        for off in RAY_LABEL_OFFSETS:
            asides.append(QPointF(-size.width() / 2, -size.height() - climb - off * SPACE))
            asides.append(QPointF(-size.width() / 2, climb + off * SPACE))
    return asides


def _curve_pixels(frame: PlotFrame, curve: PlotCurve) -> NDArray[np.float64]:
    """(K, 2) pixels along a curve, near enough to each other that no letter fits between them unseen."""
    x, y = np.asarray(frame.x_at(curve.x), np.float64), np.asarray(frame.y_at(curve.y), np.float64)
    steps = min(max(1, math.ceil(MIN_CURVE_SAMPLES / max(len(x), 1))), MIN_CURVE_SAMPLES)
    shares = np.arange(steps) / steps
    between = np.stack([(a[:-1, None] + np.diff(a)[:, None] * shares).ravel() for a in (x, y)], axis=1)
    found = np.concatenate([between, np.stack([x, y], axis=1)])
    return found[np.isfinite(found).all(axis=1)]


def _side_outside(x: float, frame: PlotFrame) -> int:
    """-1 for a place left of what is in sight, 1 for one right of it, 0 for one in sight."""
    return int(x > frame.x_range[1]) - int(x < frame.x_range[0])


def draw_arrow(painter: QPainter, frame: PlotFrame, side: int) -> None:
    """An arrow at the left or right edge: what is marked lies farther on."""
    edge = frame.rect.right() if side > 0 else frame.rect.left()
    top = frame.rect.top() + 2 * SPACE
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(frame.theme.colour("accent"))
    tail = edge - side * 2 * SPACE
    painter.drawPolygon(QPolygonF([QPointF(tail, top - 5), QPointF(tail, top + 5), QPointF(edge, top)]))


def draw_line(painter: QPainter, frame: PlotFrame, curve: PlotCurve, *, emphasised: bool) -> None:
    """Draw a curve, interrupted where it has no value."""
    painter.setPen(curve.pen(emphasised=emphasised))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    finite = np.isfinite(curve.y) & np.isfinite(curve.x)
    edges = np.flatnonzero(np.diff(np.concatenate([[0], finite.astype(np.int8), [0]])))
    for start, stop in edges.reshape(-1, 2).tolist():
        painter.drawPolyline(frame.polygon(curve.x[start:stop], curve.y[start:stop]))


def draw_dot(painter: QPainter, frame: PlotFrame, curve: PlotCurve, dot: CurveDot, *, large: bool) -> None:
    """Draw a dot on a curve, with an edge that sets it off from what it lies upon."""
    painter.setPen(QPen(frame.theme.colour("surface"), 1.5))
    painter.setBrush(curve.shade)
    radius = LARGE_DOT_RADIUS if large else DOT_RADIUS
    draw_marker(painter, frame.point(dot.x, dot.y), curve.marker or "circle", radius)


def draw_marker(painter: QPainter, at: QPointF, marker: str, radius: float) -> None:
    """Draw one of `MARKERS` with the painter's pen and brush, so that all look equally large."""
    if marker == "circle":
        painter.drawEllipse(at, radius, radius)
    elif marker == "square":
        side = radius * 0.9
        painter.drawRect(QRectF(at.x() - side, at.y() - side, 2 * side, 2 * side))
    elif marker == "triangle":
        painter.drawPolygon(_corners(at, radius * 1.25, ((0, -1), (0.9, 0.7), (-0.9, 0.7))))
    elif marker == "diamond":
        painter.drawPolygon(_corners(at, radius * 1.25, ((0, -1), (1, 0), (0, 1), (-1, 0))))
    else:
        third = 0.38
        ring = ((-third, -1), (third, -1), (third, -third), (1, -third), (1, third), (third, third))
        other = ((third, 1), (-third, 1), (-third, third), (-1, third), (-1, -third), (-third, -third))
        painter.drawPolygon(_corners(at, radius * 1.1, (*ring, *other)))


def _corners(at: QPointF, radius: float, corners: Sequence[tuple[float, float]]) -> QPolygonF:
    return QPolygonF([QPointF(at.x() + radius * x, at.y() + radius * y) for x, y in corners])


LEADER_LENGTH = 10
"""Pixels between the axes and the names, in which a line leads from the curve's end to its name."""

LABEL_SWATCH = 7
"""Pixels of the curve's line before its name: ends lie close together, and leaders are grey so as not to be data."""

MAX_LABEL_WIDTH, MIN_LABEL_WIDTH = 84, 34
"""Pixels after which a name is cut, as more would take the room of the curves, and to which it may be cut at most, as
less than five letters say nothing."""

MAX_LABEL_SHARE = 0.23
"""Of a plot's width, what names at its side may take: five letters from 260 pixels on, long names on a wide screen."""

MAX_LABELS = 6
"""Names at the side at most: more is a second legend, and a worse one."""

MAX_LABEL_SHIFT = 0.8
"""Lines of text by which a name may stand off the end of its curve; the legend has those that would be farther off."""

EARLY_END_DISTANCE = 24.0
"""Pixels before the right edge of the axes at which a curve that ends has its name beside its end: a line that led from
there to the names at the side would look like data."""

MARKER_SPACING = 72.0
"""Pixels between two markers of a line."""

CurveSource = Callable[[], Sequence[PlotCurve]]


@dataclass(frozen=True)
class EndLabel:
    """A name and where it stands: `y` of its middle, `end` of its curve, both in pixels."""

    curve: PlotCurve
    y: float
    end: QPointF


class EndLabelLayer:
    """The layer of names: of the curve in hand and of the highest ones, as far as they can stand beside their ends."""

    def __init__(self, curves: CurveSource) -> None:
        self._curves = curves
        self.highlighted: str | None = None
        self.shown = False

    def width(self, font: QFont, room: int) -> int:
        """Pixels for the names at the right of the axes of a plot that is `room` wide; 0 where they would be too short.

        That holds whether they are shown or not.
        """
        curves = [curve for curve in self._curves() if curve.emphasis != "crowd"]
        if not curves:
            return 0
        metrics = QFontMetricsF(text_font(font, 0.85, strong=True))
        beside = LEADER_LENGTH + LABEL_SWATCH + 2 * SPACE
        longest = min(max(metrics.horizontalAdvance(curve.label) for curve in curves), MAX_LABEL_WIDTH)
        width = min(longest, MAX_LABEL_SHARE * room - beside)
        return math.ceil(width) + beside if width >= min(longest, MIN_LABEL_WIDTH) else 0

    def paint(self, painter: QPainter, frame: PlotFrame) -> None:
        """See `Layer`."""
        if not self.shown:
            return
        metrics = QFontMetricsF(text_font(frame.font, 0.85))
        height = metrics.height() - 1
        for label in self.placed(frame, height):
            x = frame.rect.right() + LEADER_LENGTH
            painter.setPen(QPen(frame.theme.colour("line_strong"), 1.0))
            painter.drawLine(QPointF(frame.rect.right() + 1, label.end.y()), QPointF(x - 1, label.y))
            painter.setPen(line_pen(label.curve.shade, 2.0, "solid"))
            painter.drawLine(QPointF(x, label.y), QPointF(x + LABEL_SWATCH, label.y))
            left = x + LABEL_SWATCH + SPACE / 2
            self._write(
                painter, frame, label.curve, QRectF(left, label.y - height / 2, frame.whole.right() - left, height)
            )
        taken: list[QRectF] = []
        for curve, end in sorted(self._ends(frame, early=True), key=self._by_weight):
            width = min(metrics.horizontalAdvance(curve.label), MAX_LABEL_WIDTH) + 2
            box = QRectF(end.x() + 1.5 * SPACE, end.y() - height / 2, width, height)
            box.moveRight(min(box.right(), frame.rect.right()))
            if len(taken) < MAX_LABELS and not any(box.intersects(other) for other in taken):
                taken.append(box)
                self._write(painter, frame, curve, box)

    def _write(self, painter: QPainter, frame: PlotFrame, curve: PlotCurve, room: QRectF) -> None:
        font = text_font(frame.font, 0.85, strong=curve.key == self.highlighted)
        painter.setFont(font)
        painter.setPen(frame.theme.colour("ink"))
        words = QFontMetricsF(font).elidedText(curve.label, Qt.TextElideMode.ElideMiddle, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, words)

    def placed(self, frame: PlotFrame, height: float) -> list[EndLabel]:
        """Names of curves that leave the axes at the right, top to bottom, each within `MAX_LABEL_SHIFT` lines of its end.

        The curve in hand has the first choice, then the higher ones.
        """
        found: list[EndLabel] = []
        for curve, end in sorted(self._ends(frame, early=False), key=self._by_weight):
            y = free_label_y(end.y(), [(label.end.y(), label.y) for label in found], height, MAX_LABEL_SHIFT * height)
            if y is not None and frame.rect.top() - height / 2 <= y <= frame.rect.bottom() + height / 2:
                found.append(EndLabel(curve, y, end))
            if len(found) == MAX_LABELS:
                break
        return sorted(found, key=_label_y)

    def _ends(self, frame: PlotFrame, *, early: bool) -> list[tuple[PlotCurve, QPointF]]:
        """Ends of the curves in sight: of those that end within the axes, or of the others."""
        found = []
        for curve in self._curves():
            at = _visible_end(curve, frame)
            if (
                at is not None
                and curve.emphasis != "crowd"
                and (at.x() < frame.rect.right() - EARLY_END_DISTANCE) == early
            ):
                found.append((curve, at))
        return found

    def _by_weight(self, entry: tuple[PlotCurve, QPointF]) -> tuple[bool, float]:
        return entry[0].key != self.highlighted, entry[1].y()


def _label_y(label: EndLabel) -> float:
    return label.y


def _visible_end(curve: PlotCurve, frame: PlotFrame) -> QPointF | None:
    """Where the curve leaves the axes at the right or ends, cut at their upper and lower edge; None for not at all."""
    inside = np.isfinite(curve.y) & (curve.x >= frame.x_range[0]) & (curve.x <= frame.x_range[1])
    places = np.flatnonzero(inside)
    if not len(places):
        return None
    x, y = float(curve.x[places[-1]]), float(curve.y[places[-1]])
    edge = curve.value_at(frame.x_range[1])
    if np.isfinite(edge):
        x, y = frame.x_range[1], edge
    low, high = frame.y_range
    return frame.point(x, min(max(y, low), high))


def free_label_y(end: float, taken: Sequence[tuple[float, float]], apart: float, near: float) -> float | None:
    """The place nearest to `end`, at most `near` off, that is `apart` from all taken ones and in the order of the ends.

    Parameters
    ----------
    taken : ends and places that are taken already, in pixels from the top.

    Examples
    --------
    >>> free_row(50, [], 10, 8), free_row(44, [(50, 50)], 10, 8), free_row(49, [(50, 50)], 10, 8)
    (50, 40, None)
    """
    lowest = max((place + apart for other, place in taken if other <= end), default=-math.inf)
    highest = min((place - apart for other, place in taken if other > end), default=math.inf)
    y = min(max(end, lowest), highest)
    return y if y >= lowest and abs(y - end) <= near else None


class SampleMarkerLayer:
    """The layer of what is no line: lone samples, markers along lines, measured points with their intervals."""

    def __init__(self, curves: CurveSource) -> None:
        self._curves = curves
        self.highlighted: str | None = None

    def paint(self, painter: QPainter, frame: PlotFrame) -> None:
        """See `Layer`."""
        painter.setClipRect(frame.rect.adjusted(-DOT_RADIUS, -DOT_RADIUS, DOT_RADIUS, DOT_RADIUS))
        for curve in self._curves():
            if curve.emphasis == "crowd":
                continue
            if curve.spread is not None and curve.key == self.highlighted:
                _draw_error_bars(painter, frame, curve)
            painter.setPen(QPen(frame.theme.colour("surface"), 1.0))
            painter.setBrush(curve.shade)
            for place in marked_samples(curve, frame).tolist():
                at = frame.point(float(curve.x[place]), float(curve.y[place]))
                draw_marker(painter, at, curve.marker or "circle", DOT_RADIUS)


def marked_samples(curve: PlotCurve, frame: PlotFrame) -> np.ndarray:
    """Places of the samples that get a marker: all of them, the lone ones, or some `MARKER_SPACING` along the line."""
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
                at = frame.point(x, end)
                painter.drawLine(at - QPointF(3, 0), at + QPointF(3, 0))
