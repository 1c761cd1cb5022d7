"""Runs among themselves: how similar their lists are, and what they find together."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from shrec_viewer.charts.bars import Bar, Bars
from shrec_viewer.charts.matrix import Matrix
from shrec_viewer.charts.plot import Axes, Plot, PlotCurve
from shrec_viewer.charts.table import Cell, Table
from shrec_viewer.content.data import ContentData, measure_column, score_rows, styles_of_runs, table_of
from shrec_viewer.content.request import TableRequest, measure_option, option, runs_option
from shrec_viewer.diagnosis.headroom import Headroom, headroom
from shrec_viewer.diagnosis.similarity import (
    SIMILARITIES,
    RunSimilarity,
    dendrogram,
    map_of_runs,
    run_copies,
    run_similarity,
    similarity_of,
)
from shrec_viewer.domain import ShrecViewerError
from shrec_viewer.number_format import format_value
from shrec_viewer.render.scene.palette import SERIES, point_marker

#: Short names of the similarities.
CHOICES = {"rbo": "RBO", "tau_ap": "τ AP", "jaccard": "Jaccard"}


@dataclass(frozen=True)
class RunSimilarityRequest(TableRequest):
    """The runs and the similarity."""

    kind: ClassVar[str] = "run_similarity"

    runs: tuple[str, ...] = runs_option(follows="runs")
    by: Literal["rbo", "tau_ap", "jaccard"] = option("rbo", "Similarity", CHOICES, help="Similarity of two lists.")
    k: int = option(10, "Ranks", low=1, high=1000, metavar="K", help="First ranks that `jaccard` compares.")

    @property
    def fixed_options(self) -> tuple[str, ...]:
        """See `Request`."""
        return () if self.by == "jaccard" else ("k",)


def _similarity(data: ContentData, request: RunSimilarityRequest) -> RunSimilarity:
    scores, k = data.evaluated, request.k if request.by == "jaccard" else 0
    found = data.result(run_similarity, scores, request.by, k, cancelled=data.cancelled, progress=data.progress)
    if not found.runs:
        raise ShrecViewerError(f"'{data.benchmark.name}' has no runs")
    return similarity_of(found, score_rows(scores, request.runs)) if request.runs else found


def run_similarity_chart(data: ContentData, request: RunSimilarityRequest) -> Matrix:
    """Similarity of the lists of each two runs, in the order of average linkage: similar runs are neighbours."""
    found = _similarity(data, request)
    names = tuple(found.runs[run] for run in found.order.tolist())
    label = SIMILARITIES[request.by] + (f" in the first {request.k}" if request.by == "jaccard" else "")
    return Matrix(
        found.values[np.ix_(found.order, found.order)],
        names,
        names,
        decimals=2,
        title=f"{data.benchmark.name} similarity {request.by}",
        row_label="Truth" if request.by == "tau_ap" else "Run",
        column_label="Run",
        value_label=label,
        tree=dendrogram(found) if len(names) > 1 else None,
    )


def run_similarity_table(data: ContentData, request: RunSimilarityRequest) -> Table:
    """The same as a table, with the runs that are copies of each other, and the groups of similar runs."""
    found = _similarity(data, request)
    notes = [
        f"{copy.a} and {copy.b} " + ("are the same file." if copy.is_identical else f"are near-copies: {copy.rbo:.3f}.")
        for copy in (run_copies(data.benchmark, found) if request.by == "rbo" else ())
    ]
    names = [found.runs[run] for run in found.order.tolist()]
    values = found.values[np.ix_(found.order, found.order)]
    rows = [(name, *map(float, row)) for name, row in zip(names, values, strict=True)]
    return table_of(
        data, "run_similarity", f"{SIMILARITIES[request.by].lower()} of the lists", ("run",), names, rows, notes
    )


@dataclass(frozen=True)
class RunMapRequest(RunSimilarityRequest):
    """The runs and the similarity."""

    kind: ClassVar[str] = "run_map"


def run_map_chart(data: ContentData, request: RunMapRequest) -> Plot:
    """The runs as points whose distances are 1 - similarity, as well as a plane allows."""
    found = _similarity(data, request)
    points, styles = map_of_runs(found), styles_of_runs(data)
    curves = tuple(
        PlotCurve(name, name, point[:1], point[1:], style.colour, style.dash, point_marker(style), dotted=True)
        for name, point in zip(found.runs, points, strict=True)
        for style in (styles[name],)
    )
    low, high = points.min(axis=0), points.max(axis=0)
    side = max(float((high - low).max()), 0.01) * 1.2  # one scale for both axes
    (x, y) = ((float(middle) - side / 2, float(middle) + side / 2) for middle in (low + high) / 2)
    what = SIMILARITIES[request.by].lower()
    labels = f"MDS of 1 - {what}, first axis", "First axis of the MDS", "First axis"
    return Plot(
        f"{data.benchmark.name} runs {request.by}",
        Axes(labels[0], "Second axis", x, y, short_x_labels=labels[1:]),
        curves,
    )


@dataclass(frozen=True)
class HeadroomRequest(TableRequest):
    """The runs and the measure, and the number of sets."""

    kind: ClassVar[str] = "headroom"

    runs: tuple[str, ...] = runs_option(follows="runs")
    measure: str = measure_option()
    sets: int = option(20, "Sets", low=1, high=1000, metavar="N", help="Sets of runs, the most frequent first.")


def _headroom(data: ContentData, request: HeadroomRequest) -> Headroom:
    rows, column = tuple(score_rows(data.evaluated, request.runs)), measure_column(data.evaluated, request.measure)
    return data.result(headroom, data.evaluated, column, rows, cancelled=data.cancelled, progress=data.progress)


def headroom_chart(data: ContentData, request: HeadroomRequest) -> Bars:
    """Relevant models among the first C ranks by the sets of runs that find them, as an UpSet chart.

    Source: Lex, Gehlenborg, Strobelt, Vuillemot, Pfister: UpSet: visualization of intersecting sets. TVCG 20, 2014.
    """
    found = _headroom(data, request)
    sets = [(False,) * len(found.runs), *map(tuple, found.sets[: request.sets].tolist())]
    counts = [found.found_by_none, *found.counts[: request.sets].tolist()]
    bars = tuple(
        Bar(_members_text(found.runs, members) or "none", float(count), SERIES["light"][-1], members=members)
        for members, count in zip(sets, counts, strict=True)
    )
    means = f"{found.measure}: best run {format_value(found.best)}, best run of each query {format_value(found.oracle)}"
    return Bars(
        f"{data.benchmark.name} headroom {found.measure}",
        "Models found by exactly these runs",
        bars,
        (0.0, max(*counts, 1.0)),
        0,
        found.runs,
        means,
    )


def _members_text(runs: Sequence[str], members: Sequence[bool]) -> str:
    return ", ".join(name for name, is_member in zip(runs, members, strict=True) if is_member)


def headroom_table(data: ContentData, request: HeadroomRequest) -> Table:
    """The same as a table; the set without runs is that of the models that no run finds."""
    found = _headroom(data, request)
    rows: list[tuple[Cell, ...]] = [("", 0, found.found_by_none, found.found_by_none / max(found.n_relevant, 1))]
    for members, count in zip(found.sets[: request.sets].tolist(), found.counts.tolist(), strict=False):
        rows.append((_members_text(found.runs, members), sum(members), count, count / found.n_relevant))
    unique = ", ".join(f"{name} {number:,}" for name, number in zip(found.runs, found.unique.tolist(), strict=True))
    notes = (
        f"{found.measure}: {format_value(found.best)} of the best run, {found.best_run}; "
        f"{format_value(found.oracle)} with the best run of each query.",
        f"Found by one run only: {unique}.",
    )
    title = (
        "relevant models among the first C ranks, by the runs that find them, where C is the number of relevant models"
    )
    return table_of(data, "headroom", title, ("found by",), ("runs", "models", "share"), rows, notes)
