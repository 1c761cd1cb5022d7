"""Save and restore a session in project files."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from shrec_viewer.domain import Benchmark, FormatError
from shrec_viewer.formats.io.owned_files import OwnedFile
from shrec_viewer.formats.manifest.manifest import PROJECT_SUFFIX
from shrec_viewer.formats.manifest.project import (
    PART_NAMES,
    Project,
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
from shrec_viewer.viewmodels.session.edits import EditState
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
    assert benchmark is not None
    assert opened is not None
    source, parts = opened, session.parts
    named = {name: part for name in PART_NAMES if (part := getattr(parts, name)) is not None}
    if former is not None:
        source = former.source
        named = {**former.parts, **named}
    edited = session.edits.edited
    project = Project(
        path=path,
        source=source,
        name=benchmark.name,
        profile=session.profile.key,
        parts=named,
        runs={run.name: _in_folder(run.source, benchmark.root, root_of(source)) for run in benchmark.runs},
        files=dict.fromkeys(_files_read(benchmark, root_of(source)), ""),
        view={**_selection_by_name(session), **view},
        notes=dict(edited.notes),
        colours=dict(edited.colours),
        hidden=tuple(sorted(edited.hidden)),
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
