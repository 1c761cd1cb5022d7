"""Distances between queries and models by their rigid geometry: fields for all pairs, surfaces for the nearest."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Benchmark
from shrec_viewer.domain.mesh import Mesh
from shrec_viewer.evaluation.parallel.local import available_cores
from shrec_viewer.geometry.comparison import (
    SURFACE_POINTS,
    ComparedModel,
    QueryShapes,
    chamfer_distance,
    relative_rotation,
)
from shrec_viewer.geometry.shape import Shape, make_shape
from shrec_viewer.render.thumbnails.cache import ThumbnailCache, file_digests
from shrec_viewer.render.workers.model_readers import is_image, map_files

#: Models of each query, nearest by their fields, whose surfaces are compared.
COMPARED_SURFACES = 150

#: Queries compared in one pass over the collection: 78 MB in each worker process.
QUERIES_PER_PASS = 500

#: Larger results are not cached.
MAX_CACHED_BYTES = 50_000_000

#: Processor time in milliseconds for a shape with its file, a pair of fields and a pair of surfaces, for
#: `expected_cost`: SHREC 2006, 1,839 files, takes 24 s on two cores.
SHAPE_MS, PAIR_MS, SURFACE_MS = 23.0, 0.07, 0.3

#: Bytes of a compared model besides 5 for each query of a pass, and of the shape of a query: for `expected_cost`.
MODEL_BYTES, QUERY_BYTES = 7_000, 300_000

#: Memory from which `ExpectedCost.text` says how much.
SHOWN_BYTES = 500_000_000

#: Version of the distances; cached ones of another version are not used.
VERSION = "rigid geometry 1"

#: Reads a file.
ReadMesh = Callable[[Path], Mesh]

#: ``(done, total, what) -> None``
Progress = Callable[[int, int, str], None]

#: Distinct files, picklable function of a file, and checkpoint -> each file with the result, or why there is none.
MapFiles = Callable[[Sequence[Path], Callable[[Path], Any], Callable[[], None]], Iterator[tuple[Path, Any]]]


def map_files_here(
    paths: Sequence[Path], function: Callable[[Path], Any], checkpoint: Callable[[], None]
) -> Iterator[tuple[Path, Any]]:
    """See `map_files`; on all cores of this machine."""
    return map_files(paths, function, available_cores(), checkpoint)


def rigid_distances(
    benchmark: Benchmark,
    read_mesh: ReadMesh,
    checkpoint: Callable[[], None],
    progress: Progress | None = None,
    cache: ThumbnailCache | None = None,
    map_over: MapFiles = map_files_here,
) -> NDArray[np.float32]:
    """(Q, N) distances of queries and models in root mean square radii, independent of position and size.

    All pairs are compared by 256 points in the distance field of the other shape, under the 24 rotations of the axes of
    the files and of the principal axes; the nearest `COMPARED_SURFACES` models of a query then by their surfaces
    (`chamfer_distance` under the best rotation), and stand before the others. Mirror images are not considered. NaN
    where a file is missing, an image, or cannot be read.

    Parameters
    ----------
    benchmark : its files of queries and models are read.
    read_mesh : importable function, called in worker processes.
    checkpoint : called several times a second; what it raises ends the workers.
    progress : called with the number of files that were compared.
    cache : of distances, by the contents of all files; None for none.
    map_over : reads files, here or on the workers of a cluster.
    """
    queries, models = benchmark.queries.paths, benchmark.collection.paths
    key = _key(queries, models, cache) if cache is not None else b""
    if cache is not None and (known := cache.get_many([key]).get(key)) is not None:
        return np.frombuffer(known, np.float32).reshape(len(queries), len(models)).copy()
    shapes = {
        path: shape
        for path, shape in map_over(_distinct(queries), partial(read_shape, read_mesh), checkpoint)
        if not isinstance(shape, str)
    }
    found = [query for query, path in enumerate(queries) if path in shapes]
    distances = np.full((len(queries), len(models)), np.nan, np.float32)
    files = _distinct(models)
    n_passes = -(-len(found) // QUERIES_PER_PASS)
    for number, start in enumerate(range(0, len(found), QUERIES_PER_PASS)):
        rows = found[start : start + QUERIES_PER_PASS]
        of_pass = [shapes[path] for row in rows if (path := queries[row]) is not None]
        compared: dict[Path, ComparedModel] = {}
        compare = partial(compare_file, read_mesh, QueryShapes(of_pass))
        for done, (path, model) in enumerate(map_over(files, compare, checkpoint), 1):
            if not isinstance(model, str):
                compared[path] = model
            if progress is not None:
                progress(number * len(files) + done, n_passes * len(files), "files")
        columns = [(column, compared[path]) for column, path in enumerate(models) if path in compared]
        for index, row in enumerate(rows):
            checkpoint()
            if columns:
                distances[row, [column for column, _ in columns]] = _distances_of_query(
                    of_pass[index], index, [model for _, model in columns]
                )
    if cache is not None and distances.nbytes <= MAX_CACHED_BYTES:
        cache.put({key: distances.tobytes()})
    return distances


def read_shape(read_mesh: ReadMesh, path: Path) -> Shape:
    """The shape of a mesh; ValueError for an image, and for a mesh without an extent."""
    if is_image(path):
        raise ValueError("is an image")
    shape = make_shape(read_mesh(path))
    shape.fields  # noqa: B018 - computed here, in a worker
    return shape


def compare_file(read_mesh: ReadMesh, queries: QueryShapes, path: Path) -> ComparedModel:
    """A model compared with queries."""
    return queries.compare(read_shape(read_mesh, path))


def _distinct(paths: Sequence[Path | None]) -> list[Path]:
    return list(dict.fromkeys(path for path in paths if path is not None))


def _distances_of_query(query: Shape, index: int, models: Sequence[ComparedModel]) -> NDArray[np.float32]:
    """Distances to all models: those of surfaces first, then those by fields, shifted behind them."""
    coarse = np.array([model.distances[index] for model in models], np.float32)
    nearest = np.argsort(coarse, kind="stable")[:COMPARED_SURFACES]
    points = query.points[:SURFACE_POINTS]
    turns = [relative_rotation(query.frames, models[item].frames, models[item].rotations[index]) for item in nearest]
    of_surfaces = [
        float(chamfer_distance(points @ turn.T, models[item].points)) for item, turn in zip(nearest, turns, strict=True)
    ]
    others = np.ones(len(coarse), np.bool_)
    others[nearest] = False
    if others.any():
        coarse[others] += max(0.0, max(of_surfaces) - float(coarse[others].min()))
    coarse[nearest] = of_surfaces
    return coarse


def _key(queries: Sequence[Path | None], models: Sequence[Path | None], cache: ThumbnailCache) -> bytes:
    digests = file_digests(_distinct((*queries, *models)), cache)
    contents = [[path and (digests[path], path.suffix.lower()) for path in paths] for paths in (queries, models)]
    return blake2b(repr((VERSION, contents)).encode(), digest_size=16).digest()


@dataclass(frozen=True)
class ExpectedCost:
    """What `rigid_distances` takes without a cache.

    Attributes
    ----------
    n_files : files that are read.
    seconds : on this machine.
    n_bytes : memory of this process; its workers take at most another `QUERY_BYTES` for each query of a pass.
    is_cached : whether the distances are small enough to be cached.
    """

    n_files: int
    seconds: float
    n_bytes: int
    is_cached: bool

    @property
    def time(self) -> str:
        """``"45 s"``, ``"5 min"`` or ``"3 h"``."""
        if self.seconds < 90:
            return f"{max(1.0, self.seconds):,.0f} s"
        return f"{self.seconds / 60:,.0f} min" if self.seconds < 7200 else f"{self.seconds / 3600:,.0f} h"

    @property
    def text(self) -> str:
        """``"reads 1,839 files, which takes about 24 s on this machine unless it is cached"``."""
        memory = f" and {self.n_bytes / 1e9:,.1f} GB of memory" if self.n_bytes >= SHOWN_BYTES else ""
        cached = " unless it is cached" if self.is_cached else "; the result is too large to be cached"
        return f"reads {self.n_files:,} files, which takes about {self.time}{memory} on this machine{cached}"


def expected_cost(benchmark: Benchmark) -> ExpectedCost:
    """Estimated cost of `rigid_distances`, without a cache."""
    n_queries = sum(path is not None for path in benchmark.queries.paths)
    n_models = sum(path is not None for path in benchmark.collection.paths)
    passes = max(1, -(-n_queries // QUERIES_PER_PASS))
    shapes = (n_queries + passes * n_models) * SHAPE_MS + n_queries * n_models * PAIR_MS
    surfaces = n_queries * min(COMPARED_SURFACES, n_models) * SURFACE_MS
    seconds = (shapes / available_cores() + surfaces) / 1000.0
    of_pass = min(n_queries, QUERIES_PER_PASS)
    n_entries = len(benchmark.queries) * len(benchmark.collection)
    n_bytes = n_models * (MODEL_BYTES + 5 * of_pass) + n_queries * QUERY_BYTES + 4 * n_entries
    return ExpectedCost(n_queries + n_models, seconds, n_bytes, 4 * n_entries <= MAX_CACHED_BYTES)
