"""Hypergeometric distributions, computed without factorials."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

#: Tail probabilities below exp(-45) = 3e-20 are dropped: they are below the resolution of a sum near 1.
LOG_NEGLIGIBLE = 45.0

#: Number of probabilities computed at a time: 1 MB, which fits the second-level cache of a core. Larger and smaller
#: blocks were slower.
CELLS = 1 << 17


@dataclass(frozen=True, eq=False)
class HypergeometricDistributions:
    """The distributions of n counts, one per column.

    Attributes
    ----------
    first : (n,) int64, the count of row 0, which may be impossible (probability 0).
    probability : (W, n) float64 in [0, 1], probability of the count ``first + row``; every column sums to 1.
    """

    first: NDArray[np.int64]
    probability: NDArray[np.float64]

    @cached_property
    def _at_most(self) -> NDArray[np.float64]:
        below = np.cumsum(self.probability, axis=0)
        return np.divide(below, below[-1], out=below)  # exactly 1 at and above the highest possible count

    def at_most(self, count: NDArray[np.int64], column: NDArray[np.intp]) -> NDArray[np.float64]:
        """Probability that the count of `column` is at most `count`; both have the shape of the result."""
        row = count - self.first[column]
        last = len(self.probability) - 1
        inside = np.take(self._at_most.ravel(), np.clip(row, 0, last) * self.probability.shape[1] + column)
        return np.where(row < 0, 0.0, np.where(row >= last, 1.0, inside))


def hypergeometric(population: ArrayLike, marked: ArrayLike, drawn: ArrayLike) -> HypergeometricDistributions:
    """The hypergeometric distributions of the number of marked models in a sample drawn without replacement.

    Parameters
    ----------
    population : (n,) int, number of models.
    marked : (n,) int in [0, population].
    drawn : (n,) float in [0, population], size of the sample. A fractional size means its whole part, plus one more
        draw with the probability of its fraction, so that expectations are linear between whole sizes.

    Returns
    -------
    HypergeometricDistributions
        Exact to a few units in the last place: starting from the most likely count, each probability is the previous
        one times a ratio of small integers, and all are divided by their sum. There is no cancellation and
        no overflow. A certain count has probability exactly 1.0. A column does not depend on the other columns.

    Notes
    -----
    Tails are dropped where Bernstein's inequality bounds them by exp(-45). It holds since the count is distributed like
    a sum of independent events (Vatutin, Mikhailov: Limit theorems for the number of empty cells, 1982).

    Examples
    --------
    >>> hypergeometric([4], [2], [2]).probability.ravel() * 6  # two of four models are marked, two are drawn
    array([1., 4., 1.])
    """
    sizes = np.atleast_1d(np.asarray(drawn, np.float64))
    counts = np.asarray(population, np.int64), np.asarray(marked, np.int64)
    population, marked, sizes = np.broadcast_arrays(*counts, sizes)
    return _hypergeometric(population, marked, np.floor(sizes).astype(np.int64), sizes)


def _hypergeometric(
    population: NDArray[np.int64], marked: NDArray[np.int64], drawn: NDArray[np.int64], sizes: NDArray[np.float64]
) -> HypergeometricDistributions:
    lowest, highest = np.maximum(0, marked + drawn - population), np.minimum(marked, drawn)
    # The most likely count; from there both tails decrease, so products of ratios never overflow.
    mode = np.clip((drawn + 1) * (marked + 1) // (population + 2), lowest, highest)
    tail_width = _tail_width(population, marked, drawn)
    up, down = np.minimum(highest - mode, tail_width), np.minimum(mode - lowest, tail_width)
    most_likely, n_marked, n_drawn = (values.astype(np.float64) for values in (mode, marked, drawn))
    n_neither = (population - marked - drawn).astype(np.float64)

    step = np.arange(int(up.max(initial=0)), dtype=np.float64)[:, None]
    count = most_likely + step
    # P(count + 1) / P(count), and its inverse below: quotients of small integers, exact to one rounding each.
    rising = (n_marked - count) * (n_drawn - count) / ((count + 1.0) * (n_neither + count + 1.0))
    step = np.arange(int(down.max(initial=0)), dtype=np.float64)[:, None]
    count = most_likely - step
    falling = count * (n_neither + count) / ((n_marked - count + 1.0) * (n_drawn - count + 1.0))
    for ratio, steps in ((rising, up), (falling, down)):
        # All columns have the length of the longest tail; a ratio of 0 ends the product of a shorter one.
        ratio[np.arange(len(ratio))[:, None] >= steps] = 0.0
        np.cumprod(ratio, axis=0, out=ratio)
    probability = np.concatenate([falling[::-1], np.ones((1, len(mode))), rising])
    # Sequential: a pairwise sum would depend on the number of empty rows.
    probability /= np.cumsum(probability, axis=0)[-1]
    first = mode - len(falling)
    return HypergeometricDistributions(
        first, _after_one_more_draw(probability, first, population - drawn, marked, sizes - drawn)
    )


def _after_one_more_draw(
    probability: NDArray[np.float64],
    first: NDArray[np.int64],
    remaining: NDArray[np.int64],
    marked: NDArray[np.int64],
    fraction: NDArray[np.float64],
) -> NDArray[np.float64]:
    """`probability` after one more draw, made with probability `fraction`.

    The model drawn is marked with probability (marked - count) / remaining.
    """
    if not np.any(fraction):
        return probability
    count = first + np.arange(len(probability))[:, None]
    # Clipped, since rows outside the possible counts have probability 0 but any ratio.
    rises = np.clip((marked - count) * (fraction / np.maximum(remaining, 1)), 0.0, 1.0)
    after = np.zeros((len(probability) + 1, probability.shape[1]))
    after[:-1] = probability * (1.0 - rises)
    after[1:] += probability * rises
    return after


def distribution_blocks(
    population: NDArray[np.int64], marked: NDArray[np.int64], drawn: NDArray[np.float64]
) -> Iterator[tuple[slice, HypergeometricDistributions]]:
    """The distributions of many counts in blocks of limited memory; see `hypergeometric`.

    Adjacent columns should be similar: a block is as high as its widest distribution.
    """
    whole = np.floor(drawn).astype(np.int64)
    # Rows that a distribution needs at most: both tails, or all possible counts if those are fewer.
    height = np.minimum(2 * _tail_width(population, marked, whole), np.minimum(marked, whole)) + 2
    filled = np.cumsum(height)
    start = 0
    while start < len(height):
        before = int(filled[start - 1]) if start else 0
        stop = max(start + 1, int(np.searchsorted(filled, before + CELLS, side="right")))
        block = slice(start, stop)
        yield block, hypergeometric(population[block], marked[block], drawn[block])
        start = stop


def almost_surely_above(
    population: NDArray[np.int64], marked: NDArray[np.int64], drawn: NDArray[np.float64], count: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """(n,) bool, whether the sample has more than `count` marked models with probability of at least 1 - exp(-45)."""
    whole = np.floor(drawn).astype(np.int64)
    mean = marked * (whole / np.maximum(population, 1))
    return mean - _tail_width(population, marked, whole) > count


def _tail_width(
    population: NDArray[np.int64], marked: NDArray[np.int64], drawn: NDArray[np.int64]
) -> NDArray[np.int64]:
    """(n,) int64, distance from the most likely count at which the probability becomes negligible."""
    size = np.maximum(population, 1).astype(np.float64)
    marked_share, drawn_share = marked / size, drawn / size
    # Of the hypergeometric distribution, with the factor (N - n)/(N - 1) of draws without replacement.
    variance = size * marked_share * (1.0 - marked_share) * drawn_share * (1.0 - drawn_share)
    variance *= size / np.maximum(size - 1.0, 1.0)
    third = LOG_NEGLIGIBLE / 3.0
    # Bernstein: P(|X - mean| >= t) <= exp(-t^2 / (2 (variance + t / 3))); solved for t where that is exp(-45).
    distance = third + np.sqrt(third**2 + 2.0 * LOG_NEGLIGIBLE * variance)
    return np.ceil(distance).astype(np.int64) + 2  # the most likely count differs by less than 2 from the mean
