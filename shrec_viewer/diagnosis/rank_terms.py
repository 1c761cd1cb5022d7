"""Measures as sums over the relevant models of a list, so that a loss can be divided among the irrelevant ones."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.metrics import HitTable, Profile, ResolvedMeasure
from shrec_viewer.metrics.measures.gain import discount_weights, ideal_gain, level_gains
from shrec_viewer.metrics.measures.measure import INFINITE
from shrec_viewer.metrics.ranking.hit_table import findable_size, limit_to_list_cut, ratio_or_nan, relevant_found

Floats = NDArray[np.float64]

GAIN_MEASURES = ("CG", "DCG", "NCG", "NDCG")


@dataclass(frozen=True, eq=False)
class RankTerms:
    """A measure of a query as the sum of f(k, p_k) over the relevant models in its list, of which k is at rank p_k.

    f is ``scale * (k / p)``, ``scale`` or ``scale * gain / discount(p)`` up to the rank `last`, and 0 after it.

    Attributes
    ----------
    form : which of the three f is.
    scale : (Q,) float64, NaN for a query without value.
    last : (Q,) float64, last rank that counts; may be infinite.
    gains : (L + 1,) float64, gain of each level; empty for the other forms.
    profile : conventions of the discount.
    is_discounted : whether gains are discounted.
    """

    form: Literal["precision", "hit", "gain"]
    scale: Floats
    last: Floats
    profile: Profile
    gains: Floats
    is_discounted: bool = False

    def values(self, query: int, numbers: NDArray[Any], ranks: NDArray[Any], levels: NDArray[Any]) -> Floats:
        """Values of f for relevant models (n,); ranks (..., n) need not be whole numbers."""
        if self.form == "precision":
            values = numbers / ranks
        elif self.form == "hit":
            values = np.ones(np.shape(ranks))
        else:
            values = self.gains[levels]
            if self.is_discounted:
                shifted = np.maximum(ranks, 2.0) if self.profile.discount == "jarvelin" else ranks + 1.0
                values = values / np.log2(shifted)
        return np.where(ranks <= self.last[query], values * self.scale[query], 0.0)

    def ideal(self, query: int, levels: NDArray[Any]) -> float:
        """The value of a list of models of these levels alone, the highest level first."""
        numbers = np.arange(1, len(levels) + 1)
        return float(self.values(query, numbers, numbers.astype(float), np.sort(levels)[::-1]).sum())


def rank_terms(measure: ResolvedMeasure, hits: HitTable, profile: Profile) -> RankTerms | None:
    """The terms of a measure; None if it is no such sum under the profile.

    They are those of AP, NN, FT, ST, Rprec, GRn, GRPn, P@K, R, R@K, CG, DCG, NCG and NDCG, with few exceptions. Values
    are equal to those of the measure up to rounding.
    """
    name, level, cutoff = measure.measure.name, measure.level, measure.cutoff
    size = hits.relevant_size(level)
    limits = _scope_of(measure, hits, profile)
    if limits is not None:
        last, divisor = limits
        scale = np.where(size > 0, np.where(divisor > 0, ratio_or_nan(np.ones(len(hits)), divisor), 0.0), np.nan)
        return RankTerms("hit", scale, np.asarray(last, np.float64), profile, np.zeros(0))
    to_cutoff = np.full(len(hits), INFINITE if cutoff is None else float(cutoff))
    if name == "AP":
        if profile.ap_divisor == "retrieved" and cutoff is not None:
            return None  # the divisor changes with the irrelevant models before the cutoff
        number = {
            "relevant": size,
            "reachable": limit_to_list_cut(size, profile),
            "largest class": np.full(len(hits), max(hits.largest_size(level), 1)),
            "retrieved": np.maximum(relevant_found(hits, level), 1),
        }[profile.ap_divisor]
        scale = np.where(size > 0, ratio_or_nan(np.ones(len(hits)), number), np.nan)
        return RankTerms("precision", scale, to_cutoff, profile, np.zeros(0))
    if name not in GAIN_MEASURES or profile.discount == "rgbd" or profile.ideal != "truth":
        return None
    is_discounted, scale = name in ("DCG", "NDCG"), np.ones(len(hits))
    if name in ("NCG", "NDCG"):
        reach = np.full((len(hits), 1), cutoff or max(int(size.max(initial=0)), 1), np.int64)
        weight = discount_weights(int(reach.max(initial=0)), profile) if is_discounted else None
        scale = ratio_or_nan(np.ones(len(hits)), ideal_gain(hits, profile, reach, weight)[:, 0])
    return RankTerms("gain", scale, to_cutoff, profile, level_gains(hits.highest_level, profile), is_discounted)


def _scope_of(measure: ResolvedMeasure, hits: HitTable, profile: Profile) -> tuple[NDArray[Any], NDArray[Any]] | None:
    """Last rank and divisor, each (Q,), of a measure that counts the relevant models up to a rank; None for others."""
    name, level, cutoff = measure.measure.name, measure.level, measure.cutoff
    size, ones = hits.relevant_size(level), np.ones(len(hits))
    if name == "NN":
        return ones, ones
    if name in ("FT", "ST"):
        scope = size * (2 if name == "ST" else 1)
        if profile.tiers == "psb":
            return scope, size
        if profile.tiers == "precision" or (profile.tiers == "rgbd" and name == "FT"):
            return scope, scope
        if profile.tiers in ("shrec2006", "rgbd") or (
            profile.tiers == "literal" and (level > 1 or hits.highest_level == 1)
        ):
            depth = np.minimum(hits.list_length, scope)
            return depth, depth
        return None
    if name == "Rprec":
        return size, size
    if name.startswith("GR") and name.removeprefix("GR").removeprefix("P").isdigit():
        scope = size * int(name.removeprefix("GR").removeprefix("P"))
        return scope, scope if name.startswith("GRP") else size
    if name == "P" and cutoff is not None and profile.precision_divisor == "cutoff":
        return ones * cutoff, ones * cutoff
    if name == "R":
        return ones * (INFINITE if cutoff is None else cutoff), findable_size(hits, profile, level)
    return None
