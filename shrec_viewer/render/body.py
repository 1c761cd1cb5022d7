"""A mesh made ready to draw: moved into the unit sphere, its strays left out."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain.mesh import Mesh
from shrec_viewer.render.look import decode

MOST_POINTS = 200_000
"""Points of a cloud that are drawn; more would only hide each other, at a second a picture without a GPU."""


@dataclass(frozen=True, eq=False)
class Body:
    """What both renderers draw.

    Attributes
    ----------
    points : (V, 3) float32 within the unit sphere.
    faces : (F, 3) int32; F = 0 is a cloud.
    paint : (V, 3) float32 linear colours, or None for clay.
    """

    points: NDArray[np.float32]
    faces: NDArray[np.int32]
    paint: NDArray[np.float32] | None


def make_body(mesh: Mesh, *, colours: bool = True) -> Body:
    """The mesh in its bounding sphere: the middle of its box at the origin, its farthest corner at distance 1.

    Vertices that no face uses do not count, as they would make the rest tiny.
    """
    vertices, faces, paint = mesh.vertices, mesh.faces, mesh.colours if colours else None
    used = np.zeros(len(vertices), bool)
    used[faces.ravel()] = True
    if len(faces) == 0:
        step = -(-len(vertices) // MOST_POINTS)
        used[:: max(step, 1)] = True
    if not used.all():
        faces = (np.cumsum(used) - 1)[faces].astype(np.int32)
        vertices, paint = vertices[used], None if paint is None else paint[used]
    exact = vertices.astype(np.float64)
    if len(exact):
        exact -= (exact.min(axis=0) + exact.max(axis=0)) / 2
        farthest = float(np.sqrt((exact**2).sum(axis=1).max()))
        exact /= farthest or 1.0
    return Body(exact.astype(np.float32), faces, None if paint is None else decode(paint))
