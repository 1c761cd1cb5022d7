"""Save and restore a session: project files, and automatic backup of unsaved notes."""

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from shrec_viewer.formats.io.atomic import write_text_atomic
from shrec_viewer.formats.manifest.project import (
    PART_NAMES,
    Project,
    content_hash,
    is_project,
    read_project,
    write_project,
)
from shrec_viewer.render.scene.camera import Camera
from shrec_viewer.viewmodels.session.edits import EditState
from shrec_viewer.viewmodels.session.selection import NOTHING
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.tasks.tasks import Task


def snapshot(session: Session, path: Path, view: Mapping[str, Any]) -> Project:
    """The session as a project at `path`; hashes are added when it is written.

    Parameters
    ----------
    view : what the window adds to what is selected: the perspective, sizes.
    """
    benchmark, opened = session.benchmark, session.path
    assert benchmark is not None
    assert opened is not None
    source, parts = opened, session.parts
    named = {name: part for name in PART_NAMES if (part := getattr(parts, name)) is not None}
    if is_project(opened):
        former = read_project(opened)
        source, named = benchmark.root if not former.source.exists() else former.source, {**former.parts, **named}
    edited = session.edits.edited
    return Project(
        path=path,
        source=source,
        name=benchmark.name,
        profile=session.profile.key,
        parts=named,
        runs={run.name: run.source for run in benchmark.runs},
        view={**_selection_by_name(session), **view},
        notes=dict(edited.notes),
        colours=dict(edited.colours),
        hidden=tuple(sorted(edited.hidden)),
    )


def save(project: Project, task: Task) -> Project:
    """Write a project with the hashes of its runs; work beside the window."""
    hashes = {}
    for name, path in project.runs.items():
        if task.cancelled():
            break
        hashes[name] = content_hash(path)
    hashed = replace(project, hashes={name: found for name, found in hashes.items() if found})
    write_project(hashed)
    return hashed


def restore(session: Session, project: Project) -> None:
    """Select and edit as the project says; what the benchmark does not have any more is passed over.

    Not whether means are looked at: that belongs to the perspective, which the window brings into sight.
    """
    benchmark, view = session.benchmark, project.view
    if benchmark is None:
        return
    runs = {run.name: place for place, run in enumerate(benchmark.runs)}
    session.edits.restore(EditState(dict(project.notes), dict(project.colours), frozenset(project.hidden)))
    if isinstance(view.get("camera"), dict):
        session.mesh_view_state.set_camera(Camera().with_settings(view["camera"]))
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


def _selection_by_name(session: Session) -> dict[str, Any]:
    """The selection by names; what is not selected is left out."""
    benchmark, selection = session.benchmark, session.selection
    assert benchmark is not None
    found: dict[str, Any] = {"measure": selection.measure, "means": selection.means, "rank": selection.rank}
    if selection.query != NOTHING:
        found["query"] = benchmark.queries.ids[selection.query]
    if selection.run != NOTHING:
        found["run"] = benchmark.runs[selection.run].name
    if selection.compared is not None:
        found["compared"] = benchmark.runs[selection.compared].name
    if session.mesh_view_state.is_settled:
        found["camera"] = session.mesh_view_state.camera.as_settings()
    if selection.model is not None:
        found["model"] = benchmark.collection.ids[selection.model]
    return {key: value for key, value in found.items() if value is not None}


SAVE_DELAY_MS = 800
"""Milliseconds after the last key until a note is kept: a pause for thought, and no write at every letter."""


class UnsavedNotes(QObject):
    """Keeps the edits of a session while they are not saved, one file a benchmark.

    Parameters
    ----------
    session : whose edits.
    folder : where; None keeps nothing.

    Signals
    -------
    found(count)
        Edits of an earlier session were never saved; `restore_unsaved` takes them over. Told after the benchmark is open.
    failed(sentence)
        They cannot be kept.
    """

    found = Signal(int)
    failed = Signal(str)

    def __init__(self, session: Any, folder: Path | None) -> None:
        super().__init__(session)
        self._session = session
        self._folder = folder
        self._kept: EditState | None = None
        self._pause = QTimer(self, interval=SAVE_DELAY_MS, singleShot=True)
        self._pause.timeout.connect(self.keep)
        session.benchmark_changed.connect(self._look)
        session.edits.changed.connect(self._wait)
        session.edits.stack.cleanChanged.connect(self._wait)

    def restore_unsaved(self) -> None:
        """Take over what was found, as a step that can be undone."""
        if self._kept is not None:
            self._session.edits.apply_undoable(self._kept, "unsaved notes")
            self._kept = None

    @Slot()
    def keep(self) -> None:
        """Write what is unsaved, or forget what was kept once it is saved; at once."""
        self._pause.stop()
        path, edits = self._path(), self._session.edits
        if path is None:
            return
        if edits.stack.isClean():
            if self._kept is None:  # what was offered and not taken stays for another time
                with suppress(OSError):
                    path.unlink(missing_ok=True)
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_text_atomic(
                path, json.dumps(_edits_to_json(edits.edited, str(self._session.path)), ensure_ascii=False)
            )
        except OSError as error:
            self.failed.emit(f"Notes cannot be kept until they are saved: {error}")

    @Slot()
    def _wait(self, *_: object) -> None:
        if self._session.benchmark is not None:
            self._pause.start()

    @Slot()
    def _look(self) -> None:
        self._pause.stop()
        self._kept = None
        path = self._path()
        if path is None or not path.exists() or not self._session.edits.stack.isClean():
            return
        self._kept = _edits_from_json(path)
        if self._kept is not None:
            self.found.emit(len(self._kept.notes) or 1)

    def _path(self) -> Path | None:
        opened = self._session.path
        if self._folder is None or opened is None:
            return None
        name = hashlib.sha256(str(opened.resolve()).encode()).hexdigest()[:24]
        return self._folder / f"{name}.json"


def unsaved_notes_folder() -> Path:
    """Where unsaved notes belong on this system."""
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
    """What was kept; None where the file is damaged or says nothing."""
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
