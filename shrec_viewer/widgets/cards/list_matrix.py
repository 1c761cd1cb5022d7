"""Ranked lists as rows of small thumbnails: a column per rank, with frames of relevance."""

import math
from collections import OrderedDict
from typing import Any, Protocol

from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, Qt, QTimer, Signal, Slot
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QToolTip, QWidget

from shrec_viewer.widgets.controls.plain_text import tooltip_text
from shrec_viewer.widgets.style.painted import ARROW_STEPS
from shrec_viewer.widgets.style.relevance import (
    FRAME_MARGIN,
    ThumbnailPainter,
    draw_frame,
    level_mark,
)
from shrec_viewer.widgets.style.text import CENTRE, draw_text, measured_font, put_text
from shrec_viewer.widgets.style.theme import SPACE, current_preset, current_theme, ring_width, text_font

#: Scale of the frames, which are made for thumbnails of 128 pixels.
FRAME_SCALE = 0.6

#: Pixels between the frames of two cells.
GAP = 2

#: Size of a thumbnail in pixels until another one is set.
DEFAULT_EDGE = 48

#: Characters of a row's title that are visible.
TITLE_CHARACTERS = 18

#: Size of the cache of painted cells: 4,500 of 48 pixels at a scale factor of 1.
CACHE_BYTES = 64 * 2**20

#: Milliseconds after scrolling until lists and thumbnails of the visible cells are requested.
VISIBLE_DELAY_MS = 30


#: Level of an image that is no model of a list; -1 is that of a model without an assessment.
NO_FRAME = -2


class MatrixContent(Protocol):
    """What the matrix shows; rows are counted from 0, and ranks from 1."""

    def title(self, row: int) -> str:
        """Name of a row."""

    def value_text(self, row: int) -> str:
        """Number of a row."""

    def is_current(self, row: int) -> bool:
        """Whether the row is the selected one."""

    def list_of(self, row: int) -> Any:
        """Arrays `items` and `levels` of a row; None until they are known."""

    def thumbnail(self, item: int) -> QPixmap | None:
        """Thumbnail of a model."""

    def problem(self, item: int) -> str:
        """Why a model has no thumbnail."""

    def row_text(self, row: int) -> str:
        """Tooltip of a row's title."""

    def cell_text(self, row: int, rank: int) -> str:
        """Tooltip of a cell."""


class ListMatrixView(QAbstractScrollArea):
    """A matrix of thumbnails with a fixed column of titles and a fixed row of ranks.

    Cells are painted once and cached, so that a frame of a scrolled matrix only copies pixmaps.

    Parameters
    ----------
    content : what is shown.
    numbered : whether ranks stand above the columns.

    Signals
    -------
    cell_hovered(row, rank)
        The cell under the mouse; (-1, 0) for none.
    cell_picked(row, rank)
        A cell was clicked or reached with the arrow keys.
    cell_activated(row, rank)
        A cell was double-clicked, or Return was pressed.
    row_picked(row)
        The title of a row was clicked.
    menu_requested(row, rank, position)
        The context menu of a cell was requested, at a global position; rank 0 for a title.
    visible_changed()
        Other cells are visible.
    """

    cell_hovered = Signal(int, int)
    cell_picked = Signal(int, int)
    cell_activated = Signal(int, int)
    row_picked = Signal(int)
    menu_requested = Signal(int, int, QPoint)
    visible_changed = Signal()

    def __init__(self, content: MatrixContent, parent: QWidget | None = None, *, numbered: bool = True) -> None:
        super().__init__(parent)
        self._content, self._is_numbered = content, numbered
        self._is_binary = False
        self._edge = DEFAULT_EDGE
        self._n_rows = self._n_ranks = 0
        self._cursor = 0
        self._lit = -1
        self._current = (-1, 0)
        self._hovered = (-1, 0)
        self._thumbnail_painter = ThumbnailPainter()
        self._cells: OrderedDict[tuple[int, int], QPixmap] = OrderedDict()
        self._cell_style = current_theme(), current_preset()
        self._visible_timer = QTimer(self, interval=VISIBLE_DELAY_MS, singleShot=True)
        self._visible_timer.timeout.connect(self.visible_changed)
        self.viewport().setMouseTracking(True)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)  # else Qt repaints all when it scrolls
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.setAccessibleName("Thumbnail matrix")
        for bar in (self.horizontalScrollBar(), self.verticalScrollBar()):
            bar.valueChanged.connect(self._on_scrolled)

    @Slot(int)
    def _on_scrolled(self, _value: int) -> None:
        self._visible_timer.start()  # not connected itself: its argument would be the interval

    # Contents.

    def set_size(self, rows: int, ranks: int, *, binary: bool = False) -> None:
        """Set the numbers of rows and columns; `binary` as in `level_mark`."""
        if binary != self._is_binary:
            self._is_binary = binary
            self._cells.clear()
        self._n_rows, self._n_ranks = rows, ranks
        self._update_bars()
        self._visible_timer.start()
        self.viewport().update()

    def set_edge(self, edge: int) -> None:
        """Set the size of the thumbnails in pixels."""
        if edge != self._edge:
            self._edge = edge
            self._cells.clear()
            self._update_bars()
            self._visible_timer.start()
            self.viewport().update()

    def set_cursor(self, rank: int | None) -> None:
        """Mark a column by its 1-based rank; None for none."""
        if (rank or 0) != self._cursor:
            self._cursor = rank or 0
            self.viewport().update()

    def set_highlighted_model(self, item: int) -> None:
        """Highlight a model in every row; -1 for none."""
        if item != self._lit:
            self._lit = item
            self.viewport().update()

    def set_current(self, row: int, rank: int) -> None:
        """Outline a cell and make it visible; (-1, 0) for none. Does not emit."""
        if (row, rank) == self._current:
            return
        self._current = (row, rank)
        if row >= 0:
            self._scroll_to(row, rank)
        self.viewport().update()

    @Slot()
    def repaint_cells(self) -> None:
        """Repaint after thumbnails arrived."""
        self.viewport().update()

    def changeEvent(self, event: QEvent) -> None:
        """Fit the titles to another font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._update_bars()

    # Geometry.

    @property
    def pitch(self) -> int:
        """Width and height of a cell with its frame, in pixels."""
        return self._edge + 2 * math.ceil(FRAME_MARGIN * FRAME_SCALE) + GAP

    @property
    def title_width(self) -> int:
        """Width of the column of titles in pixels."""
        width = QFontMetricsF(text_font(self.font())).averageCharWidth() * TITLE_CHARACTERS + 4 * SPACE
        return round(min(width, self.viewport().width() / 3))

    @property
    def header_height(self) -> int:
        """Height of the row of ranks in pixels."""
        if not self._is_numbered:
            return 0
        return round(QFontMetricsF(text_font(self.font(), 0.9)).height()) + 2 * SPACE

    def visible_rows(self) -> tuple[int, int]:
        """First and last visible row."""
        top, height = self.verticalScrollBar().value(), self.viewport().height() - self.header_height
        return top // self.pitch, min((top + max(height, 1) - 1) // self.pitch, self._n_rows - 1)

    def visible_ranks(self) -> tuple[int, int]:
        """First and last visible column, from 0."""
        left, width = self.horizontalScrollBar().value(), self.viewport().width() - self.title_width
        return left // self.pitch, min((left + max(width, 1) - 1) // self.pitch, max(self._n_ranks, 1) - 1)

    def cell_at(self, point: QPoint) -> tuple[int, int]:
        """Row and 1-based rank at a point of the viewport: (-1, 0) for none, rank 0 for a title."""
        y = point.y() - self.header_height + self.verticalScrollBar().value()
        row = y // self.pitch
        if point.y() < self.header_height or not 0 <= row < self._n_rows:
            return -1, 0
        if point.x() < self.title_width:
            return row, 0
        column = (point.x() - self.title_width + self.horizontalScrollBar().value()) // self.pitch
        shown = self._content.list_of(row)
        return (row, column + 1) if shown is not None and column < len(shown.items) else (-1, 0)

    def cell_rect(self, row: int, rank: int) -> QRectF:
        """Rectangle of a cell in the viewport."""
        left = self.title_width + (rank - 1) * self.pitch - self.horizontalScrollBar().value()
        top = self.header_height + row * self.pitch - self.verticalScrollBar().value()
        return QRectF(left, top, self.pitch, self.pitch)

    def _update_bars(self) -> None:
        width, height = self.viewport().width() - self.title_width, self.viewport().height() - self.header_height
        for bar, page, whole in (
            (self.horizontalScrollBar(), width, self._n_ranks * self.pitch),
            (self.verticalScrollBar(), height, self._n_rows * self.pitch),
        ):
            bar.setRange(0, max(0, whole - page))
            bar.setPageStep(max(page, 1))
            bar.setSingleStep(max(self.pitch // 2, 1))

    def _scroll_to(self, row: int, rank: int) -> None:
        for bar, position in ((self.verticalScrollBar(), row), (self.horizontalScrollBar(), rank - 1)):
            start = position * self.pitch
            if position >= 0 and start < bar.value():
                bar.setValue(start)
            elif position >= 0 and start + self.pitch > bar.value() + bar.pageStep():
                # Before the first layout, a page is smaller than a cell, whose start is then shown.
                bar.setValue(min(start, start + self.pitch - bar.pageStep()))

    # Painting.

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the exposed cells, ranks and titles."""
        painter = QPainter(self.viewport())
        if (style := (current_theme(), current_preset())) != self._cell_style:
            self._cell_style = style
            self._cells.clear()
        for part in event.region():  # type: ignore[attr-defined]  # iterable in PySide6 6.x, not in its stubs
            self._draw_part(painter, part)

    def _draw_part(self, painter: QPainter, part: QRect) -> None:
        """Paint the part of the viewport in a rectangle."""
        theme, pitch, left, top = current_theme(), self.pitch, self.title_width, self.header_height
        right, down = self.horizontalScrollBar().value(), self.verticalScrollBar().value()
        # Clipped, as parts may share a cell, whose smooth edges must not be blended twice.
        painter.setClipRect(part)
        painter.fillRect(part, theme.colour("surface"))
        area = part.intersected(QRect(left, top, self.viewport().width() - left, self.viewport().height() - top))
        first_row, last_row = (y // pitch for y in (max(part.top(), top) - top + down, part.bottom() - top + down))
        first, last = (x // pitch for x in (max(part.left(), left) - left + right, part.right() - left + right))
        last_row, last = min(last_row, self._n_rows - 1), min(last, max(self._n_ranks, 1) - 1)
        painter.setClipRect(area)
        if self._cursor:
            column = left + (self._cursor - 1) * pitch - right
            painter.fillRect(QRect(column, area.top(), pitch, area.height()), theme.colour("selection"))
        has_current = self._current[0] >= 0 and self._current[1] > 0
        if has_current:
            painter.fillRect(self.cell_rect(*self._current), theme.colour("selection"))
        for row in range(first_row, last_row + 1):
            shown = self._content.list_of(row) if last >= first else None
            if shown is None:
                continue
            items, levels = shown.items[first : last + 1].tolist(), shown.levels[first : last + 1].tolist()
            x, y = left + first * pitch - right, top + row * pitch - down
            for item, level in zip(items, levels, strict=True):
                painter.drawPixmap(x, y, self._cell(item, level))
                if item == self._lit and item >= 0:
                    self._outline(painter, QRectF(x, y, pitch, pitch), 3)
                x += pitch
        if has_current and (width := ring_width(has_focus=self.hasFocus())):
            self._outline(painter, self.cell_rect(*self._current), width)
        if part.top() < top:
            painter.setClipRect(part)
            self._draw_ranks(painter, first, last, left)
        if part.left() < left:
            painter.setClipRect(part)
            self._draw_titles(painter, first_row, last_row, top)

    def _outline(self, painter: QPainter, cell: QRectF, width: float) -> None:
        painter.setPen(QPen(current_theme().colour("accent"), width))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        inset = width / 2
        painter.drawRect(cell.adjusted(inset, inset, -inset, -inset))

    def _cell(self, item: int, level: int) -> QPixmap:
        """A painted cell with transparent margins; painted again when the thumbnail of the model has changed."""
        thumbnail = self._content.thumbnail(item)
        reason = "" if thumbnail is None and (item < 0 or self._content.problem(item)) else None
        known = (-1 if reason is not None else -2 - item) if thumbnail is None else thumbnail.cacheKey()
        key = (known, level)
        if (found := self._cells.get(key)) is not None:
            self._cells.move_to_end(key)
            return found
        cell = self._painted_cell(level, thumbnail, reason)
        self._cells[key] = cell
        limit = max(CACHE_BYTES // max(cell.width() * cell.height() * 4, 1), 1)
        while len(self._cells) > limit:
            self._cells.popitem(last=False)
        return cell

    def _painted_cell(self, level: int, thumbnail: QPixmap | None, reason: str | None) -> QPixmap:
        ratio = self.viewport().devicePixelRatioF()
        cell = QPixmap(math.ceil(self.pitch * ratio), math.ceil(self.pitch * ratio))
        cell.setDevicePixelRatio(ratio)
        cell.fill(Qt.GlobalColor.transparent)
        painter = QPainter(cell)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        margin = (self.pitch - self._edge) / 2
        box = QRectF(margin, margin, self._edge, self._edge)
        theme, font = current_theme(), text_font(self.font(), 0.85)
        self._thumbnail_painter.draw_model(painter, box, thumbnail, reason, theme, font)
        if level != NO_FRAME:
            mark = level_mark(level, theme, current_preset(), binary=self._is_binary)
            painter.scale(FRAME_SCALE, FRAME_SCALE)
            start, edge = margin / FRAME_SCALE, self._edge / FRAME_SCALE
            draw_frame(painter, QRectF(start, start, edge, edge), mark)
        painter.end()
        return cell

    def _draw_ranks(self, painter: QPainter, first: int, last: int, left: int) -> None:
        theme, pitch, height = current_theme(), self.pitch, self.header_height
        offset, part = self.horizontalScrollBar().value(), painter.clipBoundingRect()
        painter.setClipRect(part.intersected(QRectF(left, 0, self.viewport().width() - left, height)))
        plain, bold = text_font(self.font(), 0.9), text_font(self.font(), 0.9, bold=True)
        for column in range(first, last + 1 if self._n_ranks else 0):
            is_cursor = column + 1 == self._cursor
            box = QRectF(left + column * pitch - offset, 0, pitch, height)
            if is_cursor:
                painter.fillRect(box, theme.colour("selection"))
            colour, font = theme.colour("ink" if is_cursor else "muted"), bold if is_cursor else plain
            put_text(painter, box, str(column + 1), colour, CENTRE, font=font)
        painter.setClipRect(part)
        painter.setPen(theme.colour("line"))
        painter.drawLine(0, height - 1, self.viewport().width(), height - 1)

    def _draw_titles(self, painter: QPainter, first: int, last: int, top: int) -> None:
        theme, pitch, width, part = current_theme(), self.pitch, self.title_width, painter.clipBoundingRect()
        painter.setClipRect(part.intersected(QRectF(0, top, width, self.viewport().height() - top)))
        plain, bold = measured_font(self.font()), measured_font(self.font(), bold=True)
        line = bold.height
        for row in range(first, last + 1):
            box = QRectF(0, top + row * pitch - self.verticalScrollBar().value(), width, pitch)
            is_current, value = self._content.is_current(row), self._content.value_text(row)
            if is_current or row == self._hovered[0]:
                painter.fillRect(box, theme.colour("selection" if is_current else "hover"))
            y = box.center().y() - (line if value else line / 2)
            text = QRectF(2 * SPACE, y, width - 4 * SPACE, line)
            title = self._content.title(row)
            draw_text(painter, text, title, bold, theme.colour("ink"), Qt.TextElideMode.ElideMiddle)
            draw_text(painter, text.translated(0, line), value, plain, theme.colour("muted"))
        painter.setClipRect(part)
        painter.setPen(theme.colour("line"))
        painter.drawLine(width - 1, 0, width - 1, self.viewport().height())

    # Mouse and keyboard.

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Emit the cell under the mouse."""
        self._hover(self.cell_at(event.position().toPoint()))

    def leaveEvent(self, event: QEvent) -> None:
        """No cell is under the mouse."""
        super().leaveEvent(event)
        self._hover((-1, 0))

    def _hover(self, cell: tuple[int, int]) -> None:
        if cell != self._hovered:
            self._hovered = cell
            self.cell_hovered.emit(*(cell if cell[1] else (-1, 0)))
            self.viewport().update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Pick the cell or title under the mouse."""
        row, rank = self.cell_at(event.position().toPoint())
        if event.button() != Qt.MouseButton.LeftButton or row < 0:
            return
        if rank == 0:
            self.row_picked.emit(row)
        else:
            self._pick(row, rank)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Activate the cell under the mouse."""
        row, rank = self.cell_at(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and row >= 0 and rank > 0:
            self.cell_activated.emit(row, rank)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Request the menu of the cell under the mouse, or with the menu key that of the current cell."""
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            row, rank = self._current
            position = self.viewport().mapToGlobal(self.cell_rect(row, rank).center().toPoint())
        else:
            row, rank = self.cell_at(self.viewport().mapFromGlobal(event.globalPos()))
            position = event.globalPos()
        if row >= 0:
            self.menu_requested.emit(row, rank, position)
        else:
            event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the current cell with the arrow keys, or activate it."""
        row, rank = self._current
        step = ARROW_STEPS.get(Qt.Key(event.key()))
        if event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier or (step is None and row < 0):
            super().keyPressEvent(event)
        elif step is not None:
            target = (0, 1) if row < 0 else (row + step[0], max(rank, 1) + step[1])
            shown = self._content.list_of(target[0]) if 0 <= target[0] < self._n_rows else None
            if shown is not None and len(shown.items) and target[1] >= 1:
                self._pick(target[0], min(target[1], len(shown.items)))
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and rank > 0:
            self.cell_activated.emit(row, rank)
        else:
            super().keyPressEvent(event)

    def _pick(self, row: int, rank: int) -> None:
        self.set_current(row, rank)
        self.cell_picked.emit(row, rank)

    def viewportEvent(self, event: QEvent) -> bool:
        """Show the tooltip of a cell or title."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            row, rank = self.cell_at(event.pos())
            text = "" if row < 0 else self._content.cell_text(row, rank) if rank else self._content.row_text(row)
            QToolTip.showText(event.globalPos(), tooltip_text(text) if text else "", self.viewport())
            return True
        return super().viewportEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Adapt the scroll bars."""
        super().resizeEvent(event)
        self._update_bars()
        self._visible_timer.start()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Repaint the outline of the current cell."""
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Repaint the outline of the current cell."""
        super().focusOutEvent(event)
        self.viewport().update()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Move the pixels, ranks with their columns and titles with their rows, and repaint what appears.

        800 cells of a frame take 10 ms to paint, the 40 that appear less than 1 ms.
        """
        viewport, left, top = self.viewport(), self.title_width, self.header_height
        if not viewport.devicePixelRatioF().is_integer():  # a logical pixel is no whole number of those on the screen
            viewport.update()
            return
        if dx:
            viewport.scroll(dx, 0, QRect(left, 0, viewport.width() - left, viewport.height()))
        if dy:
            viewport.scroll(0, dy, QRect(0, top, viewport.width(), viewport.height() - top))
