"""Step 1 of reading a benchmark: list the files of folders, without looking into files."""

import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.core.findings_log import FindingsLog, count_of
from shrec_viewer.formats.core.ids import natural_order, natural_sorted
from shrec_viewer.formats.io.progress import NO_PROGRESS, ReadProgress
from shrec_viewer.formats.io.text import os_error_text
from shrec_viewer.formats.matrices.zarr_store import METADATA, is_zarr, zarr_matrices

#: Maximum number of files and folders: four times a collection of a million models. More is refused.
MAX_ENTRIES = 4_000_000

#: Number of entries from which progress is reported; fewer are listed in a few milliseconds.
PROGRESS_FROM_ENTRIES = 2_000

SITE_MANIFEST = "manifest.json"

#: Name and version of the manifest of a contest site; the version changes when a reader of it would fail.
SITE_SCHEMA = "shrec-viewer/site/1"

#: The same of a folder with all results, which the command export writes.
EXPORT_SCHEMA = "shrec-viewer/export/1"

#: Number of files of a folder between two checks for cancellation.
CANCEL_CHECK_INTERVAL = 256


def list_files(
    root: Path, folders: Iterable[Path], findings_log: FindingsLog, progress: ReadProgress = NO_PROGRESS
) -> dict[Path, tuple[Path, ...]]:
    """Files directly in each folder below `root`, and below those of `folders` that are not below `root`.

    They are in natural order, the folders in the order of the walk; a Zarr matrix, which is a folder, counts as a file.
    Links to folders are followed, but each folder is listed only once, so that circular links end. Hidden files and
    contest sites are ignored. Of a file as `root`, that file alone.

    Raises
    ------
    FormatError
        When a folder cannot be read, is the root of a disk, or has more than `MAX_ENTRIES` entries below it.
    """
    if root.is_file():
        return {root.parent: (root,)}
    found: dict[Path, tuple[Path, ...]] = {}
    for folder in (root, *folders):
        if folder not in found:
            for path, files in _FolderWalk(folder, findings_log, progress).folders().items():
                found.setdefault(path, files)  # a Zarr matrix is listed in its parent, which may be listed already
    return found


def list_folder(folder: Path) -> tuple[Path, ...]:
    """Files directly in a folder, and folders that are Zarr matrices, in natural order, without hidden ones.

    Raises
    ------
    FormatError
        When the folder cannot be listed.
    """
    try:
        with os.scandir(folder) as entries:
            names = [
                entry.name
                for entry in entries
                if not _is_hidden(entry.name) and (not is_folder(entry) or _is_zarr_matrix(folder / entry.name))
            ]
    except OSError as error:
        raise FormatError(folder, f"cannot be listed: {(error.strerror or '').lower()}") from error
    return tuple(folder / name for name in natural_sorted(names))


@dataclass(eq=False)
class _FolderWalk:
    """Walks through a folder, depth first, with a list instead of recursion because the depth is not limited."""

    root: Path
    findings_log: FindingsLog
    progress: ReadProgress
    seen: dict[tuple[int, int], Path] = field(default_factory=dict)
    entries: int = 0
    files_by_folder: dict[Path, tuple[Path, ...]] = field(default_factory=dict)

    def folders(self) -> dict[Path, tuple[Path, ...]]:
        """Walk the folders; returns the files of each."""
        if self.root == self.root.parent:
            raise FormatError(self.root, "is the root of a disk; open the folder of one benchmark")
        pending = [self.root]
        while pending:
            folder = pending.pop()
            self.progress.check()
            try:
                subfolders = self._list(folder)
            except OSError as error:
                if folder == self.root:
                    raise FormatError(folder, os_error_text(error)) from error
                self.findings_log.error(folder, f"the folder {os_error_text(error)}", "ignored")
                subfolders = []
            pending += reversed(subfolders)
        return self.files_by_folder

    def _list(self, folder: Path) -> list[Path]:
        status = folder.stat()
        # Some network drives report inode 0 for every folder; a loop of links then ends at MAX_ENTRIES.
        identity = (status.st_dev, status.st_ino)
        if status.st_ino and identity in self.seen:
            if folder.is_symlink():
                first_path = self.findings_log.name_of(self.seen[identity])
                message = f"is a link to the folder '{first_path}', which is read already"
                self.findings_log.warning(folder, message, "ignored")
            return []
        self.seen[identity] = folder
        with os.scandir(folder) as listing:
            unsorted = list(listing)
        is_zarr_node = any(entry.name in METADATA for entry in unsorted)
        if is_zarr_node and (units := zarr_matrices(folder)) in ([folder], []):
            if units:
                siblings = (*self.files_by_folder.get(folder.parent, ()), folder)
                names = natural_sorted([path.name for path in siblings])
                self.files_by_folder[folder.parent] = tuple(folder.parent / name for name in names)
            return []
        entries = [unsorted[index] for index in natural_order([entry.name for entry in unsorted]).tolist()]
        self.entries += len(entries)
        if self.entries > MAX_ENTRIES:
            message = f"holds more than {count_of(MAX_ENTRIES, 'file')}; is this the folder of one benchmark?"
            raise FormatError(self.root, message)
        files: list[Path] = []
        subfolders: list[Path] = []
        if folder != self.root and any(entry.name == SITE_MANIFEST for entry in entries) and is_site(folder):
            # Without a finding: a site inside its benchmark would list itself, and differ in the next build.
            return []
        for entry in entries:
            if _is_hidden(entry.name) or (is_zarr_node and entry.name in METADATA):
                continue
            (subfolders if is_folder(entry) else files).append(folder / entry.name)
            if len(files) % CANCEL_CHECK_INTERVAL == 1:
                self.progress.check()
        self.files_by_folder[folder] = tuple(files)
        if self.entries >= PROGRESS_FROM_ENTRIES:
            self.progress.report(self.entries, 0, "files listed")
        return subfolders


def is_site(folder: Path) -> bool:
    """Whether this program wrote a folder: a contest site or all results, whose images are no models of a benchmark."""
    try:
        with (folder / SITE_MANIFEST).open("rb") as file:
            start = file.read(len(EXPORT_SCHEMA) + 40)
            return any(
                start.startswith(f'{{\n "schema": "{schema}"'.encode()) for schema in (SITE_SCHEMA, EXPORT_SCHEMA)
            )
    except OSError:
        return False


def _is_zarr_matrix(folder: Path) -> bool:
    return is_zarr(folder) and zarr_matrices(folder) == [folder]


def _is_hidden(name: str) -> bool:
    return name.startswith((".", "__MACOSX"))


def is_folder(entry: "os.DirEntry[str]") -> bool:
    """Whether an entry is a folder, or a link to one."""
    try:
        return entry.is_dir()
    except OSError:  # a circular link
        return False


def is_regular_file(path: Path) -> bool:
    """Whether a path is a file, not a device or a pipe, which must never be opened; OSError if it does not exist."""
    return stat.S_ISREG(path.stat().st_mode)
