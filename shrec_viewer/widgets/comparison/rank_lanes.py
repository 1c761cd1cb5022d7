"""Ranked lists side by side: data of a lane, links between lanes, painting, and the view."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import QWidget

from shrec_viewer.number_format import format_distance
from shrec_viewer.render.scene.palette import RANK_CHANGE
from shrec_viewer.widgets.plots.curves import draw_line_sample, line_pen
from shrec_viewer.widgets.style.painted import PaintedArea
from shrec_viewer.widgets.style.relevance import (
    FRAME_MARGIN,
    ThumbnailPainter,
    draw_badge,
    draw_frame,
    level_mark,
)
from shrec_viewer.widgets.style.text import draw_text, measured_font
from shrec_viewer.widgets.style.theme import RADIUS, SPACE, current_preset, current_theme, text_font

#: Pixels between two lists for the lines, and maximum width of a card; beyond it the gap grows.
LANE_SPACING, MAX_CARD_WIDTH = 84, 340

#: Maximum and minimum pixels between two lists; longer lines are hard to follow.
MAX_LANE_SPACING, MIN_LANE_SPACING = 210, 36

#: Width of a card in pixels below which it has neither class nor distance; then the gaps shrink.
MIN_FULL_CARD_WIDTH = 176


@dataclass(frozen=True, eq=False)
class RankLane:
    """Ranked list of a run.

    Attributes
    ----------
    title, note : name of the run, and text at its right (a score).
    colour, dash, marker : line style of the run; marker "" for none.
    items : (n,) int32, models, best first.
    levels : (n,) int8, relevance of each; -1 if not assessed.
    distances : (n,) float64, NaN for none.
    missing : why there is no ranked list, "" otherwise.
    value_name : what the distances are: distance or similarity.
    """

    title: str
    note: str
    colour: str
    dash: str
    items: NDArray[np.int32]
    levels: NDArray[np.int8]
    distances: NDArray[np.float64]
    missing: str = ""
    marker: str = ""
    value_name: str = "distance"

    def __len__(self) -> int:
        return len(self.items)


def first_indices(lane: RankLane) -> NDArray[np.int32]:
    """(m,) int32, 0-based index in a list of each model up to the last one that it contains; -1 for the others."""
    # The last element serves models that are not in the collection, whose index is -1.
    found = np.full(int(lane.items.max(initial=-1)) + 2, -1, np.int32)
    # Backwards, so that the first index of a repeated model is kept.
    found[lane.items[::-1]] = np.arange(len(lane) - 1, -1, -1, dtype=np.int32)
    found[-1] = -1
    return found


def indices_of(items: NDArray[np.int32], first_indices: NDArray[np.int32]) -> NDArray[np.int32]:
    """0-based indices of models in another list, -1 for those that it does not contain.

    For the visible cards only: all models of two lists of a million take 2 s.

    Parameters
    ----------
    first_indices : see `first_indices` of the other list.

    Examples
    --------
    >>> other = RankLane("", "", "", "", np.array([9, 4], np.int32), np.zeros(2, np.int8), np.zeros(2))
    >>> indices_of(np.array([4, 2, 9, -1], np.int32), first_indices(other)).tolist()
    [1, -1, 0, -1]
    """
    is_known = (items >= 0) & (items < len(first_indices))
    return np.where(is_known, first_indices[np.where(is_known, items, 0)], np.int32(-1))


def lane_geometry(lane: int, count: int, available: float) -> tuple[float, float]:
    """Left edge and width of one of `count` lists, which are centred in `available` pixels.

    Examples
    --------
    >>> lane_geometry(0, 2, 600.0), lane_geometry(1, 2, 600.0), lane_geometry(0, 1, 600.0)
    ((0.0, 258.0), (342.0, 258.0), (130.0, 340.0))
    >>> lane_geometry(3, 4, 660.0)
    (522.0, 138.0)
    """
    min_spacing = (available - count * MIN_FULL_CARD_WIDTH) / (count - 1) if count > 1 else 0.0
    min_spacing = min(max(min_spacing, MIN_LANE_SPACING), LANE_SPACING)
    width = min((available - (count - 1) * min_spacing) / count, float(MAX_CARD_WIDTH))
    spacing = min((available - count * width) / (count - 1), float(MAX_LANE_SPACING)) if count > 1 else 0.0
    left = (available - count * width - (count - 1) * spacing) / 2
    return left + lane * (width + spacing), width


@dataclass(frozen=True)
class LaneLink:
    """A model that is in two neighbouring lists: its 0-based indices and the higher of its levels."""

    lane: int
    index: int
    target: int
    level: int
    is_highlighted: bool


def lane_links(
    lanes: Sequence[RankLane], known: Sequence[NDArray[np.int32]], rows: range, highlighted_item: int
) -> Iterator[LaneLink]:
    """Links between neighbouring lists of models with an index within `rows`; that of the highlighted model is last.

    Parameters
    ----------
    known : `first_indices` of each list.
    highlighted_item : the highlighted model, -1 for none.
    """
    for lane, (one, other) in enumerate(pairwise(lanes)):
        indices = set(range(rows.start, min(rows.stop, len(one))))
        before = indices_of(other.items[rows.start : rows.stop], known[lane])
        indices.update(int(index) for index in before if index >= 0)
        for index in sorted(indices, key=lambda index: (int(one.items[index]) == highlighted_item, index)):
            if (target := int(indices_of(one.items[index], known[lane + 1]))) >= 0:
                level = int(max(one.levels[index], other.levels[target]))
                yield LaneLink(lane, index, target, level, int(one.items[index]) == highlighted_item)


#: Size of a thumbnail in pixels: three lines of text.
THUMBNAIL_EDGE, SMALL_THUMBNAIL_EDGE = 56, 44

#: Lines of text of a card: rank and id, class and distance, rank change.
CARD_LINES = 3

#: Share of the gap over which a line is horizontal at both ends, so that its card is recognisable.
BEND_SHARE = 0.45


class CardSource(Protocol):
    """Data of models for the cards; requested for visible ones only."""

    def name(self, item: int) -> str:
        """Id."""

    def class_name(self, item: int) -> str:
        """Class, "" for none."""

    def picture(self, item: int) -> QPixmap | None:
        """Thumbnail, None while there is none."""

    def problem(self, item: int) -> str:
        """Why there is no thumbnail, "" otherwise."""


@dataclass(frozen=True)
class CardRankChange:
    """Rank change of a model from the first list: ``"up"``, ``"down"``, ``"same"``, ``"only"`` or ``"absent"``.

    Attributes
    ----------
    forms : texts from the longest to the shortest; a card shows the longest that fits.
    """

    kind: str
    forms: tuple[str, ...]


def rank_change(index: int, first: int) -> CardRankChange:
    """Rank change of a model with the 0-based index `first` in the first list and `index` in another.

    Examples
    --------
    >>> rank_change(1, 37), rank_change(5, 5).forms, rank_change(9, 4).forms
    (CardRankChange(kind='up', forms=('▲ 36  (38)', '▲ 36', '▲')), ('=  (6)', '='), ('▼ 5  (5)', '▼ 5', '▼'))
    """
    if index == first:
        return CardRankChange("same", (f"=  ({first + 1:,})", "="))
    kind, glyph = ("up", "▲") if index < first else ("down", "▼")
    step = f"{glyph} {abs(first - index):,}"
    return CardRankChange(kind, (f"{step}  ({first + 1:,})", step, glyph))


#: A model that no other list shown contains, though all of them are long enough for its rank.
ONLY = CardRankChange("only", ("only here", "only"))

#: A model that the first list does not contain; or that no other list contains, some of which end before its rank.
ABSENT = CardRankChange("absent", ("not listed", "–"))


def card_text(lane: RankLane, index: int, cards: CardSource, change: str = "") -> str:
    """Text of the tooltip of a card; `change` describes its rank in the other lists."""
    item = int(lane.items[index])
    model_text = f"{cards.name(item)} {cards.class_name(item)}".rstrip()
    value = format_distance(float(lane.distances[index]))
    lines = [f"{lane.title}, rank {index + 1:,}: {model_text}", f"{lane.value_name} {value}" if value else "", change]
    return "\n".join(line for line in lines if line)


def rank_change_text(index: int, first: int, first_lane: RankLane) -> str:
    """Rank change from the first list; `first` is the model's index there, -1 for none.

    Examples
    --------
    >>> import numpy as np
    >>> lane = RankLane("B2", "", "", "", np.zeros(9, np.int32), np.zeros(9, np.int8), np.zeros(9))
    >>> rank_change_text(2, 4, lane), rank_change_text(4, 4, lane), rank_change_text(0, -1, lane)
    ('2 ranks better than in B2 (rank 5)', 'at the same rank in B2', 'not among the 9 models that B2 lists')
    """
    if first < 0:
        return f"not among the {len(first_lane):,} models that {first_lane.title} lists"
    if index == first:
        return f"at the same rank in {first_lane.title}"
    count = abs(first - index)
    step = f"{count:,} rank{'' if count == 1 else 's'} {'better' if index < first else 'worse'}"
    return f"{step} than in {first_lane.title} (rank {first + 1:,})"


class RankLanePainter:
    """Paints headers, cards and lines in a font."""

    def __init__(self, font: QFont) -> None:
        self.binary = False
        self._thumbnail_painter = ThumbnailPainter()
        self.set_font(font)

    def set_font(self, font: QFont) -> None:
        """Compute fonts from that of the view, and `heights`: pixels of a card with its gap, and of a header."""
        self._regular, self._bold = measured_font(font), measured_font(font, bold=True)
        self._small, self._badge = measured_font(font, 0.92), measured_font(font, 0.85, bold=True)
        line = math.ceil(self._bold.height)
        card_height = max(THUMBNAIL_EDGE, CARD_LINES * line) + 2 * FRAME_MARGIN + SPACE
        self.heights = card_height, max(HEADER_HEIGHT, line + 2 * SPACE)

    def draw_header(
        self, painter: QPainter, box: QRectF, lane: RankLane, *, current: bool, extra_note: str = ""
    ) -> None:
        """Paint the name of a run over its list and its score, if both fit."""
        theme = current_theme()
        painter.fillRect(box, theme.colour("surface"))
        start = QPointF(box.left() + FRAME_MARGIN, box.center().y())
        draw_line_sample(painter, start, 24, line_pen(QColor(lane.colour), 2.5, lane.dash), lane.marker)
        available = box.adjusted(FRAME_MARGIN + 24 + 2 * SPACE, 0, -2 * SPACE, 0)
        free_width = available.width() - self._bold.width(lane.title) - 2 * SPACE
        notes = (extra_note, lane.note, lane.note.rpartition(" ")[2])  # of "ADR 0.921" the number alone is enough
        note = next((note for note in notes if note and self._regular.width(note) <= free_width), "")
        note_width = draw_text(painter, available, note, self._regular, theme.colour("muted"), right=True)
        available.setRight(available.right() - note_width - SPACE)
        draw_text(painter, available, lane.title, self._bold, theme.colour("ink"), Qt.TextElideMode.ElideMiddle)
        painter.setPen(theme.colour("accent" if current else "line"))
        painter.drawLine(box.bottomLeft(), box.bottomRight())

    def draw_card(
        self,
        painter: QPainter,
        box: QRectF,
        lane: RankLane,
        index: int,
        cards: CardSource,
        change: CardRankChange | None,
        state: str,
    ) -> None:
        """Paint a card; `state` is ``"current"``, ``"hovered"`` (the model under the mouse), or ""."""
        theme, item = current_theme(), int(lane.items[index])
        ink, muted = theme.colour("ink"), theme.colour("muted")
        if state:
            painter.setPen(QPen(theme.colour("accent"), 1.5) if state == "current" else Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("selection" if state == "current" else "hover_strong"))
            painter.drawRoundedRect(box.adjusted(0, 1, 0, -1), RADIUS, RADIUS)
        mark = level_mark(int(lane.levels[index]), theme, current_preset(), binary=self.binary)
        is_compact = box.width() < MIN_FULL_CARD_WIDTH
        size = SMALL_THUMBNAIL_EDGE if is_compact else THUMBNAIL_EDGE
        edge = FRAME_MARGIN + SPACE / 2
        picture = QRectF(box.left() + edge + (0 if is_compact else SPACE), box.top() + edge, size, size)
        reason = cards.problem(item) or None
        self._thumbnail_painter.draw_model(painter, picture, cards.picture(item), reason, theme, self._badge.font)
        draw_frame(painter, picture, mark)
        line = self._bold.height
        text = QRectF(picture.right() + FRAME_MARGIN + (SPACE if is_compact else 2 * SPACE), picture.top(), 0, line)
        text.setRight(box.right() - (1 if is_compact else 2 * SPACE))
        first = text.adjusted(0, 0, -draw_badge(painter, text, mark, self._badge) - SPACE, 0)
        first.setLeft(first.left() + draw_text(painter, first, f"{index + 1:,}", self._bold, ink) + 1.5 * SPACE)
        if is_compact:
            first = text.translated(0, line)
        draw_text(painter, first, cards.name(item), self._regular, ink, Qt.TextElideMode.ElideMiddle)
        text.translate(0, line)
        if not is_compact:
            class_name, distance = cards.class_name(item), format_distance(float(lane.distances[index]))
            if self._small.width(class_name) + SPACE + self._small.width(distance) > text.width():
                distance = ""  # the tooltip has it; a class that is cut cannot be recognised
            distance_width = draw_text(painter, text, distance, self._small, muted, right=True)
            second = text.adjusted(0, 0, -distance_width - SPACE, 0)
            draw_text(painter, second, class_name, self._small, muted)
        if change is not None:
            text.translate(0, line)
            self._draw_change(painter, text, change, is_relevant=int(lane.levels[index]) > 0)

    def draw_line(
        self, painter: QPainter, start: QPointF, end: QPointF, level: int, *, is_highlighted: bool, faint: bool
    ) -> None:
        """Paint a line from a card to that of the same model in the next list."""
        theme = current_theme()
        mark = level_mark(level, theme, current_preset(), binary=self.binary)
        colour = theme.colour("accent") if is_highlighted else QColor(mark.colour if level > 0 else theme.faint)
        colour.setAlphaF(1.0 if is_highlighted else 0.25 if faint else 0.75 if level > 0 else 0.3)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(colour, 2.5 if is_highlighted else 1.5 if level > 0 else 1.0))
        bend = (end.x() - start.x()) * BEND_SHARE
        path = QPainterPath(start)
        path.cubicTo(start + QPointF(bend, 0), end - QPointF(bend, 0), end)
        painter.drawPath(path)

    def _draw_change(self, painter: QPainter, box: QRectF, change: CardRankChange, *, is_relevant: bool) -> None:
        """Paint the longest text that fits; the colours of gain and loss are for relevant models only."""
        theme, is_pill = current_theme(), change.kind in ("only", "absent")
        available = box.width() - (2 * SPACE if is_pill else 0)
        text = next((form for form in change.forms if self._small.width(form) <= available), "")
        painter.setFont(self._small.font)
        muted = theme.colour("muted")
        if is_pill and text:
            pill = QRectF(box.left(), box.top(), self._small.width(text) + 2 * SPACE, box.height())
            painter.setPen(QPen(theme.colour("line_strong"), 1, Qt.PenStyle.DashLine))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(pill.adjusted(0.5, 1.5, -0.5, -1.5), RADIUS, RADIUS)
            painter.setPen(muted)
            painter.drawText(pill, Qt.AlignmentFlag.AlignCenter, text)
        elif text:
            painter.setPen(QColor(RANK_CHANGE[theme.name][change.kind]) if is_relevant else muted)
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, text)


#: Least height in pixels of the names above the lists; a large font needs more.
HEADER_HEIGHT = 32

#: Pixels above and below the viewport within which lines end at their card; farther ends are clamped.
LINE_MARGIN = 400

#: Milliseconds after the last scroll before `visible_rows_changed`.
VISIBLE_DELAY_MS = 40


#: Note next to the name of a list that is shown alone.
ISOLATED_NOTE = "Only this run · Esc: show all"

HEADER_TIP = "Click to choose another run"


class RankLanesView(PaintedArea):
    """View of `RankLane`s; rank k has the same y in all lists.

    Attributes
    ----------
    lanes : the lists shown.
    isolated_lane : index of the only list shown, or None.
    current : lane and 1-based rank of the current card.

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
        self.lanes: tuple[RankLane, ...] = ()
        self.isolated_lane: int | None = None
        self._painter = RankLanePainter(self.font())
        self._card_height, self._header_height = self._painter.heights
        self._known: tuple[NDArray[np.int32], ...] = ()  # `first_indices` of each list
        self.current: tuple[int, int] | None = None
        self._item = -1
        self._shows_all_lines = False
        self._visible_timer = QTimer(self, interval=VISIBLE_DELAY_MS, singleShot=True)
        self._visible_timer.timeout.connect(self._emit_visible)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        self.viewport().setMouseTracking(True)
        self.setAccessibleName("Lists side by side")

    # Contents.

    def show_only(self, lane: int | None) -> None:
        """Show only one list; None for all."""
        self.isolated_lane = lane if lane is not None and lane < len(self.lanes) else None
        self.viewport().update()

    def visible_rows(self) -> tuple[int, int]:
        """First and last visible row; (0, -1) for none."""
        longest = max((len(lane) for lane in self.lanes), default=0)
        top = self.verticalScrollBar().value()
        first, last = (
            top // self._card_height,
            (top + self.viewport().height() - self._header_height) // self._card_height,
        )
        return (first, min(last, longest - 1)) if longest else (0, -1)

    def card(self, lane: int, rank: int) -> QRectF:
        """Rectangle of a card in the viewport; `rank` is 1-based."""
        left, width = self._column(lane)
        top = self._header_height + (rank - 1) * self._card_height - self.verticalScrollBar().value()
        return QRectF(left, top, width, self._card_height)

    def card_at(self, point: QPoint) -> tuple[int, int] | None:
        """Lane and rank at a point of the viewport."""
        if point.y() < self._header_height:
            return None
        rank = (point.y() - self._header_height + self.verticalScrollBar().value()) // self._card_height + 1
        for lane in self._shown():
            left, width = self._column(lane)
            if left <= point.x() < left + width and self._exists(lane, rank):
                return lane, rank
        return None

    def lane_header_at(self, point: QPoint) -> int | None:
        """Index of the list whose name is at a point of the viewport."""
        spans = {lane: self._column(lane) for lane in self._shown()} if 0 <= point.y() < self._header_height else {}
        return next((lane for lane, (left, width) in spans.items() if left <= point.x() < left + width), None)

    def set_lanes(self, lanes: Sequence[RankLane], *, binary: bool = False) -> None:
        """Show these lists, from the left; `binary`: the assessment is binary."""
        self.lanes = tuple(lanes)
        self._painter.binary = binary
        self._known = tuple(first_indices(lane) for lane in self.lanes)
        if self.current is not None and not self._exists(*self.current):
            self.current = None
        if self.isolated_lane is not None and self.isolated_lane >= len(self.lanes):
            self.isolated_lane = None
        self._update_scroll_bar()

    def set_current(self, lane: int, rank: int | None) -> None:
        """Mark a card, and its model in the other lists; None for none. Does not emit."""
        self.current = (lane, rank) if rank is not None and self._exists(lane, rank) else None
        self._item = -1 if self.current is None else int(self.lanes[lane].items[self.current[1] - 1])
        if self.current is not None:
            self._scroll_to(self.current[1] - 1)
        self.viewport().update()

    def set_item(self, item: int) -> None:
        """Emphasise this model in all lists, as if hovered; -1 for the current one."""
        if item < 0 and self.current is not None:
            lane, rank = self.current
            item = int(self.lanes[lane].items[rank - 1])
        if item != self._item:
            self._item = item
            self.viewport().update()

    def set_all_lines(self, shown: bool) -> None:
        """Draw the lines of all models, or of relevant ones only."""
        self._shows_all_lines = shown
        self.viewport().update()

    def refresh(self) -> None:
        """Repaint after thumbnails were rendered."""
        self.viewport().update()

    # Qt overrides.

    def changeEvent(self, event: QEvent) -> None:
        """Resize the cards when the font changes; the current one remains visible."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._painter.set_font(self.font())
            self._card_height, self._header_height = self._painter.heights
            self._update_scroll_bar()
            if self.current is not None:
                self._scroll_to(self.current[1] - 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Compute the scroll range."""
        super().resizeEvent(event)
        self._update_scroll_bar()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint links, visible cards and headers."""
        painter, theme = QPainter(self.viewport()), current_theme()
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        painter.fillRect(event.rect(), theme.colour("surface"))
        first, last = self.visible_rows()
        if self.isolated_lane is None:
            self._paint_lines(painter, first, last)
        for lane in self._shown():
            for index in range(first, min(last, len(self.lanes[lane]) - 1) + 1):
                self._paint_card(painter, lane, index)
        for lane in self._shown():
            left, width = self._column(lane)
            is_current = self.current is not None and self.current[0] == lane
            head = QRectF(left, 0, width, self._header_height)
            aside = ISOLATED_NOTE if self.isolated_lane is not None and len(self.lanes) > 1 else ""
            self._painter.draw_header(painter, head, self.lanes[lane], current=is_current, extra_note=aside)
            if self.lanes[lane].missing:
                painter.setFont(text_font(self.font()))
                painter.setPen(theme.colour("muted"))
                available = QRectF(left, self._header_height, width, 3 * self._card_height)
                flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
                painter.drawText(available, flags, self.lanes[lane].missing)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Highlight the model under the mouse in all lists."""
        card = self.card_at(event.position().toPoint())
        item = -1 if card is None else int(self.lanes[card[0]].items[card[1] - 1])
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

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Activate the card under the mouse."""
        card = self.card_at(event.position().toPoint())
        if card is not None:
            self.card_activated.emit(*card)

    def tooltip_at(self, point: QPoint) -> str:
        """Description of the card or header under the mouse."""
        if (card := self.card_at(point)) is not None:
            return self.card_tooltip(*card)
        lane = self.lane_header_at(point)
        return "" if lane is None else f"{self.lanes[lane].title}\n{self.lanes[lane].note}\n{HEADER_TIP}"

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Select another card with the arrow and page keys, Home and End; activate it with Enter."""
        lane, rank = self.current or (0, 0)
        page = max(1, (self.viewport().height() - self._header_height) // self._card_height)
        steps = {
            Qt.Key.Key_Up: (0, -1), Qt.Key.Key_Down: (0, 1), Qt.Key.Key_Left: (-1, 0), Qt.Key.Key_Right: (1, 0),
            Qt.Key.Key_PageUp: (0, -page), Qt.Key.Key_PageDown: (0, page), Qt.Key.Key_Home: (0, -rank),
            Qt.Key.Key_End: (0, 10**9),
        }  # fmt: skip
        key = Qt.Key(event.key())
        if key in steps and self.lanes:
            target = min(max(lane + steps[key][0], 0), len(self.lanes) - 1)
            if len(self.lanes[target]):
                self._select(target, min(max(rank + steps[key][1], 1), len(self.lanes[target])))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.current is not None:
            self.card_activated.emit(*self.current)
        else:
            super().keyPressEvent(event)

    # Helpers.

    def _select(self, lane: int, rank: int) -> None:
        self.set_current(lane, rank)
        self.card_selected.emit(lane, rank)

    def _index_in(self, other: int, lane: int, index: int) -> int:
        """Index in another list of a model of a list; -1 if it is not in it."""
        return int(indices_of(self.lanes[lane].items[index], self._known[other]))

    def _is_in_others(self, lane: int, index: int) -> bool:
        """Whether any other list contains a model."""
        return any(self._index_in(other, lane, index) >= 0 for other in range(len(self.lanes)) if other != lane)

    def _rank_change(self, lane: int, index: int) -> CardRankChange | None:
        """Change from the first list; None for its own models, unless no other list has them."""
        if len(self.lanes) < 2:
            return None
        first = self._index_in(0, lane, index)
        if not self._is_in_others(lane, index):
            others = [other for other in self.lanes if other is not self.lanes[lane]]
            return ONLY if all(len(other) > index for other in others) else ABSENT
        if lane == 0:
            return None
        return rank_change(index, first) if first >= 0 else ABSENT

    def card_tooltip(self, lane: int, rank: int) -> str:
        """Description of a card."""
        index, change = rank - 1, ""
        if len(self.lanes) > 1 and lane > 0:
            change = rank_change_text(index, self._index_in(0, lane, index), self.lanes[0])
        elif len(self.lanes) > 1 and not self._is_in_others(0, index):
            change = "in no other list shown"
        return card_text(self.lanes[lane], index, self._cards, change)

    def _paint_card(self, painter: QPainter, lane: int, index: int) -> None:
        item = int(self.lanes[lane].items[index])
        state = "current" if self.current == (lane, index + 1) else "hovered" if item == self._item >= 0 else ""
        change = self._rank_change(lane, index)
        self._painter.draw_card(
            painter, self.card(lane, index + 1), self.lanes[lane], index, self._cards, change, state
        )

    def _paint_lines(self, painter: QPainter, first: int, last: int) -> None:
        for link in lane_links(self.lanes, self._known, range(first, last + 1), self._item):
            if not (link.is_highlighted or self._shows_all_lines or link.level > 0):
                continue
            heights = [self._height(row) for row in (link.index, link.target)]
            far = any(not -self._card_height <= end <= self.viewport().height() + self._card_height for end in heights)
            start = QPointF(sum(self._column(link.lane)), heights[0])
            end = QPointF(self._column(link.lane + 1)[0], heights[1])
            self._painter.draw_line(painter, start, end, link.level, is_highlighted=link.is_highlighted, faint=far)

    def _shown(self) -> tuple[int, ...]:
        return tuple(range(len(self.lanes))) if self.isolated_lane is None else (self.isolated_lane,)

    def _exists(self, lane: int, rank: int) -> bool:
        return 0 <= lane < len(self.lanes) and 1 <= rank <= len(self.lanes[lane])

    def _column(self, lane: int) -> tuple[float, float]:
        """Left edge and width of a list."""
        available = self.viewport().width() - 2 * SPACE
        index, count = (lane, max(len(self.lanes), 1)) if self.isolated_lane is None else (0, 1)
        left, width = lane_geometry(index, count, available)
        return SPACE + left, width

    def _update_scroll_bar(self) -> None:
        longest = max((len(lane) for lane in self.lanes), default=0)
        page, length = self.viewport().height() - self._header_height, longest * self._card_height + SPACE
        self.set_scroll_range(self.verticalScrollBar(), length, page, self._card_height // 2)
        self._visible_timer.start()

    def _scroll_to(self, index: int) -> None:
        bar, height = self.verticalScrollBar(), self.viewport().height() - self._header_height
        if index * self._card_height < bar.value():
            bar.setValue(index * self._card_height)
        elif (index + 1) * self._card_height > bar.value() + height:
            bar.setValue((index + 1) * self._card_height - height)

    def _height(self, index: int) -> float:
        """Y of the centre of a row, clamped near the viewport."""
        y = self._header_height + index * self._card_height - self.verticalScrollBar().value() + self._card_height / 2
        return float(min(max(y, -LINE_MARGIN), self.viewport().height() + LINE_MARGIN))

    def _on_scrolled(self) -> None:
        self._visible_timer.start()

    def _emit_visible(self) -> None:
        self.visible_rows_changed.emit(*self.visible_rows())
