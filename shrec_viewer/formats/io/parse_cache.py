"""Disk cache of parsed files, and arrays that are written to it while a file is parsed."""

import json
import os
import time
import zlib
from contextlib import nullcontext, suppress
from errno import EDQUOT, EFBIG, ENOSPC
from pathlib import Path
from shutil import disk_usage
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.formats.io.files import version_of
from shrec_viewer.formats.io.owned_files import DRAFT_SUFFIX, TEMPORARY_FILES, draft_ending

CACHE_MAGIC = b"SHREC parsed 2\n\0"
CACHE_SUFFIX = ".parsed"

#: Size of the whole cache: six matrices of the largest track (8,987 x 8,987 numbers of 8 bytes).
DEFAULT_MAX_BYTES = 4_000_000_000

#: File in the cache folder with its size limit, shared by windows and the command line.
LIMIT_FILE = "limit"

#: Offset of the array: a multiple of a cache line, as mapped arrays should be aligned.
ARRAY_OFFSET = 64

#: Bytes after the array and its JSON metadata: checksum and length of the metadata, and the magic number.
FOOTER_BYTES = 16 + len(CACHE_MAGIC)

#: Minimum free space in bytes that the cache leaves on the disk.
MIN_FREE_BYTES = 2**29

#: Number and size of the samples of a file that are hashed for its key: 2 MiB in all, read in a millisecond.
#:
#: A whole file is hashed at 1 GB/s.
SAMPLES, SAMPLE_BYTES = 32, 2**16

#: Age in seconds from which an unfinished draft is deleted.
STALE_SECONDS = 3600.0

#: An array and its metadata.
CachedArray = tuple[NDArray[Any], dict[str, Any]]


class ParseCache:
    """A folder of parsed files; a cache that cannot be read or written behaves as an empty one.

    Parameters
    ----------
    folder : created when something is stored.
    max_bytes : size limit, beyond which the least recently used files are deleted; None for the limit that was stored
        by `set_max_bytes`, or `DEFAULT_MAX_BYTES`.
    """

    def __init__(self, folder: Path, max_bytes: int | None = None) -> None:
        self.folder = folder
        self._max_bytes = max_bytes
        #: Why the first file was not cached, for the user; "" if all were. Work continues without the cache.
        self.problem = ""

    @property
    def max_bytes(self) -> int:
        """Size limit in bytes."""
        if self._max_bytes is not None:
            return self._max_bytes
        try:
            return max(0, int((self.folder / LIMIT_FILE).read_text(encoding="ascii")))
        except (OSError, ValueError):
            return DEFAULT_MAX_BYTES

    def set_max_bytes(self, max_bytes: int) -> None:
        """Store a size limit for all programs that use this cache, and delete files beyond it.

        Raises
        ------
        OSError
            When the limit cannot be stored. No other method raises.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        draft = self.folder / f"{LIMIT_FILE}.{os.getpid()}"
        draft.write_text(str(max_bytes), encoding="ascii")
        os.replace(draft, self.folder / LIMIT_FILE)
        self.shrink()

    def key(self, kind: str, path: Path) -> str | None:
        """Cache key of a file from its path, size, times and inode, and from samples of its content.

        Of a file that `FileVersion.is_recent`, from the whole content: a later version may have the same times. None
        for a file that cannot be read, or changes in between.
        """
        version = version_of(path)
        if version is None:
            return None
        from hashlib import blake2b  # here: it loads OpenSSL, and most contests have no large text file

        digest = blake2b(f"{kind} {version} {os.path.abspath(path)} ".encode(errors="surrogateescape"), digest_size=20)
        step = SAMPLE_BYTES if version.is_recent() else max(SAMPLE_BYTES, (version.size - SAMPLE_BYTES) // SAMPLES)
        try:
            with path.open("rb") as stream:
                for offset in range(0, max(1, version.size), step):
                    stream.seek(offset)
                    digest.update(stream.read(SAMPLE_BYTES))
        except (OSError, ValueError):
            return None
        return f"{kind}-{digest.hexdigest()}" if version_of(path) == version else None

    def get(self, key: str | None) -> CachedArray | None:
        """Memory-mapped array and metadata of a key; None when they are missing or damaged."""
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

    def report_failure(self, error: OSError) -> None:
        """Set `problem` at the first failure."""
        reason = f"{self.folder} cannot be written ({(error.strerror or str(error)).lower()})"
        if error.errno in (ENOSPC, EDQUOT, EFBIG):
            reason = f"the disk with {self.folder} is full"
        self.problem = self.problem or f"large files are parsed each time: {reason}"

    def path(self, key: str) -> Path:
        """File of a key."""
        return self.folder / f"{key}{CACHE_SUFFIX}"

    def clear(self) -> None:
        """Delete all files except drafts in progress."""
        self._remove_stale()
        for path, _ in self._entries(CACHE_SUFFIX):
            _remove(path)

    @property
    def size(self) -> int:
        """Size on disk in bytes."""
        return sum(status.st_size for _, status in self._entries(CACHE_SUFFIX, DRAFT_SUFFIX))

    def shrink(self) -> None:
        """Delete unfinished drafts, and the least recently used files beyond the size limit."""
        self._remove_stale()
        entries = sorted(self._entries(CACHE_SUFFIX), key=_last_used, reverse=True)
        total, max_bytes = 0, self.max_bytes
        for path, status in entries:
            total += status.st_size
            if total > max_bytes:
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


def read_cached(path: Path, *, verify: bool = True) -> CachedArray:
    """Array and metadata of a cache file; ValueError, KeyError, TypeError or OSError when it is damaged."""
    size = path.stat().st_size
    with path.open("rb") as stream:
        if stream.read(len(CACHE_MAGIC)) != CACHE_MAGIC or size < ARRAY_OFFSET + FOOTER_BYTES:
            raise ValueError("not a cache file")
        stream.seek(size - FOOTER_BYTES)
        footer = stream.read(FOOTER_BYTES)
        expected, length = (int.from_bytes(footer[at : at + 8], "little") for at in (0, 8))
        if footer[16:] != CACHE_MAGIC or ARRAY_OFFSET + length + FOOTER_BYTES > size:
            raise ValueError("truncated")
        stream.seek(size - FOOTER_BYTES - length)
        text = stream.read(length)
    if zlib.crc32(text) != expected:
        raise ValueError("damaged metadata")
    description = json.loads(text)
    if ARRAY_OFFSET + description["bytes"] + length + FOOTER_BYTES != size:
        raise ValueError("truncated")
    kind = description["dtype"]
    dtype = np.dtype(kind if isinstance(kind, str) else [tuple(entry) for entry in kind])
    kinds = [dtype[name].kind for name in dtype.names or ()] or [dtype.kind]
    if dtype.hasobject or any(kind not in "fiub" for kind in kinds):  # pointers in a file end the process
        raise ValueError("not an array of numbers")
    shape = tuple(description["shape"])
    if not all(type(length) is int and length >= 0 for length in shape):
        raise ValueError("not a shape")
    array = np.memmap(path, dtype, "r", ARRAY_OFFSET, shape) if 0 not in shape else np.zeros(shape, dtype)
    if verify and zlib.crc32(array.reshape(-1).view(np.uint8).data) != description["sum"]:
        raise ValueError("damaged array")
    return array, description["words"]


#: Growth of a full array in memory; `realloc` moves pages of large blocks without copying.
GROWTH_FACTOR = 1.25


class GrowingArray:
    """Array that is appended to, in a file of a parse cache or in memory.

    Used in a ``with`` block, whose end deletes an unfinished file.

    Parameters
    ----------
    dtype : type of the values.
    cache, key : where the values are stored; None for memory.
    """

    def __init__(self, dtype: np.dtype[Any], cache: ParseCache | None = None, key: str | None = None) -> None:
        self._dtype = dtype
        self._cache = cache or ParseCache(Path())
        self._key = key
        self._values = np.zeros(0, dtype)
        self._count = self._sum = 0
        self._stream: BinaryIO | None = None
        if cache is not None and key is not None:
            self._path = cache.folder / f"{key}.{draft_ending()}"
            try:
                cache.folder.mkdir(parents=True, exist_ok=True)
                TEMPORARY_FILES.add(self._path)
                self._stream = self._path.open("x+b")
            except OSError as error:
                cache.report_failure(error)
            else:
                self._write(self._stream, CACHE_MAGIC.ljust(ARRAY_OFFSET, b"\0"))

    def __enter__(self) -> "GrowingArray":
        """Return the array."""
        return self

    def __exit__(self, *_: object) -> None:
        """Delete an unfinished file."""
        self._close()

    def _close(self) -> None:
        if self._stream is not None:
            with suppress(OSError):
                self._stream.close()
            _remove(self._path)
            TEMPORARY_FILES.remove(self._path)
            self._stream = None

    def __len__(self) -> int:
        return self._count

    def append(self, values: NDArray[Any]) -> None:
        """Append (n,) values; continues in memory when the disk is full."""
        end = self._count + len(values)
        if self._stream is not None:
            data = np.ascontiguousarray(values).view(np.uint8).data
            if end * self._dtype.itemsize <= self._cache.max_bytes and self._write(self._stream, data):
                self._sum = zlib.crc32(data, self._sum)
            else:
                self._values = self._read_back(self._stream)
                self._close()
        if self._stream is None:
            if end > len(self._values):
                self._values.resize(max(end, int(GROWTH_FACTOR * len(self._values))), refcheck=False)
            self._values[self._count : end] = values
        self._count = end

    def finish(self, shape: tuple[int, ...], metadata: dict[str, Any], key: str | None) -> NDArray[Any] | None:
        """All values in a shape, memory-mapped if they are in the cache.

        None if another process has cleared the cache in between: the file must then be parsed again without it.

        Parameters
        ----------
        shape : shape whose size is the number of values.
        metadata : stored with the array.
        key : present cache key of the file; if it differs from the first one, the file has changed and is not cached.
        """
        if self._stream is None:
            self._values.resize(self._count, refcheck=False)
            return self._values.reshape(shape)
        if key is not None and key == self._key and self._commit(self._stream, key, shape, metadata):
            try:
                return read_cached(self._cache.path(key), verify=False)[0]
            except (OSError, ValueError):
                return None
        return self._read_back(self._stream).reshape(shape)

    def _write(self, stream: BinaryIO, data: bytes | memoryview) -> bool:
        """Write to the file; False on failure."""
        try:
            if disk_usage(self._cache.folder).free < len(data) + MIN_FREE_BYTES:
                raise OSError(ENOSPC, os.strerror(ENOSPC))
            stream.write(data)
        except OSError as error:
            self._cache.report_failure(error)
            return False
        return True

    def _read_back(self, stream: BinaryIO) -> NDArray[Any]:
        """Everything that was appended, (n,), in memory; also after the file was deleted."""
        with self._path.open("rb") if stream.closed else nullcontext(stream) as file:
            file.seek(ARRAY_OFFSET)
            return np.fromfile(file, self._dtype, self._count)

    def _commit(self, stream: BinaryIO, key: str, shape: tuple[int, ...], metadata: dict[str, Any]) -> bool:
        """Store everything that was appended as one array; False on failure."""
        kind = self._dtype.descr if self._dtype.names else self._dtype.str
        n_bytes = self._count * self._dtype.itemsize
        description = {"dtype": kind, "shape": shape, "bytes": n_bytes, "sum": self._sum, "words": metadata}
        text = json.dumps(description).encode()
        footer = b"".join(number.to_bytes(8, "little") for number in (zlib.crc32(text), len(text))) + CACHE_MAGIC
        if not self._write(stream, text + footer):
            return False
        try:
            stream.flush()
            if os.name == "nt":  # Windows cannot rename an open file
                stream.close()
            os.replace(self._path, self._cache.path(key))
        except OSError as error:
            self._cache.report_failure(error)
            return False
        self._cache.shrink()
        return True
