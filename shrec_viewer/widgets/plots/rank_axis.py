"""Ranks of one model in the lists of the runs, as points on a logarithmic axis."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log10

from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen

from shrec_viewer.widgets.controls.plain_text import set_tooltip
from shrec_viewer.widgets.style.painted import PaintedWidget
from shrec_viewer.widgets.style.text import CENTRE, MeasuredFont, measured_font, put_text
from shrec_viewer.widgets.style.theme import SPACE

#: Radius of a point and height of the axis in pixels.
POINT_RADIUS, AXIS_HEIGHT = 5, 6

#: Lines of text above and below the axis.
LINES = 3


@dataclass(frozen=True)
class RankPoint:
    """Rank of the model in one run, from 1, and the colour of the run."""

    run: str
    rank: int
    colour: str


class RankAxis(PaintedWidget):
    """Points at the ranks of one model; the best one is named, and all are in the tooltip."""

    def __init__(self) -> None:
        super().__init__()
        self.points: tuple[RankPoint, ...] = ()
        self._n_models, self._class_size = 1, 0

    def set_ranks(self, points: Sequence[RankPoint], n_models: int, class_size: int) -> None:
        """Show ranks in lists of `n_models` models, and a mark at the number of relevant ones."""
        self.points = tuple(sorted(points, key=lambda point: point.rank))
        self._n_models, self._class_size = max(n_models, 2), class_size
        text = ", ".join(f"{point.run} {point.rank:,}" for point in self.points)
        self.setAccessibleName(f"Ranks: {text}" if text else "In no list")
        set_tooltip(self, text)
        self.update()

    def sizeHint(self) -> QSize:
        """Qt override."""
        return QSize(200, self._height())

    def minimumSizeHint(self) -> QSize:
        """Qt override."""
        return QSize(80, self._height())

    def _height(self) -> int:
        return round(LINES * measured_font(self.font(), 0.85).height) + AXIS_HEIGHT + 2 * SPACE

    def paintEvent(self, event: QPaintEvent) -> None:
        """Qt override."""
        painter, theme = self.start_painting(), self._theme
        small = measured_font(self.font(), 0.85)
        painter.setFont(small.font)
        y = 2 * small.height + SPACE + AXIS_HEIGHT / 2
        left, right = small.width("1") + POINT_RADIUS, self.width() - small.width("1,000") / 2 - POINT_RADIUS
        scale = (right - left) / log10(self._n_models)

        def at(rank: int) -> float:
            return left + scale * log10(max(rank, 1))

        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("sunken"))
        painter.drawRoundedRect(QRectF(left, y - AXIS_HEIGHT / 2, right - left, AXIS_HEIGHT), 3, 3)
        tick = 1
        while tick <= self._n_models:
            below = QRectF(at(tick) - 40, y + AXIS_HEIGHT, 80, small.height)
            put_text(painter, below, f"{tick:,}", theme.colour("muted"), CENTRE)
            tick *= 10
        if self._class_size:
            painter.setPen(QPen(theme.colour("ink"), 1, Qt.PenStyle.DotLine))
            painter.drawLine(QLineF(at(self._class_size), y - 2 * SPACE - AXIS_HEIGHT, at(self._class_size), y + SPACE))
            self._put_above(painter, f"class size {self._class_size:,}", at(self._class_size), 0, small)
        for point in reversed(self.points):  # the best one is on top
            painter.setPen(QPen(theme.colour("surface"), 1))
            painter.setBrush(QColor(point.colour))
            painter.drawEllipse(QPointF(at(point.rank), y), POINT_RADIUS, POINT_RADIUS)
        if self.points:
            best = self.points[0]
            self._put_above(painter, f"{best.run} {best.rank:,}", at(best.rank), 1, small)
        painter.end()

    def _put_above(self, painter: QPainter, text: str, x: float, line: int, font: MeasuredFont) -> None:
        """Paint a text above the axis, within the widget."""
        width = font.width(text) + 2
        start = min(max(x - width / 2, 0.0), self.width() - width)
        box = QRectF(start, line * font.height, width, font.height)
        put_text(painter, box, text, self._theme.colour("ink"), CENTRE)
