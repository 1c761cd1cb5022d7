"""Table of runs by measures: sortable, best value in bold, bars behind the numbers."""

from csv import writer
from io import StringIO

from PySide6.QtCore import QAbstractItemModel, QEvent, QModelIndex, QPersistentModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QMenu, QTableView, QWidget

from shrec_viewer.widgets.controls.shortcuts import overrides_copy
from shrec_viewer.widgets.style.theme import Theme
from shrec_viewer.widgets.tables.score_painting import ScoreColumnWidths, ScoreDelegate, ScoreHeader
from shrec_viewer.widgets.tables.score_sort_model import ScoreSortModel, score_rows_as_text

NAME_COLUMN = 0


class ScoreTable(QTableView):
    """Table with a row per run and a column per measure; see `ScoreSortModel` for the roles of its model.

    Rows and columns in signals and setters are those of the source model, independent of the sorting.

    Signals
    -------
    run_selected(int)
        A row was clicked or reached with the arrow keys.
    cell_selected(int, int)
        The same with row and column, for score columns only.
    help_requested(int)
        Show the help page of a score column.
    run_toggled(int)
        Click on the run's line sample or Space: show or hide its curves.
    menu_opening(QMenu, int)
        The context menu of a row is about to open; receivers may add actions.
    """

    run_selected = Signal(int)
    cell_selected = Signal(int, int)
    help_requested = Signal(int)
    run_toggled = Signal(int)
    menu_opening = Signal(QMenu, int)

    # Qt calls overrides such as `changeEvent` while its own constructor runs.
    _widths: ScoreColumnWidths | None = None

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._order = ScoreSortModel(self)
        self._delegate = ScoreDelegate(self._order, self)
        self._header = ScoreHeader(self._order, self)
        super().setModel(self._order)
        self.setItemDelegate(self._delegate)
        self.setHorizontalHeader(self._header)
        self._header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.setSortingEnabled(True)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerItem)  # no half row at the top
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)  # Tab moves to the next widget
        self.setWordWrap(False)
        self.setMouseTracking(True)
        self.setCornerButtonEnabled(False)
        self.verticalHeader().setMinimumSectionSize(0)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().hide()
        self.setAccessibleName("Scores")
        self._widths = ScoreColumnWidths(self, self._order, self._delegate, self._header)
        self._order.layoutChanged.connect(self._clear_hover)

    # Contents.

    def setModel(self, model: QAbstractItemModel | None) -> None:
        """Show a sorted proxy of the model."""
        self._order.setSourceModel(model)  # resets the proxy, which fits the columns

    @property
    def is_header_pressed(self) -> bool:
        """Whether the mouse is pressed on the header: a change of the sorting is then made by the user."""
        return self._header.is_pressed

    def set_sort(self, column: int, *, descending: bool = True) -> None:
        """Sort by this column; -1 for the model's own order."""
        is_down = descending and column >= 0
        order = Qt.SortOrder.DescendingOrder if is_down else Qt.SortOrder.AscendingOrder
        self.sortByColumn(column, order)

    def refit(self) -> None:
        """Fit the columns to their contents."""
        if self._widths is not None:
            self._widths.fit()

    def update_shown_columns(self) -> None:
        """Fit the columns that were shown since the last call."""
        if self._widths is not None:
            self._widths.update_shown()

    def is_score(self, column: int) -> bool:
        """Whether a column holds numbers."""
        return self._order.is_score(column)

    def set_participant(self, name: str) -> None:
        """Show only the runs of a participant; "" for all."""
        self._order.set_participant(name)

    def set_current_run(self, row: int | None) -> None:
        """Make this row of the model current; None or an invalid row for no row."""
        source = self._order.sourceModel()
        if source is None or row is None or not 0 <= row < source.rowCount():
            self.selectionModel().clear()
            return
        column = max(self.currentIndex().column(), NAME_COLUMN)
        index = self._order.mapFromSource(source.index(row, column))
        if index.row() != self.currentIndex().row() or not self.selectionModel().isSelected(index):
            self.setCurrentIndex(index)
        self._scroll_to_current()

    def set_theme(self, theme: Theme) -> None:
        """Set the theme."""
        self._delegate.set_theme(theme)
        self._header.set_theme(theme)
        self.viewport().update()

    def tsv(self, *, selected: bool = False) -> str:
        """The table as tab-separated text in the order on screen, values in full precision.

        Parameters
        ----------
        selected : only the selected rows.
        """
        lines = self._lines(selected=selected)
        return "".join("\t".join(line) + "\n" for line in lines)

    def csv(self) -> str:
        """The table as comma-separated text in the order on screen, values in full precision."""
        text = StringIO()
        writer(text, lineterminator="\n").writerows(self._lines())
        return text.getvalue()

    def _lines(self, *, selected: bool = False) -> list[list[str]]:
        rows = sorted({index.row() for index in self.selectionModel().selectedRows()})
        return score_rows_as_text(self._order, rows if selected else range(self._order.rowCount()))

    # Mouse and keyboard.

    def event(self, event: QEvent) -> bool:
        """Override the window's shortcut for copying while the table has the focus."""
        return overrides_copy(event) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy, show or hide the current run with Space, or move between rows."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self._copy_selected()
            return
        if event.key() == Qt.Key.Key_Space and self.currentIndex().isValid():
            self.run_toggled.emit(self._source(self.currentIndex()).row())
            return
        if event.text() == "?" and self.is_score(self.currentIndex().column()):
            self.help_requested.emit(self.currentIndex().column())
            return
        before = self.currentIndex()
        former = (before.row(), before.column())
        super().keyPressEvent(event)
        now = self.currentIndex()
        if now.isValid() and (now.row(), now.column()) != former:
            self._select(now)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Select the row under the mouse; presses elsewhere or with the right button select nothing."""
        point = event.position().toPoint()
        index = self.indexAt(point)
        if not index.isValid() or event.button() == Qt.MouseButton.RightButton:
            event.accept()
            return
        is_left = event.button() == Qt.MouseButton.LeftButton
        if is_left and self._on_sample(index, point):
            self.run_toggled.emit(self._source(index).row())
            return
        super().mousePressEvent(event)
        if is_left:
            self._select(index)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Highlight the row under the mouse."""
        self._hover_row(self.indexAt(event.position().toPoint()).row())
        if not event.buttons():
            super().mouseMoveEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        """Highlight no row."""
        self._hover_row(-1)
        super().leaveEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Keep the current row; QTableView would make the first row current."""
        had_current = self.currentIndex().isValid()
        super().focusInEvent(event)
        if not had_current:
            self.selectionModel().clear()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Open the menu of the row under the mouse, or with the menu key that of the current row."""
        is_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        index = self.currentIndex() if is_key else self.indexAt(event.pos())
        position = self.viewport().mapToGlobal(self.visualRect(index).center()) if is_key else event.globalPos()
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if index.isValid():
            self.menu_opening.emit(menu, self._source(index).row())
            menu.addSeparator()
        self._add_copy_actions(menu)
        menu.popup(position)

    def _add_copy_actions(self, menu: QMenu) -> None:
        copy = menu.addAction("Copy selected rows", QKeySequence.StandardKey.Copy)
        copy.setEnabled(self.selectionModel().hasSelection())
        copy.triggered.connect(self._copy_selected)
        menu.addAction("Copy table").triggered.connect(self._copy_all)

    def _copy_selected(self) -> None:
        if self.selectionModel().hasSelection():
            QGuiApplication.clipboard().setText(self.tsv(selected=True))

    def _copy_all(self) -> None:
        QGuiApplication.clipboard().setText(self.tsv())

    def _select(self, index: QModelIndex) -> None:
        source = self._source(index)
        self.run_selected.emit(source.row())
        if self._order.column_info(source.column()).is_score:
            self.cell_selected.emit(source.row(), source.column())

    def _source(self, index: QModelIndex | QPersistentModelIndex) -> QModelIndex:
        return self._order.mapToSource(index)

    def _on_sample(self, index: QModelIndex, point: QPoint) -> bool:
        if index.column() != NAME_COLUMN or "colour" not in self._order.roles:
            return False
        return self._delegate.sample_box(self.visualRect(index)).contains(point)

    def _hover_row(self, row: int) -> None:
        if row != self._delegate.hovered_row:
            self._delegate.hovered_row = row
            self.viewport().update()

    def _clear_hover(self) -> None:
        self._hover_row(-1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Distribute the width and keep the current row visible."""
        super().resizeEvent(event)
        if self._widths is not None:
            self._widths.distribute_width()
        if event.oldSize().height() != event.size().height():
            self._scroll_to_current()

    def changeEvent(self, event: QEvent) -> None:
        """Fit the columns when the font changes."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and self._widths is not None:
            self._widths.on_font_changed()

    def showEvent(self, event: QShowEvent) -> None:
        """Fit the columns if that was deferred while the table was hidden."""
        super().showEvent(event)
        if self._widths is not None:
            self._widths.on_shown()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Align the first visible row with the header."""
        super().scrollContentsBy(dx, dy)
        self._align_top_row()

    def updateGeometries(self) -> None:  # noqa: N802
        """Align the first visible row with the header."""
        super().updateGeometries()
        self._align_top_row()

    def _align_top_row(self) -> None:
        """At the end of the list Qt lays the last row on the lower edge and cuts the first one; here it is whole."""
        rows = self.verticalHeader()
        wanted = self.verticalScrollBar().value() * rows.defaultSectionSize()
        if rows.offset() != wanted:
            rows.setOffset(wanted)
            self.viewport().update()

    def _scroll_to_current(self) -> None:
        """Scroll to the current row, and back to the top where that shows it as well: the leader is seen too."""
        index = self.currentIndex()
        if not index.isValid():
            return
        self.scrollTo(index)
        if (index.row() + 1) * self.verticalHeader().defaultSectionSize() <= self.viewport().height():
            self.verticalScrollBar().setValue(0)
