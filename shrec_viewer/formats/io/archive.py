"""Unpack zip and tar archives into temporary folders, with limits on names and sizes."""

import atexit
import lzma
import shutil
import stat
import struct
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import BinaryIO

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.io.compressed import MAX_RATIO, MAX_UNPACKED_BYTES, UNCHECKED_BYTES, open_unpacked
from shrec_viewer.formats.io.file_version import read_unchanged
from shrec_viewer.formats.io.leftovers import temporary_prefix
from shrec_viewer.formats.io.text import FileHead, os_error_text

ARCHIVE_SUFFIXES = (".zip", ".tar", ".tar.gz", ".tgz")
"""File name extensions of archives. Other zip files (spreadsheets, documents, NumPy's `.npz`) are not archives."""

ZIP_MAGICS = (b"PK\x03\x04", b"PK\x05\x06")
TAR_MAGIC = b"ustar"
TAR_MAGIC_OFFSET = 257

MAX_MEMBERS = 1_000_000

UNPACK_ERRORS = (
    *(zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, struct.error),
    *(EOFError, ValueError, RuntimeError, IndexError, KeyError, AttributeError, OverflowError),
)
"""Exceptions that the modules of Python raise on damaged archives."""


def is_archive(head: FileHead) -> bool:
    """Whether the name and the first bytes of a file are those of an archive."""
    if not has_archive_suffix(head.path):
        return False
    return head.data.startswith(ZIP_MAGICS) or head.data[TAR_MAGIC_OFFSET:].startswith(TAR_MAGIC)


def has_archive_suffix(path: Path) -> bool:
    """Whether a file name has an extension of `ARCHIVE_SUFFIXES`."""
    return path.name.lower().endswith(ARCHIVE_SUFFIXES)


def archive_stem(path: Path) -> str:
    """Name of an archive without its extension."""
    ending = max((suffix for suffix in ARCHIVE_SUFFIXES if path.name.lower().endswith(suffix)), key=len, default="")
    return path.name[: len(path.name) - len(ending)] or path.name


def unpack(path: Path) -> Path:
    """Unpack an archive into a temporary folder, which is deleted at exit.

    Returns
    -------
    Path
        Folder with the contents; if the archive contains a single folder, that folder.

    Raises
    ------
    FormatError
        When the archive is damaged, encrypted or too large, contains links or devices, or has a member whose name
        leads out of the folder.
    """
    return read_unchanged(path, partial(_unpack, path))


def _unpack(path: Path) -> Path:
    folder: Path | None = None
    try:
        size = path.stat().st_size
        folder = Path(tempfile.mkdtemp(prefix=temporary_prefix()))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        target = folder / archive_stem(path)
        target.mkdir()
        with open_unpacked(path) as stream:
            if zipfile.is_zipfile(stream):
                _unpack_zip(path, stream, target, size)
            else:
                if stream.seekable():
                    stream.seek(0)
                _unpack_tar(path, stream, target, size)
    except OSError as error:
        _remove_folder(folder)
        # The module bz2 raises OSError without a number for damaged data.
        reason = os_error_text(error) if error.errno is not None else f"cannot be unpacked: {_error_text(error)}"
        raise FormatError(path, reason) from error
    except FormatError:
        _remove_folder(folder)
        raise
    except UNPACK_ERRORS as error:
        _remove_folder(folder)
        raise FormatError(path, f"cannot be unpacked: {_error_text(error)}") from error
    return _only_subfolder(target)


def _remove_folder(folder: Path | None) -> None:
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)


def _error_text(error: Exception) -> str:
    return str(error).replace("\n", " ") or type(error).__name__


def _only_subfolder(folder: Path) -> Path:
    """Follow folders that contain nothing but one folder."""
    while True:
        inside = [entry for entry in folder.iterdir() if not entry.name.startswith((".", "__MACOSX"))]
        if len(inside) != 1 or not inside[0].is_dir():
            return folder
        folder = inside[0]


def _unpack_zip(path: Path, stream: BinaryIO, target: Path, size: int) -> None:
    """Check all names and sizes, which a zip file lists at its end, before writing."""
    with zipfile.ZipFile(stream) as archive:
        members = [member for member in archive.infolist() if not member.filename.endswith("/")]
        budget = _UnpackBudget(path, size)
        for member in members:
            _check_name(path, member.filename)
            if stat.S_ISLNK(member.external_attr >> 16):
                raise FormatError(path, f"'{member.filename}' is a link")
            if member.flag_bits & 1:
                raise FormatError(path, "is encrypted; unpack it yourself and open the folder")
            budget.take(member.filename, member.file_size, member.compress_size)
        for member in members:
            archive.extract(member, target)


def _unpack_tar(path: Path, stream: BinaryIO, target: Path, size: int) -> None:
    """Check and write one member after the other: a tar file has no table of contents."""
    budget = _UnpackBudget(path, size)
    with tarfile.open(fileobj=stream, mode="r|") as archive:
        for member in _tar_files(path, archive):
            budget.take(member.name, member.size, size)
            destination = target.joinpath(*PurePosixPath(member.name).parts)
            destination.parent.mkdir(parents=True, exist_ok=True)
            content = archive.extractfile(member)
            assert content is not None
            with destination.open("wb") as copy:
                shutil.copyfileobj(content, copy)


def _tar_files(path: Path, archive: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    for member in archive:
        if member.isdir():
            continue
        _check_name(path, member.name)
        if member.issym() or member.islnk():
            raise FormatError(path, f"'{member.name}' is a link")
        if not member.isfile():
            raise FormatError(path, f"'{member.name}' is a device or a pipe, not a file")
        yield member


def _check_name(path: Path, name: str) -> None:
    parts = (*PurePosixPath(name).parts, *PureWindowsPath(name).parts)
    if not parts or ".." in parts or PurePosixPath(name).is_absolute() or PureWindowsPath(name).anchor:
        raise FormatError(path, f"the name '{name}' leads out of the archive")


class _UnpackBudget:
    """Counts unpacked files and bytes; raises FormatError beyond the limits, before the disk is full."""

    def __init__(self, path: Path, size: int) -> None:
        self._path = path
        self._size = size
        self._members = 0
        self._bytes = 0

    def take(self, name: str, size: int, packed: int) -> None:
        """Count a file of `size` bytes that takes `packed` bytes in the archive."""
        self._members += 1
        self._bytes += size
        if self._members > MAX_MEMBERS:
            raise FormatError(self._path, f"holds more than {MAX_MEMBERS:,} files")
        if size > max(UNCHECKED_BYTES, MAX_RATIO * max(packed, 1)):
            raise FormatError(
                self._path, f"'{name}' would unpack to {size / 2**20:.0f} MiB, beyond the decompression limit"
            )
        if self._bytes > MAX_UNPACKED_BYTES:
            message = f"would unpack to {self._bytes / 2**30:.0f} GiB or more"
            raise FormatError(self._path, f"{message}; unpack it yourself and open the folder")
        if self._bytes > max(UNCHECKED_BYTES, MAX_RATIO * self._size):
            message = f"would unpack to {self._bytes / 2**20:.0f} MiB or more"
            raise FormatError(self._path, f"{message}, beyond the decompression limit")
