"""Paints cards of lists side by side, and the lines between the places of one model in two of them."""

from dataclasses import dataclass
from typing import Protocol

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPen, QPixmap

from shrec_viewer.numerals import distance
from shrec_viewer.render.palette import RANK_CHANGE
from shrec_viewer.widgets.picture_paint import PicturePainter
from shrec_viewer.widgets.plot_curve import line_pen
from shrec_viewer.widgets.relevance_mark import FRAME_ROOM, badge_width, draw_badge, draw_frame, level_mark
from shrec_viewer.widgets.shift_lane import NARROW, Lane
from shrec_viewer.widgets.theme import RADIUS, SPACE, Theme, text_font

PICTURE, NARROW_PICTURE = 56, 44
"""Edge of a picture in pixels: three lines of text stand beside it; the same on a narrow card."""

CARD = PICTURE + 2 * FRAME_ROOM + SPACE
"""Height of a card with its gap."""

GLYPHS = {"up": "▲", "down": "▼", "same": "="}

BEND = 0.45
"""Share of the gap after which a line bends; it leaves and arrives level, so that its card is plain to see."""


class Faces(Protocol):
    """What is known of models; asked for those in sight only."""

    def name(self, item: int) -> str:
        """Id."""

    def class_name(self, item: int) -> str:
        """Class, "" for none."""

    def picture(self, item: int) -> QPixmap | None:
        """Picture, None while there is none."""

    def problem(self, item: int) -> str:
        """Why there will be none, "" otherwise."""


@dataclass(frozen=True)
class Shift:
    """How a model stands in this list compared with the one beside it: ``"up"``, ``"down"``, ``"same"``, ``"only"``."""

    kind: str
    text: str


def shift_of(place: int, other: int) -> Shift:
    """Of a model at `place` (from 0) here and `other` there, -1 for nowhere.

    Examples
    --------
    >>> shift_of(1, 37), shift_of(5, 5).text, shift_of(9, 4).text, shift_of(0, -1).text
    (Shift(kind='up', text='▲ 36  (38)'), '=  (6)', '▼ 5  (5)', 'only here')
    """
    if other < 0:
        return Shift("only", "only here")
    kind = "same" if place == other else "up" if place < other else "down"
    by = f" {abs(other - place):,}" if place != other else ""
    return Shift(kind, f"{GLYPHS[kind]}{by}  ({other + 1:,})")


def card_words(lane: Lane, place: int, faces: Faces, neighbour: Lane | None = None, other: int = -1) -> str:
    """What the tip of a card says: all that is on it, in words; `other` is the model's place in the neighbour's list.

    Examples
    --------
    >>> import numpy as np
    >>> neighbour = Lane("B2", "", "", "", np.zeros(9, np.int32), np.zeros(9, np.int8), np.zeros(9))
    >>> shift_words(2, 4, neighbour), shift_words(4, 4, neighbour), shift_words(0, -1, neighbour)
    ('2 ranks better than in B2 (rank 5)', 'at the same rank in B2', 'not in the list of B2')
    """
    item = int(lane.items[place])
    known = f"{faces.name(item)} {faces.class_name(item)}".rstrip()
    value = distance(float(lane.distances[place]))
    lines = [f"{lane.title}, rank {place + 1:,}: {known}", f"distance {value}" if value else ""]
    if neighbour is not None:
        lines.append(shift_words(place, other, neighbour))
    return "\n".join(line for line in lines if line)


def shift_words(place: int, other: int, neighbour: Lane) -> str:
    """How a model at `place` (from 0) stands compared with a neighbour's list; see `card_words`."""
    if other < 0:
        return f"not in the list of {neighbour.title}"
    if place == other:
        return f"at the same rank in {neighbour.title}"
    count = abs(other - place)
    step = f"{count:,} rank{'' if count == 1 else 's'} {'better' if place < other else 'worse'}"
    return f"{step} than in {neighbour.title} (rank {other + 1:,})"


class ShiftPainter:
    """Paints in one theme and font; knows no layout."""

    def __init__(self, theme: Theme, font: QFont) -> None:
        self.theme = theme
        self.preset = "ordinal"
        self.binary = False
        self._pictures = PicturePainter()
        self.set_font(font)

    def set_font(self, font: QFont) -> None:
        """Take sizes from the view's font."""
        self._plain, self._strong = text_font(font), text_font(font, strong=True)
        self._small = text_font(font, 0.92)
        self._badge = text_font(font, 0.85, strong=True)

    def head(self, painter: QPainter, box: QRectF, lane: Lane, *, current: bool, aside: str = "") -> None:
        """The name of a run over its list, and its score, or what is said aside, where there is room for both."""
        painter.fillRect(box, self.theme.colour("surface"))
        painter.setPen(line_pen(QColor(lane.colour), 2.5, lane.dash))
        start = QPointF(box.left() + FRAME_ROOM, box.center().y())
        painter.drawLine(start, start + QPointF(24, 0))
        room = box.adjusted(FRAME_ROOM + 24 + 2 * SPACE, 0, -2 * SPACE, 0)
        named = QFontMetricsF(self._strong).horizontalAdvance(lane.title) + 2 * SPACE
        plain = QFontMetricsF(self._plain)
        notes = (aside, lane.note, lane.note.rpartition(" ")[2])  # of "ADR 0.921" the number is what differs
        note = next((n for n in notes if n and named + plain.horizontalAdvance(n) <= room.width()), "")
        taken = self._text(painter, room, note, self._plain, "muted", right=True) if note else 0.0
        self._text(painter, room.adjusted(0, 0, -taken - SPACE, 0), lane.title, self._strong, "ink", middle=True)
        painter.setPen(self.theme.colour("accent" if current else "line"))
        painter.drawLine(box.bottomLeft(), box.bottomRight())

    def card(
        self, painter: QPainter, box: QRectF, lane: Lane, place: int, faces: Faces, shift: Shift | None, state: str
    ) -> None:
        """A card; `state` is ``"current"``, ``"hovered"`` (the same model as the one under the mouse), or ""."""
        inner = box.adjusted(0, 1, 0, -1)
        if state:
            painter.setPen(QPen(self.theme.colour("accent"), 1.5) if state == "current" else Qt.PenStyle.NoPen)
            painter.setBrush(self.theme.colour("selection" if state == "current" else "hover_strong"))
            painter.drawRoundedRect(inner, RADIUS, RADIUS)
        item = int(lane.items[place])
        mark = level_mark(int(lane.levels[place]), self.theme, self.preset, binary=self.binary)
        is_narrow = box.width() < NARROW
        size = NARROW_PICTURE if is_narrow else PICTURE
        edge = FRAME_ROOM + SPACE / 2
        picture = QRectF(box.left() + edge + (0 if is_narrow else SPACE), box.top() + edge, size, size)
        self._picture(painter, picture, faces, item)
        draw_frame(painter, picture, mark)
        line = QFontMetricsF(self._strong).height()
        text = QRectF(picture.right() + FRAME_ROOM + (SPACE if is_narrow else 2 * SPACE), picture.top(), 0, line)
        text.setRight(box.right() - (1 if is_narrow else 2 * SPACE))
        badge = badge_width(mark, self._badge)
        height = QFontMetricsF(self._badge).height()
        draw_badge(
            painter, QRectF(text.right() - badge, text.center().y() - height / 2, badge, height), mark, self._badge
        )
        room = text.adjusted(0, 0, -badge - SPACE, 0)
        rank = self._text(painter, room, f"{place + 1:,}", self._strong, "ink") + 1.5 * SPACE
        if is_narrow:
            text.translate(0, line)
            self._text(painter, text, faces.name(item), self._plain, "ink", middle=True)
        else:
            self._text(painter, room.adjusted(rank, 0, 0, 0), faces.name(item), self._plain, "ink", middle=True)
            text.translate(0, line)
            taken = self._text(painter, text, distance(float(lane.distances[place])), self._small, "muted", right=True)
            self._text(painter, text.adjusted(0, 0, -taken - SPACE, 0), faces.class_name(item), self._small, "muted")
        if shift is not None:
            text.translate(0, line)
            self._shift(painter, text, shift)

    def line(self, painter: QPainter, start: QPointF, end: QPointF, level: int, *, lifted: bool, faint: bool) -> None:
        """A line from a card to the card of the same model in the next list."""
        mark = level_mark(level, self.theme, self.preset, binary=self.binary)
        colour = self.theme.colour("accent") if lifted else QColor(mark.colour if level > 0 else self.theme.faint)
        colour.setAlphaF(1.0 if lifted else 0.25 if faint else 0.75 if level > 0 else 0.3)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(colour, 2.5 if lifted else 1.5 if level > 0 else 1.0))
        bend = (end.x() - start.x()) * BEND
        path = QPainterPath(start)
        path.cubicTo(start + QPointF(bend, 0), end - QPointF(bend, 0), end)
        painter.drawPath(path)

    def _shift(self, painter: QPainter, box: QRectF, shift: Shift) -> None:
        painter.setFont(self._small)
        if shift.kind == "only":
            metrics = QFontMetricsF(self._small)
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

    def _picture(self, painter: QPainter, box: QRectF, faces: Faces, item: int) -> None:
        picture, problem = faces.picture(item), faces.problem(item)
        if picture is not None:
            self._pictures.draw(painter, box, picture, self.theme)
        elif problem:
            self._pictures.draw_missing(painter, box, problem, self.theme, self._badge)
        else:
            self._pictures.draw_ground(painter, box, self.theme)

    def _text(
        self,
        painter: QPainter,
        box: QRectF,
        text: str,
        font: QFont,
        token: str,
        *,
        right: bool = False,
        middle: bool = False,
    ) -> float:
        metrics = QFontMetricsF(font)
        mode = Qt.TextElideMode.ElideMiddle if middle else Qt.TextElideMode.ElideRight
        shown = metrics.elidedText(text, mode, max(box.width(), 0.0))
        painter.setFont(font)
        painter.setPen(self.theme.colour(token))
        side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
        painter.drawText(box, side | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, shown)
        return metrics.horizontalAdvance(shown)
