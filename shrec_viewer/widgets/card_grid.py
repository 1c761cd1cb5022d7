"""The ranked list of one query as a grid of cards."""

from bisect import bisect_left
from collections.abc import Sequence

from PySide6.QtCore import QAbstractItemModel, QEvent, QMargins, QModelIndex, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from shrec_viewer.widgets.card_delegate import CardDelegate, card_edge
from shrec_viewer.widgets.card_marks import CardMarks, Placed
from shrec_viewer.widgets.picture_fade import PictureFade
from shrec_viewer.widgets.roles import Roles
from shrec_viewer.widgets.theme import Theme, current_theme
from shrec_viewer.widgets.uniform_grid import Index, UniformGrid

SETTLE_MS = 40
"""Wait after the last scroll or resize before saying what is in sight: two frames, so that a fling asks for nothing."""

GAP = 6
"""Pixels between cards: with less, frames of neighbours run into one another."""


OPENING = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
"""Keys that do what a double click does."""


MARKS = 48
"""Pixels around a card that its marks reach into at most: half the label of a cut, a bracket of ties."""


class CardGrid(UniformGrid):
    """Shows ranked items as cards; walks them by mouse and keys.

    The model publishes the roles that `CardDelegate` names. The current card is the one of `set_current_rank`.

    Signals
    -------
    rank_picked(int)
        The person clicked a card or moved to it by keys; its 1-based rank. A card without rank (0) tells only its row.
    row_picked(int)
        The same as a row of the view's model.
    rank_hovered(object)
        The mouse is over the card of this rank, an int, or over none any more, None.
    item_activated(int)
        Double click, Enter or Space on a card; its rank.
    visible_rows_changed(int, int)
        First and last model row in sight, some milliseconds after scrolling, resizing or a new model; (0, -1) for none.
        Whoever makes pictures makes these first.
    """

    rank_picked = Signal(int)
    row_picked = Signal(int)
    rank_hovered = Signal(object)
    item_activated = Signal(int)
    visible_rows_changed = Signal(int, int)

    # Qt calls overrides while its own constructor runs, before ours has set anything.
    _gap = GAP
    _settle: QTimer | None = None
    _top_row = 0
    _anchor = (0, 0, 0)
    _told: tuple[int, int] | None = None
    _in_sight = (0, -1)  # rows seen when the view last moved, or was told; a resize asks what was seen before it
    _told_hover: int | None = None

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._size = "M"
        self._theme = current_theme()
        self._roles = Roles()
        self._marks = CardMarks(self)
        self._delegate = CardDelegate(self)
        self._fade = PictureFade(self)
        self._delegate.set_fade(self._fade)
        self._settle = QTimer(self, interval=SETTLE_MS, singleShot=True)
        self._settle.timeout.connect(self._tell_visible)
        self.setItemDelegate(self._delegate)
        self._set_cell_size(self._delegate.card_size())
        self.verticalScrollBar().valueChanged.connect(self._sight_moved)
        self.setAccessibleName(self.tr("Ranked list"))

    # --------------------------------------------------------------------------------------------------- what is shown

    def setModel(self, model: QAbstractItemModel | None) -> None:
        """Qt override."""
        super().setModel(model)
        self._roles = Roles(model)
        self._delegate.set_roles(self._roles)
        self._told = None
        self._tell_visible_soon()

    def reset(self) -> None:
        """Qt override."""
        super().reset()
        self._fade.forget()
        self.verticalScrollBar().setValue(0)
        self._told = None
        self._tell_visible_soon()
        self._tell_hover(None)  # another list: the mouse has not pointed at any of it yet

    def card_size_name(self) -> str:
        """``"S"``, ``"M"``, ``"L"``, ``"T"``, or pixels as digits."""
        return self._size

    def set_card_size(self, size: str) -> None:
        """Show pictures of 96 (``"S"``), 128 (``"M"``), 192 (``"L"``) or other (digits) pixels, or text (``"T"``).

        The first card in sight stays in sight.

        Raises
        ------
        ValueError
            For any other size.
        """
        card_edge(size)
        top = self._top_row
        self._size = size
        self._delegate.set_card_size(size, self.font())
        self._set_cell_size(self._delegate.card_size())
        self._keep_at_top(top)

    def set_current_rank(self, rank: int | None) -> None:
        """Make the card of this 1-based rank current and bring it into sight; None, or a rank not shown: no card."""
        index = self._index_of_rank(rank)
        self.set_current_row(index.row() if index.isValid() else None)

    def set_current_row(self, row: int | None) -> None:
        """See `UniformGrid`; a resize that comes before anything else keeps the card in sight."""
        super().set_current_row(row)
        self._in_sight = self.visible_rows()

    def set_cuts(self, cuts: Sequence[tuple[int, str]]) -> None:
        """Draw a separator after each of these ranks, with a short label: ``[(19, "FT"), (38, "ST")]``."""
        self._marks.cuts = dict(cuts)
        self.viewport().update()

    def set_cursor_rank(self, rank: int | None) -> None:
        """Outline the card of this rank quietly, wherever the list stands; None: no card."""
        before, self._marks.cursor = self._marks.cursor, rank
        for changed in {before, rank}:
            if (index := self._index_of_rank(changed)).isValid():
                self.viewport().update(self._cell(index.row()))

    def set_marks(self, ranks: Sequence[int]) -> None:
        """Mark the cards of these ranks as what a number was computed from."""
        self._marks.ranks = frozenset(ranks)
        self.viewport().update()

    def show_rank(self, rank: int) -> None:
        """Scroll so that the card of this rank is in the middle; makes none current."""
        self.scrollTo(self._index_of_rank(rank), CardGrid.ScrollHint.PositionAtCenter)

    def set_preset(self, preset: str) -> None:
        """Mark relevance in this preset of `render.palette.PRESETS`: ``"ordinal"``, ``"strict"`` and so on."""
        self._delegate.set_preset(preset)
        self.viewport().update()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self._theme = theme
        self._delegate.set_theme(theme)
        self.viewport().update()

    # ------------------------------------------------------------------------------------------------- what is told

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt override."""
        if event.key() in OPENING:
            self._activate(self.currentIndex())
            event.accept()
            return
        before = self.currentIndex().row()
        super().keyPressEvent(event)
        if self.currentIndex().row() != before:
            self._pick(self.currentIndex())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Qt override; a press beside the cards changes nothing."""
        index = self.indexAt(event.position().toPoint())
        if not index.isValid():
            event.accept()
            return
        super().mousePressEvent(event)
        if event.button() in (Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton):
            self._pick(index)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Qt override; another card is under the mouse though it did not move."""
        super().wheelEvent(event)
        self._hover(self.indexAt(event.position().toPoint()))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Qt override."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._activate(self.indexAt(event.position().toPoint()))

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Qt override; focus alone makes no card current."""
        had_current = self.currentIndex().isValid()
        super().focusInEvent(event)
        if not had_current:
            self._clear_current()

    def _hover(self, index: QModelIndex) -> None:
        super()._hover(index)
        rank = self._rank_of_row(index.row()) if index.isValid() else 0
        self._tell_hover(rank or None)

    def _tell_hover(self, rank: int | None) -> None:
        if rank != self._told_hover:
            self._told_hover = rank
            self.rank_hovered.emit(rank)

    def _pick(self, index: QModelIndex) -> None:
        if not index.isValid():
            return
        rank = self._rank_of_row(index.row())
        self.row_picked.emit(index.row())
        if rank > 0:
            self.rank_picked.emit(rank)

    def _activate(self, index: QModelIndex) -> None:
        if index.isValid():
            self.item_activated.emit(self._rank_of_row(index.row()))

    # ------------------------------------------------------------------------------------------------ what is in sight

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt override; the card at the top stays at the top though the columns change, and the current one in sight.

        Back at the former width everything is where it was.
        """
        top, shows_current, anchor = self._top_row, self._shows_current(), self._anchor
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self._keep_at_top(top)
        if shows_current:
            self.scrollTo(self.currentIndex())
        self._anchor = anchor
        self._tell_visible_soon()

    def changeEvent(self, event: QEvent) -> None:
        """Qt override."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and self._settle is not None:
            self._delegate.set_card_size(self._size, self.font())
            self._set_cell_size(self._delegate.card_size())

    def _shows_current(self) -> bool:
        first, last = self._in_sight
        return self.currentIndex().isValid() and first <= self.currentIndex().row() <= last

    def _keep_at_top(self, row: int) -> None:
        """Scroll so that `row` is in the first line; remembers it, so that sizing to and fro does not drift."""
        columns, pitch, value = self._anchor
        is_back = (columns, pitch) == (self.columns(), self._pitch())
        self.verticalScrollBar().setValue(value if is_back else row // self.columns() * self._pitch())
        self._top_row = row
        self.viewport().update()
        self._tell_visible_soon()

    def rowsInserted(self, parent: Index, start: int, end: int) -> None:  # noqa: N802
        """Qt override."""
        super().rowsInserted(parent, start, end)
        self.updateGeometries()
        self.viewport().update()
        self._tell_visible_soon()

    def _sight_moved(self, _value: int) -> None:
        self._in_sight = self.visible_rows()
        self._top_row = self._in_sight[0]
        self._anchor = (self.columns(), self._pitch(), self.verticalScrollBar().value())
        self._tell_visible_soon()

    def _tell_visible_soon(self) -> None:
        if self._settle is not None:
            self._settle.start()

    def _tell_visible(self) -> None:
        visible = self._in_sight = self.visible_rows()
        if visible != self._told:
            self._told = visible
            self.visible_rows_changed.emit(*visible)

    def _index_of_rank(self, rank: int | None) -> QModelIndex:
        count = self._count()
        if rank is None or not count:
            return QModelIndex()
        row = bisect_left(range(count), rank, key=self._rank_of_row)
        return self._index(row) if row < count and self._rank_of_row(row) == rank else QModelIndex()

    def _rank_of_row(self, row: int) -> int:
        return int(self._roles.value(self._index(row), "rank", row + 1))

    # ------------------------------------------------------------------------------------------------ above the cards

    def paintEvent(self, event: QPaintEvent) -> None:
        """Qt override."""
        super().paintEvent(event)
        first, last = self.visible_rows()
        seen, room = event.region(), QMargins(MARKS, MARKS, MARKS, MARKS)
        rows = [row for row in range(first, last + 1) if seen.intersects(self._cell(row) + room)]
        placed = [self._placed(row) for row in rows]
        if placed:
            painter = QPainter(self.viewport())
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            current = self.currentIndex().row() if self.currentIndex().isValid() else -1
            self._marks.draw(painter, placed, self._theme, current)

    def _placed(self, row: int) -> Placed:
        index = self._index(row)
        tie = (self._roles.value(index, "tie_first", 0), self._roles.value(index, "tie_last", 0))
        return Placed(row, self._rank_of_row(row), QRectF(self._cell(row)), tie, row // self.columns())
