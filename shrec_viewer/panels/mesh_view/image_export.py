"""Save images of the 3D view."""

from functools import partial
from pathlib import Path

from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

from shrec_viewer.formats.io.atomic import atomic_file
from shrec_viewer.render.thumbnails.thumbnail import encode_png
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.tasks.tasks import Task
from shrec_viewer.viewmodels.thumbnails.qimage import qimage_to_rgba
from shrec_viewer.widgets.controls.file_dialogs import EXPORT, choose_save_path, confirm_replacing

#: Filters of the file dialog.
_IMAGE, _TURN, _SERIES = "PNG image (*.png)", "Turntable as GIF (*.gif)", "Turntable as a folder of PNG images (*)"


def choose_image_path(parent: QWidget, name: str) -> Path | None:
    """Open the file dialog; a PNG or GIF file, a folder without the suffix of either, or None if it is cancelled."""
    start, filters = Path.home() / f"{_safe_filename(name)}.png", ";;".join((_IMAGE, _TURN, _SERIES))
    path, selected = choose_save_path(parent, "Save the 3D view", EXPORT, start, filters)
    if path is None:
        return None
    has_suffix = path.suffix.lower() in (".png", ".gif")
    if selected == _SERIES:
        return path.with_suffix("") if has_suffix else path
    suffix = ".gif" if selected == _TURN else ".png"
    wanted = path if has_suffix else path.with_name(path.name + suffix)
    return wanted if confirm_replacing(parent, path, wanted) else None


def save_in_background(session: Session, image: QImage, path: Path) -> None:
    """Write a PNG file in a background task, since compressing a large image takes 100 ms; report the result."""
    if not session.may_write(path):
        return
    session.tasks.run(
        f"save {path}",  # a task replaces the one of the same key, which must not affect other files
        partial(_save_image, image, path),
        partial(_report_saved, session, path),
        partial(session.report_failure, f"{path.name} cannot be written"),
        title=f"Saving {path.name}",
        export=True,
    )


def _report_saved(session: Session, path: Path, _result: object) -> None:
    session.written.emit(f"Saved {path}", str(path))


def _save_image(image: QImage, path: Path, _task: Task) -> None:
    content = encode_png(qimage_to_rgba(image))
    with atomic_file(path) as draft:
        draft.write_bytes(content)


def _safe_filename(name: str) -> str:
    """A name without characters that are not allowed in file names."""
    return "".join(letter if letter.isalnum() or letter in " -_." else "-" for letter in name).strip() or "view"
