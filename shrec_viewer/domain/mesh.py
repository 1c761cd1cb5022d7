"""A triangle mesh or point cloud, with optional colours and textures."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Texture:
    """Pictures that lie upon the faces of a mesh.

    A vertex has one place, so that vertices are split where the places of two faces differ (a seam), as they are where
    two pictures meet. Beyond its sides every picture repeats.

    Attributes
    ----------
    places : (V, 2) float32, all finite: u to the right and v upwards from the picture's *lower* left corner, in shares
        of its sides, as OBJ, PLY and COLLADA have it (readers turn glTF's v over).
    pictures : (height, width, 4) uint8 each, sRGB with straight alpha, *top* row first; what is transparent shows the
        clay beneath.
    of_faces : (F,) int16, the picture of each face; -1 has none and shows the colours of the mesh, or clay.
    """

    places: NDArray[np.float32]
    pictures: tuple[NDArray[np.uint8], ...]
    of_faces: NDArray[np.int16]

    @property
    def nbytes(self) -> int:
        """Of the pictures."""
        return sum(picture.nbytes for picture in self.pictures)

    def part(self, vertices: NDArray[np.generic], faces: NDArray[np.generic]) -> "Texture":
        """Of some vertices and faces; each a mask or places, as numpy takes them."""
        return replace(self, places=self.places[vertices], of_faces=self.of_faces[faces])


@dataclass(frozen=True, eq=False)
class Mesh:
    """What the renderer draws.

    Attributes
    ----------
    vertices : (V, 3) float32, all finite (readers replace what is not and say so in `notes`).
    faces : (F, 3) int32, 0-based and within range; F may be 0 (a point cloud).
    colours : (V, 4) uint8 or None, sRGB colour of each vertex; tints the pictures of a texture (white does not).
    notes : sentences about what was dropped or mended while reading.
    texture : pictures upon the faces, or None.
    """

    vertices: NDArray[np.float32]
    faces: NDArray[np.int32]
    colours: NDArray[np.uint8] | None = None
    notes: tuple[str, ...] = ()
    texture: Texture | None = None

    @property
    def is_empty(self) -> bool:
        """Nothing to draw at all."""
        return len(self.vertices) == 0
