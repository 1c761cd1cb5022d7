"""Open regular or compressed files (gzip, bzip2), with limits, and detect files that change while they are read."""

import bz2
import gzip
import io
import os
import re
import stat
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TypeVar, cast

from shrec_viewer.domain import FormatError

GZIP_MAGIC = b"\x1f\x8b\x08"
_BZIP2_START = re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)")

#: A gzip file ends with its decompressed size, modulo 4 GiB.
GZIP_SIZE_BYTES = 4

#: Decompressed size up to which any ratio is accepted: a matrix of zeros compresses very well.
UNCHECKED_BYTES = 2**20

#: Maximum ratio of decompressed to compressed size; text has about 20, decompression bombs have more than 1,000.
MAX_RATIO = 200

#: Maximum decompressed size: eight times the largest text that contests exchange (about 1 GB).
MAX_UNPACKED_BYTES = 8 * 2**30

BUFFER_BYTES = 2**20


def check_unpacked(path: Path, n_packed: int, n_unpacked: int, limit: int) -> None:
    """FormatError for more than `limit` bytes, or far more than text or numbers of so few packed bytes."""
    max_bytes = min(limit, max(UNCHECKED_BYTES, MAX_RATIO * n_packed))
    if n_unpacked > max_bytes:
        message = f"would unpack to more than {max_bytes / 2**20:.0f} MiB, beyond the decompression limit"
        raise FormatError(path, message)


def is_gzip(data: bytes) -> bool:
    """Whether bytes start like a gzip file."""
    return data.startswith(GZIP_MAGIC)


def check_regular_file(path: Path) -> None:
    """FormatError for devices and pipes, which could block or never end; OSError when the path does not exist."""
    mode = path.stat().st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise FormatError(path, "is a device or a pipe, not a file")


@contextmanager
def open_unpacked(path: Path) -> Iterator[BinaryIO]:
    """Open a file for reading; files of gzip and bzip2 are decompressed.

    Raises
    ------
    FormatError
        While reading, when a compressed file is damaged or exceeds the decompression limits.
    OSError
        When the file cannot be opened or read.
    """
    check_regular_file(path)
    with path.open("rb") as plain:
        start = plain.read(10)
        size = plain.seek(0, io.SEEK_END)
        plain.seek(0)
        if is_gzip(start):
            unpacked = _UnpackingReader(path, gzip.GzipFile(fileobj=plain), "gzip", size)
        elif _BZIP2_START.match(start):
            unpacked = _UnpackingReader(path, bz2.BZ2File(plain), "bzip2", size)
        else:
            yield plain
            return
        with io.BufferedReader(unpacked, BUFFER_BYTES) as stream:
            yield cast(BinaryIO, stream)


def unpacked_head(data: bytes, count: int) -> bytes:
    """Decompress the beginning of a gzip file, at most `count` bytes; fewer if it is damaged."""
    try:
        return zlib.decompressobj(wbits=31).decompress(data, count)
    except zlib.error:
        return b""


def unpacked_size(path: Path, at_least: int) -> int:
    """Decompressed size of a gzip file according to its last bytes (modulo 4 GiB), and no less than `at_least`."""
    with path.open("rb") as stream:
        if stream.seek(0, io.SEEK_END) < GZIP_SIZE_BYTES:
            return at_least
        stream.seek(-GZIP_SIZE_BYTES, io.SEEK_END)
        return max(int.from_bytes(stream.read(4), "little"), at_least)


class _UnpackingReader(io.RawIOBase):
    """Decompressed bytes of a file of `size` bytes; raises FormatError beyond the limits, before they fill memory."""

    def __init__(self, path: Path, stream: gzip.GzipFile | bz2.BZ2File, kind: str, size: int) -> None:
        self._path = path
        self._stream = stream
        self._kind = kind
        self._size = size
        self._done = 0

    def readable(self) -> bool:
        """Required by `io.RawIOBase`: True."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Fill a buffer with the next bytes and return their number."""
        try:
            data = self._stream.read(len(buffer))
        except (EOFError, zlib.error, OSError) as error:
            if isinstance(error, OSError) and error.errno is not None:  # of the system, not of the decompressor
                raise
            raise FormatError(self._path, f"is a damaged or truncated {self._kind} file") from error
        self._done += len(data)
        check_unpacked(self._path, self._size, self._done, MAX_UNPACKED_BYTES)
        buffer[: len(data)] = data
        return len(data)


#: Maximum number of readings of a file that changes during each; then it is an error.
MAX_READS = 3

#: Coarsest resolution of file times in use, that of FAT; ext4 has that of the timer interrupt, 4 ms.
RESOLUTION_NS = 2_000_000_000

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


def check_version(path: Path, version: FileVersion | None, file: Path | int | None = None, fault: str = "") -> None:
    """FormatError if a file has changed since it had a version, or for a fault of its content that a change explains.

    Parameters
    ----------
    version : None: it is not checked.
    file : descriptor of the open file; None for `path`.
    """
    change = "" if version is None else version.change(version_of(path if file is None else file))
    if change or fault:
        raise FormatError(path, f"changed after it was opened: {change or fault}; its new content is not used")


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
