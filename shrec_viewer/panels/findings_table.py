"""The table of findings: marks, keys and the order of columns."""

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QIcon, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from shrec_viewer.domain import Severity
from shrec_viewer.viewmodels.findings_model import SEVERITY_ROLE, FindingsModel
from shrec_viewer.widgets.icons import icon
from shrec_viewer.widgets.own_keys import keeps_copy
from shrec_viewer.widgets.theme import Theme, current_theme

WIDTHS = (104, 210)
"""Pixels of the first columns: a mark with its word, a file with its line. The sentences share the rest."""

NARROW_WIDTHS = (92, 132)
"""The same where there is little room."""

DONE_COLUMN, ROOM_FOR_DONE = 3, 760
"""What was done stands in the details as well: below so many pixels its column leaves the room to what was found."""

ROW_HEIGHT = 26
"""Pixels of a row, as in the table of runs."""


class FindingsTable(QTableView):
    """Shows a `FindingsModel`.

    Signals
    -------
    opened()
        The current finding was double-clicked, or Enter was pressed on it.
    copy_requested()
        Ctrl+C.
    moved()
        Another finding is the current one, or none.
    """

    opened = Signal()
    copy_requested = Signal()
    moved = Signal()

    def __init__(self, model: FindingsModel) -> None:
        super().__init__()
        self._findings = model
        self._severity = _SeverityDelegate(self)
        self.setModel(model)
        self.setItemDelegateForColumn(0, self._severity)
        self._build(len(WIDTHS), model.columnCount())
        self.doubleClicked.connect(self._tell_opened)

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self._severity.set_theme(theme)
        self.viewport().update()

    def event(self, event: QEvent) -> bool:
        """Qt override; while it has the focus, the key for copying is its own and not the menu's."""
        return keeps_copy(event) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt override."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_requested.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.opened.emit()
        else:
            super().keyPressEvent(event)

    def currentChanged(
        self, current: QModelIndex | QPersistentModelIndex, previous: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Qt override."""
        super().currentChanged(current, previous)
        self.moved.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt override."""
        super().resizeEvent(event)
        narrow = event.size().width() < ROOM_FOR_DONE
        if narrow != self.isColumnHidden(DONE_COLUMN):
            self.setColumnHidden(DONE_COLUMN, narrow)
            for column, width in enumerate(NARROW_WIDTHS if narrow else WIDTHS):
                self.setColumnWidth(column, width)

    def _build(self, fixed: int, columns: int) -> None:
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        rows, heads = self.verticalHeader(), self.horizontalHeader()
        rows.hide()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setDefaultSectionSize(ROW_HEIGHT)
        heads.setHighlightSections(False)
        heads.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        for column, width in enumerate(WIDTHS):
            self.setColumnWidth(column, width)
        for column in range(fixed, columns):
            heads.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)
        self.setSortingEnabled(True)
        self.sortByColumn(0, Qt.SortOrder.AscendingOrder)
        self.setAccessibleName(self.tr("Findings"))

    def _tell_opened(self) -> None:
        self.opened.emit()


class _SeverityDelegate(QStyledItemDelegate):
    """Puts the mark of its severity before a finding."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._marks: dict[str, QIcon] = {}
        self.set_theme(current_theme())

    def set_theme(self, theme: Theme) -> None:
        """Paint marks in these colours from now on."""
        self._marks = {severity.value: icon(severity.value, theme, severity.value) for severity in Severity}

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:  # noqa: N802
        """Qt override."""
        super().initStyleOption(option, index)
        option.features |= QStyleOptionViewItem.ViewItemFeature.HasDecoration
        option.icon = self._marks[index.data(SEVERITY_ROLE)]
        option.decorationSize = QSize(16, 16)
