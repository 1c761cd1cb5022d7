"""Read query images, and the textures of a model within a memory limit."""

import io
import warnings
from collections import Counter
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain.errors import FormatError

IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg", ".webp", ".bmp", ".gif", ".tif", ".tiff")
"""What `read_image` knows; contests use PNG for sketches and JPEG for scenes."""

_TEXTURE_FORMATS = ("BMP", "DDS", "GIF", "JPEG", "JPEG2000", "PCX", "PNG", "PPM", "TGA", "TIFF", "WEBP")
"""Pillow's names of what a texture may be; others would start programs (EPS) or are no pictures."""

_STRIP_ROWS = 64
"""Rows of a texture that are shrunk at once."""

_MAX_TEXTURE_PIXELS = 2**26
"""Of a texture: 8,192 a side as scanners write them, which takes 270 MB while it is read."""


def read_image(path: Path, size: int) -> NDArray[np.uint8]:
    """Pixels (size, size, 4) of a picture, RGBA with straight alpha: fitted, its aspect kept, the rest transparent.

    Photographs are turned as their EXIF tag says; small pictures are enlarged so that all queries look equally large.

    Raises
    ------
    FormatError
        The file cannot be opened or is no picture.
    """
    from PIL import Image, ImageOps  # pictures are read in workers; the window never needs Pillow

    path = Path(path)
    if path.suffix.lower() == ".svg":  # Pillow has no reader for it; the window lends Qt's
        raise FormatError(path, "is an SVG drawing, which only the window can draw")
    try:
        with Image.open(path) as picture:
            picture.draft(
                "RGB", (2 * size, 2 * size)
            )  # lets a JPEG of a large scene be decoded at a fraction of its size
            upright = ImageOps.exif_transpose(picture)
            fitted = ImageOps.contain(upright.convert("RGBA"), (size, size), Image.Resampling.LANCZOS)
    except Exception as error:  # Pillow's decoders raise many kinds, SyntaxError and struct.error among them
        reason = getattr(error, "strerror", None) or str(error).strip().split("\n")[0] or type(error).__name__
        raise FormatError(path, f"cannot be read as a picture ({reason})") from error
    square = Image.new("RGBA", (size, size), (0, 0, 0, 0))
    square.paste(fitted, ((size - fitted.width) // 2, (size - fitted.height) // 2))
    return np.array(square, np.uint8)


def open_texture(data: bytes) -> Any:
    """The picture (Pillow's) in the bytes of a file, as far as its size and kind; its pixels are not read yet.

    Raises
    ------
    ValueError
        It is no picture, or one with too many pixels; the text says why.
    """
    from PIL import Image

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of sizes that `read_texture` judges itself
            return Image.open(io.BytesIO(data), formats=_TEXTURE_FORMATS)
    except Image.DecompressionBombError as error:
        raise ValueError("it has far too many pixels") from error
    except Exception as error:  # decoders raise whatever they meet
        raise ValueError("it is no picture that can be read") from error


def read_texture(picture: Any, side: int, *, is_opaque: bool = False) -> NDArray[np.uint8]:
    """Pixels (height, width, 4) of an opened picture, RGBA with straight alpha, at most `side` along each side.

    Grey, paletted, CMYK and 16-bit pictures become RGBA; what is shrunk may change its aspect, as textures may.

    Parameters
    ----------
    is_opaque : whether alpha is left out: 255 everywhere.

    Raises
    ------
    ValueError
        Too many pixels, a kind of picture that is not read, or a damaged one; the text says why.
    """
    width, height = picture.size
    if picture.format not in (None, "MPO", *_TEXTURE_FORMATS):  # MPO: a JPEG with another behind it
        raise ValueError(f"{picture.format} is not read here")
    shrinks_early = picture.format == "JPEG" and not picture.info.get("progressive")
    if width * height > _MAX_TEXTURE_PIXELS and not shrinks_early:
        raise ValueError(f"it has {width:,} x {height:,} pixels, too many to read")
    size = (max(min(width, side), 1), max(min(height, side), 1))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of metadata that nobody asked for
            picture.draft("RGB", size)
            deep = _to_8_bit(picture)
            plain = _downscale(picture if deep is None else deep, size, "RGB" if is_opaque else "RGBA")
            pixels = plain.resize(size) if plain.size != size else plain
            return np.array(pixels.convert("RGBA"), np.uint8)
    except Exception as error:  # decoders raise whatever they meet
        raise ValueError(str(error).strip().split("\n")[0] or type(error).__name__) from error


def _downscale(picture: Any, size: tuple[int, int], mode: str) -> Any:
    """A picture in another mode, at a whole fraction of its size, no smaller than twice `size`.

    Goes from strip to strip, as a large picture as a whole in another mode would take its memory once more.
    """
    from PIL import Image

    factor = min(side // (2 * wanted) for side, wanted in zip(picture.size, size, strict=True))
    if factor < 2:
        return picture.convert(mode)
    small = Image.new(mode, (-(-picture.width // factor), -(-picture.height // factor)))
    for row in range(0, small.height, _STRIP_ROWS):
        end = min((row + _STRIP_ROWS) * factor, picture.height)
        strip = picture.crop((0, row * factor, picture.width, end))
        small.paste(strip.convert(mode).reduce(factor), (0, row))
    return small


def _to_8_bit(picture: Any) -> Any:
    """A picture of more than eight bits a channel in eight; None for others, which Pillow converts well."""
    from PIL import Image

    if not picture.mode.startswith(("I", "F")):
        return None
    values = np.asarray(picture, np.float64)
    most = float(np.nanmax(values, initial=0.0))
    full = 1.0 if picture.mode == "F" and most <= 1 else 255.0 if most <= 255 else 65535.0
    return Image.fromarray(np.clip(np.nan_to_num(values) / full * 255, 0, 255).astype(np.uint8))


NO_TEXTURE = -1

_TEXTURE_SIDES = (1024, 512, 256, 128, 64, 32)
"""Pixels along a side that pictures are shrunk to, the largest that lets all together stay within `_MAX_TOTAL_PIXELS`."""

_MAX_TOTAL_PIXELS = 8 * 1024 * 1024
"""Of all pictures of a model together, 32 MB."""

_MAX_TEXTURES = 1000
"""Of one model; each costs a call of the driver in every frame."""


class TextureSet:
    """Opens the pictures of a model, then reads them all.

    Attributes
    ----------
    pictures : (height, width, 4) uint8 each; filled by `read`.
    notes : a sentence for each kind of failure.
    """

    def __init__(self) -> None:
        self.pictures: list[NDArray[np.uint8]] = []
        self._opened: dict[Hashable, tuple[str, Any, bool]] = {}
        self._numbers: dict[Hashable, int] = {}
        self._failed: dict[str, list[str]] = {}
        self._asked: set[str] = set()

    @property
    def notes(self) -> list[str]:
        """Why pictures are missing; many with one reason share a sentence."""
        return [
            f"{names[0]} {why}" if len(names) == 1 else f"{names[0]} {why}; the same holds for {len(names) - 1} more"
            for why, names in self._failed.items()
        ]

    def open(self, name: str, load: Callable[[str], bytes]) -> None:
        """Take in a file by its name, which is its key too; once."""
        if name in self._asked:
            return
        self._asked.add(name)
        try:
            self.add(name, name, open_texture(load(name)))
        except OSError:
            self.fail(name, "is not beside the model")
        except ValueError as error:
            self.fail(name, f"cannot be read ({error})")

    def add(self, key: Hashable, name: str, picture: Any, *, is_opaque: bool = False) -> None:
        """Take in a picture that is opened already.

        Parameters
        ----------
        key : what `number` knows it by.
        name : for notes; "" where it has none.
        is_opaque : whether its alpha means nothing.
        """
        if len(self._opened) < _MAX_TEXTURES:
            self._opened.setdefault(key, (name, picture, is_opaque))
        else:
            self.fail(name, f"is left out, as there are more than {_MAX_TEXTURES}")

    def read(self) -> None:
        """Read the pixels of all; those that fail are noted and have no number."""
        side = _texture_side([picture.size for _, picture, _ in self._opened.values()])
        uses = Counter(id(picture) for _, picture, _ in self._opened.values())
        for key, (name, picture, is_opaque) in self._opened.items():
            uses[id(picture)] -= 1
            try:
                pixels = read_texture(picture, side, is_opaque=is_opaque)
            except ValueError as error:
                self.fail(name, f"cannot be read ({error})")
                continue
            finally:
                if not uses[id(picture)]:
                    picture.close()  # its pixels in full size, of which only one picture at a time has room
            self._numbers[key] = len(self.pictures)
            self.pictures.append(pixels)

    def number(self, key: Hashable) -> int:
        """Place in `pictures`, or `NO_TEXTURE`."""
        return self._numbers.get(key, NO_TEXTURE)

    def fail(self, name: str, why: str) -> None:
        """Note a picture that could not be had at all."""
        self._failed.setdefault(why, []).append(f"the texture '{name}'" if name else "a texture")


def _texture_side(sizes: list[tuple[int, int]]) -> int:
    for side in _TEXTURE_SIDES:
        if sum(min(width, side) * min(height, side) for width, height in sizes) <= _MAX_TOTAL_PIXELS:
            return side
    return _TEXTURE_SIDES[-1]
