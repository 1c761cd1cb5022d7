"""Similarity of two ranked lists: rank-biased overlap."""

import numpy as np
from numpy.typing import ArrayLike


def rank_biased_overlap(first: ArrayLike, second: ArrayLike, p: float = 0.9) -> float:
    """Similarity of two lists, extrapolated from their common depth: 1 for equal lists, 0 for disjoint ones.

    Parameters
    ----------
    first, second : (n,) and (m,) int, distinct items, best first; only the first ``min(n, m)`` of each are compared.
    p : persistence, in (0, 1): the first 10 ranks have 86 % of the weight at 0.9.

    Returns
    -------
    float
        In [0, 1]; NaN if a list is empty.

    Source: Webber, Moffat, Zobel: A similarity measure for indefinite rankings. ACM TOIS 28, 2010, equation 23.

    Examples
    --------
    >>> round(rank_biased_overlap([1, 2, 3], [1, 2, 3]), 6), rank_biased_overlap([1, 2], [3, 4])
    (1.0, 0.0)
    """
    x, y = np.asarray(first), np.asarray(second)
    depth = min(len(x), len(y))
    if depth == 0:
        return float("nan")
    x, y = x[:depth], y[:depth]
    # The depth at which an item is in both lists is the larger one of its two ranks.
    common, in_x, in_y = np.intersect1d(x, y, return_indices=True)
    shared_from = np.bincount(np.maximum(in_x, in_y), minlength=depth)
    overlap = np.cumsum(shared_from)
    ranks = np.arange(1, depth + 1)
    total = (1.0 - p) / p * float(np.sum(overlap / ranks * p**ranks))
    return total + len(common) / depth * p**depth
