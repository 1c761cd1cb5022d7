"""A field that filters what stands below it, and hands over to it."""

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

GOING_DOWN = (Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter)
OWN = (*GOING_DOWN, Qt.Key.Key_Escape)


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
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and _is_own(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt override."""
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        elif event.key() in GOING_DOWN:
            self.taken.emit()
        else:
            super().keyPressEvent(event)


def _is_own(event: QKeyEvent) -> bool:
    plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    return event.key() in OWN and plain
