"""Which classes the selected run takes for which, in the first and in the second tier, and the image of tiers."""

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QPoint, QSize, Qt, Slot
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
)

from shrec_viewer.evaluation.confusion import Confusion, Tier, confusion, places_of
from shrec_viewer.panels.confusion_image import ImageOfTiers
from shrec_viewer.panels.confusion_menu import ConfusionMenu
from shrec_viewer.panels.confusion_places import CellPlaces
from shrec_viewer.panels.pane import Pane
from shrec_viewer.panels.reasons import why_no_numbers
from shrec_viewer.panels.switch import Switch
from shrec_viewer.viewmodels.confusion_tiers import RunTiers
from shrec_viewer.viewmodels.session import Session
from shrec_viewer.viewmodels.words import class_words, count_words
from shrec_viewer.widgets.heat_cells import NO_CELLS, HeatCells
from shrec_viewer.widgets.heat_grid import HeatGrid
from shrec_viewer.widgets.heat_scale import HeatScale
from shrec_viewer.widgets.theme import SPACE
from shrec_viewer.widgets.tier_image import TierImage
from shrec_viewer.widgets.tier_key import TierKey
from shrec_viewer.widgets.words_line import WordsLine

KINDS = (("1", "First tier"), ("2", "Second tier"), ("image", "Image"))

TIPS = (
    "Of the first C places of each list, C the number of relevant models: the share that models of each class take",
    "The same for the first 2 C places",
    "Queries downwards, models to the right, both by class: nearest neighbour, first tier and second tier as dots;\n"
    "arrows walk from dot to dot, Home and End to the first and last of a query",
)

WIDE = 1.3
"""Width over height from which the places stand beside the cells."""

PLACES_SHARE = 0.34
"""Of the width, for the places beside the cells at most; below them, of the height."""


class ConfusionPanel(Pane):
    """Class x class tied to the session: a cell opens its places, and picking one selects its query and rank."""

    def __init__(self, session: Session) -> None:
        super().__init__("grid")
        self._session = session
        self._tiers = RunTiers(session, self)
        self._found: Confusion | None = None
        self.kind = Switch(KINDS)
        self.title = WordsLine(token="muted")
        self.grid = HeatGrid()
        self.image = TierImage()
        self._spots = ImageOfTiers(session, self.image)
        self.scale, self.key = HeatScale(), TierKey()
        self._below = CellPlaces()
        self.places = self._below.list
        self._split = QSplitter(Qt.Orientation.Vertical)
        self._has_own_split = False
        self._places_width = 0
        self._pages = QStackedWidget()
        self._build()
        self.kind.picked.connect(self._show_tiers)
        self.grid.cell_picked.connect(self._show_places)
        self.grid.cell_activated.connect(self._open_first)
        self.grid.menu_wanted.connect(self._offer)
        self._spots.spot_told.connect(self._tell_spot)
        self._below.place_picked.connect(self._pick_place)
        self._below.place_opened.connect(self._open_place)
        self._tiers.changed.connect(self._show_tiers)
        session.benchmark_changed.connect(self._show_tiers)
        session.benchmark_changed.connect(self._measure_places)
        self._show_tiers()
        self._measure_places()

    def showEvent(self, event: QShowEvent) -> None:
        """Qt override; tiers are counted only while somebody sees them."""
        super().showEvent(event)
        self._tiers.set_wanted(True)

    def hideEvent(self, event: QHideEvent) -> None:
        """Qt override."""
        super().hideEvent(event)
        self._tiers.set_wanted(False)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt override; the places stand beside the cells where there is more room at the side than below."""
        super().resizeEvent(event)
        wide = event.size().width() > WIDE * event.size().height()
        self._split.setOrientation(Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical)
        self._give_room()

    def _give_room(self) -> None:
        """The places are as wide as their words, until the person moves the edge; the cells have the rest."""
        if self._has_own_split:
            return
        is_beside = self._split.orientation() == Qt.Orientation.Horizontal
        room = self._split.width() if is_beside else self._split.height()
        wanted = min(self._places_width if is_beside else room, round(room * PLACES_SHARE))
        self._split.setSizes([room - wanted, wanted])

    @Slot()
    def _measure_places(self) -> None:
        if (benchmark := self._session.benchmark) is not None:
            self._places_width = self._below.width_for(benchmark.queries.ids, benchmark.collection.ids)
            self._give_room()

    @Slot()
    def _keep_split(self, *_: int) -> None:
        self._has_own_split = True

    def sizeHint(self) -> QSize:
        """Qt override."""
        return QSize(420, 420)

    def view_state(self) -> dict[str, Any]:
        """What is shown how, for a project: plain values."""
        return {"kind": self.kind.current}

    def take_view_state(self, state: Mapping[str, Any]) -> None:
        """Show what a project says; what is not known is passed over."""
        if state.get("kind") in [key for key, _ in KINDS]:
            self.kind.set_current(state["kind"])
            self._show_tiers()

    def _build(self) -> None:
        for (key, _), tip in zip(KINDS, TIPS, strict=True):
            self.kind.button(key).setToolTip(tip)
        self.grid.setAccessibleName(self.tr("Class of the query, class of the model"))
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
        split.splitterMoved.connect(self._keep_split)
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
        self._below.clear(self.tr("Pick a cell to see which models it counts."))
        if benchmark is None or tiers is None or benchmark.classification is None:
            self._found = None
            self.grid.set_cells(NO_CELLS)
            self._spots.set_tiers(None)
            self._show_reason()
            return
        self.title.setText(self.tr("{run}: queries ↓  models →").format(run=tiers.run))
        is_image = self.kind.current == "image"
        if is_image and self._split.isAncestorOf(self.focusWidget() or self):
            self.kind.button("image").setFocus()  # what had the keys is hidden, and they would go anywhere
        self._pages.setCurrentWidget(self.image if is_image else self.grid)
        for piece in (self._below, self.scale):
            piece.setVisible(not is_image)
        self.key.setVisible(is_image)
        found = self._found = confusion(tiers, benchmark, self.tier)
        names = benchmark.classification.names
        cells = HeatCells(
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
        self.scale.set_scale(cells, self.tr("share"))
        self.scale.setToolTip(self.tr("Share of the places of the {tier} tier").format(tier=self._tier_name()))
        self._spots.set_tiers(tiers if is_image else None)
        self.show_content()

    def _tier_name(self) -> str:
        return self.tr("first") if self.tier == 1 else self.tr("second")

    def _show_reason(self) -> None:
        benchmark = self._session.benchmark
        if benchmark is not None and benchmark.classification is None:
            self.show_empty(self.tr("No classes"), self.tr("Confusion needs a classification of the models."))
        else:
            self.show_empty(*why_no_numbers(self._session, waiting=self.tr("Counting the tiers…")))

    def _words(self, row: int, column: int) -> str:
        found, benchmark = self._found, self._session.benchmark
        if found is None or benchmark is None:
            return ""
        one, other = (class_words(benchmark, int(label)) for label in (found.rows[row], found.columns[column]))
        queries = count_words(int(found.queries[row]), "query", "queries")
        tier = self._tier_name()
        share = f"{found.shares[row, column]:.1%}"
        return f"{one} → {other}\n{share} of the places of the {tier} tier, mean of {queries}"

    @Slot(str)
    def _tell_spot(self, words: str) -> None:
        what, _, rank = words.partition("\n")
        self.title.setText(f"{rank} · {what}")  # the rank first: the room is short, and the tool tip has the rest

    # ------------------------------------------------------------------------------------------------ what is picked

    def _places_of(self, row: int, column: int) -> list[tuple[str, int, str, int]]:
        """Id of the query, rank, id of the model and place of the query of everything that a cell counts."""
        found, benchmark, tiers = self._found, self._session.benchmark, self._tiers.tiers
        if found is None or benchmark is None or tiers is None:
            return []
        query, rank, items = places_of(tiers, benchmark, self.tier, int(found.rows[row]), int(found.columns[column]))
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
        menu = ConfusionMenu(self._words(row, column), self._places_of(row, column), self.grid)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.place_opened.connect(self._open_place)
        menu.popup(place)

    @Slot(int, int)
    def _open_first(self, row: int, column: int) -> None:
        self._show_places(row, column)
        self._below.open_first()

    @Slot(int, int)
    def _pick_place(self, query: int, rank: int) -> None:
        self._session.select(query=query, rank=rank)

    @Slot(int, int)
    def _open_place(self, query: int, rank: int) -> None:
        self._pick_place(query, rank)
        self._session.pointing.want_view("query")
