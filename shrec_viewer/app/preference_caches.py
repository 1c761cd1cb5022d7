"""What the program keeps on disk to be quick, how large it is, and a way to be rid of it."""

from pathlib import Path

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from shrec_viewer.app.preference_options import FILES, PICTURES
from shrec_viewer.widgets.theme import SPACE

MEGABYTE = 1e6


class CacheRow(QWidget):
    """Name, size, and a button that clears.

    Parameters
    ----------
    title : what is kept.
    explanation : what for.
    folder : where.
    """

    def __init__(self, title: str, explanation: str, folder: Path) -> None:
        super().__init__()
        self._folder = folder
        self._title = title
        self._words = QLabel()
        self.button = QPushButton("Clear")
        self.button.setAutoDefault(False)
        self.button.setAccessibleName(f"Clear: {title}")
        self.button.clicked.connect(self._clear)
        quiet = QLabel(f"{explanation} {folder}")
        quiet.setProperty("muted", True)
        quiet.setWordWrap(True)
        line = QHBoxLayout()
        line.addWidget(self._words, 1)
        line.addWidget(self.button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE)
        column.addLayout(line)
        column.addWidget(quiet)
        self._show()

    def taken(self) -> int:
        """Bytes on disk; files that go away meanwhile count nothing."""
        return sum(_bytes(path) for path in _files(self._folder))

    def _show(self) -> None:
        self._words.setText(f"{self._title}: {self.taken() / MEGABYTE:,.1f} MB")

    @Slot()
    def _clear(self) -> None:
        """What the program holds open stays as it is on systems that forbid it; it goes with the next start."""
        for path in _files(self._folder):
            try:
                path.unlink(missing_ok=True)
            except OSError:
                continue
        self._show()


def cache_rows() -> list[tuple[str, str, QWidget]]:
    """Page, words to look for, and row of each cache."""
    from shrec_viewer.render.cache import cache_folder
    from shrec_viewer.viewmodels.parsed_files import parsed_folder

    rows = (
        (PICTURES, "Drawn pictures", "Kept so that a benchmark shows its models at once.", cache_folder()),
        (FILES, "Parsed files", "Kept so that large texts are read once.", parsed_folder()),
    )
    return [(page, f"{title}\n{words} cache clear", CacheRow(title, words, path)) for page, title, words, path in rows]


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()] if folder.is_dir() else []


def _bytes(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
