"""Message strip that asks about files whose interpretation is ambiguous."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import QTimer, Slot
from PySide6.QtWidgets import QWidget

from shrec_viewer.panels.files.import_dialog import open_import_dialog
from shrec_viewer.viewmodels.files.import_dialog import ImportFile, uncertain_files
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.labels import count_text
from shrec_viewer.widgets.controls.messages import MessageBar

AMBIGUITY_TASK = "doubts"

CHECK_DELAY_MS = 300
"""Milliseconds after opening until files are looked at once more: scores and pictures come first."""


class ImportStrip(MessageBar):
    """A strip of its own: it stays until the person answers or closes it, and hides no error."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._asked: Path | None = None
        self.doubts: tuple[ImportFile, ...] = ()
        self._timeout_s = QTimer(self, interval=CHECK_DELAY_MS, singleShot=True)
        self._timeout_s.timeout.connect(self._look)
        self.action_requested.connect(self._choose)
        self.dismissed.connect(self._rest)
        session.benchmark_changed.connect(self._start)
        self._start()

    @Slot()
    def _start(self) -> None:
        self.doubts = ()
        self.dismiss()
        if self._session.benchmark is None:
            self._timeout_s.stop()
            self._asked = None
        elif self._session.path != self._asked:
            self._timeout_s.start()

    @Slot()
    def _look(self) -> None:
        session = self._session
        if session.benchmark is not None:
            work = partial(uncertain_files, session.benchmark, session.manifest)
            session.tasks.run(AMBIGUITY_TASK, work, self._ask, self._fail, title="Looking for doubts")

    def _ask(self, found: tuple[ImportFile, ...]) -> None:
        self.doubts = found
        if not found:
            return
        self.show_message("warning", ambiguity_text(found), action="Choose…", stays=True)

    def _fail(self, error: Exception) -> None:
        self._session.report_failure("The files cannot be looked at once more", error)

    @Slot()
    def _choose(self, *_: object) -> None:
        if self.doubts:
            first = self.doubts[0]
            open_import_dialog(self.window(), self._session, first.run, first.path)

    @Slot()
    def _rest(self) -> None:
        """The person closed it: not asked again about the same folder."""
        self._asked = self._session.path


def ambiguity_text(found: tuple[ImportFile, ...]) -> str:
    """``"F2.txt: What are rows and columns in the order of? Nothing tells the orders apart (and 2 more)"``."""
    first = found[0]
    more = f" ({count_text(len(found) - 1, 'more file')} in doubt)" if len(found) > 1 else ""
    return f"{first.path.name}: {first.doubt}{more}"
