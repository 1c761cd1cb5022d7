"""Folders and files dropped onto the window."""

from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QWidget


class Drops(QObject):
    """Watches a window that accepts drops.

    Signals
    -------
    held(bool)
        A folder or file is held over the window, or is not any more.
    dropped(path)
        One was let go; the first where there are several.
    """

    held = Signal(bool)
    dropped = Signal(object)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        window.setAcceptDrops(True)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt override; text and addresses of the web are left to others."""
        if isinstance(event, QDragEnterEvent) and _paths(event):
            event.acceptProposedAction()
            self.held.emit(True)
            return True
        if event.type() == QEvent.Type.DragLeave:
            self.held.emit(False)
        elif event.type() == QEvent.Type.Drop and isinstance(event, QDropEvent) and (paths := _paths(event)):
            event.acceptProposedAction()
            self.held.emit(False)
            self.dropped.emit(paths[0])
            return True
        return super().eventFilter(watched, event)


def _paths(event: QDropEvent) -> list[Path]:
    return [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
