"""The Command record, the window interface that commands use, and enabling conditions."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QWidget

from shrec_viewer.app.startup.settings import Settings


class WindowInterface(Protocol):
    """What a command may ask of the window.

    Attributes
    ----------
    session, workspace : the store of what is open, and its views; None between the window's first picture and the end
        of its start.
    desk : what stands beside them: history, projects, palette, preferences.
    menus : the actions of all commands.
    shelf : the messages in sight.
    settings : what is remembered.
    """

    session: Any
    workspace: Any
    desk: Any
    menus: Any
    shelf: Any
    settings: Settings

    def as_widget(self) -> QWidget:
        """Parent of dialogs."""

    def open_path(self, path: Path) -> None:
        """Open a folder or file."""

    def open_demo(self) -> None:
        """Open the bundled benchmark."""

    def set_theme_choice(self, choice: str) -> None:
        """``"system"``, ``"light"`` or ``"dark"``."""

    def set_card_size(self, size: str) -> None:
        """``"S"``, ``"M"`` or ``"L"``."""

    def remember(self, settings: Settings) -> None:
        """Take over and write down other settings."""

    def tell(self, severity: str, text: str, details: str = "") -> None:
        """Put a message into the strip."""

    def close(self) -> bool:
        """End the program."""

    def showFullScreen(self) -> None:  # noqa: N802 - Qt's name
        """Fill the screen."""

    def showNormal(self) -> None:  # noqa: N802 - Qt's name
        """Fill it no longer."""

    def isFullScreen(self) -> bool:  # noqa: N802 - Qt's name
        """Whether it fills the screen."""


Condition = Callable[[WindowInterface], bool]


def always(frame: WindowInterface) -> bool:
    """Nothing is needed."""
    return True


def has_benchmark(frame: WindowInterface) -> bool:
    """A benchmark is open."""
    return frame.session is not None and frame.session.benchmark is not None


def has_queries(frame: WindowInterface) -> bool:
    """There is a query to select."""
    return has_benchmark(frame) and len(frame.session.benchmark.queries) > 0


def has_runs(frame: WindowInterface) -> bool:
    """There is a run to select."""
    return has_benchmark(frame) and len(frame.session.benchmark.runs) > 0


def has_list(frame: WindowInterface) -> bool:
    """A ranked list is shown."""
    return has_benchmark(frame) and frame.session.ranked_list is not None and len(frame.session.ranked_list) > 0


def has_assessment(frame: WindowInterface) -> bool:
    """A ranked list is shown and it is known what is relevant."""
    return has_list(frame) and frame.session.benchmark.assessment is not None


def has_model(frame: WindowInterface) -> bool:
    """A model is selected, of the list or of the collection."""
    if has_list(frame):
        return frame.session.selection.rank is not None
    return has_benchmark(frame) and frame.session.selection.model is not None


def has_thumbnails(frame: WindowInterface) -> bool:
    """There are, or may come, pictures whose size can be chosen."""
    if not has_benchmark(frame):
        return True
    return any(path is not None for path in frame.session.benchmark.collection.paths)


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
    run: Callable[[WindowInterface], None]
    keys: tuple[Key, ...] = ()
    enabled: Condition = always
    scope: str = "window"
    checked: Condition | None = None
    starts_group: bool = False
    aside: str = ""


def key_sequences(command: Command) -> list[QKeySequence]:
    """All shortcuts of a command on this system."""
    return [sequence for key in command.keys for sequence in key_bindings(key)]


def key_bindings(key: Key) -> list[QKeySequence]:
    """What a key means on this system: a standard key may mean several, or none."""
    return QKeySequence.keyBindings(key) if isinstance(key, QKeySequence.StandardKey) else [QKeySequence(key)]


def command_text(command: Command) -> str:
    """The text of a command without mnemonic and ellipsis."""
    return command.text.replace("&", "").rstrip("…")
