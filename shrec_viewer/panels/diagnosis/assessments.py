"""Panel with several assessments of the benchmark: the leaderboard under each, and their rank correlation."""

from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QPushButton, QSplitter

from shrec_viewer.charts.table import Table, TableColumn
from shrec_viewer.evaluation.comparison.assessments import EDITED, AssessmentComparison
from shrec_viewer.number_format import format_fixed
from shrec_viewer.panels.export.content import ExportContent
from shrec_viewer.panels.panel import BasePanel, missing_scores_reason, row_layout
from shrec_viewer.report.figures.content import FigureLine, FigureSpec
from shrec_viewer.viewmodels.content.data import styles_by_name
from shrec_viewer.viewmodels.diagnosis.assessment_comparison import AssessmentsModel
from shrec_viewer.viewmodels.session.selection import NOTHING, Selection
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.widgets.controls.controls import ElidingLine
from shrec_viewer.widgets.controls.file_dialogs import EXPORT, choose_open_path
from shrec_viewer.widgets.controls.plain_text import set_tooltip
from shrec_viewer.widgets.plots.slope_chart import SlopeChart, SlopeLine
from shrec_viewer.widgets.style.theme import Theme, current_theme
from shrec_viewer.widgets.tables.record_table import RecordTableModel
from shrec_viewer.widgets.tables.record_view import RecordView

SPLIT_SIZES = (340, 330, 330)
"""Widths in pixels of the assessments, the leaderboards and the slope chart."""

HEADERS = ("Assessment", "τ", "τ AP", "Levels", "Pairs", "Measure")
"""Titles of the columns of the assessments in the window."""

ACTIVE_MARK = "●"
"""Before the assessment in use."""

ASSESSMENTS_SHORTCUTS = (("Assessments", "Use the selected assessment", "Return"),)
"""Keys that the panel handles; see `Panel.shortcuts`."""


class AssessmentsPanel(BasePanel):
    """Assessments of the benchmark, the leaderboard under each, and the ranks of the runs as a slope chart."""

    def __init__(self, session: Session) -> None:
        super().__init__("list")
        self._session = session
        self.computation = AssessmentsModel(session, self)
        self.add_active_model(self.computation)
        self.caption = ElidingLine(token="muted")
        self.use, self.add, self.remove = QPushButton("Use"), QPushButton("Add file…"), QPushButton("Remove file")
        self.model, self.runs_model = RecordTableModel(self), RecordTableModel(self)
        self.table = RecordView(self.model, "Assessments")
        self.runs = RecordView(self.runs_model, "Leaderboards under the assessments")
        self.chart = SlopeChart()
        self._theme = current_theme()
        self._build()
        self.computation.changed.connect(self._show)
        self.use.clicked.connect(self._use)
        self.add.clicked.connect(self.choose_file)
        self.remove.clicked.connect(self._remove_file)
        self.table.row_activated.connect(self._use)
        self.table.row_selected.connect(self._show_buttons)
        self.table.delete_requested.connect(self._remove_file)
        self.runs.row_selected.connect(self._select_name)
        self.chart.line_picked.connect(self._select_run)
        self.chart.line_hovered.connect(self._hover_run)
        session.benchmark_changed.connect(self._show)
        session.scores_changed.connect(self._show)
        session.assessments.changed.connect(self._show)
        session.edits.colours_changed.connect(self._show_chart)
        session.selection_changed.connect(self._show_selection)
        self._show()

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
        self.set_body(header, split, stretch=split)
        self.setFocusProxy(self.table)

    def set_theme(self, theme: Theme) -> None:
        """Repaint the lines in the colours of the theme; children are updated by `apply_theme`."""
        self._theme = theme
        self._show_chart()

    def view_state(self) -> dict[str, Any]:
        """See `Panel`."""
        return {"files": [str(path) for path in self._session.assessments.files]}

    def restore_view_state(self, state: Mapping[str, Any]) -> None:
        """See `Panel`; unknown values are ignored."""
        files = state.get("files")
        if isinstance(files, list):
            self._session.assessments.set_files([Path(file) for file in files if isinstance(file, str)])

    # Contents.

    @property
    def _comparison(self) -> AssessmentComparison | None:
        return self.computation.comparison

    def _active(self) -> int:
        """Index of the assessment in use; -1 where it is not among those compared."""
        found = self._comparison
        keys = [] if found is None else [one.key for one in found.assessments]
        key = self._session.assessments.active_key
        return keys.index(key) if key in keys else -1

    @Slot()
    def _show(self) -> None:
        found, benchmark = self._comparison, self._session.benchmark
        if benchmark is None or found is None or not found.runs:
            self.show_empty(*missing_scores_reason(self._session, waiting="Comparing assessments…"))
            return
        self.show_content()
        active = self._active()
        keys = [one.key for one in found.assessments]
        tips = ["\n".join((one.label, *map(str, one.findings))) for one in found.assessments]
        self.model.set_table(_assessments_table(found, active), keys, headers=HEADERS, tips=tips)
        runs = _runs_table(found, max(active, 0))
        titles = [(f"Rank {index}", f"{index}. {measure.key}") for index, measure in enumerate(found.measures, 1)]
        headers = ("Run", *chain.from_iterable(titles))
        self.runs_model.set_table(runs, [row[0] for row in runs.rows], headers=headers)
        self._show_caption(found, active)
        self._show_chart()
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

    @Slot()
    def _show_chart(self) -> None:
        found, benchmark = self._comparison, self._session.benchmark
        if found is None or benchmark is None:
            self.chart.set_lines((), ())
            return
        styles = self._session.run_styles.styles(self._theme.name)
        colours = {run.name: style.colour for run, style in zip(benchmark.runs, styles, strict=True)}
        grey = self._theme.colour("muted").name()
        lines = [
            SlopeLine(run, tuple(found.ranks[:, index].tolist()), colours.get(run, grey))
            for index, run in enumerate(found.runs)
        ]
        titles = [f"{index + 1}. {one.label}" for index, one in enumerate(found.assessments)]
        self.chart.set_lines(titles, lines, self._active())
        self._show_run()

    def _show_run(self) -> None:
        found, run = self._comparison, self._session.run
        is_known = found is not None and run is not None and run.name in found.runs
        self.chart.set_current(found.runs.index(run.name) if is_known and found and run else -1)

    @Slot(object, object)
    def _show_selection(self, old: Selection, new: Selection) -> None:
        if old.run != new.run:
            self._show_run()

    @Slot()
    def _show_buttons(self, *_: object) -> None:
        key = self._selected_key()
        self.use.setEnabled(bool(key) and key != self._session.assessments.active_key)
        self.remove.setEnabled(key in map(str, self._session.assessments.files))

    def _selected_key(self) -> str:
        return str(self.table.current_key or "")

    # Actions.

    @Slot()
    def _use(self, *_: object) -> None:
        self._session.assessments.use(self._selected_key())

    @Slot()
    def choose_file(self) -> None:
        """Open the file dialog for another assessment."""
        start = self._session.benchmark.root if self._session.benchmark is not None else Path.home()
        path = choose_open_path(self, "Add an assessment", EXPORT, start)
        if path is not None:
            self.add_file(path)

    def add_file(self, path: Path) -> None:
        """Compare with the assessment of a file."""
        self._session.assessments.set_files(tuple(dict.fromkeys((*self._session.assessments.files, path))))

    @Slot()
    def _remove_file(self) -> None:
        key, assessments = self._selected_key(), self._session.assessments
        if key in map(str, assessments.files):
            assessments.set_files([path for path in assessments.files if str(path) != key])

    @Slot(int)
    def _select_run(self, line: int) -> None:
        if self._comparison is not None:
            self._select_name(self._comparison.runs[line])

    @Slot(object)
    def _select_name(self, name: str | None) -> None:
        if name is not None and (index := self._index_of(name)) != NOTHING:
            self._session.select(run=index)

    def _index_of(self, name: str) -> int:
        benchmark = self._session.benchmark
        names = [] if benchmark is None else [run.name for run in benchmark.runs]
        return names.index(name) if name in names else NOTHING

    @Slot(int)
    def _hover_run(self, line: int) -> None:
        found = self._comparison
        index = self._index_of(found.runs[line]) if found is not None and line >= 0 else NOTHING
        self._session.cursor_state.hover_run(None if index == NOTHING else index)

    # Export.

    def export_content(self) -> ExportContent:
        """See `Panel`: the slope chart, and the leaderboards as a table."""
        found = self._comparison
        if found is None or not found.runs or self.is_empty:
            return ExportContent()
        others = [one for one in found.assessments[1:] if one.key != EDITED]
        options = [f"--against-assessment={one.key}" for one in others]
        command = ("correlate", f"--measure={found.measures[0].key}", *options) if others else ()
        tables = {"Assessments": self.model.table}
        names = (found.measures[0].key,)
        return ExportContent(_figure(found, self._session), self.runs_model.table, names, command, tables)


def _defined(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _assessments_table(found: AssessmentComparison, active: int) -> Table:
    """The assessments, with their rank correlation with the one in use."""
    keys = ("assessment", "tau", "tau_AP", "levels", "pairs", "measure")
    columns = tuple(TableColumn(key, is_number=key in ("tau", "tau_AP", "pairs")) for key in keys)
    rows = []
    for index, one in enumerate(found.assessments):
        name = f"{f'{ACTIVE_MARK} ' if index == active else ''}{index + 1}. {one.label}"
        correlations = (matrix[active, index] if active >= 0 else np.nan for matrix in (found.tau, found.tau_ap))
        levels = ", ".join(str(level) for level in one.assessment.levels) or "none"
        rows.append((name, *map(_defined, correlations), levels, one.n_pairs, found.measures[index].key))
    return Table("assessments", "Assessments", columns, tuple(rows))


def _runs_table(found: AssessmentComparison, active: int) -> Table:
    """The leaderboards, in the order under the assessment in use."""
    columns = [TableColumn("run", "Run")]
    for index, (one, measure) in enumerate(zip(found.assessments, found.measures, strict=True), 1):
        columns += [
            TableColumn(f"rank_{index}", f"Rank {index}", is_number=True),
            TableColumn(f"{measure.key} ({one.label})", f"{measure.key} {index}", True, measure.better),
        ]
    rows = []
    for run in np.argsort(found.ranks[active], kind="stable").tolist():
        ranks, values = found.ranks[:, run].tolist(), found.values[:, run].tolist()
        pairs = ((rank, _defined(value)) for rank, value in zip(ranks, values, strict=True))
        rows.append((found.runs[run], *chain.from_iterable(pairs)))
    names = "; ".join(f"{index} {one.label}" for index, one in enumerate(found.assessments, 1))
    notes = [
        f"{a + 1} and {b + 1}: tau {format_fixed(found.tau[a, b], 3)}, "
        f"tau_AP {format_fixed(found.tau_ap[a, b], 3)}, reversed {format_fixed(found.tau_ap[b, a], 3)}"
        for a in range(len(found.assessments))
        for b in range(a + 1, len(found.assessments))
    ]
    title = "Leaderboards under several assessments"
    return Table("assessments", title, tuple(columns), tuple(rows), (f"{names}.", *notes))


def _figure(found: AssessmentComparison, session: Session) -> FigureSpec:
    styles, x = styles_by_name(session, "light"), np.arange(1.0, len(found.assessments) + 1)
    lines = tuple(
        FigureLine(run, x, found.ranks[:, index].astype(np.float64), styles[run].colour, styles[run].dash,
                   styles[run].marker, dotted=True)
        for index, run in enumerate(found.runs)
        if run in styles
    )  # fmt: skip
    names = ", ".join(f"{index} {one.label}" for index, one in enumerate(found.assessments, 1))
    return FigureSpec(
        f"Ranks under several assessments: {names}", f"Assessment ({names})", "Rank",
        (0.9, len(found.assessments) + 0.1), (len(found.runs) + 0.5, 0.5), lines,
    )  # fmt: skip
