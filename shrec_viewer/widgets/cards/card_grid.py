"""Ranked list of a query as a grid of cards: delegate, tier and tie marks, size slider."""

import math
import time
from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import (
    QEvent,
    QLineF,
    QMargins,
    QModelIndex,
    QObject,
    QPointF,
    QRectF,
    QSize,
    Qt,
    QTimer,
    Signal,
    Slot,
)
from PySide6.QtGui import (
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from shrec_viewer.number_format import format_distance
from shrec_viewer.widgets.cards.uniform_grid import Index, UniformGrid
from shrec_viewer.widgets.style.relevance import (
    FRAME_MARGIN,
    UNJUDGED,
    RelevanceMark,
    ThumbnailPainter,
    draw_badge,
    draw_frame,
    level_mark,
    query_mark,
)
from shrec_viewer.widgets.style.text import draw_text, measured_font
from shrec_viewer.widgets.style.theme import (
    RADIUS,
    SPACE,
    Theme,
    animations_on,
    current_preset,
    current_theme,
    ring_width,
    text_font,
)

#: Duration of the fade-in of a late thumbnail, in seconds.
FADE_S = 0.16

#: Interval of the repaints during a fade-in: seven in all.
FADE_STEP_MS = 24

#: Seconds after scrolling before thumbnails fade in again; while scrolling they appear at once.
SCROLL_PAUSE_S = 0.15

#: Opacity at the start of a fade-in.
FIRST_OPACITY = 0.2


class ThumbnailFade(QObject):
    """Records which rows of a grid were painted without thumbnail, and the opacity of those that have arrived since."""

    def __init__(self, grid: UniformGrid) -> None:
        super().__init__(grid)
        self._grid = grid
        self._missing_rows: set[int] = set()
        self._since: dict[int, float] = {}
        self._scrolled = 0.0
        self._timer = QTimer(self, interval=FADE_STEP_MS)
        self._timer.timeout.connect(self._step)
        grid.verticalScrollBar().valueChanged.connect(self._on_scroll_value_changed)

    def add_missing(self, row: int) -> None:
        """Record that a row was painted without its thumbnail."""
        self._missing_rows.add(row)

    def opacity(self, row: int) -> float:
        """Current opacity of the thumbnail of a row, in (0, 1]."""
        now = time.monotonic()
        if row in self._missing_rows:
            self._missing_rows.discard(row)
            if now - self._scrolled > SCROLL_PAUSE_S and animations_on():
                self._since[row] = now
                self._timer.start()
        if row not in self._since:
            return 1.0
        return min(FIRST_OPACITY + (1 - FIRST_OPACITY) * (now - self._since[row]) / FADE_S, 1.0)

    def forget(self) -> None:
        """Forget all rows, after a change of the model."""
        self._missing_rows.clear()
        self._since.clear()
        self._timer.stop()

    @Slot(int)
    def _on_scroll_value_changed(self, _value: int) -> None:
        self._scrolled = time.monotonic()

    @Slot()
    def _step(self) -> None:
        now = time.monotonic()
        model, viewport = self._grid.model(), self._grid.viewport()
        for row, since in list(self._since.items()):
            if now - since >= FADE_S:
                del self._since[row]
            viewport.update(self._grid.visualRect(model.index(row, 0)))
        if not self._since:
            self._timer.stop()


#: Size of the thumbnail in pixels; cards of size ``"T"`` are text only, for models without thumbnails.
CARD_SIZES = {"S": 96, "M": 112, "L": 192, "T": 0}

#: Minimum and maximum size of a thumbnail in pixels.
EDGE_LIMITS = (64, 320)

#: Minimum size in pixels of a thumbnail that is made smaller so that a line of cards is visible in a low panel. In a
#: lower one the text is at the right of the thumbnail.
MIN_FITTED_EDGE = 48

#: Minimum size in pixels of a thumbnail with the text at its right.
MIN_LOW_EDGE = 24

#: Minimum width in pixels of a text card: rank, an id of eight letters and the badge.
TEXT_CARD_WIDTH = 124

#: Thumbnail size in pixels below which the text is smaller.
MIN_NORMAL_TEXT_EDGE = 112

#: Minimum width of a card in lines of text: rank, id and badge next to each other. It applies to large text only.
MIN_WIDTH_LINES = 6

#: Padding of a card in pixels.
PADDING = 4

#: Padding of a text card in pixels; contains the frame.
TEXT_INSET = FRAME_MARGIN + SPACE


class CardDelegate(QStyledItemDelegate):
    """Paints cards for a model that publishes the roles of a ranked list.

    Roles: ``rank`` int (0: not ranked), ``item_id`` str, ``class_name`` str, ``level`` int (-1: none), ``distance``
    float (NaN none), ``tied`` bool, ``thumbnail`` QPixmap or None, ``problem`` str (why there is no thumbnail), and
    optionally ``query`` bool (the query itself), ``binary`` bool (binary relevance: level 1 looks like the highest) and
    ``former_level`` int (before an edit; -1: not edited).
    """

    def __init__(self, grid: UniformGrid, fade: ThumbnailFade) -> None:
        super().__init__(grid)
        self._grid, self._fade = grid, fade
        self._thumbnail_painter = ThumbnailPainter()
        self._edge = CARD_SIZES["M"]
        self._is_low = False
        self._fit_fonts()
        self.full_height = self.card_size().height()

    def set_card_size(self, size: str, max_height: int) -> None:
        """Set the card size, one of `CARD_SIZES` or pixels as digits, for the font of the grid.

        Parameters
        ----------
        max_height : height in pixels of a card above which its thumbnail is smaller, down to `MIN_FITTED_EDGE`, and
            its text then at the right; ``full_height`` is the height without this limit.
        """
        self._edge, self._is_low = thumbnail_edge(size), False
        self._fit_fonts()
        self.full_height = self.card_size().height()
        excess = self.full_height - max_height
        if excess > 0 and self._edge:
            self._is_low = self._edge - excess < MIN_FITTED_EDGE
            fitting = max_height - 2 * (FRAME_MARGIN + PADDING) if self._is_low else self._edge - excess
            self._edge = min(self._edge, max(fitting, MIN_LOW_EDGE))
            self._fit_fonts()

    def card_size(self) -> QSize:
        """Minimum size of a card; the view may make it wider."""
        if not self._edge:
            return QSize(TEXT_CARD_WIDTH + 2 * TEXT_INSET, math.ceil(2 * self._line + 2 * TEXT_INSET))
        side = self._edge + 2 * (FRAME_MARGIN + PADDING)
        if self._is_low:
            text = round(MIN_WIDTH_LINES * self._line)
            return QSize(side + text + 2 * PADDING, max(side, 2 * (self._line + PADDING)))
        return QSize(max(side, round(MIN_WIDTH_LINES * self._line)), math.ceil(side + 2 * self._line + SPACE / 2))

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Size of every card."""
        return self.card_size()

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint background, thumbnail, frame, badge and text of a card."""
        painter.save()
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        self._theme, card = current_theme(), QRectF(option.rect)
        self._draw_background(painter, card, option.state)
        mark, thumbnail = self._mark(index), self._thumbnail_box(card)
        if self._edge:
            self._draw_thumbnail(painter, thumbnail, index)
            draw_frame(painter, thumbnail, mark)
            self._draw_edit(painter, thumbnail, index)
        if self._is_low:
            available = card.adjusted(thumbnail.right() - card.left() + FRAME_MARGIN + PADDING, 0, -2 * PADDING, 0)
            available.setTop(card.center().y() - self._line)
        elif self._edge:
            available = QRectF(thumbnail)
            available.setWidth(self.card_size().width() - 2 * PADDING - 2)  # of the frame, or more with large text
            available.moveCenter(thumbnail.center())
            available.moveTop(thumbnail.bottom() + FRAME_MARGIN + SPACE / 2)
        else:
            draw_frame(painter, card.adjusted(FRAME_MARGIN, FRAME_MARGIN, -FRAME_MARGIN, -FRAME_MARGIN), mark)
            available = card.adjusted(TEXT_INSET, TEXT_INSET, -TEXT_INSET, -TEXT_INSET)
        self._draw_caption(painter, available, index, mark)
        painter.restore()

    def _fit_fonts(self) -> None:
        font, scale = self._grid.font(), 0.92 if self._edge < MIN_NORMAL_TEXT_EDGE else 1.0
        self._regular, self._bold = measured_font(font, scale), measured_font(font, scale, bold=True)
        self._badge, self._reason_font = measured_font(font, scale * 0.9, bold=True), text_font(font, 0.85)
        self._line = math.ceil(self._bold.height) + 1

    def _value(self, index: Index, name: str, default: Any = None) -> Any:
        return self._grid.roles.value(index, name, default)

    def _mark(self, index: Index) -> RelevanceMark:
        if self._value(index, "query", False):
            return query_mark(self._theme)
        level, is_binary = int(self._value(index, "level", UNJUDGED)), bool(self._value(index, "binary", False))
        return level_mark(level, self._theme, current_preset(), binary=is_binary)

    def _thumbnail_box(self, card: QRectF) -> QRectF:
        inset = PADDING + FRAME_MARGIN
        left = card.left() + inset if self._is_low else round(card.left() + (card.width() - self._edge) / 2)
        return QRectF(left, card.top() + inset, self._edge, self._edge)

    def _draw_background(self, painter: QPainter, card: QRectF, state: QStyle.StateFlag) -> None:
        """Paint the background of a selected card; the current one has a ring in high contrast and with the focus."""
        is_current = bool(state & QStyle.StateFlag.State_Selected)
        is_selected = is_current or bool(state & QStyle.StateFlag.State_On)
        if not is_selected and not state & QStyle.StateFlag.State_MouseOver:
            return
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.colour("selection" if is_selected else "hover"))
        painter.drawRoundedRect(card, RADIUS + 2, RADIUS + 2)
        width = ring_width(has_focus=bool(state & QStyle.StateFlag.State_HasFocus))
        if not is_current or not width:
            return
        painter.setPen(QPen(self._theme.colour("accent"), width))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        inset = width / 2
        painter.drawRoundedRect(card.adjusted(inset, inset, -inset, -inset), RADIUS + 2, RADIUS + 2)

    def _draw_thumbnail(self, painter: QPainter, box: QRectF, index: Index) -> None:
        thumbnail, reason, opacity = self._value(index, "thumbnail"), self._value(index, "problem", "") or None, 1.0
        if thumbnail is not None and not thumbnail.isNull():
            opacity = self._fade.opacity(index.row())
        elif reason is None:
            self._fade.add_missing(index.row())
        self._thumbnail_painter.draw_model(painter, box, thumbnail, reason, self._theme, self._reason_font, opacity)

    def _draw_edit(self, painter: QPainter, box: QRectF, index: Index) -> None:
        """Paint the level before an edit and the present one at the upper right of a thumbnail."""
        former = int(self._value(index, "former_level", UNJUDGED))
        if former == UNJUDGED:
            return
        text = f"{former} → {self._value(index, 'level', UNJUDGED)}"
        width = self._badge.metrics.horizontalAdvance(text) + 2 * SPACE
        label = QRectF(box.right() - width, box.top(), width, self._badge.height)
        painter.setPen(QPen(self._theme.colour("line_strong"), 1.0))
        painter.setBrush(self._theme.colour("surface"))
        painter.drawRoundedRect(label, RADIUS / 2, RADIUS / 2)
        painter.setFont(self._badge.font)
        painter.setPen(self._theme.colour("ink"))
        painter.drawText(label, Qt.AlignmentFlag.AlignCenter, text)

    def _draw_caption(self, painter: QPainter, available: QRectF, index: Index, mark: RelevanceMark) -> None:
        """Paint two lines of text from the top of `available`."""
        ink, muted = self._theme.colour("ink"), self._theme.colour("muted")
        upper = QRectF(available.left(), available.top(), available.width(), self._line)
        lower = upper.translated(0, self._line)
        rank, names = self._value(index, "rank", index.row() + 1), QRectF(upper)
        names.setRight(upper.right() - draw_badge(painter, upper, mark, self._badge) - 4)
        if rank > 0:
            names.setLeft(upper.left() + draw_text(painter, upper, f"{rank:,}", self._bold, ink) + 6)
        item_id, class_name = self._value(index, "item_id", ""), self._value(index, "class_name", "")
        draw_text(painter, names, item_id, self._regular, ink, Qt.TextElideMode.ElideMiddle)
        distance = format_distance(self._value(index, "distance", math.nan))
        if distance and self._value(index, "tied", False):
            distance = f"= {distance}"
        lower.setRight(lower.right() - draw_text(painter, lower, distance, self._regular, ink, right=True) - 6)
        draw_text(painter, lower, class_name, self._regular, muted)


def thumbnail_edge(size: str) -> int:
    """Thumbnail size in pixels of a card size: one of `CARD_SIZES`, or digits, within `EDGE_LIMITS`; 0 for text only.

    Raises
    ------
    ValueError
        For any other size.

    Examples
    --------
    >>> thumbnail_edge("M"), thumbnail_edge("152"), thumbnail_edge("9")
    (112, 152, 64)
    """
    if size in CARD_SIZES:
        return CARD_SIZES[size]
    if not size.isdecimal():
        raise ValueError(f"a card size is one of {', '.join(CARD_SIZES)} or pixels, not {size!r}")
    return min(max(int(size), EDGE_LIMITS[0]), EDGE_LIMITS[1])


#: Width and height in pixels of the tab at the top of a marked card.
TAB_SIZE = (22.0, 4.0)

#: Height in pixels of the ends of a bracket; the gap between two lines of cards is 6.
BRACKET_CAP = 4.0


#: Sizes S, M and L in pixels.
NAMED_SIZES = {CARD_SIZES[name]: name for name in ("S", "M", "L")}

#: Distance in pixels within which the slider snaps to S, M or L.
SNAP_DISTANCE = 4

#: Pixels of a wheel step.
WHEEL_STEP = 8

#: Milliseconds without a change after which `settled` is emitted.
SETTLE_DELAY_MS = 600


class CardSizeWheel(QObject):
    """Changes the thumbnail size by Ctrl+wheel over a watched grid.

    Signals
    -------
    size_selected(size)
        ``"S"``, ``"M"``, ``"L"``, or pixels as digits.
    settled(size)
        The same once after `SETTLE_DELAY_MS` without a change, to be saved.
    """

    size_selected = Signal(str)
    settled = Signal(str)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._size = "M"
        self._rest = QTimer(self, interval=SETTLE_DELAY_MS, singleShot=True)
        self._rest.timeout.connect(self._settle)

    def set_size(self, size: str) -> None:
        """The present size; does not emit."""
        self._size = size

    def watch(self, view: QWidget) -> None:
        """Change the size by Ctrl+wheel over this view."""
        view.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt override."""
        if isinstance(event, QWheelEvent) and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            pixels = thumbnail_edge(self._size) + round(event.angleDelta().y() / 120 * WHEEL_STEP)
            size = nearest_size_name(min(max(pixels, min(NAMED_SIZES)), max(NAMED_SIZES)))
            if size != self._size:
                self._size = size
                self.size_selected.emit(size)
                self._rest.start()
            return True
        return super().eventFilter(watched, event)

    @Slot()
    def _settle(self) -> None:
        self.settled.emit(self._size)


def nearest_size_name(pixels: int) -> str:
    """S, M or L if near to one of them, else the pixels as digits.

    Examples
    --------
    >>> nearest_size_name(97), nearest_size_name(112), nearest_size_name(150), nearest_size_name(189)
    ('S', 'M', '150', 'L')
    """
    near = min(NAMED_SIZES, key=lambda edge: abs(edge - pixels))
    return NAMED_SIZES[near] if abs(near - pixels) <= SNAP_DISTANCE else str(pixels)


#: Pixels between cards; with less, frames of neighbours touch.
CARD_GAP = 6


#: Keys equivalent to a double click.
ACTIVATE_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)


#: Maximum extent in pixels of marks around a card: half the label of a cut, a bracket of ties.
MARK_MARGIN = 48


class CardGrid(UniformGrid):
    """Grid of cards of ranked items.

    The model publishes the roles that `CardDelegate` names. `set_current_rank` sets the current card.

    Signals
    -------
    rank_selected(int)
        1-based rank of the card that was clicked or reached with the arrow keys; not emitted for cards without rank.
    rank_hovered(object)
        Rank of the card under the mouse, or None.
    item_activated(int)
        Double click, Enter or Space on a card; its rank.
    """

    rank_selected = Signal(int)
    rank_hovered = Signal(object)
    item_activated = Signal(int)

    # QListView calls overrides while its own constructor runs, before the attributes below exist.
    _gap = CARD_GAP
    _top_row = 0
    _anchor = (0, 0, 0)
    _in_sight = (0, -1)  # rows visible after the last scroll; a resize restores them
    _last_hovered: int | None = None

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._size = "M"
        self._cutoffs: dict[int, str] = {}
        self._cursor: int | None = None
        self._marked_ranks: frozenset[int] = frozenset()
        self._fade = ThumbnailFade(self)
        self._delegate = CardDelegate(self, self._fade)
        self.setItemDelegate(self._delegate)
        self._set_cell_size(self._delegate.card_size())
        self.setAccessibleName("Ranked list")
        self.verticalScrollBar().valueChanged.connect(self._remember_position)

    # Contents.

    def reset(self) -> None:
        """Scroll to the first card of the new list."""
        super().reset()
        self._fade.forget()
        self.verticalScrollBar().setValue(0)
        self._emit_hover(None)  # another list: no card is hovered

    def card_size_name(self) -> str:
        """``"S"``, ``"M"``, ``"L"``, ``"T"``, or pixels as digits."""
        return self._size

    def set_card_size(self, size: str) -> None:
        """Show thumbnails of 96 (``"S"``), 112 (``"M"``), 192 (``"L"``) or other (digits) pixels, or text (``"T"``).

        The first visible card stays visible.

        Raises
        ------
        ValueError
            For any other size.
        """
        thumbnail_edge(size)
        top = self._top_row
        self._size = size
        self._fit_cells()
        self._keep_at_top(top)

    def full_card_height(self) -> int:
        """Height in pixels of a card that is not made smaller for a low view."""
        return self._delegate.full_height

    def _fit_cells(self) -> None:
        """Size the cards for the font, and so that a line of them is completely visible."""
        self._delegate.set_card_size(self._size, self.viewport().height() - 2 * self._gap)
        self._set_cell_size(self._delegate.card_size())

    def set_current_rank(self, rank: int | None) -> None:
        """Make the card of this 1-based rank current and scroll to it; None or a rank that is not shown: no card."""
        index = self._index_of_rank(rank)
        self.set_current_row(index.row() if index.isValid() else None)

    def set_current_row(self, row: int | None) -> None:
        """See `UniformGrid`; the next resize keeps the card visible."""
        super().set_current_row(row)
        self._in_sight = self.visible_rows()

    def set_cutoffs(self, cutoffs: Sequence[tuple[int, str]]) -> None:
        """Draw a separator after each of these ranks, with a short label: ``[(19, "FT"), (38, "ST")]``."""
        before, self._cutoffs = self._cutoffs, dict(cutoffs)
        first, last = self.visible_rows()
        changed = (rank for rank, _ in before.items() ^ self._cutoffs.items())
        if any(first <= rank <= last + 1 for rank in changed):  # a separator after rank r is below row r - 1
            self.viewport().update()

    def set_cursor_rank(self, rank: int | None) -> None:
        """Outline the card of this rank without scrolling; None for no card."""
        before, self._cursor = self._cursor, rank
        for changed in {before, rank}:
            if (index := self._index_of_rank(changed)).isValid():
                self.viewport().update(self._cell(index.row()))

    def set_marked_ranks(self, ranks: Sequence[int]) -> None:
        """Mark the cards of these ranks, which a value was computed from."""
        if frozenset(ranks) != self._marked_ranks:
            self._marked_ranks = frozenset(ranks)
            self.viewport().update()

    def show_rank(self, rank: int) -> None:
        """Scroll the card of this rank to the middle; the current card is unchanged."""
        self.scrollTo(self._index_of_rank(rank), CardGrid.ScrollHint.PositionAtCenter)

    # Mouse and keyboard.

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Activate the current card, or move to another one and select it."""
        if event.key() in ACTIVATE_KEYS:
            self._activate(self.currentIndex())
            event.accept()
            return
        super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Update the hovered card."""
        super().wheelEvent(event)
        self._hover(self.indexAt(event.position().toPoint()))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Activate the card under the mouse."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._activate(self.indexAt(event.position().toPoint()))

    def _hover(self, index: QModelIndex) -> None:
        super()._hover(index)
        rank = self._rank_of_row(index.row()) if index.isValid() else 0
        self._emit_hover(rank or None)

    def _emit_hover(self, rank: int | None) -> None:
        if rank != self._last_hovered:
            self._last_hovered = rank
            self.rank_hovered.emit(rank)

    def _select(self, index: QModelIndex) -> None:
        super()._select(index)
        if (rank := self._rank_of_row(index.row())) > 0:
            self.rank_selected.emit(rank)

    def _activate(self, index: QModelIndex) -> None:
        if index.isValid():
            self.item_activated.emit(self._rank_of_row(index.row()))

    # Visible rows.

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the top card at the top although the columns change, and the current card visible.

        Restoring the former width restores the scroll position.
        """
        top, shows_current, anchor = self._top_row, self._shows_current(), self._anchor
        super().resizeEvent(event)
        pitch = self._pitch()
        self._fit_cells()
        if event.oldSize().width() != event.size().width() or pitch != self._pitch():
            self._keep_at_top(top)
        if shows_current:
            self.scrollTo(self.currentIndex())
        self._anchor = anchor

    def _shows_current(self) -> bool:
        first, last = self._in_sight
        return self.currentIndex().isValid() and first <= self.currentIndex().row() <= last

    def _keep_at_top(self, row: int) -> None:
        """Scroll `row` to the first line and record it, so that repeated resizing does not drift."""
        columns, pitch, value = self._anchor
        is_back = (columns, pitch) == (self.columns(), self._pitch())
        self.verticalScrollBar().setValue(value if is_back else row // self.columns() * self._pitch())
        self._top_row = row
        self.viewport().update()
        self._emit_visible_later()

    @Slot(int)
    def _remember_position(self, value: int) -> None:
        self._in_sight = self.visible_rows()
        self._top_row = self._in_sight[0]
        self._anchor = (self.columns(), self._pitch(), value)

    def _emit_visible(self) -> None:
        self._in_sight = self.visible_rows()
        super()._emit_visible()

    def _index_of_rank(self, rank: int | None) -> QModelIndex:
        count = self._count()
        if rank is None or not count:
            return QModelIndex()
        row = bisect_left(range(count), rank, key=self._rank_of_row)
        return self._index(row) if row < count and self._rank_of_row(row) == rank else QModelIndex()

    def _rank_of_row(self, row: int) -> int:
        return int(self.roles.value(self._index(row), "rank", row + 1))

    # Marks over the cards.

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the cards, then marks that extend beyond them."""
        super().paintEvent(event)
        first, last = self.visible_rows()
        seen, available = event.region(), QMargins(MARK_MARGIN, MARK_MARGIN, MARK_MARGIN, MARK_MARGIN)
        rows = [row for row in range(first, last + 1) if seen.intersects(self._cell(row) + available)]
        if not rows:
            return
        painter, theme = QPainter(self.viewport()), current_theme()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        current = self.currentIndex().row()
        for row in rows:
            rank, cell = self._rank_of_row(row), QRectF(self._cell(row))
            self._draw_tie(painter, row, rank, cell, theme)
            if rank in self._marked_ranks:
                self._draw_tab(painter, cell, theme)
            if rank == self._cursor and rank > 0 and row != current:  # the current card has an outline already
                painter.setPen(QPen(theme.colour("line_strong"), 1.5))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRoundedRect(cell.adjusted(0.75, 0.75, -0.75, -0.75), RADIUS + 2, RADIUS + 2)
            if (label := self._cutoffs.get(rank)) is not None:
                self._draw_cutoff(painter, cell, label, theme)

    def _draw_tie(self, painter: QPainter, row: int, rank: int, cell: QRectF, theme: Theme) -> None:
        """Paint the part of the bracket of a group of equal distances below a card; it ends with each line of cards."""
        index = self._index(row)
        first_rank, last_rank = self.roles.value(index, "tie_first", 0), self.roles.value(index, "tie_last", 0)
        if (first_rank, last_rank) == (0, 0):
            return
        is_first, is_last = rank == first_rank, rank == last_rank
        y = cell.bottom() + 2.5
        left = cell.left() + (BRACKET_CAP if is_first else 0)
        right = cell.right() - (BRACKET_CAP if is_last else 0)
        if not is_last and (row + 1) % self.columns() and row + 1 < self._count():
            right = float(self._cell(row + 1).left())
        painter.setPen(QPen(theme.colour("line_strong"), 1))
        painter.drawLine(QLineF(left, y, right, y))
        for x, ends in ((left, is_first), (right, is_last)):
            if ends:
                painter.drawLine(QLineF(x, y, x, y - BRACKET_CAP))

    def _draw_tab(self, painter: QPainter, cell: QRectF, theme: Theme) -> None:
        width, height = TAB_SIZE
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("accent"))
        tab = QRectF(cell.center().x() - width / 2, cell.top(), width, height)
        painter.drawRoundedRect(tab, height / 2, height / 2)

    def _draw_cutoff(self, painter: QPainter, cell: QRectF, label: str, theme: Theme) -> None:
        """Paint a separator after a card with its label on top."""
        painter.setFont(text_font(self.font(), 0.78, bold=True))
        width = painter.fontMetrics().horizontalAdvance(label) + 8
        height = painter.fontMetrics().height()
        x = cell.right() + 3.5
        right = min(x + width / 2, self.viewport().width() - 1)
        tag = QRectF(right - width, cell.top(), width, height)
        painter.setPen(QPen(theme.colour("muted"), 1.5))
        painter.drawLine(QLineF(QPointF(x, cell.top() + height), QPointF(x, cell.bottom())))
        painter.setBrush(theme.colour("muted"))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.drawRoundedRect(tag, 3, 3)
        painter.setPen(theme.colour("surface"))
        painter.drawText(tag, Qt.AlignmentFlag.AlignCenter, label)
