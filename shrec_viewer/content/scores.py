"""Scores: means of the runs as a table and as bars, scores of one run, and how one score is computed."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.charts.bars import Bar, Bars
from shrec_viewer.charts.table import EQUAL_WITHIN, Cell, Table, TableColumn, table_rows
from shrec_viewer.content.data import (
    ContentData,
    class_name,
    in_slice,
    measure_column,
    measure_columns,
    query_number,
    query_numbers,
    score_rows,
    scores_of_runs,
    slices_of,
    styles_of_runs,
)
from shrec_viewer.content.heat_map import RUN_ORDERS
from shrec_viewer.content.request import (
    QueryScoresRequest,
    Request,
    TableRequest,
    measure_option,
    measures_option,
    option,
    queries_option,
    runs_option,
)
from shrec_viewer.diagnosis.slices import slice_means
from shrec_viewer.domain import Benchmark, ShrecViewerError
from shrec_viewer.evaluation.calculation import ScoreCalculation, calculation_of, calculation_of_mean
from shrec_viewer.evaluation.comparison.certainty import selected_family
from shrec_viewer.evaluation.comparison.comparable import incomparable_text
from shrec_viewer.evaluation.comparison.published import PUBLISHED_NOTE, PublishedRow, beside, published_rows
from shrec_viewer.evaluation.comparison.significance import run_significance
from shrec_viewer.evaluation.evaluate import tie_range
from shrec_viewer.evaluation.ranked_list import RankedList, ranked_list
from shrec_viewer.evaluation.score_tables import finite_or_none, is_count, measure_cells
from shrec_viewer.evaluation.scores import Scores, TieRange
from shrec_viewer.formats.core.findings_log import count_of
from shrec_viewer.metrics import CalculationSteps, ResolvedMeasure
from shrec_viewer.metrics.statistics.significance import SIGNIFICANCE_LEVEL
from shrec_viewer.number_format import SHARE_DECIMALS, format_percent

OVER = ("queries", "classes", "query")

#: Grey of the bars of published scores, which have no style of a run.
PUBLISHED_COLOUR = "#8A8F98"


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
    """Mean scores of the runs as bars, best first; published ones below their run, those of other methods last."""
    scores = scores_of_runs(data, request.runs)
    column = measure_column(scores, request.measure)
    measure = scores.measures[column]
    order = scores.order_by(measure.key) if request.run_order != "given" else list(range(len(scores.runs)))
    order = order[::-1] if request.run_order == "worst" else order
    means = scores.mean()[:, column]
    styles = styles_of_runs(data)
    names = [scores.runs[row] for row in order]
    published = published_rows(data.benchmark.published, names, [measure], means[order][:, None])
    bars = [Bar(name, float(means[row]), styles[name].colour, name) for name, row in zip(names, order, strict=True)]
    bars += [Bar(one.title, float(one.values[0]), PUBLISHED_COLOUR, decimals=int(one.decimals[0])) for one in published]
    lengths = np.array([bar.value for bar in bars])
    finite = lengths[np.isfinite(lengths)]
    # Bars start at 0, as their lengths are compared.
    low, high = min(float(finite.min(initial=0.0)), 0.0), max(float(finite.max(initial=0.0)), 0.0)
    limits = (low, high if high > low else low + 1.0)
    is_whole = is_count(measure, scores.values[:, :, column]) and is_count(measure, means)
    decimals = 0 if is_whole else SHARE_DECIMALS
    return Bars(
        f"{data.benchmark.name} leaderboard {measure.key}",
        f"{measure.label}, mean over queries",
        tuple(bars[index] for index in beside(published, len(names))),
        limits,
        decimals,
    )


@dataclass(frozen=True)
class ScoreTableRequest(TableRequest):
    """Table with a column per measure; in a panel, some are hidden, and ranges of ties are shown.

    `shown` is what the scores are of in a panel, as ``over`` names it. `hidden_columns` is None for the measures that
    papers usually print.
    """

    shown: str = option("queries", "Scores of", OVER, of=("panel",))
    percent: bool = option(
        False, "Tiers in per cent", help="First and second tier in per cent, as reports print them.",
        tip="Show first and second tier in per cent, as reports print them",
    )  # fmt: skip
    hidden_columns: tuple[str, ...] | None = option(None, "Hidden columns", of=("panel",))
    ties: bool = option(
        False, "Ranges of ties", of=("panel",),
        tip="Show the lowest and highest value over the orders of models at the same distance",
    )  # fmt: skip


#: What the rows are in the panel of the scores of one run.
ROWS_SHOWN = {"queries": "By query", "classes": "By class"}


@dataclass(frozen=True)
class RunsRequest(ScoreTableRequest):
    """Table of runs and measures; in a panel, of one participant, in the order that the user chose."""

    kind: ClassVar[str] = "runs"

    shown: str = option("queries", choices=OVER, of=("panel",), follows="scores of")

    runs: tuple[str, ...] = runs_option()
    queries: tuple[str, ...] = queries_option()
    measures: tuple[str, ...] = measures_option()
    over: str = over_option()
    letters: bool = option(False, "Significance letters", help="Add significance letters to means over queries.")
    slices: tuple[str, ...] = option(
        (), "Slices", name="slice", metavar="NAME",
        help="Add a column of means over this set of queries, such as `class: chair`; repeatable.",
    )  # fmt: skip
    slice_measure: str = option("", metavar="KEY", help="Measure of --slice; default: the main one of the profile.")
    within: str = option("", metavar="NAME", help="Means over the queries of this slice only.")
    participant: str = option("", "Participant", of=("panel",))
    sorted_by: str = option("", "Sorted by", of=("panel",))
    descending: bool = option(False, "Descending", of=("panel",))

    @property
    def fixed_options(self) -> tuple[str, ...]:
        """See `Request`."""
        return ("over",) if self.over == "queries" else ("over", "letters")

    @classmethod
    def current_state(cls, state: Mapping[str, Any]) -> Mapping[str, Any]:
        """See `Request`; what is shown was an option, and follows the switch of the window."""
        return {name: value for name, value in state.items() if name not in ("of", "shown")}


def run_values(scores: Scores, over: str, query: int = 0) -> NDArray[np.float64]:
    """(R, M) float64, means of the runs over ``"queries"`` or ``"classes"``, or their scores of a ``"query"``."""
    if over == "query":
        return scores.values[:, query]
    return scores.class_mean() if over == "classes" else scores.mean()


def runs_table(data: ContentData, request: RunsRequest) -> Table:
    """Scores of the runs, one row per run."""
    parts = slices_of(data, request.slices, request.slice_measure) if request.slices else ()
    means = slice_means(data.evaluated, parts, measure_column(data.evaluated, request.slice_measure))
    data = in_slice(data, request.within)
    scores = data.evaluated
    rows, measures = score_rows(scores, request.runs), measure_columns(scores, request.measures)
    subject, query = {"queries": "Means over queries", "classes": "Means over classes"}.get(request.over, ""), 0
    subject += f" of {request.within}" if request.within else ""
    if request.over == "query":
        query = query_numbers(data, request.queries)[0]
        subject = f"Scores of query {scores.queries[query]}"
    values = run_values(scores, request.over, query)
    names = [scores.runs[row] for row in rows]
    participants = [scores.participants[row] for row in rows]
    leading, cells = [TableColumn("run")], [names]
    if any(participant not in ("", name) for participant, name in zip(participants, names, strict=True)):
        leading, cells = [*leading, TableColumn("participant")], [*cells, participants]
    of_slices = scores.measures[measure_column(scores, request.slice_measure)]
    letters: dict[int, Sequence[str]] = {}
    notes: tuple[str, ...] = ()
    family = selected_family(scores, names)
    if request.letters and request.over == "queries" and len(family.runs) > 1:
        for column, measure in enumerate(measures, start=len(leading)):
            if not scores.measures[measure].is_mean:
                continue
            found = run_significance(family, scores.measures[measure].key, cancelled=data.cancelled)
            letters[column] = tuple(found.groups.letters[found.runs.index(name)] for name in names)
            notes = (*notes, incomparable_text(found.incomparable, found.measure.key))
        notes = (letters_note(len(family.runs)), *dict.fromkeys(filter(None, notes)))
    if request.over == "query":
        notes = _query_notes(scores, measures)
    table = Table(
        "runs",
        f"{data.benchmark.name}: {subject[:1].lower()}{subject[1:]}; profile {data.profile.title}",
        (
            *leading,
            *(_measure_column(scores.measures[measure], percent=request.percent) for measure in measures),
            *(replace(_measure_column(of_slices), key=f"{of_slices.key}, {part.name}") for part in parts),
        ),
        table_rows(
            [
                *cells,
                *(_cells(values[rows, measure], scores.measures[measure], request) for measure in measures),
                *(measure_cells(of_slice[rows], of_slices) for of_slice in means.T),
            ]
        ),
        notes,
        letters,
    )
    tables = () if request.over == "query" else data.benchmark.published
    shown = [scores.measures[measure] for measure in measures]
    published = published_rows(tables, names, shown, values[np.ix_(rows, measures)])
    return _with_published(table, len(leading), shown, published, request) if published else table


def _with_published(
    table: Table,
    n_names: int,
    measures: Sequence[ResolvedMeasure],
    published: Sequence[PublishedRow],
    request: RunsRequest,
) -> Table:
    """The table of runs with published scores: those of a run below it, those of other methods last."""
    n_runs, n_slices = len(table.rows), len(table.columns) - n_names - len(measures)
    order = beside(published, n_runs)
    rows = [*table.rows]
    for one in published:
        values = (_cells(value, m, request)[0] for value, m in zip(one.values[:, None], measures, strict=True))
        rows.append((one.title, *[""] * (n_names - 1), *values, *[None] * n_slices))
    marks, digits = {}, {}
    for column, measure in enumerate(measures, n_names):
        # In per cent a value has two decimals fewer.
        fewer = 2 if request.percent and measure.measure.in_percent else 0
        own = [None] * n_runs + [max(int(one.decimals[column - n_names]) - fewer, 0) for one in published]
        digits[column] = tuple(own[row] for row in order)
        texts = [*table.letters.get(column, [""] * n_runs), *(one.mark(column - n_names) for one in published)]
        if any(texts):
            marks[column] = tuple(texts[row] for row in order)
    return replace(
        table,
        rows=tuple(rows[row] for row in order),
        notes=(*table.notes, PUBLISHED_NOTE),
        letters=marks,
        contests=(tuple(place for place, row in enumerate(order) if row < n_runs),),
        cell_digits=digits,
    )


def letters_note(runs: int) -> str:
    """What significance letters mean, and among how many runs they were tested."""
    return (
        "Runs that share a letter do not differ significantly in that measure "
        f"(randomised Tukey HSD of all pairs of {count_of(runs, 'run')}, {format_percent(SIGNIFICANCE_LEVEL)})."
    )


@dataclass(frozen=True)
class RankingsRequest(QueryScoresRequest):
    """The runs in the order of their scores for each of some queries."""

    kind: ClassVar[str] = "rankings"


def rankings_table(data: ContentData, request: RankingsRequest) -> Table:
    """The runs of each query from the best, one column per query; ``=`` before a run that is as good as the one above.

    Source: SHREC 2006, table 2.
    """
    scores = scores_of_runs(data, request.runs)
    measure = scores.measures[measure_column(scores, request.measure)]
    queries = query_numbers(data, request.queries)
    columns = []
    for values in scores.values[:, queries, scores.column(measure.key)].T:
        order = np.argsort(values if measure.better == "lower" else -values, kind="stable")  # NaN last
        above = [math.nan, *values[order].tolist()]
        columns.append(
            [
                f"{'= ' if abs(value - before) <= EQUAL_WITHIN else ''}{scores.runs[row]}" if value == value else ""
                for row, value, before in zip(order.tolist(), values[order].tolist(), above, strict=False)
            ]
        )
    return Table(
        "rankings",
        f"{data.benchmark.name}: runs in the order of {measure.key} for single queries; profile {data.profile.title}",
        (TableColumn("place of the run", is_number=True), *(TableColumn(scores.queries[query]) for query in queries)),
        table_rows([list(range(1, len(scores.runs) + 1)), *columns]),
        notes=("= stands before a run whose value equals that of the run above; runs without a list are left out.",),
    )


@dataclass(frozen=True)
class RunScoresRequest(ScoreTableRequest):
    """Scores of one run, by query or class."""

    kind: ClassVar[str] = "run_scores"

    shown: str = option("queries", "Rows", ROWS_SHOWN, of=("panel",))

    runs: tuple[str, ...] = runs_option()
    queries: tuple[str, ...] = queries_option()
    classes: tuple[str, ...] = option(
        (), name="class", metavar="NAME", help="Only this class, in the order given; repeatable."
    )
    measures: tuple[str, ...] = measures_option()
    over: str = over_option()

    @property
    def fixed_options(self) -> tuple[str, ...]:
        """See `Request`."""
        return ("over",)


@dataclass(frozen=True, eq=False)
class RunScores:
    """Scores of one run by query or class.

    Attributes
    ----------
    names : (n,) ids of the queries, or names of the classes.
    labels : (n,) int32, class of each row, -1 for none.
    notes : (n,) class of each query, or number of queries of each class.
    values : (n, M) float64.
    """

    names: tuple[str, ...]
    labels: NDArray[np.int32]
    notes: tuple[Cell, ...]
    values: NDArray[np.float64]


def rows_of_run(scores: Scores, benchmark: Benchmark, run: int, over: str) -> RunScores:
    """Scores of a run for all queries, or with ``"classes"`` for all classes that have queries."""
    if over != "classes":
        classes = tuple(class_name(benchmark, int(label)) for label in scores.query_labels)
        return RunScores(scores.queries, scores.query_labels, classes, scores.values[run])
    labels, means = scores.by_class()
    sizes = tuple(int((scores.query_labels == label).sum()) for label in labels)
    return RunScores(tuple(class_name(benchmark, int(label)) for label in labels), labels, sizes, means[run])


def run_scores_table(data: ContentData, request: RunScoresRequest) -> Table:
    """Scores of one run, one row per query or class."""
    scores, benchmark = data.evaluated, data.benchmark
    run, measures = score_rows(scores, request.runs)[0], measure_columns(scores, request.measures)
    found = rows_of_run(scores, benchmark, run, request.over)
    if request.over == "classes":
        if unknown := set(request.classes) - set(found.names):
            raise ShrecViewerError(f"there are no queries of a class '{sorted(unknown)[0]}'")
        order = [found.names.index(name) for name in request.classes] or list(range(len(found.names)))
        leading = (TableColumn("class"), TableColumn("queries", is_number=True))
    else:
        order, leading = query_numbers(data, request.queries), (TableColumn("query"), TableColumn("class"))
    values, names, notes = found.values[order], [found.names[row] for row in order], [found.notes[row] for row in order]
    columns = [_cells(values[:, measure], scores.measures[measure], request) for measure in measures]
    return Table(
        "run_scores",
        f"{benchmark.name}: scores of run {scores.runs[run]}; profile {data.profile.title}",
        (*leading, *(_measure_column(scores.measures[measure], percent=request.percent) for measure in measures)),
        table_rows([names, notes, *columns]),
        () if request.over == "classes" else _query_notes(scores, measures),
        contests=(),  # queries differ in difficulty: the best of them is no result
    )


def _query_notes(scores: Scores, measures: Sequence[int]) -> tuple[str, ...]:
    """What values of queries are in measures (columns) whose names do not say it."""
    return tuple(filter(None, (scores.measures[column].query_note for column in measures)))


def _measure_column(measure: ResolvedMeasure, *, percent: bool = False) -> TableColumn:
    unit = " (%)" if percent and measure.measure.in_percent else ""
    return TableColumn(f"{measure.key}{unit}", "", True, measure.better)


def _cells(values: NDArray[np.float64], measure: ResolvedMeasure, request: ScoreTableRequest) -> Sequence[Cell]:
    """Values of a measure, in per cent where the request says so."""
    return measure_cells(100.0 * values if request.percent and measure.measure.in_percent else values, measure)


@dataclass(frozen=True)
class CalculationRequest(QueryScoresRequest):
    """The score that is explained."""

    kind: ClassVar[str] = "calculation"

    over: str = over_option()


def calculation(data: ContentData, request: CalculationRequest) -> ScoreCalculation:
    """How a score, or without a query a mean, is computed."""
    scores, run = data.evaluated, score_rows(data.evaluated, request.runs)[0]
    measure = scores.measures[measure_column(scores, request.measure)].key
    if request.queries:
        return calculation_of(scores, measure, run, query_numbers(data, request.queries)[0])
    return calculation_of_mean(scores, measure, run, over_classes=request.over == "classes")


def calculation_table(data: ContentData, request: CalculationRequest) -> Table:
    """The values that a score, or without a query a mean, is computed from; the score is the first row."""
    found, benchmark = calculation(data, request), data.benchmark
    measure, subject = found.measure.key, found.query or f"mean over {found.over}"
    rows: list[tuple[Cell, ...]] = [(name, "", None, finite_or_none(value)) for name, value in found.parts]
    if found.query and (steps := found.calculation_steps) is not None:
        shown = ranked_list(benchmark, benchmark.run(found.run), query_number(data, found.query), data.profile)
        rows += [(meaning, "", None, _number(value)) for _, meaning, value in steps.symbols]
        rows += [
            (f"rank {rank}", model, level if model else None, finite_or_none(share))
            for rank, model, level, share in used_ranks(steps, benchmark, shown)
        ]
        rows += [(f"r({i}) = {count}/{i}", "", None, count / i) for i, count in enumerate(steps.found, 1)]
    return Table(
        "calculation",
        f"{benchmark.name}: {measure} of {found.run}, {subject}; profile {data.profile.title}",
        (
            TableColumn("part"),
            TableColumn("model"),
            TableColumn("level", is_number=True),
            TableColumn("value", is_number=True),
        ),
        ((measure, "", None, finite_or_none(found.value)), *rows),
        notes=tuple(filter(None, (found.formula, found.note))),
    )


def used_ranks(
    steps: CalculationSteps, benchmark: Benchmark, shown: RankedList | None
) -> Iterator[tuple[int, str, int | None, float]]:
    """The ranks that a score uses: rank, model, its relevance level and its contribution, NaN where there are none.

    Without the list `shown`, and below its end, models are "" and levels None.
    """
    shares = steps.shares or (float("nan"),) * len(steps.ranks)
    for rank, share in zip(steps.ranks, shares, strict=True):
        if shown is None or rank > len(shown):
            yield rank, "", None, share
            continue
        item = int(shown.items[rank - 1])
        yield rank, benchmark.collection.ids[item] if item >= 0 else "", int(shown.levels[rank - 1]), share


def _number(text: str) -> Cell:
    """Value of a symbol, as a number where it is one."""
    try:
        return int(text.replace(",", ""))
    except ValueError:
        pass
    try:
        return finite_or_none(float(text))
    except ValueError:
        return text


def tie_ranges(data: ContentData, _request: Request) -> TieRange:
    """The range of all scores over the orders of models at the same distance."""
    if not data.evaluated.runs:
        raise ShrecViewerError("there are no runs")
    found = tie_range(data.evaluated, cancelled=data.cancelled)
    for one in (found.optimistic, found.pessimistic):
        _ = one.values  # cached here, not in the main thread
    return found
