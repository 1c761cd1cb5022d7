"""Sentences about what changed on disk."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.numerals import change, listed
from shrec_viewer.viewmodels.live_jobs import Renewal
from shrec_viewer.viewmodels.live_reload import KEPT


def change_words(renewal: Renewal, place: int, before: NDArray[np.float64], measure: str) -> str:
    """``"M2 reloaded, MAP 0.412 → 0.437 (+0.025)"``: a run that was read anew, and what that did to its score.

    Parameters
    ----------
    place : of the run.
    before : (R, M) float64, means over queries before; (0, 0) where there were none.
    measure : key of the measure that is looked at.
    """
    name = renewal.benchmark.runs[place].name
    scores = renewal.scores
    keys = () if scores is None else tuple(resolved.key for resolved in scores.measures)
    if scores is None or measure not in keys or not before.size:
        return f"{name} reloaded"
    cell = scores.run_index(name), scores.column(measure)
    old, new = float(before[cell]), float(renewal.means["queries"][cell])
    called = "MAP" if measure == "AP" else f"mean {measure}"
    if old == new or (np.isnan(old) and np.isnan(new)):
        return f"{name} reloaded, {called} {listed(new)} as before"
    if listed(old) == listed(new):
        return f"{name} reloaded, {called} {listed(new)}, changed by less than 0.001"
    return f"{name} reloaded, {called} {change(old, new)}"


def failure_sentence(name: str, why: str) -> str:
    """A run that could not be read anew."""
    return f"{name} changed, but cannot be read: {why}; {KEPT}"


def reload_words(sentence: str, before: Sequence[str], now: Sequence[str]) -> str:
    """What reading everything once more brought: `sentence` and the names of runs that came or went; "" for nothing."""
    new = [name for name in now if name not in before]
    gone = [name for name in before if name not in now]
    parts = [f"new {'runs' if len(new) > 1 else 'run'}: {', '.join(new)}"] if new else []
    parts += [f"no longer there: {', '.join(gone)}"] if gone else []
    words = "; ".join(parts)
    return "; ".join(part for part in (sentence, words) if part) if sentence else words[:1].upper() + words[1:]
