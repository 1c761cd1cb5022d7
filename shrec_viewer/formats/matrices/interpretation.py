"""Interpret an unlabelled matrix: distances, ranks or model numbers, and the orders of rows and columns."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Assessment, DistanceRows, Setting
from shrec_viewer.formats.core.findings_log import RUN_IGNORED, UNDECIDED, count_of, join_some
from shrec_viewer.formats.core.ids import are_positions, natural_order, trailing_numbers
from shrec_viewer.formats.core.read_choices import CELL_VALUES
from shrec_viewer.formats.core.read_context import ReadContext
from shrec_viewer.formats.core.read_options import ReadOptions
from shrec_viewer.formats.core.run_checks import BLOCK_VALUES
from shrec_viewer.formats.matrices.matrix import MatrixFile
from shrec_viewer.formats.matrices.text_matrix import GROWING_LINES, SHRINKING_LINES
from shrec_viewer.number_format import format_percent

CLASSIFICATION = "classification"
NAMES = "names"
NUMBERS = "numbers"
CHARACTERS = "characters"


@dataclass(frozen=True, eq=False)
class MatrixOrder:
    """One assignment of the rows and columns of a matrix.

    Attributes
    ----------
    key : "classification", "names", "numbers" or "characters", of the columns.
    description : text for findings.
    rows : (R,) int32, query of each row, or -1.
    columns : (M,) int32, model of each column, or -1.
    is_sure : False if the file allows another order as well, and this one is only the usual one.
    reason : why it was chosen among several; "" if it is the only one.
    """

    key: str
    description: str
    rows: NDArray[np.int32]
    columns: NDArray[np.int32]
    is_sure: bool = True
    reason: str = ""


OrderCandidates = dict[str, tuple[str, NDArray[np.int32]]]


def possible_orders(shape: tuple[int, int], context: ReadContext, key: str | None = None) -> list[MatrixOrder]:
    """All distinct orders for a matrix of this shape, (rows, columns); empty if the shape does not fit.

    If models are the queries, rows and columns of a square matrix have the same order. With `key`, only orders with
    these columns.
    """
    columns = _column_orders(shape[1], context, key)
    columns = (
        _distinct_orders(columns) if key is None else {name: found for name, found in columns.items() if name == key}
    )
    if context.queries.are_members and shape[0] == shape[1]:
        query_of = np.full(len(context.collection) + 1, -1, np.int32)  # the last element serves columns without model
        query_of[context.queries.member] = np.arange(len(context.queries), dtype=np.int32)
        return [MatrixOrder(key, text, query_of[models], models) for key, (text, models) in columns.items()]
    orders = []
    rows = _row_orders(shape[0], context, key)
    for key, (text, models) in columns.items():
        # False sorts first. Of equal orders the first is kept, and its text should name the key of the columns.
        same_key_first = {row_key: rows[row_key] for row_key in sorted(rows, key=key.__ne__)}
        for row_text, queries in _distinct_orders(same_key_first).values():
            orders.append(MatrixOrder(key, f"columns: {text}; rows: {row_text}", queries, models))
    return orders


def _by_characters(ids: Sequence[str]) -> NDArray[np.int32]:
    """Order in which programs list files: ``M1, M10, M2``."""
    return np.array(sorted(range(len(ids)), key=ids.__getitem__), np.int32)


def _column_orders(count: int, context: ReadContext, key: str | None) -> OrderCandidates:
    ids = context.collection.ids
    found: OrderCandidates = {}
    if count == len(ids):
        found[CLASSIFICATION] = (f"order of {context.order_source}", np.arange(count, dtype=np.int32))
        found[NAMES] = ("natural order of all ids", context.id_order)
        if key == CHARACTERS:  # only on request: with every other order, it would fit as well
            found[CHARACTERS] = ("order of the characters of all ids", _by_characters(ids))
    elif count == context.n_models_with_file:
        found[NAMES] = (f"natural order of the {count:,} file names", context.models_with_file)
    if (numbered := _order_by_number(count, context.id_numbers)) is not None:
        found[NUMBERS] = ("numbers in the ids", numbered)
    return found


def _row_orders(count: int, context: ReadContext, key: str | None) -> OrderCandidates:
    ids = context.queries.ids
    found: OrderCandidates = {}
    if count == len(ids):
        found[CLASSIFICATION] = ("order of the queries", np.arange(count, dtype=np.int32))
        found[NAMES] = ("natural order of the queries", natural_order(ids))
        if key == CHARACTERS:
            found[CHARACTERS] = ("order of the characters of the queries", _by_characters(ids))
    if (numbered := _order_by_number(count, trailing_numbers(ids))) is not None:
        found[NUMBERS] = ("numbers in the queries' ids", numbered)
    return found


def _order_by_number(count: int, numbers: NDArray[np.int64] | None) -> NDArray[np.int32] | None:
    """Order by the number in each id, from 0 or 1 on according to the count; None if the numbers do not fit."""
    if numbers is None or not len(numbers):
        return None
    first, last = int(numbers.min()), int(numbers.max())
    # Numbered 1 … n, possibly with gaps; a matrix of the last number's size has a row for each gap.
    if first >= 1 and count == last:
        base = 1
    elif count == last + 1:
        base = 0
    elif count == last - first + 1 == len(numbers):
        base = first
    else:
        return None
    found = np.full(count, -1, np.int32)
    found[numbers - base] = np.arange(len(numbers), dtype=np.int32)
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

NUMBERED_SHARE = 0.75
"""Share of the best order's distance from chance with which columns are the numbers that the ids state.

Wrong labels in the classification make its order better than the right one: 20 of 448 swapped labels of SHREC 2021
leave 0.88 of the distance or more, 40 leave 0.76. Numbers of models that are only roughly in the order of the classes,
as those of Princeton's benchmark, leave 0.69 if the columns follow the classification.
"""

NUMBERED_REASON = "the ids are the numbers of the columns"
BEST_RANKS_REASON = "relevant models have better ranks than in any other order"
LAST_RANKS_REASON = "relevant models are nearer to the ends of the lists than in any other order"
"""Why an order was chosen."""


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
        message = f"order '{key}' does not fit its {count_of(shape[1], 'column')}; {possible} would"
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
            values,
            orders,
            context.assessment,
            context.queries.member,
            similarity,
            prefers_first=_has_numbered_columns(file, orders[0], context),
        )
        if best is not None:
            message = (
                f"{size}; {len(orders)} orders fit; the mean relative rank of relevant models "
                f"{'from the end of the lists ' if is_reversed else ''}is {format_percent(mean, 1)} in one, "
                f"at best {format_percent(second, 1)} in others"
            )
            chosen, is_best = orders[best], mean <= second
            log = findings_log.info if best == 0 and is_best else findings_log.warning
            reason = "" if is_best else f"; {NUMBERED_REASON}"
            setting = findings_log.run_setting(file.path, "order", chosen.key, f"--order {chosen.key}")
            log(file.path, message, f"{chosen.description}{reason}; to set it", key=UNDECIDED, setting=setting)
            ranks_reason = LAST_RANKS_REASON if is_reversed else BEST_RANKS_REASON
            return replace(chosen, is_sure=is_best, reason=ranks_reason if is_best else NUMBERED_REASON)
    message = f"{size}; {len(orders)} orders fit and cannot be distinguished"
    setting = findings_log.run_setting(file.path, "order", orders[0].key, f"--order {orders[0].key}")
    others = [key for key in dict.fromkeys(order.key for order in orders) if key != orders[0].key]
    usual = f", the usual one ({join_some(others)} also {'fits' if len(others) == 1 else 'fit'})" if others else ""
    findings_log.warning(
        file.path,
        message,
        f"{orders[0].description}{usual}; to set it",
        key=UNDECIDED,
        setting=setting,
    )
    return replace(orders[0], is_sure=False, reason="orders cannot be distinguished")


def _has_numbered_columns(file: MatrixFile, order: MatrixOrder, context: ReadContext) -> bool:
    """Whether the ids of the models are the numbers of the columns in this order; never in Princeton's matrices."""
    return file.kind != "binary" and order.key != CLASSIFICATION and are_positions(context.collection.ids)


def _order_evidence(
    values: DistanceRows,
    orders: list[MatrixOrder],
    assessment: Assessment,
    member: NDArray[np.int32],
    similarity: bool | None,
    *,
    prefers_first: bool = False,
) -> tuple[int | None, float, float, bool]:
    """Compare orders by the ranks of relevant models.

    Parameters
    ----------
    prefers_first : whether the first order is taken instead of a better one if it has `NUMBERED_SHARE` of its evidence.

    Returns
    -------
    best : index of the order that is clearly the best, or preferred, or None.
    mean, second : mean relative ranks of relevant models with this order, and with the best of the others.
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
    is_preferred = (
        prefers_first and z_score(shares[0]) > CLEAR_Z and 0.5 - means[0] >= NUMBERED_SHARE * (0.5 - means[best])
    )
    if is_preferred:
        best = 0
    others = [index for index in range(len(orders)) if index != best]
    # Paired by query: difficult queries have high ranks under every order, which would hide the difference of the
    # means.
    z_between = min(z_score(shares[best], shares[index]) for index in others)
    is_clear = is_preferred or (z_score(shares[best]) > CLEAR_Z and z_between > CLEAR_Z_BETWEEN)
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


MIN_MODELS = 4
"""Minimum size: rows of three integer distances are often a permutation of 0, 1, 2 by chance."""

SELF_SHARE = 0.9
"""Minimum share of rows that start with their own number, or have the smallest value on the diagonal."""

SAMPLED_ROWS = 64
"""Number of rows tested for truncated lists; one row of distances is enough to fail the test."""

DISTANCE_CELLS = CELL_VALUES[0]
MODEL_NUMBER_CELLS = {1: CELL_VALUES[1], 0: CELL_VALUES[2]}
"""Values of `ReadOptions.cells` for ranked model numbers, by their smallest number."""


def interpret_cells(
    file: MatrixFile, values: DistanceRows, context: ReadContext, read_options: ReadOptions
) -> DistanceRows | None:
    """Convert cells to distances or ranks; None, with an error finding, if they contradict `read_options.cells`.

    Rows that are permutations of the numbers from 0 or 1 on are either model numbers, best first (the result of
    argsort), or the ranks of the models in the columns. This is decided by `read_options.cells`, else by the diagonal,
    else by the relevance assessment.

    Parameters
    ----------
    file, values : the matrix, (R, M) as in the file.
    read_options : options for cells, order and direction.
    """
    if read_options.cells == DISTANCE_CELLS or (read_options.cells is None and read_options.similarity is not None):
        return values
    base = permutation_base(values)
    if read_options.cells is not None:
        if base is None or MODEL_NUMBER_CELLS[base] != read_options.cells:
            message = f"its rows are not permutations of the numbers from {read_options.cells[-1]} on"
            context.findings_log.error(
                file.path, f"{message}, as '{read_options.cells}' requires", "the run is ignored", key=RUN_IGNORED
            )
            return None
        message = f"each row is a permutation of the numbers {base} to {base + values.shape[1] - 1:,}"
        context.findings_log.info(file.path, message, f"read as ranked '{read_options.cells}' (set explicitly)")
        return ranks_from_model_numbers(values, base)
    if base is None or not possible_orders((values.shape[0], values.shape[1]), context):
        return values
    return _interpret_permutations(file, values, base, context, read_options)


def permutation_base(values: DistanceRows) -> int | None:
    """Smallest number, 0 or 1, if each row is a permutation of the same consecutive numbers; else None."""
    count = values.shape[1]
    if count < MIN_MODELS:
        return None
    # The first row decides what the others must be permutations of, so that ties and gaps fail at once.
    numbers = np.sort(values[0])
    base = next((base for base in (0, 1) if np.array_equal(numbers, np.arange(base, base + count))), None)
    step = max(1, BLOCK_VALUES // count)
    for start in range(0, len(values) if base is not None else 0, step):
        if not np.all(np.sort(values[start : start + step], axis=1) == numbers):
            return None
    return base


def ranks_from_model_numbers(values: DistanceRows, base: int) -> NDArray[np.floating]:
    """Convert rows of model numbers from `base` on, best first, to the rank of each model, (R, M) from 0 on."""
    # float32 represents whole numbers up to 2^24 exactly, in half the memory.
    ranks = np.empty(values.shape, np.float32 if values.shape[1] < 2**24 else np.float64)
    positions = np.arange(values.shape[1])
    for row in range(len(values)):
        ranks[row, values[row].astype(np.int64) - base] = positions
    return ranks


def _interpret_permutations(
    file: MatrixFile, values: DistanceRows, base: int, context: ReadContext, read_options: ReadOptions
) -> DistanceRows:
    ranks = ranks_from_model_numbers(values, base)
    is_ranked, reason = _decide_by_diagonal(values, base, context)
    if is_ranked is None:
        is_ranked, reason = _decide_by_truth(values, ranks, context, read_options)
    message = f"each row is a permutation of the numbers {base} to {base + values.shape[1] - 1:,}: "
    message += "ranked model numbers, or the rank of each model?"
    if is_ranked is False:
        action = f"read as ranks, because {reason}; if they are model numbers"
        setting = _cells_setting(file.path, MODEL_NUMBER_CELLS[base], context)
        context.findings_log.warning(file.path, message, action, key=UNDECIDED, setting=setting)
        return values
    reason = f", because {reason}" if reason else ", the usual case; no evidence"
    action = f"read as model numbers from {base} on, best first{reason}; if they are ranks or distances"
    setting = _cells_setting(file.path, DISTANCE_CELLS, context)
    context.findings_log.warning(file.path, message, action, key=UNDECIDED, setting=setting)
    return ranks


def _cells_setting(path: Path, cells: str, context: ReadContext) -> Setting:
    return context.findings_log.run_setting(path, "cells", cells, f"--matrix-cells {shlex.quote(cells)}")


def _decide_by_diagonal(values: DistanceRows, base: int, context: ReadContext) -> tuple[bool | None, str]:
    """True if rows start with their own number, False if the diagonal has the smallest value; None otherwise."""
    if not context.queries.are_members or values.shape[0] != values.shape[1]:
        return None, ""
    first, diagonal = np.array([values[row][[0, row]] for row in range(len(values))]).T
    begins_with_own = float(np.mean(first == np.arange(len(values)) + base)) >= SELF_SHARE
    diagonal_is_smallest = float(np.mean(diagonal == base)) >= SELF_SHARE
    if begins_with_own == diagonal_is_smallest:
        return None, ""
    return (
        begins_with_own,
        "each row begins with its own number" if begins_with_own else "each model has the first rank in its own row",
    )


def _decide_by_truth(
    values: DistanceRows, ranks: NDArray[np.floating], context: ReadContext, read_options: ReadOptions
) -> tuple[bool | None, str]:
    if context.assessment is None:
        return None, ""
    orders = possible_orders((values.shape[0], values.shape[1]), context, read_options.order)
    best_shares = []
    for cells in (ranks, values):
        shares = [relevant_rank_shares(cells, order, context.assessment, context.queries.member) for order in orders]
        best_shares.append(min(shares, key=lambda share: float(np.nanmean(share)) if np.any(share >= 0) else 1.0))
    if not orders or not np.any(best_shares[0] >= 0):
        return None, ""
    means = [float(np.nanmean(share)) for share in best_shares]
    for index, other in ((0, 1), (1, 0)):
        if z_score(best_shares[index]) > CLEAR_Z and z_score(best_shares[index], best_shares[other]) > CLEAR_Z:
            reason = f"the mean relative rank of relevant models is then {format_percent(means[index], 1)}"
            return index == 0, f"{reason}, else {format_percent(means[other], 1)}"
    return None, ""


def mirror_triangle(file: MatrixFile, values: DistanceRows, context: ReadContext) -> DistanceRows:
    """Complete a matrix of which only one triangle is filled; other matrices are returned unchanged."""
    count = values.shape[0]
    if not context.queries.are_members or count != values.shape[1] or count < MIN_MODELS:
        return values
    has_upper, has_lower = np.any(values[0][1:] != 0), np.any(values[-1][:-1] != 0)
    if has_upper == has_lower:
        return values
    if any(np.any((values[row][:row] if has_upper else values[row][row + 1 :]) != 0) for row in range(count)):
        return values
    full = np.array(values)
    full += np.triu(full, 1).T if has_upper else np.tril(full, -1).T
    message = f"only the triangle {'above' if has_upper else 'below'} the diagonal is filled, the other one is 0"
    context.findings_log.warning(file.path, message, "read as a symmetric matrix")
    return full


def from_condensed(file: MatrixFile, context: ReadContext) -> MatrixFile:
    """Square matrix from the values of one triangle, as one sequence or line by line; other files unchanged."""
    count = len(context.collection)
    is_sequence = file.values.ndim == 1 or 1 in file.values.shape
    if not context.queries.are_members or not is_sequence or count < MIN_MODELS or file.kind == "binary":
        return file
    if file.values.size not in (count * (count + 1) // 2, count * (count - 1) // 2):
        return file
    values = np.asarray(file.values)
    has_diagonal = values.size == count * (count + 1) // 2
    messages = {finding.message for finding in file.findings}
    is_ragged = file.kind == "text" and values.ndim == 1
    if (is_ragged and not messages & {GROWING_LINES, SHRINKING_LINES}) or (has_diagonal and not is_ragged):
        return file
    is_lower = GROWING_LINES in messages
    full = np.zeros((count, count), values.dtype)
    indices = np.tril_indices(count, has_diagonal - 1) if is_lower else np.triu_indices(count, 1 - has_diagonal)
    full[indices] = values.reshape(-1)
    full += np.tril(full, -1).T if is_lower else np.triu(full, 1).T
    message = f"{count_of(values.size, 'number')}, as many as {'below' if is_lower else 'above'} the diagonal"
    message += f" of {count:,} x {count:,}{', and on it' if has_diagonal else ''}"
    context.findings_log.warning(file.path, message, "read as a triangle of a symmetric matrix, row by row")
    findings = tuple(finding for finding in file.findings if finding.message not in (GROWING_LINES, SHRINKING_LINES))
    return replace(file, values=full, findings=findings)


def are_truncated_lists(values: DistanceRows, count: int) -> bool:
    """Whether rows are distinct integers, fewer than models: truncated ranked lists."""
    if values.ndim != 2 or not MIN_MODELS <= values.shape[1] < count:
        return False
    rows = np.sort(np.asarray(values[:SAMPLED_ROWS], np.float64), axis=1)
    is_whole = bool(np.all((rows == np.floor(rows)) & (rows >= 0) & (rows <= count)))
    return is_whole and bool(np.all(np.diff(rows, axis=1) > 0))


def triangle_hint(n_values: int, context: ReadContext) -> str:
    """Hint to append to a message if `n_values` fits one triangle of the expected matrix, else ""."""
    count = len(context.collection)
    if not context.queries.are_members:
        return ""
    if n_values == count * (count - 1) // 2:
        return f"; this is one triangle without the diagonal, but all {count:,} x {count:,} values are needed"
    if n_values == count * (count + 1) // 2:
        return f"; this is one triangle with the diagonal, but all {count:,} x {count:,} values are needed"
    if n_values in (count * count + 1, count * count + 2):
        n_extra = n_values - count * count
        return f"; that is {n_extra} too many: remove the first line if it contains the size"
    return ""
