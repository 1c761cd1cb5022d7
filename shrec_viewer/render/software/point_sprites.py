"""Rasterise point clouds as spherical sprites."""

from math import ceil, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.render.software.raster import EMPTY_SAMPLE, NO_FACE, unpack_depth_index

_COVERAGE = 1.3
"""Area of all sprites together relative to the image, so that the random points of a scan close into a surface."""

_MAX_RADIUS, _MIN_RADIUS = 0.03, 0.75
"""Maximum radius relative to the side of the image, minimum in pixels."""

_FRAGMENT_BATCH = 2_000_000
"""Fragments processed at once."""


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
