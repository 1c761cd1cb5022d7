"""Keys, log, about."""

from shrec_viewer.app.commands.command import Command
from shrec_viewer.app.dialogs import open_log, show_about
from shrec_viewer.app.frame import Frame


def _keys(frame: Frame) -> None:
    frame.show_keys()


def _log(frame: Frame) -> None:
    if not open_log():
        frame.tell("info", "There is no log yet: nothing has gone wrong.")


def _about(frame: Frame) -> None:
    show_about(frame.as_widget())


ROWS: tuple[Command, ...] = (
    Command("keys", "Help", "&Keyboard shortcuts", _keys, ("F1",)),
    Command("log", "Help", "Show the &log", _log),
    Command("about", "Help", "&About SHREC Viewer", _about, starts_group=True),
)
"""The rows, in the order of the menu."""
