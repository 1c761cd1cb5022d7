"""Background tasks: named worker threads, progress, cancellation, and results delivered to the main thread."""

import logging
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from queue import SimpleQueue
from threading import Event, Thread
from traceback import format_exception
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from shiboken6 import isValid

from shrec_viewer.domain import Cancelled, ShrecError
from shrec_viewer.viewmodels.tasks.gui_priority import GuiPriority


@dataclass(frozen=True)
class TaskStatus:
    """A piece of work as somebody who looks on sees it.

    Attributes
    ----------
    lane : where it runs.
    title : what it is, ``"Reading shrec06"``; "" where nobody said.
    text : what it is at, "" for nothing in particular.
    done, total : how far it is; `total` 0: nobody knows.
    since : when it was asked for, by `time.monotonic`.
    """

    lane: str
    title: str
    text: str
    done: int
    total: int
    since: float


@dataclass(frozen=True)
class FinishedTask:
    """A piece of work that is over: how it ended, and after how many seconds."""

    activity: TaskStatus
    how: str
    seconds: float


_log = logging.getLogger(__name__)


def describe_failure(what: str, error: Exception) -> tuple[str, str]:
    """A sentence and its details: an error of ours says all itself, any other comes with its traceback and is logged.

    Parameters
    ----------
    what : could not be done, ``"demo cannot be opened"``.
    """
    if isinstance(error, ShrecError):
        return error.sentence, ""
    _log.error("%s", what, exc_info=error)
    return f"{what}: {type(error).__name__}: {error}", "".join(format_exception(error))


PROGRESS_INTERVAL_S = 0.05
"""Seconds between two reports of progress; a person cannot read more than twenty a second."""

CLOSE_TIMEOUT_S = 3.0
"""Seconds that `TaskRunner.close` waits for one lane: every work of ours looks at `cancelled` far more often."""

MAX_FINISHED_TASKS = 100
"""Pieces of work that are remembered when they are over: more than a list of them shows."""

DELIVERY_BUDGET_S = 0.008
"""Seconds of work after which answers wait for the next turn; to paint after each small one makes all of them late."""

REPLACED, STOPPED, DONE, FAILED = "replaced", "stopped", "done", "failed"
"""How work ends: newer work took its lane, somebody called it off, it has an answer, it broke."""


class Task:
    """What a piece of work knows of its caller, and all it gets.

    The methods may be called from any thread. `Work` is a function of one `Task`; so that a test can call it, or run it
    in a loop, without a thread.
    """

    def __init__(
        self,
        lane: str = "",
        work: "Work | None" = None,
        report: "Report | None" = None,
        title: str = "",
        gui_priority: GuiPriority | None = None,
    ) -> None:
        self.lane = lane
        self.title = title
        self.since = time.monotonic()
        self.state: tuple[int, int, str] = (0, 0, "")
        self.work = work
        self._report = report
        self._gui_priority = gui_priority
        self._stop = Event()
        self._last_progress = 0.0

    def cancelled(self) -> bool:
        """Whether nobody waits for the answer any more; work asks often and then raises `Cancelled` or returns.

        Where the window is busy this waits for a moment, so that the window comes first; see `GuiPriority`.
        """
        if self._gui_priority is not None and not self._stop.is_set():
            self._gui_priority.yield_to_gui()
        return self._stop.is_set()

    def cancel(self) -> None:
        """Ask the work to end; its answer is dropped whatever it does."""
        self._stop.set()

    def wait(self, seconds: float) -> bool:
        """Sleep at most `seconds`, or until cancelled; True when cancelled."""
        return self._stop.wait(seconds)

    def progress(self, done: int, total: int, text: str = "") -> None:
        """Say how far the work is; calls that follow too quickly are left out, the last one (done = total) never is."""
        now = time.monotonic()
        if done < total and now - self._last_progress < PROGRESS_INTERVAL_S:
            return
        self._last_progress = now
        self._tell("progress", (done, total, text))

    def send(self, part: object) -> None:
        """Hand over a part of the answer before the work is finished."""
        self._tell("part", part)

    def run(self) -> None:
        """Do the work here and tell the answer or the exception; called by the thread of the lane."""
        work, self.work = self.work, None  # the thread keeps its last task, which would keep a whole benchmark
        if work is None or self._stop.is_set():
            return
        try:
            answer = work(self)
        except BaseException as error:  # a library that calls sys.exit ends this work, not the lane and its answer
            self._tell("failed", error)
        else:
            self._tell("done", answer)

    def _tell(self, kind: str, payload: object) -> None:
        if self._report is not None and not self._stop.is_set():
            self._report(self, kind, payload)


Work = Callable[[Task], Any]
Report = Callable[[Task, str, object], None]
Callback = Callable[..., None]


class TaskRunner(QObject):
    """Runs work beside the window: one thread a lane, in which only the newest task counts.

    A task that starts in a lane cancels the one before it there; an answer that comes too late is dropped, and so is
    every answer asked for before `drop_all`. Receivers are called on the thread this object lives in; after one that
    took its time the others wait for a turn of the event loop: together, with painting, they took more than 100 ms.

    Signals
    -------
    changed()
        `activities` are others, or further.
    ended()
        A piece of work is over; `past` begins with it, unless newer work took its place.
    """

    changed = Signal()
    ended = Signal()
    _told = Signal(object, str, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lanes: dict[str, _WorkerThread] = {}
        self._newest: dict[str, tuple[Task, dict[str, Callback]]] = {}
        self._past: deque[FinishedTask] = deque(maxlen=MAX_FINISHED_TASKS)
        self._arrived: deque[tuple[Task, str, object]] = deque()
        self._turns = QTimer(self, interval=0, singleShot=True)
        self._turns.timeout.connect(self._deliver_next)
        self._waiting: dict[str, Task] = {}  # by lane: another one asked for in the same turn takes its place
        self._hand_out = QTimer(self, interval=0, singleShot=True)
        self._hand_out.timeout.connect(self.begin)
        self._gui_priority = GuiPriority(self)
        self._closed = False
        self._told.connect(self._take)

    def run(
        self,
        lane: str,
        work: Work,
        done: Callback,
        failed: Callback,
        *,
        progress: Callback | None = None,
        part: Callback | None = None,
        title: str = "",
    ) -> Task:
        """Start ``work(task)`` in the thread of `lane` once this turn is over, and cancel what was going on there.

        Parameters
        ----------
        done : called with the answer.
        failed : called with the exception; never with `Cancelled`.
        progress : called with ``(done, total, text)``.
        part : called with what the work sends while it runs.
        title : what the work is, for those who look on.
        """
        self._drop(lane, REPLACED)
        task = Task(lane, work, self._tell, title, self._gui_priority)
        if self._closed:
            task.cancel()
            return task
        receivers = {"done": done, "failed": failed}
        if progress is not None:
            receivers["progress"] = progress
        if part is not None:
            receivers["part"] = part
        self._newest[lane] = (task, receivers)
        self._waiting[lane] = task
        self._hand_out.start()
        self.changed.emit()
        return task

    @Slot()
    def begin(self) -> None:
        """Begin what was asked for, as happens by itself when the turn of the event loop is over.

        Begun within it, work would take the interpreter away from a window that is busy: the turn took twice as long.
        """
        waiting, self._waiting = self._waiting, {}
        for lane, task in waiting.items():
            if lane not in self._lanes:
                self._lanes[lane] = _WorkerThread(lane)
            self._lanes[lane].put(task)

    def stop(self, lane: str) -> None:
        """Cancel what `lane` is doing; its answer will not arrive."""
        self._drop(lane, STOPPED)

    def drop_all(self) -> None:
        """Cancel everything; no answer asked for until now will arrive."""
        for lane in tuple(self._newest):
            self._drop(lane, REPLACED)

    @property
    def activities(self) -> tuple[TaskStatus, ...]:
        """What goes on, the oldest first."""
        return tuple(_task_status(task) for task, _ in self._newest.values())

    @property
    def past(self) -> tuple[FinishedTask, ...]:
        """What is over, the latest first, but what newer work took the place of."""
        return tuple(self._past)

    def is_busy(self, lane: str | None = None) -> bool:
        """Whether an answer is awaited, of one lane or of any."""
        return bool(self._newest) if lane is None else lane in self._newest

    def close(self, timeout_s: float = CLOSE_TIMEOUT_S) -> None:
        """Cancel everything and end the threads; a work that does not listen within `timeout_s` seconds is left behind.

        A thread that is left behind ends with the process.
        """
        self._closed = True
        self._hand_out.stop()
        self._waiting.clear()
        self.drop_all()
        for lane in self._lanes.values():
            lane.put(None)
        for lane in self._lanes.values():
            lane.join(timeout_s)
        self._lanes.clear()

    def _drop(self, lane: str, how: str) -> None:
        if lane in self._newest:
            task = self._newest.pop(lane)[0]
            task.cancel()
            self._report_end(task, how)

    def _report_end(self, task: Task, how: str) -> None:
        if how != REPLACED:
            self._past.appendleft(FinishedTask(_task_status(task), how, time.monotonic() - task.since))
        self.ended.emit()
        self.changed.emit()

    def _tell(self, task: Task, kind: str, payload: object) -> None:
        """Called in the thread of the lane; the signal carries it over."""
        try:
            self._told.emit(task, kind, payload)
        except RuntimeError:  # the window is gone, Qt has deleted the runner
            task.cancel()

    @Slot(object, str, object)
    def _take(self, task: Task, kind: str, payload: object) -> None:
        self._arrived.append((task, kind, payload))
        if not self._turns.isActive():
            self._turns.start()

    @Slot()
    def _deliver_next(self) -> None:
        if len(self._arrived) > 1:
            self._turns.start()  # first: a receiver may open a dialog, in whose event loop answers have to arrive
        end = time.thread_time() + DELIVERY_BUDGET_S
        while self._arrived and time.thread_time() < end:
            self._deliver(*self._arrived.popleft())

    def _deliver(self, task: Task, kind: str, payload: object) -> None:
        newest = self._newest.get(task.lane)
        if newest is None or newest[0] is not task:
            return
        if kind in (DONE, FAILED):
            del self._newest[task.lane]
            self._report_end(task, STOPPED if isinstance(payload, Cancelled) else kind)
        elif kind == "progress" and isinstance(payload, tuple):
            task.state = payload
            self.changed.emit()
        if isinstance(payload, Cancelled) or kind not in newest[1]:
            return
        receiver = newest[1][kind]
        if _is_deleted(receiver):
            return
        receiver(*payload) if kind == "progress" and isinstance(payload, tuple) else receiver(payload)


def _task_status(task: Task) -> TaskStatus:
    done, total, text = task.state
    return TaskStatus(task.lane, task.title, text, done, total, task.since)


def _is_deleted(receiver: Callback) -> bool:
    """Whether the object that waits for an answer was deleted meanwhile, with its window."""
    method = receiver.func if isinstance(receiver, partial) else receiver
    owner = getattr(method, "__self__", None)
    return isinstance(owner, QObject) and not isValid(owner)


class _WorkerThread:
    """A thread that runs the tasks put into it, one after the other; those cancelled meanwhile are skipped."""

    def __init__(self, name: str) -> None:
        self._tasks: SimpleQueue[Task | None] = SimpleQueue()
        # A daemon: a file on a network that hangs must not keep the program from ending.
        self._thread = Thread(target=self._serve, name=f"lane {name}", daemon=True)
        self._thread.start()

    def put(self, task: Task | None) -> None:
        """Queue a task; None ends the thread."""
        self._tasks.put(task)

    def join(self, timeout_s: float) -> None:
        """Wait for the thread to end, at most so many seconds."""
        self._thread.join(timeout_s)
        if self._thread.is_alive():
            _log.warning("%s does not end", self._thread.name)

    def _serve(self) -> None:
        while (task := self._tasks.get()) is not None:
            task.run()
