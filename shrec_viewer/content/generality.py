"""Generality: recall over the generality, families of curves, and the surface."""

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar, Literal

import numpy as np

from shrec_viewer.charts.plot import Axes, Plot, ReferenceArea, ReferenceLine, References, area_between_lines
from shrec_viewer.charts.surface import Surface
from shrec_viewer.content.curves import (
    IDEAL,
    RANDOM,
    CurvesRequest,
    curve_axes,
    curve_key,
    curve_references,
    former_lines,
    run_curves,
    selected_curve,
    styled_curves,
)
from shrec_viewer.content.data import ContentData, query_number, query_text, run_number, run_numbers
from shrec_viewer.content.request import Range, Request, option, runs_option
from shrec_viewer.domain import ShrecError
from shrec_viewer.evaluation.evaluate import make_checkpoint
from shrec_viewer.evaluation.plots.curves import CurveRequest, compute_curve_set
from shrec_viewer.evaluation.plots.generality import (
    ADD_IRRELEVANT,
    CLASS_SIZES,
    GeneralityCurve,
    GeneralityCurves,
    GeneralityRequest,
    generality_curves,
    surface_of_run,
)
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.metrics.curves.precision_recall import PR
from shrec_viewer.metrics.generality.surface import GeneralitySurface
from shrec_viewer.number_format import format_generality


@dataclass(frozen=True)
class GeneralityPlotRequest(CurvesRequest):
    """Recall at a relevant scope over the generality."""

    kind: ClassVar[str] = "generality"

    measure: str = option("", metavar="KEY", help="Measure; default: the main one of the profile.")
    scope: int = option(1, "Scope", low=1, high=1024, metavar="N", help="Recall at rank N c.")
    vary: str = option(
        ADD_IRRELEVANT,
        "Vary",
        {ADD_IRRELEVANT: "Growing collection", CLASS_SIZES: "Class sizes"},
        help="How the generality is varied.",
    )


@dataclass(frozen=True)
class FamilyRequest(CurvesRequest):
    """Precision over recall of one run at several values of generality."""

    kind: ClassVar[str] = "family"

    doublings: float | None = option(
        None, low=0, metavar="D", help="Curves at generality 1/2^D; of the surface: a line at it."
    )


@dataclass(frozen=True)
class SurfaceRequest(Request):
    """Precision over recall and generality of one run."""

    kind: ClassVar[str] = "surface"

    runs: tuple[str, ...] = runs_option(follows="run")
    query: str = option("", metavar="ID", help="One query instead of the means over all.", follows="curve query")
    doublings: float | None = option(
        None, low=0, metavar="D", help="Curves at generality 1/2^D; of the surface: a line at it."
    )
    angles: Range | None = option(None, metavar="A E", help="Azimuth and elevation in degrees.")


def _generality_curves(data: ContentData, scores: Scores, wanted: GeneralityRequest) -> tuple[GeneralityCurve, ...]:
    return generality_curves(scores, wanted, make_checkpoint(data.cancelled)).curves


def generality(data: ContentData, request: GeneralityPlotRequest) -> Plot:
    """Recall at a relevant scope, or the E-measure, over the generality."""
    query = None if request.vary == CLASS_SIZES else query_number(data, request.query) if request.query else None
    runs = run_numbers(data, request.runs)
    measure: Literal["recall", "E"] = "E" if request.measure.startswith("E") else "recall"
    wanted = GeneralityRequest(
        tuple((run, data.benchmark.runs[run].name) for run in runs), query, request.scope, request.vary, measure
    )
    found = generality_curves(data.evaluated, wanted, make_checkpoint(data.cancelled))
    is_growing, is_known = request.vary != CLASS_SIZES, math.isfinite(found.high)
    end = (found.low if is_growing else found.high) if is_known else 1.0
    scope = wanted.lowest_scope
    start = float(math.floor(math.log2(scope) if is_growing or not is_known else min(found.low, end - 1.0)))
    if measure == "E":
        label, name = "E-measure", "E"
    elif request.scope == 1:
        label, name = "Recall = precision", "GRiP"
    else:
        label, name = f"Recall at rank {request.scope}c", f"GR{request.scope}P"
    axes = Axes(
        X_LABELS[0],
        label,
        request.x_range or (start, max(end, start + 1.0)),
        request.y_range or (0.0, 1.0),
        "halves",
    )
    key = curve_key(data, request)
    selected = selected_curve(found.curves, data, request)
    references = generality_references(found, selected, frozenset(request.show))
    before = former_lines(data, request, partial(_generality_curves, data, wanted=wanted), found.curves)
    references = replace(references, lines=(*before, *references.lines))
    curves = tuple(styled_curves(data, request, found.curves, runs))
    return Plot(f"{data.benchmark.name} {name} {query_text(data, query)}", axes, curves, key, references)


def family(data: ContentData, request: FamilyRequest) -> Plot:
    """Precision over recall of all runs, and of one run at several values of generality."""
    query, runs = query_number(data, request.query) if request.query else None, run_numbers(data, request.runs)
    run = run_number(data, request.highlight) if request.highlight else runs[0]
    scores, names = data.evaluated, [run.name for run in data.benchmark.runs]
    wanted = CurveRequest(
        PR,
        tuple((number, names[number]) for number in runs),
        query,
        average=None if query is not None else "generality",
        doublings=request.doublings,
    )
    found = compute_curve_set(scores, wanted, make_checkpoint(data.cancelled))
    selected = next((curve for curve in found.curves if curve.run == run), None)
    references = curve_references(
        found.baselines, frozenset(request.show) - {"wedge"}, None if selected is None else selected.bounds
    )
    before = former_lines(data, request, partial(run_curves, data, wanted=wanted), found.curves)
    references = replace(references, lines=(*before, *references.lines))
    surface = surface_of_run(scores, query, names[run])
    if surface is not None:
        more = family_lines(surface, names[run], request.doublings)
        references = replace(references, lines=(*more, *references.lines))
    axes = curve_axes(found, wanted, request, is_mean=query is None)
    curves = tuple(styled_curves(data, request, found.curves, runs))
    return Plot(f"{data.benchmark.name} PR {query_text(data, query)}", axes, curves, str(run), references)


def surface(data: ContentData, request: SurfaceRequest) -> Surface:
    """Precision over recall and generality of one run."""
    query, run = query_number(data, request.query) if request.query else None, run_numbers(data, request.runs)[0]
    name = data.benchmark.runs[run].name
    found = surface_of_run(data.evaluated, query, name)
    if found is None:
        raise ShrecError(f"there is no surface of {name} for {query_text(data, query)}: nothing is relevant or listed")
    title = f"{data.benchmark.name} {name} GReP {query_text(data, query)}"
    level = None if request.doublings is None else min(request.doublings, float(found.doublings[-1]))
    return surface_figure(found, title, level, request.angles)


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
) -> Surface:
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
    found = Surface(
        title=title,
        doublings=surface.doublings,
        recall=surface.recall[:, columns],
        precision=surface.precision[:, columns],
        diagonal=int(np.flatnonzero(columns == diagonal)[0]),
        level=level,
    )
    return found if angles is None else replace(found, azimuth=angles[0], elevation=angles[1])
