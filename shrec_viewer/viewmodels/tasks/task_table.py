"""The running and finished tasks as a table."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from shrec_viewer.charts.table import Table, TableColumn
from shrec_viewer.number_format import format_progress
from shrec_viewer.viewmodels.session.document import Document
from shrec_viewer.viewmodels.session.session import EVALUATING, OPENING, Session
from shrec_viewer.viewmodels.tasks.tasks import DONE, FAILED, STOPPED, TaskStatus
from shrec_viewer.viewmodels.thumbnails.thumbnails import Thumbnails

#: Columns of the table; the last one has no text, for a mark that cancels the task.
COLUMNS = tuple(TableColumn(title) for title in ("Task", "Progress", "Time", ""))

PROGRESS_COLUMN, CANCEL_COLUMN = 1, 3

#: Key of the row of the pending thumbnails, which are not a task of the queue.
THUMBNAILS_KEY = "thumbnails"

#: Minimum duration in seconds of the tasks shown; shorter tasks would disappear before they can be read.
MIN_SHOWN_S = 0.3

#: Update interval while tasks are running, in milliseconds.
UPDATE_MS = 100

#: Maximum number of finished tasks shown.
MAX_FINISHED_ROWS = 30

OUTCOMES = {DONE: "Done", STOPPED: "Cancelled", FAILED: "Failed"}


@dataclass(frozen=True)
class TaskRow:
    """A row: status of a task, its outcome ("" while it is running), and its duration in seconds."""

    status: TaskStatus
    outcome: str = ""
    seconds: float = 0.0

    @property
    def key(self) -> tuple[str, float]:
        """Identity of the task: its key in the queue and its start."""
        return self.status.key, self.status.since

    @property
    def fraction(self) -> float | None:
        """Fraction done in [0, 1]; -1 for unknown, None for a finished task."""
        if self.outcome:
            return None
        return self.status.done / self.status.total if self.status.total > 0 else -1.0

    @property
    def cells(self) -> tuple[str, str, str, str]:
        """Texts of the row."""
        status = self.status
        progress = OUTCOMES.get(self.outcome) or format_progress(status.done, status.total, status.text)
        return status.title, progress, f"{self.seconds:.1f} s", ""

    @property
    def sentence(self) -> str:
        """``"Contest site: page 41 of 96"``."""
        title, progress = self.cells[:2]
        return f"{title}: {progress}" if progress else title

    def tip(self, column: int) -> str:
        """Tooltip of a cell."""
        if column == CANCEL_COLUMN and not self.outcome:
            return f"Cancel: {self.status.title}"
        return ", ".join(cell for cell in self.cells if cell)


def tasks_table(rows: Sequence[TaskRow]) -> Table:
    """Tasks in this order."""
    return Table("tasks", "Tasks", COLUMNS, tuple(row.cells for row in rows))


class TaskList(QObject):
    """Running tasks, then tasks finished since the benchmark was opened, the latest first.

    Attributes
    ----------
    rows : the rows shown.

    Signals
    -------
    changed()
        `rows` changed.
    """

    changed = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.rows: tuple[TaskRow, ...] = ()
        self._timer = QTimer(self, interval=UPDATE_MS)
        self._timer.timeout.connect(self._update)
        self._thumbnails = _ThumbnailProgress(session.thumbnails)
        session.tasks.changed.connect(self._start_timer)
        session.thumbnails.arrived.connect(self._start_timer)
        session.tasks.ended.connect(self._update)
        session.changed.connect(self._follow_session)
        self._update()
        self._start_timer()

    def cancel(self, row: int) -> None:
        """Cancel the task in a row; does nothing for a finished one."""
        if 0 <= row < len(self.rows) and not self.rows[row].outcome:
            self._stop(self.rows[row].status.key)

    def cancel_all(self) -> None:
        """Cancel all running tasks."""
        for status in self._running():
            self._stop(status.key)

    def _stop(self, key: str) -> None:
        if key == THUMBNAILS_KEY:
            self._session.thumbnails.cancel_pending()
        else:
            self._session.tasks.stop(key)

    def _running(self) -> tuple[TaskStatus, ...]:
        """All but those without a title, which are parts of others."""
        return (*(one for one in self._session.tasks.running if one.title), *self._thumbnails.statuses())

    @Slot()
    def _start_timer(self, *_: object) -> None:
        if not self._timer.isActive() and self._running():
            self._timer.start()

    @Slot(object, object)
    def _follow_session(self, old: Document, new: Document) -> None:
        if new.differs(old, "benchmark"):
            self._update()

    @Slot()
    def _update(self) -> None:
        running = self._running()
        if not running:
            self._timer.stop()
        now = time.monotonic()
        shown = (TaskRow(status, "", now - status.since) for status in running if now - status.since >= MIN_SHOWN_S)
        rows = (*shown, *self._finished_rows())
        if rows != self.rows:
            self.rows = rows
            self.changed.emit()

    def _finished_rows(self) -> Iterator[TaskRow]:
        """Rows of the tasks finished since the benchmark was opened, except very short tasks."""
        if not self._session.document.is_open:
            return
        count = 0
        for task in self._session.tasks.finished:
            if task.status.title and (task.seconds >= MIN_SHOWN_S or task.status.is_listed):
                yield TaskRow(task.status, task.outcome, task.seconds)
                count += 1
            is_reading = task.status.key == OPENING and task.status.title != EVALUATING
            if count == MAX_FINISHED_ROWS or (is_reading and task.outcome == DONE):
                return


class _ThumbnailProgress:
    """Status of the pending thumbnails, as if they were one task."""

    def __init__(self, thumbnails: Thumbnails) -> None:
        self._thumbnails = thumbnails
        self._since = 0.0
        self._total = 0

    def statuses(self) -> tuple[TaskStatus, ...]:
        """One status while thumbnails are pending, else none."""
        pending_count = self._thumbnails.pending_count
        if not pending_count:
            self._total = 0
            return ()
        if not self._total:
            self._since = time.monotonic()
        self._total = max(self._total, pending_count)
        done = self._total - pending_count
        return (TaskStatus(THUMBNAILS_KEY, "Thumbnails", "picture", done, self._total, self._since),)
