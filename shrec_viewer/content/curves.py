"""Curves: precision over recall, gain and others by rank, and the lines for comparison."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.charts.plot import Axes, Plot, PlotCurve, ReferenceArea, ReferenceLine, ReferencePoint, References
from shrec_viewer.content.data import ContentData, query_number, query_text, run_number, run_numbers, styles_of_runs
from shrec_viewer.content.request import Range, Request, option, runs_option
from shrec_viewer.domain import ShrecError
from shrec_viewer.evaluation.evaluate import make_checkpoint
from shrec_viewer.evaluation.plots.curves import (
    DEFAULT_RANKS,
    RANK,
    RECALL,
    AnyCurve,
    Baselines,
    CurveRequest,
    CurveSet,
    RunCurve,
    compute_curve_set,
    differing_curves,
)
from shrec_viewer.evaluation.plots.generality import CLASS_SIZES, GeneralityCurve
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.metrics import find_curve
from shrec_viewer.metrics.curves.averaging import AVERAGING_LABELS, CurveAveraging
from shrec_viewer.metrics.curves.curve import Curve
from shrec_viewer.metrics.generality.scope_graph import TRIS
from shrec_viewer.metrics.tables import curve_table
from shrec_viewer.number_format import format_generality
from shrec_viewer.render.scene.palette import point_marker

IDEAL, RANDOM = "ideal", "random"
"""Lines for comparison: the ideal ranking, and random rankings."""


BEFORE_EDITS, BASELINE = "before-edits", "baseline"
"""Curves before the edits of the assessment, and that of the baseline of the selected run, among the lines to show."""


SCOPE_LINES, UNREACHABLE, TRIS_POINT = "scopes", "wedge", "tris"
PRECISION_RECALL_OPTIONS = (SCOPE_LINES, UNREACHABLE, TRIS_POINT)
"""Options that apply to precision-recall curves only."""


REFERENCES = (IDEAL, RANDOM, *PRECISION_RECALL_OPTIONS, BEFORE_EDITS, BASELINE)
"""All lines, areas and points for comparison."""


@dataclass(frozen=True)
class CurvesRequest(Request):
    """Options of all plots of curves."""

    runs: tuple[str, ...] = runs_option(follows="runs")
    query: str = option("", metavar="ID", help="One query instead of the means over all.", follows="curve query")
    show: tuple[str, ...] = option(
        (),
        "Lines for comparison",
        REFERENCES,
        metavar="LINE",
        help="Line for comparison; before-edits: curves without --edits, baseline: of --highlight; repeatable.",
    )
    highlight: str = option("", metavar="NAME", help="Run with a wide line.", follows="highlight")
    x_range: Range | None = option(None, metavar="LOW HIGH", help="Limits of the x axis of curves.")
    y_range: Range | None = option(None, metavar="LOW HIGH", help="Limits of the y axis of curves.")

    def __post_init__(self) -> None:
        """Check the limits of the axes."""
        for name, limits in (("x-range", self.x_range), ("y-range", self.y_range)):
            if limits is not None and not limits[0] < limits[1]:
                raise ShrecError(f"--{name}: the first limit must be less than the second")


@dataclass(frozen=True)
class RecallCurvesRequest(CurvesRequest):
    """Curves of one type, of a query or averaged."""

    curve: str = option("", "Curve", metavar="KEY", help="Curve, such as `PR11` or `NDCG`.")
    average: Literal["", "recall", "generality", "rank", "class"] = option(
        "", "Mean over queries", metavar="WAY", help="How mean curves are averaged."
    )
    doublings: float | None = option(None, low=0, metavar="D", help="Curves at generality 1/2^D.")


@dataclass(frozen=True)
class PrecisionRecallRequest(RecallCurvesRequest):
    """Precision over recall."""

    kind: ClassVar[str] = "precision_recall"


@dataclass(frozen=True)
class GainRequest(RecallCurvesRequest):
    """Gain, and other curves by rank."""

    kind: ClassVar[str] = "gain"

    ranks: int = option(DEFAULT_RANKS, "Ranks shown", low=2, high=100_000, metavar="N", help="Number of ranks.")
    over: str = option(RANK, "X axis", {RANK: "Rank", RECALL: "Recall (%)"}, help="The x axis of curves by rank.")


def curves_of(precision_recall: bool) -> list[Curve]:
    """Curve types of precision over recall, or all others but those over generality, those of gain first."""
    if precision_recall:
        return [curve for curve in curve_table() if curve.is_precision_recall]
    kinds = [curve for curve in curve_table() if not curve.is_precision_recall and curve.x != "generality"]
    return sorted(kinds, key=lambda curve: curve.y != "gain")


def precision_recall(data: ContentData, request: PrecisionRecallRequest) -> Plot:
    """Precision over recall, of one query or averaged."""
    return _curve_plot(data, request, curves_of(precision_recall=True))


def gain(data: ContentData, request: GainRequest) -> Plot:
    """Cumulated gain over rank or recall, and other curves by rank, of one query or averaged."""
    return _curve_plot(data, request, curves_of(precision_recall=False))


def _curve_plot(data: ContentData, request: PrecisionRecallRequest | GainRequest, kinds: list[Curve]) -> Plot:
    kind, query = _kind(data, request, kinds), query_number(data, request.query) if request.query else None
    average = _average(request, kind, is_mean=query is None)
    is_at_generality = average != "class" and kind.averaged(average).way == "generality"
    is_scaled = kind.at_generality is not None and (query is not None or is_at_generality)
    runs = run_numbers(data, request.runs)
    names = [run.name for run in data.benchmark.runs]
    ranks, over = (request.ranks, request.over) if isinstance(request, GainRequest) else (DEFAULT_RANKS, RANK)
    wanted = CurveRequest(
        kind,
        tuple((run, names[run]) for run in runs),
        query,
        ranks,
        over if kind.x == "rank" else RANK,
        average,
        request.doublings if is_scaled else None,
    )
    found = compute_curve_set(data.evaluated, wanted, make_checkpoint(data.cancelled))
    axes = curve_axes(found, wanted, request, is_mean=query is None)
    title = f"{data.benchmark.name} {kind.key} {query_text(data, query)}"
    curves = styled_curves(data, request, found.curves, runs)
    selected = selected_curve(found.curves, data, request)
    has_scopes = kind.is_precision_recall and (query is not None or is_at_generality)
    shown = frozenset(key for key in request.show if has_scopes or key in ("ideal", "random"))
    references = curve_references(found.baselines, shown, None if selected is None else selected.bounds)
    before = former_lines(data, request, partial(run_curves, data, wanted=wanted), found.curves)
    after = _baseline_lines(data, request, wanted)
    references = replace(references, lines=(*before, *references.lines, *after))
    return Plot(title, axes, tuple(curves), curve_key(data, request), references)


def run_curves(data: ContentData, scores: Scores, wanted: CurveRequest) -> tuple[RunCurve, ...]:
    """Curves of the runs of other scores than those of the data."""
    return compute_curve_set(scores, wanted, make_checkpoint(data.cancelled)).curves


def former_lines(
    data: ContentData,
    request: CurvesRequest,
    compute: Callable[[Scores], tuple[AnyCurve, ...]],
    curves: tuple[AnyCurve, ...],
) -> tuple[ReferenceLine, ...]:
    """Curves before the edits of the assessment, of the runs whose curve the edits change."""
    if BEFORE_EDITS not in request.show or data.former is None:
        return ()
    runs = data.benchmark.runs
    before = differing_curves(compute(data.former), curves)
    return tuple(former_line(runs[curve.run].name, curve.x, curve.y) for curve in before)


def _baseline_lines(data: ContentData, request: CurvesRequest, wanted: CurveRequest) -> tuple[ReferenceLine, ...]:
    """The curve of the version that is the baseline of the highlighted run."""
    if BASELINE not in request.show or data.baselines is None:
        return ()
    curves = compute_curve_set(data.baselines, wanted, make_checkpoint(data.cancelled)).curves
    key = curve_key(data, request)
    return tuple(baseline_line(request.highlight, curve.x, curve.y) for curve in curves if str(curve.run) == key)


def _kind(data: ContentData, request: RecallCurvesRequest, kinds: list[Curve]) -> Curve:
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


def _average(request: RecallCurvesRequest, kind: Curve, *, is_mean: bool) -> CurveAveraging | None:
    if not is_mean or not request.average:
        return None
    average = request.average
    if average != "class" and average not in [way.way for way in kind.ways]:
        known = ", ".join([*(way.way for way in kind.ways), "class"])
        raise ShrecError(f"curves '{kind.key}' cannot be averaged by '{average}'; the ways are {known}")
    return average


def curve_axes(found: CurveSet, wanted: CurveRequest, request: CurvesRequest, *, is_mean: bool) -> Axes:
    """Labels and limits of the axes."""
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
    return Axes(
        label,
        kind.y_label,
        request.x_range or x_range,
        request.y_range or kind.y_range or range_of_values([curve.y for curve in found.curves]),
        "percent" if over_recall else "number",
    )


def range_of_values(values: list[NDArray[np.float64]]) -> tuple[float, float]:
    """Range of all finite values from 0, or from the lowest if it is negative; (0, 1) without any."""
    finite = np.concatenate([np.zeros(0), *(array[np.isfinite(array)] for array in values)])
    if not len(finite):
        return 0.0, 1.0
    low, high = min(float(finite.min()), 0.0), float(finite.max())
    return (low, high) if high > low else (low, low + 1.0)


def styled_curves(
    data: ContentData, request: CurvesRequest, curves: tuple[RunCurve | GeneralityCurve, ...], runs: list[int]
) -> list[PlotCurve]:
    """The curves with values, in the order of the runs, in their styles."""
    styles, computed = styles_of_runs(data), {curve.run: curve for curve in curves}
    lines = []
    for run in runs:
        curve, style = computed.get(run), styles[data.benchmark.runs[run].name]
        if curve is None or not np.isfinite(curve.y).any():
            continue
        line = PlotCurve(
            str(run), data.benchmark.runs[run].name, curve.x, curve.y, style.colour, style.dash, style.marker
        )
        if getattr(request, "vary", "") == CLASS_SIZES:
            spread = curve.spread if isinstance(curve, GeneralityCurve) else None
            line = PlotCurve(
                line.key, line.label, line.x, line.y, line.colour, line.dash, point_marker(style), True, spread
            )
        lines.append(line)
    if not lines:
        raise ShrecError("there is no curve to show: it is not defined for these runs and queries")
    return lines


def curve_key(data: ContentData, request: CurvesRequest) -> str | None:
    """Key of the highlighted run's curve; None for none."""
    return str(run_number(data, request.highlight)) if request.highlight else None


def selected_curve(curves: tuple[AnyCurve, ...], data: ContentData, request: CurvesRequest) -> AnyCurve | None:
    """The curve whose bounds are drawn as a band: that of the highlighted run, or the only one."""
    key = curve_key(data, request)
    if key is None:
        return curves[0] if len(curves) == 1 else None
    return next((curve for curve in curves if str(curve.run) == key), None)


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


def former_line(run: str, x: NDArray[np.float64], y: NDArray[np.float64]) -> ReferenceLine:
    """The curve of a run before the edits of the assessment."""
    return ReferenceLine(f"{run} before the edits", x, y, "faint")


def baseline_line(run: str, x: NDArray[np.float64], y: NDArray[np.float64]) -> ReferenceLine:
    """The curve of the version that is the baseline of a run."""
    return ReferenceLine(f"{run}: baseline", x, y, "muted", "solid", f"{run}: baseline")
