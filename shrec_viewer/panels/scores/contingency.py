"""Panel with the contingency table of a ranked list at scope k."""

import math
from dataclasses import replace

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QCheckBox, QFrame, QScrollArea, QSpinBox, QVBoxLayout, QWidget

from shrec_viewer.content.lists import SCOPE_VALUES, ContingencyRequest, level_counts_text
from shrec_viewer.evaluation.ranked_list import contingency_counts
from shrec_viewer.number_format import format_value
from shrec_viewer.panels.panel import WrappingRow, row_layout
from shrec_viewer.panels.request_panel import RequestPanel
from shrec_viewer.viewmodels.session.document import Document
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.widgets.controls.controls import ElidingLine
from shrec_viewer.widgets.controls.plain_text import PlainLabel, set_tooltip
from shrec_viewer.widgets.plots.contingency_table import ContingencyTableWidget
from shrec_viewer.widgets.style.theme import SPACE

#: Name of the counts by level; with two levels these are Vh of Ch, Vm of Cm and Vn of Cn of SHREC 2006.
BY_LEVEL = "Retrieved by level"

#: Lowest relevant levels that can be chosen.
LEVELS = {1: "Relevant", 2: "Highly relevant"}


class ContingencyPanel(RequestPanel[ContingencyRequest]):
    """Contingency table of the list shown; the scope follows the cursor until the user fixes it."""

    def __init__(self, session: Session) -> None:
        super().__init__(session, ContingencyRequest(), "table", uses=())
        self.scope = QSpinBox()
        self.follow_cursor = QCheckBox("Follow cursor")
        self.level = self.controls.buttons("level", LEVELS)
        self.table = ContingencyTableWidget()
        self.title = ElidingLine(token="muted")
        self._values = {name: PlainLabel() for name in (*SCOPE_VALUES, BY_LEVEL)}
        self._build()
        self.scope.valueChanged.connect(self._show_counts)
        self.follow_cursor.toggled.connect(self._show_cursor)
        session.cursor_state.cursor_changed.connect(self._show_cursor)
        self._show_list()

    def request(self) -> ContingencyRequest | None:
        """See `RequestPanel`; None where no rank counts as retrieved, as 0 is the default of the command."""
        request, shown = super().request(), self._session.ranked_list
        scope = 0 if shown is None else min(self.scope.value(), len(shown))
        return replace(request, scope=scope, level=self._least_level) if request is not None and scope else None

    def export_names(self) -> tuple[str, ...]:
        """See `RequestPanel`; run, query and scope."""
        request = self.request()
        return () if request is None else (*request.runs, *request.queries, f"scope {request.scope}")

    @property
    def _least_level(self) -> int:
        return self.options.level if self.level.isVisibleTo(self) else 1

    def show_options(self) -> None:
        """See `RequestPanel`."""
        self._show_counts()

    def _build(self) -> None:
        self.scope.setAccessibleName("Scope k")
        set_tooltip(self.scope, "Scope k: number of ranks that count as retrieved")
        self.scope.setGroupSeparatorShown(True)
        self.scope.setButtonSymbols(QSpinBox.ButtonSymbols.NoButtons)  # mouse wheel and arrow keys change it
        self.scope.setMinimum(0)
        self.scope.setMaximum(0)
        self.follow_cursor.setChecked(True)
        set_tooltip(self.follow_cursor, "Use the rank under the mouse, or the selected rank, as scope")
        scope_row = WrappingRow([PlainLabel("Scope k"), self.scope], [self.follow_cursor])
        title_row = WrappingRow([self.level], [self.title])
        columns = [QWidget() for _ in self._values]
        self._by_level = columns[-1]
        for column, (name, value) in zip(columns, self._values.items(), strict=True):
            label = PlainLabel(name)
            label.setProperty("muted", True)
            value.setAccessibleName(name)
            lines = QVBoxLayout(column)
            lines.setContentsMargins(0, 0, 2 * SPACE, 0)
            lines.addWidget(label)
            lines.addWidget(value)
        table = row_layout()
        table.addWidget(self.table)
        inside, area = QWidget(), QScrollArea()  # in a low dock or with a large font
        area.setWidget(inside)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.set_body(area, stretch=area)
        layout = QVBoxLayout(inside)
        layout.setContentsMargins(0, SPACE, 0, SPACE)
        layout.setSpacing(0)
        layout.addWidget(scope_row)
        layout.addWidget(title_row)
        layout.addLayout(table)
        layout.addWidget(WrappingRow(columns[:2], columns[2:4]))
        layout.addWidget(WrappingRow(columns[4:5], columns[5:6]))
        layout.addWidget(WrappingRow(columns[6:], []))
        layout.addStretch(1)

    def show_changes(self, old: Document, new: Document) -> None:
        """See `RequestPanel`."""
        if new.differs(old, "benchmark", "list"):
            self._show_list()

    def _show_list(self) -> None:
        benchmark, shown, run = self._session.benchmark, self._session.ranked_list, self._session.run
        if not self._session.is_open:
            self.show_empty("No benchmark is open")
            return
        if benchmark.assessment is None:
            self.show_empty("No contingency table", "The benchmark has no relevance assessment.")
            return
        if shown is None or run is None:
            self.show_empty("No contingency table", "No ranked list is shown.")
            return
        for widget in (self.level, self._by_level):
            widget.setVisible(len(benchmark.assessment.levels) > 1)
        query = benchmark.queries.ids[self._session.selection.query]
        self.title.setText(f"{run.name}, {query}")
        self.scope.setMaximum(len(shown))
        self._show_cursor()
        self.show_content()

    @Slot(object)
    def _show_cursor(self, *_: object) -> None:
        shown = self._session.ranked_list
        if shown is None:
            return
        if self.follow_cursor.isChecked():
            self.scope.setValue(min(self._session.cursor_state.cursor or shown.relevant_count, len(shown)))
        self._show_counts()

    @Slot()
    def _show_counts(self, *_: object) -> None:
        session = self._session
        benchmark, shown = session.benchmark, session.ranked_list
        if benchmark.assessment is None or shown is None:
            return
        scope, query = min(self.scope.value(), len(shown)), session.selection.query
        counts = contingency_counts(benchmark, session.profile, query, shown, scope, self._least_level)
        self.table.set_counts(counts.tp, counts.fp, counts.fn, counts.tn)
        for name, attribute in SCOPE_VALUES.items():
            value = getattr(counts, attribute)
            is_count = isinstance(value, int)
            self._values[name].setText(format_value(math.nan if value is None else value, counted=is_count))
        self._values[BY_LEVEL].setText(level_counts_text(counts))
