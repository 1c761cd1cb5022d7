"""Differences of the shapes of models: from a query, from another model, and from their near-duplicates."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar

from shrec_viewer.charts.table import Cell, Table
from shrec_viewer.content.data import ContentData, model_number, query_numbers, table_of
from shrec_viewer.content.request import Request, TableRequest, option, queries_option
from shrec_viewer.diagnosis.suspects import near_duplicates
from shrec_viewer.domain import Cancelled, ShrecViewerError
from shrec_viewer.formats.meshes.mesh_reader import read_mesh
from shrec_viewer.geometry.difference import ShapeDifference
from shrec_viewer.render.workers.model_readers import file_difference, is_image, map_files

#: Entries of lists from which near-duplicates are searched, at most: the search takes a few seconds.
MAX_COMPARED_ENTRIES = 20_000_000


@dataclass(frozen=True)
class ShapeDifferenceRequest(TableRequest):
    """Which shapes are compared."""

    kind: ClassVar[str] = "difference"

    models: tuple[str, ...] = option(
        (), name="model", metavar="ID", follows="model",
        help="A model; repeatable. Without a query, the others are compared with the first one.",
    )  # fmt: skip
    queries: tuple[str, ...] = queries_option(follows="query")
    mirror: bool = option(True, help="Compare mirror images as well.", name="mirror-images")


def differences_of_files(
    data: ContentData, pairs: Sequence[tuple[Path | None, Path | None]], *, may_mirror: bool = True
) -> list[ShapeDifference | str]:
    """The difference of the first file of each pair from the second one, or why there is none.

    Files are read in worker processes, with their limits of time and memory.
    """
    found: list[ShapeDifference | str] = []
    for path, other in pairs:
        if path is None or other is None:
            found.append("no file")
        elif is_image(path) or is_image(other):
            found.append("an image has no shape")
        else:
            compare = partial(file_difference, other=other, read_mesh=read_mesh, may_mirror=may_mirror)
            (result,) = map_files([path], compare, 1, partial(_raise_if_cancelled, data))
            found.append(result[1])
    return found


def _raise_if_cancelled(data: ContentData) -> None:
    if data.cancelled():
        raise Cancelled


def difference_table(data: ContentData, request: ShapeDifferenceRequest) -> Table:
    """How models differ from queries or from the first model, after an alignment."""
    collection, queries = data.benchmark.collection, data.benchmark.queries
    models = [model_number(data, name) for name in request.models]
    references = [(queries.ids[query], queries.paths[query]) for query in query_numbers(data, request.queries)]
    if not request.queries:
        references = [(collection.ids[model], collection.paths[model]) for model in models[:1]]
        models = models[1:]
    if not models:
        raise ShrecViewerError("this table compares shapes: choose a query and a model, or two models")
    names = [(collection.ids[model], name) for name, _ in references for model in models]
    pairs = [(collection.paths[model], path) for _, path in references for model in models]
    rows: list[tuple[Cell, ...]] = []
    for name, found in zip(names, differences_of_files(data, pairs, may_mirror=request.mirror), strict=True):
        if isinstance(found, str):
            rows.append((*name, *(None,) * 4, "", f"Not compared: {found}"))
        else:
            numbers = found.alignment.degrees, found.scale, found.mean, found.worst
            mirrored = "mirrored" if found.alignment.is_mirrored else ""
            rows.append((*name, *(None if one != one else one for one in numbers), mirrored, found.sentence()))
    columns = ("rotation", "scale", "mean", "worst")
    notes = (
        "Rotation in degrees. Distances in root mean square radii of the reference; empty where the meshes are the "
        "same within sampling.",
    )
    title = "differences of shapes"
    return table_of(data, "difference", title, ("model", "reference"), columns, rows, notes, ("mirrored", "difference"))


@dataclass(frozen=True)
class NearDuplicateRequest(Request):
    """The model whose near-duplicate is described; an index in the collection."""

    kind: ClassVar[str] = "near_duplicate"

    model: int


@dataclass(frozen=True)
class NearDuplicate:
    """The near-duplicate of a model, both as indices in the collection, and how the model differs, for display."""

    of: int
    model: int
    text: str


def near_duplicate(data: ContentData, request: NearDuplicateRequest) -> NearDuplicate | None:
    """The model with nearly the same rank in all lists, with the difference of the shapes; None without one."""
    benchmark = data.benchmark
    n_entries = len(benchmark.collection) * len(benchmark.queries) * len(benchmark.runs)
    if n_entries > MAX_COMPARED_ENTRIES:
        return None
    other = int(data.result(near_duplicates, benchmark, data.profile, cancelled=data.cancelled)[request.model])
    if other < 0:
        return None
    paths = benchmark.collection.paths
    (found,) = differences_of_files(data, [(paths[request.model], paths[other])])
    text = f"The shapes are not compared: {found}" if isinstance(found, str) else found.sentence()
    return NearDuplicate(request.model, other, f"Near-duplicate of {benchmark.collection.ids[other]} by ranks. {text}")
