"""Arrays of the first model numbers of each query, best first, as FAISS and ``argsort(...)[:, :k]`` write them."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Cancelled, DistanceRows, RankedLists
from shrec_viewer.formats.core.decisions import Alternative, Decision
from shrec_viewer.formats.core.findings_log import count_of
from shrec_viewer.formats.core.rank_evidence import UNLISTED
from shrec_viewer.formats.core.read_context import ReadContext
from shrec_viewer.formats.core.read_options import ReadOptions
from shrec_viewer.formats.io.array_files import DiskArray
from shrec_viewer.formats.io.progress import CancelCheck
from shrec_viewer.formats.matrices.interpretation import (
    DISTANCE_CELLS,
    MODEL_NUMBER_CELLS,
    are_truncated_lists,
    best_evidence,
    choose_order,
)
from shrec_viewer.formats.matrices.matrix import MatrixFile
from shrec_viewer.formats.runs.checks import CheckedList, ParsedList, check_list, log_lists, to_ranked_lists


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
