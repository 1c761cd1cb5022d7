"""Contingency table drawn as a square: TP, FP, FN, TN with row and column sums."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from shrec_viewer.widgets.style.painted import PaintedWidget
from shrec_viewer.widgets.style.text import CENTRE, RIGHT, put_text
from shrec_viewer.widgets.style.theme import RADIUS, SPACE, text_font

#: Name and meaning of each cell, row by row: retrieved in the first row, relevant in the first column.
FIELDS = (
    ("TP", "relevant, retrieved"),
    ("FP", "not relevant, retrieved"),
    ("FN", "relevant, not retrieved"),
    ("TN", "not relevant, not retrieved"),
)


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
        descriptions = (f"{count:,} {meaning}" for count, (_, meaning) in zip(self.counts, FIELDS, strict=True))
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
        return self.fontMetrics().horizontalAdvance("retrieved") + 3.0 * SPACE

    def _total_width(self) -> float:
        return self.fontMetrics().horizontalAdvance(f"{sum(self.counts):,}") + 2.0 * SPACE

    def _min_cell_width(self) -> float:
        """Width of a cell for its name and count, and for the header above it."""
        header = self.fontMetrics().horizontalAdvance("relevant")
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
        header = footer + (metrics.height() if metrics.horizontalAdvance("not relevant") > width else 0)
        height = (self.height() - header - footer - SPACE) / 2
        wrapped = Qt.TextFlag.TextWordWrap
        tp, fp, fn, tn = self.counts
        muted = self._theme.colour("muted")
        for column, name in enumerate(("relevant", "not relevant")):
            box = QRectF(label_width + column * width, 0, width, header)
            put_text(painter, box, name, muted, CENTRE | wrapped)
        for row, name in enumerate(("retrieved", "not retrieved")):
            box = QRectF(0, header + row * height, label_width - 2 * SPACE, height)
            put_text(painter, box, name, muted, RIGHT | wrapped)
        for index, (name, _) in enumerate(FIELDS):
            row, column = divmod(index, 2)
            cell = QRectF(label_width + column * width, header + row * height, width, height).adjusted(2, 2, -2, -2)
            self._paint_cell(painter, cell, name, self.counts[index], is_correct=index in (0, 3))
        painter.setFont(text_font(self.font()))
        for row, count in enumerate((tp + fp, fn + tn)):
            box = QRectF(label_width + 2 * width, header + row * height, total, height)
            put_text(painter, box, f"{count:,}", muted, RIGHT)
        for column, count in enumerate((tp + fn, fp + tn)):
            box = QRectF(label_width + column * width, header + 2 * height, width, footer)
            put_text(painter, box, f"{count:,}", muted, CENTRE)
        box = QRectF(label_width + 2 * width, header + 2 * height, total, footer)
        put_text(painter, box, f"{sum(self.counts):,}", muted, RIGHT)

    def _paint_cell(self, painter: QPainter, box: QRectF, name: str, count: int, *, is_correct: bool) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.colour("selection" if is_correct else "hover_strong"))
        painter.drawRoundedRect(box, RADIUS, RADIUS)
        inner, number_font = box.adjusted(2 * SPACE, 0, -2 * SPACE, 0), text_font(self.font(), 1.1, bold=True)
        put_text(painter, inner, name, self._theme.colour("muted"), font=text_font(self.font(), 0.92))
        put_text(painter, inner, f"{count:,}", self._theme.colour("ink"), RIGHT, font=number_font)
