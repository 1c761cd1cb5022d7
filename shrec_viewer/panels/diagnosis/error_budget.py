"""Panel of the error budget of the selected run: its causes, with the false positives of each."""

from dataclasses import dataclass, replace

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QToolButton, QWidget

from shrec_viewer.charts.bars import Bars
from shrec_viewer.charts.plot import Plot
from shrec_viewer.charts.strips import Strips, Tile
from shrec_viewer.charts.table import Table
from shrec_viewer.content.data import ContentData
from shrec_viewer.content.diagnosis.error_budget import (
    ErrorBudgetRequest,
    FalsePositivesRequest,
    RepairRequest,
    budget_title,
    error_budget,
    false_positives_table,
    repair,
    run_budget,
)
from shrec_viewer.content.diagnosis.examples import false_positive_strips
from shrec_viewer.content.request import Request
from shrec_viewer.content.styles import with_styles
from shrec_viewer.diagnosis.error_budget import DIVIDED, REPAIRED, ErrorBudget
from shrec_viewer.evaluation.geometry_evidence import EVIDENCE, GEOMETRY, geometry_run
from shrec_viewer.evaluation.rigid_distances import expected_cost
from shrec_viewer.formats.manifest.run_changes import VirtualRun
from shrec_viewer.panels.chart_panel import PlotView
from shrec_viewer.panels.diagnosis.slices import SliceBox
from shrec_viewer.panels.diagnosis.strips import BudgetPanel, FoldingSplitter, RestrictionButton, StripsView
from shrec_viewer.panels.panel import WrappingRow, row_layout
from shrec_viewer.viewmodels.content.data import content_data, styles_by_name
from shrec_viewer.viewmodels.files.virtual_runs import add_virtual_runs, remove_virtual_run
from shrec_viewer.viewmodels.session.document import Document
from shrec_viewer.viewmodels.session.session import COMPUTING, Session
from shrec_viewer.widgets.controls.controls import ElidingLabel, SummaryLabel
from shrec_viewer.widgets.controls.plain_text import set_tooltip
from shrec_viewer.widgets.plots.bar_chart import BarChart
from shrec_viewer.widgets.tables.record_table import RecordTableModel
from shrec_viewer.widgets.tables.record_view import RecordView

#: Widths in pixels of the causes and the false positives.
SPLIT_SIZES = (340, 330)


@dataclass(frozen=True, eq=False)
class BudgetView:
    """What the panel shows: the sentence, bars, curves without one cause and the request for them, false positives."""

    title: str
    bars: Bars
    repaired: RepairRequest | None
    curve: Plot | None
    models: Table
    strips: Strips


class ErrorBudgetPanel(BudgetPanel[ErrorBudgetRequest]):
    """What the selected run loses by cause; a click on a cause restricts all views to the models that carry it."""

    def __init__(self, session: Session) -> None:
        super().__init__(session, ErrorBudgetRequest(), "curves", uses=("scores",))
        self.lead, self.title = ElidingLabel(bold=True), SummaryLabel()
        self.slices, self.restriction = SliceBox(session), RestrictionButton(session)
        self.compare = CompareShapesButton(session, self)
        self.bars, self.curve, self.model = BarChart(), PlotView(), RecordTableModel(self)
        self.strips = StripsView(session, "false positives")
        self.table = RecordView(self.model, "False positives")
        self.curve.setVisible(False)
        # Without a label, so that the button of the restriction fits: a row more would move the bars under the mouse.
        options = self.controls.control("measure"), self.controls.control("difference"), self.slices
        header = WrappingRow(options, (self.restriction, self.compare), top=0)
        first = row_layout(bottom=0, spacing=0)
        first.addWidget(self.lead, 0, Qt.AlignmentFlag.AlignTop)
        first.addWidget(self.title, 1)
        split = FoldingSplitter(((self.bars, self.curve), (self.strips, self.table)), SPLIT_SIZES)
        self.set_body(first, header, split, stretch=split)
        self.setFocusProxy(self.bars)
        self.bars.bar_picked.connect(self._pick_cause)
        self.strips.tile_picked.connect(self._pick_tile)
        self.table.row_selected.connect(self._pick_model)
        self.update_request()

    def requests(self) -> tuple[Request, ...]:
        """See `RequestPanel`; the bars, the false positives in the order on screen, and the curves of a repair."""
        request, shown = self.request(), self.computation.result
        if request is None or shown is None or self.is_empty:
            return ()
        models = replace(_models_of(request), sort=self.model.sorting)
        return request, models, *(() if shown.repaired is None else (shown.repaired,))

    def compute(self, data: ContentData, request: ErrorBudgetRequest) -> BudgetView:
        """See `RequestPanel`."""
        repaired, models = _repair_of(request, run_budget(data, request).budget), _models_of(request)
        return BudgetView(
            budget_title(data, request),
            error_budget(data, request),
            repaired,
            None if repaired is None else repair(data, repaired),
            false_positives_table(data, models),
            false_positive_strips(data, models),
        )

    def show_result(self, result: BudgetView) -> None:
        """See `RequestPanel`."""
        request = self.request()
        if request is None:
            return
        styles = styles_by_name(self._session, self.theme_name)
        lead, colon, rest = result.title.partition(": ")
        self.lead.setText(lead + colon)
        self.lead.setVisible(bool(colon))
        self.title.set_summary(rest or lead)
        self.bars.set_chart(with_styles(result.bars, styles))
        self.bars.set_selected(request.cause)
        self.curve.setVisible(result.curve is not None)
        if result.curve is not None:
            self.curve.set_chart(with_styles(result.curve, styles))
        headers = [(column.title or column.key).capitalize() for column in result.models.columns]
        self.model.set_table(result.models, [row[0] for row in result.models.rows], headers=headers)
        self.strips.set_chart(result.strips)

    def show_changes(self, old: Document, new: Document) -> None:
        """See `RequestPanel`."""
        super().show_changes(old, new)
        self.bars.set_selected(new.selection.cause)

    @Slot(str)
    def _pick_cause(self, cause: str) -> None:
        """Restrict all views to one cause; a second click shows all again."""
        self._session.select(cause="" if cause in (self._session.selection.cause, *NO_PAIRS) else cause)

    @Slot(int, object)
    def _pick_tile(self, row: int, tile: Tile) -> None:
        """Open the page of a model, or select the list of a query that it costs most."""
        self._pick_model(self.strips.strips.title(row), query=tile.index if tile.is_query else None)
        if not tile.is_query:
            self._session.cursor_state.request_view("model")

    @Slot(object)
    def _pick_model(self, model: str | None, query: int | None = None) -> None:
        """Select a model: its rank in the list of the query, or where it costs most."""
        request, benchmark = self.request(), self._session.benchmark
        if model is None or request is None:
            return
        found, index = run_budget(content_data(self._session), request), benchmark.collection.index[model]
        if query is None:
            worst = int(found.budget.costliest_queries[index])
            query = benchmark.queries.index[request.query] if request.query else worst
        if query >= 0:
            self._session.select(query=query, rank=found.rank_of(query, index))


class CompareShapesButton(QToolButton):
    """Adds the virtual run by rigid geometry, for the column of false positives that look alike; hidden if it is there.

    What that costs is in the text and the tooltip.
    """

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)  # shown without one, it would be a window and take the focus
        self._session = session
        self.setAutoRaise(True)
        self.clicked.connect(self._add)
        session.changed.connect(self._follow_session)
        session.tasks.ended.connect(self._show)
        self._show()

    @Slot(object, object)
    def _follow_session(self, old: Document, new: Document) -> None:
        if new.differs(old, "benchmark", "runs", "edits"):
            self._show()

    @property
    def _is_wanted(self) -> bool:
        return VirtualRun(GEOMETRY) in self._session.edits.edited.runs.virtual

    @Slot()
    def _show(self) -> None:
        benchmark = self._session.benchmark
        has_files = any(benchmark.collection.files()) and any(path is not None for path in benchmark.queries.paths)
        self.setVisible(has_files and geometry_run(benchmark) is None)
        if self.isHidden():
            return
        cost, is_running = expected_cost(benchmark), self._is_wanted and self._session.tasks.is_busy(COMPUTING)
        self.setEnabled(not is_running)
        self.setText("Comparing shapes…" if is_running else f"Compare shapes, {cost.time}")
        what = "Adds the column 'looks alike' to the false positives, as the virtual run geometry()"
        set_tooltip(self, f"{what}. It {cost.text}.\n{EVIDENCE.capitalize()}")

    @Slot()
    def _add(self) -> None:
        if self._is_wanted:  # it was cancelled, or failed
            remove_virtual_run(self._session, GEOMETRY)
        add_virtual_runs(self._session, [GEOMETRY])


#: Causes that no irrelevant model carries, and without a repair.
NO_PAIRS = ("undefined", "missing", "levels")


def _models_of(request: ErrorBudgetRequest) -> FalsePositivesRequest:
    """The false positives beside the bars."""
    cause = request.cause if request.cause in DIVIDED else ""
    return request.of(FalsePositivesRequest, query=request.query, cause=cause, models=request.models)


def _repair_of(request: ErrorBudgetRequest, budget: ErrorBudget) -> RepairRequest | None:
    """The curves below the bars: without the chosen cause, or the one that carries most."""
    shares = {one.cause: one.share for one in budget.causes if one.cause in REPAIRED and one.share}
    cause = request.cause or max(shares, key=lambda name: shares[name] or 0.0, default="")
    if cause not in REPAIRED or request.compared or request.models:
        return None
    return request.of(RepairRequest, query=request.query, cause=cause)
