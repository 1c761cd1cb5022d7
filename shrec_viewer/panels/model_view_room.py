"""Makes room for the 3D view while it is in hand, and gives it back afterwards."""

from PySide6.QtCore import QObject, Qt, QTimer, Slot
from PySide6.QtWidgets import QDockWidget, QMainWindow, QTabBar, QWidget

WIDTH, HEIGHT = 0.46, 0.45
"""Shares of the window: two panes of 290 pixels on the smallest screen, and two columns of pictures left beside."""


class Room(QObject):
    """The dock around a panel, larger for a while; a floating dock, or none, is left alone. A child of the panel.

    Parameters
    ----------
    panel : what is in the dock.
    """

    def __init__(self, panel: QWidget) -> None:
        super().__init__(panel)
        self._panel = panel
        self._former: dict[str, tuple[int, int]] = {}
        self._soon = QTimer(self, interval=0, singleShot=True)
        self._soon.timeout.connect(self._grow)

    def take(self) -> None:
        """Grow to a size in which one can look at models, once the dock has the size it is shown in."""
        self._soon.start()

    @Slot()
    def _grow(self) -> None:
        dock, window = self._dock()
        if dock is None or window is None:
            return
        width, height = round(window.width() * WIDTH), round(window.height() * HEIGHT)
        if not self._former:
            self._former = {other.objectName(): _extent(window, other) for other in _in_sight(window)}
        if dock.width() < width:
            window.resizeDocks([dock], [width], Qt.Orientation.Horizontal)
        if dock.height() < height:
            window.resizeDocks([dock], [height], Qt.Orientation.Vertical)

    def give_back(self) -> None:
        """As large as before, and so are those that had to make room."""
        self._soon.stop()
        _, window = self._dock()
        former, self._former = self._former, {}
        if window is None:
            return
        docks = [dock for dock in _in_sight(window) if dock.objectName() in former]
        for place, direction in enumerate((Qt.Orientation.Horizontal, Qt.Orientation.Vertical)):
            window.resizeDocks(docks, [former[dock.objectName()][place] for dock in docks], direction)

    def _dock(self) -> tuple[QDockWidget | None, QMainWindow | None]:
        """The dock that holds the panel and the window that holds the dock."""
        widget: QWidget | None = self._panel
        while widget is not None and not isinstance(widget, QDockWidget):
            widget = widget.parentWidget()
        if not isinstance(widget, QDockWidget) or widget.isFloating():
            return None, None
        window = widget.parentWidget()
        while window is not None and not isinstance(window, QMainWindow):
            window = window.parentWidget()
        return widget, window if isinstance(window, QMainWindow) else None


def _extent(window: QMainWindow, dock: QDockWidget) -> tuple[int, int]:
    """Width and height as `QMainWindow.resizeDocks` takes them: the tabs above docks in one place count."""
    bars = window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)
    titles = {bar: [bar.tabText(place) for place in range(bar.count())] for bar in bars if bar.isVisible()}
    above = max((bar.height() for bar, names in titles.items() if dock.windowTitle() in names), default=0)
    return dock.width(), dock.height() + above


def _in_sight(window: QMainWindow) -> list[QDockWidget]:
    """Docks that stand in the window, not behind others."""
    docks = window.findChildren(QDockWidget)
    return [dock for dock in docks if not dock.isFloating() and not dock.visibleRegion().isEmpty()]
