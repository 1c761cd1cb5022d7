"""Temporary files of this program: listed while they exist, and removed at the next start if they remain."""

import atexit
import json
import os
import re
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from secrets import token_hex
from threading import Lock

from shrec_viewer.formats.io.owned_file import OwnedFile, abandoned_files

DRAFT_SUFFIX = ".part"

MAX_STEM_CHARS = 50
"""Characters of the target's name in that of a draft: 255 bytes is the limit of most file systems."""

UNPACKED_PREFIX = "shrec-viewer-"
"""Beginning of the names of temporary folders; the process id follows, then random characters."""

LIST_SUFFIX = ".temporary"

_DRAFT_NAME = re.compile(r".+\.(\d+)-[0-9a-f]{8}\.part")
_FOLDER_PREFIX = re.compile(r"shrec-viewer-(\d+)-")


def draft_path(target: Path) -> Path:
    """A new name in the folder of a target for a draft of it: ``.scores.json.4711-0a1b2c3d.part``."""
    return target.with_name(f".{target.name[:MAX_STEM_CHARS]}.{draft_ending()}")


def draft_ending() -> str:
    """End of the name of a draft, with the id of this process and random digits."""
    return f"{os.getpid()}-{token_hex(4)}{DRAFT_SUFFIX}"


def temporary_prefix() -> str:
    """Beginning of the names of temporary folders of this process, for `tempfile.mkdtemp`; listed before they exist."""
    prefix = f"{UNPACKED_PREFIX}{os.getpid()}-"
    TEMPORARY_FILES.add(Path(tempfile.gettempdir()) / prefix)
    return prefix


class TemporaryFiles:
    """The temporary files and folders of this process, listed in a file that it keeps locked.

    A killed process cannot remove its drafts, and they are in the folders of the user, where no later process would
    look for them. Nothing is listed before `start`.
    """

    def __init__(self) -> None:
        self._folder: Path | None = None
        self._list: OwnedFile | None = None
        self._paths: set[Path] = set()
        self._lock = Lock()

    def start(self, folder: Path) -> None:
        """Keep the list in a folder, and remove what ended processes have left."""
        self._folder = folder
        atexit.register(self._close)
        remove_leftovers(folder)

    def add(self, path: Path) -> None:
        """List a path; called before it is created. A list that cannot be written is left out."""
        with self._lock, suppress(OSError):
            if self._folder is None:
                return
            if self._list is None:
                self._folder.mkdir(parents=True, exist_ok=True)
                self._list = OwnedFile(self._folder / f"{os.getpid()}-{token_hex(4)}{LIST_SUFFIX}", waits=True)
            self._paths.add(path)
            self._list.append(json.dumps(str(path.absolute())) + "\n")

    def remove(self, path: Path) -> None:
        """Remove a path that no longer exists from the list; an empty list is deleted."""
        with self._lock:
            self._paths.discard(path)
            if not self._paths and self._list is not None:
                self._list.delete()
                self._list = None

    def _close(self) -> None:
        """Delete the list when the process ends by itself: nothing remains then."""
        with self._lock:
            if self._list is not None:
                self._list.delete()
                self._list = None


TEMPORARY_FILES = TemporaryFiles()
"""Those of this process."""


def remove_leftovers(folder: Path) -> None:
    """Delete the temporary files that ended processes have listed in a folder, and the lists.

    Only names that this program gives to drafts and temporary folders, with the id of the process of the list, are
    deleted: the list is a file that anyone can edit.
    """
    for left in abandoned_files(folder, f"*{LIST_SUFFIX}"):
        process = left.path.name.partition("-")[0]
        for line in left.read().splitlines():
            with suppress(ValueError, OSError, RecursionError):
                _delete(Path(str(json.loads(line))), process)
        left.delete()


def _delete(path: Path, process: str) -> None:
    draft, prefix = _DRAFT_NAME.fullmatch(path.name), _FOLDER_PREFIX.fullmatch(path.name)
    if draft is not None and draft[1] == process and not path.is_symlink():
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
    elif prefix is not None and prefix[1] == process:
        for folder in path.parent.glob(f"{path.name}*"):
            if folder.is_dir() and not folder.is_symlink():
                shutil.rmtree(folder, ignore_errors=True)
