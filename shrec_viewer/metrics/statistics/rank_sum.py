"""Rank-sum test of a run against random order."""

import math

import numpy as np

from shrec_viewer.metrics.ranking.hit_table import HitTable


def rank_sum_deviation(hits: HitTable) -> float:
    """Deviation of the ranks of the relevant models from those in random order, in standard deviations.

    Computed from the sum of ranks over all queries with results; negative if the ranks are better than random. Models
    that are not listed are treated as ties: they have the mean rank of all unlisted models, and the variance is
    corrected accordingly.

    Source: Wilcoxon, Individual comparisons by ranking methods, Biometrics Bulletin 1, 1945; with correction for ties.

    Returns
    -------
    deviation : NaN if no query has both relevant and other models in a list.
    """
    listed, size = hits.list_length.astype(np.float64), hits.collection_size.astype(np.float64)
    relevant, found = hits.relevant_size().astype(np.float64), np.diff(hits.indptr).astype(np.float64)
    used = ~hits.missing & (size > 1) & (listed > 0) & (listed <= size)
    listed_sums = np.bincount(hits.query, hits.ranks, len(hits))
    sums = listed_sums + (relevant - found) * (listed + 1 + size) / 2  # plus that of models that are not listed
    tied = np.maximum(size - listed, 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        tie_corrected = size + 1 - (tied**3 - tied) / (size * (size - 1))
        variance = relevant * (size - relevant) / 12 * tie_corrected
    deviation = (sums - relevant * (size + 1) / 2)[used].sum()
    total = variance[used].sum()
    return float(deviation / math.sqrt(total)) if total > 0 else math.nan
