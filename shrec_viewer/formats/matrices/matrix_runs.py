"""Convert matrices to runs: shape, order of rows and columns, direction; and arrays of the first model numbers."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Cancelled, DistanceMatrix, DistanceRows, RankedLists, Severity
from shrec_viewer.formats.core.decisions import SET_EXPLICITLY, Alternative, Decision
from shrec_viewer.formats.core.findings_log import count_of, join_some
from shrec_viewer.formats.core.ids import IdIndex, RuleCounts
from shrec_viewer.formats.core.rank_evidence import UNLISTED
from shrec_viewer.formats.core.read_choices import METRICS, VECTOR_CELLS
from shrec_viewer.formats.core.read_context import ReadContext
from shrec_viewer.formats.core.read_options import DETECT_ALL, ReadOptions
from shrec_viewer.formats.io.array_files import DiskArray, FileMatrix
from shrec_viewer.formats.io.progress import CancelCheck, never_cancelled
from shrec_viewer.formats.matrices.interpretation import (
    DISTANCE_CELLS,
    MODEL_NUMBER_CELLS,
    MatrixOrder,
    are_truncated_lists,
    best_evidence,
    choose_order,
    evidence_of,
    from_condensed,
    interpret_cells,
    mirror_triangle,
    possible_orders,
    triangle_hint,
)
from shrec_viewer.formats.matrices.matrix import MatrixFile, in_memory
from shrec_viewer.formats.matrices.text_matrix import DAMAGED_ACTION
from shrec_viewer.formats.matrices.vectors import (
    distances_of_vectors,
    fault_of_vectors,
    find_vectors,
    misfit_of_vectors,
)
from shrec_viewer.formats.runs.checks import (
    CheckedList,
    ParsedList,
    check_list,
    log_lists,
    log_match_rules,
    log_queries_without_list,
    log_query_match_rules,
    log_ties,
    sorted_sample_rows,
    to_ranked_lists,
)
from shrec_viewer.read_only import read_only


@dataclass(frozen=True, eq=False)
class _ListedRanks(DiskArray):
    """Rank of each model in each row, from 0 on, `UNLISTED` for the others; made on access, as (R, M) is large.

    Attributes
    ----------
    numbers : (R, K) int64, the column of each listed model, best first; M for places without a model.
    """

    numbers: NDArray[np.int64]
    shape: tuple[int, int]
    dtype: np.dtype[Any]

    def read_rows(self, rows: NDArray[np.intp]) -> NDArray[Any]:
        """See `DiskArray.read_rows`."""
        numbers, n_models = self.numbers[rows], self.shape[1]
        found = np.full((len(numbers), n_models + 1), UNLISTED)
        found[np.arange(len(numbers))[:, np.newaxis], numbers] = np.arange(numbers.shape[1])
        return found[:, :n_models]


def are_number_lists(values: DistanceRows, context: ReadContext, options: ReadOptions) -> bool:
    """Whether an array is a list of model numbers for each query."""
    n_queries, n_models = len(context.queries), len(context.collection)
    if options.cells == DISTANCE_CELLS or values.ndim != 2 or len(values) != n_queries:
        return False
    if not are_truncated_lists(values, n_models):
        return False
    numbers = np.asarray(values)
    return bool(np.all((numbers == np.floor(numbers)) & (numbers >= -1) & (numbers <= n_models)))


def rank_number_lists(
    file: MatrixFile, context: ReadContext, options: ReadOptions, cancelled: CancelCheck
) -> RankedLists:
    """The lists of an array for which `are_number_lists` is true; RunIgnoredError if the order does not fit.

    Where no number is 0, the ranks of relevant models decide whether numbers are counted from 0 or 1; -1 is a place
    without a model.
    """
    numbers = np.asarray(file.values).astype(np.int64)
    base_of = {cells: base for base, cells in MODEL_NUMBER_CELLS.items()}
    possible = _possible_ranks(numbers, base_of.get(options.cells or ""), context)
    base, ranks = max(possible, key=lambda found: _clearness(found[1], context))
    listed, n_models = ranks.numbers, ranks.shape[1]
    context.findings_log.extend(file.findings)
    problem = f"rows of {count_of(numbers.shape[1], 'model number')} from {base} on, -1 is no model"
    bases = tuple(
        Alternative(MODEL_NUMBER_CELLS[first], measure=partial(best_evidence, found, context))
        for first, found in dict(possible).items()
    )
    is_sure = bool(np.any(numbers == 0)) or options.cells is not None
    decision = Decision("cells", bases, MODEL_NUMBER_CELLS[base], is_sure, problem=problem)
    context.findings_log.decide(file.path, decision)
    order = choose_order(file, ranks, context, options.order, False)
    lists: dict[int, CheckedList] = {}
    for row, query in enumerate(order.rows.tolist()):
        if cancelled():
            raise Cancelled
        if query >= 0:
            kept = listed[row][listed[row] < n_models]
            words, lines = tuple(map(str, (kept + base).tolist())), np.full(max(1, len(kept)), row + 1, np.int32)
            lists[query] = check_list(ParsedList(file.path, words, order.columns[kept], None, (), lines))
    lists = dict(sorted(lists.items()))
    log_lists(file.path, lists, context, ranked_by_line=True)
    return to_ranked_lists(lists, len(context.queries))


def _possible_ranks(
    numbers: NDArray[np.int64], base: int | None, context: ReadContext
) -> list[tuple[int, _ListedRanks]]:
    """Ranks among all models, and among those with a file, with numbers from 0 and from 1 on, as far as they fit."""
    bases = [0] if np.any(numbers == 0) else [0, 1]
    counts = (context.n_models_with_file, len(context.collection))
    found = [
        (first, count) for first in bases for count in counts if base in (None, first) and numbers.max() < count + first
    ]
    return [
        (first, _ListedRanks(np.where(numbers < first, count, numbers - first), (len(numbers), count), np.dtype(float)))
        for first, count in found or [(1, len(context.collection))]
    ]


def _clearness(ranks: _ListedRanks, context: ReadContext) -> float:
    """How much better than by chance the relevant models are ranked, in [-0.5, 0.5], in the best order."""
    best = best_evidence(ranks, context)
    return 0.5 - (1.0 if best is None else best.mean)


TABLE_HINT = "a table with rows 'query,model,model' can be read"

#: Minimum share of rows with the largest value on the diagonal for a square matrix to be similarities.
MIN_DIAGONAL_SHARE = 0.9


#: Order of a matrix with ids.
BY_IDS = "ids"


def interpret_matrix(
    file: MatrixFile, context: ReadContext, read_options: ReadOptions = DETECT_ALL
) -> tuple[DistanceMatrix, MatrixOrder]:
    """Convert a matrix, or feature vectors, to a run, with its order, of key `BY_IDS` if the ids in the file give it.

    Labels that are consecutive numbers but not ids are ignored, as are all labels if the order is set explicitly.

    Parameters
    ----------
    file : the matrix.
    read_options : options for order, direction and cells; those that are None are detected from the content.

    Raises
    ------
    RunIgnoredError
        If ids or shape do not fit.
    """
    if pairs := find_vectors(file, context, read_options.cells):
        distances, options = distances_of_vectors(file, pairs, context, read_options)
        ranking, order = interpret_matrix(distances, context, options)
        return replace(ranking, metric=read_options.metric or METRICS[0]), order
    if read_options.cells == VECTOR_CELLS:
        context.findings_log.ignore_run(file.path, misfit_of_vectors(file, context))
    if file.has_labels:
        is_counted = file.has_counter_labels and not matches_benchmark(file, context)
        if not is_counted and read_options.order is None:
            return _interpret_labelled(file, context, read_options)
        message = "the labels are consecutive numbers, or the order is set explicitly"
        context.findings_log.info(file.path, message, "labels ignored")
        file = replace(file, rows=(), columns=())
    file = from_condensed(replace(file, values=in_memory(file.values)), context)
    context.findings_log.extend(file.findings)
    numbers = _values_of_queries(file, context, read_options.order)
    if isinstance(numbers, np.ndarray):
        numbers = read_only(numbers)  # the same object as the values of the run, where these are not model numbers
    values, cells = interpret_cells(file, numbers, context, read_options)
    order = choose_order(file, values, context, read_options.order, read_options.similarity)
    if find_vectors(file, context, VECTOR_CELLS):
        cells = _or_vectors(cells, order, values, context)
    context.findings_log.decide(file.path, cells)
    return reorder_matrix(file, values, order, context, read_options.similarity), order


def reorder_matrix(
    file: MatrixFile, values: DistanceRows, chosen: MatrixOrder, context: ReadContext, similarity: bool | None
) -> DistanceMatrix:
    """Matrix with a known order, with its direction detected and its values checked."""
    rows = chosen.rows_of_queries(len(context.queries))
    n_unused = int(np.count_nonzero(chosen.rows < 0))
    if n_unused and not file.has_labels:  # labels are reported by `_match_labels`
        first = int(np.flatnonzero(chosen.rows < 0)[0]) + 1
        message = f"{count_of(n_unused, 'row is', 'rows are')} of no query, the first is row {first:,}"
        context.findings_log.warning(file.path, message, "ignored; the list of queries may be truncated")
    direction = decide_direction(values, chosen, context, similarity)
    context.findings_log.decide(file.path, direction)
    similarity = direction.chosen == "true"
    log_ties(file.path, sorted_sample_rows(values), context.findings_log)
    return DistanceMatrix(values, rows, chosen.columns, similarity)


def _values_of_queries(file: MatrixFile, context: ReadContext, order: str | None) -> DistanceRows:
    """Numbers of a file, (R, M); RunIgnoredError if the shape fits neither the benchmark nor the order."""
    values = reshape_values(file, context)
    shape = (values.shape[0], values.shape[1])
    if not (possible_orders(shape, context) or (order and possible_orders(shape, context, order))):
        if not _is_transposed(values, context):
            message = _wrong_shape(values, context) + fault_of_vectors(file, context)
            context.findings_log.ignore_run(file.path, message)
        rows, columns = values.shape
        problem = f"a matrix of {rows:,} x {columns:,}, the transpose of {columns:,} x {rows:,} (queries x models)"
        transposed_one = Alternative("transposed", "read transposed: its columns are the queries")
        transposing = Decision("transposed", (transposed_one,), "transposed", problem=problem)
        context.findings_log.decide(file.path, transposing, Severity.WARNING)
        values = _transposed(values)
    return mirror_triangle(file, values, context)


def _is_transposed(values: DistanceRows, context: ReadContext) -> bool:
    rows, columns = values.shape
    return (columns, rows) in possible_shapes(context) and bool(possible_orders((columns, rows), context))


def reshape_values(file: MatrixFile, context: ReadContext) -> DistanceRows:
    """Values as (R, M); a file without rows, or with a single one, is reshaped according to its size.

    Raises
    ------
    RunIgnoredError
        If the size is not that of a run.
    """
    if file.values.ndim == 2 and not (file.kind == "text" and 1 in file.values.shape):
        rows, columns = file.values.shape
        numbers = np.asarray(file.values[0]) if (rows - 1, columns) in possible_shapes(context) else np.zeros(0)
        if len(numbers) > 1 and np.array_equal(numbers, np.arange(numbers[0], numbers[0] + columns)):
            header = Decision(
                "header",
                (Alternative("header", "left out"),),
                "header",
                True,
                problem="the first line numbers the columns",
            )
            context.findings_log.decide(file.path, header)
            return file.values[1:]
        return file.values
    n_values = file.values.size
    shapes = possible_shapes(context)
    if exact := next(((rows, columns) for rows, columns in shapes if rows * columns == n_values), None):
        if not any(finding.action == DAMAGED_ACTION for finding in file.findings):
            return with_shape(file.values, *exact)
        message = f"as many numbers as {exact[0]:,} x {exact[1]:,}, but lines of different length are not its rows"
        context.findings_log.ignore_run(file.path, message)
    if file.values.ndim == 2:
        return file.values
    for rows, columns in shapes:
        n_extra = n_values - rows * columns
        if 0 < n_extra < columns and file.kind == "binary":
            message = f"{count_of(n_extra, 'number')} too many for {rows:,} x {columns:,}"
            context.findings_log.warning(file.path, message, "the last ones are ignored, as by the tools of Princeton")
            return with_shape(file.values, rows, columns)
    expected = " or ".join(f"{rows:,} x {columns:,}" for rows, columns in shapes)
    message = f"contains {count_of(n_values, 'number')} of type {file.values.dtype}, which is not {expected}"
    context.findings_log.ignore_run(file.path, message + triangle_hint(n_values, context))


def with_shape(values: DistanceRows, rows: int, columns: int) -> DistanceRows:
    """The first ``rows * columns`` values as a matrix."""
    if isinstance(values, FileMatrix):
        return replace(values, shape=(rows, columns))
    return np.asarray(values).reshape(-1)[: rows * columns].reshape(rows, columns)


def _transposed(values: DistanceRows) -> DistanceRows:
    """The matrix with the axes exchanged."""
    return values.transposed() if isinstance(values, FileMatrix) else np.asarray(values).T


def possible_shapes(context: ReadContext) -> list[tuple[int, int]]:
    """Shapes of a matrix with rows for all queries, the largest first."""
    counts = dict.fromkeys((len(context.collection), context.n_models_with_file))
    square = [(count, count) for count in counts if count] if context.queries.are_members else []
    return list(dict.fromkeys([*square, *((len(context.queries), count) for count in counts if count)]))


def _wrong_shape(values: DistanceRows, context: ReadContext) -> str:
    shape, possible = values.shape, possible_shapes(context)
    sizes = " or ".join(f"{rows:,} x {columns:,}" for rows, columns in possible)
    message = f"a matrix of {shape[0]:,} x {shape[1]:,}, but {sizes} is expected (queries x models)"
    for rows, columns in possible:
        if shape[1] == columns and shape[0] > rows and shape[0] % rows == 0:
            return f"{message}; probably {shape[0] // rows} matrices in one file"
    if are_truncated_lists(values, len(context.collection)):
        return f"{message}; its rows look like truncated lists of model numbers: {TABLE_HINT}"
    return message


#: Reason for reading a matrix as similarities.
OWN_VALUE_LARGEST = "every model has the largest value in its own row"


def is_own_value_largest(values: DistanceRows, order: MatrixOrder, context: ReadContext) -> bool:
    """Whether nearly every query has the largest value of its row in its own column; only if queries are models."""
    return _own_value_share(values, order, context, np.max) >= MIN_DIAGONAL_SHARE


def _own_value_share(
    values: DistanceRows, order: MatrixOrder, context: ReadContext, extreme: Callable[[NDArray[np.floating]], Any]
) -> float:
    """Share of the sampled rows in which a query has the smallest or largest value itself; 0 if it is no model."""
    if not context.queries.are_members:
        return 0.0
    member = context.queries.member
    is_extreme = []
    for row in range(0, len(values), max(1, len(values) // 64)):
        own = np.flatnonzero((order.columns == member[order.rows[row]]) & (order.rows[row] >= 0))
        line = np.asarray(values[row])
        finite = line[np.isfinite(line)]
        if len(own) and np.isfinite(line[own[0]]) and finite.min() < finite.max():
            is_extreme.append(bool(line[own[0]] == extreme(finite)))
    return float(np.mean(is_extreme)) if is_extreme else 0.0


#: Share of rows with the smallest or largest value on the diagonal above which a square matrix has distances.
MAX_VECTOR_SHARE = 0.5


def _or_vectors(cells: Decision, order: MatrixOrder, values: DistanceRows, context: ReadContext) -> Decision:
    """A decision that the square matrix may be the vectors of as many dimensions as there are models instead."""
    readings = (*cells.alternatives, Alternative(VECTOR_CELLS, outcome="distances are computed with a metric"))
    shares = [_own_value_share(values, order, context, extreme) for extreme in (np.min, np.max)]
    if cells.problem or cells.reason or max(shares) > MAX_VECTOR_SHARE:
        return replace(cells, readings=readings)
    problem = "as many columns as models, and few queries are nearest to, or farthest from, themselves"
    return replace(cells, readings=readings, is_sure=True, problem=problem)


def decide_direction(
    values: DistanceRows, order: MatrixOrder, context: ReadContext, similarity: bool | None
) -> Decision:
    """Whether larger values are more similar: decided by the diagonal; `log_chance` warns about other similarities."""
    alternatives = tuple(
        Alternative(value, measure=partial(evidence_of, values, order, context, similarity=value == "true"))
        for value in ("false", "true")
    )
    if similarity is not None:
        return Decision("similarity", alternatives, str(similarity).lower(), True, SET_EXPLICITLY)
    if is_own_value_largest(values, order, context):
        return Decision("similarity", alternatives, "true", problem=OWN_VALUE_LARGEST)
    return Decision("similarity", alternatives, "false")


#: Minimum size of a matrix of the wrong shape, as a share of the expected size, to be reported as an unusable run;
#: tables of scores and curves are far smaller.
MIN_SIZE_SHARE = 0.25


def accept_matrix(file: MatrixFile, context: ReadContext) -> bool:
    """Whether a matrix is a run by its labels or shape, or has a size near enough to report why it cannot be used.

    Also whether it holds feature vectors; those of queries alone are a finding.
    """
    shape = n_queries, n_models = len(context.queries), len(context.collection)
    if file.has_counter_labels:
        if file.values.ndim == 2 and file.values.shape[1] in (n_models, context.n_models_with_file):
            return True
        if file.values.size >= MIN_SIZE_SHARE * n_queries * n_models > 0 or find_vectors(file, context):
            return True
        return len(file.values) == n_queries and are_truncated_lists(file.values, n_models)
    if find_vectors(file, context):
        return True
    if not matches_benchmark(file, context) and not matches_benchmark(transposed(file), context):
        return file.values.shape == shape
    if file.columns or file.values.shape[1] == n_models:
        return True
    message = f"its rows are queries, but it has {file.values.shape[1]:,} columns for {n_models:,} models"
    context.findings_log.warning(file.path, message, "treated as features of queries without those of models; ignored")
    return False


#: Minimum share of known ids among the labels of a matrix of the benchmark.
KNOWN_SHARE = 0.5


def _labels(file: MatrixFile, context: ReadContext, axis: int) -> tuple[str, str, tuple[str, ...], IdIndex]:
    """Names of an axis and of its items, the labels, and the ids that they should be."""
    if axis:
        return "column", "model", file.columns, context.items
    return "row", "query", file.rows, context.query_ids


def matches_benchmark(file: MatrixFile, context: ReadContext) -> bool:
    """Whether most column labels are models or, without column labels, most row labels are queries.

    Labels that are consecutive numbers must all be exact ids.
    """
    _, _, labels, index = _labels(file, context, bool(file.columns))
    if file.has_counter_labels:
        return index.share(labels, exact=True) == 1.0
    return index.share(labels) >= KNOWN_SHARE


def rank_matrix(
    file: MatrixFile,
    context: ReadContext,
    read_options: ReadOptions = DETECT_ALL,
    cancelled: CancelCheck = never_cancelled,
) -> DistanceMatrix | RankedLists:
    """The run of `interpret_matrix`, or lists of model numbers."""
    if not file.has_labels and are_number_lists(file.values, context, read_options):
        return rank_number_lists(file, context, read_options, cancelled)
    return interpret_matrix(file, context, read_options)[0]


def transposed(file: MatrixFile) -> MatrixFile:
    """The matrix with rows and columns exchanged."""
    values, rows, columns = _transposed(file.values), file.columns, file.rows
    return replace(
        file, values=values, rows=rows, columns=columns, row_lines=file.column_lines, column_lines=file.row_lines
    )


def _interpret_labelled(
    file: MatrixFile, context: ReadContext, read_options: ReadOptions
) -> tuple[DistanceMatrix, MatrixOrder]:
    """Convert a matrix to a run by its ids; RunIgnoredError if they are not those of the benchmark."""
    context.findings_log.extend(file.findings)
    file = replace(file, values=in_memory(file.values))
    is_misfit = file.rows and file.columns and not matches_benchmark(file, context)
    if is_misfit and matches_benchmark(transposed(file), context):
        context.findings_log.warning(file.path, "its rows are models and its columns are queries", "read transposed")
        file = transposed(file)
    if not matches_benchmark(file, context):
        side, item_name, labels, known = _labels(file, context, bool(file.columns))
        message = f"its {side}s are labelled '{labels[0]}' to '{labels[-1]}'"
        if known:
            message += f", but '{known.ids[0]}' is a {item_name} here{known.notation_hint(labels)}"
        context.findings_log.ignore_run(file.path, message)
    columns = _indices_of_axis(file, 1, context)
    rows = _indices_of_axis(file, 0, context, columns)
    if not np.any(rows >= 0):
        message = f"none of its rows is a query{context.unknown_query_example(file.rows)}"
        context.findings_log.ignore_run(file.path, message)
    sides = " and ".join(side for side, labels in (("columns", file.columns), ("rows", file.rows)) if labels)
    size = f"matrix of {file.values.shape[0]:,} x {file.values.shape[1]:,}"
    context.findings_log.info(file.path, size, f"ordered by the ids of its {sides}")
    log_queries_without_list(file.path, rows[rows >= 0].tolist(), context, is_one_file=True)
    absent = np.setdiff1d(np.arange(len(context.collection)), columns).tolist()
    if absent:
        names = join_some([context.collection.ids[item] for item in absent])
        message = f"{count_of(len(absent), 'model has', 'models have')} no column: {names}"
        context.findings_log.info(file.path, message, "models not listed count as not retrieved")
    order = MatrixOrder(BY_IDS, sides, rows, columns)
    ranking = reorder_matrix(file, file.values, order, context, read_options.similarity)
    return replace(ranking, column_ids=tuple(file.columns)), order


def _indices_of_axis(
    file: MatrixFile, axis: int, context: ReadContext, columns: NDArray[np.int32] | None = None
) -> NDArray[np.int32]:
    """Query of each row (axis 0), or model of each column (1): by label, else like the other axis, else in order.

    Parameters
    ----------
    columns : model of each column, for the rows.

    Raises
    ------
    RunIgnoredError
        If there are not as many.
    """
    side, item_name, labels, known = _labels(file, context, axis)
    if labels:
        if not axis:
            log_query_match_rules(file.path, labels, context)
        return _match_labels(file, axis, context)
    other, log, count = ("column", "row")[axis], context.findings_log, file.values.shape[axis]
    problem = f"only the {other}s have labels"
    found = None
    if axis and file.values.shape[0] == count:
        found = known.indices_of(file.rows)
        found = found if np.all(found >= 0) and len(np.unique(found)) == count else None
    elif columns is not None and context.queries.are_members and count == len(columns):
        found = context.query_of_model[columns]
    if found is not None:
        log.info(file.path, problem, f"the {side}s are assumed to be in the same order")
        return found
    if count == len(known):
        order = context.order_source if axis else "the queries"
        log.warning(file.path, f"{problem}, not the {side}s", f"assumed to be in the order of {order}")
        return np.arange(count, dtype=np.int32)
    items = count_of(len(known), item_name, "queries" if item_name == "query" else "")
    log.ignore_run(file.path, f"{problem}, and there are {count_of(count, side)} for {items}")


def _match_labels(file: MatrixFile, axis: int, context: ReadContext) -> NDArray[np.int32]:
    """Index of each label; -1, with a finding, for unknown labels and repetitions."""
    side, item_name, labels, known = _labels(file, context, axis)
    rules: RuleCounts = {}
    indices = known.indices_of(labels, rules)
    unknown = [labels[at] for at in np.flatnonzero(indices < 0).tolist()]
    if unknown:
        several = count_of(len(unknown), f"{side} is", f"{side}s are")
        context.findings_log.warning(file.path, f"{several} of an unknown {item_name}: {join_some(unknown)}", "ignored")
    repeated = np.setdiff1d(np.flatnonzero(indices >= 0), np.unique(indices, return_index=True)[1]).tolist()
    if repeated:
        several = count_of(len(repeated), f"{side} has", f"{side}s have")
        message = f"{several} the id of another: {join_some([labels[at] for at in repeated])}"
        lines = (file.row_lines or range(1, len(labels) + 1), file.column_lines or (1,) * len(labels))[axis]
        context.findings_log.error(file.path, message, "the first occurrence is used", line=lines[repeated[0]])
        indices[repeated] = -1
    if axis:
        log_match_rules(file.path, rules, context, len(labels))
    return indices
