"""Tables and lamps."""

import numpy as np

from demo_benchmark.draw import Draw
from demo_benchmark.outline import curve, rectangle
from demo_benchmark.parts import box, cylinder, ellipsoid, lathe, ring, rod, tube
from demo_benchmark.solid import Solid, around, join, pair

TABLE_STYLES = ("four", "pedestal", "trestle", "desk", "round", "coffee", "splayed", "picnic")


def table(draw: Draw) -> Solid:
    """A table: an oblong or round top on four legs, a foot, trestles or drawers."""
    kind = draw.style(TABLE_STYLES)
    width, depth = draw.between(1.2, 1.6), draw.between(0.7, 0.85)
    height = draw.between(0.70, 0.78)
    if kind in ("pedestal", "round"):
        return _round_table(kind, draw.between(0.42, 0.56), height)
    if kind == "picnic":
        return _picnic(width, height)
    if kind == "coffee":
        height *= 0.58
    top = box(width, 0.045, depth, 0.014).moved(y=height)
    return join(top, *_table_supports(kind, width, depth, height))


def _table_supports(kind: str, width: float, depth: float, height: float) -> list[Solid]:
    x, z = width / 2 - 0.07, depth / 2 - 0.07
    if kind == "trestle":
        post = box(0.09, height, 0.12).moved(x * 0.8)
        foot = box(0.09, 0.06, depth * 0.85, 0.02).moved(x * 0.8)
        bearer = box(0.07, 0.05, depth * 0.8).moved(x * 0.8, height - 0.045)
        beam = box(2 * x * 0.8, 0.09, 0.045).moved(y=height * 0.4)
        return [pair(join(post, foot, bearer)), beam]
    if kind == "desk":
        chest = box(0.36, height - 0.06, depth * 0.9, 0.012).moved(x - 0.12, 0.07)
        fronts = [
            join(
                box(0.30, height * 0.25, 0.02, 0.006).moved(x - 0.12, 0.1 + height * 0.29 * row, depth * 0.45),
                ellipsoid(0.02, sides=8, steps=5).moved(
                    x - 0.12, 0.1 + height * (0.29 * row + 0.13), depth * 0.45 + 0.02
                ),
            )
            for row in range(3)
        ]
        leg = box(0.05, height, 0.05).moved(-x, 0, z)
        feet = [box(0.04, 0.08, 0.04).moved(x - 0.12 + 0.13 * s, 0, t * z * 0.9) for s in (1, -1) for t in (1, -1)]
        return [chest, *fronts, leg, leg.scaled(1, 1, -1), *feet]
    apron = [box(2 * x, 0.08, 0.025).moved(0, height - 0.075, s * z) for s in (1, -1)]
    ends = pair(box(0.025, 0.08, 2 * z).moved(x, height - 0.075))
    if kind == "coffee":
        leg = box(0.07, height, 0.07, 0.012).moved(x, 0, z)
        shelf = box(2 * x, 0.025, 2 * z).moved(y=height * 0.3)
        return [pair(leg), pair(leg.scaled(1, 1, -1)), shelf]
    spread = 0.07 if kind == "splayed" else 0.0
    leg = tube(
        [[x - spread, height + 0.005, z - spread / 2], [x + spread / 2, 0, z + spread / 2]],
        [0.037, 0.02],
        section=rectangle(2, 2, 0.3),
        side=(1, 0, 0),
    )
    return (
        [pair(leg), pair(leg.scaled(1, 1, -1)), *apron, ends] if not spread else [pair(leg), pair(leg.scaled(1, 1, -1))]
    )


def _round_table(kind: str, radius: float, height: float) -> Solid:
    top = lathe(
        [[0, 0], [radius * 0.96, 0], [radius, 0.012], [radius, 0.035], [radius * 0.98, 0.045], [0, 0.045]], 32
    ).moved(y=height)
    if kind == "round":
        leg = tube(
            curve(
                [
                    [radius * 0.62, height, 0],
                    [radius * 0.72, height * 0.72, 0],
                    [radius * 0.58, height * 0.25, 0],
                    [radius * 0.72, 0.02, 0],
                ]
            ),
            np.linspace(0.036, 0.017, 13),
            8,
            "round",
        )
        apron = lathe([[0, -0.07], [radius * 0.66, -0.07], [radius * 0.66, 0.005], [0, 0.005]], 32).moved(y=height)
        return join(top, apron, around(leg, 4, 45))
    line = curve([[0.05, 0.2], [0.075, 0.3], [0.04, 0.42], [0.035, 0.55], [0.07, height - 0.03], [0.2, height]])
    column = lathe([[0, 0.14], [0.06, 0.14], *line, [0, height]])
    foot = tube(
        curve([[0.03, 0.22, 0], [0.2, 0.17, 0], [radius * 0.7, 0.035, 0], [radius * 0.78, 0.03, 0]]),
        np.linspace(0.045, 0.022, 13),
        8,
        "round",
    )
    return join(top, column, around(foot, 3 if radius < 0.5 else 4, 45))


def _picnic(width: float, height: float) -> Solid:
    plank = box(width, 0.035, 0.135, 0.008)
    top = [plank.moved(0, height, 0.15 * place) for place in (-2, -1, 0, 1, 2)]
    bench = [plank.moved(0, height * 0.58, s * 0.62 + t * 0.075) for s in (1, -1) for t in (1, -1)]
    x = width / 2 - 0.22
    beam = box(0.045, 0.07, 1.5).moved(x, height * 0.58 - 0.07)
    bearer = box(0.045, 0.06, 0.7).moved(x, height - 0.06)
    leg = tube([[x + 0.04, 0, 0.6], [x + 0.04, height, 0.22]], 0.5, section=rectangle(0.09, 0.18), side=(1, 0, 0))
    return join(*top, *bench, pair(join(beam, bearer, leg, leg.scaled(1, 1, -1))))


LAMP_STYLES = ("table", "floor", "desk", "baluster", "tripod", "arc", "globe")


def lamp(draw: Draw) -> Solid:
    """A lamp: a foot, a stem and a shade, standing on a table or the floor."""
    kind = draw.style(LAMP_STYLES)
    if kind == "desk":
        return _desk_lamp(draw)
    if kind == "arc":
        return _arc_lamp(draw)
    tall = kind in ("floor", "tripod")
    height = draw.between(1.1, 1.35) if tall else draw.between(0.34, 0.46)
    low, high = draw.between(0.17, 0.22), draw.between(0.08, 0.14)
    rise = draw.between(0.2, 0.27)
    top = (
        ellipsoid(low * 0.9, sides=28, steps=14).moved(y=height + low * 0.7)
        if kind == "globe"
        else _shade(low, high, rise).moved(y=height - 0.02)
    )
    return join(top, *_lamp_stand(kind, height, low))


def _shade(low: float, high: float, rise: float) -> Solid:
    """A hollow cone frustum, closed near its top so that it hides the stem's end."""
    wall = 0.008
    return lathe(
        [
            [0, rise * 0.62],
            [high * 0.6 + low * 0.4 - wall, rise * 0.6],
            [low - wall, 0.004],
            [low, 0],
            [high, rise],
            [high - wall, rise],
            [low * 0.34 + high * 0.66 - wall, rise * 0.66],
            [0, rise * 0.66],
        ],
        36,
    )


def _lamp_stand(kind: str, height: float, width: float) -> list[Solid]:
    bulb = lathe(
        curve([[0, height + 0.14], [0.035, height + 0.1], [0.018, height], [0.018, height - 0.03], [0, height - 0.03]]),
        12,
    )
    if kind == "baluster":
        line = curve(
            [[0.02, 0.03], [0.09, 0.1], [0.105, 0.18], [0.05, 0.27], [0.02, height * 0.86], [0.018, height + 0.1]]
        )
        return [lathe([[0, 0], [0.085, 0], [0.085, 0.02], *line, [0, height + 0.1]], 28)]
    if kind == "tripod":
        leg = rod([0.02, height, 0], [0.28, 0, 0], 0.014, 0.011)
        hub = cylinder(0.045, 0.06, 12).moved(y=height - 0.06)
        return [around(leg, 3, 90), hub, rod([0, height - 0.05, 0], [0, height + 0.08, 0], 0.015), bulb]
    radius = width * (0.75 if kind == "floor" else 0.62)
    base = lathe(
        [
            [0, 0],
            [radius, 0],
            [radius, 0.012],
            [radius * 0.85, 0.024],
            [0.03, 0.035],
            [0.014, 0.06],
            [0.012, height + 0.08],
            [0, height + 0.08],
        ],
        32,
    )
    knob = [
        ellipsoid(0.03, 0.022, 0.03, 12, 6).moved(y=height * share)
        for share in ((0.55,) if kind == "floor" else (0.3, 0.6))
    ]
    return [base, *knob]


def _desk_lamp(draw: Draw) -> Solid:
    base = lathe([[0, 0], [0.1, 0], [0.1, 0.014], [0.09, 0.022], [0.02, 0.03], [0.016, 0.05], [0, 0.05]])
    elbow = np.array([-draw.between(0.1, 0.16), draw.between(0.24, 0.3), 0])
    head = elbow + np.array([draw.between(0.22, 0.28), draw.between(0.12, 0.2), 0])
    lower = rod([0, 0.04, 0], elbow, 0.011)
    upper = rod(elbow, head, 0.011)
    joint = cylinder(0.02, 0.04, 12).moved(y=-0.02).turned("x", 90)
    shade = lathe(
        [
            [0, 0.035],
            [0.03, 0.04],
            [0.085, -0.06],
            [0.095, -0.085],
            [0.1, -0.085],
            [0.092, -0.055],
            [0.045, 0.055],
            [0.03, 0.08],
            [0, 0.085],
        ]
    )
    return join(
        base,
        lower,
        upper,
        joint.moved(*elbow),
        joint.moved(*head),
        shade.turned("z", 28).moved(*(head + np.array([0.015, -0.02, 0]))),
    )


def _arc_lamp(draw: Draw) -> Solid:
    reach, height = draw.between(0.75, 0.95), draw.between(1.3, 1.5)
    base = lathe([[0, 0], [0.19, 0], [0.19, 0.035], [0.17, 0.05], [0, 0.05]])
    path = curve(
        [
            [0, 0.03, 0],
            [0, height * 0.6, 0],
            [reach * 0.3, height, 0],
            [reach * 0.8, height * 0.98, 0],
            [reach, height * 0.78, 0],
        ],
        6,
    )
    dome = lathe(
        [[0, 0.09], [0.1, 0.07], [0.165, -0.03], [0.175, -0.03], [0.12, 0.09], [0.05, 0.13], [0, 0.14]]
    ).scaled(1.15)
    return join(base, tube(path, 0.014, 8), dome.moved(reach, height * 0.7), ring(0.02, 0.012, 12, 6).moved(y=0.06))
