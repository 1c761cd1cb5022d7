"""Runs by measures: for the selected query, or as means over queries or classes."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, Qt, Slot

from shrec_viewer.domain import Run
from shrec_viewer.numerals import TABLE_DECIMALS, fixed
from shrec_viewer.render.palette import RunStyle
from shrec_viewer.viewmodels.run_warnings import run_warnings
from shrec_viewer.viewmodels.score_model import ScoreModel, ScoreRole
from shrec_viewer.viewmodels.selection import NOTHING, Selection
from shrec_viewer.viewmodels.series import series_of
from shrec_viewer.viewmodels.session import Session

QUERY, QUERIES, CLASSES = "query", "queries", "classes"
"""What the numbers are about: the selected query, or the mean over queries, or over classes."""


class LeaderboardModel(ScoreModel):
    """Scores of all runs; follows the session.

    Notes
    -----
    Rows are the runs of the benchmark in their order; the first columns name run and participant, the others are the
    measures. Roles by name: value (float, NaN undefined or missing) of a cell; colour, dash, shown, participant and
    warning (what the findings hold against the run, "" for nothing) of a row; better and range of a head. For one query
    also place: the run's place among all runs by that measure, 1 for the best, ties sharing the better one.
    """

    ROLES = tuple(ScoreRole)

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(session, parent)
        self._of = QUERIES
        self._theme = "light"
        self._runs: tuple[Run, ...] = ()
        self._warnings: Mapping[int, str] = {}
        self._looks: tuple[RunStyle, ...] = ()
        self._places: dict[int, dict[int, int]] = {}
        session.benchmark_changed.connect(self._show_all)
        session.scores_changed.connect(self._show_all)
        session.selection_changed.connect(self._follow)
        self._show_all()

    @property
    def of(self) -> str:
        """One of `QUERY`, `QUERIES`, `CLASSES`."""
        return self._of

    def set_of(self, what: str) -> None:
        """Show the numbers of one query or the means."""
        if what != self._of:
            self._of = what
            self._show_values()

    def set_theme(self, name: str) -> None:
        """Give the runs their colours in the theme ``"light"`` or ``"dark"``."""
        self._theme = name
        self._looks = series_of(self._runs, name, self._session.edits.colours)
        self._tell_column(0, [ScoreRole.COLOUR])

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008 - Qt's way
        """Qt override."""
        return 0 if parent.isValid() else len(self._runs)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Qt override; see the class for the roles."""
        if not index.isValid() or index.row() >= len(self._runs):
            return None
        row, place = index.row(), index.column() - len(self._heads)
        if place >= 0:
            return self._score(row, place, role)
        run = self._runs[row]
        if role == Qt.ItemDataRole.DisplayRole:
            return run.name if index.column() == 0 else run.participant
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            said = [f"Run {run.name} by {run.participant}, read from {run.source.name}", self._warnings.get(row, "")]
            if row not in self._session.selection.drawn_runs:
                said.append("Hidden in graphs; Space shows it")
            return "\n".join(part for part in said if part)
        if role == ScoreRole.COLOUR:
            return self._looks[row].colour
        if role == ScoreRole.DASH:
            return self._looks[row].dash
        if role == ScoreRole.SHOWN:
            return row in self._session.selection.drawn_runs
        if role == ScoreRole.WARNING:
            return self._warnings.get(row, "")
        return run.participant if role == ScoreRole.PARTICIPANT else None

    def _score(self, row: int, place: int, role: int) -> Any:
        value = float(self._values[row, place]) if self._values.size else float("nan")
        if role == ScoreRole.VALUE:
            return value
        if role == ScoreRole.PLACE:
            return self._places.get(place, {}).get(row) if self._of == QUERY else None
        if role == Qt.ItemDataRole.DisplayRole:
            return fixed(value, TABLE_DECIMALS)
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            said = "undefined" if np.isnan(value) else fixed(value, 6)
            return f"{self._runs[row].name}: {self._measures[place].label} {said}"
        return None

    @Slot()
    def _show_all(self) -> None:
        session = self._session
        self.beginResetModel()
        self._runs = () if session.benchmark is None else session.benchmark.runs
        self._warnings = {} if session.benchmark is None else run_warnings(session.benchmark)
        named = any(run.participant not in ("", run.name) for run in self._runs)
        self._heads = ("Run", "Participant") if named else ("Run",)
        self._looks = series_of(self._runs, self._theme, self._session.edits.colours)
        self._measures = () if session.scores is None else session.scores.measures
        self._take_numbers()
        self.endResetModel()

    def _take_numbers(self) -> None:
        self._values = self._numbers()
        if self._of == QUERY and self._values.size:
            self._places = {
                column: _places(self._values[:, column], m.better) for column, m in enumerate(self._measures)
            }

    def _show_values(self) -> None:
        self._take_numbers()
        for column in range(len(self._heads), self.columnCount()):
            self._tell_column(column, [ScoreRole.VALUE, Qt.ItemDataRole.DisplayRole])

    @Slot(object, object)
    def _follow(self, old: Selection, new: Selection) -> None:
        if old.query != new.query and self._of == QUERY:
            self._show_values()
        if old.drawn_runs != new.drawn_runs:
            self._tell_column(0, [ScoreRole.SHOWN])

    def _numbers(self) -> NDArray[np.float64]:
        """(R, M) of the scores' runs, which are all runs of the benchmark in their order."""
        scores, query = self._session.scores, self._session.selection.query
        if scores is None:
            return np.zeros((0, 0))
        if self._of != QUERY:
            return self._session.mean(self._of)
        return scores.values[:, query] if query != NOTHING else np.zeros((0, 0))

    def _tell_column(self, column: int, roles: list[int]) -> None:
        if self._runs:
            self.dataChanged.emit(self.index(0, column), self.index(len(self._runs) - 1, column), roles)


def _places(values: NDArray[np.float64], better: str) -> dict[int, int]:
    """Place of each row by its value, 1 for the best; rows without a value, and measures without a good end, have none.

    Examples
    --------
    >>> _places(np.array([0.2, 0.5, np.nan, 0.5]), "higher")
    {0: 3, 1: 1, 3: 1}
    """
    if better == "none":
        return {}
    keys = values if better == "lower" else -values
    known = keys[~np.isnan(keys)]
    return {row: int((known < key).sum()) + 1 for row, key in enumerate(keys) if not np.isnan(key)}
