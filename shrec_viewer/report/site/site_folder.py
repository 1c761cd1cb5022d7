"""The folder of a site or of all results: replaced as a whole, and only if nothing else is in it."""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.discovery.listing import EXPORT_SCHEMA, SITE_MANIFEST, SITE_SCHEMA
from shrec_viewer.formats.io.owned_files import TEMPORARY_FILES, draft_path
from shrec_viewer.formats.io.text import os_error_text

#: What a folder is, by the schema of its manifest.
_NAMES = {SITE_SCHEMA: "a site", EXPORT_SCHEMA: "an export"}


def check_target(target: Path, schema: str = SITE_SCHEMA) -> None:
    """Raise FormatError if a folder cannot be replaced by a site: it has files that no site wrote.

    Parameters
    ----------
    schema : of the manifest; `EXPORT_SCHEMA` for a folder with all results.
    """
    try:
        _check(target, target.resolve(), schema)
    except OSError as error:
        raise FormatError(target, os_error_text(error, "written")) from error


def _check(target: Path, resolved: Path, schema: str) -> None:
    if not resolved.parent.is_dir():
        raise FormatError(target, "is in a folder that does not exist")
    if not os.path.lexists(resolved):
        return
    if not resolved.is_dir():
        raise FormatError(target, "is a file, not a folder")
    present = _files(resolved)
    if not present:
        return
    foreign = f"the folder exists and is not {_NAMES[schema]} of this program"
    written = site_files(resolved, schema)
    if written is None:
        raise FormatError(target, f"{foreign} ('{present[0]}' is in it); choose another folder")
    others = [name for name in present if name not in written]
    if others:
        raise FormatError(target, f"{foreign} only: '{others[0]}' is in it; move it, or choose another folder")


def _files(folder: Path) -> list[str]:
    """Files of a folder, and folders without a file, relative to it; links are not followed."""
    found = []
    for path, folders, names in os.walk(folder):
        relative = Path(path).relative_to(folder)
        links = [name for name in folders if Path(path, name).is_symlink()]
        found += [(relative / name).as_posix() for name in (*names, *links)]
        if not folders and not names and relative != Path("."):
            found.append(f"{relative.as_posix()}/")
    return sorted(found)


def site_files(folder: Path, schema: str = SITE_SCHEMA) -> set[str] | None:
    """Files of a site, as its manifest lists them, and the manifest; None if the folder is no site."""
    try:
        document: Any = json.loads((folder / SITE_MANIFEST).read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(document, dict) or document.get("schema") != schema:
        return None
    files = document.get("files")
    return {SITE_MANIFEST, *map(str, files)} if isinstance(files, dict) else None


@contextmanager
def site_folder(target: Path, schema: str = SITE_SCHEMA) -> Iterator[Path]:
    """Temporary folder that becomes `target` when the block ends, in place of an earlier site.

    Parameters
    ----------
    schema : see `check_target`.

    Raises
    ------
    FormatError
        If `target` has files that no site wrote, or cannot be written; nothing is left behind then.
    """
    resolved = target.resolve()
    draft, former = draft_path(resolved), draft_path(resolved)
    TEMPORARY_FILES.add(draft)
    try:
        check_target(target, schema)
        draft.mkdir()
        yield draft
        check_target(target, schema)  # files may have been added while the site was built
        if os.path.lexists(resolved):
            os.replace(resolved, former)  # a folder with files cannot be replaced in one step
        try:
            os.replace(draft, resolved)
        except OSError:
            with suppress(OSError):
                os.replace(former, resolved)
            raise
        shutil.rmtree(former, ignore_errors=True)
    except OSError as error:
        raise FormatError(target, os_error_text(error, "written")) from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)
        TEMPORARY_FILES.remove(draft)
