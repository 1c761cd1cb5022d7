"""The palette: a few letters find any command, query, run, measure or panel; no mouse is needed."""

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QAbstractListModel, QEvent, QModelIndex, QObject, QPersistentModelIndex, QSize, Qt, Slot
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import QDialog, QLineEdit, QListView, QVBoxLayout

from shrec_viewer.app.frame import Frame
from shrec_viewer.app.fuzzy import best
from shrec_viewer.app.palette_entries import Entry, choose, entries
from shrec_viewer.app.palette_row import ENTRY_ROLE, PLACES_ROLE, PaletteRow
from shrec_viewer.widgets.theme import SPACE

SIZE = QSize(620, 420)
"""Pixels: the longest command with its menu and keys, and a dozen rows."""

MOST = 100
"""Rows shown; nobody walks further than that instead of typing another letter."""

KEPT = 12
"""Choices remembered: as many as are in sight before anything is typed."""

WALKS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)
"""Keys that walk the list while the field keeps the focus."""

Index = QModelIndex | QPersistentModelIndex
NOWHERE = QModelIndex()


class Found(QAbstractListModel):
    """The entries that fit, best first."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._rows: list[tuple[Entry, tuple[int, ...]]] = []

    def show_rows(self, rows: Sequence[tuple[Entry, tuple[int, ...]]]) -> None:
        """Show these, with the letters that were meant."""
        self.beginResetModel()
        self._rows = list(rows)
        self.endResetModel()

    def rowCount(self, parent: Index = NOWHERE) -> int:
        """Qt override."""
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Qt override."""
        entry, places = self._rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return entry.text
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ", ".join(text for text in (entry.text, entry.where, entry.keys, entry.why_not) if text)
        return {ENTRY_ROLE: entry, PLACES_ROLE: places}.get(role)


class Palette(QDialog):
    """Opened over the window; gone once something is chosen, or with Esc."""

    def __init__(self, frame: Frame) -> None:
        super().__init__(frame.as_widget(), Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName("palette")
        self.setWindowTitle("Find a command")
        self.setAccessibleName("Find a command")
        self._frame = frame
        self._entries = _recent_first(entries(frame), frame.settings.palette_recent)
        self._texts = [f"{entry.text} {entry.where}" for entry in self._entries]
        self.field, self.list, self._found = QLineEdit(), QListView(), Found(self)
        self._build()
        self.field.textChanged.connect(self._look)
        self.list.clicked.connect(self._choose)
        self._look("")

    def _build(self) -> None:
        self.field.setPlaceholderText("Command, query, run, measure or panel")
        self.field.setAccessibleName("Find a command, query, run, measure or panel")
        self.field.installEventFilter(self)
        self.list.setModel(self._found)
        self.list.setItemDelegate(PaletteRow(self.list))
        self.list.setUniformItemSizes(True)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setAccessibleName("What was found")
        self.list.setMouseTracking(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * SPACE, 2 * SPACE, 2 * SPACE, 2 * SPACE)
        layout.setSpacing(2 * SPACE)
        layout.addWidget(self.field)
        layout.addWidget(self.list, 1)

    def showEvent(self, event: QShowEvent) -> None:
        """Qt override; at the top of the window, in its middle."""
        super().showEvent(event)
        window = self._frame.as_widget()
        size = SIZE.boundedTo(window.size())
        self.resize(size)
        corner = window.mapToGlobal(window.rect().topLeft())
        self.move(corner.x() + (window.width() - size.width()) // 2, corner.y() + min(80, window.height() // 8))
        self.field.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt override; the field has the focus, the list the arrows."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() in WALKS:
                self._walk(event)
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._choose(self.list.currentIndex())
                return True
        return super().eventFilter(watched, event)

    def _walk(self, event: QKeyEvent) -> None:
        page = max(self.list.viewport().height() // max(self.list.sizeHintForRow(0), 1) - 1, 1)
        by = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1, Qt.Key.Key_PageUp: -page, Qt.Key.Key_PageDown: page}
        count, row = self._found.rowCount(), self.list.currentIndex().row()
        if count:
            step = by[Qt.Key(event.key())]
            wanted = (row + step) % count if abs(step) == 1 else min(max(row + step, 0), count - 1)
            self.list.setCurrentIndex(self._found.index(wanted))

    @Slot(str)
    def _look(self, text: str) -> None:
        if text.strip():
            found = [(self._entries[place], match.places) for place, match in best(text, self._texts, MOST)]
        else:
            found = [(entry, ()) for entry in self._entries[:MOST]]
        self._found.show_rows(found)
        self.list.setCurrentIndex(self._found.index(0))

    @Slot(QModelIndex)
    def _choose(self, index: QModelIndex) -> None:
        entry = index.data(ENTRY_ROLE)
        if not isinstance(entry, Entry) or entry.why_not:
            return
        frame = self._frame
        kept = (entry.key, *(key for key in frame.settings.palette_recent if key != entry.key))[:KEPT]
        frame.remember(replace(frame.settings, palette_recent=kept))
        self.close()
        choose(frame, entry)


def _recent_first(rows: list[Entry], recent: Sequence[str]) -> list[Entry]:
    """What was chosen before in front, newest first; what cannot be done now comes last among the others."""
    order = {key: place for place, key in enumerate(recent)}
    chosen = sorted((row for row in rows if row.key in order), key=lambda row: order[row.key])
    others = [row for row in rows if row.key not in order]
    return [*chosen, *(row for row in others if not row.why_not), *(row for row in others if row.why_not)]
