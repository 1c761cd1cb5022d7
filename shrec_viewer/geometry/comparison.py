"""Comparison of shapes under the rotations that map axes to axes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.geometry.shape import CELLS, COARSE_POINTS, INVERSES, ROTATIONS, Shape, cell_indices

#: Samples of a surface that is compared.
SURFACE_POINTS = 512


@dataclass(frozen=True, eq=False)
class ComparedModel:
    """A model compared with the queries of a pass.

    Attributes
    ----------
    points : (SURFACE_POINTS, 3) float32, see `Shape`.
    frames : (2, 3, 3) float32, see `Shape`.
    distances : (Q,) float32, by the fields, in root mean square radii.
    rotations : (Q,) uint8, index of the best rotation, those of the first frame first.
    """

    points: NDArray[np.float32]
    frames: NDArray[np.float32]
    distances: NDArray[np.float32]
    rotations: NDArray[np.uint8]


class QueryShapes:
    """Shapes of the queries of a pass, prepared to be compared with many models.

    Parameters
    ----------
    shapes : one for each query.
    """

    def __init__(self, shapes: Sequence[Shape]) -> None:
        self._fields = np.stack([shape.fields for shape in shapes], axis=1).astype(np.float32)  # (2, Q, CELLS³)
        self._cells = np.stack([rotated_cells(shape) for shape in shapes], axis=1)  # (2, Q, 24, n)

    def compare(self, model: Shape) -> ComparedModel:
        """Distances to a model: of the points of each one in the field of the other, mean of both ways."""
        values = []
        for cells, fields, turned, field in zip(
            self._cells, self._fields, rotated_cells(model), model.fields, strict=True
        ):
            to_model = field.astype(np.float32)[cells].mean(axis=2)
            to_query = fields[:, turned].mean(axis=2)[:, INVERSES]
            values.append((to_model + to_query) / 2.0)
        of_rotations = np.concatenate(values, axis=1)
        best = of_rotations.argmin(axis=1)
        return ComparedModel(
            model.points[:SURFACE_POINTS],
            model.frames,
            np.take_along_axis(of_rotations, best[:, None], axis=1)[:, 0],
            best.astype(np.uint8),
        )


def rotated_cells(shape: Shape) -> NDArray[np.uint16]:
    """(2, 24, COARSE_POINTS) cells of the points of a shape in both frames, rotated."""
    points = [shape.points[:COARSE_POINTS] @ frame.T for frame in shape.frames]
    assert np.iinfo(np.uint16).max + 1 >= CELLS**3
    return np.stack([cell_indices(np.einsum("rij,nj->rni", ROTATIONS, one)) for one in points]).astype(np.uint16)


def square_factors(one: NDArray[Any], other: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """(…, n, 5) and (m, 5) factors of points (…, n, 3) and (m, 3): ``a @ b.T`` are their squared distances."""
    of_one, of_other = (np.einsum("...i,...i->...", points, points)[..., None] for points in (one, other))
    a = np.concatenate([-2.0 * one, of_one, np.ones_like(of_one)], axis=-1)
    return a, np.concatenate([other, np.ones_like(of_other), of_other], axis=-1)


def chamfer_distance(one: NDArray[Any], other: NDArray[Any]) -> NDArray[Any]:
    """(…) mean distance of points (…, n, 3) and (m, 3) to the nearest point of the other set, mean of both ways.

    Barrow, Tenenbaum, Bolles, Wolf: Parametric correspondence and chamfer matching. IJCAI 1977.
    """
    a, b = square_factors(one, other)
    squares = a @ b.T
    ways = [np.sqrt(np.maximum(squares.min(axis=axis), 0.0)).mean(axis=-1) for axis in (-1, -2)]
    distance: NDArray[Any] = (ways[0] + ways[1]) / 2.0
    return distance


def relative_rotation(query: NDArray[np.float32], model: NDArray[np.float32], rotation: int) -> NDArray[np.float32]:
    """(3, 3) rotation of a query onto a model, of their (2, 3, 3) frames and the index of `ComparedModel.rotations`."""
    frame, index = divmod(int(rotation), len(ROTATIONS))
    turned: NDArray[np.float32] = model[frame].T @ ROTATIONS[index] @ query[frame]
    return turned
