"""Panels with a chart of the runs and an interval for each: significance groups, and bounds of runs."""

from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QPoint, Qt, Slot
from PySide6.QtWidgets import QPushButton, QVBoxLayout

from shrec_viewer.charts.intervals import Intervals
from shrec_viewer.content.practical import PracticalRequest
from shrec_viewer.content.request import Request
from shrec_viewer.content.significance import SignificanceRequest
from shrec_viewer.content.styles import with_styles
from shrec_viewer.panels.context_menus import RunActions, context_menu, popup_in
from shrec_viewer.panels.panel import WrappingRow
from shrec_viewer.panels.request_panel import RequestPanel
from shrec_viewer.panels.scores.order_line import OrderLine
from shrec_viewer.viewmodels.content.data import styles_by_name
from shrec_viewer.viewmodels.files.pairs_to_judge import save_pairs_to_judge
from shrec_viewer.viewmodels.session.document import Document
from shrec_viewer.viewmodels.session.selection import NOTHING
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.widgets.controls.controls import ElidingLine
from shrec_viewer.widgets.controls.file_dialogs import EXPORT, choose_save_path
from shrec_viewer.widgets.controls.plain_text import set_tooltip
from shrec_viewer.widgets.plots.interval_chart import IntervalChart
from shrec_viewer.widgets.style.theme import SPACE

R = TypeVar("R", bound=Request)


class RunIntervalPanel(RequestPanel[R]):
    """Chart with a row per run; a click selects the run, a right click opens its menu.

    Parameters
    ----------
    shown_rows : rows that the preferred height shows at least, and height of all else in lines of text.
    """

    def __init__(self, session: Session, request: R, uses: tuple[str, ...], shown_rows: tuple[int, int]) -> None:
        super().__init__(session, request, "runs", uses=uses)
        self._shown_rows = shown_rows
        self._order: tuple[int, ...] = ()
        self.chart = IntervalChart()
        self.caption = ElidingLine(token="muted")
        self.chart.row_selected.connect(self._select_run)
        self.chart.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.chart.customContextMenuRequested.connect(self._show_context_menu)

    def height_hint(self) -> tuple[int, int]:
        """See `Panel`; the height of a few runs, and of all runs."""
        benchmark, line = self._session.benchmark, self.fontMetrics().height()
        (rows, others), runs = self._shown_rows, len(benchmark.runs)
        return 14 * line, (others + 3 * max(runs, rows) // 2) * line

    def show_result(self, result: Intervals) -> None:
        """See `RequestPanel`."""
        benchmark = self._session.benchmark
        names = {run.name: index for index, run in enumerate(benchmark.runs)}
        self._order = tuple(names.get(row.name, -1) for row in result.rows)
        self.chart.set_chart(with_styles(result, styles_by_name(self._session, self.theme_name)))
        self.caption.setText(*result.captions)
        set_tooltip(self.caption, result.captions[0])
        self._show_current()

    def show_changes(self, old: Document, new: Document) -> None:
        """See `RequestPanel`."""
        if new.differs(old, "run"):
            self._show_current()
        super().show_changes(old, new)

    def _show_current(self) -> None:
        run = self._session.selection.run
        self.chart.set_current(self._order.index(run) if run in self._order else -1)

    @Slot(int)
    def _select_run(self, row: int) -> None:
        self.select_row(row)

    def select_row(self, row: int) -> None:
        """Select the run of a row."""
        self._session.select(run=self._order[row])

    @Slot(QPoint)
    def _show_context_menu(self, position: QPoint) -> None:
        """Open the menu of the run at the mouse; with the menu key, of the selected run."""
        row = self.chart.row_at(position)
        run = self._order[row] if 0 <= row < len(self._order) else self._session.selection.run
        menu = context_menu(self.chart)
        if run in self._order:
            RunActions(self._session, run, menu)
        popup_in(self.chart, menu, position)


class SignificancePanel(RunIntervalPanel[SignificanceRequest]):
    """Chart of the mean scores of the runs; a click on a row selects its run."""

    waiting = "Testing significance…"

    def __init__(self, session: Session) -> None:
        super().__init__(session, SignificanceRequest(), ("scores", "baselines"), (6, 6))
        self.order = OrderLine(session, self, margin=0)
        layout = QVBoxLayout(self.content)
        layout.setContentsMargins(2 * SPACE, 2 * SPACE, 0, 0)
        layout.setSpacing(SPACE)
        layout.addWidget(self.order)
        layout.addWidget(self.caption)
        layout.addWidget(self.chart, 1)
        self.update_request()

    def request(self) -> SignificanceRequest | None:
        """See `RequestPanel`; None without scores to compare."""
        scores = self._session.scores
        return super().request() if scores is not None and scores.runs and scores.queries else None


#: Text of the button that writes the pairs that are not judged.
SAVE_PAIRS = "Save pairs to judge…"


class PracticalPanel(RunIntervalPanel[PracticalRequest]):
    """Chart of the estimates of the runs, with their bounds; scope and sample size can be changed."""

    waiting = "Estimating…"

    def __init__(self, session: Session) -> None:
        super().__init__(session, PracticalRequest(), ("benchmark", "profile"), (4, 8))
        self.value, self.rows = self.controls.buttons("value"), self.controls.buttons("rows")
        self.scope, self.sample_size = self.controls.number("judged"), self.controls.number("sample")
        self.judged = ElidingLine(token="muted")
        self._queries: tuple[int, ...] = ()
        self.save = QPushButton(SAVE_PAIRS)
        self._build()
        self.save.clicked.connect(self._save_pairs)
        self.update_request()

    def request(self) -> PracticalRequest | None:
        """See `RequestPanel`; None where nothing was judged."""
        benchmark = self._session.benchmark
        if benchmark.assessment is None or not benchmark.runs or not len(benchmark.queries):
            return None
        return super().request()

    def show_reason(self) -> None:
        """See `RequestPanel`; without an assessment, pairs to judge can be saved."""
        benchmark = self._session.benchmark
        if not self._session.is_open or benchmark.assessment is not None:
            super().show_reason()
            return
        has_lists = bool(benchmark.runs) and len(benchmark.queries) > 0
        text = "The benchmark has no relevance assessment: no model was judged."
        self.show_empty("No bounds", text, SAVE_PAIRS if has_lists else "")

    def act_on_reason(self) -> None:
        """See `RequestPanel`."""
        self._save_pairs()

    def show_changes(self, old: Document, new: Document) -> None:
        """See `RequestPanel`."""
        super().show_changes(old, new)
        if self._queries:
            self._show_current()

    def _show_current(self) -> None:
        """Mark the selected run, or query."""
        super()._show_current()
        query = self._session.selection.query
        if query in self._queries:
            self.chart.set_current(self._queries.index(query))

    def select_row(self, row: int) -> None:
        """Select the run or query of a row."""
        if self._queries:
            self._session.select(query=self._queries[row])
        else:
            super().select_row(row)

    def show_result(self, result: Intervals) -> None:
        """See `RequestPanel`."""
        shown, ids = self.computation.request, self._session.benchmark.queries.index
        is_by_query = isinstance(shown, PracticalRequest) and shown.rows == "queries"
        self._queries = tuple(ids.get(row.name, NOTHING) for row in result.rows) if is_by_query else ()
        super().show_result(result)
        if is_by_query:
            self._order = ()  # rows have no run, and no menu
            self._show_current()
        self.judged.setText(*result.details)
        set_tooltip(self.judged, result.details[0])
        self.save.setVisible(result.is_partial)

    def _build(self) -> None:
        header = WrappingRow([self.value, self.rows, self.judged], [self.save])
        self.save.hide()  # its width before the first result would be taken from the panels next to this one
        scope, sample = self.controls.label("judged", plain=True), self.controls.label("sample", plain=True)
        scope.setBuddy(self.scope)
        sample.setBuddy(self.sample_size)
        set_tooltip(self.save, "Save the pairs that are not judged, as a text file for their relevance levels")
        numbers = WrappingRow([scope, self.scope], [sample, self.sample_size, self.caption], top=0)
        self.set_body(header, numbers, self.chart, stretch=self.chart)

    @Slot()
    def _save_pairs(self) -> None:
        start = Path.home() / "pairs.txt"
        path, _ = choose_save_path(self, SAVE_PAIRS.rstrip("…"), EXPORT, start, "Text (*.txt)", ".txt")
        if path is not None:
            save_pairs_to_judge(self._session, path, self.options)
