"""Scores: means of the runs as a table and as bars, scores of one run, and how one score is computed."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, ClassVar

import numpy as np

from shrec_viewer.charts.bars import Bar, Bars
from shrec_viewer.charts.table import Cell, Table, TableColumn
from shrec_viewer.content.data import (
    ContentData,
    class_name,
    is_count,
    measure_cells,
    measure_column,
    measure_columns,
    query_numbers,
    score_rows,
    scores_of_runs,
    styles_of_runs,
    table_rows,
)
from shrec_viewer.content.heat_map import RUN_ORDERS
from shrec_viewer.content.request import (
    Request,
    TableRequest,
    measure_option,
    measures_option,
    option,
    queries_option,
    runs_option,
)
from shrec_viewer.domain import ShrecError
from shrec_viewer.evaluation.calculation import ScoreCalculation, calculation_of, calculation_of_mean
from shrec_viewer.evaluation.comparison.significance import run_significance
from shrec_viewer.evaluation.ranked_list import ranked_list
from shrec_viewer.metrics import ResolvedMeasure
from shrec_viewer.metrics.statistics.significance import SIGNIFICANCE_LEVEL
from shrec_viewer.number_format import SHARE_DECIMALS, format_percent

OVER = ("queries", "classes", "query")


def over_option() -> Any:
    """The field ``over: str``, what a mean is over and what rows are."""
    return option(
        "queries", choices=OVER,
        help="Mean over queries or classes, or the values of one --query; of `measures`: what rows are.",
    )  # fmt: skip


@dataclass(frozen=True)
class LeaderboardRequest(Request):
    """Bars of the mean scores."""

    kind: ClassVar[str] = "leaderboard"

    runs: tuple[str, ...] = runs_option()
    measure: str = measure_option()
    run_order: str = option("mean", "Runs", RUN_ORDERS, help="Order of the runs.")


def leaderboard(data: ContentData, request: LeaderboardRequest) -> Bars:
    """Mean scores of the runs as bars, best first."""
    scores = scores_of_runs(data, request.runs)
    column = measure_column(scores, request.measure)
    measure = scores.measures[column]
    order = scores.order_by(measure.key) if request.run_order != "given" else list(range(len(scores.runs)))
    order = order[::-1] if request.run_order == "worst" else order
    means = scores.mean()[:, column]
    styles = styles_of_runs(data)
    bars = tuple(
        Bar(scores.runs[row], float(means[row]), styles[scores.runs[row]].colour, scores.runs[row]) for row in order
    )
    finite = means[np.isfinite(means)]
    # Bars start at 0, as their lengths are compared.
    low, high = min(float(finite.min(initial=0.0)), 0.0), max(float(finite.max(initial=0.0)), 0.0)
    limits = (low, high if high > low else low + 1.0)
    decimals = 0 if is_count(scores, column) and bool(np.all(finite == np.round(finite))) else SHARE_DECIMALS
    return Bars(
        f"{data.benchmark.name} leaderboard {measure.key}",
        f"{measure.label}, mean over queries",
        bars,
        limits,
        decimals,
    )


@dataclass(frozen=True)
class RunsRequest(TableRequest):
    """Table of runs and measures."""

    kind: ClassVar[str] = "runs"

    runs: tuple[str, ...] = runs_option()
    queries: tuple[str, ...] = queries_option()
    measures: tuple[str, ...] = measures_option()
    over: str = over_option()
    letters: bool = option(False, "Significance letters", help="Add significance letters to means over queries.")

    @property
    def unused_options(self) -> tuple[str, ...]:
        """See `Request`."""
        return () if self.over == "queries" else ("letters",)


def runs_table(data: ContentData, request: RunsRequest) -> Table:
    """Scores of the runs, one row per run."""
    scores = data.evaluated
    rows, measures = score_rows(scores, request.runs), measure_columns(scores, request.measures)
    subject = {"queries": "Means over queries", "classes": "Means over classes"}.get(request.over, "")
    if request.over == "query":
        query = query_numbers(data, request.queries)[0]
        values, subject = scores.values[:, query], f"Scores of query {scores.queries[query]}"
    else:
        values = scores.class_mean() if request.over == "classes" else scores.mean()
    names = [scores.runs[row] for row in rows]
    participants = [scores.participants[row] for row in rows]
    leading, cells = [TableColumn("run")], [names]
    if any(participant not in ("", name) for participant, name in zip(participants, names, strict=True)):
        leading, cells = [*leading, TableColumn("participant")], [*cells, participants]
    letters: dict[int, Sequence[str]] = {}
    notes: tuple[str, ...] = ()
    if request.letters and request.over == "queries" and len(scores.runs) > 1:
        for column, measure in enumerate(measures, start=len(leading)):
            groups = run_significance(scores, scores.measures[measure].key, cancelled=data.cancelled).groups.letters
            letters[column] = tuple(groups[row] for row in rows)
        notes = (LETTERS_NOTE,)
    return Table(
        "runs",
        f"{data.benchmark.name}: {subject[:1].lower()}{subject[1:]}; profile {data.profile.title}",
        (*leading, *(_measure_column(scores.measures[measure]) for measure in measures)),
        table_rows([*cells, *(measure_cells(values[rows, measure], scores.measures[measure]) for measure in measures)]),
        notes,
        letters,
    )


LETTERS_NOTE = (
    "Runs that share a letter do not differ significantly in that measure "
    f"(randomised Tukey HSD of all pairs, {format_percent(SIGNIFICANCE_LEVEL)})."
)


@dataclass(frozen=True)
class MeasuresRequest(TableRequest):
    """Scores of one run, by query or class."""

    kind: ClassVar[str] = "measures"

    runs: tuple[str, ...] = runs_option()
    queries: tuple[str, ...] = queries_option()
    classes: tuple[str, ...] = option(
        (), name="class", metavar="NAME", help="Only this class, in the order given; repeatable."
    )
    measures: tuple[str, ...] = measures_option()
    over: str = over_option()


def measures_table(data: ContentData, request: MeasuresRequest) -> Table:
    """Scores of one run, one row per query or class."""
    scores, benchmark = data.evaluated, data.benchmark
    run, measures = score_rows(scores, request.runs)[0], measure_columns(scores, request.measures)
    if request.over == "classes":
        labels, means = scores.by_class()
        known = [class_name(benchmark, int(label)) for label in labels]
        if unknown := set(request.classes) - set(known):
            raise ShrecError(f"there are no queries of a class '{sorted(unknown)[0]}'")
        order = [known.index(name) for name in request.classes] or list(range(len(known)))
        labels, values = labels[order], means[run][order]
        names = [class_name(benchmark, int(label)) for label in labels]
        sizes: list[Cell] = [int((scores.query_labels == label).sum()) for label in labels]
        leading, second = (TableColumn("class"), TableColumn("queries", is_number=True)), sizes
    else:
        queries = query_numbers(data, request.queries)
        values = scores.values[run][queries]
        names = [scores.queries[query] for query in queries]
        classes: list[Cell] = [class_name(benchmark, int(scores.query_labels[query])) for query in queries]
        leading, second = (TableColumn("query"), TableColumn("class")), classes
    columns = [measure_cells(values[:, measure], scores.measures[measure]) for measure in measures]
    return Table(
        "measures",
        f"{benchmark.name}: scores of run {scores.runs[run]}; profile {data.profile.title}",
        (*leading, *(_measure_column(scores.measures[measure]) for measure in measures)),
        table_rows([names, second, *columns]),
        contests=(),  # queries differ in difficulty: the best of them is no result
    )


def _measure_column(measure: ResolvedMeasure) -> TableColumn:
    return TableColumn(measure.key, "", True, measure.better)


@dataclass(frozen=True)
class CalculationRequest(TableRequest):
    """The score that is explained."""

    kind: ClassVar[str] = "calculation"

    runs: tuple[str, ...] = runs_option()
    queries: tuple[str, ...] = queries_option()
    measure: str = measure_option()
    over: str = over_option()


def calculation_table(data: ContentData, request: CalculationRequest) -> Table:
    """The values that a score, or without a query a mean, is computed from; the score is the first row."""
    scores, benchmark = data.evaluated, data.benchmark
    run, measure = (
        score_rows(scores, request.runs)[0],
        scores.measures[measure_column(scores, request.measure)].key,
    )
    if request.queries:
        query = query_numbers(data, request.queries)[0]
        found = calculation_of(scores, measure, run, query)
        rows = _steps_of_score(data, found, query)
        subject = found.query
    else:
        found = calculation_of_mean(scores, measure, run, over_classes=request.over == "classes")
        rows = [(name, "", None, defined(value)) for name, value in found.parts]
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
        ((measure, "", None, defined(found.value)), *rows),
        notes=tuple(filter(None, (found.formula, found.note))),
    )


def _steps_of_score(data: ContentData, found: ScoreCalculation, query: int) -> list[tuple[Cell, ...]]:
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
        rows.append((f"rank {rank}", model, level, defined(share)))
    return rows


def defined(value: float) -> float | None:
    """A value for a cell; None for NaN and infinite ones."""
    return float(value) if isfinite(value) else None


def _number(text: str) -> Cell:
    """Value of a symbol, as a number where it is one."""
    try:
        return int(text.replace(",", ""))
    except ValueError:
        pass
    try:
        return defined(float(text))
    except ValueError:
        return text
