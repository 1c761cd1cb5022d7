"""Accept files and folders dropped anywhere on the window."""

from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt, QUrl, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QWidget


class DropTarget(QObject):
    """Event filter that accepts dropped files and folders, before a text field can insert their names.

    Signals
    -------
    hovered(bool)
        A file or folder is dragged over the window, or was dropped or dragged away.
    dropped(paths)
        Non-empty tuple of dropped local paths.
    refused(severity, text)
        What was dropped is not a local file.
    """

    hovered = Signal(bool)
    dropped = Signal(object)
    refused = Signal(str, str)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._urls: list[QUrl] = []
        window.setAcceptDrops(True)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt override; drags without URLs (cards, text) are passed on."""
        kind = event.type()
        if kind == QEvent.Type.Show and (handle := self._window.windowHandle()) is not None:
            handle.removeEventFilter(self)
            handle.installEventFilter(self)
        elif isinstance(event, QDragEnterEvent):
            self._set_urls([url for url in event.mimeData().urls() if not url.isEmpty()])
            return self._accept(event)
        elif kind == QEvent.Type.DragLeave and self._urls:
            self._set_urls([])
            return watched is not self._window
        elif isinstance(event, QDropEvent) and self._urls:
            self._accept(event)
            if kind == QEvent.Type.Drop:
                self._emit_dropped()
            return True
        return super().eventFilter(watched, event)

    def _set_urls(self, urls: list[QUrl]) -> None:
        """Store the URLs on drag enter: on drop, Qt would block on a source program that has ended."""
        if bool(urls) != bool(self._urls):
            self.hovered.emit(bool(urls))
        self._urls = urls

    def _accept(self, event: QDropEvent) -> bool:
        """Accept as a copy if possible: after a move, the source program may delete the file."""
        if not self._urls:
            return False
        if event.possibleActions() & Qt.DropAction.CopyAction:
            event.setDropAction(Qt.DropAction.CopyAction)
            event.accept()
        else:
            event.acceptProposedAction()
        return True

    def _emit_dropped(self) -> None:
        urls = self._urls
        paths = tuple(Path(url.toLocalFile()) for url in urls if url.isLocalFile())
        self._set_urls([])
        if paths:
            self.dropped.emit(paths)
        else:
            name = urls[0].fileName() or urls[0].toDisplayString()
            host = urls[0].host() or urls[0].scheme()
            self.refused.emit("info", f"“{name}” is not a local file ({host}). Download it first.")
