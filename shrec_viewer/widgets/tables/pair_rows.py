"""Cells of a table that show a pair: two pictures, two lines of text, levels and the decision about them."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF
from PySide6.QtGui import QFont, QPainter, QPixmap
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem, QWidget

from shrec_viewer.widgets.style.relevance import ThumbnailPainter, badge_width, draw_badge, level_mark
from shrec_viewer.widgets.style.text import RIGHT, draw_text, measured_font, put_text
from shrec_viewer.widgets.style.theme import SPACE
from shrec_viewer.widgets.tables.record_table import MARK_ROLE, Mark
from shrec_viewer.widgets.tables.record_view import MarkDelegate

#: Size of a picture, and height of a row of two lines without its texts, in pixels.
PICTURE_EDGE, PAIR_MARGIN = 36, 14

#: Opacity of what was decided.
DECIDED_OPACITY = 0.55

#: Characters that are kept free for the decision, so that the levels of all rows are below each other.
DECISION_CHARACTERS = 5

#: Thumbnail of a file, and why there is none; None while it is not rendered yet.
PictureOf = Callable[[Path | None], tuple[QPixmap | None, str | None]]


@dataclass(frozen=True)
class PairMark(Mark):
    """What is painted beside the text of the cell, which is the first line.

    Attributes
    ----------
    pictures : files of the pictures; empty for none.
    line : second line.
    levels : present and suggested relevance level; empty for none.
    is_binary : see `level_mark`.
    decision : text at the right; "" for none.
    is_decided : whether the row is paler than the others.
    """

    pictures: tuple[Path | None, ...] = ()
    line: str = ""
    levels: tuple[int, ...] = ()
    is_binary: bool = False
    decision: str = ""
    is_decided: bool = False


class PairDelegate(MarkDelegate):
    """Paints a `PairMark`."""

    def __init__(self, parent: QWidget, picture_of: PictureOf) -> None:
        super().__init__(parent)
        self._picture_of = picture_of
        self._painter = ThumbnailPainter()
        self._fit_fonts(parent.font())

    def _fit_fonts(self, base: QFont) -> None:
        self._base = QFont(base)
        self._bold, self._regular = measured_font(base, bold=True), measured_font(base)
        self._badge = measured_font(base, 0.85, bold=True)

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:  # noqa: N802
        """Leave the text to `paint`."""
        super().initStyleOption(option, index)
        if isinstance(index.data(MARK_ROLE), PairMark):
            option.text = ""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Paint a cell with its mark."""
        super().paint(painter, option, index)
        mark = index.data(MARK_ROLE)
        if not isinstance(mark, PairMark):
            return
        if option.font != self._base:
            self._fit_fonts(option.font)
        painter.save()
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        row, left = QRectF(option.rect), option.rect.left() + 2.0 * SPACE
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(QRectF(row.left(), row.top(), 3, row.height()), self.theme.colour("accent"))
        opacity = DECIDED_OPACITY if mark.is_decided else 1.0
        for path in mark.pictures:
            box = QRectF(left, row.center().y() - PICTURE_EDGE / 2, PICTURE_EDGE, PICTURE_EDGE)
            self._painter.draw_model(painter, box, *self._picture_of(path), self.theme, option.font, opacity)
            left = box.right() + SPACE
        painter.setOpacity(opacity)
        right = self._paint_right(painter, row.adjusted(0, 0, -2 * SPACE, 0), mark)
        top = QRectF(left + SPACE, row.center().y() - self._bold.height, right - left - 2 * SPACE, self._bold.height)
        draw_text(painter, top, str(index.data()), self._bold, self.theme.colour("ink"))
        draw_text(painter, top.translated(0, top.height()), mark.line, self._regular, self.theme.colour("muted"))
        painter.restore()

    def _paint_right(self, painter: QPainter, row: QRectF, mark: PairMark) -> float:
        """Paint levels and decision; returns the right end of what is left for the texts."""
        muted = self.theme.colour("muted")
        put_text(painter, row, mark.decision, muted, RIGHT, font=self._regular.font)
        if not mark.levels:
            return row.right() - self._regular.width(mark.decision)
        row.setRight(row.right() - DECISION_CHARACTERS * self._regular.metrics.averageCharWidth())
        for place, level in enumerate(reversed(mark.levels)):
            if place:
                put_text(painter, row, "→", muted, RIGHT, font=self._regular.font)
                row.setRight(row.right() - self._regular.width("→") - SPACE)
            badge = replace(level_mark(level, self.theme, binary=mark.is_binary), glyph="")
            draw_badge(painter, row, badge, self._badge)
            row.setRight(row.right() - badge_width(badge, self._badge) - SPACE)
        return row.right()
