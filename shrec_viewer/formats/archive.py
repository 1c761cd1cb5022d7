"""Unpacks a `.zip` of a benchmark into a temporary folder that lives as long as the program."""

import atexit
import shutil
import stat
import tempfile
import zipfile
import zlib
from pathlib import Path, PurePosixPath, PureWindowsPath

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.text import reason

MOST_BYTES = 8 * 2**30
"""Unpacked size that is accepted: eight times the largest track's meshes (about 1 GB packed)."""

MOST_RATIO = 200
"""Unpacked to packed size that is accepted; text packs to a twentieth, only bombs and empty matrices beyond this."""

SMALL = 2**20
"""Below this a file may pack as well as it likes: a matrix of zeros does."""

MOST_MEMBERS = 1_000_000


def unpack(path: Path) -> Path:
    """Folder with the content of an archive; of its only folder, where it has one and nothing beside it.

    Raises
    ------
    FormatError
        When it is no archive, is damaged, encrypted or far too large, or when a name in it leads out of the folder.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            members = [member for member in archive.infolist() if not member.is_dir()]
            _check(path, members)
            folder = Path(tempfile.mkdtemp(prefix="shrec-viewer-"))
            atexit.register(shutil.rmtree, folder, ignore_errors=True)
            target = folder / path.stem
            target.mkdir()
            for member in members:
                archive.extract(member, target)
    except OSError as error:
        raise FormatError(path, reason(error)) from error
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError, RuntimeError) as error:
        raise FormatError(path, f"cannot be unpacked: {error}") from error
    inside = [entry for entry in target.iterdir() if not entry.name.startswith((".", "__MACOSX"))]
    return inside[0] if len(inside) == 1 and inside[0].is_dir() else target


def _check(path: Path, members: list[zipfile.ZipInfo]) -> None:
    """Refuse what would fill the disk or write elsewhere, before anything is written."""
    if len(members) > MOST_MEMBERS:
        raise FormatError(path, f"holds more than {MOST_MEMBERS:,} files")
    total = sum(member.file_size for member in members)
    if total > MOST_BYTES:
        raise FormatError(path, f"would unpack to {total / 2**30:.0f} GiB; unpack it yourself and open the folder")
    for member in members:
        name = member.filename
        parts = (*PurePosixPath(name).parts, *PureWindowsPath(name).parts)
        if ".." in parts or PurePosixPath(name).is_absolute() or PureWindowsPath(name).anchor:
            raise FormatError(path, f"the name '{name}' leads out of the archive")
        if stat.S_ISLNK(member.external_attr >> 16):
            raise FormatError(path, f"'{name}' is a link")
        if member.flag_bits & 1:
            raise FormatError(path, "is encrypted; unpack it yourself and open the folder")
        if member.file_size > max(SMALL, MOST_RATIO * max(member.compress_size, 1)):
            raise FormatError(
                path, f"'{name}' would unpack to {member.file_size / 2**20:.0f} MiB, which is no real data"
            )
