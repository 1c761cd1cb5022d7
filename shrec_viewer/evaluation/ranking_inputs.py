"""Convert the assessment and ids of a benchmark to the arrays that ranking takes."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import (
    Assessment,
    Benchmark,
    ClassAssessment,
    DistanceMatrix,
    PairAssessment,
    RankedLists,
    ShrecError,
)
from shrec_viewer.metrics.profiles.profile import Profile
from shrec_viewer.metrics.ranking.list_ranking import ListArrays
from shrec_viewer.metrics.ranking.truth import Truth


def truth_of(benchmark: Benchmark) -> Truth:
    """Relevant models of every query; queries of one class share a group if relevance is derived from classes.

    Raises
    ------
    ShrecError
        If the benchmark has no relevance assessment.
    """
    assessment = benchmark.assessment
    if assessment is None:
        raise ShrecError(f"'{benchmark.name}' has no relevance assessment: runs cannot be evaluated")
    if len(assessment) != len(benchmark.queries):
        raise ShrecError(
            f"the relevance assessment has {len(assessment)} queries, but the benchmark has {len(benchmark.queries)}"
        )
    group, indptr, items, levels = _group_assessment(assessment)
    return Truth(
        group=group,
        indptr=indptr,
        items=items,
        levels=levels,
        members=benchmark.queries.member,
        n_models=len(benchmark.collection),
        highest_level=max(assessment.levels, default=1),
    )


def _group_assessment(
    assessment: Assessment,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32], NDArray[np.uint8]]:
    if isinstance(assessment, PairAssessment):
        group = np.arange(len(assessment), dtype=np.int64)
        return group, assessment.indptr, assessment.items, assessment.level
    if isinstance(assessment, ClassAssessment):
        _, first_query, group = np.unique(assessment.query_labels, return_index=True, return_inverse=True)
    else:
        first_query = group = np.arange(len(assessment))
    relevant = [assessment.relevant(int(query)) for query in first_query]
    indptr = np.concatenate([[0], np.cumsum([len(items) for items, _ in relevant])]).astype(np.int64)
    items = np.concatenate([np.zeros(0, np.int32), *(items for items, _ in relevant)]).astype(np.int32)
    levels = np.concatenate([np.zeros(0, np.uint8), *(levels for _, levels in relevant)]).astype(np.uint8)
    return group.astype(np.int64), indptr, items, levels


@dataclass(frozen=True, eq=False)
class TieRanks:
    """Order of models at the same distance under the conventions of a profile.

    Attributes
    ----------
    models : (N,) int64, rank of each model; None if ties keep the order of the file.
    ids : ids of the models if they define the order, as in trec_eval, where ids outside the collection take part in it;
        else empty.
    """

    models: NDArray[np.int64] | None
    ids: tuple[str, ...] = ()


def tie_ranks(benchmark: Benchmark, profile: Profile) -> TieRanks:
    """Order of models at the same distance."""
    ids = benchmark.collection.ids
    if profile.ties == "file":
        return TieRanks(None)
    if profile.ties == "index":
        return TieRanks(np.arange(len(ids), dtype=np.int64))
    return TieRanks(_ranks_by_id(ids), ids if profile.unknown == "keep" else ())


def _ranks_by_id(ids: Sequence[str]) -> NDArray[np.int64]:
    """(n,) int64, rank of each id in descending order of its bytes, as strcmp compares them in trec_eval."""
    order = sorted(range(len(ids)), key=lambda index: ids[index].encode("utf-8", "surrogatepass"), reverse=True)
    rank = np.empty(len(ids), np.int64)
    rank[order] = np.arange(len(ids))
    return rank


def column_tie_orders(
    matrix: DistanceMatrix, ties: TieRanks
) -> tuple[NDArray[np.int64] | None, NDArray[np.int64] | None]:
    """Order of models, (N,) int64, and of columns without a model, (M,) int64, at the same distance; None for none."""
    unknown = np.flatnonzero(matrix.columns < 0) if ties.ids and matrix.column_ids else np.zeros(0, np.int64)
    if not len(unknown):
        return ties.models, None
    ranks = _ranks_by_id((*ties.ids, *(matrix.column_ids[column] for column in unknown.tolist())))
    order = np.zeros(len(matrix.columns), np.int64)
    order[unknown] = ranks[len(ties.ids) :]
    return ranks[: len(ties.ids)], order


def ranking_lists(ranking: RankedLists, ties: TieRanks) -> ListArrays:
    """Ranked lists as arrays for ranking."""
    models, unknown = ties.models, None
    if ties.ids and ranking.unknown is not None and ranking.unknown_ids:
        ranks = _ranks_by_id((*ties.ids, *ranking.unknown_ids))
        models, unknown = ranks[: len(ties.ids)], ranks[len(ties.ids) :][ranking.unknown]
    return ListArrays(
        ranking.indptr, ranking.items, ranking.present, ranking.distances, ranking.by_score, models, unknown
    )
