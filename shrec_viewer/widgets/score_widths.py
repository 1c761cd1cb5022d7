"""Widths of the columns of a table of scores: what they show, and a share of the room that is left."""

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
        self._wanted: list[int] = []
        self._is_due = self._is_sharing = self._has_own = False
        header.sectionResized.connect(self._note_resized)
        order.modelReset.connect(self.fit)
        order.columnsInserted.connect(self.fit)

    @Slot()
    def fit(self, *_: object) -> None:
        """Make columns as wide as what they show, now or as soon as the table is in sight."""
        font = self._table.font()
        self._table.verticalHeader().setDefaultSectionSize(self._delegate.row_height(font))
        self._is_due = not self._table.isVisible()
        if self._is_due:
            return
        cells = self._delegate.column_widths(font)
        heads = [self._header.sectionSizeFromContents(column).width() for column in range(len(cells))]
        self._wanted = [max(widths) for widths in zip(cells, heads, strict=True)]
        if self._has_own:
            self._give(self._wanted)
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
        if self._has_own or len(self._wanted) != self._order.columnCount():
            return
        shown = [column for column in range(len(self._wanted)) if not self._table.isColumnHidden(column)]
        scores = {column for column in shown if self._order.facts(column).is_score}
        room = self._table.viewport().width() - sum(self._wanted[column] for column in shown)
        spare = min(max(0, room) // max(1, len(scores)), MOST_SPARE)
        self._give([width + (spare if column in scores else 0) for column, width in enumerate(self._wanted)])

    def _give(self, widths: list[int]) -> None:
        self._is_sharing = True
        for column, width in enumerate(widths):
            self._table.setColumnWidth(column, width)
        self._is_sharing = False

    @Slot(int, int, int)
    def _note_resized(self, _column: int, _old: int, _new: int) -> None:
        if not self._is_sharing and self._header.is_pressed:
            self._has_own = True
