"""Check the runs of a submission against an open benchmark, and apply changes of the list of runs to a benchmark."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Unpack

import numpy as np

from shrec_viewer.domain import Benchmark, DistanceMatrix, Finding, FormatError, Run, Severity
from shrec_viewer.formats.core.findings_log import UNDECIDED, FindingsLog
from shrec_viewer.formats.core.read_context import read_context_of
from shrec_viewer.formats.core.read_options import DETECT_ALL, ReadOptions
from shrec_viewer.formats.discovery.copies import log_copies
from shrec_viewer.formats.discovery.reading import RunCandidate, open_run, read_files
from shrec_viewer.formats.discovery.recognition import (
    archives_of,
    is_run,
    recognise_archives,
    recognise_files,
    recognise_folder,
)
from shrec_viewer.formats.discovery.run_selection import load_runs, select_runs, unused_name
from shrec_viewer.formats.io.archive_names import has_archive_suffix
from shrec_viewer.formats.io.progress import ReadHooks, ReadProgress
from shrec_viewer.formats.manifest.parts import BenchmarkParts, resolve_parts
from shrec_viewer.formats.manifest.run_changes import AddedRun, RunChanges, VirtualRun
from shrec_viewer.formats.runs.rank_list_folder import join_single_lists

#: `Finding.key` for an added run that cannot be read.
ADDED_RUN_MISSING = "added-run-missing"


@dataclass(frozen=True, eq=False)
class SubmittedRun:
    """A run of a submission.

    Attributes
    ----------
    run : read against the benchmark; not yet one of its runs.
    path : file, folder or archive to link or copy.
    inside : path of the run below the archive, with forward slashes; "" for a file or folder.
    missing : ids of the queries that it has no results for.
    unknown : number of ids or columns that are not in the collection.
    read_options : how it was read.
    """

    run: Run
    path: Path
    inside: str
    missing: tuple[str, ...]
    unknown: int
    read_options: ReadOptions = DETECT_ALL

    def added(self, name: str, replaces: str = "") -> AddedRun:
        """The run as an added one."""
        return AddedRun(self.path, name, self.run.participant, self.inside, replaces, self.read_options)


@dataclass(frozen=True, eq=False)
class Submission:
    """Runs found in a file, folder or archive, and findings about it; nothing was added or changed."""

    path: Path
    runs: tuple[SubmittedRun, ...]
    findings: tuple[Finding, ...]

    @property
    def has_errors(self) -> bool:
        """Whether a finding is an error, or there is no run."""
        return not self.runs or any(finding.severity is Severity.ERROR for finding in self.findings)


def read_submission(
    benchmark: Benchmark, path: Path, *, options: ReadOptions = DETECT_ALL, **hooks: Unpack[ReadHooks]
) -> Submission:
    """The runs of a file, folder or archive, read against the collection and queries of a benchmark.

    A file or folder that looks like one run is read as such; of any other folder, and of an archive, the runs in it.
    `hooks`: see `read_benchmark`.

    Raises
    ------
    FormatError
        When it does not exist or cannot be read at all.
    Cancelled
        When `cancelled` returned true.
    """
    path = Path(os.path.abspath(path))
    if not os.path.exists(path):
        raise FormatError(path, "does not exist")
    findings_log = FindingsLog(benchmark.root)
    read_progress = ReadProgress(**hooks)
    context = read_context_of(benchmark, findings_log)
    root, unpacked = path, None
    if not path.is_dir() and has_archive_suffix(path):
        unpacked = recognise_archives([path], findings_log, read_progress).get(path)
        if unpacked is None:
            return Submission(path, (), findings_log.findings)
        root = unpacked.root
    if not root.is_dir() or is_run(root):
        files = recognise_folder(root) if root.is_dir() else ()
        try:
            candidates = [RunCandidate(open_run(root, files, options, read_progress), None, options)]
        except FormatError as error:
            findings_log.failed(error, "cannot be added")
            return Submission(path, (), findings_log.findings)
        runs = load_runs(candidates, context, (), read_progress)
    else:
        found = unpacked or recognise_files(root, (), findings_log, read_progress)
        for content in recognise_archives(archives_of(found), findings_log, read_progress).values():
            found = found.joined(content)
        parts = resolve_parts(None, replace(BenchmarkParts(), read_options=options))
        contents = read_files(found, parts, findings_log, read_progress)
        contents = replace(contents, runs=join_single_lists(contents.runs, found.folders, context))
        candidates = select_runs(contents, parts, context)
        runs = load_runs(candidates, context, contents.side_tables, read_progress)
    if not runs and not any(finding.severity is Severity.ERROR for finding in findings_log.findings):
        findings_log.error(path, "holds no run of this benchmark", "cannot be added", key=UNDECIDED)
    log_copies((*(run for run in benchmark.runs if not run.expression), *runs), context, runs)
    submitted = tuple(_submitted(benchmark, run, path, root, options) for run in runs)
    return Submission(path, submitted, findings_log.findings)


def _submitted(benchmark: Benchmark, run: Run, path: Path, root: Path, options: ReadOptions) -> SubmittedRun:
    source, inside = run.source, ""
    if root != path:  # an archive: its temporary folder is another one each time
        source = path
        inside = run.source.relative_to(root).as_posix() if run.source.is_relative_to(root) else ""
        inside = "" if inside == "." else inside  # an archive of one run
    absent = np.flatnonzero(~run.present).tolist()
    items = run.ranking.columns if isinstance(run.ranking, DistanceMatrix) else run.ranking.items
    missing = tuple(benchmark.queries.ids[query] for query in absent)
    return SubmittedRun(run, source, inside, missing, int(np.count_nonzero(items < 0)), options)


def with_submissions(
    benchmark: Benchmark, paths: Sequence[Path], options: ReadOptions = DETECT_ALL, **hooks: Unpack[ReadHooks]
) -> Benchmark:
    """The benchmark with the runs of files, folders and archives at the end; parameters as of `read_submission`.

    A run whose name is taken gets a number. What cannot be read is an error finding.
    """
    loaded: dict[AddedRun, LoadedRun] = {}
    findings: list[Finding] = []
    taken = {run.name for run in benchmark.runs}
    for path in paths:
        try:
            submission = read_submission(benchmark, path, options=options, **hooks)
        except FormatError as error:
            findings.append(Finding(Severity.ERROR, str(error.path), error.line, error.reason, "cannot be added"))
            continue
        findings += [finding for finding in submission.findings if finding not in findings]
        for submitted in submission.runs:
            added = submitted.added(unused_name(submitted.run.name, taken))
            taken.add(added.name)
            loaded[added] = LoadedRun(submitted.run)
    shown, _ = with_run_changes(benchmark, RunChanges(added=tuple(loaded)), loaded)
    return replace(shown, findings=(*findings, *benchmark.findings))


@dataclass(frozen=True, eq=False)
class LoadedRun:
    """An added or virtual run with its findings; `run` is None if it cannot be read or computed."""

    run: Run | None
    findings: tuple[Finding, ...] = ()


def load_added_runs(
    benchmark: Benchmark, added: Sequence[AddedRun], **hooks: Unpack[ReadHooks]
) -> dict[AddedRun, LoadedRun]:
    """Read added runs; one that is missing or cannot be read is an error finding."""
    loaded: dict[AddedRun, LoadedRun] = {}
    for path, options in dict.fromkeys((run.path, run.read_options) for run in added):
        wanted = [run for run in added if (run.path, run.read_options) == (path, options)]
        try:
            submission = read_submission(benchmark, path, options=options, **hooks)
        except FormatError as error:
            loaded |= {run: _not_loaded(run, error.reason) for run in wanted}
            continue
        found = {submitted.inside: submitted.run for submitted in submission.runs}
        for run in wanted:
            present = found.get(run.inside)
            if present is None and not run.inside and len(submission.runs) == 1:
                present = submission.runs[0].run
            reason = next((finding.message for finding in submission.findings), "holds no such run")
            loaded[run] = _not_loaded(run, reason) if present is None else LoadedRun(present, submission.findings)
    return loaded


def _not_loaded(run: AddedRun, reason: str) -> LoadedRun:
    message = f"the added run '{run.name}' cannot be read: {reason}"
    finding = Finding(Severity.ERROR, str(run.path), None, message, "the run is left out", key=ADDED_RUN_MISSING)
    return LoadedRun(None, (finding,))


#: Where a shown run is from: its name as read, the entry of an added or virtual run, or None for further runs.
RunOrigin = str | AddedRun | VirtualRun | None


def with_run_changes(
    benchmark: Benchmark,
    changes: RunChanges,
    loaded: Mapping[AddedRun, LoadedRun],
    extra: Sequence[Run] = (),
    computed: Mapping[VirtualRun, LoadedRun] | None = None,
) -> tuple[Benchmark, tuple[RunOrigin, ...]]:
    """The benchmark with some runs removed, renamed, added and computed, and the origin of each of its runs.

    The records of other runs are the same objects. Names stay distinct: of two equal ones, the later gets a number.

    Parameters
    ----------
    loaded : the added runs; those that are missing are left out.
    extra : further runs at the end, such as former versions.
    computed : the virtual runs, as `loaded`.
    """
    if changes == RunChanges() and not extra:
        return benchmark, tuple(run.name for run in benchmark.runs)
    origins: list[RunOrigin] = []
    replacing = {run.replaces: run for run in changes.added if run.replaces}
    runs: list[Run] = []
    findings = list(benchmark.findings)
    sources = list(benchmark.sources)

    def add(run: Run, name: str, origin: RunOrigin) -> None:
        unique = unused_name(name, {other.name for other in runs})
        runs.append(run if run.name == unique else replace(run, name=unique))
        origins.append(origin)

    def add_loaded(added: AddedRun, participant: str) -> bool:
        found = loaded.get(added)
        if found is None:
            return False
        findings.extend(finding for finding in found.findings if finding not in findings)
        if found.run is None:
            return False
        if not added.inside and not has_archive_suffix(added.path):
            sources.append(added.path)
        is_same = found.run.participant == participant
        add(found.run if is_same else replace(found.run, participant=participant), added.name, added)
        return True

    for run in benchmark.runs:
        substitute = replacing.pop(run.name, None)
        if substitute is not None and add_loaded(substitute, run.participant):
            continue
        if run.name not in changes.removed:
            add(run, changes.names.get(run.name, run.name), run.name)
    for added in changes.added:
        if not added.replaces or added.replaces in replacing:
            add_loaded(added, added.participant)
    for virtual in changes.virtual:
        if (found := (computed or {}).get(virtual)) is not None:
            findings.extend(finding for finding in found.findings if finding not in findings)
            if found.run is not None:
                add(found.run, found.run.name, virtual)
    for run in extra:
        add(run, run.name, None)
    shown = replace(benchmark, runs=tuple(runs), findings=tuple(findings), sources=tuple(dict.fromkeys(sources)))
    return shown, tuple(origins)
