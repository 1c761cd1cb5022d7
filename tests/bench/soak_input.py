"""Random mouse and key events for visible widgets, reproducible by seed."""

import random
from pathlib import Path

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QAction, QMouseEvent, QWheelEvent, QWindow
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QDialog,
    QFileDialog,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QWidget,
)
from shiboken6 import isValid
from soak_actions import NamedActions
from soak_dialogs import DialogStubs
from soak_events import (
    LEFT,
    NO_BUTTON,
    NO_KEY,
    RIGHT,
    all_widgets,
    clamp_to_window,
    is_alive,
    name_of,
    press,
    press_key,
)

from shrec_viewer.app.commands import COMMANDS, key_sequences

NOT_BY_KEY = {"quit", "full_screen"}
"""Commands that end the session or hand the window to the window manager."""

KEYS = (
    "Left", "Right", "Up", "Down", "PageUp", "PageDown", "Home", "End", "Tab", "Backtab", "Space", "Return", "Escape",
    "Backspace", "Plus", "Minus", "0", "1", "3", "5", "7", "9", "A", "B", "F", "N", "P", "R", "S", "T", "U", "W",
)  # fmt: skip
"""Keys handled by views, besides those of commands."""

WORDS = ("q0", "air", "M01", "cup", "zzz", "", "0.5", "a note", "Ärger", "1e9")

FIELDS = (QLineEdit, QAbstractSpinBox, QPlainTextEdit)


class RandomInput:
    """Sends one random action at a time.

    Parameters
    ----------
    window : the main window, assembled.
    folder : benchmark to open when none is open.
    only : names of actions; empty for all.
    note : called with a description before each action, which may run a nested event loop.
    projects : paths of projects of different benchmarks, opened in turn.
    """

    def __init__(
        self, window, folder: Path, rng: random.Random, answers: DialogStubs, only: set[str], note, projects=()
    ) -> None:
        self._window, self._rng, self._answers = window, rng, answers
        self._note = note
        self._named = NamedActions(window, folder, rng, answers, note, projects)
        actions = (
            (self.click, 22), (self.double_click, 4), (self.right_click, 3), (self.hover, 14), (self.drag, 7),
            (self.wheel, 12), (self.key, 18), (self.command, 14), (self.type_words, 4), (self.run_action, 4),
            *self._named.actions,
        )  # fmt: skip
        rows = [row for row in actions if not only or row[0].__name__ in only]
        self._actions, self._weights = [row[0] for row in rows], [row[1] for row in rows]

    def act(self) -> None:
        """Perform one random action; closes popups and dialogs and reopens the benchmark first."""
        if (popup := QApplication.activePopupWidget()) is not None:
            self._in_popup(popup)
            return
        if self._dialogs() and self._rng.random() < 0.12:
            self._leave_dialog()
            return
        session = self._window.session
        if not session.is_open and not session.is_opening and self._rng.random() < 0.3:
            self._named.reopen()
            return
        self._rng.choices(self._actions, self._weights)[0]()

    # Targets.

    def _windows(self) -> list[QWidget]:
        """Windows that accept events: the modal dialog if there is one."""
        if (modal := QApplication.activeModalWidget()) is not None:
            return [modal]
        shown = [window for window in QApplication.topLevelWidgets() if window.isVisible() and window.windowHandle()]
        return sorted(shown, key=name_of)

    def _dialogs(self) -> list[QDialog]:
        return [window for window in self._windows() if isinstance(window, QDialog)]

    def _target(self, doing: str) -> tuple[QWindow, QPoint]:
        """A random point of a visible widget; widget classes have equal probability."""
        places: dict[str, list[QWidget]] = {}
        window = self._rng.choice(self._windows())
        for widget in all_widgets():
            if widget.isVisible() and widget.window() is window and not widget.visibleRegion().isEmpty():
                places.setdefault(type(widget).__name__, []).append(widget)
        kind = self._rng.choice(sorted(places) or [""])
        if not kind:
            self._note(f"{doing} nothing")
            return window.windowHandle(), QPoint(1, 1)
        widget = self._rng.choice(places[kind])
        area: QRect = widget.visibleRegion().boundingRect()
        at = QPoint(
            self._rng.randint(area.left(), max(area.left(), area.right())),
            self._rng.randint(area.top(), max(area.top(), area.bottom())),
        )
        self._note(f"{doing} {kind} '{widget.objectName()}' in {type(window).__name__}")
        return window.windowHandle(), widget.mapTo(window, at)

    def _modifiers(self) -> Qt.KeyboardModifier:
        shift, control = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier
        return self._rng.choices((NO_KEY, shift, control), (8, 1, 1))[0]

    # Mouse. Each event may delete the window, so it is checked before the next one.

    def click(self) -> None:
        handle, at = self._target("click")
        press(handle, LEFT, self._modifiers(), at)

    def double_click(self) -> None:
        """Separate events: the second press may dock a floating panel and delete the window that QTest would use."""
        handle, at = self._target("double click")
        press(handle, LEFT, NO_KEY, at)
        for kind, held in ((QEvent.Type.MouseButtonDblClick, LEFT), (QEvent.Type.MouseButtonRelease, NO_BUTTON)):
            if is_alive(handle, at):
                place = QPointF(handle.mapToGlobal(at))
                QApplication.sendEvent(handle, QMouseEvent(kind, QPointF(at), place, LEFT, held, NO_KEY))

    def right_click(self) -> None:
        handle, at = self._target("right click")
        press(handle, RIGHT, NO_KEY, at)

    def hover(self) -> None:
        handle, at = self._target("hover")
        for step in range(self._rng.randint(1, 4)):
            if is_alive(handle, at + QPoint(3 * step, 0)):
                QTest.mouseMove(handle, at + QPoint(3 * step, 0))

    def drag(self) -> None:
        handle, at = self._target("drag")
        button = self._rng.choices((LEFT, Qt.MouseButton.MiddleButton), (9, 1))[0]
        modifiers = self._modifiers()
        if is_alive(handle, at):
            QTest.mousePress(handle, button, modifiers, at)
        for _ in range(self._rng.randint(2, 8)):
            if is_alive(handle):
                by = QPoint(self._rng.randint(-30, 30), self._rng.randint(-30, 30))
                at = clamp_to_window(handle, at + by)
                QTest.mouseMove(handle, at)
        if is_alive(handle):  # a button that stays pressed would affect all later events
            QTest.mouseRelease(handle, button, modifiers, clamp_to_window(handle, at))

    def wheel(self) -> None:
        handle, at = self._target("wheel")
        turn = QPoint(0, self._rng.choice((-360, -120, 120, 360)))
        for _ in range(self._rng.randint(1, 4)):
            if is_alive(handle):
                event = QWheelEvent(
                    QPointF(at), QPointF(handle.mapToGlobal(at)), QPoint(), turn, NO_BUTTON, self._modifiers(),
                    Qt.ScrollPhase.NoScrollPhase, False,
                )  # fmt: skip
                QApplication.sendEvent(handle, event)

    # Keys.

    def key(self) -> None:
        name = self._rng.choice(KEYS)
        handle = self._focus_window().windowHandle()
        self._note(f"key {name} in {type(QApplication.focusWidget()).__name__}")
        for _ in range(self._rng.choice((1, 1, 2, 5))):
            press_key(handle, Qt.Key[f"Key_{name}"], self._modifiers())

    def command(self) -> None:
        """Press the shortcut of a random command."""
        row = self._rng.choice([row for row in COMMANDS if row.key not in NOT_BY_KEY and key_sequences(row)])
        pressed = key_sequences(row)[0][0]
        self._note(f"keys of {row.key}")
        press_key(self._focus_window().windowHandle(), pressed.key(), pressed.keyboardModifiers())

    def run_action(self) -> None:
        """Trigger a random menu action."""
        actions = self._window.menus.actions
        name = self._rng.choice(sorted(key for key in actions if key not in NOT_BY_KEY))
        if actions[name].isEnabled() and not self._dialogs():
            self._note(f"menu {name}")
            actions[name].trigger()

    def type_words(self) -> None:
        fields = [field for field in all_widgets() if isinstance(field, FIELDS)]
        fields = [field for field in fields if field.isVisible() and field.isEnabled()]
        if not fields or self._dialogs():
            return
        field = self._rng.choice(fields)
        self._note(f"text into {type(field).__name__}")
        field.setFocus()
        if self._rng.random() < 0.5:
            field.selectAll()
        for letter in self._rng.choice(WORDS):
            if isValid(field):
                QTest.keyClicks(field, letter)

    def _focus_window(self) -> QWidget:
        return QApplication.activeModalWidget() or QApplication.activeWindow() or self._window

    # Popups and dialogs.

    def _in_popup(self, popup: QWidget) -> None:
        handle = popup.windowHandle()
        share = self._rng.random()
        self._note(f"in popup {type(popup).__name__}")
        if handle is None or share < 0.25 or (isinstance(popup, QMenu) and self._dialogs()):
            popup.close()
        elif share < 0.6:
            name = self._rng.choice(("Down", "Down", "Up", "Right", "Left", "Return", "Escape"))
            if name != "Return" or not any(str(action.data()) in NOT_BY_KEY for action in popup.actions()):
                press_key(handle, Qt.Key[f"Key_{name}"], NO_KEY)
        else:
            at = QPoint(self._rng.randrange(max(1, popup.width())), self._rng.randrange(max(1, popup.height())))
            if self._is_harmless(_action_at(popup, at) if isinstance(popup, QMenu) else None):
                QTest.mouseMove(handle, at)
                if is_alive(handle):  # some popups close on hover
                    press(handle, LEFT, NO_KEY, at)

    def _is_harmless(self, action: QAction | None) -> bool:
        if action is not None:
            self._note(f"in menu {action.text()}")
        return action is None or str(action.data()) not in NOT_BY_KEY

    def _leave_dialog(self) -> None:
        dialog = self._rng.choice(self._dialogs())
        self._note(f"leave {type(dialog).__name__}")
        if isinstance(dialog, QFileDialog):
            dialog.selectFile(str(self._answers.path(".pdf")))
        if self._rng.random() < 0.5:
            dialog.accept()
        else:
            dialog.reject()


def _action_at(menu: QMenu, at: QPoint) -> QAction | None:
    """Action at a point. PySide deletes the QAction that `actionAt` returns together with its menu."""
    return next((action for action in menu.actions() if menu.actionGeometry(action).contains(at)), None)
