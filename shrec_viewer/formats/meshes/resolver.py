"""Resolve companion files of a model (materials, textures, buffers) inside its folder or archive."""

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import Protocol
from urllib.parse import unquote
from zipfile import ZipFile

MAX_FILE_BYTES = 500_000_000
"""Of one file; as `meshes.MOST_BYTES`."""


class FileResolver(Protocol):
    """Where a model finds the files that it names."""

    def get(self, name: str) -> bytes:
        """The content of a file; FileNotFoundError where there is none of that name."""

    def __getitem__(self, name: str) -> bytes:
        """The same; trimesh asks in both ways."""


class FolderResolver:
    """Files beside a model or in folders below, and no others: what a model names may be anything.

    Names are taken as they stand, with escapes undone (``my%20skin.png``), with backslashes as slashes and in other
    letter case; a name that leads elsewhere, up or from the root, is looked up by its last part.

    Parameters
    ----------
    model : the file that names them.
    """

    def __init__(self, model: Path) -> None:
        self._model = model

    @cached_property
    def _folder(self) -> Path:
        return self._model.parent.resolve()

    def get(self, name: str) -> bytes:
        """The content of a file.

        Raises
        ------
        FileNotFoundError
            There is none of that name, or it is too large.
        """
        for candidate in _candidates(name):
            path = self._found(candidate)
            if path is not None:
                with path.open("rb") as file:
                    data = file.read(MAX_FILE_BYTES + 1)
                if len(data) <= MAX_FILE_BYTES:
                    return data
        raise FileNotFoundError(name)

    __getitem__ = get

    def _found(self, candidate: str) -> Path | None:
        try:
            path = (self._folder / candidate).resolve()
            if not path.is_relative_to(self._folder):
                return None
            if path.is_file():
                return path
            named = (other for other in path.parent.iterdir() if other.name.lower() == path.name.lower())
            return next((other for other in named if other.is_file()), None)
        except (OSError, ValueError):  # a name that no file can have
            return None


class ZipResolver:
    """The same within an archive, whose members cannot lie elsewhere.

    Parameters
    ----------
    archive : an open one, no larger than may be unpacked.
    model : name of the member that names them.
    """

    def __init__(self, archive: ZipFile, model: str) -> None:
        self._archive, self._folder = archive, dirname(model)
        self._members = {name.lower(): name for name in archive.namelist()}

    def get(self, name: str) -> bytes:
        """The content of a member; see `FolderResolver.get`."""
        for candidate in _candidates(name):
            member = self._members.get(normpath(join(self._folder, candidate)).lower())
            if member is not None:
                return self._archive.read(member)
        raise FileNotFoundError(name)

    __getitem__ = get


def _candidates(name: str) -> Iterator[str]:
    plain = name.strip().strip("\"'").replace("\\", "/").removeprefix("file://")
    for spelling in dict.fromkeys((plain, unquote(plain))):
        if spelling.strip("/. "):
            yield spelling
            yield spelling.rpartition("/")[2]
