"""Airplanes and biplanes."""

import numpy as np

from demo_benchmark.draw import Draw
from demo_benchmark.parts import box, ellipsoid, hull, lathe, ring, rod, wing
from demo_benchmark.solid import Solid, join, pair

AIRPLANE_STYLES = ("jetliner", "propeller", "jumbo", "business", "fighter", "glider", "freighter", "floats")


def airplane(draw: Draw) -> Solid:
    """An airplane with one pair of wings, flying towards +z."""
    kind = draw.style(AIRPLANE_STYLES)
    if kind == "fighter":
        return _fighter(draw)
    if kind in ("propeller", "floats"):
        return _light_plane(draw, floats=kind == "floats")
    if kind == "glider":
        return _glider(draw)
    radius = draw.between(0.068, 0.08) * (
        1.25 if kind in ("jumbo", "freighter") else 0.85 if kind == "business" else 1.0
    )
    body = hull(
        [
            [0.62, -0.01, 0, 0],
            [0.585, 0, radius * 0.55, radius * 0.5],
            [0.46, 0, radius, radius],
            [0.0, 0, radius, radius],
            [-0.3, 0.01, radius * 0.9, radius * 0.9],
            [-0.52, 0.035, radius * 0.4, radius * 0.5],
            [-0.62, 0.05, 0, 0],
        ],
        16,
        4,
    )
    span, sweep = draw.between(0.5, 0.6), draw.between(0.22, 0.32)
    high = kind == "freighter"
    level = radius * (0.75 if high else -0.45)
    wings = pair(
        wing(span, 0.27, 0.085, sweep * (0.4 if high else 1), -0.01 if high else 0.06).moved(0.02, level, 0.19)
    )
    return join(
        body,
        wings,
        _tail(draw, radius, t_tail=kind in ("business", "freighter")),
        _engines(kind, span, sweep, radius, level),
    )


def _tail(draw: Draw, radius: float, t_tail: bool) -> Solid:
    rise = draw.between(0.19, 0.23)
    fin = wing(rise, 0.19, 0.1, 0.14, thickness=0.1).turned("z", 90).moved(0, radius * 0.5, -0.38)
    level, back = (radius * 0.5 + rise * 0.97, -0.515) if t_tail else (radius * 0.4, -0.44)
    plane = pair(wing(0.22, 0.13, 0.06, 0.1, 0.02, 0.1).moved(0.0, level, back))
    return join(fin, plane)


def _engines(kind: str, span: float, sweep: float, radius: float, level: float) -> Solid:
    if kind == "business":
        return pair(_engine(0.04, 0.2).moved(radius + 0.045, radius * 0.45, -0.27))
    if kind == "freighter":
        spinner = hull(
            [
                [0.06, 0, 0, 0],
                [0.03, 0, 0.022, 0.022],
                [-0.03, 0, 0.034, 0.034],
                [-0.14, 0, 0.02, 0.02],
                [-0.18, 0, 0, 0],
            ],
            10,
        )
        unit = join(spinner, _propeller(0.11, 4).moved(z=0.03))
        return join(*(pair(unit.moved(span * share, level, 0.2 - sweep * 0.4 * share)) for share in (0.33, 0.6)))
    shares = (0.32, 0.6) if kind == "jumbo" else (0.36,)
    return join(
        *(pair(_engine(0.046, 0.19).moved(span * share, level - 0.03, 0.21 - sweep * share)) for share in shares)
    )


def _engine(radius: float, length: float) -> Solid:
    line = np.array(
        [[0, 0.05], [0.6, 0.0], [0.85, 0.3], [1, 0.7], [0.98, 0.95], [0.88, 1.0], [0.78, 0.95], [0.72, 0.78], [0, 0.86]]
    )
    return lathe(line * [radius, length], 14).turned("x", 90).moved(z=-length / 2)


def _propeller(reach: float, blades: int) -> Solid:
    blade = ellipsoid(reach * 0.11, reach * 0.5, reach * 0.035, 8, 6).turned("y", 25).moved(y=reach * 0.5)
    return join(
        *(blade.turned("z", 20 + 360 * place / blades) for place in range(blades)),
        ellipsoid(reach * 0.14, reach * 0.14, reach * 0.25, 10, 6),
    )


def _light_plane(draw: Draw, floats: bool) -> Solid:
    body = hull(
        [
            [0.4, -0.01, 0.04, 0.045],
            [0.36, -0.01, 0.065, 0.065],
            [0.2, 0, 0.075, 0.075],
            [0.14, 0.035, 0.078, 0.115],
            [-0.04, 0.035, 0.075, 0.11],
            [-0.16, 0.015, 0.055, 0.065],
            [-0.46, 0.03, 0.018, 0.03],
            [-0.5, 0.03, 0, 0],
        ],
        14,
        3,
        2.6,
    )
    span = draw.between(0.52, 0.6)
    wings = pair(wing(span, 0.19, 0.13, 0.02, 0.03, 0.14).moved(0, 0.14, 0.17))
    strut = pair(rod([0.06, -0.05, 0.07], [span * 0.5, 0.14, 0.08], 0.009, sides=6))
    fin = wing(0.19, 0.17, 0.09, 0.08, thickness=0.1).turned("z", 90).moved(0, 0.03, -0.33)
    plane = pair(wing(0.2, 0.13, 0.08, 0.03, thickness=0.1).moved(0, 0.035, -0.36))
    nose = _propeller(0.19, draw.pick((2, 3))).moved(0, -0.01, 0.43)
    return join(body, wings, strut, fin, plane, nose, _floats() if floats else _wheels())


def _floats() -> Solid:
    hull_of_float = hull(
        [
            [0.42, 0.035, 0, 0],
            [0.36, 0.015, 0.035, 0.025],
            [0.1, 0, 0.042, 0.04],
            [-0.2, 0.01, 0.03, 0.03],
            [-0.34, 0.03, 0, 0],
        ],
        10,
        3,
        3.0,
    )
    struts = [rod([0.05, -0.05, z], [0.15, -0.19, z], 0.009, sides=6) for z in (0.18, -0.06)]
    return pair(join(hull_of_float.moved(0.15, -0.21), *struts))


def _wheels() -> Solid:
    tyre = ring(0.036, 0.019, 14, 8).turned("z", 90)
    leg = rod([0.05, -0.05, 0.1], [0.14, -0.16, 0.1], 0.01, sides=6)
    hub = ellipsoid(0.014, 0.026, 0.026, 10, 6)
    main = pair(join(tyre.moved(0.15, -0.165, 0.1), hub.moved(0.15, -0.165, 0.1), leg))
    nose = join(
        tyre.scaled(0.85).moved(0, -0.17, 0.34),
        hub.moved(0, -0.17, 0.34),
        rod([0, -0.03, 0.34], [0, -0.16, 0.34], 0.01, sides=6),
    )
    return join(main, nose)


def _fighter(draw: Draw) -> Solid:
    body = hull(
        [
            [0.66, 0, 0, 0],
            [0.5, 0.005, 0.028, 0.03],
            [0.25, 0.015, 0.062, 0.06],
            [-0.1, 0, 0.085, 0.058],
            [-0.4, 0, 0.08, 0.055],
            [-0.5, 0, 0.065, 0.05],
        ],
        14,
        3,
        2.4,
    )
    canopy = hull([[0.42, 0.04, 0, 0], [0.32, 0.06, 0.035, 0.04], [0.2, 0.065, 0.038, 0.042], [0.02, 0.05, 0, 0]], 12)
    wings = pair(wing(draw.between(0.36, 0.42), 0.46, 0.1, 0.36, thickness=0.06).moved(0.04, -0.005, 0.14))
    tails = pair(wing(0.19, 0.18, 0.09, 0.12, thickness=0.08).turned("z", 75).moved(0.065, 0.03, -0.28))
    planes = pair(wing(0.2, 0.17, 0.07, 0.12, thickness=0.07).moved(0.05, 0, -0.38))
    intake = pair(box(0.05, 0.075, 0.3, 0.012).moved(0.085, -0.045, 0.08))
    nozzle = pair(
        lathe([[0, 0.02], [0.03, 0], [0.036, 0], [0.045, 0.09], [0, 0.1]], 12).turned("x", 90).moved(0.04, 0, -0.57)
    )
    return join(body, canopy, wings, tails, planes, intake, nozzle)


def _glider(draw: Draw) -> Solid:
    body = hull(
        [
            [0.36, 0, 0, 0],
            [0.32, 0.005, 0.03, 0.032],
            [0.2, 0.015, 0.045, 0.055],
            [0.05, 0.015, 0.04, 0.05],
            [-0.12, 0.015, 0.018, 0.02],
            [-0.42, 0.03, 0.012, 0.014],
            [-0.46, 0.03, 0, 0],
        ],
        12,
    )
    wings = pair(wing(draw.between(0.78, 0.88), 0.12, 0.05, 0.03, 0.09, 0.14).moved(0, 0.05, 0.12))
    fin = wing(0.16, 0.13, 0.08, 0.05, thickness=0.1).turned("z", 90).moved(0, 0.02, -0.32)
    plane = pair(wing(0.17, 0.08, 0.05, 0.02, thickness=0.1).moved(0, 0.175, -0.38))
    return join(body, wings, fin, plane)


BIPLANE_STYLES = {
    "scout": (1.0, 0.08, 0.50, 0.24, 0.165, 0.94, 0.0, 0.0),
    "trainer": (1.15, 0.075, 0.56, 0.27, 0.15, 1.0, 0.0, 0.08),
    "racer": (0.88, 0.1, 0.40, 0.2, 0.14, 0.85, 0.07, 0.0),
    "bomber": (1.3, 0.085, 0.74, 0.3, 0.2, 1.0, 0.0, 0.0),
    "mail": (1.1, 0.09, 0.55, 0.25, 0.19, 0.72, 0.1, 0.0),
    "stunt": (0.95, 0.085, 0.44, 0.22, 0.17, 0.96, 0.08, 0.07),
    "barrel": (0.82, 0.13, 0.48, 0.3, 0.16, 0.9, 0.0, 0.0),
}
"""Length and half width of the body, span, gap, chord, share of the lower wing, stagger, sweep."""


def biplane(draw: Draw) -> Solid:
    """A biplane: two pairs of wings one above the other, struts, wheels, and a pilot's head."""
    kind = draw.style(tuple(BIPLANE_STYLES))
    length, fat, *_ = BIPLANE_STYLES[kind]
    length, fat = length * draw.between(0.95, 1.05), fat * draw.between(0.95, 1.05)
    body = hull(
        [
            [0.3, 0, fat * 0.75, fat * 0.75],
            [0.27, 0, fat, fat],
            [0.12, 0, fat, fat * 1.02],
            [-0.1, 0.005, fat * 0.8, fat * 0.9],
            [-0.4 * length, 0.03, 0.022, 0.04],
            [-0.45 * length, 0.035, 0, 0],
        ],
        16,
        3,
        2.5,
    )
    parts = [body, _propeller(0.2, 4 if kind == "bomber" else 2).moved(0, 0, 0.32), _biplane_wings(draw, kind, fat)]
    for seat in (-0.06, -0.2) if kind in ("trainer", "bomber") else (-0.08,):
        parts.append(ellipsoid(0.036, 0.042, 0.039, 12, 8).moved(0, fat + 0.025, seat))
        parts.append(box(0.075, 0.045, 0.008).turned("x", -25).moved(0, fat * 0.9, seat + 0.08))
    back = -0.31 * length
    parts.append(wing(0.16, 0.16, 0.09, 0.06, thickness=0.1, round_tip=True).turned("z", 90).moved(0, 0.04, back))
    parts.append(pair(wing(0.19, 0.14, 0.08, 0.04, thickness=0.1, round_tip=True).moved(0, 0.035, back + 0.01)))
    return join(*parts, _gear(fat))


def _biplane_wings(draw: Draw, kind: str, fat: float) -> Solid:
    _, _, span, gap, chord, share_below, ahead, sweep = BIPLANE_STYLES[kind]
    span, gap, chord = (size * draw.between(0.95, 1.05) for size in (span, gap, chord))
    low, high = -fat * 0.75, -fat * 0.75 + gap
    upper = wing(span, chord, chord * 0.9, sweep, 0.02, 0.1, round_tip=True).moved(0, high, 0.2 + ahead)
    lower = wing(span * share_below, chord * 0.95, chord * 0.85, sweep, 0.02, 0.1, round_tip=True).moved(0, low, 0.2)
    struts = []
    for share in (0.42, 0.85) if kind == "bomber" else (0.75,):
        x = span * share_below * share
        for along in (0.25, 0.7):
            z = 0.2 - chord * along - sweep * share
            struts.append(rod([x, low + 0.01, z], [x, high + 0.004, z + ahead], 0.0085, sides=6))
    cabane = [
        rod([fat * 0.6, fat * 0.6, z], [fat * 0.9, high + 0.003, z + ahead * 0.6], 0.0085, sides=6)
        for z in (0.15, 0.08)
    ]
    return join(pair(join(upper, lower, *struts, *cabane)))


def _gear(fat: float) -> Solid:
    level, x = -fat - 0.12, 0.125
    tyre = ring(0.042, 0.017, 16, 8).turned("z", 90).moved(x, level, 0.19)
    hub = ellipsoid(0.012, 0.034, 0.034, 10, 6).moved(x, level, 0.19)
    legs = [rod([fat * 0.6, -fat * 0.7, z], [x - 0.02, level, 0.19], 0.009, sides=6) for z in (0.24, 0.1)]
    axle = rod([-x, level, 0.19], [x, level, 0.19], 0.009, sides=6)
    skid = rod([0, -0.01, -0.33], [0, -0.075, -0.4], 0.01, 0.007, sides=6)
    return join(pair(join(tyre, hub, *legs)), axle, skid)
