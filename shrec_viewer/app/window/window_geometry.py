"""Position and size of the main window as plain data, and its validation."""

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from shrec_viewer.app.docking.saved_layout import LayoutError, rectangle_from_data

MIN_SIZE = 200
"""Smallest width and height of a window in pixels that is restored."""

STATES = ("normal", "maximized", "full screen")


def geometry_to_data(window: QWidget) -> dict[str, Any]:
    """Position of the frame and size of the contents, in pixels of the desktop, and one of `STATES`."""
    state = "full screen" if window.isFullScreen() else "maximized" if window.isMaximized() else "normal"
    rect = QRect(window.pos(), window.size()) if state == "normal" else window.normalGeometry()
    return {"x": rect.x(), "y": rect.y(), "width": rect.width(), "height": rect.height(), "state": state}


def restore_geometry(window: QWidget, data: Mapping[str, Any]) -> None:
    """Move and resize a window that is not shown yet; its position must be on a screen that is connected.

    Raises
    ------
    LayoutError
        When a field is missing or invalid; the window is not changed.
    """
    x, y, width, height = rectangle_from_data(data, MIN_SIZE)
    state = data.get("state")
    if state not in STATES:
        raise LayoutError(f"'state' is none of {', '.join(STATES)}")
    rect = QRect(x, y, width, height)
    screens = [screen for screen in QGuiApplication.screens() if screen.availableGeometry().intersects(rect)]
    screen = screens[0] if screens else QGuiApplication.primaryScreen()
    window.resize(rect.size().boundedTo(screen.availableSize()))
    if screens:
        window.move(rect.topLeft())
    if state == "maximized":
        window.setWindowState(window.windowState() | Qt.WindowState.WindowMaximized)
    elif state == "full screen":
        window.setWindowState(window.windowState() | Qt.WindowState.WindowFullScreen)
