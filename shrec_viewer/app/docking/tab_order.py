"""Order in which the Tab key moves the focus: header, left, centre, right, bottom, strip, status bar."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow, QTabBar, QToolBar, QWidget

#: Place of the docks of an area; the central panel is between left and right.
AREA_PLACES = {
    Qt.DockWidgetArea.LeftDockWidgetArea: 1,
    Qt.DockWidgetArea.RightDockWidgetArea: 3,
    Qt.DockWidgetArea.BottomDockWidgetArea: 4,
}

#: Places of the bars above, of the central panel, of the bars below, and of the status bar.
HEADER, CENTRE, STRIP, STATUS = 0, 2, 5, 6


def tab_order(window: QMainWindow) -> list[QWidget]:
    """Visible widgets of a window that accept the focus by Tab; those of one place in the order of Qt.

    That is the order in which they were made, which is that of the first display of each panel.
    """
    chain, widget = [], window.nextInFocusChain()
    while widget is not None and widget is not window:
        is_reached = widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.focusProxy() is None
        if is_reached and widget.isEnabled() and widget.isVisible() and widget.window() is window:
            chain.append(widget)
        widget = widget.nextInFocusChain()
    return sorted(chain, key=_place)


def dock_place(dock: QDockWidget, window: QMainWindow) -> tuple[int, int, int]:
    """Sort key of a dock: its area, then column and row."""
    return AREA_PLACES.get(window.dockWidgetArea(dock), CENTRE), dock.x(), dock.y()


def _place(widget: QWidget) -> tuple[int, int, int]:
    part = widget
    while (owner := part.parentWidget()) is not None:
        if isinstance(owner, QMainWindow):
            if isinstance(part, QDockWidget):
                return dock_place(part, owner)
            if isinstance(part, QTabBar):
                return _tabs_place(part, owner)
            if isinstance(part, QToolBar):
                is_below = owner.toolBarArea(part) == Qt.ToolBarArea.BottomToolBarArea
                return STRIP if is_below else HEADER, part.x(), part.y()
            if part is owner.centralWidget() and not owner.isWindow():
                return CENTRE, 0, 0
        part = owner
    return STATUS, 0, 0


def _tabs_place(bar: QTabBar, window: QMainWindow) -> tuple[int, int, int]:
    """That of the dock below the tabs."""
    centre, bottom = bar.geometry().center(), bar.geometry().bottom()
    docks = [one for one in window.findChildren(QDockWidget) if one.isVisible() and not one.isFloating()]
    below = [one for one in docks if one.x() <= centre.x() <= one.geometry().right() and one.y() >= bottom]
    nearest = min(below, key=QDockWidget.y, default=None)
    return (STATUS, 0, 0) if nearest is None else dock_place(nearest, window)
