"""A field to choose one of a few: its list opens downwards and is as wide as its words."""

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QComboBox, QStyle, QStyleOptionComboBox

from shrec_viewer.widgets.own_keys import keeps_letters
from shrec_viewer.widgets.theme import SPACE

EDGE = 2
"""Pixels that the style keeps free beside the text: one at either end."""


class Choice(QComboBox):
    """A combo box in a narrow place: the closed field ends a long text with dots, the open list shows it whole.

    That the list opens as a list with all rows up to 20, and not over the field like a menu, is said in the style
    sheet and true of every combo box.
    """

    def sizeHint(self) -> QSize:
        """Qt override; with the room that the dots keep free behind the text."""
        return super().sizeHint() + QSize(EDGE, 0)

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
        return keeps_letters(event) or super().eventFilter(watched, event)

    def initStyleOption(self, option: QStyleOptionComboBox) -> None:  # noqa: N802
        """Qt override; the style would cut a long text in the middle of a letter."""
        super().initStyleOption(option)
        field = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, self
        )
        room = field.width() - EDGE
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
