"""Screen-space ambient occlusion and outlines from depth."""

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.render.scene.lighting import (
    CAVITY_DARKENING,
    CAVITY_SLOPE,
    OCCLUSION_RINGS,
    OUTLINE_DARKENING,
    RIDGE_LIGHTENING,
)

FAR_DEPTH = 2.0
"""Depth of the background; depths of a mesh are at most 1."""

RING_DIRECTIONS = ((1.0, 0.0), (0.7071, 0.7071), (0.0, 1.0), (-0.7071, 0.7071))
"""Directions of the pairs of opposite neighbours; the mean depth of a pair is that of the pixel on a slanted plane."""


def ring_offsets(radius: float, size: int) -> list[tuple[int, int]]:
    """Offsets (right, down) in pixels of the neighbours on a ring; `radius` is relative to the image's smaller side."""
    pixels = max(1.0, radius * size)
    return [(round(pixels * right), round(pixels * down)) for right, down in RING_DIRECTIONS]


def occlusion_radius(size: int) -> int:
    """Largest offset in pixels of any neighbour."""
    return max(
        1, *(abs(value) for radius, _ in OCCLUSION_RINGS for offset in ring_offsets(radius, size) for value in offset)
    )


def cavity_depth(radius: float, size: int, scale: float) -> float:
    """Difference of depth that counts as a full cavity on a ring: its radius in units of depth times `CAVITY_SLOPE`.

    Parameters
    ----------
    scale : radius of the mesh's sphere in the image, in half sides (`FittedView.enlargement`).
    """
    return CAVITY_SLOPE * max(1.0 / size, radius) / max(scale, 1e-6)


def ambient_occlusion(depth: NDArray[np.float32], scale: float) -> NDArray[np.float32]:
    """Factor (H, W) for the light of each pixel; 1 is neutral.

    Parameters
    ----------
    depth : (H, W) float32, 0 nearest to 1 farthest within the mesh's sphere, `FAR_DEPTH` for the background.
    scale : see `cavity_depth`.
    """
    height, width = depth.shape
    size = min(height, width)
    is_covered = depth < FAR_DEPTH
    curvatures = np.zeros(depth.shape, np.float32)
    outline = np.zeros(depth.shape, np.float32)
    margin = occlusion_radius(size)
    # The border counts as background, as the padded framebuffer of the OpenGL renderer does.
    padded = np.pad(depth, margin, constant_values=np.float32(FAR_DEPTH))
    for ring, (radius, weight) in enumerate(OCCLUSION_RINGS):
        inverse_depth = np.float32(1.0 / cavity_depth(radius, size, scale))
        for right, down in ring_offsets(radius, size):
            first = padded[margin + down : margin + down + height, margin + right : margin + right + width]
            second = padded[margin - down : margin - down + height, margin - right : margin - right + width]
            both_covered = (first < FAR_DEPTH) & (second < FAR_DEPTH)
            # Mean of two opposite neighbours minus the pixel: 0 on any plane, however slanted, negative in a cavity.
            curvature = np.clip(((first + second) / 2 - depth) * inverse_depth, -1, 1)
            # Pairs with the background would make every outline a ridge; they count for the outline below.
            curvatures += np.where(both_covered, curvature * np.float32(weight / len(RING_DIRECTIONS)), 0)
            if ring == 0:
                outline += ((first >= FAR_DEPTH) | (second >= FAR_DEPTH)).astype(np.float32) / len(RING_DIRECTIONS)
    factor = (
        1
        + np.where(curvatures < 0, CAVITY_DARKENING * curvatures, RIDGE_LIGHTENING * curvatures)
        - OUTLINE_DARKENING * np.minimum(outline * 2, 1)
    )
    return np.where(is_covered, factor, 1).astype(np.float32)
