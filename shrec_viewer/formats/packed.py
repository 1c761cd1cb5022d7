"""Files that are packed with gzip, read as what they hold: any file may be, whatever its ending."""

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

SIZE_BYTES = 4
"""A packed file ends with the size of what it holds."""

SMALL = 2**20
"""Below this a file may pack as well as it likes: a matrix of zeros does."""

MOST_RATIO = 200
"""Unpacked to packed size that is accepted; text packs to a twentieth, only bombs and empty matrices beyond this."""

MOST_BYTES = 8 * 2**30
"""Unpacked size that is accepted: eight times the largest text that contests exchange (about 1 GB)."""

BLOCK = 2**20


def is_packed(data: bytes) -> bool:
    """Whether bytes begin as gzip does."""
    return data.startswith(GZIP_MAGIC)


def check_regular(path: Path) -> None:
    """Nothing where a path is a file; FormatError where reading it could wait, or go on, for ever; OSError for none."""
    mode = path.stat().st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise FormatError(path, "is no file but a device or a pipe")


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """The bytes of a file, unpacked where it is packed.

    Raises
    ------
    FormatError
        While reading: when a packed file is damaged, or would unpack to far more than real data does.
    OSError
        When the system does not give the file.
    """
    check_regular(path)
    with path.open("rb") as plain:
        if not is_packed(plain.read(len(GZIP_MAGIC))):
            plain.seek(0)
            yield plain
            return
        size = plain.seek(0, io.SEEK_END)
        plain.seek(0)
        with io.BufferedReader(_Unpacking(path, plain, size), BLOCK) as stream:
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
        if stream.seek(0, io.SEEK_END) < SIZE_BYTES:
            return at_least
        stream.seek(-SIZE_BYTES, io.SEEK_END)
        return max(int.from_bytes(stream.read(4), "little"), at_least)


class _Unpacking(io.RawIOBase):
    """The unpacked bytes, counted: a bomb ends in a sentence before it fills the memory."""

    def __init__(self, path: Path, plain: io.BufferedReader, size: int) -> None:
        self._path = path
        self._stream = gzip.GzipFile(fileobj=plain)
        self._most = min(MOST_BYTES, max(SMALL, MOST_RATIO * size))
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
