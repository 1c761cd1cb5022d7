"""One small picture of one file, or the sentence why there is none."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain.errors import ShrecError
from shrec_viewer.domain.mesh import Mesh
from shrec_viewer.render.camera import Camera
from shrec_viewer.render.renderer import Renderer
from shrec_viewer.render.style import Style

PICTURE_SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".webp", ".bmp", ".gif", ".tif", ".tiff"})
"""Files that are pictures already: sketches and photographs as queries."""

_QUALITY = 90
"""WebP quality: 5 KB at 256 pixels, where the eye finds no difference any more."""

_EFFORT = 2
"""Of 0 to 6: a tenth larger files than the default 4, in half its time."""

ReadMesh = Callable[[Path], Mesh]
ReadImage = Callable[[Path, int], NDArray[np.uint8]]


@dataclass(frozen=True)
class ThumbnailRequest:
    """What to draw.

    Attributes
    ----------
    path : a mesh, or a picture that is fitted as it is.
    size : pixels of each side; ask for the card's size times the screen's pixel ratio.
    """

    path: Path
    size: int = 256
    camera: Camera = field(default_factory=Camera)
    style: Style = field(default_factory=Style)


@dataclass(frozen=True)
class Thumbnail:
    """A drawn picture, or the reason why there is none.

    Attributes
    ----------
    webp : the picture as a WebP file with alpha, as the cache keeps it and QImage reads it; empty with a problem.
    problem : a sentence fit for a card, or None.
    notes : what was dropped or mended while reading; empty for pictures out of the cache.
    """

    webp: bytes = b""
    problem: str | None = None
    notes: tuple[str, ...] = ()

    def pixels(self) -> NDArray[np.uint8]:
        """(size, size, 4) RGBA with straight alpha, top row first; (0, 0, 4) where there is a problem."""
        from io import BytesIO

        from PIL import Image

        if not self.webp:
            return np.zeros((0, 0, 4), np.uint8)
        with Image.open(BytesIO(self.webp)) as picture:
            return np.array(picture.convert("RGBA"), np.uint8)


def make_thumbnail(
    request: ThumbnailRequest, read_mesh: ReadMesh, read_image: ReadImage, renderer: Renderer
) -> Thumbnail:
    """The picture of one file; whatever goes wrong becomes its problem, never an exception.

    Runs in a worker process, which keeps its renderer.
    """
    try:
        if request.path.suffix.lower() in PICTURE_SUFFIXES:
            return Thumbnail(webp=encode_webp(read_image(request.path, request.size)))
        mesh = read_mesh(request.path)
        pixels = renderer.draw(mesh, request.camera, request.size, request.size, request.style)
    except ShrecError as error:
        return Thumbnail(problem=getattr(error, "why", str(error)))
    except MemoryError:
        return Thumbnail(problem="needs more memory than there is")
    except Exception as error:  # a reader or driver met something nobody thought of; one card pays, not the program
        return Thumbnail(problem=f"cannot be drawn ({type(error).__name__}: {error})")
    if not pixels[..., 3].any():
        return Thumbnail(problem="shows nothing from any side", notes=mesh.notes)
    return Thumbnail(webp=encode_webp(pixels), notes=mesh.notes)


def encode_webp(pixels: NDArray[np.uint8]) -> bytes:
    """A WebP file of (H, W, 4) RGBA pixels, alpha kept."""
    from io import BytesIO

    from PIL import Image

    stream = BytesIO()
    Image.fromarray(pixels).save(stream, "WEBP", quality=_QUALITY, method=_EFFORT)
    return stream.getvalue()
