"""A triangle mesh or point cloud, with optional colours and textures."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Texture:
    """Texture images of a mesh, with one texture coordinate for each vertex.

    Vertices are duplicated at seams, where the texture coordinates or images of two faces differ. Images repeat
    beyond their borders.

    Attributes
    ----------
    uv : (V, 2) float32, finite; u to the right and v upwards from the *lower* left corner of the image, in units of
        its size, as in OBJ, PLY and COLLADA (readers flip the v of glTF).
    images : (height, width, 4) uint8 each, sRGB with straight alpha, *top* row first; the default material shows
        through transparent pixels.
    face_images : (F,) int16, index of the image of each face; -1 for faces without, drawn in the colours of the mesh.
    """

    uv: NDArray[np.float32]
    images: tuple[NDArray[np.uint8], ...]
    face_images: NDArray[np.int16]

    @property
    def nbytes(self) -> int:
        """Size of the images."""
        return sum(image.nbytes for image in self.images)

    def subset(self, vertices: NDArray[np.generic], faces: NDArray[np.generic]) -> "Texture":
        """Texture of some vertices and faces, each given as a mask or as indices."""
        return replace(self, uv=self.uv[vertices], face_images=self.face_images[faces])


@dataclass(frozen=True, eq=False)
class Mesh:
    """A triangle mesh or point cloud that can be drawn.

    Attributes
    ----------
    vertices : (V, 3) float32, finite.
    faces : (F, 3) int32, 0-based and in range; F is 0 for a point cloud.
    colours : (V, 4) uint8 or None, sRGB colour of each vertex; multiplied with the texture.
    notes : what was dropped or repaired while reading.
    texture : texture images of the faces, or None.
    frame : centre and radius of the sphere that is fitted to an image, so that meshes can be compared in one place and
        size; None for that of the vertices.
    """

    vertices: NDArray[np.float32]
    faces: NDArray[np.int32]
    colours: NDArray[np.uint8] | None = None
    notes: tuple[str, ...] = ()
    texture: Texture | None = None
    frame: tuple[float, float, float, float] | None = None

    @property
    def is_empty(self) -> bool:
        """Whether there is no vertex."""
        return len(self.vertices) == 0
