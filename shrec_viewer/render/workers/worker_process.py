"""Start, supervise and end worker processes."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from shrec_viewer.domain.errors import Cancelled
from shrec_viewer.render.renderer import RendererChoice, open_renderer_or_software
from shrec_viewer.render.thumbnails.thumbnail import ReadImage, ReadMesh, make_thumbnail

_WORKER_ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1"}
"""For processes that do small things: numpy's threads take a quarter of its start, and have nothing to share there."""


def start_process(
    serve: Callable[..., None], what: tuple[object, ...], name: str, *, lower_priority: int = 0
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
    with _default_environment(_WORKER_ENVIRONMENT):
        process.start()
    theirs.close()  # so that its death is heard as the end of the pipe
    if lower_priority and process.pid and hasattr(os, "setpriority"):
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, process.pid, os.getpriority(os.PRIO_PROCESS, 0) + lower_priority)
    return mine, process


def exit_reason(process: Any, noun: str) -> str:
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
def _default_environment(names: dict[str, str]) -> Iterator[None]:
    """What a process started meanwhile finds in its environment; what somebody has set stays."""
    new = {name: value for name, value in names.items() if name not in os.environ}
    os.environ.update(new)
    try:
        yield
    finally:
        for name in new:
            os.environ.pop(name, None)


def make_wakeup_pipe() -> tuple[Any, Any]:
    """Two ends of a pipe: what is sent into the second wakes whoever listens to the first."""
    from multiprocessing import Pipe

    return Pipe(duplex=False)


def wait_for_connections(sources: list[Any], seconds: float) -> list[Any]:
    """Those of some ends of pipes that have something to say, as soon as there is one; none after so many seconds."""
    from multiprocessing.connection import wait

    return wait(sources, max(0.0, seconds))


def serve_thumbnails(connection: Any, read_mesh: ReadMesh, read_image: ReadImage, prefer: RendererChoice) -> None:
    """Life of a drawing process: answer requests until the other end of the pipe is gone."""
    set_up_worker()
    os.environ["LP_NUM_THREADS"] = "0"  # Mesa without a GPU: its threads only quarrel with the other process
    renderer = open_renderer_or_software(prefer)
    with suppress(EOFError, OSError):
        connection.send(renderer.description)
        while True:
            request = connection.recv()
            connection.send(make_thumbnail(request, read_mesh, read_image, renderer))


def set_up_worker() -> None:
    """Be a quiet servant: Ctrl-C in a terminal is for the program, which then ends this process; nothing is printed.

    Where memory runs out, Linux ends this process and not the window.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")
    _redirect_output()


def _redirect_output() -> None:
    """Drivers and readers may print what they like; the program's output stays its own."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        with suppress(OSError):
            os.dup2(nowhere, stream)
    os.close(nowhere)


_POLL_INTERVAL = 0.05
"""Seconds between two looks whether anybody still waits for the answer."""


class WorkerProcessError(Exception):
    """The process died or hangs, and with it all that it knew; the text says why, a few words."""


class WorkerProcess:
    """Starts the process when it is needed, and ends it where it does not answer. Belongs to one thread at a time.

    Parameters
    ----------
    serve : what the process does, an importable function of its end of the pipe and of what `start` is given.
    verb, noun : what it does, in words: ``"draw", "drawing"``.
    gives_way : see `start_process`.
    """

    def __init__(self, serve: Callable[..., None], verb: str, noun: str, *, lower_priority: int) -> None:
        self._serve = serve
        self._verb, self._noun = verb, noun
        self._lower_priority = lower_priority
        self._connection: Any = None
        self._process: Any = None

    @property
    def is_running(self) -> bool:
        """Whether there is a process that has not ended by itself."""
        return self._process is not None and bool(self._process.is_alive())

    def start(self, *what: object) -> None:
        """Start the process, and wait for nothing."""
        self.stop()
        self._connection, self._process = start_process(
            self._serve, what, self._noun, lower_priority=self._lower_priority
        )

    def tell(self, message: object, data: bytes = b"") -> None:
        """Send a message, and bytes after it where there are any.

        Raises
        ------
        ServantError
        """
        try:
            if self._process is None:
                raise EOFError
            self._connection.send(message)
            if data:
                self._connection.send_bytes(data)
        except (EOFError, OSError) as error:
            raise self._lost() from error

    def answer(self, seconds: float, cancelled: Callable[[], bool]) -> Any:
        """The next message.

        Raises
        ------
        Cancelled
            Nobody waits any more; the process is ended, as its answer would be taken for another one.
        ServantError
            It died, or did not answer within so many seconds.
        """
        end = time.monotonic() + seconds
        try:
            while not self._connection.poll(_POLL_INTERVAL):
                if cancelled():
                    self.stop()
                    raise Cancelled
                if time.monotonic() > end:
                    raise self._lost(f"takes longer than {seconds:.0f} seconds to {self._verb}")
            return self._connection.recv()
        except (EOFError, OSError) as error:
            raise self._lost() from error

    def data(self) -> bytes:
        """The bytes that were announced by a message.

        Raises
        ------
        ServantError
        """
        try:
            return bytes(self._connection.recv_bytes())
        except (EOFError, OSError) as error:
            raise self._lost() from error

    def stop(self) -> None:
        """End the process at once: it holds nothing that a kill could damage. May be called twice."""
        process, self._process = self._process, None
        if process is not None:
            end_process(self._connection, process)

    def _lost(self, why: str = "") -> WorkerProcessError:
        why = why or self._exit_reason()
        self.stop()
        return WorkerProcessError(why)

    def _exit_reason(self) -> str:
        return f"has no {self._noun} process" if self._process is None else exit_reason(self._process, self._noun)
