"""Map of the models as one run or several see them."""

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.charts.scatter import REST, Cloud, PointGroup, Scatter
from shrec_viewer.content.data import ContentData, class_name, model_number, query_number, run_numbers
from shrec_viewer.content.diagnosis.error_budget import (
    CAUSE_NAMES,
    FalsePositivesRequest,
    cause_option,
    costs_of_models,
    run_budget,
)
from shrec_viewer.content.request import Request, option
from shrec_viewer.diagnosis.error_budget import DIVIDED
from shrec_viewer.diagnosis.model_map import MapMethod, ModelMap, laid_onto, model_map
from shrec_viewer.domain import Benchmark, Classification, ShrecViewerError
from shrec_viewer.evaluation.ranked_list import query_levels
from shrec_viewer.number_format import format_percent
from shrec_viewer.render.scene.palette import N_COLOURS, relevance_style

METHODS = {"mds": "MDS", "pca": "PCA", "tsne": "t-SNE"}

#: Choices and their texts.
COLOURS = {"level": "Level", "class": "Class", "cost": "Cost", "error": "Error"}

#: What a drag with the mouse does.
DRAGS = {"lasso": "Lasso", "rectangle": "Rectangle", "move": "Move"}

#: Classes that have a colour; grey is the colour of all others.
N_CLASSES = N_COLOURS - 1


@dataclass(frozen=True)
class MapRequest(Request):
    """Method and colours of the map of models."""

    kind: ClassVar[str] = "map"

    runs: tuple[str, ...] = option(
        (), name="run", metavar="NAME", follows="run",
        help="Run that the map is of; repeatable: side by side, turned onto the first one. Default: the first run.",
    )  # fmt: skip
    query: str = option(
        "", metavar="ID", follows="query", help="Query whose relevance levels are shown. Default: the first query."
    )
    method: MapMethod = option(
        "mds", "Method", METHODS,
        help="Landmark multidimensional scaling, principal components, or t-SNE (by the package openTSNE).",
    )  # fmt: skip
    colour: Literal["level", "class", "cost", "error"] = option(
        "level", "Colour", COLOURS,
        help="Colour by level for the query, by class (the largest ones), by the AP that a model costs where it is not "
             "relevant, or by the share of the nearest models that are of another class.",
    )  # fmt: skip
    cause: str = cause_option(DIVIDED)
    both: bool = option(False, "A and B", of=("panel",), tip="Map of run B beside that of run A")
    drag: Literal["lasso", "rectangle", "move"] = option("lasso", "Drag", DRAGS, of=("panel",))
    seed: int = option(0, low=0, high=2**31 - 1, metavar="NUMBER", help="Of landmarks, samples and t-SNE.")
    models: tuple[str, ...] = option(
        (), name="model", metavar="ID", of=("figure",),
        help="Mark this model and draw lines to its nearest ones; repeatable.",
    )  # fmt: skip


def map_chart(data: ContentData, request: MapRequest) -> Scatter:
    """The map of each run, and the colours of the models."""
    benchmark = data.benchmark
    runs = run_numbers(data, request.runs)[: None if request.runs else 1]
    maps: list[ModelMap] = []
    for run in runs:
        maps.append(
            data.result(
                model_map, benchmark, benchmark.runs[run], request.method, seed=request.seed,
                cancelled=data.cancelled, progress=data.progress,
            )
        )  # fmt: skip
    first = maps[0]
    clouds = tuple(
        Cloud(
            one.run,
            one.models,
            one.points if one is first else laid_onto(one.models, one.points, first.models, first.points),
            one.neighbours,
            note_of(one),
        )
        for one in maps
    )
    groups, colours, values, label = _colours(data, request, first)
    high = 1.0 if values is None or request.colour == "error" else float(np.nanmax(values, initial=0.0)) or 1.0
    return Scatter(
        f"{benchmark.name} map {' '.join(one.run for one in maps)}",
        clouds,
        tuple(benchmark.collection.ids),
        _class_names(benchmark),
        groups,
        colours,
        values,
        label,
        high,
        tuple(model_number(data, name) for name in request.models),
    )


def turned_onto(chart: Scatter, computed: Scatter | None, shown: Scatter) -> Scatter:
    """The chart turned onto the one that is shown, as of a new version of the run, so that points hardly move.

    Parameters
    ----------
    computed : what `shown` was before it was turned.
    """
    if computed is not None and chart.has_points_of(computed):
        return replace(chart, clouds=shown.clouds)
    onto = shown.clouds[0]
    clouds = (replace(one, points=laid_onto(one.models, one.points, onto.models, onto.points)) for one in chart.clouds)
    return replace(chart, clouds=tuple(clouds))


def note_of(found: ModelMap) -> str:
    """What the positions of a map come from, how much of it they show, and which models are absent."""
    shares = [format_percent(share) for share in found.shares]
    parts = [found.source, f"axes show {' + '.join(shares)}" if shares else "", found.absent]
    return "; ".join(part for part in parts if part)


def _class_names(benchmark: Benchmark) -> tuple[str, ...]:
    if benchmark.classification is None:
        return ("",) * len(benchmark.collection)
    return tuple(class_name(benchmark, label) for label in benchmark.classification.labels.tolist())


Colouring = tuple[tuple[PointGroup, ...], NDArray[np.int32], NDArray[np.float64] | None, str]


def _colours(data: ContentData, request: MapRequest, found: ModelMap) -> Colouring:
    """Groups, the group of each model, values instead of groups, and what these are."""
    benchmark = data.benchmark
    none = np.zeros(len(benchmark.collection), np.int32)
    if request.colour == "level":
        if benchmark.assessment is None or not len(benchmark.queries):
            return (PointGroup("models", REST),), none, None, ""
        query = query_number(data, request.query) if request.query else 0
        levels = query_levels(benchmark, query, data.profile)
        shown = benchmark.levels
        name = benchmark.queries.ids[query]
        texts = [f"relevant to {name}"] if len(shown) == 1 else [relevance_style(level).name for level in shown]
        groups = [PointGroup(f"not relevant to {name}", REST)]
        groups += [
            PointGroup(text, f"level {2 if benchmark.is_binary else level}")
            for text, level in zip(texts, shown, strict=True)
        ]
        return tuple(groups), np.searchsorted((0, *shown), levels).astype(np.int32), None, ""
    if request.colour == "cost":
        cost = FalsePositivesRequest(runs=request.runs, cause=request.cause)
        costs = costs_of_models(data, cost, run_budget(data, cost))
        costs = costs[DIVIDED.index(request.cause)] if request.cause else costs.sum(axis=0)
        what = f", {CAUSE_NAMES[request.cause].lower()}" if request.cause else ""
        return (PointGroup("no cost", REST),), none, np.where(costs > 0, costs, np.nan), f"cost in AP{what}"
    classes = benchmark.classification
    if classes is None:
        raise ShrecViewerError(f"'{benchmark.name}' has no classification: colours can be levels of relevance")
    if request.colour == "class":
        return _largest_classes(classes)
    if not found.neighbours.size:
        raise ShrecViewerError(
            f"the nearest models of {len(found.models):,} models are not computed: they are too many"
        )
    labels = classes.labels
    other = (labels[found.neighbours] != labels[found.models][:, np.newaxis]).mean(axis=1)
    values = np.full(len(labels), np.nan)
    values[found.models] = np.where(labels[found.models] < 0, np.nan, other)
    return (PointGroup("no class", REST),), none, values, "share of nearest models of another class"


def _largest_classes(classes: Classification) -> Colouring:
    """The classes with most models, largest first; equal ones in the order of the tree."""
    order = np.argsort(-classes.sizes, kind="stable")[:N_CLASSES]
    shown = order[classes.sizes[order] > 0]
    group_of = np.zeros(len(classes.names) + 1, np.int32)  # the last for no class
    group_of[shown] = np.arange(1, len(shown) + 1)
    groups = [PointGroup(classes.names[label], f"series {index}") for index, label in enumerate(shown.tolist())]
    n_others = int(np.count_nonzero(classes.sizes)) - len(shown)
    rest = PointGroup(f"{n_others:,} other classes" if n_others else "no class", REST)
    return (rest, *groups), group_of[classes.labels], None, ""
