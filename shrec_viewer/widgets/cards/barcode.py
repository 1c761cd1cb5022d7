"""Barcode of a whole ranked list: one tick per rank, visible range, cursor, cutoffs and ties."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QPolygonF,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from shrec_viewer.widgets.controls.controls import override_shortcut
from shrec_viewer.widgets.controls.plain_text import set_tooltip
from shrec_viewer.widgets.style.relevance import HIGHLY_RELEVANT, UNJUDGED, level_mark
from shrec_viewer.widgets.style.text import put_text
from shrec_viewer.widgets.style.theme import SPACE, Theme, current_preset, current_theme, text_font

#: Margin in pixels at both sides.
HORIZONTAL_MARGIN = 2 * SPACE

#: Maximum distance in pixels of a label from its tick; labels that would be farther away are left out.
MAX_LABEL_SHIFT = 10

#: Maximum width of a tick in pixels, for short lists.
MAX_TICK_WIDTH = 24

#: Width of a tick in pixels from which neighbouring ticks are separated by a pixel.
MIN_SEPARATED_WIDTH = 4

#: Height of a tick by level, as a share; levels above 2 are as high as 2. It duplicates the colour.
LEVEL_HEIGHTS = {0: 0.25, 1: 0.65, HIGHLY_RELEVANT: 1.0}

#: Minimum height of a pixel column that contains a relevant rank, as a share.
MIN_RELEVANT_HEIGHT = 0.45

#: Minimum height in pixels of each level in a pixel column of many ranks.
MIN_LAYER_HEIGHT = 4


@dataclass(frozen=True)
class RankScale:
    """Mapping from ranks to pixels.

    Attributes
    ----------
    count : number of ranks.
    span : width of all ticks in pixels.
    """

    count: int
    span: int

    @classmethod
    def fit(cls, count: int, width: int, max_tick_width: int = MAX_TICK_WIDTH) -> "RankScale":
        """Scale of `count` ranks in `width` pixels, with at most `max_tick_width` pixels per rank."""
        return cls(count, max(1, min(width, count * max_tick_width)))

    def x(self, rank: float) -> float:
        """X of the centre of a rank."""
        return (rank - 0.5) * self.span / max(1, self.count)

    def ranks(self, x: float) -> tuple[int, int]:
        """First and last rank in the pixel column at `x`; the nearest ones outside the ticks."""
        pixel = min(max(int(x), 0), self.span - 1)
        first = pixel * self.count // self.span
        last = max(first, (pixel + 1) * self.count // self.span - 1)
        return first + 1, min(last, self.count - 1) + 1


def tick_height(level: int, binary: bool) -> float:
    """Height of a tick of this level as a share; binary relevance has two heights."""
    if level <= 0:
        return LEVEL_HEIGHTS[0]
    return LEVEL_HEIGHTS[HIGHLY_RELEVANT] if binary else LEVEL_HEIGHTS[min(level, HIGHLY_RELEVANT)]


def most_relevant_rank(levels: NDArray[np.int16], first: int, last: int) -> int:
    """First of the ranks `first` to `last` (1-based) with the highest level; the middle one if none is relevant."""
    selected_levels = levels[first - 1 : last]
    return first + int(np.argmax(selected_levels)) if selected_levels.max(initial=0) > 0 else (first + last) // 2


def level_layers(
    levels: NDArray[np.int16], scale: RankScale, height: int, binary: bool
) -> dict[int, NDArray[np.int64]]:
    """Height in pixels up to which each pixel column has a level or a higher one: (span,) int64 by level, lowest first.

    Painted in this order, higher levels cover the lower part of the columns. A column with a relevant rank is at
    least `MIN_RELEVANT_HEIGHT` high and shows each of its levels.
    """
    edges = np.arange(scale.span + 1) * scale.count // scale.span
    first, after = edges[:-1], np.maximum(edges[1:], edges[:-1] + 1)
    size = (after - first).astype(np.float64)
    heights = {min(0, int(levels.min(initial=0))): np.full(scale.span, round(LEVEL_HEIGHTS[0] * height), np.int64)}
    present = [int(level) for level in np.unique(levels) if level > 0]
    counts = {level: _count_per_pixel(levels == level, first, after) for level in present}
    relevant = np.sum(list(counts.values()), axis=0) if counts else np.zeros(scale.span, np.int64)
    highest = np.zeros(scale.span)
    for level in present:
        highest = np.where(counts[level] > 0, tick_height(level, binary), highest)
    relative_height = (
        MIN_RELEVANT_HEIGHT + (np.maximum(highest, MIN_RELEVANT_HEIGHT) - MIN_RELEVANT_HEIGHT) * relevant / size
    )
    total = np.where(relevant > 0, np.round(relative_height * height), 0).astype(np.int64)
    at_least = np.zeros(scale.span, np.int64)
    upper: dict[int, NDArray[np.int64]] = {}
    for level in reversed(present):
        has, n_lower = counts[level] > 0, sum(counts[lower] > 0 for lower in present if lower < level)
        at_least = at_least + counts[level]
        share = np.round(total * at_least / np.maximum(relevant, 1)).astype(np.int64)
        previous = next(reversed(upper.values()), np.zeros(scale.span, np.int64))
        minimum = np.where(has, previous + MIN_LAYER_HEIGHT, previous)
        upper[level] = np.minimum(np.maximum(share, minimum), total - MIN_LAYER_HEIGHT * n_lower)
    for level in present:
        heights[level] = np.where(at_least > 0, upper[level], 0)
    return heights


def draw_ticks(
    levels: NDArray[np.int16], scale: RankScale, height: int, colours: dict[int, QColor], *, binary: bool
) -> QImage:
    """Transparent image of the ticks, `scale.span` by `height` pixels; see `draw_ties` for the line below them.

    Parameters
    ----------
    levels : (n,) int16, by rank; `UNJUDGED` without relevance assessment.
    colours : colour by level.
    """
    pixels = np.zeros((height, scale.span), np.uint32)
    from_bottom = np.arange(height, 0, -1)[:, None]
    for level, tops in level_layers(levels, scale, height, binary).items():
        pixels[from_bottom <= tops[None, :]] = colours[level].rgba()
    if scale.span >= MIN_SEPARATED_WIDTH * scale.count:
        last_pixels = (np.arange(1, scale.count + 1) * scale.span + scale.count - 1) // scale.count - 1
        pixels[:, last_pixels] = 0
    return _image_from_pixels(pixels)


def draw_ties(tied: NDArray[np.bool_], scale: RankScale, thickness: int, colour: QColor) -> QImage:
    """Image of the line below tied ranks, `scale.span` by `thickness` pixels.

    Parameters
    ----------
    tied : (n,) bool, whether a rank has the same distance as a neighbour.
    """
    edges = np.arange(scale.span + 1) * scale.count // scale.span
    touched = _count_per_pixel(tied, edges[:-1], np.maximum(edges[1:], edges[:-1] + 1)) > 0
    return _image_from_pixels(np.where(np.tile(touched, (thickness, 1)), np.uint32(colour.rgba()), np.uint32(0)))


def stack_images(upper: QImage, lower: QImage) -> QImage:
    """Two images of equal width, one below the other."""
    stacked = QImage(upper.width(), upper.height() + lower.height(), QImage.Format.Format_ARGB32)
    painter = QPainter(stacked)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Source)
    painter.drawImage(0, 0, upper)
    painter.drawImage(0, upper.height(), lower)
    painter.end()
    return stacked


def tick_levels(levels: NDArray[np.uint8], judged: bool) -> NDArray[np.int16]:
    """(n,) int16, the levels, or `UNJUDGED` for all ranks."""
    return levels.astype(np.int16) if judged else np.full(len(levels), UNJUDGED, np.int16)


def describe_cutoffs(cutoffs: Sequence[tuple[int, str]]) -> str:
    """Description of the ticks above the list; a label that is a number is a cutoff.

    Examples
    --------
    >>> describe_cutoffs([(14, "C"), (28, "2C"), (32, "32"), (5, "5")])
    'Ticks above: C, the class size, after rank 14; 2C after rank 28; cutoffs after ranks 5 and 32.'
    >>> describe_cutoffs([(10, "10")]), describe_cutoffs([])
    ('Ticks above: the cutoff after rank 10.', '')
    """
    names = {"C": "C, the class size,"}
    parts = [f"{names.get(label, label)} after rank {rank:,}" for rank, label in cutoffs if not label.isdigit()]
    ranks = [f"{rank:,}" for rank, label in sorted(cutoffs) if label.isdigit()]
    if len(ranks) == 1:
        parts.append(f"the cutoff after rank {ranks[0]}")
    elif ranks:
        parts.append(f"cutoffs after ranks {', '.join(ranks[:-1])} and {ranks[-1]}")
    return f"Ticks above: {'; '.join(parts)}." if parts else ""


def find_label_x(
    preferred: float, width: float, span: float, used_intervals: Sequence[tuple[float, float]]
) -> float | None:
    """Left edge nearest to the preferred one without overlap; None if shifted by more than `MAX_LABEL_SHIFT`."""
    spacing = 1.5 * SPACE
    positions = [
        preferred,
        *(right + spacing for _, right in used_intervals),
        *(left - spacing - width for left, _ in used_intervals),
    ]
    candidates = [min(max(position, -HORIZONTAL_MARGIN), span + HORIZONTAL_MARGIN - width) for position in positions]
    valid = [
        position
        for position in candidates
        if all(position >= r + spacing - 0.01 or position + width <= a - spacing + 0.01 for a, r in used_intervals)
    ]
    nearest = min(valid, key=lambda position: abs(position - preferred), default=None)
    return nearest if nearest is not None and abs(nearest - preferred) <= MAX_LABEL_SHIFT else None


def _image_from_pixels(pixels: NDArray[np.uint32]) -> QImage:
    """QImage with a copy of the array."""
    height, width = pixels.shape
    return QImage(np.ascontiguousarray(pixels).data, width, height, 4 * width, QImage.Format.Format_ARGB32).copy()


def _count_per_pixel(where: NDArray[np.bool_], first: NDArray[np.int64], after: NDArray[np.int64]) -> NDArray[np.int64]:
    running = np.concatenate([[0], np.cumsum(where)])
    return running[after] - running[first]


#: Heights in pixels of the labels (more for large fonts), the ticks, and the track of the visible range.
LABEL_HEIGHT, TICK_HEIGHT, TRACK_HEIGHT = 14, 14, 5

#: Opacity of ticks that are not relevant, which form a continuous band.
NOT_RELEVANT_OPACITY = 0.6

#: Minimum width in pixels of the visible range, for long lists.
MIN_WINDOW_WIDTH = 8

#: Keys that scroll the list, with the number of pages.
SCROLL_KEYS = {Qt.Key.Key_Left: -1 / 3, Qt.Key.Key_Right: 1 / 3, Qt.Key.Key_PageUp: -1.0, Qt.Key.Key_PageDown: 1.0}

END_KEYS = (Qt.Key.Key_Home, Qt.Key.Key_End)


def _is_own_key(event: QKeyEvent) -> bool:
    return event.key() in (*SCROLL_KEYS, *END_KEYS) and event.modifiers() == Qt.KeyboardModifier.NoModifier


class Barcode(QWidget):
    """Ticks of a ranked list with tiers and cutoffs, visible range, rank cursor and marked ranks.

    Signals
    -------
    scroll_requested(int)
        Scroll to this rank: by a click, by dragging, or by keys.
    rank_hovered(object)
        Rank under the mouse, or None; the first of the most relevant ones if several share a pixel.
    """

    scroll_requested = Signal(int)
    rank_hovered = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._levels: NDArray[np.int16] = np.zeros(0, np.int16)
        self._binary = False
        self._tied: NDArray[np.bool_] = np.zeros(0, np.bool_)
        self._cutoffs: tuple[tuple[int, str], ...] = ()
        self._window = (0, -1)
        self._cursor: int | None = None
        self._marked_ranks: NDArray[np.int64] = np.zeros(0, np.int64)
        self._hovered_rank: int | None = None
        self._base_tooltip = ""
        self._ticks: tuple[tuple[object, ...], QPixmap] | None = None  # with what it depends on
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves the focus in the list
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._update_accessible_text()

    def set_levels(self, levels: NDArray[np.uint8], *, judged: bool = True, binary: bool = False) -> None:
        """Show a list with these relevance levels, (n,) by rank; resets the ties.

        Parameters
        ----------
        judged : False without relevance assessment: all ticks look the same.
        binary : the assessment is binary: level 1 looks like the highest.
        """
        self._levels, self._binary = tick_levels(levels, judged), binary
        self._tied = np.zeros(len(levels), np.bool_)
        self._ticks = None
        self._window, self._cursor, self._marked_ranks = (0, -1), None, np.zeros(0, np.int64)
        self._update_accessible_text()
        self.update()

    def set_ties(self, tied: NDArray[np.bool_]) -> None:
        """Underline tied ranks, (n,) bool."""
        self._tied, self._ticks = tied, None
        self._update_accessible_text()
        self.update()

    def set_cutoffs(self, cutoffs: Sequence[tuple[int, str]]) -> None:
        """Show a tick after each of these ranks; if labels overlap, earlier ones take precedence."""
        self._cutoffs = tuple(cutoffs)
        self._update_accessible_text()
        self.update()

    def set_window(self, first: int, last: int) -> None:
        """Show `first` to `last` as the visible range; ``last < first`` for none."""
        if (first, last) != self._window:
            self._window = (first, last)
            self.update()

    def set_cursor_rank(self, rank: int | None) -> None:
        """Mark the rank of the cursor, or None."""
        if rank != self._cursor:
            self._cursor = rank
            self.update()

    def set_marked_ranks(self, ranks: Sequence[int]) -> None:
        """Mark the ranks that a value was computed from."""
        self._marked_ranks = np.array(sorted(ranks), np.int64)
        self.update()

    def set_rank_text(self, text: str) -> None:
        """Set the tooltip of the rank under the mouse; "" for none."""
        set_tooltip(self, "\n".join(part for part in (text, self._base_tooltip) if part))

    def scale(self) -> RankScale:
        """Mapping from ranks to pixels, from the left margin."""
        return RankScale.fit(len(self._levels), max(1, self.width() - 2 * HORIZONTAL_MARGIN))

    def rank_at(self, x: float) -> int | None:
        """Rank at a position in the widget; None outside the ticks."""
        scale, ratio = self.scale(), self._ratio()
        if not len(self._levels) or not -1 <= x - HORIZONTAL_MARGIN <= scale.span + 1:
            return None
        device_scale = RankScale(scale.count, round(scale.span * ratio))
        return most_relevant_rank(self._levels, *device_scale.ranks((x - HORIZONTAL_MARGIN) * ratio))

    def _update_accessible_text(self) -> None:
        count, relevant = len(self._levels), int((self._levels > 0).sum())
        self.setAccessibleName("All ranks of the list")
        summary = f"{count:,} {'rank' if count == 1 else 'ranks'}" + (f", {relevant:,} relevant" if relevant else "")
        summary += f", {ties:,} tied (underlined)" if (ties := int(self._tied.sum())) else ""
        cutoffs = describe_cutoffs(self._cutoffs)
        self.setAccessibleDescription(". ".join(part for part in (summary, cutoffs) if part))
        instructions = "Click or drag to scroll the list."
        self._base_tooltip = (
            "\n".join(part for part in (f"{summary}. {instructions}", cutoffs) if part) if count else ""
        )
        set_tooltip(self, self._base_tooltip)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Scroll the list to the rank under the mouse."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._move_to(event.position().x())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Emit the rank under the mouse; scroll the list while the left button is pressed."""
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._move_to(event.position().x())
        self._point(self.rank_at(event.position().x()))

    def leaveEvent(self, event: QEvent) -> None:
        """Emit that no rank is hovered."""
        super().leaveEvent(event)
        self._point(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Scroll the list by the arrow and page keys, Home and End."""
        count, (first, last) = len(self._levels), self._window
        if not count or event.key() not in (*SCROLL_KEYS, *END_KEYS):
            super().keyPressEvent(event)
            return
        if event.key() in END_KEYS:
            target = 1 if event.key() == Qt.Key.Key_Home else count
        else:
            by = SCROLL_KEYS[Qt.Key(event.key())] * max(1, last - first + 1)
            target = round((first + last) / 2 + (min(by, -1) if by < 0 else max(by, 1)))
        self.scroll_requested.emit(min(max(target, 1), count))

    def event(self, event: QEvent) -> bool:
        """Override shortcuts of the window that use the barcode's keys."""
        return override_shortcut(event, _is_own_key) or super().event(event)

    def _move_to(self, x: float) -> None:
        if len(self._levels):
            first, last = self.scale().ranks(x - HORIZONTAL_MARGIN)
            self.scroll_requested.emit((first + last) // 2)

    def _point(self, rank: int | None) -> None:
        if rank != self._hovered_rank:
            self._hovered_rank = rank
            self.rank_hovered.emit(rank)

    @property
    def _head(self) -> int:
        return max(LABEL_HEIGHT, int(QFontMetricsF(text_font(self.font(), 0.78)).height()) + 2)

    def sizeHint(self) -> QSize:
        """Fixed height; the width is stretched."""
        return QSize(200, self._head + TICK_HEIGHT + TRACK_HEIGHT)

    def minimumSizeHint(self) -> QSize:
        """Fixed height and a small width."""
        return QSize(60, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint ticks, window of visible ranks, cutoffs and cursor."""
        if not len(self._levels):
            return
        painter, scale, theme = QPainter(self), self.scale(), current_theme()
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        painter.translate(HORIZONTAL_MARGIN, self._head)
        self._draw_window(painter, scale, theme)
        key = (scale, self._ratio(), theme, current_preset())
        if self._ticks is None or self._ticks[0] != key:
            self._ticks = key, self._draw_ticks(scale, theme)
        painter.drawPixmap(QPointF(0, 0), self._ticks[1])
        self._draw_cutoffs(painter, scale, theme)
        self._draw_marked_ranks(painter, scale, theme)
        self._draw_cursor(painter, scale, theme)
        if self.hasFocus():
            painter.setPen(QPen(theme.colour("accent"), 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(-4, -2, scale.span + 8, TICK_HEIGHT + TRACK_HEIGHT + 3), 3, 3)

    def _ratio(self) -> float:
        """Image pixels per widget pixel: the device pixel ratio, limited so that a tick is at least one pixel wide."""
        scale = self.scale()
        return self.devicePixelRatioF() if scale.span >= scale.count else 1.0

    def _draw_ticks(self, scale: RankScale, theme: Theme) -> QPixmap:
        ratio = self._ratio()
        device_scale = RankScale(scale.count, max(1, round(scale.span * ratio)))
        colours = {level: self._colour(level, theme) for level in (-1, *range(int(self._levels.max()) + 1))}
        bars = draw_ticks(self._levels, device_scale, round(TICK_HEIGHT * ratio), colours, binary=self._binary)
        ties = draw_ties(self._tied, device_scale, max(1, round(ratio)), theme.colour("muted"))
        ticks = QPixmap.fromImage(stack_images(bars, ties))
        ticks.setDevicePixelRatio(ratio)
        return ticks

    def _colour(self, level: int, theme: Theme) -> QColor:
        mark = level_mark(level, theme, current_preset(), binary=self._binary)
        colour = QColor(mark.colour)
        colour.setAlphaF(NOT_RELEVANT_OPACITY if mark.is_outlined else 1.0)
        return colour

    def _draw_window(self, painter: QPainter, scale: RankScale, theme: Theme) -> None:
        first, last = self._window
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("sunken"))
        painter.drawRoundedRect(QRectF(0, TICK_HEIGHT + 2, scale.span, TRACK_HEIGHT - 2), 2, 2)
        if last < first:
            return
        left, right = scale.x(first - 0.5), scale.x(last + 0.5)
        spare = max(0.0, MIN_WINDOW_WIDTH - (right - left)) / 2
        left, right = max(0.0, left - spare), min(float(max(scale.span, MIN_WINDOW_WIDTH)), right + spare)
        painter.setBrush(theme.colour("hover_strong"))
        painter.drawRect(QRectF(left, 0, right - left, TICK_HEIGHT + 2))
        painter.setBrush(theme.colour("line_strong"))
        painter.drawRoundedRect(QRectF(left, TICK_HEIGHT + 2, right - left, TRACK_HEIGHT - 2), 2, 2)

    def _draw_cutoffs(self, painter: QPainter, scale: RankScale, theme: Theme) -> None:
        font = text_font(self.font(), 0.78)
        metrics, used_intervals = QFontMetricsF(font), list[tuple[float, float]]()
        painter.setFont(font)
        for rank, label in self._cutoffs:
            if rank > scale.count:
                continue
            x = round(scale.x(rank + 0.5)) + 0.5
            painter.setPen(QPen(theme.colour("ink"), 1))
            painter.drawLine(QPointF(x, -3), QPointF(x, 5))
            width = metrics.horizontalAdvance(label)
            left = find_label_x(x - width / 2, width, scale.span, used_intervals)
            if left is not None:
                used_intervals.append((left, left + width))
                position = QRectF(left, -self._head, width + 1, self._head - 3)
                put_text(painter, position, label, theme.colour("muted"), Qt.AlignmentFlag.AlignBottom)

    def _draw_marked_ranks(self, painter: QPainter, scale: RankScale, theme: Theme) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("accent"))
        for x in np.unique(np.round([scale.x(rank) for rank in self._marked_ranks if rank <= scale.count])):
            painter.drawEllipse(QPointF(float(x), TICK_HEIGHT + TRACK_HEIGHT / 2 + 1), 2, 2)

    def _draw_cursor(self, painter: QPainter, scale: RankScale, theme: Theme) -> None:
        if self._cursor is None or not 1 <= self._cursor <= scale.count:
            return
        x = round(scale.x(self._cursor))
        painter.fillRect(QRectF(x - 1, -2, 2, TICK_HEIGHT + TRACK_HEIGHT + 2), theme.colour("ink"))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("ink"))
        painter.drawPolygon(QPolygonF([QPointF(x - 4, -5), QPointF(x + 4, -5), QPointF(x, 0)]))
