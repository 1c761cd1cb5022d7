"""Panel with one measure of all runs for all queries as a heat map."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from PySide6.QtCore import QPoint, QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QComboBox, QMenu, QWidget

from shrec_viewer.charts.matrix import EMPTY_MATRIX, Matrix
from shrec_viewer.content.heat_map import HeatMapRequest, heat_map
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.number_format import format_value
from shrec_viewer.panels.context_menus import QueryActions, RunActions
from shrec_viewer.panels.export.content import ExportContent, content_data
from shrec_viewer.panels.panel import BasePanel, WrappingRow, missing_scores_reason, row_layout
from shrec_viewer.viewmodels.session.selection import NOTHING, CalculationTarget, Selection
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.labels import class_label, missing_query_text
from shrec_viewer.widgets.controls.context_menu import ContextMenu
from shrec_viewer.widgets.controls.controls import ElidingComboBox, ElidingLine, SegmentedButtons
from shrec_viewer.widgets.controls.plain_text import PlainLabel, escape_mnemonic, set_tooltip
from shrec_viewer.widgets.heatmap.data import HeatmapColourBar
from shrec_viewer.widgets.heatmap.view import HeatmapView
from shrec_viewer.widgets.style.theme import SPACE, Theme

QUERY_ORDERS = (
    ("given", "file order"),
    ("class", "by class"),
    ("mean", "easiest first"),
    ("hard", "hardest first"),
    ("spread", "runs differ most first"),
    ("agreement", "runs agree most first"),
)
RUN_ORDERS = (("mean", "best first"), ("given", "file order"), ("worst", "worst first"))
"""Sort orders: key and text; the first one is the default, for runs the order of the table of runs."""

BY_RUN, BY_QUERY = "run", "query"
"""Keys of the orders by the scores of one run, and by the scores for one query."""

ROW_HEIGHT, OTHER_HEIGHT = 34, 110
"""Height in pixels of one run, and of everything above and below the runs."""

MIN_FIELD_WIDTH = 68
"""Minimum width in pixels of a sort field; its text is elided then."""


class HeatMapOrderComboBox(ElidingComboBox):
    """Combo box of sort orders, with an additional entry for one run or query.

    Parameters
    ----------
    orders : key and text of each order.
    by_key : key of the additional entry.
    """

    def __init__(
        self, name: str, orders: Sequence[tuple[str, str]], by_key: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._by_key = by_key
        self._by = ""
        self.setAccessibleName(name)
        set_tooltip(self, name)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.setMinimumWidth(MIN_FIELD_WIDTH)
        for key, text in orders:
            self.addItem(text, key)

    def sizeHint(self) -> QSize:
        """Width of the current text; Qt's is that of the longest one, for which small windows have no space."""
        return QSize(self.width_of_current(), super().sizeHint().height())

    @property
    def order(self) -> str:
        """Key of the current order."""
        return str(self.currentData())

    @property
    def by(self) -> str:
        """Name of the run or query to sort by; "" for the other orders."""
        return self._by if self.order == self._by_key else ""

    def order_by(self, name: str) -> None:
        """Sort by this run or query; does not emit `activated`."""
        self._by = name
        if (index := self.findData(self._by_key)) >= 0:
            self.removeItem(index)
        self.addItem(f"by {name}", self._by_key)
        self.setCurrentIndex(self.count() - 1)

    def state(self) -> dict[str, str]:
        """The current order as plain values."""
        return {"order": self.order, "by": self.by}

    def restore_state(self, state: object) -> None:
        """Set the order of `state`, the first one where it is unknown; does not emit `activated`."""
        known: Mapping[str, Any] = state if isinstance(state, dict) else {}
        if known.get("order") == self._by_key and isinstance(known.get("by"), str):
            self.order_by(known["by"])
            return
        self.setCurrentIndex(max(self.findData(known.get("order")), 0))


class HeatMapMenu(ContextMenu):
    """Context menu of a cell, of a run or of a query; deleted when it closes.

    Parameters
    ----------
    run, query : indices in the benchmark; `NOTHING` for the menu of a query or of a run alone.

    Signals
    -------
    run_order_requested(name), query_order_requested(name)
        Sort the queries by this run; sort the runs by this query.
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
        self._session.cursor_state.request_view("calculation")

    @Slot()
    def _order_queries(self) -> None:
        self.run_order_requested.emit(self._run_name)

    @Slot()
    def _order_runs(self) -> None:
        self.query_order_requested.emit(self._query_id)


BASELINES = (("nothing", "Values"), ("mean", "Difference from mean"), ("run", "from B"))
"""What the cells show: key and label. The last label is short so that the panel fits into a small window."""

MAX_NAME_WIDTH = 90
"""Maximum width in pixels of the name of run B on its button."""

BASELINE_TOOLTIPS = (
    "Score of each run for each query",
    "Difference from the mean score of all runs for the query",
    "Difference from run B, {run}",
)
NO_BASELINE_TOOLTIP = "Select a run B in the tool bar to show differences from it"


class HeatMapPanel(BasePanel):
    """Scores of all runs for all queries; a click on a cell selects its query and run."""

    def __init__(self, session: Session) -> None:
        super().__init__("grid")
        self._session = session
        self._matrix: Matrix = EMPTY_MATRIX
        self._runs: list[int] = []  # indices of the rows
        self._queries: list[int] = []  # and of the columns
        self.grid = HeatmapView()
        self.baseline = SegmentedButtons(BASELINES)
        self.queries_by = HeatMapOrderComboBox("Order of the queries", QUERY_ORDERS, BY_RUN)
        self.runs_by = HeatMapOrderComboBox("Order of the runs", RUN_ORDERS, BY_QUERY)
        self.scale = HeatmapColourBar()
        self.cell_text = ElidingLine(token="muted")
        self._build()
        self.baseline.selected.connect(self._select_baseline)
        self.queries_by.activated.connect(self._show_map)
        self.runs_by.activated.connect(self._show_map)
        self.grid.cell_selected.connect(self._select_cell)
        self.grid.cell_activated.connect(self._open_cell)
        self.grid.cell_hovered.connect(self._show_cell_text)
        self.grid.row_selected.connect(self._select_run)
        self.grid.column_selected.connect(self._select_query)
        self.grid.menu_requested.connect(self._show_context_menu)
        session.benchmark_changed.connect(self._show_map)
        session.scores_changed.connect(self._show_map)
        session.selection_changed.connect(self._show_selection)
        self._show_map()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme and font size; children are updated by `apply_theme`."""
        self._show_current()

    def height_hint(self) -> tuple[int, int]:
        """See `Panel`; one row, and all rows."""
        benchmark = self._session.benchmark
        return OTHER_HEIGHT + ROW_HEIGHT, OTHER_HEIGHT + ROW_HEIGHT * (0 if benchmark is None else len(benchmark.runs))

    def view_state(self) -> dict[str, Any]:
        """See `Panel`."""
        orders = {"queries_by": self.queries_by.state(), "runs_by": self.runs_by.state()}
        return {"against": self.baseline.current, **orders}

    def restore_view_state(self, state: Mapping[str, Any]) -> None:
        """See `Panel`; unknown values are ignored."""
        self.queries_by.restore_state(state.get("queries_by"))
        self.runs_by.restore_state(state.get("runs_by"))
        if state.get("against") in [key for key, _ in BASELINES]:
            self.baseline.set_current(state["against"])
        self._show_map()

    def _build(self) -> None:
        self.grid.setAccessibleName("Heat map of runs and queries")
        for (key, _), tip in zip(BASELINES, BASELINE_TOOLTIPS, strict=True):
            set_tooltip(self.baseline.button(key), tip)
        fields: list[QWidget] = []
        for text, field in (("Queries", self.queries_by), ("Runs", self.runs_by)):
            label = PlainLabel(text)
            label.setProperty("muted", True)
            fields += [label, field]
        header = WrappingRow([self.baseline], fields, top=2 * SPACE)
        footer = row_layout(spacing=3 * SPACE)
        footer.addWidget(self.cell_text, 1)
        footer.addWidget(self.scale)
        self.set_body(header, self.grid, footer, stretch=self.grid)

    def figure_request(self) -> HeatMapRequest:
        """What is shown, as a figure."""
        by_run, by_query = self._known_order(self.queries_by, "run"), self._known_order(self.runs_by, "query")
        return HeatMapRequest(
            measure=self._session.measure,
            run_order="given" if by_query else self.runs_by.order,
            query_order="given" if by_run else self.queries_by.order,
            sort_run=by_run,
            sort_query=by_query,
            baseline=self._baseline_name(),
        )

    def _known_order(self, field: HeatMapOrderComboBox, kind: str) -> str:
        """Run or query that a field sorts by, the first one where that no longer exists; "" for other orders."""
        scores = self._session.scores
        if scores is None or field.order != kind:
            return ""
        names = scores.runs if kind == "run" else scores.queries
        return field.by if field.by in names else names[0]

    def _baseline_name(self) -> str:
        scores = self._session.scores
        if scores is None or self.baseline.current != "run":
            return self.baseline.current if self.baseline.current == "mean" else ""
        return scores.runs[self._run_b(scores)]

    def export_content(self) -> ExportContent:
        """See `Panel`; runs and queries in the order on screen."""
        if not self._runs:
            return ExportContent()
        request, shown = self.figure_request(), self._matrix
        table = HeatMapRequest(
            runs=shown.rows, queries=shown.columns, measure=request.measure, baseline=request.baseline
        )
        return ExportContent(request, table, names=(request.measure,))

    # ------------------------------------------------------------------------------------------------------- display

    @Slot()
    def _show_map(self, *_: object) -> None:
        scores, benchmark = self._session.scores, self._session.benchmark
        if scores is None or benchmark is None or not scores.runs or not scores.queries:
            self._matrix, self._runs, self._queries = EMPTY_MATRIX, [], []
            self.grid.set_cells(EMPTY_MATRIX)
            self.show_empty(*missing_scores_reason(self._session))
            return
        self._update_baseline_button(scores)
        data = content_data(self._session)
        assert data is not None  # as there are scores
        shown = self._matrix = heat_map(data, self.figure_request())
        queries = {name: query for query, name in enumerate(scores.queries)}
        self._runs = [scores.runs.index(name) for name in shown.rows]
        self._queries = [queries[name] for name in shown.columns]
        self.grid.set_cells(shown, self._cell_description)
        for field in (self.queries_by, self.runs_by):
            field.updateGeometry()
        self.scale.set_scale(shown, shown.value_label)
        self._show_current()
        self.show_content()

    def _run_b(self, scores: Scores) -> int:
        """Index of run B; 0 where none is selected."""
        compared = self._session.selection.compared
        return compared if compared is not None and 0 <= compared < len(scores.runs) else 0

    def _update_baseline_button(self, scores: Scores) -> None:
        """Show the name of run B on its button, disabled where there is none."""
        compared, button = self._session.selection.compared, self.baseline.button("run")
        has_run_b = compared is not None and 0 <= compared < len(scores.runs)
        name = scores.runs[self._run_b(scores)] if has_run_b else "B"
        shown = button.fontMetrics().elidedText(name, Qt.TextElideMode.ElideMiddle, MAX_NAME_WIDTH)
        button.setText(f"from {escape_mnemonic(shown)}")
        set_tooltip(button, BASELINE_TOOLTIPS[2].format(run=name) if has_run_b else NO_BASELINE_TOOLTIP)
        button.setEnabled(has_run_b)
        if self.baseline.current == "run" and not has_run_b:
            self.baseline.set_current("nothing")

    @Slot(object, object)
    def _show_selection(self, old: Selection, new: Selection) -> None:
        if old.measure != new.measure or old.compared != new.compared:
            self._show_map()
        elif (old.query, old.run) != (new.query, new.run):
            self._show_current()

    def _show_current(self) -> None:
        run, query = self._session.selection.run, self._session.selection.query
        if run in self._runs and query in self._queries:
            self.grid.set_current(self._runs.index(run), self._queries.index(query))
            self._show_cell_text(-1, -1)
        else:
            self.grid.set_current(-1, -1)

    @Slot(int, int)
    def _show_cell_text(self, row: int, column: int) -> None:
        cell = (row, column) if row >= 0 else self.grid.current
        if cell is None:
            self.cell_text.setText("")
            return
        title, _, values = self._cell_description(*cell).partition("\n")
        value = values.partition("  ·  ")[0]
        run, query = self.grid.cells.rows[cell[0]], self.grid.cells.columns[cell[1]]
        self.cell_text.setText(
            f"{title}  ·  {values}", f"{title} · {value}", f"{run} · {query} · {value}", f"{run} · {query}"
        )

    def _cell_description(self, row: int, column: int) -> str:
        """Run and query of a cell, then ``"AP 0.412  ·  difference +0.032  ·  mean of all runs 0.380"``.

        The values that determine the colour come first, since the end is elided in a narrow window.
        """
        scores, benchmark = self._session.scores, self._session.benchmark
        if scores is None or benchmark is None or not self._runs:
            return ""
        run, query, is_count = self._runs[row], self._queries[column], not self._matrix.decimals
        key = self._session.measure
        values = scores.values[:, query, scores.column(key)]
        name = class_label(benchmark, int(scores.query_labels[query]))
        title = f"{scores.runs[run]}  ·  {scores.queries[query]} {name}".rstrip()
        if scores.missing[run, query]:
            return f"{title}\nno results: {missing_query_text(self._session.profile)}"
        is_run = self.baseline.current == "run"
        score = "undefined" if values[run] != values[run] else format_value(float(values[run]), counted=is_count)
        parts = [f"{key} {score}"]
        difference = float(self._matrix.values[row, column])
        if self.baseline.current != "nothing" and difference == difference:
            text = format_value(difference, counted=is_count and is_run, signed=True)
            parts.append(f"difference {text}")
        defined = values[values == values]
        reference, label = float(defined.mean()) if len(defined) > 1 else np.nan, "mean of all runs"
        if is_run:
            reference, label = float(values[self._run_b(scores)]), scores.runs[self._run_b(scores)]
        if reference == reference:
            parts.append(f"{label} {format_value(reference, counted=is_count and is_run)}")
        return f"{title}\n{'  ·  '.join(parts)}"

    # --------------------------------------------------------------------------------------------------- interaction

    @Slot(str)
    def _select_baseline(self, _key: str) -> None:
        self._show_map()

    @Slot(int, int)
    def _select_cell(self, row: int, column: int) -> None:
        self._session.select(run=self._runs[row], query=self._queries[column])

    @Slot(int, int)
    def _open_cell(self, row: int, column: int) -> None:
        self._select_cell(row, column)
        self._session.cursor_state.request_view("query")

    @Slot(int)
    def _select_run(self, row: int) -> None:
        self._session.select(run=self._runs[row])

    @Slot(int)
    def _select_query(self, column: int) -> None:
        self._session.select(query=self._queries[column])

    @Slot(int, int, QPoint)
    def _show_context_menu(self, row: int, column: int, position: QPoint) -> None:
        """Open the menu of a cell, or of the run or query of a header."""
        run = self._runs[row] if row >= 0 else NOTHING
        query = self._queries[column] if column >= 0 else NOTHING
        menu = HeatMapMenu(self._session, run, query, self.grid)
        menu.run_order_requested.connect(self._order_queries)
        menu.query_order_requested.connect(self._order_runs)
        menu.popup(position)

    @Slot(str)
    def _order_queries(self, run: str) -> None:
        self.queries_by.order_by(run)
        self._show_map()

    @Slot(str)
    def _order_runs(self, query: str) -> None:
        self.runs_by.order_by(query)
        self._show_map()
