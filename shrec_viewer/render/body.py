"""A mesh made ready to draw: moved into the unit sphere, its strays left out."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain.mesh import Mesh
from shrec_viewer.render.camera import Camera, Framing
from shrec_viewer.render.look import decode
from shrec_viewer.render.normals import corner_normals, face_normals
from shrec_viewer.render.splats import splat_radius
from shrec_viewer.render.texture import Skin, make_skin

MOST_POINTS = 200_000
"""Points of a cloud that are drawn; more would only hide each other, at a second a picture without a GPU."""

_NO_AREA = 1e-9
"""Twice the area, in the unit sphere, below which a face is a line; a pixel of the largest picture covers 1e-7."""

_GLANCE = 500
"""Faces looked at before all are."""


@dataclass(frozen=True, eq=False)
class Body:
    """What both renderers draw.

    Attributes
    ----------
    points : (V, 3) float32 within the unit sphere.
    faces : (F, 3) int32; F = 0 is a cloud.
    paint : (V, 3) float32 linear colours, or None where the file has none; tints the skin.
    skin : pictures upon the faces, or None.
    """

    points: NDArray[np.float32]
    faces: NDArray[np.int32]
    paint: NDArray[np.float32] | None
    skin: Skin | None = None

    @cached_property
    def corners(self) -> NDArray[np.float32]:
        """(8, 3) corners of the bounding box; corner k lies at the upper end of those axes whose bits k has."""
        low, high = self.points.min(axis=0), self.points.max(axis=0)
        bits = np.array([[k & 1, k >> 1 & 1, k >> 2] for k in range(8)], bool)
        return np.where(bits, high, low).astype(np.float32)

    @cached_property
    def face_normals(self) -> NDArray[np.float32]:
        """(F, 3) unit, by the right-hand rule; zero for a face without area."""
        normals = face_normals(self.points, self.faces)
        length = np.linalg.norm(normals, axis=1, keepdims=True)
        return (normals / np.where(length > 0, length, 1)).astype(np.float32)

    @cached_property
    def corner_normals(self) -> NDArray[np.float32]:
        """(F, 3, 3) unit, for smooth shading; worked out when first asked for."""
        return corner_normals(self.points, self.faces)

    def framing(self, camera: Camera, width: int, height: int, *, box: bool) -> Framing:
        """The camera pointed at it, with room for the balls of a cloud, and for its bounding box where `box`."""
        balls = 0.0 if len(self.faces) else splat_radius(len(self.points), min(width, height))
        return camera.framing(self.points, width, height, self.corners if box else None, balls)


class Prepared:
    """A mesh that one renderer keeps ready, so that turning it costs no more than drawing it.

    Attributes
    ----------
    mesh : what it is.
    body : the same in the unit sphere.
    """

    def __init__(self, mesh: Mesh) -> None:
        self.mesh = mesh
        self.body = make_body(mesh)

    def release(self) -> None:
        """Free what the driver holds for it; drawing it afterwards is an error."""


def make_body(mesh: Mesh) -> Body:
    """The mesh in its bounding sphere: the middle of its box at the origin, its farthest corner at distance 1.

    Vertices that no face uses do not count, as they would make the rest tiny. Where no face has any area, as in a
    sketch of lines, the corners are drawn as points.
    """
    vertices, faces, paint, texture = mesh.vertices, mesh.faces, mesh.colours, mesh.texture
    used = np.zeros(len(vertices), bool)
    used[faces.ravel()] = True
    if len(faces) == 0:
        step = -(-len(vertices) // MOST_POINTS)
        used[:: max(step, 1)] = True
    if not used.all():
        faces = (np.cumsum(used) - 1)[faces].astype(np.int32)
        vertices, paint = vertices[used], None if paint is None else paint[used]
        texture = None if texture is None else replace(texture, places=texture.places[used])
    exact = vertices.astype(np.float64)
    if len(exact):
        exact -= (exact.min(axis=0) + exact.max(axis=0)) / 2
        farthest = float(np.sqrt((exact**2).sum(axis=1).max()))
        exact /= farthest or 1.0
    points = exact.astype(np.float32)
    if len(faces) and not _has_area(points, faces):
        faces = faces[:0]
    skin = None
    if texture is not None and len(faces):
        skin, order = make_skin(texture, paint is not None)
        faces = np.ascontiguousarray(faces[order])
    return Body(points, faces, None if paint is None else decode(paint), skin)


def _has_area(points: NDArray[np.float32], faces: NDArray[np.int32]) -> bool:
    """Whether any face covers anything; looks at a few first, as nearly always one of them does."""
    return any(bool((np.abs(face_normals(points, part)) > _NO_AREA).any()) for part in (faces[:_GLANCE], faces))
