"""The generality-recall-precision (GReP) surface."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shrec_viewer.metrics.generality.embedding import LEVEL_TOLERANCE, Embedding, embedding_of
from shrec_viewer.metrics.generality.expected_measures import common_levels
from shrec_viewer.metrics.generality.scope_graph import scope_points
from shrec_viewer.metrics.ranking.hit_table import HitTable

#: Relevant scopes per doubling; enough for a smooth surface.
SCOPES_PER_DOUBLING = 2

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class GeneralitySurface:
    """Mean recall and precision over queries at equal generality and relevant scope.

    Attributes
    ----------
    doublings : (X,) float64, -log2 g.
    relevant_scopes : (A,) float64, s_r.
    recall : (X, A) float64, mean of the recall of `scope_points`; NaN if one of the queries does not reach the point:
        its scope is below one rank or above the collection, or its embedding is smaller.
    queries : number of queries averaged.
    spread : (X, A) float64, width of the range of the precision where lists end before their relevant models; 0 for
        complete lists.
    """

    doublings: Floats
    relevant_scopes: Floats
    recall: Floats
    queries: int
    spread: Floats

    @property
    def precision(self) -> Floats:
        """(X, A) float64, recall / s_r: a column of the surface is in the plane of its relevant scope."""
        return self.recall / self.relevant_scopes


def generality_surface(
    hits: HitTable,
    *,
    doublings: ArrayLike | None = None,
    relevant_scopes: ArrayLike | None = None,
    level: int = 1,
    counted: NDArray[np.bool_] | None = None,
    checkpoint: Callable[[], None] | None = None,
) -> GeneralitySurface:
    """Generality-recall-precision surface of a run; its section at s_r = 1 is the GRiP graph.

    Every point is the mean over the same queries, which have the same generality and relevant scope there. For the
    random subsets of irrelevant models see `expected_by_generality`.

    Parameters
    ----------
    doublings : (X,) levels; None for those that all queries reach.
    relevant_scopes : (A,); None for two per doubling, from one rank of the largest class to the largest collection.
    level : lowest relevance level that counts as relevant.
    counted : (Q,) bool, queries to average; None for all. Those without relevant models are ignored.
    checkpoint : called before each level; may raise an exception to cancel.

    Source: Sebe et al., section 3.5, figure 3b.
    """
    embedding = embedding_of(hits, level)
    is_averaged = embedding.relevant[embedding.kind] > 0
    if counted is not None:
        is_averaged &= counted
    levels = common_levels(embedding) if doublings is None else np.atleast_1d(np.asarray(doublings, np.float64))
    scopes = (
        _default_scopes(embedding) if relevant_scopes is None else np.atleast_1d(np.asarray(relevant_scopes, float))
    )
    recall, spread = np.full((2, len(levels), len(scopes)), np.nan)
    for row, x in enumerate(levels):
        if checkpoint is not None:
            checkpoint()
        inside = np.log2(scopes) <= x + LEVEL_TOLERANCE  # the scope is at most the collection at this generality
        # The mean of no rows is NaN with a RuntimeWarning.
        if np.any(is_averaged):
            points = scope_points(hits, float(x), scopes[inside], level)
            assert points.lower is not None
            assert points.upper is not None
            recall[row, inside] = points.x[is_averaged].mean(axis=0)
            spread[row, inside] = (points.upper - points.lower)[is_averaged].mean(axis=0)
    return GeneralitySurface(levels, scopes, recall, int(is_averaged.sum()), spread)


def _default_scopes(embedding: Embedding) -> Floats:
    relevant = embedding.relevant[embedding.relevant > 0]
    if not len(relevant):
        return np.ones(1)
    # d / c of the query with the smallest class: the largest relevant scope that occurs.
    largest_scope = (embedding.relevant + embedding.irrelevant).max() / relevant.min()
    low, high = np.floor(-np.log2(relevant.max())), np.ceil(np.log2(largest_scope))
    return np.exp2(np.arange(low * SCOPES_PER_DOUBLING, high * SCOPES_PER_DOUBLING + 1) / SCOPES_PER_DOUBLING)
