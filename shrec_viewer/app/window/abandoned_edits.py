"""Unsaved edits of windows that have ended, on the welcome page."""

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QMessageBox

from shrec_viewer.app.dialogs.standard_dialogs import discard_dialog
from shrec_viewer.app.window.opening import CLOSE_TIMEOUT_S
from shrec_viewer.viewmodels.session.project import UnsavedEdits, delete_journals, find_unsaved_edits
from shrec_viewer.viewmodels.tasks.tasks import TaskQueue
from shrec_viewer.widgets.controls.welcome_page import RecentBenchmark, WelcomePage

if TYPE_CHECKING:
    from shrec_viewer.viewmodels.session.document import Document
    from shrec_viewer.viewmodels.session.session import Session

#: Object name of the dialog that asks whether to delete unsaved edits.
DISCARD_ABANDONED_DIALOG = "discard abandoned"


class AbandonedEdits(QObject):
    """Lists unsaved edits on the welcome page, and deletes those that the user discards.

    They are restored when their benchmark is opened, see `viewmodels.session.project`. A thread reads the journals, as
    they can be large and a network drive may hang.

    Parameters
    ----------
    welcome : the page, which is shown while no benchmark is open.
    folder : folder of the journals; None lists nothing.
    """

    def __init__(self, welcome: WelcomePage, session: "Session", folder: Path | None) -> None:
        super().__init__(session)
        self._welcome, self._session, self._folder = welcome, session, folder
        self._found: tuple[UnsavedEdits, ...] = ()
        self._discarded: UnsavedEdits | None = None
        self._tasks = TaskQueue(self)
        welcome.discard_requested.connect(self._ask_to_discard)
        session.changed.connect(self._follow_session)
        self._find()

    def close(self) -> None:
        """End the thread."""
        self._tasks.close(CLOSE_TIMEOUT_S)

    @Slot(object, object)
    def _follow_session(self, old: "Document", new: "Document") -> None:
        if new.differs(old, "opened"):
            self._find()

    def _find(self) -> None:
        if self._folder is not None and not self._session.is_open:
            folder = self._folder  # one that cannot be read has no journals to list
            self._tasks.run("unsaved", lambda _task: find_unsaved_edits(folder), self._show)

    def _show(self, found: tuple[UnsavedEdits, ...]) -> None:
        self._found = found
        self._welcome.set_unsaved(
            [RecentBenchmark(edits.path, Path(edits.path).name, edits.missing, _detail(edits)) for edits in found]
        )

    @Slot(str)
    def _ask_to_discard(self, path: str) -> None:
        edits = next((edits for edits in self._found if edits.path == path), None)
        if edits is None:
            return
        self._discarded = edits
        text = f"Discard the edits of “{Path(path).name}” that were not saved in a project?"
        box = discard_dialog(self._welcome.window(), DISCARD_ABANDONED_DIALOG, text)
        box.finished.connect(self._discard)
        box.open()

    @Slot(int)
    def _discard(self, button: int) -> None:
        edits, self._discarded = self._discarded, None
        if edits is not None and button == QMessageBox.StandardButton.Discard:
            delete_journals(edits)
            self._find()


def _detail(edits: UnsavedEdits) -> str:
    count = {0: "edits without notes", 1: "1 note"}.get(edits.notes, f"{edits.notes} notes")
    return f"{count}, {datetime.fromtimestamp(edits.modified):%Y-%m-%d %H:%M}"
