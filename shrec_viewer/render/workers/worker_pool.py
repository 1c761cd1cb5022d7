"""Supervisor of worker processes: start, jobs, timeouts, crashes, software fallback, idle shutdown."""

import os
import signal
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Generic, Literal, TypeVar

Job = TypeVar("Job")
Result = TypeVar("Result")

#: Importable function that a worker process calls once: returns a description and the function that handles a job.
#:
#: The handler must not raise; exceptions belong into its results. Only crashes and hangs are left to the supervisor.
OpenHandler = Callable[..., tuple[str, Callable[[Any], Any]]]

#: Limit for the start of a process, with a cold disk and a virus scanner.
_START_TIMEOUT_S = 60.0

#: Number of consecutive crashes after which processes start with the fallback arguments (software renderer).
_MAX_CRASHES = 2

#: Number of consecutive processes with the same arguments that end before they are ready; then none is started.
_MAX_FAILED_STARTS = 3

#: Defaults in the environment of workers: numpy's threads take a quarter of the start-up time and are not needed.
_WORKER_ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1"}

#: Signals sent by other processes: by the system when memory runs out, by `kill`. Crashing libraries raise others.
_OUTSIDE_SIGNALS = frozenset(
    getattr(signal, name) for name in ("SIGKILL", "SIGTERM", "SIGHUP", "SIGQUIT") if hasattr(signal, name)
)

#: Number of times that the process of a stateless job may be killed from outside; then the job fails.
_MAX_KILLS = 3

#: Number of processes killed from outside, without a result in between, after which none is started.
_MAX_KILLS_IN_A_ROW = 20

#: Memory of one worker process, where the system can limit it; the largest scans of contests (50 MB) need 0.6 GB.
_MAX_WORKER_BYTES = 4 * 2**30

_PARTICIPLES = {"draw": "drawn", "read": "read"}


@dataclass(eq=False)
class _Worker:
    """One worker process as seen by the supervisor; it has at most one job."""

    connection: Any
    process: Any
    args: tuple[object, ...]
    #: Time (monotonic) at which the process was started, became ready, or got its job.
    since: float
    is_ready: bool = False
    #: None while idle.
    job: Any = None
    #: Whether the result of the job is to be dropped.
    is_stale: bool = False


class WorkerPool(Generic[Job, Result]):
    """Runs jobs in worker processes, the most urgent first; processes that crash or hang are replaced.

    Used for thumbnails, for reading models and, with one process, for the 3D view. Why not `pebble.ProcessPool` (5.2,
    LGPL): it is as fast (0.3 ms per small job against 0.1 ms here, 20 MB in 70 to 100 ms with both), but it starts
    three threads for each pool and has neither a start-up message, a choice of arguments after crashes, nor processes
    added on demand; this class would still be needed on top of it.

    Only `wake`, `close` and `restart_with` may be called from any thread; everything else belongs to one thread, which
    calls `poll` in a loop.

    Parameters
    ----------
    open_handler : see `OpenHandler`.
    args : its arguments; picklable.
    make_failed_result : returns the result of a job that crashed its process or timed out, from a text such as
        ``"makes the drawing process crash (SIGSEGV)"``.
    verb : what a job does to its file; used in these texts.
    max_processes : upper limit.
    timeout_s : limit for one job; the process is killed then.
    nice : steps of niceness above this process, where the system has them.
    idle_timeout_s : time without jobs after which all processes end.
    slow_after_s : None starts a process for every job in the queue. Otherwise another process is started only if all
        have been busy for this long, and a job that is no longer requested is killed after this time.
    fallback_args : arguments for processes started after `_MAX_CRASHES` crashes in a row; None for none.
    is_stateless : whether a job can be repeated in another process; it is if its process is killed from outside, and
        once, with `fallback_args`, if it crashes: if that succeeds, all later processes get these arguments.
    is_success : whether a result shows that the process works, which resets the count of crashes; None for any result.
    """

    def __init__(
        self,
        open_handler: OpenHandler,
        args: tuple[object, ...],
        make_failed_result: Callable[[str], Result],
        *,
        verb: Literal["draw", "read"],
        max_processes: int = 1,
        timeout_s: float = 30.0,
        nice: int = 0,
        idle_timeout_s: float = float("inf"),
        slow_after_s: float | None = None,
        fallback_args: tuple[object, ...] | None = None,
        is_success: Callable[[Result], bool] | None = None,
        is_stateless: bool = False,
    ) -> None:
        from multiprocessing import Pipe

        self.timeout_s = timeout_s
        self._descriptions: dict[tuple[object, ...], str] = {}
        #: Text about the latest crash or timeout.
        self.crash_reason = ""
        #: Whether the process that ended last was killed from outside; then its job is not at fault.
        self.was_killed = False
        #: Whether the process that ended last crashed: it was not killed, and did not exceed a limit.
        self.has_crashed = False
        self._open_handler = open_handler
        self._args = args
        self._new_args: tuple[object, ...] | None = None
        self._make_failed_result = make_failed_result
        self._verb = verb
        self._max_processes = max(1, max_processes)
        self._nice = nice
        self._idle_timeout_s = idle_timeout_s
        self._slow_after_s = slow_after_s
        self._fallback_args = fallback_args
        self._is_success = is_success
        self._is_stateless = is_stateless
        self._queue: deque[Job] = deque()
        self._jobs_to_repeat: deque[Job] = deque()  # that crashed once, and get the fallback arguments
        self._repeated_jobs: set[Job] = set()  # the same, also while they run again
        self._requested: frozenset[Job] = frozenset()
        self._workers: list[_Worker] = []
        # Processes that ended in a row, without a success in between: during a job, before they were ready, by a signal
        # from outside.
        self._crashes_in_a_row = self._failed_starts_in_a_row = self._kills_in_a_row = 0
        self._kills_by_job: Counter[Job] = Counter()  # until the job has a result
        self._last_active = time.monotonic()
        self._is_woken = False
        self._is_closed = False
        self._wake_reader, self._wake_writer = Pipe(duplex=False)

    # ── interface ────────────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def is_running(self) -> bool:
        """Whether there is a live process, starting or ready."""
        return any(worker.process.is_alive() for worker in self._workers)

    @property
    def is_ready(self) -> bool:
        """Whether a process has started completely."""
        return any(worker.is_ready for worker in self._workers)

    @property
    def has_given_up(self) -> bool:
        """Whether `_MAX_FAILED_STARTS` or `_MAX_KILLS_IN_A_ROW` is reached: processes do not run on this machine."""
        return self._failed_starts_in_a_row >= _MAX_FAILED_STARTS or self._kills_in_a_row >= _MAX_KILLS_IN_A_ROW

    @property
    def description(self) -> str:
        """What the newest process with the arguments in use reported, such as its renderer; "" before."""
        return self._descriptions.get(self._args_in_use, "")

    @property
    def uses_fallback(self) -> bool:
        """Whether new processes get the fallback arguments."""
        return self._fallback_args is not None and self._crashes_in_a_row >= _MAX_CRASHES

    def use_fallback(self) -> None:
        """Start new processes with the fallback arguments, until `restart_with`."""
        self._crashes_in_a_row = max(self._crashes_in_a_row, _MAX_CRASHES)

    @property
    def running(self) -> list[Job]:
        """Jobs handed to processes whose results are still expected."""
        return [worker.job for worker in self._workers if worker.job is not None and not worker.is_stale]

    @property
    def pending(self) -> int:
        """Number of jobs without a result."""
        return len(self._queue) + len(self._jobs_to_repeat) + len(self.running)

    def prestart(self) -> None:
        """Start one process if there is none, as jobs are expected soon; returns at once."""
        self._last_active = time.monotonic()
        if not self._workers and not self.has_given_up and not self._is_closed:
            self._start()

    def request(self, jobs: Iterable[Job]) -> None:
        """Replace the queue, the most urgent job first; running jobs continue unless they are slow (`slow_after_s`)."""
        requested = list(dict.fromkeys(jobs))
        # Also running jobs: one that is no longer requested may be ended, see `_supervise`.
        self._requested = frozenset(requested)
        self._jobs_to_repeat = deque(job for job in self._jobs_to_repeat if job in self._requested)
        assigned = {*self.running, *self._jobs_to_repeat}
        self._queue = deque(job for job in requested if job not in assigned)

    def add(self, job: Job) -> None:
        """Append a job to the queue."""
        self._queue.append(job)

    def invalidate(self) -> None:
        """Clear the queue and drop the results of running jobs: the files have changed."""
        self._queue.clear()
        self._jobs_to_repeat.clear()
        for worker in self._workers:
            worker.is_stale = worker.job is not None

    def wake(self) -> None:
        """Let a running `poll` return; from any thread."""
        if not self._is_woken:  # at most one message in the pipe, which would block when full
            self._is_woken = True
            with suppress(OSError, ValueError):
                self._wake_writer.send_bytes(b"!")

    def poll(self, timeout_s: float) -> list[tuple[Job, Result]]:
        """Jobs with their results, as soon as there are any; empty after `timeout_s`, after `wake`, or once closed.

        Starts processes, sends them jobs, and kills those that exceed their limits; nothing happens between calls.
        """
        self._supervise()
        now = time.monotonic()
        limit = min([now + timeout_s, *map(self._next_check, self._workers)]) - now
        from multiprocessing.connection import wait

        with suppress(OSError, ValueError):  # closed by another thread
            # One wait for all pipes and the wake-up, so that no thread per process is needed.
            sources = [self._wake_reader, *(worker.connection for worker in self._workers)]
            if self._wake_reader in wait(sources, max(0.0, limit)):
                self._is_woken = False
                self._wake_reader.recv_bytes()
        results = [result for worker in list(self._workers) for result in self._collect(worker)]
        if results:
            self._last_active = time.monotonic()
        if self.has_given_up:
            reason = f"cannot be {_PARTICIPLES[self._verb]}: the {self._verb}ing process does not start on this machine"
            results += [(job, self._make_failed_result(reason)) for job in (*self._jobs_to_repeat, *self._queue)]
            self._queue.clear()
            self._jobs_to_repeat.clear()
        self._supervise()  # before the caller spends time on the results
        return results

    def stop(self) -> None:
        """End all processes at once; the next job starts new ones."""
        for worker in list(self._workers):
            end_process(worker.connection, worker.process)
        self._workers.clear()

    def restart_with(self, *args: object) -> None:
        """Continue with processes that were started with other arguments; no job is lost. From any thread."""
        self._new_args = args
        self._descriptions.clear()
        self.wake()

    def close(self) -> None:
        """End all processes permanently, and let `poll` return; from any thread, may be called several times."""
        self._is_closed = True
        self.wake()
        self.stop()

    # ── supervision ──────────────────────────────────────────────────────────────────────────────────────────────────

    def _supervise(self) -> None:
        """Restart with new arguments, end outdated jobs and idle processes, send jobs."""
        if self._new_args is not None:
            self._args, self._new_args = self._new_args, None
            self._crashes_in_a_row = self._failed_starts_in_a_row = self._kills_in_a_row = 0
            self._queue.extendleft(reversed([*self._jobs_to_repeat, *self.running]))
            self._jobs_to_repeat.clear()
            self.stop()
        for worker in list(self._workers):
            # A short job ends sooner than its process can be replaced, so only slow ones are killed.
            is_outdated = worker.job is not None and (worker.is_stale or worker.job not in self._requested)
            if is_outdated and self._is_slow(worker):
                self._end(worker)
                if all(other.job is not None for other in self._workers) and not self._is_closed:
                    self._start()  # in advance: a start takes 0.3 s
        while (self._queue or self._jobs_to_repeat) and not self._is_closed and not self.has_given_up:
            args = self._args_in_use if not self._jobs_to_repeat or self._fallback_args is None else self._fallback_args
            idle = [worker for worker in self._workers if worker.job is None]
            suitable = next((worker for worker in idle if worker.args == args), None)
            if suitable is None:
                if idle:
                    self._end(idle[0])
                elif len(self._workers) >= self._max_processes or not self._is_start_due():
                    return
                suitable = self._start(args)
            self._send_job((self._jobs_to_repeat or self._queue).popleft(), suitable)
        is_idle = not self._queue and not self._jobs_to_repeat and all(worker.job is None for worker in self._workers)
        if self._workers and is_idle and time.monotonic() - self._last_active > self._idle_timeout_s:
            self.stop()

    def _is_start_due(self) -> bool:
        """Whether another process may be started, see `slow_after_s`."""
        return self._slow_after_s is None or all(map(self._is_slow, self._workers))

    def _start(self, args: tuple[object, ...] | None = None) -> _Worker:
        args = self._args_in_use if args is None else args
        connection, process = start_process(_serve, (self._open_handler, args), self._verb, nice=self._nice)
        worker = _Worker(connection, process, args, time.monotonic())
        self._workers.append(worker)
        if self._is_closed:  # by another thread, during the start
            self._end(worker)
        return worker

    def _send_job(self, job: Job, worker: _Worker) -> None:
        self._last_active = time.monotonic()
        worker.job, worker.is_stale = job, False
        if worker.is_ready:
            worker.since = self._last_active
        with suppress(OSError):  # a dead process is noticed by `_collect`
            worker.connection.send(job)

    def _collect(self, worker: _Worker) -> list[tuple[Job, Result]]:
        """The result that a process has sent, at most one; a failed result if it crashed or exceeded its time."""
        if self._is_closed:
            return []
        try:
            # poll without a time limit: True for data and for the end of the pipe, which `recv` then raises.
            if not worker.connection.poll():
                if time.monotonic() < self._deadline(worker):
                    return []
                self.was_killed = self.has_crashed = False
                reason = f"takes longer than {self.timeout_s:.0f} seconds to {self._verb}"
                return self._handle_crash(worker, reason, can_repeat=False)
            message = worker.connection.recv()
        except Exception:  # end of the pipe (EOFError, OSError), or a message cut off by a kill (UnpicklingError, ...)
            name = outside_signal(worker.process)
            self.was_killed, self.has_crashed = name != "", name == ""
            if self.was_killed:
                return self._handle_kill(worker, name)
            return self._handle_crash(worker, exit_reason(worker.process, f"{self._verb}ing"))
        worker.since = time.monotonic()
        if not worker.is_ready:
            worker.is_ready = True
            self._descriptions[worker.args] = message
            self._failed_starts_in_a_row = 0
            return []
        job, is_stale = worker.job, worker.is_stale
        worker.job, worker.is_stale = None, False
        self._kills_in_a_row = 0
        del self._kills_by_job[job]
        if worker.args == self._args:
            if self._is_success is None or self._is_success(message):
                self._crashes_in_a_row = 0
        elif job in self._repeated_jobs:  # it succeeds with the fallback arguments only: the former ones are at fault
            self._crashes_in_a_row = _MAX_CRASHES
        self._repeated_jobs.discard(job)
        return [] if is_stale else [(job, message)]

    def _handle_crash(self, worker: _Worker, reason: str, *, can_repeat: bool = True) -> list[tuple[Job, Result]]:
        """End a crashed process: its job is repeated, or gets a failed result; see `is_stateless`.

        If the process was not ready, the job returns to the queue.
        """
        if not worker.is_ready and worker.args == self._args_in_use:
            self._failed_starts_in_a_row += 1
        self._crashes_in_a_row += 1
        self.crash_reason = reason
        if self._crashes_in_a_row == _MAX_CRASHES and self._fallback_args not in (None, worker.args):
            self._failed_starts_in_a_row = 0  # they were counted with the previous arguments
        self._end(worker)
        if worker.job is None or worker.is_stale:
            return []
        if not worker.is_ready:
            (self._jobs_to_repeat if worker.job in self._repeated_jobs else self._queue).appendleft(worker.job)
            return []
        if can_repeat and self._is_stateless and self._fallback_args not in (None, worker.args):
            self._repeated_jobs.add(worker.job)
            self._jobs_to_repeat.append(worker.job)
            return []
        if worker.job in self._repeated_jobs:  # it crashes with both arguments
            self._repeated_jobs.discard(worker.job)
            self._crashes_in_a_row = max(0, self._crashes_in_a_row - 2)
        return [(worker.job, self._make_failed_result(reason))]

    def _handle_kill(self, worker: _Worker, name: str) -> list[tuple[Job, Result]]:
        """Repeat the job of a process that was killed from outside, unless it has state or after `_MAX_KILLS` times.

        Does not count as a crash, which may be a fault of the driver.
        """
        self._kills_in_a_row += 1
        self._end(worker)
        job = worker.job
        if job is None or worker.is_stale:
            return []
        self._kills_by_job[job] += worker.is_ready
        if not worker.is_ready or (self._is_stateless and self._kills_by_job[job] < _MAX_KILLS):
            self._queue.appendleft(job)
            return []
        times = f" {self._kills_by_job[job]} times" if self._kills_by_job[job] > 1 else ""
        del self._kills_by_job[job]
        reason = f"the {self._verb}ing process was killed{times} ({name})"
        return [(job, self._make_failed_result(f"cannot be {_PARTICIPLES[self._verb]}: {reason}"))]

    def _end(self, worker: _Worker) -> None:
        with suppress(ValueError):  # removed already, by `close` in another thread
            self._workers.remove(worker)
        end_process(worker.connection, worker.process)
        if not self._workers:
            self._descriptions.clear()

    @property
    def _args_in_use(self) -> tuple[object, ...]:
        return self._fallback_args if self._fallback_args is not None and self.uses_fallback else self._args

    def _is_slow(self, worker: _Worker) -> bool:
        """Whether its job runs for longer than jobs usually take."""
        is_busy = worker.is_ready and worker.job is not None
        return is_busy and self._slow_after_s is not None and time.monotonic() >= worker.since + self._slow_after_s

    def _deadline(self, worker: _Worker) -> float:
        """Time (monotonic) at which the process counts as hanging; infinite while it is idle."""
        if not worker.is_ready:
            return worker.since + _START_TIMEOUT_S
        return worker.since + self.timeout_s if worker.job is not None else float("inf")

    def _next_check(self, worker: _Worker) -> float:
        """Time (monotonic) of the next action if the process sends nothing before."""
        if self._slow_after_s is not None and worker.is_ready and worker.job is not None and not self._is_slow(worker):
            return worker.since + self._slow_after_s
        return self._deadline(worker)


# ── processes ────────────────────────────────────────────────────────────────────────────────────────────────────────


def start_process(
    target: Callable[..., None], args: tuple[object, ...], name: str, *, nice: int = 0
) -> tuple[Any, Any]:
    """Start ``target(connection, *args)`` in a new process; returns this process's end of the pipe and the process.

    Spawned on every system: a forked copy of a process with threads and a graphics driver may hang at any point.
    """
    from multiprocessing import get_context

    context = get_context("spawn")
    parent_end, child_end = context.Pipe()
    # daemon: ended by multiprocessing when this process exits. If it is killed, the pipe closes, which ends `_serve`.
    process = context.Process(target=target, args=(child_end, *args), name=name, daemon=True)
    with _default_environment(_WORKER_ENVIRONMENT), _without_main_module():
        process.start()
    child_end.close()  # otherwise the pipe would stay open, without an end of file, when the process dies
    if nice and process.pid and hasattr(os, "setpriority"):
        # Set here, not by `os.nice` in the process, so that it applies to its imports (0.3 s of CPU time) as well.
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, process.pid, os.getpriority(os.PRIO_PROCESS, 0) + nice)
    return parent_end, process


def outside_signal(process: Any) -> str:
    """Name of the signal by which another process ended this one; "" if it ended otherwise."""
    process.join(1.0)
    code = process.exitcode
    return signal.Signals(-code).name if code is not None and -code in _OUTSIDE_SIGNALS else ""


def exit_reason(process: Any, noun: str) -> str:
    """Text on how a process ended, to follow the name of a file: "makes the drawing process crash (SIGSEGV)"."""
    process.join(1.0)
    code = process.exitcode
    if code is not None and code < 0:
        with suppress(ValueError):
            return f"makes the {noun} process crash ({signal.Signals(-code).name})"
    return f"makes the {noun} process end (status {code})"


def end_process(connection: Any, process: Any) -> None:
    """Kill and join a process, which has no state to save; may be called several times."""
    with suppress(OSError):
        connection.close()
    with suppress(OSError, ValueError, AttributeError):
        process.kill()
        process.join(5.0)


@contextmanager
def _default_environment(defaults: dict[str, str]) -> Iterator[None]:
    """Environment variables for processes started in this context; variables that are set keep their values."""
    new = {name: value for name, value in defaults.items() if name not in os.environ}
    os.environ.update(new)
    try:
        yield
    finally:
        for name in new:
            os.environ.pop(name, None)


@contextmanager
def _without_main_module() -> Iterator[None]:
    """Processes started in this context do not import the script or notebook that uses the package.

    Spawned processes (Python 3.11) run it again, a script without ``if __name__ == "__main__"`` as a whole.
    """
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def _serve(connection: Any, open_handler: OpenHandler, args: tuple[object, ...]) -> None:
    """Main loop of a worker process: description, then one result per job, until the pipe is closed."""
    _set_up_worker()
    description, handle = open_handler(*args)
    with suppress(EOFError, OSError):
        connection.send(description)
        while True:
            connection.send(handle(connection.recv()))


def _set_up_worker() -> None:
    """Ignore Ctrl-C, limit memory, discard printed output, and be the first process to be killed if memory runs out."""
    with suppress(ImportError, OSError, ValueError):  # not on Windows, or a lower limit is set already
        import resource

        # RLIMIT_DATA, not RLIMIT_AS: graphics drivers and numpy reserve address space that they do not use.
        resource.setrlimit(resource.RLIMIT_DATA, (_MAX_WORKER_BYTES, resource.getrlimit(resource.RLIMIT_DATA)[1]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal reaches all processes of the group
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")  # Linux: end this process, not the window
    null = os.open(os.devnull, os.O_WRONLY)  # drivers and readers in C print to the file descriptors
    for stream in (1, 2):
        with suppress(OSError):
            os.dup2(null, stream)
    os.close(null)
