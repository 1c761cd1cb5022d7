"""One big picture, framed and captioned."""

import pytest
from PySide6.QtGui import QColor, QPixmap

from shrec_viewer.widgets.picture_paint import KEPT_BYTES
from shrec_viewer.widgets.picture_view import PictureView
from shrec_viewer.widgets.theme import DARK, LIGHT


@pytest.fixture
def view(qtbot):
    shown = PictureView()
    qtbot.addWidget(shown)
    shown.resize(240, 300)
    shown.show()
    return shown


def shades(view):
    image = view.grab().toImage()
    return {image.pixelColor(x, y).name().upper() for x in range(image.width()) for y in range(0, image.height(), 2)}


def test_a_picture_keeps_its_proportions(view):
    picture = QPixmap(200, 50)
    picture.fill(QColor("#FF0000"))
    view.set_picture(picture)
    image = view.grab().toImage()
    red = QColor("#FF0000").rgb()
    across = max(sum(image.pixel(x, y) == red for x in range(240)) for y in range(300))
    down = max(sum(image.pixel(x, y) == red for y in range(300)) for x in range(240))
    assert across == pytest.approx(4 * down, rel=0.05)


def test_it_says_why_there_is_none_and_is_calm_while_waiting(view):
    assert LIGHT.hatch not in shades(view)
    view.set_picture(None, "the mesh has no faces")
    assert LIGHT.hatch in shades(view)
    view.set_picture(None)
    assert LIGHT.hatch not in shades(view)


def test_frames(view):
    plain = view.grab().toImage()
    view.set_level(2)
    assert "#00569B" in shades(view)
    view.set_query(True)
    assert "#00569B" not in shades(view)
    view.set_level(None)
    assert view.grab().toImage() == plain


def test_captions_and_looks(view):
    plain = view.grab().toImage()
    view.set_caption("Q17", "duck")
    assert view.accessibleName() == "Q17 duck"
    assert view.grab().toImage() != plain
    view.set_theme(DARK)
    assert DARK.picture in shades(view)


@pytest.mark.parametrize("size", [(60, 60), (90, 400), (700, 120), (900, 900)])
def test_any_size_can_be_painted(view, size):
    view.set_picture(None, "a reason that is rather long for a picture as small as this one")
    view.set_caption("a very long id that cannot fit", "and a class name that is no shorter either")
    view.set_level(1)
    view.resize(*size)
    assert not view.grab().isNull()


def test_pictures_scaled_for_sizes_it_had_before_do_not_pile_up(view):
    """Counted, 400 of them were kept: half a gigabyte of large ones."""
    picture = QPixmap(600, 600)
    picture.fill(QColor("#FF0000"))
    view.set_picture(picture)
    for step in range(80):
        view.resize(500 - step, 800)
        view.grab()
    kept = view._painter._kept.values()
    assert 1 < len(kept) < 80
    assert sum(scaled.width() * scaled.height() * 4 for scaled in kept) <= KEPT_BYTES
