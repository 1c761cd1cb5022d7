"""Every measure of every run: ranking, hits, scores."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Benchmark, DistanceMatrix, Run, ShrecError
from shrec_viewer.evaluation.errors import checkpoint_of, never
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.evaluation.truth import id_order, truth_of
from shrec_viewer.metrics import HitTable, Profile, ResolvedMeasure, find_measure
from shrec_viewer.metrics.list_ranking import Lists, hits_from_lists
from shrec_viewer.metrics.matrix_ranking import hits_from_matrix
from shrec_viewer.metrics.truth import Truth


def evaluate(
    benchmark: Benchmark,
    profile: Profile,
    *,
    runs: Sequence[str] | None = None,
    measures: Sequence[str] | None = None,
    cancelled: Callable[[], bool] = never,
    progress: Callable[[int, int, str], None] | None = None,
) -> Scores:
    """Scores of the runs of a benchmark under the conventions of a profile.

    Parameters
    ----------
    benchmark : with an assessment.
    profile : conventions.
    runs : names, in the order wanted; None for all as the benchmark lists them.
    measures : keys, in the order wanted; None for the profile's table, without the keys of a level that the truth does
        not have.
    cancelled : asked between blocks of work.
    progress : called with (runs done, runs in all, what is being done).

    Raises
    ------
    Cancelled
        When `cancelled` answered True.
    ShrecError
        When there is no assessment, or no run of a given name.
    UnknownKeyError
        When a measure is unknown.
    """
    truth = truth_of(benchmark)
    chosen = tuple(benchmark.runs) if runs is None else tuple(_run_named(benchmark, name) for name in runs)
    columns = _measures(profile, measures, truth.highest_level)
    order = id_order(benchmark, profile)
    checkpoint = checkpoint_of(cancelled)
    hits: list[HitTable] = []
    answers = np.empty((len(chosen), len(truth), len(columns)))
    for done, run in enumerate(chosen):
        if progress is not None:
            progress(done, len(chosen), f"Evaluating {run.name}")
        found = _hits(run, truth, profile, order, checkpoint)
        for column, measure in enumerate(columns):
            checkpoint()
            answers[done, :, column] = measure.evaluate(found, profile)
        hits.append(replace(found))  # a fresh one: what the measures derived from it is not kept for every run
    if progress is not None:
        progress(len(chosen), len(chosen), "Evaluated")
    return Scores(
        profile=profile,
        measures=columns,
        runs=tuple(run.name for run in chosen),
        participants=tuple(run.participant for run in chosen),
        queries=benchmark.queries.ids,
        query_labels=benchmark.queries.labels,
        answers=answers,
        hits=tuple(hits),
        left_out=left_out(benchmark, profile, truth),
    )


def hit_table(run: Run, benchmark: Benchmark, profile: Profile) -> HitTable:
    """Where the relevant models of each query stand in one run; ShrecError when there is no assessment."""
    return _hits(run, truth_of(benchmark), profile, id_order(benchmark, profile), checkpoint_of(never))


def left_out(benchmark: Benchmark, profile: Profile, truth: Truth) -> NDArray[np.bool_]:
    """(Q,) bool, queries that the profile leaves out of every mean: of classes too small, or of no real class."""
    out = truth.class_sizes(truth.own(drop=False)).sum(axis=1) < profile.min_class_size
    if benchmark.classification is not None and profile.left_out_classes:
        names = benchmark.classification.names
        unwanted = [label for label, name in enumerate(names) if name in profile.left_out_classes]
        out |= np.isin(benchmark.queries.labels, unwanted)
    return out


def _hits(
    run: Run,
    truth: Truth,
    profile: Profile,
    order: NDArray[np.int64] | None,
    checkpoint: Callable[[], None],
) -> HitTable:
    ranking = run.ranking
    if len(ranking) != len(truth):
        raise ShrecError(f"run '{run.name}' answers {len(ranking)} queries, but there are {len(truth)}")
    if isinstance(ranking, DistanceMatrix):
        found = hits_from_matrix(
            truth,
            ranking.values,
            ranking.rows,
            ranking.columns,
            profile,
            similarity=ranking.similarity,
            id_order=order,
            checkpoint=checkpoint,
        )
        return found.hits
    scores = ranking.distances if ranking.by_score else None
    lists = Lists(ranking.indptr, ranking.items, ranking.present, scores, order)
    return hits_from_lists(truth, lists, profile, checkpoint=checkpoint)


def _measures(profile: Profile, keys: Sequence[str] | None, highest_level: int) -> tuple[ResolvedMeasure, ...]:
    if keys is not None:
        return tuple(find_measure(key) for key in keys)
    table = (find_measure(key) for key in profile.measures)
    return tuple(measure for measure in table if measure.level <= highest_level)


def _run_named(benchmark: Benchmark, name: str) -> Run:
    try:
        return benchmark.run(name)
    except KeyError:
        known = ", ".join(run.name for run in benchmark.runs) or "none"
        raise ShrecError(f"there is no run '{name}'; there are: {known}") from None
