"""Distances of the runs: densities, ROC and DET curves, distance against rank, and the laws of a metric."""

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import NormalDist
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.charts.plot import Axes, Plot, PlotCurve, ReferenceLine, References
from shrec_viewer.charts.table import Cell, Table
from shrec_viewer.content.data import ContentData, query_number, run_number, run_numbers, styles_of_runs, table_of
from shrec_viewer.content.request import TableRequest, option, runs_option
from shrec_viewer.diagnosis.distances import (
    QueryDistances,
    RunDistances,
    metric_laws,
    query_distances,
    query_violations,
    run_distances,
)
from shrec_viewer.domain import ShrecViewerError
from shrec_viewer.evaluation.score_tables import finite_or_none
from shrec_viewer.number_format import format_percent, format_value
from shrec_viewer.render.scene.palette import relevance_style

#: What is plotted, and the texts.
VIEWS = {"density": "Densities", "roc": "ROC", "det": "DET", "rank": "By rank"}

#: Points of a ROC curve that are drawn; those between lie within a pixel.
MAX_POINTS = 1000

#: Bins of the density over all queries that are one bin of that of a query.
QUERY_BINS = 4

#: Shares whose normal deviates a DET plot marks; its axes end at the first and the last.
DET_SHARES = (0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99)

#: Difference of the AUC within queries from that over all from which a note says so.
MIN_GAP = 0.05


@dataclass(frozen=True)
class DistancesRequest(TableRequest):
    """The runs, the query, and what is plotted."""

    kind: ClassVar[str] = "distances"

    runs: tuple[str, ...] = runs_option(follows="runs")
    highlight: str = option(
        "", of=("figure",), metavar="NAME", follows="highlight",
        help="Run with a wide line, and the one of densities and of distances by rank.",
    )  # fmt: skip
    query: str = option(
        "", metavar="ID", follows="query",
        help="Query of distances by rank, and beside the densities; of a table: whose triangles are examined.",
    )  # fmt: skip
    view: Literal["density", "roc", "det", "rank"] = option(
        "density", "Show", VIEWS, of=("figure",), help="Densities of distances, ROC or DET curves, distance by rank."
    )


def _found(data: ContentData, request: DistancesRequest) -> dict[str, RunDistances]:
    """Statistics of the requested runs that have distances, by name."""
    names = [data.benchmark.runs[number].name for number in run_numbers(data, request.runs)]
    scores = data.evaluated
    found = {
        name: data.result(run_distances, scores, scores.run_index(name), cancelled=data.cancelled) for name in names
    }
    return {name: one for name, one in found.items() if one is not None}


def distances_chart(data: ContentData, request: DistancesRequest) -> Plot:
    """Densities of the distances of one run, ROC or DET curves of all, or distance against rank of one list."""
    if request.view == "rank":
        return _by_rank(data, request)
    found = _found(data, request)
    if not found:
        raise ShrecViewerError("no run has distances to relevant and to irrelevant models")
    selected = request.highlight if request.highlight in found else next(iter(found))
    if request.view == "density":
        return _densities(data, request, found[selected])
    probit = np.vectorize(NormalDist().inv_cdf, otypes=[float])
    low, high = DET_SHARES[0], DET_SHARES[-1]
    styles, curves = styles_of_runs(data), []
    for name, one in found.items():
        kept = np.unique(np.linspace(0, len(one.far) - 1, MAX_POINTS).round().astype(int))
        x, y = one.far[kept], 1.0 - one.frr[kept]
        if request.view == "det":
            x, y = (probit(np.clip(values, low, high)) for values in (x, 1.0 - y))
        curves.append(PlotCurve(name, name, x, y, *styles[name]))
    if request.view == "roc":
        axes = Axes("Irrelevant models accepted", "Relevant models accepted", (0.0, 1.0), (0.0, 1.0))
        ends = np.array([0.0, 1.0])
        lines = [ReferenceLine("Random", ends, ends, dash="dash", mark="random", listed=False)]
    else:
        ends = probit(np.array([low, high]))
        limits = (float(ends[0]), float(ends[1]))
        axes = Axes(
            "Irrelevant models accepted (normal deviate)", "Relevant models rejected (normal deviate)", limits, limits
        )
        lines = [
            ReferenceLine(format_percent(share), ends, np.full(2, at), "line", mark=format_percent(share), listed=False)
            for share, at in zip(DET_SHARES[1:-1], probit(np.array(DET_SHARES[1:-1])), strict=True)
        ]
    title = f"{data.benchmark.name} {VIEWS[request.view]}"
    return Plot(title, axes, tuple(curves), selected, References(lines=tuple(lines)))


def _densities(data: ContentData, request: DistancesRequest, found: RunDistances) -> Plot:
    x = (found.edges[1:] + found.edges[:-1]) / 2.0
    lines = [_line("Relevant", x, found.relevant, "muted"), _line("Not relevant", x, found.irrelevant, "muted")]
    if request.query:
        one = _of_query(data, found.run, request.query)
        for name, values, dash in (("", one.relevant, "solid"), (" not", one.irrelevant, "dash")):
            edges = found.edges[::QUERY_BINS] if len(found.edges) > QUERY_BINS else found.edges
            density = np.histogram(values, edges)[0] / (max(len(values), 1) * np.diff(edges))
            middle = (edges[1:] + edges[:-1]) / 2.0
            lines.append(_line(f"{request.query},{name} relevant", middle, density, "accent", dash))
    highest = max(line.y.max() for line in lines)
    figures = f"EER {format_value(found.eer)}, AUC {format_value(found.auc)}, d′ {format_value(found.d_prime)}"
    return Plot(
        f"{data.benchmark.name} distances {found.run}",
        # Without names, which labels of axes in the window interpret.
        Axes(
            f"Distance; {figures}",
            "Density",
            (float(found.edges[0]), float(found.edges[-1])),
            (0.0, 1.05 * float(highest)),
            short_x_labels=("Distance",),
        ),
        (PlotCurve(found.run, found.run, x, found.relevant, *styles_of_runs(data)[found.run]),),
        found.run,
        References(lines=tuple(lines)),
    )


def _line(label: str, x: NDArray[np.float64], y: NDArray[np.float64], token: str, dash: str = "solid") -> ReferenceLine:
    return ReferenceLine(label, x, y, token, dash, mark=label, at=int(np.argmax(y)), width=2.0)


def _of_query(data: ContentData, run: str, query: str) -> QueryDistances:
    benchmark, number = data.benchmark, query_number(data, query)
    found = query_distances(benchmark, data.profile, benchmark.runs[run_number(data, run)], number)
    if found is None:
        raise ShrecViewerError(f"the list of {run} for {query} has no distances")
    return found


def _by_rank(data: ContentData, request: DistancesRequest) -> Plot:
    """Distance against rank of one list, with the relevant models as points."""
    benchmark = data.benchmark
    if not len(benchmark.queries):
        raise ShrecViewerError(f"'{benchmark.name}' has no queries")
    run = request.highlight or benchmark.runs[run_numbers(data, request.runs)[0]].name
    query = request.query or benchmark.queries.ids[0]
    found, curves = _of_query(data, run, query), []
    ranks = found.ranks.astype(np.float64)
    for level in np.unique(found.levels[found.levels > 0]).tolist():
        style, at = relevance_style(2 if benchmark.is_binary else level), found.levels == level
        label = f"Level {level}"
        curves.append(PlotCurve(label, label, ranks[at], found.values[at], style.frame, marker="circle", dotted=True))
    low, high = float(found.values.min()), float(found.values.max())
    space = 0.03 * (high - low) or 0.5
    margin = f"margin {format_value(found.margin, signed=True)}, AUC {format_value(found.auc)}"
    axes = Axes(f"Rank; {margin}", "Distance", (0.0, float(ranks[-1] + 1)),
                (low - space, high + space), short_x_labels=("Rank",))  # fmt: skip
    every = References(lines=(_line(f"{run}, {query}", ranks, found.values, "muted"),))
    return Plot(f"{benchmark.name} distances {run} {query}", axes, tuple(curves), references=every)


COLUMNS = ("eer", "auc", "auc of queries", "d'", "margin", "relevant", "irrelevant", "tied", "asymmetric", "nonzero",
           "triangles")  # fmt: skip


def distances_table(data: ContentData, request: DistancesRequest) -> Table:
    """How well distances separate relevant from irrelevant models, and the shares that violate the laws of a metric."""
    found, notes, rows = _found(data, request), list[str](), list[tuple[Cell, ...]]()
    reasons: list[str] = []  # why a run has no laws of a metric
    for number in run_numbers(data, request.runs):
        run = data.benchmark.runs[number]
        cells: list[Cell] = [None] * len(COLUMNS)
        if one := found.get(run.name):
            notes += _notes(one)
            margin = float(np.median(one.margin[~np.isnan(one.margin)])) if np.isfinite(one.margin).any() else None
            cells[:8] = [
                *map(finite_or_none, (one.eer, one.auc, one.auc_within, one.d_prime)),
                margin, one.n_relevant, one.n_irrelevant, one.n_tied / one.n_listed,
            ]  # fmt: skip
            laws = data.result(metric_laws, data.benchmark, run, cancelled=data.cancelled)
            if isinstance(laws, str):
                reasons.append(laws)
            else:
                triples, violations = laws.n_triples, laws.n_violations
                if request.query:
                    query = query_number(data, request.query)
                    of_query = query_violations(data.benchmark, run, query, cancelled=data.cancelled)
                    triples, violations = (0, 0) if isinstance(of_query, str) else of_query
                cells[8:] = [laws.n_asymmetric / laws.n_pairs, laws.n_nonzero / laws.n_models,
                             violations / triples if triples else None]  # fmt: skip
        else:
            notes.append(f"{run.name} has no distances to relevant and to irrelevant models.")
        rows.append((run.name, *cells))
    if len(reasons) == len(found) > 0:
        notes.append(f"No run has distances between models: {reasons[0]}.")
    triangles = f"of query {request.query}" if request.query else "among up to 300 models"
    title = "distances to relevant and irrelevant models; margin: median over the queries; triangles"
    return table_of(data, "distances", f"{title} {triangles}", ("run",), COLUMNS, rows, notes)


def _notes(found: RunDistances) -> Iterator[str]:
    if found.pure_ties:
        yield (
            f"{found.run}: each of the {found.n_groups:,} groups of equal distances holds models of one class, as if "
            "the distances knew the classes."
        )
    if found.auc_within - found.auc > MIN_GAP:
        yield (
            f"{found.run}: distances of different queries are not comparable: AUC {format_value(found.auc_within)} "
            f"within queries, {format_value(found.auc)} over all."
        )
