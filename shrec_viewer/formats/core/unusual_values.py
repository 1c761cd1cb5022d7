"""Findings about distances that are NaN, infinite or beyond float32: the same for every format of runs."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Cancelled, DistanceMatrix, Severity
from shrec_viewer.formats.core.findings_log import (
    INFINITE,
    INFINITE_ACTION,
    NOT_A_NUMBER,
    NOT_A_NUMBER_ACTION,
    FindingsLog,
    count_of,
)
from shrec_viewer.formats.core.read_context import ReadContext

MAX_FLOAT32 = float(np.finfo(np.float32).max)

ORDERED_BY_LINE = "file order is the ranking"

KINDS = (
    ("not a number (NaN)", NOT_A_NUMBER_ACTION, NOT_A_NUMBER),
    ("infinite, the farthest", INFINITE_ACTION, INFINITE),
    ("infinite, the nearest", "ranked before all others", ""),
    (
        "beyond the range of float32",
        "ranked by their value; infinite under profiles that compare as float32 (trec)",
        "",
    ),
)
"""Description, action and key of the findings, in the order of `_kinds_of`."""

PLAUSIBLE_RANGE = (1e-15, 1e15)
"""Range of absolute values of distances."""

BLOCK_VALUES = 4_000_000
"""Number of values checked at a time: 32 MB as float64."""


def are_usual(distances: NDArray[np.floating]) -> bool:
    """Whether all distances are numbers in the range of float32."""
    return bool(np.all(np.abs(distances) <= MAX_FLOAT32))


def _kinds_of(distances: NDArray[np.floating]) -> NDArray[np.int8]:
    """Index in KINDS of each unusual distance, -1 for usual ones."""
    kinds = np.full(distances.shape, -1, np.int8)
    kinds[np.abs(distances) > MAX_FLOAT32] = 3
    kinds[np.isneginf(distances)] = 2
    kinds[np.isposinf(distances)] = 1
    kinds[np.isnan(distances)] = 0
    return kinds


class UnusualValues:
    """Counts unusual distances of a run by kind, and keeps the first of each: the first query, then the first model.

    Parameters
    ----------
    path : file or folder of the run.
    context : queries and models.
    """

    def __init__(self, path: Path, context: ReadContext) -> None:
        self._path = path
        self._context = context
        self._counts = [0] * len(KINDS)
        self._own_counts = [0] * len(KINDS)
        self._first: list[tuple[int, int, Path, int | None] | None] = [None] * len(KINDS)

    def add(
        self,
        queries: NDArray[np.integer],
        items: NDArray[np.integer],
        distances: NDArray[np.floating],
        path: Path | None = None,
        lines: NDArray[np.integer] | None = None,
    ) -> None:
        """Count distances of some pairs of a query and a model, all (n,).

        Parameters
        ----------
        items : models, -1 for unknown ids.
        distances : smaller is nearer.
        path, lines : where they are in a list; None for a matrix.
        """
        kinds = _kinds_of(distances)
        is_own = items == self._context.queries.member[queries]
        is_own &= items >= 0
        for kind in range(len(KINDS)):
            index = np.flatnonzero(kinds == kind)
            if not len(index):
                continue
            self._counts[kind] += len(index)
            self._own_counts[kind] += int(is_own[index].sum())
            models = np.where(items[index] >= 0, items[index], np.iinfo(np.int32).max)
            at = index[np.lexsort((models, queries[index]))[0]]
            line = int(lines[at]) if lines is not None else None
            found = (int(queries[at]), int(items[at]), path or self._path, line)
            known = self._first[kind]
            if known is None or found[0] < known[0]:
                self._first[kind] = found

    def log(self, findings_log: FindingsLog, *, ranked_by_line: bool) -> None:
        """Add a finding for each kind.

        `ranked_by_line`: file order is the ranking, so that distances do not change it.
        """
        for kind, (text, action, key) in enumerate(KINDS):
            first, count = self._first[kind], self._counts[kind]
            if first is None:
                continue
            query, item, path, line = first
            model = f"'{self._context.collection.ids[item]}'" if item >= 0 else "an unknown model"
            example = f"the first that of {model} for '{self._context.queries.ids[query]}'"
            message = f"{count_of(count, 'distance is', 'distances are')} {text}, {example}"
            is_mark = count == self._own_counts[kind]
            if is_mark:
                message += f"; {'it is' if count == 1 else 'all are'} of models to themselves"
            if ranked_by_line:
                action, key = ORDERED_BY_LINE, ""
            severity = Severity.INFO if is_mark else Severity.WARNING
            findings_log.note(severity, path, message, action, line=line, count=count, key=key)


def _log_implausible(path: Path, block: NDArray[np.floating], findings_log: FindingsLog) -> None:
    """A warning if most of the finite values are no plausible distances, as after a wrong type or byte order."""
    sizes = np.abs(block[np.isfinite(block) & (block != 0)])
    odd = sizes[(sizes < PLAUSIBLE_RANGE[0]) | (sizes > PLAUSIBLE_RANGE[1])]
    if 2 * len(odd) > len(sizes):
        low, high = PLAUSIBLE_RANGE
        message = f"most values are below {low:g} or above {high:g}, the first is {odd[0]:g}"
        action = "read as they are; the type or byte order in the header may be wrong"
        findings_log.warning(path, message, action)


def log_unusual_cells(path: Path, matrix: DistanceMatrix, context: ReadContext, cancelled: Callable[[], bool]) -> None:
    """Findings about unusual distances of a matrix, without rows of no query."""
    found = UnusualValues(path, context)
    queries = np.flatnonzero(matrix.rows >= 0)
    queries = queries[np.argsort(matrix.rows[queries])]  # rows of a file are read in their order
    step = max(1, BLOCK_VALUES // max(1, matrix.values.shape[1]))
    for start in range(0, len(queries), step):
        if cancelled():
            raise Cancelled
        some = queries[start : start + step]
        block = np.asarray(matrix.values[matrix.rows[some]])
        if start == 0:
            _log_implausible(path, block, context.findings_log)
        if are_usual(block):
            continue
        rows, columns = np.nonzero(~(np.abs(block) <= MAX_FLOAT32))
        distances = block[rows, columns]
        found.add(some[rows], matrix.columns[columns], -distances if matrix.similarity else distances)
    found.log(context.findings_log, ranked_by_line=False)
