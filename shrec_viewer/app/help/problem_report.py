"""Details for the report of a problem: versions, system, renderers, plug-ins, end of the log."""

from pathlib import Path
from typing import Any

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from shrec_viewer.app.dialogs.about import plugins, renderers, shorten_home, system_info, versions
from shrec_viewer.app.startup.error_reporting import log_path
from shrec_viewer.printable import printable_lines
from shrec_viewer.widgets.controls.plain_text import PlainLabel
from shrec_viewer.widgets.style.theme import SPACE

SIZE = QSize(760, 560)
"""Size in pixels: lines of a traceback with 90 characters."""

LOG_BYTES = 20_000
"""End of the log that is shown: about ten tracebacks."""

EXPLANATION = (
    "Write what you did, what you expected and what happened, and add these details. The program sends nothing: copy "
    "them into your message. The path of your home folder is shortened to ~; check the rest before you send it."
)


def report_text(session: Any, log: Path) -> str:
    """Details as lines of text.

    Parameters
    ----------
    session : a `Session`, or None while the window is not assembled.
    log : log file of the window.
    """
    rows = [*versions(), *system_info(), *renderers(session), *plugins()]
    lines = [f"{name}: {text}" for name, text in rows]
    return shorten_home("\n".join([*lines, "", f"End of {log}:", log_tail(log)]))


def log_tail(log: Path) -> str:
    """Last lines of the log, at most `LOG_BYTES`; a message if there are none."""
    try:
        with log.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(size - LOG_BYTES, 0))
            text = file.read(LOG_BYTES).decode("utf-8", "replace")
    except OSError:
        return "(there is no log)"
    if size > LOG_BYTES:
        text = text.partition("\n")[2]
    return printable_lines(text.rstrip()) or "(the log is empty)"


class ProblemReportDialog(QDialog):
    """Details for a report, to be copied."""

    def __init__(self, parent: QWidget, session: Any) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName("problem_report")
        self.setWindowTitle("Report a problem")
        explanation, self.details = PlainLabel(EXPLANATION), QPlainTextEdit(report_text(session, log_path()))
        explanation.setWordWrap(True)
        self.details.setReadOnly(True)
        self.details.setAccessibleName("Details for a report")
        self.details.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.copy, close = QPushButton("Copy"), QPushButton("Close")
        self.copy.setProperty("primary", True)
        self.copy.setDefault(True)
        self.copy.clicked.connect(self._copy)
        close.clicked.connect(self.close)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        for button in (self.copy, close):
            buttons.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4 * SPACE, 4 * SPACE, 4 * SPACE, 4 * SPACE)
        layout.setSpacing(3 * SPACE)
        layout.addWidget(explanation)
        layout.addWidget(self.details, 1)
        layout.addLayout(buttons)
        self.resize(SIZE.boundedTo(parent.size()))

    @Slot()
    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.details.toPlainText())
        self.copy.setText("Copied")
