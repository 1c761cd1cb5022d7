"""Rasterise triangles and point clouds with numpy, and interpolate over the visible faces."""

from math import ceil, pi, sqrt

import numpy as np
from numpy.typing import NDArray

#: Index where no triangle covers a sample.
NO_FACE = -1

#: Fragments processed at once; keeps the peak memory near 150 MB for any mesh.
_BATCH = 2_000_000

#: Faces processed at once, for the same reason.
_FACES = 500_000

#: Packed depth and index of an empty sample; farther than any triangle.
EMPTY_SAMPLE = np.uint64(0xFFFFFFFFFFFFFFFF)


def rasterise(
    points: NDArray[np.float64], faces: NDArray[np.int32], width: int, height: int
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Index of the triangle visible at the centre of each sample, and its depth.

    A sample belongs to a triangle when its centre is inside, on its upper or on its left edge, as in OpenGL; neighbours
    share no sample and leave no gap.

    Parameters
    ----------
    points : (V, 3) in samples from the upper left corner; depth in [0, 1], linear on the screen, 0 is nearest.
    faces : (F, 3) int32.
    width, height : in samples.

    Returns
    -------
    (height, width) int32 index of the nearest triangle or `NO_FACE`; (height, width) float32 depth, 1 if empty.
    """
    # Depth and index in one number, so that one minimum keeps the nearest triangle and its index together.
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
    """Unpack index and depth: the bits of a float32 depth in the upper half, the index in the lower."""
    visible = nearest != EMPTY_SAMPLE
    index = np.where(visible, (nearest & np.uint64(0xFFFFFFFF)).astype(np.int64), NO_FACE).astype(np.int32)
    depth = np.where(visible, (nearest >> np.uint64(32)).astype(np.uint32).view(np.float32), np.float32(1))
    return index, depth


class _TriangleSpans:
    """Runs of samples that triangles cover, one for each row of each triangle.

    Parameters
    ----------
    triangles : (T, 3, 3) corners on the screen.
    width, height : in samples.
    first : index of the first triangle.
    """

    def __init__(self, triangles: NDArray[np.float64], width: int, height: int, first: int = 0) -> None:
        self._first = np.uint64(first)
        order = np.argsort(triangles[:, :, 1], axis=1, kind="stable")
        top, middle, bottom = np.moveaxis(np.take_along_axis(triangles, order[:, :, None], axis=1), 1, 0)
        # The first row whose centre, at + 0.5, is on or below the corner.
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
        slope_right, slope_down = _depth_slopes(top, middle, bottom)
        depth = np.stack([top, middle, bottom])[:, :, 2]
        self.low, self.high = depth.min(axis=0), depth.max(axis=0)
        self.step = slope_right[self.triangle]
        corner = top[self.triangle]
        right_of, below = column[is_covered] + 0.5 - corner[:, 0], row[is_covered] + 0.5 - corner[:, 1]
        self.depth = corner[:, 2] + self.step * right_of + slope_down[self.triangle] * below

    def draw(self, part: slice, nearest: NDArray[np.uint64]) -> None:
        """Store the nearest triangle at each sample of these spans: depth and index packed into one number."""
        length = self.length[part]
        span = np.repeat(np.arange(len(length)), length)
        along = np.arange(len(span)) - np.repeat(np.cumsum(length) - length, length)
        triangle = self.triangle[part][span]
        depth = self.depth[part][span] + along * self.step[part][span]
        depth = np.clip(
            depth, self.low[triangle], self.high[triangle]
        )  # the slope of a very thin triangle may have any value
        # The bits of floats that are not negative, read as integers, have the order of the floats (IEEE 754).
        bits = np.clip(depth, 0, 1).astype(np.float32).view(np.uint32).astype(np.uint64)
        packed = (bits << np.uint64(32)) | (triangle.astype(np.uint64) + self._first)
        # minimum.at, because several triangles of a batch may cover one sample.
        np.minimum.at(nearest, self.first_sample[part][span] + along, packed)


def _span_ends(
    centre: NDArray[np.float64], top: NDArray[np.float64], middle: NDArray[np.float64], bottom: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Columns at which the horizontal line through `centre` enters and leaves each triangle."""
    long = _edge_column(centre, top, bottom)
    short = np.where(centre < middle[:, 1], _edge_column(centre, top, middle), _edge_column(centre, middle, bottom))
    return np.minimum(long, short), np.maximum(long, short)


def _edge_column(
    centre: NDArray[np.float64], start: NDArray[np.float64], end: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Column at which the line from `start` to `end` has the row `centre`."""
    drop = end[:, 1] - start[:, 1]
    # Horizontal edges have no row between their ends; any divisor will do.
    share = (centre - start[:, 1]) / np.where(drop > 0, drop, 1)
    return start[:, 0] + share * (end[:, 0] - start[:, 0])


def _depth_slopes(
    top: NDArray[np.float64], middle: NDArray[np.float64], bottom: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Change of depth per sample to the right and down."""
    one, two = middle - top, bottom - top
    area = one[:, 0] * two[:, 1] - one[:, 1] * two[:, 0]
    # Infinite for a triangle seen edge-on, so that both slopes are 0.
    safe = np.where(np.abs(area) > 1e-12, area, np.inf)
    right = (one[:, 2] * two[:, 1] - two[:, 2] * one[:, 1]) / safe
    down = (two[:, 2] * one[:, 0] - one[:, 2] * two[:, 0]) / safe
    return right, down


Floats = NDArray[np.float32]


class Interpolation:
    """Interpolates values at the corners of faces to the samples where the faces are visible.

    Values that are linear on the screen are a value at a corner and two slopes, computed once per face.

    Parameters
    ----------
    index : (H, W) int32, face visible at each sample or `NO_FACE`.
    screen : (V, 2 or more) positions of the vertices in samples.
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
        area = np.where(np.abs(area) > 1e-9, area, np.inf)  # a face seen edge-on has the value of its first corner
        second = np.stack([two[:, 1], -two[:, 0]], axis=1) / area[:, None]
        third = np.stack([-one[:, 1], one[:, 0]], axis=1) / area[:, None]
        self._slopes = np.stack([-second - third, second, third], axis=1)  # (n, 3, 2) of the three weights
        corner = a.astype(np.float32)[self.face_of_sample]
        self._right = (column + np.float32(0.5)).astype(np.float32) - corner[:, 0]
        self._down = (row + np.float32(0.5)).astype(np.float32) - corner[:, 1]

    def at_samples(self, values: NDArray[np.float64]) -> Floats:
        """Interpolate values (n, 3, K) at corners of the visible faces to samples (N, K), linearly on the screen."""
        return self.with_changes(values)[0]

    def with_changes(self, values: NDArray[np.float64]) -> tuple[Floats, Floats, Floats]:
        """As `at_samples`; also the change (N, K) of each value to the next sample on the right and below."""
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
        """Altitudes (n, 3) of the visible faces in samples."""
        return (1 / np.maximum(np.linalg.norm(self._slopes, axis=2), 1e-9)).astype(np.float32)


#: Area of all sprites together relative to the image, so that the random points of a scan close into a surface.
_COVERAGE = 1.3

#: Maximum radius relative to the side of the image, minimum in pixels.
_MAX_RADIUS, _MIN_RADIUS = 0.03, 0.75

#: Fragments processed at once.
_FRAGMENT_BATCH = 2_000_000


def sprite_radius(count: int, size: float) -> float:
    """Radius in pixels of the sprites of a cloud of `count` points.

    Parameters
    ----------
    size : smaller side of the image in pixels, times the camera's zoom.
    """
    return max(_MIN_RADIUS, min(_MAX_RADIUS * size, size * sqrt(_COVERAGE / (pi * max(count, 1)))))


def rasterise_sprites(
    screen: NDArray[np.float64], radius: float, width: int, height: int
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Index of the point visible at the centre of each sample, and the depth of its centre; see `rasterise`.

    A sprite whose centre is outside the image is not drawn, as in OpenGL.

    Parameters
    ----------
    screen : (V, 3) in samples from the upper left corner, depth in [0, 1].
    radius : of all sprites, in samples.
    """
    nearest = np.full(width * height, EMPTY_SAMPLE, np.uint64)
    reach = np.arange(-ceil(radius) - 1, ceil(radius) + 2)
    right, down = (grid.ravel() for grid in np.meshgrid(reach, reach))
    within = np.flatnonzero(((screen[:, :2] >= 0) & (screen[:, :2] <= (width, height))).all(axis=1))
    batch = max(1, _FRAGMENT_BATCH // len(right))
    for start in range(0, len(within), batch):
        points = within[start : start + batch]
        part = screen[points]
        column = np.floor(part[:, :1]).astype(np.int64) + right
        row = np.floor(part[:, 1:2]).astype(np.int64) + down
        inside = (column + 0.5 - part[:, :1]) ** 2 + (row + 0.5 - part[:, 1:2]) ** 2 < radius**2
        inside &= (column >= 0) & (column < width) & (row >= 0) & (row < height)
        row_of, _ = np.nonzero(inside)
        bits = np.clip(part[:, 2], 0, 1).astype(np.float32).view(np.uint32).astype(np.uint64)
        key = (bits[row_of] << np.uint64(32)) | points[row_of].astype(np.uint64)
        np.minimum.at(nearest, (row * width + column)[inside], key)
    index, depth = unpack_depth_index(nearest)
    return index.reshape(height, width), depth.reshape(height, width)


def sprite_normals(index: NDArray[np.int32], screen: NDArray[np.float64], radius: float) -> NDArray[np.float32]:
    """Unit normals (N, 3) in eye coordinates of the N samples covered by sprites, in row order."""
    row, column = np.nonzero(index != NO_FACE)
    centre = screen[index[row, column]]
    right = (column + 0.5 - centre[:, 0]) / radius
    up = -(row + 0.5 - centre[:, 1]) / radius
    towards = np.sqrt(np.clip(1 - right**2 - up**2, 0, 1))
    return np.stack([right, up, towards], axis=1).astype(np.float32)
