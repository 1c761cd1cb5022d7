"""Ranked lists of one or several runs for one query, and what a scope retrieves."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shrec_viewer.charts.table import Cell, Table, TableColumn, table_rows
from shrec_viewer.content.data import ContentData, class_name, measure_column, query_numbers, run_numbers
from shrec_viewer.content.request import (
    TableRequest,
    camera_option,
    measure_option,
    option,
    queries_option,
    runs_option,
)
from shrec_viewer.domain import Benchmark, Cancelled, ShrecViewerError
from shrec_viewer.evaluation.comparison.comparison import (
    NOT_LISTED,
    TOP,
    entering_top,
    rank_shifts,
    score_difference,
)
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.evaluation.ranked_list import (
    ContingencyCounts,
    RankedList,
    contingency_counts,
    query_levels,
    ranked_list,
)
from shrec_viewer.number_format import UNDEFINED, format_value, format_verdict


@dataclass(frozen=True)
class RankedListRequest(TableRequest):
    """The list of one run for one query."""

    kind: ClassVar[str] = "ranked_list"

    runs: tuple[str, ...] = runs_option(follows="run")
    queries: tuple[str, ...] = queries_option(follows="query")
    scope: int = option(0, low=0, metavar="N", help="Ranks retrieved, judged or listed.")


#: Value of `ComparisonRequest.count`: all shown runs.
ALL_SHOWN = 0


@dataclass(frozen=True)
class ComparisonRequest(TableRequest):
    """The lists of several runs for one query."""

    kind: ClassVar[str] = "comparison"

    runs: tuple[str, ...] = runs_option(follows="runs")
    queries: tuple[str, ...] = queries_option(follows="query")
    scope: int = option(0, low=0, metavar="N", help="Ranks retrieved, judged or listed.", of=("table",))
    rank: int = option(1, low=1, metavar="N", help="First rank of the images.", of=("figure",))
    top: int = option(10, low=1, high=100, metavar="N", help="Images of a list.", of=("figure",))
    count: int = option(
        2,
        "Number of runs",
        {**{count: f"{count} runs" for count in range(2, 7)}, ALL_SHOWN: "Shown runs"},
        of=("panel",),
    )
    every_line: bool = option(
        False, "All lines", help="Link models that are not relevant, too.", of=("panel", "figure"),
        tip="Link all models of the rows, not only relevant ones",
    )  # fmt: skip
    measure: str = measure_option()
    camera: str = camera_option()


@dataclass(frozen=True)
class RelevantRequest(TableRequest):
    """All relevant models of one query, and their ranks in the runs."""

    kind: ClassVar[str] = "relevant"

    runs: tuple[str, ...] = runs_option(follows="runs")
    queries: tuple[str, ...] = queries_option(follows="query")


@dataclass(frozen=True)
class ContingencyRequest(TableRequest):
    """Relevant and retrieved models at a scope."""

    kind: ClassVar[str] = "contingency"

    runs: tuple[str, ...] = runs_option(follows="run")
    queries: tuple[str, ...] = queries_option(follows="query")
    scope: int = option(0, low=0, metavar="N", help="Ranks retrieved, judged or listed.")
    level: int = option(1, "Relevant from level", low=1, metavar="N", help="Lowest relevant level.")


#: Values that follow from the counts: name and attribute of `ContingencyCounts`. v, s, c, d: `ContingencyCounts.tp`,
#: the scope, the relevant models and the collection.
SCOPE_VALUES = {
    "Precision v/s": "precision", "Recall v/c": "recall", "F-measure": "f_measure", "Generality c/d": "generality",
    "Share v/d": "relevant_share", "Ranks to next relevant": "further",
}  # fmt: skip


def level_counts_text(counts: ContingencyCounts) -> str:
    """Models of each level within the scope: ``"2: 5 of 6, 1: 4 of 5, 0: 5 of 1,803"``; "" where levels are binary."""
    return ", ".join(f"{level}: {inside:,} of {whole:,}" for level, inside, whole in graded_counts(counts))


def graded_counts(counts: ContingencyCounts) -> tuple[tuple[int, int, int], ...]:
    """`ContingencyCounts.by_level`; empty where levels are binary, as the table has these counts."""
    return counts.by_level if len(counts.by_level) > 2 else ()


def contingency_table(data: ContentData, request: ContingencyRequest) -> Table:
    """Counts of relevant and retrieved models of one list at a scope, and the values that follow from them.

    Source: Sebe et al., table 1, equations 9 to 12, and section 5.
    """
    benchmark = data.benchmark
    if benchmark.assessment is None:
        raise ShrecViewerError(f"'{benchmark.name}' has no relevance assessment")
    query = _one_query(data, request)
    run = benchmark.runs[run_numbers(data, request.runs)[0]]
    shown = ranked_list(benchmark, run, query, data.profile)
    scope = min(request.scope or shown.relevant_count, len(shown))
    counts = contingency_counts(benchmark, data.profile, query, shown, scope, request.level)
    tp, fp, fn, tn = counts.tp, counts.fp, counts.fn, counts.tn
    rows: tuple[tuple[Cell, ...], ...] = (
        ("relevant", tp, fn, tp + fn),
        ("not relevant", fp, tn, fp + tn),
        ("all", tp + fp, fn + tn, tp + fp + fn + tn),
        *((f"level {level}", inside, max(whole - inside, 0), whole) for level, inside, whole in graded_counts(counts)),
        *((name, None, None, getattr(counts, value)) for name, value in SCOPE_VALUES.items()),
    )
    level = f", relevance level {request.level}" if request.level > 1 else ""
    return Table(
        "contingency",
        f"{benchmark.name}: run {run.name}, query {data.benchmark.queries.ids[query]}, scope {scope}{level}; "
        f"profile {data.profile.title}",
        (TableColumn("models"), *(TableColumn(name, is_number=True) for name in ("retrieved", "not retrieved", "all"))),
        rows,
    )


def ranked_list_table(data: ContentData, request: RankedListRequest) -> Table:
    """The ranked list of one run for one query; relevant models that were not retrieved follow without a rank."""
    benchmark, ids = data.benchmark, data.benchmark.collection.ids
    query = _one_query(data, request)
    run = benchmark.runs[run_numbers(data, request.runs)[0]]
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
            class_name(benchmark, label),
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
        f"{benchmark.name}: run {run.name}, query {data.benchmark.queries.ids[query]}; profile {data.profile.title}",
        (
            TableColumn("rank", is_number=True),
            TableColumn("model"),
            TableColumn("class"),
            TableColumn("level", is_number=True),
            TableColumn(shown.value_name, is_number=True),
        ),
        tuple(rows),
    )


def compared_lists(data: ContentData, request: ComparisonRequest | RelevantRequest) -> dict[str, RankedList]:
    """The lists of the runs for the query, by the names of the runs and in their order."""
    query = _one_query(data, request)
    names = [run.name for run in data.benchmark.runs]
    if unknown := set(request.runs) - set(names):
        raise ShrecViewerError(f"there is no run '{sorted(unknown)[0]}'")
    found = {}
    for name in request.runs or names:
        if data.cancelled():
            raise Cancelled
        found[name] = ranked_list(data.benchmark, data.benchmark.run(name), query, data.profile)
    return found


def relevant_table(data: ContentData, request: RelevantRequest) -> Table:
    """All relevant models of a query, the highest levels first, with their ranks in the runs; None where not listed."""
    benchmark, query = data.benchmark, _one_query(data, request)
    lists = compared_lists(data, request)
    levels = query_levels(benchmark, query, data.profile)
    relevant = np.flatnonzero(levels >= data.profile.relevant_from)
    relevant = relevant[np.argsort(-levels[relevant].astype(np.int64), kind="stable")]
    tree, ranks = benchmark.classification, np.zeros((len(lists), len(levels)), np.int64)
    for row, shown in zip(ranks, lists.values(), strict=True):
        known = shown.items >= 0
        row[shown.items[known]] = np.flatnonzero(known) + 1
    names = ["" if tree is None else class_name(benchmark, int(tree.labels[model])) for model in relevant]
    heads = (TableColumn("model"), TableColumn("class of the model"), TableColumn("level", is_number=True))
    return Table(
        "relevant",
        f"{benchmark.name}: ranks of the relevant models of query {benchmark.queries.ids[query]}; "
        f"profile {data.profile.title}",
        (*heads, *(TableColumn(name, is_number=True, shown_digits=0, undefined=UNDEFINED) for name in lists)),
        table_rows(
            [
                [benchmark.collection.ids[model] for model in relevant.tolist()],
                names,
                levels[relevant].tolist(),
                *([rank or None for rank in row[relevant].tolist()] for row in ranks),
            ]
        ),
        notes=("An empty cell is a list without the model.",),
    )


def comparison_scores(data: ContentData, request: ComparisonRequest, runs: Sequence[str]) -> tuple[str, list[float]]:
    """Key of the measure, and its value of each run for the query; NaN for none, and "" without an assessment.

    Without scores, as on the command line, only the runs that are compared are evaluated.
    """
    scores = data.scores
    if data.benchmark.assessment is None:
        return "", [float("nan")] * len(runs)
    if scores is None:
        measures = [request.measure] if request.measure else None
        scores = data.result(
            evaluate, data.benchmark, data.profile, runs=tuple(runs), measures=measures and tuple(measures)
        )
    column, query = measure_column(scores, request.measure), _one_query(data, request)
    return scores.measures[column].key, [float(scores.values[scores.run_index(run), query, column]) for run in runs]


def comparison_texts(
    benchmark: Benchmark, query: int, key: str, values: Sequence[float], lists: Mapping[str, RankedList]
) -> tuple[str, str, tuple[str, ...]]:
    """Difference from the first list to the second one, what moved, and shorter forms of the difference.

    "" for fewer lists and without a measure.

    ``"On Q01 chair, B2 is 0.218 AP above A1: 0.412 → 0.630.", "m42 38 → 2, m17 9 → 4; 1 relevant model enters the
    top 10."``
    """
    if len(lists) < 2 or not key:
        return "", "", ()
    (one, a), (other, b), *_ = lists.items()
    name = f"{benchmark.queries.ids[query]} {class_name(benchmark, int(benchmark.queries.labels[query]))}".rstrip()
    verdict, ends, moves = query_difference_texts(benchmark, (one, other), key, (values[0], values[1]), (a, b))
    shorter = (f"On {name}, {verdict}.", f"{verdict}.") if ends else ()
    return f"On {name}, {verdict}{ends}.", moves, shorter


#: Models named in the text about a query.
MAX_NAMED_MODELS = 3


def query_difference_texts(
    benchmark: Benchmark,
    names: tuple[str, str],
    key: str,
    values: tuple[float, float],
    lists: tuple[RankedList, RankedList],
) -> tuple[str, str, str]:
    """Difference from run A to run B on one query: measure, its values; moved models and changes in the top ranks."""
    a, b = lists
    one, other = names
    if a.missing or b.missing:
        missing = " and ".join(name for name, shown in zip(names, lists, strict=True) if shown.missing)
        return f"{missing} {'have' if a.missing and b.missing else 'has'} no results", "", ""
    change = float(score_difference(*values))
    verdict, ends = f"the {key} of {one} or {other} is undefined", ""
    if not np.isnan(change):
        verdict = format_verdict(one, other, key, change)
        ends = " → ".join(format_value(value) for value in (values if change else values[:1]))
    risen = values[1] >= values[0]
    moved = [move for move in rank_shifts(a, b) if move.rank_a != move.rank_b]
    moved = sorted(moved, key=lambda move: move.moved_up != risen)[
        :MAX_NAMED_MODELS
    ]  # first in the direction of the change
    steps = ", ".join(
        f"{benchmark.collection.ids[move.item]} {_rank_text(move.rank_a)} → {_rank_text(move.rank_b)}" for move in moved
    )
    entered, left = entering_top(a, b)
    parts = []
    if entered:
        parts.append(f"{_relevant_models(entered)} {'enters' if entered == 1 else 'enter'} the top {TOP}")
    if left:
        parts.append(f"{left} {'leaves' if left == 1 else 'leave'}" if entered else _leaving_text(left))
    moves = "; ".join(part for part in (steps, ", ".join(parts)) if part)
    return verdict, ends and f": {ends}", f"{moves}." if moves else ""


def _leaving_text(left: int) -> str:
    return f"{_relevant_models(left)} {'leaves' if left == 1 else 'leave'} the top {TOP}"


def _rank_text(rank: int) -> str:
    return "not listed" if rank == NOT_LISTED else f"{rank:,}"


def _relevant_models(count: int) -> str:
    return f"{count:,} relevant model{'' if count == 1 else 's'}"


def comparison_table(data: ContentData, request: ComparisonRequest) -> Table:
    """Models, relevance levels and distances of the lists of several runs for one query, side by side."""
    benchmark, ids = data.benchmark, data.benchmark.collection.ids
    query, lists = _one_query(data, request), compared_lists(data, request)
    end = max((len(shown) for shown in lists.values()), default=0)
    end = min(request.scope or end, end)
    columns, heads = list[Sequence[Cell]]([list(range(1, end + 1))]), [TableColumn("rank", is_number=True)]
    for name, shown in lists.items():
        items = shown.items[:end].tolist()
        models = [ids[item] if item >= 0 else "not in the collection" for item in items]
        levels = [None if benchmark.assessment is None else level for level in shown.levels[:end].tolist()]
        columns += [models + [""] * (end - len(models)), levels + [None] * (end - len(levels))]
        heads += [TableColumn(name), TableColumn(f"{name} level", is_number=True)]
        if np.isfinite(shown.distances).any():
            distances = [value if value == value else None for value in shown.distances[:end].tolist()]
            columns.append(distances + [None] * (end - len(distances)))
            heads.append(TableColumn(f"{name} {shown.value_name}", is_number=True))
    key, values = comparison_scores(data, request, tuple(lists))
    each = ", ".join(f"{name} {format_value(value)}" for name, value in zip(lists, values, strict=True))
    text = " ".join(comparison_texts(benchmark, query, key, values, lists)[:2]).rstrip()
    return Table(
        "comparison",
        f"{benchmark.name}: query {data.benchmark.queries.ids[query]}; profile {data.profile.title}",
        tuple(heads),
        table_rows(columns),
        notes=tuple(filter(None, (text, f"{key}: {each}." if key else ""))),
    )


def _one_query(
    data: ContentData, request: RankedListRequest | ComparisonRequest | RelevantRequest | ContingencyRequest
) -> int:
    if not len(data.benchmark.queries):
        raise ShrecViewerError(f"'{data.benchmark.name}' has no queries")
    return query_numbers(data, request.queries)[0]
