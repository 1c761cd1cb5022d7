"""How the runs stand on the measure looked at, and which of them cannot be told apart."""

import numpy as np
from PySide6.QtCore import QPoint, Qt, Slot
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QMenu, QVBoxLayout

from shrec_viewer.evaluation.standings import Standings
from shrec_viewer.numerals import chance, listed, span
from shrec_viewer.panels.pane import Pane
from shrec_viewer.panels.reasons import why_no_numbers
from shrec_viewer.panels.run_actions import RunActions
from shrec_viewer.render.palette import RunStyle
from shrec_viewer.viewmodels.run_standings import RunStandings
from shrec_viewer.viewmodels.selection import Selection
from shrec_viewer.viewmodels.series import series_of
from shrec_viewer.viewmodels.session import Session
from shrec_viewer.widgets.interval_chart import IntervalChart, IntervalRow
from shrec_viewer.widgets.theme import SPACE, Theme, current_theme
from shrec_viewer.widgets.words_line import WordsLine


class StandingsPanel(Pane):
    """Intervals tied to the session: picking a row selects its run."""

    def __init__(self, session: Session) -> None:
        super().__init__("runs")
        self._session = session
        self._theme = current_theme()
        self._found = RunStandings(session, self)
        self._order: tuple[int, ...] = ()
        self.caption = WordsLine(token="muted")
        self.chart = IntervalChart()
        self.caption.setContentsMargins(2 * SPACE, 0, 2 * SPACE, 0)
        layout = QVBoxLayout(self.content)
        layout.setContentsMargins(2 * SPACE, 2 * SPACE, 0, 0)
        layout.setSpacing(SPACE)
        layout.addWidget(self.caption)
        layout.addWidget(self.chart, 1)
        self.chart.row_picked.connect(self._pick)
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
        self._found.set_wanted(True)

    def hideEvent(self, event: QHideEvent) -> None:
        """Qt override."""
        super().hideEvent(event)
        self._found.set_wanted(False)

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme; children are told by `apply_theme`."""
        self._theme = theme
        self._show()

    @Slot()
    def _show(self) -> None:
        benchmark, found = self._session.benchmark, self._found.standings
        if benchmark is None or found is None:
            self.show_empty(*why_no_numbers(self._session, waiting=self.tr("Testing the runs…")))
            return
        places = {run.name: place for place, run in enumerate(benchmark.runs)}
        means = np.array([interval.mean for interval in found.means])
        keys = means if found.measure.better == "lower" else -means
        order = [int(row) for row in np.argsort(np.where(np.isnan(keys), np.inf, keys), kind="stable")]
        looks = series_of(benchmark.runs, self._theme.name, self._session.edits.colours)
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

    def _row(self, found: Standings, row: int, look: RunStyle) -> IntervalRow:
        interval, letters, name = found.means[row], found.groups.letters[row], found.runs[row]
        base = found.runs.index(found.baseline)
        p = float("nan") if row == base else float(found.pairs.p[row, base])  # as the letters, so that they agree
        note = chance(p)
        group = f"; groups {', '.join(letters)}" if letters else ""
        words = (
            f"{name}\n{found.measure.key} {listed(interval.mean)}, interval {span(interval.low, interval.high)}{group}"
        )
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
