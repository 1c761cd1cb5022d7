"""Panel with the contingency table of a ranked list at scope k."""

import numpy as np
from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QCheckBox, QGridLayout, QHBoxLayout, QLabel, QSpinBox, QVBoxLayout

from shrec_viewer.number_format import format_value
from shrec_viewer.panels.panel.panel_widget import BasePanel
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.widgets.controls.eliding import ElidingLine
from shrec_viewer.widgets.controls.segmented_buttons import SegmentedButtons
from shrec_viewer.widgets.plots.contingency_table import ContingencyTableWidget
from shrec_viewer.widgets.style.theme import SPACE

DERIVED = ("Precision", "Recall", "F-measure", "Generality")


class ContingencyPanel(BasePanel):
    """Counts tied to the session: the scope follows the rank cursor until the person fixes it."""

    def __init__(self, session: Session) -> None:
        super().__init__("table")
        self._session = session
        self.scope = QSpinBox()
        self.follow = QCheckBox("follow the cursor")
        self.level = SegmentedButtons((("1", "Relevant"), ("2", "Highly")))
        self.square = ContingencyTableWidget()
        self.title = ElidingLine(token="muted")
        self._values = {name: QLabel() for name in DERIVED}
        self._build()
        self.scope.valueChanged.connect(self._show_counts)
        self.follow.toggled.connect(self._show_cursor)
        self.level.picked.connect(self._show_counts)
        session.benchmark_changed.connect(self._show_list)
        session.list_changed.connect(self._show_list)
        session.cursor_state.cursor_changed.connect(self._show_cursor)
        self._show_list()

    def _build(self) -> None:
        self.scope.setAccessibleName("Scope: places looked at")
        self.scope.setToolTip("Scope k: how many places of the list count as retrieved")
        self.scope.setGroupSeparatorShown(True)
        self.scope.setButtonSymbols(QSpinBox.ButtonSymbols.NoButtons)  # wheel and arrow keys do it
        self.scope.setMinimum(0)
        self.scope.setMaximum(0)
        self.follow.setChecked(True)
        self.follow.setToolTip("The scope is the rank that the mouse or the selection is at")
        header = QHBoxLayout()
        header.setSpacing(2 * SPACE)
        for piece in (QLabel("Scope k"), self.scope, self.follow):
            header.addWidget(piece)
        header.addStretch(1)
        about = QHBoxLayout()  # a line of its own: in one with the scope it is wider than the column of panels
        about.setSpacing(2 * SPACE)
        about.addWidget(self.title, 1)
        about.addWidget(self.level)
        numbers = QGridLayout()
        numbers.setHorizontalSpacing(4 * SPACE)
        for column, (name, value) in enumerate(self._values.items()):
            label = QLabel(name)
            label.setProperty("muted", True)
            numbers.addWidget(label, 0, column, Qt.AlignmentFlag.AlignLeft)
            value.setAccessibleName(name)
            numbers.addWidget(value, 1, column, Qt.AlignmentFlag.AlignLeft)
        numbers.setColumnStretch(len(self._values), 1)
        layout = QVBoxLayout(self.content)
        layout.setContentsMargins(2 * SPACE, 2 * SPACE, 2 * SPACE, 2 * SPACE)
        layout.setSpacing(2 * SPACE)
        layout.addLayout(header)
        layout.addLayout(about)
        layout.addWidget(self.square)
        layout.addLayout(numbers)
        layout.addStretch(1)

    @Slot()
    def _show_list(self) -> None:
        benchmark, shown, run = self._session.benchmark, self._session.ranked_list, self._session.run
        if benchmark is None:
            self.show_empty("No benchmark is open")
            return
        if benchmark.assessment is None:
            self.show_empty("Nothing to count", "The benchmark has no relevance assessment.")
            return
        if shown is None or run is None:
            self.show_empty("Nothing to count", "No ranked list is shown.")
            return
        self.level.setVisible(len(benchmark.assessment.levels) > 1)
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
        if self.follow.isChecked():
            relevant = int((shown.levels > 0).sum()) + len(shown.not_retrieved)
            cursor = self._session.cursor_state.cursor
            self.scope.setValue(min(cursor or relevant, len(shown)))
        self._show_counts()

    @Slot()
    def _show_counts(self, *_: object) -> None:
        benchmark, shown = self._session.benchmark, self._session.ranked_list
        if benchmark is None or benchmark.assessment is None or shown is None:
            return
        least = int(self.level.current) if self.level.isVisibleTo(self) else 1
        scope = min(self.scope.value(), len(shown))
        gains = benchmark.assessment.gains(self._session.selection.query, len(benchmark.collection))
        absent = int(np.count_nonzero(gains[shown.not_retrieved] >= least))
        relevant = int(np.count_nonzero(shown.levels >= least)) + absent
        tp = int(np.count_nonzero(shown.levels[:scope] >= least))
        own = int(
            self._session.profile.self_match == "drop" and benchmark.queries.member[self._session.selection.query] >= 0
        )
        collection = len(benchmark.collection) - own
        fp, fn = scope - tp, relevant - tp
        self.square.set_counts(tp, fp, fn, max(collection - scope - fn, 0))
        nothing = float("nan")
        precision, recall = (tp / scope if scope else nothing), (tp / relevant if relevant else nothing)
        f_measure = 2 * tp / (scope + relevant) if scope + relevant else nothing
        generality = relevant / collection if collection else nothing
        for name, value in zip(DERIVED, (precision, recall, f_measure, generality), strict=True):
            self._values[name].setText(format_value(value))
