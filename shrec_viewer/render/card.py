"""Paints one card of a sheet: the framed picture, and rank, name, badge and a second line below it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.render.card_look import (
    CORNER,
    FRAME_ROOM,
    GROUNDS,
    HATCHES,
    INKS,
    MUTED,
    PICTURES,
    CardLook,
    CardPicture,
)
from shrec_viewer.render.card_mark import badge_box, badge_ink, badge_text, draw_badge_ground, draw_frame
from shrec_viewer.render.lettering import font, shortened, width_of, wrapped

FINER = 3
"""Times as many pixels on each side while lines are drawn: Pillow has no smooth ones."""

HATCH_STEP = 8
"""Pixels between two strokes where a picture is missing."""


def paint_card(card: CardPicture, look: CardLook) -> Any:
    """The card as a Pillow image in RGB, on the theme's ground."""
    from PIL import Image, ImageDraw

    width, height = (round(value * look.scale) for value in look.size)
    image = Image.new("RGB", (width * FINER, height * FINER), GROUNDS[look.theme])
    draw = ImageDraw.Draw(image)
    unit = look.scale * FINER
    box = np.array([FRAME_ROOM, FRAME_ROOM, FRAME_ROOM + look.side, FRAME_ROOM + look.side]) * unit
    draw.rounded_rectangle(tuple(box), CORNER * unit, PICTURES[look.theme])
    if card.pixels is None and card.problem:
        _hatch(image, box, look, unit)
    draw_frame(draw, box, card, look, unit)
    if look.lines:
        draw_badge_ground(draw, card, look, unit)
    small = image.reduce(FINER)
    picture = tuple(round(value / FINER) for value in box)
    if card.pixels is not None:
        _paste(small, card.pixels, picture)
    elif card.problem:
        _reason(small, card.problem, picture, look)
    if look.lines:
        _caption(small, card, look)
    return small


# ── picture ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def _paste(image: Any, pixels: NDArray[np.uint8], box: tuple[int, ...]) -> None:
    from PIL import Image, ImageOps

    side = (box[2] - box[0], box[3] - box[1])
    picture = Image.fromarray(pixels)
    if max(picture.size) > max(side):
        picture = ImageOps.contain(picture.convert("RGBa"), side, Image.Resampling.LANCZOS).convert("RGBA")
    left = box[0] + (side[0] - picture.width) // 2
    top = box[1] + (side[1] - picture.height) // 2
    image.paste(picture, (left, top), picture)


def _hatch(image: Any, box: NDArray[np.float64], look: CardLook, unit: float) -> None:
    from PIL import Image, ImageDraw

    strokes = Image.new("RGB", image.size, PICTURES[look.theme])
    draw = ImageDraw.Draw(strokes)
    reach = box[2] - box[0]
    for start in np.arange(0, 2 * reach, HATCH_STEP * unit):
        line = (box[0] + start, box[1], box[0] + start - reach, box[3])
        draw.line(line, HATCHES[look.theme], round(2 * unit))
    mask = Image.new("L", image.size, 0)
    ImageDraw.Draw(mask).rounded_rectangle(tuple(box), CORNER * unit, 255)
    image.paste(strokes, (0, 0), mask)


def _reason(image: Any, problem: str, box: tuple[int, ...], look: CardLook) -> None:
    from PIL import ImageDraw

    draw = ImageDraw.Draw(image)
    face = font(look.text * 0.88 * look.scale)
    step = look.line * 0.92 * look.scale
    most = max(1, int((box[3] - box[1] - 16 * look.scale) / step))
    lines = wrapped(problem, face, box[2] - box[0] - 20 * look.scale, most)
    middle, width = (box[1] + box[3]) / 2, max((width_of(line, face) for line in lines), default=0)
    pad, half = 4 * look.scale, len(lines) * step / 2
    centre = (box[0] + box[2]) / 2
    ground = (centre - width / 2 - pad, middle - half - pad / 2, centre + width / 2 + pad, middle + half + pad / 2)
    draw.rounded_rectangle(ground, CORNER * look.scale, PICTURES[look.theme])
    for number, line in enumerate(lines):
        draw.text((centre, middle - half + (number + 0.5) * step), line, MUTED[look.theme], face, anchor="mm")


# ── caption ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def _caption(image: Any, card: CardPicture, look: CardLook) -> None:
    from PIL import ImageDraw

    draw = ImageDraw.Draw(image)
    scale, text = look.scale, look.text * look.scale
    plain, strong = font(text), font(text, strong=True)
    left, right = (FRAME_ROOM - 1) * scale, (look.size[0] - FRAME_ROOM + 1) * scale
    badge_left, badge_top, badge_right, badge_bottom = (value * scale for value in badge_box(card, look))
    first = (badge_top + badge_bottom) / 2 if badge_right > badge_left else badge_top + (look.line - 1.5) * scale / 2
    if badge_right > badge_left:
        face = font(text * 0.9, strong=True)
        ink, edge = badge_ink(card, look), (badge_bottom - badge_top) * 0.31
        draw.text((badge_right - edge, first), badge_text(card), ink, face, anchor="rm")
    if card.rank is not None:
        draw.text((left, first), f"{card.rank:,}", INKS[look.theme], strong, anchor="lm")
        left += width_of(f"{card.rank:,}", strong) + 6 * scale
    room = badge_left - left - 4 * scale if badge_right > badge_left else right - left
    draw.text((left, first), shortened(card.caption, plain, room, keep_end=True), INKS[look.theme], plain, anchor="lm")
    if look.lines < 2:
        return
    left, second = (FRAME_ROOM - 1) * scale, first + look.line * scale
    draw.text((right, second), card.note, INKS[look.theme], plain, anchor="rm")
    room = right - left - (width_of(card.note, plain) + 6 * scale if card.note else 0)
    draw.text((left, second), shortened(card.detail, plain, room), MUTED[look.theme], plain, anchor="lm")
