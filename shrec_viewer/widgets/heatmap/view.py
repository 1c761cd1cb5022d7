"""Scrollable heat map widget with hover, current cell, zoom and header clicks."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QHelpEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QToolTip, QWidget

from shrec_viewer.widgets.heatmap.data import EMPTY_HEATMAP, HeatmapData, heatmap_colour_table, heatmap_image
from shrec_viewer.widgets.heatmap.painting import HeatmapLayout, paint_cells, paint_headers
from shrec_viewer.widgets.style.theme import Theme, current_theme
from shrec_viewer.widgets.style.tooltips import titled_tooltip

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


ZOOM_STEP = 1.25
"""Zoom factor of a wheel step with Ctrl."""

ARROW_STEPS = {
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
}
"""Rows and columns that an arrow key moves."""


class HeatmapView(QAbstractScrollArea):
    """View of `HeatmapData`; only visible cells are painted, so that the cost does not depend on the number of columns.

    Cells fill the viewport if possible; Ctrl+wheel changes the column width, 0 fits it again.

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
        self._theme = current_theme()
        self._cells = EMPTY_HEATMAP
        self._image = QImage()
        self._current: tuple[int, int] | None = None
        self._hovered: tuple[int, int] | None = None
        self._zoom = 1.0
        self._is_laying_out = False
        self._layout = HeatmapLayout(EMPTY_HEATMAP, self.font(), 0, 0, 1.0)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        self.setAccessibleName("Map of values")

    @property
    def cells(self) -> HeatmapData:
        """The data shown."""
        return self._cells

    @property
    def current(self) -> tuple[int, int] | None:
        """Row and column of the current cell."""
        return self._current

    def set_cells(self, cells: HeatmapData) -> None:
        """Show these cells; the current cell is kept if it still exists."""
        self._cells = cells
        if self._current is not None and not self._exists(self._current):
            self._current = None
        self._hovered = None
        self._colour()
        self._lay_out()

    def set_current(self, row: int, column: int) -> None:
        """Mark a cell and scroll to it; (-1, -1) for none. Does not emit."""
        cell = (row, column)
        self._current = cell if self._exists(cell) else None
        if self._current is not None:
            self._reveal(self._layout.cell(*self._current))
            self.setAccessibleDescription(self._cells.describe(*self._current))
        self.viewport().update()

    def set_theme(self, theme: Theme) -> None:
        """Set the theme."""
        self._theme = theme
        self._colour()
        self.viewport().update()

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
        if not all(self._cells.shape):
            return
        dx, dy = self._offset()
        painter.save()
        painter.setClipRect(self._layout.body)
        painter.translate(-dx, -dy)
        visible = self._layout.visible(dx, dy)
        paint_cells(painter, self._layout, self._cells, self._image, self._theme, visible)
        self._paint_marks(painter)
        painter.restore()
        paint_headers(painter, self._layout, self._cells, self._theme, (dx, dy), visible, self._current)

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

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Do nothing: the press has selected already."""
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Activate the cell under the mouse."""
        cell = self.cell_at(event.position().toPoint())
        if cell is not None:
            self.cell_activated.emit(*cell)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Open the context menu at the mouse, or with the menu key that of the current cell."""
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            if self._current is not None:
                position = self.viewport().mapToGlobal(self.cell_rect(*self._current).center())
                self.menu_requested.emit(*self._current, position)
            return
        if (cell := self.cell_at(event.pos())) is not None:
            self.menu_requested.emit(*cell, event.globalPos())
            return
        row, column = self._layout.head_at(event.pos().x(), event.pos().y(), *self._offset())
        if row is not None or column is not None:
            self.menu_requested.emit(-1 if row is None else row, -1 if column is None else column, event.globalPos())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the current cell, activate it with Enter, reset the zoom with 0."""
        key = Qt.Key(event.key())
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._current is not None:
            self.cell_activated.emit(*self._current)
        elif key in ARROW_STEPS and all(self._cells.shape):
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

    def viewportEvent(self, event: QEvent) -> bool:
        """Show the tooltip of the cell or header under the mouse."""
        if isinstance(event, QHelpEvent):
            cell = self.cell_at(event.pos())
            text = self._cells.describe(*cell) if cell is not None else self._header_text(event.pos())
            QToolTip.showText(event.globalPos(), titled_tooltip(text) if text else "", self)
            return True
        return super().viewportEvent(event)

    # Layout.

    def _exists(self, cell: tuple[int, int]) -> bool:
        rows, columns = self._cells.shape
        return 0 <= cell[0] < rows and 0 <= cell[1] < columns

    def _colour(self) -> None:
        cells = self._cells
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
        return HeatmapLayout(self._cells, self.font(), available.width(), available.height(), self._zoom)

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
        row, column = self._current or (0, 0)
        rows, columns = self._cells.shape
        self._select((min(max(row + down, 0), rows - 1), min(max(column + right, 0), columns - 1)))

    def _select(self, cell: tuple[int, int]) -> None:
        self.set_current(*cell)
        self.cell_selected.emit(*cell)

    def _hover(self, cell: tuple[int, int] | None) -> None:
        if cell == self._hovered:
            return
        for changed in (self._hovered, cell):
            if changed is not None:
                self.viewport().update(self.cell_rect(*changed).adjusted(-3, -3, 3, 3))
        self._hovered = cell
        self.cell_hovered.emit(*(cell or (-1, -1)))

    def _paint_marks(self, painter: QPainter) -> None:
        for cell, token, width in ((self._hovered, "ink", 1.0), (self._current, "accent", 2.0)):
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
            return self._cells.rows[row]
        return self._cells.columns[column] if column is not None else ""
