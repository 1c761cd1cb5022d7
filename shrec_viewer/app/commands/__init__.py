"""Everything a person can do by menu or key, one row each; each file has the rows of one part of the window."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from PySide6.QtGui import QKeySequence

from shrec_viewer.app.commands.command import Command, bindings, plain, sequences
from shrec_viewer.app.commands.compare import ROWS as COMPARE_ROWS
from shrec_viewer.app.commands.edit import ROWS as EDIT_ROWS
from shrec_viewer.app.commands.export import ROWS as EXPORT_ROWS
from shrec_viewer.app.commands.file import ROWS as FILE_ROWS
from shrec_viewer.app.commands.findings import ROWS as FINDINGS_ROWS
from shrec_viewer.app.commands.findings import VIEW_ROWS as FINDINGS_VIEW_ROWS
from shrec_viewer.app.commands.graphs import ROWS as GRAPH_ROWS
from shrec_viewer.app.commands.help import ROWS as HELP_ROWS
from shrec_viewer.app.commands.models import ROWS as MODEL_ROWS
from shrec_viewer.app.commands.panels import ROWS as PANEL_ROWS
from shrec_viewer.app.commands.perspectives import ROWS as PERSPECTIVE_ROWS
from shrec_viewer.app.commands.places import ROWS as PLACE_ROWS
from shrec_viewer.app.commands.places import RUN_ROWS
from shrec_viewer.app.commands.ranks import ROWS as RANK_ROWS
from shrec_viewer.app.commands.view import ROWS as VIEW_ROWS

KEYS_OF_VIEWS = (
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

SAVED = 5
"""Rows of the file menu up to those that save; below them stands what is exported."""

COMMANDS: tuple[Command, ...] = (
    *FILE_ROWS[:SAVED],
    *EXPORT_ROWS,
    *FILE_ROWS[SAVED:-1],
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
    *RUN_ROWS,
    *COMPARE_ROWS,
    *GRAPH_ROWS,
    EDIT_ROWS[-1],
    *HELP_ROWS,
)
"""Every command, in the order of the menus."""


def usual_keys(names: Sequence[str]) -> list[tuple[str, str]]:
    """The usual key and the text of some commands."""
    rows = {command.key: command for command in COMMANDS}
    return [(sequences(rows[name])[0].toString(), plain(rows[name])) for name in names]


def key_table(rebound: Mapping[str, str] = MappingProxyType({})) -> tuple[tuple[str, str, str], ...]:
    """Menu or view, text and keys of all that has keys, for the list of keys; of a standard key the usual one.

    Parameters
    ----------
    rebound : keys that a person chose, by key of the command.
    """
    rows = []
    for command in COMMANDS:
        keys = command.keys if command.key not in rebound else (rebound[command.key],)
        usual = [bound[0] for key in keys if key and (bound := bindings(key))]
        texts = [sequence.toString(QKeySequence.SequenceFormat.NativeText) for sequence in usual]
        if texts:
            aside = f" {command.aside}" if command.aside else ""
            rows.append((command.menu, plain(command), "  ".join(texts) + aside))
    return (*rows, *KEYS_OF_VIEWS)


__all__ = ["COMMANDS", "KEYS_OF_VIEWS", "Command", "key_table", "plain", "sequences", "usual_keys"]
