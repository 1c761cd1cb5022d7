"""Panel with the class confusion matrix in the first and second tier, and the tier image."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QPoint, QSize, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication, QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from shrec_viewer.domain import Benchmark
from shrec_viewer.evaluation.confusion import Confusion, Tier, TierLists, confused_places, confusion, tier_image
from shrec_viewer.panels.panel.panel_widget import BasePanel, missing_scores_reason
from shrec_viewer.viewmodels.scores.confusion import ConfusionModel
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.labels import class_label, count_text
from shrec_viewer.widgets.controls.eliding import ElidingLine
from shrec_viewer.widgets.controls.segmented_buttons import SegmentedButtons
from shrec_viewer.widgets.heatmap.colour_bar import HeatmapColourBar
from shrec_viewer.widgets.heatmap.data import EMPTY_HEATMAP, HeatmapData
from shrec_viewer.widgets.heatmap.tier_image import FIRST_DOT, LAST_DOT, TierImage, TierImageLegend
from shrec_viewer.widgets.heatmap.view import HeatmapView
from shrec_viewer.widgets.style.theme import SPACE


class ConfusionCellMenu(QMenu):
    """The menu of one cell.

    Parameters
    ----------
    words : what the cell says of itself.
    places : what it counts: id of the query, rank, id of the model and place of the query, for each.

    Signals
    -------
    place_opened(query, rank)
        The person wants to look at the first place.
    """

    place_opened = Signal(int, int)

    def __init__(self, words: str, places: Sequence[tuple[str, int, str, int]], parent: QWidget) -> None:
        super().__init__(parent)
        self._words, self._places = words, places
        if places:
            query, rank, model, _ = places[0]
            look = f"{query}, rank {rank}: {model}"
            self.addAction("&Look at {place}".format(place=look.replace("&", "&&"))).triggered.connect(self._look)
        else:
            self.addAction("No model is counted here").setEnabled(False)
        self.addSeparator()
        for text, copy in (
            ("Copy ids of the &queries", self._copy_queries),
            ("Copy ids of the &models", self._copy_models),
        ):
            action = self.addAction(text)
            action.setEnabled(bool(places))
            action.triggered.connect(copy)
        self.addAction("&Copy what the cell says").triggered.connect(self._copy_words)

    @Slot()
    def _look(self) -> None:
        _, rank, _, query = self._places[0]
        self.place_opened.emit(query, rank)

    @Slot()
    def _copy_queries(self) -> None:
        _copy_ids(dict.fromkeys(query for query, _, _, _ in self._places))

    @Slot()
    def _copy_models(self) -> None:
        _copy_ids(dict.fromkeys(model for _, _, model, _ in self._places))

    @Slot()
    def _copy_words(self) -> None:
        QGuiApplication.clipboard().setText(self._words)


def _copy_ids(ids: dict[str, None]) -> None:
    QGuiApplication.clipboard().setText("\n".join(ids))


MAX_ROWS = 500
"""Places listed for one cell; nobody reads more, and each is a row of the list."""

WIDEST_RANK = 8888
"""A rank as long as most."""

PLACE_ROLE = Qt.ItemDataRole.UserRole


class ConfusionCellList(QWidget):
    """What the cell is, and a list of query, rank and model.

    Signals
    -------
    place_picked(query, rank), place_opened(query, rank)
        A click; Enter or a double click.
    """

    scroll_requested = Signal(int, int)
    place_opened = Signal(int, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.list = QListWidget()
        self._what = QLabel()
        self.list.setAccessibleName("Places of the cell")
        self.list.setUniformItemSizes(True)
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._what.setProperty("muted", True)
        self._what.setContentsMargins(2 * SPACE, SPACE, 2 * SPACE, SPACE)
        self._what.setWordWrap(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._what)
        column.addWidget(self.list, 1)
        self.list.itemClicked.connect(self._pick)
        self.list.itemActivated.connect(self._open)

    def clear(self, words: str) -> None:
        """List nothing, and say why."""
        self.list.clear()
        self._what.setText(words)

    def show_places(self, words: str, places: Sequence[tuple[str, int, str, int]]) -> None:
        """Say what the cell is, and list id of the query, rank, id of the model and place of the query for each."""
        self.clear(words)
        for query, rank, model, place in places[:MAX_ROWS]:
            said = _place_text(query, rank, model)
            entry = QListWidgetItem(said)
            entry.setToolTip(said)
            entry.setData(PLACE_ROLE, (place, rank))
            self.list.addItem(entry)
        if len(places) > MAX_ROWS:
            self.list.addItem(QListWidgetItem(f"… and {len(places) - MAX_ROWS:,} more"))

    def open_first(self) -> None:
        """Go to the first place, if there is one."""
        if self.list.count():
            self._open(self.list.item(0))

    def width_for(self, queries: Iterable[str], models: Iterable[str]) -> int:
        """Pixels that the places of these need."""
        longest = _place_text(max(queries, key=len, default=""), WIDEST_RANK, max(models, key=len, default=""))
        bar = self.list.verticalScrollBar().sizeHint().width()
        return self.list.fontMetrics().horizontalAdvance(longest) + bar + 6 * SPACE

    @Slot(QListWidgetItem)
    def _pick(self, entry: QListWidgetItem) -> None:
        if (place := entry.data(PLACE_ROLE)) is not None:
            self.scroll_requested.emit(*place)

    @Slot(QListWidgetItem)
    def _open(self, entry: QListWidgetItem) -> None:
        if (place := entry.data(PLACE_ROLE)) is not None:
            self.place_opened.emit(*place)


def _place_text(query: str, rank: int, model: str) -> str:
    return f"{query}  ·  rank {rank}  ·  {model}"


Positions = NDArray[np.int64]


class TierImageController(QObject):
    """Makes the image as large as its room, and says what stands where.

    Parameters
    ----------
    image : where it is shown; its owner.

    Signals
    -------
    spot_told(words)
        Keys or a click went to a spot; two lines say what it is.
    """

    dot_described = Signal(str)

    def __init__(self, session: Session, image: TierImage) -> None:
        super().__init__(image)
        self._session, self._image = session, image
        self._tiers: TierLists | None = None
        self._queries: Positions = np.zeros(0, np.int64)  # place in the benchmark, from the top
        self._models: Positions = np.zeros(0, np.int64)  # the same, from the left
        image.resized.connect(self._show)
        image.spot_selected.connect(self._pick)
        image.spot_hovered.connect(self._describe)
        image.walked.connect(self._walk)
        image.jumped.connect(self._jump)
        session.benchmark_changed.connect(self._forget)

    def set_tiers(self, tiers: TierLists | None) -> None:
        """Show these; None for none, so that nothing is made while nobody looks."""
        self._tiers = tiers
        self._show()

    @Slot()
    def _forget(self) -> None:
        self._tiers = None
        self._image.set_spot(None)

    @Slot()
    def _show(self) -> None:
        benchmark, tiers = self._session.benchmark, self._tiers
        if benchmark is None or tiers is None:
            return
        room = self._image.room
        codes, down, right = tier_image(tiers, benchmark, max(room.height(), 1), max(room.width(), 1))
        self._queries, self._models = np.argsort(down), np.argsort(right)
        self._image.set_image(codes, _class_blocks(benchmark))

    # What is under the mouse.

    @Slot(float, float)
    def _pick(self, down: float, right: float) -> None:
        if self._tiers is not None and down >= 0 and len(self._queries):
            row, column = self._at(down, right)
            self._go(row, column)

    @Slot(float, float)
    def _describe(self, down: float, right: float) -> None:
        known = self._tiers is not None and down >= 0 and len(self._queries)
        self._image.set_words(self._words(*self._at(down, right)) if known else "")

    def _at(self, down: float, right: float) -> tuple[int, int]:
        return int(down * len(self._queries)), int(right * len(self._models))

    def _words(self, row: int, column: int) -> str:
        benchmark = self._session.benchmark
        if benchmark is None:
            return ""
        query, model = int(self._queries[row]), int(self._models[column])
        rank = self._rank(query, model)
        name = class_label(benchmark, int(benchmark.queries.labels[query]))
        found = "in neither tier" if rank is None else f"rank {rank}"
        return f"{benchmark.queries.ids[query]} {name} → {benchmark.collection.ids[model]}\n{found}"

    def _rank(self, query: int, model: int) -> int | None:
        """Rank of the model in the tiers of the query; None where it stands in neither."""
        at = np.flatnonzero(self._listed(query) == model)
        return int(at[0]) + 1 if len(at) else None

    def _listed(self, query: int) -> NDArray[np.integer]:
        """Models of the tiers of a query by rank; -1 for ids that the collection lacks."""
        tiers = self._tiers
        return np.zeros(0, np.int64) if tiers is None else tiers.items[tiers.indptr[query] : tiers.indptr[query + 1]]

    # What keys do.

    @Slot(int, int)
    def _walk(self, rows: int, dots: int) -> None:
        """To the query above or below, or to the next dot at the left or right."""
        if self._tiers is None or not len(self._queries):
            return
        row, column = self._image.spot or (0, -1)
        if rows:
            row = min(max(row + rows, 0), len(self._queries) - 1)
            self._go(row, max(column, 0))
            return
        columns = self._dots(row)
        ahead = columns[columns > column] if dots > 0 else columns[columns < column][::-1]
        if len(ahead):
            self._go(row, int(ahead[0]))

    @Slot(int)
    def _jump(self, where: int) -> None:
        """To the first or last dot of the query."""
        row = (self._image.spot or (0, 0))[0]
        if self._tiers is not None and len(self._queries) and len(columns := self._dots(row)):
            self._go(row, int(columns[{FIRST_DOT: 0, LAST_DOT: -1}[where]]))

    def _dots(self, row: int) -> Positions:
        """Columns of the models in the tiers of the query of a row, from the left."""
        column_of = np.empty(len(self._models), np.int64)
        column_of[self._models] = np.arange(len(self._models))
        listed = self._listed(int(self._queries[row]))
        return np.sort(column_of[listed[listed >= 0]])

    def _go(self, row: int, column: int) -> None:
        """Mark a spot, say what it is and select it."""
        self._image.set_spot((row, column), len(self._queries), len(self._models))
        words = self._words(row, column)
        self._image.setAccessibleDescription(words)
        query = int(self._queries[row])
        self._session.select(query=query, rank=self._rank(query, int(self._models[column])))
        self.dot_described.emit(words)


def _class_blocks(benchmark: Benchmark) -> list[tuple[float, float, float, float]]:
    """Where queries and models of the same class meet: top, left, height, width as shares of the whole."""
    if benchmark.classification is None:
        return []
    of_queries, of_models = np.sort(benchmark.queries.labels), np.sort(benchmark.classification.labels)
    # Those without a class stand last, as in the image.
    of_queries, of_models = (np.concatenate([a[a >= 0], a[a < 0]]) for a in (of_queries, of_models))
    blocks = []
    for label in np.unique(of_queries[of_queries >= 0]):
        rows, columns = np.flatnonzero(of_queries == label), np.flatnonzero(of_models == label)
        if len(columns):
            top, left = rows[0] / len(of_queries), columns[0] / len(of_models)
            blocks.append((top, left, len(rows) / len(of_queries), len(columns) / len(of_models)))
    return blocks


KINDS = (("1", "First tier"), ("2", "Second tier"), ("image", "Image"))

KIND_TOOLTIPS = (
    "Of the first C places of each list, C the number of relevant models: the share that models of each class take",
    "The same for the first 2 C places",
    "Queries downwards, models to the right, both by class: nearest neighbour, first tier and second tier as dots;\n"
    "arrows walk from dot to dot, Home and End to the first and last of a query",
)

SIDE_BY_SIDE_RATIO = 1.3
"""Width over height from which the places stand beside the cells."""

LIST_SHARE = 0.34
"""Of the width, for the places beside the cells at most; below them, of the height."""


class ConfusionPanel(BasePanel):
    """Class x class tied to the session: a cell opens its places, and picking one selects its query and rank."""

    def __init__(self, session: Session) -> None:
        super().__init__("grid")
        self._session = session
        self._tiers = ConfusionModel(session, self)
        self._found: Confusion | None = None
        self.kind = SegmentedButtons(KINDS)
        self.title = ElidingLine(token="muted")
        self.grid = HeatmapView()
        self.image = TierImage()
        self._image_controller = TierImageController(session, self.image)
        self.scale, self.key = HeatmapColourBar(), TierImageLegend()
        self._below = ConfusionCellList()
        self.places = self._below.list
        self._split = QSplitter(Qt.Orientation.Vertical)
        self._user_moved_split = False
        self._list_width = 0
        self._pages = QStackedWidget()
        self._build()
        self.kind.picked.connect(self._show_tiers)
        self.grid.cell_selected.connect(self._show_places)
        self.grid.cell_activated.connect(self._open_first)
        self.grid.menu_requested.connect(self._offer)
        self._image_controller.dot_described.connect(self._show_dot_text)
        self._below.scroll_requested.connect(self._select_place)
        self._below.place_opened.connect(self._open_place)
        self._tiers.changed.connect(self._show_tiers)
        session.benchmark_changed.connect(self._show_tiers)
        session.benchmark_changed.connect(self._measure_list)
        self._show_tiers()
        self._measure_list()

    def showEvent(self, event: QShowEvent) -> None:
        """Qt override; tiers are counted only while somebody sees them."""
        super().showEvent(event)
        self._tiers.set_active(True)

    def hideEvent(self, event: QHideEvent) -> None:
        """Qt override."""
        super().hideEvent(event)
        self._tiers.set_active(False)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt override; the places stand beside the cells where there is more room at the side than below."""
        super().resizeEvent(event)
        wide = event.size().width() > SIDE_BY_SIDE_RATIO * event.size().height()
        self._split.setOrientation(Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical)
        self._give_room()

    def _give_room(self) -> None:
        """The places are as wide as their words, until the person moves the edge; the cells have the rest."""
        if self._user_moved_split:
            return
        is_beside = self._split.orientation() == Qt.Orientation.Horizontal
        room = self._split.width() if is_beside else self._split.height()
        wanted = min(self._list_width if is_beside else room, round(room * LIST_SHARE))
        self._split.setSizes([room - wanted, wanted])

    @Slot()
    def _measure_list(self) -> None:
        if (benchmark := self._session.benchmark) is not None:
            self._list_width = self._below.width_for(benchmark.queries.ids, benchmark.collection.ids)
            self._give_room()

    @Slot()
    def _mark_split_moved(self, *_: int) -> None:
        self._user_moved_split = True

    def sizeHint(self) -> QSize:
        """Qt override."""
        return QSize(420, 420)

    def view_state(self) -> dict[str, Any]:
        """What is shown how, for a project: plain values."""
        return {"kind": self.kind.current}

    def restore_view_state(self, state: Mapping[str, Any]) -> None:
        """Show what a project says; what is not known is passed over."""
        if state.get("kind") in [key for key, _ in KINDS]:
            self.kind.set_current(state["kind"])
            self._show_tiers()

    def _build(self) -> None:
        for (key, _), tip in zip(KINDS, KIND_TOOLTIPS, strict=True):
            self.kind.button(key).setToolTip(tip)
        self.grid.setAccessibleName("Class of the query, class of the model")
        self._pages.addWidget(self.grid)
        self._pages.addWidget(self.image)
        head = QHBoxLayout()
        head.setContentsMargins(2 * SPACE, 2 * SPACE, 2 * SPACE, SPACE)
        head.setSpacing(2 * SPACE)
        head.addWidget(self.kind)
        head.addWidget(self.title, 1)
        head.addWidget(self.scale)
        head.addWidget(self.key)
        split = self._split
        split.splitterMoved.connect(self._mark_split_moved)
        split.setChildrenCollapsible(False)
        split.addWidget(self._pages)
        split.addWidget(self._below)
        split.setStretchFactor(0, 1)
        split.setStretchFactor(1, 0)
        layout = QVBoxLayout(self.content)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(split, 1)

    @property
    def tier(self) -> Tier:
        """The tier that the cells are about."""
        return 2 if self.kind.current == "2" else 1

    # ------------------------------------------------------------------------------------------------ what is shown

    @Slot()
    def _show_tiers(self, *_: object) -> None:
        benchmark, tiers = self._session.benchmark, self._tiers.tiers
        self._below.clear("Pick a cell to see which models it counts.")
        if benchmark is None or tiers is None or benchmark.classification is None:
            self._found = None
            self.grid.set_cells(EMPTY_HEATMAP)
            self._image_controller.set_tiers(None)
            self._show_reason()
            return
        self.title.setText(f"{tiers.run}: queries ↓  models →")
        is_image = self.kind.current == "image"
        if is_image and self._split.isAncestorOf(self.focusWidget() or self):
            self.kind.button("image").setFocus()  # what had the keys is hidden, and they would go anywhere
        self._pages.setCurrentWidget(self.image if is_image else self.grid)
        for piece in (self._below, self.scale):
            piece.setVisible(not is_image)
        self.key.setVisible(is_image)
        found = self._found = confusion(tiers, benchmark, self.tier)
        names = benchmark.classification.names
        cells = HeatmapData(
            found.shares,
            tuple(names[row] for row in found.rows),
            tuple(names[column] for column in found.columns),
            0.0,
            max(float(found.shares.max(initial=0.0)), 0.1),
            scale="shares",
            decimals=2,
            words=self._words,
        )
        self.grid.set_cells(cells)
        self.scale.set_scale(cells, "share")
        self.scale.setToolTip(f"Share of the places of the {self._tier_name()} tier")
        self._image_controller.set_tiers(tiers if is_image else None)
        self.show_content()

    def _tier_name(self) -> str:
        return "first" if self.tier == 1 else "second"

    def _show_reason(self) -> None:
        benchmark = self._session.benchmark
        if benchmark is not None and benchmark.classification is None:
            self.show_empty("No classes", "Confusion needs a classification of the models.")
        else:
            self.show_empty(*missing_scores_reason(self._session, waiting="Counting the tiers…"))

    def _words(self, row: int, column: int) -> str:
        found, benchmark = self._found, self._session.benchmark
        if found is None or benchmark is None:
            return ""
        one, other = (class_label(benchmark, int(label)) for label in (found.rows[row], found.columns[column]))
        queries = count_text(int(found.queries[row]), "query", "queries")
        tier = self._tier_name()
        share = f"{found.shares[row, column]:.1%}"
        return f"{one} → {other}\n{share} of the places of the {tier} tier, mean of {queries}"

    @Slot(str)
    def _show_dot_text(self, words: str) -> None:
        what, _, rank = words.partition("\n")
        self.title.setText(f"{rank} · {what}")  # the rank first: the room is short, and the tool tip has the rest

    # ------------------------------------------------------------------------------------------------ what is picked

    def _places_of(self, row: int, column: int) -> list[tuple[str, int, str, int]]:
        """Id of the query, rank, id of the model and place of the query of everything that a cell counts."""
        found, benchmark, tiers = self._found, self._session.benchmark, self._tiers.tiers
        if found is None or benchmark is None or tiers is None:
            return []
        query, rank, items = confused_places(
            tiers, benchmark, self.tier, int(found.rows[row]), int(found.columns[column])
        )
        ids, models = benchmark.queries.ids, benchmark.collection.ids
        return [(ids[q], int(r), models[item], int(q)) for q, r, item in zip(query, rank, items, strict=True)]

    @Slot(int, int)
    def _show_places(self, row: int, column: int) -> None:
        if self._found is not None:
            self._below.show_places(self._words(row, column), self._places_of(row, column))

    @Slot(int, int, QPoint)
    def _offer(self, row: int, column: int, place: QPoint) -> None:
        """What can be done with a cell; names have nothing to be done with."""
        if self._found is None or row < 0 or column < 0:
            return
        menu = ConfusionCellMenu(self._words(row, column), self._places_of(row, column), self.grid)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.place_opened.connect(self._open_place)
        menu.popup(place)

    @Slot(int, int)
    def _open_first(self, row: int, column: int) -> None:
        self._show_places(row, column)
        self._below.open_first()

    @Slot(int, int)
    def _select_place(self, query: int, rank: int) -> None:
        self._session.select(query=query, rank=rank)

    @Slot(int, int)
    def _open_place(self, query: int, rank: int) -> None:
        self._select_place(query, rank)
        self._session.cursor_state.request_view("query")
