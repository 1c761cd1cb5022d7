"""Menu bar and actions, built from the command table."""

from collections.abc import Iterable, Mapping, Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar, QWidget

from shrec_viewer.app.commands import COMMANDS, Command, command_text, key_sequences
from shrec_viewer.app.commands.command import WindowInterface
from shrec_viewer.app.commands.view import CAMERA_MENU
from shrec_viewer.printable import printable
from shrec_viewer.widgets.controls.plain_text import escape_mnemonic, set_tooltip

#: Menus of the menu bar with their mnemonics, in order.
TITLES = {"File": "&File", "Edit": "&Edit", "View": "&View", "Go": "&Go", "Help": "&Help"}

#: Submenus whose checkable entries are independent; in all others exactly one entry is checked.
CHECKABLE_SUBMENUS = (CAMERA_MENU,)


class Menus:
    """All actions of the window, and the menus that show them.

    Parameters
    ----------
    parent : the window; owns actions and menus.
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

    def top_menus(self) -> list[QMenu]:
        """The menus of the menu bar."""
        return [self._menus[name] for name in TITLES]

    def update_state(self, window: WindowInterface, commands: Iterable[Command] = COMMANDS) -> None:
        """Enable the actions that can be run, and check those that are on."""
        for command in commands:
            action = self.actions[command.key]
            action.setEnabled(command.enabled(window))
            if command.checked is not None:
                action.setChecked(command.is_checked(window))
            if command.subject is not None:
                action.setText(_with_subject(command, command.subject(window)))

    def set_recent(self, entries: Sequence[tuple[str, bool]]) -> None:
        """List recent paths with whether they exist; the data of each action is its path."""
        self.recent.clear()
        for path, exists in entries:
            action = self.recent.addAction(printable(path).replace("&", "&&"))
            action.setData(path)
            action.setEnabled(exists)
        self.recent.setEnabled(bool(entries))

    def set_docks(self, actions: Sequence[QAction]) -> None:
        """List the docks."""
        self.docks.clear()
        self.docks.addActions(list(actions))

    def add_panel_shortcuts(self, panel: QWidget, scopes: Sequence[str]) -> None:
        """Add the shortcuts of some scopes to a panel; they work while it or a child of it has the focus."""
        for command in COMMANDS:
            if command.scope in scopes:
                panel.addAction(self.actions[command.key])

    def rebind(self, changed: Mapping[str, str]) -> None:
        """Set the shortcuts that the user changed, by key of the command, and the default ones of all others."""
        for command in COMMANDS:
            keys = key_sequences(command)
            if command.key in changed:
                keys = [QKeySequence(changed[command.key])] if changed[command.key] else []
            _set_shortcuts(self.actions[command.key], command, keys)

    def _add(self, parent: QWidget, command: Command) -> None:
        action = self.actions[command.key] = QAction(command.text, parent, checkable=command.checked is not None)
        is_window_wide = command.scope == "window"
        context = Qt.ShortcutContext
        action.setShortcutContext(context.WindowShortcut if is_window_wide else context.WidgetWithChildrenShortcut)
        action.setData(command.key)
        # Icons are for the tool bars: in menus, some entries would have one, and Qt shows it instead of the check mark.
        action.setIconVisibleInMenu(False)
        _set_shortcuts(action, command, key_sequences(command))
        if command.menu not in self._menus:
            self._add_submenu(parent, command.menu)
        if command.starts_group:
            self.menu(command.menu).addSeparator()
        self.menu(command.menu).addAction(action)
        if command.menu in self._choices and command.menu not in CHECKABLE_SUBMENUS:
            self._choices[command.menu].addAction(action)
        if is_window_wide:
            parent.addAction(action)

    def _add_submenu(self, parent: QWidget, name: str) -> None:
        outer, _, title = name.rpartition("/")
        self._menus[name] = self._submenu(outer, f"&{title}")
        self.menu(outer).addMenu(self._menus[name])
        self._choices[name] = QActionGroup(parent)

    def _submenu(self, outer: str, title: str) -> QMenu:
        return QMenu(title, self.menu(outer))


def _with_subject(command: Command, subject: str) -> str:
    """``"&Export (Heat map)…"``."""
    ellipsis = "…" if command.text.endswith("…") else ""
    return f"{command.text.rstrip('…')} ({escape_mnemonic(subject)}){ellipsis}" if subject else command.text


def _set_shortcuts(action: QAction, command: Command, keys: Sequence[QKeySequence]) -> None:
    action.setShortcuts(keys)
    shown = keys[0].toString(QKeySequence.SequenceFormat.NativeText) if keys else ""
    set_tooltip(action, f"{command_text(command)} ({shown})" if shown else command_text(command))
