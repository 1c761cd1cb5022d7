"""Panel with the per-query differences between runs A and B and their significance test."""

from PySide6.QtCore import QPoint, Qt, Slot
from PySide6.QtGui import QResizeEvent

from shrec_viewer.charts.bars import Differences
from shrec_viewer.content.data import class_name
from shrec_viewer.content.gain_loss import GainLossRequest, compared_runs
from shrec_viewer.content.significance import SignificanceRequest, significance_of_runs
from shrec_viewer.evaluation.comparison.comparison import score_difference
from shrec_viewer.number_format import format_gain, format_value
from shrec_viewer.panels.context_menus import QueryActions, context_menu, popup_in
from shrec_viewer.panels.panel import row_layout
from shrec_viewer.panels.request_panel import RequestPanel
from shrec_viewer.viewmodels.comparison.comparison import choose_compared_run, comparison_details, comparison_texts
from shrec_viewer.viewmodels.session.document import Document
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.widgets.comparison.gain_loss import GainLossBars
from shrec_viewer.widgets.controls.controls import LeadLabel, SummaryLabel
from shrec_viewer.widgets.controls.layouts import column_of
from shrec_viewer.widgets.style.theme import Theme


class GainLossPanel(RequestPanel[GainLossRequest]):
    """Bar chart of the score differences from run A to run B, one bar per query."""

    waiting = "No run B selected"

    def __init__(self, session: Session) -> None:
        super().__init__(session, GainLossRequest(), quick=True, runs=2)
        self._compared = self.computation_of(compared_runs, "Comparing two runs")
        self._significance = self.computation_of(significance_of_runs, "Significance of differences")
        self._order: list[int] = []
        self.order = self.controls.choice_box("query_order")
        self.bars = GainLossBars()
        self.lead, self.summary = LeadLabel(), SummaryLabel()
        self.summary.setProperty("muted", True)
        self._build()
        self.bars.item_selected.connect(self._select_bar)
        self.bars.bar_activated.connect(self._open_bar)
        self.bars.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.bars.customContextMenuRequested.connect(self._show_context_menu)
        self._compared.changed.connect(self._show_summary)
        self._significance.changed.connect(self._show_summary)
        self.update_request()

    def request(self) -> GainLossRequest | None:
        """See `RequestPanel`; None without two runs with scores."""
        request, scores = super().request(), self._session.scores
        if request is None or scores is None or len(request.runs) != 2 or not {*request.runs} <= {*scores.runs}:
            return None
        return request

    def update_request(self) -> None:
        """Compute all results of the present request; selects a run B where there is none."""
        if self.isVisible():
            choose_compared_run(self._session)
        super().update_request()
        request = self.request()
        # The order of the bars is no part of the test of the two runs.
        shared = None if request is None else GainLossRequest(runs=request.runs, measure=request.measure)
        self._compared.set_request(shared)
        self._significance.set_request(None if request is None else SignificanceRequest(measure=request.measure))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt override."""
        super().resizeEvent(event)
        self.summary.fit()

    def set_theme(self, theme: Theme) -> None:
        """Follow the font size; children are updated by `apply_theme`."""
        self.summary.fit()

    def height_hint(self) -> tuple[int, int]:
        """See `Panel`; four lines of text, and bars of seven or twelve lines above the names of the queries."""
        line = self.fontMetrics().height()
        return 14 * line, 19 * line

    def _build(self) -> None:
        header = row_layout()
        header.addLayout(column_of(self.lead, self.summary, spacing=0, margins=0), 1)
        header.addWidget(self.order, 0, Qt.AlignmentFlag.AlignTop)
        self.set_body(header, self.bars, stretch=self.bars)

    # ------------------------------------------------------------------------------------------------------- display

    def show_result(self, result: Differences) -> None:
        """See `RequestPanel`."""
        queries = self._session.benchmark.queries.index
        self._order = [queries[name] for name in result.names]
        title = f"Difference of {self._session.measure}"
        self.bars.set_bars(result.names, result.changes, self._bar_text, title=title, inverted=result.inverted)
        self._show_current()
        self._show_summary()

    @Slot()
    def _show_summary(self) -> None:
        found, groups = self._compared.result, self._significance.result
        p_of_all_pairs = float("nan")
        if found is not None and groups is not None and groups.measure == found.measure:
            p_of_all_pairs = groups.p_of_pair(found.run_a, found.run_b)
        lead, text = ("", "") if found is None else comparison_texts(found, p_of_all_pairs)
        self.lead.set_sentence(lead)
        self.summary.set_summary(text, "" if found is None else comparison_details(found))

    def _bar_text(self, bar: int) -> str:
        """Tooltip of a bar: query and class, then ``"AP 0.380 → 0.412  (▲ +0.032)"``."""
        scores, request = self._session.scores, self.request()
        if scores is None or request is None or not bar < len(self._order):
            return ""
        query, column = self._order[bar], scores.column(request.measure)
        if query >= len(scores.queries):
            return ""  # the bars are still those of the previous benchmark
        a, b = (float(scores.values_in_mean[scores.run_index(run), query, column]) for run in request.runs)
        name = class_name(self._session.benchmark, int(scores.query_labels[query]))
        text = f"{f'{scores.queries[query]} {name}'.rstrip()}\n"
        text += f"{request.measure} {format_value(a)} → {format_value(b)}"
        if a == a and b == b:
            text += f"  ({format_gain(float(score_difference(a, b)))})"
        return text

    def show_changes(self, old: Document, new: Document) -> None:
        """See `RequestPanel`."""
        if new.differs(old, "query"):
            self._show_current()
        super().show_changes(old, new)

    def _show_current(self) -> None:
        query = self._session.selection.query
        self.bars.set_current(self._order.index(query) if query in self._order else -1)

    @Slot(int)
    def _select_bar(self, bar: int) -> None:
        self._session.select(query=self._order[bar])

    @Slot(int)
    def _open_bar(self, bar: int) -> None:
        self._select_bar(bar)
        self._session.cursor_state.request_view("query")

    @Slot(QPoint)
    def _show_context_menu(self, position: QPoint) -> None:
        """Open the menu of the query of the bar at the mouse; with the menu key, of the current one."""
        bar = hovered if (hovered := self.bars.item_at(position)) >= 0 else self.bars.current
        menu = context_menu(self.bars)
        if 0 <= bar < len(self._order):
            QueryActions(self._session, self._order[bar], menu)
        popup_in(self.bars, menu, position)
