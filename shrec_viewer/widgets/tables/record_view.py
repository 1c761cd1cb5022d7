"""Table view of records: rows are selected, copied, activated and deleted; cells may have icons, bars and colours."""

from collections.abc import Hashable, Mapping, Sequence

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QPainter, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from shrec_viewer.widgets.controls.controls import WRAPPED, overrides_copy, set_current_index
from shrec_viewer.widgets.controls.plain_text import ItemTooltips
from shrec_viewer.widgets.style.relevance import level_mark
from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme, icon
from shrec_viewer.widgets.tables.record_table import MARK_ROLE, Mark, RecordTableModel

#: Height of a row without its text in pixels.
ROW_MARGIN = 10

#: Minimum width in pixels.
MIN_WIDTH = 110

#: Width of a stretched column, in heights of a line, below which the view scrolls unless its texts are narrower.
MIN_STRETCHED = 6

#: Number of rows whose texts the columns are fitted to; their texts take 4 ms.
FITTED_ROWS = 200

#: Size in pixels of the icon of a mark.
ICON_SIZE = 16

#: Size in pixels of the bar of a mark.
BAR_WIDTH, BAR_HEIGHT = 140, 6

#: Filled share of the bar of an unknown share.
INDETERMINATE_SHARE = 0.25

#: Opacity of the background in the colour of a relevance level.
LEVEL_OPACITY = 0.18


class RecordView(QTableView):
    """View of a `RecordTableModel`, whose current row keeps its key when the rows change.

    Parameters
    ----------
    name : accessible name.
    stretched : indices of the columns that share the width that the others leave.
    widths : by index of a column, its initial width in heights of a line; the others are as wide as their texts.
    is_sortable : whether a click on a header sorts.
    selects_cells : cells are selected and copied, numbers in full precision, instead of rows.
    row_margin : height of a row without its text in pixels.
    lines : lines of text in a row; see `Mark.note`.
    empty_text : shown instead of the headers while the table has no rows at all.

    Attributes
    ----------
    min_copied : number of selected rows or cells from which only these are copied. One row that is selected is usually
        the one that other views show.

    Signals
    -------
    row_selected(key)
        The user, or `selectRow`, made another row current; None for none. Other rows in the model do not emit it.
    row_activated(key)
        A row was double-clicked, or Return was pressed in it.
    delete_requested()
        Delete was pressed.
    """

    row_selected = Signal(object)
    row_activated = Signal(object)
    delete_requested = Signal()

    def __init__(
        self,
        model: RecordTableModel,
        name: str,
        *,
        stretched: Sequence[int] = (),
        widths: Mapping[int, float] | None = None,
        is_sortable: bool = True,
        selects_cells: bool = False,
        row_margin: int = ROW_MARGIN,
        lines: int = 1,
        empty_text: str = "",
    ) -> None:
        super().__init__()
        self.min_copied = 2
        self._empty_text = empty_text
        self._records = model
        self._key: Hashable = None  # of the current row, also while it is filtered out
        self._column = 0
        self._is_restoring = False
        self._has_header = True
        self._stretched, self._widths = stretched, widths or {}
        self._selects_cells = selects_cells
        self._row_margin, self._lines = row_margin, lines
        # In a later iteration of the event loop, as the style sheet gives the header its font after the table.
        self._fit_timer = QTimer(self, interval=0, singleShot=True)
        self._fit_timer.timeout.connect(self._fit_columns)
        ItemTooltips(self)
        header, rows = self.horizontalHeader(), self.verticalHeader()
        self.setModel(model)
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSortingEnabled(is_sortable)
        if selects_cells:
            self.setSelectionMode(QAbstractItemView.SelectionMode.ContiguousSelection)
        else:
            self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
            self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        header.setSortIndicatorClearable(True)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        header.setHighlightSections(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        rows.hide()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self._fit_to_font()
        header.sectionCountChanged.connect(self._fit_to_font)
        model.changed.connect(self._restore_row)
        model.changed.connect(self._show_headers)
        self._show_headers()
        self.selectionModel().currentChanged.connect(self._on_current_changed)
        self.doubleClicked.connect(self._emit_activated)

    def minimumSizeHint(self) -> QSize:
        """Three tables fit next to each other in a narrow dock."""
        return QSize(MIN_WIDTH, super().minimumSizeHint().height())

    def set_theme(self, theme: Theme) -> None:
        """Paint the marks in this theme."""
        for delegate in self.findChildren(MarkDelegate):
            delegate.theme = theme
        self.viewport().update()

    def mark_columns(self, *columns: int, delegate: "MarkDelegate | None" = None) -> None:
        """Paint the marks of the cells of these columns; of all without any."""
        delegate = delegate or MarkDelegate(self)
        for column in columns:
            self.setItemDelegateForColumn(column, delegate)
        if not columns:
            self.setItemDelegate(delegate)

    # Sizes.

    def showEvent(self, event: QShowEvent) -> None:
        """Fit the widths of the columns."""
        super().showEvent(event)
        self._fit_timer.start()

    def changeEvent(self, event: QEvent) -> None:
        """Fit rows and columns to another font."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit_to_font()
            self._fit_timer.start()

    def set_stretched(self, *columns: int) -> None:
        """Let other columns share the width that the others leave, with their texts elided in the middle."""
        self._stretched = columns
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self._fit_stretched()

    def set_widths(self, widths: Mapping[int, float]) -> None:
        """Set other widths of columns in heights of a line, and adopt them."""
        if widths != self._widths:
            self._widths = widths
            self._fit_to_font()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the widths of the stretched columns."""
        super().resizeEvent(event)
        self._fit_stretched()

    @Slot()
    def _fit_to_font(self, *_: int) -> None:
        """Adopt the height of the rows and the widths of columns that depend on the font, also of new columns."""
        line = self.fontMetrics().height()
        self.verticalHeader().setDefaultSectionSize(self._lines * line + self._row_margin)
        for column, lines in self._widths.items():
            self.setColumnWidth(column, round(lines * line))
        self._fit_stretched()

    @Slot()
    def _fit_columns(self) -> None:
        """Fit columns to their texts; a hidden table is fitted when shown."""
        if not self.isVisible():
            return
        for column in range(self.horizontalHeader().count()):
            if column not in self._stretched and column not in self._widths:
                self.resizeColumnToContents(column)
        self._fit_stretched()

    def _fit_stretched(self) -> None:
        """Stretch columns while they are wide enough to be read: Qt would leave them a few pixels."""
        header, line = self.horizontalHeader(), self.fontMetrics().height()
        columns = [column for column in self._stretched if column < header.count() and not self.isColumnHidden(column)]
        needed = {
            column: min(max(self.sizeHintForColumn(column), header.sectionSizeHint(column)), MIN_STRETCHED * line)
            for column in columns
        }
        others = header.length() - sum(map(self.columnWidth, columns))
        is_wide = others + sum(needed.values()) <= self.viewport().width()
        mode = QHeaderView.ResizeMode.Stretch if is_wide else QHeaderView.ResizeMode.Interactive
        for column in columns:
            header.setSectionResizeMode(column, mode)
            if not is_wide:
                self.setColumnWidth(column, needed[column])

    def sizeHintForColumn(self, column: int) -> int:  # noqa: N802 - Qt's name
        """Width of the cell with the longest text; Qt asks the style for every cell, 3 ms for 15 rows."""
        self.ensurePolished()  # the style sheet sets the font
        model = self.model()
        cells = [model.index(row, column) for row in range(min(model.rowCount(), FITTED_ROWS))]
        if not cells:
            return 0
        option = QStyleOptionViewItem()
        self.initViewItemOption(option)
        return self.itemDelegate().sizeHint(option, max(cells, key=self._text_width)).width()

    def _text_width(self, cell: QModelIndex) -> int:
        return self.fontMetrics().horizontalAdvance(cell.data() or "")

    # Rows.

    @property
    def current_key(self) -> Hashable:
        """Key of the current row; None for none."""
        return self._records.key(self.currentIndex().row())

    def selected_rows(self) -> list[int]:
        """Selected rows, ascending."""
        return sorted({index.row() for index in self.selectionModel().selectedRows()})

    def selected_keys(self) -> list[Hashable]:
        """Keys of the selected rows, in the order shown."""
        return [self._records.key(row) for row in self.selected_rows()]

    def set_current_key(self, key: Hashable) -> None:
        """Make the row with a key current, and select and show it; none where no row has it. Emits nothing."""
        self._key = key
        self._restore_row()

    def show_current(self) -> None:
        """Scroll to the current row."""
        self.updateGeometries()  # Qt updates the range of the scroll bar later
        self.scrollTo(self.currentIndex())

    @Slot()
    def _restore_row(self) -> None:
        """Make the row of the former current key current again after the rows changed."""
        self._fit_timer.start()
        self.viewport().update()  # marks may differ where texts do not
        row = self._records.row_of(self._key) if self._key is not None else -1
        if row == self.currentIndex().row():
            return
        self._is_restoring = True
        set_current_index(self, self._records.index(row, self._column))
        if row < 0:
            self.clearSelection()
        self._is_restoring = False

    @property
    def shown_text(self) -> str:
        """What is shown instead of rows; "" where there are some."""
        if self._records.rowCount():
            return ""
        return "No row contains this text." if self._records.total else self._empty_text

    def show_header(self, is_shown: bool) -> None:
        """Show the header whenever there are rows, which is the default, or never."""
        self._has_header = is_shown
        self._show_headers()

    @Slot()
    def _show_headers(self) -> None:
        """Show headers and scroll bars only with rows, as they would be cut off around nothing."""
        has_rows = self._records.rowCount() > 0
        policy = Qt.ScrollBarPolicy.ScrollBarAsNeeded if has_rows else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self.horizontalHeader().setVisible(has_rows and self._has_header)
        self.setHorizontalScrollBarPolicy(policy)
        self.setVerticalScrollBarPolicy(policy)
        self.setAccessibleDescription(self.shown_text)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the rows, or why there are none."""
        super().paintEvent(event)
        if text := self.shown_text:
            painter = QPainter(self.viewport())
            painter.setPen(current_theme().colour("muted"))
            area = self.viewport().rect().adjusted(2 * SPACE, 2 * SPACE, -2 * SPACE, 0)
            painter.drawText(area, WRAPPED, text)

    @Slot(QModelIndex)
    def _on_current_changed(self, index: QModelIndex) -> None:
        if self._is_restoring or self._records.is_changing:
            return
        self._column, key = max(index.column(), 0), self._records.key(index.row())
        if key != self._key:
            self._key = key
            self.row_selected.emit(key)

    @Slot()
    def _emit_activated(self) -> None:
        if self.currentIndex().isValid():
            self.row_activated.emit(self.current_key)

    # Keys.

    def event(self, event: QEvent) -> bool:
        """Receive the key to copy, which is also a shortcut of the window."""
        return overrides_copy(event) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Delete, copy and activate rows."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.delete_requested.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self._emit_activated()
        else:
            super().keyPressEvent(event)

    @Slot()
    def copy(self) -> None:
        """Copy headers and selected rows as tab-separated text; all rows where fewer than `min_copied` are selected."""
        rows, columns = self.selected_rows(), None
        number = len(rows)
        if self._selects_cells:
            cells = self.selectedIndexes()
            rows, columns = sorted({cell.row() for cell in cells}), sorted({cell.column() for cell in cells})
            number = len(cells)
        chosen = (rows, columns) if number >= self.min_copied else (None, None)
        QGuiApplication.clipboard().setText(self._records.copied(*chosen, exact=self._selects_cells))


class MarkDelegate(QStyledItemDelegate):
    """Paints the `Mark` of a cell: its icon, bar and background."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.theme = current_theme()

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:  # noqa: N802
        """Add the icon before a text."""
        super().initStyleOption(option, index)
        mark = index.data(MARK_ROLE)
        if mark is not None and mark.note:
            option.text = ""  # see `_paint_lines`
        elif mark is not None and mark.icon and option.text:
            option.features |= QStyleOptionViewItem.ViewItemFeature.HasDecoration
            option.icon = icon(mark.icon, self.theme, mark.token)
            option.decorationSize = QSize(ICON_SIZE, ICON_SIZE)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Paint a cell with its mark."""
        mark: Mark = index.data(MARK_ROLE) or Mark()
        if mark.level is not None:
            colour = level_mark(mark.level, self.theme).colour
            colour.setAlphaF(LEVEL_OPACITY)
            painter.fillRect(option.rect, colour)
        text_option = QStyleOptionViewItem(option)
        if mark.share is not None:
            text_option.rect = option.rect.adjusted(BAR_WIDTH + 2 * SPACE, 0, 0, 0)
        super().paint(painter, text_option, index)
        if mark.share is not None:
            self._paint_bar(painter, option.rect, mark.share)
        if mark.note:
            self._paint_lines(painter, option, str(index.data()), mark)
        elif mark.icon and not index.data():
            box = QRect(0, 0, ICON_SIZE, ICON_SIZE)
            box.moveCenter(option.rect.center())
            icon(mark.icon, self.theme, mark.token).paint(painter, box)

    def _paint_lines(self, painter: QPainter, option: QStyleOptionViewItem, text: str, mark: Mark) -> None:
        """Paint the icon and both lines, each elided."""
        line, elided = option.fontMetrics.height(), Qt.TextElideMode.ElideRight
        area = option.rect.adjusted(2 * SPACE, 0, -2 * SPACE, 0)
        top = area.center().y() - line
        square = QRect(area.left(), top + (line - ICON_SIZE) // 2, ICON_SIZE, ICON_SIZE)
        icon(mark.icon, self.theme, mark.token).paint(painter, square)
        area.setLeft(square.right() + 2 * SPACE)
        painter.save()
        painter.setFont(option.font)
        for row, (shown, token) in enumerate(((text, "ink"), (mark.note, "muted"))):
            painter.setPen(self.theme.colour(token))
            place = QRect(area.left(), top + row * line, area.width(), line)
            painter.drawText(
                place, Qt.AlignmentFlag.AlignVCenter, option.fontMetrics.elidedText(shown, elided, area.width())
            )
        painter.restore()

    def _paint_bar(self, painter: QPainter, cell: QRect, share: float) -> None:
        top = cell.center().y() - BAR_HEIGHT // 2
        track = QRect(cell.left() + 2 * SPACE, top, BAR_WIDTH - 2 * SPACE, BAR_HEIGHT)
        filled = QRect(track)
        filled.setWidth(round(track.width() * (INDETERMINATE_SHARE if share < 0 else min(share, 1.0))))
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        for bar, colour in (
            (track, self.theme.colour("sunken")),
            (filled, self.theme.colour("accent", 0.5 if share < 0 else 1.0)),
        ):
            painter.setBrush(colour)
            painter.drawRoundedRect(bar, 3, 3)
        painter.restore()
