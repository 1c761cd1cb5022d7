"""Write files and folders atomically, complete or not at all, and record which files the commands wrote."""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from stat import S_IMODE

from shrec_viewer.formats.io.owned_files import TEMPORARY_FILES, OwnedFile, draft_path


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """Temporary path in the same folder that replaces `path` when the block ends without an exception.

    The permissions of an existing file are kept; a new file gets the default ones (`tempfile` would allow its owner
    only). The target of a symbolic link is replaced, not the link. A device or a pipe is not replaced: its own path is
    returned.

    Raises
    ------
    OSError
        When the file cannot be written.
    """
    if path.exists() and not path.is_file():
        yield path
        return
    target = path.resolve()
    draft = draft_path(target)
    TEMPORARY_FILES.add(draft)
    try:
        yield draft
        with suppress(FileNotFoundError):
            draft.chmod(S_IMODE(target.stat().st_mode))
        os.replace(draft, target)
    finally:
        with suppress(OSError):
            draft.unlink()
        TEMPORARY_FILES.remove(draft)


def write_text_atomic(path: Path, text: str, *, sync: bool = True) -> None:
    """Replace a file by `text` in UTF-8 in one step; OSError when it cannot be written.

    Parameters
    ----------
    sync : whether the text is on the disk at the end, and thus survives a power failure.
    """
    with atomic_path(path) as draft, draft.open("w", encoding="utf-8", newline="\n") as file:
        file.write(text)
        file.flush()
        if sync:
            os.fsync(file.fileno())


@contextmanager
def atomic_file(path: Path) -> Iterator[Path]:
    """`atomic_path` with FormatError when the file cannot be written."""
    with _format_errors(path):
        if path.is_dir():
            raise IsADirectoryError
        with atomic_path(path) as draft:
            yield draft


@contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """Temporary folder that becomes `path` when the block ends; FormatError if `path` exists and is not empty."""
    target = path.resolve()
    draft = draft_path(target)
    TEMPORARY_FILES.add(draft)
    try:
        with _format_errors(path):
            if target.exists() and not (target.is_dir() and not any(target.iterdir())):
                from shrec_viewer.domain import FormatError

                raise FormatError(path, "exists already; a new folder is needed")
            draft.mkdir()
            yield draft
            os.replace(draft, target)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
        TEMPORARY_FILES.remove(draft)


@contextmanager
def _format_errors(path: Path) -> Iterator[None]:
    """Context manager that raises FormatError where a file or folder cannot be written."""
    try:
        yield
    except (OSError, UnicodeEncodeError) as error:
        from shrec_viewer.domain import FormatError  # here: it imports numpy, which most commands need later or never
        from shrec_viewer.formats.io.text import os_error_text

        if isinstance(error, UnicodeEncodeError):
            reason = "cannot be written: a name is not valid Unicode text"
        elif isinstance(error, FileNotFoundError):
            reason = "is in a folder that does not exist"
        else:
            reason = os_error_text(error, "written")
        raise FormatError(path, reason) from error


#: Maximum number of listed results: fewer than the thumbnails of a large contest, which may be replaced anyway.
MAX_RESULTS = 2000

LIST_NAME = "results"


class WrittenResults:
    """A list of files with size and modification time, shared by all processes; nothing is listed before `start`.

    A converted run is recognised by this list only. A file that has been changed since is no longer a result.
    """

    def __init__(self) -> None:
        self._path: Path | None = None

    def start(self, folder: Path) -> None:
        """Store the list in a folder."""
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


#: The list of this user, shared by all commands.
WRITTEN_RESULTS = WrittenResults()


def _entry(path: Path) -> str:
    status = path.stat()
    return json.dumps([os.path.realpath(path), status.st_size, status.st_mtime_ns])
