"""A mesh prepared for rendering: unit sphere, normals, texture."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import cos, radians

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain.mesh import Mesh
from shrec_viewer.render.scene.camera import Camera, FittedView
from shrec_viewer.render.scene.lighting import srgb_to_linear
from shrec_viewer.render.scene.texture import RenderTexture, make_render_texture
from shrec_viewer.render.scene.values import RenderValues, make_render_values, mesh_quantities
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
    values : quantities by the names that distinguish them.
    source_vertices, source_faces : (V,) and (F,) int64, indices in the `Mesh`; None if they are the same.
    sphere : centre and radius of the unit sphere in the file; not of a part that was cut out.
    """

    points: NDArray[np.float32]
    faces: NDArray[np.int32]
    colours: NDArray[np.float32] | None
    render_texture: RenderTexture | None = None
    values: Mapping[str, RenderValues] = field(default_factory=dict)
    source_vertices: NDArray[np.int64] | None = None
    source_faces: NDArray[np.int64] | None = None
    sphere: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 1.0)

    def values_of(self, name: str) -> RenderValues:
        """A quantity; all values are undefined if the mesh has none of this name."""
        nothing = np.zeros(len(self.points), np.float32)
        return self.values.get(name) or RenderValues(nothing, nothing > 0)

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

    def __init__(self, mesh: Mesh, render_mesh: RenderMesh | None = None) -> None:
        self.mesh = mesh
        self.render_mesh = make_render_mesh(mesh) if render_mesh is None else render_mesh
        self._cut: tuple[tuple[str, float], RenderMesh] | None = None

    def shown(self, camera: Camera) -> RenderMesh:
        """The mesh without what the camera cuts away; the last one is kept."""
        if not camera.cut:
            return self.render_mesh
        key = camera.cut, camera.cut_at
        if self._cut is None or self._cut[0] != key:
            self._cut = key, cut_mesh(self.render_mesh, *key)
        return self._cut[1]

    def release(self) -> None:
        """Free the memory of the driver; drawing the mesh afterwards is an error."""


def make_render_mesh(mesh: Mesh) -> RenderMesh:
    """Scale a mesh to the unit sphere: centre of its box at the origin, farthest corner at distance 1; or `Mesh.frame`.

    Vertices without faces are removed, as they could make the rest tiny. If no face has an area, as in a line drawing,
    the vertices are drawn as points.
    """
    vertices, faces, colours, texture = mesh.vertices, mesh.faces, mesh.colours, mesh.texture
    quantities, face_order = mesh_quantities(mesh), None
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
    centre, radius = np.zeros(3), 1.0
    if mesh.frame is not None:
        centre, radius = np.array(mesh.frame[:3]), mesh.frame[3] or 1.0
        scaled = (scaled - centre) / radius
    elif len(scaled):
        centre = (scaled.min(axis=0) + scaled.max(axis=0)) / 2
        scaled -= centre
        # 1 for a mesh whose vertices are all in one point.
        radius = float(np.sqrt((scaled**2).sum(axis=1).max())) or 1.0
        scaled /= radius
    points = scaled.astype(np.float32)
    if len(faces) and not _has_area(points, faces):
        faces = faces[:0]
    if not len(faces):
        quantities = {name: values for name, values in quantities.items() if values.place == "vertex"}
    render_texture = None
    if texture is not None and len(faces):
        render_texture, face_order = make_render_texture(texture, colours is not None)
        faces = np.ascontiguousarray(faces[face_order])
    kept = None if used.all() else np.flatnonzero(used)
    return RenderMesh(
        points,
        faces,
        None if colours is None else srgb_to_linear(colours),
        render_texture,
        {
            name: make_render_values(values, kept if values.place == "vertex" else face_order)
            for name, values in quantities.items()
        },
        kept,
        face_order,
        (float(centre[0]), float(centre[1]), float(centre[2]), radius),
    )


def _has_area(points: NDArray[np.float32], faces: NDArray[np.int32]) -> bool:
    """Whether any face has an area; tests `_SAMPLED_FACES` faces first, which nearly always suffices."""
    return any(bool((np.abs(face_normals(points, part)) > _MIN_AREA).any()) for part in (faces[:_SAMPLED_FACES], faces))


def cut_mesh(mesh: RenderMesh, side: str, position: float) -> RenderMesh:
    """The part of a mesh on one side of a plane across an axis; faces across the plane are cut along it.

    Parameters
    ----------
    side : axis of which the larger coordinates are removed, or with "-" the smaller ones; see `Camera.cut`.
    position : of the plane on the axis, in radii of the unit sphere.
    """
    sign = -1.0 if side.startswith("-") else 1.0
    beyond = sign * (mesh.points[:, "xyz".index(side[-1])].astype(np.float64) - position)
    if not len(mesh.faces):
        return _Part(mesh, np.flatnonzero(beyond <= 0)).mesh(mesh.faces, np.zeros(0, np.int64))
    n_kept = (beyond[mesh.faces] <= 0).sum(axis=1)
    whole = np.flatnonzero(n_kept == 3)
    parts, sources, edges = [mesh.faces[whole].astype(np.int64)], [whole], [np.zeros((0, 2), np.int64)]
    first_new = len(mesh.points)
    for count in (1, 2):
        cut = np.flatnonzero(n_kept == count)
        corners = mesh.faces[cut].astype(np.int64)
        # The corner that is alone on its side comes first; the order around the face stays.
        alone = np.argmax((beyond[corners] <= 0) == (count == 1), axis=1)
        a, b, c = np.take_along_axis(corners, (alone[:, None] + np.arange(3)) % 3, axis=1).T
        ab, ac = first_new + np.arange(len(cut)), first_new + len(cut) + np.arange(len(cut))
        first_new += 2 * len(cut)
        edges += [np.stack([a, b], axis=1), np.stack([a, c], axis=1)]
        found = [(a, ab, ac)] if count == 1 else [(ab, b, c), (ab, c, ac)]
        parts += [np.stack(triangle, axis=1) for triangle in found]
        sources += [cut] * len(found)
    faces, source = np.concatenate(parts), np.concatenate(sources)
    order = np.argsort(source, kind="stable")  # faces stay sorted by the image of their texture
    faces, source, ends = faces[order], source[order], np.concatenate(edges)
    used = np.zeros(first_new, bool)
    used[faces] = True
    old, new = np.flatnonzero(used[: len(mesh.points)]), np.flatnonzero(used[len(mesh.points) :])
    start, end = ends[new].T
    share = beyond[start] / (beyond[start] - beyond[end])
    number = np.cumsum(used) - 1
    return _Part(mesh, old, start, end, share).mesh(number[faces].astype(np.int32), source)


class _Part:
    """Vertices of a mesh, followed by points on its edges.

    Parameters
    ----------
    kept : (K,) indices of vertices.
    start, end : (N,) indices of the ends of edges.
    share : (N,) position on the edge, from 0 at its start to 1.
    """

    def __init__(
        self,
        mesh: RenderMesh,
        kept: NDArray[np.int64],
        start: NDArray[np.int64] | None = None,
        end: NDArray[np.int64] | None = None,
        share: NDArray[np.float64] | None = None,
    ) -> None:
        nothing = np.zeros(0, np.int64)
        self._source = mesh
        self._start = nothing if start is None else start
        self._end = nothing if end is None else end
        self._share = np.zeros(0) if share is None else share
        self._kept = kept
        self._nearest = np.concatenate([kept, np.where(self._share < 0.5, self._start, self._end)])

    def mesh(self, faces: NDArray[np.int32], source: NDArray[np.int64]) -> RenderMesh:
        """The mesh of these faces, each of which is a part of a face with this index (F,)."""
        mesh, texture = self._source, self._source.render_texture
        if texture is not None:
            texture = replace(texture, uv=self._between(texture.uv), face_images=texture.face_images[source])
        vertices = self._nearest if mesh.source_vertices is None else mesh.source_vertices[self._nearest]
        return RenderMesh(
            self._between(mesh.points),
            faces,
            None if mesh.colours is None else self._between(mesh.colours),
            texture,
            {name: self._values(values, source) for name, values in mesh.values.items()},
            vertices,
            source if mesh.source_faces is None else mesh.source_faces[source],
        )

    def _values(self, values: RenderValues, source: NDArray[np.int64]) -> RenderValues:
        if values.of_faces or values.is_label:
            index = source if values.of_faces else self._nearest
            return replace(values, numbers=values.numbers[index], defined=values.defined[index])
        defined = np.concatenate([values.defined[self._kept], values.defined[self._start] & values.defined[self._end]])
        return replace(values, numbers=self._between(values.numbers), defined=defined)

    def _between(self, attribute: NDArray[np.float32]) -> NDArray[np.float32]:
        """An attribute (V, ...) at the vertices and interpolated on the edges."""
        share = self._share.reshape(-1, *[1] * (attribute.ndim - 1))
        on_edges = attribute[self._start] * (1 - share) + attribute[self._end] * share
        return np.concatenate([attribute[self._kept], on_edges]).astype(np.float32)
