"""Rank of one model in every run for every query, and the queries for which it is a false positive."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Benchmark
from shrec_viewer.evaluation.evaluate import make_checkpoint, never_cancelled, ranked_hits
from shrec_viewer.evaluation.ranked_list import tie_ranks, truth_of
from shrec_viewer.metrics import Profile
from shrec_viewer.metrics.ranking.truth import Truth, is_too_hard_or_easy


@dataclass(frozen=True, eq=False)
class ModelRanks:
    """Ranks of one model.

    Attributes
    ----------
    model : index in the collection.
    ranks : (R, Q) int32, 1-based rank under the profile; 0 where the list does not contain the model.
    levels : (Q,) uint8, relevance level of the model for each query; 0 for the query itself if the profile excludes it.
    sizes : (Q,) int64, number of relevant models of each query, at least of the relevance threshold of the profile.
    relevant_from : lowest relevant level.
    """

    model: int
    ranks: NDArray[np.int32]
    levels: NDArray[np.uint8]
    sizes: NDArray[np.int64]
    relevant_from: int = 1

    @property
    def relevant_queries(self) -> NDArray[np.int64]:
        """Queries to which the model is relevant, ascending."""
        return np.flatnonzero(self.levels >= self.relevant_from)

    @property
    def is_false_positive(self) -> NDArray[np.bool_]:
        """(R, Q) bool, whether the model is not relevant, but within the first tier of the list.

        The first tier has as many ranks as the query has relevant models; no rank for a query without any.
        """
        within = (self.ranks > 0) & (self.ranks <= self.sizes)
        return within & (self.levels < self.relevant_from)

    @property
    def false_positive_queries(self) -> NDArray[np.int64]:
        """Queries for which the model is a false positive in a run; in most runs first, then with the best rank."""
        found = self.is_false_positive
        count = found.sum(axis=0)
        best = np.where(found, self.ranks, np.iinfo(np.int32).max).min(axis=0, initial=np.iinfo(np.int32).max)
        queries = np.flatnonzero(count)
        return queries[np.lexsort((queries, best[queries], -count[queries]))]


def model_ranks(
    benchmark: Benchmark, profile: Profile, model: int, *, cancelled: Callable[[], bool] = never_cancelled
) -> ModelRanks:
    """Rank of a model in the lists of all runs, with the ties, cutoffs and self-matches of the profile.

    Raises
    ------
    Cancelled
        If `cancelled` returned True.
    """
    checkpoint = make_checkpoint(cancelled)
    n_queries, own = len(benchmark.queries), benchmark.queries.member
    # The model as the only relevant one of all queries: then hit tables contain its ranks and no others.
    truth = Truth(
        group=np.zeros(n_queries, np.int64),
        indptr=np.array([0, 1], np.int64),
        items=np.array([model], np.int32),
        levels=np.ones(1, np.uint8),
        members=own,
        n_models=len(benchmark.collection),
        junk=_junk(benchmark, profile),
    )
    ties = tie_ranks(benchmark, profile)
    ranks = np.zeros((len(benchmark.runs), n_queries), np.int32)
    for row, run in enumerate(benchmark.runs):
        checkpoint()
        hits = ranked_hits(run, truth, profile, ties, checkpoint).hits
        ranks[row, hits.query] = hits.ranks
    levels, sizes = _levels(benchmark, profile, model, checkpoint)
    return ModelRanks(model, ranks, levels, sizes, profile.relevant_from)


def _junk(benchmark: Benchmark, profile: Profile) -> NDArray[np.int64]:
    """`Truth.junk` under the difficulty of the profile."""
    if benchmark.assessment is None:
        return np.zeros(0, np.int64)
    return truth_of(benchmark).of_difficulty(profile.difficulty).junk


def _levels(
    benchmark: Benchmark, profile: Profile, model: int, checkpoint: Callable[[], None]
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Level of the model, and number of relevant models, for each query; zeros without an assessment."""
    n_queries = len(benchmark.queries)
    levels, sizes = np.zeros(n_queries, np.uint8), np.zeros(n_queries, np.int64)
    if benchmark.assessment is None:
        return levels, sizes
    for query in range(n_queries):
        if query % 512 == 0:
            checkpoint()
        items, gains = benchmark.assessment.relevant(query)
        counted = ~is_too_hard_or_easy(gains, profile.difficulty)
        items, gains = items[counted], gains[counted]
        own = int(benchmark.queries.member[query]) if profile.self_match == "drop" else -1
        position = int(np.searchsorted(items, model))
        if model != own and position < len(items) and items[position] == model:
            levels[query] = gains[position]
        sizes[query] = np.count_nonzero((gains >= profile.relevant_from) & (items != own))
    return levels, sizes
