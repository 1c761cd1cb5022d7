"""Meshes drawn for views that turn: beside the window, the newest camera first, a picture whenever one is ready."""

import logging
from collections.abc import Callable, Iterable
from functools import partial
from threading import Event, Lock

from PySide6.QtCore import QObject, Signal

from shrec_viewer.formats.meshes import read_mesh
from shrec_viewer.viewmodels.orbit_shot import Drawn, Facts, Shot
from shrec_viewer.viewmodels.orbit_studio import Studio
from shrec_viewer.viewmodels.tasks import Task, TaskRunner
from shrec_viewer.viewmodels.vector_pictures import read_picture

_log = logging.getLogger(__name__)

LANE = "orbit"
"""Lane of the runner that draws; an OpenGL context works only in the thread that made it."""

WAIT = 0.5
"""Seconds after which the idle lane looks whether it should end; wishes wake it at once."""

PREFERENCES = ("auto", "gl", "software")
"""What `OrbitSource.set_preference` knows."""


class OrbitSource(QObject):
    """Draws shots in a thread of its own; nothing is started before the first one.

    Signals
    -------
    drawn(Drawn)
        A picture, or why there is none.
    renderer_changed()
        Pictures drawn from now on come from another renderer; what is in sight should be asked for again.
    """

    drawn = Signal(object)
    renderer_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runner = TaskRunner(self)
        self._wishes = Wishes()
        self._preference = "auto"
        self._is_running = False
        self._description = ""

    @property
    def description(self) -> str:
        """The driver in words; "" before the first picture."""
        return self._description

    @property
    def is_idle(self) -> bool:
        """Whether every wish is granted, or was never begun."""
        return self._wishes.is_empty

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

    def set_preference(self, preference: str) -> None:
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
        """End the thread."""
        self._runner.stop(LANE)
        self._wishes.wake()
        self._runner.close()

    def _start(self) -> None:
        self._is_running = True
        work = partial(serve, self._wishes, partial(Studio, self._preference, read_mesh, read_picture))
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
    """Shots not yet begun, one a pane, the longest waiting pane first; used by two threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._called = Event()
        self._shots: dict[str, Shot] = {}
        self._age = 0

    @property
    def age(self) -> int:
        """Raised by `clear`: what was read before is out of date."""
        return self._age

    @property
    def is_empty(self) -> bool:
        """Whether nothing waits."""
        return not self._shots

    def put(self, shots: Iterable[Shot]) -> None:
        """Wish; a pane that waits already keeps its turn, so that none starves while the camera moves."""
        with self._lock:
            for shot in shots:
                self._shots[shot.pane] = shot
        self._called.set()

    def give_back(self, shot: Shot) -> None:
        """A wish that was taken and cannot be granted here; a newer one of its pane counts more."""
        with self._lock:
            self._shots.setdefault(shot.pane, shot)

    def drop(self, panes: Iterable[str]) -> None:
        """Forget the wishes of some panes."""
        with self._lock:
            for pane in panes:
                self._shots.pop(pane, None)

    def clear(self) -> list[Shot]:
        """Forget all; the wishes that were left."""
        with self._lock:
            left = list(self._shots.values())
            self._shots.clear()
            self._age += 1
        return left

    def wake(self) -> None:
        """Let `take` return at once."""
        self._called.set()

    def take(self, timeout: float) -> Shot | None:
        """The next wish; None when there is none within `timeout` seconds."""
        if (shot := self._pop()) is None and self._called.wait(timeout):
            shot = self._pop()
        return shot

    def _pop(self) -> Shot | None:
        with self._lock:
            if self._shots:
                return self._shots.pop(next(iter(self._shots)))
            self._called.clear()
        return None


def serve(wishes: Wishes, open_studio: Callable[[], Studio], task: Task) -> None:
    """Draw what is wished for until cancelled: the loop of the lane. Sends the renderer's description, then `Drawn`."""
    studio = open_studio()
    task.send(studio.description)
    age = wishes.age
    try:
        while not task.cancelled():
            shot = wishes.take(WAIT)
            if wishes.age != age:
                age = wishes.age
                studio.forget()
            if shot is not None and task.cancelled():
                wishes.give_back(shot)
            elif shot is not None:
                task.send(studio.draw(shot))
    finally:
        studio.close()
