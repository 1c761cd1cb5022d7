"""Dialog that shows the lines of a file a finding refers to."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from shrec_viewer.viewmodels.files.finding_location import Excerpt, read_excerpt
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.tasks.tasks import describe_failure
from shrec_viewer.widgets.controls.empty_state import EmptyState
from shrec_viewer.widgets.style.theme import SPACE
from shrec_viewer.widgets.tables.file_preview import NumberedLinesView

EXCERPT_TASK = "place"

DIALOG_SIZE = (760, 480)
"""Pixels of the window at first: some eighty letters and twenty lines."""


class FileExcerptDialog(QDialog):
    """Lines of a file; stays beside the program's window and shows whatever is asked for next."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self._path: Path | None = None
        self.lines = NumberedLinesView()
        self.said = QLabel()
        self.note = QLabel()
        self.problem = EmptyState("findings")
        self.elsewhere = QPushButton("Open with the system's program")
        self._close = QPushButton("Close")
        self._pages = QStackedWidget()
        self._build()
        self.elsewhere.clicked.connect(self._open_externally)
        self._close.clicked.connect(self.close)
        session.benchmark_changed.connect(self._leave)

    def show_place(self, path: Path, line: int | None, why: str) -> None:
        """Show a file from this line, and why: the sentence of a finding."""
        self._path = path
        self.setWindowTitle(f"{path.name}:{line}" if line else path.name)
        self.said.setText(why)
        self.note.setText("Reading…")
        self._session.tasks.run(
            EXCERPT_TASK, partial(read_excerpt, path, line), self._show, self._fail, title=f"Reading {path.name}"
        )
        self.show()
        self.activateWindow()

    def _build(self) -> None:
        self.resize(*DIALOG_SIZE)
        self.said.setWordWrap(True)
        self.said.setTextFormat(Qt.TextFormat.PlainText)
        self.said.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.note.setProperty("muted", True)
        self.lines.setAccessibleName("Lines of the file")
        self._close.setDefault(True)
        self._pages.addWidget(self.lines)
        self._pages.addWidget(self.problem)
        footer = QHBoxLayout()
        footer.setContentsMargins(3 * SPACE, 0, 3 * SPACE, 0)
        footer.addWidget(self.note, 1)
        footer.addWidget(self.elsewhere)
        footer.addWidget(self._close)
        header = QHBoxLayout()
        header.setContentsMargins(3 * SPACE, 0, 3 * SPACE, 0)
        header.addWidget(self.said)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 3 * SPACE, 0, 3 * SPACE)
        layout.setSpacing(2 * SPACE)
        layout.addLayout(header)
        layout.addWidget(self._pages, 1)
        layout.addLayout(footer)

    def _show(self, found: Excerpt) -> None:
        self.lines.set_lines(found.lines, found.first if found.numbered else None, found.mark)
        self.note.setText(found.note or str(found.path))
        self._pages.setCurrentWidget(self.lines)
        self.lines.setFocus()

    def _fail(self, error: Exception) -> None:
        sentence, _ = describe_failure("The file cannot be shown", error)
        self.problem.set_message("There are no lines to show", sentence)
        self.note.setText("" if self._path is None else str(self._path))
        self._pages.setCurrentWidget(self.problem)

    @Slot()
    def _open_externally(self) -> None:
        if self._path is not None and not QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._path))):
            self.note.setText("The system has no program for this file")

    @Slot()
    def _leave(self) -> None:
        """Another benchmark is open: the place is none of it."""
        if self._session.benchmark is None:
            self.close()
