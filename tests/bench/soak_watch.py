"""What a long session does to the process: errors, memory, objects, and how long the main thread stood still."""

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

from PySide6.QtCore import QObject, QTimer, QtMsgType, Slot, qInstallMessageHandler
from PySide6.QtWidgets import QApplication
from timing import say

BEAT = 0.005
"""Seconds between two beats of the heart."""

LIMIT = 0.1
"""Seconds for which the main thread may work without a beat."""

LOOK, LATE = 0.01, 0.06
"""Seconds between two looks of the thread that takes down what the main thread is at, and without a beat from which on
it looks: each look takes the interpreter from the main thread, which was late twice as often when it began at 0.03."""

WORST = 30
"""Standstills of which more is told than their number."""

WAITING = ("tasks.py", "threading.py", "soak_watch.py", "connection.py", "selectors.py", "soak_disk.py")
"""Files at the top of the stack of a thread that waits."""

QUIET = ("propagateSizeHints", "does not support", "QWindowsWindow", "XDG_RUNTIME_DIR")
"""Warnings of platforms without a window manager; they are not ours."""


class Errors(logging.Handler):
    """Takes down what nobody caught, what is logged as an error, and what Qt complains of."""

    def __init__(self, tell_context) -> None:
        super().__init__(logging.ERROR)
        self.found: list[str] = []
        self.warnings: Counter[str] = Counter()
        self._context = tell_context
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
                say(f"Qt: {message}   [{self._context()}]")
            self.warnings[message] += 1

    def _take(self, text: str) -> None:
        self.found.append(f"{text}\nafter: {self._context()}")
        say(self.found[-1])


class Heart(QObject):
    """Beats in the event loop; remembers the longest pauses, by the clock and by the work of the main thread.

    On a machine that others use as well the clock says little: a pause counts where the main thread itself worked.
    `by_clock` tells of the others too: where it waited for the interpreter or for a core.
    """

    def __init__(self, tell_context, *, by_clock: bool = False) -> None:
        super().__init__()
        self._context = tell_context
        self.by_clock = by_clock
        self.wall, self.work = 0.0, 0.0
        self.blocks: list[tuple[float, float, str, list[str]]] = []
        self.pauses = array("d")  # no objects, which would look like a leak
        self.count = self.long = 0
        self._main = threading.get_ident()
        self._dumps: deque[str] = deque(maxlen=50)
        self._beat = (time.perf_counter(), time.thread_time())
        self._queue = waited_for_core()
        self._stop = threading.Event()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._on_beat)
        self._timer.start(int(BEAT * 1000))
        self._looker = threading.Thread(target=self._look, name="looker of the soak", daemon=True)
        self._looker.start()

    @Slot()
    def _on_beat(self) -> None:
        now = (time.perf_counter(), time.thread_time())
        wall, work = now[0] - self._beat[0], now[1] - self._beat[1]
        self._beat = now
        queue, self._queue = self._queue, waited_for_core()
        self.wall, self.work = max(self.wall, wall), max(self.work, work)
        if wall > 0.02:
            self.pauses.append(work)
        self.long += wall > LIMIT
        if max(work, wall if self.by_clock else 0.0) > LIMIT:
            dumps = tuple(self._dumps)  # the looker adds to them
            stacks = Counter(stack_in(dump, self._main) for dump in dumps)
            common = [line for stack, count in stacks.most_common(3) for line in (f"{count} x", *stack)]
            if self.by_clock:
                common.append(f"waited for a core {1000 * (self._queue - queue):.0f} ms")
                beside = Counter(place for dump in dumps for place in _beside(dump, self._main))
                common += [f"{count} x beside: {place}" for place, count in beside.most_common(4)]
            self.count += work > LIMIT
            blocks = [*self.blocks, (work, wall, self._context(), common)]
            self.blocks = sorted(blocks, key=itemgetter(int(self.by_clock)), reverse=True)[:WORST]
        self._dumps.clear()

    def skip(self) -> None:
        """Leave out what was done since the last beat: it was ours."""
        self._beat = (time.perf_counter(), time.thread_time())

    def end(self) -> None:
        self._timer.stop()
        self._stop.set()
        self._looker.join()

    def _look(self) -> None:
        """Ask Python's own crash reporter: frames of another thread's that were taken as objects end in a crash."""
        with tempfile.TemporaryFile("w+") as file:
            while not self._stop.wait(LOOK):
                if time.perf_counter() - self._beat[0] > LATE:
                    file.seek(0)
                    file.truncate()
                    faulthandler.dump_traceback(file, all_threads=True)
                    file.seek(0)
                    self._dumps.append(file.read())


def stack_in(dump: str, thread: int) -> tuple[str, ...]:
    """Ours among the lines of one thread."""
    part = next((part for part in dump.split("\n\n") if f"{thread:#018x}" in part.splitlines()[0]), "")
    lines = [line.strip().replace("File ", "") for line in part.splitlines()[1:]]
    return tuple([line.split("/")[-1].replace('", line', "") for line in lines if "soak.py" not in line][:7])


def waited_for_core() -> float:
    """Seconds for which this thread could have run and had no core; 0 where the system does not tell."""
    try:
        with open("/proc/thread-self/schedstat", "rb") as file:
            return int(file.read().split()[1]) / 1e9
    except OSError:
        return 0.0


def _beside(dump: str, thread: int) -> list[str]:
    """Where the other threads are that do not just wait."""
    parts = [part.splitlines()[:3] for part in dump.split("\n\n") if f"{thread:#018x}" not in part.splitlines()[0]]
    tops = [" < ".join(line.strip().split("/")[-1].replace('", line', "") for line in part[1:]) for part in parts]
    return [top for top in tops if not top.startswith(WAITING)]


def census() -> Counter[str]:
    """How many there are of everything: Python's objects and Qt's widgets by class, children of widgets."""
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


def grown(before: Counter[str], after: Counter[str], least: int) -> list[tuple[str, int, int]]:
    """What there is more of by at least `least`, the most first."""
    rows = [(name, before[name], count) for name, count in after.items() if count - before[name] >= least]
    return sorted(rows, key=_growth, reverse=True)


def _growth(row: tuple[str, int, int]) -> int:
    return row[2] - row[1]
