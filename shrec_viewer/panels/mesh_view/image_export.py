"""Copy and save images of the 3D view and of the ranked list."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QWidget

from shrec_viewer.formats.io.atomic import atomic_file
from shrec_viewer.render.thumbnails.thumbnail import encode_png
from shrec_viewer.viewmodels.ranking.ranked_list import ResultStrip
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.tasks.tasks import Task
from shrec_viewer.viewmodels.thumbnails.qimage import qimage_to_rgba
from shrec_viewer.widgets.controls.file_dialogs import EXPORT, choose_save_path


def choose_image_path(parent: QWidget, name: str) -> Path | None:
    """Open the file dialog for a PNG file; None if it is cancelled."""
    start = Path.home() / f"{_safe_filename(name)}.png"
    path, _ = choose_save_path(parent, "Save image", EXPORT, start, "PNG images (*.png)", ".png")
    return path


def save_in_background(session: Session, image: QImage, path: Path) -> None:
    """Write a PNG file in a background task, since compressing a large image takes 100 ms; report the result."""
    if not session.may_write(path):
        return
    session.tasks.run(
        f"save {path}",  # a task replaces the one of the same key, which must not affect other files
        partial(_save_task, image, path),
        partial(_report_saved, session, path),
        partial(session.report_failure, f"{path.name} cannot be written"),
        title=f"Saving {path.name}",
    )


def _save_task(image: QImage, path: Path, _task: Task) -> None:
    save_image(image, path)


def _report_saved(session: Session, path: Path, _result: object) -> None:
    session.done.emit(f"Saved {path}")


def save_image(image: QImage, path: Path) -> None:
    """Write a PNG file atomically.

    Raises
    ------
    FormatError
        The file cannot be written; an existing file is unchanged.
    """
    content = encode_png(qimage_to_rgba(image))
    with atomic_file(path) as draft:
        draft.write_bytes(content)


def _safe_filename(name: str) -> str:
    """A name without characters that are not allowed in file names."""
    return "".join(letter if letter.isalnum() or letter in " -_." else "-" for letter in name).strip() or "view"


class ResultStripExporter(QObject):
    """Renders the ranked list of the selected query as an image, then copies or saves it."""

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._strip = ResultStrip(session, self)
        self._save_path: Path | None = None
        self._strip.rendered.connect(self._copy_or_save)

    @property
    def name(self) -> str:
        """Default file name: ``"Q01 B2"``."""
        benchmark, run = self._session.benchmark, self._session.run
        if benchmark is None or run is None:
            return ""
        return f"{benchmark.queries.ids[self._session.selection.query]} {run.name}"

    def copy(self) -> None:
        """Render the image and copy it."""
        self._save_path = None
        self._strip.render()

    def save(self, path: Path) -> None:
        """Render the image and save it as a PNG file."""
        self._save_path = path
        self._strip.render()

    def _copy_or_save(self, image: QImage) -> None:
        if self._save_path is None:
            QGuiApplication.clipboard().setImage(image)
            self._session.done.emit(f"Image of {self.name} copied")
        else:
            save_in_background(self._session, image, self._save_path)
