"""Standard dialogs: folder, file, rank, colour, discard edits; parts of other dialogs; open the log."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QColor, QDesktopServices, QFontDatabase
from PySide6.QtWidgets import QColorDialog, QDialog, QInputDialog, QMessageBox, QPlainTextEdit, QWidget

from shrec_viewer.app.startup.error_reporting import log_path
from shrec_viewer.widgets.controls import file_dialogs
from shrec_viewer.widgets.controls.plain_text import PlainMessageBox, title_text


class WindowDialog(QDialog):
    """Dialog of the window with an object name and a title, which is deleted when it is closed."""

    def __init__(self, parent: QWidget, name: str, title: str, flags: Qt.WindowType = Qt.WindowType.Dialog) -> None:
        super().__init__(parent, flags)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName(name)
        self.setWindowTitle(title)


def fixed_pitch_text(name: str, text: str = "") -> QPlainTextEdit:
    """A text in a font of fixed pitch that cannot be edited.

    Parameters
    ----------
    name : its accessible name.
    """
    field = QPlainTextEdit(text, readOnly=True)
    field.setAccessibleName(name)
    field.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
    return field


#: File filter of benchmarks that are files.
BENCHMARK_FILTER = "Benchmarks (benchmark.toml *.toml *.shrec *.zip);;All files (*)"


def choose_folder(parent: QWidget, start: Path, purpose: str = "open folder") -> Path | None:
    """Open a dialog for a benchmark folder; None if the dialog is cancelled. See `file_dialogs` for `purpose`."""
    return file_dialogs.choose_folder(parent, "Open benchmark folder", purpose, start)


def choose_file(parent: QWidget, start: Path) -> Path | None:
    """Open a dialog for a benchmark file; None if the dialog is cancelled."""
    return file_dialogs.choose_open_path(parent, "Open benchmark file", "open file", start, BENCHMARK_FILTER)


def choose_rank(parent: QWidget, current: int, highest: int) -> int | None:
    """Open a dialog for a rank from 1 to `highest`; None if the dialog is cancelled."""
    rank, chosen = QInputDialog.getInt(parent, "Go to rank", f"Rank (1 to {highest:,}):", current, 1, highest)
    return rank if chosen else None


def choose_colour(parent: QWidget, run: str, current: str) -> str:
    """Open the colour dialog for a run; returns the colour as ``#rrggbb``; "" if the dialog is cancelled."""
    colour = QColorDialog.getColor(QColor(current or "#808080"), parent, f"Colour of {title_text(run)}")
    return colour.name() if colour.isValid() else ""


def discard_dialog(parent: QWidget, name: str, text: str) -> QMessageBox:
    """Message box that asks whether to discard unsaved edits, not yet open; it is deleted when it is closed.

    Parameters
    ----------
    name : object name of the dialog.
    text : the question.
    """
    details = "Their notes, levels, changes of runs and colours cannot be restored afterwards."
    buttons = (QMessageBox.StandardButton.Discard, QMessageBox.StandardButton.Cancel)
    return question_box(parent, name, "Discard unsaved edits", text, details, buttons, default=1)


#: A button of a question.
Answer = QMessageBox.StandardButton | tuple[str, QMessageBox.ButtonRole]


def question_box(
    parent: QWidget,
    name: str,
    title: str,
    text: str,
    details: str,
    answers: Sequence[Answer],
    *,
    default: int = 0,
    icon: QMessageBox.Icon = QMessageBox.Icon.Warning,
) -> QMessageBox:
    """Message box with some answers, not yet open; it is deleted when it is closed.

    Parameters
    ----------
    name : object name of the dialog.
    text, details : the question and what to know for an answer.
    default : index of the answer of the Enter key.
    """
    box = PlainMessageBox(parent)
    box.setObjectName(name)
    box.setWindowTitle(title)
    box.setIcon(icon)
    box.setText(text)
    box.setInformativeText(details)
    buttons = [box.addButton(*one) if isinstance(one, tuple) else box.addButton(one) for one in answers]
    box.setDefaultButton(buttons[default])
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    return box


def is_exporting(session: Any, key: str, what: str) -> bool:
    """Whether an export is running, which a message then says: a second one would end the first."""
    if is_running := session.tasks.is_busy(key):
        text = f"{what} is being written; wait until it is finished, or cancel it in the status bar"
        session.message.emit("info", text, "")
    return bool(is_running)


def replace_dialog(parent: QWidget, target: Path, what: str) -> QMessageBox:
    """Message box that asks whether to replace a folder that an export wrote, not yet open; accepted by *Replace*.

    Parameters
    ----------
    what : the content of the folder, ``"a contest site"``.
    """
    details = f"It contains {what}, all of whose files are replaced."
    replacing = ("Replace", QMessageBox.ButtonRole.AcceptRole)
    answers = (replacing, QMessageBox.StandardButton.Cancel)
    return question_box(parent, "replace_folder", "Replace folder", f"Replace {target}?", details, answers, default=1)


def open_log() -> bool:
    """Open the log file in the default application; False if there is none or it is empty."""
    path = log_path()
    if not path.exists() or not path.stat().st_size:
        return False
    return QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))
