"""What moves upon a plot: the cursor, the line under the mouse, dots on the curves, the curve that is lifted."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen, QPolygonF

from shrec_viewer.widgets.plot_curve import PlotCurve
from shrec_viewer.widgets.plot_frame import Frame
from shrec_viewer.widgets.theme import SPACE, text_font

DOT, LARGE_DOT = 3.5, 5.0
"""Radius of a dot on a curve in pixels, and of that on the curve in hand."""

PLACES = (1.0, 0.85, 0.7, 0.55, 0.4, 0.25, 0.12)
"""Shares of a line through the origin beside whose ends its words may stand, the best one first."""

ALONG = 240
"""Places looked at along a curve at least, as many as a small plot has pixels."""

GROUND = 0.5
"""Opacity of the ground of words: where they have to stand on a curve it is seen through."""

OFF = (1, 4, 8, 12)
"""Times `SPACE` that words may stand above or below a ray."""

VEIL = 0.72
"""Opacity of the ground laid over the other curves while one is lifted: they keep 28 %."""


@dataclass(frozen=True)
class Dot:
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
class Cursor:
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
    dots: tuple[Dot, ...] = ()
    slope: float | None = None
    level: float | None = None
    words: str = ""


NO_CURSOR = Cursor()


class Marks:
    """The moving layer; it is told what to show and asks which curves are in sight."""

    def __init__(self, curves: Callable[[], Sequence[PlotCurve]]) -> None:
        self._curves = curves
        self.cursor = NO_CURSOR
        self.pin = NO_CURSOR
        self.hover: float | None = None
        self.hover_dots: tuple[Dot, ...] = ()
        self.lifted: str | None = None
        self.highlighted: str | None = None
        self._known: tuple[object, tuple[PlotCurve, ...], NDArray[np.float64]] | None = None

    def paint(self, painter: QPainter, frame: Frame) -> None:
        """See `Layer`."""
        curves = {curve.key: curve for curve in self._curves()}
        painter.setClipRect(frame.rect)
        if self.lifted in curves:
            painter.fillRect(frame.rect, frame.theme.colour("surface", VEIL))
            for key in dict.fromkeys((self.highlighted, self.lifted)):
                if key in curves:
                    draw_line(painter, frame, curves[key], lifted=True)
        self._draw_lines(painter, frame)
        # Under the mouse the values are read along its line; the same curves have no second dots for the rank.
        dots = (*self.pin.dots, *(self.hover_dots or self.cursor.dots))
        front = self.lifted or self.highlighted
        painter.setClipRect(frame.rect.adjusted(-LARGE_DOT, -LARGE_DOT, LARGE_DOT, LARGE_DOT))
        for dot in sorted((dot for dot in dots if dot.key in curves), key=lambda dot: dot.key == front):
            if math.isfinite(dot.x) and math.isfinite(dot.y):
                draw_dot(painter, frame, curves[dot.key], dot, large=dot.key == front)
        self._write(painter, frame)

    def _draw_lines(self, painter: QPainter, frame: Frame) -> None:
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

    def _across(self, painter: QPainter, frame: Frame, x: float, pen: QPen) -> None:
        """In the middle of a pixel: else the line would be two pixels wide in half its colour."""
        painter.setPen(pen)
        at = math.floor(float(frame.x_at(x))) + 0.5
        painter.drawLine(QPointF(at, frame.rect.top()), QPointF(at, frame.rect.bottom()))

    def _ray_end(self, frame: Frame, slope: float) -> QPointF:
        x = min(1.0, 1.0 / slope) if slope > 0 else 1.0
        return frame.point(x, slope * x)

    def _write(self, painter: QPainter, frame: Frame) -> None:
        """The words of the cursor, on a ground of their own where its line ends."""
        cursor = self.cursor
        if not cursor.words:
            return
        font = text_font(frame.font, 0.88, strong=True)
        metrics = QFontMetricsF(font)
        words = metrics.elidedText(cursor.words, Qt.TextElideMode.ElideRight, frame.rect.width() - 7 * SPACE)
        size = QRectF(0, 0, metrics.horizontalAdvance(words) + 2 * SPACE, metrics.height() + 2)
        if cursor.slope is not None:
            at = self._beside_ray(frame, cursor.slope, size)
        elif cursor.x is not None:
            beyond = _side_of(cursor.x, frame)
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
        margin = 3 * SPACE if cursor.x is not None and _side_of(cursor.x, frame) else 1
        inside = frame.rect.adjusted(margin, 0, -margin, 0)
        size.moveLeft(min(max(size.left(), inside.left()), inside.right() - size.width()))
        size.moveTop(min(max(size.top(), inside.top()), inside.bottom() - size.height()))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(frame.theme.colour("surface", GROUND))
        painter.drawRoundedRect(size, 3, 3)
        painter.setFont(font)
        painter.setPen(frame.theme.colour("accent"))
        painter.drawText(size, Qt.AlignmentFlag.AlignCenter, words)

    def _beside_ray(self, frame: Frame, slope: float, size: QRectF) -> QPointF:
        """Where the words cover least of the curves: beside the end of the ray, else farther down along it."""
        start, end = frame.point(0.0, 0.0), self._ray_end(frame, slope)
        inside = frame.rect.adjusted(1, 0, -1, 0)
        xs, ys = self._cloud(frame)
        shares = np.linspace(0.0, 1.0, ALONG)  # the ray is no less to be read than the curves
        xs = np.concatenate([xs, start.x() + (end.x() - start.x()) * shares])
        ys = np.concatenate([ys, start.y() + (end.y() - start.y()) * shares])
        best, least = end, math.inf
        for share in PLACES:
            on = start + (end - start) * share
            for aside in _asides(start, end, size):
                left = min(max(on.x() + aside.x(), inside.left()), inside.right() - size.width())
                top = min(max(on.y() + aside.y(), inside.top()), inside.bottom() - size.height())
                over = (xs > left) & (xs < left + size.width()) & (ys > top) & (ys < top + size.height())
                if (covered := int(np.count_nonzero(over))) < least:
                    best, least = QPointF(left, top), covered
            if not least:
                break
        return best

    def _cloud(self, frame: Frame) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Pixels along all curves in sight, found once for each picture of them."""
        curves = tuple(self._curves())
        of = (frame.rect.getRect(), frame.x_range, frame.y_range, *(id(curve) for curve in curves))
        if self._known is None or self._known[0] != of:
            found = [_along(frame, curve) for curve in curves] or [np.zeros((0, 2))]
            self._known = (of, curves, np.concatenate(found))  # curves are held: the next ones cannot have their ids
        return self._known[2][:, 0], self._known[2][:, 1]

    def _dot_in_hand(self) -> Dot | None:
        dots = [dot for dot in self.cursor.dots if dot.key == self.highlighted and math.isfinite(dot.y)]
        return dots[0] if dots else None


def _asides(start: QPointF, end: QPointF, size: QRectF) -> list[QPointF]:
    """Where words may stand, from a place on a ray to their corner: right and left of it, else above and below it."""
    middle = -size.height() / 2
    asides = [QPointF(SPACE, middle), QPointF(-size.width() - SPACE, middle)]
    across, up = end.x() - start.x(), start.y() - end.y()
    if across > up:  # beside a flat ray is upon it
        climb = size.width() / 2 * up / across
        for off in OFF:
            asides.append(QPointF(-size.width() / 2, -size.height() - climb - off * SPACE))
            asides.append(QPointF(-size.width() / 2, climb + off * SPACE))
    return asides


def _along(frame: Frame, curve: PlotCurve) -> NDArray[np.float64]:
    """(K, 2) pixels along a curve, near enough to each other that no letter fits between them unseen."""
    x, y = np.asarray(frame.x_at(curve.x), np.float64), np.asarray(frame.y_at(curve.y), np.float64)
    steps = min(max(1, math.ceil(ALONG / max(len(x), 1))), ALONG)
    shares = np.arange(steps) / steps
    between = np.stack([(a[:-1, None] + np.diff(a)[:, None] * shares).ravel() for a in (x, y)], axis=1)
    found = np.concatenate([between, np.stack([x, y], axis=1)])
    return found[np.isfinite(found).all(axis=1)]


def _side_of(x: float, frame: Frame) -> int:
    """-1 for a place left of what is in sight, 1 for one right of it, 0 for one in sight."""
    return int(x > frame.x_range[1]) - int(x < frame.x_range[0])


def draw_arrow(painter: QPainter, frame: Frame, side: int) -> None:
    """An arrow at the left or right edge: what is marked lies farther on."""
    edge = frame.rect.right() if side > 0 else frame.rect.left()
    top = frame.rect.top() + 2 * SPACE
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(frame.theme.colour("accent"))
    tail = edge - side * 2 * SPACE
    painter.drawPolygon(QPolygonF([QPointF(tail, top - 5), QPointF(tail, top + 5), QPointF(edge, top)]))


def draw_line(painter: QPainter, frame: Frame, curve: PlotCurve, *, lifted: bool) -> None:
    """Draw a curve, interrupted where it has no value."""
    painter.setPen(curve.pen(lifted=lifted))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    finite = np.isfinite(curve.y) & np.isfinite(curve.x)
    edges = np.flatnonzero(np.diff(np.concatenate([[0], finite.astype(np.int8), [0]])))
    for start, stop in edges.reshape(-1, 2).tolist():
        painter.drawPolyline(frame.polygon(curve.x[start:stop], curve.y[start:stop]))


def draw_dot(painter: QPainter, frame: Frame, curve: PlotCurve, dot: Dot, *, large: bool) -> None:
    """Draw a dot on a curve, with an edge that sets it off from what it lies upon."""
    painter.setPen(QPen(frame.theme.colour("surface"), 1.5))
    painter.setBrush(curve.shade)
    radius = LARGE_DOT if large else DOT
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
