"""Thumbnails from the disk cache, or rendered by worker processes."""

import time
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue

from shrec_viewer.render.renderer import RendererChoice
from shrec_viewer.render.thumbnails.cache import ThumbnailCache, thumbnail_keys
from shrec_viewer.render.thumbnails.thumbnail import (
    ReadImage,
    ReadMesh,
    Thumbnail,
    ThumbnailRequest,
    open_thumbnail_renderer,
)
from shrec_viewer.render.workers.worker_pool import WorkerPool

#: Limit for one thumbnail; the largest mesh of the contests at hand takes 2 s with the software renderer.
_THUMBNAIL_TIMEOUT_S = 30.0

#: Idle time after which the processes end; each takes 130 MB.
_IDLE_TIMEOUT_S = 30.0

#: Requests looked up in the cache at once: about one screen, 20 ms.
_LOOKUP_BATCH = 64

#: Below the window and the 3D view.
_NICE_STEPS = 10


@dataclass
class ThumbnailCounts:
    """Counts and problems of thumbnails, updated while they are delivered.

    Attributes
    ----------
    drawn, cached : number of thumbnails that were rendered, and that were in the cache.
    problems : why there is no thumbnail, by file.
    notes : repairs of files, by file.
    renderer : description of the renderer; "" if nothing was rendered.
    not_cached_reason : why thumbnails are not cached; "" if they are.
    """

    drawn: int = 0
    cached: int = 0
    problems: dict[Path, str] = field(default_factory=dict)
    notes: dict[Path, tuple[str, ...]] = field(default_factory=dict)
    renderer: str = ""
    not_cached_reason: str = ""

    @property
    def delivered(self) -> int:
        """Number of thumbnails, those with a problem included."""
        return self.drawn + self.cached + len(self.problems)

    def count(self, path: Path, thumbnail: Thumbnail) -> None:
        """Count one thumbnail."""
        if thumbnail.notes:
            self.notes[path] = thumbnail.notes
        if thumbnail.problem is not None:
            self.problems[path] = thumbnail.problem
        elif thumbnail.is_cached:
            self.cached += 1
        else:
            self.drawn += 1

    def add(self, other: "ThumbnailCounts") -> None:
        """Add the counts and problems of other thumbnails."""
        self.drawn += other.drawn
        self.cached += other.cached
        self.problems |= other.problems
        self.notes |= other.notes
        self.renderer = other.renderer or self.renderer


class ThumbnailPool:
    """Returns requested thumbnails from the cache or renders them in a few processes.

    `request`, `set_renderer` and `close` may be called from any thread; `wait` belongs to one thread, which calls it in
    a loop. Processes start with the first thumbnail that is not cached, and end when idle.

    Parameters
    ----------
    read_mesh, read_image : importable functions, called in the processes.
    cache_folder : folder of the `ThumbnailCache`; None for no cache.
    processes : upper limit.
    prefer : renderer to use; after a crash, the software renderer draws the model, and if that succeeds all later ones.
    timeout_s : limit for one thumbnail.
    lower_priority : whether the processes are nice to others, such as a window.
    """

    def __init__(
        self,
        read_mesh: ReadMesh,
        read_image: ReadImage,
        cache_folder: Path | None = None,
        processes: int = 2,
        *,
        prefer: RendererChoice = "auto",
        timeout_s: float = _THUMBNAIL_TIMEOUT_S,
        lower_priority: bool = True,
    ) -> None:
        self._readers = (read_mesh, read_image)
        self._cache_folder = cache_folder
        self._cache: ThumbnailCache | None = None
        self._prefer: RendererChoice = prefer
        self._workers = WorkerPool[ThumbnailRequest, Thumbnail](
            open_thumbnail_renderer,
            (*self._readers, prefer),
            _failed_thumbnail,
            verb="draw",
            max_processes=processes,
            timeout_s=timeout_s,
            nice=_NICE_STEPS * lower_priority,
            idle_timeout_s=_IDLE_TIMEOUT_S,
            fallback_args=(*self._readers, "software"),
            is_stateless=True,
        )
        self._inbox: SimpleQueue[list[ThumbnailRequest]] = SimpleQueue()
        self._not_looked_up: deque[ThumbnailRequest] = deque()
        #: Cache keys of the requests in `_workers`.
        self._keys: dict[ThumbnailRequest, bytes] = {}
        self._is_closed = False

    @property
    def renderer(self) -> str:
        """Description of the renderer in use, with the reason if OpenGL is not; "" until a process has started."""
        description = self._workers.description
        return f"{description}, as {self._fallback_reason}" if description and self._fallback_reason else description

    @property
    def renderer_problem(self) -> str:
        """Why OpenGL is not used, although it was requested; "" if it is, or never was available."""
        return f"models are drawn without OpenGL: {self._fallback_reason}" if self._fallback_reason else ""

    @property
    def _fallback_reason(self) -> str:
        is_fallback = self._workers.uses_fallback and self._prefer != "software"
        return f"OpenGL {self._workers.crash_reason}" if is_fallback else ""

    def request(self, requests: Iterable[ThumbnailRequest]) -> None:
        """Request thumbnails, the most urgent first; replaces earlier requests that are not being rendered."""
        self._inbox.put(list(dict.fromkeys(requests)))
        self._workers.wake()

    def wait(self, timeout: float) -> list[tuple[ThumbnailRequest, Thumbnail]]:
        """Thumbnails that have become available, as soon as there is one; empty after `timeout` seconds or once closed.

        Every request is returned once, unless a later `request` replaced it.
        """
        end = time.monotonic() + timeout
        while not self._is_closed:
            if self._cache is None:  # not in __init__: opening may wait for the lock of another process
                self._cache = ThumbnailCache(self._cache_folder)
            self._take_requests()
            ready = self._look_up(self._cache)
            ready += self._workers.poll(0.0 if ready or self._not_looked_up else max(0.0, end - time.monotonic()))
            self._store(self._cache, ready)
            if ready or time.monotonic() >= end:
                return ready
        return []

    def set_renderer(self, prefer: RendererChoice) -> None:
        """Render with another renderer from now on, including thumbnails being rendered."""
        if prefer != self._prefer:
            self._prefer = prefer
            self._workers.restart_with(*self._readers, prefer)

    @property
    def pending(self) -> int:
        """Number of requests without a result; valid in the thread that calls `wait`."""
        return len(self._not_looked_up) + self._workers.pending

    @property
    def cache_problem(self) -> str:
        """Why new thumbnails are not cached, as a sentence; "" if they are."""
        return "" if self._cache is None else self._cache.problem

    def close(self) -> None:
        """End the processes at once, close the cache and let `wait` return; any number of times."""
        self._is_closed = True
        self._workers.close()
        if self._cache is not None:
            self._cache.close()

    def __enter__(self) -> "ThumbnailPool":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _take_requests(self) -> None:
        newest: list[ThumbnailRequest] | None = None
        while not self._inbox.empty():
            newest = self._inbox.get()
        if newest is not None:
            running = set(self._workers.running)
            self._not_looked_up = deque(request for request in newest if request not in running)
            self._workers.request(())
            self._keys = {request: key for request, key in self._keys.items() if request in running}

    def _look_up(self, cache: ThumbnailCache) -> list[tuple[ThumbnailRequest, Thumbnail]]:
        """Look up the next batch of requests; those not in the cache are queued for rendering."""
        batch = [self._not_looked_up.popleft() for _ in range(min(_LOOKUP_BATCH, len(self._not_looked_up)))]
        if not batch:
            return []
        keys = thumbnail_keys(batch, cache)
        found = cache.get_many(key for key in keys.values() if key is not None)
        notes = cache.notes(found)
        ready = []
        for request, key in keys.items():
            if key is None:
                ready.append((request, Thumbnail(problem="there is no such file")))
            elif not request.is_cached:
                self._workers.add(request)
            elif key in found:
                ready.append((request, Thumbnail(webp=found[key], notes=notes.get(key, ()), is_cached=True)))
            else:
                self._keys[request] = key
                self._workers.add(request)
        return ready

    def _store(self, cache: ThumbnailCache, ready: list[tuple[ThumbnailRequest, Thumbnail]]) -> None:
        """Write rendered thumbnails to the cache; failed ones and substitutes are made again next time."""
        new = [(self._keys.pop(request), thumbnail) for request, thumbnail in ready if request in self._keys]
        stored = {key: thumbnail for key, thumbnail in new if not thumbnail.is_substitute}
        cache.put(
            {key: thumbnail.webp for key, thumbnail in stored.items()},
            {key: thumbnail.notes for key, thumbnail in stored.items()},
        )


def _failed_thumbnail(problem: str) -> Thumbnail:
    return Thumbnail(problem=problem)
