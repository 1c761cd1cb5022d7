"""Panel with mean scores, confidence intervals and significance groups of the runs."""

import numpy as np
from PySide6.QtCore import Slot
from PySide6.QtWidgets import QVBoxLayout

from shrec_viewer.evaluation.significance import RunSignificance
from shrec_viewer.number_format import format_interval, format_p_value, format_value
from shrec_viewer.panels.panel import missing_scores_reason
from shrec_viewer.panels.scores.run_intervals import RunIntervalPanel
from shrec_viewer.render.scene.palette import RunStyle
from shrec_viewer.viewmodels.scores.significance import SignificanceModel
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.widgets.controls.controls import ElidingLine
from shrec_viewer.widgets.plots.interval_chart import IntervalRow
from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme
from shrec_viewer.widgets.style.tooltips import set_tooltip


class SignificancePanel(RunIntervalPanel):
    """Chart of the mean scores of the runs; a click on a row selects its run."""

    def __init__(self, session: Session) -> None:
        super().__init__(session, "runs")
        self._theme = current_theme()
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
        session.benchmark_changed.connect(self._show)
        session.scores_changed.connect(self._show)
        self._show()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme; children are updated by `apply_theme`."""
        self._theme = theme
        self._show()

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
        run_index = {run.name: index for index, run in enumerate(benchmark.runs)}
        means = np.array([interval.mean for interval in result.means])
        keys = means if result.measure.better == "lower" else -means
        order = [int(row) for row in np.argsort(np.where(np.isnan(keys), np.inf, keys), kind="stable")]
        styles = self._session.run_styles.styles(self._theme.name)
        rows = [self._row(result, row, styles[run_index[result.runs[row]]]) for row in order]
        confidence = f"{100 * result.means[0].confidence:.0f} %" if result.means else ""
        runs = [run_index[result.runs[row]] for row in order]
        text = (
            "Same letter: not significantly different (randomised Tukey HSD, α = 0.05). "
            f"p: same test, compared with {result.baseline}."
        )
        self.caption.setText(text)
        set_tooltip(self.caption, text)
        self.show_runs(runs, rows, f"Mean {result.measure.key}, {confidence} confidence interval")

    def _row(self, result: RunSignificance, row: int, style: RunStyle) -> IntervalRow:
        interval, letters, name = result.means[row], result.groups.letters[row], result.runs[row]
        base = result.runs.index(result.baseline)
        # The p value of the test that assigns the letters; a test of this pair alone could contradict them.
        p = float("nan") if row == base else float(result.pairs.p[row, base])
        p_text = format_p_value(p)
        limits = format_interval(interval.low, interval.high)
        tip = f"{name}\n{result.measure.key} {format_value(interval.mean)}, confidence interval {limits}"
        if letters:
            tip += f"; groups {', '.join(letters)}"
        if p_text:
            tip += f"; {p_text} compared with {result.baseline}"
        return IntervalRow(name, *style, interval.mean, interval.low, interval.high, letters, p_text, tip)
