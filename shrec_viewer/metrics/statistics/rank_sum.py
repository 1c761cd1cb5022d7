"""Rank-sum test of a run against random order."""

import math

import numpy as np

from shrec_viewer.metrics.ranking.hit_table import HitTable


def rank_sum_deviation(hits: HitTable) -> float:
    """Deviation of the ranks of the relevant models from those in random order, in standard deviations.

    The sum of the ranks over all queries with results; below 0 for ranks that are better than at random. Models that
    are not listed have the mean rank of all unlisted ones, and its variance is that of tied ranks.

    Source: Wilcoxon, Individual comparisons by ranking methods, Biometrics Bulletin 1, 1945; with correction for ties.

    Returns
    -------
    deviation : NaN if no query has both relevant and other models in a list.
    """
    listed, size = hits.list_length.astype(np.float64), hits.collection_size.astype(np.float64)
    relevant, found = hits.relevant_size().astype(np.float64), np.diff(hits.indptr).astype(np.float64)
    used = ~hits.missing & (size > 1) & (listed > 0) & (listed <= size)
    sums = np.bincount(hits.query, hits.ranks, len(hits)).astype(np.float64)  # int64 without hits
    sums += (relevant - found) * (listed + 1 + size) / 2  # of models that are not listed
    tied = np.maximum(size - listed, 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = size + 1 - (tied**3 - tied) / (size * (size - 1))
        variance = relevant * (size - relevant) / 12 * spread
    deviation = (sums - relevant * (size + 1) / 2)[used].sum()
    total = variance[used].sum()
    return float(deviation / math.sqrt(total)) if total > 0 else math.nan
