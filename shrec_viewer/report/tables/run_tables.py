"""Tables of one run or model: the calculation of a score, the ranks of a model, and the versions of a run."""

from collections.abc import Callable
from math import isfinite

import numpy as np

from shrec_viewer.domain import ShrecError
from shrec_viewer.evaluation.calculation import ScoreCalculation, calculation_of, calculation_of_mean
from shrec_viewer.evaluation.model_ranks import model_ranks
from shrec_viewer.evaluation.ranked_list import ranked_list
from shrec_viewer.evaluation.run_versions import history_document, version_means
from shrec_viewer.metrics import find_measure
from shrec_viewer.report.tables.request import (
    TableData,
    TableRequest,
    requested_measure,
    requested_queries,
    requested_runs,
)
from shrec_viewer.report.tables.table import Cell, Table, TableColumn

RELEVANT, FALSE_POSITIVE = "relevant", "false"
"""Values of `TableRequest.by`: queries to which a model is relevant, or for which it is a false positive."""


def calculation_table(data: TableData, request: TableRequest, cancelled: Callable[[], bool]) -> Table:
    """The values that a score, or without a query a mean, is computed from; the score is the first row."""
    scores, benchmark = data.evaluated, data.benchmark
    run, measure = requested_runs(scores, request)[0], scores.measures[requested_measure(scores, request)].key
    if request.queries:
        query = requested_queries(benchmark, request)[0]
        found = calculation_of(scores, measure, run, query)
        rows = _steps_of_score(data, found, query)
        subject = found.query
    else:
        found = calculation_of_mean(scores, measure, run, over_classes=request.over == "classes")
        rows = [(name, "", None, _defined(value)) for name, value in found.parts]
        subject = f"mean over {found.over}"
    return Table(
        "calculation",
        f"{benchmark.name}: {measure} of {found.run}, {subject}; profile {data.profile.title}",
        (
            TableColumn("part"),
            TableColumn("model"),
            TableColumn("level", is_number=True),
            TableColumn("value", is_number=True),
        ),
        ((measure, "", None, _defined(found.value)), *rows),
        notes=tuple(filter(None, (found.formula, found.note))),
    )


def _steps_of_score(data: TableData, found: ScoreCalculation, query: int) -> list[tuple[Cell, ...]]:
    """The symbols of the formula, then the ranks used with their contributions."""
    steps, benchmark = found.calculation_steps, data.benchmark
    if steps is None:
        return []
    shown = ranked_list(benchmark, benchmark.run(found.run), query, data.profile)
    rows: list[tuple[Cell, ...]] = [(meaning, "", None, _number(value)) for _, meaning, value in steps.symbols]
    shares = steps.shares or (float("nan"),) * len(steps.ranks)
    for rank, share in zip(steps.ranks, shares, strict=True):
        item = int(shown.items[rank - 1]) if rank <= len(shown) else -1
        model = benchmark.collection.ids[item] if item >= 0 else ""
        level = int(shown.levels[rank - 1]) if item >= 0 else None
        rows.append((f"rank {rank}", model, level, _defined(share)))
    return rows


def _defined(value: float) -> float | None:
    return float(value) if isfinite(value) else None


def _number(text: str) -> Cell:
    """Value of a symbol, as a number where it is one."""
    try:
        return int(text.replace(",", ""))
    except ValueError:
        pass
    try:
        return _defined(float(text))
    except ValueError:
        return text


def model_table(data: TableData, request: TableRequest, cancelled: Callable[[], bool]) -> Table:
    """Rank of a model in every run, one row per query to which it is relevant, or for which it is a false positive."""
    benchmark = data.benchmark
    if len(request.models) != 1:
        raise ShrecError("this table shows one model: choose a model")
    name = request.models[0]
    if name not in benchmark.collection.index:
        raise ShrecError(f"there is no model '{name}'")
    if not benchmark.runs:
        raise ShrecError(f"'{benchmark.name}' has no runs")
    found = model_ranks(benchmark, data.profile, benchmark.collection.index[name], cancelled=cancelled)
    is_false = request.by == FALSE_POSITIVE
    queries = (found.false_positive_queries if is_false else found.relevant_queries).tolist()
    if request.queries:
        queries = requested_queries(benchmark, request)
    names = [run.name for run in benchmark.runs]
    if unknown := set(request.runs) - set(names):
        raise ShrecError(f"there is no run '{sorted(unknown)[0]}'")
    runs = [names.index(run) for run in request.runs or names]
    tree, labels = benchmark.classification, benchmark.queries.labels
    rows: list[tuple[Cell, ...]] = [
        (
            benchmark.queries.ids[query],
            "" if tree is None or labels[query] < 0 else tree.names[int(labels[query])],
            int(found.levels[query]),
            *(int(found.ranks[run, query]) or None for run in runs),
        )
        for query in queries
    ]
    what = "for which it is a false positive" if is_false else "to which it is relevant"
    return Table(
        "model",
        f"{benchmark.name}: ranks of {name} for queries {what}; profile {data.profile.title}",
        (
            TableColumn("query"),
            TableColumn("class"),
            TableColumn("level", is_number=True),
            *(TableColumn(names[run], is_number=True) for run in runs),
        ),
        tuple(rows),
        notes=("An empty cell is a list without the model.",),
    )


def history_table(data: TableData, request: TableRequest, cancelled: Callable[[], bool]) -> Table:
    """Versions of a run with their means, newest first."""
    benchmark = data.benchmark
    run = request.runs[0] if request.runs else next((run.name for run in benchmark.runs), "")
    if data.versions is None or not run:
        raise ShrecError(f"no versions of the runs of '{benchmark.name}' are kept")
    measure = find_measure(request.measures[0] if request.measures else data.profile.headline).key
    history = data.versions.history(run)
    means = version_means(data.versions, history.versions, benchmark, data.profile, measure)
    rows: list[tuple[Cell, ...]] = []
    former = np.nan
    for version, mean in zip(history_document(run, measure, history.versions, means)["versions"], means, strict=True):
        baseline = "baseline" if version["baseline"] else ""
        change = _defined(mean - former)
        rows.append((version["time"], _defined(mean), change, baseline, version["note"], version["hash"]))
        former = mean
    return Table(
        "history",
        f"{benchmark.name}: versions of {run}; profile {data.profile.title}",
        (
            TableColumn("time"),
            TableColumn(measure, is_number=True),
            TableColumn("change", is_number=True),
            TableColumn("baseline"),
            TableColumn("note"),
            TableColumn("hash"),
        ),
        tuple(reversed(rows)),
    )
