"""List the files below a folder and recognise each by its content or extension."""

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from shrec_viewer.domain import Cancelled, FormatError
from shrec_viewer.formats.core.findings_log import FindingsLog, count_of
from shrec_viewer.formats.core.ids import natural_key
from shrec_viewer.formats.io.archive import is_archive
from shrec_viewer.formats.io.progress import never_cancelled
from shrec_viewer.formats.io.text import FileHead, os_error_text, read_file_head
from shrec_viewer.formats.manifest.manifest import MANIFEST_NAME

MESH_SUFFIXES = (
    *(".off", ".obj", ".ply", ".stl", ".glb", ".gltf", ".dae", ".3mf", ".xyz"),
    *(".wrl", ".vrml", ".x3d", ".3ds", ".skp", ".fbx", ".blend"),
)
"""Endings of meshes. The second row cannot be drawn here, but such a file is the model's all the same."""

PICTURE_SUFFIXES = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".webp", ".tif", ".tiff", ".svg")

COMPRESSED_SUFFIXES = (".gz", ".bz2", ".zip")
"""A mesh may be packed: `chair.off.gz`."""

MAX_ENTRIES = 1_000_000
"""Files and folders looked at: twenty times ShapeNetCore55 with its runs; more is somebody's home folder."""

UNKNOWN_FILES_LIMIT = 50_000
UNKNOWN_SHARE_LIMIT = 0.9
"""So many files, nearly all of which no reader knows, are a system's or a person's whole disk: no contest's are."""

PROGRESS_FROM_ENTRIES = 2_000
"""Entries from which somebody is told how many were looked at: below, it takes no time."""

CANCEL_CHECK_INTERVAL = 256
"""Files of one folder between two questions whether anybody still waits."""

MESH = "mesh"
IMAGE = "picture"
ARCHIVE = "archive"
EMPTY = "empty"
UNKNOWN = "unknown"


@dataclass(frozen=True)
class FoundFile:
    """A file and what it was recognised as: the key of a reader, or one of the words above."""

    path: Path
    kind: str
    size: int = 0


@dataclass(eq=False)
class FolderScan:
    """All files below a folder, in natural order of their paths.

    Attributes
    ----------
    root : the folder.
    folders : files directly in each folder.
    """

    root: Path
    folders: dict[Path, list[FoundFile]] = field(default_factory=dict)

    def files(self, *kinds: str) -> list[FoundFile]:
        """All files of some kinds, or all files."""
        return [found for files in self.folders.values() for found in files if not kinds or found.kind in kinds]


RecogniseFunction = Callable[[FileHead], str | None]
"""The key of the reader that a head belongs to, None for none."""


def scan_folder(
    root: Path,
    sniff: RecogniseFunction,
    findings_log: FindingsLog,
    cancelled: Callable[[], bool],
    progress: Callable[[int, int, str], None] | None = None,
) -> FolderScan:
    """Everything below `root`.

    Links to folders are followed, once per folder, so a loop ends. Hidden files are passed over, devices and pipes are
    never opened. Meshes and pictures are known by their endings, all else by content.

    Raises
    ------
    FormatError
        When the folder itself cannot be read, is the root of a disk, or holds more than `MAX_ENTRIES` entries.
    """
    if root == root.parent:
        raise FormatError(root, "is the root of a disk; open the folder of one benchmark")
    folder_scan = FolderScan(root)
    walk = _FolderWalk(folder_scan, sniff, findings_log, cancelled, progress)
    walk.enter(root, is_root=True)
    return folder_scan


def scan_file(path: Path, sniff: RecogniseFunction, findings_log: FindingsLog) -> FolderScan:
    """A single file as if it lay alone in its folder."""
    folder_scan = FolderScan(path.parent)
    found = _FolderWalk(folder_scan, sniff, findings_log, never_cancelled).recognise(path)
    folder_scan.folders[path.parent] = [found] if found is not None else []
    return folder_scan


@dataclass
class _FolderWalk:
    folder_scan: FolderScan
    sniff: RecogniseFunction
    findings_log: FindingsLog
    cancelled: Callable[[], bool]
    progress: Callable[[int, int, str], None] | None = None
    seen: dict[tuple[int, int], Path] = field(default_factory=dict)
    entries: int = 0
    n_files: int = 0
    n_unknown: int = 0

    def enter(self, folder: Path, *, is_root: bool = False) -> None:
        """List one folder and all below it (with a list of what is left, as depth has no limit)."""
        waiting = [folder]
        while waiting:
            folder = waiting.pop()
            if self.cancelled():
                raise Cancelled
            try:
                inside = self._list(folder)
            except OSError as error:
                if is_root:
                    raise FormatError(folder, os_error_text(error)) from error
                self.findings_log.error(folder, f"the folder {os_error_text(error)}", "left out")
                inside = []
            is_root = False
            waiting += reversed(inside)

    def _list(self, folder: Path) -> list[Path]:
        status = folder.stat()
        # Some network drives give every folder the number 0; there a loop ends at the limit of entries.
        identity = (status.st_dev, status.st_ino)
        if status.st_ino and identity in self.seen:
            if folder.is_symlink():
                other = self.findings_log.place(self.seen[identity])
                self.findings_log.warning(
                    folder, f"is a link to the folder '{other}', which is read already", "left out"
                )
            return []
        self.seen[identity] = folder
        with os.scandir(folder) as listing:
            entries = sorted(listing, key=lambda entry: natural_key(entry.name))
        self.entries += len(entries)
        if self.entries > MAX_ENTRIES:
            why = f"holds more than {count_of(MAX_ENTRIES, 'file')}; is this the folder of one benchmark?"
            raise FormatError(self.folder_scan.root, why)
        files = self.folder_scan.folders.setdefault(folder, [])
        inside = []
        for entry in entries:
            if entry.name.startswith((".", "__MACOSX")):
                continue
            path = folder / entry.name
            if _is_folder(entry):
                inside.append(path)
            elif (found := self.recognise(path)) is not None:
                files.append(found)
            if len(files) % CANCEL_CHECK_INTERVAL == 1 and self.cancelled():
                raise Cancelled
        self._check_strange(files)
        if self.progress is not None and self.entries >= PROGRESS_FROM_ENTRIES:
            self.progress(self.entries, 0, "files looked at")
        return inside

    def _check_strange(self, files: list[FoundFile]) -> None:
        """End where so much is not known that this is no benchmark; a manifest says that it is one."""
        self.n_files += len(files)
        self.n_unknown += sum(file.kind == UNKNOWN for file in files)
        if self.n_files < UNKNOWN_FILES_LIMIT or self.n_unknown < UNKNOWN_SHARE_LIMIT * self.n_files:
            return
        root = self.folder_scan.root
        if not (root / MANIFEST_NAME).is_file():
            seen, unknown = count_of(self.n_files, "file"), f"{self.n_unknown:,}"
            why = f"is no benchmark, it seems: of the first {seen} looked at, {unknown} are of no known kind"
            raise FormatError(
                root, f"{why}; open the folder of one benchmark, or describe this one in a {MANIFEST_NAME}"
            )

    def recognise(self, path: Path) -> FoundFile | None:
        """What one file is; None for what is no file, or cannot be opened (a finding)."""
        suffix = path.suffix.lower()
        if suffix in COMPRESSED_SUFFIXES:
            suffix = Path(path.stem).suffix.lower()
        if suffix in MESH_SUFFIXES:
            return FoundFile(path, MESH)
        if suffix in PICTURE_SUFFIXES:
            return FoundFile(path, IMAGE)
        try:
            status = path.stat()
            if not stat.S_ISREG(status.st_mode):
                self.findings_log.warning(path, "is no file but a device or a pipe", "left out")
                return None
        except OSError as error:
            self.findings_log.error(path, os_error_text(error), "left out")
            return None
        if status.st_size == 0:
            return FoundFile(path, EMPTY)
        try:
            head = read_file_head(path)
            kind = ARCHIVE if is_archive(head) else self.sniff(head)
        except FormatError as error:
            self.findings_log.failed(error, "left out")
            return None
        return FoundFile(path, kind or UNKNOWN, status.st_size)


def _is_folder(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link that leads in circles
        return False
