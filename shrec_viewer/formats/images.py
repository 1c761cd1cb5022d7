"""Reads a sketch or photograph into a square of pixels."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain.errors import FormatError

IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg", ".webp", ".bmp", ".gif", ".tif", ".tiff")
"""What `read_image` knows; contests use PNG for sketches and JPEG for scenes."""


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
