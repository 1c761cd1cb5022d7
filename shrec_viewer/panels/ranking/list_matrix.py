"""Panel with the ranked lists of all runs for one query, or of one run for all queries, as a matrix of thumbnails."""

from dataclasses import replace

import numpy as np
from PySide6.QtCore import QPoint, QSize, Qt, Slot
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QSlider, QToolButton

from shrec_viewer.content.images import ALL_QUERIES, ALL_RUNS, BENCHMARK_ORDER, SELECTED_MEASURE, MatrixRequest
from shrec_viewer.content.lists import ComparisonRequest
from shrec_viewer.content.request import Request
from shrec_viewer.panels.context_menus import ModelActions, QueryActions, RunActions, context_menu
from shrec_viewer.panels.panel import row_layout
from shrec_viewer.panels.request_panel import RequestPanel
from shrec_viewer.viewmodels.ranking.list_matrix import ListMatrixModel
from shrec_viewer.viewmodels.session.document import Document
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.labels import count_text
from shrec_viewer.widgets.cards.list_matrix import ListMatrixView
from shrec_viewer.widgets.controls.controls import SHORT_TEXT_ROLE, ElidingComboBox, ElidingLine
from shrec_viewer.widgets.controls.plain_text import set_tooltip
from shrec_viewer.widgets.style.relevance import RelevanceLegend
from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme, icon

ROW_TOOLTIPS = {
    ALL_RUNS: "A row for each run: its list for the selected query",
    ALL_QUERIES: "A row for each query: the list of run A",
}

#: Sizes of the button of the view and its icon in pixels: as high as a line of the title.
BUTTON_SIZE, ICON_SIZE = 22, 14

#: Width of the size slider in pixels.
SLIDER_WIDTH = 64

#: Orders of the rows besides those by a measure: text, text in a narrow field, key.
FIXED_ORDERS = (
    ("By the selected measure", "By measure", SELECTED_MEASURE),
    ("Order of the benchmark", "Benchmark", BENCHMARK_ORDER),
)

#: Width in pixels of a combo box besides its text: margins and arrow.
COMBO_BOX_FRAME = 44

#: Keys that the matrix handles itself; see `Panel.shortcuts`.
MATRIX_SHORTCUTS = (
    ("Thumbnail matrix", "Previous or next cell", "←  →  ↑  ↓"),
    ("Thumbnail matrix", "Show the ranked list", "Enter"),
)


class ViewButton(QToolButton):
    """Button at the head of the ranked list that shows it as a matrix, and at that of the matrix the way back."""

    def __init__(self, session: Session, *, is_matrix: bool) -> None:
        super().__init__()
        self.setCheckable(True)
        self.setChecked(is_matrix)
        self._session, self._is_matrix = session, is_matrix
        self.setIconSize(QSize(ICON_SIZE, ICON_SIZE))
        self.setFixedSize(BUTTON_SIZE, BUTTON_SIZE)
        text = "Show the list as cards" if is_matrix else "Show the lists of all runs or queries as small pictures"
        self.setAccessibleName(text)
        set_tooltip(self, text)
        self.clicked.connect(self._show_other)
        self.set_theme(current_theme())

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self.setIcon(icon("grid", theme))

    @Slot()
    def _show_other(self) -> None:
        self.setChecked(self._is_matrix)
        self._session.cursor_state.request_view("ranked_list" if self._is_matrix else "matrix")


class ListMatrixPanel(RequestPanel[MatrixRequest]):
    """Matrix of ranked lists; a click selects run, query and rank."""

    def __init__(self, session: Session) -> None:
        self.model = ListMatrixModel(session)
        super().__init__(session, MatrixRequest(), "grid", uses=())
        self.model.setParent(self)
        self._is_hovered = False
        self.view = ListMatrixView(self.model)
        self.mode = self.controls.buttons("by")
        self.order = ElidingComboBox()
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.legend = RelevanceLegend()
        self._caption = ElidingLine(token="muted")
        self._build()
        self.model.rows_changed.connect(self._show_rows)
        self.model.lists_changed.connect(self._show_lists)
        self.order.activated.connect(self._select_order)
        self.slider.valueChanged.connect(self._set_edge)
        self.view.visible_changed.connect(self._request_visible)
        self.view.cell_hovered.connect(self._hover)
        self.view.cell_picked.connect(self._pick)
        self.view.cell_activated.connect(self._open_list)
        self.view.row_picked.connect(self._pick_row)
        self.view.menu_requested.connect(self._show_menu)
        session.thumbnails.arrived.connect(self.view.repaint_cells)
        session.thumbnails.size_changed.connect(self._request_visible)
        session.cursor_state.cursor_changed.connect(self._show_cursor)
        self._show_measures()
        self._show_rows()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme and font size; children are updated by `apply_theme`."""
        self._set_min_order_width()
        self._show_rows()

    def request(self) -> MatrixRequest | None:
        """See `RequestPanel`; the rows in the order on screen."""
        request, benchmark, rows = super().request(), self._session.benchmark, self.model.rows
        if request is None or not rows:
            return None
        runs = tuple(dict.fromkeys(benchmark.runs[row.run].name for row in rows))
        return replace(
            request, runs=runs, queries=tuple(dict.fromkeys(benchmark.queries.ids[row.query] for row in rows))
        )

    def requests(self) -> tuple[Request, ...]:
        """See `RequestPanel`; of all runs for one query also their lists as a table."""
        request = self.request()
        if request is None or request.by == ALL_QUERIES:
            return () if request is None else (request,)
        return request, ComparisonRequest(runs=request.runs, queries=request.queries)

    def show_options(self) -> None:
        """See `RequestPanel`."""
        self._show_order()  # first: the model knows no other orders
        if self.options.by != self.model.options.by:
            self.view.set_current(-1, 0)
        self.model.set_options(self.options)
        self.slider.setValue(self.options.edge)
        self.view.set_edge(self.options.edge)

    def showEvent(self, event: QShowEvent) -> None:
        """Rank the visible rows."""
        super().showEvent(event)
        self.model.set_active(True)

    def hideEvent(self, event: QHideEvent) -> None:
        """Rank no more rows."""
        super().hideEvent(event)
        self.model.set_active(False)

    def _build(self) -> None:
        for key, tip in ROW_TOOLTIPS.items():
            set_tooltip(self.mode.button(key), tip)
        self.order.setAccessibleName("Order of the rows")
        self.order.setSizeAdjustPolicy(ElidingComboBox.SizeAdjustPolicy.AdjustToContents)
        self._set_min_order_width()
        set_tooltip(self.order, "Order of the rows")
        edges = self.controls.field("edge").option
        self.slider.setRange(int(edges.low or 0), int(edges.high or 0))
        self.slider.setValue(self.options.edge)
        self.slider.setFixedWidth(SLIDER_WIDTH)
        self.slider.setAccessibleName("Thumbnail size")
        set_tooltip(self.slider, "Thumbnail size")
        header = row_layout()
        header.addWidget(self.mode)
        header.addWidget(self._caption, 1)
        header.addWidget(self.order)
        header.addWidget(self.slider)
        header.addWidget(ViewButton(self._session, is_matrix=True))
        footer = row_layout(SPACE, SPACE)
        footer.addStretch(1)
        footer.addWidget(self.legend)
        self.set_body(header, self.view, footer, stretch=self.view)
        self.setFocusProxy(self.view)

    def _set_min_order_width(self) -> None:
        """Reserve the width of the short texts: the longest entry would make the window wider than small screens."""
        width = max(self.fontMetrics().horizontalAdvance(short) for _, short, _ in FIXED_ORDERS)
        self.order.setMinimumWidth(width + COMBO_BOX_FRAME)

    # Contents.

    def show_changes(self, old: Document, new: Document) -> None:
        """See `RequestPanel`."""
        if new.differs(old, "benchmark"):
            self._show_rows()
        if new.differs(old, "scores"):
            self._show_measures()
        if new.differs(old, "selection") and self.isVisible():
            self._show_current()

    def _show_measures(self) -> None:
        """Fill the list of orders with the measures that are computed."""
        self.order.clear()
        for text, short, order in FIXED_ORDERS:
            self.order.addItem(text, order)
            self.order.setItemData(self.order.count() - 1, short, SHORT_TEXT_ROLE)
        for key in self._session.measures:
            self.order.addItem(f"By {key}", key)
        self._show_order()

    def _show_order(self) -> None:
        """Show the order of the rows; by the selected measure instead of one that is not computed."""
        index = self.order.findData(self.options.order)
        self.order.setCurrentIndex(max(index, 0))
        if index < 0:
            self.set_option("order", SELECTED_MEASURE)

    @Slot()
    def _show_rows(self) -> None:
        benchmark, selection = self._session.benchmark, self._session.selection
        if not self._session.is_open:
            self.show_empty("No benchmark is open")
            return
        if not benchmark.runs or not len(benchmark.queries):
            what = "runs" if not benchmark.runs else "queries"
            self.show_empty(f"No {what}", f"The benchmark has no {what}, and so no ranked lists.")
            return
        self.show_content()
        self.legend.set_levels(benchmark.levels)
        self.legend.setVisible(bool(benchmark.levels))
        query, run = benchmark.queries.ids[selection.query], benchmark.runs[selection.run].name
        if self.options.by == ALL_RUNS:
            name, count = query, count_text(len(benchmark.runs), "run")
        else:
            name, count = run, count_text(len(benchmark.queries), "query", "queries")
        shown = f" · {self.model.measure}" if self._session.scores is not None else ""
        self._caption.setText(f"{name} · {count}{shown}", f"{name} · {count}", name, "")
        self._show_lists()
        self._show_current()

    @Slot()
    def _show_lists(self) -> None:
        is_binary = self._session.benchmark.is_binary
        self.view.set_size(len(self.model.rows), self.model.n_ranks, binary=is_binary)

    @Slot()
    def _request_visible(self) -> None:
        self.model.set_visible(self.view.visible_rows(), self.view.visible_ranks())

    def _show_current(self) -> None:
        selection = self._session.selection
        row = next((row for row in range(len(self.model.rows)) if self.model.is_current(row)), -1)
        self.view.set_current(row if selection.rank is not None else -1, selection.rank or 0)

    @Slot(object)
    def _show_cursor(self, rank: int | None) -> None:
        """Mark the rank of the cursor in all rows, and the model at it in every row."""
        shown, state = self._session.ranked_list, self._session.cursor_state
        item = -1
        if state.hovered_model is not None:
            item = state.hovered_model
        elif rank is not None and shown is not None and rank <= len(shown):
            item = int(shown.items[rank - 1])
        if not self._is_hovered:  # else the column under the mouse is marked
            self.view.set_cursor(rank)
        self.view.set_highlighted_model(item)

    # Mouse and keyboard.

    @Slot(int, int)
    def _hover(self, row: int, rank: int) -> None:
        """Mark the column and light up the model under the mouse here and in all other views."""
        found = self.model.list_of(row) if row >= 0 else None
        state = self._session.cursor_state
        self._is_hovered = found is not None
        if found is None:
            state.hover(None)
            self._show_cursor(state.cursor)
            return
        item = int(found.items[rank - 1])
        shown = self._session.ranked_list
        ranks = np.flatnonzero(shown.items == item) if shown is not None and item >= 0 else np.zeros(0, np.int64)
        if len(ranks):
            state.hover(int(ranks[0]) + 1)
        elif item >= 0:
            state.hover_model(item)
        self.view.set_cursor(rank)
        self.view.set_highlighted_model(item)

    @Slot(int, int)
    def _pick(self, row: int, rank: int) -> None:
        key = self.model.rows[row]
        self._session.select(run=key.run, query=key.query, rank=rank)

    @Slot(int)
    def _pick_row(self, row: int) -> None:
        key = self.model.rows[row]
        self._session.select(run=key.run, query=key.query)

    @Slot(int, int)
    def _open_list(self, row: int, rank: int) -> None:
        self._pick(row, rank)
        self._session.cursor_state.request_view("ranked_list")

    @Slot(int, int, QPoint)
    def _show_menu(self, row: int, rank: int, position: QPoint) -> None:
        key, found = self.model.rows[row], self.model.list_of(row)
        menu = context_menu(self.view)
        if rank > 0 and found is not None and found.items[rank - 1] >= 0:
            ModelActions(self._session, int(found.items[rank - 1]), key.run, key.query, rank, menu)
        elif self.options.by == ALL_RUNS:
            RunActions(self._session, key.run, menu)
        else:
            QueryActions(self._session, key.query, menu)
        menu.popup(position)

    @Slot(int)
    def _select_order(self, _index: int) -> None:
        self.set_option("order", self.order.currentData())

    @Slot(int)
    def _set_edge(self, edge: int) -> None:
        self.set_option("edge", edge)
