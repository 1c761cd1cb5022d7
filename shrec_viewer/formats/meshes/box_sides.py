"""Sides of the bounding box of a mesh whose file is small."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.meshes.mesh_reader import read_mesh

#: Size of the largest file that is read, 40,000 faces: a third of a second.
MAX_BYTES = 4_000_000

#: Formats whose meshes are not larger than their files.
PLAIN_SUFFIXES = (".off", ".obj", ".ply", ".stl")


def box_sides(path: Path) -> NDArray[np.float64] | None:
    """(3,) sides along x, y and z; None for a flat mesh, and for a file that is large, compressed or cannot be read.

    Examples
    --------
    >>> box_sides(Path("no file.off")) is None
    True
    """
    try:
        if path.suffix.lower() not in PLAIN_SUFFIXES or path.stat().st_size > MAX_BYTES:
            return None
        sides = np.ptp(read_mesh(path).vertices.astype(np.float64), axis=0)
    except (OSError, FormatError):
        return None
    return sides if (sides > 0).all() else None
