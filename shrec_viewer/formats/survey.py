"""Walks through a folder and recognises each file by its content."""

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from shrec_viewer.domain import Cancelled, FormatError
from shrec_viewer.formats.archive import is_archive
from shrec_viewer.formats.journal import Journal, count_of
from shrec_viewer.formats.manifest import MANIFEST_NAME
from shrec_viewer.formats.naming import natural_key
from shrec_viewer.formats.reader import never
from shrec_viewer.formats.text import Head, read_head, reason

MESH_SUFFIXES = (
    *(".off", ".obj", ".ply", ".stl", ".glb", ".gltf", ".dae", ".3mf", ".xyz"),
    *(".wrl", ".vrml", ".x3d", ".3ds", ".skp", ".fbx", ".blend"),
)
"""Endings of meshes. The second row cannot be drawn here, but such a file is the model's all the same."""

PICTURE_SUFFIXES = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".webp", ".tif", ".tiff", ".svg")

PACKED_SUFFIXES = (".gz", ".bz2", ".zip")
"""A mesh may be packed: `chair.off.gz`."""

MOST_ENTRIES = 1_000_000
"""Files and folders looked at: twenty times ShapeNetCore55 with its runs; more is somebody's home folder."""

STRANGE_FILES = 50_000
STRANGE_SHARE = 0.9
"""So many files, nearly all of which no reader knows, are a system's or a person's whole disk: no contest's are."""

MANY = 2_000
"""Entries from which somebody is told how many were looked at: below, it takes no time."""

OFTEN = 256
"""Files of one folder between two questions whether anybody still waits."""

MESH = "mesh"
PICTURE = "picture"
ARCHIVE = "archive"
EMPTY = "empty"
UNKNOWN = "unknown"


@dataclass(frozen=True)
class Found:
    """A file and what it was recognised as: the key of a reader, or one of the words above."""

    path: Path
    kind: str
    size: int = 0


@dataclass(eq=False)
class Survey:
    """All files below a folder, in natural order of their paths.

    Attributes
    ----------
    root : the folder.
    folders : files directly in each folder.
    """

    root: Path
    folders: dict[Path, list[Found]] = field(default_factory=dict)

    def files(self, *kinds: str) -> list[Found]:
        """All files of some kinds, or all files."""
        return [found for files in self.folders.values() for found in files if not kinds or found.kind in kinds]


Sniff = Callable[[Head], str | None]
"""The key of the reader that a head belongs to, None for none."""


def survey_folder(
    root: Path,
    sniff: Sniff,
    journal: Journal,
    cancelled: Callable[[], bool],
    progress: Callable[[int, int, str], None] | None = None,
) -> Survey:
    """Everything below `root`.

    Links to folders are followed, once per folder, so a loop ends. Hidden files are passed over, devices and pipes are
    never opened. Meshes and pictures are known by their endings, all else by content.

    Raises
    ------
    FormatError
        When the folder itself cannot be read, is the root of a disk, or holds more than `MOST_ENTRIES` entries.
    """
    if root == root.parent:
        raise FormatError(root, "is the root of a disk; open the folder of one benchmark")
    survey = Survey(root)
    walk = _Walk(survey, sniff, journal, cancelled, progress)
    walk.enter(root, is_root=True)
    return survey


def survey_file(path: Path, sniff: Sniff, journal: Journal) -> Survey:
    """A single file as if it lay alone in its folder."""
    survey = Survey(path.parent)
    found = _Walk(survey, sniff, journal, never).recognise(path)
    survey.folders[path.parent] = [found] if found is not None else []
    return survey


@dataclass
class _Walk:
    survey: Survey
    sniff: Sniff
    journal: Journal
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
                    raise FormatError(folder, reason(error)) from error
                self.journal.error(folder, f"the folder {reason(error)}", "left out")
                inside = []
            is_root = False
            waiting += reversed(inside)

    def _list(self, folder: Path) -> list[Path]:
        status = folder.stat()
        # Some network drives give every folder the number 0; there a loop ends at the limit of entries.
        identity = (status.st_dev, status.st_ino)
        if status.st_ino and identity in self.seen:
            if folder.is_symlink():
                other = self.journal.place(self.seen[identity])
                self.journal.warning(folder, f"is a link to the folder '{other}', which is read already", "left out")
            return []
        self.seen[identity] = folder
        with os.scandir(folder) as listing:
            entries = sorted(listing, key=lambda entry: natural_key(entry.name))
        self.entries += len(entries)
        if self.entries > MOST_ENTRIES:
            why = f"holds more than {count_of(MOST_ENTRIES, 'file')}; is this the folder of one benchmark?"
            raise FormatError(self.survey.root, why)
        files = self.survey.folders.setdefault(folder, [])
        inside = []
        for entry in entries:
            if entry.name.startswith((".", "__MACOSX")):
                continue
            path = folder / entry.name
            if _is_folder(entry):
                inside.append(path)
            elif (found := self.recognise(path)) is not None:
                files.append(found)
            if len(files) % OFTEN == 1 and self.cancelled():
                raise Cancelled
        self._check_strange(files)
        if self.progress is not None and self.entries >= MANY:
            self.progress(self.entries, 0, "files looked at")
        return inside

    def _check_strange(self, files: list[Found]) -> None:
        """End where so much is not known that this is no benchmark; a manifest says that it is one."""
        self.n_files += len(files)
        self.n_unknown += sum(file.kind == UNKNOWN for file in files)
        if self.n_files < STRANGE_FILES or self.n_unknown < STRANGE_SHARE * self.n_files:
            return
        root = self.survey.root
        if not (root / MANIFEST_NAME).is_file():
            seen, unknown = count_of(self.n_files, "file"), f"{self.n_unknown:,}"
            why = f"is no benchmark, it seems: of the first {seen} looked at, {unknown} are of no known kind"
            raise FormatError(
                root, f"{why}; open the folder of one benchmark, or describe this one in a {MANIFEST_NAME}"
            )

    def recognise(self, path: Path) -> Found | None:
        """What one file is; None for what is no file, or cannot be opened (a finding)."""
        suffix = path.suffix.lower()
        if suffix in PACKED_SUFFIXES:
            suffix = Path(path.stem).suffix.lower()
        if suffix in MESH_SUFFIXES:
            return Found(path, MESH)
        if suffix in PICTURE_SUFFIXES:
            return Found(path, PICTURE)
        try:
            status = path.stat()
            if not stat.S_ISREG(status.st_mode):
                self.journal.warning(path, "is no file but a device or a pipe", "left out")
                return None
        except OSError as error:
            self.journal.error(path, reason(error), "left out")
            return None
        if status.st_size == 0:
            return Found(path, EMPTY)
        try:
            head = read_head(path)
            kind = ARCHIVE if is_archive(head) else self.sniff(head)
        except FormatError as error:
            self.journal.failed(error, "left out")
            return None
        return Found(path, kind or UNKNOWN, status.st_size)


def _is_folder(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link that leads in circles
        return False
