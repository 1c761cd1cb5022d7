"""List of keyboard shortcuts, and the preferences page that changes them."""

from dataclasses import replace

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Slot
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QGridLayout,
    QHeaderView,
    QKeySequenceEdit,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from shrec_viewer.app.commands import COMMANDS, Command, command_text, shortcut_table
from shrec_viewer.app.commands.command import WindowInterface
from shrec_viewer.app.dialogs.fuzzy_search import contains_all_words
from shrec_viewer.app.dialogs.standard_dialogs import WindowDialog
from shrec_viewer.app.docking.panel_store import shortcut_scopes
from shrec_viewer.panels import all_panels
from shrec_viewer.widgets.controls.layouts import column_of, row_of
from shrec_viewer.widgets.controls.plain_text import PlainLabel
from shrec_viewer.widgets.style.theme import SPACE, text_font

SIZE = QSize(860, 560)
"""Size in pixels: two columns of groups."""

COLUMNS = 2


def panel_shortcuts() -> tuple[tuple[str, str, str], ...]:
    """View, text and keys of the shortcuts that panels handle themselves while they have the focus."""
    return tuple(dict.fromkeys(row for panel in all_panels() for row in panel.shortcuts))


class ShortcutsDialog(WindowDialog):
    """Dialog that lists all keyboard shortcuts, with a search field."""

    def __init__(self, window: WindowInterface) -> None:
        super().__init__(window.as_widget(), "cheat_sheet", "Keyboard shortcuts")
        self._custom_shortcuts = window.settings.keys
        self.field = QLineEdit()
        self._area = QScrollArea()
        self._no_match = PlainLabel(
            "No matching shortcut. The command palette (Ctrl+Shift+P) also lists commands without one."
        )
        self._build()
        self.field.textChanged.connect(self._show)
        self._show("")
        self.resize(SIZE.boundedTo(window.as_widget().size()))

    def groups(self, pattern: str = "") -> dict[str, list[tuple[str, str]]]:
        """Text and keys of matching shortcuts, by menu or view."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for menu, text, keys in (*shortcut_table(self._custom_shortcuts), *panel_shortcuts()):
            if contains_all_words(pattern, f"{text} {menu} {keys}"):
                groups.setdefault(menu.replace("/", " › "), []).append((text, keys))
        return groups

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Scroll the page while the field has the focus."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            bar = self._area.verticalScrollBar()
            steps = {Qt.Key.Key_Down: bar.singleStep(), Qt.Key.Key_Up: -bar.singleStep()}
            steps |= {Qt.Key.Key_PageDown: bar.pageStep(), Qt.Key.Key_PageUp: -bar.pageStep()}
            if event.key() in steps:
                bar.setValue(bar.value() + steps[Qt.Key(event.key())])
                return True
        return super().eventFilter(watched, event)

    def _build(self) -> None:
        self.field.setPlaceholderText("Search shortcuts")
        self.field.setAccessibleName("Search shortcuts")
        self.field.setClearButtonEnabled(True)
        self.field.installEventFilter(self)
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QScrollArea.Shape.NoFrame)
        self._area.setAccessibleName("Shortcuts")
        self._no_match.setProperty("muted", True)
        self._no_match.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setLayout(
            column_of(self.field, (self._area, 1), (self._no_match, 1), spacing=3 * SPACE, margins=4 * SPACE)
        )

    @Slot(str)
    def _show(self, pattern: str) -> None:
        groups = self.groups(pattern)
        page = QWidget()
        contents: list[list[tuple[str, list[tuple[str, str]]]]] = [[] for _ in range(COLUMNS)]
        heights = [0] * COLUMNS
        for group in groups.items():  # each into the shortest column
            shortest = heights.index(min(heights))
            contents[shortest].append(group)
            heights[shortest] += len(group[1]) + 2  # lines, with the heading and the gap below
        columns = [(self._column(groups), 1) for groups in contents]
        page.setLayout(row_of(*columns, spacing=10 * SPACE))
        self._area.setWidget(page)
        self._area.setVisible(bool(groups))
        self._no_match.setVisible(not groups)

    def _column(self, groups: list[tuple[str, list[tuple[str, str]]]]) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(4 * SPACE)
        grid.setVerticalSpacing(2 * SPACE)
        row = 0
        for name, lines in groups:
            heading = PlainLabel(name)
            heading.setFont(text_font(self.font(), bold=True))
            grid.addWidget(heading, row, 0, 1, 2)
            for text, keys in lines:
                row += 1
                description, keycap = PlainLabel(text), PlainLabel(keys)
                description.setWordWrap(True)
                keycap.setProperty("keycap", True)
                grid.addWidget(description, row, 0)
                grid.addWidget(keycap, row, 1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop)
            row += 1
            grid.setRowMinimumHeight(row, 3 * SPACE)
            row += 1
        grid.setRowStretch(row, 1)
        grid.setColumnStretch(0, 1)
        return grid


NATIVE = QKeySequence.SequenceFormat.NativeText


class ShortcutsPage(QWidget):
    """Preferences page with a table of commands and a field for the shortcut of the selected one."""

    def __init__(self, window: WindowInterface) -> None:
        super().__init__()
        self._window = window
        self.table = QTableWidget(len(COMMANDS), 3)
        self.editor = QKeySequenceEdit()
        self.conflict_label = PlainLabel()
        self.set_button, self.default_button = QPushButton("Set"), QPushButton("Default")
        self._build()
        self.table.currentCellChanged.connect(self._show_current)
        self.editor.keySequenceChanged.connect(self._show_conflict)
        self.set_button.clicked.connect(self._set)
        self.default_button.clicked.connect(self._set_default)
        self.show_rows()
        self.table.setCurrentCell(0, 0)

    def show_rows(self) -> None:
        """Show the current shortcuts."""
        for row, command in enumerate(COMMANDS):
            keys = self._window.menus.actions[command.key].shortcuts()
            texts = (
                command_text(command),
                command.menu.replace("/", " › "),
                "  ".join(key.toString(NATIVE) for key in keys),
            )
            for column, text in enumerate(texts):
                self.table.setItem(row, column, QTableWidgetItem(text))
        self._show_current()

    def conflict(self, command: Command, keys: QKeySequence) -> str:
        """Text of a command with the same shortcut in an overlapping scope; "" if there is none."""
        for other in COMMANDS:
            if other is command or not _scopes_overlap(command.scope, other.scope):
                continue
            if any(keys == assigned for assigned in self._window.menus.actions[other.key].shortcuts()):
                return command_text(other)
        return ""

    def _build(self) -> None:
        self.table.setHorizontalHeaderLabels(["Command", "Menu", "Shortcut"])
        self.table.setAccessibleName("Commands and their shortcuts")
        self.table.verticalHeader().hide()
        self.table.setShowGrid(False)
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setTabKeyNavigation(False)
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.table.setMinimumHeight(220)
        self.editor.setAccessibleName("New shortcut")
        self.editor.setMaximumSequenceLength(1)
        self.editor.setClearButtonEnabled(True)
        self.conflict_label.setProperty("muted", True)
        self.conflict_label.setWordWrap(True)
        for button in (self.set_button, self.default_button):
            button.setAutoDefault(False)
        line = row_of(self.editor, self.set_button, self.default_button)
        self.setLayout(column_of((self.table, 1), line, self.conflict_label, spacing=2 * SPACE, margins=0))

    @property
    def _current(self) -> Command:
        return COMMANDS[max(self.table.currentRow(), 0)]

    @Slot()
    def _show_current(self, *_: object) -> None:
        keys = self._window.menus.actions[self._current.key].shortcut()
        self.editor.setKeySequence(keys)
        self.default_button.setEnabled(self._current.key in self._window.settings.keys)
        self._show_conflict(keys)

    @Slot(QKeySequence)
    def _show_conflict(self, keys: QKeySequence) -> None:
        other = "" if keys.isEmpty() else self.conflict(self._current, keys)
        text = keys.toString(NATIVE)
        self.conflict_label.setText(f"{text} is already assigned to “{other}”." if other else "")
        same = keys == self._window.menus.actions[self._current.key].shortcut()
        self.set_button.setEnabled(not other and not same)

    @Slot()
    def _set(self) -> None:
        settings = self._window.settings
        keys = {**settings.keys, self._current.key: self.editor.keySequence().toString()}
        self._window.change_settings(replace(settings, keys=keys))
        self.show_rows()

    @Slot()
    def _set_default(self) -> None:
        settings = self._window.settings
        keys = {name: text for name, text in settings.keys.items() if name != self._current.key}
        self._window.change_settings(replace(settings, keys=keys))
        self.show_rows()


def _scopes_overlap(one: str, other: str) -> bool:
    """Whether shortcuts of two scopes can be active at the same time."""
    if one == other or "window" in (one, other):
        return True
    return any({one, other} <= set(shortcut_scopes(panel.key)) for panel in all_panels())
