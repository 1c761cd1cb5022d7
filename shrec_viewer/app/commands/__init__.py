"""The command table: every command of the menus, in menu order."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from PySide6.QtGui import QKeySequence

from shrec_viewer.app.commands.command import Command, command_text, key_bindings, key_sequences
from shrec_viewer.app.commands.edit import EDIT_ROWS as EDIT_ROWS
from shrec_viewer.app.commands.file import EXPORT_ROWS as EXPORT_ROWS
from shrec_viewer.app.commands.file import FILE_ROWS as FILE_ROWS
from shrec_viewer.app.commands.file import FINDINGS_VIEW_ROWS as FINDINGS_VIEW_ROWS
from shrec_viewer.app.commands.file import IMPORT_ROWS as FINDINGS_ROWS
from shrec_viewer.app.commands.go import COMPARE_ROWS as COMPARE_ROWS
from shrec_viewer.app.commands.go import COMPARED_RUN_ROWS
from shrec_viewer.app.commands.go import HISTORY_ROWS as PLACE_ROWS
from shrec_viewer.app.commands.go import RANK_ROWS as RANK_ROWS
from shrec_viewer.app.commands.help import HELP_ROWS as HELP_ROWS
from shrec_viewer.app.commands.plots import PLOT_ROWS as GRAPH_ROWS
from shrec_viewer.app.commands.thumbnails import THUMBNAIL_ROWS as MODEL_ROWS
from shrec_viewer.app.commands.view import PANEL_ROWS as PANEL_ROWS
from shrec_viewer.app.commands.view import PERSPECTIVE_ROWS as PERSPECTIVE_ROWS
from shrec_viewer.app.commands.view import VIEW_ROWS as VIEW_ROWS

VIEW_SHORTCUTS = (
    ("Ranked list", "Walk the ranks", "←  →  ↑  ↓  Home  End"),
    ("Ranked list", "A page up or down", "PgUp  PgDown"),
    ("Ranked list", "Select several models", "Ctrl+click  Shift+click  Ctrl+A"),
    ("Ranked list", "Open the model in 3D", "Enter  Space"),
    ("Ranked list", "Picture size", "Ctrl+wheel"),
    ("Barcode", "Move the list", "←  →  PgUp  PgDown  Home  End"),
    ("Graphs", "Walk the ranks", "←  →"),
    ("Graphs", "Walk the runs", "↑  ↓"),
    ("Graphs", "Zoom in, move", "drag  wheel  Shift+drag"),
    ("Graphs", "Show the whole graph", "Home  0"),
    ("3D view", "From the front, the right, above, aslant", "1  3  7  9"),
    ("3D view", "Parallel projection", "5"),
    ("3D view", "Turn", "drag  2  4  6  8  Shift+arrows"),
    ("3D view", "Move", "Shift+drag"),
    ("3D view", "Nearer, farther", "wheel  +  -"),
    ("3D view", "Fit and centre", "Home  0"),
    ("3D view", "Wireframe, smooth, normals, box and axes", "W  S  N  B"),
    ("3D view", "Turn by itself", "T"),
    ("3D view", "In place of one another, the next one", "F  Space  `"),
    ("3D view", "Pin the model, Z points up", "P  U"),
    ("3D view", "Model before, next model", "←  →"),
    ("3D view", "Copy the view", "Ctrl+C"),
    ("3D view", "Back to the list", "Esc  Backspace"),
    ("Runs", "Show or hide the curves of a run", "Space"),
)
"""Keys that a view has of its own while it has the focus, for the list of keys."""

SAVE_ROW_COUNT = 5
"""Rows of the file menu up to those that save; below them stands what is exported."""

COMMANDS: tuple[Command, ...] = (
    *FILE_ROWS[:SAVE_ROW_COUNT],
    *EXPORT_ROWS,
    *FILE_ROWS[SAVE_ROW_COUNT:-1],
    *FINDINGS_ROWS,
    FILE_ROWS[-1],
    *EDIT_ROWS[:-1],
    *MODEL_ROWS,
    *PERSPECTIVE_ROWS,
    *FINDINGS_VIEW_ROWS,
    *PANEL_ROWS,
    *VIEW_ROWS,
    *PLACE_ROWS,
    *RANK_ROWS,
    *COMPARED_RUN_ROWS,
    *COMPARE_ROWS,
    *GRAPH_ROWS,
    EDIT_ROWS[-1],
    *HELP_ROWS,
)
"""Every command, in the order of the menus."""


def default_shortcuts(names: Sequence[str]) -> list[tuple[str, str]]:
    """The usual key and the text of some commands."""
    rows = {command.key: command for command in COMMANDS}
    return [(key_sequences(rows[name])[0].toString(), command_text(rows[name])) for name in names]


def shortcut_table(rebound: Mapping[str, str] = MappingProxyType({})) -> tuple[tuple[str, str, str], ...]:
    """Menu or view, text and keys of all that has keys, for the list of keys; of a standard key the usual one.

    Parameters
    ----------
    rebound : keys that a person chose, by key of the command.
    """
    rows = []
    for command in COMMANDS:
        keys = command.keys if command.key not in rebound else (rebound[command.key],)
        usual = [bound[0] for key in keys if key and (bound := key_bindings(key))]
        texts = [sequence.toString(QKeySequence.SequenceFormat.NativeText) for sequence in usual]
        if texts:
            aside = f" {command.aside}" if command.aside else ""
            rows.append((command.menu, command_text(command), "  ".join(texts) + aside))
    return (*rows, *VIEW_SHORTCUTS)


__all__ = [
    "COMMANDS",
    "VIEW_SHORTCUTS",
    "Command",
    "command_text",
    "default_shortcuts",
    "key_sequences",
    "shortcut_table",
]
