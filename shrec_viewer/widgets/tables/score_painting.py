"""Delegate, header and column widths of a score table."""

from collections.abc import Iterable, Mapping
from functools import lru_cache

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, QPointF, QRect, QRectF, QSize, Qt, Slot
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QHelpEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QPolygonF,
)
from PySide6.QtWidgets import (
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QToolTip,
    QWidget,
)

from shrec_viewer.widgets.plots.curves import line_pen
from shrec_viewer.widgets.style.icons import icon_pixmap
from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme, text_font
from shrec_viewer.widgets.style.tooltips import titled_tooltip
from shrec_viewer.widgets.tables.score_sort_model import ScoreSortModel

POLARITY = {"higher": " ↑", "lower": " ↓", "none": ""}
"""Suffix of a measure's name, as on the command line; a triangle would be read as the sort order."""

LINE_SAMPLE = 24
"""Width in pixels of the line sample before a run's name."""

RANK_WIDTH = 24
"""Pixels before a number for its rank in the column, up to 99."""

WARNING_SIZE = 14
"""Size in pixels of the icon after the name of a run with a warning; the tooltip has its text."""

NUMBER_MARGIN = 3 * SPACE
"""Pixels right of the numbers and their headers; contains the triangle of the sorted column."""

DIGITS_TO_ZERO = str.maketrans("123456789", "000000000")
"""Digits have equal widths; texts that differ only in digits are measured once."""

Index = QModelIndex | QPersistentModelIndex


class ScoreDelegate(QStyledItemDelegate):
    """Delegate of a score table; see `ScoreSortModel` for the roles."""

    def __init__(self, order: ScoreSortModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._order = order
        self._theme = current_theme()
        self.hovered_row = -1

    def set_theme(self, theme: Theme) -> None:
        """Set the theme."""
        self._theme = theme

    def sample_box(self, cell: QRect) -> QRect:
        """Rectangle of the line sample in a run's cell; a click there shows or hides the run."""
        return QRect(cell.left(), cell.top(), LINE_SAMPLE + 4 * SPACE, cell.height())

    def row_height(self, font: QFont) -> int:
        """Height of a row in pixels in the view's `font`."""
        return round(QFontMetricsF(text_font(font, bold=True)).height() + 2.5 * SPACE)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Size of a number with bar and rank, or of a name with line sample and warning icon."""
        metrics = QFontMetricsF(text_font(option.font, bold=True))
        height = self.row_height(option.font)
        info = self._order.column_info(index.column())
        if info.is_score:
            text = info.text(self._order.value(index))
            rank_width = RANK_WIDTH if self._order.roles.value(index, "place") is not None else 0
            return QSize(round(metrics.horizontalAdvance(max(text, "0.000", key=len))) + 5 * SPACE + rank_width, height)
        text = str(index.data(Qt.ItemDataRole.DisplayRole) or "")
        start = LINE_SAMPLE + 4 * SPACE if index.column() == 0 and "colour" in self._order.roles else 2 * SPACE
        mark = WARNING_SIZE + SPACE if self._warning(index) else 0
        return QSize(round(metrics.horizontalAdvance(text)) + start + mark + 3 * SPACE, height)

    def column_widths(self, font: QFont, columns: Iterable[int]) -> list[int]:
        """Widths in pixels of these columns' cells in the view's `font`; ten times as fast as `sizeHint` of each."""
        metrics = QFontMetricsF(text_font(font, bold=True))
        return [self._column_width(column, metrics) for column in columns]

    def _column_width(self, column: int, metrics: QFontMetricsF) -> int:
        info = self._order.column_info(column)
        cells = (self._order.index(row, column) for row in range(self._order.rowCount()))
        if info.is_score:
            labels = {info.text(value).translate(DIGITS_TO_ZERO) for value in self._order.numbers(column)}
            roles = self._order.roles
            has_ranks = "place" in roles and any(roles.value(cell, "place") is not None for cell in cells)
            width = max(metrics.horizontalAdvance(text) for text in (*labels, "0.000"))
            return round(width) + 5 * SPACE + (RANK_WIDTH if has_ranks else 0)
        start = LINE_SAMPLE + 4 * SPACE if column == 0 and "colour" in self._order.roles else 2 * SPACE
        return max((self._name_width(cell, metrics) for cell in cells), default=0) + start + 3 * SPACE

    def _name_width(self, cell: Index, metrics: QFontMetricsF) -> int:
        name = str(cell.data(Qt.ItemDataRole.DisplayRole) or "")
        return round(metrics.horizontalAdvance(name)) + (WARNING_SIZE + SPACE if self._warning(cell) else 0)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint a number with its bar, or a name with its line sample."""
        painter.save()
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        cell = QRectF(option.rect)
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        if selected or index.row() == self.hovered_row:
            painter.fillRect(cell, self._theme.colour("selection" if selected else "hover"))
        if self._order.column_info(index.column()).is_score:
            self._draw_score(painter, cell, index, option, selected=selected)
        else:
            self._draw_name(painter, cell, index, option)
        if option.state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QPen(self._theme.colour("accent"), 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(cell.adjusted(1, 1, -1, -1), 3, 3)
        painter.restore()

    def _draw_score(
        self, painter: QPainter, cell: QRectF, index: Index, option: QStyleOptionViewItem, *, selected: bool
    ) -> None:
        info, value = self._order.column_info(index.column()), self._order.value(index)
        text = info.text(value)
        share = (value - info.low) / (info.high - info.low) if info.high > info.low else 0.0
        box = cell.adjusted(SPACE, 4, -SPACE, -4)
        if share > 0:  # False for NaN
            bar = QRectF(box.left(), box.top(), box.width() * min(share, 1.0), box.height())
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.colour("accent", 0.22) if selected else self._theme.colour("bar"))
            painter.drawRoundedRect(bar, 2, 2)
        if (rank := self._order.roles.value(index, "place")) is not None:
            painter.setFont(text_font(option.font, 0.85))
            painter.setPen(self._theme.colour("muted"))
            left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(cell.adjusted(2 * SPACE, 0, 0, 0), left, f"{rank}.")
        is_best = text == info.best
        painter.setFont(text_font(option.font, bold=is_best))
        painter.setPen(self._theme.colour("muted" if text == "–" else "ink"))
        painter.drawText(
            cell.adjusted(0, 0, -NUMBER_MARGIN, 0), Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text
        )

    def _draw_name(self, painter: QPainter, cell: QRectF, index: Index, option: QStyleOptionViewItem) -> None:
        roles = self._order.roles
        left, is_shown = 2 * SPACE, True
        if index.column() == 0 and "colour" in roles:
            is_shown = bool(roles.value(index, "shown", True))
            colour = QColor(roles.value(index, "colour", self._theme.muted))
            if not is_shown:
                colour = self._theme.colour("faint", 0.5)
            painter.setPen(line_pen(colour, 2.5, roles.value(index, "dash", "solid")))
            start = QPointF(cell.left() + left, cell.center().y())
            painter.drawLine(start, start + QPointF(LINE_SAMPLE, 0))
            left += LINE_SAMPLE + 2 * SPACE
        box = cell.adjusted(left, 0, -SPACE, 0)
        font = text_font(option.font, bold=index.column() == 0)
        font.setStrikeOut(not is_shown)  # as in the legends of the graphs
        if self._warning(index):
            box.setRight(box.right() - WARNING_SIZE - SPACE)
            text = str(index.data(Qt.ItemDataRole.DisplayRole) or "")
            right = min(box.left() + QFontMetricsF(font).horizontalAdvance(text), box.right()) + SPACE
            mark = warning_pixmap(self._theme.warning, painter.device().devicePixelRatioF())
            painter.drawPixmap(QPointF(right, cell.center().y() - WARNING_SIZE / 2), mark)
        painter.setFont(font)
        painter.setPen(self._theme.colour("ink" if index.column() == 0 and is_shown else "muted"))
        text = str(index.data(Qt.ItemDataRole.DisplayRole) or "")
        elided = QFontMetricsF(font).elidedText(text, Qt.TextElideMode.ElideMiddle, box.width())
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, elided)

    def _warning(self, index: Index) -> str:
        """Warning about the run of a row, in its name column; "" for none."""
        return str(self._order.roles.value(index, "warning") or "") if index.column() == 0 else ""


@lru_cache(maxsize=4)  # both themes on two screens; saves rendering the icon for each row
def warning_pixmap(colour: str, ratio: float) -> QPixmap:
    """Warning icon of `WARNING_SIZE` pixels in a colour ``#rrggbb``."""
    return icon_pixmap("warning", colour, WARNING_SIZE, ratio)


@lru_cache(maxsize=256)  # Qt requests the sizes of all headers with each change of the table
def _header_text_size(text: str, font: str) -> tuple[float, float]:
    """Width and height in pixels of a header text; `font` as written by `QFont.toString`."""
    base = QFont()
    base.fromString(font)
    metrics = QFontMetricsF(text_font(base, 0.92, bold=True))
    return metrics.horizontalAdvance(text), metrics.height()


class ScoreHeader(QHeaderView):
    """Header with an arrow for the better direction and a triangle at the column that the table is sorted by."""

    def __init__(self, order: ScoreSortModel, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._order = order
        self._theme = current_theme()
        self.is_pressed = False
        self.setSectionsClickable(True)
        self.setHighlightSections(False)
        self.setMouseTracking(True)

    def set_theme(self, theme: Theme) -> None:
        """Set the theme."""
        self._theme = theme
        self.viewport().update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Record that the user may be resizing a column."""
        self.is_pressed = True
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Record that the user is no longer resizing a column."""
        super().mouseReleaseEvent(event)
        self.is_pressed = False

    def viewportEvent(self, event: QEvent) -> bool:
        """Show the definition of a measure as a tooltip with title."""
        if isinstance(event, QHelpEvent):
            section = self.logicalIndexAt(event.pos())
            text = self.model().headerData(section, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
            help_text = "\nRight click or press ? for help." if text else ""
            QToolTip.showText(event.globalPos(), titled_tooltip(str(text or "") + help_text), self)
            return True
        return super().viewportEvent(event)

    def sectionSizeFromContents(self, logicalIndex: int) -> QSize:  # noqa: N802, N803
        """Width of the header text with its margins."""
        width, height = _header_text_size(self.header_text(logicalIndex), self.font().toString())
        return QSize(round(self._text_start(logicalIndex) + width) + 6 * SPACE, round(height + 3 * SPACE))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Extend the line below the headers over the empty part."""
        super().paintEvent(event)
        painter = QPainter(self.viewport())
        painter.fillRect(0, self.height() - 1, self.width(), 1, self._theme.colour("line"))

    def paintSection(self, painter: QPainter, rect: QRect, logicalIndex: int) -> None:  # noqa: N802, N803
        """Paint name, better direction and sort indicator of a column."""
        painter.save()
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        painter.fillRect(rect, self._theme.colour("surface"))
        box = QRectF(rect)
        is_sorted = self.sortIndicatorSection() == logicalIndex
        painter.setFont(text_font(self.font(), 0.92, bold=True))
        painter.setPen(self._theme.colour("ink" if is_sorted else "muted"))
        is_score = self._order.is_score(logicalIndex)
        alignment = Qt.AlignmentFlag.AlignRight if is_score else Qt.AlignmentFlag.AlignLeft
        text_box = box.adjusted(self._text_start(logicalIndex), 0, -NUMBER_MARGIN, 0)
        painter.drawText(text_box, alignment | Qt.AlignmentFlag.AlignVCenter, self.header_text(logicalIndex))
        if is_sorted:
            self._paint_sort_indicator(painter, box)
        painter.restore()

    def header_text(self, column: int) -> str:
        """Name of a column with the arrow for the better direction."""
        name = str(self.model().headerData(column, Qt.Orientation.Horizontal) or "")
        return name + POLARITY[self._order.better(column)]

    def _text_start(self, column: int) -> int:
        if self._order.is_score(column):
            return SPACE
        return LINE_SAMPLE + 4 * SPACE if column == 0 and "colour" in self._order.roles else 2 * SPACE

    def _paint_sort_indicator(self, painter: QPainter, box: QRectF) -> None:
        """Paint the sort indicator within the right margin, pointing up for ascending values."""
        centre = QPointF(box.right() - NUMBER_MARGIN / 2, box.center().y())
        tip = -2.5 if self.sortIndicatorOrder() == Qt.SortOrder.AscendingOrder else 2.5
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.colour("accent"))
        painter.drawPolygon(QPolygonF([
            centre + QPointF(-4, -tip), centre + QPointF(4, -tip), centre + QPointF(0, tip)
        ]))  # fmt: skip


MAX_EXTRA_WIDTH = 60
"""Maximum extra width of a column in pixels; numbers farther apart are hard to read as a row."""


class ScoreColumnWidths(QObject):
    """Fits the column widths of a score table while it is visible; hidden tables are fitted when they are shown.

    Parameters
    ----------
    table : table that shows `order`, with `delegate` and `header`.
    """

    def __init__(self, table: QTableView, order: ScoreSortModel, delegate: ScoreDelegate, header: ScoreHeader) -> None:
        super().__init__(table)
        self._table, self._order, self._delegate, self._header = table, order, delegate, header
        self._natural_widths: dict[int, int] = {}  # by visible column
        self._is_due = self._is_resizing = self._has_user_widths = False
        header.sectionResized.connect(self._on_section_resized)
        order.modelReset.connect(self.fit)
        order.columnsInserted.connect(self.fit)

    @Slot()
    def fit(self, *_: object) -> None:
        """Fit columns to their contents, now or when the table becomes visible."""
        self._natural_widths = {}
        self.update_shown()

    def update_shown(self) -> None:
        """Fit the columns that were shown since the last call."""
        font = self._table.font()
        self._table.verticalHeader().setDefaultSectionSize(self._delegate.row_height(font))
        self._is_due = not self._table.isVisible()
        if self._is_due:
            return
        previous, shown = self._natural_widths, self._shown()
        cells = self._delegate.column_widths(font, shown)
        headers = [self._header.sectionSizeFromContents(column).width() for column in shown]
        self._natural_widths = {column: max(widths) for column, *widths in zip(shown, cells, headers, strict=True)}
        if self._has_user_widths:
            self._set_widths(
                {column: width for column, width in self._natural_widths.items() if column not in previous}
            )
        self.distribute_width()

    def on_shown(self) -> None:
        """Fit the columns if that was deferred while the table was hidden."""
        if self._is_due:
            self.fit()

    def on_font_changed(self) -> None:
        """Fit the columns to another font size."""
        if self._natural_widths:
            self.fit()

    def distribute_width(self) -> None:
        """Distribute spare width among the score columns, until the user resizes a column."""
        if self._has_user_widths or list(self._natural_widths) != self._shown():
            return
        scores = {column for column in self._natural_widths if self._order.is_score(column)}
        spare = self._table.viewport().width() - sum(self._natural_widths.values())
        extra = min(max(0, spare) // max(1, len(scores)), MAX_EXTRA_WIDTH)
        self._set_widths(
            {column: width + (extra if column in scores else 0) for column, width in self._natural_widths.items()}
        )

    def _shown(self) -> list[int]:
        return [column for column in range(self._order.columnCount()) if not self._table.isColumnHidden(column)]

    def _set_widths(self, widths: Mapping[int, int]) -> None:
        self._is_resizing = True
        for column, width in widths.items():
            self._table.setColumnWidth(column, width)
        self._is_resizing = False

    @Slot(int, int, int)
    def _on_section_resized(self, _column: int, _old: int, _new: int) -> None:
        if not self._is_resizing and self._header.is_pressed:
            self._has_user_widths = True
