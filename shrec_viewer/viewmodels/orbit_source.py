"""Meshes drawn for views that turn: beside the window, the newest camera first, a picture whenever one is ready."""

import logging
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Lock

from PySide6.QtCore import QObject, Signal

from shrec_viewer.domain import Cancelled
from shrec_viewer.formats.meshes import read_mesh
from shrec_viewer.render.model_readers import PATIENCE, ModelReaders
from shrec_viewer.render.reading import Facts
from shrec_viewer.render.renderer import Prefer
from shrec_viewer.render.thumbnail import ReadMesh
from shrec_viewer.viewmodels.orbit_shot import Drawn, Shot
from shrec_viewer.viewmodels.orbit_studio import Studio, job_of
from shrec_viewer.viewmodels.tasks import Task, TaskRunner
from shrec_viewer.viewmodels.vector_pictures import read_picture

_log = logging.getLogger(__name__)

LANE = "orbit"
"""Lane of the runner that has shots drawn, by a process of its own."""

WAIT = 0.5
"""Seconds after which the idle lane looks whether it should end; wishes wake it at once."""

IDLE = 600.0
"""Seconds without a picture after which what draws ends; it holds 100 MB, and starting it takes a second."""

PREFERENCES: tuple[Prefer, ...] = ("auto", "gl", "software")
"""What `OrbitSource.set_preference` knows."""


class OrbitSource(QObject):
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
        self, parent: QObject | None = None, *, read: ReadMesh = read_mesh, patience: float = PATIENCE
    ) -> None:
        super().__init__(parent)
        self._runner = TaskRunner(self)
        self._readers = ModelReaders(read, read_picture, patience)
        self._wishes = Wishes(self._readers.wake)
        self._preference: Prefer = "auto"
        self._is_running = False
        self._description = ""

    @property
    def description(self) -> str:
        """The driver in words; "" before the first picture."""
        return self._description

    def request(self, shots: Iterable[Shot]) -> None:
        """Draw these; each replaces an older wish of its pane."""
        self._wishes.put(shots)
        if not self._is_running:
            self._start()

    def withdraw(self, panes: Iterable[str]) -> None:
        """These panes want nothing any more."""
        self._wishes.drop(panes)

    def forget(self) -> None:
        """Drop all wishes and read every file anew: something else is open."""
        self._wishes.clear()

    def set_preference(self, preference: Prefer) -> None:
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
            self._wishes.wake()
            self.renderer_changed.emit()

    def close(self) -> None:
        """End the thread and the processes."""
        self._runner.stop(LANE)
        self._wishes.wake()
        self._runner.close()
        self._readers.close()

    def _start(self) -> None:
        self._is_running = True
        work = partial(serve, self._wishes, self._readers, partial(Studio, self._preference))
        self._runner.run(LANE, work, self._show_end, self._show_broken, part=self._take)

    def _take(self, part: object) -> None:
        if isinstance(part, Drawn):
            self.drawn.emit(part)
        else:
            self._description = str(part)

    def _show_end(self, _answer: object) -> None:
        """The lane has ended by itself, which it does only when cancelled."""

    def _show_broken(self, error: Exception) -> None:
        _log.error("3D views cannot be drawn", exc_info=error)
        self._description = f"nothing can be drawn: {error}"
        self._is_running = False
        for shot in self._wishes.clear():
            self.drawn.emit(Drawn(shot, None, Facts(), problem=self._description))


class Wishes:
    """Shots not yet begun, one a pane, the longest waiting pane first; used by two threads.

    Parameters
    ----------
    wake : called whenever there is something new.
    """

    def __init__(self, wake: Callable[[], None]) -> None:
        self._lock = Lock()
        self._shots: dict[str, Shot] = {}
        self._parked: dict[str, Shot] = {}
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

    def put(self, shots: Iterable[Shot]) -> None:
        """Wish; a pane that waits already keeps its turn, so that none starves while the camera moves."""
        with self._lock:
            for shot in shots:
                self._parked.pop(shot.pane, None)
                self._shots[shot.pane] = shot
        self.wake()

    def give_back(self, shot: Shot) -> None:
        """A wish that was taken and cannot be granted here; a newer one of its pane counts more."""
        with self._lock:
            self._shots.setdefault(shot.pane, shot)

    def park(self, shot: Shot, age: int) -> None:
        """A wish that was taken at this `age`, whose file is to be read first; newer wishes of its pane count more."""
        with self._lock:
            if shot.pane not in self._shots and age == self._age:
                self._parked[shot.pane] = shot

    def parked(self) -> list[Shot]:
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

    def clear(self) -> list[Shot]:
        """Forget all; the wishes that were left."""
        with self._lock:
            left = [*self._shots.values(), *self._parked.values()]
            self._shots.clear()
            self._parked.clear()
            self._age += 1
        return left

    def take(self) -> Shot | None:
        """The next wish, or None."""
        with self._lock:
            return self._shots.pop(next(iter(self._shots))) if self._shots else None


def serve(
    wishes: Wishes, readers: ModelReaders, open_studio: Callable[[Callable[[], bool]], Studio], task: Task
) -> None:
    """Draw what is wished for until cancelled: the loop of the lane. Sends the renderer's description, then `Drawn`.

    What is drawn never waits for what is read.

    Raises
    ------
    PainterError
        Nothing can be drawn on this machine.
    """
    studio = open_studio(task.cancelled)
    try:
        with suppress(Cancelled):
            _serve(wishes, readers, studio, task)
    finally:
        studio.close()


def _serve(wishes: Wishes, readers: ModelReaders, studio: Studio, task: Task) -> None:
    readers.warm()  # beside the driver, which takes as long
    studio.warm()
    studio.start()
    age, told, active = wishes.age, "", time.monotonic()
    shot: Shot | None = None
    while not task.cancelled():
        if studio.description not in ("", told):
            told = studio.description
            task.send(told)
        for job, reading in readers.wait(WAIT if shot is None else 0.0):
            studio.keep(job, reading)
            wishes.unpark(job.path)
        shot = wishes.take()
        if wishes.age != age:
            age = wishes.age
            studio.forget()
            readers.forget()
        if shot is not None and task.cancelled():
            wishes.give_back(shot)
        elif shot is not None and studio.lacks(shot):
            wishes.park(shot, age)
        elif shot is not None:
            task.send(studio.draw(shot))
            active = time.monotonic()
        elif wishes.is_empty and time.monotonic() - active > IDLE:
            studio.rest()
        readers.want(job_of(parked) for parked in wishes.parked())
