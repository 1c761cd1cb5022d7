"""Layout of a heat map and painting of its cells, names, groups and totals."""

import math
from dataclasses import dataclass, field

import numpy as np
from PySide6.QtCore import QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter

from shrec_viewer.widgets.heatmap.data import HeatmapData, cell_ink
from shrec_viewer.widgets.style.theme import SPACE, Theme, text_font

MIN_COLUMN_WIDTH, MAX_COLUMN_WIDTH = 5, 72
"""Minimum and maximum width of a column in pixels: a target for the mouse, and no large blocks."""

MIN_ROW_LINES, MAX_ROW_HEIGHT = 0.95, 48
"""Minimum height of a row as a share of the line height, and maximum in pixels."""

MAX_ROW_NAME, MAX_COLUMN_NAME = 150, 96
"""Widths in pixels above which names of rows and columns are elided."""

GRID_LINES_FROM = 9
"""Cell size in pixels from which cells are separated by lines."""

MAX_HATCHED_CELLS = 5000
"""Maximum number of cells that are hatched; with more only the background is painted."""


@dataclass(frozen=True, eq=False)
class HeatmapLayout:
    """Layout for a viewport size: headers at the left and top, totals at the right, cells between.

    Parameters
    ----------
    cells, font : data and base font.
    viewport_width, viewport_height : size in pixels.
    zoom : factor of the column width; 1 fits all columns unless they were too narrow.
    """

    cells: HeatmapData
    font: QFont
    viewport_width: int
    viewport_height: int
    zoom: float
    cell_width: int = field(init=False, default=1)
    cell_height: int = field(init=False, default=1)
    left: int = field(init=False, default=0)
    top: int = field(init=False, default=0)
    right: int = field(init=False, default=0)
    band: int = field(init=False, default=0)
    strips: int = field(init=False, default=1)
    strip_head: int = field(init=False, default=0)
    has_strip_heads: bool = field(init=False, default=False)
    per_strip: int = field(init=False, default=1)
    lowest: int = field(init=False, default=1)
    small: QFont = field(init=False)

    def __post_init__(self) -> None:
        put = object.__setattr__
        small = text_font(self.font, 0.92)
        put(self, "small", small)
        metrics = QFontMetricsF(small)
        put(self, "lowest", math.ceil(metrics.height() * MIN_ROW_LINES))
        rows, columns = self.cells.shape
        if not rows or not columns:
            return
        widest = max(metrics.horizontalAdvance(name) for name in self.cells.rows)
        put(self, "left", math.ceil(min(widest, MAX_ROW_NAME)) + 4 * SPACE + 1)
        if self.cells.totals is not None:
            numbers = [self.cells.total(row) for row in range(rows)] + [self.cells.total_name]
            put(self, "right", round(max(metrics.horizontalAdvance(text) for text in numbers)) + 5 * SPACE)
        available = max(self.viewport_width - self.left - self.right, 1)
        put(self, "cell_width", round(max(MIN_COLUMN_WIDTH, min(available // columns, MAX_COLUMN_WIDTH)) * self.zoom))
        put(self, "band", round(metrics.height()) + SPACE if any(self.cells.groups) else 0)
        longest = max(metrics.horizontalAdvance(name) for name in self.cells.columns)
        upright = longest + 2 * SPACE > self.cell_width
        named = self.cell_width >= metrics.height() * 0.9
        height = (min(longest, MAX_COLUMN_NAME) + 2 * SPACE if upright else metrics.height() + SPACE) if named else 0
        put(self, "top", self.band + round(height) + SPACE)
        put(self, "per_strip", columns)
        self._fold(available)
        tall = (max(self.viewport_height - self.top - SPACE, 1) // self.strips - self._spacing) // rows
        put(self, "cell_height", min(max(tall, self.lowest), MAX_ROW_HEIGHT))

    def _fold(self, available: int) -> None:
        """Wrap columns that exceed the width into strips below each other, if the height suffices."""
        put = object.__setattr__
        rows, columns = self.cells.shape
        fitting = available // MIN_COLUMN_WIDTH
        if self.zoom > 1.0 or columns <= fitting or not fitting:
            return
        strips = -(-columns // fitting)
        named = math.ceil(QFontMetricsF(self.small).height()) + SPACE
        headers = [head for head in (named, 2 * SPACE) if strips * (rows * self.lowest + head) <= self.viewport_height]
        if not headers:
            return
        per_strip = -(-columns // strips)
        put(self, "strips", strips)
        put(self, "per_strip", per_strip)
        put(self, "cell_width", available // per_strip)
        put(self, "band", 0)
        put(self, "top", headers[0])
        put(self, "strip_head", headers[0])
        put(self, "has_strip_heads", headers[0] == named)

    @property
    def _spacing(self) -> int:
        """Pixels between strips: header of the lower one, or space."""
        return self.strip_head

    @property
    def _strip_height(self) -> int:
        return self.cell_height * self.cells.shape[0] + self._spacing

    @property
    def width(self) -> int:
        """Width of all columns in pixels."""
        return self.cell_width * self.per_strip

    @property
    def height(self) -> int:
        """Height of all rows and strips in pixels."""
        return self.strips * self._strip_height - self._spacing

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
        metrics = QFontMetricsF(self.small)
        widest = "+0.000" if self.cells.diverging else "0.000"
        return self.cell_width >= metrics.horizontalAdvance(widest) + 2 * SPACE and self.cell_height >= metrics.height()


def paint_cells(
    painter: QPainter,
    layout: HeatmapLayout,
    cells: HeatmapData,
    image: QImage,
    theme: Theme,
    visible: tuple[range, range],
) -> None:
    """Paint the visible cells; the painter is translated by the scroll offset."""
    for columns in layout.by_strip(visible[1]):
        _paint_strip(painter, layout, cells, image, theme, (visible[0], columns))


def _paint_strip(
    painter: QPainter,
    layout: HeatmapLayout,
    cells: HeatmapData,
    image: QImage,
    theme: Theme,
    visible: tuple[range, range],
) -> None:
    rows, columns = visible
    if not len(rows) or not len(columns):
        return
    first, last = layout.cell(rows[0], columns[0]), layout.cell(rows[-1], columns[-1])
    area = first.united(last)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
    painter.fillRect(area, theme.colour("sunken"))
    painter.drawImage(area, image, QRect(columns[0], rows[0], len(columns), len(rows)))
    _paint_hatches(painter, layout, cells, theme, visible)
    if min(layout.cell_width, layout.cell_height) >= GRID_LINES_FROM:
        painter.setPen(theme.colour("surface"))
        for column in columns:
            x = layout.cell(0, column).right()
            painter.drawLine(x, area.top(), x, area.bottom())
        for row in rows:
            y = layout.cell(row, columns[0]).bottom()
            painter.drawLine(area.left(), y, area.right(), y)
    painter.setPen(theme.colour("ink", 0.55))
    for _, start, _ in cells.stretches():
        if start and start in columns:
            x = layout.cell(0, start).left() - 1
            painter.drawLine(x, area.top(), x, area.bottom())
    if layout.with_text():
        _paint_numbers(painter, layout, cells, image, visible)


def _paint_hatches(
    painter: QPainter, layout: HeatmapLayout, cells: HeatmapData, theme: Theme, visible: tuple[range, range]
) -> None:
    rows, columns = visible
    block = np.isnan(cells.values[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1])
    if block.sum() > MAX_HATCHED_CELLS:
        return
    painter.setPen(Qt.PenStyle.NoPen)
    for row, column in np.argwhere(block):
        position = (rows[0] + int(row), columns[0] + int(column))
        absent = cells.absent is not None and bool(cells.absent[position])
        pattern = Qt.BrushStyle.DiagCrossPattern if absent else Qt.BrushStyle.BDiagPattern
        painter.setBrush(theme.colour("line_strong", 0.8))
        brush = painter.brush()
        brush.setStyle(pattern)
        painter.setBrush(brush)
        painter.drawRect(layout.cell(*position).adjusted(0, 0, -1, -1))


def _paint_numbers(
    painter: QPainter, layout: HeatmapLayout, cells: HeatmapData, image: QImage, visible: tuple[range, range]
) -> None:
    painter.setFont(layout.small)
    for row in visible[0]:
        for column in visible[1]:
            text = cells.text(row, column)
            if text:
                painter.setPen(cell_ink(QColor(image.pixel(column, row))))
                painter.drawText(layout.cell(row, column), Qt.AlignmentFlag.AlignCenter, text)


def paint_headers(
    painter: QPainter,
    layout: HeatmapLayout,
    cells: HeatmapData,
    theme: Theme,
    offset: tuple[int, int],
    visible: tuple[range, range],
    current: tuple[int, int] | None,
) -> None:
    """Paint names of rows and columns, groups and totals; `offset` is the scroll offset of the cells."""
    dx, dy = offset
    painter.setFont(layout.small)
    metrics = QFontMetricsF(layout.small)
    vertical_centre = Qt.AlignmentFlag.AlignVCenter
    body = layout.body
    painter.save()
    painter.setClipRect(QRect(0, body.top(), layout.viewport_width, body.height()))
    for columns in layout.by_strip(visible[1]):
        for row in visible[0]:
            box = QRectF(layout.cell(row, columns[0] if layout.strips > 1 else 0).translated(0, -dy))
            is_current = current is not None and current[0] == row
            painter.setPen(theme.colour("accent" if is_current else "ink"))
            available = QRectF(2 * SPACE, box.top(), layout.left - 4 * SPACE, box.height())
            name = metrics.elidedText(cells.rows[row], Qt.TextElideMode.ElideMiddle, available.width())
            painter.drawText(available, Qt.AlignmentFlag.AlignRight | vertical_centre, name)
            if cells.totals is not None and columns[0] in (visible[1][0], 0):
                painter.setPen(theme.colour("ink"))
                end = QRectF(body.right() + 1, box.top(), layout.right - 2 * SPACE, box.height())
                total = cells.total(row) or "–"
                painter.drawText(end, Qt.AlignmentFlag.AlignRight | vertical_centre, total)
    painter.restore()
    painter.setPen(theme.colour("muted"))
    if cells.totals is not None and (layout.strips == 1 or layout.has_strip_heads):
        head = QRectF(
            body.right() + 1, layout.top - metrics.height() - SPACE, layout.right - 2 * SPACE, metrics.height()
        )
        painter.drawText(head, Qt.AlignmentFlag.AlignRight | vertical_centre, cells.total_name)
    if layout.has_strip_heads:
        _paint_strip_headers(painter, layout, cells, metrics, dy)
    painter.save()
    painter.setClipRect(QRect(body.left(), 0, body.width(), layout.top))
    painter.translate(-dx, 0)
    _paint_group_headers(painter, layout, cells, theme, metrics)
    _paint_column_headers(painter, layout, cells, theme, metrics, visible[1], current)
    painter.restore()


def _paint_strip_headers(
    painter: QPainter, layout: HeatmapLayout, cells: HeatmapData, metrics: QFontMetricsF, dy: int
) -> None:
    """Paint the names of the first and last column above each strip, as far as they fit."""
    painter.save()
    painter.setClipRect(QRect(0, 0, layout.viewport_width, layout.viewport_height))
    for columns in layout.by_strip(range(cells.shape[1])):
        left, right = (layout.cell(0, column) for column in (columns[0], columns[-1]))
        available = QRectF(
            left.left(), left.top() - dy - layout.strip_head, right.right() - left.left(), layout.strip_head
        )
        for column, alignment in ((columns[0], Qt.AlignmentFlag.AlignLeft), (columns[-1], Qt.AlignmentFlag.AlignRight)):
            name = metrics.elidedText(cells.columns[column], Qt.TextElideMode.ElideRight, available.width() / 2 - SPACE)
            painter.drawText(available, alignment | Qt.AlignmentFlag.AlignVCenter, name)
    painter.restore()


def _paint_group_headers(
    painter: QPainter, layout: HeatmapLayout, cells: HeatmapData, theme: Theme, metrics: QFontMetricsF
) -> None:
    if not layout.band:
        return
    for name, start, end in cells.stretches():
        box = QRectF(layout.cell(0, start).left(), 0, (end - start + 1) * layout.cell_width - 1, layout.band)
        painter.fillRect(QRectF(box.left(), box.bottom() - 2, box.width() - 1, 2), theme.colour("line_strong", 0.7))
        text = metrics.elidedText(name, Qt.TextElideMode.ElideRight, box.width() - SPACE)
        if len(text) > 3 or text == name:
            painter.setPen(theme.colour("muted"))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)


def _paint_column_headers(
    painter: QPainter,
    layout: HeatmapLayout,
    cells: HeatmapData,
    theme: Theme,
    metrics: QFontMetricsF,
    visible: range,
    current: tuple[int, int] | None,
) -> None:
    available = layout.top - layout.band - SPACE
    if layout.strips > 1 or available < metrics.height() * 0.9:
        return
    for column in visible:
        is_current = current is not None and current[1] == column
        painter.setPen(theme.colour("accent" if is_current else "ink"))
        cell = layout.cell(0, column)
        name = cells.columns[column]
        if metrics.horizontalAdvance(name) + 2 * SPACE <= layout.cell_width:
            box = QRectF(cell.left(), layout.top - metrics.height() - SPACE / 2, cell.width(), metrics.height())
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, name)
            continue
        painter.save()
        painter.translate(cell.center().x(), layout.top - SPACE)
        painter.rotate(-90)
        text = metrics.elidedText(name, Qt.TextElideMode.ElideRight, available - SPACE)
        painter.drawText(
            QRectF(0, -metrics.height() / 2, available, metrics.height()), Qt.AlignmentFlag.AlignVCenter, text
        )
        painter.restore()
