"""Spiders."""

import numpy as np

from demo_benchmark.draw import Draw
from demo_benchmark.outline import curve
from demo_benchmark.parts import ellipsoid, tube
from demo_benchmark.solid import Solid, join, pair


def spider(draw: Draw) -> Solid:
    """A spider: head, abdomen, eyes, fangs, and eight bent legs."""
    kind = draw.style(("garden", "tarantula", "daddy", "jumping", "widow", "crab", "wolf"))
    abdomen, leg, thick, high = {
        "garden": (0.2, 0.5, 0.02, 0.3),
        "tarantula": (0.21, 0.46, 0.038, 0.2),
        "daddy": (0.13, 0.74, 0.015, 0.46),
        "jumping": (0.17, 0.3, 0.03, 0.16),
        "widow": (0.23, 0.48, 0.017, 0.27),
        "crab": (0.17, 0.46, 0.025, 0.12),
        "wolf": (0.17, 0.52, 0.027, 0.24),
    }[kind]
    leg, high = leg * draw.between(0.93, 1.07), high * draw.between(0.9, 1.1)
    level = high * 0.45
    front = 0.6 if kind not in ("jumping", "tarantula") else 0.78
    head = ellipsoid(abdomen * front, abdomen * front * 0.72, abdomen * front * 1.1, 14, 8).moved(
        0, level, abdomen * 0.45
    )
    round_ = {"widow": (1.0, 1.0, 1.0), "crab": (1.2, 0.65, 0.95), "daddy": (0.8, 0.8, 1.3)}.get(
        kind, (0.88, 0.82, 1.25)
    )
    wide, tall, deep = (abdomen * share for share in round_)
    belly = ellipsoid(wide, tall, deep, 16, 10).moved(0, level + abdomen * 0.12, -abdomen * 0.95)
    nose = abdomen * (0.45 + front * 0.95)
    eyes = [
        ellipsoid(abdomen * size, sides=8, steps=6).moved(abdomen * x, level + abdomen * y, nose - abdomen * 0.1)
        for x, y, size in ((0.13, 0.22, 0.1), (0.3, 0.26, 0.07))
    ]
    fang = tube(
        [
            [abdomen * 0.16, level - abdomen * 0.05, nose - 0.02],
            [abdomen * 0.17, level - abdomen * 0.42, nose + abdomen * 0.08],
        ],
        [abdomen * 0.1, abdomen * 0.035],
        8,
        "round",
    )
    legs = [
        _spider_leg(turn, leg * size, thick, high, level, abdomen)
        for turn, size in ((62, 1.05), (24, 0.88), (-14, 0.9), (-50, 1.1))
    ]
    return join(head, belly, pair(join(*eyes, fang, *legs)))


def _spider_leg(turn: float, leg: float, thick: float, high: float, level: float, body: float) -> Solid:
    along = np.array([np.cos(np.radians(turn)), 0, np.sin(np.radians(turn))])
    start = np.array([0, level, body * 0.42]) + along * body * 0.3
    knee = start + along * leg * 0.45 + [0, high * 0.75, 0]
    shin = start + along * leg * 0.78 + [0, high * 0.12, 0]
    foot = start + along * leg * 1.12
    foot[1] = 0
    path = np.vstack(
        [curve([start, knee * 0.55 + start * 0.45 + [0, high * 0.12, 0], knee], 2), curve([knee, shin, foot], 3)[1:]]
    )
    return tube(path, np.linspace(thick * 1.15, thick * 0.45, len(path)), 7, "round")
