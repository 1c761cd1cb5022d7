"""Lists of several runs side by side, with a line from each model to where the next run puts it."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QToolTip, QWidget

from shrec_viewer.widgets.shift_board import HEAD, ShiftBoard
from shrec_viewer.widgets.shift_lane import Lane, joins, places_in
from shrec_viewer.widgets.shift_paint import CARD, Faces, Shift, ShiftPainter, card_words, shift_of
from shrec_viewer.widgets.theme import Theme, current_theme, text_font
from shrec_viewer.widgets.tips import titled

ALONE = "alone · Esc: all"
"""Stands beside the name of a list that is shown in the place of all."""

CHOOSE = "Click to put another run here"


class ShiftLines(ShiftBoard):
    """Shows `Lane`s; rank k of all lists stands at the same height.

    Signals
    -------
    card_picked(lane, rank)
        A card was clicked or walked to by keys; its 1-based rank.
    card_activated(lane, rank)
        Double click or Enter.
    head_picked(lane)
        The name of a list was clicked.
    item_hovered(item)
        The model under the mouse, -1 for none.
    """

    card_picked = Signal(int, int)
    card_activated = Signal(int, int)
    head_picked = Signal(int)
    item_hovered = Signal(int)

    def __init__(self, faces: Faces, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._faces = faces
        self._painter = ShiftPainter(current_theme(), self.font())
        self._next: tuple[NDArray[np.int64], ...] = ()
        self._before: tuple[NDArray[np.int64], ...] = ()
        self._current: tuple[int, int] | None = None
        self._item = -1
        self._every = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        self.setAccessibleName(self.tr("Lists side by side"))

    # --------------------------------------------------------------------------------------------------- what is shown

    @property
    def current(self) -> tuple[int, int] | None:
        """Lane and rank (from 1) of the current card."""
        return self._current

    def set_lanes(self, lanes: Sequence[Lane], *, binary: bool = False) -> None:
        """Show these lists, from the left; `binary`: the truth has no degrees."""
        self._lanes = tuple(lanes)
        self._painter.binary = binary
        pairs = list(zip(self._lanes, self._lanes[1:], strict=False))
        self._next = tuple(places_in(one, other) for one, other in pairs)
        self._before = tuple(places_in(other, one) for one, other in pairs)
        if self._current is not None and not self._exists(*self._current):
            self._current = None
        self._only = self._only if self._only is not None and self._only < len(self._lanes) else None
        self._lay_out()

    def set_current(self, lane: int, rank: int | None) -> None:
        """Mark a card, and its model in the other lists; None for none. Tells nobody."""
        self._current = (lane, rank) if rank is not None and self._exists(lane, rank) else None
        self._item = -1 if self._current is None else int(self._lanes[lane].items[self._current[1] - 1])
        if self._current is not None:
            self._reveal(self._current[1] - 1)
        self.viewport().update()

    def set_item(self, item: int) -> None:
        """Lift this model in all lists, as if the mouse were over it; -1 for the current one."""
        if item < 0 and self._current is not None:
            lane, rank = self._current
            item = int(self._lanes[lane].items[rank - 1])
        if item != self._item:
            self._item = item
            self.viewport().update()

    def set_every_line(self, every: bool) -> None:
        """Draw the lines of all models, or of relevant ones only."""
        self._every = every
        self.viewport().update()

    def set_preset(self, preset: str) -> None:
        """Mark relevance in this preset of `render.palette.PRESETS`."""
        self._painter.preset = preset
        self.refresh()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self._painter.theme = theme
        self.viewport().update()

    def refresh(self) -> None:
        """Pictures have come."""
        self.viewport().update()

    # ----------------------------------------------------------------------------------------------------- Qt overrides

    def paintEvent(self, event: QPaintEvent) -> None:
        """Qt override."""
        painter = QPainter(self.viewport())
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        painter.fillRect(event.rect(), self._painter.theme.colour("surface"))
        first, last = self.visible_rows()
        if self._only is None:
            self._paint_lines(painter, first, last)
        for lane in self._shown():
            for place in range(first, min(last, len(self._lanes[lane]) - 1) + 1):
                self._paint_card(painter, lane, place)
        for lane in self._shown():
            left, width = self._column(lane)
            is_current = self._current is not None and self._current[0] == lane
            head = QRectF(left, 0, width, HEAD)
            aside = ALONE if self._only is not None and len(self._lanes) > 1 else ""
            self._painter.head(painter, head, self._lanes[lane], current=is_current, aside=aside)
            if self._lanes[lane].missing:
                painter.setFont(text_font(self.font()))
                painter.setPen(self._painter.theme.colour("muted"))
                room = QRectF(left, HEAD, width, 3 * CARD)
                painter.drawText(
                    room, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, self._lanes[lane].missing
                )

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Qt override."""
        card = self.card_at(event.position().toPoint())
        item = -1 if card is None else int(self._lanes[card[0]].items[card[1] - 1])
        before = self._item
        self.set_item(item)
        if self._item != before:
            self.item_hovered.emit(item)

    def leaveEvent(self, event: QEvent) -> None:
        """Qt override."""
        self.set_item(-1)
        self.item_hovered.emit(-1)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Qt override."""
        point, is_left = event.position().toPoint(), event.button() == Qt.MouseButton.LeftButton
        if is_left and (card := self.card_at(point)) is not None:
            self._pick(*card)
        elif is_left and (lane := self.lane_head_at(point)) is not None:
            self.head_picked.emit(lane)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Qt override; the press said it all."""
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Qt override."""
        card = self.card_at(event.position().toPoint())
        if card is not None:
            self.card_activated.emit(*card)

    def viewportEvent(self, event: QEvent) -> bool:
        """Qt override."""
        if isinstance(event, QHelpEvent):
            card, lane = self.card_at(event.pos()), self.lane_head_at(event.pos())
            head = "" if lane is None else f"{self._lanes[lane].title}\n{self._lanes[lane].note}\n{CHOOSE}"
            QToolTip.showText(event.globalPos(), titled(self.words(*card) if card is not None else head), self)
            return True
        return super().viewportEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt override."""
        lane, rank = self._current or (0, 0)
        page = max(1, (self.viewport().height() - HEAD) // CARD)
        steps = {
            Qt.Key.Key_Up: (0, -1), Qt.Key.Key_Down: (0, 1), Qt.Key.Key_Left: (-1, 0), Qt.Key.Key_Right: (1, 0),
            Qt.Key.Key_PageUp: (0, -page), Qt.Key.Key_PageDown: (0, page), Qt.Key.Key_Home: (0, -rank),
            Qt.Key.Key_End: (0, 10**9),
        }  # fmt: skip
        key = Qt.Key(event.key())
        if key in steps and self._lanes:
            target = min(max(lane + steps[key][0], 0), len(self._lanes) - 1)
            if len(self._lanes[target]):
                self._pick(target, min(max(rank + steps[key][1], 1), len(self._lanes[target])))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._current is not None:
            self.card_activated.emit(*self._current)
        else:
            super().keyPressEvent(event)

    # ---------------------------------------------------------------------------------------------------------- inside

    def _pick(self, lane: int, rank: int) -> None:
        self.set_current(lane, rank)
        self.card_picked.emit(lane, rank)

    def _beside(self, lane: int, place: int) -> tuple[Lane, int] | None:
        """The list at the left, of the first list the one at the right, and the model's place in it, -1 for none."""
        if len(self._lanes) < 2:
            return None
        other = self._next[0] if lane == 0 else self._before[lane - 1]
        return self._lanes[1 if lane == 0 else lane - 1], int(other[place])

    def _shift(self, lane: int, place: int) -> Shift | None:
        beside = self._beside(lane, place)
        return None if beside is None else shift_of(place, beside[1])

    def words(self, lane: int, rank: int) -> str:
        """A card in words."""
        beside = self._beside(lane, rank - 1) or (None, -1)
        return card_words(self._lanes[lane], rank - 1, self._faces, *beside)

    def _paint_card(self, painter: QPainter, lane: int, place: int) -> None:
        item = int(self._lanes[lane].items[place])
        state = "current" if self._current == (lane, place + 1) else "hovered" if item == self._item >= 0 else ""
        shift = self._shift(lane, place)
        self._painter.card(painter, self.card(lane, place + 1), self._lanes[lane], place, self._faces, shift, state)

    def _paint_lines(self, painter: QPainter, first: int, last: int) -> None:
        for join in joins(self._lanes, self._next, self._before, range(first, last + 1), self._item):
            if not (join.is_lifted or self._every or join.level > 0):
                continue
            ends = [self._height(row) for row in (join.place, join.target)]
            far = any(not -CARD <= end <= self.viewport().height() + CARD for end in ends)
            start = QPointF(sum(self._column(join.lane)), ends[0])
            end = QPointF(self._column(join.lane + 1)[0], ends[1])
            self._painter.line(painter, start, end, join.level, lifted=join.is_lifted, faint=far)
