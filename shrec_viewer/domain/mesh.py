"""A triangle mesh, or a cloud of points, as it came from a file."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Mesh:
    """What the renderer draws.

    Attributes
    ----------
    vertices : (V, 3) float32, all finite (readers replace what is not and say so in `notes`).
    faces : (F, 3) int32, 0-based and within range; F may be 0 (a point cloud).
    colours : (V, 4) uint8 or None, colour of each vertex.
    notes : sentences about what was dropped or mended while reading.
    """

    vertices: NDArray[np.float32]
    faces: NDArray[np.int32]
    colours: NDArray[np.uint8] | None = None
    notes: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Nothing to draw at all."""
        return len(self.vertices) == 0
