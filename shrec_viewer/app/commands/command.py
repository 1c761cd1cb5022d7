"""What a row of the table of commands says."""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtGui import QKeySequence

from shrec_viewer.app.frame import Frame, Test, always

Key = str | QKeySequence.StandardKey
STANDARD = QKeySequence.StandardKey


@dataclass(frozen=True)
class Command:
    """One thing to do.

    Attributes
    ----------
    key : name in tests.
    menu : where it stands, ``"File"`` or ``"View/Theme"``.
    text : in the menu, with its mnemonic; an ellipsis only where it asks for more.
    run : asks where it must, then calls one verb.
    keys : shortcuts, the first one is shown.
    enabled : whether it can be done now.
    scope : where the keys work: ``"window"``; ``"list"``, only while the ranked list or the query list has the focus,
        and ``"walk"``, there and in views of ranks, because they are plain letters; or the key of a row of `PANELS`,
        only while that panel has it.
    checked : whether it is on, for something that is on or off; None for anything else.
    starts_group : a line stands above it.
    aside : where the last of `keys` works, for the list of keys; "" for wherever the others do.
    """

    key: str
    menu: str
    text: str
    run: Callable[[Frame], None]
    keys: tuple[Key, ...] = ()
    enabled: Test = always
    scope: str = "window"
    checked: Test | None = None
    starts_group: bool = False
    aside: str = ""


def sequences(command: Command) -> list[QKeySequence]:
    """All shortcuts of a command on this system."""
    return [sequence for key in command.keys for sequence in bindings(key)]


def bindings(key: Key) -> list[QKeySequence]:
    """What a key means on this system: a standard key may mean several, or none."""
    return QKeySequence.keyBindings(key) if isinstance(key, QKeySequence.StandardKey) else [QKeySequence(key)]


def plain(command: Command) -> str:
    """The text of a command without mnemonic and ellipsis."""
    return command.text.replace("&", "").rstrip("…")
