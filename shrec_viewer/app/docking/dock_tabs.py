"""Drag, float and close docks by their tabs."""

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, Signal, Slot
from PySide6.QtGui import QAction, QContextMenuEvent, QMouseEvent
from PySide6.QtWidgets import QApplication, QDockWidget, QMainWindow, QMenu, QRubberBand, QTabBar

from shrec_viewer.app.docking.default_layout import AREAS, move_onto_screen

DETACH_DISTANCE = 24
"""Pixels from the tab bar at which a dragged tab is detached; closer, Qt reorders the tabs."""

DRAG_OFFSET = QPoint(60, 12)
"""Position of the mouse in a dock that is being dragged: in its title bar."""

EDGE_WIDTH = 48
"""Pixels along the edges of the window where a dragged dock is dropped into that area."""


def float_dock(dock: QDockWidget, cursor: QPoint | None = None) -> None:
    """Float a dock in its current size, under the cursor (global coordinates) or slightly offset."""
    size = dock.size()
    corner = dock.mapToGlobal(QPoint(DETACH_DISTANCE, DETACH_DISTANCE)) if cursor is None else cursor - DRAG_OFFSET
    dock.setFloating(True)
    dock.setGeometry(QRect(corner, size))
    dock.show()
    if cursor is None:
        move_onto_screen(dock, completely=True)


class DockTabs(QObject):
    """Event filter of the tab bars of a window with docks, whose tabs Qt can only reorder.

    A tab dragged out of its tab bar becomes a floating dock that follows the mouse. Dropped on another dock it becomes
    a tab there, at an edge of the window it moves to that area; a rubber band shows the target. A double click floats
    the dock, a middle click closes it, and the context menu of a tab offers both.

    Parameters
    ----------
    window : its docks have distinct titles, by which tabs are matched with docks.

    Signals
    -------
    dropped(dock)
        A dock was dropped on another one or at an edge.
    """

    dropped = Signal(QDockWidget)

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._pressed: QDockWidget | None = None
        self._dragged: QDockWidget | None = None
        self._frame = QRubberBand(QRubberBand.Shape.Rectangle, window)

    def watch(self, bar: QTabBar) -> None:
        """Filter the events of a tab bar; Qt ignores a second installation."""
        bar.installEventFilter(self)

    def dock_at(self, bar: QTabBar, point: QPoint) -> QDockWidget | None:
        """The dock whose tab is at a point of a tab bar."""
        title = bar.tabText(bar.tabAt(point)) if bar.tabAt(point) >= 0 else None
        docks = self._window.findChildren(QDockWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
        return next((d for d in docks if d.windowTitle() == title and not d.isHidden() and not d.isFloating()), None)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt override."""
        if watched is self._dragged and self._dragged is not None:
            if isinstance(event, QMouseEvent):
                return self._drag_dock(self._dragged, event)
            if event.type() == QEvent.Type.Hide:
                self._end_drag(self._dragged)
        if isinstance(watched, QTabBar):
            if isinstance(event, QContextMenuEvent):
                return self._show_menu(watched, event)
            if isinstance(event, QMouseEvent):
                return self._handle_tab_event(watched, event)
        return False

    # Events of tab bars.

    def _handle_tab_event(self, bar: QTabBar, event: QMouseEvent) -> bool:
        kind, point = event.type(), event.position().toPoint()
        if kind == QEvent.Type.MouseButtonPress and event.button() == Qt.MouseButton.LeftButton:
            self._pressed = self.dock_at(bar, point)
        elif kind == QEvent.Type.MouseButtonDblClick and (dock := self.dock_at(bar, point)) is not None:
            self._pressed = None
            float_dock(dock)
            return True
        elif kind == QEvent.Type.MouseButtonRelease:
            self._pressed = None
            if event.button() == Qt.MouseButton.MiddleButton and (dock := self.dock_at(bar, point)) is not None:
                dock.close()
                return True
        elif kind == QEvent.Type.MouseMove and self._pressed is not None:
            margin = DETACH_DISTANCE
            if not bar.rect().adjusted(-margin, -margin, margin, margin).contains(point):
                self._detach(bar, event)
                return True
        return False

    def _detach(self, bar: QTabBar, event: QMouseEvent) -> None:
        dock, self._pressed = self._pressed, None
        if dock is None:
            return
        left, none = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton
        position, modifiers = event.position(), event.modifiers()
        # End the reordering drag of the tab bar first: the tab is removed while it is being moved otherwise.
        release = QMouseEvent(QEvent.Type.MouseButtonRelease, position, event.globalPosition(), left, none, modifiers)
        QApplication.sendEvent(bar, release)
        float_dock(dock, event.globalPosition().toPoint())
        self._dragged = dock
        dock.installEventFilter(self)
        dock.grabMouse()  # not the tab bar: Qt deletes it with its last tab

    def _show_menu(self, bar: QTabBar, event: QContextMenuEvent) -> bool:
        dock = self.dock_at(bar, event.pos())
        if dock is None:
            return False
        menu = QMenu(bar)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        floats = menu.addAction(f"Float {dock.windowTitle()}")
        floats.setData(dock.objectName())
        floats.triggered.connect(self._float_chosen)
        menu.addAction(f"Close {dock.windowTitle()}").triggered.connect(dock.close)
        menu.popup(event.globalPos())
        return True

    @Slot()
    def _float_chosen(self) -> None:
        action = self.sender()
        if isinstance(action, QAction) and (dock := self._window.findChild(QDockWidget, action.data())) is not None:
            float_dock(dock)

    # Events of the dragged dock.

    def _drag_dock(self, dock: QDockWidget, event: QMouseEvent) -> bool:
        cursor = event.globalPosition().toPoint()
        is_released = event.type() == QEvent.Type.MouseButtonRelease
        if is_released or (event.type() == QEvent.Type.MouseMove and not event.buttons()):  # released elsewhere
            self._end_drag(dock)
            if is_released:
                self._drop(dock, cursor)
        elif event.type() == QEvent.Type.MouseMove:
            dock.move(cursor - DRAG_OFFSET)
            target = self._drop_target(dock, cursor)
            self._frame.setVisible(target is not None)
            if target is not None:
                self._frame.setGeometry(target[0])
                self._frame.raise_()
        else:
            return False
        return True

    def _end_drag(self, dock: QDockWidget) -> None:
        self._dragged = None
        dock.releaseMouse()
        dock.removeEventFilter(self)
        self._frame.hide()

    def _drop(self, dock: QDockWidget, cursor: QPoint) -> None:
        found = self._drop_target(dock, cursor)
        if found is None:
            return
        _, target = found
        dock.setFloating(False)
        if isinstance(target, QDockWidget):
            self._window.tabifyDockWidget(target, dock)
        else:
            self._window.addDockWidget(target, dock)
        dock.show()
        self.dropped.emit(dock)
        dock.raise_()

    def _drop_target(
        self, dragged: QDockWidget, cursor: QPoint
    ) -> tuple[QRect, QDockWidget | Qt.DockWidgetArea] | None:
        """Rectangle in the window, and the dock to tab with or the area; None if the dock stays floating."""
        point, rect = self._window.mapFromGlobal(cursor), self._window.rect()
        if not rect.contains(point):
            return None
        for area, edge in (
            ("left", QRect(0, 0, EDGE_WIDTH, rect.height())),
            ("right", QRect(rect.width() - EDGE_WIDTH, 0, EDGE_WIDTH, rect.height())),
            ("bottom", QRect(0, rect.height() - EDGE_WIDTH, rect.width(), EDGE_WIDTH)),
        ):
            if edge.contains(point):
                return edge, AREAS[area]
        docks = self._window.findChildren(QDockWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
        docked = (d for d in docks if d is not dragged and not d.isFloating() and not d.visibleRegion().isEmpty())
        target = next((d for d in docked if d.geometry().contains(point)), None)
        return None if target is None else (target.geometry(), target)
