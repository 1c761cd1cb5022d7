"""What a reading process does all its life: turn files into meshes and pictures for the 3D view."""

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


@dataclass(frozen=True, eq=False)
class Reading:
    """A file as far as it could be read.

    Attributes
    ----------
    mesh : the model; None where it is a picture or has a problem.
    pixels : (size, size, 4) RGBA with straight alpha of a picture, else None.
    stands_on : axis along which the model seems to stand, ``"Y"`` or ``"Z"``; "" where that is not clear.
    problem : why there is neither, a few words; "" otherwise.
    """

    mesh: Mesh | None = None
    pixels: NDArray[np.uint8] | None = None
    stands_on: str = ""
    problem: str = ""


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
            return Reading(pixels=read_image(job.path, job.size))
        mesh = read_mesh(job.path)
        return Reading(mesh, stands_on=vote_of(mesh))
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
