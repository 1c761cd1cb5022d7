"""Step 2 of reading a benchmark: recognise the format of each file by its first bytes or its extension."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.core.findings_log import FindingsLog, count_of
from shrec_viewer.formats.core.reader import (
    ARCHIVE,
    EMPTY,
    IMAGE,
    MESH,
    UNKNOWN,
    FoundFile,
    Match,
    RunReader,
    TruthReader,
)
from shrec_viewer.formats.discovery.listing import (
    CANCEL_CHECK_INTERVAL,
    PROGRESS_FROM_ENTRIES,
    is_regular_file,
    list_files,
    list_folder,
)
from shrec_viewer.formats.discovery.reader_table import (
    LEVELS,
    MATRICES,
    OWN_RESULTS,
    UNREAD_TRUTH,
    all_readers,
    find_reader,
    is_truth_path,
    read_levels,
    run_readers,
)
from shrec_viewer.formats.io.archive_names import is_archive
from shrec_viewer.formats.io.progress import NO_PROGRESS, ReadProgress
from shrec_viewer.formats.io.text import FileHead, os_error_text, read_file_head, read_or_none
from shrec_viewer.formats.manifest.manifest import MANIFEST_NAME
from shrec_viewer.formats.matrices.zarr_store import ZARR, is_zarr
from shrec_viewer.formats.runs.rank_list import MAX_LIST_COLUMNS, is_rank_list
from shrec_viewer.formats.runs.rank_list_folder import COPY_SUFFIXES, single_lists

#: Extensions of meshes that cannot be drawn; such a file is matched to its model as well.
UNDRAWN_SUFFIXES = (".wrl", ".vrml", ".x3d", ".3ds", ".skp", ".fbx", ".blend")

#: Extensions of meshes.
MESH_SUFFIXES = (".off", ".obj", ".ply", ".stl", ".glb", ".gltf", ".dae", ".3mf", ".xyz", *UNDRAWN_SUFFIXES)

IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".webp", ".tif", ".tiff", ".svg")

#: Extensions of compressed meshes: `chair.off.gz`.
COMPRESSED_SUFFIXES = (".gz", ".bz2", ".zip")

UNKNOWN_FILES_LIMIT = 50_000
#: Number of files, and share of unknown ones among them, from which a folder is refused as not a benchmark.
UNKNOWN_SHARE_LIMIT = 0.9

MIN_LISTS = 2
#: Number of files named like meshes or images, and of lines of the first with two words, to look for rank lists.
MIN_PAIRS = 2

#: Files of a folder that are looked at to decide whether it is a run of rank lists.
MAX_SAMPLED_FILES = 20


@dataclass(frozen=True, eq=False)
class RecognisedFiles:
    """Files below some folders with their formats.

    Attributes
    ----------
    root : folder of the benchmark.
    folders : files directly in each folder; folders in the order of the walk.
    """

    root: Path
    folders: Mapping[Path, tuple[FoundFile, ...]]

    def files(self, *kinds: str) -> list[FoundFile]:
        """All files of some kinds, or all files."""
        return [found for files in self.folders.values() for found in files if not kinds or found.kind in kinds]

    def joined(self, other: "RecognisedFiles") -> "RecognisedFiles":
        """These files and others."""
        return replace(self, folders={**self.folders, **other.folders})

    def without(self, paths: Collection[Path]) -> "RecognisedFiles":
        """These files without some."""

        def kept(files: tuple[FoundFile, ...]) -> tuple[FoundFile, ...]:
            return tuple(file for file in files if file.path not in paths)

        return replace(self, folders={folder: kept(files) for folder, files in self.folders.items()}) if paths else self


def recognise_files(
    root: Path,
    more: Iterable[Path],
    findings_log: FindingsLog,
    progress: ReadProgress = NO_PROGRESS,
    of_values: Collection[Path] = (),
) -> RecognisedFiles:
    """Format of each file below a folder, and below `more`, or of a single file; see `list_files`.

    Devices and pipes are not opened; a file that cannot be opened is a finding.

    Parameters
    ----------
    of_values : folders of quantities, whose files are not opened: their format is `UNKNOWN`, unless they are in folders
        with meshes.

    Raises
    ------
    FormatError
        When they cannot be listed, or nearly all of very many files are of unknown format, and there is no
        benchmark.toml.
    """
    listed = list_files(root, more, findings_log, progress)
    root = root.parent if root.is_file() else root
    folders: dict[Path, tuple[FoundFile, ...]] = {}
    n_files = n_unknown = 0
    for folder, paths in listed.items():
        files: list[FoundFile] = []
        is_opened = not any(folder.is_relative_to(one) and not root.is_relative_to(one) for one in of_values)
        by_name = not is_opened or not _are_rank_lists(paths)
        is_opened = is_opened or any(split_extension(path.name.lower())[1] in MESH_SUFFIXES for path in paths)
        for path in paths:
            if len(files) % CANCEL_CHECK_INTERVAL == 0:
                progress.check()
            if (found := recognise_file(path, findings_log, by_name=by_name, is_opened=is_opened)) is not None:
                files.append(found)
        if folder != root and is_truth_path(folder):
            files = [_as_truth(file) for file in files]
        folders[folder] = _without_copies(files, findings_log)
        n_files += len(files)
        n_unknown += sum(file.kind == UNKNOWN for file in files)
        # A home folder or a disk was opened by mistake: without this it would be read to its end.
        if n_files >= UNKNOWN_FILES_LIMIT and n_unknown >= UNKNOWN_SHARE_LIMIT * n_files:
            _refuse_unknown(root, n_files, n_unknown)
        if n_files >= PROGRESS_FROM_ENTRIES:
            progress.report(n_files, 0, "files recognised")
    return RecognisedFiles(root, folders)


def _as_truth(file: FoundFile) -> FoundFile:
    """A file of a folder of truth: not a run, unless it is a TREC run, but levels if it is a matrix of some."""
    kinds = {reader.key for reader in run_readers()} - {"trec"}
    if file.kind not in kinds:
        return file
    are_levels = file.kind in MATRICES and read_or_none(read_levels, file.path) is not None
    return replace(file, kind=LEVELS if are_levels else UNREAD_TRUTH, match=Match.CERTAIN)


def _without_copies(files: Sequence[FoundFile], findings_log: FindingsLog) -> tuple[FoundFile, ...]:
    """The files of a folder without copies of runs and truth by their names, ``A.npy.bak`` or ``A.bak`` of ``A.npy``.

    Copies of rank lists are left to the reader of their folder, which knows the queries.
    """
    others = [file for file in files if file.kind not in (MESH, IMAGE, UNKNOWN)]  # of a million, few are left
    if not any(file.path.name.lower().endswith(COPY_SUFFIXES) for file in others):
        return tuple(files)
    kinds = {reader.key for reader in all_readers() if isinstance(reader, RunReader | TruthReader)} - {"rank_list"}
    names = [file.path.name for file in others if file.kind in kinds]
    named = {split_extension(name)[0]: name for name in names if not name.lower().endswith(COPY_SUFFIXES)}
    named |= {name: name for name in names}
    copies = {}
    for name in names:
        suffix = next((end for end in COPY_SUFFIXES if name.lower().endswith(end)), "")
        if suffix and (original := named.get(name[: -len(suffix)])):
            copies[name] = original
    for file in files:
        if original := copies.get(file.path.name):
            message = f"is a copy of '{original}', by its name"
            findings_log.warning(file.path, message, "ignored; to read it as well, give it another name")
    return tuple(file for file in files if file.path.name not in copies)


def _refuse_unknown(root: Path, n_files: int, n_unknown: int) -> None:
    if not (root / MANIFEST_NAME).is_file():
        message = (
            f"does not look like a benchmark: of the first {count_of(n_files, 'file')}, {n_unknown:,} are of no known "
        )
        message += f"format; open the folder of one benchmark, or describe this one in a {MANIFEST_NAME}"
        raise FormatError(root, message)


def _are_rank_lists(paths: Sequence[Path]) -> bool:
    """Whether files of a folder that are named like meshes or images are lists of the queries of these names.

    Only the first of several is opened.
    """
    named = (path for path in paths if split_extension(path.name.lower())[1] in (*MESH_SUFFIXES, *IMAGE_SUFFIXES))
    first = list(islice(named, MIN_LISTS))
    try:
        if len(first) < MIN_LISTS or not is_regular_file(first[0]):
            return False
        head = read_file_head(first[0])
    except (FormatError, OSError):
        return False
    # Not lists of ids only: a damaged mesh may be the word "OFF".
    return is_rank_list(head) and sum(len(row) == MAX_LIST_COLUMNS for row in head.rows) >= MIN_PAIRS


def recognise_file(
    path: Path, findings_log: FindingsLog, *, by_name: bool = True, is_opened: bool = True
) -> FoundFile | None:
    """Format of one file; None, and a finding, if it is not a regular file or cannot be opened.

    Parameters
    ----------
    by_name : whether files named like meshes and images are such files, without opening them.
    is_opened : whether other files are opened; else they are `UNKNOWN`.
    """
    stem, suffix = split_extension(path.name.lower())
    if suffix in COMPRESSED_SUFFIXES:
        suffix = split_extension(stem)[1]
    # By name, without opening the file: contests have up to a million meshes.
    if suffix in MESH_SUFFIXES and by_name:
        return FoundFile(path, MESH)
    if suffix in IMAGE_SUFFIXES and by_name:
        return FoundFile(path, IMAGE)
    if not is_opened:  # a folder of values has a file for each model; recognising a text takes 0.7 ms
        return FoundFile(path, UNKNOWN)
    try:
        # A named pipe would block the reader until some process writes into it.
        if not is_regular_file(path):
            if is_zarr(path):
                return FoundFile(path, ZARR, match=Match.IF_IDS_KNOWN)
            findings_log.warning(path, "is a device or a pipe, not a file", "ignored")
            return None
        size = path.stat().st_size
    except OSError as error:
        findings_log.error(path, os_error_text(error), "ignored")
        return None
    if size == 0:
        return FoundFile(path, EMPTY)
    try:
        head = read_file_head(path)
    except FormatError as error:
        findings_log.failed(error, "ignored")
        return None
    if is_archive(head):
        return FoundFile(path, ARCHIVE, size)
    kind, match = match_format(head)
    return FoundFile(path, kind or UNKNOWN, size, match)


def split_extension(name: str) -> tuple[str, str]:
    """Stem and suffix of the name of a file as in pathlib, without the 1.5 µs of its properties for each model."""
    dot = name.rfind(".")
    return (name[:dot], name[dot:]) if 0 < dot < len(name) - 1 else (name, "")


def recognise_format(head: FileHead) -> str | None:
    """Key of the first reader that a file matches; None for none."""
    return match_format(head)[0]


def match_format(head: FileHead) -> tuple[str | None, Match]:
    """The same, with how certain the match is."""
    for reader in all_readers():
        if (match := reader.match(head)) >= Match.IF_IDS_KNOWN:
            return reader.key, match
    return None, Match.NO


def recognise_named_run(head: FileHead) -> RunReader | None:
    """Reader of a file that is named as a run; None if it matches no run format that is a single file."""
    matches = [(reader, reader.match(head)) for reader in run_readers() if reader.read_folder is None]
    found = (reader for least in (Match.IF_IDS_KNOWN, Match.IF_NAMED) for reader, match in matches if match >= least)
    return next(found, None)


def is_run_file(head: FileHead) -> bool:
    """Whether a single file looks like a run: its format is one of runs, or of nothing else but it could be a run."""
    key, match = match_format(head)
    reader = find_reader(key or "")
    if isinstance(reader, RunReader) and reader.read_folder is None:
        return match > Match.NO
    return (
        not isinstance(reader, TruthReader)
        and key not in ("manifest", OWN_RESULTS)
        and recognise_named_run(head) is not None
    )


def is_run(path: Path, *, needs_all: bool = True) -> bool:
    """Whether a file, or a folder of rank lists, looks like a run; False for what cannot be opened.

    Parameters
    ----------
    path : a file or folder.
    needs_all : every sampled file of a folder must be a rank list; else one of them.
    """
    try:
        if not path.is_dir():
            return is_run_file(read_file_head(path))
        if (path / MANIFEST_NAME).exists():
            return False
        if is_zarr(path):
            return True
        heads = [read_or_none(read_file_head, file) for file in list_folder(path)[:MAX_SAMPLED_FILES]]
    except (FormatError, OSError):
        return False
    # Formats of one list per file; a folder of them is one run.
    per_query = {reader.key for reader in run_readers() if reader.read_folder is not None}
    are_lists = [head is not None and recognise_format(head) in per_query for head in heads]
    return bool(are_lists) and (all if needs_all else any)(are_lists)


def recognise_folder(folder: Path, limit: int | None = None) -> tuple[FoundFile, ...]:
    """Files directly in a folder, or the first `limit`; FormatError if it cannot be listed.

    If there are none, the lists of the folders below it, see `single_lists`.
    """
    findings_log = FindingsLog(folder)
    if not (paths := list_folder(folder)[:limit]):
        below = list_files(folder, (), findings_log)
        found = {path: _recognised(files[:2], findings_log) for path, files in below.items()}
        return single_lists(found).get(folder, ())[:limit]
    return _recognised(paths, findings_log)


def _recognised(paths: Sequence[Path], findings_log: FindingsLog) -> tuple[FoundFile, ...]:
    """Regular files of one folder."""
    by_name = not _are_rank_lists(paths)
    found = (recognise_file(path, findings_log, by_name=by_name) for path in paths)
    return tuple(file for file in found if file is not None)


#: Formats of truth that do not show that a folder is a benchmark.
NO_PROOF = (UNREAD_TRUTH, "labels", "partiality", "ids")


def find_benchmarks(found: RecognisedFiles) -> list[Path]:
    """Folders directly below the root with truth and meshes or runs of their own; none if the root itself has truth."""
    runs_or_meshes = {MESH, *(reader.key for reader in run_readers())}
    truth = {reader.key for reader in all_readers() if isinstance(reader, TruthReader)} - {*NO_PROOF}
    kinds: dict[Path, set[str]] = {}
    for folder, files in found.folders.items():
        if not folder.is_relative_to(found.root):
            continue
        # Folders named by options may lie outside of the root; they were skipped above.
        parts = folder.relative_to(found.root).parts
        top = found.root / parts[0] if parts else found.root
        kinds.setdefault(top, set()).update(file.kind for file in files)
    if kinds.pop(found.root, set()) & {*truth, "manifest"}:
        return []
    return [folder for folder, seen in kinds.items() if seen & truth and seen & runs_or_meshes]


def archives_of(found: RecognisedFiles, named: Iterable[Path] = ()) -> list[Path]:
    """Archives among the files, and those that are named."""
    return list(dict.fromkeys([*(file.path for file in found.files(ARCHIVE)), *named]))


def recognise_archives(
    archives: Sequence[Path], findings_log: FindingsLog, progress: ReadProgress = NO_PROGRESS
) -> dict[Path, RecognisedFiles]:
    """Files of each archive, in a temporary folder; an archive that cannot be unpacked is an error finding."""
    unpacked: dict[Path, RecognisedFiles] = {}
    if not archives:
        return unpacked
    from shrec_viewer.formats.io.archive import unpack

    for path in archives:
        try:
            archive = unpack(path)
            findings_log.add_unpacked(archive.folder, path)
            findings_log.extend(archive.findings)
            found = recognise_files(archive.folder, (), findings_log, progress)
        except FormatError as error:
            findings_log.failed(error, "ignored")
            continue
        if not (n_files := len(found.files())):
            findings_log.error(path, "is an archive without files, and may be truncated", "ignored")
            continue
        findings_log.info(path, f"archive of {count_of(n_files, 'file')}", "read like a folder")
        unpacked[path] = found
    return unpacked
