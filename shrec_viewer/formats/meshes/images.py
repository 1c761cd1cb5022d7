"""Query images, and the texture images of a model within a memory limit."""

import io
import warnings
from collections import Counter
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain.errors import FormatError
from shrec_viewer.formats.io.files import check_regular_file

#: Formats of `read_image`; contests use PNG for sketches and JPEG for scenes.
IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg", ".webp", ".bmp", ".gif", ".tif", ".tiff")

#: Pillow's names of these formats. The content counts, not the suffix: Pillow would run Ghostscript on an EPS file.
_IMAGE_FORMATS = ("BMP", "GIF", "JPEG", "PNG", "TIFF", "WEBP")

#: Pillow's names of the texture formats; others start programs (EPS) or are not raster images.
_TEXTURE_FORMATS = ("BMP", "DDS", "GIF", "JPEG", "JPEG2000", "PCX", "PNG", "PPM", "TGA", "TIFF", "WEBP")

#: Rows of a texture that are downscaled at once.
_STRIP_ROWS = 64

#: Pixels of one image: 8,192 x 8,192 as scanners write them, which takes 270 MB while it is read.
_MAX_PIXELS = 2**26


def read_image(path: Path, size: int) -> NDArray[np.uint8]:
    """Read an image as (size, size, 4) uint8, RGBA with straight alpha, scaled to fit and centred on transparency.

    The EXIF orientation is applied. Small images are enlarged so that all queries are shown in the same size.

    Raises
    ------
    FormatError
        The file cannot be opened, is not an image of these formats, or has too many pixels.
    """
    from PIL import Image, ImageOps  # used in worker processes only; the window does not load Pillow

    path = Path(path)
    if path.suffix.lower() == ".svg":  # Pillow cannot read SVG; the window renders it with Qt
        raise FormatError(path, "is an SVG drawing, which only the window can render")
    try:
        check_regular_file(path)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about sizes and metadata
            image = Image.open(path, formats=_IMAGE_FORMATS)
        with image:
            _check_pixels(image)
            image.draft("RGB", (2 * size, 2 * size))  # decodes a large JPEG at a fraction of its size
            # In place, and in strips: a copy of the whole image in another mode takes its memory a second time.
            ImageOps.exif_transpose(image, in_place=True)
            small = _downscale(image, (size, size), "RGBA")
            fitted = ImageOps.contain(small, (size, size), Image.Resampling.LANCZOS)
    except FormatError:
        raise
    except Exception as error:  # decoders of Pillow raise many types, such as SyntaxError and struct.error
        reason = getattr(error, "strerror", None) or str(error).strip().split("\n")[0] or type(error).__name__
        raise FormatError(path, f"cannot be read as an image ({reason})") from error
    square = Image.new("RGBA", (size, size), (0, 0, 0, 0))
    square.paste(fitted, ((size - fitted.width) // 2, (size - fitted.height) // 2))
    return np.array(square, np.uint8)


def open_texture(data: bytes) -> Any:
    """Open an image (Pillow's) in the bytes of a file; its pixels are decoded later by `read_texture`.

    Raises
    ------
    ValueError
        Not an image, or too many pixels; the message is the reason.
    """
    from PIL import Image

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about sizes, which `read_texture` checks itself
            return Image.open(io.BytesIO(data), formats=_TEXTURE_FORMATS)
    except Image.DecompressionBombError as error:
        raise ValueError("far too many pixels") from error
    except Exception as error:  # decoders of Pillow raise any type
        raise ValueError("not a readable image") from error


def read_texture(image: Any, side: int, *, is_opaque: bool = False) -> NDArray[np.uint8]:
    """Decode an opened image to (height, width, 4) uint8, RGBA with straight alpha, each side at most `side` pixels.

    Grey, paletted, CMYK and 16-bit images are converted. The aspect ratio is not preserved, as textures need none.

    Parameters
    ----------
    is_opaque : set alpha to 255 everywhere.

    Raises
    ------
    ValueError
        Too many pixels, an unsupported format, or a damaged image; the message is the reason.
    """
    width, height = image.size
    if image.format not in (None, "MPO", *_TEXTURE_FORMATS):  # MPO: several JPEG images in one file
        raise ValueError(f"{image.format} is not supported")
    _check_pixels(image)
    size = (max(min(width, side), 1), max(min(height, side), 1))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about metadata
            image.draft("RGB", size)
            deep = _to_8_bit(image)
            plain = _downscale(image if deep is None else deep, size, "RGB" if is_opaque else "RGBA")
            pixels = plain.resize(size) if plain.size != size else plain
            return np.array(pixels.convert("RGBA"), np.uint8)
    except Exception as error:  # decoders of Pillow raise any type
        raise ValueError(str(error).strip().split("\n")[0] or type(error).__name__) from error


def _check_pixels(image: Any) -> None:
    """ValueError for an opened image with more than `_MAX_PIXELS`, unless it is decoded at a fraction of its size."""
    width, height = image.size
    shrinks_early = image.format == "JPEG" and not image.info.get("progressive")
    if width * height > _MAX_PIXELS and not shrinks_early:
        raise ValueError(f"{width:,} x {height:,} pixels, too many to read")


def _downscale(image: Any, size: tuple[int, int], mode: str) -> Any:
    """Convert an image to another mode at an integer fraction of its size, no smaller than twice `size`.

    Works in strips: converting a large image as a whole takes its memory a second time.
    """
    from PIL import Image

    factor = min(side // (2 * wanted) for side, wanted in zip(image.size, size, strict=True))
    if factor < 2:
        return image.convert(mode)
    small = Image.new(mode, (-(-image.width // factor), -(-image.height // factor)))
    for row in range(0, small.height, _STRIP_ROWS):
        end = min((row + _STRIP_ROWS) * factor, image.height)
        strip = image.crop((0, row * factor, image.width, end))
        small.paste(strip.convert(mode).reduce(factor), (0, row))
    return small


def _to_8_bit(image: Any) -> Any:
    """Scale an image of more than 8 bits per channel; None for others. Pillow clips such values."""
    from PIL import Image

    if not image.mode.startswith(("I", "F")):
        return None
    values = np.asarray(image, np.float64)
    maximum = float(np.nanmax(values, initial=0.0))
    full = 1.0 if image.mode == "F" and maximum <= 1 else 255.0 if maximum <= 255 else 65535.0
    return Image.fromarray(np.clip(np.nan_to_num(values) / full * 255, 0, 255).astype(np.uint8))


#: Side lengths of downscaled textures; the largest is used with which all fit into `_MAX_TOTAL_PIXELS`.
_TEXTURE_SIDES = (1024, 512, 256, 128, 64, 32)

#: Pixels of all textures of a model, 32 MB.
_MAX_TOTAL_PIXELS = 8 * 1024 * 1024

#: Textures of one model; each takes one draw call per frame.
_MAX_TEXTURES = 1000

_TOO_MANY = f"was ignored: more than {_MAX_TEXTURES} textures"

#: Pixels of all textures in full size: 16 of 4,096 x 4,096, which take 5 s as PNG. 200 KB of PNG can have 2^26.
_MAX_DECODED_PIXELS = 2**28

#: Pixels of a JPEG per decoded pixel, at least: large ones are decoded at a fraction of their size.
_JPEG_SHRINK = 8


class TextureSet:
    """Opens the texture images of a model and decodes them within a common memory limit.

    trimesh decodes the images of a model in full size and without a limit. Here all images are opened first, and
    decoded one by one at a size that depends on their number.
    """

    def __init__(self) -> None:
        self._opened: dict[Hashable, tuple[str, Any, bool]] = {}
        self._images: dict[Hashable, NDArray[np.uint8]] = {}
        self._failed: dict[str, list[str]] = {}
        self._requested: set[str] = set()
        self._n_read = self._n_pixels = 0

    @property
    def notes(self) -> list[str]:
        """One message for each reason why images are missing."""
        return [
            f"{names[0]} {reason}" if len(names) == 1 else f"{names[0]} {reason}; likewise {len(names) - 1} more"
            for reason, names in self._failed.items()
        ]

    def open(self, name: str, load: Callable[[str], bytes]) -> None:
        """Open a file, with its name as the key; does nothing if it was opened before."""
        if name in self._requested:
            return
        self._requested.add(name)
        if len(self._requested) > _MAX_TEXTURES:  # before reading: a missing name is searched in the folder
            self.add_failure(name, _TOO_MANY)
            return
        try:
            self.add(name, name, open_texture(load(name)))
        except OSError:
            self.add_failure(name, "was not found in the folder of the model")
        except ValueError as error:
            self.add_failure(name, f"cannot be read ({error})")

    def add(self, key: Hashable, name: str, image: Any, *, is_opaque: bool = False) -> None:
        """Add an opened image.

        Parameters
        ----------
        key : identifies it in `get`.
        name : name in notes; "" if it has none.
        is_opaque : ignore alpha.
        """
        if len(self._opened) < _MAX_TEXTURES:
            self._opened.setdefault(key, (name, image, is_opaque))
        else:
            self.add_failure(name, _TOO_MANY)

    def read(self) -> None:
        """Decode all images that were not yet; those that fail are noted."""
        opened = [*self._opened.items()][self._n_read :]
        self._n_read = len(self._opened)
        side = _texture_side([image.size for _, image, _ in self._opened.values()])
        uses = Counter(id(image) for _, (_, image, _) in opened)
        for key, (name, image, is_opaque) in opened:
            uses[id(image)] -= 1
            try:
                self._n_pixels += image.width * image.height // (_JPEG_SHRINK if image.format == "JPEG" else 1)
                if self._n_pixels > _MAX_DECODED_PIXELS:
                    raise ValueError(f"the textures have more than {_MAX_DECODED_PIXELS:,} pixels")
                self._images[key] = read_texture(image, side, is_opaque=is_opaque)
            except ValueError as error:
                self.add_failure(name, f"cannot be read ({error})")
            finally:
                if not uses[id(image)]:
                    image.close()  # frees the pixels in full size before the next image is decoded

    def get(self, key: Hashable) -> NDArray[np.uint8] | None:
        """Image (height, width, 4); None for one that was not added, not read yet, or failed."""
        return self._images.get(key)

    def add_failure(self, name: str, reason: str) -> None:
        """Note an image that cannot be used."""
        self._failed.setdefault(reason, []).append(f"texture '{name}'" if name else "a texture")


def _texture_side(sizes: list[tuple[int, int]]) -> int:
    for side in _TEXTURE_SIDES:
        if sum(min(width, side) * min(height, side) for width, height in sizes) <= _MAX_TOTAL_PIXELS:
            return side
    return _TEXTURE_SIDES[-1]
