"""What the program keeps on disk to be quick: how large it is, how large it may be, and a way to be rid of it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from shrec_viewer.formats.parse_cache import MOST_BYTES
from shrec_viewer.render.cache import CACHE_BYTES, cache_folder, read_limit
from shrec_viewer.viewmodels.drawn_pictures import clear_cache, limit_cache
from shrec_viewer.viewmodels.failure import failure_words
from shrec_viewer.viewmodels.parsed_files import clear_parsed, limit_parsed, parse_cache, parsed_folder
from shrec_viewer.viewmodels.tasks import Task, TaskRunner

LANE = "cache"
"""Lane in which a cache is made smaller: much that goes takes a second."""


@dataclass(frozen=True)
class CacheKind:
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


def picture_cache() -> CacheKind:
    """Drawn pictures."""
    folder = cache_folder()
    words = "Kept so that a benchmark shows its models at once."
    return CacheKind(
        "Drawn pictures", words, folder, CACHE_BYTES, partial(read_limit, folder), limit_cache, clear_cache
    )


def parsed_cache() -> CacheKind:
    """Parsed text files."""
    words = "Kept so that large texts are read once."
    return CacheKind("Parsed files", words, parsed_folder(), MOST_BYTES, _parsed_limit, limit_parsed, clear_parsed)


class KeptCache(QObject):
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

    def __init__(self, kind: CacheKind, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.kind = kind
        self._runner = TaskRunner(self)
        self._runner.changed.connect(self.changed)

    @property
    def used(self) -> int:
        """Bytes on disk; files that go away meanwhile count nothing."""
        folder = self.kind.folder
        return sum(_bytes(path) for path in folder.rglob("*")) if folder.is_dir() else 0

    @property
    def limit(self) -> int:
        """Bytes it may take."""
        return self.kind.limit()

    @property
    def is_busy(self) -> bool:
        """Whether something is being changed."""
        return self._runner.is_busy()

    def set_limit(self, limit: int) -> None:
        """Let it take so many bytes; what is beyond goes now."""
        self._runner.run(LANE, partial(_call, partial(self.kind.set_limit, limit)), self._show_done, self._show_failed)

    def clear(self) -> None:
        """Forget all of it."""
        self._runner.run(LANE, partial(_call, self.kind.clear), self._show_cleared, self._show_failed)

    def close(self) -> None:
        """End the thread; what it has begun it ends by itself."""
        self._runner.close(patience=0.5)

    def _show_done(self, _answer: object) -> None:
        self.changed.emit()

    def _show_cleared(self, _answer: object) -> None:
        self.cleared.emit()
        self.changed.emit()

    def _show_failed(self, error: Exception) -> None:
        self.failed.emit(failure_words(f"The limit of {self.kind.title.lower()} cannot be changed", error)[0])
        self.changed.emit()


def _call(work: Callable[[], None], _task: Task) -> None:
    work()


def _parsed_limit() -> int:
    return parse_cache().most_bytes


def _bytes(path: Path) -> int:
    try:
        return path.stat().st_size if path.is_file() else 0
    except OSError:
        return 0
