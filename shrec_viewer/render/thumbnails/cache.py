"""Thumbnail cache in SQLite and its content-based keys."""

import errno
import os
import sqlite3
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from hashlib import blake2b
from os.path import abspath
from pathlib import Path
from stat import S_ISREG

from shrec_viewer.render.renderer import RENDERER_VERSION
from shrec_viewer.render.thumbnails.thumbnail import ThumbnailRequest

CACHE_BYTES = 500_000_000
"""Room for about 100,000 pictures of 256 pixels: two of the largest contests."""

_DATABASE_FILE = "thumbnails.sqlite"
_LIMIT_FILE = "limit"
"""File beside it with the bytes that the person allows, so that every window and the command line keep to it."""

_SCHEMA_VERSION = 3
"""Of the tables; a file of another layout is thrown away."""

_LOCK_TIMEOUT = 2.0
"""Seconds to wait for another process that is writing; then this picture is not kept."""

_SECONDS_PER_HOUR = 3600
"""Seconds; how exactly the last use is known. Finer would write at every look."""

_DIGEST_HOURS = 24 * 90
"""Hours for which the digest of a file is remembered beyond its picture; reading it retry costs little."""

_KEYS_PER_QUERY = 500
"""Keys in one query; SQLite before 3.32 takes 999 parameters."""


def cache_folder() -> Path:
    """Where this system keeps what programs can make retry, for window and command line alike."""
    from platformdirs import user_cache_path

    return user_cache_path("shrec-viewer", appauthor=False) / "thumbnails"


def read_limit(folder: Path) -> int:
    """Bytes that the cache in a folder may take; `CACHE_BYTES` where nobody has said anything."""
    try:
        return max(0, int((folder / _LIMIT_FILE).read_text(encoding="ascii")))
    except (OSError, ValueError):
        return CACHE_BYTES


def write_limit(folder: Path, limit: int) -> None:
    """Let the cache in a folder take so many bytes from the next picture on, in every program that uses it.

    Raises
    ------
    OSError
        Where it cannot be written down.
    """
    folder.mkdir(parents=True, exist_ok=True)
    draft = folder / f"{_LIMIT_FILE}.{os.getpid()}"
    draft.write_text(str(limit), encoding="ascii")
    os.replace(draft, folder / _LIMIT_FILE)


class ThumbnailCache:
    """A bounded store of WebP files by key, shared by every window on this machine.

    Best effort: with a read-only folder, a full disk or a file that other hands hold it forgets, and never raises. A
    damaged file is replaced by an empty one. One thread at a time may use an object.

    Parameters
    ----------
    folder : made if absent; None keeps nothing.
    limit : bytes that pictures may take on disk; beyond, the least recently used tenth is deleted. None for
        what the person allows; see `read_limit`.
    """

    def __init__(self, folder: Path | None, limit: int | None = None) -> None:
        self._path = None if folder is None else Path(folder) / _DATABASE_FILE
        self._limit = limit
        self.problem = ""
        """Why new pictures are not kept, a sentence for the person; "" while they are."""
        self._connection: sqlite3.Connection | None = None
        self._open()

    @property
    def is_persistent(self) -> bool:
        """Whether pictures outlive this object."""
        return self._connection is not None

    def get_many(self, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """WebP bytes of those keys that are here; the others are left out."""
        all_keys, found = list(keys), {}
        for start in range(0, len(all_keys), _KEYS_PER_QUERY):
            part = all_keys[start : start + _KEYS_PER_QUERY]
            marks = ",".join("?" * len(part))
            rows = self._run(f"SELECT key, webp, used FROM thumbnails WHERE key IN ({marks})", part)
            found.update({bytes(key): bytes(webp) for key, webp, _ in rows})
            stale = [(_current_hour(), key) for key, _, used in rows if used != _current_hour()]
            self._write("UPDATE thumbnails SET used = ? WHERE key = ?", stale)
        return found

    def notes(self, keys: Iterable[bytes]) -> dict[bytes, tuple[str, ...]]:
        """What was noticed while those pictures were drawn; the many without a note are left out."""
        all_keys, found = list(keys), {}
        for start in range(0, len(all_keys), _KEYS_PER_QUERY):
            part = all_keys[start : start + _KEYS_PER_QUERY]
            marks = ",".join("?" * len(part))
            rows = self._run(f"SELECT key, notes FROM thumbnails WHERE notes != '' AND key IN ({marks})", part)
            found.update({bytes(key): tuple(notes.split("\n")) for key, notes in rows})
        return found

    def put(self, thumbnails: Mapping[bytes, bytes], notes: Mapping[bytes, tuple[str, ...]] | None = None) -> None:
        """Keep WebP bytes under their keys, in one transaction, and what was noticed while they were drawn."""
        all_notes = notes or {}
        rows = [
            (key, webp, _current_hour(), "\n".join(all_notes.get(key, ()))) for key, webp in thumbnails.items() if webp
        ]
        self._write("INSERT OR REPLACE INTO thumbnails (key, webp, used, notes) VALUES (?, ?, ?, ?)", rows)
        if rows:
            self._shrink()

    def digests(self, stamps: Iterable[bytes]) -> dict[bytes, bytes]:
        """Digests of the files at those places that are known (see `identity`); the others are left out."""
        all_keys, found = list(stamps), {}
        for start in range(0, len(all_keys), _KEYS_PER_QUERY):
            part = all_keys[start : start + _KEYS_PER_QUERY]
            marks = ",".join("?" * len(part))
            rows = self._run(f"SELECT place, content FROM contents WHERE place IN ({marks})", part)
            found.update({bytes(stamp): bytes(digest) for stamp, digest in rows})
        return found

    def put_digests(self, digests: Mapping[bytes, bytes]) -> None:
        """Remember the digests of files by their place, so that they need not be read retry."""
        rows = [(stamp, digest, _current_hour()) for stamp, digest in digests.items()]
        self._write("INSERT OR REPLACE INTO contents (place, content, used) VALUES (?, ?, ?)", rows)

    def clear(self) -> None:
        """Forget every picture and give the room back."""
        self._write("DELETE FROM thumbnails WHERE used > ?", [(-1,)])
        self._write("DELETE FROM contents WHERE used > ?", [(-1,)])
        self._reclaim_space()

    def close(self) -> None:
        """Let the file go; later calls find nothing and keep nothing."""
        connection, self._connection, self._path = self._connection, None, None
        if connection is not None:
            with suppress(sqlite3.Error):
                connection.close()

    def size(self) -> int:
        """Bytes that the pictures take on disk; 0 where nothing is kept."""
        numbers = [self._run(f"PRAGMA {name}") for name in ("page_count", "freelist_count", "page_size")]
        if not all(numbers):
            return 0
        pages, free, page = (int(rows[0][0]) for rows in numbers)
        return (pages - free) * page

    def shrink(self) -> None:
        """Let go of what is beyond the limit and give its room back to the disk; takes a second for a large cache."""
        self._shrink()
        self._reclaim_space()

    def _reclaim_space(self) -> None:
        self._run("VACUUM")
        self._run("PRAGMA wal_checkpoint(TRUNCATE)")

    def _shrink(self) -> None:
        if self._path is None:
            return
        limit = read_limit(self._path.parent) if self._limit is None else self._limit
        for _ in range(20):  # a tenth each time; 20 times is a twelfth of what there was
            if self.size() <= limit:
                return
            rows = self._run("SELECT COUNT(*) FROM thumbnails")
            count = max(1, int(rows[0][0]) // 10) if rows else 1
            oldest = "SELECT key FROM thumbnails ORDER BY used, rowid LIMIT ?"
            self._write(f"DELETE FROM thumbnails WHERE key IN ({oldest})", [(count,)])
            self._write("DELETE FROM contents WHERE used < (SELECT MIN(used) FROM thumbnails) - ?", [(_DIGEST_HOURS,)])

    # ── every statement passes here ──────────────────────────────────────────────────────────────────────────────────

    def _run(self, statement: str, values: Iterable[object] = ()) -> list[tuple]:  # type: ignore[type-arg]
        if self._connection is None:
            return []
        try:
            return self._connection.execute(statement, tuple(values)).fetchall()
        except sqlite3.Error as error:
            self._handle_database_error(error)
            return []

    def _write(self, statement: str, rows: list[tuple]) -> None:  # type: ignore[type-arg]
        if self._connection is None or not rows:
            return
        try:
            with self._connection:  # commits, or takes everything back
                self._connection.executemany(statement, rows)
            self.problem = ""
        except sqlite3.Error as error:
            self._handle_database_error(error)

    def _handle_database_error(self, error: sqlite3.Error) -> None:
        """A locked or full disk passes; a damaged file is replaced."""
        self._report_problem(error)
        damaged = isinstance(error, sqlite3.DatabaseError) and not isinstance(
            error, sqlite3.OperationalError | sqlite3.ProgrammingError | sqlite3.IntegrityError
        )
        missing = isinstance(error, sqlite3.OperationalError) and "no such table" in str(error)
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
        except sqlite3.OperationalError as error:  # read-only, locked for long, no room
            self._report_problem(error)
            self._connection = _connect_read_only(self._path)
        except sqlite3.DatabaseError:  # not a database, or not ours
            self._discard()
            if retry:
                self._open(retry=False)
        except OSError as error:
            self._report_problem(error)

    def _report_problem(self, error: Exception) -> None:
        """Say why pictures are not kept, and where."""
        assert self._path is not None
        text = str(error).lower()
        if "full" in text or getattr(error, "errno", None) == errno.ENOSPC:
            why = f"the disk with {self._path.parent} is full"
        elif "locked" in text or "busy" in text:
            why = f"another program holds {self._path}"
        else:
            why = f"{self._path.parent} cannot be written ({getattr(error, 'strerror', None) or error})"
        self.problem = f"new pictures are not kept for the next time: {why}"

    def _discard(self) -> None:
        for suffix in ("", "-wal", "-shm"):
            with suppress(OSError):
                Path(f"{self._path}{suffix}").unlink(missing_ok=True)


def _current_hour() -> int:
    return int(time.time()) // _SECONDS_PER_HOUR


def _connect_read_only(path: Path) -> sqlite3.Connection | None:
    """A store that may be read but not written, as in a folder of somebody else; None where there is none."""
    if not path.is_file() or (os.access(path.parent, os.W_OK) and os.access(path, os.W_OK)):
        return None
    try:
        connection = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False
        )
        connection.execute("SELECT key, webp, used, notes FROM thumbnails LIMIT 1").fetchall()
    except sqlite3.Error:
        return None
    return connection


def _connect_with_retry(path: Path) -> sqlite3.Connection:
    """Connected as soon as nobody is in the way.

    Two programs that make the file at once meet, and SQLite does not wait when one of them turns on its log.
    """
    end = time.monotonic() + _LOCK_TIMEOUT
    while True:
        try:
            return _connect(path)
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > end:
                raise
            time.sleep(0.02)


def _connect(path: Path) -> sqlite3.Connection:
    # The reader thread uses what the main thread opened; they never use it at the same time.
    connection = sqlite3.connect(path, timeout=_LOCK_TIMEOUT, check_same_thread=False)
    try:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version not in (0, _SCHEMA_VERSION):
            raise sqlite3.DatabaseError(f"schema version {version}")
        connection.execute("PRAGMA journal_mode = WAL")  # readers and one writer at the same time
        connection.execute("PRAGMA synchronous = OFF")  # a power cut may cost the cache, which is a cache
        connection.execute("PRAGMA cache_size = -256")  # kilobytes: the system keeps what is read often, once for all
        with connection:
            connection.execute(
                "CREATE TABLE IF NOT EXISTS thumbnails"
                " (key BLOB PRIMARY KEY, webp BLOB NOT NULL, used INTEGER NOT NULL, notes TEXT NOT NULL)"
            )
            connection.execute("CREATE INDEX IF NOT EXISTS by_use ON thumbnails (used)")
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
    return connection


_DIGEST_BYTES = 16
"""Bytes of a key; among 10**9 pictures two share one by chance once in 10**20 collections."""

_CHUNK = 1 << 20
"""Bytes read at once."""

_PLY_HEADER_BYTES = 4096
"""Bytes in which a PLY file names its texture, if it has one."""

_MULTI_FILE_FORMATS = frozenset({".obj", ".gltf", ".dae"})
"""Formats whose look also depends on files beside them, so that the same content elsewhere may look different."""


def file_stamp(path: Path) -> bytes | None:
    """Digest of where a file is, how long and how old: as long as that is the same, so is its content.

    Of an OBJ file also how old the materials of the same name are; pictures that change alone are not noticed. None
    while the file cannot be seen, and for what is no file: reading a pipe would never end. Costs no reading.
    """
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    if not S_ISREG(status.st_mode):
        return None
    parts: tuple[object, ...] = (abspath(path), status.st_size, status.st_mtime_ns)
    if path.suffix.lower() == ".obj":
        parts = (*parts, _modified_ns(path.with_suffix(".mtl")))
    return _digest(repr(parts).encode())


def _modified_ns(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except (OSError, ValueError):
        return 0


def content_digest(path: Path, stamp: bytes) -> bytes | None:
    """Digest of what stands in a file; None where it cannot be read. A copy elsewhere has the same.

    Parameters
    ----------
    stamp : see `file_stamp`; tells apart files whose look depends on their neighbours.
    """
    digest = blake2b(digest_size=_DIGEST_BYTES)
    if path.suffix.lower() in _MULTI_FILE_FORMATS:
        digest.update(stamp)
    try:
        with path.open("rb") as file:
            chunk = file.read(_CHUNK)
            if path.suffix.lower() == ".ply" and b"texturefile" in chunk[:_PLY_HEADER_BYTES].lower():
                digest.update(stamp)
            while chunk:
                digest.update(chunk)
                chunk = file.read(_CHUNK)
    except OSError:
        return None
    return digest.digest()


def thumbnail_key(request: ThumbnailRequest, digest: bytes) -> bytes:
    """Key of the picture that a request asks for of a file with this content."""
    suffix = request.path.suffix.lower()  # the same bytes are another mesh under another name
    parts = (digest, suffix, RENDERER_VERSION, request.size, request.camera, request.style)
    return _digest(repr(parts).encode())


def thumbnail_keys(batch: Iterable[ThumbnailRequest], cache: ThumbnailCache) -> dict[ThumbnailRequest, bytes | None]:
    """Key of each picture, None for files that cannot be read; digests of files seen before come from the cache."""
    stamps = {request: file_stamp(request.path) for request in batch}
    digests = cache.digests({stamp for stamp in stamps.values() if stamp is not None})
    new: dict[bytes, bytes] = {}
    keys: dict[ThumbnailRequest, bytes | None] = {}
    for request, stamp in stamps.items():
        digest = None if stamp is None else digests.get(stamp) or new.get(stamp)
        if digest is None and stamp is not None:
            digest = content_digest(request.path, stamp)
            if digest is not None:
                new[stamp] = digest
        keys[request] = None if digest is None else thumbnail_key(request, digest)
    cache.put_digests(new)
    return keys


def _digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=_DIGEST_BYTES).digest()
