"""Drawing of a surface of precision over recall and generality, which the mouse and the arrow keys rotate."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from shrec_viewer.charts.surface import (
    DEFAULT_ANGLES,
    Surface,
    SurfaceLine,
    front_edges,
    project,
    vertical_edge,
)
from shrec_viewer.widgets.controls.plain_text import set_tooltip
from shrec_viewer.widgets.plots.curves import line_pen
from shrec_viewer.widgets.style.painted import ARROW_STEPS, PaintedWidget
from shrec_viewer.widgets.style.theme import SPACE, text_font

#: Elevation in degrees beyond which the surface would be seen from above only.
MAX_ELEVATION = 85.0

#: Rotation of a mouse drag: half a turn for the width of a small panel.
DEGREES_PER_PIXEL = 0.4

#: Rotation in degrees of an arrow key.
KEY_STEP = 5.0

#: Share of the widget's width and height left free for the axis labels on each side.
MARGIN = 0.12

PLANE_OPACITY = 0.12

FloatArray = NDArray[np.float64]


class SurfaceView(PaintedWidget):
    """Orthographic drawing of a `Surface`; drag or arrow keys rotate it, double click and Home reset the view.

    Attributes
    ----------
    angles : azimuth and elevation in degrees.
    data : the surface that is shown, or None.
    """

    preferred_size = QSize(320, 260)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.data: Surface | None = None
        self.angles = DEFAULT_ANGLES
        self._drag: QPointF | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        set_tooltip(self, "Drag or arrow keys: rotate. Double click or Home: reset the view.")
        self.setAccessibleName("Surface of precision over recall and generality")

    def set_surface(self, data: Surface | None) -> None:
        """Show this surface; None for none."""
        self.data = data
        self.setAccessibleDescription("" if data is None else data.title)
        self.update()

    def rotate(self, azimuth: float, elevation: float) -> None:
        """Rotate by these angles in degrees."""
        turned, raised = self.angles[0] + azimuth, self.angles[1] + elevation
        self.angles = ((turned + 180.0) % 360.0 - 180.0, min(max(raised, 0.0), MAX_ELEVATION))
        self.update()

    def reset_view(self) -> None:
        """Return to the default angles."""
        self.angles = DEFAULT_ANGLES
        self.update()

    # Projection. The box is [0, 1] in recall (x), generality (y, to the back) and precision (z, up).

    def project(self, x: ArrayLike, y: ArrayLike, z: ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Pixels (right, down) of points in the unit box, and their distance from the viewer up to a constant."""
        right, up, depth = project(x, y, z, self.angles)
        return *self._pixels(right, up), depth

    def _pixels(self, right: FloatArray, up: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Pixels to the right and down of projected points."""
        # The box is at most 1.42 wide and 1.73 high when rotated.
        scale_x = self.width() * (1 - 2 * MARGIN) / 1.42
        scale_y = self.height() * (1 - 2 * MARGIN) / 1.42
        return self.width() / 2 + right * scale_x, self.height() / 2 - up * scale_y

    # Qt overrides.

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint floor, surface, lines and labels."""
        painter = self.start_painting()
        if self.data is None or not len(self.data.doublings):
            return
        self._paint_floor(painter)
        planes = [line for line in self.data.lines if line.filled]
        self._paint_lines(painter, self.data, planes)
        self._paint_surface(painter, self.data)
        self._paint_lines(painter, self.data, [line for line in self.data.lines if not line.filled])
        self._paint_labels(painter, self.data)
        self._paint_legend(painter, self.data)
        self.draw_focus_ring(painter)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin to rotate with the left button."""
        self._drag = event.position() if event.button() == Qt.MouseButton.LeftButton else None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Rotate by the movement of the mouse."""
        if self._drag is not None:
            moved = event.position() - self._drag
            self._drag = event.position()
            self.rotate(-moved.x() * DEGREES_PER_PIXEL, moved.y() * DEGREES_PER_PIXEL)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End the rotation."""
        self._drag = None

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Show the surface from the initial direction."""
        self.reset_view()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Rotate with the arrow keys."""
        step = ARROW_STEPS.get(Qt.Key(event.key()))
        if step is not None:
            self.rotate(step[1] * KEY_STEP, -step[0] * KEY_STEP)
        elif event.key() == Qt.Key.Key_Home:
            self.reset_view()
        else:
            super().keyPressEvent(event)

    # Painting.

    def _polyline(self, x: ArrayLike, y: ArrayLike, z: ArrayLike) -> QPolygonF:
        right, down, _ = self.project(x, y, z)
        keep = np.isfinite(right) & np.isfinite(down)
        return QPolygonF([QPointF(*point) for point in zip(right[keep].tolist(), down[keep].tolist(), strict=True)])

    def _paint_floor(self, painter: QPainter) -> None:
        """The grid at precision 0, and the box edges behind the surface."""
        assert self.data is not None
        painter.setPen(QPen(self._theme.colour("line"), 1.0))
        ends = np.array([0.0, 1.0])
        for recall in (0.0, 0.25, 0.5, 0.75, 1.0):
            painter.drawPolyline(self._polyline(np.full(2, recall), ends, np.zeros(2)))
        for share in self.data.back(np.arange(math.floor(self.data.doublings[-1]) + 1.0)):
            painter.drawPolyline(self._polyline(ends, np.full(2, share), np.zeros(2)))
        painter.setPen(QPen(self._theme.colour("line_strong"), 1.0))
        x, y = vertical_edge(self.angles)
        painter.drawPolyline(self._polyline(np.full(2, x), np.full(2, y), ends))

    def _paint_surface(self, painter: QPainter, data: Surface) -> None:
        """The faces of the surface, more opaque for higher precision."""
        rights, ups, heights = data.faces(self.angles)
        rights, downs = self._pixels(rights, ups)
        painter.setPen(QPen(self._theme.colour("line_strong", 0.6), 1.0))
        for right, down, height in zip(rights.tolist(), downs.tolist(), heights.tolist(), strict=True):
            painter.setBrush(self._theme.colour("accent", 0.12 + 0.5 * height))
            painter.drawPolygon(QPolygonF([QPointF(*point) for point in zip(right, down, strict=True)]))
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _pen(self, line: SurfaceLine) -> QPen:
        return line_pen(self._theme.colour(line.token), line.width, line.dash)

    def _paint_lines(self, painter: QPainter, data: Surface, lines: Sequence[SurfaceLine]) -> None:
        """Lines and planes."""
        for line in lines:
            points = self._polyline(line.recall, data.back(line.doublings), line.precision)
            painter.setPen(self._pen(line))
            if line.filled:
                painter.setBrush(self._theme.colour(line.token, PLANE_OPACITY))
                painter.drawPolygon(points)
                painter.setBrush(Qt.BrushStyle.NoBrush)
            else:
                painter.drawPolyline(points)

    def _paint_legend(self, painter: QPainter, data: Surface) -> None:
        """Names of the lines and planes, in the upper right corner."""
        metrics = painter.fontMetrics()
        sample = 2.5 * metrics.height()
        width = max((metrics.horizontalAdvance(line.label) for line in data.lines), default=0) + sample + 2 * SPACE
        for row, line in enumerate(data.lines):
            top, left = row * metrics.height() + SPACE, self.width() - width - SPACE
            middle = top + metrics.height() / 2
            if line.filled:
                box = QRectF(left, middle - metrics.height() / 4, sample, metrics.height() / 2)
                painter.fillRect(box, self._theme.colour(line.token, 2 * PLANE_OPACITY))
            else:
                painter.setPen(self._pen(line))
                painter.drawLine(QPointF(left, middle), QPointF(left + sample, middle))
            painter.setPen(self._theme.colour("muted"))
            box = QRectF(left + sample + SPACE, top, width, metrics.height())
            painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, line.label)

    def _paint_labels(self, painter: QPainter, data: Surface) -> None:
        """Ticks and titles at the lower front edges and at the leftmost vertical edge."""
        painter.setFont(text_font(self.font(), 0.85))
        painter.setPen(self._theme.colour("muted"))
        front_x, front_y = front_edges(self.angles)
        for recall in (0.0, 0.5, 1.0):
            self._draw_text(painter, f"{recall:g}", recall, front_y, 0.0)
        self._draw_text(painter, "Recall", 0.25, front_y, 0.0, lines=2.2)
        last = math.floor(float(data.doublings[-1]))
        away = 1.0 if self.project(front_x, 0.5, 0.0)[0] > self.width() / 2 else -1.0  # labels outside of the box
        for level in range(0, last + 1, max(1, last // 4)):
            text = "g = 1" if level == 0 else f"1/{2**level:,}"
            share = float(data.back(level))
            self._draw_text(painter, text, front_x, share, 0.0, lines=0.2, columns=3.5 * away)
        self._draw_text(painter, "Generality g", front_x, 0.5, 0.0, lines=2.0, columns=9.0 * away)
        x, y = vertical_edge(self.angles)
        for precision in (0.5, 1.0):
            self._draw_text(painter, f"{precision:g}", x, y, precision, lines=-0.5, columns=-1.6)
        self._draw_text(painter, "Precision", x, y, 1.0, lines=-1.8)

    def _draw_text(
        self, painter: QPainter, text: str, x: float, y: float, z: float, *, lines: float = 0.9, columns: float = 0.0
    ) -> None:
        """Draw text so many lines below a point and so many characters to its right, within the widget."""
        right, down, _ = self.project(x, y, z)
        metrics = painter.fontMetrics()
        box = QRectF(0, 0, metrics.horizontalAdvance(text) + SPACE, metrics.height())
        box.moveCenter(QPointF(float(right) + columns * metrics.averageCharWidth(), float(down)))
        box.translate(0, lines * metrics.height())
        inside = QRectF(self.rect()).adjusted(2, 2, -2, -2)
        box.moveLeft(min(max(box.left(), inside.left()), inside.right() - box.width()))
        box.moveTop(min(max(box.top(), inside.top()), inside.bottom() - box.height()))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
