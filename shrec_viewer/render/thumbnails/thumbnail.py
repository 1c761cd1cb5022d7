"""Draw, encode, scale and report on the thumbnail of one file."""

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache, partial
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain.errors import ShrecError
from shrec_viewer.domain.finding import Finding, Severity
from shrec_viewer.domain.mesh import Mesh
from shrec_viewer.render.renderer import Renderer, RendererChoice, open_renderer_or_software
from shrec_viewer.render.scene.camera import Camera
from shrec_viewer.render.scene.style import RenderStyle

IMAGE_FILE_SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".webp", ".bmp", ".gif", ".tif", ".tiff", ".svg"})
"""Files that are pictures already: sketches and photographs as queries."""

_BUNDLED_ENDINGS = ("_thumb.jpg", "_thumb.png", ".jpg", ".png", "_thumb.jpeg", ".jpeg", "_thumb.webp", ".webp")
"""Endings of pictures that collections bring along beside their models; Princeton's is the first."""

_TEXTURED_FORMATS = frozenset({".obj", ".gltf", ".dae", ".ply"})
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
    style: RenderStyle = field(default_factory=RenderStyle)


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
    is_substitute: bool = False
    is_cached: bool = False

    def pixels(self) -> NDArray[np.uint8]:
        """(size, size, 4) RGBA with straight alpha, top row first; (0, 0, 4) where there is a problem."""
        from io import BytesIO

        from PIL import Image

        if not self.webp:
            return np.zeros((0, 0, 4), np.uint8)
        with Image.open(BytesIO(self.webp)) as picture:
            return np.array(picture.convert("RGBA"), np.uint8)


def open_thumbnail_renderer(
    read_mesh: ReadMesh, read_image: ReadImage, prefer: RendererChoice
) -> tuple[str, Callable[[ThumbnailRequest], Thumbnail]]:
    """Description of the renderer, and the function that makes thumbnails; called once in each worker process."""
    # Mesa without a GPU: rendering threads of two processes only compete for the same cores.
    os.environ["LP_NUM_THREADS"] = "0"
    renderer = open_renderer_or_software(prefer)
    return renderer.description, partial(make_thumbnail, read_mesh=read_mesh, read_image=read_image, renderer=renderer)


def make_thumbnail(
    request: ThumbnailRequest, read_mesh: ReadMesh, read_image: ReadImage, renderer: Renderer
) -> Thumbnail:
    """The picture of one file; whatever goes wrong becomes its problem, never an exception.

    Where a model cannot be drawn but its collection has a picture of it (`m1_thumb.jpg` beside `m1.off`), that one is
    shown. Runs in a worker process, which keeps its renderer.
    """
    if request.path.suffix.lower() in IMAGE_FILE_SUFFIXES:
        return _image_thumbnail(request.path, request.size, read_image)
    drawn = _draw_mesh_thumbnail(request, read_mesh, renderer)
    beside = None if drawn.problem is None else bundled_thumbnail(request.path)
    if beside is None:
        return drawn
    shown = _image_thumbnail(beside, request.size, read_image)
    if shown.problem is not None:
        return drawn
    note = f"{drawn.problem}; the picture '{beside.name}' beside it is shown"
    return Thumbnail(webp=shown.webp, notes=(*drawn.notes, note), is_substitute=True)


def bundled_thumbnail(path: Path) -> Path | None:
    """The picture that a collection brought along for a model: beside it, with its name; None where there is none."""
    stem = path.name
    while Path(stem).suffix.lower() in (".gz", ".bz2"):
        stem = Path(stem).stem
    stem, suffix = Path(stem).stem, Path(stem).suffix.lower()
    endings = [ending for ending in _BUNDLED_ENDINGS if "_thumb" in ending or suffix not in _TEXTURED_FORMATS]
    candidates = (path.with_name(stem + ending) for ending in endings)
    try:
        return next((candidate for candidate in candidates if candidate.is_file()), None)
    except OSError:
        return None


def _draw_mesh_thumbnail(request: ThumbnailRequest, read_mesh: ReadMesh, renderer: Renderer) -> Thumbnail:
    try:
        mesh = read_mesh(request.path)
        pixels = renderer.draw(mesh, request.camera, request.size, request.size, request.style)
    except Exception as error:  # a reader or driver met something nobody thought of; one card pays, not the program
        return Thumbnail(problem=_error_text(error))
    if not pixels[..., 3].any():
        return Thumbnail(problem="shows nothing from any side", notes=mesh.notes)
    return Thumbnail(webp=encode_webp(pixels), notes=mesh.notes)


def _image_thumbnail(path: Path, size: int, read_image: ReadImage) -> Thumbnail:
    try:
        return Thumbnail(webp=encode_webp(read_image(path, size)))
    except Exception as error:  # decoders raise whatever they meet
        return Thumbnail(problem=_error_text(error))


def _error_text(error: Exception) -> str:
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


if TYPE_CHECKING:
    from PIL.Image import Image

CORNER_RADIUS = 3 / 128
"""Radius of the corners as a share of the edge: 3 pixels of a card of size M, as its frame has."""

_CORNER_SAMPLES = 8
"""Points across a pixel by which corners are rounded."""


def scale_thumbnail(stored: bytes, pixels: int) -> tuple[bytes, int, int] | None:
    """A picture as it is painted, its corners rounded, so that painting has nothing left to do.

    Parameters
    ----------
    stored : a WebP or PNG file.
    pixels : edge that it fits into; it is never enlarged.

    Returns
    -------
    tuple[bytes, int, int] | None
        Blue, green, red and alpha of each pixel, the colours multiplied by alpha, top row first; width and height. None
        where `stored` is no picture.
    """
    from PIL import Image, ImageChops, PngImagePlugin, WebPImagePlugin  # noqa: F401 - else Pillow imports all it knows

    try:
        with Image.open(BytesIO(stored), formats=("WEBP", "PNG")) as file:
            picture = file.convert("RGBA").convert("RGBa")
    except (OSError, ValueError, SyntaxError):  # all of them, for one damage or another
        return None
    longest = max(picture.size)
    if longest > pixels:
        width, height = (max(1, round(side * pixels / longest)) for side in picture.size)
        picture = picture.resize((width, height), Image.Resampling.HAMMING)
    picture = ImageChops.multiply(picture, _corner_mask(*picture.size, pixels * CORNER_RADIUS))
    return picture.tobytes("raw", "BGRa"), *picture.size


@lru_cache(maxsize=8)
def _corner_mask(width: int, height: int, radius: float) -> "Image":
    """What stays of a picture of this size: all but its corners."""
    from PIL import Image, ImageDraw

    size = (width * _CORNER_SAMPLES, height * _CORNER_SAMPLES)
    large = Image.new("L", size)
    ImageDraw.Draw(large).rounded_rectangle((0, 0, size[0] - 1, size[1] - 1), radius * _CORNER_SAMPLES, 255)
    mask = large.resize((width, height), Image.Resampling.BOX)
    return Image.merge("RGBa", [mask] * 4)


PLACEHOLDER_ACTION = "a placeholder with this reason is shown instead of a picture"

DRAWN_ACTION = "drawn as far as possible"


def thumbnail_finding(path: Path, problem: str, root: Path) -> Finding:
    """The finding of a file that has no picture.

    Parameters
    ----------
    path : the mesh or picture.
    problem : `Thumbnail.problem`.
    root : folder of the benchmark; files within are named from there.
    """
    return Finding(Severity.WARNING, _relative_path(path, root), None, problem, PLACEHOLDER_ACTION)


def repaired_mesh_finding(path: Path, note: str, root: Path) -> Finding:
    """The finding of a file that was drawn although something was wrong with it: one of `Thumbnail.notes`."""
    return Finding(Severity.INFO, _relative_path(path, root), None, note, DRAWN_ACTION)


def thumbnail_findings(path: Path, thumbnail: Thumbnail, root: Path) -> list[Finding]:
    """All there is to say about one file that was drawn, or was not."""
    mended = [repaired_mesh_finding(path, note, root) for note in thumbnail.notes]
    return mended if thumbnail.problem is None else [*mended, thumbnail_finding(path, thumbnail.problem, root)]


def _relative_path(path: Path, root: Path) -> str:
    try:
        return path.relative_to(root).as_posix()
    except ValueError:
        return path.as_posix()
