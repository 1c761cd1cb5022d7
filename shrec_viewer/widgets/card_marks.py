"""What is drawn above the cards of a grid: tiers, ties, the rank cursor, and the ranks a number was computed from."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QWidget

from shrec_viewer.widgets.theme import RADIUS, Theme, text_font

TAB = (22.0, 4.0)
"""Width and height of the tab at the top of a marked card: seen at once among others, away from the picture."""

CAP = 4.0
"""Pixels that a bracket turns up at its ends; the gap between two lines of cards is 6."""


@dataclass(frozen=True)
class Placed:
    """One card in sight.

    Attributes
    ----------
    row, rank : of the model; rank 0 for a model that is not ranked.
    cell : where it is drawn.
    tie : first and last rank of the group of equal distances it belongs to, (0, 0) for none.
    line : of the grid, so that a bracket knows where it has to break.
    """

    row: int
    rank: int
    cell: QRectF
    tie: tuple[int, int]
    line: int


class CardMarks:
    """Draws marks upon cards that are painted already.

    Parameters
    ----------
    view : whose font is used.

    Attributes
    ----------
    cuts : labels of separators by the rank after which they stand.
    cursor : rank that is pointed at, or None.
    ranks : ranks that a number was computed from.
    """

    def __init__(self, view: QWidget) -> None:
        self._view = view
        self.cuts: dict[int, str] = {}
        self.cursor: int | None = None
        self.ranks: frozenset[int] = frozenset()

    def draw(self, painter: QPainter, cards: Sequence[Placed], theme: Theme, current: int) -> None:
        """Draw what belongs to these cards; `current` is the row whose outline is there already."""
        for card, after in zip(cards, (*cards[1:], None), strict=True):
            if card.tie != (0, 0):
                self._draw_tie(painter, card, after, theme)
            if card.rank in self.ranks:
                self._draw_tab(painter, card, theme)
            if card.rank == self.cursor and card.rank > 0 and card.row != current:
                self._draw_cursor(painter, card, theme)
            if (label := self.cuts.get(card.rank)) is not None:
                self._draw_cut(painter, card, label, theme)

    def _draw_tie(self, painter: QPainter, card: Placed, after: Placed | None, theme: Theme) -> None:
        """The piece below one card of the bracket that holds a group of ties together."""
        first, last = card.rank == card.tie[0], card.rank == card.tie[1]
        y = card.cell.bottom() + 2.5
        left = card.cell.left() + (CAP if first else 0)
        right = card.cell.right() - CAP if last else card.cell.right()
        if not last and after is not None and after.line == card.line:
            right = after.cell.left()
        painter.setPen(QPen(theme.colour("line_strong"), 1))
        painter.drawLine(QLineF(left, y, right, y))
        for x, ends in ((left, first), (right, last)):
            if ends:
                painter.drawLine(QLineF(x, y, x, y - CAP))

    def _draw_tab(self, painter: QPainter, card: Placed, theme: Theme) -> None:
        width, height = TAB
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("accent"))
        tab = QRectF(card.cell.center().x() - width / 2, card.cell.top(), width, height)
        painter.drawRoundedRect(tab, height / 2, height / 2)

    def _draw_cursor(self, painter: QPainter, card: Placed, theme: Theme) -> None:
        painter.setPen(QPen(theme.colour("line_strong"), 1.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(card.cell.adjusted(0.75, 0.75, -0.75, -0.75), RADIUS + 2, RADIUS + 2)

    def _draw_cut(self, painter: QPainter, card: Placed, label: str, theme: Theme) -> None:
        """A line after the card with its label on top."""
        painter.setFont(text_font(self._view.font(), 0.78, strong=True))
        width = painter.fontMetrics().horizontalAdvance(label) + 8
        height = painter.fontMetrics().height()
        x = card.cell.right() + 3.5
        right = min(x + width / 2, painter.viewport().width() - 1)
        tag = QRectF(right - width, card.cell.top(), width, height)
        painter.setPen(QPen(theme.colour("muted"), 1.5))
        painter.drawLine(QLineF(QPointF(x, card.cell.top() + height), QPointF(x, card.cell.bottom())))
        painter.setBrush(theme.colour("muted"))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.drawRoundedRect(tag, 3, 3)
        painter.setPen(theme.colour("surface"))
        painter.drawText(tag, Qt.AlignmentFlag.AlignCenter, label)
