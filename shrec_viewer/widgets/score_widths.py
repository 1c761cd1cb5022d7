"""Widths of the columns of a table of scores: what they show, and a share of the room that is left."""

from collections.abc import Mapping

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QTableView

from shrec_viewer.widgets.score_order import ScoreOrder
from shrec_viewer.widgets.score_paint import ScoreDelegate, ScoreHeader

MOST_SPARE = 60
"""Pixels that a column becomes wider at most; farther apart, numbers of a row are no longer read as a row."""


class ScoreWidths(QObject):
    """Gives each column its width while the table is in sight: tables behind tabs would double the work of a change.

    Parameters
    ----------
    table : shows `order`; its cells are painted by `delegate` and its heads by `header`.
    """

    def __init__(self, table: QTableView, order: ScoreOrder, delegate: ScoreDelegate, header: ScoreHeader) -> None:
        super().__init__(table)
        self._table, self._order, self._delegate, self._header = table, order, delegate, header
        self._wanted: dict[int, int] = {}  # of the columns shown
        self._is_due = self._is_sharing = self._has_own = False
        header.sectionResized.connect(self._note_resized)
        order.modelReset.connect(self.fit)
        order.columnsInserted.connect(self.fit)

    @Slot()
    def fit(self, *_: object) -> None:
        """Make columns as wide as what they show, now or as soon as the table is in sight."""
        self._wanted = {}
        self.follow_shown()

    def follow_shown(self) -> None:
        """Columns were hidden or shown: make those that were not there before as wide as what they show."""
        font = self._table.font()
        self._table.verticalHeader().setDefaultSectionSize(self._delegate.row_height(font))
        self._is_due = not self._table.isVisible()
        if self._is_due:
            return
        former, shown = self._wanted, self._shown()
        cells = self._delegate.column_widths(font, shown)
        heads = [self._header.sectionSizeFromContents(column).width() for column in shown]
        self._wanted = {column: max(widths) for column, *widths in zip(shown, cells, heads, strict=True)}
        if self._has_own:
            self._give({column: width for column, width in self._wanted.items() if column not in former})
        self.share_room()

    def come_into_sight(self) -> None:
        """Make up for what changed while nobody saw it."""
        if self._is_due:
            self.fit()

    def follow_font(self) -> None:
        """Letters have another size."""
        if self._wanted:
            self.fit()

    def share_room(self) -> None:
        """Give spare width to the score columns, whose bars can use it, until the person sizes a column."""
        if self._has_own or list(self._wanted) != self._shown():
            return
        scores = {column for column in self._wanted if self._order.is_score(column)}
        room = self._table.viewport().width() - sum(self._wanted.values())
        spare = min(max(0, room) // max(1, len(scores)), MOST_SPARE)
        self._give({column: width + (spare if column in scores else 0) for column, width in self._wanted.items()})

    def _shown(self) -> list[int]:
        return [column for column in range(self._order.columnCount()) if not self._table.isColumnHidden(column)]

    def _give(self, widths: Mapping[int, int]) -> None:
        self._is_sharing = True
        for column, width in widths.items():
            self._table.setColumnWidth(column, width)
        self._is_sharing = False

    @Slot(int, int, int)
    def _note_resized(self, _column: int, _old: int, _new: int) -> None:
        if not self._is_sharing and self._header.is_pressed:
            self._has_own = True
