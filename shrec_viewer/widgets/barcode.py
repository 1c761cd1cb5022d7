"""The whole ranked list at a glance: one tick a rank, which also says where in the list one is and moves it."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QPolygonF,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from shrec_viewer.widgets.barcode_image import (
    SIDE,
    Scale,
    cut_words,
    draw_ticks,
    draw_ties,
    free_place,
    levels_of,
    most_relevant,
    stacked,
)
from shrec_viewer.widgets.relevance_mark import level_mark
from shrec_viewer.widgets.theme import SPACE, Theme, current_theme, text_font

LABELS, BARS, TRACK = 14, 22, 6
"""Pixels of height of the labels (more for large letters), of the ticks, and of the track with the window below."""

QUIET = 0.6
"""Opacity of what is not relevant: side by side its ticks are a band, which would weigh more than the others."""

LEAST_WINDOW = 8
"""Pixels of the window at least, so that it can be seen in a list of 51,000."""

KEYS = {Qt.Key.Key_Left: -1 / 3, Qt.Key.Key_Right: 1 / 3, Qt.Key.Key_PageUp: -1.0, Qt.Key.Key_PageDown: 1.0}
"""Keys that move the list, by so many windows."""

ENDS = (Qt.Key.Key_Home, Qt.Key.Key_End)


class Barcode(QWidget):
    """Ticks of a ranked list with tiers and cut-offs, the part in sight, the rank cursor and marked ranks.

    Signals
    -------
    place_picked(int)
        The person wants to see this rank: by a click, by dragging, or by keys.
    rank_pointed(object)
        The mouse is over this rank, an int, or over none any more, None. Where ranks share a pixel it is the first of
        the most relevant ones.
    """

    place_picked = Signal(int)
    rank_pointed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = current_theme()
        self._preset = "ordinal"
        self._levels: NDArray[np.int16] = np.zeros(0, np.int16)
        self._binary = False
        self._tied: NDArray[np.bool_] = np.zeros(0, np.bool_)
        self._cuts: tuple[tuple[int, str], ...] = ()
        self._window = (0, -1)
        self._cursor: int | None = None
        self._marks: NDArray[np.int64] = np.zeros(0, np.int64)
        self._pointed: int | None = None
        self._tip = ""
        self._ticks: QPixmap | None = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves the keys to the list it moves
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._name()

    def set_levels(self, levels: NDArray[np.uint8], *, judged: bool = True, binary: bool = False) -> None:
        """Show a list with these relevance levels, (n,) by rank; `set_ties` comes after it.

        Parameters
        ----------
        judged : False where there is no truth: all ticks are alike.
        binary : the truth has no degrees: level 1 looks like the highest.
        """
        self._levels, self._binary = levels_of(levels, judged), binary
        self._tied = np.zeros(len(levels), np.bool_)
        self._ticks = None
        self._window, self._cursor, self._marks = (0, -1), None, np.zeros(0, np.int64)
        self._name()
        self.update()

    def set_ties(self, tied: NDArray[np.bool_]) -> None:
        """Underline the ranks, (n,) bool, that share their distance with a neighbour."""
        self._tied, self._ticks = tied, None
        self._name()
        self.update()

    def set_cuts(self, cuts: Sequence[tuple[int, str]]) -> None:
        """Put a tick after each of these ranks; labels of the first ones win where there is no room for all."""
        self._cuts = tuple(cuts)
        self._name()
        self.update()

    def set_window(self, first: int, last: int) -> None:
        """Show that the ranks `first` to `last` are in sight; ``last < first`` for none."""
        if (first, last) != self._window:
            self._window = (first, last)
            self.update()

    def set_cursor_rank(self, rank: int | None) -> None:
        """Mark the rank that is pointed at, or none."""
        if rank != self._cursor:
            self._cursor = rank
            self.update()

    def set_marks(self, ranks: Sequence[int]) -> None:
        """Mark the ranks that a number was computed from."""
        self._marks = np.array(sorted(ranks), np.int64)
        self.update()

    def set_place_words(self, words: str) -> None:
        """Say in the tip what stands at the rank under the mouse; "" where it is over none."""
        self.setToolTip("\n".join(part for part in (words, self._tip) if part))

    def set_preset(self, preset: str) -> None:
        """Colour relevance by this preset of `render.palette.PRESETS`."""
        self._preset, self._ticks = preset, None
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self._theme, self._ticks = theme, None
        self.update()

    def scale(self) -> Scale:
        """Where ranks stand, in pixels right of the free side."""
        return Scale.fit(len(self._levels), max(1, self.width() - 2 * SIDE))

    def rank_at(self, x: float) -> int | None:
        """Rank at a place in the widget; None where there is no tick."""
        scale, ratio = self.scale(), self._ratio()
        if not len(self._levels) or not -1 <= x - SIDE <= scale.span + 1:
            return None
        fine = Scale(scale.count, round(scale.span * ratio))
        return most_relevant(self._levels, *fine.ranks((x - SIDE) * ratio))

    def _name(self) -> None:
        count, relevant = len(self._levels), int((self._levels > 0).sum())
        self.setAccessibleName(self.tr("All ranks of the list"))
        said = f"{count:,} ranks" + (f", {relevant:,} relevant" if relevant else "")
        said += f", {ties:,} tied (underlined)" if (ties := int(self._tied.sum())) else ""
        cuts = cut_words(self._cuts)
        self.setAccessibleDescription(". ".join(part for part in (said, cuts) if part))
        moves = self.tr("Click or drag to move the list.")
        self._tip = "\n".join(part for part in (f"{said}. {moves}", cuts) if part) if count else ""
        self.setToolTip(self._tip)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Qt override."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._move_to(event.position().x())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Qt override."""
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._move_to(event.position().x())
        self._point(self.rank_at(event.position().x()))

    def leaveEvent(self, event: QEvent) -> None:
        """Qt override."""
        super().leaveEvent(event)
        self._point(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt override."""
        count, (first, last) = len(self._levels), self._window
        if not count or event.key() not in (*KEYS, *ENDS):
            super().keyPressEvent(event)
            return
        if event.key() in ENDS:
            target = 1 if event.key() == Qt.Key.Key_Home else count
        else:
            by = KEYS[Qt.Key(event.key())] * max(1, last - first + 1)
            target = round((first + last) / 2 + (min(by, -1) if by < 0 else max(by, 1)))
        self.place_picked.emit(min(max(target, 1), count))

    def event(self, event: QEvent) -> bool:
        """Qt override; while it has the focus its keys are not the window's."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            if event.key() in (*KEYS, *ENDS) and event.modifiers() == Qt.KeyboardModifier.NoModifier:
                event.accept()
                return True
        elif event.type() == QEvent.Type.DevicePixelRatioChange:
            self._ticks = None
        return super().event(event)

    def _move_to(self, x: float) -> None:
        if len(self._levels):
            first, last = self.scale().ranks(x - SIDE)
            self.place_picked.emit((first + last) // 2)

    def _point(self, rank: int | None) -> None:
        if rank != self._pointed:
            self._pointed = rank
            self.rank_pointed.emit(rank)

    @property
    def _head(self) -> int:
        return max(LABELS, int(QFontMetricsF(text_font(self.font(), 0.78)).height()) + 4)

    def sizeHint(self) -> QSize:
        """Qt override."""
        return QSize(200, self._head + BARS + TRACK + SPACE)

    def minimumSizeHint(self) -> QSize:
        """Qt override."""
        return QSize(60, self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt override."""
        super().resizeEvent(event)
        self._ticks = None

    def paintEvent(self, event: QPaintEvent) -> None:
        """Qt override."""
        if not len(self._levels):
            return
        painter, scale = QPainter(self), self.scale()
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        painter.translate(SIDE, self._head)
        self._draw_window(painter, scale)
        if self._ticks is None:
            self._ticks = self._draw_ticks(scale)
        painter.drawPixmap(QPointF(0, 0), self._ticks)
        self._draw_cuts(painter, scale)
        self._draw_marks(painter, scale)
        self._draw_cursor(painter, scale)
        if self.hasFocus():
            painter.setPen(QPen(self._theme.colour("accent"), 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(-4, -2, scale.span + 8, BARS + TRACK + 3), 3, 3)

    def _ratio(self) -> float:
        """Pixels of the ticks for one of the widget: those of the screen, but a tick is never finer than one pixel."""
        scale = self.scale()
        return self.devicePixelRatioF() if scale.span >= scale.count else 1.0

    def _draw_ticks(self, scale: Scale) -> QPixmap:
        ratio = self._ratio()
        fine = Scale(scale.count, max(1, round(scale.span * ratio)))
        colours = {level: self._colour(level) for level in (-1, *range(int(self._levels.max()) + 1))}
        bars = draw_ticks(self._levels, fine, round(BARS * ratio), colours, binary=self._binary)
        ties = draw_ties(self._tied, fine, max(1, round(ratio)), self._theme.colour("muted"))
        ticks = QPixmap.fromImage(stacked(bars, ties))
        ticks.setDevicePixelRatio(ratio)
        return ticks

    def _colour(self, level: int) -> QColor:
        mark = level_mark(level, self._theme, self._preset, binary=self._binary)
        colour = QColor(mark.colour)
        colour.setAlphaF(QUIET if mark.quiet else 1.0)
        return colour

    def _draw_window(self, painter: QPainter, scale: Scale) -> None:
        first, last = self._window
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.colour("sunken"))
        painter.drawRoundedRect(QRectF(0, BARS + 2, scale.span, TRACK - 2), 2, 2)
        if last < first:
            return
        left, right = scale.x(first - 0.5), scale.x(last + 0.5)
        spare = max(0.0, LEAST_WINDOW - (right - left)) / 2
        left, right = max(0.0, left - spare), min(float(max(scale.span, LEAST_WINDOW)), right + spare)
        painter.setBrush(self._theme.colour("hover_strong"))
        painter.drawRect(QRectF(left, 0, right - left, BARS + 2))
        painter.setBrush(self._theme.colour("line_strong"))
        painter.drawRoundedRect(QRectF(left, BARS + 2, right - left, TRACK - 2), 2, 2)

    def _draw_cuts(self, painter: QPainter, scale: Scale) -> None:
        font = text_font(self.font(), 0.78)
        metrics, taken = QFontMetricsF(font), list[tuple[float, float]]()
        painter.setFont(font)
        for rank, label in self._cuts:
            if rank > scale.count:
                continue
            x = round(scale.x(rank + 0.5)) + 0.5
            painter.setPen(QPen(self._theme.colour("ink"), 1))
            painter.drawLine(QPointF(x, -3), QPointF(x, 5))
            width = metrics.horizontalAdvance(label)
            left = free_place(x - width / 2, width, scale.span, taken)
            if left is not None:
                taken.append((left, left + width))
                painter.setPen(self._theme.colour("muted"))
                place = QRectF(left, -self._head, width + 1, self._head - 3)
                painter.drawText(place, Qt.AlignmentFlag.AlignBottom, label)

    def _draw_marks(self, painter: QPainter, scale: Scale) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.colour("accent"))
        for x in np.unique(np.round([scale.x(rank) for rank in self._marks if rank <= scale.count])):
            painter.drawEllipse(QPointF(float(x), BARS + TRACK / 2 + 1), 2, 2)

    def _draw_cursor(self, painter: QPainter, scale: Scale) -> None:
        if self._cursor is None or not 1 <= self._cursor <= scale.count:
            return
        x = round(scale.x(self._cursor))
        painter.fillRect(QRectF(x - 1, -2, 2, BARS + TRACK + 2), self._theme.colour("ink"))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.colour("ink"))
        painter.drawPolygon(QPolygonF([QPointF(x - 4, -5), QPointF(x + 4, -5), QPointF(x, 0)]))
