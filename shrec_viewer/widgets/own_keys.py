"""Keys that a widget keeps for itself while it has the focus, though the menus have them too."""

from PySide6.QtCore import QEvent
from PySide6.QtGui import QKeyEvent, QKeySequence


def keeps_copy(event: QEvent) -> bool:
    """Whether the event asks whose Ctrl+C is; it is the widget's own then, not that of the menu."""
    if event.type() != QEvent.Type.ShortcutOverride or not isinstance(event, QKeyEvent):
        return False
    if not event.matches(QKeySequence.StandardKey.Copy):
        return False
    event.accept()
    return True
