"""A long time of random work in the window: no exception, no growth, no standstill.

    python tests/bench/soak.py --minutes 10 [--seed 1] [--benchmark FOLDER]

Real mouse and key events (seeded, so that a fault comes again) go to whatever is in sight, while files of the benchmark
change underneath; it works on a copy of the demo. At the end it prints what was done, the longest standstills of the
main thread and how memory grew after warm-up, and returns 1 where a limit was passed. Runs without a screen.

A standstill is counted in the time that the main thread itself computed, so that other work on the machine does not
count; the time on the clock is printed beside it.
"""

import argparse
import gc
import json
import os
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from timing import say

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ["PYQTGRAPH_QT_LIB"] = "PySide6"

STANDSTILL_MS = 100
"""Milliseconds that the main thread may be busy at once; beyond, a person feels it."""

GROWTH_MB = 40
"""Megabytes by which memory may grow after the first third: caches fill, and Python gives back what it likes."""

PATIENCE_MS = 150
"""Milliseconds until a menu or a modal window is closed again."""

LEFT_OUT = {
    "quit", "open_folder", "open_file", "close", "open_demo", "save", "save_as", "full_screen", "log",
    "import_settings",
}  # fmt: skip
"""Commands that end the test, ask for files, or leave the window."""


def main() -> int:
    options = _options()
    from PySide6.QtWidgets import QApplication, QDialog, QFileDialog

    for name in ("getOpenFileName", "getSaveFileName"):
        setattr(QFileDialog, name, staticmethod(_no_file))
    QFileDialog.getExistingDirectory = staticmethod(_no_folder)
    QDialog.exec = _rejected
    app = QApplication(sys.argv[:1])
    with tempfile.TemporaryDirectory(prefix="shrec-soak-") as scratch:
        os.environ["XDG_DATA_HOME"] = os.environ["XDG_CACHE_HOME"] = scratch
        source = options.benchmark or Path(__file__).parents[2] / "resources" / "demo"
        folder = Path(shutil.copytree(source, Path(scratch) / "benchmark"))
        return Soak(app, folder, options).run()


def _no_file(*_args, **_options):
    return "", ""


def _no_folder(*_args, **_options):
    return ""


def _rejected(_dialog):
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--benchmark", type=Path)
    return parser.parse_args()


class Soak:
    """One window, worked in until the time is over."""

    def __init__(self, app, folder: Path, options: argparse.Namespace) -> None:
        from PySide6.QtCore import QTimer

        from shrec_viewer.app.errors import ErrorReporter
        from shrec_viewer.app.garbage import QuietCollector
        from shrec_viewer.app.looks import Looks
        from shrec_viewer.app.main_window import MainWindow
        from shrec_viewer.app.settings import SettingsFile

        self.app, self.folder = app, folder
        self.chance = random.Random(options.seed)
        self.end = time.monotonic() + options.minutes * 60
        self.started = time.monotonic()
        self.errors: list[str] = []
        self.done: Counter[str] = Counter()
        self.last = ""
        self.slow: list[tuple[float, str]] = []
        self.memory: list[tuple[float, float]] = []
        self.reporter = ErrorReporter()
        self.reporter.install()
        self.reporter.reported.connect(self._note_error)
        self.watch = QTimer(interval=PATIENCE_MS)
        self.watch.timeout.connect(self._close_popups)
        self.watch.start()
        self.window = MainWindow(Looks(app), SettingsFile(None), pictures=True)
        self.collector = QuietCollector(self.window)
        self.window.painted.connect(self.window.assemble)
        self.window.resize(1280, 800)
        self.window.show()

    def run(self) -> int:
        self._wait(lambda: self.window.session is not None)
        self.window.open_path(self.folder)
        self._wait(lambda: self.window.session.scores is not None)
        steps = (self._click, self._move, self._wheel, self._type, self._command, self._file, self._select)
        weights = (30, 20, 8, 25, 12, 1, 8)
        look = time.monotonic()
        while time.monotonic() < self.end:
            step = self.chance.choices(steps, weights)[0]
            self._measured(step.__name__, step)
            self._measured(f"events after {self.last}", self.app.processEvents)
            self._put_right()
            if time.monotonic() - look > 2:
                look = time.monotonic()
                gc.collect()
                self.memory.append((look - self.started, _megabytes()))
        return self._report()

    def _measured(self, name: str, action) -> None:
        began, clock = time.thread_time(), time.perf_counter()
        try:
            words = action()
        except Exception as error:
            self.errors.append(f"{name}: {type(error).__name__}: {error}")
            words = ""
        spent, passed = (time.thread_time() - began) * 1000, (time.perf_counter() - clock) * 1000
        self.done[name] += 1
        self.last = f"{name} {words or ''}".strip()
        if spent > STANDSTILL_MS:
            self.slow.append((spent, f"({passed:.0f} on the clock) {self.last}"))

    def _note_error(self, sentence: str, details: str) -> None:
        self.errors.append(f"{sentence}\n{details}")

    # What a person does.

    def _target(self):
        from PySide6.QtCore import QPoint
        from PySide6.QtWidgets import QApplication

        dialogs = [w for w in QApplication.topLevelWidgets() if w.isVisible() and w is not self.window]
        root = dialogs[-1] if dialogs and self.chance.random() < 0.7 else self.window
        place = QPoint(self.chance.randrange(max(root.width(), 1)), self.chance.randrange(max(root.height(), 1)))
        return (root.childAt(place) or root), root, place

    def _click(self) -> str:
        from PySide6.QtCore import Qt
        from PySide6.QtTest import QTest
        from PySide6.QtWidgets import QMenu, QMenuBar

        widget, root, place = self._target()
        if isinstance(widget, QMenu | QMenuBar):
            return ""  # a menu waits in a loop of its own; commands are triggered another way
        button = Qt.MouseButton.LeftButton
        local = widget.mapFrom(root, place) if widget is not root else place
        if self.chance.random() < 0.1:
            QTest.mouseDClick(widget, button, Qt.KeyboardModifier.NoModifier, local)
        else:
            QTest.mouseClick(widget, button, Qt.KeyboardModifier.NoModifier, local)
        return f"{type(widget).__name__} in {type(widget.parentWidget()).__name__}" if _alive(widget) else "gone"

    def _move(self) -> str:
        from PySide6.QtTest import QTest

        widget, root, place = self._target()
        QTest.mouseMove(widget, widget.mapFrom(root, place) if widget is not root else place)
        return type(widget).__name__

    def _wheel(self) -> str:
        from PySide6.QtCore import QPoint, QPointF, Qt
        from PySide6.QtGui import QWheelEvent

        widget, root, place = self._target()
        local = widget.mapFrom(root, place) if widget is not root else place
        turn = QPoint(0, self.chance.choice((-120, 120)))
        event = QWheelEvent(
            QPointF(local), QPointF(widget.mapToGlobal(local)), QPoint(), turn, Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        self.app.sendEvent(widget, event)
        return type(widget).__name__

    def _type(self) -> str:
        from PySide6.QtCore import Qt
        from PySide6.QtTest import QTest
        from PySide6.QtWidgets import QApplication

        widget = QApplication.focusWidget() or self.window
        keys = [Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageDown, Qt.Key.Key_Home,
                Qt.Key.Key_Tab, Qt.Key.Key_R, Qt.Key.Key_N, Qt.Key.Key_M, Qt.Key.Key_X, Qt.Key.Key_BracketRight,
                Qt.Key.Key_BracketLeft, Qt.Key.Key_Period, Qt.Key.Key_Comma, Qt.Key.Key_Space, Qt.Key.Key_Escape,
                Qt.Key.Key_A, Qt.Key.Key_E, Qt.Key.Key_Backspace]  # fmt: skip
        key = self.chance.choice(keys)
        QTest.keyClick(widget, key)
        return f"{key.name} in {type(widget).__name__}" if _alive(widget) else key.name

    def _command(self) -> str:
        actions = [(k, a) for k, a in self.window.menus.actions.items() if a.isEnabled() and k not in LEFT_OUT]
        key, action = self.chance.choice([(k, a) for k, a in actions if not a.text().endswith("…")])
        action.trigger()
        return key

    def _select(self) -> str:
        session = self.window.session
        if session.benchmark is not None:
            session.select(query=self.chance.randrange(len(session.benchmark.queries)))
            session.select(run=self.chance.randrange(len(session.benchmark.runs)))
        return ""

    def _file(self) -> str:
        """A run changes on disk: two lines of one list change places."""
        files = [path for path in (self.folder / "runs").rglob("*") if path.is_file()]
        path = self.chance.choice(files)
        lines = path.read_bytes().split(b"\n")
        if len(lines) > 8:
            lines[5], lines[6] = lines[6], lines[5]
            path.write_bytes(b"\n".join(lines))
        return path.name

    def _close_popups(self) -> None:
        """A menu that was clicked open waits in a loop of its own, in which only timers run."""
        for widget in (self.app.activePopupWidget(), self.app.activeModalWidget()):
            if widget is not None:
                widget.close()

    def _put_right(self) -> None:
        """Close what a person would close after a while; open again what was closed."""
        from PySide6.QtWidgets import QApplication, QDialog, QMenu

        for widget in QApplication.topLevelWidgets():
            if widget.isVisible() and isinstance(widget, QDialog | QMenu) and self.chance.random() < 0.15:
                widget.close()
        if self.window.session.benchmark is None and not self.window.session.is_opening:
            self.window.open_path(self.folder)

    # What comes out.

    def _wait(self, holds) -> None:
        limit = time.monotonic() + 60
        while not holds() and time.monotonic() < limit:
            self.app.processEvents()
            time.sleep(0.005)

    def _report(self) -> int:
        warm = [mb for seconds, mb in self.memory if seconds > (self.end - self.started) / 3]
        growth = (sum(warm[-5:]) / len(warm[-5:]) - sum(warm[:5]) / len(warm[:5])) if len(warm) >= 10 else 0.0
        slowest = sorted(self.slow, reverse=True)[:12]
        line = {
            "steps": sum(count for name, count in self.done.items() if not name.startswith("events")),
            "errors": len(self.errors),
            "standstills": len(self.slow),
            "longest_ms": round(slowest[0][0]) if slowest else 0,
            "memory_mb": round(self.memory[-1][1]) if self.memory else 0,
            "growth_mb": round(growth, 1),
        }
        say(json.dumps(line))
        for text in dict.fromkeys(self.errors[:20]):
            say(f"error: {text}")
        for spent, what in slowest:
            say(f"{spent:6.0f} ms  {what}")
        self.window.close()
        self.reporter.uninstall()
        return 1 if self.errors or self.slow or growth > GROWTH_MB else 0


def _alive(widget) -> bool:
    from shiboken6 import isValid

    return isValid(widget)


def _megabytes() -> float:
    """Resident memory now; where the system does not say, the highest so far."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


if __name__ == "__main__":
    sys.exit(main())
