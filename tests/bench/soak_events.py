"""Single mouse and key events; each may delete the window that the next one is for."""

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QWindow
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import getCppPointer, isValid

NO_KEY = Qt.KeyboardModifier.NoModifier
LEFT, RIGHT, NO_BUTTON = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton, Qt.MouseButton.NoButton

CORNER = QPoint(0, 0)

HELD = ("Shift", "Control", "Alt", "Meta")
"""Modifier keys, pressed before and released after a key."""


def press(handle: QWindow, button: Qt.MouseButton, modifiers: Qt.KeyboardModifier, at: QPoint) -> None:
    if is_alive(handle, at):
        QTest.mousePress(handle, button, modifiers, at)
    if is_alive(handle, at):
        QTest.mouseRelease(handle, button, modifiers, at)


def press_key(handle: QWindow | None, key: Qt.Key, modifiers: Qt.KeyboardModifier) -> None:
    """One event at a time: `QTest.keyPress` processes events after Shift without checking the window."""
    held = [Qt.Key[f"Key_{name}"] for name in HELD if Qt.KeyboardModifier[f"{name}Modifier"] in modifiers]
    for number in (*held, key):
        _send_key(handle, number, modifiers, pressed=True)
    for number in (key, *reversed(held)):
        _send_key(handle, number, modifiers, pressed=False)


def _send_key(handle: QWindow | None, key: Qt.Key, modifiers: Qt.KeyboardModifier, *, pressed: bool) -> None:
    if handle is not None and is_alive(handle):
        QTest.simulateEvent(handle, pressed, key.value, modifiers, QTest.keyToAscii(key).strip("\0"), False)


def is_alive(handle: QWindow, at: QPoint = CORNER) -> bool:
    """Whether the window still exists and contains the point `at`.

    PySide is not notified when Qt deletes a window that Qt created.
    """
    pointers = {getCppPointer(window)[0] for window in QGuiApplication.allWindows()}
    return isValid(handle) and getCppPointer(handle)[0] in pointers and clamp_to_window(handle, at) == at


def clamp_to_window(handle: QWindow, at: QPoint) -> QPoint:
    return QPoint(min(max(at.x(), 0), handle.width() - 1), min(max(at.y(), 0), handle.height() - 1))


def all_widgets() -> list[QWidget]:
    """All widgets, sorted because Qt returns a set. `findChildren` would keep Python wrappers alive with the window."""
    return sorted(QApplication.allWidgets(), key=name_of)


def name_of(widget: QWidget) -> tuple[str, str]:
    return type(widget).__name__, widget.objectName()
