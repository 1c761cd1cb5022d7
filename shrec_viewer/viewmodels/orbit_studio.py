"""Where views that turn are drawn: the files they show as far as they are read, and who draws them."""

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage

from shrec_viewer.render.painter import Painter, PainterError
from shrec_viewer.render.painting import Draw
from shrec_viewer.render.reading import Facts, Reading, ReadJob, is_picture
from shrec_viewer.render.renderer import Prefer
from shrec_viewer.viewmodels.fitted import screen_image
from shrec_viewer.viewmodels.orbit_shot import Drawn, Shot

MOST_BYTES = 200_000_000
"""Of all meshes kept ready, with their textures."""

LEAST_KEPT = 5
"""Meshes kept however large they are: query, pinned model, both answers, and the card under the mouse."""


@dataclass(frozen=True, eq=False)
class _Read:
    """A file as far as it could be read: a mesh that the painter keeps, a picture, or why it is neither."""

    facts: Facts
    nbytes: float = 0.0
    image: QImage | None = None
    problem: str = ""


class Studio:
    """Draws shots one after the other, of files that others have read; belongs to the thread that made it.

    Parameters
    ----------
    prefer : ``"auto"``, ``"gl"`` or ``"software"``.
    cancelled : whether nobody waits any more; drawing and waiting raise `Cancelled` then.
    """

    def __init__(self, prefer: Prefer, cancelled: Callable[[], bool]) -> None:
        self._painter = Painter(prefer, cancelled)
        self._files: OrderedDict[Path, _Read] = OrderedDict()

    @property
    def description(self) -> str:
        """The driver in words; "" while nothing was drawn."""
        return self._painter.description

    def warm(self) -> None:
        """Let what draws start, as there will be something to draw soon."""
        self._painter.warm()

    def start(self) -> None:
        """Wait until it has started; `PainterError` where it never does."""
        self._painter.start()

    def lacks(self, shot: Shot) -> bool:
        """Whether the file of a shot is to be read first: never seen, or a picture that is needed larger."""
        file = self._files.get(shot.path)
        if file is None:
            return True
        return file.image is not None and min(file.image.width(), file.image.height()) < job_of(shot).size

    def keep(self, job: ReadJob, reading: Reading) -> None:
        """Take over a file that was read, or the reason why it cannot be."""
        self._drop(job.path)
        self._files[job.path] = self._made_ready(job.path, reading)
        while len(self._files) > LEAST_KEPT and sum(file.nbytes for file in self._files.values()) > MOST_BYTES:
            self._drop(next(iter(self._files)))

    def draw(self, shot: Shot) -> Drawn:
        """The picture of a shot whose file is there; whatever goes wrong becomes its problem."""
        file = self._files[shot.path]
        self._files.move_to_end(shot.path)
        if file.problem or file.image is not None:
            return Drawn(shot, file.image, file.facts, problem=file.problem)
        start = time.perf_counter()
        try:
            order = Draw(shot.path, shot.camera, shot.width, shot.height, shot.style)
            pixels, problem = self._painter.draw(order)
        except PainterError as lost:
            return Drawn(shot, None, file.facts, problem=self._lost(shot.path, file.facts, lost).problem)
        image = None if problem else screen_image(pixels, shot.width, shot.height)
        return Drawn(shot, image, file.facts, time.perf_counter() - start, problem)

    def forget(self) -> None:
        """Read every file anew from now on."""
        self._painter.drop(*self._files)
        self._files.clear()

    def rest(self) -> None:
        """Hold as little as there can be until something is drawn again."""
        self._files.clear()
        self._painter.stop()

    close = rest

    def _drop(self, path: Path) -> None:
        if self._files.pop(path, None) is not None:
            self._painter.drop(path)

    def _made_ready(self, path: Path, reading: Reading) -> _Read:
        if reading.pixels is not None:
            return _Read(reading.facts, image=as_image(reading.pixels))
        if not reading.packed:
            return _Read(reading.facts, problem=reading.problem)
        try:
            kept = self._painter.keep(path, reading.packed)
        except PainterError as lost:
            return self._lost(path, reading.facts, lost)
        return _Read(reading.facts, kept.nbytes, problem=kept.problem)

    def _lost(self, path: Path, facts: Facts, lost: PainterError) -> _Read:
        """All that was kept is gone with the painter; the file that it died of is not drawn again."""
        self._files.clear()
        self._files[path] = _Read(facts, problem=str(lost))
        return self._files[path]


def job_of(shot: Shot) -> ReadJob:
    """What is to be read for a shot."""
    return ReadJob(shot.path, min(shot.width, shot.height) if is_picture(shot.path) else 0)


def as_image(pixels: NDArray[np.uint8]) -> QImage:
    """(H, W, 4) RGBA with straight alpha as Qt paints it fastest; the image owns its memory."""
    height, width = pixels.shape[:2]
    straight = QImage(np.ascontiguousarray(pixels).data, width, height, 4 * width, QImage.Format.Format_RGBA8888)
    return straight.convertToFormat(QImage.Format.Format_ARGB32_Premultiplied)
