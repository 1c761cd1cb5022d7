"""Read a folder, archive, project, benchmark.toml or single run as a Benchmark; read one of its runs again."""

import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import numpy as np

from shrec_viewer.domain import Benchmark, Finding, FormatError, PublishedTable, Run, Severity
from shrec_viewer.formats.core.findings_log import FindingsLog, join_some
from shrec_viewer.formats.core.read_context import read_context_of
from shrec_viewer.formats.core.read_options import DETECT_ALL, ReadOptions
from shrec_viewer.formats.discovery.assembly import assemble
from shrec_viewer.formats.discovery.copies import COPY, log_copies
from shrec_viewer.formats.discovery.file_findings import MeshChecker, log_mesh_faults
from shrec_viewer.formats.discovery.listing import is_regular_file
from shrec_viewer.formats.discovery.quantities import find_quantities, log_value_faults, without_values
from shrec_viewer.formats.discovery.reader_table import run_readers
from shrec_viewer.formats.discovery.reading import open_run, read_files
from shrec_viewer.formats.discovery.recognition import (
    RecognisedFiles,
    archives_of,
    find_benchmarks,
    is_run_file,
    recognise_archives,
    recognise_files,
    recognise_folder,
)
from shrec_viewer.formats.discovery.run_selection import RunName, unique_run_names
from shrec_viewer.formats.io.archive_names import archive_stem, has_archive_suffix
from shrec_viewer.formats.io.progress import ReadHooks, ReadProgress
from shrec_viewer.formats.io.text import os_errors, read_file_head, read_or_none
from shrec_viewer.formats.manifest.manifest import MANIFEST_NAME, PROJECT_SUFFIX, Manifest, read_manifest
from shrec_viewer.formats.manifest.parts import BenchmarkParts, resolve_parts
from shrec_viewer.formats.manifest.slices import with_slices
from shrec_viewer.formats.truth.published import read_published

if TYPE_CHECKING:  # imported where they are needed: few benchmarks are projects
    from shrec_viewer.formats.manifest.project import Project
    from shrec_viewer.formats.manifest.run_changes import RunChanges

__all__ = ["BenchmarkParts", "read_benchmark"]

#: Depth of archives in archives: a contest's `submissions.zip` with one `method_X.zip` each.
MAX_ARCHIVE_DEPTH = 2


def read_benchmark(
    path: Path,
    parts: BenchmarkParts = BenchmarkParts(),  # noqa: B008 - frozen
    *,
    profiles: Collection[str] = (),
    check_meshes: MeshChecker | None = None,
    with_changed_runs: bool = True,
    **hooks: Unpack[ReadHooks],
) -> Benchmark:
    """Read the contents of a folder as one benchmark, with findings.

    Parameters
    ----------
    path : folder, `benchmark.toml`, saved `.shrec` project, `.zip` or `.tar.gz` of a folder, or a single run.
    parts : parts outside the folder, and options for reading runs.
    profiles : keys of all profiles; a profile of benchmark.toml that is not among them is a finding, and "default" is
        used. Empty: not checked.
    check_meshes : applies functions that find damaged meshes and values to them, in processes with limits of time and
        memory; None: they are found when they are drawn.
    with_changed_runs : whether runs are added and changed, and slices named, as a project states; False in the window,
        which does that.
    hooks : see `ReadProgress`. `cancelled` is called between files, `progress` with (done, total, text) for files,
        large files and runs; `run_in_processes` is used for several large text files that `cache` does not hold.

    Raises
    ------
    FormatError
        When the folder cannot be read, or nothing in it is of use. A part that cannot be read is an error finding
        instead, and the rest is read.
    Cancelled
        When `cancelled` returned true.
    """
    read = partial(read_benchmark, profiles=profiles, check_meshes=check_meshes, **hooks)
    if parts.added:
        from shrec_viewer.formats.discovery.submission import with_submissions

        contest = read(path, parts.without_added, with_changed_runs=with_changed_runs)
        return with_submissions(contest, parts.added, parts.read_options, **hooks)
    if (project := _find_project(path)) is not None:
        benchmark = read(project.source, project.with_parts(parts))
        if with_changed_runs:
            benchmark = with_slices(benchmark, project.edits.slices)
            benchmark = _with_changed_runs(benchmark, project.edits.runs, **hooks)
            benchmark = replace(benchmark, published=(*benchmark.published, *project.edits.published))
        return _with_project(benchmark, project, path, profiles)
    source, archive_findings = _unpack_source(Path(os.path.abspath(path)))
    root, manifest_path = _locate_root(source)
    is_single_run = manifest_path is None and not root.is_dir()
    findings_log = FindingsLog(root.parent if is_single_run else root)
    findings_log.extend(archive_findings)
    formats = tuple(reader.key for reader in run_readers())
    manifest = read_manifest(manifest_path, profiles, formats) if manifest_path is not None else None
    if manifest is not None:
        findings_log.extend(manifest.findings, joined=False)
        findings_log.manifest = manifest
    resolved = resolve_parts(manifest, parts)
    read_progress = ReadProgress(**hooks)
    if is_single_run and resolved.runs_in is None:
        resolved = replace(resolved, runs_in=root)
    of_values = [entry.path for entry in resolved.values.values()]
    found = recognise_files(root, resolved.folders, findings_log, read_progress, of_values)
    several = find_benchmarks(found)
    if manifest is None and replace(parts, profile=None, published=()) == BenchmarkParts() and len(several) > 1:
        names = join_some([findings_log.name_of(folder) for folder in several])
        raise FormatError(root, f"holds {len(several)} benchmarks: {names}; open one of them")
    by_roles = [path for path, *_ in resolved.tables_by_roles if path is not None]
    side_files = (*resolved.side_files, *parts.published, *by_roles)
    every, found = found, without_values(found.without(side_files), resolved)
    found, resolved, unpacked = _with_archives(found, resolved, findings_log, read_progress)
    files = read_files(found, resolved, findings_log, read_progress)
    benchmark = assemble(files, resolved, findings_log, read_progress)
    benchmark = replace(benchmark, quantities=find_quantities(benchmark, resolved, every, findings_log))
    if check_meshes is not None:
        log_mesh_faults(benchmark, check_meshes, findings_log, read_progress)
        log_value_faults(benchmark, check_meshes, findings_log, read_progress)
    published = _published_tables(resolved.published, findings_log)
    published += tuple(read_published(path, findings_log.name_of(path)) for path in parts.published)
    sources = _sources(benchmark, manifest_path, (*files.sources, *side_files), unpacked)
    archives = {folder: path for path, folder in unpacked.items()}
    findings = findings_log.findings
    benchmark = replace(benchmark, findings=findings, published=published, sources=sources, archives=archives)
    if resolved.name is None and has_archive_suffix(path):
        return replace(benchmark, name=archive_stem(path))
    return benchmark


def names_of_run_files(path: Path, parts: BenchmarkParts) -> list[str]:
    """Names that the runs of a benchmark probably have, by the beginnings of its files alone, without reading them.

    Files that `read_benchmark` rejects are included; runs in archives, added runs and those of projects are not.
    """
    root, manifest_path = _locate_root(Path(os.path.abspath(path)))
    manifest = None if manifest_path is None else read_manifest(manifest_path)
    resolved, readers = resolve_parts(manifest, parts), {reader.key: reader for reader in run_readers()}
    log, folder = FindingsLog(root), resolved.runs_in or root
    runs = [RunName(entry.path, entry.path.is_dir(), (), entry) for entry in resolved.runs]
    named = {run.path for run in runs}
    for inside, files in without_values(recognise_files(folder, (), log), resolved).folders.items():
        of_runs = [file for file in files if file.kind in readers and file.path not in named]
        lists = [file for file in of_runs if file.kind == "rank_list"]
        if len(lists) > 1 and inside not in named:
            runs.append(RunName(inside, True, ()))
        others = [file for file in of_runs if file not in lists]
        runs += [RunName(file.path, False, (), None, readers[file.kind].suffixes) for file in others]
    return unique_run_names(runs, log)


def _find_project(path: Path) -> "Project | None":
    """A project with the current location of its benchmark; None for any other path."""
    if path.suffix.lower() != PROJECT_SUFFIX:
        return None
    from shrec_viewer.formats.manifest.project import find_source, not_found_reason, project_at, relocate_project

    project = project_at(path)
    if project is None:
        return None
    source = find_source(project)
    if source is None:
        raise FormatError(path, f"belongs to {not_found_reason(project)}")
    return relocate_project(project, source)


def _with_changed_runs(benchmark: Benchmark, changes: "RunChanges", **hooks: Unpack[ReadHooks]) -> Benchmark:
    from shrec_viewer.formats.discovery.submission import load_added_runs, with_run_changes
    from shrec_viewer.formats.manifest.run_changes import RunChanges

    if changes == RunChanges():
        return benchmark
    loaded = load_added_runs(benchmark, changes.added, **hooks)
    return with_run_changes(benchmark, changes, loaded)[0]


def _with_project(benchmark: Benchmark, project: "Project", path: Path, profiles: Collection[str]) -> Benchmark:
    """The benchmark with the profile of a project and the findings about it; parameters as of `read_benchmark`."""
    from shrec_viewer.formats.manifest.project import missing_files

    profile, findings = project.profile, project.findings
    if profiles and profile.partition("+")[0] not in profiles:
        message = f"unknown profile '{profile[:80]}'"
        findings += (Finding(Severity.ERROR, str(path), None, message, "the default profile is used"),)
        profile = "default"
    if missing := missing_files(project):
        message = f"belongs to a benchmark with {join_some(missing)}, missing in '{project.root}'"
        findings += (Finding(Severity.WARNING, str(path), None, message, "read without"),)
    if not project.has_hashes:
        message = f"has no hashes of files or runs: that '{project.root}' is its benchmark cannot be verified"
        findings += (Finding(Severity.INFO, str(path), None, message, "saving the project adds them"),)
    log = FindingsLog(benchmark.root)
    log.extend(findings, joined=False)
    return replace(benchmark, profile=profile, findings=(*log.findings, *benchmark.findings))


def _with_archives(
    found: RecognisedFiles, parts: Manifest, findings_log: FindingsLog, progress: ReadProgress
) -> tuple[RecognisedFiles, Manifest, dict[Path, Path]]:
    """Files including those in archives, parts with archives replaced by their folders, and these folders."""
    folders: dict[Path, Path] = {}
    archives = archives_of(found, (path for path in parts.files if has_archive_suffix(path)))
    for _ in range(MAX_ARCHIVE_DEPTH):
        inside: list[Path] = []
        for path, content in recognise_archives(archives, findings_log, progress).items():
            found = found.joined(content)
            folders[path] = content.root
            inside += archives_of(content)
        archives = inside
    for path in archives:
        findings_log.warning(path, f"an archive in {MAX_ARCHIVE_DEPTH} archives", "not unpacked")

    def unpacked(path: Path | None) -> Path | None:
        return folders.get(path, path) if path is not None else None

    runs = tuple(replace(entry, path=folders.get(entry.path, entry.path)) for entry in parts.runs)
    resolved = replace(
        parts,
        models=unpacked(parts.models),
        query_models=unpacked(parts.query_models),
        runs_in=unpacked(parts.runs_in),
        runs=runs,
    )
    return found, resolved, folders


def _published_tables(paths: Iterable[Path], findings_log: FindingsLog) -> tuple[PublishedTable, ...]:
    """The tables of published scores that benchmark.toml names; one that cannot be read is an error finding."""
    found = []
    for path in paths:
        try:
            found.append(read_published(path, findings_log.name_of(path)))
        except FormatError as error:
            findings_log.failed(error, "ignored")
    return tuple(found)


def _sources(
    benchmark: Benchmark, manifest: Path | None, read: Iterable[Path], unpacked: Mapping[Path, Path]
) -> tuple[Path, ...]:
    """`Benchmark.sources`: for a file in an archive, the archive."""
    named = [] if manifest is None else [manifest]
    sources = dict.fromkeys([*named, *unpacked, *read, *(run.source for run in benchmark.runs)])
    folders = tuple(unpacked.values())
    return tuple(path for path in sources if not any(path.is_relative_to(folder) for folder in folders))


def _unpack_source(path: Path) -> tuple[Path, tuple[Finding, ...]]:
    """Folder that an archive was unpacked into, with findings; other paths unchanged."""
    if os.path.isdir(path) or not os.path.exists(path) or not has_archive_suffix(path):
        return path, ()
    from shrec_viewer.formats.io.archive import unpack

    archive = unpack(path)
    return archive.folder, archive.findings


def _locate_root(path: Path) -> tuple[Path, Path | None]:
    """Folder of a benchmark, or a single run, and the benchmark.toml, if there is one."""
    if os.path.isdir(path):
        manifest = path / MANIFEST_NAME
        return path, manifest if manifest.is_file() else None
    if not os.path.exists(path):  # never raises, unlike `Path.exists`: names may be too long or contain a NUL
        raise FormatError(path, "does not exist")
    if path.name == MANIFEST_NAME or path.suffix.lower() in (".toml", PROJECT_SUFFIX):
        return path.parent, path
    with os_errors(path):
        is_file, size = is_regular_file(path), path.stat().st_size
    if is_file and not size:
        raise FormatError(path, "is empty")
    if is_file and is_run_file(read_file_head(path)):
        return path, None
    message = (
        f"is not a folder, {MANIFEST_NAME}, {PROJECT_SUFFIX} project, .zip, .tar.gz or run; open the folder it is in"
    )
    raise FormatError(path, message)


@dataclass(frozen=True, eq=False)
class ReloadedRun:
    """A run that was read again, with its findings."""

    run: Run
    findings: tuple[Finding, ...]


def reload_run(
    benchmark: Benchmark,
    index: int,
    *,
    read_options: ReadOptions = DETECT_ALL,
    manifest: Path | None = None,
    **hooks: Unpack[ReadHooks],
) -> ReloadedRun:
    """One run of a benchmark from its file as it is now, with the same name and participant.

    Collection, queries and assessment are not read again, so the time is that of reading the run. A run in an archive
    is read from the folder that the archive was unpacked into.

    Parameters
    ----------
    benchmark : what is open.
    index : of the run.
    read_options : format, columns, order and direction; they take precedence over benchmark.toml.
    manifest : file that the benchmark was opened from, if that was a benchmark.toml; None: that of its folder, if any.
    hooks : see `read_benchmark`.

    Raises
    ------
    FormatError
        When the run does not exist, cannot be parsed or does not fit the benchmark, or when a list of a folder that
        could be read before cannot be read now.
    Cancelled
        When `cancelled` returned true.
    """
    before = benchmark.runs[index]
    source = before.source
    findings_log = FindingsLog(benchmark.root)
    options = read_options.merged_over(configured_options(benchmark, before.source, manifest))
    files = recognise_folder(source) if source.is_dir() else ()
    progress = ReadProgress(**hooks)
    run = open_run(source, files, options, progress)
    ranking = run.rank(read_context_of(benchmark, findings_log), options, progress.cancelled)
    errors = [finding for finding in findings_log.findings if finding.severity.rank == 0]
    if ranking is None:
        raise findings_log.as_error(errors[-1])
    lost = before.present & ~ranking.present
    old = {(finding.file, finding.message) for finding in benchmark.findings}
    new = [finding for finding in errors if (finding.file, finding.message) not in old]
    if np.any(lost) and new:
        raise findings_log.as_error(new[0])
    return ReloadedRun(replace(before, source=source, ranking=ranking), findings_log.findings)


def with_run(benchmark: Benchmark, index: int, reloaded: ReloadedRun) -> Benchmark:
    """The benchmark with a run and its findings in place of the old ones."""
    old = benchmark.runs[index]
    runs = (*benchmark.runs[:index], reloaded.run, *benchmark.runs[index + 1 :])
    names = [FindingsLog(benchmark.root).name_of(run.source) for run in (old, reloaded.run)]
    others = [
        finding
        for finding in benchmark.findings
        if finding.key != COPY and not any(_is_below(finding, name) for name in names)
    ]
    log = FindingsLog(benchmark.root)
    log_copies(runs, read_context_of(benchmark, log))
    return replace(benchmark, runs=runs, findings=(*others, *reloaded.findings, *log.findings))


def configured_options(benchmark: Benchmark, source: Path, manifest: Path | None = None) -> ReadOptions:
    """Options that benchmark.toml sets for a run or a table of truth; one that cannot be read sets none.

    Parameters
    ----------
    source : file or folder of the run, or the table.
    manifest : file that the benchmark was opened from; None: that of its folder.
    """
    path = manifest if manifest is not None else benchmark.root / MANIFEST_NAME
    found = read_or_none(read_manifest, path) if path.is_file() else None
    entries = () if found is None else found.runs
    tables = [] if found is None else found.tables_by_roles
    options = {path: ReadOptions(columns=columns) for path, columns, _ in tables}
    return options.get(source) or next((entry.read_options for entry in entries if entry.path == source), DETECT_ALL)


def _is_below(finding: Finding, name: str) -> bool:
    return finding.file == name or finding.file.startswith(f"{name}/")
