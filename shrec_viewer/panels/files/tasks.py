"""Panel with the background tasks, their progress and a way to cancel them."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, Qt, Slot
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QPushButton,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from shrec_viewer.panels.panel import BasePanel, row_layout
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.tasks.task_table import CANCEL_COLUMN, FRACTION_ROLE, STATE_ROLE, TaskTableModel
from shrec_viewer.viewmodels.text.labels import count_text
from shrec_viewer.widgets.controls.plain_text import ItemTooltips, PlainLabel, set_tooltip
from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme, icon

ROW_HEIGHT = 28

TIME_WIDTH, CANCEL_WIDTH = 72, 36
"""Widths in pixels of the columns of elapsed time and of the cancel button."""

BAR_WIDTH, BAR_HEIGHT = 140, 6
"""Size in pixels of the progress bar in front of the progress text."""

INDETERMINATE_SHARE = 0.25
"""Filled share of the bar of a task with unknown progress."""


class TasksPanel(BasePanel):
    """Table of background tasks, with buttons that cancel them."""

    def __init__(self, session: Session) -> None:
        super().__init__("list")
        self._session = session
        self.model = TaskTableModel(session, self)
        self.table = TasksTable(self.model)
        self.summary = PlainLabel()
        self.cancel, self.cancel_all = QPushButton("Cancel"), QPushButton("Cancel all")
        self._build()
        self.cancel.clicked.connect(self._cancel)
        self.cancel_all.clicked.connect(self.model.cancel_all)
        self.table.selectionModel().currentRowChanged.connect(self._show_state)
        self.model.modelReset.connect(self._show_state)
        self.model.dataChanged.connect(self._show_state)
        session.benchmark_changed.connect(self._show_state)
        self._show_state()

    def _build(self) -> None:
        self.summary.setProperty("muted", True)
        set_tooltip(self.cancel, "Cancel the selected task (Del)")
        header = row_layout()
        header.addWidget(self.summary, 1)
        header.addWidget(self.cancel)
        header.addWidget(self.cancel_all)
        self.set_body(header, self.table, stretch=self.table)

    @Slot()
    def _show_state(self, *_: object) -> None:
        rows = self.model.rows
        running = [entry for entry in rows if not entry.outcome]
        if not rows:
            self.show_empty("No running tasks", "Reading, evaluation and rendering are listed here.")
            return
        self.show_content()
        self.summary.setText(f"{count_text(len(running), 'task')} running" if running else "No running tasks")
        row = self.table.currentIndex().row()
        self.cancel.setEnabled(0 <= row < len(rows) and not rows[row].outcome)
        self.cancel_all.setEnabled(bool(running))

    @Slot()
    def _cancel(self) -> None:
        self.model.cancel(self.table.currentIndex().row())


class TasksTable(QTableView):
    """View of a `TaskTableModel`; Del or a click on the cross cancels a task."""

    def __init__(self, model: TaskTableModel) -> None:
        super().__init__()
        self._tasks = model
        ItemTooltips(self)
        self._bars = _ProgressDelegate(self)
        self._cancel_delegate = _CancelDelegate(self)
        self.setModel(model)
        self.setItemDelegateForColumn(1, self._bars)
        self.setItemDelegateForColumn(CANCEL_COLUMN, self._cancel_delegate)
        self.setAccessibleName("Tasks")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        rows, headers = self.verticalHeader(), self.horizontalHeader()
        rows.hide()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setDefaultSectionSize(ROW_HEIGHT)
        headers.setHighlightSections(False)
        headers.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        for column in (0, 1):
            headers.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)
        for column, width in ((2, TIME_WIDTH), (CANCEL_COLUMN, CANCEL_WIDTH)):
            headers.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
            self.setColumnWidth(column, width)
        self.clicked.connect(self._cancel_clicked)

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self._bars.theme = theme
        self._cancel_delegate.theme = theme
        self.viewport().update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Cancel the current task with Delete or Backspace."""
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self._tasks.cancel(self.currentIndex().row())
        else:
            super().keyPressEvent(event)

    @Slot(QModelIndex)
    def _cancel_clicked(self, index: QModelIndex) -> None:
        if index.column() == CANCEL_COLUMN:
            self._tasks.cancel(index.row())


class _ProgressDelegate(QStyledItemDelegate):
    """Paints a progress bar in front of the text of a running task."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.theme = current_theme()

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Paint the progress as a bar before its text."""
        share = index.data(FRACTION_ROLE)
        if share is None:
            super().paint(painter, option, index)
            return
        text_option = QStyleOptionViewItem(option)
        text_option.rect = option.rect.adjusted(BAR_WIDTH + 2 * SPACE, 0, 0, 0)
        super().paint(painter, text_option, index)
        top = option.rect.center().y() - BAR_HEIGHT // 2
        track = QRect(option.rect.left() + 2 * SPACE, top, BAR_WIDTH - 2 * SPACE, BAR_HEIGHT)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.theme.colour("sunken"))
        painter.drawRoundedRect(track, 3, 3)
        filled = QRect(track)
        filled.setWidth(round(track.width() * (INDETERMINATE_SHARE if share < 0 else min(share, 1.0))))
        painter.setBrush(self.theme.colour("accent", 0.5 if share < 0 else 1.0))
        painter.drawRoundedRect(filled, 3, 3)
        painter.restore()


class _CancelDelegate(QStyledItemDelegate):
    """Paints a cross for each task that can be cancelled."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.theme = current_theme()

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Paint a cross in the row of a running task."""
        super().paint(painter, option, index)
        if index.data(STATE_ROLE) == "running":
            box = QRect(0, 0, 16, 16)
            box.moveCenter(option.rect.center())
            icon("close", self.theme, "muted").paint(painter, box)
