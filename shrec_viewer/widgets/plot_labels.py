"""Names of curves at their ends, so that nobody has to look them up in a legend; and what marks single samples."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPen

from shrec_viewer.widgets.plot_curve import PlotCurve
from shrec_viewer.widgets.plot_frame import Frame
from shrec_viewer.widgets.plot_marks import DOT, draw_marker
from shrec_viewer.widgets.theme import SPACE, text_font

LEADER = 14
"""Pixels between the axes and the names, in which a line leads from the curve's end to its name."""

LONGEST = 84
"""Pixels after which a name is cut: more would take the room of the curves."""

SHARE = 0.13
"""Of a plot's width, what names at its side may take: two letters from 300 pixels on, long names on a wide screen."""

EARLY = 24.0
"""Pixels before the right edge of the axes at which a curve that ends has its name beside its end: a line that led from
there to the names at the side would look like data."""

APART = 72.0
"""Pixels between two markers of a line."""

Curves = Callable[[], Sequence[PlotCurve]]


@dataclass(frozen=True)
class EndLabel:
    """A name and where it stands: `y` of its middle, `end` of its curve, both in pixels."""

    curve: PlotCurve
    y: float
    end: QPointF


class EndLabels:
    """The layer of names; curves that a low plot has no room for go without, the one in hand last."""

    def __init__(self, curves: Curves) -> None:
        self._curves = curves
        self.highlighted: str | None = None
        self.shown = False

    def width(self, font: QFont) -> int:
        """Pixels that the names need at the right of the axes, whether they are shown or not."""
        curves = [curve for curve in self._curves() if curve.emphasis != "crowd"]
        if not curves:
            return 0
        metrics = QFontMetricsF(text_font(font, 0.85, strong=True))
        longest = max(metrics.horizontalAdvance(curve.label) for curve in curves)
        return math.ceil(min(longest, LONGEST)) + LEADER + 2 * SPACE

    def paint(self, painter: QPainter, frame: Frame) -> None:
        """See `Layer`."""
        if not self.shown:
            return
        metrics = QFontMetricsF(text_font(frame.font, 0.85))
        height = metrics.height() - 1
        for label in self.placed(frame, height):
            x = frame.rect.right() + LEADER
            painter.setPen(QPen(label.curve.shade, 1.0))
            painter.drawPolyline([label.end, QPointF(x - SPACE, label.y), QPointF(x - 1, label.y)])
            room = QRectF(x + 2, label.y - height / 2, frame.whole.right() - x - 2, height)
            self._write(painter, frame, label.curve, room)
        taken: list[QRectF] = []
        for curve, end in sorted(self._ends(frame, early=True), key=self._is_in_hand, reverse=True):
            width = min(metrics.horizontalAdvance(curve.label), LONGEST) + 2
            box = QRectF(end.x() + 1.5 * SPACE, end.y() - height / 2, width, height)
            box.moveRight(min(box.right(), frame.rect.right()))
            if not any(box.intersects(other) for other in taken):
                taken.append(box)
                self._write(painter, frame, curve, box)

    def _write(self, painter: QPainter, frame: Frame, curve: PlotCurve, room: QRectF) -> None:
        font = text_font(frame.font, 0.85, strong=curve.key == self.highlighted)
        painter.setFont(font)
        painter.setPen(frame.theme.colour("ink"))
        words = QFontMetricsF(font).elidedText(curve.label, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, words)

    def placed(self, frame: Frame, height: float) -> list[EndLabel]:
        """Names of the curves that leave the axes at the right, top to bottom, at least `height` pixels apart."""
        ends = self._ends(frame, early=False)
        most = max(0, int((frame.rect.height() + height) // height))
        if len(ends) > most:
            ends.sort(key=self._is_in_hand, reverse=True)
            ends = ends[:most]
        ends.sort(key=_height_of)
        rows = spread([end.y() for _, end in ends], height, frame.rect.top(), frame.rect.bottom())
        return [EndLabel(curve, y, end) for (curve, end), y in zip(ends, rows, strict=True)]

    def _ends(self, frame: Frame, *, early: bool) -> list[tuple[PlotCurve, QPointF]]:
        """Ends of the curves in sight: of those that end within the axes, or of the others."""
        found = []
        for curve in self._curves():
            at = _last_in_sight(curve, frame)
            if at is not None and curve.emphasis != "crowd" and (at.x() < frame.rect.right() - EARLY) == early:
                found.append((curve, at))
        return found

    def _is_in_hand(self, entry: tuple[PlotCurve, QPointF]) -> bool:
        return entry[0].key == self.highlighted


def _height_of(entry: tuple[PlotCurve, QPointF]) -> float:
    return entry[1].y()


def _last_in_sight(curve: PlotCurve, frame: Frame) -> QPointF | None:
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


def spread(wanted: Sequence[float], apart: float, low: float, high: float) -> list[float]:
    """Places as near as can be to those `wanted` (ascending), at least `apart` from each other, within [low, high].

    Neighbours that are too near are put around the middle of what they want, as often as it takes. More than fit are
    put at equal distances.

    Examples
    --------
    >>> spread([10, 11, 50], 10, 0.0, 100.0), spread([1, 2], 10, 0.0, 100.0)
    ([5.5, 15.5, 50.0], [0.0, 10.0])
    """
    groups: list[tuple[float, int]] = []  # middle of what the members want, how many they are
    for want in wanted:
        middle, count = float(want), 1
        while groups and _begin(groups[-1], apart, low, high) + groups[-1][1] * apart > _begin(
            (middle, count), apart, low, high
        ):
            before, more = groups.pop()
            middle, count = (before * more + middle * count) / (more + count), more + count
        groups.append((middle, count))
    return [_begin(group, apart, low, high) + number * apart for group in groups for number in range(group[1])]


def _begin(group: tuple[float, int], apart: float, low: float, high: float) -> float:
    middle, count = group
    length = (count - 1) * apart
    return max(low, min(middle - length / 2, high - length))


class Samples:
    """The layer of what is no line: lone samples, markers along lines, measured points with their intervals."""

    def __init__(self, curves: Curves) -> None:
        self._curves = curves
        self.highlighted: str | None = None

    def paint(self, painter: QPainter, frame: Frame) -> None:
        """See `Layer`."""
        painter.setClipRect(frame.rect.adjusted(-DOT, -DOT, DOT, DOT))
        for curve in self._curves():
            if curve.emphasis == "crowd":
                continue
            if curve.spread is not None and curve.key == self.highlighted:
                _draw_intervals(painter, frame, curve)
            painter.setPen(QPen(frame.theme.colour("surface"), 1.0))
            painter.setBrush(curve.shade)
            for place in marked_samples(curve, frame).tolist():
                at = frame.point(float(curve.x[place]), float(curve.y[place]))
                draw_marker(painter, at, curve.marker or "circle", DOT)


def marked_samples(curve: PlotCurve, frame: Frame) -> np.ndarray:
    """Places of the samples that get a marker: all of them, the lone ones, or some `APART` along the line."""
    finite = np.flatnonzero(np.isfinite(curve.y) & np.isfinite(curve.x))
    if curve.dotted:
        return finite
    if not curve.marker or not len(finite):
        return curve.lone
    columns = np.floor(frame.x_at(curve.x[finite]) / APART)
    first = np.append(True, columns[1:] != columns[:-1])
    return np.union1d(finite[first], curve.lone)


def _draw_intervals(painter: QPainter, frame: Frame, curve: PlotCurve) -> None:
    assert curve.spread is not None
    painter.setPen(QPen(curve.shade, 1.2))
    for x, low, high in zip(curve.x.tolist(), *curve.spread.tolist(), strict=True):
        if np.isfinite(low) and np.isfinite(high):
            painter.drawLine(frame.point(x, low), frame.point(x, high))
            for end in (low, high):
                at = frame.point(x, end)
                painter.drawLine(at - QPointF(3, 0), at + QPointF(3, 0))
