"""Fish."""

import numpy as np

from demo_benchmark.draw import Draw
from demo_benchmark.outline import curve
from demo_benchmark.parts import ellipsoid, hull, plate
from demo_benchmark.solid import Solid, join, pair

FISH_STYLES = ("carp", "angel", "pike", "shark", "puffer", "tuna", "goldfish")


def fish(draw: Draw) -> Solid:
    """A fish swimming towards +z: body, tail fin, back and belly fins, eyes."""
    kind = draw.style(FISH_STYLES)
    wide, tall = {
        "carp": (0.105, 0.19),
        "angel": (0.065, 0.3),
        "pike": (0.07, 0.095),
        "shark": (0.12, 0.13),
        "puffer": (0.25, 0.27),
        "tuna": (0.12, 0.17),
        "goldfish": (0.14, 0.2),
    }[kind]
    wide, tall = wide * draw.between(0.93, 1.1), tall * draw.between(0.93, 1.1)
    half = {"puffer": 0.36, "angel": 0.36, "pike": 0.58, "shark": 0.58, "goldfish": 0.38}.get(kind, 0.48)
    body = hull(
        [
            [half, -0.01, 0, 0],
            [half * 0.9, -0.01, wide * 0.45, tall * 0.36],
            [half * 0.5, 0, wide * 0.95, tall * 0.86],
            [half * 0.1, 0, wide, tall],
            [-half * 0.45, 0, wide * 0.62, tall * 0.6],
            [-half * 0.85, 0, wide * 0.24, tall * 0.22],
            [-half, 0, wide * 0.1, tall * 0.17],
        ],
        20,
    )
    eye = ellipsoid(0.02, 0.034, 0.034, 10, 8).moved(wide * 0.6, tall * 0.2, half * 0.7)
    return join(body, pair(join(eye, _side_fin(kind, wide, half))), *_fish_fins(kind, tall, half))


def _upright(outline: object, thickness: float) -> Solid:
    """A fin in the plane of symmetry: outline given as (z, y)."""
    return plate(np.asarray(outline, float), thickness, 0.06).turned("y", -90)


def _fish_fins(kind: str, tall: float, half: float) -> list[Solid]:
    spread = {"angel": 0.2, "shark": 0.27, "tuna": 0.27, "goldfish": 0.3, "puffer": 0.14}.get(kind, 0.2)
    notch = 0.12 if kind in ("tuna", "shark") else 0.05
    reach = 0.26 if kind == "goldfish" else 0.19
    upper = spread * (1.35 if kind == "shark" else 1.0)
    lobes = curve([[-half + 0.04, 0.03], [-half - reach * 0.5, upper * 0.6], [-half - reach, upper]], 3)
    under = curve([[-half - reach, -spread], [-half - reach * 0.5, -spread * 0.6], [-half + 0.04, -0.03]], 3)
    tail = _upright(np.vstack([lobes, [[-half - reach + notch, 0]], under]), 0.03)
    high = {"angel": 0.3, "shark": 0.2, "pike": 0.1, "puffer": 0.09, "goldfish": 0.17}.get(kind, 0.12)
    front, rear = {"shark": (0.16, -0.08), "pike": (-0.26, -0.42), "angel": (0.12, -0.24), "puffer": (-0.1, -0.26)}.get(
        kind, (0.16, -0.22)
    )
    top = tall * (0.5 if kind == "pike" else 0.8)
    lean = 0.16 if kind == "angel" else 0.08
    back = curve([[front, top], [(front + rear) / 2 - lean * 0.3, top + high * 0.85], [rear - lean, top + high]], 3)
    fins = [tail, _upright(np.vstack([back, [[rear, top * 0.8], [front, top * 0.6]]]), 0.026)]
    if kind != "puffer":
        share = 0.95 if kind == "angel" else 0.55
        belly = back[:, :] * [1, -1]
        belly[:, 1] = -top - (back[:, 1] - top) * share
        fins.append(
            _upright(
                np.vstack([belly, [[rear, -top * 0.8], [front, -top * 0.6]]]) - [0.1 if kind != "angel" else 0, 0],
                0.026,
            )
        )
    return fins


def _side_fin(kind: str, wide: float, half: float) -> Solid:
    reach = {"shark": 0.3, "tuna": 0.2, "goldfish": 0.18}.get(kind, 0.14)
    outline = np.array(
        [[0, 0.05], [reach * 0.6, 0.04], [reach * 0.95, -0.03], [reach, -0.09], [reach * 0.55, -0.1], [0, -0.05]]
    )
    blade = plate(outline, 0.024, 0.05).turned("x", 90)
    return blade.turned("z", -28).moved(wide * 0.75, -0.05, half * 0.42)
