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

PICTURE_SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".webp", ".bmp", ".gif", ".tif", ".tiff", ".svg"})
"""Files that are pictures already: sketches and photographs as queries."""

_READY_MADE = ("_thumb.jpg", "_thumb.png", ".jpg", ".png", "_thumb.jpeg", ".jpeg", "_thumb.webp", ".webp")
"""Endings of pictures that collections bring along beside their models; Princeton's is the first."""

_TEXTURED = frozenset({".obj", ".gltf", ".dae", ".ply"})
"""Meshes beside which a picture of the same name is a texture."""

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
    notes : what was dropped or mended while reading.
    is_stand_in : a picture that the collection brought along, as the model itself cannot be drawn; not kept.
    is_cached : it came out of the cache.
    """

    webp: bytes = b""
    problem: str | None = None
    notes: tuple[str, ...] = ()
    is_stand_in: bool = False
    is_cached: bool = False

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

    Where a model cannot be drawn but its collection has a picture of it (`m1_thumb.jpg` beside `m1.off`), that one is
    shown. Runs in a worker process, which keeps its renderer.
    """
    if request.path.suffix.lower() in PICTURE_SUFFIXES:
        return _read(request.path, request.size, read_image)
    drawn = _drawn(request, read_mesh, renderer)
    beside = None if drawn.problem is None else ready_made(request.path)
    if beside is None:
        return drawn
    shown = _read(beside, request.size, read_image)
    if shown.problem is not None:
        return drawn
    note = f"{drawn.problem}; the picture '{beside.name}' beside it is shown"
    return Thumbnail(webp=shown.webp, notes=(*drawn.notes, note), is_stand_in=True)


def ready_made(path: Path) -> Path | None:
    """The picture that a collection brought along for a model: beside it, with its name; None where there is none."""
    stem = path.name
    while Path(stem).suffix.lower() in (".gz", ".bz2"):
        stem = Path(stem).stem
    stem, suffix = Path(stem).stem, Path(stem).suffix.lower()
    endings = [ending for ending in _READY_MADE if "_thumb" in ending or suffix not in _TEXTURED]
    candidates = (path.with_name(stem + ending) for ending in endings)
    try:
        return next((candidate for candidate in candidates if candidate.is_file()), None)
    except OSError:
        return None


def _drawn(request: ThumbnailRequest, read_mesh: ReadMesh, renderer: Renderer) -> Thumbnail:
    try:
        mesh = read_mesh(request.path)
        pixels = renderer.draw(mesh, request.camera, request.size, request.size, request.style)
    except Exception as error:  # a reader or driver met something nobody thought of; one card pays, not the program
        return Thumbnail(problem=_reason(error))
    if not pixels[..., 3].any():
        return Thumbnail(problem="shows nothing from any side", notes=mesh.notes)
    return Thumbnail(webp=encode_webp(pixels), notes=mesh.notes)


def _read(path: Path, size: int, read_image: ReadImage) -> Thumbnail:
    try:
        return Thumbnail(webp=encode_webp(read_image(path, size)))
    except Exception as error:  # decoders raise whatever they meet
        return Thumbnail(problem=_reason(error))


def _reason(error: Exception) -> str:
    if isinstance(error, ShrecError):
        return str(getattr(error, "why", error))
    if isinstance(error, MemoryError):
        return "needs more memory than there is"
    return f"cannot be drawn ({type(error).__name__}: {error})"


def encode_webp(pixels: NDArray[np.uint8]) -> bytes:
    """A WebP file of (H, W, 4) RGBA pixels, alpha kept."""
    from io import BytesIO

    from PIL import Image, WebPImagePlugin  # noqa: F401 - left to itself, Pillow imports all its formats for this one

    stream = BytesIO()
    Image.fromarray(pixels).save(stream, "WEBP", quality=_QUALITY, method=_EFFORT)
    return stream.getvalue()


def encode_png(pixels: NDArray[np.uint8]) -> bytes:
    """A PNG file of (H, W, 4) RGBA pixels; without alpha where all is opaque."""
    from io import BytesIO

    from PIL import Image

    stream = BytesIO()
    is_opaque = bool((pixels[..., 3] == 255).all())
    Image.fromarray(pixels[..., :3] if is_opaque else pixels).save(stream, "PNG", compress_level=6)
    return stream.getvalue()
