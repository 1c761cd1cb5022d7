"""Draws thumbnails in processes of their own: a mesh or driver that crashes or hangs costs one card."""

import time
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from shrec_viewer.render.cache import ThumbnailCache
from shrec_viewer.render.identity import picture_keys
from shrec_viewer.render.processes import listen, make_bell
from shrec_viewer.render.renderer import Prefer
from shrec_viewer.render.thumbnail import ReadImage, ReadMesh, Thumbnail, ThumbnailRequest
from shrec_viewer.render.worker import Worker

_PATIENCE = 30.0
"""Seconds one picture may take; the largest mesh of any contest here takes two without a GPU."""

_IDLE = 30.0
"""Seconds without work after which the processes end; each holds 130 MB."""

_LOOKED_UP = 64
"""Requests looked up in the cache at once: about a screen full, 20 ms."""

_AHEAD = 2
"""Pictures that a process has at most: the one it draws, and the next."""

_HOPELESS = 4
"""Processes that may die in a row while they start; then none is started any more."""


class ThumbnailWorkers:
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
        prefer: Prefer = "auto",
        patience: float = _PATIENCE,
        gives_way: bool = True,
    ) -> None:
        self._readers = (read_mesh, read_image)
        self._cache_folder = cache_folder
        self._cache: ThumbnailCache | None = None
        self._most = max(1, processes)
        self._prefer: Prefer = prefer
        self._wished: Prefer = prefer
        self._patience = patience
        self._gives_way = gives_way
        self._inbox: SimpleQueue[list[ThumbnailRequest]] = SimpleQueue()
        self._fresh: deque[ThumbnailRequest] = deque()
        self._missed: deque[tuple[ThumbnailRequest, bytes | None]] = deque()
        self._workers: list[Worker] = []
        self._deaths = 0  # in a row, without a picture in between
        self._failed_starts = 0  # in a row
        self._active = time.monotonic()
        self._closed = False
        self._wakened, self._waken = make_bell()
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

    def set_renderer(self, prefer: Prefer) -> None:
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

    def __enter__(self) -> "ThumbnailWorkers":
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
        batch = [self._fresh.popleft() for _ in range(min(_LOOKED_UP, len(self._fresh)))]
        if not batch or self._cache is None:
            return []
        keys = picture_keys(batch, self._cache)
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
        while self._missed and self._failed_starts < _HOPELESS:
            least = min(self._workers, key=_length, default=None)
            if least is None or (least.length > 0 and len(self._workers) < self._most):
                least = self._started()
            elif least.length >= _AHEAD:
                return
            least.give(*self._missed.popleft())

    def _started(self) -> Worker:
        # Two deaths in a row may be the graphics driver's fault; numpy has no driver.
        prefer: Prefer = "software" if self._deaths >= 2 else self._prefer
        worker = Worker(*self._readers, prefer, self._gives_way)
        self._workers.append(worker)
        if self._closed:  # closed by another thread in the meantime
            worker.stop()
        return worker

    def _collected(self, end: float) -> list[tuple[ThumbnailRequest, Thumbnail]]:
        """What processes sent until the first of it, the next deadline or `end`."""
        if self._failed_starts >= _HOPELESS and self._missed:
            return self._given_up()
        now = time.monotonic()
        deadlines = [min(worker.deadline(self._patience), worker.slow_at) for worker in self._workers]
        limit = max(0.0, min([end, *deadlines]) - now)
        sources: list[Any] = [self._wakened, *(worker.connection for worker in self._workers)]
        with suppress(OSError, ValueError):  # closed by another thread while waiting
            signalled = listen(sources, limit)
            if self._wakened in signalled:
                self._wakened.recv_bytes()
        ready = [answer for worker in list(self._workers) for answer in self._answers(worker)]
        for worker in self._workers:
            self._missed.extendleft(reversed(worker.taken_back()))
        self._hand_out()  # before anything else: whoever waits here may take its time with what it gets
        if self._cache:
            kept = {key: picture for _, key, picture in ready if key and not picture.is_stand_in}
            notes = {key: picture.notes for key, picture in kept.items()}
            self._cache.put({key: picture.webp for key, picture in kept.items()}, notes)
        if ready:
            self._active = time.monotonic()
        elif self._workers and self.pending == 0 and time.monotonic() - self._active > _IDLE:
            self._retire()
        return [(request, picture) for request, _, picture in ready]

    def _answers(self, worker: Worker) -> list[tuple[ThumbnailRequest, bytes | None, Thumbnail]]:
        """The finished picture of one process, or a placeholder where it died or takes too long."""
        if self._closed:
            return []
        try:
            message = worker.message()
        except (EOFError, OSError):
            return self._lost(worker, worker.last_words())
        if isinstance(message, str):
            self.renderer = message
            self._failed_starts = 0
        elif message is not None:
            self._deaths = 0
            job = worker.finished()
            return [] if job is None else [(*job, message)]
        elif time.monotonic() > worker.deadline(self._patience):
            return self._lost(worker, f"takes longer than {self._patience:.0f} seconds to draw")
        return []

    def _lost(self, worker: Worker, why: str) -> list[tuple[ThumbnailRequest, bytes | None, Thumbnail]]:
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


def _length(worker: Worker) -> int:
    return worker.length
