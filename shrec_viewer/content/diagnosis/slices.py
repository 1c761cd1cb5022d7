"""Means of the runs in named sets of queries, and the sources of the variance of their scores."""

from dataclasses import dataclass, replace
from typing import ClassVar

from shrec_viewer.charts.bars import Bar, Bars
from shrec_viewer.charts.table import Table
from shrec_viewer.content.data import ContentData, measure_column, scores_of_runs, slices_of, table_of
from shrec_viewer.content.request import TableRequest, measure_option, runs_option
from shrec_viewer.diagnosis.slices import slice_scores
from shrec_viewer.diagnosis.variance import VarianceSources, variance_sources
from shrec_viewer.domain import ShrecViewerError
from shrec_viewer.evaluation.score_tables import finite_or_none
from shrec_viewer.render.scene.palette import SERIES

#: Sources of variance, and their names.
SOURCES = {
    "of_class": "class",
    "run": "run",
    "run_x_class": "run × class",
    "query_within_class": "query within class",
    "rest": "rest",
}


@dataclass(frozen=True)
class SlicesRequest(TableRequest):
    """The runs and the measure."""

    kind: ClassVar[str] = "slices"

    runs: tuple[str, ...] = runs_option(follows="run")
    measure: str = measure_option()


def slices_table(data: ContentData, request: SlicesRequest) -> Table:
    """Mean of each run over the queries of each slice, less that over the others, with a 95 % bootstrap interval."""
    scores = data.evaluated
    column = measure_column(scores, request.measure)
    measure, slices = scores.measures[column], slices_of(data, measure=request.measure)
    found = slice_scores(scores_of_runs(data, request.runs), slices, column)
    rows = tuple(
        (name, one.name, int(found.n[row, run]),
         *(finite_or_none(float(values[row, run])) for values in (found.mean, found.difference, found.low, found.high)))
        for run, name in enumerate(found.runs) for row, one in enumerate(slices)
    )  # fmt: skip
    title = (
        f"{measure.key} over sets of queries, and its difference from the other queries with 95 % bootstrap intervals"
    )
    table = table_of(data, "slices", title, ("run", "slice"), ("queries", "mean", "difference", "low", "high"), rows)
    differences = (replace(column, is_difference=True) for column in table.columns[-3:])
    return replace(table, columns=(*table.columns[:-3], *differences), contests=())


@dataclass(frozen=True)
class VarianceRequest(TableRequest):
    """The measure."""

    kind: ClassVar[str] = "variance"

    measure: str = measure_option()


def _sources(data: ContentData, request: VarianceRequest) -> tuple[str, VarianceSources]:
    column = measure_column(data.evaluated, request.measure)
    found = variance_sources(data.evaluated, column)
    if isinstance(found, str):
        raise ShrecViewerError(f"the variance cannot be divided: {found}")
    return data.evaluated.measures[column].key, found


def variance_chart(data: ContentData, request: VarianceRequest) -> Bars:
    """Shares of the variance of the scores of all runs for all queries."""
    key, found = _sources(data, request)
    bars = tuple(Bar(text, getattr(found, name), SERIES["light"][-1]) for name, text in SOURCES.items())
    return Bars(f"{data.benchmark.name} variance {key}", f"Share of the variance of {key}", bars, (0.0, 1.0))


def variance_table(data: ContentData, request: VarianceRequest) -> Table:
    """The same as a table."""
    key, found = _sources(data, request)
    has_classes = found.of_class > found.query_within_class
    where, unit = ("between than within", "classes") if has_classes else ("within than between", "queries")
    title = (
        f"sources of the variance of {key} of {found.n_runs} runs for {found.n_queries} queries of {found.n_classes} "
        "classes"
    )
    rows = [(text, float(getattr(found, name))) for name, text in SOURCES.items()]
    notes = (f"More variance {where} classes: {unit} are the sample.",)
    return table_of(data, "variance", title, ("source",), ("share",), rows, notes)
