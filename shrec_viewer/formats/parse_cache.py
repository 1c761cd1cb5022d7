"""Keeps what large text files were parsed into, so that they open at once the next time; losing it costs only time."""

import json
import os
import time
import zlib
from collections.abc import Mapping
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

MAGIC = b"SHREC parsed 1\n\0"
SUFFIX = ".parsed"
DRAFT = ".part"

MOST_BYTES = 4 * 2**30
"""Size of the whole cache: six matrices of the largest track (8,987 x 8,987 numbers of 8 bytes)."""

ALIGNMENT = 64
"""Arrays begin at multiples of a cache line, so that they can be mapped and are fast."""

SAMPLES, SAMPLE_BYTES = 32, 2**16
"""Pieces of a file that stand for its content in the key, beside its size and time: 2 MiB, read in a millisecond."""

STALE = 3600.0
"""Seconds after which a draft that nobody finished is rubbish."""

BLOCK = 2**24

Arrays = Mapping[str, NDArray[Any]]


class ParseCache:
    """A folder of parsed files. Nothing here ever raises: a cache that cannot be used is an empty one.

    Parameters
    ----------
    folder : made when something is kept.
    most_bytes : what was not used for longest goes when the cache is larger than this.
    """

    def __init__(self, folder: Path, most_bytes: int = MOST_BYTES) -> None:
        self.folder = folder
        self.most_bytes = most_bytes

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

    def get(self, key: str | None) -> tuple[Arrays, dict[str, Any]] | None:
        """Arrays, mapped from the cache, and what else was kept; None where there is nothing, or nothing whole."""
        if key is None:
            return None
        path = self.folder / f"{key}{SUFFIX}"
        try:
            found = _read(path)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError):
            _remove(path)
            return None
        with suppress(OSError):
            os.utime(path)
        return found

    def put(self, key: str | None, arrays: Arrays, words: dict[str, Any]) -> bool:
        """Keep arrays and words (anything JSON can hold); False where that is not possible."""
        if key is None or sum(array.nbytes for array in arrays.values()) > self.most_bytes:
            return False
        draft = self.folder / f"{key}.{os.getpid()}{DRAFT}"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            _write(draft, arrays, words)
            os.replace(draft, self.folder / f"{key}{SUFFIX}")
            self._shrink()
        except OSError:
            _remove(draft)
            return False
        return True

    def clear(self) -> None:
        """Forget everything."""
        for path, _ in self._entries(SUFFIX, DRAFT):
            _remove(path)

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return sum(status.st_size for _, status in self._entries(SUFFIX, DRAFT))

    def _shrink(self) -> None:
        for path, status in self._entries(DRAFT):
            if time.time() - status.st_mtime > STALE:
                _remove(path)
        entries = sorted(self._entries(SUFFIX), key=_last_used, reverse=True)
        total = 0
        for path, status in entries:
            total += status.st_size
            if total > self.most_bytes:
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


def _write(path: Path, arrays: Arrays, words: dict[str, Any]) -> None:
    """Magic, length of the description, description, arrays; the description says how long all is, and its sum."""
    contiguous = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    described, at, total = [], 0, 0
    for name, array in contiguous.items():
        described.append({"name": name, "dtype": array.dtype.str, "shape": array.shape, "at": at})
        at += -(-array.nbytes // ALIGNMENT) * ALIGNMENT
        total = _sum(array, total)
    text = json.dumps({"arrays": described, "bytes": at, "sum": total, "words": words}).encode()
    head = MAGIC + len(text).to_bytes(8, "little") + zlib.crc32(text).to_bytes(8, "little") + text
    with path.open("wb") as stream:
        stream.write(head + bytes(-len(head) % ALIGNMENT))
        for array in contiguous.values():
            array.tofile(stream)
            stream.write(bytes(-array.nbytes % ALIGNMENT))


def _read(path: Path) -> tuple[Arrays, dict[str, Any]]:
    with path.open("rb") as stream:
        head = stream.read(len(MAGIC) + 16)
        length = int.from_bytes(head[-16:-8], "little")
        if not head.startswith(MAGIC) or length > path.stat().st_size:
            raise ValueError("is none of ours")
        text = stream.read(length)
    if zlib.crc32(text) != int.from_bytes(head[-8:], "little"):
        raise ValueError("the description is damaged")
    told = json.loads(text)
    start = -(-(len(head) + length) // ALIGNMENT) * ALIGNMENT
    if path.stat().st_size != start + told["bytes"]:
        raise ValueError("is cut off")
    arrays: dict[str, NDArray[Any]] = {}
    total = 0
    for entry in told["arrays"]:
        shape = tuple(entry["shape"])
        empty = 0 in shape
        dtype = np.dtype(entry["dtype"])
        array = np.zeros(shape, dtype) if empty else np.memmap(path, dtype, "r", start + entry["at"], shape)
        arrays[entry["name"]] = array
        total = _sum(array, total)
    if total != told["sum"]:
        raise ValueError("is damaged")
    return arrays, told["words"]


def _sum(array: NDArray[Any], total: int) -> int:
    data = array.reshape(-1).view(np.uint8)
    for place in range(0, len(data), BLOCK):
        total = zlib.crc32(data[place : place + BLOCK].data, total)
    return total
