"""Where a picture of the view goes, and how it gets there whole."""

from pathlib import Path

from PySide6.QtCore import QByteArray, QIODevice, QSaveFile
from PySide6.QtGui import QImage, QImageWriter
from PySide6.QtWidgets import QFileDialog, QWidget


def ask_picture_file(parent: QWidget, name: str) -> Path | None:
    """The file the person chose, or None."""
    start = str(Path.home() / f"{_plain(name)}.png")
    chosen, _ = QFileDialog.getSaveFileName(parent, "Save as a picture", start, "PNG pictures (*.png)")
    if not chosen:
        return None
    path = Path(chosen)
    return path if path.suffix else path.with_suffix(".png")


def save_picture(picture: QImage, path: Path) -> None:
    """Write a PNG, whole or not at all.

    Raises
    ------
    OSError
        The disk does not take it; what was there before still is.
    """
    file = QSaveFile(str(path))
    if not file.open(QIODevice.OpenModeFlag.WriteOnly):
        raise OSError(file.errorString())
    writer = QImageWriter(file, QByteArray(b"png"))
    if not writer.write(picture):
        file.cancelWriting()
        raise OSError(writer.errorString())
    if not file.commit():
        raise OSError(file.errorString())


def _plain(name: str) -> str:
    """Without what no file may be called."""
    return "".join(letter if letter.isalnum() or letter in " -_." else "-" for letter in name).strip() or "view"
