"""Smooth normals for any soup of triangles: rounded where it bends gently, sharp at creases, blind to orientation."""

from math import cos, radians

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

CREASE = 40.0
"""Degrees; faces that meet at a larger angle keep their edge. Cylinders of ten sides are round, boxes stay boxes."""

_MOST_NEIGHBOURS = 24
"""Faces at one point that are looked at; a fan of a thousand triangles needs no thousand neighbours to be round."""


def face_normals(points: Floats, faces: NDArray[np.int32]) -> Floats:
    """(F, 3) by the right-hand rule, as long as twice the face's area; zero for a face without area."""
    x, y, z = np.ascontiguousarray(points.T)
    a, b, c = np.ascontiguousarray(faces.T)
    ux, uy, uz = x[b] - x[a], y[b] - y[a], z[b] - z[a]
    vx, vy, vz = x[c] - x[a], y[c] - y[a], z[c] - z[a]
    return np.stack([uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx], axis=1)  # `np.cross` takes twice as long


def corner_normals(points: Floats, faces: NDArray[np.int32]) -> Floats:
    """Unit normals of each corner of each face, for shading that rounds.

    Faces that share a place, not only an index, are neighbours; each counts by its area, turned to the side of the face
    in question, and only where it deviates by less than `CREASE`.

    Parameters
    ----------
    points : (V, 3) within the unit sphere.
    faces : (F, 3) int32.

    Returns
    -------
    (F, 3, 3) float32: face, corner, component; the face's own normal where it has no gentle neighbour.
    """
    by_area = face_normals(points, faces)
    length = np.linalg.norm(by_area, axis=1, keepdims=True)
    own = (by_area / np.where(length > 0, length, 1)).astype(np.float32)
    place = _places(points)[faces].ravel()
    order = np.argsort(place, kind="stable")
    face = order // 3
    starts = np.flatnonzero(np.diff(place[order], prepend=-1))
    size = np.diff(starts, append=len(order))
    first, count = np.repeat(starts, size), np.repeat(size, size)
    total = by_area[face].copy()
    for step in range(1, min(_MOST_NEIGHBOURS, int(size.max(initial=1)))):
        here = np.flatnonzero(count > step)
        other = first[here] + (here - first[here] + step) % count[here]
        _add_gentle(total, here, own[face[here]], own[face[other]], by_area[face[other]])
    norm = np.linalg.norm(total, axis=1, keepdims=True)
    smooth = np.empty_like(total)
    smooth[order] = np.where(norm > 0, total / np.where(norm > 0, norm, 1), own[face])
    return smooth.reshape(-1, 3, 3)


def _add_gentle(total: Floats, here: NDArray[np.intp], own: Floats, other: Floats, by_area: Floats) -> None:
    turn = np.einsum("ij,ij->i", own, other)
    gentle = np.abs(turn) > cos(radians(CREASE))
    total[here[gentle]] += np.sign(turn[gentle])[:, None] * by_area[gentle]


def _places(points: Floats) -> NDArray[np.int64]:
    """(V,) number of each vertex's place; vertices nearer than a millionth of the sphere share one."""
    grid = np.round(points.astype(np.float64) * 1e6).astype(np.int64)
    key = (grid[:, 0] * 2_097_169 + grid[:, 1]) * 2_097_169 + grid[:, 2]
    return np.unique(key, return_inverse=True)[1].ravel().astype(np.int64)
