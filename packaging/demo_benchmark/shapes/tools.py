"""Hammers, screwdrivers and wrenches, standing on their handles or tips."""

import numpy as np

from demo_benchmark.draw import Draw
from demo_benchmark.outline import Points, circle, curve, joined, rectangle, superellipse
from demo_benchmark.parts import box, cylinder, ellipsoid, lathe, loft, loop, plate, tube
from demo_benchmark.solid import Solid, join


def hammer(draw: Draw) -> Solid:
    """A hammer: a handle and a heavy head across its upper end."""
    kind = draw.style(("claw", "sledge", "mallet", "ball", "cross", "gavel", "roofing"))
    length = draw.between(0.85, 1.0) * {"sledge": 1.25, "gavel": 0.75}.get(kind, 1.0)
    if kind == "gavel":
        grip = lathe(
            np.vstack(
                [
                    [[0, 0]],
                    curve([[0.02, 0.0], [0.045, 0.03], [0.028, 0.12], [0.035, 0.3], [0.022, 0.5], [0.03, length]], 4),
                    [[0, length]],
                ]
            ),
            14,
        )
    else:
        thick = draw.between(0.036, 0.044)
        widths = [1.1, 1.25, 1.0, 0.8, 0.75] if kind not in ("sledge", "mallet") else [0.95, 1, 1, 1, 1]
        path = np.column_stack([np.zeros(5), np.linspace(0, length, 5), np.zeros(5)])
        grip = tube(
            curve(path),
            curve([[thick * w] for w in widths])[:, 0],
            section=superellipse(12, 2.4) * [1.25, 0.85],
            side=(1, 0, 0),
        )
    return join(grip, _hammer_head(draw, kind).moved(y=length - 0.02))


def _hammer_head(draw: Draw, kind: str) -> Solid:
    if kind in ("mallet", "gavel"):
        r, half = (0.13, 0.24) if kind == "mallet" else (0.11, 0.17)
        bands = [
            [0, -1],
            [r * 0.93, -1],
            [r, -0.94],
            [r, -0.75],
            [r * 0.9, -0.72],
            [r * 0.9, 0.72],
            [r, 0.75],
            [r, 0.94],
            [r * 0.93, 1],
            [0, 1],
        ]
        if kind == "mallet":
            bands = [[0, -1], [r * 0.94, -1], [r, -0.9], [r, 0.9], [r * 0.94, 1], [0, 1]]
        return lathe(np.array(bands) * [1, half], 20).turned("z", 90)
    if kind == "sledge":
        return tube(
            [[-0.24, 0, 0], [-0.2, 0, 0], [0.2, 0, 0], [0.24, 0, 0]],
            [0.085, 0.105, 0.105, 0.085],
            section=rectangle(2, 2, 0.5),
        )
    eye = box(0.13, 0.12, 0.1, 0.02).moved(y=-0.06)
    neck = lathe(
        [
            [0, 0.03],
            [0.045, 0.03],
            [0.038, 0.12],
            [0.07, 0.16],
            [0.075, 0.17],
            [0.075, 0.225],
            [0.065, 0.235],
            [0, 0.235],
        ],
        16,
    ).turned("z", -90)
    return join(eye, neck, _peen(draw, kind))


def _peen(draw: Draw, kind: str) -> Solid:
    if kind == "ball":
        return join(
            ellipsoid(0.085, 0.08, 0.08, 14, 10).moved(x=-0.17),
            cylinder(0.042, 0.13, 12).turned("z", 90).moved(x=-0.02),
        )
    if kind in ("cross", "roofing"):
        tall, wide = (0.012, 0.05) if kind == "cross" else (0.1, 0.008)
        rings = [
            np.column_stack([np.full(4, x), rectangle(2, 2)[:, 0] * h + drop, rectangle(2, 2)[:, 1] * w])
            for x, h, w, drop in (
                (-0.03, 0.05, 0.045, 0),
                (-0.11, 0.045, 0.045, 0),
                (-0.27, tall, wide, -0.03 if kind == "cross" else -0.01),
            )
        ]
        return loft(rings)
    reach, drop = draw.between(0.24, 0.29), draw.between(0.08, 0.13)
    prongs = []
    for side in (1, -1):
        path = curve(
            [
                [-0.03, 0.005, side * 0.02],
                [-0.12, 0.02, side * 0.028],
                [-reach * 0.8, -0.015, side * 0.042],
                [-reach, -drop, side * 0.058],
            ],
            4,
        )
        sizes = curve([[1.0], [0.95], [0.7], [0.25]], 4)[:, 0]
        prongs.append(tube(path, sizes, section=rectangle(0.042, 0.075, 0.006), side=(0, 0, 1)))
    return join(*prongs)


def screwdriver(draw: Draw) -> Solid:
    """A screwdriver standing on its tip: fluted or smooth grip, round or square shaft, flat or crossed tip."""
    kind = draw.style(("classic", "stubby", "cabinet", "precision", "square", "ball", "long"))
    radius = draw.between(0.095, 0.11) * {"stubby": 1.15, "precision": 0.62}.get(kind, 1.0)
    shaft = draw.between(0.5, 0.66) * {"stubby": 0.55, "precision": 0.8, "long": 1.3}.get(kind, 1.0)
    thick = radius * 0.3
    flat = [(0.0, 1.25, 0.18), (0.06, 1.35, 0.5), (0.13, 1.0, 1.0)]
    round_ = circle(12) * thick
    rings = [np.column_stack([round_[:, 0] * wide, np.full(12, y), round_[:, 1] * deep]) for y, wide, deep in flat]
    tip = (
        loft(rings)
        if draw.index % 2 == 0
        else lathe([[0, 0], [thick * 0.25, 0.01], [thick, 0.09], [thick, 0.13], [0, 0.13]], 12, 4, 0.3)
    )
    rod_section = rectangle(2, 2) if kind == "square" else circle(12)
    stem = tube([[0, 0.12, 0], [0, shaft + 0.1, 0]], thick, section=rod_section * (0.9 if kind == "square" else 1.0))
    parts = [tip, stem, _grip(draw, kind, radius).moved(y=shaft)]
    return join(*parts)


def _grip(draw: Draw, kind: str, radius: float) -> Solid:
    if kind == "ball":
        side = curve([[0.04, 0.05], [0.05, 0.12], [0.13, 0.26], [0.09, 0.4], [0.03, 0.43]], 4)
        return lathe(joined([[0, 0], [0.035, 0.0]], side, [[0, 0.432]]), 28)
    length = {"stubby": 0.32, "precision": 0.36, "long": 0.36}.get(kind, draw.between(0.38, 0.46))
    if kind == "cabinet":
        line = curve([[0.45, 0.02], [0.6, 0.12], [0.75, 0.3], [1.12, 0.7], [0.9, 0.94], [0.4, 1.0]], 3)
        return lathe(joined([[0, 0], [0.45, 0]], line, [[0, 1.0]]) * [radius, length], 24)
    collar = np.array([[0, 0], [0.5, 0], [0.62, 0.05], [0.55, 0.12]])
    line = curve([[0.8, 0.2], [1.0, 0.32], [1.0, 0.8], [0.88, 0.95], [0.5, 1.0]], 3)
    knurl, depth = (0, 0.0) if kind == "precision" else (6, 0.06)
    grip = lathe(joined([[0, 0.12]], line, [[0, 1.0]]) * [radius, length], 36, knurl, depth)
    parts = [lathe(joined(collar, [[0, 0.13]]) * [radius, length], 16), grip]
    if kind == "precision":
        parts.append(lathe([[0, 0], [0.045, 0], [0.05, 0.02], [0.035, 0.035], [0, 0.035]], 14).moved(y=length + 0.004))
    return join(*parts)


def wrench(draw: Draw) -> Solid:
    """A wrench standing upright: a flat shank with an open jaw, a ring, or both."""
    kind = draw.style(("combination", "open", "ring", "adjustable", "stubby", "cross", "hook"))
    length = draw.between(0.85, 1.05) * (0.6 if kind == "stubby" else 1.0)
    size = draw.between(0.115, 0.135)
    shank = _shank(length, size, waist=0.3 if kind != "adjustable" else 0.42)
    if kind == "adjustable":
        return join(shank, _adjustable(size * 1.15).moved(y=length), _eye(size * 0.55, 0.05))
    ends = {
        "combination": (_eye(size * 0.95), _jaw(size)),
        "open": (_jaw(size * 0.85).turned("z", 180), _jaw(size)),
        "ring": (_eye(size * 0.85), _eye(size * 1.1)),
        "stubby": (_eye(size * 0.9), _jaw(size)),
        "cross": (_eye(size * 0.95), _eye(size * 0.95)),
        "hook": (_eye(size * 0.5, 0.045), _jaw(size * 1.2, 55)),
    }[kind]
    return join(shank, ends[0], ends[1].turned("z", -12).moved(y=length))


def _shank(length: float, size: float, waist: float) -> Solid:
    wide = size * waist
    section = superellipse(12, 3.5)
    levels = np.array([size * 0.75, size * 1.5, length / 2, length - size * 1.5, length - size * 0.75])
    widths = np.array([1.35, 1.0, 0.85, 1.0, 1.5]) * wide
    rings = [
        np.column_stack([section[:, 0] * w, np.full(12, level), section[:, 1] * 0.027])
        for level, w in zip(levels, widths, strict=True)
    ]
    return loft(rings)


def _eye(size: float, thickness: float = 0.085) -> Solid:
    """A ring lying in the x-y plane with a hexagonal hole."""
    sides = 24
    angles = 2 * np.pi * np.arange(sides) / sides
    around = np.column_stack([np.cos(angles), np.sin(angles)])
    hexagon = 0.62 / np.cos((angles + np.pi / 6) % (np.pi / 3) - np.pi / 6)
    half = thickness / 2
    full, edge = np.full(sides, 1.0), np.full(sides, 0.92)
    outside = [(full, half * 0.7), (edge, half)]
    inside = [(hexagon, half), (hexagon, -half)]
    corners = [*outside, *inside, (edge, -half), (full, -half * 0.7)]
    rings = np.empty((sides, len(corners), 3))
    for place, (radius, depth) in enumerate(corners):
        rings[:, place, :2] = around * radius[:, None] * size
        rings[:, place, 2] = depth
    return loop(rings)


def _jaw(size: float, opening: float = 38.0) -> Solid:
    """An open jaw looking up: a disc from which a slot is cut."""
    return plate(_jaw_outline(opening) * size * 1.2, 0.075, 0.03)


def _jaw_outline(opening: float) -> Points:
    angles = np.radians(90 - opening + np.linspace(0, 2 * opening - 360, 22))
    outer = np.column_stack([np.cos(angles), np.sin(angles)])
    gap = outer[0, 0] * 0.82
    inner = [[-gap, 0.75], [-gap, 0.05], [-gap * 0.55, -0.22], [gap * 0.55, -0.22], [gap, 0.05], [gap, 0.75]]
    return np.vstack([outer, inner])


def _adjustable(size: float) -> Solid:
    fixed = plate(
        np.array(
            [
                [-0.75, -0.9],
                [0.55, -0.9],
                [0.8, -0.5],
                [0.8, -0.1],
                [-0.1, -0.05],
                [-0.2, 1.3],
                [-0.55, 1.25],
                [-0.95, 0.4],
                [-1.0, -0.3],
            ]
        )
        * size,
        0.085,
        0.03,
    )
    moving = plate(
        np.array([[0.36, -0.2], [0.95, -0.2], [1.0, 0.3], [0.8, 0.95], [0.5, 1.2], [0.36, 1.2]]) * size, 0.065, 0.03
    )
    screw = lathe(
        [[0, 0], [0.3, 0], [0.36, 0.1], [0.3, 0.2], [0.36, 0.3], [0.3, 0.4], [0.36, 0.5], [0.3, 0.6], [0, 0.6]], 12
    )
    return join(fixed, moving, screw.scaled(size).turned("z", 90).moved(size * 0.75, -size * 0.45, 0))
