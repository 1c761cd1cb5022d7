"""Copy and save images of the 3D view and of the ranked list."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QFileDialog, QWidget

from shrec_viewer.formats.io.atomic import atomic_file
from shrec_viewer.render.thumbnails.thumbnail import encode_png
from shrec_viewer.viewmodels.ranking.result_strip import ResultStrip, qimage_to_rgba
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.tasks.tasks import Task

SAVE_TASKS = tuple(f"save picture {number}" for number in range(8))
"""Pictures that can be on their way at once: each asks for a file first, and nobody chooses nine in 100 ms."""


def ask_image_path(parent: QWidget, name: str) -> Path | None:
    """The file the person chose, or None."""
    start = str(Path.home() / f"{_safe_filename(name)}.png")
    chosen, _ = QFileDialog.getSaveFileName(parent, "Save as a picture", start, "PNG pictures (*.png)")
    if not chosen:
        return None
    path = Path(chosen)
    return path if path.suffix else path.with_suffix(".png")


def save_in_background(session: Session, picture: QImage, path: Path) -> None:
    """Write a PNG beside the window, and tell how that went: a large one takes 100 ms to pack."""
    session.tasks.run(
        _free_task_name(session),
        partial(_save_task, picture, path),
        partial(_report_saved, session, path),
        partial(session.report_failure, f"{path.name} cannot be written"),
        title=f"Saving {path.name}",
    )


def _free_task_name(session: Session) -> str:
    """Of a few, one in which nothing waits: a picture never takes the place of one that is still being saved."""
    return min(SAVE_TASKS, key=session.tasks.is_busy)


def _save_task(picture: QImage, path: Path, _task: Task) -> None:
    save_image(picture, path)


def _report_saved(session: Session, path: Path, _answer: object) -> None:
    session.done.emit(f"Saved {path}")


def save_image(picture: QImage, path: Path) -> None:
    """Write a PNG, whole or not at all.

    Raises
    ------
    FormatError
        The disk does not take it; what was there before still is.
    """
    content = encode_png(qimage_to_rgba(picture))
    with atomic_file(path) as draft:
        draft.write_bytes(content)


def _safe_filename(name: str) -> str:
    """Without what no file may be called."""
    return "".join(letter if letter.isalnum() or letter in " -_." else "-" for letter in name).strip() or "view"


class ResultStripExporter(QObject):
    """Has the strip of the selected query drawn, and puts it where it was asked to."""

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._strip = ResultStrip(session, self)
        self._target: Path | None = None
        self._strip.made.connect(self._put)

    @property
    def name(self) -> str:
        """What a file of it is called unless the person says otherwise: ``"Q01 B2"``."""
        benchmark, run = self._session.benchmark, self._session.run
        if benchmark is None or run is None:
            return ""
        return f"{benchmark.queries.ids[self._session.selection.query]} {run.name}"

    def copy(self) -> None:
        """Draw it, then into the clipboard."""
        self._target = None
        self._strip.make()

    def save(self, path: Path) -> None:
        """Draw it, then into this file as a PNG."""
        self._target = path
        self._strip.make()

    def _put(self, image: QImage) -> None:
        if self._target is None:
            QGuiApplication.clipboard().setImage(image)
            self._session.done.emit(f"The picture of {self.name} is on the clipboard")
        else:
            save_in_background(self._session, image, self._target)
