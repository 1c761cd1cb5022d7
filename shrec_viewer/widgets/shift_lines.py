"""Lists of several runs side by side, with a line from each model to where the next run puts it."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from shrec_viewer.widgets.shift_lane import Lane, column_of, places_in
from shrec_viewer.widgets.shift_paint import CARD, Faces, Shift, ShiftPainter, shift_of
from shrec_viewer.widgets.theme import SPACE, Theme, current_theme, text_font

HEAD = 32
"""Pixels of the names above the lists."""

BEYOND = 400
"""Pixels above and below the view within which lines still end at their card; farther ends only say "far away"."""

SETTLE_MS = 40
"""Wait after the last scroll before saying what is in sight."""


class ShiftLines(QAbstractScrollArea):
    """Shows `Lane`s; rank k of all lists stands at the same height.

    Signals
    -------
    card_picked(lane, rank)
        A card was clicked or walked to by keys; its 1-based rank.
    card_activated(lane, rank)
        Double click or Enter.
    item_hovered(item)
        The model under the mouse, -1 for none.
    visible_rows_changed(first, last)
        Rows in sight, some milliseconds after scrolling or resizing; whoever makes pictures makes these first.
    """

    card_picked = Signal(int, int)
    card_activated = Signal(int, int)
    item_hovered = Signal(int)
    visible_rows_changed = Signal(int, int)

    def __init__(self, faces: Faces, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._faces = faces
        self._painter = ShiftPainter(current_theme(), self.font())
        self._lanes: tuple[Lane, ...] = ()
        self._next: tuple[NDArray[np.int64], ...] = ()
        self._before: tuple[NDArray[np.int64], ...] = ()
        self._current: tuple[int, int] | None = None
        self._item = -1
        self._only: int | None = None
        self._every = False
        self._settle = QTimer(self, interval=SETTLE_MS, singleShot=True)
        self._settle.timeout.connect(self._tell_visible)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.viewport().setMouseTracking(True)
        self.verticalScrollBar().valueChanged.connect(self._sight_moved)
        self.setAccessibleName(self.tr("Lists side by side"))

    # --------------------------------------------------------------------------------------------------- what is shown

    @property
    def lanes(self) -> tuple[Lane, ...]:
        """The lists shown."""
        return self._lanes

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

    def show_only(self, lane: int | None) -> None:
        """Show one list alone, in the place of all; None shows them all."""
        self._only = lane if lane is not None and lane < len(self._lanes) else None
        self.viewport().update()

    @property
    def shown_alone(self) -> int | None:
        """The list shown alone."""
        return self._only

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

    def visible_rows(self) -> tuple[int, int]:
        """First and last row in sight; (0, -1) for none."""
        longest = max((len(lane) for lane in self._lanes), default=0)
        top = self.verticalScrollBar().value()
        first, last = top // CARD, (top + self.viewport().height() - HEAD) // CARD
        return (first, min(last, longest - 1)) if longest else (0, -1)

    def card(self, lane: int, rank: int) -> QRectF:
        """Where a card is in the viewport; `rank` from 1."""
        left, width = self._column(lane)
        top = HEAD + (rank - 1) * CARD - self.verticalScrollBar().value()
        return QRectF(left, top, width, CARD)

    def card_at(self, point: QPoint) -> tuple[int, int] | None:
        """Lane and rank at a point of the viewport."""
        if point.y() < HEAD:
            return None
        rank = (point.y() - HEAD + self.verticalScrollBar().value()) // CARD + 1
        for lane in self._shown():
            left, width = self._column(lane)
            if left <= point.x() < left + width and self._exists(lane, rank):
                return lane, rank
        return None

    # ----------------------------------------------------------------------------------------------------- Qt overrides

    def sizeHint(self) -> QSize:
        """Qt override."""
        return QSize(640, 480)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt override."""
        super().resizeEvent(event)
        self._lay_out()

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
            self._painter.head(painter, QRectF(left, 0, width, HEAD), self._lanes[lane], current=is_current)
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
        card = self.card_at(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and card is not None:
            self._pick(*card)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Qt override; the press said it all."""
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Qt override."""
        card = self.card_at(event.position().toPoint())
        if card is not None:
            self.card_activated.emit(*card)

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

    def _shown(self) -> tuple[int, ...]:
        return tuple(range(len(self._lanes))) if self._only is None else (self._only,)

    def _exists(self, lane: int, rank: int) -> bool:
        return 0 <= lane < len(self._lanes) and 1 <= rank <= len(self._lanes[lane])

    def _column(self, lane: int) -> tuple[float, float]:
        """Left edge and width of a list."""
        room = self.viewport().width() - 2 * SPACE
        place, count = (lane, max(len(self._lanes), 1)) if self._only is None else (0, 1)
        left, width = column_of(place, count, room)
        return SPACE + left, width

    def _lay_out(self) -> None:
        longest = max((len(lane) for lane in self._lanes), default=0)
        bar, height = self.verticalScrollBar(), self.viewport().height() - HEAD
        bar.setPageStep(max(height, 1))
        bar.setSingleStep(CARD // 2)
        bar.setRange(0, max(0, longest * CARD + SPACE - height))
        self._settle.start()
        self.viewport().update()

    def _reveal(self, place: int) -> None:
        bar, height = self.verticalScrollBar(), self.viewport().height() - HEAD
        if place * CARD < bar.value():
            bar.setValue(place * CARD)
        elif (place + 1) * CARD > bar.value() + height:
            bar.setValue((place + 1) * CARD - height)

    def _pick(self, lane: int, rank: int) -> None:
        self.set_current(lane, rank)
        self.card_picked.emit(lane, rank)

    def _sight_moved(self) -> None:
        self._settle.start()

    def _tell_visible(self) -> None:
        self.visible_rows_changed.emit(*self.visible_rows())

    def _shift(self, lane: int, place: int) -> Shift | None:
        """Compared with the list at the left; of the first list with the one at the right."""
        if len(self._lanes) < 2:
            return None
        other = self._next[0] if lane == 0 else self._before[lane - 1]
        return shift_of(place, int(other[place]))

    def _paint_card(self, painter: QPainter, lane: int, place: int) -> None:
        item = int(self._lanes[lane].items[place])
        state = "current" if self._current == (lane, place + 1) else "hovered" if item == self._item >= 0 else ""
        shift = self._shift(lane, place)
        self._painter.card(painter, self.card(lane, place + 1), self._lanes[lane], place, self._faces, shift, state)

    def _paint_lines(self, painter: QPainter, first: int, last: int) -> None:
        for lane, there in enumerate(self._next):
            one, other = self._lanes[lane], self._lanes[lane + 1]
            places = set(range(first, min(last, len(one) - 1) + 1))
            back = self._before[lane][first : last + 1]
            places.update(int(place) for place in back if place >= 0)
            left, right = sum(self._column(lane)), self._column(lane + 1)[0]
            lifted = [place for place in places if int(one.items[place]) == self._item]
            for place in [*(place for place in sorted(places) if place not in lifted), *lifted]:
                target = int(there[place])
                level = int(max(one.levels[place], other.levels[target])) if target >= 0 else 0
                is_lifted = place in lifted
                if target < 0 or not (is_lifted or self._every or level > 0):
                    continue
                ends = [self._height(row) for row in (place, target)]
                far = any(not -CARD <= end <= self.viewport().height() + CARD for end in ends)
                start, end = QPointF(left, ends[0]), QPointF(right, ends[1])
                self._painter.line(painter, start, end, level, lifted=is_lifted, faint=far)

    def _height(self, place: int) -> float:
        """Middle of a row, held near the view where it is far away."""
        y = HEAD + place * CARD - self.verticalScrollBar().value() + CARD / 2
        return float(min(max(y, -BEYOND), self.viewport().height() + BEYOND))
