"""What can be odd about one ranked list."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Severity
from shrec_viewer.formats.conventions import UNKNOWN
from shrec_viewer.formats.text import is_number


@dataclass(frozen=True, eq=False)
class QueryList:
    """One list of a run, its words understood.

    Attributes
    ----------
    path : file it stands in.
    words : (n,) ids as written, best first.
    items : (n,) int32, models, -1 for unknown ones.
    distances : (n,) float64, NaN where the file gives no number; None where it has no such column.
    values : (n,) the distances as written; empty for None.
    lines : (n,) int32, 1-based line of each; of an empty list, its own line where it has one.
    name : of the query, where the list says it (in its first line, or its row).
    exchanged : the columns stand the other way round than in the other lists of the run.
    blank, comments, odd : lines left out.
    """

    path: Path
    words: Sequence[str]
    items: NDArray[np.int32]
    distances: NDArray[np.float64] | None
    values: Sequence[str]
    lines: NDArray[np.int32]
    name: str | None = None
    exchanged: bool = False
    blank: tuple[int, ...] = ()
    comments: tuple[int, ...] = ()
    odd: tuple[int, ...] = ()


@dataclass(frozen=True)
class Fault:
    """Something odd in one list: where it occurs first, and how often in this list."""

    severity: Severity
    line: int | None
    message: str
    action: str
    count: int = 1


def empty(found: QueryList) -> Fault | None:
    """No model at all."""
    if len(found.words):
        return None
    whose = f" of '{found.name}'" if found.name is not None else ""
    line = int(found.lines[0]) if len(found.lines) else None
    return Fault(Severity.WARNING, line, f"the list{whose} is empty", "nothing counts as retrieved")


def exchanged(found: QueryList) -> Fault | None:
    """Columns the other way round than in the other lists."""
    if not found.exchanged:
        return None
    return Fault(Severity.WARNING, 1, "the columns stand the other way round than in other lists", "read so")


def unknown(found: QueryList) -> Fault | None:
    """Ids that no model has."""
    places = np.flatnonzero(found.items < 0)
    if not len(places):
        return None
    message = f"unknown id '{found.words[places[0]]}' at rank {places[0] + 1}"
    return Fault(Severity.WARNING, int(found.lines[places[0]]), message, UNKNOWN, len(places))


def repeated(found: QueryList) -> Fault | None:
    """Models that stand more than once."""
    if not len(found.items) or np.bincount(found.items + 1)[1:].max(initial=0) < 2:
        return None
    first: dict[int, int] = {}
    again = [
        (place, item)
        for place, item in enumerate(found.items.tolist())
        if item >= 0 and first.setdefault(item, place) != place
    ]
    place, item = again[0]
    message = f"'{found.words[place]}' stands at rank {first[item] + 1} and again at rank {place + 1}"
    action = "the first counts, later ones are left out"
    return Fault(Severity.WARNING, int(found.lines[place]), message, action, len(again))


def _bad_numbers(found: QueryList, *, words: bool) -> list[int]:
    if found.distances is None:
        return []
    places = np.flatnonzero(np.isnan(found.distances)).tolist()
    return [place for place in places if is_number(found.values[place]) != words]


def no_number(found: QueryList) -> Fault | None:
    """Distances that are words."""
    places = _bad_numbers(found, words=True)
    if not places:
        return None
    value = found.values[places[0]]
    hint = " (a comma in it)" if "," in value else ""
    message = f"the distance '{value[:40]}' of '{found.words[places[0]]}' at rank {places[0] + 1} is no number{hint}"
    return Fault(Severity.WARNING, int(found.lines[places[0]]), message, "it keeps its rank", len(places))


def not_a_number(found: QueryList) -> Fault | None:
    """Distances that are ``nan``."""
    places = _bad_numbers(found, words=False)
    if not places:
        return None
    message = f"the distance of '{found.words[places[0]]}' at rank {places[0] + 1} is '{found.values[places[0]]}'"
    action = "it keeps its rank: the order of the lines counts"
    return Fault(Severity.WARNING, int(found.lines[places[0]]), message, action, len(places))


def blank(found: QueryList) -> Fault | None:
    """Blank lines."""
    if not found.blank:
        return None
    return Fault(Severity.INFO, found.blank[0], "blank line", "passed over", len(found.blank))


def comments(found: QueryList) -> Fault | None:
    """Lines beginning with ``#``."""
    if not found.comments:
        return None
    return Fault(Severity.INFO, found.comments[0], "comment", "passed over", len(found.comments))


def odd(found: QueryList) -> Fault | None:
    """Lines of another format."""
    if not found.odd:
        return None
    message = "neither an id nor an id and its distance"
    return Fault(Severity.ERROR, found.odd[0], message, "the line is left out", len(found.odd))


def falling(found: QueryList) -> Fault | None:
    """Distances smaller than that of the model before; unknown and repeated ids do not count."""
    distances = found.distances
    if distances is None or not (np.isnan(distances).any() or np.any(distances[1:] < distances[:-1])):
        return None
    first = np.zeros(len(found.items), bool)
    first[np.unique(found.items, return_index=True)[1]] = True
    places = np.flatnonzero(~np.isnan(distances) & first & (found.items >= 0))
    values = distances[places]
    falls = places[1:][values[1:] < values[:-1]]
    if not len(falls):
        return None
    place = int(falls[0])
    nearer = f"'{found.words[place]}' at rank {place + 1} is nearer than the model before it"
    message = f"the distances do not rise: {nearer}"
    action = "the order of the lines counts"
    return Fault(Severity.WARNING, int(found.lines[place]), message, action, len(falls))


Check = Callable[[QueryList], Fault | None]

CHECKS: tuple[Check, ...] = (
    empty,
    exchanged,
    unknown,
    repeated,
    no_number,
    not_a_number,
    blank,
    comments,
    odd,
    falling,
)
"""All checks, in the order in which findings are written down."""
