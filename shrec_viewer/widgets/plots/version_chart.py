"""Small chart of a value over the versions of a run."""

import math
from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QMouseEvent, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from shrec_viewer.number_format import format_fixed, format_value
from shrec_viewer.widgets.style.painted import PaintedWidget
from shrec_viewer.widgets.style.text import RIGHT, put_text
from shrec_viewer.widgets.style.theme import SPACE, text_font

#: Height of the chart in pixels.
CHART_HEIGHT = 84

#: Radius of a point in pixels.
POINT_RADIUS = 4.0

#: Horizontal and vertical distance in pixels, added, within which the mouse picks a point.
PICK_DISTANCE = 4 * POINT_RADIUS

#: Decimals of the values at the ends of the scale, at most; versions that differ less are noise.
MAX_DECIMALS = 6


class VersionChart(PaintedWidget):
    """Line through the values of the versions, oldest at the left; undefined values are gaps.

    Signals
    -------
    point_picked(int)
        A point was clicked: its index.
    """

    point_picked = Signal(int)
    preferred_size = QSize(320, CHART_HEIGHT)
    smallest_size = QSize(80, CHART_HEIGHT)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._values: tuple[float, ...] = ()
        self._ends: tuple[float, float] | None = None  # lowest and highest value; None if all are undefined
        self._end_labels: tuple[str, ...] = ()
        self._current = self._baseline = -1
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Values of the versions")

    def set_values(self, values: Sequence[float], current: int = -1, baseline: int = -1) -> None:
        """Show these values; `current` and `baseline` are indices, -1 for none."""
        self._values, self._current, self._baseline = tuple(values), current, baseline
        defined = [value for value in self._values if not math.isnan(value)]
        self._ends = (min(defined), max(defined)) if defined else None
        self._end_labels = () if self._ends is None else _end_labels(*self._ends)
        ends = f", {' to '.join(self._end_labels)}" if defined else ""
        self.setAccessibleName(f"Values of {len(self._values)} versions{ends}")
        self.update()

    def set_current(self, index: int) -> None:
        """Mark a point; -1 for none. Does not emit."""
        self._current = index
        self.update()

    def points(self) -> list[QPointF | None]:
        """Position of each value; None for undefined ones."""
        if self._ends is None:
            return [None] * len(self._values)
        low, high = self._ends
        box = self._box()
        step = box.width() / max(len(self._values) - 1, 1)
        found: list[QPointF | None] = []
        for index, value in enumerate(self._values):
            share = 0.5 if high == low else (value - low) / (high - low)
            x = box.center().x() if len(self._values) == 1 else box.left() + index * step
            found.append(None if math.isnan(value) else QPointF(x, box.bottom() - share * box.height()))
        return found

    def _box(self) -> QRectF:
        metrics = QFontMetricsF(text_font(self.font(), 0.85))
        left = max(map(metrics.horizontalAdvance, ("0.000", *self._end_labels))) + 4 * SPACE
        return QRectF(self.rect()).adjusted(left, 3 * SPACE, -4 * SPACE, -3 * SPACE)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the scale, the line of the baseline, the line and the points."""
        painter = self.start_painting()
        points = self.points()
        if self._ends is None:
            return
        box, font = self._box(), text_font(self.font(), 0.85)
        painter.setFont(font)
        height = QFontMetricsF(font).height()
        low, high = self._end_labels
        labels = {box.bottom(): low, box.top(): high}
        if self._ends[0] == self._ends[1]:
            labels = {box.center().y(): low}
        for y, text in labels.items():
            label = QRectF(0, y - height / 2, box.left() - 2 * SPACE, height)
            put_text(painter, label, text, self._theme.colour("muted"), RIGHT)
        if 0 <= self._baseline < len(points) and (base := points[self._baseline]) is not None:
            painter.setPen(QPen(self._theme.colour("line_strong"), 1, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(box.left(), base.y()), QPointF(box.right(), base.y()))
        painter.setPen(QPen(self._theme.colour("accent"), 1.5))
        part: list[QPointF] = []
        for point in [*points, None]:
            if point is not None:
                part.append(point)
            elif part:
                painter.drawPolyline(QPolygonF(part))
                part = []
        for index, point in enumerate(points):
            if point is None:
                continue
            is_current = index == self._current
            painter.setPen(QPen(self._theme.colour("accent"), 1.5))
            painter.setBrush(self._theme.colour("accent" if is_current else "surface"))
            radius = POINT_RADIUS + (1 if is_current else 0)
            painter.drawEllipse(point, radius, radius)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Pick the point at the mouse."""
        found = [
            ((point - event.position()).manhattanLength(), index)
            for index, point in enumerate(self.points())
            if point is not None
        ]
        if event.button() == Qt.MouseButton.LeftButton and found and min(found)[0] <= PICK_DISTANCE:
            self.point_picked.emit(min(found)[1])


def _end_labels(low: float, high: float) -> tuple[str, str]:
    """Texts of the ends of the scale, with as many decimals as they need to differ."""
    found = format_value(low), format_value(high)
    for decimals in range(4, MAX_DECIMALS + 1):
        if low == high or found[0] != found[1]:
            break
        found = format_fixed(low, decimals), format_fixed(high, decimals)
    return found
