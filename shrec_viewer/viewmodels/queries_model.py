"""The queries with their picture, class and score."""

from enum import IntEnum
from pathlib import Path
from typing import Any

from PySide6.QtCore import QAbstractListModel, QByteArray, QModelIndex, QObject, QPersistentModelIndex, Qt, Slot

from shrec_viewer.domain import Benchmark
from shrec_viewer.viewmodels.picture_rows import PictureRows
from shrec_viewer.viewmodels.queries_facts import QueriesFacts, queries_facts
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
    SCORE_TEXT = Qt.ItemDataRole.UserRole + 7
    DIFFERENCE = Qt.ItemDataRole.UserRole + 8
    DIFFERENCE_TEXT = Qt.ItemDataRole.UserRole + 9
    SPREAD = Qt.ItemDataRole.UserRole + 10
    SPREAD_TEXT = Qt.ItemDataRole.UserRole + 11


SCORED = [role for role in QueryRole if role >= QueryRole.SCORE and role not in (QueryRole.PICTURE, QueryRole.PROBLEM)]
"""Roles that another run, measure or evaluation changes."""


class QueriesModel(QAbstractListModel):
    """All queries of the open benchmark, scored by the selected run and measure; follows the session.

    Notes
    -----
    Roles by name: query_id, class_name, score (float, NaN for undefined, missing or not yet known), picture (QPixmap or
    None), problem (why there is none), missing (the run has no answer to the query), difference (to the run compared
    with, NaN for none), spread (standard deviation over the runs), and score_text, difference_text, spread_text: the
    numbers in words, "" for nothing to say.
    """

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._thumbnails = session.thumbnails
        self._benchmark: Benchmark | None = None
        self._facts = queries_facts(session, 0)
        roles = (QueryRole.PICTURE, QueryRole.PROBLEM)
        self.pictures = PictureRows(self, session.thumbnails, "queries", self.path_of, roles)
        session.benchmark_changed.connect(self._show_benchmark)
        session.scores_changed.connect(self._show_scores)
        session.selection_changed.connect(self._show_selection)
        self._show_benchmark()

    @property
    def facts(self) -> QueriesFacts:
        """The numbers of all queries."""
        return self._facts

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
        if role in SCORED:
            return self._scored(row, role)
        if role == QueryRole.PICTURE:
            return self._thumbnails.picture(queries.paths[row])
        if role == QueryRole.PROBLEM:
            return self._thumbnails.problem(queries.paths[row])
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            return self._sentence(row)
        return None

    def _scored(self, row: int, role: int) -> Any:
        facts = self._facts
        if role == QueryRole.SCORE:
            return float(facts.values[row])
        if role == QueryRole.SCORE_TEXT:
            return facts.value_text(row)
        if role == QueryRole.MISSING:
            return bool(facts.missing[row])
        if role == QueryRole.DIFFERENCE:
            return float(facts.differences[row])
        if role == QueryRole.DIFFERENCE_TEXT:
            return facts.difference_text(row)
        return float(facts.spread[row]) if role == QueryRole.SPREAD else facts.spread_text(row)

    def texts(self) -> tuple[list[str], list[str]]:
        """Ids and class names of all queries, "" for no class."""
        if self._benchmark is None:
            return [], []
        queries = self._benchmark.queries
        return list(queries.ids), [class_words(self._benchmark, int(label)) for label in queries.labels]

    def path_of(self, row: int) -> Path | None:
        """File of the query in `row`."""
        if self._benchmark is None or not 0 <= row < len(self._benchmark.queries):
            return None
        return self._benchmark.queries.paths[row]

    def _sentence(self, row: int) -> str:
        benchmark, facts = self._benchmark, self._facts
        assert benchmark is not None
        parts = [f"Query {benchmark.queries.ids[row]}"]
        if name := class_words(benchmark, int(benchmark.queries.labels[row])):
            parts.append(f"class {name}")
        if facts.run and facts.missing[row]:
            parts.append(f"run {facts.run} has no answer to it")
        elif facts.measure is not None:
            parts.append(f"{facts.key} {facts.value_text(row)} in run {facts.run}")
        if facts.measure is not None and facts.other:
            parts.append(f"{facts.run} minus {facts.other}: {facts.difference_text(row)}")
        if facts.measure is not None and (spread := facts.spread_text(row)):
            parts.append(f"{spread} over all runs (standard deviation)")
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
            self.dataChanged.emit(self.index(0), self.index(n_rows - 1), SCORED)

    @Slot(object, object)
    def _show_selection(self, old: Selection, new: Selection) -> None:
        if (old.run, old.compared, old.measure) != (new.run, new.compared, new.measure):
            self._show_scores()

    def _take_scores(self) -> None:
        n_queries = 0 if self._benchmark is None else len(self._benchmark.queries)
        self._facts = queries_facts(self._session, n_queries)
