"""Pool of worker processes that draw thumbnails."""

import time
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from shrec_viewer.render.renderer import RendererChoice
from shrec_viewer.render.thumbnails.cache import ThumbnailCache, thumbnail_keys
from shrec_viewer.render.thumbnails.thumbnail import ReadImage, ReadMesh, Thumbnail, ThumbnailRequest
from shrec_viewer.render.workers.worker_process import (
    end_process,
    exit_reason,
    make_wakeup_pipe,
    serve_thumbnails,
    start_process,
    wait_for_connections,
)

_START_TIMEOUT = 60.0
"""Seconds a process may take to start, on a machine with a cold disk and a virus scanner."""


_SLOW_AFTER = 0.5
"""Seconds after which a picture counts as slow; what waits behind it is then better drawn elsewhere."""

_NICE_STEPS = 10
"""Steps of `nice` by which it gives way: the window comes first, then the model that somebody turns."""

ThumbnailJob = tuple[ThumbnailRequest, bytes | None]
"""A request, and the key of its picture in the cache."""


class ThumbnailWorker:
    """One process, what it is busy with, and what it will turn to without having to ask.

    Parameters
    ----------
    read_mesh, read_image, prefer, gives_way : see `ThumbnailWorkers`.
    """

    def __init__(
        self, read_mesh: ReadMesh, read_image: ReadImage, prefer: RendererChoice, lower_priority: bool
    ) -> None:
        self.connection: Any
        what = (read_mesh, read_image, prefer)
        self.connection, self.process = start_process(
            serve_thumbnails, what, "thumbnails", lower_priority=_NICE_STEPS * lower_priority
        )
        self.ready = False
        self._jobs: deque[ThumbnailJob | None] = deque()  # None: taken back, its answer is not waited for
        self._since = time.monotonic()

    @property
    def jobs(self) -> list[ThumbnailJob]:
        """What it is to answer, in this order."""
        return [job for job in self._jobs if job is not None]

    @property
    def current(self) -> ThumbnailJob | None:
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

    def finished(self) -> ThumbnailJob | None:
        """The job that the answer just received belongs to; None where it had been taken back."""
        self._since = time.monotonic()
        return self._jobs.popleft() if self._jobs else None

    def withdraw_delayed(self) -> list[ThumbnailJob]:
        """Jobs that have waited behind a slow picture for too long, which are its own no longer."""
        if not self.ready or time.monotonic() < self.slow_at:
            return []
        waiting = [job for job in list(self._jobs)[1:] if job is not None]
        self._jobs = deque([self._jobs[0], *[None] * (len(self._jobs) - 1)])
        return waiting

    @property
    def slow_at(self) -> float:
        """Moment (monotonic) from which its picture counts as slow; infinite where nothing waits behind it."""
        return self._since + _SLOW_AFTER if self.ready and len(self.jobs) > 1 else float("inf")

    def message(self) -> str | Thumbnail | None:
        """What it sent: its renderer first, then one picture a request; None where there is nothing yet."""
        if not self.connection.poll():
            return None
        message: str | Thumbnail = self.connection.recv()
        if isinstance(message, str):
            self.ready = True
            self._since = time.monotonic()
        return message

    def deadline(self, timeout_s: float) -> float:
        """Moment (monotonic) at which it counts as hanging; infinite while it has nothing to do."""
        if not self.ready:
            return self._since + _START_TIMEOUT
        return self._since + timeout_s if self._jobs else float("inf")

    def exit_reason(self) -> str:
        """Why it died."""
        return exit_reason(self.process, "drawing")

    def stop(self) -> None:
        """End it at once."""
        end_process(self.connection, self.process)


_THUMBNAIL_TIMEOUT = 30.0
"""Seconds one picture may take; the largest mesh of any contest here takes two without a GPU."""

_IDLE_TIMEOUT = 30.0
"""Seconds without work after which the processes end; each holds 130 MB."""

_LOOKUP_BATCH = 64
"""Requests looked up in the cache at once: about a screen full, 20 ms."""

_QUEUE_DEPTH = 2
"""Pictures that a process has at most: the one it draws, and the next."""

_MAX_FAILED_STARTS = 4
"""Processes that may die in a row while they start; then none is started any more."""


class ThumbnailPool:
    """Answers requests for thumbnails out of the cache, or drawn by a few processes.

    `request` and `close` may be called from any thread; `wait` belongs to one thread, which calls it in a loop.
    Processes are started by the first picture that is not cached, by *spawn* on every system, and end when idle.

    Parameters
    ----------
    read_mesh, read_image : importable functions; they run in the processes.
    cache_folder : where `ThumbnailCache` keeps its file; None keeps nothing.
    processes : at most so many.
    prefer : the renderer they open.
    patience : seconds one picture may take.
    gives_way : whether other processes, like that of a window, come first.
    """

    def __init__(
        self,
        read_mesh: ReadMesh,
        read_image: ReadImage,
        cache_folder: Path | None = None,
        processes: int = 2,
        *,
        prefer: RendererChoice = "auto",
        timeout_s: float = _THUMBNAIL_TIMEOUT,
        lower_priority: bool = True,
    ) -> None:
        self._readers = (read_mesh, read_image)
        self._cache_folder = cache_folder
        self._cache: ThumbnailCache | None = None
        self._most = max(1, processes)
        self._prefer: RendererChoice = prefer
        self._wished: RendererChoice = prefer
        self._timeout_s = timeout_s
        self._lower_priority = lower_priority
        self._inbox: SimpleQueue[list[ThumbnailRequest]] = SimpleQueue()
        self._fresh: deque[ThumbnailRequest] = deque()
        self._missed: deque[tuple[ThumbnailRequest, bytes | None]] = deque()
        self._workers: list[ThumbnailWorker] = []
        self._deaths = 0  # in a row, without a picture in between
        self._failed_starts = 0  # in a row
        self._active = time.monotonic()
        self._closed = False
        self._wakened, self._waken = make_wakeup_pipe()
        self.renderer = ""
        """Description of the renderer in use; empty until the first process has started."""

    def request(self, wanted: Iterable[ThumbnailRequest]) -> None:
        """Ask for these, the most urgent first, and no longer for what was asked before and not yet begun."""
        self._inbox.put(list(dict.fromkeys(wanted)))
        self._wake()

    def wait(self, timeout: float) -> list[tuple[ThumbnailRequest, Thumbnail]]:
        """Pictures that became ready, as soon as there is one; empty after `timeout` seconds or once closed.

        Every request is answered once, unless a later `request` replaced it.
        """
        end = time.monotonic() + timeout
        if self._cache is None:  # here rather than at the start: another process may make it wait
            self._cache = ThumbnailCache(self._cache_folder)
        while not self._closed:
            self._take_preference()
            self._take_requests()
            ready = self._looked_up()
            self._hand_out()
            if ready:
                return ready
            ready = self._collected(end)
            if ready or time.monotonic() >= end:
                return ready
        return []

    def set_renderer(self, prefer: RendererChoice) -> None:
        """Draw with another renderer from now on, what is being drawn too; from any thread."""
        self._wished = prefer
        self._wake()

    @property
    def pending(self) -> int:
        """Requests not yet answered; right in the thread that waits."""
        return len(self._fresh) + len(self._missed) + sum(len(worker.jobs) for worker in self._workers)

    @property
    def cache_problem(self) -> str:
        """Why new pictures are not kept, a sentence; "" while they are."""
        return "" if self._cache is None else self._cache.problem

    def close(self) -> None:
        """End the processes at once and let the cache go; `wait` returns. May be called twice."""
        self._closed = True
        self._wake()
        for worker in list(self._workers):
            worker.stop()
        if self._cache is not None:
            self._cache.close()

    def __enter__(self) -> "ThumbnailPool":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _wake(self) -> None:
        with suppress(OSError, ValueError):
            self._waken.send_bytes(b"!")

    def _take_preference(self) -> None:
        if self._wished == self._prefer:
            return
        self._prefer, self.renderer = self._wished, ""
        self._deaths = self._failed_starts = 0
        self._missed.extendleft(job for worker in self._workers for job in reversed(worker.jobs))
        self._retire()

    def _take_requests(self) -> None:
        newest: list[ThumbnailRequest] | None = None
        while not self._inbox.empty():
            newest = self._inbox.get()
        if newest is None:
            return
        drawn = {request for worker in self._workers for request, _ in worker.jobs}
        self._fresh = deque(request for request in newest if request not in drawn)
        self._missed.clear()

    def _looked_up(self) -> list[tuple[ThumbnailRequest, Thumbnail]]:
        """The next requests that the cache answers; the others join those to be drawn."""
        batch = [self._fresh.popleft() for _ in range(min(_LOOKUP_BATCH, len(self._fresh)))]
        if not batch or self._cache is None:
            return []
        keys = thumbnail_keys(batch, self._cache)
        found = self._cache.get_many(key for key in keys.values() if key is not None)
        notes = self._cache.notes(found)
        ready = []
        for request, key in keys.items():
            if key is None:
                ready.append((request, Thumbnail(problem="there is no such file")))
            elif key in found:
                ready.append((request, Thumbnail(webp=found[key], notes=notes.get(key, ()), is_cached=True)))
            else:
                self._missed.append((request, key))
        return ready

    # ── processes ────────────────────────────────────────────────────────────────────────────────────────────────────

    def _hand_out(self) -> None:
        """Give every process a picture, and one more to turn to at once: on a busy machine asking takes longer."""
        while self._missed and self._failed_starts < _MAX_FAILED_STARTS:
            least = min(self._workers, key=_queue_length, default=None)
            if least is None or (least.length > 0 and len(self._workers) < self._most):
                least = self._started()
            elif least.length >= _QUEUE_DEPTH:
                return
            least.give(*self._missed.popleft())

    def _started(self) -> ThumbnailWorker:
        # Two deaths in a row may be the graphics driver's fault; numpy has no driver.
        prefer: RendererChoice = "software" if self._deaths >= 2 else self._prefer
        worker = ThumbnailWorker(*self._readers, prefer, self._lower_priority)
        self._workers.append(worker)
        if self._closed:  # closed by another thread in the meantime
            worker.stop()
        return worker

    def _collected(self, end: float) -> list[tuple[ThumbnailRequest, Thumbnail]]:
        """What processes sent until the first of it, the next deadline or `end`."""
        if self._failed_starts >= _MAX_FAILED_STARTS and self._missed:
            return self._given_up()
        now = time.monotonic()
        deadlines = [min(worker.deadline(self._timeout_s), worker.slow_at) for worker in self._workers]
        limit = max(0.0, min([end, *deadlines]) - now)
        sources: list[Any] = [self._wakened, *(worker.connection for worker in self._workers)]
        with suppress(OSError, ValueError):  # closed by another thread while waiting
            signalled = wait_for_connections(sources, limit)
            if self._wakened in signalled:
                self._wakened.recv_bytes()
        ready = [answer for worker in list(self._workers) for answer in self._answers(worker)]
        for worker in self._workers:
            self._missed.extendleft(reversed(worker.withdraw_delayed()))
        self._hand_out()  # before anything else: whoever waits here may take its time with what it gets
        if self._cache:
            kept = {key: picture for _, key, picture in ready if key and not picture.is_substitute}
            notes = {key: picture.notes for key, picture in kept.items()}
            self._cache.put({key: picture.webp for key, picture in kept.items()}, notes)
        if ready:
            self._active = time.monotonic()
        elif self._workers and self.pending == 0 and time.monotonic() - self._active > _IDLE_TIMEOUT:
            self._retire()
        return [(request, picture) for request, _, picture in ready]

    def _answers(self, worker: ThumbnailWorker) -> list[tuple[ThumbnailRequest, bytes | None, Thumbnail]]:
        """The finished picture of one process, or a placeholder where it died or takes too long."""
        if self._closed:
            return []
        try:
            message = worker.message()
        except (EOFError, OSError):
            return self._lost(worker, worker.exit_reason())
        if isinstance(message, str):
            self.renderer = message
            self._failed_starts = 0
        elif message is not None:
            self._deaths = 0
            job = worker.finished()
            return [] if job is None else [(*job, message)]
        elif time.monotonic() > worker.deadline(self._timeout_s):
            return self._lost(worker, f"takes longer than {self._timeout_s:.0f} seconds to draw")
        return []

    def _lost(self, worker: ThumbnailWorker, why: str) -> list[tuple[ThumbnailRequest, bytes | None, Thumbnail]]:
        self._workers.remove(worker)
        worker.stop()
        self._deaths += 1
        self._failed_starts += not worker.ready
        guilty = worker.current
        self._missed.extendleft(job for job in reversed(worker.jobs) if job is not guilty)
        return [] if guilty is None else [(guilty[0], None, Thumbnail(problem=why))]

    def _given_up(self) -> list[tuple[ThumbnailRequest, Thumbnail]]:
        problem = Thumbnail(problem="cannot be drawn: the drawing process does not start on this machine")
        ready = [(request, problem) for request, _ in self._missed]
        self._missed.clear()
        return ready

    def _retire(self) -> None:
        for worker in self._workers:
            worker.stop()
        self._workers.clear()


def _queue_length(worker: ThumbnailWorker) -> int:
    return worker.length
