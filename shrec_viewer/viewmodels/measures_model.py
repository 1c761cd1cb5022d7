"""All measures of one run: a row for each query, or for each class."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, Qt, Slot

from shrec_viewer.numerals import TABLE_DECIMALS, fixed
from shrec_viewer.viewmodels.score_model import ScoreModel, ScoreRole
from shrec_viewer.viewmodels.selection import Selection
from shrec_viewer.viewmodels.session import Session
from shrec_viewer.viewmodels.words import class_words

QUERIES, CLASSES = "queries", "classes"


class MeasuresModel(ScoreModel):
    """Scores of the selected run; follows the session.

    Rows are queries in their order, or the classes that queries belong to in the order of the classification; the first
    column names them, the second one says class, or number of queries. See `ScoreModel` for the roles.
    """

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(session, parent)
        self._of = QUERIES
        self._shown: tuple[object, object] = (None, None)
        self._names: tuple[str, ...] = ()
        self._notes: tuple[str, ...] = ()
        self._labels: NDArray[np.int32] = np.zeros(0, np.int32)
        self._missing: NDArray[np.bool_] = np.zeros(0, np.bool_)
        session.benchmark_changed.connect(self._show_all)
        session.scores_changed.connect(self._show_all)
        session.selection_changed.connect(self._follow)
        self._show_all()

    @property
    def of(self) -> str:
        """`QUERIES` or `CLASSES`."""
        return self._of

    def set_of(self, what: str) -> None:
        """Show a row for each query, or for each class."""
        if what != self._of:
            self._of = what
            self._show_all()

    def label_of(self, row: int) -> int:
        """Class of a row, -1 for none."""
        return int(self._labels[row])

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008 - Qt's way
        """Qt override."""
        return 0 if parent.isValid() else len(self._names)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Qt override."""
        if not index.isValid() or index.row() >= len(self._names):
            return None
        row, place = index.row(), index.column() - 2
        if place < 0:
            shown = self._names[row] if index.column() == 0 else self._notes[row]
            return shown if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole) else None
        value = float(self._values[row, place])
        if role == ScoreRole.VALUE:
            return value
        if role == Qt.ItemDataRole.DisplayRole:
            return fixed(value, TABLE_DECIMALS)
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            missing = bool(self._missing[row]) if self._of == QUERIES else False
            said = fixed(value, 6) if not np.isnan(value) else "no answer" if missing else "undefined"
            return f"{self._names[row]}: {self._measures[place].label} {said}"
        return None

    @Slot(object, object)
    def _follow(self, old: Selection, new: Selection) -> None:
        if old.run != new.run and self._shown != (self._session.scores, self._session.run):
            self._show_all()

    @Slot()
    def _show_all(self) -> None:
        session = self._session
        scores, benchmark, run = session.scores, session.benchmark, session.run
        self._shown = (scores, run)
        self.beginResetModel()
        self._heads = ("Query", "Class") if self._of == QUERIES else ("Class", "Queries")
        if scores is None or benchmark is None or run is None or run.name not in scores.runs:
            self._names, self._notes, self._measures, self._values = (), (), (), np.zeros((0, 0))
        else:
            row = scores.run_index(run.name)
            self._measures = scores.measures
            if self._of == QUERIES:
                self._names, self._labels, self._missing = scores.queries, scores.query_labels, scores.missing[row]
                self._notes = tuple(class_words(benchmark, int(label)) for label in scores.query_labels)
                self._values = scores.values[row]
            else:
                labels, means = scores.by_class()
                self._labels, self._values = labels, means[row]
                self._names = tuple(class_words(benchmark, int(label)) for label in labels)
                self._notes = tuple(f"{int((scores.query_labels == label).sum()):,}" for label in labels)
        self.endResetModel()
