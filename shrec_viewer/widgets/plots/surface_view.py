"""Drawing of a surface of precision over recall and generality, which the mouse and the arrow keys rotate."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from shrec_viewer.charts.surface import Surface
from shrec_viewer.widgets.controls.plain_text import set_tooltip
from shrec_viewer.widgets.style.painted import ARROW_STEPS, PaintedWidget
from shrec_viewer.widgets.style.theme import SPACE, text_font

#: Azimuth and elevation in degrees: recall to the right, generality to the back, precision up.
DEFAULT_ANGLES = (-38.0, 24.0)

#: Elevation in degrees beyond which the surface would be seen from above only.
MAX_ELEVATION = 85.0

#: Rotation of a mouse drag: half a turn for the width of a small panel.
DEGREES_PER_PIXEL = 0.4

#: Rotation in degrees of an arrow key.
KEY_STEP = 5.0

#: Share of the widget's width and height left free for the axis labels on each side.
MARGIN = 0.12

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
        azimuth, elevation = map(math.radians, self.angles)
        across, back, height = (np.asarray(values, np.float64) - 0.5 for values in (x, y, z))
        right = across * math.cos(azimuth) - back * math.sin(azimuth)
        away = across * math.sin(azimuth) + back * math.cos(azimuth)
        up = height * math.cos(elevation) + away * math.sin(elevation)
        depth = away * math.cos(elevation) - height * math.sin(elevation)
        # The box is at most 1.42 wide and 1.73 high when rotated.
        scale_x = self.width() * (1 - 2 * MARGIN) / 1.42
        scale_y = self.height() * (1 - 2 * MARGIN) / 1.42
        return self.width() / 2 + right * scale_x, self.height() / 2 - up * scale_y, depth

    def _depth_share(self, doublings: ArrayLike) -> FloatArray:
        """Y of -log2 g in the unit box."""
        assert self.data is not None
        last = float(self.data.doublings[-1])
        return np.asarray(doublings, np.float64) / (last if last > 0 else 1.0)

    # Qt overrides.

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint floor, surface, lines and labels."""
        painter = self.start_painting()
        if self.data is None or not len(self.data.doublings):
            return
        self._paint_floor(painter)
        self._paint_surface(painter, self.data)
        self._paint_lines(painter, self.data)
        self._paint_labels(painter, self.data)

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
        for share in self._depth_share(np.arange(math.floor(self.data.doublings[-1]) + 1.0)):
            painter.drawPolyline(self._polyline(ends, np.full(2, share), np.zeros(2)))
        painter.setPen(QPen(self._theme.colour("line_strong"), 1.0))
        x, y = self._vertical_edge()
        painter.drawPolyline(self._polyline(np.full(2, x), np.full(2, y), ends))

    def _vertical_edge(self) -> tuple[float, float]:
        """X and y of the leftmost vertical edge of the box."""
        corners = [(x, y) for x in (0.0, 1.0) for y in (0.0, 1.0)]
        right = [float(self.project(x, y, 0.0)[0]) for x, y in corners]
        return corners[int(np.argmin(right))]

    def _paint_surface(self, painter: QPainter, data: Surface) -> None:
        """Quadrilaterals between adjacent points, the farthest first, more opaque for higher precision."""
        y = np.broadcast_to(self._depth_share(data.doublings)[:, None], data.recall.shape)
        right, down, depth = self.project(data.recall, y, data.precision)

        def corners(values: FloatArray) -> FloatArray:
            return np.stack([values[:-1, :-1], values[:-1, 1:], values[1:, 1:], values[1:, :-1]], axis=-1)

        rights, downs, heights = (corners(values).reshape(-1, 4) for values in (right, down, data.precision))
        order = np.argsort(-corners(depth).reshape(-1, 4).mean(axis=1))
        painter.setPen(QPen(self._theme.colour("line_strong", 0.6), 1.0))
        for index in order[np.isfinite(rights[order]).all(axis=1)].tolist():
            points = zip(rights[index].tolist(), downs[index].tolist(), strict=True)
            painter.setBrush(self._theme.colour("accent", 0.12 + 0.5 * float(heights[index].mean())))
            painter.drawPolygon(QPolygonF([QPointF(*point) for point in points]))
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _paint_lines(self, painter: QPainter, data: Surface) -> None:
        """Recall = precision over generality, chance on that plane, and the highlighted generality."""
        y = self._depth_share(data.doublings)
        chance = np.exp2(-data.doublings)
        painter.setPen(QPen(self._theme.colour("muted"), 1.0, Qt.PenStyle.DashLine))
        painter.drawPolyline(self._polyline(chance, y, chance))
        painter.setPen(QPen(self._theme.colour("ink"), 2.0))
        painter.drawPolyline(self._polyline(data.recall[:, data.diagonal], y, data.precision[:, data.diagonal]))
        if data.level is not None:
            row = float(np.interp(data.level, data.doublings, np.arange(len(data.doublings))))
            below = int(row)
            above, share = min(below + 1, len(data.doublings) - 1), row - below
            x, z = ((1 - share) * values[below] + share * values[above] for values in (data.recall, data.precision))
            painter.setPen(QPen(self._theme.colour("accent"), 2.5))
            painter.drawPolyline(self._polyline(x, np.full(len(x), float(self._depth_share(data.level))), z))

    def _paint_labels(self, painter: QPainter, data: Surface) -> None:
        """Ticks and titles at the lower front edges and at the leftmost vertical edge."""
        painter.setFont(text_font(self.font(), 0.85))
        painter.setPen(self._theme.colour("muted"))
        azimuth = math.radians(self.angles[0])
        front_y = 0.0 if math.cos(azimuth) >= 0 else 1.0
        front_x = 0.0 if math.sin(azimuth) >= 0 else 1.0
        for recall in (0.0, 0.5, 1.0):
            self._draw_text(painter, f"{recall:g}", recall, front_y, 0.0)
        self._draw_text(painter, "Recall", 0.25, front_y, 0.0, lines=2.2)
        last = math.floor(float(data.doublings[-1]))
        away = 1.0 if self.project(front_x, 0.5, 0.0)[0] > self.width() / 2 else -1.0  # labels outside of the box
        for level in range(0, last + 1, max(1, last // 4)):
            text = "g = 1" if level == 0 else f"1/{2**level:,}"
            share = float(self._depth_share(level))
            self._draw_text(painter, text, front_x, share, 0.0, lines=0.2, columns=3.5 * away)
        self._draw_text(painter, "Generality g", front_x, 0.5, 0.0, lines=2.0, columns=9.0 * away)
        x, y = self._vertical_edge()
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
