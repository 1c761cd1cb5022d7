"""A triangle mesh or point cloud, with optional colours, textures and values."""

from dataclasses import dataclass, replace
from typing import Literal

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


#: What a value belongs to.
MeshPlace = Literal["vertex", "face"]


@dataclass(frozen=True, eq=False)
class MeshValues:
    """One quantity on the vertices or faces of a mesh, such as a curvature or the number of a segment.

    Attributes
    ----------
    name : as in the file, for instance "quality".
    place : what has a value: "vertex" or "face".
    numbers : (V,) or (F,) float32, in the order of `Mesh.vertices` or `Mesh.faces`; NaN where undefined.
    labels : texts of whole numbers by their value, for segments and other classes; None for a quantity.
    """

    name: str
    place: MeshPlace
    numbers: NDArray[np.float32]
    labels: tuple[str, ...] | None = None


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
    source_vertex : (V,) int32, index in the file of each vertex, or None if they are all there in order.
    source_face : (F,) int32, index in the file of the polygon of each face, or None likewise.
    values : quantities on the vertices and faces that the file contains.
    source_counts : numbers of vertices and of polygons in the file, to which the indices above refer; None where they
        refer to no common order, as in a scene of several parts, or are not known.
    frame : centre and radius of the sphere that is fitted to an image, so that meshes can be compared in one place and
        size; None for that of the vertices.
    """

    vertices: NDArray[np.float32]
    faces: NDArray[np.int32]
    colours: NDArray[np.uint8] | None = None
    notes: tuple[str, ...] = ()
    texture: Texture | None = None
    source_vertex: NDArray[np.int32] | None = None
    source_face: NDArray[np.int32] | None = None
    values: tuple[MeshValues, ...] = ()
    source_counts: tuple[int, int] | None = None
    frame: tuple[float, float, float, float] | None = None

    @property
    def is_empty(self) -> bool:
        """Whether there is no vertex."""
        return len(self.vertices) == 0
