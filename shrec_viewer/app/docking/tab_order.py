"""Order in which the Tab key moves the focus: header, left, centre, right, bottom, strip, status bar."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractSpinBox, QComboBox, QDockWidget, QMainWindow, QTabBar, QToolBar, QWidget

#: Place of the docks of an area; the central panel is between left and right.
AREA_PLACES = {
    Qt.DockWidgetArea.LeftDockWidgetArea: 1,
    Qt.DockWidgetArea.RightDockWidgetArea: 3,
    Qt.DockWidgetArea.BottomDockWidgetArea: 4,
}

#: Places of the bars above, of the central panel, of the bars below, and of the status bar.
HEADER, CENTRE, STRIP, STATUS = 0, 2, 5, 6


def tab_order(window: QMainWindow) -> list[QWidget]:
    """Visible widgets of a window that accept the focus by Tab; those of one place in the order of their layouts.

    Without `nextInFocusChain` and `focusProxy`: PySide makes the widget that they return a child of the other one, and
    deletes its Python object with it, which crashed later (PySide6 6.10.3).
    """
    return sorted((widget for widget in window.findChildren(QWidget) if _is_reached(widget, window)), key=_place)


def _is_reached(widget: QWidget, window: QMainWindow) -> bool:
    if not widget.focusPolicy() & Qt.FocusPolicy.TabFocus or widget.objectName() == "qt_scrollarea_viewport":
        return False
    is_field = isinstance(widget.parentWidget(), QAbstractSpinBox | QComboBox)  # the focus is in its parent
    return not is_field and widget.isEnabled() and widget.isVisible() and widget.window() is window


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
            if not owner.isWindow() and part is owner.centralWidget():
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
