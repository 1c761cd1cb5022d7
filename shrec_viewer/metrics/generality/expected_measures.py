"""Expected measures by generality, random baseline, and loss per doubling."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shrec_viewer.metrics.generality.embedding import (
    LEVEL_TOLERANCE,
    Embedding,
    Ints,
    UnlistedValue,
    embedding_of,
    expected_average_precision,
    expected_discounted_gain,
    expected_found,
    expected_of_unlisted,
    ranks_of_scopes,
)
from shrec_viewer.metrics.measures.gain import discount_weights, ideal_gain, level_gains
from shrec_viewer.metrics.measures.precision_recall import E_DEPTH, harmonic_numbers
from shrec_viewer.metrics.profiles.profile import Profile
from shrec_viewer.metrics.ranking.hit_table import HitTable, ratio_or_nan, relevant_found, sum_by_query

#: Doublings between two levels: four points per doubling make a smooth curve and include the whole doublings.
STEP = 0.25

#: Measures with an expectation: recall at a relevant scope, E-measure at `E_DEPTH`, average precision, (normalised)
#: discounted gain of the list.
ExpectedMeasure = Literal["recall", "E", "AP", "DCG", "NDCG"]

#: Relevant models times levels that are computed together: few take the time of calls, not of numbers.
MODELS_AT_ONCE = 1 << 15

Floats = NDArray[np.float64]


class MeanCurves(NamedTuple):
    """Means over queries, (K,) float64 each; see `ExpectedByGenerality`."""

    value: Floats
    lower: Floats
    upper: Floats


@dataclass(frozen=True, eq=False)
class ExpectedByGenerality:
    """Expected values of a measure for each query at several levels of generality.

    Attributes
    ----------
    measure : the measure.
    relevant_scope : n; ranks considered as a multiple of the class size, for recall.
    doublings : (K,) float64, -log2 of the generality; 0 is a collection of relevant models only.
    value : (Q, K) float64, expectation if the models that are not in a list follow it in random order; in the whole
        collection of all queries, where they are not retrieved, the value of the list. NaN if the query
        does not reach the level (its embedding is smaller), if the scope is larger than the collection, and without
        relevant models.
    lower, upper : (Q, K) float64, expectation if relevant models that are not in the list are never found, and if they
        have the first ranks after its end. Equal to `value` for complete lists.
    """

    measure: ExpectedMeasure
    relevant_scope: float
    doublings: Floats
    value: Floats
    lower: Floats
    upper: Floats

    @property
    def generality(self) -> Floats:
        """(K,) float64 in (0, 1], share of relevant models."""
        return np.exp2(-self.doublings)

    def mean(self, counted: NDArray[np.bool_] | None = None) -> MeanCurves:
        """Means over queries.

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
            return MeanCurves(*np.full((3, len(self.doublings)), np.nan))
        return MeanCurves(*(values[is_averaged].mean(axis=0) for values in (self.value, self.lower, self.upper)))


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
    # Multiples of the step that equal an end would be drawn as two points at one abscissa.
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
    checkpoint: Callable[[], None] | None = None,
) -> ExpectedByGenerality:
    """Expected value of a measure for each query by generality: GRiP, GR_nP, and their analogues for other measures.

    The collection is reduced to all relevant models and a random subset of the irrelevant ones, whose size gives every
    query the required generality. The expectation over all subsets is exact. At the level of the whole collection it
    equals the measure, if the list is complete.

    Parameters
    ----------
    hits : hits of the lists; for incomplete lists `ExpectedByGenerality.lower` and `.upper` are bounds.
    profile : gains, discounts, and the divisor of average precision; if that is the number of relevant models
        retrieved, models that are not retrieved do not affect the value. Other conventions are ignored: effects of bugs
        in official programs cannot be extrapolated to another collection.
    measure : the measure. Recall at relevant scope 1 equals precision; it is the ordinate of the GRiP graph.
    relevant_scope : n, more than 0; the ordinate of the GR_nP graph is the recall within n c ranks, and the precision
        is that divided by n.
    level : lowest relevance level that counts as relevant; gains use all levels.
    doublings : (K,) levels -log2 g, 0 or more; None for those that all queries reach, see `common_levels`.
    checkpoint : called before each level, or before several of few queries; may raise an exception to cancel.

    Notes
    -----
    A random subset has the same proportion of easy and hard models. A collection that grows by models of another kind
    can behave differently (Sebe et al., section 6.1).

    Source: Sebe, Huijsmans, Tian, Gevers, sections 3.4, 3.5 and 6 (for the E-measure).
    """
    # Gains use all levels, and the E-measure of the sources has one.
    level = level if measure in ("recall", "AP") else 1
    scope = relevant_scope if measure == "recall" else 1.0
    if doublings is None:
        doublings = common_levels(embedding_of(hits, level), scope)
    levels = np.atleast_1d(np.asarray(doublings, np.float64))
    by_level = np.full((len(levels), 3, len(hits)), np.nan)
    reached = np.flatnonzero(levels >= max(0.0, np.log2(scope)) - LEVEL_TOLERANCE)
    at_once = len(reached) if len(reached) * int(hits.relevant_size(level).sum()) <= MODELS_AT_ONCE else 1
    work = _Expectation(hits, profile, measure, scope, level, max(at_once, 1))
    for rows in reached.reshape(-1, max(at_once, 1)):
        if checkpoint is not None:
            checkpoint()
        by_level[rows] = np.moveaxis(np.reshape(work.at(levels[rows]), (3, len(rows), len(hits))), 0, 1)
    # Turned once: writing 200,000 queries to one column after the other takes three times as long.
    by_query = np.ascontiguousarray(np.moveaxis(by_level, 0, 2))
    if measure != "DCG":
        # Sums of probabilities exceed 1 by some units in the last place; DCG is not a share.
        np.minimum(by_query, 1.0, out=by_query)
    value, lower, upper = by_query
    return ExpectedByGenerality(measure, scope, levels, value, lower, upper)


def expected_in_collection(
    hits: HitTable,
    profile: Profile,
    measure: ExpectedMeasure = "recall",
    *,
    relevant_scope: float = 1.0,
    level: int = 1,
) -> tuple[Floats, Floats, Floats]:
    """Value, lower and upper bound of each query in the whole collection, (Q,) each; see `expected_by_generality`."""
    work = _Expectation(hits, profile, measure, relevant_scope, level)
    return work.of(work.listed.irrelevant.astype(np.float64))


class _Expectation:
    """One measure of the lists at any generality, or at several at once, with its bounds."""

    def __init__(
        self, hits: HitTable, profile: Profile, measure: ExpectedMeasure, scope: float, level: int, at_once: int = 1
    ) -> None:
        hits = HitTable.joined([hits] * at_once) if at_once > 1 else hits
        self._hits, self._profile, self._measure, self._scope, self._level = hits, profile, measure, scope, level
        self._at_once, self.listed = at_once, embedding_of(hits, level, parts=at_once)
        n_relevant = hits.relevant_size(level)
        is_truncated = bool(np.any((relevant_found(hits, level) < n_relevant) & ~hits.missing))
        # The mean over retrieved models does not change with others behind the list.
        ignores_unlisted = measure == "AP" and profile.ap_divisor == "retrieved"
        self._unlisted = embedding_of(hits, level, "alone", at_once) if is_truncated and not ignores_unlisted else None
        self._divisor: Floats | NDArray[np.int64] = n_relevant
        if ignores_unlisted:
            self._divisor = np.where(n_relevant > 0, np.maximum(relevant_found(hits, level), 1), 0)
        elif measure == "DCG":
            self._divisor = np.ones(len(hits))
        elif measure == "NDCG":
            self._divisor = _ideal(hits, profile)

    def at(self, doublings: Floats) -> tuple[Floats, Floats, Floats]:
        """Value, lower and upper bound at each level of each query, (L Q,) each, for as many levels as `at_once`."""
        return self.of(self.listed.irrelevant_kept(np.repeat(doublings, len(self.listed.relevant) // self._at_once)))

    def of(self, kept: Floats) -> tuple[Floats, Floats, Floats]:
        """The same for the numbers `kept` (K,) of irrelevant models."""
        lower = self._sum(self.listed, kept)
        divisor = self._e_divisor(kept) if self._measure == "E" else self._divisor
        # Complete lists: value and both bounds are one number, and two of three sums are saved. So it is in the whole
        # collection: nothing is left out, and models behind a list are not retrieved, as for the measure.
        shares = ratio_or_nan(lower, divisor)
        is_whole = self.listed.is_whole(kept, self._at_once)
        if self._unlisted is None or is_whole.all():
            return shares, shares, shares
        more = self._sum_of_random_order(kept), self._sum(self._unlisted, kept)
        whole = np.repeat(is_whole, len(lower) // self._at_once)
        values, upper = (np.where(whole, shares, ratio_or_nan(lower + sums, divisor)) for sums in more)
        return values, shares, upper

    def _ranks(self) -> Floats:
        """(K, 1) ranks considered."""
        if self._measure == "E":
            return np.minimum(E_DEPTH, self.listed.collection).astype(np.float64)[:, None]
        return ranks_of_scopes(self.listed, self._scope)

    def _e_divisor(self, kept: Floats) -> Floats:
        """(Q,) divisor of the relevant models found in the E-measure; its harmonic mean for a fractional embedding."""
        return 0.5 * e_divisor(self.listed, kept)[self.listed.kind]

    def _sum(self, embedding: Embedding, kept: Floats) -> Floats:
        """(Q,) sum over the relevant models of `embedding`, before division."""
        if self._measure in ("recall", "E"):
            return expected_found(embedding, kept, self._ranks())[:, 0]
        if self._measure == "AP":
            return expected_average_precision(embedding, kept, np.ones(len(self._hits)))
        return expected_discounted_gain(embedding, kept, self._hits, self._profile)

    def _sum_of_random_order(self, kept: Floats) -> Floats:
        """(Q,) the same of the relevant models that are not listed, if all unlisted models are in random order."""
        hits, profile = self._hits, self._profile
        if self._measure in ("recall", "E"):
            found = unlisted_found(self._ranks()[:, 0])
            return expected_of_unlisted(hits, self._level, self.listed, kept, [found])[:, 0]
        last = int((self.listed.relevant + self.listed.irrelevant).max(initial=0)) + 1
        if self._measure == "AP":
            value = _unlisted_precision(harmonic_numbers(last))
            return expected_of_unlisted(hits, self._level, self.listed, kept, [value])[:, 0]
        value = _unlisted_weight(np.cumsum(discount_weights(last, profile)))
        gains = level_gains(hits.highest_level, profile)
        # Total gain of the models that are not listed; in random order each has the same expected discount.
        lacking = hits.class_sizes @ gains[1:] - sum_by_query(hits.query, gains[hits.levels], len(hits))
        return lacking * expected_of_unlisted(hits, 1, self.listed, kept, [value])[:, 0]


def e_divisor(embedding: Embedding, kept: Floats) -> Floats:
    """(K,) float64, ``min(32, d') + c`` for the collections of d' = c + `kept` models, at most the whole collection.

    For a fractional embedding it is the harmonic mean of both whole ones: then all models are within 32 ranks, the
    number of relevant ones found is certain, and E is proportional to the inverse of the divisor.
    """
    whole = np.floor(kept)
    # Unknown ids that keep their rank are irrelevant, but not models, as in E@32.
    most = np.minimum(E_DEPTH, embedding.collection)
    below, above = (np.minimum(most, embedding.relevant + whole + more) + embedding.relevant for more in (0.0, 1.0))
    fraction = kept - whole
    inverse = ratio_or_nan(1.0 - fraction, below) + ratio_or_nan(fraction, above)
    return ratio_or_nan(np.ones(len(inverse)), inverse)


def unlisted_found(ranks: Floats) -> UnlistedValue:
    """Number of unlisted relevant models within the first `ranks` (K,) of each kind; see `expected_of_unlisted`."""

    def value(kind: Ints, listed: Ints, lacking: Ints, end: Ints, after: Ints) -> Floats:
        return lacking * np.clip(ranks[kind] - end, 0.0, after) / after

    return value


def _unlisted_precision(harmonic: Floats) -> UnlistedValue:
    """Sum of the precisions at the unlisted relevant models.

    Each rank j after the end has one of them with probability U / R, and (U - 1)(j - 1) / (R - 1) others before it.
    """

    def value(kind: Ints, listed: Ints, lacking: Ints, end: Ints, after: Ints) -> Floats:
        inverse_ranks = harmonic[end + after] - harmonic[end]
        # P(another unlisted relevant model at a given other rank), drawn without replacement.
        others = (lacking - 1) / np.maximum(after - 1, 1)
        return lacking / after * ((listed + 1) * inverse_ranks + others * (after - (end + 1) * inverse_ranks))

    return value


def _unlisted_weight(cumulated: Floats) -> UnlistedValue:
    """Mean discount of the ranks after the end of the list."""

    def value(kind: Ints, listed: Ints, lacking: Ints, end: Ints, after: Ints) -> Floats:
        return (cumulated[end + after] - cumulated[end]) / after

    return value


def _ideal(hits: HitTable, profile: Profile) -> Floats:
    """(Q,) discounted gain of the ideal ranking of all relevant models; does not depend on the embedding."""
    # The ideal must not depend on the list or a cutoff: both change with the embedding.
    plain = replace(profile, ideal="truth", relevant="all")
    if plain.discount == "rgbd":
        plain = replace(plain, discount="log2(i+1)")
    last = int(hits.relevant_size(1).max(initial=0))
    return ideal_gain(hits, plain, np.full((1, 1), last, np.int64), discount_weights(last, plain))[:, 0]


@dataclass(frozen=True, eq=False)
class RandomBaseline:
    """Mean recall or E-measure of random rankings at several levels of generality.

    Attributes
    ----------
    doublings : (K,) levels, -log2 g.
    mean : (K,) float64, expected value; n g for recall.
    deviation : (K,) float64, standard deviation of the mean over all queries.
    low, high : (K,) float64, interval of the mean at the given confidence.
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
    measure: Literal["recall", "E"] = "recall",
    relevant_scope: float = 1.0,
    confidence: float = 0.95,
    counted: NDArray[np.bool_] | None = None,
) -> RandomBaseline:
    """Recall or E-measure of random rankings: exact mean and standard deviation, and a normal interval.

    A curve inside the interval is not distinguishable from a random ranking. The number of relevant models within s of
    d ranks is hypergeometric: mean s c / d, variance s g (1 - g) (d - s) / (d - 1). NaN if one of the queries does not
    reach the level; the interval is clipped to [0, 1].

    Parameters
    ----------
    embedding : of the queries; see `embedding_of`.
    doublings : (K,) levels, -log2 g.
    measure : see `expected_by_generality`.
    relevant_scope : n, for recall.
    confidence : share of random rankings whose mean is within the interval.
    counted : (Q,) bool, queries that are averaged; None for all. Those without relevant models are ignored.

    Source: Sebe et al., equation 12, for the mean.
    """
    levels = np.atleast_1d(np.asarray(doublings, np.float64))
    is_averaged = embedding.relevant[embedding.kind] > 0
    if counted is not None:
        is_averaged &= counted
    n_queries = np.bincount(embedding.kind[is_averaged], minlength=len(embedding.relevant))
    rows = n_queries > 0
    relevant = embedding.relevant[rows, None]
    kept = np.ascontiguousarray(embedding.irrelevant_kept(levels[:, None]).T)
    # c / g = d', as a real number: the mean is linear in g and needs no whole collections.
    size = relevant / np.exp2(-levels) + 0.0 * kept[rows]  # NaN where a query does not reach the level
    if measure == "E":
        scope = np.minimum(np.minimum(E_DEPTH, embedding.collection[rows, None]), size)
        share = 2.0 / np.stack([e_divisor(embedding, column) for column in kept.T], axis=1)[rows]
    else:
        scope = np.minimum(relevant_scope * relevant, size)
        share = 1.0 / relevant + 0.0 * size
    generality = relevant / size
    # Hypergeometric; at least 1 below, for collections of one model, where the variance is 0.
    variance = scope * generality * (1.0 - generality) * (size - scope) / np.maximum(size - 1.0, 1.0) * share**2
    weights = n_queries[rows, None] / max(int(n_queries.sum()), 1)
    mean = np.sum(weights * scope * generality * share, axis=0)
    # Var(mean of n) = (1/n^2) sum Var = (mean of Var) / n: queries are independent.
    deviation = np.sqrt(np.sum(weights * variance, axis=0) / max(int(n_queries.sum()), 1))
    if not len(relevant):
        mean, deviation = np.full(len(levels), np.nan), np.full(len(levels), np.nan)
    from statistics import NormalDist  # here: it imports decimal arithmetic, which few commands need

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
    # By interpolation, as levels are multiples of the step while the last one is the collection.
    return float(np.interp(x[-1] - 1.0, x, y) - y[-1])
