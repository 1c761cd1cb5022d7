"""3D view panel: query, result and pinned model under one shared camera."""

from dataclasses import replace
from math import dist, isnan
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtGui import QGuiApplication, QHideEvent, QShowEvent

from shrec_viewer.content.diagnosis.shape_difference import ShapeDifferenceRequest
from shrec_viewer.content.images import COMPARED_WITH, POINT_SIZES, ModelsRequest
from shrec_viewer.content.request import Request
from shrec_viewer.domain import UNKNOWN_ITEM, Quantity
from shrec_viewer.domain.value_scale import ValueScale, ValueSummary
from shrec_viewer.geometry.difference import ShapeDifference, distance_legend
from shrec_viewer.number_format import format_distance, format_percent
from shrec_viewer.panels.mesh_view.image_export import choose_image_path, save_in_background
from shrec_viewer.panels.mesh_view.turntable import TurntableRecorder
from shrec_viewer.panels.request_panel import RequestPanel
from shrec_viewer.render.scene.camera import Camera
from shrec_viewer.render.scene.picking import PickedPoint, PickedValue
from shrec_viewer.render.scene.style import RenderStyle
from shrec_viewer.render.scene.up_axis import suggest_up
from shrec_viewer.render.scene.values import make_legend, resolve_scale
from shrec_viewer.render.thumbnails.thumbnail import MeshComparison
from shrec_viewer.render.workers.model_readers import ModelInfo, ModelSource, is_image
from shrec_viewer.viewmodels.content.data import camera_of
from shrec_viewer.viewmodels.mesh_view.pairs import ComparedPanes, compare_panes
from shrec_viewer.viewmodels.mesh_view.rendering import RenderResult
from shrec_viewer.viewmodels.mesh_view.scene import MARK, QUERY, SELECTED, CameraController, MeshScene, PaneContent
from shrec_viewer.viewmodels.mesh_view.state import UpAxis
from shrec_viewer.viewmodels.session.document import Document
from shrec_viewer.viewmodels.session.selection import NOTHING
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.labels import count_text
from shrec_viewer.viewmodels.text.scope import scope_texts
from shrec_viewer.widgets.controls.plain_text import set_tooltip
from shrec_viewer.widgets.mesh_view.actions import REFERENCES, SHADINGS
from shrec_viewer.widgets.mesh_view.mesh_view_grid import MeshViewGrid, UpAxisPrompt


class UpAxisController(QObject):
    """Suggests another up axis when most of the models shown indicate it, and applies the user's choice."""

    def __init__(
        self,
        session: Session,
        camera_controller: CameraController,
        view_grid: MeshViewGrid,
        up_axis_prompt: UpAxisPrompt,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._state = session.mesh_view_state
        self._edits = session.edits
        self._camera_controller = camera_controller
        self._view_grid = view_grid
        self._up_axis_prompt = up_axis_prompt
        self.votes: dict[Path, str] = {}  # likely up axis of the models rendered so far
        session.mesh_view_state.up_changed.connect(self._apply_up_axis)
        up_axis_prompt.accepted.connect(self.switch)
        up_axis_prompt.declined.connect(self._keep_up_axis)
        session.mesh_view_state.camera_changed.connect(self._show_home)
        self._start_from_saved_camera()

    def count(self, result: RenderResult) -> None:
        """Count the likely up axis of a rendered model; show or hide the suggestion."""
        if result.info.is_image_file or result.problem or result.request.source.comparison is not None:
            return
        self.votes[result.request.source.path] = result.info.likely_up
        suggestion = suggest_up(self.votes.values())
        is_new = not self._state.is_chosen and suggestion.up not in (None, self._state.up)
        self._up_axis_prompt.set_prompt(f"Of the models shown so far, {suggestion.message()}." if is_new else "")

    @Slot()
    def switch(self) -> None:
        """Use the other axis as up axis of the collection."""
        self._up_axis_prompt.set_prompt("")
        other: UpAxis = "Y" if self._state.up == "Z" else "Z"
        self._edits.change_camera(replace(self._state.camera, up=other), f"{other} axis up")

    @Slot()
    def _keep_up_axis(self) -> None:
        self._up_axis_prompt.set_prompt("")
        self._state.set_up(self._state.up)

    def reset(self, *, keeps_camera: bool) -> None:
        """Count again, for another benchmark or the same one as it is now."""
        self.votes = {}
        self._up_axis_prompt.set_prompt("")
        if not keeps_camera:
            self._start_from_saved_camera()

    def _start_from_saved_camera(self) -> None:
        """Start with the collection's camera."""
        self._show_home()
        self._camera_controller.set_camera(replace(self._state.camera, fit="sphere"))

    @Slot()
    def _show_home(self) -> None:
        self._view_grid.set_home(replace(self._state.camera, fit="sphere"))

    @Slot()
    def _apply_up_axis(self) -> None:
        self._camera_controller.set_camera(replace(self._camera_controller.camera, up=self._state.up))


#: Prefix of this panel's render keys; card previews use the same renderer.
VIEW_KEY_PREFIX = "panel "

#: Factor of a step of the size of points.
POINT_SIZE_STEP = 1.25

#: Layout of the difference by the name of its action.
LAYOUTS = {"side": "side", "overlay": "overlay", "alternate": "flip"}


#: Keys that the view handles itself; see `Panel.shortcuts`.
MESH_VIEW_SHORTCUTS = (
    ("3D view", "Front, right, top, diagonal view", "1  3  7  9"),
    ("3D view", "Parallel projection", "5"),
    ("3D view", "Rotate", "drag  2  4  6  8  Shift+arrows"),
    ("3D view", "Pan", "Shift+drag"),
    ("3D view", "Zoom", "wheel  +  -"),
    ("3D view", "Fit and centre", "Home  0"),
    ("3D view", "Wireframe, smooth, normals, box and axes, difference", "W  S  N  B  D"),
    ("3D view", "Cut open, move the cut", "C  [  ]  Ctrl+wheel"),
    ("3D view", "Smaller or larger points of a cloud", ",  ."),
    ("3D view", "Measure between two clicks", "M"),
    ("3D view", "Spin", "T"),
    ("3D view", "One model at a time, next one", "F  Space  `"),
    ("3D view", "Pin the model, Z axis up", "P  U"),
    ("3D view", "Previous or next model", "←  →"),
    ("3D view", "Copy the view", "Ctrl+C"),
    ("3D view", "Back to the list", "Esc  Backspace"),
)


class MeshViewPanel(RequestPanel[ModelsRequest]):
    """3D view of query, selected and pinned model under a shared camera; renders only while it is visible."""

    def __init__(self, session: Session) -> None:
        self.scene = MeshScene(session)
        self._compared, self._layout = ComparedPanes(()), "side"  # the latter is the last one
        self._flips = False
        super().__init__(session, ModelsRequest(), "cube", uses=())
        self.scene.setParent(self)
        self.camera_controller = CameraController(session.mesh_view_state.source, VIEW_KEY_PREFIX, self)
        self.view_grid = MeshViewGrid()
        self._quantities: dict[str, tuple[ValueSummary, ...]] = {}  # of the models shown, by pane
        self._differences: dict[tuple[Path, MeshComparison], ShapeDifference | None] = {}  # of the models shown
        self._last = 0.0  # distance at the end of the colour scale
        self.up_axis_prompt = UpAxisPrompt()
        self._upright = UpAxisController(session, self.camera_controller, self.view_grid, self.up_axis_prompt, self)
        self.set_body(self.view_grid, self.up_axis_prompt, stretch=self.view_grid)
        self.setFocusProxy(self.view_grid)
        self.scene.changed.connect(self._show_scene)
        self.camera_controller.rendered.connect(self._show_rendered)
        self.camera_controller.camera_changed.connect(self.view_grid.set_camera)
        self.camera_controller.spinning_changed.connect(self._show_turning)
        self.view_grid.camera_moved.connect(self._move_camera)
        self.view_grid.sizes_changed.connect(self._ask)
        self.view_grid.action_requested.connect(self._act)
        self.view_grid.dropped.connect(self._drop_card)
        self.view_grid.scale_bar.quantity_chosen.connect(self._choose_quantity)
        self.view_grid.hovered.connect(self._hover)
        self.view_grid.clicked.connect(self._click)
        self.camera_controller.picked.connect(self._show_reading)
        self.camera_controller.marked.connect(self._mark)
        self._is_measuring = False
        self._marks: dict[str, tuple[Path, tuple[PickedPoint, ...]]] = {}  # by pane, with the file
        self._turntable = TurntableRecorder(session, self.camera_controller, self.view_grid, self)
        session.mesh_view_state.open_requested.connect(self._on_view_opened)
        self.show_options()
        self._show_scene()

    def showEvent(self, event: QShowEvent) -> None:
        """Request the meshes of the view."""
        super().showEvent(event)
        self._ask()
        self._on_view_opened()

    def hideEvent(self, event: QHideEvent) -> None:
        """Stop rendering."""
        super().hideEvent(event)
        self._turntable.stop()
        self.camera_controller.set_spinning(False)
        self.camera_controller.show({})

    # ------------------------------------------------------------------------------------------------------- display

    def show_changes(self, old: Document, new: Document) -> None:
        """See `RequestPanel`."""
        if new.differs(old, "benchmark"):
            self._upright.reset(keeps_camera=new.path == old.path)
            self.camera_controller.redraw()

    @Slot()
    def _show_scene(self) -> None:
        panes = self.scene.panes
        if not self._session.is_open:
            self.show_empty("No benchmark is open")
        elif not panes:
            self.show_empty("No models", "Findings lists how each file was recognised.")
        else:
            self.show_content()
        self._compared = self._compare(self.options.difference, self.options.against)
        self.view_grid.set_captions(self._compared.shown)
        self._quantities = {pane.key: self._quantities[pane.key] for pane in panes if pane.key in self._quantities}
        pairs = set(self._compared.pairs.values())
        self._differences = {pair: one for pair, one in self._differences.items() if pair in pairs}
        bar = self.view_grid.bar
        bar.set_on("pin", self.scene.pinned != UNKNOWN_ITEM)
        for key in COMPARED_WITH:
            reference = self._compare("side", key).reference
            bar.set_possible(f"against_{key}", reference is not None and reference.key == key)
        is_possible = self._compare("side", self.options.against).reference is not None
        for name in ("difference", *LAYOUTS):
            bar.set_possible(name, is_possible)
        self._ask()

    def _compare(self, layout: str, against: str) -> ComparedPanes:
        return compare_panes(self.scene.panes, layout, against, may_mirror=self.options.mirror)

    @Slot()
    def _ask(self) -> None:
        self._show_scale()
        if not self.isVisible():
            return
        sizes, contents = self.view_grid.sizes(), {}
        if self.options.difference == "flip" and len(sizes) == 1:  # the other one is drawn before it is shown
            (size,) = sizes.values()
            sizes = {pane.key: size for pane in self._compared.shown}
        (_, quantity), last = self._chosen(), self._last_distance()
        for pane in self._compared.shown:
            if pane.path is not None and pane.key in sizes:
                read_with = None if quantity is None or is_image(pane.path) else quantity.of_mesh(pane.path)
                comparison = self._compared.comparisons.get(pane.key)
                known = None if comparison is None else self._differences.get((pane.path, comparison))
                if comparison is not None and known is not None and known.last not in (0.0, last):
                    comparison = replace(comparison, last=last)
                source = ModelSource(pane.path, comparison, read_with)
                contents[pane.key] = PaneContent(source, *sizes[pane.key], self._marks_of(pane.key, pane.path))
        self.camera_controller.show(contents)

    @Slot(str, object)
    def _show_rendered(self, key: str, result: RenderResult) -> None:
        pane = next((pane for pane in self.scene.panes if pane.key == key), None)
        if pane is None or pane.path != result.request.source.path:
            return
        view = self.view_grid.view(key)
        if result.problem:
            view.set_text(replace(pane, problem=result.problem))
        else:
            info, before = result.info, self._quantities.get(key)
            self._quantities[key] = info.quantities
            if before is not info.quantities:
                self._show_scale()
            pair = self._compared.pairs.get(key)
            if pair is not None and (pair not in self._differences or self._differences[pair] is not info.difference):
                self._differences[pair] = info.difference
                self._ask()
            description = mesh_description(result.info)
            is_measured = len(marks := self._marks_of(key, result.request.source.path)) == 2
            if is_measured:
                description = distance_text(*marks)
            can_turn = not result.info.is_image_file
            is_compared = info.difference is not None
            view.set_image(result.image, description, turnable=can_turn, keeps_footer=is_measured or is_compared)
            set_tooltip(view, "\n".join((self._described(result.info) or description, *result.info.notes)))
        self._upright.count(result)

    def _described(self, info: ModelInfo) -> str:
        """How a model differs from the reference, in full; "" without a comparison."""
        reference, difference = self._compared.reference, info.difference
        if reference is None or difference is None:
            return info.problem
        return f"Compared with {reference.title}\n{difference.sentence()}\n{difference.details()}"

    @Slot(bool)
    def _show_turning(self, turning: bool) -> None:
        self.view_grid.bar.set_on("turn", turning)

    def show_options(self) -> None:
        """See `RequestPanel`."""
        options, bar = self.options, self.view_grid.bar
        for name in SHADINGS:
            bar.set_on(name, options.shading == name)
        bar.set_on("difference", bool(options.difference))
        self._layout = options.difference or self._layout
        for name, layout in LAYOUTS.items():
            bar.set_on(name, layout == self._layout)
        for key in COMPARED_WITH:
            bar.set_on(f"against_{key}", options.against == key)
        bar.set_on("mirror", options.mirror)
        bar.set_on("wireframe", options.wireframe)
        bar.set_on("box", options.box)
        flips = options.difference == "flip"
        if flips != self._flips:
            self._flips = flips
            self.view_grid.set_one_at_a_time(flips)
        self._show_scene()

    def _show_scale(self) -> None:
        """Offer the quantities of the models shown, and draw the chosen one in their common range."""
        options, bar = self.options, self.view_grid.scale_bar
        shown = [quantities for key, quantities in self._quantities.items() if key in self.view_grid.shown]
        names = dict.fromkeys(one.name for quantities in self._quantities.values() for one in quantities)
        names |= dict.fromkeys(quantity.name for quantity in self._session.benchmark.quantities)
        names |= {options.values: None} if options.values else {}
        (chosen, quantity), legend = self._chosen(), None
        if self._compared.comparisons:
            legend = distance_legend(self._last_distance())  # the former one while models are read
        elif chosen is not None and shown and options.shading != "normals" and not options.difference:
            legend = make_legend(chosen, shown, "" if quantity is None else quantity.unit)
        bar.set_quantities(() if options.difference else tuple(names), options.values)
        bar.set_legend(legend)
        if legend is None:
            bar.set_reading("")
        self.camera_controller.set_style(
            RenderStyle(
                shading=options.shading,
                wireframe=options.wireframe,
                box=options.box,
                point_size=options.point_size,
                axes=options.box,
                values=None if options.difference else chosen if legend is None else legend.scale,
            )
        )

    def _last_distance(self) -> float:
        """Distance with the last colour in all models compared; the former one until those shown were read."""
        pairs = [pair for key, pair in self._compared.pairs.items() if key in self.view_grid.shown]
        if all(pair in self._differences for pair in pairs):
            self._last = max((one.last for one in self._differences.values() if one is not None), default=0.0)
        return self._last

    @property
    def shown_scale(self) -> ValueScale | None:
        """The quantity shown, in its present range; of a correspondence its name."""
        scale, quantity = self._chosen()
        if scale is None and quantity is not None:
            return ValueScale(quantity.name)
        return self.camera_controller.style.shown_values

    def _chosen(self) -> tuple[ValueScale | None, Quantity | None]:
        name = self.options.values
        return resolve_scale(ValueScale(name) if name else None, self._session.benchmark.quantities)

    @Slot(object)
    def _choose_quantity(self, name: str) -> None:
        self.set_option("values", name)

    @Slot(str, object)
    def _hover(self, key: str, place: tuple[float, float] | None) -> None:
        if place is None:
            self.view_grid.scale_bar.set_reading("")
        elif self.view_grid.scale_bar.legend is not None and not self.options.difference:
            self.camera_controller.pick(key, *place)

    @Slot(str, object)
    def _click(self, key: str, place: tuple[float, float]) -> None:
        if self._is_measuring:
            self.camera_controller.pick(key, *place, MARK)

    @Slot(str, object)
    def _mark(self, key: str, point: PickedPoint | None) -> None:
        """Mark a point; a third one begins another measurement."""
        pane = next((pane for pane in self.scene.panes if pane.key == key), None)
        if point is None or pane is None or pane.path is None or not self._is_measuring:
            return
        before = self._marks_of(key, pane.path)
        self._marks[key] = pane.path, (*before[: 0 if len(before) == 2 else 1], point)
        self._ask()

    def _marks_of(self, key: str, path: Path) -> tuple[PickedPoint, ...]:
        of, marks = self._marks.get(key, (path, ()))
        return marks if of == path else ()

    def _set_measuring(self, measuring: bool) -> None:
        self._is_measuring, self._marks = measuring, {}
        self.view_grid.bar.set_on("measure", measuring)
        self.view_grid.set_pointer(Qt.CursorShape.CrossCursor if measuring else None)
        self._ask()

    @Slot(str, object)
    def _show_reading(self, _key: str, point: PickedPoint | None) -> None:
        legend, picked = self.view_grid.scale_bar.legend, None if point is None else point.value
        if legend is None or picked is None:
            self.view_grid.scale_bar.set_reading("")
        else:
            value = None if legend.labels is not None or isnan(picked.value) else picked.value
            self.view_grid.scale_bar.set_reading(reading_text(picked, legend.unit), value)

    def request(self) -> ModelsRequest | None:
        """See `RequestPanel`; the models shown, from left to right, with the camera of the view."""
        benchmark, query = self._session.benchmark, self._session.selection.query
        reference = self._compared.reference
        keys = {*self.view_grid.shown, *self._compared.comparisons, *([] if reference is None else [reference.key])}
        panes = [pane for pane in self.scene.panes if pane.key in keys]
        models = [pane.item for pane in panes if pane.key != QUERY and pane.item != UNKNOWN_ITEM]
        points = [
            f"{pane.title}:{','.join(f'{number:.7g}' for one in marks for number in one.in_file)}"
            for pane in panes
            if pane.path is not None and len(marks := self._marks_of(pane.key, pane.path)) == 2
        ]
        has_query = any(pane.key == QUERY for pane in panes) and query != NOTHING
        if not (models or has_query):
            return None
        return replace(
            self.options,
            queries=(benchmark.queries.ids[query],) if has_query else (),
            models=tuple(benchmark.collection.ids[model] for model in models),
            reference="" if reference is None or reference.is_query else reference.title,
            points=tuple(points),
            camera=camera_of(self._session, (self.camera_controller.camera, self.shown_scale)),
        )

    def requests(self) -> tuple[Request, ...]:
        """See `RequestPanel`; after a figure, the table of the differences that are shown."""
        found, reference = super().requests(), self._compared.reference
        if not found or reference is None:
            return found
        ids, panes = self._session.benchmark.collection.ids, self.scene.panes
        answers = [pane for pane in panes if pane.key in self._compared.comparisons and pane is not reference]
        models = tuple(ids[pane.item] for pane in answers if pane.item != UNKNOWN_ITEM)
        queries = (reference.title,) if reference.is_query else ()
        models = models if reference.is_query else (ids[reference.item], *models)
        return (*found, ShapeDifferenceRequest(models=models, queries=queries, mirror=self.options.mirror))

    def shown_scope(self) -> tuple[str, ...]:
        """See `RequestPanel`."""
        return scope_texts(self._session, {"query", "model"})

    def export_names(self) -> tuple[str, ...]:
        """See `RequestPanel`; query and all models."""
        request = self.request()
        return () if request is None else (*request.queries, *request.models)

    # --------------------------------------------------------------------------------------------------- interaction

    @Slot(object)
    def _move_camera(self, camera: Camera) -> None:
        self.camera_controller.set_spinning(False)
        self.camera_controller.set_camera(camera)

    @Slot(str)
    def _act(self, name: str) -> None:
        if name in SHADINGS:
            self.set_option("shading", "flat" if self.options.shading == name else name)
            self.show_options()  # the button of flat shading stays on
        elif name in ("wireframe", "box", "mirror"):
            self.set_option(name, not getattr(self.options, name))
        elif name in ("smaller_points", "larger_points"):
            factor = POINT_SIZE_STEP if name == "larger_points" else 1 / POINT_SIZE_STEP
            self.set_option("point_size", min(max(self.options.point_size * factor, POINT_SIZES[0]), POINT_SIZES[1]))
        elif name == "measure":
            self._set_measuring(not self._is_measuring)
        elif name == "leave" and self._is_measuring:
            self._set_measuring(False)
        elif name in ("difference", *LAYOUTS):
            shown = self._layout if not self.options.difference else ""
            self.set_option("difference", LAYOUTS.get(name, shown))
            self.show_options()  # as for the shading
        elif name in REFERENCES:
            self.set_options(
                replace(
                    self.options, against=name.partition("_")[2], difference=self.options.difference or self._layout
                )
            )
            self.show_options()
        elif name == "turn":
            self.camera_controller.set_spinning(not self.camera_controller.is_spinning)
        elif name == "pin":
            self._pin(self.scene.selected_item if self.scene.pinned == UNKNOWN_ITEM else UNKNOWN_ITEM)
        elif name == "upright":
            self._upright.switch()
        elif name in ("previous", "next"):
            self._step(1 if name == "next" else -1)
        elif name == "copy":
            QGuiApplication.clipboard().setImage(self.view_grid.picture())
        elif name == "save":
            self._save()
        elif name == "leave":
            self._session.mesh_view_state.leave()

    def _pin(self, item: int) -> None:
        self.scene.pin(item)
        self.view_grid.bar.set_on("pin", self.scene.pinned != UNKNOWN_ITEM)

    def _step(self, by: int) -> None:
        """Select the next model of the list, or of the collection; the camera does not change."""
        session = self._session
        if session.has_list:
            shown, rank = session.ranked_list, session.selection.rank
            if shown is not None and len(shown):
                session.select(rank=min(max((rank or 1 - by) + by, 1), len(shown)))
        elif len(session.benchmark.collection):
            last = len(session.benchmark.collection) - 1
            session.select(model=min(max((session.selection.model or 0) + by, 0), last))

    @Slot(str, str)
    def _drop_card(self, key: str, model: str) -> None:
        """Select a model dropped on the result pane; pin a model dropped on another one."""
        session = self._session
        item = session.benchmark.collection.index.get(model, -1)
        if item < 0:
            return
        shown = session.ranked_list
        ranks = [] if shown is None else (shown.items == item).nonzero()[0]
        if key == SELECTED and len(ranks):
            session.select(rank=int(ranks[0]) + 1)
        elif key == SELECTED and not session.has_list:
            session.select(model=item)
        else:
            self._pin(item)

    def _save(self) -> None:
        picture = self.view_grid.picture()
        path = choose_image_path(self, self._name())
        if path is not None and path.suffix.lower() == ".png":
            save_in_background(self._session, picture, path)
        elif path is not None and self._session.may_write(path):
            self._turntable.start(path)

    def _name(self) -> str:
        """Default file name: the models shown."""
        titles = [pane.title for pane in self.scene.panes if pane.key in self.view_grid.shown and pane.title]
        return " ".join(titles) or "view"

    @Slot()
    def _on_view_opened(self) -> None:
        """Focus the view after a request to open it; the window shows the dock."""
        if self.isVisible() and self._session.mesh_view_state.take_open_request():
            if (other := self._session.mesh_view_state.take_pair()) is not None:
                self._pin(other)
                self.set_options(replace(self.options, difference="side", against="pinned"))
            self.view_grid.show_pane(SELECTED)
            self.view_grid.setFocus(Qt.FocusReason.OtherFocusReason)


def distance_text(one: PickedPoint, other: PickedPoint) -> str:
    """``"distance 0.231 · 11.6 % of the diameter"``, in the unit of the file and relative to the bounding sphere."""
    length = dist(one.point, other.point)
    return f"distance {format_distance(length * one.radius)} · {format_percent(length / 2, 1)} of the diameter"


def reading_text(picked: PickedValue, unit: str) -> str:
    """``"0.0310 1/m at vertex 1,204"``, with the number of the vertex or face in the file, from 0."""
    value = picked.label or format_distance(picked.value) or "undefined"
    return f"{value} {unit}".rstrip() + f" at {picked.place} {picked.index:,}"


def mesh_description(info: ModelInfo) -> str:
    """``"1,814 vertices · 3,624 faces · 1 note"``, or the difference, in two lines."""
    if info.is_image_file:
        return "image"
    if info.difference is not None:
        return "\n".join(filter(None, (info.difference.distances, info.difference.motion)))
    if info.problem:
        return info.problem
    counts = [count_text(info.vertices, "vertex", "vertices")]
    counts.append(count_text(info.faces, "face") if info.faces else "point cloud")
    if info.notes:
        counts.append(count_text(len(info.notes), "note"))
    return " · ".join(counts)
