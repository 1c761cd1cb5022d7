"""Ranked lists side by side: the data of a lane, links between lanes, and painting."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPen, QPixmap

from shrec_viewer.number_format import format_distance
from shrec_viewer.render.scene.palette import RANK_CHANGE
from shrec_viewer.widgets.plots.curves import line_pen
from shrec_viewer.widgets.style.relevance import FRAME_MARGIN, badge_width, draw_badge, draw_frame, level_mark
from shrec_viewer.widgets.style.theme import RADIUS, SPACE, Theme, text_font
from shrec_viewer.widgets.style.thumbnail_painter import ThumbnailPainter

LANE_SPACING, MAX_CARD_WIDTH = 84, 340
"""Pixels between two lists for the lines, and maximum width of a card; beyond it the gap grows."""

MAX_LANE_SPACING, MIN_LANE_SPACING = 210, 36
"""Maximum and minimum pixels between two lists; longer lines are hard to follow."""

MIN_FULL_CARD_WIDTH = 176
"""Width of a card in pixels below which it has neither class nor distance; then the gaps shrink."""


@dataclass(frozen=True, eq=False)
class RankLane:
    """Ranked list of a run.

    Attributes
    ----------
    title, note : name of the run, and text at its right (a score).
    colour, dash : line style of the run.
    items : (n,) int32, models, best first.
    levels : (n,) int8, relevance of each; -1 if not assessed.
    distances : (n,) float64, NaN for none.
    missing : why there is no ranked list, "" otherwise.
    """

    title: str
    note: str
    colour: str
    dash: str
    items: NDArray[np.int32]
    levels: NDArray[np.int8]
    distances: NDArray[np.float64]
    missing: str = ""

    def __len__(self) -> int:
        return len(self.items)


def positions_in(one: RankLane, other: RankLane) -> NDArray[np.int64]:
    """(n,) int64, 0-based index in `other` of each model of `one`; -1 if it is not in `other`.

    Examples
    --------
    >>> def lane(*items):
    ...     n = len(items)
    ...     return RankLane("", "", "", "", np.array(items, np.int32), np.zeros(n, np.int8), np.zeros(n))
    >>> positions_in(lane(4, 2, 9), lane(9, 4)).tolist()
    [1, -1, 0]
    """
    if not len(one) or not len(other):
        return np.full(len(one), -1, np.int64)
    order = np.argsort(other.items, kind="stable")
    ordered = other.items[order]
    indices = np.minimum(np.searchsorted(ordered, one.items), len(ordered) - 1)
    return np.where((ordered[indices] == one.items) & (one.items >= 0), order[indices], -1)


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
    lanes: Sequence[RankLane],
    after: Sequence[NDArray[np.int64]],
    before: Sequence[NDArray[np.int64]],
    rows: range,
    highlighted_item: int,
) -> Iterator[LaneLink]:
    """Links between neighbouring lists of models with an index within `rows`; that of the highlighted model is last.

    Parameters
    ----------
    after, before : for each list but the last, the indices of its models in the next list, and vice versa.
    highlighted_item : the highlighted model, -1 for none.
    """
    for lane, next_indices in enumerate(after):
        one, other = lanes[lane], lanes[lane + 1]
        indices = set(range(rows.start, min(rows.stop, len(one))))
        indices.update(int(index) for index in before[lane][rows.start : rows.stop] if index >= 0)
        for index in sorted(indices, key=lambda index: (int(one.items[index]) == highlighted_item, index)):
            if (target := int(next_indices[index])) >= 0:
                level = int(max(one.levels[index], other.levels[target]))
                yield LaneLink(lane, index, target, level, int(one.items[index]) == highlighted_item)


THUMBNAIL_EDGE, SMALL_THUMBNAIL_EDGE = 56, 44
"""Size of a thumbnail in pixels: three lines of text."""

CARD_HEIGHT = THUMBNAIL_EDGE + 2 * FRAME_MARGIN + SPACE
"""Height in pixels of a card with its gap."""

CHANGE_GLYPHS = {"up": "▲", "down": "▼", "same": "="}

BEND_SHARE = 0.45
"""Share of the gap over which a line is horizontal at both ends, so that its card is recognisable."""


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
    """Rank change of a model relative to the neighbouring list: ``"up"``, ``"down"``, ``"same"``, ``"only"``."""

    kind: str
    text: str


def rank_change(index: int, other: int) -> CardRankChange:
    """Rank change of a model with the 0-based indices `index` here and `other` there, -1 for none.

    Examples
    --------
    >>> rank_change(1, 37), rank_change(5, 5).text, rank_change(9, 4).text, rank_change(0, -1).text
    (CardRankChange(kind='up', text='▲ 36  (38)'), '=  (6)', '▼ 5  (5)', 'only here')
    """
    if other < 0:
        return CardRankChange("only", "only here")
    kind = "same" if index == other else "up" if index < other else "down"
    by = f" {abs(other - index):,}" if index != other else ""
    return CardRankChange(kind, f"{CHANGE_GLYPHS[kind]}{by}  ({other + 1:,})")


def card_text(lane: RankLane, index: int, cards: CardSource, neighbour: RankLane | None = None, other: int = -1) -> str:
    """Text of the tooltip of a card; `other` is the model's index in the neighbouring list."""
    item = int(lane.items[index])
    model_text = f"{cards.name(item)} {cards.class_name(item)}".rstrip()
    value = format_distance(float(lane.distances[index]))
    lines = [f"{lane.title}, rank {index + 1:,}: {model_text}", f"distance {value}" if value else ""]
    if neighbour is not None:
        lines.append(rank_change_text(index, other, neighbour))
    return "\n".join(line for line in lines if line)


def rank_change_text(index: int, other: int, neighbour: RankLane) -> str:
    """Rank change relative to the neighbouring list; `other` is the model's index there, -1 for none.

    Examples
    --------
    >>> import numpy as np
    >>> neighbour = RankLane("B2", "", "", "", np.zeros(9, np.int32), np.zeros(9, np.int8), np.zeros(9))
    >>> rank_change_text(2, 4, neighbour), rank_change_text(4, 4, neighbour), rank_change_text(0, -1, neighbour)
    ('2 ranks better than in B2 (rank 5)', 'at the same rank in B2', 'not in the list of B2')
    """
    if other < 0:
        return f"not in the list of {neighbour.title}"
    if index == other:
        return f"at the same rank in {neighbour.title}"
    count = abs(other - index)
    step = f"{count:,} rank{'' if count == 1 else 's'} {'better' if index < other else 'worse'}"
    return f"{step} than in {neighbour.title} (rank {other + 1:,})"


class RankLanePainter:
    """Paints headers, cards and lines in a theme and font."""

    def __init__(self, theme: Theme, font: QFont) -> None:
        self.theme = theme
        self.preset = "ordinal"
        self.binary = False
        self._thumbnail_painter = ThumbnailPainter()
        self.set_font(font)

    def set_font(self, font: QFont) -> None:
        """Compute sizes from the view's font."""
        self._regular_font, self._bold_font = text_font(font), text_font(font, bold=True)
        self._small_font = text_font(font, 0.92)
        self._badge_font = text_font(font, 0.85, bold=True)

    def draw_header(
        self, painter: QPainter, box: QRectF, lane: RankLane, *, current: bool, extra_note: str = ""
    ) -> None:
        """Paint the name of a run over its list and its score, if both fit."""
        painter.fillRect(box, self.theme.colour("surface"))
        painter.setPen(line_pen(QColor(lane.colour), 2.5, lane.dash))
        start = QPointF(box.left() + FRAME_MARGIN, box.center().y())
        painter.drawLine(start, start + QPointF(24, 0))
        available = box.adjusted(FRAME_MARGIN + 24 + 2 * SPACE, 0, -2 * SPACE, 0)
        title_width = QFontMetricsF(self._bold_font).horizontalAdvance(lane.title) + 2 * SPACE
        regular_metrics = QFontMetricsF(self._regular_font)
        notes = (extra_note, lane.note, lane.note.rpartition(" ")[2])  # of "ADR 0.921" the number alone is enough
        note = next(
            (n for n in notes if n and title_width + regular_metrics.horizontalAdvance(n) <= available.width()), ""
        )
        text_width = self._draw_text(painter, available, note, self._regular_font, "muted", right=True) if note else 0.0
        self._draw_text(
            painter,
            available.adjusted(0, 0, -text_width - SPACE, 0),
            lane.title,
            self._bold_font,
            "ink",
            elide_middle=True,
        )
        painter.setPen(self.theme.colour("accent" if current else "line"))
        painter.drawLine(box.bottomLeft(), box.bottomRight())

    def draw_card(
        self,
        painter: QPainter,
        box: QRectF,
        lane: RankLane,
        index: int,
        cards: CardSource,
        shift: CardRankChange | None,
        state: str,
    ) -> None:
        """Paint a card; `state` is ``"current"``, ``"hovered"`` (the model under the mouse), or ""."""
        inner = box.adjusted(0, 1, 0, -1)
        if state:
            painter.setPen(QPen(self.theme.colour("accent"), 1.5) if state == "current" else Qt.PenStyle.NoPen)
            painter.setBrush(self.theme.colour("selection" if state == "current" else "hover_strong"))
            painter.drawRoundedRect(inner, RADIUS, RADIUS)
        item = int(lane.items[index])
        mark = level_mark(int(lane.levels[index]), self.theme, self.preset, binary=self.binary)
        is_compact = box.width() < MIN_FULL_CARD_WIDTH
        size = SMALL_THUMBNAIL_EDGE if is_compact else THUMBNAIL_EDGE
        edge = FRAME_MARGIN + SPACE / 2
        picture = QRectF(box.left() + edge + (0 if is_compact else SPACE), box.top() + edge, size, size)
        self._draw_thumbnail(painter, picture, cards, item)
        draw_frame(painter, picture, mark)
        line = QFontMetricsF(self._bold_font).height()
        text = QRectF(picture.right() + FRAME_MARGIN + (SPACE if is_compact else 2 * SPACE), picture.top(), 0, line)
        text.setRight(box.right() - (1 if is_compact else 2 * SPACE))
        badge = badge_width(mark, self._badge_font)
        height = QFontMetricsF(self._badge_font).height()
        draw_badge(
            painter, QRectF(text.right() - badge, text.center().y() - height / 2, badge, height), mark, self._badge_font
        )
        available = text.adjusted(0, 0, -badge - SPACE, 0)
        rank = self._draw_text(painter, available, f"{index + 1:,}", self._bold_font, "ink") + 1.5 * SPACE
        if is_compact:
            text.translate(0, line)
            self._draw_text(painter, text, cards.name(item), self._regular_font, "ink", elide_middle=True)
        else:
            self._draw_text(
                painter,
                available.adjusted(rank, 0, 0, 0),
                cards.name(item),
                self._regular_font,
                "ink",
                elide_middle=True,
            )
            text.translate(0, line)
            text_width = self._draw_text(
                painter, text, format_distance(float(lane.distances[index])), self._small_font, "muted", right=True
            )
            self._draw_text(
                painter, text.adjusted(0, 0, -text_width - SPACE, 0), cards.class_name(item), self._small_font, "muted"
            )
        if shift is not None:
            text.translate(0, line)
            self._draw_shift(painter, text, shift)

    def draw_line(
        self, painter: QPainter, start: QPointF, end: QPointF, level: int, *, is_highlighted: bool, faint: bool
    ) -> None:
        """Paint a line from a card to that of the same model in the next list."""
        mark = level_mark(level, self.theme, self.preset, binary=self.binary)
        colour = (
            self.theme.colour("accent") if is_highlighted else QColor(mark.colour if level > 0 else self.theme.faint)
        )
        colour.setAlphaF(1.0 if is_highlighted else 0.25 if faint else 0.75 if level > 0 else 0.3)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(colour, 2.5 if is_highlighted else 1.5 if level > 0 else 1.0))
        bend = (end.x() - start.x()) * BEND_SHARE
        path = QPainterPath(start)
        path.cubicTo(start + QPointF(bend, 0), end - QPointF(bend, 0), end)
        painter.drawPath(path)

    def _draw_shift(self, painter: QPainter, box: QRectF, shift: CardRankChange) -> None:
        painter.setFont(self._small_font)
        if shift.kind == "only":
            metrics = QFontMetricsF(self._small_font)
            pill = QRectF(box.left(), box.top(), metrics.horizontalAdvance(shift.text) + 2.5 * SPACE, box.height())
            pen = QPen(self.theme.colour("line_strong"), 1, Qt.PenStyle.DashLine)
            painter.setPen(pen)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(pill.adjusted(0.5, 1.5, -0.5, -1.5), RADIUS, RADIUS)
            painter.setPen(self.theme.colour("muted"))
            painter.drawText(pill, Qt.AlignmentFlag.AlignCenter, shift.text)
            return
        painter.setPen(QColor(RANK_CHANGE[self.theme.name][shift.kind]))
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, shift.text)

    def _draw_thumbnail(self, painter: QPainter, box: QRectF, cards: CardSource, item: int) -> None:
        picture, problem = cards.picture(item), cards.problem(item)
        if picture is not None:
            self._thumbnail_painter.draw(painter, box, picture, self.theme)
        elif problem:
            self._thumbnail_painter.draw_missing(painter, box, problem, self.theme, self._badge_font)
        else:
            self._thumbnail_painter.draw_background(painter, box, self.theme)

    def _draw_text(
        self,
        painter: QPainter,
        box: QRectF,
        text: str,
        font: QFont,
        token: str,
        *,
        right: bool = False,
        elide_middle: bool = False,
    ) -> float:
        metrics = QFontMetricsF(font)
        mode = Qt.TextElideMode.ElideMiddle if elide_middle else Qt.TextElideMode.ElideRight
        elided = metrics.elidedText(text, mode, max(box.width(), 0.0))
        painter.setFont(font)
        painter.setPen(self.theme.colour(token))
        alignment = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
        painter.drawText(box, alignment | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, elided)
        return metrics.horizontalAdvance(elided)
