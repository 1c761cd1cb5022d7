"""Where views that turn are drawn: a renderer and the meshes it has ready, in the one thread they belong to."""

import time
from collections import OrderedDict
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage

from shrec_viewer.domain.mesh import Mesh
from shrec_viewer.render.body import Prepared
from shrec_viewer.render.reading import Reading, ReadJob, is_picture
from shrec_viewer.render.renderer import Prefer, Renderer, open_preferred
from shrec_viewer.render.workers import probe
from shrec_viewer.viewmodels.orbit_shot import Drawn, Facts, Shot

MOST_BYTES = 200_000_000
"""Of all meshes kept ready, with their textures."""

_CORNER = 33
"""Bytes of a corner of a face, or of a vertex, in all the forms in which renderers keep it."""

_TEXEL = 7 / 3
"""Times the bytes of a texture: as it was read, and once more with its halves as it is drawn."""

LEAST_KEPT = 5
"""Meshes kept however large they are: query, pinned model, both answers, and the card under the mouse."""


@dataclass(frozen=True, eq=False)
class _Read:
    """A file as far as it could be read: a mesh made ready, a picture, or why it is neither."""

    facts: Facts
    mesh: Prepared | None = None
    image: QImage | None = None
    problem: str = ""

    @property
    def nbytes(self) -> float:
        """About what it takes to keep."""
        texture = None if self.mesh is None else self.mesh.mesh.texture
        corners = self.facts.vertices + 3 * self.facts.faces
        return _CORNER * corners + (0 if texture is None else _TEXEL * texture.nbytes)


class Studio:
    """Draws shots one after the other, of files that others have read; belongs to the thread that made it.

    Parameters
    ----------
    prefer : ``"auto"``, ``"gl"`` or ``"software"``.
    """

    def __init__(self, prefer: Prefer) -> None:
        self._renderer = open_safely(prefer)
        self._files: OrderedDict[Path, _Read] = OrderedDict()

    @property
    def description(self) -> str:
        """The driver in words."""
        return self._renderer.description

    def lacks(self, shot: Shot) -> bool:
        """Whether the file of a shot is to be read first: never seen, or a picture that is needed larger."""
        file = self._files.get(shot.path)
        if file is None:
            return True
        return file.image is not None and min(file.image.width(), file.image.height()) < job_of(shot).size

    def keep(self, job: ReadJob, reading: Reading) -> None:
        """Take over a file that was read, or the reason why it cannot be."""
        if (former := self._files.pop(job.path, None)) is not None:
            _release(former)
        self._files[job.path] = self._made_ready(reading)
        while len(self._files) > LEAST_KEPT and sum(file.nbytes for file in self._files.values()) > MOST_BYTES:
            _release(self._files.popitem(last=False)[1])

    def draw(self, shot: Shot) -> Drawn:
        """The picture of a shot whose file is there; whatever goes wrong becomes its problem."""
        file = self._files[shot.path]
        self._files.move_to_end(shot.path)
        if file.problem or file.image is not None:
            return Drawn(shot, file.image, file.facts, problem=file.problem)
        assert file.mesh is not None
        start = time.perf_counter()
        try:
            pixels = self._renderer.draw(file.mesh, shot.camera, shot.width, shot.height, shot.style)
        except Exception as error:  # a driver met something nobody thought of; one picture pays, not the thread
            return Drawn(shot, None, file.facts, problem=f"cannot be drawn ({type(error).__name__}: {error})")
        image = as_image(pixels)
        return Drawn(shot, image, file.facts, time.perf_counter() - start)

    def forget(self) -> None:
        """Read every file anew from now on."""
        for file in self._files.values():
            _release(file)
        self._files.clear()

    def close(self) -> None:
        """Free what the driver holds."""
        self.forget()
        self._renderer.close()

    def _made_ready(self, reading: Reading) -> _Read:
        if reading.pixels is not None:
            return _Read(Facts(is_picture=True), image=as_image(reading.pixels))
        if reading.mesh is None:
            return _Read(Facts(), problem=reading.problem)
        try:
            return _Read(facts_of(reading.mesh, reading.stands_on), mesh=self._renderer.prepare(reading.mesh))
        except MemoryError:
            return _Read(Facts(), problem="needs more memory than there is")
        except Exception as error:  # see `draw`
            return _Read(Facts(), problem=f"cannot be drawn ({type(error).__name__}: {error})")


def job_of(shot: Shot) -> ReadJob:
    """What is to be read for a shot."""
    return ReadJob(shot.path, min(shot.width, shot.height) if is_picture(shot.path) else 0)


def _release(file: _Read) -> None:
    if file.mesh is not None:
        file.mesh.release()


def open_safely(prefer: Prefer) -> Renderer:
    """What is preferred; without a preference OpenGL, if a process of its own draws with it and lives."""
    return open_preferred(_probed() if prefer == "auto" else prefer)


@lru_cache(maxsize=1)
def _probed() -> Prefer:
    """Asked once: it takes half a second, and drivers do not change while the program runs."""
    return probe()


def facts_of(mesh: Mesh, stands_on: str = "") -> Facts:
    """Counts and extents of a mesh that seems to stand along an axis."""
    extents = np.ptp(mesh.vertices.astype(np.float64), axis=0) if len(mesh.vertices) else np.zeros(3)
    size = (float(extents[0]), float(extents[1]), float(extents[2]))
    return Facts(len(mesh.vertices), len(mesh.faces), size, notes=mesh.notes, stands_on=stands_on)


def as_image(pixels: NDArray[np.uint8]) -> QImage:
    """(H, W, 4) RGBA with straight alpha as Qt paints it fastest; the image owns its memory."""
    height, width = pixels.shape[:2]
    straight = QImage(np.ascontiguousarray(pixels).data, width, height, 4 * width, QImage.Format.Format_RGBA8888)
    return straight.convertToFormat(QImage.Format.Format_ARGB32_Premultiplied)
