"""List of keyboard shortcuts, and the preferences page that changes them."""

from dataclasses import replace

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Slot
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QGridLayout,
    QKeySequenceEdit,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QWidget,
)

from shrec_viewer.app.commands import COMMANDS, Command, command_text, shortcut_table
from shrec_viewer.app.commands.command import WindowInterface
from shrec_viewer.app.dialogs.fuzzy_search import contains_all_words
from shrec_viewer.app.dialogs.standard_dialogs import WindowDialog
from shrec_viewer.app.docking.panel_store import shortcut_scopes
from shrec_viewer.charts.table import Table, TableColumn
from shrec_viewer.panels import all_panels
from shrec_viewer.widgets.controls.layouts import column_of, row_of
from shrec_viewer.widgets.controls.plain_text import PlainLabel
from shrec_viewer.widgets.style.theme import SPACE, text_font
from shrec_viewer.widgets.tables.record_table import RecordTableModel
from shrec_viewer.widgets.tables.record_view import RecordView

#: Size in pixels: two columns of groups.
SIZE = QSize(860, 560)

COLUMNS = 2


def panel_shortcuts() -> tuple[tuple[str, str, str], ...]:
    """View, text and keys of the shortcuts that panels handle themselves while they have the focus."""
    return tuple(dict.fromkeys(row for panel in all_panels() for row in panel.shortcuts))


class ShortcutsDialog(WindowDialog):
    """Dialog that lists all keyboard shortcuts, with a search field."""

    def __init__(self, window: WindowInterface) -> None:
        super().__init__(window, "cheat_sheet", "Keyboard shortcuts")
        self._custom_shortcuts = window.settings.keys
        self.field = QLineEdit(placeholderText="Search shortcuts", clearButtonEnabled=True)
        self._area = QScrollArea(widgetResizable=True)
        self._no_match = PlainLabel(
            "No matching shortcut. The command palette (Ctrl+Shift+P) also lists commands without one."
        )
        self._build()
        self.field.textChanged.connect(self._show)
        self._show("")
        self.resize(SIZE.boundedTo(window.size()))

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
        self.field.setAccessibleName("Search shortcuts")
        self.field.installEventFilter(self)
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
                description, keycap = PlainLabel(text, wraps=True), PlainLabel(keys)
                keycap.setProperty("keycap", True)
                grid.addWidget(description, row, 0)
                grid.addWidget(keycap, row, 1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop)
            row += 1
            grid.setRowMinimumHeight(row, 3 * SPACE)
            row += 1
        grid.setRowStretch(row, 1)
        grid.setColumnStretch(0, 1)
        return grid


SHORTCUT_COLUMNS = tuple(TableColumn(title) for title in ("Command", "Menu", "Shortcut"))

#: Height of a row of the table without its text in pixels.
ROW_MARGIN = 15

NATIVE = QKeySequence.SequenceFormat.NativeText


class ShortcutsPage(QWidget):
    """Preferences page with a table of commands and a field for the shortcut of the selected one."""

    def __init__(self, window: WindowInterface) -> None:
        super().__init__()
        self._window = window
        self.model = RecordTableModel(self)
        self.table = RecordView(
            self.model, "Commands and their shortcuts", stretched=(0,), is_sortable=False, row_margin=ROW_MARGIN
        )
        self.editor = QKeySequenceEdit(maximumSequenceLength=1, clearButtonEnabled=True)
        self.conflict_label = PlainLabel(muted=True, wraps=True)
        self.set_button, self.default_button = QPushButton("Set"), QPushButton("Default")
        self._build()
        self.table.row_selected.connect(self._show_current)
        self.editor.keySequenceChanged.connect(self._show_conflict)
        self.set_button.clicked.connect(self._set)
        self.default_button.clicked.connect(self._set_default)
        self.table.set_current_key(COMMANDS[0].key)
        self.show_rows()

    def show_rows(self) -> None:
        """Show the current shortcuts."""
        rows = []
        for command in COMMANDS:
            keys = self._window.menus.actions[command.key].shortcuts()
            texts = "  ".join(key.toString(NATIVE) for key in keys)
            rows.append((command_text(command), command.menu.replace("/", " › "), texts))
        table = Table("shortcuts", "Keyboard shortcuts", SHORTCUT_COLUMNS, tuple(rows))
        self.model.set_table(table, [command.key for command in COMMANDS])
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
        self.table.setFrameShape(QFrame.Shape.StyledPanel)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setMinimumHeight(220)
        self.editor.setAccessibleName("New shortcut")
        for button in (self.set_button, self.default_button):
            button.setAutoDefault(False)
        line = row_of(self.editor, self.set_button, self.default_button)
        self.setLayout(column_of((self.table, 1), line, self.conflict_label, spacing=2 * SPACE, margins=0))

    @property
    def _current(self) -> Command:
        return next((command for command in COMMANDS if command.key == self.table.current_key), COMMANDS[0])

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
