"""The sizes of the house follow the window, until the person moves a splitter."""

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Slot
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QDockWidget, QMainWindow, QTabBar

from shrec_viewer.app.dock_places import Wish, sizes
from shrec_viewer.app.panel_store import PanelStore

PAUSE_MS = 120
"""Milliseconds after the last change of a window that is being dragged larger: all docks are laid out once then."""

NEAR = 4
"""Pixels that a dock restored may differ from what the house would give it, by what rounding leaves."""


class HouseSizes(QObject):
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
        for docks, pixels, direction in sizes(self._window, self._store):
            self._window.resizeDocks(docks, pixels, direction)

    def recognise(self) -> None:
        """Look once whether docks that were put back where they had been left have the sizes of the house."""
        if self._hold is None:
            self._hold = all(self._is_given(wish) for wish in sizes(self._window, self._store))

    def stop(self) -> None:
        """Follow no more: the window is going to be deleted."""
        self._pause.stop()
        self._window.removeEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt override; what lies between docks is the window's own."""
        kind = event.type()
        if kind == QEvent.Type.Resize and self._hold:
            self._pause.start(PAUSE_MS if self._window.isVisible() else 0)
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
            self._pause.start(PAUSE_MS)

    def _is_given(self, wish: Wish) -> bool:
        docks, pixels, direction = wish
        if direction == Qt.Orientation.Horizontal:
            found = [dock.width() for dock in docks]
        else:
            found = [self._height(dock) for dock in docks]
        if len(docks) > 1:  # they share what there is
            return max(found) - min(found) <= NEAR
        return abs(found[0] - pixels[0]) <= NEAR

    def _height(self, dock: QDockWidget) -> int:
        """Pixels of a dock with its tabs."""
        if not self._window.tabifiedDockWidgets(dock):
            return dock.height()
        bars = self._window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)
        return dock.height() + next((bar.height() for bar in bars if bar.isVisible()), 0)
