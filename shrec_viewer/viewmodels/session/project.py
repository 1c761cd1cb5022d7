"""Save and restore a session: project files, and automatic backup of unsaved notes."""

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.io.atomic import write_text_atomic
from shrec_viewer.formats.io.text import os_error_text
from shrec_viewer.formats.manifest.project import (
    PART_NAMES,
    Project,
    content_hash,
    find_source,
    is_project,
    read_project,
    relocate_project,
    root_of,
    with_former_runs,
    write_project,
)
from shrec_viewer.render.scene.camera import Camera
from shrec_viewer.viewmodels.session.edits import EditState
from shrec_viewer.viewmodels.session.selection import NOTHING
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.tasks.tasks import Task


def snapshot(session: Session, path: Path, view: Mapping[str, Any]) -> Project:
    """The session as a project at `path`; `save` adds the content hashes, and runs that were not found.

    Parameters
    ----------
    view : values of the window that are saved with the selection: the perspective, sizes.
    """
    benchmark, opened = session.benchmark, session.path
    assert benchmark is not None
    assert opened is not None
    source, parts = opened, session.parts
    named = {name: part for name in PART_NAMES if (part := getattr(parts, name)) is not None}
    former = None
    if is_project(opened):
        located = read_project(opened)
        source = find_source(located) or benchmark.root
        former = relocate_project(located, source)
        named = {**former.parts, **named}
    edited = session.edits.edited
    project = Project(
        path=path,
        source=source,
        name=benchmark.name,
        profile=session.profile.key,
        parts=named,
        runs={run.name: _in_folder(run.source, benchmark.root, root_of(source)) for run in benchmark.runs},
        view={**_selection_by_name(session), **view},
        notes=dict(edited.notes),
        colours=dict(edited.colours),
        hidden=tuple(sorted(edited.hidden)),
    )
    return project if former is None else with_former_runs(project, former)


def _in_folder(path: Path, root: Path, source: Path) -> Path:
    """Path of a run below the benchmark that was opened; an archive was unpacked into another folder, `root`."""
    return source / path.relative_to(root) if path.is_relative_to(root) else path


def save(project: Project, task: Task) -> Project:
    """Write a project with the content hashes of its runs; run in a background task.

    Runs of the file that is replaced are kept if it belongs to the same benchmark: those that were not found are not
    part of the session.
    """
    with suppress(FormatError):
        if is_project(project.path) and (former := read_project(project.path)).source == project.source:
            project = with_former_runs(project, former)
    hashes = dict(project.hashes)
    for name, path in project.runs.items():
        if task.cancelled():
            break
        hashes[name] = content_hash(path) or hashes.get(name, "")
    hashed = replace(project, hashes={name: found for name, found in hashes.items() if found})
    write_project(hashed)
    return hashed


def restore(session: Session, project: Project) -> None:
    """Restore selection and edits of a project; names that the benchmark no longer has are ignored.

    `Selection.means` is not restored, as it follows from the perspective, which the window restores.
    """
    benchmark, view = session.benchmark, project.view
    if benchmark is None:
        return
    runs = {run.name: index for index, run in enumerate(benchmark.runs)}
    session.edits.restore(EditState(dict(project.notes), dict(project.colours), frozenset(project.hidden)))
    if isinstance(view.get("camera"), dict):
        session.mesh_view_state.set_camera(Camera().with_settings(view["camera"]))
    session.run_styles.restore(view.get("run_styles"))
    measure = view.get("measure")
    session.select(
        query=benchmark.queries.index.get(str(view.get("query"))),
        run=runs.get(str(view.get("run"))),
        compared=runs.get(str(view.get("compared")), NOTHING),
        measure=measure if isinstance(measure, str) else None,
        model=benchmark.collection.index.get(str(view.get("model"))),
    )
    rank = view.get("rank")
    if isinstance(rank, int) and not isinstance(rank, bool) and rank >= 1:
        session.select(rank=rank)


def added_measures_of(project: Project) -> tuple[str, ...]:
    """Keys of the added measures of a project; they may be unknown."""
    keys = project.view.get("added_measures")
    return tuple(key for key in keys if isinstance(key, str)) if isinstance(keys, list) else ()


def _selection_by_name(session: Session) -> dict[str, Any]:
    """The selection with ids and names instead of indices; without the fields that are not set."""
    benchmark, selection = session.benchmark, session.selection
    assert benchmark is not None
    found: dict[str, Any] = {"measure": selection.measure, "means": selection.means, "rank": selection.rank}
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
    if selection.model is not None:
        found["model"] = benchmark.collection.ids[selection.model]
    return {key: value for key, value in found.items() if value is not None}


SAVE_DELAY_MS = 800
"""Milliseconds after the last key press until notes are written, so that not every key press writes a file."""


class UnsavedNotes(QObject):
    """Automatic backup of unsaved edits, one file per benchmark.

    Parameters
    ----------
    folder : folder of the files; None disables the backup.

    Signals
    -------
    found(count)
        There are unsaved edits of an earlier session; `restore_unsaved` applies them. Emitted after opening.
    failed(message)
        The backup cannot be written.
    """

    found = Signal(int)
    failed = Signal(str)

    def __init__(self, session: Session, folder: Path | None) -> None:
        super().__init__(session)
        self._session = session
        self._folder = folder
        self._backup: EditState | None = None
        self._timer = QTimer(self, interval=SAVE_DELAY_MS, singleShot=True)
        self._timer.timeout.connect(self.write)
        session.benchmark_changed.connect(self._find)
        session.edits.changed.connect(self._start_timer)
        session.edits.stack.cleanChanged.connect(self._start_timer)

    def restore_unsaved(self) -> None:
        """Apply the backup as one undo step."""
        if self._backup is not None:
            self._session.edits.apply_undoable(self._backup, "unsaved notes")
            self._backup = None

    def problem(self) -> str:
        """Why unsaved edits cannot be backed up; "" if they can. Writes the backup."""
        return "there is no folder for settings" if self._folder is None else self._write()

    def discard(self) -> None:
        """Delete the backup and write no other one; called when unsaved edits are discarded on quitting."""
        self._timer.stop()
        path, self._folder = self._path(), None
        if path is not None:
            with suppress(OSError):
                path.unlink(missing_ok=True)

    @Slot()
    def write(self) -> None:
        """Write unsaved edits now, or delete the backup if all edits are saved."""
        if problem := self._write():
            self.failed.emit(f"Unsaved notes cannot be backed up: {problem}")

    def _write(self) -> str:
        """Write or delete the backup; why it cannot be written, "" if it was."""
        self._timer.stop()
        path, edits = self._path(), self._session.edits
        if path is None:
            return ""
        if edits.stack.isClean():
            if self._backup is None:  # does not delete a backup that was found and not restored
                with suppress(OSError):
                    path.unlink(missing_ok=True)
            return ""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_text_atomic(
                path, json.dumps(_edits_to_json(edits.edited, str(self._session.path)), ensure_ascii=False)
            )
        except OSError as error:
            return f"{path.parent} {os_error_text(error, 'written')}"
        return ""

    @Slot()
    def _start_timer(self, *_: object) -> None:
        if self._session.benchmark is not None:
            self._timer.start()

    @Slot()
    def _find(self) -> None:
        self._timer.stop()
        self._backup = None
        path = self._path()
        if path is None or not path.exists() or not self._session.edits.stack.isClean():
            return
        self._backup = _edits_from_json(path)
        if self._backup is not None:
            self.found.emit(len(self._backup.notes) or 1)

    def _path(self) -> Path | None:
        opened = self._session.path
        if self._folder is None or opened is None:
            return None
        name = hashlib.sha256(str(opened.resolve()).encode()).hexdigest()[:24]
        return self._folder / f"{name}.json"


def unsaved_notes_folder() -> Path:
    """Folder of the automatic backups on this system."""
    from platformdirs import user_data_path

    return user_data_path("shrec-viewer", appauthor=False) / "unsaved"


def _edits_to_json(edited: EditState, path: str) -> Mapping[str, Any]:
    return {
        "path": path,
        "notes": dict(edited.notes),
        "colours": dict(edited.colours),
        "hidden": sorted(edited.hidden),
    }


def _edits_from_json(path: Path) -> EditState | None:
    """The edits of a backup; None if the file is damaged or has no edits."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        edited = EditState(
            {str(key): str(text) for key, text in found["notes"].items()},
            {str(key): str(text) for key, text in found["colours"].items()},
            frozenset(str(name) for name in found["hidden"]),
        )
    except (OSError, ValueError, KeyError, AttributeError, TypeError):
        return None
    return edited if edited != EditState() else None
