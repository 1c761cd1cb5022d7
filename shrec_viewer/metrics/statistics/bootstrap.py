"""Bootstrap confidence intervals over queries or classes."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import frexp
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

#: Default seed of the random generators; fixed so that results are reproducible.
SEED = 2006

#: Bootstrap resamples: the limits of a 95 % interval then vary by about 1 % of its width.
RESAMPLES = 10_000

#: Random numbers drawn at a time, 8 MB. The sequence does not depend on it.
CELLS = 1 << 20

#: Difference up to which two means are equal: rounding of sums of a few thousand terms is below.
EQUAL_MEANS = 1e-12

#: Sums are made in units of which none needs more bits than a float64 has (53).
EXACT_BITS = 52

#: ``"percentile"``: quantiles of the resampled means. ``"bca"``: the same, corrected for bias and skewness.
IntervalMethod = Literal["bca", "percentile"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ConfidenceInterval:
    """Confidence interval of a mean.

    Attributes
    ----------
    mean : of the values.
    low, high : limits; NaN with fewer than two queries, or classes, to resample.
    confidence : nominal coverage.
    method : see `IntervalMethod`.
    units : number of queries, or classes, resampled.
    resamples, seed : parameters to reproduce the interval.
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
    """Bootstrap confidence interval of the mean of values by query, such as scores or differences of two runs.

    Parameters
    ----------
    values : (n,) float64, one per query; NaN (undefined) is ignored.
    clusters : (n,) int, class of each query. Whole classes are then resampled: queries of one class are correlated, so
        resampling single queries makes the interval too narrow. None resamples queries; a query with a negative number
        has no class and is a separate unit.
    confidence : between 0 and 1.
    method : see `IntervalMethod`.
    resamples, seed : number of resamples, and seed of the random generator.

    Returns
    -------
    ConfidenceInterval
        All NaN without values.

    Source: Efron, Tibshirani: An introduction to the bootstrap. Chapman & Hall 1993, chapters 13 and 14.

    Examples
    --------
    >>> found = bootstrap_interval([0.1, 0.4, 0.4, 0.8], method="percentile")
    >>> round(found.mean, 3), round(found.low, 3), round(found.high, 3)
    (0.425, 0.175, 0.7)
    """
    table = np.asarray(values, np.float64)
    defined = ~np.isnan(table)
    labels = None if clusters is None else np.asarray(clusters)[defined]
    drawn = resampled_means(table[None, defined], labels, resamples=resamples, seed=seed)
    return drawn.interval(np.ones(1), confidence=confidence, method=method)


@dataclass(frozen=True, eq=False)
class ResampledMeans:
    """Means of several runs in the same resamples.

    Attributes
    ----------
    sums : (R, U) float64, sum of the values of each unit.
    sizes : (U,) float64, number of values of each unit.
    means : (B, R) float64; (0, R) with fewer than two units, which have no spread to resample.
    resamples, seed : parameters to reproduce them.
    """

    sums: Floats
    sizes: Floats
    means: Floats
    resamples: int
    seed: int

    def interval(
        self, weights: Floats, *, confidence: float = 0.95, method: IntervalMethod = "bca"
    ) -> ConfidenceInterval:
        """Interval of a weighted sum of the means: with 1 and -1 of a difference, that of the differences by query."""
        sums, n_units, low, high = weights @ self.sums, len(self.sizes), float("nan"), float("nan")
        mean = float(np.sum(sums) / np.sum(self.sizes)) if n_units else float("nan")
        if len(self.means):
            means = self.means @ weights
            tail = (1.0 - confidence) / 2.0
            levels = (tail, 1.0 - tail)
            if method == "bca":
                levels = _bca_levels(levels, mean, means, sums, self.sizes)
            low, high = (float(end) for end in np.quantile(means, levels))
        return ConfidenceInterval(mean, low, high, confidence, method, n_units, self.resamples, self.seed)


def resampled_means(
    values: Floats,
    clusters: ArrayLike | None = None,
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    checkpoint: Callable[[], None] | None = None,
) -> ResampledMeans:
    """Means of runs over samples of queries, or of whole classes, drawn with replacement, the same ones for all runs.

    Parameters
    ----------
    values : (R, n) float64 without NaN.
    clusters, resamples, seed : as in `bootstrap_interval`.
    checkpoint : called before each block of work; may raise an exception to cancel.
    """
    sums, sizes = _resampling_units(values, clusters)
    means = np.empty((resamples if len(sizes) > 1 else 0, len(values)))
    # In whole units, whose sums are exact in any order: the result depends on no block size and no machine.
    unit = 2.0 ** (frexp(float(np.abs(sums).max(initial=0.0)) * len(sizes))[1] - EXACT_BITS)
    units = np.round(sums.T / unit)
    for start, counts in _drawn_counts(len(sizes), len(means), seed):
        if checkpoint is not None:
            checkpoint()
        means[start : start + len(counts)] = unit * (counts @ units) / (counts @ sizes)[:, None]
    return ResampledMeans(sums, sizes, means, resamples, seed)


#: Resamples for a difference of two sets of queries, of which there are dozens: limits vary by 2 % of the width.
SLICE_RESAMPLES = 2_000


def difference_intervals(
    values: Floats,
    inside: NDArray[np.bool_],
    *,
    confidence: float = 0.95,
    resamples: int = SLICE_RESAMPLES,
    seed: int = SEED,
) -> Floats:
    """Percentile intervals of the mean of some queries less that of the others, resampling both separately.

    Parameters
    ----------
    values : (R, Q) float64, one row per run; NaN (undefined) is ignored.
    inside : (Q,) bool, the queries of the first mean.

    Returns
    -------
    (2, R) float64
        Lower and upper limits.

    Source: Efron, Tibshirani: An introduction to the bootstrap. Chapman & Hall 1993, chapter 8 (two samples).
    """
    random, means = np.random.default_rng(seed), []
    for sample in (values[:, inside], values[:, ~inside]):
        n = sample.shape[1]
        drawn = (random.random((resamples, n)) * n).astype(np.intp) + np.arange(resamples)[:, None] * n
        counts = np.bincount(drawn.ravel(), minlength=resamples * n).reshape(resamples, n).T.astype(np.float64)
        sums, sizes = np.nan_to_num(sample) @ counts, (~np.isnan(sample)).astype(np.float64) @ counts
        means.append(np.divide(sums, sizes, out=np.full(sums.shape, np.nan), where=sizes > 0))
    tail = (1.0 - confidence) / 2.0
    return np.nanquantile(means[0] - means[1], [tail, 1.0 - tail], axis=1)


def resampling_unit(clusters: ArrayLike) -> Literal["query", "class"]:
    """``"class"`` if there are at least two classes and each has more than one query, else ``"query"``.

    With one query per class the two are equal; with some classes of one query, classes have very different weights.
    """
    labels = np.asarray(clusters)
    _, counts = np.unique(labels[labels >= 0], return_counts=True)
    return "class" if len(counts) > 1 and np.all(counts > 1) and np.all(labels >= 0) else "query"


def _resampling_units(values: Floats, clusters: ArrayLike | None) -> tuple[Floats, Floats]:
    """(R, U) sums and (U,) number of the values (R, n) of each unit."""
    if clusters is None:
        return values, np.ones(values.shape[1])
    labels = np.asarray(clusters, np.int64)
    without_class = labels < 0
    # Distinct new numbers, so that each query without a class is resampled alone.
    labels = np.where(without_class, labels.max(initial=0) + 1 + np.cumsum(without_class), labels)
    _, unit = np.unique(labels, return_inverse=True)
    sizes = np.bincount(unit).astype(np.float64)
    sums = [np.bincount(unit, weights=row, minlength=len(sizes)) for row in values]
    return np.array(sums, np.float64).reshape(len(values), len(sizes)), sizes


def _drawn_counts(n_units: int, resamples: int, seed: int) -> Iterator[tuple[int, Floats]]:
    """First sample of each block, and (rows, U) how often each unit is in each of its samples of as many units."""
    random = np.random.default_rng(seed)
    block_size = max(1, CELLS // max(n_units, 1))
    for start in range(0, resamples, block_size):
        rows = min(block_size, resamples - start)
        # One random number per draw, so that the result does not depend on the block size.
        drawn = (random.random((rows, n_units)) * n_units).astype(np.intp) + np.arange(rows)[:, None] * n_units
        yield start, np.bincount(drawn.ravel(), minlength=rows * n_units).reshape(rows, n_units).astype(np.float64)


def _bca_levels(
    levels: tuple[float, float], mean: float, means: Floats, sums: Floats, sizes: Floats
) -> tuple[float, float]:
    """Quantile levels corrected for bias (share of means below) and skewness (jackknife over units)."""
    from statistics import NormalDist  # here: it imports decimal arithmetic, which few commands need

    normal = NormalDist()
    # Equal means count half: with few distinct scores many resamples equal the mean, up to the rounding of sums.
    rounding = EQUAL_MEANS * max(1.0, float(np.abs(means).max()))
    below = float(np.mean(means < mean - rounding) + np.mean(means <= mean + rounding)) / 2.0
    if not 0.0 < below < 1.0:
        return levels  # all means are on one side of the mean: the bias cannot be estimated
    bias = normal.inv_cdf(below)
    jackknife_means = (np.sum(sums) - sums) / (np.sum(sizes) - sizes)
    deviations = jackknife_means.mean() - jackknife_means
    # The acceleration of Efron and Tibshirani, equation 14.15: skewness of the jackknife means divided by 6.
    sum_of_squares = float(np.sum(deviations**2))
    skewness = float(np.sum(deviations**3)) / (6.0 * sum_of_squares**1.5) if sum_of_squares > 0 else 0.0

    def corrected(level: float) -> float:
        z = bias + normal.inv_cdf(level)
        scale = 1.0 - skewness * z
        # Their equation 14.10; at a scale of 0 it has a pole, beyond which the level is 0 or 1.
        return normal.cdf(bias + z / scale) if scale > 0 else float(z > 0)

    return corrected(levels[0]), corrected(levels[1])
