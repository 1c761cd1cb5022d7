"""Lets worker threads yield the GIL to the GUI thread while that is busy."""

import time
from threading import Event

from PySide6.QtCore import QObject, Qt, Signal, Slot

IDLE_VALID_S = 0.005
"""Seconds for which the window counts as free after it answered; a question takes a thread 0.07 ms, the window 0.03."""

WAIT_STEP_S = 0.01
"""Seconds that a thread waits for the answer at most, each time it is asked to give way: it always gets on."""

MAX_UNANSWERED_S = 0.25
"""Seconds without an answer after which a window is not given way to: it may be waiting for what gives way."""


class GuiPriority(QObject):
    """Asks the event loop of the thread it was made in whether it has a moment.

    With four threads at work a window that needed 35 ms of Python for a turn got every fifth moment, and was done after
    110 ms: the interpreter goes round, it knows no one who comes first.
    """

    _asked = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._answered = Event()
        self._free_at = -IDLE_VALID_S
        self._request_time: float | None = None
        self._asked.connect(self._answer, Qt.ConnectionType.QueuedConnection)

    def yield_to_gui(self) -> None:
        """Wait for a moment if the window is at work; called by threads beside it, again and again."""
        now = time.monotonic()
        if now - self._free_at < IDLE_VALID_S:
            return
        request_time = self._request_time
        if request_time is None:
            self._answered.clear()
            self._request_time = request_time = now
            try:
                self._asked.emit()
            except RuntimeError:  # the window is gone, Qt has deleted this
                return
        if now - request_time < MAX_UNANSWERED_S:
            self._answered.wait(WAIT_STEP_S)

    @Slot()
    def _answer(self) -> None:
        self._free_at = time.monotonic()
        self._request_time = None
        self._answered.set()
