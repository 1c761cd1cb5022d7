"""The models in 3D, tied to the session: query, pinned model and both answers side by side under one camera."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QGuiApplication, QHideEvent, QShowEvent
from PySide6.QtWidgets import QVBoxLayout

from shrec_viewer.domain import UNKNOWN_ITEM
from shrec_viewer.panels.model_view_room import Room
from shrec_viewer.panels.model_view_save import ask_picture_file, save_beside
from shrec_viewer.panels.model_view_upright import Upright
from shrec_viewer.panels.pane import Pane
from shrec_viewer.render.camera import Camera
from shrec_viewer.render.reading import Facts
from shrec_viewer.render.style import Shading, Style
from shrec_viewer.viewmodels.orbit_scene import ANSWER, QUERY, OrbitPane, OrbitScene
from shrec_viewer.viewmodels.orbit_shot import Drawn
from shrec_viewer.viewmodels.orbit_stage import OrbitStage, Wanted
from shrec_viewer.viewmodels.session import Session
from shrec_viewer.viewmodels.words import count_words
from shrec_viewer.widgets.orbit_caption import PaneText
from shrec_viewer.widgets.orbit_deck import OrbitDeck
from shrec_viewer.widgets.orbit_offer import OrbitOffer

STAGE = "panel "
"""Put before the panes of this panel, as hovering cards share the lane that draws."""

SHADINGS: dict[str, Shading] = {"flat": "flat", "smooth": "smooth", "normals": "normals"}
"""Actions that choose a shading."""


class ModelViewPanel(Pane):
    """Shows what the scene says and draws it from the camera that the person moves; asks for nothing while hidden."""

    def __init__(self, session: Session) -> None:
        super().__init__("cube")
        self._session = session
        self.scene = OrbitScene(session, self)
        self.stage = OrbitStage(session.orbit.source, STAGE, self)
        self.deck = OrbitDeck()
        self.offer = OrbitOffer()
        self._room = Room(self)
        self._upright = Upright(session, self.stage, self.deck, self.offer, self)
        layout = QVBoxLayout(self.content)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.deck, 1)
        layout.addWidget(self.offer)
        self.setFocusProxy(self.deck)
        self.scene.changed.connect(self._show_scene)
        self.stage.drawn.connect(self._show_drawn)
        self.stage.camera_changed.connect(self.deck.set_camera)
        self.stage.style_changed.connect(self._show_style)
        self.stage.turning_changed.connect(self._show_turning)
        self.deck.camera_picked.connect(self._move_camera)
        self.deck.sizes_changed.connect(self._ask)
        self.deck.asked.connect(self._act)
        self.deck.dropped.connect(self._take_card)
        session.orbit.opened.connect(self._come_forward)
        session.orbit.left.connect(self._step_back)
        session.benchmark_changed.connect(self.stage.draw_again)
        self._show_style(self.stage.style)
        self._show_scene()

    def showEvent(self, event: QShowEvent) -> None:
        """Qt override."""
        super().showEvent(event)
        self._ask()
        self._come_forward()

    def hideEvent(self, event: QHideEvent) -> None:
        """Qt override; what nobody sees is not drawn."""
        super().hideEvent(event)
        self.stage.set_turning(False)
        self.stage.show({})

    # ------------------------------------------------------------------------------------------------- what is shown

    @Slot()
    def _show_scene(self) -> None:
        panes = self.scene.panes
        if self._session.benchmark is None:
            self.show_empty(self.tr("No benchmark is open"))
        elif not panes:
            self.show_empty(self.tr("There are no models"), self.tr("The findings say what each file was taken for."))
        else:
            self.show_content()
        self.deck.set_panes([self._text(pane) for pane in panes])
        self.deck.bar.set_on("pin", self.scene.pinned != UNKNOWN_ITEM)
        self._ask()

    def _text(self, pane: OrbitPane) -> PaneText:
        return PaneText(
            pane.key, pane.role, pane.title, pane.detail, pane.value, pane.level, pane.key == QUERY, pane.problem,
            self.scene.is_binary,
        )  # fmt: skip

    @Slot()
    def _ask(self) -> None:
        if not self.isVisible():
            return
        sizes = self.deck.sizes()
        panes = [pane for pane in self.scene.panes if pane.path is not None and pane.key in sizes]
        self.stage.show({pane.key: Wanted(pane.path, *sizes[pane.key]) for pane in panes if pane.path is not None})

    @Slot(str, object)
    def _show_drawn(self, key: str, drawn: Drawn) -> None:
        pane = next((pane for pane in self.scene.panes if pane.key == key), None)
        if pane is None or pane.path != drawn.shot.path:
            return
        view = self.deck.view(key)
        if drawn.problem:
            view.set_text(replace(self._text(pane), problem=drawn.problem))
        else:
            words = facts_words(drawn.facts)
            view.set_image(drawn.image, words, turnable=not drawn.facts.is_picture)
            view.setToolTip("\n".join((words, *drawn.facts.notes)))
        self._upright.count(drawn)

    @Slot(object)
    def _show_style(self, style: Style) -> None:
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

    def take_view_state(self, state: Mapping[str, Any]) -> None:
        """Draw as a project says; what is not known is passed over."""
        shading, box = state.get("shading"), state.get("box") is True
        style = replace(self.stage.style, wireframe=state.get("wireframe") is True, box=box, axes=box)
        if isinstance(shading, str) and shading in SHADINGS:
            style = replace(style, shading=SHADINGS[shading])
        self.stage.set_style(style)

    # ------------------------------------------------------------------------------------------------- what is asked

    @Slot(object)
    def _move_camera(self, camera: Camera) -> None:
        self.stage.set_turning(False)
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
            self.stage.set_turning(not self.stage.is_turning)
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
            self._session.orbit.leave()

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
    def _take_card(self, key: str, model: str) -> None:
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
        if (path := ask_picture_file(self, self._name())) is not None:
            save_beside(self._session, picture, path)

    def _name(self) -> str:
        """What the file is called unless the person says otherwise: the models in sight."""
        titles = [pane.title for pane in self.scene.panes if pane.key in self.deck.shown and pane.title]
        return " ".join(titles) or "view"

    @Slot()
    def _come_forward(self) -> None:
        """In hand as soon as it is in sight, with room to look; bringing it into sight is the window's part."""
        if self.isVisible() and self._session.orbit.take():
            self.deck.show_pane(ANSWER)
            self.deck.setFocus(Qt.FocusReason.OtherFocusReason)
            self._room.take()

    @Slot()
    def _step_back(self) -> None:
        self._room.give_back()


def facts_words(facts: Facts) -> str:
    """``"1,814 vertices · 3,624 faces"``, with what was mended while reading."""
    if facts.is_picture:
        return "picture"
    counts = [count_words(facts.vertices, "vertex", "vertices")]
    counts.append(count_words(facts.faces, "face") if facts.faces else "no faces: a cloud of points")
    if facts.notes:
        counts.append(count_words(len(facts.notes), "remark"))
    return " · ".join(counts)
