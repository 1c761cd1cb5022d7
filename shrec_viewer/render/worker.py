"""One drawing process as seen from outside: what it was given, what it answers, how long it has taken."""

import signal
import time
from contextlib import suppress
from typing import Any

from shrec_viewer.render.drawing import serve
from shrec_viewer.render.renderer import Prefer
from shrec_viewer.render.thumbnail import ReadImage, ReadMesh, Thumbnail, ThumbnailRequest

_START = 60.0
"""Seconds a process may take to start, on a machine with a cold disk and a virus scanner."""


class Worker:
    """One process, and what it is busy with.

    Parameters
    ----------
    context : of multiprocessing.
    read_mesh, read_image, prefer : see `ThumbnailWorkers`.
    """

    def __init__(self, context: Any, read_mesh: ReadMesh, read_image: ReadImage, prefer: Prefer) -> None:
        self.connection, theirs = context.Pipe()
        self.process = context.Process(
            target=serve, args=(theirs, read_mesh, read_image, prefer), name="thumbnails", daemon=True
        )
        self.process.start()
        theirs.close()  # so that its death is heard as the end of the pipe
        self.ready = False
        self.job: tuple[ThumbnailRequest, bytes | None] | None = None
        self._since = time.monotonic()

    def give(self, request: ThumbnailRequest, key: bytes | None) -> None:
        """Hand a request over; a dead process is noticed later, by `message`."""
        self.job = (request, key)
        if self.ready:
            self._since = time.monotonic()
        with suppress(OSError):
            self.connection.send(request)

    def message(self) -> str | Thumbnail | None:
        """What it sent: its renderer first, then one picture a request; None where there is nothing yet."""
        if not self.connection.poll():
            return None
        message: str | Thumbnail = self.connection.recv()
        if isinstance(message, str):
            self.ready = True
            self._since = time.monotonic()
        return message

    def deadline(self, patience: float) -> float:
        """Moment (monotonic) at which it counts as hanging; infinite while it has nothing to do."""
        if not self.ready:
            return self._since + _START
        return self._since + patience if self.job is not None else float("inf")

    def last_words(self) -> str:
        """Why it died."""
        self.process.join(1.0)
        code = self.process.exitcode
        if code is not None and code < 0:
            with suppress(ValueError):
                return f"makes the drawing process crash ({signal.Signals(-code).name})"
        return f"makes the drawing process end (status {code})"

    def stop(self) -> None:
        """End it at once: it holds nothing that a kill could damage."""
        with suppress(OSError):
            self.connection.close()
        with suppress(OSError, ValueError, AttributeError):
            self.process.kill()
            self.process.join(5.0)
