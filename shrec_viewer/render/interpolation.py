"""What runs from corner to corner of the faces that are seen, worked out for all samples at once."""

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.render.raster import NOTHING

Floats = NDArray[np.float32]


class Interpolation:
    """Where each sample lies in the face that is seen there.

    Whatever is linear on the screen is a value at a corner and two slopes: worked out once a face, looked up once a
    sample.

    Parameters
    ----------
    index : (H, W) int32, face seen at each sample or `NOTHING`.
    screen : (V, 2 or more) places of the vertices in samples.
    faces : (F, 3) int32.

    Attributes
    ----------
    faces : (n,) int64, the faces that are seen anywhere.
    place : (N,) int64, of each sample's face among these; samples in row order.
    """

    def __init__(self, index: NDArray[np.int32], screen: NDArray[np.float64], faces: NDArray[np.int32]) -> None:
        row, column = np.nonzero(index != NOTHING)
        seen = index[row, column]
        is_seen = np.zeros(len(faces), bool)
        is_seen[seen] = True
        self.faces = np.flatnonzero(is_seen)
        self.place = (np.cumsum(is_seen) - 1)[seen]
        a, b, c = np.moveaxis(screen[faces[self.faces], :2], 1, 0)
        one, two = b - a, c - a
        area = one[:, 0] * two[:, 1] - one[:, 1] * two[:, 0]
        area = np.where(np.abs(area) > 1e-9, area, np.inf)  # a face seen edge on is as at its first corner
        second = np.stack([two[:, 1], -two[:, 0]], axis=1) / area[:, None]
        third = np.stack([-one[:, 1], one[:, 0]], axis=1) / area[:, None]
        self._slopes = np.stack([-second - third, second, third], axis=1)  # (n, 3, 2) of the three weights
        corner = a.astype(np.float32)[self.place]
        self._right = (column + np.float32(0.5)).astype(np.float32) - corner[:, 0]
        self._down = (row + np.float32(0.5)).astype(np.float32) - corner[:, 1]

    def at_samples(self, values: NDArray[np.float64]) -> Floats:
        """Values (n, 3, K) at the corners of the seen faces, between them (N, K); linear on the screen."""
        return self.with_changes(values)[0]

    def with_changes(self, values: NDArray[np.float64]) -> tuple[Floats, Floats, Floats]:
        """The same, and how much each value (N, K) changes from a sample to the next on the right and below."""
        slopes = np.einsum("nkd,nkc->dnc", self._slopes, values)
        start, right, down = (part.astype(np.float32) for part in (values[:, 0], *slopes))
        between, right, down = start[self.place], right[self.place], down[self.place]
        between += right * self._right[:, None]
        between += down * self._down[:, None]
        return between, right, down

    def altitudes(self) -> Floats:
        """(n, 3) samples between each corner of the seen faces and the side opposite to it."""
        return (1 / np.maximum(np.linalg.norm(self._slopes, axis=2), 1e-9)).astype(np.float32)
