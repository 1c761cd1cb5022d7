"""Kinds of tables: what each panel shows, from the benchmark and its scores."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isinf
from random import Random

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Benchmark, Finding, ShrecError
from shrec_viewer.domain.errors import Cancelled
from shrec_viewer.evaluation.comparison.significance import run_significance
from shrec_viewer.evaluation.evaluate import excluded_queries, exclusion_findings, never_cancelled
from shrec_viewer.evaluation.plots.confusion import confusion, tier_lists
from shrec_viewer.evaluation.practical import SCOPE, practical, practical_rows
from shrec_viewer.evaluation.ranked_list import contingency_counts, ranked_list, truth_of
from shrec_viewer.evaluation.scores import mean_of_defined
from shrec_viewer.formats.core.findings_log import with_profile_action
from shrec_viewer.metrics import ResolvedMeasure
from shrec_viewer.metrics.statistics.significance import SIGNIFICANCE_LEVEL
from shrec_viewer.number_format import format_percent
from shrec_viewer.report.tables import diagnosis_tables, run_tables
from shrec_viewer.report.tables.request import (
    TableData,
    TableRequest,
    requested_columns,
    requested_measure,
    requested_queries,
    requested_runs,
)
from shrec_viewer.report.tables.table import Cell, Table, TableColumn, sort_key

Cancellation = Callable[[], bool]
TableFunction = Callable[[TableData, TableRequest, Cancellation], Table]


@dataclass(frozen=True)
class TableKind:
    """A kind of table: one row of `TABLES`.

    Attributes
    ----------
    key : argument of the command.
    title : what the table shows.
    build : makes the table.
    needs_scores : whether the runs are evaluated first.
    """

    key: str
    title: str
    build: TableFunction
    needs_scores: bool = True


def build_table(data: TableData, request: TableRequest, cancelled: Cancellation = never_cancelled) -> Table:
    """The requested table.

    Raises
    ------
    Cancelled
        If `cancelled` returned True.
    ShrecError
        If the benchmark lacks what the table shows, or has no run, query or measure of a requested name.
    """
    if cancelled():
        raise Cancelled
    return arranged(TABLES[request.kind].build(data, request, cancelled), request)


def arranged(table: Table, request: TableRequest) -> Table:
    """The table with the rows that are requested by `TableRequest.containing`, in the order of `TableRequest.sort`.

    Raises
    ------
    ShrecError
        If there is no such column.
    """
    rows = list(range(len(table.rows)))
    if words := request.containing.casefold().split():
        texts = [" ".join("" if cell is None else str(cell) for cell in row).casefold() for row in table.rows]
        rows = [row for row in rows if all(word in texts[row] for word in words)]
    if request.sort == RANDOM:
        Random(0).shuffle(rows)
    elif request.sort:
        keys = [column.key for column in table.columns]
        is_descending = request.sort not in keys and request.sort.startswith("-")
        name = request.sort[1:] if is_descending else request.sort
        if name not in keys:
            raise ShrecError(f"there is no column '{name}'; the table has {', '.join(keys)}")
        cells = {row: table.rows[row][keys.index(name)] for row in rows}
        # Empty cells are last in both directions, as in the window.
        filled = [row for row in rows if cells[row] is not None]
        rows = [
            *sorted(filled, key=lambda row: sort_key(cells[row]), reverse=is_descending),
            *(row for row in rows if cells[row] is None),
        ]
    if rows == list(range(len(table.rows))):
        return table
    return replace(
        table,
        rows=tuple(table.rows[row] for row in rows),
        letters={column: tuple(letters[row] for row in rows) for column, letters in table.letters.items()},
        contests=table.contests if table.contests in (None, ()) else None,
    )


RANDOM = "random"
"""Value of `TableRequest.sort` for a random order that is the same each time."""


def _class_name(benchmark: Benchmark, label: int) -> str:
    return "" if benchmark.classification is None or label < 0 else benchmark.classification.names[label]


def _cells(values: NDArray[np.float64], measure: ResolvedMeasure) -> list[Cell]:
    """Values of a measure; counts as integers, undefined values as None."""
    known = values[np.isfinite(values)]
    is_count = isinf(measure.range[1]) and bool(np.all(known == np.round(known)))
    return [None if not np.isfinite(value) else int(value) if is_count else float(value) for value in values]


def _rows(columns: Sequence[Sequence[Cell]]) -> tuple[tuple[Cell, ...], ...]:
    return tuple(zip(*columns, strict=True))


def _measure_column(measure: ResolvedMeasure) -> TableColumn:
    return TableColumn(measure.key, "", True, measure.better)


# Kinds.


def runs_table(data: TableData, request: TableRequest, cancelled: Cancellation) -> Table:
    """Scores of the runs, one row per run."""
    scores = data.evaluated
    rows, measures = requested_runs(scores, request), requested_columns(scores, request)
    subject = {"queries": "Means over queries", "classes": "Means over classes"}.get(request.over, "")
    if request.over == "query":
        query = requested_queries(data.benchmark, request)[0]
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
            groups = run_significance(scores, scores.measures[measure].key, cancelled=cancelled).groups.letters
            letters[column] = tuple(groups[row] for row in rows)
        notes = (LETTERS_NOTE,)
    return Table(
        "runs",
        f"{data.benchmark.name}: {subject[:1].lower()}{subject[1:]}; profile {data.profile.title}",
        (*leading, *(_measure_column(scores.measures[measure]) for measure in measures)),
        _rows([*cells, *(_cells(values[rows, measure], scores.measures[measure]) for measure in measures)]),
        notes,
        letters,
    )


LETTERS_NOTE = (
    "Runs that share a letter do not differ significantly in that measure "
    f"(randomised Tukey HSD of all pairs, {format_percent(SIGNIFICANCE_LEVEL)})."
)


def measures_table(data: TableData, request: TableRequest, cancelled: Cancellation) -> Table:
    """Scores of one run, one row per query or class."""
    scores, benchmark = data.evaluated, data.benchmark
    run, measures = requested_runs(scores, request)[0], requested_columns(scores, request)
    if request.over == "classes":
        labels, means = scores.by_class()
        known = [_class_name(benchmark, int(label)) for label in labels]
        if unknown := set(request.classes) - set(known):
            raise ShrecError(f"there are no queries of a class '{sorted(unknown)[0]}'")
        order = [known.index(name) for name in request.classes] or list(range(len(known)))
        labels, values = labels[order], means[run][order]
        names = [_class_name(benchmark, int(label)) for label in labels]
        sizes: list[Cell] = [int((scores.query_labels == label).sum()) for label in labels]
        leading, second = (TableColumn("class"), TableColumn("queries", is_number=True)), sizes
    else:
        queries = requested_queries(benchmark, request)
        values = scores.values[run][queries]
        names = [scores.queries[query] for query in queries]
        classes: list[Cell] = [_class_name(benchmark, int(scores.query_labels[query])) for query in queries]
        leading, second = (TableColumn("query"), TableColumn("class")), classes
    columns = [_cells(values[:, measure], scores.measures[measure]) for measure in measures]
    return Table(
        "measures",
        f"{benchmark.name}: scores of run {scores.runs[run]}; profile {data.profile.title}",
        (*leading, *(_measure_column(scores.measures[measure]) for measure in measures)),
        _rows([names, second, *columns]),
        contests=(),  # queries differ in difficulty: the best of them is no result
    )


def heat_map_table(data: TableData, request: TableRequest, cancelled: Cancellation) -> Table:
    """Values of one measure, one row per run and one column per query, with the mean."""
    scores = data.evaluated
    rows, queries, column = (
        requested_runs(scores, request),
        requested_queries(data.benchmark, request),
        requested_measure(scores, request),
    )
    measure = scores.measures[column]
    values, means = scores.values[:, :, column], scores.mean()[:, column]
    subject = measure.key
    if request.baseline == "mean" and "mean" not in scores.runs:
        values, means = values - mean_of_defined(values, axis=0), means - mean_of_defined(means, axis=0)
        subject += " minus the mean of the runs"
    elif request.baseline:
        base = scores.run_index(request.baseline)
        values, means = values - values[base], means - means[base]
        subject += f" minus that of {request.baseline}"
    cells = [_cells(values[rows, query], measure) for query in queries]
    names = [TableColumn(scores.queries[query], "", True, measure.better) for query in queries]
    return Table(
        "heat_map",
        f"{data.benchmark.name}: {subject}; profile {data.profile.title}",
        (TableColumn("run"), *names, TableColumn("mean", "", True, measure.better)),
        _rows([[scores.runs[row] for row in rows], *cells, [float(means[row]) for row in rows]]),
    )


def gain_loss_table(data: TableData, request: TableRequest, cancelled: Cancellation) -> Table:
    """Values of two runs and their difference, one row per query."""
    scores = data.evaluated
    if len(scores.runs) < 2 or len(request.runs) not in (0, 2):
        raise ShrecError("differences per query need two runs: choose run A and run B")
    (a, b), column = requested_runs(scores, request)[:2], requested_measure(scores, request)
    queries = requested_queries(data.benchmark, request)
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
        _rows(
            [
                [scores.queries[query] for query in queries],
                [_class_name(data.benchmark, int(scores.query_labels[query])) for query in queries],
                *(_cells(column, measure) for column in (values[a], values[b], values[b] - values[a])),
            ]
        ),
    )


def significance_table(data: TableData, request: TableRequest, cancelled: Cancellation) -> Table:
    """Mean of each run with its confidence interval, p against the baseline and significance letters, best first."""
    scores = data.evaluated
    measure = scores.measures[requested_measure(scores, request)]
    found = run_significance(scores, measure.key, baseline=request.baseline or None, cancelled=cancelled)
    sign = 1.0 if measure.better == "lower" else -1.0
    order = [int(row) for row in np.argsort([sign * mean.mean for mean in found.means], kind="stable")]  # NaN last
    if request.runs:
        order = requested_runs(scores, request)
    means = [found.means[row] for row in order]
    return Table(
        "significance",
        f"{data.benchmark.name}: {measure.key} with 95 % bootstrap confidence intervals; profile {data.profile.title}",
        (
            TableColumn("run"),
            TableColumn(measure.key, "", True, measure.better),
            *(TableColumn(name, is_number=True) for name in ("low", "high", "p(Holm)", "p(Tukey)")),
        ),
        _rows(
            [
                [found.runs[row] for row in order],
                [mean.mean for mean in means],
                [mean.low for mean in means],
                [mean.high for mean in means],
                [float(found.p_against_baseline[row]) for row in order],
                [found.p_of_pair(found.runs[row], found.baseline) for row in order],
            ]
        ),
        (
            LETTERS_NOTE,
            f"p against {found.baseline}: paired randomisation tests with Holm correction, and Tukey HSD.",
        ),
        {1: tuple(found.groups.letters[row] for row in order)},
    )


def confusion_table(data: TableData, request: TableRequest, cancelled: Cancellation) -> Table:
    """Share of the models of each class in the tier of the queries of each class."""
    benchmark = data.benchmark
    if benchmark.classification is None or benchmark.assessment is None:
        raise ShrecError(f"'{benchmark.name}' has no classification with relevance assessments")
    run = benchmark.run(_run_name(benchmark, request))
    found = confusion(
        tier_lists(benchmark, run, data.profile, cancelled=cancelled), benchmark, 2 if request.tier == 2 else 1
    )
    names = [_class_name(benchmark, int(label)) for label in found.rows]
    tier = {1: "first", 2: "second"}[found.tier]
    return Table(
        "confusion",
        f"{benchmark.name}: classes of the models in the {tier} tier, run {run.name}; profile {data.profile.title}",
        (
            TableColumn("class"),
            TableColumn("queries", is_number=True),
            *(TableColumn(_class_name(benchmark, int(label)), is_number=True) for label in found.columns),
        ),
        tuple(
            (name, int(number), *map(float, shares))
            for name, number, shares in zip(names, found.queries, found.shares, strict=True)
        ),
    )


def _run_name(benchmark: Benchmark, request: TableRequest) -> str:
    if not benchmark.runs:
        raise ShrecError(f"'{benchmark.name}' has no runs")
    names = [run.name for run in benchmark.runs]
    if request.runs and request.runs[0] not in names:
        raise ShrecError(f"there is no run '{request.runs[0]}'")
    return request.runs[0] if request.runs else names[0]


def _one_query(benchmark: Benchmark, request: TableRequest) -> int:
    if not len(benchmark.queries):
        raise ShrecError(f"'{benchmark.name}' has no queries")
    return requested_queries(benchmark, request)[0]


def contingency_table(data: TableData, request: TableRequest, cancelled: Cancellation) -> Table:
    """Counts of relevant and retrieved models of one list at a scope, and the values that follow from them."""
    benchmark = data.benchmark
    if benchmark.assessment is None:
        raise ShrecError(f"'{benchmark.name}' has no relevance assessment")
    query = _one_query(benchmark, request)
    run = benchmark.run(_run_name(benchmark, request))
    shown = ranked_list(benchmark, run, query, data.profile)
    n_relevant = int((shown.levels > 0).sum()) + len(shown.not_retrieved)
    scope = min(request.scope or n_relevant, len(shown))
    counts = contingency_counts(benchmark, data.profile, query, shown, scope, request.level)
    values: tuple[tuple[str, Cell], ...] = (
        ("true positives", counts.tp),
        ("false positives", counts.fp),
        ("false negatives", counts.fn),
        ("true negatives", counts.tn),
        ("precision", counts.precision),
        ("recall", counts.recall),
        ("F-measure", counts.f_measure),
        ("generality", counts.generality),
    )
    level = f", relevance level {request.level}" if request.level > 1 else ""
    return Table(
        "contingency",
        f"{benchmark.name}: run {run.name}, query {benchmark.queries.ids[query]}, scope {scope}{level}; "
        f"profile {data.profile.title}",
        (TableColumn("value"), TableColumn("number", is_number=True)),
        values,
    )


def ranked_list_table(data: TableData, request: TableRequest, cancelled: Cancellation) -> Table:
    """The ranked list of one run for one query; relevant models that were not retrieved follow without a rank."""
    benchmark, ids = data.benchmark, data.benchmark.collection.ids
    query = _one_query(benchmark, request)
    run = benchmark.run(_run_name(benchmark, request))
    shown = ranked_list(benchmark, run, query, data.profile)
    end = min(request.scope or len(shown), len(shown))
    labels = None if benchmark.classification is None else benchmark.classification.labels
    gains = None if benchmark.assessment is None else benchmark.assessment.gains(query, len(benchmark.collection))

    def row(item: int, rank: int | None, level: int, distance: float | None) -> tuple[Cell, ...]:
        label = -1 if labels is None or item < 0 else int(labels[item])
        relevance = None if gains is None else level
        return (
            rank,
            ids[item] if item >= 0 else "not in the collection",
            _class_name(benchmark, label),
            relevance,
            distance,
        )

    rows = [
        row(int(shown.items[index]), index + 1, int(shown.levels[index]), float(shown.distances[index]))
        for index in range(end)
    ]
    rows += [row(int(item), None, 0 if gains is None else int(gains[item]), None) for item in shown.not_retrieved]
    return Table(
        "ranked_list",
        f"{benchmark.name}: run {run.name}, query {benchmark.queries.ids[query]}; profile {data.profile.title}",
        (
            TableColumn("rank", is_number=True),
            TableColumn("model"),
            TableColumn("class"),
            TableColumn("level", is_number=True),
            TableColumn(shown.value_name, is_number=True),
        ),
        tuple(rows),
    )


def comparison_table(data: TableData, request: TableRequest, cancelled: Cancellation) -> Table:
    """Models and relevance levels of the lists of several runs for one query, side by side."""
    benchmark, ids = data.benchmark, data.benchmark.collection.ids
    query = _one_query(benchmark, request)
    names = [run.name for run in benchmark.runs]
    if unknown := set(request.runs) - set(names):
        raise ShrecError(f"there is no run '{sorted(unknown)[0]}'")
    runs = [benchmark.run(name) for name in request.runs or names]
    lists = [ranked_list(benchmark, run, query, data.profile) for run in runs]
    end = max((len(shown) for shown in lists), default=0)
    end = min(request.scope or end, end)
    columns: list[Sequence[Cell]] = [list(range(1, end + 1))]
    for shown in lists:
        items = shown.items[:end].tolist()
        models = [ids[item] if item >= 0 else "not in the collection" for item in items]
        levels = [None if benchmark.assessment is None else level for level in shown.levels[:end].tolist()]
        columns += [models + [""] * (end - len(models)), levels + [None] * (end - len(levels))]
    heads = [TableColumn(f"{run.name}{part}", is_number=bool(part)) for run in runs for part in ("", " level")]
    return Table(
        "comparison",
        f"{benchmark.name}: query {benchmark.queries.ids[query]}; profile {data.profile.title}",
        (TableColumn("rank", is_number=True), *heads),
        _rows(columns),
    )


def findings_table(data: TableData, request: TableRequest, cancelled: Cancellation) -> Table:
    """What was wrong with the files, and what was done."""
    benchmark, profile = data.benchmark, data.profile
    findings = [with_profile_action(finding, profile) for finding in benchmark.findings]
    if benchmark.assessment is not None and len(benchmark.assessment) == len(benchmark.queries):
        excluded = excluded_queries(benchmark, profile, truth_of(benchmark))
        findings += exclusion_findings(benchmark, profile, excluded)
    return table_of_findings(benchmark.name, sorted(findings, key=severity_rank))


def severity_rank(finding: Finding) -> int:
    """Sort key of findings: the most severe first."""
    return finding.severity.rank


def table_of_findings(name: str, findings: Sequence[Finding]) -> Table:
    """Findings of the benchmark with this name in this order."""
    return Table(
        "findings",
        f"{name}: findings",
        (
            TableColumn("severity"),
            TableColumn("file"),
            TableColumn("line", is_number=True),
            TableColumn("count", is_number=True),
            TableColumn("message"),
            TableColumn("action"),
        ),
        tuple(
            (str(one.severity), one.file, one.line, one.count, one.message, one.action_with_option) for one in findings
        ),
    )


def practical_table(data: TableData, request: TableRequest, cancelled: Cancellation) -> Table:
    """Bounds and estimates of recall, generality and class size without complete ground truth."""
    if data.benchmark.assessment is None or not data.benchmark.runs:
        raise ShrecError(f"'{data.benchmark.name}' has no runs with relevance assessments")
    found = practical(
        data.benchmark,
        data.profile,
        runs=request.runs or None,
        scope=request.scope or SCOPE,
        sample_size=request.sample,
        cancelled=cancelled,
    )
    rows = practical_rows(found)
    is_number = [any(isinstance(row[column], int | float) for row in rows.rows) for column in range(len(rows.header))]
    return Table(
        "practical",
        f"{data.benchmark.name}: bounds, estimates and 95 % confidence intervals, scope {found.scope}; "
        f"profile {data.profile.title}",
        tuple(TableColumn(name, is_number=number) for name, number in zip(rows.header, is_number, strict=True)),
        rows.rows,
    )


TABLES: Mapping[str, TableKind] = {
    row.key: row
    for row in (
        TableKind("runs", "Mean scores of the runs, or their scores for one query", runs_table),
        TableKind("measures", "Scores of one run per query or class", measures_table),
        TableKind("heat_map", "One measure of all runs for all queries", heat_map_table),
        TableKind("gain_loss", "Differences of two runs per query", gain_loss_table),
        TableKind("significance", "Means with confidence intervals and significance letters", significance_table),
        TableKind("confusion", "Classes of the models in the first or second tier", confusion_table, False),
        TableKind("contingency", "Relevant and retrieved models at a scope", contingency_table, False),
        TableKind("ranked_list", "Ranked list of one run for one query", ranked_list_table, False),
        TableKind("comparison", "Ranked lists of several runs for one query", comparison_table, False),
        TableKind("practical", "Bounds and estimates with incomplete judgements", practical_table, False),
        TableKind("calculation", "How one score was computed", run_tables.calculation_table),
        TableKind("model", "Ranks of one model in all runs", run_tables.model_table, False),
        TableKind("history", "Former versions of a run", run_tables.history_table, False),
        TableKind("edits", "Edits of the assessment", diagnosis_tables.edits_table, False),
        TableKind("edited_means", "Means and ranks before and after the edits", diagnosis_tables.edited_means_table),
        TableKind("suspects", "Doubtful relevance levels or labels", diagnosis_tables.suspects_table, False),
        TableKind(
            "robustness", "Rank intervals of the runs over all conventions", diagnosis_tables.robustness_table, False
        ),
        TableKind(
            "conventions",
            "Changes of the conventions and the pairs of runs that they reverse",
            diagnosis_tables.conventions_table,
            False,
        ),
        TableKind("unsettled", "Pairs of runs that change order", diagnosis_tables.unsettled_table, False),
        TableKind("findings", "Errors and warnings about the files", findings_table, False),
    )
}
"""Kinds of tables, by key."""
