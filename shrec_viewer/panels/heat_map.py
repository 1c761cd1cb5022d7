"""The campaign at a glance: one measure of all runs for all queries, as colours."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from PySide6.QtCore import QPoint, Qt, Slot
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.numerals import MAP_DECIMALS, MINUS, listed
from shrec_viewer.panels.heat_menu import HeatMenu
from shrec_viewer.panels.heat_orders import BY_QUERY, BY_RUN, QUERY_ORDERS, RUN_ORDERS, OrderChoice
from shrec_viewer.panels.pane import Pane
from shrec_viewer.panels.reasons import why_no_numbers
from shrec_viewer.panels.switch import Switch
from shrec_viewer.viewmodels.heat_map import HeatMap, heat_map
from shrec_viewer.viewmodels.selection import NOTHING, Selection
from shrec_viewer.viewmodels.session import Session
from shrec_viewer.viewmodels.words import class_words, is_counted, missing_words
from shrec_viewer.widgets.heat_cells import NO_CELLS, HeatCells
from shrec_viewer.widgets.heat_grid import HeatGrid
from shrec_viewer.widgets.heat_scale import HeatScale
from shrec_viewer.widgets.theme import SPACE, Theme
from shrec_viewer.widgets.words_line import WordsLine

AGAINST = (("nothing", "Values"), ("mean", "− mean"), ("run", "− B"))

LONGEST_NAME = 90
"""Pixels of the name of the run compared with, on its button."""

AGAINST_TIPS = (
    "The value of each run for each query",
    "Difference from the mean of all runs for the query",
    "Difference from {run}, the run compared with",
)
NO_BASELINE = "Choose a run B in the tool bar to see the difference from it"


class HeatMapPanel(Pane):
    """Query x run tied to the session: picking a cell selects its query and its run."""

    def __init__(self, session: Session) -> None:
        super().__init__("grid")
        self._session = session
        self._map: HeatMap | None = None
        self._counted = False
        self._against = "nothing"
        self.grid = HeatGrid()
        self.against = Switch(AGAINST)
        self.queries_by = OrderChoice(self.tr("Order of the queries"), QUERY_ORDERS, BY_RUN)
        self.runs_by = OrderChoice(self.tr("Order of the runs"), RUN_ORDERS, BY_QUERY)
        self.scale = HeatScale()
        self.reading = WordsLine(token="muted")
        self._build()
        self.against.picked.connect(self._pick_against)
        self.queries_by.activated.connect(self._show_map)
        self.runs_by.activated.connect(self._show_map)
        self.grid.cell_picked.connect(self._pick_cell)
        self.grid.cell_activated.connect(self._open_cell)
        self.grid.cell_hovered.connect(self._show_reading)
        self.grid.row_picked.connect(self._pick_run)
        self.grid.column_picked.connect(self._pick_query)
        self.grid.menu_wanted.connect(self._offer)
        session.benchmark_changed.connect(self._show_map)
        session.scores_changed.connect(self._show_map)
        session.selection_changed.connect(self._show_selection)
        self._show_map()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme; children are told by `apply_theme`."""
        self._show_current()

    def view_state(self) -> dict[str, Any]:
        """Orders, and what values are held against, for a project: plain values."""
        orders = {"queries_by": self.queries_by.state(), "runs_by": self.runs_by.state()}
        return {"against": self.against.current, **orders}

    def take_view_state(self, state: Mapping[str, Any]) -> None:
        """Show what a project says; what is not known is passed over."""
        self.queries_by.take_state(state.get("queries_by"))
        self.runs_by.take_state(state.get("runs_by"))
        if state.get("against") in [key for key, _ in AGAINST]:
            self.against.set_current(state["against"])
        self._show_map()

    def _build(self) -> None:
        self.grid.setAccessibleName(self.tr("Runs and queries"))
        for (key, _), tip in zip(AGAINST, AGAINST_TIPS, strict=True):
            self.against.button(key).setToolTip(tip)
        head = QHBoxLayout()
        head.setContentsMargins(2 * SPACE, 2 * SPACE, 2 * SPACE, SPACE)
        head.setSpacing(2 * SPACE)
        pieces: tuple[QWidget, ...] = (
            self.against, _label(self.tr("Queries")), self.queries_by, _label(self.tr("Runs")),
            self.runs_by,
        )  # fmt: skip
        for piece in pieces:
            head.addWidget(piece)
        head.addStretch(1)
        foot = QHBoxLayout()
        foot.setContentsMargins(2 * SPACE, SPACE, 2 * SPACE, SPACE)
        foot.setSpacing(3 * SPACE)
        foot.addWidget(self.reading, 1)
        foot.addWidget(self.scale)
        layout = QVBoxLayout(self.content)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(self.grid, 1)
        layout.addLayout(foot)

    # ------------------------------------------------------------------------------------------------ what is shown

    @Slot()
    def _show_map(self, *_: object) -> None:
        scores, benchmark = self._session.scores, self._session.benchmark
        if scores is None or benchmark is None or not scores.runs or not scores.queries:
            self._map = None
            self.grid.set_cells(NO_CELLS)
            self.show_empty(*why_no_numbers(self._session))
            return
        against = self._against = self._comparison(scores)
        found = self._map = heat_map(
            scores,
            self._session.measure,
            against=against,  # type: ignore[arg-type]  # a key of AGAINST
            baseline=self._baseline(scores),
            queries_by=self.queries_by.order,  # type: ignore[arg-type]  # a key of QUERY_ORDERS
            runs_by=self.runs_by.order,  # type: ignore[arg-type]  # a key of RUN_ORDERS
            by_run=_place(scores.runs, self.queries_by.by),
            by_query=_place(scores.queries, self.runs_by.by),
        )
        measure = scores.measures[scores.column(self._session.measure)]
        counted = self._counted = is_counted(measure, scores.values[:, :, scores.column(measure.key)])
        labels = [class_words(benchmark, int(scores.query_labels[query])) for query in found.queries]
        is_grouped = self.queries_by.order == "class" and any(labels)
        cells = HeatCells(
            found.values,
            tuple(scores.runs[run] for run in found.runs),
            tuple(scores.queries[query] for query in found.queries),
            found.low,
            found.high,
            scale="values" if against == "nothing" else "differences",
            inverted=measure.better == "lower",
            groups=tuple(labels) if is_grouped else (),
            absent=found.absent,
            decimals=0 if counted else MAP_DECIMALS,
            totals=found.means,
            total_name=self.tr("mean"),
            words=self._words,
        )
        self.grid.set_cells(cells)
        self.scale.set_scale(cells, self._scale_name(scores, against))
        self._show_current()
        self.show_content()

    def _scale_name(self, scores: Scores, against: str) -> str:
        """``"ADR"``, ``"ADR − mean"``, ``"ADR − B1"``."""
        other = {"mean": self.tr("mean"), "run": scores.runs[self._baseline(scores)]}.get(against, "")
        return f"{self._session.measure} {MINUS} {other}" if other else self._session.measure

    def _baseline(self, scores: Scores) -> int:
        """Place of the run compared with; the first one where there is none, which is not used then."""
        compared = self._session.selection.compared
        return compared if compared is not None and 0 <= compared < len(scores.runs) else 0

    def _comparison(self, scores: Scores) -> str:
        """What is shown; names the run compared with, and offers no difference from a run where nobody chose one."""
        compared, button = self._session.selection.compared, self.against.button("run")
        has_baseline = compared is not None and 0 <= compared < len(scores.runs)
        name = scores.runs[self._baseline(scores)] if has_baseline else "B"
        button.setText(f"{MINUS} {button.fontMetrics().elidedText(name, Qt.TextElideMode.ElideMiddle, LONGEST_NAME)}")
        button.setToolTip(AGAINST_TIPS[2].format(run=name) if has_baseline else NO_BASELINE)
        button.setEnabled(has_baseline)
        if self.against.current == "run" and not has_baseline:
            self.against.set_current("nothing")
        return self.against.current

    @Slot(object, object)
    def _show_selection(self, old: Selection, new: Selection) -> None:
        if old.measure != new.measure or old.compared != new.compared:
            self._show_map()
        elif (old.query, old.run) != (new.query, new.run):
            self._show_current()

    def _show_current(self) -> None:
        selection, found = self._session.selection, self._map
        if found is None or selection.query == NOTHING or selection.run == NOTHING:
            self.grid.set_current(-1, -1)
            return
        rows = [int(run) for run in found.runs]
        columns = {int(query): place for place, query in enumerate(found.queries)}
        if selection.run in rows and selection.query in columns:
            self.grid.set_current(rows.index(selection.run), columns[selection.query])
        self._show_reading(-1, -1)

    @Slot(int, int)
    def _show_reading(self, row: int, column: int) -> None:
        cell = (row, column) if row >= 0 else self.grid.current
        self.reading.setText("" if cell is None else self._words(*cell).replace("\n", "  ·  "))

    def _words(self, row: int, column: int) -> str:
        """Where the cell is, and below it ``"AP 0.412 · difference +0.032 · mean of all runs 0.380"``.

        What the cell's colour says stands first: a narrow window cuts the end.
        """
        scores, benchmark, found = self._session.scores, self._session.benchmark, self._map
        if scores is None or benchmark is None or found is None:
            return ""
        run, query = int(found.runs[row]), int(found.queries[column])
        key = self._session.measure
        values = scores.values[:, query, scores.column(key)]
        name = class_words(benchmark, int(scores.query_labels[query]))
        place = f"{scores.runs[run]}  ·  {scores.queries[query]} {name}".rstrip()
        if scores.missing[run, query]:
            return f"{place}\nno answer: {missing_words(self._session.profile)}"
        own = "undefined" if values[run] != values[run] else listed(float(values[run]), counted=self._counted)
        known, against = values[values == values], self._against
        other, what = float(known.mean()) if len(known) > 1 else np.nan, "mean of all runs"
        if against == "run":
            other, what = float(values[self._baseline(scores)]), scores.runs[self._baseline(scores)]
        beside = "" if other != other else f"  ·  {what} {listed(other, counted=self._counted and against == 'run')}"
        shown = float(found.values[row, column])
        if against != "nothing" and shown == shown:
            apart = listed(shown, counted=self._counted and against == "run", signed=True)
            beside = f"  ·  difference {apart}{beside}"
        return f"{place}\n{key} {own}{beside}"

    # ------------------------------------------------------------------------------------------------ what is picked

    @Slot(str)
    def _pick_against(self, _key: str) -> None:
        self._show_map()

    @Slot(int, int)
    def _pick_cell(self, row: int, column: int) -> None:
        if self._map is not None:
            self._session.select(run=int(self._map.runs[row]), query=int(self._map.queries[column]))

    @Slot(int, int)
    def _open_cell(self, row: int, column: int) -> None:
        self._pick_cell(row, column)
        self._session.pointing.want_view("query")

    @Slot(int)
    def _pick_run(self, row: int) -> None:
        if self._map is not None:
            self._session.select(run=int(self._map.runs[row]))

    @Slot(int)
    def _pick_query(self, column: int) -> None:
        if self._map is not None:
            self._session.select(query=int(self._map.queries[column]))

    # ---------------------------------------------------------------------------------------------- what can be done

    @Slot(int, int, QPoint)
    def _offer(self, row: int, column: int, place: QPoint) -> None:
        """What can be done with a cell, or with the run or query whose name it is."""
        if (found := self._map) is None:
            return
        run = int(found.runs[row]) if row >= 0 else NOTHING
        query = int(found.queries[column]) if column >= 0 else NOTHING
        menu = HeatMenu(self._session, run, query, self.grid)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.run_order_picked.connect(self._order_queries)
        menu.query_order_picked.connect(self._order_runs)
        menu.popup(place)

    @Slot(str)
    def _order_queries(self, run: str) -> None:
        self.queries_by.order_by(run)
        self._show_map()

    @Slot(str)
    def _order_runs(self, query: str) -> None:
        self.runs_by.order_by(query)
        self._show_map()


def _place(names: Sequence[str], name: str) -> int:
    """Place of a name; of one that is gone, the first."""
    return names.index(name) if name in names else 0


def _label(text: str) -> QLabel:
    label = QLabel(text)
    label.setProperty("muted", True)
    return label
