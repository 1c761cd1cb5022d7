"""Heat map view: layout and painting of cells and headers, mouse and keyboard."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QMargins, QMetaMethod, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QContextMenuEvent,
    QFont,
    QFontMetricsF,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

from shrec_viewer.charts.matrix import EMPTY_MATRIX, Matrix
from shrec_viewer.widgets.heatmap.data import heatmap_colour_table, heatmap_image
from shrec_viewer.widgets.style.painted import ARROW_STEPS, PaintedArea
from shrec_viewer.widgets.style.relevance import contrasting_ink
from shrec_viewer.widgets.style.text import RIGHT
from shrec_viewer.widgets.style.theme import SPACE, Theme, text_font

#: Minimum and maximum width of a column in pixels: a target for the mouse, and no large blocks.
MIN_COLUMN_WIDTH, MAX_COLUMN_WIDTH = 5, 72

#: Minimum height of a row as a share of the line height, and maximum in pixels.
MIN_ROW_LINES, MAX_ROW_HEIGHT = 0.95, 48

#: Widths in lines of text above which names of rows and columns are elided.
MAX_ROW_NAME, MAX_COLUMN_NAME = 10, 6.4

#: Maximum share of the height for vertical column names, unless that is less than this number of lines of text.
MAX_HEADER_SHARE, MIN_COLUMN_NAME = 0.45, 3

#: Cell size in pixels from which cells are separated by lines.
GRID_LINES_FROM = 9

#: Pixels by which the frame of the current cell extends beyond it.
MARK_MARGIN = 3

#: Maximum number of cells that are hatched; with more only the background is painted.
MAX_HATCHED_CELLS = 5000


#: Width of a dendrogram in pixels, at most.
TREE_WIDTH = 110


class HeatmapLayout:
    """Layout for a viewport size: headers at the left and top, totals or tree at the right, cells between.

    Parameters
    ----------
    cells, font : data and base font.
    viewport_width, viewport_height : size in pixels.
    zoom : factor of the column width; 1 fits all columns unless they were too narrow.
    """

    def __init__(self, cells: Matrix, font: QFont, viewport_width: int, viewport_height: int, zoom: float) -> None:
        self.cells, self.zoom = cells, zoom
        self.viewport_width, self.viewport_height = viewport_width, viewport_height
        self.small = text_font(font, 0.92)
        self.metrics = QFontMetricsF(self.small)
        self.cell_width = self.cell_height = self.strips = self.per_strip = 1
        self.left = self.top = self.right = self.band = self.strip_head = 0
        self.has_strip_heads = False
        self.lowest = math.ceil(self.metrics.height() * MIN_ROW_LINES)
        if all(cells.shape):
            self._lay_out()

    def _lay_out(self) -> None:
        metrics, (rows, columns) = self.metrics, self.cells.shape
        widest = max(metrics.horizontalAdvance(name) for name in self.cells.rows)
        line = metrics.height()
        self.left = math.ceil(min(widest, MAX_ROW_NAME * line)) + 4 * SPACE + 1
        if self.cells.totals is not None:
            numbers = [self.cells.total(row) for row in range(rows)] + [self.cells.total_label]
            self.right = round(max(metrics.horizontalAdvance(text) for text in numbers)) + 5 * SPACE
        elif self.cells.tree is not None:
            self.right = min(TREE_WIDTH, self.viewport_width // 5)
        available = max(self.viewport_width - self.left - self.right, 1)
        self.cell_width = round(max(MIN_COLUMN_WIDTH, min(available // columns, MAX_COLUMN_WIDTH)) * self.zoom)
        self.band = round(metrics.height()) + SPACE if any(self.cells.groups) else 0
        longest = max(metrics.horizontalAdvance(name) for name in self.cells.columns)
        upright = longest + 2 * SPACE > self.cell_width
        share = MAX_HEADER_SHARE * self.viewport_height
        longest = min(longest, MAX_COLUMN_NAME * line, max(share, MIN_COLUMN_NAME * line))
        height = longest + 2 * SPACE if upright else metrics.height() + SPACE
        self.top = self.band + round(height) + SPACE
        self.per_strip = columns
        self._fold(available)
        tall = (max(self.viewport_height - self.top - SPACE, 1) // self.strips - self.strip_head) // rows
        self.cell_height = min(max(tall, self.lowest), MAX_ROW_HEIGHT)

    def _fold(self, available: int) -> None:
        """Wrap columns that exceed the width into strips below each other, if the height suffices."""
        rows, columns = self.cells.shape
        fitting = available // MIN_COLUMN_WIDTH
        if self.zoom > 1.0 or columns <= fitting or not fitting:
            return
        strips = -(-columns // fitting)
        named = math.ceil(self.metrics.height()) + SPACE
        headers = [head for head in (named, 2 * SPACE) if strips * (rows * self.lowest + head) <= self.viewport_height]
        if not headers:
            return
        self.strips, self.per_strip = strips, -(-columns // strips)
        self.cell_width = available // self.per_strip
        self.band = 0
        self.top = self.strip_head = headers[0]
        self.has_strip_heads = headers[0] == named

    @property
    def _strip_height(self) -> int:
        return self.cell_height * self.cells.shape[0] + self.strip_head

    @property
    def width(self) -> int:
        """Width of all columns in pixels."""
        return self.cell_width * self.per_strip

    @property
    def height(self) -> int:
        """Height of all rows and strips in pixels."""
        return self.strips * self._strip_height - self.strip_head

    @property
    def body(self) -> QRect:
        """Rectangle of the cells in the viewport."""
        width = min(self.width, self.viewport_width - self.left - self.right)
        return QRect(self.left, self.top, max(width, 0), max(min(self.height, self.viewport_height - self.top), 0))

    def cell(self, row: int, column: int) -> QRect:
        """Rectangle of a cell without scrolling."""
        strip, position = divmod(column, self.per_strip)
        top = self.top + strip * self._strip_height + row * self.cell_height
        return QRect(self.left + position * self.cell_width, top, self.cell_width, self.cell_height)

    def cell_at(self, x: int, y: int, dx: int, dy: int) -> tuple[int, int] | None:
        """Row and column at a point of the viewport."""
        if not self.body.contains(QPoint(x, y)):
            return None
        strip, inside = divmod(y + dy - self.top, self._strip_height)
        row, position = inside // self.cell_height, (x + dx - self.left) // self.cell_width
        column = strip * self.per_strip + position
        rows, columns = self.cells.shape
        return (row, column) if row < rows and position < self.per_strip and column < columns else None

    def head_at(self, x: int, y: int, dx: int, dy: int) -> tuple[int | None, int | None]:
        """Row or column whose name is at a point of the viewport."""
        body = self.body
        if body.top() <= y <= body.bottom() and (x < body.left() or x > body.right()):
            row = (y + dy - self.top) % self._strip_height // self.cell_height
            return (row, None) if row < self.cells.shape[0] else (None, None)
        if body.left() <= x <= body.right() and y < body.top():
            return None, (x + dx - self.left) // self.cell_width
        return None, None

    def visible(self, dx: int, dy: int) -> tuple[range, range]:
        """Visible rows and columns."""
        rows, columns = self.cells.shape
        if self.strips > 1:
            return range(rows), range(columns)
        body = self.body
        last_row = min((dy + body.height()) // self.cell_height + 1, rows)
        last_column = min((dx + body.width()) // self.cell_width + 1, columns)
        return range(dy // self.cell_height, last_row), range(dx // self.cell_width, last_column)

    def by_strip(self, columns: range) -> list[range]:
        """Columns of each strip."""
        if self.strips == 1:
            return [columns]
        starts = range(0, self.cells.shape[1], self.per_strip)
        return [range(start, min(start + self.per_strip, self.cells.shape[1])) for start in starts]

    def with_text(self) -> bool:
        """Whether numbers fit into cells."""
        widest = self.metrics.horizontalAdvance("+0.000" if self.cells.diverging else "0.000")
        return self.cell_width >= widest + 2 * SPACE and self.cell_height >= self.metrics.height()


@dataclass(frozen=True)
class HeaderMarks:
    """Cells whose row and column names are emphasised: the current one and the one under the mouse."""

    current: tuple[int, int] | None = None
    hovered: tuple[int, int] | None = None

    def token(self, index: int, axis: int) -> str:
        """Colour of the name of a row (axis 0) or column (axis 1)."""
        return "accent" if self.current is not None and self.current[axis] == index else "ink"


class HeatmapPainter:
    """Paints the part of a heat map that is visible.

    Parameters
    ----------
    layout, image : cells with their places, and their colours.
    offset : scroll offset of the cells.
    """

    def __init__(
        self, painter: QPainter, layout: HeatmapLayout, image: QImage, theme: Theme, offset: tuple[int, int]
    ) -> None:
        self._painter, self._layout, self._image, self._theme = painter, layout, image, theme
        self._cells, self._metrics, self._offset = layout.cells, layout.metrics, offset
        self._rows, self._columns = layout.visible(*offset)

    def paint_cells(self) -> None:
        """Paint the cells; the painter is translated by the scroll offset."""
        for columns in self._layout.by_strip(self._columns):
            if len(self._rows) and len(columns):
                self._paint_strip(self._rows, columns)

    def _paint_strip(self, rows: range, columns: range) -> None:
        painter, layout = self._painter, self._layout
        first, last = layout.cell(rows[0], columns[0]), layout.cell(rows[-1], columns[-1])
        area = first.united(last)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
        painter.fillRect(area, self._theme.colour("sunken"))
        painter.drawImage(area, self._image, QRect(columns[0], rows[0], len(columns), len(rows)))
        self._paint_hatches(rows, columns)
        if min(layout.cell_width, layout.cell_height) >= GRID_LINES_FROM:
            gap = self._theme.colour("surface")  # filled, as lines are off by one at a scale of 1.25
            for column in columns:
                painter.fillRect(QRect(layout.cell(0, column).right(), area.top(), 1, area.height()), gap)
            for row in rows:
                painter.fillRect(QRect(area.left(), layout.cell(row, columns[0]).bottom(), area.width(), 1), gap)
        painter.setPen(self._theme.colour("ink", 0.55))
        for _, start, _ in self._cells.stretches():
            if start and start in columns:
                x = layout.cell(0, start).left() - 1
                painter.drawLine(x, area.top(), x, area.bottom())
        if layout.with_text():
            self._paint_numbers(rows, columns)

    def _paint_hatches(self, rows: range, columns: range) -> None:
        cells = self._cells
        block = np.isnan(cells.values[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1])
        if block.sum() > MAX_HATCHED_CELLS:
            return
        self._painter.setPen(Qt.PenStyle.NoPen)
        for row, column in np.argwhere(block):
            position = (rows[0] + int(row), columns[0] + int(column))
            absent = cells.absent is not None and bool(cells.absent[position])
            pattern = Qt.BrushStyle.DiagCrossPattern if absent else Qt.BrushStyle.BDiagPattern
            self._painter.setBrush(QBrush(self._theme.colour("line_strong", 0.8), pattern))
            self._painter.drawRect(self._layout.cell(*position).adjusted(0, 0, -1, -1))

    def _paint_numbers(self, rows: range, columns: range) -> None:
        self._painter.setFont(self._layout.small)
        for row, column in product(rows, columns):
            if text := self._cells.text(row, column):
                self._painter.setPen(contrasting_ink(QColor(self._image.pixel(column, row))))
                self._painter.drawText(self._layout.cell(row, column), Qt.AlignmentFlag.AlignCenter, text)

    def paint_headers(self, marks: HeaderMarks) -> None:
        """Paint names of rows and columns, groups and totals."""
        painter, layout, line = self._painter, self._layout, self._metrics.height()
        body = layout.body
        painter.setFont(layout.small)
        painter.save()
        painter.setClipRect(QRect(0, body.top(), layout.viewport_width, body.height()))
        self._paint_row_headers(marks)
        if self._cells.tree is not None and layout.strips == 1:
            self._paint_tree(self._cells.tree)
        painter.restore()
        painter.setPen(self._theme.colour("muted"))
        if self._cells.totals is not None and (layout.strips == 1 or layout.has_strip_heads):
            head = QRectF(body.right() + 1, layout.top - line - SPACE, layout.right - 2 * SPACE, line)
            painter.drawText(head, RIGHT, self._cells.total_label)
        if layout.has_strip_heads:
            self._paint_strip_headers()
        painter.save()
        overhang = math.ceil(line / 2)  # of the rotated name of a first column that is narrower than a line
        painter.setClipRect(QRect(body.left() - overhang, 0, body.width() + overhang, layout.top))
        painter.translate(-self._offset[0], 0)
        self._paint_group_headers()
        self._paint_column_headers(marks)
        painter.restore()

    def _paint_row_headers(self, marks: HeaderMarks) -> None:
        """Paint names and totals of the rows of each strip."""
        painter, layout, cells, theme = self._painter, self._layout, self._cells, self._theme
        for columns, row in product(layout.by_strip(self._columns), self._rows):
            cell = layout.cell(row, columns[0] if layout.strips > 1 else 0)
            box = QRectF(cell.translated(0, -self._offset[1]))
            painter.setPen(theme.colour(marks.token(row, 0)))
            if marks.hovered is not None and marks.hovered[0] == row:
                painter.fillRect(QRectF(0, box.top(), layout.left - SPACE, box.height()), theme.colour("hover_strong"))
            available = QRectF(2 * SPACE, box.top(), layout.left - 4 * SPACE, box.height())
            name = self._metrics.elidedText(cells.rows[row], Qt.TextElideMode.ElideMiddle, available.width())
            painter.drawText(available, RIGHT, name)
            if cells.totals is not None and columns[0] in (self._columns[0], 0):
                painter.setPen(theme.colour("ink"))
                end = QRectF(layout.body.right() + 1, box.top(), layout.right - 2 * SPACE, box.height())
                painter.drawText(end, RIGHT, cells.total(row) or "–")

    def _paint_tree(self, tree: NDArray[np.float64]) -> None:
        """Paint a dendrogram at the right of the rows."""
        layout = self._layout
        left, width, top = layout.body.right() + SPACE, layout.right - 3 * SPACE, layout.top - self._offset[1]
        self._painter.setPen(self._theme.colour("muted"))
        for line in tree.tolist():
            self._painter.drawPolyline([QPointF(left + x * width, top + y * layout.cell_height) for x, y in line])

    def _paint_strip_headers(self) -> None:
        """Paint the names of the first and last column above each strip, as far as they fit."""
        painter, layout = self._painter, self._layout
        painter.save()
        painter.setClipRect(QRect(0, 0, layout.viewport_width, layout.viewport_height))
        for columns in layout.by_strip(range(self._cells.shape[1])):
            left, right = (layout.cell(0, column) for column in (columns[0], columns[-1]))
            top = left.top() - self._offset[1] - layout.strip_head
            available = QRectF(left.left(), top, right.right() - left.left(), layout.strip_head)
            for column, side in ((columns[0], Qt.AlignmentFlag.AlignLeft), (columns[-1], Qt.AlignmentFlag.AlignRight)):
                name, width = self._cells.columns[column], available.width() / 2 - SPACE
                name = self._metrics.elidedText(name, Qt.TextElideMode.ElideRight, width)
                painter.drawText(available, side | Qt.AlignmentFlag.AlignVCenter, name)
        painter.restore()

    def _paint_group_headers(self) -> None:
        painter, layout, theme = self._painter, self._layout, self._theme
        for name, start, end in self._cells.stretches() if layout.band else ():
            box = QRectF(layout.cell(0, start).left(), 0, (end - start + 1) * layout.cell_width - 1, layout.band)
            painter.fillRect(QRectF(box.left(), box.bottom() - 2, box.width() - 1, 2), theme.colour("line_strong", 0.7))
            text = self._metrics.elidedText(name, Qt.TextElideMode.ElideRight, box.width() - SPACE)
            if len(text) > 3 or text == name:
                painter.setPen(theme.colour("muted"))
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def _paint_column_headers(self, marks: HeaderMarks) -> None:
        """Paint column names; where columns are narrower than a line, those of every few and of the marked ones."""
        painter, layout, visible, line = self._painter, self._layout, self._columns, self._metrics.height()
        available = layout.top - layout.band - SPACE
        if layout.strips > 1 or available < line * 0.9:
            return
        step = max(1, math.ceil(line * 0.9 / layout.cell_width))
        marked = [cell[1] for cell in (marks.current, marks.hovered) if cell is not None and cell[1] in visible]
        listed = [column for column in visible if column % step == 0 and all(abs(column - m) >= step for m in marked)]
        for column in dict.fromkeys((*listed, *marked)):
            painter.setPen(self._theme.colour(marks.token(column, 1)))
            cell, name = layout.cell(0, column), self._cells.columns[column]
            if self._metrics.horizontalAdvance(name) + 2 * SPACE <= layout.cell_width:
                box = QRectF(cell.left(), layout.top - line - SPACE / 2, cell.width(), line)
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, name)
                continue
            painter.save()
            painter.translate(cell.center().x(), layout.top - SPACE)
            painter.rotate(-90)
            text = self._metrics.elidedText(name, Qt.TextElideMode.ElideRight, available - SPACE)
            painter.drawText(QRectF(0, -line / 2, available, line), Qt.AlignmentFlag.AlignVCenter, text)
            painter.restore()


_ON, _OFF = Qt.ScrollBarPolicy.ScrollBarAlwaysOn, Qt.ScrollBarPolicy.ScrollBarAlwaysOff


def update_scroll_bar_policies(area: QAbstractScrollArea, overflow: Callable[[QSize], tuple[bool, bool]]) -> None:
    """Show the scroll bars that are needed and hide the others.

    With `ScrollBarAsNeeded` QAbstractScrollArea oscillates here: a bar appears, the viewport shrinks, the layout
    changes so that the bar is not needed any more, it disappears, and so on in an endless loop (PySide6 6.10).

    Parameters
    ----------
    area : its viewport is resized immediately; `resizeEvent` must not call this function again.
    overflow : whether the contents are wider and taller than a viewport of a size.
    """
    whole = area.maximumViewportSize()
    bar_height, bar_width = area.horizontalScrollBar().sizeHint().height(), area.verticalScrollBar().sizeHint().width()
    has_horizontal = has_vertical = True
    for has_horizontal, has_vertical in ((False, False), (False, True), (True, False), (True, True)):
        is_wide, is_tall = overflow(whole - QSize(bar_width * has_vertical, bar_height * has_horizontal))
        if is_wide <= has_horizontal and is_tall <= has_vertical:
            break
    if area.horizontalScrollBarPolicy() != (policy := _ON if has_horizontal else _OFF):
        area.setHorizontalScrollBarPolicy(policy)
    if area.verticalScrollBarPolicy() != (policy := _ON if has_vertical else _OFF):
        area.setVerticalScrollBarPolicy(policy)


#: Zoom factor of a wheel step with Ctrl.
ZOOM_STEP = 1.25


def no_description(row: int, column: int) -> str:
    """No description of a cell."""
    return ""


class HeatmapView(PaintedArea):
    """View of `Matrix`; only visible cells are painted, so that the cost does not depend on the number of columns.

    Cells fill the viewport if possible; Ctrl+wheel changes the column width, 0 fits it again.

    Attributes
    ----------
    cells : the data shown.
    current : row and column of the current cell.

    Signals
    -------
    cell_selected(row, column)
        A cell was clicked or reached with the arrow keys.
    cell_activated(row, column)
        Double click or Enter on a cell.
    cell_hovered(row, column)
        Cell under the mouse; (-1, -1) for none.
    row_selected(row), column_selected(column)
        A name was clicked.
    menu_requested(row, column, position)
        Open the context menu of a cell, a row (column -1) or a column (row -1) at a screen position.
    """

    cell_selected = Signal(int, int)
    cell_activated = Signal(int, int)
    cell_hovered = Signal(int, int)
    row_selected = Signal(int)
    column_selected = Signal(int)
    menu_requested = Signal(int, int, QPoint)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.cells = EMPTY_MATRIX
        self._describe: Callable[[int, int], str] = no_description
        self._image = QImage()
        self.current: tuple[int, int] | None = None
        self._hovered: tuple[int, int] | None = None
        self._zoom = 1.0
        self._is_laying_out = False
        self._layout = HeatmapLayout(EMPTY_MATRIX, self.font(), 0, 0, 1.0)
        self.viewport().setMouseTracking(True)
        self.setAccessibleName("Map of values")

    def description(self, row: int, column: int) -> str:
        """Text of the tooltip of a cell, and for screen readers."""
        return self._describe(row, column)

    def set_chart(self, cells: Matrix, describe: Callable[[int, int], str] = no_description) -> None:
        """Show these cells, described by row and column; the current one is kept if it still exists."""
        self.cells, self._describe = cells, describe
        if self.current is not None and not self._exists(self.current):
            self.current = None
        self._hovered = None
        self._colour()
        self._lay_out()

    def set_current(self, row: int, column: int) -> None:
        """Mark a cell and scroll to it; (-1, -1) for none. Does not emit."""
        cell = (row, column)
        self.current = cell if self._exists(cell) else None
        if self.current is not None:
            self._reveal(self._layout.cell(*self.current))
            self.setAccessibleDescription(self.description(*self.current))
        self.viewport().update()

    def set_theme(self, theme: Theme) -> None:
        """Set the theme."""
        super().set_theme(theme)
        self._colour()

    def cell_at(self, point: QPoint) -> tuple[int, int] | None:
        """Row and column at a point of the viewport."""
        return self._layout.cell_at(point.x(), point.y(), *self._offset())

    def cell_rect(self, row: int, column: int) -> QRect:
        """Rectangle of a cell in the viewport."""
        dx, dy = self._offset()
        return self._layout.cell(row, column).translated(-dx, -dy)

    # Qt overrides.

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the cells to the viewport."""
        super().resizeEvent(event)
        self._lay_out()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint visible cells, marks and headers."""
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), self._theme.colour("surface"))
        if not all(self.cells.shape):
            return
        dx, dy = self._offset()
        painter.save()
        painter.setClipRect(self._layout.body)
        painter.translate(-dx, -dy)
        heatmap = HeatmapPainter(painter, self._layout, self._image, self._theme, (dx, dy))
        heatmap.paint_cells()
        painter.setClipRect(self._layout.body.adjusted(-MARK_MARGIN, -MARK_MARGIN, 0, 0).translated(dx, dy))
        self._paint_marks(painter)
        painter.restore()
        heatmap.paint_headers(HeaderMarks(self.current, self._hovered))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Highlight the cell under the mouse."""
        self._hover(self.cell_at(event.position().toPoint()))

    def leaveEvent(self, event: QEvent) -> None:
        """Highlight no cell."""
        self._hover(None)
        super().leaveEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Select the cell, row or column under the mouse."""
        point = event.position().toPoint()
        if event.button() != Qt.MouseButton.LeftButton:
            return
        cell = self.cell_at(point)
        if cell is not None:
            self._select(cell)
            return
        row, column = self._layout.head_at(point.x(), point.y(), *self._offset())
        if row is not None:
            self.row_selected.emit(row)
        elif column is not None:
            self.column_selected.emit(column)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Activate the cell under the mouse."""
        cell = self.cell_at(event.position().toPoint())
        if cell is not None:
            self.cell_activated.emit(*cell)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Open the context menu at the mouse, or with the menu key that of the current cell; ignored where none is."""
        if not self.isSignalConnected(QMetaMethod.fromSignal(self.menu_requested)):
            event.ignore()  # cells have no menu: that of the panel opens
            return
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            if self.current is not None:
                position = self.viewport().mapToGlobal(self.cell_rect(*self.current).center())
                self.menu_requested.emit(*self.current, position)
            else:
                event.ignore()
            return
        if (cell := self.cell_at(event.pos())) is not None:
            self.menu_requested.emit(*cell, event.globalPos())
            return
        row, column = self._layout.head_at(event.pos().x(), event.pos().y(), *self._offset())
        if row is not None or column is not None:
            self.menu_requested.emit(-1 if row is None else row, -1 if column is None else column, event.globalPos())
        else:
            event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the current cell, activate it with Enter, reset the zoom with 0."""
        key = Qt.Key(event.key())
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.current is not None:
            self.cell_activated.emit(*self.current)
        elif key in ARROW_STEPS and all(self.cells.shape):
            self._walk(*ARROW_STEPS[key])
        elif key == Qt.Key.Key_0:
            self._set_zoom(1.0)
        else:
            super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Change the column width with Ctrl, scroll otherwise."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._set_zoom(self._zoom * (ZOOM_STEP if event.angleDelta().y() > 0 else 1 / ZOOM_STEP))
            event.accept()
            return
        super().wheelEvent(event)

    def tooltip_at(self, point: QPoint) -> str:
        """Description of the cell or header under the mouse."""
        cell = self.cell_at(point)
        return self._describe(*cell) if cell is not None else self._header_text(point)

    # Layout.

    def _exists(self, cell: tuple[int, int]) -> bool:
        rows, columns = self.cells.shape
        return 0 <= cell[0] < rows and 0 <= cell[1] < columns

    def _colour(self) -> None:
        cells = self.cells
        if all(cells.shape):
            table = heatmap_colour_table(self._theme, cells.scale)
            table = table[::-1] if cells.inverted else table
            self._image = heatmap_image(cells.values, table, cells.low, cells.high)

    def _lay_out(self) -> None:
        if self._is_laying_out:
            return
        self._is_laying_out = True
        update_scroll_bar_policies(self, self._overflow)
        self._is_laying_out = False
        self._layout = self._fitted(self.viewport().size())
        body = self._layout.body
        horizontal, vertical = self.horizontalScrollBar(), self.verticalScrollBar()
        horizontal.setPageStep(body.width())
        horizontal.setSingleStep(max(self._layout.cell_width, 20))
        horizontal.setRange(0, max(0, self._layout.width - body.width()))
        vertical.setPageStep(body.height())
        vertical.setSingleStep(self._layout.cell_height)
        vertical.setRange(0, max(0, self._layout.height - body.height()))
        self.viewport().update()

    def _overflow(self, available: QSize) -> tuple[bool, bool]:
        layout = self._fitted(available)
        return layout.width > layout.body.width(), layout.height > layout.body.height()

    def _fitted(self, available: QSize) -> HeatmapLayout:
        return HeatmapLayout(self.cells, self.font(), available.width(), available.height(), self._zoom)

    def _offset(self) -> tuple[int, int]:
        return self.horizontalScrollBar().value(), self.verticalScrollBar().value()

    def _set_zoom(self, zoom: float) -> None:
        self._zoom = min(max(zoom, 1.0), 40.0)
        self._lay_out()

    def _reveal(self, cell: QRect) -> None:
        dx, dy = self._offset()
        body = self._layout.body
        if cell.left() - dx < body.left():
            self.horizontalScrollBar().setValue(cell.left() - body.left())
        elif cell.right() - dx > body.right():
            self.horizontalScrollBar().setValue(cell.right() - body.right())
        if cell.top() - dy < body.top():
            self.verticalScrollBar().setValue(cell.top() - body.top())
        elif cell.bottom() - dy > body.bottom():
            self.verticalScrollBar().setValue(cell.bottom() - body.bottom())

    def _walk(self, down: int, right: int) -> None:
        row, column = self.current or (0, 0)
        rows, columns = self.cells.shape
        self._select((min(max(row + down, 0), rows - 1), min(max(column + right, 0), columns - 1)))

    def _select(self, cell: tuple[int, int]) -> None:
        self.set_current(*cell)
        self.cell_selected.emit(*cell)

    def _hover(self, cell: tuple[int, int] | None) -> None:
        if cell == self._hovered:
            return
        for changed in (self._hovered, cell):
            if changed is not None:
                self.viewport().update(self.cell_rect(*changed) + QMargins(*[MARK_MARGIN] * 4))
        self.viewport().update(0, 0, self.viewport().width(), self._layout.top)
        self.viewport().update(0, 0, self._layout.left, self.viewport().height())
        self._hovered = cell
        self.cell_hovered.emit(*(cell or (-1, -1)))

    def _paint_marks(self, painter: QPainter) -> None:
        for cell, token, width in ((self._hovered, "ink", 1.0), (self.current, "accent", 2.0)):
            if cell is not None and self._exists(cell):
                box = QRectF(self._layout.cell(*cell))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setPen(QPen(self._theme.colour("surface"), width + 2))
                painter.drawRect(box.adjusted(-1, -1, 1, 1))
                painter.setPen(QPen(self._theme.colour(token), width))
                painter.drawRect(box.adjusted(-1, -1, 1, 1))

    def _header_text(self, point: QPoint) -> str:
        row, column = self._layout.head_at(point.x(), point.y(), *self._offset())
        if row is not None:
            return self.cells.rows[row]
        return self.cells.columns[column] if column is not None else ""
