"""Stored pictures made ready to paint, by a thread that leaves Python to the window meanwhile."""

from functools import lru_cache

from PySide6.QtCore import QBuffer, QIODevice, QRectF, QSize, Qt
from PySide6.QtGui import QImage, QImageReader, QPainter

CORNER = 3 / 128
"""Radius of the corners as a share of the edge: 3 pixels of a card of size M, as its frame has."""

_PREMULTIPLIED = QImage.Format.Format_ARGB32_Premultiplied


def fitted(stored: bytes, pixels: int) -> QImage | None:
    """A picture in the size it is drawn in, its corners rounded, so that painting has nothing left to do.

    Parameters
    ----------
    stored : a WebP or PNG file.
    pixels : edge that it fits into; it is never enlarged.

    Returns
    -------
    QImage | None
        Premultiplied; None where `stored` is no picture.
    """
    image = decoded(stored)
    if image.isNull():
        return None
    image.convertTo(_PREMULTIPLIED)
    if max(image.width(), image.height()) > pixels:
        keep, smooth = Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
        image = image.scaled(QSize(pixels, pixels), keep, smooth)
    painter = QPainter(image)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_DestinationIn)
    painter.drawImage(0, 0, _corners(image.size(), pixels))
    painter.end()
    return image


def decoded(stored: bytes) -> QImage:
    """The picture in a file's bytes; a null one where there is none.

    A reader, and not `QImage.fromData`, which holds the interpreter: for 0.5 ms a picture, after which its thread takes
    it again before the window has woken up. Beside one that decoded, a window waited for up to 0.8 s.
    """
    buffer = QBuffer()
    buffer.setData(stored)
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    return QImageReader(buffer).read()


@lru_cache(maxsize=8)
def _corners(size: QSize, pixels: int) -> QImage:
    """What stays of a picture of this size: all but its corners. A clip instead costs 0.3 ms a picture."""
    mask = QImage(size, _PREMULTIPLIED)
    mask.fill(Qt.GlobalColor.transparent)
    painter = QPainter(mask)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(Qt.GlobalColor.black)
    painter.drawRoundedRect(QRectF(mask.rect()), pixels * CORNER, pixels * CORNER)
    painter.end()
    return mask
