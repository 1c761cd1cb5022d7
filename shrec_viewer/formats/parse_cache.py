"""Keeps what large text files were parsed into, so that they open at once the next time; losing it costs only time."""

import json
import logging
import os
import time
import zlib
from contextlib import nullcontext, suppress
from errno import ENOSPC
from hashlib import blake2b
from pathlib import Path
from shutil import disk_usage
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

MAGIC = b"SHREC parsed 2\n\0"
SUFFIX = ".parsed"
DRAFT = ".part"

MOST_BYTES = 4_000_000_000
"""Size of the whole cache: six matrices of the largest track (8,987 x 8,987 numbers of 8 bytes)."""

LIMIT = "limit"
"""File with the bytes that the person allows; beside what is kept, so that windows and command line keep to it."""

START = 64
"""Where the array begins: at a multiple of a cache line, so that it can be mapped and is fast."""

FOOT = 16 + len(MAGIC)
"""Bytes behind the description, which stands behind the array: its sum, its length, the magic again."""

SPARED = 2**29
"""Bytes of the disk that are left to others: a cache must not be what fills it."""

SAMPLES, SAMPLE_BYTES = 32, 2**16
"""Pieces of a file that stand for its content in the key, beside its size and time: 2 MiB, read in a millisecond."""

STALE = 3600.0
"""Seconds after which a draft that nobody finished is rubbish."""

BLOCK = 2**24

Kept = tuple[NDArray[Any], dict[str, Any]]
"""An array and the words beside it."""

_log = logging.getLogger(__name__)


class ParseCache:
    """A folder of parsed files. Nothing here ever raises: a cache that cannot be used is an empty one.

    Parameters
    ----------
    folder : made when something is kept.
    most_bytes : what was not used for longest goes when the cache is larger than this; None for what the person allows
        (see `limit`), and `MOST_BYTES` where nothing was said.
    """

    def __init__(self, folder: Path, most_bytes: int | None = None) -> None:
        self.folder = folder
        self._most_bytes = most_bytes
        self._lamented = False

    @property
    def most_bytes(self) -> int:
        """Bytes that it may take."""
        if self._most_bytes is not None:
            return self._most_bytes
        try:
            return max(0, int((self.folder / LIMIT).read_text(encoding="ascii")))
        except (OSError, ValueError):
            return MOST_BYTES

    def limit(self, most_bytes: int) -> None:
        """Let it take so many bytes from now on, in every program that uses it, and let go of what is beyond.

        Raises
        ------
        OSError
            Where that cannot be written down: the one thing here that raises.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        draft = self.folder / f"{LIMIT}.{os.getpid()}"
        draft.write_text(str(most_bytes), encoding="ascii")
        os.replace(draft, self.folder / LIMIT)
        self.shrink()

    def key(self, kind: str, path: Path) -> str | None:
        """Name for a file as it is now: of its content, its size and its time; None where it cannot be read."""
        try:
            status = path.stat()
            digest = blake2b(f"{kind} {status.st_size} {status.st_mtime_ns} ".encode(), digest_size=20)
            step = max(1, (status.st_size - SAMPLE_BYTES) // SAMPLES)
            with path.open("rb") as stream:
                for place in range(0, max(1, status.st_size), step):
                    stream.seek(place)
                    digest.update(stream.read(SAMPLE_BYTES))
        except (OSError, ValueError):
            return None
        return f"{kind}-{digest.hexdigest()}"

    def get(self, key: str | None) -> Kept | None:
        """An array, mapped from the cache, and what else was kept; None where there is nothing, or nothing whole."""
        if key is None:
            return None
        path = self.path(key)
        try:
            found = read_kept(path)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError):
            _remove(path)
            return None
        with suppress(OSError):
            os.utime(path)
        return found

    def put(self, key: str | None, array: NDArray[Any], words: dict[str, Any]) -> bool:
        """Keep an array and words (anything JSON can hold); False where that is not possible."""
        draft = self.draft(key)
        if draft is None:
            return False
        with draft:
            return draft.append(array) and draft.keep(array.dtype, array.shape, words)

    def draft(self, key: str | None) -> "Draft | None":
        """A place for what is parsed piece by piece; None where nothing can be kept."""
        if key is None:
            return None
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            return Draft(self, key)
        except OSError as error:
            self.lament(error)
            return None

    def lament(self, error: OSError) -> None:
        """Tell the log, once, that work goes on without the cache."""
        if not self._lamented:
            why = (error.strerror or str(error)).lower()
            _log.warning("%s: %s; large files are parsed each time", self.folder, why)
        self._lamented = True

    def path(self, key: str) -> Path:
        """Where something is kept."""
        return self.folder / f"{key}{SUFFIX}"

    def clear(self) -> None:
        """Forget everything but what somebody is writing just now."""
        self._remove_stale()
        for path, _ in self._entries(SUFFIX):
            _remove(path)

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return sum(status.st_size for _, status in self._entries(SUFFIX, DRAFT))

    def shrink(self) -> None:
        """Let go of drafts that nobody finished, and of what was not used for longest."""
        self._remove_stale()
        entries = sorted(self._entries(SUFFIX), key=_last_used, reverse=True)
        total, most = 0, self.most_bytes
        for path, status in entries:
            total += status.st_size
            if total > most:
                _remove(path)

    def _remove_stale(self) -> None:
        for path, status in self._entries(DRAFT):
            if time.time() - status.st_mtime > STALE:
                _remove(path)

    def _entries(self, *suffixes: str) -> list[tuple[Path, os.stat_result]]:
        try:
            return [(path, path.stat()) for path in self.folder.iterdir() if path.suffix in suffixes]
        except OSError:
            return []


def _last_used(entry: tuple[Path, os.stat_result]) -> int:
    return entry[1].st_mtime_ns


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink(missing_ok=True)


class Draft:
    """A file of the cache while it is written; closing it without `keep` takes it away.

    Nothing here ever raises: a draft that cannot be written any more says so.

    Parameters
    ----------
    cache : where it will lie.
    key : as what.
    """

    def __init__(self, cache: ParseCache, key: str) -> None:
        self._cache = cache
        self._key = key
        self._path = cache.folder / f"{key}.{os.getpid()}-{uuid4().hex[:8]}{DRAFT}"
        self._stream = self._path.open("x+b")
        self._sum = 0
        self._bytes = 0
        self._write(MAGIC.ljust(START, b"\0"))

    def __enter__(self) -> "Draft":
        """Close it in the end."""
        return self

    def __exit__(self, *_: object) -> None:
        """Take away what was not kept."""
        self.close()

    def close(self) -> None:
        """Take away what was not kept."""
        with suppress(OSError):
            self._stream.close()
        _remove(self._path)

    def append(self, array: NDArray[Any]) -> bool:
        """Write an array behind the others; False where that is not possible."""
        if self._bytes + array.nbytes > self._cache.most_bytes:
            return False
        data = np.ascontiguousarray(array).reshape(-1).view(np.uint8).data
        if not self._write(data):
            return False
        self._sum = zlib.crc32(data, self._sum)
        self._bytes += array.nbytes
        return True

    def written(self, dtype: np.dtype[Any]) -> NDArray[Any]:
        """All that was appended, loaded, (n,); also when somebody took the file away."""
        with self._path.open("rb") if self._stream.closed else nullcontext(self._stream) as stream:
            stream.seek(START)
            return np.fromfile(stream, dtype, self._bytes // dtype.itemsize)

    def keep(self, dtype: np.dtype[Any], shape: tuple[int, ...], words: dict[str, Any]) -> bool:
        """Put all that was appended, as an array, into the cache; False where that is not possible."""
        kind = dtype.descr if dtype.names else dtype.str
        told = {"dtype": kind, "shape": shape, "bytes": self._bytes, "sum": self._sum, "words": words}
        text = json.dumps(told).encode()
        if not self._write(text + b"".join(n.to_bytes(8, "little") for n in (zlib.crc32(text), len(text))) + MAGIC):
            return False
        try:
            self._stream.flush()
            if os.name == "nt":  # there, a file that is open cannot be renamed
                self._stream.close()
            os.replace(self._path, self._cache.path(self._key))
        except OSError as error:
            self._cache.lament(error)
            return False
        self._cache.shrink()
        return True

    def _write(self, data: bytes | memoryview) -> bool:
        try:
            if disk_usage(self._path.parent).free < len(data) + SPARED:
                raise OSError(ENOSPC, os.strerror(ENOSPC))
            self._stream.write(data)
        except OSError as error:
            self._cache.lament(error)
            return False
        return True


def read_kept(path: Path, *, is_checked: bool = True) -> Kept:
    """Array and words of a file of the cache; ValueError and others where it is not whole."""
    size = path.stat().st_size
    with path.open("rb") as stream:
        if stream.read(len(MAGIC)) != MAGIC or size < START + FOOT:
            raise ValueError("is none of ours")
        stream.seek(size - FOOT)
        foot = stream.read(FOOT)
        expected, length = (int.from_bytes(foot[at : at + 8], "little") for at in (0, 8))
        if foot[16:] != MAGIC or START + length + FOOT > size:
            raise ValueError("is cut off")
        stream.seek(size - FOOT - length)
        text = stream.read(length)
    if zlib.crc32(text) != expected:
        raise ValueError("the description is damaged")
    told = json.loads(text)
    if START + told["bytes"] + length + FOOT != size:
        raise ValueError("is cut off")
    kind = told["dtype"]
    dtype = np.dtype(kind if isinstance(kind, str) else [tuple(entry) for entry in kind])
    shape = tuple(told["shape"])
    array = np.memmap(path, dtype, "r", START, shape) if 0 not in shape else np.zeros(shape, dtype)
    if is_checked and _sum(array) != told["sum"]:
        raise ValueError("is damaged")
    return array, told["words"]


def _sum(array: NDArray[Any]) -> int:
    total = 0
    data = array.reshape(-1).view(np.uint8)
    for place in range(0, len(data), BLOCK):
        total = zlib.crc32(data[place : place + BLOCK].data, total)
    return total
