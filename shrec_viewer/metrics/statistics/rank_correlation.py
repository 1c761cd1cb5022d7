"""Rank correlation of two orders of the runs: tau-b and tau-ap."""

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
        In [-1, 1]: 1 for the same order, 0 for unrelated, -1 for reversed ones. NaN if all runs are tied in one of the
        two.

    Source: Kendall: The treatment of ties in ranking problems. Biometrika 33, 1945.

    Examples
    --------
    >>> round(kendall_tau([0.9, 0.8, 0.7, 0.6], [0.9, 0.7, 0.8, 0.6]), 6)  # one of six pairs is discordant
    0.666667
    """
    x, y = _both(first, second)
    above = np.triu_indices(len(x), 1)
    in_x, in_y = (np.sign(values[:, None] - values[None, :])[above] for values in (x, y))
    told = float(np.sqrt(float(np.sum(in_x != 0)) * float(np.sum(in_y != 0))))
    return float(np.sum(in_x * in_y)) / told if told else float("nan")


def tau_ap(truth: ArrayLike, guess: ArrayLike) -> float:
    """AP rank correlation: Kendall's tau with more weight on the best runs.

    The mean, over all runs but the first, of the share of runs correctly ranked above it.

    Parameters
    ----------
    truth, guess : (R,) float64, higher is better. Runs that are NaN in either are ignored. Not symmetric: `guess` is
        compared with `truth`. A pair that is tied in `truth` counts half; runs tied in `guess` rank in the given order.

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
    right = (np.sign(x[:, None] - x[None, :]) + 1.0) / 2.0  # [i, j]: run i, ranked above run j by `guess`, is above it
    above = np.triu(right, 1).sum(axis=0)[1:]
    return float(2.0 * np.mean(above / np.arange(1, len(x))) - 1.0)


def _both(first: ArrayLike, second: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    x, y = np.asarray(first, np.float64), np.asarray(second, np.float64)
    defined = ~np.isnan(x) & ~np.isnan(y)
    return x[defined], y[defined]
