"""Ranks of the selected model in all runs, for the queries to which it is relevant or for which it is an error."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from PySide6.QtCore import QObject, Signal

from shrec_viewer.content.data import ContentData
from shrec_viewer.content.models import RELEVANT, table_of_ranks
from shrec_viewer.domain import UNKNOWN_ITEM, Benchmark
from shrec_viewer.evaluation.model_ranks import ModelRanks, model_ranks
from shrec_viewer.metrics import Profile
from shrec_viewer.viewmodels.session.computation import SessionComputation
from shrec_viewer.viewmodels.session.session import LISTING, Session
from shrec_viewer.viewmodels.tasks.tasks import Task, Work
from shrec_viewer.viewmodels.text.labels import level_name

MODEL_LANE = "model ranks"
"""Key of the task that ranks the model."""

LEADING_HEADERS = ("Query", "Class", "Level")
"""Titles of the columns before those of the runs."""

MAX_QUERIES = 2000
"""Rows of the table; a class of ShapeNet has up to 8,000 models, each of them a query."""


class SelectedModel(SessionComputation):
    """Ranks of the selected model, computed while a view of them is visible.

    Signals
    -------
    model_changed()
        `item` was replaced.
    """

    model_changed = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(session, MODEL_LANE, "The ranks of the model cannot be computed", parent)
        self.item = UNKNOWN_ITEM
        session.list_changed.connect(self.update_result)

    @property
    def ranks(self) -> ModelRanks | None:
        """The ranks; None until they are computed, and without a selected model."""
        return self.result if isinstance(self.result, ModelRanks) else None

    def reset(self) -> None:
        """No model is selected in a benchmark that was just opened."""
        self._set_item(UNKNOWN_ITEM)

    def prepare(self) -> None:
        """Find the selected model, or the first one of the list; it stays until the list of another query is known."""
        session = self._session
        selection, shown = session.selection, session.ranked_list
        if not session.has_list:
            self._set_item(UNKNOWN_ITEM if selection.model is None else selection.model)
        elif shown is not None and (selection.rank or 1) <= len(shown) and not session.tasks.is_busy(LISTING):
            self._set_item(int(shown.items[(selection.rank or 1) - 1]))

    def _set_item(self, item: int) -> None:
        if item != self.item:
            self.item = item
            self.model_changed.emit()

    def inputs(self) -> tuple[Any, ...]:
        """The model, the benchmark and the conventions."""
        document = self._session.document
        return () if self.item == UNKNOWN_ITEM else (document.benchmark, document.profile, self.item)

    def work(self, benchmark: Benchmark, profile: Profile, item: int) -> tuple[Work, str]:
        """See `SessionComputation.work`."""
        return partial(_compute, benchmark, profile, item), f"Ranks of {benchmark.collection.ids[item]}"


def _compute(benchmark: Benchmark, profile: Profile, item: int, task: Task) -> ModelRanks:
    return model_ranks(benchmark, profile, item, cancelled=task.cancelled)


class ModelRankTable:
    """A row per query and a column per run with the rank of the model, as the window shows them.

    Parameters
    ----------
    of : `RELEVANT` or `FALSE_POSITIVE`: queries to which the model is relevant, or for which it is a false positive.

    Attributes
    ----------
    queries : of the rows.
    n_left_out : number of queries without a row.
    table, headers : the table, and the titles of its columns.
    sort_keys : by column, what is sorted by instead of the cells: queries by index, lists without the model last.
    """

    def __init__(self, data: ContentData, ranks: ModelRanks, of: str) -> None:
        self._benchmark, self._ranks, self._is_error = data.benchmark, ranks, ranks.is_false_positive
        found = ranks.relevant_queries if of == RELEVANT else ranks.false_positive_queries
        self.queries: list[int] = found[:MAX_QUERIES].tolist()
        self.n_left_out = len(found) - len(self.queries)
        self.table = table_of_ranks(data, ranks, self.queries, range(len(ranks.ranks)), of)
        shown = ranks.ranks[:, self.queries]
        last = np.where(shown > 0, shown, np.iinfo(np.int32).max)
        columns = {0: self.queries, **dict(enumerate(last.tolist(), start=len(LEADING_HEADERS)))}
        self.sort_keys = {column: values.__getitem__ for column, values in columns.items()}
        self.headers = (*LEADING_HEADERS, *(run.name for run in data.benchmark.runs))

    def cell(self, row: int, column: int) -> tuple[int, int | None, int]:
        """Query, run and rank of a cell; run None in a leading column, rank 0 where the model is not in the list."""
        query, run = self.queries[row], column - len(LEADING_HEADERS)
        return (query, None, 0) if run < 0 else (query, run, int(self._ranks.ranks[run, query]))

    def is_error(self, row: int, column: int) -> bool:
        """Whether the model is a false positive in this cell."""
        query, run, _ = self.cell(row, column)
        return run is not None and bool(self._is_error[run, query])

    def tip(self, row: int, column: int) -> str:
        """Tooltip of a cell."""
        benchmark, ranks = self._benchmark, self._ranks
        query, run, rank = self.cell(row, column)
        name = benchmark.queries.ids[query]
        if run is None:
            levels: Sequence[int] = () if benchmark.assessment is None else benchmark.assessment.levels
            return f"{name}: {level_name(int(ranks.levels[query]), levels)}; {ranks.sizes[query]:,} relevant models"
        where = f"rank {rank:,}" if rank else "not in the list"
        error = ", false positive within the first tier" if self.is_error(row, column) else ""
        return f"{benchmark.runs[run].name} for {name}: {where}{error}"
