"""A whole ranked list as a row of ticks, one a rank; where ranks share a pixel, as density."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor, QImage, QPainter

from shrec_viewer.widgets.relevance_mark import HIGHLY, UNJUDGED
from shrec_viewer.widgets.theme import SPACE

SIDE = 2 * SPACE
"""Pixels left free at either side, so that the first rank is not at the edge."""

NUDGE = 10
"""Pixels by which a label may stand beside its tick where another is in its way; farther off it is left out."""

MOST_TICK = 24
"""Pixels of one rank at most: the ticks of a list of three stay ticks."""

GAP_FROM = 4
"""Pixels of one rank from which its last pixel is left free, so that neighbours can be counted."""

HEIGHTS = {0: 0.25, 1: 0.65, HIGHLY: 1.0}
"""Of the full height by level; higher levels are as high as 2. Height says the same as the colour, for eyes that miss
the colour."""

LEAST_RELEVANT = 0.45
"""Height of a pixel with many ranks of which hardly any is relevant: it still stands out from those with none."""

LEAST_LAYER = 4
"""Pixels of each level that occurs in a pixel with many ranks."""


@dataclass(frozen=True)
class Scale:
    """Where ranks stand along the ticks.

    Attributes
    ----------
    count : ranks, 1 to `count`.
    span : pixels they take, from 0.
    """

    count: int
    span: int

    @classmethod
    def fit(cls, count: int, width: int, most: int = MOST_TICK) -> "Scale":
        """So many ranks in `width` pixels, `most` for one rank."""
        return cls(count, max(1, min(width, count * most)))

    def x(self, rank: float) -> float:
        """The middle of a rank."""
        return (rank - 0.5) * self.span / max(1, self.count)

    def ranks(self, x: float) -> tuple[int, int]:
        """First and last rank that stand in the pixel at `x`; the nearest ones for a pixel beside the ticks."""
        pixel = min(max(int(x), 0), self.span - 1)
        first = pixel * self.count // self.span
        last = max(first, (pixel + 1) * self.count // self.span - 1)
        return first + 1, min(last, self.count - 1) + 1


def full_height(level: int, binary: bool) -> float:
    """Share of the height that a tick of this level has; a truth without degrees has only high ticks and low ones."""
    if level <= 0:
        return HEIGHTS[0]
    return HEIGHTS[HIGHLY] if binary else HEIGHTS[min(level, HIGHLY)]


def most_relevant(levels: NDArray[np.int16], first: int, last: int) -> int:
    """Of the ranks `first` to `last` (from 1) the first one of the highest level, else the middle one."""
    part = levels[first - 1 : last]
    return first + int(np.argmax(part)) if part.max(initial=0) > 0 else (first + last) // 2


def layers(levels: NDArray[np.int16], scale: Scale, height: int, binary: bool) -> dict[int, NDArray[np.int64]]:
    """By level, lowest first: (span,) int64, height in pixels up to which each pixel column has that level or a higher.

    Painted in this order the higher levels cover the lower part of the columns. A relevant rank is never lost: its
    column is at least `LEAST_RELEVANT` high and shows each of its levels.
    """
    edges = np.arange(scale.span + 1) * scale.count // scale.span
    first, after = edges[:-1], np.maximum(edges[1:], edges[:-1] + 1)
    size = (after - first).astype(np.float64)
    heights = {min(0, int(levels.min(initial=0))): np.full(scale.span, round(HEIGHTS[0] * height), np.int64)}
    present = [int(level) for level in np.unique(levels) if level > 0]
    counts = {level: _count(levels == level, first, after) for level in present}
    relevant = np.sum(list(counts.values()), axis=0) if counts else np.zeros(scale.span, np.int64)
    highest = np.zeros(scale.span)
    for level in present:
        highest = np.where(counts[level] > 0, full_height(level, binary), highest)
    grown = LEAST_RELEVANT + (np.maximum(highest, LEAST_RELEVANT) - LEAST_RELEVANT) * relevant / size
    total = np.where(relevant > 0, np.round(grown * height), 0).astype(np.int64)
    at_least = np.zeros(scale.span, np.int64)
    upper: dict[int, NDArray[np.int64]] = {}
    for level in reversed(present):
        has, below = counts[level] > 0, sum(counts[lower] > 0 for lower in present if lower < level)
        at_least = at_least + counts[level]
        share = np.round(total * at_least / np.maximum(relevant, 1)).astype(np.int64)
        previous = next(reversed(upper.values()), np.zeros(scale.span, np.int64))
        least = np.where(has, previous + LEAST_LAYER, previous)
        upper[level] = np.minimum(np.maximum(share, least), total - LEAST_LAYER * below)
    for level in present:
        heights[level] = np.where(at_least > 0, upper[level], 0)
    return heights


def draw_ticks(
    levels: NDArray[np.int16], scale: Scale, height: int, colours: dict[int, QColor], *, binary: bool
) -> QImage:
    """The ticks on nothing, `scale.span` by `height` pixels; see `draw_ties` for the line below them.

    Parameters
    ----------
    levels : (n,) int16, by rank; `UNJUDGED` throughout where there is no truth.
    colours : by level, for all levels that occur.
    """
    pixels = np.zeros((height, scale.span), np.uint32)
    from_bottom = np.arange(height, 0, -1)[:, None]
    for level, tops in layers(levels, scale, height, binary).items():
        pixels[from_bottom <= tops[None, :]] = colours[level].rgba()
    if scale.span >= GAP_FROM * scale.count:
        ends = (np.arange(1, scale.count + 1) * scale.span + scale.count - 1) // scale.count - 1
        pixels[:, ends] = 0
    return _image(pixels)


def draw_ties(tied: NDArray[np.bool_], scale: Scale, thickness: int, colour: QColor) -> QImage:
    """A line below the ranks that share their distance with a neighbour, `scale.span` by `thickness` pixels.

    Parameters
    ----------
    tied : (n,) bool, by rank.
    """
    edges = np.arange(scale.span + 1) * scale.count // scale.span
    touched = _count(tied, edges[:-1], np.maximum(edges[1:], edges[:-1] + 1)) > 0
    return _image(np.where(np.tile(touched, (thickness, 1)), np.uint32(colour.rgba()), np.uint32(0)))


def stacked(upper: QImage, lower: QImage) -> QImage:
    """Two pictures of one width, one upon the other."""
    both = QImage(upper.width(), upper.height() + lower.height(), QImage.Format.Format_ARGB32)
    painter = QPainter(both)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Source)
    painter.drawImage(0, 0, upper)
    painter.drawImage(0, upper.height(), lower)
    painter.end()
    return both


def levels_of(levels: NDArray[np.uint8], judged: bool) -> NDArray[np.int16]:
    """(n,) int16, the levels, or `UNJUDGED` throughout."""
    return levels.astype(np.int16) if judged else np.full(len(levels), UNJUDGED, np.int16)


def cut_words(cuts: Sequence[tuple[int, str]]) -> str:
    """What the ticks above the list stand for; a label that is a number is a cut-off, of which the rank says enough.

    Examples
    --------
    >>> cut_words([(14, "C"), (28, "2C"), (32, "32"), (5, "5")])
    'Ticks above: C, the class size, after rank 14; 2C after rank 28; cut-offs after ranks 5 and 32.'
    >>> cut_words([(10, "10")]), cut_words([])
    ('Ticks above: the cut-off after rank 10.', '')
    """
    named = {"C": "C, the class size,"}
    parts = [f"{named.get(label, label)} after rank {rank:,}" for rank, label in cuts if not label.isdigit()]
    ranks = [f"{rank:,}" for rank, label in sorted(cuts) if label.isdigit()]
    if len(ranks) == 1:
        parts.append(f"the cut-off after rank {ranks[0]}")
    elif ranks:
        parts.append(f"cut-offs after ranks {', '.join(ranks[:-1])} and {ranks[-1]}")
    return f"Ticks above: {'; '.join(parts)}." if parts else ""


def free_place(wanted: float, width: float, span: float, taken: Sequence[tuple[float, float]]) -> float | None:
    """Left edge nearest to the wanted one at which a label touches no other; None where it is more than `NUDGE` off."""
    gap = 1.5 * SPACE
    places = [wanted, *(right + gap for _, right in taken), *(left - gap - width for left, _ in taken)]
    kept = [min(max(place, -SIDE), span + SIDE - width) for place in places]
    free = [
        place for place in kept if all(place >= r + gap - 0.01 or place + width <= a - gap + 0.01 for a, r in taken)
    ]
    nearest = min(free, key=lambda place: abs(place - wanted), default=None)
    return nearest if nearest is not None and abs(nearest - wanted) <= NUDGE else None


def _image(pixels: NDArray[np.uint32]) -> QImage:
    """A picture of its own: the array goes."""
    height, width = pixels.shape
    return QImage(np.ascontiguousarray(pixels).data, width, height, 4 * width, QImage.Format.Format_ARGB32).copy()


def _count(where: NDArray[np.bool_], first: NDArray[np.int64], after: NDArray[np.int64]) -> NDArray[np.int64]:
    running = np.concatenate([[0], np.cumsum(where)])
    return running[after] - running[first]
