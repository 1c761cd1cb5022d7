"""A session as a project and back: what is selected and edited, by names that survive when a folder changes."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from shrec_viewer.formats.project import PART_NAMES, Project, content_hash, is_project, read_project, write_project
from shrec_viewer.render.camera import Camera
from shrec_viewer.viewmodels.edits import Edited
from shrec_viewer.viewmodels.selection import NOTHING
from shrec_viewer.viewmodels.session import Session
from shrec_viewer.viewmodels.tasks import Task


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
        view={**_selected(session), **view},
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
    session.edits.restore(Edited(dict(project.notes), dict(project.colours), frozenset(project.hidden)))
    if isinstance(view.get("camera"), dict):
        session.orbit.set_camera(Camera().with_settings(view["camera"]))
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


def _selected(session: Session) -> dict[str, Any]:
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
    if session.orbit.is_settled:
        found["camera"] = session.orbit.camera.as_settings()
    if selection.model is not None:
        found["model"] = benchmark.collection.ids[selection.model]
    return {key: value for key, value in found.items() if value is not None}
