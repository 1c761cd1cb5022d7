"""The queries at the left: find one, pick one, see at a glance which ones fail."""

import numpy as np
from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QComboBox,
    QGridLayout,
    QLabel,
    QLineEdit,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from shrec_viewer.metrics import find_measure
from shrec_viewer.panels.pane import Pane
from shrec_viewer.viewmodels.queries_model import QueriesModel
from shrec_viewer.viewmodels.queries_order import ORDERS, QueriesOrder
from shrec_viewer.viewmodels.selection import NOTHING, Selection
from shrec_viewer.viewmodels.session import Session
from shrec_viewer.widgets.empty_state import EmptyState
from shrec_viewer.widgets.query_list import QueryList
from shrec_viewer.widgets.theme import SPACE

ORDER_WORDS = {
    "file": "File order",
    "worst": "Lowest first",
    "best": "Highest first",
    "class": "By class",
}
"""How `ORDERS` are offered."""


class QueriesPanel(Pane):
    """The queries tied to the session: picking one selects it everywhere."""

    def __init__(self, session: Session) -> None:
        super().__init__("list")
        self._session = session
        self._queries = QueriesModel(session, self)
        self._shown = QueriesOrder(self._queries, self)
        self._find = QLineEdit()
        self._leave = QAction(self)
        self._order = QComboBox()
        self._measure = QComboBox()
        self.list = QueryList()
        self._none_found = EmptyState("list")
        self._middle = QStackedWidget()
        self._build()
        self.list.setModel(self._shown)
        self.list.query_picked.connect(self._pick_query)
        self.list.visible_rows_changed.connect(self._show_visible)
        self._find.textChanged.connect(self._filter)
        self._none_found.action_requested.connect(self._leave_filter)
        self._leave.triggered.connect(self._leave_filter)
        self._order.activated.connect(self._sort)
        self._measure.activated.connect(self._pick_measure)
        session.benchmark_changed.connect(self._show_benchmark)
        session.profile_changed.connect(self._show_measures)
        session.scores_changed.connect(self._show_measures)
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

    def focus_filter(self) -> None:
        """Put the cursor into the field that filters."""
        self._find.setFocus()
        self._find.selectAll()

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
        self._find.setPlaceholderText(self.tr("Filter by id or class"))
        self._find.setClearButtonEnabled(True)
        self._find.setAccessibleName(self.tr("Filter the queries by id or class"))
        for order in ORDERS:
            self._order.addItem(ORDER_WORDS[order], order)
        self._leave.setShortcut(Qt.Key.Key_Escape)
        self._leave.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        self._find.addAction(self._leave)
        self._order.setToolTip(self.tr("Order of the queries"))
        self._order.setAccessibleName(self.tr("Order of the queries"))
        self._measure.setAccessibleName(self.tr("Measure shown with each query"))
        for combo in (self._order, self._measure):
            combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            combo.setMinimumContentsLength(4)
        choices = QGridLayout()
        choices.setSpacing(SPACE)
        for column, (words, combo) in enumerate(
            ((self.tr("&Order"), self._order), (self.tr("&Measure"), self._measure))
        ):
            label = QLabel(words)
            label.setProperty("muted", True)
            label.setBuddy(combo)
            choices.addWidget(label, 0, column)
            choices.addWidget(combo, 1, column)
            choices.setColumnStretch(column, 1)
        head = QVBoxLayout()
        head.setContentsMargins(2 * SPACE, 2 * SPACE, 2 * SPACE, 2 * SPACE)
        head.setSpacing(SPACE)
        head.addWidget(self._find)
        head.addLayout(choices)
        layout = QVBoxLayout(self.content)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        self._middle.addWidget(self.list)
        self._middle.addWidget(self._none_found)
        layout.addWidget(self._middle, 1)
        QWidget.setTabOrder(self._find, self.list)

    @Slot()
    def _show_benchmark(self) -> None:
        benchmark = self._session.benchmark
        self._find.clear()
        if benchmark is None:
            self.show_empty(self.tr("No benchmark is open"))
        elif not len(benchmark.queries):
            self.show_empty(self.tr("There are no queries"), self.tr("No run or truth names one; see the findings."))
        else:
            self.show_content()
        self._show_measures()
        self._show_query()

    @Slot()
    def _show_measures(self) -> None:
        self._measure.clear()
        scores = self._session.scores
        for measure in scores.measures if scores is not None else ():
            self._measure.addItem(measure.key, measure.key)
            self._measure.setItemData(self._measure.count() - 1, measure.label, 3)
        self._measure.setEnabled(scores is not None)
        self._show_measure()

    def _show_measure(self) -> None:
        self._measure.setCurrentIndex(self._measure.findData(self._session.measure))
        resolved = find_measure(self._session.measure)
        self._measure.setToolTip(f"{resolved.label}: {resolved.definition}")
        self.list.set_score_range(*self._score_range())

    def _score_range(self) -> tuple[float, float]:
        low, high = find_measure(self._session.measure).range
        if high != float("inf"):
            return low, high
        scores = self._session.scores
        if scores is None:
            return 0.0, 1.0
        column = scores.values[:, :, scores.column(self._session.measure)]
        return low, float(np.nanmax(column, initial=1.0))

    @Slot(object, object)
    def _show_selection(self, old: Selection, new: Selection) -> None:
        if old.query != new.query:
            self._show_query()
        if old.measure != new.measure:
            self._show_measure()

    def _show_query(self) -> None:
        query = self._session.selection.query
        self.list.set_current_row(None if query == NOTHING else self._shown.row_of(query))

    @Slot(str)
    def _filter(self, text: str) -> None:
        self._shown.set_text(text)
        found = self._shown.rowCount() or not text.strip()
        if not found:
            title = self.tr("No query contains “{text}”").format(text=text.strip())
            self._none_found.set_message(title, self.tr("Ids and class names are searched."), self.tr("Clear"))
        self._middle.setCurrentWidget(self.list if found else self._none_found)
        self._show_query()
        self._show_visible(*self.list.visible_rows())

    @Slot()
    def _leave_filter(self) -> None:
        """Show all queries again; where all are shown, leave the field."""
        if self._find.text():
            self._find.clear()
        else:
            self.list.setFocus()

    @Slot(int)
    def _sort(self, _place: int) -> None:
        self._shown.set_order(self._order.currentData())
        self._show_query()
        self._show_visible(*self.list.visible_rows())

    @Slot(int)
    def _pick_query(self, row: int) -> None:
        self._session.select(query=self._shown.query_of(row))

    @Slot(int)
    def _pick_measure(self, _place: int) -> None:
        self._session.select(measure=self._measure.currentData())

    @Slot(int, int)
    def _show_visible(self, first: int, last: int) -> None:
        count = self._shown.rowCount()
        near = range(last + 1, min(2 * last - first + 2, count))
        seen = [self._shown.query_of(row) for row in range(first, min(last + 1, count))]
        self._queries.pictures.set_rows(seen, [self._shown.query_of(row) for row in near])
