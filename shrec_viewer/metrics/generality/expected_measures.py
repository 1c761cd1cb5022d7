"""Expected measures by generality, random baseline, and loss per doubling."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shrec_viewer.metrics.generality.embedding import (
    Embedding,
    Unseen,
    embedding_of,
    expected_average_precision,
    expected_discounted_gain,
    expected_found,
)
from shrec_viewer.metrics.measures.counting import ratio_or_nan, relevant_found
from shrec_viewer.metrics.measures.gain import discount_weights, ideal_gain
from shrec_viewer.metrics.profiles.profile import Profile
from shrec_viewer.metrics.ranking.hit_table import HitTable

STEP = 0.25
"""Doublings between two levels: four points per doubling make a smooth curve and include the whole doublings."""

LEVEL_TOLERANCE = 1e-9
"""Difference in doublings up to which two levels are equal; rounding error of a logarithm."""

ExpectedMeasure = Literal["recall", "AP", "DCG", "NDCG"]
"""Measures with an expectation: recall at a relevant scope, average precision, (normalised) discounted gain of the
list."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ExpectedByGenerality:
    """Expected values of a measure for each query at several levels of generality.

    Attributes
    ----------
    measure : the measure.
    relevant_scope : n; ranks considered as a multiple of the class size, for recall.
    doublings : (K,) float64, -log2 of the generality; 0 is a collection of relevant models only.
    lower, upper : (Q, K) float64, expectation if relevant models that are not in the list are never found, and if they
        have the first ranks after its end. Equal for complete lists. NaN if the query does not reach the level (its
        embedding is smaller), if the scope is larger than the collection, and without relevant models.
    """

    measure: ExpectedMeasure
    relevant_scope: float
    doublings: Floats
    lower: Floats
    upper: Floats

    @property
    def generality(self) -> Floats:
        """(K,) float64 in (0, 1], share of relevant models."""
        return np.exp2(-self.doublings)

    def mean(self, counted: NDArray[np.bool_] | None = None) -> tuple[Floats, Floats]:
        """Means of `lower` and of `upper` over queries, (K,) both.

        Only queries of equal generality are averaged, and the same queries at all levels: NaN at levels that one of
        them does not reach. Queries without any value are ignored.

        Parameters
        ----------
        counted : (Q,) bool, queries to average; None for all.
        """
        is_averaged = ~np.all(np.isnan(self.lower), axis=1)
        if counted is not None:
            is_averaged &= counted
        if not np.any(is_averaged):
            undefined = np.full(len(self.doublings), np.nan)
            return undefined, undefined.copy()
        return self.lower[is_averaged].mean(axis=0), self.upper[is_averaged].mean(axis=0)


def common_levels(embedding: Embedding, relevant_scope: float = 1.0, step: float = STEP) -> Floats:
    """(K,) float64, levels of generality that every query with relevant models reaches.

    The first level is ``log2(relevant_scope)``, below which the scope is larger than the collection. Then follow
    multiples of `step`. The last level is that of the whole collection for the query with the largest class.
    """
    ends = embedding.doublings
    return _levels_to(float(np.nanmin(ends)) if np.any(~np.isnan(ends)) else -1.0, relevant_scope, step)


def _levels_to(end: float, relevant_scope: float, step: float) -> Floats:
    start = max(0.0, float(np.log2(relevant_scope)))
    if end < start - LEVEL_TOLERANCE:
        return np.empty(0)
    inner = np.arange(np.floor(start / step) + 1, np.ceil(end / step)) * step
    inner = inner[(inner > start + LEVEL_TOLERANCE) & (inner < end - LEVEL_TOLERANCE)]
    return np.concatenate([[start], inner, [end] if end > start + LEVEL_TOLERANCE else []])


def expected_by_generality(
    hits: HitTable,
    profile: Profile,
    measure: ExpectedMeasure = "recall",
    *,
    relevant_scope: float = 1.0,
    level: int = 1,
    doublings: ArrayLike | None = None,
    with_upper: bool = True,
    checkpoint: Callable[[], None] | None = None,
) -> ExpectedByGenerality:
    """Expected value of a measure for each query by generality: GRiP, GR_nP, and their analogues for other measures.

    The collection is reduced to all relevant models and a random subset of the irrelevant ones, whose size gives every
    query the required generality. The expectation over all subsets is exact. At the level of the whole collection it
    equals the measure.

    Parameters
    ----------
    hits : hits of the lists; for incomplete lists `ExpectedByGenerality.lower` and `.upper` are bounds.
    profile : gains, discounts, and the divisor of average precision; if that is the number of relevant models
        retrieved, there is no upper bound, since models that are not retrieved do not affect it. Other conventions are
        ignored: effects of bugs in official programs cannot be extrapolated to another collection.
    measure : the measure. Recall at relevant scope 1 equals precision; it is the ordinate of the GRiP graph.
    relevant_scope : n, more than 0; the ordinate of the GR_nP graph is the recall within n c ranks, and the precision
        is that divided by n.
    level : lowest relevance level that counts as relevant; gains use all levels.
    doublings : (K,) levels -log2 g, 0 or more; None for those that all queries reach, see `common_levels`.
    with_upper : whether to compute the upper bound, which takes as long as the lower one; if False, `upper` is `lower`.
    checkpoint : called before each level; may raise an exception to cancel.

    Notes
    -----
    A random subset has the same proportion of easy and hard models. A collection that grows by models of another kind
    can behave differently (Sebe et al., section 6.1).

    Source: Sebe, Huijsmans, Tian, Gevers, sections 3.4 and 3.5.
    """
    level = level if measure in ("recall", "AP") else 1
    scope = relevant_scope if measure == "recall" else 1.0
    embedding = embedding_of(hits, level)
    levels = common_levels(embedding, scope) if doublings is None else np.atleast_1d(np.asarray(doublings, np.float64))
    lower = upper = _expected(hits, profile, measure, scope, level, levels, "never", checkpoint)
    are_incomplete = bool(np.any(np.bincount(embedding.query, minlength=len(hits)) < hits.relevant_size(level)))
    if are_incomplete and with_upper and not (measure == "AP" and profile.ap_divisor == "retrieved"):
        upper = lower + _expected(hits, profile, measure, scope, level, levels, "alone", checkpoint)
    if measure != "DCG":
        lower, upper = np.minimum(lower, 1.0), np.minimum(upper, 1.0)  # rounding error
    return ExpectedByGenerality(measure, scope, levels, lower, upper)


def _expected(
    hits: HitTable,
    profile: Profile,
    measure: ExpectedMeasure,
    scope: float,
    level: int,
    levels: Floats,
    unseen: Unseen,
    checkpoint: Callable[[], None] | None,
) -> Floats:
    """(Q, K) expectations under one assumption on the relevant models that are not in the lists."""
    embedding = embedding_of(hits, level, unseen)
    relevant = hits.relevant_size(level)
    divisor: Floats | NDArray[np.int64] = np.ones(len(hits))
    if measure == "AP" and profile.ap_divisor == "retrieved":
        divisor = np.where(relevant > 0, np.maximum(relevant_found(hits, level), 1), 0)
    elif measure in ("recall", "AP"):
        divisor = relevant
    elif measure == "NDCG":
        divisor = _ideal(hits, profile)
    values = np.full((len(hits), len(levels)), np.nan)
    for column, doublings in enumerate(levels):
        if checkpoint is not None:
            checkpoint()
        if doublings < max(0.0, np.log2(scope)) - LEVEL_TOLERANCE:
            continue
        n_irrelevant = embedding.irrelevant_kept(float(doublings))
        if measure == "recall":
            values[:, column] = ratio_or_nan(expected_found(embedding, n_irrelevant, scope)[:, 0], divisor)
        elif measure == "AP":
            values[:, column] = expected_average_precision(embedding, n_irrelevant, divisor)
        else:
            values[:, column] = ratio_or_nan(expected_discounted_gain(embedding, n_irrelevant, hits, profile), divisor)
    return values


def _ideal(hits: HitTable, profile: Profile) -> Floats:
    """(Q,) discounted gain of the ideal ranking of all relevant models; does not depend on the embedding."""
    discount = "jarvelin" if profile.discount == "jarvelin" else "log2(i+1)"
    plain = replace(profile, ideal="truth", relevant="all", discount=discount)
    last = int(hits.relevant_size(1).max(initial=0))
    return ideal_gain(hits, plain, np.full((1, 1), last, np.int64), discount_weights(last, plain))[:, 0]


@dataclass(frozen=True, eq=False)
class RandomBaseline:
    """Mean recall of random rankings at several levels of generality.

    Attributes
    ----------
    doublings : (K,) levels, -log2 g.
    mean : (K,) float64, expected recall n g.
    deviation : (K,) float64, standard deviation of the mean recall of all queries.
    low, high : (K,) float64, interval of the mean recall at the given confidence.
    """

    doublings: Floats
    mean: Floats
    deviation: Floats
    low: Floats
    high: Floats


def random_baseline(
    embedding: Embedding,
    doublings: ArrayLike,
    *,
    relevant_scope: float = 1.0,
    confidence: float = 0.95,
    counted: NDArray[np.bool_] | None = None,
) -> RandomBaseline:
    """Recall of random rankings: exact mean and standard deviation, and a normal interval.

    A curve inside the interval is not distinguishable from a random ranking. The number of relevant models within s of
    d ranks is hypergeometric: mean s c / d, variance s g (1 - g) (d - s) / (d - 1). NaN if one of the queries does not
    reach the level; the interval is clipped to [0, 1].

    Parameters
    ----------
    embedding : of the queries; see `embedding_of`.
    doublings : (K,) levels, -log2 g.
    relevant_scope : n.
    confidence : share of random rankings whose mean is within the interval.
    counted : (Q,) bool, queries that are averaged; None for all. Those without relevant models are ignored.

    Source: Sebe et al., equation 12, for the mean.
    """
    levels = np.atleast_1d(np.asarray(doublings, np.float64))
    is_averaged = embedding.relevant[embedding.kind] > 0
    if counted is not None:
        is_averaged &= counted
    n_queries = np.bincount(embedding.kind[is_averaged], minlength=len(embedding.relevant))
    relevant = embedding.relevant[n_queries > 0, None]
    irrelevant = np.stack([embedding.irrelevant_kept(float(level)) for level in levels], axis=1)[n_queries > 0]
    size = relevant + irrelevant
    scope = np.minimum(relevant_scope * relevant, size)
    generality = relevant / size
    variance = scope * generality * (1.0 - generality) * (size - scope) / np.maximum(size - 1.0, 1.0) / relevant**2
    weights = n_queries[n_queries > 0, None] / max(int(n_queries.sum()), 1)
    mean = np.sum(weights * (scope / size), axis=0)
    deviation = np.sqrt(np.sum(weights * variance, axis=0) / max(int(n_queries.sum()), 1))
    if not len(relevant):
        mean, deviation = np.full(len(levels), np.nan), np.full(len(levels), np.nan)
    half_width = NormalDist().inv_cdf(0.5 + confidence / 2.0) * deviation
    return RandomBaseline(
        levels, mean, deviation, np.maximum(mean - half_width, 0.0), np.minimum(mean + half_width, 1.0)
    )


def loss_per_doubling(doublings: ArrayLike, values: ArrayLike) -> float:
    """Mean decrease of a curve per halving of the generality: slope of the least-squares line.

    Parameters
    ----------
    doublings : (K,) -log2 g.
    values : (K,), NaN where undefined.

    Returns
    -------
    float
        Positive if the curve decreases; in units of the values. NaN with fewer than two points.

    Examples
    --------
    >>> loss_per_doubling([0, 1, 2], [1.0, 0.75, 0.5])
    0.25
    """
    x, y = np.asarray(doublings, np.float64), np.asarray(values, np.float64)
    defined = ~np.isnan(y)
    x, y = x[defined], y[defined]
    if len(x) < 2 or x.max() == x.min():
        return float("nan")
    deviations = x - x.mean()
    return float(-np.sum(deviations * (y - y.mean())) / np.sum(deviations**2))


def last_doubling_loss(doublings: ArrayLike, values: ArrayLike) -> float:
    """Decrease of a curve over its last doubling, the best estimate of the effect of a collection twice as large.

    The curve is interpolated linearly one doubling before its last defined point; NaN if it is shorter than that.
    """
    x, y = np.asarray(doublings, np.float64), np.asarray(values, np.float64)
    defined = ~np.isnan(y)
    x, y = x[defined], y[defined]
    if not len(x) or x[-1] - 1.0 < x[0] - LEVEL_TOLERANCE:
        return float("nan")
    return float(np.interp(x[-1] - 1.0, x, y) - y[-1])


def tris_deficit(values: ArrayLike) -> Floats:
    """Difference of a recall at relevant scope 1 from that of the total recall ideal system, in [0, 1]; NaN for NaN.

    The ideal system has recall and precision 1 there at every generality (Sebe et al., section 3).
    """
    return 1.0 - np.asarray(values, np.float64)
