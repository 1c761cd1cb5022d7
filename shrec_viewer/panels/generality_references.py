"""What the generality graph draws besides the runs: chance with its band, the present collection, open bounds."""

import math

import numpy as np

from shrec_viewer.panels.curve_options import IDEAL, RANDOM
from shrec_viewer.panels.curve_values import columns_of
from shrec_viewer.panels.generality_words import generality_words
from shrec_viewer.viewmodels.generality_work import CLASSES, GeneralityCurve, GeneralityDrawn
from shrec_viewer.widgets.plot_curve import PlotCurve
from shrec_viewer.widgets.plot_reference import NO_REFERENCES, ReferenceArea, ReferenceLine, References, band
from shrec_viewer.widgets.plot_table import Column

WIDE = 0.005
"""Of recall: open bounds that are nearer than this are one line on the screen."""


def generality_references(drawn: GeneralityDrawn, in_hand: GeneralityCurve | None, on: frozenset[str]) -> References:
    """Chance with its band, the generality of the present collection, and what the list in hand leaves open."""
    if drawn.asked is None or math.isnan(drawn.low):
        return NO_REFERENCES
    areas: list[ReferenceArea] = []
    lines: list[ReferenceLine] = []
    if RANDOM in on:
        areas.append(band("Chance, 19 of 20", drawn.chance_x, drawn.chance_low, drawn.chance_high))
        place = len(drawn.chance_x) // 3
        lines.append(ReferenceLine("Random", drawn.chance_x, drawn.chance, "muted", "dash", "random", at=place))
    if IDEAL in on:
        x = np.array([min(0.0, drawn.low), drawn.high])
        lines.append(ReferenceLine("Ideal", x, np.ones(2), "ink", "solid", "ideal (TRIS)", at=0, listed=False))
    if drawn.asked.how != CLASSES:
        if in_hand is not None and in_hand.spread is not None and np.nanmax(np.diff(in_hand.spread, axis=0)) > WIDE:
            low, high = in_hand.spread
            areas.append(band("What the list leaves open", in_hand.x, low, high, "accent"))
        now = np.array([drawn.low, drawn.low])
        words = f"present {generality_words(drawn.low)}"
        if drawn.high > drawn.low + 1e-9:
            words = f"present {generality_words(drawn.low)} to {generality_words(drawn.high).removeprefix('g = ')}"
        lines.append(ReferenceLine("Present", now, np.array([0.0, 1.0]), "line_strong", "solid", words, listed=False))
    return References(tuple(area for area in areas if len(area.x)), tuple(lines))


def generality_columns(curves: list[PlotCurve], drawn: GeneralityDrawn, chance: bool) -> list[Column]:
    """-log2 g and g, then each run; chance at the levels of the first run."""
    if not curves:
        return []
    x = curves[0].x
    has_chance = chance and len(x) and len(drawn.chance_x)
    lines = (ReferenceLine("Random", x, np.interp(x, drawn.chance_x, drawn.chance)),) if has_chance else ()
    apart = any(not np.array_equal(curve.x, x) for curve in curves)
    columns = columns_of(curves, References((), lines), "−log₂ g", "Recall", own_x=apart)
    return [columns[0], Column("g", np.exp2(-columns[0].values), 6), *columns[1:]]
