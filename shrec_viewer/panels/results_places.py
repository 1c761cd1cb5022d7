"""Where one is in a ranked list: ties grid and barcode to each other, to the rank cursor and to marked ranks."""

from PySide6.QtCore import QObject, QTimer, Slot

from shrec_viewer.viewmodels.list_facts import barcode_cuts, relevant_size, tier_cuts
from shrec_viewer.viewmodels.ranked_list_model import RankedListModel
from shrec_viewer.viewmodels.selection import Selection
from shrec_viewer.viewmodels.session import Session
from shrec_viewer.widgets.barcode import Barcode
from shrec_viewer.widgets.card_grid import CardGrid

REST_MS = 180
"""Milliseconds that the mouse rests on a place of a graph before the list follows: who only crosses the graph, or reads
along a curve, does not make the list run."""


class ResultsPlaces(QObject):
    """Moving over cards or ticks points at ranks; a tick clicked scrolls the cards, and scrolling moves the window.

    A rank that is pointed at elsewhere, in a graph or a sentence, and is out of sight comes into sight when the mouse
    rests there; when it leaves without a click, the list goes back to where it was.
    """

    def __init__(self, session: Session, model: RankedListModel, grid: CardGrid, barcode: Barcode) -> None:
        super().__init__(grid)
        self._session = session
        self._model = model
        self._grid = grid
        self._barcode = barcode
        self._is_pointed_at = False
        self._former: int | None = None
        self._shown_for_now = 0
        self._rest = QTimer(self, interval=REST_MS, singleShot=True)
        self._rest.timeout.connect(self._show_for_now)
        grid.rank_hovered.connect(self._point)
        grid.visible_rows_changed.connect(self._show_window)
        grid.verticalScrollBar().valueChanged.connect(self._show_window)
        barcode.rank_pointed.connect(self._point)
        barcode.rank_pointed.connect(self._name_place)
        barcode.place_picked.connect(grid.show_rank)
        session.pointing.cursor_changed.connect(self._show_cursor)
        session.pointing.marks_changed.connect(self._show_marks)
        session.selection_changed.connect(self._stay)

    def relevant_size(self) -> int:
        """Relevant models that the list shown should hold; 0 while there is none."""
        benchmark, shown = self._session.benchmark, self._session.ranked_list
        if benchmark is None or shown is None:
            return 0
        return relevant_size(benchmark, self._session.selection.query, shown, self._session.profile)

    def show_list(self) -> None:
        """Show another list, or that there is none."""
        shown, benchmark, profile = self._session.ranked_list, self._session.benchmark, self._session.profile
        self._barcode.setVisible(self._session.has_lists)
        if shown is None or benchmark is None:
            self._barcode.set_levels(self._model.levels)
            self._grid.set_cuts([])
            return
        truth, size = benchmark.assessment, self.relevant_size()
        is_binary = truth is not None and truth.levels == (1,)
        self._barcode.set_levels(shown.levels, judged=truth is not None, binary=is_binary)
        self._barcode.set_ties(shown.tied)
        self._barcode.set_cuts(barcode_cuts(size, len(shown), profile))
        self._grid.set_cuts(tier_cuts(size))
        self._show_window()
        self._show_marks()
        self._show_cursor(self._session.pointing.cursor)

    @Slot()
    def _show_window(self, *_: int) -> None:
        first, last = self._grid.visible_rows()
        self._barcode.set_window(first + 1, last + 1)

    @Slot(object)
    def _point(self, rank: int | None) -> None:
        """The mouse is over a card or a tick, or over none any more."""
        self._is_pointed_at = rank is not None
        self._session.pointing.point(rank)

    @Slot(object)
    def _name_place(self, rank: int | None) -> None:
        self._barcode.set_place_words("" if rank is None else self._model.place_words(rank))

    @Slot(object)
    def _show_cursor(self, rank: int | None) -> None:
        self._barcode.set_cursor_rank(rank)
        self._grid.set_cursor_rank(rank)
        self._rest.stop()
        if rank is None or rank == self._session.selection.rank:
            self._go_back()
        elif not self._is_pointed_at:
            self._rest.start()

    @Slot()
    def _show_for_now(self) -> None:
        """Bring the rank that is pointed at into sight, and remember where the list was."""
        rank, bar = self._session.pointing.cursor, self._grid.verticalScrollBar()
        if rank is None or self._grid.shows_row(rank - 1):
            return
        former = bar.value()
        self._grid.show_rank(rank)
        if self._former is None:
            self._former = former
        self._shown_for_now = bar.value()

    def _go_back(self) -> None:
        """Go back, unless the list was moved in the meantime."""
        former, self._former = self._former, None
        bar = self._grid.verticalScrollBar()
        if former is not None and bar.value() == self._shown_for_now:
            bar.setValue(former)

    @Slot(object, object)
    def _stay(self, old: Selection, new: Selection) -> None:
        """A rank was picked: the list stays where it shows it; another list begins anew."""
        if (old.query, old.run, old.rank) != (new.query, new.run, new.rank):
            self._rest.stop()
            self._former = None

    @Slot()
    def _show_marks(self) -> None:
        self._barcode.set_marks(self._session.pointing.marks)
        self._grid.set_marks(self._session.pointing.marks)
