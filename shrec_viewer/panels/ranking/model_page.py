"""Panel about the selected model: its mesh, its class, and its rank in every run."""

from dataclasses import replace
from typing import cast

from PySide6.QtCore import QModelIndex, Slot
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QBoxLayout

from shrec_viewer.charts.mesh_pane import MeshPane
from shrec_viewer.content.data import ContentData
from shrec_viewer.content.diagnosis.error_budget import ErrorBudgetRequest
from shrec_viewer.content.diagnosis.reasons import geometry_of_query
from shrec_viewer.content.diagnosis.shape_difference import NearDuplicateRequest, near_duplicate
from shrec_viewer.content.models import FALSE_POSITIVE, RELEVANT, ModelRequest, ranks_of_model
from shrec_viewer.content.request import Request
from shrec_viewer.domain import UNKNOWN_ITEM
from shrec_viewer.evaluation.geometry_evidence import EVIDENCE, geometry_run
from shrec_viewer.evaluation.model_ranks import ModelRanks
from shrec_viewer.panels.mesh_view.near_duplicate import NEAR_DUPLICATE_USES, NearDuplicateLine
from shrec_viewer.panels.request_panel import RequestPanel
from shrec_viewer.render.scene.camera import Camera
from shrec_viewer.render.workers.model_readers import ModelSource
from shrec_viewer.viewmodels.content.data import FOLLOWED, content_data
from shrec_viewer.viewmodels.mesh_view.rendering import RenderResult
from shrec_viewer.viewmodels.mesh_view.scene import CameraController, PaneContent
from shrec_viewer.viewmodels.ranking.model_page import ModelRankTable, model_of_page
from shrec_viewer.viewmodels.session.document import Document
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.labels import count_text, model_class
from shrec_viewer.widgets.controls.controls import ElidingLine
from shrec_viewer.widgets.controls.layouts import column_of, row_of
from shrec_viewer.widgets.controls.plain_text import set_tooltip
from shrec_viewer.widgets.mesh_view.mesh_view import MeshView
from shrec_viewer.widgets.style.theme import SPACE
from shrec_viewer.widgets.tables.record_table import NO_TABLE, Mark, RecordTableModel
from shrec_viewer.widgets.tables.record_view import RecordView

#: Prefix of the render keys of this panel.
PAGE_KEY_PREFIX = "model page "

#: Its only pane.
PANE = "model"

QUERY_TOOLTIPS = {
    RELEVANT: "Queries to which the model is relevant",
    FALSE_POSITIVE: "Queries to which the model is not relevant, but which have it in the first tier of a run: "
    "the first ranks, as many as there are relevant models",
}

#: Minimum and preferred height of the panel in pixels.
PAGE_HEIGHTS = (190, 300)

#: Width of the panel in pixels from which the mesh is beside the table.
SIDE_BY_SIDE_WIDTH = 460

#: Lines of text in the height of the page from which the near-duplicate and the evidence of geometry have a line.
LEAST_LINES = 15

#: Minimum and maximum width of the mesh, and its minimum height, in pixels: with a larger one, large text makes
#: the area that the page shares with graphs higher than the one above.
MESH_WIDTHS, LEAST_MESH_HEIGHT = (96, 260), 130


class ModelPagePanel(RequestPanel[ModelRequest]):
    """The selected model with its ranks; a click on a rank selects its run, query and rank."""

    def __init__(self, session: Session) -> None:
        super().__init__(session, ModelRequest(), "cube", uses=("benchmark", "profile"))
        self._model_id = ""
        self._shown: ModelRankTable | None = None
        self.model = RecordTableModel(self)
        self.table = RecordView(self.model, "Ranks of the model", selects_cells=True, row_margin=2 * SPACE)
        self.kind = self.controls.buttons("by")
        self.mesh = MeshView()
        self.camera_controller = CameraController(session.mesh_view_state.source, PAGE_KEY_PREFIX, self)
        self._caption, self.evidence = ElidingLine(token="muted"), ElidingLine(token="muted")
        self.rigid_geometry = self.computation_of(geometry_of_query, "Rigid geometry")
        self.near_duplicate = NearDuplicateLine(session)
        self.twin = self.computation_of(near_duplicate, "Near-duplicate", uses=NEAR_DUPLICATE_USES)
        self._build()
        self.twin.changed.connect(self._show_twin)
        self.table.clicked.connect(self._select_cell)
        self.table.row_activated.connect(self._open_cell)
        self.mesh.camera_moved.connect(self._move_camera)
        self.mesh.resized.connect(self._show_mesh)
        self.camera_controller.rendered.connect(self._show_rendered)
        self.rigid_geometry.changed.connect(self._show_evidence)
        session.mesh_view_state.camera_changed.connect(self._reset_camera)
        self._reset_camera()
        self.update_request()

    def height_hint(self) -> tuple[int, int]:
        """See `Panel`."""
        return PAGE_HEIGHTS

    @property
    def item(self) -> int:
        """Index in the collection of the model shown; `UNKNOWN_ITEM` for none."""
        return self._session.benchmark.collection.index.get(self._model_id, UNKNOWN_ITEM)

    def request(self) -> ModelRequest | None:
        """See `RequestPanel`; the ranks of the model, whichever of them the table shows."""
        return None if self.item == UNKNOWN_ITEM else ModelRequest(models=(self._model_id,))

    def requests(self) -> tuple[Request, ...]:
        """See `RequestPanel`; the ranks in the order on screen."""
        request, queries = self.request(), cast(list[int], self.model.keys)
        if request is None or not queries:
            return ()
        ids = tuple(self._session.benchmark.queries.ids[query] for query in queries)
        return (replace(request, queries=ids, by=self.options.by),)

    def compute(self, data: ContentData, request: ModelRequest) -> ModelRanks:
        """See `RequestPanel`."""
        return ranks_of_model(data, request)

    def update_request(self) -> None:
        """See `RequestPanel`; a hidden page keeps its model."""
        if self.isVisible():
            self._set_model(model_of_page(self._session, self._model_id))
        super().update_request()
        if not self.computation.is_current:
            self.show_reason()
        run, query = (FOLLOWED[name](self._session) for name in ("run", "query"))
        is_known = run and query and self.item != UNKNOWN_ITEM and geometry_run(self._session.benchmark) is not None
        self.rigid_geometry.set_request(ErrorBudgetRequest(runs=run, query=query[0]) if is_known else None)
        self._show_evidence()

    def show_options(self) -> None:
        """See `RequestPanel`."""
        self._show()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt override: the mesh is beside the table where there is space."""
        super().resizeEvent(event)
        directions = QBoxLayout.Direction
        is_wide = self.width() >= SIDE_BY_SIDE_WIDTH
        self._box.setDirection(directions.LeftToRight if is_wide else directions.TopToBottom)
        self._show_twin()
        self._show_evidence()

    def showEvent(self, event: QShowEvent) -> None:
        """Request the mesh."""
        super().showEvent(event)
        self._show_model()

    def hideEvent(self, event: QHideEvent) -> None:
        """Stop rendering."""
        super().hideEvent(event)
        self.camera_controller.show({})

    def _build(self) -> None:
        for key, tip in QUERY_TOOLTIPS.items():
            set_tooltip(self.kind.button(key), tip)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.table.mark_columns()
        self.mesh.setMinimumWidth(MESH_WIDTHS[0])
        self.mesh.setMaximumWidth(MESH_WIDTHS[1])
        self.mesh.setMinimumHeight(LEAST_MESH_HEIGHT)
        header = row_of(self.kind, (self._caption, 1), spacing=2 * SPACE, margins=(2 * SPACE, SPACE, 2 * SPACE, SPACE))
        evidence = row_of((self.evidence, 1), margins=(2 * SPACE, 0, 2 * SPACE, SPACE))
        self.evidence.setVisible(False)
        right = column_of(header, evidence, self.near_duplicate, (self.table, 1), spacing=0, margins=0)
        self._box = row_of((self.mesh, 1), (right, 2), spacing=SPACE, margins=(SPACE, 0, 0, 0))
        self._box.setDirection(QBoxLayout.Direction.TopToBottom)
        self.content.setLayout(self._box)
        self.setFocusProxy(self.table)

    # The model.

    def show_changes(self, old: Document, new: Document) -> None:
        """See `RequestPanel`; no model of a benchmark that was just opened is shown until one is selected."""
        if new.differs(old, "benchmark"):
            self._set_model("")
        super().show_changes(old, new)

    def _set_model(self, model: str) -> None:
        if model != self._model_id:
            self._model_id = model
            self._show_model()
        self.twin.set_request(None if self.item == UNKNOWN_ITEM else NearDuplicateRequest(self.item))
        self._show_twin()

    @Slot()
    def _show_twin(self) -> None:
        self.near_duplicate.show_result(self.item, self.twin.result if self._has_room else None)

    @property
    def _has_room(self) -> bool:
        """Whether lines about the model leave enough room for its ranks, and other panels of the area their sizes."""
        return self.height() >= LEAST_LINES * self.fontMetrics().height()

    def _show_model(self) -> None:
        benchmark, item = self._session.benchmark, self.item
        if item == UNKNOWN_ITEM:
            self.show_reason()
            return
        problem = "" if benchmark.collection.paths[item] is not None else "no file"
        self.mesh.set_text(MeshPane(PANE, "Model", self._model_id, model_class(benchmark, item), problem=problem))
        self._show_mesh()

    @Slot()
    def _show_mesh(self) -> None:
        if not self.isVisible() or self.item == UNKNOWN_ITEM:
            return
        path = self._session.benchmark.collection.paths[self.item]
        self.camera_controller.show(
            {} if path is None else {PANE: PaneContent(ModelSource(path), *self.mesh.pixel_size())}
        )

    @Slot(str, object)
    def _show_rendered(self, _pane: str, result: RenderResult) -> None:
        if result.image is not None:
            self.mesh.set_image(result.image, turnable=not result.info.is_image_file)
        elif result.problem:
            text = self.mesh.text
            self.mesh.set_text(MeshPane(PANE, text.role, text.title, text.detail, problem=result.problem))

    @Slot(object)
    def _move_camera(self, camera: Camera) -> None:
        self.camera_controller.set_camera(camera)
        self.mesh.set_camera(camera)

    @Slot()
    def _reset_camera(self) -> None:
        camera = self._session.mesh_view_state.camera
        self.camera_controller.reset_camera(camera)
        self.mesh.set_camera(camera)

    # The ranks.

    def show_reason(self) -> None:
        """See `RequestPanel`; while the model is ranked, its mesh is shown."""
        self._shown = None
        self.model.set_table(NO_TABLE)
        self._caption.setText("Ranking…")
        if not self._session.is_open:
            self.show_empty("No benchmark is open")
        elif self.item == UNKNOWN_ITEM:
            self.show_empty("No model is selected", "Select a model in a ranked list.")
        else:
            self.show_content()

    def show_result(self, result: ModelRanks) -> None:
        """See `RequestPanel`."""
        data = content_data(self._session)
        if not self.computation.is_current:
            return
        shown = self._shown = ModelRankTable(data, result, self.options.by)
        self.model.set_table(
            shown.table,
            shown.queries,
            headers=shown.headers,
            tips=shown.tip,
            marks=lambda row, column: Mark(level=0) if shown.is_error(row, column) else None,
            sort_keys=shown.sort_keys,
        )
        counts = (
            f"relevant to {count_text(len(result.relevant_queries), 'query', 'queries')}",
            f"false positive for {count_text(len(result.false_positive_queries), 'query', 'queries')}",
        )
        if data.benchmark.assessment is None:
            text = "No relevance assessment."
        else:
            text = " · ".join(counts)
            if shown.n_left_out:
                text += f" · {shown.n_left_out:,} not shown"
        self._caption.setText(text, "")  # an elided number would be another number
        set_tooltip(self._caption, text)
        self._show_evidence()

    @Slot()
    def _show_evidence(self) -> None:
        """What rigid geometry says about the model in the list of the selected run."""
        found = self.rigid_geometry.result if self.rigid_geometry.is_current else None
        ranks = self.computation.result if self.computation.is_current else None
        selection, text = self._session.selection, ""
        if found is not None and ranks is not None and ranks.model == self.item:
            said = found.sentence(self.item, int(ranks.ranks[selection.run, selection.query]))
            text = f"{self._session.benchmark.queries.ids[selection.query]}: {said}" if said else ""
        self.evidence.setText(text)
        set_tooltip(self.evidence, f"{text}\n{EVIDENCE.capitalize()}" if text else "")
        self.evidence.setVisible(bool(text) and self._has_room)

    @Slot(QModelIndex)
    def _select_cell(self, index: QModelIndex) -> None:
        if self._shown is not None:
            query, run, rank = self._shown.cell(
                self._shown.queries.index(cast(int, self.model.key(index.row()))), index.column()
            )
            self._session.select(query=query, run=run, rank=rank or None)

    @Slot(object)
    def _open_cell(self, _key: object) -> None:
        self._select_cell(self.table.currentIndex())
        self._session.cursor_state.request_view("query")
