"""The Command record, the window interface that commands use, and enabling conditions."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QMainWindow

from shrec_viewer.app.startup.settings import Settings


class WindowInterface(QMainWindow):
    """The part of the main window that commands and dialogs use.

    Attributes
    ----------
    session, workspace : the open benchmark and its views; None until the window is assembled.
    history, projects, dropped_files : selection history, project files, and dropped paths; None until then.
    menu_strip : the menus, as a bar or a button.
    tool_bar : the fields of the selection; None until then.
    menus : the actions of all commands.
    message_area : the messages shown.
    settings : the stored settings.
    """

    session: Any
    workspace: Any
    history: Any
    projects: Any
    dropped_files: Any
    menu_strip: Any
    tool_bar: Any
    menus: Any
    message_area: Any
    settings: Settings

    def open_path(self, path: Path) -> None:
        """Open a folder or file."""

    def open_demo(self) -> None:
        """Open the bundled benchmark."""

    def set_theme_choice(self, choice: str) -> None:
        """Apply and store ``"system"``, ``"light"`` or ``"dark"``."""

    def set_card_size(self, size: str) -> None:
        """Apply and store ``"S"``, ``"M"``, ``"L"`` or ``"T"``."""

    def save_settings(self, settings: Settings) -> None:
        """Store settings, without applying them."""

    def change_settings(self, settings: Settings) -> None:
        """Store settings and apply those that differ."""

    def show_message(self, severity: str, text: str, details: str = "", topic: str = "") -> None:
        """Show a message; it replaces earlier ones on the same topic."""

    def update_commands(self) -> None:
        """Enable, disable and check the actions of all commands."""

    def show_palette(self) -> None:
        """Open the command palette."""

    def show_shortcuts(self) -> None:
        """Open the list of keyboard shortcuts."""

    def show_preferences(self, page: str = "") -> None:
        """Open the preferences, at a page."""

    def show_measures(self, key: str = "") -> None:
        """Open the explanation of a measure."""

    def start_tour(self) -> None:
        """Start the tour, or go on where it was left."""

    def show_help(self, key: str, heading: str = "") -> None:
        """Open a page of the help."""


@dataclass(frozen=True)
class Condition:
    """A requirement for running a command.

    Attributes
    ----------
    test : whether it is met.
    needs : what is missing otherwise, shown in the command palette: ``"a benchmark is open"``.
    """

    test: Callable[[WindowInterface], bool]
    needs: str

    def __call__(self, window: WindowInterface) -> bool:
        """Whether the requirement is met."""
        return self.test(window)


def condition(needs: str) -> Callable[[Callable[[WindowInterface], bool]], Condition]:
    """Decorator that turns a test of the window into a `Condition`."""

    def decorate(test: Callable[[WindowInterface], bool]) -> Condition:
        return Condition(test, needs)

    return decorate


@condition("nothing")
def always(window: WindowInterface) -> bool:
    """Met in every state."""
    return True


@condition("a benchmark is open")
def has_benchmark(window: WindowInterface) -> bool:
    """Whether a benchmark is open."""
    return window.session is not None and window.session.is_open


@condition("the benchmark has queries")
def has_queries(window: WindowInterface) -> bool:
    """Whether there is a query to select."""
    return has_benchmark(window) and len(window.session.benchmark.queries) > 0


@condition("the benchmark has runs")
def has_runs(window: WindowInterface) -> bool:
    """Whether there is a run to select."""
    return has_benchmark(window) and len(window.session.benchmark.runs) > 0


@condition("the benchmark has two runs")
def has_two_runs(window: WindowInterface) -> bool:
    """Whether there are runs to compare."""
    return has_benchmark(window) and len(window.session.benchmark.runs) > 1


@condition("a ranked list is shown")
def has_list(window: WindowInterface) -> bool:
    """Whether a ranked list with at least one model is shown."""
    return has_benchmark(window) and window.session.ranked_list is not None and len(window.session.ranked_list) > 0


@condition("a ranked list is shown and the benchmark has relevance assessments")
def has_assessment(window: WindowInterface) -> bool:
    """Whether a ranked list is shown and its relevant models are known."""
    return has_list(window) and window.session.benchmark.assessment is not None


@condition("the runs have been evaluated")
def has_scores(window: WindowInterface) -> bool:
    """Whether scores were computed."""
    return has_benchmark(window) and window.session.scores is not None


@condition("a model is selected")
def has_model(window: WindowInterface) -> bool:
    """Whether a rank of the list is selected, or a model of the collection where no list is shown."""
    if has_list(window):
        return window.session.selection.rank is not None
    return has_benchmark(window) and window.session.selection.model is not None


@condition("the models of the benchmark have files")
def has_thumbnails(window: WindowInterface) -> bool:
    """Whether there are thumbnails; also met while nothing is open, since it concerns what is opened next."""
    if not has_benchmark(window):
        return True
    return bool(window.session.benchmark.collection.has_file.any())


Key = str | QKeySequence.StandardKey
STANDARD = QKeySequence.StandardKey


@dataclass(frozen=True)
class Command:
    """One entry of the menus.

    Attributes
    ----------
    key : name in settings, tests and other tables.
    menu : ``"File"``, or ``"View/Theme"`` for a submenu.
    text : text of the menu entry with its mnemonic; ends with an ellipsis if a dialog asks for input.
    run : called with the window, and with `value` if that is not None.
    keys : shortcuts; the first one is shown.
    enabled : whether the command can be run.
    scope : where the shortcuts work: ``"window"``; ``"list"``, in the ranked list and the query list; ``"rank"``, in
        these and in all views of ranks (single letters); ``"level"``, in lists of models; or the key of a row of
        `PANELS`, in that panel.
    checked : whether a checkable entry is checked, called like `run`; None for entries that are not checkable.
    value : second argument of `run` and `checked`, for rows that differ in a value only.
    starts_group : whether a separator precedes the entry.
    key_note : where the last of `keys` works, for the list of shortcuts; "" if it works where the others do.
    subject : what the command acts on in the current state, such as the title of a panel; shown in its entry.
    description : what the command does, in other words than `text`; searched and shown by the command palette.
    """

    key: str
    menu: str
    text: str
    run: Callable[..., None]
    keys: tuple[Key, ...] = ()
    enabled: Condition = always
    scope: str = "window"
    checked: Callable[..., bool] | None = None
    value: Any = None
    starts_group: bool = False
    key_note: str = ""
    subject: Callable[[WindowInterface], str] | None = None
    description: str = ""

    def execute(self, window: WindowInterface) -> None:
        """Run the command."""
        self.run(*self._arguments(window))

    def is_checked(self, window: WindowInterface) -> bool:
        """Whether the entry is checked."""
        return self.checked is not None and self.checked(*self._arguments(window))

    def _arguments(self, window: WindowInterface) -> tuple[Any, ...]:
        return (window,) if self.value is None else (window, self.value)


def key_sequences(command: Command) -> list[QKeySequence]:
    """All default shortcuts of a command on this platform."""
    return [sequence for key in command.keys for sequence in key_bindings(key)]


def key_bindings(key: Key) -> list[QKeySequence]:
    """Key sequences of one key on this platform: a standard key may have several, or none."""
    return QKeySequence.keyBindings(key) if isinstance(key, QKeySequence.StandardKey) else [QKeySequence(key)]


def command_text(command: Command) -> str:
    """Text of a command without mnemonic and ellipsis."""
    return command.text.replace("&", "").rstrip("…")
