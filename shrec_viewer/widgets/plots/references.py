"""Reference lines, areas and points of a plot, and the overlay that paints them."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen

from shrec_viewer.widgets.plots.canvas import PlotFrame
from shrec_viewer.widgets.plots.curves import draw_marker, line_pen
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
