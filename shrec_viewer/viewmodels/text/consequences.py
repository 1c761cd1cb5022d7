"""What a change did to the means of the runs and to their order, as a sentence."""

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.metrics import find_measure
from shrec_viewer.number_format import format_change, format_value
from shrec_viewer.viewmodels.session.document import Document
from shrec_viewer.viewmodels.text.labels import count_text

#: Number of runs of a pair that changes places.
PAIR = 2


def consequence_text(before: Document, after: Document) -> str:
    """``"ADR of 3 runs changes by at most 0.002; the order stays"``.

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
    order = _order_text(names, former, present, find_measure(key).better == "lower")
    return f"{_change_text(names, former, present, key)}; {order}"


def _change_text(names: list[str], old: NDArray[np.float64], new: NDArray[np.float64], key: str) -> str:
    """What happened to the means."""
    is_same = (old == new) | (np.isnan(old) & np.isnan(new))
    changed = np.flatnonzero(~is_same)
    if not len(changed):
        return f"{key} of all runs stays the same"
    if len(changed) == 1:
        row = int(changed[0])
        return f"{key} of {names[row]} {format_change(float(old[row]), float(new[row]))}"
    most = np.nanmax(np.abs(new - old)[changed], initial=0.0)
    return f"{key} of {count_text(len(changed), 'run', 'runs')} changes by at most {format_value(float(most))}"


def _order_text(names: list[str], old: NDArray[np.float64], new: NDArray[np.float64], is_best_low: bool) -> str:
    """What happened to the order; runs with equal means keep that of the table, undefined means are last."""
    orders = [np.argsort(values if is_best_low else -values, kind="stable") for values in (old, new)]
    moved = np.flatnonzero(orders[0] != orders[1])
    if not len(moved):
        return "the order stays"
    if len(moved) == PAIR:
        one, other = (names[run] for run in orders[1][moved].tolist())
        return f"{one} and {other} exchange places {moved[0] + 1} and {moved[1] + 1}"
    return f"the order of {len(moved)} runs changes"
