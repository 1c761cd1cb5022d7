"""Lets pictures fade in where their place stood empty; short, and not while anything scrolls."""

import time

from PySide6.QtCore import QObject, QTimer, Slot

from shrec_viewer.widgets.picture_motion import animations_on
from shrec_viewer.widgets.uniform_grid import UniformGrid

SECONDS = 0.16
"""Long enough to be seen as a coming, too short to be waited for."""

STEP_MS = 24
"""Between two paintings of a picture that comes: seven in all."""

CALM = 0.15
"""Seconds without scrolling before pictures fade in again; on the way past they are there at once."""

FIRST = 0.2
"""Opacity of the first painting: something has happened."""


class PictureFade(QObject):
    """Knows which rows of a grid were painted without their picture, and how far those are that have come since."""

    def __init__(self, grid: UniformGrid) -> None:
        super().__init__(grid)
        self._grid = grid
        self._blank: set[int] = set()
        self._since: dict[int, float] = {}
        self._scrolled = 0.0
        self._timer = QTimer(self, interval=STEP_MS)
        self._timer.timeout.connect(self._step)
        grid.verticalScrollBar().valueChanged.connect(self._note_scroll)

    def note_blank(self, row: int) -> None:
        """The row was painted, and its picture was not there yet."""
        self._blank.add(row)

    def opacity(self, row: int) -> float:
        """How much of the picture of a row is to be seen now, in (0, 1]."""
        now = time.monotonic()
        if row in self._blank:
            self._blank.discard(row)
            if now - self._scrolled > CALM and animations_on():
                self._since[row] = now
                self._timer.start()
        if row not in self._since:
            return 1.0
        return min(FIRST + (1 - FIRST) * (now - self._since[row]) / SECONDS, 1.0)

    def forget(self) -> None:
        """Other rows stand there now."""
        self._blank.clear()
        self._since.clear()
        self._timer.stop()

    @Slot(int)
    def _note_scroll(self, _value: int) -> None:
        self._scrolled = time.monotonic()

    @Slot()
    def _step(self) -> None:
        now = time.monotonic()
        model, viewport = self._grid.model(), self._grid.viewport()
        for row, since in list(self._since.items()):
            if now - since >= SECONDS:
                del self._since[row]
            viewport.update(self._grid.visualRect(model.index(row, 0)))
        if not self._since:
            self._timer.stop()
