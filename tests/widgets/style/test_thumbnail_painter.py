"""A painter of pictures keeps no more scaled ones than it may."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QImage, QPainter, QPixmap

from shrec_viewer.widgets.style.relevance import ThumbnailPainter
from shrec_viewer.widgets.style.theme import LIGHT

EDGE = 20
BYTES = 4 * EDGE * EDGE


def kept_after(painter, count):
    """Bytes of scaled pictures that are kept after so many different ones."""
    background = QImage(EDGE, EDGE, QImage.Format.Format_ARGB32_Premultiplied)
    for _ in range(count):
        picture = QPixmap(2 * EDGE, 2 * EDGE)
        picture.fill(Qt.GlobalColor.red)
        on = QPainter(background)
        painter.draw(on, QRectF(0, 0, EDGE, EDGE), picture, LIGHT)
        on.end()
    assert painter._bytes == sum(4 * remaining.width() * remaining.height() for remaining in painter._scaled.values())
    return painter._bytes


def test_cache_is_bounded_and_keeps_the_last_thumbnail(qapp):
    assert kept_after(ThumbnailPainter(), 9) == 9 * BYTES
    assert kept_after(ThumbnailPainter(max_bytes=3 * BYTES), 9) == 3 * BYTES
    assert kept_after(ThumbnailPainter(max_bytes=0), 9) == BYTES
