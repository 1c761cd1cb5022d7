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
"""Size from which a text file is cached and its progress is shown: parsing takes about a second."""

MIB = 2**20

ProgressCallback = Callable[[int, int, str], None]
"""Called with (done, total, text)."""


@dataclass(frozen=True)
class ReadProgress:
    """Cancellation, progress report and cache of a reader.

    Attributes
    ----------
    cancelled : polled while reading; when it returns True, the reader raises `Cancelled`.
    progress : called with the MiB read of large files.
    cache : stores parsed large files.
    model_codes : ids shared by the TREC runs of one benchmark; None: separate ids for each file.
    """

    cancelled: Callable[[], bool] = never_cancelled
    progress: ProgressCallback | None = None
    cache: ParseCache | None = None
    model_codes: TokenCodes | None = None

    def step(self, path: Path, done: int, total: int) -> None:
        """Report that `done` of `total` bytes of a file were read."""
        if self.cancelled():
            raise Cancelled
        if self.progress is not None and total >= LARGE_TEXT_BYTES:
            self.progress(min(done, total) // MIB, total // MIB, f"MiB of {path.name}")


NO_PROGRESS = ReadProgress()
