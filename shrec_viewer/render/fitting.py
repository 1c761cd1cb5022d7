"""Stored pictures in the size in which they are painted."""

from functools import lru_cache
from io import BytesIO
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.Image import Image

CORNER = 3 / 128
"""Radius of the corners as a share of the edge: 3 pixels of a card of size M, as its frame has."""

_FINE = 8
"""Points across a pixel by which corners are rounded."""


def fit(stored: bytes, pixels: int) -> tuple[bytes, int, int] | None:
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
    picture = ImageChops.multiply(picture, _corners(*picture.size, pixels * CORNER))
    return picture.tobytes("raw", "BGRa"), *picture.size


@lru_cache(maxsize=8)
def _corners(width: int, height: int, radius: float) -> "Image":
    """What stays of a picture of this size: all but its corners."""
    from PIL import Image, ImageDraw

    size = (width * _FINE, height * _FINE)
    large = Image.new("L", size)
    ImageDraw.Draw(large).rounded_rectangle((0, 0, size[0] - 1, size[1] - 1), radius * _FINE, 255)
    mask = large.resize((width, height), Image.Resampling.BOX)
    return Image.merge("RGBa", [mask] * 4)
