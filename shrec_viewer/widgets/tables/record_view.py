"""Table view of records: whole rows are selected; Delete, Return and copying are signals."""

from PySide6.QtCore import QAbstractItemModel, QEvent, QModelIndex, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QKeyEvent, QKeySequence, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QStyleOptionViewItem, QTableView

from shrec_viewer.widgets.controls.controls import overrides_copy
from shrec_viewer.widgets.controls.plain_text import ItemTooltips

ROW_MARGIN = 10
"""Height of a row without its text in pixels."""


MIN_WIDTH = 110
"""Minimum width in pixels."""

FITTED_ROWS = 200
"""Number of rows whose texts the columns are fitted to; their texts take 4 ms."""


class RecordView(QTableView):
    """View of a table model of records.

    Signals
    -------
    row_selected(row)
        The current row changed; -1 for none.
    row_activated(row)
        A row was double-clicked, or Return was pressed in it.
    delete_requested()
        Delete was pressed.
    copy_requested()
        The key to copy was pressed.
    """

    row_selected = Signal(int)
    row_activated = Signal(int)
    delete_requested = Signal()
    copy_requested = Signal()

    def __init__(self, model: QAbstractItemModel, name: str, *, stretched: int = -1) -> None:
        super().__init__()
        # In a later iteration of the event loop, as the style sheet gives the header its font after the table.
        self._fit_timer = QTimer(self, interval=0, singleShot=True)
        self._fit_timer.timeout.connect(self._fit_columns)
        ItemTooltips(self)
        self.setModel(model)
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setSortingEnabled(True)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.verticalHeader().hide()
        header = self.horizontalHeader()
        header.setSortIndicatorClearable(True)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        header.setHighlightSections(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        model.modelReset.connect(self._fit_timer.start)
        rows = self.verticalHeader()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self._fit_rows()
        if stretched >= 0:
            header.setSectionResizeMode(stretched, QHeaderView.ResizeMode.Stretch)
        self.selectionModel().currentRowChanged.connect(self._emit_selected)
        self.doubleClicked.connect(self._emit_activated)

    def minimumSizeHint(self) -> QSize:
        """Three tables fit next to each other in a narrow dock."""
        return QSize(MIN_WIDTH, super().minimumSizeHint().height())

    def showEvent(self, event: QShowEvent) -> None:
        """Fit the widths of the columns."""
        super().showEvent(event)
        self._fit_timer.start()

    def changeEvent(self, event: QEvent) -> None:
        """Fit the height of the rows to another font."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit_rows()
            self._fit_timer.start()

    @Slot()
    def _fit_columns(self) -> None:
        """Fit the widths of the columns; a hidden table is fitted when shown."""
        header = self.horizontalHeader()
        for column in range(header.count()) if self.isVisible() else ():
            if header.sectionResizeMode(column) != QHeaderView.ResizeMode.Stretch:
                self.resizeColumnToContents(column)

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

    def _fit_rows(self) -> None:
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + ROW_MARGIN)

    def selected_rows(self) -> list[int]:
        """Selected rows, ascending."""
        return sorted({index.row() for index in self.selectionModel().selectedRows()})

    def event(self, event: QEvent) -> bool:
        """Receive the key to copy, which is also a shortcut of the window."""
        if overrides_copy(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Delete, copy and activate rows."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_requested.emit()
        elif event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.delete_requested.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.row_activated.emit(self.currentIndex().row())
        else:
            super().keyPressEvent(event)

    @Slot()
    def _emit_selected(self, *_: object) -> None:
        self.row_selected.emit(self.currentIndex().row() if self.currentIndex().isValid() else -1)

    @Slot()
    def _emit_activated(self, *_: object) -> None:
        if self.currentIndex().isValid():
            self.row_activated.emit(self.currentIndex().row())
