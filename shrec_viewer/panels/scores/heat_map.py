"""Panel with one measure of all runs for all queries as a heat map."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from PySide6.QtCore import QPoint, Qt, Signal, Slot
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QMenu, QVBoxLayout, QWidget

from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.number_format import MAP_DECIMALS, MINUS, format_value
from shrec_viewer.panels.panel.actions import QueryActions, RunActions, escape_mnemonic
from shrec_viewer.panels.panel.panel_widget import BasePanel, missing_scores_reason
from shrec_viewer.viewmodels.scores.heat_map import HeatMap, heat_map
from shrec_viewer.viewmodels.session.cursor import CalculationTarget
from shrec_viewer.viewmodels.session.selection import NOTHING, Selection
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.labels import class_label, is_count, missing_query_text
from shrec_viewer.widgets.controls.eliding import ElidingLine
from shrec_viewer.widgets.controls.fields import ElidingComboBox
from shrec_viewer.widgets.controls.segmented_buttons import SegmentedButtons
from shrec_viewer.widgets.heatmap.colour_bar import HeatmapColourBar
from shrec_viewer.widgets.heatmap.data import EMPTY_HEATMAP, HeatmapData
from shrec_viewer.widgets.heatmap.view import HeatmapView
from shrec_viewer.widgets.style.theme import SPACE, Theme

QUERY_ORDERS = (
    ("given", "as given"),
    ("class", "by class"),
    ("mean", "easiest first"),
    ("hard", "hardest first"),
    ("spread", "runs differ most first"),
    ("agreement", "runs agree most first"),
)
RUN_ORDERS = (("given", "as given"), ("mean", "best first"), ("worst", "worst first"))

BY_RUN, BY_QUERY = "run", "query"
"""Orders by what one run found, or by what was found for one query; the best first."""

MIN_FIELD_WIDTH = 72
"""Pixels of a field in a narrow panel; its words are cut then, and whole in its list."""


class HeatMapOrderComboBox(ElidingComboBox):
    """Some orders, and the one by something that the person pointed at.

    Parameters
    ----------
    orders : key and words of each.
    one : key of the order by a run, or a query.
    """

    def __init__(self, name: str, orders: Sequence[tuple[str, str]], one: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._one = one
        self._by = ""
        self.setAccessibleName(name)
        self.setToolTip(name)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.setMinimumWidth(MIN_FIELD_WIDTH)
        for key, words in orders:
            self.addItem(words, key)

    @property
    def order(self) -> str:
        """Key of the order chosen."""
        return str(self.currentData())

    @property
    def by(self) -> str:
        """Name of the run or query that orders; "" where none does."""
        return self._by if self.order == self._one else ""

    def order_by(self, name: str) -> None:
        """Order by this run or query; tells nobody."""
        self._by = name
        if (place := self.findData(self._one)) >= 0:
            self.removeItem(place)
        self.addItem(f"by {name}", self._one)
        self.setCurrentIndex(self.count() - 1)

    def state(self) -> dict[str, str]:
        """The order as plain values."""
        return {"order": self.order, "by": self.by}

    def restore_state(self, state: object) -> None:
        """The order of `state`; what is not known is the first one. Tells nobody."""
        known: Mapping[str, Any] = state if isinstance(state, dict) else {}
        if known.get("order") == self._one and isinstance(known.get("by"), str):
            self.order_by(known["by"])
            return
        self.setCurrentIndex(max(self.findData(known.get("order")), 0))


class HeatMapMenu(QMenu):
    """For a cell, or for the name of a run or of a query; deletes itself when it is closed.

    Parameters
    ----------
    run, query : places in the benchmark; `NOTHING` where none is meant.

    Signals
    -------
    run_order_picked(name), query_order_picked(name)
        Queries are to stand by what this run found; runs by what was found for this query.
    """

    run_order_requested = Signal(str)
    query_order_requested = Signal(str)

    def __init__(self, session: Session, run: int, query: int, parent: QWidget) -> None:
        super().__init__(parent)
        self._session, self._run, self._query = session, run, query
        benchmark = session.benchmark
        assert benchmark is not None
        self._run_name = "" if run == NOTHING else benchmark.runs[run].name
        self._query_id = "" if query == NOTHING else benchmark.queries.ids[query]
        if query == NOTHING:
            self._fill_run(self)
        elif run == NOTHING:
            self._fill_query(self)
        else:
            self._fill_cell()

    def _fill_cell(self) -> None:
        run, query = escape_mnemonic(self._run_name), escape_mnemonic(self._query_id)
        self.addAction(f"&Show ranked list of {run} for {query}").triggered.connect(self._show_list)
        self.addAction("Show &calculation").triggered.connect(self._show_calculation)
        self.addSeparator()
        self._fill_run(self.addMenu(f"&Run {run}"))
        self._fill_query(self.addMenu(f"&Query {query}"))

    def _fill_run(self, menu: QMenu) -> None:
        RunActions(self._session, self._run, menu)
        menu.addSeparator()
        menu.addAction("Sort que&ries by this run, best first").triggered.connect(self._order_queries)

    def _fill_query(self, menu: QMenu) -> None:
        QueryActions(self._session, self._query, menu)
        menu.addSeparator()
        menu.addAction("Sort &runs by this query, best first").triggered.connect(self._order_runs)

    @Slot()
    def _show_list(self) -> None:
        self._session.select(run=self._run, query=self._query)
        self._session.cursor_state.request_view("query")

    @Slot()
    def _show_calculation(self) -> None:
        self._session.select(run=self._run, query=self._query)
        self._session.cursor_state.show_calculation(CalculationTarget(self._session.measure, self._run, self._query))
        self._session.cursor_state.request_view("explanation")

    @Slot()
    def _order_queries(self) -> None:
        self.run_order_requested.emit(self._run_name)

    @Slot()
    def _order_runs(self) -> None:
        self.query_order_requested.emit(self._query_id)


BASELINES = (("nothing", "Values"), ("mean", "− mean"), ("run", "− B"))

MAX_NAME_WIDTH = 90
"""Pixels of the name of the run compared with, on its button."""

BASELINE_TOOLTIPS = (
    "The value of each run for each query",
    "Difference from the mean of all runs for the query",
    "Difference from {run}, the run compared with",
)
NO_BASELINE_TOOLTIP = "Choose a run B in the tool bar to see the difference from it"


class HeatMapPanel(BasePanel):
    """Query x run tied to the session: picking a cell selects its query and its run."""

    def __init__(self, session: Session) -> None:
        super().__init__("grid")
        self._session = session
        self._map: HeatMap | None = None
        self._counted = False
        self._against = "nothing"
        self.grid = HeatmapView()
        self.against = SegmentedButtons(BASELINES)
        self.queries_by = HeatMapOrderComboBox("Order of the queries", QUERY_ORDERS, BY_RUN)
        self.runs_by = HeatMapOrderComboBox("Order of the runs", RUN_ORDERS, BY_QUERY)
        self.scale = HeatmapColourBar()
        self.reading = ElidingLine(token="muted")
        self._build()
        self.against.picked.connect(self._select_baseline)
        self.queries_by.activated.connect(self._show_map)
        self.runs_by.activated.connect(self._show_map)
        self.grid.cell_selected.connect(self._select_cell)
        self.grid.cell_activated.connect(self._open_cell)
        self.grid.cell_hovered.connect(self._show_cell_text)
        self.grid.row_selected.connect(self._select_run)
        self.grid.column_selected.connect(self._select_query)
        self.grid.menu_requested.connect(self._offer)
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

    def restore_view_state(self, state: Mapping[str, Any]) -> None:
        """Show what a project says; what is not known is passed over."""
        self.queries_by.restore_state(state.get("queries_by"))
        self.runs_by.restore_state(state.get("runs_by"))
        if state.get("against") in [key for key, _ in BASELINES]:
            self.against.set_current(state["against"])
        self._show_map()

    def _build(self) -> None:
        self.grid.setAccessibleName("Runs and queries")
        for (key, _), tip in zip(BASELINES, BASELINE_TOOLTIPS, strict=True):
            self.against.button(key).setToolTip(tip)
        header = QHBoxLayout()
        header.setContentsMargins(2 * SPACE, 2 * SPACE, 2 * SPACE, SPACE)
        header.setSpacing(2 * SPACE)
        pieces: tuple[QWidget, ...] = (
            self.against, _muted_label("Queries"), self.queries_by, _muted_label("Runs"),
            self.runs_by,
        )  # fmt: skip
        for piece in pieces:
            header.addWidget(piece)
        header.addStretch(1)
        footer = QHBoxLayout()
        footer.setContentsMargins(2 * SPACE, SPACE, 2 * SPACE, SPACE)
        footer.setSpacing(3 * SPACE)
        footer.addWidget(self.reading, 1)
        footer.addWidget(self.scale)
        layout = QVBoxLayout(self.content)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(header)
        layout.addWidget(self.grid, 1)
        layout.addLayout(footer)

    # ------------------------------------------------------------------------------------------------ what is shown

    @Slot()
    def _show_map(self, *_: object) -> None:
        scores, benchmark = self._session.scores, self._session.benchmark
        if scores is None or benchmark is None or not scores.runs or not scores.queries:
            self._map = None
            self.grid.set_cells(EMPTY_HEATMAP)
            self.show_empty(*missing_scores_reason(self._session))
            return
        against = self._against = self._comparison(scores)
        found = self._map = heat_map(
            scores,
            self._session.measure,
            against=against,  # type: ignore[arg-type]  # a key of AGAINST
            baseline=self._baseline(scores),
            queries_by=self.queries_by.order,  # type: ignore[arg-type]  # a key of QUERY_ORDERS
            runs_by=self.runs_by.order,  # type: ignore[arg-type]  # a key of RUN_ORDERS
            by_run=_index_of(scores.runs, self.queries_by.by),
            by_query=_index_of(scores.queries, self.runs_by.by),
        )
        measure = scores.measures[scores.column(self._session.measure)]
        counted = self._counted = is_count(measure, scores.values[:, :, scores.column(measure.key)])
        labels = [class_label(benchmark, int(scores.query_labels[query])) for query in found.queries]
        is_grouped = self.queries_by.order == "class" and any(labels)
        cells = HeatmapData(
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
            total_name="mean",
            words=self._words,
        )
        self.grid.set_cells(cells)
        self.scale.set_scale(cells, self._scale_name(scores, against))
        self._show_current()
        self.show_content()

    def _scale_name(self, scores: Scores, against: str) -> str:
        """``"ADR"``, ``"ADR − mean"``, ``"ADR − B1"``."""
        other = {"mean": "mean", "run": scores.runs[self._baseline(scores)]}.get(against, "")
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
        button.setText(f"{MINUS} {button.fontMetrics().elidedText(name, Qt.TextElideMode.ElideMiddle, MAX_NAME_WIDTH)}")
        button.setToolTip(BASELINE_TOOLTIPS[2].format(run=name) if has_baseline else NO_BASELINE_TOOLTIP)
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
        self._show_cell_text(-1, -1)

    @Slot(int, int)
    def _show_cell_text(self, row: int, column: int) -> None:
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
        name = class_label(benchmark, int(scores.query_labels[query]))
        place = f"{scores.runs[run]}  ·  {scores.queries[query]} {name}".rstrip()
        if scores.missing[run, query]:
            return f"{place}\nno answer: {missing_query_text(self._session.profile)}"
        own = "undefined" if values[run] != values[run] else format_value(float(values[run]), counted=self._counted)
        known, against = values[values == values], self._against
        other, what = float(known.mean()) if len(known) > 1 else np.nan, "mean of all runs"
        if against == "run":
            other, what = float(values[self._baseline(scores)]), scores.runs[self._baseline(scores)]
        beside = (
            "" if other != other else f"  ·  {what} {format_value(other, counted=self._counted and against == 'run')}"
        )
        shown = float(found.values[row, column])
        if against != "nothing" and shown == shown:
            apart = format_value(shown, counted=self._counted and against == "run", signed=True)
            beside = f"  ·  difference {apart}{beside}"
        return f"{place}\n{key} {own}{beside}"

    # ------------------------------------------------------------------------------------------------ what is picked

    @Slot(str)
    def _select_baseline(self, _key: str) -> None:
        self._show_map()

    @Slot(int, int)
    def _select_cell(self, row: int, column: int) -> None:
        if self._map is not None:
            self._session.select(run=int(self._map.runs[row]), query=int(self._map.queries[column]))

    @Slot(int, int)
    def _open_cell(self, row: int, column: int) -> None:
        self._select_cell(row, column)
        self._session.cursor_state.request_view("query")

    @Slot(int)
    def _select_run(self, row: int) -> None:
        if self._map is not None:
            self._session.select(run=int(self._map.runs[row]))

    @Slot(int)
    def _select_query(self, column: int) -> None:
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
        menu = HeatMapMenu(self._session, run, query, self.grid)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.run_order_requested.connect(self._order_queries)
        menu.query_order_requested.connect(self._order_runs)
        menu.popup(place)

    @Slot(str)
    def _order_queries(self, run: str) -> None:
        self.queries_by.order_by(run)
        self._show_map()

    @Slot(str)
    def _order_runs(self, query: str) -> None:
        self.runs_by.order_by(query)
        self._show_map()


def _index_of(names: Sequence[str], name: str) -> int:
    """Place of a name; of one that is gone, the first."""
    return names.index(name) if name in names else 0


def _muted_label(text: str) -> QLabel:
    label = QLabel(text)
    label.setProperty("muted", True)
    return label
