"""The page of keys: every command can have another one, and what stands in its way is said."""

from dataclasses import replace

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QKeySequenceEdit,
    QLabel,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from shrec_viewer.app.commands import COMMANDS, Command, plain
from shrec_viewer.app.frame import Frame
from shrec_viewer.app.menus import WALKED, scopes_of
from shrec_viewer.widgets.theme import SPACE

NATIVE = QKeySequence.SequenceFormat.NativeText


class KeysPage(QWidget):
    """A table of commands; below it the field that takes the new keys."""

    def __init__(self, frame: Frame) -> None:
        super().__init__()
        self._frame = frame
        self.table = QTableWidget(len(COMMANDS), 3)
        self.editor = QKeySequenceEdit()
        self.words = QLabel()
        self.set_button, self.usual_button = QPushButton("Set"), QPushButton("Usual keys")
        self._build()
        self.table.currentCellChanged.connect(self._show_current)
        self.editor.keySequenceChanged.connect(self._show_conflict)
        self.set_button.clicked.connect(self._set)
        self.usual_button.clicked.connect(self._set_usual)
        self.show_rows()
        self.table.setCurrentCell(0, 0)

    def show_rows(self) -> None:
        """Show the keys in force."""
        for row, command in enumerate(COMMANDS):
            keys = self._frame.menus.actions[command.key].shortcuts()
            texts = (plain(command), command.menu.replace("/", " › "), "  ".join(key.toString(NATIVE) for key in keys))
            for column, text in enumerate(texts):
                self.table.setItem(row, column, QTableWidgetItem(text))
        self._show_current()

    def conflict(self, command: Command, keys: QKeySequence) -> str:
        """The command that has these keys already where `command` would; "" for none."""
        for other in COMMANDS:
            if other is command or not _meet(command.scope, other.scope):
                continue
            if any(keys == taken for taken in self._frame.menus.actions[other.key].shortcuts()):
                return plain(other)
        return ""

    def _build(self) -> None:
        self.table.setHorizontalHeaderLabels(["Command", "Menu", "Keys"])
        self.table.setAccessibleName("Commands and their keys")
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
        self.editor.setAccessibleName("New keys")
        self.editor.setMaximumSequenceLength(1)
        self.editor.setClearButtonEnabled(True)
        self.words.setProperty("muted", True)
        self.words.setWordWrap(True)
        line = QHBoxLayout()
        for part in (self.editor, self.set_button, self.usual_button):
            line.addWidget(part)
        for button in (self.set_button, self.usual_button):
            button.setAutoDefault(False)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2 * SPACE)
        column.addWidget(self.table, 1)
        column.addLayout(line)
        column.addWidget(self.words)

    @property
    def _current(self) -> Command:
        return COMMANDS[max(self.table.currentRow(), 0)]

    @Slot()
    def _show_current(self, *_: object) -> None:
        keys = self._frame.menus.actions[self._current.key].shortcut()
        self.editor.setKeySequence(keys)
        self.usual_button.setEnabled(self._current.key in self._frame.settings.keys)
        self._show_conflict(keys)

    @Slot(QKeySequence)
    def _show_conflict(self, keys: QKeySequence) -> None:
        other = "" if keys.isEmpty() else self.conflict(self._current, keys)
        text = keys.toString(NATIVE)
        self.words.setText(f"{text} is taken by “{other}”; give that another key first." if other else "")
        same = keys == self._frame.menus.actions[self._current.key].shortcut()
        self.set_button.setEnabled(not other and not same)

    @Slot()
    def _set(self) -> None:
        settings = self._frame.settings
        keys = {**settings.keys, self._current.key: self.editor.keySequence().toString()}
        self._frame.desk.change_settings(replace(settings, keys=keys))
        self.show_rows()

    @Slot()
    def _set_usual(self) -> None:
        settings = self._frame.settings
        keys = {name: text for name, text in settings.keys.items() if name != self._current.key}
        self._frame.desk.change_settings(replace(settings, keys=keys))
        self.show_rows()


def _meet(one: str, other: str) -> bool:
    """Whether keys of two scopes can be meant at once."""
    if one == other or "window" in (one, other):
        return True
    return any({one, other} <= set(scopes_of(panel)) for panel in (*WALKED, one, other))
