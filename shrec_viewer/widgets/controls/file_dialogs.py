"""File dialogs that start in the folder of the last choice."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from shrec_viewer.widgets.controls.plain_text import PlainMessageBox, PlainMessageBoxFilter

#: Purpose of the dialogs for tables, figures, images and findings, which share a folder.
EXPORT = "export"

_folders: dict[str, str] = {}


def dialog_folders() -> Mapping[str, str]:
    """Folder of the last choice by purpose of the dialog; stored in the settings."""
    return dict(_folders)


def set_dialog_folders(folders: Mapping[str, str]) -> None:
    """Restore the folders from the settings."""
    _folders.clear()
    _folders.update(folders)


def start_folder(purpose: str, default: Path) -> Path:
    """Folder in which a dialog starts: that of the last choice if it still exists."""
    stored = _folders.get(purpose)
    return Path(stored) if stored is not None and os.path.isdir(stored) else default


def store_folder(purpose: str, path: Path) -> None:
    """Store the folder of a chosen path."""
    _folders[purpose] = str(path.parent)


def choose_folder(parent: QWidget, title: str, purpose: str, default: Path) -> Path | None:
    """Open a dialog for a folder; None if it is cancelled."""
    with _plain_message_boxes():
        return _stored(purpose, QFileDialog.getExistingDirectory(parent, title, str(start_folder(purpose, default))))


def choose_open_path(parent: QWidget, title: str, purpose: str, default: Path, filters: str = "") -> Path | None:
    """Open a dialog for an existing file; None if it is cancelled."""
    with _plain_message_boxes():
        name = QFileDialog.getOpenFileName(parent, title, str(start_folder(purpose, default)), filters)[0]
    return _stored(purpose, name)


def choose_save_path(
    parent: QWidget, title: str, purpose: str, default: Path, filters: str, suffix: str = ""
) -> tuple[Path | None, str]:
    """Open a dialog for a file to write; the path, None if it is cancelled, and the selected filter.

    Parameters
    ----------
    default : path proposed at first; later its name in the folder of the last choice.
    suffix : added to a name without one.
    """
    start = start_folder(purpose, default.parent) / default.name
    with _plain_message_boxes():
        name, selected_filter = QFileDialog.getSaveFileName(parent, title, str(start), filters)
    chosen = _stored(purpose, name)
    if chosen is None or chosen.suffix or not suffix:
        return chosen, selected_filter
    path = chosen.with_name(chosen.name + suffix)
    return path if confirm_replacing(parent, chosen, path) else None, selected_filter


def confirm_replacing(parent: QWidget, chosen: Path, path: Path) -> bool:
    """Ask whether to replace an existing file if the program has added a suffix to the chosen name.

    The file dialog has asked about the name without the suffix only.
    """
    if path == chosen or not path.exists():
        return True
    box = PlainMessageBox(parent)
    box.setWindowTitle("Replace file")
    box.setIcon(QMessageBox.Icon.Warning)
    box.setText(f"{path.name} already exists. Replace it?")
    box.setStandardButtons(QMessageBox.StandardButton.Yes | QMessageBox.StandardButton.No)
    box.setDefaultButton(QMessageBox.StandardButton.No)
    return box.exec() == QMessageBox.StandardButton.Yes


@contextmanager
def _plain_message_boxes() -> Iterator[None]:
    plain = PlainMessageBoxFilter()
    try:
        yield
    finally:
        plain.remove()


def _stored(purpose: str, name: str) -> Path | None:
    if not name:
        return None
    store_folder(purpose, Path(name))
    return Path(name)
