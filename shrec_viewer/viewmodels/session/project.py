"""Save and restore a session in project files, and keep its unsaved edits in a journal on disk."""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from secrets import token_hex
from typing import Any, TypeVar

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal, Slot

from shrec_viewer.domain import Benchmark, FormatError
from shrec_viewer.evaluation.run_groups import members_of
from shrec_viewer.formats.io.atomic import write_text_atomic
from shrec_viewer.formats.io.owned_files import OwnedFile, abandoned_files, is_owned
from shrec_viewer.formats.io.schema import Codec, read_data, stored, to_data
from shrec_viewer.formats.io.text import os_error_text
from shrec_viewer.formats.manifest.edit_state import EDIT_CODECS, EditState
from shrec_viewer.formats.manifest.manifest import PROJECT_SUFFIX
from shrec_viewer.formats.manifest.project import (
    PART_NAMES,
    Project,
    SavedRun,
    find_source,
    is_project,
    project_digest,
    read_project,
    relocate_project,
    root_of,
    with_former_runs,
    with_hashes,
    write_project,
)
from shrec_viewer.render.scene.camera import Camera
from shrec_viewer.render.scene.values import scale_of
from shrec_viewer.viewmodels.session.document import Document
from shrec_viewer.viewmodels.session.edits import RESTORED_EDITS
from shrec_viewer.viewmodels.session.selection import NOTHING
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.tasks.tasks import Task


def snapshot(session: Session, path: Path, view: Mapping[str, Any], former: Project | None = None) -> Project:
    """The session as a project at `path`; `save` adds the content hashes, and runs that were not found.

    Parameters
    ----------
    view : values of the window that are saved with the selection: the perspective, sizes.
    former : the project that was opened, with the present folder of its benchmark; None for a benchmark.
    """
    benchmark, opened = session.benchmark, session.path
    assert opened is not None
    source, parts = opened, session.parts
    named = {name: part for name in PART_NAMES if (part := getattr(parts, name)) is not None}
    if former is not None:
        source = former.source
        named = {**former.parts, **named}
    stored = ((run.name, benchmark.stored_path(run.source)) for run in session.runs_as_read)
    runs = ((name, _in_folder(run, benchmark.root, root_of(source))) for name, run in stored)
    project = Project(
        path=path,
        source=source,
        name=benchmark.name,
        profile=session.profile.key,
        parts=named,
        runs={name: SavedRun(name, run) for name, run in runs},
        files=dict.fromkeys(_files_read(benchmark, root_of(source)), ""),
        view={**_selection_by_name(session), **view},
        edits=session.edits.edited,
    )
    return project if former is None else with_former_runs(project, former)


def locate(path: Path, task: Task) -> tuple[Project, bool] | None:
    """A project with the present folder of its benchmark, and whether that was found; run in a background task.

    Parsing a hostile file, and searching the folders next to it, would block the window. None for a file with the
    extension of projects that is a description of a benchmark.

    Raises
    ------
    FormatError
        When it cannot be read.
    """
    if not is_project(path):
        return None
    project = read_project(path)
    source = find_source(project)
    return (project, False) if source is None else (relocate_project(project, source), True)


def _files_read(benchmark: Benchmark, root: Path) -> list[str]:
    """Files of a benchmark that were read and are no runs, relative to its folder: its classification and others."""
    runs = {run.source for run in benchmark.runs}
    files = (path for path in benchmark.sources if path not in runs and path.is_relative_to(root))
    return [path.relative_to(root).as_posix() for path in files if path.suffix.lower() != PROJECT_SUFFIX]


def _in_folder(path: Path, root: Path, source: Path) -> Path:
    """Path of a run below the benchmark that was opened; an archive was unpacked into another folder, `root`."""
    return source / path.relative_to(root) if path.is_relative_to(root) else path


class ProjectChangedError(Exception):
    """A project was not saved, since its file has another content than expected.

    Parameters
    ----------
    path : the file.
    digest : digest of its content, see `project_digest`.
    """

    def __init__(self, path: Path, digest: str) -> None:
        super().__init__(f"{path} has changed since it was read")
        self.path = path
        self.digest = digest


def save(project: Project, expected: str, lock: Path | None, task: Task) -> Project:
    """Write a project with the content hashes of its runs; run in a background task.

    Runs of the file that is replaced are kept if it belongs to the same benchmark: those that were not found are not
    part of the session.

    Parameters
    ----------
    expected : digest of the content that may be replaced; "" if there is no such file.
    lock : file that is locked from the comparison until the project is written, so that of two windows that save at the
        same time, the second detects the change of the first.

    Raises
    ------
    ProjectChangedError
        When the file has another content; it is unchanged.
    """
    with suppress(FormatError):
        if is_project(project.path) and (former := read_project(project.path)).source == project.source:
            project = with_former_runs(project, former)
    hashed = with_hashes(project)
    owned: OwnedFile | None = None
    with suppress(OSError):  # a folder for settings that cannot be written must not keep a project from being saved
        if lock is not None:
            lock.parent.mkdir(parents=True, exist_ok=True)
            owned = OwnedFile(lock, waits=True)
    try:
        if (found := project_digest(project.path)) != expected:
            raise ProjectChangedError(project.path, found)
        return replace(hashed, digest=write_project(hashed))
    finally:
        if owned is not None:
            owned.delete()


def restore(session: Session, project: Project) -> None:
    """Restore selection and edits of a project; names that the benchmark no longer has are ignored.

    `Selection.means` is not restored, as it follows from the perspective, which the window restores.
    """
    benchmark, view = session.benchmark, project.view
    if not session.is_open:
        return
    session.edits.restore(project.edits)
    benchmark = session.benchmark  # without the runs that the project removes
    if "camera" in view:
        session.mesh_view_state.set_camera(Camera().with_settings(view["camera"]))
        session.mesh_view_state.set_scale(scale_of(view["camera"]))
    session.run_styles.restore(view.get("run_styles"))
    runs = {run.name: index for index, run in enumerate(benchmark.runs)}
    session.select(
        query=benchmark.queries.index.get(view.get("query", "")),
        run=runs.get(view.get("run", "")),
        compared=runs.get(view.get("compared", ""), NOTHING),
        measure=view.get("measure"),
        mean_over=view.get("mean_over"),
        slice=view.get("slice"),
        groups=[one for one in view.get("groups", ()) if members_of(one, list(runs))],
        model=benchmark.collection.index.get(view.get("model", "")),
    )
    for key, compared in (("run", False), ("compared", True)):
        if key in view and view[key] not in runs:  # a virtual or added run, not yet computed
            session.select_when_known(view[key], compared=compared)
    if "rank" in view:
        session.select(rank=view["rank"])


def added_measures_of(project: Project) -> tuple[str, ...]:
    """Keys of the added measures of a project; they may be unknown."""
    return tuple(project.view.get("added_measures", ()))


def _selection_by_name(session: Session) -> dict[str, Any]:
    """The selection with ids and names instead of indices; without the fields that are not set."""
    benchmark, selection = session.benchmark, session.selection
    found: dict[str, Any] = {"measure": selection.measure, "means": selection.means, "rank": selection.rank}
    found |= {"mean_over": selection.mean_over}
    found |= {"slice": selection.slice or None, "groups": list(selection.groups) or None}
    if selection.query != NOTHING:
        found["query"] = benchmark.queries.ids[selection.query]
    if selection.run != NOTHING:
        found["run"] = benchmark.runs[selection.run].name
    if selection.compared is not None:
        found["compared"] = benchmark.runs[selection.compared].name
    slots = session.run_styles.slots()
    found["added_measures"] = list(session.added_measures)
    found["run_styles"] = {run.name: list(slots[run.name]) for run in benchmark.runs}
    if session.mesh_view_state.is_chosen:
        found["camera"] = session.mesh_view_state.camera.as_settings()
    if (scale := session.mesh_view_state.scale) is not None:
        found["camera"] = {**session.mesh_view_state.camera.as_settings(), **scale.as_settings()}
    if selection.model is not None:
        found["model"] = benchmark.collection.ids[selection.model]
    return {key: value for key, value in found.items() if value is not None}


#: Size of the largest journal that is written at each edit, also at each key of a note; takes about a millisecond.
MAX_IMMEDIATE_BYTES = 200_000

#: Milliseconds from the first unwritten edit until a larger journal is written, also while the user goes on typing.
WRITE_INTERVAL_MS = 400

#: Milliseconds from a change of the folder of windows until it is read; a new file has no content at first.
WINDOWS_DELAY_MS = 100

JOURNAL_SUFFIX, WINDOW_SUFFIX = ".json", ".window"

#: File that is locked while a window compares and replaces a project; see `viewmodels.session.project.save`.
LOCK_NAME = "saving"

#: Size of the largest journal that is read: fifty notes of a book each.
MAX_JOURNAL_BYTES = 50_000_000


@dataclass(frozen=True)
class KeptEdits:
    """Unsaved edits of a window that has ended without saving them.

    Attributes
    ----------
    file : its journal.
    paths : what it had open: the benchmark or project, and the project that it was saved in.
    saved, edited : the edits when they were last saved or opened, and at the end.
    restored : names of the journals whose edits it had restored, and thus contains.
    """

    file: Path = field(metadata=stored(None))
    paths: frozenset[str]
    saved: EditState
    edited: EditState
    restored: frozenset[str] = frozenset()


#: How the values of `KeptEdits` are stored.
JOURNAL_CODECS = {**EDIT_CODECS, Path: Codec(str, Path)}


@dataclass(frozen=True)
class UnsavedEdits:
    """Unsaved edits of ended windows that are restored by opening the same path.

    Attributes
    ----------
    path : project or benchmark to open.
    missing : the path does not exist any more.
    files : their journals.
    notes : number of notes that differ from the saved ones.
    modified : when the newest journal was written, seconds since the epoch.
    """

    path: str
    missing: bool
    files: tuple[Path, ...]
    notes: int
    modified: float


class EditJournal(QObject):
    """Writes unsaved edits to disk, and restores those of windows that ended without saving.

    Each window has its own file for each benchmark that it opens, and only its owner changes or deletes it. A journal
    whose window has ended is offered when the same benchmark or project is opened. It is kept until its edits are
    saved in a project, or discarded by the user.

    Parameters
    ----------
    folder : folder of the journals; None disables them. The files that show which windows are open are in the folder
        ``windows`` next to it.

    Attributes
    ----------
    folder : folder of the journals; None if they are disabled.

    Signals
    -------
    found(count)
        There are unsaved edits of earlier sessions, with this number of notes; emitted by `offer`.
    failed(message)
        The journal cannot be written.
    shared(count)
        The number of other windows that have the same benchmark or project open has grown.
    """

    found = Signal(int)
    failed = Signal(str)
    shared = Signal(int)

    def __init__(self, session: Session, folder: Path | None) -> None:
        super().__init__(session)
        self._session = session
        self.folder = folder
        self._opened: Path | None = None
        self._projects: set[Path] = set()
        self._window: OwnedFile | None = None
        self._name = ""
        self._latest = EditState(), EditState(), False
        self._written_bytes = 0
        self._kept: tuple[KeptEdits, ...] = ()
        self._restored: tuple[KeptEdits, ...] = ()
        self._is_offered = False
        self._others = 0
        self._timer = QTimer(self, interval=WRITE_INTERVAL_MS, singleShot=True)
        self._timer.timeout.connect(self._write_now)
        self._windows_timer = QTimer(self, interval=WINDOWS_DELAY_MS, singleShot=True)
        self._windows_timer.timeout.connect(self._count_windows)
        self._watcher = QFileSystemWatcher(self)
        self._watcher.directoryChanged.connect(self._windows_timer.start)
        session.changed.connect(self._follow_session)

    @property
    def lock_file(self) -> Path | None:
        """File to lock while a project is saved; None if journals are disabled."""
        return None if self.folder is None else _windows_folder(self.folder) / LOCK_NAME

    # Unsaved edits of this window.

    def problem(self) -> str:
        """Why unsaved edits cannot be kept; "" if they can. Writes the journal."""
        return "there is no folder for settings" if self.folder is None else self._write(sync=True)

    def write(self) -> None:
        """Write unsaved edits to disk now, before the program ends."""
        self._report(self._write(sync=True))

    def close(self) -> None:
        """Write unsaved edits, and mark the journal as one of a window that has ended."""
        self._timer.stop()
        self.write()
        self._leave()
        self.folder = None

    def discard(self) -> None:
        """Delete the journal, and those whose edits were restored; called when the user discards the edits."""
        self._timer.stop()
        if (path := self._path()) is not None:
            _delete(path)
        if self._session.edits.is_recovery_applied:
            self._delete_restored()
        self._leave()
        self.folder = None

    def set_saved(self, project: Path) -> None:
        """Update the journal after the edits were saved in a project."""
        if self._session.edits.is_recovery_applied:
            self._delete_restored()
        self.add_project(project)
        self._record()
        self.write()

    def add_project(self, project: Path) -> None:
        """Add a project file of the window, by which other windows and later sessions find the journal."""
        self._projects.add(project)
        self._write_window()

    def _record(self) -> None:
        """Record edits of the open benchmark; those of the next one are reset before `_follow_session`."""
        if self._session.path == self._opened and self._opened is not None:
            self._latest = self._current()
            if self._written_bytes <= MAX_IMMEDIATE_BYTES:
                self._write_now()
            elif not self._timer.isActive():
                self._timer.start()

    def _current(self) -> tuple[EditState, EditState, bool]:
        """The edits as saved and as they are, and whether they contain those of earlier sessions."""
        edits = self._session.edits
        return edits.saved, edits.edited, edits.is_recovery_applied

    @Slot()
    def _write_now(self) -> None:
        self._report(self._write(sync=False))

    def _report(self, problem: str) -> None:
        if problem:
            self.failed.emit(f"Unsaved notes cannot be backed up: {problem}")

    def _write(self, *, sync: bool) -> str:
        """Write the journal, or delete it if all edits are saved; why it cannot be written, "" if it was.

        While the user types, the file is not flushed to the disk (fsync), which can take seconds while another program
        writes. The system does that when this program is killed; only a power failure would need it.
        """
        self._timer.stop()
        path, (saved, edited, has_restored) = self._path(), self._latest
        if path is None:
            return ""
        if edited == saved:
            _delete(path)
            return ""
        restored = frozenset(kept.file.name for kept in self._restored if has_restored)
        content = to_data(KeptEdits(path, frozenset(self._paths()), saved, edited, restored), JOURNAL_CODECS)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._own_window()
            # ASCII: names of files may have bytes that are not UTF-8.
            text = json.dumps(content)
            self._written_bytes = len(text)
            write_text_atomic(path, text, sync=sync)
        except OSError as error:
            return f"{path.parent} {os_error_text(error, 'written')}"
        return ""

    def _path(self) -> Path | None:
        if self.folder is None or self._opened is None:
            return None
        return self.folder / f"{self._name}{JOURNAL_SUFFIX}"

    # Windows and journals of the open benchmark.

    @Slot(object, object)
    def _follow_session(self, old: Document, new: Document) -> None:
        if new.path != old.path:  # not on reload
            self._show_benchmark()
        elif new.differs(old, "edits"):
            self._record()
            # A large journal, too: a decision about an assessment is made once, and must not be lost.
            if new.differs(old, "levels", "reviews") and self._timer.isActive():
                self._write_now()

    def _show_benchmark(self) -> None:
        session = self._session
        if self._opened is not None:
            self.write()  # edits of the former benchmark stay in its journal
        self._leave()
        self._opened, self._projects, self._restored, self._others = session.path, set(), (), 0
        self._latest = self._current()
        self._name = f"{os.getpid()}-{token_hex(8)}"
        self._kept, self._is_offered = (), False
        if self.folder is None or self._opened is None:
            return
        with suppress(OSError):  # then a problem is reported when there are edits
            self._own_window()
            self._watcher.addPath(str(_windows_folder(self.folder)))
        self._kept = tuple(_abandoned_journals(self.folder, frozenset(self._paths())))
        self._windows_timer.start()

    def _own_window(self) -> None:
        """Lock the file that shows that this window runs; before the journal is written."""
        if self._window is not None or self.folder is None:
            return
        folder = _windows_folder(self.folder)
        folder.mkdir(parents=True, exist_ok=True)
        for pattern in (f"*{WINDOW_SUFFIX}", LOCK_NAME):
            for left in abandoned_files(folder, pattern):
                left.delete()
        self._window = OwnedFile(folder / f"{self._name}{WINDOW_SUFFIX}", waits=True)
        self._write_window()

    def _write_window(self) -> None:
        if self._window is not None:
            with suppress(OSError):
                self._window.write(json.dumps(sorted({*self._paths(), *self._benchmark_paths()})))

    def _leave(self) -> None:
        """Unlock the file of the window: its journal is one of a window that has ended."""
        self._windows_timer.stop()
        if self._watcher.directories():
            self._watcher.removePaths(self._watcher.directories())
        if self._window is not None:
            self._window.delete()
            self._window = None

    def _paths(self) -> Iterator[str]:
        """What was opened, and the projects it was saved in."""
        yield from (os.path.realpath(path) for path in (self._opened, *self._projects) if path is not None)

    def _benchmark_paths(self) -> Iterator[str]:
        if self._session.is_open:
            yield os.path.realpath(self._session.benchmark.root)

    @Slot()
    def _count_windows(self) -> None:
        before, self._others = self._others, len(self.other_windows())
        if self._others > before:
            self.shared.emit(self._others)

    def other_windows(self, path: Path | None = None) -> list[Path]:
        """Files of the other windows that have the same benchmark or project open, or that have `path` open."""
        if self.folder is None or self._opened is None:
            return []
        paths = {os.path.realpath(path)} if path is not None else {*self._paths(), *self._benchmark_paths()}
        own = None if self._window is None else self._window.path
        found = []
        with suppress(OSError):
            for file in sorted(_windows_folder(self.folder).glob(f"*{WINDOW_SUFFIX}")):
                if file != own and is_owned(file) and paths & _read_names(file):
                    found.append(file)
        return found

    # Edits of earlier sessions.

    @property
    def has_kept_edits(self) -> bool:
        """Whether there are edits of earlier sessions that are neither restored nor discarded."""
        return bool(self._kept)

    def kept_notes(self) -> Mapping[str, str]:
        """Notes of earlier sessions by query id, where they differ from the current ones."""
        current = self._session.edits.edited
        merged = self._merged().notes
        return {query: text for query, text in merged.items() if text != current.notes.get(query)}

    def restore(self) -> None:
        """Add the edits of earlier sessions to the current ones, as one undo step."""
        if self._kept:
            merged = self._merged()
            self._restored, self._kept = (*self._restored, *self._kept), ()
            self._session.edits.apply_undoable(merged, RESTORED_EDITS)

    def discard_kept(self) -> None:
        """Delete the edits of earlier sessions that are not restored."""
        for kept in self._kept:
            _delete(kept.file)
        self._kept = ()

    def _merged(self) -> EditState:
        merged = self._session.edits.edited
        contained = {name for kept in self._kept for name in kept.restored}
        for kept in self._kept:
            if kept.file.name not in contained:
                merged = merge_edits(kept.saved, kept.edited, merged)
        return merged

    def offer(self) -> None:
        """Emit `found` if there are edits of earlier sessions; once, after a project is restored."""
        if self._kept and not self._is_offered:
            self._is_offered = True
            self.found.emit(len(self.kept_notes()))

    def _delete_restored(self) -> None:
        for kept in self._restored:
            _delete(kept.file)
        self._restored = ()


K = TypeVar("K")
V = TypeVar("V")


def merge_edits(saved: EditState, kept: EditState, current: EditState) -> EditState:
    r"""The current edits with the changes that led from `saved` to `kept`.

    Where both changed a note, the result has both texts. Of other values that both changed, the current one is used.

    Examples
    --------
    >>> kept, current = EditState({"q1": "round", "q2": "old"}), EditState({"q1": "flat", "q3": "new"})
    >>> dict(merge_edits(EditState(), kept, current).notes)
    {'q1': 'flat\n\nround', 'q2': 'old', 'q3': 'new'}
    """
    notes = _merge(saved.notes, kept.notes, current.notes, _join_texts)
    colours = _merge(saved.colours, kept.colours, current.colours)
    return EditState(
        dict(sorted(notes.items())),
        dict(sorted(colours.items())),
        kept.hidden if current.hidden == saved.hidden else current.hidden,
        kept.runs if current.runs == saved.runs else current.runs,
        _merge(saved.levels, kept.levels, current.levels),
        {**kept.reviewed, **current.reviewed},
        kept.published if current.published == saved.published else current.published,
        _merge(saved.slices, kept.slices, current.slices),
    )


def _current(current: V | None, _kept: V | None) -> V | None:
    return current


def _merge(
    saved: Mapping[K, V],
    kept: Mapping[K, V],
    current: Mapping[K, V],
    combine: Callable[[V | None, V | None], V | None] = _current,
) -> dict[K, V]:
    """The current values with the changes from `saved` to `kept`; where both changed a value, what `combine` makes."""
    merged = {}
    for key in {**kept, **current}:
        before, old, new = saved.get(key), kept.get(key), current.get(key)
        if (value := new if old == before else old if new == before else combine(new, old)) is not None:
            merged[key] = value
    return merged


def _join_texts(current: str | None, kept: str | None) -> str:
    """Both texts, or the one that contains the other."""
    current, kept = current or "", kept or ""
    if kept in current:
        return current
    return kept if current in kept else f"{current}\n\n{kept}"


def unsaved_notes_folder() -> Path:
    """Folder of the journals on this system."""
    from platformdirs import user_data_path

    return user_data_path("shrec-viewer", appauthor=False) / "unsaved"


def copied_edits_folder() -> Path:
    """Folder of the edits that copied commands refer to, on this system."""
    from platformdirs import user_data_path

    return user_data_path("shrec-viewer", appauthor=False) / "edits"


def find_unsaved_edits(folder: Path) -> tuple[UnsavedEdits, ...]:
    """Unsaved edits of all ended windows by what to open, the newest first."""
    groups: dict[str, list[KeptEdits]] = {}
    for kept in _abandoned_journals(folder):
        if kept.paths:
            groups.setdefault(_path_to_open(kept.paths), []).append(kept)
    found = [
        UnsavedEdits(
            path,
            not os.path.exists(path),
            tuple(kept.file for kept in group),
            len({query for kept in group for query in _changed_notes(kept)}),
            max(_modified(kept.file) for kept in group) / 1e9,
        )
        for path, group in groups.items()
    ]
    return tuple(sorted(found, key=lambda edits: -edits.modified))


def delete_journals(edits: UnsavedEdits) -> None:
    """Delete the journals of unsaved edits; called when the user discards them."""
    for file in edits.files:
        _delete(file)


def _path_to_open(paths: frozenset[str]) -> str:
    """The project, which has the saved notes, rather than the benchmark; one that exists if possible."""
    return min(paths, key=lambda path: (not os.path.exists(path), not path.lower().endswith(".shrec"), path))


def _changed_notes(kept: KeptEdits) -> set[str]:
    before, after = kept.saved.notes, kept.edited.notes
    return {query for query in {*before, *after} if before.get(query, "") != after.get(query, "")}


def _windows_folder(folder: Path) -> Path:
    return folder.with_name("windows")


def _abandoned_journals(folder: Path, paths: frozenset[str] | None = None) -> Iterator[KeptEdits]:
    """Journals of ended windows, the oldest first; of those that had one of `paths` open if that is given."""
    try:
        files = sorted((file for file in folder.glob(f"*{JOURNAL_SUFFIX}") if file.is_file()), key=_modified)
    except OSError:
        return
    for file in files:
        if not is_owned(_windows_folder(folder) / f"{file.stem}{WINDOW_SUFFIX}"):
            kept = _read_journal(file)
            if kept is not None and (paths is None or kept.paths & paths) and kept.edited != kept.saved:
                yield kept


def _modified(file: Path) -> int:
    try:
        return file.stat().st_mtime_ns
    except OSError:
        return 0


def _read_journal(file: Path) -> KeptEdits | None:
    """A journal; None if it is damaged. Journals of older versions have one path and no saved state."""
    try:
        if file.stat().st_size > MAX_JOURNAL_BYTES:
            return None
        found = json.loads(file.read_text(encoding="utf-8"))
        if "edited" not in found:
            found = {"paths": [os.path.realpath(found["path"])], "saved": {}, "edited": found}
        upgraded = {name: _upgraded(found[name]) for name in ("saved", "edited")}
        kept, _ = read_data(KeptEdits, {**found, **upgraded}, JOURNAL_CODECS, file=file)
    except (OSError, ValueError, KeyError, AttributeError, TypeError, RecursionError):
        return None
    return kept


def _upgraded(state: Any) -> Any:
    """Edits in the present form: older versions had no table ``edits``, and lists instead of tables of added runs."""
    if "colours" not in state:
        return state
    runs, keys = state.get("runs", {}), ("path", "name", "participant", "inside", "replaces")
    added = [dict(zip(keys, row, strict=False)) for row in runs.get("added", ())]
    return {"notes": state["notes"], "edits": {**state, **runs, "added": added}}


def _read_names(file: Path) -> frozenset[str]:
    try:
        names, _ = read_data(frozenset[str], json.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError, RecursionError):
        return frozenset()
    return names or frozenset()


def _delete(path: Path) -> None:
    with suppress(OSError):
        path.unlink(missing_ok=True)
