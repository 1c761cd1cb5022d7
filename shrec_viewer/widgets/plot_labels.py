"""Names of curves at their ends, so that nobody has to look them up in a legend; and what marks single samples."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPen

from shrec_viewer.widgets.plot_curve import PlotCurve, line_pen
from shrec_viewer.widgets.plot_frame import Frame
from shrec_viewer.widgets.plot_marks import DOT, draw_marker
from shrec_viewer.widgets.theme import SPACE, text_font

LEADER = 10
"""Pixels between the axes and the names, in which a line leads from the curve's end to its name."""

SWATCH = 7
"""Pixels of the curve's line before its name: ends lie close together, and leaders are grey so as not to be data."""

LONGEST, SHORTEST = 84, 34
"""Pixels after which a name is cut, as more would take the room of the curves, and to which it may be cut at most, as
less than five letters say nothing."""

SHARE = 0.23
"""Of a plot's width, what names at its side may take: five letters from 260 pixels on, long names on a wide screen."""

MOST = 6
"""Names at the side at most: more is a second legend, and a worse one."""

NEAR = 0.8
"""Lines of text by which a name may stand off the end of its curve; the legend has those that would be farther off."""

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
    """The layer of names: of the curve in hand and of the highest ones, as far as they can stand beside their ends."""

    def __init__(self, curves: Curves) -> None:
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
        beside = LEADER + SWATCH + 2 * SPACE
        longest = min(max(metrics.horizontalAdvance(curve.label) for curve in curves), LONGEST)
        width = min(longest, SHARE * room - beside)
        return math.ceil(width) + beside if width >= min(longest, SHORTEST) else 0

    def paint(self, painter: QPainter, frame: Frame) -> None:
        """See `Layer`."""
        if not self.shown:
            return
        metrics = QFontMetricsF(text_font(frame.font, 0.85))
        height = metrics.height() - 1
        for label in self.placed(frame, height):
            x = frame.rect.right() + LEADER
            painter.setPen(QPen(frame.theme.colour("line_strong"), 1.0))
            painter.drawLine(QPointF(frame.rect.right() + 1, label.end.y()), QPointF(x - 1, label.y))
            painter.setPen(line_pen(label.curve.shade, 2.0, "solid"))
            painter.drawLine(QPointF(x, label.y), QPointF(x + SWATCH, label.y))
            left = x + SWATCH + SPACE / 2
            self._write(
                painter, frame, label.curve, QRectF(left, label.y - height / 2, frame.whole.right() - left, height)
            )
        taken: list[QRectF] = []
        for curve, end in sorted(self._ends(frame, early=True), key=self._by_weight):
            width = min(metrics.horizontalAdvance(curve.label), LONGEST) + 2
            box = QRectF(end.x() + 1.5 * SPACE, end.y() - height / 2, width, height)
            box.moveRight(min(box.right(), frame.rect.right()))
            if len(taken) < MOST and not any(box.intersects(other) for other in taken):
                taken.append(box)
                self._write(painter, frame, curve, box)

    def _write(self, painter: QPainter, frame: Frame, curve: PlotCurve, room: QRectF) -> None:
        font = text_font(frame.font, 0.85, strong=curve.key == self.highlighted)
        painter.setFont(font)
        painter.setPen(frame.theme.colour("ink"))
        words = QFontMetricsF(font).elidedText(curve.label, Qt.TextElideMode.ElideMiddle, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, words)

    def placed(self, frame: Frame, height: float) -> list[EndLabel]:
        """Names of curves that leave the axes at the right, top to bottom, each within `NEAR` lines of its end.

        The curve in hand has the first choice, then the higher ones.
        """
        found: list[EndLabel] = []
        for curve, end in sorted(self._ends(frame, early=False), key=self._by_weight):
            y = free_row(end.y(), [(label.end.y(), label.y) for label in found], height, NEAR * height)
            if y is not None and frame.rect.top() - height / 2 <= y <= frame.rect.bottom() + height / 2:
                found.append(EndLabel(curve, y, end))
            if len(found) == MOST:
                break
        return sorted(found, key=_row_of)

    def _ends(self, frame: Frame, *, early: bool) -> list[tuple[PlotCurve, QPointF]]:
        """Ends of the curves in sight: of those that end within the axes, or of the others."""
        found = []
        for curve in self._curves():
            at = _last_in_sight(curve, frame)
            if at is not None and curve.emphasis != "crowd" and (at.x() < frame.rect.right() - EARLY) == early:
                found.append((curve, at))
        return found

    def _by_weight(self, entry: tuple[PlotCurve, QPointF]) -> tuple[bool, float]:
        return entry[0].key != self.highlighted, entry[1].y()


def _row_of(label: EndLabel) -> float:
    return label.y


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


def free_row(end: float, taken: Sequence[tuple[float, float]], apart: float, near: float) -> float | None:
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
