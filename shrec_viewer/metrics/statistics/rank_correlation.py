"""Rank correlation of two orders of the runs: tau-b and tau-ap."""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def kendall_tau(first: ArrayLike, second: ArrayLike) -> float:
    """Share of pairs of runs in the same order minus share in the opposite one, corrected for ties (tau-b).

    Parameters
    ----------
    first, second : (R,) float64, for example two measures of the same runs. Runs that are NaN in either are left out.

    Returns
    -------
    float
        In [-1, 1]: 1 the same order, 0 unrelated, -1 reversed. NaN where one of the two does not tell any runs apart.

    Source: Kendall: The treatment of ties in ranking problems. Biometrika 33, 1945.

    Examples
    --------
    >>> round(kendall_tau([0.9, 0.8, 0.7, 0.6], [0.9, 0.7, 0.8, 0.6]), 6)  # one of six pairs swapped
    0.666667
    """
    x, y = _both(first, second)
    above = np.triu_indices(len(x), 1)
    in_x, in_y = (np.sign(values[:, None] - values[None, :])[above] for values in (x, y))
    told = float(np.sqrt(float(np.sum(in_x != 0)) * float(np.sum(in_y != 0))))
    return float(np.sum(in_x * in_y)) / told if told else float("nan")


def tau_ap(truth: ArrayLike, guess: ArrayLike) -> float:
    """Kendall's tau that minds swaps among the best runs more: the mean share of runs rightly above each one.

    Parameters
    ----------
    truth, guess : (R,) float64, higher is better. Runs that are NaN in either are left out. Not symmetric: the order to
        judge is `guess`. A pair that is tied in the truth counts half; runs tied in the guess stand in the order given.

    Returns
    -------
    float
        In [-1, 1], as `kendall_tau`; NaN with fewer than two runs.

    Source: Yilmaz, Aslam, Robertson: A new rank correlation coefficient for information retrieval. SIGIR 2008.

    Examples
    --------
    >>> round(tau_ap([4, 3, 2, 1], [3, 4, 2, 1]), 6), round(tau_ap([4, 3, 2, 1], [4, 3, 1, 2]), 6)
    (0.333333, 0.777778)
    """
    x, y = _both(truth, guess)
    if len(x) < 2:
        return float("nan")
    x = x[np.argsort(-y, kind="stable")]
    right = (np.sign(x[:, None] - x[None, :]) + 1.0) / 2.0  # [i, j]: run i, guessed above run j, is above it
    above = np.triu(right, 1).sum(axis=0)[1:]
    return float(2.0 * np.mean(above / np.arange(1, len(x))) - 1.0)


def _both(first: ArrayLike, second: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    x, y = np.asarray(first, np.float64), np.asarray(second, np.float64)
    defined = ~np.isnan(x) & ~np.isnan(y)
    return x[defined], y[defined]
