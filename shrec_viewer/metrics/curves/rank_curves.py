"""Precision, recall and dynamic recall by rank."""

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.metrics.curves.curve import Curve, CurveValues, rank_axis
from shrec_viewer.metrics.measures.sources import SHREC_2006, TREC_EVAL, TYPKE
from shrec_viewer.metrics.profiles.profile import Profile
from shrec_viewer.metrics.ranking.hit_table import HitTable, findable_size, found_at_ranks, generality, ratio_or_nan


def precision_curve(hits: HitTable, profile: Profile, points: int) -> CurveValues:
    """P@1 … P@points; NaN without relevant models."""
    ranks = rank_axis(points)
    values = _found_by_rank(hits, 1, points) / ranks[None, :]
    return CurveValues(ranks, _past_end(hits, profile, np.where(hits.relevant_size(1)[:, None] > 0, values, np.nan)))


def recall_curve(hits: HitTable, profile: Profile, points: int) -> CurveValues:
    """R@1 … R@points; NaN without relevant models."""
    values = ratio_or_nan(_found_by_rank(hits, 1, points), findable_size(hits, profile, 1)[:, None])
    return CurveValues(rank_axis(points), _past_end(hits, profile, values))


def random_precision(hits: HitTable, profile: Profile, points: int) -> CurveValues:
    """Expected P@1 … P@points of a random ranking: the generality c / d at every rank."""
    return CurveValues(rank_axis(points), np.repeat(generality(hits)[:, None], points, axis=1))


def random_recall(hits: HitTable, profile: Profile, points: int) -> CurveValues:
    """Expected R@1 … R@points of a random ranking: rank / d, at most 1."""
    ranks = rank_axis(points)
    whole = np.maximum(hits.collection_size, 1).astype(np.float64)
    # Each relevant model is equally likely at each of the d ranks: E[v(s)] / c = s / d.
    return CurveValues(ranks, np.minimum(ranks[None, :] / whole[:, None], 1.0))


def dynamic_recall_curve(hits: HitTable, profile: Profile, points: int) -> CurveValues:
    """ADR@1 … ADR@points; NaN without relevant models."""
    high = min(2, hits.highest_level)
    ranks = np.arange(1, points + 1)
    while_highly = ranks[None, :] <= hits.relevant_size(high)[:, None]
    counted = np.where(while_highly, _found_by_rank(hits, high, points), _found_by_rank(hits, 1, points))
    last = np.broadcast_to(ranks, counted.shape)
    if profile.adr == "shrec2006":
        last = np.minimum(last, hits.list_length[:, None])
    # No terms after the end of a list where the profile stops there; the sum then stays constant.
    recalls = np.where(ranks[None, :] <= last.max(axis=1, initial=0)[:, None], counted / ranks[None, :], 0.0)
    values = np.cumsum(recalls, axis=1) / np.maximum(last, 1)
    return CurveValues(ranks.astype(np.float64), np.where(hits.relevant_size(1)[:, None] > 0, values, np.nan))


def _found_by_rank(hits: HitTable, level: int, points: int) -> NDArray[np.int64]:
    """(Q, points) int64, number of models of at least `level` within the first 1 … points ranks."""
    return found_at_ranks(hits, level, np.arange(1, points + 1))


def _past_end(hits: HitTable, profile: Profile, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """`values` (Q, K) at the ranks 1 … K, or 0 after the end of each list if the profile defines so."""
    if profile.past_end == "hold":
        return values
    beyond = np.arange(1, values.shape[1] + 1)[None, :] > hits.list_length[:, None]
    return np.where(beyond & ~np.isnan(values), 0.0, values)


P_CURVE = Curve(
    key="P",
    label="Precision by rank",
    x_label="Rank",
    y_label="Precision",
    x_range=None,
    y_range=(0.0, 1.0),
    definition="P@K: share of relevant models within the first K ranks. Unused ranks of a short list are not "
    "relevant; for ShapeNet the curve is 0 after the end of a list.",
    source=TREC_EVAL,
    function=precision_curve,
    random=random_precision,
    x="rank",
    y="precision",
    common=True,
)
R_CURVE = Curve(
    key="R",
    label="Recall by rank",
    x_label="Rank",
    y_label="Recall",
    x_range=None,
    y_range=(0.0, 1.0),
    definition="R@K: share of the relevant models within the first K ranks, constant after the end of the "
    "list; for ShapeNet 0 there.",
    source=TREC_EVAL,
    function=recall_curve,
    random=random_recall,
    x="rank",
    y="recall",
    common=True,
)
ADR_CURVE = Curve(
    key="ADR",
    label="Average dynamic recall",
    x_label="Rank",
    y_label="Average dynamic recall",
    x_range=None,
    y_range=(0.0, 1.0),
    definition="ADR@K: mean over the ranks i = 1 … K of the recall relative to the possible one, f(i) / i, where f(i) "
    "counts highly relevant models while i <= Ch and all relevant ones beyond. SHREC 2006 stops at the end of a list.",
    source=f"{TYPKE}; {SHREC_2006}",
    function=dynamic_recall_curve,
    x="rank",
)
