"""Why a run is weak: causes of its loss, false positives, pairs of classes, and a sentence on each query."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.charts.bars import Bar, Bars
from shrec_viewer.charts.plot import Axes, Plot, PlotCurve, ReferenceLine, References
from shrec_viewer.charts.table import Cell, Table, TableColumn
from shrec_viewer.content.curves import curves_of, default_curve
from shrec_viewer.content.data import (
    ContentData,
    class_name,
    model_number,
    query_number,
    query_text,
    styles_of_runs,
    table_of,
)
from shrec_viewer.content.request import TableRequest, option, runs_option, slice_option
from shrec_viewer.diagnosis.error_budget import (
    DEFAULT_DEPTH,
    DIVIDED,
    LISTED_CONFUSIONS,
    REPAIRED,
    ZONES,
    BudgetDifference,
    BudgetWork,
    ConfusionCost,
    ErrorBudget,
    budget_sentence,
    difference_sentence,
)
from shrec_viewer.diagnosis.slices import queries_of_models
from shrec_viewer.domain import Benchmark, ShrecViewerError
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.evaluation.geometry_evidence import evidence_note, geometry_run
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.formats.core.findings_log import count_of
from shrec_viewer.metrics import CurveValues, Profile, UnknownKeyError, find_measure
from shrec_viewer.number_format import format_value

#: Measures offered in panels, whose loss can be divided.
DIVIDED_MEASURES = ("AP", "AP(rel=2)", "NN", "FT", "ST", "P@10", "NDCG", "NDCG@10")

#: Colour of what costs, in charts; one of `SERIES`, so that other palettes have their own.
COST_COLOUR = "#9C5D50"

#: Names of the causes in charts.
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


B = TypeVar("B", bound="BudgetRequest")


@dataclass(frozen=True)
class BudgetRequest(TableRequest):
    """The run, the measure whose loss is divided, and the query; without one all of them."""

    runs: tuple[str, ...] = runs_option(follows="run")
    measure: str = option(
        "AP", "Measure", {key: key for key in DIVIDED_MEASURES}, metavar="KEY", help="Measure whose loss is divided."
    )
    k: int = option(DEFAULT_DEPTH, low=1, high=1000, metavar="K", help="First ranks in which hubs are counted.")
    slice: str = slice_option()

    def of(self, kind: type[B], **values: Any) -> B:
        """A request of another kind for the same runs, measure and queries."""
        return kind(runs=self.runs, measure=self.measure, k=self.k, slice=self.slice, **values)


def cause_option(causes: Iterable[str]) -> Any:
    """The field ``cause: str``; "" for none."""
    names = {"": "all", **{cause: CAUSE_NAMES[cause] for cause in causes}}
    return option("", choices=names, metavar="CAUSE", help="Only this cause.", follows="cause")


def models_option() -> Any:
    """The field ``models: tuple[str, ...]``; () for all."""
    return option((), name="model", metavar="ID", help="Only what this model carries; repeatable.", follows="within")


@dataclass(frozen=True)
class DifferenceRequest(BudgetRequest):
    """What a run loses, or why it differs from another run."""

    compared: str = option("", metavar="NAME", help="Divide the difference from this run.")
    difference: bool = option(False, "A − B", of=("panel",), tip="Difference between runs A and B")


@dataclass(frozen=True)
class ErrorBudgetRequest(DifferenceRequest):
    """What a run loses by cause, as a mean or for one query; or why it differs from another run."""

    kind: ClassVar[str] = "error_budget"

    query: str = option("", metavar="ID", help="One query; default: the mean.", follows="curve query")
    models: tuple[str, ...] = models_option()
    cause: str = option("", of=("panel",), follows="cause")


@dataclass(frozen=True)
class RepairRequest(BudgetRequest):
    """Precision over recall of a run as it is, and without one of its causes."""

    kind: ClassVar[str] = "repair"

    query: str = option("", metavar="ID", help="One query; default: the mean.", follows="curve query")
    cause: str = cause_option(REPAIRED)


@dataclass(frozen=True)
class FalsePositivesRequest(BudgetRequest):
    """The irrelevant models that cost most, of all lists or of one."""

    kind: ClassVar[str] = "false_positives"

    query: str = option("", metavar="ID", help="One query; default: the mean.", follows="curve query")
    cause: str = cause_option(DIVIDED)
    models: tuple[str, ...] = models_option()


@dataclass(frozen=True)
class ClassCostsRequest(DifferenceRequest):
    """What models of one class cost queries of another one, or cost them more in one run than in another."""

    kind: ClassVar[str] = "class_costs"

    cause: str = cause_option(DIVIDED)
    models: tuple[str, ...] = models_option()
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
        If there is no run or no such slice, or none of its queries has a value.
    """
    work, row = lists_of_run(data, request)
    try:
        budget = data.result(_budget, data.benchmark, work, row, request.slice, cancelled=data.cancelled)
    except UnknownKeyError as error:
        raise ShrecViewerError(f"{error}; the table slices lists them") from error
    if not budget.n_all:
        raise ShrecViewerError(budget_sentence(budget, work.measure.key).rstrip("."))
    return RunBudget(work, row, budget)


def lists_of_run(data: ContentData, request: BudgetRequest) -> tuple[BudgetWork, int]:
    """What the budgets of all runs share, and the row of the first requested run."""
    if not data.benchmark.runs:
        raise ShrecViewerError(f"'{data.benchmark.name}' has no runs")
    key = find_measure(request.measure).key
    work = data.result(_work, data.benchmark, data.profile, key, request.k, data.scores, cancelled=data.cancelled)
    return work, work.scores.run_index(request.runs[0]) if request.runs else 0


def has_budget(data: ContentData, request: BudgetRequest) -> bool:
    """Whether `run_budget` is known, so that what follows from it takes a few milliseconds."""
    key, runs = find_measure(request.measure).key, request.runs
    work = data.results.known(_work, data.benchmark, data.profile, key, request.k, data.scores)
    if not isinstance(work, BudgetWork) or (runs and runs[0] not in work.scores.runs):
        return False
    row = work.scores.run_index(runs[0]) if runs else 0
    return data.results.known(_budget, data.benchmark, work, row, request.slice) is not None


def _work(
    benchmark: Benchmark, profile: Profile, key: str, k: int, previous: Scores | None, *, cancelled: Callable[[], bool]
) -> BudgetWork:
    if previous is None or previous.profile != profile or key not in [measure.key for measure in previous.measures]:
        previous = evaluate(benchmark, profile, measures=[key], previous=previous, cancelled=cancelled)
    return BudgetWork(previous, key, k)


# With the benchmark as an argument, so that the results are dropped with it.


def _budget(
    benchmark: Benchmark, work: BudgetWork, row: int, slice_name: str, *, cancelled: Callable[[], bool]
) -> ErrorBudget:
    return work.budget(row, cancelled, work.queries_of(slice_name))


def _difference(
    benchmark: Benchmark, work: BudgetWork, row: int, other: int, slice_name: str, *, cancelled: Callable[[], bool]
) -> BudgetDifference:
    return work.difference(row, other, cancelled, work.queries_of(slice_name))


def budget_difference(data: ContentData, request: BudgetRequest, found: RunBudget, other: str) -> BudgetDifference:
    """Where the difference between the requested run and another one comes from."""
    row = found.work.scores.run_index(other)
    return data.result(
        _difference, data.benchmark, found.work, found.row, row, request.slice, cancelled=data.cancelled
    )  # fmt: skip


def error_budget(data: ContentData, request: ErrorBudgetRequest) -> Bars:
    """The value, what each cause carries from there to the ideal, and the ideal.

    Steps of a difference, and what some models carry, begin at 0.
    """
    found = run_budget(data, request)
    budget, key = found.budget, found.work.measure.key
    query = query_number(data, request.query) if request.query else None
    if request.models or request.compared:
        name = "Together" if request.models else f"{budget.run} − {request.compared}"
        label, steps = f"{key}, {query_text(data, query)}", _steps(data, request, found)
        return _bars_of_steps(f"{budget.run} {key}", label, steps, name)
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


def _bars_of_steps(title: str, label: str, steps: Mapping[str, float], name: str) -> Bars:
    """A waterfall of steps by cause from 0 to their sum."""
    bars, place = [], 0.0
    for cause, step in steps.items():
        if step:
            bars.append(Bar(CAUSE_NAMES[cause], step, COST_COLOUR, start=place, key=cause))
            place += step
    bars.append(Bar(name, place, IDEAL_COLOUR))
    ends = [0.0, *(bar.start + bar.value for bar in bars)]
    low, high = min(ends), max(ends)
    return Bars(f"error budget {title}", label, tuple(bars), (low, high if high > low else low + 1e-9))


def _steps(data: ContentData, request: ErrorBudgetRequest, found: RunBudget) -> Mapping[str, float]:
    """What some models carry of each cause, or what each adds to the difference from the compared run."""
    if request.models:
        models = [model_number(data, name) for name in request.models]
        costs = costs_of_models(data, request, found)[:, models].sum(axis=1)
        return dict(zip(DIVIDED, costs.tolist(), strict=True))
    if not request.query:
        return budget_difference(data, request, found, request.compared).shares
    query, others = query_number(data, request.query), run_budget(data, replace(request, runs=(request.compared,)))
    steps: dict[str, float] = {}
    for budget, sign in ((found.budget, -1.0), (others.budget, 1.0)):
        for cause, share in zip(budget.causes, np.nan_to_num(budget.shares[query]), strict=True):
            steps[cause.cause] = steps.get(cause.cause, 0.0) + sign * float(share)
    return steps


def costs_of_models(data: ContentData, request: Any, found: RunBudget) -> NDArray[np.float64]:
    """(5, N) float64, what each model costs by the causes `DIVIDED`, in the requested query or as a mean."""
    if not request.query:
        return np.nan_to_num(found.budget.costs_by_cause)
    one = found.work.false_positives(found.row, query_number(data, request.query))
    costs, known = np.zeros((len(data.benchmark.collection), len(DIVIDED))), one.models >= 0
    costs[one.models[known]] = one.by_cause[known]
    return costs.T


#: Colour of the ideal value; one of `SERIES`.
IDEAL_COLOUR = "#5B6272"


def _number(value: float | None) -> float:
    return float("nan") if value is None else value


def budget_title(data: ContentData, request: ErrorBudgetRequest) -> str:
    """The sentence above the chart: on the run, the slice or the query, on the difference, or on some models."""
    found = run_budget(data, request)
    budget, key = found.budget, found.work.measure.key
    query = query_number(data, request.query) if request.query else None
    lead = f"{request.query}: " if request.query else f"{request.slice}: " if request.slice else ""
    if request.models:
        carried = sum(_steps(data, request, found).values())
        lost = budget.ideal - budget.value if query is None else float(np.nansum(budget.shares[query]))
        number = f"{len(request.models):,} of {count_of(len(data.benchmark.collection), 'model')}"
        return (
            f"{lead}{number} carry {format_value(carried)} of the {format_value(lost)} {key} that {budget.run} loses."
        )
    if request.compared and query is None:
        names = () if data.benchmark.classification is None else data.benchmark.classification.names
        return lead + difference_sentence(budget_difference(data, request, found, request.compared), key, names)
    if request.compared:
        change = format_value(sum(_steps(data, request, found).values()), signed=True)
        return f"{lead}{budget.run} less {request.compared}: {change} {key}."
    return lead + (budget_sentence(budget, key) if query is None else budget.sentences[query] or "not in the mean")


def repair(data: ContentData, request: RepairRequest) -> Plot:
    """Precision over recall of a run, and of the same run if the pairs of one cause are taken out."""
    found = run_budget(data, request)
    work, row, budget = found.work, found.row, found.budget
    query = query_number(data, request.query) if request.query else None
    excluded, within = work.scores.excluded, work.queries_of(request.slice)
    if within is not None:
        excluded = excluded | ~np.isin(np.arange(len(excluded)), within)
    kind, style = default_curve(curves_of("precision_recall"), data.profile), styles_of_runs(data)[budget.run]

    def curve(cause: str) -> CurveValues:
        of_run = work.scores.select_runs([row])
        return replace(of_run, hits=(work.repaired(row, cause),), excluded=excluded).curve(kind.key, 0, query)

    one, lines = curve(""), []
    if request.cause in REPAIRED:
        name = "completed" if request.cause == "unlisted" else f"without {CAUSE_NAMES[request.cause].lower()}"
        repaired = curve(request.cause)
        lines = [ReferenceLine(name, repaired.x, repaired.y, "ink", "dash", mark=name, at=len(repaired.x) // 4)]
    curves = (PlotCurve(budget.run, budget.run, one.x, one.y, style.colour, style.dash),)
    title = f"{data.benchmark.name} repair {budget.run} {request.cause}".rstrip()
    axes = Axes("Recall", kind.y_label, kind.x_range or (0.0, 1.0), kind.y_range or (0.0, 1.0))
    return Plot(title, axes, curves, budget.run, References(lines=tuple(lines)))


#: Ranked models of all queries of a run up to which lists are explained without being asked: 10 s.
MAX_EXPLAINED = 20_000_000


def error_budget_table(data: ContentData, request: ErrorBudgetRequest) -> Table:
    """The causes with their figures."""
    found = run_budget(data, request)
    budget, key = found.budget, found.work.measure.key
    query = query_number(data, request.query) if request.query else None
    names: tuple[str, ...] = ("share", "chance", *ZONES, "alone", "claimed", "last", "after", "pairs")
    rows: list[tuple[Cell, ...]]
    if request.models or request.compared:
        names, rows = ("share",), [(cause, step, "") for cause, step in _steps(data, request, found).items()]
    elif query is None:
        rows = [(cause.cause, *(getattr(cause, name) for name in names), cause.what) for cause in budget.causes]
    else:
        shares, none = zip(budget.causes, budget.shares[query].tolist(), strict=True), (None,) * (len(names) - 1)
        rows = [(cause.cause, share, *none, "") for cause, share in shares]
    title, notes = f"{key} lost by {budget.run}, {query_text(data, query)}", (budget_title(data, request),)
    return table_of(data, "error_budget", title, ("cause",), names, rows, notes, ("what",))


#: Why there is no column of models that look alike.
NO_GEOMETRY = (
    "No column 'looks alike': rigid geometry was not computed; --virtual 'geometry()' or File ▸ Virtual run adds it."
)

#: Shorter names of columns: lists with the model in the first ranks, and those where it is not relevant.
HEADINGS = {"occurrences": "in first {:,}", "irrelevant": "wrong in first {:,}"}


def false_positives_table(data: ContentData, request: FalsePositivesRequest) -> Table:
    """The irrelevant models that cost something, the costliest first."""
    found = run_budget(data, request)
    budget, work, benchmark = found.budget, found.work, data.benchmark
    query = query_number(data, request.query) if request.query else None
    by_cause = costs_of_models(data, request, found)
    hubs, tree, ids = budget.hubs, benchmark.classification, benchmark.collection.ids
    labels = np.full(len(ids), -1) if tree is None else tree.labels
    twins, ranks = work.entries.near_duplicates, {}
    alike, reason = _looks_alike(data, request, found)
    header = ["model", "cost", "chance", "class", "occurrences", "irrelevant", "near-duplicate"]
    if query is not None:
        header = ["model", "rank", "cost", "class", "causes", "occurrences", "near-duplicate"]
    if alike is not None:
        header.insert(3, "looks alike")
    if query is not None:
        one = work.false_positives(found.row, query)
        ranks = dict(zip(one.models.tolist(), one.ranks.tolist(), strict=True))
    rows: list[tuple[Cell, ...]] = []
    for model, cost in costliest(data, request, by_cause):
        causes = ", ".join(name for name, part in zip(DIVIDED, by_cause[:, model], strict=True) if part > 0)
        cells: dict[str, Cell] = {
            "model": ids[model], "cost": cost, "chance": float(budget.model_chances[model]), "rank": ranks.get(model),
            "class": class_name(benchmark, int(labels[model])), "occurrences": int(hubs.occurrences[model]),
            "irrelevant": int(hubs.irrelevant[model]), "causes": causes,
            "near-duplicate": ids[twins[model]] if twins[model] >= 0 else "",
            "looks alike": None if alike is None else alike(model),
        }  # fmt: skip
        rows.append(tuple(cells[name] for name in header))
    cause = f", {CAUSE_NAMES[request.cause].lower()}" if request.cause else ""
    return Table(
        "false_positives",
        f"{data.benchmark.name}: irrelevant models that cost {budget.run} {work.measure.key}, "
        f"{query_text(data, query)}{cause}; profile {data.profile.title}",
        tuple(
            TableColumn(
                name,
                HEADINGS[name].format(work.k) if name in HEADINGS else "",
                is_number=name not in ("model", "class", "causes", "near-duplicate")
                and not (name == "looks alike" and query is not None),
                shown_digits=4 if name in ("cost", "chance") else None,
            )
            for name in header
        ),
        tuple(rows),
        (reason,),
    )


def _looks_alike(
    data: ContentData, request: FalsePositivesRequest, found: RunBudget
) -> tuple[Callable[[int], Cell] | None, str]:
    """The column of models in the first C ranks by rigid geometry, None without it; and what it is, or why not.

    In one query ``"yes"``, ``"no"`` or "" without a mesh; else the number of queries that the model costs something.
    """
    work = found.work
    if geometry_run(data.benchmark) is None:
        return None, NO_GEOMETRY
    if not request.query:
        counts = work.looks_alike(found.row, work.queries_of(request.slice))
        if counts is None:
            return None, evidence_note(work.weak_classes)
        known = counts.tolist()
        note = "looks alike: number of queries that a model costs something with a rank by geometry in the first C"
        return lambda model: known[model], f"{note}. {evidence_note(work.weak_classes)}"
    one = work.geometry(query_number(data, request.query))
    if one is None or work.run(found.row) is geometry_run(data.benchmark):
        return None, evidence_note(work.weak_classes)
    ranks = one.ranks.tolist()

    def cell(model: int) -> Cell:
        return "" if not ranks[model] else "yes" if ranks[model] <= one.size else "no"

    return cell, f"looks alike: the rank by geometry is in the first C. {evidence_note(work.weak_classes)}"


def costliest(
    data: ContentData, request: FalsePositivesRequest, by_cause: NDArray[np.float64]
) -> list[tuple[int, float]]:
    """The requested models that cost something, the costliest first; see `costs_of_models`."""
    costs = by_cause[DIVIDED.index(request.cause)] if request.cause in DIVIDED else by_cause.sum(axis=0)
    if request.models:
        inside = np.isin(np.arange(len(costs)), [model_number(data, name) for name in request.models])
        costs = np.where(inside, costs, 0.0)
    order = np.argsort(-costs, kind="stable")[: int(np.count_nonzero(costs > 0))]
    return [(model, float(costs[model])) for model in order.tolist()]


@dataclass(frozen=True)
class Restricted:
    """What views are restricted to.

    Attributes
    ----------
    models : indices of the requested models; of a requested cause, those that cost something.
    queries : indices of the queries of the requested models, see `queries_of_models`.
    texts : what the models cost together, the number of classes, and the mean of these queries, in words.
    """

    models: tuple[int, ...]
    queries: tuple[int, ...]
    texts: tuple[str, ...]


def restricted_models(data: ContentData, request: FalsePositivesRequest) -> Restricted:
    """See `Restricted`; without a cause, also the models that cost nothing."""
    found, named = run_budget(data, request), [model_number(data, name) for name in request.models]
    carrying, tree = costliest(data, request, costs_of_models(data, request, found)), data.benchmark.classification
    models = [model for model, _ in carrying] if request.cause or not named else named
    cost, work = sum(cost for _, cost in carrying), found.work
    queries = queries_of_models(data.benchmark, named, work.level) if named else np.zeros(0, np.int64)
    values = found.budget.values[queries][~np.isnan(found.budget.values[queries])]
    texts = [f"cost {format_value(cost)}"]
    if tree is not None and (labels := set(tree.labels[named].tolist()) - {-1}):
        texts.append(count_of(len(labels), "class", "classes"))
    if len(values):
        mean = format_value(float(values.mean()))
        texts.append(f"{work.measure.key} {mean} of {count_of(len(values), 'query', 'queries')}")
    return Restricted(tuple(sorted(models)), tuple(queries.tolist()), tuple(texts))


def class_costs(data: ContentData, request: ClassCostsRequest) -> Bars:
    """The pairs of classes that cost most above chance, as bars with their chance; or the largest differences."""
    found, benchmark = run_budget(data, request), data.benchmark
    bars = tuple(
        Bar(
            f"{class_name(benchmark, one.query_class)} → {class_name(benchmark, one.model_class) or 'no class'}",
            one.cost, COST_COLOUR, mark=_number(one.chance), key=f"{one.query_class} {one.model_class}",
        )
        for one in class_rows(data, request, found)[: request.limit]
    )  # fmt: skip
    parts = [found.work.measure.key] + [request.slice] * bool(request.slice)
    if request.compared:
        parts[0] += f" of {found.budget.run} less {request.compared}"
    elif request.models:
        parts.append(f"{len(request.models):,} of {count_of(len(benchmark.collection), 'model')}")
    parts += [CAUSE_NAMES[request.cause].lower()] if request.cause and not request.compared else []
    label = ", ".join(parts) + ("" if request.cause or request.compared else "; mark: chance")
    ends = [0.0, 1e-9, *(bar.value for bar in bars)]
    return Bars(f"{benchmark.name} class costs {found.budget.run}", label, bars, (min(ends), max(ends)), 4)


def class_costs_table(data: ContentData, request: ClassCostsRequest) -> Table:
    """The same as a table."""
    found, benchmark = run_budget(data, request), data.benchmark
    what = "that models of a class cost queries of another one"
    if request.compared:
        what = f"less {request.compared} by classes of queries and models"
    title, numbers = f"{found.work.measure.key} of {found.budget.run} {what}", ("cost", "chance", "alone", "pairs")
    rows = [
        (
            class_name(benchmark, one.query_class), class_name(benchmark, one.model_class),
            *(getattr(one, name) for name in numbers), "confusions" if one.named else "",
        )
        for one in class_rows(data, request, found)[: request.limit]
    ]  # fmt: skip
    return table_of(data, "class_costs", title, ("query_class", "model_class"), numbers, rows, after=("cause",))


def class_rows(data: ContentData, request: ClassCostsRequest, found: RunBudget) -> tuple[ConfusionCost, ...]:
    """The pairs of classes of a run or of the difference from the compared one, the largest first."""
    if found.budget.confusions is None:
        raise ShrecViewerError(f"'{data.benchmark.name}' has no classes of queries and models")
    if request.compared:
        difference = budget_difference(data, request, found, request.compared).confusions or ()
        return tuple(one for one in difference if one.query_class >= 0)
    if request.cause in DIVIDED or request.models:
        models, cause = [model_number(data, name) for name in request.models], request.cause
        within = found.work.queries_of(request.slice)
        return found.work.class_costs(found.row, cause if cause in DIVIDED else "", within, models)
    return found.budget.confusions


def query_causes_table(data: ContentData, request: QueryCausesRequest) -> Table:
    """Value, shares and sentence of each query."""
    found = run_budget(data, request)
    budget, key = found.budget, found.work.measure.key
    rows = [
        (name, float(budget.values[query]), *budget.shares[query].tolist(), budget.sentences[query])
        for query, name in enumerate(data.benchmark.queries.ids)
        if budget.values[query] == budget.values[query]
    ]
    title, names = f"why queries of {budget.run} lose {key}", (key, *(cause.cause for cause in budget.causes))
    return table_of(data, "query_causes", title, ("query",), names, rows, after=("why",))
