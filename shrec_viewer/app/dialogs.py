"""What the window asks in a dialog, and what it tells in one."""

import sys
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QLibraryInfo, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QIcon
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QGridLayout,
    QInputDialog,
    QLabel,
    QMessageBox,
    QVBoxLayout,
    QWidget,
)

from shrec_viewer import __version__
from shrec_viewer.app.errors import log_path

FILES = "Benchmarks (benchmark.toml *.toml *.shrec *.zip);;All files (*)"
"""What can be opened as a file; a folder is opened by its own command."""


def ask_folder(parent: QWidget, start: Path) -> Path | None:
    """The folder the person chose, or None."""
    name = QFileDialog.getExistingDirectory(parent, "Open the folder of a benchmark", str(start))
    return Path(name) if name else None


def ask_file(parent: QWidget, start: Path) -> Path | None:
    """The file the person chose, or None."""
    name, _ = QFileDialog.getOpenFileName(parent, "Open a benchmark", str(start), FILES)
    return Path(name) if name else None


def ask_rank(parent: QWidget, current: int, highest: int) -> int | None:
    """A rank between 1 and `highest`, or None."""
    rank, chosen = QInputDialog.getInt(parent, "Go to rank", f"Rank (1 to {highest:,}):", current, 1, highest)
    return rank if chosen else None


def show_keys(parent: QWidget, rows: Sequence[tuple[str, str, str]]) -> None:
    """Show all keys: rows of menu, command and keys."""
    dialog = QDialog(parent)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setWindowTitle("Keyboard shortcuts")
    grid = QGridLayout()
    grid.setHorizontalSpacing(24)
    grid.setVerticalSpacing(4)
    last_menu = ""
    for row, (menu, text, keys) in enumerate(rows):
        heading = QLabel(menu if menu != last_menu else "")
        heading.setProperty("muted", True)
        for column, label in enumerate((heading, QLabel(text), QLabel(keys))):
            grid.addWidget(label, row, column)
        last_menu = menu
    buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
    buttons.button(QDialogButtonBox.StandardButton.Close).setIcon(QIcon())
    buttons.rejected.connect(dialog.reject)
    layout = QVBoxLayout(dialog)
    layout.addLayout(grid)
    layout.addWidget(buttons)
    dialog.open()


def show_about(parent: QWidget) -> None:
    """Show what this is and in which version."""
    box = QMessageBox(parent)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setWindowTitle("About SHREC Viewer")
    box.setText(f"SHREC Viewer {__version__}")
    box.setInformativeText(
        "Looks into the rankings of 3D shape retrieval contests and computes their measures.\n\n"
        f"Python {sys.version.split()[0]}, Qt {QLibraryInfo.version().toString()}"
    )
    box.setStandardButtons(QMessageBox.StandardButton.Close)
    box.button(QMessageBox.StandardButton.Close).setIcon(QIcon())
    box.open()


def open_log() -> bool:
    """Open the log in the system's viewer of texts; False where there is none yet."""
    path = log_path()
    if not path.exists() or not path.stat().st_size:
        return False
    return QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))
