"""Scores of all runs and their means, computed in background tasks, and the best run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Benchmark, EditedAssessment, RankedLists
from shrec_viewer.evaluation.edits import edited_queries, with_edits
from shrec_viewer.evaluation.query_subset import rescored
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.evaluation.virtual_runs import computed_runs, virtual_run_findings
from shrec_viewer.formats.discovery.submission import LoadedRun
from shrec_viewer.formats.manifest.run_changes import VirtualRun
from shrec_viewer.metrics import Profile, extra_measure_keys
from shrec_viewer.viewmodels.tasks.tasks import Task

#: Means over ``"queries"`` and over ``"classes"``, (R, M) float64 each.
Means = dict[str, NDArray[np.float64]]


def score_runs(
    benchmark: Benchmark, profile: Profile, added_measures: tuple[str, ...], previous: Scores | None, task: Task
) -> tuple[Scores, Means]:
    """Scores of all runs and their means: added measures, then those of the profile and of other packages.

    Added measures come first, so that they are visible next to the names of the runs in a wide table.

    Parameters
    ----------
    previous : see `evaluate`.
    """
    scores = task.evaluate(
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


def score_profiles(
    scores: Scores, profiles: Sequence[Profile], added_measures: tuple[str, ...], task: Task
) -> list[tuple[Scores, Means]]:
    """Scores of the same runs under other profiles, and their means."""
    return [score_runs(scores.benchmark, profile, added_measures, scores, task) for profile in profiles]


def score_edited_queries(benchmark: Benchmark, previous: Scores, task: Task) -> tuple[Scores, Means]:
    """Scores after edits of the assessment; only queries with other levels than in `previous` are evaluated again."""
    queries = edited_queries(previous.benchmark, benchmark)
    scores = (
        rescored(previous, benchmark, queries, cancelled=task.cancelled)
        if len(queries)
        else replace(previous, benchmark=benchmark)
    )
    return scores, compute_means(scores)


@dataclass(frozen=True, eq=False)
class ComputedRun(LoadedRun):
    """A virtual run with what it was computed from, see `virtual_run_inputs`."""

    inputs: tuple[object, ...] = ()


def compute_virtual_runs(
    benchmark: Benchmark,
    profile: Profile,
    inputs: Mapping[VirtualRun, tuple[object, ...]],
    former: Mapping[VirtualRun, ComputedRun],
    path: Path,
    task: Task,
) -> dict[VirtualRun, ComputedRun]:
    """Virtual runs with findings about those that cannot be computed.

    Parameters
    ----------
    benchmark : with the runs that they are computed from.
    inputs : the runs to compute, with their `virtual_run_inputs`.
    former : runs as computed before; one whose lists are equal is returned instead, so that it is not scored again.
    path : what was opened, the file of the findings.
    """
    expressions = [run.expression for run in inputs]
    computed = computed_runs(
        benchmark, expressions, profile, cancelled=task.cancelled, progress=task.progress, map_files=task.map_files
    )
    loaded: dict[VirtualRun, ComputedRun] = {}
    for run, used in inputs.items():
        found = computed[run.expression]
        findings = virtual_run_findings(benchmark, {run.expression: found}, str(path), profile)
        if isinstance(found, str):
            loaded[run] = ComputedRun(None, findings, used)
            continue
        before = former[run].run if run in former else None
        is_same = before is not None and _same_lists(before.ranking, found.ranking)
        loaded[run] = ComputedRun(before if is_same else found, findings, used)
    return loaded


def _same_lists(one: object, other: object) -> bool:
    if not isinstance(one, RankedLists) or not isinstance(other, RankedLists) or one.by_score != other.by_score:
        return False
    are_equal = [np.array_equal(getattr(one, name), getattr(other, name)) for name in ("indptr", "items", "present")]
    if one.distances is None or other.distances is None:
        return all(are_equal) and one.distances is other.distances
    return all(are_equal) and np.array_equal(one.distances, other.distances, equal_nan=True)


def are_same_scores(one: Scores, other: Scores) -> bool:
    """Whether two scores have the same runs, queries, measures and values, as after a file was read again unchanged."""
    names = [(scores.runs, scores.queries, scores.measures, scores.profile) for scores in (one, other)]
    return names[0] == names[1] and np.array_equal(one.values, other.values, equal_nan=True)


def is_before_edits(former: Scores, scores: Scores) -> bool:
    """Whether `former` are scores of the same runs and measures with the assessment that `scores` have edits of."""
    edited, original = scores.benchmark.assessment, former.benchmark.assessment
    return (
        isinstance(edited, EditedAssessment)
        and edited.original is original
        and former.benchmark.runs is scores.benchmark.runs
        and former.profile == scores.profile
        and former.measures == scores.measures
    )


def score_unedited(scores: Scores, task: Task) -> Scores:
    """Scores before the edits of the assessment."""
    original = with_edits(scores.benchmark, ())
    return rescored(scores, original, edited_queries(original, scores.benchmark), cancelled=task.cancelled)


def compute_means(scores: Scores) -> Means:
    """Means over queries and over classes.

    Also fills the cached properties `values` and `random_runs` here, in a background thread: for 20 runs x 5,000
    queries they take too long for the main thread.
    """
    _ = scores.values, scores.random_runs
    return {"queries": scores.mean(), "classes": scores.class_mean()}


def best_run(scores: Scores, means: Means) -> int | None:
    """Index of the best run by the profile's headline measure, the first of equal ones; None if no run has a value.

    Virtual runs are references, of which one is the best only where no other run has a value.
    """
    key = scores.profile.headline
    measure = next((measure for measure in scores.measures if measure.key == key), None)
    if measure is None:
        return None
    values = means["queries"][:, scores.column(key)] * (-1.0 if measure.better == "lower" else 1.0)
    submitted = np.array([not scores.benchmark.run(name).expression for name in scores.runs], np.bool_)
    if not np.isnan(values[submitted]).all():
        values = np.where(submitted, values, np.nan)
    return None if np.isnan(values).all() else int(np.nanargmax(values))
