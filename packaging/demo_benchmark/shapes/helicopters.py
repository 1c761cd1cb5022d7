"""Helicopters."""

from demo_benchmark.draw import Draw
from demo_benchmark.outline import curve
from demo_benchmark.parts import box, ellipsoid, hull, lathe, ring, rod, tube, wing
from demo_benchmark.solid import Solid, around, join, pair


def helicopter(draw: Draw) -> Solid:
    """A helicopter: cabin, boom, main and tail rotor, on skids or wheels."""
    kind = draw.style(("bubble", "rescue", "attack", "civil", "lift", "toy", "police"))
    wide, tall, long = {
        "bubble": (0.13, 0.14, 0.17),
        "rescue": (0.12, 0.125, 0.29),
        "attack": (0.065, 0.1, 0.28),
        "civil": (0.115, 0.12, 0.23),
        "lift": (0.13, 0.13, 0.36),
        "toy": (0.16, 0.16, 0.2),
        "police": (0.1, 0.115, 0.21),
    }[kind]
    wide, tall = wide * draw.between(0.95, 1.08), tall * draw.between(0.95, 1.08)
    tail = -long - draw.between(0.36, 0.44) * (0.75 if kind == "toy" else 1.0)
    cabin = hull(
        [
            [long, -tall * 0.2, 0, 0],
            [long * 0.88, -tall * 0.12, wide * 0.55, tall * 0.55],
            [long * 0.4, 0, wide, tall],
            [-long * 0.4, 0, wide, tall],
            [-long * 0.85, tall * 0.15, wide * 0.6, tall * 0.62],
            [-long, tall * 0.25, 0, 0],
        ],
        16,
        4,
        2.3,
    )
    boom = rod([0, tall * 0.35, -long * 0.6], [0, tall * 0.55, tail], tall * 0.38, 0.022, 12)
    fin = wing(0.17, 0.13, 0.07, 0.09, thickness=0.12).turned("z", 90).moved(0, tall * 0.5, tail + 0.1)
    plane = pair(wing(0.12, 0.08, 0.05, 0.02, thickness=0.1).moved(0, tall * 0.5, tail + 0.19))
    rotor = _rotor(draw.style((2, 4, 4, 3, 5, 2, 3)), draw.between(0.52, 0.6)).moved(0, tall, 0)
    small = (
        join(*(box(0.02, 0.11, 0.008).turned("z", 90 * place) for place in range(4)))
        .turned("y", 90)
        .moved(0.035, tall * 0.55 + 0.1, tail - 0.02)
    )
    hub = rod([0, tall * 0.55 + 0.1, tail - 0.02], [0.045, tall * 0.55 + 0.1, tail - 0.02], 0.016, sides=8)
    parts = [cabin, boom, fin, plane, rotor, small, hub]
    if kind == "attack":
        parts.append(
            pair(join(wing(0.19, 0.12, 0.09, 0.03, -0.02).moved(0.03, 0, 0.06), _pod().moved(0.17, -0.05, 0.03)))
        )
    return join(
        *parts, _skids(wide, tall, long) if kind in ("bubble", "civil", "police", "toy") else _castors(wide, tall, long)
    )


def _rotor(blades: int, reach: float) -> Solid:
    mast = lathe(
        [[0, -0.04], [0.07, -0.04], [0.04, 0.02], [0.018, 0.03], [0.018, 0.075], [0.04, 0.08], [0.04, 0.1], [0, 0.11]],
        12,
    )
    blade = box(reach, 0.012, 0.05, 0.003, (1, 0.8)).turned("x", 8).moved(reach / 2, 0.083, 0)
    return join(mast, around(blade, blades, 140))


def _pod() -> Solid:
    return hull([[0.12, 0, 0, 0], [0.1, 0, 0.022, 0.022], [-0.08, 0, 0.025, 0.025], [-0.09, 0, 0.012, 0.012]], 10)


def _skids(wide: float, tall: float, long: float) -> Solid:
    x, level = wide * 1.05, -tall - 0.075
    path = curve([[x, level + 0.05, long * 1.05], [x, level, long * 0.85], [x, level, 0], [x, level, -long * 0.8]], 4)
    legs = [rod([wide * 0.5, -tall * 0.75, z], [x, level, z], 0.011, sides=6) for z in (long * 0.4, -long * 0.4)]
    return pair(join(tube(path, 0.014, 8, "round"), *legs))


def _castors(wide: float, tall: float, long: float) -> Solid:
    level = -tall - 0.05
    tyre = ring(0.03, 0.017, 14, 8).turned("z", 90)
    hub = ellipsoid(0.013, 0.022, 0.022, 10, 6)
    main = join(tyre, hub).moved(wide * 0.95, level, -long * 0.35)
    leg = rod([wide * 0.7, -tall * 0.5, -long * 0.35], [wide * 0.9, level, -long * 0.35], 0.013, sides=6)
    nose = join(tyre, hub).moved(0, level, long * 0.6)
    return join(pair(join(main, leg)), nose, rod([0, -tall * 0.5, long * 0.6], [0, level, long * 0.6], 0.013, sides=6))
