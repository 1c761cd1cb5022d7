"""Bounds and estimates from incomplete relevance assessments."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shrec_viewer.metrics.generality.hypergeometric import hypergeometric
from shrec_viewer.metrics.statistics.bootstrap import SEED


@dataclass(frozen=True)
class ValueRange:
    """Lowest and highest possible value; both NaN if undefined."""

    low: float
    high: float


@dataclass(frozen=True)
class Bounds:
    """Bounds that follow from judging only the first s ranks of one list.

    Attributes
    ----------
    precision : v / s, known; NaN where s = 0.
    recall : at least v / (d - s + v), if all unjudged models are relevant; at most 1, if none is. NaN if no relevant
        model was found and all are judged; 0 if none was found and some are not judged.
    generality : from v / d to (v + d - s) / d.
    class_size : from v to v + d - s.
    """

    precision: float
    recall: ValueRange
    generality: ValueRange
    class_size: ValueRange


def bounds(found: int, scope: int, collection: int) -> Bounds:
    """Bounds on the measures when the first ranks of a list are judged.

    Parameters
    ----------
    found : v, number of relevant models in the first s ranks.
    scope : s, number of ranks judged.
    collection : d, number of models that could be retrieved, without the query itself.

    Raises
    ------
    ValueError
        Unless 0 <= found <= scope <= collection.

    Source: Sebe, Huijsmans, Tian, Gevers, section 5.

    Examples
    --------
    >>> known = bounds(found=22, scope=100, collection=1814)
    >>> round(known.recall.low, 4), round(known.generality.low, 4), round(known.generality.high, 3)
    (0.0127, 0.0121, 0.957)
    """
    _check_parts(found, scope, collection)
    # If every model outside the scope is relevant.
    highest = found + collection - scope
    return Bounds(
        precision=_ratio(found, scope),
        recall=_recall(found, ValueRange(found, highest)),
        generality=ValueRange(_ratio(found, collection), _ratio(highest, collection)),
        class_size=ValueRange(float(found), float(highest)),
    )


@dataclass(frozen=True)
class Estimate:
    """Estimates from a random sample of the unjudged models.

    Attributes
    ----------
    class_size, recall, generality : point estimates; NaN if undefined.
    class_size_range, recall_range, generality_range : confidence intervals.
    confidence : as given; the coverage is at least that.
    """

    class_size: float
    recall: float
    generality: float
    class_size_range: ValueRange
    recall_range: ValueRange
    generality_range: ValueRange
    confidence: float


def estimate(
    found: int, scope: int, collection: int, *, judged: int, relevant: int, confidence: float = 0.95
) -> Estimate:
    """Class size, recall and generality from a random sample of the models outside the scope.

    All s ranks of the scope are judged, and a uniform random sample of the d - s other models. For the same number of
    judgements the interval is narrower than that of a sample of the whole collection, as proposed by the source.

    Parameters
    ----------
    found, scope, collection : v, s and d as in `bounds`.
    judged : n, size of the sample, drawn without replacement from the models outside the scope; see `sample`.
    relevant : x, number of relevant models in the sample.
    confidence : between 0 and 1. The interval is exact and conservative.

    Returns
    -------
    Estimate
        The estimate of the class size is v + (d - s) x / n: NaN if nothing was judged outside a smaller scope.

    Raises
    ------
    ValueError
        If a part is larger than the whole.

    Examples
    --------
    >>> found = estimate(22, 100, 1814, judged=300, relevant=2)
    >>> round(found.class_size, 1), found.class_size_range
    (33.4, ValueRange(low=24.0, high=60.0))
    """
    _check_parts(found, scope, collection)
    outside = collection - scope
    _check_parts(relevant, judged, outside)
    outside_range = confidence_range(outside, judged, relevant, confidence)
    estimated_size = found + (outside * _ratio(relevant, judged) if outside else 0.0)
    sizes = ValueRange(found + outside_range.low, found + outside_range.high)
    return Estimate(
        class_size=estimated_size,
        recall=_ratio(found, estimated_size),
        generality=_ratio(estimated_size, collection),
        class_size_range=sizes,
        recall_range=_recall(found, sizes),
        generality_range=ValueRange(_ratio(sizes.low, collection), _ratio(sizes.high, collection)),
        confidence=confidence,
    )


@lru_cache(maxsize=1000)
def confidence_range(population: int, judged: int, relevant: int, confidence: float = 0.95) -> ValueRange:
    """Exact confidence interval for the number of relevant models in a population, from a random sample.

    Contains all numbers under which neither a sample with at least `relevant` nor one with at most `relevant` relevant
    models has a probability of ``(1 - confidence) / 2`` or less (Clopper-Pearson, for draws without replacement).

    Returns
    -------
    ValueRange
        Whole numbers from `relevant` to ``population - judged + relevant``; exactly these if nothing was judged.

    Raises
    ------
    ValueError
        Unless 0 <= relevant <= judged <= population.
    """
    _check_parts(relevant, judged, population)
    tail = (1.0 - confidence) / 2.0
    lowest, highest = relevant, population - judged + relevant

    def is_high_enough(marked: int) -> bool:
        """Whether at least `relevant` models in the sample are probable enough; monotone in `marked`."""
        # Clopper-Pearson: the lower limit is 0 where none was found, without a test.
        return relevant == 0 or 1.0 - _probability_at_most(relevant - 1, population, marked, judged) > tail

    def is_too_high(marked: int) -> bool:
        return not _probability_at_most(relevant, population, marked, judged) > tail

    low = _first_true(is_high_enough, lowest, highest)
    # Both conditions are monotone in the number of relevant models, so a binary search finds the limits exactly.
    high = _first_true(is_too_high, low, highest + 1) - 1
    return ValueRange(float(low), float(max(high, low)))


def sample(models: ArrayLike, judged: int, seed: int = SEED) -> NDArray[np.int64]:
    """(n,) int64, uniform random sample without replacement of the models to judge, in the order drawn.

    A larger sample with the same seed starts with the smaller one, so that earlier judgements can be reused.
    """
    candidates = np.asarray(models, np.int64)
    _check_parts(0, judged, len(candidates))
    # A permutation, not choice(size=…): its beginning does not depend on the number drawn.
    return np.random.default_rng(seed).permutation(candidates)[:judged]


def _probability_at_most(count: int, population: int, marked: int, drawn: int) -> float:
    found = hypergeometric(population, marked, drawn)
    return float(found.at_most(np.array([count]), np.array([0]))[0])


def _first_true(holds: Callable[[int], bool], low: int, high: int) -> int:
    """Smallest number from `low` for which the monotone `holds` is true; `high` if there is none."""
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low


def _recall(found: int, sizes: ValueRange) -> ValueRange:
    """Recall for a range of class sizes; undefined for class size 0."""
    return ValueRange(_ratio(found, sizes.high), _ratio(found, sizes.low) if found else _ratio(found, sizes.high))


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole > 0 else float("nan")


def _check_parts(part: int, whole: int, total: int) -> None:
    if not 0 <= part <= whole <= total:
        raise ValueError(f"{part} of {whole} of {total}: each number must be at most the next")
