"""Base class of panels with a chart of the runs and an interval for each."""

from collections.abc import Sequence

from PySide6.QtCore import QPoint, Qt, Slot

from shrec_viewer.panels.context_menus import RunActions, context_menu, popup_in
from shrec_viewer.panels.panel import BasePanel
from shrec_viewer.viewmodels.session.selection import Selection
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.widgets.plots.interval_chart import IntervalChart, IntervalRow


class RunIntervalPanel(BasePanel):
    """Chart with a row per run; a click selects the run, a right click opens its menu."""

    def __init__(self, session: Session, icon: str) -> None:
        super().__init__(icon)
        self._session = session
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
        if run in self._order:
            menu = context_menu(self.chart)
            RunActions(self._session, run, menu)
            popup_in(self.chart, menu, position)
