"""The queries at the left: find one, pick one, see at a glance which ones fail, and on which the runs differ."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from PySide6.QtCore import QPoint, Qt, Slot
from PySide6.QtWidgets import QMenu, QStackedWidget, QVBoxLayout

from shrec_viewer.metrics import find_measure
from shrec_viewer.panels.pane import Pane
from shrec_viewer.panels.queries_head import QueriesHead
from shrec_viewer.panels.query_actions import QueryActions
from shrec_viewer.viewmodels.queries_model import QueriesModel
from shrec_viewer.viewmodels.queries_order import COMPARING, ORDERS, QueriesOrder
from shrec_viewer.viewmodels.selection import NOTHING, Selection
from shrec_viewer.viewmodels.session import Session
from shrec_viewer.widgets.empty_state import EmptyState
from shrec_viewer.widgets.query_list import QueryList


class QueriesPanel(Pane):
    """The queries tied to the session: picking one selects it everywhere."""

    def __init__(self, session: Session) -> None:
        super().__init__("list")
        self._session = session
        self._queries = QueriesModel(session, self)
        self._shown = QueriesOrder(self._queries, self)
        self.head = QueriesHead()
        self.list = QueryList()
        self._told = self._queries.facts
        self._wished = ""  # an order that needs a run to compare with, until there is one
        self._none_found = EmptyState("list")
        self._middle = QStackedWidget()
        self._build()
        self.list.setModel(self._shown)
        self.list.query_picked.connect(self._pick_query)
        self.list.visible_rows_changed.connect(self._show_visible)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.customContextMenuRequested.connect(self._offer)
        self.head.text_changed.connect(self._filter)
        self.head.class_picked.connect(self._filter)
        self.head.order_picked.connect(self._pick_order)
        self.head.left.connect(self.list.setFocus)
        self.head.taken.connect(self._take_found)
        self.head.comparing_ended.connect(self._end_comparing)
        self._none_found.action_requested.connect(self.head.clear)
        self._queries.modelReset.connect(self._show_numbers)
        self._queries.dataChanged.connect(self._show_data)
        session.benchmark_changed.connect(self._show_benchmark)
        session.profile_changed.connect(self._show_numbers)
        session.scores_changed.connect(self._show_numbers)
        session.selection_changed.connect(self._show_selection)
        self._show_benchmark()

    def step(self, by: int) -> None:
        """Select the query `by` rows further down (negative: up) in the order shown; the ends hold."""
        count = self._shown.rowCount()
        if not count:
            return
        row = self._shown.row_of(self._session.selection.query)
        target = 0 if row is None else min(max(row + by, 0), count - 1)
        self._pick_query(target)

    @Slot()
    def _take_found(self) -> None:
        """Go to the list; a query that the filter has put out of sight gives way to the first one found."""
        if self._shown.row_of(self._session.selection.query) is None and self._shown.rowCount():
            self._pick_query(0)
        self.list.setFocus()

    def focus_filter(self) -> None:
        """Put the cursor into the field that filters."""
        self.head.focus_filter()

    def view_state(self) -> dict[str, Any]:
        """Order and filter, for a project: plain values."""
        return {"order": self._wished or self._shown.order, "text": self.head.text, "class": self.head.class_name}

    def take_view_state(self, state: Mapping[str, Any]) -> None:
        """Order and filter as a project says; what is not known is passed over."""
        text = state.get("text")
        self.head.set_filter(text if isinstance(text, str) else "", state.get("class"))
        self._filter()
        if (order := state.get("order")) in ORDERS:
            self._wished = order if order in COMPARING else ""
            self._sort("file" if self._wished else order)

    @property
    def is_empty(self) -> bool:
        """Whether a reason is shown instead of queries."""
        return super().is_empty or self._middle.currentWidget() is self._none_found

    @property
    def waiting(self) -> int:
        """Visible queries whose picture is still being made."""
        return self._queries.pictures.waiting

    @property
    def drawn_pictures(self) -> int:
        """Visible pictures."""
        return self._queries.pictures.drawn

    @property
    def shown_pictures(self) -> int:
        """Visible queries."""
        return len(self._queries.pictures.visible)

    def _build(self) -> None:
        layout = QVBoxLayout(self.content)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.head)
        self._middle.addWidget(self.list)
        self._middle.addWidget(self._none_found)
        layout.addWidget(self._middle, 1)

    @Slot()
    def _show_benchmark(self) -> None:
        benchmark = self._session.benchmark
        self._wished = ""
        self.head.clear()
        self.head.set_classes(self._shown.classes())
        if benchmark is None:
            self.show_empty(self.tr("No benchmark is open"))
        elif not len(benchmark.queries):
            self.show_empty(self.tr("There are no queries"), self.tr("No run or truth names one; see the findings."))
        else:
            self.show_content()
        self._show_numbers()
        self._show_query()

    @Slot()
    def _show_data(self, *_: object) -> None:
        """Pictures come one by one and change nothing but themselves."""
        if self._queries.facts is not self._told:
            self._show_numbers()

    @Slot()
    def _show_numbers(self) -> None:
        """Say what the numbers are, and what they range over."""
        facts = self._told = self._queries.facts
        resolved = find_measure(self._session.measure)
        benchmark = self._session.benchmark
        pictures = benchmark is not None and any(path is not None for path in benchmark.queries.paths)
        self.list.set_parts(pictures=pictures, scores=facts.measure is not None or bool(facts.missing.any()))
        is_compared = bool(facts.other) and facts.measure is not None
        self.head.set_comparing(is_compared)
        self.head.set_other(facts.other if is_compared else "")
        if not is_compared and self._shown.order in COMPARING:
            self._sort("file")
        elif is_compared and self._wished:
            order, self._wished = self._wished, ""
            self._sort(order)
        detail = "spread" if self._shown.order == "spread" else "difference" if is_compared else ""
        self.list.set_detail(detail, resolved.better)
        self.list.set_score_range(*self._score_range())
        most = np.nanmax(np.abs(facts.differences), initial=0.0)
        self.list.set_difference_range(float(most) or 1.0)
        said = f"{resolved.key} of {facts.run}" if facts.measure is not None else ""
        self.head.set_said({"difference": f"{said} − {facts.other}", "spread": f"{said} ± all runs"}.get(detail, said))
        self._show_count()

    def _show_count(self) -> None:
        self.head.set_count(self._shown.rowCount(), self._shown.total)

    def _score_range(self) -> tuple[float, float]:
        low, high = find_measure(self._session.measure).range
        scores = self._session.scores
        if high != float("inf") or scores is None:
            return low, min(high, 1.0)
        column = scores.values[:, :, scores.column(self._session.measure)]
        return low, float(np.nanmax(column, initial=1.0))

    @Slot(object, object)
    def _show_selection(self, old: Selection, new: Selection) -> None:
        if old.query != new.query:
            self._show_query()

    def _show_query(self) -> None:
        query = self._session.selection.query
        self.list.set_current_row(None if query == NOTHING else self._shown.row_of(query))

    @Slot()
    def _filter(self, *_: str) -> None:
        self._shown.set_text(self.head.text)
        self._shown.set_class(self.head.class_name)
        found = self._shown.rowCount() or not self.head.is_filtering
        if not found:
            where = self.tr(" in class {name}").format(name=self.head.class_name) if self.head.class_name else ""
            title = self.tr("No query{where} contains “{text}”").format(where=where, text=self.head.text)
            self._none_found.set_message(title, self.tr("Ids and class names are searched."), self.tr("Clear"))
        self._middle.setCurrentWidget(self.list if found else self._none_found)
        self._show_count()
        self._show_query()
        self._show_visible(*self.list.visible_rows())

    @Slot(str)
    def _pick_order(self, order: str) -> None:
        self._wished = ""
        self._sort(order)

    def _sort(self, order: str) -> None:
        self._shown.set_order(order)
        self.head.set_order(order)
        self._show_numbers()
        self._show_query()
        self._show_visible(*self.list.visible_rows())

    @Slot()
    def _end_comparing(self) -> None:
        self.list.setFocus()  # the button goes away
        self._session.select(compared=NOTHING)

    @Slot(int)
    def _pick_query(self, row: int) -> None:
        self._session.select(query=self._shown.query_of(row))

    @Slot(QPoint)
    def _offer(self, at: QPoint) -> None:
        """What can be done with the query under the mouse, or by the menu key with the current one."""
        index = self.list.indexAt(at)
        index = index if index.isValid() else self.list.currentIndex()
        if not index.isValid():
            return
        menu = QMenu(self.list)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        QueryActions(self._session, self._shown.query_of(index.row()), menu)
        spot = at if self.list.indexAt(at).isValid() else self.list.visualRect(index).center()
        menu.popup(self.list.viewport().mapToGlobal(spot))

    @Slot(int, int)
    def _show_visible(self, first: int, last: int) -> None:
        count = self._shown.rowCount()
        near = range(last + 1, min(2 * last - first + 2, count))
        seen = [self._shown.query_of(row) for row in range(first, min(last + 1, count))]
        self._queries.pictures.set_rows(seen, [self._shown.query_of(row) for row in near])
