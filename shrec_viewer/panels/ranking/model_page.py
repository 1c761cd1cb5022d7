"""Panel about the selected model: its mesh, its class, and its rank in every run."""

from collections.abc import Mapping
from typing import Any, cast

from PySide6.QtCore import QModelIndex, Slot
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout, QVBoxLayout

from shrec_viewer.content.models import FALSE_POSITIVE, RELEVANT, ModelRequest
from shrec_viewer.domain import UNKNOWN_ITEM
from shrec_viewer.panels.export.content import ExportContent
from shrec_viewer.panels.panel import BasePanel, row_layout
from shrec_viewer.render.scene.camera import Camera
from shrec_viewer.viewmodels.content.data import content_data
from shrec_viewer.viewmodels.mesh_view.rendering import RenderResult
from shrec_viewer.viewmodels.mesh_view.scene import CameraController, PaneContent
from shrec_viewer.viewmodels.ranking.model_page import ModelRankTable, SelectedModel
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.labels import count_text, model_class
from shrec_viewer.widgets.controls.controls import ElidingLine, SegmentedButtons
from shrec_viewer.widgets.controls.plain_text import set_tooltip
from shrec_viewer.widgets.mesh_view.mesh_view import MeshCaption, MeshView
from shrec_viewer.widgets.style.theme import SPACE
from shrec_viewer.widgets.tables.record_table import NO_TABLE, Mark, RecordTableModel
from shrec_viewer.widgets.tables.record_view import RecordView

PAGE_KEY_PREFIX = "model page "
"""Prefix of the render keys of this panel."""

PANE = "model"
"""Its only pane."""

KINDS = ((RELEVANT, "Relevant to"), (FALSE_POSITIVE, "False positive"))
"""Queries of the table: key and label."""

KIND_TOOLTIPS = (
    "Queries to which the model is relevant",
    "Queries to which the model is not relevant, but which have it in the first tier of a run: "
    "the first ranks, as many as there are relevant models",
)

PAGE_HEIGHTS = (190, 300)
"""Minimum and preferred height of the panel in pixels."""

MESH_WIDTHS = (110, 260)
"""Minimum and maximum width of the mesh in pixels."""


class ModelPagePanel(BasePanel):
    """The selected model with its ranks; a click on a rank selects its run, query and rank."""

    def __init__(self, session: Session) -> None:
        super().__init__("cube")
        self._session = session
        self.selected = SelectedModel(session, self)
        self.model = RecordTableModel(self)
        self.table = RecordView(self.model, "Ranks of the model", selects_cells=True, row_margin=2 * SPACE)
        self._shown: ModelRankTable | None = None
        self.kind = SegmentedButtons(KINDS)
        self.mesh = MeshView()
        self.camera_controller = CameraController(session.mesh_view_state.source, PAGE_KEY_PREFIX, self)
        self._caption = ElidingLine(token="muted")
        self._build()
        self.add_active_model(self.selected)
        self.kind.selected.connect(self._show_ranks)
        self.table.clicked.connect(self._select_cell)
        self.table.row_activated.connect(self._open_cell)
        self.selected.changed.connect(self._show_ranks)
        self.selected.model_changed.connect(self._show_model)
        self.mesh.camera_moved.connect(self._move_camera)
        self.mesh.resized.connect(self._show_mesh)
        self.camera_controller.rendered.connect(self._show_rendered)
        session.benchmark_changed.connect(self._show_model)
        session.benchmark_changed.connect(self._show_ranks)
        session.mesh_view_state.camera_changed.connect(self._reset_camera)
        self._reset_camera()
        self._show_model()
        self._show_ranks()

    def height_hint(self) -> tuple[int, int]:
        """See `Panel`."""
        return PAGE_HEIGHTS

    def view_state(self) -> dict[str, Any]:
        """See `Panel`."""
        return {"of": self.kind.current}

    def restore_view_state(self, state: Mapping[str, Any]) -> None:
        """See `Panel`; unknown values are ignored."""
        if state.get("of") in (RELEVANT, FALSE_POSITIVE):
            self.kind.set_current(state["of"])
            self._show_ranks()

    def export_content(self) -> ExportContent:
        """See `Panel`; the ranks in the order on screen."""
        benchmark, item = self._session.benchmark, self.selected.item
        if benchmark is None or item == UNKNOWN_ITEM or self.selected.ranks is None:
            return ExportContent()
        model, queries = benchmark.collection.ids[item], cast(list[int], self.model.keys)
        if not queries:
            return ExportContent(names=(model,))
        ids = tuple(benchmark.queries.ids[query] for query in queries)
        request = ModelRequest(models=(model,), queries=ids, by=self.kind.current)
        return ExportContent(table=request, names=(model,))

    def showEvent(self, event: QShowEvent) -> None:
        """Request the mesh."""
        super().showEvent(event)
        self._show_model()

    def hideEvent(self, event: QHideEvent) -> None:
        """Stop rendering."""
        super().hideEvent(event)
        self.camera_controller.show({})

    def _build(self) -> None:
        for (key, _), tip in zip(KINDS, KIND_TOOLTIPS, strict=True):
            set_tooltip(self.kind.button(key), tip)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.table.mark_columns()
        self.mesh.setMinimumWidth(MESH_WIDTHS[0])
        self.mesh.setMaximumWidth(MESH_WIDTHS[1])
        header = row_layout()
        header.addWidget(self.kind)
        header.addWidget(self._caption, 1)
        right = QVBoxLayout()
        right.setContentsMargins(0, 0, 0, 0)
        right.setSpacing(0)
        right.addLayout(header)
        right.addWidget(self.table, 1)
        layout = QHBoxLayout(self.content)
        layout.setContentsMargins(SPACE, 0, 0, 0)
        layout.setSpacing(SPACE)
        layout.addWidget(self.mesh, 1)
        layout.addLayout(right, 2)
        self.setFocusProxy(self.table)

    # The model.

    @Slot()
    def _show_model(self) -> None:
        benchmark, item = self._session.benchmark, self.selected.item
        if benchmark is None:
            self.show_empty("No benchmark is open")
            return
        if item == UNKNOWN_ITEM:
            self.show_empty("No model is selected", "Select a model in a ranked list.")
            return
        self.show_content()
        path = benchmark.collection.paths[item]
        problem = "" if path is not None else "no file"
        title, detail = benchmark.collection.ids[item], model_class(benchmark, item)
        self.mesh.set_text(MeshCaption(PANE, "Model", title, detail, problem=problem))
        self._show_mesh()

    @Slot()
    def _show_mesh(self) -> None:
        benchmark, item = self._session.benchmark, self.selected.item
        if not self.isVisible() or benchmark is None or item == UNKNOWN_ITEM:
            return
        path = benchmark.collection.paths[item]
        self.camera_controller.show({} if path is None else {PANE: PaneContent(path, *self.mesh.pixel_size())})

    @Slot(str, object)
    def _show_rendered(self, _pane: str, result: RenderResult) -> None:
        if result.image is not None:
            self.mesh.set_image(result.image, turnable=not result.info.is_image_file)
        elif result.problem:
            text = self.mesh.text
            self.mesh.set_text(MeshCaption(PANE, text.role, text.title, text.detail, problem=result.problem))

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

    @Slot()
    def _show_ranks(self, *_: object) -> None:
        data, ranks = content_data(self._session), self.selected.ranks
        if data is None or ranks is None or len(ranks.ranks) != len(data.benchmark.runs):
            self._shown = None
            self.model.set_table(NO_TABLE)
            self._caption.setText("Ranking…")
            return
        shown = self._shown = ModelRankTable(data, ranks, self.kind.current)
        self.model.set_table(
            shown.table,
            shown.queries,
            headers=shown.headers,
            tips=shown.tip,
            marks=lambda row, column: Mark(level=0) if shown.is_error(row, column) else None,
            sort_keys=shown.sort_keys,
        )
        counts = (
            f"relevant to {count_text(len(ranks.relevant_queries), 'query', 'queries')}",
            f"false positive for {count_text(len(ranks.false_positive_queries), 'query', 'queries')}",
        )
        if data.benchmark.assessment is None:
            text = "No relevance assessment."
        else:
            text = " · ".join(counts)
            if shown.n_left_out:
                text += f" · {shown.n_left_out:,} not shown"
        self._caption.setText(text, "")  # an elided number would be another number
        set_tooltip(self._caption, text)

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
