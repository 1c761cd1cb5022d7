"""What goes on beside the window and what went on, as a table: follows the tasks of the session."""

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

from shrec_viewer.viewmodels.activity import Activity
from shrec_viewer.viewmodels.session import Session
from shrec_viewer.viewmodels.session_state import OPENING, SCORING
from shrec_viewer.viewmodels.tasks import DONE, FAILED, STOPPED
from shrec_viewer.viewmodels.thumbnails import Thumbnails

HEADERS = ("Task", "Progress", "Time", "")
"""Columns; the last one cancels."""

CANCEL_COLUMN = 3

PICTURES = "pictures"
"""Stands for the lane of the pictures, which is no lane of the session."""

PATIENCE = 0.3
"""Seconds that work takes before it is shown: a row that is gone before it is read tells nobody anything."""

TICK_MS = 100
"""Milliseconds between two looks at what goes on."""

KEPT = 30
"""Pieces of work that are shown when they are over."""

ALWAYS_KEPT = (OPENING, SCORING, "renew", "settle")
"""Lanes whose work is remembered however quick it was: a person asked for it."""

SHARE_ROLE = Qt.ItemDataRole.UserRole + 1
"""How much is done, in [0, 1]; -1 where nobody knows; None where it is over."""

STATE_ROLE = Qt.ItemDataRole.UserRole + 2
"""``"going"``, ``"done"``, ``"stopped"`` or ``"failed"``."""

OUTCOMES = {DONE: "Done", STOPPED: "Cancelled", FAILED: "Failed"}


@dataclass(frozen=True)
class Entry:
    """A row: a piece of work, how it ended ("" while it goes on), and how long it took in seconds."""

    activity: Activity
    how: str = ""
    seconds: float = 0.0


class TasksModel(QAbstractTableModel):
    """What goes on first, then what is over, the latest first; from the opening of the benchmark on."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._rows: tuple[Entry, ...] = ()
        self._tick = QTimer(self, interval=TICK_MS)
        self._tick.timeout.connect(self._look)
        self._pictures = _Pictures(session.thumbnails)
        session.tasks.changed.connect(self._wake)
        session.thumbnails.arrived.connect(self._wake)
        session.tasks.ended.connect(self._look)
        session.benchmark_changed.connect(self._look)
        self._look()
        self._wake()

    @property
    def rows(self) -> tuple[Entry, ...]:
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
        if lane == PICTURES:
            self._session.thumbnails.give_up()
        else:
            self._session.stop(lane)

    def _activities(self) -> tuple[Activity, ...]:
        return (*self._session.tasks.activities, *self._pictures.activities())

    def roleNames(self) -> dict[int, QByteArray]:
        """Qt override."""
        return {**super().roleNames(), SHARE_ROLE: QByteArray(b"share"), STATE_ROLE: QByteArray(b"state")}

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
        if role == SHARE_ROLE:
            return _share(entry)
        if role == STATE_ROLE:
            return entry.how or "going"
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            if index.column() == CANCEL_COLUMN and not entry.how:
                return f"Cancel: {title_of(entry.activity)}"
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
            Entry(activity, "", now - activity.since) for activity in activities if now - activity.since >= PATIENCE
        )
        rows = (*going, *self._over())
        if len(rows) != len(self._rows):
            self.beginResetModel()
            self._rows = rows
            self.endResetModel()
        elif rows != self._rows:
            self._rows = rows
            self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, len(HEADERS) - 1))

    def _over(self) -> Iterator[Entry]:
        """What is over since the benchmark was opened, and worth a row."""
        if self._session.benchmark is None:
            return
        kept = 0
        for past in self._session.tasks.past:
            if past.seconds >= PATIENCE or past.activity.lane in ALWAYS_KEPT:
                yield Entry(past.activity, past.how, past.seconds)
                kept += 1
            if kept == KEPT or (past.activity.lane == OPENING and past.how == DONE):
                return


class _Pictures:
    """The pictures that are awaited, as one piece of work."""

    def __init__(self, thumbnails: Thumbnails) -> None:
        self._thumbnails = thumbnails
        self._since = 0.0
        self._most = 0

    def activities(self) -> tuple[Activity, ...]:
        """None, or one."""
        awaited = self._thumbnails.awaited
        if not awaited:
            self._most = 0
            return ()
        if not self._most:
            self._since = time.monotonic()
        self._most = max(self._most, awaited)
        done = self._most - awaited
        return (Activity(PICTURES, "Drawing pictures", "", done, self._most, self._since),)


def title_of(activity: Activity) -> str:
    """What a piece of work is called; its lane where nobody gave it a name."""
    return activity.title or f"{activity.lane[:1].upper()}{activity.lane[1:]}"


def _share(entry: Entry) -> float | None:
    if entry.how:
        return None
    return entry.activity.done / entry.activity.total if entry.activity.total > 0 else -1.0


def _cells(entry: Entry) -> tuple[str, str, str, str]:
    activity = entry.activity
    if entry.how:
        progress = OUTCOMES[entry.how]
    elif activity.total > 0:
        progress = f"{activity.done:,} / {activity.total:,} {activity.text}".rstrip()
    else:
        progress = activity.text
    return title_of(activity), progress, f"{entry.seconds:.1f} s", ""
