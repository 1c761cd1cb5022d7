"""Which row of a matrix is which query, and which column which model."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Assessment
from shrec_viewer.formats.context import Context
from shrec_viewer.formats.naming import natural_order, trailing_numbers

CLASSIFICATION = "classification"
NAMES = "names"
NUMBERS = "numbers"

SAMPLED_QUERIES = 256
"""Queries whose relevant models are looked for to tell orders apart: a standard error of about 0.01."""

SAMPLED_VALUES = 2_000_000
"""Values that are sorted for it: a tenth of a second."""

FEWEST_QUERIES = 4
"""Fewer queries say nothing about an order."""

CLEAR = 4.0
"""Standard errors from which one order is believed to be better than chance, or than another: 1 in 30,000 by chance."""


@dataclass(frozen=True, eq=False)
class Order:
    """One way to read the rows and columns of a matrix.

    Attributes
    ----------
    key : "classification", "names" or "numbers", of the columns.
    said : in words.
    rows : (R,) int32, query of each row, -1 for none.
    columns : (M,) int32, model of each column, -1 for none.
    """

    key: str
    said: str
    rows: NDArray[np.int32]
    columns: NDArray[np.int32]


Candidates = dict[str, tuple[str, NDArray[np.int32]]]


def fitting_orders(shape: tuple[int, int], context: Context) -> list[Order]:
    """All different ways to read a matrix of this shape, (rows, columns); none where it does not fit.

    Where the collection queries itself, rows are read like columns.
    """
    columns = _columns(shape[1], context)
    if context.queries.are_the_collection:
        place = np.full(len(context.collection), -1, np.int32)
        place[context.queries.member] = np.arange(len(context.queries), dtype=np.int32)
        place = np.append(place, np.int32(-1))  # for columns without a model
        return [Order(key, said, place[found], found) for key, (said, found) in columns.items() if shape[0] == shape[1]]
    orders = []
    rows = _rows(shape[0], context)
    for key, (said, found) in columns.items():
        for row_key in sorted(rows, key=key.__ne__):  # rows are most likely ordered like columns
            row_said, asked = rows[row_key]
            orders.append(Order(key, f"columns: {said}; rows: {row_said}", asked, found))
    return orders


def _columns(count: int, context: Context) -> Candidates:
    ids = context.collection.ids
    found: Candidates = {}
    if count == len(ids):
        found[CLASSIFICATION] = (f"order of {context.listing}", np.arange(count, dtype=np.int32))
        found[NAMES] = ("natural order of all ids", natural_order(ids))
    elif count == len(context.models_with_file):
        found[NAMES] = (f"natural order of the {count:,} file names", context.models_with_file)
    if (numbered := _by_number(count, ids)) is not None:
        found[NUMBERS] = ("numbers in the ids", numbered)
    return _distinct(found)


def _rows(count: int, context: Context) -> Candidates:
    ids = context.queries.ids
    found: Candidates = {}
    if count == len(ids):
        found[CLASSIFICATION] = ("order of the queries", np.arange(count, dtype=np.int32))
        found[NAMES] = ("natural order of the queries", natural_order(ids))
    if (numbered := _by_number(count, ids)) is not None:
        found[NUMBERS] = ("numbers in the queries' ids", numbered)
    return _distinct(found)


def _by_number(count: int, ids: Sequence[str]) -> NDArray[np.int32] | None:
    """Id k stands at place k, counted from 0 or 1 as the count says; None where the numbers do not fit the count."""
    numbers = trailing_numbers(ids)
    if numbers is None or not len(numbers):
        return None
    first, last = int(numbers.min()), int(numbers.max())
    if first >= 1 and count == last:
        base = 1
    elif count == last + 1:
        base = 0
    elif count == last - first + 1 == len(ids):
        base = first
    else:
        return None
    found = np.full(count, -1, np.int32)
    found[numbers - base] = np.arange(len(ids), dtype=np.int32)
    return found


def _distinct(found: Candidates) -> Candidates:
    kept: Candidates = {}
    for key, (said, order) in found.items():
        if not any(np.array_equal(order, other) for _, other in kept.values()):
            kept[key] = (said, order)
    return kept


def relevant_shares(
    values: NDArray[np.floating], order: Order, assessment: Assessment, member: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Where relevant models stand if a matrix is read in an order, smaller being nearer.

    Returns
    -------
    (Q,) float64
        Mean place of each query's relevant models as a share of the list, in [0, 1]: 0.5 by chance, small is good; NaN
        for queries without any, and for those beyond a sample that says enough.
    """
    shares = np.full(len(member), np.nan)
    known = np.flatnonzero(order.columns >= 0)
    column_of = np.full(int(order.columns.max(initial=-1)) + 1, -1, np.int64)
    column_of[order.columns[known]] = known
    row_of = np.full(len(member), -1, np.int64)
    row_of[order.rows[order.rows >= 0]] = np.flatnonzero(order.rows >= 0)
    sampled = min(SAMPLED_QUERIES, max(SAMPLED_VALUES // values.shape[1], FEWEST_QUERIES))
    for query in range(0, len(member), max(1, len(member) // sampled)):
        relevant, _ = assessment.relevant(query)
        relevant = relevant[(relevant != member[query]) & (relevant < len(column_of))]
        columns = column_of[relevant]
        columns = columns[columns >= 0]
        if row_of[query] >= 0 and len(columns):
            line = np.asarray(values[row_of[query]], np.float64)
            ahead = np.sort(line)
            left, right = np.searchsorted(ahead, line[columns]), np.searchsorted(ahead, line[columns], "right")
            shares[query] = np.mean(left + right) / 2 / len(line)
    return shares


def surety(shares: NDArray[np.float64], against: NDArray[np.float64] | float = 0.5) -> float:
    """Standard errors by which shares of `relevant_shares` are better than others, or than chance, query by query."""
    better = against - shares
    better = better[~np.isnan(better)]
    if len(better) < FEWEST_QUERIES:
        return 0.0
    error = max(float(np.std(better)) / len(better) ** 0.5, 1e-6)
    return float(np.mean(better)) / error
