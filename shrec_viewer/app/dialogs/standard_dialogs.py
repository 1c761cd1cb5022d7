"""Standard dialogs: folder, file, rank and colour; open the log."""

import re
from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QColor, QDesktopServices
from PySide6.QtWidgets import QColorDialog, QFileDialog, QInputDialog, QWidget

from shrec_viewer.app.startup.error_reporting import log_path

BENCHMARK_FILTER = "Benchmarks (benchmark.toml *.toml *.shrec *.zip);;All files (*)"
"""What can be opened as a file; a folder is opened by its own command."""


TABLE_FILTER = "Values with all digits (*.csv)"
"""What a table is exported as."""


def ask_folder(parent: QWidget, start: Path) -> Path | None:
    """The folder the person chose, or None."""
    name = QFileDialog.getExistingDirectory(parent, "Open the folder of a benchmark", str(start))
    return Path(name) if name else None


def ask_file(parent: QWidget, start: Path) -> Path | None:
    """The file the person chose, or None."""
    name, _ = QFileDialog.getOpenFileName(parent, "Open a benchmark", str(start), BENCHMARK_FILTER)
    return Path(name) if name else None


def ask_table_file(parent: QWidget, name: str) -> Path | None:
    """The file for a table of this name that the person chose, or None."""
    plain = re.sub(r"[^\w.()@+-]+", "-", name).strip("-")
    start = Path.home() / f"{plain}.csv"
    chosen, _ = QFileDialog.getSaveFileName(parent, "Export the table", str(start), TABLE_FILTER)
    return None if not chosen else Path(chosen) if Path(chosen).suffix else Path(f"{chosen}.csv")


def ask_rank(parent: QWidget, current: int, highest: int) -> int | None:
    """A rank between 1 and `highest`, or None."""
    rank, chosen = QInputDialog.getInt(parent, "Go to rank", f"Rank (1 to {highest:,}):", current, 1, highest)
    return rank if chosen else None


def ask_colour(parent: QWidget, run: str, current: str) -> str:
    """A colour for a run as ``#rrggbb``, "" for no answer."""
    colour = QColorDialog.getColor(QColor(current or "#808080"), parent, f"Colour of {run}")
    return colour.name() if colour.isValid() else ""


def open_log() -> bool:
    """Open the log in the system's viewer of texts; False where there is none yet."""
    path = log_path()
    if not path.exists() or not path.stat().st_size:
        return False
    return QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))
