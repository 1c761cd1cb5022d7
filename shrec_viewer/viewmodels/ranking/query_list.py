"""Item model of the queries with their scores, which filters and sorts them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractListModel, QByteArray, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal, Slot

from shrec_viewer.content.images import ANY_CLASS
from shrec_viewer.domain import Run
from shrec_viewer.evaluation.comparison.comparison import score_difference
from shrec_viewer.evaluation.evaluate import excluded_classes_text
from shrec_viewer.evaluation.plots.heat_map import spread_over_runs
from shrec_viewer.evaluation.score_tables import is_count
from shrec_viewer.formats.core.ids import natural_order
from shrec_viewer.metrics import ResolvedMeasure
from shrec_viewer.metrics.statistics.significance import SCORE_TOLERANCE
from shrec_viewer.number_format import format_gain, format_value
from shrec_viewer.viewmodels.scores.tie_ranges import shared_tie_ranges
from shrec_viewer.viewmodels.session.document import NO_BENCHMARK, Document
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.labels import query_class
from shrec_viewer.viewmodels.thumbnails.thumbnails import VisibleThumbnails

#: `QueryScores.compared` where differences are those of the run from its baseline version.
BASELINE = "baseline"


@dataclass(frozen=True, eq=False)
class QueryScores:
    """Scores of all queries; arrays are (Q,) float64, NaN for undefined, missing or not yet known.

    Attributes
    ----------
    values : of the selected run.
    differences : from the selected run A to the compared run B: B minus A. Without a compared run, from the baseline
        version of run A to its present one; all NaN if it has none.
    spread : standard deviation (dividing by n) over the runs with a value; NaN for fewer than two.
    lowest, highest : values of the selected run over the orders of ties; NaN until they are computed, see
        `QueryListModel.set_order`.
    missing, compared_missing : (Q,) bool, queries that the selected, or the compared, run has no results for.
    run, compared : names of the selected and the compared run, "" for none.
    measure : None without scores.
    is_count : whether the values are counts, printed without decimals.
    """

    values: NDArray[np.float64]
    differences: NDArray[np.float64]
    spread: NDArray[np.float64]
    missing: NDArray[np.bool_]
    compared_missing: NDArray[np.bool_]
    run: str = ""
    compared: str = ""
    measure: ResolvedMeasure | None = None
    is_count: bool = False
    lowest: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    highest: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))

    @property
    def tie_widths(self) -> NDArray[np.float64]:
        """(Q,) float64, highest minus lowest value over the orders of ties; NaN where unknown."""
        known = len(self.lowest) == len(self.values) == len(self.highest)
        return self.highest - self.lowest if known else np.full(len(self.values), np.nan)

    def ties_text(self, query: int) -> str:
        """``"0.410–0.433"``, ``"range <0.001"``; "" where ties change nothing, or the range is unknown."""
        if not self.tie_widths[query] > SCORE_TOLERANCE:
            return ""
        low, high = (format_value(float(end[query]), counted=self.is_count) for end in (self.lowest, self.highest))
        return f"{low}–{high}" if low != high else f"range <{format_value(0.001)}"

    def differing_rows(self, other: "QueryScores") -> NDArray[np.int64]:
        """(n,) indices of the queries whose values differ from other scores, ascending; all if runs or measure do."""
        size = len(self.values)
        labels = ("run", "compared", "measure", "is_count")
        arrays = [
            (getattr(self, name), getattr(other, name))
            for name in ("values", "differences", "spread", "missing", "compared_missing", "lowest", "highest")
        ]
        is_other = any(getattr(self, name) != getattr(other, name) for name in labels)
        if is_other or any(len(ours) != len(theirs) for ours, theirs in arrays):
            return np.arange(size)
        differs = np.zeros(size, np.bool_)
        for ours, theirs in arrays:
            if len(ours) == size:
                differs |= ~((ours == theirs) | (np.isnan(ours) & np.isnan(theirs)))
        return np.flatnonzero(differs)

    @property
    def key(self) -> str:
        """Key of the measure, "" for none."""
        return "" if self.measure is None else self.measure.key

    def value_text(self, query: int) -> str:
        """``"0.412"``, "–" for undefined, "no results" for missing."""
        if self.missing[query]:
            return "no results"
        return format_value(float(self.values[query]), counted=self.is_count)

    @property
    def direction(self) -> str:
        """What the differences are from and to: ``"A1 → B2"``, ``"baseline → A1"``; "" for none."""
        ends = (self.compared, self.run) if self.compared == BASELINE else (self.run, self.compared)
        return " → ".join(ends) if self.compared else ""

    def difference_text(self, query: int) -> str:
        """``"▲ +0.123"``, ``"▼ −0.123"``, ``"▲ <0.001"``, ``"= 0.000"``; "–" undefined; "" without a compared run."""
        if not self.compared:
            return ""
        if self.compared_missing[query] and not self.missing[query]:
            return f"{self.compared}: no results"
        return format_gain(float(self.differences[query]), counted=self.is_count)

    def spread_text(self, query: int) -> str:
        """``"± 0.123"``; "" where fewer than two runs have a value."""
        spread = float(self.spread[query])
        return "" if np.isnan(spread) else f"± {format_value(spread)}"


def query_scores(session: Session, n_queries: int) -> QueryScores:
    """Scores of the selected run, compared run and measure of the session; all NaN without scores."""
    undefined, none_missing = np.full(n_queries, np.nan), np.zeros(n_queries, np.bool_)
    run, compared, scores = session.run, compared_run(session), session.scores
    missing = none_missing if run is None else ~run.present
    compared_missing = none_missing if compared is None else ~compared.present
    names = ("" if run is None else run.name, "" if compared is None else compared.name)
    if scores is None or run is None or run.name not in scores.runs or scores.values.shape[1] != n_queries:
        return QueryScores(undefined, undefined, undefined, missing, compared_missing, names[0])
    column = scores.column(session.measure)
    all_values = scores.values[:, :, column]
    values, differences = all_values[scores.run_index(run.name)], undefined
    if compared is not None and compared.name in scores.runs:
        differences = score_difference(values, all_values[scores.run_index(compared.name)])
    elif compared is None and (former := session.versions.baseline_of_queries(run.name)) is not None:
        differences = score_difference(former.values[0, :, column], values)
        names = (run.name, BASELINE)
    measure = scores.measures[column]
    row = scores.run_index(run.name)
    bounds = shared_tie_ranges(session).bounds(lambda one: one.values[row, :, column])
    lowest, highest = (undefined, undefined) if bounds is None else bounds
    return QueryScores(
        values,
        differences,
        spread_over_runs(all_values),
        missing,
        compared_missing,
        *names,
        measure,
        is_count(scores.measures[column], scores.values[:, :, column]),
        lowest,
        highest,
    )


def compared_run(session: Session) -> Run | None:
    """The run that the selected run is compared with, or None."""
    compared, runs = session.selection.compared, session.benchmark.runs
    if compared is None or not 0 <= compared < len(runs):
        return None
    return None if compared == session.selection.run else runs[compared]


#: Separators of the parts of a filter text; Qt pastes line breaks into a field as U+2028.
SEPARATORS = re.compile("[,;\n\r\u2028\u2029]+")


def match_queries(text: str, ids: Sequence[str], classes: Sequence[str]) -> NDArray[np.bool_]:
    """(n,) bool, whether each query matches the filter `text`; case-insensitive.

    A query matches if its id or class contains the whole text. If none does, the text is split at commas, semicolons
    and line breaks, and each part is matched separately: queries whose id and class contain all its words, or if there
    are none, any of its words. If there are several parts, a part that is an id matches only the query of that id.

    Examples
    --------
    >>> ids, classes = ["Q1", "Q2", "Q10"], ["chair", "mug", "chair"]
    >>> [match_queries(text, ids, classes).tolist() for text in ("q1", "Q1 Q2", "Q1, mug")]
    [[True, False, True], [True, True, False], [True, True, False]]
    >>> match_queries("Q2 mug", ids, classes).tolist()
    [False, True, False]
    >>> match_queries("Q2 chair q1", ids, classes).tolist()
    [True, True, True]
    """
    text, names = text.strip().casefold(), [name.casefold() for name in ids]
    rows = [f"{name}\n{label.casefold()}" for name, label in zip(names, classes, strict=True)]
    whole = _contains(text, rows)
    if whole.any() or not (parts := [part.strip() for part in SEPARATORS.split(text) if part.strip()]):
        return whole
    rows_by_id: dict[str, list[int]] = {}
    for index, name in enumerate(names):
        rows_by_id.setdefault(name, []).append(index)
    for part in parts:
        if len(parts) > 1 and part in rows_by_id:
            whole[rows_by_id[part]] = True
        else:
            whole |= _match_part(part, rows_by_id, rows)
    return whole


def _match_part(part: str, rows_by_id: dict[str, list[int]], rows: list[str]) -> NDArray[np.bool_]:
    matches, words = _contains(part, rows), part.split()
    if matches.any() or len(words) < 2:
        return matches
    if sum(word in rows_by_id for word in words) < 2:  # two ids are two queries, although the text Q10 contains Q1
        matches = np.logical_and.reduce([_contains(word, rows) for word in words])
    if not matches.any():
        for word in words:
            if word in rows_by_id:
                matches[rows_by_id[word]] = True
            else:
                matches |= _contains(word, rows)
    return matches


def _contains(word: str, rows: list[str]) -> NDArray[np.bool_]:
    return np.array([word in row for row in rows], np.bool_)


#: Data roles of `QueryListModel`; views find them by name, see `QueryListModel.roleNames`.
QueryRole = IntEnum(
    "QueryRole",
    "QUERY_ID CLASS_NAME SCORE THUMBNAIL PROBLEM MISSING SCORE_TEXT DIFFERENCE DIFFERENCE_TEXT SPREAD TIES_TEXT",
    start=Qt.ItemDataRole.UserRole + 1,
)


#: Roles that depend on run, measure and scores.
SCORE_ROLES = [
    role for role in QueryRole if role >= QueryRole.SCORE and role not in (QueryRole.THUMBNAIL, QueryRole.PROBLEM)
]


class QueryListModel(QAbstractListModel):
    """The queries with the scores of the selected run on the selected measure, filtered and in one of `QUERY_ORDERS`.

    Filter and order are computed as arrays: `QSortFilterProxyModel` would call `lessThan` for every comparison, which
    takes 1 s for 10,000 queries.

    Attributes
    ----------
    scores : scores of all queries, also of those filtered out.
    order : one of `QUERY_ORDERS`.

    Signals
    -------
    scores_changed()
        `scores` was replaced.

    Notes
    -----
    Roles by name: query_id, class_name, score (float, NaN for undefined, missing or not yet known), thumbnail (QPixmap
    or None), problem (why there is no thumbnail), missing (the run has no results for the query), difference (to the
    compared run, NaN for none), spread (standard deviation over the runs), and score_text, difference_text,
    spread_text: the formatted numbers, "" for none.
    """

    scores_changed = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._thumbnails = session.thumbnails
        self._benchmark = NO_BENCHMARK
        self._text = ""
        self._class = ANY_CLASS
        self.order = "file"
        self._ids: list[str] = []
        self._classes: list[str] = []
        self._id_order: NDArray[np.int64] | None = None
        self._rows: NDArray[np.int64] = np.zeros(0, np.int64)
        self._row_of_query: NDArray[np.int64] = np.zeros(0, np.int64)  # -1 for queries filtered out
        self.scores = query_scores(session, 0)
        roles = (QueryRole.THUMBNAIL, QueryRole.PROBLEM)
        self.visible_thumbnails = VisibleThumbnails(self, session.thumbnails, "queries", self.path_of, roles)
        session.changed.connect(self._follow_session)
        session.versions.baseline_changed.connect(self._show_scores)
        shared_tie_ranges(session).changed.connect(self._show_scores)
        self._show_benchmark()

    @property
    def total(self) -> int:
        """Number of queries, including those filtered out."""
        return len(self._ids)

    def classes(self) -> list[str]:
        """Names of the classes of the queries, in natural order."""
        names = sorted(set(self._classes) - {""})
        return [names[index] for index in natural_order(names)]

    def set_text(self, text: str) -> None:
        """Show the queries that match `text`; see `match_queries`."""
        if text.strip().casefold() != self._text:
            self._text = text.strip().casefold()
            self._update_rows()

    def set_class(self, name: str) -> None:
        """Show the queries of this class; of all classes for `ANY_CLASS`."""
        if name != self._class:
            self._class = name
            self._update_rows()

    def set_order(self, order: str) -> None:
        """Sort the queries by one of `QUERY_ORDERS`; stable with respect to the benchmark."""
        if order != self.order:
            self.order = order
            shared_tie_ranges(self._session).set_needed("queries", order == "ties")
            self._update_rows()

    def query_of(self, row: int) -> int:
        """Index in the benchmark of the query in `row`; -1 for none."""
        return int(self._rows[row]) if 0 <= row < len(self._rows) else -1

    def row_of(self, query: int) -> int | None:
        """Row of a query; None if it is filtered out."""
        row = int(self._row_of_query[query]) if 0 <= query < len(self._row_of_query) else -1
        return row if row >= 0 else None

    def path_of(self, row: int) -> Path | None:
        """File of the query in `row`, or None."""
        query = self.query_of(row)
        return None if query < 0 else self._benchmark.queries.paths[query]

    # Data of a row.

    def roleNames(self) -> dict[int, QByteArray]:
        """Names of the data roles."""
        return {role.value: QByteArray(role.name.lower().encode()) for role in QueryRole}

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008 - Qt signature
        """Number of rows; 0 below a row."""
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Value of a row for a role; see the class for the roles."""
        query = self.query_of(index.row()) if index.isValid() else -1
        if query < 0:
            return None
        queries = self._benchmark.queries
        if role in (QueryRole.QUERY_ID, Qt.ItemDataRole.DisplayRole):
            return queries.ids[query]
        if role == QueryRole.CLASS_NAME:
            return query_class(self._benchmark, query)
        if role in SCORE_ROLES:
            return self._score_data(query, role)
        if role == QueryRole.THUMBNAIL:
            return self._thumbnails.pixmap(queries.paths[query])
        if role == QueryRole.PROBLEM:
            return self._thumbnails.problem(queries.paths[query])
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            return self._tooltip(query)
        return None

    def _score_data(self, query: int, role: int) -> Any:
        scores = self.scores
        if role == QueryRole.SCORE:
            return float(scores.values[query])
        if role == QueryRole.SCORE_TEXT:
            return scores.value_text(query)
        if role == QueryRole.MISSING:
            return bool(scores.missing[query])
        if role == QueryRole.DIFFERENCE:
            return float(scores.differences[query])
        if role == QueryRole.DIFFERENCE_TEXT:
            return scores.difference_text(query)
        if role == QueryRole.TIES_TEXT:
            return scores.ties_text(query)
        return float(scores.spread[query]) if role == QueryRole.SPREAD else scores.spread_text(query)

    def _tooltip(self, query: int) -> str:
        benchmark, scores = self._benchmark, self.scores
        parts = [f"Query {benchmark.queries.ids[query]}"]
        if name := query_class(benchmark, query):
            parts.append(f"class {name}")
        if scores.run and scores.missing[query]:
            parts.append(f"run {scores.run} has no results for it")
        elif scores.measure is not None:
            parts.append(f"{scores.key} {scores.value_text(query)} in run {scores.run}")
        computed = self._session.scores
        if computed is not None and computed.excluded[query]:
            classes = excluded_classes_text(benchmark, computed.profile, np.arange(len(benchmark.queries)) == query)
            parts.append(f"excluded from the means of {computed.profile.title}: {classes}")
        if scores.measure is not None and scores.compared:
            parts.append(f"{scores.direction}: {scores.difference_text(query)}")
        if scores.measure is not None and (spread := scores.spread_text(query)):
            parts.append(f"{spread} over all runs (standard deviation)")
        if scores.measure is not None and (ties := scores.ties_text(query)):
            parts.append(f"{ties} over the orders of ties")
        if problem := self._thumbnails.problem(benchmark.queries.paths[query]):
            parts.append(f"no thumbnail: {problem}")
        return ", ".join(parts)

    # Filter and order.

    @Slot(object, object)
    def _follow_session(self, old: Document, new: Document) -> None:
        if new.differs(old, "benchmark"):
            self._show_benchmark()
        elif new.differs(old, "scores", "run", "compared", "measure"):
            self._show_scores()

    def _show_benchmark(self) -> None:
        self.beginResetModel()
        benchmark = self._benchmark = self._session.benchmark
        self._ids = list(benchmark.queries.ids)
        self._classes = [query_class(benchmark, query) for query in range(len(self._ids))]
        self._text, self._class, self._id_order = "", ANY_CLASS, None
        self.scores = query_scores(self._session, len(self._ids))
        self._set_rows(self._shown_queries())
        self.endResetModel()
        self.scores_changed.emit()

    @Slot()
    def _show_scores(self) -> None:
        before, self.scores = self.scores, query_scores(self._session, len(self._ids))
        self._update_rows()
        rows = self._row_of_query[self.scores.differing_rows(before)]
        if (shown := rows[rows >= 0]).size:
            self.dataChanged.emit(self.index(int(shown.min())), self.index(int(shown.max())), SCORE_ROLES)
        self.scores_changed.emit()

    def _update_rows(self) -> None:
        """Apply filter and order; if only the order changes, views keep scroll position and current row."""
        queries = self._shown_queries()
        if np.array_equal(queries, self._rows):
            return
        if len(queries) != len(self._rows):
            self.beginResetModel()
            self._set_rows(queries)
            self.endResetModel()
            return
        # Views store current row and selection as persistent indices, which Qt does not update by itself.
        self.layoutAboutToBeChanged.emit()
        old = self.persistentIndexList()
        queries_of_old = [self.query_of(index.row()) for index in old]
        self._set_rows(queries)
        new = [self.index(-1 if (row := self.row_of(query)) is None else row) for query in queries_of_old]
        self.changePersistentIndexList(old, new)
        self.layoutChanged.emit()

    def _set_rows(self, rows: NDArray[np.int64]) -> None:
        self._rows = rows
        self._row_of_query = np.full(len(self._ids), -1, np.int64)
        self._row_of_query[rows] = np.arange(len(rows))

    def _shown_queries(self) -> NDArray[np.int64]:
        """(n,) int64, indices of the queries to show, in order."""
        order = self._query_order()
        if not self._text and self._class == ANY_CLASS:
            return order
        matches = match_queries(self._text, self._ids, self._classes)
        if self._class != ANY_CLASS:
            matches &= np.array([name == self._class for name in self._classes], np.bool_)
        return order[matches[order]]

    def _query_order(self) -> NDArray[np.int64]:
        scores, count = self.scores, len(self._ids)
        if self.order == "file":
            return np.arange(count)
        if self.order == "id":
            if self._id_order is None:
                self._id_order = natural_order(self._ids).astype(np.int64)
            return self._id_order
        if self.order == "class":
            position = {name: index for index, name in enumerate((*self.classes(), ""))}
            return np.argsort([position[name] for name in self._classes], kind="stable").astype(np.int64)
        key = {
            "worst": scores.values,
            "best": -scores.values,
            "change": -np.abs(scores.differences),
            "loss": scores.differences,
            "gain": -scores.differences,
            "spread": -scores.spread,
            "ties": -scores.tie_widths,
        }[self.order]
        return np.argsort(key, kind="stable")  # NaN is last in either direction
