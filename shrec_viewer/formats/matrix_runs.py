"""Matrices as runs: their shape checked, rows and columns put in order, direction and odd values noticed."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import DistanceMatrix
from shrec_viewer.formats.context import Context
from shrec_viewer.formats.journal import count_of
from shrec_viewer.formats.manifest import MANIFEST_NAME
from shrec_viewer.formats.matrix import MatrixFile
from shrec_viewer.formats.orders import (
    CLASSIFICATION,
    CLEAR,
    NAMES,
    NUMBERS,
    Order,
    fitting_orders,
    relevant_shares,
    surety,
)

USUAL_ORDER = {
    "binary": (CLASSIFICATION, NAMES, NUMBERS),
    "text": (NAMES, NUMBERS, CLASSIFICATION),
    "npy": (NAMES, NUMBERS, CLASSIFICATION),
}
"""Princeton's binary matrices follow the classification, ASCII ones of the later tracks the numbers of the files."""

BLOCK_VALUES = 4_000_000
"""Values looked at in one go: 32 MB as float64."""

DIAGONAL_SHARE = 0.9
"""Share of rows whose own model must be farthest for a square matrix to be one of similarities."""


def read_matrix_run(
    file: MatrixFile, context: Context, order: str | None = None, similarity: bool | None = None
) -> DistanceMatrix | None:
    """A matrix as the answers to the benchmark's queries; None, and an error finding, where its shape does not fit.

    Parameters
    ----------
    file : the matrix.
    order, similarity : what the person says about columns and direction; None: told from the content.
    """
    context.journal.extend(file.findings)
    values = _shaped(file, context)
    if values is None:
        return None
    chosen = _choose_order(file, values, context, order)
    if chosen is None:
        return None
    rows = np.full(len(context.queries), -1, np.int32)
    answered = np.flatnonzero(chosen.rows >= 0)
    rows[chosen.rows[answered]] = answered
    if similarity is None:
        similarity = _are_similarities(file.path, values, chosen, context)
    _note_values(file.path, values, context)
    return DistanceMatrix(values, rows, chosen.columns, bool(similarity))


def _shaped(file: MatrixFile, context: Context) -> NDArray[np.floating] | None:
    """The values as (R, M); a file without rows gets the shape whose size it has."""
    if file.values.ndim == 2:
        return file.values
    n_values = len(file.values)
    for rows, columns in _possible_shapes(context):
        if rows * columns == n_values:
            return file.values.reshape(rows, columns)
    for rows, columns in _possible_shapes(context):
        spare = n_values - rows * columns
        if 0 < spare < columns and file.kind == "binary":
            message = f"{count_of(spare, 'number')} too many for {rows:,} x {columns:,}"
            context.journal.warning(file.path, message, "those at the end are left out, as Princeton's tools do")
            return file.values[: rows * columns].reshape(rows, columns)
    shapes = " or ".join(f"{rows:,} x {columns:,}" for rows, columns in _possible_shapes(context))
    message = f"holds {count_of(n_values, 'number')} of type {file.values.dtype}, which is not {shapes}"
    context.journal.error(file.path, message, "the run is left out")
    return None


def _possible_shapes(context: Context) -> list[tuple[int, int]]:
    """Shapes of a matrix that answers all queries, the fullest first."""
    counts = dict.fromkeys((len(context.collection), len(context.models_with_file)))
    if context.queries.are_the_collection:
        return [(count, count) for count in counts if count]
    return [(len(context.queries), count) for count in counts if count]


def _choose_order(file: MatrixFile, values: NDArray[np.floating], context: Context, wanted: str | None) -> Order | None:
    shape = (values.shape[0], values.shape[1])
    orders = fitting_orders(shape, context)
    if not orders:
        context.journal.error(file.path, _wrong_shape(shape, context), "the run is left out")
        return None
    if wanted is not None:
        return _wanted_order(file.path, orders, wanted, context)
    orders.sort(key=lambda order: USUAL_ORDER[file.kind].index(order.key))
    size = f"{shape[0]:,} x {shape[1]:,}"
    if len(orders) == 1:
        context.journal.info(file.path, f"matrix of {size}", orders[0].said)
        return orders[0]
    return _tell_apart(file.path, values, orders, size, context)


def _wanted_order(path: Path, orders: list[Order], wanted: str, context: Context) -> Order | None:
    for order in orders:
        if order.key == wanted:
            context.journal.info(path, f"order '{wanted}', as the manifest says", order.said)
            return order
    # Orders that say the same are listed once, under the first of their names.
    if len(orders) == 1 and len(orders[0].columns) == len(context.collection):
        context.journal.info(path, f"order '{wanted}', as the manifest says", orders[0].said)
        return orders[0]
    possible = " or ".join(dict.fromkeys(order.key for order in orders))
    message = f"order '{wanted}' does not fit its {len(orders[0].columns):,} columns; {possible} would"
    context.journal.error(path, message, "the run is left out")
    return None


def _tell_apart(path: Path, values: NDArray[np.floating], orders: list[Order], size: str, context: Context) -> Order:
    """The order in which relevant models stand ahead; where none is clearly better, the usual one of the format."""
    usual = orders[0]
    line = f'in {MANIFEST_NAME}: [[runs]] path = "{context.journal.place(path)}", order = '
    if context.assessment is not None:
        member = context.queries.member
        shares = [relevant_shares(values, order, context.assessment, member) for order in orders]
        means = [float(np.nanmean(share)) if np.any(share >= 0) else 0.5 for share in shares]
        best = int(np.argmin(means))
        others = [place for place in range(len(orders)) if place != best]
        clear = min(surety(shares[best]), *(surety(shares[best], shares[place]) for place in others))
        if clear > CLEAR:
            second = min(means[place] for place in others)
            message = (
                f"matrix of {size}; {len(orders)} orders fit, and in one of them relevant models stand on average "
                f"within the first {means[best]:.1%} of the lists, else {second:.1%}"
            )
            action = f'{orders[best].said}; to fix it, {line}"{orders[best].key}"'
            note = context.journal.info if best == 0 else context.journal.warning
            note(path, message, action)
            return orders[best]
    message = f"matrix of {size}; {len(orders)} orders fit and nothing tells them apart"
    context.journal.warning(path, message, f'{usual.said}, as usual; to fix it, {line}"{usual.key}"')
    return usual


def _wrong_shape(shape: tuple[int, int], context: Context) -> str:
    wanted = _possible_shapes(context)
    said = " or ".join(f"{rows:,} x {columns:,}" for rows, columns in wanted)
    message = f"a matrix of {shape[0]:,} x {shape[1]:,}, but {said} is expected (queries x models)"
    for rows, columns in wanted:
        if shape == (columns, rows) and rows != columns:
            return f"{message}; it would fit transposed"
        if shape[1] == columns and shape[0] > rows and shape[0] % rows == 0:
            return f"{message}; it looks like {shape[0] // rows} matrices in one file"
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
            context.journal.warning(path, message, "read as similarities; similarity = false says otherwise")
            return True
    if context.assessment is not None:
        shares = relevant_shares(values, order, context.assessment, member)
        if surety(shares) < -CLEAR:
            place = float(np.nanmean(shares))
            message = f"relevant models stand on average at {place:.1%} of the lists, later than by chance"
            action = "read as distances; if larger is nearer, say similarity = true"
            context.journal.warning(path, message, action)
    return False


def _note_values(path: Path, values: NDArray[np.floating], context: Context) -> None:
    """Values that are no distances: one finding each."""
    step = max(1, BLOCK_VALUES // max(1, values.shape[1]))
    missing = negative = 0
    first: int | None = None
    for start in range(0, len(values), step):
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
