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
"""A packed file ends with the size of what it holds."""

UNCHECKED_BYTES = 2**20
"""Below this a file may pack as well as it likes: a matrix of zeros does."""

MAX_RATIO = 200
"""Unpacked to packed size that is accepted; text packs to a twentieth, only bombs and empty matrices beyond this."""

MAX_UNPACKED_BYTES = 8 * 2**30
"""Unpacked size that is accepted: eight times the largest text that contests exchange (about 1 GB)."""

BUFFER_BYTES = 2**20


def is_gzip(data: bytes) -> bool:
    """Whether bytes begin as gzip does."""
    return data.startswith(GZIP_MAGIC)


def check_regular_file(path: Path) -> None:
    """Nothing where a path is a file; FormatError where reading it could wait, or go on, for ever; OSError for none."""
    mode = path.stat().st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise FormatError(path, "is no file but a device or a pipe")


@contextmanager
def open_unpacked(path: Path) -> Iterator[BinaryIO]:
    """The bytes of a file, unpacked where it is packed.

    Raises
    ------
    FormatError
        While reading: when a packed file is damaged, or would unpack to far more than real data does.
    OSError
        When the system does not give the file.
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
    """The first `count` bytes of what the beginning of a packed file holds; fewer where it is damaged."""
    try:
        return zlib.decompressobj(wbits=31).decompress(data, count)
    except zlib.error:
        return b""


def unpacked_size(path: Path, at_least: int) -> int:
    """Size of what a packed file holds, as its end says (modulo 4 GiB), and no less than what is known already."""
    with path.open("rb") as stream:
        if stream.seek(0, io.SEEK_END) < GZIP_SIZE_BYTES:
            return at_least
        stream.seek(-GZIP_SIZE_BYTES, io.SEEK_END)
        return max(int.from_bytes(stream.read(4), "little"), at_least)


class _GzipReader(io.RawIOBase):
    """The unpacked bytes, counted: a bomb ends in a sentence before it fills the memory."""

    def __init__(self, path: Path, plain: io.BufferedReader, size: int) -> None:
        self._path = path
        self._stream = gzip.GzipFile(fileobj=plain)
        self._most = min(MAX_UNPACKED_BYTES, max(UNCHECKED_BYTES, MAX_RATIO * size))
        self._done = 0

    def readable(self) -> bool:
        """It is there to be read."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Fill a buffer with the next bytes, and say how many there were."""
        try:
            data = self._stream.read(len(buffer))
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise FormatError(self._path, "is packed with gzip but damaged, or cut off") from error
        self._done += len(data)
        if self._done > self._most:
            why = f"would unpack to more than {self._most / 2**20:.0f} MiB, which is no real data"
            raise FormatError(self._path, why)
        buffer[: len(data)] = data
        return len(data)
