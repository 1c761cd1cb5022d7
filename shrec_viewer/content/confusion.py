"""Confusion of classes in the first or second tier of one run."""

from dataclasses import dataclass
from typing import ClassVar

from shrec_viewer.charts.matrix import Matrix
from shrec_viewer.charts.table import Table, TableColumn
from shrec_viewer.content.data import ContentData, class_name, run_number, run_numbers
from shrec_viewer.content.request import TableRequest, option, runs_option
from shrec_viewer.domain import Benchmark, ShrecError
from shrec_viewer.evaluation.plots.confusion import Confusion, Tier, confusion, tier_lists


@dataclass(frozen=True)
class ConfusionRequest(TableRequest):
    """The run and the tier."""

    kind: ClassVar[str] = "confusion"

    runs: tuple[str, ...] = runs_option(follows="run")
    highlight: str = option("", of=("figure",), metavar="NAME", help="The run shown.")
    tier: Tier = option(1, "Tier", {1: "First tier", 2: "Second tier"}, help="First or second tier.")


def confusion_chart(data: ContentData, request: ConfusionRequest) -> Matrix:
    """Share of each class in the first or second tier of the queries of each class, of one run."""
    benchmark = data.benchmark
    if benchmark.classification is None:
        raise ShrecError(f"'{benchmark.name}' has no classification: there is no confusion of classes")
    name = request.highlight or (request.runs[0] if request.runs else "")
    run = benchmark.runs[run_number(data, name)] if name else benchmark.runs[run_numbers(data, request.runs)[0]]
    found = confusion(tier_lists(benchmark, run, data.profile), benchmark, request.tier)
    if not len(found.rows):
        raise ShrecError("there are no queries with a class and relevant models")
    return confusion_matrix(found, benchmark, run.name, request.tier)


def confusion_matrix(found: Confusion, benchmark: Benchmark, run: str, tier: int) -> Matrix:
    """Contents of a confusion map; the benchmark has a classification."""
    assert benchmark.classification is not None
    names = benchmark.classification.names
    return Matrix(
        found.shares,
        tuple(names[label] for label in found.rows.tolist()),
        tuple(names[label] for label in found.columns.tolist()),
        scale="shares",
        decimals=2,
        title=f"{benchmark.name} confusion {run} tier {tier}",
        row_label="Class of the query",
        column_label="Class of the models",
        value_label=f"Share of the {'first' if tier == 1 else 'second'} tier, {run}",
    )


def confusion_table(data: ContentData, request: ConfusionRequest) -> Table:
    """Share of the models of each class in the tier of the queries of each class."""
    benchmark = data.benchmark
    if benchmark.classification is None or benchmark.assessment is None:
        raise ShrecError(f"'{benchmark.name}' has no classification with relevance assessments")
    run = benchmark.run(_run_name(benchmark, request))
    found = confusion(
        tier_lists(benchmark, run, data.profile, cancelled=data.cancelled), benchmark, 2 if request.tier == 2 else 1
    )
    names = [class_name(benchmark, int(label)) for label in found.rows]
    tier = {1: "first", 2: "second"}[found.tier]
    return Table(
        "confusion",
        f"{benchmark.name}: classes of the models in the {tier} tier, run {run.name}; profile {data.profile.title}",
        (
            TableColumn("class"),
            TableColumn("queries", is_number=True),
            *(TableColumn(class_name(benchmark, int(label)), is_number=True) for label in found.columns),
        ),
        tuple(
            (name, int(number), *map(float, shares))
            for name, number, shares in zip(names, found.queries, found.shares, strict=True)
        ),
    )


def _run_name(benchmark: Benchmark, request: ConfusionRequest) -> str:
    if not benchmark.runs:
        raise ShrecError(f"'{benchmark.name}' has no runs")
    names = [run.name for run in benchmark.runs]
    if request.runs and request.runs[0] not in names:
        raise ShrecError(f"there is no run '{request.runs[0]}'")
    return request.runs[0] if request.runs else names[0]
