"""Which of the orders that fit a matrix is its own: what the person says, else where relevant models stand ahead."""

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Assessment
from shrec_viewer.formats.context import Context
from shrec_viewer.formats.hints import order_hint
from shrec_viewer.formats.journal import some
from shrec_viewer.formats.matrix import MatrixFile
from shrec_viewer.formats.orders import CLASSIFICATION, NAMES, NUMBERS, Order, fitting_orders

USUAL_ORDER = {
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

FEWEST_QUERIES = 4
"""Fewer queries say nothing about an order."""

CLEAR = 4.0
"""Standard errors from which one order is believed to be better than chance, or than another: 1 in 30,000 by chance."""


CLEAR_OF_OTHERS = 3.0
"""Standard errors from which an order that is clearly better than chance is believed before others: 1 in 700; orders
that have much in common, as two orders of the rows have, are never far apart for a few queries."""


def choose_order(
    file: MatrixFile, values: NDArray[np.floating], context: Context, wanted: str | None, similarity: bool | None
) -> Order | None:
    """The order of a matrix whose shape fits; None, and an error finding, where the order that is wanted does not.

    Parameters
    ----------
    file, values : the matrix, (R, M).
    wanted : order of the columns that the person says.
    similarity : whether larger is nearer, if the person says.
    """
    shape = (values.shape[0], values.shape[1])
    orders = fitting_orders(shape, context, wanted)
    size = f"matrix of {shape[0]:,} x {shape[1]:,}"
    if not orders:
        possible = " or ".join(dict.fromkeys(order.key for order in fitting_orders(shape, context)))
        message = f"order '{wanted}' does not fit its {shape[1]:,} columns; {possible} would"
        context.journal.error(file.path, message, "the run is left out")
        return None
    if wanted is not None:  # literally, rows like columns where they can be: nothing else is asked
        context.journal.info(file.path, f"{size}, order '{wanted}' as told", orders[0].said)
        return orders[0]
    orders.sort(key=lambda order: USUAL_ORDER[file.kind].index(order.key))
    if len(orders) > 1:
        return _tell_apart(file, values, orders, size, context, similarity)
    context.journal.info(file.path, size, orders[0].said)
    return orders[0]


def _tell_apart(
    file: MatrixFile,
    values: NDArray[np.floating],
    orders: list[Order],
    size: str,
    context: Context,
    similarity: bool | None,
) -> Order:
    """The order in which relevant models stand ahead; where none is clearly better, the usual one of the format."""
    journal = context.journal
    place_of = journal.place(file.path)
    if context.assessment is not None:
        best, place, second, turned = _evidence(values, orders, context.assessment, context.queries.member, similarity)
        if best is not None:
            message = (
                f"{size}; {len(orders)} orders fit, and in one of them relevant models stand on average "
                f"within the {'last' if turned else 'first'} {place:.1%} of the lists, else {second:.1%}"
            )
            chosen = orders[best]
            note = journal.info if best == 0 else journal.warning
            note(file.path, message, f"{chosen.said}; to fix it: {order_hint(place_of, chosen.key)}")
            return chosen
    message = f"{size}; {len(orders)} orders fit and nothing tells them apart"
    hint = order_hint(place_of, orders[0].key)
    others = some([order.key for order in orders[1:]])
    journal.warning(file.path, message, f"{orders[0].said}, as usual ({others} would fit as well); to fix it: {hint}")
    return orders[0]


def _evidence(
    values: NDArray[np.floating],
    orders: list[Order],
    assessment: Assessment,
    member: NDArray[np.int32],
    similarity: bool | None,
) -> tuple[int | None, float, float, bool]:
    """The order that is clearly the best, or None; its mean place of relevant models, and that of the second best.

    Last, whether that is counted from the end of the lists, though nobody says that larger is nearer.

    Where nobody says which direction is nearer, the direction is the one in which some order is farthest from chance.
    """
    shares = [relevant_shares(values, order, assessment, member) for order in orders]
    means = np.array([np.nanmean(share) if np.any(share >= 0) else 0.5 for share in shares])
    turned = similarity if similarity is not None else bool(means[np.argmax(np.abs(means - 0.5))] > 0.5)
    if turned:
        shares, means = [1 - share for share in shares], 1 - means
    best = int(np.argmin(means))
    others = [place for place in range(len(orders)) if place != best]
    over_others = min(surety(shares[best], shares[place]) for place in others)
    is_clear = surety(shares[best]) > CLEAR and over_others > CLEAR_OF_OTHERS
    from_end = turned and similarity is None
    return (best if is_clear else None), float(means[best]), float(np.min(means[others])), from_end


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
