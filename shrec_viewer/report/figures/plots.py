"""Curves and generality graphs as contents of figures: labels of axes, lines, and lines for comparison."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.charts.plot import (
    PlotCurve,
    ReferenceArea,
    ReferenceLine,
    ReferencePoint,
    References,
    area_between_lines,
)
from shrec_viewer.evaluation.plots.curves import Baselines, Floats
from shrec_viewer.evaluation.plots.generality import CLASS_SIZES, GeneralityCurve, GeneralityCurves
from shrec_viewer.metrics import Curve
from shrec_viewer.metrics.curves.curve import AVERAGING_LABELS, CurveAveraging
from shrec_viewer.metrics.generality.scope_graph import TRIS
from shrec_viewer.metrics.generality.surface import GeneralitySurface
from shrec_viewer.number_format import format_generality
from shrec_viewer.render.scene.palette import OverlapStyle, overlap_styles
from shrec_viewer.report.figures.content import FigureArea, FigureLine, FigurePoint, FigureSpec, FigureSurface
from shrec_viewer.report.figures.palettes import INK, TOKENS

IDEAL, RANDOM = "ideal", "random"
"""Lines for comparison: the ideal ranking, and random rankings."""

SELECTED_WIDTH, OTHER_WIDTH, EQUAL_WIDTH, REFERENCE_WIDTH = 1.6, 0.8, 1.0, 0.5
"""Line widths in points: selected run, other runs, runs where none is selected, reference lines."""

OVERLAP_EXTRA_WIDTH, OVERLAP_GAP_WIDTH = 0.6, 1.2
"""Points added to a line that covers an equal one, and to the background-coloured gap below the selected run where
another line runs inside it."""


@dataclass(frozen=True)
class FigureAxes:
    """Labels of the axes, their ranges, and the format of the ticks of x; see `FigureSpec`."""

    x_label: str
    y_label: str
    x_range: tuple[float, float]
    y_range: tuple[float, float]
    x_ticks: str = "number"


def plot_figure(title: str, axes: FigureAxes, lines: tuple[FigureLine, ...], references: References) -> FigureSpec:
    """A plot as a figure."""
    behind = tuple(
        FigureLine(
            "",
            line.x,
            line.y,
            TOKENS[line.token],
            line.dash,
            width=line.width * REFERENCE_WIDTH,
            mark=line.mark,
            at=line.at,
            ends=line.ends,
        )
        for line in references.lines
    )
    areas = tuple(FigureArea(area.x, area.y, TOKENS[area.token]) for area in references.areas)
    points = tuple(FigurePoint(point.label, point.x, point.y, INK) for point in references.points)
    return FigureSpec(
        title, axes.x_label, axes.y_label, axes.x_range, axes.y_range, lines, behind, areas, points, axes.x_ticks
    )


def figure_lines(curves: Sequence[PlotCurve], selected: str | None) -> tuple[FigureLine, ...]:
    """Curves in light colours as lines of a figure; `selected` is the key of the selected run, None for none."""
    overlaps = overlap_styles(curves, selected)
    return tuple(
        FigureLine(
            curve.label,
            curve.x,
            curve.y,
            curve.colour,
            "none" if curve.dotted and curve.key != selected else curve.dash,
            curve.marker,
            EQUAL_WIDTH if selected is None else SELECTED_WIDTH if curve.key == selected else OTHER_WIDTH,
            curve.dotted,
            curve.spread if curve.key == selected else None,
            **_overlap_style(curve, overlaps, selected),
        )
        for curve in curves
    )


def _overlap_style(curve: PlotCurve, overlaps: Mapping[str, OverlapStyle], selected: str | None) -> dict[str, Any]:
    """Fields of `FigureLine` for a line that covers an equal one; empty for others."""
    overlap = overlaps.get(curve.key)
    if overlap is None:
        return {}
    dash = overlap.dash if overlap.dash != curve.dash else ""
    groove, wider = (
        (SELECTED_WIDTH + OVERLAP_GAP_WIDTH, 0.0)
        if overlap.thin
        else (0.0, 0.0 if curve.key == selected else OVERLAP_EXTRA_WIDTH)
    )
    return {"level": overlap.level, "upon": dash, "groove": groove, "wider": wider}


def generality_range(doublings: tuple[float, float] | None) -> str:
    """Generality of one query, or of all queries of a mean, from its lowest and highest -log2; "" for unknown.

    Examples
    --------
    >>> generality_range((3.0, 3.0)), generality_range((3.0, 8.0)), generality_range(None)
    ('g = 1/8', 'g = 1/256 to 1/8', '')
    """
    if doublings is None:
        return ""
    low, high = doublings
    if high - low < 1e-9:
        return format_generality(low)
    return f"{format_generality(high)} to {format_generality(low).removeprefix('g = ')}"


def mean_axis_labels(x_label: str, average: CurveAveraging, curve: Curve, generality: str) -> tuple[str, ...]:
    """Titles of the x axis of mean curves, from the longest: way of averaging and generality, one of them, none.

    Examples
    --------
    >>> from shrec_viewer.metrics import find_curve
    >>> mean_axis_labels("Recall", "generality", find_curve("PR"), "g = 1/8")[1:]
    ('Recall (equal scope, g = 1/8)', 'Recall, g = 1/8', 'Recall')
    >>> mean_axis_labels("Rank", "class", find_curve("P"), "")
    ('Rank (mean over classes)', 'Rank (over classes)', 'Rank')
    """
    at = "over classes" if average == "class" else f"at {curve.averaged(average).label}"
    short = {"generality": "equal scope", "class": "over classes"}.get(average, AVERAGING_LABELS[average])
    suffix = f", {generality}" if generality else ""
    forms = f"{x_label} (mean {at}{suffix})", f"{x_label} ({short}{suffix})", f"{x_label}{suffix}", x_label
    return tuple(dict.fromkeys(forms))


def scope_label(scope: float, class_size: int | None) -> str:
    """Label of a line of constant scope s.

    Parameters
    ----------
    scope : s / c, the scope as a multiple of the class size.
    class_size : c; None where it differs between the queries.

    Examples
    --------
    >>> scope_label(0.25, None), scope_label(1.0, 149), scope_label(2.0, 149), scope_label(1 / 149, 149)
    ('s = c/4', 's = c', 's = 2c', 's = 1')
    >>> scope_label(1814 / 149, 149), scope_label(23.9, None), scope_label(1 / 8, 9), scope_label(1 / 8, 8)
    ('s = 1,814', 's = 23.9c', 's = c/8', 's = 1')
    """
    is_power = float(np.log2(scope)).is_integer()
    if class_size is not None and (not is_power or scope * class_size == 1.0):
        return f"s = {round(scope * class_size):,}"
    if scope == 1.0:
        return "s = c"
    return f"s = {scope:.3g}c" if scope > 1.0 else f"s = c/{1.0 / scope:.3g}"


BEFORE_EDITS, BASELINE = "before-edits", "baseline"
"""Curves before the edits of the assessment, and that of the baseline of the selected run, among the lines to show."""

SCOPE_LINES, UNREACHABLE, TRIS_POINT = "scopes", "wedge", "tris"
PRECISION_RECALL_OPTIONS = (SCOPE_LINES, UNREACHABLE, TRIS_POINT)
"""Options that apply to precision-recall curves only."""


MIN_BOUND_WIDTH = 0.005
"""Width in precision or recall below which the band between two bounds is not drawn: it would be one line."""


def curve_references(
    baselines: Baselines, options: frozenset[str], bounds: NDArray[np.float64] | None = None
) -> References:
    """The references of the checked options, as far as they are defined.

    Parameters
    ----------
    bounds : of the selected curve, see `RunCurve.bounds`; drawn as a band.
    """
    lines: list[ReferenceLine] = []
    areas: list[ReferenceArea] = []
    points: list[ReferencePoint] = []
    if bounds is not None and np.nanmax(bounds[1, 1] - bounds[0, 1], initial=0.0) > MIN_BOUND_WIDTH:
        (lower_x, lower_y), (upper_x, upper_y) = bounds
        corners = np.concatenate([lower_x, upper_x[::-1]]), np.concatenate([lower_y, upper_y[::-1]])
        areas.append(ReferenceArea("Range for unlisted models", *corners, "accent"))
    if UNREACHABLE in options and baselines.wedge is not None:
        # The reachable wedge fills most of the plot; shading the two regions outside of it leaves the curves readable.
        (_, _), (first, _), (_, _), (_, lowest) = baselines.wedge.tolist()
        left = ReferenceArea("Unreachable region", np.array([0.0, first, 0.0]), np.array([0.0, 1.0, 1.0]))
        below = ReferenceArea("Unreachable region", np.array([0.0, 1.0, 1.0]), np.array([0.0, lowest, 0.0]))
        areas += [left, below]
    if SCOPE_LINES in options and baselines.lines is not None and baselines.scopes is not None:
        for scope, line in zip(baselines.scopes.tolist(), baselines.lines, strict=True):
            if not np.isnan(line).any():
                label = scope_label(scope, baselines.class_size)
                lines.append(ReferenceLine(label, line[:, 0], line[:, 1], "line_strong", "dot", label, listed=False))
    if RANDOM in options and baselines.random is not None:
        x, y = baselines.random.x, baselines.random.y
        lines.append(ReferenceLine("Random", x, y, "muted", "dash", "random", ends=True))
    if IDEAL in options and baselines.ideal is not None:
        x, y = baselines.ideal.x, baselines.ideal.y
        at = int(np.searchsorted(x, 0.75))  # where curves of runs are seldom at precision 1
        lines.append(ReferenceLine("Ideal", x, y, "ink", "solid", "ideal", at=min(at, len(x) - 1)))
    if TRIS_POINT in options and baselines.lines is not None:
        points.append(ReferencePoint("TRIS", *TRIS))
    return References(tuple(areas), tuple(lines), tuple(points))


def generality_scope_labels(scope: int) -> tuple[str, str]:
    """Key and name of the generality plot of a scope, a multiple of the class size c.

    Examples
    --------
    >>> generality_scope_labels(1), generality_scope_labels(4)
    (('GRiP', 'Recall = precision at rank c'), ('GR4P', 'Recall at rank 4c'))
    """
    return ("GRiP", "Recall = precision at rank c") if scope == 1 else (f"GR{scope}P", f"Recall at rank {scope}c")


X_LABELS = ("Generality g, the share of relevant models (each step halves it)", "Generality g")
"""Long and short label of the x axis."""


MIN_BAND_WIDTH = 0.005
"""Width in recall below which the band between the bounds of unlisted models is not drawn: it would be one line."""


def generality_references(
    result: GeneralityCurves, selected: GeneralityCurve | None, options: frozenset[str]
) -> References:
    """Random baseline with its band, ideal ranking, generality of the collection, band of the unlisted models."""
    if result.request is None or math.isnan(result.low):
        return References()
    areas: list[ReferenceArea] = []
    lines: list[ReferenceLine] = []
    if RANDOM in options:
        areas.append(area_between_lines("Random, 95 % band", result.random_x, result.random_low, result.random_high))
        x, y = result.random_x, result.random
        lines.append(ReferenceLine("Random", x, y, "muted", "dash", "random", ends=True))
    if IDEAL in options:
        mark = "ideal (TRIS)" if result.request.measure == "recall" else "ideal"
        lines.append(
            ReferenceLine(
                "Ideal", result.ideal_x, result.ideal, "ink", "solid", mark, len(result.ideal_x) // 3, listed=False
            )
        )
    if result.request.variation != CLASS_SIZES:
        spread = None if selected is None else selected.spread
        if selected is not None and spread is not None and np.nanmax(np.diff(spread, axis=0)) > MIN_BAND_WIDTH:
            areas.append(area_between_lines("Range for unlisted models", selected.x, spread[0], spread[1], "accent"))
        x = np.array([result.low, result.low])
        label = f"collection {format_generality(result.low)}"
        if result.high > result.low + 1e-9:
            label = f"{label} to {format_generality(result.high).removeprefix('g = ')}"
        lines.append(ReferenceLine("Collection", x, np.array([0.0, 1.0]), "line_strong", "solid", label, listed=False))
    return References(tuple(area for area in areas if len(area.x)), tuple(lines))


def former_line(run: str, x: Floats, y: Floats) -> ReferenceLine:
    """The curve of a run before the edits of the assessment."""
    return ReferenceLine(f"{run} before the edits", x, y, "faint")


def baseline_line(run: str, x: Floats, y: Floats) -> ReferenceLine:
    """The curve of the version that is the baseline of a run."""
    return ReferenceLine(f"{run}: baseline", x, y, "muted", "solid", f"{run}: baseline")


FAMILY_STEP = 1.0
"""Doublings between two curves of the family, as in figure 1 of the source up to its last two."""

FAMILY_WIDTH = 2.4
"""Relative width of the curves of the family: wide and grey, so that none looks like the curve of a run."""


def family_lines(surface: GeneralitySurface, run: str, doublings: float | None = None) -> tuple[ReferenceLine, ...]:
    """Precision over recall of a run at g = 1, 1/2, 1/4 … and in the collection, named at their ends.

    Parameters
    ----------
    doublings : -log2 g of the curves of the runs, where the run has its own curve; None for the collection.
    """
    steps, last = surface.doublings / FAMILY_STEP, float(surface.doublings[-1])
    rows = np.flatnonzero((np.abs(steps - np.round(steps)) < 1e-9) | (surface.doublings == last))
    shown = last if doublings is None else doublings
    lines = []
    for row in rows[np.abs(surface.doublings[rows] - shown) > 1e-9].tolist():
        name = format_generality(float(surface.doublings[row]))
        listed = np.isfinite(surface.recall[row])
        x, y = surface.recall[row, listed], surface.precision[row, listed]
        lines.append(ReferenceLine(f"{run}, {name}", x, y, "line_strong", mark=name, ends=True, width=FAMILY_WIDTH))
    return tuple(lines)


SURFACE_STRIDE = 4
"""Every fourth relevant scope is a line of the surface: two per doubling."""


def surface_figure(
    surface: GeneralitySurface, title: str, level: float | None = None, angles: tuple[float, float] | None = None
) -> FigureSurface:
    """The surface as a figure, with every fourth relevant scope.

    Parameters
    ----------
    level : -log2 of the generality of the highlighted line; None for none.
    angles : azimuth and elevation in degrees; None for the default.
    """
    diagonal = int(np.argmin(np.abs(np.log2(surface.relevant_scopes))))
    columns = np.unique(
        np.append(np.arange(diagonal % SURFACE_STRIDE, len(surface.relevant_scopes), SURFACE_STRIDE), 0)
    )
    found = FigureSurface(
        title=title,
        doublings=surface.doublings,
        recall=surface.recall[:, columns],
        precision=surface.precision[:, columns],
        diagonal=int(np.flatnonzero(columns == diagonal)[0]),
        level=level,
    )
    return found if angles is None else replace(found, azimuth=angles[0], elevation=angles[1])
