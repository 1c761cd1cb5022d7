"""What a reading process does all its life: turn files into meshes and pictures for the 3D view."""

import pickle
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISREG
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain.errors import ShrecError
from shrec_viewer.domain.mesh import Mesh
from shrec_viewer.render.drawing import begin_serving
from shrec_viewer.render.thumbnail import PICTURE_SUFFIXES, ReadImage, ReadMesh
from shrec_viewer.render.up_axis import vote_of


@dataclass(frozen=True)
class ReadJob:
    """A file to be read.

    Attributes
    ----------
    path : a mesh, or a picture.
    size : pixels of each side of a picture; 0 for a mesh.
    """

    path: Path
    size: int = 0


@dataclass(frozen=True)
class Facts:
    """What is known of a file once it is read.

    Attributes
    ----------
    vertices, faces : counts; faces 0 is a cloud of points.
    size : extents along x, y and z in the file's own unit.
    is_picture : a sketch or photograph, which has no other sides.
    notes : sentences about what was dropped or mended while reading.
    stands_on : axis along which it seems to stand upright, ``"Y"`` or ``"Z"``; "" where that is not clear.
    """

    vertices: int = 0
    faces: int = 0
    size: tuple[float, float, float] = (0.0, 0.0, 0.0)
    is_picture: bool = False
    notes: tuple[str, ...] = ()
    stands_on: str = ""


@dataclass(frozen=True, eq=False)
class Reading:
    """A file as far as it could be read.

    Attributes
    ----------
    packed : the model as `packed` makes it, which only the process that draws unpacks; empty without one.
    pixels : (size, size, 4) RGBA with straight alpha of a picture, else None.
    facts : of the file.
    problem : why there is neither, a few words; "" otherwise.
    """

    packed: bytes = b""
    pixels: NDArray[np.uint8] | None = None
    facts: Facts = Facts()
    problem: str = ""


def packed(mesh: Mesh) -> bytes:
    """A mesh on its way from one process of ours to another."""
    return pickle.dumps(mesh, pickle.HIGHEST_PROTOCOL)


def unpacked(data: bytes) -> Mesh:
    """The mesh again; only of what `packed` has made."""
    mesh = pickle.loads(data)
    assert isinstance(mesh, Mesh)
    return mesh


def facts_of(mesh: Mesh, stands_on: str = "") -> Facts:
    """Counts and extents of a mesh that seems to stand along an axis."""
    extents = np.ptp(mesh.vertices.astype(np.float64), axis=0) if len(mesh.vertices) else np.zeros(3)
    size = (float(extents[0]), float(extents[1]), float(extents[2]))
    return Facts(len(mesh.vertices), len(mesh.faces), size, notes=mesh.notes, stands_on=stands_on)


def is_picture(path: Path) -> bool:
    """Whether a file is a picture by its name, and not a mesh."""
    return path.suffix.lower() in PICTURE_SUFFIXES


def serve_reading(connection: Any, read_mesh: ReadMesh, read_image: ReadImage) -> None:
    """Life of a reading process: answer jobs until the other end of the pipe is gone. Not nice: somebody waits."""
    begin_serving()
    with suppress(EOFError, OSError):
        connection.send(None)  # ready
        while True:
            connection.send(read_model(connection.recv(), read_mesh, read_image))


def read_model(job: ReadJob, read_mesh: ReadMesh, read_image: ReadImage) -> Reading:
    """One file; whatever goes wrong becomes its problem, never an exception."""
    try:
        if (problem := _no_file(job.path)) != "":
            return Reading(problem=problem)
        if is_picture(job.path):
            return Reading(pixels=read_image(job.path, job.size), facts=Facts(is_picture=True))
        mesh = read_mesh(job.path)
        return Reading(packed(mesh), facts=facts_of(mesh, vote_of(mesh)))
    except ShrecError as error:
        return Reading(problem=str(getattr(error, "why", error)))
    except MemoryError:
        return Reading(problem="needs more memory than there is")
    except Exception as error:  # a reader met something nobody thought of; one picture pays, not the process
        return Reading(problem=f"cannot be read ({type(error).__name__}: {error})")


def _no_file(path: Path) -> str:
    """Why there is nothing to read in a pipe, a device or a folder; "" for files, and for what the reader will name."""
    with suppress(OSError, ValueError):
        if not S_ISREG(path.stat().st_mode):
            return "is no file that could be read to its end"
    return ""
