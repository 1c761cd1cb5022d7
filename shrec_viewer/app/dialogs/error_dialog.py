"""Dialog for uncaught exceptions, with details to copy."""

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from shrec_viewer.app.dialogs.about import diagnostics
from shrec_viewer.app.dialogs.standard_dialogs import open_log
from shrec_viewer.widgets.controls.plain_text import PlainLabel
from shrec_viewer.widgets.style.theme import SPACE, current_theme, icon_pixmap, text_font

SIZE = QSize(680, 420)
"""Size in pixels: a traceback with lines of 90 characters."""

MAX_REPORTS = 20
"""Maximum number of errors listed; the log has all."""

EXPLANATION = "Your data are unchanged. Save your project and continue. If the error occurs again, please report it."


class ErrorDialog(QDialog):
    """Non-modal dialog that lists all uncaught exceptions of a session."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("error_dialog")
        self.setWindowTitle("Unexpected error")
        self._reports: list[str] = []
        self.message, self._explanation, self.details = PlainLabel(), PlainLabel(EXPLANATION), QPlainTextEdit()
        self.copy, self.log, self.continue_button = (
            QPushButton("Copy"),
            QPushButton("Show the log"),
            QPushButton("Continue"),
        )
        self._build()
        self.copy.clicked.connect(self._copy)
        self.log.clicked.connect(self._show_log)
        self.continue_button.clicked.connect(self.close)
        self.resize(SIZE.boundedTo(parent.size()))

    def show_error(self, text: str, details: str) -> None:
        """Show an error; its traceback is listed once, also if it occurs again."""
        if details not in self._reports:
            self._reports = [*self._reports, details][-MAX_REPORTS:]
        count = len(self._reports)
        self.message.setText(text if count == 1 else f"{text}\n({count} different errors so far)")
        self.details.setPlainText("\n\n".join([*reversed(self._reports), diagnostics()]))
        self.show()

    def _build(self) -> None:
        mark = PlainLabel()
        mark.setPixmap(icon_pixmap("error", current_theme().error, 32, self.devicePixelRatioF()))
        self.message.setWordWrap(True)
        self.message.setFont(text_font(self.font(), bold=True))
        self._explanation.setWordWrap(True)
        self._explanation.setProperty("muted", True)
        self.details.setReadOnly(True)
        self.details.setAccessibleName("Details for a report")
        self.details.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.continue_button.setDefault(True)
        header, texts, footer = QHBoxLayout(), QVBoxLayout(), QHBoxLayout()
        texts.addWidget(self.message)
        texts.addWidget(self._explanation)
        header.addWidget(mark, 0, Qt.AlignmentFlag.AlignTop)
        header.addSpacing(2 * SPACE)
        header.addLayout(texts, 1)
        footer.addWidget(self.copy)
        footer.addWidget(self.log)
        footer.addStretch(1)
        footer.addWidget(self.continue_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4 * SPACE, 4 * SPACE, 4 * SPACE, 4 * SPACE)
        layout.setSpacing(3 * SPACE)
        layout.addLayout(header)
        layout.addWidget(self.details, 1)
        layout.addLayout(footer)

    @Slot()
    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(f"{self.message.text()}\n\n{self.details.toPlainText()}")

    @Slot()
    def _show_log(self) -> None:
        open_log()
