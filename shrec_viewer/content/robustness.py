"""Robustness of the ranking of the runs to changes of the conventions."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shrec_viewer.charts.table import Cell, Table, TableColumn
from shrec_viewer.content.data import ContentData
from shrec_viewer.content.request import TableRequest, measure_option, option, runs_option
from shrec_viewer.diagnosis.robustness import Robustness, examine_robustness
from shrec_viewer.domain import ShrecViewerError
from shrec_viewer.metrics import find_measure


@dataclass(frozen=True)
class RobustnessRequest(TableRequest):
    """The measure."""

    kind: ClassVar[str] = "robustness"

    runs: tuple[str, ...] = runs_option()
    measure: str = measure_option()


@dataclass(frozen=True)
class ConventionsRequest(TableRequest):
    """The measure."""

    kind: ClassVar[str] = "conventions"

    runs: tuple[str, ...] = runs_option()
    measure: str = measure_option()


@dataclass(frozen=True)
class UnsettledRequest(TableRequest):
    """The measure, and the change that reverses the pairs."""

    kind: ClassVar[str] = "unsettled"

    runs: tuple[str, ...] = runs_option()
    measure: str = measure_option()
    by: str = option(
        "",
        metavar="WHAT",
        help="Only pairs that this change of the conventions reverses; `table conventions` lists the keys.",
    )


def robustness_table(data: ContentData, request: RobustnessRequest) -> Table:
    """Rank of each run, with its best and worst rank over all changes of the conventions."""
    return table_of_ranks(data, examined(data, request))


def table_of_ranks(data: ContentData, found: Robustness) -> Table:
    """See `robustness_table`."""
    order = np.argsort(found.ranks, kind="stable").tolist()
    sign = -1.0 if found.measure.better == "lower" else 1.0
    rows: list[tuple[Cell, ...]] = [
        (
            found.runs[run],
            int(found.ranks[run]),
            int(found.intervals[run, 0]),
            int(found.intervals[run, 1]),
            sign * float(found.values[run]),
        )
        for run in order
    ]
    return Table(
        "robustness",
        f"{data.benchmark.name}: ranks by {found.measure.key} under {len(found.variants)} changes of the conventions; "
        f"profile {data.profile.title}",
        (
            TableColumn("run"),
            *(TableColumn(name, is_number=True) for name in ("rank", "best", "worst")),
            TableColumn(found.measure.key, is_number=True),
        ),
        tuple(rows),
    )


def conventions_table(data: ContentData, request: ConventionsRequest) -> Table:
    """Changes of the conventions with the number of pairs of runs that they reverse, the largest number first."""
    return table_of_conventions(data, examined(data, request))


def table_of_conventions(data: ContentData, found: Robustness) -> Table:
    """See `conventions_table`."""
    counts = {variant.key: len(found.changes_of(variant.key)) for variant in found.variants}
    shown = sorted(found.variants, key=lambda variant: -counts[variant.key])
    return Table(
        "conventions",
        f"{data.benchmark.name}: changes of the conventions, {found.measure.key}; profile {data.profile.title}",
        (
            TableColumn("change"),
            TableColumn("key"),
            *(TableColumn(name, is_number=True) for name in ("pairs reversed", "tau", "tau AP")),
        ),
        tuple((variant.label, variant.key, counts[variant.key], variant.tau, variant.tau_ap) for variant in shown),
    )


def unsettled_table(data: ContentData, request: UnsettledRequest) -> Table:
    """Pairs of runs whose order a change of the conventions reverses, those that change most often first."""
    found = examined(data, request)
    if request.by and request.by not in [variant.key for variant in found.variants]:
        raise ShrecViewerError(f"there is no change '{request.by}'; the table 'conventions' lists them")
    return table_of_unsettled(data, found, request.by)


def table_of_unsettled(data: ContentData, found: Robustness, change: str = "") -> Table:
    """See `unsettled_table`; of all changes, or of the one with a key."""
    pairs = [pair for pair in found.pairs if not pair.settled and (not change or change in pair.changed_by)]
    by = f" by {change}" if change else ""
    return Table(
        "unsettled",
        f"{data.benchmark.name}: pairs of runs reversed{by}, {found.measure.key}; profile {data.profile.title}",
        (TableColumn("better"), TableColumn("worse"), TableColumn("reversed by")),
        tuple((pair.a, pair.b, ", ".join(pair.changed_by)) for pair in reversed(pairs)),
    )


def examined(data: ContentData, request: RobustnessRequest | ConventionsRequest | UnsettledRequest) -> Robustness:
    """The ranking of the runs by the requested measure under all changes of the conventions."""
    key = find_measure(request.measure or data.profile.headline).key
    return data.result(
        examine_robustness, data.benchmark, data.profile, key, runs=request.runs or None, cancelled=data.cancelled,
        progress=data.progress,
    )  # fmt: skip
