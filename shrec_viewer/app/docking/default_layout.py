"""Default dock positions and sizes, and resizing with the window."""

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Slot
from PySide6.QtGui import QGuiApplication, QMouseEvent
from PySide6.QtWidgets import QDockWidget, QMainWindow, QTabBar

from shrec_viewer.app.docking.panel_store import PANELS_BY_KEY, PanelStore
from shrec_viewer.panels.scores.leaderboard import LeaderboardPanel

AREAS = {
    "left": Qt.DockWidgetArea.LeftDockWidgetArea,
    "right": Qt.DockWidgetArea.RightDockWidgetArea,
    "bottom": Qt.DockWidgetArea.BottomDockWidgetArea,
}
"""Where docks of each area stand."""

MAX_STACKED = {"left": 1, "right": 2, "bottom": 1}
"""Docks of an area that stand above each other; further ones stand behind the last of them, as tabs."""

LEFT_WIDTH = 260
"""Pixels for the queries: picture, id, class and score bar without a cut."""

RIGHT_SHARE, RIGHT_WIDTHS = 0.26, (320, 560)
"""Of the width, and its limits: below 320 pixels the fields of a graph are cut, above 560 the pictures starve. At 1280
pixels the share leaves room for four cards of medium size in a row."""

BOTTOM_SHARE = 0.32
"""Of the height, so that two thirds are left to the pictures."""

CAMPAIGN_SHARES = (0.42, 0.56)
"""Of the height in the campaign's view, and its limits: no pictures are there, and the confusion of classes needs all
that the map of runs leaves."""

HEAT_MAP_ROW_HEIGHT, HEAT_MAP_OTHER_HEIGHT = 34, 110
"""Pixels of a run in the map, enough to be read from afar, and of what stands above and below the runs."""

BOTTOM_ROWS = (4, 8)
"""Runs in sight: as many as there are within these bounds, the upper one as far as `BOTTOM_SHARE` allows. Fewer than
four rows are no table, and findings stand in the same place."""

TABS_HEIGHT = 32
"""Pixels of the tabs above the table, with the line below them."""

MIN_VISIBLE = 48
"""Pixels of a floating dock's head that must lie on a screen, so that it can be taken by the mouse."""

ResizeRequest = tuple[list[QDockWidget], list[int], Qt.Orientation]


def place_dock(window: QMainWindow, key: str) -> None:
    """Put a dock into its area, above or behind those that stand there already."""
    area = PANELS_BY_KEY[key].area
    dock = _dock(window, key)
    window.addDockWidget(AREAS[area], dock)
    present = [other for other in _docks_in_area(window, area) if other is not dock]
    if not present:
        return
    if len(present) < MAX_STACKED[area]:
        window.splitDockWidget(present[-1], dock, Qt.Orientation.Vertical)
    else:
        window.tabifyDockWidget(present[-1], dock)


def move_onto_screen(dock: QDockWidget) -> None:
    """Move a floating dock whose head lies on no screen onto the nearest one."""
    if not dock.isFloating() or dock.isHidden():
        return
    frame = dock.frameGeometry()
    for screen in QGuiApplication.screens():
        seen = screen.availableGeometry().intersected(frame.adjusted(0, 0, 0, MIN_VISIBLE - frame.height()))
        if seen.width() >= MIN_VISIBLE and seen.height() >= MIN_VISIBLE // 2:
            return
    room = (dock.screen() or QGuiApplication.primaryScreen()).availableGeometry()
    dock.resize(dock.size().boundedTo(room.size()))
    left = min(max(frame.left(), room.left()), room.right() - dock.width())
    top = min(max(frame.top(), room.top()), room.bottom() - dock.height())
    dock.move(max(left, room.left()), max(top, room.top()))


def default_sizes(window: QMainWindow, store: PanelStore) -> list[ResizeRequest]:
    """What to ask `QMainWindow.resizeDocks` for: docks, pixels, direction."""
    requests: list[ResizeRequest] = []
    is_campaign = window.objectName().startswith("campaign")
    right = min(max(round(window.width() * RIGHT_SHARE), RIGHT_WIDTHS[0]), RIGHT_WIDTHS[1])
    for area, width in (("left", LEFT_WIDTH), ("right", right)):
        if docks := _docks_in_area(window, area):
            requests.append(([docks[0]], [width], Qt.Orientation.Horizontal))
    if docks := _docks_in_area(window, "bottom"):
        requests.append(
            (
                [docks[0]],
                [_campaign_height(window, store) if is_campaign else _bottom_height(window, store)],
                Qt.Orientation.Vertical,
            )
        )
    columns = _docks_in_area(window, "right")[: MAX_STACKED["right"]]
    if len(columns) > 1:
        requests.append((columns, [100] * len(columns), Qt.Orientation.Vertical))
    return requests


def _docks_in_area(window: QMainWindow, area: str) -> list[QDockWidget]:
    """Docks whose area this is and that stand in it, in the order of the table."""
    docks = [_dock(window, key) for key, row in PANELS_BY_KEY.items() if row.area == area]
    return [d for d in docks if not d.isFloating() and not d.isHidden() and window.dockWidgetArea(d) == AREAS[area]]


def _campaign_height(window: QMainWindow, store: PanelStore) -> int:
    """What the map of the runs does not need."""
    least, most = (round(window.height() * share) for share in CAMPAIGN_SHARES)
    return min(max(window.height() - HEAT_MAP_OTHER_HEIGHT - store.run_count * HEAT_MAP_ROW_HEIGHT, least), most)


def _bottom_height(window: QMainWindow, store: PanelStore) -> int:
    table = store.peek("leaderboard")
    share = round(window.height() * BOTTOM_SHARE)
    if not isinstance(table, LeaderboardPanel):
        return share
    least, most = BOTTOM_ROWS
    wanted, needed = (table.height_of(rows) + TABS_HEIGHT for rows in (min(max(store.run_count, least), most), least))
    return max(min(wanted, share), needed)


def _dock(window: QMainWindow, key: str) -> QDockWidget:
    dock = window.findChild(QDockWidget, key)
    assert dock is not None
    return dock


RESIZE_DELAY_MS = 120
"""Milliseconds after the last change of a window that is being dragged larger: all docks are laid out once then."""

SIZE_TOLERANCE = 4
"""Pixels that a dock restored may differ from what the house would give it, by what rounding leaves."""


class DefaultSizes(QObject):
    """Gives docks the sizes of the house, again whenever the window has another size.

    Parameters
    ----------
    window : an `Arrangement`.
    """

    def __init__(self, window: QMainWindow, store: PanelStore) -> None:
        super().__init__(window)
        self._window = window
        self._store = store
        self._hold: bool | None = None  # nobody knows yet
        self._is_pressed = False
        self._pause = QTimer(self, singleShot=True)
        self._pause.timeout.connect(self._follow)
        window.installEventFilter(self)

    @property
    def hold(self) -> bool:
        """Whether docks have the sizes of the house, and shall have them in a window of another size."""
        return bool(self._hold)

    def give(self) -> None:
        """Give the sizes of the house; from now on they follow the window."""
        self._hold = True
        for docks, pixels, direction in default_sizes(self._window, self._store):
            self._window.resizeDocks(docks, pixels, direction)

    def recognise(self) -> None:
        """Look once whether docks that were put back where they had been left have the sizes of the house."""
        if self._hold is None:
            self._hold = all(self._has_default_size(wish) for wish in default_sizes(self._window, self._store))

    def stop(self) -> None:
        """Follow no more: the window is going to be deleted."""
        self._pause.stop()
        self._window.removeEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt override; what lies between docks is the window's own."""
        kind = event.type()
        if kind == QEvent.Type.Resize and self._hold:
            self._pause.start(RESIZE_DELAY_MS if self._window.isVisible() else 0)
        elif kind == QEvent.Type.MouseButtonPress and isinstance(event, QMouseEvent):
            self._is_pressed = self._window.isSeparator(event.position().toPoint())
        elif kind == QEvent.Type.MouseMove and self._is_pressed:
            self._hold = False
        elif kind == QEvent.Type.MouseButtonRelease:
            self._is_pressed = False
        return super().eventFilter(watched, event)

    @Slot()
    def _follow(self) -> None:
        if not (self._hold and self._window.isVisible()):
            return
        if self._window.updatesEnabled():
            self.give()
        else:  # its panels are on their way
            self._pause.start(RESIZE_DELAY_MS)

    def _has_default_size(self, wish: ResizeRequest) -> bool:
        docks, pixels, direction = wish
        if direction == Qt.Orientation.Horizontal:
            found = [dock.width() for dock in docks]
        else:
            found = [self._height(dock) for dock in docks]
        if len(docks) > 1:  # they share what there is
            return max(found) - min(found) <= SIZE_TOLERANCE
        return abs(found[0] - pixels[0]) <= SIZE_TOLERANCE

    def _height(self, dock: QDockWidget) -> int:
        """Pixels of a dock with its tabs."""
        if not self._window.tabifiedDockWidgets(dock):
            return dock.height()
        bars = self._window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)
        return dock.height() + next((bar.height() for bar in bars if bar.isVisible()), 0)
