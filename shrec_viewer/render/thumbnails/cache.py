"""Thumbnail cache in SQLite and its content-based keys."""

import errno
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from hashlib import blake2b
from os.path import abspath
from pathlib import Path
from stat import S_ISREG
from typing import Any

from shrec_viewer.render.renderer import RENDERER_VERSION
from shrec_viewer.render.thumbnails.thumbnail import ThumbnailRequest

#: Default limit: about 100,000 thumbnails of 256 pixels, or two of the largest contests.
CACHE_BYTES = 500_000_000

_DATABASE_FILE = "thumbnails.sqlite"
#: File with the limit in bytes set by the user, read by all windows and the command line.
_LIMIT_FILE = "limit"

#: Version of the tables; a file of another version is deleted.
_SCHEMA_VERSION = 3

#: Seconds to wait for another process that is writing; then the thumbnail is not cached.
_LOCK_TIMEOUT = 2.0

#: Resolution of the time of last use in seconds; a finer one would write at every access.
_SECONDS_PER_HOUR = 3600

#: Digests unused for this many hours longer than the oldest thumbnail are deleted; computing one again is cheap.
_DIGEST_HOURS = 24 * 90

#: Raised for a damaged file; sqlite3 (Python 3.11) raises UnicodeDecodeError if the error message is not UTF-8.
_DAMAGED_TEXT = "a text is not UTF-8"

#: Keys in one query; SQLite before 3.32 accepts 999 parameters.
_KEYS_PER_QUERY = 500


def cache_folder() -> Path:
    """Folder of the cache on this system, shared by window and command line."""
    from platformdirs import user_cache_path

    return user_cache_path("shrec-viewer", appauthor=False) / "thumbnails"


def read_limit(folder: Path) -> int:
    """Limit in bytes of the cache in a folder; `CACHE_BYTES` by default."""
    try:
        return max(0, int((folder / _LIMIT_FILE).read_text(encoding="ascii")))
    except (OSError, ValueError):
        return CACHE_BYTES


def write_limit(folder: Path, limit: int) -> None:
    """Set the limit in bytes of the cache in a folder; applies to all programs with the next thumbnail.

    Raises
    ------
    OSError
        If it cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    draft = folder / f"{_LIMIT_FILE}.{os.getpid()}"
    draft.write_text(str(limit), encoding="ascii")
    # Atomic, as other windows read the file at any time; the process id keeps two writers apart.
    os.replace(draft, folder / _LIMIT_FILE)


class ThumbnailCache:
    """SQLite file of WebP images by key, limited in size, shared by all windows on this machine.

    Never raises: with a read-only folder, a full disk or a locked file, thumbnails are not cached. A damaged file is
    replaced by an empty one. Not thread-safe.

    Parameters
    ----------
    folder : created if missing; None disables the cache.
    limit : bytes on disk, beyond which the least recently used tenth is deleted; None for `read_limit`.
    """

    def __init__(self, folder: Path | None, limit: int | None = None) -> None:
        self._path = None if folder is None else Path(folder) / _DATABASE_FILE
        self._limit = limit
        #: Why new thumbnails are not cached, for the user; "" if they are.
        self.problem = ""
        self._connection: sqlite3.Connection | None = None
        self._open()

    @property
    def is_persistent(self) -> bool:
        """Whether thumbnails are stored on disk."""
        return self._connection is not None

    def find(self, keys: Iterable[bytes]) -> set[bytes]:
        """The keys that are in the cache; images are not read."""
        found = set[bytes]()
        for rows in self._selected("SELECT key, used FROM thumbnails WHERE key", keys):
            found.update(key for key, _ in rows if isinstance(key, bytes))
            self._mark_used(rows)
        return found

    def get_many(self, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """WebP bytes by key; missing keys are omitted."""
        found: dict[bytes, bytes] = {}
        for rows in self._selected("SELECT key, used, webp FROM thumbnails WHERE key", keys):
            found |= {key: webp for key, _, webp in rows if isinstance(key, bytes) and isinstance(webp, bytes)}
            self._mark_used(rows)
        return found

    def _selected(self, query: str, keys: Iterable[bytes]) -> Iterator[list[tuple[Any, ...]]]:
        """Rows of a query without its last operator, ``IN``, in batches of `_KEYS_PER_QUERY` keys."""
        every = list(keys)
        for start in range(0, len(every), _KEYS_PER_QUERY):
            part = every[start : start + _KEYS_PER_QUERY]
            yield self._run(f"{query} IN ({','.join('?' * len(part))})", part)

    def _mark_used(self, rows: Sequence[tuple[Any, ...]]) -> None:
        """Store the present hour for rows that begin with a key and another hour.

        Otherwise each reading would also write: scrolling through a contest would update thousands of rows.
        """
        hour = _current_hour()
        outdated = [(hour, key) for key, used, *_ in rows if used != hour]
        self._write("UPDATE thumbnails SET used = ? WHERE key = ?", outdated)

    def notes(self, keys: Iterable[bytes]) -> dict[bytes, tuple[str, ...]]:
        """Notes about reading the files, by key; thumbnails without notes are omitted."""
        found: dict[bytes, tuple[str, ...]] = {}
        for rows in self._selected("SELECT key, notes FROM thumbnails WHERE notes != '' AND key", keys):
            found |= {key: tuple(str(notes).split("\n")) for key, notes in rows if isinstance(key, bytes)}
        return found

    def put(self, thumbnails: Mapping[bytes, bytes], notes: Mapping[bytes, tuple[str, ...]] | None = None) -> None:
        """Store WebP bytes and notes by key, in one transaction."""
        all_notes = notes or {}
        rows = [
            (key, webp, _current_hour(), "\n".join(all_notes.get(key, ()))) for key, webp in thumbnails.items() if webp
        ]
        self._write("INSERT OR REPLACE INTO thumbnails (key, webp, used, notes) VALUES (?, ?, ?, ?)", rows)
        if rows:
            self._shrink()

    def digests(self, stamps: Iterable[bytes]) -> dict[bytes, bytes]:
        """Digests of files by their stamp (`file_stamp`); unknown ones are omitted."""
        found: dict[bytes, bytes] = {}
        for rows in self._selected("SELECT place, content FROM contents WHERE place", stamps):
            found |= {stamp: digest for stamp, digest in rows if isinstance(stamp, bytes) and isinstance(digest, bytes)}
        return found

    def put_digests(self, digests: Mapping[bytes, bytes]) -> None:
        """Store digests of files by their stamp, so that the files need not be read again."""
        rows = [(stamp, digest, _current_hour()) for stamp, digest in digests.items()]
        self._write("INSERT OR REPLACE INTO contents (place, content, used) VALUES (?, ?, ?)", rows)

    def add_all(self, other: "ThumbnailCache") -> None:
        """Store all thumbnails and digests of another cache, such as that of a task of a cluster."""
        rows = other._run("SELECT key, webp, notes FROM thumbnails")
        notes = {key: tuple(text.split("\n")) for key, _, text in rows if text}
        self.put({key: webp for key, webp, _ in rows}, notes)
        self.put_digests(dict(other._run("SELECT place, content FROM contents")))

    def clear(self) -> None:
        """Delete all thumbnails and free the disk space."""
        # `executemany` needs a parameter; -1 is below every hour.
        self._write("DELETE FROM thumbnails WHERE used > ?", [(-1,)])
        self._write("DELETE FROM contents WHERE used > ?", [(-1,)])
        self._reclaim_space()

    def close(self) -> None:
        """Close the file; later calls find and store nothing."""
        connection, self._connection, self._path = self._connection, None, None
        if connection is not None:
            with suppress(sqlite3.Error):
                connection.close()

    def size(self) -> int:
        """Bytes used on disk; 0 without a file."""
        numbers = [self._run(f"PRAGMA {name}") for name in ("page_count", "freelist_count", "page_size")]
        if not all(numbers):
            return 0
        pages, free, page = (int(rows[0][0]) for rows in numbers)
        # Without free pages: deleted rows leave the file as large as it was until VACUUM.
        return (pages - free) * page

    def shrink(self) -> None:
        """Delete thumbnails beyond the limit and free the disk space; takes a second for a large cache."""
        self._shrink()
        self._reclaim_space()

    def _reclaim_space(self) -> None:
        self._run("VACUUM")
        self._run("PRAGMA wal_checkpoint(TRUNCATE)")

    def _shrink(self) -> None:
        if self._path is None:
            return
        limit = read_limit(self._path.parent) if self._limit is None else self._limit
        for _ in range(20):  # a tenth each time; 20 times leave an eighth
            if self.size() <= limit:
                return
            rows = self._run("SELECT COUNT(*) FROM thumbnails")
            count = max(1, int(rows[0][0]) // 10) if rows else 1
            oldest = "SELECT key FROM thumbnails ORDER BY used, rowid LIMIT ?"
            self._write(f"DELETE FROM thumbnails WHERE key IN ({oldest})", [(count,)])
            self._write("DELETE FROM contents WHERE used < (SELECT MIN(used) FROM thumbnails) - ?", [(_DIGEST_HOURS,)])

    # ── SQLite ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def _run(self, statement: str, values: Iterable[object] = ()) -> list[tuple]:  # type: ignore[type-arg]
        if self._connection is None:
            return []
        try:
            return self._connection.execute(statement, tuple(values)).fetchall()
        except sqlite3.Error as error:
            self._handle_database_error(error)
        except UnicodeDecodeError:
            self._handle_database_error(sqlite3.DatabaseError(_DAMAGED_TEXT))
        return []

    def _write(self, statement: str, rows: list[tuple]) -> None:  # type: ignore[type-arg]
        if self._connection is None or not rows:
            return
        try:
            # One transaction for all rows: a commit for each takes longer than writing it.
            with self._connection:  # commits, or rolls back
                self._connection.executemany(statement, rows)
            self.problem = ""
        except sqlite3.Error as error:
            self._handle_database_error(error)
        except UnicodeDecodeError:
            self._handle_database_error(sqlite3.DatabaseError(_DAMAGED_TEXT))

    def _handle_database_error(self, error: sqlite3.Error) -> None:
        """Report an error; replace the file if it is damaged."""
        self._report_problem(error)
        damaged = isinstance(error, sqlite3.DatabaseError) and not isinstance(
            error, sqlite3.OperationalError | sqlite3.ProgrammingError | sqlite3.IntegrityError
        )
        missing = isinstance(error, sqlite3.OperationalError) and "no such table" in str(error)
        # OperationalError is a subclass of DatabaseError but means a full disk or a lock, not a damaged file.
        if (damaged or missing) and self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None
            self._discard()
            self._open(retry=False)

    def _open(self, retry: bool = True) -> None:
        if self._path is None:
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = _connect_with_retry(self._path)
        except sqlite3.OperationalError as error:  # read-only, locked for too long, or disk full
            self._report_problem(error)
            self._connection = _connect_read_only(self._path)
        except sqlite3.DatabaseError:  # not a database, or of another version
            self._discard()
            if retry:
                self._open(retry=False)
        except OSError as error:
            self._report_problem(error)

    def _report_problem(self, error: Exception) -> None:
        """Set `problem` from an error."""
        assert self._path is not None
        text = str(getattr(error, "strerror", None) or error).lower()  # without the path, which may contain "full"
        if "full" in text or getattr(error, "errno", None) == errno.ENOSPC:
            reason = f"the disk with {self._path.parent} is full"
        elif "locked" in text or "busy" in text:
            reason = f"{self._path} is locked by another program"
        else:
            reason = f"{self._path.parent} cannot be written ({getattr(error, 'strerror', None) or error})"
        self.problem = f"new thumbnails are not cached: {reason}"

    def _discard(self) -> None:
        for suffix in ("", "-wal", "-shm"):
            with suppress(OSError):
                Path(f"{self._path}{suffix}").unlink(missing_ok=True)


def _current_hour() -> int:
    return int(time.time()) // _SECONDS_PER_HOUR


def _connect_read_only(path: Path) -> sqlite3.Connection | None:
    """Open a file that can be read but not written, such as one of another user; None without one."""
    if not path.is_file() or (os.access(path.parent, os.W_OK) and os.access(path, os.W_OK)):
        return None
    connection = None
    try:
        connection = sqlite3.connect(
            # immutable: SQLite opens no -wal and -shm files, which a read-only folder would refuse.
            f"{path.absolute().as_uri()}?mode=ro&immutable=1",
            uri=True,
            check_same_thread=False,
        )
        connection.execute("SELECT key, webp, used, notes FROM thumbnails LIMIT 1").fetchall()
    except sqlite3.Error:
        if connection is not None:
            connection.close()
        return None
    return connection


def _connect_with_retry(path: Path) -> sqlite3.Connection:
    """Connect, with retries while another process creates the file.

    SQLite does not wait for a lock when the journal mode is changed to WAL.
    """
    end = time.monotonic() + _LOCK_TIMEOUT
    while True:
        try:
            return _connect(path)
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > end:
                raise
            # The other process needs some milliseconds; SQLite's own busy time-out does not apply here.
            time.sleep(0.02)


def _connect(path: Path) -> sqlite3.Connection:
    # opened by the main thread, used by the thumbnail thread, never by both at the same time
    connection = sqlite3.connect(path, timeout=_LOCK_TIMEOUT, check_same_thread=False)
    try:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version not in (0, _SCHEMA_VERSION):
            raise sqlite3.DatabaseError(f"schema version {version}")
        connection.execute("PRAGMA journal_mode = WAL")  # readers and one writer at the same time
        connection.execute("PRAGMA synchronous = OFF")  # a power failure may damage the file, which is then replaced
        connection.execute(
            "PRAGMA cache_size = -256"
        )  # kilobytes; the operating system caches the file for all processes
        with connection:
            connection.execute(
                "CREATE TABLE IF NOT EXISTS thumbnails"
                " (key BLOB PRIMARY KEY, webp BLOB NOT NULL, used INTEGER NOT NULL, notes TEXT NOT NULL)"
            )
            connection.execute("CREATE INDEX IF NOT EXISTS by_use ON thumbnails (used)")
            # `place` holds the stamp of a file, `content` its digest; renaming them would discard existing caches.
            connection.execute(
                "CREATE TABLE IF NOT EXISTS contents"
                " (place BLOB PRIMARY KEY, content BLOB NOT NULL, used INTEGER NOT NULL) WITHOUT ROWID"
            )
            connection.execute(f"PRAGMA user_version = {_SCHEMA_VERSION}")
        connection.execute("SELECT key, webp, used, notes FROM thumbnails LIMIT 1").fetchall()
        connection.execute("SELECT place, content, used FROM contents LIMIT 1").fetchall()
    except sqlite3.Error:
        connection.close()
        raise
    except UnicodeDecodeError as error:
        connection.close()
        raise sqlite3.DatabaseError(_DAMAGED_TEXT) from error
    return connection


#: Bytes of a key; the probability of a collision among 10**9 thumbnails is 10**-20.
_DIGEST_BYTES = 16

#: Number of bytes read at a time.
_CHUNK = 1 << 20

#: Bytes of a PLY file that are searched for the name of a texture.
_PLY_HEADER_BYTES = 4096

#: Formats with further files (materials, textures), so that equal content in another folder may look different.
_MULTI_FILE_FORMATS = frozenset({".obj", ".gltf", ".dae"})


def file_stamp(path: Path) -> bytes | None:
    """Digest of path, size, times and inode of a file, without reading it; equal stamps mean equal content.

    Inode and time of the last status change differ if a file of the same size and modification time replaces it. For
    an OBJ file, includes the modification time of its MTL file; changes of textures are not detected. None for
    missing files, and for pipes and devices, which could be read without end.
    """
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    if not S_ISREG(status.st_mode):
        return None
    parts: tuple[object, ...] = (abspath(path), status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
    if path.suffix.lower() == ".obj":
        parts = (*parts, _modified_ns(path.with_suffix(".mtl")))
    return _digest(repr(parts).encode())


def _modified_ns(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except (OSError, ValueError):
        return 0


def content_digest(path: Path, stamp: bytes) -> bytes | None:
    """Digest of the content of a file; None if it cannot be read. Equal for a copy in another folder.

    Parameters
    ----------
    stamp : see `file_stamp`; included for formats that depend on files next to them.
    """
    # A cryptographic hash, as equal digests are taken for equal files; from the standard library.
    digest = blake2b(digest_size=_DIGEST_BYTES)
    if path.suffix.lower() in _MULTI_FILE_FORMATS:
        digest.update(stamp)
    try:
        with path.open("rb") as file:
            chunk = file.read(_CHUNK)
            # A PLY names its texture in a comment of the header, which only some programs write.
            if path.suffix.lower() == ".ply" and b"texturefile" in chunk[:_PLY_HEADER_BYTES].lower():
                digest.update(stamp)
            while chunk:
                digest.update(chunk)
                chunk = file.read(_CHUNK)
    except OSError:
        return None
    return digest.digest()


def thumbnail_key(request: ThumbnailRequest, digest: bytes) -> bytes:
    """Cache key of a request for a file with this digest."""
    suffix = request.path.suffix.lower()  # the format depends on the suffix
    parts: tuple[object, ...] = (digest, suffix, RENDERER_VERSION, request.size, request.camera, request.style)
    if request.quantity is not None:
        files = (*request.quantity.files.values(), request.quantity.reference)
        parts = (*parts, replace(request.quantity, files={}), *(file and file_stamp(file) for file in files))
    return _digest(repr(parts).encode())


def known_thumbnail_keys(requests: Iterable[ThumbnailRequest], cache: ThumbnailCache) -> dict[ThumbnailRequest, bytes]:
    """Cache keys of the requests for files whose digests are in the cache; no file is read."""
    stamps = {request: file_stamp(request.path) for request in requests}
    digests = cache.digests({stamp for stamp in stamps.values() if stamp is not None})
    found = ((request, digests.get(stamp)) for request, stamp in stamps.items() if stamp is not None)
    return {request: thumbnail_key(request, digest) for request, digest in found if digest is not None}


def thumbnail_keys(batch: Iterable[ThumbnailRequest], cache: ThumbnailCache) -> dict[ThumbnailRequest, bytes | None]:
    """Cache keys of requests, None for files that cannot be read; uses the digests in the cache."""
    requests = list(batch)
    digests = file_digests({request.path for request in requests}, cache)
    known = {path: digest for path, digest in digests.items() if digest is not None}
    return {one: thumbnail_key(one, known[one.path]) if one.path in known else None for one in requests}


def file_digests(paths: Iterable[Path], cache: ThumbnailCache) -> dict[Path, bytes | None]:
    """Digests of the contents of files, None for those that cannot be read; only files not in the cache are read."""
    stamps = {path: file_stamp(path) for path in paths}
    digests = cache.digests({stamp for stamp in stamps.values() if stamp is not None})
    new: dict[bytes, bytes] = {}
    found: dict[Path, bytes | None] = {}
    for path, stamp in stamps.items():
        digest = None if stamp is None else digests.get(stamp) or new.get(stamp)
        if digest is None and stamp is not None:
            digest = content_digest(path, stamp)
            if digest is not None:
                new[stamp] = digest
        found[path] = digest
    cache.put_digests(new)
    return found


def _digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=_DIGEST_BYTES).digest()
