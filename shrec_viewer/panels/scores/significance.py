"""Panel with mean scores, confidence intervals and significance groups of the runs."""

import numpy as np
from PySide6.QtCore import QPoint, Qt, Slot
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QMenu, QVBoxLayout

from shrec_viewer.evaluation.significance import RunSignificance
from shrec_viewer.number_format import format_interval, format_p_value, format_value
from shrec_viewer.panels.panel.actions import RunActions
from shrec_viewer.panels.panel.panel_widget import BasePanel, missing_scores_reason
from shrec_viewer.render.scene.palette import RunStyle
from shrec_viewer.viewmodels.plots.run_styles import run_styles
from shrec_viewer.viewmodels.scores.significance import SignificanceModel
from shrec_viewer.viewmodels.session.selection import Selection
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.widgets.controls.eliding import ElidingLine
from shrec_viewer.widgets.plots.interval_chart import IntervalChart, IntervalRow
from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme


class SignificancePanel(BasePanel):
    """Intervals tied to the session: picking a row selects its run."""

    def __init__(self, session: Session) -> None:
        super().__init__("runs")
        self._session = session
        self._theme = current_theme()
        self._found = SignificanceModel(session, self)
        self._order: tuple[int, ...] = ()
        self.caption = ElidingLine(token="muted")
        self.chart = IntervalChart()
        self.caption.setContentsMargins(2 * SPACE, 0, 2 * SPACE, 0)
        layout = QVBoxLayout(self.content)
        layout.setContentsMargins(2 * SPACE, 2 * SPACE, 0, 0)
        layout.setSpacing(SPACE)
        layout.addWidget(self.caption)
        layout.addWidget(self.chart, 1)
        self.chart.row_selected.connect(self._pick)
        self.chart.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.chart.customContextMenuRequested.connect(self._offer)
        self._found.changed.connect(self._show)
        session.benchmark_changed.connect(self._show)
        session.scores_changed.connect(self._show)
        session.selection_changed.connect(self._show_selection)
        self._show()

    def showEvent(self, event: QShowEvent) -> None:
        """Qt override; the tests are run only while somebody looks."""
        super().showEvent(event)
        self._found.set_active(True)

    def hideEvent(self, event: QHideEvent) -> None:
        """Qt override."""
        super().hideEvent(event)
        self._found.set_active(False)

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme; children are told by `apply_theme`."""
        self._theme = theme
        self._show()

    @Slot()
    def _show(self) -> None:
        benchmark, found = self._session.benchmark, self._found.groups
        if benchmark is None or found is None:
            self.show_empty(*missing_scores_reason(self._session, waiting="Testing the runs…"))
            return
        places = {run.name: place for place, run in enumerate(benchmark.runs)}
        means = np.array([interval.mean for interval in found.means])
        keys = means if found.measure.better == "lower" else -means
        order = [int(row) for row in np.argsort(np.where(np.isnan(keys), np.inf, keys), kind="stable")]
        looks = run_styles(benchmark.runs, self._theme.name, self._session.edits.colours)
        self._order = tuple(places[found.runs[row]] for row in order)
        rows = [self._row(found, row, looks[places[found.runs[row]]]) for row in order]
        confidence = f"{found.means[0].confidence:.0%}" if found.means else ""
        self.chart.set_rows(rows, f"Mean {found.measure.key} with its {confidence} interval")
        words = (
            "Runs that share a letter cannot be told apart (randomised Tukey test over all pairs, 5%); "
            f"p: of the same test, against {found.baseline}."
        )
        self.caption.setText(words)
        self.caption.setToolTip(words)
        self._show_current()
        self.show_content()

    def _row(self, found: RunSignificance, row: int, look: RunStyle) -> IntervalRow:
        interval, letters, name = found.means[row], found.groups.letters[row], found.runs[row]
        base = found.runs.index(found.baseline)
        p = float("nan") if row == base else float(found.pairs.p[row, base])  # as the letters, so that they agree
        note = format_p_value(p)
        group = f"; groups {', '.join(letters)}" if letters else ""
        words = f"{name}\n{found.measure.key} {format_value(interval.mean)}, interval {format_interval(interval.low, interval.high)}{group}"
        words += f"; {note} against {found.baseline}" if note else ""
        return IntervalRow(
            name, look.colour, look.dash, interval.mean, interval.low, interval.high, letters, note, words
        )

    @Slot(object, object)
    def _show_selection(self, old: Selection, new: Selection) -> None:
        if old.run != new.run:
            self._show_current()

    def _show_current(self) -> None:
        run = self._session.selection.run
        self.chart.set_current(self._order.index(run) if run in self._order else -1)

    @Slot(int)
    def _pick(self, row: int) -> None:
        self._session.select(run=self._order[row])

    @Slot(QPoint)
    def _offer(self, at: QPoint) -> None:
        """What can be done with the run under the mouse; by the menu key with the selected one."""
        row = self.chart.row_at(at)
        run = self._order[row] if 0 <= row < len(self._order) else self._session.selection.run
        if run in self._order:
            menu = QMenu(self.chart)
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            RunActions(self._session, run, menu)
            menu.popup(self.chart.viewport().mapToGlobal(at))
