"""Rasterise triangles with numpy and interpolate over the visible faces."""

import numpy as np
from numpy.typing import NDArray

NO_FACE = -1
"""Index where no triangle covers a sample."""

_BATCH = 2_000_000
"""Fragments worked on at once; keeps the peak near 150 MB whatever the mesh."""

_FACES = 500_000
"""Faces worked on at once, for the same reason."""

EMPTY_SAMPLE = np.uint64(0xFFFFFFFFFFFFFFFF)
"""Packed depth and index of a sample that nothing covers; farther than everything."""


def rasterise(
    points: NDArray[np.float64], faces: NDArray[np.int32], width: int, height: int
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Which triangle is visible at the centre of each sample, and how deep.

    A sample belongs to a triangle when its centre lies inside, on its upper or on its left edge, as OpenGL has it;
    neighbours share no sample and leave no gap.

    Parameters
    ----------
    points : (V, 3) in samples from the upper left corner; depth in [0, 1], linear on the screen, 0 is nearest.
    faces : (F, 3) int32.
    width, height : samples.

    Returns
    -------
    (height, width) int32 index of the nearest triangle or NOTHING; (height, width) float32 depth, 1 where nothing is.
    """
    nearest = np.full(width * height, EMPTY_SAMPLE, np.uint64)
    for first in range(0, len(faces), _FACES):
        spans = _TriangleSpans(points[faces[first : first + _FACES]], width, height, first)
        bounds = np.concatenate([[0], np.cumsum(spans.length)])
        start = 0
        while start < len(spans.length):
            stop = max(start + 1, int(np.searchsorted(bounds, bounds[start] + _BATCH, side="right")) - 1)
            spans.draw(slice(start, stop), nearest)
            start = stop
    index, depth = unpack_depth_index(nearest)
    return index.reshape(height, width), depth.reshape(height, width)


def unpack_depth_index(nearest: NDArray[np.uint64]) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Index and depth out of packed numbers: depth as the bits of a float32 above, index below."""
    visible = nearest != EMPTY_SAMPLE
    index = np.where(visible, (nearest & np.uint64(0xFFFFFFFF)).astype(np.int64), NO_FACE).astype(np.int32)
    depth = np.where(visible, (nearest >> np.uint64(32)).astype(np.uint32).view(np.float32), np.float32(1))
    return index, depth


class _TriangleSpans:
    """The runs of samples that triangles cover, one for each row of each triangle.

    Parameters
    ----------
    triangles : (T, 3, 3) corners on the screen.
    width, height : samples.
    first : index of the first triangle.
    """

    def __init__(self, triangles: NDArray[np.float64], width: int, height: int, first: int = 0) -> None:
        self._first = np.uint64(first)
        order = np.argsort(triangles[:, :, 1], axis=1, kind="stable")
        top, middle, bottom = np.moveaxis(np.take_along_axis(triangles, order[:, :, None], axis=1), 1, 0)
        highest = np.clip(np.ceil(top[:, 1] - 0.5), 0, height).astype(np.int64)
        rows = np.clip(np.ceil(bottom[:, 1] - 0.5), 0, height).astype(np.int64) - highest
        triangle = np.repeat(np.arange(len(triangles)), rows)
        row = np.arange(len(triangle)) - np.repeat(np.cumsum(rows) - rows, rows) + highest[triangle]
        left, right = _span_ends(row + 0.5, top[triangle], middle[triangle], bottom[triangle])
        column = np.clip(np.ceil(left - 0.5), 0, width).astype(np.int64)
        length = np.clip(np.ceil(right - 0.5), 0, width).astype(np.int64) - column
        is_covered = length > 0
        self.triangle = triangle[is_covered]
        self.length = length[is_covered]
        self.first_sample = (row * width + column)[is_covered]
        across, down = _depth_slopes(top, middle, bottom)
        depth = np.stack([top, middle, bottom])[:, :, 2]
        self.low, self.high = depth.min(axis=0), depth.max(axis=0)
        self.step = across[self.triangle]
        corner = top[self.triangle]
        right_of, below = column[is_covered] + 0.5 - corner[:, 0], row[is_covered] + 0.5 - corner[:, 1]
        self.depth = corner[:, 2] + self.step * right_of + down[self.triangle] * below

    def draw(self, part: slice, nearest: NDArray[np.uint64]) -> None:
        """Keep, at each sample of these spans, the nearest triangle: depth and index packed into one number."""
        length = self.length[part]
        span = np.repeat(np.arange(len(length)), length)
        along = np.arange(len(span)) - np.repeat(np.cumsum(length) - length, length)
        triangle = self.triangle[part][span]
        depth = self.depth[part][span] + along * self.step[part][span]
        depth = np.clip(depth, self.low[triangle], self.high[triangle])  # a sliver's slope may be anything
        bits = np.clip(depth, 0, 1).astype(np.float32).view(np.uint32).astype(np.uint64)
        packed = (bits << np.uint64(32)) | (triangle.astype(np.uint64) + self._first)
        np.minimum.at(nearest, self.first_sample[part][span] + along, packed)


def _span_ends(
    centre: NDArray[np.float64], top: NDArray[np.float64], middle: NDArray[np.float64], bottom: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Where the horizontal through `centre` enters and leaves each triangle."""
    long = _edge_column(centre, top, bottom)
    short = np.where(centre < middle[:, 1], _edge_column(centre, top, middle), _edge_column(centre, middle, bottom))
    return np.minimum(long, short), np.maximum(long, short)


def _edge_column(
    centre: NDArray[np.float64], start: NDArray[np.float64], end: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Column where the line from `start` to `end` has the height `centre`."""
    drop = end[:, 1] - start[:, 1]
    share = (centre - start[:, 1]) / np.where(drop > 0, drop, 1)
    return start[:, 0] + share * (end[:, 0] - start[:, 0])


def _depth_slopes(
    top: NDArray[np.float64], middle: NDArray[np.float64], bottom: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Change of depth for one sample to the right and one down."""
    one, two = middle - top, bottom - top
    area = one[:, 0] * two[:, 1] - one[:, 1] * two[:, 0]
    safe = np.where(np.abs(area) > 1e-12, area, np.inf)
    across = (one[:, 2] * two[:, 1] - two[:, 2] * one[:, 1]) / safe
    down = (two[:, 2] * one[:, 0] - one[:, 2] * two[:, 0]) / safe
    return across, down


Floats = NDArray[np.float32]


class Interpolation:
    """Where each sample lies in the face that is visible there.

    Whatever is linear on the screen is a value at a corner and two slopes: worked out once a face, looked up once a
    sample.

    Parameters
    ----------
    index : (H, W) int32, face visible at each sample or `NO_FACE`.
    screen : (V, 2 or more) places of the vertices in samples.
    faces : (F, 3) int32.

    Attributes
    ----------
    faces : (n,) int64, the faces that are visible anywhere.
    face_of_sample : (N,) int64, index into `faces` for each sample; samples in row order.
    """

    def __init__(self, index: NDArray[np.int32], screen: NDArray[np.float64], faces: NDArray[np.int32]) -> None:
        row, column = np.nonzero(index != NO_FACE)
        visible = index[row, column]
        is_visible = np.zeros(len(faces), bool)
        is_visible[visible] = True
        self.faces = np.flatnonzero(is_visible)
        self.face_of_sample = (np.cumsum(is_visible) - 1)[visible]
        a, b, c = np.moveaxis(screen[faces[self.faces], :2], 1, 0)
        one, two = b - a, c - a
        area = one[:, 0] * two[:, 1] - one[:, 1] * two[:, 0]
        area = np.where(np.abs(area) > 1e-9, area, np.inf)  # a face visible edge on is as at its first corner
        second = np.stack([two[:, 1], -two[:, 0]], axis=1) / area[:, None]
        third = np.stack([-one[:, 1], one[:, 0]], axis=1) / area[:, None]
        self._slopes = np.stack([-second - third, second, third], axis=1)  # (n, 3, 2) of the three weights
        corner = a.astype(np.float32)[self.face_of_sample]
        self._right = (column + np.float32(0.5)).astype(np.float32) - corner[:, 0]
        self._down = (row + np.float32(0.5)).astype(np.float32) - corner[:, 1]

    def at_samples(self, values: NDArray[np.float64]) -> Floats:
        """Values (n, 3, K) at the corners of the visible faces, values_at_samples them (N, K); linear on the screen."""
        return self.with_changes(values)[0]

    def with_changes(self, values: NDArray[np.float64]) -> tuple[Floats, Floats, Floats]:
        """The same, and how much each value (N, K) changes from a sample to the next on the right and below."""
        slopes = np.einsum("nkd,nkc->dnc", self._slopes, values)
        start, right, down = (part.astype(np.float32) for part in (values[:, 0], *slopes))
        values_at_samples, right, down = (
            start[self.face_of_sample],
            right[self.face_of_sample],
            down[self.face_of_sample],
        )
        values_at_samples += right * self._right[:, None]
        values_at_samples += down * self._down[:, None]
        return values_at_samples, right, down

    def altitudes(self) -> Floats:
        """(n, 3) samples values_at_samples each corner of the visible faces and the side opposite to it."""
        return (1 / np.maximum(np.linalg.norm(self._slopes, axis=2), 1e-9)).astype(np.float32)
