"""Run Python's cyclic garbage collector from a timer of the Qt event loop only."""

import gc

from PySide6.QtCore import QObject, QTimer, Slot

INTERVAL_MS = 1000
"""Milliseconds between two checks whether the thresholds of the collector are exceeded."""


class EventLoopCollector(QObject):
    """Replaces the automatic garbage collection while the window is open.

    Python collects cycles whenever enough objects were created, in whichever thread that is. Collected inside
    `QObject::disconnect`, which holds a lock, widgets were deleted whose destructors lock the same mutex: the program
    hung. In a worker thread, widgets would be deleted outside the main thread, which Qt does not allow. pyqtgraph has
    the same class (`pyqtgraph.util.garbage_collector`), but must not be imported before the first paint of the window.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._thresholds = gc.get_threshold()
        self._was_enabled = gc.isenabled()
        gc.disable()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._collect)
        self._timer.start(INTERVAL_MS)

    @Slot()
    def _collect(self) -> None:
        """Collect the oldest generation whose threshold is exceeded, as Python does, and all younger ones."""
        counts = gc.get_count()
        for generation in (2, 1, 0):
            if counts[generation] > self._thresholds[generation]:
                gc.collect(generation)
                return

    def end(self) -> None:
        """Enable the automatic collection again."""
        self._timer.stop()
        if self._was_enabled:
            gc.enable()
