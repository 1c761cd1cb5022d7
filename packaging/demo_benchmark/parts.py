"""Primitive solids of the demo models: boxes, solids of revolution, swept tubes, ellipsoids, wings, plates."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from demo_benchmark.outline import Points, PointsLike, aerofoil, circle, curve, rectangle, superellipse, triangulated
from demo_benchmark.solid import Solid, outward

POINT = 1e-9
"""Rings narrower than this collapse to a point; models are about 1 wide during construction."""

ROUND_END_STEPS = 2
"""Rings of a rounded tube end; enough to look round at the sizes used."""


def loft(rings: ArrayLike) -> Solid:
    """Loft over sections, (m, n, 3), both ends closed by a triangle fan. A ring that is one point becomes a tip."""
    sections = np.asarray(rings, float)
    tips = sections[0].mean(axis=0), sections[-1].mean(axis=0)
    sections = sections[int(np.ptp(sections[0], axis=0).max() < POINT) :]
    sections = sections[: len(sections) - int(np.ptp(sections[-1], axis=0).max() < POINT)]
    count, n, _ = sections.shape
    first, last = count * n, count * n + 1
    walls = _walls(count, n, wraps=False)
    here = np.arange(n)
    after = (here + 1) % n
    top = (count - 1) * n
    start = np.column_stack([np.full(n, first), after, here])
    end = np.column_stack([np.full(n, last), top + here, top + after])
    faces = np.vstack([walls, start, end]).astype(np.int32)
    return outward(np.vstack([sections.reshape(-1, 3), *tips]), faces)


def loop(rings: ArrayLike) -> Solid:
    """Loft over sections, (m, n, 3), whose last one joins the first: a torus."""
    sections = np.asarray(rings, float)
    count, n, _ = sections.shape
    return outward(sections.reshape(-1, 3), _walls(count, n, wraps=True).astype(np.int32))


def _walls(count: int, n: int, wraps: bool) -> NDArray[np.int64]:
    ring, place = np.meshgrid(np.arange(count if wraps else count - 1), np.arange(n), indexing="ij")
    a = (ring * n + place).ravel()
    b = (ring * n + (place + 1) % n).ravel()
    c = ((ring + 1) % count * n + (place + 1) % n).ravel()
    d = ((ring + 1) % count * n + place).ravel()
    return np.vstack([np.column_stack([a, b, c]), np.column_stack([a, c, d])])


def lathe(profile: PointsLike, sides: int = 24, lobes: int = 0, depth: float = 0.0) -> Solid:
    """Solid of revolution about the y axis.

    Parameters
    ----------
    profile : (k, 2), radius and height, from one end of the axis to the other; for a hollow vessel up the outside and
        down the inside.
    lobes, depth : the radius varies `lobes` times around the axis, by the share `depth`.
    """
    line = np.asarray(profile, float)
    around = circle(sides)
    swell = 1 + depth * np.cos(lobes * 2 * np.pi * np.arange(sides) / sides)
    rings = np.empty((len(line), sides, 3))
    rings[:, :, 0] = line[:, :1] * around[:, 0] * swell
    rings[:, :, 1] = line[:, 1:]
    rings[:, :, 2] = line[:, :1] * around[:, 1] * swell
    return loft(rings)


def ring(radius: float, thickness: float, sides: int = 24, section: int = 8, height: float | None = None) -> Solid:
    """A torus in the ground plane about the origin; `thickness` and `height` are half axes of its section."""
    line = circle(section, 180.0 / section) * [thickness, thickness if height is None else height] + [radius, 0]
    around = circle(sides)
    rings = np.empty((sides, section, 3))
    rings[:, :, 0] = around[:, :1] * line[:, 0]
    rings[:, :, 1] = line[:, 1]
    rings[:, :, 2] = around[:, 1:] * line[:, 0]
    return loop(rings)


def ellipsoid(x: float, y: float | None = None, z: float | None = None, sides: int = 16, steps: int = 8) -> Solid:
    """Ellipsoid about the origin with these half axes; a single number gives a sphere."""
    angles = np.pi * np.arange(steps + 1) / steps
    line = np.column_stack([np.sin(angles), -np.cos(angles)])
    line[[0, -1], 0] = 0
    return lathe(line, sides).scaled(x, x if y is None else y, x if z is None else z)


def cylinder(radius: float, height: float, sides: int = 16, top: float | None = None) -> Solid:
    """Upright cylinder or frustum on the ground."""
    return lathe([[radius, 0], [radius if top is None else top, height]], sides)


def box(width: float, height: float, depth: float, bevel: float = 0.0, top: tuple[float, float] = (1.0, 1.0)) -> Solid:
    """Upright box on the ground, centred over the origin.

    Parameters
    ----------
    bevel : width of the chamfer of every edge.
    top : share of width and depth that is left at the upper end.
    """
    levels = [(0.0, bevel), (bevel, 0.0), (height - bevel, 0.0), (height, bevel)] if bevel else [(0, 0), (height, 0)]
    rings = []
    for level, inset in levels:
        share = level / height
        wide = width * (1 + (top[0] - 1) * share) - 2 * inset
        deep = depth * (1 + (top[1] - 1) * share) - 2 * inset
        flat = rectangle(wide, deep, bevel * 0.8)
        rings.append(np.column_stack([flat[:, 0], np.full(len(flat), level), flat[:, 1]]))
    return loft(rings)


def tube(
    path: PointsLike,
    radii: ArrayLike,
    sides: int = 10,
    ends: Literal["flat", "round"] = "flat",
    section: Points | None = None,
    side: Sequence[float] | None = None,
) -> Solid:
    """A section swept along a path, without twist.

    Parameters
    ----------
    path : (k, 3).
    radii : one number or (k,): the section grows and shrinks along the path.
    section : (n, 2) outline of half width 1; a circle with `sides` corners where left out.
    side : the direction in which the section's first axis points at the start.
    """
    line = np.asarray(path, float)
    sizes = np.broadcast_to(np.asarray(radii, float), len(line)).copy()
    outline = circle(sides) if section is None else section
    tangents = np.gradient(line, axis=0)
    tangents /= np.linalg.norm(tangents, axis=1, keepdims=True)
    firsts = _carried(tangents, side)
    if ends == "round":
        line, sizes, tangents, firsts = _rounded(line, sizes, tangents, firsts)
    seconds = np.cross(tangents, firsts)
    spread = outline[:, :1] * firsts[:, None, :] + outline[:, 1:] * seconds[:, None, :]
    return loft(line[:, None, :] + sizes[:, None, None] * spread)


def _carried(tangents: Points, side: Sequence[float] | None) -> Points:
    """Rotation-minimising normals along the path."""
    across = np.eye(3)[np.argmin(np.abs(np.round(tangents[0], 6)))] if side is None else np.asarray(side, float)
    firsts = np.empty_like(tangents)
    for place, tangent in enumerate(tangents):
        across = across - np.dot(across, tangent) * tangent
        across = across / np.linalg.norm(across)
        firsts[place] = across
    return firsts


def _rounded(line: Points, sizes: Points, tangents: Points, firsts: Points) -> tuple[Points, Points, Points, Points]:
    angles = np.radians(90 * np.arange(1, ROUND_END_STEPS + 1) / ROUND_END_STEPS)
    reach, shrink = np.sin(angles), np.cos(angles)
    shrink[-1] = 0
    begin = line[0] - sizes[0] * reach[::-1, None] * tangents[0]
    finish = line[-1] + sizes[-1] * reach[:, None] * tangents[-1]
    repeats = np.concatenate(
        [np.zeros(ROUND_END_STEPS, int), np.arange(len(line)), np.full(ROUND_END_STEPS, len(line) - 1)]
    )
    return (
        np.vstack([begin, line, finish]),
        np.concatenate([sizes[0] * shrink[::-1], sizes, sizes[-1] * shrink]),
        tangents[repeats],
        firsts[repeats],
    )


def plate(outline: PointsLike, thickness: float, bevel: float = 0.0) -> Solid:
    """Extruded outline in the x-y plane, centred on z = 0.

    Parameters
    ----------
    outline : (n, 2), a simple polygon; may be concave.
    bevel : how much the two faces are smaller than the middle, as a share of the outline about its centre.
    """
    flat = np.asarray(outline, float)
    n = len(flat)
    inner = flat.mean(axis=0) + (flat - flat.mean(axis=0)) * (1 - bevel)
    layers = [
        (inner, -0.5),
        (flat, -0.5 + 0.9 * min(bevel * 5, 0.3)),
        (flat, 0.5 - 0.9 * min(bevel * 5, 0.3)),
        (inner, 0.5),
    ]
    used = layers if bevel else [layers[0], layers[-1]]
    vertices = np.vstack([np.column_stack([face, np.full(n, depth * thickness)]) for face, depth in used])
    cap = triangulated(flat)
    faces = np.vstack([_walls(len(used), n, wraps=False), cap[:, ::-1], cap + (len(used) - 1) * n])
    return outward(vertices, faces.astype(np.int32))


def wing(
    span: float,
    root: float,
    tip: float,
    sweep: float = 0.0,
    rise: float = 0.0,
    thickness: float = 0.12,
    round_tip: bool = False,
) -> Solid:
    """One wing from the origin towards +x; the nose of its root lies at z = 0, its tail behind at -z.

    Parameters
    ----------
    span : length.
    root, tip : chord at either end.
    sweep : how far the tip's nose lies behind the root's.
    rise : how far the tip lies above the root.
    thickness : relative to the chord.
    round_tip : rounded end of the outline.
    """
    section = aerofoil(thickness)
    bow = (
        ((0.0, 1.0), (0.84, 1.0), (0.93, 0.88), (0.98, 0.66), (1.0, 0.35))
        if round_tip
        else ((0.0, 1.0), (1.0, 1.0), (1.02, 0.6))
    )
    rings = []
    for share, fullness in bow:
        chord = root + (tip - root) * min(share, 1.0)
        size = chord * fullness
        nose = sweep * share + (chord - size) * 0.5
        flat = section * size
        rings.append(np.column_stack([np.full(len(flat), span * share), rise * share + flat[:, 1], -nose - flat[:, 0]]))
    return loft(rings)


def hull(stations: PointsLike, sides: int = 16, steps: int = 3, power: float = 2.0) -> Solid:
    """A smooth solid along z through upright sections, for example a fuselage.

    Parameters
    ----------
    stations : (k, 4), each z, y of the middle, half width, half height. Half sizes of 0 make a tip.
    power : 2 for elliptical sections, more for boxy ones.
    """
    line = curve(np.asarray(stations, float), steps)
    line[:, 2:] = np.maximum(line[:, 2:], 0)
    section = superellipse(sides, power)
    rings = np.empty((len(line), sides, 3))
    rings[:, :, 0] = line[:, 2:3] * section[:, 0]
    rings[:, :, 1] = line[:, 1:2] + line[:, 3:4] * section[:, 1]
    rings[:, :, 2] = line[:, :1]
    return loft(rings)


def rod(
    start: Sequence[float] | Points,
    end: Sequence[float] | Points,
    radius: float,
    tip: float | None = None,
    sides: int = 8,
) -> Solid:
    """A cylinder between two points, with radius `tip` at the end if given."""
    return tube([start, end], [radius, radius if tip is None else tip], sides)
