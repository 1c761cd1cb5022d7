"""What a figure shows, as a record, and what it is made of."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Benchmark, ShrecError
from shrec_viewer.evaluation.plots.curves import DEFAULT_RANKS, RANK
from shrec_viewer.evaluation.plots.generality import ADD_IRRELEVANT
from shrec_viewer.evaluation.practical import SAMPLE_SIZE, SCOPE
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.metrics import Profile, UnknownKeyError
from shrec_viewer.metrics.measures.measure import suggestion
from shrec_viewer.render.scene.camera import Camera, is_valid_setting
from shrec_viewer.render.scene.palette import DASHES, MARKERS, RunStyle, assign_slots, run_style

Range = tuple[float, float]


@dataclass(frozen=True)
class FigureRequest:
    """What a figure shows; the defaults are everything, in the order of the benchmark.

    Attributes
    ----------
    kind : key of `FIGURES`.
    runs, queries : names and ids, in this order. Without runs all are shown; without queries all, or means over them.
    measure : key; "" for the main measure of the profile.
    curve : key of the curve type; "" for the first one of the profile.
    average : how mean curves are averaged, see `CurveAveraging`; "" for the default of the curve type.
    ranks : number of ranks, of curves by rank.
    over : ``"rank"`` or ``"recall"``: x of curves by rank.
    scope : n of recall at n times the class size.
    vary : how the generality is varied, ``"growing"`` or ``"classes"``.
    doublings : -log2 of the generality of curves and of the highlighted line of the surface; None for the collection.
    show : lines for comparison: ``ideal``, ``random``, ``scopes``, ``wedge``, ``tris``, ``before-edits`` (the curves
        before the edits of the assessment) and ``baseline`` (that of the baseline of the highlighted run).
    highlight : name of the run with a wide line; "" for none.
    x_range, y_range : limits of the axes; None for those of the kind.
    run_order, query_order : orders of the heat map; see `heat_map`.
    sort_run, sort_query : run or query of the orders ``"run"`` and ``"query"``.
    baseline : what is subtracted: ``"mean"`` of the runs, or the name of a run; "" for nothing.
    tier : 1 or 2, of the confusion map.
    top : images of a strip.
    across : images in a row of a sheet; 0 for a number that fits.
    rank : 1-based rank of the models of the triptych.
    angles : azimuth and elevation of the surface in degrees.
    models : ids of models, of a figure of large images.
    camera : settings that differ from those of the benchmark, as `camera_text` writes them; "" for none.
    value : what the practical figure shows: ``"recall"``, ``"generality"`` or ``"class_size"``.
    judged, sample : ranks of each list, and random pairs, that count as judged, of the practical figure.
    styles : styles of runs that are not those of `assign_slots`, by name.
    """

    kind: str
    runs: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()
    measure: str = ""
    curve: str = ""
    average: str = ""
    ranks: int = DEFAULT_RANKS
    over: str = RANK
    scope: int = 1
    vary: str = ADD_IRRELEVANT
    doublings: float | None = None
    show: tuple[str, ...] = ()
    highlight: str = ""
    x_range: Range | None = None
    y_range: Range | None = None
    run_order: str = "mean"
    query_order: str = "given"
    sort_run: str = ""
    sort_query: str = ""
    baseline: str = ""
    tier: Literal[1, 2] = 1
    top: int = 10
    across: int = 0
    rank: int = 1
    angles: Range | None = None
    models: tuple[str, ...] = ()
    camera: str = ""
    value: str = "recall"
    judged: int = SCOPE
    sample: int = SAMPLE_SIZE
    styles: Mapping[str, RunStyle] = field(default_factory=dict, compare=False)

    def arguments(self) -> tuple[str, ...]:
        """Arguments of the command ``figure`` after BENCHMARK that make the same request."""
        options: list[str] = []
        for row in fields(self):
            value = getattr(self, row.name)
            if row.name == "styles":
                options += [f"--style={name}={' '.join(style).rstrip()}" for name, style in self.styles.items()]
            if row.name in ("kind", "styles") or value == row.default:
                continue
            name = f"--{REPEATED.get(row.name, row.name.replace('_', '-'))}"
            # With "=", as names in files may begin with a hyphen.
            if row.name in PAIRS:
                options += [name, *(repr(float(number)) for number in value)]
            else:
                options += [f"{name}={one}" for one in (value if isinstance(value, tuple) else (value,))]
        return (self.kind, *options)


REPEATED = {"runs": "run", "queries": "query", "models": "model"}
"""Options that may be repeated, by field of `FigureRequest`, whose names differ from it."""

PAIRS = ("x_range", "y_range", "angles")
"""Fields that are two numbers, with one option that takes both."""


def style_of_text(text: str) -> tuple[str, RunStyle] | None:
    """Name and style of a run, of the option ``--style``; None if it is not valid.

    Examples
    --------
    >>> style_of_text("A=1=#2E00AB dash triangle")
    ('A=1', RunStyle(colour='#2E00AB', dash='dash', marker='triangle'))
    >>> style_of_text("A1=#2E00AB")
    ('A1', RunStyle(colour='#2E00AB', dash='solid', marker=''))
    >>> style_of_text("A1=red")
    """
    name, _, style = text.rpartition("=")
    colour, dash, marker, *more = [*style.split(), "", "", ""][: max(3, len(style.split()))]
    is_colour = re.fullmatch("#[0-9A-Fa-f]{6}", colour) is not None
    if not name or not is_colour or dash not in ("", *DASHES) or marker not in ("", *MARKERS) or any(more):
        return None
    return name, RunStyle(colour, dash or DASHES[0], marker)


def camera_text(camera: Camera, default: Camera) -> str:
    """The settings in which a camera differs from another one, for the option ``--camera``.

    Examples
    --------
    >>> camera_text(Camera(azimuth=30.0, up="Z", zoom=2.0), Camera())
    'up=Z,azimuth=30,zoom=2'
    """
    found, known = (
        {**one.as_settings(), "zoom": one.zoom, "right": one.pan[0], "upward": one.pan[1]} for one in (camera, default)
    )
    return ",".join(
        f"{key}={value if isinstance(value, str) else format(value, '.10g')}"
        for key, value in found.items()
        if value != known[key]
    )


def camera_settings(text: str) -> dict[str, str | float] | None:
    """The settings of `camera_text`, as `Camera.with_settings` takes them; None if one is not valid.

    Examples
    --------
    >>> camera_settings("up=Z,azimuth=30"), camera_settings("up=A")
    ({'up': 'Z', 'azimuth': 30.0}, None)
    """
    settings: dict[str, str | float] = {}
    for part in filter(None, text.split(",")):
        key, _, value = part.partition("=")
        try:
            settings[key] = float(value)
        except ValueError:
            settings[key] = value
    return settings if all(is_valid_setting(key, value) for key, value in settings.items()) else None


@dataclass(frozen=True, eq=False)
class ModelImage:
    """The image of a file: (h, w, 4) uint8 pixels with straight alpha, or None and why there is none."""

    pixels: NDArray[np.uint8] | None
    problem: str = ""


@dataclass(frozen=True, eq=False)
class FigureData:
    """What figures are made of.

    Attributes
    ----------
    benchmark, profile : what was read, and the conventions.
    scores : of all runs, with the measure that is requested; None for kinds that need none.
    images : of the files that `FigureKind.images` lists.
    former : scores before the edits of the assessment; None without edits.
    baselines : scores of the versions that are the baselines of runs, under the names of these; None for none.
    """

    benchmark: Benchmark
    profile: Profile
    scores: Scores | None = None
    images: Mapping[Path, ModelImage] = field(default_factory=dict)
    former: Scores | None = None
    baselines: Scores | None = None

    @property
    def evaluated(self) -> Scores:
        """The scores.

        Raises
        ------
        ShrecError
            If there are none.
        """
        if self.scores is None:
            raise ShrecError(f"'{self.benchmark.name}' has no scores")
        return self.scores

    def image(self, path: Path | None) -> ModelImage:
        """The image of a file of the benchmark, or the reason why there is none."""
        if path is None:
            return ModelImage(None, "no file")
        return self.images.get(path, ModelImage(None, "no image"))


def requested_runs(data: FigureData, request: FigureRequest) -> list[int]:
    """Indices in the benchmark of the requested runs; all without any.

    Raises
    ------
    UnknownKeyError
        If there is no run of a requested name.
    """
    names = [run.name for run in data.benchmark.runs]
    if not names:
        raise ShrecError(f"'{data.benchmark.name}' has no runs")
    return [run_number(data, name) for name in request.runs] or list(range(len(names)))


def run_number(data: FigureData, name: str) -> int:
    """Index of a run in the benchmark; UnknownKeyError if there is none."""
    names = [run.name for run in data.benchmark.runs]
    if name not in names:
        raise UnknownKeyError(f"there is no run '{name}'{suggestion(name, names)}")
    return names.index(name)


def requested_queries(data: FigureData, request: FigureRequest) -> list[int]:
    """Indices of the requested queries; all without any.

    Raises
    ------
    UnknownKeyError
        If there is no query of a requested id.
    """
    known = data.benchmark.queries.index
    for name in request.queries:
        if name not in known:
            raise UnknownKeyError(f"there is no query '{name}'{suggestion(name, list(known))}")
    return [known[name] for name in request.queries] or list(range(len(known)))


def one_query(data: FigureData, request: FigureRequest) -> int | None:
    """Index of the only requested query; None for means over all.

    Raises
    ------
    ShrecError
        If several are requested.
    """
    if len(request.queries) > 1:
        raise ShrecError("this figure shows one query or the means over all: choose one query, or none")
    return requested_queries(data, request)[0] if request.queries else None


def query_text(data: FigureData, query: int | None) -> str:
    """Id of a query, or ``"mean"``, for titles."""
    return "mean" if query is None else data.benchmark.queries.ids[query]


def styles_of_runs(data: FigureData, request: FigureRequest) -> tuple[RunStyle, ...]:
    """Styles of all runs of the benchmark in their order."""
    slots = assign_slots(data.benchmark.runs, {})
    return tuple(request.styles.get(run.name) or run_style(slots[run.name]) for run in data.benchmark.runs)


def headline(scores: Scores, request: FigureRequest) -> int:
    """Column of the requested measure; without one, that of the profile's main measure.

    Raises
    ------
    UnknownKeyError
        If the measure was not evaluated.
    """
    if request.measure:
        return scores.column(request.measure)
    keys = [measure.key for measure in scores.measures]
    return keys.index(scores.profile.headline) if scores.profile.headline in keys else 0
