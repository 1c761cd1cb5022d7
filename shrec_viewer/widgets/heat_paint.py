"""Where the cells of a heat map are, and how they and their names are painted."""

import math
from dataclasses import dataclass, field

import numpy as np
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter

from shrec_viewer.widgets.heat_cells import HeatCells
from shrec_viewer.widgets.heat_colours import ink_on
from shrec_viewer.widgets.theme import SPACE, Theme, text_font

NARROWEST, WIDEST = 5, 72
"""Pixels of a column: below five a cell cannot be hit, above 72 a few queries would look like a table of blocks."""

LEADING, HIGHEST = 0.95, 48
"""A row at least, of the height of a line of letters: names stand close then, and more of them are in sight; and pixels
of a row at most."""

LONGEST_ROW, LONGEST_COLUMN = 150, 96
"""Pixels after which names of rows and columns are cut."""

LINED = 9
"""Pixels of a cell from which a hair line is left between cells."""

HATCHED = 5000
"""Hatched cells painted one by one; of more there is only the ground, which a screen of that many cells shows alike."""


@dataclass(frozen=True, eq=False)
class HeatLayout:
    """Arithmetic of one size: heads at the left and above, totals at the right, cells between.

    Parameters
    ----------
    cells, font : what is laid out.
    room_width, room_height : pixels of the viewport.
    zoom : of the width of columns, 1 fits them all if they are not too narrow.
    """

    cells: HeatCells
    font: QFont
    room_width: int
    room_height: int
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
        put(self, "lowest", math.ceil(metrics.height() * LEADING))
        rows, columns = self.cells.shape
        if not rows or not columns:
            return
        widest = max(metrics.horizontalAdvance(name) for name in self.cells.rows)
        put(self, "left", math.ceil(min(widest, LONGEST_ROW)) + 4 * SPACE + 1)
        if self.cells.totals is not None:
            numbers = [self.cells.total(row) for row in range(rows)] + [self.cells.total_name]
            put(self, "right", round(max(metrics.horizontalAdvance(text) for text in numbers)) + 5 * SPACE)
        room = max(self.room_width - self.left - self.right, 1)
        put(self, "cell_width", round(max(NARROWEST, min(room // columns, WIDEST)) * self.zoom))
        put(self, "band", round(metrics.height()) + SPACE if any(self.cells.groups) else 0)
        longest = max(metrics.horizontalAdvance(name) for name in self.cells.columns)
        upright = longest + 2 * SPACE > self.cell_width
        named = self.cell_width >= metrics.height() * 0.9
        height = (min(longest, LONGEST_COLUMN) + 2 * SPACE if upright else metrics.height() + SPACE) if named else 0
        put(self, "top", self.band + round(height) + SPACE)
        put(self, "per_strip", columns)
        self._fold(room)
        tall = (max(self.room_height - self.top - SPACE, 1) // self.strips - self._gap) // rows
        put(self, "cell_height", min(max(tall, self.lowest), HIGHEST))

    def _fold(self, room: int) -> None:
        """Break columns that would have to be scrolled into strips below each other, where there is height for them."""
        put = object.__setattr__
        rows, columns = self.cells.shape
        fitting = room // NARROWEST
        if self.zoom > 1.0 or columns <= fitting or not fitting:
            return
        strips = -(-columns // fitting)
        named = math.ceil(QFontMetricsF(self.small).height()) + SPACE
        heads = [head for head in (named, 2 * SPACE) if strips * (rows * self.lowest + head) <= self.room_height]
        if not heads:
            return
        per_strip = -(-columns // strips)
        put(self, "strips", strips)
        put(self, "per_strip", per_strip)
        put(self, "cell_width", room // per_strip)
        put(self, "band", 0)
        put(self, "top", heads[0])
        put(self, "strip_head", heads[0])
        put(self, "has_strip_heads", heads[0] == named)

    @property
    def _gap(self) -> int:
        """Between strips there is the head of the lower one, or room for the eye."""
        return self.strip_head

    @property
    def _strip_height(self) -> int:
        return self.cell_height * self.cells.shape[0] + self._gap

    @property
    def width(self) -> int:
        """Pixels of all columns."""
        return self.cell_width * self.per_strip

    @property
    def height(self) -> int:
        """Pixels of all rows, in all strips."""
        return self.strips * self._strip_height - self._gap

    @property
    def body(self) -> QRect:
        """Where cells are seen, in the viewport."""
        width = min(self.width, self.room_width - self.left - self.right)
        return QRect(self.left, self.top, max(width, 0), max(min(self.height, self.room_height - self.top), 0))

    def cell(self, row: int, column: int) -> QRect:
        """Where a cell is while nothing is scrolled."""
        strip, place = divmod(column, self.per_strip)
        top = self.top + strip * self._strip_height + row * self.cell_height
        return QRect(self.left + place * self.cell_width, top, self.cell_width, self.cell_height)

    def cell_at(self, x: int, y: int, dx: int, dy: int) -> tuple[int, int] | None:
        """Row and column at a point of the viewport."""
        if not self.body.contains(QPoint(x, y)):
            return None
        strip, inside = divmod(y + dy - self.top, self._strip_height)
        row, place = inside // self.cell_height, (x + dx - self.left) // self.cell_width
        column = strip * self.per_strip + place
        rows, columns = self.cells.shape
        return (row, column) if row < rows and place < self.per_strip and column < columns else None

    def head_at(self, x: int, y: int, dx: int, dy: int) -> tuple[int | None, int | None]:
        """Row, or column, whose name is at a point of the viewport."""
        body = self.body
        if body.top() <= y <= body.bottom() and (x < body.left() or x > body.right()):
            row = (y + dy - self.top) % self._strip_height // self.cell_height
            return (row, None) if row < self.cells.shape[0] else (None, None)
        if body.left() <= x <= body.right() and y < body.top():
            return None, (x + dx - self.left) // self.cell_width
        return None, None

    def shown(self, dx: int, dy: int) -> tuple[range, range]:
        """Rows and columns in sight."""
        rows, columns = self.cells.shape
        if self.strips > 1:
            return range(rows), range(columns)
        body = self.body
        last_row = min((dy + body.height()) // self.cell_height + 1, rows)
        last_column = min((dx + body.width()) // self.cell_width + 1, columns)
        return range(dy // self.cell_height, last_row), range(dx // self.cell_width, last_column)

    def by_strip(self, columns: range) -> list[range]:
        """The columns of each strip; all of them where there is one."""
        if self.strips == 1:
            return [columns]
        starts = range(0, self.cells.shape[1], self.per_strip)
        return [range(start, min(start + self.per_strip, self.cells.shape[1])) for start in starts]

    def with_text(self) -> bool:
        """Whether numbers fit into cells."""
        metrics = QFontMetricsF(self.small)
        widest = "+.000" if self.cells.diverging else ".000"
        return self.cell_width >= metrics.horizontalAdvance(widest) + 2 * SPACE and self.cell_height >= metrics.height()


def paint_cells(
    painter: QPainter, layout: HeatLayout, cells: HeatCells, image: QImage, theme: Theme, shown: tuple[range, range]
) -> None:
    """Paint the cells in sight; the painter is scrolled already."""
    for columns in layout.by_strip(shown[1]):
        _paint_strip(painter, layout, cells, image, theme, (shown[0], columns))


def _paint_strip(
    painter: QPainter, layout: HeatLayout, cells: HeatCells, image: QImage, theme: Theme, shown: tuple[range, range]
) -> None:
    rows, columns = shown
    if not len(rows) or not len(columns):
        return
    first, last = layout.cell(rows[0], columns[0]), layout.cell(rows[-1], columns[-1])
    area = first.united(last)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
    painter.fillRect(area, theme.colour("sunken"))
    painter.drawImage(area, image, QRect(columns[0], rows[0], len(columns), len(rows)))
    _paint_hatches(painter, layout, cells, theme, shown)
    if min(layout.cell_width, layout.cell_height) >= LINED:
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
        _paint_numbers(painter, layout, cells, image, shown)


def _paint_hatches(
    painter: QPainter, layout: HeatLayout, cells: HeatCells, theme: Theme, shown: tuple[range, range]
) -> None:
    rows, columns = shown
    block = np.isnan(cells.values[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1])
    if block.sum() > HATCHED:
        return
    painter.setPen(Qt.PenStyle.NoPen)
    for row, column in np.argwhere(block):
        place = (rows[0] + int(row), columns[0] + int(column))
        absent = cells.absent is not None and bool(cells.absent[place])
        pattern = Qt.BrushStyle.DiagCrossPattern if absent else Qt.BrushStyle.BDiagPattern
        painter.setBrush(theme.colour("line_strong", 0.8))
        brush = painter.brush()
        brush.setStyle(pattern)
        painter.setBrush(brush)
        painter.drawRect(layout.cell(*place).adjusted(0, 0, -1, -1))


def _paint_numbers(
    painter: QPainter, layout: HeatLayout, cells: HeatCells, image: QImage, shown: tuple[range, range]
) -> None:
    painter.setFont(layout.small)
    for row in shown[0]:
        for column in shown[1]:
            text = cells.text(row, column)
            if text:
                painter.setPen(ink_on(QColor(image.pixel(column, row))))
                painter.drawText(layout.cell(row, column), Qt.AlignmentFlag.AlignCenter, text)
