"""Pictures of what costs a run most: false positives with their victims, and models of confused classes."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np

from shrec_viewer.charts.strips import Strip, StripRow, Strips, Tile, TileKey
from shrec_viewer.content.data import ContentData, class_name
from shrec_viewer.content.diagnosis.error_budget import (
    MAX_EXPLAINED,
    BudgetRequest,
    FalsePositivesRequest,
    RunBudget,
    costliest,
    costs_of_models,
    run_budget,
)
from shrec_viewer.content.images import query_tile
from shrec_viewer.content.request import option
from shrec_viewer.diagnosis.error_budget import DIVIDED
from shrec_viewer.domain import ShrecViewerError
from shrec_viewer.number_format import format_fixed

#: False positives that are shown, and the queries that each costs most.
WORST_MODELS, VICTIMS = 10, 12

#: Models of a class that are shown in a list, the first ones, and lists in each direction.
EXAMPLES, EXAMPLE_QUERIES = 10, 2


def false_positive_strips(data: ContentData, request: FalsePositivesRequest) -> Strips:
    """The costliest irrelevant models, each with the queries that it costs most; without, where lists are too long."""
    found = run_budget(data, request)
    worst = costliest(data, request, costs_of_models(data, request, found))[:WORST_MODELS]
    models = np.array([model for model, _ in worst], np.int64)
    costs = np.zeros((len(data.benchmark.queries), len(models)))
    is_short = len(data.benchmark.collection) * len(data.benchmark.queries) <= MAX_EXPLAINED
    for query in np.flatnonzero(~np.isnan(found.budget.values)).tolist() if len(models) and is_short else ():
        one = found.work.false_positives(found.row, query)
        of_cause = one.by_cause[:, DIVIDED.index(request.cause)] if request.cause in DIVIDED else one.costs
        for place in np.flatnonzero(np.isin(one.models, models)).tolist():
            costs[query, models == one.models[place]] = of_cause[place]
    rows = []
    for column, (model, cost) in enumerate(worst):
        order = np.argsort(-costs[:, column], kind="stable")[:VICTIMS]
        victims = tuple(
            _query_tile(data, query, format_fixed(costs[query, column], 3))
            for query in order.tolist()
            if costs[query, column] > 0
        )
        rows.append(StripRow(_model_tile(data, model, format_fixed(cost, 4)), (Strip(victims),)))
    title = f"{data.benchmark.name} false positives {found.budget.run} {request.cause}".rstrip()
    return Strips(title, ("queries that lose most by it",), tuple(rows), VICTIMS, TileKey(data.benchmark.is_binary))


def false_positive_images(data: ContentData, request: FalsePositivesRequest) -> list[Path]:
    """Files of the models and queries of `false_positive_strips`."""
    return _paths(false_positive_strips(data, request))


@dataclass(frozen=True)
class ConfusionExamplesRequest(BudgetRequest):
    """Models of one class in lists of queries of another one, and the other way round."""

    kind: ClassVar[str] = "confusion_examples"

    classes: tuple[str, ...] = option(
        (), name="class", metavar="NAME",
        help="Class of the queries, then that of the models; default: the confusion that costs most.",
    )  # fmt: skip
    compared: str = option("", metavar="NAME", help="Also the lists of this run.")


def confusion_strips(data: ContentData, request: ConfusionExamplesRequest) -> Strips:
    """Of the lists that lose most in each direction, the first models of the other class, in one run or in two.

    Raises
    ------
    ShrecViewerError
        If there are no classes, or none of a requested name.
    """
    benchmark, found = data.benchmark, run_budget(data, request)
    tree, names = benchmark.classification, request.classes
    if not names and found.budget.confusions and tree is not None:
        largest = found.budget.confusions[0]
        names = tree.names[largest.query_class], tree.names[largest.model_class]
    if tree is None or len(names) != 2:
        raise ShrecViewerError("a confusion has two classes, of queries and of models")
    for name in names:
        if name not in tree.names:
            raise ShrecViewerError(f"there is no class '{name}'")
    a, b = (tree.names.index(name) for name in names)
    rows: list[StripRow] = []
    for of_queries, of_models in dict.fromkeys(((a, b), (b, a))):
        queries = np.flatnonzero(found.work.classes_of_queries == of_queries)
        queries = queries[np.isfinite(found.budget.values[queries])]
        listed: list[tuple[float, int]] = []
        for query in queries.tolist():
            one = found.work.false_positives(found.row, query)
            inside = (one.models >= 0) & (tree.labels[one.models] == of_models)
            listed.append((-float(one.costs[inside].sum()), query))
        for _, query in sorted(listed)[:EXAMPLE_QUERIES]:
            for run in dict.fromkeys((found.budget.run, request.compared or found.budget.run)):
                rows.append(_row_of_list(data, found, run, query, of_models))
    title = f"{benchmark.name} confusion of {names[0]} and {names[1]}"
    return Strips(title, ("first models of the other class",), tuple(rows), EXAMPLES, TileKey(benchmark.is_binary))


def confusion_images(data: ContentData, request: ConfusionExamplesRequest) -> list[Path]:
    """Files of `confusion_strips`."""
    return _paths(confusion_strips(data, request))


def _row_of_list(data: ContentData, found: RunBudget, run: str, query: int, of_models: int) -> StripRow:
    """The first models of a class in a list; none where the run has no list."""
    tree, ranked = data.benchmark.classification, found.work.ranked(found.work.scores.run_index(run), query)
    assert tree is not None
    places = np.flatnonzero((ranked.items >= 0) & (tree.labels[ranked.items] == of_models)).tolist()
    tiles = tuple(
        _model_tile(data, int(ranked.items[place]), f"rank {place + 1:,}", int(ranked.levels[place]), rank=place + 1)
        for place in places[:EXAMPLES]
    )
    name = class_name(data.benchmark, int(found.work.classes_of_queries[query]))
    return StripRow(_query_tile(data, query, name, f"{run}: "), (Strip(tiles),))


def _model_tile(data: ContentData, model: int, detail: str, level: int | None = None, rank: int | None = None) -> Tile:
    collection = data.benchmark.collection
    path, name = collection.paths[model], collection.ids[model]
    image = data.image(path)
    return Tile(image.pixels, image.problem, name, detail, level, rank=rank, path=path, index=model)


def _query_tile(data: ContentData, query: int, detail: str, lead: str = "") -> Tile:
    tile = query_tile(data, query, detail)
    return replace(
        tile, caption=lead + tile.caption, note=class_name(data.benchmark, int(data.benchmark.queries.labels[query]))
    )  # fmt: skip


def _paths(chart: Strips) -> list[Path]:
    tiles = (tile for row in chart.rows for tile in (row.query, *row.strips[0].tiles))
    return list(dict.fromkeys(tile.path for tile in tiles if tile.path is not None))
