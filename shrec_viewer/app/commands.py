"""Everything a person can do by menu or key, one row each."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from PySide6.QtGui import QGuiApplication, QKeySequence

from shrec_viewer.app.dialogs import ask_file, ask_folder, ask_rank, open_log, show_about, show_keys
from shrec_viewer.app.frame import (
    Frame,
    Test,
    always,
    has_benchmark,
    has_list,
    has_model,
    has_pictures,
    has_queries,
    has_runs,
    has_truth,
)

Key = str | QKeySequence.StandardKey
STANDARD = QKeySequence.StandardKey

OUTSIDE = "outside the pictures"
"""Where the keys for pages change the query: among the pictures they turn pages."""

KEYS_OF_VIEWS = (
    ("Ranked list", "Walk the ranks", "←  →  ↑  ↓  Home  End"),
    ("Ranked list", "A page up or down", "PgUp  PgDown"),
    ("Graphs", "Walk the ranks", "←  →"),
    ("Graphs", "Show the whole graph", "Home  0"),
    ("Runs", "Show or hide the curves of a run", "Space"),
)
"""Keys that a view has of its own while it has the focus, for the list of keys."""


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
    scope : ``"list"``: the keys work only while the ranked list or the query list has the focus, because they are plain
        letters.
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
    scope: Literal["window", "list"] = "window"
    checked: Test | None = None
    starts_group: bool = False
    aside: str = ""


def _open_folder(frame: Frame) -> None:
    if (path := ask_folder(frame.as_widget(), _start(frame))) is not None:
        frame.open_path(path)


def _open_file(frame: Frame) -> None:
    if (path := ask_file(frame.as_widget(), _start(frame))) is not None:
        frame.open_path(path)


def _start(frame: Frame) -> Path:
    """Where a dialog begins: beside what was opened last."""
    return Path(frame.settings.recent[0]).parent if frame.settings.recent else Path.home()


def _open_demo(frame: Frame) -> None:
    frame.open_demo()


def _reload(frame: Frame) -> None:
    frame.session.reload()


def _close(frame: Frame) -> None:
    frame.session.close()


def _quit(frame: Frame) -> None:
    frame.close()


def _copy_id(frame: Frame) -> None:
    session = frame.session
    if session.selection.rank is None:
        item = session.selection.model
    else:
        item = int(session.ranked_list.items[session.selection.rank - 1])
    if item >= 0:
        QGuiApplication.clipboard().setText(session.benchmark.collection.ids[item])


def _find(frame: Frame) -> None:
    frame.workspace.find_query()


def _full_screen(frame: Frame) -> None:
    if frame.isFullScreen():
        frame.showNormal()
    else:
        frame.showFullScreen()


def _is_full_screen(frame: Frame) -> bool:
    return frame.isFullScreen()


def _reset_layout(frame: Frame) -> None:
    frame.workspace.arrange()


def _next_query(frame: Frame) -> None:
    frame.workspace.step_query(1)


def _previous_query(frame: Frame) -> None:
    frame.workspace.step_query(-1)


def _next_run(frame: Frame) -> None:
    frame.workspace.step_run(1)


def _previous_run(frame: Frame) -> None:
    frame.workspace.step_run(-1)


def _next_relevant(frame: Frame) -> None:
    frame.workspace.step_rank(1, relevant=True)


def _previous_relevant(frame: Frame) -> None:
    frame.workspace.step_rank(-1, relevant=True)


def _next_intruder(frame: Frame) -> None:
    frame.workspace.step_rank(1, relevant=False)


def _previous_intruder(frame: Frame) -> None:
    frame.workspace.step_rank(-1, relevant=False)


def _go_to_rank(frame: Frame) -> None:
    session = frame.session
    if (rank := ask_rank(frame.as_widget(), session.selection.rank or 1, len(session.ranked_list))) is not None:
        session.select(rank=rank)


def _no_rank(frame: Frame) -> None:
    frame.session.deselect_rank()


def _keys(frame: Frame) -> None:
    show_keys(frame.as_widget(), key_table())


def _log(frame: Frame) -> None:
    if not open_log():
        frame.tell("info", "There is no log yet: nothing has gone wrong.")


def _about(frame: Frame) -> None:
    show_about(frame.as_widget())


def _theme_system(frame: Frame) -> None:
    frame.set_theme_choice("system")


def _theme_light(frame: Frame) -> None:
    frame.set_theme_choice("light")


def _theme_dark(frame: Frame) -> None:
    frame.set_theme_choice("dark")


def _is_system(frame: Frame) -> bool:
    return frame.settings.theme == "system"


def _is_light(frame: Frame) -> bool:
    return frame.settings.theme == "light"


def _is_dark(frame: Frame) -> bool:
    return frame.settings.theme == "dark"


def _switch_theme(frame: Frame) -> None:
    frame.switch_theme()


def _cards_small(frame: Frame) -> None:
    frame.set_card_size("S")


def _cards_medium(frame: Frame) -> None:
    frame.set_card_size("M")


def _cards_large(frame: Frame) -> None:
    frame.set_card_size("L")


def _is_small(frame: Frame) -> bool:
    return frame.settings.card_size == "S"


def _is_medium(frame: Frame) -> bool:
    return frame.settings.card_size == "M"


def _is_large(frame: Frame) -> bool:
    return frame.settings.card_size == "L"


COMMANDS: tuple[Command, ...] = (
    Command("open_folder", "File", "&Open folder…", _open_folder, (STANDARD.Open,)),
    Command("open_file", "File", "Open &file…", _open_file, ("Ctrl+Shift+O",)),
    Command("open_demo", "File", "Open the &demo", _open_demo, ("Ctrl+D",)),
    Command("reload", "File", "&Reload", _reload, ("F5",), has_benchmark, starts_group=True),
    Command("close", "File", "&Close", _close, (STANDARD.Close,), has_benchmark),
    Command("quit", "File", "&Quit", _quit, ("Ctrl+Q",), starts_group=True),
    Command("copy_id", "Edit", "&Copy model id", _copy_id, (STANDARD.Copy,), has_model),
    Command("find_query", "Edit", "&Find query", _find, (STANDARD.Find,), has_queries),
    Command("cards_small", "View/Picture size", "&Small", _cards_small, (), has_pictures, checked=_is_small),
    Command("cards_medium", "View/Picture size", "&Medium", _cards_medium, (), has_pictures, checked=_is_medium),
    Command("cards_large", "View/Picture size", "&Large", _cards_large, (), has_pictures, checked=_is_large),
    Command("theme_system", "View/Theme", "As the &system", _theme_system, checked=_is_system),
    Command("theme_light", "View/Theme", "&Light", _theme_light, checked=_is_light),
    Command("theme_dark", "View/Theme", "&Dark", _theme_dark, checked=_is_dark),
    Command("switch_theme", "View", "S&witch light and dark", _switch_theme, ("Ctrl+Shift+L",)),
    Command("full_screen", "View", "&Full screen", _full_screen, ("F11",), checked=_is_full_screen, starts_group=True),
    Command("reset_layout", "View", "&Reset layout", _reset_layout, (), has_benchmark),
    Command("next_query", "Go", "&Next query", _next_query, ("]", "PgDown"), has_queries, aside=OUTSIDE),
    Command("previous_query", "Go", "&Previous query", _previous_query, ("[", "PgUp"), has_queries, aside=OUTSIDE),
    Command("next_run", "Go", "Next r&un", _next_run, (".",), has_runs, starts_group=True),
    Command("previous_run", "Go", "Previous run", _previous_run, (",",), has_runs),
    Command("next_relevant", "Go", "Next &relevant", _next_relevant, ("R",), has_truth, "list", starts_group=True),
    Command("previous_relevant", "Go", "Previous relevant", _previous_relevant, ("Shift+R",), has_truth, "list"),
    Command("next_intruder", "Go", "Next &intruder", _next_intruder, ("N",), has_truth, "list"),
    Command("previous_intruder", "Go", "Previous intruder", _previous_intruder, ("Shift+N",), has_truth, "list"),
    Command("go_to_rank", "Go", "&Go to rank…", _go_to_rank, ("G",), has_list, "list", starts_group=True),
    Command("no_rank", "Go", "Select no rank", _no_rank, ("Esc",), has_model, "list"),
    Command("keys", "Help", "&Keyboard shortcuts", _keys, ("F1",)),
    Command("log", "Help", "Show the &log", _log),
    Command("about", "Help", "&About SHREC Viewer", _about, starts_group=True),
)
"""Every command, in the order of the menus."""


def sequences(command: Command) -> list[QKeySequence]:
    """All shortcuts of a command on this system."""
    return [sequence for key in command.keys for sequence in bindings(key)]


def bindings(key: Key) -> list[QKeySequence]:
    """What a key means on this system: a standard key may mean several, or none."""
    return QKeySequence.keyBindings(key) if isinstance(key, QKeySequence.StandardKey) else [QKeySequence(key)]


def usual_keys(names: Sequence[str]) -> list[tuple[str, str]]:
    """The usual key and the text of some commands."""
    rows = {command.key: command for command in COMMANDS}
    return [(sequences(rows[name])[0].toString(), plain(rows[name])) for name in names]


def plain(command: Command) -> str:
    """The text of a command without mnemonic and ellipsis."""
    return command.text.replace("&", "").rstrip("…")


def key_table() -> tuple[tuple[str, str, str], ...]:
    """Menu or view, text and keys of all that has keys, for the list of keys; of a standard key the usual one."""
    rows = []
    for command in COMMANDS:
        usual = [bound[0] for key in command.keys if (bound := bindings(key))]
        texts = [sequence.toString(QKeySequence.SequenceFormat.NativeText) for sequence in usual]
        if texts:
            aside = f" {command.aside}" if command.aside else ""
            rows.append((command.menu, plain(command), "  ".join(texts) + aside))
    return (*rows, *KEYS_OF_VIEWS)
