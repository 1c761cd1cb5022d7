"""Where views that turn are drawn: a renderer and the meshes it has ready, in the one thread they belong to."""

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage

from shrec_viewer.domain.errors import ShrecError
from shrec_viewer.domain.mesh import Mesh
from shrec_viewer.render.body import Prepared
from shrec_viewer.render.renderer import Prefer, Renderer, open_renderer
from shrec_viewer.render.thumbnail import PICTURE_SUFFIXES
from shrec_viewer.render.workers import probe
from shrec_viewer.viewmodels.orbit_shot import Drawn, Facts, Shot
from shrec_viewer.viewmodels.orbit_up import vote_of

MOST_CORNERS = 6_000_000
"""Corners of faces, with vertices, of all meshes kept ready: some 200 MB."""

LEAST_KEPT = 5
"""Meshes kept however large they are: query, pinned model, both answers, and the card under the mouse."""

ReadMesh = Callable[[Path], Mesh]
ReadImage = Callable[[Path, int], NDArray[np.uint8]]


@dataclass(frozen=True, eq=False)
class _Read:
    """A file as far as it could be read: a mesh made ready, a picture, or why it is neither."""

    facts: Facts
    mesh: Prepared | None = None
    image: QImage | None = None
    problem: str = ""

    @property
    def corners(self) -> int:
        return self.facts.vertices + 3 * self.facts.faces


class Studio:
    """Draws shots one after the other; belongs to the thread that made it.

    Parameters
    ----------
    prefer : ``"auto"``, ``"gl"`` or ``"software"``.
    read_mesh, read_image : readers of `formats`.
    """

    def __init__(self, prefer: str, read_mesh: ReadMesh, read_image: ReadImage) -> None:
        self._renderer = open_preferred(prefer)
        self._read_mesh, self._read_image = read_mesh, read_image
        self._files: OrderedDict[Path, _Read] = OrderedDict()

    @property
    def description(self) -> str:
        """The driver in words."""
        return self._renderer.description

    def draw(self, shot: Shot) -> Drawn:
        """The picture of one shot; whatever goes wrong becomes its problem."""
        file = self._file(shot)
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

    def _file(self, shot: Shot) -> _Read:
        path = shot.path
        if path in self._files:
            self._files.move_to_end(path)
            file = self._files[path]
            if file.image is None or min(file.image.width(), file.image.height()) >= min(shot.width, shot.height):
                return file
        self._files[path] = self._read(shot)
        self._files.move_to_end(path)
        self._trim()
        return self._files[path]

    def _read(self, shot: Shot) -> _Read:
        try:
            if shot.path.suffix.lower() in PICTURE_SUFFIXES:
                image = as_image(self._read_image(shot.path, min(shot.width, shot.height)))
                return _Read(Facts(is_picture=True), image=image)
            mesh = self._read_mesh(shot.path)
            return _Read(facts_of(mesh), mesh=self._renderer.prepare(mesh))
        except ShrecError as error:
            return _Read(Facts(), problem=getattr(error, "why", str(error)))
        except MemoryError:
            return _Read(Facts(), problem="needs more memory than there is")
        except Exception as error:  # a reader met something nobody thought of; one picture pays, not the thread
            return _Read(Facts(), problem=f"cannot be read ({type(error).__name__}: {error})")

    def _trim(self) -> None:
        while len(self._files) > LEAST_KEPT and sum(file.corners for file in self._files.values()) > MOST_CORNERS:
            _release(self._files.popitem(last=False)[1])


def _release(file: _Read) -> None:
    if file.mesh is not None:
        file.mesh.release()


def open_preferred(prefer: str) -> Renderer:
    """What is preferred; without a preference OpenGL, if a process of its own draws with it and lives.

    Where OpenGL is asked for and no driver answers, the software renderer with the reason in its words.
    """
    try:
        if prefer == "auto":
            return open_renderer(_probed())
        return open_renderer("gl" if prefer == "gl" else "software")
    except RuntimeError as error:
        renderer = open_renderer("software")
        renderer.description = f"{renderer.description}; OpenGL was asked for, but {error}"
        return renderer


@lru_cache(maxsize=1)
def _probed() -> Prefer:
    """Asked once: it takes half a second, and drivers do not change while the program runs."""
    return probe()


def facts_of(mesh: Mesh) -> Facts:
    """Counts and extents of a mesh."""
    extents = np.ptp(mesh.vertices.astype(np.float64), axis=0) if len(mesh.vertices) else np.zeros(3)
    size = (float(extents[0]), float(extents[1]), float(extents[2]))
    return Facts(len(mesh.vertices), len(mesh.faces), size, notes=mesh.notes, stands_on=vote_of(mesh))


def as_image(pixels: NDArray[np.uint8]) -> QImage:
    """(H, W, 4) RGBA with straight alpha as Qt paints it fastest; the image owns its memory."""
    height, width = pixels.shape[:2]
    straight = QImage(np.ascontiguousarray(pixels).data, width, height, 4 * width, QImage.Format.Format_RGBA8888)
    return straight.convertToFormat(QImage.Format.Format_ARGB32_Premultiplied)
