"""Contingency table of a ranked list at a scope: true and false positives and negatives, and derived measures."""

from dataclasses import dataclass

import numpy as np

from shrec_viewer.domain import Benchmark
from shrec_viewer.evaluation.ranked_list import RankedList
from shrec_viewer.metrics import Profile


@dataclass(frozen=True)
class ContingencyCounts:
    """Counts of retrieved and relevant models.

    Attributes
    ----------
    tp, fp : relevant and irrelevant models within the scope.
    fn : relevant models outside of it.
    collection : number of models that can be retrieved.
    """

    tp: int
    fp: int
    fn: int
    collection: int

    @property
    def tn(self) -> int:
        """Irrelevant models outside of the scope; 0 for a list with more ids than the collection."""
        return max(self.collection - self.tp - self.fp - self.fn, 0)

    @property
    def precision(self) -> float:
        """Share of relevant models in the scope, tp / (tp + fp); NaN for an empty scope."""
        return _ratio(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> float:
        """Share of the relevant models retrieved, tp / (tp + fn); NaN without relevant models."""
        return _ratio(self.tp, self.tp + self.fn)

    @property
    def f_measure(self) -> float:
        """Harmonic mean of precision and recall, 2 tp / (2 tp + fp + fn); NaN if the divisor is 0."""
        return _ratio(2 * self.tp, 2 * self.tp + self.fp + self.fn)

    @property
    def generality(self) -> float:
        """Share of relevant models in the collection; NaN for an empty collection."""
        return _ratio(self.tp + self.fn, self.collection)


def contingency_counts(
    benchmark: Benchmark, profile: Profile, query: int, ranked: RankedList, scope: int, least_level: int = 1
) -> ContingencyCounts:
    """Contingency table of one ranked list.

    Parameters
    ----------
    query : index of the query; its own model is not counted where the profile excludes self-matches.
    scope : number of ranks that count as retrieved, at most the length of the list.
    least_level : lowest level that counts as relevant.
    """
    assert benchmark.assessment is not None
    levels = benchmark.assessment.gains(query, len(benchmark.collection))
    missed = int(np.count_nonzero(levels[ranked.not_retrieved] >= least_level))
    relevant = int(np.count_nonzero(ranked.levels >= least_level)) + missed
    tp = int(np.count_nonzero(ranked.levels[:scope] >= least_level))
    self_match = int(profile.self_match == "drop" and benchmark.queries.member[query] >= 0)
    return ContingencyCounts(tp, scope - tp, relevant - tp, len(benchmark.collection) - self_match)


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")
