"""What clicks mean in lists of curves, whether a legend or a window of its own: show, hide, this one only."""

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QApplication

ALONE = Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.ControlModifier
"""Keys that make a click mean this curve only; either, because many window managers keep Alt for themselves."""


class Choosing(QObject):
    """Tells clicks from double clicks without making anybody wait.

    A click counts at once. A double click takes its first click back and then means something else. Only a click on
    the one curve that is left waits for a second one, since alone it is refused.

    Signals
    -------
    toggled(str)
        Show or hide this curve.
    isolated(str)
        Show this curve only, or all again.
    """

    toggled = Signal(str)
    isolated = Signal(str)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._key = ""
        self._waiting = QTimer(self)
        self._waiting.setSingleShot(True)
        self._waiting.timeout.connect(self._refuse)

    def press(self, key: str, modifiers: Qt.KeyboardModifier, *, is_last: bool) -> None:
        """A click on this curve; `is_last`: no other one is shown."""
        self._waiting.stop()
        self._key = key
        if modifiers & ALONE:
            self._key = ""
            self.isolated.emit(key)
        elif is_last:
            self._waiting.start(QApplication.doubleClickInterval())
        else:
            self.toggled.emit(key)

    def press_again(self) -> None:
        """The click was the first one of a double click; the mouse may be over another entry by now."""
        key, self._key = self._key, ""
        if not key:
            return
        if self._waiting.isActive():
            self._waiting.stop()
        else:
            self.toggled.emit(key)
        self.isolated.emit(key)

    def _refuse(self) -> None:
        key, self._key = self._key, ""
        self.toggled.emit(key)
