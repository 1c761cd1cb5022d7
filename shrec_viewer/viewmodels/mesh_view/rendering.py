"""Renders meshes for the mesh view in the background: request queue, loaded files, results."""

import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Lock

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QImage

from shrec_viewer.domain import Cancelled
from shrec_viewer.formats.meshes.mesh_reader import read_mesh
from shrec_viewer.render.renderer import RendererChoice
from shrec_viewer.render.scene.camera import Camera
from shrec_viewer.render.scene.style import FINE_STYLE, RenderStyle
from shrec_viewer.render.thumbnails.thumbnail import ReadMesh
from shrec_viewer.render.workers.model_readers import (
    DEFAULT_READ_TIMEOUT_S,
    LoadedModel,
    ModelInfo,
    ModelReaderPool,
    ModelReadJob,
    is_image,
)
from shrec_viewer.render.workers.renderer_process import DrawMesh, RendererProcess, RendererProcessError
from shrec_viewer.viewmodels.tasks.tasks import LoopThread, Task
from shrec_viewer.viewmodels.thumbnails.image_reader import read_image_or_svg
from shrec_viewer.viewmodels.thumbnails.qimage import bgra_to_qimage, rgba_to_qimage


@dataclass(frozen=True)
class RenderRequest:
    """An image to render.

    Attributes
    ----------
    pane : name of the pane that shows it; a new request of a pane replaces its pending one.
    path : a mesh, or an image file that is shown unchanged.
    width, height : device pixels, > 0.
    """

    pane: str
    path: Path
    camera: Camera
    width: int
    height: int
    style: RenderStyle = FINE_STYLE


@dataclass(frozen=True, eq=False)
class RenderResult:
    """The rendered image of a request.

    Attributes
    ----------
    shot : the request.
    image : premultiplied ARGB on a transparent background; None with a `problem`.
    facts : properties of the file.
    seconds : duration of rendering, without reading the file.
    problem : why there is no image; "" otherwise.
    """

    shot: RenderRequest
    image: QImage | None
    facts: ModelInfo
    seconds: float = 0.0
    problem: str = ""


MAX_LOADED_BYTES = 200_000_000
"""Bytes of the meshes and textures kept in the renderer process."""

MIN_LOADED_FILES = 5
"""Meshes kept regardless of their size: query, pinned model, models of both runs, and the card under the mouse."""


@dataclass(frozen=True, eq=False)
class _LoadedFile:
    """A file that was read: a mesh in the renderer process, an image, or a problem."""

    facts: ModelInfo
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
        self._files: OrderedDict[Path, _LoadedFile] = OrderedDict()

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

    def lacks(self, shot: RenderRequest) -> bool:
        """Whether the file of a request must be read first: not loaded, or an image that is needed larger."""
        file = self._files.get(shot.path)
        if file is None:
            return True
        return file.image is not None and min(file.image.width(), file.image.height()) < read_job(shot).size

    def keep(self, job: ModelReadJob, reading: LoadedModel) -> None:
        """Store a file that was read, or its problem."""
        self._drop(job.path)
        self._files[job.path] = self._prepare(job.path, reading)
        while (
            len(self._files) > MIN_LOADED_FILES and sum(file.nbytes for file in self._files.values()) > MAX_LOADED_BYTES
        ):
            self._drop(next(iter(self._files)))

    def draw(self, shot: RenderRequest) -> RenderResult:
        """Render a request whose file is loaded; failures become the problem of the result."""
        file = self._files[shot.path]
        self._files.move_to_end(shot.path)
        if file.problem or file.image is not None:
            return RenderResult(shot, file.image, file.facts, problem=file.problem)
        start = time.perf_counter()
        try:
            order = DrawMesh(shot.path, shot.camera, shot.width, shot.height, shot.style)
            drawn = self._renderer_process.draw(order)
        except RendererProcessError as lost:
            return RenderResult(shot, None, file.facts, problem=self._lost(shot.path, file.facts, lost).problem)
        image = None if drawn.problem else bgra_to_qimage(drawn.bgra, shot.width, shot.height)
        return RenderResult(shot, image, file.facts, time.perf_counter() - start, drawn.problem)

    def forget(self) -> None:
        """Drop all loaded files."""
        self._renderer_process.unload(*self._files)
        self._files.clear()

    def rest(self) -> None:
        """Drop all files and end the renderer process; it is started again by the next request."""
        self._files.clear()
        self._renderer_process.stop()

    close = rest

    def _drop(self, path: Path) -> None:
        if self._files.pop(path, None) is not None:
            self._renderer_process.unload(path)

    def _prepare(self, path: Path, reading: LoadedModel) -> _LoadedFile:
        if reading.pixels is not None:
            return _LoadedFile(reading.info, image=rgba_to_qimage(reading.pixels))
        if not reading.packed:
            return _LoadedFile(reading.info, problem=reading.problem)
        try:
            kept = self._renderer_process.load(path, reading.packed)
        except RendererProcessError as lost:
            return self._lost(path, reading.info, lost)
        return _LoadedFile(reading.info, kept.nbytes, problem=kept.problem)

    def _lost(self, path: Path, facts: ModelInfo, lost: RendererProcessError) -> _LoadedFile:
        """Record that the renderer process ended with all its meshes; the file that it crashed on is not retried."""
        self._files.clear()
        self._files[path] = _LoadedFile(facts, problem=str(lost))
        return self._files[path]


def read_job(shot: RenderRequest) -> ModelReadJob:
    """The read job for the file of a request."""
    return ModelReadJob(shot.path, min(shot.width, shot.height) if is_image(shot.path) else 0)


_log = logging.getLogger(__name__)

POLL_S = 0.5
"""Interval in seconds at which the idle loop checks for its end; requests wake it at once."""

IDLE_TIMEOUT_S = 600.0
"""Seconds without a request after which the renderer process ends; it uses 100 MB and takes 1 s to start."""

PREFERENCES: tuple[RendererChoice, ...] = ("auto", "gl", "software")
"""Values of `RenderService.set_preference`."""


class RenderService(QObject):
    """Renders requests in worker processes, which are started by the first request.

    Parameters
    ----------
    read : importable function that reads meshes; may crash or not end.
    timeout_s : seconds that it may take.

    Signals
    -------
    drawn(result)
        A `RenderResult`.
    renderer_changed()
        Another renderer is used from now on; views should repeat their requests.
    """

    drawn = Signal(object)
    renderer_changed = Signal()

    def __init__(
        self, parent: QObject | None = None, *, read: ReadMesh = read_mesh, timeout_s: float = DEFAULT_READ_TIMEOUT_S
    ) -> None:
        super().__init__(parent)
        self._thread = LoopThread("mesh view", self)
        self._thread.received.connect(self._take)
        self._thread.failed.connect(self._fail)
        self._readers = ModelReaderPool(read, read_image_or_svg, timeout_s)
        self._requests = RenderQueue(self._readers.wake)
        self._preference: RendererChoice = "auto"
        self._is_running = False
        self._description = ""

    @property
    def description(self) -> str:
        """Name of the graphics driver; "" before the first image."""
        return self._description

    def request(self, shots: Iterable[RenderRequest]) -> None:
        """Render these; each replaces the pending request of its pane."""
        self._requests.put(shots)
        if not self._is_running:
            self._start()

    def withdraw(self, panes: Iterable[str]) -> None:
        """Drop the requests of these panes."""
        self._requests.drop(panes)

    def forget(self) -> None:
        """Drop all requests and loaded files; called when another benchmark is opened."""
        self._requests.clear()

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
    def _take(self, part: object) -> None:
        if isinstance(part, RenderResult):
            self.drawn.emit(part)
        else:
            self._description = str(part)

    @Slot(object)
    def _fail(self, error: Exception) -> None:
        _log.error("3D views cannot be rendered", exc_info=error)
        self._description = f"rendering is not possible: {error}"
        self._is_running = False
        for shot in self._requests.clear():
            self.drawn.emit(RenderResult(shot, None, ModelInfo(), problem=self._description))


class RenderQueue:
    """Pending requests, one per pane, in the order in which the panes were added; thread-safe.

    A request whose file is being read is parked.

    Parameters
    ----------
    wake : called after every change that adds requests.
    """

    def __init__(self, wake: Callable[[], None]) -> None:
        self._lock = Lock()
        self._shots: dict[str, RenderRequest] = {}
        self._parked: dict[str, RenderRequest] = {}
        self._age = 0
        self.wake = wake

    @property
    def age(self) -> int:
        """Number of calls of `clear`; files read before the last one are out of date."""
        return self._age

    @property
    def is_empty(self) -> bool:
        """Whether there are no requests."""
        return not self._shots and not self._parked

    def put(self, shots: Iterable[RenderRequest]) -> None:
        """Add requests; a pane with a pending one keeps its position, so that all panes are rendered in turn."""
        with self._lock:
            for shot in shots:
                self._parked.pop(shot.pane, None)
                self._shots[shot.pane] = shot
        self.wake()

    def give_back(self, shot: RenderRequest) -> None:
        """Put back a request that was taken, unless its pane has a newer one."""
        with self._lock:
            self._shots.setdefault(shot.pane, shot)

    def park(self, shot: RenderRequest, age: int) -> None:
        """Park a request that was taken at this `age` until its file is read, unless its pane has a newer one."""
        with self._lock:
            if shot.pane not in self._shots and age == self._age:
                self._parked[shot.pane] = shot

    def parked(self) -> list[RenderRequest]:
        """Parked requests, the latest first, as it is for the model selected last."""
        with self._lock:
            return list(reversed(self._parked.values()))

    def unpark(self, path: Path) -> None:
        """Make the parked requests of a file pending again; called when it was read."""
        with self._lock:
            for pane in [pane for pane, shot in self._parked.items() if shot.path == path]:
                self._shots.setdefault(pane, self._parked.pop(pane))

    def drop(self, panes: Iterable[str]) -> None:
        """Drop the requests of some panes."""
        with self._lock:
            for pane in panes:
                self._shots.pop(pane, None)
                self._parked.pop(pane, None)

    def clear(self) -> list[RenderRequest]:
        """Drop all requests and return them."""
        with self._lock:
            left = [*self._shots.values(), *self._parked.values()]
            self._shots.clear()
            self._parked.clear()
            self._age += 1
        return left

    def take(self) -> RenderRequest | None:
        """Remove and return the next request, or None."""
        with self._lock:
            return self._shots.pop(next(iter(self._shots))) if self._shots else None


def run_render_loop(
    requests: RenderQueue,
    readers: ModelReaderPool,
    open_render_session: Callable[[Callable[[], bool]], RenderSession],
    task: Task,
) -> None:
    """Render requests until cancelled; sends the name of the driver (str) and `RenderResult` objects.

    Requests whose file is loaded are rendered while other files are read.

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
    age, description, active = requests.age, "", time.monotonic()
    shot: RenderRequest | None = None
    while not task.cancelled():
        if render_session.description not in ("", description):
            description = render_session.description
            task.send(description)
        for job, reading in readers.poll(POLL_S if shot is None else 0.0):
            render_session.keep(job, reading)
            requests.unpark(job.path)
        shot = requests.take()
        if requests.age != age:
            age = requests.age
            render_session.forget()
            readers.invalidate()
        if shot is not None and task.cancelled():
            requests.give_back(shot)
        elif shot is not None and render_session.lacks(shot):
            requests.park(shot, age)
        elif shot is not None:
            task.send(render_session.draw(shot))
            active = time.monotonic()
        elif requests.is_empty and time.monotonic() - active > IDLE_TIMEOUT_S:
            render_session.rest()
        readers.request(read_job(parked) for parked in requests.parked())
