"""Paints one query of a list: picture, id, class, a bar of the chosen measure, and how it differs between runs."""

import math

from PySide6.QtCore import QLineF, QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from shrec_viewer.numerals import listed
from shrec_viewer.render.palette import RANK_CHANGE
from shrec_viewer.widgets.picture_paint import PicturePainter
from shrec_viewer.widgets.roles import Roles
from shrec_viewer.widgets.theme import SPACE, Theme, current_theme, text_font

PICTURE = 44
"""Edge of the picture: three lines of text high, so that a query is recognised without making the list long."""

BAR, SMALL_BAR = 56, 36
"""Width in pixels of the value bar below its number, and of the bars beside their numbers where there are two lines."""

NARROW = 2 * BAR
"""Width of the text below which the number takes the class's place and the bar is left out."""

LETTERS = 8
"""Letters of a class that have to have room beside the bars; with fewer, as in large type, all bars are left out: bars
of different lengths could not be compared."""

WIDEST = "▼ −0.000"
"""The numbers of two lines stand in a column that has room for this, so that their bars begin at one place."""

ALIGNED = Qt.AlignmentFlag.AlignVCenter
LEFT, RIGHT = ALIGNED | Qt.AlignmentFlag.AlignLeft, ALIGNED | Qt.AlignmentFlag.AlignRight

Index = QModelIndex | QPersistentModelIndex
Taken = tuple[float, float]
"""Pixels at the right of the first and of the second line."""


class QueryDelegate(QStyledItemDelegate):
    """Paints one query.

    Roles: ``query_id`` str, ``class_name`` str, ``score`` float (NaN undefined), ``picture`` QPixmap or None,
    ``problem`` str (why there is no picture), ``missing`` bool (the run has no list for this query); and optionally
    ``score_text``, ``difference`` float with ``difference_text``, ``spread_text``: the numbers in words.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = current_theme()
        self._roles = Roles()
        self._pictures = PicturePainter()
        self._low, self._high = 0.0, 1.0
        self._most = 1.0
        self._detail, self._better = "", "higher"
        self._has_pictures = self._is_scored = True
        self.fit_fonts(parent.font())

    def set_theme(self, theme: Theme) -> None:
        """Paint with these colours from now on."""
        self._theme = theme

    def set_roles(self, roles: Roles) -> None:
        """Read items by these roles."""
        self._roles = roles

    def set_range(self, low: float, high: float) -> None:
        """Values of an empty and of a full bar."""
        self._low, self._high = low, high

    def set_difference_range(self, most: float) -> None:
        """Difference of a full half of a diverging bar."""
        self._most = most

    def set_detail(self, detail: str, better: str) -> None:
        """What the second line says: "", ``"difference"`` or ``"spread"``; and which sign of a difference is good."""
        self._detail, self._better = detail, better

    def set_parts(self, *, pictures: bool, scores: bool) -> None:
        """Whether there is anything to show in the places of picture and number."""
        self._has_pictures, self._is_scored = pictures, scores

    def height(self) -> int:
        """Of one row in pixels."""
        lines = math.ceil(self._strong_metrics.height() + self._metrics.height()) + 3 * SPACE
        return max(PICTURE + 3 * SPACE, lines) if self._has_pictures else lines

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Qt override."""
        return QSize(3 * PICTURE, self.height())

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Qt override."""
        painter.save()
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        row = QRectF(option.rect)
        self._draw_ground(painter, row, option.state)
        left = 3.0 * SPACE
        if self._has_pictures:
            box = QRectF(row.left() + 2 * SPACE, row.center().y() - PICTURE / 2, PICTURE, PICTURE)
            self._draw_picture(painter, box, index)
            left = box.right() - row.left() + 2.5 * SPACE
        text = row.adjusted(left, 1.5 * SPACE, -3 * SPACE, -1.5 * SPACE)
        self._draw_text(painter, text, index, option.font)
        painter.restore()

    def fit_fonts(self, base: QFont) -> None:
        """Make fonts once: a font with tabular figures costs as much as painting a line of text."""
        self._base = QFont(base)
        self._strong, self._plain = text_font(base, strong=True), text_font(base)
        self._strong_metrics, self._metrics = QFontMetricsF(self._strong), QFontMetricsF(self._plain)

    def _draw_ground(self, painter: QPainter, row: QRectF, state: QStyle.StateFlag) -> None:
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(row, self._theme.colour("selection"))
            painter.fillRect(QRectF(row.left(), row.top(), 3, row.height()), self._theme.colour("accent"))
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(row, self._theme.colour("hover"))

    def _draw_picture(self, painter: QPainter, box: QRectF, index: Index) -> None:
        picture = self._roles.value(index, "picture")
        problem = self._roles.value(index, "problem", "")
        if picture is not None and not picture.isNull():
            self._pictures.draw(painter, box, picture, self._theme)
        elif problem:
            self._pictures.draw_missing(painter, box, "", self._theme, text_font(painter.font(), 0.8))
        else:
            self._pictures.draw_ground(painter, box, self._theme)

    def _draw_text(self, painter: QPainter, box: QRectF, index: Index, font: QFont) -> None:
        if font != self._base:
            self.fit_fonts(font)
        line = self._strong_metrics.height()
        top = QRectF(box.left(), box.center().y() - line - 1, box.width(), line)
        bottom = top.translated(0, line + 2)
        taken, second = (0.0, 0.0), str(self._roles.value(index, "class_name", ""))
        if self._is_scored and "score" in self._roles:
            if box.width() < NARROW:
                second = self._detail_words(index) or self._score_words(index)
            else:
                draw = self._draw_both if self._detail else self._draw_score
                taken = draw(painter, top, bottom, index)
        if not second and not any(taken):
            top.moveCenter(box.center())
        for area, cut, metrics, token, text, beside in (
            (top, self._strong, self._strong_metrics, "ink", str(self._roles.value(index, "query_id", "")), taken[0]),
            (bottom, self._plain, self._metrics, "muted", second, taken[1]),
        ):
            room = area.width() - beside - (2 * SPACE if beside else 0)
            shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(0.0, room))
            painter.setFont(cut)
            painter.setPen(self._theme.colour(token))
            painter.drawText(area, LEFT, shown)

    def _draw_score(self, painter: QPainter, top: QRectF, bottom: QRectF, index: Index) -> Taken:
        """Draw the number at the right and its bar below; the width they took of both lines."""
        painter.setFont(self._plain)
        painter.setPen(self._theme.colour("warning" if self._is_missing(index) else "ink"))
        painter.drawText(top, RIGHT, self._score_words(index))
        if not self._has_bars(top.width(), BAR):
            return self._metrics.horizontalAdvance(self._score_words(index)), 0.0
        self._draw_bar(painter, QRectF(bottom.right() - BAR, bottom.center().y() - 2, BAR, 4), index)
        return BAR, BAR

    def _has_bars(self, width: float, taken: float) -> bool:
        """Whether a class can be read where numbers and bars take so much of a line."""
        return width - taken - 2 * SPACE >= LETTERS * self._metrics.averageCharWidth()

    def _draw_both(self, painter: QPainter, top: QRectF, bottom: QRectF, index: Index) -> Taken:
        """Draw the number and what it differs by, one below the other, their bars beside them."""
        painter.setFont(self._plain)
        wide = self._metrics.horizontalAdvance(WIDEST)
        left = top.right() - wide - SPACE - SMALL_BAR
        has_bars = self._has_bars(top.width(), wide + SPACE + SMALL_BAR)
        painter.setPen(self._theme.colour("warning" if self._is_missing(index) else "ink"))
        painter.drawText(top, RIGHT, self._score_words(index))
        if has_bars:
            self._draw_bar(painter, QRectF(left, top.center().y() - 2, SMALL_BAR, 4), index)
        words, difference = self._detail_words(index), self._difference(index)
        painter.setPen(self._change_colour(difference) if self._detail == "difference" else self._theme.colour("muted"))
        painter.drawText(bottom, RIGHT, words)
        if has_bars and self._detail == "difference" and not math.isnan(difference):
            self._draw_difference(painter, QRectF(left, bottom.center().y() - 2, SMALL_BAR, 4), difference)
        said = self._metrics.horizontalAdvance(words)
        if not has_bars:
            return self._metrics.horizontalAdvance(self._score_words(index)), said
        most = max(wide + SPACE + SMALL_BAR, said)
        return most, most

    def _draw_bar(self, painter: QPainter, track: QRectF, index: Index) -> None:
        if self._is_missing(index):
            painter.setPen(QPen(self._theme.colour("warning"), 1, Qt.PenStyle.DotLine))
            painter.drawLine(QLineF(track.left(), track.center().y(), track.right(), track.center().y()))
            return
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.colour("sunken"))
        painter.drawRoundedRect(track, 2, 2)
        share = self._share(self._score(index))
        if share > 0:
            painter.setBrush(self._theme.colour("accent"))
            painter.drawRoundedRect(QRectF(track.left(), track.top(), track.width() * share, track.height()), 2, 2)

    def _draw_difference(self, painter: QPainter, track: QRectF, difference: float) -> None:
        """A bar from the middle: to the right for more, to the left for less."""
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.colour("sunken"))
        painter.drawRoundedRect(track, 2, 2)
        middle = track.center().x()
        end = middle + track.width() / 2 * max(-1.0, min(1.0, difference / self._most if self._most > 0 else 0.0))
        painter.setBrush(self._change_colour(difference))
        painter.drawRect(QRectF(min(middle, end), track.top(), abs(end - middle), track.height()))
        painter.fillRect(
            QRectF(middle - 0.5, track.top() - 2, 1, track.height() + 4), self._theme.colour("line_strong")
        )

    def _change_colour(self, difference: float) -> QColor:
        """Of a gain, a loss, or neither; by the sign alone where neither end of the measure is good."""
        colours = RANK_CHANGE[self._theme.name]
        if math.isnan(difference):
            return self._theme.colour("muted")
        if difference == 0 or self._better == "none":
            return QColor(colours["same"])
        return QColor(colours["up" if (difference > 0) == (self._better == "higher") else "down"])

    def _is_missing(self, index: Index) -> bool:
        return bool(self._roles.value(index, "missing", False))

    def _score(self, index: Index) -> float:
        return float(self._roles.value(index, "score", math.nan))

    def _score_words(self, index: Index) -> str:
        if self._is_missing(index):
            return self.tr("no list")
        said = self._roles.value(index, "score_text")
        return listed(self._score(index)) if said is None else str(said)

    def _difference(self, index: Index) -> float:
        return float(self._roles.value(index, "difference", math.nan))

    def _detail_words(self, index: Index) -> str:
        return str(self._roles.value(index, f"{self._detail}_text", "")) if self._detail else ""

    def _share(self, score: float) -> float:
        if math.isnan(score) or not self._high > self._low:
            return 0.0
        return min(1.0, max(0.0, (score - self._low) / (self._high - self._low)))
