"""Panel with the list of queries: filter, sort order and per-query scores."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QPoint, QSize, Qt, Signal, Slot
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QStackedWidget, QToolButton, QWidget

from shrec_viewer.charts.table import Table, TableColumn
from shrec_viewer.content.images import ANY_CLASS, COMPARISON_ORDERS, QUERY_ORDERS, QueriesRequest
from shrec_viewer.content.scores import RunScoresRequest
from shrec_viewer.metrics import find_measure
from shrec_viewer.panels.context_menus import QueryActions, context_menu, popup_in
from shrec_viewer.panels.diagnosis.slices import SliceDialog
from shrec_viewer.panels.export.content import ExportContent
from shrec_viewer.panels.request_panel import RequestPanel
from shrec_viewer.viewmodels.ranking.query_list import BASELINE, QueryListModel
from shrec_viewer.viewmodels.session.document import Document
from shrec_viewer.viewmodels.session.selection import NOTHING
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.labels import query_class
from shrec_viewer.viewmodels.text.scope import scope_texts
from shrec_viewer.widgets.cards.query_list import QueryListView
from shrec_viewer.widgets.controls.controls import (
    ElidingComboBox,
    ElidingLine,
    EmptyState,
    FilterField,
    IconComboBox,
)
from shrec_viewer.widgets.controls.layouts import Stretch, column_of, row_of
from shrec_viewer.widgets.controls.plain_text import PlainLabel, set_tooltip
from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme, icon

#: Tooltips of the `QUERY_ORDERS`.
ORDER_TOOLTIPS = {
    "file": "Order in the benchmark",
    "id": "Natural order: numbers in ids are compared as numbers",
    "class": "By class name",
    "worst": "Lowest score first",
    "best": "Highest score first",
    "change": "Largest absolute difference between runs A and B first",
    "loss": "Largest loss from run A to run B first",
    "gain": "Largest gain from run A to run B first",
    "spread": "Largest standard deviation of the score over all runs first",
    "ties": "Largest change of the score by the order of models at the same distance first",
}


FILTER_TOOLTIP = (
    "Part of an id or a class name. Several words must all match; if no query matches all, any of them (Q01 Q03). "
    "Separate alternatives with commas, semicolons or line breaks."
)


class QueriesHeader(QWidget):
    """Fields for filter text, class and order, and a line with the number of queries and the scores shown.

    Parameters
    ----------
    order : the list of orders.

    Signals
    -------
    filter_changed()
        Another text or class was given.
    filter_left()
        Esc in the empty filter field.
    filter_accepted()
        Enter in the filter field.
    comparison_ended()
        The button that ends the comparison was clicked.
    """

    filter_changed = Signal()
    filter_left = Signal()
    filter_accepted = Signal()
    comparison_ended = Signal()

    def __init__(self, order: ElidingComboBox) -> None:
        super().__init__()
        self._filter = FilterField()
        self._class = IconComboBox("filter")
        self._order = order
        self._count = PlainLabel(muted=True)
        self._caption = ElidingLine(token="muted")
        self.end_comparison = QToolButton()
        self._set_up_fields()
        self._build()
        self._filter.textChanged.connect(self.filter_changed)
        self._filter.textChanged.connect(self._place_count)
        self._filter.escaped.connect(self._clear_or_leave_filter)
        self._filter.accepted.connect(self.filter_accepted)
        self._class.activated.connect(self.filter_changed)
        self.end_comparison.clicked.connect(self.comparison_ended)
        self.set_theme(current_theme())

    @property
    def text(self) -> str:
        """The filter text."""
        return self._filter.text().strip()

    @property
    def class_name(self) -> str:
        """The class to show, "" for any."""
        return self._class.currentData() or ANY_CLASS

    @property
    def is_filtering(self) -> bool:
        """Whether a filter text or a class is set."""
        return bool(self.text or self.class_name)

    def focus_filter(self) -> None:
        """Focus the filter field and select its text."""
        self._filter.setFocus()
        self._filter.selectAll()

    @Slot()
    def clear(self) -> None:
        """Remove the filter text and the class."""
        self.set_filter("", ANY_CLASS)
        self.filter_changed.emit()

    def set_filter(self, text: str, class_name: str) -> None:
        """Set filter text and class; "" and unknown classes show all queries."""
        self._class.setCurrentIndex(max(self._class.findData(class_name), 0))
        if text != self.text:  # a space at the end is not removed while the user writes
            self._filter.setText(text)

    def set_classes(self, names: Sequence[str]) -> None:
        """Set the classes of the field; it is hidden if there is only one."""
        self._class.clear()
        self._class.addItem("Any class", ANY_CLASS)
        for name in names:
            self._class.addItem(name, name)
        self._class.setVisible(len(names) > 1)

    def set_order(self, order: str) -> None:
        """Show an order as the current one."""
        self._order.setCurrentIndex(self._order.findData(order))
        set_tooltip(self._order, ORDER_TOOLTIPS[order])

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self.end_comparison.setIcon(icon("close", theme, "muted"))

    def set_other(self, name: str) -> None:
        """Show the button that ends the comparison with a run; "" hides it."""
        self.end_comparison.setVisible(bool(name))
        text = f"Stop comparing with {name}"
        set_tooltip(self.end_comparison, text)
        self.end_comparison.setAccessibleName(text)

    def set_comparison_available(self, comparing: bool) -> None:
        """Enable the orders that require a run B."""
        model = self._order.model()
        assert isinstance(model, QStandardItemModel)
        for order in COMPARISON_ORDERS:
            model.item(self._order.findData(order)).setEnabled(comparing)

    def set_count(self, shown: int, total: int) -> None:
        """Show the number of queries in the field: ``"12 of 30"``, ``"30"``."""
        self._count.setText(f"{total:,}" if shown == total else f"{shown:,} of {total:,}")
        self._filter.setAccessibleDescription(f"{self._count.text()} queries")
        self._filter.setTextMargins(0, 0, self._count.sizeHint().width() + SPACE, 0)

    def set_caption(self, text: str) -> None:
        """Show what the scores are besides those of run A: ``"AP of M1 − M2"``; "" for no line."""
        self._caption.setText(text)
        self._caption.setVisible(bool(text))

    def _set_up_fields(self) -> None:
        self._filter.setPlaceholderText("Id or class")
        set_tooltip(self._filter, FILTER_TOOLTIP)
        self._filter.setAccessibleName("Filter queries by id or class")
        self._class.setAccessibleName("Class of the queries")
        set_tooltip(self._class, "Show the queries of one class")
        self._order.setAccessibleName("Order of the queries")
        self._caption.setAccessibleName("Scores shown with the queries")
        for index, order in enumerate(QUERY_ORDERS):
            self._order.setItemData(index, ORDER_TOOLTIPS[order], Qt.ItemDataRole.ToolTipRole)
        self.set_order("file")
        self.set_comparison_available(False)
        self.set_other("")
        self.end_comparison.setAutoRaise(True)
        self.end_comparison.setIconSize(QSize(14, 14))
        self.end_comparison.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        for combo in (self._class, self._order):
            combo.view().setMinimumWidth(combo.view().sizeHintForColumn(0) + 6 * SPACE)

    def _build(self) -> None:
        self._count_place = row_of(Stretch(), self._count, margins=0)
        self._filter.setLayout(self._count_place)
        self._place_count()
        rows = (
            row_of((self._filter, 1), self._class, self._order, spacing=SPACE),
            row_of((self._caption, 1), self.end_comparison, spacing=SPACE),
        )
        self.setLayout(column_of(*rows, spacing=SPACE, margins=(2 * SPACE, 2 * SPACE, 2 * SPACE, SPACE)))

    @Slot()
    def _place_count(self, *_: str) -> None:
        """Put the number at the right end of the field, beside the button that clears a text."""
        self._count_place.setContentsMargins(0, 0, (7 if self._filter.text() else 2) * SPACE, 0)

    @Slot()
    def _clear_or_leave_filter(self) -> None:
        """Remove the filter; without one, leave the field."""
        if self.is_filtering:
            self.clear()
        else:
            self.filter_left.emit()


class QueriesPanel(RequestPanel[QueriesRequest]):
    """List of the queries with thumbnails and scores; a click selects a query."""

    def __init__(self, session: Session) -> None:
        self.model = QueryListModel(session)
        super().__init__(session, QueriesRequest(), "list", uses=())
        self.model.setParent(self)
        self.header = QueriesHeader(self.controls.choice_box("order", IconComboBox("sort")))
        self.list = QueryListView()
        self._is_compared = False
        self._no_match = EmptyState("list")
        self._pages = QStackedWidget()
        self._shows_selected = False  # before the rows are sorted
        self._build()
        self.list.setModel(self.model)
        self.list.query_selected.connect(self._select_query)
        self.list.visible_rows_changed.connect(self.model.visible_thumbnails.set_visible)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.customContextMenuRequested.connect(self._show_context_menu)
        self.header.filter_changed.connect(self._set_filter)
        self.header.filter_left.connect(self.list.setFocus)
        self.header.filter_accepted.connect(self._go_to_first_match)
        self.header.comparison_ended.connect(self._end_comparison)
        self._no_match.action_requested.connect(self.header.clear)
        self.model.layoutAboutToBeChanged.connect(self._store_visibility)
        self.model.layoutChanged.connect(self._show_sorted)
        self.model.scores_changed.connect(self._show_numbers)
        self._show_benchmark()

    def step(self, by: int) -> None:
        """Select the query `by` rows further down (negative: up) in the order shown, at most the last or first one."""
        count = self.model.rowCount()
        if not count:
            return
        row = self.model.row_of(self._session.selection.query)
        target = 0 if row is None else min(max(row + by, 0), count - 1)
        self._select_query(target)

    @Slot()
    def _go_to_first_match(self) -> None:
        """Focus the list; select the first query in it if the filter hides the selected one."""
        if self.model.row_of(self._session.selection.query) is None and self.model.rowCount():
            self._select_query(0)
        self.list.setFocus()

    def focus_filter(self) -> None:
        """Focus the filter field."""
        self.header.focus_filter()

    @property
    def is_empty(self) -> bool:
        """Whether a message is shown instead of queries."""
        return super().is_empty or self._pages.currentWidget() is self._no_match

    def _build(self) -> None:
        self._pages.addWidget(self.list)
        self._pages.addWidget(self._no_match)
        self.set_body(self.header, self._pages, stretch=self._pages)

    def shown_scope(self) -> tuple[str, ...]:
        """See `RequestPanel`."""
        return scope_texts(self._session, {"run", "measure"})

    def export(self) -> ExportContent:
        """See `RequestPanel`; the queries that the filter leaves, in the order on screen, with their scores."""
        benchmark, run, measure = self._session.benchmark, self._session.run, self._session.measure
        rows = [self.model.query_of(row) for row in range(self.model.rowCount())]
        if not rows:
            return ExportContent()
        queries = tuple(benchmark.queries.ids[query] for query in rows)
        if self._session.scores is None or run is None:
            cells = tuple((name, query_class(benchmark, query)) for name, query in zip(queries, rows, strict=True))
            return ExportContent(table=Table("queries", "Queries", (TableColumn("query"), TableColumn("class")), cells))
        request = RunScoresRequest(runs=(run.name,), queries=queries, measures=(measure,))
        return ExportContent(table=request, names=(measure, run.name))

    def show_options(self) -> None:
        """See `RequestPanel`."""
        self.header.set_filter(self.options.text, self.options.class_name)
        self._apply_filter()
        self._sort()

    def show_changes(self, old: Document, new: Document) -> None:
        """See `RequestPanel`."""
        if new.differs(old, "benchmark"):
            self._show_benchmark()
        elif new.differs(old, "query"):
            self._show_query()

    def _show_benchmark(self) -> None:
        benchmark = self._session.benchmark
        self.set_options(QueriesRequest(order=self.model.order))
        self.header.set_classes(self.model.classes())
        if not self._session.is_open:
            self.show_empty("No benchmark is open")
        elif not len(benchmark.queries):
            self.show_empty("No queries", "Neither the runs nor the relevance assessment name a query; see Findings.")
        else:
            self.show_content()
        self._show_numbers()
        self._show_query()

    @Slot()
    def _show_numbers(self) -> None:
        """Update the caption, the ranges of scores and differences, and the orders that are enabled."""
        scores = self.model.scores
        resolved = find_measure(self._session.measure)
        benchmark = self._session.benchmark
        pictures = any(path is not None for path in benchmark.queries.paths)
        self.list.set_parts(thumbnails=pictures, scores=scores.measure is not None or bool(scores.missing.any()))
        is_compared = self._is_compared = bool(scores.compared) and scores.measure is not None
        self.header.set_comparison_available(is_compared)
        self.header.set_other(scores.compared if is_compared and scores.compared != BASELINE else "")
        if not is_compared and self.model.order in COMPARISON_ORDERS:
            self.set_option("order", "file")
        self._sort()
        ordered = self.model.order
        detail = ordered if ordered in ("spread", "ties") else "difference" if is_compared else ""
        self.list.set_secondary(detail, resolved.better)
        self.list.set_score_range(*self._score_range())
        largest = np.nanmax(np.abs(scores.differences), initial=0.0)
        self.list.set_difference_range(float(largest) or 1.0)
        caption = f"{resolved.key} of {scores.run}" if scores.measure is not None else ""
        difference = f"{resolved.key} of {scores.direction}"
        details = {"difference": difference, "spread": f"{caption} ± SD over all runs",
                   "ties": f"{caption}, range of ties"}  # fmt: skip
        self.header.set_caption(details.get(detail, "") if caption else "")  # the scope in the title has the rest
        self._show_count()

    def _show_count(self) -> None:
        self.header.set_count(self.model.rowCount(), self.model.total)

    def _score_range(self) -> tuple[float, float]:
        low, high = find_measure(self._session.measure).range
        scores = self._session.scores
        if high != float("inf") or scores is None:
            return low, min(high, 1.0)
        column = scores.values[:, :, scores.column(self._session.measure)]
        return low, float(np.nanmax(column, initial=1.0))

    def _show_query(self) -> None:
        query = self._session.selection.query
        self.list.set_current_row(None if query == NOTHING else self.model.row_of(query))

    @Slot()
    def _set_filter(self) -> None:
        self.set_options(replace(self.options, text=self.header.text, class_name=self.header.class_name))

    def _apply_filter(self) -> None:
        self.model.set_text(self.header.text)
        self.model.set_class(self.header.class_name)
        has_matches = self.model.rowCount() or not self.header.is_filtering
        if not has_matches:
            in_class = f" in class {self.header.class_name}" if self.header.class_name else ""
            title = f"No query{in_class} contains “{self.header.text}”"
            self._no_match.set_message(title, "Ids and class names are searched.", "Clear filter")
        self._pages.setCurrentWidget(self.list if has_matches else self._no_match)
        self._show_count()
        self._show_query()
        self.model.visible_thumbnails.set_visible(*self.list.visible_rows())

    def _sort(self) -> None:
        """Sort by the chosen order; by that of the file while there is no run B that it requires."""
        order = self.options.order
        if order in COMPARISON_ORDERS and not self._is_compared:
            order = "file"
        self.header.set_order(order)
        if order != self.model.order:
            self.model.set_order(order)
            self._show_numbers()
            self._show_query()

    @Slot()
    def _store_visibility(self, *_: object) -> None:
        row = self.model.row_of(self._session.selection.query)
        self._shows_selected = row is not None and self.list.shows_row(row)

    @Slot()
    def _show_sorted(self, *_: object) -> None:
        """Keep the selected query visible, and request the thumbnails of the rows that have come into view."""
        if self._shows_selected:
            self._show_query()
        self.model.visible_thumbnails.set_visible(*self.list.visible_rows())

    @Slot()
    def _end_comparison(self) -> None:
        self.list.setFocus()  # the focused button is hidden; Qt would focus another widget of the window
        self._session.select(compared=NOTHING)

    @Slot(int)
    def _select_query(self, row: int) -> None:
        self._session.select(query=self.model.query_of(row))

    @Slot()
    def _keep_slice(self) -> None:
        """Name the queries that the filter leaves."""
        rows = sorted(self.model.query_of(row) for row in range(self.model.rowCount()))
        name = " ".join(filter(None, [self.header.class_name, self.header.text]))
        SliceDialog(self._session, rows, name, self).open()

    @Slot(QPoint)
    def _show_context_menu(self, position: QPoint) -> None:
        """Open the menu of the query at the mouse; with the menu key, of the current one."""
        index = self.list.indexAt(position)
        menu = context_menu(self.list)
        if not index.isValid() and self.list.currentIndex().isValid():
            index = self.list.currentIndex()
            position = self.list.visualRect(index).center()
        if index.isValid():
            QueryActions(self._session, self.model.query_of(index.row()), menu)
        if self.header.is_filtering and self._session.scores is not None:
            menu.addAction("&Keep the listed queries as slice…").triggered.connect(self._keep_slice)
        popup_in(self.list, menu, position)
