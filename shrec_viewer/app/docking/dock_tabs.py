"""Drag, float and close docks by their tabs."""

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, Slot
from PySide6.QtGui import QAction, QContextMenuEvent, QMouseEvent
from PySide6.QtWidgets import QApplication, QDockWidget, QMainWindow, QMenu, QRubberBand, QTabBar

from shrec_viewer.app.docking.default_layout import AREAS

DETACH_DISTANCE = 24
"""Pixels beside the tabs from which on a drag takes the dock along; nearer, it puts the tabs in another order."""

DRAG_OFFSET = QPoint(60, 12)
"""Where in the dragged dock the mouse holds it: within its head."""

EDGE_WIDTH = 48
"""Pixels along the edges of the window where a dragged dock is put beside all others."""


class DockTabs(QObject):
    """Listens to the tab bars of a window with docks. Qt lets their tabs change places, and no more.

    A tab that is dragged away becomes a window that follows the mouse; over another dock it is put behind that one's
    tab, at an edge of the window it is put there, and a frame shows where. A double click makes it a window at once, a
    middle click closes it, and the menu of a tab offers both.

    Parameters
    ----------
    window : its docks have distinct titles.
    """

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._pressed: QDockWidget | None = None
        self._held: QDockWidget | None = None
        self._frame = QRubberBand(QRubberBand.Shape.Rectangle, window)

    def watch(self, bar: QTabBar) -> None:
        """Listen to this tab bar too; twice does no harm."""
        bar.installEventFilter(self)

    def dock_at(self, bar: QTabBar, point: QPoint) -> QDockWidget | None:
        """The dock of the tab at a point of a tab bar."""
        title = bar.tabText(bar.tabAt(point)) if bar.tabAt(point) >= 0 else None
        docks = self._window.findChildren(QDockWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
        return next((d for d in docks if d.windowTitle() == title and not d.isHidden() and not d.isFloating()), None)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt override."""
        if watched is self._held and self._held is not None:
            if isinstance(event, QMouseEvent):
                return self._drag_dock(self._held, event)
            if event.type() == QEvent.Type.Hide:
                self._let_go(self._held)
        if isinstance(watched, QTabBar):
            if isinstance(event, QContextMenuEvent):
                return self._offer(watched, event)
            if isinstance(event, QMouseEvent):
                return self._press(watched, event)
        return False

    def float_dock(self, dock: QDockWidget, at: QPoint | None = None) -> None:
        """Make a dock a window of its own, as large as it is, held at this place of the screen or a little aside."""
        size = dock.size()
        corner = dock.mapToGlobal(QPoint(DETACH_DISTANCE, DETACH_DISTANCE)) if at is None else at - DRAG_OFFSET
        dock.setFloating(True)
        dock.setGeometry(QRect(corner, size))
        dock.show()

    # Tabs.

    def _press(self, bar: QTabBar, event: QMouseEvent) -> bool:
        kind, point = event.type(), event.position().toPoint()
        if kind == QEvent.Type.MouseButtonPress and event.button() == Qt.MouseButton.LeftButton:
            self._pressed = self.dock_at(bar, point)
        elif kind == QEvent.Type.MouseButtonDblClick and (dock := self.dock_at(bar, point)) is not None:
            self._pressed = None
            self.float_dock(dock)
            return True
        elif kind == QEvent.Type.MouseButtonRelease:
            self._pressed = None
            if event.button() == Qt.MouseButton.MiddleButton and (dock := self.dock_at(bar, point)) is not None:
                dock.close()
                return True
        elif (
            kind == QEvent.Type.MouseMove
            and self._pressed is not None
            and not bar.rect()
            .adjusted(-DETACH_DISTANCE, -DETACH_DISTANCE, DETACH_DISTANCE, DETACH_DISTANCE)
            .contains(point)
        ):
            self._drag_out(bar, event)
            return True
        return False

    def _drag_out(self, bar: QTabBar, event: QMouseEvent) -> None:
        dock, self._pressed = self._pressed, None
        if dock is None:
            return
        left, none = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton
        place, modifiers = event.position(), event.modifiers()
        over = QMouseEvent(QEvent.Type.MouseButtonRelease, place, event.globalPosition(), left, none, modifiers)
        QApplication.sendEvent(bar, over)  # its tab goes while it is being moved otherwise
        self.float_dock(dock, event.globalPosition().toPoint())
        self._held = dock
        dock.installEventFilter(self)
        dock.grabMouse()  # the tab bar may be gone with its last tab

    def _offer(self, bar: QTabBar, event: QContextMenuEvent) -> bool:
        dock = self.dock_at(bar, event.pos())
        if dock is None:
            return False
        menu = QMenu(bar)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        floats = menu.addAction(f"Make {dock.windowTitle()} a window")
        floats.setData(dock.objectName())
        floats.triggered.connect(self._float_chosen)
        menu.addAction(f"Close {dock.windowTitle()}").triggered.connect(dock.close)
        menu.popup(event.globalPos())
        return True

    @Slot()
    def _float_chosen(self) -> None:
        action = self.sender()
        if isinstance(action, QAction) and (dock := self._window.findChild(QDockWidget, action.data())) is not None:
            self.float_dock(dock)

    # A dock on its way.

    def _drag_dock(self, dock: QDockWidget, event: QMouseEvent) -> bool:
        place = event.globalPosition().toPoint()
        is_over = event.type() == QEvent.Type.MouseButtonRelease
        if is_over or (event.type() == QEvent.Type.MouseMove and not event.buttons()):  # let go where nobody told us
            self._let_go(dock)
            if is_over:
                self._put(dock, place)
        elif event.type() == QEvent.Type.MouseMove:
            dock.move(place - DRAG_OFFSET)
            goal = self._goal(dock, place)
            self._frame.setVisible(goal is not None)
            if goal is not None:
                self._frame.setGeometry(goal[0])
                self._frame.raise_()
        else:
            return False
        return True

    def _let_go(self, dock: QDockWidget) -> None:
        self._held = None
        dock.releaseMouse()
        dock.removeEventFilter(self)
        self._frame.hide()

    def _put(self, dock: QDockWidget, place: QPoint) -> None:
        goal = self._goal(dock, place)
        if goal is None:
            return
        _, target = goal
        dock.setFloating(False)
        if isinstance(target, QDockWidget):
            self._window.tabifyDockWidget(target, dock)
        else:
            self._window.addDockWidget(target, dock)
        dock.show()
        dock.raise_()

    def _goal(self, held: QDockWidget, place: QPoint) -> tuple[QRect, QDockWidget | Qt.DockWidgetArea] | None:
        """Where a dock that is let go here would stand, in the window, and behind what; None: it stays a window."""
        point, room = self._window.mapFromGlobal(place), self._window.rect()
        if not room.contains(point):
            return None
        for area, strip in (
            ("left", QRect(0, 0, EDGE_WIDTH, room.height())),
            ("right", QRect(room.width() - EDGE_WIDTH, 0, EDGE_WIDTH, room.height())),
            ("bottom", QRect(0, room.height() - EDGE_WIDTH, room.width(), EDGE_WIDTH)),
        ):
            if strip.contains(point):
                return strip, AREAS[area]
        docks = self._window.findChildren(QDockWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
        standing = (d for d in docks if d is not held and not d.isFloating() and not d.visibleRegion().isEmpty())
        target = next((d for d in standing if d.geometry().contains(point)), None)
        return None if target is None else (target.geometry(), target)
