"""Panel with all measures of the selected run, by query or by class."""

import numpy as np
from PySide6.QtCore import Slot
from PySide6.QtWidgets import QFrame, QMenu

from shrec_viewer.panels.context_menus import QueryActions
from shrec_viewer.panels.panel import BasePanel, missing_scores_reason, row_layout
from shrec_viewer.panels.scores.score_buttons import ScoreTableButtons
from shrec_viewer.viewmodels.scores.score_tables import BY_CLASS, BY_QUERY, MeasuresModel, common_measures
from shrec_viewer.viewmodels.session.selection import NOTHING, CalculationTarget, Selection
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.widgets.controls.controls import ElidingLine, SegmentedButtons
from shrec_viewer.widgets.style.theme import Theme, current_theme
from shrec_viewer.widgets.tables.score_columns import ScoreColumnChooser
from shrec_viewer.widgets.tables.score_table import ScoreTable


class MeasuresPanel(BasePanel):
    """Table of the scores of the selected run, one row per query or class."""

    def __init__(self, session: Session) -> None:
        super().__init__("table")
        self._session = session
        self.model = MeasuresModel(session, self)
        self.table = ScoreTable()
        self.columns = ScoreColumnChooser(self.table)
        self.aggregation = SegmentedButtons(((BY_QUERY, "By query"), (BY_CLASS, "By class")))
        self._caption = ElidingLine(token="muted")
        self._buttons = ScoreTableButtons(session, self.model, self.table, self.columns)
        self._build()
        self.table.setModel(self.model)
        self.set_theme(current_theme())
        self.aggregation.selected.connect(self._select_aggregation)
        self.table.run_selected.connect(self._select_row)
        self.table.cell_selected.connect(self._select_cell)
        self.table.menu_opening.connect(self._fill_context_menu)
        session.benchmark_changed.connect(self._show)
        session.scores_changed.connect(self._show)
        session.selection_changed.connect(self._show_selection)
        self._show()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme; children are updated by `apply_theme`."""
        self._buttons.set_theme(theme)

    def _build(self) -> None:
        self.table.setFrameShape(QFrame.Shape.NoFrame)
        self.table.setAccessibleName("Measures of the run")
        header = row_layout()
        header.addWidget(self.aggregation)
        header.addWidget(self._caption, 1)
        self._buttons.add_to(header)
        self.set_body(header, self.table, stretch=self.table)

    @Slot()
    def _show(self) -> None:
        benchmark, scores = self._session.benchmark, self._session.scores
        if benchmark is None or scores is None or not scores.runs or not scores.queries:
            self.show_empty(*missing_scores_reason(self._session))
        else:
            self.show_content()
        self.columns.set_standard((*common_measures(self._session.profile), *self._session.added_measures))
        self._show_caption()
        self._show_current()

    def _show_caption(self) -> None:
        run = self._session.run
        self._caption.setText("" if run is None else f"{run.name} · Conventions: {self._session.profile.title}")

    def _show_current(self) -> None:
        query = self._session.selection.query
        if query == NOTHING or not self.model.rowCount():
            self.table.set_current_run(None)
        elif self.model.of == BY_QUERY:
            self.table.set_current_run(query)
        else:
            label = self._session.scores.query_labels[query] if self._session.scores is not None else -1
            rows = [row for row in range(self.model.rowCount()) if self.model.label_of(row) == label]
            self.table.set_current_run(rows[0] if rows else None)

    @Slot(object, object)
    def _show_selection(self, old: Selection, new: Selection) -> None:
        if old.run != new.run:
            self._show_caption()
        if (old.query, old.run) != (new.query, new.run):
            self._show_current()

    @Slot(str)
    def _select_aggregation(self, key: str) -> None:
        self.model.set_of(key)
        self._show_current()

    @Slot(int)
    def _select_row(self, row: int) -> None:
        """Select a query; for a class its first query, unless one of its queries is selected already."""
        if self.model.of == BY_QUERY:
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
        if (measure := self.model.measure_of(column)) is None:
            return
        self._session.select(measure=measure)
        if self.model.of == BY_QUERY:
            self._session.cursor_state.show_calculation(CalculationTarget(measure, self._session.selection.run, row))
            self._session.cursor_state.request_view("explanation")

    @Slot(QMenu, int)
    def _fill_context_menu(self, menu: QMenu, row: int) -> None:
        if self.model.of == BY_QUERY:
            QueryActions(self._session, row, menu)
