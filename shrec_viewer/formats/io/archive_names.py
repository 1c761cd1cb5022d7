"""Names and first bytes of archives; `formats.io.archive` unpacks them, for which it imports what few folders need."""

from pathlib import Path

from shrec_viewer.formats.io.text import FileHead

#: File name extensions of archives. Other zip files (spreadsheets, documents, NumPy's `.npz`) are not archives.
ARCHIVE_SUFFIXES = (".zip", ".tar", ".tar.gz", ".tgz")

ZIP_MAGICS = (b"PK\x03\x04", b"PK\x05\x06")
TAR_MAGIC = b"ustar"
TAR_MAGIC_OFFSET = 257


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
