"""What is odd about the ranked lists of one run: each fault once, with file and line."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Severity
from shrec_viewer.formats.context import Context
from shrec_viewer.formats.journal import count_of, some
from shrec_viewer.formats.text import is_number

FEW = 5
"""Lists with the same fault that are named one by one; the same in more lists is one finding."""

NAMED = 12
"""Models that a sentence names."""


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
    lines : (n,) int32, 1-based line of each.
    name : the first line, where it holds the name of the query.
    blank, comments, odd : lines left out.
    """

    path: Path
    words: Sequence[str]
    items: NDArray[np.int32]
    distances: NDArray[np.float64] | None
    values: Sequence[str]
    lines: NDArray[np.int32]
    name: str | None = None
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


Lists = Mapping[int, QueryList]
Check = Callable[[QueryList], Fault | None]


def note_faults(run: Path, lists: Lists, context: Context, *, check_order: bool = True) -> None:
    """Look every list of a run through and write down what is odd.

    `check_order`: whether the distances should rise from line to line.
    """
    checks: list[Check] = [_empty, _unknown, _repeated, _no_number, _not_a_number, _blank, _comments, _odd]
    if check_order:
        checks.append(_falling)
    for check in checks:
        _note(run, ((found.path, check(found)) for found in lists.values()), len(lists), context)


def _note(run: Path, faults: Iterator[tuple[Path, Fault | None]], n_lists: int, context: Context) -> None:
    found = [(path, fault) for path, fault in faults if fault is not None]
    note = context.journal.note
    if len(found) <= FEW:
        for path, fault in found:
            note(fault.severity, path, fault.message, fault.action, line=fault.line, count=fault.count)
        return
    path, first = found[0]
    message = f"in {len(found):,} of {count_of(n_lists, 'list')}, here first: {first.message}"
    total = sum(fault.count for _, fault in found)
    note(first.severity, path, message, first.action, line=first.line, count=total)


def _empty(found: QueryList) -> Fault | None:
    if len(found.words):
        return None
    return Fault(Severity.WARNING, None, "the list is empty", "nothing counts as retrieved")


def _unknown(found: QueryList) -> Fault | None:
    places = np.flatnonzero(found.items < 0)
    if not len(places):
        return None
    message = f"unknown id '{found.words[places[0]]}' at rank {places[0] + 1}"
    action = "left out before ranking, so that later models move up, unless the profile keeps unknown ids"
    return Fault(Severity.WARNING, int(found.lines[places[0]]), message, action, len(places))


def _repeated(found: QueryList) -> Fault | None:
    if not len(found.items) or np.bincount(found.items + 1)[1:].max(initial=0) < 2:
        return None
    first: dict[int, int] = {}
    repeated = [
        (place, item)
        for place, item in enumerate(found.items.tolist())
        if item >= 0 and first.setdefault(item, place) != place
    ]
    place, item = repeated[0]
    message = f"'{found.words[place]}' stands at rank {first[item] + 1} and again at rank {place + 1}"
    action = "the first counts, later ones are left out"
    return Fault(Severity.WARNING, int(found.lines[place]), message, action, len(repeated))


def _bad_numbers(found: QueryList, *, words: bool) -> list[int]:
    if found.distances is None:
        return []
    places = np.flatnonzero(np.isnan(found.distances)).tolist()
    return [place for place in places if is_number(found.values[place]) != words]


def _no_number(found: QueryList) -> Fault | None:
    places = _bad_numbers(found, words=True)
    if not places:
        return None
    value = found.values[places[0]]
    hint = " (a comma in it)" if "," in value else ""
    message = f"the distance '{value[:40]}' of '{found.words[places[0]]}' at rank {places[0] + 1} is no number{hint}"
    return Fault(Severity.WARNING, int(found.lines[places[0]]), message, "it keeps its rank", len(places))


def _not_a_number(found: QueryList) -> Fault | None:
    places = _bad_numbers(found, words=False)
    if not places:
        return None
    message = f"the distance of '{found.words[places[0]]}' at rank {places[0] + 1} is '{found.values[places[0]]}'"
    action = "it keeps its rank: the order of the lines counts"
    return Fault(Severity.WARNING, int(found.lines[places[0]]), message, action, len(places))


def _blank(found: QueryList) -> Fault | None:
    if not found.blank:
        return None
    return Fault(Severity.INFO, found.blank[0], "blank line", "passed over", len(found.blank))


def _comments(found: QueryList) -> Fault | None:
    if not found.comments:
        return None
    return Fault(Severity.INFO, found.comments[0], "comment", "passed over", len(found.comments))


def _odd(found: QueryList) -> Fault | None:
    if not found.odd:
        return None
    message = "neither an id nor an id and its distance"
    return Fault(Severity.ERROR, found.odd[0], message, "the line is left out", len(found.odd))


def _falling(found: QueryList) -> Fault | None:
    falls = falls_of(found)
    if not len(falls):
        return None
    place = int(falls[0])
    message = (
        f"the distances do not rise: '{found.words[place]}' at rank {place + 1} is nearer than the model before it"
    )
    action = "the order of the lines counts"
    return Fault(Severity.WARNING, int(found.lines[place]), message, action, len(falls))


def falls_of(found: QueryList) -> NDArray[np.int64]:
    """Places whose distance is smaller than that of the model before it; unknown and repeated ids do not count."""
    if found.distances is None:
        return np.zeros(0, np.int64)
    first = np.zeros(len(found.items), bool)
    first[np.unique(found.items, return_index=True)[1]] = True
    places = np.flatnonzero(~np.isnan(found.distances) & first & (found.items >= 0))
    values = found.distances[places]
    return places[1:][values[1:] < values[:-1]]


def are_similarities(lists: Lists) -> bool:
    """Whether the second number falls from line to line in every list, so that larger is nearer."""
    told = [found.distances for found in lists.values() if found.distances is not None]
    told = [values[~np.isnan(values)] for values in told]
    told = [values for values in told if len(values) > 1 and values[0] != values[-1]]
    return bool(told) and all(bool(np.all(values[1:] <= values[:-1])) for values in told)


def note_missing(run: Path, lists: Lists, context: Context) -> None:
    """Queries to which the run has no answer: one finding."""
    missing = [name for query, name in enumerate(context.queries.ids) if query not in lists]
    if not missing:
        return
    message = f"{count_of(len(missing), 'query has', 'queries have')} no list: {some(missing)}"
    action = "counted as 0 or left out of means, as the profile says"
    context.journal.warning(run, message, action)


def note_lengths(run: Path, lists: Lists, context: Context) -> None:
    """Lists that end early: one finding for the run."""
    n_models = len(context.collection)
    seen = np.zeros(n_models, bool)
    lengths = []
    for found in lists.values():
        named = np.zeros(n_models, bool)
        named[found.items[found.items >= 0]] = True
        lengths.append(int(named.sum()))
        seen |= named
    complete = context.n_listable - context.queries.are_the_collection
    if not lengths or min(lengths) >= complete:
        return
    longest, shortest = max(lengths), min(lengths)
    span = f"{shortest:,}" if longest == shortest else f"{shortest:,} to {longest:,}"
    kind = "models with a file" if len(context.models_with_file) else "models"
    message = f"the lists name {span} of {context.n_listable:,} {kind}"
    never = [place for place in np.flatnonzero(~seen) if context.has_file[place]]
    if longest == shortest and len(never) == context.n_listable - longest <= NAMED:
        message += f", never {some([context.collection.ids[place] for place in never], NAMED)}"
    context.journal.info(run, message, "models not listed count as not retrieved")
