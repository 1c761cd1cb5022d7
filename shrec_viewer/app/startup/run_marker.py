"""File that exists while the program runs; one left behind shows that a run did not end normally."""

import os
from pathlib import Path

from PySide6.QtCore import QLockFile

PREFIX, SUFFIX = "running-", ".lock"


class RunMarker:
    """Lock file of this process, next to those of other windows.

    Parameters
    ----------
    folder : folder of the lock files; None creates none (self-test, tests).
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._lock: QLockFile | None = None

    def begin(self) -> bool:
        """Create the lock file; whether an earlier run left one behind, which is removed."""
        if self._folder is None:
            return False
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            others = [path for path in self._folder.glob(f"{PREFIX}*{SUFFIX}") if path.is_file()]
        except OSError:
            return False
        is_left = False
        for path in others:
            # Succeeds only if the process does not exist any more; `unlock` removes the file.
            lock = _lock_file(path)
            if lock.tryLock(0):
                lock.unlock()
                is_left = True
        self._lock = _lock_file(self._folder / f"{PREFIX}{os.getpid()}{SUFFIX}")
        self._lock.tryLock(0)
        return is_left

    def end(self) -> None:
        """Remove the lock file, at the normal end."""
        if self._lock is not None:
            self._lock.unlock()


def _lock_file(path: Path) -> QLockFile:
    lock = QLockFile(str(path))
    lock.setStaleLockTime(0)  # the default is 30 s, after which the lock of a running process would be taken over
    return lock
