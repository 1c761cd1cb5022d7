"""Why a run is weak: causes of its loss, false positives, pairs of classes, and a sentence on each query."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shrec_viewer.charts.bars import Bar, Bars
from shrec_viewer.charts.table import Cell, Table, TableColumn
from shrec_viewer.content.data import ContentData, class_name, query_number, query_text, styles_of_runs
from shrec_viewer.content.request import TableRequest, option, runs_option
from shrec_viewer.diagnosis.error_budget import (
    DEFAULT_DEPTH,
    DIVIDED,
    LISTED_CONFUSIONS,
    ZONES,
    BudgetWork,
    ErrorBudget,
    budget_sentence,
)
from shrec_viewer.domain import Benchmark, ShrecViewerError
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.metrics import Profile, find_measure

DIVIDED_MEASURES = ("AP", "AP(rel=2)", "NN", "FT", "ST", "P@10", "NDCG", "NDCG@10")
"""Measures offered in panels, whose loss can be divided."""

COST_COLOUR = "#9C5D50"
"""Colour of what costs, in charts; one of `SERIES`, so that other palettes have their own."""

CAUSE_NAMES = {
    "undefined": "No relevant models",
    "missing": "No list",
    "unlisted": "Not listed",
    "ties": "Ties",
    "hubs": "Hubs",
    "confusions": "Confusions",
    "labels": "Doubtful labels",
    "levels": "Order of levels",
    "single": "Other",
}
"""Names of the causes in charts."""


@dataclass(frozen=True)
class BudgetRequest(TableRequest):
    """The run, the measure whose loss is divided, and the query; without one all of them."""

    runs: tuple[str, ...] = runs_option(follows="run")
    measure: str = option(
        "AP", "Measure", {key: key for key in DIVIDED_MEASURES}, metavar="KEY", help="Measure whose loss is divided."
    )
    k: int = option(DEFAULT_DEPTH, low=1, high=1000, metavar="K", help="First ranks in which hubs are counted.")


@dataclass(frozen=True)
class ErrorBudgetRequest(BudgetRequest):
    """What a run loses by cause, as a mean or for one query."""

    kind: ClassVar[str] = "error_budget"

    query: str = option("", metavar="ID", help="One query; default: the mean.", follows="curve query")


@dataclass(frozen=True)
class FalsePositivesRequest(BudgetRequest):
    """The irrelevant models that cost most, of all lists or of one."""

    kind: ClassVar[str] = "false_positives"

    query: str = option("", metavar="ID", help="One query; default: the mean.", follows="curve query")
    cause: str = option(
        "", choices={"": "all", **{cause: CAUSE_NAMES[cause] for cause in DIVIDED}}, metavar="CAUSE",
        help="Only what a cause carries: ties, hubs, confusions, labels or single.",
    )  # fmt: skip


@dataclass(frozen=True)
class ClassCostsRequest(BudgetRequest):
    """What models of one class cost queries of another one."""

    kind: ClassVar[str] = "class_costs"

    limit: int = option(20, low=1, high=LISTED_CONFUSIONS, metavar="N", help="Number of pairs of classes.")


@dataclass(frozen=True)
class QueryCausesRequest(BudgetRequest):
    """The share of each cause and a sentence for each query."""

    kind: ClassVar[str] = "query_causes"


@dataclass(frozen=True, eq=False)
class RunBudget:
    """The error budget of one run with the lists that it was made from."""

    work: BudgetWork
    row: int
    budget: ErrorBudget

    def rank_of(self, query: int, model: int) -> int | None:
        """Rank of a model in a list; None where it is not listed."""
        found = np.flatnonzero(self.work.ranked(self.row, query).items == model)
        return int(found[0]) + 1 if len(found) else None


def run_budget(data: ContentData, request: BudgetRequest) -> RunBudget:
    """The error budget of the first requested run.

    Raises
    ------
    ShrecViewerError
        If there is no run, or none of its queries has a value.
    """
    if not data.benchmark.runs:
        raise ShrecViewerError(f"'{data.benchmark.name}' has no runs")
    key = find_measure(request.measure).key
    work = data.result(_work, data.benchmark, data.profile, key, request.k, data.scores, cancelled=data.cancelled)
    row = work.scores.run_index(request.runs[0]) if request.runs else 0
    budget = data.result(_budget, data.benchmark, work, row, cancelled=data.cancelled)
    if not budget.n_all:
        raise ShrecViewerError(budget_sentence(budget, key).rstrip("."))
    return RunBudget(work, row, budget)


def _work(
    benchmark: Benchmark, profile: Profile, key: str, k: int, previous: Scores | None, *, cancelled: Callable[[], bool]
) -> BudgetWork:
    if previous is None or previous.profile != profile or key not in [measure.key for measure in previous.measures]:
        previous = evaluate(benchmark, profile, measures=[key], previous=previous, cancelled=cancelled)
    return BudgetWork(previous, key, k)


def _budget(benchmark: Benchmark, work: BudgetWork, row: int, *, cancelled: Callable[[], bool]) -> ErrorBudget:
    # With the benchmark as an argument, so that the result is dropped with it.
    return work.budget(row, cancelled)


def error_budget(data: ContentData, request: ErrorBudgetRequest) -> Bars:
    """The value, what each cause carries from there to the ideal, and the ideal."""
    return budget_bars(data, request, run_budget(data, request))


def budget_bars(data: ContentData, request: ErrorBudgetRequest, found: RunBudget) -> Bars:
    """See `error_budget`."""
    budget, key = found.budget, found.work.measure.key
    query = query_number(data, request.query) if request.query else None
    value = budget.value if query is None else float(budget.values[query])
    bars = [Bar(f"{key} of {budget.run}", value, styles_of_runs(data)[budget.run].colour, budget.run)]
    place = 0.0 if value != value else value
    for column, cause in enumerate(budget.causes):
        share = cause.share if query is None else float(budget.shares[query, column])
        if not share or share != share:  # nothing is lost by it, or it is not known
            continue
        zones = tuple(getattr(cause, zone) for zone in ZONES)
        whole = query is None and None not in zones
        bars.append(
            Bar(
                CAUSE_NAMES[cause.cause], share, COST_COLOUR, start=place, key=cause.cause,
                parts=zones if whole else (),
                low=_number(cause.alone if whole else None), high=_number(cause.last if whole else None),
                mark=_number(cause.chance if query is None else None),
            )
        )  # fmt: skip
        place += share
    bars.append(Bar("Ideal", place, COST_COLOUR if len(bars) == 1 else IDEAL_COLOUR))
    ends = [bar.start + bar.high for bar in bars if bar.high == bar.high]
    label = f"{key}, {query_text(data, query)}" + ("; mark: chance" if query is None else "")
    title = f"{data.benchmark.name} error budget {budget.run} {key}"
    return Bars(title, label, tuple(bars), (0.0, max([place, 1e-9, *ends])))


IDEAL_COLOUR = "#5B6272"
"""Colour of the ideal value; one of `SERIES`."""


def _number(value: float | None) -> float:
    return float("nan") if value is None else value


def budget_title(request: ErrorBudgetRequest, found: RunBudget) -> str:
    """The sentence above the chart: on the run, or on the query."""
    budget = found.budget
    if not request.query:
        return budget_sentence(budget, found.work.measure.key)
    query = found.work.benchmark.queries.index[request.query]
    return f"{request.query}: {budget.sentences[query] or 'not in the mean'}"


FIRST_RANKS = 10
"""Ranks whose most frequent class the sentence on a list names."""

MAX_EXPLAINED = 20_000_000
"""Ranked models of all queries of a run up to which lists are explained without being asked: 10 s."""


def query_reason(data: ContentData, request: ErrorBudgetRequest) -> str:
    """Why the requested query loses what it does, what stands first, and where the nearest relevant model stands.

    Raises
    ------
    ShrecViewerError
        If the lists of the run are too long for it.
    """
    benchmark, query = data.benchmark, query_number(data, request.query)
    if len(benchmark.collection) * len(benchmark.queries) > MAX_EXPLAINED:
        raise ShrecViewerError("the lists are too long to be explained at once; the panel Causes by query does it")
    found = run_budget(data, request)
    parts = [found.budget.sentences[query]]
    ranked, level = found.work.ranked(found.row, query), found.work.level
    relevant = np.flatnonzero(ranked.levels >= level)
    first, tree = ranked.items[:FIRST_RANKS], benchmark.classification
    wrong = first[(ranked.levels[:FIRST_RANKS] < level) & (first >= 0)]
    if tree is not None and len(wrong):
        labels = tree.labels[wrong]
        counts = np.bincount(labels[labels >= 0], minlength=1)
        if counts.max() >= 2:
            parts.append(f"{counts.max()} of the first {len(first)} are '{tree.names[int(counts.argmax())]}'")
    if len(relevant) and relevant[0] > 0:
        nearest = int(relevant[0])
        text = f"the nearest relevant model stands at rank {nearest + 1:,}"
        distance, least = float(ranked.distances[nearest]), float(ranked.distances[0])
        if not ranked.similarity and least > 0 and np.isfinite(distance):
            text += f", at {distance / least:.3g} times the distance of rank 1"
        parts.append(text)
    return "; ".join(part for part in parts if part)


def error_budget_table(data: ContentData, request: ErrorBudgetRequest) -> Table:
    """The causes with their figures."""
    found = run_budget(data, request)
    budget, key = found.budget, found.work.measure.key
    query = query_number(data, request.query) if request.query else None
    names = ("share", "chance", *ZONES, "alone", "claimed", "last", "after", "pairs")
    rows: list[tuple[Cell, ...]] = []
    for column, cause in enumerate(budget.causes):
        if query is None:
            rows.append((cause.cause, *(getattr(cause, name) for name in names), cause.what))
        else:
            rows.append((cause.cause, float(budget.shares[query, column]), *(None,) * (len(names) - 1), ""))
    return Table(
        "error_budget",
        f"{data.benchmark.name}: {key} lost by {budget.run}, {query_text(data, query)}; profile {data.profile.title}",
        (TableColumn("cause"), *(TableColumn(name, is_number=True) for name in names), TableColumn("what")),
        tuple(rows),
        notes=(budget_title(request, found),),
    )


HEADINGS = {"occurrences": "lists", "irrelevant": "wrong"}
"""Shorter names of columns: lists with the model in the first ranks, and those where it is not relevant."""


def false_positives_table(data: ContentData, request: FalsePositivesRequest) -> Table:
    """The irrelevant models that cost something, the costliest first."""
    return table_of_false_positives(data, request, run_budget(data, request))


def table_of_false_positives(data: ContentData, request: FalsePositivesRequest, found: RunBudget) -> Table:
    """See `false_positives_table`."""
    budget, work, benchmark = found.budget, found.work, data.benchmark
    query = query_number(data, request.query) if request.query else None
    index = DIVIDED.index(request.cause) if request.cause else None
    rows: list[tuple[Cell, ...]] = []
    tree = benchmark.classification
    labels = np.full(len(benchmark.collection), -1) if tree is None else tree.labels
    if query is None:
        costs = budget.model_costs if index is None else budget.costs_by_cause[index]
        hubs = budget.hubs
        header = ("model", "cost", "chance", "class", "occurrences", "irrelevant")
        for model in np.argsort(-costs, kind="stable").tolist():
            if costs[model] > 0:
                rows.append(
                    (
                        benchmark.collection.ids[model], float(costs[model]), float(budget.model_chances[model]),
                        class_name(benchmark, int(labels[model])), int(hubs.occurrences[model]),
                        int(hubs.irrelevant[model]),
                    )
                )  # fmt: skip
    else:
        header = ("model", "rank", "cost", "class", "causes", "occurrences")
        one = work.false_positives(found.row, query)
        costs = one.costs if index is None else one.by_cause[:, index]
        for place in np.argsort(-costs, kind="stable").tolist():
            model = int(one.models[place])
            if costs[place] > 0 and model >= 0:
                causes = ", ".join(name for name, cost in zip(DIVIDED, one.by_cause[place], strict=True) if cost > 0)
                rows.append(
                    (
                        benchmark.collection.ids[model], int(one.ranks[place]), float(costs[place]),
                        class_name(benchmark, int(labels[model])), causes, int(budget.hubs.occurrences[model]),
                    )
                )  # fmt: skip
    cause = f", {CAUSE_NAMES[request.cause].lower()}" if request.cause else ""
    return Table(
        "false_positives",
        f"{data.benchmark.name}: irrelevant models that cost {budget.run} {work.measure.key}, "
        f"{query_text(data, query)}{cause}; profile {data.profile.title}",
        tuple(
            TableColumn(
                name,
                HEADINGS.get(name, ""),
                is_number=name not in ("model", "class", "causes"),
                shown_digits=4 if name in ("cost", "chance") else None,
            )
            for name in header
        ),
        tuple(rows),
    )


def class_costs(data: ContentData, request: ClassCostsRequest) -> Bars:
    """The pairs of classes that cost most above chance, as bars with their chance."""
    found = run_budget(data, request)
    bars = tuple(
        Bar(f"{query} → {model}", cost, COST_COLOUR, mark=chance)
        for query, model, cost, chance, *_ in _class_rows(data, found)[: request.limit]
    )
    label = f"{found.work.measure.key}; mark: chance"
    longest = max((bar.value for bar in bars), default=0.0)
    return Bars(f"{data.benchmark.name} class costs {found.budget.run}", label, bars, (0.0, max(longest, 1e-9)), 4)


def class_costs_table(data: ContentData, request: ClassCostsRequest) -> Table:
    """The same as a table."""
    found = run_budget(data, request)
    names = ("query_class", "model_class", "cost", "chance", "alone", "pairs", "cause")
    return Table(
        "class_costs",
        f"{data.benchmark.name}: {found.work.measure.key} of {found.budget.run} that models of a class cost queries of "
        f"another one; profile {data.profile.title}",
        tuple(TableColumn(name, is_number=name in ("cost", "chance", "alone", "pairs")) for name in names),
        _class_rows(data, found)[: request.limit],
    )


def _class_rows(data: ContentData, found: RunBudget) -> tuple[tuple[str, str, float, float, float, int, str], ...]:
    confusions = found.budget.confusions
    if confusions is None:
        raise ShrecViewerError(f"'{data.benchmark.name}' has no classes of queries and models")
    return tuple(
        (
            class_name(data.benchmark, one.query_class), class_name(data.benchmark, one.model_class),
            one.cost, one.chance, one.alone, one.pairs, "confusions" if one.named else "",
        )
        for one in confusions
    )  # fmt: skip


def query_causes_table(data: ContentData, request: QueryCausesRequest) -> Table:
    """Value, shares and sentence of each query."""
    found = run_budget(data, request)
    budget, key = found.budget, found.work.measure.key
    causes = [cause.cause for cause in budget.causes]
    rows = tuple(
        (name, float(budget.values[query]), *budget.shares[query].tolist(), budget.sentences[query])
        for query, name in enumerate(data.benchmark.queries.ids)
        if budget.values[query] == budget.values[query]
    )
    return Table(
        "query_causes",
        f"{data.benchmark.name}: why queries of {budget.run} lose {key}; profile {data.profile.title}",
        (TableColumn("query"), *(TableColumn(name, is_number=True) for name in (key, *causes)), TableColumn("why")),
        rows,
    )
