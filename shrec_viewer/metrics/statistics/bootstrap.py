"""Bootstrap confidence intervals over queries or classes."""

from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

SEED = 2006
"""Start of every random sequence unless another is asked for: any number does, one number makes results repeatable."""

RESAMPLES = 10_000
"""Resamples of a bootstrap: the ends of a 95 % interval then vary by about 1 % of its width."""

CELLS = 1 << 20
"""Random numbers drawn at a time, 8 MB. The sequence is the same however it is cut."""

IntervalMethod = Literal["bca", "percentile"]
"""``"percentile"``: quantiles of the resampled means. ``"bca"``: the same, corrected for bias and for skewness."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ConfidenceInterval:
    """Where a mean lies.

    Attributes
    ----------
    mean : of the values at hand.
    low, high : ends; NaN where fewer than two units were there to resample.
    confidence : share of samples whose interval covers the true mean, asked for.
    method : see `IntervalMethod`.
    units : how many queries, or classes, were resampled.
    resamples, seed : what to repeat to get the same numbers.
    """

    mean: float
    low: float
    high: float
    confidence: float
    method: IntervalMethod
    units: int
    resamples: int
    seed: int


def bootstrap_interval(
    values: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    confidence: float = 0.95,
    method: IntervalMethod = "bca",
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> ConfidenceInterval:
    """An interval for the mean of some values; for a difference of two runs, of their differences query by query.

    Parameters
    ----------
    values : (n,) float64, one a query; NaN, undefined, is left out.
    clusters : (n,) int, class of each query. Whole classes are then resampled: queries of one class resemble each
        other, so single ones would make the interval too narrow. None, or a negative number for a query of no class:
        the query is a unit of its own.
    confidence : between 0 and 1.
    method : see `IntervalMethod`.
    resamples, seed : how often, and the start of the random sequence.

    Returns
    -------
    Interval
        All NaN without values.

    Source: Efron, Tibshirani: An introduction to the bootstrap. Chapman & Hall 1993, chapters 13 and 14.

    Examples
    --------
    >>> found = bootstrap_interval([0.1, 0.4, 0.4, 0.8], method="percentile")
    >>> round(found.mean, 3), round(found.low, 3), round(found.high, 3)
    (0.425, 0.175, 0.7)
    """
    sums, sizes = _resampling_units(np.asarray(values, np.float64), clusters)
    n_units = len(sums)
    mean = float(np.sum(sums) / np.sum(sizes)) if n_units else float("nan")
    low = high = float("nan")
    if n_units >= 2:
        means = _resampled_means(sums, sizes, resamples, seed)
        tail = (1.0 - confidence) / 2.0
        levels = (tail, 1.0 - tail)
        if method == "bca":
            levels = _bca_levels(levels, mean, means, sums, sizes)
        low, high = (float(end) for end in np.quantile(means, levels))
    return ConfidenceInterval(mean, low, high, confidence, method, n_units, resamples, seed)


def resampling_unit(clusters: ArrayLike) -> Literal["query", "class"]:
    """``"class"`` where there are two classes or more and every one has more than one query, else ``"query"``.

    With one query a class the two are the same; with a class of one, whole classes weigh very unequally.
    """
    labels = np.asarray(clusters)
    _, counts = np.unique(labels[labels >= 0], return_counts=True)
    return "class" if len(counts) > 1 and np.all(counts > 1) and np.all(labels >= 0) else "query"


def _resampling_units(values: Floats, clusters: ArrayLike | None) -> tuple[Floats, Floats]:
    """Sum and number of the values of each unit that is resampled as a whole."""
    defined = ~np.isnan(values)
    if clusters is None:
        return values[defined], np.ones(int(defined.sum()))
    labels = np.asarray(clusters, np.int64)[defined]
    alone = labels < 0
    labels = np.where(alone, labels.max(initial=0) + 1 + np.cumsum(alone), labels)
    _, unit = np.unique(labels, return_inverse=True)
    return np.bincount(unit, weights=values[defined]).astype(np.float64), np.bincount(unit).astype(np.float64)


def _resampled_means(sums: Floats, sizes: Floats, resamples: int, seed: int) -> Floats:
    """(B,) means of samples of as many units, drawn with replacement."""
    random = np.random.default_rng(seed)
    n_units = len(sums)
    at_once = max(1, CELLS // n_units)
    same_size = bool(np.all(sizes == sizes[0]))
    means = np.empty(resamples)
    for start in range(0, resamples, at_once):
        stop = min(start + at_once, resamples)
        # One number of the sequence a draw, so that where it is cut makes no difference.
        picked = (random.random((stop - start, n_units)) * n_units).astype(np.intp)
        total = sums[picked].sum(axis=1)
        means[start:stop] = total / (sizes[0] * n_units if same_size else sizes[picked].sum(axis=1))
    return means


def _bca_levels(
    levels: tuple[float, float], mean: float, means: Floats, sums: Floats, sizes: Floats
) -> tuple[float, float]:
    """Levels of the quantiles, moved for bias (share of means below) and skewness (by leaving out one unit each)."""
    normal = NormalDist()
    below = float(np.mean(means < mean) + np.mean(means <= mean)) / 2.0
    if not 0.0 < below < 1.0:
        return levels  # all on one side: there is nothing to measure a bias by
    bias = normal.inv_cdf(below)
    without = (np.sum(sums) - sums) / (np.sum(sizes) - sizes)
    away = without.mean() - without
    spread = float(np.sum(away**2))
    skewness = float(np.sum(away**3)) / (6.0 * spread**1.5) if spread > 0 else 0.0

    def moved(level: float) -> float:
        z = bias + normal.inv_cdf(level)
        scale = 1.0 - skewness * z
        return normal.cdf(bias + z / scale) if scale > 0 else float(z > 0)

    return moved(levels[0]), moved(levels[1])
