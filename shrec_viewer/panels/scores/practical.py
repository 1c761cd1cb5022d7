"""Panel with bounds and estimates of the runs where only a part of the models was judged."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QPushButton, QSpinBox

from shrec_viewer.evaluation.practical import PartlyKnownValue, PracticalResult, PracticalRun
from shrec_viewer.number_format import format_interval, format_value
from shrec_viewer.panels.panel import missing_scores_reason, row_layout
from shrec_viewer.panels.scores.run_intervals import RunIntervalPanel
from shrec_viewer.render.scene.palette import RunStyle
from shrec_viewer.viewmodels.scores.practical import PracticalModel
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.widgets.controls.controls import ElidingLine, SegmentedButtons
from shrec_viewer.widgets.controls.file_dialogs import EXPORT, choose_save_path
from shrec_viewer.widgets.controls.plain_text import PlainLabel
from shrec_viewer.widgets.plots.interval_chart import IntervalRow
from shrec_viewer.widgets.style.theme import Theme, current_theme
from shrec_viewer.widgets.style.tooltips import set_tooltip

VALUES = (("recall", "Recall"), ("generality", "Generality"), ("class_size", "Class size"))
"""Attributes of `PracticalRun` that can be shown, with their labels."""

SCALE_NAMES = {
    "recall": "Estimated recall within the first {scope} ranks, over all relevant pairs of a query and a model",
    "generality": "Estimated generality: share of relevant pairs of a query and a model",
    "class_size": "Estimated class size: mean number of relevant models per query",
}
"""Labels of the scale."""

SAVE_PAIRS = "Save pairs to judge…"
"""Text of the button that writes the pairs that are not judged."""

SAMPLE_STEP = 100
"""Step of the sample size with the mouse wheel and the arrow keys."""

WITH_ESTIMATES = (
    "Dot and line: estimate with exact {confidence:.0f} % confidence interval, if the sample was drawn at random from "
    "all pairs. Bounds: whatever the relevance of the other models is."
)
WITHOUT_ESTIMATES = (
    "Line: bounds, whatever the relevance of the models outside the judged ranks is. Estimates require a random sample."
)


class PracticalPanel(RunIntervalPanel):
    """Chart of the estimates of the runs, with their bounds; scope and sample size can be changed."""

    def __init__(self, session: Session) -> None:
        super().__init__(session, "runs")
        self._theme = current_theme()
        self.model = PracticalModel(session, self)
        self.add_active_model(self.model)
        self.value = SegmentedButtons(VALUES)
        self.scope, self.sample_size = QSpinBox(), QSpinBox()
        self.judged, self.assumption = ElidingLine(token="muted"), PlainLabel()
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
        header, numbers, below = row_layout(), row_layout(top=0), row_layout(top=0)
        header.addWidget(self.value)
        header.addWidget(self.judged, 1)
        header.addWidget(self.save)
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
            numbers.addWidget(label)
            numbers.addWidget(box)
        set_tooltip(self.save, "Save the pairs that are not judged, as a text file for their relevance levels")
        numbers.addStretch(1)
        self.assumption.setWordWrap(True)
        self.assumption.setProperty("muted", True)
        below.addWidget(self.assumption, 1)
        self.set_body(header, numbers, below, self.chart, stretch=self.chart)

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
        order = sorted(range(len(found.runs)), key=lambda row: _sort_key(found.runs[row]))
        rows = [_row(found.runs[row], key, found.is_complete, styles[row]) for row in order]
        self.judged.setText(_judged_text(found))
        set_tooltip(self.judged, _judged_text(found))
        text = WITH_ESTIMATES if found.sampled else WITHOUT_ESTIMATES
        self.assumption.setText(text.format(confidence=100 * found.confidence))
        self.save.setVisible(not found.is_complete)
        self.show_runs(order, rows, SCALE_NAMES[key].format(scope=found.scope))

    @Slot()
    def _save_pairs(self) -> None:
        start = Path.home() / "pairs.txt"
        path, _ = choose_save_path(self, SAVE_PAIRS.rstrip("…"), EXPORT, start, "Text (*.txt)", ".txt")
        if path is not None:
            self.model.save_pairs(path)


def _sort_key(run: PracticalRun) -> float:
    """Best recall first: by its estimate, or by its lower bound; undefined ones last."""
    recall = run.recall.estimate if run.recall.estimate == run.recall.estimate else run.recall.bounds.low
    return -recall if recall == recall else 1.0


def _judged_text(found: PracticalResult) -> str:
    """What was judged: ``"Judged: up to 32 ranks of each list, 200 pairs"``."""
    if found.is_complete:
        return f"Used of the complete assessment: {found.scope:,} ranks of each list, {found.sampled:,} pairs"
    text = f"Judged: up to {found.scope:,} ranks of each list, {found.sampled:,} pairs"
    return text if found.sampled else f"{text}: no estimates"


def _row(run: PracticalRun, key: str, is_complete: bool, style: RunStyle) -> IntervalRow:
    value: PartlyKnownValue = getattr(run, key)
    has_estimate = value.estimate == value.estimate
    low, high = (value.interval.low, value.interval.high) if has_estimate else (value.bounds.low, value.bounds.high)
    bounds = f"bounds {format_interval(value.bounds.low, value.bounds.high)}"
    note = f"actual {format_value(value.actual)}, {bounds}" if is_complete else bounds
    interval = f", confidence interval {format_interval(low, high)}" if has_estimate else ""
    lines = (
        run.name,
        f"Estimate {format_value(value.estimate)}{interval}; {note}",
        f"Precision {format_value(run.precision)}: {run.found:,} of {run.judged:,} judged ranks are relevant",
        f"Random pairs outside the scope: {run.sampled:,}, of which {run.sampled_relevant:,} are relevant",
    )
    return IntervalRow(run.name, *style, value.estimate, low, high, "", note, "\n".join(lines))
