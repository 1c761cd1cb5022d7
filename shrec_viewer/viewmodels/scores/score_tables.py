"""Table models of scores: the leaderboard and all measures of one run."""

import os
from collections.abc import Mapping
from enum import IntEnum
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QByteArray, QModelIndex, QObject, QPersistentModelIndex, Qt, Slot

from shrec_viewer.domain import Benchmark, Run, Severity
from shrec_viewer.metrics import Profile, ResolvedMeasure, extra_measure_keys, find_measure
from shrec_viewer.number_format import SHARE_DECIMALS, format_fixed, format_formula
from shrec_viewer.render.scene.palette import RunStyle
from shrec_viewer.viewmodels.plots.run_styles import run_styles
from shrec_viewer.viewmodels.session.selection import NOTHING, Selection
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.labels import class_label

MAX_LISTED_FINDINGS = 4
"""Findings of a run that are told one by one; the panel of findings has all."""


def run_warnings(benchmark: Benchmark) -> Mapping[int, str]:
    """Warnings and errors about each run, or about a file of its folder, a line each; runs without any are left out.

    ``"98.2% of the ranks are tied: the distance equals that of a neighbour"``
    """
    sources = {os.path.normpath(run.source): place for place, run in enumerate(benchmark.runs)}
    found: dict[int, list[str]] = {}
    for finding in benchmark.findings:
        if finding.severity is Severity.INFO:
            continue
        path = Path(os.path.normpath(benchmark.root / finding.file))
        place = next((sources[str(one)] for one in (path, *path.parents) if str(one) in sources), None)
        if place is not None:
            words = finding.message if str(path) in sources else f"{path.name}: {finding.message}"
            found.setdefault(place, []).append(words)
    return {place: _join_findings(words) for place, words in found.items()}


def _join_findings(words: list[str]) -> str:
    rest = len(words) - MAX_LISTED_FINDINGS
    return "\n".join(words[:MAX_LISTED_FINDINGS] + ([f"… and {rest:,} more; see the findings"] if rest > 0 else []))


class ScoreRole(IntEnum):
    """What a cell, or a head, can be asked for; views find these by the names in `ScoreTableModel.roleNames`."""

    VALUE = Qt.ItemDataRole.UserRole + 1
    BETTER = Qt.ItemDataRole.UserRole + 2
    RANGE = Qt.ItemDataRole.UserRole + 3
    COLOUR = Qt.ItemDataRole.UserRole + 4
    DASH = Qt.ItemDataRole.UserRole + 5
    SHOWN = Qt.ItemDataRole.UserRole + 6
    PARTICIPANT = Qt.ItemDataRole.UserRole + 7
    PLACE = Qt.ItemDataRole.UserRole + 8
    WARNING = Qt.ItemDataRole.UserRole + 9


class ScoreTableModel(QAbstractTableModel):
    """Columns of measures behind columns of names; who inherits fills them and says what the cells are.

    Roles by name: value (float, NaN undefined or missing) of a cell; better and range of the head of a measure.
    """

    ROLES: tuple[ScoreRole, ...] = (ScoreRole.VALUE, ScoreRole.BETTER, ScoreRole.RANGE)

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._header: tuple[str, ...] = ()
        self._measures: tuple[ResolvedMeasure, ...] = ()
        self._values: NDArray[np.float64] = np.zeros((0, 0))

    def column_of(self, measure: str) -> int | None:
        """Column of a measure; None where it was not evaluated."""
        keys = [resolved.key for resolved in self._measures]
        return len(self._header) + keys.index(measure) if measure in keys else None

    def measure_of(self, column: int) -> str | None:
        """Key of the measure in a column; None for the names."""
        place = column - len(self._header)
        return self._measures[place].key if 0 <= place < len(self._measures) else None

    def column_values(self, column: int) -> list[float | None]:
        """The role value of all rows of a column: NaN where it is undefined or missing, None where they are names."""
        place = column - len(self._header)
        if not 0 <= place < len(self._measures):
            return [None] * self.rowCount()
        return self._values[:, place].tolist() if self._values.size else [float("nan")] * self.rowCount()

    def roleNames(self) -> dict[int, QByteArray]:
        """Qt override."""
        return {role.value: QByteArray(role.name.lower().encode()) for role in self.ROLES}

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008 - Qt's way
        """Qt override."""
        return 0 if parent.isValid() else len(self._header) + len(self._measures)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Qt override; the tool tip of a measure is its definition, polarity and source."""
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < self.columnCount():
            return None
        if section < len(self._header):
            return self._header[section] if role == Qt.ItemDataRole.DisplayRole else None
        measure = self._measures[section - len(self._header)]
        if role == Qt.ItemDataRole.DisplayRole:
            return measure.key
        if role == ScoreRole.BETTER:
            return measure.better
        if role == ScoreRole.RANGE:
            return measure.range
        if role == Qt.ItemDataRole.ToolTipRole:
            return measure_tooltip(measure, self._session.profile)
        return None


MAX_COMMON_MEASURES = 10
"""Measures that are few enough to be all usual: a profile that names no more names those of its papers."""


def common_measures(profile: Profile) -> tuple[str, ...]:
    """Keys of the measures of a profile that papers usually print (`Measure.common`), and its headline.

    And the common measures of other packages. Of several cut-offs of one measure, the largest. All measures of a profile that has at most `MAX_COMMON_MEASURES`.
    """
    extra = tuple(key for key in extra_measure_keys() if find_measure(key).measure.common)
    extra = tuple(key for key in extra if key not in profile.measures)
    if len(profile.measures) <= MAX_COMMON_MEASURES:
        return profile.measures + extra
    largest = {key.partition("@")[0] + "@" * ("@" in key): key for key in profile.measures}  # cut-offs are ascending
    shown = {key for key in largest.values() if find_measure(key).measure.common}
    return tuple(key for key in profile.measures if key in shown or key == profile.headline) + extra


def measure_tooltip(measure: ResolvedMeasure, profile: Profile) -> str:
    """What the head of a column says about its measure: definition, formula, polarity, source."""
    better = {"higher": "Higher is better.", "lower": "Lower is better.", "none": ""}[measure.better]
    lines = (measure.label, measure.definition, format_formula(measure.formula_under(profile)))
    return "\n".join((*lines, f"{better} {measure.source_under(profile)}".lstrip()))


ONE_QUERY, MEAN_OVER_QUERIES, MEAN_OVER_CLASSES = "query", "queries", "classes"
"""What the numbers are about: the selected query, or the mean over queries, or over classes."""


class LeaderboardModel(ScoreTableModel):
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
        self._of = MEAN_OVER_QUERIES
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
        """One of `ONE_QUERY`, `MEAN_OVER_QUERIES`, `MEAN_OVER_CLASSES`."""
        return self._of

    def set_of(self, what: str) -> None:
        """Show the numbers of one query or the means."""
        if what != self._of:
            self._of = what
            self._show_values()

    def set_theme(self, name: str) -> None:
        """Give the runs their colours in the theme ``"light"`` or ``"dark"``."""
        self._theme = name
        self._looks = run_styles(self._runs, name, self._session.edits.colours)
        self._emit_column_changed(0, [ScoreRole.COLOUR])

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008 - Qt's way
        """Qt override."""
        return 0 if parent.isValid() else len(self._runs)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Qt override; see the class for the roles."""
        if not index.isValid() or index.row() >= len(self._runs):
            return None
        row, place = index.row(), index.column() - len(self._header)
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
            return self._places.get(place, {}).get(row) if self._of == ONE_QUERY else None
        if role == Qt.ItemDataRole.DisplayRole:
            return format_fixed(value, SHARE_DECIMALS)
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            said = "undefined" if np.isnan(value) else format_fixed(value, 6)
            return f"{self._runs[row].name}: {self._measures[place].label} {said}"
        return None

    @Slot()
    def _show_all(self) -> None:
        session = self._session
        self.beginResetModel()
        self._runs = () if session.benchmark is None else session.benchmark.runs
        self._warnings = {} if session.benchmark is None else run_warnings(session.benchmark)
        named = any(run.participant not in ("", run.name) for run in self._runs)
        self._header = ("Run", "Participant") if named else ("Run",)
        self._looks = run_styles(self._runs, self._theme, self._session.edits.colours)
        self._measures = () if session.scores is None else session.scores.measures
        self._update_values()
        self.endResetModel()

    def _update_values(self) -> None:
        self._values = self._numbers()
        if self._of == ONE_QUERY and self._values.size:
            self._places = {
                column: _rank_by_value(self._values[:, column], m.better) for column, m in enumerate(self._measures)
            }

    def _show_values(self) -> None:
        self._update_values()
        for column in range(len(self._header), self.columnCount()):
            self._emit_column_changed(column, [ScoreRole.VALUE, Qt.ItemDataRole.DisplayRole])

    @Slot(object, object)
    def _follow(self, old: Selection, new: Selection) -> None:
        if old.query != new.query and self._of == ONE_QUERY:
            self._show_values()
        if old.drawn_runs != new.drawn_runs:
            self._emit_column_changed(0, [ScoreRole.SHOWN])

    def _numbers(self) -> NDArray[np.float64]:
        """(R, M) of the scores' runs, which are all runs of the benchmark in their order."""
        scores, query = self._session.scores, self._session.selection.query
        if scores is None:
            return np.zeros((0, 0))
        if self._of != ONE_QUERY:
            return self._session.mean(self._of)
        return scores.values[:, query] if query != NOTHING else np.zeros((0, 0))

    def _emit_column_changed(self, column: int, roles: list[int]) -> None:
        if self._runs:
            self.dataChanged.emit(self.index(0, column), self.index(len(self._runs) - 1, column), roles)


def _rank_by_value(values: NDArray[np.float64], better: str) -> dict[int, int]:
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


BY_QUERY, BY_CLASS = "queries", "classes"


class MeasuresModel(ScoreTableModel):
    """Scores of the selected run; follows the session.

    Rows are queries in their order, or the classes that queries belong to in the order of the classification; the first
    column names them, the second one says class, or number of queries. See `ScoreTableModel` for the roles.
    """

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(session, parent)
        self._of = BY_QUERY
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
        """`BY_QUERY` or `BY_CLASS`."""
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
            return format_fixed(value, SHARE_DECIMALS)
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            missing = bool(self._missing[row]) if self._of == BY_QUERY else False
            said = format_fixed(value, 6) if not np.isnan(value) else "no answer" if missing else "undefined"
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
        self._header = ("Query", "Class") if self._of == BY_QUERY else ("Class", "Queries")
        if scores is None or benchmark is None or run is None or run.name not in scores.runs:
            self._names, self._notes, self._measures, self._values = (), (), (), np.zeros((0, 0))
        else:
            row = scores.run_index(run.name)
            self._measures = scores.measures
            if self._of == BY_QUERY:
                self._names, self._labels, self._missing = scores.queries, scores.query_labels, scores.missing[row]
                self._notes = tuple(class_label(benchmark, int(label)) for label in scores.query_labels)
                self._values = scores.values[row]
            else:
                labels, means = scores.by_class()
                self._labels, self._values = labels, means[row]
                self._names = tuple(class_label(benchmark, int(label)) for label in labels)
                self._notes = tuple(f"{int((scores.query_labels == label).sum()):,}" for label in labels)
        self.endResetModel()
