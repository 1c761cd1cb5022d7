"""Table model of the running and finished tasks."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QByteArray,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    QTimer,
    Slot,
)

from shrec_viewer.viewmodels.session.session import OPENING, Session
from shrec_viewer.viewmodels.tasks.tasks import DONE, FAILED, STOPPED, TaskStatus
from shrec_viewer.viewmodels.thumbnails.thumbnails import Thumbnails

HEADERS = ("Task", "Progress", "Time", "")
"""Column titles; the last column has the Cancel buttons."""

CANCEL_COLUMN = 3

THUMBNAILS_KEY = "thumbnails"
"""Key of the row of the pending thumbnails, which are not a task of the queue."""

MIN_SHOWN_S = 0.3
"""Minimum duration in seconds of the tasks shown; shorter tasks would disappear before they can be read."""

UPDATE_MS = 100
"""Update interval while tasks are running, in milliseconds."""

MAX_FINISHED_ROWS = 30
"""Maximum number of finished tasks shown."""

FRACTION_ROLE = Qt.ItemDataRole.UserRole + 1
"""Fraction done in [0, 1]; -1 for unknown; None for finished tasks."""

STATE_ROLE = Qt.ItemDataRole.UserRole + 2
"""``"running"``, ``"done"``, ``"stopped"`` or ``"failed"``."""

OUTCOMES = {DONE: "Done", STOPPED: "Cancelled", FAILED: "Failed"}


@dataclass(frozen=True)
class TaskRow:
    """A row: status of a task, its outcome ("" while it is running), and its duration in seconds."""

    status: TaskStatus
    outcome: str = ""
    seconds: float = 0.0


class TaskTableModel(QAbstractTableModel):
    """Running tasks, then tasks finished since the benchmark was opened, the latest first."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._rows: tuple[TaskRow, ...] = ()
        self._timer = QTimer(self, interval=UPDATE_MS)
        self._timer.timeout.connect(self._update)
        self._thumbnails = _ThumbnailProgress(session.thumbnails)
        session.tasks.changed.connect(self._start_timer)
        session.thumbnails.arrived.connect(self._start_timer)
        session.tasks.ended.connect(self._update)
        session.benchmark_changed.connect(self._update)
        self._update()
        self._start_timer()

    @property
    def rows(self) -> tuple[TaskRow, ...]:
        """The rows shown."""
        return self._rows

    def cancel(self, row: int) -> None:
        """Cancel the task in a row; does nothing for a finished one."""
        if 0 <= row < len(self._rows) and not self._rows[row].outcome:
            self._stop(self._rows[row].status.key)

    def cancel_all(self) -> None:
        """Cancel all running tasks."""
        for status in self._running():
            self._stop(status.key)

    def _stop(self, key: str) -> None:
        if key == THUMBNAILS_KEY:
            self._session.thumbnails.cancel_pending()
        else:
            self._session.stop(key)

    def _running(self) -> tuple[TaskStatus, ...]:
        return (*self._session.tasks.running, *self._thumbnails.statuses())

    def roleNames(self) -> dict[int, QByteArray]:
        """Names of the data roles."""
        return {**super().roleNames(), FRACTION_ROLE: QByteArray(b"fraction"), STATE_ROLE: QByteArray(b"state")}

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008 - Qt signature
        """Number of rows; 0 below a row."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008 - Qt signature
        """Number of columns; 0 below a row."""
        return 0 if parent.isValid() else len(HEADERS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Title of a column."""
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return HEADERS[section]
        return None

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Value of a cell for a role."""
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        entry = self._rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return _cells(entry)[index.column()]
        if role == FRACTION_ROLE:
            return _fraction(entry)
        if role == STATE_ROLE:
            return entry.outcome or "running"
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            if index.column() == CANCEL_COLUMN and not entry.outcome:
                return f"Cancel: {task_title(entry.status)}"
            return ", ".join(cell for cell in _cells(entry) if cell)
        return None

    @Slot()
    def _start_timer(self, *_: object) -> None:
        if not self._timer.isActive() and self._running():
            self._timer.start()

    @Slot()
    def _update(self) -> None:
        running = self._running()
        if not running:
            self._timer.stop()
        now = time.monotonic()
        shown = (TaskRow(status, "", now - status.since) for status in running if now - status.since >= MIN_SHOWN_S)
        rows = (*shown, *self._finished_rows())
        if len(rows) != len(self._rows):
            self.beginResetModel()
            self._rows = rows
            self.endResetModel()
        elif rows != self._rows:
            self._rows = rows
            self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, len(HEADERS) - 1))

    def _finished_rows(self) -> Iterator[TaskRow]:
        """Rows of the tasks finished since the benchmark was opened, except very short tasks."""
        if not self._session.document.is_open:
            return
        count = 0
        for task in self._session.tasks.finished:
            if task.seconds >= MIN_SHOWN_S or task.status.is_listed:
                yield TaskRow(task.status, task.outcome, task.seconds)
                count += 1
            if count == MAX_FINISHED_ROWS or (task.status.key == OPENING and task.outcome == DONE):
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
        return (TaskStatus(THUMBNAILS_KEY, "Rendering thumbnails", "", done, self._total, self._since),)


def task_title(status: TaskStatus) -> str:
    """Title of a task, or its key if it has no title."""
    return status.title or f"{status.key[:1].upper()}{status.key[1:]}"


def _fraction(row: TaskRow) -> float | None:
    if row.outcome:
        return None
    return row.status.done / row.status.total if row.status.total > 0 else -1.0


def _cells(row: TaskRow) -> tuple[str, str, str, str]:
    status = row.status
    if row.outcome:
        progress = OUTCOMES[row.outcome]
    elif status.total > 0:
        progress = f"{status.done:,} / {status.total:,} {status.text}".rstrip()
    else:
        progress = status.text
    return task_title(status), progress, f"{row.seconds:.1f} s", ""
