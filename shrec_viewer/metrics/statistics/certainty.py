"""How sure an order of runs is: places in resamples, bounds of ranks, equivalence, and the queries that are needed."""

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shrec_viewer.metrics.statistics.bootstrap import EQUAL_MEANS
from shrec_viewer.metrics.statistics.significance import SIGNIFICANCE_LEVEL

Floats = NDArray[np.float64]

#: Coverage of the intervals of places, and of two one-sided tests at 5 %.
PLACE_CONFIDENCE, EQUIVALENCE_CONFIDENCE = 0.95, 0.9

#: Probability with which a number of queries finds the difference.
POWER = 0.8


def places_of(means: Floats, *, higher_is_better: bool = True) -> NDArray[np.int64]:
    """(..., R) places of the runs by means (..., R): 1 + number of better runs; equal ones share the better place.

    Examples
    --------
    >>> places_of(np.array([[0.5, 0.7, 0.5], [0.2, 0.1, 0.3]])).tolist()
    [[2, 1, 2], [2, 3, 1]]
    """
    heights = means if higher_is_better else -means
    better = [(heights > heights[..., [run]] + EQUAL_MEANS).sum(axis=-1) for run in range(means.shape[-1])]
    return 1 + np.stack(better, axis=-1).astype(np.int64)


def rank_intervals(places: NDArray[np.int64]) -> NDArray[np.int64]:
    """(R, 2) quantiles of the places (B, R) in resamples, 2.5 % and 97.5 %, as whole numbers.

    For nearly equal runs they do not cover their nominal 95 %: `rank_bounds` do, for all runs at once.

    Source: Hall, Miller: Using the bootstrap to quantify the authority of an empirical ranking. Annals of Statistics
    37, 2009.
    """
    tail = (1.0 - PLACE_CONFIDENCE) / 2.0
    return np.quantile(places, [tail, 1.0 - tail], axis=0, method="inverted_cdf").T.astype(np.int64)


def rank_bounds(
    means: Floats, p: Floats, *, significant: float = SIGNIFICANCE_LEVEL, higher_is_better: bool = True
) -> NDArray[np.int64]:
    """(R, 2) bounds of the ranks that hold for all runs at once: the runs significantly better and worse are counted.

    Parameters
    ----------
    means : (R,) of the runs.
    p : (R, R) of a simultaneous test of all pairs, such as `randomised_tukey`.

    Source: Mogstad, Romano, Shaikh, Wilhelm: Inference for ranks with applications to mobility across neighbourhoods
    and academic achievement across countries. Review of Economic Studies 91, 2024.

    Examples
    --------
    >>> rank_bounds(np.array([0.9, 0.8, 0.2]), np.array([[1, 0.4, 0.01], [0.4, 1, 0.02], [0.01, 0.02, 1]])).tolist()
    [[1, 2], [1, 2], [3, 3]]
    """
    heights = means if higher_is_better else -means
    differ = p <= significant
    better = (differ & (heights[None, :] > heights[:, None])).sum(axis=1)
    worse = (differ & (heights[None, :] < heights[:, None])).sum(axis=1)
    return np.stack([1 + better, len(means) - worse], axis=1)


def first_place_shares(places: NDArray[np.int64]) -> Floats:
    """(R,) share of the resamples (B, R) in which a run is first; several first ones share it, so that the sum is 1.

    It is no probability that the method is the best: in a close field it is too large.
    """
    first = places == 1
    return (first / first.sum(axis=1, keepdims=True)).mean(axis=0)


def share_above(differences: Floats) -> float:
    """Share of the resampled differences (B,) above 0; equal ones count half. It is no p-value."""
    above, equal = differences > EQUAL_MEANS, np.abs(differences) <= EQUAL_MEANS
    return float(np.mean(above) + np.mean(equal) / 2.0)


def is_equivalent(differences: Floats, rope: float) -> bool:
    """Whether the 90 % percentile interval of resampled differences (B,) is within ``±rope``: two one-sided tests.

    Source: Schuirmann: A comparison of the two one-sided tests procedure and the power approach for assessing the
    equivalence of average bioavailability. Journal of Pharmacokinetics and Biopharmaceutics 15, 1987.
    """
    tail = (1.0 - EQUIVALENCE_CONFIDENCE) / 2.0
    low, high = np.quantile(differences, [tail, 1.0 - tail])
    return bool(-rope < low and high < rope)


def queries_needed(effect: float) -> int | None:
    """Queries with which a paired t-test at 5 % finds a difference with a probability of 80 %; None for no difference.

    Parameters
    ----------
    effect : mean difference in standard deviations of the differences, if both are as observed; NaN and 0: None.

    Source: the normal approximation of the power of the t-test with the correction of Guenther: Sample size formulas
    for normal theory t tests. The American Statistician 35, 1981. It is exact up to an effect of 1.5.

    Examples
    --------
    >>> queries_needed(0.5), queries_needed(-0.5), queries_needed(20.0), queries_needed(0.0)
    (34, 34, 2, None)
    """
    if effect == 0 or math.isnan(effect):
        return None
    normal = NormalDist()
    level, power = normal.inv_cdf(1.0 - SIGNIFICANCE_LEVEL / 2.0), normal.inv_cdf(POWER)
    return max(2, math.ceil((level + power) ** 2 / effect**2 + level**2 / 2.0))


def mean_ranks(values: ArrayLike, *, higher_is_better: bool = True) -> Floats:
    """(R,) mean over the queries of the ranks of the runs by their values (R, n); equal values share the mean rank.

    Examples
    --------
    >>> mean_ranks([[0.9, 0.5], [0.1, 0.5]]).tolist()
    [1.25, 1.75]
    """
    table = np.asarray(values, np.float64).T
    best, worst = (places_of(sign * table, higher_is_better=higher_is_better) for sign in (1.0, -1.0))
    return ((best + len(table.T) + 1 - worst) / 2.0).mean(axis=0)


def critical_difference(runs: int, queries: int) -> float:
    """Difference of two mean ranks from which runs differ significantly (5 %) in the test of Nemenyi.

    Source: Demšar: Statistical comparisons of classifiers over multiple data sets. Journal of Machine Learning Research
    7, 2006. With mean ranks the result for two runs depends on the others (Benavoli, Corani, Mangili 2016).

    Examples
    --------
    >>> round(critical_difference(4, 14), 2)  # Demšar, section 3.2.2: 1.25
    1.25
    """
    return studentised_range(runs) / math.sqrt(2.0) * math.sqrt(runs * (runs + 1) / (6.0 * queries))


def studentised_range(runs: int, level: float = SIGNIFICANCE_LEVEL) -> float:
    """Upper quantile of the range of as many independent standard normal numbers."""
    z = np.linspace(-8.0, 8.0, 1601)
    normal = NormalDist()
    density, below = (np.array([function(float(x)) for x in z]) for function in (normal.pdf, normal.cdf))
    low, high = 0.0, 16.0
    while high - low > 1e-6:
        middle = (low + high) / 2.0
        inside = below - np.interp(z - middle, z, below, left=0.0)
        share = runs * float(np.sum(density * inside ** (runs - 1))) * float(z[1] - z[0])
        low, high = (middle, high) if share < 1.0 - level else (low, middle)
    return low
