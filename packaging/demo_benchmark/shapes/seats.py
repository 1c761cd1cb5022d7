"""Chairs and stools."""

import numpy as np

from demo_benchmark.draw import Draw
from demo_benchmark.outline import curve, rectangle, superellipse
from demo_benchmark.parts import box, cylinder, ellipsoid, lathe, loft, ring, rod, tube
from demo_benchmark.solid import Solid, around, join, pair

CHAIR_STYLES = (
    ("square", "panel", False),
    ("round", "spindles", False),
    ("office", "panel", True),
    ("square", "ladder", False),
    ("runners", "panel", True),
    ("square", "slats", True),
    ("round", "hoop", False),
    ("box", "cushion", True),
)
"""Legs, back, arms."""


def chair(draw: Draw) -> Solid:
    """A chair: seat, legs of four kinds, back of six kinds, with or without arms."""
    legs, back, has_arms = draw.style(CHAIR_STYLES)
    width, depth = draw.between(0.42, 0.54), draw.between(0.40, 0.50)
    height, rise = draw.between(0.40, 0.48), draw.between(0.40, 0.62)
    if legs == "box":
        return _armchair(width * 1.25, depth * 1.25, height * 0.8, rise)
    seat = box(width, 0.05, depth, 0.015).moved(y=height)
    parts = [seat, _chair_legs(legs, width, depth, height), _back(draw, back, width, rise, height, depth)]
    if has_arms:
        parts.append(_arms(width, depth, height))
    return join(*parts)


def _armchair(width: float, depth: float, height: float, rise: float) -> Solid:
    foot = cylinder(0.03, 0.09, 8).moved(width * 0.44, 0, depth * 0.4)
    side = box(0.13, height + 0.16, depth, 0.04).moved(width / 2, 0.08, 0)
    back = box(width + 0.13, rise + height * 0.75, 0.16, 0.05).turned("x", -8).moved(0, 0.08, -depth * 0.45)
    seat = box(width - 0.1, height * 0.55, depth * 0.95, 0.03).moved(0, 0.08, 0.03)
    cushion = box(width - 0.12, 0.13, depth * 0.9, 0.05).moved(0, 0.08 + height * 0.52, 0.06)
    return join(pair(foot), pair(foot.scaled(1, 1, -1)), pair(side), back, seat, cushion)


def _chair_legs(kind: str, width: float, depth: float, height: float) -> Solid:
    x, z = width / 2 - 0.03, depth / 2 - 0.03
    if kind == "office":
        return _star(height, 5, 0.30)
    if kind == "runners":
        path = curve(
            [[x, height, z], [x, 0.10, z], [x, 0.025, z - 0.07], [x, 0.025, -z + 0.07], [x, 0.1, -z], [x, height, -z]],
            3,
        )
        return pair(tube(path, 0.018, 8))
    if kind == "round":
        legs = [rod([x * 0.8, height + 0.01, s * z * 0.8], [x * 1.1, 0, s * z * 1.15], 0.022, 0.013) for s in (1, -1)]
        rail = rod([x, height * 0.42, z], [x, height * 0.42, -z], 0.011)
        cross = rod([-x, height * 0.42, 0], [x, height * 0.42, 0], 0.011)
        return join(*(pair(body) for body in [*legs, rail]), cross)
    section = rectangle(2, 2)
    legs = [
        tube([[x, 0, s * z], [x, height + 0.01, s * z]], [0.016, 0.024], section=section, side=(1, 0, 0))
        for s in (1, -1)
    ]
    rail = box(0.02, 0.035, 2 * z).moved(x, height * 0.4)
    return join(*(pair(body) for body in [*legs, rail]))


def _star(height: float, feet: int, reach: float) -> Solid:
    foot = tube([[0, 0.09, 0], [reach * 0.5, 0.075, 0], [reach, 0.055, 0]], [0.03, 0.025, 0.016], 8)
    castor = ring(0.02, 0.014, 12, 6).turned("x", 90).moved(reach, 0.034, 0)
    column = lathe([[0, 0.04], [0.035, 0.04], [0.035, 0.18], [0.02, 0.19], [0.02, height - 0.04], [0.09, height]], 12)
    return join(around(join(foot, castor), feet, 18), column)


def _back(draw: Draw, kind: str, width: float, rise: float, height: float, depth: float) -> Solid:
    lean = draw.between(6, 13)
    parts = _back_parts(kind, width, rise)
    return join(*parts).turned("x", -lean).moved(0, height + 0.02, -depth / 2 + 0.025)


def _back_parts(kind: str, width: float, rise: float) -> list[Solid]:
    x = width / 2 - 0.025
    post = tube([[x, 0, 0], [x, rise, 0]], [0.022, 0.016], section=rectangle(2, 2), side=(1, 0, 0))
    top = box(width, 0.07, 0.03, 0.01).moved(y=rise - 0.04)
    if kind == "ladder":
        rungs = [box(width - 0.04, 0.045, 0.02, 0.006).moved(y=rise * share) for share in (0.25, 0.48, 0.71)]
        return [pair(post), top, *rungs]
    if kind == "slats":
        slats = [box(0.035, rise, 0.016).moved(x * share) for share in (-0.55, -0.18, 0.18, 0.55)]
        return [pair(post), top, *slats]
    if kind == "spindles":
        sticks = [rod([x * share * 0.8, 0, 0], [x * share, rise, 0], 0.011) for share in (-1, -0.6, -0.2, 0.2, 0.6, 1)]
        path = curve(
            [[-width * 0.58, rise - 0.03, 0.03], [0, rise + 0.02, -0.02], [width * 0.58, rise - 0.03, 0.03]], 5
        )
        crest = tube(path, 1, section=rectangle(0.026, 0.085, 0.008), side=(0, 0, 1))
        return [*sticks, crest]
    if kind == "hoop":
        path = curve([[-x, 0, 0], [-x, rise * 0.55, 0], [0, rise, 0], [x, rise * 0.55, 0], [x, 0, 0]], 5)
        hoop = tube(path, 0.017, 8)
        seat_of_back = [
            rod([x * share, 0, 0], [x * share, rise * (1 - 0.35 * share**2) - 0.02, 0], 0.010)
            for share in (-0.5, 0, 0.5)
        ]
        return [hoop, *seat_of_back]
    shield = superellipse(32, 4.5) * [width / 2 - 0.01, (rise - 0.12) / 2]
    rings = [
        np.column_stack([shield * size, np.full(len(shield), z)])
        for size, z in ((0.92, -0.02), (1, -0.008), (1, 0.008), (0.92, 0.02))
    ]
    stays = rod([x * 0.6, -0.02, 0], [x * 0.6, 0.25, 0], 0.014)
    return [loft(rings).moved(y=0.12 + (rise - 0.12) / 2), pair(stays)]


def _arms(width: float, depth: float, height: float) -> Solid:
    x = width / 2 + 0.01
    post = rod([x, height - 0.02, depth * 0.32], [x, height + 0.2, depth * 0.32], 0.014)
    rest = box(0.05, 0.028, depth * 0.95, 0.009).moved(x, height + 0.19, -0.01)
    return pair(join(post, rest))


STOOL_STYLES = ("three", "bar", "pedestal", "square", "cushion", "tractor", "low")


def stool(draw: Draw) -> Solid:
    """A stool: a seat without back on three or four legs or one foot."""
    kind = draw.style(STOOL_STYLES)
    radius = draw.between(0.15, 0.20)
    height = {"bar": 0.72, "low": 0.28, "pedestal": 0.62, "tractor": 0.6}.get(kind, 0.45) * draw.between(0.93, 1.07)
    if kind in ("pedestal", "tractor"):
        return join(_stool_seat(kind, radius, height), _foot_plate(height, radius))
    count = 3 if kind in ("three", "low") else 4
    splay = draw.between(1.05, 1.3) if kind != "square" else 1.0
    first = 45.0 if count == 4 else 30.0
    inner = radius * (0.72 if kind != "square" else 1.1)
    leg = rod([inner, height, 0], [inner * splay + 0.02, 0, 0], 0.02, 0.014 if kind != "square" else 0.02)
    parts = [_stool_seat(kind, radius, height), around(leg, count, first)]
    if kind == "bar":
        parts.append(ring(inner + (inner * (splay - 1) + 0.02) * 0.68, 0.011, 24, 6).moved(y=height * 0.32))
    elif kind != "low":
        parts.append(_stretchers(inner + (inner * (splay - 1) + 0.02) * 0.6, height * 0.4, count, first))
    return join(*parts)


def _stool_seat(kind: str, radius: float, height: float) -> Solid:
    if kind == "square":
        return box(radius * 2, 0.05, radius * 2, 0.012).moved(y=height)
    if kind in ("cushion", "pedestal"):
        pad = lathe([[0, 0], [radius * 0.9, 0], [radius, 0.03], [radius * 0.97, 0.07], [radius * 0.7, 0.095], [0, 0.1]])
        return pad.moved(y=height - 0.01)
    if kind == "tractor":
        dish = lathe(
            [[0, 0], [radius, 0.05], [radius * 1.15, 0.11], [radius * 1.1, 0.12], [radius * 0.9, 0.07], [0, 0.03]]
        )
        return dish.scaled(1.1, 1, 0.95).moved(y=height - 0.01)
    return lathe(
        [[0, 0], [radius * 0.94, 0], [radius, 0.012], [radius, 0.035], [radius * 0.95, 0.045], [0, 0.038]]
    ).moved(y=height)


def _foot_plate(height: float, radius: float) -> Solid:
    plate = lathe(
        [
            [0, 0],
            [radius * 1.15, 0],
            [radius * 1.15, 0.012],
            [0.05, 0.04],
            [0.028, 0.08],
            [0.028, height * 0.6],
            [0.02, height * 0.6],
            [0.02, height],
            [0, height],
        ]
    )
    rest = ring(radius * 0.75, 0.011, 24, 6).moved(y=height * 0.33)
    arm = rod([0, height * 0.33, 0], [radius * 0.75, height * 0.33, 0], 0.008)
    return join(plate, rest, around(arm, 3), ellipsoid(0.04, 0.03, 0.04, 12, 6).moved(y=height * 0.33))


def _stretchers(radius: float, level: float, count: int, first: float) -> Solid:
    angles = np.radians(first + 360 * np.arange(count) / count)
    corners = np.column_stack([radius * np.cos(angles), np.full(count, level), -radius * np.sin(angles)])
    return join(*(rod(corners[k], corners[(k + 1) % count], 0.011) for k in range(count)))
