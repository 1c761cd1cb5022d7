"""Data of charts and tables from the session, and the options of requests that follow it."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from shrec_viewer.content.data import ContentData
from shrec_viewer.content.images import StripsRequest, camera_text
from shrec_viewer.content.lists import RankedListRequest
from shrec_viewer.content.request import Request
from shrec_viewer.domain.value_scale import ValueScale
from shrec_viewer.evaluation.run_groups import members_of
from shrec_viewer.render.scene.camera import Camera
from shrec_viewer.render.scene.palette import RunStyle, assign_slots, run_style
from shrec_viewer.render.scene.values import scale_of
from shrec_viewer.viewmodels.session.selection import NOTHING
from shrec_viewer.viewmodels.session.session import Session


def content_data(session: Session) -> ContentData:
    """What charts and tables of the session are made of, with the light styles of runs."""
    return ContentData(
        session.benchmark,
        session.profile,
        session.scores,
        former=session.unedited_scores,
        baselines=session.versions.baseline_scores,
        edits=session.edits.levels,
        versions=session.versions.store,
        assessments=session.assessments.available,
        styles=changed_styles(session),
        results=session.results,
    )


def styles_by_name(session: Session, theme: str) -> Mapping[str, RunStyle]:
    """Styles of the runs in a theme, by name."""
    runs = session.benchmark.runs
    return {run.name: style for run, style in zip(runs, session.run_styles.styles(theme), strict=True)}


def changed_styles(session: Session) -> Mapping[str, RunStyle]:
    """The light styles that figures do not have without the window."""
    slots = assign_slots(session.benchmark.runs, {})
    return {name: style for name, style in styles_by_name(session, "light").items() if style != run_style(slots[name])}


def camera_of(session: Session, shown: tuple[Camera, ValueScale | None] | None = None) -> str:
    """The option ``--camera`` of images: camera and colours of the collection, or those shown."""
    benchmark = session.benchmark
    default = Camera().with_settings(dict(benchmark.camera))
    camera, scale = shown or (session.mesh_view_state.camera, session.mesh_view_state.scale)
    return camera_text(camera, default, scale, scale_of(benchmark.camera))


def _visible_runs(session: Session) -> tuple[str, ...]:
    runs = session.benchmark.runs
    visible = session.selection.visible_runs
    names = tuple(run.name for index, run in enumerate(runs) if index in visible)
    return () if len(names) == len(runs) else names


def _run(session: Session) -> tuple[str, ...]:
    return () if session.run is None else (session.run.name,)


def _compared(session: Session) -> tuple[str, ...]:
    benchmark, compared = session.benchmark, session.selection.compared
    if compared is None or not 0 <= compared < len(benchmark.runs):
        return ()
    return (benchmark.runs[compared].name,)


def _pair(session: Session) -> tuple[str, ...]:
    names = (*_run(session), *_compared(session))
    return names if len(set(names)) == 2 else ()


def _query(session: Session) -> tuple[str, ...]:
    benchmark, query = session.benchmark, session.selection.query
    return () if query == NOTHING else (benchmark.queries.ids[query],)


def _model(session: Session) -> tuple[str, ...]:
    benchmark, model = session.benchmark, session.selection.model
    return () if model is None else (benchmark.collection.ids[model],)


def _within(session: Session) -> tuple[str, ...]:
    return tuple(session.benchmark.collection.ids[model] for model in session.selection.within)


def _slice(session: Session) -> tuple[str, ...]:
    return (session.selection.slice,) if session.selection.means else ()


def _groups(session: Session) -> tuple[str, ...]:
    names = [run.name for run in session.benchmark.runs]
    return tuple(group for group in session.selection.groups if members_of(group, names))


#: Values of the options that follow the session, by `Option.follows`; () for the default.
FOLLOWED: Mapping[str, Callable[[Session], tuple[Any, ...]]] = {
    "measure": lambda session: (session.measure,),
    "runs": _visible_runs,
    "run": _run,
    "highlight": _run,
    "pair": _pair,
    "compared": _compared,
    "query": _query,
    "curve query": lambda session: () if session.selection.means else _query(session),
    "scores of": lambda session: (session.selection.scores_of,),
    "slice": _slice,
    "model": _model,
    "rank": lambda session: () if session.selection.rank is None else (session.selection.rank,),
    "groups": _groups,
    "camera": lambda session: (camera_of(session),),
    "cause": lambda session: (session.selection.cause,),
    "within": _within,
}


def followed(session: Session, request: Request) -> Request:
    """The request with the options that follow the session."""
    values: dict[str, Any] = {}
    for field in request.options():
        if field.option.follows:
            found = FOLLOWED[field.option.follows](session)
            values[field.name] = found if field.repeated else found[0] if found else field.default
    return replace(request, **values)


def with_images(session: Session, request: RankedListRequest) -> tuple[Request, ...]:
    """The request of a ranked list, after that of its first models as images where models have files."""
    if not session.benchmark.collection.has_file.any():
        return (request,)
    return followed(session, StripsRequest(runs=request.runs, queries=request.queries)), request
