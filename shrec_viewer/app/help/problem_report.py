"""Details for the report of a problem: versions, system, renderers, plug-ins, end of the log."""

from pathlib import Path
from typing import Any

from PySide6.QtCore import QSize, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton, QWidget

from shrec_viewer.app.dialogs.about import plugins, renderers, shorten_home, system_info, versions
from shrec_viewer.app.dialogs.standard_dialogs import WindowDialog, fixed_pitch_text
from shrec_viewer.app.startup.error_reporting import log_path
from shrec_viewer.printable import printable_lines
from shrec_viewer.widgets.controls.layouts import Stretch, column_of, row_of
from shrec_viewer.widgets.controls.plain_text import PlainLabel
from shrec_viewer.widgets.style.theme import SPACE

#: Size in pixels: lines of a traceback with 90 characters.
SIZE = QSize(760, 560)

#: End of the log that is shown: about ten tracebacks.
LOG_BYTES = 20_000

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


class ProblemReportDialog(WindowDialog):
    """Details for a report, to be copied."""

    def __init__(self, parent: QWidget, session: Any) -> None:
        super().__init__(parent, "problem_report", "Report a problem")
        explanation = PlainLabel(EXPLANATION, wraps=True)
        self.details = fixed_pitch_text("Details for a report", report_text(session, log_path()))
        self.copy, close = QPushButton("Copy"), QPushButton("Close")
        self.copy.setProperty("primary", True)
        self.copy.setDefault(True)
        self.copy.clicked.connect(self._copy)
        close.clicked.connect(self.close)
        buttons = row_of(Stretch(), self.copy, close)
        self.setLayout(column_of(explanation, (self.details, 1), buttons, spacing=3 * SPACE, margins=4 * SPACE))
        self.resize(SIZE.boundedTo(parent.size()))

    @Slot()
    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.details.toPlainText())
        self.copy.setText("Copied")
