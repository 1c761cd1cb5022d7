"""Panel with one measure of all runs for all queries as a heat map."""

from dataclasses import replace

import numpy as np
from PySide6.QtCore import QPoint, Qt, Signal, Slot
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from shrec_viewer.charts.matrix import EMPTY_MATRIX, Matrix
from shrec_viewer.content.data import class_name
from shrec_viewer.content.heat_map import VALUES, HeatMapRequest
from shrec_viewer.number_format import format_value
from shrec_viewer.panels.context_menus import QueryActions, RunActions
from shrec_viewer.panels.panel import WrappingRow, row_layout
from shrec_viewer.panels.request_panel import RequestPanel
from shrec_viewer.viewmodels.session.document import Document
from shrec_viewer.viewmodels.session.selection import NOTHING, CalculationTarget
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.labels import missing_query_text
from shrec_viewer.widgets.controls.context_menu import ContextMenu, PanelMenu
from shrec_viewer.widgets.controls.controls import ElidingLine
from shrec_viewer.widgets.controls.plain_text import escape_mnemonic, set_tooltip
from shrec_viewer.widgets.heatmap.data import HeatmapColourBar
from shrec_viewer.widgets.heatmap.view import HeatmapView
from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme, icon

#: Height in pixels of one run, and of everything above and below the runs.
ROW_HEIGHT, OTHER_HEIGHT = 34, 110


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


BASELINE_TOOLTIPS = {
    "": "Score of each run for each query",
    "mean": "Difference from the mean score of all runs for the query",
    "run": "Difference from run B, {run}",
}
#: Data of the entry of a list for the order by one run or query.
BY_NAME = "name"

NO_BASELINE_TOOLTIP = "Compare with a run (right click on its name) to show differences from it"


class HeatMapPanel(RequestPanel[HeatMapRequest]):
    """Scores of all runs for all queries; a click on a cell selects its query and run."""

    def __init__(self, session: Session) -> None:
        super().__init__(session, HeatMapRequest(), "grid", quick=True)
        self._matrix: Matrix = EMPTY_MATRIX
        self._runs: list[int] = []  # indices of the rows
        self._queries: list[int] = []  # and of the columns
        self.grid = HeatmapView()
        self.values = self.controls.choice_box("values")
        self.queries_by = self.controls.choice_box("query_order")
        self.runs_by = self.controls.choice_box("run_order")
        self.scale = HeatmapColourBar()
        self.menu_button = QToolButton()
        self.cell_text = ElidingLine(token="muted")
        self._build()
        self.options_changed.connect(self._show_orders)
        self.queries_by.activated.connect(self._order_as_listed)
        self.runs_by.activated.connect(self._order_as_listed)
        self.grid.cell_selected.connect(self._select_cell)
        self.grid.cell_activated.connect(self._open_cell)
        self.grid.cell_hovered.connect(self._show_cell_text)
        self.grid.row_selected.connect(self._select_run)
        self.grid.column_selected.connect(self._select_query)
        self.grid.menu_requested.connect(self._show_context_menu)
        self.set_theme(current_theme())
        self.update_request()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme; children are updated by `apply_theme`."""
        self.menu_button.setIcon(icon("more", theme))

    def height_hint(self) -> tuple[int, int]:
        """See `Panel`; one row, and all rows."""
        benchmark = self._session.benchmark
        return OTHER_HEIGHT + ROW_HEIGHT, OTHER_HEIGHT + ROW_HEIGHT * (len(benchmark.runs))

    def request(self) -> HeatMapRequest | None:
        """See `RequestPanel`; orders by runs and queries that no longer exist are by the first one."""
        scores, options = self._session.scores, super().request()
        if scores is None or options is None or not scores.runs or not scores.queries:
            return None
        baseline = self._run_b() if options.values == "run" else options.values
        run, query = (
            name if not name or name in names else names[0]
            for name, names in ((options.sort_run, scores.runs), (options.sort_query, scores.queries))
        )
        return replace(options, values="", baseline=baseline, sort_run=run, sort_query=query)

    def _build(self) -> None:
        self.grid.setAccessibleName("Heat map of runs and queries")
        for index, tip in enumerate(BASELINE_TOOLTIPS.values()):
            self.values.setItemData(index, tip, Qt.ItemDataRole.ToolTipRole)
        fields: list[QWidget] = [self.values]
        for name, field in (("query_order", self.queries_by), ("run_order", self.runs_by)):
            fields += [self.controls.label(name), field]
        menu = PanelMenu(self.menu_button)
        for name in ("colours", "limits"):
            self.controls.add_actions(menu, name)
        self.menu_button.setMenu(menu)
        self.menu_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu_button.setAccessibleName("Colours, copy and export")
        set_tooltip(self.menu_button, "Colours, copy and export")
        header = WrappingRow(fields, [self.scale, self.menu_button], top=SPACE)
        footer = row_layout()
        footer.addWidget(self.cell_text, 1)
        self.set_body(header, self.grid, footer, stretch=self.grid)
        self.setFocusProxy(self.grid)

    # ------------------------------------------------------------------------------------------------------- display

    def show_result(self, result: Matrix) -> None:
        """See `RequestPanel`."""
        scores = self._session.scores
        assert scores is not None  # as there is a result
        self._matrix = result
        queries = {name: query for query, name in enumerate(scores.queries)}
        self._runs = [scores.runs.index(name) for name in result.rows]
        self._queries = [queries[name] for name in result.columns]
        self._update_baseline_entry()
        self.grid.set_chart(result, self._cell_description)
        self.scale.set_scale(result, result.value_label)
        self._show_current()

    def _run_b(self) -> str:
        """Name of run B; "" where none is selected."""
        scores, compared = self._session.scores, self._session.selection.compared
        if scores is None or compared is None or not 0 <= compared < len(scores.runs):
            return ""
        return scores.runs[compared]

    def _update_baseline_entry(self) -> None:
        """Show the name of run B in its entry, which is disabled where there is none."""
        name, index = self._run_b(), list(VALUES).index("run")
        self.values.setItemText(index, f"Difference from {name or 'run B'}")
        tip = BASELINE_TOOLTIPS["run"].format(run=name) if name else NO_BASELINE_TOOLTIP
        self.values.setItemData(index, tip, Qt.ItemDataRole.ToolTipRole)
        model = self.values.model()
        assert isinstance(model, QStandardItemModel)  # that of every combo box without another model
        model.item(index).setEnabled(bool(name))
        if self.options.values == "run" and not name:
            self.set_option("values", "")

    @Slot()
    def _show_orders(self) -> None:
        """Show an order by one run or query as the last entry of its list."""
        for box, name in ((self.queries_by, self.options.sort_run), (self.runs_by, self.options.sort_query)):
            if (index := box.findData(BY_NAME)) >= 0:
                box.removeItem(index)
            if name:
                box.addItem(f"by {name}", BY_NAME)
                box.setCurrentIndex(box.count() - 1)
            box.updateGeometry()

    @Slot()
    def _order_as_listed(self) -> None:
        """Undo an order by one run or query; the list has set its own order already."""
        name = "sort_run" if self.sender() is self.queries_by else "sort_query"
        self.set_option(name, "")

    def show_changes(self, old: Document, new: Document) -> None:
        """See `RequestPanel`."""
        if new.differs(old, "query", "run"):
            self._show_current()
        if new.differs(old, "compared"):
            self._update_baseline_entry()
        super().show_changes(old, new)

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
        if scores is None or not self._runs:
            return ""
        run, query, is_count = self._runs[row], self._queries[column], not self._matrix.decimals
        key = self._session.measure
        values = scores.values[:, query, scores.column(key)]
        name = class_name(benchmark, int(scores.query_labels[query]))
        title = f"{scores.runs[run]}  ·  {scores.queries[query]} {name}".rstrip()
        if scores.missing[run, query]:
            return f"{title}\nno results: {missing_query_text(self._session.profile)}"
        baseline = "" if (request := self.request()) is None else request.baseline
        is_run = self.options.values == "run"
        score = "undefined" if values[run] != values[run] else format_value(float(values[run]), counted=is_count)
        parts = [f"{key} {score}"]
        difference = float(self._matrix.values[row, column])
        if self.options.values and difference == difference:
            text = format_value(difference, counted=is_count and is_run, signed=True)
            parts.append(f"difference {text}")
        defined = values[values == values]
        reference, label = float(defined.mean()) if len(defined) > 1 else np.nan, "mean of all runs"
        if is_run and baseline:
            reference, label = float(values[scores.run_index(baseline)]), baseline
        if reference == reference:
            parts.append(f"{label} {format_value(reference, counted=is_count and is_run)}")
        return f"{title}\n{'  ·  '.join(parts)}"

    # --------------------------------------------------------------------------------------------------- interaction

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
        self.set_option("sort_run", run)

    @Slot(str)
    def _order_runs(self, query: str) -> None:
        self.set_option("sort_query", query)
