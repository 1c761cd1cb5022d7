"""Mugs, teapots, vases, bottles and goblets."""

import numpy as np

from demo_benchmark.draw import Draw
from demo_benchmark.outline import Points, curve, joined, superellipse
from demo_benchmark.parts import cylinder, ellipsoid, lathe, loft, tube
from demo_benchmark.solid import Solid, join


def hollow(outside: Points, wall: float, floor: float) -> Points:
    """Profile of a vessel: up the given outside, over a rounded rim, down inside to the floor's centre."""
    inside = outside[::-2].copy()
    inside[:, 0] -= wall
    inside = inside[(inside[:, 1] > floor + wall) & (inside[:, 0] > wall)]
    rim = np.array([[outside[-1, 0] - wall / 2, outside[-1, 1] + wall / 2]])
    bottom = np.array([[inside[-1, 0] * 0.9, floor], [0, floor]])
    return np.vstack([[[0, outside[0, 1]]], outside, rim, inside, bottom])


MUG_STYLES = ("straight", "barrel", "tapered", "bell", "wide", "beer", "flared", "espresso")


def mug(draw: Draw) -> Solid:
    """A mug: a hollow body and one handle at its right."""
    kind = draw.style(MUG_STYLES)
    radius = draw.between(0.36, 0.43)
    height = draw.between(0.85, 1.0)
    bulge, foot, lip = {
        "straight": (1.0, 1.0, 1.0),
        "barrel": (1.16, 0.9, 0.92),
        "tapered": (0.95, 0.78, 1.12),
        "bell": (0.86, 1.05, 0.98),
        "wide": (1.25, 0.75, 1.45),
        "beer": (1.02, 1.08, 0.95),
        "flared": (0.98, 0.9, 1.2),
        "espresso": (1.1, 0.7, 1.15),
    }[kind]
    height *= {"wide": 0.72, "beer": 1.35, "espresso": 0.8}.get(kind, 1.0)
    side = curve([[foot, 0.06], [bulge, 0.45], [lip, 1.0]], 5) * [radius, height]
    outside = np.vstack([[[side[0, 0] * 0.9, 0]], side])
    body = lathe(hollow(outside, 0.035, 0.06), *((40, 10, 0.03) if kind == "beer" else (36,)))
    start, end = np.interp([0.76 * height, 0.24 * height], side[:, 1], side[:, 0]) - 0.015
    return join(body, _handle(draw, start, end, height))


def _handle(draw: Draw, upper: float, lower: float, height: float) -> Solid:
    reach = draw.between(0.26, 0.36)
    square = draw.chance(0.35)
    high, low = 0.76 * height, 0.24 * height
    out = max(upper, lower) + reach
    if square:
        knots = [
            [upper, high],
            [out - 0.06, high],
            [out, high - 0.07],
            [out, low + 0.07],
            [out - 0.06, low],
            [lower, low],
        ]
    else:
        knots = [
            [upper, high],
            [out - 0.08, high + 0.01],
            [out, (high * 2 + low) / 3],
            [out - 0.07, low + 0.06],
            [lower, low],
        ]
    path = curve(np.column_stack([knots, np.zeros(len(knots))]), 4)
    return tube(path, draw.between(0.045, 0.06), section=superellipse(10, 2.6) * [1.5, 0.8], side=(0, 0, 1))


TEAPOT_STYLES = ("round", "tall", "squat", "hoop", "coffee", "pear")


def teapot(draw: Draw) -> Solid:
    """A teapot: belly, lid with knob, spout to the left, handle to the right or above."""
    kind = draw.style(TEAPOT_STYLES)
    radius = draw.between(0.48, 0.55)
    height = radius * {"tall": 1.75, "squat": 1.05, "coffee": 2.2, "pear": 1.7}.get(kind, 1.4)
    belly = {"coffee": 0.72, "pear": 1.0, "tall": 0.86}.get(kind, 1.0) * radius
    neck = belly * {"coffee": 0.6, "pear": 0.5}.get(kind, 0.58)
    widest = 0.3 if kind in ("pear", "coffee") else 0.46
    side = curve(
        [
            [belly * 0.62, 0.03],
            [belly * 0.93, height * 0.18],
            [belly, height * widest],
            [belly * 0.86, height * 0.76],
            [neck, height],
        ],
        3,
    )
    body = lathe([[0, 0], [belly * 0.66, 0], *side, [neck * 0.9, height * 1.01], [0, height * 1.01]], 32)
    lid = _lid(neck, height, draw.between(0.5, 1.0) * (0.45 if kind != "squat" else 0.3))
    spout = _spout(draw, belly, height, slender=kind == "coffee")
    return join(body, lid, spout, _pot_handle(kind, belly, neck, height))


def _lid(neck: float, height: float, dome: float) -> Solid:
    line = curve([[neck * 0.98, 0.02], [neck * 0.75, neck * dome * 0.9], [neck * 0.18, neck * dome * 1.35]], 3)
    knob = curve([[0.05, 0], [0.035, 0.03], [0.075, 0.09], [0.04, 0.14], [0, 0.15]], 2) + np.array(
        [0, neck * dome * 1.35]
    )
    return lathe([[0, 0], [neck * 1.04, 0], *line, *knob], 24).moved(y=height)


def _spout(draw: Draw, belly: float, height: float, slender: bool) -> Solid:
    reach = belly + draw.between(0.34, 0.44)
    top = height * draw.between(0.94, 1.06)
    knots = [
        [-belly * 0.75, height * 0.3, 0],
        [-belly * 1.1, height * 0.42, 0],
        [-(belly + reach) / 2 - 0.03, height * 0.72, 0],
        [-reach, top, 0],
    ]
    start = 0.12 if slender else 0.17
    path = curve(knots, 5)
    radii = curve([[start], [start * 0.72], [0.075], [0.062]], 5)[:, 0]
    return tube(path, radii, 12, section=superellipse(12, 2.0) * [1.0, 1.0])


def _pot_handle(kind: str, belly: float, neck: float, height: float) -> Solid:
    section = superellipse(10, 2.6) * [1.3, 0.85]
    if kind == "hoop":
        w = belly * 0.78
        angles = np.radians((0, 18, 42, 66, 90, 114, 138, 162, 180))
        knots = [[-w * np.cos(turn), height * (0.84 + 1.1 * np.sin(turn) ** 0.8), 0] for turn in angles]
        return tube(curve(knots, 3), 0.042, section=section, side=(0, 0, 1))
    out = belly + 0.36
    high = height * 0.86
    knots = [
        [neck + (belly - neck) * 0.4, high, 0],
        [out - 0.1, high + 0.05, 0],
        [out, height * 0.62, 0],
        [out - 0.14, height * 0.32, 0],
        [belly * 0.9, height * 0.26, 0],
    ]
    return tube(curve(knots, 5), 0.045, section=section, side=(0, 0, 1))


VASE_STYLES = ("amphora", "tulip", "bulb", "fluted", "urn", "column", "gourd")


def vase(draw: Draw) -> Solid:
    """A vase: tall lathe work with an open mouth, smooth or fluted, some with two handles."""
    kind = draw.style(VASE_STYLES)
    knots = {
        "amphora": [[0.16, 0.0], [0.13, 0.06], [0.36, 0.45], [0.40, 0.68], [0.2, 0.88], [0.15, 1.02], [0.23, 1.16]],
        "tulip": [[0.2, 0.0], [0.17, 0.05], [0.3, 0.35], [0.27, 0.7], [0.36, 1.05]],
        "bulb": [[0.2, 0.0], [0.42, 0.22], [0.38, 0.45], [0.14, 0.7], [0.11, 0.95], [0.18, 1.1]],
        "fluted": [[0.17, 0.0], [0.25, 0.3], [0.33, 0.62], [0.22, 0.88], [0.34, 1.08]],
        "urn": [[0.24, 0.0], [0.13, 0.12], [0.2, 0.26], [0.42, 0.62], [0.38, 0.85], [0.3, 0.92], [0.38, 1.0]],
        "column": [[0.22, 0.0], [0.2, 0.3], [0.21, 0.7], [0.28, 1.15]],
        "gourd": [[0.18, 0.0], [0.36, 0.25], [0.2, 0.56], [0.27, 0.78], [0.12, 1.0], [0.17, 1.15]],
    }[kind]
    girth = draw.between(0.88, 1.15)
    outside = curve(np.array(knots) * [girth, draw.between(0.92, 1.1)], 3)
    lobes, depth = (8, 0.075) if kind == "fluted" else (0, 0.0)
    body = lathe(hollow(outside, 0.025, 0.05), 48 if lobes else 32, lobes, depth)
    if kind not in ("amphora", "urn"):
        return body
    return join(body, _ear(outside, kind), _ear(outside, kind).scaled(-1, 1, 1))


def _ear(outside: Points, kind: str) -> Solid:
    top = outside[:, 1].max()
    high, low = (0.84, 0.62) if kind == "amphora" else (0.88, 0.6)
    start = np.interp(high * top, outside[:, 1], outside[:, 0])
    end = np.interp(low * top, outside[:, 1], outside[:, 0])
    out = max(start, end) + 0.12
    knots = [
        [start - 0.01, high * top, 0],
        [out - 0.05, high * top + 0.03, 0],
        [out, (high + low) / 2 * top, 0],
        [end - 0.02, low * top, 0],
    ]
    return tube(curve(knots, 4), 0.026, 8)


BOTTLE_STYLES = ("wine", "beer", "flask", "milk", "square", "burgundy", "soda")


def bottle(draw: Draw) -> Solid:
    """A bottle: shoulder, narrow neck, and a cork or cap."""
    kind = draw.style(BOTTLE_STYLES)
    radius, height = draw.between(0.17, 0.2), draw.between(0.95, 1.1)
    if kind == "flask":
        return _flask(radius * 1.5, height * 0.8)
    if kind == "square":
        return _square_bottle(radius, height * 0.85)
    shoulder, neck, narrow = {
        "wine": (0.58, 0.70, 0.36),
        "beer": (0.52, 0.70, 0.38),
        "milk": (0.55, 0.78, 0.62),
        "burgundy": (0.45, 0.76, 0.34),
        "soda": (0.5, 0.78, 0.42),
    }[kind]
    waist = 0.84 if kind == "soda" else 1.0
    wide = 1.2 if kind in ("milk", "burgundy") else 1.0
    side = [[0.94, 0], [1, 0.02], [waist, shoulder * 0.55], [1.0, shoulder * 0.95]]
    turn = curve(
        [[1.0, shoulder], [0.88, shoulder + (neck - shoulder) * 0.45], [narrow, neck], [narrow * 0.95, 0.96]], 4
    )
    lip = [[narrow * 1.15, 0.96], [narrow * 1.15, 1.0], [0, 1.0]]
    first = curve(side[1:], 4) if waist < 1 else np.array(side[1:])
    body = lathe(np.vstack([[[0, 0]], side[:1], first, turn, lip]) * [radius * wide, height], 30)
    stopper = radius * wide * narrow
    cap = (
        cylinder(stopper * 0.85, 0.07, 14, stopper * 0.95)
        if kind != "beer"
        else cylinder(stopper * 1.3, 0.04, 14, stopper * 1.1)
    )
    return join(body, cap.moved(y=height - 0.005))


def _flask(radius: float, height: float) -> Solid:
    line = curve([[0.6, 0.02], [1.0, 0.28], [0.72, 0.62], [0.24, 0.78], [0.22, 0.95]], 4)
    body = lathe(joined([[0, 0], [0.55, 0]], line, [[0.3, 0.95], [0.3, 1.0], [0, 1.0]]) * [radius, height], 30)
    return join(body.scaled(1, 1, 0.7), ellipsoid(0.075, 0.085, 0.075, 12, 8).moved(y=height + 0.05))


def _square_bottle(radius: float, height: float) -> Solid:
    levels = [
        (0.96, 0),
        (1.0, 0.02),
        (1.0, 0.6),
        (0.93, 0.66),
        (0.45, 0.76),
        (0.36, 0.8),
        (0.36, 0.95),
        (0.44, 0.95),
        (0.44, 1.0),
    ]
    rings = []
    for size, level in levels:
        flat = superellipse(24, 8.0 if size > 0.8 else 2.0) * size * radius
        rings.append(np.column_stack([flat[:, 0], np.full(len(flat), level * height), flat[:, 1]]))
    stopper = lathe(
        np.array([[0, 0], [0.3, 0], [0.34, 0.05], [0.5, 0.08], [0.55, 0.2], [0.4, 0.3], [0, 0.32]]) * radius * [1, 1.2],
        14,
    )
    return join(loft(rings), stopper.moved(y=height - 0.01))


GOBLET_STYLES = ("wine", "flute", "coupe", "chalice", "tulip", "martini", "balloon")


def goblet(draw: Draw) -> Solid:
    """A goblet: foot, stem, and an open bowl."""
    kind = draw.style(GOBLET_STYLES)
    bowl = {
        "wine": [[0.03, 0], [0.27, 0.14], [0.32, 0.32], [0.25, 0.6]],
        "flute": [[0.03, 0], [0.14, 0.12], [0.18, 0.4], [0.16, 0.75]],
        "coupe": [[0.03, 0], [0.26, 0.05], [0.4, 0.18], [0.42, 0.27]],
        "chalice": [[0.06, 0], [0.26, 0.08], [0.3, 0.26], [0.34, 0.5]],
        "tulip": [[0.03, 0], [0.23, 0.12], [0.22, 0.34], [0.3, 0.54]],
        "martini": [[0.03, 0], [0.16, 0.12], [0.3, 0.27], [0.43, 0.42]],
        "balloon": [[0.03, 0], [0.36, 0.16], [0.41, 0.36], [0.27, 0.62]],
    }[kind]
    stem = draw.between(0.3, 0.5) * (0.75 if kind in ("chalice", "balloon") else 1.0)
    foot = draw.between(0.24, 0.3)
    knop = 0.085 if kind == "chalice" else 0.03 + 0.035 * draw.chance(0.5)
    thick = 0.045 if kind == "chalice" else 0.026
    base = [[foot, 0], [foot, 0.015], [foot * 0.6, 0.035], [0.06, 0.07]]
    shaft = curve([[thick, 0.12], [thick, stem * 0.42], [knop, stem * 0.55], [thick, stem * 0.68], [thick, stem]], 3)
    cup = curve(bowl, 4) * [draw.between(0.92, 1.1), draw.between(0.92, 1.1)] + [0, stem + 0.02]
    inside = cup[::-2] - [0.018, -0.004]
    inside = inside[inside[:, 0] > 0.06]
    return lathe(np.vstack([[[0, 0]], base, shaft, cup, inside, [[0, cup[0, 1] + 0.035]]]), 32)
