"""Confusion of classes in the first or second tier of one run."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from shrec_viewer.charts.matrix import Matrix
from shrec_viewer.charts.table import Table, TableColumn
from shrec_viewer.content.data import ContentData, class_name, run_numbers
from shrec_viewer.content.request import TableRequest, option, runs_option
from shrec_viewer.domain import Benchmark, ShrecViewerError
from shrec_viewer.evaluation.plots.confusion import Confusion, Tier, TierLists, confusion, tier_lists

#: What a panel shows: the classes in a tier, or the tiers of all queries as an image.
SHOWN = {"1": "First tier", "2": "Second tier", "image": "Tier image"}


@dataclass(frozen=True)
class ConfusionRequest(TableRequest):
    """The run and the tier."""

    kind: ClassVar[str] = "confusion"

    runs: tuple[str, ...] = runs_option(follows="run")
    highlight: str = option("", of=("figure",), metavar="NAME", help="The run shown.")
    tier: Tier = option(1, choices={1: "First tier", 2: "Second tier"}, help="First or second tier.")
    shown: Literal["1", "2", "image"] = option("1", "Show", SHOWN, of=("panel",))

    @classmethod
    def current_state(cls, state: Mapping[str, Any]) -> Mapping[str, Any]:
        """See `Request`; until 2026 what is shown was the kind."""
        return {"shown" if name == "kind" else name: value for name, value in state.items()}


@dataclass(frozen=True, eq=False)
class RunConfusion:
    """The tiers of all lists of a run, and the classes in them.

    Attributes
    ----------
    benchmark : of which the indices are.
    tiers : the lists.
    of_tier : classes in the first and in the second tier.
    """

    benchmark: Benchmark
    tiers: TierLists
    of_tier: Mapping[Tier, Confusion]


def run_confusion(data: ContentData, request: ConfusionRequest) -> RunConfusion:
    """The confusion of both tiers of one run."""
    tiers = _tiers(data, request)
    return RunConfusion(data.benchmark, tiers, {tier: confusion(tiers, data.benchmark, tier) for tier in (1, 2)})


def _tiers(data: ContentData, request: ConfusionRequest) -> TierLists:
    benchmark = data.benchmark
    if benchmark.classification is None:
        raise ShrecViewerError(f"'{benchmark.name}' has no classification: there is no confusion of classes")
    names = (request.highlight,) if request.highlight else request.runs
    run = benchmark.runs[run_numbers(data, names)[0]]
    return tier_lists(benchmark, run, data.profile, cancelled=data.cancelled, progress=data.progress)


def confusion_chart(data: ContentData, request: ConfusionRequest) -> Matrix:
    """Share of each class in the first or second tier of the queries of each class, of one run."""
    tiers = _tiers(data, request)
    found = confusion(tiers, data.benchmark, request.tier)
    if not len(found.rows):
        raise ShrecViewerError("there are no queries with a class and relevant models")
    return confusion_matrix(found, data.benchmark, tiers.run, request.tier)


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
        raise ShrecViewerError(f"'{benchmark.name}' has no classification with relevance assessments")
    tiers = _tiers(data, request)
    found = confusion(tiers, benchmark, request.tier)
    names = [class_name(benchmark, int(label)) for label in found.rows]
    tier = {1: "first", 2: "second"}[found.tier]
    return Table(
        "confusion",
        f"{benchmark.name}: classes of the models in the {tier} tier, run {tiers.run}; profile {data.profile.title}",
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
