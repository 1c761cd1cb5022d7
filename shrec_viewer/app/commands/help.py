"""Help menu: command palette, shortcuts, measures, log, about."""

from shrec_viewer.app.commands.command import Command, WindowInterface
from shrec_viewer.app.dialogs.standard_dialogs import open_log


def _show_palette(window: WindowInterface) -> None:
    window.show_palette()


def _show_shortcuts(window: WindowInterface) -> None:
    window.show_shortcuts()


def _show_measures(window: WindowInterface) -> None:
    window.show_measures(window.session.measure if window.session is not None else "")


def _show_log(window: WindowInterface) -> None:
    if not open_log():
        window.show_message("info", "There is no log file yet: no errors have been logged.")


def _show_about(window: WindowInterface) -> None:
    window.show_about()


HELP_COMMANDS: tuple[Command, ...] = (
    Command("palette", "Help", "Find a &command", _show_palette, ("Ctrl+Shift+P",),
            description="Search all commands, queries, runs, measures and panels"),
    Command("keys", "Help", "&Keyboard shortcuts", _show_shortcuts, ("F1",),
            description="List of all key bindings, with search"),
    Command("measures", "Help", "&Measures explained", _show_measures, ("Shift+F1",),
            description="Definitions, formulas and sources of all measures, curves and profiles"),
    Command("log", "Help", "Show the &log", _show_log, starts_group=True,
            description="Open the file with errors and warnings of the program"),
    Command("about", "Help", "&About SHREC Viewer", _show_about, starts_group=True,
            description="Version, libraries, renderer, plug-ins and licence"),
)  # fmt: skip
"""Part of `COMMANDS`, in the order of the menu."""
