"""Where docks stand and how large they are until the person moves them."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDockWidget, QMainWindow

from shrec_viewer.app.panel_store import ROWS, PanelStore
from shrec_viewer.panels.leaderboard import LeaderboardPanel

AREAS = {
    "left": Qt.DockWidgetArea.LeftDockWidgetArea,
    "right": Qt.DockWidgetArea.RightDockWidgetArea,
    "bottom": Qt.DockWidgetArea.BottomDockWidgetArea,
}
"""Where docks of each area stand."""

STACKED = {"left": 1, "right": 2, "bottom": 1}
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

MAP_ROW, MAP_REST = 34, 110
"""Pixels of a run in the map, enough to be read from afar, and of what stands above and below the runs."""

BOTTOM_ROWS = (4, 8)
"""Runs in sight: as many as there are within these bounds, the upper one as far as `BOTTOM_SHARE` allows. Fewer than
four rows are no table, and findings stand in the same place."""

TABS = 32
"""Pixels of the tabs above the table, with the line below them."""

IN_SIGHT = 48
"""Pixels of a floating dock's head that must lie on a screen, so that it can be taken by the mouse."""

Wish = tuple[list[QDockWidget], list[int], Qt.Orientation]


def place(window: QMainWindow, key: str) -> None:
    """Put a dock into its area, above or behind those that stand there already."""
    area = ROWS[key].area
    dock = _dock(window, key)
    window.addDockWidget(AREAS[area], dock)
    present = [other for other in _standing(window, area) if other is not dock]
    if not present:
        return
    if len(present) < STACKED[area]:
        window.splitDockWidget(present[-1], dock, Qt.Orientation.Vertical)
    else:
        window.tabifyDockWidget(present[-1], dock)


def into_sight(dock: QDockWidget) -> None:
    """Move a floating dock whose head lies on no screen onto the nearest one."""
    if not dock.isFloating() or dock.isHidden():
        return
    frame = dock.frameGeometry()
    for screen in QGuiApplication.screens():
        seen = screen.availableGeometry().intersected(frame.adjusted(0, 0, 0, IN_SIGHT - frame.height()))
        if seen.width() >= IN_SIGHT and seen.height() >= IN_SIGHT // 2:
            return
    room = (dock.screen() or QGuiApplication.primaryScreen()).availableGeometry()
    dock.resize(dock.size().boundedTo(room.size()))
    left = min(max(frame.left(), room.left()), room.right() - dock.width())
    top = min(max(frame.top(), room.top()), room.bottom() - dock.height())
    dock.move(max(left, room.left()), max(top, room.top()))


def sizes(window: QMainWindow, store: PanelStore) -> list[Wish]:
    """What to ask `QMainWindow.resizeDocks` for: docks, pixels, direction."""
    wishes: list[Wish] = []
    is_campaign = window.objectName().startswith("campaign")
    right = min(max(round(window.width() * RIGHT_SHARE), RIGHT_WIDTHS[0]), RIGHT_WIDTHS[1])
    for area, width in (("left", LEFT_WIDTH), ("right", right)):
        if docks := _standing(window, area):
            wishes.append(([docks[0]], [width], Qt.Orientation.Horizontal))
    if docks := _standing(window, "bottom"):
        wishes.append(
            (
                [docks[0]],
                [_campaign_height(window, store) if is_campaign else _bottom_height(window, store)],
                Qt.Orientation.Vertical,
            )
        )
    columns = _standing(window, "right")[: STACKED["right"]]
    if len(columns) > 1:
        wishes.append((columns, [100] * len(columns), Qt.Orientation.Vertical))
    return wishes


def _standing(window: QMainWindow, area: str) -> list[QDockWidget]:
    """Docks whose area this is and that stand in it, in the order of the table."""
    docks = [_dock(window, key) for key, row in ROWS.items() if row.area == area]
    return [d for d in docks if not d.isFloating() and not d.isHidden() and window.dockWidgetArea(d) == AREAS[area]]


def _campaign_height(window: QMainWindow, store: PanelStore) -> int:
    """What the map of the runs does not need."""
    least, most = (round(window.height() * share) for share in CAMPAIGN_SHARES)
    return min(max(window.height() - MAP_REST - store.run_count * MAP_ROW, least), most)


def _bottom_height(window: QMainWindow, store: PanelStore) -> int:
    table = store.peek("leaderboard")
    share = round(window.height() * BOTTOM_SHARE)
    if not isinstance(table, LeaderboardPanel):
        return share
    least, most = BOTTOM_ROWS
    wanted, needed = (table.height_of(rows) + TABS for rows in (min(max(store.run_count, least), most), least))
    return max(min(wanted, share), needed)


def _dock(window: QMainWindow, key: str) -> QDockWidget:
    dock = window.findChild(QDockWidget, key)
    assert dock is not None
    return dock
