"""Alignment of two shapes, and the nearest points of a surface."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain.mesh import Mesh
from shrec_viewer.geometry.comparison import chamfer_distance, square_factors
from shrec_viewer.geometry.shape import (
    COARSE_POINTS,
    ROTATIONS,
    Shape,
    make_shape,
    nearest_occupied,
)

#: Samples and steps of the refinement of the best `REFINED_STARTS` starts, and then of the best of these.
FIRST_POINTS, FIRST_STEPS = 384, 12
LAST_POINTS, LAST_STEPS = 1024, 8

REFINED_STARTS = 3

#: Share of the farthest pairs that a step ignores.
TRIMMED = 0.1

#: Cells along each side of the grid in which points are looked up, and points looked up at once.
GRID_CELLS = 40
POINTS_PER_BLOCK = 10_000

#: Points of a cell that are kept: surfaces have fewer, but those of small parts far apart would all be in few cells.
POINTS_PER_CELL = 64

#: Distance of samples up to which a fit is good, so that the pose is refined by more samples.
#:
#: Meshes that were rotated, scaled and sampled again have at most 0.06, other models of SHREC 2006 0.13 to 0.30.
GOOD_FIT = 0.07

#: Samples and steps of the last refinement of a good fit, and samples of the surface to which they are compared.
FINE_POINTS, FINE_STEPS = 4096, 3
SURFACE_SAMPLES = 50_000


@dataclass(frozen=True, eq=False)
class Alignment:
    """Best similarity transform of a shape onto another one: ``scale * points @ rotation.T + translation``.

    Attributes
    ----------
    rotation : (3, 3) float64; a reflection if `is_mirrored`.
    scale : factor, from the unit of the first file to that of the second.
    translation : (3,) float64, in the unit of the second file.
    distance : mean distance of samples to the nearest sample of the other shape, both ways, in root mean square radii
        of the second shape.
    radius : root mean square radius of the second shape, in its unit.
    is_mirrored : whether the first shape is mirrored.
    """

    rotation: NDArray[np.float64]
    scale: float
    translation: NDArray[np.float64]
    distance: float
    radius: float
    is_mirrored: bool = False

    @property
    def degrees(self) -> float:
        """Angle of the rotation, 0 to 180; of a reflection, the angle about the normal of its plane."""
        sign = 1.0 if self.is_mirrored else -1.0
        return float(np.degrees(np.arccos(np.clip((np.trace(self.rotation) + sign) / 2.0, -1.0, 1.0))))

    @property
    def axis(self) -> tuple[float, float, float]:
        """Unit vector of the axis of the rotation; of a reflection, the normal of its plane."""
        r, end = self.rotation, -1.0 if self.is_mirrored else 1.0
        values, vectors = np.linalg.eig(r)
        axis = vectors[:, np.argmin(np.abs(values - end))].real
        turn = np.array([r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]])
        x, y, z = (axis if axis @ turn >= 0.0 else -axis).tolist()
        return x, y, z

    def transformed(self, vertices: NDArray[np.floating]) -> NDArray[np.float32]:
        """(V, 3) vertices of the first shape in the place of the second one."""
        moved = self.scale * vertices.astype(np.float64) @ self.rotation.T + self.translation
        return moved.astype(np.float32)


def align_meshes(one: Mesh, other: Mesh, *, is_mirrored: bool = False) -> Alignment:
    """Align a mesh with another one; see `align_shapes`.

    Raises
    ------
    ValueError
        If a mesh has no extent.
    """
    shapes = make_shape(one), make_shape(other)
    return align_shapes(*shapes, find_start(*shapes, is_mirrored=is_mirrored))


@dataclass(frozen=True, eq=False)
class Pose:
    """Similarity transforms of normalised shapes: ``scale * points @ rotation.T + shift``; one, or S of them.

    Attributes
    ----------
    rotation : (3, 3) or (S, 3, 3); with a reflection if `is_mirrored`.
    scale : number, or (S,).
    shift : (3,) or (S, 3).
    """

    rotation: NDArray[Any]
    scale: Any
    shift: NDArray[Any]
    is_mirrored: bool = False

    def apply(self, points: NDArray[Any]) -> NDArray[Any]:
        """Transformed points, in their type."""
        scale, shift = np.asarray(self.scale)[..., None, None], self.shift[..., None, :]
        moved = scale * (points @ self.rotation.swapaxes(-1, -2)) + shift
        return moved.astype(points.dtype)


@dataclass(frozen=True, eq=False)
class Start:
    """The start that a few samples of two shapes take for the best one, with their mean distance from there."""

    pose: Pose
    distance: float


def find_start(one: Shape, other: Shape, *, is_mirrored: bool = False) -> Start:
    """The best rotation that maps axes to axes, in the axes of the files and principal, refined by some samples.

    Parameters
    ----------
    is_mirrored : whether the mirror image of `one` is aligned.
    """
    reflection = np.diag([-1.0 if is_mirrored else 1.0, 1.0, 1.0]).astype(np.float32)
    rotations = [to.T @ (ROTATIONS @ reflection) @ of for of, to in zip(one.frames, other.frames, strict=True)]
    starts = np.concatenate(rotations)
    few, target = one.points[:COARSE_POINTS], other.points[:COARSE_POINTS]
    order = np.argsort(chamfer_distance(few @ starts.swapaxes(1, 2), target), kind="stable")[:REFINED_STARTS]
    poses = Pose(starts[order], np.ones(len(order)), np.zeros((len(order), 3)), is_mirrored)
    points, target = one.points[:FIRST_POINTS], other.points[:FIRST_POINTS]
    poses = _refined(points, target, poses, FIRST_STEPS)
    distances = chamfer_distance(poses.apply(points), target)
    best = int(distances.argmin())
    pose = Pose(poses.rotation[best], poses.scale[best], poses.shift[best], is_mirrored)
    return Start(pose, float(distances[best]))


def align_shapes(one: Shape, other: Shape, start: Start) -> Alignment:
    """Align a shape with another one from a start of `find_start`, by trimmed ICP with scale.

    Besl, McKay: A method for registration of 3-D shapes. PAMI 14, 1992; Chetverikov et al.: The trimmed iterative
    closest point algorithm. ICPR 2002.
    """
    points, target = one.points[:LAST_POINTS], other.points[:LAST_POINTS]
    pose = _refined(points, target, start.pose, LAST_STEPS)
    rows, columns, _ = _nearest_pairs(pose.apply(points), target)
    apart = pose.apply(points.astype(np.float64))[rows] - target[columns]
    scale = float(pose.scale) * other.radius / one.radius
    translation = other.centre + other.radius * pose.shift - scale * pose.rotation @ one.centre
    distance = float(np.linalg.norm(apart, axis=1).mean())
    return Alignment(pose.rotation, scale, translation, distance, other.radius, pose.is_mirrored)


def _nearest_pairs(
    points: NDArray[np.float32], target: NDArray[np.float32]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]:
    """Index of points (…, n, 3) and of target (n, 3) in 2 n pairs (…, 2 n): the nearest ones of each; their squares."""
    one, other = square_factors(points, target)
    numbers = np.broadcast_to(np.arange(len(target)), points.shape[:-1])
    found = []
    for square in (one @ other.T, other @ one.swapaxes(-1, -2)):  # two products: minima of columns take longer
        nearest = square.argmin(axis=-1)
        found.append((nearest, np.take_along_axis(square, nearest[..., None], axis=-1)[..., 0]))
    (to_target, there), (to_points, back) = found
    return (
        np.concatenate([numbers, to_points], axis=-1),
        np.concatenate([to_target, numbers], axis=-1),
        np.concatenate([there, back], axis=-1),
    )


def _refined(points: NDArray[np.float32], target: NDArray[np.float32], pose: Pose, n_steps: int) -> Pose:
    """The poses after some steps of trimmed ICP with scale, with the nearest points of both ways."""
    n_kept = int((1.0 - TRIMMED) * 2 * len(points))
    for _ in range(n_steps):
        rows, columns, squares = _nearest_pairs(pose.apply(points), target)
        kept = np.argpartition(squares, n_kept, axis=-1)[..., :n_kept]
        pairs = points[np.take_along_axis(rows, kept, axis=-1)], target[np.take_along_axis(columns, kept, axis=-1)]
        pose = similarity(*pairs, is_mirrored=pose.is_mirrored)
    return pose


def similarity(one: NDArray[np.floating], other: NDArray[np.floating], *, is_mirrored: bool = False) -> Pose:
    """The poses with the least squared distances of points to the points of the same index; (…, n, 3) each.

    Umeyama: Least-squares estimation of transformation parameters between two point patterns. PAMI 13, 1991.

    Parameters
    ----------
    is_mirrored : whether the rotations are reflections.
    """
    a, b = one.astype(np.float64), other.astype(np.float64)
    centre_a, centre_b = a.mean(axis=-2), b.mean(axis=-2)
    a -= centre_a[..., None, :]
    u, values, vt = np.linalg.svd((b - centre_b[..., None, :]).swapaxes(-1, -2) @ a)
    signs = np.ones(values.shape)
    signs[..., 2] = np.sign(np.linalg.det(u @ vt)) * (-1.0 if is_mirrored else 1.0)
    rotation = (u * signs[..., None, :]) @ vt
    spread = np.einsum("...ij,...ij->...", a, a)
    scale = np.where(spread > 0.0, (values * signs).sum(axis=-1) / np.where(spread > 0.0, spread, 1.0), 1.0)
    shift = centre_b - scale[..., None] * np.einsum("...ij,...j->...i", rotation, centre_a)
    return Pose(rotation, scale, shift, is_mirrored)


class PointGrid:
    """Points in the cells of a grid, in which the nearest one to other points is looked up.

    Parameters
    ----------
    points : (n, 3) float32, at least one.
    around : (m, 3) float32, points that the grid covers as well.
    """

    def __init__(self, points: NDArray[np.float32], around: NDArray[np.float32]) -> None:
        self._low = np.minimum(points.min(axis=0), around.min(axis=0))
        high = np.maximum(points.max(axis=0), around.max(axis=0))
        self._side = max(float((high - self._low).max()) / GRID_CELLS, float(np.finfo(np.float32).tiny))
        cells = _flat(np.clip(((points - self._low) / self._side).astype(np.int64), 0, GRID_CELLS - 1))
        cells = cells.astype(np.uint16)  # these are sorted by their digits
        order = np.argsort(cells, kind="stable")
        starts = np.flatnonzero(np.diff(cells[order].astype(np.int32), prepend=-1))
        place = np.arange(len(order)) - np.repeat(starts, np.diff(starts, append=len(order)))
        self._order = order[place < POINTS_PER_CELL]
        self._columns = np.ascontiguousarray(points[self._order].T)
        self._counts = np.bincount(cells[self._order], minlength=GRID_CELLS**3)
        self._starts = np.cumsum(self._counts) - self._counts
        self._nearest = nearest_occupied((self._counts > 0).reshape((GRID_CELLS,) * 3)).ravel()

    def nearest(self, points: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """(m,) distances of points to the nearest one of the grid, and (m,) its index.

        Points are looked up in the occupied cells nearest to the 8 cells around each: distances are never too small,
        and too large by at most a cell in rare cases (mean 0.0005 radii on surfaces of SHREC 2006).
        """
        corners = np.stack(np.meshgrid([0, 1], [0, 1], [0, 1], indexing="ij"), axis=-1).reshape(-1, 3)
        distances, indices = np.empty(len(points), np.float32), np.empty(len(points), np.int64)
        for start in range(0, len(points), POINTS_PER_BLOCK):
            block = points[start : start + POINTS_PER_BLOCK]
            around = np.floor((block - self._low) / self._side - 0.5).astype(np.int64)[:, None] + corners
            of_point = np.sort(self._nearest[_flat(np.clip(around, 0, GRID_CELLS - 1))], axis=1)
            is_first = np.concatenate([np.ones((len(block), 1), np.bool_), np.diff(of_point, axis=1) != 0], axis=1)
            chosen, n_cells = of_point[is_first], is_first.sum(axis=1)
            n_found = self._counts[chosen]
            ends = np.cumsum(n_found)
            rows = np.arange(ends[-1]) - np.repeat(ends - n_found - self._starts[chosen], n_found)
            per_point = np.add.reduceat(n_found, np.cumsum(n_cells) - n_cells)
            first = np.cumsum(per_point) - per_point
            square = np.zeros(len(rows), np.float32)
            for column, of_grid in zip(block.T, self._columns, strict=True):  # faster than rows of three numbers
                apart = np.repeat(column, per_point) - of_grid.take(rows)
                square += apart * apart
            least = np.minimum.reduceat(square, first)
            is_least = np.flatnonzero(square == np.repeat(least, per_point))
            of_least = is_least[np.searchsorted(is_least, first)]
            distances[start : start + len(block)] = np.sqrt(least)
            indices[start : start + len(block)] = self._order[rows[of_least]]
        return distances, indices


def _flat(cells: NDArray[np.int64]) -> NDArray[np.int64]:
    return (cells[..., 0] * GRID_CELLS + cells[..., 1]) * GRID_CELLS + cells[..., 2]
