"""Interpret matrix cells as distances, ranks or ranked model numbers; complete triangular matrices."""

import shlex
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import DistanceRows, Setting
from shrec_viewer.formats.core.findings_log import RUN_IGNORED, UNDECIDED
from shrec_viewer.formats.core.read_context import ReadContext
from shrec_viewer.formats.core.read_options import CELL_VALUES, ReadOptions
from shrec_viewer.formats.matrices.matrix import MatrixFile
from shrec_viewer.formats.matrices.orders import CLEAR_Z, possible_orders, relevant_rank_shares, z_score
from shrec_viewer.formats.matrices.text_matrix import GROWING_LINES, SHRINKING_LINES

MIN_MODELS = 4
"""Minimum size: rows of three integer distances are often a permutation of 0, 1, 2 by chance."""

SELF_SHARE = 0.9
"""Minimum share of rows that begin with their own number, or have the smallest value on the diagonal."""

SAMPLED_ROWS = 64
"""Number of rows tested for truncated lists; one row of distances is enough to fail the test."""

BLOCK_VALUES = 4_000_000
"""Number of values sorted at a time: 32 MB."""

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
    """True if rows begin with their own number, False if the diagonal has the smallest value; None otherwise."""
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
            reason = f"the mean relative rank of relevant models is then {means[index]:.1%}"
            return index == 0, f"{reason}, else {means[other]:.1%}"
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
    message = f"{values.size:,} numbers, as many as {'below' if is_lower else 'above'} the diagonal"
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
