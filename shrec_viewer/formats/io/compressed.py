"""Open regular or gzip-compressed files, with limits against decompression bombs."""

import gzip
import io
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from shrec_viewer.domain import FormatError

GZIP_MAGIC = b"\x1f\x8b\x08"

GZIP_SIZE_BYTES = 4
"""A gzip file ends with its decompressed size, modulo 4 GiB."""

UNCHECKED_BYTES = 2**20
"""Decompressed size up to which any ratio is accepted: a matrix of zeros compresses very well."""

MAX_RATIO = 200
"""Maximum ratio of decompressed to compressed size; text has about 20, decompression bombs have more than 1,000."""

MAX_UNPACKED_BYTES = 8 * 2**30
"""Maximum decompressed size: eight times the largest text that contests exchange (about 1 GB)."""

BUFFER_BYTES = 2**20


def is_gzip(data: bytes) -> bool:
    """Whether bytes begin like a gzip file."""
    return data.startswith(GZIP_MAGIC)


def check_regular_file(path: Path) -> None:
    """FormatError for devices and pipes, which could block or never end; OSError when the path does not exist."""
    mode = path.stat().st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise FormatError(path, "is a device or a pipe, not a file")


@contextmanager
def open_unpacked(path: Path) -> Iterator[BinaryIO]:
    """Open a file for reading; gzip files are decompressed.

    Raises
    ------
    FormatError
        While reading, when a gzip file is damaged or exceeds the decompression limits.
    OSError
        When the file cannot be opened or read.
    """
    check_regular_file(path)
    with path.open("rb") as plain:
        if not is_gzip(plain.read(len(GZIP_MAGIC))):
            plain.seek(0)
            yield plain
            return
        size = plain.seek(0, io.SEEK_END)
        plain.seek(0)
        with io.BufferedReader(_GzipReader(path, plain, size), BUFFER_BYTES) as stream:
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


class _GzipReader(io.RawIOBase):
    """Decompressed bytes of a gzip file; raises FormatError beyond the limits, before they fill the memory."""

    def __init__(self, path: Path, plain: io.BufferedReader, size: int) -> None:
        self._path = path
        self._stream = gzip.GzipFile(fileobj=plain)
        self._max_bytes = min(MAX_UNPACKED_BYTES, max(UNCHECKED_BYTES, MAX_RATIO * size))
        self._done = 0

    def readable(self) -> bool:
        """Required by `io.RawIOBase`: True."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Fill a buffer with the next bytes and return their number."""
        try:
            data = self._stream.read(len(buffer))
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise FormatError(self._path, "is a damaged or truncated gzip file") from error
        self._done += len(data)
        if self._done > self._max_bytes:
            message = f"would unpack to more than {self._max_bytes / 2**20:.0f} MiB, beyond the decompression limit"
            raise FormatError(self._path, message)
        buffer[: len(data)] = data
        return len(data)
