"""A person without a plan: real events of mouse and keys to whatever is in sight, the same ones for the same seed."""

import random
import shutil
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QAction, QDesktopServices, QDrag, QGuiApplication, QMouseEvent, QWheelEvent, QWindow
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QDialog,
    QFileDialog,
    QInputDialog,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QWidget,
)
from shiboken6 import getCppPointer, isValid

from shrec_viewer.app.commands import COMMANDS, sequences
from shrec_viewer.metrics import CHOICES, PROFILES, with_choice
from shrec_viewer.panels import PANELS, PERSPECTIVES

NO_KEY = Qt.KeyboardModifier.NoModifier
LEFT, RIGHT, NO_BUTTON = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton, Qt.MouseButton.NoButton

NOT_BY_KEY = {"quit", "full_screen"}
"""Commands that end the session, or leave the screen to the window manager."""

KEYS = (
    "Left", "Right", "Up", "Down", "PageUp", "PageDown", "Home", "End", "Tab", "Backtab", "Space", "Return", "Escape",
    "Backspace", "Plus", "Minus", "0", "1", "3", "5", "7", "9", "A", "B", "F", "N", "P", "R", "S", "T", "U", "W",
)  # fmt: skip
"""Keys that some view understands, beside the commands."""

CORNER = QPoint(0, 0)

HELD = ("Shift", "Control", "Alt", "Meta")
"""Keys that are held while another is struck."""

WORDS = ("q0", "air", "M01", "cup", "zzz", "", "0.5", "a note", "Ärger", "1e9")

FIELDS = (QLineEdit, QAbstractSpinBox, QPlainTextEdit)


class Answers:
    """What dialogs of the system are answered with, and where that goes; no program outside is ever started."""

    def __init__(self, chance: random.Random, scratch: Path, folders: list[Path]) -> None:
        self._chance, self._scratch, self._folders = chance, scratch, folders
        QFileDialog.getSaveFileName = staticmethod(self._save_name)
        QFileDialog.getOpenFileName = staticmethod(self._open_name)
        QFileDialog.getExistingDirectory = staticmethod(self._folder)
        QInputDialog.getInt = staticmethod(self._number)
        QDesktopServices.openUrl = staticmethod(self._opened)
        QDrag.exec = self._dragged
        QApplication.setAttribute(Qt.ApplicationAttribute.AA_DontUseNativeDialogs)

    def path(self, suffix: str) -> Path:
        """A file to write, now and then the same one again."""
        return self._scratch / f"saved{self._chance.randrange(4)}{suffix}"

    def _save_name(self, *args, **_named):
        texts = [str(arg) for arg in args]
        kind = next((form for form in (".shrec", ".png", ".csv", ".json", ".svg") if any(form in t for t in texts)), "")
        return ("", "") if self._chance.random() < 0.2 else (str(self.path(kind)), "")

    def _open_name(self, *_args, **_named):
        return ("", "") if self._chance.random() < 0.3 else (str(self._chance.choice(self._folders)), "")

    def _folder(self, *_args, **_named):
        return "" if self._chance.random() < 0.3 else str(self._chance.choice(self._folders))

    def _number(self, _parent, _title, _label, _value, least, most, *_others):
        return self._chance.randint(least, most), self._chance.random() < 0.8

    def _opened(self, _url):
        return True

    def _dragged(self, *_args):
        return Qt.DropAction.IgnoreAction


class Hands:
    """Does one thing at a time.

    Parameters
    ----------
    window : the main window, assembled.
    folder : what is opened again whenever nothing is open.
    only : names of actions; empty for all.
    note : called with words for what is going to be done: it may never come back.
    """

    def __init__(self, window, folder: Path, chance: random.Random, answers: Answers, only: set[str], note) -> None:
        self._window, self._folder, self._chance, self._answers = window, folder, chance, answers
        self._note = note
        actions = (
            (self.click, 22), (self.double_click, 4), (self.right_click, 3), (self.hover, 14), (self.drag, 7),
            (self.wheel, 12), (self.key, 18), (self.command, 14), (self.type_words, 4), (self.perspective, 2),
            (self.theme, 0.5), (self.profile, 1), (self.convention, 1.5), (self.dock, 4), (self.float_dock, 1),
            (self.run_action, 4), (self.query, 6), (self.history, 3), (self.undo, 3), (self.project, 0.7),
            (self.resize, 0.7), (self.reopen, 0.4), (self.demo, 0.2), (self.reload, 0.5), (self.text_size, 0.2),
            (self.preset, 0.3), (self.palette, 0.7),
        )  # fmt: skip
        rows = [row for row in actions if not only or row[0].__name__ in only]
        self._actions, self._weights = [row[0] for row in rows], [row[1] for row in rows]

    def act(self) -> None:
        """Do something; first what keeps a session going: leave dialogs after a while, open what was closed."""
        if (popup := QApplication.activePopupWidget()) is not None:
            self._in_popup(popup)
            return
        if self._dialogs() and self._chance.random() < 0.12:
            self._leave_dialog()
            return
        session = self._window.session
        if session.benchmark is None and not session.is_opening and self._chance.random() < 0.3:
            self.reopen()
            return
        self._chance.choices(self._actions, self._weights)[0]()

    # Where.

    def _windows(self) -> list[QWidget]:
        """Windows that take events: the dialogs in front of all others where there are any."""
        if (modal := QApplication.activeModalWidget()) is not None:
            return [modal]
        shown = [window for window in QApplication.topLevelWidgets() if window.isVisible() and window.windowHandle()]
        return sorted(shown, key=_name)

    def _dialogs(self) -> list[QDialog]:
        return [window for window in self._windows() if isinstance(window, QDialog)]

    def _target(self, doing: str) -> tuple[QWindow, QPoint]:
        """A point of a widget in sight; classes of widgets have equal chances, so that a list is no less."""
        places: dict[str, list[QWidget]] = {}
        window = self._chance.choice(self._windows())
        for widget in _all_widgets():
            if widget.isVisible() and widget.window() is window and not widget.visibleRegion().isEmpty():
                places.setdefault(type(widget).__name__, []).append(widget)
        kind = self._chance.choice(sorted(places) or [""])
        if not kind:
            self._note(f"{doing} nothing")
            return window.windowHandle(), QPoint(1, 1)
        widget = self._chance.choice(places[kind])
        area: QRect = widget.visibleRegion().boundingRect()
        at = QPoint(
            self._chance.randint(area.left(), max(area.left(), area.right())),
            self._chance.randint(area.top(), max(area.top(), area.bottom())),
        )
        self._note(f"{doing} {kind} '{widget.objectName()}' in {type(window).__name__}")
        return window.windowHandle(), widget.mapTo(window, at)

    def _modifiers(self) -> Qt.KeyboardModifier:
        shift, control = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier
        return self._chance.choices((NO_KEY, shift, control), (8, 1, 1))[0]

    # Mouse. After each event the window may be gone: then there is nothing to send the next one to.

    def click(self) -> None:
        handle, at = self._target("click")
        self._press(handle, LEFT, self._modifiers(), at)

    def double_click(self) -> None:
        """One by one: the second press may dock what floats, and the window to which QTest sends the rest is gone."""
        handle, at = self._target("double click")
        self._press(handle, LEFT, NO_KEY, at)
        for kind, held in ((QEvent.Type.MouseButtonDblClick, LEFT), (QEvent.Type.MouseButtonRelease, NO_BUTTON)):
            if _is_there(handle, at):
                place = QPointF(handle.mapToGlobal(at))
                QApplication.sendEvent(handle, QMouseEvent(kind, QPointF(at), place, LEFT, held, NO_KEY))

    def right_click(self) -> None:
        handle, at = self._target("right click")
        self._press(handle, RIGHT, NO_KEY, at)

    def _press(self, handle: QWindow, button: Qt.MouseButton, modifiers: Qt.KeyboardModifier, at: QPoint) -> None:
        if _is_there(handle, at):
            QTest.mousePress(handle, button, modifiers, at)
        if _is_there(handle, at):
            QTest.mouseRelease(handle, button, modifiers, at)

    def hover(self) -> None:
        handle, at = self._target("hover")
        for step in range(self._chance.randint(1, 4)):
            if _is_there(handle, at + QPoint(3 * step, 0)):
                QTest.mouseMove(handle, at + QPoint(3 * step, 0))

    def drag(self) -> None:
        handle, at = self._target("drag")
        button = self._chance.choices((LEFT, Qt.MouseButton.MiddleButton), (9, 1))[0]
        modifiers = self._modifiers()
        if _is_there(handle, at):
            QTest.mousePress(handle, button, modifiers, at)
        for _ in range(self._chance.randint(2, 8)):
            if _is_there(handle):
                by = QPoint(self._chance.randint(-30, 30), self._chance.randint(-30, 30))
                at = _within(handle, at + by)
                QTest.mouseMove(handle, at)
        if _is_there(handle):  # a button that is held for good would spoil all that follows
            QTest.mouseRelease(handle, button, modifiers, _within(handle, at))

    def wheel(self) -> None:
        handle, at = self._target("wheel")
        turn = QPoint(0, self._chance.choice((-360, -120, 120, 360)))
        for _ in range(self._chance.randint(1, 4)):
            if _is_there(handle):
                event = QWheelEvent(
                    QPointF(at), QPointF(handle.mapToGlobal(at)), QPoint(), turn, NO_BUTTON, self._modifiers(),
                    Qt.ScrollPhase.NoScrollPhase, False,
                )  # fmt: skip
                QApplication.sendEvent(handle, event)

    # Keys.

    def key(self) -> None:
        name = self._chance.choice(KEYS)
        handle = self._focus_window().windowHandle()
        self._note(f"key {name} in {type(QApplication.focusWidget()).__name__}")
        for _ in range(self._chance.choice((1, 1, 2, 5))):
            self._strike(handle, Qt.Key[f"Key_{name}"], self._modifiers())

    def command(self) -> None:
        """The keys of a command."""
        row = self._chance.choice([row for row in COMMANDS if row.key not in NOT_BY_KEY and sequences(row)])
        pressed = sequences(row)[0][0]
        self._note(f"keys of {row.key}")
        self._strike(self._focus_window().windowHandle(), pressed.key(), pressed.keyboardModifiers())

    def _strike(self, handle: QWindow | None, key: Qt.Key, modifiers: Qt.KeyboardModifier) -> None:
        """One event at a time: `QTest.keyPress` presses Shift, lets events through, and never asks for the window."""
        held = [Qt.Key[f"Key_{name}"] for name in HELD if Qt.KeyboardModifier[f"{name}Modifier"] in modifiers]
        for number in (*held, key):
            self._send_key(handle, number, modifiers, pressed=True)
        for number in (key, *reversed(held)):
            self._send_key(handle, number, modifiers, pressed=False)

    def _send_key(self, handle: QWindow | None, key: Qt.Key, modifiers: Qt.KeyboardModifier, *, pressed: bool) -> None:
        if handle is not None and _is_there(handle):
            QTest.simulateEvent(handle, pressed, key.value, modifiers, QTest.keyToAscii(key).strip("\0"), False)

    def run_action(self) -> None:
        """A command that may have no key, as from its menu."""
        actions = self._window.menus.actions
        name = self._chance.choice(sorted(key for key in actions if key not in NOT_BY_KEY))
        if actions[name].isEnabled() and not self._dialogs():
            self._note(f"menu {name}")
            actions[name].trigger()

    def type_words(self) -> None:
        fields = [field for field in _all_widgets() if isinstance(field, FIELDS)]
        fields = [field for field in fields if field.isVisible() and field.isEnabled()]
        if not fields or self._dialogs():
            return
        field = self._chance.choice(fields)
        self._note(f"words into {type(field).__name__}")
        field.setFocus()
        if self._chance.random() < 0.5:
            field.selectAll()
        for letter in self._chance.choice(WORDS):
            if isValid(field):
                QTest.keyClicks(field, letter)

    def _focus_window(self) -> QWidget:
        return QApplication.activeModalWidget() or QApplication.activeWindow() or self._window

    # What is in front.

    def _in_popup(self, popup: QWidget) -> None:
        handle = popup.windowHandle()
        chance = self._chance.random()
        self._note(f"in popup {type(popup).__name__}")
        if handle is None or chance < 0.25 or (isinstance(popup, QMenu) and self._dialogs()):
            popup.close()
        elif chance < 0.6:
            name = self._chance.choice(("Down", "Down", "Up", "Right", "Left", "Return", "Escape"))
            if name != "Return" or self._is_harmless(popup.activeAction() if isinstance(popup, QMenu) else None):
                self._strike(handle, Qt.Key[f"Key_{name}"], NO_KEY)
        else:
            at = QPoint(self._chance.randrange(max(1, popup.width())), self._chance.randrange(max(1, popup.height())))
            if self._is_harmless(popup.actionAt(at) if isinstance(popup, QMenu) else None):
                QTest.mouseMove(handle, at)
                if _is_there(handle):  # some close when the mouse comes
                    self._press(handle, LEFT, NO_KEY, at)

    def _is_harmless(self, action: QAction | None) -> bool:
        if action is not None:
            self._note(f"in menu {action.text()}")
        return action is None or str(action.data()) not in NOT_BY_KEY

    def _leave_dialog(self) -> None:
        dialog = self._chance.choice(self._dialogs())
        self._note(f"leave {type(dialog).__name__}")
        if isinstance(dialog, QFileDialog):
            dialog.selectFile(str(self._answers.path(".pdf")))
        if self._chance.random() < 0.5:
            dialog.accept()
        else:
            dialog.reject()

    # By name.

    def perspective(self) -> None:
        key = self._chance.choice(PERSPECTIVES).key
        self._note(f"perspective {key}")
        self._window.workspace.show_perspective(key)

    def theme(self) -> None:
        self._note("theme")
        self._window.menus.actions["switch_theme"].trigger()

    def profile(self) -> None:
        key = self._chance.choice(PROFILES).key
        self._note(f"profile {key}")
        self._window.session.set_profile(key)

    def convention(self) -> None:
        choice = self._chance.choice(CHOICES)
        value = self._chance.choice(choice.values).value
        self._note(f"convention {choice.field}={value}")
        self._window.session.set_conventions(with_choice(self._window.session.profile, choice.field, value))

    def dock(self) -> None:
        key = self._chance.choice([panel.key for panel in PANELS if panel.area != "centre"])
        self._note(f"dock {key}")
        next(row for row in self._window.workspace.dock_actions() if row.data() == key).trigger()

    def float_dock(self) -> None:
        if docks := [dock for dock in self._window.workspace.arrangement.docks().values() if dock.isVisible()]:
            dock = self._chance.choice(docks)
            self._note(f"float {dock.objectName()}")
            dock.setFloating(not dock.isFloating())

    def query(self) -> None:
        session = self._window.session
        if session.benchmark is not None and session.benchmark.runs and len(session.benchmark.queries):
            query = self._chance.randrange(len(session.benchmark.queries))
            run = self._chance.randrange(len(session.benchmark.runs))
            self._note(f"query {query} of run {run}")
            session.select(query=query, run=run)

    def history(self) -> None:
        history = self._window.desk.history
        forward = self._chance.random() < 0.4
        self._note("forward" if forward else "back")
        (history.forward if forward else history.back)()

    def undo(self) -> None:
        stack = self._window.session.edits.stack
        again = self._chance.random() < 0.4
        self._note("redo" if again else "undo")
        (stack.redo if again else stack.undo)()

    def project(self) -> None:
        if self._window.session.benchmark is None:
            return
        path = self._answers.path(".shrec")
        is_read = path.exists() and self._chance.random() < 0.5
        self._note(f"{'open' if is_read else 'save'} {path.name}")
        (self._window.open_path if is_read else self._window.desk.projects.write)(path)

    def reopen(self) -> None:
        self._note("open the folder")
        self._window.open_path(self._folder)

    def demo(self) -> None:
        self._note("open the demo")
        self._window.open_demo()

    def reload(self) -> None:
        self._note("reload")
        self._window.session.reload()

    def resize(self) -> None:
        width, height = self._chance.randint(900, 1920), self._chance.randint(600, 1080)
        self._note(f"resize {width} x {height}")
        self._window.resize(width, height)

    def text_size(self) -> None:
        self._set(text_size=self._chance.choice((100, 115, 130)))

    def preset(self) -> None:
        self._set(relevance=self._chance.choice(("ordinal", "strict", "contrast", "classic")))

    def palette(self) -> None:
        self._note("palette")
        self._window.desk.show_palette()

    def _set(self, **values) -> None:
        self._note(f"settings {values}")
        self._window.desk.change_settings(replace(self._window.settings, **values))


def _is_there(handle: QWindow, at: QPoint = CORNER) -> bool:
    """Whether the window was not deleted meanwhile, and still has a place `at`.

    PySide is not told of its deletion where Qt itself made it.
    """
    pointers = {getCppPointer(window)[0] for window in QGuiApplication.allWindows()}
    return isValid(handle) and getCppPointer(handle)[0] in pointers and _within(handle, at) == at


def _within(handle: QWindow, at: QPoint) -> QPoint:
    return QPoint(min(max(at.x(), 0), handle.width() - 1), min(max(at.y(), 0), handle.height() - 1))


def _all_widgets() -> list[QWidget]:
    """Sorted, as Qt has them in a set. `findChildren` would do harm: it ties what it finds to the window of today."""
    return sorted(QApplication.allWidgets(), key=_name)


def _name(widget: QWidget) -> tuple[str, str]:
    return type(widget).__name__, widget.objectName()


def copy_of(folder: Path, scratch: Path) -> Path:
    """A copy that may be damaged."""
    shutil.copytree(folder, scratch / "benchmark")
    return scratch / "benchmark"
