"""Help menu: command palette, shortcuts, measures, log, about."""

from shrec_viewer.app.commands.command import Command, WindowInterface
from shrec_viewer.app.dialogs.standard_dialogs import open_log


def _show_palette(frame: WindowInterface) -> None:
    frame.desk.show_palette()


def _show_shortcuts(frame: WindowInterface) -> None:
    frame.desk.show_keys()


def _show_measures(frame: WindowInterface) -> None:
    frame.desk.show_measures(frame.session.measure if frame.session is not None else "")


def _show_log(frame: WindowInterface) -> None:
    if not open_log():
        frame.tell("info", "There is no log yet: nothing has gone wrong.")


def _show_about(frame: WindowInterface) -> None:
    frame.desk.show_about()


HELP_ROWS: tuple[Command, ...] = (
    Command("palette", "Help", "Find a &command", _show_palette, ("Ctrl+Shift+P",)),
    Command("keys", "Help", "&Keyboard shortcuts", _show_shortcuts, ("F1",)),
    Command("measures", "Help", "&Measures explained", _show_measures, ("Shift+F1",)),
    Command("log", "Help", "Show the &log", _show_log, starts_group=True),
    Command("about", "Help", "&About SHREC Viewer", _show_about, starts_group=True),
)
"""The rows, in the order of the menu."""
