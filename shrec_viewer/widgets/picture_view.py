"""One big picture with its caption: the query, or the model in hand."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QSizePolicy, QWidget

from shrec_viewer.widgets.picture_paint import PicturePainter
from shrec_viewer.widgets.relevance_mark import (
    FRAME_ROOM,
    Mark,
    badge_width,
    draw_badge,
    draw_frame,
    level_mark,
    query_mark,
)
from shrec_viewer.widgets.theme import SPACE, Theme, current_theme, text_font

SMALLEST = 64
"""Edge in pixels below which a picture says nothing."""

LARGEST = 512
"""Edge in pixels above which thumbnails would look blown up."""


class PictureView(QWidget):
    """Shows a picture as large as the widget allows, framed like a card, with a title and a line below."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = current_theme()
        self._painter = PicturePainter()
        self._picture: QPixmap | None = None
        self._problem = ""
        self._title, self._subtitle = "", ""
        self._level: int | None = None
        self._is_query = False
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def set_picture(self, picture: QPixmap | None, problem: str = "") -> None:
        """Show this picture; None with a reason for a missing one, None alone while it is being made."""
        self._picture = picture
        self._problem = problem
        self.update()

    def set_caption(self, title: str, subtitle: str = "") -> None:
        """Show these texts below the picture: ``("Q17", "duck")``."""
        self._title, self._subtitle = title, subtitle
        self.setAccessibleName(f"{title} {subtitle}".strip())
        self.update()

    def set_level(self, level: int | None) -> None:
        """Frame the picture by its relevance (-1 unjudged); None for no frame."""
        self._level = level
        self._is_query = False
        self.update()

    def set_query(self, is_query: bool) -> None:
        """Frame the picture as the query."""
        self._is_query = is_query
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self._theme = theme
        self.update()

    def sizeHint(self) -> QSize:
        """Qt override."""
        return QSize(224, 224 + self._caption_height())

    def minimumSizeHint(self) -> QSize:
        """Qt override."""
        side = SMALLEST + 2 * (FRAME_ROOM + SPACE)
        return QSize(side, side + self._caption_height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Qt override."""
        painter = QPainter(self)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        box = self._picture_box()
        if self._picture is not None and not self._picture.isNull():
            self._painter.draw(painter, box, self._picture, self._theme)
        elif self._problem:
            self._painter.draw_missing(painter, box, self._problem, self._theme, text_font(self.font(), 0.9))
        else:
            self._painter.draw_ground(painter, box, self._theme)
        mark = self._mark()
        if mark is not None:
            draw_frame(painter, box, mark)
        self._draw_caption(painter, box, mark)

    def _mark(self) -> Mark | None:
        if self._is_query:
            return query_mark(self._theme)
        return None if self._level is None else level_mark(self._level, self._theme)

    def _caption_height(self) -> int:
        return round(2 * QFontMetricsF(text_font(self.font(), strong=True)).height() + 2 * SPACE)

    def _picture_box(self) -> QRectF:
        room = FRAME_ROOM + SPACE
        below = self._caption_height()
        edge = min(self.width() - 2 * room, self.height() - 2 * room - below, LARGEST)
        edge = max(edge, SMALLEST)
        top = max(room, (self.height() - below - edge) // 2)
        return QRectF((self.width() - edge) // 2, top, edge, edge)

    def _draw_caption(self, painter: QPainter, box: QRectF, mark: Mark | None) -> None:
        strong, plain, small = (
            text_font(self.font(), strong=True),
            text_font(self.font()),
            text_font(self.font(), 0.85, strong=True),
        )
        line = QFontMetricsF(strong).height()
        width = self.width() - 4 * SPACE
        badge = badge_width(mark, small) + 6 if mark is not None else 0
        metrics = QFontMetricsF(strong)
        title = metrics.elidedText(self._title, Qt.TextElideMode.ElideMiddle, width - badge)
        taken = metrics.horizontalAdvance(title)
        left = (self.width() - taken - badge) / 2
        top = box.bottom() + FRAME_ROOM + SPACE
        painter.setFont(strong)
        painter.setPen(self._theme.colour("ink"))
        painter.drawText(QRectF(left, top, taken + 2, line), Qt.AlignmentFlag.AlignLeft, title)
        if mark is not None:
            height = QFontMetricsF(small).height()
            pill = QRectF(left + taken + 6, top + (line - height) / 2, badge - 6, height)
            draw_badge(painter, pill, mark, small)
        painter.setFont(plain)
        painter.setPen(self._theme.colour("muted"))
        shown = QFontMetricsF(plain).elidedText(self._subtitle, Qt.TextElideMode.ElideRight, width)
        row = QRectF(2 * SPACE, top + line, width, line)
        painter.drawText(row, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop, shown)
