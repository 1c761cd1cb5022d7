"""Scrollable view of ranked lists side by side, with a line from each model to its rank in the next."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QToolTip, QWidget

from shrec_viewer.widgets.comparison.rank_lanes import (
    CARD_HEIGHT,
    CardRankChange,
    CardSource,
    RankLane,
    RankLanePainter,
    card_text,
    lane_geometry,
    lane_links,
    positions_in,
    rank_change,
)
from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme, text_font
from shrec_viewer.widgets.style.tooltips import titled_tooltip

HEADER_HEIGHT = 32
"""Height in pixels of the names above the lists."""

LINE_MARGIN = 400
"""Pixels above and below the viewport within which lines end at their card; farther ends are clamped."""

VISIBLE_DELAY_MS = 40
"""Milliseconds after the last scroll before `visible_rows_changed`."""


ISOLATED_NOTE = "Only this run · Esc: show all"
"""Note next to the name of a list that is shown alone."""

HEADER_TIP = "Click to choose another run"


class RankLanesView(QAbstractScrollArea):
    """View of `RankLane`s; rank k has the same y in all lists.

    Signals
    -------
    card_selected(lane, rank)
        A card was clicked or reached with the arrow keys; its 1-based rank.
    card_activated(lane, rank)
        Double click or Enter.
    header_clicked(lane)
        The name of a list was clicked.
    item_hovered(item)
        Model under the mouse, -1 for none.
    visible_rows_changed(first, last)
        Visible rows, `VISIBLE_DELAY_MS` after scrolling or resizing; their thumbnails are rendered first.
    """

    card_selected = Signal(int, int)
    card_activated = Signal(int, int)
    header_clicked = Signal(int)
    item_hovered = Signal(int)
    visible_rows_changed = Signal(int, int)

    def __init__(self, cards: CardSource, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._cards = cards
        self._lanes: tuple[RankLane, ...] = ()
        self._only: int | None = None
        self._painter = RankLanePainter(current_theme(), self.font())
        self._next: tuple[NDArray[np.int64], ...] = ()
        self._before: tuple[NDArray[np.int64], ...] = ()
        self._current: tuple[int, int] | None = None
        self._item = -1
        self._shows_all_lines = False
        self._visible_timer = QTimer(self, interval=VISIBLE_DELAY_MS, singleShot=True)
        self._visible_timer.timeout.connect(self._emit_visible)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        self.setAccessibleName("Lists side by side")

    # Contents.

    @property
    def lanes(self) -> tuple[RankLane, ...]:
        """The lists shown."""
        return self._lanes

    def show_only(self, lane: int | None) -> None:
        """Show only one list; None for all."""
        self._only = lane if lane is not None and lane < len(self._lanes) else None
        self.viewport().update()

    @property
    def isolated_lane(self) -> int | None:
        """Index of the only list shown, or None."""
        return self._only

    def visible_rows(self) -> tuple[int, int]:
        """First and last visible row; (0, -1) for none."""
        longest = max((len(lane) for lane in self._lanes), default=0)
        top = self.verticalScrollBar().value()
        first, last = top // CARD_HEIGHT, (top + self.viewport().height() - HEADER_HEIGHT) // CARD_HEIGHT
        return (first, min(last, longest - 1)) if longest else (0, -1)

    def card(self, lane: int, rank: int) -> QRectF:
        """Rectangle of a card in the viewport; `rank` is 1-based."""
        left, width = self._column(lane)
        top = HEADER_HEIGHT + (rank - 1) * CARD_HEIGHT - self.verticalScrollBar().value()
        return QRectF(left, top, width, CARD_HEIGHT)

    def card_at(self, point: QPoint) -> tuple[int, int] | None:
        """Lane and rank at a point of the viewport."""
        if point.y() < HEADER_HEIGHT:
            return None
        rank = (point.y() - HEADER_HEIGHT + self.verticalScrollBar().value()) // CARD_HEIGHT + 1
        for lane in self._shown():
            left, width = self._column(lane)
            if left <= point.x() < left + width and self._exists(lane, rank):
                return lane, rank
        return None

    def lane_header_at(self, point: QPoint) -> int | None:
        """Index of the list whose name is at a point of the viewport."""
        spans = {lane: self._column(lane) for lane in self._shown()} if 0 <= point.y() < HEADER_HEIGHT else {}
        return next((lane for lane, (left, width) in spans.items() if left <= point.x() < left + width), None)

    @property
    def current(self) -> tuple[int, int] | None:
        """Lane and 1-based rank of the current card."""
        return self._current

    def set_lanes(self, lanes: Sequence[RankLane], *, binary: bool = False) -> None:
        """Show these lists, from the left; `binary`: the assessment is binary."""
        self._lanes = tuple(lanes)
        self._painter.binary = binary
        pairs = list(zip(self._lanes, self._lanes[1:], strict=False))
        self._next = tuple(positions_in(one, other) for one, other in pairs)
        self._before = tuple(positions_in(other, one) for one, other in pairs)
        if self._current is not None and not self._exists(*self._current):
            self._current = None
        self._only = self._only if self._only is not None and self._only < len(self._lanes) else None
        self._update_scroll_bar()

    def set_current(self, lane: int, rank: int | None) -> None:
        """Mark a card, and its model in the other lists; None for none. Does not emit."""
        self._current = (lane, rank) if rank is not None and self._exists(lane, rank) else None
        self._item = -1 if self._current is None else int(self._lanes[lane].items[self._current[1] - 1])
        if self._current is not None:
            self._scroll_to(self._current[1] - 1)
        self.viewport().update()

    def set_item(self, item: int) -> None:
        """Emphasise this model in all lists, as if hovered; -1 for the current one."""
        if item < 0 and self._current is not None:
            lane, rank = self._current
            item = int(self._lanes[lane].items[rank - 1])
        if item != self._item:
            self._item = item
            self.viewport().update()

    def set_every_line(self, every: bool) -> None:
        """Draw the lines of all models, or of relevant ones only."""
        self._shows_all_lines = every
        self.viewport().update()

    def set_preset(self, preset: str) -> None:
        """Use the marks of this preset, a key of `render.scene.palette.PRESETS`."""
        self._painter.preset = preset
        self.refresh()

    def set_theme(self, theme: Theme) -> None:
        """Set the theme."""
        self._painter.theme = theme
        self.viewport().update()

    def refresh(self) -> None:
        """Repaint after thumbnails were rendered."""
        self.viewport().update()

    # Qt overrides.

    def sizeHint(self) -> QSize:
        """Preferred size of the view."""
        return QSize(640, 480)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Compute the scroll range."""
        super().resizeEvent(event)
        self._update_scroll_bar()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint links, visible cards and headers."""
        painter = QPainter(self.viewport())
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        painter.fillRect(event.rect(), self._painter.theme.colour("surface"))
        first, last = self.visible_rows()
        if self._only is None:
            self._paint_lines(painter, first, last)
        for lane in self._shown():
            for index in range(first, min(last, len(self._lanes[lane]) - 1) + 1):
                self._paint_card(painter, lane, index)
        for lane in self._shown():
            left, width = self._column(lane)
            is_current = self._current is not None and self._current[0] == lane
            head = QRectF(left, 0, width, HEADER_HEIGHT)
            aside = ISOLATED_NOTE if self._only is not None and len(self._lanes) > 1 else ""
            self._painter.draw_header(painter, head, self._lanes[lane], current=is_current, extra_note=aside)
            if self._lanes[lane].missing:
                painter.setFont(text_font(self.font()))
                painter.setPen(self._painter.theme.colour("muted"))
                available = QRectF(left, HEADER_HEIGHT, width, 3 * CARD_HEIGHT)
                painter.drawText(
                    available, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, self._lanes[lane].missing
                )

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Highlight the model under the mouse in all lists."""
        card = self.card_at(event.position().toPoint())
        item = -1 if card is None else int(self._lanes[card[0]].items[card[1] - 1])
        before = self._item
        self.set_item(item)
        if self._item != before:
            self.item_hovered.emit(item)

    def leaveEvent(self, event: QEvent) -> None:
        """Highlight the current model."""
        self.set_item(-1)
        self.item_hovered.emit(-1)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Select the card under the mouse, or emit the click on a header."""
        point, is_left = event.position().toPoint(), event.button() == Qt.MouseButton.LeftButton
        if is_left and (card := self.card_at(point)) is not None:
            self._select(*card)
        elif is_left and (lane := self.lane_header_at(point)) is not None:
            self.header_clicked.emit(lane)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Do nothing: the press has selected already."""
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Activate the card under the mouse."""
        card = self.card_at(event.position().toPoint())
        if card is not None:
            self.card_activated.emit(*card)

    def viewportEvent(self, event: QEvent) -> bool:
        """Show the tooltip of the card or header under the mouse."""
        if isinstance(event, QHelpEvent):
            card, lane = self.card_at(event.pos()), self.lane_header_at(event.pos())
            head = "" if lane is None else f"{self._lanes[lane].title}\n{self._lanes[lane].note}\n{HEADER_TIP}"
            QToolTip.showText(
                event.globalPos(), titled_tooltip(self.card_tooltip(*card) if card is not None else head), self
            )
            return True
        return super().viewportEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Select another card with the arrow and page keys, Home and End; activate it with Enter."""
        lane, rank = self._current or (0, 0)
        page = max(1, (self.viewport().height() - HEADER_HEIGHT) // CARD_HEIGHT)
        steps = {
            Qt.Key.Key_Up: (0, -1), Qt.Key.Key_Down: (0, 1), Qt.Key.Key_Left: (-1, 0), Qt.Key.Key_Right: (1, 0),
            Qt.Key.Key_PageUp: (0, -page), Qt.Key.Key_PageDown: (0, page), Qt.Key.Key_Home: (0, -rank),
            Qt.Key.Key_End: (0, 10**9),
        }  # fmt: skip
        key = Qt.Key(event.key())
        if key in steps and self._lanes:
            target = min(max(lane + steps[key][0], 0), len(self._lanes) - 1)
            if len(self._lanes[target]):
                self._select(target, min(max(rank + steps[key][1], 1), len(self._lanes[target])))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._current is not None:
            self.card_activated.emit(*self._current)
        else:
            super().keyPressEvent(event)

    # Helpers.

    def _select(self, lane: int, rank: int) -> None:
        self.set_current(lane, rank)
        self.card_selected.emit(lane, rank)

    def _neighbour(self, lane: int, index: int) -> tuple[RankLane, int] | None:
        """The neighbouring list (left, for the first list right) and the model's index in it, -1 for none."""
        if len(self._lanes) < 2:
            return None
        other = self._next[0] if lane == 0 else self._before[lane - 1]
        return self._lanes[1 if lane == 0 else lane - 1], int(other[index])

    def _rank_change(self, lane: int, index: int) -> CardRankChange | None:
        neighbour = self._neighbour(lane, index)
        return None if neighbour is None else rank_change(index, neighbour[1])

    def card_tooltip(self, lane: int, rank: int) -> str:
        """Description of a card."""
        neighbour = self._neighbour(lane, rank - 1) or (None, -1)
        return card_text(self._lanes[lane], rank - 1, self._cards, *neighbour)

    def _paint_card(self, painter: QPainter, lane: int, index: int) -> None:
        item = int(self._lanes[lane].items[index])
        state = "current" if self._current == (lane, index + 1) else "hovered" if item == self._item >= 0 else ""
        change = self._rank_change(lane, index)
        self._painter.draw_card(
            painter, self.card(lane, index + 1), self._lanes[lane], index, self._cards, change, state
        )

    def _paint_lines(self, painter: QPainter, first: int, last: int) -> None:
        for link in lane_links(self._lanes, self._next, self._before, range(first, last + 1), self._item):
            if not (link.is_highlighted or self._shows_all_lines or link.level > 0):
                continue
            heights = [self._height(row) for row in (link.index, link.target)]
            far = any(not -CARD_HEIGHT <= end <= self.viewport().height() + CARD_HEIGHT for end in heights)
            start = QPointF(sum(self._column(link.lane)), heights[0])
            end = QPointF(self._column(link.lane + 1)[0], heights[1])
            self._painter.draw_line(painter, start, end, link.level, is_highlighted=link.is_highlighted, faint=far)

    def _shown(self) -> tuple[int, ...]:
        return tuple(range(len(self._lanes))) if self._only is None else (self._only,)

    def _exists(self, lane: int, rank: int) -> bool:
        return 0 <= lane < len(self._lanes) and 1 <= rank <= len(self._lanes[lane])

    def _column(self, lane: int) -> tuple[float, float]:
        """Left edge and width of a list."""
        available = self.viewport().width() - 2 * SPACE
        index, count = (lane, max(len(self._lanes), 1)) if self._only is None else (0, 1)
        left, width = lane_geometry(index, count, available)
        return SPACE + left, width

    def _update_scroll_bar(self) -> None:
        longest = max((len(lane) for lane in self._lanes), default=0)
        bar, height = self.verticalScrollBar(), self.viewport().height() - HEADER_HEIGHT
        bar.setPageStep(max(height, 1))
        bar.setSingleStep(CARD_HEIGHT // 2)
        bar.setRange(0, max(0, longest * CARD_HEIGHT + SPACE - height))
        self._visible_timer.start()
        self.viewport().update()

    def _scroll_to(self, index: int) -> None:
        bar, height = self.verticalScrollBar(), self.viewport().height() - HEADER_HEIGHT
        if index * CARD_HEIGHT < bar.value():
            bar.setValue(index * CARD_HEIGHT)
        elif (index + 1) * CARD_HEIGHT > bar.value() + height:
            bar.setValue((index + 1) * CARD_HEIGHT - height)

    def _height(self, index: int) -> float:
        """Y of the centre of a row, clamped near the viewport."""
        y = HEADER_HEIGHT + index * CARD_HEIGHT - self.verticalScrollBar().value() + CARD_HEIGHT / 2
        return float(min(max(y, -LINE_MARGIN), self.viewport().height() + LINE_MARGIN))

    def _on_scrolled(self) -> None:
        self._visible_timer.start()

    def _emit_visible(self) -> None:
        self.visible_rows_changed.emit(*self.visible_rows())
