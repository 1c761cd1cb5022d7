"""Cards, contact sheets and result strips."""

import numpy as np
import pytest

from shrec_viewer.charts.strips import UNJUDGED, Tile
from shrec_viewer.render.scene.palette import PRESETS
from shrec_viewer.report.sheets.cards import (
    BACKGROUNDS,
    ELLIPSIS,
    FRAME_MARGIN,
    SheetCardStyle,
    elide_text,
    load_font,
    paint_card,
    text_width,
    wrap_text,
)
from shrec_viewer.report.sheets.contact_sheet import contact_sheet, result_strip

RED = np.zeros((40, 40, 4), np.uint8)
RED[...] = (200, 0, 0, 255)


def colour(code: str) -> tuple[int, ...]:
    return tuple(bytes.fromhex(code[1:]))


def count(pixels: np.ndarray, code: str) -> int:
    return int((pixels[..., :3] == colour(code)).all(axis=-1).sum())


def test_texts_are_elided():
    face = load_font(12)
    for text in (
        "m1119",
        "a-very-long-id-of-a-model-17",
        "WWWWWWWWWWWWWWWWWW",
        "iiiiiiiiiiiiiiiiiiiiiiii",
        "日本語の長い名前",
    ):
        for room in range(0, 200, 7):
            for keep_end in (False, True):
                shown = elide_text(text, face.getlength, room, keep_end=keep_end)
                assert text_width(shown, face) <= room
                assert shown == text or ELLIPSIS in shown or shown == ""
    assert elide_text("model-000017", face.getlength, 60, keep_end=True).endswith("17")


def test_eliding_keeps_combining_accents():
    text = "e\u0301" * 30
    for room in range(20, 160, 3):
        for keep_end in (False, True):
            shown = elide_text(text, load_font(12).getlength, room, keep_end=keep_end)
            assert shown.replace("e\u0301", "").strip() in (ELLIPSIS, "")


def test_problems_are_wrapped():
    face = load_font(12)
    lines = wrap_text("makes the drawing process crash because of a driver", face.getlength, 70, 3)
    assert len(lines) == 3
    assert lines[-1].endswith(ELLIPSIS)
    assert all(text_width(line, face) <= 70 for line in lines)
    assert wrap_text("short", face.getlength, 70, 3) == ["short"]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("preset", list(PRESETS))
def test_frames_of_levels_are_outside_of_image(theme: str, preset: str):
    look = SheetCardStyle(64, theme, preset)
    inside = (slice(FRAME_MARGIN + 4, FRAME_MARGIN + 60),) * 2
    plain = np.array(paint_card(Tile(None, caption="x"), look))
    for level in range(4):
        style = look.level_style(level)
        pixels = np.array(paint_card(Tile(None, caption="x", level=level), look))
        assert count(pixels, style.frame) > 64 * style.width  # the better part of four sides
        assert np.array_equal(pixels[inside], plain[inside])


def test_binary_assessment_marks_level_1_like_2():
    card = Tile(None, caption="x", level=1)
    blue = PRESETS["ordinal"]["light"][2].frame
    assert count(np.array(paint_card(card, SheetCardStyle(64, is_binary=True))), blue) > 200
    assert count(np.array(paint_card(card, SheetCardStyle(64))), blue) == 0


def test_large_images_are_scaled():
    for pixels in (RED, np.repeat(np.repeat(RED, 5, 0), 5, 1)):
        shown = np.array(paint_card(Tile(pixels, caption="x"), SheetCardStyle(64)))
        middle = FRAME_MARGIN + 32
        assert np.abs(shown[middle, middle].astype(int) - (200, 0, 0)).max() <= 1
    half = RED.copy()
    half[..., 3] = 128
    shown = np.array(paint_card(Tile(half, caption="x"), SheetCardStyle(64, "dark"))).astype(int)
    assert np.abs(shown[FRAME_MARGIN + 32, FRAME_MARGIN + 32] - (128, 29, 34)).max() <= 2


def test_missing_image_shows_problem():
    look = SheetCardStyle(96)
    silent = np.array(paint_card(Tile(None, caption="x"), look))
    description = np.array(paint_card(Tile(None, caption="x", problem="holds no geometry"), look))
    assert (silent != description).any(axis=2).sum() > 400


def test_result_strip_layout():
    look = SheetCardStyle(64)
    width, height = look.size
    cards = [Tile(RED, caption=f"m{rank}", rank=rank, level=rank % 3) for rank in range(1, 8)]
    alone = result_strip(None, cards, 3, look)
    with_query = result_strip(Tile(RED, caption="Q1", is_query=True), cards, 3, look)
    assert alone.shape[0] == with_query.shape[0] == 24 + 3 * (height + 6) - 6
    assert with_query.shape[1] - alone.shape[1] == width + 24
    assert alone.shape[2] == 4
    assert (alone[..., 3] == 255).all()
    assert count(alone, "#C80000") == pytest.approx(7 * 1600, rel=0.01)
    assert count(with_query, "#C80000") == pytest.approx(8 * 1600, rel=0.01)
    twice = result_strip(None, cards, 3, SheetCardStyle(64, scale=2))
    assert twice.shape[:2] == tuple(2 * side for side in alone.shape[:2])


def test_empty_list_and_legend():
    look = SheetCardStyle(64)
    empty = result_strip(None, [], 5, look, empty="no list for this query")
    assert (empty[..., :3] != colour(BACKGROUNDS["light"])).any()
    cards = [Tile(RED, caption="m1", level=2)] * 4
    plain, error_hunting = (
        result_strip(None, cards, 4, look),
        result_strip(None, cards, 4, look, legend=[(2, "relevant")]),
    )
    assert error_hunting.shape[0] > plain.shape[0]
    assert count(error_hunting, look.level_style(2).frame) > count(plain, look.level_style(2).frame)


def test_contact_sheet_is_nearly_square_and_limited():
    cards = [Tile(RED, caption=str(place), level=UNJUDGED if place % 2 else None) for place in range(50)]
    sheet = contact_sheet(cards, style=SheetCardStyle(64))
    assert 0.8 < sheet.shape[1] / sheet.shape[0] < 2
    assert contact_sheet(cards, 10, SheetCardStyle(64)).shape[1] == 24 + 10 * (78 + 6) - 6
    with pytest.raises(ValueError, match="a sheet of 50 cards of 3000 pixels is too large; use smaller cards"):
        contact_sheet(cards, 10, SheetCardStyle(3000))
