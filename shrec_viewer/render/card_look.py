"""What one card of a sheet shows, and how all of them look."""

from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.render.palette import RelevanceStyle, relevance_style

UNJUDGED = -1
"""Level of a model that nobody assessed."""

FRAME_ROOM = 7
"""Pixels around a picture for the widest frame (5) and its gap, as in the window."""

CORNER = 3
"""Radius of a picture's corners in pixels."""

TEXT = 11.5
"""Pixels of a caption's letters on a card of 128 pixels; larger cards get a little more."""

GROUNDS = {"light": "#FFFFFF", "dark": "#1B1E23"}
PICTURES = {"light": "#E9EBEF", "dark": "#363B44"}
HATCHES = {"light": "#D3D7DD", "dark": "#4A505B"}
INKS = {"light": "#1B1E23", "dark": "#ECEEF1"}
MUTED = {"light": "#5A616C", "dark": "#A9B0BB"}
LINES = {"light": "#DEE1E6", "dark": "#353A43"}
OUTLINES = {"light": "#7F8691", "dark": "#7A828E"}
"""By theme: the window's own grounds and inks, so that a sheet looks like what it was copied from."""


@dataclass(frozen=True, eq=False)
class CardPicture:
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
class CardLook:
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
        return TEXT * (1.0 if self.side >= 112 else 0.9) * (1.1 if self.side >= 192 else 1.0)

    @property
    def line(self) -> int:
        """Pixels from line to line."""
        return ceil(self.text * 1.35)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of a card in pixels, before `scale`."""
        side = self.side + 2 * FRAME_ROOM
        return side, side + (self.lines * self.line + 5 if self.lines else 0)

    def style(self, level: int) -> RelevanceStyle:
        """Mark of a level under this look."""
        return relevance_style(2 if self.is_binary and level == 1 else level, self.theme, self.preset)
