"""Panels of the error budget of the selected run: its causes with the false positives of each, and of each query."""

from dataclasses import dataclass, replace

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QSplitter

from shrec_viewer.charts.bars import Bars
from shrec_viewer.charts.table import Table
from shrec_viewer.content.data import ContentData
from shrec_viewer.content.diagnosis.error_budget import (
    ErrorBudgetRequest,
    FalsePositivesRequest,
    QueryCausesRequest,
    budget_bars,
    budget_title,
    query_causes_table,
    run_budget,
    table_of_false_positives,
)
from shrec_viewer.content.request import Request
from shrec_viewer.content.styles import with_styles
from shrec_viewer.diagnosis.error_budget import DIVIDED
from shrec_viewer.panels.panel import row_layout
from shrec_viewer.panels.plots.plot_panel import MEAN, QUERY
from shrec_viewer.panels.request_panel import RequestPanel
from shrec_viewer.viewmodels.content.data import content_data, styles_by_name
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.widgets.controls.controls import ElidingLine, SegmentedButtons
from shrec_viewer.widgets.controls.plain_text import set_tooltip
from shrec_viewer.widgets.plots.bar_chart import BarChart
from shrec_viewer.widgets.tables.record_table import RecordTableModel
from shrec_viewer.widgets.tables.record_view import RecordView

SPLIT_SIZES = (460, 460)
"""Widths in pixels of the causes and the false positives."""


@dataclass(frozen=True, eq=False)
class BudgetView:
    """What the panel shows: the sentence, the bars, and the false positives of the cause."""

    title: str
    bars: Bars
    models: Table


class ErrorBudgetPanel(RequestPanel[ErrorBudgetRequest]):
    """What the selected run loses by cause; a click on a cause lists the models that carry it."""

    waiting = "Dividing the loss…"

    def __init__(self, session: Session) -> None:
        super().__init__(session, ErrorBudgetRequest(), "curves", uses=("scores",))
        self._cause = ""
        self.title, self.scope = ElidingLine(), SegmentedButtons(((QUERY, "Query"), (MEAN, "Mean")))
        self.bars, self.model = BarChart(), RecordTableModel(self)
        self.table = RecordView(self.model, "False positives")
        header = row_layout()
        header.addWidget(self.title, 1)
        for widget in (*self.controls.row(), self.scope):
            header.addWidget(widget)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setChildrenCollapsible(False)
        split.addWidget(self.bars)
        split.addWidget(self.table)
        split.setSizes(list(SPLIT_SIZES))
        self.set_body(header, split, stretch=split)
        self.scope.selected.connect(self._choose_scope)
        self.bars.bar_picked.connect(self._pick_cause)
        self.table.row_selected.connect(self._pick_model)
        self.update_request()

    def requests(self) -> tuple[Request, ...]:
        """See `RequestPanel`; the bars, and the false positives in the order on screen."""
        request = None if self.is_empty else self.request()
        if request is None:
            return ()
        return request, replace(self._models_request(request), sort=self.model.sorting)

    def _models_request(self, request: ErrorBudgetRequest) -> FalsePositivesRequest:
        cause = self._cause if self._cause in DIVIDED else ""
        return FalsePositivesRequest(
            runs=request.runs, measure=request.measure, k=request.k, query=request.query, cause=cause
        )

    def compute(self, data: ContentData, request: ErrorBudgetRequest) -> BudgetView:
        """See `RequestPanel`."""
        found = run_budget(data, request)
        models = table_of_false_positives(data, self._models_request(request), found)
        return BudgetView(budget_title(request, found), budget_bars(data, request, found), models)

    def show_result(self, result: BudgetView) -> None:
        """See `RequestPanel`."""
        request, title = self.request(), result.title
        if request is None:
            return
        self.scope.set_current(QUERY if request.query else MEAN)
        shorter = [text for text in (title.rpartition("; ")[0], title.partition(": ")[0]) if text]
        self.title.setText(title, *shorter, "")  # the tooltip has all of it
        set_tooltip(self.title, title)
        self.bars.set_chart(with_styles(result.bars, styles_by_name(self._session, self.theme_name)))
        self._show_models(result.models)

    def _show_models(self, table: Table) -> None:
        headers = [(column.title or column.key).capitalize() for column in table.columns]
        self.model.set_table(table, [row[0] for row in table.rows], headers=headers)
        self.bars.set_selected(self._cause)

    @Slot(str)
    def _choose_scope(self, scope: str) -> None:
        self._session.select(means=scope == MEAN)

    @Slot(str)
    def _pick_cause(self, cause: str) -> None:
        """List the models of one cause; a second click lists all again."""
        self._cause = "" if cause in (self._cause, *NO_MODELS) else cause
        request = self.request()
        if request is not None:
            data = content_data(self._session)
            self._show_models(table_of_false_positives(data, self._models_request(request), run_budget(data, request)))

    @Slot(object)
    def _pick_model(self, model: str | None) -> None:
        """Select a model: its rank in the list of the query, or where it costs most."""
        request, benchmark = self.request(), self._session.benchmark
        if model is None or request is None:
            return
        found, index = run_budget(content_data(self._session), request), benchmark.collection.index[model]
        worst = int(found.budget.costliest_queries[index])
        query = benchmark.queries.index[request.query] if request.query else worst
        if query >= 0:
            self._session.select(query=query, rank=found.rank_of(query, index))


NO_MODELS = ("undefined", "missing", "unlisted", "levels")
"""Causes that no irrelevant model carries."""


class QueryCausesPanel(RequestPanel[QueryCausesRequest]):
    """A row for each query: what it loses by each cause, and why."""

    waiting = "Dividing the loss…"

    def __init__(self, session: Session) -> None:
        super().__init__(session, QueryCausesRequest(), "list", uses=("scores",))
        self.model = RecordTableModel(self)
        self.table = RecordView(self.model, "Causes by query")
        header = row_layout()
        for widget in self.controls.row():
            header.addWidget(widget)
        header.addStretch(1)
        self.set_body(header, self.table, stretch=self.table)
        self.table.row_selected.connect(self._pick_query)
        self.update_request()

    def requests(self) -> tuple[Request, ...]:
        """See `RequestPanel`; in the order on screen."""
        request = None if self.is_empty else self.request()
        return () if request is None else (replace(request, sort=self.model.sorting),)

    def compute(self, data: ContentData, request: QueryCausesRequest) -> Table:
        """See `RequestPanel`."""
        return query_causes_table(data, request)

    def show_result(self, result: Table) -> None:
        """See `RequestPanel`."""
        self.model.set_table(result, [row[0] for row in result.rows], headers=result.headings)

    @Slot(object)
    def _pick_query(self, query: str | None) -> None:
        if query is not None:
            self._session.select(query=self._session.benchmark.queries.index[query])
