"""Run Python's cyclic garbage collector from a timer of the Qt event loop only."""

import gc
import sys

from PySide6.QtCore import QObject, QTimer, Slot

INTERVAL_MS = 1000
"""Milliseconds between two looks; a look that finds little to do takes microseconds."""

LIBRARY_MODULES = 50
"""Modules that a large library has at least: matplotlib brings 320 and 100,000 objects, trimesh 840 and 80,000."""


class EventLoopCollector(QObject):
    """Takes over from the automatic collector while the window is open.

    Python collects cycles whenever enough objects were made, in whatever thread and wherever that thread is. Inside
    `QObject::disconnect`, which holds a lock, it destroyed widgets whose destructors wait for the same lock: the
    program stood still for good. In a worker thread it would destroy widgets outside of the main thread.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._thresholds = gc.get_threshold()
        self._was_enabled = gc.isenabled()
        self._modules = sys.maxsize  # when `keep` was called last
        gc.disable()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._look)
        self._timer.start(INTERVAL_MS)

    @Slot()
    def keep(self) -> None:
        """Never look again at what there is now: modules and the window, which stay to the end.

        To go through these 110,000 objects takes 60 ms, during which the window stands still.
        """
        gc.freeze()
        self._modules = len(sys.modules)

    @Slot()
    def _look(self) -> None:
        """Collect as far up as the automatic collector would; all, and keep what is left, where a library came."""
        if len(sys.modules) > self._modules + LIBRARY_MODULES:
            gc.collect()
            self.keep()
            return
        counts = gc.get_count()
        for generation in (2, 1, 0):
            if counts[generation] > self._thresholds[generation]:
                gc.collect(generation)
                return

    def end(self) -> None:
        """Give the work back to Python."""
        self._timer.stop()
        if self._was_enabled:
            gc.enable()
