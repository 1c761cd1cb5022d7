"""Check submissions against the open benchmark, add their runs, and undo that; remove and rename runs."""

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoCommand

from shrec_viewer.domain import Benchmark, Finding, FormatError, Severity
from shrec_viewer.evaluation.virtual_runs import with_renamed_run
from shrec_viewer.formats.core.read_options import DETECT_ALL, ReadOptions
from shrec_viewer.formats.discovery.run_selection import unused_name
from shrec_viewer.formats.discovery.submission import LoadedRun, Submission, SubmittedRun, read_submission
from shrec_viewer.formats.io.archive_names import has_archive_suffix
from shrec_viewer.formats.io.atomic import atomic_folder, atomic_path, write_text_atomic
from shrec_viewer.formats.io.limits import MAX_NAME_BYTES
from shrec_viewer.formats.manifest.manifest import (
    MANIFEST_NAME,
    PROJECT_SUFFIX,
    ManifestEdit,
    edits_of_options,
    write_manifest,
)
from shrec_viewer.formats.manifest.run_changes import AddedRun, RunChanges, VirtualRun
from shrec_viewer.formats.runs.version_store import content_digest
from shrec_viewer.resources import resource
from shrec_viewer.viewmodels.files.disk_caches import parse_cache
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.tasks.tasks import Task
from shrec_viewer.viewmodels.text.labels import count_text

#: Keys of the tasks that read submissions, and that copy or link them.
CHECK_LANE, WRITE_LANE = "check runs", "add run"

#: Where added runs are kept: copied into the folder of the runs, linked in benchmark.toml, or in the project.
COPY, LINK, PROJECT = "copy", "link", "project"


@dataclass(frozen=True)
class Destination:
    """A way to add runs.

    Attributes
    ----------
    key : `COPY`, `LINK` or `PROJECT`.
    label : text of the choice.
    path : folder or file that is written; None for the project.
    problem : why it is not possible; "" if it is.
    """

    key: str
    label: str
    path: Path | None
    problem: str = ""


@dataclass(frozen=True, eq=False)
class RunToAdd:
    """A run of a submission that the user accepts.

    Attributes
    ----------
    submitted : the run.
    replaces : name of the shown run that it replaces; "" for a new run.
    """

    submitted: SubmittedRun
    replaces: str = ""


def runs_folder(benchmark: Benchmark) -> Path:
    """The folder of most runs, if that is in the benchmark; else its folder ``runs``, which may not exist."""
    parents = [run.source.parent for run in benchmark.runs]
    best = max(parents, key=parents.count, default=None)
    is_inside = best is not None and best.is_dir() and best.is_relative_to(benchmark.root)
    return best if best is not None and is_inside else benchmark.root / "runs"


def destinations(session: Session, runs: Sequence[RunToAdd]) -> tuple[Destination, ...]:
    """The three ways to add these runs, and why some are not possible."""
    benchmark, path = session.benchmark, session.path
    assert path is not None
    read = replace(benchmark, runs=session.runs_as_read)
    folder = runs_folder(read)
    manifest = session.manifest or benchmark.root / MANIFEST_NAME
    common = unwritable_reason(session, path)
    if not common and any(run.replaces for run in runs):
        common = "a run that replaces another one is kept in the project"
    copying = common or _copy_problem(folder, runs)
    written = manifest if os.path.exists(manifest) else manifest.parent
    reasons_against_links = (
        (session.parts.runs is not None, "the runs were given separately"),
        (manifest.suffix.lower() == PROJECT_SUFFIX, "the benchmark is a project"),
        (not os.access(written, os.W_OK), f"{manifest} cannot be written"),
        (any(run.submitted.inside for run in runs), "the archive contains several runs"),
    )
    linking = common or next((reason for holds, reason in reasons_against_links if holds), "")
    return (
        Destination(COPY, f"Copy to {folder}", folder, copying),
        Destination(LINK, f"Link in {manifest.name}", manifest, linking),
        Destination(PROJECT, "Link in the project: no file is changed until it is saved", None),
    )


def unwritable_reason(session: Session, path: Path) -> str:
    """Why nothing can be written next to the files of the open benchmark; "" if it can."""
    root = session.benchmark.root
    if has_archive_suffix(path):
        return "the benchmark is an archive"
    if root.resolve().is_relative_to(resource("demo").resolve()):
        return "the demo is part of the program"
    is_run = any(run.source == root for run in session.runs_as_read)  # a folder of rank lists: copies would be in it
    if is_run or (path.is_file() and path.suffix.lower() not in (".toml", PROJECT_SUFFIX)):
        return "a single run is open"
    return ""


def _copy_problem(folder: Path, runs: Sequence[RunToAdd]) -> str:
    existing_parent = folder if os.path.exists(folder) else folder.parent
    if not os.access(existing_parent, os.W_OK):
        return f"{existing_parent} cannot be written"
    if any(run.submitted.read_options != DETECT_ALL for run in runs):
        return "copies would be read without the given options; a link keeps them"
    for path in _paths(runs):
        if path.is_relative_to(folder):
            return f"{path.name} is in this folder already"
        if (folder / path.name).exists():
            return f"it contains {path.name} already"
    return ""


def _paths(runs: Sequence[RunToAdd]) -> list[Path]:
    return list(dict.fromkeys(run.submitted.path for run in runs))


@dataclass(frozen=True)
class WrittenFiles:
    """What was written.

    Attributes
    ----------
    copies : digest of the content of each file or folder that was copied.
    manifest : benchmark.toml, and its text before (None: it did not exist) and after; None if it was not changed.
    folder : folder that was created for the copies; None if it existed.
    """

    copies: tuple[tuple[Path, str], ...] = ()
    manifest: tuple[Path, str | None, str] | None = None
    folder: Path | None = None


class RunSubmissions(QObject):
    """Submissions that were checked against the open benchmark; nothing is added before `add`.

    Signals
    -------
    changed()
        `submissions`, `failures` or `is_checking` was replaced.
    added()
        Runs were added.
    """

    changed = Signal()
    added = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._benchmark: Benchmark | None = None
        self.submissions: tuple[Submission, ...] = ()
        self.failures: tuple[Finding, ...] = ()
        self.is_checking = False

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Findings about all submissions, errors first."""
        found = [finding for submission in self.submissions for finding in submission.findings]
        return tuple(sorted((*self.failures, *found), key=_severity))

    @property
    def runs(self) -> tuple[SubmittedRun, ...]:
        """Runs of all submissions."""
        return tuple(run for submission in self.submissions for run in submission.runs)

    @property
    def has_errors(self) -> bool:
        """Whether a submission cannot be read, or a finding is an error."""
        return bool(self.failures) or any(submission.has_errors for submission in self.submissions)

    def check(self, paths: Sequence[Path], options: ReadOptions = DETECT_ALL) -> None:
        """Read files, folders and archives against the open benchmark with these options, in the background."""
        benchmark = self._benchmark = self._session.benchmark
        if not self._session.is_open:
            return
        for task in self._session.tasks.running:
            if task.key == CHECK_LANE:
                self._session.message.emit("info", f"{task.title}: cancelled, as other files were chosen", "")
        self._session.tasks.stop(CHECK_LANE)
        self.submissions, self.failures, self.is_checking = (), (), True
        self.changed.emit()
        work = partial(_check, benchmark, tuple(paths), options)
        title = f"Checking {', '.join(path.name for path in paths[:3])}"
        self._session.tasks.run(
            CHECK_LANE, work, self._show, self._fail, stopped=self._show_stopped, title=title, listed=True
        )

    def _show(self, found: tuple[tuple[Submission, ...], tuple[Finding, ...]]) -> None:
        self.is_checking = False
        self.submissions, self.failures = found
        self.changed.emit()

    def _show_stopped(self) -> None:
        self.is_checking = False
        self.changed.emit()

    def _fail(self, error: Exception) -> None:
        self._show_stopped()
        self._session.report_failure("The submission cannot be checked", error)

    def add(self, runs: Sequence[RunToAdd], key: str) -> None:
        """Add runs in one of the `destinations`; the result can be undone."""
        session = self._session
        if not runs:
            return
        destination = next(way for way in destinations(session, runs) if way.key == key)
        if destination.problem:
            session.failed.emit(f"The runs cannot be added: {destination.problem}", "")
        elif destination.path is None:
            self._add_to_project(runs)
        else:
            names = _names_text(runs)
            work, done = partial(write_runs, destination, runs), partial(self._show_written, destination, runs)
            problem, title = f"{names} cannot be added", f"Adding {names}"
            session.tasks.run(WRITE_LANE, work, done, problem, title=title, listed=True)

    def _show_written(self, destination: Destination, runs: Sequence[RunToAdd], written: WrittenFiles) -> None:
        session, edits = self._session, self._session.edits
        edits.stack.push(AddFilesCommand(session, destination, runs, written))
        edits.set_saved(edits.saved)  # files on disk are no unsaved edits
        session.reload_because(
            f"{_names_text(runs)}: {'copied to' if written.copies else 'linked in'} {destination.path}"
        )
        self.added.emit()

    def _add_to_project(self, runs: Sequence[RunToAdd]) -> None:
        session, benchmark = self._session, self._session.benchmark
        changes = session.edits.edited.runs
        shown = {run.name: index for index, run in enumerate(benchmark.runs)}
        taken = set(shown)
        loaded: dict[AddedRun, LoadedRun] = {}
        is_same_benchmark = self._benchmark is not None and (
            self._benchmark.collection is benchmark.collection and self._benchmark.queries is benchmark.queries
        )
        for run in runs:
            submission = next(one for one in self.submissions if run.submitted in one.runs)
            if run.replaces in shown:
                added, changes = _replacing(session, changes, run, shown[run.replaces])
            else:
                added = run.submitted.added(unused_name(run.submitted.run.name, taken))
                changes = replace(changes, added=(*changes.added, added))
            taken.add(added.name)
            if is_same_benchmark:
                loaded[added] = LoadedRun(run.submitted.run, submission.findings)
        session.provide_added(loaded)
        names = ", ".join(run.replaces or run.submitted.run.name for run in runs[:3])
        session.edits.set_runs(changes, f"{'replace' if runs[0].replaces else 'add'} {names}")
        links = "link" if len(runs) == 1 else "links"
        session.done.emit(f"{_names_text(runs)}: linked, and saved with the project. Undo removes the {links}.")
        self.added.emit()


def _replacing(session: Session, changes: RunChanges, run: RunToAdd, index: int) -> tuple[AddedRun, RunChanges]:
    """The entry of a run that replaces a shown one, and the changes with it."""
    origin = session.origin(index)
    if isinstance(origin, AddedRun):  # the entry of the former replacement, at the same position
        added = run.submitted.added(origin.name, origin.replaces)
        added = replace(added, participant=origin.participant)
        return added, replace(changes, added=tuple(added if one == origin else one for one in changes.added))
    if isinstance(origin, str):
        added = run.submitted.added(changes.names.get(origin, origin), origin)
        return added, replace(changes, added=(*changes.added, added))
    added = run.submitted.added(run.submitted.run.name)
    return added, replace(changes, added=(*changes.added, added))


def _check(
    benchmark: Benchmark, paths: tuple[Path, ...], options: ReadOptions, task: Task
) -> tuple[tuple[Submission, ...], tuple[Finding, ...]]:
    submissions, failures = [], []
    for path in paths:
        try:
            submissions.append(
                read_submission(
                    benchmark,
                    path,
                    options=options,
                    cancelled=task.cancelled,
                    progress=task.progress,
                    cache=parse_cache(),
                )
            )
        except FormatError as error:
            failures.append(Finding(Severity.ERROR, str(error.path), error.line, error.reason, "not added"))
    return tuple(submissions), tuple(failures)


def _severity(finding: Finding) -> int:
    return finding.severity.rank


def _names_text(runs: Sequence[RunToAdd]) -> str:
    names = [run.submitted.run.name for run in runs]
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


# Copies and links on disk.


class AddFilesCommand(QUndoCommand):
    """Copies or links runs; undo deletes only unchanged files of this program.

    Parameters
    ----------
    written : what was written before the command is pushed.
    """

    def __init__(
        self, session: Session, destination: Destination, runs: Sequence[RunToAdd], written: WrittenFiles
    ) -> None:
        super().__init__(f"add {_names_text(runs)}")
        self._session = session
        self._work = partial(write_runs, destination, runs)
        self._problem = f"{self.text()}: files cannot be written"
        self._written: WrittenFiles | None = written

    def redo(self) -> None:
        """Write the files again; the first call, by `QUndoStack.push`, finds them written."""
        if self._written is None:
            self._session.tasks.run(WRITE_LANE, self._work, self._show_written, self._problem, title=self.text())

    def undo(self) -> None:
        """Delete the copies, or restore benchmark.toml, in the background."""
        if self._written is not None:
            work, self._written = partial(remove_written, self._written), None
            title = f"Undo {self.text()}"
            self._session.tasks.run(WRITE_LANE, work, self._show_removed, self._problem, title=title)

    def _show_written(self, written: WrittenFiles) -> None:
        self._written = written
        self._session.reload()

    def _show_removed(self, kept: tuple[str, ...]) -> None:
        self._session.reload_because("; ".join(kept))


def write_runs(destination: Destination, runs: Sequence[RunToAdd], _task: Task) -> WrittenFiles:
    """Copy runs into a folder, or add them to benchmark.toml; each file appears complete or not at all.

    Raises
    ------
    FormatError, OSError
        When something cannot be written.
    """
    path = destination.path
    assert path is not None
    if destination.key == LINK:
        before = path.read_text(encoding="utf-8") if path.exists() else None
        edits = [
            ManifestEdit("runs", key, getattr(run.submitted.run, key), run.submitted.path)
            for run in runs
            for key in ("name", "participant")
        ]
        edits += [edit for run in runs for edit in edits_of_options(run.submitted.path, run.submitted.read_options)]
        write_manifest(path if path.exists() or path.suffix.lower() == ".toml" else path.parent, edits)
        return WrittenFiles(manifest=(path, before, path.read_text(encoding="utf-8")))
    created = None if path.exists() else path
    path.mkdir(parents=True, exist_ok=True)
    copies = []
    for source in _paths(runs):
        target = path / source.name
        if target.exists():
            raise FormatError(target, "exists already")
        if source.is_dir():
            with atomic_folder(target) as draft:
                shutil.copytree(source, draft, dirs_exist_ok=True)
        else:
            with atomic_path(target) as draft:
                shutil.copy2(source, draft)
        copies.append((target, content_digest(target)))
    return WrittenFiles(tuple(copies), folder=created)


def remove_written(written: WrittenFiles, _task: Task) -> tuple[str, ...]:
    """Delete what was written, unless it has changed since; a message for each thing that stays.

    Raises
    ------
    OSError
        When something cannot be deleted.
    """
    kept = []
    for path, digest in written.copies:
        if not path.exists():
            continue
        if content_digest(path) != digest:
            kept.append(f"{path} has changed since it was copied, and is not deleted")
        elif path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
    if written.folder is not None and written.folder.is_dir() and not any(written.folder.iterdir()):
        written.folder.rmdir()
    if written.manifest is not None:
        path, before, after = written.manifest
        if not path.exists() or path.read_text(encoding="utf-8") != after:
            kept.append(f"{path} has changed since the runs were linked, and stays as it is")
        elif before is None:
            path.unlink()
        else:
            write_text_atomic(path, before)
    return tuple(kept)


# Removing and renaming.


def remove_runs(session: Session, runs: Sequence[int]) -> None:
    """Remove runs from the list, as an edit; their files stay."""
    benchmark = session.benchmark
    if not session.is_open:
        return
    changes = session.edits.edited.runs
    removed, added, virtual = set(changes.removed), list(changes.added), list(changes.virtual)
    extra = {run.name for run in session.extra_runs}
    names = [benchmark.runs[run].name for run in runs]
    for run in runs:
        origin = session.origin(run)
        if isinstance(origin, str):
            removed.add(origin)
        elif isinstance(origin, AddedRun):
            added.remove(origin)
            removed |= {origin.replaces} - {""}
        elif isinstance(origin, VirtualRun):
            virtual.remove(origin)
        else:
            extra.discard(benchmark.runs[run].name)
    if len(extra) < len(session.extra_runs):
        session.set_extra_runs([run for run in session.extra_runs if run.name in extra])
    text = names[0] if len(names) == 1 else count_text(len(names), "run")
    changes = replace(changes, removed=frozenset(removed), added=tuple(added), virtual=tuple(virtual))
    session.edits.set_runs(changes, f"remove {text}")


def restore_removed_runs(session: Session) -> None:
    """Show the removed runs again, as an edit."""
    session.edits.set_runs(replace(session.edits.edited.runs, removed=frozenset()), "show removed runs")


def can_rename(session: Session, run: int) -> bool:
    """Whether a run has a name that the user may change: not a former version, nor a computed run."""
    return isinstance(session.origin(run), (str, AddedRun))


def rename_problem(session: Session, run: int, name: str) -> str:
    """Why a run cannot have this name; "" if it can."""
    benchmark = session.benchmark
    if not session.is_open or not name.strip():
        return "A run needs a name."
    if len(name.encode("utf-8", "surrogatepass")) > MAX_NAME_BYTES:
        return "The name is too long."
    if any(other.name == name for index, other in enumerate(benchmark.runs) if index != run):
        return f"Another run is named {name}."
    return ""


def rename_run(session: Session, run: int, name: str) -> None:
    """Rename a run, as an edit; the new name must have no `rename_problem`."""
    benchmark, origin = session.benchmark, session.origin(run)
    name = name.strip()
    if not session.is_open or not can_rename(session, run) or benchmark.runs[run].name == name:
        return
    before, changes = benchmark.runs[run].name, session.edits.edited.runs
    session.run_styles.copy_slot(before, name)
    if isinstance(origin, AddedRun):
        renamed = replace(origin, name=name)
        changes = replace(changes, added=tuple(renamed if one == origin else one for one in changes.added))
    elif isinstance(origin, str):
        names = {old: new for old, new in {**changes.names, origin: name}.items() if old != new}
        changes = replace(changes, names=names)
    new_names = {before: name}
    for virtual in changes.virtual:
        expression = with_renamed_run(virtual.expression, before, name)
        if expression != virtual.expression:
            new_names[virtual.expression] = expression
            session.run_styles.copy_slot(virtual.expression, expression)
    virtual_runs = (VirtualRun(new_names.get(run.expression, run.expression)) for run in changes.virtual)
    changes = replace(changes, virtual=tuple(virtual_runs))
    session.edits.set_runs(changes, f"rename {before}", renamed=new_names)
