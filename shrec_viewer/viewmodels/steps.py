"""Steps through runs and ranks: the next run, the next relevant model, the next intruder, the next miss."""

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.evaluation.ranked_list import RankedList
from shrec_viewer.viewmodels.list_facts import relevant_places, relevant_size
from shrec_viewer.viewmodels.selection import NOTHING
from shrec_viewer.viewmodels.session import Session


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
    return step_to(session, np.flatnonzero(relevant_places(shown, session.profile) == relevant) + 1, by)


def misses(session: Session) -> NDArray[np.int64]:
    """Ranks of the list's misses: relevant models beyond rank C, though C places would have held all of them."""
    shown, benchmark = session.ranked_list, session.benchmark
    if shown is None or benchmark is None:
        return np.zeros(0, np.int64)
    size = relevant_size(benchmark, session.selection.query, shown, session.profile)
    return miss_ranks(shown, relevant_places(shown, session.profile), size)


def step_to(session: Session, ranks: NDArray[np.int64], by: int) -> bool:
    """Select the next of some ascending ranks, or the one before for `by` -1; False where there is no further one."""
    rank = next_of(ranks, session.selection.rank, by)
    if rank is not None:
        session.select(rank=rank)
    return rank is not None


def miss_ranks(shown: RankedList, relevant: NDArray[np.bool_], size: int) -> NDArray[np.int64]:
    """Ranks (from 1) of the relevant models that do not stand within the first `size` places."""
    ranks = np.flatnonzero(relevant) + 1
    return ranks[ranks > size]


def next_of(ranks: NDArray[np.int64], rank: int | None, by: int) -> int | None:
    """The nearest of the ascending `ranks` after `rank`, or before it for `by` -1; None where there is none."""
    if rank is not None:
        ranks = ranks[ranks > rank] if by > 0 else ranks[ranks < rank]
    if not len(ranks):
        return None
    return int(ranks[0] if by > 0 else ranks[-1])
