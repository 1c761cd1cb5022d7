"""Lists with check boxes, and pop-ups with them."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QFrame, QListWidget, QListWidgetItem, QWidget

from shrec_viewer.widgets.controls.layouts import Part, column_of
from shrec_viewer.widgets.controls.plain_text import ItemTooltips
from shrec_viewer.widgets.style.theme import SPACE

#: Maximum width in pixels; longer texts are elided and have tooltips.
MAX_LIST_WIDTH = 420

KEY_ROLE = Qt.ItemDataRole.UserRole


class CheckListWidget(QListWidget):
    """List with check boxes, which a click anywhere on an item, Space or Enter toggles; Esc is left to the pop-up."""

    def __init__(self, name: str, elide: Qt.TextElideMode) -> None:
        super().__init__()
        ItemTooltips(self)
        self.setAccessibleName(name)
        self.setTextElideMode(elide)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def add(self, key: str, text: str, tip: str) -> QListWidgetItem:
        """Add an item, which has no check box until its state is set."""
        item = QListWidgetItem(text)
        item.setData(KEY_ROLE, key)
        item.setToolTip(tip)
        item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
        self.addItem(item)
        return item

    def items_by_key(self) -> dict[str, QListWidgetItem]:
        """All items, in order."""
        items = (self.item(row) for row in range(self.count()))
        return {item.data(KEY_ROLE): item for item in items}

    def checked_keys(self) -> set[str]:
        """Keys of the checked items."""
        return {key for key, item in self.items_by_key().items() if item.checkState() == Qt.CheckState.Checked}

    def set_checked(self, item: QListWidgetItem, is_checked: bool) -> None:
        """Check or uncheck an item."""
        item.setCheckState(Qt.CheckState.Checked if is_checked else Qt.CheckState.Unchecked)

    def turn(self, item: QListWidgetItem) -> None:
        """Toggle the check state of an item."""
        self.set_checked(item, item.checkState() != Qt.CheckState.Checked)

    def press(self, item: QListWidgetItem, modifiers: Qt.KeyboardModifier) -> None:
        """Toggle the item that was clicked."""
        self.turn(item)

    def enter(self, item: QListWidgetItem) -> None:
        """Toggle the current item with Enter."""
        self.turn(item)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Qt override, see `press`."""
        item = self.itemAt(event.position().toPoint())
        if item is not None and event.button() == Qt.MouseButton.LeftButton:
            self.setCurrentItem(item)
            self.press(item, event.modifiers())

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Handle a double click as two clicks."""
        self.mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt override, see above."""
        item = self.currentItem()
        if item is not None and event.key() == Qt.Key.Key_Space:
            self.turn(item)
        elif item is not None and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.enter(item)
        elif event.key() == Qt.Key.Key_Escape:
            event.ignore()
        else:
            super().keyPressEvent(event)


class CheckListPopup(QFrame):
    """Pop-up with a list; closed by a click outside or Esc."""

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName(name)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)

    def lay_out(self, *parts: Part) -> None:
        """Show these parts from top to bottom."""
        self.setLayout(column_of(*parts, margins=2 * SPACE))

    def fit_list(self, rows: QListWidget, max_rows: int) -> None:
        """Fit the list to its texts, and to its rows up to a number of them."""
        count = min(max(rows.count(), 1), max_rows)
        rows.setFixedHeight(count * max(rows.sizeHintForRow(0), 1) + 2 * rows.frameWidth() + 2)
        bar = rows.verticalScrollBar().sizeHint().width()
        rows.setMinimumWidth(min(rows.sizeHintForColumn(0) + bar + 4 * SPACE, MAX_LIST_WIDTH))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close with Esc."""
        if event.key() == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)
