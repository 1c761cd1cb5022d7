"""3D view panel: query, result and pinned model under one shared camera."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, Qt, QTimer, Slot
from PySide6.QtGui import QGuiApplication, QHideEvent, QShowEvent
from PySide6.QtWidgets import QDockWidget, QMainWindow, QTabBar, QVBoxLayout, QWidget

from shrec_viewer.domain import UNKNOWN_ITEM
from shrec_viewer.panels.mesh_view.image_export import ask_image_path, save_in_background
from shrec_viewer.panels.panel.panel_widget import BasePanel
from shrec_viewer.render.scene.camera import Camera
from shrec_viewer.render.scene.style import RenderStyle, Shading
from shrec_viewer.render.workers.model_readers import ModelInfo
from shrec_viewer.viewmodels.mesh_view.camera_controller import CameraController, PaneContent
from shrec_viewer.viewmodels.mesh_view.rendering import RenderResult
from shrec_viewer.viewmodels.mesh_view.scene import ANSWER, QUERY, MeshPane, MeshScene
from shrec_viewer.viewmodels.mesh_view.state import UpAxis, UpAxisVotes
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.labels import count_text
from shrec_viewer.widgets.mesh_view.mesh_view import MeshCaption
from shrec_viewer.widgets.mesh_view.mesh_view_grid import MeshViewGrid, UpAxisPrompt

WIDTH_SHARE, HEIGHT_SHARE = 0.46, 0.45
"""Shares of the window: two panes of 290 pixels on the smallest screen, and two columns of pictures left beside."""


class DockEnlarger(QObject):
    """The dock around a panel, larger for a while; a floating dock, or none, is left alone. A child of the panel.

    Parameters
    ----------
    panel : what is in the dock.
    """

    def __init__(self, panel: QWidget) -> None:
        super().__init__(panel)
        self._panel = panel
        self._former: dict[str, tuple[int, int]] = {}
        self._resize_timer = QTimer(self, interval=0, singleShot=True)
        self._resize_timer.timeout.connect(self._grow)

    def take(self) -> None:
        """Grow to a size in which one can look at models, once the dock has the size it is shown in."""
        self._resize_timer.start()

    @Slot()
    def _grow(self) -> None:
        dock, window = self._dock()
        if dock is None or window is None:
            return
        width, height = round(window.width() * WIDTH_SHARE), round(window.height() * HEIGHT_SHARE)
        if not self._former:
            self._former = {other.objectName(): _dock_extent(window, other) for other in _visible_docks(window)}
        if dock.width() < width:
            window.resizeDocks([dock], [width], Qt.Orientation.Horizontal)
        if dock.height() < height:
            window.resizeDocks([dock], [height], Qt.Orientation.Vertical)

    def give_back(self) -> None:
        """As large as before, and so are those that had to make room."""
        self._resize_timer.stop()
        _, window = self._dock()
        former, self._former = self._former, {}
        if window is None:
            return
        docks = [dock for dock in _visible_docks(window) if dock.objectName() in former]
        for place, direction in enumerate((Qt.Orientation.Horizontal, Qt.Orientation.Vertical)):
            window.resizeDocks(docks, [former[dock.objectName()][place] for dock in docks], direction)

    def _dock(self) -> tuple[QDockWidget | None, QMainWindow | None]:
        """The dock that holds the panel and the window that holds the dock."""
        widget: QWidget | None = self._panel
        while widget is not None and not isinstance(widget, QDockWidget):
            widget = widget.parentWidget()
        if not isinstance(widget, QDockWidget) or widget.isFloating():
            return None, None
        window = widget.parentWidget()
        while window is not None and not isinstance(window, QMainWindow):
            window = window.parentWidget()
        return widget, window if isinstance(window, QMainWindow) else None


def _dock_extent(window: QMainWindow, dock: QDockWidget) -> tuple[int, int]:
    """Width and height as `QMainWindow.resizeDocks` takes them: the tabs above docks in one place count."""
    bars = window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)
    titles = {bar: [bar.tabText(place) for place in range(bar.count())] for bar in bars if bar.isVisible()}
    above = max((bar.height() for bar, names in titles.items() if dock.windowTitle() in names), default=0)
    return dock.width(), dock.height() + above


def _visible_docks(window: QMainWindow) -> list[QDockWidget]:
    """Docks that stand in the window, not behind others."""
    docks = window.findChildren(QDockWidget)
    return [dock for dock in docks if not dock.isFloating() and not dock.visibleRegion().isEmpty()]


class UpAxisController(QObject):
    """Counts how the models stand and offers another axis; turns nothing that nobody asked for."""

    def __init__(
        self, session: Session, stage: CameraController, deck: MeshViewGrid, offer: UpAxisPrompt, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._orbit = session.mesh_view_state
        self._edits = session.edits
        self._stage = stage
        self._deck = deck
        self._offer = offer
        self.votes = UpAxisVotes()
        session.benchmark_changed.connect(self._start_again)
        session.mesh_view_state.up_changed.connect(self._turn)
        offer.accepted.connect(self.switch)
        offer.declined.connect(self._keep)
        session.mesh_view_state.camera_changed.connect(self._show_home)
        self._session, self._path = session, session.path
        self._start_from_saved_camera()

    def count(self, drawn: RenderResult) -> None:
        """Another model was seen."""
        if drawn.facts.is_image_file or drawn.problem:
            return
        self.votes.count(drawn.shot.path, drawn.facts.likely_up)
        suggestion = self.votes.suggestion()
        is_news = not self._orbit.is_settled and suggestion.up not in (None, self._orbit.up)
        self._offer.set_prompt(f"Of those seen so far, {suggestion.message()}." if is_news else "")

    @Slot()
    def switch(self) -> None:
        """Let the other axis point up, from now on for this collection."""
        self._offer.set_prompt("")
        other: UpAxis = "Y" if self._orbit.up == "Z" else "Z"
        self._edits.change_camera(replace(self._orbit.camera, up=other), f"{other} axis up")

    @Slot()
    def _keep(self) -> None:
        self._offer.set_prompt("")
        self._orbit.set_up(self._orbit.up)

    @Slot()
    def _start_again(self) -> None:
        self.votes = UpAxisVotes()
        self._offer.set_prompt("")
        if self._session.path != self._path:  # read once more, it stays as it stands
            self._path = self._session.path
            self._start_from_saved_camera()

    def _start_from_saved_camera(self) -> None:
        """Begin where the collection is looked at from."""
        self._show_home()
        self._stage.set_camera(replace(self._orbit.camera, fit="sphere"))

    @Slot()
    def _show_home(self) -> None:
        self._deck.set_home(replace(self._orbit.camera, fit="sphere"))

    @Slot()
    def _turn(self) -> None:
        self._stage.set_camera(replace(self._stage.camera, up=self._orbit.up))


VIEW_KEY_PREFIX = "panel "
"""Put before the panes of this panel, as hovering cards share the lane that draws."""

SHADINGS: dict[str, Shading] = {"flat": "flat", "smooth": "smooth", "normals": "normals"}
"""Actions that choose a shading."""


MESH_VIEW_SHORTCUTS = (
    ("3D view", "Front, right, top, diagonal view", "1  3  7  9"),
    ("3D view", "Parallel projection", "5"),
    ("3D view", "Rotate", "drag  2  4  6  8  Shift+arrows"),
    ("3D view", "Pan", "Shift+drag"),
    ("3D view", "Zoom", "wheel  +  -"),
    ("3D view", "Fit and centre", "Home  0"),
    ("3D view", "Wireframe, smooth, normals, box and axes", "W  S  N  B"),
    ("3D view", "Spin", "T"),
    ("3D view", "One model at a time, next one", "F  Space  `"),
    ("3D view", "Pin the model, Z axis up", "P  U"),
    ("3D view", "Previous or next model", "←  →"),
    ("3D view", "Copy the view", "Ctrl+C"),
    ("3D view", "Back to the list", "Esc  Backspace"),
)
"""Keys that the view handles itself; see `Panel.shortcuts`."""


class MeshViewPanel(BasePanel):
    """Shows what the scene says and draws it from the camera that the person moves; asks for nothing while hidden."""

    def __init__(self, session: Session) -> None:
        super().__init__("cube")
        self._session = session
        self.scene = MeshScene(session, self)
        self.stage = CameraController(session.mesh_view_state.source, VIEW_KEY_PREFIX, self)
        self.deck = MeshViewGrid()
        self.offer = UpAxisPrompt()
        self._room = DockEnlarger(self)
        self._upright = UpAxisController(session, self.stage, self.deck, self.offer, self)
        layout = QVBoxLayout(self.content)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.deck, 1)
        layout.addWidget(self.offer)
        self.setFocusProxy(self.deck)
        self.scene.changed.connect(self._show_scene)
        self.stage.drawn.connect(self._show_rendered)
        self.stage.camera_changed.connect(self.deck.set_camera)
        self.stage.style_changed.connect(self._show_style)
        self.stage.spinning_changed.connect(self._show_turning)
        self.deck.camera_moved.connect(self._move_camera)
        self.deck.sizes_changed.connect(self._ask)
        self.deck.asked.connect(self._act)
        self.deck.dropped.connect(self._drop_card)
        session.mesh_view_state.opened.connect(self._on_view_opened)
        session.mesh_view_state.left.connect(self._on_view_left)
        session.benchmark_changed.connect(self.stage.redraw)
        self._show_style(self.stage.style)
        self._show_scene()

    def showEvent(self, event: QShowEvent) -> None:
        """Qt override."""
        super().showEvent(event)
        self._ask()
        self._on_view_opened()

    def hideEvent(self, event: QHideEvent) -> None:
        """Qt override; what nobody sees is not drawn."""
        super().hideEvent(event)
        self.stage.set_spinning(False)
        self.stage.show({})

    # ------------------------------------------------------------------------------------------------- what is shown

    @Slot()
    def _show_scene(self) -> None:
        panes = self.scene.panes
        if self._session.benchmark is None:
            self.show_empty("No benchmark is open")
        elif not panes:
            self.show_empty("There are no models", "The findings say what each file was taken for.")
        else:
            self.show_content()
        self.deck.set_captions([self._text(pane) for pane in panes])
        self.deck.bar.set_on("pin", self.scene.pinned != UNKNOWN_ITEM)
        self._ask()

    def _text(self, pane: MeshPane) -> MeshCaption:
        return MeshCaption(
            pane.key, pane.role, pane.title, pane.detail, pane.value, pane.level, pane.key == QUERY, pane.problem,
            self.scene.is_binary,
        )  # fmt: skip

    @Slot()
    def _ask(self) -> None:
        if not self.isVisible():
            return
        sizes = self.deck.sizes()
        panes = [pane for pane in self.scene.panes if pane.path is not None and pane.key in sizes]
        self.stage.show({pane.key: PaneContent(pane.path, *sizes[pane.key]) for pane in panes if pane.path is not None})

    @Slot(str, object)
    def _show_rendered(self, key: str, drawn: RenderResult) -> None:
        pane = next((pane for pane in self.scene.panes if pane.key == key), None)
        if pane is None or pane.path != drawn.shot.path:
            return
        view = self.deck.view(key)
        if drawn.problem:
            view.set_text(replace(self._text(pane), problem=drawn.problem))
        else:
            words = mesh_description(drawn.facts)
            view.set_image(drawn.image, words, turnable=not drawn.facts.is_image_file)
            view.setToolTip("\n".join((words, *drawn.facts.notes)))
        self._upright.count(drawn)

    @Slot(object)
    def _show_style(self, style: RenderStyle) -> None:
        for name, shading in SHADINGS.items():
            self.deck.bar.set_on(name, style.shading == shading)
        self.deck.bar.set_on("wireframe", style.wireframe)
        self.deck.bar.set_on("box", style.box)

    @Slot(bool)
    def _show_turning(self, turning: bool) -> None:
        self.deck.bar.set_on("turn", turning)

    def view_state(self) -> dict[str, Any]:
        """How models are drawn, for a project: plain values."""
        style = self.stage.style
        return {"shading": style.shading, "wireframe": style.wireframe, "box": style.box}

    def restore_view_state(self, state: Mapping[str, Any]) -> None:
        """Draw as a project says; what is not known is passed over."""
        shading, box = state.get("shading"), state.get("box") is True
        style = replace(self.stage.style, wireframe=state.get("wireframe") is True, box=box, axes=box)
        if isinstance(shading, str) and shading in SHADINGS:
            style = replace(style, shading=SHADINGS[shading])
        self.stage.set_style(style)

    # ------------------------------------------------------------------------------------------------- what is asked

    @Slot(object)
    def _move_camera(self, camera: Camera) -> None:
        self.stage.set_spinning(False)
        self.stage.set_camera(camera)

    @Slot(str)
    def _act(self, name: str) -> None:
        style = self.stage.style
        if name in SHADINGS:
            again = style.shading == name
            self.stage.set_style(replace(style, shading="flat" if again else SHADINGS[name]))
            self._show_style(self.stage.style)
        elif name == "wireframe":
            self.stage.set_style(replace(style, wireframe=not style.wireframe))
        elif name == "box":
            self.stage.set_style(replace(style, box=not style.box, axes=not style.box))
        elif name == "turn":
            self.stage.set_spinning(not self.stage.is_spinning)
        elif name == "pin":
            self._pin(self.scene.answer if self.scene.pinned == UNKNOWN_ITEM else UNKNOWN_ITEM)
        elif name == "upright":
            self._upright.switch()
        elif name in ("previous", "next"):
            self._step(1 if name == "next" else -1)
        elif name == "copy":
            QGuiApplication.clipboard().setImage(self.deck.picture())
        elif name == "save":
            self._save()
        elif name == "leave":
            self._session.mesh_view_state.leave()

    def _pin(self, item: int) -> None:
        self.scene.pin(item)
        self.deck.bar.set_on("pin", self.scene.pinned != UNKNOWN_ITEM)

    def _step(self, by: int) -> None:
        """To the next model of the list, or of the collection; the camera stays."""
        session = self._session
        if session.has_lists:
            shown, rank = session.ranked_list, session.selection.rank
            if shown is not None and len(shown):
                session.select(rank=min(max((rank or 1 - by) + by, 1), len(shown)))
        elif session.benchmark is not None and len(session.benchmark.collection):
            last = len(session.benchmark.collection) - 1
            session.select(model=min(max((session.selection.model or 0) + by, 0), last))

    @Slot(str, str)
    def _drop_card(self, key: str, model: str) -> None:
        """A card on the answer selects it; on any other pane it is pinned."""
        session = self._session
        item = -1 if session.benchmark is None else session.benchmark.collection.index.get(model, -1)
        if item < 0:
            return
        shown = session.ranked_list
        ranks = [] if shown is None else (shown.items == item).nonzero()[0]
        if key == ANSWER and len(ranks):
            session.select(rank=int(ranks[0]) + 1)
        elif key == ANSWER and not session.has_lists:
            session.select(model=item)
        else:
            self._pin(item)

    def _save(self) -> None:
        picture = self.deck.picture()
        if (path := ask_image_path(self, self._name())) is not None:
            save_in_background(self._session, picture, path)

    def _name(self) -> str:
        """What the file is called unless the person says otherwise: the models in sight."""
        titles = [pane.title for pane in self.scene.panes if pane.key in self.deck.shown and pane.title]
        return " ".join(titles) or "view"

    @Slot()
    def _on_view_opened(self) -> None:
        """In hand as soon as it is in sight, with room to look; bringing it into sight is the window's part."""
        if self.isVisible() and self._session.mesh_view_state.take():
            self.deck.show_pane(ANSWER)
            self.deck.setFocus(Qt.FocusReason.OtherFocusReason)
            self._room.take()

    @Slot()
    def _on_view_left(self) -> None:
        self._room.give_back()


def mesh_description(facts: ModelInfo) -> str:
    """``"1,814 vertices · 3,624 faces"``, with what was mended while reading."""
    if facts.is_image_file:
        return "picture"
    counts = [count_text(facts.vertices, "vertex", "vertices")]
    counts.append(count_text(facts.faces, "face") if facts.faces else "no faces: a cloud of points")
    if facts.notes:
        counts.append(count_text(len(facts.notes), "remark"))
    return " · ".join(counts)
