"""Panel with the background tasks, their progress and a way to cancel them."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, Qt, Slot
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from shrec_viewer.panels.panel.panel_widget import BasePanel
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.tasks.task_table import CANCEL_COLUMN, FRACTION_ROLE, STATE_ROLE, TaskTableModel
from shrec_viewer.viewmodels.text.labels import count_text
from shrec_viewer.widgets.style.icons import icon
from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme

ROW_HEIGHT = 28

TIME_WIDTH, CANCEL_WIDTH = 72, 36

BAR_WIDTH, BAR_HEIGHT = 140, 6
"""Pixels of the bar before the words about the progress, as in the status bar."""

INDETERMINATE_SHARE = 0.25
"""Part of the bar that is filled where nobody knows how far the work is."""


class TasksPanel(BasePanel):
    """Tasks tied to the session."""

    def __init__(self, session: Session) -> None:
        super().__init__("list")
        self._session = session
        self.model = TaskTableModel(session, self)
        self.table = TasksTable(self.model)
        self.words = QLabel()
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
        self.words.setProperty("muted", True)
        self.cancel.setToolTip("Cancel the task in the current row (Del)")
        header = QHBoxLayout()
        header.setContentsMargins(2 * SPACE, SPACE, 2 * SPACE, SPACE)
        header.setSpacing(2 * SPACE)
        header.addWidget(self.words, 1)
        header.addWidget(self.cancel)
        header.addWidget(self.cancel_all)
        layout = QVBoxLayout(self.content)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(header)
        layout.addWidget(self.table, 1)

    @Slot()
    def _show_state(self, *_: object) -> None:
        rows = self.model.rows
        going = [entry for entry in rows if not entry.outcome]
        if not rows:
            self.show_empty("Nothing goes on", "Reading, evaluating and drawing show up here.")
            return
        self.show_content()
        self.words.setText("{n} under way".format(n=count_text(len(going), "task")) if going else "Nothing goes on")
        row = self.table.currentIndex().row()
        self.cancel.setEnabled(0 <= row < len(rows) and not rows[row].outcome)
        self.cancel_all.setEnabled(bool(going))

    @Slot()
    def _cancel(self) -> None:
        self.model.cancel(self.table.currentIndex().row())


class TasksTable(QTableView):
    """Shows a `TaskTableModel`; Del, or a click on the cross, cancels."""

    def __init__(self, model: TaskTableModel) -> None:
        super().__init__()
        self._tasks = model
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
        self.clicked.connect(self._pick)

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self._bars.theme = theme
        self._cancel_delegate.theme = theme
        self.viewport().update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt override."""
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self._tasks.cancel(self.currentIndex().row())
        else:
            super().keyPressEvent(event)

    @Slot(QModelIndex)
    def _pick(self, index: QModelIndex) -> None:
        if index.column() == CANCEL_COLUMN:
            self._tasks.cancel(index.row())


class _ProgressDelegate(QStyledItemDelegate):
    """A bar while the work goes on, and words behind it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.theme = current_theme()

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Qt override."""
        share = index.data(FRACTION_ROLE)
        if share is None:
            super().paint(painter, option, index)
            return
        words = QStyleOptionViewItem(option)
        words.rect = option.rect.adjusted(BAR_WIDTH + 2 * SPACE, 0, 0, 0)
        super().paint(painter, words, index)
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
    """A cross where the work can be called off."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.theme = current_theme()

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Qt override."""
        super().paint(painter, option, index)
        if index.data(STATE_ROLE) == "running":
            place = QRect(0, 0, 16, 16)
            place.moveCenter(option.rect.center())
            icon("close", self.theme, "muted").paint(painter, place)
