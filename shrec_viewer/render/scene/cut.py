"""A mesh without the part on one side of a plane, to look inside."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.render.scene.render_mesh import RenderMesh
from shrec_viewer.render.scene.values import RenderValues


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
