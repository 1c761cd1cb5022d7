"""What the runs find together: the best run of each query, and relevant models that one run or none finds."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.diagnosis.assessed import lists_of
from shrec_viewer.domain import ShrecViewerError
from shrec_viewer.evaluation.evaluate import Progress, make_checkpoint, never_cancelled
from shrec_viewer.evaluation.ranked_list import query_levels
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.read_only import ReadOnlyArrays


@dataclass(frozen=True, eq=False)
class Headroom(ReadOnlyArrays):
    """The best run of each query against the best run, and what is found by which runs.

    A run finds a relevant model of a query if it is among the first C ranks, where C is the number of relevant models.

    Attributes
    ----------
    runs : (R,) names of the submitted runs.
    measure : key.
    best_run, best : run with the best mean, and this mean.
    oracle : mean over queries of the best value of any run.
    n_relevant : relevant models of all queries.
    unique : (R,) int64, of these, models that only this run finds.
    found_by_none : models that no run finds.
    sets : (S, R) bool, distinct sets of runs that find a model, the most frequent first; without the empty set.
    counts : (S,) int64, models that exactly these runs find.
    missed : (found_by_none, 2) int32, query and model of those that no run finds, ascending.
    """

    runs: tuple[str, ...]
    measure: str
    best_run: str
    best: float
    oracle: float
    n_relevant: int
    unique: NDArray[np.int64]
    found_by_none: int
    sets: NDArray[np.bool_]
    counts: NDArray[np.int64]
    missed: NDArray[np.int32]


def headroom(
    scores: Scores,
    measure: int = 0,
    runs: tuple[int, ...] | None = None,
    *,
    cancelled: Callable[[], bool] = never_cancelled,
    progress: Progress | None = None,
) -> Headroom:
    """Headroom of the submitted runs of `scores` in one of its columns; virtual runs are left out.

    Parameters
    ----------
    runs : rows of the runs; None for all.

    Raises
    ------
    Cancelled
        If `cancelled` returned True.
    ShrecViewerError
        If there is no submitted run, or no query with relevant models.
    """
    every = range(len(scores.runs)) if runs is None else runs
    rows = [row for row in every if not scores.benchmark.run(scores.runs[row]).expression]
    queries = np.flatnonzero(~scores.excluded & ~scores.without_relevant)
    if not rows or not len(queries):
        lacks = "queries with relevant models" if rows else "submitted runs"
        raise ShrecViewerError(f"'{scores.benchmark.name}' has no {lacks}: there is nothing to compare")
    checkpoint, resolved = make_checkpoint(cancelled), scores.measures[measure]
    sign = -1.0 if resolved.better == "lower" else 1.0
    values = sign * scores.values_in_mean[rows][:, :, measure]
    defined = ~np.isnan(values).all(axis=0)
    means = sign * scores.mean()[rows, measure]
    best = int(np.argmax(np.where(np.isnan(means), -np.inf, means)))
    sizes = scores.hits[rows[0]].relevant_size(1)
    readers = [lists_of(scores, row, queries, checkpoint, int(sizes.max())) for row in rows]
    found, missed = [], []
    for done, heads in enumerate(zip(*readers, strict=True)):
        if progress is not None:
            progress(done, len(queries), "query")
        query = int(queries[done])
        levels = query_levels(scores.benchmark, query, scores.profile)
        relevant = np.flatnonzero(levels >= scores.profile.relevant_from)
        is_found = np.stack([np.isin(relevant, head.items[: sizes[query]]) for _, head in heads], axis=1)
        found.append(is_found)
        none = relevant[~is_found.any(axis=1)]
        missed.append(np.stack([np.full(len(none), query), none], axis=1).astype(np.int32))
    pairs = np.concatenate(found)
    sets, counts = np.unique(pairs[pairs.any(axis=1)], axis=0, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    of_none = np.concatenate(missed)
    oracle = float(sign * np.nanmax(values[:, defined], axis=0).mean()) if defined.any() else float("nan")
    return Headroom(
        tuple(scores.runs[row] for row in rows), resolved.key,
        scores.runs[rows[best]], float(sign * means[best]), oracle, len(pairs),
        unique=pairs[pairs.sum(axis=1) == 1].sum(axis=0), found_by_none=len(of_none),
        sets=sets[order], counts=counts[order], missed=of_none,
    )  # fmt: skip
