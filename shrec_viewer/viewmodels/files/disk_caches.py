"""Disk caches of thumbnails and parsed files: size, limit, clearing."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from shrec_viewer.formats.io.parse_cache import DEFAULT_MAX_BYTES, ParseCache
from shrec_viewer.render.thumbnails.cache import CACHE_BYTES, cache_folder, read_limit
from shrec_viewer.viewmodels.tasks.tasks import TaskQueue, describe_failure
from shrec_viewer.viewmodels.thumbnails.thumbnails import clear_thumbnail_cache, set_thumbnail_cache_limit


def parse_cache_folder() -> Path:
    """Folder of the cache of parsed files; also used by the command line."""
    from platformdirs import user_cache_path

    return user_cache_path("shrec-viewer", appauthor=False) / "parsed"


def parse_cache() -> ParseCache:
    """The cache of parsed files, one object per folder; creating it accesses no file."""
    return _parse_cache_in(parse_cache_folder())


@lru_cache(maxsize=1)
def _parse_cache_in(folder: Path) -> ParseCache:
    return ParseCache(folder)


def set_parse_cache_limit(limit: int) -> None:
    """Limit the cache of parsed files to `limit` bytes; the least recently used entries are deleted at once.

    Raises
    ------
    OSError
        When the limit cannot be written.
    """
    parse_cache().set_max_bytes(limit)


def clear_parse_cache() -> None:
    """Delete the cache of parsed files."""
    parse_cache().clear()


#: Key of the task that changes a cache; deleting many files takes a second.
CACHE_KEY = "cache"


@dataclass(frozen=True)
class CacheSpec:
    """Description of a disk cache.

    Attributes
    ----------
    title, explanation : shown in the preferences.
    folder : folder of its files.
    usual : default limit in bytes.
    limit : returns the limit in bytes.
    set_limit, clear : change it, in a background thread; raise OSError when files cannot be written or deleted.
    """

    title: str
    explanation: str
    folder: Path
    usual: int
    limit: Callable[[], int]
    set_limit: Callable[[int], None]
    clear: Callable[[], None]


def thumbnail_cache_spec() -> CacheSpec:
    """The cache of rendered thumbnails."""
    folder = cache_folder()
    return CacheSpec(
        "Thumbnails",
        "Speeds up the display of models.",
        folder,
        CACHE_BYTES,
        partial(read_limit, folder),
        set_thumbnail_cache_limit,
        clear_thumbnail_cache,
    )


def parse_cache_spec() -> CacheSpec:
    """The cache of parsed text files."""
    return CacheSpec(
        "Parsed files",
        "Speeds up the reading of large text files.",
        parse_cache_folder(),
        DEFAULT_MAX_BYTES,
        lambda: parse_cache().max_bytes,
        set_parse_cache_limit,
        clear_parse_cache,
    )


class DiskCache(QObject):
    """A cache as shown in the preferences; it is changed in background tasks.

    Signals
    -------
    changed()
        Size or limit changed, or a task started or ended.
    cleared()
        The cache was deleted.
    failed(message)
        Files could not be written or deleted.
    """

    changed = Signal()
    cleared = Signal()
    failed = Signal(str)

    def __init__(self, kind: CacheSpec, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.kind = kind
        self._tasks = TaskQueue(self)  # not that of the session: preferences work without one
        self._tasks.changed.connect(self.changed)

    @property
    def used(self) -> int:
        """Bytes on disk."""
        folder = self.kind.folder
        return sum(_file_size(path) for path in folder.rglob("*")) if folder.is_dir() else 0

    @property
    def limit(self) -> int:
        """Limit in bytes."""
        return self.kind.limit()

    @property
    def is_busy(self) -> bool:
        """Whether a task is running."""
        return self._tasks.is_busy()

    def set_limit(self, limit: int) -> None:
        """Set the limit in bytes and delete what exceeds it."""
        problem = f"The limit of {self.kind.title.lower()} cannot be changed"
        self._tasks.run(CACHE_KEY, lambda _task: self.kind.set_limit(limit), failed=partial(self._report, problem))

    def clear(self) -> None:
        """Delete the cache."""
        problem = f"The cache of {self.kind.title.lower()} cannot be deleted"
        self._tasks.run(CACHE_KEY, lambda _task: self.kind.clear(), self._show_cleared, partial(self._report, problem))

    def close(self) -> None:
        """End the thread; a running deletion is completed."""
        self._tasks.close(timeout_s=0.5)

    def _show_cleared(self, _result: object) -> None:
        self.cleared.emit()

    def _report(self, what: str, error: Exception) -> None:
        self.failed.emit(describe_failure(what, error)[0])


def _file_size(path: Path) -> int:
    try:
        return path.stat().st_size if path.is_file() else 0
    except OSError:
        return 0
