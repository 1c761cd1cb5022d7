"""Shortcut overrides: keys that a focused widget handles although a menu uses them too."""

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence


def overrides_copy(event: QEvent) -> bool:
    """Accept a shortcut override of Ctrl+C, so that the widget handles it instead of the menu; whether it was one."""
    if event.type() != QEvent.Type.ShortcutOverride or not isinstance(event, QKeyEvent):
        return False
    if not event.matches(QKeySequence.StandardKey.Copy):
        return False
    event.accept()
    return True


def overrides_letters(event: QEvent) -> bool:
    """Accept a shortcut override of a plain letter, which searches in a list; whether it was one."""
    if event.type() != QEvent.Type.ShortcutOverride or not isinstance(event, QKeyEvent):
        return False
    if not event.text().isalpha() or event.modifiers() & ~Qt.KeyboardModifier.ShiftModifier:
        return False
    event.accept()
    return True
