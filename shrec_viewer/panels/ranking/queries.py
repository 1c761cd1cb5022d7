"""Panel with the list of queries: filter, sort order and per-query scores."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from PySide6.QtCore import QPoint, QSize, Qt, Signal, Slot
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QSizePolicy, QStackedWidget, QToolButton, QVBoxLayout, QWidget

from shrec_viewer.metrics import find_measure
from shrec_viewer.panels.panel.actions import QueryActions
from shrec_viewer.panels.panel.panel_widget import BasePanel
from shrec_viewer.viewmodels.ranking.query_list import ANY_CLASS, COMPARING, ORDERS, QueryFilterModel, QueryListModel
from shrec_viewer.viewmodels.session.selection import NOTHING, Selection
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.labels import count_text
from shrec_viewer.widgets.cards.query_list import QueryListView
from shrec_viewer.widgets.controls.eliding import ElidingLine
from shrec_viewer.widgets.controls.empty_state import EmptyState
from shrec_viewer.widgets.controls.fields import ElidingComboBox, FilterField
from shrec_viewer.widgets.style.icons import icon
from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme

ORDER_LABELS = {
    "file": ("File order", "As in the benchmark"),
    "id": ("By id", "Numbers in ids count as numbers"),
    "class": ("By class", "By the name of the class"),
    "worst": ("Lowest first", "Lowest value of the measure first"),
    "best": ("Highest first", "Highest value of the measure first"),
    "change": ("Difference", "Largest difference to the run compared with first, up or down"),
    "loss": ("Losses first", "Those first on which this run is farthest below the run compared with"),
    "gain": ("Gains first", "Those first on which this run is farthest above the run compared with"),
    "spread": ("Spread", "Largest standard deviation of the measure over all runs first"),
}
"""How `ORDERS` are offered, and what they mean."""


FILTER_TOOLTIP = (
    "Part of an id or a class name. Of several words a query must have all; where none has, any will do (Q01 Q03). "
    "What commas, semicolons or lines separate is looked for each by itself."
)
"""The rule of `queries_filter.meant`."""


class QueriesHeader(QWidget):
    """Fields for text, class and order, and a line that says what is shown.

    Signals
    -------
    text_changed(text), class_picked(name), order_picked(order)
        The person wants this; a class is "" for any.
    left()
        The person is done with the field that filters.
    taken()
        The person wants what the filter has found.
    comparing_ended()
        The person wants to compare with no run any more.
    """

    text_changed = Signal(str)
    class_selected = Signal(str)
    order_selected = Signal(str)
    left = Signal()
    taken = Signal()
    comparison_ended = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._find = FilterField()
        self._class = ElidingComboBox()
        self._order = ElidingComboBox()
        self._count = QLabel()
        self._said = ElidingLine(token="muted")
        self.end = QToolButton()
        self._name()
        self._build()
        self._find.textChanged.connect(self.text_changed)
        self._find.escaped.connect(self._clear_or_leave_filter)
        self._find.accepted.connect(self.taken)
        self._class.activated.connect(self._emit_class)
        self._order.activated.connect(self._emit_order)
        self.end.clicked.connect(self.comparison_ended)
        self.set_theme(current_theme())

    @property
    def text(self) -> str:
        """What is looked for."""
        return self._find.text().strip()

    @property
    def class_name(self) -> str:
        """The class to show, "" for any."""
        return self._class.currentData() or ANY_CLASS

    @property
    def is_filtering(self) -> bool:
        """Whether not all queries are wanted."""
        return bool(self.text or self.class_name)

    def focus_filter(self) -> None:
        """Put the cursor into the field that filters."""
        self._find.setFocus()
        self._find.selectAll()

    @Slot()
    def clear(self) -> None:
        """Want all queries again."""
        if self._class.currentIndex() > 0:
            self._class.setCurrentIndex(0)
            self._emit_class(0)
        self._find.clear()

    def set_filter(self, text: str, class_name: object) -> None:
        """Look for this text in this class; "" and a class that there is not stand for all."""
        self._class.setCurrentIndex(max(self._class.findData(class_name), 0))
        self._find.setText(text)

    def set_classes(self, names: Sequence[str]) -> None:
        """Offer these classes; no field where there is none to choose."""
        self._class.clear()
        self._class.addItem("Any class", ANY_CLASS)
        for name in names:
            self._class.addItem(name, name)
        self._class.setVisible(len(names) > 1)

    def set_order(self, order: str) -> None:
        """Show this order as the one chosen."""
        self._order.setCurrentIndex(self._order.findData(order))
        self._order.setToolTip(ORDER_LABELS[order][1])

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self.end.setIcon(icon("close", theme, "muted"))

    def set_other(self, name: str) -> None:
        """Offer to end the comparison with this run; "" where there is none."""
        self.end.setVisible(bool(name))
        words = f"Stop comparing with {name}"
        self.end.setToolTip(words)
        self.end.setAccessibleName(words)

    def set_comparison_available(self, comparing: bool) -> None:
        """Offer the orders that need a run to compare with, or not."""
        model = self._order.model()
        assert isinstance(model, QStandardItemModel)
        for order in COMPARING:
            model.item(self._order.findData(order)).setEnabled(comparing)

    def set_count(self, shown: int, total: int) -> None:
        """Say how many queries are shown: ``"12 of 30"``, ``"30 queries"``."""
        said = count_text(total, "query", "queries") if shown == total else f"{shown:,} of {total:,}"
        self._count.setText(said)

    def set_caption(self, words: str) -> None:
        """Say what the numbers are: ``"AP of M1 − M2"``."""
        self._said.setText(words)

    def _name(self) -> None:
        self._find.setPlaceholderText("Find id or class")
        self._find.setToolTip(FILTER_TOOLTIP)
        self._find.setAccessibleName("Filter the queries by id or class")
        self._class.setAccessibleName("Class of the queries shown")
        self._class.setToolTip("Show the queries of one class")
        self._order.setAccessibleName("Order of the queries")
        self._said.setAccessibleName("Numbers shown with the queries")
        self._count.setProperty("muted", True)
        for order in ORDERS:
            words, tip = ORDER_LABELS[order]
            self._order.addItem(words, order)
            self._order.setItemData(self._order.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)
        self.set_order(ORDERS[0])
        self.set_comparison_available(False)
        self.set_other("")
        self.end.setAutoRaise(True)
        self.end.setIconSize(QSize(14, 14))
        self.end.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        for combo in (self._class, self._order):
            combo.setSizeAdjustPolicy(ElidingComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            combo.setMinimumContentsLength(4)
        for combo in (self._class, self._order):
            combo.view().setMinimumWidth(combo.view().sizeHintForColumn(0) + 6 * SPACE)

    def _build(self) -> None:
        find = QHBoxLayout()
        find.setSpacing(SPACE)
        self._find.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)  # half of the row, as below
        find.addWidget(self._find, 1)
        find.addWidget(self._class, 1)
        label = QLabel("&Order")
        label.setProperty("muted", True)
        label.setBuddy(self._order)
        order = QHBoxLayout()
        order.setSpacing(2 * SPACE)
        order.addWidget(label)
        order.addWidget(self._order, 1)
        said = QHBoxLayout()
        said.setSpacing(3 * SPACE)
        said.addWidget(self._count)
        said.addWidget(self._said, 1)
        said.addWidget(self.end)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * SPACE, 2 * SPACE, 2 * SPACE, SPACE)
        layout.setSpacing(SPACE)
        for row in (find, order, said):
            layout.addLayout(row)

    @Slot()
    def _clear_or_leave_filter(self) -> None:
        """Show all queries again; where all are shown, leave the field."""
        if self.is_filtering:
            self.clear()
        else:
            self.left.emit()

    @Slot(int)
    def _emit_class(self, _place: int) -> None:
        self.class_selected.emit(self.class_name)

    @Slot(int)
    def _emit_order(self, _place: int) -> None:
        self.order_selected.emit(self._order.currentData())


class QueriesPanel(BasePanel):
    """The queries tied to the session: picking one selects it everywhere."""

    def __init__(self, session: Session) -> None:
        super().__init__("list")
        self._session = session
        self._queries = QueryListModel(session, self)
        self._shown = QueryFilterModel(self._queries, self)
        self.header = QueriesHeader()
        self.list = QueryListView()
        self._told = self._queries.facts
        self._wished = ""  # an order that needs a run to compare with, until there is one
        self._none_found = EmptyState("list")
        self._middle = QStackedWidget()
        self._build()
        self.list.setModel(self._shown)
        self.list.query_selected.connect(self._select_query)
        self.list.visible_rows_changed.connect(self._show_visible)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.customContextMenuRequested.connect(self._offer)
        self.header.text_changed.connect(self._filter)
        self.header.class_selected.connect(self._filter)
        self.header.order_selected.connect(self._select_order)
        self.header.left.connect(self.list.setFocus)
        self.header.taken.connect(self._go_to_first_match)
        self.header.comparison_ended.connect(self._end_comparison)
        self._none_found.action_requested.connect(self.header.clear)
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
        self._select_query(target)

    @Slot()
    def _go_to_first_match(self) -> None:
        """Go to the list; a query that the filter has put out of sight gives way to the first one found."""
        if self._shown.row_of(self._session.selection.query) is None and self._shown.rowCount():
            self._select_query(0)
        self.list.setFocus()

    def focus_filter(self) -> None:
        """Put the cursor into the field that filters."""
        self.header.focus_filter()

    def view_state(self) -> dict[str, Any]:
        """Order and filter, for a project: plain values."""
        return {"order": self._wished or self._shown.order, "text": self.header.text, "class": self.header.class_name}

    def restore_view_state(self, state: Mapping[str, Any]) -> None:
        """Order and filter as a project says; what is not known is passed over."""
        text = state.get("text")
        self.header.set_filter(text if isinstance(text, str) else "", state.get("class"))
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
        layout.addWidget(self.header)
        self._middle.addWidget(self.list)
        self._middle.addWidget(self._none_found)
        layout.addWidget(self._middle, 1)

    @Slot()
    def _show_benchmark(self) -> None:
        benchmark = self._session.benchmark
        self._wished = ""
        self.header.clear()
        self.header.set_classes(self._shown.classes())
        if benchmark is None:
            self.show_empty("No benchmark is open")
        elif not len(benchmark.queries):
            self.show_empty("There are no queries", "No run or truth names one; see the findings.")
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
        self.header.set_comparison_available(is_compared)
        self.header.set_other(facts.other if is_compared else "")
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
        self.header.set_caption(
            {"difference": f"{said} − {facts.other}", "spread": f"{said} ± all runs"}.get(detail, said)
        )
        self._show_count()

    def _show_count(self) -> None:
        self.header.set_count(self._shown.rowCount(), self._shown.total)

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
        self._shown.set_text(self.header.text)
        self._shown.set_class(self.header.class_name)
        found = self._shown.rowCount() or not self.header.is_filtering
        if not found:
            where = f" in class {self.header.class_name}" if self.header.class_name else ""
            title = f"No query{where} contains “{self.header.text}”"
            self._none_found.set_message(title, "Ids and class names are searched.", "Clear")
        self._middle.setCurrentWidget(self.list if found else self._none_found)
        self._show_count()
        self._show_query()
        self._show_visible(*self.list.visible_rows())

    @Slot(str)
    def _select_order(self, order: str) -> None:
        self._wished = ""
        self._sort(order)

    def _sort(self, order: str) -> None:
        self._shown.set_order(order)
        self.header.set_order(order)
        self._show_numbers()
        self._show_query()
        self._show_visible(*self.list.visible_rows())

    @Slot()
    def _end_comparison(self) -> None:
        self.list.setFocus()  # the button goes away
        self._session.select(compared=NOTHING)

    @Slot(int)
    def _select_query(self, row: int) -> None:
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
