"""Table models of scores: the leaderboard and all measures of one run."""

import os
from collections.abc import Mapping
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QByteArray, QModelIndex, QObject, QPersistentModelIndex, Qt, Slot

from shrec_viewer.content.data import slices_of
from shrec_viewer.content.scores import RunScores, rows_of_run, run_values
from shrec_viewer.diagnosis.slices import QuerySlice, slice_means
from shrec_viewer.domain import Benchmark, Run, Severity
from shrec_viewer.evaluation.comparison.leaderboards import LeaderboardCorrelation, correlate, leaderboard
from shrec_viewer.evaluation.comparison.published import PublishedRow, published_rows
from shrec_viewer.evaluation.geometry_evidence import geometry_note
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.evaluation.virtual_runs import parse_virtual_run
from shrec_viewer.metrics import CONVENTIONS, Profile, ResolvedMeasure, extra_measure_keys, find_measure
from shrec_viewer.metrics.statistics.significance import SCORE_TOLERANCE
from shrec_viewer.number_format import (
    MINUS,
    SHARE_DECIMALS,
    UNDEFINED,
    format_fixed,
    format_percent,
    format_value,
)
from shrec_viewer.render.scene.palette import RunStyle
from shrec_viewer.viewmodels.content.data import content_data
from shrec_viewer.viewmodels.files.finding_location import finding_path
from shrec_viewer.viewmodels.scores.tie_ranges import shared_tie_ranges
from shrec_viewer.viewmodels.session.document import Document
from shrec_viewer.viewmodels.session.selection import NOTHING
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.formulas import formula_text
from shrec_viewer.viewmodels.text.labels import count_text

#: Findings of a run listed in its tooltip; the Findings panel lists all.
MAX_LISTED_FINDINGS = 4


def run_warnings(benchmark: Benchmark) -> Mapping[int, str]:
    """Warnings and errors about each run or a file of its folder, one per line, by run index; only runs with any.

    ``"98.2 % of the ranks are tied: the distance equals that of a neighbour"``
    """
    # Not by `run_at`, which compares every finding with every run: a benchmark may have 10,000 findings.
    sources = {os.path.normpath(run.source): index for index, run in enumerate(benchmark.runs) if not run.expression}
    found: dict[int, list[str]] = {}
    for finding in benchmark.findings:
        if finding.severity is Severity.INFO:
            continue
        path = finding_path(benchmark, finding)
        run = next((sources[str(above)] for above in (path, *path.parents) if str(above) in sources), None)
        if run is not None:
            text = finding.message if str(path) in sources else f"{path.name}: {finding.message}"
            found.setdefault(run, []).append(text)
    return {run: _join_findings(texts) for run, texts in found.items()}


def _join_findings(texts: list[str]) -> str:
    rest = len(texts) - MAX_LISTED_FINDINGS
    return "\n".join(texts[:MAX_LISTED_FINDINGS] + ([f"… and {rest:,} more; see the findings"] if rest > 0 else []))


#: Values of `ScoreTableModel.of`: of the selected query, or of all queries or classes; in the table of runs, means.
ONE_QUERY, OVER_QUERIES, OVER_CLASSES = "query", "queries", "classes"


#: Data roles of cells and headers; views find them by name, see `ScoreTableModel.roleNames`.
ScoreRole = IntEnum(
    "ScoreRole",
    "VALUE BETTER RANGE COLOUR DASH SHOWN PARTICIPANT PLACE WARNING MARKER STATE DIFFERENCE RANK_CHANGE VIRTUAL "
    "TIE_RANGE PERCENT DECIMALS",
    start=Qt.ItemDataRole.UserRole + 1,
)


class ScoreTableModel(QAbstractTableModel):
    """Base class of tables with columns of names, then a column per measure; subclasses fill in the values.

    Roles by name: value (float, NaN undefined or missing) of a cell, and difference (float, from the value of the
    baseline version of the run; its text for published scores; None without one); better, range and percent (bool) of
    the header of a measure. tie_range (two floats) is the lowest and highest value of a cell over the orders of ties,
    None unless
    `set_ties_shown`. decimals are those of a published value; None for those of the column.

    Attributes
    ----------
    of : what the values are of, a value of the option ``over`` of the table.
    """

    ROLES: tuple[ScoreRole, ...] = (
        ScoreRole.VALUE, ScoreRole.BETTER, ScoreRole.RANGE, ScoreRole.DIFFERENCE, ScoreRole.TIE_RANGE,
        ScoreRole.PERCENT,
    )  # fmt: skip

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.of = OVER_QUERIES
        self._header: tuple[str, ...] = ()
        self._names: tuple[str, ...] = ()
        self._measures: tuple[ResolvedMeasure, ...] = ()
        self._values: NDArray[np.float64] = np.zeros((0, 0))
        self._tie_ranges = shared_tie_ranges(session)
        self._ties_shown = self._in_percent = False
        self._tie_bounds: NDArray[np.float64] | None = None
        self._tie_key: tuple[object, ...] = ()
        session.versions.baseline_changed.connect(self._show_differences)
        self._tie_ranges.changed.connect(self._show_tie_ranges)

    def set_of(self, of: str) -> None:
        """Set `of`."""
        if of != self.of:
            self.of = of
            self.show_values()

    def show_values(self) -> None:
        """Show other values."""
        raise NotImplementedError

    @Slot()
    def _show_differences(self) -> None:
        """Show other differences from baselines; the columns may have other widths."""
        self.beginResetModel()
        self.endResetModel()

    # Cells.

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008 - Qt's way
        """Number of rows; 0 below a row."""
        return 0 if parent.isValid() else len(self._names)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Value of a cell for a role; see the class for the roles."""
        if not index.isValid() or index.row() >= len(self._names):
            return None
        measure = index.column() - len(self._header)
        if measure < 0:
            return self._name_data(index.row(), index.column(), role)
        return self._score_data(index.row(), measure, role)

    def _name_data(self, row: int, column: int, role: int) -> Any:
        """Value of a cell in a column of names."""
        raise NotImplementedError

    def _score_data(self, row: int, measure: int, role: int) -> Any:
        value = self._value(row, measure)
        if role == ScoreRole.VALUE:
            return value
        if role == ScoreRole.DIFFERENCE:
            return self._difference(row, measure)
        if role == ScoreRole.TIE_RANGE:
            return self._tie_range(row, measure)
        if role == Qt.ItemDataRole.DisplayRole:
            is_percent = measure < len(self._measures) and self._is_percent(self._measures[measure])
            return format_percent(value, 1) if is_percent else format_fixed(value, SHARE_DECIMALS)
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            text = self._undefined_text(row) if np.isnan(value) else format_fixed(value, 6)
            text += tie_text(self._tie_range(row, measure)) + self._difference_text(row, measure)
            return f"{self._names[row]}: {self._column_label(measure)} {text}"
        return None

    def _column_label(self, measure: int) -> str:
        """What a column of numbers contains, in words."""
        return self._measures[measure].label

    def _value(self, row: int, measure: int) -> float:
        return float(self._values[row, measure]) if self._values.size else float("nan")

    def _undefined_text(self, _row: int) -> str:
        return "undefined"

    def _difference(self, row: int, measure: int) -> float | None:
        """Difference of a value from that of the baseline; None without one."""
        raise NotImplementedError

    def _difference_text(self, row: int, measure: int) -> str:
        """``", +0.025 from the baseline"``; "" without a baseline."""
        difference = self._difference(row, measure)
        if difference is None or np.isnan(difference):
            return ""
        return f", {format_value(difference, signed=True)} from the baseline"

    # Ranges of ties.

    def _is_percent(self, measure: ResolvedMeasure) -> bool:
        return self._in_percent and measure.measure.in_percent

    def set_in_percent(self, shown: bool) -> None:
        """Show measures in per cent whose sources print them so, or as shares."""
        if shown != self._in_percent:
            self._in_percent = shown
            self._show_differences()

    def set_ties_shown(self, shown: bool) -> None:
        """Show the lowest and highest values once they are computed, or not."""
        if shown != self._ties_shown:
            self._ties_shown = shown
            self._tie_ranges.set_needed(type(self).__name__, shown)
            self._show_differences()

    @Slot()
    def _show_tie_ranges(self) -> None:
        if self._ties_shown:
            self._show_differences()

    def _values_of(self, scores: Scores) -> NDArray[np.float64]:
        """(rows, M) float64, the values that the table shows of some scores of the same runs and queries."""
        raise NotImplementedError

    def _tie_range(self, row: int, measure: int) -> tuple[float, float] | None:
        """Lowest and highest value of a cell; None where they are not shown or not known yet."""
        ranges = self._tie_ranges.ranges if self._ties_shown else None
        if ranges is None or not self._values.size:
            return None
        key = (ranges, *self._shown_key())
        if self._tie_key != key:
            self._tie_key, self._tie_bounds = key, self._tie_ranges.bounds(self._values_of)
        bounds = self._tie_bounds
        if bounds is None or len(bounds[0]) != len(self._values) or measure >= bounds.shape[2]:
            return None
        return float(bounds[0, row, measure]), float(bounds[1, row, measure])

    def _shown_key(self) -> tuple[object, ...]:
        """What `_values_of` depends on besides the scores."""
        raise NotImplementedError

    def column_of(self, measure: str) -> int | None:
        """Column of a measure; None if it was not evaluated."""
        keys = [resolved.key for resolved in self._measures]
        return len(self._header) + keys.index(measure) if measure in keys else None

    def measure_of(self, column: int) -> str | None:
        """Key of the measure in a column; None for columns of names."""
        index = column - len(self._header)
        return self._measures[index].key if 0 <= index < len(self._measures) else None

    def column_values(self, column: int) -> list[float | None]:
        """The role value of all rows of a column: NaN for undefined or missing, None for names.

        Called by `widgets` to sort a column without a `data` call per cell.
        """
        index = column - len(self._header)
        if not 0 <= index < self.columnCount() - len(self._header):
            return [None] * self.rowCount()
        return self._values[:, index].tolist() if self._values.size else [float("nan")] * self.rowCount()

    def roleNames(self) -> dict[int, QByteArray]:
        """Names of the data roles."""
        return {role.value: QByteArray(role.name.lower().encode()) for role in self.ROLES}

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008 - Qt's way
        """Number of columns; 0 below a row."""
        return 0 if parent.isValid() else len(self._header) + len(self._measures)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Header of a column; the tooltip of a measure is its definition, polarity and source."""
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
        if role == ScoreRole.PERCENT:
            return self._is_percent(measure)
        if role == Qt.ItemDataRole.ToolTipRole:
            return measure_tooltip(measure, self._session.profile)
        return None


#: A profile with at most so many measures lists those of its papers, so that all are common.
MAX_COMMON_MEASURES = 10


def common_measures(profile: Profile) -> tuple[str, ...]:
    """Keys of the measures of a profile that papers usually print (`Measure.common`), and its headline.

    And the common measures of other packages. Of several cutoffs of one measure, the largest; where there are more
    than `MAX_COMMON_MEASURES`, none of the highly relevant only. All measures of a profile that has at most these.
    """
    extra = tuple(key for key in extra_measure_keys() if find_measure(key).measure.common)
    extra = tuple(key for key in extra if key not in profile.measures)
    if len(profile.measures) <= MAX_COMMON_MEASURES:
        return profile.measures + extra
    largest = {key.partition("@")[0] + "@" * ("@" in key): key for key in profile.measures}  # cutoffs are ascending
    shown = {key for key in largest.values() if find_measure(key).measure.common}
    if len(shown) > MAX_COMMON_MEASURES:
        shown = {key for key in shown if "(rel=" not in key}
    return tuple(key for key in profile.measures if key in shown or key == profile.headline) + extra


def measure_tooltip(measure: ResolvedMeasure, profile: Profile) -> str:
    """Tooltip of the header of a measure: definition, formula, polarity, source."""
    better = {"higher": "Higher is better.", "lower": "Lower is better.", "none": ""}[measure.better]
    lines = (measure.label, measure.definition, formula_text(measure.formula_under(profile)))
    return "\n".join((*lines, f"{better} {measure.source_under(profile)}".lstrip()))


class LeaderboardModel(ScoreTableModel):
    """Scores of all runs.

    Rows are the runs of the benchmark in their order; the first columns name run and participant, the others are the
    measures. Roles by name: value (float, NaN undefined or missing) of a cell; colour, dash, shown, participant,
    warning (warnings and errors about the run, "" for none) and state ("new" if the last reload added it, "removed"
    if its file does not exist any more, else "") of a row; better and range of a header. For one query also place:
    1-based rank of the run among all runs by that measure, ties sharing the better rank. After an edit, other
    conventions or other files, difference is that from the former value, and rank_change (int) the number of ranks that
    the run went up. After the measures, a column for each slice that was chosen has the mean of the selected measure
    over its queries.
    """

    ROLES = tuple(ScoreRole)

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(session, parent)
        self.of = session.selection.scores_of
        self._theme = "light"
        self._runs: tuple[Run, ...] = ()
        self._warnings: Mapping[int, str] = {}
        self._removed: frozenset[int] = frozenset()
        self._styles: tuple[RunStyle, ...] = ()
        self._slice_names: tuple[str, ...] = ()
        self._slices: tuple[QuerySlice, ...] = ()
        self._run_ranks: dict[int, dict[int, int]] = {}
        self._former: NDArray[np.float64] | None = None  # (R, M), values before the last change
        self._rank_changes: dict[int, dict[int, int]] = {}
        self._published: tuple[PublishedRow, ...] = ()
        session.changed.connect(self._follow_session)
        self._show_all()

    def correlation(self, first: str, second: str) -> LeaderboardCorrelation | None:
        """Rank correlation of the orders of the runs by two measures.

        None if they are the same one, one was not evaluated, or neither higher nor lower values of it are better.
        """
        columns = [self.column_of(key) for key in (first, second)]
        if first == second or None in columns or not self._values.size:
            return None
        found = [self._measures[column - len(self._header)] for column in columns if column is not None]
        if any(measure.better == "none" for measure in found):
            return None
        profile = self._session.profile.key
        runs = self._names[: len(self._runs)]
        x, y = (leaderboard(m, profile, runs, self._values[:, self._measures.index(m)]) for m in found)
        return correlate(x, y)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """As `ScoreTableModel.headerData`; the tooltip adds the rank correlation with the selected measure."""
        if self._slices and orientation == Qt.Orientation.Horizontal and (one := self._slice_of(section)) is not None:
            return self._slice_header(one, role)
        shown = super().headerData(section, orientation, role)
        if role != Qt.ItemDataRole.ToolTipRole or (measure := self.measure_of(section)) is None:
            return shown
        found = self.correlation(self._session.measure, measure)
        return shown if found is None else f"{shown}\n{correlation_text(found)}"

    # Published scores, in rows below those of the runs.

    def run_of(self, row: int) -> int | None:
        """The run of a row; None for published scores."""
        return row if row < len(self._runs) else None

    def published(self, row: int) -> PublishedRow | None:
        """The published scores of a row; None for a run."""
        return self._published[row - len(self._runs)] if row >= len(self._runs) else None

    def _published_rows(self) -> tuple[PublishedRow, ...]:
        """Published scores beside the values shown; none beside those of one query."""
        if self.of == ONE_QUERY or not self._values.size:
            return ()
        computed = self._values[:, : len(self._measures)]
        runs = [run.name for run in self._runs]
        return published_rows(self._session.benchmark.published, runs, self._measures, computed)

    def _value(self, row: int, measure: int) -> float:
        if (published := self.published(row)) is None:
            return super()._value(row, measure)
        return float(published.values[measure]) if measure < len(self._measures) else float("nan")

    def _tie_range(self, row: int, measure: int) -> tuple[float, float] | None:
        return None if row >= len(self._runs) else super()._tie_range(row, measure)

    def column_values(self, column: int) -> list[float | None]:
        """See `ScoreTableModel`."""
        index = column - len(self._header)
        if not self._published or index < 0:
            return super().column_values(column)
        rows = range(len(self._runs), len(self._names))
        return [*self._values[:, index].tolist(), *(self._value(row, index) for row in rows)]

    def ranked_rows(self) -> int:
        """Number of the first rows whose values are compared with each other: those of the runs."""
        return len(self._runs)

    def _published_value(self, published: PublishedRow, measure: int) -> str:
        """A published value with the decimals that it is printed with."""
        if measure >= len(self._measures):
            return UNDEFINED
        value, decimals = float(published.values[measure]), int(published.decimals[measure])
        is_percent = self._is_percent(self._measures[measure])
        return format_percent(value, max(decimals - 2, 0)) if is_percent else format_fixed(value, decimals)

    def _published_data(self, published: PublishedRow, column: int, role: int) -> Any:
        if role == Qt.ItemDataRole.DisplayRole:
            return published.title if column == 0 else ""
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            return f"{published.name}: published scores, from {published.source}"
        if role == ScoreRole.PARTICIPANT:
            return self._runs[published.run].participant if published.run >= 0 else ""
        return True if role in (ScoreRole.SHOWN, ScoreRole.VIRTUAL) else None

    # Slices.

    def set_slices(self, names: tuple[str, ...]) -> None:
        """Show a column for each slice of these names that the benchmark has."""
        if names != self._slice_names:
            self._slice_names = names
            self._show_all()

    def available_slices(self) -> tuple[QuerySlice, ...]:
        """All slices; () without scores."""
        session = self._session
        return () if session.scores is None else slices_of(content_data(session), measure=session.measure)

    @property
    def within(self) -> QuerySlice | None:
        """The selected slice, over whose queries the means are; None for all queries, and for scores of one."""
        session = self._session
        name = session.selection.slice if self.of != ONE_QUERY and session.scores is not None else ""
        known = slices_of(content_data(session)) if name else ()
        return next((one for one in known if one.name == name), None)

    def _chosen_slices(self) -> tuple[QuerySlice, ...]:
        chosen = self.available_slices() if self._slice_names else ()
        return tuple(one for one in chosen if one.name in self._slice_names)

    def _slice_of(self, section: int) -> QuerySlice | None:
        index = section - len(self._header) - len(self._measures)
        return self._slices[index] if 0 <= index < len(self._slices) else None

    def _slice_header(self, one: QuerySlice, role: int) -> Any:
        measure = find_measure(self._session.measure)
        values: dict[int, Any] = {
            Qt.ItemDataRole.DisplayRole: one.name,
            Qt.ItemDataRole.ToolTipRole: f"{measure.key}, {count_text(len(one.queries), 'query', 'queries')}\n"
            f"{measure.label}, mean over the queries of {one.name}",
            ScoreRole.BETTER: measure.better,
            ScoreRole.RANGE: measure.range,
        }
        return values.get(role)

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008 - Qt's way
        """See `ScoreTableModel`; with the slices."""
        return 0 if parent.isValid() else super().columnCount() + len(self._slices)

    def _column_label(self, measure: int) -> str:
        one = self._slice_of(measure + len(self._header))
        return super()._column_label(measure) if one is None else f"{self._session.measure} over {one.name}"

    def set_theme(self, name: str) -> None:
        """Use the run colours of the theme ``"light"`` or ``"dark"``."""
        self._theme = name
        self._styles = self._session.run_styles.styles(name)
        self._emit_column_changed(0, [ScoreRole.COLOUR])

    def _name_data(self, row: int, column: int, role: int) -> Any:
        if (published := self.published(row)) is not None:
            return self._published_data(published, column, role)
        run = self._runs[row]
        if role == Qt.ItemDataRole.DisplayRole:
            return run.name if column == 0 else run.participant
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            lines = [
                run_origin_text(run),
                geometry_note(self._session.benchmark, (run.name,)),
                self._warnings.get(row, ""),
            ]
            if run.name in self._session.new_runs:
                lines.append("Added by the last reload")
            if row not in self._session.selection.visible_runs:
                lines.append("Hidden in plots (Space to show)")
            return "\n".join(line for line in lines if line)
        if role == ScoreRole.COLOUR:
            return self._styles[row].colour
        if role == ScoreRole.DASH:
            return self._styles[row].dash
        if role == ScoreRole.MARKER:
            return self._styles[row].marker
        if role == ScoreRole.SHOWN:
            return row in self._session.selection.visible_runs
        if role == ScoreRole.WARNING:
            return self._warnings.get(row, "")
        if role == ScoreRole.VIRTUAL:
            return bool(run.expression)
        if role == ScoreRole.STATE:
            return "removed" if row in self._removed else "new" if run.name in self._session.new_runs else ""
        return run.participant if role == ScoreRole.PARTICIPANT else None

    def _score_data(self, row: int, measure: int, role: int) -> Any:
        if role == ScoreRole.RANK_CHANGE:
            has_baselines = self._session.versions.has_baselines
            return None if has_baselines else self._rank_changes.get(measure, {}).get(row)
        if role == ScoreRole.PLACE:
            return self._run_ranks.get(measure, {}).get(row) if self.of == ONE_QUERY else None
        if role in (ScoreRole.DIFFERENCE, ScoreRole.DECIMALS) and (published := self.published(row)) is not None:
            if np.isnan(self._value(row, measure)):
                return None
            is_difference = role == ScoreRole.DIFFERENCE
            return published.mark(measure).replace("-", MINUS) if is_difference else int(published.decimals[measure])
        if role == Qt.ItemDataRole.DisplayRole and (published := self.published(row)) is not None:
            return self._published_value(published, measure)
        return super()._score_data(row, measure, role)

    def _difference(self, row: int, measure: int) -> float | None:
        """Difference of a value from that before the last change, or of the baseline of its run; None without."""
        session, value = self._session, self._value(row, measure)
        if measure >= len(self._measures) or row >= len(self._runs) or self.within is not None:
            return None
        if not session.versions.has_baselines:
            return None if self._former is None else float(value - self._former[row, measure])
        if not self._values.size:
            return None
        query = session.selection.query if self.of == ONE_QUERY else None
        over = OVER_QUERIES if self.of == ONE_QUERY else self.of
        baseline = session.versions.baseline_values(self._runs[row].name, query, over)
        return None if baseline is None else float(value - baseline[measure])

    def _difference_text(self, row: int, measure: int) -> str:
        if (published := self.published(row)) is not None:
            return published_text(published, measure) if measure < len(self._measures) else ""
        former = self._session.document.replaced_scores
        if self._former is None or former is None or self._session.versions.has_baselines:
            return super()._difference_text(row, measure)
        changes = describe_changes(former.profile, self._session.profile) or "before the last change"
        return former_text(self._difference(row, measure), self._rank_changes.get(measure, {}).get(row), changes)

    def _update_former(self) -> None:
        """Values before the last change, and ranks that each run went up (positive) or down since, by measure."""
        self._former, self._rank_changes = None, {}
        before, present = self._session.document.replaced_scores, self._session.scores
        if before is None or present is None or before.runs != present.runs or len(self._values) != len(before.runs):
            return
        keys = [measure.key for measure in before.measures]
        values, column = self._values_of(before), [keys.index(m.key) if m.key in keys else -1 for m in self._measures]
        self._former = np.where(np.array(column) >= 0, values[:, column], np.nan)
        for index, measure in enumerate(self._measures):
            now = _rank_by_value(self._values[:, index], measure.better)
            former = _rank_by_value(self._former[:, index], measure.better)
            self._rank_changes[index] = {row: former[row] - rank for row, rank in now.items() if row in former}

    def _show_warnings(self) -> None:
        """Update the warnings after findings changed; changed scores are signalled separately."""
        removed = self._removed
        self._warnings = run_warnings(self._session.benchmark)
        self._removed = self._removed_runs()
        if self._removed != removed:
            self._show_all()  # the column of the names is fitted
        else:
            self._emit_column_changed(0, [ScoreRole.WARNING, Qt.ItemDataRole.ToolTipRole])

    def _removed_runs(self) -> frozenset[int]:
        """Runs whose file or folder does not exist any more; each of them has a warning."""
        runs = self._session.benchmark.runs
        return frozenset(row for row in self._warnings if row < len(runs) and not os.path.exists(runs[row].source))

    def _show_scores(self) -> None:
        """Show other scores; a reset only where runs or measures differ, as fitting the columns takes 40 ms."""
        scores = self._session.scores
        is_same = scores is not None and scores.measures == self._measures and len(self._values) == len(self._runs)
        is_same = is_same and [one.name for one in self._chosen_slices()] == [one.name for one in self._slices]
        if is_same and self._former is None and self._session.document.replaced_scores is None:
            self.show_values()
        else:
            self._show_all()

    def _show_all(self) -> None:
        session = self._session
        self.beginResetModel()
        benchmark = session.benchmark
        self._runs, self._warnings = benchmark.runs, run_warnings(benchmark)
        self._removed = self._removed_runs()
        has_participants = any(run.participant not in ("", run.name) for run in self._runs)
        self._header = ("Run", "Participant") if has_participants else ("Run",)
        self._styles = self._session.run_styles.styles(self._theme)
        self._measures = () if session.scores is None else session.scores.measures
        self._slices = self._chosen_slices()
        self._update_values()
        self.endResetModel()

    def _update_values(self) -> None:
        self._values, scores = self._current_values(), self._session.scores
        if self._slices and self._values.size and scores is not None:
            self._slices = self._chosen_slices()
            means = slice_means(scores, self._slices, scores.column(self._session.measure))
            self._values = np.hstack([self._values, means])
        self._published = self._published_rows()
        self._names = (*(run.name for run in self._runs), *(row.title for row in self._published))
        self._update_former()
        if self.of == ONE_QUERY and self._values.size:
            self._run_ranks = {
                column: _rank_by_value(self._values[:, column], m.better) for column, m in enumerate(self._measures)
            }

    def show_values(self) -> None:
        """See `ScoreTableModel`; a reset is only needed for other rows or measures."""
        if bool(self._session.benchmark.published) and (self.of == ONE_QUERY) == bool(self._published):
            self._show_all()
            return
        self._update_values()
        first, last = len(self._header), self.columnCount() - 1
        if self._runs and last >= first:
            roles = [ScoreRole.VALUE, Qt.ItemDataRole.DisplayRole]
            self.dataChanged.emit(self.index(0, first), self.index(len(self._names) - 1, last), roles)

    @Slot(object, object)
    def _follow_session(self, old: Document, new: Document) -> None:
        if new.differs(old, "benchmark"):
            self.of = new.selection.scores_of
            self._show_all()
            return
        if new.differs(old, "runs", "warnings"):
            self._show_warnings()
        if new.differs(old, "published"):
            self._show_all()
        if new.differs(old, "scores"):
            self.of = new.selection.scores_of
            self._show_scores()
        elif new.differs(old, "replaced"):
            self._show_all()
        elif new.selection.scores_of != self.of:
            self.set_of(new.selection.scores_of)
        elif new.differs(old, "query") and self.of == ONE_QUERY:
            self.show_values()
        elif new.differs(old, "slice"):
            self._show_all()
        if new.differs(old, "measure") and self._slices:
            self._show_all()
        if new.selection.visible_runs != old.selection.visible_runs:
            self._emit_column_changed(0, [ScoreRole.SHOWN])

    def _values_of(self, scores: Scores) -> NDArray[np.float64]:
        within = self.within
        scores = scores if within is None else scores.select_queries(within.queries)
        return run_values(scores, self.of, self._session.selection.query)

    def _shown_key(self) -> tuple[object, ...]:
        selection = self._session.selection
        return self.of, selection.query if self.of == ONE_QUERY else NOTHING, selection.slice

    def _current_values(self) -> NDArray[np.float64]:
        """(R, M) float64, values of all runs of the benchmark in their order; (0, 0) without scores."""
        scores, query = self._session.scores, self._session.selection.query
        if scores is None:
            return np.zeros((0, 0))
        if self.of != ONE_QUERY:
            return self._session.mean(self.of) if self.within is None else self._values_of(scores)
        return scores.values[:, query] if query != NOTHING else np.zeros((0, 0))

    def _emit_column_changed(self, column: int, roles: list[int]) -> None:
        if self._runs:
            self.dataChanged.emit(self.index(0, column), self.index(len(self._runs) - 1, column), roles)


def run_origin_text(run: Run) -> str:
    """Where a run is from: participant and file, or how it is computed, with the source of the definition."""
    if not run.expression:
        return f"Run {run.name} by {run.participant}, read from {run.source.name}"
    kind = parse_virtual_run(run.expression).kind
    return f"Virtual run {run.name}, computed: {kind.label}. {kind.definition}\nSource: {kind.source}"


def published_text(published: PublishedRow, measure: int) -> str:
    """``", +0.006 from the computed value"``; "" without one."""
    mark = published.mark(measure).replace("-", MINUS)
    if mark == "=":
        return ", equal to the computed value to the printed digits"
    return f", {mark} from the computed value" if mark else ""


def tie_text(bounds: tuple[float, float] | None) -> str:
    """``", 0.410 to 0.433 over the orders of ties"``; "" where they are the same or unknown."""
    if bounds is None or np.isnan(bounds).any() or bounds[1] - bounds[0] <= SCORE_TOLERANCE:
        return ""
    low, high = (format_fixed(bound, 6) for bound in bounds)
    return f", {low} to {high} over the orders of ties"


def describe_changes(old: Profile, new: Profile) -> str:
    """The conventions that differ, with both values; "" for none."""
    parts = []
    for convention in CONVENTIONS:
        before, after = getattr(old, convention.field), getattr(new, convention.field)
        if before != after:
            parts.append(f"{convention.label}: {convention.label_of(before)} → {convention.label_of(after)}")
    return "; ".join(parts)


def former_text(difference: float | None, rank_change: int | None, changes: str) -> str:
    """``", +0.025, 2 ranks up (Ties: file order → best)"``; "" where there is nothing to compare with."""
    if difference is None or np.isnan(difference):
        return ""
    moved = ""
    if rank_change:
        ranks = f"{abs(rank_change)} rank{'s' if abs(rank_change) > 1 else ''}"
        moved = f", {ranks} {'up' if rank_change > 0 else 'down'}"
    return f", {format_value(difference, signed=True)}{moved} ({changes})"


def correlation_text(found: LeaderboardCorrelation) -> str:
    """Sentence on the rank correlation of the orders of the runs by two measures."""
    tau, tau_ap = (format_fixed(value, SHARE_DECIMALS) for value in (found.tau, found.tau_ap))
    return (
        f"Order of {found.runs} runs, compared with that by {found.first.measure}: Kendall's τ {tau}, τ_AP {tau_ap} "
        "(1: the same order; τ_AP weights the best runs more)."
    )


def _rank_by_value(values: NDArray[np.float64], better: str) -> dict[int, int]:
    """1-based rank of each row by its value; without rows that are NaN; empty where neither direction is better.

    Examples
    --------
    >>> _rank_by_value(np.array([0.2, 0.5, np.nan, 0.5]), "higher")
    {0: 3, 1: 1, 3: 1}
    """
    if better == "none":
        return {}
    keys = values if better == "lower" else -values
    known = keys[~np.isnan(keys)]
    return {row: int((known < key).sum()) + 1 for row, key in enumerate(keys) if not np.isnan(key)}


class RunScoresModel(ScoreTableModel):
    """All measures of the selected run by query or by class.

    Rows are the queries in their order, or their classes in the order of the classification; the first column has the
    name, the second one the class, or the number of queries. See `ScoreTableModel` for the roles.
    """

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(session, parent)
        self._rows: RunScores | None = None
        self._baseline: tuple[object, NDArray[np.float64] | None] = (None, None)  # of the shown run, cached
        session.changed.connect(self._follow_session)
        self.show_values()

    def label_of(self, row: int) -> int:
        """Index of the class of a row, -1 for none."""
        return -1 if self._rows is None else int(self._rows.labels[row])

    def _name_data(self, row: int, column: int, role: int) -> Any:
        shown_in = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole)
        if self._rows is None or role not in shown_in:
            return None
        note = self._rows.notes[row]
        return self._names[row] if column == 0 else f"{note:,}" if isinstance(note, int) else note

    def _undefined_text(self, row: int) -> str:
        scores, run = self._session.scores, self._session.run
        if self.of == OVER_CLASSES or scores is None or run is None:
            return "undefined"
        return "no results" if scores.missing[scores.run_index(run.name), row] else "undefined"

    def _values_of(self, scores: Scores) -> NDArray[np.float64]:
        run = self._session.run
        assert run is not None
        return self._rows_of(scores, run.name).values

    def _rows_of(self, scores: Scores, run: str) -> RunScores:
        return rows_of_run(scores, self._session.benchmark, scores.run_index(run), self.of)

    def _shown_key(self) -> tuple[object, ...]:
        return self.of, self._session.run

    def _difference(self, row: int, measure: int) -> float | None:
        session = self._session
        run = session.run
        if run is None or not session.versions.has_baselines:
            return None
        if self._baseline[0] is not session.versions.baseline_key:
            former = session.versions.baseline_of_queries(run.name)
            values = None if former is None else self._rows_of(former, run.name).values
            self._baseline = (session.versions.baseline_key, values)
        values = self._baseline[1]
        same = values is not None and values.shape == self._values.shape
        return self._value(row, measure) - float(values[row, measure]) if values is not None and same else None

    @Slot(object, object)
    def _follow_session(self, old: Document, new: Document) -> None:
        if new.differs(old, "benchmark", "scores", "run"):
            self.show_values()

    def show_values(self) -> None:
        """See `ScoreTableModel`."""
        scores, run = self._session.scores, self._session.run
        self._baseline = (None, None)
        self.beginResetModel()
        self._header = ("Query", "Class") if self.of == OVER_QUERIES else ("Class", "Queries")
        is_known = scores is not None and run is not None and run.name in scores.runs
        self._rows = self._rows_of(scores, run.name) if scores is not None and run is not None and is_known else None
        self._measures = () if scores is None or self._rows is None else scores.measures
        self._names = () if self._rows is None else self._rows.names
        self._values = np.zeros((0, 0)) if self._rows is None else self._rows.values
        self.endResetModel()
