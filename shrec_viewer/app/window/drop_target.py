"""Accept files and folders dropped anywhere on the window."""

from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt, QUrl, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QWidget


class DropTarget(QObject):
    """Watches a window that accepts drops, before any field in it would take the name of a file for text.

    Signals
    -------
    held(bool)
        A folder or file is held over the window, or is not any more.
    dropped(paths)
        A tuple of those that were let go together, at least one.
    refused(severity, sentence)
        What was let go is on no disk here.
    """

    held = Signal(bool)
    dropped = Signal(object)
    refused = Signal(str, str)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._urls: list[QUrl] = []
        window.setAcceptDrops(True)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt override; cards and texts are left to others."""
        kind = event.type()
        if kind == QEvent.Type.Show and (handle := self._window.windowHandle()) is not None:
            handle.removeEventFilter(self)
            handle.installEventFilter(self)
        elif isinstance(event, QDragEnterEvent):
            self._hold([url for url in event.mimeData().urls() if not url.isEmpty()])
            return self._accept(event)
        elif kind == QEvent.Type.DragLeave and self._urls:
            self._hold([])
            return watched is not self._window
        elif isinstance(event, QDropEvent) and self._urls:
            self._accept(event)
            if kind == QEvent.Type.Drop:
                self._tell()
            return True
        return super().eventFilter(watched, event)

    def _hold(self, urls: list[QUrl]) -> None:
        """Remembered when they enter: once let go, a program that has ended meanwhile would be waited for in vain."""
        if bool(urls) != bool(self._urls):
            self.held.emit(bool(urls))
        self._urls = urls

    def _accept(self, event: QDropEvent) -> bool:
        """Only ever as a copy: told that its file was moved, a program may delete it."""
        if not self._urls:
            return False
        if event.possibleActions() & Qt.DropAction.CopyAction:
            event.setDropAction(Qt.DropAction.CopyAction)
            event.accept()
        else:
            event.acceptProposedAction()
        return True

    def _tell(self) -> None:
        urls = self._urls
        paths = tuple(Path(url.toLocalFile()) for url in urls if url.isLocalFile())
        self._hold([])
        if paths:
            self.dropped.emit(paths)
        else:
            name = urls[0].fileName() or urls[0].toDisplayString()
            where = urls[0].host() or urls[0].scheme()
            self.refused.emit("info", f"“{name}” is not on this machine ({where}); save it first and drop the file.")
