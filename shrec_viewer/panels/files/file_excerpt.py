"""Dialog with the lines of the file that a finding refers to."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from shrec_viewer.viewmodels.files.finding_location import Excerpt, read_excerpt
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.tasks.tasks import describe_failure
from shrec_viewer.widgets.controls.controls import EmptyState
from shrec_viewer.widgets.controls.plain_text import PlainLabel, title_text
from shrec_viewer.widgets.style.theme import SPACE
from shrec_viewer.widgets.tables.file_preview import NumberedLinesView

EXCERPT_TASK = "file excerpt"

DIALOG_SIZE = (760, 480)
"""Initial size in pixels: about 80 characters and 20 lines."""


class FileExcerptDialog(QDialog):
    """Non-modal dialog that shows lines of a file; one dialog is reused for all findings."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self._path: Path | None = None
        self.lines = NumberedLinesView()
        self.summary = PlainLabel()
        self.note = PlainLabel()
        self.error_page = EmptyState("findings")
        self.open_externally = QPushButton("Open in default application")
        self._close = QPushButton("Close")
        self._pages = QStackedWidget()
        self._build()
        self.open_externally.clicked.connect(self._open_externally)
        self._close.clicked.connect(self.close)
        session.benchmark_changed.connect(self._close_with_benchmark)

    def show_lines(self, path: Path, line: int | None, text: str) -> None:
        """Show the lines of a file around `line`, below the text of a finding."""
        self._path = path
        self.setWindowTitle(title_text(f"{path.name}:{line}" if line else path.name))
        self.summary.setText(text)
        self.note.setText("Reading…")
        self._session.tasks.run(
            EXCERPT_TASK, partial(read_excerpt, path, line), self._show, self._fail, title=f"Reading {path.name}"
        )
        self.show()
        self.activateWindow()

    def _build(self) -> None:
        self.resize(*DIALOG_SIZE)
        self.summary.setWordWrap(True)
        self.summary.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.note.setProperty("muted", True)
        self.lines.setAccessibleName("Lines of the file")
        self._close.setDefault(True)
        self._pages.addWidget(self.lines)
        self._pages.addWidget(self.error_page)
        footer = QHBoxLayout()
        footer.setContentsMargins(3 * SPACE, 0, 3 * SPACE, 0)
        footer.addWidget(self.note, 1)
        footer.addWidget(self.open_externally)
        footer.addWidget(self._close)
        header = QHBoxLayout()
        header.setContentsMargins(3 * SPACE, 0, 3 * SPACE, 0)
        header.addWidget(self.summary)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 3 * SPACE, 0, 3 * SPACE)
        layout.setSpacing(2 * SPACE)
        layout.addLayout(header)
        layout.addWidget(self._pages, 1)
        layout.addLayout(footer)

    def _show(self, excerpt: Excerpt) -> None:
        self.lines.set_lines(excerpt.lines, excerpt.first if excerpt.numbered else None, excerpt.mark)
        self.note.setText(excerpt.note or str(excerpt.path))
        self._pages.setCurrentWidget(self.lines)
        self.lines.setFocus()

    def _fail(self, error: Exception) -> None:
        message, _ = describe_failure("The file cannot be shown", error)
        self.error_page.set_message("No lines to show", message)
        self.note.setText("" if self._path is None else str(self._path))
        self._pages.setCurrentWidget(self.error_page)

    @Slot()
    def _open_externally(self) -> None:
        if self._path is not None and not QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._path))):
            self.note.setText("No application is associated with this file type")

    @Slot()
    def _close_with_benchmark(self) -> None:
        """Close the dialog when the benchmark is closed."""
        if self._session.benchmark is None:
            self.close()
