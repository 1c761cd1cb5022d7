"""Closed bodies and how they are moved, turned, scaled and put together."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

AXES = ("x", "y", "z")


@dataclass(frozen=True, eq=False)
class Solid:
    """A body whose surface is closed and looks outward; bodies put together may run into each other.

    Attributes
    ----------
    vertices : (V, 3) float64, y up, the front towards +z. Any unit; `normalised` decides in the end.
    faces : (F, 3) int32, counter-clockwise as seen from outside.
    """

    vertices: NDArray[np.float64]
    faces: NDArray[np.int32]

    def moved(self, x: float = 0, y: float = 0, z: float = 0) -> "Solid":
        """The same body elsewhere."""
        return Solid(self.vertices + np.array([x, y, z], float), self.faces)

    def scaled(self, x: float, y: float | None = None, z: float | None = None) -> "Solid":
        """Stretched about the origin; one factor stands for all three axes. Negative factors mirror."""
        factors = np.array([x, x if y is None else y, x if z is None else z], float)
        turned_inside_out = np.prod(factors) < 0
        return Solid(self.vertices * factors, self.faces[:, ::-1] if turned_inside_out else self.faces)

    def turned(self, axis: str, degrees: float) -> "Solid":
        """Turned about an axis through the origin, counter-clockwise when the axis points at the eye."""
        first, second = ((1, 2), (2, 0), (0, 1))[AXES.index(axis)]
        cosine, sine = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
        moved = self.vertices.copy()
        moved[:, first] = cosine * self.vertices[:, first] - sine * self.vertices[:, second]
        moved[:, second] = sine * self.vertices[:, first] + cosine * self.vertices[:, second]
        return Solid(moved, self.faces)

    def mirrored(self) -> "Solid":
        """Left and right exchanged."""
        return self.scaled(-1, 1, 1)

    @property
    def volume(self) -> float:
        """Signed volume: above 0 where a closed surface looks outward (overlaps count twice)."""
        a, b, c = (self.vertices[self.faces[:, corner]] for corner in range(3))
        return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)


def join(*bodies: Solid) -> Solid:
    """Bodies put together without cutting them: each keeps its own closed surface."""
    starts = np.cumsum([0] + [len(body.vertices) for body in bodies])
    return Solid(
        np.concatenate([body.vertices for body in bodies]),
        np.concatenate([body.faces + np.int32(start) for body, start in zip(bodies, starts, strict=False)]),
    )


def pair(body: Solid) -> Solid:
    """The body and its mirror image: left and right wing, two ears."""
    return join(body, body.mirrored())


def around(body: Solid, count: int, first: float = 0.0) -> Solid:
    """Copies of the body spread evenly around the y axis, the first one turned by `first` degrees."""
    return join(*(body.turned("y", first + 360.0 * place / count) for place in range(count)))


def outward(vertices: NDArray[np.float64], faces: NDArray[np.int32]) -> Solid:
    """One closed, connected surface, turned inside out where its volume would be negative."""
    body = Solid(vertices, faces)
    return body if body.volume > 0 else Solid(vertices, faces[:, ::-1])


EXTENT = 100.0
"""Longest side of every model in its file: two decimals then resolve a ten-thousandth, finer than a pixel."""

DECIMALS = 2


def normalised(body: Solid) -> Solid:
    """Centred, its longest side `EXTENT`, coordinates rounded to what the file will say; -0 becomes 0."""
    low, high = body.vertices.min(axis=0), body.vertices.max(axis=0)
    scaled = (body.vertices - (low + high) / 2) * (EXTENT / np.max(high - low))
    return Solid(np.round(scaled, DECIMALS) + 0.0, body.faces)
