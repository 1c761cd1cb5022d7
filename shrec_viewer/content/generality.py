"""Generality: recall over the generality, families of curves, and the surface."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.charts.plot import Axes, Plot, ReferenceArea, ReferenceLine, References, area_between_lines
from shrec_viewer.charts.surface import Surface, SurfaceLine
from shrec_viewer.charts.table import Table, TableColumn
from shrec_viewer.content.curves import (
    BASELINE,
    BEFORE_EDITS,
    IDEAL,
    RANDOM,
    SCOPE_LINES,
    TRIS_POINT,
    UNREACHABLE,
    ComputedCurves,
    CurvesRequest,
    curve_key,
    curve_plot,
    curve_set,
    drawn_plot,
    former_lines,
    former_plot_state,
    plot_curves,
    requested_runs,
    selected_curve,
    shown_runs,
)
from shrec_viewer.content.data import (
    ContentData,
    in_slice,
    query_number,
    query_text,
    run_number,
    run_numbers,
    styles_of_runs,
)
from shrec_viewer.content.request import Range, Request, TableRequest, option, runs_option, slice_option
from shrec_viewer.domain import ShrecViewerError
from shrec_viewer.evaluation.evaluate import make_checkpoint
from shrec_viewer.evaluation.plots.curves import NO_POINT, CurveRequest, RunCurve, differing_curves, intersect_level
from shrec_viewer.evaluation.plots.generality import (
    ADD_IRRELEVANT,
    CLASS_SIZES,
    GENERALITY_SCOPES,
    ExpectedScores,
    GeneralityCurves,
    GeneralityRequest,
    expected_scores,
    generality_curves,
    surface_of_run,
)
from shrec_viewer.evaluation.score_tables import finite_or_none
from shrec_viewer.metrics import find_measure
from shrec_viewer.metrics.curves.averaging import CurveAveraging
from shrec_viewer.metrics.curves.precision_recall import PR
from shrec_viewer.metrics.generality.expected_measures import last_doubling_loss, loss_per_doubling
from shrec_viewer.metrics.generality.surface import GeneralitySurface
from shrec_viewer.number_format import format_generality
from shrec_viewer.render.scene.palette import RunStyle

#: What the generality is varied by, and the texts.
VARIATIONS = {ADD_IRRELEVANT: "Collection size", CLASS_SIZES: "Class size"}

#: Lines and points for comparison that the plots of generality have, and their texts.
GENERALITY_REFERENCES = {
    RANDOM: "Random baseline",
    IDEAL: "Ideal ranking (TRIS)",
    SCOPE_LINES: "Constant-scope lines",
    TRIS_POINT: "Total recall ideal system (TRIS)",
}


@dataclass(frozen=True)
class GeneralityPlotRequest(CurvesRequest):
    """Recall at a relevant scope over the generality."""

    kind: ClassVar[str] = "generality"

    measure: str = option("", metavar="KEY", help="Measure; default: the main one of the profile.")
    scope: int = option(1, "Scope", low=1, high=1024, metavar="N", help="Recall at rank N c.")
    vary: str = option(ADD_IRRELEVANT, "Vary generality by", VARIATIONS, help="How the generality is varied.")

    @property
    def fixed_options(self) -> tuple[str, ...]:
        """See `Request`."""
        return ("vary",)


@dataclass(frozen=True)
class GeneralityLossRequest(TableRequest):
    """Recall of the runs at a relevant scope, and what they lose of it per doubling of the collection."""

    kind: ClassVar[str] = "generality_loss"

    runs: tuple[str, ...] = runs_option()
    query: str = option("", metavar="ID", help="One query instead of the means over all.")
    scope: int = option(1, "Scope", low=1, high=1024, metavar="N", help="Recall at rank N c.")
    slice: str = slice_option()


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
    slice: str = slice_option()


#: Graphs of the panel that are not of one relevant scope; the others are the scopes.
E_GRAPH, FAMILY, SURFACE = "E", "PR", "GReP"

#: Largest -log2 of a generality that the panel stores: more models than any collection has.
MAX_DOUBLINGS = 64.0


@dataclass(frozen=True)
class GeneralityPanelRequest(CurvesRequest):
    """Options of the panel, which shows one of three contents: generality plot, family of curves, and surface."""

    kind: ClassVar[str] = "generality"

    graph: str = option(
        str(GENERALITY_SCOPES[0]),
        "Curve type",
        [*map(str, GENERALITY_SCOPES), E_GRAPH, FAMILY, SURFACE],
        of=("panel",),
    )
    show: tuple[str, ...] = option((RANDOM, SCOPE_LINES), "Lines for comparison", GENERALITY_REFERENCES, of=("panel",))
    vary: str = option(ADD_IRRELEVANT, "Vary generality by", VARIATIONS, of=("panel",))
    level: float | None = option(None, "Generality", low=0, high=MAX_DOUBLINGS, of=("panel",))

    @classmethod
    def current_state(cls, state: Mapping[str, Any]) -> Mapping[str, Any]:
        """See `Request` and `former_plot_state`."""
        found = former_plot_state(state, "graph")
        if found is None:
            return state
        checked = found.pop("checked")
        found["vary"] = CLASS_SIZES if CLASS_SIZES in checked else ADD_IRRELEVANT
        return found | ({"level": state["level"]} if "level" in state else {})

    def plot(self) -> GeneralityPlotRequest:
        """The generality plot; that of relevant scope 1 with the other graphs, for the expected values."""
        is_scope = self.graph.isdigit()
        vary = self.vary if is_scope else ADD_IRRELEVANT
        return GeneralityPlotRequest(
            self.runs,
            "" if vary == CLASS_SIZES else self.query,
            tuple(key for key in self.show if key in (RANDOM, IDEAL, BEFORE_EDITS)),
            self.highlight,
            slice=self.slice,
            measure=find_measure("E").key if self.graph == E_GRAPH else "",
            scope=int(self.graph) if is_scope else 1,
            vary=vary,
        )

    def family(self) -> FamilyRequest:
        """The family of curves at the generality of the panel."""
        shown = tuple(key for key in self.show if key in (RANDOM, IDEAL, SCOPE_LINES, TRIS_POINT, BEFORE_EDITS))
        return FamilyRequest(self.runs, self.query, shown, self.highlight, slice=self.slice, doublings=self.level)

    def surface(self) -> SurfaceRequest:
        """The surface with a line at the generality of the panel."""
        return SurfaceRequest((self.highlight,) if self.highlight else (), self.query, self.level, slice=self.slice)


@dataclass(frozen=True)
class ExpectedRequest(Request):
    """Values of measures expected of a run at a generality, see `expected_scores`; no command shows them."""

    run: str = ""
    query: str = ""
    scope: int = 1
    measure: str = ""
    doublings: float | None = None
    slice: str = ""


@dataclass(frozen=True, eq=False)
class ComputedGenerality:
    """Curves over the generality, of which `generality_plot` makes a plot, and the points that belong to ranks.

    Attributes
    ----------
    name, query_text : of the benchmark, and what the curves are of.
    slice : name of the slice over whose queries means are; "" for all queries.
    found : curves and baselines.
    """

    name: str
    query_text: str
    slice: str
    found: GeneralityCurves

    @property
    def wanted(self) -> GeneralityRequest:
        """What was computed."""
        assert self.found.request is not None
        return self.found.request

    def curve_of(self, run: int) -> RunCurve | None:
        """The curve of the run with index `run`, or None."""
        return next((curve for curve in self.found.curves if curve.run == run), None)

    def irrelevant_count(self, doublings: float | None) -> int | None:
        """Number of irrelevant models at a generality, None for all; None where queries have different class sizes."""
        if doublings is None:
            return self.found.irrelevant
        size = self.found.class_size
        return None if size is None else round(size * (2.0**doublings - 1.0))

    def rank_at(self, x: float, run: int) -> int | None:
        """Rank at which the whole list reaches the recall of the curve at `x`; None for none."""
        curve = self.curve_of(run)
        if curve is None or math.isnan(x) or not len(curve.x) or self.wanted.measure != "recall":
            return None
        finite = np.isfinite(curve.y)
        if not finite.any():
            return None
        return curve.reached.rank_of(float(np.interp(x, curve.x[finite], curve.y[finite])))

    def point_at(self, curve: RunCurve, rank: int) -> tuple[float, float]:
        """Point (x, y) of a curve with the recall of the whole list at `rank`; NaN for none.

        A recall above that within the scope is that of a smaller collection.
        """
        is_growing = self.wanted.variation == ADD_IRRELEVANT and self.wanted.measure == "recall"
        return intersect_level(curve.x, curve.y, curve.reached.at(rank)[0]) if is_growing else NO_POINT


def generality(data: ContentData, request: GeneralityPlotRequest) -> Plot:
    """Recall at a relevant scope, or the E-measure, over the generality."""
    return drawn_plot(generality_plot(computed_generality(data, request), request, styles_of_runs(data)))


def computed_generality(data: ContentData, request: GeneralityPlotRequest) -> ComputedGenerality:
    """The curves of all requested runs; after each run, those computed so far are sent."""
    query = query_number(data, request.query) if request.query and request.vary != CLASS_SIZES else None
    measure: Literal["recall", "E"] = "E" if request.measure.startswith("E") else "recall"
    wanted = GeneralityRequest(requested_runs(data, request), query, request.scope, request.vary, measure)
    within = request.slice if query is None else ""
    checkpoint, data = make_checkpoint(data.cancelled), in_slice(data, within)
    made = partial(ComputedGenerality, data.benchmark.name, query_text(data, query), within)

    def send(found: GeneralityCurves) -> None:
        if data.send is not None:
            data.send(made(found))

    found = generality_curves(data.evaluated, wanted, checkpoint, send)
    if BEFORE_EDITS in request.show and data.former is not None:
        before = generality_curves(data.former, wanted, checkpoint).curves
        found = replace(found, former=differing_curves(before, found.curves))
    return made(found)


#: What the loss of recall per doubling says about the collection.
DOMAIN = (
    "At equal generality, a small loss is that of a wide domain, whose models differ much, a large one that of a "
    "narrow domain, whose models are similar (Sebe et al., section 6.1)."
)


class RecallLoss(NamedTuple):
    """What a run loses of its recall as the collection grows; NaN where unknown.

    Attributes
    ----------
    mean : per doubling of the collection.
    last : in the last doubling.
    low, high : range of `mean` over all curves between the bounds of lists that do not contain all models.
    """

    mean: float
    last: float
    low: float
    high: float


def recall_loss(curve: RunCurve) -> RecallLoss:
    """The loss of a curve of recall over -log2 g."""
    mean, last = loss_per_doubling(curve.x, curve.y), last_doubling_loss(curve.x, curve.y)
    if curve.bounds is None:
        return RecallLoss(mean, last, mean, mean)
    (x, lower), (_, upper) = curve.bounds
    # The line falls most through the upper bounds before the mean of x, and the lower ones behind it.
    is_early = x < np.mean(x[~np.isnan(lower)])
    flattest, steepest = np.where(is_early, lower, upper), np.where(is_early, upper, lower)
    # Recall never rises as irrelevant models are added.
    return RecallLoss(mean, last, max(loss_per_doubling(x, flattest), 0.0), loss_per_doubling(x, steepest))


def generality_loss_table(data: ContentData, request: GeneralityLossRequest) -> Table:
    """Recall of the runs in the collection, and what they lose of it per doubling."""
    wanted = GeneralityPlotRequest(request.runs, request.query, scope=request.scope, slice=request.slice)
    computed = computed_generality(data, wanted)
    rows = []
    for curve in computed.found.curves:
        values = (curve.value_at(float(curve.x[-1])) if len(curve.x) else math.nan, *recall_loss(curve))
        rows.append((data.benchmark.runs[curve.run].name, *map(finite_or_none, values)))
    scope = generality_scope_labels(request.scope)[1].lower()
    of = " ".join(filter(None, (computed.query_text, computed.slice)))
    names = ("recall", "loss per doubling", "loss in last doubling", "lowest loss", "highest loss")
    return Table(
        "generality_loss",
        f"{computed.name}: {scope}, {of}, and its loss as the collection grows; profile {data.profile.title}",
        (TableColumn("run"), *(TableColumn(name, is_number=True) for name in names)),
        tuple(rows),
        (DOMAIN, "Lowest and highest loss: whatever lists that do not contain all models may continue with."),
    )


def generality_plot(
    computed: ComputedGenerality, request: GeneralityPlotRequest, styles: Mapping[str, RunStyle]
) -> Plot:
    """The plot of the requested runs, which were computed, possibly among others; curves without values included."""
    found, wanted = computed.found, computed.wanted
    is_growing, is_known = wanted.variation != CLASS_SIZES, math.isfinite(found.high)
    end = (found.low if is_growing else found.high) if is_known else 1.0
    start = float(
        math.floor(math.log2(wanted.lowest_scope) if is_growing or not is_known else min(found.low, end - 1.0))
    )
    if wanted.measure == "E":
        label, name = "E-measure", "E"
    elif wanted.scope == 1:
        label, name = "Recall = precision", "GRiP"
    else:
        label, name = f"Recall at rank {wanted.scope}c", f"GR{wanted.scope}P"
    labels = X_LABELS if is_growing else CLASS_SIZE_LABELS
    x_label, *shorter = (f"{text} ({computed.slice})" if computed.slice else text for text in labels)
    axes = Axes(
        x_label,
        label,
        request.x_range or (start, max(end, start + 1.0)),
        request.y_range or (0.0, 1.0),
        "halves",
        (*shorter, labels[-1]),
        (name,),
    )
    runs, key = shown_runs(wanted.runs, request), curve_key(wanted.runs, request)
    if not is_growing and key is None and len(runs) == 1:
        key = str(next(iter(runs)))  # its intervals and its line are drawn
    references = generality_references(found, selected_curve(found.curves, runs, key), frozenset(request.show))
    references = replace(references, lines=(*former_lines(found.former, runs, request, key), *references.lines))
    curves = plot_curves(found.curves, runs, styles, dotted=not is_growing)
    title = f"{computed.name} {name} {computed.query_text} {computed.slice}".rstrip()
    return Plot(title, axes, curves, key, references)


def expected(data: ContentData, request: ExpectedRequest) -> ExpectedScores | None:
    """Values of measures expected of a run at a generality; None where the run was not evaluated."""
    run = run_number(data, request.run)
    query = query_number(data, request.query) if request.query else None
    measure: Literal["recall", "E"] = "E" if request.measure.startswith("E") else "recall"
    wanted = GeneralityRequest(((run, request.run),), query, request.scope, ADD_IRRELEVANT, measure)
    scores = in_slice(data, request.slice if query is None else "").evaluated
    return expected_scores(scores, wanted, run, request.doublings, make_checkpoint(data.cancelled))


def family(data: ContentData, request: FamilyRequest) -> Plot:
    """Precision over recall of all runs, and of one run at several values of generality."""
    request = request if request.highlight else replace(request, highlight=_first_run(data, request.runs))
    return drawn_plot(family_plot(computed_family(data, request), request, styles_of_runs(data)))


def _first_run(data: ContentData, runs: tuple[str, ...]) -> str:
    return data.benchmark.runs[run_numbers(data, runs)[0]].name


def computed_family(data: ContentData, request: FamilyRequest) -> ComputedCurves:
    """The curves of all requested runs, and the surface of the highlighted one."""
    query = query_number(data, request.query) if request.query else None
    average: CurveAveraging | None = None if query is not None else "generality"
    name = request.slice if query is None else ""
    data = in_slice(data, name)
    runs = requested_runs(data, request)
    wanted = CurveRequest(PR, runs, query, average=average, doublings=request.doublings)
    found = curve_set(data, request, wanted)
    surface = None
    if request.highlight in data.evaluated.runs:
        surface = surface_of_run(data.evaluated, query, request.highlight, make_checkpoint(data.cancelled))
    title = f"{data.benchmark.name} PR {query_text(data, query)} {name}".rstrip()
    return ComputedCurves(title, wanted, found, surface, slice=name)


def family_plot(computed: ComputedCurves, request: FamilyRequest, styles: Mapping[str, RunStyle]) -> Plot:
    """The plot of the requested runs, which were computed, with the curves at several values of generality."""
    shown = tuple(key for key in request.show if key not in (UNREACHABLE, BASELINE))
    plot = curve_plot(computed, replace(request, show=shown), styles)
    if computed.surface is None:
        return plot
    more = family_lines(computed.surface, request.highlight, computed.wanted.doublings)
    return replace(plot, references=replace(plot.references, lines=(*more, *plot.references.lines)))


def surface(data: ContentData, request: SurfaceRequest) -> Surface:
    """Precision over recall and generality of one run."""
    name, query = _first_run(data, request.runs), query_number(data, request.query) if request.query else None
    title = f"{data.benchmark.name} {name} GReP {query_text(data, query)}"
    title = f"{title} {request.slice}".rstrip() if query is None else title
    return surface_figure(computed_surface(data, request), title, request.doublings, request.angles)


def computed_surface(data: ContentData, request: SurfaceRequest) -> GeneralitySurface:
    """The surface of the run.

    Raises
    ------
    ShrecViewerError
        If there is none.
    """
    query, name = query_number(data, request.query) if request.query else None, _first_run(data, request.runs)
    data = in_slice(data, request.slice if query is None else "")
    found = surface_of_run(data.evaluated, query, name, make_checkpoint(data.cancelled))
    if found is None:
        raise ShrecViewerError(
            f"there is no surface of {name} for {query_text(data, query)}: nothing is relevant or listed"
        )
    return found


def generality_scope_labels(scope: int) -> tuple[str, str]:
    """Key and name of the generality plot of a scope, a multiple of the class size c.

    Examples
    --------
    >>> generality_scope_labels(1), generality_scope_labels(4)
    (('GRiP', 'Recall = precision at rank c'), ('GR4P', 'Recall at rank 4c'))
    """
    return ("GRiP", "Recall = precision at rank c") if scope == 1 else (f"GR{scope}P", f"Recall at rank {scope}c")


#: Long and short label of the x axis.
X_LABELS = ("Generality g, the share of relevant models (each step halves it)", "Generality g")


#: The same where class sizes are varied.
CLASS_SIZE_LABELS = (
    "Generality g of the class size; above: classes, or classes/queries, of this size",
    "Generality g; above: classes or classes/queries",
    "Generality g",
)  # fmt: skip

#: Width in recall below which the band between the bounds of unlisted models is not drawn: it would be one line.
MIN_BAND_WIDTH = 0.005


def generality_references(result: GeneralityCurves, selected: RunCurve | None, options: frozenset[str]) -> References:
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
        if selected is not None and selected.bounds is not None:
            low, high = selected.bounds[:, 1]
            if np.nanmax(high - low) > MIN_BAND_WIDTH:
                areas.append(area_between_lines("Range for unlisted models", selected.x, low, high, "accent"))
        x = np.array([result.low, result.low])
        label = f"collection {format_generality(result.low)}"
        if result.high > result.low + 1e-9:
            label = f"{label} to {format_generality(result.high).removeprefix('g = ')}"
        lines.append(ReferenceLine("Collection", x, np.array([0.0, 1.0]), "line_strong", "solid", label, listed=False))
    for at, queries, classes in result.sizes:
        label = f"{classes}" if classes == queries else f"{classes}/{queries}"
        ends = np.full(2, at), np.array([0.0, 1.0])
        lines.append(ReferenceLine(f"Size {at}", *ends, "line", "dot", label, listed=False))
    return References(tuple(area for area in areas if len(area.x)), tuple(lines))


#: Doublings between two curves of the family, as in figure 1 of the source up to its last two.
FAMILY_STEP = 1.0


#: Relative width of the curves of the family: wide and grey, so that none looks like the curve of a run.
FAMILY_WIDTH = 2.4


def family_lines(surface: GeneralitySurface, run: str, doublings: float | None = None) -> tuple[ReferenceLine, ...]:
    """Precision over recall of a run at g = 1, 1/2, 1/4 … and in the collection, named where they or the lists end.

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
        listed = surface.spread[row] <= MIN_BAND_WIDTH  # where lists end, only the range of the curve is known
        x, y = surface.recall[row, listed], surface.precision[row, listed]
        lines.append(ReferenceLine(f"{run}, {name}", x, y, "line_strong", mark=name, ends=True, width=FAMILY_WIDTH))
    return tuple(lines)


#: Every fourth relevant scope is a line of the surface: two per doubling.
SURFACE_STRIDE = 4


def surface_figure(
    surface: GeneralitySurface, title: str, level: float | None = None, angles: tuple[float, float] | None = None
) -> Surface:
    """The surface as a figure, with every fourth relevant scope, and the plane p = r with its lines.

    Parameters
    ----------
    level : -log2 of the generality of the highlighted line; None for none.
    angles : azimuth and elevation in degrees; None for the default.

    Source: Sebe et al., figure 3b.
    """
    diagonal = int(np.argmin(np.abs(np.log2(surface.relevant_scopes))))
    columns = np.unique(
        np.append(np.arange(diagonal % SURFACE_STRIDE, len(surface.relevant_scopes), SURFACE_STRIDE), 0)
    )
    found = Surface(
        title, surface.doublings, surface.recall[:, columns], surface.precision[:, columns],
        tuple(_surface_lines(surface, surface.recall[:, diagonal], level)),
    )  # fmt: skip
    return found if angles is None else replace(found, azimuth=angles[0], elevation=angles[1])


def _surface_lines(
    surface: GeneralitySurface, equal: NDArray[np.float64], level: float | None
) -> Iterator[SurfaceLine]:
    """The plane p = r, its lines, and the highlighted generality; `equal` is recall = precision at scope c."""
    x = surface.doublings
    ones, chance, border = np.ones(len(x)), np.exp2(-x), np.array([0.0, 1.0, 1.0, 0.0, 0.0])
    yield SurfaceLine("Plane p = r", border, x[[0, 0, -1, -1, 0]], border, "muted", filled=True)
    yield SurfaceLine("Random", chance, x, chance, "muted", "dash")
    yield SurfaceLine("TRIS", ones, x, ones, "ink", "dot", 1.5)
    yield SurfaceLine("p = r at s = c (GRiP)", equal, x, equal, "ink", width=2.0)
    if level is None:
        return
    row = float(np.interp(level, x, np.arange(len(x))))
    below = int(row)
    above, share = min(below + 1, len(x) - 1), row - below
    recall, precision = ((1 - share) * of[below] + share * of[above] for of in (surface.recall, surface.precision))
    at = min(level, float(x[-1]))
    yield SurfaceLine(format_generality(at), recall, np.full(len(recall), at), precision, "accent", width=2.5)
