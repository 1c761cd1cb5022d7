"""Write files and folders atomically: complete or not at all."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from stat import S_IMODE

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.io.text import os_error_text


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """A draft beside `path` that takes its place once it is complete; OSError where it cannot be written.

    Who could read what stood there can read what stands there now; a new file is read by whom the system lets read new
    files (`tempfile` would keep it from everybody else). A link stays one.
    """
    target = path.resolve()
    draft = target.with_name(f".{target.name}.{token_hex(4)}.part")
    try:
        yield draft
        with suppress(FileNotFoundError):
            draft.chmod(S_IMODE(target.stat().st_mode))
        os.replace(draft, target)
    finally:
        with suppress(OSError):
            draft.unlink()


def write_text_atomic(path: Path, text: str) -> None:
    """Put `text` in the place of a file in one step that nothing can interrupt; UTF-8, OSError as `atomic_path`."""
    with atomic_path(path) as draft, draft.open("w", encoding="utf-8", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def atomic_file(path: Path) -> Iterator[Path]:
    """A draft beside `path` that takes its place as `atomic_path` says; FormatError where it cannot be written."""
    try:
        if path.is_dir():
            raise FormatError(path, "is a folder; a file is to be written")
        with atomic_path(path) as draft:
            yield draft
    except OSError as error:
        raise FormatError(path, _write_error_text(error)) from error


@contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """A draft beside `path` that takes its place once it is complete; what is there already stays."""
    target = path.resolve()
    draft = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        if target.exists() and not (target.is_dir() and not any(target.iterdir())):
            raise FormatError(path, "is there already; a new folder is to be written")
        draft.mkdir()
        yield draft
        os.replace(draft, target)
    except OSError as error:
        raise FormatError(path, _write_error_text(error)) from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _write_error_text(error: OSError) -> str:
    return (
        os_error_text(error)
        .replace("cannot be opened", "cannot be written")
        .replace("is not there", "has no folder to lie in")
    )
