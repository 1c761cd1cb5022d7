"""Watches files for changes, with QFileSystemWatcher and polling in a worker thread."""

import logging
import os
import stat
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Event

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal, Slot

from shrec_viewer.viewmodels.tasks.tasks import Task, TaskRunner

_log = logging.getLogger(__name__)

LANE = "disk"

SETTLE_S = 0.3
"""Seconds between two looks that must see the same size and time before a change counts: nobody is writing any more."""

POLL_S = 1.0
"""Seconds between two looks where the system tells of no change: drives of other machines, too many files."""

WATCHED_POLL_S = 4.0
"""The same where the system watches all files; a look then only catches what it missed."""

POLL_COST_FACTOR = 20
"""A look may take one part in so many of the time, however many files there are."""

MAX_WATCHES = 512
"""Files and folders the system is asked to watch; it has 8,192 for all programs of a person on many machines."""

REARM_MS = 200
"""Milliseconds until a file that was replaced, and so is watched no longer, is watched again: it may come late."""

Stamp = tuple[object, ...]

UNREAD: Stamp = ("unread",)
"""Stands for what a file was when it was read, where it has changed since."""
StampFunction = Callable[[Path], Stamp]


@dataclass(frozen=True)
class WatchedFiles:
    """Something that changes as one.

    Attributes
    ----------
    paths : its files and folders; a folder stands for the files in it.
    names_only : of folders only which entries there are counts, not what is in them.
    """

    paths: tuple[Path, ...]
    names_only: bool = False


WatchPlan = Callable[[], Mapping[str, WatchedFiles]]


class FileWatcher(QObject):
    """Watches files and folders.

    The system's own watch only wakes a thread that looks itself: it forgets files that are replaced, says nothing about
    drives of other machines, and has a limit. Where it fails nothing is lost but a second.

    Signals
    -------
    started(watched)
        What is watched, now that it is known.
    changed(keys)
        A frozenset of the keys whose files differ from what they were; told once they look the same twice.
    """

    started = Signal(object)
    changed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runner = TaskRunner(self)
        self._watcher: QFileSystemWatcher | None = None
        self._wake, self._needs_polling = Event(), Event()
        self._paths: tuple[Path, ...] = ()
        self._rearm = QTimer(self, interval=REARM_MS, singleShot=True)
        self._rearm.timeout.connect(self._arm)

    @property
    def is_watching(self) -> bool:
        """Whether anything is looked at."""
        return self._runner.is_busy()

    def start(self, plan: WatchPlan, since: float) -> None:
        """Watch what a plan says, and nothing else.

        Parameters
        ----------
        plan : called beside the window; by a key that `changed` tells.
        since : when the files were read (`time.time`); what is younger counts as changed at once.
        """
        self.stop()
        self._wake, self._needs_polling = Event(), Event()
        work = partial(_poll, plan, since, self._wake, self._needs_polling)
        self._runner.run(LANE, work, self._end, self._fail, part=self._tell)

    def _listen(self, watched: Mapping[str, WatchedFiles]) -> None:
        """Have the system tell of changes as well."""
        paths = dict.fromkeys(path for part in watched.values() for path in part.paths)
        self._paths = tuple(sorted(paths, key=_is_file))[:MAX_WATCHES]
        self._watcher = QFileSystemWatcher(self)
        self._watcher.fileChanged.connect(self._wake_up)
        self._watcher.directoryChanged.connect(self._wake_up)
        self._arm()
        in_folders = any(path.is_dir() and not part.names_only for part in watched.values() for path in part.paths)
        if in_folders or not len(paths) == len(self._paths) == self._armed():
            self._needs_polling.set()  # it does not tell of files in folders, nor of what it does not watch
            self._wake.set()
        self.started.emit(watched)

    def stop(self) -> None:
        """Watch nothing."""
        self._runner.stop(LANE)
        self._wake.set()
        self._rearm.stop()
        self._paths = ()
        if self._watcher is not None:
            self._watcher.deleteLater()
            self._watcher = None

    def close(self) -> None:
        """End the thread; called once."""
        self.stop()
        self._runner.close()

    def _armed(self) -> int:
        return 0 if self._watcher is None else len(self._watcher.files()) + len(self._watcher.directories())

    @Slot()
    def _arm(self) -> None:
        """Have the system watch what it does not watch yet."""
        if self._watcher is None:
            return
        known = {*self._watcher.files(), *self._watcher.directories()}
        if missing := [str(path) for path in self._paths if str(path) not in known and path.exists()]:
            self._watcher.addPaths(missing)

    @Slot(str)
    def _wake_up(self, _path: str) -> None:
        self._wake.set()
        self._rearm.start()

    def _tell(self, part: Mapping[str, WatchedFiles] | frozenset[str]) -> None:
        if isinstance(part, frozenset):
            self.changed.emit(part)
        else:
            self._listen(part)

    def _end(self, _answer: object) -> None:
        """The thread ends only when it is told to."""

    def _fail(self, error: Exception) -> None:
        """What cannot be looked at is a stamp of its own, so nothing gets here that another look would mend."""
        _log.warning("files are not followed", exc_info=error)


def _is_file(path: Path) -> bool:
    return not path.is_dir()


def _poll(plan: WatchPlan, since: float, wake: Event, needs_polling: Event, task: Task) -> None:
    """Look until nobody listens any more; `needs_polling` while the system does not tell of all changes."""
    watched = plan()
    task.send(watched)
    known = _stamps(watched, task)
    young = [key for key, part in watched.items() if not part.names_only and _is_modified_since(part, since)]
    known.update(dict.fromkeys(young, UNREAD))
    resting: dict[str, Stamp] = {}
    pause = 0.0 if young else WATCHED_POLL_S
    while not task.cancelled():
        if resting:
            task.wait(SETTLE_S)
        else:
            wake.wait(pause)
        wake.clear()
        began = time.monotonic()
        now = _stamps(watched, task)
        if task.cancelled():
            return
        changed = {key: stamp for key, stamp in now.items() if stamp != known[key]}
        still = {key: stamp for key, stamp in changed.items() if resting.get(key) == stamp}
        resting = {key: stamp for key, stamp in changed.items() if key not in still}
        known.update(still)
        pause = max(POLL_S if needs_polling.is_set() else WATCHED_POLL_S, POLL_COST_FACTOR * (time.monotonic() - began))
        if still:
            task.send(frozenset(still))


def _stamps(watched: Mapping[str, WatchedFiles], task: Task) -> dict[str, Stamp]:
    found: dict[str, Stamp] = {}
    for key, part in watched.items():
        look = _entry_names if part.names_only else _stamp
        # A list first: a tuple grows in place, which fails while a profiler, or a test, holds all objects there are.
        stamps = [] if task.cancelled() else [look(path) for path in part.paths]
        found[key] = tuple(stamps)
    return found


def _stamp(path: Path) -> Stamp:
    """What changes when a file does; of a folder, that of all files in it."""
    try:
        status = path.stat()
        if not stat.S_ISDIR(status.st_mode):
            return (status.st_size, status.st_mtime_ns, status.st_ino)
        with os.scandir(path) as listing:
            return tuple(sorted(_entry_stamp(entry) for entry in listing if not entry.name.startswith(".")))
    except OSError:
        return ("gone",)


def _entry_stamp(entry: "os.DirEntry[str]") -> tuple[str, int, int, int]:
    try:
        status = entry.stat()
    except OSError:
        return (entry.name, 0, 0, 0)
    if stat.S_ISDIR(status.st_mode):
        return (entry.name, 0, 0, 0)
    return (entry.name, status.st_size, status.st_mtime_ns, status.st_ino)


def _entry_names(path: Path) -> Stamp:
    try:
        with os.scandir(path) as listing:
            return tuple(sorted(entry.name for entry in listing if not entry.name.startswith(".")))
    except OSError:
        return ("gone",)


def _is_modified_since(part: WatchedFiles, since: float) -> bool:
    """Whether a file was written after `since`, but not in the future: some clocks are wrong."""
    now = time.time()
    times = (at for path in part.paths for at in _modification_times(path))
    return any(since <= at <= now for at in times)


def _modification_times(path: Path) -> list[float]:
    try:
        if not path.is_dir():
            return [path.stat().st_mtime]
        with os.scandir(path) as listing:
            return [entry.stat().st_mtime for entry in listing]
    except OSError:
        return []
