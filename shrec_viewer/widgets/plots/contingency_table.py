"""Contingency table drawn as a square, as table 1 of Sebe et al.: TP, FN, FP, TN with row and column sums."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from shrec_viewer.widgets.style.painted import PaintedWidget
from shrec_viewer.widgets.style.text import CENTRE, RIGHT, put_text
from shrec_viewer.widgets.style.theme import RADIUS, SPACE, text_font

#: Name, meaning and index in `ContingencyTableWidget.counts` of each cell, row by row.
FIELDS = (
    ("TP", "relevant, retrieved", 0),
    ("FN", "relevant, not retrieved", 2),
    ("FP", "not relevant, retrieved", 1),
    ("TN", "not relevant, not retrieved", 3),
)

#: Names of rows and columns, with that of their sums.
ROWS, COLUMNS = ("relevant", "not relevant", "all"), ("retrieved", "not retrieved", "all")


class ContingencyTableWidget(PaintedWidget):
    """Paints the four counts with the sums of rows and columns.

    Attributes
    ----------
    counts : TP, FP, FN, TN.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.counts = (0, 0, 0, 0)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_counts(self, tp: int, fp: int, fn: int, tn: int) -> None:
        """Show these counts."""
        self.counts = (tp, fp, fn, tn)
        descriptions = (f"{self.counts[index]:,} {meaning}" for _, meaning, index in FIELDS)
        self.setAccessibleName("; ".join(descriptions))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Six lines of text: the headers may need two."""
        return QSize(260, 6 * self.fontMetrics().height() + 12 * SPACE)

    def minimumSizeHint(self) -> QSize:
        """Width at which no word of a header is cut off."""
        return QSize(round(self._label_width() + self._total_width() + 2 * self._min_cell_width()), 0)

    def _label_width(self) -> float:
        return self.fontMetrics().horizontalAdvance("relevant") + 3.0 * SPACE

    def _total_width(self) -> float:
        return self.fontMetrics().horizontalAdvance(f"{sum(self.counts):,}") + 2.0 * SPACE

    def _min_cell_width(self) -> float:
        """Width of a cell for its name and count, and for the header above it."""
        header = self.fontMetrics().horizontalAdvance("retrieved")
        count = QFontMetricsF(text_font(self.font(), 1.1, bold=True)).horizontalAdvance(f"{max(self.counts):,}")
        return max(header, count + self.fontMetrics().horizontalAdvance("TN") + 5 * SPACE) + SPACE

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the four counts with their headers."""
        painter = QPainter(self)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        metrics = self.fontMetrics()
        label_width, total = self._label_width(), self._total_width()
        width = (self.width() - label_width - total - SPACE) / 2
        footer = metrics.height() + SPACE
        header = footer + (metrics.height() if metrics.horizontalAdvance("not retrieved") > width else 0)
        height = (self.height() - header - footer - SPACE) / 2
        wrapped = Qt.TextFlag.TextWordWrap
        tp, fp, fn, tn = self.counts
        muted = self._theme.colour("muted")
        edges = (label_width, label_width + width, label_width + 2 * width), (header, header + height)
        columns = list(zip(edges[0], (width, width, total), (CENTRE, CENTRE, RIGHT), strict=True))
        rows = list(zip((*edges[1], header + 2 * height), (height, height, footer), strict=True))
        for (left, across, alignment), name in zip(columns, COLUMNS, strict=True):
            put_text(painter, QRectF(left, 0, across, header), name, muted, alignment | wrapped)
        for (top, down), name in zip(rows, ROWS, strict=True):
            put_text(painter, QRectF(0, top, label_width - 2 * SPACE, down), name, muted, RIGHT | wrapped)
        for number, (name, _, index) in enumerate(FIELDS):
            (top, down), (left, across, _) = rows[number // 2], columns[number % 2]
            cell = QRectF(left, top, across, down).adjusted(2, 2, -2, -2)
            self._paint_cell(painter, cell, name, self.counts[index], is_correct=index in (0, 3))
        painter.setFont(text_font(self.font()))
        for (top, down), count in zip(rows, (tp + fn, fp + tn, sum(self.counts)), strict=True):
            put_text(painter, QRectF(columns[2][0], top, total, down), f"{count:,}", muted, RIGHT)
        for (left, across, alignment), count in zip(columns[:2], (tp + fp, fn + tn), strict=True):
            put_text(painter, QRectF(left, rows[2][0], across, footer), f"{count:,}", muted, alignment)

    def _paint_cell(self, painter: QPainter, box: QRectF, name: str, count: int, *, is_correct: bool) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.colour("selection" if is_correct else "hover_strong"))
        painter.drawRoundedRect(box, RADIUS, RADIUS)
        inner, number_font = box.adjusted(2 * SPACE, 0, -2 * SPACE, 0), text_font(self.font(), 1.1, bold=True)
        put_text(painter, inner, name, self._theme.colour("muted"), font=text_font(self.font(), 0.92))
        put_text(painter, inner, f"{count:,}", self._theme.colour("ink"), RIGHT, font=number_font)
