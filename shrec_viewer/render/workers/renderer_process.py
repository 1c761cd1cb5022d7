"""The process that renders interactive 3D views, and its client."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain.mesh import Mesh
from shrec_viewer.render.renderer import Renderer, RendererChoice, open_renderer, open_renderer_or_software
from shrec_viewer.render.scene.camera import Camera
from shrec_viewer.render.scene.render_mesh import PreparedMesh
from shrec_viewer.render.scene.style import RenderStyle
from shrec_viewer.render.workers.model_readers import unpack_mesh
from shrec_viewer.render.workers.worker_process import WorkerProcess, WorkerProcessError, set_up_worker

_BYTES_PER_CORNER = 33
"""Bytes of a corner of a face, or of a vertex, in all the forms in which renderers keep it."""

_BYTES_PER_TEXEL = 7 / 3
"""Times the bytes of a texture: as it was read, and once more with its halves as it is drawn."""


@dataclass(frozen=True)
class LoadMesh:
    """Make a mesh ready; the packed mesh follows. The answer is `MeshLoaded`.

    Attributes
    ----------
    path : the name it goes by; a former one of that name is dropped.
    """

    path: Path


@dataclass(frozen=True)
class MeshLoaded:
    """That a mesh is ready.

    Attributes
    ----------
    nbytes : about what it takes to keep.
    problem : why it is not ready, a few words; "" otherwise.
    """

    nbytes: float = 0.0
    problem: str = ""


@dataclass(frozen=True)
class DrawMesh:
    """Draw a mesh that is ready. The answer is why that went wrong, or "" and then the pixels.

    Attributes
    ----------
    path : what it goes by.
    camera, width, height, style : see `Renderer.draw`.
    """

    path: Path
    camera: Camera
    width: int
    height: int
    style: RenderStyle


@dataclass(frozen=True)
class UnloadMeshes:
    """Keep these no longer. There is no answer."""

    paths: tuple[Path, ...]


def serve_renderer(connection: Any, prefer: RendererChoice) -> None:
    """Life of the process: say which renderer it has, answer until the other end of the pipe is gone."""
    set_up_worker()
    renderer = _open_tested_renderer(prefer)
    ready: dict[Path, PreparedMesh] = {}
    with suppress(EOFError, OSError):
        connection.send(renderer.description)
        while True:
            match connection.recv():
                case LoadMesh(path):
                    data = connection.recv_bytes()
                    _unload(ready, path)
                    connection.send(_load(renderer, ready, path, data))
                case DrawMesh() as order:
                    picture = _draw(renderer, ready, order)
                    connection.send(picture if isinstance(picture, str) else "")
                    if isinstance(picture, bytes):
                        connection.send_bytes(picture)
                case UnloadMeshes(paths):
                    for path in paths:
                        _unload(ready, path)


def to_premultiplied_bgra(pixels: NDArray[np.uint8]) -> bytes:
    """(H, W, 4) RGBA with straight alpha as screens have it: blue, green, red, alpha, the colours times alpha."""
    from PIL import Image

    return Image.fromarray(pixels).convert("RGBa").tobytes("raw", "BGRa")


def _load(renderer: Renderer, ready: dict[Path, PreparedMesh], path: Path, data: bytes) -> MeshLoaded:
    try:
        mesh = unpack_mesh(data)
        ready[path] = renderer.prepare(mesh)
    except MemoryError:
        return MeshLoaded(problem="needs more memory than there is")
    except Exception as error:  # a driver met something nobody thought of; one model pays, not the process
        return MeshLoaded(problem=f"cannot be drawn ({type(error).__name__}: {error})")
    texture = 0.0 if mesh.texture is None else _BYTES_PER_TEXEL * mesh.texture.nbytes
    return MeshLoaded(_BYTES_PER_CORNER * (len(mesh.vertices) + 3 * len(mesh.faces)) + texture)


def _draw(renderer: Renderer, ready: dict[Path, PreparedMesh], order: DrawMesh) -> bytes | str:
    try:
        return to_premultiplied_bgra(
            renderer.draw(ready[order.path], order.camera, order.width, order.height, order.style)
        )
    except Exception as error:  # see `_load`
        return f"cannot be drawn ({type(error).__name__}: {error})"


def _unload(ready: dict[Path, PreparedMesh], path: Path) -> None:
    if (former := ready.pop(path, None)) is not None:
        former.release()


def _open_tested_renderer(prefer: RendererChoice) -> Renderer:
    """What is preferred; without a preference OpenGL, unless its driver answers but draws nothing."""
    renderer = open_renderer_or_software(prefer)
    if prefer == "auto" and renderer.name == "gl":
        triangle = Mesh(np.eye(3, dtype=np.float32), np.array([[0, 1, 2]], np.int32))
        if not renderer.draw(triangle, Camera(), 32, 32)[..., 3].any():
            what = renderer.description
            renderer.close()
            renderer = open_renderer("software")
            renderer.description = f"{renderer.description}, as {what} draws nothing"
    return renderer


_DRAW_TIMEOUT = 30.0
"""Seconds one picture may take, as for thumbnails."""

_START_TIMEOUT = 60.0
"""Seconds the process may take to start, on a machine with a cold disk and a virus scanner."""

_NICE_STEPS = 2
"""Steps of `nice` by which it gives way: the window comes first, but somebody turns a model and waits."""

_MAX_CRASHES = 2
"""Deaths in a row, without a picture in between, after which the driver is held guilty: numpy has no driver."""


class RendererProcessError(Exception):
    """The process died or hangs, and with it all that it kept; the text says why, a few words."""


class RendererProcess:
    """Keeps meshes ready and draws them; belongs to one thread. The process starts with the first that is asked of it.

    In a thread, OpenGL's library would hold the interpreter while a picture is drawn: without a GPU for 10 to 30 ms, in
    which the window does nothing. And a driver that crashes costs a picture here, and not the program.

    Parameters
    ----------
    prefer : ``"auto"``, ``"gl"`` or ``"software"``.
    cancelled : whether nobody waits any more; asked while this object waits, which then raises `Cancelled`.
    patience : seconds that one picture may take.
    """

    def __init__(self, prefer: RendererChoice, cancelled: Callable[[], bool], timeout_s: float = _DRAW_TIMEOUT) -> None:
        self._prefer: RendererChoice = prefer
        self._cancelled = cancelled
        self._timeout_s = timeout_s
        self._servant = WorkerProcess(serve_renderer, "draw", "drawing", lower_priority=_NICE_STEPS)
        self._deaths, self._why = 0, ""  # in a row, and of the last one
        self.description = ""
        """The driver in words; "" before the process has started."""

    @property
    def is_running(self) -> bool:
        """Whether there is a process, which holds 100 MB."""
        return self._servant.is_running

    def prestart(self) -> None:
        """Let the process start, as there will be something to draw soon; waits for nothing."""
        if not self._servant.is_running:
            self.description = ""
            self._servant.start("software" if self._deaths >= _MAX_CRASHES else self._prefer)

    def start(self) -> None:
        """Wait until the process can draw.

        Raises
        ------
        Cancelled
        PainterError
            It does not start on this machine, whatever draws.
        """
        while not self.description:
            self.prestart()
            try:
                self.description = str(self._servant.answer(_START_TIMEOUT, self._cancelled))
            except WorkerProcessError as error:
                lost = self._lost(error)
                if self._deaths > _MAX_CRASHES:
                    raise lost from error
            else:
                if self._deaths >= _MAX_CRASHES and self._prefer != "software":
                    self.description += f", as OpenGL {self._why}"

    def keep(self, path: Path, packed: bytes) -> MeshLoaded:
        """Make a packed mesh ready, that goes by a path from now on.

        Raises
        ------
        Cancelled, PainterError
        """
        self.start()
        try:
            self._servant.tell(LoadMesh(path), packed)
            kept: MeshLoaded = self._servant.answer(self._timeout_s, self._cancelled)
        except WorkerProcessError as error:
            raise self._lost(error) from error
        return kept

    def draw(self, order: DrawMesh) -> tuple[bytes, str]:
        """The picture of a mesh that is kept, as `painting.premultiplied` gives it, or b"" and why there is none.

        Raises
        ------
        Cancelled, PainterError
        """
        try:
            self._servant.tell(order)
            problem = str(self._servant.answer(self._timeout_s, self._cancelled))
            picture = b"" if problem else self._servant.data()
        except WorkerProcessError as error:
            raise self._lost(error) from error
        if picture:
            self._deaths = 0
        return picture, problem

    def drop(self, *paths: Path) -> None:
        """Keep these no longer."""
        if not paths or not self._servant.is_running:
            return
        try:
            self._servant.tell(UnloadMeshes(paths))
        except WorkerProcessError as error:
            self._lost(error)

    def stop(self) -> None:
        """End the process at once, and with it all it kept; it starts again with the next that is asked of it."""
        self._servant.stop()
        self.description = ""

    def _lost(self, error: WorkerProcessError) -> RendererProcessError:
        self._deaths += 1
        self._why, self.description = str(error), ""
        return RendererProcessError(self._why)
