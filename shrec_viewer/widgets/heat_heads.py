"""Names of rows and columns, groups and totals around the cells of a heat map."""

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from shrec_viewer.widgets.heat_cells import HeatCells
from shrec_viewer.widgets.heat_paint import HeatLayout
from shrec_viewer.widgets.theme import SPACE, Theme


def paint_heads(
    painter: QPainter,
    layout: HeatLayout,
    cells: HeatCells,
    theme: Theme,
    offset: tuple[int, int],
    shown: tuple[range, range],
    current: tuple[int, int] | None,
) -> None:
    """Paint names of rows and columns, groups, and totals; `offset` is how far the cells are scrolled."""
    dx, dy = offset
    painter.setFont(layout.small)
    metrics = QFontMetricsF(layout.small)
    middle = Qt.AlignmentFlag.AlignVCenter
    body = layout.body
    painter.save()
    painter.setClipRect(QRect(0, body.top(), layout.room_width, body.height()))
    for columns in layout.by_strip(shown[1]):
        for row in shown[0]:
            box = QRectF(layout.cell(row, columns[0] if layout.strips > 1 else 0).translated(0, -dy))
            is_current = current is not None and current[0] == row
            painter.setPen(theme.colour("accent" if is_current else "ink"))
            room = QRectF(2 * SPACE, box.top(), layout.left - 4 * SPACE, box.height())
            name = metrics.elidedText(cells.rows[row], Qt.TextElideMode.ElideMiddle, room.width())
            painter.drawText(room, Qt.AlignmentFlag.AlignRight | middle, name)
            if cells.totals is not None and columns[0] in (shown[1][0], 0):
                painter.setPen(theme.colour("ink"))
                end = QRectF(body.right() + 1, box.top(), layout.right - 2 * SPACE, box.height())
                total = cells.total(row) or "–"
                painter.drawText(end, Qt.AlignmentFlag.AlignRight | middle, total)
    painter.restore()
    painter.setPen(theme.colour("muted"))
    if cells.totals is not None and (layout.strips == 1 or layout.has_strip_heads):
        head = QRectF(
            body.right() + 1, layout.top - metrics.height() - SPACE, layout.right - 2 * SPACE, metrics.height()
        )
        painter.drawText(head, Qt.AlignmentFlag.AlignRight | middle, cells.total_name)
    if layout.has_strip_heads:
        _paint_strips(painter, layout, cells, metrics, dy)
    painter.save()
    painter.setClipRect(QRect(body.left(), 0, body.width(), layout.top))
    painter.translate(-dx, 0)
    _paint_groups(painter, layout, cells, theme, metrics)
    _paint_columns(painter, layout, cells, theme, metrics, shown[1], current)
    painter.restore()


def _paint_strips(painter: QPainter, layout: HeatLayout, cells: HeatCells, metrics: QFontMetricsF, dy: int) -> None:
    """Above each strip the names of its first and its last column, as far as they fit."""
    painter.save()
    painter.setClipRect(QRect(0, 0, layout.room_width, layout.room_height))
    for columns in layout.by_strip(range(cells.shape[1])):
        left, right = (layout.cell(0, column) for column in (columns[0], columns[-1]))
        room = QRectF(left.left(), left.top() - dy - layout.strip_head, right.right() - left.left(), layout.strip_head)
        for column, side in ((columns[0], Qt.AlignmentFlag.AlignLeft), (columns[-1], Qt.AlignmentFlag.AlignRight)):
            name = metrics.elidedText(cells.columns[column], Qt.TextElideMode.ElideRight, room.width() / 2 - SPACE)
            painter.drawText(room, side | Qt.AlignmentFlag.AlignVCenter, name)
    painter.restore()


def _paint_groups(
    painter: QPainter, layout: HeatLayout, cells: HeatCells, theme: Theme, metrics: QFontMetricsF
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


def _paint_columns(
    painter: QPainter,
    layout: HeatLayout,
    cells: HeatCells,
    theme: Theme,
    metrics: QFontMetricsF,
    shown: range,
    current: tuple[int, int] | None,
) -> None:
    room = layout.top - layout.band - SPACE
    if layout.strips > 1 or room < metrics.height() * 0.9:
        return
    for column in shown:
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
        text = metrics.elidedText(name, Qt.TextElideMode.ElideRight, room - SPACE)
        painter.drawText(QRectF(0, -metrics.height() / 2, room, metrics.height()), Qt.AlignmentFlag.AlignVCenter, text)
        painter.restore()
