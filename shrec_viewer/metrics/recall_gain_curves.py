"""Average cumulated gain, plain and discounted, against recall: how much a place was worth on the way so far."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.metrics.curve import CurveKind, CurveValues
from shrec_viewer.metrics.gain import gains_of_hits, weights
from shrec_viewer.metrics.hits import HitTable
from shrec_viewer.metrics.precision_recall import at_every_hit, at_twenty_recalls
from shrec_viewer.metrics.profile import Profile
from shrec_viewer.metrics.sources import SHREC_2006


def gain_at_hits(hits: HitTable, profile: Profile, points: int) -> CurveValues:
    """CG[p] / p at the rank p of each relevant model of the list, over recall."""
    return at_every_hit(hits, _per_place(hits, profile, discounted=False))


def gain_at_recalls(hits: HitTable, profile: Profile, points: int) -> CurveValues:
    """The same at recall 0.05, 0.10 … 1, so that queries can be averaged."""
    return at_twenty_recalls(hits, _per_place(hits, profile, discounted=False))


def discounted_gain_at_hits(hits: HitTable, profile: Profile, points: int) -> CurveValues:
    """DCG[p] / p at the rank p of each relevant model of the list, over recall."""
    return at_every_hit(hits, _per_place(hits, profile, discounted=True))


def discounted_gain_at_recalls(hits: HitTable, profile: Profile, points: int) -> CurveValues:
    """The same at recall 0.05, 0.10 … 1, so that queries can be averaged."""
    return at_twenty_recalls(hits, _per_place(hits, profile, discounted=True))


def _per_place(hits: HitTable, profile: Profile, discounted: bool) -> NDArray[np.float64]:
    """(nnz,) float64, gain up to each hit divided by its rank."""
    query, ranks, gains = gains_of_hits(hits, profile, None)
    if not discounted:
        return _running_sums(gains, hits.indptr) / ranks
    terms = gains * weights(int(ranks.max(initial=0)), profile)[ranks]
    sums = _running_sums(terms, hits.indptr)
    if profile.discount == "rgbd":
        first = np.zeros(len(hits))
        first[query[ranks == 1]] = gains[ranks == 1]
        sums = sums - terms + first[query]
    return sums / ranks


def _running_sums(values: NDArray[np.float64], indptr: NDArray[np.int64]) -> NDArray[np.float64]:
    """(n,) sums of the values of the same query up to each one; query by query, so that none sees the others."""
    sums = np.empty(len(values))
    for start, stop in pairwise(indptr):
        np.cumsum(values[start:stop], out=sums[start:stop])
    return sums


_READING = (
    "The report does not say what is averaged; here it is the gain per place within one list, and a run's curve is the "
    "mean over queries at the same recall k / C, interpolated linearly between relevant models, 0 for those that a "
    "list lacks."
)

CG_BY_RECALL = CurveKind(
    key="CG(recall)",
    label="Average cumulated gain against recall",
    x_label="Recall",
    y_label="Cumulated gain per place",
    x_range=(0.0, 1.0),
    y_range=None,
    definition=f"CG[p] / p at the rank p of each relevant model, over the recall reached there. {_READING}",
    source=SHREC_2006,
    function=gain_at_hits,
    average=gain_at_recalls,
)
DCG_BY_RECALL = CurveKind(
    key="DCG(recall)",
    label="Average discounted cumulated gain against recall",
    x_label="Recall",
    y_label="Discounted gain per place",
    x_range=(0.0, 1.0),
    y_range=None,
    definition=f"DCG[p] / p at the rank p of each relevant model, over the recall reached there. {_READING}",
    source=SHREC_2006,
    function=discounted_gain_at_hits,
    average=discounted_gain_at_recalls,
)
