"""Relevant models that no run finds, as pictures and as a table."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from shrec_viewer.charts.strips import Sheet, Tile
from shrec_viewer.charts.table import Table
from shrec_viewer.content.data import ContentData, class_name, query_numbers, score_rows, table_of
from shrec_viewer.content.images import ACROSS
from shrec_viewer.content.request import TableRequest, camera_option, option, queries_option, runs_option
from shrec_viewer.diagnosis.headroom import headroom
from shrec_viewer.domain import ShrecViewerError


@dataclass(frozen=True)
class MissedRequest(TableRequest):
    """The runs and the queries."""

    kind: ClassVar[str] = "missed"

    runs: tuple[str, ...] = runs_option(follows="runs")
    queries: tuple[str, ...] = queries_option()
    images: int = option(40, of=("figure",), low=1, high=1000, metavar="N", help="Pictures, at most.")
    across: int = option(ACROSS, of=("figure",), low=1, high=100, metavar="N", help="Images in a row.")
    camera: str = camera_option()


def _missed(data: ContentData, request: MissedRequest) -> list[tuple[int, int]]:
    """Queries and models, ascending."""
    rows = tuple(score_rows(data.evaluated, request.runs))
    found = data.result(headroom, data.evaluated, 0, rows, cancelled=data.cancelled, progress=data.progress)
    chosen = set(query_numbers(data, request.queries))
    return [(query, model) for query, model in found.missed.tolist() if query in chosen]


def missed_chart(data: ContentData, request: MissedRequest) -> Sheet:
    """Pictures of the relevant models that no run has among the first C ranks, with their queries."""
    benchmark = data.benchmark
    tiles = []
    for query, model in _missed(data, request)[: request.images]:
        image = data.image(benchmark.collection.paths[model])
        detail = f"{benchmark.queries.ids[query]} {class_name(benchmark, int(benchmark.queries.labels[query]))}"
        tiles.append(Tile(image.pixels, image.problem, benchmark.collection.ids[model], detail.rstrip()))
    if not tiles:
        raise ShrecViewerError("every relevant model is found by a run among the first C ranks")
    return Sheet(f"{benchmark.name} models that no run finds", tuple(tiles), min(request.across, len(tiles)))


def missed_images(data: ContentData, request: MissedRequest) -> list[Path]:
    """Files of these models."""
    paths = (data.benchmark.collection.paths[model] for _, model in _missed(data, request)[: request.images])
    return list(dict.fromkeys(path for path in paths if path is not None))


def missed_table(data: ContentData, request: MissedRequest) -> Table:
    """The relevant models that no run has among the first C ranks, by query."""
    benchmark, tree = data.benchmark, data.benchmark.classification
    rows = tuple(
        (
            benchmark.queries.ids[query],
            class_name(benchmark, int(benchmark.queries.labels[query])),
            benchmark.collection.ids[model],
            "" if tree is None else class_name(benchmark, int(tree.labels[model])),
        )
        for query, model in _missed(data, request)
    )
    title = "relevant models that no run has among the first C ranks, where C is the number of relevant models"
    return table_of(data, "missed", title, ("query", "class", "model", "class of the model"), (), rows)
