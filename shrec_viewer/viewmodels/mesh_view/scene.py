"""The models shown side by side in the mesh view."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from shrec_viewer.domain import UNKNOWN_ITEM
from shrec_viewer.evaluation.ranked_list import RankedList
from shrec_viewer.number_format import format_distance
from shrec_viewer.viewmodels.ranking.ranked_list import collection_order
from shrec_viewer.viewmodels.session.selection import NOTHING, Selection
from shrec_viewer.viewmodels.session.session import Session, make_ranked_list
from shrec_viewer.viewmodels.text.labels import NO_FILE, NOT_IN_COLLECTION, model_class, query_class

COMPARED_LIST_KEY = "compared list"
"""Key of the task that ranks the list of the compared run."""

QUERY, PINNED, SELECTED, COMPARED = "query", "pinned", "a", "b"
"""Keys of the panes, from left to right."""


@dataclass(frozen=True)
class MeshPane:
    """One model of the mesh view.

    Attributes
    ----------
    key : `QUERY`, `PINNED`, `SELECTED` or `COMPARED`.
    role : header text: ``"Query"``, ``"M2, rank 12"``.
    title, detail, value : id; class; distance to the query.
    path : file; None with a `problem`.
    problem : why there is no model; "" otherwise.
    item : index in the collection, or `UNKNOWN_ITEM`.
    level : relevance level, -1 without an assessment; None for the query.
    """

    key: str
    role: str
    title: str = ""
    detail: str = ""
    value: str = ""
    path: Path | None = None
    problem: str = ""
    item: int = UNKNOWN_ITEM
    level: int | None = None


class MeshScene(QObject):
    """The panes: query, pinned model, selected model, and the model at the same rank in the list of the compared run.

    If no rank is selected, the first model of the list is shown.

    Signals
    -------
    changed()
        `panes` were replaced.
    """

    changed = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._pinned = UNKNOWN_ITEM
        self._compared_list: RankedList | None = None
        self._panes: tuple[MeshPane, ...] = ()
        session.benchmark_changed.connect(self._reset)
        session.runs_reloaded.connect(self._request_compared)
        session.profile_changed.connect(self._request_compared)
        session.list_changed.connect(self._show)
        session.selection_changed.connect(self._show_selection)
        self._reset()

    @property
    def panes(self) -> tuple[MeshPane, ...]:
        """The panes from left to right; empty without a benchmark."""
        return self._panes

    @property
    def pinned(self) -> int:
        """Index in the collection of the pinned model, or `UNKNOWN_ITEM`."""
        return self._pinned

    @property
    def selected_item(self) -> int:
        """Index in the collection of the selected model, or `UNKNOWN_ITEM`."""
        return next((pane.item for pane in self._panes if pane.key == SELECTED), UNKNOWN_ITEM)

    @property
    def is_binary(self) -> bool:
        """Whether the assessment has no levels above 1."""
        benchmark = self._session.benchmark
        return benchmark is not None and benchmark.assessment is not None and benchmark.assessment.levels == (1,)

    def pin(self, item: int) -> None:
        """Pin the model with this index; `UNKNOWN_ITEM` for none."""
        self._pinned = item
        self._show()

    @Slot()
    def _reset(self) -> None:
        self._pinned = UNKNOWN_ITEM
        self._compared_list = None
        self._request_compared()
        self._show()

    @Slot(object, object)
    def _show_selection(self, old: Selection, new: Selection) -> None:
        if (old.query, old.compared) != (new.query, new.compared):
            self._request_compared()
        self._show()

    @Slot()
    def _request_compared(self) -> None:
        session, selection = self._session, self._session.selection
        if session.benchmark is None or selection.compared is None or selection.query == NOTHING:
            session.tasks.stop(COMPARED_LIST_KEY)
            self._compared_list = None
            return
        run = session.benchmark.runs[selection.compared]
        work = partial(make_ranked_list, session.benchmark, run, selection.query, session.profile)
        failed = partial(session.report_failure, f"The list of {run.name} cannot be shown")
        session.tasks.run(COMPARED_LIST_KEY, work, self._show_compared, failed)

    def _show_compared(self, ranked: RankedList) -> None:
        self._compared_list = ranked
        self._show()

    @Slot()
    def _show(self) -> None:
        panes = tuple(self._make_panes())
        if panes != self._panes:
            self._panes = panes
            self.changed.emit()

    # The panes.

    def _make_panes(self) -> list[MeshPane]:
        session, benchmark = self._session, self._session.benchmark
        if benchmark is None:
            return []
        panes = []
        if session.selection.query != NOTHING:
            panes.append(self._query_pane())
        if self._pinned != UNKNOWN_ITEM:
            panes.append(self._model_pane(PINNED, "Pinned", self._pinned, self._level_of(self._pinned)))
        if not session.has_lists:
            panes += [self._collection_pane()] if len(benchmark.collection) else []
            return panes
        rank = session.selection.rank or 1
        panes.append(self._ranked_pane(SELECTED, session.selection.run, session.ranked_list, rank))
        if session.selection.compared not in (None, session.selection.run):
            panes.append(self._ranked_pane(COMPARED, session.selection.compared or 0, self._compared_list, rank))
        return panes

    def _query_pane(self) -> MeshPane:
        benchmark, query = self._session.benchmark, self._session.selection.query
        assert benchmark is not None
        path = benchmark.queries.paths[query]
        name = query_class(benchmark, query)
        title, item = benchmark.queries.ids[query], int(benchmark.queries.member[query])
        return MeshPane(QUERY, "Query", title, name, "", path, "" if path else NO_FILE, item)

    def _collection_pane(self) -> MeshPane:
        session, item = self._session, self._session.selection.model
        assert session.benchmark is not None
        if item is None:
            item = int(collection_order(session.benchmark, session.selection.query, session.profile)[0])
        return self._model_pane(SELECTED, "Model", item, self._level_of(item))

    def _ranked_pane(self, key: str, run: int, shown: RankedList | None, rank: int) -> MeshPane:
        benchmark = self._session.benchmark
        assert benchmark is not None
        role = f"{benchmark.runs[run].name}, rank {rank:,}"
        if shown is None:
            return MeshPane(key, role)
        if shown.missing:
            return MeshPane(key, role, problem="no results for this query")
        if rank > len(shown):
            return MeshPane(key, role, problem=f"the list ends at rank {len(shown):,}")
        level = int(shown.levels[rank - 1]) if benchmark.assessment is not None else -1
        distance = format_distance(float(shown.distances[rank - 1]))
        return self._model_pane(key, role, int(shown.items[rank - 1]), level, distance)

    def _model_pane(self, key: str, role: str, item: int, level: int | None, distance: str = "") -> MeshPane:
        benchmark = self._session.benchmark
        assert benchmark is not None
        if item == UNKNOWN_ITEM:
            return MeshPane(key, role, problem=NOT_IN_COLLECTION, level=level)
        path = benchmark.collection.paths[item]
        detail, problem = model_class(benchmark, item), "" if path else NO_FILE
        return MeshPane(key, role, benchmark.collection.ids[item], detail, distance, path, problem, item, level)

    def _level_of(self, item: int) -> int | None:
        benchmark, query = self._session.benchmark, self._session.selection.query
        if benchmark is None or benchmark.assessment is None or query == NOTHING:
            return None
        return int(benchmark.assessment.gains(query, len(benchmark.collection))[item])
