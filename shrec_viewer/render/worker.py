"""One drawing process as seen from outside: what it was given, what it answers, how long it has taken."""

import time
from collections import deque
from contextlib import suppress
from typing import Any

from shrec_viewer.render.drawing import serve
from shrec_viewer.render.processes import end_process, last_words, start_process
from shrec_viewer.render.renderer import Prefer
from shrec_viewer.render.thumbnail import ReadImage, ReadMesh, Thumbnail, ThumbnailRequest

_START = 60.0
"""Seconds a process may take to start, on a machine with a cold disk and a virus scanner."""


_PROMPT = 0.5
"""Seconds after which a picture counts as slow; what waits behind it is then better drawn elsewhere."""

_BEHIND = 10
"""Steps of `nice` by which it gives way: the window comes first, then the model that somebody turns."""

Job = tuple[ThumbnailRequest, bytes | None]
"""A request, and the key of its picture in the cache."""


class Worker:
    """One process, what it is busy with, and what it will turn to without having to ask.

    Parameters
    ----------
    read_mesh, read_image, prefer, gives_way : see `ThumbnailWorkers`.
    """

    def __init__(self, read_mesh: ReadMesh, read_image: ReadImage, prefer: Prefer, gives_way: bool) -> None:
        self.connection: Any
        what = (read_mesh, read_image, prefer)
        self.connection, self.process = start_process(serve, what, "thumbnails", gives_way=_BEHIND * gives_way)
        self.ready = False
        self._jobs: deque[Job | None] = deque()  # None: taken back, its answer is not waited for
        self._since = time.monotonic()

    @property
    def jobs(self) -> list[Job]:
        """What it is to answer, in this order."""
        return [job for job in self._jobs if job is not None]

    @property
    def current(self) -> Job | None:
        """What it draws now; None where it is idle, still starts, or draws what had been taken back."""
        return self._jobs[0] if self.ready and self._jobs else None

    @property
    def length(self) -> int:
        """How many pictures it has before it is idle."""
        return len(self._jobs)

    def give(self, request: ThumbnailRequest, key: bytes | None) -> None:
        """Hand a request over; a dead process is noticed later, by `message`."""
        if self.ready and not self._jobs:
            self._since = time.monotonic()
        self._jobs.append((request, key))
        with suppress(OSError):
            self.connection.send(request)

    def finished(self) -> Job | None:
        """The job that the answer just received belongs to; None where it had been taken back."""
        self._since = time.monotonic()
        return self._jobs.popleft() if self._jobs else None

    def taken_back(self) -> list[Job]:
        """Jobs that have waited behind a slow picture for too long, which are its own no longer."""
        if not self.ready or time.monotonic() < self.slow_at:
            return []
        waiting = [job for job in list(self._jobs)[1:] if job is not None]
        self._jobs = deque([self._jobs[0], *[None] * (len(self._jobs) - 1)])
        return waiting

    @property
    def slow_at(self) -> float:
        """Moment (monotonic) from which its picture counts as slow; infinite where nothing waits behind it."""
        return self._since + _PROMPT if self.ready and len(self.jobs) > 1 else float("inf")

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
        return self._since + patience if self._jobs else float("inf")

    def last_words(self) -> str:
        """Why it died."""
        return last_words(self.process, "drawing")

    def stop(self) -> None:
        """End it at once."""
        end_process(self.connection, self.process)
