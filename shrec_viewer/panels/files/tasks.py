"""Panel with the background tasks, their progress and a way to cancel them."""

from PySide6.QtCore import QModelIndex, Slot
from PySide6.QtWidgets import QAbstractItemView, QPushButton

from shrec_viewer.panels.panel import BasePanel, row_layout
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.tasks.task_table import CANCEL_COLUMN, PROGRESS_COLUMN, TaskList, tasks_table
from shrec_viewer.viewmodels.text.labels import count_text
from shrec_viewer.widgets.controls.plain_text import PlainLabel, set_tooltip
from shrec_viewer.widgets.tables.record_table import Mark, RecordTableModel
from shrec_viewer.widgets.tables.record_view import RecordView

#: Widths of the columns of elapsed time and of the mark that cancels, in heights of a line.
WIDTHS = {2: 4.8, CANCEL_COLUMN: 2.4}

#: Height of a row without its text in pixels.
ROW_MARGIN = 13


class TasksPanel(BasePanel):
    """Table of background tasks; Del or a click on a cross cancels a task."""

    def __init__(self, session: Session) -> None:
        super().__init__("list")
        self.tasks = TaskList(session, self)
        self.model = RecordTableModel(self)
        self.table = RecordView(
            self.model, "Tasks", stretched=(0, 1), widths=WIDTHS, is_sortable=False, row_margin=ROW_MARGIN
        )
        self.summary = PlainLabel()
        self.cancel, self.cancel_all = QPushButton("Cancel"), QPushButton("Cancel all")
        self._build()
        self.cancel.clicked.connect(self._cancel)
        self.cancel_all.clicked.connect(self.tasks.cancel_all)
        self.table.clicked.connect(self._cancel_clicked)
        self.table.delete_requested.connect(self._cancel)
        self.table.row_selected.connect(self._show_state)
        self.tasks.changed.connect(self._show_tasks)
        self._show_tasks()

    def _build(self) -> None:
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.mark_columns(PROGRESS_COLUMN, CANCEL_COLUMN)
        self.summary.setProperty("muted", True)
        set_tooltip(self.cancel, "Cancel the selected task (Del)")
        header = row_layout()
        header.addWidget(self.summary, 1)
        header.addWidget(self.cancel)
        header.addWidget(self.cancel_all)
        self.set_body(header, self.table, stretch=self.table)

    @Slot()
    def _show_tasks(self) -> None:
        rows = self.tasks.rows

        def mark(row: int, column: int) -> Mark | None:
            if rows[row].outcome:
                return None
            is_bar = column == PROGRESS_COLUMN
            return Mark(share=rows[row].fraction) if is_bar else Mark("close", "muted")

        self.model.set_table(
            tasks_table(rows), [row.key for row in rows], tips=lambda row, column: rows[row].tip(column), marks=mark
        )
        self._show_state()

    @Slot()
    def _show_state(self, *_: object) -> None:
        rows = self.tasks.rows
        running = [row for row in rows if not row.outcome]
        if not rows:
            self.show_empty("No running tasks", "Reading, evaluation and rendering are listed here.")
            return
        self.show_content()
        self.summary.setText(f"{count_text(len(running), 'task')} running" if running else "No running tasks")
        self.cancel.setEnabled(self.table.current_key in [row.key for row in running])
        self.cancel_all.setEnabled(bool(running))

    @Slot()
    def _cancel(self) -> None:
        self.tasks.cancel(self.table.currentIndex().row())

    @Slot(QModelIndex)
    def _cancel_clicked(self, index: QModelIndex) -> None:
        if index.column() == CANCEL_COLUMN:
            self.tasks.cancel(index.row())
