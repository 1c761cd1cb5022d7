"""Pool of worker processes that read models for the 3D view."""

import pickle
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain.benchmark import Quantity
from shrec_viewer.domain.errors import ShrecViewerError
from shrec_viewer.domain.mesh import Mesh
from shrec_viewer.domain.value_scale import ValueSummary
from shrec_viewer.geometry.difference import ShapeDifference, shape_difference
from shrec_viewer.render.scene.up_axis import likely_up_axis
from shrec_viewer.render.scene.values import summarise
from shrec_viewer.render.thumbnails.thumbnail import (
    IMAGE_FILE_SUFFIXES,
    MeshComparison,
    ReadImage,
    ReadMesh,
    compared_mesh,
    not_a_file,
    read_with_quantity,
)
from shrec_viewer.render.workers.worker_pool import WorkerPool


@dataclass(frozen=True)
class ModelSource:
    """What is read to show a model.

    Attributes
    ----------
    path : a mesh or an image.
    comparison : with another mesh; None: the mesh is shown as it is.
    quantity : whose values are read, too, with the file of this mesh only; None for those of the mesh only.
    """

    path: Path
    comparison: MeshComparison | None = None
    quantity: Quantity | None = None


@dataclass(frozen=True)
class ModelReadJob:
    """A file to read; `size`: pixels of each side of an image, 0 for a mesh."""

    source: ModelSource
    size: int = 0


@dataclass(frozen=True)
class ModelInfo:
    """Information about a file that was read.

    Attributes
    ----------
    vertices, faces : counts; 0 faces for a point cloud.
    size : extents along x, y and z in the file's unit.
    is_image_file : whether it is a sketch or photograph, which cannot be rotated.
    notes : what was dropped or repaired while reading.
    likely_up : probable up axis, see `likely_up_axis`.
    difference : from the mesh with which it is compared; None without one.
    problem : why it is not compared; "" if it is.
    quantities : distribution of each quantity of the mesh.
    """

    vertices: int = 0
    faces: int = 0
    size: tuple[float, float, float] = (0.0, 0.0, 0.0)
    is_image_file: bool = False
    notes: tuple[str, ...] = ()
    likely_up: str = ""
    difference: ShapeDifference | None = None
    problem: str = ""
    quantities: tuple[ValueSummary, ...] = ()


@dataclass(frozen=True, eq=False)
class LoadedModel:
    """Result of reading a file.

    Attributes
    ----------
    packed : the mesh as returned by `pack_mesh`, unpacked only in the renderer process; empty for images and problems.
    pixels : (size, size, 4) RGBA with straight alpha of an image, else None.
    info : about the file.
    problem : why it could not be read; "" if it was.
    """

    packed: bytes = b""
    pixels: NDArray[np.uint8] | None = None
    info: ModelInfo = ModelInfo()
    problem: str = ""


def pack_mesh(mesh: Mesh) -> bytes:
    """Serialise a mesh for another process."""
    return pickle.dumps(mesh, pickle.HIGHEST_PROTOCOL)


def unpack_mesh(data: bytes) -> Mesh:
    """Restore a mesh from `pack_mesh`; only for trusted data."""
    mesh = pickle.loads(data)
    assert isinstance(mesh, Mesh)
    return mesh


def mesh_info(mesh: Mesh, likely_up: str = "") -> ModelInfo:
    """Counts and extents of a mesh."""
    extents = np.ptp(mesh.vertices.astype(np.float64), axis=0) if len(mesh.vertices) else np.zeros(3)
    size = (float(extents[0]), float(extents[1]), float(extents[2]))
    return ModelInfo(
        len(mesh.vertices), len(mesh.faces), size, notes=mesh.notes, likely_up=likely_up, quantities=summarise(mesh)
    )


def is_image(path: Path) -> bool:
    """Whether a file is an image by its suffix, not a mesh."""
    return path.suffix.lower() in IMAGE_FILE_SUFFIXES


def read_model(job: ModelReadJob, read_mesh: ReadMesh, read_image: ReadImage) -> LoadedModel:
    """Read one file; errors become the problem of the result."""
    source = job.source
    try:
        if (problem := not_a_file(source.path)) != "":
            return LoadedModel(problem=problem)
        if is_image(source.path):
            return LoadedModel(pixels=read_image(source.path, job.size), info=ModelInfo(is_image_file=True))
        mesh = read_with_quantity(read_mesh, source.path, source.quantity)
        if source.comparison is not None:
            return _compared_model(mesh, source.comparison, read_mesh)
        return LoadedModel(pack_mesh(mesh), info=mesh_info(mesh, likely_up_axis(mesh)))
    except ShrecViewerError as error:
        return LoadedModel(problem=str(getattr(error, "reason", error)))
    except MemoryError:
        return LoadedModel(problem="not enough memory")
    except Exception as error:  # whatever a reader raises: it must not end the process
        return LoadedModel(problem=f"cannot be read ({type(error).__name__}: {error})")


def _compared_model(mesh: Mesh, comparison: MeshComparison, read_mesh: ReadMesh) -> LoadedModel:
    """What is drawn of a comparison; the mesh as it is where it cannot be compared."""
    drawn, difference, problem = compared_mesh(mesh, comparison, read_mesh)
    info = replace(mesh_info(mesh), difference=difference, problem=problem)
    return LoadedModel(pack_mesh(drawn), info=info)


def file_difference(path: Path, other: Path, read_mesh: ReadMesh, *, may_mirror: bool = True) -> ShapeDifference | str:
    """How the mesh of a file differs from that of another one; the text says why they cannot be compared."""
    try:
        return shape_difference(read_mesh(path), read_mesh(other), may_mirror=may_mirror)
    except ShrecViewerError as error:
        return str(error)
    except ValueError as error:
        return f"{path.name}: {error}"


#: Limit for one file, as for thumbnails.
DEFAULT_READ_TIMEOUT_S = 30.0

#: Time after which a file counts as slow: a second process is started, and a job no longer requested is killed.
_SLOW_AFTER_S = 0.5

#: The query, a pinned model and the results of both lists are read at the same time.
_MAX_PROCESSES = 4

#: Idle time after which the processes end; each takes 40 MB, and starting one takes 0.3 s.
_IDLE_TIMEOUT_S = 600.0


class ModelReaderPool(WorkerPool[ModelReadJob, LoadedModel]):
    """Worker processes that read models and images for the 3D view; see `WorkerPool`.

    Parameters
    ----------
    read_mesh, read_image : importable functions, called in the processes.
    timeout_s : limit for one file.
    """

    def __init__(self, read_mesh: ReadMesh, read_image: ReadImage, timeout_s: float = DEFAULT_READ_TIMEOUT_S) -> None:
        super().__init__(
            open_model_reader,
            (read_mesh, read_image),
            _failed_model,
            verb="read",
            max_processes=_MAX_PROCESSES,
            timeout_s=timeout_s,
            idle_timeout_s=_IDLE_TIMEOUT_S,
            slow_after_s=_SLOW_AFTER_S,
            is_stateless=True,
        )


def open_model_reader(read_mesh: ReadMesh, read_image: ReadImage) -> tuple[str, Callable[[ModelReadJob], LoadedModel]]:
    """The function that reads files; called once in each worker process."""
    return "", partial(read_model, read_mesh=read_mesh, read_image=read_image)


def _failed_model(problem: str) -> LoadedModel:
    return LoadedModel(problem=problem)


#: Interval at which `map_files` polls its processes.
_POLL_INTERVAL_S = 0.2


def map_files(
    paths: Iterable[Path],
    function: Callable[[Path], Any],
    max_processes: int = _MAX_PROCESSES,
    checkpoint: Callable[[], None] | None = None,
) -> Iterator[tuple[Path, Any]]:
    """Each file with the result of a function, in any order; the texts of errors are results, too.

    The function is called in worker processes with the limits of time and memory of `ModelReaderPool`.

    Parameters
    ----------
    paths : distinct files.
    function : picklable.
    checkpoint : called several times a second; what it raises ends the processes.
    """
    pool = WorkerPool[Path, Any](
        _open_function,
        (function,),
        str,
        verb="read",
        max_processes=max_processes,
        timeout_s=DEFAULT_READ_TIMEOUT_S,
        slow_after_s=_SLOW_AFTER_S,
        is_stateless=True,
    )
    try:
        pool.request(paths)
        while pool.pending:
            yield from pool.poll(_POLL_INTERVAL_S)
            if checkpoint is not None:
                checkpoint()
    finally:
        pool.close()


def _open_function(function: Callable[[Path], Any]) -> tuple[str, Callable[[Path], Any]]:
    return "", partial(_call, function=function)


def _call(path: Path, function: Callable[[Path], Any]) -> Any:
    try:
        return not_a_file(path) or function(path)
    except ShrecViewerError as error:
        return str(getattr(error, "reason", error))
    except MemoryError:
        return "not enough memory"
    except Exception as error:  # as in `read_model`
        return f"cannot be read ({type(error).__name__}: {error})"
