"""Which row of a matrix is which query, and which column which model."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.formats.context import Context
from shrec_viewer.formats.naming import natural_order, trailing_numbers

CLASSIFICATION = "classification"
NAMES = "names"
NUMBERS = "numbers"


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


def fitting_orders(shape: tuple[int, int], context: Context, key: str | None = None) -> list[Order]:
    """All different ways to read a matrix of this shape, (rows, columns); none where it does not fit.

    Where models are the queries, the rows of a square matrix are read like its columns. With `key`, only the ways that
    order columns so.
    """
    columns = _columns(shape[1], context)
    columns = _distinct(columns) if key is None else {name: found for name, found in columns.items() if name == key}
    if context.queries.are_the_collection and shape[0] == shape[1]:
        place = np.full(len(context.collection), -1, np.int32)
        place[context.queries.member] = np.arange(len(context.queries), dtype=np.int32)
        place = np.append(place, np.int32(-1))  # for columns without a model
        return [Order(key, said, place[found], found) for key, (said, found) in columns.items()]
    orders = []
    rows = _rows(shape[0], context)
    for key, (said, found) in columns.items():
        likely_first = {row_key: rows[row_key] for row_key in sorted(rows, key=key.__ne__)}  # rows are ordered alike
        for row_said, asked in _distinct(likely_first).values():
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
    return found


def _rows(count: int, context: Context) -> Candidates:
    ids = context.queries.ids
    found: Candidates = {}
    if count == len(ids):
        found[CLASSIFICATION] = ("order of the queries", np.arange(count, dtype=np.int32))
        found[NAMES] = ("natural order of the queries", natural_order(ids))
    if (numbered := _by_number(count, ids)) is not None:
        found[NUMBERS] = ("numbers in the queries' ids", numbered)
    return found


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
