"""What a change did to the means of the runs and to their order, as a sentence."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.metrics import find_measure
from shrec_viewer.number_format import format_change, format_value
from shrec_viewer.viewmodels.session.document import Document
from shrec_viewer.viewmodels.text.labels import count_text

#: Smallest number that is not rounded to 0.
SMALLEST_SHOWN = format_value(0.001)

#: Number of runs of a pair that changes places.
PAIR = 2


def consequence_text(before: Document, after: Document) -> str:
    """``"ADR of 3 runs changes by at most 0.002; the order stays"``, ``"ADR of B2 0.647 → 0.858; now 2nd of 13"``.

    The means over queries of the runs that both have, in the measure shown after the change; "" where there is nothing
    to compare.

    Parameters
    ----------
    before, after : with scores.
    """
    old, new, key = before.scores, after.scores, after.measure
    if old is None or new is None or key not in {measure.key for measure in old.measures}:
        return ""
    names = [name for name in new.runs if name in old.runs]
    if not names:
        return ""
    former, present = (
        np.array([document.mean("queries")[scores.run_index(name), scores.column(key)] for name in names])
        for document, scores in ((before, old), (after, new))
    )
    return change_of_means(names, former, present, key)


def change_of_means(names: Sequence[str], old: NDArray[np.float64], new: NDArray[np.float64], key: str) -> str:
    """What happened to the means (R,) of runs in a measure, and to their order; see `consequence_text`."""
    order = _order_text(names, old, new, find_measure(key).better == "lower")
    return f"{_change_text(names, old, new, key)}; {order}"


def short_change_of_means(names: Sequence[str], old: NDArray[np.float64], new: NDArray[np.float64], key: str) -> str:
    """`change_of_means` for a button: ``"order stays; ADR by at most 0.002"``."""
    order = _order_text(names, old, new, find_measure(key).better == "lower").removeprefix("the ")
    change = _change_text(names, old, new, key)
    if " changes by " in change:
        change = f"{key} by {change.partition(' changes by ')[2]}"
    return f"{order}; {change}"


def _changed(old: NDArray[np.float64], new: NDArray[np.float64]) -> NDArray[np.intp]:
    """Runs whose mean is another one."""
    return np.flatnonzero(~((old == new) | (np.isnan(old) & np.isnan(new))))


def _change_text(names: Sequence[str], old: NDArray[np.float64], new: NDArray[np.float64], key: str) -> str:
    """What happened to the means."""
    changed = _changed(old, new)
    if not len(changed):
        return f"{key} of all runs stays the same"
    if len(changed) == 1:
        row = int(changed[0])
        return f"{key} of {names[row]} {format_change(float(old[row]), float(new[row]))}"
    most = np.nanmax(np.abs(new - old)[changed], initial=0.0)
    return f"{key} of {count_text(len(changed), 'run', 'runs')} changes by {_limit_text(float(most))}"


def _limit_text(most: float) -> str:
    """``"at most 0.002"``; a change that would be rounded to 0 is less than the smallest number shown."""
    return f"at most {text}" if (text := format_value(most)) != format_value(0.0) else f"less than {SMALLEST_SHOWN}"


def _order_text(names: Sequence[str], old: NDArray[np.float64], new: NDArray[np.float64], is_best_low: bool) -> str:
    """What happened to the order; runs with equal means keep that of the table, undefined means are last."""
    orders = [np.argsort(values if is_best_low else -values, kind="stable") for values in (old, new)]
    moved = np.flatnonzero(orders[0] != orders[1])
    changed = _changed(old, new)
    if len(changed) == 1 and len(names) > 1:
        place = orders[1].tolist().index(int(changed[0])) + 1
        return f"{'now' if len(moved) else 'still'} {ordinal(place)} of {len(names)}"
    if not len(moved):
        return "the order stays"
    if len(moved) == PAIR:
        one, other = (names[run] for run in orders[1][moved].tolist())
        return f"{one} and {other} exchange places {moved[0] + 1} and {moved[1] + 1}"
    return f"the order of {len(moved)} runs changes"


def ordinal(number: int) -> str:
    """A number as a place.

    Examples
    --------
    >>> [ordinal(number) for number in (1, 2, 3, 4, 11, 12, 13, 21, 112, 123)]
    ['1st', '2nd', '3rd', '4th', '11th', '12th', '13th', '21st', '112th', '123rd']
    """
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{'th' if number % 100 in (11, 12, 13) else ending}"
