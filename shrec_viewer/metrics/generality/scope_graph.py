"""Constant-scope lines, reachable region, ideal and random curves of the precision-recall graph."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shrec_viewer.metrics.curves.curve import CurveValues
from shrec_viewer.metrics.generality.embedding import (
    LEVEL_TOLERANCE,
    embedding_of,
    expected_found,
    expected_of_unlisted,
    ranks_of_scopes,
)
from shrec_viewer.metrics.generality.expected_measures import expected_in_collection, unlisted_found
from shrec_viewer.metrics.profiles.contests import DEFAULT
from shrec_viewer.metrics.ranking.hit_table import HitTable, ratio_or_nan
from shrec_viewer.metrics.statistics.bootstrap import ConfidenceInterval, bootstrap_interval

#: Total recall ideal system (TRIS), as (recall, precision): the ideal ranking at a scope equal to the class size.
TRIS = (1.0, 1.0)

#: Relevant scopes per doubling of a precision-recall curve; more are not distinguishable on a screen.
SCOPES_PER_DOUBLING = 8

#: Hits times scopes computed at a time: 64 MB, however many queries there are.
MAX_CELLS = 1 << 23

#: Caveat to display with `by_class_size`.
CONFOUNDED = (
    "Small and large classes differ in more than their size: a curve over the class sizes that occur mixes the "
    "effect of generality with the difficulty of the classes."
)

Floats = NDArray[np.float64]


def default_scopes(class_size: float, collection: float) -> Floats:
    """(A,) float64, relevant scopes to draw: the powers of two between 1/c and d/c, and these two limits."""
    low, high = 1.0 / class_size, collection / class_size
    powers = np.exp2(np.arange(np.ceil(np.log2(low)), np.floor(np.log2(high)) + 1.0))
    # exp2(log2(x)) may be outside [low, high] by rounding.
    return np.unique(np.concatenate([[low], powers[(powers >= low) & (powers <= high)], [high]]))


def scope_lines(relevant_scopes: ArrayLike, class_size: float, collection: float) -> Floats:
    """Constant-scope lines: points of one relevant scope are on a line through the origin, p = r / s_r.

    Parameters
    ----------
    relevant_scopes : (A,) s_r = s / c, scope over class size.
    class_size : c, without the query itself; the same holds for the collection.
    collection : d.

    Returns
    -------
    (A, 2, 2) float64
        Ends of each line as (recall, precision): from (0, 0) to the border of the graph. NaN for a line outside the
        reachable region: a scope below one rank or above the collection.

    Source: Sebe et al., equations 13 and 15, figure 2.

    Examples
    --------
    >>> scope_lines([0.5, 2], class_size=4, collection=100)[:, 1]
    array([[0.5, 1. ],
           [1. , 0.5]])
    """
    scopes = np.atleast_1d(np.asarray(relevant_scopes, np.float64))
    lines = np.zeros((len(scopes), 2, 2))
    lines[:, 1, 0] = np.minimum(scopes, 1.0)
    lines[:, 1, 1] = np.minimum(1.0 / scopes, 1.0)
    ranks = scopes * class_size
    # s_r c < 1 is no rank, s_r c > d is beyond the collection: no ranking has a point there.
    lines[(ranks < 1.0 - LEVEL_TOLERANCE) | (ranks > collection + LEVEL_TOLERANCE)] = np.nan
    return lines


def reachable_region(class_size: float, collection: float) -> Floats:
    """(4, 2) float64, corners (recall, precision) of the reachable region: g r <= p <= min(1, c r).

    It is bounded on the left by the scope of one rank and below by the scope of the whole collection. The source
    interchanges the two; this order follows from its definitions of scope and relevant scope.

    Source: Sebe et al., section 3.3.
    """
    # (1/c, 1) is a relevant model at rank 1; (1, c/d) is the end of every complete list.
    return np.array([[0.0, 0.0], [1.0 / class_size, 1.0], [1.0, 1.0], [1.0, class_size / collection]])


def scope_points(hits: HitTable, doublings: float, relevant_scopes: ArrayLike, level: int = 1) -> CurveValues:
    """Expected recall and precision of each query in a random part of the collection with a given generality.

    Parameters
    ----------
    doublings : -log2 of the generality.
    relevant_scopes : (A,) s_r, above 0.
    level : lowest relevance level that counts as relevant.

    Returns
    -------
    CurveValues
        x recall and y precision = recall / s_r, (Q, A) both, if the models that are not in a list follow it in random
        order; in the whole collection they are not retrieved. NaN if a query does not reach the generality or the
        scope, and without relevant models. The bounds are for lists that are not complete.

    Source: Sebe et al., sections 3.4 and 3.5: only points of equal relevant scope and generality may be averaged.
    """
    scopes = np.atleast_1d(np.asarray(relevant_scopes, np.float64))
    # expected_found holds a number for each hit and scope.
    per_block = max(1, MAX_CELLS // max(len(scopes) * int(hits.relevant_size(level).max(initial=1)), 1))
    embedding = embedding_of(hits, level)
    # In the whole collection nothing is left out: the points are those of the lists.
    is_whole = bool(embedding.is_whole(embedding.irrelevant_kept(doublings))[0])
    parts = [
        _points_of_block(hits.rows(start, min(start + per_block, len(hits))), doublings, scopes, level, is_whole)
        for start in range(0, max(len(hits), 1), per_block)
    ]
    recall, lower, upper = (np.concatenate(values) for values in zip(*parts, strict=True))
    return CurveValues(recall, recall / scopes, lower / scopes, upper / scopes, scopes, doublings)


def _points_of_block(
    hits: HitTable, doublings: float, scopes: Floats, level: int, is_whole: bool
) -> tuple[Floats, Floats, Floats]:
    """Recall, lower and upper bound, (Q, A) each; `is_whole` if it is the whole collection of all queries."""
    embedding = embedding_of(hits, level)
    size = hits.relevant_size(level)[:, None]
    kept, ranks = embedding.irrelevant_kept(doublings), ranks_of_scopes(embedding, scopes)
    is_reachable = (scopes[None, :] * size >= 1.0 - LEVEL_TOLERANCE) & (np.log2(scopes) <= doublings + LEVEL_TOLERANCE)
    found = expected_found(embedding, kept, ranks)
    found_by_bound = [found, found, found]
    if not is_whole and np.any((np.diff(hits.at_least(level).indptr) < size[:, 0]) & ~hits.missing):
        unlisted = [unlisted_found(column) for column in ranks.T]
        found_by_bound[0] = found + expected_of_unlisted(hits, level, embedding, kept, unlisted)
        # Additive: unlisted models rank behind the listed ones and do not move them.
        found_by_bound[2] = found + expected_found(embedding_of(hits, level, "alone"), kept, ranks)
    recall, lower, upper = (
        np.where(is_reachable, np.minimum(ratio_or_nan(count, size), 1.0), np.nan) for count in found_by_bound
    )
    return recall, lower, upper


def scopes_of_curve(hits: HitTable, doublings: float, level: int = 1) -> Floats:
    """(A,) relevant scopes of a precision-recall curve that all queries reach, from one rank to the end; 1 is one."""
    sizes = hits.relevant_size(level)
    smallest = int(sizes[sizes > 0].min(initial=np.iinfo(np.int64).max))
    # One rank is s_r = 1/c; that of the smallest class is the largest, so every query reaches it.
    low = -np.log2(smallest)
    inner = np.arange(np.ceil(low * SCOPES_PER_DOUBLING), np.floor(doublings * SCOPES_PER_DOUBLING) + 1.0)
    return np.exp2(np.unique(np.concatenate([[low], inner / SCOPES_PER_DOUBLING, [doublings]])))


@dataclass(frozen=True)
class ClassSizePoint:
    """Mean recall of the queries of one class size, in the whole collection.

    Attributes
    ----------
    class_size, collection : c and d.
    doublings : -log2 of the generality c / d.
    queries : number of queries.
    recall : mean recall at the relevant scope, with its confidence interval, NaN for a single query or class.
    """

    class_size: int
    collection: int
    doublings: float
    queries: int
    recall: ConfidenceInterval


def by_class_size(
    hits: HitTable,
    *,
    relevant_scope: float = 1.0,
    level: int = 1,
    labels: ArrayLike | None = None,
    counted: NDArray[np.bool_] | None = None,
    confidence: float = 0.95,
) -> tuple[ClassSizePoint, ...]:
    """GRiP and GR_nP over the class sizes that occur, in the whole collection. See `CONFOUNDED`.

    Models that are not in a list are not retrieved.

    Parameters
    ----------
    relevant_scope : n; recall is within n c ranks. Sizes with n c > d are skipped: recall is 1 there by definition.
    labels : (Q,) int, class of each query, for an interval that resamples classes; None to resample queries.
    counted : (Q,) bool, queries to average; None for all. Those without relevant models are ignored.

    Returns
    -------
    tuple of ClassSizePoint
        Ascending in -log2 g.

    Source: Sebe et al., section 4.6, figure 4c.
    """
    embedding = embedding_of(hits, level)
    recall = expected_in_collection(hits, DEFAULT, relevant_scope=relevant_scope, level=level)[0]
    is_averaged = (embedding.doublings >= np.log2(relevant_scope) - LEVEL_TOLERANCE)[embedding.kind]
    if counted is not None:
        is_averaged &= counted
    clusters = None if labels is None else np.asarray(labels)
    points = []
    for kind in np.unique(embedding.kind[is_averaged]):
        inside = is_averaged & (embedding.kind == kind)
        interval = bootstrap_interval(
            recall[inside], None if clusters is None else clusters[inside], confidence=confidence, method="percentile"
        )
        size, rest = int(embedding.relevant[kind]), int(embedding.irrelevant[kind])
        doublings = float(embedding.doublings[kind])
        points.append(ClassSizePoint(size, size + rest, doublings, int(inside.sum()), interval))
    return tuple(sorted(points, key=_size_key))


def _size_key(point: ClassSizePoint) -> tuple[float, int]:
    return point.doublings, point.class_size
