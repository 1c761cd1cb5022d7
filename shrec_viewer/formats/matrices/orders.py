"""Possible orders of rows and columns of a matrix, and the choice between them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Assessment, DistanceRows
from shrec_viewer.formats.core.findings_log import RUN_IGNORED, UNDECIDED, join_some
from shrec_viewer.formats.core.ids import natural_order, trailing_numbers
from shrec_viewer.formats.core.read_context import ReadContext
from shrec_viewer.formats.matrices.matrix import MatrixFile

CLASSIFICATION = "classification"
NAMES = "names"
NUMBERS = "numbers"


@dataclass(frozen=True, eq=False)
class MatrixOrder:
    """One assignment of the rows and columns of a matrix.

    Attributes
    ----------
    key : "classification", "names" or "numbers", of the columns.
    description : text for findings.
    rows : (R,) int32, query of each row, or -1.
    columns : (M,) int32, model of each column, or -1.
    """

    key: str
    description: str
    rows: NDArray[np.int32]
    columns: NDArray[np.int32]


OrderCandidates = dict[str, tuple[str, NDArray[np.int32]]]


def possible_orders(shape: tuple[int, int], context: ReadContext, key: str | None = None) -> list[MatrixOrder]:
    """All distinct orders for a matrix of this shape, (rows, columns); empty if the shape does not fit.

    If models are the queries, rows and columns of a square matrix have the same order. With `key`, only orders with
    these columns.
    """
    columns = _column_orders(shape[1], context)
    columns = (
        _distinct_orders(columns) if key is None else {name: found for name, found in columns.items() if name == key}
    )
    if context.queries.are_members and shape[0] == shape[1]:
        query_of = np.full(len(context.collection) + 1, -1, np.int32)  # the last element serves columns without model
        query_of[context.queries.member] = np.arange(len(context.queries), dtype=np.int32)
        return [MatrixOrder(key, text, query_of[models], models) for key, (text, models) in columns.items()]
    orders = []
    rows = _row_orders(shape[0], context)
    for key, (text, models) in columns.items():
        # False sorts first. Of equal orders the first is kept, and its text should name the key of the columns.
        same_key_first = {row_key: rows[row_key] for row_key in sorted(rows, key=key.__ne__)}
        for row_text, queries in _distinct_orders(same_key_first).values():
            orders.append(MatrixOrder(key, f"columns: {text}; rows: {row_text}", queries, models))
    return orders


def _column_orders(count: int, context: ReadContext) -> OrderCandidates:
    ids = context.collection.ids
    found: OrderCandidates = {}
    if count == len(ids):
        found[CLASSIFICATION] = (f"order of {context.order_source}", np.arange(count, dtype=np.int32))
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
    """Order by the number in each id, from 0 or 1 on according to the count; None if the numbers do not fit."""
    numbers = trailing_numbers(ids)
    if numbers is None or not len(numbers):
        return None
    first, last = int(numbers.min()), int(numbers.max())
    # Numbered 1 … n, possibly with gaps; a matrix of the last number's size has a row for each gap.
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
    distinct: OrderCandidates = {}
    for key, (text, order) in found.items():
        if not any(np.array_equal(order, other) for _, other in distinct.values()):
            distinct[key] = (text, order)
    return distinct


DEFAULT_ORDERS = {
    "binary": (CLASSIFICATION, NAMES, NUMBERS),
    "text": (NAMES, NUMBERS, CLASSIFICATION),
    "npy": (NAMES, NUMBERS, CLASSIFICATION),
    "mat": (NAMES, NUMBERS, CLASSIFICATION),
}
"""Orders by preference: binary matrices of Princeton follow the classification, later ASCII matrices the ids."""

SAMPLED_QUERIES = 256
"""Queries that are sampled to compare orders; gives a standard error of about 0.01."""

SAMPLED_VALUES = 2_000_000
"""Values that are sorted for this, 0.1 s."""

MIN_QUERIES = 4
"""Minimum number of queries to compare orders."""

CLEAR_Z = 4.0
"""Standard errors by which an order must be better than chance, or than another: p = 1/30,000."""


CLEAR_Z_BETWEEN = 3.0
"""Standard errors by which an order that is better than chance must be better than the others: p = 1/700.

Lower than `CLEAR_Z`, because similar orders, such as two orders of the rows, differ little for few queries.
"""


def choose_order(
    file: MatrixFile, values: DistanceRows, context: ReadContext, key: str | None, similarity: bool | None
) -> MatrixOrder | None:
    """Choose the order of a matrix whose shape fits; None, with an error finding, if the requested order does not fit.

    Parameters
    ----------
    file, values : the matrix, (R, M).
    key : requested order of the columns, or None.
    similarity : whether larger values are more similar; None if unknown.
    """
    shape = (values.shape[0], values.shape[1])
    orders = possible_orders(shape, context, key)
    size = f"matrix of {shape[0]:,} x {shape[1]:,}"
    if not orders:
        possible = " or ".join(dict.fromkeys(order.key for order in possible_orders(shape, context)))
        message = f"order '{key}' does not fit its {shape[1]:,} columns; {possible} would"
        context.findings_log.error(file.path, message, "the run is ignored", key=RUN_IGNORED)
        return None
    if key is not None:
        context.findings_log.info(file.path, f"{size}, order '{key}' (set explicitly)", orders[0].description)
        return orders[0]
    orders.sort(key=lambda order: DEFAULT_ORDERS[file.kind].index(order.key))
    if len(orders) > 1:
        return _order_by_truth(file, values, orders, size, context, similarity)
    context.findings_log.info(file.path, size, orders[0].description)
    return orders[0]


def _order_by_truth(
    file: MatrixFile,
    values: DistanceRows,
    orders: list[MatrixOrder],
    size: str,
    context: ReadContext,
    similarity: bool | None,
) -> MatrixOrder:
    """Order with the best ranks of relevant models; if none is clearly better, the usual one of the format."""
    findings_log = context.findings_log
    if context.assessment is not None:
        best, mean, second, is_reversed = _order_evidence(
            values, orders, context.assessment, context.queries.member, similarity
        )
        if best is not None:
            message = (
                f"{size}; {len(orders)} orders fit; the mean relative rank of relevant models "
                f"{'from the end of the lists ' if is_reversed else ''}is {mean:.1%} in one, "
                f"at best {second:.1%} in others"
            )
            chosen = orders[best]
            log = findings_log.info if best == 0 else findings_log.warning
            setting = findings_log.run_setting(file.path, "order", chosen.key, f"--order {chosen.key}")
            log(file.path, message, f"{chosen.description}; to set it", key=UNDECIDED, setting=setting)
            return chosen
    message = f"{size}; {len(orders)} orders fit and cannot be distinguished"
    setting = findings_log.run_setting(file.path, "order", orders[0].key, f"--order {orders[0].key}")
    others = join_some([order.key for order in orders[1:]])
    findings_log.warning(
        file.path,
        message,
        f"{orders[0].description}, the usual one ({others} also fit); to set it",
        key=UNDECIDED,
        setting=setting,
    )
    return orders[0]


def _order_evidence(
    values: DistanceRows,
    orders: list[MatrixOrder],
    assessment: Assessment,
    member: NDArray[np.int32],
    similarity: bool | None,
) -> tuple[int | None, float, float, bool]:
    """Compare orders by the ranks of relevant models.

    Returns
    -------
    best : index of the order that is clearly the best, or None.
    mean, second : mean relative ranks of relevant models with the best order, and with the second best.
    is_reversed : whether these are counted from the end of the lists although `similarity` is None: then the direction
        is that in which an order differs most from chance.
    """
    shares = [relevant_rank_shares(values, order, assessment, member) for order in orders]
    means = np.array([np.nanmean(share) if np.any(share >= 0) else 0.5 for share in shares])
    # A wrong order gives 0.5 in both directions, the right one is far from it: below for distances, above for
    # similarities.
    is_reversed = similarity if similarity is not None else bool(means[np.argmax(np.abs(means - 0.5))] > 0.5)
    if is_reversed:
        shares, means = [1 - share for share in shares], 1 - means
    best = int(np.argmin(means))
    others = [index for index in range(len(orders)) if index != best]
    # Paired by query: difficult queries have high ranks under every order, which would hide the difference of the
    # means.
    z_between = min(z_score(shares[best], shares[index]) for index in others)
    is_clear = z_score(shares[best]) > CLEAR_Z and z_between > CLEAR_Z_BETWEEN
    is_guess = is_reversed and similarity is None
    return (best if is_clear else None), float(means[best]), float(np.min(means[others])), is_guess


def relevant_rank_shares(
    values: DistanceRows, order: MatrixOrder, assessment: Assessment, member: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Relative ranks of relevant models if a matrix of distances has an order.

    Returns
    -------
    (Q,) float64
        Mean rank of the relevant models of each query as a share of the list, in [0, 1]: 0.5 by chance, 0 is best. NaN
        for queries without relevant models and for those that are not in the sample.
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
        # Without the query itself, as in the evaluation.
        relevant = relevant[(relevant != member[query]) & (relevant < len(column_of))]
        columns = column_of[relevant]
        columns = columns[columns >= 0]
        if row_of[query] >= 0 and len(columns):
            line = np.asarray(values[row_of[query]], np.float64)
            ordered = np.sort(line)
            # The mean of both ends of a tie is its expected rank; integer distances have many ties.
            left, right = np.searchsorted(ordered, line[columns]), np.searchsorted(ordered, line[columns], "right")
            shares[query] = np.mean(left + right) / 2 / len(line)
    return shares


def z_score(shares: NDArray[np.float64], against: NDArray[np.float64] | float = 0.5) -> float:
    """Paired z score of `relevant_rank_shares` against others or chance; positive if `shares` are smaller."""
    differences = against - shares
    differences = differences[~np.isnan(differences)]
    if len(differences) < MIN_QUERIES:
        return 0.0
    # Not 0 where all differences are equal, as for a perfect run.
    error = max(float(np.std(differences)) / len(differences) ** 0.5, 1e-6)
    return float(np.mean(differences)) / error
