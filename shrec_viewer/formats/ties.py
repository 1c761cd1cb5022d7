"""How many ranks of a run are tied: there, the scores depend on a rule, not on the method."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Severity
from shrec_viewer.formats.conventions import TIED
from shrec_viewer.formats.journal import Journal

GRAVE_SHARE = 0.5
"""Share of tied ranks from which the scores say more about the rule for ties than about the method."""

SMALLEST_SHARE = 0.0005
"""Share that is not 0.0% when it is rounded."""

SAMPLED_ROWS = 256
"""Rows of a matrix that are sorted for it: a second for the largest track."""


def tied_places(ordered: NDArray[np.floating]) -> int:
    """How many of (n,) ordered distances equal a neighbour; NaN equals nothing."""
    same = ordered[1:] == ordered[:-1]
    tied = np.zeros(len(ordered), bool)
    tied[1:] |= same
    tied[:-1] |= same
    return int(tied.sum())


def note_ties(
    path: Path, lists: Iterable[NDArray[np.floating]], journal: Journal, *, lines_decide: bool = False
) -> None:
    """Write down the share of tied ranks over some ordered lists, if there are any: one finding.

    `lines_decide`: the order of the lines is the ranking, so that ties are odd but cost nothing.
    """
    tied = total = 0
    for ordered in lists:
        tied += tied_places(ordered)
        total += len(ordered)
    if not tied:
        return
    share = tied / total
    severity = Severity.WARNING if share >= GRAVE_SHARE and not lines_decide else Severity.INFO
    told = f"{share:.1%} of the" if share >= SMALLEST_SHARE else f"{tied:,} of {total:,}"
    message = f"{told} ranks are tied: the distance equals that of a neighbour"
    action = "the order of the lines decides" if lines_decide else TIED
    journal.note(severity, path, message, action)


def sampled_rows(values: NDArray[np.floating]) -> Iterable[NDArray[np.floating]]:
    """Some rows of a matrix, sorted."""
    for row in range(0, len(values), max(1, -(-len(values) // SAMPLED_ROWS))):
        yield np.sort(np.asarray(values[row], np.float64))
