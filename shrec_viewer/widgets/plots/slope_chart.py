"""Slope chart: the ranks of the runs in several leaderboards, one line per run."""

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from shrec_viewer.charts.plot import PlotCurve
from shrec_viewer.charts.slopes import Slopes
from shrec_viewer.widgets.style.painted import PaintedWidget
from shrec_viewer.widgets.style.text import LEFT, RIGHT, put_text
from shrec_viewer.widgets.style.theme import SPACE, text_font

#: Radius of a point in pixels.
POINT_RADIUS = 3.0

#: Largest distance in pixels between the mouse and a point that is picked.
PICK_DISTANCE = 12.0

#: Largest share of the width for the names at each side; longer ones are elided.
MAX_LABEL_SHARE = 0.28


class SlopeChart(PaintedWidget):
    """A column for each leaderboard, rank 1 at the top; equal ranks are placed below each other.

    Signals
    -------
    line_picked(int)
        A line was clicked: its index.
    line_hovered(int)
        The line under the mouse changed: its index, -1 for none.
    """

    line_picked = Signal(int)
    preferred_size = QSize(360, 240)
    smallest_size = QSize(110, 80)
    line_hovered = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._titles: tuple[str, ...] = ()
        self._lines: tuple[PlotCurve, ...] = ()
        self._rows: list[list[int]] = []  # row of each line in each column
        self._current = self._hovered = -1
        self._column = -1
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Slope chart of ranks")

    def set_chart(self, chart: Slopes, column: int = -1) -> None:
        """Show this chart; `column` is the leaderboard in use, -1 for none."""
        self._titles = tuple(f"{index}. {name}" for index, name in enumerate(chart.columns, 1))
        self._lines, self._column = chart.curves, column
        self._rows = []
        for index in range(len(self._titles)):
            # Equal ranks in the order of the column before, so that lines cross only where the order changes.
            before = self._rows[-1] if self._rows else list(range(len(self._lines)))
            ranks = [line.y[index] for line in self._lines]
            order = sorted(range(len(self._lines)), key=list(zip(ranks, before, strict=True)).__getitem__)
            self._rows.append([order.index(line) for line in range(len(self._lines))])
        self._hovered = -1
        self.setAccessibleName(f"Ranks of {len(self._lines)} runs in {len(self._titles)} leaderboards")
        self.update()

    def set_current(self, line: int) -> None:
        """Emphasise a line; -1 for none. Does not emit."""
        self._current = line
        self.update()

    def position(self, line: int, column: int) -> QPointF:
        """Point of a line in a column, in pixels."""
        box = self._box()
        n_columns, n_rows = len(self._titles), len(self._lines)
        x = box.center().x() if n_columns == 1 else box.left() + column * box.width() / (n_columns - 1)
        y = box.center().y() if n_rows == 1 else box.top() + self._rows[column][line] * box.height() / (n_rows - 1)
        return QPointF(x, y)

    def _label_width(self) -> float:
        metrics = QFontMetricsF(text_font(self.font(), 0.9))
        widest = max((metrics.horizontalAdvance(f"99 {line.label}") for line in self._lines), default=0.0)
        return min(widest + SPACE, MAX_LABEL_SHARE * self.width())

    def _box(self) -> QRectF:
        height = QFontMetricsF(text_font(self.font(), 0.9)).height()
        side = self._label_width() + 2 * SPACE
        return QRectF(self.rect()).adjusted(side, 2 * height + SPACE, -side, -height / 2 - SPACE)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint titles, columns, lines and names."""
        painter = self.start_painting()
        if not self._lines or not self._titles:
            return
        font = text_font(self.font(), 0.9)
        painter.setFont(font)
        metrics = QFontMetricsF(font)
        box, last = self._box(), len(self._titles) - 1
        width = box.width() / max(last, 1)
        for column, title in enumerate(self._titles):
            x = self.position(0, column).x()
            place = QRectF(x - width / 2, SPACE, width, metrics.height())
            if metrics.horizontalAdvance(title) > width:
                title = title.partition(".")[0]  # its number
            colour = self._theme.colour("ink" if column == self._column else "muted")
            put_text(painter, place, title, colour, Qt.AlignmentFlag.AlignHCenter)
            painter.setPen(QPen(self._theme.colour("accent" if column == self._column else "line"), 1))
            painter.drawLine(QPointF(x, box.top() - SPACE), QPointF(x, box.bottom() + SPACE))
        emphasised = self._hovered if self._hovered >= 0 else self._current
        order = [line for line in range(len(self._lines)) if line != emphasised]
        for index in order + ([emphasised] if 0 <= emphasised < len(self._lines) else []):
            self._paint_line(painter, index, metrics, index == emphasised, 0 <= emphasised < len(self._lines))

    def _paint_line(
        self, painter: QPainter, index: int, metrics: QFontMetricsF, is_emphasised: bool, has_emphasis: bool
    ) -> None:
        line, last = self._lines[index], len(self._titles) - 1
        colour = QColor(line.colour)
        if has_emphasis and not is_emphasised:
            colour.setAlphaF(0.55)
        points = [self.position(index, column) for column in range(last + 1)]
        painter.setPen(QPen(colour, 2.5 if is_emphasised else 1.5))
        painter.setBrush(colour)
        painter.drawPolyline(QPolygonF(points))
        for point in points:
            painter.drawEllipse(point, POINT_RADIUS, POINT_RADIUS)
        colour = self._theme.colour("ink" if is_emphasised or not has_emphasis else "muted")
        width, height = self._label_width(), metrics.height()
        for column, align in ((0, RIGHT), (last, LEFT)):
            if column == 0 and not last:
                continue  # a single leaderboard is labelled at the right
            rank = int(line.y[column])
            name = f"{rank} {line.label}" if column else f"{line.label} {rank}"
            point = points[column]
            left = point.x() - width - 2 * SPACE if align == RIGHT else point.x() + 2 * SPACE
            shown = metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, width)
            put_text(painter, QRectF(left, point.y() - height / 2, width, height), shown, colour, align)

    def line_at(self, position: QPointF) -> int:
        """Index of the line nearest to a position; -1 for none within `PICK_DISTANCE`."""
        if not self._lines or not self._titles:
            return -1
        box, best = self._box(), (PICK_DISTANCE, -1)
        n_columns = len(self._titles)
        step = box.width() / max(n_columns - 1, 1)
        share = min(max((position.x() - box.left()) / max(step, 1.0), 0.0), float(n_columns - 1))
        column = min(int(share), max(n_columns - 2, 0))
        for line in range(len(self._lines)):
            first = self.position(line, column).y()
            second = self.position(line, min(column + 1, n_columns - 1)).y()
            y = first + (share - column) * (second - first)
            best = min(best, (abs(y - position.y()), line))
        return best[1]

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Emphasise the line under the mouse."""
        self._hover(self.line_at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        """Emphasise the current line again."""
        super().leaveEvent(event)
        self._hover(-1)

    def _hover(self, line: int) -> None:
        if line != self._hovered:
            self._hovered = line
            self.update()
            self.line_hovered.emit(line)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Pick the line at the mouse."""
        line = self.line_at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and line >= 0:
            self.line_picked.emit(line)
