"""Item model of a ranked list, and its relevance, tiers and ties under the current profile."""

from enum import IntEnum
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractListModel, QByteArray, QModelIndex, QObject, QPersistentModelIndex, Qt, Slot

from shrec_viewer.domain import UNKNOWN_ITEM, Benchmark
from shrec_viewer.evaluation.ranked_list import RankedList
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.formats.core.ids import natural_order
from shrec_viewer.metrics import Profile, curve_table, find_measure
from shrec_viewer.number_format import format_distance
from shrec_viewer.viewmodels.session.selection import NOTHING
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.labels import count_text, level_name, model_class
from shrec_viewer.viewmodels.thumbnails.thumbnails import VisibleThumbnails

E_CUT = 32
"""Places that the E-measure of Princeton's program looks at: the first page of a search."""


def cursor_curve_keys() -> tuple[str, ...]:
    """Keys of the curves by rank whose values at the rank cursor are displayed in the status bar."""
    return tuple(kind.key for kind in curve_table() if kind.common and kind.x == "rank")


def relevant_mask(shown: RankedList, profile: Profile) -> NDArray[np.bool_]:
    """(n,) bool, which places of the list hold what the profile counts as relevant."""
    return shown.levels >= max(1, profile.relevant_from)


def relevant_count(benchmark: Benchmark, query: int, shown: RankedList, profile: Profile) -> int:
    """C: the relevant models of the truth, retrieved or not, without the query itself where the profile drops it."""
    found = int(relevant_mask(shown, profile).sum())
    if profile.relevant_from <= 1 or benchmark.assessment is None:
        return found + len(shown.not_retrieved)
    levels = benchmark.assessment.gains(query, len(benchmark.collection))[shown.not_retrieved]
    return found + int((levels >= profile.relevant_from).sum())


def tier_cuts(size: int) -> list[tuple[int, str]]:
    """Ranks after which first and second tier end: as many places as there are relevant models, and twice as many."""
    return [(size, "1st tier"), (2 * size, "2nd tier")] if size else []


def barcode_cuts(size: int, length: int, profile: Profile) -> list[tuple[int, str]]:
    """Tiers, the page of 32, and the cut-offs of the profile's measures, those first that matter most for the labels.

    None beyond the end of the list, and no rank twice.
    """
    cutoffs = sorted({cutoff for key in profile.measures if (cutoff := find_measure(key).cutoff) is not None})
    wanted = [(size, "C"), (2 * size, "2C"), *((cut, f"{cut}") for cut in (E_CUT, *cutoffs))]
    kept: dict[int, str] = {}
    for rank, label in wanted:
        if 0 < rank <= length:
            kept.setdefault(rank, label)
    return list(kept.items())


def list_summary(shown: RankedList, profile: Profile, size: int, *, judged: bool) -> str:
    """``"200 models listed · 42 of 63 relevant retrieved · first at rank 2 · 12 tied"``, as far as there is a truth."""
    parts = [f"{count_text(len(shown), 'model')} listed"]
    if judged:
        ranks = np.flatnonzero(relevant_mask(shown, profile)) + 1
        parts.append(f"{len(ranks):,} of {size:,} relevant retrieved")
        if len(ranks):
            parts.append(f"first at rank {int(ranks[0]):,}")
    if ties := int(shown.tied.sum()):
        parts.append(f"{ties:,} tied")
    return " · ".join(parts)


def cursor_curves(scores: Scores, run: int, query: int, length: int) -> NDArray[np.float64]:
    """(K, length) float64, the curves `cursor_curve_keys` at the ranks 1 … length; NaN where undefined."""
    return np.array([scores.curve(key, run, query, length).y for key in cursor_curve_keys()])


def tie_ranks(shown: RankedList, row: int) -> tuple[int, int]:
    """First and last rank of the group of equal distances that a place belongs to; (0, 0) where it is alone."""
    if not shown.tied[row]:
        return (0, 0)
    start = shown.tie_start[row]
    return int(start) + 1, int(np.searchsorted(shown.tie_start, start, "right"))


class CardRole(IntEnum):
    """What a card can be asked for; views find these by the names in `RankedListModel.roleNames`."""

    RANK = Qt.ItemDataRole.UserRole + 1
    ITEM_ID = Qt.ItemDataRole.UserRole + 2
    CLASS_NAME = Qt.ItemDataRole.UserRole + 3
    LEVEL = Qt.ItemDataRole.UserRole + 4
    DISTANCE = Qt.ItemDataRole.UserRole + 5
    TIED = Qt.ItemDataRole.UserRole + 6
    PICTURE = Qt.ItemDataRole.UserRole + 7
    PROBLEM = Qt.ItemDataRole.UserRole + 8
    QUERY = Qt.ItemDataRole.UserRole + 9
    BINARY = Qt.ItemDataRole.UserRole + 10
    TIE_FIRST = Qt.ItemDataRole.UserRole + 11
    TIE_LAST = Qt.ItemDataRole.UserRole + 12


NO_TRUTH = -1
"""`CardRole.LEVEL` of a model while there is no assessment."""

NOT_IN_COLLECTION = "not in the collection"
"""Stands for an id that a run names and the collection does not have, where the profile keeps its place."""

NOT_RANKED = 0
"""`CardRole.RANK` of a model that the list does not contain, and of all while there is none."""


class RankedListModel(QAbstractListModel):
    """The list of the selected run for the selected query; follows the session.

    Where there can be no list, for want of runs or queries, it is the collection in its own order, without ranks.

    Parameters
    ----------
    missed : show the relevant models that the list does **not** contain, instead of those it does: the highest level
        first, then by id.

    Notes
    -----
    Roles by name: rank (1-based int, 0 for a model not retrieved), item_id, class_name, level (-1 without assessment),
    distance (float, NaN for none given), tied (bool), picture (QPixmap or None), problem (why there is no picture),
    query (the query itself, where the collection queries itself and the profile leaves it in the list), binary (the
    truth has no degrees), tie_first and tie_last (ranks of the group of equal distances; 0 for a model that is alone).
    """

    def __init__(self, session: Session, *, missed: bool = False, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._thumbnails = session.thumbnails
        self._missed = missed
        self._benchmark: Benchmark | None = None
        self._query = NOTHING
        self._is_ranked = self._is_judged = False
        self._items: NDArray[np.int32] = np.zeros(0, np.int32)
        self._distances: NDArray[np.float64] = np.zeros(0)
        self._levels: NDArray[np.uint8] = np.zeros(0, np.uint8)
        self._tied: NDArray[np.bool_] = np.zeros(0, np.bool_)
        self._shown: RankedList | None = None
        self._of: tuple[object, ...] = ()
        client = "results missed" if missed else "results"
        roles = (CardRole.PICTURE, CardRole.PROBLEM)
        self.pictures = VisibleThumbnails(self, session.thumbnails, client, self.path_of, roles)
        session.benchmark_changed.connect(self._show_list)
        session.list_changed.connect(self._show_list)
        self._show_list()

    def roleNames(self) -> dict[int, QByteArray]:
        """Qt override."""
        return {role.value: QByteArray(role.name.lower().encode()) for role in CardRole}

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008 - Qt's way
        """Qt override."""
        return 0 if parent.isValid() else len(self._items)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Qt override; see the class for the roles."""
        row = index.row()
        if not index.isValid() or self._benchmark is None or row >= len(self._items):
            return None
        item = int(self._items[row])
        if role in (CardRole.PICTURE, CardRole.PROBLEM):
            return self._picture(item, role)
        if role in (CardRole.ITEM_ID, Qt.ItemDataRole.DisplayRole):
            return self._id(item)
        if role == CardRole.RANK:
            return row + 1 if self._is_ranked else NOT_RANKED
        if role == CardRole.LEVEL:
            return self._level(row)
        if role == CardRole.BINARY:
            return self._binary
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
            return self._sentence(row)
        return None

    def path_of(self, row: int) -> Path | None:
        """File of the model in `row`."""
        if self._benchmark is None or not 0 <= row < len(self._items):
            return None
        item = int(self._items[row])
        return None if item == UNKNOWN_ITEM else self._benchmark.collection.paths[item]

    def row_cells(self, row: int) -> tuple[str, ...]:
        """Rank, id, class, level and distance of a row, for a table; "" for what is not known."""
        assert self._benchmark is not None
        item, level = int(self._items[row]), self._level(row)
        rank = f"{row + 1}" if self._is_ranked else ""
        distance = float(self._distances[row])
        shown = "" if np.isnan(distance) else repr(distance)
        return rank, self._id(item), model_class(self._benchmark, item), "" if level < 0 else f"{level}", shown

    def place_words(self, rank: int) -> str:
        """What stands at a rank: ``"rank 42: M079 chair, not relevant"``; "" where the list has no such rank."""
        if self._benchmark is None or not self._is_ranked or not 1 <= rank <= len(self._items):
            return ""
        item, truth = int(self._items[rank - 1]), self._benchmark.assessment
        named = f"{self._id(item)} {model_class(self._benchmark, item)}".rstrip()
        level = f", {level_name(self._level(rank - 1), truth.levels)}" if truth is not None else ""
        return f"rank {rank:,}: {named}{level}"

    @property
    def levels(self) -> NDArray[np.uint8]:
        """(n,) uint8, relevance by row; all 0 where nothing is judged."""
        return self._levels

    def item_of(self, row: int) -> int:
        """Place in the collection of the model in `row`, or `UNKNOWN_ITEM`."""
        return int(self._items[row])

    def _tie(self, row: int) -> tuple[int, int]:
        return (0, 0) if self._shown is None else tie_ranks(self._shown, row)

    def _is_query(self, item: int) -> bool:
        if self._benchmark is None or self._query == NOTHING or item == UNKNOWN_ITEM:
            return False
        return item == int(self._benchmark.queries.member[self._query])

    def _id(self, item: int) -> str:
        assert self._benchmark is not None
        return NOT_IN_COLLECTION if item == UNKNOWN_ITEM else self._benchmark.collection.ids[item]

    def _picture(self, item: int, role: int) -> Any:
        assert self._benchmark is not None
        if item == UNKNOWN_ITEM:
            return None if role == CardRole.PICTURE else NOT_IN_COLLECTION
        path = self._benchmark.collection.paths[item]
        return self._thumbnails.picture(path) if role == CardRole.PICTURE else self._thumbnails.problem(path)

    def _level(self, row: int) -> int:
        if self._benchmark is None or self._benchmark.assessment is None or not self._is_judged:
            return NO_TRUTH
        return int(self._levels[row])

    @property
    def _binary(self) -> bool:
        truth = None if self._benchmark is None else self._benchmark.assessment
        return truth is not None and truth.levels == (1,)

    def _sentence(self, row: int) -> str:
        benchmark = self._benchmark
        assert benchmark is not None
        item = int(self._items[row])
        parts = [self._id(item)]
        if self._missed:
            parts.append("not retrieved")
        elif self._is_ranked:
            parts.append(f"rank {row + 1:,} of {len(self._items):,}")
        if name := model_class(benchmark, item):
            parts.append(f"class {name}")
        if benchmark.assessment is not None and self._is_judged:
            parts.append(level_name(self._level(row), benchmark.assessment.levels))
        if found := format_distance(float(self._distances[row])):
            parts.append(f"distance {found}{self._distance_step_text(row)}")
        first, last = self._tie(row)
        if first:
            parts.append(f"tied: ranks {first:,} to {last:,} have this distance and could stand in any order")
        if problem := self._picture(item, CardRole.PROBLEM):
            parts.append(f"no picture: {problem}")
        return ", ".join(parts)

    def _distance_step_text(self, row: int) -> str:
        """``" (+0.0213)"``, what it is farther than the rank before; "" where that says nothing."""
        step = float(self._distances[row] - self._distances[row - 1]) if row and self._is_ranked else 0.0
        return f" ({'+' if step > 0 else ''}{format_distance(step)})" if np.isfinite(step) and step else ""

    @Slot()
    def _show_list(self) -> None:
        session = self._session
        shown, benchmark = session.ranked_list, session.benchmark
        of = (session.path, session.selection.query, session.selection.run)
        known, self._of = self._of == of and self._shown is not None, of
        if known and shown is not None and len(shown) == len(self._items) > 0:
            self._renew(shown, benchmark)
            return
        self.beginResetModel()
        self._benchmark = benchmark
        self._query = session.selection.query
        self._is_ranked = self._is_judged = False
        self._shown = None if self._missed else shown
        if shown is not None and self._missed:
            self._show_missed(shown)
        elif shown is not None:
            self._set_rows(shown.items)
            self._distances, self._levels, self._tied = shown.distances, shown.levels, shown.tied
            self._is_ranked = self._is_judged = True
        elif benchmark is not None and not self._missed and not session.has_lists:
            self._set_rows(np.arange(len(benchmark.collection), dtype=np.int32))
        else:
            self._set_rows(np.zeros(0, np.int32))
        self.endResetModel()

    def _renew(self, shown: RankedList, benchmark: Benchmark | None) -> None:
        """The same list in another order, read anew or under other conventions: views stay where they are."""
        self._benchmark, self._shown = benchmark, shown
        self._set_rows(shown.items)
        self._distances, self._levels, self._tied = shown.distances, shown.levels, shown.tied
        self.dataChanged.emit(self.index(0, 0), self.index(len(self._items) - 1, 0))
        if seen := self.pictures.visible:
            self.pictures.set_visible(seen[0], seen[-1])

    def _show_missed(self, shown: RankedList) -> None:
        """The highest level first, then by id with numbers as numbers."""
        benchmark = self._benchmark
        if benchmark is None or benchmark.assessment is None:
            self._set_rows(np.zeros(0, np.int32))
            return
        levels = benchmark.assessment.gains(self._query, len(benchmark.collection))
        by_id = natural_order([benchmark.collection.ids[item] for item in shown.not_retrieved])
        items = shown.not_retrieved[by_id]
        self._set_rows(items[np.argsort(-levels[items].astype(np.int16), kind="stable")])
        self._levels = levels[self._items]
        self._is_judged = True

    def _set_rows(self, items: NDArray[np.int32]) -> None:
        self._items = items
        self._distances = np.full(len(items), np.nan)
        self._levels = np.zeros(len(items), np.uint8)
        self._tied = np.zeros(len(items), np.bool_)
