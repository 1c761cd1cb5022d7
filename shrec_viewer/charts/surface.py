"""Surface of precision over recall and generality, and its orthographic projection."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shrec_viewer.charts.notes import Notes

Floats = NDArray[np.float64]

#: Azimuth and elevation in degrees: recall to the right, generality to the back, precision up.
DEFAULT_ANGLES = (-38.0, 24.0)


@dataclass(frozen=True, eq=False)
class SurfaceLine:
    """A line on or beside the surface, or with `filled` the border of a plane.

    Attributes
    ----------
    label : name in the legend.
    recall, doublings, precision : (K,) float64; NaN in gaps.
    token : colour, a field of `Theme` and a key of `TOKENS`.
    dash : ``"solid"``, ``"dash"`` or ``"dot"``.
    width : relative to the thinnest line.
    filled : whether it is the border of a translucent plane.
    """

    label: str
    recall: Floats
    doublings: Floats
    precision: Floats
    token: str = "ink"
    dash: str = "solid"
    width: float = 1.0
    filled: bool = False


@dataclass(frozen=True, eq=False)
class Surface(Notes):
    """A surface of precision over recall and generality.

    Attributes
    ----------
    title : in the metadata of the file only.
    doublings : (X,) float64, -log2 of the generality, ascending.
    recall, precision : (X, A) float64 in [0, 1]; NaN outside of the surface. Columns have one relevant scope each.
    lines : named lines and planes.
    azimuth, elevation : direction of view in degrees.
    """

    title: str
    doublings: Floats
    recall: Floats
    precision: Floats
    lines: tuple[SurfaceLine, ...] = ()
    azimuth: float = DEFAULT_ANGLES[0]
    elevation: float = DEFAULT_ANGLES[1]

    def back(self, doublings: ArrayLike) -> Floats:
        """Position of -log2 g in the unit box, from the front to the back."""
        last = float(self.doublings[-1]) if len(self.doublings) else 0.0
        return np.asarray(doublings, np.float64) / (last or 1.0)

    def faces(self, angles: tuple[float, float]) -> tuple[Floats, Floats, Floats]:
        """Quadrilaterals between adjacent points, the farthest first: right and up (n, 4), and mean precision (n,)."""
        back = np.broadcast_to(self.back(self.doublings)[:, None], self.recall.shape)

        def corners(values: Floats) -> Floats:
            parts = [values[:-1, :-1], values[:-1, 1:], values[1:, 1:], values[1:, :-1]]
            return np.stack(parts, axis=-1).reshape(-1, 4)

        right, up, depth = (corners(values) for values in project(self.recall, back, self.precision, angles))
        drawn = np.flatnonzero(np.isfinite(right).all(axis=1))
        order = drawn[np.argsort(-depth[drawn].mean(axis=1), kind="stable")]
        return right[order], up[order], corners(self.precision)[order].mean(axis=1)


def project(x: ArrayLike, y: ArrayLike, z: ArrayLike, angles: tuple[float, float]) -> tuple[Floats, Floats, Floats]:
    """Right, up and distance from the viewer of points of the unit box: recall, generality to the back, precision up.

    The box is at most 1.42 wide and 1.42 high when rotated; its centre is 0.
    """
    azimuth, elevation = map(math.radians, angles)
    across, back, height = (np.asarray(values, np.float64) - 0.5 for values in (x, y, z))
    right = across * math.cos(azimuth) - back * math.sin(azimuth)
    away = across * math.sin(azimuth) + back * math.cos(azimuth)
    up = height * math.cos(elevation) + away * math.sin(elevation)
    return right, up, away * math.cos(elevation) - height * math.sin(elevation)


def vertical_edge(angles: tuple[float, float]) -> tuple[float, float]:
    """X and y of the leftmost vertical edge of the box."""
    corners = [(x, y) for x in (0.0, 1.0) for y in (0.0, 1.0)]
    return min(corners, key=lambda corner: float(project(corner[0], corner[1], 0.0, angles)[0]))


def front_edges(angles: tuple[float, float]) -> tuple[float, float]:
    """X of the lower edge in front that has the ticks of the generality, and y of the one with those of recall."""
    azimuth = math.radians(angles[0])
    return 0.0 if math.sin(azimuth) >= 0 else 1.0, 0.0 if math.cos(azimuth) >= 0 else 1.0
