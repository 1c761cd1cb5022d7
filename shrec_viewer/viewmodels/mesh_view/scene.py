"""The models shown side by side in the mesh view, and the camera that they share."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from shrec_viewer.charts.mesh_pane import MeshPane
from shrec_viewer.domain import UNKNOWN_ITEM, Quantity
from shrec_viewer.evaluation.ranked_list import RankedList
from shrec_viewer.number_format import format_distance
from shrec_viewer.render.scene.camera import Camera
from shrec_viewer.render.scene.picking import PickedPoint
from shrec_viewer.render.scene.style import FINE_STYLE, RenderStyle
from shrec_viewer.render.thumbnails.thumbnail import MeshComparison
from shrec_viewer.render.workers.model_readers import ModelSource
from shrec_viewer.render.workers.renderer_process import RenderRequest
from shrec_viewer.viewmodels.mesh_view.rendering import RenderResult, RenderService
from shrec_viewer.viewmodels.ranking.ranked_list import collection_order
from shrec_viewer.viewmodels.session.document import Document, has_other_models
from shrec_viewer.viewmodels.session.selection import NOTHING
from shrec_viewer.viewmodels.session.session import Session, make_ranked_list
from shrec_viewer.viewmodels.text.labels import NO_FILE, NOT_IN_COLLECTION, model_class, query_class

#: Key of the task that ranks the list of the compared run.
COMPARED_LIST_KEY = "compared list"

#: Keys of the panes, from left to right.
QUERY, PINNED, SELECTED, COMPARED = "query", "pinned", "a", "b"


class MeshScene(QObject):
    """The panes: query, pinned model, selected model, and the model at the same rank in the list of the compared run.

    If no rank is selected, the first model of the list is shown.

    Attributes
    ----------
    panes : the panes from left to right; empty without a benchmark.
    pinned : index in the collection of the pinned model, or `UNKNOWN_ITEM`.

    Signals
    -------
    changed()
        `panes` were replaced.
    """

    changed = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.pinned = UNKNOWN_ITEM
        self._compared_list: RankedList | None = None
        self.panes: tuple[MeshPane, ...] = ()
        session.changed.connect(self._follow_session)
        self._reset()

    @property
    def selected_item(self) -> int:
        """Index in the collection of the selected model, or `UNKNOWN_ITEM`."""
        return next((pane.item for pane in self.panes if pane.key == SELECTED), UNKNOWN_ITEM)

    def pin(self, item: int) -> None:
        """Pin the model with this index; `UNKNOWN_ITEM` for none."""
        self.pinned = item
        self._show()

    @Slot(object, object)
    def _follow_session(self, old: Document, new: Document) -> None:
        if new.differs(old, "benchmark"):
            self._reset()
            return
        if new.differs(old, "runs", "profile", "query", "compared"):
            self._request_compared()
        if new.differs(old, "selection") or has_other_models(old, new):
            self._show()

    def _reset(self) -> None:
        self.pinned = UNKNOWN_ITEM
        self._compared_list = None
        self._request_compared()
        self._show()

    def _request_compared(self) -> None:
        session, selection, benchmark = self._session, self._session.selection, self._session.benchmark
        if selection.compared is None or selection.query == NOTHING:
            session.tasks.stop(COMPARED_LIST_KEY)
            self._compared_list = None
            return
        run = benchmark.runs[selection.compared]
        work = partial(make_ranked_list, benchmark, run, selection.query, session.profile)
        problem, title = f"The list of {run.name} cannot be shown", f"Ranking the models by {run.name}"
        session.tasks.run(COMPARED_LIST_KEY, work, self._show_compared, problem, title=title)

    def _show_compared(self, ranked: RankedList) -> None:
        self._compared_list = ranked
        self._show()

    def _show(self) -> None:
        panes = tuple(self._make_panes())
        if panes != self.panes:
            self.panes = panes
            self.changed.emit()

    # The panes.

    def _make_panes(self) -> list[MeshPane]:
        session, panes = self._session, []
        if session.selection.query != NOTHING:
            panes.append(self._query_pane())
        if self.pinned != UNKNOWN_ITEM:
            panes.append(self._model_pane(PINNED, "Pinned", self.pinned, self._level_of(self.pinned)))
        if not session.has_list:
            panes += [self._collection_pane()] if len(session.benchmark.collection) else []
            return panes
        model, rank = session.selection.model, session.selection.rank
        if rank is None and model is not None:
            panes.append(self._model_pane(SELECTED, "Model", model, self._level_of(model)))
            return panes
        rank = rank or 1
        panes.append(self._ranked_pane(SELECTED, session.selection.run, session.ranked_list, rank))
        if session.selection.compared not in (None, session.selection.run):
            panes.append(self._ranked_pane(COMPARED, session.selection.compared or 0, self._compared_list, rank))
        return panes

    def _query_pane(self) -> MeshPane:
        benchmark, query = self._session.benchmark, self._session.selection.query
        path = benchmark.queries.paths[query]
        name = query_class(benchmark, query)
        title, item = benchmark.queries.ids[query], int(benchmark.queries.member[query])
        problem = "" if path else NO_FILE
        return MeshPane(QUERY, "Query", title, name, is_query=True, problem=problem, path=path, item=item)

    def _collection_pane(self) -> MeshPane:
        document, item = self._session.document, self._session.selection.model
        if item is None:
            item = int(collection_order(document.benchmark, document.selection.query, document.profile)[0])
        return self._model_pane(SELECTED, "Model", item, self._level_of(item))

    def _ranked_pane(self, key: str, run: int, shown: RankedList | None, rank: int) -> MeshPane:
        benchmark = self._session.benchmark
        role = f"{benchmark.runs[run].name}, rank {rank:,}"
        if shown is None:
            return MeshPane(key, role)
        if shown.missing:
            return MeshPane(key, role, problem="no results for this query")
        if rank > len(shown):
            return MeshPane(key, role, problem=f"the list ends at rank {len(shown):,}")
        level = int(shown.levels[rank - 1]) if benchmark.assessment is not None else -1
        distance = format_distance(float(shown.distances[rank - 1]))
        return self._model_pane(key, role, int(shown.items[rank - 1]), level, distance)

    def _model_pane(self, key: str, role: str, item: int, level: int | None, distance: str = "") -> MeshPane:
        benchmark = self._session.benchmark
        if item == UNKNOWN_ITEM:
            return MeshPane(key, role, problem=NOT_IN_COLLECTION, level=level)
        path = benchmark.collection.paths[item]
        return MeshPane(
            key, role, benchmark.collection.ids[item], model_class(benchmark, item), distance, level,
            problem="" if path else NO_FILE, is_binary=benchmark.is_binary, path=path, item=item,
        )  # fmt: skip

    def _level_of(self, item: int) -> int | None:
        benchmark, query = self._session.benchmark, self._session.selection.query
        if benchmark.assessment is None or query == NOTHING:
            return None
        return int(benchmark.assessment.gains(query, len(benchmark.collection))[item])


#: Milliseconds without movement after which images are rendered in full quality.
IDLE_MS = 160

#: Seconds for one image of every pane while the camera moves; the image size is reduced to meet it.
FRAME_BUDGET_S = 1 / 30

#: Minimum scale of images while the camera moves; below it shapes are not recognisable.
MIN_SCALE = 0.3

#: Weight of one measurement when the scale is adapted, so that it does not flicker.
SCALE_SMOOTHING = 0.5

#: Assumed duration of a full-quality image before the first one is measured.
ASSUMED_SECONDS = 1.0

#: Milliseconds between two steps of the spin animation.
SPIN_INTERVAL_MS = 33

#: Prefixes of the panes of requests for the point under the pointer, and for one that is marked.
POINTER, MARK = "pointer ", "mark "

#: Speed of the spin animation: a full turn in 15 s.
SPIN_DEGREES_PER_S = 24.0


@dataclass(frozen=True)
class PaneContent:
    """Content of a pane: a file, the size in device pixels, what it is compared with, a quantity, and marked points."""

    path: Path
    width: int
    height: int
    comparison: MeshComparison | None = None
    quantity: Quantity | None = None
    marks: tuple[PickedPoint, ...] = ()

    @property
    def source(self) -> ModelSource:
        """See `RenderRequest`."""
        return self.path, self.comparison, self.quantity


class CameraController(QObject):
    """Requests images of several panes with one camera from a `RenderService`.

    Parameters
    ----------
    name : prefix of the pane names, so that several controllers can share a service.

    Attributes
    ----------
    camera : camera of all panes.
    style : render style while the camera does not move.
    scale : scale of the images while the camera moves, `MIN_SCALE` to 1.

    Signals
    -------
    rendered(pane, result)
        The newest `RenderResult` of a pane.
    camera_changed(camera)
        `camera` was replaced.
    spinning_changed(spinning)
        The spin animation was started or stopped.
    picked(pane, value)
        The `PickedPoint` at the pointer over a pane, or None.
    marked(pane, point)
        The `PickedPoint` at a place that was clicked, or None.
    """

    rendered = Signal(str, object)
    camera_changed = Signal(object)
    spinning_changed = Signal(bool)
    picked = Signal(str, object)
    marked = Signal(str, object)

    def __init__(self, source: RenderService, name: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._source = source
        self._name = name
        self._panes: dict[str, PaneContent] = {}
        self._clicks = count()
        self.camera = Camera(fit="sphere")
        self.style = FINE_STYLE
        self._is_moving = False
        self.scale = 1.0
        self._fine_seconds = ASSUMED_SECONDS
        self._spin_time = 0.0
        self._idle_timer = QTimer(self, interval=IDLE_MS, singleShot=True)
        self._spin = QTimer(self, interval=SPIN_INTERVAL_MS)
        self._idle_timer.timeout.connect(self._render_fine)
        self._spin.timeout.connect(self._spin_step)
        source.rendered.connect(self._show_result)
        source.renderer_changed.connect(self.redraw)

    @property
    def is_spinning(self) -> bool:
        """Whether the spin animation is running."""
        return self._spin.isActive()

    def show(self, panes: Mapping[str, PaneContent]) -> None:
        """Set the panes and their content; only changed panes are rendered."""
        removed = set(self._panes) - set(panes)
        self._source.withdraw(self._name + pane for pane in removed)
        new = [pane for pane, content in panes.items() if self._panes.get(pane) != content]
        self._panes = dict(panes)
        self._request(new)

    def set_camera(self, camera: Camera) -> None:
        """Use this camera for all panes."""
        if camera == self.camera:
            return
        self.camera = camera
        self._is_moving = True
        self._idle_timer.start()
        self._request(self._panes)
        self.camera_changed.emit(camera)

    def reset_camera(self, camera: Camera, style: RenderStyle = FINE_STYLE) -> None:
        """Use the camera and style of the thumbnails, without rendering; called before anything is shown.

        The fit is set to "sphere", so that the size does not change while a model is turned.
        """
        self.camera, self.style = replace(camera, fit="sphere"), style

    def set_style(self, style: RenderStyle) -> None:
        """Use this render style for all panes."""
        if style == self.style:
            return
        self.style = style
        self._request(self._panes)

    def pick(self, pane: str, x: float, y: float, purpose: str = POINTER) -> None:
        """Find the point at a place of a pane, in shares of its image from the upper left corner.

        Emits `picked`, or `marked` where the purpose is `MARK`.

        Only while the camera is at rest: finding it takes as long as an image of a large mesh.
        """
        content = self._panes.get(pane)
        if content is not None and content.comparison is None and not self._is_moving:
            size = content.width, content.height
            pointer = x * content.width, y * content.height
            # A click is not replaced by the next one, as a movement is.
            number = f"{next(self._clicks)} " if purpose == MARK else ""
            name = f"{self._name}{purpose}{number}{pane}"
            request = RenderRequest(
                name, content.path, self.camera, *size, self.style, quantity=content.quantity, pointer=pointer
            )
            self._source.request([request])

    def set_spinning(self, spinning: bool) -> None:
        """Start or stop the spin animation."""
        if spinning == self.is_spinning:
            return
        if spinning:
            self._spin_time = time.monotonic()
            self._spin.start()
        else:
            self._spin.stop()
            self._render_fine()
        self.spinning_changed.emit(spinning)

    @Slot()
    def redraw(self) -> None:
        """Render all panes, since their files or the renderer changed."""
        self._fine_seconds = ASSUMED_SECONDS
        self._request(self._panes)

    @Slot()
    def _render_fine(self) -> None:
        if not self.is_spinning:
            self._is_moving = False
            self._request(self._panes)

    @Slot()
    def _spin_step(self) -> None:
        now = time.monotonic()
        self.set_camera(self.camera.orbited((now - self._spin_time) * SPIN_DEGREES_PER_S, 0.0))
        self._spin_time = now

    def _request(self, panes: Mapping[str, PaneContent] | list[str]) -> None:
        is_quick = self._is_moving and self._fine_seconds * len(self._panes) > FRAME_BUDGET_S
        style = replace(self.style, samples=1, ambient_occlusion=False) if is_quick else self.style
        scale = self.scale if is_quick else 1.0
        requests = []
        for pane in panes:
            content = self._panes[pane]
            # The colours of a comparison are distances.
            shown = style if content.comparison is None else replace(style, values=None)
            shown = replace(shown, marks=tuple(mark.point for mark in content.marks))
            width, height = max(1, round(content.width * scale)), max(1, round(content.height * scale))
            requests.append(
                RenderRequest(
                    self._name + pane,
                    content.path,
                    self.camera,
                    width,
                    height,
                    shown,
                    content.comparison,
                    content.quantity,
                )
            )
        if requests:
            self._source.request(requests)

    @Slot(object)
    def _show_result(self, result: RenderResult) -> None:
        name = result.request.pane.removeprefix(self._name)
        pane = name.removeprefix(MARK).partition(" ")[2] if name.startswith(MARK) else name.removeprefix(POINTER)
        if pane == result.request.pane or pane not in self._panes or self._panes[pane].source != result.request.source:
            return
        if result.request.pointer is not None:
            (self.marked if name.startswith(MARK) else self.picked).emit(pane, result.picked)
            return
        if result.seconds:
            self._adapt(result)
        self.rendered.emit(pane, result)

    def _adapt(self, result: RenderResult) -> None:
        """Adapt the scale so that quick images of all panes take `FRAME_BUDGET_S`, and measure full-quality ones.

        A longer duration of a full-quality image counts at once, a shorter one by half, as the next may be longer.
        """
        if result.request.style.ambient_occlusion:
            before = self._fine_seconds
            self._fine_seconds = max(
                result.seconds, (before + result.seconds) / 2 if before < ASSUMED_SECONDS else result.seconds
            )
        else:
            target_scale = self.scale * (FRAME_BUDGET_S / (result.seconds * len(self._panes))) ** 0.5
            self.scale += SCALE_SMOOTHING * (min(max(target_scale, MIN_SCALE), 1.0) - self.scale)
