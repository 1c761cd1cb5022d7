"""Monitors of a long session: errors, object counts, and pauses of the main thread."""

import faulthandler
import gc
import logging
import sys
import tempfile
import threading
import time
import traceback
import weakref
from array import array
from collections import Counter, deque
from operator import itemgetter
from typing import NamedTuple

from PySide6.QtCore import QEvent, QObject, QTimer, QtMsgType, Slot, qInstallMessageHandler
from PySide6.QtWidgets import QApplication
from timing import print_line

TICK = 0.005
"""Interval of the timer in seconds."""

LIMIT, RARE_LIMIT = 0.1, 0.4
"""Allowed processor time of the main thread between two timer events in seconds; the second of rare causes."""

AFTERMATH = 0.3
"""Seconds for which the work that a rare action has posted counts as part of it: layout, painting, further panels."""

POLL, LATE = 0.01, 0.06
"""Sampling interval of the stack, and delay of a timer event after which sampling starts, seconds. Each sample
interrupts the main thread, which was late twice as often with a delay of 0.03."""

WORST = 30
"""Longest pauses that are listed with stacks."""

WAITING = ("tasks.py", "threading.py", "soak_monitor.py", "connection.py", "selectors.py", "soak_file_changes.py")
"""Files at the top of the stack of an idle thread."""

QUIET = ("propagateSizeHints", "does not support", "QWindowsWindow", "XDG_RUNTIME_DIR")
"""Warnings of platforms without a window manager, which are ignored."""


class Errors(logging.Handler):
    """Records uncaught exceptions, logged errors and Qt warnings."""

    def __init__(self, context) -> None:
        super().__init__(logging.ERROR)
        self.found: list[str] = []
        self.warnings: Counter[str] = Counter()
        self._context = context
        sys.excepthook = self._on_exception
        threading.excepthook = self._on_thread
        sys.unraisablehook = self._on_unraisable
        qInstallMessageHandler(self._on_message)
        logging.getLogger().addHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        if record.exc_info:
            text += "\n" + "".join(traceback.format_exception(*record.exc_info))
        self._take(f"log: {text}")

    def _on_exception(self, kind, error, trace) -> None:
        self._take("".join(traceback.format_exception(kind, error, trace)))

    def _on_thread(self, args) -> None:
        self._on_exception(args.exc_type, args.exc_value, args.exc_traceback)

    def _on_unraisable(self, args) -> None:
        self._on_exception(args.exc_type, args.exc_value, args.exc_traceback)

    def _on_message(self, kind, _context, message) -> None:
        if kind != QtMsgType.QtDebugMsg and not any(word in message for word in QUIET):
            if message not in self.warnings:
                stack = "".join(traceback.format_stack(limit=8)[:-1])  # of Python code, often what paints
                print_line(f"Qt: {message}   [{self._context()}]\n{stack}")
            self.warnings[message] += 1

    def _take(self, text: str) -> None:
        self.found.append(f"{text}\nafter: {self._context()}")
        print_line(self.found[-1])


RARE = ("theme or text size", "opening", "first show")
"""Causes for which `RARE_LIMIT` applies."""


class Causes(QObject):
    """Sees what blocks, other than the last action: themes and openings, panels shown first, results of tasks.

    What a background task has computed is shown whenever it is ready, which is seldom after the action that began it.

    Parameters
    ----------
    window : the main window, assembled.
    """

    def __init__(self, window) -> None:
        super().__init__(window)
        self._name = self._last = ""
        self._end = 0.0
        self._workspace = window.workspace
        self._shown: weakref.WeakSet = weakref.WeakSet()
        window.session.changed.connect(self._on_changes)
        window.workspace.panel_created.connect(self._on_panel)
        window.workspace.perspective_changed.connect(self._on_perspective)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt override: themes and text sizes change the palette, the font or the style."""
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._name = "theme or text size"
        return super().eventFilter(watched, event)

    @Slot(object, object)
    def _on_changes(self, old, new) -> None:
        if new.differs(old, "benchmark"):
            self._name = "opening"
        elif new.differs(old, "runs", "warnings"):
            self._name = self._name or "reloaded run"
        elif new.differs(old, "scores"):
            self._name = self._name or "scores"

    @Slot(str)
    def _on_panel(self, *_args) -> None:
        self._name = "first show"

    @Slot(str)
    def _on_perspective(self, *_args) -> None:
        """Perspectives are created again after layouts are applied."""
        if (shown := self._workspace.perspective_window) not in self._shown:
            self._shown.add(shown)
            self._name = "first show"

    def since_last_tick(self, now: float, wall: float) -> str:
        """Cause in this iteration of the event loop, or just before it; "" if there was none but the last action."""
        if self._name:
            self._last, self._name, self._end = self._name, "", now + AFTERMATH
            return self._last
        return self._last if now - wall < self._end else ""


class Block(NamedTuple):
    """A pause that was longer than its limit.

    Attributes
    ----------
    work, wall : seconds, of the processor and of the clock.
    action : the last action, without its object.
    cause : what `Causes` saw; "" for the action.
    context : the last actions.
    stacks : where the main thread was.
    """

    work: float
    wall: float
    action: str
    cause: str
    context: str
    stacks: list[str]


class EventLoopMonitor(QObject):
    """Records the longest pauses of the event loop, in elapsed time and in processor time of the main thread.

    A pause counts by its processor time, which does not depend on other load. With `by_clock`, pauses in which the main
    thread waited for the interpreter or for a core are listed too.
    """

    def __init__(self, context, causes: Causes | None, *, by_clock: bool = False) -> None:
        super().__init__()
        self._context = context
        self._causes = causes
        self.by_clock = by_clock
        self.wall, self.work = 0.0, 0.0
        self.blocks: list[Block] = []
        self.worst: dict[tuple[str, str], list[int]] = {}
        self.pauses = array("d")  # an array: Python objects would look like a leak
        self.long = 0
        self._main = threading.get_ident()
        self._dumps: deque[str] = deque(maxlen=50)
        self._last_tick = (time.perf_counter(), time.thread_time())
        self._queue = core_wait_seconds()
        self._stop = threading.Event()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._on_tick)
        self._timer.start(int(TICK * 1000))
        self._sampler = threading.Thread(target=self._sample, name="soak stack sampler", daemon=True)
        self._sampler.start()

    @Slot()
    def _on_tick(self) -> None:
        now = (time.perf_counter(), time.thread_time())
        wall, work = now[0] - self._last_tick[0], now[1] - self._last_tick[1]
        self._last_tick = now
        queue, self._queue = self._queue, core_wait_seconds()
        self.wall, self.work = max(self.wall, wall), max(self.work, work)
        if wall > 0.02:
            self.pauses.append(work)
        self.long += wall > LIMIT
        cause = self._causes.since_last_tick(now[0], wall) if self._causes is not None else ""
        if max(work, wall if self.by_clock else 0.0) > (RARE_LIMIT if cause in RARE else LIMIT):
            dumps = tuple(self._dumps)  # the sampler appends to them
            stacks = Counter(stack_of_thread(dump, self._main) for dump in dumps)
            common = [line for stack, count in stacks.most_common(3) for line in (f"{count} x", *stack)]
            if self.by_clock:
                common.append(f"waited for a core {1000 * (self._queue - queue):.0f} ms")
                beside = Counter(place for dump in dumps for place in _active_frames(dump, self._main))
                common += [f"{count} x other thread: {place}" for place, count in beside.most_common(4)]
            context = self._context()
            block = Block(work, wall, context.split(" | ")[-1].split(" ")[0], cause, context, common)
            self.blocks = sorted([*self.blocks, block], key=itemgetter(int(self.by_clock)), reverse=True)[:WORST]
            if work > LIMIT:
                row = self.worst.setdefault((cause, block.action), [0, 0])
                row[:] = row[0] + 1, max(row[1], round(1000 * work))
        self._dumps.clear()

    def count(self, *, rare: bool) -> int:
        """Number of blocks by rare actions, or by frequent ones, that exceeded their limit."""
        return sum(number for (cause, _), (number, _) in self.worst.items() if (cause in RARE) is rare)

    def skip(self) -> None:
        """Ignore the time since the last timer event, which the test itself used."""
        self._last_tick = (time.perf_counter(), time.thread_time())

    def end(self) -> None:
        self._timer.stop()
        self._stop.set()
        self._sampler.join()

    def _sample(self) -> None:
        """Sample stacks with faulthandler: frame objects of another thread crashed the interpreter."""
        with tempfile.TemporaryFile("w+") as file:
            while not self._stop.wait(POLL):
                if time.perf_counter() - self._last_tick[0] > LATE:
                    file.seek(0)
                    file.truncate()
                    faulthandler.dump_traceback(file, all_threads=True)
                    file.seek(0)
                    self._dumps.append(file.read())


def stack_of_thread(dump: str, thread: int) -> tuple[str, ...]:
    """Top of the stack of one thread, without the test."""
    part = next((part for part in dump.split("\n\n") if f"{thread:#018x}" in part.splitlines()[0]), "")
    lines = [line.strip().replace("File ", "") for line in part.splitlines()[1:]]
    return tuple([line.split("/")[-1].replace('", line', "") for line in lines if "soak.py" not in line][:7])


def core_wait_seconds() -> float:
    """Seconds this thread was ready without a core; 0 where the system does not report it."""
    try:
        with open("/proc/thread-self/schedstat", "rb") as file:
            return int(file.read().split()[1]) / 1e9
    except OSError:
        return 0.0


def _active_frames(dump: str, thread: int) -> list[str]:
    """Stacks of the other threads that are not idle."""
    parts = [part.splitlines()[:3] for part in dump.split("\n\n") if f"{thread:#018x}" not in part.splitlines()[0]]
    tops = [" < ".join(line.strip().split("/")[-1].replace('", line', "") for line in part[1:]) for part in parts]
    return [top for top in tops if not top.startswith(WAITING)]


def count_objects() -> Counter[str]:
    """Number of Python objects and Qt widgets by class, and of children of widgets."""
    gc.collect()
    found: Counter[str] = Counter()
    for thing in gc.get_objects():
        kind = type(thing)
        if not str(kind.__module__).startswith("PySide6"):  # looking at them makes them
            found[f"py {kind.__module__}.{kind.__qualname__}"] += 1
        if kind is weakref.ReferenceType:
            found[f"weak reference to {type(thing()).__name__}"] += 1
    for widget in QApplication.allWidgets():
        found[f"widget {widget.metaObject().className()}"] += 1
        for child in widget.children():
            for thing in (child, *child.children()):
                if not thing.isWidgetType():
                    found[f"object {thing.metaObject().className()}"] += 1
    for window in QApplication.topLevelWidgets():
        found[f"window {type(window).__name__} '{window.objectName()}'"] += 1
    return found


def grown_classes(before: Counter[str], after: Counter[str], least: int) -> list[tuple[str, int, int]]:
    """Classes whose count grew by at least `least`, largest growth first."""
    rows = [(name, before[name], count) for name, count in after.items() if count - before[name] >= least]
    return sorted(rows, key=_growth, reverse=True)


def _growth(row: tuple[str, int, int]) -> int:
    return row[2] - row[1]
