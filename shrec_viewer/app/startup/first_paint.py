"""Signal the first paint of a window, after which heavy modules are imported."""

from PySide6.QtCore import QEvent, QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QWidget

PAINT_TIMEOUT_MS = 1000
"""Milliseconds after `show` until the signal is emitted in any case: a minimised window is not painted."""


class FirstPaint(QObject):
    """Event filter of a window until it is first painted.

    A timer started in `showEvent` would not do: it may fire before the window system exposes the window, which then
    stays blank for the time of the imports.

    Signals
    -------
    painted()
        The window was painted; emitted once.
    """

    painted = Signal()

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._is_painted = False
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt override; the window is painted in response to the expose event, before timers run."""
        if event.type() == QEvent.Type.Show and watched is self._window and not self._is_painted:
            self._window.windowHandle().installEventFilter(self)
            QTimer.singleShot(PAINT_TIMEOUT_MS, self._emit_painted)
        elif event.type() == QEvent.Type.Expose and not self._is_painted:
            QTimer.singleShot(0, self._emit_painted)
        return super().eventFilter(watched, event)

    @Slot()
    def _emit_painted(self) -> None:
        if not self._is_painted:
            self._is_painted = True
            self.painted.emit()
