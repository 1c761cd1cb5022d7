"""Asks in passing about files that can be read in several ways, or not at all; it blocks nothing."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import QTimer, Slot
from PySide6.QtWidgets import QWidget

from shrec_viewer.panels.import_dialog import open_import
from shrec_viewer.viewmodels.import_jobs import Subject, doubts
from shrec_viewer.viewmodels.live import manifest_of
from shrec_viewer.viewmodels.session import Session
from shrec_viewer.viewmodels.words import count_words
from shrec_viewer.widgets.message_strip import MessageStrip

LANE = "doubts"

PATIENCE_MS = 300
"""Milliseconds after opening until files are looked at once more: scores and pictures come first."""


class ImportStrip(MessageStrip):
    """A strip of its own: it stays until the person answers or closes it, and hides no error."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._asked: Path | None = None
        self.doubts: tuple[Subject, ...] = ()
        self._patience = QTimer(self, interval=PATIENCE_MS, singleShot=True)
        self._patience.timeout.connect(self._look)
        self.action_requested.connect(self._choose)
        self.dismissed.connect(self._rest)
        session.benchmark_changed.connect(self._start)
        self._start()

    @Slot()
    def _start(self) -> None:
        self.doubts = ()
        self.dismiss()
        if self._session.benchmark is None:
            self._patience.stop()
            self._asked = None
        elif self._session.path != self._asked:
            self._patience.start()

    @Slot()
    def _look(self) -> None:
        session = self._session
        if session.benchmark is not None:
            work = partial(doubts, session.benchmark, manifest_of(session.path))
            session.tasks.run(LANE, work, self._ask, self._fail, title="Looking for doubts")

    def _ask(self, found: tuple[Subject, ...]) -> None:
        self.doubts = found
        if not found:
            return
        self.show_message("warning", doubt_words(found), action=self.tr("Choose…"), stays=True)

    def _fail(self, error: Exception) -> None:
        self._session.tell_failure("The files cannot be looked at once more", error)

    @Slot()
    def _choose(self, *_: object) -> None:
        if self.doubts:
            first = self.doubts[0]
            open_import(self.window(), self._session, first.run, first.path)

    @Slot()
    def _rest(self) -> None:
        """The person closed it: not asked again about the same folder."""
        self._asked = self._session.path


def doubt_words(found: tuple[Subject, ...]) -> str:
    """``"F2.txt: What are rows and columns in the order of? Nothing tells the orders apart (and 2 more)"``."""
    first = found[0]
    more = f" ({count_words(len(found) - 1, 'more file')} in doubt)" if len(found) > 1 else ""
    return f"{first.path.name}: {first.doubt}{more}"
