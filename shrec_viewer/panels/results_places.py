"""Where one is in a ranked list: ties grid and barcode to each other, to the rank cursor and to marked ranks."""

from PySide6.QtCore import QObject, Slot

from shrec_viewer.viewmodels.list_facts import barcode_cuts, relevant_size, tier_cuts
from shrec_viewer.viewmodels.ranked_list_model import RankedListModel
from shrec_viewer.viewmodels.session import Session
from shrec_viewer.widgets.barcode import Barcode
from shrec_viewer.widgets.card_grid import CardGrid


class ResultsPlaces(QObject):
    """Moving over cards or ticks points at ranks; a tick clicked scrolls the cards, and scrolling moves the window."""

    def __init__(self, session: Session, model: RankedListModel, grid: CardGrid, barcode: Barcode) -> None:
        super().__init__(grid)
        self._session = session
        self._model = model
        self._grid = grid
        self._barcode = barcode
        grid.rank_hovered.connect(session.pointing.point)
        grid.visible_rows_changed.connect(self._show_window)
        grid.verticalScrollBar().valueChanged.connect(self._show_window)
        barcode.rank_pointed.connect(session.pointing.point)
        barcode.place_picked.connect(grid.show_rank)
        session.pointing.cursor_changed.connect(self._show_cursor)
        session.pointing.marks_changed.connect(self._show_marks)

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
    def _show_cursor(self, rank: int | None) -> None:
        self._barcode.set_cursor_rank(rank)
        self._grid.set_cursor_rank(rank)

    @Slot()
    def _show_marks(self) -> None:
        self._barcode.set_marks(self._session.pointing.marks)
        self._grid.set_marks(self._session.pointing.marks)
