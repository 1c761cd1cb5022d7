"""Ranked lists of all runs for one query, or of one run for all queries, as the rows of a matrix."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QPixmap

from shrec_viewer.content.images import ALL_RUNS, BENCHMARK_ORDER, SELECTED_MEASURE, MatrixRequest
from shrec_viewer.domain import Benchmark
from shrec_viewer.evaluation.ranked_list import ListHeads
from shrec_viewer.metrics import Profile, UnknownKeyError, find_measure
from shrec_viewer.number_format import format_value
from shrec_viewer.viewmodels.session.document import Document, changed_runs
from shrec_viewer.viewmodels.session.selection import NOTHING
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.tasks.tasks import Task
from shrec_viewer.viewmodels.text.labels import level_name, model_class, query_class

#: Key of the task that ranks the visible rows, and client of their thumbnails.
MATRIX_LANE = "list matrix"

#: Ranks of each list that are shown: eight screens of thumbnails of 48 pixels.
MAX_RANKS = 200

#: Rows that are ranked between two updates of the view.
PART_ROWS = 8


class MatrixKey(NamedTuple):
    """Run and query of a row, as indices."""

    run: int
    query: int


class MatrixList(NamedTuple):
    """First ranks of a list: models (n,) int32, and their levels (n,) int16, -1 without an assessment."""

    items: NDArray[np.int32]
    levels: NDArray[np.int16]


class ListMatrixModel(QObject):
    """Rows of a matrix of ranked lists; lists are computed for visible rows only, while the model is active.

    Attributes
    ----------
    rows : run and query of each row, in the order shown.

    Signals
    -------
    rows_changed()
        Rows were added, removed or sorted, or their titles changed.
    lists_changed()
        Lists of some rows were computed.
    """

    rows_changed = Signal()
    lists_changed = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.options = MatrixRequest()
        self._is_active = False
        self.rows: tuple[MatrixKey, ...] = ()
        self._values: NDArray[np.float64] = np.zeros(0)
        self._lists: dict[MatrixKey, MatrixList] = {}
        self._pending: tuple[MatrixKey, ...] = ()
        self._visible = (0, -1)
        session.changed.connect(self._follow_session)

    @property
    def n_ranks(self) -> int:
        """Number of columns: the longest list known, at most `MAX_RANKS`."""
        return max((len(found.items) for found in self._lists.values()), default=0)

    def set_options(self, options: MatrixRequest) -> None:
        """Set what the rows are, and their order."""
        former, self.options = self.options, options
        if options.by != former.by:
            self._reset({})
        elif options.order != former.order:
            self._update_rows()

    def set_active(self, active: bool) -> None:
        """Start or stop computing; called by the panel when it is shown and hidden."""
        self._is_active = active
        if active:
            self._update_rows()
        else:
            self._session.tasks.stop(MATRIX_LANE)
            self._session.thumbnails.request(MATRIX_LANE, ())
            self._pending = ()

    def set_visible(self, rows: tuple[int, int], ranks: tuple[int, int]) -> None:
        """Set the first and last visible row and column (from 0): lists and thumbnails of others come later."""
        self._visible = rows
        self._compute()
        if not self._is_active:
            return
        first, last = ranks
        page = max(last - first + 1, 1)
        near = slice(max(first - page, 0), last + 1 + page)
        self._session.thumbnails.request(
            MATRIX_LANE, self._paths(rows, slice(max(first, 0), last + 1)), self._paths(rows, near)
        )

    # What the view shows.

    def title(self, row: int) -> str:
        """Name of the run or query of a row."""
        benchmark, key = self._session.benchmark, self.rows[row]
        return benchmark.runs[key.run].name if self.options.by == ALL_RUNS else benchmark.queries.ids[key.query]

    def value_text(self, row: int) -> str:
        """Score of a row by the measure of the order, "" if it is unknown."""
        value = self._values[row] if row < len(self._values) else np.nan
        return "" if np.isnan(value) else format_value(float(value))

    def is_current(self, row: int) -> bool:
        """Whether the row is that of the selected run and query."""
        selection = self._session.selection
        return self.rows[row] == (selection.run, selection.query)

    def list_of(self, row: int) -> MatrixList | None:
        """The first ranks of a row; None until they are computed."""
        return self._lists.get(self.rows[row]) if row < len(self.rows) else None

    def thumbnail(self, item: int) -> QPixmap | None:
        """Thumbnail of a model, None if there is none yet."""
        return self._session.thumbnails.pixmap(self._path(item))

    def problem(self, item: int) -> str:
        """Why a model has no thumbnail; "" otherwise."""
        return self._session.thumbnails.problem(self._path(item))

    def cell_text(self, row: int, rank: int) -> str:
        """Description of a cell: ``"B2, rank 3: M079 chair, not relevant"``; `rank` is 1-based."""
        found, benchmark = self.list_of(row), self._session.benchmark
        if found is None or not 1 <= rank <= len(found.items):
            return ""
        item, level = int(found.items[rank - 1]), int(found.levels[rank - 1])
        name = benchmark.collection.ids[item] if item >= 0 else "a model outside the collection"
        described = f"{name} {model_class(benchmark, item) if item >= 0 else ''}".rstrip()
        assessment = benchmark.assessment
        relevance = f", {level_name(level, assessment.levels)}" if assessment is not None else ""
        return f"{self.title(row)}, rank {rank:,}: {described}{relevance}"

    def row_text(self, row: int) -> str:
        """Description of a row: run and query, the class, and the score."""
        benchmark, key = self._session.benchmark, self.rows[row]
        query = f"{benchmark.queries.ids[key.query]} {query_class(benchmark, key.query)}".rstrip()
        parts = [f"{benchmark.runs[key.run].name} for {query}"]
        if text := self.value_text(row):
            parts.append(f"{self.measure}: {text}")
        if not benchmark.runs[key.run].present[key.query]:
            parts.append("no results")
        return "\n".join(parts)

    @property
    def measure(self) -> str:
        """Key of the measure whose values the rows show."""
        order = self.options.order
        return self._session.measure if order in (BENCHMARK_ORDER, SELECTED_MEASURE) else order

    def _path(self, item: int) -> Path | None:
        return None if item < 0 else self._session.benchmark.collection.paths[item]

    def _paths(self, rows: tuple[int, int], ranks: slice) -> list[Path]:
        found = dict.fromkeys(
            int(item)
            for row in range(max(rows[0], 0), min(rows[1] + 1, len(self.rows)))
            if (shown := self.list_of(row)) is not None
            for item in shown.items[ranks]
        )
        return [path for item in found if (path := self._path(item)) is not None]

    # Rows.

    @Slot(object, object)
    def _follow_session(self, old: Document, new: Document) -> None:
        if new.differs(old, "benchmark", "profile"):
            self._reset({})
        elif new.differs(old, "runs"):
            changed = changed_runs(old, new)
            self._reset({key: found for key, found in self._lists.items() if key.run not in changed})
        elif new.differs(old, "scores", "run", "query", "measure"):
            self._update_rows()

    def _reset(self, known: Mapping[MatrixKey, MatrixList]) -> None:
        """Compute all lists again but the known ones."""
        self._lists = dict(known)
        self._session.tasks.stop(MATRIX_LANE)
        self._pending = ()
        self._update_rows()

    def _update_rows(self) -> None:
        if not self._is_active:
            self.rows = ()  # indices of a benchmark that may be closed
            return
        keys = self._keys()
        self._lists = {key: self._lists[key] for key in keys if key in self._lists}
        values = self._scores_of(keys)
        order = self._sorted(values)
        self.rows, self._values = tuple(keys[index] for index in order), values[order]
        self.rows_changed.emit()
        self._compute()

    def _keys(self) -> list[MatrixKey]:
        benchmark, selection = self._session.benchmark, self._session.selection
        if NOTHING in (selection.run, selection.query):
            return []
        if self.options.by == ALL_RUNS:
            return [MatrixKey(run, selection.query) for run in range(len(benchmark.runs))]
        return [MatrixKey(selection.run, query) for query in range(len(benchmark.queries))]

    def _scores_of(self, keys: Sequence[MatrixKey]) -> NDArray[np.float64]:
        """(n,) float64, score of each row; NaN where unknown."""
        scores = self._session.scores
        if scores is None or not keys:
            return np.full(len(keys), np.nan)
        try:
            column = scores.column(self.measure)
        except UnknownKeyError:
            return np.full(len(keys), np.nan)
        return np.array([scores.values[key.run, key.query, column] for key in keys])

    def _sorted(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        """Order of the rows, best first; rows without a value last, equal ones in the order of the benchmark."""
        if self.options.order == BENCHMARK_ORDER or not len(values):
            return np.arange(len(values))
        sign = 1.0 if find_measure(self.measure).better == "lower" else -1.0
        return np.argsort(sign * values, kind="stable")

    # Lists.

    def _compute(self) -> None:
        """Rank the visible rows, then those of a page below and above."""
        document = self._session.document
        if not self._is_active or not self.rows:
            return
        first, last = max(self._visible[0], 0), min(self._visible[1], len(self.rows) - 1)
        page = last - first + 1
        rows = dict.fromkeys((*range(first, last + 1), *range(last + 1, last + 1 + page), *range(first - page, first)))
        keys = [self.rows[row] for row in rows if 0 <= row < len(self.rows)]
        missing = tuple(key for key in keys if key not in self._lists)
        if not missing or missing == self._pending:
            return
        self._pending = missing
        work = partial(_first_ranks, document.benchmark, document.profile, missing)
        problem, title = "The lists cannot be shown", "Ranking the models of the matrix"
        self._session.tasks.run(MATRIX_LANE, work, self._finish, problem, part=self._add, title=title)

    def _add(self, part: dict[MatrixKey, MatrixList]) -> None:
        self._lists.update(part)
        self.lists_changed.emit()

    def _finish(self, _: object) -> None:
        self._pending = ()


def _first_ranks(benchmark: Benchmark, profile: Profile, keys: Sequence[MatrixKey], task: Task) -> None:
    """Send the first ranks of some lists, a few at a time."""
    part: dict[MatrixKey, MatrixList] = {}
    heads: dict[int, ListHeads] = {}
    for key in keys:
        if task.cancelled():
            return
        if key.run not in heads:
            heads[key.run] = ListHeads(benchmark, benchmark.runs[key.run], profile)
        shown = heads[key.run].head(key.query, MAX_RANKS)
        levels = (
            shown.levels.astype(np.int16) if benchmark.assessment is not None else np.full(len(shown), -1, np.int16)
        )
        part[key] = MatrixList(shown.items, levels)
        if len(part) == PART_ROWS:
            task.send(part)
            part = {}
    if part:
        task.send(part)
