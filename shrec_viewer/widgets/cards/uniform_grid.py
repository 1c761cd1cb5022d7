"""Item view with cells of equal size, laid out by arithmetic: 51,000 items at no layout cost."""

from collections.abc import Sequence

from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
    QTimer,
    Signal,
    Slot,
)
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QRegion, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyle, QStyleOptionViewItem, QWidget

from shrec_viewer.widgets.controls.controls import ItemRoles, set_current_index
from shrec_viewer.widgets.controls.plain_text import ItemTooltips

Index = QModelIndex | QPersistentModelIndex
ScrollHint = QAbstractItemView.ScrollHint
CursorAction = QAbstractItemView.CursorAction


#: Milliseconds after the last scroll or resize before `visible_rows_changed`: two frames.
VISIBLE_DELAY_MS = 40


class UniformGrid(QListView):
    """Items of a list model in rows of equal cells that share the width evenly.

    QListView lays out every item: 0.1 s for 51,000 items at each change of width, and in batched mode distant items
    have no position for some time. Here the position of item i is computed, and QListView's own layout never runs; it
    is the base class because it has the accessibility role of a list.

    Subclasses call `_set_cell_size` and paint through the item delegate.

    Attributes
    ----------
    roles : of the model.

    Signals
    -------
    row_selected(int)
        Row of the item that was clicked or reached with the arrow keys.
    visible_rows_changed(int, int)
        First and last visible row, `VISIBLE_DELAY_MS` after scrolling, resizing or a new model; (0, -1) for none.
        Thumbnails of these rows are rendered first.
    """

    row_selected = Signal(int)
    visible_rows_changed = Signal(int, int)

    # QListView calls overrides while its own constructor runs, before the attributes below exist.
    _gap = 8
    _cell_size = QSize(100, 100)
    _settle: QTimer | None = None
    _last_emitted: tuple[int, int] | None = None

    #: Buttons that select an item; presses of others do nothing.
    _selecting_buttons = Qt.MouseButton.LeftButton | Qt.MouseButton.RightButton

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.roles = ItemRoles()
        self._hovered = QPersistentModelIndex()
        self._settle = QTimer(self, interval=VISIBLE_DELAY_MS, singleShot=True)
        self._settle.timeout.connect(self._on_settled)
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        ItemTooltips(self)
        self.setMouseTracking(True)
        # Opaque, so that Qt scrolls by moving pixels instead of repainting all cards.
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # Always on: a bar that appears changes the width and so the columns, which may hide the bar again, in a loop.
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)

    def setModel(self, model: QAbstractItemModel | None) -> None:
        """Look up the roles of the model."""
        super().setModel(model)
        self.roles = ItemRoles(model)
        self._emit_visible_later(is_new=True)

    def reset(self) -> None:
        """Emit the visible rows of the new list."""
        super().reset()
        self._emit_visible_later(is_new=True)

    # Layout.

    def columns(self) -> int:
        """Number of cells per line, at least one."""
        return max(1, (self.viewport().width() - self._gap) // (self._cell_size.width() + self._gap))

    def visible_rows(self) -> tuple[int, int]:
        """First and last item that is at least partly visible; (0, -1) for none."""
        count, pitch = self._count(), self._pitch()
        top, columns = self.verticalScrollBar().value(), self.columns()
        first = top // pitch * columns
        last = ((top + self.viewport().height() - self._gap - 1) // pitch + 1) * columns - 1
        return (first, min(last, count - 1)) if count else (0, -1)

    def selected_rows(self) -> list[int]:
        """Model rows of all selected items, ascending."""
        if self.selectionModel() is None:
            return []
        ranges = self.selectionModel().selection().toList()
        return sorted(row for part in ranges for row in range(part.top(), part.bottom() + 1))

    def set_current_row(self, row: int | None) -> None:
        """Make this item current and scroll to it; None or an invalid row: no item. Does not emit."""
        if row is None or not 0 <= row < self._count():
            self._clear_current()
        elif row != self.currentIndex().row():
            set_current_index(self, self._index(row))
            self.updateGeometries()  # the range of the scroll bar may be that of the previous list
            self.scrollTo(self._index(row))

    def _clear_current(self) -> None:
        # clear() of QItemSelectionModel also drops the current index, unlike clearSelection().
        if self.selectionModel() is not None:
            self.selectionModel().clear()
            self.viewport().update()

    def _fit_cells(self) -> None:
        """Set the size of the cells for the font; called when the font changes."""

    def _set_cell_size(self, size: QSize) -> None:
        """Set the minimum size of a cell; cells become wider to fill the line."""
        if size != self._cell_size:
            self._cell_size = size
            self.updateGeometries()
            self._emit_visible_later()
        self.viewport().update()

    def _emit_visible_later(self, *, is_new: bool = False) -> None:
        """Emit the visible rows if they change; also the same ones if the list `is_new`."""
        if is_new:
            self._last_emitted = None
        if self._settle is not None:
            self._settle.start()

    @Slot()
    def _on_settled(self) -> None:
        self._emit_visible()

    def _emit_visible(self) -> None:
        visible = self.visible_rows()
        if visible != self._last_emitted:
            self._last_emitted = visible
            self.visible_rows_changed.emit(*visible)

    @Slot(int)
    def _on_scrolled(self, _value: int) -> None:
        self._emit_visible_later()

    def _count(self) -> int:
        return self.model().rowCount(self.rootIndex()) if self.model() is not None else 0

    def _index(self, row: int) -> QModelIndex:
        return self.model().index(row, 0, self.rootIndex())

    def _pitch(self) -> int:
        return self._cell_size.height() + self._gap

    def _cell(self, row: int) -> QRect:
        """Rectangle of item `row` in the viewport; the spare width is distributed to the pixel."""
        columns = self.columns()
        line, column = divmod(row, columns)
        available = self.viewport().width() - self._gap
        # Rounded per edge, not per width: the sum of rounded widths would leave up to `columns` pixels at the right.
        left = available * column // columns
        width = available * (column + 1) // columns - left - self._gap
        top = self._gap + line * self._pitch() - self.verticalScrollBar().value()
        return QRect(self._gap + left, top, width, self._cell_size.height())

    def shows_row(self, row: int) -> bool:
        """Whether this item is completely visible."""
        return 0 <= row < self._count() and self.viewport().rect().contains(self._cell(row))

    # QAbstractItemView interface.

    def visualRect(self, index: Index) -> QRect:
        """Rectangle of an item in the viewport."""
        return self._cell(index.row()) if index.isValid() else QRect()

    def indexAt(self, point: QPoint) -> QModelIndex:  # noqa: N802
        """Item at a point of the viewport."""
        columns = self.columns()
        available = max(1, self.viewport().width() - self._gap)
        column = min(columns - 1, max(0, (point.x() - self._gap)) * columns // available)
        line = (point.y() + self.verticalScrollBar().value() - self._gap) // self._pitch()
        for near in (column, column + 1):  # rounding may differ from that in `_cell` by a pixel
            row = line * columns + near
            if 0 <= row < self._count() and self._cell(row).contains(point):
                return self._index(row)
        return QModelIndex()

    def scrollTo(self, index: Index, hint: ScrollHint = ScrollHint.EnsureVisible) -> None:
        """Scroll until the item is visible."""
        if not index.isValid():
            return
        cell, height, bar = self._cell(index.row()), self.viewport().height(), self.verticalScrollBar()
        if hint == ScrollHint.PositionAtCenter:
            bar.setValue(bar.value() + cell.center().y() - height // 2)
        elif hint == ScrollHint.PositionAtTop or cell.top() < self._gap:
            bar.setValue(bar.value() + cell.top() - self._gap)
        elif hint == ScrollHint.PositionAtBottom or cell.bottom() > height - self._gap:
            bar.setValue(bar.value() + cell.bottom() - height + self._gap + 1)

    def moveCursor(self, action: CursorAction, modifiers: Qt.KeyboardModifier) -> QModelIndex:  # noqa: N802
        """Item reached by an arrow, page, Home or End key."""
        count = self._count()
        if not count:
            return QModelIndex()
        current = self.currentIndex()
        if not current.isValid():
            return self._index(0)
        columns, row = self.columns(), current.row()
        page = max(1, self.viewport().height() // self._pitch()) * columns
        steps = {
            CursorAction.MoveLeft: -1, CursorAction.MovePrevious: -1,
            CursorAction.MoveRight: 1, CursorAction.MoveNext: 1,
            CursorAction.MoveUp: -columns, CursorAction.MoveDown: columns,
            CursorAction.MovePageUp: -page, CursorAction.MovePageDown: page,
            CursorAction.MoveHome: -count, CursorAction.MoveEnd: count,
        }  # fmt: skip
        target = row + steps[action]
        if action == CursorAction.MoveUp and target < 0:
            target = row
        return self._index(min(max(target, 0), count - 1))

    def setSelection(self, rect: QRect, command: QItemSelectionModel.SelectionFlag) -> None:  # noqa: N802
        """Select the items between the corners of a rectangle."""
        one, other = self.indexAt(rect.topLeft()), self.indexAt(rect.bottomRight())
        first, last = sorted((one, other), key=QModelIndex.row)
        self.selectionModel().select(QItemSelection(first, last) if first.isValid() else QItemSelection(), command)

    def visualRegionForSelection(self, selection: QItemSelection) -> QRegion:  # noqa: N802
        """Region of the selected visible items."""
        region = QRegion()
        first, last = self.visible_rows()
        for part in selection.toList():
            for row in range(max(part.top(), first), min(part.bottom(), last) + 1):
                # Of visible items only: a selection can have all 51,000.
                region += self._cell(row)
        return region

    # Scrolling and painting.

    def dataChanged(self, first: Index, last: Index, roles: Sequence[int] = ()) -> None:  # noqa: N802
        """Repaint the changed items; QListView would repaint all visible ones."""
        top, bottom = self.visible_rows()
        for row in range(max(first.row(), top), min(last.row(), bottom) + 1):
            self.viewport().update(self._cell(row))

    def updateGeometries(self) -> None:  # noqa: N802
        """Compute the scroll range from the number of lines."""
        QAbstractItemView.updateGeometries(self)  # not that of QListView, whose own layout has no items
        # Rounded up.
        lines = -(-self._count() // self.columns())
        bar, height = self.verticalScrollBar(), self.viewport().height()
        bar.setPageStep(height)
        bar.setSingleStep(max(1, self._pitch() // 3))
        bar.setRange(0, max(0, self._gap + lines * self._pitch() - height))

    def rowsInserted(self, parent: Index, start: int, end: int) -> None:  # noqa: N802
        """Extend the scroll range; QListView would lay out its own items."""
        super().rowsInserted(parent, start, end)
        self.updateGeometries()
        self.viewport().update()
        self._emit_visible_later()

    def doItemsLayout(self) -> None:  # noqa: N802
        """Lay out nothing: positions are computed from the row."""
        QAbstractItemView.doItemsLayout(self)

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Move the visible pixels and paint the rest."""
        self.viewport().scroll(0, dy)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Compute the scroll range; QListView would lay out its own items."""
        QAbstractItemView.resizeEvent(self, event)
        self.updateGeometries()
        self._emit_visible_later()

    def changeEvent(self, event: QEvent) -> None:
        """Resize the cells when the font changes."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and self._settle is not None:
            self._fit_cells()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the items that intersect the exposed region."""
        painter = QPainter(self.viewport())
        seen = (
            event.region()
        )  # not the bounding rectangle: two changed cards would cause all between them to be repainted
        painter.fillRect(event.rect(), self.palette().base())
        option = QStyleOptionViewItem()
        self.initViewItemOption(option)
        plain, current = option.state, self.currentIndex().row() if self.currentIndex().isValid() else -1
        focused, chosen = self.hasFocus(), self.selectionModel()
        first, last = self.visible_rows()
        for row in range(first, last + 1):
            option.rect = self._cell(row)
            if not seen.intersects(option.rect):
                continue
            # The option is reused for all cells.
            option.state = plain & ~(QStyle.StateFlag.State_HasFocus | QStyle.StateFlag.State_On)
            if row == current:
                option.state |= QStyle.StateFlag.State_Selected
                if focused:
                    option.state |= QStyle.StateFlag.State_HasFocus
            elif chosen is not None and chosen.isSelected(self._index(row)):
                option.state |= QStyle.StateFlag.State_On
            if self._hovered.isValid() and row == self._hovered.row():
                option.state |= QStyle.StateFlag.State_MouseOver
            self.itemDelegate().paint(painter, option, self._index(row))

    # Mouse and keyboard.

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move to another item and select it."""
        before = self.currentIndex().row()
        super().keyPressEvent(event)
        if self.currentIndex().isValid() and self.currentIndex().row() != before:
            self._select(self.currentIndex())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Select the item under the mouse; a press between the items changes nothing."""
        index = self.indexAt(event.position().toPoint())
        if not index.isValid() or not event.button() & self._selecting_buttons:
            event.accept()
            return
        super().mousePressEvent(event)
        self._select(index)

    def _select(self, index: QModelIndex) -> None:
        """Report that the user selected an item."""
        self.row_selected.emit(index.row())

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Keep the current item; QListView would make the first one current."""
        had_current = self.currentIndex().isValid()
        super().focusInEvent(event)
        if not had_current:
            self._clear_current()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Hover the item under the mouse; dragging does not extend the selection."""
        self._hover(self.indexAt(event.position().toPoint()))

    def leaveEvent(self, event: QEvent) -> None:
        """Clear the hovered item."""
        self._hover(QModelIndex())
        super().leaveEvent(event)

    def _hover(self, index: QModelIndex) -> None:
        if QPersistentModelIndex(index) == self._hovered:
            return
        for changed in (self._hovered, index):
            if changed.isValid():
                self.viewport().update(self._cell(changed.row()))
        # Persistent: rows move when the list is replaced, and a stale index would be painted as hovered.
        self._hovered = QPersistentModelIndex(index)
