"""From a folder to a benchmark: what its files are is told by their content, and said in findings."""

import os
import stat
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

from shrec_viewer.domain import Benchmark, FormatError
from shrec_viewer.formats.archive import bare_name, is_called_archive, unpack
from shrec_viewer.formats.assembly import Assembly
from shrec_viewer.formats.bundle import benchmarks_in
from shrec_viewer.formats.journal import Journal, some
from shrec_viewer.formats.manifest import MANIFEST_NAME, PROJECT_SUFFIX, read_manifest
from shrec_viewer.formats.material import gather
from shrec_viewer.formats.nested import open_archives
from shrec_viewer.formats.parse_cache import ParseCache
from shrec_viewer.formats.plan import Parts, make_plan
from shrec_viewer.formats.project import Project, find_source, is_project, moved, read_project
from shrec_viewer.formats.reader import never
from shrec_viewer.formats.readers import READERS
from shrec_viewer.formats.remarks import note_unused
from shrec_viewer.formats.submission import may_be_submission
from shrec_viewer.formats.survey import survey_file, survey_folder
from shrec_viewer.formats.text import Head, read_head, reason
from shrec_viewer.formats.watch import Progress, Watch

RUN_KINDS = ("trec", "submission", "matrix", "named", "long", "listed")
"""Files that are a whole run: a submission that is checked before it is put beside others."""

__all__ = ["Parts", "read_benchmark"]


def read_benchmark(
    path: Path,
    parts: Parts = Parts(),  # noqa: B008 - frozen
    *,
    cancelled: Callable[[], bool] = never,
    progress: Progress | None = None,
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
        found = _found_project(path)
        options: dict[str, Any] = {"cancelled": cancelled, "progress": progress, "profiles": profiles, "cache": cache}
        return replace(read_benchmark(found.source, found.with_parts(parts), **options), profile=found.profile)
    root, manifest_path = _locate(Path(os.path.abspath(path)))
    journal = Journal(root)
    manifest = read_manifest(manifest_path, profiles) if manifest_path is not None else None
    if manifest is not None:
        journal.extend(manifest.findings)
    plan = make_plan(manifest, parts)
    single = manifest is None and not root.is_dir()
    if single:
        surveys = [survey_file(root, recognise_run, journal)]
        root = journal.root = root.parent
    else:
        surveys = [survey_folder(root, recognise, journal, cancelled, progress)]
    several = benchmarks_in(surveys[0])
    if manifest is None and parts == Parts() and len(several) > 1:
        names = some([journal.place(found) for found in several])
        raise FormatError(root, f"holds {len(several)} benchmarks: {names}; open one of them")
    for folder in plan.folders:
        if not any(folder in survey.folders for survey in surveys):
            surveys.append(survey_folder(folder, recognise, journal, cancelled, progress))
    opened = open_archives(surveys, plan.files, recognise, journal, cancelled)
    plan = opened.in_plan(plan)
    surveys += opened.surveys
    material = gather(surveys, journal, Watch(cancelled, progress, cache))
    benchmark = Assembly(root, plan, material, journal, cancelled, progress).benchmark()
    note_unused(material, benchmark, journal)
    name = bare_name(path) if plan.name is None and is_called_archive(path) else benchmark.name
    return replace(benchmark, name=name, findings=journal.findings)


def recognise(head: Head) -> str | None:
    """Key of the first reader that a file looks like, None for none."""
    return next((reader.key for reader in READERS if reader.sniff(head)), None)


def _found_project(path: Path) -> Project:
    """A project whose folder is there, wherever it was moved to."""
    project = read_project(path)
    source = find_source(project)
    if source is None:
        why = f"belongs to '{project.source}', which is not there, nor anything of that name beside the project"
        raise FormatError(path, why)
    return moved(project, source)


def recognise_run(head: Head) -> str | None:
    """The same for a file that somebody calls a run: a table of ids is a submission then."""
    key = recognise(head)
    return "submission" if key in (None, "table", "rank_list") and may_be_submission(head) else key


def _locate(path: Path) -> tuple[Path, Path | None]:
    """Folder of a benchmark and its manifest, if it has one."""
    if path.is_dir():
        manifest = path / MANIFEST_NAME
        return path, manifest if manifest.is_file() else None
    if not path.exists():
        raise FormatError(path, "is not there")
    if is_called_archive(path):
        return _locate(unpack(path))
    if path.name == MANIFEST_NAME or path.suffix.lower() in (".toml", PROJECT_SUFFIX):
        return path.parent, path
    try:
        status = path.stat()
    except OSError as error:
        raise FormatError(path, reason(error)) from error
    is_file = stat.S_ISREG(status.st_mode)
    if is_file and not status.st_size:
        raise FormatError(path, "is empty")
    if is_file and recognise_run(read_head(path)) in RUN_KINDS:
        return path, None
    why = f"is no folder, {MANIFEST_NAME}, {PROJECT_SUFFIX} project, .zip, .tar.gz or run; open the folder it lies in"
    raise FormatError(path, why)
