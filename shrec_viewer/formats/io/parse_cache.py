"""Disk cache of parsed files, and arrays that are written to it while a file is parsed."""

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

CACHE_MAGIC = b"SHREC parsed 2\n\0"
CACHE_SUFFIX = ".parsed"
DRAFT_SUFFIX = ".part"

DEFAULT_MAX_BYTES = 4_000_000_000
"""Size of the whole cache: six matrices of the largest track (8,987 x 8,987 numbers of 8 bytes)."""

LIMIT_FILE = "limit"
"""File with the bytes that the person allows; beside what is kept, so that windows and command line keep to it."""

ARRAY_OFFSET = 64
"""Where the array begins: at a multiple of a cache line, so that it can be mapped and is fast."""

FOOTER_BYTES = 16 + len(CACHE_MAGIC)
"""Bytes behind the description, which stands behind the array: its sum, its length, the magic again."""

MIN_FREE_BYTES = 2**29
"""Bytes of the disk that are left to others: a cache must not be what fills it."""

SAMPLES, SAMPLE_BYTES = 32, 2**16
"""Pieces of a file that stand for its content in the key, beside its size and time: 2 MiB, read in a millisecond."""

STALE_SECONDS = 3600.0
"""Seconds after which a draft that nobody finished is rubbish."""

CHECKSUM_BLOCK_BYTES = 2**24

CachedArray = tuple[NDArray[Any], dict[str, Any]]
"""An array and the words beside it."""

_log = logging.getLogger(__name__)


class ParseCache:
    """A folder of parsed files. Nothing here ever raises: a cache that cannot be used is an empty one.

    Parameters
    ----------
    folder : made when something is kept.
    most_bytes : what was not used for longest goes when the cache is larger than this; None for what the person allows
        (see `limit`), and `DEFAULT_MAX_BYTES` where nothing was said.
    """

    def __init__(self, folder: Path, most_bytes: int | None = None) -> None:
        self.folder = folder
        self._most_bytes = most_bytes
        self._has_logged = False

    @property
    def most_bytes(self) -> int:
        """Bytes that it may take."""
        if self._most_bytes is not None:
            return self._most_bytes
        try:
            return max(0, int((self.folder / LIMIT_FILE).read_text(encoding="ascii")))
        except (OSError, ValueError):
            return DEFAULT_MAX_BYTES

    def limit(self, most_bytes: int) -> None:
        """Let it take so many bytes from now on, in every program that uses it, and let go of what is beyond.

        Raises
        ------
        OSError
            Where that cannot be written down: the one thing here that raises.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        draft = self.folder / f"{LIMIT_FILE}.{os.getpid()}"
        draft.write_text(str(most_bytes), encoding="ascii")
        os.replace(draft, self.folder / LIMIT_FILE)
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

    def get(self, key: str | None) -> CachedArray | None:
        """An array, mapped from the cache, and what else was kept; None where there is nothing, or nothing whole."""
        if key is None:
            return None
        path = self.path(key)
        try:
            found = read_cached(path)
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

    def draft(self, key: str | None) -> "CacheDraft | None":
        """A place for what is parsed piece by piece; None where nothing can be kept."""
        if key is None:
            return None
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            return CacheDraft(self, key)
        except OSError as error:
            self.log_failure(error)
            return None

    def log_failure(self, error: OSError) -> None:
        """Tell the log, once, that work goes on without the cache."""
        if not self._has_logged:
            why = (error.strerror or str(error)).lower()
            _log.warning("%s: %s; large files are parsed each time", self.folder, why)
        self._has_logged = True

    def path(self, key: str) -> Path:
        """Where something is kept."""
        return self.folder / f"{key}{CACHE_SUFFIX}"

    def clear(self) -> None:
        """Forget everything but what somebody is writing just now."""
        self._remove_stale()
        for path, _ in self._entries(CACHE_SUFFIX):
            _remove(path)

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return sum(status.st_size for _, status in self._entries(CACHE_SUFFIX, DRAFT_SUFFIX))

    def shrink(self) -> None:
        """Let go of drafts that nobody finished, and of what was not used for longest."""
        self._remove_stale()
        entries = sorted(self._entries(CACHE_SUFFIX), key=_last_used, reverse=True)
        total, most = 0, self.most_bytes
        for path, status in entries:
            total += status.st_size
            if total > most:
                _remove(path)

    def _remove_stale(self) -> None:
        for path, status in self._entries(DRAFT_SUFFIX):
            if time.time() - status.st_mtime > STALE_SECONDS:
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


class CacheDraft:
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
        self._path = cache.folder / f"{key}.{os.getpid()}-{uuid4().hex[:8]}{DRAFT_SUFFIX}"
        self._stream = self._path.open("x+b")
        self._sum = 0
        self._bytes = 0
        self._write(CACHE_MAGIC.ljust(ARRAY_OFFSET, b"\0"))

    def __enter__(self) -> "CacheDraft":
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
            stream.seek(ARRAY_OFFSET)
            return np.fromfile(stream, dtype, self._bytes // dtype.itemsize)

    def keep(self, dtype: np.dtype[Any], shape: tuple[int, ...], words: dict[str, Any]) -> bool:
        """Put all that was appended, as an array, into the cache; False where that is not possible."""
        kind = dtype.descr if dtype.names else dtype.str
        told = {"dtype": kind, "shape": shape, "bytes": self._bytes, "sum": self._sum, "words": words}
        text = json.dumps(told).encode()
        if not self._write(
            text + b"".join(n.to_bytes(8, "little") for n in (zlib.crc32(text), len(text))) + CACHE_MAGIC
        ):
            return False
        try:
            self._stream.flush()
            if os.name == "nt":  # there, a file that is open cannot be renamed
                self._stream.close()
            os.replace(self._path, self._cache.path(self._key))
        except OSError as error:
            self._cache.log_failure(error)
            return False
        self._cache.shrink()
        return True

    def _write(self, data: bytes | memoryview) -> bool:
        try:
            if disk_usage(self._path.parent).free < len(data) + MIN_FREE_BYTES:
                raise OSError(ENOSPC, os.strerror(ENOSPC))
            self._stream.write(data)
        except OSError as error:
            self._cache.log_failure(error)
            return False
        return True


def read_cached(path: Path, *, is_checked: bool = True) -> CachedArray:
    """Array and words of a file of the cache; ValueError and others where it is not whole."""
    size = path.stat().st_size
    with path.open("rb") as stream:
        if stream.read(len(CACHE_MAGIC)) != CACHE_MAGIC or size < ARRAY_OFFSET + FOOTER_BYTES:
            raise ValueError("is none of ours")
        stream.seek(size - FOOTER_BYTES)
        foot = stream.read(FOOTER_BYTES)
        expected, length = (int.from_bytes(foot[at : at + 8], "little") for at in (0, 8))
        if foot[16:] != CACHE_MAGIC or ARRAY_OFFSET + length + FOOTER_BYTES > size:
            raise ValueError("is cut off")
        stream.seek(size - FOOTER_BYTES - length)
        text = stream.read(length)
    if zlib.crc32(text) != expected:
        raise ValueError("the description is damaged")
    told = json.loads(text)
    if ARRAY_OFFSET + told["bytes"] + length + FOOTER_BYTES != size:
        raise ValueError("is cut off")
    kind = told["dtype"]
    dtype = np.dtype(kind if isinstance(kind, str) else [tuple(entry) for entry in kind])
    shape = tuple(told["shape"])
    array = np.memmap(path, dtype, "r", ARRAY_OFFSET, shape) if 0 not in shape else np.zeros(shape, dtype)
    if is_checked and _checksum(array) != told["sum"]:
        raise ValueError("is damaged")
    return array, told["words"]


def _checksum(array: NDArray[Any]) -> int:
    total = 0
    data = array.reshape(-1).view(np.uint8)
    for place in range(0, len(data), CHECKSUM_BLOCK_BYTES):
        total = zlib.crc32(data[place : place + CHECKSUM_BLOCK_BYTES].data, total)
    return total


GROWTH_FACTOR = 1.25
"""By how much memory grows when it is full; the system moves pages, it copies nothing."""


class GrowingArray:
    """Values in the order in which they come.

    Used in a ``with`` block: what was not finished is forgotten.

    Parameters
    ----------
    dtype : of the values.
    cache, key : where they are kept, and as what; None: in memory.
    """

    def __init__(self, dtype: np.dtype[Any], cache: ParseCache | None = None, key: str | None = None) -> None:
        self._dtype = dtype
        self._cache = cache
        self._key = key
        self._draft = cache.draft(key) if cache is not None else None
        self._values = np.zeros(0, dtype)
        self._count = 0

    def __enter__(self) -> "GrowingArray":
        """Begin."""
        return self

    def __exit__(self, *_: object) -> None:
        """Forget what was not finished."""
        if self._draft is not None:
            self._draft.close()

    def __len__(self) -> int:
        return self._count

    def append(self, values: NDArray[Any]) -> None:
        """Put (n,) values behind the others."""
        if self._draft is not None and not self._draft.append(values):
            self._values = self._draft.written(self._dtype)
            self._draft.close()
            self._draft = None
        if self._draft is None:
            end = self._count + len(values)
            if end > len(self._values):
                self._values.resize(max(end, int(GROWTH_FACTOR * len(self._values))), refcheck=False)
            self._values[self._count : end] = values
        self._count += len(values)

    def finish(self, shape: tuple[int, ...], words: dict[str, Any], key: str | None) -> NDArray[Any] | None:
        """All values in a shape, mapped from the cache where they are kept there.

        None where somebody cleared the cache this very moment: then the file has to be parsed again, without it.

        Parameters
        ----------
        shape : of the array; its size is the number of values.
        words : what is kept beside the array.
        key : as what it would be kept now; if that has changed, the file has, and nothing is kept.
        """
        if self._draft is None:
            self._values.resize(self._count, refcheck=False)
            return self._values.reshape(shape)
        assert self._cache is not None
        if key is not None and key == self._key and self._draft.keep(self._dtype, shape, words):
            try:
                return read_cached(self._cache.path(key), is_checked=False)[0]
            except (OSError, ValueError):
                return None
        return self._draft.written(self._dtype).reshape(shape)
