"""Differences between two runs for each query."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.charts.bars import Differences
from shrec_viewer.charts.table import Table, TableColumn, table_rows
from shrec_viewer.content.data import ContentData, class_name, measure_column, query_numbers, run_numbers, score_rows
from shrec_viewer.content.request import QueryScoresRequest, option, runs_option
from shrec_viewer.domain import ShrecViewerError
from shrec_viewer.evaluation.comparison.comparable import incomparable_pairs, incomparable_text
from shrec_viewer.evaluation.comparison.comparison import Comparison, compare, score_difference
from shrec_viewer.evaluation.score_tables import measure_cells
from shrec_viewer.number_format import MINUS


@dataclass(frozen=True)
class GainLossRequest(QueryScoresRequest):
    """Runs A and B."""

    kind: ClassVar[str] = "gain_loss"

    runs: tuple[str, ...] = runs_option(follows="pair")
    query_order: str = option(
        "difference", "Order", {"difference": "By difference", "given": "File order", "class": "By class"},
        help="Order of the queries.", table_default="given",
    )  # fmt: skip

    @classmethod
    def current_state(cls, state: Mapping[str, Any]) -> Mapping[str, Any]:
        """See `Request`; the order had another name."""
        return {"query_order": str(state["order"]).replace("gain", "difference")} if "order" in state else state


def gain_loss(data: ContentData, request: GainLossRequest) -> Differences:
    """Differences between two runs for each query, largest gain first."""
    scores, column = data.evaluated, measure_column(data.evaluated, request.measure)
    measure = scores.measures[column]
    runs = run_numbers(data, request.runs)
    if len(request.runs) != 2:
        raise ShrecViewerError("this figure compares two runs: choose run A and run B")
    names = [data.benchmark.runs[run].name for run in runs]
    values = scores.values_in_mean[[scores.run_index(name) for name in names], :, column]
    changes = score_difference(*values)
    queries, sign = _ordered(data, request, changes, column), -1.0 if measure.better == "lower" else 1.0
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


def _ordered(data: ContentData, request: GainLossRequest, changes: NDArray[np.float64], column: int) -> list[int]:
    """The requested queries in the requested order: by decreasing gain, undefined ones last."""
    scores, queries = data.evaluated, query_numbers(data, request.queries)
    if request.query_order == "given":
        return queries
    sign = -1.0 if scores.measures[column].better == "lower" else 1.0
    keys = np.where(np.isnan(changes), np.inf, -sign * changes)[queries]
    labels = scores.query_labels[queries] if request.query_order == "class" else np.zeros(len(queries), np.int32)
    order = np.lexsort((keys, np.where(labels < 0, np.iinfo(np.int32).max, labels)))
    return [queries[at] for at in order.tolist()]


def compared_runs(data: ContentData, request: GainLossRequest) -> Comparison:
    """Paired test of run A against run B on the measure, over all queries; differences are B − A."""
    a, b = request.runs
    return compare(data.evaluated, a, b, request.measure)


def gain_loss_table(data: ContentData, request: GainLossRequest) -> Table:
    """Values of two runs and their difference, one row per query."""
    scores = data.evaluated
    if len(scores.runs) < 2 or len(request.runs) not in (0, 2):
        raise ShrecViewerError("differences per query need two runs: choose run A and run B")
    (a, b), column = score_rows(scores, request.runs)[:2], measure_column(scores, request.measure)
    queries = _ordered(data, request, score_difference(*scores.values_in_mean[[a, b], :, column]), column)
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
        tuple(
            filter(None, [incomparable_text(incomparable_pairs(scores.select_runs([a, b]), measure.key), measure.key)])
        ),
    )
