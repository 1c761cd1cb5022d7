"""A mesh prepared for rendering: unit sphere, normals, texture."""

from dataclasses import dataclass, replace
from functools import cached_property
from math import cos, radians

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain.mesh import Mesh
from shrec_viewer.render.scene.camera import Camera, FittedView
from shrec_viewer.render.scene.lighting import srgb_to_linear
from shrec_viewer.render.scene.texture import RenderTexture, make_render_texture
from shrec_viewer.render.software.raster import sprite_radius

Floats = NDArray[np.float32]

#: Degrees; edges with a larger angle stay sharp: cylinders of ten sides become round, boxes keep their edges.
CREASE_ANGLE = 40.0

#: Faces at one point that are averaged; limits the time for fans of a thousand triangles.
_MAX_NEIGHBOURS = 24


def face_normals(points: Floats, faces: NDArray[np.int32]) -> Floats:
    """Normals (F, 3) by the right-hand rule, twice the face's area long; zero for a face without area."""
    # One contiguous array per coordinate: gathering from them is faster than from rows of three.
    x, y, z = np.ascontiguousarray(points.T)
    a, b, c = np.ascontiguousarray(faces.T)
    ux, uy, uz = x[b] - x[a], y[b] - y[a], z[b] - z[a]
    vx, vy, vz = x[c] - x[a], y[c] - y[a], z[c] - z[a]
    return np.stack([uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx], axis=1)  # `np.cross` takes twice as long


def corner_normals(points: Floats, faces: NDArray[np.int32]) -> Floats:
    """Unit normals of each corner of each face, for smooth shading.

    Faces that share a position, not only an index, are neighbours. Each counts by its area, flipped to the side of the
    face, and only if it deviates by less than `CREASE_ANGLE`. Own code, because trimesh has no crease angle for
    unoriented triangle soups.

    Parameters
    ----------
    points : (V, 3) within the unit sphere.
    faces : (F, 3) int32.

    Returns
    -------
    (F, 3, 3) float32: face, corner, component; the face's own normal if no neighbour is within the crease angle.
    """
    by_area = face_normals(points, faces)
    length = np.linalg.norm(by_area, axis=1, keepdims=True)
    own = (by_area / np.where(length > 0, length, 1)).astype(np.float32)
    # By position: STL files, and some others, repeat a vertex in every face, so that faces share no index.
    vertex = _merged_vertices(points)[faces].ravel()
    order = np.argsort(vertex, kind="stable")
    face = order // 3
    # Corners sorted by position form runs; step k adds to each corner the k-th next one of its run, cyclically.
    starts = np.flatnonzero(np.diff(vertex[order], prepend=-1))
    size = np.diff(starts, append=len(order))
    first, count = np.repeat(starts, size), np.repeat(size, size)
    total = by_area[face].copy()
    for step in range(1, min(_MAX_NEIGHBOURS, int(size.max(initial=1)))):
        corner = np.flatnonzero(count > step)
        other = first[corner] + (corner - first[corner] + step) % count[corner]
        _add_within_crease(total, corner, own[face[corner]], own[face[other]], by_area[face[other]])
    norm = np.linalg.norm(total, axis=1, keepdims=True)
    smooth = np.empty_like(total)
    smooth[order] = np.where(norm > 0, total / np.where(norm > 0, norm, 1), own[face])
    return smooth.reshape(-1, 3, 3)


def _add_within_crease(total: Floats, corner: NDArray[np.intp], own: Floats, other: Floats, by_area: Floats) -> None:
    # The row-wise dot product without the temporary array of (own * other).sum(axis=1).
    cosine = np.einsum("ij,ij->i", own, other)
    # abs and sign: faces of a triangle soup may be wound in either direction, and count as if flipped to this side.
    is_smooth = np.abs(cosine) > cos(radians(CREASE_ANGLE))
    total[corner[is_smooth]] += np.sign(cosine[is_smooth])[:, None] * by_area[is_smooth]


def _merged_vertices(points: Floats) -> NDArray[np.int64]:
    """Index (V,) of each vertex's position; vertices within a millionth of the sphere's radius share one."""
    grid = np.round(points.astype(np.float64) * 1e6).astype(np.int64)
    # Three coordinates of 21 bits in one int64; the factor is a prime above 2^21, and
    # coordinates are in -10^6 … 10^6.
    key = (grid[:, 0] * 2_097_169 + grid[:, 1]) * 2_097_169 + grid[:, 2]
    return np.unique(key, return_inverse=True)[1].ravel().astype(np.int64)


#: Maximum number of points drawn of a cloud; more points only hide each other and take 1 s per image without a GPU.
MAX_POINTS = 200_000

#: Twice the area, in the unit sphere, below which a face is a line; a pixel of the largest image covers 1e-7.
_MIN_AREA = 1e-9

#: Number of faces that `_has_area` tests before it tests all.
_SAMPLED_FACES = 500


@dataclass(frozen=True, eq=False)
class RenderMesh:
    """Geometry and colours as both renderers draw them.

    Attributes
    ----------
    points : (V, 3) float32 within the unit sphere.
    faces : (F, 3) int32; F = 0 is a point cloud.
    colours : (V, 3) float32 linear vertex colours, or None; multiplied with the texture.
    render_texture : texture, or None.
    """

    points: NDArray[np.float32]
    faces: NDArray[np.int32]
    colours: NDArray[np.float32] | None
    render_texture: RenderTexture | None = None

    @cached_property
    def corners(self) -> NDArray[np.float32]:
        """Corners (8, 3) of the bounding box; bit k of the index selects the upper end of axis k."""
        low, high = self.points.min(axis=0), self.points.max(axis=0)
        bits = np.array([[k & 1, k >> 1 & 1, k >> 2] for k in range(8)], bool)
        return np.where(bits, high, low).astype(np.float32)

    @cached_property
    def face_normals(self) -> NDArray[np.float32]:
        """Unit normals (F, 3) by the right-hand rule; zero for a face without area."""
        normals = face_normals(self.points, self.faces)
        length = np.linalg.norm(normals, axis=1, keepdims=True)
        return (normals / np.where(length > 0, length, 1)).astype(np.float32)

    @cached_property
    def corner_normals(self) -> NDArray[np.float32]:
        """Unit normals (F, 3, 3) for smooth shading; computed on first use."""
        return corner_normals(self.points, self.faces)

    def fitted_view(self, camera: Camera, width: int, height: int, *, box: bool) -> FittedView:
        """The view of a camera onto this mesh; fits the sprites of a point cloud, and the bounding box if `box`."""
        border = 0.0 if len(self.faces) else sprite_radius(len(self.points), min(width, height))
        return camera.fitted_view(self.points, width, height, self.corners if box else None, border)


class PreparedMesh:
    """A mesh with everything that one renderer keeps between images of it.

    Attributes
    ----------
    mesh : as it was read.
    render_mesh : the same mesh scaled to the unit sphere.
    """

    def __init__(self, mesh: Mesh) -> None:
        self.mesh = mesh
        self.render_mesh = make_render_mesh(mesh)

    def release(self) -> None:
        """Free the memory of the driver; drawing the mesh afterwards is an error."""


def make_render_mesh(mesh: Mesh) -> RenderMesh:
    """Scale a mesh to the unit sphere: centre of its box at the origin, farthest corner at distance 1; or `Mesh.frame`.

    Vertices without faces are removed, as they could make the rest tiny. If no face has an area, as in a line drawing,
    the vertices are drawn as points.
    """
    vertices, faces, colours, texture = mesh.vertices, mesh.faces, mesh.colours, mesh.texture
    used = np.zeros(len(vertices), bool)
    used[faces.ravel()] = True
    if len(faces) == 0:
        # Rounded up, so that at most MAX_POINTS remain.
        step = -(-len(vertices) // MAX_POINTS)
        used[:: max(step, 1)] = True
    if not used.all():
        faces = (np.cumsum(used) - 1)[faces].astype(np.int32)
        vertices, colours = vertices[used], None if colours is None else colours[used]
        texture = None if texture is None else replace(texture, uv=texture.uv[used])
    # float64: scans in millimetres around a far origin lose their details in float32 before they are centred.
    scaled = vertices.astype(np.float64)
    if mesh.frame is not None:
        scaled = (scaled - mesh.frame[:3]) / (mesh.frame[3] or 1.0)
    elif len(scaled):
        scaled -= (scaled.min(axis=0) + scaled.max(axis=0)) / 2
        farthest = float(np.sqrt((scaled**2).sum(axis=1).max()))
        # 1 for a mesh whose vertices are all in one point.
        scaled /= farthest or 1.0
    points = scaled.astype(np.float32)
    if len(faces) and not _has_area(points, faces):
        faces = faces[:0]
    render_texture = None
    if texture is not None and len(faces):
        render_texture, order = make_render_texture(texture, colours is not None)
        faces = np.ascontiguousarray(faces[order])
    return RenderMesh(points, faces, None if colours is None else srgb_to_linear(colours), render_texture)


def _has_area(points: NDArray[np.float32], faces: NDArray[np.int32]) -> bool:
    """Whether any face has an area; tests `_SAMPLED_FACES` faces first, which nearly always suffices."""
    return any(bool((np.abs(face_normals(points, part)) > _MIN_AREA).any()) for part in (faces[:_SAMPLED_FACES], faces))
