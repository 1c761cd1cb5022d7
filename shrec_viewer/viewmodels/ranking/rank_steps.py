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
    """Select the run `by` runs further in the benchmark, at most the first or last one."""
    if session.benchmark is None or session.selection.run == NOTHING:
        return
    session.select(run=min(max(session.selection.run + by, 0), len(session.benchmark.runs) - 1))


def step_rank(session: Session, by: int, *, relevant: bool) -> bool:
    """Select the next (`by` 1) or previous (-1) relevant model of the list, or with `relevant` False false positive.

    Without a selected rank the search starts at the top, or for -1 at the end.

    Returns
    -------
    bool
        Whether there is one.
    """
    shown = session.ranked_list
    if shown is None:
        return False
    return step_to(session, np.flatnonzero(relevant_mask(shown, session.profile) == relevant) + 1, by)


def missed_ranks(session: Session) -> NDArray[np.int64]:
    """1-based ranks of the missed models (false negatives): relevant ones beyond the number of relevant models."""
    shown, benchmark = session.ranked_list, session.benchmark
    if shown is None or benchmark is None:
        return np.zeros(0, np.int64)
    size = relevant_count(benchmark, session.selection.query, shown, session.profile)
    return ranks_beyond(shown, relevant_mask(shown, session.profile), size)


def step_to(session: Session, ranks: NDArray[np.int64], by: int) -> bool:
    """Select the next of some ascending ranks, or the previous one for `by` -1; False if there is none."""
    rank = next_rank(ranks, session.selection.rank, by)
    if rank is not None:
        session.select(rank=rank)
    return rank is not None


def ranks_beyond(shown: RankedList, relevant: NDArray[np.bool_], size: int) -> NDArray[np.int64]:
    """1-based ranks of the relevant models beyond rank `size`."""
    ranks = np.flatnonzero(relevant) + 1
    return ranks[ranks > size]


def next_rank(ranks: NDArray[np.int64], rank: int | None, by: int) -> int | None:
    """The nearest of the ascending `ranks` after `rank`, or before it for `by` -1; None if there is none."""
    if rank is not None:
        ranks = ranks[ranks > rank] if by > 0 else ranks[ranks < rank]
    if not len(ranks):
        return None
    return int(ranks[0] if by > 0 else ranks[-1])


RANK_CHANGE_KEY = "rank changes"
"""Key of the task that ranks the list of the compared run."""


def step_rank_change(session: Session, by: int, report: Callable[[str], None]) -> None:
    """Select the relevant model with the largest rank change between the two runs, or the next largest after that.

    Without relevant models, all models count. The list of the compared run is ranked in the background.

    Parameters
    ----------
    by : 1 for the next smaller change, -1 for the next larger one.
    report : called with a message if there is none.
    """
    selection, benchmark, shown = session.selection, session.benchmark, session.ranked_list
    if benchmark is None or shown is None:
        return
    if selection.compared is None or selection.compared == selection.run:
        report("Select a run to compare with first.")
        return
    other = benchmark.runs[selection.compared]
    session.tasks.run(
        RANK_CHANGE_KEY,
        partial(make_ranked_list, benchmark, other, selection.query, session.profile),
        partial(_select_next, session, shown, by, report),
        partial(session.report_failure, f"The list of {other.name} cannot be compared"),
    )


def ranks_by_change(shown: RankedList, other: RankedList, counted: NDArray[np.bool_]) -> NDArray[np.int64]:
    """1-based ranks in `shown` of models with another rank in `other`, largest difference first.

    A model that `other` does not have counts as the rank after its last one.

    Parameters
    ----------
    counted : (n,) bool, the elements of `shown` to consider.
    """
    n_models = max(shown.items.max(initial=0), other.items.max(initial=0)) + 1
    other_ranks = np.full(n_models, len(other) + 1, np.int64)
    known = other.items != UNKNOWN_ITEM
    other_ranks[other.items[known]] = np.flatnonzero(known) + 1
    ranks = np.flatnonzero(counted & (shown.items != UNKNOWN_ITEM)) + 1
    moved = np.abs(other_ranks[shown.items[ranks - 1]] - ranks)
    by_size = np.argsort(-moved, kind="stable")
    return ranks[by_size][moved[by_size] > 0]


def _select_next(
    session: Session, shown: RankedList, by: int, report: Callable[[str], None], other: RankedList
) -> None:
    if session.ranked_list is not shown:
        return  # a different list was selected in the meantime
    relevant = relevant_mask(shown, session.profile)
    ranks = ranks_by_change(shown, other, relevant if relevant.any() else np.ones(len(shown), np.bool_))
    if not len(ranks):
        report("All relevant models have the same rank in both runs.")
        return
    current = np.flatnonzero(ranks == session.selection.rank)
    index = 0 if not len(current) else int(np.clip(current[0] + by, 0, len(ranks) - 1))
    session.select(rank=int(ranks[index]))
