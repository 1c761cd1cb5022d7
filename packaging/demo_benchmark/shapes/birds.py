"""Birds that stand and swim."""

import numpy as np

from demo_benchmark.draw import Draw
from demo_benchmark.outline import curve
from demo_benchmark.parts import ellipsoid, hull, tube
from demo_benchmark.solid import Solid, join, pair

BIRD_STYLES = ("robin", "duck", "flamingo", "crow", "heron", "chick", "penguin")


HEADS = {"flamingo": 0.068, "heron": 0.062, "chick": 0.135, "robin": 0.12, "penguin": 0.115}
"""Half heights of heads; the others have 0.1."""


def bird(draw: Draw) -> Solid:
    """A standing bird: egg-shaped body, folded wings, beak, tail, two legs."""
    kind = draw.style(BIRD_STYLES)
    leg, neck, beak, fat = {
        "robin": (0.2, 0.08, 0.09, 0.19),
        "duck": (0.09, 0.2, 0.12, 0.2),
        "flamingo": (0.62, 0.5, 0.13, 0.16),
        "crow": (0.2, 0.11, 0.15, 0.17),
        "heron": (0.48, 0.38, 0.22, 0.15),
        "chick": (0.13, 0.09, 0.07, 0.2),
        "penguin": (0.05, 0.12, 0.1, 0.19),
    }[kind]
    leg, neck, fat = leg * draw.between(0.92, 1.08), neck * draw.between(0.92, 1.08), fat * draw.between(0.95, 1.05)
    pitch = {"penguin": -72, "robin": -28, "crow": -18, "chick": -25}.get(kind, -8)
    long = {"chick": 0.24, "penguin": 0.36, "robin": 0.29}.get(kind, 0.33)
    body = join(_bird_body(fat, long, kind), pair(_folded_wing(fat, long, kind))).turned("x", pitch)
    lift = leg + (long * 0.95 if kind == "penguin" else fat * 0.85)
    chest = body.vertices[np.argmax(body.vertices[:, 2] + 0.6 * body.vertices[:, 1])]
    head_at = (
        np.array([0, chest[1] + neck, chest[2] * 0.75 + neck * 0.3])
        if kind != "penguin"
        else np.array([0, long * 1.05, 0.02])
    )
    parts = [body, _neck(chest, head_at, fat, neck, HEADS.get(kind, 0.1)), _bird_head(kind, beak, fat).moved(*head_at)]
    return join(*(part.moved(y=lift) for part in parts), _bird_legs(kind, leg, fat))


def _bird_body(fat: float, long: float, kind: str) -> Solid:
    tail = {"crow": 0.24, "robin": 0.2, "duck": 0.1, "heron": 0.12, "flamingo": 0.1}.get(kind, 0.05)
    trunk = hull(
        [
            [long, 0.02, 0, 0],
            [long * 0.85, 0.02, fat * 0.5, fat * 0.5],
            [long * 0.35, 0, fat * 0.92, fat * 0.95],
            [-long * 0.25, 0, fat * 0.85, fat * 0.85],
            [-long * 0.8, 0.03, fat * 0.35, fat * 0.35],
            [-long, 0.05, 0, 0],
        ],
        18,
    )
    fan = hull(
        [[0.1, 0, fat * 0.3, 0.03], [-tail * 0.6, 0.03, fat * 0.38, 0.02], [-tail, 0.045, fat * 0.42, 0.01]], 10
    ).moved(0, 0.03, -long * 0.85)
    return join(trunk, fan)


def _folded_wing(fat: float, long: float, kind: str) -> Solid:
    thick = 0.035
    blade = hull(
        [
            [long * 0.55, 0.02, 0, 0],
            [long * 0.4, 0.02, thick, fat * 0.45],
            [0, 0.02, thick, fat * 0.55],
            [-long * 0.6, 0.03, thick * 0.7, fat * 0.3],
            [-long * 1.15, 0.06, 0, 0],
        ],
        10,
    )
    spread = -28.0 if kind == "penguin" else 0.0
    return blade.turned("y", 6 + spread * 0.4).moved(fat * 0.84, 0.01, 0)


def _neck(chest: np.ndarray, head: np.ndarray, fat: float, neck: float, size: float) -> Solid:
    if neck > 0.3:
        start = np.array([0, chest[1] - fat * 0.25, chest[2] * 0.72])
        middle = [[0, start[1] + neck * 0.35, start[2] + 0.14], [0, start[1] + neck * 0.72, head[2] - 0.09]]
        path = curve([start, *middle, head], 5)
        return tube(path, np.linspace(0.072, 0.042, len(path)), 10, "round")
    middle = [[0, head[1] * 0.3, head[2] * 0.42], [0, head[1] * 0.72, head[2] * 0.86]]
    path = curve([[0, 0, 0], *middle, head], 3)
    widths = curve([[fat * 0.82], [fat * 0.74], [(fat * 0.6 + size) / 2], [size * 0.8]], 3)[:, 0]
    return tube(path, widths, 18, "round")


def _bird_head(kind: str, beak: float, fat: float) -> Solid:
    size = HEADS.get(kind, 0.1)
    skull = ellipsoid(size, size * 0.98, size * 1.1, 18, 12)
    eye = pair(ellipsoid(size * 0.17, sides=8, steps=6).moved(size * 0.78, size * 0.3, size * 0.62))
    wide, high = (0.5, 0.2) if kind == "duck" else (0.3, 0.3)
    drop = -0.09 if kind == "flamingo" else -0.012
    bill = hull(
        [
            [size * 0.6, 0, size * wide * 1.1, size * high * 1.25],
            [size * 0.95 + beak * 0.5, drop * 0.2, size * wide, size * high],
            [size + beak, drop, size * wide * (0.9 if kind == "duck" else 0.15), size * high * 0.3],
        ],
        10,
    )
    return join(skull, eye, bill.moved(y=-size * 0.12))


def _bird_legs(kind: str, leg: float, fat: float) -> Solid:
    x = fat * 0.42
    thick = 0.016 if kind in ("flamingo", "heron") else 0.019
    shin = tube([[x, leg + fat * 0.5, -0.02], [x, leg * 0.5, -0.04], [x, 0.015, 0]], [thick * 1.5, thick, thick], 8)
    if kind in ("duck", "penguin"):
        foot = hull([[-0.05, 0.015, 0.015, 0.014], [0.02, 0.016, 0.055, 0.015], [0.12, 0.012, 0.085, 0.01]], 10).moved(
            x
        )
        return pair(join(shin, foot))
    toes = [
        tube([[x, 0.016, 0], [x + 0.12 * np.sin(a), 0.012, 0.12 * np.cos(a)]], [thick * 0.85, thick * 0.4], 6, "round")
        for a in np.radians((-32, 0, 32, 180))
    ]
    return pair(join(shin, *toes))
