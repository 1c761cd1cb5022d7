"""The columns of a table of scores with ticks, in a window that stays open until the person is done."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QRect, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from shrec_viewer.widgets.theme import SPACE

MOST_ROWS = 14
"""Columns in sight at once; more are scrolled to."""

WIDEST = 420
"""Pixels after which words are cut; their tips have them whole."""

NAME = Qt.ItemDataRole.UserRole


@dataclass(frozen=True)
class ColumnEntry:
    """One column: its head, what it stands for in words, and all there is to say about it."""

    name: str
    label: str = ""
    tip: str = ""


class TickList(QListWidget):
    """Entries with ticks, which a click anywhere on an entry, or Space, sets and takes away."""

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Qt override."""
        item = self.itemAt(event.position().toPoint())
        if item is not None and event.button() == Qt.MouseButton.LeftButton:
            self.setCurrentItem(item)
            self.turn(item)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Qt override; two quick clicks are two clicks."""
        self.mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt override."""
        item = self.currentItem()
        if item is not None and event.key() in (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.turn(item)
        elif event.key() == Qt.Key.Key_Escape:
            event.ignore()
        else:
            super().keyPressEvent(event)

    def turn(self, item: QListWidgetItem) -> None:
        """Tick what is not ticked, and the other way round."""
        is_on = item.checkState() == Qt.CheckState.Checked
        item.setCheckState(Qt.CheckState.Unchecked if is_on else Qt.CheckState.Checked)


class ColumnList(QFrame):
    """Pops up below a button and stays until a click elsewhere or Esc; what is ticked is seen in the table at once.

    Signals
    -------
    hidden_picked(names)
        The person hid or showed columns: a frozenset of the names hidden now.
    """

    hidden_picked = Signal(object)

    def __init__(
        self, entries: Sequence[ColumnEntry], hidden: Collection[str], usual: Collection[str], parent: QWidget
    ) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self._usual = frozenset(usual)
        self._is_ticking = False
        self.words = QLineEdit()
        self.list = TickList()
        names = (self.tr("&All"), self.tr("&None"), self.tr("&Usual"))
        self.all, self.none, self.usual = (QPushButton(name) for name in names)
        self._build()
        for entry in entries:
            self._add(entry, shown=entry.name not in hidden)
        self._show_buttons()
        self.words.textChanged.connect(self._filter)
        self.words.installEventFilter(self)
        self.list.itemChanged.connect(self._tell)
        self.all.clicked.connect(self._tick_all)
        self.none.clicked.connect(self._tick_none)
        self.usual.clicked.connect(self._tick_usual)

    @property
    def hidden(self) -> frozenset[str]:
        """Names of the columns that are not ticked."""
        return frozenset(item.data(NAME) for item in self._items() if item.checkState() != Qt.CheckState.Checked)

    def open_below(self, anchor: QRect) -> None:
        """Show it below, or above, a place of the screen, ending where that ends."""
        rows = min(max(self.list.count(), 1), MOST_ROWS)
        self.list.setFixedHeight(rows * max(self.list.sizeHintForRow(0), 1) + 2 * self.list.frameWidth() + 2)
        bar = self.list.verticalScrollBar().sizeHint().width()
        self.list.setMinimumWidth(min(self.list.sizeHintForColumn(0) + bar + 4 * SPACE, WIDEST))
        size, room = self.sizeHint(), self.screen().availableGeometry()
        above, below = anchor.top() - size.height(), anchor.bottom() + 1
        top = below if below + size.height() <= room.bottom() else max(above, room.top())
        self.move(max(room.left(), min(anchor.right() - size.width(), room.right() - size.width())), top)
        self.show()
        self.words.setFocus()

    def _build(self) -> None:
        self.setObjectName("column_list")
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAttribute(Qt.WidgetAttribute.WA_NoMouseReplay)  # a click on the button closes it and no more
        self.setAccessibleName(self.tr("Columns"))
        self.words.setPlaceholderText(self.tr("Find a column"))
        self.words.setClearButtonEnabled(True)
        self.words.setAccessibleName(self.tr("Find a column"))
        self.list.setAccessibleName(self.tr("Columns shown"))
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.usual.setToolTip(self.tr("What papers print: no gain at every cut-off, no counts"))
        self.usual.setVisible(bool(self._usual))
        foot = QHBoxLayout()
        for button in (self.all, self.none, self.usual):
            button.setAutoDefault(False)
            foot.addWidget(button)
        foot.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * SPACE, 2 * SPACE, 2 * SPACE, 2 * SPACE)
        layout.addWidget(self.words)
        layout.addWidget(self.list)
        layout.addLayout(foot)

    def _add(self, entry: ColumnEntry, *, shown: bool) -> None:
        item = QListWidgetItem(f"{entry.name}   {entry.label}".rstrip())
        item.setData(NAME, entry.name)
        item.setToolTip(entry.tip)
        item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
        item.setCheckState(Qt.CheckState.Checked if shown else Qt.CheckState.Unchecked)
        self.list.addItem(item)

    def _items(self) -> list[QListWidgetItem]:
        return [self.list.item(row) for row in range(self.list.count())]

    @Slot(str)
    def _filter(self, text: str) -> None:
        wanted = text.strip().casefold()
        for item in self._items():
            item.setHidden(wanted not in item.text().casefold())
        found = [item for item in self._items() if not item.isHidden()]
        if found and (self.list.currentItem() is None or self.list.currentItem().isHidden()):
            self.list.setCurrentItem(found[0])
        self._show_buttons()

    @Slot()
    def _tick_all(self) -> None:
        """All that are found: with a word in the field the buttons are about those."""
        self._tick({item.data(NAME) for item in self._items() if not item.isHidden()} | self._shown())

    @Slot()
    def _tick_none(self) -> None:
        self._tick(self._shown() - {item.data(NAME) for item in self._items() if not item.isHidden()})

    @Slot()
    def _tick_usual(self) -> None:
        self._tick(self._usual)

    def _shown(self) -> set[str]:
        return {item.data(NAME) for item in self._items()} - self.hidden

    def _tick(self, names: Collection[str]) -> None:
        self._is_ticking = True
        for item in self._items():
            item.setCheckState(Qt.CheckState.Checked if item.data(NAME) in names else Qt.CheckState.Unchecked)
        self._is_ticking = False
        self._tell()

    @Slot()
    def _tell(self, *_: object) -> None:
        if not self._is_ticking:
            self._show_buttons()
            self.hidden_picked.emit(self.hidden)

    def _show_buttons(self) -> None:
        found = [item for item in self._items() if not item.isHidden()]
        ticked = [item for item in found if item.checkState() == Qt.CheckState.Checked]
        self.all.setEnabled(len(ticked) < len(found))
        self.none.setEnabled(bool(ticked))
        self.usual.setEnabled(self._shown() != self._usual)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt override; from the field arrows lead into the list, and Enter ticks what is current there."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Up):
                self.list.setFocus()
                if self.list.currentItem() is None:
                    self.list.setCurrentRow(0)
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                item = self.list.currentItem()
                if item is not None and not item.isHidden():
                    self.list.turn(item)
                return True
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt override."""
        if event.key() == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)
