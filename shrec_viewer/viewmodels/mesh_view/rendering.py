"""Renders meshes for the mesh view in the background: request queue, loaded files, results."""

import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from threading import Lock

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QImage

from shrec_viewer.domain import Cancelled
from shrec_viewer.formats.meshes.values import read_valued_mesh
from shrec_viewer.render.renderer import RendererChoice
from shrec_viewer.render.scene.picking import PickedPoint
from shrec_viewer.render.thumbnails.thumbnail import ReadMesh
from shrec_viewer.render.workers.model_readers import (
    DEFAULT_READ_TIMEOUT_S,
    LoadedModel,
    ModelInfo,
    ModelReaderPool,
    ModelReadJob,
    ModelSource,
    is_image,
)
from shrec_viewer.render.workers.renderer_process import RendererProcess, RendererProcessError, RenderRequest
from shrec_viewer.viewmodels.tasks.tasks import LoopThread, Task
from shrec_viewer.viewmodels.thumbnails.image_reader import read_image_or_svg
from shrec_viewer.viewmodels.thumbnails.qimage import bgra_to_qimage, rgba_to_qimage


@dataclass(frozen=True, eq=False)
class RenderResult:
    """The rendered image of a request.

    Attributes
    ----------
    request : the request.
    image : premultiplied ARGB on a transparent background; None with a `problem`.
    info : properties of the file.
    seconds : duration of rendering, without reading the file.
    problem : why there is no image; "" otherwise.
    picked : the point at the pointer of the request, which then has no image; None for none.
    """

    request: RenderRequest
    image: QImage | None
    info: ModelInfo
    seconds: float = 0.0
    problem: str = ""
    picked: PickedPoint | None = None


#: Maximum size in bytes of the meshes and textures loaded in the renderer process.
MAX_LOADED_BYTES = 200_000_000

#: Meshes that stay loaded regardless of size: query, pinned model, models of both runs, card under the mouse.
MIN_LOADED_FILES = 5


#: Number of times in a row that a request is repeated after the renderer process was killed from outside.
MAX_KILLS = 2


@dataclass(frozen=True, eq=False)
class _LoadedFile:
    """A file that was read: a mesh in the renderer process, an image, or a problem."""

    info: ModelInfo
    nbytes: float = 0.0
    image: QImage | None = None
    problem: str = ""


class RenderSession:
    """Renders requests one by one, of files that worker processes have read; used by one thread only.

    Parameters
    ----------
    prefer : ``"auto"``, ``"gl"`` or ``"software"``.
    cancelled : when true, rendering raises `Cancelled`.
    """

    def __init__(self, prefer: RendererChoice, cancelled: Callable[[], bool]) -> None:
        self._renderer_process = RendererProcess(prefer, cancelled)
        self._files: OrderedDict[ModelSource, _LoadedFile] = OrderedDict()
        self._kills = 0  # of the renderer process from outside, in a row

    @property
    def description(self) -> str:
        """Name of the graphics driver; "" before the first image."""
        return self._renderer_process.description

    def prestart(self) -> None:
        """Start the renderer process without blocking."""
        self._renderer_process.prestart()

    def start(self) -> None:
        """Block until the renderer process has started; raises `RendererProcessError` if it cannot start."""
        self._renderer_process.start()

    def needs_file(self, request: RenderRequest) -> bool:
        """Whether the file of a request must be read first: not loaded, or an image that is needed larger."""
        file = self._files.get(request.source)
        if file is None:
            return True
        return file.image is not None and min(file.image.width(), file.image.height()) < read_job(request).size

    def add_file(self, job: ModelReadJob, loaded: LoadedModel) -> None:
        """Store a file that was read, or its problem."""
        self._drop(job.source)
        if (file := self._prepare(job.source, loaded)) is not None:
            self._files[job.source] = file
        while (
            len(self._files) > MIN_LOADED_FILES and sum(file.nbytes for file in self._files.values()) > MAX_LOADED_BYTES
        ):
            self._drop(next(iter(self._files)))

    def draw(self, request: RenderRequest) -> RenderResult | None:
        """Render a request for a loaded file; failures become the problem of the result.

        None if the file must be read again, see `_lost`.
        """
        file = self._files[request.source]
        self._files.move_to_end(request.source)
        if file.problem or file.image is not None:
            return RenderResult(request, file.image, file.info, problem=file.problem)
        start = time.perf_counter()
        try:
            rendered = self._renderer_process.draw(request)
        except RendererProcessError as error:
            lost = self._lost(request.source, file.info, error)
            return None if lost is None else RenderResult(request, None, file.info, problem=lost.problem)
        self._kills = 0
        if request.pointer is not None:
            return RenderResult(request, None, file.info, picked=rendered.picked)
        image = None if rendered.problem else bgra_to_qimage(rendered.bgra, request.width, request.height)
        return RenderResult(request, image, file.info, time.perf_counter() - start, rendered.problem)

    def clear(self) -> None:
        """Drop all loaded files."""
        self._renderer_process.unload(*self._files)
        self._files.clear()

    def release(self) -> None:
        """Drop all files and end the renderer process; the next request restarts it."""
        self._files.clear()
        self._renderer_process.stop()

    close = release

    def _drop(self, source: ModelSource) -> None:
        if self._files.pop(source, None) is not None:
            self._renderer_process.unload(source)

    def _prepare(self, source: ModelSource, loaded: LoadedModel) -> _LoadedFile | None:
        if loaded.pixels is not None:
            return _LoadedFile(loaded.info, image=rgba_to_qimage(loaded.pixels))
        if not loaded.packed:
            return _LoadedFile(loaded.info, problem=loaded.problem)
        try:
            stored = self._renderer_process.load(source, loaded.packed)
        except RendererProcessError as error:
            return self._lost(source, loaded.info, error)
        return _LoadedFile(loaded.info, stored.nbytes, problem=stored.problem)

    def _lost(self, source: ModelSource, info: ModelInfo, error: RendererProcessError) -> _LoadedFile | None:
        """Record that the renderer process ended with all its meshes; the file that it crashed on has a problem.

        None if the file must be read again: the process was killed from outside, at most `MAX_KILLS` times in a row, or
        crashed with OpenGL, and the software renderer is used from now on.
        """
        self._files.clear()
        if self._renderer_process.was_killed and self._kills < MAX_KILLS:
            self._kills += 1
            return None
        if self._renderer_process.fall_back():
            return None
        self._files[source] = _LoadedFile(info, problem=str(error))
        return self._files[source]


def read_job(request: RenderRequest) -> ModelReadJob:
    """The read job for the file of a request."""
    size = min(request.width, request.height) if is_image(request.source.path) else 0
    return ModelReadJob(request.source, size)


_log = logging.getLogger(__name__)

#: Interval in seconds at which the idle loop checks for its end; requests wake it at once.
POLL_S = 0.5

#: Seconds without a request after which the renderer process ends; it uses 100 MB and takes 1 s to start.
IDLE_TIMEOUT_S = 600.0

#: Values of `RenderService.set_preference`.
PREFERENCES: tuple[RendererChoice, ...] = ("auto", "gl", "software")


class RenderService(QObject):
    """Renders requests in worker processes, which are started by the first request.

    Parameters
    ----------
    read : importable function that reads meshes; may crash or not end.
    timeout_s : seconds that it may take.

    Attributes
    ----------
    description : name of the graphics driver; "" before the first image.

    Signals
    -------
    rendered(result)
        A `RenderResult`.
    renderer_changed()
        Another renderer is used from now on, or files have changed; views should repeat their requests.
    """

    rendered = Signal(object)
    renderer_changed = Signal()

    def __init__(
        self,
        parent: QObject | None = None,
        *,
        read: ReadMesh = read_valued_mesh,
        timeout_s: float = DEFAULT_READ_TIMEOUT_S,
    ) -> None:
        super().__init__(parent)
        self._thread = LoopThread("mesh view", self)
        self._thread.received.connect(self._receive)
        self._thread.failed.connect(self._fail)
        self._readers = ModelReaderPool(read, read_image_or_svg, timeout_s)
        self._requests = RenderQueue(self._readers.wake)
        self._preference: RendererChoice = "auto"
        self._is_running = False
        self.description = ""

    def request(self, requests: Iterable[RenderRequest]) -> None:
        """Render these; each replaces the pending request of its pane."""
        self._requests.put(requests)
        if not self._is_running:
            self._start()

    def withdraw(self, panes: Iterable[str]) -> None:
        """Drop the requests of these panes."""
        self._requests.drop(panes)

    def clear(self) -> None:
        """Drop all requests and loaded files; called when another benchmark is opened."""
        self._requests.clear()

    def reload(self) -> None:
        """Drop all loaded files, which have changed on disk, and emit `renderer_changed`."""
        self.clear()
        self.renderer_changed.emit()

    def set_preference(self, preference: RendererChoice) -> None:
        """Render with ``"gl"``, ``"software"``, or the one that works (``"auto"``) from the next image on.

        Raises
        ------
        ValueError
            For any other preference.
        """
        if preference not in PREFERENCES:
            raise ValueError(f"a renderer is one of {', '.join(PREFERENCES)}, not {preference!r}")
        if preference == self._preference:
            return
        self._preference = preference
        if self._is_running:
            self._start()
            self._requests.wake()
            self.renderer_changed.emit()

    def close(self) -> None:
        """End the thread and the processes."""
        self._thread.stop()
        self._requests.wake()
        self._thread.close()
        self._readers.close()

    def _start(self) -> None:
        self._is_running = True
        work = partial(run_render_loop, self._requests, self._readers, partial(RenderSession, self._preference))
        self._thread.start(work)

    @Slot(object)
    def _receive(self, part: object) -> None:
        if isinstance(part, RenderResult):
            self.rendered.emit(part)
        else:
            self.description = str(part)

    @Slot(object)
    def _fail(self, error: Exception) -> None:
        _log.error("3D views cannot be rendered", exc_info=error)
        self.description = f"rendering is not possible: {error}"
        self._is_running = False
        for request in self._requests.clear():
            self.rendered.emit(RenderResult(request, None, ModelInfo(), problem=self.description))


class RenderQueue:
    """Pending requests, one per pane, in the order in which the panes were added; thread-safe.

    A request is parked while its file is being read.

    Parameters
    ----------
    wake : called after every change that adds requests.

    Attributes
    ----------
    generation : number of calls of `clear`; files read before the last one are out of date.
    """

    def __init__(self, wake: Callable[[], None]) -> None:
        self._lock = Lock()
        self._pending: dict[str, RenderRequest] = {}
        self._parked: dict[str, RenderRequest] = {}
        self.generation = 0
        self.wake = wake

    @property
    def is_empty(self) -> bool:
        """Whether there are no requests."""
        return not self._pending and not self._parked

    def put(self, requests: Iterable[RenderRequest]) -> None:
        """Add requests; a pane with a pending one keeps its position, so that all panes are rendered in turn."""
        with self._lock:
            for request in requests:
                self._parked.pop(request.pane, None)
                self._pending[request.pane] = request
        self.wake()

    def put_back(self, request: RenderRequest) -> None:
        """Put back a request that was taken, unless its pane has a newer one."""
        with self._lock:
            self._pending.setdefault(request.pane, request)

    def park(self, request: RenderRequest, generation: int) -> None:
        """Park a request taken in this `generation` until its file is read, unless its pane has a newer one."""
        with self._lock:
            if request.pane not in self._pending and generation == self.generation:
                self._parked[request.pane] = request

    def parked(self) -> list[RenderRequest]:
        """Parked requests, the latest first, as it is for the model selected last."""
        with self._lock:
            return list(reversed(self._parked.values()))

    def unpark(self, source: ModelSource) -> None:
        """Make the parked requests of a file pending again; called when it was read."""
        with self._lock:
            for pane in [pane for pane, request in self._parked.items() if request.source == source]:
                self._pending.setdefault(pane, self._parked.pop(pane))

    def drop(self, panes: Iterable[str]) -> None:
        """Drop the requests of some panes."""
        with self._lock:
            for pane in panes:
                self._pending.pop(pane, None)
                self._parked.pop(pane, None)

    def clear(self) -> list[RenderRequest]:
        """Drop all requests and return them."""
        with self._lock:
            dropped = [*self._pending.values(), *self._parked.values()]
            self._pending.clear()
            self._parked.clear()
            self.generation += 1
        return dropped

    def take(self) -> RenderRequest | None:
        """Remove and return the next request, or None."""
        with self._lock:
            return self._pending.pop(next(iter(self._pending))) if self._pending else None


def run_render_loop(
    requests: RenderQueue,
    readers: ModelReaderPool,
    open_render_session: Callable[[Callable[[], bool]], RenderSession],
    task: Task,
) -> None:
    """Render requests until cancelled; sends the name of the driver (str) and `RenderResult` objects.

    Requests for loaded files are rendered while other files are read.

    Raises
    ------
    RendererProcessError
        Rendering is not possible on this machine.
    """
    render_session = open_render_session(task.cancelled)
    try:
        with suppress(Cancelled):
            _render_loop(requests, readers, render_session, task)
    finally:
        render_session.close()


def _render_loop(requests: RenderQueue, readers: ModelReaderPool, render_session: RenderSession, task: Task) -> None:
    readers.prestart()  # in parallel with the renderer process, which takes as long
    render_session.prestart()
    render_session.start()
    generation, description, active = requests.generation, "", time.monotonic()
    request: RenderRequest | None = None
    while not task.cancelled():
        if render_session.description not in ("", description):
            description = render_session.description
            task.send(description)
        for job, loaded in readers.poll(POLL_S if request is None else 0.0):
            render_session.add_file(job, loaded)
            requests.unpark(job.source)
        request = requests.take()
        if requests.generation != generation:
            generation = requests.generation
            render_session.clear()
            readers.invalidate()
        if request is not None and task.cancelled():
            requests.put_back(request)
        elif request is not None and render_session.needs_file(request):
            requests.park(request, generation)
        elif request is not None:
            result = render_session.draw(request)
            if result is None:
                requests.put_back(request)
            else:
                task.send(result)
            active = time.monotonic()
        elif requests.is_empty and time.monotonic() - active > IDLE_TIMEOUT_S:
            render_session.release()
        readers.request(read_job(parked) for parked in requests.parked())
