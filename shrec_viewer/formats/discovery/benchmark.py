"""Read a folder, archive, project, benchmark.toml or single run as a Benchmark."""

import os
import stat
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

from shrec_viewer.domain import Benchmark, FormatError
from shrec_viewer.formats.core.findings_log import FindingsLog, join_some
from shrec_viewer.formats.discovery.assembly import BenchmarkAssembly
from shrec_viewer.formats.discovery.benchmark_findings import log_unused_files
from shrec_viewer.formats.discovery.folder_scan import scan_file, scan_folder
from shrec_viewer.formats.discovery.listing import find_benchmarks, open_archives
from shrec_viewer.formats.discovery.readers import READERS
from shrec_viewer.formats.discovery.reading import read_files
from shrec_viewer.formats.io.archive import archive_stem, has_archive_suffix, unpack
from shrec_viewer.formats.io.parse_cache import ParseCache
from shrec_viewer.formats.io.progress import ProgressCallback, ReadProgress, never_cancelled
from shrec_viewer.formats.io.text import FileHead, os_error_text, read_file_head
from shrec_viewer.formats.manifest.manifest import MANIFEST_NAME, PROJECT_SUFFIX, read_manifest
from shrec_viewer.formats.manifest.parts import BenchmarkParts, resolve_parts
from shrec_viewer.formats.manifest.project import Project, find_source, is_project, read_project, relocate_project
from shrec_viewer.formats.runs.submission import may_be_submission

RUN_KINDS = ("trec", "submission", "matrix", "named", "long", "listed")
"""Files that are a whole run: a submission that is checked before it is put beside others."""

__all__ = ["BenchmarkParts", "read_benchmark"]


def read_benchmark(
    path: Path,
    parts: BenchmarkParts = BenchmarkParts(),  # noqa: B008 - frozen
    *,
    cancelled: Callable[[], bool] = never_cancelled,
    progress: ProgressCallback | None = None,
    profiles: Collection[str] = (),
    cache: ParseCache | None = None,
) -> Benchmark:
    """All that a folder holds, as one benchmark, with findings about everything that was noticed.

    Parameters
    ----------
    path : folder, `benchmark.toml`, saved `.shrec` project, `.zip` or `.tar.gz` of a folder, or a single run.
    parts : parts that lie elsewhere, or that the caller wants read so.
    cancelled : asked between files; once it is true, the reading ends.
    progress : told how many of how many runs are read, and the name of the next; before, how much of a large file.
    profiles : keys of all profiles there are: if the manifest asks for another one, that is a finding, and the
        benchmark asks for "default"; empty: whatever it asks for is passed on.
    cache : keeps what large text files were parsed into; None: they are parsed each time.

    Raises
    ------
    FormatError
        When the folder cannot be read, or nothing in it is of use. A part that cannot be read is an error finding
        instead, and the rest opens.
    Cancelled
        When `cancelled` became true.
    """
    if is_project(path):
        found = _locate_project(path)
        options: dict[str, Any] = {"cancelled": cancelled, "progress": progress, "profiles": profiles, "cache": cache}
        return replace(read_benchmark(found.source, found.with_parts(parts), **options), profile=found.profile)
    root, manifest_path = _locate_root(Path(os.path.abspath(path)))
    findings_log = FindingsLog(root)
    manifest = read_manifest(manifest_path, profiles) if manifest_path is not None else None
    if manifest is not None:
        findings_log.extend(manifest.findings)
    plan = resolve_parts(manifest, parts)
    single = manifest is None and not root.is_dir()
    if single:
        folder_scans = [scan_file(root, recognise_run_format, findings_log)]
        root = findings_log.root = root.parent
    else:
        folder_scans = [scan_folder(root, recognise_format, findings_log, cancelled, progress)]
    several = find_benchmarks(folder_scans[0])
    if manifest is None and parts == BenchmarkParts() and len(several) > 1:
        names = join_some([findings_log.place(found) for found in several])
        raise FormatError(root, f"holds {len(several)} benchmarks: {names}; open one of them")
    for folder in plan.folders:
        if not any(folder in folder_scan.folders for folder_scan in folder_scans):
            folder_scans.append(scan_folder(folder, recognise_format, findings_log, cancelled, progress))
    opened = open_archives(folder_scans, plan.files, recognise_format, findings_log, cancelled)
    plan = opened.with_unpacked(plan)
    folder_scans += opened.folder_scans
    material = read_files(folder_scans, findings_log, ReadProgress(cancelled, progress, cache))
    benchmark = BenchmarkAssembly(root, plan, material, findings_log, cancelled, progress).benchmark()
    log_unused_files(material, benchmark, findings_log)
    name = archive_stem(path) if plan.name is None and has_archive_suffix(path) else benchmark.name
    return replace(benchmark, name=name, findings=findings_log.findings)


def recognise_format(head: FileHead) -> str | None:
    """Key of the first reader that a file looks like, None for none."""
    return next((reader.key for reader in READERS if reader.sniff(head)), None)


def _locate_project(path: Path) -> Project:
    """A project whose folder is there, wherever it was moved to."""
    project = read_project(path)
    source = find_source(project)
    if source is None:
        why = f"belongs to '{project.source}', which is not there, nor anything of that name beside the project"
        raise FormatError(path, why)
    return relocate_project(project, source)


def recognise_run_format(head: FileHead) -> str | None:
    """The same for a file that somebody calls a run: a table of ids is a submission then."""
    key = recognise_format(head)
    return "submission" if key in (None, "table", "rank_list") and may_be_submission(head) else key


def _locate_root(path: Path) -> tuple[Path, Path | None]:
    """Folder of a benchmark and its manifest, if it has one."""
    if path.is_dir():
        manifest = path / MANIFEST_NAME
        return path, manifest if manifest.is_file() else None
    if not path.exists():
        raise FormatError(path, "is not there")
    if has_archive_suffix(path):
        return _locate_root(unpack(path))
    if path.name == MANIFEST_NAME or path.suffix.lower() in (".toml", PROJECT_SUFFIX):
        return path.parent, path
    try:
        status = path.stat()
    except OSError as error:
        raise FormatError(path, os_error_text(error)) from error
    is_file = stat.S_ISREG(status.st_mode)
    if is_file and not status.st_size:
        raise FormatError(path, "is empty")
    if is_file and recognise_run_format(read_file_head(path)) in RUN_KINDS:
        return path, None
    why = f"is no folder, {MANIFEST_NAME}, {PROJECT_SUFFIX} project, .zip, .tar.gz or run; open the folder it lies in"
    raise FormatError(path, why)
