"""The one place where processes are started, and where ends of pipes are listened to."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

_SPARING = {"OPENBLAS_NUM_THREADS": "1"}
"""For processes that do small things: numpy's threads take a quarter of its start, and have nothing to share there."""


def start_process(
    serve: Callable[..., None], what: tuple[object, ...], name: str, *, gives_way: int = 0
) -> tuple[Any, Any]:
    """Our end of a pipe, and a process in which ``serve(other end, *what)`` runs.

    Spawned on every system: a forked copy of a program with threads and a driver may hang anywhere.

    Parameters
    ----------
    gives_way : how far others come first, from its first moment on, in steps of `nice`; where the system has them.
    """
    from multiprocessing import get_context

    context = get_context("spawn")
    mine, theirs = context.Pipe()
    process = context.Process(target=serve, args=(theirs, *what), name=name, daemon=True)
    with _environment(_SPARING):
        process.start()
    theirs.close()  # so that its death is heard as the end of the pipe
    if gives_way and process.pid and hasattr(os, "setpriority"):
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, process.pid, os.getpriority(os.PRIO_PROCESS, 0) + gives_way)
    return mine, process


def last_words(process: Any, noun: str) -> str:
    """Why a process died that did `noun` ("drawing"), a few words that follow upon the name of what it did it for."""
    process.join(1.0)
    code = process.exitcode
    if code is not None and code < 0:
        with suppress(ValueError):
            return f"makes the {noun} process crash ({signal.Signals(-code).name})"
    return f"makes the {noun} process end (status {code})"


def end_process(connection: Any, process: Any) -> None:
    """End it at once: ours hold nothing that a kill could damage. May be called twice."""
    with suppress(OSError):
        connection.close()
    with suppress(OSError, ValueError, AttributeError):
        process.kill()
        process.join(5.0)


@contextmanager
def _environment(names: dict[str, str]) -> Iterator[None]:
    """What a process started meanwhile finds in its environment; what somebody has set stays."""
    new = {name: value for name, value in names.items() if name not in os.environ}
    os.environ.update(new)
    try:
        yield
    finally:
        for name in new:
            os.environ.pop(name, None)


def make_bell() -> tuple[Any, Any]:
    """Two ends of a pipe: what is sent into the second wakes whoever listens to the first."""
    from multiprocessing import Pipe

    return Pipe(duplex=False)


def listen(sources: list[Any], seconds: float) -> list[Any]:
    """Those of some ends of pipes that have something to say, as soon as there is one; none after so many seconds."""
    from multiprocessing.connection import wait

    return wait(sources, max(0.0, seconds))
