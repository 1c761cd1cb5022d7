"""Steps to the next run, relevant model, false positive, missed model or rank change."""

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import UNKNOWN_ITEM
from shrec_viewer.evaluation.ranked_list import RankedList
from shrec_viewer.viewmodels.ranking.ranked_list import relevant_count, relevant_mask
from shrec_viewer.viewmodels.session.jobs import make_ranked_list
from shrec_viewer.viewmodels.session.selection import NOTHING
from shrec_viewer.viewmodels.session.session import Session


def step_run(session: Session, by: int) -> None:
    """Select the run `by` places further in the benchmark; the ends hold."""
    if session.benchmark is None or session.selection.run == NOTHING:
        return
    session.select(run=min(max(session.selection.run + by, 0), len(session.benchmark.runs) - 1))


def step_rank(session: Session, by: int, *, relevant: bool) -> bool:
    """Select the next relevant model of the list (`by` 1) or the one before (-1); `relevant` False: the next intruder.

    Without a rank the search begins at the top, or for -1 at the end.

    Returns
    -------
    bool
        Whether there was a further one.
    """
    shown = session.ranked_list
    if shown is None:
        return False
    return step_to(session, np.flatnonzero(relevant_mask(shown, session.profile) == relevant) + 1, by)


def missed_ranks(session: Session) -> NDArray[np.int64]:
    """Ranks of the list's misses: relevant models beyond rank C, though C places would have held all of them."""
    shown, benchmark = session.ranked_list, session.benchmark
    if shown is None or benchmark is None:
        return np.zeros(0, np.int64)
    size = relevant_count(benchmark, session.selection.query, shown, session.profile)
    return ranks_beyond(shown, relevant_mask(shown, session.profile), size)


def step_to(session: Session, ranks: NDArray[np.int64], by: int) -> bool:
    """Select the next of some ascending ranks, or the one before for `by` -1; False where there is no further one."""
    rank = next_rank(ranks, session.selection.rank, by)
    if rank is not None:
        session.select(rank=rank)
    return rank is not None


def ranks_beyond(shown: RankedList, relevant: NDArray[np.bool_], size: int) -> NDArray[np.int64]:
    """Ranks (from 1) of the relevant models that do not stand within the first `size` places."""
    ranks = np.flatnonzero(relevant) + 1
    return ranks[ranks > size]


def next_rank(ranks: NDArray[np.int64], rank: int | None, by: int) -> int | None:
    """The nearest of the ascending `ranks` after `rank`, or before it for `by` -1; None where there is none."""
    if rank is not None:
        ranks = ranks[ranks > rank] if by > 0 else ranks[ranks < rank]
    if not len(ranks):
        return None
    return int(ranks[0] if by > 0 else ranks[-1])


LANE = "movers"
"""Lane of `Session.tasks` that ranks the other run's list."""


def step_rank_change(session: Session, by: int, tell: Callable[[str], None]) -> None:
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
        partial(make_ranked_list, benchmark, other, selection.query, session.profile),
        partial(_select_next, session, shown, by, tell),
        partial(session.report_failure, f"The list of {other.name} cannot be compared"),
    )


def ranks_by_change(shown: RankedList, other: RankedList, counted: NDArray[np.bool_]) -> NDArray[np.int64]:
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


def _select_next(session: Session, shown: RankedList, by: int, tell: Callable[[str], None], other: RankedList) -> None:
    if session.ranked_list is not shown:
        return  # another list is shown meanwhile
    relevant = relevant_mask(shown, session.profile)
    ranks = ranks_by_change(shown, other, relevant if relevant.any() else np.ones(len(shown), np.bool_))
    if not len(ranks):
        tell("No relevant model stands at another rank in the run compared with.")
        return
    here = np.flatnonzero(ranks == session.selection.rank)
    place = 0 if not len(here) else int(np.clip(here[0] + by, 0, len(ranks) - 1))
    session.select(rank=int(ranks[place]))
