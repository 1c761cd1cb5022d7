"""Detect files that change while they are read."""

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from shrec_viewer.domain import FormatError

MAX_READS = 3
"""Maximum number of readings of a file that changes during each; then it is an error."""

RESOLUTION_NS = 2_000_000_000
"""Coarsest resolution of file times in use, that of FAT; ext4 has that of the timer interrupt, 4 ms."""

Content = TypeVar("Content")


@dataclass(frozen=True)
class FileVersion:
    """What the system stores about a file; it differs after a change of the content.

    Attributes
    ----------
    size : bytes.
    modified_ns : time of the last modification, which programs can set.
    changed_ns : time of the last change of content, name or rights, which they cannot set; on Windows, of creation.
    inode : number of the file, which differs after a replacement by another file; 0 where the system has none.
    """

    size: int
    modified_ns: int
    changed_ns: int
    inode: int

    def change(self, newer: "FileVersion | None") -> str:
        """What differs from a newer version, for a message; "" if nothing does."""
        if newer is None:
            return "it was deleted"
        if newer.size != self.size:
            return f"its size went from {self.size:,} to {newer.size:,} bytes"
        if newer.inode != self.inode:
            return "it was replaced by another file"
        if newer.modified_ns != self.modified_ns:
            return "its modification time is another one"
        return "its time of last status change is another one" if newer != self else ""

    def is_recent(self) -> bool:
        """Whether a later version of the same size could have the same times, whose resolution is up to 2 s.

        True also for times in the future, which the clock of another machine may have set. Git calls such files
        "racily clean".
        """
        return time.time_ns() - max(self.modified_ns, self.changed_ns) < RESOLUTION_NS


def version_of(file: Path | int) -> FileVersion | None:
    """Present version of a path or file descriptor; None for a missing file."""
    try:
        status = os.stat(file)
    except (OSError, ValueError):
        return None
    return FileVersion(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


def read_unchanged(path: Path, read: Callable[[], Content], files: Sequence[Path] = ()) -> Content:
    """Result of reading a file that did not change in between; it is read again if it did.

    Parameters
    ----------
    path : the file.
    read : reads it; may raise FormatError.
    files : files that are read together, such as those of a folder, so that none may change while another is read;
        empty for `path` alone.

    Raises
    ------
    FormatError
        When the file changed during `MAX_READS` readings, or the error of `read`.
    """
    paths = files or (path,)
    changed: tuple[Path, str] | None = None
    for _ in range(MAX_READS):
        before = [(file, version_of(file)) for file in paths]
        error: FormatError | None = None
        content: list[Content] = []
        try:
            content.append(read())
        except FormatError as problem:  # possibly because the file was incomplete
            error = problem
        changes = ((file, version.change(version_of(file))) for file, version in before if version is not None)
        changed = next(((file, change) for file, change in changes if change), None)
        if changed is None and error is not None:
            raise error
        if changed is None:
            return content[0]
    assert changed is not None
    raise FormatError(changed[0], f"changed while it was read, {MAX_READS} times in a row: {changed[1]}")
