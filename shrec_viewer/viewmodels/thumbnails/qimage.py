"""Conversions between pixel arrays and QImage."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage


def bgra_to_qimage(pixels: bytes, width: int, height: int) -> QImage:
    """Image from B, G, R, A bytes with premultiplied alpha; owns its memory."""
    # `copy`, since a QImage constructed from a buffer refers to it and would read freed memory.
    return QImage(pixels, width, height, 4 * width, QImage.Format.Format_ARGB32_Premultiplied).copy()


def rgba_to_qimage(pixels: NDArray[np.uint8]) -> QImage:
    """Image from (H, W, 4) RGBA with straight alpha, in the format that Qt paints fastest; owns its memory."""
    height, width = pixels.shape[:2]
    # The conversion copies; `straight` refers to the array.
    straight = QImage(np.ascontiguousarray(pixels).data, width, height, 4 * width, QImage.Format.Format_RGBA8888)
    return straight.convertToFormat(QImage.Format.Format_ARGB32_Premultiplied)


def qimage_to_rgba(image: QImage) -> NDArray[np.uint8]:
    """(H, W, 4) uint8, RGBA with straight alpha; a copy."""
    straight = image.convertToFormat(QImage.Format.Format_RGBA8888)
    # Rows of a QImage are padded to multiples of 4 bytes; of RGBA there is no padding, but sub-images may have some.
    rows = np.frombuffer(straight.constBits(), np.uint8).reshape(straight.height(), straight.bytesPerLine())
    return rows[:, : 4 * straight.width()].reshape(straight.height(), straight.width(), 4).copy()
