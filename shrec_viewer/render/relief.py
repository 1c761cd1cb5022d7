"""Hollows darker, ridges lighter, outlines firm: worked out of the depth of a finished picture."""

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.render.look import HOLLOW, OUTLINE, RELIEF, RIDGE, SLOPE

FAR = 2.0
"""Depth of the ground; real depths are at most 1."""

DIRECTIONS = ((1.0, 0.0), (0.7071, 0.7071), (0.0, 1.0), (-0.7071, 0.7071))
"""Pairs of opposite neighbours are compared along these, so that slanted planes stay untouched."""


def offsets(radius: float, size: int) -> list[tuple[int, int]]:
    """Whole pixels (right, down) to the neighbours on a ring; `radius` is a share of the picture's smaller side."""
    pixels = max(1.0, radius * size)
    return [(round(pixels * right), round(pixels * down)) for right, down in DIRECTIONS]


def relief_reach(size: int) -> int:
    """Whole pixels from a pixel to the farthest neighbour that any ring asks for."""
    return max(1, *(abs(value) for radius, _ in RELIEF for pair in offsets(radius, size) for value in pair))


def slope_unit(radius: float, size: int, scale: float) -> float:
    """Depth that counts as a full hollow on a ring: the ring's radius in the units of depth, times SLOPE.

    Parameters
    ----------
    scale : half sides of the picture that one radius of the mesh's sphere covers (the enlargement of its camera).
    """
    return SLOPE * max(1.0 / size, radius) / max(scale, 1e-6)


def relief(depth: NDArray[np.float32], scale: float) -> NDArray[np.float32]:
    """Factor (H, W) for the light of each pixel; 1 leaves it as it is.

    Parameters
    ----------
    depth : (H, W) float32, 0 nearest to 1 farthest over the mesh's sphere, FAR where nothing is.
    scale : see `slope_unit`.
    """
    height, width = depth.shape
    size = min(height, width)
    seen = depth < FAR
    total = np.zeros(depth.shape, np.float32)
    border = np.zeros(depth.shape, np.float32)
    reach = relief_reach(size)
    padded = np.pad(depth, reach, constant_values=np.float32(FAR))
    for ring, (radius, weight) in enumerate(RELIEF):
        unit = np.float32(1.0 / slope_unit(radius, size, scale))
        for right, down in offsets(radius, size):
            one = padded[reach + down : reach + down + height, reach + right : reach + right + width]
            two = padded[reach - down : reach - down + height, reach - right : reach - right + width]
            both = (one < FAR) & (two < FAR)
            bend = np.clip(((one + two) / 2 - depth) * unit, -1, 1)
            total += np.where(both, bend * np.float32(weight / len(DIRECTIONS)), 0)
            if ring == 0:
                border += ((one >= FAR) | (two >= FAR)).astype(np.float32) / len(DIRECTIONS)
    factor = 1 + np.where(total < 0, HOLLOW * total, RIDGE * total) - OUTLINE * np.minimum(border * 2, 1)
    return np.where(seen, factor, 1).astype(np.float32)
