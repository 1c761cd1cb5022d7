"""Steps through runs and ranks: the next one, the next relevant one, the next intruder."""

import numpy as np

from shrec_viewer.evaluation.ranked_list import RankedList
from shrec_viewer.viewmodels.selection import NOTHING
from shrec_viewer.viewmodels.session import Session


def step_run(session: Session, by: int) -> None:
    """Select the run `by` places further in the benchmark; the ends hold."""
    if session.benchmark is None or session.selection.run == NOTHING:
        return
    session.select(run=min(max(session.selection.run + by, 0), len(session.benchmark.runs) - 1))


def step_rank(session: Session, by: int, *, relevant: bool) -> None:
    """Select the next relevant model of the list (`by` 1) or the one before (-1); `relevant` False: the next intruder.

    Without a rank the search begins at the top, or for -1 at the end; where there is no further one nothing happens.
    """
    shown = session.ranked_list
    if shown is not None and (rank := next_rank(shown, session.selection.rank, by, relevant=relevant)) is not None:
        session.select(rank=rank)


def next_rank(shown: RankedList, rank: int | None, by: int, *, relevant: bool) -> int | None:
    """Rank (from 1) of the nearest relevant or irrelevant model before or after `rank`, None where there is none."""
    ranks = np.flatnonzero((shown.levels > 0) == relevant) + 1
    if rank is not None:
        ranks = ranks[ranks > rank] if by > 0 else ranks[ranks < rank]
    if not len(ranks):
        return None
    return int(ranks[0] if by > 0 else ranks[-1])
