"""Unpack zip and tar archives into temporary folders, with limits on names and sizes."""

import atexit
import errno
import lzma
import re
import shutil
import stat
import struct
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import IO, BinaryIO

from shrec_viewer.domain import Finding, FormatError, Severity
from shrec_viewer.formats.io.archive_names import archive_stem
from shrec_viewer.formats.io.files import MAX_RATIO, MAX_UNPACKED_BYTES, UNCHECKED_BYTES, open_unpacked, read_unchanged
from shrec_viewer.formats.io.owned_files import temporary_prefix
from shrec_viewer.formats.io.text import library_errors

COPIED_BYTES = 2**20

#: Files of an archive, which is unpacked each time it is opened: twice ShapeNetCore55; 10 to 20 s on a disk.
MAX_MEMBERS = 100_000

#: Exceptions that the modules of Python raise on damaged archives.
UNPACK_ERRORS = (
    *(zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, struct.error),
    *(MemoryError,),  # a damaged LZMA header may ask for a dictionary of 4 GB
    *(EOFError, ValueError, RuntimeError, IndexError, KeyError, AttributeError, OverflowError),
)

#: Errors of the system about the name of a file that is unpacked.
NAME_FAULTS = {
    **dict.fromkeys((errno.EEXIST, errno.ENOTDIR, errno.EISDIR), "is in the archive as a file and as a folder"),
    errno.ENAMETOOLONG: "is too long a name for this system",
}


@dataclass(frozen=True)
class UnpackedArchive:
    """An archive in a temporary folder.

    Attributes
    ----------
    folder : folder with the contents; if the archive contains a single folder, that folder.
    findings : damaged files, which are left out, names that occur twice, and a missing end; `file` is the full path.
    """

    folder: Path
    findings: tuple[Finding, ...] = ()


def unpack(path: Path) -> UnpackedArchive:
    """Unpack an archive into a temporary folder, which is deleted at exit.

    Raises
    ------
    FormatError
        When the archive is damaged, encrypted or too large, contains links or devices, or has a member whose name
        leads out of the folder.
    """
    return read_unchanged(path, partial(_unpack, path))


def _unpack(path: Path) -> UnpackedArchive:
    findings: list[Finding] = []
    with library_errors(path, "cannot be unpacked", with_text=True), ExitStack() as undo:
        size = path.stat().st_size
        folder = Path(tempfile.mkdtemp(prefix=temporary_prefix()))
        undo.callback(shutil.rmtree, folder, ignore_errors=True)
        target = folder / archive_stem(path)
        target.mkdir()
        with open_unpacked(path) as stream:
            if zipfile.is_zipfile(stream):
                _unpack_zip(path, stream, target, size, findings)
            else:
                if stream.seekable():
                    stream.seek(0)
                _unpack_tar(path, stream, target, size, findings)
        atexit.register(undo.pop_all().close)
    return UnpackedArchive(_only_subfolder(target), tuple(findings))


def _error_text(error: Exception) -> str:
    return str(error).replace("\n", " ") or type(error).__name__


def _only_subfolder(folder: Path) -> Path:
    """Follow folders that contain nothing but one folder."""
    while True:
        inside = [entry for entry in folder.iterdir() if not entry.name.startswith((".", "__MACOSX"))]
        if len(inside) != 1 or not inside[0].is_dir():
            return folder
        folder = inside[0]


def _unpack_zip(path: Path, stream: BinaryIO, target: Path, size: int, findings: list[Finding]) -> None:
    """Check all names and sizes, which a zip file lists at its end, before writing.

    Raises
    ------
    zipfile.BadZipFile
        When no file can be unpacked; otherwise damaged files are findings.
    """
    damaged: list[Exception] = []
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
        seen: dict[str, int] = {}
        for member in members:
            name = "/".join(part for part in member.filename.split("/") if part not in ("", "."))
            _find_repeated(path, name, member.CRC, seen, findings)
            try:
                with archive.open(member) as content:
                    _write_file(path, name, target / name, content)
            except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, NotImplementedError) as error:
                target.joinpath(name).unlink(missing_ok=True)
                damaged.append(error)
                message = f"'{name}' cannot be unpacked: {_error_text(error)}"
                findings.append(Finding(Severity.ERROR, str(path), None, message, "left out"))
    if damaged and len(damaged) == len(members):
        raise damaged[0]


def _write_file(path: Path, name: str, destination: Path, content: IO[bytes]) -> int:
    """Unpack the content of a file; its checksum."""
    checksum = 0
    try:
        destination.parent.mkdir(parents=True, exist_ok=True)
        with destination.open("wb") as copy:
            while data := content.read(COPIED_BYTES):
                copy.write(data)
                checksum = zlib.crc32(data, checksum)
    except OSError as error:
        if error.errno not in NAME_FAULTS:
            raise
        raise FormatError(path, f"'{name}' {NAME_FAULTS[error.errno]}") from error
    return checksum


def _find_repeated(path: Path, name: str, checksum: int, seen: dict[str, int], findings: list[Finding]) -> None:
    """Append a finding about a name that is in `seen`, which maps the names before to their checksums."""
    if name in seen:
        is_same = seen[name] == checksum
        contents = "" if is_same else ", with other contents"
        severity = Severity.WARNING if is_same else Severity.ERROR
        message = f"'{name}' is in the archive twice{contents}"
        findings.append(Finding(severity, str(path), None, message, "the last one is used"))
    seen[name] = checksum


def _unpack_tar(path: Path, stream: BinaryIO, target: Path, size: int, findings: list[Finding]) -> None:
    """Check and write one member after the other: a tar file has no table of contents."""
    budget = _UnpackBudget(path, size)
    seen: dict[str, int] = {}
    with tarfile.open(fileobj=stream, mode="r|") as archive:
        for member in _tar_files(path, archive):
            budget.take(member.name, member.size, size)
            name = PurePosixPath(member.name).as_posix()
            content = archive.extractfile(member)
            assert content is not None
            _find_repeated(path, name, _write_file(path, name, target / name, content), seen, findings)
        end = archive.offset
    if not stream.seekable():  # a gzip file, whose checksum is at its end
        while stream.read(COPIED_BYTES):
            pass
    elif not _has_tar_end(stream, end):
        message = "no end mark follows the last file: the archive is truncated, or the header of a file is damaged"
        findings.append(Finding(Severity.ERROR, str(path), None, message, "the files before are read"))


def _has_tar_end(stream: BinaryIO, end: int) -> bool:
    """Whether a block of zeros, and nothing else, follows the last file, whose end is at byte `end`.

    `tarfile` (Python 3.11) stops silently where a file is truncated between two files or a header is damaged.
    """
    stream.seek(end)
    rest = stream.read(tarfile.BLOCKSIZE)
    is_complete = len(rest) == tarfile.BLOCKSIZE
    while rest:
        if any(rest):
            return False
        rest = stream.read(COPIED_BYTES)
    return is_complete


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


#: A relative path on any system, without `..`; checked with one expression, as there may be very many names.
_PLAIN_NAME = re.compile(r"(?!\.\.?(?:/|\Z))[^/\\:\0]+(?:/(?!\.\.?(?:/|\Z))[^/\\:\0]+)*")


def _check_name(path: Path, name: str) -> None:
    if _PLAIN_NAME.fullmatch(name):
        return
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
            raise FormatError(self._path, f"holds more than {MAX_MEMBERS:,} files; unpack it and open the folder")
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
