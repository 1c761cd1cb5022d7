"""Matrices as runs: their shape checked, rows and columns put in order, direction and odd values noticed."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Cancelled, DistanceMatrix
from shrec_viewer.formats.cells import are_cut_lists, from_condensed, triangle_words, whole_matrix, with_cells_read
from shrec_viewer.formats.context import Context
from shrec_viewer.formats.hints import direction_hint
from shrec_viewer.formats.journal import count_of
from shrec_viewer.formats.matrix import MatrixFile
from shrec_viewer.formats.order_choice import CLEAR, choose_order, relevant_shares, surety
from shrec_viewer.formats.orders import Order, fitting_orders
from shrec_viewer.formats.reader import never
from shrec_viewer.formats.reading import UNSAID, Reading
from shrec_viewer.formats.ties import note_ties, sampled_rows

BLOCK_VALUES = 4_000_000
"""Values looked at in one go: 32 MB as float64."""

AS_TABLE = "a table with rows 'query,model,model' can be read"

DIAGONAL_SHARE = 0.9
"""Share of rows whose own model must be farthest for a square matrix to be one of similarities."""


def read_matrix_run(
    file: MatrixFile,
    context: Context,
    reading: Reading = UNSAID,
    cancelled: Callable[[], bool] = never,
) -> DistanceMatrix | None:
    """A matrix as the answers to the benchmark's queries; None, and an error finding, where its shape does not fit.

    Parameters
    ----------
    file : the matrix.
    reading : what the person says about columns, direction and numbers; what nobody says is told from the content.
    cancelled : asked while values are looked at.
    """
    file = from_condensed(file, context)
    context.journal.extend(file.findings)
    values = understood(file, context, reading)
    if values is None:
        return None
    chosen = choose_order(file, values, context, reading.order, reading.similarity)
    return None if chosen is None else placed_matrix(file, values, chosen, context, reading.similarity, cancelled)


def placed_matrix(
    file: MatrixFile,
    values: NDArray[np.floating],
    chosen: Order,
    context: Context,
    similarity: bool | None,
    cancelled: Callable[[], bool] = never,
) -> DistanceMatrix:
    """A matrix whose rows and columns are known, with its direction told and its values looked at."""
    rows = np.full(len(context.queries), -1, np.int32)
    answered = np.flatnonzero(chosen.rows >= 0)
    rows[chosen.rows[answered]] = answered
    if similarity is None:
        similarity = _are_similarities(file.path, values, chosen, context)
    _note_values(file.path, values, context, cancelled)
    note_ties(file.path, sampled_rows(values), context.journal)
    return DistanceMatrix(values, rows, chosen.columns, bool(similarity))


def understood(file: MatrixFile, context: Context, reading: Reading = UNSAID) -> NDArray[np.floating] | None:
    """The numbers as (R, M) in the usual meaning; None, and an error finding, where they do not fit the benchmark."""
    values = shaped(from_condensed(file, context), context)
    if values is None:
        return None
    if not fitting_orders((values.shape[0], values.shape[1]), context):
        if not _is_turned(values, context):
            context.journal.error(file.path, _wrong_shape(values, context), "the run is left out")
            return None
        rows, columns = values.shape
        message = f"a matrix of {rows:,} x {columns:,}, the transpose of {columns:,} x {rows:,} (queries x models)"
        context.journal.warning(file.path, message, "read transposed: its columns are the queries")
        values = values.T
    return with_cells_read(file, whole_matrix(file, values, context), context, reading)


def _is_turned(values: NDArray[np.floating], context: Context) -> bool:
    rows, columns = values.shape
    return (columns, rows) in _possible_shapes(context) and bool(fitting_orders((columns, rows), context))


def shaped(file: MatrixFile, context: Context) -> NDArray[np.floating] | None:
    """The values as (R, M); a file without rows, or with all numbers in one, gets the shape whose size it has."""
    if file.values.ndim == 2 and not (file.kind == "text" and 1 in file.values.shape):
        return file.values
    n_values = file.values.size
    for rows, columns in _possible_shapes(context):
        if rows * columns == n_values:
            return file.values.reshape(rows, columns)
    if file.values.ndim == 2:
        return file.values
    for rows, columns in _possible_shapes(context):
        spare = n_values - rows * columns
        if 0 < spare < columns and file.kind == "binary":
            message = f"{count_of(spare, 'number')} too many for {rows:,} x {columns:,}"
            context.journal.warning(file.path, message, "those at the end are left out, as Princeton's tools do")
            return file.values[: rows * columns].reshape(rows, columns)
    shapes = " or ".join(f"{rows:,} x {columns:,}" for rows, columns in _possible_shapes(context))
    message = f"holds {count_of(n_values, 'number')} of type {file.values.dtype}, which is not {shapes}"
    message += triangle_words(n_values, context)
    context.journal.error(file.path, message, "the run is left out")
    return None


def _possible_shapes(context: Context) -> list[tuple[int, int]]:
    """Shapes of a matrix that answers all queries, the fullest first."""
    counts = dict.fromkeys((len(context.collection), len(context.models_with_file)))
    square = [(count, count) for count in counts if count] if context.queries.are_the_collection else []
    return list(dict.fromkeys([*square, *((len(context.queries), count) for count in counts if count)]))


def _wrong_shape(values: NDArray[np.floating], context: Context) -> str:
    shape, wanted = values.shape, _possible_shapes(context)
    said = " or ".join(f"{rows:,} x {columns:,}" for rows, columns in wanted)
    message = f"a matrix of {shape[0]:,} x {shape[1]:,}, but {said} is expected (queries x models)"
    for rows, columns in wanted:
        if shape[1] == columns and shape[0] > rows and shape[0] % rows == 0:
            return f"{message}; it looks like {shape[0] // rows} matrices in one file"
    if are_cut_lists(values, len(context.collection)):
        return f"{message}; its rows look like ranked model numbers that end early: {AS_TABLE}"
    return message


def _are_similarities(path: Path, values: NDArray[np.floating], order: Order, context: Context) -> bool:
    """Whether larger is nearer: a model is most similar to itself. Without that, only a warning."""
    member = context.queries.member
    if context.queries.are_the_collection:
        farthest = []
        for row in range(0, len(values), max(1, len(values) // 64)):
            own = np.flatnonzero((order.columns == member[order.rows[row]]) & (order.rows[row] >= 0))
            line = np.asarray(values[row])
            if len(own) and np.isfinite(line).all() and line.min() < line.max():
                farthest.append(line[own[0]] == line.max())
        if farthest and np.mean(farthest) >= DIAGONAL_SHARE:
            message = "every model has the largest value with itself"
            hint = direction_hint(context.journal.place(path), similarity=False)
            context.journal.warning(path, message, f"read as similarities; if smaller is nearer: {hint}")
            return True
    if context.assessment is not None:
        shares = relevant_shares(values, order, context.assessment, member)
        if surety(shares) < -CLEAR:
            place = float(np.nanmean(shares))
            message = f"relevant models stand on average at {place:.1%} of the lists, later than by chance"
            hint = direction_hint(context.journal.place(path), similarity=True)
            context.journal.warning(path, message, f"read as distances; if larger is nearer: {hint}")
    return False


def _note_values(path: Path, values: NDArray[np.floating], context: Context, cancelled: Callable[[], bool]) -> None:
    """Values that are no distances: one finding each."""
    step = max(1, BLOCK_VALUES // max(1, values.shape[1]))
    missing = negative = 0
    first: int | None = None
    for start in range(0, len(values), step):
        if cancelled():
            raise Cancelled
        block = values[start : start + step]
        nan = np.isnan(block)
        if first is None and nan.any():
            first = start + int(np.flatnonzero(nan.any(axis=1))[0]) + 1
        missing += int(nan.sum())
        negative += int((block < 0).sum())
    if missing:
        message = f"{count_of(missing, 'value is', 'values are')} no number, first in row {first}"
        context.journal.warning(path, message, "such models go to the end of their list")
    if negative:
        message = f"{count_of(negative, 'value is', 'values are')} below 0"
        context.journal.info(path, message, "smaller is nearer all the same")
