"""Panels with a chart of the runs and an interval for each: significance groups, and bounds of runs."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPoint, Qt, Slot
from PySide6.QtWidgets import QPushButton, QSpinBox, QVBoxLayout, QWidget

from shrec_viewer.charts.intervals import IntervalRow
from shrec_viewer.content.practical import PracticalRequest, practical_label, practical_row
from shrec_viewer.content.significance import SignificanceRequest, significance_content
from shrec_viewer.evaluation.practical import PracticalResult, practical_order
from shrec_viewer.panels.context_menus import RunActions, context_menu, popup_in
from shrec_viewer.panels.export.content import ExportContent
from shrec_viewer.panels.panel import BasePanel, WrappingRow, missing_scores_reason
from shrec_viewer.viewmodels.scores.computations import PracticalModel, SignificanceModel
from shrec_viewer.viewmodels.session.selection import Selection
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.labels import count_text
from shrec_viewer.widgets.controls.controls import ElidingLine, SegmentedButtons
from shrec_viewer.widgets.controls.file_dialogs import EXPORT, choose_save_path
from shrec_viewer.widgets.controls.plain_text import PlainLabel, set_tooltip
from shrec_viewer.widgets.plots.interval_chart import IntervalChart
from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme


class RunIntervalPanel(BasePanel):
    """Chart with a row per run; a click selects the run, a right click opens its menu."""

    def __init__(self, session: Session, icon: str) -> None:
        super().__init__(icon)
        self._session = session
        self._theme = current_theme()
        self._order: tuple[int, ...] = ()
        self.chart = IntervalChart()
        self.chart.row_selected.connect(self._select_run)
        self.chart.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.chart.customContextMenuRequested.connect(self._show_context_menu)
        session.selection_changed.connect(self._show_selection)

    def show_runs(self, runs: Sequence[int], rows: Sequence[IntervalRow], scale_name: str) -> None:
        """Show the content with these rows, which belong to the runs of these indices."""
        self._order = tuple(runs)
        self.chart.set_rows(rows, scale_name)
        self._show_current()
        self.show_content()

    @Slot(object, object)
    def _show_selection(self, old: Selection, new: Selection) -> None:
        if old.run != new.run:
            self._show_current()

    def _show_current(self) -> None:
        run = self._session.selection.run
        self.chart.set_current(self._order.index(run) if run in self._order else -1)

    @Slot(int)
    def _select_run(self, row: int) -> None:
        self._session.select(run=self._order[row])

    @Slot(QPoint)
    def _show_context_menu(self, position: QPoint) -> None:
        """Open the menu of the run at the mouse; with the menu key, of the selected run."""
        row = self.chart.row_at(position)
        run = self._order[row] if 0 <= row < len(self._order) else self._session.selection.run
        menu = context_menu(self.chart)
        if run in self._order:
            RunActions(self._session, run, menu)
        popup_in(self.chart, menu, position)


SHORT_CAPTIONS = (
    "Same letter: not significantly different (randomised Tukey HSD, α = 0.05)",
    "Same letter: not significantly different (Tukey HSD)",
    "Same letter: no significant difference",
)
"""Caption of the significance groups in narrow panels; the tooltip has the whole text."""


class SignificancePanel(RunIntervalPanel):
    """Chart of the mean scores of the runs; a click on a row selects its run."""

    def __init__(self, session: Session) -> None:
        super().__init__(session, "runs")
        self._significance = SignificanceModel(session, self)
        self.add_active_model(self._significance)
        self.caption = ElidingLine(token="muted")
        self.caption.setContentsMargins(2 * SPACE, 0, 2 * SPACE, 0)
        layout = QVBoxLayout(self.content)
        layout.setContentsMargins(2 * SPACE, 2 * SPACE, 0, 0)
        layout.setSpacing(SPACE)
        layout.addWidget(self.caption)
        layout.addWidget(self.chart, 1)
        self._significance.changed.connect(self._show)
        session.versions.baseline_changed.connect(self._show)
        session.benchmark_changed.connect(self._show)
        session.scores_changed.connect(self._show)
        self._show()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme; children are updated by `apply_theme`."""
        self._theme = theme
        self._show()

    def export_content(self) -> ExportContent:
        """See `Panel`; the runs in the order on screen."""
        benchmark, found = self._session.benchmark, self._significance.groups
        if benchmark is None or found is None:
            return ExportContent()
        runs = tuple(benchmark.runs[run].name for run in self._order)
        request = SignificanceRequest(runs=runs, measure=found.measure.key)
        figure = SignificanceRequest(measure=found.measure.key)
        return ExportContent(figure, request, names=(found.measure.key,))

    def height_hint(self) -> tuple[int, int]:
        """See `Panel`; caption and axis with six runs, and with all runs."""
        benchmark, line = self._session.benchmark, self.fontMetrics().height()
        runs = 0 if benchmark is None else len(benchmark.runs)
        return 14 * line, (5 + 3 * max(runs, 6) // 2) * line

    @Slot()
    def _show(self) -> None:
        benchmark, result = self._session.benchmark, self._significance.groups
        if benchmark is None or result is None:
            self.show_empty(*missing_scores_reason(self._session, waiting="Testing significance…"))
            return
        names = {run.name: index for index, run in enumerate(benchmark.runs)}
        styles = dict(zip(names, self._session.run_styles.styles(self._theme.name), strict=True))
        key, versions = result.measure.key, self._session.versions
        known = {name: versions.difference(name, key, None) for name in result.runs}
        differences = {name: found for name, found in known.items() if found is not None}
        shown = significance_content("", result, styles, differences)
        text = (
            "Same letter: not significantly different (randomised Tukey HSD, α = 0.05). "
            f"p: same test, compared with {result.baseline}."
        )
        self.caption.setText(text, *SHORT_CAPTIONS)
        set_tooltip(self.caption, text)
        self.show_runs([names[row.name] for row in shown.rows], shown.rows, shown.x_label)


VALUES = (("recall", "Recall"), ("generality", "Generality"), ("class_size", "Class size"))
"""Attributes of `PracticalRun` that can be shown, with their labels."""

SAVE_PAIRS = "Save pairs to judge…"
"""Text of the button that writes the pairs that are not judged."""

SAMPLE_STEP = 100
"""Step of the sample size with the mouse wheel and the arrow keys."""

WITH_ESTIMATES = (
    "Dot and line: estimate with exact {confidence:.0f} % confidence interval, if the sample was drawn at random from "
    "all pairs. Bounds: whatever the relevance of the other models is.",
    "Dot and line: estimate with exact {confidence:.0f} % confidence interval",
    "Estimate, exact {confidence:.0f} % interval",
    "",
)
WITHOUT_ESTIMATES = (
    "Line: bounds, whatever the relevance of the models outside the judged ranks is. Estimates require a random "
    "sample.",
    "Line: bounds. Estimates require a random sample.",
    "Line: bounds",
    "",
)
"""What the chart shows, the longest form first."""


class PracticalPanel(RunIntervalPanel):
    """Chart of the estimates of the runs, with their bounds; scope and sample size can be changed."""

    def __init__(self, session: Session) -> None:
        super().__init__(session, "runs")
        self.model = PracticalModel(session, self)
        self.add_active_model(self.model)
        self.value = SegmentedButtons(VALUES)
        self.scope, self.sample_size = QSpinBox(), QSpinBox()
        self.judged, self.assumption = ElidingLine(token="muted"), ElidingLine(token="muted")
        self.save = QPushButton(SAVE_PAIRS)
        self._build()
        self.save.clicked.connect(self._save_pairs)
        self.empty.action_requested.connect(self._save_pairs)
        self.value.selected.connect(self._show)
        self.scope.valueChanged.connect(self.model.set_scope)
        self.sample_size.valueChanged.connect(self.model.set_sample_size)
        self.model.changed.connect(self._show)
        session.benchmark_changed.connect(self._show)
        session.scores_changed.connect(self._show)
        self._show()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme; children are updated by `apply_theme`."""
        self._theme = theme
        self._show()

    def height_hint(self) -> tuple[int, int]:
        """See `Panel`; fields and axis with four runs, and with all runs."""
        benchmark, line = self._session.benchmark, self.fontMetrics().height()
        runs = 0 if benchmark is None else len(benchmark.runs)
        return 14 * line, (8 + 3 * max(runs, 4) // 2) * line

    def export_content(self) -> ExportContent:
        """See `Panel`; the runs in the order on screen."""
        found = self.model.found
        if self._session.benchmark is None or found is None:
            return ExportContent()
        runs = tuple(found.runs[run].name for run in self._order)
        request = PracticalRequest(runs=runs, judged=self.model.scope, sample=self.model.sample_size)
        figure = PracticalRequest(
            runs=runs,
            value=self.value.current,
            judged=self.model.scope,
            sample=self.model.sample_size,
        )
        return ExportContent(figure, request, names=(self.value.current, f"scope {found.scope}"))

    def view_state(self) -> dict[str, Any]:
        """See `Panel`."""
        return {"value": self.value.current, "scope": self.model.scope, "sample": self.model.sample_size}

    def restore_view_state(self, state: Mapping[str, Any]) -> None:
        """See `Panel`; unknown values are ignored."""
        if (value := state.get("value")) in [key for key, _ in VALUES]:
            self.value.set_current(value)
        for name, box in (("scope", self.scope), ("sample", self.sample_size)):
            if isinstance(number := state.get(name), int):
                box.setValue(number)
        self._show()

    def _build(self) -> None:
        self.scope.setAccessibleName("Scope")
        set_tooltip(self.scope, "Number of first ranks of each list that were judged, at most")
        self.scope.setRange(1, 9_999)
        self.sample_size.setAccessibleName("Random sample")
        set_tooltip(self.sample_size, "Number of random pairs of a query and a model that were judged, at most")
        self.sample_size.setRange(0, 999_999)
        self.sample_size.setSingleStep(SAMPLE_STEP)
        header = WrappingRow([self.value, self.judged], [self.save])
        self.save.hide()  # its width before the first result would be taken from the panels next to this one
        numbers: list[QWidget] = []
        for text, box, number in (
            ("Scope", self.scope, self.model.scope),
            ("Random sample", self.sample_size, self.model.sample_size),
        ):
            box.setValue(number)
            box.setKeyboardTracking(False)  # computes when a number is complete, not for each digit
            box.setGroupSeparatorShown(True)
            box.setButtonSymbols(QSpinBox.ButtonSymbols.NoButtons)  # mouse wheel and arrow keys change it
            label = PlainLabel(text)
            label.setBuddy(box)
            numbers += [label, box]
        set_tooltip(self.save, "Save the pairs that are not judged, as a text file for their relevance levels")
        self.set_body(
            header, WrappingRow(numbers[:2], [*numbers[2:], self.assumption], top=0), self.chart, stretch=self.chart
        )

    @Slot()
    def _show(self, *_: object) -> None:
        benchmark, found = self._session.benchmark, self.model.found
        if benchmark is not None and benchmark.assessment is None:
            has_lists = bool(benchmark.runs) and len(benchmark.queries) > 0
            text = "The benchmark has no relevance assessment: no model was judged."
            self.show_empty("No bounds", text, SAVE_PAIRS if has_lists else "")
            return
        if benchmark is None or found is None or not found.runs:
            self.show_empty(*missing_scores_reason(self._session, waiting="Estimating…"))
            return
        key, styles = self.value.current, self._session.run_styles.styles(self._theme.name)
        order = practical_order(found)
        rows = [practical_row(found.runs[row], key, found.is_complete, styles[row]) for row in order]
        self.judged.setText(
            _judged_text(found), f"{count_text(found.scope, 'rank')}, {count_text(found.sampled, 'pair')}", ""
        )
        set_tooltip(self.judged, _judged_text(found))
        texts = [
            text.format(confidence=100 * found.confidence)
            for text in (WITH_ESTIMATES if found.sampled else WITHOUT_ESTIMATES)
        ]
        self.assumption.setText(*texts)
        set_tooltip(self.assumption, texts[0])
        self.save.setVisible(not found.is_complete)
        self.show_runs(order, rows, practical_label(found, key))

    @Slot()
    def _save_pairs(self) -> None:
        start = Path.home() / "pairs.txt"
        path, _ = choose_save_path(self, SAVE_PAIRS.rstrip("…"), EXPORT, start, "Text (*.txt)", ".txt")
        if path is not None:
            self.model.save_pairs(path)


def _judged_text(found: PracticalResult) -> str:
    """What was judged: ``"Judged: up to 32 ranks of each list, 200 pairs"``."""
    ranks, pairs = count_text(found.scope, "rank"), count_text(found.sampled, "pair")
    if found.is_complete:
        return f"Used of the complete assessment: {ranks} of each list, {pairs}"
    text = f"Judged: up to {ranks} of each list, {pairs}"
    return text if found.sampled else f"{text}: no estimates"
