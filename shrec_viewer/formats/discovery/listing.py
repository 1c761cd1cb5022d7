"""Unpack and list the archives of a benchmark; detect folders that hold several benchmarks."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.core.findings_log import FindingsLog, count_of
from shrec_viewer.formats.discovery.folder_scan import ARCHIVE, MESH, FolderScan, RecogniseFunction, scan_folder
from shrec_viewer.formats.io.archive import has_archive_suffix, unpack
from shrec_viewer.formats.manifest.parts import ResolvedParts

MAX_ARCHIVE_DEPTH = 2
"""Archives in archives that are opened: a contest's `submissions.zip` with one `method_X.zip` each."""


@dataclass(eq=False)
class OpenedArchives:
    """What the archives of a benchmark held.

    Attributes
    ----------
    surveys : of the folders that they were unpacked into.
    folders : folder of each archive.
    """

    folder_scans: list[FolderScan] = field(default_factory=list)
    folders: dict[Path, Path] = field(default_factory=dict)

    def with_unpacked(self, plan: ResolvedParts) -> ResolvedParts:
        """The plan with the folders instead of the archives that it names."""
        return replace(
            plan,
            models=self._folder(plan.models),
            query_files=self._folder(plan.query_files),
            runs_only=self._folder(plan.runs_only),
            runs=tuple(replace(entry, path=self.folders.get(entry.path, entry.path)) for entry in plan.runs),
        )

    def _folder(self, path: Path | None) -> Path | None:
        return self.folders.get(path, path) if path is not None else None


def open_archives(
    folder_scans: Sequence[FolderScan],
    named: Sequence[Path],
    sniff: RecogniseFunction,
    findings_log: FindingsLog,
    cancelled: Callable[[], bool],
) -> OpenedArchives:
    """Unpack every archive in some folders, those that are named, and those inside.

    One that cannot be unpacked is an error finding.
    """
    done = OpenedArchives()
    waiting = [found.path for folder_scan in folder_scans for found in folder_scan.files(ARCHIVE)]
    waiting += [path for path in dict.fromkeys(named) if has_archive_suffix(path) and path not in waiting]
    for _ in range(MAX_ARCHIVE_DEPTH):
        inside = []
        for path in waiting:
            try:
                folder = unpack(path)
                findings_log.mount(folder, path)
                folder_scan = scan_folder(folder, sniff, findings_log, cancelled)
            except FormatError as error:
                findings_log.failed(error, "left out")
                continue
            findings_log.info(path, f"archive of {count_of(len(folder_scan.files()), 'file')}", "read like a folder")
            done.folder_scans.append(folder_scan)
            done.folders[path] = folder
            inside += [found.path for found in folder_scan.files(ARCHIVE)]
        waiting = inside
    for path in waiting:
        findings_log.warning(path, "an archive in an archive in an archive", "not looked into")
    return done


TRUTH_KINDS = ("cla", "truth", "classes", "qrels", "pairs")
RUN_OR_MESH_KINDS = ("matrix", "trec", "submission", "rank_list", MESH)


def find_benchmarks(folder_scan: FolderScan) -> list[Path]:
    """Folders directly below with truth and meshes or runs of their own; none where the folder itself has truth."""
    kinds: dict[Path, set[str]] = {}
    for folder, files in folder_scan.folders.items():
        parts = folder.relative_to(folder_scan.root).parts
        top = folder_scan.root / parts[0] if parts else folder_scan.root
        kinds.setdefault(top, set()).update(found.kind for found in files)
    if kinds.pop(folder_scan.root, set()) & {*TRUTH_KINDS, "manifest"}:
        return []
    return [folder for folder, found in kinds.items() if found & set(TRUTH_KINDS) and found & set(RUN_OR_MESH_KINDS)]
