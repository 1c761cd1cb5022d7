"""What the process behind models that turn does all its life: keep meshes ready, and draw them from anywhere."""

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain.mesh import Mesh
from shrec_viewer.render.body import Prepared
from shrec_viewer.render.camera import Camera
from shrec_viewer.render.drawing import begin_serving
from shrec_viewer.render.reading import unpacked
from shrec_viewer.render.renderer import Prefer, Renderer, open_preferred, open_renderer
from shrec_viewer.render.style import Style

_CORNER = 33
"""Bytes of a corner of a face, or of a vertex, in all the forms in which renderers keep it."""

_TEXEL = 7 / 3
"""Times the bytes of a texture: as it was read, and once more with its halves as it is drawn."""


@dataclass(frozen=True)
class Keep:
    """Make a mesh ready; the packed mesh follows. The answer is `Kept`.

    Attributes
    ----------
    path : the name it goes by; a former one of that name is dropped.
    """

    path: Path


@dataclass(frozen=True)
class Kept:
    """That a mesh is ready.

    Attributes
    ----------
    nbytes : about what it takes to keep.
    problem : why it is not ready, a few words; "" otherwise.
    """

    nbytes: float = 0.0
    problem: str = ""


@dataclass(frozen=True)
class Draw:
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
    style: Style


@dataclass(frozen=True)
class Drop:
    """Keep these no longer. There is no answer."""

    paths: tuple[Path, ...]


def serve_painting(connection: Any, prefer: Prefer) -> None:
    """Life of the process: say which renderer it has, answer until the other end of the pipe is gone."""
    begin_serving()
    renderer = _open_tried(prefer)
    ready: dict[Path, Prepared] = {}
    with suppress(EOFError, OSError):
        connection.send(renderer.description)
        while True:
            match connection.recv():
                case Keep(path):
                    data = connection.recv_bytes()
                    _drop(ready, path)
                    connection.send(_kept(renderer, ready, path, data))
                case Draw() as order:
                    picture = _drawn(renderer, ready, order)
                    connection.send(picture if isinstance(picture, str) else "")
                    if isinstance(picture, bytes):
                        connection.send_bytes(picture)
                case Drop(paths):
                    for path in paths:
                        _drop(ready, path)


def premultiplied(pixels: NDArray[np.uint8]) -> bytes:
    """(H, W, 4) RGBA with straight alpha as screens have it: blue, green, red, alpha, the colours times alpha."""
    from PIL import Image

    return Image.fromarray(pixels).convert("RGBa").tobytes("raw", "BGRa")


def _kept(renderer: Renderer, ready: dict[Path, Prepared], path: Path, data: bytes) -> Kept:
    try:
        mesh = unpacked(data)
        ready[path] = renderer.prepare(mesh)
    except MemoryError:
        return Kept(problem="needs more memory than there is")
    except Exception as error:  # a driver met something nobody thought of; one model pays, not the process
        return Kept(problem=f"cannot be drawn ({type(error).__name__}: {error})")
    texture = 0.0 if mesh.texture is None else _TEXEL * mesh.texture.nbytes
    return Kept(_CORNER * (len(mesh.vertices) + 3 * len(mesh.faces)) + texture)


def _drawn(renderer: Renderer, ready: dict[Path, Prepared], order: Draw) -> bytes | str:
    try:
        return premultiplied(renderer.draw(ready[order.path], order.camera, order.width, order.height, order.style))
    except Exception as error:  # see `_kept`
        return f"cannot be drawn ({type(error).__name__}: {error})"


def _drop(ready: dict[Path, Prepared], path: Path) -> None:
    if (former := ready.pop(path, None)) is not None:
        former.release()


def _open_tried(prefer: Prefer) -> Renderer:
    """What is preferred; without a preference OpenGL, unless its driver answers but draws nothing."""
    renderer = open_preferred(prefer)
    if prefer == "auto" and renderer.name == "gl":
        triangle = Mesh(np.eye(3, dtype=np.float32), np.array([[0, 1, 2]], np.int32))
        if not renderer.draw(triangle, Camera(), 32, 32)[..., 3].any():
            what = renderer.description
            renderer.close()
            renderer = open_renderer("software")
            renderer.description = f"{renderer.description}, as {what} draws nothing"
    return renderer
