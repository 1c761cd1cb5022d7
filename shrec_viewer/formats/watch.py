"""Somebody who waits while a large file is read: told how far it is, and free to call it off."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from shrec_viewer.domain import Cancelled
from shrec_viewer.formats.parse_cache import ParseCache
from shrec_viewer.formats.reader import never

LARGE = 2**23
"""Bytes from which a text file is worth a bar and a place in the cache: it takes about a second."""

MIB = 2**20

Progress = Callable[[int, int, str], None]
"""(done, total, what)."""


@dataclass(frozen=True)
class Watch:
    """Who waits.

    Attributes
    ----------
    cancelled : asked while reading; once it is true, the reading ends with `Cancelled`.
    progress : told MiB of large files.
    cache : keeps what large files were parsed into.
    """

    cancelled: Callable[[], bool] = never
    progress: Progress | None = None
    cache: ParseCache | None = None

    def step(self, path: Path, done: int, total: int) -> None:
        """`done` of `total` bytes of a file are read."""
        if self.cancelled():
            raise Cancelled
        if self.progress is not None and total >= LARGE:
            self.progress(min(done, total) // MIB, total // MIB, f"MiB of {path.name}")


NOBODY = Watch()
