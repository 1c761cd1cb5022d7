"""A panel of the window; only the window imports this module, and Qt."""

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QLabel

from shrec_viewer.plugins import Panel


class RunCount(QLabel):
    """Number of runs of the open benchmark."""

    def __init__(self, session):
        super().__init__()
        self._session = session
        session.changed.connect(self._follow_session)
        self._show_count()

    @Slot(object, object)
    def _follow_session(self, old, new):
        if new.differs(old, "benchmark"):
            self._show_count()

    def _show_count(self):
        runs = self._session.benchmark.runs
        self.setText(f"{len(runs)} runs" if self._session.is_open else "No benchmark")


RUN_COUNT = Panel("example-plugin.run_count", "Number of runs", "right", RunCount)
