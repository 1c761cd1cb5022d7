"""Sheets of cards: result strips and contact sheets."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.render.sheets.cards import (
    BACKGROUNDS,
    FRAME_MARGIN,
    MUTED_TEXT_COLOURS,
    RULE_COLOURS,
    TEXT_COLOURS,
    SheetCard,
    SheetCardStyle,
    elide_text,
    load_font,
    paint_card,
    text_width,
)

GAP = 6
"""Pixels between cards, before scale; frames keep 7 more on each side."""

MARGIN = 12
"""Pixels around a sheet, before scale."""

_SWATCH = 9
"""Pixels of the picture in a mark of the legend: just enough for its frame."""

_LEGEND = 26
"""Pixels that the legend needs below the cards."""

MAX_PIXELS = 16_000
"""Pixels a sheet's side may have; what most viewers and printers still take."""


def result_strip(
    query: SheetCard | None,
    cards: Sequence[SheetCard],
    columns: int,
    look: SheetCardStyle | None = None,
    *,
    title: str = "",
    legend: Sequence[tuple[int, str]] = (),
    empty: str = "no answer",
) -> NDArray[np.uint8]:
    """A query and the first of its list, in rows.

    Parameters
    ----------
    query : stands to the left of a line; None leaves it out.
    cards : in the order of their ranks; none gives the sentence `empty` in their place.
    columns : cards in a row, at least 1.
    look : size, theme and scale.
    title : a line above, "" for none.
    legend : level and words of each mark to be explained below, the highest first.

    Returns
    -------
    (H, W, 4) uint8, opaque.
    """
    look = look or SheetCardStyle()
    page = _SheetPage(look, title)
    width, height = look.size
    columns = max(1, min(columns, len(cards) or 3))
    rows = max(1, -(-len(cards) // columns))
    start = MARGIN if query is None else MARGIN + width + 4 * GAP
    body = page.open(
        start + columns * (width + GAP) - GAP + MARGIN, rows * (height + GAP) - GAP + (_LEGEND if legend else 0)
    )
    if query is not None:
        page.put(query, MARGIN, body)
        page.rule(MARGIN + width + 2 * GAP, body + FRAME_MARGIN, rows * (height + GAP) - GAP - FRAME_MARGIN)
    for place, card in enumerate(cards):
        page.put(card, start + place % columns * (width + GAP), body + place // columns * (height + GAP))
    if not cards:
        page.words(start, body + FRAME_MARGIN + look.side / 2, empty)
    page.legend(start, body + rows * (height + GAP) - GAP + _LEGEND / 2 + 3, legend)
    return page.pixels()


def contact_sheet(
    cards: Sequence[SheetCard], columns: int = 0, look: SheetCardStyle | None = None, *, title: str = ""
) -> NDArray[np.uint8]:
    """All cards in rows, about as wide as high where `columns` is 0.

    Raises
    ------
    ValueError
        The sheet would be larger than `MAX_PIXELS` pixels on a side; the text says what to do.

    Returns
    -------
    (H, W, 4) uint8, opaque.
    """
    look = look or SheetCardStyle()
    width, height = look.size
    if columns <= 0:
        columns = max(1, round((len(cards) * (height + GAP) * 1.4 / (width + GAP)) ** 0.5))
    columns = max(1, min(columns, len(cards)))
    rows = max(1, -(-len(cards) // columns))
    page = _SheetPage(look, title)
    size = 2 * MARGIN + columns * (width + GAP) - GAP, rows * (height + GAP) - GAP
    if max(size) * look.scale > MAX_PIXELS:
        raise ValueError(f"a sheet of {len(cards):,} cards of {look.side} pixels is too large; take smaller cards")
    body = page.open(*size)
    for place, card in enumerate(cards):
        page.put(card, MARGIN + place % columns * (width + GAP), body + place // columns * (height + GAP))
    return page.pixels()


def stack_sheets(sheets: Sequence[NDArray[np.uint8]], look: SheetCardStyle) -> NDArray[np.uint8]:
    """Sheets of one look, one below the other, aligned to the left.

    Raises
    ------
    ValueError
        The whole would be larger than `MAX_PIXELS` pixels on a side.

    Returns
    -------
    (H, W, 4) uint8, opaque.
    """
    height, width = sum(len(sheet) for sheet in sheets), max((sheet.shape[1] for sheet in sheets), default=1)
    if max(height, width) > MAX_PIXELS:
        raise ValueError(f"a sheet of {len(sheets):,} strips is too large; take fewer or smaller ones")
    whole = np.empty((height, width, 4), np.uint8)
    whole[...] = (*bytes.fromhex(BACKGROUNDS[look.theme][1:]), 255)
    top = 0
    for sheet in sheets:
        whole[top : top + len(sheet), : sheet.shape[1]] = sheet
        top += len(sheet)
    return whole


class _SheetPage:
    """A sheet that is being filled; places are pixels before scale."""

    def __init__(self, look: SheetCardStyle, title: str) -> None:
        self._look = look
        self._title = title
        self._image: Any = None
        self._draw: Any = None

    def open(self, width: float, height: float) -> float:
        """Make the sheet for a body of that height; answers where the body starts."""
        from PIL import Image, ImageDraw

        look = self._look
        body = MARGIN + (look.line * 1.15 + 2 if self._title else 0)
        size = round(width * look.scale), round((body + height + MARGIN) * look.scale)
        self._image = Image.new("RGB", size, BACKGROUNDS[look.theme])
        self._draw = ImageDraw.Draw(self._image)
        if self._title:
            face = load_font(look.text * 1.15 * look.scale, strong=True)
            left = (MARGIN + FRAME_MARGIN - 1) * look.scale
            text = elide_text(self._title, face, size[0] - 2 * left)
            self._draw.text((left, MARGIN * look.scale), text, TEXT_COLOURS[look.theme], face, anchor="lt")
        return body

    def put(self, card: SheetCard, left: float, top: float, look: SheetCardStyle | None = None) -> None:
        """Paint a card with its upper left corner there."""
        scale = self._look.scale
        self._image.paste(paint_card(card, look or self._look), (round(left * scale), round(top * scale)))

    def rule(self, left: float, top: float, height: float) -> None:
        """A thin line downwards."""
        scale = self._look.scale
        line = tuple(round(value * scale) for value in (left, top, left, top + height))
        self._draw.line(line, RULE_COLOURS[self._look.theme], max(1, round(scale)))

    def words(self, left: float, middle: float, text: str) -> float:
        """A line of quiet text; answers where it ends."""
        scale = self._look.scale
        face = load_font(self._look.text * scale)
        text = elide_text(text, face, self._image.width - (left + MARGIN) * scale)
        self._draw.text((left * scale, middle * scale), text, MUTED_TEXT_COLOURS[self._look.theme], face, anchor="lm")
        return left + text_width(text, face) / scale

    def legend(self, left: float, top: float, levels: Sequence[tuple[int, str]]) -> None:
        """Small marks with their words, side by side."""
        look = self._look
        small = SheetCardStyle(_SWATCH, look.theme, look.preset, look.scale, look.is_binary, lines=0)
        for level, words in levels:
            self.put(SheetCard(None, "", level=level), left, top - small.size[1] / 2, small)
            left = self.words(left + small.size[0] + 1, top, words) + 10

    def pixels(self) -> NDArray[np.uint8]:
        """The sheet, opaque."""
        return np.array(self._image.convert("RGBA"), np.uint8)
