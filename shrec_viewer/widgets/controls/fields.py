"""Combo box that elides its text, and line edit that filters a list below it."""

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent
from PySide6.QtWidgets import QComboBox, QLineEdit, QStyle, QStyleOptionComboBox, QWidget

from shrec_viewer.widgets.controls.shortcuts import overrides_letters
from shrec_viewer.widgets.style.theme import SPACE

TEXT_MARGIN = 2
"""Pixels that the style keeps free beside the text: one at either end."""


class ElidingComboBox(QComboBox):
    """A combo box in a narrow place: the closed field ends a long text with dots, the open list shows it whole.

    That the list opens as a list with all rows up to 20, and not over the field like a menu, is said in the style
    sheet and true of every combo box.
    """

    def sizeHint(self) -> QSize:
        """Qt override; with the room that the dots keep free behind the text."""
        return super().sizeHint() + QSize(TEXT_MARGIN, 0)

    def showPopup(self) -> None:  # noqa: N802
        """Qt override."""
        self.view().setMinimumWidth(min(self._words_width(), self.screen().availableGeometry().width()))
        self.view().installEventFilter(self)
        super().showPopup()
        popup, screen = self.view().window(), self.screen().availableGeometry()
        beyond = popup.frameGeometry().right() - screen.right()
        if beyond > 0:
            popup.move(max(screen.left(), popup.x() - beyond), popup.y())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt override; letters find a row of the open list."""
        return overrides_letters(event) or super().eventFilter(watched, event)

    def initStyleOption(self, option: QStyleOptionComboBox) -> None:  # noqa: N802
        """Qt override; the style would cut a long text in the middle of a letter."""
        super().initStyleOption(option)
        field = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, self
        )
        room = field.width() - TEXT_MARGIN
        option.currentText = self.fitted(option.currentText, room)

    def fitted(self, text: str, room: int) -> str:
        """What of a text the closed field shows in so many pixels."""
        return QFontMetrics(self.font()).elidedText(text, Qt.TextElideMode.ElideRight, room)

    def _words_width(self) -> int:
        """Pixels of the longest text with its margins, the frame, and a scroll bar where there will be one."""
        view = self.view()
        width = view.sizeHintForColumn(0) + 2 * SPACE
        if self.count() > self.maxVisibleItems():
            width += view.verticalScrollBar().sizeHint().width()
        return width


ACCEPT_KEYS = (Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter)
OVERRIDE_KEYS = (*ACCEPT_KEYS, Qt.Key.Key_Escape)


class FilterField(QLineEdit):
    """Keeps its keys to itself, whatever the menus have on them: Esc leaves, Down and Enter go to what was found.

    Signals
    -------
    left()
        Esc.
    taken()
        Enter or Down: the person wants what is shown.
    """

    left = Signal()
    taken = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setClearButtonEnabled(True)

    def event(self, event: QEvent) -> bool:
        """Qt override."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and _is_override_key(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt override."""
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        elif event.key() in ACCEPT_KEYS:
            self.taken.emit()
        else:
            super().keyPressEvent(event)


def _is_override_key(event: QKeyEvent) -> bool:
    plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    return event.key() in OVERRIDE_KEYS and plain
