"""The one place where processes are started, and where ends of pipes are listened to."""

from collections.abc import Callable
from typing import Any


def start_process(serve: Callable[..., None], what: tuple[object, ...], name: str) -> tuple[Any, Any]:
    """Our end of a pipe, and a process in which ``serve(other end, *what)`` runs.

    Spawned on every system: a forked copy of a program with threads and a driver may hang anywhere.
    """
    from multiprocessing import get_context

    context = get_context("spawn")
    mine, theirs = context.Pipe()
    process = context.Process(target=serve, args=(theirs, *what), name=name, daemon=True)
    process.start()
    theirs.close()  # so that its death is heard as the end of the pipe
    return mine, process


def make_bell() -> tuple[Any, Any]:
    """Two ends of a pipe: what is sent into the second wakes whoever listens to the first."""
    from multiprocessing import Pipe

    return Pipe(duplex=False)


def listen(sources: list[Any], seconds: float) -> list[Any]:
    """Those of some ends of pipes that have something to say, as soon as there is one; none after so many seconds."""
    from multiprocessing.connection import wait

    return wait(sources, max(0.0, seconds))
