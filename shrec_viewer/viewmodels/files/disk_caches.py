"""Disk caches of thumbnails and parsed files: size, limit, clearing."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from shrec_viewer.formats.io.parse_cache import DEFAULT_MAX_BYTES, ParseCache
from shrec_viewer.render.thumbnails.cache import CACHE_BYTES, cache_folder, read_limit
from shrec_viewer.viewmodels.tasks.tasks import Task, TaskQueue, describe_failure
from shrec_viewer.viewmodels.thumbnails.rendered import clear_thumbnail_cache, set_thumbnail_cache_limit


def parse_cache_folder() -> Path:
    """Folder of the cache, where this system keeps caches; the command line uses the same."""
    from platformdirs import user_cache_path

    return user_cache_path("shrec-viewer", appauthor=False) / "parsed"


def parse_cache() -> ParseCache:
    """The cache; making it touches no file."""
    return ParseCache(parse_cache_folder())


def set_parse_cache_limit(limit: int) -> None:
    """Let parsed files take so many bytes from now on; what was not used for longest goes at once.

    Raises
    ------
    OSError
        Where the limit cannot be written down.
    """
    parse_cache().set_max_bytes(limit)


def clear_parse_cache() -> None:
    """Forget all parsed files; what is open stays open."""
    parse_cache().clear()


LANE = "cache"
"""Lane in which a cache is made smaller: much that goes takes a second."""


@dataclass(frozen=True)
class CacheSpec:
    """One cache.

    Attributes
    ----------
    title, explanation : for the person.
    folder : where it lies.
    usual : bytes it may take where nobody has said anything.
    limit : asks how many bytes it may take.
    set_limit, clear : change it; not for the main thread, OSError where the disk refuses.
    """

    title: str
    explanation: str
    folder: Path
    usual: int
    limit: Callable[[], int]
    set_limit: Callable[[int], None]
    clear: Callable[[], None]


def thumbnail_cache_spec() -> CacheSpec:
    """Drawn pictures."""
    folder = cache_folder()
    words = "Kept so that a benchmark shows its models at once."
    return CacheSpec(
        "Drawn pictures",
        words,
        folder,
        CACHE_BYTES,
        partial(read_limit, folder),
        set_thumbnail_cache_limit,
        clear_thumbnail_cache,
    )


def parse_cache_spec() -> CacheSpec:
    """Parsed text files."""
    words = "Kept so that large texts are read once."
    return CacheSpec(
        "Parsed files",
        words,
        parse_cache_folder(),
        DEFAULT_MAX_BYTES,
        _parsed_limit,
        set_parse_cache_limit,
        clear_parse_cache,
    )


class DiskCache(QObject):
    """A cache as the preferences show it; changes go on beside the window.

    Signals
    -------
    changed()
        Size or limit are others, or work has begun or ended.
    cleared()
        Nothing is kept any more.
    failed(sentence)
        The disk refused.
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
        """Bytes on disk; files that go away meanwhile count nothing."""
        folder = self.kind.folder
        return sum(_file_size(path) for path in folder.rglob("*")) if folder.is_dir() else 0

    @property
    def limit(self) -> int:
        """Bytes it may take."""
        return self.kind.limit()

    @property
    def is_busy(self) -> bool:
        """Whether something is being changed."""
        return self._tasks.is_busy()

    def set_limit(self, limit: int) -> None:
        """Let it take so many bytes; what is beyond goes now."""
        self._tasks.run(LANE, partial(_call, partial(self.kind.set_limit, limit)), self._show_done, self._show_failed)

    def clear(self) -> None:
        """Forget all of it."""
        self._tasks.run(LANE, partial(_call, self.kind.clear), self._show_cleared, self._show_failed)

    def close(self) -> None:
        """End the thread; what it has begun it ends by itself."""
        self._tasks.close(timeout_s=0.5)

    def _show_done(self, _answer: object) -> None:
        self.changed.emit()

    def _show_cleared(self, _answer: object) -> None:
        self.cleared.emit()
        self.changed.emit()

    def _show_failed(self, error: Exception) -> None:
        self.failed.emit(describe_failure(f"The limit of {self.kind.title.lower()} cannot be changed", error)[0])
        self.changed.emit()


def _call(work: Callable[[], None], _task: Task) -> None:
    work()


def _parsed_limit() -> int:
    return parse_cache().max_bytes


def _file_size(path: Path) -> int:
    try:
        return path.stat().st_size if path.is_file() else 0
    except OSError:
        return 0
