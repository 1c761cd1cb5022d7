"""The command table: every command of the menus, in menu order."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from PySide6.QtGui import QKeySequence

from shrec_viewer.app.commands.command import Command, command_text, key_bindings, key_sequences
from shrec_viewer.app.commands.edit import EDIT_COMMANDS, PREFERENCES_COMMANDS
from shrec_viewer.app.commands.file import FILE_COMMANDS
from shrec_viewer.app.commands.go import GO_COMMANDS
from shrec_viewer.app.commands.help import HELP_COMMANDS
from shrec_viewer.app.commands.view import PLOT_COMMANDS, THUMBNAIL_COMMANDS, VIEW_COMMANDS

#: Every command. The order of the rows of a menu is that of its entries.
COMMANDS: tuple[Command, ...] = (
    *FILE_COMMANDS,
    *EDIT_COMMANDS,
    *THUMBNAIL_COMMANDS,
    *VIEW_COMMANDS,
    *GO_COMMANDS,
    *PLOT_COMMANDS,
    *PREFERENCES_COMMANDS,
    *HELP_COMMANDS,
)

COMMANDS_BY_KEY = {command.key: command for command in COMMANDS}


def default_shortcuts(names: Sequence[str]) -> list[tuple[str, str]]:
    """First default shortcut and text of some commands."""
    rows = [COMMANDS_BY_KEY[name] for name in names]
    return [(key_sequences(row)[0].toString(), command_text(row)) for row in rows]


def shortcut_table(rebound: Mapping[str, str] = MappingProxyType({})) -> tuple[tuple[str, str, str], ...]:
    """Menu, text and keys of every command that has a shortcut; only the first sequence of a standard key.

    Parameters
    ----------
    rebound : shortcuts that the user changed, by key of the command.
    """
    rows = []
    for command in COMMANDS:
        keys = command.keys if command.key not in rebound else (rebound[command.key],)
        first = [bound[0] for key in keys if key and (bound := key_bindings(key))]
        texts = [sequence.toString(QKeySequence.SequenceFormat.NativeText) for sequence in first]
        if texts:
            note = f" {command.key_note}" if command.key_note else ""
            rows.append((command.menu, command_text(command), "  ".join(texts) + note))
    return tuple(rows)


__all__ = [
    "COMMANDS",
    "COMMANDS_BY_KEY",
    "Command",
    "command_text",
    "default_shortcuts",
    "key_sequences",
    "shortcut_table",
]
