"""Thumbnail of one file: render, encode, scale, and report problems."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from io import BytesIO
from pathlib import Path
from stat import S_ISREG
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain.benchmark import Finding, Quantity, Severity
from shrec_viewer.domain.errors import ShrecViewerError
from shrec_viewer.domain.mesh import Mesh
from shrec_viewer.geometry.difference import Drawn, ShapeDifference, mesh_of_difference
from shrec_viewer.render.renderer import Renderer, RendererChoice, open_renderer_or_software
from shrec_viewer.render.scene.camera import Camera
from shrec_viewer.render.scene.render_mesh import make_render_mesh
from shrec_viewer.render.scene.style import RenderStyle
from shrec_viewer.render.scene.values import resolve_scale, scale_of

#: Image files: sketches and photographs as queries.
IMAGE_FILE_SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".webp", ".bmp", ".gif", ".tif", ".tiff", ".svg"})

#: Endings of image files that collections provide next to their models; the first is that of the PSB.
_BUNDLED_ENDINGS = ("_thumb.jpg", "_thumb.png", ".jpg", ".png", "_thumb.jpeg", ".jpeg", "_thumb.webp", ".webp")

#: Mesh formats for which an image of the same name is a texture.
_TEXTURED_FORMATS = frozenset({".obj", ".gltf", ".dae", ".ply"})

#: WebP quality: 5 KB at 256 pixels, without visible artefacts.
_WEBP_QUALITY = 90

#: WebP effort, 0 to 6: files a tenth larger than with the default of 4, in half the time.
_WEBP_EFFORT = 2

#: Reads a file; with a quantity as its second argument also its values, see `Quantity.of_mesh`.
ReadMesh = Callable[..., Mesh]
ReadImage = Callable[[Path, int], NDArray[np.uint8]]


#: Pillow's names of the formats of stored thumbnails.
_STORED_FORMATS = ("WEBP", "PNG")

#: Pixels of a stored thumbnail; the largest that the command line makes has 2,048 x 2,048.
_MAX_STORED_PIXELS = 2**24


@dataclass(frozen=True)
class MeshComparison:
    """The mesh with which another one is compared.

    Attributes
    ----------
    other : its file.
    drawn : what is drawn, see `Drawn`.
    may_mirror : whether mirror images are tried, too.
    last : distance at the end of the colour scale, see `ShapeDifference`; 0 for that of this pair.
    """

    other: Path
    drawn: Drawn = "moved"
    may_mirror: bool = True
    last: float = 0.0


@dataclass(frozen=True)
class ThumbnailRequest:
    """Request for the thumbnail of one file.

    Attributes
    ----------
    path : a mesh, or an image, which is scaled.
    size : pixels of each side; size of the card times the device pixel ratio.
    quantity : whose values are read with the mesh; None for those of the mesh only.
    comparison : with another mesh; None: the mesh is drawn as it is.
    points : places in the file that are marked, and joined by a line if there are two.
    """

    path: Path
    size: int = 256
    camera: Camera = field(default_factory=Camera)
    style: RenderStyle = field(default_factory=RenderStyle)
    quantity: Quantity | None = None
    comparison: MeshComparison | None = None
    points: tuple[tuple[float, float, float], ...] = ()

    @property
    def is_cached(self) -> bool:
        """Whether the image depends on nothing but this file, so that it is kept."""
        return self.comparison is None and not self.points


def thumbnail_requests(
    paths: Iterable[Path], size: int, settings: Mapping[str, str | float], quantities: Iterable[Quantity] = ()
) -> list[ThumbnailRequest]:
    """Requests of square thumbnails.

    Parameters
    ----------
    settings : of the camera and of the colours, see `Camera.with_settings` and `scale_of`.
    quantities : of the benchmark.
    """
    camera, (scale, quantity) = Camera().with_settings(settings), resolve_scale(scale_of(settings), quantities)
    style = RenderStyle(values=scale)
    return [
        ThumbnailRequest(path, size, camera, style, None if quantity is None else quantity.of_mesh(path))
        for path in paths
    ]


def read_with_quantity(read_mesh: ReadMesh, path: Path, quantity: Quantity | None) -> Mesh:
    """A mesh with its values, and with those of a quantity if there is one."""
    return read_mesh(path) if quantity is None else read_mesh(path, quantity)


def not_a_file(path: Path) -> str:
    """Problem of a pipe, device or folder; "" for files, and for missing ones, which the reader reports."""
    with suppress(OSError, ValueError):
        if not S_ISREG(path.stat().st_mode):
            return "is not a regular file"
    return ""


def compared_mesh(
    mesh: Mesh, comparison: MeshComparison, read_mesh: ReadMesh
) -> tuple[Mesh, ShapeDifference | None, str]:
    """What is drawn of a comparison with the difference, or the mesh as it is and why it cannot be compared.

    Without both where the other mesh is the one that is compared.
    """
    other, is_fixed = comparison.other, comparison.drawn == "fixed"
    try:
        problem = f"{other.name} {not_a_file(other)}" if not_a_file(other) else ""
        if not problem:
            drawn, difference = mesh_of_difference(
                mesh, read_mesh(other), comparison.drawn, may_mirror=comparison.may_mirror, last=comparison.last
            )
            return drawn, None if is_fixed else difference, ""
    except ShrecViewerError as error:
        problem = f"{other.name} {getattr(error, 'reason', error)}"
    except ValueError as error:
        problem = str(error)
    return mesh, None, "" if is_fixed else f"Not compared: {problem}"


@dataclass(frozen=True)
class Thumbnail:
    """A rendered image, or the reason why there is none.

    Attributes
    ----------
    webp : WebP file with alpha; empty with a problem.
    problem : text for the card, or None.
    notes : messages about parts of the file that were removed or repaired while reading.
    is_substitute : True for an image file of the collection that replaces a model which cannot be drawn; not cached.
    is_cached : whether it was read from the cache.
    difference : from the mesh with which it is compared, or why it cannot be compared; None without one.
    """

    webp: bytes = b""
    problem: str | None = None
    notes: tuple[str, ...] = ()
    is_substitute: bool = False
    is_cached: bool = False
    difference: ShapeDifference | str | None = None

    def pixels(self) -> NDArray[np.uint8]:
        """Decode to (size, size, 4) RGBA with straight alpha, top row first.

        (0, 0, 4) with a problem; one transparent pixel for a damaged image of the cache.
        """
        from PIL import Image

        if not self.webp:
            return np.zeros((0, 0, 4), np.uint8)
        try:  # a cache is a file that anyone can edit; Pillow would run Ghostscript on an EPS image
            with Image.open(BytesIO(self.webp), formats=_STORED_FORMATS) as image:
                if image.width * image.height > _MAX_STORED_PIXELS:
                    raise ValueError("too large")
                return np.array(image.convert("RGBA"), np.uint8)
        except (OSError, ValueError, SyntaxError):  # Pillow raises any of these for damaged files
            return np.zeros((1, 1, 4), np.uint8)


def open_thumbnail_renderer(
    read_mesh: ReadMesh, read_image: ReadImage, prefer: RendererChoice
) -> tuple[str, Callable[[ThumbnailRequest], Thumbnail]]:
    """Description of the renderer, and the function that makes thumbnails; called once in each worker process."""
    # Mesa without a GPU: no rendering threads, as those of several processes would compete for the same cores.
    os.environ["LP_NUM_THREADS"] = "0"
    renderer = open_renderer_or_software(prefer)
    return renderer.description, partial(make_thumbnail, read_mesh=read_mesh, read_image=read_image, renderer=renderer)


def make_thumbnail(
    request: ThumbnailRequest, read_mesh: ReadMesh, read_image: ReadImage, renderer: Renderer
) -> Thumbnail:
    """Make the thumbnail of one file; errors become its problem.

    If a model cannot be drawn but its collection has an image of it (`m1_thumb.jpg` next to `m1.off`), that is used.
    Called in a worker process, which keeps its renderer.
    """
    if request.path.suffix.lower() in IMAGE_FILE_SUFFIXES:
        return _image_thumbnail(request.path, request.size, read_image)
    thumbnail = _draw_mesh_thumbnail(request, read_mesh, renderer)
    substitute = None if thumbnail.problem is None else bundled_thumbnail(request.path)
    if substitute is None:
        return thumbnail
    replacement = _image_thumbnail(substitute, request.size, read_image)
    if replacement.problem is not None:
        return thumbnail
    note = f"{thumbnail.problem}; the image '{substitute.name}' next to it is shown"
    return Thumbnail(webp=replacement.webp, notes=(*thumbnail.notes, note), is_substitute=True)


def bundled_thumbnail(path: Path) -> Path | None:
    """Image file that a collection provides for a model: next to it, with its name; None without one."""
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
        mesh, style = read_with_quantity(read_mesh, request.path, request.quantity), request.style
        difference: ShapeDifference | str | None = None
        if request.comparison is not None:
            mesh, found, problem = compared_mesh(mesh, request.comparison, read_mesh)
            difference = found or problem or None
        if request.points:
            *centre, radius = make_render_mesh(mesh).sphere
            marks = ((np.array(request.points) - centre) / radius).tolist()
            style = replace(style, marks=tuple((x, y, z) for x, y, z in marks))
        pixels = renderer.draw(mesh, request.camera, request.size, request.size, style)
    except Exception as error:  # whatever a reader or driver raises: it must not end the process
        return Thumbnail(problem=_error_text(error))
    if not pixels[..., 3].any():
        return Thumbnail(problem="nothing to draw: the image is empty", notes=mesh.notes)
    return Thumbnail(webp=encode_webp(pixels), notes=mesh.notes, difference=difference)


def _image_thumbnail(path: Path, size: int, read_image: ReadImage) -> Thumbnail:
    try:
        return Thumbnail(webp=encode_webp(read_image(path, size)))
    except Exception as error:  # decoders raise all kinds of errors
        return Thumbnail(problem=_error_text(error))


def _error_text(error: Exception) -> str:
    if isinstance(error, ShrecViewerError):
        return str(getattr(error, "reason", error))
    if isinstance(error, MemoryError):
        return "not enough memory"
    return f"cannot be drawn ({type(error).__name__}: {error})"


def encode_webp(pixels: NDArray[np.uint8]) -> bytes:
    """Encode (H, W, 4) RGBA pixels as WebP with alpha."""
    from PIL import Image, WebPImagePlugin  # noqa: F401 - otherwise Pillow imports all its formats, 0.15 s

    stream = BytesIO()
    Image.fromarray(pixels).save(stream, "WEBP", quality=_WEBP_QUALITY, method=_WEBP_EFFORT)
    return stream.getvalue()


def encode_png(pixels: NDArray[np.uint8]) -> bytes:
    """Encode (H, W, 4) RGBA pixels as PNG; without alpha if all pixels are opaque."""
    from PIL import Image

    stream = BytesIO()
    is_opaque = bool((pixels[..., 3] == 255).all())
    Image.fromarray(pixels[..., :3] if is_opaque else pixels).save(stream, "PNG", compress_level=6)
    return stream.getvalue()


def encode_gif(images: Sequence[NDArray[np.uint8]], image_ms: int) -> bytes:
    """Encode images (H, W, 4) as an animation without end, with the colours of the first one."""
    from PIL import Image

    frames = [Image.fromarray(np.ascontiguousarray(image[..., :3])) for image in images]
    # One palette: a palette for each image makes surfaces flicker.
    first = frames[0].quantize(dither=Image.Dither.NONE)
    rest = [frame.quantize(palette=first, dither=Image.Dither.NONE) for frame in frames[1:]]
    stream = BytesIO()
    first.save(stream, "GIF", save_all=True, append_images=rest, duration=image_ms, loop=0, optimize=False)
    return stream.getvalue()


if TYPE_CHECKING:
    from PIL.Image import Image

#: Radius of the corners relative to the side: 3 pixels on a card of size M, as its frame.
CORNER_RADIUS = 3 / 128

#: Subsamples along a pixel's side for antialiased corners.
_CORNER_SAMPLES = 8


def scale_thumbnail(stored: bytes, pixels: int) -> tuple[bytes, int, int] | None:
    """Scale an encoded image to its size on the screen and round its corners, ready for painting.

    Parameters
    ----------
    stored : WebP or PNG file.
    pixels : maximum side; smaller images are not enlarged.

    Returns
    -------
    tuple[bytes, int, int] | None
        Premultiplied B, G, R, A bytes, top row first; width and height. None if `stored` is not an image.
    """
    from PIL import Image, ImageChops, PngImagePlugin, WebPImagePlugin  # noqa: F401 - as in `encode_webp`

    try:
        with Image.open(BytesIO(stored), formats=_STORED_FORMATS) as file:
            if file.width * file.height > _MAX_STORED_PIXELS:
                return None
            image = file.convert("RGBA").convert("RGBa")
    except (OSError, ValueError, SyntaxError):  # Pillow raises any of these for damaged files
        return None
    longest = max(image.size)
    if longest > pixels:
        width, height = (max(1, round(side * pixels / longest)) for side in image.size)
        image = image.resize((width, height), Image.Resampling.HAMMING)
    image = ImageChops.multiply(image, _corner_mask(*image.size, pixels * CORNER_RADIUS))
    return image.tobytes("raw", "BGRa"), *image.size


@lru_cache(maxsize=8)
def _corner_mask(width: int, height: int, radius: float) -> "Image":
    """Mask of an image with rounded corners."""
    from PIL import Image, ImageDraw

    size = (width * _CORNER_SAMPLES, height * _CORNER_SAMPLES)
    supersampled = Image.new("L", size)
    ImageDraw.Draw(supersampled).rounded_rectangle((0, 0, size[0] - 1, size[1] - 1), radius * _CORNER_SAMPLES, 255)
    mask = supersampled.resize((width, height), Image.Resampling.BOX)
    return Image.merge("RGBa", [mask] * 4)


PLACEHOLDER_ACTION = "a placeholder is shown instead of the thumbnail"

DRAWN_ACTION = "drawn as far as possible"


def thumbnail_finding(path: Path, problem: str, root: Path) -> Finding:
    """Finding for a file without a thumbnail.

    Parameters
    ----------
    path : the mesh or image.
    problem : `Thumbnail.problem`.
    root : folder of the benchmark; paths are shown relative to it.
    """
    return Finding(Severity.WARNING, _relative_path(path, root), None, problem, PLACEHOLDER_ACTION)


def repaired_mesh_finding(path: Path, note: str, root: Path) -> Finding:
    """Finding for one of `Thumbnail.notes`: a file that was repaired while reading."""
    return Finding(Severity.INFO, _relative_path(path, root), None, note, DRAWN_ACTION)


def thumbnail_findings(path: Path, thumbnail: Thumbnail, root: Path) -> list[Finding]:
    """All findings for the thumbnail of one file."""
    findings = [repaired_mesh_finding(path, note, root) for note in thumbnail.notes]
    return findings if thumbnail.problem is None else [*findings, thumbnail_finding(path, thumbnail.problem, root)]


def _relative_path(path: Path, root: Path) -> str:
    try:
        return path.relative_to(root).as_posix()
    except ValueError:
        return path.as_posix()
