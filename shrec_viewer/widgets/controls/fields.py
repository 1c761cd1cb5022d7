"""Combo box that elides its text, and line edit that filters a list below it."""

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent
from PySide6.QtWidgets import QComboBox, QLineEdit, QStyle, QStyleOptionComboBox, QWidget

from shrec_viewer.widgets.controls.shortcuts import overrides_letters
from shrec_viewer.widgets.style.theme import SPACE

TEXT_MARGIN = 2
"""Pixels that Fusion keeps free around the text of a combo box: one at each end."""


class ElidingComboBox(QComboBox):
    """Combo box that elides a long text in the closed field and shows it in full in the open list.

    The style sheet makes every combo box open as a list of up to 20 rows (`combobox-popup: 0`).
    """

    def sizeHint(self) -> QSize:
        """Size with the margin that `initStyleOption` subtracts."""
        return super().sizeHint() + QSize(TEXT_MARGIN, 0)

    def showPopup(self) -> None:  # noqa: N802
        """Open the list in full width, within the screen."""
        self.view().setMinimumWidth(min(self._list_width(), self.screen().availableGeometry().width()))
        self.view().installEventFilter(self)
        super().showPopup()
        popup, screen = self.view().window(), self.screen().availableGeometry()
        overlap = popup.frameGeometry().right() - screen.right()
        if overlap > 0:
            popup.move(max(screen.left(), popup.x() - overlap), popup.y())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Select a row of the open list by letters."""
        return overrides_letters(event) or super().eventFilter(watched, event)

    def initStyleOption(self, option: QStyleOptionComboBox) -> None:  # noqa: N802
        """Elide a long text; the Fusion style clips it within a letter."""
        super().initStyleOption(option)
        field = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, self
        )
        option.currentText = self.elided(option.currentText, field.width() - TEXT_MARGIN)

    def elided(self, text: str, width: int) -> str:
        """The text that the closed field shows in this width in pixels."""
        return QFontMetrics(self.font()).elidedText(text, Qt.TextElideMode.ElideRight, width)

    def _list_width(self) -> int:
        """Width in pixels of the longest text with margins and, if needed, scroll bar."""
        view = self.view()
        width = view.sizeHintForColumn(0) + 2 * SPACE
        if self.count() > self.maxVisibleItems():
            width += view.verticalScrollBar().sizeHint().width()
        return width


ACCEPT_KEYS = (Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter)
OVERRIDE_KEYS = (*ACCEPT_KEYS, Qt.Key.Key_Escape)


class FilterField(QLineEdit):
    """Line edit that filters a list; overrides shortcuts of the menus on Esc, Down and Enter.

    Signals
    -------
    escaped()
        Esc was pressed.
    accepted()
        Enter or Down was pressed: go to the results.
    """

    escaped = Signal()
    accepted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setClearButtonEnabled(True)

    def event(self, event: QEvent) -> bool:
        """Override shortcuts of the window that use Esc, Down or Enter."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and _is_override_key(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Emit `escaped` for Esc and `accepted` for Enter."""
        if event.key() == Qt.Key.Key_Escape:
            self.escaped.emit()
        elif event.key() in ACCEPT_KEYS:
            self.accepted.emit()
        else:
            super().keyPressEvent(event)


def _is_override_key(event: QKeyEvent) -> bool:
    plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    return event.key() in OVERRIDE_KEYS and plain
