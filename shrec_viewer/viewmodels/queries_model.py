"""The queries with their picture, class and score."""

from enum import IntEnum
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractListModel, QByteArray, QModelIndex, QObject, QPersistentModelIndex, Qt, Slot

from shrec_viewer.domain import Benchmark
from shrec_viewer.viewmodels.picture_rows import PictureRows
from shrec_viewer.viewmodels.selection import Selection
from shrec_viewer.viewmodels.session import Session
from shrec_viewer.viewmodels.words import class_words


class QueryRole(IntEnum):
    """What a query can be asked for; views find these by the names in `QueriesModel.roleNames`."""

    QUERY_ID = Qt.ItemDataRole.UserRole + 1
    CLASS_NAME = Qt.ItemDataRole.UserRole + 2
    SCORE = Qt.ItemDataRole.UserRole + 3
    PICTURE = Qt.ItemDataRole.UserRole + 4
    PROBLEM = Qt.ItemDataRole.UserRole + 5
    MISSING = Qt.ItemDataRole.UserRole + 6


class QueriesModel(QAbstractListModel):
    """All queries of the open benchmark, scored by the selected run and measure; follows the session.

    Notes
    -----
    Roles by name: query_id, class_name, score (float, NaN for undefined, missing or not yet known), picture (QPixmap or
    None), problem (why there is none), missing (the run has no answer to the query).
    """

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._thumbnails = session.thumbnails
        self._benchmark: Benchmark | None = None
        self._values: NDArray[np.float64] = np.zeros(0)
        self._missing: NDArray[np.bool_] = np.zeros(0, np.bool_)
        roles = (QueryRole.PICTURE, QueryRole.PROBLEM)
        self.pictures = PictureRows(self, session.thumbnails, "queries", self.path_of, roles)
        session.benchmark_changed.connect(self._show_benchmark)
        session.scores_changed.connect(self._show_scores)
        session.selection_changed.connect(self._show_selection)
        self._show_benchmark()

    def roleNames(self) -> dict[int, QByteArray]:
        """Qt override."""
        return {role.value: QByteArray(role.name.lower().encode()) for role in QueryRole}

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008 - Qt's way
        """Qt override."""
        return 0 if parent.isValid() or self._benchmark is None else len(self._benchmark.queries)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Qt override; see the class for the roles."""
        row = index.row()
        if not index.isValid() or self._benchmark is None or row >= len(self._benchmark.queries):
            return None
        queries = self._benchmark.queries
        if role in (QueryRole.QUERY_ID, Qt.ItemDataRole.DisplayRole):
            return queries.ids[row]
        if role == QueryRole.CLASS_NAME:
            return class_words(self._benchmark, int(queries.labels[row]))
        if role == QueryRole.SCORE:
            return float(self._values[row])
        if role == QueryRole.MISSING:
            return bool(self._missing[row])
        if role == QueryRole.PICTURE:
            return self._thumbnails.picture(queries.paths[row])
        if role == QueryRole.PROBLEM:
            return self._thumbnails.problem(queries.paths[row])
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            return self._sentence(row)
        return None

    def path_of(self, row: int) -> Path | None:
        """File of the query in `row`."""
        if self._benchmark is None or not 0 <= row < len(self._benchmark.queries):
            return None
        return self._benchmark.queries.paths[row]

    def _sentence(self, row: int) -> str:
        benchmark, run = self._benchmark, self._session.run
        assert benchmark is not None
        parts = [f"Query {benchmark.queries.ids[row]}"]
        if name := class_words(benchmark, int(benchmark.queries.labels[row])):
            parts.append(f"class {name}")
        if run is not None:
            if self._missing[row]:
                parts.append(f"run {run.name} has no answer to it")
            elif not np.isnan(self._values[row]):
                parts.append(f"{self._session.measure} {self._values[row]:.4f} in run {run.name}")
        if problem := self._thumbnails.problem(benchmark.queries.paths[row]):
            parts.append(f"no picture: {problem}")
        return ", ".join(parts)

    @Slot()
    def _show_benchmark(self) -> None:
        self.beginResetModel()
        self._benchmark = self._session.benchmark
        self._take_scores()
        self.endResetModel()

    @Slot()
    def _show_scores(self) -> None:
        self._take_scores()
        if n_rows := self.rowCount():
            self.dataChanged.emit(self.index(0), self.index(n_rows - 1), [QueryRole.SCORE, QueryRole.MISSING])

    @Slot(object, object)
    def _show_selection(self, old: Selection, new: Selection) -> None:
        if (old.run, old.measure) != (new.run, new.measure):
            self._show_scores()

    def _take_scores(self) -> None:
        session, scores, run = self._session, self._session.scores, self._session.run
        n_queries = 0 if self._benchmark is None else len(self._benchmark.queries)
        self._values = np.full(n_queries, np.nan)
        self._missing = np.zeros(n_queries, np.bool_) if run is None else ~run.present
        if scores is None or run is None:
            return
        measured = {measure.key: column for column, measure in enumerate(scores.measures)}
        if session.measure in measured:
            self._values = scores.values[scores.run_index(run.name), :, measured[session.measure]]
