"""Samples of a surface and the distance fields around them, by which two shapes are compared."""

from dataclasses import dataclass
from functools import cached_property
from itertools import permutations, product

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain.mesh import Mesh

#: Samples of a surface of which the distance field is made; the first ones serve as its points.
FIELD_SAMPLES = 4096

#: Points of a shape that are looked up in the field of the other one.
COARSE_POINTS = 256

#: Cells along each side of a field.
CELLS = 32

#: Half the side of the cube of a field, in root mean square radii; points beyond it count as on its border.
HALF_SIDE = 2.4

#: Bits of the index of a cell in `nearest_occupied`; squared distances take the others.
INDEX_BITS = 16

#: Seed of the samples: the same surface has the same samples.
SEED = 7


def cube_rotations() -> NDArray[np.float32]:
    """(24, 3, 3) rotations that map the axes to axes; the first one is the identity."""
    found = []
    for order in permutations(range(3)):
        for signs in product((1.0, -1.0), repeat=3):
            matrix = np.eye(3)[list(order)] * np.array(signs)[:, None]
            if np.linalg.det(matrix) > 0:
                found.append(matrix)
    return np.array(found, np.float32)


ROTATIONS = cube_rotations()

#: Index of the inverse of each rotation.
INVERSES = np.array([np.flatnonzero((ROTATIONS == matrix.T).all((1, 2)))[0] for matrix in ROTATIONS])


def surface_samples(mesh: Mesh, count: int, seed: int = SEED) -> NDArray[np.float32]:
    """(count, 3) points on a surface, uniform by area, in a random order; vertices of a cloud or of a flat surface.

    Stratified along the faces, then permuted: the first n samples cover all of the surface.

    Raises
    ------
    ValueError
        If the mesh has no vertices.
    """
    if mesh.is_empty:
        raise ValueError("has no points")
    random = np.random.default_rng(seed)
    vertices = mesh.vertices.astype(np.float64)
    corners = vertices[mesh.faces]
    areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    ends = np.cumsum(areas)
    if not len(ends) or not ends[-1] > 0:
        chosen = random.permutation(np.resize(np.arange(len(vertices)), max(count, len(vertices))))[:count]
        return vertices[chosen].astype(np.float32)
    steps = (np.arange(count) + random.random(count)) / count * ends[-1]
    faces = np.minimum(np.searchsorted(ends, steps, "right"), len(ends) - 1)
    u, v = random.random((2, count, 1))
    root = np.sqrt(u)
    a, b, c = corners[faces].transpose(1, 0, 2)
    points = (1 - root) * a + root * (1 - v) * b + root * v * c
    return points[random.permutation(count)].astype(np.float32)


@dataclass(frozen=True, eq=False)
class Shape:
    """A normalised shape.

    Attributes
    ----------
    points : (n, 3) float32, samples with their centroid at 0 and a root mean square radius of 1.
    centre : (3,) float32, the centroid in the file.
    radius : root mean square radius in the file.
    frames : (2, 3, 3) float32 rotations, of the axes of the file and of the principal axes; rows are axes.
    """

    points: NDArray[np.float32]
    centre: NDArray[np.float32]
    radius: float
    frames: NDArray[np.float32]

    @cached_property
    def fields(self) -> NDArray[np.float16]:
        """(2, CELLS³) distance of each cell to the nearest sample, in each frame."""
        return np.stack([distance_field(self.points @ frame.T) for frame in self.frames])


def normalised(points: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32], float]:
    """Points with their centroid at 0 and a root mean square radius of 1, the centroid and the radius.

    Raises
    ------
    ValueError
        If all points are equal.
    """
    centre = points.mean(axis=0, dtype=np.float64)
    centred = points - centre
    radius = float(np.sqrt(np.square(centred).sum(axis=1).mean()))
    if not radius > 1e-12 * float(np.abs(centre).max()):
        raise ValueError("has no extent: all of its points are equal")
    return (centred / radius).astype(np.float32), centre.astype(np.float32), radius


def make_shape(mesh: Mesh) -> Shape:
    """The samples and axes of a mesh or cloud; ValueError if it has no extent."""
    samples, centre, radius = normalised(surface_samples(mesh, FIELD_SAMPLES))
    _, axes = np.linalg.eigh(samples.T.astype(np.float64) @ samples)
    principal = axes.T[::-1].copy()
    principal[2] *= np.linalg.det(principal)
    frames = np.stack([np.eye(3), principal]).astype(np.float32)
    return Shape(samples, centre, radius, frames)


def cell_indices(points: NDArray[np.float32]) -> NDArray[np.int32]:
    """Flat index of the cell of each of (…, 3) points."""
    cells = np.clip((points + HALF_SIDE) * (CELLS / (2 * HALF_SIDE)), 0, CELLS - 1).astype(np.int32)
    return (cells[..., 0] * CELLS + cells[..., 1]) * CELLS + cells[..., 2]


def distance_field(points: NDArray[np.float32]) -> NDArray[np.float16]:
    """(CELLS³,) distances of the centres of cells to the nearest occupied cell, from the mean of its points."""
    index = cell_indices(points)
    counts = np.bincount(index, minlength=CELLS**3)
    sums = np.stack([np.bincount(index, column, CELLS**3) for column in points.T], axis=1)
    nearest = nearest_occupied((counts > 0).reshape(CELLS, CELLS, CELLS)).ravel()
    side = (np.arange(CELLS) + 0.5) * (2 * HALF_SIDE / CELLS) - HALF_SIDE
    centres = np.stack(np.meshgrid(side, side, side, indexing="ij"), axis=-1).reshape(-1, 3)
    return np.linalg.norm(centres - sums[nearest] / counts[nearest, None], axis=1).astype(np.float16)


def nearest_occupied(is_occupied: NDArray[np.bool_]) -> NDArray[np.int32]:
    """(n, n, n) flat index of the occupied cell that is nearest to each cell, of a grid with at least one; n up to 40.

    By three passes of minima over rows, as products instead of the envelopes of Felzenszwalb, Huttenlocher: Distance
    transforms of sampled functions. Theory of Computing 8, 2012. Of several nearest cells it is the first one.
    """
    n = len(is_occupied)
    assert n**3 <= 1 << INDEX_BITS
    # Squared distance and index in one number, so that the minimum has both.
    keys = np.arange(n**3, dtype=np.int32).reshape(is_occupied.shape) + np.where(is_occupied, 0, 1 << 30)
    keys = keys.astype(np.int32)
    steps = np.square(np.subtract.outer(np.arange(n), np.arange(n))).astype(np.int32) << INDEX_BITS
    for _ in range(3):  # the first axis is passed, then becomes the last one
        planes = keys.reshape(n, n * n)
        passed = np.stack([(planes + step[:, None]).min(axis=0) for step in steps])
        keys = np.ascontiguousarray(np.moveaxis(passed.reshape(n, n, n), 0, 2))
    nearest: NDArray[np.int32] = keys & ((1 << INDEX_BITS) - 1)
    return nearest
