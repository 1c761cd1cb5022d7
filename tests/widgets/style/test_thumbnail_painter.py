"""A painter of pictures keeps no more scaled ones than it may, and dims sketches in the dark theme."""

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPixmap

from shrec_viewer.widgets.style.relevance import ThumbnailPainter
from shrec_viewer.widgets.style.theme import DARK, LIGHT

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
    assert painter._bytes == sum(
        4 * remaining.width() * remaining.height() for remaining, _ in painter._scaled.values()
    )
    return painter._bytes


def test_cache_is_bounded_and_keeps_the_last_thumbnail(qapp):
    assert kept_after(ThumbnailPainter(), 9) == 9 * BYTES
    assert kept_after(ThumbnailPainter(max_bytes=3 * BYTES), 9) == 3 * BYTES
    assert kept_after(ThumbnailPainter(max_bytes=0), 9) == BYTES


@pytest.mark.parametrize(("theme", "expected"), [(LIGHT, 255), (DARK, None)])
def test_a_sketch_is_dimmed_in_the_dark_theme_and_a_rendered_mesh_is_not(qapp, theme, expected):
    """Both have rounded, transparent corners; the mesh has a transparent background, too."""
    level = QColor(theme.picture).red()
    dimmed = round(0.72 * 255 + 0.28 * level) if expected is None else expected
    for inset, wanted in ((1, dimmed), (6, 255)):
        picture = QPixmap(2 * EDGE, 2 * EDGE)
        picture.fill(Qt.GlobalColor.transparent)
        on = QPainter(picture)
        if inset == 1:
            on.setBrush(Qt.GlobalColor.white)
            on.setPen(Qt.PenStyle.NoPen)
            on.drawRoundedRect(picture.rect(), 4, 4)
        else:
            on.fillRect(picture.rect().adjusted(inset, inset, -inset, -inset), Qt.GlobalColor.white)
        on.end()
        image = QImage(EDGE, EDGE, QImage.Format.Format_ARGB32_Premultiplied)
        on = QPainter(image)
        ThumbnailPainter().draw(on, QRectF(0, 0, EDGE, EDGE), picture, theme)
        on.end()
        assert abs(image.pixelColor(EDGE // 2, EDGE // 2).red() - wanted) <= 1
