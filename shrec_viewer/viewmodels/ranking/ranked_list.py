"""Item model of a ranked list with relevance, tiers and ties, steps through it, and its image for papers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from enum import IntEnum
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractListModel, QByteArray, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QImage

from shrec_viewer.charts.strips import Tile
from shrec_viewer.domain import UNKNOWN_ITEM, Benchmark, EditedAssessment
from shrec_viewer.evaluation.geometry_evidence import EVIDENCE, GeometryRanks
from shrec_viewer.evaluation.ranked_list import RankedList, query_levels
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.formats.core.ids import natural_order
from shrec_viewer.metrics import Profile, curve_table, find_measure
from shrec_viewer.number_format import format_distance
from shrec_viewer.render.workers.model_readers import ModelSource
from shrec_viewer.render.workers.renderer_process import RenderRequest
from shrec_viewer.report.sheets.cards import SheetCardStyle
from shrec_viewer.report.sheets.contact_sheet import result_strip
from shrec_viewer.viewmodels.mesh_view.rendering import RenderResult
from shrec_viewer.viewmodels.session.document import NO_BENCHMARK, Document, has_other_models
from shrec_viewer.viewmodels.session.selection import NOTHING
from shrec_viewer.viewmodels.session.session import Session, make_ranked_list
from shrec_viewer.viewmodels.tasks.tasks import Task
from shrec_viewer.viewmodels.text.labels import (
    NO_FILE,
    NOT_IN_COLLECTION,
    count_text,
    level_name,
    model_class,
    query_class,
)
from shrec_viewer.viewmodels.thumbnails.qimage import qimage_to_rgba, rgba_to_qimage
from shrec_viewer.viewmodels.thumbnails.thumbnails import VisibleThumbnails

#: Cutoff of the E-measure of the Princeton Shape Benchmark.
E_CUT = 32


def cursor_curve_keys() -> tuple[str, ...]:
    """Keys of the curves by rank; the status bar shows their values at the rank cursor."""
    return tuple(kind.key for kind in curve_table() if kind.common and kind.x == "rank")


def relevant_mask(shown: RankedList, profile: Profile) -> NDArray[np.bool_]:
    """(n,) bool, whether the model at each rank is relevant under the profile."""
    return shown.levels >= max(1, profile.relevant_from)


def relevant_count(benchmark: Benchmark, query: int, shown: RankedList, profile: Profile) -> int:
    """C: number of relevant models, retrieved or not; without the query itself where the profile excludes it."""
    found = int(relevant_mask(shown, profile).sum())
    if profile.relevant_from <= 1 or benchmark.assessment is None:
        return found + len(shown.not_retrieved)
    levels = benchmark.assessment.gains(query, len(benchmark.collection))[shown.not_retrieved]
    return found + int((levels >= profile.relevant_from).sum())


def collection_order(benchmark: Benchmark, query: int, profile: Profile) -> NDArray[np.int32]:
    """(N,) int32, models in the order shown where there are no lists.

    Those relevant to the query first, by level, then by id in natural order; then all others in file order.
    """
    items = np.arange(len(benchmark.collection), dtype=np.int32)
    if query == NOTHING:
        return items
    levels = query_levels(benchmark, query, profile)
    relevant = items[levels > 0]
    relevant = relevant[natural_order([benchmark.collection.ids[item] for item in relevant])]
    relevant = relevant[np.argsort(-levels[relevant].astype(np.int16), kind="stable")]
    return np.concatenate([relevant, items[levels == 0]])


def tier_cuts(size: int) -> list[tuple[int, str]]:
    """Last ranks of the first and second tier: once and twice the number of relevant models."""
    return [(size, "1st tier"), (2 * size, "2nd tier")] if size else []


def barcode_cuts(size: int, length: int, profile: Profile) -> list[tuple[int, str]]:
    """Ranks and labels of tiers, `E_CUT` and the cutoffs of the profile's measures, in the order of importance.

    Without ranks beyond the end of the list and without duplicates.
    """
    cutoffs = sorted({cutoff for key in profile.measures if (cutoff := find_measure(key).cutoff) is not None})
    cuts = [(size, "C"), (2 * size, "2C"), *((cut, f"{cut}") for cut in (E_CUT, *cutoffs))]
    labels: dict[int, str] = {}
    for rank, label in cuts:
        if 0 < rank <= length:
            labels.setdefault(rank, label)
    return list(labels.items())


def list_summaries(shown: RankedList, profile: Profile, size: int, *, judged: bool) -> tuple[str, ...]:
    """Descriptions of a list, the longest first; relevance if `judged`.

    ``"200 models listed · 42 of 63 relevant retrieved · first at rank 2 · 12 tied"``, the same without its last parts,
    ``"200 listed · 42/63 relevant"`` and ``"42/63 relevant"``.
    """
    parts, short = [f"{count_text(len(shown), 'model')} listed"], [f"{len(shown):,} listed"]
    if judged:
        ranks = np.flatnonzero(relevant_mask(shown, profile)) + 1
        parts.append(f"{len(ranks):,} of {size:,} relevant retrieved")
        short.append(f"{len(ranks):,}/{size:,} relevant")
        if len(ranks):
            parts.append(f"first at rank {int(ranks[0]):,}")
    if ties := int(shown.tied.sum()):
        parts.append(f"{ties:,} tied")
    longest_first = [" · ".join(parts[:count]) for count in range(len(parts), len(short) - 1, -1)]
    return (*longest_first, " · ".join(short), short[-1])


def level_counts(
    benchmark: Benchmark, query: int, shown: RankedList, profile: Profile
) -> Mapping[int, tuple[int, int]]:
    """Number of models of each level > 0 of the benchmark in a list, and in the whole collection."""
    missed = query_levels(benchmark, query, profile)[shown.not_retrieved]
    counts = {level: int(np.count_nonzero(shown.levels == level)) for level in benchmark.levels if level > 0}
    return {level: (n, n + int(np.count_nonzero(missed == level))) for level, n in counts.items()}


def cursor_curves(scores: Scores, run: int, query: int, length: int) -> NDArray[np.float64]:
    """(K, length) float64, the curves `cursor_curve_keys` at the ranks 1 … length; NaN where undefined."""
    return np.array([scores.curve(key, run, query, length).y for key in cursor_curve_keys()])


def tie_ranks(shown: RankedList, row: int) -> tuple[int, int]:
    """First and last rank of the tie that `row` belongs to; (0, 0) for none."""
    if not shown.tied[row]:
        return (0, 0)
    start = shown.tie_start[row]
    return int(start) + 1, int(np.searchsorted(shown.tie_start, start, "right"))


#: Data roles of `RankedListModel`; views find them by name, see `RankedListModel.roleNames`.
CardRole = IntEnum(
    "CardRole",
    "RANK ITEM_ID CLASS_NAME LEVEL FORMER_LEVEL DISTANCE TIED THUMBNAIL PROBLEM QUERY BINARY TIE_FIRST TIE_LAST",
    start=Qt.ItemDataRole.UserRole + 1,
)


#: `CardRole.LEVEL` without a relevance assessment, and `CardRole.FORMER_LEVEL` where that was not changed.
NO_LEVEL = -1

#: `CardRole.RANK` of models that are not in the list, or where there is no list.
NOT_RANKED = 0


class RankedListModel(QAbstractListModel):
    """The list of the selected run for the selected query; without runs, all models of the collection.

    Without runs, the models relevant to the selected query are first.

    Parameters
    ----------
    missed : show the relevant models that are **not** in the list instead: highest level first, then by id.

    Attributes
    ----------
    levels : (n,) uint8, relevance level by row; all 0 without an assessment.

    Notes
    -----
    Roles by name: rank (1-based int, 0 for a model not retrieved), item_id, class_name, level (-1 without assessment),
    distance (float, NaN for none), tied (bool), thumbnail (QPixmap or None), problem (why there is no thumbnail), query
    (the model is the query itself), binary (the assessment has no levels above 1), tie_first and tie_last (ranks of the
    tie; 0 for none).
    """

    def __init__(self, session: Session, *, missed: bool = False, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._thumbnails = session.thumbnails
        self._missed = missed
        self._benchmark = NO_BENCHMARK
        self._query = NOTHING
        self._is_ranked = self._is_judged = False
        self._items: NDArray[np.int32] = np.zeros(0, np.int32)
        self._distances: NDArray[np.float64] = np.zeros(0)
        self.levels: NDArray[np.uint8] = np.zeros(0, np.uint8)
        self._tied: NDArray[np.bool_] = np.zeros(0, np.bool_)
        self._ranks: NDArray[np.int64] = np.zeros(0, np.int64)
        self._only: tuple[int, ...] | None = None
        self._shown: RankedList | None = None
        self._geometry: GeometryRanks | None = None
        self._source: tuple[object, ...] = ()
        client = "results missed" if missed else "results"
        roles = (CardRole.THUMBNAIL, CardRole.PROBLEM)
        self.visible_thumbnails = VisibleThumbnails(self, session.thumbnails, client, self.path_of, roles)
        session.changed.connect(self._follow_session)
        self._show_list()

    def roleNames(self) -> dict[int, QByteArray]:
        """Names of the data roles."""
        return {role.value: QByteArray(role.name.lower().encode()) for role in CardRole}

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008 - Qt's way
        """Number of rows; 0 below a row."""
        return 0 if parent.isValid() else len(self._items)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Value of a row for a role; see the class for the roles."""
        row = index.row()
        if not index.isValid() or row >= len(self._items):
            return None
        item = int(self._items[row])
        if role in (CardRole.THUMBNAIL, CardRole.PROBLEM):
            return self._thumbnail_data(item, role)
        if role in (CardRole.ITEM_ID, Qt.ItemDataRole.DisplayRole):
            return self._id(item)
        if role == CardRole.RANK:
            return int(self._ranks[row]) if self._is_ranked else NOT_RANKED
        if role == CardRole.LEVEL:
            return self._level(row)
        if role == CardRole.FORMER_LEVEL:
            return self._former_level(item)
        if role == CardRole.BINARY:
            return self._benchmark.is_binary
        if role == CardRole.DISTANCE:
            return float(self._distances[row])
        if role == CardRole.TIED:
            return bool(self._tied[row])
        if role in (CardRole.TIE_FIRST, CardRole.TIE_LAST):
            return self._tie(row)[role == CardRole.TIE_LAST]
        if role == CardRole.CLASS_NAME:
            return model_class(self._benchmark, item)
        if role == CardRole.QUERY:
            return self._is_query(item)
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            return self._tooltip(row)
        return None

    def path_of(self, row: int) -> Path | None:
        """File of the model in `row`, or None."""
        if not 0 <= row < len(self._items):
            return None
        item = int(self._items[row])
        return None if item == UNKNOWN_ITEM else self._benchmark.collection.paths[item]

    def row_cells(self, row: int) -> tuple[str, ...]:
        """Rank, id, class, level and distance of a row as text; "" for unknown values."""
        item, level = int(self._items[row]), self._level(row)
        rank = f"{self._ranks[row]}" if self._is_ranked else ""
        distance = float(self._distances[row])
        shown = "" if np.isnan(distance) else repr(distance)
        return rank, self._id(item), model_class(self._benchmark, item), "" if level < 0 else f"{level}", shown

    @property
    def value_name(self) -> str:
        """See `RankedList.value_name`."""
        return "distance" if self._shown is None else self._shown.value_name

    def rank_text(self, rank: int) -> str:
        """Model at a 1-based rank: ``"rank 42: M079 chair, not relevant"``; "" beyond the end of the list."""
        shown, assessment = self._shown, self._benchmark.assessment
        if not self._is_ranked or shown is None or not 1 <= rank <= len(shown):
            return ""
        item = int(shown.items[rank - 1])
        name = f"{self._id(item)} {model_class(self._benchmark, item)}".rstrip()
        level = f", {level_name(int(shown.levels[rank - 1]), assessment.levels)}" if assessment is not None else ""
        return f"rank {rank:,}: {name}{level}"

    @property
    def ranks(self) -> NDArray[np.int64]:
        """(n,) int64, 1-based rank by row, ascending; less than those of the list while `set_models` restricts it."""
        return self._ranks

    def set_models(self, models: tuple[int, ...] | None) -> None:
        """Show only these models of the list; None for all."""
        if models != self._only:
            self._only = models
            self._source = ()
            self._show_list()

    def set_geometry(self, found: GeometryRanks | None) -> None:
        """What rigid geometry says about the models of the list, for tooltips; None for nothing."""
        self._geometry = found

    def item_of(self, row: int) -> int:
        """Index in the collection of the model in `row`, or `UNKNOWN_ITEM`."""
        return int(self._items[row])

    def row_of(self, item: int | None) -> int | None:
        """Row of the model with this index in the collection, or None."""
        rows = np.flatnonzero(self._items == (UNKNOWN_ITEM if item is None else item))
        return int(rows[0]) if item is not None and rows.size else None

    def _tie(self, row: int) -> tuple[int, int]:
        return (0, 0) if self._shown is None else tie_ranks(self._shown, int(self._ranks[row]) - 1)

    def _is_query(self, item: int) -> bool:
        if self._query == NOTHING or item == UNKNOWN_ITEM:
            return False
        return item == int(self._benchmark.queries.member[self._query])

    def _id(self, item: int) -> str:
        return NOT_IN_COLLECTION if item == UNKNOWN_ITEM else self._benchmark.collection.ids[item]

    def _thumbnail_data(self, item: int, role: int) -> Any:
        if item == UNKNOWN_ITEM:
            return None if role == CardRole.THUMBNAIL else NOT_IN_COLLECTION
        path = self._benchmark.collection.paths[item]
        return self._thumbnails.pixmap(path) if role == CardRole.THUMBNAIL else self._thumbnails.problem(path)

    def _level(self, row: int) -> int:
        is_known = self._benchmark.assessment is not None and self._is_judged
        return int(self.levels[row]) if is_known else NO_LEVEL

    def _former_level(self, item: int) -> int:
        """Level of a model before it was edited; `NO_LEVEL` if it was not."""
        assessment = self._benchmark.assessment
        if not isinstance(assessment, EditedAssessment) or item not in assessment.edits.get(self._query, ()):
            return NO_LEVEL
        items, levels = assessment.original.relevant(self._query)
        return dict(zip(items.tolist(), levels.tolist(), strict=True)).get(item, 0)

    def _tooltip(self, row: int) -> str:
        benchmark = self._benchmark
        item = int(self._items[row])
        parts = [self._id(item)]
        if self._missed:
            parts.append("not retrieved")
        elif self._shown is not None:
            parts.append(f"rank {self._ranks[row]:,} of {len(self._shown):,}")
        if name := model_class(benchmark, item):
            parts.append(f"class {name}")
        if benchmark.assessment is not None and self._is_judged:
            parts.append(level_name(self._level(row), benchmark.assessment.levels))
        if (former := self._former_level(item)) != NO_LEVEL:
            parts.append(f"level {former} before the edit")
        if found := format_distance(float(self._distances[row])):
            parts.append(f"{self.value_name} {found}{self._distance_step_text(row)}")
        first, last = self._tie(row)
        if first:
            parts.append(f"tied: ranks {first:,} to {last:,} have this {self.value_name}, their order is arbitrary")
        if problem := self._thumbnail_data(item, CardRole.PROBLEM):
            parts.append(f"no thumbnail: {problem}")
        text = ", ".join(parts)
        said = (
            ""
            if self._geometry is None
            else self._geometry.sentence(item, 0 if self._missed else int(self._ranks[row]))
        )
        return f"{text}\n{EVIDENCE.capitalize()}: {said}" if said else text

    def _distance_step_text(self, row: int) -> str:
        """``" (+0.0213)"``, the difference to the distance at the rank before; "" for none."""
        rank = int(self._ranks[row])
        step = 0.0 if rank == 1 or self._shown is None else float(np.diff(self._shown.distances[rank - 2 : rank])[0])
        return f" ({'+' if step > 0 else ''}{format_distance(step)})" if np.isfinite(step) and step else ""

    @Slot(object, object)
    def _follow_session(self, old: Document, new: Document) -> None:
        if new.differs(old, "benchmark") or has_other_models(old, new):
            self._show_list()

    def _show_list(self) -> None:
        session = self._session
        shown, benchmark = session.ranked_list, session.benchmark
        source = (session.path, session.selection.query, session.selection.run)
        is_same, self._source = self._source == source and self._shown is not None, source
        if is_same and shown is not None and len(shown) == len(self._items) > 0:
            self._reorder(shown, benchmark)
            return
        self.beginResetModel()
        self._benchmark = benchmark
        self._query = session.selection.query
        self._is_ranked = self._is_judged = False
        self._shown = None if self._missed else shown
        if shown is not None and self._missed:
            self._show_missed(shown)
        elif shown is not None:
            rows = np.arange(len(shown))
            if self._only is not None:
                rows = np.flatnonzero(np.isin(shown.items, self._only))
            self._set_rows(shown.items[rows])
            self._distances, self.levels, self._tied = shown.distances[rows], shown.levels[rows], shown.tied[rows]
            self._ranks = rows + 1
            self._is_ranked = self._is_judged = True
        elif not self._missed and not session.has_list:
            self._show_collection(benchmark)
        else:
            self._set_rows(np.zeros(0, np.int32))
        self.endResetModel()

    def _show_collection(self, benchmark: Benchmark) -> None:
        """Show all models; those relevant to the selected query first."""
        profile = self._session.profile
        self._set_rows(collection_order(benchmark, self._query, profile))
        if self._query != NOTHING and benchmark.assessment is not None:
            self.levels = query_levels(benchmark, self._query, profile)[self._items]
            self._is_judged = True

    def _reorder(self, shown: RankedList, benchmark: Benchmark) -> None:
        """Show the same list in another order, after a reload or a change of the profile; views keep their position."""
        former, was_binary = self._shown, self._benchmark.is_binary
        self._benchmark, self._shown = benchmark, shown
        self._set_rows(shown.items)
        self._distances, self.levels, self._tied = shown.distances, shown.levels, shown.tied
        rows = np.arange(len(shown)) if former is None else shown.differing_rows(former)
        if self._benchmark.is_binary != was_binary:
            rows = np.arange(len(shown))
        if len(rows):  # one after an edit: to paint all visible cards takes 8 ms
            self.dataChanged.emit(self.index(int(rows[0]), 0), self.index(int(rows[-1]), 0))
        if visible := self.visible_thumbnails.visible:
            self.visible_thumbnails.set_visible(visible[0], visible[-1])

    def _show_missed(self, shown: RankedList) -> None:
        """Show the relevant models that are not in the list: highest level first, then by id in natural order."""
        benchmark = self._benchmark
        if benchmark.assessment is None:
            self._set_rows(np.zeros(0, np.int32))
            return
        levels = benchmark.assessment.gains(self._query, len(benchmark.collection))
        by_id = natural_order([benchmark.collection.ids[item] for item in shown.not_retrieved])
        items = shown.not_retrieved[by_id]
        self._set_rows(items[np.argsort(-levels[items].astype(np.int16), kind="stable")])
        self.levels = levels[self._items]
        self._is_judged = True

    def _set_rows(self, items: NDArray[np.int32]) -> None:
        self._items, self._ranks = items, np.arange(1, len(items) + 1)
        self._distances = np.full(len(items), np.nan)
        self.levels = np.zeros(len(items), np.uint8)
        self._tied = np.zeros(len(items), np.bool_)


def step_run(session: Session, by: int) -> None:
    """Select the run `by` runs further in the benchmark, at most the first or last one; the compared run is skipped."""
    current, compared = session.selection.run, session.selection.compared
    if current == NOTHING:
        return
    runs = [run for run in range(len(session.benchmark.runs)) if run == current or run != compared]
    at = runs.index(current) + by
    session.select(run=runs[min(max(at, 0), len(runs) - 1)])


def step_rank(session: Session, by: int, *, relevant: bool) -> bool:
    """Select the next (`by` 1) or previous (-1) relevant model of the list, or with `relevant` False false positive.

    Without a selected rank the search starts at the top, or for -1 at the end.

    Returns
    -------
    bool
        Whether there is one.
    """
    shown = session.ranked_list
    if shown is None:
        return False
    return step_to(session, np.flatnonzero(relevant_mask(shown, session.profile) == relevant) + 1, by)


def missed_ranks(session: Session) -> NDArray[np.int64]:
    """1-based ranks of the missed models (false negatives): relevant ones beyond the number of relevant models."""
    shown = session.ranked_list
    if shown is None:
        return np.zeros(0, np.int64)
    size = relevant_count(session.benchmark, session.selection.query, shown, session.profile)
    return ranks_beyond(relevant_mask(shown, session.profile), size)


def step_to(session: Session, ranks: NDArray[np.int64], by: int) -> bool:
    """Select the next of some ascending ranks, or the previous one for `by` -1; False if there is none."""
    rank = next_rank(ranks, session.selection.rank, by)
    if rank is not None:
        session.select(rank=rank)
    return rank is not None


def ranks_beyond(relevant: NDArray[np.bool_], size: int) -> NDArray[np.int64]:
    """1-based ranks of the relevant models beyond rank `size`."""
    ranks = np.flatnonzero(relevant) + 1
    return ranks[ranks > size]


def next_rank(ranks: NDArray[np.int64], rank: int | None, by: int) -> int | None:
    """The nearest of the ascending `ranks` after `rank`, or before it for `by` -1; None if there is none."""
    if rank is not None:
        ranks = ranks[ranks > rank] if by > 0 else ranks[ranks < rank]
    if not len(ranks):
        return None
    return int(ranks[0] if by > 0 else ranks[-1])


#: Key of the task that ranks the list of the compared run.
RANK_CHANGE_KEY = "rank changes"


def step_rank_change(session: Session, by: int, report: Callable[[str], None]) -> None:
    """Select the relevant model with the largest rank change between the two runs, or the next largest after that.

    Without relevant models, all models count. The list of the compared run is ranked in the background.

    Parameters
    ----------
    by : 1 for the next smaller change, -1 for the next larger one.
    report : called with a message if there is none.
    """
    selection, benchmark, shown = session.selection, session.benchmark, session.ranked_list
    if shown is None:
        return
    if selection.compared is None or selection.compared == selection.run:
        report("Select a run to compare with first.")
        return
    other = benchmark.runs[selection.compared]
    work = partial(make_ranked_list, benchmark, other, selection.query, session.profile)
    done = partial(_select_next, session, shown, by, report)
    problem = f"The list of {other.name} cannot be compared"
    session.tasks.run(RANK_CHANGE_KEY, work, done, problem, title=f"Ranking the models by {other.name}")


def ranks_by_change(shown: RankedList, other: RankedList, counted: NDArray[np.bool_]) -> NDArray[np.int64]:
    """1-based ranks in `shown` of models with another rank in `other`, largest difference first.

    A model that `other` does not have counts as the rank after its last one.

    Parameters
    ----------
    counted : (n,) bool, the elements of `shown` to consider.
    """
    n_models = max(shown.items.max(initial=0), other.items.max(initial=0)) + 1
    other_ranks = np.full(n_models, len(other) + 1, np.int64)
    known = other.items != UNKNOWN_ITEM
    other_ranks[other.items[known]] = np.flatnonzero(known) + 1
    ranks = np.flatnonzero(counted & (shown.items != UNKNOWN_ITEM)) + 1
    moved = np.abs(other_ranks[shown.items[ranks - 1]] - ranks)
    by_size = np.argsort(-moved, kind="stable")
    return ranks[by_size][moved[by_size] > 0]


def _select_next(
    session: Session, shown: RankedList, by: int, report: Callable[[str], None], other: RankedList
) -> None:
    if session.ranked_list is not shown:
        return  # a different list was selected in the meantime
    relevant = relevant_mask(shown, session.profile)
    ranks = ranks_by_change(shown, other, relevant if relevant.any() else np.ones(len(shown), np.bool_))
    if not len(ranks):
        report("All relevant models have the same rank in both runs.")
        return
    current = np.flatnonzero(ranks == session.selection.rank)
    index = 0 if not len(current) else int(np.clip(current[0] + by, 0, len(ranks) - 1))
    session.select(rank=int(ranks[index]))


#: Key of the task that composes the image, and prefix of the pane names of its render requests.
STRIP_KEY = "strip"

#: Number of models, and of columns: as wide as a page of two columns.
DEFAULT_COUNT, COLUMNS = 12, 6

#: Scale factor: 300 dpi at a width of 15 cm.
SCALE = 2.0


class ResultStrip(QObject):
    """Renders strips one at a time; a new one cancels the one in progress.

    Signals
    -------
    rendered(QImage)
        The image, on a white background.
    """

    rendered = Signal(object)

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._missing: dict[int, RenderRequest] = {}  # of the images that are not rendered yet, by card
        self._cards: list[Tile] = []
        self._compose: Callable[[Sequence[Tile], Task], QImage] | None = None
        session.mesh_view_state.source.rendered.connect(self._receive)
        session.mesh_view_state.source.renderer_changed.connect(self._request)
        session.changed.connect(self._follow_session)

    def render(self, count: int = DEFAULT_COUNT) -> None:
        """Render the selected query and the first `count` models of the list; does nothing without a list."""
        shown, run = self._session.ranked_list, self._session.run
        if shown is None or run is None:
            return
        self._cancel()
        benchmark, query = self._session.benchmark, self._session.selection.query
        levels = () if benchmark.assessment is None else (*sorted(benchmark.levels, reverse=True), 0)
        legend = tuple((level, level_name(level, benchmark.levels)) for level in levels)
        style = SheetCardStyle(scale=SCALE, is_binary=benchmark.is_binary)
        title = f"{benchmark.name}: {benchmark.queries.ids[query]}, run {run.name}"
        items = shown.items[:count].tolist()
        paths = [None if item == UNKNOWN_ITEM else benchmark.collection.paths[item] for item in items]
        self._cards = [Tile(None, "", benchmark.queries.ids[query], query_class(benchmark, query), is_query=True)]
        self._cards += [_make_card(benchmark, shown, row, item) for row, item in enumerate(items)]
        self._compose = partial(_compose, style, title, legend)
        state, side = self._session.mesh_view_state, round(style.side * style.scale)
        self._missing = {
            index: RenderRequest(
                f"{STRIP_KEY} {index}",
                ModelSource(path, quantity=state.quantity_of(path)),
                state.camera,
                side,
                side,
                state.style,
            )
            for index, path in enumerate((benchmark.queries.paths[query], *paths))
            if path is not None
        }
        self._request()
        self._finish()

    @Slot()
    def _request(self) -> None:
        """Request the missing images; also called after a change of the renderer."""
        if self._missing:
            self._session.mesh_view_state.source.request(self._missing.values())

    @Slot(object)
    def _receive(self, result: RenderResult) -> None:
        wanted = result.request.pane, result.request.source.path
        found = (index for index, one in self._missing.items() if (one.pane, one.source.path) == wanted)
        if (index := next(found, None)) is None:
            return
        del self._missing[index]
        pixels = None if result.image is None else qimage_to_rgba(result.image)
        self._cards[index] = replace(self._cards[index], pixels=pixels, problem=result.problem)
        self._finish()

    def _finish(self) -> None:
        if not self._missing and self._compose is not None:
            work, problem = partial(self._compose, self._cards), "The image cannot be rendered"
            self._session.tasks.run(STRIP_KEY, work, self.rendered.emit, problem, title="Image of the list")

    @Slot(object, object)
    def _follow_session(self, old: Document, new: Document) -> None:
        if new.differs(old, "benchmark"):
            self._cancel()

    def _cancel(self) -> None:
        self._session.mesh_view_state.source.withdraw(request.pane for request in self._missing.values())
        self._missing = {}


def _make_card(benchmark: Benchmark, shown: RankedList, row: int, item: int) -> Tile:
    level = int(shown.levels[row]) if benchmark.assessment is not None else None
    distance = format_distance(float(shown.distances[row]))
    if item == UNKNOWN_ITEM:
        return Tile(None, NOT_IN_COLLECTION, NOT_IN_COLLECTION, "", level, note=distance, rank=row + 1)
    problem = "" if benchmark.collection.paths[item] else NO_FILE
    name = model_class(benchmark, item)
    return Tile(None, problem, benchmark.collection.ids[item], name, level, note=distance, rank=row + 1)


def _compose(
    style: SheetCardStyle, title: str, legend: Sequence[tuple[int, str]], cards: Sequence[Tile], _task: Task
) -> QImage:
    pixels = result_strip(cards[0], cards[1:], COLUMNS, style, title=title, legend=legend)
    return rgba_to_qimage(pixels).convertToFormat(QImage.Format.Format_RGB32)
