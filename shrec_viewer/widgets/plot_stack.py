"""Which of several equal curves lies upon which, and how, so that each of them is seen."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shrec_viewer.widgets.plot_curve import PlotCurve

NEAR = 1e-9
"""Values nearer than this are one line on any screen."""

GAPS = ("gaps", "gaps2", "gaps3")
"""Dashes of the second, third and fourth of equal curves that have the same dash; their gaps grow, so that all show."""


@dataclass(frozen=True)
class Upon:
    """How a curve lies upon an equal one.

    Attributes
    ----------
    level : 1 for the first one upon the lowest, and so on.
    dash : a key of `DASH_PATTERNS` that leaves the lower one in sight.
    thin : the lowest one is the curve in hand, and wide: this one is a thin line in a groove of the ground's colour.
    """

    level: int
    dash: str
    thin: bool


def upon(curves: Sequence[PlotCurve], in_hand: str | None) -> dict[str, Upon]:
    """The curves that lie upon an equal one, by key: dashed ones upon solid ones, the one in hand last.

    A curve in hand that is solid lies below the others: it is wide, and they are drawn into it.
    """
    lines = [curve for curve in curves if curve.emphasis != "crowd" and not curve.dotted]
    found: dict[str, Upon] = {}
    while lines:
        first, *lines = lines
        equal = [first, *(curve for curve in lines if _are_equal(first, curve))]
        lines = [curve for curve in lines if curve not in equal]
        equal.sort(key=lambda curve: _rank(curve, in_hand))
        taken = {equal[0].dash}
        for level, curve in enumerate(equal[1:], start=1):
            thin = equal[0].key == in_hand  # a groove with the dashes of most runs would leave little of the wide line
            needs_gaps = thin or curve.dash in taken or curve.dash == "solid"
            found[curve.key] = Upon(level, GAPS[min(level, len(GAPS)) - 1] if needs_gaps else curve.dash, thin)
            taken.add(curve.dash)
    return found


def _rank(curve: PlotCurve, in_hand: str | None) -> int:
    is_solid = curve.dash == "solid"
    return (0 if is_solid else 3) if curve.key == in_hand else 1 if is_solid else 2


def _are_equal(one: PlotCurve, other: PlotCurve) -> bool:
    if len(one.x) != len(other.x) or not np.allclose(one.x, other.x, rtol=0.0, atol=NEAR, equal_nan=True):
        return False
    return bool(np.allclose(one.y, other.y, rtol=0.0, atol=NEAR, equal_nan=True))
