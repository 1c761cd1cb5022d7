"""What stands around a model that turns: why it is here, what it is, how relevant, and how large."""

from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter

from shrec_viewer.widgets.relevance_mark import Mark, badge_width, draw_badge, level_mark, query_mark
from shrec_viewer.widgets.theme import CORNER, SPACE, Theme, text_font


@dataclass(frozen=True)
class PaneText:
    """What stands around one model.

    Attributes
    ----------
    key : which pane.
    role : why it is here: ``"Query"``, ``"M2, rank 12"``, ``"Pinned"``.
    title : id of the model.
    detail : its class.
    value : its distance to the query.
    level : relevance, -1 unjudged, None for no mark.
    is_query : framed as the query.
    problem : why there is nothing to turn; "" where there is.
    binary : the truth has no degrees.
    """

    key: str
    role: str
    title: str = ""
    detail: str = ""
    value: str = ""
    level: int | None = None
    is_query: bool = False
    problem: str = ""
    binary: bool = False


def pane_mark(text: PaneText, theme: Theme) -> Mark | None:
    """Frame and badge of a pane; None for none."""
    if text.is_query:
        return query_mark(theme)
    return None if text.level is None else level_mark(text.level, theme, binary=text.binary)


def caption_height(font: QFont) -> float:
    """Pixels of two lines."""
    return 2 * QFontMetricsF(text_font(font, strong=True)).height()


def draw_caption(painter: QPainter, room: QRectF, text: PaneText, mark: Mark | None, font: QFont, theme: Theme) -> None:
    """Two lines from the top of `room`: role and value; title and detail, with the badge at the right."""
    strong, plain, small = text_font(font, strong=True), text_font(font), text_font(font, 0.9, strong=True)
    line = QFontMetricsF(strong).height()
    first = QRectF(room.left(), room.top(), room.width(), line)
    second = first.translated(0, line)
    painter.setPen(theme.colour("muted"))
    taken = _draw_line(painter, first, text.value, plain, right=True)
    _draw_line(painter, first.adjusted(0, 0, -taken - 2 * SPACE, 0), text.role, plain)
    if mark is not None and text.title:
        width, height = badge_width(mark, small), QFontMetricsF(small).height()
        pill = QRectF(second.right() - width, second.center().y() - height / 2, width, height)
        draw_badge(painter, pill, mark, small)
        second.setRight(pill.left() - SPACE)
    painter.setPen(theme.colour("ink"))
    taken = _draw_line(painter, second, text.title, strong, Qt.TextElideMode.ElideMiddle)
    painter.setPen(theme.colour("muted"))
    _draw_line(painter, second.adjusted(taken + 2 * SPACE, 0, 0, 0), text.detail, plain)


def draw_foot(painter: QPainter, room: QRectF, text: str, font: QFont, theme: Theme) -> None:
    """One line at the lower right of `room`, readable upon whatever stands there."""
    small = text_font(font, 0.85)
    metrics = QFontMetricsF(small)
    row = QRectF(room.left(), room.bottom() - metrics.height(), room.width(), metrics.height())
    shown = metrics.elidedText(text, Qt.TextElideMode.ElideLeft, row.width())
    ground = row.adjusted(row.width() - metrics.horizontalAdvance(shown) - SPACE, 0, SPACE, 0)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.colour("picture", 0.8))
    painter.drawRoundedRect(ground, CORNER, CORNER)
    painter.setPen(theme.colour("muted"))
    painter.setFont(small)
    painter.drawText(row, Qt.AlignmentFlag.AlignRight | Qt.TextFlag.TextSingleLine, shown)


def _draw_line(
    painter: QPainter,
    row: QRectF,
    text: str,
    font: QFont,
    elide: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
    *,
    right: bool = False,
) -> float:
    """The width taken."""
    metrics = QFontMetricsF(font)
    if not text or row.width() < metrics.averageCharWidth() * 2:
        return 0.0
    shown = metrics.elidedText(text, elide, row.width())
    side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
    painter.setFont(font)
    painter.drawText(row, side | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, shown)
    return metrics.horizontalAdvance(shown)
