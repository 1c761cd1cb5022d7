"""Dogs of several breeds."""

import numpy as np

from demo_benchmark.draw import Draw
from demo_benchmark.outline import circle, curve
from demo_benchmark.parts import ellipsoid, hull, tube
from demo_benchmark.solid import Solid, join, pair

DOG_STYLES = ("hound", "dachshund", "poodle", "terrier", "greyhound", "bulldog", "shepherd")


def dog(draw: Draw) -> Solid:
    """A dog on four legs looking towards +z."""
    kind = draw.style(DOG_STYLES)
    long, leg, chest = {
        "hound": (0.56, 0.36, 0.135),
        "dachshund": (0.78, 0.15, 0.115),
        "poodle": (0.46, 0.38, 0.125),
        "terrier": (0.44, 0.26, 0.13),
        "greyhound": (0.6, 0.46, 0.12),
        "bulldog": (0.46, 0.22, 0.18),
        "shepherd": (0.6, 0.38, 0.145),
    }[kind]
    long, leg = long * draw.between(0.95, 1.05), leg * draw.between(0.95, 1.05)
    back = leg + chest
    tuck = 0.62 if kind == "greyhound" else 0.85
    trunk = hull(
        [
            [long * 0.56, back + 0.02, 0, 0],
            [long * 0.5, back + 0.01, chest * 0.6, chest * 0.62],
            [long * 0.32, back - 0.01, chest * 0.85, chest * 1.05],
            [-long * 0.1, back + chest * (1 - tuck) * 0.6, chest * 0.75 * tuck, chest * tuck],
            [-long * 0.38, back + 0.015, chest * 0.8, chest * 0.88],
            [-long * 0.5, back, chest * 0.4, chest * 0.5],
            [-long * 0.54, back, 0, 0],
        ],
        18,
    )
    raised = 0.07 if kind in ("greyhound", "poodle", "hound", "shepherd") else 0.02
    nape = [0, back + chest * 1.35 + raised, long * 0.5 + 0.12]
    head = _dog_head(kind).scaled(1.15).moved(*nape)
    path = curve(
        [[0, back - 0.01, long * 0.3], [0, back + chest * 0.75, long * 0.46], [0, nape[1] - 0.01, nape[2] - 0.03]]
    )
    neck = tube(path, np.linspace(chest * 0.8, 0.062, len(path)), 16, "round")
    legs = pair(join(_leg(leg, chest, long * 0.34, front=True), _leg(leg, chest, -long * 0.38, front=False)))
    return join(trunk, neck, head, legs, _dog_tail(kind, back, chest, long), *_fluff(kind, leg, chest, long, back))


def _dog_head(kind: str) -> Solid:
    snout = {"bulldog": 0.05, "greyhound": 0.17, "dachshund": 0.15, "poodle": 0.14}.get(kind, 0.12)
    wide = 0.11 if kind == "bulldog" else 0.068 if kind == "greyhound" else 0.082
    skull = hull(
        [
            [-0.1, 0.01, 0, 0],
            [-0.07, 0.015, wide * 0.75, 0.065],
            [0, 0.015, wide, 0.082],
            [0.06, 0, wide * 0.8, 0.066],
            [0.075 + snout * 0.4, -0.022, wide * 0.55, 0.045],
            [0.075 + snout * 0.92, -0.028, wide * 0.46, 0.036],
            [0.085 + snout, -0.026, 0, 0],
        ],
        16,
    )
    nose = ellipsoid(0.02, 0.017, 0.016, 8, 6).moved(0, -0.008, 0.085 + snout)
    eye = ellipsoid(0.014, sides=8, steps=6).moved(wide * 0.62, 0.04, 0.065)
    return join(skull, nose, pair(join(eye, _dog_ear(kind, wide))))


def _dog_ear(kind: str, wide: float) -> Solid:
    if kind in ("terrier", "shepherd", "bulldog"):
        size = 0.75 if kind == "bulldog" else 1.0
        ear = hull([[0.0, 0, 0.038, 0.018], [0.05, 0, 0.032, 0.014], [0.12, 0, 0, 0]], 8).scaled(size).turned("x", -90)
        return ear.turned("z", -12).moved(wide * 0.55, 0.06, -0.02)
    drop = {"dachshund": 0.17, "poodle": 0.15, "greyhound": 0.09}.get(kind, 0.15)
    path = curve([[wide * 0.6, 0.07, -0.02], [wide * 1.15, 0.045, -0.025], [wide * 1.3, 0.07 - drop, -0.01]], 3)
    sizes = curve([[0.023], [0.042], [0.015]], 3)[:, 0]
    return tube(path, sizes, section=circle(8) * [1.0, 0.33], side=(0, 0, 1), ends="round")


def _leg(leg: float, chest: float, z: float, front: bool) -> Solid:
    x = chest * 0.52
    bend = 0.0 if front else 0.045
    path = curve(
        [
            [x * 0.9, leg + chest * 0.7, z],
            [x, leg * 0.62, z + bend * 0.6],
            [x, leg * 0.32, z - bend],
            [x, 0.03, z - bend * 0.4],
        ],
        2,
    )
    thick = 0.036 + 0.12 * (chest - 0.115)
    sizes = curve([[thick * (1.75 if front else 2.1)], [thick * 1.25], [thick * 0.95], [thick * 0.9]], 2)[:, 0]
    paw = ellipsoid(thick * 1.15, 0.028, thick * 1.6, 10, 5).moved(x, 0.024, z - bend * 0.4 + thick * 0.5)
    return join(tube(path, sizes, section=circle(10) * [0.8, 1.15], side=(1, 0, 0), ends="round"), paw)


def _dog_tail(kind: str, back: float, chest: float, long: float) -> Solid:
    z, y = -long * 0.47, back + chest * 0.35
    if kind in ("poodle", "terrier", "bulldog"):
        reach = 0.06 if kind == "bulldog" else 0.16
        return tube(
            [[0, y - 0.02, z], [0, y + reach * 0.7, z - reach * 0.35], [0, y + reach, z - reach * 0.4]],
            [0.03, 0.022, 0.014],
            8,
            "round",
        )
    up = -0.2 if kind in ("greyhound", "shepherd") else 0.14
    path = curve([[0, y, z], [0, y + up * 0.1, z - 0.1], [0, y + up * 0.5, z - 0.2], [0, y + up * 1.25, z - 0.27]], 4)
    thick = 2.0 if kind == "shepherd" else 1.0
    return tube(path, curve([[0.03], [0.026 * thick], [0.022 * thick], [0.009]], 4)[:, 0], 8, "round")


def _fluff(kind: str, leg: float, chest: float, long: float, back: float) -> list[Solid]:
    if kind != "poodle":
        return []
    ball = ellipsoid(0.075, sides=12, steps=8)
    socks = pair(
        join(*(ball.scaled(0.95, 0.9, 0.95).moved(chest * 0.55, leg * 0.26, z) for z in (long * 0.34, -long * 0.42)))
    )
    tuft = ball.moved(0, back + chest * 0.35 + 0.2, -long * 0.47 - 0.08)
    mane = ellipsoid(chest * 1.3, chest * 1.35, chest * 1.25, 14, 10).moved(0, back, long * 0.3)
    crown = ellipsoid(0.095, 0.08, 0.09, 12, 8).moved(0, back + chest * 1.35 + 0.16, long * 0.5 + 0.1)
    return [socks, tuft, mane, crown]
