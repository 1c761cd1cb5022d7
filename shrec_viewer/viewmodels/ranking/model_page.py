"""Ranks of the selected model in all runs, for the queries to which it is relevant or for which it is an error."""

from collections.abc import Sequence
from enum import IntEnum
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import (
    QAbstractTableModel,
    QByteArray,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
    Slot,
)

from shrec_viewer.domain import UNKNOWN_ITEM, Benchmark
from shrec_viewer.evaluation.model_ranks import ModelRanks, model_ranks
from shrec_viewer.metrics import Profile
from shrec_viewer.viewmodels.session.computation import SessionComputation
from shrec_viewer.viewmodels.session.document import NO_BENCHMARK
from shrec_viewer.viewmodels.session.session import LISTING, Session
from shrec_viewer.viewmodels.tasks.tasks import Task, Work
from shrec_viewer.viewmodels.text.labels import level_name, query_class

MODEL_LANE = "model ranks"
"""Key of the task that ranks the model."""

RELEVANT, FALSE_POSITIVE = "relevant", "false"
"""Rows of the table: queries to which the model is relevant, or queries for which it is a false positive."""

LEADING_COLUMNS = ("Query", "Class", "Level")
"""Columns before those of the runs."""

MAX_QUERIES = 2000
"""Rows of the table; a class of ShapeNet has up to 8,000 models, each of them a query."""


class RankRole(IntEnum):
    """Data roles of `ModelRanksTable` besides those of Qt."""

    SORT = Qt.ItemDataRole.UserRole + 1
    RELEVANT = Qt.ItemDataRole.UserRole + 2
    ERROR = Qt.ItemDataRole.UserRole + 3


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


class ModelRanksTable(QAbstractTableModel):
    """A row per query and a column per run with the rank of the model; "–" where the list does not contain it.

    Roles by name: sort (number or text to sort by), relevant (whether the model is relevant to the query of the row)
    and error (whether it is a false positive in this cell).
    """

    def __init__(self, session: Session, selected: SelectedModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._selected = selected
        self._of = RELEVANT
        self._queries: NDArray[np.int64] = np.zeros(0, np.int64)
        # Benchmark of `_ranks`: views read data before `_show` is called for another one.
        self._benchmark = NO_BENCHMARK
        self._ranks: ModelRanks | None = None
        self._errors: NDArray[np.bool_] = np.zeros((0, 0), np.bool_)
        self.n_left_out = 0
        selected.changed.connect(self._show)
        session.benchmark_changed.connect(self._show)
        self._show()

    @property
    def of(self) -> str:
        """`RELEVANT` or `FALSE_POSITIVE`."""
        return self._of

    def set_of(self, of: str) -> None:
        """Show the queries to which the model is relevant, or those for which it is a false positive."""
        if of != self._of:
            self._of = of
            self._show()

    @property
    def counts(self) -> tuple[int, int]:
        """Numbers of queries to which the model is relevant, and for which it is a false positive."""
        ranks = self._ranks
        return (0, 0) if ranks is None else (len(ranks.relevant_queries), len(ranks.false_positive_queries))

    def cell(self, index: QModelIndex | QPersistentModelIndex) -> tuple[int, int | None, int]:
        """Query, run and rank of a cell; run None in a leading column, rank 0 where the model is not in the list."""
        query, column = int(self._queries[index.row()]), index.column() - len(LEADING_COLUMNS)
        if column < 0 or self._ranks is None:
            return query, None, 0
        return query, column, int(self._ranks.ranks[column, query])

    def roleNames(self) -> dict[int, QByteArray]:
        """Names of the data roles."""
        return {role.value: QByteArray(role.name.lower().encode()) for role in RankRole}

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008 - Qt's way
        """Number of rows; 0 below a row."""
        return 0 if parent.isValid() else len(self._queries)

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008 - Qt's way
        """Number of columns; 0 below a row."""
        return 0 if parent.isValid() or self._ranks is None else len(LEADING_COLUMNS) + len(self._ranks.ranks)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Names of the runs."""
        benchmark = self._benchmark
        if orientation != Qt.Orientation.Horizontal or role != Qt.ItemDataRole.DisplayRole or self._ranks is None:
            return None
        if section < len(LEADING_COLUMNS):
            return LEADING_COLUMNS[section]
        return benchmark.runs[section - len(LEADING_COLUMNS)].name

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Value of a cell for a role."""
        benchmark, ranks = self._benchmark, self._ranks
        if not index.isValid() or ranks is None or index.row() >= len(self._queries):
            return None
        query, run, rank = self.cell(index)
        if role == RankRole.RELEVANT:
            return bool(ranks.levels[query] >= ranks.relevant_from)
        if role == RankRole.ERROR:
            return run is not None and bool(self._errors[run, query])
        if role == Qt.ItemDataRole.TextAlignmentRole:
            is_number = run is not None or index.column() == LEADING_COLUMNS.index("Level")
            side = Qt.AlignmentFlag.AlignRight if is_number else Qt.AlignmentFlag.AlignLeft
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        if run is None:
            return self._leading(benchmark, query, index.column(), role)
        if role == RankRole.SORT:
            return rank or np.iinfo(np.int32).max
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{rank:,}" if rank else "–"
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            where = f"rank {rank:,}" if rank else "not in the list"
            error = ", false positive within the first tier" if self._errors[run, query] else ""
            return f"{benchmark.runs[run].name} for {benchmark.queries.ids[query]}: {where}{error}"
        return None

    def _leading(self, benchmark: Benchmark, query: int, column: int, role: int) -> Any:
        assert self._ranks is not None
        level = int(self._ranks.levels[query])
        if role == RankRole.SORT:
            return (query, query_class(benchmark, query).casefold(), level)[column]
        if role == Qt.ItemDataRole.DisplayRole:
            return (benchmark.queries.ids[query], query_class(benchmark, query), str(level))[column]
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            levels: Sequence[int] = () if benchmark.assessment is None else benchmark.assessment.levels
            size = f"{self._ranks.sizes[query]:,} relevant models"
            return f"{benchmark.queries.ids[query]}: {level_name(level, levels)}; {size}"
        return None

    @Slot()
    def _show(self) -> None:
        self.beginResetModel()
        self._benchmark, ranks = self._session.document.benchmark, self._selected.ranks
        is_current = ranks is not None and len(ranks.ranks) == len(self._benchmark.runs)
        self._ranks = ranks if is_current else None
        self._queries, self._errors = np.zeros(0, np.int64), np.zeros((0, 0), np.bool_)
        if self._ranks is not None:
            self._errors = self._ranks.is_false_positive
            of_kind = {RELEVANT: self._ranks.relevant_queries, FALSE_POSITIVE: self._ranks.false_positive_queries}
            self._queries = of_kind[self._of][:MAX_QUERIES]
            self.n_left_out = len(of_kind[self._of]) - len(self._queries)
        self.endResetModel()
