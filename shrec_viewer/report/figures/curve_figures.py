"""Figures of curves: precision-recall and gain, generality graphs, families of curves, and the surface."""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Literal, cast

import numpy as np

from shrec_viewer.charts.plot import PlotCurve, ReferenceLine
from shrec_viewer.domain import ShrecError
from shrec_viewer.evaluation.plots.curves import (
    RECALL,
    AnyCurve,
    CurveRequest,
    CurveSet,
    Floats,
    RunCurve,
    compute_curve_set,
    differing_curves,
)
from shrec_viewer.evaluation.plots.generality import (
    CLASS_SIZES,
    GeneralityCurve,
    GeneralityRequest,
    generality_curves,
    surface_of_run,
)
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.metrics import Curve, curve_table, find_curve
from shrec_viewer.metrics.curves.curve import CurveAveraging
from shrec_viewer.metrics.curves.precision_recall import PR
from shrec_viewer.render.scene.palette import point_marker
from shrec_viewer.report.figures.content import FigureContent, FigureSpec
from shrec_viewer.report.figures.plots import (
    BASELINE,
    BEFORE_EDITS,
    X_LABELS,
    FigureAxes,
    baseline_line,
    curve_references,
    family_lines,
    figure_lines,
    former_line,
    generality_range,
    generality_references,
    mean_axis_labels,
    plot_figure,
    surface_figure,
)
from shrec_viewer.report.figures.request import (
    FigureData,
    FigureRequest,
    one_query,
    query_text,
    requested_runs,
    run_number,
    styles_of_runs,
)


def _no_check() -> None:
    return None


def curves_of(precision_recall: bool) -> list[Curve]:
    """Curve types of precision over recall, or all others but those over generality, those of gain first."""
    if precision_recall:
        return [curve for curve in curve_table() if curve.is_precision_recall]
    kinds = [curve for curve in curve_table() if not curve.is_precision_recall and curve.x != "generality"]
    return sorted(kinds, key=lambda curve: curve.y != "gain")


def precision_recall(data: FigureData, request: FigureRequest) -> FigureContent:
    """Precision over recall, of one query or averaged."""
    return _curve_plot(data, request, curves_of(precision_recall=True))


def gain(data: FigureData, request: FigureRequest) -> FigureContent:
    """Cumulated gain over rank or recall, and other curves by rank, of one query or averaged."""
    return _curve_plot(data, request, curves_of(precision_recall=False))


def _curve_plot(data: FigureData, request: FigureRequest, kinds: list[Curve]) -> FigureSpec:
    kind, query = _kind(data, request, kinds), one_query(data, request)
    average = _average(request, kind, is_mean=query is None)
    is_at_generality = average != "class" and kind.averaged(average).way == "generality"
    is_scaled = kind.at_generality is not None and (query is not None or is_at_generality)
    runs = requested_runs(data, request)
    names = [run.name for run in data.benchmark.runs]
    wanted = CurveRequest(
        kind,
        tuple((run, names[run]) for run in runs),
        query,
        request.ranks,
        request.over if kind.x == "rank" else "rank",
        average,
        request.doublings if is_scaled else None,
    )
    found = compute_curve_set(data.evaluated, wanted, _no_check)
    axes = _curve_axes(found, wanted, request, is_mean=query is None)
    title = f"{data.benchmark.name} {kind.key} {query_text(data, query)}"
    curves = _styled(data, request, found.curves, runs)
    selected = _selected(found.curves, data, request)
    has_scopes = kind.is_precision_recall and (query is not None or is_at_generality)
    shown = frozenset(key for key in request.show if has_scopes or key in ("ideal", "random"))
    references = curve_references(found.baselines, shown, None if selected is None else selected.bounds)
    before = _former_lines(data, request, partial(_curves, wanted=wanted), found.curves)
    after = _baseline_lines(data, request, wanted)
    references = replace(references, lines=(*before, *references.lines, *after))
    return plot_figure(title, axes, figure_lines(curves, _key(data, request)), references)


def _curves(scores: Scores, wanted: CurveRequest) -> tuple[RunCurve, ...]:
    return compute_curve_set(scores, wanted, _no_check).curves


def _generality_curves(scores: Scores, wanted: GeneralityRequest) -> tuple[GeneralityCurve, ...]:
    return generality_curves(scores, wanted, _no_check).curves


def _former_lines(
    data: FigureData,
    request: FigureRequest,
    compute: Callable[[Scores], tuple[AnyCurve, ...]],
    curves: tuple[AnyCurve, ...],
) -> tuple[ReferenceLine, ...]:
    """Curves before the edits of the assessment, of the runs whose curve the edits change."""
    if BEFORE_EDITS not in request.show or data.former is None:
        return ()
    runs = data.benchmark.runs
    before = differing_curves(compute(data.former), curves)
    return tuple(former_line(runs[curve.run].name, curve.x, curve.y) for curve in before)


def _baseline_lines(data: FigureData, request: FigureRequest, wanted: CurveRequest) -> tuple[ReferenceLine, ...]:
    """The curve of the version that is the baseline of the highlighted run."""
    if BASELINE not in request.show or data.baselines is None:
        return ()
    curves = compute_curve_set(data.baselines, wanted, _no_check).curves
    key = _key(data, request)
    return tuple(baseline_line(request.highlight, curve.x, curve.y) for curve in curves if str(curve.run) == key)


def _kind(data: FigureData, request: FigureRequest, kinds: list[Curve]) -> Curve:
    """The requested curve type; without one the first that the profile names, as in the window."""
    if not request.curve:
        named = [kind for key in data.profile.curves for kind in kinds if kind.key == key]
        is_default = kinds[0].is_precision_recall
        defaults = [kind for kind in named if is_default or (kind.y == "gain" and kind.x == "rank")]
        return (defaults or kinds)[0]
    kind = find_curve(request.curve)
    if kind not in kinds:
        known = ", ".join(kind.key for kind in kinds)
        raise ShrecError(f"'{kind.key}' is no curve of the figure '{request.kind}'; its curves are {known}")
    return kind


def _average(request: FigureRequest, kind: Curve, *, is_mean: bool) -> CurveAveraging | None:
    if not is_mean or not request.average:
        return None
    average = cast(CurveAveraging, request.average)
    if average != "class" and average not in [way.way for way in kind.ways]:
        known = ", ".join([*(way.way for way in kind.ways), "class"])
        raise ShrecError(f"curves '{kind.key}' cannot be averaged by '{average}'; the ways are {known}")
    return average


def _curve_axes(found: CurveSet, wanted: CurveRequest, request: FigureRequest, *, is_mean: bool) -> FigureAxes:
    kind, over_recall = wanted.kind, wanted.over == RECALL
    x_label = "Recall" if over_recall else kind.x_label
    generality = generality_range(found.baselines.doublings) if kind.is_precision_recall else ""
    if is_mean:
        way = "class" if wanted.average == "class" else kind.averaged(wanted.average).way
        label = mean_axis_labels(x_label, way, kind, generality)[0]
    else:
        label = f"{x_label} ({generality})" if generality else x_label
    over_ranks = kind.x == "rank" and not over_recall
    x_range = (1.0, float(wanted.ranks)) if over_ranks else (kind.x_range or (0.0, 1.0))
    return FigureAxes(
        label,
        kind.y_label,
        request.x_range or x_range,
        request.y_range or kind.y_range or range_of_values([curve.y for curve in found.curves]),
        "percent" if over_recall else "number",
    )


def range_of_values(values: list[Floats]) -> tuple[float, float]:
    """Range of all finite values from 0, or from the lowest if it is negative; (0, 1) without any."""
    finite = np.concatenate([np.zeros(0), *(array[np.isfinite(array)] for array in values)])
    if not len(finite):
        return 0.0, 1.0
    low, high = min(float(finite.min()), 0.0), float(finite.max())
    return (low, high) if high > low else (low, low + 1.0)


def _styled(
    data: FigureData, request: FigureRequest, curves: tuple[RunCurve | GeneralityCurve, ...], runs: list[int]
) -> list[PlotCurve]:
    """The curves with values, in the order of the runs, in their styles."""
    styles, computed = styles_of_runs(data, request), {curve.run: curve for curve in curves}
    lines = []
    for run in runs:
        curve, style = computed.get(run), styles[run]
        if curve is None or not np.isfinite(curve.y).any():
            continue
        line = PlotCurve(
            str(run), data.benchmark.runs[run].name, curve.x, curve.y, style.colour, style.dash, style.marker
        )
        if request.kind == "generality" and request.vary == CLASS_SIZES:
            spread = curve.spread if isinstance(curve, GeneralityCurve) else None
            line = PlotCurve(
                line.key, line.label, line.x, line.y, line.colour, line.dash, point_marker(style), True, spread
            )
        lines.append(line)
    if not lines:
        raise ShrecError("there is no curve to show: it is not defined for these runs and queries")
    return lines


def _key(data: FigureData, request: FigureRequest) -> str | None:
    """Key of the highlighted run's curve; None for none."""
    return str(run_number(data, request.highlight)) if request.highlight else None


def _selected(curves: tuple[AnyCurve, ...], data: FigureData, request: FigureRequest) -> AnyCurve | None:
    """The curve whose bounds are drawn as a band: that of the highlighted run, or the only one."""
    key = _key(data, request)
    if key is None:
        return curves[0] if len(curves) == 1 else None
    return next((curve for curve in curves if str(curve.run) == key), None)


def generality(data: FigureData, request: FigureRequest) -> FigureContent:
    """Recall at a relevant scope, or the E-measure, over the generality."""
    query = None if request.vary == CLASS_SIZES else one_query(data, request)
    runs = requested_runs(data, request)
    measure: Literal["recall", "E"] = "E" if request.measure.startswith("E") else "recall"
    wanted = GeneralityRequest(
        tuple((run, data.benchmark.runs[run].name) for run in runs), query, request.scope, request.vary, measure
    )
    found = generality_curves(data.evaluated, wanted, _no_check)
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
    axes = FigureAxes(
        X_LABELS[0],
        label,
        request.x_range or (start, max(end, start + 1.0)),
        request.y_range or (0.0, 1.0),
        "halves",
    )
    key = _key(data, request)
    selected = _selected(found.curves, data, request)
    references = generality_references(found, selected, frozenset(request.show))
    before = _former_lines(data, request, partial(_generality_curves, wanted=wanted), found.curves)
    references = replace(references, lines=(*before, *references.lines))
    lines = figure_lines(_styled(data, request, found.curves, runs), key)
    return plot_figure(f"{data.benchmark.name} {name} {query_text(data, query)}", axes, lines, references)


def family(data: FigureData, request: FigureRequest) -> FigureContent:
    """Precision over recall of all runs, and of one run at several values of generality."""
    query, runs = one_query(data, request), requested_runs(data, request)
    run = run_number(data, request.highlight) if request.highlight else runs[0]
    scores, names = data.evaluated, [run.name for run in data.benchmark.runs]
    wanted = CurveRequest(
        PR,
        tuple((number, names[number]) for number in runs),
        query,
        average=None if query is not None else "generality",
        doublings=request.doublings,
    )
    found = compute_curve_set(scores, wanted, _no_check)
    selected = next((curve for curve in found.curves if curve.run == run), None)
    references = curve_references(
        found.baselines, frozenset(request.show) - {"wedge"}, None if selected is None else selected.bounds
    )
    before = _former_lines(data, request, partial(_curves, wanted=wanted), found.curves)
    references = replace(references, lines=(*before, *references.lines))
    surface = surface_of_run(scores, query, names[run])
    if surface is not None:
        more = family_lines(surface, names[run], request.doublings)
        references = replace(references, lines=(*more, *references.lines))
    axes = _curve_axes(found, wanted, request, is_mean=query is None)
    lines = figure_lines(_styled(data, request, found.curves, runs), str(run))
    return plot_figure(f"{data.benchmark.name} PR {query_text(data, query)}", axes, lines, references)


def surface(data: FigureData, request: FigureRequest) -> FigureContent:
    """Precision over recall and generality of one run."""
    query, run = one_query(data, request), requested_runs(data, request)[0]
    name = data.benchmark.runs[run].name
    found = surface_of_run(data.evaluated, query, name)
    if found is None:
        raise ShrecError(f"there is no surface of {name} for {query_text(data, query)}: nothing is relevant or listed")
    title = f"{data.benchmark.name} {name} GReP {query_text(data, query)}"
    level = None if request.doublings is None else min(request.doublings, float(found.doublings[-1]))
    return surface_figure(found, title, level, request.angles)
