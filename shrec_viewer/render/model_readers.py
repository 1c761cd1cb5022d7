"""Reads models in processes of their own: a file that crashes its reader, or never ends, costs one sentence."""

import time
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from shrec_viewer.render.processes import end_process, last_words, listen, make_bell, start_process
from shrec_viewer.render.reading import Reading, ReadJob, serve_reading
from shrec_viewer.render.thumbnail import ReadImage, ReadMesh

PATIENCE = 30.0
"""Seconds one file may take, as for thumbnails."""

_START = 60.0
"""Seconds a process may take to start, on a machine with a cold disk and a virus scanner."""

_PROMPT = 0.5
"""Seconds after which a file counts as slow: another process reads what waits, and nobody waits for it unasked."""

_MOST = 4
"""Processes at most: query, pinned model and both answers may all be slow at once."""

_IDLE = 600.0
"""Seconds without work after which the processes end; each holds 40 MB, and starting one takes a third of a second."""

_HOPELESS = 3
"""Processes that may die in a row while they start; then none is started any more."""


class ModelReaders:
    """Reads what is wanted now, the most urgent first.

    All belongs to one thread, which calls `want` and `wait` in a loop, but for `wake`. Nothing is started before there
    is something to read, or `warm` is called.

    Parameters
    ----------
    read_mesh, read_image : importable functions; they run in the processes.
    patience : seconds one file may take.
    """

    def __init__(self, read_mesh: ReadMesh, read_image: ReadImage, patience: float = PATIENCE) -> None:
        self._functions = (read_mesh, read_image)
        self._patience = patience
        self._waiting: deque[ReadJob] = deque()
        self._wanted: frozenset[ReadJob] = frozenset()
        self._processes: list[_Process] = []
        self._failed_starts = 0  # in a row
        self._active = time.monotonic()
        self._listening, self._bell = make_bell()
        self._is_rung = False
        self._closed = False

    def warm(self) -> None:
        """Start a process, as there will be something to read soon."""
        self._active = time.monotonic()
        if not self._processes and not self._closed:
            self._start()

    def want(self, jobs: Iterable[ReadJob]) -> None:
        """Read these, the first first, and nothing else: what was wanted before is dropped unless it is nearly read."""
        wanted = list(dict.fromkeys(jobs))
        self._wanted = frozenset(wanted)
        going_on = {process.job for process in self._processes if not process.is_stale}
        self._waiting = deque(job for job in wanted if job not in going_on)

    def forget(self) -> None:
        """The files are other ones: what is being read now is out of date."""
        self._waiting.clear()
        for process in self._processes:
            process.is_stale = process.job is not None

    def wake(self) -> None:
        """Let `wait` return at once; from any thread."""
        if not self._is_rung:
            self._is_rung = True
            with suppress(OSError, ValueError):
                self._bell.send_bytes(b"!")

    def wait(self, seconds: float) -> list[tuple[ReadJob, Reading]]:
        """What was read or turned out not to be readable, as soon as there is something; none after so many seconds."""
        self._drop_unwanted()
        self._hand_out()
        now = time.monotonic()
        moments = [process.moment(self._patience, bool(self._waiting)) for process in self._processes]
        limit = min([now + seconds, *moments]) - now
        with suppress(OSError, ValueError):  # closed by another thread while waiting
            sources = [self._listening, *(process.connection for process in self._processes)]
            if self._listening in listen(sources, limit):
                self._is_rung = False
                self._listening.recv_bytes()
        answers = [answer for process in list(self._processes) for answer in self._answers(process)]
        if self._waiting and self._failed_starts >= _HOPELESS:
            why = Reading(problem="cannot be read: the reading process does not start on this machine")
            answers += [(job, why) for job in self._waiting]
            self._waiting.clear()
        self._drop_unwanted()
        self._hand_out()
        self._retire()
        return answers

    def close(self) -> None:
        """End the processes at once; `wait` returns. May be called twice."""
        self._closed = True
        self.wake()
        self._stop_all()

    # ── processes ────────────────────────────────────────────────────────────────────────────────────────────────────

    def _start(self) -> "_Process":
        process = _Process(self._functions)
        self._processes.append(process)
        return process

    def _hand_out(self) -> None:
        while self._waiting and not self._closed:
            self._active = time.monotonic()
            process = next((process for process in self._processes if process.job is None), None)
            if process is None:
                can_start = len(self._processes) < _MOST and self._failed_starts < _HOPELESS
                if not can_start or not all(process.is_slow() for process in self._processes):
                    return
                process = self._start()
            process.give(self._waiting.popleft())

    def _drop_unwanted(self) -> None:
        """Nobody looks at a slow file any more: its process is worth less than a fresh one."""
        for process in list(self._processes):
            is_unwanted = process.is_stale or process.job not in self._wanted
            if process.job is not None and is_unwanted and process.is_slow():
                self._end(process)
                if all(other.job is not None for other in self._processes) and not self._closed:
                    self._start()

    def _answers(self, process: "_Process") -> list[tuple[ReadJob, Reading]]:
        if self._closed:
            return []
        job, is_stale = process.job, process.is_stale
        try:
            reading = process.message()
        except Exception:  # the end of the pipe, or half a message
            return self._lost(process, process.last_words())
        if process.is_ready:
            self._failed_starts = 0
        if reading is None:
            if time.monotonic() < process.deadline(self._patience):
                return []
            return self._lost(process, f"takes longer than {self._patience:.0f} seconds to read")
        self._active = time.monotonic()
        return [] if job is None or is_stale else [(job, reading)]

    def _lost(self, process: "_Process", why: str) -> list[tuple[ReadJob, Reading]]:
        job, was_ready, is_stale = process.job, process.is_ready, process.is_stale
        self._end(process)
        self._failed_starts += not was_ready
        if job is None or is_stale:
            return []
        if was_ready:
            return [(job, Reading(problem=why))]
        if job in self._wanted:
            self._waiting.appendleft(job)
        return []

    def _end(self, process: "_Process") -> None:
        self._processes.remove(process)
        process.stop()

    def _retire(self) -> None:
        is_busy = any(process.job is not None for process in self._processes)
        if self._processes and not is_busy and time.monotonic() - self._active > _IDLE:
            self._stop_all()

    def _stop_all(self) -> None:
        for process in list(self._processes):
            process.stop()
        self._processes.clear()


class _Process:
    """One reading process as seen from outside; it has one job at a time."""

    def __init__(self, functions: tuple[ReadMesh, ReadImage]) -> None:
        self.connection: Any
        self.connection, self._process = start_process(serve_reading, functions, "reader")
        self.is_ready = False
        self.job: ReadJob | None = None
        self.is_stale = False
        self._since = time.monotonic()

    def give(self, job: ReadJob) -> None:
        """Hand a job over; a dead process is noticed later, by `message`."""
        self.job, self.is_stale = job, False
        if self.is_ready:
            self._since = time.monotonic()
        with suppress(OSError):
            self.connection.send(job)

    def message(self) -> Reading | None:
        """What it has read; None where there is nothing yet, or it has only just become ready."""
        if not self.connection.poll():
            return None
        reading: Reading | None = self.connection.recv()
        self._since = time.monotonic()
        if reading is None:
            self.is_ready = True
        else:
            self.job, self.is_stale = None, False
        return reading

    def is_slow(self) -> bool:
        """Whether it has read the same file for longer than files usually take."""
        return self.is_ready and self.job is not None and time.monotonic() >= self._since + _PROMPT

    def deadline(self, patience: float) -> float:
        """Moment (monotonic) at which it counts as hanging; infinite while it has nothing to do."""
        if not self.is_ready:
            return self._since + _START
        return self._since + patience if self.job is not None else float("inf")

    def moment(self, patience: float, others_wait: bool) -> float:
        """Moment (monotonic) at which something is to be done about it, if it says nothing before."""
        if self.is_ready and self.job is not None and others_wait and not self.is_slow():
            return self._since + _PROMPT
        return self.deadline(patience)

    def last_words(self) -> str:
        """Why it died."""
        return last_words(self._process, "reading")

    def stop(self) -> None:
        """End it at once."""
        end_process(self.connection, self._process)
