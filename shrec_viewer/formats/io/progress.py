"""Progress and cancellation callbacks of readers, and the row type of the reader table."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from shrec_viewer.domain import Cancelled
from shrec_viewer.formats.io.parse_cache import ParseCache
from shrec_viewer.formats.io.text import FileHead


def never_cancelled() -> bool:
    """The answer of somebody who waits."""
    return False


@dataclass(frozen=True)
class FormatReader:
    """One format.

    Attributes
    ----------
    key : short name, unique in the table.
    label : what a person calls it.
    suffixes : usual endings, for file dialogs; recognition never depends on them. Empty: any.
    sniff : whether the beginning of a file looks like this format; quick, and never raises.
    read : bytes to a noun; raises FormatError and nothing else.
    """

    key: str
    label: str
    suffixes: tuple[str, ...]
    sniff: Callable[[FileHead], bool]
    read: Callable[[Path], object]


LARGE_TEXT_BYTES = 2**23
"""Bytes from which a text file is worth a bar and a place in the cache: it takes about a second."""

MIB = 2**20

ProgressCallback = Callable[[int, int, str], None]
"""(done, total, what)."""


@dataclass(frozen=True)
class ReadProgress:
    """Who waits.

    Attributes
    ----------
    cancelled : asked while reading; once it is true, the reading ends with `Cancelled`.
    progress : told MiB of large files.
    cache : keeps what large files were parsed into.
    """

    cancelled: Callable[[], bool] = never_cancelled
    progress: ProgressCallback | None = None
    cache: ParseCache | None = None

    def step(self, path: Path, done: int, total: int) -> None:
        """`done` of `total` bytes of a file are read."""
        if self.cancelled():
            raise Cancelled
        if self.progress is not None and total >= LARGE_TEXT_BYTES:
            self.progress(min(done, total) // MIB, total // MIB, f"MiB of {path.name}")


NO_PROGRESS = ReadProgress()
