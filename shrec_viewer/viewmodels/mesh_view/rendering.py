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
    """One picture wished for.

    Attributes
    ----------
    pane : who wants it; a new wish of the same pane replaces one that is not begun.
    path : a mesh, or a picture that is shown as it is.
    camera : where from.
    width, height : device pixels, > 0.
    style : how.
    """

    pane: str
    path: Path
    camera: Camera
    width: int
    height: int
    style: RenderStyle = FINE_STYLE


@dataclass(frozen=True, eq=False)
class RenderResult:
    """The answer to a shot.

    Attributes
    ----------
    shot : what was wished for.
    image : premultiplied ARGB on a transparent ground; None with a `problem`.
    facts : of the file.
    seconds : that drawing took, reading left out.
    problem : why there is no picture, a few words; "" otherwise.
    """

    shot: RenderRequest
    image: QImage | None
    facts: ModelInfo
    seconds: float = 0.0
    problem: str = ""


MAX_LOADED_BYTES = 200_000_000
"""Of all meshes kept ready, with their textures."""

MIN_LOADED_FILES = 5
"""Meshes kept however large they are: query, pinned model, both answers, and the card under the mouse."""


@dataclass(frozen=True, eq=False)
class _LoadedFile:
    """A file as far as it could be read: a mesh that the painter keeps, a picture, or why it is neither."""

    facts: ModelInfo
    nbytes: float = 0.0
    image: QImage | None = None
    problem: str = ""


class RenderSession:
    """Draws shots one after the other, of files that others have read; belongs to the thread that made it.

    Parameters
    ----------
    prefer : ``"auto"``, ``"gl"`` or ``"software"``.
    cancelled : whether nobody waits any more; drawing and waiting raise `Cancelled` then.
    """

    def __init__(self, prefer: RendererChoice, cancelled: Callable[[], bool]) -> None:
        self._painter = RendererProcess(prefer, cancelled)
        self._files: OrderedDict[Path, _LoadedFile] = OrderedDict()

    @property
    def description(self) -> str:
        """The driver in words; "" while nothing was drawn."""
        return self._painter.description

    def prestart(self) -> None:
        """Let what draws start, as there will be something to draw soon."""
        self._painter.prestart()

    def start(self) -> None:
        """Wait until it has started; `RendererProcessError` where it never does."""
        self._painter.start()

    def lacks(self, shot: RenderRequest) -> bool:
        """Whether the file of a shot is to be read first: never seen, or a picture that is needed larger."""
        file = self._files.get(shot.path)
        if file is None:
            return True
        return file.image is not None and min(file.image.width(), file.image.height()) < read_job(shot).size

    def keep(self, job: ModelReadJob, reading: LoadedModel) -> None:
        """Take over a file that was read, or the reason why it cannot be."""
        self._drop(job.path)
        self._files[job.path] = self._prepare(job.path, reading)
        while (
            len(self._files) > MIN_LOADED_FILES and sum(file.nbytes for file in self._files.values()) > MAX_LOADED_BYTES
        ):
            self._drop(next(iter(self._files)))

    def draw(self, shot: RenderRequest) -> RenderResult:
        """The picture of a shot whose file is there; whatever goes wrong becomes its problem."""
        file = self._files[shot.path]
        self._files.move_to_end(shot.path)
        if file.problem or file.image is not None:
            return RenderResult(shot, file.image, file.facts, problem=file.problem)
        start = time.perf_counter()
        try:
            order = DrawMesh(shot.path, shot.camera, shot.width, shot.height, shot.style)
            drawn = self._painter.draw(order)
        except RendererProcessError as lost:
            return RenderResult(shot, None, file.facts, problem=self._lost(shot.path, file.facts, lost).problem)
        image = None if drawn.problem else bgra_to_qimage(drawn.bgra, shot.width, shot.height)
        return RenderResult(shot, image, file.facts, time.perf_counter() - start, drawn.problem)

    def forget(self) -> None:
        """Read every file anew from now on."""
        self._painter.unload(*self._files)
        self._files.clear()

    def rest(self) -> None:
        """Hold as little as there can be until something is drawn again."""
        self._files.clear()
        self._painter.stop()

    close = rest

    def _drop(self, path: Path) -> None:
        if self._files.pop(path, None) is not None:
            self._painter.unload(path)

    def _prepare(self, path: Path, reading: LoadedModel) -> _LoadedFile:
        if reading.pixels is not None:
            return _LoadedFile(reading.info, image=rgba_to_qimage(reading.pixels))
        if not reading.packed:
            return _LoadedFile(reading.info, problem=reading.problem)
        try:
            kept = self._painter.load(path, reading.packed)
        except RendererProcessError as lost:
            return self._lost(path, reading.info, lost)
        return _LoadedFile(reading.info, kept.nbytes, problem=kept.problem)

    def _lost(self, path: Path, facts: ModelInfo, lost: RendererProcessError) -> _LoadedFile:
        """All that was kept is gone with the painter; the file that it died of is not drawn again."""
        self._files.clear()
        self._files[path] = _LoadedFile(facts, problem=str(lost))
        return self._files[path]


def read_job(shot: RenderRequest) -> ModelReadJob:
    """What is to be read for a shot."""
    return ModelReadJob(shot.path, min(shot.width, shot.height) if is_image(shot.path) else 0)


_log = logging.getLogger(__name__)

POLL_S = 0.5
"""Seconds after which the idle lane looks whether it should end; wishes wake it at once."""

IDLE_TIMEOUT_S = 600.0
"""Seconds without a picture after which what draws ends; it holds 100 MB, and starting it takes a second."""

PREFERENCES: tuple[RendererChoice, ...] = ("auto", "gl", "software")
"""What `RenderService.set_preference` knows."""


class RenderService(QObject):
    """Has shots drawn by a process, of files read by others; all start with the first shot.

    Parameters
    ----------
    read : the importable function that reads meshes; it may crash, or never end.
    patience : seconds it may take.

    Signals
    -------
    drawn(Drawn)
        A picture, or why there is none.
    renderer_changed()
        Pictures drawn from now on come from another renderer; what is in sight should be asked for again.
    """

    drawn = Signal(object)
    renderer_changed = Signal()

    def __init__(
        self, parent: QObject | None = None, *, read: ReadMesh = read_mesh, timeout_s: float = DEFAULT_READ_TIMEOUT_S
    ) -> None:
        super().__init__(parent)
        self._thread = LoopThread("mesh view", self)
        self._thread.received.connect(self._take)
        self._thread.failed.connect(self._show_broken)
        self._readers = ModelReaderPool(read, read_image_or_svg, timeout_s)
        self._requests = RenderQueue(self._readers.wake)
        self._preference: RendererChoice = "auto"
        self._is_running = False
        self._description = ""

    @property
    def description(self) -> str:
        """The driver in words; "" before the first picture."""
        return self._description

    def request(self, shots: Iterable[RenderRequest]) -> None:
        """Draw these; each replaces an older wish of its pane."""
        self._requests.put(shots)
        if not self._is_running:
            self._start()

    def withdraw(self, panes: Iterable[str]) -> None:
        """These panes want nothing any more."""
        self._requests.drop(panes)

    def forget(self) -> None:
        """Drop all wishes and read every file anew: something else is open."""
        self._requests.clear()

    def set_preference(self, preference: RendererChoice) -> None:
        """Draw with ``"gl"``, with ``"software"``, or with what works (``"auto"``) from the next picture on.

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
    def _show_broken(self, error: Exception) -> None:
        _log.error("3D views cannot be drawn", exc_info=error)
        self._description = f"nothing can be drawn: {error}"
        self._is_running = False
        for shot in self._requests.clear():
            self.drawn.emit(RenderResult(shot, None, ModelInfo(), problem=self._description))


class RenderQueue:
    """Shots not yet begun, one a pane, the longest waiting pane first; used by two threads.

    Parameters
    ----------
    wake : called whenever there is something new.
    """

    def __init__(self, wake: Callable[[], None]) -> None:
        self._lock = Lock()
        self._shots: dict[str, RenderRequest] = {}
        self._parked: dict[str, RenderRequest] = {}
        self._age = 0
        self.wake = wake

    @property
    def age(self) -> int:
        """Raised by `clear`: what was read before is out of date."""
        return self._age

    @property
    def is_empty(self) -> bool:
        """Whether nothing waits."""
        return not self._shots and not self._parked

    def put(self, shots: Iterable[RenderRequest]) -> None:
        """Wish; a pane that waits already keeps its turn, so that none starves while the camera moves."""
        with self._lock:
            for shot in shots:
                self._parked.pop(shot.pane, None)
                self._shots[shot.pane] = shot
        self.wake()

    def give_back(self, shot: RenderRequest) -> None:
        """A wish that was taken and cannot be granted here; a newer one of its pane counts more."""
        with self._lock:
            self._shots.setdefault(shot.pane, shot)

    def park(self, shot: RenderRequest, age: int) -> None:
        """A wish that was taken at this `age`, whose file is to be read first; newer wishes of its pane count more."""
        with self._lock:
            if shot.pane not in self._shots and age == self._age:
                self._parked[shot.pane] = shot

    def parked(self) -> list[RenderRequest]:
        """Wishes that wait for their files, the latest first: what was picked last is looked at."""
        with self._lock:
            return list(reversed(self._parked.values()))

    def unpark(self, path: Path) -> None:
        """A file is there: its wishes can be taken again."""
        with self._lock:
            for pane in [pane for pane, shot in self._parked.items() if shot.path == path]:
                self._shots.setdefault(pane, self._parked.pop(pane))

    def drop(self, panes: Iterable[str]) -> None:
        """Forget the wishes of some panes."""
        with self._lock:
            for pane in panes:
                self._shots.pop(pane, None)
                self._parked.pop(pane, None)

    def clear(self) -> list[RenderRequest]:
        """Forget all; the wishes that were left."""
        with self._lock:
            left = [*self._shots.values(), *self._parked.values()]
            self._shots.clear()
            self._parked.clear()
            self._age += 1
        return left

    def take(self) -> RenderRequest | None:
        """The next wish, or None."""
        with self._lock:
            return self._shots.pop(next(iter(self._shots))) if self._shots else None


def run_render_loop(
    requests: RenderQueue,
    readers: ModelReaderPool,
    open_render_session: Callable[[Callable[[], bool]], RenderSession],
    task: Task,
) -> None:
    """Draw what is wished for until cancelled: the loop of the lane. Sends the renderer's description, then `RenderResult`.

    What is drawn never waits for what is read.

    Raises
    ------
    PainterError
        Nothing can be drawn on this machine.
    """
    render_session = open_render_session(task.cancelled)
    try:
        with suppress(Cancelled):
            _render_loop(requests, readers, render_session, task)
    finally:
        render_session.close()


def _render_loop(requests: RenderQueue, readers: ModelReaderPool, render_session: RenderSession, task: Task) -> None:
    readers.prestart()  # beside the driver, which takes as long
    render_session.prestart()
    render_session.start()
    age, told, active = requests.age, "", time.monotonic()
    shot: RenderRequest | None = None
    while not task.cancelled():
        if render_session.description not in ("", told):
            told = render_session.description
            task.send(told)
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
