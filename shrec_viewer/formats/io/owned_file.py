"""Files that show whether the process that created them still runs: it keeps them locked."""

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

LOCK_OFFSET = 2**40
"""Offset of the locked byte on Windows, whose locks keep others from reading; no owned file is as long."""


class OwnedFile:
    """A text file that this process keeps locked.

    The operating system releases the lock when the process ends, however it ends. A process id would not do: ids are
    used again, and mean nothing on another machine that shares the folder.

    Parameters
    ----------
    path : created if missing; its content is kept.
    waits : whether to wait until another process releases the file.

    Raises
    ------
    BlockingIOError
        When another process owns the file.
    OSError
        When it cannot be created.
    """

    def __init__(self, path: Path, *, waits: bool = False) -> None:
        self.path = path
        while True:
            self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
            try:
                _lock(self._descriptor, waits=waits)
                if _is_same_file(self._descriptor, path):
                    return
            except BaseException:
                os.close(self._descriptor)
                raise
            os.close(self._descriptor)  # deleted by another process between opening and locking

    def read(self) -> str:
        """The content."""
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        with os.fdopen(os.dup(self._descriptor), "rb") as stream:
            return stream.read().decode("utf-8", "replace")

    def write(self, text: str) -> None:
        """Replace the content."""
        data = text.encode("utf-8")
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        os.write(self._descriptor, data)
        os.ftruncate(self._descriptor, len(data))

    def append(self, text: str) -> None:
        """Append to the content."""
        os.lseek(self._descriptor, 0, os.SEEK_END)
        os.write(self._descriptor, text.encode("utf-8"))

    def close(self) -> None:
        """Release the lock; the file remains."""
        os.close(self._descriptor)

    def delete(self) -> None:
        """Delete the file and release the lock."""
        with suppress(OSError):
            if sys.platform == "win32":  # an open file cannot be deleted
                os.close(self._descriptor)
                self.path.unlink()
            else:
                self.path.unlink()  # while it is locked, so that no other process owns it in between
                os.close(self._descriptor)


def is_owned(path: Path) -> bool:
    """Whether a running process owns a file; False if there is no such file."""
    try:
        descriptor = os.open(path, os.O_RDWR)
    except OSError:
        return False
    try:
        _lock(descriptor, waits=False)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False


def abandoned_files(folder: Path, pattern: str) -> Iterator[OwnedFile]:
    """Own each file of a folder whose owner has ended; the caller deletes it."""
    try:
        paths = sorted(folder.glob(pattern))
    except OSError:
        return
    for path in paths:
        if not path.is_file():
            continue
        with suppress(OSError):
            yield OwnedFile(path)


def _is_same_file(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def _lock(descriptor: int, *, waits: bool) -> None:
    """Lock a file for this descriptor; BlockingIOError if it is locked."""
    if sys.platform == "win32":
        import msvcrt

        os.lseek(descriptor, LOCK_OFFSET, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_LOCK if waits else msvcrt.LK_NBLCK, 1)
        except OSError as error:
            raise BlockingIOError(str(error)) from error
    else:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if waits else fcntl.LOCK_NB))
