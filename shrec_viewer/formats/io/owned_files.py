"""Files of one running process, and the temporary files of ended processes, which are removed."""

import atexit
import json
import os
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Lock

#: Offset of the locked byte on Windows, whose locks keep others from reading; no owned file is as long.
LOCK_OFFSET = 2**40


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


DRAFT_SUFFIX = ".part"

#: Characters of the target's name in that of a draft: 255 bytes is the limit of most file systems.
MAX_STEM_CHARS = 50

#: Beginning of the names of temporary folders; the process id follows, then random characters.
UNPACKED_PREFIX = "shrec-viewer-"

LIST_SUFFIX = ".temporary"

_DRAFT_NAME = re.compile(r".+\.(\d+)-[0-9a-f]{8}\.part")
_FOLDER_PREFIX = re.compile(r"shrec-viewer-(\d+)-")


def draft_path(target: Path) -> Path:
    """A new name in the folder of a target for a draft of it: ``.scores.json.4711-0a1b2c3d.part``."""
    return target.with_name(f".{target.name[:MAX_STEM_CHARS]}.{draft_ending()}")


def draft_ending() -> str:
    """End of the name of a draft, with the id of this process and random digits."""
    return f"{os.getpid()}-{os.urandom(4).hex()}{DRAFT_SUFFIX}"


def temporary_prefix() -> str:
    """Beginning of the names of temporary folders of this process, for `tempfile.mkdtemp`; listed before they exist."""
    import tempfile

    prefix = f"{UNPACKED_PREFIX}{os.getpid()}-"
    TEMPORARY_FILES.add(Path(tempfile.gettempdir()) / prefix)
    return prefix


class TemporaryFiles:
    """The temporary files and folders of this process, listed in a file that it keeps locked.

    A killed process cannot remove its drafts, and they are in the folders of the user, where no later process would
    look for them. Nothing is listed before `start`.
    """

    def __init__(self) -> None:
        self._folder: Path | None = None
        self._list: OwnedFile | None = None
        self._paths: set[Path] = set()
        self._lock = Lock()

    def start(self, folder: Path) -> None:
        """Keep the list in a folder, and remove what ended processes have left."""
        self._folder = folder
        atexit.register(self._close)
        remove_leftovers(folder)

    def add(self, path: Path) -> None:
        """List a path; called before it is created. A list that cannot be written is left out."""
        with self._lock, suppress(OSError):
            if self._folder is None:
                return
            if self._list is None:
                self._folder.mkdir(parents=True, exist_ok=True)
                self._list = OwnedFile(self._folder / f"{os.getpid()}-{os.urandom(4).hex()}{LIST_SUFFIX}", waits=True)
            self._paths.add(path)
            self._list.append(json.dumps(str(path.absolute())) + "\n")

    def remove(self, path: Path) -> None:
        """Remove a path that no longer exists from the list; an empty list is deleted."""
        with self._lock:
            self._paths.discard(path)
            if not self._paths and self._list is not None:
                self._list.delete()
                self._list = None

    def _close(self) -> None:
        """Delete the list when the process ends by itself: nothing remains then."""
        for path in tuple(self._paths):
            self.remove(path)


#: Those of this process.
TEMPORARY_FILES = TemporaryFiles()


def remove_leftovers(folder: Path) -> None:
    """Delete the temporary files that ended processes have listed in a folder, and the lists.

    Only names that this program gives to drafts and temporary folders, with the id of the process of the list, are
    deleted: the list is a file that anyone can edit.
    """
    for left in abandoned_files(folder, f"*{LIST_SUFFIX}"):
        process = left.path.name.partition("-")[0]
        for line in left.read().splitlines():
            with suppress(ValueError, OSError, RecursionError):
                _delete(Path(str(json.loads(line))), process)
        left.delete()


def _delete(path: Path, process: str) -> None:
    draft, prefix = _DRAFT_NAME.fullmatch(path.name), _FOLDER_PREFIX.fullmatch(path.name)
    if draft is not None and draft[1] == process and not path.is_symlink():
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
    elif prefix is not None and prefix[1] == process:
        for folder in path.parent.glob(f"{path.name}*"):
            if folder.is_dir() and not folder.is_symlink():
                shutil.rmtree(folder, ignore_errors=True)
