"""Functions that the session runs in background tasks: reading, scoring, ranking."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Benchmark, Finding, Run, Severity
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.evaluation.ranked_list import RankedList, ranked_list
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.formats.discovery.benchmark import BenchmarkParts, read_benchmark
from shrec_viewer.metrics import PROFILE_KEYS, PROFILES, Profile, extra_measure_keys, find_profile
from shrec_viewer.viewmodels.files.disk_caches import parse_cache
from shrec_viewer.viewmodels.tasks.tasks import Task

Means = dict[str, NDArray[np.float64]]
"""Means over ``"queries"`` and over ``"classes"``, (R, M) float64 each."""


def open_benchmark(path: Path, parts: BenchmarkParts, task: Task) -> Benchmark:
    """Read the benchmark at `path`."""
    return read_benchmark(
        path, parts, cancelled=task.cancelled, progress=task.progress, profiles=PROFILE_KEYS, cache=parse_cache()
    )


def score_runs(benchmark: Benchmark, profile: Profile, task: Task) -> tuple[Scores, Means]:
    """Scores of all runs and their means, for the measures of the profile and those of other packages."""
    scores = evaluate(
        benchmark,
        profile,
        extra_measures=extra_measure_keys(),
        cancelled=task.cancelled,
        progress=task.progress,
    )
    return scores, compute_means(scores)


def compute_means(scores: Scores) -> Means:
    """Means over queries and over classes.

    Also fills the cached property `Scores.values` here, in a background thread: for 20 runs x 5,000 queries it takes
    too long for the main thread.
    """
    _ = scores.values
    return {"queries": scores.mean(), "classes": scores.class_mean()}


def effective_measure(scores: Scores | None, profile: Profile, selected: str) -> str:
    """Key of the measure to show: the selected one where it is computed, else the profile's headline measure."""
    keys = profile.measures if scores is None else tuple(measure.key for measure in scores.measures)
    return next((key for key in (selected, profile.headline, *keys) if key in keys), profile.headline)


def best_run(scores: Scores, means: Means) -> int | None:
    """Index of the best run by the profile's headline measure, the first of equal ones; None if no run has a value."""
    key = scores.profile.headline
    measure = next((measure for measure in scores.measures if measure.key == key), None)
    if measure is None:
        return None
    values = means["queries"][:, scores.column(key)] * (-1.0 if measure.better == "lower" else 1.0)
    return None if np.isnan(values).all() else int(np.nanargmax(values))


def make_ranked_list(benchmark: Benchmark, run: Run, query: int, profile: Profile, task: Task) -> RankedList:
    """The full ranked list of one run for one query; does not check for cancellation, as it is short."""
    return ranked_list(benchmark, run, query, profile)


def resolve_profile(benchmark: Benchmark, requested: str | Profile | None) -> tuple[Profile, tuple[Finding, ...]]:
    """The requested profile, else that of the benchmark; with a finding if the key is unknown."""
    if isinstance(requested, Profile):
        return requested, ()
    try:
        return find_profile(benchmark.profile if requested is None else requested), ()
    except KeyError as error:
        action = f"used the profile '{PROFILES[0].key}'"
        return PROFILES[0], (Finding(Severity.WARNING, "command line", None, str(error), action),)
