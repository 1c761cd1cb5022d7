"""Which files the commands have written: later results may replace them, even if they look like inputs."""

import json
import os
from contextlib import suppress
from pathlib import Path

from shrec_viewer.formats.io.owned_files import OwnedFile

MAX_RESULTS = 2000
"""Results that are remembered; a folder of thumbnails of the largest contests is not, as images are replaced anyway."""

LIST_NAME = "results"


class WrittenResults:
    """A list of files with size and modification time, shared by all processes; nothing is listed before `start`.

    A run that was converted looks like any other run. One that was changed since is no longer a result.
    """

    def __init__(self) -> None:
        self._path: Path | None = None

    def start(self, folder: Path) -> None:
        """Keep the list in a folder."""
        self._path = folder / LIST_NAME

    def add(self, path: Path) -> None:
        """List a file that was written; ignored if the list cannot be written."""
        with suppress(OSError):
            if self._path is None or not path.is_file():
                return
            self._path.parent.mkdir(parents=True, exist_ok=True)
            shared = OwnedFile(self._path, waits=True)
            try:
                entry = _entry(path)
                others = [line for line in shared.read().splitlines() if line and line != entry]
                shared.write("".join(f"{line}\n" for line in [*others, entry][-MAX_RESULTS:]))
            finally:
                shared.close()

    def has(self, path: Path) -> bool:
        """Whether a file was written by a command and is unchanged."""
        if self._path is None:
            return False
        try:
            return _entry(path) in self._path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError):
            return False


WRITTEN_RESULTS = WrittenResults()
"""Those of this user."""


def _entry(path: Path) -> str:
    status = path.stat()
    return json.dumps([os.path.realpath(path), status.st_size, status.st_mtime_ns])
