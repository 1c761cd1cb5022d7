"""Panel with several assessments of the benchmark: the leaderboard under each, and their rank correlation."""

from dataclasses import replace
from itertools import chain
from pathlib import Path

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QPushButton, QSplitter

from shrec_viewer.content.assessments import (
    AssessmentListRequest,
    AssessmentsRequest,
    active_index,
    chart_of_ranks,
    compared_assessments,
    table_of_assessments,
    table_of_leaderboards,
)
from shrec_viewer.content.data import ContentData
from shrec_viewer.content.request import Request
from shrec_viewer.content.styles import with_styles
from shrec_viewer.evaluation.comparison.assessments import AssessmentComparison
from shrec_viewer.panels.panel import row_layout
from shrec_viewer.panels.request_panel import RequestPanel
from shrec_viewer.panels.scores.order_line import OrderLine
from shrec_viewer.viewmodels.content.data import content_data, styles_by_name
from shrec_viewer.viewmodels.session.document import Document
from shrec_viewer.viewmodels.session.selection import NOTHING
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.widgets.controls.controls import ElidingLine
from shrec_viewer.widgets.controls.file_dialogs import EXPORT, choose_open_path
from shrec_viewer.widgets.controls.plain_text import set_tooltip
from shrec_viewer.widgets.plots.slope_chart import SlopeChart
from shrec_viewer.widgets.tables.record_table import RecordTableModel
from shrec_viewer.widgets.tables.record_view import RecordView

#: Widths in pixels of the assessments, the leaderboards and the slope chart.
SPLIT_SIZES = (340, 330, 330)

#: Titles of the columns of the assessments in the window.
HEADERS = ("Assessment", "τ", "τ AP", "Levels", "Pairs", "Measure")

#: Keys that the panel handles; see `Panel.shortcuts`.
ASSESSMENTS_SHORTCUTS = (("Assessments", "Use the selected assessment", "Return"),)


class AssessmentsPanel(RequestPanel[AssessmentsRequest]):
    """Assessments of the benchmark, the leaderboard under each, and the ranks of the runs as a slope chart."""

    waiting = "Comparing assessments…"

    def __init__(self, session: Session) -> None:
        super().__init__(session, AssessmentsRequest(), "list", uses=("runs", "profile", "assessments"))
        self._found: AssessmentComparison | None = None
        self.caption, self.order = ElidingLine(token="muted"), OrderLine(session, self)
        self.use, self.add, self.remove = QPushButton("Use"), QPushButton("Add file…"), QPushButton("Remove file")
        self.model, self.runs_model = RecordTableModel(self), RecordTableModel(self)
        self.table = RecordView(self.model, "Assessments")
        self.runs = RecordView(self.runs_model, "Leaderboards under the assessments")
        self.chart = SlopeChart()
        self._build()
        self.use.clicked.connect(self._use)
        self.add.clicked.connect(self.choose_file)
        self.remove.clicked.connect(self._remove_file)
        self.table.row_activated.connect(self._use)
        self.table.row_selected.connect(self._show_buttons)
        self.table.delete_requested.connect(self._remove_file)
        self.runs.row_selected.connect(self._select_name)
        self.chart.line_picked.connect(self._select_run)
        self.chart.line_hovered.connect(self._hover_run)
        session.assessments.changed.connect(self._show_files)
        self.update_request()

    # Request.

    def request(self) -> AssessmentsRequest | None:
        """See `RequestPanel`; None until the runs are evaluated."""
        scores = self._session.scores
        return super().request() if scores is not None and scores.runs else None

    def requests(self) -> tuple[Request, ...]:
        """See `RequestPanel`; the leaderboards and the assessments in the order on screen."""
        request = self.request()
        if request is None or self.is_empty:
            return ()
        active = self._active_key()
        return (
            replace(request, active=active, sort=self.runs_model.sorting),
            AssessmentListRequest(measure=request.measure, files=request.files, active=active, sort=self.model.sorting),
        )

    def compute(self, data: ContentData, request: AssessmentsRequest) -> AssessmentComparison:
        """See `RequestPanel`."""
        return compared_assessments(data, request)

    def show_options(self) -> None:
        """See `RequestPanel`; reads the files."""
        self._session.assessments.set_files([Path(file) for file in self.options.files])

    def update_request(self, *_: object) -> None:
        """See `RequestPanel`; the assessments are read when they are needed for the first time."""
        if self.isVisible():
            self._session.assessments.find()
        super().update_request()

    @Slot()
    def _show_files(self) -> None:
        """Follow the assessments of the session: files that cannot be read are left out, and another one is used."""
        self.set_option("files", tuple(map(str, self._session.assessments.files)))
        self.update_view()

    def _active_key(self) -> str:
        """Key of the assessment in use; "" for that of the benchmark."""
        return "" if self._session.assessments.active is None else self._session.assessments.active_key

    def _build(self) -> None:
        set_tooltip(self.use, "Use the selected assessment in all views (Return). F7 uses the next one.")
        set_tooltip(self.add, "Add relevance levels (qrels, a table of pairs) or classes (.cla, a table) of a file")
        set_tooltip(self.remove, "Remove a file that was added (Del); the file itself stays")
        header = row_layout()
        header.addWidget(self.caption, 1)
        for button in (self.use, self.add, self.remove):
            header.addWidget(button)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setChildrenCollapsible(False)
        for widget in (self.table, self.runs, self.chart):
            split.addWidget(widget)
        split.setSizes(list(SPLIT_SIZES))
        self.set_body(header, self.order, split, stretch=split)
        self.setFocusProxy(self.table)

    # Result.

    def show_result(self, result: AssessmentComparison) -> None:
        """See `RequestPanel`."""
        data = content_data(self._session)
        self._found, found = result, result
        active = active_index(found, data.benchmark, self._active_key())
        keys = [one.key for one in found.assessments]
        tips = ["\n".join((one.label, *map(str, one.findings))) for one in found.assessments]
        self.model.set_table(table_of_assessments(found, active), keys, headers=HEADERS, tips=tips)
        runs = table_of_leaderboards(found, active)
        titles = [(f"Rank {index}", f"{index}. {measure.key}") for index, measure in enumerate(found.measures, 1)]
        headers = ("Run", *chain.from_iterable(titles))
        self.runs_model.set_table(runs, [row[0] for row in runs.rows], headers=headers)
        self._show_caption(found, active)
        styles = styles_by_name(self._session, self.theme_name)
        self.chart.set_chart(with_styles(chart_of_ranks(data, found), styles), active)
        self._show_run()
        self._show_buttons()

    def _show_caption(self, found: AssessmentComparison, active: int) -> None:
        if len(found.assessments) < 2:
            self.caption.setText(
                "One assessment; add a file, or change levels, to compare it with others", "One assessment"
            )
            return
        name = found.assessments[active].label if active >= 0 else ""
        count = f"{len(found.assessments)} assessments"
        self.caption.setText(
            f"{count}, F7 uses the next one; τ and τ AP with '{name}'", f"{count}, F7: next", count, ""
        )

    def _show_run(self) -> None:
        found, run = self._found, self._session.run
        is_known = found is not None and run is not None and run.name in found.runs
        self.chart.set_current(found.runs.index(run.name) if is_known and found and run else -1)

    def show_changes(self, old: Document, new: Document) -> None:
        """See `RequestPanel`."""
        if new.differs(old, "benchmark", "assessment"):
            self._show_files()
        if new.differs(old, "run"):
            self._show_run()
        super().show_changes(old, new)

    @Slot()
    def _show_buttons(self, *_: object) -> None:
        key = self._selected_key()
        self.use.setEnabled(bool(key) and key != self._session.assessments.active_key)
        self.remove.setEnabled(key in self.options.files)

    def _selected_key(self) -> str:
        return str(self.table.current_key or "")

    # Actions.

    @Slot()
    def _use(self, *_: object) -> None:
        self._session.assessments.use(self._selected_key())

    @Slot()
    def choose_file(self) -> None:
        """Open the file dialog for another assessment."""
        start = self._session.benchmark.root if self._session.is_open else Path.home()
        path = choose_open_path(self, "Add an assessment", EXPORT, start)
        if path is not None:
            self.add_file(path)

    def add_file(self, path: Path) -> None:
        """Compare with the assessment of a file."""
        self.set_option("files", tuple(dict.fromkeys((*self.options.files, str(path)))))

    @Slot()
    def _remove_file(self) -> None:
        key = self._selected_key()
        self.set_option("files", tuple(file for file in self.options.files if file != key))

    @Slot(int)
    def _select_run(self, line: int) -> None:
        if self._found is not None:
            self._select_name(self._found.runs[line])

    @Slot(object)
    def _select_name(self, name: str | None) -> None:
        if name is not None and (index := self._index_of(name)) != NOTHING:
            self._session.select(run=index)

    def _index_of(self, name: str) -> int:
        benchmark = self._session.benchmark
        names = [run.name for run in benchmark.runs]
        return names.index(name) if name in names else NOTHING

    @Slot(int)
    def _hover_run(self, line: int) -> None:
        found = self._found
        index = self._index_of(found.runs[line]) if found is not None and line >= 0 else NOTHING
        self._session.cursor_state.hover_run(None if index == NOTHING else index)
