"""Lights, base colour, ambient occlusion and outlines, shared by both renderers."""

import numpy as np
from numpy.typing import NDArray

#: Linear albedo of a mesh without colours: clay, light enough on a dark card and warm enough on a white one.
BASE_COLOUR = (0.755, 0.665, 0.565)

#: Key light: direction in eye coordinates, linear colour, and wrap (how far light reaches beyond 90 degrees).
KEY_LIGHT = ((-0.56, 0.60, 0.57), (0.97, 0.94, 0.895), 0.12)

#: Fill light from the right, cooler, so that two sides of a box never look alike.
FILL_LIGHT = ((0.86, 0.06, 0.50), (0.085, 0.094, 0.112), 0.35)

#: Ambient light on surfaces that face up in the image.
SKY = (0.160, 0.168, 0.182)

#: Ambient light on surfaces that face down; not black, so that undersides stay visible on a dark card.
GROUND = (0.082, 0.075, 0.068)

#: Share of light lost on surfaces perpendicular to the image plane; makes round shapes look round.
RIM = 0.22

#: Rings of neighbours: radius relative to the smaller side of the image, and weight.
OCCLUSION_RINGS = ((0.010, 0.55), (0.034, 0.45))

#: Share of light lost in the deepest cavity or directly behind a nearer edge.
CAVITY_DARKENING = 0.34

#: Share of light gained on the sharpest ridge.
RIDGE_LIGHTENING = 0.10

#: Share of light lost on the outline, so that it is visible on a card of similar lightness.
OUTLINE_DARKENING = 0.22

#: Change of depth over the radius of a ring that counts as a full cavity; a symmetric right angle has 0.5.
CAVITY_SLOPE = 0.55

#: sRGB of the wireframe: dark, visible on clay and on most colours.
WIRE = (0.13, 0.15, 0.20)

#: Half of the line width in pixels.
WIRE_WIDTH = 0.55

#: Opacity of a wire; lower for small faces, so that dense meshes do not turn black.
WIRE_OPACITY = 0.72

#: Altitude of a face in pixels from which its wires have full opacity.
WIRE_FULL_WIDTH = 7.0


def wire_opacity(distances: NDArray[np.float64], altitudes: NDArray[np.float64]) -> NDArray[np.float32]:
    """Opacity (N,) of the wireframe at samples, 0 to 1.

    Parameters
    ----------
    distances : (N, 3) pixels to the sides of the visible face.
    altitudes : (N, 3) altitudes of the face in pixels.
    """
    line = np.clip(WIRE_WIDTH + 0.5 - distances.min(axis=1), 0, 1)
    size_factor = np.clip(altitudes.min(axis=1) / WIRE_FULL_WIDTH, 0.15, 1)
    return (WIRE_OPACITY * line * size_factor).astype(np.float32)


def orientation_colours(normals: NDArray[np.float32], rotation: NDArray[np.float64]) -> NDArray[np.float32]:
    """Colours (N, 3), sRGB, of the directions of unit normals along the mesh's axes: red x, green y, blue z.

    Parameters
    ----------
    normals : (N, 3) in eye coordinates.
    rotation : (3, 3) from mesh axes to eye coordinates.
    """
    # normals @ R is R^-1 applied to each: back to mesh axes. 0.45 instead of 0.5 avoids black and white.
    return ((normals @ rotation.astype(np.float32)) * np.float32(0.45) + np.float32(0.5)).astype(np.float32)


def shade(normals: NDArray[np.float32]) -> NDArray[np.float32]:
    """Linear light that surfaces receive, by their normals.

    Parameters
    ----------
    normals : (N, 3) unit, in eye coordinates, facing the eye (z >= 0, or slightly less because of the perspective).

    Returns
    -------
    (N, 3) float32, >= 0, a factor for the albedo; at most about 1.2.
    """
    light = np.zeros((len(normals), 3), np.float32)
    for direction, colour, wrap in (KEY_LIGHT, FILL_LIGHT):
        to_light = np.asarray(direction, np.float32)
        to_light /= np.linalg.norm(to_light)
        # Wrapped diffuse light: the terminator moves beyond 90 degrees, so that few parts are lit by the ambient light
        # only.
        strength = np.clip((normals @ to_light + np.float32(wrap)) / np.float32(1 + wrap), 0, None)
        light += strength[:, None] * np.asarray(colour, np.float32)
    upwards = (normals[:, 1:2] + 1) / 2
    light += upwards * np.asarray(SKY, np.float32) + (1 - upwards) * np.asarray(GROUND, np.float32)
    facing_away = 1 - np.clip(normals[:, 2:3], 0, 1)
    # Squared, so that only surfaces near the outline darken.
    return light * (1 - np.float32(RIM) * facing_away * facing_away)


def linear_to_srgb(linear: NDArray[np.float32]) -> NDArray[np.float32]:
    """Convert linear light to sRGB values in [0, 1]; IEC 61966-2-1."""
    clipped = np.clip(linear, 0, 1)
    return np.where(clipped <= 0.0031308, 12.92 * clipped, 1.055 * clipped ** (1 / 2.4) - 0.055).astype(np.float32)


def srgb_to_linear(colours: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Convert sRGB bytes (N, 3 or 4) to linear light (N, 3)."""
    value = colours[:, :3].astype(np.float32) / 255
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4).astype(np.float32)


#: Depth of the background; depths of a mesh are at most 1.
FAR_DEPTH = 2.0

#: Directions of the pairs of opposite neighbours; the mean depth of a pair is that of the pixel on a slanted plane.
RING_DIRECTIONS = ((1.0, 0.0), (0.7071, 0.7071), (0.0, 1.0), (-0.7071, 0.7071))


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
