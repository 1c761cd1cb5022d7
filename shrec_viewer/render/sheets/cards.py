"""Paint one card of a sheet with Pillow: frame, image, badge and caption."""

from dataclasses import dataclass
from functools import lru_cache
from math import ceil
from typing import Any
from unicodedata import combining

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.render.scene.palette import RelevanceStyle, relevance_style
from shrec_viewer.resources import resource

ELLIPSIS = "…"

_FONT_FILES = {False: "fonts/Inter-Regular.ttf", True: "fonts/Inter-SemiBold.ttf"}
"""Shipped with the program, so that a sheet looks the same on every machine."""


@lru_cache(maxsize=64)
def load_font(pixels: float, *, strong: bool = False) -> Any:
    """A Pillow font of that size; Pillow's own where the installation lacks its files."""
    from PIL import ImageFont

    try:
        return ImageFont.truetype(str(resource(_FONT_FILES[strong])), pixels)
    except OSError:
        return ImageFont.load_default(pixels)


def text_width(text: str, face: Any) -> float:
    """Pixels that a text takes from its start to where the next would begin."""
    return float(face.getlength(text))


def elide_text(text: str, face: Any, room: float, *, keep_end: bool = False) -> str:
    """The text if it fits into `room` pixels, else as much of it as fits with an ellipsis; "" where nothing does.

    Parameters
    ----------
    keep_end : take letters out of the middle, as ids of one collection differ at their end.
    """
    text = " ".join(text.split())
    if text_width(text, face) <= room:
        return text
    low, high = 0, len(text)
    while low < high:  # the most letters that fit
        middle = (low + high + 1) // 2
        low, high = (middle, high) if text_width(_elided(text, middle, keep_end), face) <= room else (low, middle - 1)
    return _elided(text, low, keep_end) if low else ""


def wrap_text(text: str, face: Any, room: float, most: int) -> list[str]:
    """At most so many lines, broken between words; what does not fit ends with an ellipsis."""
    lines: list[str] = []
    words = text.split()
    while words and len(lines) < most:
        count = len(words)
        while count > 1 and text_width(" ".join(words[:count]), face) > room:
            count -= 1
        if len(lines) == most - 1:
            count = len(words)
        lines.append(elide_text(" ".join(words[:count]), face, room))
        words = words[count:]
    return [line for line in lines if line]


def _elided(text: str, count: int, keep_end: bool) -> str:
    """`count` letters of the text and an ellipsis; accents stay with their letter."""
    if not keep_end:
        return text[: _grapheme_end(text, count)].rstrip() + ELLIPSIS
    head = _grapheme_end(text, (count + 1) // 2)
    tail = len(text) - count // 2
    while tail < len(text) and combining(text[tail]):
        tail += 1
    return text[:head].rstrip() + ELLIPSIS + text[tail:].lstrip()


def _grapheme_end(text: str, count: int) -> int:
    while 0 < count < len(text) and combining(text[count]):
        count -= 1
    return count


UNJUDGED = -1
"""Level of a model that nobody assessed."""

FRAME_MARGIN = 7
"""Pixels around a picture for the widest frame (5) and its gap, as in the window."""

CORNER_RADIUS = 3
"""Radius of a picture's corners in pixels."""

TEXT_SIZE = 11.5
"""Pixels of a caption's letters on a card of 128 pixels; larger cards get a little more."""

BACKGROUNDS = {"light": "#FFFFFF", "dark": "#1B1E23"}
IMAGE_BACKGROUNDS = {"light": "#E9EBEF", "dark": "#363B44"}
HATCH_COLOURS = {"light": "#D3D7DD", "dark": "#4A505B"}
TEXT_COLOURS = {"light": "#1B1E23", "dark": "#ECEEF1"}
MUTED_TEXT_COLOURS = {"light": "#5A616C", "dark": "#A9B0BB"}
RULE_COLOURS = {"light": "#DEE1E6", "dark": "#353A43"}
OUTLINE_COLOURS = {"light": "#7F8691", "dark": "#7A828E"}
"""By theme: the window's own grounds and inks, so that a sheet looks like what it was copied from."""


@dataclass(frozen=True, eq=False)
class SheetCard:
    """What one card shows.

    Attributes
    ----------
    pixels : (h, w, 4) uint8 straight alpha, of any size; None where there is no picture.
    caption : the id.
    detail : second line, left: the class.
    note : second line, right: the distance.
    rank : 1-based, or None.
    level : relevance; `UNJUDGED` where nobody assessed it, None where relevance is not the subject (no frame).
    problem : why there is no picture.
    is_query : a double frame in ink instead of a level's.
    """

    pixels: NDArray[np.uint8] | None
    caption: str
    detail: str = ""
    note: str = ""
    rank: int | None = None
    level: int | None = None
    problem: str = ""
    is_query: bool = False


@dataclass(frozen=True)
class SheetCardStyle:
    """How cards are painted.

    Attributes
    ----------
    side : pixels of a picture's edge, before `scale`.
    theme : "light" or "dark".
    preset : of `render.palette.PRESETS`.
    scale : pixels of the sheet for one of these; 2 for print and fine screens.
    is_binary : the truth has no degrees: level 1 is plainly relevant and looks like 2.
    lines : of the caption, 0 to 2.
    """

    side: int = 128
    theme: str = "light"
    preset: str = "ordinal"
    scale: float = 1.0
    is_binary: bool = False
    lines: int = 2

    @property
    def text(self) -> float:
        """Pixels of the letters, before `scale`."""
        return TEXT_SIZE * (1.0 if self.side >= 112 else 0.9) * (1.1 if self.side >= 192 else 1.0)

    @property
    def line(self) -> int:
        """Pixels from line to line."""
        return ceil(self.text * 1.35)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of a card in pixels, before `scale`."""
        side = self.side + 2 * FRAME_MARGIN
        return side, side + (self.lines * self.line + 5 if self.lines else 0)

    def style(self, level: int) -> RelevanceStyle:
        """Mark of a level under this look."""
        return relevance_style(2 if self.is_binary and level == 1 else level, self.theme, self.preset)


FRAME_GAP = 1.5
"""Pixels between picture and frame; a hair line needs none."""


def draw_frame(draw: Any, box: NDArray[np.float64], card: SheetCard, look: SheetCardStyle, unit: float) -> None:
    """Draw the frame that says how relevant a card is around `box` (left, top, right, bottom in pixels of `draw`)."""
    if card.is_query:
        for distance in (FRAME_GAP, FRAME_GAP + 3):
            _outline(draw, box, distance, 1, TEXT_COLOURS[look.theme], unit)
    elif card.level is not None and card.level <= UNJUDGED:
        _dashes(draw, box, 0.0, 1, OUTLINE_COLOURS[look.theme], unit, (1.5, 2.5))
    elif card.level is not None:
        style = look.style(card.level)
        gap = FRAME_GAP if style.width > 1 else 0.0
        if style.line == "dash":
            _dashes(draw, box, gap, style.width, style.frame, unit, (2.4 * style.width, 1.4 * style.width))
        else:
            _outline(draw, box, gap, style.width, style.frame, unit)
        if style.hatched:
            _hatch_marks(draw, box, style.frame, unit)


def _outline(draw: Any, box: NDArray[np.float64], gap: float, width: float, colour: str, unit: float) -> None:
    out = (gap + width) * unit
    place = (*(box[:2] - out), *(box[2:] + out - 1))
    draw.rounded_rectangle(place, CORNER_RADIUS * unit + out, None, colour, round(width * unit))


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


def _hatch_marks(draw: Any, box: NDArray[np.float64], colour: str, unit: float) -> None:
    """Short strokes outwards, for those who hunt errors."""
    reach = (FRAME_MARGIN - FRAME_GAP - 1) * unit
    for start in np.arange(box[0], box[2], 5 * unit):
        for top in (box[1] - FRAME_GAP * unit, box[3] + FRAME_GAP * unit + reach):
            draw.line((start, top, start + reach, top - reach), colour, round(unit))


def badge_text(card: SheetCard) -> str:
    """What stands in the badge; "" for none."""
    if card.is_query:
        return "Q"
    if card.level is None:
        return ""
    return "?" if card.level <= UNJUDGED else str(card.level)


def badge_box(card: SheetCard, look: SheetCardStyle) -> tuple[float, float, float, float]:
    """Left, top, right, bottom in pixels before scale; empty where there is none."""
    text = badge_text(card)
    height = look.line - 1.5
    top = look.size[1] - look.lines * look.line - 1
    right = look.size[0] - FRAME_MARGIN + 1
    if not text:
        return right, top, right, top
    letters = text_width(text, load_font(look.text * 0.9 * 8, strong=True)) / 8
    glyph = 0.0 if card.is_query or (card.level or 0) <= UNJUDGED else look.text * 0.72 + 3
    return right - letters - glyph - height * 0.62, top, right, top + height


def draw_badge_background(draw: Any, card: SheetCard, look: SheetCardStyle, unit: float) -> None:
    """Draw the pill and its glyph, where there is a badge; its text comes later, at the final size."""
    left, top, right, bottom = (value * unit for value in badge_box(card, look))
    if right <= left:
        return
    radius = (bottom - top) / 2
    place = (left, top, right - 1, bottom - 1)
    if card.is_query or (card.level or 0) <= UNJUDGED:
        colour = TEXT_COLOURS[look.theme] if card.is_query else OUTLINE_COLOURS[look.theme]
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


def badge_text_colour(card: SheetCard, look: SheetCardStyle) -> str:
    """Colour of the badge's text."""
    if card.is_query:
        return BACKGROUNDS[look.theme]
    if (card.level or 0) <= UNJUDGED:
        return MUTED_TEXT_COLOURS[look.theme]
    style = look.style(card.level or 0)
    return style.frame if card.level == 0 and not style.hatched else style.badge_ink


SUPERSAMPLING = 3
"""Times as many pixels on each side while lines are drawn: Pillow has no smooth ones."""

HATCH_STEP = 8
"""Pixels between two strokes where a picture is missing."""


def paint_card(card: SheetCard, look: SheetCardStyle) -> Any:
    """The card as a Pillow image in RGB, on the theme's ground."""
    from PIL import Image, ImageDraw

    width, height = (round(value * look.scale) for value in look.size)
    image = Image.new("RGB", (width * SUPERSAMPLING, height * SUPERSAMPLING), BACKGROUNDS[look.theme])
    draw = ImageDraw.Draw(image)
    unit = look.scale * SUPERSAMPLING
    box = np.array([FRAME_MARGIN, FRAME_MARGIN, FRAME_MARGIN + look.side, FRAME_MARGIN + look.side]) * unit
    draw.rounded_rectangle(tuple(box), CORNER_RADIUS * unit, IMAGE_BACKGROUNDS[look.theme])
    if card.pixels is None and card.problem:
        _hatch_image(image, box, look, unit)
    draw_frame(draw, box, card, look, unit)
    if look.lines:
        draw_badge_background(draw, card, look, unit)
    small = image.reduce(SUPERSAMPLING)
    picture = tuple(round(value / SUPERSAMPLING) for value in box)
    if card.pixels is not None:
        _paste_image(small, card.pixels, picture)
    elif card.problem:
        _problem_text(small, card.problem, picture, look)
    if look.lines:
        _caption(small, card, look)
    return small


# ── picture ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def _paste_image(image: Any, pixels: NDArray[np.uint8], box: tuple[int, ...]) -> None:
    from PIL import Image, ImageOps

    side = (box[2] - box[0], box[3] - box[1])
    picture = Image.fromarray(pixels)
    if max(picture.size) > max(side):
        picture = ImageOps.contain(picture.convert("RGBa"), side, Image.Resampling.LANCZOS).convert("RGBA")
    left = box[0] + (side[0] - picture.width) // 2
    top = box[1] + (side[1] - picture.height) // 2
    image.paste(picture, (left, top), picture)


def _hatch_image(image: Any, box: NDArray[np.float64], look: SheetCardStyle, unit: float) -> None:
    from PIL import Image, ImageDraw

    strokes = Image.new("RGB", image.size, IMAGE_BACKGROUNDS[look.theme])
    draw = ImageDraw.Draw(strokes)
    reach = box[2] - box[0]
    for start in np.arange(0, 2 * reach, HATCH_STEP * unit):
        line = (box[0] + start, box[1], box[0] + start - reach, box[3])
        draw.line(line, HATCH_COLOURS[look.theme], round(2 * unit))
    mask = Image.new("L", image.size, 0)
    ImageDraw.Draw(mask).rounded_rectangle(tuple(box), CORNER_RADIUS * unit, 255)
    image.paste(strokes, (0, 0), mask)


def _problem_text(image: Any, problem: str, box: tuple[int, ...], look: SheetCardStyle) -> None:
    from PIL import ImageDraw

    draw = ImageDraw.Draw(image)
    face = load_font(look.text * 0.88 * look.scale)
    step = look.line * 0.92 * look.scale
    most = max(1, int((box[3] - box[1] - 16 * look.scale) / step))
    lines = wrap_text(problem, face, box[2] - box[0] - 20 * look.scale, most)
    middle, width = (box[1] + box[3]) / 2, max((text_width(line, face) for line in lines), default=0)
    pad, half = 4 * look.scale, len(lines) * step / 2
    centre = (box[0] + box[2]) / 2
    ground = (centre - width / 2 - pad, middle - half - pad / 2, centre + width / 2 + pad, middle + half + pad / 2)
    draw.rounded_rectangle(ground, CORNER_RADIUS * look.scale, IMAGE_BACKGROUNDS[look.theme])
    for number, line in enumerate(lines):
        draw.text(
            (centre, middle - half + (number + 0.5) * step), line, MUTED_TEXT_COLOURS[look.theme], face, anchor="mm"
        )


# ── caption ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def _caption(image: Any, card: SheetCard, look: SheetCardStyle) -> None:
    from PIL import ImageDraw

    draw = ImageDraw.Draw(image)
    scale, text = look.scale, look.text * look.scale
    plain, strong = load_font(text), load_font(text, strong=True)
    left, right = (FRAME_MARGIN - 1) * scale, (look.size[0] - FRAME_MARGIN + 1) * scale
    badge_left, badge_top, badge_right, badge_bottom = (value * scale for value in badge_box(card, look))
    first = (badge_top + badge_bottom) / 2 if badge_right > badge_left else badge_top + (look.line - 1.5) * scale / 2
    if badge_right > badge_left:
        face = load_font(text * 0.9, strong=True)
        ink, edge = badge_text_colour(card, look), (badge_bottom - badge_top) * 0.31
        draw.text((badge_right - edge, first), badge_text(card), ink, face, anchor="rm")
    if card.rank is not None:
        draw.text((left, first), f"{card.rank:,}", TEXT_COLOURS[look.theme], strong, anchor="lm")
        left += text_width(f"{card.rank:,}", strong) + 6 * scale
    room = badge_left - left - 4 * scale if badge_right > badge_left else right - left
    draw.text(
        (left, first),
        elide_text(card.caption, plain, room, keep_end=True),
        TEXT_COLOURS[look.theme],
        plain,
        anchor="lm",
    )
    if look.lines < 2:
        return
    left, second = (FRAME_MARGIN - 1) * scale, first + look.line * scale
    draw.text((right, second), card.note, TEXT_COLOURS[look.theme], plain, anchor="rm")
    room = right - left - (text_width(card.note, plain) + 6 * scale if card.note else 0)
    draw.text((left, second), elide_text(card.detail, plain, room), MUTED_TEXT_COLOURS[look.theme], plain, anchor="lm")
