"""Alignment of two shapes and the distances between their surfaces."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain.mesh import Mesh
from shrec_viewer.geometry.comparison import chamfer_distance, relative_rotation
from shrec_viewer.geometry.shape import (
    COARSE_POINTS,
    ROTATIONS,
    Shape,
    make_shape,
    nearest_occupied,
    surface_samples,
)

#: Samples and steps of the refinement of the best `REFINED_STARTS` starts, and then of the best of these.
FIRST_POINTS, FIRST_STEPS = 384, 12
LAST_POINTS, LAST_STEPS = 1024, 8

REFINED_STARTS = 3

#: Share of the farthest pairs that a step ignores.
TRIMMED = 0.1

#: Samples of a surface from which the distances of vertices are computed: their spacing is 0.01 radii.
SURFACE_SAMPLES = 50_000

#: Cells along each side of the grid in which samples are looked up, and vertices looked up at once.
GRID_CELLS = 40
VERTICES_PER_BLOCK = 10_000

#: Mean distance in root mean square radii below which two shapes cannot be told apart by samples.
#:
#: Meshes that were rotated, scaled and sampled again have at most 0.06, other models of SHREC 2006 0.13 to 0.30.
SAMPLING_FLOOR = 0.07

#: Share of the distance of the shape itself below which its mirror image is taken: others are near symmetric.
MIRROR_GAIN = 0.9

#: Relative difference of scale that is reported.
SAME_SCALE = 1e-3


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
    def is_same(self) -> bool:
        """Whether the shapes cannot be told apart by their samples."""
        return self.distance < SAMPLING_FLOOR

    def transformed(self, vertices: NDArray[np.floating]) -> NDArray[np.float32]:
        """(V, 3) vertices of the first shape in the place of the second one."""
        moved = self.scale * vertices.astype(np.float64) @ self.rotation.T + self.translation
        return moved.astype(np.float32)

    def sentence(self) -> str:
        """What the alignment says, for display."""
        degrees = np.degrees(np.arccos(np.clip((np.trace(self._turn()) - 1.0) / 2.0, -1.0, 1.0)))
        changes = [f"rotated by {degrees:.0f}°"] if degrees >= 0.5 else []
        changes += [f"scaled by {self.scale:.3g}"] if abs(self.scale - 1.0) > SAME_SCALE else []
        if self.is_mirrored:
            changes.insert(0, "mirrored")
        how = f", {' and '.join(changes)}" if changes else ""
        if self.is_same:
            return f"Same shape within sampling{how}"
        return f"Mean distance {self.distance:.2f} radii{how}"

    def _turn(self) -> NDArray[np.float64]:
        return -self.rotation if self.is_mirrored else self.rotation


def align_meshes(one: Mesh, other: Mesh, *, may_mirror: bool = False) -> Alignment:
    """Align a mesh with another one, from the rotations that map axes to axes, in the axes of the files and principal.

    The best starts by samples are refined by trimmed ICP with scale (Besl, McKay: A method for registration of 3-D
    shapes. PAMI 14, 1992; Chetverikov et al.: The trimmed iterative closest point algorithm. ICPR 2002).

    Parameters
    ----------
    may_mirror : whether the mirror image of `one` is tried as well; it is taken if it fits clearly better.

    Raises
    ------
    ValueError
        If a mesh has no extent.
    """
    shape = make_shape(other)
    best = _aligned(make_shape(one), shape)
    if may_mirror:
        vertices = one.vertices * np.array([-1.0, 1.0, 1.0], np.float32)
        mirrored = _aligned(make_shape(Mesh(vertices, one.faces)), shape)
        if mirrored.distance < MIRROR_GAIN * best.distance:
            rotation = mirrored.rotation * np.array([-1.0, 1.0, 1.0])
            best = Alignment(
                rotation, mirrored.scale, mirrored.translation, mirrored.distance, mirrored.radius, is_mirrored=True
            )
    return best


def _aligned(one: Shape, other: Shape) -> Alignment:
    starts = [relative_rotation(one.frames, other.frames, index) for index in range(2 * len(ROTATIONS))]
    few = one.points[:COARSE_POINTS], other.points[:COARSE_POINTS]
    distances = [chamfer_distance(few[0] @ start.T, few[1]) for start in starts]
    best = np.argsort(distances, kind="stable")[:REFINED_STARTS]
    found = [_refined(one, other, Pose(starts[index]), FIRST_POINTS, FIRST_STEPS) for index in best]
    errors = [chamfer_distance(pose.apply(one.points[:FIRST_POINTS]), other.points[:FIRST_POINTS]) for pose in found]
    pose = _refined(one, other, found[int(np.argmin(errors))], LAST_POINTS, LAST_STEPS)
    last = one.points[:LAST_POINTS].astype(np.float64), other.points[:LAST_POINTS].astype(np.float64)
    distance = chamfer_distance(pose.apply(last[0]), last[1])
    scale = pose.scale * other.radius / one.radius
    translation = other.centre + other.radius * pose.shift - scale * pose.rotation @ one.centre
    return Alignment(pose.rotation, scale, translation, distance, other.radius)


@dataclass(frozen=True, eq=False)
class Pose:
    """A similarity transform of normalised shapes: ``scale * points @ rotation.T + shift``."""

    rotation: NDArray[Any]
    scale: float = 1.0
    shift: NDArray[Any] | float = 0.0

    def apply(self, points: NDArray[Any]) -> NDArray[Any]:
        """Transformed points, in their type."""
        moved = self.scale * (points @ self.rotation.T) + self.shift
        return moved.astype(points.dtype)


def _refined(one: Shape, other: Shape, pose: Pose, n_points: int, n_steps: int) -> Pose:
    """The pose after some steps of trimmed ICP with scale, with the nearest points of both ways."""
    points, target = one.points[:n_points], other.points[:n_points]
    numbers, squares = np.arange(n_points), np.square(target).sum(axis=1)
    for _ in range(n_steps):
        moved = pose.apply(points)
        square = np.square(moved).sum(axis=1)[:, None] + squares - 2.0 * (moved @ target.T)
        rows = np.concatenate([numbers, square.argmin(axis=0)])
        columns = np.concatenate([square.argmin(axis=1), numbers])
        kept = np.argsort(square[rows, columns], kind="stable")[: int((1.0 - TRIMMED) * 2 * n_points)]
        a, b = points[rows[kept]].astype(np.float64), target[columns[kept]].astype(np.float64)
        centre_a, centre_b = a.mean(axis=0), b.mean(axis=0)
        # Umeyama: Least-squares estimation of transformation parameters between two point patterns. PAMI 13, 1991.
        u, values, vt = np.linalg.svd((b - centre_b).T @ (a - centre_a))
        signs = np.array([1.0, 1.0, np.sign(np.linalg.det(u @ vt))])
        rotation = (u * signs) @ vt
        scale = float((values * signs).sum() / np.square(a - centre_a).sum())
        shift = centre_b - scale * rotation @ centre_a
        pose = Pose(rotation, scale, shift)
    return pose


def surface_distances(vertices: NDArray[np.float32], surface: Mesh) -> NDArray[np.float32]:
    """(V,) distances of vertices to the nearest sample of a surface, in its unit.

    Samples are looked up in the occupied cells nearest to the 8 cells around a vertex: never too small, and too large
    by at most a cell in rare cases (mean 0.0005 radii on models of SHREC 2006).
    """
    samples = surface_samples(surface, SURFACE_SAMPLES)
    low = np.minimum(samples.min(axis=0), vertices.min(axis=0))
    high = np.maximum(samples.max(axis=0), vertices.max(axis=0))
    side = max(float((high - low).max()) / GRID_CELLS, float(np.finfo(np.float32).tiny))
    cells = _flat(np.clip(((samples - low) / side).astype(np.int64), 0, GRID_CELLS - 1))
    samples = samples[np.argsort(cells, kind="stable")]
    counts = np.bincount(cells, minlength=GRID_CELLS**3)
    starts = np.cumsum(counts) - counts
    nearest = nearest_occupied((counts > 0).reshape((GRID_CELLS,) * 3)).ravel()
    corners = np.stack(np.meshgrid([0, 1], [0, 1], [0, 1], indexing="ij"), axis=-1).reshape(-1, 3)
    found = np.empty(len(vertices), np.float32)
    for start in range(0, len(vertices), VERTICES_PER_BLOCK):
        block = vertices[start : start + VERTICES_PER_BLOCK]
        around = np.floor((block - low) / side - 0.5).astype(np.int64)[:, None] + corners
        of_vertex = np.sort(nearest[_flat(np.clip(around, 0, GRID_CELLS - 1))], axis=1)
        is_first = np.concatenate([np.ones((len(block), 1), np.bool_), np.diff(of_vertex, axis=1) != 0], axis=1)
        chosen, n_cells = of_vertex[is_first], is_first.sum(axis=1)
        n_samples = counts[chosen]
        ends = np.cumsum(n_samples)
        rows = np.arange(ends[-1]) - np.repeat(ends - n_samples - starts[chosen], n_samples)
        per_vertex = np.add.reduceat(n_samples, np.cumsum(n_cells) - n_cells)
        square = np.square(np.repeat(block, per_vertex, axis=0) - samples[rows]).sum(axis=1)
        found[start : start + len(block)] = np.sqrt(np.minimum.reduceat(square, np.cumsum(per_vertex) - per_vertex))
    return found


def _flat(cells: NDArray[np.int64]) -> NDArray[np.int64]:
    return (cells[..., 0] * GRID_CELLS + cells[..., 1]) * GRID_CELLS + cells[..., 2]
