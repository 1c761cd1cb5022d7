"""How the entries of a legend are put into lines: widths of names, where lines break, how many entries fit."""

from collections.abc import Sequence
from itertools import accumulate

from PySide6.QtCore import QRect

from shrec_viewer.widgets.theme import SPACE

SAMPLE = 22
"""Pixels of line shown: one and a half periods of the longest dash."""

EACH = SAMPLE + 4 * SPACE
"""Pixels of an entry beside its name."""

SHORTEST = 38
"""Pixels of a name below which an entry says nothing: five letters; then fewer entries are shown."""

MOST_LINES = 3
"""Lines of a full legend: with forty runs more of them would be legend than graph."""


def count_in_line(names: Sequence[int], room: int, rest: int) -> int:
    """How many entries fit into one line if names are cut; `rest` pixels go to the number of those left out.

    Examples
    --------
    >>> count_in_line([40, 40, 40], 400, 50), count_in_line([40, 40, 40], 210, 50), count_in_line([40, 40], 20, 50)
    (3, 2, 1)
    """
    least = [min(name, SHORTEST) + EACH for name in names]
    if sum(least) <= room:
        return len(names)
    return max(1, sum(total <= room - rest for total in accumulate(least)))


def flowed(names: Sequence[int], height: int, room: int | None) -> list[QRect]:
    """Boxes of entries whose names are so wide, line after line; all in one line where there is no end of `room`."""
    boxes, x, y = [], 0, 0
    for name in names:
        if room is not None and x and x + name + EACH > room:
            x, y = 0, y + height
        boxes.append(QRect(x, y, name + EACH, height))
        x += name + EACH
    return boxes


def fits(boxes: Sequence[QRect], room: int, rest: int) -> bool:
    """Whether these lines, with `rest` pixels behind the last entry, are at most `MOST_LINES`."""
    line = boxes[-1].top() // boxes[-1].height()
    return line < MOST_LINES - 1 or (line == MOST_LINES - 1 and boxes[-1].right() + rest <= room)


def shared(wanted: Sequence[int], room: int) -> list[int]:
    """Widths that fit into `room`: the short names whole, the long ones cut to one width.

    Examples
    --------
    >>> shared([10, 50, 90], 100), shared([10, 20], 100)
    ([10, 45, 45], [10, 20])
    """
    left, shares = max(0, room), list(wanted)
    for done, place in enumerate(sorted(range(len(wanted)), key=wanted.__getitem__)):
        shares[place] = min(wanted[place], left // (len(wanted) - done))
        left -= shares[place]
    return shares
