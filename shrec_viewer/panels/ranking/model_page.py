"""Panel about the selected model: its mesh, its class, and its rank in every run."""

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSortFilterProxyModel, Qt, Slot
from PySide6.QtGui import QColor, QHideEvent, QPainter, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from shrec_viewer.content.models import ModelRequest
from shrec_viewer.domain import UNKNOWN_ITEM
from shrec_viewer.panels.export.content import ExportContent
from shrec_viewer.panels.panel import BasePanel, row_layout
from shrec_viewer.render.scene.camera import Camera
from shrec_viewer.viewmodels.mesh_view.rendering import RenderResult
from shrec_viewer.viewmodels.mesh_view.scene import CameraController, PaneContent
from shrec_viewer.viewmodels.ranking.model_page import (
    FALSE_POSITIVE,
    RELEVANT,
    ModelRanksTable,
    RankRole,
    SelectedModel,
)
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.labels import count_text, model_class
from shrec_viewer.widgets.controls.controls import ElidingLine, SegmentedButtons
from shrec_viewer.widgets.controls.plain_text import ItemTooltips, set_tooltip
from shrec_viewer.widgets.mesh_view.mesh_view import MeshCaption, MeshView
from shrec_viewer.widgets.style.relevance import level_mark
from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme

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


class ModelRankDelegate(QStyledItemDelegate):
    """Paints the background of false positives in the colour of irrelevant models."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.colour = QColor()

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Paint a cell."""
        if index.data(RankRole.ERROR) and self.colour.isValid():
            painter.fillRect(option.rect, self.colour)
        super().paint(painter, option, index)


class ModelPagePanel(BasePanel):
    """The selected model with its ranks; a click on a rank selects its run, query and rank."""

    def __init__(self, session: Session) -> None:
        super().__init__("cube")
        self._session = session
        self.selected = SelectedModel(session, self)
        self.model = ModelRanksTable(session, self.selected, self)
        self.table = QTableView()
        self.kind = SegmentedButtons(KINDS)
        self.mesh = MeshView()
        self.camera_controller = CameraController(session.mesh_view_state.source, PAGE_KEY_PREFIX, self)
        self._caption = ElidingLine(token="muted")
        self._delegate = ModelRankDelegate(self.table)
        self._order = QSortFilterProxyModel(self)
        self._build()
        self.set_theme(current_theme())
        self.add_active_model(self.selected)
        self.kind.selected.connect(self._select_kind)
        self.table.clicked.connect(self._select_cell)
        self.table.activated.connect(self._open_cell)
        self.model.modelReset.connect(self._show_ranks)
        self.selected.model_changed.connect(self._show_model)
        self.mesh.camera_moved.connect(self._move_camera)
        self.mesh.resized.connect(self._show_mesh)
        self.camera_controller.rendered.connect(self._show_rendered)
        session.benchmark_changed.connect(self._show_model)
        session.mesh_view_state.camera_changed.connect(self._reset_camera)
        self._reset_camera()
        self._show_model()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme; children are updated by `apply_theme`."""
        self._delegate.colour = level_mark(0, theme).colour
        self._delegate.colour.setAlphaF(0.18)
        self._fit_table()

    def height_hint(self) -> tuple[int, int]:
        """See `Panel`."""
        return PAGE_HEIGHTS

    def view_state(self) -> dict[str, Any]:
        """See `Panel`."""
        return {"of": self.model.of}

    def restore_view_state(self, state: Mapping[str, Any]) -> None:
        """See `Panel`; unknown values are ignored."""
        if state.get("of") in (RELEVANT, FALSE_POSITIVE):
            self.kind.set_current(state["of"])
            self.model.set_of(state["of"])

    def export_content(self) -> ExportContent:
        """See `Panel`; the ranks in the order on screen."""
        benchmark, item = self._session.benchmark, self.selected.item
        if benchmark is None or item == UNKNOWN_ITEM or self.selected.ranks is None:
            return ExportContent()
        model = benchmark.collection.ids[item]
        cells = [self._order.mapToSource(self._order.index(row, 0)) for row in range(self._order.rowCount())]
        rows = [self.model.cell(cell)[0] for cell in cells]
        if not rows:
            return ExportContent(names=(model,))
        queries = tuple(benchmark.queries.ids[query] for query in rows)
        request = ModelRequest(models=(model,), queries=queries, by=self.model.of)
        return ExportContent(table=request, names=(model,))

    def showEvent(self, event: QShowEvent) -> None:
        """Request the mesh."""
        super().showEvent(event)
        self._show_model()
        self._fit_table()

    def hideEvent(self, event: QHideEvent) -> None:
        """Stop rendering."""
        super().hideEvent(event)
        self.camera_controller.show({})

    def _build(self) -> None:
        for (key, _), tip in zip(KINDS, KIND_TOOLTIPS, strict=True):
            set_tooltip(self.kind.button(key), tip)
        self._order.setSourceModel(self.model)
        self._order.setSortRole(RankRole.SORT)
        table = self.table
        ItemTooltips(table)
        table.setModel(self._order)
        table.setItemDelegate(self._delegate)
        table.setSortingEnabled(True)
        table.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        table.setShowGrid(False)
        table.setFrameShape(QFrame.Shape.NoFrame)
        table.setTabKeyNavigation(False)
        table.setWordWrap(False)
        table.verticalHeader().hide()
        table.setAccessibleName("Ranks of the model")
        self.mesh.setMinimumWidth(MESH_WIDTHS[0])
        self.mesh.setMaximumWidth(MESH_WIDTHS[1])
        header = row_layout()
        header.addWidget(self.kind)
        header.addWidget(self._caption, 1)
        right = QVBoxLayout()
        right.setContentsMargins(0, 0, 0, 0)
        right.setSpacing(0)
        right.addLayout(header)
        right.addWidget(table, 1)
        layout = QHBoxLayout(self.content)
        layout.setContentsMargins(SPACE, 0, 0, 0)
        layout.setSpacing(SPACE)
        layout.addWidget(self.mesh, 1)
        layout.addLayout(right, 2)
        self.setFocusProxy(table)

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
        self._show_ranks()

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
    def _show_ranks(self) -> None:
        benchmark = self._session.benchmark
        if benchmark is None or self.selected.item == UNKNOWN_ITEM:
            return
        if self.selected.ranks is None:
            self._caption.setText("Ranking…")
            return
        relevant, errors = self.model.counts
        counts = (
            f"relevant to {count_text(relevant, 'query', 'queries')}",
            f"false positive for {count_text(errors, 'query', 'queries')}",
        )
        if benchmark.assessment is None:
            text = "No relevance assessment."
        else:
            text = " · ".join(counts)
            if self.model.n_left_out:
                text += f" · {self.model.n_left_out:,} not shown"
        self._caption.setText(text, "")  # an elided number would be another number
        set_tooltip(self._caption, text)
        self._fit_table()

    def _fit_table(self) -> None:
        """Adapt rows and columns to their texts and the font, now or when the panel is shown."""
        if not self.table.isVisible():  # the columns of 30 queries and 13 runs take 15 ms
            return
        self.table.verticalHeader().setDefaultSectionSize(self.table.fontMetrics().height() + 2 * SPACE)
        self.table.resizeColumnsToContents()
        self.table.viewport().update()

    @Slot(str)
    def _select_kind(self, kind: str) -> None:
        self.model.set_of(kind)

    @Slot(QModelIndex)
    def _select_cell(self, index: QModelIndex) -> None:
        query, run, rank = self.model.cell(self._order.mapToSource(index))
        self._session.select(query=query, run=run, rank=rank or None)

    @Slot(QModelIndex)
    def _open_cell(self, index: QModelIndex) -> None:
        self._select_cell(index)
        self._session.cursor_state.request_view("query")
