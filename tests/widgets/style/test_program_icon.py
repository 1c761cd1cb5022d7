"""The icon of the program: all sizes, rendered from the drawings, sharp where small."""

import build_icons
import pytest
from PySide6.QtGui import QImage

from shrec_viewer.resources import resource
from shrec_viewer.widgets.style.theme import program_icon


def pixels(path):
    image = QImage(str(path)).convertToFormat(QImage.Format.Format_RGBA8888)
    assert not image.isNull(), path
    return image.width(), image.height(), bytes(image.constBits())


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("icons")
    build_icons.build(folder)
    return folder


@pytest.mark.parametrize("size", build_icons.SIZES)
def test_the_file_is_the_drawing_rendered_in_its_size(built, size):
    name = f"hicolor/{size}x{size}/apps/shrec-viewer.png"
    width, height, stored = pixels(resource("icons") / name)
    assert (width, height) == (size, size)
    drawn = pixels(built / name)[2]
    assert max(abs(a - b) for a, b in zip(stored, drawn, strict=True)) <= 8, "run packaging/build_icons.py"


def test_windows_have_every_size(qapp):
    assert sorted(size.width() for size in program_icon().availableSizes()) == list(build_icons.SIZES)


@pytest.mark.parametrize("size", build_icons.SHARP)
def test_small_icons_are_drawn_on_their_pixels(qapp, size):
    """The edges of the card fall between pixels: along its middle row, each column has a colour of the drawing."""
    image = program_icon().pixmap(size, size).toImage()
    row = [image.pixelColor(x, size // 2).name() for x in range(size)]
    card = [x for x, colour in enumerate(row) if colour == "#f7f8fa"]
    ground = [x for x in range(card[0]) if row[x] != row[0]]
    assert card
    assert not ground, "no blended column between ground and card"
