"""Makes room for the 3D view while it is in hand, and gives it back afterwards."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow, QWidget

WIDTH, HEIGHT = 0.46, 0.45
"""Shares of the window: two panes of 290 pixels on the smallest screen, and two columns of pictures left beside."""


class Room:
    """The dock around a panel, larger for a while; a floating dock, or none, is left alone.

    Parameters
    ----------
    panel : what is in the dock.
    """

    def __init__(self, panel: QWidget) -> None:
        self._panel = panel
        self._former: tuple[int, int] | None = None

    def take(self) -> None:
        """Grow to a size in which one can look at models; a dock that has it already stays."""
        dock, window = self._dock()
        if dock is None or window is None:
            return
        width, height = round(window.width() * WIDTH), round(window.height() * HEIGHT)
        if self._former is None:
            self._former = (dock.width(), dock.height())
        if dock.width() < width:
            window.resizeDocks([dock], [width], Qt.Orientation.Horizontal)
        if dock.height() < height:
            window.resizeDocks([dock], [height], Qt.Orientation.Vertical)

    def give_back(self) -> None:
        """As large as before."""
        dock, window = self._dock()
        if dock is not None and window is not None and self._former is not None:
            window.resizeDocks([dock], [self._former[0]], Qt.Orientation.Horizontal)
            window.resizeDocks([dock], [self._former[1]], Qt.Orientation.Vertical)
        self._former = None

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
