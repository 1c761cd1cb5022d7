"""Heat map: one measure of all runs for all queries."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, cast

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.charts.matrix import Matrix, MatrixScale
from shrec_viewer.charts.table import Table, TableColumn, table_rows
from shrec_viewer.content.data import ContentData, measure_column, query_number, query_numbers, run_numbers
from shrec_viewer.content.request import QueryScoresRequest, option
from shrec_viewer.evaluation.plots.heat_map import HeatReference, QueryOrder, RunOrder
from shrec_viewer.evaluation.plots.heat_map import heat_map as heat_map_values
from shrec_viewer.evaluation.score_tables import is_count, measure_cells
from shrec_viewer.number_format import MINUS, SHARE_DECIMALS

QUERY_ORDERS = {
    "given": "file order",
    "class": "by class",
    "mean": "easiest first",
    "hard": "hardest first",
    "spread": "runs differ most first",
    "agreement": "runs agree most first",
}
#: Sort orders and their texts.
RUN_ORDERS = {"mean": "best first", "given": "file order", "worst": "worst first"}

#: What a panel shows: values, or differences.
VALUES = {"": "Values", "mean": "Difference from mean", "run": "Difference from run B"}


#: Colours of the values, and the values of the first and last one, with their texts.
COLOURS = {"hue": "One hue", "cividis": "Cividis"}
LIMITS = {"data": "Range of the values", "measure": "Range of the measure"}


@dataclass(frozen=True)
class HeatMapRequest(QueryScoresRequest):
    """Order of the runs and queries, what is subtracted, and the colours."""

    kind: ClassVar[str] = "heat_map"

    baseline: str = option("", metavar="NAME", help="Subtract this run, or `mean`.")
    query_order: str = option(
        "given", "Queries", QUERY_ORDERS, help="Order of the queries; easy and hard by the mean of the submitted runs."
    )
    run_order: str = option("mean", "Runs", RUN_ORDERS, help="Order of the runs.", table_default="given")
    sort_run: str = option("", "Queries by run", metavar="NAME", help="Order the queries by this run.")
    sort_query: str = option("", "Runs by query", metavar="ID", help="Order the runs by this query.")
    colours: Literal["hue", "cividis"] = option(
        "hue", "Colours", COLOURS, of=("figure", "panel"), help="Colours of the values; differences have their own."
    )
    limits: Literal["data", "measure"] = option(
        "data", "Colours over", LIMITS, of=("figure", "panel"), help="What the first and last colour stand for."
    )
    values: Literal["", "mean", "run"] = option("", "Values", VALUES, of=("panel",))

    @property
    def fixed_options(self) -> tuple[str, ...]:
        """See `Request`; an order by one run or query replaces that of the list."""
        orders = (("query_order", self.sort_run), ("run_order", self.sort_query))
        return tuple(order for order, by in orders if by)

    @classmethod
    def current_state(cls, state: Mapping[str, Any]) -> Mapping[str, Any]:
        """See `Request`; until 2026 the orders were tables."""
        if not {"against", "queries_by", "runs_by"} & set(state):
            return state
        found: dict[str, Any] = {"values": str(state.get("against", "")).replace("nothing", "")}
        for key, order, sort, by in (
            ("queries_by", "query_order", "sort_run", "run"), ("runs_by", "run_order", "sort_query", "query"),
        ):  # fmt: skip
            former = state.get(key)
            if isinstance(former, dict):
                is_by = former.get("order") == by
                found |= {sort: former.get("by", "")} if is_by else {order: former.get("order")}
        return found


def heat_map(data: ContentData, request: HeatMapRequest) -> Matrix:
    """A measure of all runs for all queries."""
    scores, column = data.evaluated, measure_column(data.evaluated, request.measure)
    measure = scores.measures[column]
    reference: HeatReference = "nothing"
    baseline = 0
    if request.baseline:
        reference = "mean" if request.baseline == "mean" and "mean" not in scores.runs else "run"
        baseline = scores.run_index(request.baseline) if reference == "run" else 0
    found = heat_map_values(
        scores,
        measure.key,
        reference=reference,
        baseline=baseline,
        query_order=cast(QueryOrder, "run" if request.sort_run else request.query_order),
        run_order=cast(RunOrder, "query" if request.sort_query else request.run_order),
        sort_run=scores.run_index(request.sort_run) if request.sort_run else 0,
        sort_query=query_number(data, request.sort_query) if request.sort_query else 0,
    )
    names = [scores.run_index(data.benchmark.runs[run].name) for run in run_numbers(data, request.runs)]
    is_given = request.run_order == "given" and not request.sort_query
    rows = _positions(found.runs, names, keeps_order=is_given)
    is_given = request.query_order == "given" and not request.sort_run
    columns = _positions(found.queries, query_numbers(data, request.queries), keeps_order=is_given)
    queries = found.queries[columns].tolist()
    groups: tuple[str, ...] = ()
    tree = data.benchmark.classification
    if request.query_order == "class" and not request.sort_run and tree is not None:
        labels = [int(scores.query_labels[query]) for query in queries]
        groups = tuple(tree.names[label] if label >= 0 else "" for label in labels)
    other = {"nothing": "", "mean": "mean"}.get(reference, request.baseline)
    values = found.values[np.ix_(rows, columns)]
    low, high = found.low, found.high
    if (
        request.limits == "data"
        and reference == "nothing"
        and np.nanmin(values, initial=np.inf) < np.nanmax(values, initial=-np.inf)
    ):
        low, high = float(np.nanmin(values)), float(np.nanmax(values))
    colours: MatrixScale = "values" if request.colours == "hue" else "cividis"
    return Matrix(
        title=f"{data.benchmark.name} heat map {measure.key}",
        values=values,
        rows=tuple(scores.runs[run] for run in found.runs[rows].tolist()),
        columns=tuple(scores.queries[query] for query in queries),
        row_label="Run",
        column_label="Query",
        value_label=(f"{measure.key} {MINUS} {other}" if other else measure.key)
        + (f" (queries: {value})" if (value := measure.measure.query_value) else ""),
        low=low,
        high=high,
        scale=colours if reference == "nothing" else "differences",
        inverted=measure.better == "lower",
        groups=groups,
        absent=found.missing[np.ix_(rows, columns)],
        totals=found.means[rows],
        total_label="mean" if measure.is_mean else "run",
        decimals=0 if is_count(measure, scores.values[:, :, column]) else SHARE_DECIMALS,
    )


def _positions(shown: NDArray[np.int64], wanted: list[int], *, keeps_order: bool) -> NDArray[np.int64]:
    """Positions in `shown` of the wanted numbers, in their own order or in that of `shown`."""
    of = {number: position for position, number in enumerate(shown.tolist())}
    found = [of[number] for number in wanted]
    return np.array(found if keeps_order else sorted(found), np.int64)


def heat_map_table(data: ContentData, request: HeatMapRequest) -> Table:
    """Values of one measure, one row per run and one column per query, with the mean."""
    scores, shown = data.evaluated, heat_map(data, request)
    measure = scores.measures[measure_column(scores, request.measure)]
    subject = measure.key
    if request.baseline:
        is_mean = request.baseline == "mean" and "mean" not in scores.runs
        subject += f" minus {'the mean of the runs' if is_mean else f'that of {request.baseline}'}"
    columns = [measure_cells(column, measure) for column in shown.values.T]
    names = [TableColumn(name, "", True, measure.better) for name in shown.columns]
    totals = [] if shown.totals is None else [float(value) for value in shown.totals]
    return Table(
        "heat_map",
        f"{data.benchmark.name}: {subject}; profile {data.profile.title}",
        (TableColumn("run"), *names, TableColumn(shown.total_label, "", True, measure.better)),
        table_rows([shown.rows, *columns, totals]),
        tuple(filter(None, [measure.query_note])),
    )
