"""Table model of the running and the finished tasks."""

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

from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.session.state import OPENING, SCORING
from shrec_viewer.viewmodels.tasks.tasks import DONE, FAILED, STOPPED, TaskStatus
from shrec_viewer.viewmodels.thumbnails.thumbnails import Thumbnails

HEADERS = ("Task", "Progress", "Time", "")
"""Columns; the last one cancels."""

CANCEL_COLUMN = 3

THUMBNAILS_LANE = "pictures"
"""Stands for the lane of the pictures, which is no lane of the session."""

MIN_SHOWN_S = 0.3
"""Seconds that work takes before it is shown: a row that is gone before it is read tells nobody anything."""

TICK_MS = 100
"""Milliseconds between two looks at what goes on."""

MAX_FINISHED_ROWS = 30
"""Pieces of work that are shown when they are over."""

ALWAYS_SHOWN = (OPENING, SCORING, "renew", "settle")
"""Lanes whose work is remembered however quick it was: a person asked for it."""

FRACTION_ROLE = Qt.ItemDataRole.UserRole + 1
"""How much is done, in [0, 1]; -1 where nobody knows; None where it is over."""

STATE_ROLE = Qt.ItemDataRole.UserRole + 2
"""``"going"``, ``"done"``, ``"stopped"`` or ``"failed"``."""

OUTCOMES = {DONE: "Done", STOPPED: "Cancelled", FAILED: "Failed"}


@dataclass(frozen=True)
class TaskRow:
    """A row: a piece of work, how it ended ("" while it goes on), and how long it took in seconds."""

    activity: TaskStatus
    how: str = ""
    seconds: float = 0.0


class TaskTableModel(QAbstractTableModel):
    """What goes on first, then what is over, the latest first; from the opening of the benchmark on."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._rows: tuple[TaskRow, ...] = ()
        self._tick = QTimer(self, interval=TICK_MS)
        self._tick.timeout.connect(self._look)
        self._pictures = _ThumbnailProgress(session.thumbnails)
        session.tasks.changed.connect(self._wake)
        session.thumbnails.arrived.connect(self._wake)
        session.tasks.ended.connect(self._look)
        session.benchmark_changed.connect(self._look)
        self._look()
        self._wake()

    @property
    def rows(self) -> tuple[TaskRow, ...]:
        """What is shown."""
        return self._rows

    def cancel(self, row: int) -> None:
        """Call off the work in a row; nothing where it is over."""
        if 0 <= row < len(self._rows) and not self._rows[row].how:
            self._stop(self._rows[row].activity.lane)

    def cancel_all(self) -> None:
        """Call off all that goes on."""
        for activity in self._activities():
            self._stop(activity.lane)

    def _stop(self, lane: str) -> None:
        if lane == THUMBNAILS_LANE:
            self._session.thumbnails.cancel_pending()
        else:
            self._session.stop(lane)

    def _activities(self) -> tuple[TaskStatus, ...]:
        return (*self._session.tasks.activities, *self._pictures.activities())

    def roleNames(self) -> dict[int, QByteArray]:
        """Qt override."""
        return {**super().roleNames(), FRACTION_ROLE: QByteArray(b"share"), STATE_ROLE: QByteArray(b"state")}

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008 - Qt's way
        """Qt override."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008 - Qt's way
        """Qt override."""
        return 0 if parent.isValid() else len(HEADERS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Qt override."""
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return HEADERS[section]
        return None

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Qt override."""
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        entry = self._rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return _cells(entry)[index.column()]
        if role == FRACTION_ROLE:
            return _fraction(entry)
        if role == STATE_ROLE:
            return entry.how or "going"
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            if index.column() == CANCEL_COLUMN and not entry.how:
                return f"Cancel: {task_title(entry.activity)}"
            return ", ".join(cell for cell in _cells(entry) if cell)
        return None

    @Slot()
    def _wake(self, *_: object) -> None:
        if self._activities() and not self._tick.isActive():
            self._tick.start()

    @Slot()
    def _look(self) -> None:
        activities = self._activities()
        if not activities:
            self._tick.stop()
        now = time.monotonic()
        going = (
            TaskRow(activity, "", now - activity.since)
            for activity in activities
            if now - activity.since >= MIN_SHOWN_S
        )
        rows = (*going, *self._over())
        if len(rows) != len(self._rows):
            self.beginResetModel()
            self._rows = rows
            self.endResetModel()
        elif rows != self._rows:
            self._rows = rows
            self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, len(HEADERS) - 1))

    def _over(self) -> Iterator[TaskRow]:
        """What is over since the benchmark was opened, and worth a row."""
        if self._session.benchmark is None:
            return
        kept = 0
        for past in self._session.tasks.past:
            if past.seconds >= MIN_SHOWN_S or past.activity.lane in ALWAYS_SHOWN:
                yield TaskRow(past.activity, past.how, past.seconds)
                kept += 1
            if kept == MAX_FINISHED_ROWS or (past.activity.lane == OPENING and past.how == DONE):
                return


class _ThumbnailProgress:
    """The pictures that are awaited, as one piece of work."""

    def __init__(self, thumbnails: Thumbnails) -> None:
        self._thumbnails = thumbnails
        self._since = 0.0
        self._most = 0

    def activities(self) -> tuple[TaskStatus, ...]:
        """None, or one."""
        pending_count = self._thumbnails.pending_count
        if not pending_count:
            self._most = 0
            return ()
        if not self._most:
            self._since = time.monotonic()
        self._most = max(self._most, pending_count)
        done = self._most - pending_count
        return (TaskStatus(THUMBNAILS_LANE, "Drawing pictures", "", done, self._most, self._since),)


def task_title(activity: TaskStatus) -> str:
    """What a piece of work is called; its lane where nobody gave it a name."""
    return activity.title or f"{activity.lane[:1].upper()}{activity.lane[1:]}"


def _fraction(entry: TaskRow) -> float | None:
    if entry.how:
        return None
    return entry.activity.done / entry.activity.total if entry.activity.total > 0 else -1.0


def _cells(entry: TaskRow) -> tuple[str, str, str, str]:
    activity = entry.activity
    if entry.how:
        progress = OUTCOMES[entry.how]
    elif activity.total > 0:
        progress = f"{activity.done:,} / {activity.total:,} {activity.text}".rstrip()
    else:
        progress = activity.text
    return task_title(activity), progress, f"{entry.seconds:.1f} s", ""
