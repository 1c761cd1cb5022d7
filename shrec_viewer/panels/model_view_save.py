"""Where a picture of the view goes, and how it gets there whole."""

from functools import partial
from pathlib import Path

from PySide6.QtGui import QImage
from PySide6.QtWidgets import QFileDialog, QWidget

from shrec_viewer.formats.atomic import new_file
from shrec_viewer.render.thumbnail import encode_png
from shrec_viewer.viewmodels.picture_strip import as_pixels
from shrec_viewer.viewmodels.session import Session
from shrec_viewer.viewmodels.tasks import Task

LANES = tuple(f"save picture {number}" for number in range(8))
"""Pictures that can be on their way at once: each asks for a file first, and nobody chooses nine in 100 ms."""


def ask_picture_file(parent: QWidget, name: str) -> Path | None:
    """The file the person chose, or None."""
    start = str(Path.home() / f"{_plain(name)}.png")
    chosen, _ = QFileDialog.getSaveFileName(parent, "Save as a picture", start, "PNG pictures (*.png)")
    if not chosen:
        return None
    path = Path(chosen)
    return path if path.suffix else path.with_suffix(".png")


def save_beside(session: Session, picture: QImage, path: Path) -> None:
    """Write a PNG beside the window, and tell how that went: a large one takes 100 ms to pack."""
    session.tasks.run(
        _free_lane(session),
        partial(_save, picture, path),
        partial(_tell_saved, session, path),
        partial(session.tell_failure, f"{path.name} cannot be written"),
        title=f"Saving {path.name}",
    )


def _free_lane(session: Session) -> str:
    """Of a few, one in which nothing waits: a picture never takes the place of one that is still being saved."""
    return min(LANES, key=session.tasks.is_busy)


def _save(picture: QImage, path: Path, _task: Task) -> None:
    save_picture(picture, path)


def _tell_saved(session: Session, path: Path, _answer: object) -> None:
    session.done.emit(f"Saved {path}")


def save_picture(picture: QImage, path: Path) -> None:
    """Write a PNG, whole or not at all.

    Raises
    ------
    FormatError
        The disk does not take it; what was there before still is.
    """
    content = encode_png(as_pixels(picture))
    with new_file(path) as draft:
        draft.write_bytes(content)


def _plain(name: str) -> str:
    """Without what no file may be called."""
    return "".join(letter if letter.isalnum() or letter in " -_." else "-" for letter in name).strip() or "view"
