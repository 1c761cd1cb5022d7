"""The models that stand at the most different ranks in the selected run and in the one it is compared with."""

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import UNKNOWN_ITEM
from shrec_viewer.evaluation.ranked_list import RankedList
from shrec_viewer.viewmodels.jobs import order
from shrec_viewer.viewmodels.list_facts import relevant_places
from shrec_viewer.viewmodels.session import Session

LANE = "movers"
"""Lane of `Session.tasks` that ranks the other run's list."""


def step_mover(session: Session, by: int, tell: Callable[[str], None]) -> None:
    """Select the relevant model that moved most between the two runs; from one of them, the one that moved next most.

    Where nothing is judged relevant, any model counts. The other list is made beside the window.

    Parameters
    ----------
    by : 1 for the next mover, -1 for the one before.
    tell : called with a sentence where there is none to go to.
    """
    selection, benchmark, shown = session.selection, session.benchmark, session.ranked_list
    if benchmark is None or shown is None:
        return
    if selection.compared is None or selection.compared == selection.run:
        tell("Choose a second run to compare with: then this goes to the models that moved most between the two.")
        return
    other = benchmark.runs[selection.compared]
    session.tasks.run(
        LANE,
        partial(order, benchmark, other, selection.query, session.profile),
        partial(_go, session, shown, by, tell),
        partial(session.tell_failure, f"The list of {other.name} cannot be compared"),
    )


def mover_ranks(shown: RankedList, other: RankedList, counted: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Ranks (from 1) in `shown` of models that stand elsewhere in `other`, the largest difference of ranks first.

    Parameters
    ----------
    counted : (n,) bool, the places of `shown` to look at. A model that `other` lacks stands behind its last one.
    """
    n_models = max(shown.items.max(initial=0), other.items.max(initial=0)) + 1
    there = np.full(n_models, len(other) + 1, np.int64)
    known = other.items != UNKNOWN_ITEM
    there[other.items[known]] = np.flatnonzero(known) + 1
    ranks = np.flatnonzero(counted & (shown.items != UNKNOWN_ITEM)) + 1
    moved = np.abs(there[shown.items[ranks - 1]] - ranks)
    by_size = np.argsort(-moved, kind="stable")
    return ranks[by_size][moved[by_size] > 0]


def _go(session: Session, shown: RankedList, by: int, tell: Callable[[str], None], other: RankedList) -> None:
    if session.ranked_list is not shown:
        return  # another list is shown meanwhile
    relevant = relevant_places(shown, session.profile)
    ranks = mover_ranks(shown, other, relevant if relevant.any() else np.ones(len(shown), np.bool_))
    if not len(ranks):
        tell("No relevant model stands at another rank in the run compared with.")
        return
    here = np.flatnonzero(ranks == session.selection.rank)
    place = 0 if not len(here) else int(np.clip(here[0] + by, 0, len(ranks) - 1))
    session.select(rank=int(ranks[place]))
