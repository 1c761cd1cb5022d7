"""Curves: precision over recall, gain and others by rank, and the lines for comparison."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.charts.plot import Axes, Plot, PlotCurve, ReferenceArea, ReferenceLine, ReferencePoint, References
from shrec_viewer.content.data import (
    ContentData,
    in_slice,
    query_number,
    query_numbers,
    query_text,
    run_number,
    run_numbers,
    styles_of_runs,
    with_queries,
)
from shrec_viewer.content.request import Range, Request, option, runs_option, slice_option
from shrec_viewer.domain import ShrecViewerError
from shrec_viewer.evaluation.evaluate import make_checkpoint
from shrec_viewer.evaluation.plots.curves import (
    DEFAULT_RANKS,
    NO_POINT,
    RANK,
    RECALL,
    Baselines,
    CurveRequest,
    CurveSet,
    RunCurve,
    compute_curve_set,
    compute_curves,
    curves_of_queries,
    differing_curves,
    intersect_ray,
)
from shrec_viewer.metrics import Profile, find_curve
from shrec_viewer.metrics.curves.averaging import AVERAGING_LABELS, CurveAveraging
from shrec_viewer.metrics.curves.curve import Curve
from shrec_viewer.metrics.generality.scope_graph import TRIS
from shrec_viewer.metrics.generality.surface import GeneralitySurface
from shrec_viewer.metrics.tables import curve_table
from shrec_viewer.number_format import format_generality
from shrec_viewer.render.scene.palette import RunStyle, point_marker

#: Lines for comparison: the ideal ranking, and random rankings.
IDEAL, RANDOM = "ideal", "random"


#: Curves before the edits of the assessment, that of the baseline of the selected run, and those of the single queries
#: of a mean, among the lines to show.
BEFORE_EDITS, BASELINE, QUERIES = "before-edits", "baseline", "queries"


SCOPE_LINES, UNREACHABLE, TRIS_POINT = "scopes", "wedge", "tris"
#: Options that apply to precision-recall curves only.
PRECISION_RECALL_OPTIONS = (SCOPE_LINES, UNREACHABLE, TRIS_POINT)


#: All lines, areas and points for comparison, and their texts.
REFERENCES: Mapping[str, str] = {
    IDEAL: "Ideal ranking",
    RANDOM: "Random baseline",
    SCOPE_LINES: "Constant-scope lines",
    UNREACHABLE: "Unreachable region",
    TRIS_POINT: "Total recall ideal system (TRIS)",
    BEFORE_EDITS: "Before the edits",
    BASELINE: "Baseline of the selected run",
    QUERIES: "Single queries of the mean",
}

#: Ways to average curves, and their texts.
AVERAGES: Mapping[str, str] = {
    "": "As usual for the curve",
    "recall": "At equal recall",
    "generality": "At equal relevant scope and generality",
    "rank": "At equal rank",
    "class": "Macro average (mean over classes)",
}


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
        help="Line for comparison; before-edits: curves without --edits; of --highlight or the only run, baseline, "
        "and queries: single ones of the mean; repeatable.",
    )
    highlight: str = option("", metavar="NAME", help="Run with a wide line.", follows="highlight")
    x_range: Range | None = option(None, metavar="LOW HIGH", help="Limits of the x axis of curves.")
    y_range: Range | None = option(None, metavar="LOW HIGH", help="Limits of the y axis of curves.")
    labels: bool = option(True, "Label lines", of=("panel",))
    values: bool = option(False, "Table of values", of=("panel",))
    slice: str = slice_option()

    def __post_init__(self) -> None:
        """Check the limits of the axes."""
        for name, limits in (("x_range", self.x_range), ("y_range", self.y_range)):
            if limits is not None and not limits[0] < limits[1]:
                raise ValueError(f"{name}: the first limit must be less than the second")


def former_plot_state(state: Mapping[str, Any], kind: str) -> dict[str, Any] | None:
    """State of a plot as `Request.state` writes it, of one that a former version of the program wrote.

    Until 2026, it was the curve type, and whether each entry of the menu was checked.

    Parameters
    ----------
    kind : name of the option for the curve type.

    Returns
    -------
    The options of all plots, and with the key ``"checked"`` all entries that are checked; None for a present state.
    """
    entries = state.get("options")
    if not isinstance(entries, Mapping):
        return None
    checked = [key for key, is_on in entries.items() if is_on is True]
    found: dict[str, Any] = {"values": state.get("values") is True, "labels": entries.get("labels") is not False}
    found["show"] = [key for key in REFERENCES if key in checked]
    return found | ({kind: state["kind"]} if "kind" in state else {}) | {"checked": checked}


@dataclass(frozen=True)
class RecallCurvesRequest(CurvesRequest):
    """Curves of one type, of a query or averaged."""

    curve: str = option("", "Curve", metavar="KEY", help="Curve, such as `PR11` or `NDCG`.")
    average: Literal["", "recall", "generality", "rank", "class"] = option(
        "", "Mean over queries", AVERAGES, metavar="WAY", help="How mean curves are averaged."
    )
    doublings: float | None = option(None, low=0, metavar="D", help="Curves at generality 1/2^D.")
    mean_of: tuple[str, ...] = option((), metavar="ID", help="Means over this query and others named so; repeatable.")

    @classmethod
    def current_state(cls, state: Mapping[str, Any]) -> Mapping[str, Any]:
        """See `Request` and `former_plot_state`."""
        found = former_plot_state(state, "curve")
        if found is None:
            return state
        for key in found.pop("checked"):
            if key.startswith("mean_"):
                found["average"] = key.removeprefix("mean_")
            elif issubclass(cls, GainRequest) and key.isdigit():
                found["ranks"] = int(key)
            elif issubclass(cls, GainRequest) and key in (RANK, RECALL):
                found["over"] = key
        return found


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


@dataclass(frozen=True)
class ScopeRequest(GainRequest):
    """Precision, recall and others by rank, and F-measure by recall."""

    kind: ClassVar[str] = "scope"


def curves_of(kind: str) -> list[Curve]:
    """Curve types of a plot: of precision over recall; of gain; or all others but those over generality.

    Parameters
    ----------
    kind : of the request.
    """
    if kind == PrecisionRecallRequest.kind:
        return [curve for curve in curve_table() if curve.is_precision_recall]
    kinds = [curve for curve in curve_table() if not curve.is_precision_recall and curve.x != "generality"]
    return [curve for curve in kinds if (curve.y == "gain") == (kind == GainRequest.kind)]


def default_curve(kinds: Sequence[Curve], profile: Profile) -> Curve:
    """The first of these curve types that the conventions name; of those other than precision over recall, of gain."""
    named = [kind for key in profile.curves for kind in kinds if kind.key == key]
    is_default = kinds[0].is_precision_recall
    defaults = [kind for kind in named if is_default or (kind.y == "gain" and kind.x == "rank")]
    return (defaults or list(kinds))[0]


@dataclass(frozen=True, eq=False)
class ComputedCurves:
    """Curves of runs, of which `curve_plot` makes a plot, and the points on them that belong to ranks.

    Attributes
    ----------
    title : benchmark, curve type and query.
    wanted : what was computed.
    found : curves and baselines.
    surface : of one run, for a family of its curves; None for none.
    slice : name of the slice over whose queries means are; "" for all queries.
    """

    title: str
    wanted: CurveRequest
    found: CurveSet
    surface: GeneralitySurface | None = None
    slice: str = ""

    @property
    def average(self) -> CurveAveraging:
        """How means are averaged."""
        return "class" if self.wanted.average == "class" else self.wanted.kind.averaged(self.wanted.average).way

    @property
    def has_scopes(self) -> bool:
        """Whether there are lines of constant scope."""
        return has_scope_lines(self.wanted.kind, self.average, is_mean=self.wanted.query is None)

    @property
    def is_over_ranks(self) -> bool:
        """Whether x is the rank."""
        return self.wanted.kind.x == "rank" and self.wanted.over == RANK

    def curve_of(self, run: int) -> RunCurve | None:
        """The curve of the run with index `run`, or None."""
        return next((curve for curve in self.found.curves if curve.run == run), None)

    def point_at(self, curve: RunCurve, rank: int) -> tuple[float, float]:
        """Point (x, y) of a curve that belongs to a 1-based rank; NaN for none.

        For curves by rank the point at that rank; for precision over recall the intersection with the line of
        `slope_at`; else the point at the recall of that rank.
        """
        kind = self.wanted.kind
        if kind.x == "other":
            return NO_POINT
        recall, _ = curve.reached.at(rank)
        if kind.x == "rank":
            inside = 1 <= rank <= len(curve.y)
            y = float(curve.y[rank - 1]) if inside else float("nan")
            return (float(rank) if self.is_over_ranks else recall), y
        slope = self.slope_at(rank)
        return (recall, curve.value_at(recall)) if slope is None else intersect_ray(curve.x, curve.y, slope, recall)

    def slope_at(self, rank: int) -> float | None:
        """Precision divided by recall at a rank, which is class size over rank for all runs.

        None for other curves, for means over queries of different class sizes, and for a part of the collection.
        """
        size = self.found.baselines.class_size
        if size is None or self.wanted.kind.y != "precision" or self.wanted.doublings is not None:
            return None
        return size / (rank + max((curve.reached.offset for curve in self.found.curves), default=0))

    def rank_at(self, x: float, run: int) -> int | None:
        """1-based rank at `x`: x itself, or the rank at which the run reaches the recall `x`; None for none."""
        if math.isnan(x) or self.wanted.kind.x == "other":
            return None
        if self.is_over_ranks:
            return max(1, round(x))
        curve = self.curve_of(run)
        return None if curve is None else curve.reached.rank_of(x)


def has_scope_lines(kind: Curve, average: CurveAveraging, *, is_mean: bool) -> bool:
    """Whether curves of a type, of one query or averaged, have points on lines of constant scope."""
    return kind.is_precision_recall and (not is_mean or average == "generality")


def precision_recall(data: ContentData, request: PrecisionRecallRequest) -> Plot:
    """Precision over recall, of one query or averaged."""
    plot = curve_plot(computed_curves(data, request), request, styles_of_runs(data))
    return drawn_plot(plot, "; PR and PR20 need two relevant models of a query, PR11 one")


def gain(data: ContentData, request: GainRequest) -> Plot:
    """Cumulated gain over rank or recall, and other curves by rank, of one query or averaged."""
    return drawn_plot(curve_plot(computed_curves(data, request), request, styles_of_runs(data)))


def drawn_plot(plot: Plot, hint: str = "") -> Plot:
    """The plot with the curves that have values.

    Parameters
    ----------
    hint : end of the message if there is none.

    Raises
    ------
    ShrecViewerError
        If no curve has one.
    """
    if not plot.drawn:
        raise ShrecViewerError(f"there is no curve to show: it is not defined for these runs and queries{hint}")
    return replace(plot, curves=plot.drawn)


def computed_curves(data: ContentData, request: PrecisionRecallRequest | GainRequest) -> ComputedCurves:
    """The curves of all requested runs, of one query or averaged."""
    kind, query = _kind(data, request), query_number(data, request.query) if request.query else None
    average = _average(request, kind, is_mean=query is None)
    is_at_generality = average != "class" and kind.averaged(average).way == "generality"
    is_scaled = kind.at_generality is not None and (query is not None or is_at_generality)
    ranks, over = (request.ranks, request.over) if isinstance(request, GainRequest) else (DEFAULT_RANKS, RANK)
    over = over if kind.x == "rank" else RANK
    doublings = request.doublings if is_scaled else None
    wanted = CurveRequest(kind, requested_runs(data, request), query, ranks, over, average, doublings)
    title = f"{data.benchmark.name} {kind.key} {query_text(data, query)}"
    name = request.slice if query is None else ""
    shown = in_slice(data, name)
    if request.mean_of and query is None:
        shown = with_queries(shown, np.array(query_numbers(data, request.mean_of)))
        name = ", ".join(request.mean_of)
    return ComputedCurves(f"{title} {name}".rstrip(), wanted, curve_set(shown, request, wanted), slice=name)


def requested_runs(data: ContentData, request: CurvesRequest) -> tuple[tuple[int, str], ...]:
    """Indices and names of the runs; the highlighted run must exist too."""
    if request.highlight:
        run_number(data, request.highlight)
    return tuple((run, data.benchmark.runs[run].name) for run in run_numbers(data, request.runs))


def curve_set(data: ContentData, request: CurvesRequest, wanted: CurveRequest) -> CurveSet:
    """The curves, with those before the edits, of the baselines and of single queries where these are to be shown."""
    checkpoint = make_checkpoint(data.cancelled)
    scores, baselines, former = data.evaluated, data.baselines, data.former
    found = compute_curve_set(scores, wanted, checkpoint)
    if QUERIES in request.show and wanted.query is None:
        found = replace(found, singles=curves_of_queries(scores, wanted, request.highlight, found, checkpoint))
    if BASELINE in request.show and baselines is not None:
        found = replace(found, pinned=compute_curves(baselines, wanted, checkpoint))
    if BEFORE_EDITS in request.show and former is not None:
        before = compute_curves(former, wanted, checkpoint)
        found = replace(found, former=differing_curves(before, found.curves))
    return found


def curve_plot(computed: ComputedCurves, request: CurvesRequest, styles: Mapping[str, RunStyle]) -> Plot:
    """The plot of the requested runs, which were computed, possibly among others; curves without values included."""
    wanted, found = computed.wanted, computed.found
    runs = shown_runs(wanted.runs, request)
    key = curve_key(wanted.runs, request)
    selected = selected_curve(found.curves, runs, key)
    shown = frozenset(name for name in request.show if computed.has_scopes or name in (IDEAL, RANDOM))
    references = curve_references(found.baselines, shown, None if selected is None else selected.bounds)
    before = former_lines(found.former, runs, request, key)
    name = f"{request.highlight}: baseline"
    after = [
        ReferenceLine(name, curve.x, curve.y, "muted", mark=name)
        for curve in found.pinned
        if BASELINE in request.show and str(curve.run) == key and curve.run in runs
    ]
    is_visible = not request.highlight or key in {str(run) for run in runs}  # the run that they are of
    singles = found.singles if QUERIES in request.show and is_visible else ()
    of_queries = [ReferenceLine(name, one.x, one.y, "line_strong", mark=name, ends=True) for name, one in singles]
    points = [ReferencePoint("", x, y) for _, one in singles for x, y in points_of_scopes(one)]
    references = References(
        references.areas, (*of_queries, *before, *references.lines, *after), (*points, *references.points)
    )
    axes = curve_axes(computed, request)
    return Plot(computed.title, axes, plot_curves(found.curves, runs, styles), key, references)


def points_of_scopes(curve: RunCurve) -> list[tuple[float, float]]:
    """Points of precision over recall at relevant scopes c / 2, c, 2c …; none of curves that are not at these."""
    with np.errstate(divide="ignore", invalid="ignore"):
        doublings = np.log2(curve.x / curve.y)
        at = np.flatnonzero(np.abs(doublings - np.round(doublings)) < 1e-9)
    return [(float(curve.x[index]), float(curve.y[index])) for index in at]


def shown_runs(computed: tuple[tuple[int, str], ...], request: CurvesRequest) -> dict[int, str]:
    """Names of the requested runs by index, in the order requested; of all computed ones where none is named."""
    indices = {name: run for run, name in computed}
    return {indices[name]: name for name in request.runs if name in indices} if request.runs else dict(computed)


def curve_key(computed: tuple[tuple[int, str], ...], request: CurvesRequest) -> str | None:
    """Key of the highlighted run's curve; None for no run, "" for one that was not computed."""
    if not request.highlight:
        return None
    return next((str(run) for run, name in computed if name == request.highlight), "")


def selected_curve(curves: Sequence[RunCurve], runs: Mapping[int, str], key: str | None) -> RunCurve | None:
    """The curve whose bounds are drawn as a band: that of the highlighted run, or the only one."""
    shown = [curve for curve in curves if curve.run in runs]
    if key is None:
        return shown[0] if len(shown) == 1 else None
    return next((curve for curve in shown if str(curve.run) == key), None)


def former_lines(
    curves: Sequence[RunCurve], runs: Mapping[int, str], request: CurvesRequest, key: str | None
) -> tuple[ReferenceLine, ...]:
    """Curves before the edits of the assessment, in grey, where they are to be shown.

    Parameters
    ----------
    key : of the highlighted run, whose curve alone is shown; None for all runs.
    """
    shown = [curve for curve in curves if BEFORE_EDITS in request.show and key in (None, str(curve.run))]
    return tuple(
        ReferenceLine(name, curve.x, curve.y, "muted", "dot", "before", at=len(curve.x) // 2, in_legend=True)
        for curve in shown
        if curve.run in runs
        for name in (f"{runs[curve.run]} before the edits",)
    )


def plot_curves(
    curves: Sequence[RunCurve],
    runs: Mapping[int, str],
    styles: Mapping[str, RunStyle],
    *,
    dotted: bool = False,
) -> tuple[PlotCurve, ...]:
    """One curve for each of the runs, in their styles; without samples where a run has none."""
    computed, empty = {curve.run: curve for curve in curves}, np.zeros(0)
    lines = []
    for run, name in runs.items():
        curve, style = computed.get(run), styles[name]
        x, y = (empty, empty) if curve is None else (curve.x, curve.y)
        marker = point_marker(style) if dotted else style.marker
        spread = curve.bounds[:, 1] if dotted and curve is not None and curve.bounds is not None else None
        lines.append(PlotCurve(str(run), name, x, y, style.colour, style.dash, marker, dotted, spread))
    return tuple(lines)


def _kind(data: ContentData, request: RecallCurvesRequest) -> Curve:
    """The requested curve type; without one the first that the profile names, as in the window."""
    kinds = curves_of(request.kind)
    if not request.curve:
        return default_curve(kinds, data.profile)
    kind = find_curve(request.curve)
    if isinstance(request, GainRequest):  # the curves of both figures
        kinds = [*curves_of(GainRequest.kind), *curves_of(ScopeRequest.kind)]
    if kind not in kinds:
        known = ", ".join(kind.key for kind in kinds)
        raise ShrecViewerError(f"'{kind.key}' is no curve of the figure '{request.kind}'; its curves are {known}")
    return kind


def _average(request: RecallCurvesRequest, kind: Curve, *, is_mean: bool) -> CurveAveraging | None:
    if not is_mean or not request.average:
        return None
    average = request.average
    if average != "class" and average not in [way.way for way in kind.ways]:
        known = ", ".join([*(way.way for way in kind.ways), "class"])
        raise ShrecViewerError(f"curves '{kind.key}' cannot be averaged by '{average}'; the ways are {known}")
    return average


def curve_axes(computed: ComputedCurves, request: CurvesRequest) -> Axes:
    """Labels and limits of the axes; means name the averaging, precision over recall the generality."""
    wanted, found = computed.wanted, computed.found
    kind, over_recall = wanted.kind, wanted.over == RECALL
    x_label = "Recall" if over_recall else kind.x_label
    generality = generality_range(found.baselines.doublings) if kind.is_precision_recall else ""
    if wanted.query is None:
        labels = mean_axis_labels(x_label, computed.average, kind, generality, computed.slice)
    else:
        labels = (f"{x_label} ({generality})", x_label) if generality else (x_label,)
    runs = shown_runs(wanted.runs, request)
    return Axes(
        labels[0],
        kind.y_label,
        request.x_range or ((1.0, float(wanted.ranks)) if computed.is_over_ranks else (kind.x_range or (0.0, 1.0))),
        request.y_range or kind.y_range or range_of_values([curve.y for curve in found.curves if curve.run in runs]),
        # Sources print per cent of recall for gain only.
        "percent"
        if over_recall or (kind.x, kind.y) == ("recall", "gain")
        else "ranks"
        if kind.x == "rank"
        else "number",
        labels[1:],
        (kind.key,) if kind.x == "rank" else (),
    )


def range_of_values(values: list[NDArray[np.float64]]) -> tuple[float, float]:
    """Range of all finite values from 0, or from the lowest if it is negative; (0, 1) without any."""
    finite = np.concatenate([np.zeros(0), *(array[np.isfinite(array)] for array in values)])
    if not len(finite):
        return 0.0, 1.0
    low, high = min(float(finite.min()), 0.0), float(finite.max())
    return (low, high) if high > low else (low, low + 1.0)


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


def mean_axis_labels(
    x_label: str, average: CurveAveraging, curve: Curve, generality: str, within: str = ""
) -> tuple[str, ...]:
    """Titles of the x axis of mean curves, from the longest: way of averaging and generality, one of them, none.

    All but the last name the slice `within` that means are over, if there is one.

    Examples
    --------
    >>> from shrec_viewer.metrics import find_curve
    >>> mean_axis_labels("Recall", "generality", find_curve("PR"), "g = 1/8")[1:]
    ('Recall (equal scope, g = 1/8)', 'Recall, g = 1/8', 'Recall')
    >>> mean_axis_labels("Rank", "class", find_curve("P"), "")
    ('Rank (mean over classes)', 'Rank (over classes)', 'Rank')
    >>> mean_axis_labels("Rank", "rank", find_curve("P"), "", "class: cup")
    ('Rank (mean of class: cup at equal rank)', 'Rank (class: cup, equal rank)', 'Rank, class: cup', 'Rank')
    """
    at = "over classes" if average == "class" else f"at {curve.averaged(average).label}"
    short = {"generality": "equal scope", "class": "over classes"}.get(average, AVERAGING_LABELS[average])
    suffix = f", {generality}" if generality else ""
    if within:
        at, short = f"of {within} {at}", f"{within}, {short}"
    brief = f", {within}" if within else suffix
    forms = f"{x_label} (mean {at}{suffix})", f"{x_label} ({short}{suffix})", f"{x_label}{brief}", x_label
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


#: Width in precision or recall below which the band between two bounds is not drawn: it would be one line.
MIN_BOUND_WIDTH = 0.005


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
