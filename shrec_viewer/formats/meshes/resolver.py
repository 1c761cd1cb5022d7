"""Resolvers for companion files of a model (materials, textures, buffers), confined to its folder or archive."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from posixpath import dirname, join, normpath
from urllib.parse import unquote
from zipfile import ZipFile

from shrec_viewer.formats.io.archive import UNPACK_ERRORS
from shrec_viewer.formats.io.text import read_bytes, read_or_none

#: Size limit of a mesh file, unpacked, and of each companion file.
#:
#: Ten times the largest scan of any contest; larger ones take minutes and several gigabytes to read.
MAX_MESH_BYTES = 500_000_000


class FileResolver:
    """Read-only access to the files that a model refers to; usable as a resolver of trimesh.

    A model may contain any name: names are tried as written, with URL escapes decoded (``my%20skin.png``), with
    backslashes as slashes and ignoring case. For absolute names and names with ``..`` the last component is tried.
    """

    def get(self, name: str) -> bytes:
        """Content of a file.

        Raises
        ------
        FileNotFoundError
            It does not exist, or is larger than `MAX_MESH_BYTES`.
        ValueError
            It is damaged.
        """
        for candidate in _candidates(name):
            if (data := self._read(candidate)) is not None:
                return data
        raise FileNotFoundError(name)

    def __getitem__(self, name: str) -> bytes:
        """As `get`: trimesh uses both."""
        return self.get(name)

    def _read(self, candidate: str) -> bytes | None:
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class MeshSource:
    """Input of a mesh reader.

    Attributes
    ----------
    path : file, for messages; the archive if the model is a member of one.
    suffix : file name extension of the model in lower case, ``".obj"``.
    data : content of the model, unpacked.
    resolver : access to companion files.
    """

    path: Path
    suffix: str
    data: bytes
    resolver: FileResolver


class FolderResolver(FileResolver):
    """Files in the folder of a model and below. Symbolic links that lead out of the folder are not followed.

    Parameters
    ----------
    model : file that contains the names.
    """

    def __init__(self, model: Path) -> None:
        self._model = model

    @cached_property
    def _folder(self) -> Path:
        return self._model.parent.resolve()

    def _read(self, candidate: str) -> bytes | None:
        path = self._find(candidate)
        return None if path is None else read_or_none(read_bytes, path, MAX_MESH_BYTES)

    def _find(self, candidate: str) -> Path | None:
        try:
            path = (self._folder / candidate).resolve()
            if not path.is_relative_to(self._folder):
                return None
            if path.is_file():
                return path
            same_name = (other.resolve() for other in path.parent.iterdir() if other.name.lower() == path.name.lower())
            return next((other for other in same_name if other.is_file() and other.is_relative_to(self._folder)), None)
        except (OSError, ValueError):  # not a valid file name, such as one with a NUL
            return None


class ZipResolver(FileResolver):
    """Files of a zip archive.

    Parameters
    ----------
    archive : open archive whose unpacked size was checked.
    model : member that contains the names.
    """

    def __init__(self, archive: ZipFile, model: str) -> None:
        self._archive, self._folder = archive, dirname(model)
        self._members = {name.lower(): name for name in archive.namelist()}

    def _read(self, candidate: str) -> bytes | None:
        member = self._members.get(normpath(join(self._folder, candidate)).lower())
        try:
            return None if member is None else self._archive.read(member)
        except (*UNPACK_ERRORS, OSError) as error:
            raise ValueError(f"it cannot be unpacked: {error}") from error


def _candidates(name: str) -> Iterator[str]:
    plain = name.strip().strip("\"'").replace("\\", "/").removeprefix("file://")
    for spelling in dict.fromkeys((plain, unquote(plain))):
        if spelling.strip("/. "):
            yield spelling
            yield spelling.rpartition("/")[2]
