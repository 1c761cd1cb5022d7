"""Stored pictures made ready to paint, by a thread that leaves Python to the window meanwhile."""

from functools import lru_cache
from io import BytesIO
from typing import TYPE_CHECKING

from PySide6.QtGui import QImage

if TYPE_CHECKING:
    from PIL.Image import Image

CORNER = 3 / 128
"""Radius of the corners as a share of the edge: 3 pixels of a card of size M, as its frame has."""

_FINE = 8
"""Points across a pixel by which corners are rounded."""


def fitted(stored: bytes, pixels: int) -> QImage | None:
    """A picture in the size it is drawn in, its corners rounded, so that painting has nothing left to do.

    Not with Qt: `QImage.fromData` holds the interpreter for 0.5 ms a picture, and its thread takes it again before the
    window has woken up, which waited for up to 0.8 s. Qt's reader lets it go, and then waits for it with a lock of Qt's
    in its hands, while the window has the interpreter and waits for the lock.

    Parameters
    ----------
    stored : a WebP or PNG file.
    pixels : edge that it fits into; it is never enlarged.

    Returns
    -------
    QImage | None
        Premultiplied, in memory of its own; None where `stored` is no picture.
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
    return screen_image(picture.tobytes("raw", "BGRa"), *picture.size)


def screen_image(pixels: bytes, width: int, height: int) -> QImage:
    """An image of blue, green, red and alpha, the colours multiplied by alpha; it owns its memory."""
    return QImage(pixels, width, height, 4 * width, QImage.Format.Format_ARGB32_Premultiplied).copy()


@lru_cache(maxsize=8)
def _corners(width: int, height: int, radius: float) -> "Image":
    """What stays of a picture of this size: all but its corners. A clip of Qt's costs 0.3 ms a picture instead."""
    from PIL import Image, ImageDraw

    size = (width * _FINE, height * _FINE)
    large = Image.new("L", size)
    ImageDraw.Draw(large).rounded_rectangle((0, 0, size[0] - 1, size[1] - 1), radius * _FINE, 255)
    mask = large.resize((width, height), Image.Resampling.BOX)
    return Image.merge("RGBa", [mask] * 4)
