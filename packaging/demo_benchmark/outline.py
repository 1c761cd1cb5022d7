"""Curves and planar outlines of the parts."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]

PointsLike = Points | Sequence[Sequence[float] | Points]
"""Values accepted as points: nested tuples or arrays."""


def curve(points: PointsLike, steps: int = 4) -> Points:
    """Smooth curve through all points (Catmull-Rom), with `steps` pieces between two of them.

    Parameters
    ----------
    points : (k, d), any number of coordinates; k >= 2.

    Returns
    -------
    ((k - 1) * steps + 1, d) float64, the first and last point included.
    """
    knots = np.asarray(points, float)
    knots = np.vstack([2 * knots[0] - knots[1], knots, 2 * knots[-1] - knots[-2]])
    t = np.arange(steps)[:, None] / steps
    pieces = [_piece(knots[k : k + 4], t) for k in range(len(knots) - 3)]
    return np.vstack([*pieces, knots[-2:-1]])


def _piece(knots: Points, t: Points) -> Points:
    before, start, end, after = knots
    return 0.5 * (
        2 * start
        + (end - before) * t
        + (2 * before - 5 * start + 4 * end - after) * t**2
        + (3 * start - before - 3 * end + after) * t**3
    )


def circle(sides: int, first: float = 0.0) -> Points:
    """(sides, 2) points of the unit circle, counter-clockwise, the first at `first` degrees."""
    angles = np.radians(first) + 2 * np.pi * np.arange(sides) / sides
    return np.column_stack([np.cos(angles), np.sin(angles)])


def superellipse(sides: int, power: float) -> Points:
    """(sides, 2) points between a circle (power 2) and a square (large power), half width 1."""
    points = circle(sides, 180.0 / sides)
    return points / (np.abs(points) ** power).sum(axis=1, keepdims=True) ** (1 / power)


def rectangle(width: float, depth: float, corner: float = 0.0, steps: int = 1) -> Points:
    """Rectangle about the origin, its corners cut (steps 1) or rounded; `corner` is the radius."""
    half = np.array([width / 2, depth / 2])
    if corner <= 0:
        return np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]]) * half
    arc = np.radians(90 * np.arange(steps + 1) / steps)
    quarters = []
    for turn, sign in enumerate(np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]])):
        angles = arc + turn * np.pi / 2
        quarters.append(sign * (half - corner) + corner * np.column_stack([np.cos(angles), np.sin(angles)]))
    return np.vstack(quarters)


def aerofoil(thickness: float, steps: int = 5) -> Points:
    """Symmetric section, chord 1 from 0 (nose) to 1 (tail), (2 * steps, 2); thickness relative to the chord."""
    along = (1 - np.cos(np.pi * np.arange(steps + 1) / steps)) / 2
    height = thickness / 2 * 2.6 * (np.sqrt(along) - along) + 0.02 * along * (1 - along)
    upper = np.column_stack([along, height])
    return np.vstack([upper, upper[-2:0:-1] * [1, -1]])


def triangulated(outline: Points) -> NDArray[np.int32]:
    """Triangles of a simple polygon by ear clipping, (n - 2, 3) int32, oriented as the outline.

    Raises
    ------
    ValueError
        When the outline crosses itself.
    """
    rest = list(range(len(outline)))
    turn = 1.0 if _area(outline) > 0 else -1.0
    triangles = []
    while len(rest) > 3:
        place = _find_ear(outline, rest, turn)
        triangles.append((rest[place - 1], rest[place], rest[(place + 1) % len(rest)]))
        del rest[place]
    found = np.array([*triangles, tuple(rest)], np.int32)
    if not np.isclose(sum(abs(_cross(*outline[list(corners)])) for corners in found) / 2, abs(_area(outline))):
        raise ValueError("an outline crosses itself")
    return found


def _area(outline: Points) -> float:
    x, y = outline.T
    return float(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) / 2


def _find_ear(outline: Points, rest: Sequence[int], turn: float) -> int:
    for place in range(len(rest)):
        corners = (rest[place - 1], rest[place], rest[(place + 1) % len(rest)])
        others = [point for point in rest if point not in corners]
        if turn * _cross(*outline[list(corners)]) > 0 and not _any_inside(outline, corners, others, turn):
            return place
    raise ValueError("an outline crosses itself")


def _cross(a: Points, b: Points, c: Points) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def _any_inside(outline: Points, corners: tuple[int, int, int], others: Sequence[int], turn: float) -> bool:
    a, b, c = outline[list(corners)]
    return any(all(turn * _cross(p, q, outline[other]) >= 0 for p, q in ((a, b), (b, c), (c, a))) for other in others)


def joined(*parts: PointsLike) -> Points:
    """Concatenated pieces of one line, (n, d)."""
    return np.vstack([np.asarray(part, float) for part in parts])
