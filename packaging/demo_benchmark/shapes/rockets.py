"""Rockets."""

import numpy as np

from demo_benchmark.draw import Draw
from demo_benchmark.outline import Points, curve
from demo_benchmark.parts import ellipsoid, lathe, plate, ring
from demo_benchmark.solid import Solid, around, join

PORTHOLES = (32, 152, 272)
"""Degrees around the rocket; the first looks at the usual camera."""


def rocket(draw: Draw) -> Solid:
    """A rocket standing on its fins, pointing up."""
    kind = draw.style(("toy", "moon", "boosters", "needle", "shuttle", "comic", "sounding"))
    radius = {
        "toy": 0.17,
        "moon": 0.11,
        "boosters": 0.1,
        "needle": 0.075,
        "shuttle": 0.12,
        "comic": 0.19,
        "sounding": 0.06,
    }[kind] * draw.between(0.92, 1.08)
    bulge = {"toy": 1.0, "comic": 1.25}.get(kind, 0.0)
    if bulge:
        side = curve([[radius * 0.62, 0.12], [radius * bulge, 0.42], [radius * 0.78, 0.78], [0, 1.15]], 6)
    elif kind == "moon":
        side = np.vstack(
            [
                [
                    [radius, 0.1],
                    [radius, 0.55],
                    [radius * 0.72, 0.64],
                    [radius * 0.72, 0.84],
                    [radius * 0.35, 0.97],
                    [radius * 0.12, 1.0],
                    [radius * 0.12, 1.12],
                    [0, 1.16],
                ]
            ]
        )
    else:
        side = np.vstack([[[radius, 0.1], [radius, 0.8]], curve([[radius, 0.82], [radius * 0.72, 0.98], [0, 1.15]], 5)])
    nozzle = np.array([[0, 0.05], [0.5, 0.02], [0.66, 0.0], [0.42, 0.1]]) * [radius, 1.0]
    parts = [lathe(np.vstack([nozzle, side]), 32), *_rocket_fins(draw, kind, radius)]
    if kind in ("boosters", "shuttle"):
        tank = lathe(
            np.vstack(
                [
                    [[0, 0.03], [0.03, 0.0], [0.045, 0.0], [0.035, 0.05], [0.055, 0.07], [0.055, 0.55]],
                    curve([[0.055, 0.56], [0.035, 0.65], [0, 0.7]], 4),
                ]
            ),
            14,
        )
        parts.append(around(tank.moved(radius + 0.05, 0, 0), 4 if kind == "boosters" else 2))
    if bulge:
        parts += [_porthole(side, 0.62).turned("y", turn) for turn in PORTHOLES]
    return join(*parts)


def _porthole(side: Points, height: float) -> Solid:
    """A round window at this height of the rocket's side, looking towards +z and leaning with the side."""
    around_it = np.interp([height - 0.05, height, height + 0.05], side[:, 1], side[:, 0])
    lean = np.degrees(np.arctan2(around_it[0] - around_it[2], 0.1))
    window = join(ring(0.055, 0.017, 20, 8), ellipsoid(0.045, 0.02, 0.045, 16, 6))
    return window.turned("x", 90 - lean).moved(0, height, around_it[1])


def _rocket_fins(draw: Draw, kind: str, radius: float) -> list[Solid]:
    reach = draw.between(0.16, 0.22) * (0.6 if kind in ("moon", "boosters", "shuttle") else 1.0)
    inner = radius * 0.5
    if kind in ("toy", "comic"):
        outer = curve([[inner, 0.46], [radius + reach * 0.75, 0.27], [radius + reach, -0.06]], 4)
        back = curve([[radius + reach * 0.82, -0.06], [radius + reach * 0.45, 0.1], [inner, 0.17]], 3)
        outline = np.vstack([outer, back])
    else:
        outline = np.array(
            [
                [inner, 0.4],
                [radius + 0.01, 0.36],
                [radius + reach, 0.12],
                [radius + reach, 0.02],
                [radius + 0.01, 0.08],
                [inner, 0.1],
            ]
        )
    fin = plate(outline, 0.03, 0.03)
    if kind == "shuttle":
        return [around(fin, 2, 90), ellipsoid(0.05, 0.09, 0.05, 12, 8).moved(0, 0.86, radius * 0.8)]
    return [around(fin, 3 if kind in ("comic", "sounding") else 4, 30 if kind == "comic" else 45)]
