"""One list among several that stand side by side, and where each of its models stands in the list beside it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

GAP, WIDEST = 84, 340
"""Pixels between two lists, where the lines run; and the widest card, beyond which the gap grows."""

WIDEST_GAP, LEAST_GAP = 210, 36
"""Pixels between two lists at most: longer lines are hard to follow; and at least, where cards need the room."""

NARROW = 176
"""Pixels of a card below which it has neither class nor distance: then gaps give way to it."""


@dataclass(frozen=True, eq=False)
class Lane:
    """The list of one run.

    Attributes
    ----------
    title, note : name of the run, and what stands at its right (a score).
    colour, dash : its line in the graphs.
    items : (n,) int32, models, best first.
    levels : (n,) int8, relevance of each; -1 where nothing is known.
    distances : (n,) float64, NaN for none.
    missing : why there is no list, "" where there is one.
    """

    title: str
    note: str
    colour: str
    dash: str
    items: NDArray[np.int32]
    levels: NDArray[np.int8]
    distances: NDArray[np.float64]
    missing: str = ""

    def __len__(self) -> int:
        return len(self.items)


def places_in(one: Lane, other: Lane) -> NDArray[np.int64]:
    """(n,) int64, where each model of `one` stands in `other`, from 0; -1 where it does not.

    Examples
    --------
    >>> def lane(*items):
    ...     n = len(items)
    ...     return Lane("", "", "", "", np.array(items, np.int32), np.zeros(n, np.int8), np.zeros(n))
    >>> places_in(lane(4, 2, 9), lane(9, 4)).tolist()
    [1, -1, 0]
    """
    if not len(one) or not len(other):
        return np.full(len(one), -1, np.int64)
    order = np.argsort(other.items, kind="stable")
    ordered = other.items[order]
    at = np.minimum(np.searchsorted(ordered, one.items), len(ordered) - 1)
    return np.where((ordered[at] == one.items) & (one.items >= 0), order[at], -1)


def column_of(lane: int, count: int, room: float) -> tuple[float, float]:
    """Left edge and width of one of `count` lists in `room` pixels, all of them in the middle of it.

    Examples
    --------
    >>> column_of(0, 2, 600.0), column_of(1, 2, 600.0), column_of(0, 1, 600.0)
    ((0.0, 258.0), (342.0, 258.0), (130.0, 340.0))
    >>> column_of(3, 4, 660.0)
    (522.0, 138.0)
    """
    least = (room - count * NARROW) / (count - 1) if count > 1 else 0.0
    least = min(max(least, LEAST_GAP), GAP)
    width = min((room - (count - 1) * least) / count, float(WIDEST))
    gap = min((room - count * width) / (count - 1), float(WIDEST_GAP)) if count > 1 else 0.0
    left = (room - count * width - (count - 1) * gap) / 2
    return left + lane * (width + gap), width


@dataclass(frozen=True)
class Join:
    """A model of one list that stands in the next one too: its places there (from 0), and the higher of its levels."""

    lane: int
    place: int
    target: int
    level: int
    is_lifted: bool


def joins(
    lanes: Sequence[Lane],
    after: Sequence[NDArray[np.int64]],
    before: Sequence[NDArray[np.int64]],
    rows: range,
    lifted: int,
) -> Iterator[Join]:
    """What lines join between neighbours, of models with a place within `rows`; the lifted model's line comes last.

    Parameters
    ----------
    after, before : for each list but the last, where its models stand in the next one, and the other way round.
    lifted : the model looked at, -1 for none.
    """
    for lane, there in enumerate(after):
        one, other = lanes[lane], lanes[lane + 1]
        places = set(range(rows.start, min(rows.stop, len(one))))
        places.update(int(place) for place in before[lane][rows.start : rows.stop] if place >= 0)
        for place in sorted(places, key=lambda place: (int(one.items[place]) == lifted, place)):
            if (target := int(there[place])) >= 0:
                level = int(max(one.levels[place], other.levels[target]))
                yield Join(lane, place, target, level, int(one.items[place]) == lifted)
