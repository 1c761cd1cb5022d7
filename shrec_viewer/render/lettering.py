"""Text on pictures, in the program's own font: measured, shortened with an ellipsis, never cut through a letter."""

from functools import lru_cache
from typing import Any
from unicodedata import combining

from shrec_viewer.resources import resource

ELLIPSIS = "…"

_FACES = {False: "fonts/Inter-Regular.ttf", True: "fonts/Inter-SemiBold.ttf"}
"""Shipped with the program, so that a sheet looks the same on every machine."""


@lru_cache(maxsize=64)
def font(pixels: float, *, strong: bool = False) -> Any:
    """A Pillow font of that size; Pillow's own where the installation lacks its files."""
    from PIL import ImageFont

    try:
        return ImageFont.truetype(str(resource(_FACES[strong])), pixels)
    except OSError:
        return ImageFont.load_default(pixels)


def width_of(text: str, face: Any) -> float:
    """Pixels that a text takes from its start to where the next would begin."""
    return float(face.getlength(text))


def shortened(text: str, face: Any, room: float, *, keep_end: bool = False) -> str:
    """The text if it fits into `room` pixels, else as much of it as fits with an ellipsis; "" where nothing does.

    Parameters
    ----------
    keep_end : take letters out of the middle, as ids of one collection differ at their end.
    """
    text = " ".join(text.split())
    if width_of(text, face) <= room:
        return text
    low, high = 0, len(text)
    while low < high:  # the most letters that fit
        middle = (low + high + 1) // 2
        low, high = (middle, high) if width_of(_with(text, middle, keep_end), face) <= room else (low, middle - 1)
    return _with(text, low, keep_end) if low else ""


def wrapped(text: str, face: Any, room: float, most: int) -> list[str]:
    """At most so many lines, broken between words; what does not fit ends with an ellipsis."""
    lines: list[str] = []
    words = text.split()
    while words and len(lines) < most:
        count = len(words)
        while count > 1 and width_of(" ".join(words[:count]), face) > room:
            count -= 1
        if len(lines) == most - 1:
            count = len(words)
        lines.append(shortened(" ".join(words[:count]), face, room))
        words = words[count:]
    return [line for line in lines if line]


def _with(text: str, count: int, keep_end: bool) -> str:
    """`count` letters of the text and an ellipsis; accents stay with their letter."""
    if not keep_end:
        return text[: _whole(text, count)].rstrip() + ELLIPSIS
    head = _whole(text, (count + 1) // 2)
    tail = len(text) - count // 2
    while tail < len(text) and combining(text[tail]):
        tail += 1
    return text[:head].rstrip() + ELLIPSIS + text[tail:].lstrip()


def _whole(text: str, count: int) -> int:
    while 0 < count < len(text) and combining(text[count]):
        count -= 1
    return count
