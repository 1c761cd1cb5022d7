"""Shortcut overrides: keys that a focused widget handles although a menu uses them too."""

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence


def overrides_copy(event: QEvent) -> bool:
    """Whether the event asks whose Ctrl+C is; it is the widget's own then, not that of the menu."""
    if event.type() != QEvent.Type.ShortcutOverride or not isinstance(event, QKeyEvent):
        return False
    if not event.matches(QKeySequence.StandardKey.Copy):
        return False
    event.accept()
    return True


def overrides_letters(event: QEvent) -> bool:
    """Whether the event asks whose a plain letter is; in a list of names it finds a row, whatever menus do by it."""
    if event.type() != QEvent.Type.ShortcutOverride or not isinstance(event, QKeyEvent):
        return False
    if not event.text().isalpha() or event.modifiers() & ~Qt.KeyboardModifier.ShiftModifier:
        return False
    event.accept()
    return True
