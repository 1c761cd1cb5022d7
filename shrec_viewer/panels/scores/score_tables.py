"""Panels with tables of scores: the leaderboard, and all measures of the selected run."""

from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import numpy as np
from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFrame, QMenu, QToolButton

from shrec_viewer.content.scores import RunScoresRequest, RunsRequest, ScoreTableRequest
from shrec_viewer.metrics import find_measure
from shrec_viewer.panels.context_menus import QueryActions, RunActions, SeveralRunActions
from shrec_viewer.panels.diagnosis.strips import RestrictionButton
from shrec_viewer.panels.panel import missing_scores_reason, row_layout
from shrec_viewer.panels.request_panel import RequestPanel
from shrec_viewer.panels.scores.order_line import OrderLine
from shrec_viewer.viewmodels.scores.score_tables import (
    ONE_QUERY,
    OVER_QUERIES,
    LeaderboardModel,
    RunScoresModel,
    ScoreTableModel,
    common_measures,
)
from shrec_viewer.viewmodels.session.document import Document
from shrec_viewer.viewmodels.session.selection import NOTHING, CalculationTarget
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.labels import count_text
from shrec_viewer.viewmodels.text.scope import scope_texts
from shrec_viewer.widgets.controls.context_menu import trigger_export
from shrec_viewer.widgets.controls.controls import SHORT_TEXT_ROLE, ElidingComboBox, ElidingLine
from shrec_viewer.widgets.controls.plain_text import escape_mnemonic, set_tooltip
from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme, icon
from shrec_viewer.widgets.tables.score_columns import ScoreColumnChooser
from shrec_viewer.widgets.tables.score_table import ScoreTable

S = TypeVar("S", bound=ScoreTableRequest)


class ScoreTablePanel(RequestPanel[S]):
    """Panel with a table of scores: chooses columns and ranges of ties, and opens help on measures.

    Added measures are shown, also those that were hidden before they were removed.

    Parameters
    ----------
    name : accessible name of the table.
    """

    def __init__(self, session: Session, request: S, model: ScoreTableModel, name: str) -> None:
        super().__init__(session, request, "table", uses=())
        model.setParent(self)
        self.table = ScoreTable()
        self.columns = ScoreColumnChooser(self.table)
        self.explain, self.choose = QToolButton(), QToolButton()
        self._ties, self._percent = (
            QAction(self.controls.field(name).option.label, self) for name in ("ties", "percent")
        )
        self._model, self._measure_to_remove = model, ""
        self._build_table(name)
        self._ties.toggled.connect(self._set_ties)
        self._percent.toggled.connect(self._set_percent)
        self.explain.clicked.connect(self._explain_measure)
        self.choose.clicked.connect(self.columns.choose_here)
        self.table.help_requested.connect(self._explain_column)
        self.columns.changed.connect(self._set_hidden)
        self.columns.menu_opening.connect(self._fill_header_menu)
        self.columns.add_requested.connect(session.cursor_state.request_measure)

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme; children are updated by `apply_theme`."""
        self.explain.setIcon(icon("question", theme))
        self.choose.setIcon(icon("sliders", theme))

    def show_options(self) -> None:
        """See `RequestPanel`."""
        self.columns.set_hidden(self.options.hidden_columns)
        self._ties.setChecked(self.options.ties)
        self._model.set_ties_shown(self.options.ties)
        self._percent.setChecked(self.options.percent)
        self._model.set_in_percent(self.options.percent)

    def shown_measures(self) -> tuple[str, ...]:
        """Keys of the measures in the order of the columns on screen."""
        measures = (self._model.measure_of(column) for column in self.table.shown_columns())
        return tuple(measure for measure in measures if measure is not None)

    def show_standard_columns(self) -> None:
        """Follow the conventions and the selected measure in what the default columns are."""
        session = self._session
        self.columns.set_standard((*common_measures(session.profile), session.measure, *session.added_measures))

    def select_measure(self, column: int, run: int, query: int, over: str = OVER_QUERIES) -> None:
        """Select the measure of a column, and show the calculation of a score."""
        if (measure := self._model.measure_of(column)) is not None:
            self._session.select(measure=measure)
            self._session.cursor_state.show_calculation(CalculationTarget(measure, run, query, over))
            self._session.cursor_state.request_view("calculation")

    def _build_table(self, name: str) -> None:
        self.table.setFrameShape(QFrame.Shape.NoFrame)
        self.table.setAccessibleName(name)
        for action, name in ((self._ties, "ties"), (self._percent, "percent")):
            action.setCheckable(True)
            set_tooltip(action, self.controls.field(name).option.tip)
        self.columns.option = self._ties
        self.explain.setAccessibleName("Measure definitions")
        set_tooltip(self.explain, "Measure definitions. For one measure, right-click its header or press ? on a score.")
        self.choose.setAccessibleName("Columns")
        set_tooltip(self.choose, "Choose columns, and whether they show ranges of ties")

    @Slot(bool)
    def _set_ties(self, shown: bool) -> None:
        self.set_option("ties", shown)

    @Slot(bool)
    def _set_percent(self, shown: bool) -> None:
        self.set_option("percent", shown)

    @Slot(object)
    def _set_hidden(self, names: frozenset[str] | None) -> None:
        self.set_option("hidden_columns", None if names is None else tuple(sorted(names)))

    @Slot(int)
    def _explain_column(self, column: int) -> None:
        if (measure := self._model.measure_of(column)) is not None:
            self._session.cursor_state.request_help(measure)
        else:  # a slice
            self._session.cursor_state.request_view("slices")

    @Slot()
    def _explain_measure(self) -> None:
        self._session.cursor_state.request_help(self._session.measure)

    @Slot(QMenu, int)
    def _fill_header_menu(self, menu: QMenu, column: int) -> None:
        menu.addAction("Add measure…").triggered.connect(self._session.cursor_state.request_measure)
        menu.addActions([self._ties, self._percent])
        measure = self._model.measure_of(column)
        if measure is not None and measure in self._session.added_measures:
            self._measure_to_remove = measure
            menu.addAction(f"Remove {escape_mnemonic(measure)}").triggered.connect(self._remove_measure)

    @Slot()
    def _remove_measure(self) -> None:
        self._session.remove_measure(self._measure_to_remove)

    def show_changes(self, old: Document, new: Document) -> None:
        """See `RequestPanel`; those of a project may be hidden."""
        if new.differs(old, "measure"):
            self.show_standard_columns()
        added = {*new.added_measures} - {*old.added_measures, *new.project_measures}
        if added:
            if (hidden := self.options.hidden_columns) is not None:
                self._set_hidden(frozenset(hidden) - added)
            self.table.horizontalScrollBar().setValue(0)  # added measures are the first columns


#: Minimum width in pixels of the run column: a line sample and a name of three letters.
MIN_NAME_WIDTH = 84

#: Minimum and maximum number of rows that the default layout makes visible.
VISIBLE_ROWS = (4, 8)

#: Minimum width in pixels of the participant field.
MIN_FILTER_WIDTH = 72

#: Keys that the table handles itself; see `Panel.shortcuts`.
LEADERBOARD_SHORTCUTS = (("Runs", "Show or hide the curves of a run", "Space"),)


class LeaderboardPanel(ScoreTablePanel[RunsRequest]):
    """Table of the runs with their scores."""

    def __init__(self, session: Session) -> None:
        self.model = LeaderboardModel(session)
        super().__init__(session, RunsRequest(), self.model, "Scores")
        self.unreadable, self.order = ElidingLine(token="warning"), OrderLine(session, self, margin=0)
        self.participant, self.restriction = ElidingComboBox(), RestrictionButton(session, "slice")
        self.add_runs = QToolButton()
        self._sorted_measure = ""  # selected measure when the user chose the order
        self._keeps_order = False  # while the user changes the order
        self._shown_measure = ""  # the table was scrolled to its column
        self._path: Path | None = None
        self._table_to_remove = ""
        self._exports_selected = False  # while the export dialog is opened for the selected rows
        self._build()
        self.table.setModel(self.model)
        self.set_theme(current_theme())
        self.participant.activated.connect(self._select_participant)
        self.add_runs.clicked.connect(session.cursor_state.runs_requested)
        self.empty.action_requested.connect(session.cursor_state.runs_requested)
        self.table.horizontalHeader().sortIndicatorChanged.connect(self._remember_order)
        self.table.run_selected.connect(self._select_run)
        self.table.cell_selected.connect(self._select_cell)
        self.table.run_toggled.connect(self._toggle_run)
        self.table.menu_opening.connect(self._fill_context_menu)
        self.table.row_hovered.connect(self._hover_run)
        session.cursor_state.run_hovered.connect(self._show_hovered_run)
        session.versions.baseline_changed.connect(self._show_scores)
        self.model.modelReset.connect(self._fit_name_column)
        self.columns.offered = self._offered_slices
        self.columns.offered_chosen.connect(self._choose_slices)
        self._show_scores()

    def set_theme(self, theme: Theme) -> None:
        """See `ScoreTablePanel`."""
        self.model.set_theme(theme.name)
        super().set_theme(theme)

    def show_options(self) -> None:
        """See `ScoreTablePanel`."""
        self.model.set_slices(self.options.slices)
        super().show_options()
        self._show_participant()
        self._sort()

    def request(self) -> RunsRequest | None:
        """See `RequestPanel`; the runs and measures in the order on screen."""
        benchmark, query = self._session.benchmark, self._session.selection.query
        if self._session.scores is None:
            return None
        rows = [row for row in self.table.shown_rows() if self.model.run_of(row) is not None]
        over = self.model.of
        if self._exports_selected:
            selected = set(self.table.selected_runs())
            rows = [row for row in rows if row in selected]
        return RunsRequest(
            runs=tuple(benchmark.runs[row].name for row in rows),
            queries=(benchmark.queries.ids[query],) if over == ONE_QUERY else (),
            measures=self.shown_measures(),
            over=over,
            percent=self.options.percent,
            slices=self.options.slices,
            slice_measure=self._session.measure if self.options.slices else "",
            within="" if (within := self.model.within) is None else within.name,
        )

    def export_names(self) -> tuple[str, ...]:
        """See `RequestPanel`; the query, or what the scores are means over."""
        request = self.request()
        if request is None:
            return ()
        return request.queries or (f"mean over {request.over}", *filter(None, [request.within]))

    def height_hint(self) -> tuple[int, int]:
        """See `Panel`; the heights at which `VISIBLE_ROWS` are visible."""
        least, most = VISIBLE_ROWS
        benchmark = self._session.benchmark
        rows = min(max(len(benchmark.runs), least), most)
        return self._height_of(least), self._height_of(rows)

    def _height_of(self, rows: int) -> int:
        """Height in pixels at which a number of rows is visible above the horizontal scroll bar."""
        table = self.table
        header = self.choose.sizeHint().height() + 2 * SPACE + table.horizontalHeader().sizeHint().height()
        row_height = table.verticalHeader().defaultSectionSize()
        return header + rows * row_height + table.horizontalScrollBar().sizeHint().height()

    def _build(self) -> None:
        self.participant.setAccessibleName("Participant")
        self.participant.setSizeAdjustPolicy(ElidingComboBox.SizeAdjustPolicy.AdjustToContents)
        # Without it, a large font makes the minimum width of the window exceed the screen.
        self.participant.setMinimumWidth(MIN_FILTER_WIDTH)
        set_tooltip(self.participant, "Show the runs of one participant")
        header = row_layout(spacing=-1)  # -1: the default of the style
        header.addWidget(self.order, 1)
        self.add_runs.setText("Add runs…")
        set_tooltip(self.add_runs, "Check runs or a submission as folder or archive, and add or replace runs")
        for widget in (self.restriction, self.add_runs, self.participant, self.explain, self.choose):
            header.addWidget(widget)
        self.unreadable.hide()
        footer = row_layout(0, 0)
        footer.addWidget(self.unreadable)
        self.set_body(header, self.table, footer, stretch=self.table)

    @Slot()
    def _show_scores(self) -> None:
        benchmark = self._session.benchmark
        if not self._session.is_open:
            self.show_empty("No benchmark is open")
        elif not benchmark.runs:
            self.show_empty("No runs", "Findings lists how each file was recognised.", "Add runs…")
        else:
            self.show_content()
        if self._session.path != self._path:
            self._path, self._shown_measure = self._session.path, ""
            self._forget_order()  # for another measure, `_sort` does
        self.show_standard_columns()
        self._show_participants()
        self._sort()
        self._show_run()
        self._show_measure()
        self._show_unreadable()

    def _show_participants(self) -> None:
        """Fill the participant filter; visible where there are several participants, one of them with several runs."""
        benchmark = self._session.benchmark
        names = list(dict.fromkeys(run.participant for run in benchmark.runs))
        if names == [self.participant.itemData(index) for index in range(1, self.participant.count())]:
            return  # filling the field again lays out the whole window: 10 ms for each edit of the assessment
        self.participant.clear()
        self.participant.addItem("All participants", "")
        self.participant.setItemData(0, "All", SHORT_TEXT_ROLE)
        for name in names:
            self.participant.addItem(name, name)
        self.participant.setVisible(1 < len(names) < len(benchmark.runs))
        if self.options.participant not in names:
            self.set_option("participant", "")
        self._show_participant()

    def _show_participant(self) -> None:
        self.participant.setCurrentIndex(max(self.participant.findData(self.options.participant), 0))
        self.table.set_participant(self.participant.currentData())
        self._show_run()

    @Slot()
    def _fit_name_column(self) -> None:
        self.table.setColumnWidth(0, max(self.table.columnWidth(0), MIN_NAME_WIDTH))

    @Slot()
    def _remember_order(self, *_: object) -> None:
        """Keep the sort order that the user chose by a click on a header, and select the measure of the column.

        The order is kept until another measure is selected or another benchmark is opened.
        """
        if not self.table.is_header_pressed:
            return
        header = self.table.horizontalHeader()
        column = header.sortIndicatorSection()
        name = str(self.model.headerData(column, Qt.Orientation.Horizontal))
        is_descending = header.sortIndicatorOrder() == Qt.SortOrder.DescendingOrder
        measure = self.model.measure_of(column)
        self._sorted_measure = self._session.measure if measure is None else measure
        self._keeps_order = True
        self.set_options(replace(self.options, sorted_by=name, descending=is_descending))
        if measure is not None:
            self._session.select(measure=measure)
        self._keeps_order = False

    def _forget_order(self) -> None:
        self.set_options(replace(self.options, sorted_by="", descending=False))

    def _sort(self) -> None:
        """Sort in the order chosen by the user, else by the selected measure, best run first."""
        if self._keeps_order:
            return
        measure = self._session.measure
        if measure != self._sorted_measure:
            self._sorted_measure = measure
            self._forget_order()
        if name := self.options.sorted_by:
            headers = [self.model.headerData(c, Qt.Orientation.Horizontal) for c in range(self.model.columnCount())]
            chosen = headers.index(name) if name in headers else -1
            if chosen >= 0 and self.model.measure_of(chosen) in (None, measure):
                self.table.set_sort(chosen, descending=self.options.descending)
                return
        measure_column = self.model.column_of(self._session.measure)
        if measure_column is not None:
            self.table.set_sort(measure_column, descending=find_measure(self._session.measure).better != "lower")

    def _show_run(self) -> None:
        run = self._session.selection.run
        self.table.set_current_run(None if run == NOTHING else run)
        self.table.set_skipped_run(self._session.selection.compared)

    def _show_measure(self) -> None:
        """Scroll to the column of the selected measure, once: the user may scroll away."""
        measure = self._session.measure
        column = None if self._session.scores is None else self.model.column_of(measure)
        if column is not None and measure != self._shown_measure:
            self._shown_measure = measure
            self.table.show_column(column)

    def _show_unreadable(self) -> None:
        unreadable = self._session.unreadable_runs
        self.unreadable.setText(f"Cannot be read: {', '.join(path.name for path in unreadable)}")
        set_tooltip(self.unreadable, "\n".join(unreadable.values()))
        self.unreadable.setVisible(bool(unreadable))

    def show_changes(self, old: Document, new: Document) -> None:
        """See `ScoreTablePanel`."""
        super().show_changes(old, new)
        if new.differs(old, "benchmark", "scores"):
            self._show_scores()
            return
        if new.differs(old, "measure"):
            self._sort()
        if new.differs(old, "run", "compared"):
            self._show_run()
        if new.differs(old, "measure"):
            self._show_measure()  # after `_show_run`, which scrolls to the column of the current cell
        if new.selection.scores_of != old.selection.scores_of:
            self.table.refit()
            self._fit_name_column()

    def _offered_slices(self) -> dict[str, str]:
        """Names of the slices, and their numbers of queries."""
        return {one.name: count_text(len(one.queries), "query", "queries") for one in self.model.available_slices()}

    @Slot(object)
    def _choose_slices(self, names: tuple[str, ...]) -> None:
        self.set_option("slices", names)
        if names:
            self.table.show_column(self.model.columnCount() - 1)

    @Slot(int)
    def _select_run(self, row: int) -> None:
        if (run := self.model.run_of(row)) is not None:
            self._session.select(run=run)

    @Slot(int, int)
    def _select_cell(self, row: int, column: int) -> None:
        """Select a measure, and show the calculation of the score."""
        if self.model.run_of(row) is None:
            if (measure := self.model.measure_of(column)) is not None:
                self._session.select(measure=measure)
            return
        is_query = self.model.of == ONE_QUERY
        query = self._session.selection.query if is_query else NOTHING
        self.select_measure(column, row, query, OVER_QUERIES if is_query else self.model.of)

    @Slot(int)
    def _select_participant(self, _index: int) -> None:
        self.set_option("participant", self.participant.currentData())

    @Slot(int)
    def _toggle_run(self, row: int) -> None:
        if (run := self.model.run_of(row)) is not None:
            self._session.edits.toggle_run(run)

    @Slot(int)
    def _hover_run(self, row: int) -> None:
        self._session.cursor_state.hover_run(None if row < 0 else self.model.run_of(row))

    @Slot(object)
    def _show_hovered_run(self, run: int | None) -> None:
        self.table.set_hovered_run(-1 if run is None else run)

    @Slot(QMenu, int)
    def _fill_context_menu(self, menu: QMenu, row: int) -> None:
        """Add the actions for the selected runs if this is one of several, else for this run."""
        if (published := self.model.published(row)) is not None:
            self._table_to_remove = published.source
            added = [table.source for table in self._session.edits.edited.published]
            remove = menu.addAction(f"Remove the scores of {escape_mnemonic(published.source)}")
            remove.setEnabled(published.source in added)
            set_tooltip(remove, "" if published.source in added else "The benchmark.toml of the benchmark names them")
            remove.triggered.connect(self._remove_published)
            return
        selected = tuple(run for run in self.table.selected_runs() if self.model.run_of(run) is not None)
        if row in selected and len(selected) > 1:
            actions = SeveralRunActions(self._session, selected, menu)
            actions.export_requested.connect(self.export_selected)
        else:
            RunActions(self._session, row, menu)

    @Slot()
    def _remove_published(self) -> None:
        self._session.edits.remove_published(self._table_to_remove)

    @Slot()
    def export_selected(self) -> None:
        """Open the export dialog for the selected rows."""
        self._exports_selected = True
        trigger_export(self)
        self._exports_selected = False


class RunScoresPanel(ScoreTablePanel[RunScoresRequest]):
    """Table of the scores of the selected run, one row per query or class."""

    def __init__(self, session: Session) -> None:
        self.model = RunScoresModel(session)
        super().__init__(session, RunScoresRequest(), self.model, "Scores of the run")
        self.aggregation = self.controls.buttons("shown")
        self._build()
        self.table.setModel(self.model)
        self.set_theme(current_theme())
        self.table.run_selected.connect(self._select_row)
        self.table.cell_selected.connect(self._select_cell)
        self.table.menu_opening.connect(self._fill_context_menu)
        session.versions.baseline_changed.connect(self._show_scores)
        self._show_scores()

    def show_options(self) -> None:
        """See `ScoreTablePanel`."""
        super().show_options()
        self.model.set_of(self.options.shown)
        self._show_current()

    def request(self) -> RunScoresRequest | None:
        """See `RequestPanel`; the queries or classes and the measures in the order on screen."""
        session, over = self._session, self.options.shown
        if session.scores is None or session.run is None:
            return None
        names = tuple(str(self.model.index(row, 0).data()) for row in self.table.shown_rows())
        request = RunScoresRequest(
            runs=(session.run.name,), measures=self.shown_measures(), over=over, percent=self.options.percent
        )
        return replace(request, queries=names) if over == OVER_QUERIES else replace(request, classes=names)

    def _build(self) -> None:
        header = row_layout()
        header.addWidget(self.aggregation)
        header.addStretch(1)
        for button in (self.explain, self.choose):
            header.addWidget(button)
        self.set_body(header, self.table, stretch=self.table)

    @Slot()
    def _show_scores(self) -> None:
        scores = self._session.scores
        if scores is None or not scores.runs or not scores.queries:
            self.show_empty(*missing_scores_reason(self._session))
        else:
            self.show_content()
        self.show_standard_columns()
        self._show_current()

    def shown_scope(self) -> tuple[str, ...]:
        """See `RequestPanel`."""
        return scope_texts(self._session, {"run"})

    def _show_current(self) -> None:
        query = self._session.selection.query
        if query == NOTHING or not self.model.rowCount():
            self.table.set_current_run(None)
        elif self.model.of == OVER_QUERIES:
            self.table.set_current_run(query)
        else:
            label = self._session.scores.query_labels[query] if self._session.scores is not None else -1
            rows = [row for row in range(self.model.rowCount()) if self.model.label_of(row) == label]
            self.table.set_current_run(rows[0] if rows else None)

    def show_changes(self, old: Document, new: Document) -> None:
        """See `ScoreTablePanel`."""
        super().show_changes(old, new)
        if new.differs(old, "benchmark", "scores"):
            self._show_scores()
            return
        if new.differs(old, "query", "run"):
            self._show_current()

    @Slot(int)
    def _select_row(self, row: int) -> None:
        """Select a query; for a class its first query, unless one of its queries is selected already."""
        if self.model.of == OVER_QUERIES:
            self._session.select(query=row)
            return
        scores, query = self._session.scores, self._session.selection.query
        if scores is None:
            return
        members = np.flatnonzero(scores.query_labels == self.model.label_of(row))
        if len(members) and query not in members:
            self._session.select(query=int(members[0]))

    @Slot(int, int)
    def _select_cell(self, row: int, column: int) -> None:
        """Select a measure, and show the calculation of the score."""
        if self.model.of == OVER_QUERIES:
            self.select_measure(column, self._session.selection.run, row)
        elif (measure := self.model.measure_of(column)) is not None:
            self._session.select(measure=measure)

    @Slot(QMenu, int)
    def _fill_context_menu(self, menu: QMenu, row: int) -> None:
        if self.model.of == OVER_QUERIES:
            QueryActions(self._session, row, menu)
