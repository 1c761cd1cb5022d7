"""What stands above a ranked list: which query, which run, what is in the list, and all of it as a barcode."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from shrec_viewer.widgets.picture_paint import PicturePainter
from shrec_viewer.widgets.relevance_mark import FRAME_ROOM, draw_frame, query_mark
from shrec_viewer.widgets.theme import SPACE, Theme, current_theme, text_font

PICTURE = 70
"""Edge of the query's picture: larger than in the list of queries, so that it can be compared with the cards, and no
higher than texts and barcode beside it."""

TEXTS = 46
"""Pixels of height of the two lines of text where something stands below them."""


class ResultsHead(QWidget):
    """Paints the query's picture in its double frame, and two lines of text beside it; a widget may stand below them.

    Parameters
    ----------
    below : what stands below the texts, as wide as they are.
    """

    def __init__(self, below: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._below = below
        self._theme = current_theme()
        self._painter = PicturePainter(most_bytes=0)  # the one in sight: each query has another
        self._picture: QPixmap | None = None
        self._problem = ""
        self._title = self._class_name = self._run = self._counts = ""
        self._run_colour = ""
        self._has_query = self._has_pictures = True
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._column = QVBoxLayout(self)
        self._column.addWidget(below)
        self._column.addStretch(1)
        self._lay_out()

    def set_has_pictures(self, has: bool) -> None:
        """Keep the place of the query's picture, or leave it out where no query has a file."""
        self._has_pictures = has
        self._lay_out()

    def set_picture(self, picture: QPixmap | None, problem: str) -> None:
        """Show the query's picture, or the place of a missing one."""
        self._picture, self._problem = picture, problem
        self.update()

    def set_texts(self, query: str, class_name: str, run: str, counts: str) -> None:
        """Show which query of which class, which run, and what its list contains."""
        self._has_query = True
        self._title, self._class_name, self._run, self._counts = query, class_name, run, counts
        self.setAccessibleName(f"{query}, {class_name}, {run}, {counts}")
        self.setToolTip(counts)
        self._lay_out()

    def set_collection(self, models: str, lacking: str) -> None:
        """Show how many models there are and what is lacking for a ranked list; no query, no run."""
        self.set_texts(models, "", "", lacking)
        self._has_query = False
        self._run_colour = ""
        self.setAccessibleName(f"{models}, {lacking}")
        self._lay_out()

    def set_run_colour(self, colour: str) -> None:
        """Mark the run by the colour it has in the graphs."""
        self._run_colour = colour
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self._theme = theme
        self.update()

    def sizeHint(self) -> QSize:
        """Qt override."""
        return QSize(320, self._high())

    def minimumSizeHint(self) -> QSize:
        """Qt override; texts are cut where there is no room."""
        return QSize(160, self._high())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Qt override; what stands below moves its marks often, and there is nothing behind it."""
        if self._below.isVisible() and self._below.geometry().contains(event.rect()):
            return
        painter = QPainter(self)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        top = (self.height() - PICTURE) // 2
        box = QRectF(2 * SPACE + FRAME_ROOM, top, PICTURE, PICTURE)
        if self._shows_picture:
            if self._picture is not None:
                self._painter.draw(painter, box, self._picture, self._theme)
            elif self._problem:
                self._painter.draw_missing(painter, box, "", self._theme, self.font())
            else:
                self._painter.draw_ground(painter, box, self._theme)
            draw_frame(painter, box, query_mark(self._theme))
        height = self.height() if self._below.isHidden() else TEXTS
        self._draw_texts(painter, QRectF(self._left(), 0, self.width() - self._left() - 2 * SPACE, height))

    def _left(self) -> float:
        """Where texts begin: beside the picture, where there is one."""
        return 2 * SPACE + PICTURE + 2 * FRAME_ROOM + 3 * SPACE if self._shows_picture else 3 * SPACE

    @property
    def _shows_picture(self) -> bool:
        return self._has_query and self._has_pictures

    def _high(self) -> int:
        """No higher than what it shows."""
        beside = TEXTS + (0 if self._below.isHidden() else self._below.sizeHint().height())
        return max(beside, PICTURE + 2 * FRAME_ROOM + 2 * SPACE if self._shows_picture else 0)

    def _lay_out(self) -> None:
        self._column.setContentsMargins(max(0, round(self._left()) - 2 * SPACE), TEXTS, 0, 0)
        self.updateGeometry()
        self.update()

    def _draw_texts(self, painter: QPainter, room: QRectF) -> None:
        title, plain = text_font(self.font(), 1.3, strong=True), text_font(self.font())
        high, line = QFontMetricsF(title).height(), QFontMetricsF(plain).height()
        first = QRectF(room.left(), room.center().y() - (high + line + SPACE) / 2, room.width(), high)
        second = QRectF(room.left(), first.bottom() + SPACE, room.width(), line)
        first.setLeft(first.left() + self._draw(painter, first, self._title, title, "ink") + 2 * SPACE)
        self._draw(painter, first, self._class_name, text_font(self.font(), 1.3), "muted")
        if self._run_colour:
            dot = QRectF(second.left(), second.center().y() - 4, 8, 8)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(self._run_colour))
            painter.drawEllipse(dot)
            second.setLeft(dot.right() + 1.5 * SPACE)
        run = self._draw(painter, second, self._run, text_font(self.font(), strong=True), "ink")
        second.setLeft(second.left() + run + (3 * SPACE if run else 0))
        self._draw(painter, second, self._counts, plain, "muted")

    def _draw(self, painter: QPainter, box: QRectF, text: str, font: QFont, token: str) -> float:
        metrics = QFontMetricsF(font)
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(0.0, box.width()))
        painter.setFont(font)
        painter.setPen(self._theme.colour(token))
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)
        return metrics.horizontalAdvance(shown)
