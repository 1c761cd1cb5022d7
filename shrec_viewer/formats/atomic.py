"""Files and folders that appear complete or not at all."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.text import reason


@contextmanager
def new_file(path: Path) -> Iterator[Path]:
    """A draft beside `path` that takes its place once it is complete; FormatError where it cannot be written."""
    target = path.resolve()
    draft = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        if target.is_dir():
            raise FormatError(path, "is a folder; a file is to be written")
        yield draft
        os.replace(draft, target)
    except OSError as error:
        raise FormatError(path, _refusal(error)) from error
    finally:
        draft.unlink(missing_ok=True)


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
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
        raise FormatError(path, _refusal(error)) from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _refusal(error: OSError) -> str:
    return (
        reason(error)
        .replace("cannot be opened", "cannot be written")
        .replace("is not there", "has no folder to lie in")
    )
