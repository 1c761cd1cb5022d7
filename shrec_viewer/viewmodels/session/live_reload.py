"""Live reload: watches the files of the open benchmark by polling, and reloads changed runs."""

import logging
import os
import stat
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal, Slot

from shrec_viewer.domain import Benchmark, Cancelled, Finding, FormatError, Severity
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.formats.core.findings_log import RUN_IGNORED, UNDECIDED
from shrec_viewer.formats.core.read_options import DETECT_ALL
from shrec_viewer.formats.discovery.benchmark import ReloadedRun, reload_run, with_run
from shrec_viewer.formats.discovery.listing import is_folder
from shrec_viewer.formats.discovery.recognition import IMAGE_SUFFIXES, MESH_SUFFIXES, is_run
from shrec_viewer.formats.io.archive_names import has_archive_suffix, is_archive
from shrec_viewer.formats.io.text import read_file_head
from shrec_viewer.formats.manifest.manifest import MANIFEST_NAME, PROJECT_SUFFIX, read_manifest
from shrec_viewer.formats.manifest.parts import BenchmarkParts
from shrec_viewer.formats.manifest.project import find_source, read_project
from shrec_viewer.metrics import find_measure
from shrec_viewer.number_format import format_change, format_value
from shrec_viewer.viewmodels.files.disk_caches import parse_cache
from shrec_viewer.viewmodels.files.finding_location import finding_path, run_at
from shrec_viewer.viewmodels.session.document import Document, has_same_ids, with_reloaded_runs
from shrec_viewer.viewmodels.session.scoring import Means, compute_means
from shrec_viewer.viewmodels.tasks.tasks import LoopThread, Task

_log = logging.getLogger(__name__)

#: Seconds between two polls. Polling alone, without `QFileSystemWatcher`: that forgets replaced files, does not report
#: changes on network drives, and has a limit of watched files (8,192 per user on many systems).
POLL_S = 1.0

#: A change counts once two polls with this interval in seconds see the same sizes and times: writing has ended.
SETTLE_S = 0.3

#: The interval is at least this many times the duration of a poll, so that polling many files takes at most 5 % of a
#: core.
POLL_COST_FACTOR = 20

#: Value that changes when a file changes: size, times and inode; for a folder, those of its files.
Stamp = tuple[object, ...]

#: Stamp of a file that was modified after it was read.
UNREAD: Stamp = ("unread",)

#: Keys of the stamps of `WatchPlan.folders`, `model_folders`, and of `missing_folders` with `searched_folders`.
RUN_FOLDERS, MODEL_FOLDERS, NEW_FOLDERS = "run folders", "model folders", "new folders"

#: Model folders that are watched: if a drive is removed, all of them are missing.
MAX_MODEL_FOLDERS = 100

#: Folders of a benchmark that are watched for new folders of models.
MAX_SEARCHED_FOLDERS = 200

#: Entries of a new folder that are tested for models.
MAX_TESTED_ENTRIES = 100


@dataclass(frozen=True)
class WatchPlan:
    """Files and folders to watch.

    Attributes
    ----------
    runs : file or folder of each run, by run index.
    files : other files whose change requires a full reload: manifest, classifications, qrels, archives.
    folders : folders that hold runs; new entries may be new runs.
    model_folders : folders that hold models and queries, which may be on a drive that is removed and returns.
    missing_folders : folders that held no model when the benchmark was read: those of benchmark.toml and of the parts,
        and empty ones in the benchmark, which may be mount points.
    searched_folders : folders in which a folder of models may appear; empty if there are files of models and queries.
    """

    runs: Mapping[int, Path]
    files: tuple[Path, ...] = ()
    folders: tuple[Path, ...] = ()
    model_folders: tuple[Path, ...] = ()
    missing_folders: tuple[Path, ...] = ()
    searched_folders: tuple[Path, ...] = ()


@dataclass(frozen=True)
class FileChanges:
    """Changes since the last report.

    Attributes
    ----------
    runs : indices of runs.
    files : other files.
    new_runs : new files and folders that look like runs.
    new_models : folders that now hold models, of a benchmark in which some models or queries have no file.
    have_models_returned : folders of models that were missing or empty are not any more.
    """

    runs: frozenset[int] = frozenset()
    files: tuple[Path, ...] = ()
    new_runs: tuple[Path, ...] = ()
    new_models: tuple[Path, ...] = ()
    have_models_returned: bool = False


def watch_plan(
    benchmark: Benchmark, path: Path | None, parts: BenchmarkParts, unreadable: Collection[Path] = ()
) -> WatchPlan:
    """What to watch for a benchmark.

    Parameters
    ----------
    path : the file or folder that was opened.
    parts : files and folders outside `path`.
    unreadable : files and folders of runs that could not be read; they may be half-written.
    """
    if path is not None and has_archive_suffix(path):
        return WatchPlan({}, (path,))  # the files unpacked from it never change
    if path is not None and (archive := _archive_of_project(path)) is not None:
        # Unpacked again for each reload: the unpacked files would always count as changed.
        others = [file for file in benchmark.sources if not file.is_relative_to(benchmark.root) and file != path]
        linked = {index: run.source for index, run in enumerate(benchmark.runs) if run.source in others}
        return WatchPlan(linked, (archive, *(file for file in others if file not in (archive, *linked.values()))))
    read = set(benchmark.sources)
    # The source of a run in an archive is a temporary file, which never changes; the archive is watched.
    runs = {index: run.source for index, run in enumerate(benchmark.runs) if run.source in read}
    sources = set(runs.values())
    # benchmark.toml also if there is none: it may be added. Not projects: only this program writes them.
    files = dict.fromkeys(
        file
        for file in (benchmark.root / MANIFEST_NAME, *benchmark.sources, *unreadable)
        if file not in sources and file.suffix.lower() != PROJECT_SUFFIX
    )
    roots = [root for root in (benchmark.root, parts.runs) if root is not None]
    parents = dict.fromkeys(file.parent for file in sorted({*sources, *filter(has_archive_suffix, files)}))
    folders = tuple(folder for folder in parents if any(folder.is_relative_to(root) for root in roots))
    of_queries = [file.parent for file in benchmark.queries.paths if file is not None]
    model_folders = tuple(dict.fromkeys((*benchmark.collection.folders, *of_queries)))[:MAX_MODEL_FOLDERS]
    if benchmark.collection.has_file.all() and len(of_queries) == len(benchmark.queries):
        return WatchPlan(runs, tuple(files), folders, model_folders)
    below = tuple(islice(_folders_below(benchmark.root, {*runs.values()}), MAX_SEARCHED_FOLDERS))
    missing = [folder for folder in _named_model_folders(benchmark, parts) if not _has_models(folder)]
    missing += [folder for folder in below if not _has_entries(folder)]
    searched = () if benchmark.collection.has_file.any() and of_queries else below
    return WatchPlan(runs, tuple(files), folders, model_folders, tuple(dict.fromkeys(missing)), searched)


def _archive_of_project(path: Path) -> Path | None:
    """The archive that the benchmark of a project is in; None for another benchmark, and where `path` is no project."""
    if path.suffix.lower() != PROJECT_SUFFIX:
        return None
    try:
        source = find_source(read_project(path))
    except FormatError:
        return None
    return source if source is not None and has_archive_suffix(source) and os.path.isfile(source) else None


def _named_model_folders(benchmark: Benchmark, parts: BenchmarkParts) -> list[Path]:
    """Folders of models and queries that parts or benchmark.toml name; they may not exist."""
    path = next((path for path in benchmark.sources if path.suffix.lower() == ".toml"), None)
    try:
        manifest = read_manifest(path) if path is not None else None
    except FormatError:
        manifest = None
    named = [parts.models, parts.queries]
    named += [manifest.models, manifest.query_models, *manifest.missing_paths] if manifest is not None else []
    return [folder for folder in named if folder is not None]


def _folders_below(root: Path, skipped: Collection[Path]) -> Iterator[Path]:
    """A folder and those below it, the upper ones first; without hidden ones and those of `skipped`."""
    level = [root]
    while level:
        yield from level
        below = (path for folder in level for path in sorted(list_folders([folder])) if path not in skipped)
        level = [path for path in below if not path.is_symlink()]


class FileWatcher(QObject):
    """Polls files and folders in a thread.

    Signals
    -------
    changed(changes)
        `FileChanges`, once the files are no longer being written.
    """

    changed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._thread = LoopThread("file watcher", self)
        self._thread.received.connect(self.changed)
        self._thread.failed.connect(self._log_failure)

    @property
    def is_watching(self) -> bool:
        """Whether files are being polled."""
        return self._thread.is_running

    def start(self, make_plan: Callable[[], WatchPlan], read_at: float) -> None:
        """Watch the files of a plan, and no others.

        Parameters
        ----------
        make_plan : called in the thread, as it accesses the disk.
        read_at : when the files were read (`time.time`); files modified since then count as changed.
        """
        self._thread.start(partial(_poll, make_plan, read_at))

    def stop(self) -> None:
        """Watch no files."""
        self._thread.stop()

    def close(self) -> None:
        """End the thread."""
        self._thread.close()

    @Slot(object)
    def _log_failure(self, error: Exception) -> None:
        _log.error("files are no longer watched", exc_info=error)


def _poll(make_plan: Callable[[], WatchPlan], read_at: float, task: Task) -> None:
    """Poll until cancelled and send `FileChanges`."""
    plan = make_plan()
    entries = list_entries(plan.folders) | list_folders(plan.searched_folders)
    known = _stamps(plan, entries, task)
    watched = _watched_paths(plan)
    unread = [key for key, path in watched.items() if _is_modified_since(path, read_at)]
    known.update(dict.fromkeys(unread, UNREAD))
    # Entries that appeared after the benchmark was read and before this thread listed them are new.
    old_entries = entries - _entries_modified_since(entries - {*watched.values()}, read_at)
    pause = 0.0 if unread or old_entries != entries else POLL_S
    unsettled: dict[object, Stamp] = {}
    while not task.wait(pause):
        start = time.monotonic()
        stamps = _stamps(plan, old_entries, task)
        if task.cancelled():
            return
        changed = {key: stamp for key, stamp in stamps.items() if stamp != known[key]}
        settled = {key: stamp for key, stamp in changed.items() if unsettled.get(key) == stamp}
        unsettled = {key: stamp for key, stamp in changed.items() if key not in settled}
        present = zip(known[MODEL_FOLDERS], settled.get(MODEL_FOLDERS, ()), strict=False)
        have_models_returned = any(is_present and not was_present for was_present, is_present in present)
        known.update(settled)
        changes = FileChanges(
            frozenset(index for index in plan.runs if index in settled),
            tuple(file for file in plan.files if file in settled),
            _new_runs(plan.folders, old_entries) if RUN_FOLDERS in settled else (),
            tuple(folder for folder in settled.get(NEW_FOLDERS, ()) if isinstance(folder, Path)),
            have_models_returned,
        )
        if changes != FileChanges():
            task.send(changes)
        pause = SETTLE_S if unsettled else max(POLL_S, POLL_COST_FACTOR * (time.monotonic() - start))


def _watched_paths(plan: WatchPlan) -> dict[object, Path]:
    """Paths of the runs and files by the key of their stamp: the run index, or the path itself."""
    paths: dict[object, Path] = {file: file for file in plan.files}
    paths.update(plan.runs.items())
    return paths


def _stamps(plan: WatchPlan, old_entries: frozenset[Path], task: Task) -> dict[object, Stamp]:
    stamps: dict[object, Stamp] = {}
    for key, path in _watched_paths(plan).items():
        if task.cancelled():
            return stamps
        stamps[key] = _stamp(path)
    entries = sorted(list_entries(plan.folders))
    stamps[RUN_FOLDERS] = (*entries, *(_stamp(entry) for entry in entries if entry not in old_entries))
    stamps[MODEL_FOLDERS] = tuple(_has_entries(folder) for folder in plan.model_folders)
    new = sorted(list_folders(plan.searched_folders) - old_entries)
    candidates = dict.fromkeys((*plan.missing_folders, *new))
    found = [folder for folder in candidates if _has_models(folder)]
    stamps[NEW_FOLDERS] = tuple(folder for folder in found if not any(folder in inner.parents for inner in found))
    return stamps


def _has_entries(folder: Path) -> bool:
    """Whether a folder exists and is not empty, as the mount point of a removed drive is."""
    try:
        with os.scandir(folder) as entries:
            return next(entries, None) is not None
    except OSError:
        return False


def _has_models(folder: Path) -> bool:
    """Whether there is a model among the first entries of a folder and of its folders."""
    names = (name for _, _, files in os.walk(folder) for name in files)
    suffixes = (suffix.lower() for name in islice(names, MAX_TESTED_ENTRIES) for suffix in Path(name).suffixes)
    return any(suffix in (*MESH_SUFFIXES, *IMAGE_SUFFIXES) for suffix in suffixes)


def _stamp(path: Path) -> Stamp:
    try:
        status = path.stat()
        if not stat.S_ISDIR(status.st_mode):
            return (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
        with os.scandir(path) as entries:
            return tuple(sorted(_entry_stamp(entry) for entry in entries if not entry.name.startswith(".")))
    except OSError:
        return ("missing",)


def _entry_stamp(entry: "os.DirEntry[str]") -> tuple[str, int, int, int, int]:
    try:
        status = entry.stat()
    except OSError:
        return (entry.name, 0, 0, 0, 0)
    if stat.S_ISDIR(status.st_mode):
        return (entry.name, 0, 0, 0, 0)
    return (entry.name, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


def _is_modified_since(path: Path, read_at: float) -> bool:
    """Whether a file was modified after `read_at`; times in the future do not count, as some clocks are wrong.

    The time of the last status change counts as well: a copied or moved file keeps its modification time.
    """
    try:
        found = [path.stat()]
        if os.path.isdir(path):
            with os.scandir(path) as entries:
                found += [entry.stat() for entry in entries]
    except OSError:
        return False
    return any(_has_time_since(status, read_at) for status in found)


def _entries_modified_since(entries: Iterable[Path], read_at: float) -> frozenset[Path]:
    """The entries that were modified after `read_at`; the files in a folder do not count."""
    modified: set[Path] = set()
    for entry in entries:
        try:
            if _has_time_since(entry.stat(), read_at):
                modified.add(entry)
        except OSError:  # removed
            continue
    return frozenset(modified)


def _has_time_since(status: os.stat_result, read_at: float) -> bool:
    now = time.time()
    return any(read_at <= modified <= now for modified in (status.st_mtime, status.st_ctime))


def list_entries(folders: Iterable[Path]) -> frozenset[Path]:
    """Paths of the visible entries of these folders; folders that cannot be read have none."""
    found: set[Path] = set()
    for folder in folders:
        try:
            found |= {folder / name for name in os.listdir(folder) if not name.startswith(".")}
        except OSError:
            continue
    return frozenset(found)


def list_folders(folders: Iterable[Path]) -> frozenset[Path]:
    """Paths of the visible folders in these folders, and of links to folders.

    Without a path for each file: those of a million models would take 0.4 GB, at each poll.
    """
    found: set[Path] = set()
    for folder in folders:
        try:
            with os.scandir(folder) as entries:
                found.update(
                    folder / entry.name for entry in entries if not entry.name.startswith(".") and is_folder(entry)
                )
        except OSError:
            continue
    return frozenset(found)


def _new_runs(folders: Iterable[Path], old_entries: frozenset[Path]) -> tuple[Path, ...]:
    return tuple(sorted(path for path in list_entries(folders) - old_entries if _looks_like_run(path)))


def _looks_like_run(path: Path) -> bool:
    return is_run(path, needs_all=False) or (os.path.isfile(path) and _is_archive(path))


def _is_archive(path: Path) -> bool:
    try:
        return is_archive(read_file_head(path))
    except FormatError:
        return False


#: `Finding.action` for changed files that cannot be used.
PREVIOUS_VERSION_USED = "previous version used"

#: `Finding.key` for changed files that cannot be used.
PREVIOUS_VERSION_KEY = "kept-version"


def previous_version_finding(benchmark: Benchmark, error: FormatError) -> Finding:
    """The finding for a changed file that cannot be read, so that its previous version is used."""
    try:
        file = Path(error.path).relative_to(benchmark.root).as_posix()
    except ValueError:
        file = Path(error.path).as_posix()
    return Finding(Severity.ERROR, file, error.line, error.reason, PREVIOUS_VERSION_USED, key=PREVIOUS_VERSION_KEY)


def find_loss(old: Benchmark, new: Benchmark) -> Finding | None:
    """Why a reloaded benchmark `new` should not replace `old`; None if it should.

    A file is often read half-written: then there are new errors, or classification, relevance assessment, queries or
    runs are missing. Errors in the files of a run, and in files that are new, do not count.
    """
    known = {(finding.file, finding.message) for finding in old.findings}
    read_before = {old.root, old.root / MANIFEST_NAME, *old.sources} - {run.source for run in old.runs}
    for finding in new.findings:
        is_new = finding.severity is Severity.ERROR and (finding.file, finding.message) not in known
        if is_new and finding_path(new, finding) in read_before:
            return replace(finding, action=PREVIOUS_VERSION_USED, key=PREVIOUS_VERSION_KEY)
    lost = old.assessment is not None and new.assessment is None
    lost |= old.classification is not None and new.classification is None
    lost |= bool(old.runs) and not new.runs
    lost |= bool(len(old.queries)) and not len(new.queries)
    lost |= bool(len(old.collection)) and not len(new.collection)
    message = "a part of the benchmark that was read before is missing"
    return (
        Finding(Severity.ERROR, ".", None, message, PREVIOUS_VERSION_USED, key=PREVIOUS_VERSION_KEY) if lost else None
    )


def keep_unreadable_runs(old: Benchmark, new: Benchmark) -> Benchmark:
    """`new` with the runs of `old` that exist but cannot be read now, each with a finding.

    Only if collection and queries are the same, as results refer to them.
    """
    read = {run.source for run in new.runs}
    reasons = unreadable_runs(new)
    kept = [run for run in old.runs if run.source in reasons and run.source not in read]
    if not kept or not has_same_ids(old, new):
        return new
    sources = {run.source for run in kept}
    findings = [
        replace(finding, severity=Severity.ERROR, action=PREVIOUS_VERSION_USED, key=PREVIOUS_VERSION_KEY, setting=None)
        if finding.severity is not Severity.INFO and finding_path(new, finding) in sources
        else finding
        for finding in new.findings
    ]
    order = {run.name: index for index, run in enumerate(old.runs)}
    runs = sorted((*new.runs, *kept), key=lambda run: order.get(run.name, len(order)))
    return replace(new, runs=tuple(runs), findings=tuple(findings))


def unreadable_runs(benchmark: Benchmark, new: Collection[Path] = ()) -> dict[Path, str]:
    """Files and folders of runs that could not be read, with the reason.

    Parameters
    ----------
    new : files and folders that are runs by their content; a warning about them counts as well.
    """
    stored = [(run.source, benchmark.stored_path(run.source)) for run in benchmark.runs]
    read = {path for source, place in stored for path in (place, *(() if place == source else place.parents))}
    reasons: dict[Path, str] = {}
    for finding in benchmark.findings:
        path = finding_path(benchmark, finding)
        run = next((above for above in (path, *path.parents) if above in new), path)
        is_severe = finding.severity is not Severity.INFO
        is_fault = finding.key == RUN_IGNORED or (run in new and is_severe)
        is_fault |= finding.key == UNDECIDED and is_severe and os.path.isdir(path)  # named after queries, but not lists
        if is_fault and run not in read:
            reasons.setdefault(run, f"{finding.location}: {finding.message}")
    return reasons


@dataclass(frozen=True, eq=False)
class ReloadedRuns:
    """A document with some reloaded runs.

    Attributes
    ----------
    old, document : before and after.
    read : indices of the runs that were replaced.
    failed : error message by index of each run that could not be read and was kept.
    scores, means : of `document`; None and empty where there were none before.
    """

    old: Document
    document: Document
    read: tuple[int, ...]
    failed: Mapping[int, str]
    scores: Scores | None
    means: Means


def read_changed_runs(old: Document, indices: Sequence[int], task: Task) -> ReloadedRuns:
    """Reload some runs of a document and rescore them; a run that cannot be read is not replaced."""
    benchmark, scores, read, failed = old.benchmark, old.scores, list[int](), dict[int, str]()
    for done, index in enumerate(indices):
        if task.cancelled():
            raise Cancelled
        task.progress(done, len(indices), benchmark.runs[index].name)
        benchmark = _without_reload_findings(benchmark, index)
        try:
            found = reload_run(
                benchmark,
                index,
                read_options=old.read_options.get(old.origins[index], DETECT_ALL),
                manifest=old.manifest,
                cancelled=task.cancelled,
                progress=task.progress,
                cache=parse_cache(),
            )
            _raise_new_error(benchmark, index, found)
        except FormatError as error:
            finding = previous_version_finding(benchmark, error)
            failed[index] = f"{finding.location}: {finding.message}"
            benchmark = replace(benchmark, findings=(*benchmark.findings, finding))
        else:
            benchmark = with_run(benchmark, index, found)
            read.append(index)
    while True:
        new = with_reloaded_runs(old, benchmark, read)
        try:
            scores = None if scores is None else rescore(scores, new.benchmark, read, task)
            means = {} if scores is None else compute_means(scores)
            return ReloadedRuns(old, new, tuple(read), failed, scores, means)
        except FormatError as error:  # a large matrix changed again, between reading and evaluation
            changed = next((changed for changed in read if benchmark.runs[changed].source == error.path), None)
            if changed is None:
                raise
            read.remove(changed)
            benchmark = with_run(benchmark, changed, ReloadedRun(old.benchmark.runs[changed], ()))
            finding = previous_version_finding(benchmark, error)
            failed[changed] = f"{finding.location}: {finding.message}"
            benchmark = replace(benchmark, findings=(*benchmark.findings, finding))


def rescore(scores: Scores, benchmark: Benchmark, indices: Sequence[int], task: Task) -> Scores:
    """`scores` with the runs at `indices` reevaluated; scores of the other runs are reused."""
    names = [benchmark.runs[index].name for index in indices]
    keys = [measure.key for measure in scores.measures]
    raw_values, hits, anomalies = scores.raw_values.copy(), list(scores.hits), list(scores.anomalies)
    if names:
        new = task.evaluate(
            benchmark,
            scores.profile,
            runs=names,
            measures=keys,
            ties=scores.ties,
            cancelled=task.cancelled,
            progress=task.progress,
        )
        for index, name in enumerate(names):
            row = scores.run_index(name)
            raw_values[row], hits[row], anomalies[row] = new.raw_values[index], new.hits[index], new.anomalies[index]
    return replace(scores, benchmark=benchmark, raw_values=raw_values, hits=tuple(hits), anomalies=tuple(anomalies))


def _raise_new_error(benchmark: Benchmark, index: int, found: ReloadedRun) -> None:
    """Raise `FormatError` if a run without errors now has one: its file may be half-written."""
    errors = (finding for finding in benchmark.findings if finding.severity is Severity.ERROR)
    if any(run_at(benchmark, finding_path(benchmark, finding)) == index for finding in errors):
        return
    for finding in found.findings:
        if finding.severity is Severity.ERROR:
            raise FormatError(benchmark.root / finding.file, finding.message, finding.line)


def _without_reload_findings(benchmark: Benchmark, index: int) -> Benchmark:
    """The benchmark without the findings of the last failed attempt to read a run."""
    findings = tuple(
        finding
        for finding in benchmark.findings
        if finding.key != PREVIOUS_VERSION_KEY or run_at(benchmark, finding_path(benchmark, finding)) != index
    )
    return replace(benchmark, findings=findings)


def run_reloaded_text(reloaded: ReloadedRuns, index: int, before: NDArray[np.float64], measure: str) -> str:
    """Message for a reloaded run: ``"M2 reloaded, MAP 0.412 → 0.437 (+0.025)"``.

    Parameters
    ----------
    index : of the run.
    before : (R, M) float64, means over queries before; (0, 0) where there were none.
    measure : key of the selected measure.
    """
    name = reloaded.document.benchmark.runs[index].name
    scores = reloaded.scores
    keys = () if scores is None else tuple(resolved.key for resolved in scores.measures)
    if scores is None or measure not in keys or not before.size:
        return f"{name} reloaded"
    cell = scores.run_index(name), scores.column(measure)
    old, new = float(before[cell]), float(reloaded.means["queries"][cell])
    label = find_measure(measure).mean_name
    if old == new or (np.isnan(old) and np.isnan(new)):
        return f"{name} reloaded, {label} unchanged at {format_value(new)}"
    if format_value(old) == format_value(new):
        return f"{name} reloaded, {label} {format_value(new)}, changed by less than 0.001"
    return f"{name} reloaded, {label} {format_change(old, new)}"


def reload_text(reason: str, before: Sequence[str], now: Sequence[str]) -> str:
    """Message for a reloaded benchmark: the reason and the names of runs added or removed; "" for neither."""
    added = [name for name in now if name not in before]
    removed = [name for name in before if name not in now]
    parts = [f"new {'runs' if len(added) > 1 else 'run'}: {', '.join(added)}"] if added else []
    parts += [f"removed: {', '.join(removed)}"] if removed else []
    text = "; ".join(parts)
    return "; ".join(part for part in (reason, text) if part) if reason else text[:1].upper() + text[1:]
