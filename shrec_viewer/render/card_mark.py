"""Marks of relevance around a picture and beside its name, as the window draws them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.render.card_look import (
    CORNER,
    FRAME_ROOM,
    GROUNDS,
    INKS,
    MUTED,
    OUTLINES,
    UNJUDGED,
    CardLook,
    CardPicture,
)
from shrec_viewer.render.lettering import font, width_of

FRAME_GAP = 1.5
"""Pixels between picture and frame; a hair line needs none."""


def draw_frame(draw: Any, box: NDArray[np.float64], card: CardPicture, look: CardLook, unit: float) -> None:
    """Draw the frame that says how relevant a card is around `box` (left, top, right, bottom in pixels of `draw`)."""
    if card.is_query:
        for distance in (FRAME_GAP, FRAME_GAP + 3):
            _outline(draw, box, distance, 1, INKS[look.theme], unit)
    elif card.level is not None and card.level <= UNJUDGED:
        _dashes(draw, box, 0.0, 1, OUTLINES[look.theme], unit, (1.5, 2.5))
    elif card.level is not None:
        style = look.style(card.level)
        gap = FRAME_GAP if style.width > 1 else 0.0
        if style.line == "dash":
            _dashes(draw, box, gap, style.width, style.frame, unit, (2.4 * style.width, 1.4 * style.width))
        else:
            _outline(draw, box, gap, style.width, style.frame, unit)
        if style.hatched:
            _strokes(draw, box, style.frame, unit)


def _outline(draw: Any, box: NDArray[np.float64], gap: float, width: float, colour: str, unit: float) -> None:
    out = (gap + width) * unit
    place = (*(box[:2] - out), *(box[2:] + out - 1))
    draw.rounded_rectangle(place, CORNER * unit + out, None, colour, round(width * unit))


def _dashes(
    draw: Any, box: NDArray[np.float64], gap: float, width: float, colour: str, unit: float, pattern: tuple[float, ...]
) -> None:
    """Dashes along each side, the same from both corners, so that all four look alike."""
    out = (gap + width / 2) * unit
    left, top, right, bottom = *(box[:2] - out), *(box[2:] + out)
    half = width * unit / 2
    side = right - left + 2 * half
    dash, space = (value * unit for value in pattern)
    count = max(1, round((side + space) / (dash + space)))
    dash = (side - (count - 1) * space) / count
    for start in np.arange(count) * (dash + space):
        for middle in (top, bottom):
            draw.rectangle(
                (left - half + start, middle - half, left - half + start + dash - 1, middle + half - 1), colour
            )
        for middle in (left, right):
            draw.rectangle(
                (middle - half, top - half + start, middle + half - 1, top - half + start + dash - 1), colour
            )


def _strokes(draw: Any, box: NDArray[np.float64], colour: str, unit: float) -> None:
    """Short strokes outwards, for those who hunt errors."""
    reach = (FRAME_ROOM - FRAME_GAP - 1) * unit
    for start in np.arange(box[0], box[2], 5 * unit):
        for top in (box[1] - FRAME_GAP * unit, box[3] + FRAME_GAP * unit + reach):
            draw.line((start, top, start + reach, top - reach), colour, round(unit))


def badge_text(card: CardPicture) -> str:
    """What stands in the badge; "" for none."""
    if card.is_query:
        return "Q"
    if card.level is None:
        return ""
    return "?" if card.level <= UNJUDGED else str(card.level)


def badge_box(card: CardPicture, look: CardLook) -> tuple[float, float, float, float]:
    """Left, top, right, bottom in pixels before scale; empty where there is none."""
    text = badge_text(card)
    height = look.line - 1.5
    top = look.size[1] - look.lines * look.line - 1
    right = look.size[0] - FRAME_ROOM + 1
    if not text:
        return right, top, right, top
    letters = width_of(text, font(look.text * 0.9 * 8, strong=True)) / 8
    glyph = 0.0 if card.is_query or (card.level or 0) <= UNJUDGED else look.text * 0.72 + 3
    return right - letters - glyph - height * 0.62, top, right, top + height


def draw_badge_ground(draw: Any, card: CardPicture, look: CardLook, unit: float) -> None:
    """Draw the pill and its glyph, where there is a badge; its text comes later, at the final size."""
    left, top, right, bottom = (value * unit for value in badge_box(card, look))
    if right <= left:
        return
    radius = (bottom - top) / 2
    place = (left, top, right - 1, bottom - 1)
    if card.is_query or (card.level or 0) <= UNJUDGED:
        colour = INKS[look.theme] if card.is_query else OUTLINES[look.theme]
        draw.rounded_rectangle(place, radius, colour if card.is_query else None, colour, round(unit))
        return
    style = look.style(card.level or 0)
    quiet = card.level == 0 and not style.hatched
    draw.rounded_rectangle(place, radius, None if quiet else style.frame, style.frame, round(unit))
    glyph_ink = style.frame if quiet else style.badge_ink
    size = look.text * 0.72 * unit
    centre_x, centre_y = left + (bottom - top) * 0.31 + size / 2, (top + bottom) / 2
    circle = (centre_x - size / 2, centre_y - size / 2, centre_x + size / 2, centre_y + size / 2)
    draw.ellipse(circle, glyph_ink if style.glyph == "●" else None, glyph_ink, round(1.2 * unit))
    if style.glyph == "◐":
        draw.pieslice(circle, 90, 270, glyph_ink)
    elif style.glyph == "◉":
        inner = (centre_x - size / 4, centre_y - size / 4, centre_x + size / 4, centre_y + size / 4)
        draw.ellipse(inner, glyph_ink)


def badge_ink(card: CardPicture, look: CardLook) -> str:
    """Colour of the badge's text."""
    if card.is_query:
        return GROUNDS[look.theme]
    if (card.level or 0) <= UNJUDGED:
        return MUTED[look.theme]
    style = look.style(card.level or 0)
    return style.frame if card.level == 0 and not style.hatched else style.badge_ink
