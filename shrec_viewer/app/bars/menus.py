"""Menu bar and actions, built from the command table."""

from collections.abc import Iterable, Mapping, Sequence

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QAction, QActionGroup, QKeySequence, QShortcut
from PySide6.QtWidgets import QMenu, QMenuBar, QToolBar, QToolButton, QWidget

from shrec_viewer.app.commands import COMMANDS, Command, command_text, key_sequences
from shrec_viewer.app.commands.command import WindowInterface
from shrec_viewer.app.commands.edit import COPY_MENU
from shrec_viewer.app.commands.view import CAMERA_MENU
from shrec_viewer.printable import printable
from shrec_viewer.widgets.controls.plain_text import escape_mnemonic, set_tooltip
from shrec_viewer.widgets.style.theme import Theme, icon

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
        self.menu(COPY_MENU).addActions([self.actions["panel_copy"], self.actions["panel_command"]])
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
        """List the docks, in a submenu for each `Panel.group`; the data of an action is the key of a panel."""
        from shrec_viewer.panels import panels_by_key  # not before the first paint: it imports numpy

        groups: dict[str, QMenu] = {}
        for action in actions:
            name = panels_by_key()[action.data()].group
            if name not in groups:
                groups[name] = QMenu(f"&{name}", self.docks)
                self.docks.addMenu(groups[name])
            groups[name].addAction(action)

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


class MenuStrip(QToolBar):
    """The menu bar in the row of the tool bar, or a button with its menus where there is no space for both.

    Attributes
    ----------
    menu_bar : the menu bar.
    button : shown instead of it; Alt and F10 open its menu, Alt with a letter one of the menus.
    """

    def __init__(self) -> None:
        super().__init__("Menus")
        self.menu_bar = QMenuBar()
        self.button = QToolButton()
        self._menu = QMenu(self.button)
        self.setObjectName("menu_strip")
        self.setMovable(False)
        self.button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.button.setMenu(self._menu)
        self.button.setAccessibleName("Menu")
        self.button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        set_tooltip(self.button, "Menu (Alt)")
        self._actions = self.addWidget(self.menu_bar), self.addWidget(self.button)
        self._menus: Sequence[QMenu] = ()
        self._shortcuts: list[QShortcut] = []  # of the menus, and F10
        self.set_compact(False)

    def set_menus(self, menus: Sequence[QMenu]) -> None:
        """Add the menus of the menu bar to the button."""
        self._menus = menus
        for menu in menus:
            self._menu.addMenu(menu)
            letter = menu.title()[menu.title().index("&") + 1]
            self._add_shortcut(f"Alt+{letter}").activated.connect(self._open_menu)
        self._add_shortcut("F10").activated.connect(self.open)

    def set_compact(self, compact: bool) -> None:
        """Show the button instead of the menu bar."""
        for action, shown in zip(self._actions, (not compact, compact), strict=True):
            action.setVisible(shown and not self.menu_bar.isNativeMenuBar())
        self.menu_bar.setEnabled(True)  # a hidden action disables its widget, and with it all menus
        for shortcut in self._shortcuts:
            shortcut.setEnabled(compact)  # the menu bar has its own

    def set_theme(self, theme: Theme) -> None:
        """Apply a theme."""
        self.button.setIcon(icon("list", theme))

    @Slot()
    def open(self) -> None:
        """Open the menu of the button, if it is shown."""
        if self.button.isVisible():
            self.button.showMenu()

    def _add_shortcut(self, keys: str) -> QShortcut:
        self._shortcuts.append(QShortcut(QKeySequence(keys), self))
        return self._shortcuts[-1]

    @Slot()
    def _open_menu(self) -> None:
        menu = next(menu for menu, key in zip(self._menus, self._shortcuts, strict=False) if key is self.sender())
        menu.popup(self.button.mapToGlobal(self.button.rect().bottomLeft()))


def _with_subject(command: Command, subject: str) -> str:
    """``"&Export (Heat map)…"``."""
    ellipsis = "…" if command.text.endswith("…") else ""
    return f"{command.text.rstrip('…')} ({escape_mnemonic(subject)}){ellipsis}" if subject else command.text


def _set_shortcuts(action: QAction, command: Command, keys: Sequence[QKeySequence]) -> None:
    action.setShortcuts(keys)
    shown = keys[0].toString(QKeySequence.SequenceFormat.NativeText) if keys else ""
    set_tooltip(action, f"{command_text(command)} ({shown})" if shown else command_text(command))
