"""The views of an open benchmark: the ranked list in the middle, docks around it."""

from PySide6.QtCore import QByteArray, Qt, QTimer, Slot
from PySide6.QtGui import QAction, QShowEvent
from PySide6.QtWidgets import QDockWidget, QMainWindow, QTabWidget, QWidget

from shrec_viewer.app.dock_title import DockTitle
from shrec_viewer.app.settings import LAYOUT_VERSION
from shrec_viewer.panels import PANELS, Panel
from shrec_viewer.panels.leaderboard import LeaderboardPanel
from shrec_viewer.panels.queries import QueriesPanel
from shrec_viewer.panels.results import ResultsPanel
from shrec_viewer.viewmodels.session import Session
from shrec_viewer.viewmodels.steps import step_rank, step_run

AREAS = {
    "left": Qt.DockWidgetArea.LeftDockWidgetArea,
    "right": Qt.DockWidgetArea.RightDockWidgetArea,
    "bottom": Qt.DockWidgetArea.BottomDockWidgetArea,
}
"""Where docks of each area stand."""

LEFT_WIDTH = 260
"""Pixels for the queries: picture, id, class and score bar without a cut."""

RIGHT_SHARE, RIGHT_WIDTHS = 0.26, (320, 560)
"""Of the width, and its limits: below 320 pixels the fields of a graph are cut, above 560 the pictures starve. At 1280
pixels the share leaves room for four cards of medium size in a row."""

BOTTOM_SHARE = 0.32
"""Of the height, so that two thirds are left to the pictures."""

BOTTOM_ROWS = (4, 8)
"""Runs in sight: as many as there are within these bounds, the upper one as far as `BOTTOM_SHARE` allows. Fewer than
four rows are no table, and findings stand in the same place."""

TABS = 32
"""Pixels of the tabs above the table, with the line below them."""


class Workspace(QMainWindow):
    """A window within the window, so that the welcome page can take its place without touching the docks."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Widget)
        self._session = session
        self._panels: dict[str, QWidget] = {}
        self._docks: dict[str, QDockWidget] = {}
        self._titles: dict[str, DockTitle] = {}
        self._left = QByteArray()
        self._is_shown = self._is_arranged = False
        self.setObjectName("workspace")
        self.setDockNestingEnabled(True)
        self.setTabPosition(Qt.DockWidgetArea.BottomDockWidgetArea, QTabWidget.TabPosition.North)
        self.setCorner(Qt.Corner.BottomLeftCorner, Qt.DockWidgetArea.LeftDockWidgetArea)
        self.setCorner(Qt.Corner.BottomRightCorner, Qt.DockWidgetArea.BottomDockWidgetArea)
        for panel in PANELS:
            if "query" in panel.perspectives:
                self._add(panel)

    @property
    def queries(self) -> QueriesPanel:
        """The panel at the left."""
        panel = self._panels["queries"]
        assert isinstance(panel, QueriesPanel)
        return panel

    @property
    def results(self) -> ResultsPanel:
        """The panel in the middle."""
        panel = self._panels["results"]
        assert isinstance(panel, ResultsPanel)
        return panel

    def panel(self, key: str) -> QWidget:
        """The widget of a row of `PANELS`."""
        return self._panels[key]

    def dock(self, key: str) -> QDockWidget:
        """The dock of a row of `PANELS` that has one."""
        return self._docks[key]

    def dock_actions(self) -> list[QAction]:
        """One a dock, which shows and hides it."""
        return [dock.toggleViewAction() for dock in self._docks.values()]

    def raise_dock(self, key: str) -> None:
        """Bring a dock into sight."""
        self._docks[key].show()
        self._docks[key].raise_()

    def find_query(self) -> None:
        """Put the cursor where queries are looked for."""
        self.raise_dock("queries")
        self.queries.focus_filter()

    def step_query(self, by: int) -> None:
        """Select the next query in the order shown."""
        self.queries.step(by)

    def step_run(self, by: int) -> None:
        """Select the next run."""
        step_run(self._session, by)

    def step_rank(self, by: int, *, relevant: bool) -> None:
        """Select the next relevant model of the list, or the next that is not."""
        step_rank(self._session, by, relevant=relevant)

    def arrange(self) -> None:
        """Put everything where it belongs: the arrangement of the house."""
        for dock in self._docks.values():
            dock.setFloating(False)
            self.removeDockWidget(dock)
        self._place()
        self._give_sizes()

    def _place(self) -> None:
        last: dict[str, QDockWidget] = {}
        for panel in PANELS:
            if panel.key not in self._docks:
                continue
            dock = self._docks[panel.key]
            self.addDockWidget(AREAS[panel.area], dock)
            if panel.area in last:
                if panel.area == "bottom":
                    self.tabifyDockWidget(last["bottom"], dock)
                else:
                    self.splitDockWidget(last[panel.area], dock, Qt.Orientation.Vertical)
            last[panel.area] = dock
            dock.show()
        self._docks["leaderboard"].raise_()

    def restore(self, layout: bytes, version: int) -> None:
        """Put everything where the person left it, as soon as it is shown; called before the first `show`, or never.

        What cannot be read, or was left by another version, is passed over: then the arrangement of the house holds.
        """
        if version == LAYOUT_VERSION:
            self._left = QByteArray(layout)

    def layout_state(self) -> bytes | None:
        """Where everything stands; None before it was shown, when docks have neither place nor size worth keeping."""
        return bytes(self.saveState(LAYOUT_VERSION).data()) if self._is_arranged else None

    def showEvent(self, event: QShowEvent) -> None:
        """Qt override; sizes can be given, and given back, only once the layout has found the window's own."""
        super().showEvent(event)
        if not self._is_shown:
            self._is_shown = True
            self.setUpdatesEnabled(False)  # nobody sees the docks where Qt puts them first
            QTimer.singleShot(0, self._settle)

    @Slot()
    def _settle(self) -> None:
        # Once only: restoring a second time would leave Qt's tab bars of the first behind on the screen.
        if self._left.isEmpty() or not self.restoreState(self._left, LAYOUT_VERSION):
            self.arrange()
            QTimer.singleShot(0, self._give_sizes)
        self._is_arranged = True
        self.setUpdatesEnabled(True)

    def _add(self, panel: Panel) -> None:
        widget = self._panels[panel.key] = panel.factory(self._session)
        widget.setObjectName(f"{panel.key}_panel")
        if panel.area == "centre":
            self.setCentralWidget(widget)
            return
        dock = QDockWidget(panel.title)
        dock.setObjectName(panel.key)
        dock.setWidget(widget)
        title = self._titles[panel.key] = DockTitle(dock)
        dock.setTitleBarWidget(title)
        dock.visibilityChanged.connect(self._show_titles)
        dock.topLevelChanged.connect(self._show_titles)
        self._docks[panel.key] = dock
        self.addDockWidget(AREAS[panel.area], dock)

    @Slot(bool)
    def _show_titles(self, _changed: bool) -> None:
        """A dock in a row of tabs has its title there already."""
        for key, dock in self._docks.items():
            self._titles[key].set_folded(bool(self.tabifiedDockWidgets(dock)) and not dock.isFloating())

    def _give_sizes(self) -> None:
        docks = self._docks
        right = min(max(round(self.width() * RIGHT_SHARE), RIGHT_WIDTHS[0]), RIGHT_WIDTHS[1])
        self.resizeDocks([docks["queries"], docks["gain"]], [LEFT_WIDTH, right], Qt.Orientation.Horizontal)
        self.resizeDocks([docks["leaderboard"]], [self._bottom_height()], Qt.Orientation.Vertical)
        self.resizeDocks([docks["precision_recall"], docks["gain"]], [100, 100], Qt.Orientation.Vertical)

    def _bottom_height(self) -> int:
        table = self._panels["leaderboard"]
        assert isinstance(table, LeaderboardPanel)
        benchmark = self._session.benchmark
        runs = 0 if benchmark is None else len(benchmark.runs)
        least, most = BOTTOM_ROWS
        wanted, needed = (table.height_of(rows) + TABS for rows in (min(max(runs, least), most), least))
        return max(min(wanted, round(self.height() * BOTTOM_SHARE)), needed)
