"""Differences between two runs for each query."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shrec_viewer.charts.bars import Differences
from shrec_viewer.charts.table import Table, TableColumn
from shrec_viewer.content.data import (
    ContentData,
    class_name,
    measure_cells,
    measure_column,
    query_numbers,
    run_numbers,
    score_rows,
    table_rows,
)
from shrec_viewer.content.request import TableRequest, measure_option, option, queries_option, runs_option
from shrec_viewer.domain import ShrecError
from shrec_viewer.number_format import MINUS


@dataclass(frozen=True)
class GainLossRequest(TableRequest):
    """Runs A and B."""

    kind: ClassVar[str] = "gain_loss"

    runs: tuple[str, ...] = runs_option(follows="pair")
    queries: tuple[str, ...] = queries_option()
    measure: str = measure_option()
    query_order: str = option(
        "difference",
        "Order",
        {"difference": "By difference", "given": "File", "class": "Class"},
        help="Order of the queries.",
    )


def gain_loss(data: ContentData, request: GainLossRequest) -> Differences:
    """Differences between two runs for each query, largest gain first."""
    scores, column = data.evaluated, measure_column(data.evaluated, request.measure)
    measure = scores.measures[column]
    runs = run_numbers(data, request.runs)
    if len(request.runs) != 2:
        raise ShrecError("this figure compares two runs: choose run A and run B")
    names = [data.benchmark.runs[run].name for run in runs]
    values = scores.values_in_mean[[scores.run_index(name) for name in names], :, column]
    changes = values[1] - values[0]
    queries = query_numbers(data, request.queries)
    sign = -1.0 if measure.better == "lower" else 1.0
    if request.query_order != "given" or not request.queries:
        keys = np.array([-sign * changes[query] for query in queries])
        queries = [queries[at] for at in np.argsort(np.where(np.isnan(keys), np.inf, keys), kind="stable").tolist()]
    shown = changes[queries]
    gains, losses = int((sign * shown > 0).sum()), int((sign * shown < 0).sum())
    return Differences(
        f"{data.benchmark.name} gain and loss {measure.key} {names[1]} {names[0]}",
        f"{measure.key}, {names[1]} {MINUS} {names[0]}",
        tuple(scores.queries[query] for query in queries),
        shown,
        measure.better == "lower",
        f"{names[1]} better: {gains:,}",
        f"{names[0]} better: {losses:,}",
    )


def gain_loss_table(data: ContentData, request: GainLossRequest) -> Table:
    """Values of two runs and their difference, one row per query."""
    scores = data.evaluated
    if len(scores.runs) < 2 or len(request.runs) not in (0, 2):
        raise ShrecError("differences per query need two runs: choose run A and run B")
    (a, b), column = score_rows(scores, request.runs)[:2], measure_column(scores, request.measure)
    queries = query_numbers(data, request.queries)
    values = scores.values_in_mean[:, queries, column]
    measure = scores.measures[column]
    return Table(
        "gain_loss",
        f"{data.benchmark.name}: {measure.key} of {scores.runs[a]} and {scores.runs[b]}; profile {data.profile.title}",
        (
            TableColumn("query"),
            TableColumn("class"),
            TableColumn(scores.runs[a], is_number=True),
            TableColumn(scores.runs[b], is_number=True),
            TableColumn("difference", is_number=True),
        ),
        table_rows(
            [
                [scores.queries[query] for query in queries],
                [class_name(data.benchmark, int(scores.query_labels[query])) for query in queries],
                *(measure_cells(column, measure) for column in (values[a], values[b], values[b] - values[a])),
            ]
        ),
    )
