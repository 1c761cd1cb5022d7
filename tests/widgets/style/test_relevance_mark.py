"""Relevance is shown by colour, weight, line, glyph and number together."""

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter

from shrec_viewer.render.scene.palette import PRESETS, contrast
from shrec_viewer.widgets.style.relevance import (
    FRAME_MARGIN,
    contrasting_ink,
    draw_badge,
    draw_frame,
    level_mark,
    query_mark,
)
from shrec_viewer.widgets.style.text import measured_font
from shrec_viewer.widgets.style.theme import THEMES

PICTURE = QRectF(20, 20, 60, 60)
BOTH = pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES.keys())


def painted(mark):
    image = QImage(100, 100, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    draw_frame(painter, PICTURE, mark)
    painter.end()
    return image


def inked(image, box=None):
    box = box or image.rect()
    return sum(
        image.pixelColor(x, y).alpha() > 100
        for x in range(box.left(), box.right() + 1)
        for y in range(box.top(), box.bottom() + 1)
    )


@BOTH
@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("level", [-1, 0, 1, 2, 3])
def test_frame_is_outside_the_thumbnail_and_within_its_margin(qapp, theme, preset, level):
    mark = level_mark(level, theme, preset)
    image = painted(mark)
    inside = PICTURE.toRect().adjusted(1, 1, -1, -1)
    assert inked(image, inside) == 0
    outside = PICTURE.toRect().adjusted(-FRAME_MARGIN, -FRAME_MARGIN, FRAME_MARGIN, FRAME_MARGIN)
    assert inked(image) == inked(image, outside)
    assert (inked(image) > 0) == (level != 0 or preset == "strict")


@BOTH
def test_levels_differ_without_colour(qapp, theme):
    marks = [level_mark(level, theme) for level in (-1, 0, 1, 2, 3)] + [query_mark(theme)]
    assert len({(mark.width, mark.line) for mark in marks}) == len(marks)
    assert [mark.text for mark in marks] == ["?", "0", "1", "2", "3", "Q"]
    assert [(mark.width, mark.line) for mark in marks[1:4]] == [(0, "solid"), (2, "dash"), (3, "solid")]
    ink = [inked(painted(mark)) for mark in marks[1:5]]
    assert ink == sorted(ink), "the more relevant, the heavier"


def test_level_beyond_the_palette_shows_its_number(qapp):
    assert level_mark(7, THEMES["light"]).text == "7"


@BOTH
@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("level", [0, 1, 2, 3])
def test_badge_text_has_contrast(theme, preset, level):
    mark = level_mark(level, theme, preset)
    if not mark.is_outlined:
        assert contrast(contrasting_ink(mark.colour).name(), mark.colour.name()) >= 4.5


def test_a_badge_stays_in_its_box(qapp):
    font = measured_font(qapp.font(), 0.9, bold=True)
    for level in (-1, 0, 1, 2, 3):
        mark = level_mark(level, THEMES["light"])
        image = QImage(80, 40, QImage.Format.Format_ARGB32)
        image.fill(Qt.GlobalColor.transparent)
        painter = QPainter(image)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        line = QRectF(0, 10, 70, 16)
        box = line.adjusted(70 - draw_badge(painter, line, mark, font), 0, 0, 0)
        painter.end()
        assert inked(image) == inked(image, box.toAlignedRect()) > 0


def test_ink_has_the_higher_contrast():
    assert contrasting_ink(QColor("#00569B")).name() == "#ffffff"
    assert contrasting_ink(QColor("#FFC24A")).name() == "#000000"


@pytest.mark.parametrize("theme", [THEMES["light"], THEMES["dark"]], ids=["light", "dark"])
def test_binary_assessment_has_no_marginal_level(theme):
    plain, graded = level_mark(1, theme, binary=True), level_mark(2, theme)
    assert (plain.colour, plain.width, plain.line, plain.glyph) == (
        graded.colour,
        graded.width,
        graded.line,
        graded.glyph,
    )
    assert plain.text == "1"
    assert level_mark(0, theme, binary=True) == level_mark(0, theme)
    assert level_mark(1, theme).line == "dash"
