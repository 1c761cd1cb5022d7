"""Threads for runs and blocks of matrices, and processes for files, on the processor cores of this machine."""

import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import active_count
from typing import Any, TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")

#: Time between two reports while worker processes are busy.
_POLL_SECONDS = 0.1


def available_cores() -> int:
    """Number of processor cores that this process may use, at least 1."""
    if hasattr(os, "sched_getaffinity"):  # Linux; `os.process_cpu_count` requires Python 3.13
        return max(1, len(os.sched_getaffinity(0)))
    return max(1, os.cpu_count() or 1)


@contextmanager
def thread_map(jobs: int) -> Iterator[Callable[..., Iterator[Any]]]:
    """`map` over `jobs` threads: results in the order of the arguments; after an error no further block is begun."""
    if jobs == 1:
        yield map
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(jobs, "evaluation") as executor:
        try:
            yield executor.map
        except BaseException:
            executor.shutdown(wait=True, cancel_futures=True)
            raise


def map_ahead(function: Callable[[Task], Result], items: Iterable[Task]) -> Iterator[Result]:
    """`map` that calls the function in a thread with the next two items while a result is used."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1, "ahead") as executor:
        pending: deque[Any] = deque()
        for item in items:
            pending.append(executor.submit(function, item))
            if len(pending) > 2:
                yield pending.popleft().result()
        for one in pending:
            yield one.result()


def run_in_processes(
    function: Callable[[Task], object], tasks: Sequence[Task], report: Callable[[int], None], *, jobs: int
) -> None:
    """Call an importable function with each task in up to `jobs` worker processes; results are discarded.

    Exceptions of the function, a worker process that ends early, and a system without semaphores are ignored: the
    function prepares results in files, and a caller that does not find them computes them.

    Parameters
    ----------
    report : called with the number of finished tasks, several times a second; what it raises ends the workers.
    """
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor, wait
    from concurrent.futures.process import BrokenProcessPool

    others = set(multiprocessing.active_children())
    context = multiprocessing.get_context("fork" if _may_fork() else "spawn")
    try:
        executor = ProcessPoolExecutor(min(jobs, len(tasks)), context, _ignore_interrupts)
    except OSError:  # no semaphores: /dev/shm is missing or not writable, as in some containers
        return
    try:
        with suppress(BrokenProcessPool):
            open_tasks = {executor.submit(function, task) for task in tasks}
            while open_tasks:
                report(len(tasks) - len(open_tasks))
                _, open_tasks = wait(open_tasks, _POLL_SECONDS)
        executor.shutdown(wait=True)
    except BaseException:
        executor.shutdown(wait=False, cancel_futures=True)
        # As `ProcessPoolExecutor.terminate_workers`, which requires Python 3.14.
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()
        raise


def run_in_copies(function: Callable[[int], object], count: int, report: Callable[[int], None], *, jobs: int) -> bool:
    """Call any function with the numbers below `count`, in this process and in `jobs` - 1 copies of it.

    A copy is forked and has all that the function refers to, but nothing returns from it: the function writes files.
    Where this process cannot be forked, it makes all calls.

    Parameters
    ----------
    report : called in this process with each number before its call; what it raises ends the copies.

    Returns
    -------
    bool
        False if a copy ended early: the results of some numbers are missing then.
    """
    import multiprocessing

    numbers: Iterator[int] = iter(range(count))
    processes: list[Any] = []
    if jobs > 1 and _may_fork():
        context = multiprocessing.get_context("fork")
        with suppress(OSError):  # no semaphores, as in `run_in_processes`
            numbers = _shared_numbers(context.Value("l"), count)
            arguments = function, numbers, os.getpid()
            processes = [context.Process(target=_run_copy, args=arguments) for _ in range(min(jobs, count) - 1)]
    try:
        for process in processes:
            process.start()
        for number in numbers:
            report(number)
            function(number)
        for process in processes:
            process.join()
    finally:
        for process in processes:
            if process.is_alive():
                process.kill()
                process.join()
    return not any(process.exitcode for process in processes)


def _shared_numbers(counter: Any, count: int) -> Iterator[int]:
    """The numbers below `count`, each in one of the processes that iterate over it."""
    while True:
        with counter.get_lock():
            number = counter.value
            counter.value += 1
        if number >= count:
            return
        yield number


def _run_copy(function: Callable[[int], object], numbers: Iterator[int], parent: int) -> None:
    _ignore_interrupts()
    try:
        for number in numbers:
            if os.getppid() != parent:  # it was killed
                return
            function(number)
    except Exception:
        sys.exit(1)


def _may_fork() -> bool:
    """Whether worker processes can be forked, which saves their imports: 0.25 s of the 0.8 s of a small contest.

    Not from the window or another process with threads, whose locks would stay locked in the worker, and not on macOS,
    whose libraries may start threads at any time.
    """
    return sys.platform == "linux" and active_count() == 1 and "PySide6.QtCore" not in sys.modules


def _ignore_interrupts() -> None:
    """Initialise a worker process: Ctrl-C also reaches it, but only the main process handles it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in (getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)  # a forked process has the handlers of the command line
