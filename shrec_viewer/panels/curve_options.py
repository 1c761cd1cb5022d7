"""What a graph of curves draws besides them, as the person has it: references from baselines and options."""

import numpy as np

from shrec_viewer.metrics.generality_graph import TRIS
from shrec_viewer.panels.curve_words import scope_words
from shrec_viewer.viewmodels.curves_baselines import Baselines
from shrec_viewer.widgets.plot_reference import ReferenceArea, ReferenceLine, ReferencePoint, References

IDEAL, RANDOM, SCOPES, WEDGE, TRIS_POINT = "ideal", "random", "scopes", "wedge", "tris"

FOR_RECALL = (SCOPES, WEDGE, TRIS_POINT)
"""Options that only the precision-recall graph has."""


def references_of(baselines: Baselines, on: frozenset[str]) -> References:
    """The references that are on and known."""
    lines: list[ReferenceLine] = []
    areas: list[ReferenceArea] = []
    points: list[ReferencePoint] = []
    if WEDGE in on and baselines.wedge is not None:
        # The wedge is nearly everything; what is left of it and below it is what one wants to see.
        (_, _), (first, _), (_, _), (_, lowest) = baselines.wedge.tolist()
        left = ReferenceArea("Cannot be reached", np.array([0.0, first, 0.0]), np.array([0.0, 1.0, 1.0]))
        below = ReferenceArea("Cannot be reached", np.array([0.0, 1.0, 1.0]), np.array([0.0, lowest, 0.0]))
        areas += [left, below]
    if SCOPES in on and baselines.lines is not None and baselines.scopes is not None:
        for scope, line in zip(baselines.scopes.tolist(), baselines.lines, strict=True):
            if not np.isnan(line).any():
                words = scope_words(scope)
                lines.append(ReferenceLine(words, line[:, 0], line[:, 1], "line_strong", "dot", words, listed=False))
    if RANDOM in on and baselines.random is not None:
        place = len(baselines.random.x) * 2 // 3
        lines.append(
            ReferenceLine("Random", baselines.random.x, baselines.random.y, "muted", "dash", "random", at=place)
        )
    if IDEAL in on and baselines.ideal is not None:
        place = len(baselines.ideal.x) // 3
        lines.append(ReferenceLine("Ideal", baselines.ideal.x, baselines.ideal.y, "ink", "solid", "ideal", at=place))
    if TRIS_POINT in on:
        points.append(ReferencePoint("TRIS", *TRIS))
    return References(tuple(areas), tuple(lines), tuple(points))
