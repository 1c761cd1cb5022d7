"""Paint one card of a sheet with Pillow: frame, image, badge and caption."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import ceil
from typing import Any
from unicodedata import combining

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.charts.strips import UNJUDGED, Tile
from shrec_viewer.render.scene.palette import RelevanceStyle, relevance_style
from shrec_viewer.resources import resource

ELLIPSIS = "…"

#: Fonts shipped with the program, so that a sheet looks the same on every machine.
_FONT_FILES = {False: "fonts/Inter-Regular.ttf", True: "fonts/Inter-SemiBold.ttf"}


@lru_cache(maxsize=64)
def load_font(pixels: float, *, strong: bool = False) -> Any:
    """A Pillow font of this size; Pillow's default font if the files are missing."""
    from PIL import ImageFont

    try:
        return ImageFont.truetype(str(resource(_FONT_FILES[strong])), pixels)
    except OSError:
        return ImageFont.load_default(pixels)


def text_width(text: str, face: Any) -> float:
    """Advance width of a text in pixels."""
    return float(face.getlength(text))


def elide_text(text: str, measure: Callable[[str], float], max_width: float, *, keep_end: bool = False) -> str:
    """Shorten a text to a width with an ellipsis; "" if not even one character fits.

    Parameters
    ----------
    measure : width of a text, in the unit of `max_width`.
    keep_end : elide the middle, as ids of one collection differ at their end.
    """
    text = " ".join(text.split())
    if measure(text) <= max_width:
        return text
    low, high = 0, len(text)
    while low < high:  # binary search for the number of characters that fit
        middle = (low + high + 1) // 2
        low, high = (middle, high) if measure(_elided(text, middle, keep_end)) <= max_width else (low, middle - 1)
    return _elided(text, low, keep_end) if low else ""


def wrap_text(
    text: str, measure: Callable[[str], float], max_width: float, max_lines: int, *, keep_end: bool = False
) -> list[str]:
    """Wrap a text to at most `max_lines` lines; the last is elided, see `elide_text`."""
    lines: list[str] = []
    words = text.split()
    while words and len(lines) < max_lines:
        count = len(words)
        while count > 1 and measure(" ".join(words[:count])) > max_width:
            count -= 1
        if len(lines) == max_lines - 1:
            count = len(words)
        lines.append(elide_text(" ".join(words[:count]), measure, max_width, keep_end=keep_end))
        words = words[count:]
    return [line for line in lines if line]


def _elided(text: str, count: int, keep_end: bool) -> str:
    """The first `count` characters of a text and an ellipsis; combining accents stay with their letter."""
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


#: Pixels around an image for the widest frame (4) and its gap, as in the window.
FRAME_MARGIN = 7

#: Radius of an image's corners in pixels.
CORNER_RADIUS = 3

#: Font size in pixels on a card of 128 pixels; slightly larger on larger cards.
TEXT_SIZE = 11.5

BACKGROUNDS = {"light": "#FFFFFF", "dark": "#1B1E23"}
IMAGE_BACKGROUNDS = {"light": "#E9EBEF", "dark": "#363B44"}
HATCH_COLOURS = {"light": "#D3D7DD", "dark": "#4A505B"}
TEXT_COLOURS = {"light": "#1B1E23", "dark": "#ECEEF1"}
MUTED_TEXT_COLOURS = {"light": "#5A616C", "dark": "#A9B0BB"}
RULE_COLOURS = {"light": "#DEE1E6", "dark": "#353A43"}
#: Colours by theme, as in the window.
OUTLINE_COLOURS = {"light": "#7F8691", "dark": "#7A828E"}


@dataclass(frozen=True)
class SheetCardStyle:
    """How cards are painted.

    Attributes
    ----------
    side : side of the image in pixels, before `scale`.
    theme : "light" or "dark".
    preset : key of `palette.PRESETS`.
    scale : pixels of the sheet per pixel of these lengths; 2 for print and high-resolution screens.
    is_binary : whether the assessment has no graded levels; level 1 then looks like level 2.
    lines : number of text lines, 0 to 2.
    """

    side: int = 128
    theme: str = "light"
    preset: str = "ordinal"
    scale: float = 1.0
    is_binary: bool = False
    lines: int = 2

    @property
    def font_size(self) -> float:
        """Font size in pixels, before `scale`."""
        return TEXT_SIZE * (1.0 if self.side >= 112 else 0.9) * (1.1 if self.side >= 192 else 1.0)

    @property
    def line_height(self) -> int:
        """Line height in pixels, before `scale`."""
        return ceil(self.font_size * 1.35)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of a card in pixels, before `scale`."""
        side = self.side + 2 * FRAME_MARGIN
        return side, side + (self.lines * self.line_height + 5 if self.lines else 0)

    def level_style(self, level: int) -> RelevanceStyle:
        """Mark of a level in this style."""
        return relevance_style(2 if self.is_binary and level == 1 else level, self.theme, self.preset)


#: Pixels between image and frame; 0 for frames of one pixel.
FRAME_GAP = 1.5


def draw_frame(draw: Any, box: NDArray[np.float64], card: Tile, style: SheetCardStyle, unit: float) -> None:
    """Draw the frame that marks relevance around `box` (left, top, right, bottom in pixels of `draw`)."""
    if card.is_query:
        for distance in (FRAME_GAP, FRAME_GAP + 3):
            _outline(draw, box, distance, 1, TEXT_COLOURS[style.theme], unit)
    elif card.level is not None and card.level <= UNJUDGED:
        _dashes(draw, box, 0.0, 1, OUTLINE_COLOURS[style.theme], unit, (1.5, 2.5))
    elif card.level is not None:
        mark = style.level_style(card.level)
        gap = FRAME_GAP if mark.width > 1 else 0.0
        if mark.line == "dash":
            _dashes(draw, box, gap, mark.width, mark.frame, unit, (2.4 * mark.width, 1.4 * mark.width))
        elif mark.width:
            _outline(draw, box, gap, mark.width, mark.frame, unit)
        if mark.hatched:
            _hatch_marks(draw, box, mark.frame, unit)


def _outline(draw: Any, box: NDArray[np.float64], gap: float, width: float, colour: str, unit: float) -> None:
    out = (gap + width) * unit
    corners = (*(box[:2] - out), *(box[2:] + out - 1))
    draw.rounded_rectangle(corners, CORNER_RADIUS * unit + out, None, colour, round(width * unit))


def _dashes(
    draw: Any, box: NDArray[np.float64], gap: float, width: float, colour: str, unit: float, pattern: tuple[float, ...]
) -> None:
    """Dashes along each side, symmetric about its middle, so that all four corners look alike."""
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
    """Short strokes outside of the frame, in the preset that emphasises errors."""
    length = (FRAME_MARGIN - FRAME_GAP - 1) * unit
    for start in np.arange(box[0], box[2], 5 * unit):
        for top in (box[1] - FRAME_GAP * unit, box[3] + FRAME_GAP * unit + length):
            draw.line((start, top, start + length, top - length), colour, round(unit))


def badge_text(card: Tile) -> str:
    """Text of the badge; empty for none."""
    if card.is_query:
        return "Q"
    if card.level is None:
        return ""
    return "?" if card.level <= UNJUDGED else str(card.level)


def badge_box(card: Tile, style: SheetCardStyle) -> tuple[float, float, float, float]:
    """Left, top, right, bottom in pixels before scale; of zero width without a badge."""
    text = badge_text(card)
    height = style.line_height - 1.5
    top = style.size[1] - style.lines * style.line_height - 1
    right = style.size[0] - FRAME_MARGIN + 1
    if not text:
        return right, top, right, top
    # Measured at 8 times the size, where hinting changes the width less.
    letters = text_width(text, load_font(style.font_size * 0.9 * 8, strong=True)) / 8
    glyph = 0.0 if card.is_query or (card.level or 0) <= UNJUDGED else style.font_size * 0.72 + 3
    return right - letters - glyph - height * 0.62, top, right, top + height


def draw_badge_background(draw: Any, card: Tile, style: SheetCardStyle, unit: float) -> None:
    """Draw the background and glyph of the badge; its text is drawn later, at the final resolution."""
    left, top, right, bottom = (value * unit for value in badge_box(card, style))
    if right <= left:
        return
    radius = (bottom - top) / 2
    corners = (left, top, right - 1, bottom - 1)
    if card.is_query or (card.level or 0) <= UNJUDGED:
        colour = TEXT_COLOURS[style.theme] if card.is_query else OUTLINE_COLOURS[style.theme]
        draw.rounded_rectangle(corners, radius, colour if card.is_query else None, colour, round(unit))
        return
    mark = style.level_style(card.level or 0)
    is_hollow = card.level == 0 and not mark.hatched
    draw.rounded_rectangle(corners, radius, None if is_hollow else mark.frame, mark.frame, round(unit))
    glyph_colour = mark.frame if is_hollow else mark.badge_ink
    size = style.font_size * 0.72 * unit
    centre_x, centre_y = left + (bottom - top) * 0.31 + size / 2, (top + bottom) / 2
    circle = (centre_x - size / 2, centre_y - size / 2, centre_x + size / 2, centre_y + size / 2)
    draw.ellipse(circle, glyph_colour if mark.glyph == "●" else None, glyph_colour, round(1.2 * unit))
    if mark.glyph == "◐":
        draw.pieslice(circle, 90, 270, glyph_colour)
    elif mark.glyph == "◉":
        inner = (centre_x - size / 4, centre_y - size / 4, centre_x + size / 4, centre_y + size / 4)
        draw.ellipse(inner, glyph_colour)


def badge_text_colour(card: Tile, style: SheetCardStyle) -> str:
    """Colour of the badge's text."""
    if card.is_query:
        return BACKGROUNDS[style.theme]
    if (card.level or 0) <= UNJUDGED:
        return MUTED_TEXT_COLOURS[style.theme]
    mark = style.level_style(card.level or 0)
    return mark.frame if card.level == 0 and not mark.hatched else mark.badge_ink


#: Factor of the resolution at which lines are drawn; Pillow has no antialiasing for them.
SUPERSAMPLING = 3

#: Pixels between two hatching lines of a missing image.
HATCH_STEP = 8


def paint_card(card: Tile, style: SheetCardStyle) -> Any:
    """Paint a card as a Pillow image in RGB."""
    from PIL import Image, ImageDraw

    width, height = (round(value * style.scale) for value in style.size)
    image = Image.new("RGB", (width * SUPERSAMPLING, height * SUPERSAMPLING), BACKGROUNDS[style.theme])
    draw = ImageDraw.Draw(image)
    unit = style.scale * SUPERSAMPLING
    box = np.array([FRAME_MARGIN, FRAME_MARGIN, FRAME_MARGIN + style.side, FRAME_MARGIN + style.side]) * unit
    draw.rounded_rectangle(tuple(box), CORNER_RADIUS * unit, IMAGE_BACKGROUNDS[style.theme])
    if card.pixels is None and card.problem:
        _hatch_image(image, box, style, unit)
    draw_frame(draw, box, card, style, unit)
    if style.lines:
        draw_badge_background(draw, card, style, unit)
    small = image.reduce(SUPERSAMPLING)
    image_box = tuple(round(value / SUPERSAMPLING) for value in box)
    if card.pixels is not None:
        _paste_image(small, card.pixels, image_box)
    elif card.problem:
        _problem_text(small, card.problem, image_box, style)
    if style.lines:
        _caption(small, card, style)
    return small


# ── image ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def _paste_image(image: Any, pixels: NDArray[np.uint8], box: tuple[int, ...]) -> None:
    from PIL import Image, ImageOps

    side = (box[2] - box[0], box[3] - box[1])
    scaled = Image.fromarray(pixels)
    if max(scaled.size) > max(side):
        scaled = ImageOps.contain(scaled.convert("RGBa"), side, Image.Resampling.LANCZOS).convert("RGBA")
    left = box[0] + (side[0] - scaled.width) // 2
    top = box[1] + (side[1] - scaled.height) // 2
    image.paste(scaled, (left, top), scaled)


def _hatch_image(image: Any, box: NDArray[np.float64], style: SheetCardStyle, unit: float) -> None:
    from PIL import Image, ImageDraw

    strokes = Image.new("RGB", image.size, IMAGE_BACKGROUNDS[style.theme])
    draw = ImageDraw.Draw(strokes)
    length = box[2] - box[0]
    for start in np.arange(0, 2 * length, HATCH_STEP * unit):
        line = (box[0] + start, box[1], box[0] + start - length, box[3])
        draw.line(line, HATCH_COLOURS[style.theme], round(2 * unit))
    mask = Image.new("L", image.size, 0)
    ImageDraw.Draw(mask).rounded_rectangle(tuple(box), CORNER_RADIUS * unit, 255)
    image.paste(strokes, (0, 0), mask)


def _problem_text(image: Any, problem: str, box: tuple[int, ...], style: SheetCardStyle) -> None:
    from PIL import ImageDraw

    draw = ImageDraw.Draw(image)
    face = load_font(style.font_size * 0.88 * style.scale)
    step = style.line_height * 0.92 * style.scale
    max_lines = max(1, int((box[3] - box[1] - 16 * style.scale) / step))
    lines = wrap_text(problem, face.getlength, box[2] - box[0] - 20 * style.scale, max_lines)
    middle, width = (box[1] + box[3]) / 2, max((text_width(line, face) for line in lines), default=0)
    pad, half = 4 * style.scale, len(lines) * step / 2
    centre = (box[0] + box[2]) / 2
    ground = (centre - width / 2 - pad, middle - half - pad / 2, centre + width / 2 + pad, middle + half + pad / 2)
    draw.rounded_rectangle(ground, CORNER_RADIUS * style.scale, IMAGE_BACKGROUNDS[style.theme])
    for number, line in enumerate(lines):
        draw.text(
            (centre, middle - half + (number + 0.5) * step), line, MUTED_TEXT_COLOURS[style.theme], face, anchor="mm"
        )


# ── caption ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def _caption(image: Any, card: Tile, style: SheetCardStyle) -> None:
    from PIL import ImageDraw

    draw = ImageDraw.Draw(image)
    scale, text = style.scale, style.font_size * style.scale
    plain, strong = load_font(text), load_font(text, strong=True)
    left, right = (FRAME_MARGIN - 1) * scale, (style.size[0] - FRAME_MARGIN + 1) * scale
    badge_left, badge_top, badge_right, badge_bottom = (value * scale for value in badge_box(card, style))
    first = (
        (badge_top + badge_bottom) / 2
        if badge_right > badge_left
        else badge_top + (style.line_height - 1.5) * scale / 2
    )
    if badge_right > badge_left:
        face = load_font(text * 0.9, strong=True)
        text_colour, edge = badge_text_colour(card, style), (badge_bottom - badge_top) * 0.31
        draw.text((badge_right - edge, first), badge_text(card), text_colour, face, anchor="rm")
    if card.rank is not None:
        draw.text((left, first), f"{card.rank:,}", TEXT_COLOURS[style.theme], strong, anchor="lm")
        left += text_width(f"{card.rank:,}", strong) + 6 * scale
    max_width = badge_left - left - 4 * scale if badge_right > badge_left else right - left
    draw.text(
        (left, first),
        elide_text(card.caption, plain.getlength, max_width, keep_end=True),
        TEXT_COLOURS[style.theme],
        plain,
        anchor="lm",
    )
    if style.lines < 2:
        return
    left, second = (FRAME_MARGIN - 1) * scale, first + style.line_height * scale
    draw.text((right, second), card.note, TEXT_COLOURS[style.theme], plain, anchor="rm")
    max_width = right - left - (text_width(card.note, plain) + 6 * scale if card.note else 0)
    detail = elide_text(card.detail, plain.getlength, max_width)
    draw.text((left, second), detail, MUTED_TEXT_COLOURS[style.theme], plain, anchor="lm")
