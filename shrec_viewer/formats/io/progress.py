"""Progress and cancellation callbacks of readers."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from shrec_viewer.domain import Cancelled
from shrec_viewer.formats.io.columns import TokenCodes
from shrec_viewer.formats.io.parse_cache import ParseCache


def never_cancelled() -> bool:
    """Default callback: never cancelled."""
    return False


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
    model_codes : ids shared by the TREC runs of one benchmark; None: each file has its own.
    """

    cancelled: Callable[[], bool] = never_cancelled
    progress: ProgressCallback | None = None
    cache: ParseCache | None = None
    model_codes: TokenCodes | None = None

    def step(self, path: Path, done: int, total: int) -> None:
        """`done` of `total` bytes of a file are read."""
        if self.cancelled():
            raise Cancelled
        if self.progress is not None and total >= LARGE_TEXT_BYTES:
            self.progress(min(done, total) // MIB, total // MIB, f"MiB of {path.name}")


NO_PROGRESS = ReadProgress()
