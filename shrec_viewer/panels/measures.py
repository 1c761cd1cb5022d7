"""All measures of the selected run, by query and by class: picking a row selects the query."""

import numpy as np
from PySide6.QtCore import Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QVBoxLayout

from shrec_viewer.panels.pane import Pane
from shrec_viewer.panels.query_actions import QueryActions
from shrec_viewer.panels.reasons import why_no_numbers
from shrec_viewer.panels.score_buttons import ScoreButtons
from shrec_viewer.panels.switch import Switch
from shrec_viewer.viewmodels.measures_model import CLASSES, QUERIES, MeasuresModel
from shrec_viewer.viewmodels.pointing import Explained
from shrec_viewer.viewmodels.score_model import usual_measures
from shrec_viewer.viewmodels.selection import NOTHING, Selection
from shrec_viewer.viewmodels.session import Session
from shrec_viewer.widgets.score_columns import ScoreColumns
from shrec_viewer.widgets.score_table import ScoreTable
from shrec_viewer.widgets.theme import SPACE, Theme, current_theme
from shrec_viewer.widgets.words_line import WordsLine


class MeasuresPanel(Pane):
    """The table of one run tied to the session."""

    def __init__(self, session: Session) -> None:
        super().__init__("table")
        self._session = session
        self.model = MeasuresModel(session, self)
        self.table = ScoreTable()
        self.columns = ScoreColumns(self.table)
        self.of = Switch(((QUERIES, "By query"), (CLASSES, "By class")))
        self._caption = WordsLine(token="muted")
        self._buttons = ScoreButtons(session, self.model, self.table, self.columns)
        self._build()
        self.table.setModel(self.model)
        self.set_theme(current_theme())
        self.of.picked.connect(self._pick_of)
        self.table.run_picked.connect(self._pick_row)
        self.table.cell_picked.connect(self._pick_cell)
        self.table.menu_opening.connect(self._offer)
        session.benchmark_changed.connect(self._show)
        session.scores_changed.connect(self._show)
        session.selection_changed.connect(self._show_selection)
        self._show()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme; children are told by `apply_theme`."""
        self._buttons.set_theme(theme)

    def _build(self) -> None:
        self.table.setFrameShape(QFrame.Shape.NoFrame)
        self.table.setAccessibleName(self.tr("Measures of the run"))
        head = QHBoxLayout()
        head.setContentsMargins(2 * SPACE, SPACE, 2 * SPACE, SPACE)
        head.setSpacing(2 * SPACE)
        head.addWidget(self.of)
        head.addWidget(self._caption, 1)
        self._buttons.add_to(head)
        layout = QVBoxLayout(self.content)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(self.table, 1)

    @Slot()
    def _show(self) -> None:
        benchmark, scores = self._session.benchmark, self._session.scores
        if benchmark is None or scores is None or not scores.runs or not scores.queries:
            self.show_empty(*why_no_numbers(self._session))
        else:
            self.show_content()
        self.columns.set_usual(usual_measures(self._session.profile))
        self._show_caption()
        self._show_current()

    def _show_caption(self) -> None:
        run = self._session.run
        title = self._session.profile.title
        words = "" if run is None else self.tr("{run} · Conventions: {title}").format(run=run.name, title=title)
        self._caption.setText(words)

    def _show_current(self) -> None:
        query = self._session.selection.query
        if query == NOTHING or not self.model.rowCount():
            self.table.set_current_run(None)
        elif self.model.of == QUERIES:
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
    def _pick_of(self, what: str) -> None:
        self.model.set_of(what)
        self._show_current()

    @Slot(int)
    def _pick_row(self, row: int) -> None:
        """A class stands for its first query, unless one of its queries is selected already."""
        if self.model.of == QUERIES:
            self._session.select(query=row)
            return
        scores, query = self._session.scores, self._session.selection.query
        if scores is None:
            return
        members = np.flatnonzero(scores.query_labels == self.model.label_of(row))
        if len(members) and query not in members:
            self._session.select(query=int(members[0]))

    @Slot(int, int)
    def _pick_cell(self, row: int, column: int) -> None:
        """A number is selected, and its working shown."""
        if (measure := self.model.measure_of(column)) is None:
            return
        self._session.select(measure=measure)
        if self.model.of == QUERIES:
            self._session.pointing.explain(Explained(measure, self._session.selection.run, row))
            self._session.pointing.want_view("explanation")

    @Slot(QMenu, int)
    def _offer(self, menu: QMenu, row: int) -> None:
        if self.model.of == QUERIES:
            QueryActions(self._session, row, menu)
