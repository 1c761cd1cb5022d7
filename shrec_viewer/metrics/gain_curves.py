"""Cumulated gain along the ranks, plain, discounted and normalised."""

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.metrics.curve import CurveKind, CurveValues
from shrec_viewer.metrics.gain import gains_of_hits, ideal_gain, share_of_best, weights
from shrec_viewer.metrics.hits import HitTable
from shrec_viewer.metrics.profile import Profile
from shrec_viewer.metrics.sources import JARVELIN


def cumulated_gain_curve(hits: HitTable, profile: Profile, points: int) -> CurveValues:
    """CG[1 … points]; constant beyond the end of the list."""
    return CurveValues(_ranks(points), _cumulated(hits, profile, points, None))


def discounted_gain_curve(hits: HitTable, profile: Profile, points: int) -> CurveValues:
    """DCG[1 … points]; constant beyond the end of the list."""
    return CurveValues(_ranks(points), _cumulated(hits, profile, points, weights(points, profile)))


def normalised_gain_curve(hits: HitTable, profile: Profile, points: int) -> CurveValues:
    """NCG[1 … points]; NaN where nothing is relevant."""
    return _normalised(hits, profile, points, None)


def normalised_discounted_gain_curve(hits: HitTable, profile: Profile, points: int) -> CurveValues:
    """NDCG[1 … points]; NaN where nothing is relevant."""
    return _normalised(hits, profile, points, weights(points, profile))


def _normalised(hits: HitTable, profile: Profile, points: int, weight: NDArray[np.float64] | None) -> CurveValues:
    reach = np.arange(1, points + 1, dtype=np.int64)[None, :]
    best = ideal_gain(hits, profile, reach, weight)
    return CurveValues(_ranks(points), share_of_best(hits, _cumulated(hits, profile, points, weight), best))


def _cumulated(
    hits: HitTable, profile: Profile, points: int, weight: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    """(Q, points) running sum of the gains, each times the weight of its rank."""
    query, ranks, gains = gains_of_hits(hits, profile, points)
    along = np.zeros((len(hits), points))
    if weight is not None and profile.discount == "rgbd":
        first, later = ranks == 1, (ranks < points) & (ranks < hits.list_length[query])
        along[query[first], 0] = gains[first]
        along[query[later], ranks[later]] = (gains * weight[ranks])[later]  # counts from the next rank on
    else:
        along[query, ranks - 1] = gains if weight is None else gains * weight[ranks]
    return np.cumsum(along, axis=1)


def _ranks(points: int) -> NDArray[np.float64]:
    return np.arange(1, points + 1, dtype=np.float64)


CG_CURVE = CurveKind(
    key="CG",
    label="Cumulated gain",
    x_label="Rank",
    y_label="Cumulated gain (sum of levels)",
    x_range=None,
    y_range=None,
    definition="CG[i]: sum of the gains (relevance levels) of the first i places.",
    source=JARVELIN,
    function=cumulated_gain_curve,
)
DCG_CURVE = CurveKind(
    key="DCG",
    label="Discounted cumulated gain",
    x_label="Rank",
    y_label="Discounted cumulated gain",
    x_range=None,
    y_range=None,
    definition="DCG[i]: as CG with each gain divided by the discount of its rank, log2(rank) from rank 2 on unless the "
    "profile says otherwise.",
    source=JARVELIN,
    function=discounted_gain_curve,
)
NCG_CURVE = CurveKind(
    key="NCG",
    label="Normalised cumulated gain",
    x_label="Rank",
    y_label="Share of the ideal cumulated gain",
    x_range=None,
    y_range=(0.0, 1.0),
    definition="CG[i] divided by that of the best possible list at the same rank, which stays constant beyond the last "
    "relevant model.",
    source=JARVELIN,
    function=normalised_gain_curve,
)
NDCG_CURVE = CurveKind(
    key="NDCG",
    label="Normalised discounted cumulated gain",
    x_label="Rank",
    y_label="Share of the ideal discounted gain",
    x_range=None,
    y_range=(0.0, 1.0),
    definition="DCG[i] divided by that of the best possible list at the same rank, which stays constant beyond the "
    "last relevant model.",
    source=JARVELIN,
    function=normalised_discounted_gain_curve,
)
