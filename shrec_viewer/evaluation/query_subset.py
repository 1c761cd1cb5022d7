"""A benchmark with some of its queries, and means after their values changed."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import (
    Assessment,
    Benchmark,
    ClassAssessment,
    DistanceMatrix,
    EditedAssessment,
    PairAssessment,
    Queries,
    RankedLists,
    Run,
)
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.evaluation.scores import Scores, mean_of_defined


def query_subset(benchmark: Benchmark, queries: NDArray[np.int64]) -> Benchmark:
    """The benchmark with the queries of these indices only, in this order; their lists are copied."""
    chosen, old = queries.tolist(), benchmark.queries
    subset = Queries(
        tuple(old.ids[query] for query in chosen),
        tuple(old.paths[query] for query in chosen),
        tuple(old.kinds[query] for query in chosen),
        old.member[queries],
        old.labels[queries],
    )
    assessment = None if benchmark.assessment is None else _assessment_of(benchmark.assessment, queries)
    runs = tuple(_run_of(run, queries) for run in benchmark.runs)
    return replace(benchmark, queries=subset, assessment=assessment, runs=runs)


def _assessment_of(assessment: Assessment, queries: NDArray[np.int64]) -> Assessment:
    if isinstance(assessment, ClassAssessment):
        return replace(assessment, query_labels=assessment.query_labels[queries])
    if isinstance(assessment, EditedAssessment):
        edits = {
            row: assessment.edits[query] for row, query in enumerate(queries.tolist()) if query in assessment.edits
        }
        return EditedAssessment(_assessment_of(assessment.original, queries), edits)
    rows = [assessment.relevant(query) for query in queries.tolist()]
    return PairAssessment(
        np.concatenate([[0], np.cumsum([len(items) for items, _ in rows])]).astype(np.int64),
        np.concatenate([np.zeros(0, np.int32), *(items for items, _ in rows)]).astype(np.int32),
        np.concatenate([np.zeros(0, np.uint8), *(levels for _, levels in rows)]).astype(np.uint8),
    )


def _run_of(run: Run, queries: NDArray[np.int64]) -> Run:
    ranking = run.ranking
    if isinstance(ranking, DistanceMatrix):
        return replace(run, ranking=replace(ranking, rows=ranking.rows[queries]))
    first, lengths = ranking.indptr[queries], np.diff(ranking.indptr)[queries]
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    lines = np.repeat(first - indptr[:-1], lengths) + np.arange(indptr[-1])
    lists = RankedLists(
        indptr,
        ranking.items[lines],
        None if ranking.distances is None else ranking.distances[lines],
        ranking.present[queries],
        ranking.by_score,
        None if ranking.unknown is None else ranking.unknown[lines],
        ranking.unknown_ids,
    )
    return replace(run, ranking=lists)


def means_with(scores: Scores, benchmark: Benchmark, queries: NDArray[np.int64]) -> NDArray[np.float64]:
    """(R, M) float64, means of the runs of `scores` after the assessment of some queries changed.

    Only these queries are ranked and measured again, unless a measure of one query depends on all others.

    Parameters
    ----------
    benchmark : with the new assessment; runs and queries are those of ``scores.benchmark``.
    queries : (n,) indices of the queries whose relevant models changed, ascending.
    """
    keys = [measure.key for measure in scores.measures]
    if scores.profile.ap_divisor == "largest class" or len(queries) == len(scores.queries):
        return evaluate(benchmark, scores.profile, runs=scores.runs, measures=keys).mean()
    part = evaluate(query_subset(benchmark, queries), scores.profile, runs=scores.runs, measures=keys)
    values = scores.values_in_mean.copy()
    values[:, queries] = part.values_in_mean
    return mean_of_defined(values, axis=1)
