"""Interpret an unlabelled matrix: distances, ranks or model numbers, and the orders of rows and columns."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import DistanceRows, FormatError
from shrec_viewer.formats.core.decisions import SET_EXPLICITLY, Alternative, Decision
from shrec_viewer.formats.core.evidence import CLEAR_Z, RankEvidence, clearly_best, z_score
from shrec_viewer.formats.core.findings_log import count_of, join_some
from shrec_viewer.formats.core.ids import IdIndex, are_positions, natural_order, trailing_numbers
from shrec_viewer.formats.core.rank_evidence import matrix_keys, rank_evidence
from shrec_viewer.formats.core.read_choices import CELL_VALUES, MATRIX_ORDERS
from shrec_viewer.formats.core.read_context import ReadContext
from shrec_viewer.formats.core.read_options import ReadOptions
from shrec_viewer.formats.core.run_checks import BLOCK_VALUES
from shrec_viewer.formats.matrices.matrix import MatrixFile
from shrec_viewer.formats.matrices.text_matrix import GROWING_LINES, SHRINKING_LINES
from shrec_viewer.formats.truth.id_lists import read_plain_ids
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
    key : one of MATRIX_ORDERS, or the path of a list of ids, of the columns.
    description : text for findings.
    rows : (R,) int32, query of each row, or -1.
    columns : (M,) int32, model of each column, or -1.
    """

    key: str
    description: str
    rows: NDArray[np.int32]
    columns: NDArray[np.int32]

    def rows_of_queries(self, n_queries: int) -> NDArray[np.int32]:
        """(Q,) int32, row of each query, or -1."""
        found = np.full(n_queries, -1, np.int32)
        used = np.flatnonzero(self.rows >= 0)
        found[self.rows[used]] = used
        return found


OrderCandidates = dict[str, tuple[str, NDArray[np.int32]]]


def possible_orders(shape: tuple[int, int], context: ReadContext, key: str | None = None) -> list[MatrixOrder]:
    """All distinct orders for a matrix of this shape, (rows, columns); empty if the shape does not fit.

    If models are the queries, rows and columns of a square matrix have the same order. With `key`, only orders with
    these columns; a list of ids gives the order of the columns, of the rows, or of both, as its length fits.
    """
    columns, rows = (_axis_orders(shape[axis], context, key, is_column=axis == 1) for axis in (1, 0))
    if key is None or (key in rows and key not in (*columns, *MATRIX_ORDERS)):
        columns = _distinct_orders(columns)
    else:
        columns = {name: found for name, found in columns.items() if name == key}
    if context.queries.are_members and shape[0] == shape[1]:
        query_of = context.query_of_model
        return [MatrixOrder(key, text, query_of[models], models) for key, (text, models) in columns.items()]
    orders = []
    for key, (text, models) in columns.items():
        # False sorts first. Of equal orders the first is kept, and its text should name the key of the columns.
        same_key_first = {row_key: rows[row_key] for row_key in sorted(rows, key=key.__ne__)}
        for row_text, queries in _distinct_orders(same_key_first).values():
            orders.append(MatrixOrder(key, f"columns: {text}; rows: {row_text}", queries, models))
    return orders


def _by_characters(ids: Sequence[str]) -> NDArray[np.int32]:
    """Order in which programs list files: ``M1, M10, M2``."""
    return np.array(sorted(range(len(ids)), key=ids.__getitem__), np.int32)


def _listed_order(count: int, known: IdIndex, context: ReadContext, key: str | None) -> OrderCandidates:
    """The order of a list of ids, -1 for unknown ones; empty if `key` is no list, or one of another length."""
    if key is None or key in MATRIX_ORDERS:
        return {}
    path = context.findings_log.root / key
    if not path.is_file():
        raise FormatError(path, f"is no file; an order is one of {', '.join(MATRIX_ORDERS)}, or a list of ids")
    ids = read_plain_ids(path)
    order = known.indices_of(ids)
    n_unknown = int(np.count_nonzero(order < 0))
    if len(ids) != count or n_unknown == count:
        return {}
    names = join_some([ids[place] for place in np.flatnonzero(order < 0).tolist()])
    unknown = f" ({count_of(n_unknown, 'unknown id')}: {names})" if n_unknown else ""
    return {key: (f"order of '{Path(key).name}'{unknown}", order)}


def _listed_fault(context: ReadContext, key: str | None) -> str:
    """What a list of ids that fits no axis has; "" for other orders."""
    if key is None or key in MATRIX_ORDERS:
        return ""
    ids = read_plain_ids(context.findings_log.root / key)
    known = (context.items, context.query_ids)
    unknown = next((name for name in ids if all(index.index_of(name) < 0 for index in known)), None)
    named = "" if unknown is None else f", and '{unknown}' is neither a model nor a query"
    return f"it lists {count_of(len(ids), 'id')}{named}; "


def _axis_orders(count: int, context: ReadContext, key: str | None, *, is_column: bool) -> OrderCandidates:
    """Orders of the columns, or of the rows, of a matrix with this many; that of characters only on request."""
    known = context.items if is_column else context.query_ids
    if found := _listed_order(count, known, context, key):
        return found
    ids, of_all = known.ids, "of all ids" if is_column else "of the queries"
    if count == len(ids):
        source = context.order_source if is_column else "the queries"
        found[CLASSIFICATION] = (f"order of {source}", np.arange(count, dtype=np.int32))
        found[NAMES] = (f"natural order {of_all}", context.id_order if is_column else natural_order(ids))
        if key == CHARACTERS:  # with every other order, it would fit as well
            found[CHARACTERS] = (f"order of the characters {of_all}", _by_characters(ids))
    elif is_column and count == context.n_models_with_file:
        found[NAMES] = (f"natural order of the {count:,} file names", context.models_with_file)
        if key == CHARACTERS:
            names = [path.name if path is not None else "" for path in context.collection.paths]
            by_name = _by_characters(names)
            found[CHARACTERS] = (f"order of the characters of the {count:,} file names", by_name[len(ids) - count :])
    if (numbered := _order_by_number(count, context.id_numbers if is_column else trailing_numbers(ids))) is not None:
        found[NUMBERS] = ("numbers in the ids" if is_column else "numbers in the queries' ids", numbered)
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


#: Orders by preference: binary matrices of Princeton follow the classification, later ASCII matrices the ids.
DEFAULT_ORDERS = {
    "binary": (CLASSIFICATION, NAMES, NUMBERS),
    "text": (NAMES, NUMBERS, CLASSIFICATION),
    "npy": (NAMES, NUMBERS, CLASSIFICATION),
    "mat": (NAMES, NUMBERS, CLASSIFICATION),
}

#: Share of the best order's distance from chance with which columns are the numbers that the ids state.
#:
#: Wrong labels in the classification make its order better than the right one: 20 of 448 swapped labels of SHREC 2021
#: leave 0.88 of the distance or more, 40 leave 0.76. Numbers of models that are only roughly in the order of the
#: classes, as those of Princeton's benchmark, leave 0.69 if the columns follow the classification.
NUMBERED_SHARE = 0.75

NUMBERED_REASON = "the ids are the numbers of the columns"
BEST_RANKS_REASON = "relevant models have better ranks than in any other order"
#: Why an order was chosen.
LAST_RANKS_REASON = "relevant models are nearer to the ends of the lists than in any other order"


def choose_order(
    file: MatrixFile, values: DistanceRows, context: ReadContext, key: str | None, similarity: bool | None
) -> MatrixOrder:
    """Choose the order of a matrix whose shape fits; RunIgnoredError if the requested order does not fit.

    That is the order with the best ranks of relevant models; if none is clearly better, the usual one of the format.

    Parameters
    ----------
    file, values : the matrix, (R, M).
    key : requested order of the columns, or None.
    similarity : whether larger values are more similar; None if unknown.
    """
    shape, log = (values.shape[0], values.shape[1]), context.findings_log
    orders = possible_orders(shape, context, key)
    size = f"matrix of {shape[0]:,} x {shape[1]:,}"
    if not orders:
        possible = " or ".join(dict.fromkeys(order.key for order in possible_orders(shape, context)))
        fault = _listed_fault(context, key)
        log.ignore_run(
            file.path, f"order '{key}' does not fit its {count_of(shape[1], 'column')}; {fault}{possible} would"
        )
    orders.sort(key=lambda order: (*DEFAULT_ORDERS[file.kind], order.key).index(order.key))
    chosen, is_sure, is_usual, reason, is_similarity = orders[0], True, True, "", bool(similarity)
    found: RankEvidence | None = None
    fixed = next((order for order in orders if order.key == context.fixed_order), None)
    problem = f"{size}; {len(orders)} orders fit" if len(orders) > 1 else size
    if key is not None and (key in MATRIX_ORDERS or len(orders) == 1):
        problem, reason = f"{size}, order '{key}'", SET_EXPLICITLY
    elif len(orders) > 1 and fixed is not None:
        chosen, reason = fixed, "it is the order of the chosen profile"
    elif len(orders) > 1:
        evidence, is_reversed = _order_evidence(values, orders, context, similarity)
        best, is_best = _best_order(evidence, prefers_first=_has_numbered_columns(file, orders[0], context))
        chosen, is_sure, is_usual = orders[best or 0], best is not None and is_best, best == 0
        if best is None:
            problem += " and cannot be distinguished"
            reason = "it is the usual order"
        else:
            found, is_similarity, is_guess = evidence[best], is_reversed, is_reversed and similarity is None
            second = min(one.mean for index, one in enumerate(evidence) if index != best)
            problem += (
                f"; the mean relative rank of relevant models {'from the end of the lists ' if is_guess else ''}is "
                f"{format_percent(evidence[best].mean, 1)} in one, at best {format_percent(second, 1)} in others"
            )
            reason = NUMBERED_REASON if not is_best else LAST_RANKS_REASON if is_guess else BEST_RANKS_REASON
    measure = partial(evidence_of, values, chosen, context, similarity=is_similarity)
    known = Alternative(chosen.key, chosen.description, measure=measure if found is None else lambda: found)
    others = partial(_order_alternatives, values, chosen, known, context, similarity=is_similarity)
    decision = Decision("order", others, chosen.key, is_sure, reason, problem, is_usual, len(orders) == 1, known)
    log.decide(file.path, decision)
    return chosen


def _order_alternatives(
    values: DistanceRows, chosen: MatrixOrder, known: Alternative, context: ReadContext, *, similarity: bool
) -> tuple[Alternative, ...]:
    """The order that was chosen, `known`, and those that an option selects: with its key, that of other rows."""
    shape, alternatives = (values.shape[0], values.shape[1]), [known]
    seen = [(chosen.rows.tobytes(), chosen.columns.tobytes())]
    for key in MATRIX_ORDERS:
        for order in possible_orders(shape, context, key)[:1]:
            arrays = (order.rows.tobytes(), order.columns.tobytes())
            # The order of characters fits wherever another one does, and is named by `log_chance` only.
            differs = arrays not in seen and key != CHARACTERS
            measure = partial(evidence_of, values, order, context, similarity=similarity)
            alternatives.append(Alternative(key, order.description, differs=differs, measure=measure))
            seen.append(arrays)
    return tuple(alternatives)


def _has_numbered_columns(file: MatrixFile, order: MatrixOrder, context: ReadContext) -> bool:
    """Whether the ids of the models are the numbers of the columns in this order; never in Princeton's matrices."""
    return file.kind != "binary" and order.key != CLASSIFICATION and are_positions(context.collection.ids)


def evidence_of(
    values: DistanceRows, order: MatrixOrder, context: ReadContext, *, similarity: bool = False
) -> RankEvidence:
    """Ranks of relevant models if a matrix has an order."""
    n_queries, n_models = len(context.queries), len(context.collection)
    rows = order.rows_of_queries(n_queries)
    return rank_evidence(matrix_keys(values, rows, order.columns, n_models, similarity=similarity), context)


def best_evidence(
    values: DistanceRows, context: ReadContext, key: str | None = None, *, similarity: bool = False
) -> RankEvidence | None:
    """Ranks of relevant models in the order that gives the best; None if no order fits; see `possible_orders`."""
    orders = possible_orders((values.shape[0], values.shape[1]), context, key)
    found = [evidence_of(values, order, context, similarity=similarity) for order in orders]
    return min(found, key=lambda one: one.mean, default=None)


def _order_evidence(
    values: DistanceRows, orders: list[MatrixOrder], context: ReadContext, similarity: bool | None
) -> tuple[list[RankEvidence], bool]:
    """Ranks of relevant models in each order, and whether they are those of similarities.

    A wrong order gives a mean of 0.5 in both directions, the right one is far from it: below for distances, above for
    similarities. The direction is `similarity`, or that in which an order differs most from chance.
    """
    found = [evidence_of(values, order, context, similarity=bool(similarity)) for order in orders]
    if similarity is not None or max(found, key=lambda one: abs(one.mean - 0.5)).mean <= 0.5:
        return found, bool(similarity)
    return [evidence_of(values, order, context, similarity=True) for order in orders], True


def _best_order(evidence: list[RankEvidence], *, prefers_first: bool = False) -> tuple[int | None, bool]:
    """Index of the order that is clearly the best, or preferred, else None; and whether it has the best ranks.

    Parameters
    ----------
    prefers_first : whether the first order is taken instead of a better one if it has `NUMBERED_SHARE` of its evidence.
    """
    means = [found.mean for found in evidence]
    best = int(np.argmin(means))
    is_first_clear = z_score(evidence[0].shares) > CLEAR_Z
    if prefers_first and is_first_clear and 0.5 - means[0] >= NUMBERED_SHARE * (0.5 - means[best]):
        return 0, best == 0
    return clearly_best(evidence), True


#: Minimum size: rows of three integer distances are often a permutation of 0, 1, 2 by chance.
MIN_MODELS = 4

#: Minimum share of rows that start with their own number, or have the smallest value on the diagonal.
SELF_SHARE = 0.9

#: Number of rows tested for truncated lists; one row of distances is enough to fail the test.
SAMPLED_ROWS = 64

DISTANCE_CELLS = CELL_VALUES[0]
#: Values of `ReadOptions.cells` for ranked model numbers, by their smallest number.
MODEL_NUMBER_CELLS = {1: CELL_VALUES[1], 0: CELL_VALUES[2]}


def interpret_cells(
    file: MatrixFile, values: DistanceRows, context: ReadContext, read_options: ReadOptions
) -> tuple[DistanceRows, Decision]:
    """Convert cells to distances or ranks; RunIgnoredError if they contradict `read_options.cells`.

    Rows that are permutations of the numbers from 0 or 1 on are either model numbers, best first (the result of
    argsort), or the ranks of the models in the columns. This is decided by `read_options.cells`, else by the diagonal,
    else by the relevance assessment.

    Parameters
    ----------
    file, values : the matrix, (R, M) as in the file.
    read_options : options for cells, order and direction.
    """
    base = permutation_base(values)
    wanted = read_options.cells
    if wanted not in (None, DISTANCE_CELLS) and (base is None or MODEL_NUMBER_CELLS[base] != wanted):
        message = f"its rows are not permutations of the numbers from {wanted[-1]} on, as '{wanted}' requires"
        context.findings_log.ignore_run(file.path, message)
    cells = {DISTANCE_CELLS: values}
    chosen, reason, problem = DISTANCE_CELLS, "", ""
    is_open = wanted is None and read_options.similarity is None
    if base is not None and possible_orders((values.shape[0], values.shape[1]), context):
        ranks = ranks_from_model_numbers(values) if is_open or wanted == MODEL_NUMBER_CELLS[base] else values
        cells[MODEL_NUMBER_CELLS[base]] = ranks
        problem = f"each row is a permutation of the numbers {base} to {base + values.shape[1] - 1:,}"
        if is_open:
            problem += ": ranked model numbers, or the rank of each model?"
            is_ranked, reason = _decide_by_diagonal(values, base, context)
            if is_ranked is None:
                is_ranked, reason = _decide_by_truth(values, ranks, context, read_options)
            chosen, reason = DISTANCE_CELLS if is_ranked is False else MODEL_NUMBER_CELLS[base], reason or USUAL_CELLS
    if wanted is not None:
        chosen, reason = wanted, SET_EXPLICITLY
    if chosen == DISTANCE_CELLS and reason in ("", SET_EXPLICITLY):
        problem = ""
    alternatives = tuple(
        Alternative(key, measure=partial(best_evidence, numbers, context, read_options.order) if problem else None)
        for key, numbers in cells.items()
    )
    is_sure = reason == SET_EXPLICITLY or len(cells) == 1
    return cells[chosen], Decision("cells", alternatives, chosen, is_sure, reason, problem)


#: Why rows of model numbers are taken for them without evidence.
USUAL_CELLS = "that is the usual case"


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


def ranks_from_model_numbers(values: DistanceRows) -> NDArray[np.floating]:
    """Convert rows of consecutive model numbers, best first, to the rank of each model, (R, M) from 0 on."""
    # float32 represents whole numbers up to 2^24 exactly, in half the memory.
    ranks = np.empty(values.shape, np.float32 if values.shape[1] < 2**24 else np.float64)
    for row in range(len(values)):
        ranks[row] = np.argsort(values[row])
    return ranks


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
    values: DistanceRows, ranks: DistanceRows, context: ReadContext, read_options: ReadOptions
) -> tuple[bool | None, str]:
    found = [best_evidence(cells, context, read_options.order) for cells in (ranks, values)]
    evidence = [one for one in found if one is not None]
    best = clearly_best(evidence, CLEAR_Z) if len(evidence) == len(found) else None
    if best is None:
        return None, ""
    reason = f"the mean relative rank of relevant models is then {format_percent(evidence[best].mean, 1)}"
    return best == 0, f"{reason}, else {format_percent(evidence[1 - best].mean, 1)}"


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
    """Whether rows are distinct model numbers, fewer than models: truncated ranked lists, also with -1 for no model."""
    if values.ndim != 2 or not MIN_MODELS <= values.shape[1] <= count:
        return False
    rows = np.sort(np.asarray(values[:SAMPLED_ROWS], np.float64), axis=1)
    is_whole = bool(np.all((rows == np.floor(rows)) & (rows >= -1) & (rows <= count)))
    is_padded = bool(np.any(rows < 0))
    is_shorter = values.shape[1] < count or is_padded
    return is_whole and is_shorter and bool(np.all((np.diff(rows, axis=1) > 0) | (rows[:, 1:] == -1)))


def triangle_hint(n_values: int, context: ReadContext) -> str:
    """Hint to append to a message if `n_values` fits one triangle of the expected matrix, else ""."""
    count = len(context.collection)
    if not context.queries.are_members:
        return ""
    for side, with_diagonal in ((-1, "without"), (1, "with")):
        if n_values == count * (count + side) // 2:
            return (
                f"; this is one triangle {with_diagonal} the diagonal, but all {count:,} x {count:,} values are needed"
            )
    if n_values in (count * count + 1, count * count + 2):
        n_extra = n_values - count * count
        return f"; that is {n_extra} too many: remove the first line if it contains the size"
    return ""
