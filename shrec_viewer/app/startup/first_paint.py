"""Signal the first paint of a window, after which heavy modules are imported."""

from PySide6.QtCore import QEvent, QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QWidget

PAINT_TIMEOUT_MS = 1000
"""Milliseconds after which the window counts as drawn though nobody asked for a picture of it (it starts minimised)."""


class FirstPaint(QObject):
    """Watches a window from the moment it is shown.

    Signals
    -------
    painted()
        The window was drawn; told once.
    """

    painted = Signal()

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._seen = False
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt override; the window system asks for a picture, which is drawn before timers run."""
        if event.type() == QEvent.Type.Show and watched is self._window and not self._seen:
            self._window.windowHandle().installEventFilter(self)
            QTimer.singleShot(PAINT_TIMEOUT_MS, self._tell)
        elif event.type() == QEvent.Type.Expose and not self._seen:
            QTimer.singleShot(0, self._tell)
        return super().eventFilter(watched, event)

    @Slot()
    def _tell(self) -> None:
        if not self._seen:
            self._seen = True
            self.painted.emit()
