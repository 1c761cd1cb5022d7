"""Scores of all runs and their means, computed in background tasks, and the best run."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Benchmark
from shrec_viewer.evaluation.edits import edited_queries
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.evaluation.query_subset import rescored
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.metrics import Profile, extra_measure_keys
from shrec_viewer.viewmodels.tasks.tasks import Task

Means = dict[str, NDArray[np.float64]]
"""Means over ``"queries"`` and over ``"classes"``, (R, M) float64 each."""


def score_runs(
    benchmark: Benchmark, profile: Profile, added_measures: tuple[str, ...], previous: Scores | None, task: Task
) -> tuple[Scores, Means]:
    """Scores of all runs and their means: added measures, then those of the profile and of other packages.

    Added measures come first, so that they are visible next to the names of the runs in a wide table.

    Parameters
    ----------
    previous : see `evaluate`.
    """
    scores = evaluate(
        benchmark,
        profile,
        extra_measures=tuple(dict.fromkeys((*extra_measure_keys(), *added_measures))),
        previous=previous,
        cancelled=task.cancelled,
        progress=task.progress,
    )
    position = {key: index for index, key in enumerate(added_measures)}
    keys = [measure.key for measure in scores.measures]
    order = sorted(range(len(keys)), key=lambda column: position.get(keys[column], len(position)))
    measures = tuple(scores.measures[column] for column in order)
    scores = replace(scores, measures=measures, raw_values=scores.raw_values[:, :, order])
    return scores, compute_means(scores)


def score_edited_queries(benchmark: Benchmark, previous: Scores, task: Task) -> tuple[Scores, Means]:
    """Scores after edits of the assessment; only queries with other levels than in `previous` are evaluated again."""
    queries = edited_queries(previous.benchmark, benchmark)
    scores = (
        rescored(previous, benchmark, queries, cancelled=task.cancelled)
        if len(queries)
        else replace(previous, benchmark=benchmark)
    )
    return scores, compute_means(scores)


def compute_means(scores: Scores) -> Means:
    """Means over queries and over classes.

    Also fills the cached properties `values` and `random_runs` here, in a background thread: for 20 runs x 5,000
    queries they take too long for the main thread.
    """
    _ = scores.values, scores.random_runs
    return {"queries": scores.mean(), "classes": scores.class_mean()}


def best_run(scores: Scores, means: Means) -> int | None:
    """Index of the best run by the profile's headline measure, the first of equal ones; None if no run has a value."""
    key = scores.profile.headline
    measure = next((measure for measure in scores.measures if measure.key == key), None)
    if measure is None:
        return None
    values = means["queries"][:, scores.column(key)] * (-1.0 if measure.better == "lower" else 1.0)
    return None if np.isnan(values).all() else int(np.nanargmax(values))
