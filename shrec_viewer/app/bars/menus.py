"""Menu bar and actions, built from the command table."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar, QWidget

from shrec_viewer.app.commands import COMMANDS, Command, command_text, key_sequences
from shrec_viewer.app.commands.command import WindowInterface

TITLES = {"File": "&File", "Edit": "&Edit", "View": "&View", "Go": "&Go", "Help": "&Help"}
"""Menus of the bar with their mnemonics, in order."""

CHECKABLE_SUBMENUS = ("View/Camera of the collection",)
"""Menus within menus whose rows are on or off by themselves; the others offer one choice of several."""

LIST_PANELS = ("results", "queries")
"""Panels in which keys of the scope ``"list"`` work."""

RANK_PANELS = (
    *LIST_PANELS,
    "comparison",
    "gain_loss",
    "precision_recall",
    "gain",
    "generality",
    "contingency",
    "explanation",
)
"""Panels in which keys of the scope ``"walk"`` work: they show ranks of the list, and letters mean nothing else there.
In the 3D view, in notes and in tables, where they find a row, they do."""


class Menus:
    """All actions of the window, and the menus that show them.

    Parameters
    ----------
    parent : the window; it owns actions and menus.
    bar : its menu bar.
    """

    def __init__(self, parent: QWidget, bar: QMenuBar) -> None:
        self.actions: dict[str, QAction] = {}
        self._menus: dict[str, QMenu] = {}
        self._choices: dict[str, QActionGroup] = {}
        for name, title in TITLES.items():
            self._menus[name] = bar.addMenu(title)
        self.recent = self._submenu("File", "Open &recent")
        for command in COMMANDS:
            self._add(parent, command)
        self.menu("File").insertMenu(self.actions["open_demo"], self.recent)
        self.docks = QMenu("&Panels", parent)
        view = self.menu("View")
        view.insertMenu(view.actions()[0], self.docks)

    def menu(self, name: str) -> QMenu:
        """A menu by its name, ``"File"`` or ``"View/Theme"``."""
        return self._menus[name]

    def show_state(self, frame: WindowInterface) -> None:
        """Enable what can be done now, and check what is on."""
        for command in COMMANDS:
            action = self.actions[command.key]
            action.setEnabled(command.enabled(frame))
            if command.checked is not None:
                action.setChecked(command.checked(frame))

    def set_recent(self, entries: Sequence[tuple[str, bool]]) -> None:
        """List paths that were opened before, with whether they still exist; each action's data is its path."""
        self.recent.clear()
        for path, exists in entries:
            action = self.recent.addAction(path.replace("&", "&&"))
            action.setData(path)
            action.setEnabled(exists)
        self.recent.setEnabled(bool(entries))

    def set_docks(self, actions: Sequence[QAction]) -> None:
        """List the docks."""
        self.docks.clear()
        self.docks.addActions(list(actions))

    def add_panel_shortcuts(self, key: str, panel: QWidget) -> None:
        """Let the keys of a row of `PANELS` work while this widget, its panel, or a child has the focus."""
        for command in COMMANDS:
            if command.scope in scopes_of(key):
                panel.addAction(self.actions[command.key])

    def rebind(self, chosen: Mapping[str, str]) -> None:
        """Let commands have the keys that a person chose, all others those of the house."""
        for command in COMMANDS:
            keys = key_sequences(command)
            if command.key in chosen:
                keys = [QKeySequence(chosen[command.key])] if chosen[command.key] else []
            _set_shortcuts(self.actions[command.key], command, keys)

    def _add(self, parent: QWidget, command: Command) -> None:
        action = self.actions[command.key] = QAction(command.text, parent)
        keys = key_sequences(command)
        is_for_all = command.scope == "window"
        context = Qt.ShortcutContext
        action.setShortcutContext(context.WindowShortcut if is_for_all else context.WidgetWithChildrenShortcut)
        action.setData(command.key)
        action.setCheckable(command.checked is not None)
        _set_shortcuts(action, command, keys)
        if command.menu not in self._menus:
            self._add_submenu(parent, command.menu)
        if command.starts_group:
            self.menu(command.menu).addSeparator()
        self.menu(command.menu).addAction(action)
        if command.menu in self._choices and command.menu not in CHECKABLE_SUBMENUS:
            self._choices[command.menu].addAction(action)
        if is_for_all:
            parent.addAction(action)

    def _add_submenu(self, parent: QWidget, name: str) -> None:
        """A menu within a menu; it offers one choice of several, but for `CHECKABLE_SUBMENUS`."""
        outer, _, title = name.rpartition("/")
        self._menus[name] = self._submenu(outer, f"&{title}")
        self.menu(outer).addMenu(self._menus[name])
        self._choices[name] = QActionGroup(parent)

    def _submenu(self, outer: str, title: str) -> QMenu:
        return QMenu(title, self.menu(outer))


def scopes_of(panel: str) -> tuple[str, ...]:
    """Scopes whose keys work in a panel besides those of the window.

    Examples
    --------
    >>> scopes_of("queries"), scopes_of("gain"), scopes_of("notes")
    (('queries', 'list', 'walk'), ('gain', 'walk'), ('notes',))
    """
    return (panel, *(("list",) if panel in LIST_PANELS else ()), *(("walk",) if panel in RANK_PANELS else ()))


def _set_shortcuts(action: QAction, command: Command, keys: Sequence[QKeySequence]) -> None:
    action.setShortcuts(keys)
    shown = keys[0].toString(QKeySequence.SequenceFormat.NativeText) if keys else ""
    action.setToolTip(f"{command_text(command)} ({shown})" if shown else command_text(command))
