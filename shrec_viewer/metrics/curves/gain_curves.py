"""Cumulated gain by rank, and average gain by recall."""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.metrics.curves.curve import Curve, CurveValues, rank_axis
from shrec_viewer.metrics.curves.precision_recall import at_every_hit, at_twenty_recalls
from shrec_viewer.metrics.measures.gain import (
    discount_weights,
    gains_of_hits,
    ideal_gain,
    level_gains,
    normalise_by_ideal,
)
from shrec_viewer.metrics.measures.sources import JARVELIN, SHREC_2006
from shrec_viewer.metrics.profiles.profile import Profile
from shrec_viewer.metrics.ranking.hit_table import HitTable


def cumulated_gain_curve(hits: HitTable, profile: Profile, points: int) -> CurveValues:
    """CG[1 … points]; constant after the end of the list."""
    return CurveValues(rank_axis(points), _cumulated_curve(hits, profile, points, None))


def discounted_gain_curve(hits: HitTable, profile: Profile, points: int) -> CurveValues:
    """DCG[1 … points]; constant after the end of the list."""
    return CurveValues(rank_axis(points), _cumulated_curve(hits, profile, points, discount_weights(points, profile)))


def normalised_gain_curve(hits: HitTable, profile: Profile, points: int) -> CurveValues:
    """NCG[1 … points]; NaN without relevant models."""
    return _normalised_curve(hits, profile, points, None)


def normalised_discounted_gain_curve(hits: HitTable, profile: Profile, points: int) -> CurveValues:
    """NDCG[1 … points]; NaN without relevant models."""
    return _normalised_curve(hits, profile, points, discount_weights(points, profile))


def random_gain(hits: HitTable, profile: Profile, points: int, *, discounted: bool = False) -> CurveValues:
    """Expected CG or DCG of a random ranking: at each rank the mean gain of the collection times the weight.

    NaN under the discount ``"rgbd"``, for which it is not derived.
    """
    if profile.discount == "rgbd":
        return CurveValues(rank_axis(points), np.full((len(hits), points), np.nan))
    sizes = np.maximum(hits.collection_size, 1).astype(np.float64)
    # Every model is equally likely at every rank, so the expected gain of a rank is the mean over the collection.
    mean_gain = hits.class_sizes @ level_gains(hits.highest_level, profile)[1:] / sizes
    weights = discount_weights(points, profile)[1 : points + 1] if discounted else np.ones(points)
    return CurveValues(rank_axis(points), mean_gain[:, None] * np.cumsum(weights)[None, :])


def random_normalised_gain(hits: HitTable, profile: Profile, points: int, *, discounted: bool = False) -> CurveValues:
    """Expected NCG or NDCG of a random ranking: `random_gain` as a share of the gain of the ideal ranking `hits`."""
    expected = random_gain(hits, profile, points, discounted=discounted)
    ideal = _cumulated_curve(hits, profile, points, discount_weights(points, profile) if discounted else None)
    # Exact although it is a ratio: the gain of the ideal ranking is the same for every random list.
    shares = np.divide(expected.y, ideal, out=np.full(ideal.shape, np.nan), where=ideal > 0)
    return CurveValues(expected.x, shares)


def _normalised_curve(hits: HitTable, profile: Profile, points: int, weight: NDArray[np.float64] | None) -> CurveValues:
    scopes = np.arange(1, points + 1, dtype=np.int64)[None, :]
    ideal = ideal_gain(hits, profile, scopes, weight)
    return CurveValues(
        rank_axis(points), normalise_by_ideal(hits, _cumulated_curve(hits, profile, points, weight), ideal)
    )


def _cumulated_curve(
    hits: HitTable, profile: Profile, points: int, weight: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    """(Q, points) running sum of the gains, each times the weight of its rank."""
    query, ranks, gains = gains_of_hits(hits, profile, points)
    # A rank has at most one hit per query, so plain assignment below does not lose any.
    gain_by_rank = np.zeros((len(hits), points))
    if weight is not None and profile.discount == "rgbd":
        first, later = ranks == 1, (ranks < points) & (ranks < hits.list_length[query])
        gain_by_rank[query[first], 0] = gains[first]
        # The discount "rgbd" adds a gain from the next rank on.
        gain_by_rank[query[later], ranks[later]] = (gains * weight[ranks])[later]
    else:
        gain_by_rank[query, ranks - 1] = gains if weight is None else gains * weight[ranks]
    return np.cumsum(gain_by_rank, axis=1)


CG_CURVE = Curve(
    key="CG",
    label="Cumulated gain",
    x_label="Rank",
    y_label="Cumulated gain (sum of levels)",
    x_range=None,
    y_range=None,
    definition="CG[i]: sum of the gains at the first i ranks. The gain of a model is its relevance level unless the "
    "profile defines another gain.",
    source=JARVELIN,
    function=cumulated_gain_curve,
    random=random_gain,
    x="rank",
    y="gain",
)
DCG_CURVE = Curve(
    key="DCG",
    label="Discounted cumulated gain",
    x_label="Rank",
    y_label="Discounted cumulated gain",
    x_range=None,
    y_range=None,
    definition="DCG[i]: as CG with each gain divided by the discount of its rank, log2(rank) from rank 2 unless the "
    "profile defines another discount.",
    source=JARVELIN,
    function=discounted_gain_curve,
    random=partial(random_gain, discounted=True),
    x="rank",
    y="gain",
)
NCG_CURVE = Curve(
    key="NCG",
    label="Normalised cumulated gain",
    x_label="Rank",
    y_label="Share of the ideal cumulated gain",
    x_range=None,
    y_range=(0.0, 1.0),
    definition="CG[i] divided by that of the ideal ranking at the same rank, which is constant after the last "
    "relevant model. It consists of all relevant models, or of those in the list where the profile says so.",
    source=JARVELIN,
    function=normalised_gain_curve,
    random=random_normalised_gain,
    x="rank",
    y="gain",
)
NDCG_CURVE = Curve(
    key="NDCG",
    label="Normalised discounted cumulated gain",
    x_label="Rank",
    y_label="Share of the ideal discounted gain",
    x_range=None,
    y_range=(0.0, 1.0),
    definition="DCG[i] divided by that of the ideal ranking at the same rank, which is constant after the "
    "last relevant model. It consists of all relevant models, or of those in the list where the profile says so.",
    source=JARVELIN,
    function=normalised_discounted_gain_curve,
    random=partial(random_normalised_gain, discounted=True),
    x="rank",
    y="gain",
    common=True,
)


def gain_at_hits(hits: HitTable, profile: Profile, points: int) -> CurveValues:
    """CG[p] / p at the rank p of each relevant model of the list, over recall."""
    return at_every_hit(hits, _gain_per_rank(hits, profile, discounted=False))


def gain_at_recalls(hits: HitTable, profile: Profile, points: int) -> CurveValues:
    """CG[p] / p, as `gain_at_hits`, at recall 0.05, 0.10 … 1, so that queries can be averaged."""
    return at_twenty_recalls(hits, _gain_per_rank(hits, profile, discounted=False))


def discounted_gain_at_hits(hits: HitTable, profile: Profile, points: int) -> CurveValues:
    """DCG[p] / p at the rank p of each relevant model of the list, over recall."""
    return at_every_hit(hits, _gain_per_rank(hits, profile, discounted=True))


def discounted_gain_at_recalls(hits: HitTable, profile: Profile, points: int) -> CurveValues:
    """DCG[p] / p, as `discounted_gain_at_hits`, at recall 0.05, 0.10 … 1, so that queries can be averaged."""
    return at_twenty_recalls(hits, _gain_per_rank(hits, profile, discounted=True))


def _gain_per_rank(hits: HitTable, profile: Profile, discounted: bool) -> NDArray[np.float64]:
    """(nnz,) float64, gain up to each hit divided by its rank."""
    query, ranks, gains = gains_of_hits(hits, profile, None)
    if not discounted:
        return _running_sums(gains, hits.indptr) / ranks
    terms = gains * discount_weights(int(ranks.max(initial=0)), profile)[ranks]
    sums = _running_sums(terms, hits.indptr)
    if profile.discount == "rgbd":
        first = np.zeros(len(hits))
        first[query[ranks == 1]] = gains[ranks == 1]
        sums = sums - terms + first[query]
    return sums / ranks


def _running_sums(values: NDArray[np.float64], indptr: NDArray[np.int64]) -> NDArray[np.float64]:
    """(n,) cumulative sums of the values of each query, each computed independently of the other queries."""
    sums = np.empty(len(values))
    filled = np.flatnonzero(np.diff(indptr))  # of 200,000 queries, 20 may have a list
    for start, stop in zip(indptr[filled], indptr[filled + 1], strict=True):
        np.cumsum(values[start:stop], out=sums[start:stop])
    return sums


_INTERPRETATION = (
    "The report does not define the average; here it is the gain per rank within one list, and the curve of a run "
    "is the mean over queries at the same recall k / C, interpolated linearly between relevant models, 0 for those "
    "not in the list."
)

CG_BY_RECALL = Curve(
    key="CG(recall)",
    label="Average cumulated gain against recall",
    x_label="Recall",
    y_label="Cumulated gain per rank",
    x_range=(0.0, 1.0),
    y_range=None,
    definition=f"CG[p] / p at the rank p of each relevant model, over the recall reached there. {_INTERPRETATION}",
    source=SHREC_2006,
    function=gain_at_hits,
    average=gain_at_recalls,
    x="recall",
    y="gain",
    short_label="CG/k  Average cumulated gain against recall",
)
DCG_BY_RECALL = Curve(
    key="DCG(recall)",
    label="Average discounted cumulated gain against recall",
    x_label="Recall",
    y_label="Discounted gain per rank",
    x_range=(0.0, 1.0),
    y_range=None,
    definition=f"DCG[p] / p at the rank p of each relevant model, over the recall reached there. {_INTERPRETATION}",
    source=SHREC_2006,
    function=discounted_gain_at_hits,
    average=discounted_gain_at_recalls,
    x="recall",
    y="gain",
    short_label="DCG/k  Average discounted cumulated gain against recall",
)
