"""Models as points, drawn into an image: hover, selection, lasso, zoom and thumbnails."""

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontMetricsF,
    QImage,
    QKeyEvent,
    QLinearGradient,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QPolygonF,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from shrec_viewer.charts.scatter import REST, Cloud, Scatter
from shrec_viewer.number_format import format_compact
from shrec_viewer.render.scene.palette import CIVIDIS, SERIES, map_colours, relevance_style
from shrec_viewer.widgets.style.painted import ARROW_STEPS, PaintedWidget
from shrec_viewer.widgets.style.text import CENTRE, LEFT, RIGHT, put_text
from shrec_viewer.widgets.style.theme import RADIUS, SPACE, Theme, current_preset, text_font

Drag = Literal["lasso", "rectangle", "move"]

#: Pixels between the outermost points and the border before zooming.
MARGIN = 12

#: Largest distance in pixels between the mouse and a point that it is on.
PICK_DISTANCE = 8.0

#: Points that are drawn in twice the resolution: 22 ms of processor time for 10,000; 100,000 take 46 ms without.
MAX_SMOOTH = 20_000

#: Radius of a point as a share of the mean distance between points, and its limits in pixels.
RADIUS_SHARE, RADII = 0.36, (1.2, 4.5)

#: Opacity of points of no group, and of points that are not in the lasso.
REST_OPACITY, FADED = 0.6, 0.22

ZOOM_STEP, MAX_ZOOM = 1.25, 400.0

#: Side of thumbnails at points in pixels, and the largest number of points in view that have them.
THUMBNAIL, MAX_THUMBNAILS = 44, 40


class ScatterView(PaintedWidget):
    """Draws a `Scatter`; its clouds are side by side in one scale.

    A click picks a point; a drag draws a lasso or rectangle, or moves; the wheel zooms; a double click shows all.

    Attributes
    ----------
    image_of : thumbnail of a model; None where there is none.

    Signals
    -------
    model_hovered(object)
        The model under the mouse, or None.
    model_picked(int)
        A model was clicked.
    restricted(tuple)
        A lasso was drawn around these models; () for none. What is faded is set by `set_restriction`.
    near_changed(tuple)
        The models in view, where they are so few that thumbnails are shown; else ().
    """

    model_hovered = Signal(object)
    model_picked = Signal(int)
    restricted = Signal(object)
    near_changed = Signal(object)
    preferred_size = QSize(320, 360)
    smallest_size = QSize(120, 120)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.image_of: Callable[[int], QPixmap | None] = lambda _model: None
        self._chart: Scatter | None = None
        self._drag: Drag = "lasso"
        self._current: int | None = None
        self._hovered: tuple[int, int] | None = None  # cloud and row
        self._inside: NDArray[np.bool_] | None = None  # by model
        self._near: tuple[int, ...] = ()
        self._middle, self._zoom = np.zeros(2), 1.0
        self._low, self._high = np.zeros(2), np.ones(2)
        self._pressed: tuple[int, QPointF] | None = None  # cloud and position
        self._path: list[QPointF] = []
        self._images: list[QImage] = []
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Map of models")

    def set_chart(self, chart: Scatter) -> None:
        """Show this chart; the view stays where the points are the same."""
        old, self._chart = self._chart, chart
        self.setAccessibleDescription("; ".join(f"{cloud.name}: {cloud.note}" for cloud in chart.clouds))
        if not chart.has_points_of(old):
            self._hovered = None
            self._low = np.min([cloud.points.min(axis=0) for cloud in chart.clouds], axis=0)
            self._high = np.max([cloud.points.max(axis=0) for cloud in chart.clouds], axis=0)
            self.show_all()
        self._redraw()

    def set_current(self, model: int | None) -> None:
        """Mark this model; None for none. Does not emit."""
        self._current = model
        self.update()

    def set_drag(self, drag: Drag) -> None:
        """What a drag does."""
        self._drag = drag

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        super().set_theme(theme)
        self._redraw()

    @Slot()
    def repaint_thumbnails(self, *_: object) -> None:
        """Repaint, as `image_of` has other images now."""
        self.update()

    def show_all(self) -> None:
        """Show all points."""
        self._middle, self._zoom = (self._low + self._high) / 2, 1.0
        self._redraw()

    def set_restriction(self, models: Sequence[int] | None) -> None:
        """Fade all other models; None for none. Does not emit."""
        self._inside = None
        if models is not None and self._chart is not None:
            self._inside = np.zeros(len(self._chart.names), np.bool_)
            self._inside[list(models)] = True
        self._redraw()

    def point_of(self, model: int, cloud: int = 0) -> QPointF | None:
        """Position of a model in pixels; None where the cloud does not have it."""
        assert self._chart is not None
        row = _row_of(self._chart.clouds[cloud], model)
        return None if row is None else QPointF(*self._pixels(cloud)[row].tolist())

    # Geometry: clouds have the same scale and equal boxes.

    def _box(self, cloud: int) -> QRectF:
        """Area of the points of a cloud."""
        count = 1 if self._chart is None else len(self._chart.clouds)
        width, line = self.width() / count, QFontMetricsF(self._font()).height()
        top = line + 2 * SPACE if count > 1 else 0.0
        return QRectF(cloud * width, top, width, max(self.height() - top - self._legend_height(), 1.0))

    def _scale(self) -> float:
        """Pixels of one unit."""
        box, extent = self._box(0), np.maximum(self._high - self._low, 1e-12)
        fits = np.array([box.width() - 2 * MARGIN, box.height() - 2 * MARGIN]) / extent
        return max(float(fits.min()), 1e-9) * self._zoom

    def _pixels(self, cloud: int) -> NDArray[np.float64]:
        """(n, 2) positions of the points of a cloud in pixels; y points up."""
        assert self._chart is not None
        centre = self._box(cloud).center()
        scale = self._scale() * np.array([1.0, -1.0])
        return (self._chart.clouds[cloud].points - self._middle) * scale + (centre.x(), centre.y())

    def _cloud_at(self, place: QPointF) -> int | None:
        if self._chart is None:
            return None
        return next((cloud for cloud in range(len(self._chart.clouds)) if self._box(cloud).contains(place)), None)

    def _row_at(self, place: QPointF) -> tuple[int, int] | None:
        """Cloud and row of the point at a position."""
        cloud = self._cloud_at(place)
        if cloud is None:
            return None
        away = np.hypot(*(self._pixels(cloud) - (place.x(), place.y())).T)
        row = int(away.argmin())
        return (cloud, row) if away[row] <= PICK_DISTANCE else None

    # Events.

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt override."""
        super().resizeEvent(event)
        self._redraw()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom about the mouse."""
        self._zoom_at(event.position(), ZOOM_STEP ** (event.angleDelta().y() / 120))
        event.accept()

    def _zoom_at(self, place: QPointF, factor: float) -> None:
        if (cloud := self._cloud_at(place)) is None:
            return
        centre = self._box(cloud).center()
        away = np.array([place.x() - centre.x(), centre.y() - place.y()])
        before = away / self._scale()
        self._zoom = float(np.clip(self._zoom * factor, 1.0, MAX_ZOOM))
        self._middle = self._middle + before - away / self._scale()
        if self._zoom == 1.0:
            self._middle = (self._low + self._high) / 2
        self._redraw()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a click or a drag; the middle button moves."""
        cloud = self._cloud_at(event.position())
        if cloud is not None and event.button() in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton):
            self._pressed, self._path = (cloud, event.position()), [event.position()]

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Continue a drag, else find the point under the mouse."""
        place = event.position()
        if self._pressed is None:
            found = self._row_at(place)
            if found != self._hovered:
                self._hovered = found
                self.model_hovered.emit(None if found is None else self._model_of(found))
                self.update()
        elif event.buttons() & Qt.MouseButton.MiddleButton or self._drag == "move":
            moved = place - self._path[-1]
            self._middle = self._middle + np.array([-moved.x(), moved.y()]) / self._scale()
            self._path = [*self._path[:1], place]
            self._redraw()
        else:
            self._path = [*self._path, place] if self._drag == "lasso" else _corners(self._pressed[1], place)
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Pick the point at which the mouse was pressed and released, or end the lasso."""
        if self._pressed is None:
            return
        (cloud, start), self._pressed = self._pressed, None
        path, self._path = self._path, []
        # Of the whole path: a lasso may end where it began.
        is_click = all((place - start).manhattanLength() < PICK_DISTANCE / 2 for place in (*path, event.position()))
        if event.button() == Qt.MouseButton.LeftButton and is_click:
            if (found := self._row_at(event.position())) is not None:
                self.model_picked.emit(self._model_of(found))
            elif self._inside is not None:
                self.restricted.emit(())
        elif event.button() == Qt.MouseButton.LeftButton and self._drag != "move":
            self._restrict(cloud, QPolygonF(path))
        self.update()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Show all points."""
        self.show_all()

    def leaveEvent(self, event: object) -> None:
        """No point is under the mouse."""
        if self._hovered is not None:
            self._hovered = None
            self.model_hovered.emit(None)
            self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Pick the next point by the arrow keys; plus and minus zoom, Home shows all, Escape removes the lasso."""
        key = Qt.Key(event.key())
        if key in ARROW_STEPS and self._chart is not None:
            down, right = ARROW_STEPS[key]
            self._pick_beside(np.array((right, down), np.float64))
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal, Qt.Key.Key_Minus):
            self._zoom_at(self._box(0).center(), 1 / ZOOM_STEP if key == Qt.Key.Key_Minus else ZOOM_STEP)
        elif key == Qt.Key.Key_Home:
            self.show_all()
        elif key == Qt.Key.Key_Escape and self._inside is not None:
            self.restricted.emit(())
        else:
            super().keyPressEvent(event)

    def _pick_beside(self, direction: NDArray[np.float64]) -> None:
        """Pick the nearest point in a quarter of the plane; the one nearest to the centre without a current one."""
        assert self._chart is not None
        cloud, pixels = self._chart.clouds[0], self._pixels(0)
        row = None if self._current is None else _row_of(cloud, self._current)
        centre = self._box(0).center()
        steps = pixels - ((centre.x(), centre.y()) if row is None else pixels[row])
        along = steps @ direction
        away = np.hypot(*steps.T)
        if row is not None:
            away[along < away * np.sqrt(0.5)] = np.inf
            away[row] = np.inf
        if np.isfinite(away.min()):
            self.model_picked.emit(int(cloud.models[away.argmin()]))

    def _restrict(self, cloud: int, polygon: QPolygonF) -> None:
        """Emit the models in a polygon, by a mask of its pixels: 7 ms for 100,000 points."""
        assert self._chart is not None
        mask = QImage(self.size(), QImage.Format.Format_Grayscale8)
        mask.fill(0)
        painter = QPainter(mask)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(Qt.GlobalColor.white)
        painter.drawPolygon(polygon)
        painter.end()
        filled = np.frombuffer(mask.constBits(), np.uint8).reshape(mask.height(), -1)[:, : mask.width()]
        x, y = np.floor(self._pixels(cloud)).astype(np.int64).T
        shown = (x >= 0) & (x < mask.width()) & (y >= 0) & (y < mask.height())
        shown[shown] = filled[y[shown], x[shown]] > 0
        self.restricted.emit(tuple(self._chart.clouds[cloud].models[shown].tolist()))

    def _model_of(self, place: tuple[int, int]) -> int:
        assert self._chart is not None
        return int(self._chart.clouds[place[0]].models[place[1]])

    # Painting.

    def _redraw(self) -> None:
        self._images = []
        near: tuple[int, ...] = ()
        if self._chart is not None and self._zoom > 1.0:
            found = [self._chart.clouds[cloud].models[self._is_in_view(cloud)] for cloud in range(self._n_clouds)]
            models = np.concatenate(found)
            near = tuple(models.tolist()) if len(models) <= MAX_THUMBNAILS else ()
        if near != self._near:
            self._near = near
            self.near_changed.emit(near)
        self.update()

    @property
    def _n_clouds(self) -> int:
        return 0 if self._chart is None else len(self._chart.clouds)

    def _is_in_view(self, cloud: int) -> NDArray[np.bool_]:
        box, pixels = self._box(cloud), self._pixels(cloud)
        low, high = (box.left(), box.top()), (box.right(), box.bottom())
        return np.asarray(((pixels >= low) & (pixels <= high)).all(axis=1))

    def _font(self) -> QFont:
        return text_font(self.font(), 0.92)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the points, marks, the lasso and the legend."""
        painter = QPainter(self)
        painter.setRenderHints(
            QPainter.RenderHint.Antialiasing
            | QPainter.RenderHint.TextAntialiasing
            | QPainter.RenderHint.SmoothPixmapTransform
        )
        painter.fillRect(self.rect(), self._theme.colour("surface"))
        if self._chart is None:
            return
        painter.setFont(self._font())
        if not self._images:
            self._images = [self._image(cloud) for cloud in range(self._n_clouds)]
        for cloud, image in enumerate(self._images):
            box = self._box(cloud)
            painter.drawImage(box, image)
            painter.setClipRect(box)
            self._paint_thumbnails(painter, cloud)
            self._paint_marks(painter, cloud)
            painter.setClipping(False)
            if self._n_clouds > 1:
                self._paint_title(painter, cloud)
        if len(self._path) > 1 and self._pressed is not None and self._drag != "move":
            painter.setPen(QPen(self._theme.colour("accent"), 1.5))
            painter.setBrush(self._theme.colour("accent", 0.12))
            painter.drawPolygon(QPolygonF(self._path))
        self._paint_legend(painter)
        self._paint_label(painter)
        self.draw_focus_ring(painter)

    def _image(self, cloud: int) -> QImage:
        """The points of a cloud: the last point that covers a pixel gives its colour."""
        assert self._chart is not None
        chart, one, box = self._chart, self._chart.clouds[cloud], self._box(cloud)
        ratio = self.devicePixelRatioF() * (2 if len(one.points) <= MAX_SMOOTH else 1)
        width, height = max(round(box.width() * ratio), 1), max(round(box.height() * ratio), 1)
        spacing = np.sqrt(box.width() * box.height() / len(one.points)) * np.sqrt(self._zoom)
        radius = float(np.clip(RADIUS_SHARE * spacing, *RADII)) * ratio
        above = chart.colours if chart.values is None else np.nan_to_num(chart.values, nan=-1.0)
        order = np.argsort(above[one.models], kind="stable")
        if self._inside is not None:
            order = order[np.argsort(self._inside[one.models[order]], kind="stable")]
        reach = int(np.ceil(radius))
        places = np.floor((self._pixels(cloud)[order] - (box.left(), box.top())) * ratio).astype(np.int64)
        shown = ((places >= -reach) & (places < (width + reach, height + reach))).all(axis=1)
        order, places = order[shown], places[shown] + 2 * reach  # in a buffer with a border
        across = width + 4 * reach
        owner = np.full(across * (height + 4 * reach), -1, np.int32)
        base, index = places[:, 1] * across + places[:, 0], np.arange(len(order), dtype=np.int32)
        for dy in range(-reach, reach + 1):
            for dx in range(-reach, reach + 1):
                if dx * dx + dy * dy <= radius * radius:
                    pixel = base + dy * across + dx
                    # With the maximum, as assignment alone would show earlier points above later ones.
                    owner[pixel] = np.maximum(owner[pixel], index)
        colours = np.append(self._colours(one.models[order]), np.uint32(0))  # -1: nothing
        inner = owner.reshape(-1, across)[2 * reach : 2 * reach + height, 2 * reach : 2 * reach + width]
        pixels = np.ascontiguousarray(colours[inner])
        return QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_ARGB32_Premultiplied).copy()

    def _colours(self, models: NDArray[np.int32]) -> NDArray[np.uint32]:
        """(n,) premultiplied ARGB of models."""
        assert self._chart is not None
        groups = [QColor(self.group_colour(group.token)) for group in self._chart.groups]
        table = np.array([[c.red(), c.green(), c.blue(), 255] for c in groups], np.float64)
        rgba = table[self._chart.colours[models]]
        rest = np.array([group.token == REST for group in self._chart.groups])
        alpha = np.where(rest[self._chart.colours[models]], REST_OPACITY, 1.0)
        if self._chart.values is not None:
            values = self._chart.values[models]
            known = np.isfinite(values)
            rgba[known], alpha[known] = map_colours(values[known], CIVIDIS, 0.0, self._chart.high), 1.0
        if self._inside is not None:
            alpha = np.where(self._inside[models], np.maximum(alpha, 0.9), FADED * alpha)
        red, green, blue, opacity = (np.rint(rgba * alpha[:, np.newaxis])).astype(np.uint32).T
        return np.asarray(opacity << 24 | red << 16 | green << 8 | blue, np.uint32)

    def group_colour(self, token: str) -> str:
        """Colour of a group in the theme."""
        kind, _, number = token.partition(" ")
        if kind == REST:
            return self._theme.faint
        if kind == "level":
            return relevance_style(int(number), self._theme.name, current_preset()).frame
        return SERIES[self._theme.name][int(number)]

    def _paint_thumbnails(self, painter: QPainter, cloud: int) -> None:
        if not self._near or self._chart is None:
            return
        pixels, models = self._pixels(cloud), self._chart.clouds[cloud].models
        for row in np.flatnonzero(self._is_in_view(cloud)).tolist():
            if (image := self.image_of(int(models[row]))) is not None:
                x, y = pixels[row].tolist()
                painter.drawPixmap(QRectF(x + 5, y - THUMBNAIL - 5, THUMBNAIL, THUMBNAIL).toRect(), image)

    def _paint_marks(self, painter: QPainter, cloud: int) -> None:
        """Rings of the hovered and the current model, with lines to their nearest models."""
        assert self._chart is not None
        one, pixels = self._chart.clouds[cloud], self._pixels(cloud)
        hovered = None if self._hovered is None else self._model_of(self._hovered)
        for model, token in ((self._current, "accent"), (hovered, "ink")):
            row = None if model is None else _row_of(one, model)
            if row is None or (model == self._current and token == "ink"):
                continue
            colour, start = self._theme.colour(token), QPointF(*pixels[row].tolist())
            painter.setPen(QPen(colour, 1.2))
            for end in pixels[np.searchsorted(one.models, one.neighbours[row])].tolist():
                painter.drawLine(start, QPointF(*end))
            group = self._chart.groups[self._chart.colours[model]]
            has_groups = self._chart.values is None
            painter.setBrush(QColor(self.group_colour(group.token)) if has_groups else self._theme.colour("surface"))
            painter.setPen(QPen(self._theme.colour("surface"), 4.5))
            painter.drawEllipse(start, 6.5, 6.5)
            painter.setPen(QPen(colour, 2.2))
            painter.drawEllipse(start, 6.5, 6.5)

    def _paint_title(self, painter: QPainter, cloud: int) -> None:
        assert self._chart is not None
        box, name = self._box(cloud), self._chart.clouds[cloud].name
        place = QRectF(box.left() + 2 * SPACE, 0, box.width() - 4 * SPACE, box.top())
        put_text(painter, place, name, self._theme.colour("ink"), elide=Qt.TextElideMode.ElideMiddle)
        if cloud:
            painter.setPen(QPen(self._theme.colour("line"), 1))
            painter.drawLine(QPointF(box.left(), 0), box.bottomLeft())

    def _paint_label(self, painter: QPainter) -> None:
        """Name and thumbnail of the hovered model, within the widget."""
        if self._hovered is None or self._chart is None or self._pressed is not None:
            return
        model, metrics = self._model_of(self._hovered), QFontMetricsF(painter.font())
        text, image = self._chart.text(model), self.image_of(model)
        text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, self.width() - 6 * SPACE)
        side = 0 if image is None else 2 * THUMBNAIL
        width = max(metrics.horizontalAdvance(text) + 4 * SPACE, side + 2 * SPACE)
        height = metrics.height() + 2 * SPACE + (side + SPACE if side else 0)
        x, y = self._pixels(self._hovered[0])[self._hovered[1]].tolist()
        left = x + 3 * SPACE if x + 3 * SPACE + width <= self.width() else x - 3 * SPACE - width
        box = QRectF(min(max(left, 0.0), self.width() - width), min(max(y - height / 2, 0.0), self.height() - height),
                     width, height)  # fmt: skip
        painter.setPen(QPen(self._theme.colour("line_strong"), 1))
        painter.setBrush(self._theme.colour("raised"))
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)
        if image is not None:
            painter.drawPixmap(QRectF(box.center().x() - side / 2, box.top() + SPACE, side, side).toRect(), image)
        line = QRectF(box.left(), box.bottom() - metrics.height() - SPACE, width, metrics.height())
        put_text(painter, line, text, self._theme.colour("ink"), CENTRE)

    # Legend: entries in lines below the points.

    def _legend(self) -> list[list[tuple[float, float, str, str]]]:
        """Lines of (left, width of the text, text, token)."""
        metrics, left = QFontMetricsF(self._font()), 2.0 * SPACE
        lines: list[list[tuple[float, float, str, str]]] = [[]]
        for group in self._chart.groups if self._chart is not None and self._chart.values is None else ():
            available = self.width() - 7 * SPACE
            text = metrics.elidedText(group.label, Qt.TextElideMode.ElideRight, max(available, 0))
            width = metrics.horizontalAdvance(text)
            if left + width + 4 * SPACE > self.width() - 2 * SPACE and lines[-1]:
                lines, left = [*lines, []], 2.0 * SPACE
            lines[-1].append((left, width, text, group.token))
            left += width + 6 * SPACE
        return lines

    def _legend_height(self) -> float:
        if self._chart is None:
            return 0.0
        count = len(self._legend()) if self._chart.values is None else 2
        return count * (QFontMetricsF(self._font()).height() + SPACE) + SPACE

    def _paint_legend(self, painter: QPainter) -> None:
        assert self._chart is not None
        height = QFontMetricsF(painter.font()).height()
        top = self.height() - self._legend_height() + SPACE / 2
        if self._chart.values is not None:
            self._paint_scale(painter, QRectF(2 * SPACE, top, self.width() - 4 * SPACE, height))
            return
        for line in self._legend():
            for left, width, text, token in line:
                painter.setPen(Qt.PenStyle.NoPen)
                colour = QColor(self.group_colour(token))
                colour.setAlphaF(REST_OPACITY if token == REST else 1.0)
                painter.setBrush(colour)
                painter.drawEllipse(QPointF(left + SPACE, top + height / 2), 4.0, 4.0)
                place = QRectF(left + 3 * SPACE, top, width + 1, height)
                put_text(painter, place, text, self._theme.colour("muted"))
            top += height + SPACE

    def _paint_scale(self, painter: QPainter, line: QRectF) -> None:
        """The colours of values from 0 to the highest one, and their label."""
        assert self._chart is not None
        gradient = QLinearGradient(line.topLeft(), line.topRight())
        for index, colour in enumerate(CIVIDIS):
            gradient.setColorAt(index / (len(CIVIDIS) - 1), QColor(colour))
        bar = QRectF(line.left(), line.top() + SPACE, line.width(), 2 * SPACE)
        painter.fillRect(bar, QBrush(gradient))
        below = line.translated(0, line.height() + SPACE / 2)
        metrics = QFontMetricsF(painter.font())
        label = metrics.elidedText(self._chart.value_label, Qt.TextElideMode.ElideRight, line.width() - 12 * SPACE)
        high = format_compact(self._chart.high)
        for text, place in (("0", LEFT), (label, CENTRE), (high, RIGHT)):
            put_text(painter, below, text, self._theme.colour("muted"), place)


def _row_of(cloud: Cloud, model: int) -> int | None:
    row = int(np.searchsorted(cloud.models, model))
    return row if row < len(cloud.models) and cloud.models[row] == model else None


def _corners(start: QPointF, end: QPointF) -> list[QPointF]:
    return [start, QPointF(end.x(), start.y()), end, QPointF(start.x(), end.y())]
