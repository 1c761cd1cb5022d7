"""Finding commands and keys, measures explained, log, about."""

from shrec_viewer.app.commands.command import Command
from shrec_viewer.app.dialogs import open_log
from shrec_viewer.app.frame import Frame


def _palette(frame: Frame) -> None:
    frame.desk.show_palette()


def _keys(frame: Frame) -> None:
    frame.desk.show_keys()


def _measures(frame: Frame) -> None:
    frame.desk.show_measures(frame.session.measure if frame.session is not None else "")


def _log(frame: Frame) -> None:
    if not open_log():
        frame.tell("info", "There is no log yet: nothing has gone wrong.")


def _about(frame: Frame) -> None:
    frame.desk.show_about()


ROWS: tuple[Command, ...] = (
    Command("palette", "Help", "Find a &command", _palette, ("Ctrl+Shift+P",)),
    Command("keys", "Help", "&Keyboard shortcuts", _keys, ("F1",)),
    Command("measures", "Help", "&Measures explained", _measures, ("Shift+F1",)),
    Command("log", "Help", "Show the &log", _log, starts_group=True),
    Command("about", "Help", "&About SHREC Viewer", _about, starts_group=True),
)
"""The rows, in the order of the menu."""
