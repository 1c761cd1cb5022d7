"""Opening and closing."""

from pathlib import Path

from shrec_viewer.app.commands.command import STANDARD, Command
from shrec_viewer.app.dialogs import ask_file, ask_folder
from shrec_viewer.app.frame import Frame, has_benchmark


def _open_folder(frame: Frame) -> None:
    if (path := ask_folder(frame.as_widget(), _start(frame))) is not None:
        frame.open_path(path)


def _open_file(frame: Frame) -> None:
    if (path := ask_file(frame.as_widget(), _start(frame))) is not None:
        frame.open_path(path)


def _start(frame: Frame) -> Path:
    """Where a dialog begins: beside what was opened last."""
    return Path(frame.settings.recent[0]).parent if frame.settings.recent else Path.home()


def _open_demo(frame: Frame) -> None:
    frame.open_demo()


def _save(frame: Frame) -> None:
    frame.desk.projects.save()


def _save_as(frame: Frame) -> None:
    frame.desk.projects.save_as()


def _reload(frame: Frame) -> None:
    frame.session.reload()


def _close(frame: Frame) -> None:
    frame.session.close()


def _quit(frame: Frame) -> None:
    frame.close()


ROWS: tuple[Command, ...] = (
    Command("open_folder", "File", "&Open folder…", _open_folder, (STANDARD.Open,)),
    Command("open_file", "File", "Open &file…", _open_file, ("Ctrl+Shift+O",)),
    Command("open_demo", "File", "Open the &demo", _open_demo, ("Ctrl+D",)),
    Command("save", "File", "&Save project", _save, (STANDARD.Save,), has_benchmark, starts_group=True),
    Command("save_as", "File", "Save project &as…", _save_as, ("Ctrl+Shift+S",), has_benchmark),
    Command("reload", "File", "&Reload", _reload, ("F5",), has_benchmark, starts_group=True),
    Command("close", "File", "&Close", _close, (STANDARD.Close,), has_benchmark),
    Command("quit", "File", "&Quit", _quit, ("Ctrl+Q",), starts_group=True),
)
"""The rows, in the order of the menu."""
