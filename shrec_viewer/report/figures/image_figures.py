"""Figures of images: strips of ranked lists, sheets of all queries, and one comparison in three images."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from shrec_viewer.domain import Benchmark, Run, ShrecError
from shrec_viewer.evaluation.edits import level_of
from shrec_viewer.evaluation.ranked_list import ListHeads, RankedList, ranked_list
from shrec_viewer.metrics import Profile, UnknownKeyError
from shrec_viewer.metrics.measures.measure import suggestion
from shrec_viewer.report.figures.content import (
    UNJUDGED,
    FigureContent,
    FigureSheet,
    FigureStrip,
    FigureStripRow,
    FigureStrips,
    FigureTile,
)
from shrec_viewer.report.figures.request import (
    FigureData,
    FigureRequest,
    requested_queries,
    requested_runs,
)

MAX_QUERIES = 6
"""Queries of a figure of strips when none is requested."""

MISSED_RANKS = 8
"""Ranks of relevant models after the strip that are listed, at most."""

ACROSS = 6
"""Images in a row of a sheet: figure 1 of the SHREC 2006 report has 30 queries in 5 rows."""


def strips(data: FigureData, request: FigureRequest) -> FigureContent:
    """The first models of several runs for several queries, with relevance frames and ranks of the missed models."""
    benchmark = data.benchmark
    runs, queries = [benchmark.runs[run] for run in requested_runs(data, request)], _queries_of_strips(data, request)
    rows = []
    for query in queries:
        lists = [ranked_list(benchmark, run, query, data.profile) for run in runs]
        found = tuple(_strip(data, ranked, request.top) for ranked in lists)
        rows.append(FigureStripRow(_query_tile(data, query), found))
    title = f"{benchmark.name} strips {', '.join(benchmark.queries.ids[query] for query in queries)}"
    return FigureStrips(title, tuple(run.name for run in runs), tuple(rows), request.top, _is_binary(benchmark))


def matrix(data: FigureData, request: FigureRequest) -> FigureContent:
    """A strip for each run and query below each other: all runs for one query, or all queries of one run."""
    benchmark = data.benchmark
    runs, queries = [benchmark.runs[run] for run in requested_runs(data, request)], requested_queries(data, request)
    rows = []
    for query in queries:
        tile = _query_tile(data, query)
        for run in runs:
            names = [run.name] if len(queries) == 1 else [tile.caption] if len(runs) == 1 else [tile.caption, run.name]
            found = _strip(data, ranked_list(benchmark, run, query, data.profile), request.top)
            rows.append(FigureStripRow(replace(tile, caption=" ".join(names)), (found,)))
    subjects = [*(benchmark.queries.ids[query] for query in queries[:1] if len(queries) == 1)]
    subjects += [run.name for run in runs[:1] if len(runs) == 1]
    title = " ".join([benchmark.name, "matrix", *subjects])
    return FigureStrips(title, (" ".join(subjects),), tuple(rows), request.top, _is_binary(benchmark))


def models(data: FigureData, request: FigureRequest) -> FigureContent:
    """Queries and models as large images, the frames of models by their relevance to the first query."""
    benchmark, tree = data.benchmark, data.benchmark.classification
    queries = requested_queries(data, request) if request.queries else []
    tiles = [_query_tile(data, query, "query") for query in queries]
    for name in request.models:
        item = _model_number(benchmark, name)
        image = data.image(benchmark.collection.paths[item])
        detail = tree.names[int(tree.labels[item])] if tree is not None and tree.labels[item] >= 0 else ""
        level = None
        if queries:
            level = UNJUDGED if benchmark.assessment is None else level_of(benchmark, queries[0], item)
        tiles.append(FigureTile(image.pixels, image.problem, name, detail, level))
    if not tiles:
        raise ShrecError("this figure shows queries and models: choose queries and models")
    names = " ".join(tile.caption for tile in tiles)
    return FigureSheet(
        f"{benchmark.name} models {names}",
        tuple(tiles),
        request.across or min(ACROSS, len(tiles)),
        _is_binary(benchmark),
    )


def model_images(data: FigureData, request: FigureRequest) -> list[Path]:
    """Files of the requested queries and models."""
    benchmark = data.benchmark
    paths = [benchmark.queries.paths[query] for query in requested_queries(data, request)] if request.queries else []
    paths += [benchmark.collection.paths[_model_number(benchmark, name)] for name in request.models]
    return list(dict.fromkeys(path for path in paths if path is not None))


def _model_number(benchmark: Benchmark, name: str) -> int:
    if name not in benchmark.collection.index:
        raise UnknownKeyError(f"there is no model '{name}'{suggestion(name, list(benchmark.collection.index))}")
    return benchmark.collection.index[name]


def matrix_images(data: FigureData, request: FigureRequest) -> list[Path]:
    """Files of the queries and models of the matrix."""
    names = tuple(data.benchmark.queries.ids[query] for query in requested_queries(data, request))
    return strip_images(data, replace(request, queries=names))


def _queries_of_strips(data: FigureData, request: FigureRequest) -> list[int]:
    queries = requested_queries(data, request)
    return queries if request.queries else queries[:MAX_QUERIES]


def strip_images(data: FigureData, request: FigureRequest) -> list[Path]:
    """Files of the queries and models of the strips."""
    benchmark, queries = data.benchmark, _queries_of_strips(data, request)
    paths = [benchmark.queries.paths[query] for query in queries]
    for run in requested_runs(data, request):
        heads = ListHeads(benchmark, benchmark.runs[run], data.profile)
        for query in queries:
            items = heads.head(query, request.top).items.tolist()
            paths += [benchmark.collection.paths[item] for item in items if item >= 0]
    return list(dict.fromkeys(path for path in paths if path is not None))


def _strip(data: FigureData, ranked: RankedList, top: int) -> FigureStrip:
    if ranked.missing:
        return FigureStrip((), "no list for this query")
    tiles = tuple(_model_tile(data, ranked, index) for index in range(min(top, len(ranked))))
    return FigureStrip(tiles, "" if data.benchmark.assessment is None else missed_text(ranked, top))


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


def _model_tile(data: FigureData, ranked: RankedList, index: int, caption: str = "", detail: str = "") -> FigureTile:
    """The model at a 0-based index of a ranked list."""
    item = int(ranked.items[index])
    if item < 0:
        return FigureTile(None, "not in the collection", caption, detail, UNJUDGED)
    image = data.image(data.benchmark.collection.paths[item])
    level = UNJUDGED if data.benchmark.assessment is None else int(ranked.levels[index])
    return FigureTile(image.pixels, image.problem, caption, detail, level)


def _query_tile(data: FigureData, query: int, detail: str = "") -> FigureTile:
    queries = data.benchmark.queries
    image = data.image(queries.paths[query])
    return FigureTile(image.pixels, image.problem, queries.ids[query], detail, is_query=True)


def _is_binary(benchmark: Benchmark) -> bool:
    return benchmark.assessment is not None and benchmark.assessment.levels == (1,)


def queries(data: FigureData, request: FigureRequest) -> FigureContent:
    """All queries with ids and classes; figure 1 of the SHREC 2006 report."""
    benchmark = data.benchmark
    tree = benchmark.classification
    tiles = []
    for query in requested_queries(data, request):
        label = int(benchmark.queries.labels[query])
        detail = tree.names[label] if tree is not None and label >= 0 else ""
        image = data.image(benchmark.queries.paths[query])
        tiles.append(FigureTile(image.pixels, image.problem, benchmark.queries.ids[query], detail))
    if not tiles:
        raise ShrecError(f"'{benchmark.name}' has no queries")
    return FigureSheet(f"{benchmark.name} queries", tuple(tiles), request.across or min(ACROSS, len(tiles)))


def query_images(data: FigureData, request: FigureRequest) -> list[Path]:
    """Files of the requested queries."""
    paths = [data.benchmark.queries.paths[query] for query in requested_queries(data, request)]
    return list(dict.fromkeys(path for path in paths if path is not None))


def triptych(data: FigureData, request: FigureRequest) -> FigureContent:
    """A query, and the first model that each of two runs found for it, or that of a requested rank."""
    benchmark = data.benchmark
    query, runs = _of_triptych(data, request)
    tiles = [_query_tile(data, query, "query")]
    for run in runs:
        ranked, index = _triptych_rank(data.benchmark, data.profile, run, query, request)
        if index >= len(ranked):
            why = "no list for this query" if ranked.missing else f"the list ends before rank {index + 1:,}"
            tiles.append(FigureTile(None, why, run.name, ""))
            continue
        item = int(ranked.items[index])
        model = benchmark.collection.ids[item] if item >= 0 else "unknown id"
        tiles.append(_model_tile(data, ranked, index, model, f"{run.name}, rank {index + 1:,}"))
    names = " ".join(run.name for run in runs)
    title = f"{benchmark.name} triptych {benchmark.queries.ids[query]} {names}"
    return FigureSheet(title, tuple(tiles), len(tiles), _is_binary(benchmark))


def _of_triptych(data: FigureData, request: FigureRequest) -> tuple[int, Sequence[Run]]:
    if len(request.runs) != 2 or len(request.queries) != 1:
        raise ShrecError("this figure compares two runs for one query: choose run A, run B and a query")
    runs = [data.benchmark.runs[run] for run in requested_runs(data, request)]
    return requested_queries(data, request)[0], runs


def _triptych_rank(
    benchmark: Benchmark, profile: Profile, run: Run, query: int, request: FigureRequest
) -> tuple[RankedList, int]:
    return ranked_list(benchmark, run, query, profile), request.rank - 1


def triptych_images(data: FigureData, request: FigureRequest) -> list[Path]:
    """Files of the query and of the two models."""
    query, runs = _of_triptych(data, request)
    paths = [data.benchmark.queries.paths[query]]
    for run in runs:
        ranked, index = _triptych_rank(data.benchmark, data.profile, run, query, request)
        if index < len(ranked) and ranked.items[index] >= 0:
            paths.append(data.benchmark.collection.paths[int(ranked.items[index])])
    return list(dict.fromkeys(path for path in paths if path is not None))
