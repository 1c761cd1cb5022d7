"""Candidate orders of rows and columns of a matrix, and the choice between them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Assessment
from shrec_viewer.formats.core.findings_log import RUN_IGNORED, UNDECIDED, join_some, order_hint
from shrec_viewer.formats.core.ids import natural_order, trailing_numbers
from shrec_viewer.formats.core.read_context import ReadContext
from shrec_viewer.formats.matrices.matrix import MatrixFile

CLASSIFICATION = "classification"
NAMES = "names"
NUMBERS = "numbers"


@dataclass(frozen=True, eq=False)
class MatrixOrder:
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


OrderCandidates = dict[str, tuple[str, NDArray[np.int32]]]


def possible_orders(shape: tuple[int, int], context: ReadContext, key: str | None = None) -> list[MatrixOrder]:
    """All different ways to read a matrix of this shape, (rows, columns); none where it does not fit.

    Where models are the queries, the rows of a square matrix are read like its columns. With `key`, only the ways that
    order columns so.
    """
    columns = _column_orders(shape[1], context)
    columns = (
        _distinct_orders(columns) if key is None else {name: found for name, found in columns.items() if name == key}
    )
    if context.queries.are_the_collection and shape[0] == shape[1]:
        place = np.full(len(context.collection), -1, np.int32)
        place[context.queries.member] = np.arange(len(context.queries), dtype=np.int32)
        place = np.append(place, np.int32(-1))  # for columns without a model
        return [MatrixOrder(key, said, place[found], found) for key, (said, found) in columns.items()]
    orders = []
    rows = _row_orders(shape[0], context)
    for key, (said, found) in columns.items():
        likely_first = {row_key: rows[row_key] for row_key in sorted(rows, key=key.__ne__)}  # rows are ordered alike
        for row_said, asked in _distinct_orders(likely_first).values():
            orders.append(MatrixOrder(key, f"columns: {said}; rows: {row_said}", asked, found))
    return orders


def _column_orders(count: int, context: ReadContext) -> OrderCandidates:
    ids = context.collection.ids
    found: OrderCandidates = {}
    if count == len(ids):
        found[CLASSIFICATION] = (f"order of {context.listing}", np.arange(count, dtype=np.int32))
        found[NAMES] = ("natural order of all ids", natural_order(ids))
    elif count == len(context.models_with_file):
        found[NAMES] = (f"natural order of the {count:,} file names", context.models_with_file)
    if (numbered := _order_by_number(count, ids)) is not None:
        found[NUMBERS] = ("numbers in the ids", numbered)
    return found


def _row_orders(count: int, context: ReadContext) -> OrderCandidates:
    ids = context.queries.ids
    found: OrderCandidates = {}
    if count == len(ids):
        found[CLASSIFICATION] = ("order of the queries", np.arange(count, dtype=np.int32))
        found[NAMES] = ("natural order of the queries", natural_order(ids))
    if (numbered := _order_by_number(count, ids)) is not None:
        found[NUMBERS] = ("numbers in the queries' ids", numbered)
    return found


def _order_by_number(count: int, ids: Sequence[str]) -> NDArray[np.int32] | None:
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


def _distinct_orders(found: OrderCandidates) -> OrderCandidates:
    kept: OrderCandidates = {}
    for key, (said, order) in found.items():
        if not any(np.array_equal(order, other) for _, other in kept.values()):
            kept[key] = (said, order)
    return kept


DEFAULT_ORDERS = {
    "binary": (CLASSIFICATION, NAMES, NUMBERS),
    "text": (NAMES, NUMBERS, CLASSIFICATION),
    "npy": (NAMES, NUMBERS, CLASSIFICATION),
    "mat": (NAMES, NUMBERS, CLASSIFICATION),
}
"""Princeton's binary matrices follow the classification, ASCII ones of the later tracks the numbers of the files."""

SAMPLED_QUERIES = 256
"""Queries whose relevant models are looked for to tell orders apart: a standard error of about 0.01."""

SAMPLED_VALUES = 2_000_000
"""Values that are sorted for it: a tenth of a second."""

MIN_QUERIES = 4
"""Fewer queries say nothing about an order."""

CLEAR_Z = 4.0
"""Standard errors from which one order is believed to be better than chance, or than another: 1 in 30,000 by chance."""


CLEAR_Z_BETWEEN = 3.0
"""Standard errors from which an order that is clearly better than chance is believed before others: 1 in 700; orders
that have much in common, as two orders of the rows have, are never far apart for a few queries."""


def choose_order(
    file: MatrixFile, values: NDArray[np.floating], context: ReadContext, wanted: str | None, similarity: bool | None
) -> MatrixOrder | None:
    """The order of a matrix whose shape fits; None, and an error finding, where the order that is wanted does not.

    Parameters
    ----------
    file, values : the matrix, (R, M).
    wanted : order of the columns that the person says.
    similarity : whether larger is nearer, if the person says.
    """
    shape = (values.shape[0], values.shape[1])
    orders = possible_orders(shape, context, wanted)
    size = f"matrix of {shape[0]:,} x {shape[1]:,}"
    if not orders:
        possible = " or ".join(dict.fromkeys(order.key for order in possible_orders(shape, context)))
        message = f"order '{wanted}' does not fit its {shape[1]:,} columns; {possible} would"
        context.findings_log.error(file.path, message, "the run is left out", key=RUN_IGNORED)
        return None
    if wanted is not None:  # literally, rows like columns where they can be: nothing else is asked
        context.findings_log.info(file.path, f"{size}, order '{wanted}' as told", orders[0].said)
        return orders[0]
    orders.sort(key=lambda order: DEFAULT_ORDERS[file.kind].index(order.key))
    if len(orders) > 1:
        return _order_by_truth(file, values, orders, size, context, similarity)
    context.findings_log.info(file.path, size, orders[0].said)
    return orders[0]


def _order_by_truth(
    file: MatrixFile,
    values: NDArray[np.floating],
    orders: list[MatrixOrder],
    size: str,
    context: ReadContext,
    similarity: bool | None,
) -> MatrixOrder:
    """The order in which relevant models stand ahead; where none is clearly better, the usual one of the format."""
    findings_log = context.findings_log
    place_of = findings_log.name_of(file.path)
    if context.assessment is not None:
        best, place, second, turned = _order_evidence(
            values, orders, context.assessment, context.queries.member, similarity
        )
        if best is not None:
            message = (
                f"{size}; {len(orders)} orders fit, and in one of them relevant models stand on average "
                f"within the {'last' if turned else 'first'} {place:.1%} of the lists, else {second:.1%}"
            )
            chosen = orders[best]
            note = findings_log.info if best == 0 else findings_log.warning
            note(file.path, message, f"{chosen.said}; to fix it: {order_hint(place_of, chosen.key)}", key=UNDECIDED)
            return chosen
    message = f"{size}; {len(orders)} orders fit and nothing tells them apart"
    hint = order_hint(place_of, orders[0].key)
    others = join_some([order.key for order in orders[1:]])
    findings_log.warning(
        file.path, message, f"{orders[0].said}, as usual ({others} would fit as well); to fix it: {hint}", key=UNDECIDED
    )
    return orders[0]


def _order_evidence(
    values: NDArray[np.floating],
    orders: list[MatrixOrder],
    assessment: Assessment,
    member: NDArray[np.int32],
    similarity: bool | None,
) -> tuple[int | None, float, float, bool]:
    """The order that is clearly the best, or None; its mean place of relevant models, and that of the second best.

    Last, whether that is counted from the end of the lists, though nobody says that larger is nearer.

    Where nobody says which direction is nearer, the direction is the one in which some order is farthest from chance.
    """
    shares = [relevant_rank_shares(values, order, assessment, member) for order in orders]
    means = np.array([np.nanmean(share) if np.any(share >= 0) else 0.5 for share in shares])
    turned = similarity if similarity is not None else bool(means[np.argmax(np.abs(means - 0.5))] > 0.5)
    if turned:
        shares, means = [1 - share for share in shares], 1 - means
    best = int(np.argmin(means))
    others = [place for place in range(len(orders)) if place != best]
    over_others = min(z_score(shares[best], shares[place]) for place in others)
    is_clear = z_score(shares[best]) > CLEAR_Z and over_others > CLEAR_Z_BETWEEN
    from_end = turned and similarity is None
    return (best if is_clear else None), float(means[best]), float(np.min(means[others])), from_end


def relevant_rank_shares(
    values: NDArray[np.floating], order: MatrixOrder, assessment: Assessment, member: NDArray[np.int32]
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
    sampled = min(SAMPLED_QUERIES, max(SAMPLED_VALUES // values.shape[1], MIN_QUERIES))
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


def z_score(shares: NDArray[np.float64], against: NDArray[np.float64] | float = 0.5) -> float:
    """Standard errors by which shares of `relevant_rank_shares` are better than others, or than chance, query by query."""
    better = against - shares
    better = better[~np.isnan(better)]
    if len(better) < MIN_QUERIES:
        return 0.0
    error = max(float(np.std(better)) / len(better) ** 0.5, 1e-6)
    return float(np.mean(better)) / error
