"""A benchmark with some of its queries, and scores after the relevant models of some queries changed."""

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

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
from shrec_viewer.evaluation.evaluate import evaluate, excluded_queries, make_checkpoint, never_cancelled
from shrec_viewer.evaluation.ranked_list import truth_of
from shrec_viewer.evaluation.scores import Scores, evaluate_measures, mean_of_defined
from shrec_viewer.metrics.ranking.hit_table import HitTable, ListAnomalies

#: Number of lists that are measured together: about 100 MB for classes of 100 models.
LISTS_PER_BLOCK = 10_000


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
    return replace(benchmark, queries=subset, assessment=assessment, runs=runs, slices={})


def _assessment_of(assessment: Assessment, queries: NDArray[np.int64]) -> Assessment:
    if isinstance(assessment, ClassAssessment):
        return replace(assessment, query_labels=assessment.query_labels[queries])
    if isinstance(assessment, EditedAssessment):
        edits = {
            row: assessment.edits[query] for row, query in enumerate(queries.tolist()) if query in assessment.edits
        }
        return EditedAssessment(_assessment_of(assessment.original, queries), edits)
    rows = [assessment.relevant(query) for query in queries.tolist()]
    junk = [assessment.junk(query) for query in queries.tolist()]
    return PairAssessment(
        np.concatenate([[0], np.cumsum([len(items) for items, _ in rows])]).astype(np.int64),
        np.concatenate([np.zeros(0, np.int32), *(items for items, _ in rows)]).astype(np.int32),
        np.concatenate([np.zeros(0, np.uint8), *(levels for _, levels in rows)]).astype(np.uint8),
        junk_indptr=np.concatenate([[0], np.cumsum([len(items) for items in junk])]).astype(np.int64),
        junk_items=np.concatenate([np.zeros(0, np.int32), *junk]).astype(np.int32),
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
        ranking.similarity,
    )
    return replace(run, ranking=lists)


def rescored(
    scores: Scores,
    benchmark: Benchmark,
    queries: NDArray[np.int64],
    *,
    cancelled: Callable[[], bool] = never_cancelled,
) -> Scores:
    """Scores after the assessment of some queries changed, equal to those of a full evaluation.

    Only these queries are ranked and measured again, unless a measure of one query depends on all others.

    Parameters
    ----------
    benchmark : with the new assessment; runs and queries are those of ``scores.benchmark``.
    queries : (n,) indices of the queries whose relevant models changed, ascending.
    cancelled : as in `evaluate`.
    """
    keys, profile = [measure.key for measure in scores.measures], scores.profile
    part = evaluate(
        query_subset(benchmark, queries),
        profile,
        runs=scores.runs,
        measures=(),
        ties=scores.ties,
        cancelled=cancelled,
    )
    levels = {hits.highest_level for hits in (*scores.hits, *part.hits)}
    if _depends_on_more(scores) or len(levels) > 1:
        return evaluate(benchmark, profile, runs=scores.runs, measures=keys, ties=scores.ties, cancelled=cancelled)
    raw_values = scores.raw_values.copy()
    # Many runs together: one query of 13 runs and 17 measures takes 10 ms instead of 21 for one run after the other.
    step = max(1, LISTS_PER_BLOCK // max(len(queries), 1))
    for first in range(0, len(part.hits), step):
        block = part.hits[first : first + step]
        values = evaluate_measures(HitTable.joined(block), scores.measures, profile, make_checkpoint(cancelled))
        raw_values[first : first + step, queries] = values.reshape(len(block), len(queries), len(keys))
    return replace(
        scores,
        benchmark=benchmark,
        raw_values=raw_values,
        hits=tuple(_spliced(old, new, queries) for old, new in zip(scores.hits, part.hits, strict=True)),
        anomalies=tuple(
            ListAnomalies(**{
                field.name: _with_rows(getattr(old, field.name), getattr(new, field.name), queries)
                for field in fields(ListAnomalies)
            })
            for old, new in zip(scores.anomalies, part.anomalies, strict=True)
        ),
        excluded=excluded_queries(benchmark, profile, truth_of(benchmark)),
    )  # fmt: skip


def _depends_on_more(scores: Scores) -> bool:
    """Whether values of a query depend on the other queries, means on more than values, or hits on models judged."""
    measures = [found.measure for found in scores.measures]
    is_used = any(row.uses_largest_class or row.uses_judged or row.run_function is not None for row in measures)
    return is_used or scores.profile.ap_divisor == "largest class"


def _spliced(old: HitTable, new: HitTable, queries: NDArray[np.int64]) -> HitTable:
    """The hits with those of some queries replaced."""
    counts = np.diff(old.indptr)
    counts[queries] = np.diff(new.indptr)
    ranks: list[NDArray[np.int32]] = []
    levels: list[NDArray[np.uint8]] = []
    start = 0
    for row, query in enumerate(queries.tolist()):
        before = slice(start, int(old.indptr[query]))
        inside = slice(int(new.indptr[row]), int(new.indptr[row + 1]))
        ranks += [old.ranks[before], new.ranks[inside]]
        levels += [old.levels[before], new.levels[inside]]
        start = int(old.indptr[query + 1])
    own = None if old.own_rank is None or new.own_rank is None else _with_rows(old.own_rank, new.own_rank, queries)
    return replace(
        old,
        indptr=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        ranks=np.concatenate([*ranks, old.ranks[start:]]),
        levels=np.concatenate([*levels, old.levels[start:]]),
        list_length=_with_rows(old.list_length, new.list_length, queries),
        class_sizes=_with_rows(old.class_sizes, new.class_sizes, queries),
        collection_size=_with_rows(old.collection_size, new.collection_size, queries),
        own_rank=own,
    )


def _with_rows(old: NDArray[Any], new: NDArray[Any], rows: NDArray[np.int64]) -> NDArray[Any]:
    changed = old.copy()
    changed[rows] = new
    return changed


def means_with(scores: Scores, benchmark: Benchmark, queries: NDArray[np.int64]) -> NDArray[np.float64]:
    """(R, M) float64, means of the runs of `scores` after the assessment of some queries changed.

    Only these queries are ranked and measured again, unless a measure of one query depends on all others.

    Parameters
    ----------
    benchmark : with the new assessment; runs and queries are those of ``scores.benchmark``.
    queries : (n,) indices of the queries whose relevant models changed, ascending.
    """
    keys = [measure.key for measure in scores.measures]
    if _depends_on_more(scores) or len(queries) == len(scores.queries):
        return evaluate(benchmark, scores.profile, runs=scores.runs, measures=keys).mean()
    part = evaluate(query_subset(benchmark, queries), scores.profile, runs=scores.runs, measures=keys)
    values = scores.values_in_mean.copy()
    values[:, queries] = part.values_in_mean
    return mean_of_defined(values, axis=1)
