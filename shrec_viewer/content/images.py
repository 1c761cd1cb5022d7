"""Images of ranked lists, of queries and of models, and the camera that they are drawn with."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import dist, isfinite
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import quote, unquote

import numpy as np

from shrec_viewer.charts.rank_rows import RankRow, RankRows
from shrec_viewer.charts.strips import UNJUDGED, Sheet, Strip, StripRow, Strips, Tile, TileKey
from shrec_viewer.content.data import ContentData, class_name, model_number, query_numbers, run_numbers, styles_of_runs
from shrec_viewer.content.lists import ComparisonRequest, compared_lists, comparison_scores, comparison_texts
from shrec_viewer.content.request import Request, camera_option, option, queries_option, runs_option
from shrec_viewer.content.styles import with_styles
from shrec_viewer.domain import Benchmark, Run, ShrecViewerError
from shrec_viewer.domain.value_scale import ValueScale
from shrec_viewer.evaluation.edits import level_of
from shrec_viewer.evaluation.ranked_list import ListHeads, RankedList, ranked_list
from shrec_viewer.geometry.difference import Drawn, ShapeDifference, distance_legend
from shrec_viewer.number_format import format_distance, format_value
from shrec_viewer.render.scene.camera import Camera, is_valid_setting
from shrec_viewer.render.scene.style import RenderStyle, Shading
from shrec_viewer.render.scene.values import SCALE_SETTINGS, is_valid_scale_setting
from shrec_viewer.render.thumbnails.thumbnail import MeshComparison, ThumbnailRequest
from shrec_viewer.render.workers.model_readers import is_image

#: Queries of a figure of strips when none is requested.
MAX_QUERIES = 6


#: Ranks of relevant models after the strip that are listed, at most.
MISSED_RANKS = 8


#: Least and largest factor on the size of the points of a cloud.
POINT_SIZES = (0.25, 8.0)

#: Images in a row of a sheet: figure 1 of the SHREC 2006 report has 30 queries in 5 rows.
ACROSS = 6


@dataclass(frozen=True)
class ListImagesRequest(Request):
    """First models of ranked lists."""

    runs: tuple[str, ...] = runs_option()
    queries: tuple[str, ...] = queries_option()
    top: int = option(10, low=1, high=100, metavar="N", help="Images of a list.")
    camera: str = camera_option()


@dataclass(frozen=True)
class StripsRequest(ListImagesRequest):
    """First models of several runs for several queries."""

    kind: ClassVar[str] = "strips"


#: Rows of the matrix: all runs for the selected query, or all queries of the selected run.
ALL_RUNS, ALL_QUERIES = "runs", "queries"

#: Orders of the rows besides the keys of measures: that of the benchmark, and by the measure selected in the window.
BENCHMARK_ORDER, SELECTED_MEASURE = "order", ""


@dataclass(frozen=True)
class MatrixRequest(ListImagesRequest):
    """First models of all runs for one query, or of one run for all queries."""

    kind: ClassVar[str] = "matrix"

    by: str = option(ALL_RUNS, "Rows", {ALL_RUNS: "All runs", ALL_QUERIES: "All queries"}, of=("panel",))
    order: str = option(SELECTED_MEASURE, "Order of the rows", of=("panel",))
    edge: int = option(48, "Thumbnail size", low=32, high=96, of=("panel",))


#: Orders of the list of queries: as in the benchmark, by id, by class, lowest or highest value first, largest
#: difference to the compared run first (absolute, negative, positive), largest spread over the runs first, largest
#: range over the orders of ties first.
QUERY_ORDERS = {
    "file": "File order",
    "id": "By id",
    "class": "By class",
    "worst": "Lowest first",
    "best": "Highest first",
    "change": "Difference",
    "loss": "Losses first",
    "gain": "Gains first",
    "spread": "Spread",
    "ties": "Ties",
}

#: Those that need a compared run.
COMPARISON_ORDERS = ("change", "loss", "gain")

#: Value of `QueriesRequest.class_name`: all classes. No class has an empty name.
ANY_CLASS = ""


@dataclass(frozen=True)
class QueriesRequest(Request):
    """All queries."""

    kind: ClassVar[str] = "queries"

    order: str = option("file", "Order", QUERY_ORDERS, of=("panel",))
    text: str = option("", "Filter", of=("panel",))
    class_name: str = option(ANY_CLASS, "Class", of=("panel",))

    queries: tuple[str, ...] = queries_option()
    across: int = option(0, low=0, high=100, metavar="N", help="Images in a row.")
    camera: str = camera_option()

    @classmethod
    def current_state(cls, state: Mapping[str, Any]) -> Mapping[str, Any]:
        """See `Request.current_state`; the class was ``class``."""
        return {"class_name" if name == "class" else name: value for name, value in state.items()}


@dataclass(frozen=True)
class TriptychRequest(Request):
    """A query and the models of two runs at one rank."""

    kind: ClassVar[str] = "triptych"

    runs: tuple[str, ...] = runs_option(follows="pair")
    queries: tuple[str, ...] = queries_option(follows="query")
    rank: int = option(1, "Rank", low=1, metavar="N", help="Rank of the models.", follows="rank")
    camera: str = camera_option()


#: Coordinates in a file.
Point = tuple[float, float, float]

#: How the difference of models from another one is shown.
DIFFERENCE_LAYOUTS = {"": "None", "side": "Side by side", "overlay": "Overlay", "flip": "Flip"}

#: With which models are compared, by the key of the pane of the 3D view.
COMPARED_WITH = {"query": "Query", "b": "Model of run B", "pinned": "Pinned model"}


@dataclass(frozen=True)
class ModelsRequest(Request):
    """Queries and models."""

    kind: ClassVar[str] = "models"

    queries: tuple[str, ...] = queries_option()
    models: tuple[str, ...] = option((), name="model", metavar="ID", help="A model shown; repeatable.")
    shading: Shading = option("flat", "Shading", help="Shading of surfaces, or their normals as colours.")
    wireframe: bool = option(False, "Wireframe", help="Draw the edges of the faces.")
    box: bool = option(False, "Bounding box and axes", help="Draw bounding box and axes.")
    point_size: float = option(
        1.0, "Size of points", low=POINT_SIZES[0], high=POINT_SIZES[1], metavar="FACTOR",
        help="Factor on the size of the points of clouds.",
    )  # fmt: skip
    difference: str = option(
        "", "Difference", DIFFERENCE_LAYOUTS, name="shape-difference",
        help="Align the models with the first query or model, and colour them by their distance from it: `side` by "
        "side, as `overlay`, or both in the same place (`flip`).",
    )  # fmt: skip
    reference: str = option(
        "", name="against", metavar="ID", help="The query or model with which --shape-difference compares the others."
    )
    against: str = option("query", "Compared with", COMPARED_WITH, of=("panel",))
    mirror: bool = option(True, "Mirror images", name="mirror-images", help="Compare mirror images as well.")
    points: tuple[str, ...] = option(
        (), metavar="ID:X,Y,Z,X,Y,Z", help="Mark two points of a model or query, with their distance; repeatable."
    )
    values: str = option("", "Colours", of=("panel",))
    across: int = option(0, low=0, high=100, metavar="N", help="Images in a row.")
    camera: str = camera_option()

    @property
    def fixed_options(self) -> tuple[str, ...]:
        """See `Request`; these are chosen in the view."""
        return ("shading", "wireframe", "box", "point_size", "difference", "reference", "mirror", "points")

    @property
    def style(self) -> RenderStyle:
        """How the meshes are drawn, without values."""
        return RenderStyle(
            shading=self.shading, wireframe=self.wireframe, box=self.box, axes=self.box, point_size=self.point_size
        )

    @property
    def shows_values(self) -> bool:
        """Whether the colours of a quantity are visible: those of a difference are distances."""
        return not self.difference and self.shading != "normals"

    def points_of(self, name: str) -> tuple[Point, ...]:
        """The marked points of a query or model, in the coordinates of its file.

        Raises
        ------
        ShrecViewerError
            If an option is not the id and six numbers.
        """
        for text in self.points:
            of, _, numbers = text.rpartition(":")
            found = [float(number) for number in numbers.split(",") if _is_finite(number)]
            if not of or len(found) != 6 or numbers.count(",") != 5:
                raise ShrecViewerError(f"'{text}' is not an id and two points: ID:X,Y,Z,X,Y,Z")
            if of == name:
                return (found[0], found[1], found[2]), (found[3], found[4], found[5])
        return ()

    @classmethod
    def current_state(cls, state: Mapping[str, Any]) -> Mapping[str, Any]:
        """See `Request.current_state`; the difference was on or off."""
        if isinstance(was_on := state.get("difference"), bool):
            return {**state, "difference": "side" if was_on else ""}
        return state


def strips(data: ContentData, request: StripsRequest) -> Strips:
    """The first models of several runs for several queries, with relevance frames and ranks of the missed models."""
    benchmark = data.benchmark
    runs, queries = [benchmark.runs[run] for run in run_numbers(data, request.runs)], _queries_of_strips(data, request)
    rows = []
    for query in queries:
        lists = [ranked_list(benchmark, run, query, data.profile) for run in runs]
        found = tuple(_strip(data, ranked, request.top) for ranked in lists)
        rows.append(StripRow(query_tile(data, query), found))
    title = f"{benchmark.name} strips {', '.join(benchmark.queries.ids[query] for query in queries)}"
    return Strips(title, tuple(run.name for run in runs), tuple(rows), request.top, TileKey(benchmark.is_binary))


def matrix(data: ContentData, request: MatrixRequest) -> Strips:
    """A strip for each run and query below each other: all runs for one query, or all queries of one run."""
    benchmark = data.benchmark
    runs, queries = (
        [benchmark.runs[run] for run in run_numbers(data, request.runs)],
        query_numbers(data, request.queries),
    )
    rows = []
    for query in queries:
        tile = query_tile(data, query)
        for run in runs:
            names = [run.name] if len(queries) == 1 else [tile.caption] if len(runs) == 1 else [tile.caption, run.name]
            found = _strip(data, ranked_list(benchmark, run, query, data.profile), request.top)
            rows.append(StripRow(replace(tile, caption=" ".join(names)), (found,)))
    subjects = [*(benchmark.queries.ids[query] for query in queries[:1] if len(queries) == 1)]
    subjects += [run.name for run in runs[:1] if len(runs) == 1]
    title = " ".join([benchmark.name, "matrix", *subjects])
    return Strips(title, (" ".join(subjects),), tuple(rows), request.top, TileKey(benchmark.is_binary))


def rank_rows(
    benchmark: Benchmark, lists: Mapping[str, RankedList], key: str, values: Sequence[float]
) -> tuple[RankRow, ...]:
    """Ranked lists by the names of their runs as rows, without styles.

    Parameters
    ----------
    key, values : of the measure of each run for the query; "" for none.
    """
    return tuple(
        RankRow(
            name,
            "no results" if shown.missing else f"{key} {format_value(value)}" if key else "",
            shown.items,
            np.full(len(shown), UNJUDGED, np.int8) if benchmark.assessment is None else shown.levels.astype(np.int8),
            shown.distances,
            f"{name} has no results" if shown.missing else "",
            shown.value_name,
        )
        for (name, shown), value in zip(lists.items(), values, strict=True)
    )


def comparison(data: ContentData, request: ComparisonRequest) -> RankRows:
    """The lists of several runs for one query as rows, with images from a rank on."""
    benchmark, tree = data.benchmark, data.benchmark.classification
    (query,), lists = query_numbers(data, request.queries)[:1], compared_lists(data, request)
    names = benchmark.collection.ids
    tiles = []
    for ranked in lists.values():
        row = []
        for index in range(min(request.rank - 1, len(ranked)), min(request.rank - 1 + request.top, len(ranked))):
            item = int(ranked.items[index])
            label = -1 if tree is None or item < 0 else int(tree.labels[item])
            tile = _model_tile(data, ranked, index, names[item] if item >= 0 else "", class_name(benchmark, label))
            row.append(replace(tile, note=format_distance(float(ranked.distances[index]))))
        tiles.append(tuple(row))
    key, values = comparison_scores(data, request, tuple(lists))
    chart = RankRows(
        f"{benchmark.name} comparison {benchmark.queries.ids[query]} {' '.join(lists)}",
        query_tile(data, query),
        rank_rows(benchmark, lists, key, values),
        request.rank,
        tuple(tiles),
        TileKey(benchmark.is_binary),
        request.every_line,
        sentence=" ".join(comparison_texts(benchmark, query, key, values, lists)[:2]).rstrip(),
    )
    return with_styles(chart, styles_of_runs(data))


def comparison_images(data: ContentData, request: ComparisonRequest) -> list[Path]:
    """Files of the query and of the models whose images the rows show."""
    benchmark = data.benchmark
    items = np.concatenate(
        [ranked.items[request.rank - 1 :][: request.top] for ranked in compared_lists(data, request).values()]
    )
    paths = [benchmark.queries.paths[query_numbers(data, request.queries)[0]]]
    paths += [benchmark.collection.paths[item] for item in items.tolist() if item >= 0]
    return list(dict.fromkeys(path for path in paths if path is not None))


def models(data: ContentData, request: ModelsRequest) -> Sheet:
    """Queries and models as large images, the frames of models by their relevance to the first query."""
    benchmark, tree = data.benchmark, data.benchmark.classification
    queries = query_numbers(data, request.queries) if request.queries else []
    tiles = [query_tile(data, query, "query") for query in queries]
    for name in request.models:
        item = model_number(data, name)
        path = benchmark.collection.paths[item]
        image = data.image(path)
        detail = tree.names[int(tree.labels[item])] if tree is not None and tree.labels[item] >= 0 else ""
        level = None
        if queries:
            level = UNJUDGED if benchmark.assessment is None else level_of(benchmark, queries[0], item)
        tiles.append(Tile(image.pixels, image.problem, name, detail, level, path=path))
    if not tiles:
        raise ShrecViewerError("this figure shows queries and models: choose queries and models")
    names = " ".join(tile.caption for tile in tiles)
    reference, comparisons = compared_files(data, request)
    if request.difference == "overlay" and comparisons:
        tiles = [tile for tile in tiles if tile.path != reference or tile.path is None]
    return Sheet(
        f"{benchmark.name} models {names}",
        tuple(_described(data, request, tile) for tile in tiles),
        request.across or min(ACROSS, len(tiles)),
        TileKey(benchmark.is_binary),
    )


def _described(data: ContentData, request: ModelsRequest, tile: Tile) -> Tile:
    """The tile with what is measured on it, and how it differs from the reference."""
    difference, lines = data.image(tile.path).difference, []
    if points := request.points_of(tile.caption):
        lines.append(f"distance {format_distance(dist(*points))}")
    legend = distance_legend(difference.last) if isinstance(difference, ShapeDifference) else None
    if difference is not None:
        lines.append(difference.sentence() if isinstance(difference, ShapeDifference) else difference)
        lines += [f"dots: {reference_name(request)}"] if request.difference == "overlay" else []
    return replace(tile, note="; ".join(lines), legend=legend)


def reference_name(request: ModelsRequest) -> str:
    """Id of the query or model with which the others are compared; "" without any."""
    return request.reference or next(iter((*request.queries, *request.models)), "")


def compared_files(data: ContentData, request: ModelsRequest) -> tuple[Path | None, dict[Path, MeshComparison]]:
    """The file with which others are compared, and what is drawn of each file that is compared; none without meshes.

    Raises
    ------
    ShrecViewerError
        If the reference is not one of the queries and models shown.
    """
    benchmark = data.benchmark
    paths = {name: benchmark.collection.paths[model_number(data, name)] for name in request.models}
    shown = {benchmark.queries.ids[one]: benchmark.queries.paths[one] for one in query_numbers(data, request.queries)}
    shown = {**paths, **shown} if request.queries else paths
    name = reference_name(request)
    if not request.difference or not shown:
        return None, {}
    if name not in shown:
        raise ShrecViewerError(f"'{name}', with which others are compared, is not shown")
    reference = shown[name]
    if reference is None or is_image(reference):
        return reference, {}
    drawn: Drawn = "both" if request.difference == "overlay" else "moved"
    answers = [path for path in paths.values() if path is not None and path != reference and not is_image(path)]
    found = {path: MeshComparison(reference, drawn, request.mirror) for path in answers}
    if request.difference == "flip" and answers:
        found[reference] = MeshComparison(answers[0], "fixed", request.mirror)
    return reference, found


def as_shown(data: ContentData, request: ModelsRequest, images: Sequence[ThumbnailRequest]) -> list[ThumbnailRequest]:
    """Requests of images in the style of the view, with comparisons and marked points."""
    benchmark, (_, comparisons) = data.benchmark, compared_files(data, request)
    points: dict[Path | None, tuple[Point, ...]] = {}
    for of in (benchmark.queries, benchmark.collection):
        names = request.queries if of is benchmark.queries else request.models
        points |= {of.paths[of.index[name]]: found for name in names if (found := request.points_of(name))}
    return [
        replace(
            one,
            style=replace(request.style, values=one.style.values),
            comparison=comparisons.get(one.path),
            points=() if one.path in comparisons else points.get(one.path, ()),
        )
        for one in images
    ]


def _is_finite(text: str) -> bool:
    try:
        return isfinite(float(text))
    except ValueError:
        return False


def model_images(data: ContentData, request: ModelsRequest) -> list[Path]:
    """Files of the requested queries and models."""
    benchmark = data.benchmark
    paths = (
        [benchmark.queries.paths[query] for query in query_numbers(data, request.queries)] if request.queries else []
    )
    paths += [benchmark.collection.paths[model_number(data, name)] for name in request.models]
    return list(dict.fromkeys(path for path in paths if path is not None))


def matrix_images(data: ContentData, request: MatrixRequest) -> list[Path]:
    """Files of the queries and models of the matrix."""
    names = tuple(data.benchmark.queries.ids[query] for query in query_numbers(data, request.queries))
    return strip_images(data, replace(request, queries=names))


def _queries_of_strips(data: ContentData, request: ListImagesRequest) -> list[int]:
    queries = query_numbers(data, request.queries)
    return queries if request.queries else queries[:MAX_QUERIES]


def strip_images(data: ContentData, request: ListImagesRequest) -> list[Path]:
    """Files of the queries and models of the strips."""
    benchmark, queries = data.benchmark, _queries_of_strips(data, request)
    paths = [benchmark.queries.paths[query] for query in queries]
    for run in run_numbers(data, request.runs):
        heads = ListHeads(benchmark, benchmark.runs[run], data.profile)
        for query in queries:
            items = heads.head(query, request.top).items.tolist()
            paths += [benchmark.collection.paths[item] for item in items if item >= 0]
    return list(dict.fromkeys(path for path in paths if path is not None))


def _strip(data: ContentData, ranked: RankedList, top: int) -> Strip:
    if ranked.missing:
        return Strip((), "no list for this query")
    tiles = tuple(_model_tile(data, ranked, index) for index in range(min(top, len(ranked))))
    return Strip(tiles, "" if data.benchmark.assessment is None else missed_text(ranked, top))


def missed_text(ranked: RankedList, top: int) -> str:
    """Ranks of the relevant models after the first `top`, and how many the list lacks.

    Examples
    --------
    >>> levels = np.array([2, 0, 1, 0, 1], np.uint8)
    >>> items, no = np.arange(5, dtype=np.int32), np.zeros(5, np.bool_)
    >>> lacking = np.array([7], np.int32)
    >>> missed_text(RankedList(items, np.zeros(5), levels, no, items, False, lacking), 2)
    'missed: 3, 5; 1 not listed'
    >>> missed_text(RankedList(items, np.zeros(5), levels, no, items, False, lacking[:0]), 5)
    'none missed'
    """
    ranks = (np.flatnonzero(ranked.levels[top:] > 0) + top + 1).tolist()
    lacking = len(ranked.not_retrieved)
    if not ranks and not lacking:
        return "none missed" if ranked.levels.any() else "nothing relevant"
    listed = ", ".join(f"{rank:,}" for rank in ranks[:MISSED_RANKS])
    more = f", {len(ranks) - MISSED_RANKS:,} more" if len(ranks) > MISSED_RANKS else ""
    parts = [f"missed: {listed}{more}"] if ranks else []
    return "; ".join([*parts, *([f"{lacking:,} not listed"] if lacking else [])])


def _model_tile(data: ContentData, ranked: RankedList, index: int, caption: str = "", detail: str = "") -> Tile:
    """The model at a 0-based index of a ranked list."""
    item = int(ranked.items[index])
    if item < 0:
        return Tile(None, "not in the collection", caption, detail, UNJUDGED)
    image = data.image(data.benchmark.collection.paths[item])
    level = UNJUDGED if data.benchmark.assessment is None else int(ranked.levels[index])
    return Tile(image.pixels, image.problem, caption, detail, level)


def query_tile(data: ContentData, query: int, detail: str = "") -> Tile:
    """A query with its id."""
    queries = data.benchmark.queries
    path, image = queries.paths[query], data.image(queries.paths[query])
    return Tile(image.pixels, image.problem, queries.ids[query], detail, is_query=True, path=path, index=query)


def queries(data: ContentData, request: QueriesRequest) -> Sheet:
    """All queries with ids and classes; figure 1 of the SHREC 2006 report."""
    benchmark = data.benchmark
    tree = benchmark.classification
    tiles = []
    for query in query_numbers(data, request.queries):
        label = int(benchmark.queries.labels[query])
        detail = tree.names[label] if tree is not None and label >= 0 else ""
        image = data.image(benchmark.queries.paths[query])
        tiles.append(Tile(image.pixels, image.problem, benchmark.queries.ids[query], detail))
    if not tiles:
        raise ShrecViewerError(f"'{benchmark.name}' has no queries")
    return Sheet(f"{benchmark.name} queries", tuple(tiles), request.across or min(ACROSS, len(tiles)))


def query_images(data: ContentData, request: QueriesRequest) -> list[Path]:
    """Files of the requested queries."""
    paths = [data.benchmark.queries.paths[query] for query in query_numbers(data, request.queries)]
    return list(dict.fromkeys(path for path in paths if path is not None))


def triptych(data: ContentData, request: TriptychRequest) -> Sheet:
    """A query, and the first model that each of two runs found for it, or that of a requested rank."""
    benchmark = data.benchmark
    query, runs = _of_triptych(data, request)
    tiles = [query_tile(data, query, "query")]
    for run in runs:
        ranked, index = ranked_list(benchmark, run, query, data.profile), request.rank - 1
        if index >= len(ranked):
            why = "no list for this query" if ranked.missing else f"the list ends before rank {index + 1:,}"
            tiles.append(Tile(None, why, run.name, ""))
            continue
        item = int(ranked.items[index])
        model = benchmark.collection.ids[item] if item >= 0 else "unknown id"
        tiles.append(_model_tile(data, ranked, index, model, f"{run.name}, rank {index + 1:,}"))
    names = " ".join(run.name for run in runs)
    title = f"{benchmark.name} triptych {benchmark.queries.ids[query]} {names}"
    return Sheet(title, tuple(tiles), len(tiles), TileKey(benchmark.is_binary))


def _of_triptych(data: ContentData, request: TriptychRequest) -> tuple[int, Sequence[Run]]:
    if len(request.runs) != 2 or len(request.queries) != 1:
        raise ShrecViewerError("this figure compares two runs for one query: choose run A, run B and a query")
    runs = [data.benchmark.runs[run] for run in run_numbers(data, request.runs)]
    return query_numbers(data, request.queries)[0], runs


def triptych_images(data: ContentData, request: TriptychRequest) -> list[Path]:
    """Files of the query and of the two models."""
    benchmark = data.benchmark
    query, runs = _of_triptych(data, request)
    paths = [benchmark.queries.paths[query]]
    for run in runs:
        ranked, index = ranked_list(benchmark, run, query, data.profile), request.rank - 1
        if index < len(ranked) and ranked.items[index] >= 0:
            paths.append(benchmark.collection.paths[int(ranked.items[index])])
    return list(dict.fromkeys(path for path in paths if path is not None))


def camera_text(
    camera: Camera, default: Camera, scale: ValueScale | None = None, default_scale: ValueScale | None = None
) -> str:
    """The settings in which a camera differs from another one, for the option ``--camera``.

    After them, those of the colours, where these differ.

    Examples
    --------
    >>> camera_text(Camera(azimuth=30.0, up="Z", zoom=2.0), Camera())
    'up=Z,azimuth=30,zoom=2'
    >>> camera_text(Camera(), Camera(), ValueScale("mean, k1", 0.0, 0.5))
    'values=mean%2C%20k1,low=0,high=0.5'
    """
    found, known = ({**one.as_settings(), **one.view_settings()} for one in (camera, default))
    changed = {key: value for key, value in found.items() if value != known[key]}
    if scale != default_scale:
        changed |= {"values": ""} if scale is None else scale.as_settings()
    return ",".join(
        f"{key}={quote(value, safe='') if isinstance(value, str) else format(value, '.10g')}"
        for key, value in changed.items()
    )


def camera_settings(text: str) -> dict[str, str | float] | None:
    """The settings of `camera_text`, as `Camera.with_settings` takes them; None if one is not valid.

    Examples
    --------
    >>> camera_settings("up=Z,azimuth=30"), camera_settings("up=A")
    ({'up': 'Z', 'azimuth': 30.0}, None)
    >>> camera_settings("values=mean%2C%20k1,low=0")
    {'values': 'mean, k1', 'low': 0.0}
    """
    settings: dict[str, str | float] = {}
    for part in filter(None, text.split(",")):
        key, _, value = part.partition("=")
        try:
            settings[key] = unquote(value) if key == "values" else float(value)
        except ValueError:
            settings[key] = value
    is_valid = (is_valid_setting(key, value) or is_valid_scale_setting(key, value) for key, value in settings.items())
    return settings if all(is_valid) else None


def merged_settings(default: Mapping[str, str | float], chosen: Mapping[str, str | float]) -> Mapping[str, str | float]:
    """Settings of images of a benchmark with those chosen; another quantity has no part of the scale of the former."""
    if "values" in chosen:
        default = {key: value for key, value in default.items() if key not in SCALE_SETTINGS}
    return {**default, **chosen}
