"""Message strip about files whose interpretation is ambiguous."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import QTimer, Slot
from PySide6.QtWidgets import QWidget

from shrec_viewer.panels.files.import_dialog import open_import_dialog
from shrec_viewer.viewmodels.files.import_dialog import ImportFile, ambiguous_files
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.labels import count_text
from shrec_viewer.widgets.controls.messages import MessageBar

AMBIGUITY_TASK = "ambiguous files"

CHECK_DELAY_MS = 300
"""Delay in milliseconds of the check after opening a benchmark, so that scores and thumbnails start first."""


class ImportStrip(MessageBar):
    """Strip about ambiguous files; separate from the message bar, so that it stays open without covering errors."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._dismissed_path: Path | None = None
        self.ambiguous_files: tuple[ImportFile, ...] = ()
        self._check_timer = QTimer(self, interval=CHECK_DELAY_MS, singleShot=True)
        self._check_timer.timeout.connect(self._check)
        self.action_requested.connect(self._open_dialog)
        self.dismissed.connect(self._on_dismissed)
        session.benchmark_changed.connect(self._schedule_check)
        self._schedule_check()

    @Slot()
    def _schedule_check(self) -> None:
        self.ambiguous_files = ()
        self.dismiss()
        if self._session.benchmark is None:
            self._check_timer.stop()
            self._dismissed_path = None
        elif self._session.path != self._dismissed_path:
            self._check_timer.start()

    @Slot()
    def _check(self) -> None:
        session = self._session
        if session.benchmark is not None:
            work = partial(ambiguous_files, session.benchmark, session.manifest)
            session.tasks.run(AMBIGUITY_TASK, work, self._show_files, self._fail, title="Checking for ambiguous files")

    def _show_files(self, files: tuple[ImportFile, ...]) -> None:
        self.ambiguous_files = files
        if files:
            self.show_message("warning", ambiguity_text(files), action="Choose…", persistent=True)

    def _fail(self, error: Exception) -> None:
        self._session.report_failure("The files cannot be checked", error)

    @Slot()
    def _open_dialog(self, *_: object) -> None:
        if self.ambiguous_files:
            first = self.ambiguous_files[0]
            open_import_dialog(self.window(), self._session, first.run, first.path)

    @Slot()
    def _on_dismissed(self) -> None:
        """Do not show the strip again when the same benchmark is reloaded."""
        self._dismissed_path = self._session.path


def ambiguity_text(files: tuple[ImportFile, ...]) -> str:
    """``"F2.txt: Order of rows and columns? Not determined by the file (2 more files are ambiguous)"``."""
    first, others = files[0], len(files) - 1
    more = f" ({count_text(others, 'more file')} {'is' if others == 1 else 'are'} ambiguous)" if others else ""
    return f"{first.path.name}: {first.ambiguity}{more}"
