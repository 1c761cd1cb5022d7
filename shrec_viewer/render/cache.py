"""Keeps drawn thumbnails in one SQLite file; whatever happens to that file, pictures are only drawn again."""

import errno
import os
import sqlite3
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

CACHE_BYTES = 500_000_000
"""Room for about 100,000 pictures of 256 pixels: two of the largest contests."""

_FILE = "thumbnails.sqlite"
_LIMIT = "limit"
"""File beside it with the bytes that the person allows, so that every window and the command line keep to it."""

_LAYOUT = 3
"""Of the tables; a file of another layout is thrown away."""

_TIMEOUT = 2.0
"""Seconds to wait for another process that is writing; then this picture is not kept."""

_HOUR = 3600
"""Seconds; how exactly the last use is known. Finer would write at every look."""

_SEASON = 24 * 90
"""Hours for which the digest of a file is remembered beyond its picture; reading it again costs little."""

_AT_ONCE = 500
"""Keys in one query; SQLite before 3.32 takes 999 parameters."""


def cache_folder() -> Path:
    """Where this system keeps what programs can make again, for window and command line alike."""
    from platformdirs import user_cache_path

    return user_cache_path("shrec-viewer", appauthor=False) / "thumbnails"


def read_limit(folder: Path) -> int:
    """Bytes that the cache in a folder may take; `CACHE_BYTES` where nobody has said anything."""
    try:
        return max(0, int((folder / _LIMIT).read_text(encoding="ascii")))
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
    draft = folder / f"{_LIMIT}.{os.getpid()}"
    draft.write_text(str(limit), encoding="ascii")
    os.replace(draft, folder / _LIMIT)


class ThumbnailCache:
    """A bounded store of WebP files by key, shared by every window on this machine.

    Best effort: with a read-only folder, a full disk or a file that other hands hold it forgets, and never raises. A
    damaged file is replaced by an empty one. One thread at a time may use an object.

    Parameters
    ----------
    folder : made if absent; None keeps nothing.
    limit : bytes that pictures may take on disk; beyond, the tenth that was not looked at for longest goes. None for
        what the person allows; see `read_limit`.
    """

    def __init__(self, folder: Path | None, limit: int | None = None) -> None:
        self._path = None if folder is None else Path(folder) / _FILE
        self._limit = limit
        self.problem = ""
        """Why new pictures are not kept, a sentence for the person; "" while they are."""
        self._connection: sqlite3.Connection | None = None
        self._open()

    @property
    def is_kept(self) -> bool:
        """Whether pictures outlive this object."""
        return self._connection is not None

    def get_many(self, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """WebP bytes of those keys that are here; the others are left out."""
        wanted, found = list(keys), {}
        for start in range(0, len(wanted), _AT_ONCE):
            part = wanted[start : start + _AT_ONCE]
            marks = ",".join("?" * len(part))
            rows = self._run(f"SELECT key, webp, used FROM thumbnails WHERE key IN ({marks})", part)
            found.update({bytes(key): bytes(webp) for key, webp, _ in rows})
            stale = [(_now(), key) for key, _, used in rows if used != _now()]
            self._write("UPDATE thumbnails SET used = ? WHERE key = ?", stale)
        return found

    def notes(self, keys: Iterable[bytes]) -> dict[bytes, tuple[str, ...]]:
        """What was noticed while those pictures were drawn; the many without a note are left out."""
        wanted, found = list(keys), {}
        for start in range(0, len(wanted), _AT_ONCE):
            part = wanted[start : start + _AT_ONCE]
            marks = ",".join("?" * len(part))
            rows = self._run(f"SELECT key, notes FROM thumbnails WHERE notes != '' AND key IN ({marks})", part)
            found.update({bytes(key): tuple(notes.split("\n")) for key, notes in rows})
        return found

    def put(self, pictures: Mapping[bytes, bytes], notes: Mapping[bytes, tuple[str, ...]] | None = None) -> None:
        """Keep WebP bytes under their keys, in one transaction, and what was noticed while they were drawn."""
        said = notes or {}
        rows = [(key, webp, _now(), "\n".join(said.get(key, ()))) for key, webp in pictures.items() if webp]
        self._write("INSERT OR REPLACE INTO thumbnails (key, webp, used, notes) VALUES (?, ?, ?, ?)", rows)
        if rows:
            self._shrink()

    def contents(self, places: Iterable[bytes]) -> dict[bytes, bytes]:
        """Digests of the files at those places that are known (see `identity`); the others are left out."""
        wanted, found = list(places), {}
        for start in range(0, len(wanted), _AT_ONCE):
            part = wanted[start : start + _AT_ONCE]
            marks = ",".join("?" * len(part))
            rows = self._run(f"SELECT place, content FROM contents WHERE place IN ({marks})", part)
            found.update({bytes(place): bytes(content) for place, content in rows})
        return found

    def put_contents(self, contents: Mapping[bytes, bytes]) -> None:
        """Remember the digests of files by their place, so that they need not be read again."""
        rows = [(place, content, _now()) for place, content in contents.items()]
        self._write("INSERT OR REPLACE INTO contents (place, content, used) VALUES (?, ?, ?)", rows)

    def clear(self) -> None:
        """Forget every picture and give the room back."""
        self._write("DELETE FROM thumbnails WHERE used > ?", [(-1,)])
        self._write("DELETE FROM contents WHERE used > ?", [(-1,)])
        self._give_back()

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
        self._give_back()

    def _give_back(self) -> None:
        self._run("VACUUM")
        self._run("PRAGMA wal_checkpoint(TRUNCATE)")

    def _shrink(self) -> None:
        if self._path is None:
            return
        limit = read_limit(self._path.parent) if self._limit is None else self._limit
        for _ in range(20):  # a tenth each time; 20 times is a twelfth of what there was
            if self.size() <= limit:
                return
            count = self._run("SELECT COUNT(*) FROM thumbnails")
            tenth = max(1, int(count[0][0]) // 10) if count else 1
            oldest = "SELECT key FROM thumbnails ORDER BY used, rowid LIMIT ?"
            self._write(f"DELETE FROM thumbnails WHERE key IN ({oldest})", [(tenth,)])
            self._write("DELETE FROM contents WHERE used < (SELECT MIN(used) FROM thumbnails) - ?", [(_SEASON,)])

    # ── every statement passes here ──────────────────────────────────────────────────────────────────────────────────

    def _run(self, statement: str, values: Iterable[object] = ()) -> list[tuple]:  # type: ignore[type-arg]
        if self._connection is None:
            return []
        try:
            return self._connection.execute(statement, tuple(values)).fetchall()
        except sqlite3.Error as error:
            self._forgive(error)
            return []

    def _write(self, statement: str, rows: list[tuple]) -> None:  # type: ignore[type-arg]
        if self._connection is None or not rows:
            return
        try:
            with self._connection:  # commits, or takes everything back
                self._connection.executemany(statement, rows)
            self.problem = ""
        except sqlite3.Error as error:
            self._forgive(error)

    def _forgive(self, error: sqlite3.Error) -> None:
        """A locked or full disk passes; a damaged file is replaced."""
        self._complain(error)
        damaged = isinstance(error, sqlite3.DatabaseError) and not isinstance(
            error, sqlite3.OperationalError | sqlite3.ProgrammingError | sqlite3.IntegrityError
        )
        missing = isinstance(error, sqlite3.OperationalError) and "no such table" in str(error)
        if (damaged or missing) and self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None
            self._discard()
            self._open(again=False)

    def _open(self, again: bool = True) -> None:
        if self._path is None:
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = _patiently_connected(self._path)
        except sqlite3.OperationalError as error:  # read-only, locked for long, no room
            self._complain(error)
            self._connection = _looked_into(self._path)
        except sqlite3.DatabaseError:  # not a database, or not ours
            self._discard()
            if again:
                self._open(again=False)
        except OSError as error:
            self._complain(error)

    def _complain(self, error: Exception) -> None:
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


def _now() -> int:
    return int(time.time()) // _HOUR


def _looked_into(path: Path) -> sqlite3.Connection | None:
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


def _patiently_connected(path: Path) -> sqlite3.Connection:
    """Connected as soon as nobody is in the way.

    Two programs that make the file at once meet, and SQLite does not wait when one of them turns on its log.
    """
    end = time.monotonic() + _TIMEOUT
    while True:
        try:
            return _connected(path)
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > end:
                raise
            time.sleep(0.02)


def _connected(path: Path) -> sqlite3.Connection:
    # The reader thread uses what the main thread opened; they never use it at the same time.
    connection = sqlite3.connect(path, timeout=_TIMEOUT, check_same_thread=False)
    try:
        layout = connection.execute("PRAGMA user_version").fetchone()[0]
        if layout not in (0, _LAYOUT):
            raise sqlite3.DatabaseError(f"layout {layout}")
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
            connection.execute(f"PRAGMA user_version = {_LAYOUT}")
        connection.execute("SELECT key, webp, used, notes FROM thumbnails LIMIT 1").fetchall()
        connection.execute("SELECT place, content, used FROM contents LIMIT 1").fetchall()
    except sqlite3.Error:
        connection.close()
        raise
    return connection
