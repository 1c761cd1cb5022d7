"""Run queued callables one per event-loop iteration."""

from collections import deque
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Slot


class DeferredCalls(QObject):
    """Does what it is given, in order, one thing a turn."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._steps: deque[Callable[[], None]] = deque()
        self._timer = QTimer(self, interval=1)  # one of 0 comes twice in some turns
        self._timer.timeout.connect(self._do_next)

    @property
    def is_busy(self) -> bool:
        """Whether anything is left to do."""
        return bool(self._steps)

    def take(self, *steps: Callable[[], None]) -> None:
        """Do these too, after all that waits."""
        self._steps.extend(steps)
        self._timer.start()

    def finish(self) -> None:
        """Do all that is left, now."""
        while self._steps:
            self._do_next()

    def forget(self) -> None:
        """Do nothing of what is left."""
        self._steps.clear()

    @Slot()
    def _do_next(self) -> None:
        if self._steps:
            self._steps.popleft()()
        if not self._steps:
            self._timer.stop()
