"""Similarity of two rankings: tau-b, tau-AP and rank-biased overlap."""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def kendall_tau(first: ArrayLike, second: ArrayLike) -> float:
    """Kendall's tau-b: share of concordant minus share of discordant pairs of runs, corrected for ties.

    Parameters
    ----------
    first, second : (R,) float64, for example two measures of the same runs. Runs that are NaN in either are ignored.

    Returns
    -------
    float
        In [-1, 1]: 1 for the same order, 0 for unrelated orders, -1 for the reversed one. NaN if all runs are tied in
        `first` or in `second`.

    Source: Kendall: The treatment of ties in ranking problems. Biometrika 33, 1945.

    Examples
    --------
    >>> round(kendall_tau([0.9, 0.8, 0.7, 0.6], [0.9, 0.7, 0.8, 0.6]), 6)  # one of six pairs is discordant
    0.666667
    """
    x, y = _pairs_without_nan(first, second)
    upper_triangle = np.triu_indices(len(x), 1)
    sign_x, sign_y = (np.sign(values[:, None] - values[None, :])[upper_triangle] for values in (x, y))
    # tau-b: the geometric mean of the numbers of pairs that are not tied in either order.
    normaliser = float(np.sqrt(float(np.sum(sign_x != 0)) * float(np.sum(sign_y != 0))))
    return float(np.sum(sign_x * sign_y)) / normaliser if normaliser else float("nan")


def tau_ap(truth: ArrayLike, guess: ArrayLike) -> float:
    """AP rank correlation: Kendall's tau with more weight on the best runs.

    The share of runs correctly ranked above a run, averaged over all runs but the first and scaled to [-1, 1].

    Parameters
    ----------
    truth, guess : (R,) float64, higher is better. Runs that are NaN in either are ignored. Not symmetric: `guess` is
        compared with `truth`. The result is the mean over all orders of runs that are tied in either: a pair tied in
        `truth` counts half.

    Returns
    -------
    float
        In [-1, 1], as `kendall_tau`; NaN with fewer than two runs.

    Source: Yilmaz, Aslam, Robertson: A new rank correlation coefficient for information retrieval. SIGIR 2008. Ties:
    Urbano, Marrero: The treatment of ties in AP correlation. ICTIR 2017 (tau_AP,a).

    Examples
    --------
    >>> round(tau_ap([4, 3, 2, 1], [3, 4, 2, 1]), 6), round(tau_ap([4, 3, 2, 1], [4, 3, 1, 2]), 6)
    (0.333333, 0.777778)
    """
    x, y = _pairs_without_nan(truth, guess)
    if len(x) < 2:
        return float("nan")
    right = (np.sign(x[:, None] - x[None, :]) + 1.0) / 2.0  # [i, j]: 1 if run i is above run j in `truth`
    higher, tied = y[:, None] > y[None, :], y[:, None] == y[None, :]
    np.fill_diagonal(tied, False)
    total = 0.0
    for run, (n_higher, n_tied) in enumerate(zip(higher.sum(axis=0), tied.sum(axis=0), strict=True)):
        n_right, right_of_tied = right[higher[:, run], run].sum(), right[tied[:, run], run].sum() / max(n_tied, 1)
        # Each number of tied runs above this one is equally likely, and so are the runs that they are.
        above = np.arange(n_tied + 1)
        shares = (n_right + above * right_of_tied) / np.maximum(n_higher + above, 1)
        # The mean over all orders of the tied runs, by counts instead of enumerating the permutations.
        total += float(shares.mean())  # 0 for the first rank, above which there is no run
    # The probability of a right pair, scaled from [0, 1] to [-1, 1] (Yilmaz et al.).
    return 2.0 * total / (len(x) - 1) - 1.0


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


#: Items that are compared in pairs when smaller ones are counted; the earlier ones are sorted.
PREFIX_BLOCK = 64


def tau_ap_of_ranks(ranks: NDArray[np.int64]) -> tuple[float, float]:
    """AP rank correlation of two lists of the same items with the first one as the truth, and with the second.

    Parameters
    ----------
    ranks : (n,) int64, ranks in the second list from 0 on, a permutation, in the order of the first list.

    Returns
    -------
    tuple of float
        In [-1, 1], as `tau_ap` without ties, but in less than quadratic time; NaN with fewer than two items.

    Examples
    --------
    >>> [round(value, 6) for value in tau_ap_of_ranks(np.array([1, 0, 2, 3]))]
    [0.333333, 0.333333]
    """
    n = len(ranks)
    if n < 2:
        return float("nan"), float("nan")
    # Items before one in both lists: the same number whichever list is the truth.
    before, earlier = np.zeros(n, np.int64), ranks[:0]
    for start in range(0, n, PREFIX_BLOCK):
        block = ranks[start : start + PREFIX_BLOCK]
        inside = np.tril(block[None, :] < block[:, None], -1).sum(axis=1)
        before[start : start + PREFIX_BLOCK] = np.searchsorted(earlier, block) + inside
        earlier = np.sort(np.concatenate([earlier, block]))
    of_second, of_first = (float(np.sum(before / np.maximum(above, 1))) for above in (ranks, np.arange(n)))
    return 2.0 * of_second / (n - 1) - 1.0, 2.0 * of_first / (n - 1) - 1.0


def _pairs_without_nan(first: ArrayLike, second: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    x, y = np.asarray(first, np.float64), np.asarray(second, np.float64)
    defined = ~np.isnan(x) & ~np.isnan(y)
    return x[defined], y[defined]
