"""Where the cards of lists that stand side by side are, in a view that scrolls them together."""

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from shrec_viewer.widgets.shift_lane import Lane, column_of
from shrec_viewer.widgets.shift_paint import CARD
from shrec_viewer.widgets.theme import SPACE

HEAD = 32
"""Pixels of the names above the lists."""

BEYOND = 400
"""Pixels above and below the view within which lines still end at their card; farther ends only say "far away"."""

SETTLE_MS = 40
"""Wait after the last scroll before saying what is in sight."""


class ShiftBoard(QAbstractScrollArea):
    """Geometry of `Lane`s; rank k of all lists stands at the same height.

    Signals
    -------
    visible_rows_changed(first, last)
        Rows in sight, some milliseconds after scrolling or resizing; whoever makes pictures makes these first.
    """

    visible_rows_changed = Signal(int, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lanes: tuple[Lane, ...] = ()
        self._only: int | None = None
        self._settle = QTimer(self, interval=SETTLE_MS, singleShot=True)
        self._settle.timeout.connect(self._tell_visible)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.verticalScrollBar().valueChanged.connect(self._sight_moved)

    @property
    def lanes(self) -> tuple[Lane, ...]:
        """The lists shown."""
        return self._lanes

    def show_only(self, lane: int | None) -> None:
        """Show one list alone, in the place of all; None shows them all."""
        self._only = lane if lane is not None and lane < len(self._lanes) else None
        self.viewport().update()

    @property
    def shown_alone(self) -> int | None:
        """The list shown alone."""
        return self._only

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

    def lane_head_at(self, point: QPoint) -> int | None:
        """The list whose name is at a point of the viewport."""
        spans = {lane: self._column(lane) for lane in self._shown()} if 0 <= point.y() < HEAD else {}
        return next((lane for lane, (left, width) in spans.items() if left <= point.x() < left + width), None)

    def sizeHint(self) -> QSize:
        """Qt override."""
        return QSize(640, 480)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt override."""
        super().resizeEvent(event)
        self._lay_out()

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

    def _height(self, place: int) -> float:
        """Middle of a row, held near the view where it is far away."""
        y = HEAD + place * CARD - self.verticalScrollBar().value() + CARD / 2
        return float(min(max(y, -BEYOND), self.viewport().height() + BEYOND))

    def _sight_moved(self) -> None:
        self._settle.start()

    def _tell_visible(self) -> None:
        self.visible_rows_changed.emit(*self.visible_rows())
