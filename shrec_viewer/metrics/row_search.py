"""Binary search in many sorted rows at once, and the order of equal values."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

FEW = 16
"""Up to so many values are counted one by one; sorting a row of 50,000 out by groups costs as much as 50 of them."""

Rows = NDArray[np.floating]
Ints = NDArray[np.int64]


def count_below(keys: Rows, row: Ints, values: Rows) -> Ints:
    """How many keys of its row are smaller than each value; not-a-number is larger than everything, and not itself.

    Parameters
    ----------
    keys : (R, K) float, each row ascending, not-a-number last.
    row : (n,) int64, row of each value.
    values : (n,) float.

    Examples
    --------
    >>> count_below(np.array([[0.0, 1.0, 1.0, np.nan]]), np.zeros(3, int), np.array([1.0, 2.0, np.nan]))
    array([1, 3, 3])
    """
    return _counts(keys, row, values, np.less)


def count_not_above(keys: Rows, row: Ints, values: Rows) -> Ints:
    """How many keys of its row are smaller than each value or equal to it; two not-a-numbers are equal.

    Examples
    --------
    >>> count_not_above(np.array([[0.0, 1.0, 1.0, np.nan]]), np.zeros(3, int), np.array([1.0, 2.0, np.nan]))
    array([3, 3, 4])
    """
    return _counts(keys, row, values, np.less_equal)


def _counts(keys: Rows, row: Ints, values: Rows, stands_before: Callable[[Rows, Rows], NDArray[np.bool_]]) -> Ints:
    """All values halve their part of the row in step: few calls for many short searches."""
    width = keys.shape[1]
    nan = np.flatnonzero(np.isnan(values))
    flat, offset = keys.ravel(), row * width - 1
    count = np.zeros(len(values), np.int64)
    step = 1 << width.bit_length()
    while step > 1:
        step >>= 1
        further = np.minimum(count + step, width)
        count = np.where(stands_before(flat[offset + further], values), further, count)
    if len(nan) > 0:
        numbers = np.count_nonzero(~np.isnan(keys), axis=1)
        count[nan] = width if stands_before is np.less_equal else numbers[row[nan]]
    return count


def places_among_equals(distances: Rows, asked: Ints, tie_place: Ints | None = None) -> Ints:
    """(n,) how many equal distances rank before each of the asked ones.

    Parameters
    ----------
    distances : (K,) float, one row; not-a-numbers are equal to one another.
    asked : (n,) int64 columns.
    tie_place : (K,) int64, the order in which columns at the same distance rank; None for the order they stand in.

    Examples
    --------
    >>> places_among_equals(np.array([1.0, 0.0, 1.0, 1.0]), np.array([3, 0]))
    array([2, 0])
    """
    if len(asked) <= FEW and not np.any(np.isnan(distances[asked])):
        return np.array([_equals_before(distances, column, tie_place) for column in asked.tolist()], np.int64)
    if tie_place is not None:
        order = np.argsort(tie_place)
        distances, asked = distances[order], tie_place[asked]
    wanted = distances[asked]
    nan = np.isnan(wanted)
    places = np.zeros(len(asked), np.int64)
    if np.any(nan):
        places[nan] = np.cumsum(np.isnan(distances))[asked[nan]] - 1
    if np.all(nan):
        return places
    groups = np.unique(wanted[~nan])
    group = np.minimum(np.searchsorted(groups, distances), len(groups) - 1)
    equal = np.flatnonzero(groups[group] == distances)
    by_group = equal[np.argsort(group[equal], kind="stable")]
    starts = np.searchsorted(group[by_group], np.arange(len(groups)))
    place = np.empty(len(distances), np.int64)
    place[by_group] = np.arange(len(by_group)) - starts[group[by_group]]
    places[~nan] = place[asked[~nan]]
    return places


def _equals_before(distances: Rows, column: int, tie_place: Ints | None) -> int:
    if tie_place is None:
        return int(np.count_nonzero(distances[:column] == distances[column]))
    equal = np.flatnonzero(distances == distances[column])
    return int(np.count_nonzero(tie_place[equal] < tie_place[column]))
