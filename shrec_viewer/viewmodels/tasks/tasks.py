"""Background tasks: a queue with a thread pool, a thread for long loops, and delivery to the main thread."""

import logging
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Condition, Event, Thread
from traceback import format_exception
from typing import Any, Protocol

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot
from shiboken6 import isValid

from shrec_viewer.domain import Benchmark, Cancelled, ShrecViewerError
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.metrics import Profile

_log = logging.getLogger(__name__)

#: Threads of a queue: a query switch starts up to six short tasks, while scoring and significance may still run.
MAX_THREADS = 8

#: Minimum time in seconds between two progress reports of a task; faster updates cannot be read.
PROGRESS_INTERVAL_S = 0.05

#: Maximum time in seconds that closing waits for running tasks; they check `Task.cancelled` far more often.
CLOSE_TIMEOUT_S = 3.0

#: Number of finished tasks that a queue stores; more than the task table shows.
MAX_FINISHED_TASKS = 100

#: Outcomes of a task: replaced by a newer task of its key, cancelled, returned, raised an exception.
REPLACED, STOPPED, DONE, FAILED = "replaced", "stopped", "done", "failed"


@dataclass(frozen=True)
class TaskStatus:
    """Snapshot of a task.

    Attributes
    ----------
    key : key of the task in its queue.
    title : e.g. ``"Reading shrec06"``; "" for a task that is not shown.
    text : current step, "" for none.
    done, total : progress; `total` 0: unknown.
    since : start time, by `time.monotonic`.
    is_listed : whether the task table lists it after its end even if it was short.
    is_export : whether it writes files that the user asked for, from what was open when it began.
    """

    key: str
    title: str
    text: str
    done: int
    total: int
    since: float
    is_listed: bool = False
    is_export: bool = False


@dataclass(frozen=True)
class FinishedTask:
    """A finished task: its last status, its outcome (`DONE`, `STOPPED` or `FAILED`) and its duration in seconds."""

    status: TaskStatus
    outcome: str
    seconds: float


def describe_failure(what: str, error: Exception) -> tuple[str, str]:
    """Message and details of an exception.

    A `ShrecViewerError` is its own message; any other exception is logged and its traceback becomes the details. Of an
    error of the system, the message has its text only: ``permission denied``.

    Parameters
    ----------
    what : what failed, e.g. ``"demo cannot be opened"``.
    """
    if isinstance(error, ShrecViewerError):
        return error.standalone_message, ""
    _log.error("%s", what, exc_info=error)
    text = error.strerror.lower() if isinstance(error, OSError) and error.strerror else ""
    reason = text or f"{type(error).__name__}: {error}"
    return f"{what}: {reason}", "".join(format_exception(error))


class Task:
    """A unit of background work, and the interface through which the work function reports and checks for cancellation.

    All methods may be called from any thread. A work function takes one `Task`; tests call it with ``Task()`` directly,
    without a thread.
    """

    def __init__(
        self,
        key: str = "",
        work: "Work | None" = None,
        report: "Report | None" = None,
        title: str = "",
        *,
        is_listed: bool = False,
        is_export: bool = False,
    ) -> None:
        self.key = key
        self.title = title
        self.is_listed, self.is_export = is_listed, is_export
        self.since = time.monotonic()
        self.state: tuple[int, int, str] = (0, 0, "")
        self.work = work
        #: Evaluates runs as `evaluate` does, in the threads and on the workers of the preferences.
        self.evaluate: Callable[..., Scores] = evaluate
        #: Reads files on the workers of the preferences; None where there are none.
        self.map_files: Any = None
        #: Number of processes that parse files, and of threads.
        self.jobs = 1
        self._report_to = report
        self._cancelled = Event()
        self._last_progress = 0.0

    @property
    def status(self) -> TaskStatus:
        """Snapshot of the task as of its last delivered progress report."""
        done, total, text = self.state
        return TaskStatus(self.key, self.title, text, done, total, self.since, self.is_listed, self.is_export)

    def cancelled(self) -> bool:
        """Whether the result is no longer needed; work functions check often and then raise `Cancelled` or return."""
        return self._cancelled.is_set()

    def cancel(self) -> None:
        """Request the end of the work; its result is dropped in any case."""
        self._cancelled.set()

    def wait(self, seconds: float) -> bool:
        """Sleep for `seconds` or until cancelled; True when cancelled."""
        return self._cancelled.wait(seconds)

    def progress(self, done: int, total: int, text: str = "") -> None:
        """Report progress; at most one report per `PROGRESS_INTERVAL_S`, except the last one (done = total)."""
        now = time.monotonic()
        if done < total and now - self._last_progress < PROGRESS_INTERVAL_S:
            return
        self._last_progress = now
        self._report("progress", (done, total, text))

    def send(self, part: object) -> None:
        """Deliver a partial result before the work is finished."""
        self._report("part", part)

    def run(self) -> None:
        """Execute the work in the calling thread and report its result or exception."""
        work, self.work = self.work, None  # the work holds a whole benchmark; release it as soon as it is done
        if work is None or self.cancelled():
            return
        try:
            result = work(self)
        except BaseException as error:  # includes SystemExit raised by a library, which must not end the thread
            self._report(FAILED, error)
        else:
            self._report(DONE, result)

    def _report(self, kind: str, payload: object) -> None:
        if self._report_to is not None and not self.cancelled():
            self._report_to(self, kind, payload)


Work = Callable[[Task], Any]
Report = Callable[[Task, str, object], None]
Callback = Callable[..., None]


class EvaluatesRuns(Protocol):
    """See `Computing`."""

    @property
    def n_jobs(self) -> int:
        """Number of threads and processes."""

    def evaluate(self, task: Task, benchmark: Benchmark, profile: Profile, **options: Any) -> Scores:
        """Scores of runs; called in the thread of a task."""

    def map_files(
        self, task: Task, paths: Sequence[Path], function: Callable[[Path], Any], checkpoint: Callable[[], None]
    ) -> Iterator[tuple[Path, Any]]:
        """Files with the results of a function; called in the thread of a task."""


class TaskQueue(QObject):
    """Runs background tasks in a thread pool; a new task cancels the previous one of its key.

    Results of cancelled tasks are dropped. Callbacks are called
    in the thread of this object, one per event-loop iteration.

    Signals
    -------
    changed()
        `running` or the progress of a task changed.
    ended()
        A task ended; `finished` starts with it, unless it was replaced.
    """

    changed = Signal()
    ended = Signal()
    _reported = Signal(object, str, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        #: Where tasks evaluate runs; None: in their own thread.
        self.computing: EvaluatesRuns | None = None
        #: Called with what cannot be done and the exception.
        self.report_failure: Callback | None = None
        self._newest: dict[str, tuple[Task, dict[str, Callback]]] = {}
        self._finished: deque[FinishedTask] = deque(maxlen=MAX_FINISHED_TASKS)
        self._pool = _ThreadPool(MAX_THREADS)
        self._closed = False
        self._reports: deque[tuple[Task, str, object]] = deque()
        self._delivery_timer = QTimer(self, interval=0, singleShot=True)
        self._delivery_timer.timeout.connect(self._deliver_next)
        self._reported.connect(self._receive, Qt.ConnectionType.QueuedConnection)

    def run(
        self,
        key: str,
        work: Work,
        done: Callback | None = None,
        failed: Callback | str | None = None,
        *,
        progress: Callback | None = None,
        part: Callback | None = None,
        stopped: Callback | None = None,
        title: str = "",
        listed: bool = False,
        export: bool = False,
    ) -> Task:
        """Run ``work(task)`` in a thread of the pool and cancel the previous task of `key`.

        Parameters
        ----------
        done : called with the result.
        failed : called with the exception, never with `Cancelled`; or what cannot be done then, for `report_failure`.
        progress : called with ``(done, total, text)``.
        part : called with each object that the work sends.
        stopped : called without an argument when the task is cancelled by `stop`.
        title : shown in the status bar and the task table; "" for a short task, which is not shown.
        listed, export : see `TaskStatus.is_listed`, `is_export`.
        """
        self._drop(key, REPLACED)
        task = Task(key, work, self._report, title, is_listed=listed, is_export=export)
        if self.computing is not None:
            task.evaluate, task.jobs = partial(self.computing.evaluate, task), self.computing.n_jobs
            task.map_files = partial(self.computing.map_files, task)
        if self._closed:
            task.cancel()
            return task
        if isinstance(failed, str):
            assert self.report_failure is not None
            failed = partial(self.report_failure, failed)
        callbacks = {DONE: done, FAILED: failed, "progress": progress, "part": part, STOPPED: stopped}
        self._newest[key] = task, {kind: callback for kind, callback in callbacks.items() if callback is not None}
        self._pool.put(task)
        self.changed.emit()
        return task

    def stop(self, key: str) -> None:
        """Cancel the task of `key`; its result is dropped."""
        self._drop(key, STOPPED)

    def stop_all(self, keep: Collection[str] = ()) -> None:
        """Cancel all tasks but exports and those of the keys `keep` with the outcome `REPLACED`; for another benchmark.

        Exports end only when the queue is closed.
        """
        for key, (task, _) in tuple(self._newest.items()):
            if key not in keep and (self._closed or not task.is_export):
                self._drop(key, REPLACED)

    @property
    def running(self) -> tuple[TaskStatus, ...]:
        """Tasks that are running or queued, the oldest first."""
        return tuple(task.status for task, _ in self._newest.values())

    @property
    def finished(self) -> tuple[FinishedTask, ...]:
        """Tasks that ended, the latest first, without those replaced by a newer task of their key."""
        return tuple(self._finished)

    def is_busy(self, key: str | None = None) -> bool:
        """Whether the task of `key`, or with None any task, is running or queued."""
        return bool(self._newest) if key is None else key in self._newest

    def close(self, timeout_s: float = CLOSE_TIMEOUT_S) -> None:
        """Cancel all tasks and end the threads; a thread that does not end within `timeout_s` ends with the process."""
        self._closed = True
        self.stop_all()
        self._pool.close(timeout_s)

    def _drop(self, key: str, outcome: str) -> None:
        if key in self._newest:
            task, callbacks = self._newest.pop(key)
            task.cancel()
            self._record_end(task, outcome)
            stopped = callbacks.get(STOPPED)
            if outcome == STOPPED and stopped is not None and not _is_deleted(stopped):
                stopped()

    def _record_end(self, task: Task, outcome: str) -> None:
        if outcome != REPLACED:
            self._finished.appendleft(FinishedTask(task.status, outcome, time.monotonic() - task.since))
        self.ended.emit()
        self.changed.emit()

    def _report(self, task: Task, kind: str, payload: object) -> None:
        """Emit a report to the main thread; called in a thread of the pool."""
        try:
            self._reported.emit(task, kind, payload)
        except RuntimeError:  # Qt has deleted the queue
            task.cancel()

    @Slot(object, str, object)
    def _receive(self, task: Task, kind: str, payload: object) -> None:
        self._reports.append((task, kind, payload))
        if not self._delivery_timer.isActive():
            self._delivery_timer.start()

    @Slot()
    def _deliver_next(self) -> None:
        """Deliver one report per event-loop iteration.

        Qt delivers all queued signals in one iteration: list and curves of a query switch arrive together, and updating
        their views blocked the main thread for up to 211 ms on SHREC 2006, one by one for at most 100 ms
        (tests/bench/bench_main_thread.py --only select).
        """
        if len(self._reports) > 1:
            self._delivery_timer.start()  # before the callback, which may run an event loop, e.g. of a dialog
        if self._reports:
            self._deliver(*self._reports.popleft())

    def _deliver(self, task: Task, kind: str, payload: object) -> None:
        newest, callbacks = self._newest.get(task.key, (None, {}))
        if newest is not task:
            return
        if kind in (DONE, FAILED):
            del self._newest[task.key]
            self._record_end(task, STOPPED if isinstance(payload, Cancelled) else kind)
        elif kind == "progress" and isinstance(payload, tuple):
            task.state = payload
            self.changed.emit()
        callback = callbacks.get(kind)
        if callback is None or isinstance(payload, Cancelled) or _is_deleted(callback):
            return
        callback(*payload) if kind == "progress" and isinstance(payload, tuple) else callback(payload)


def _is_deleted(callback: Callback) -> bool:
    """Whether the callback is a method of a `QObject` that Qt has deleted, for example with its window."""
    method = callback.func if isinstance(callback, partial) else callback
    owner = getattr(method, "__self__", None)
    return isinstance(owner, QObject) and not isValid(owner)


class _ThreadPool:
    """Daemon threads that run tasks in the order of their arrival, at most one of each key at a time.

    `QThreadPool` and `concurrent.futures` join their threads when the process ends: a read from a network drive that
    hangs would keep the program from ending.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._condition = Condition()
        self._pending: dict[str, Task] = {}
        self._running: set[str] = set()
        self._threads: list[Thread] = []
        self._closed = False

    def put(self, task: Task) -> None:
        """Queue a task; it takes the position of a pending task of the same key."""
        with self._condition:
            self._pending[task.key] = task
            if len(self._threads) < min(self._size, len(self._pending) + len(self._running)):
                thread = Thread(target=self._work, name=f"task thread {len(self._threads)}", daemon=True)
                self._threads.append(thread)
                thread.start()
            self._condition.notify()

    def close(self, timeout_s: float) -> None:
        """End all threads; returns after `timeout_s` seconds even if some are still running."""
        with self._condition:
            self._closed = True
            self._pending.clear()
            self._condition.notify_all()
        end = time.monotonic() + timeout_s
        for thread in self._threads:
            thread.join(max(end - time.monotonic(), 0.0))
            if thread.is_alive():
                _log.warning("%s does not end", thread.name)
        self._threads.clear()

    def _work(self) -> None:
        while (task := self._next()) is not None:
            task.run()
            with self._condition:
                self._running.discard(task.key)

    def _next(self) -> Task | None:
        """The next task of a key that is not running; blocks until there is one. None when the pool is closed."""
        with self._condition:
            while not self._closed:
                key = next((key for key in self._pending if key not in self._running), None)
                if key is not None:
                    self._running.add(key)
                    return self._pending.pop(key)
                self._condition.wait()
        return None


class LoopThread(QObject):
    """Runs one long-lived loop in its own thread; in a `TaskQueue` it would occupy a thread of the pool.

    Signals
    -------
    received(part)
        An object that the loop sent with `Task.send`.
    failed(error)
        The loop raised an exception other than `Cancelled`.
    """

    received = Signal(object)
    failed = Signal(object)
    _reported = Signal(object, str, object)

    def __init__(self, name: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._name = name
        self._task: Task | None = None
        self._thread: Thread | None = None
        self._reported.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    @property
    def is_running(self) -> bool:
        """Whether a loop was started and not stopped since."""
        return self._task is not None

    def start(self, loop: Work) -> None:
        """Stop the running loop, and run ``loop(task)`` once it has ended."""
        self.stop()
        self._task = task = Task(self._name, loop, self._report)
        self._thread = Thread(target=_run_after, args=(self._thread, task), name=self._name, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Cancel the loop; nothing that it sent is delivered from now on."""
        if self._task is not None:
            self._task.cancel()
            self._task = None

    def close(self, timeout_s: float = CLOSE_TIMEOUT_S) -> None:
        """Stop the loop and join its thread for at most `timeout_s` seconds."""
        self.stop()
        if self._thread is not None:
            self._thread.join(timeout_s)
            if self._thread.is_alive():
                _log.warning("%s does not end", self._name)

    def _report(self, task: Task, kind: str, payload: object) -> None:
        """Emit a report to the main thread; called in the thread of the loop."""
        try:
            self._reported.emit(task, kind, payload)
        except RuntimeError:  # Qt has deleted this object
            task.cancel()

    @Slot(object, str, object)
    def _deliver(self, task: Task, kind: str, payload: object) -> None:
        if task is not self._task:
            return
        if kind == "part":
            self.received.emit(payload)
            return
        self._task = None
        if kind == FAILED and not isinstance(payload, Cancelled):
            self.failed.emit(payload)


def _run_after(previous: Thread | None, task: Task) -> None:
    if previous is not None:
        previous.join()
    task.run()
