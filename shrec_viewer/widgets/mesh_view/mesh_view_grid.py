"""Several mesh views under one camera, side by side or one at a time, with tool bar and keys."""

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QImage, QKeyEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from shrec_viewer.charts.mesh_pane import MeshPane
from shrec_viewer.render.scene.camera import VIEWS, Camera
from shrec_viewer.widgets.controls.controls import override_shortcut
from shrec_viewer.widgets.controls.layouts import column_of, row_of
from shrec_viewer.widgets.controls.plain_text import PlainLabel
from shrec_viewer.widgets.mesh_view.actions import (
    CUT_STEP,
    MeshViewToolBar,
    action_for_key,
    rotation_for_key,
    zoom_for_key,
)
from shrec_viewer.widgets.mesh_view.mesh_view import MIN_VIEW_SIZE, MeshView
from shrec_viewer.widgets.mesh_view.value_scale import ValueScaleBar, draw_legend
from shrec_viewer.widgets.style.text import measured_font
from shrec_viewer.widgets.style.theme import SPACE, current_theme


class UpAxisPrompt(QWidget):
    """Bar with a suggestion until it is accepted or declined.

    Signals
    -------
    accepted(), declined()
        The suggestion was accepted or declined.
    """

    accepted = Signal()
    declined = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._label = PlainLabel(wraps=True)
        self._label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._accept, self._decline = QPushButton("Rotate to upright"), QPushButton("Keep as is")
        self._accept.clicked.connect(self.accepted)
        self._decline.clicked.connect(self.declined)
        margins = (2 * SPACE, SPACE, 2 * SPACE, SPACE)
        self.setLayout(row_of((self._label, 1), self._accept, self._decline, margins=margins))
        self.hide()

    @property
    def text(self) -> str:
        """Text of the suggestion; "" for none."""
        return self._label.text()

    def set_prompt(self, text: str) -> None:
        """Show a suggestion; "" for none."""
        self._label.setText(text)
        self.setVisible(bool(text))


class MeshViewGrid(QWidget):
    """Mesh views with a common camera; the owner renders images of the sizes in `sizes`.

    Attributes
    ----------
    camera : camera of all views.
    scale_bar : choice and legend of the quantity that colours the models.

    Signals
    -------
    camera_moved(Camera)
        The camera of all views was moved, by mouse, key or button.
    action_requested(name)
        Action of `MESH_VIEW_ACTIONS` that neither moves the camera nor changes the view shown.
    dropped(pane, id)
        A card was dropped on a view.
    sizes_changed()
        Images of another size or view are needed.
    clicked(pane, place)
        The image of a view was clicked; see `MeshView.clicked`.
    hovered(pane, place)
        The pointer is at a place of an image, or beside it; see `MeshView.hovered`.
    """

    camera_moved = Signal(object)
    action_requested = Signal(str)
    dropped = Signal(str, str)
    sizes_changed = Signal()
    hovered = Signal(str, object)
    clicked = Signal(str, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bar = MeshViewToolBar()
        self.scale_bar = ValueScaleBar()
        self._floor = _ViewArea()
        self._views: dict[str, MeshView] = {}
        self.camera = self._home = Camera()
        self._shown = ""
        self._is_one_at_a_time = False
        self.setLayout(column_of(self.bar, (self._floor, 1), self.scale_bar, spacing=0, margins=0))
        self._floor.resized.connect(self._lay_out)
        self.bar.action_requested.connect(self._act)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Models in 3D")

    # Contents.

    @property
    def shown(self) -> tuple[str, ...]:
        """Keys of the visible views, from left to right; one if several do not fit."""
        return (self._shown,) if self._shown and (self._is_one_at_a_time or self._is_compact()) else tuple(self._views)

    def view(self, key: str) -> MeshView:
        """The view of a key."""
        return self._views[key]

    def sizes(self) -> dict[str, tuple[int, int]]:
        """Image size in device pixels of each visible view."""
        return {key: self._views[key].pixel_size() for key in self.shown}

    def set_captions(self, captions: Sequence[MeshPane]) -> None:
        """Show these views in this order; a view keeps its image while it shows the same model."""
        keys = [caption.key for caption in captions]
        for key in set(self._views) - set(keys):
            view = self._views.pop(key)
            view.hide()
            view.deleteLater()
        for caption in captions:
            if caption.key not in self._views:
                self._views[caption.key] = self._make_view()
            self._views[caption.key].set_text(caption)
        self._views = {key: self._views[key] for key in keys}
        if self._shown not in self._views:
            self._shown = next((key for key in ("a", "query") if key in self._views), next(iter(self._views), ""))
        self._lay_out()

    def set_camera(self, camera: Camera) -> None:
        """Set the camera that mouse and keys start from."""
        self.camera = camera
        self.bar.set_on("parallel", camera.is_parallel)
        self.bar.set_on("upright", camera.up == "Z")
        self.bar.set_on("cut", bool(camera.cut))
        for view in self._views.values():
            view.set_camera(camera)

    def set_home(self, camera: Camera) -> None:
        """Set the camera of the action *Reset view*."""
        self._home = camera

    def set_pointer(self, shape: Qt.CursorShape | None) -> None:
        """Set the shape of the pointer over the images; None for the usual one."""
        if shape is None:
            self._floor.unsetCursor()
        else:
            self._floor.setCursor(shape)

    def set_one_at_a_time(self, enabled: bool) -> None:
        """Show one view at a time, or all side by side."""
        self._is_one_at_a_time = enabled
        self.bar.set_on("in_place", enabled)
        self._lay_out()

    def show_pane(self, key: str) -> None:
        """Set the view shown in the mode one at a time."""
        if key in self._views:
            self._shown = key
            self._lay_out()

    def picture(self) -> QImage:
        """Image of the visible views with captions and legend, on the background of the theme."""
        ratio, legend = self.devicePixelRatioF(), self.scale_bar.legend
        size, font = self._floor.size(), measured_font(self.font(), 0.9)
        below = 0 if legend is None else round(font.height + 3 * SPACE)
        image = QImage((size + QSize(0, below)) * ratio, QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(ratio)
        image.fill(current_theme().colour("surface"))
        painter = QPainter(image)
        for key in self.shown:
            self._views[key].render(painter, self._views[key].pos())
        if legend is not None:
            row = QRectF(2 * SPACE, size.height(), size.width() - 4 * SPACE, below - SPACE)
            draw_legend(painter, row, legend, legend.title, font, current_theme())
        painter.end()
        return image

    # Mouse and keyboard.

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Run the action of a key, or rotate or zoom the views."""
        name, turn, zoom = action_for_key(event), rotation_for_key(event), zoom_for_key(event)
        if name == "in_place" and not self.bar.is_possible(name):
            name = "flip"  # only one view fits anyway
        if name and self.bar.is_possible(name):
            self._act(name)
        elif turn is not None:
            self.camera_moved.emit(self.camera.orbited(*turn))
        elif zoom is not None:
            self.camera_moved.emit(self.camera.zoomed(zoom))
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Override shortcuts of the window that use the view's keys."""
        return override_shortcut(event, lambda key: bool(action_for_key(key))) or super().event(event)

    @Slot(str)
    def _act(self, name: str) -> None:
        if name in VIEWS:
            self.camera_moved.emit(self.camera.seen_from(name))  # type: ignore[arg-type]
        elif name == "parallel":
            self.camera_moved.emit(self.camera.with_other_projection())
        elif name == "cut":
            self.camera_moved.emit(replace(self.camera, cut="") if self.camera.cut else self.camera.cut_open())
        elif name in ("cut_back", "cut_forward"):
            self.camera_moved.emit(self.camera.cut_moved(-CUT_STEP if name == "cut_back" else CUT_STEP))
        elif name == "reset":
            self.camera_moved.emit(replace(self._home, up=self.camera.up, field_of_view=self.camera.field_of_view))
        elif name == "in_place":
            self.set_one_at_a_time(not self._is_one_at_a_time)
        elif name == "flip":
            self._flip()
        else:
            self.action_requested.emit(name)
        self.bar.set_on("cut", bool(self.camera.cut))
        self.bar.set_on("parallel", self.camera.is_parallel)  # undo the change by the click; the owner sets the state

    def _flip(self) -> None:
        """Show the next view; the first time, switch to one at a time."""
        keys = list(self._views)
        if not keys:
            return
        if self._is_one_at_a_time or self._is_compact():
            self._shown = keys[(keys.index(self._shown) + 1) % len(keys)]
            self._lay_out()
        else:
            self.set_one_at_a_time(True)

    @Slot()
    def _pick_solo(self) -> None:
        view = self.sender()
        if isinstance(view, MeshView):
            self._shown = view.text.key
            self.set_one_at_a_time(not self._is_one_at_a_time)

    @Slot()
    def _take_focus(self) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)

    @Slot(str)
    def _on_dropped(self, model: str) -> None:
        view = self.sender()
        if isinstance(view, MeshView):
            self.dropped.emit(view.text.key, model)

    @Slot(object)
    def _on_hovered(self, place: tuple[float, float] | None) -> None:
        view = self.sender()
        if isinstance(view, MeshView):
            self.hovered.emit(view.text.key, place)

    @Slot(object)
    def _on_clicked(self, place: tuple[float, float]) -> None:
        view = self.sender()
        if isinstance(view, MeshView):
            self.clicked.emit(view.text.key, place)

    def _make_view(self) -> MeshView:
        view = MeshView(self._floor)
        view.set_camera(self.camera)
        view.camera_moved.connect(self.camera_moved)
        view.pressed.connect(self._take_focus)
        view.solo_requested.connect(self._pick_solo)
        view.dropped.connect(self._on_dropped)
        view.hovered.connect(self._on_hovered)
        view.clicked.connect(self._on_clicked)
        return view

    # Layout.

    def sizeHint(self) -> QSize:
        """Preferred size of two views side by side."""
        return QSize(560, 360)

    def _is_compact(self) -> bool:
        """Whether the views would be smaller than their minimum size."""
        return any(
            rect.width() < MIN_VIEW_SIZE.width() or rect.height() < MIN_VIEW_SIZE.height()
            for rect in tile_rects(self._floor.rect(), len(self._views))
        )

    @Slot()
    def _lay_out(self) -> None:
        shown, keys = self.shown, list(self._views)
        hides = len(shown) < len(keys)
        for key, view in self._views.items():
            if key not in shown:
                view.hide()
        for key, rect in zip(shown, tile_rects(self._floor.rect(), len(shown)), strict=True):
            self._views[key].setGeometry(rect)
            self._views[key].set_count(f"{keys.index(key) + 1} of {len(keys)}" if hides else "")
            self._views[key].show()
        self.bar.set_possible("in_place", len(self._views) > 1 and (self._is_one_at_a_time or not self._is_compact()))
        self.bar.set_possible("flip", len(self._views) > 1)
        self.sizes_changed.emit()


class _ViewArea(QWidget):
    """Background of the views, with a frame while the grid that contains it has the focus."""

    resized = Signal()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.resized.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, theme, grid = QPainter(self), current_theme(), self.parentWidget()
        painter.fillRect(self.rect(), theme.colour("surface"))
        if grid is not None and grid.hasFocus():
            painter.setPen(QPen(theme.colour("accent"), 2))
            painter.drawRect(self.rect().adjusted(1, 1, -1, -1))


def tile_rects(available: QRect, count: int) -> list[QRect]:
    """Rectangles of `count` views, with the number of columns that maximises their smaller side."""
    if not count:
        return []
    available = available.adjusted(SPACE, SPACE, -SPACE, -SPACE)
    best, columns = -1.0, 1
    for n_columns in range(1, count + 1):
        rows = -(-count // n_columns)
        tile_size = min(available.width() / n_columns, available.height() / rows)
        if tile_size >= best:
            best, columns = tile_size, n_columns
    rows = -(-count // columns)
    rects = []
    for rect in range(count):
        row, column = divmod(rect, columns)
        left, right = available.width() * column // columns, available.width() * (column + 1) // columns
        top, bottom = available.height() * row // rows, available.height() * (row + 1) // rows
        rects.append(QRect(available.left() + left, available.top() + top, right - left, bottom - top))
    return rects
