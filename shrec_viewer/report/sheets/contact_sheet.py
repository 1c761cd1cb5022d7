"""Sheets of cards: result strips and contact sheets."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.charts.strips import Tile
from shrec_viewer.domain.value_scale import ValueLegend
from shrec_viewer.report.sheets.cards import (
    BACKGROUNDS,
    FRAME_MARGIN,
    MUTED_TEXT_COLOURS,
    RULE_COLOURS,
    TEXT_COLOURS,
    SheetCardStyle,
    elide_text,
    load_font,
    paint_card,
    text_width,
)

#: Pixels between cards, before scale; frames add 7 on each side.
GAP = 6

#: Pixels around a sheet, before scale.
MARGIN = 12

#: Side of the image in a mark of the legend, in pixels: just enough for its frame.
_SWATCH = 9

#: Height of the legend in pixels.
_LEGEND = 26

#: Length of the palette of a quantity in pixels, before scale.
_VALUE_BAR = 120

#: Maximum side of a sheet in pixels; supported by most viewers and printers.
MAX_PIXELS = 16_000


def result_strip(
    query: Tile | None,
    cards: Sequence[Tile],
    columns: int,
    style: SheetCardStyle | None = None,
    *,
    title: str = "",
    legend: Sequence[tuple[int, str]] = (),
    empty: str = "no results",
) -> NDArray[np.uint8]:
    """Sheet of a query and the first results of its list, in rows.

    Parameters
    ----------
    query : left of the results, separated by a line; None for none.
    cards : results in the order of their ranks; without any, the text `empty` is shown.
    columns : cards in a row, at least 1.
    style : size, theme and scale.
    title : line above the cards; "" for none.
    legend : level and text of each mark, the highest first; below the cards.

    Returns
    -------
    (H, W, 4) uint8, opaque.
    """
    style = style or SheetCardStyle()
    page = _SheetPage(style, title)
    width, height = style.size
    columns = max(1, min(columns, len(cards) or 3))
    rows = max(1, -(-len(cards) // columns))
    start = MARGIN if query is None else MARGIN + width + 4 * GAP
    content_top = page.open(
        start + columns * (width + GAP) - GAP + MARGIN, rows * (height + GAP) - GAP + (_LEGEND if legend else 0)
    )
    if query is not None:
        page.put(query, MARGIN, content_top)
        page.rule(MARGIN + width + 2 * GAP, content_top + FRAME_MARGIN, rows * (height + GAP) - GAP - FRAME_MARGIN)
    for index, card in enumerate(cards):
        page.put(card, start + index % columns * (width + GAP), content_top + index // columns * (height + GAP))
    if not cards:
        page.text(start, content_top + FRAME_MARGIN + style.side / 2, empty)
    page.legend(start, content_top + rows * (height + GAP) - GAP + _LEGEND / 2 + 3, legend)
    return page.pixels()


def contact_sheet(
    cards: Sequence[Tile], columns: int = 0, style: SheetCardStyle | None = None, *, title: str = ""
) -> NDArray[np.uint8]:
    """Sheet of all cards in rows; nearly square if `columns` is 0.

    Raises
    ------
    ValueError
        If a side of the sheet would exceed `MAX_PIXELS`.

    Returns
    -------
    (H, W, 4) uint8, opaque.
    """
    style = style or SheetCardStyle()
    width, height = style.size
    if columns <= 0:
        columns = max(1, round((len(cards) * (height + GAP) * 1.4 / (width + GAP)) ** 0.5))
    columns = max(1, min(columns, len(cards)))
    rows = max(1, -(-len(cards) // columns))
    page = _SheetPage(style, title)
    size = 2 * MARGIN + columns * (width + GAP) - GAP, rows * (height + GAP) - GAP
    if max(size) * style.scale > MAX_PIXELS:
        raise ValueError(f"a sheet of {len(cards):,} cards of {style.side} pixels is too large; use smaller cards")
    content_top = page.open(*size)
    for index, card in enumerate(cards):
        page.put(card, MARGIN + index % columns * (width + GAP), content_top + index // columns * (height + GAP))
    return page.pixels()


def stack_sheets(sheets: Sequence[NDArray[np.uint8]], style: SheetCardStyle) -> NDArray[np.uint8]:
    """Stack sheets of one style vertically, aligned to the left.

    Raises
    ------
    ValueError
        If a side would exceed `MAX_PIXELS`.

    Returns
    -------
    (H, W, 4) uint8, opaque.
    """
    height, width = sum(len(sheet) for sheet in sheets), max((sheet.shape[1] for sheet in sheets), default=1)
    if max(height, width) > MAX_PIXELS:
        raise ValueError(f"a sheet of {len(sheets):,} strips is too large; use fewer or smaller ones")
    sheet_pixels = np.empty((height, width, 4), np.uint8)
    sheet_pixels[...] = (*bytes.fromhex(BACKGROUNDS[style.theme][1:]), 255)
    top = 0
    for sheet in sheets:
        sheet_pixels[top : top + len(sheet), : sheet.shape[1]] = sheet
        top += len(sheet)
    return sheet_pixels


class _SheetPage:
    """A sheet during painting; positions are pixels before scale."""

    def __init__(self, style: SheetCardStyle, title: str) -> None:
        self._style = style
        self._title = title
        self._image: Any = None
        self._draw: Any = None

    def open(self, width: float, height: float) -> float:
        """Create the sheet for content of this size; returns the top of the content."""
        from PIL import Image, ImageDraw

        style = self._style
        content_top = MARGIN + (style.line_height * 1.15 + 2 if self._title else 0)
        size = round(width * style.scale), round((content_top + height + MARGIN) * style.scale)
        self._image = Image.new("RGB", size, BACKGROUNDS[style.theme])
        self._draw = ImageDraw.Draw(self._image)
        if self._title:
            face = load_font(style.font_size * 1.15 * style.scale, strong=True)
            left = (MARGIN + FRAME_MARGIN - 1) * style.scale
            text = elide_text(self._title, face.getlength, size[0] - 2 * left)
            self._draw.text((left, MARGIN * style.scale), text, TEXT_COLOURS[style.theme], face, anchor="lt")
        return content_top

    def put(self, card: Tile, left: float, top: float, style: SheetCardStyle | None = None) -> None:
        """Paint a card with its upper left corner at this position."""
        scale = self._style.scale
        self._image.paste(paint_card(card, style or self._style), (round(left * scale), round(top * scale)))

    def rule(self, left: float, top: float, height: float) -> None:
        """Draw a thin vertical line."""
        scale = self._style.scale
        line = tuple(round(value * scale) for value in (left, top, left, top + height))
        self._draw.line(line, RULE_COLOURS[self._style.theme], max(1, round(scale)))

    def text(self, left: float, middle: float, text: str) -> float:
        """Draw a line of muted text; returns its right end."""
        scale = self._style.scale
        face = load_font(self._style.font_size * scale)
        text = elide_text(text, face.getlength, self._image.width - (left + MARGIN) * scale)
        self._draw.text((left * scale, middle * scale), text, MUTED_TEXT_COLOURS[self._style.theme], face, anchor="lm")
        return left + text_width(text, face) / scale

    def legend(self, left: float, top: float, levels: Sequence[tuple[int, str]]) -> None:
        """Draw small marks with their texts in one row."""
        style = self._style
        small = SheetCardStyle(_SWATCH, style.theme, style.preset, style.scale, style.is_binary, lines=0)
        for level, text in levels:
            self.put(Tile(None, level=level), left, top - small.size[1] / 2, small)
            left = self.text(left + small.size[0] + 1, top, text) + 10

    def pixels(self) -> NDArray[np.uint8]:
        """The sheet as opaque RGBA pixels."""
        return np.array(self._image.convert("RGBA"), np.uint8)


def with_value_legend(pixels: NDArray[np.uint8], legend: ValueLegend, style: SheetCardStyle) -> NDArray[np.uint8]:
    """A sheet with a line below it that says what the colours of the models mean; (H, W, 4) uint8, opaque."""
    from PIL import Image, ImageDraw

    scale, theme = style.scale, style.theme
    image = Image.new("RGB", (pixels.shape[1], round(_LEGEND * scale)), BACKGROUNDS[theme])
    draw, face, middle = ImageDraw.Draw(image), load_font(style.font_size * scale), image.height / 2
    side, gap, x = _SWATCH * scale, GAP * scale, (MARGIN + FRAME_MARGIN) * scale

    def write(text: str, x: float, colour: str = MUTED_TEXT_COLOURS[theme]) -> float:
        text = elide_text(text, face.getlength, max(image.width - x - MARGIN * scale, 0))
        draw.text((x, middle), text, colour, face, anchor="lm")
        return x + text_width(text, face)

    x = write(legend.title, x, TEXT_COLOURS[theme]) + 2 * gap
    if legend.labels is None:
        x = write(legend.ticks[0][1], x) + 2 * gap
        length = round(_VALUE_BAR * scale)
        palette = Image.fromarray(legend.palette[None, :, :3]).resize((length, round(side)))
        image.paste(palette, (round(x), round(middle - side / 2)))
        for is_clipped, end, out, index in ((legend.clips_low, x, -1, 0), (legend.clips_high, x + length, 1, -2)):
            if is_clipped:
                tip = [(end, middle - side / 2), (end + out * gap, middle), (end, middle + side / 2)]
                draw.polygon(tip, tuple(legend.colours[index, :3].tolist()))
        for share, _ in legend.ticks[1:-1]:
            zero = x + share * length
            draw.line((zero, middle - side / 2, zero, middle + side / 2), TEXT_COLOURS[theme], max(1, round(scale)))
        x = write(legend.ticks[-1][1], x + length + 2 * gap) + 3 * gap
    for colour, text in legend.samples:
        draw.rectangle((x, middle - side / 2, x + side, middle + side / 2), colour)
        x = write(text, x + side + gap) + 3 * gap
    return np.concatenate([pixels, np.array(image.convert("RGBA"), np.uint8)])
