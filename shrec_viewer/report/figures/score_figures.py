"""Figures of scores: heat map, significance, leaderboard, differences per query, and confusion map."""

import math
from collections.abc import Mapping
from typing import cast

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.charts.intervals import IntervalRow
from shrec_viewer.charts.matrix import Matrix
from shrec_viewer.domain import Benchmark, ShrecError
from shrec_viewer.evaluation.comparison.significance import RunSignificance, run_significance
from shrec_viewer.evaluation.plots.confusion import Confusion, confusion, tier_lists
from shrec_viewer.evaluation.plots.heat_map import HeatReference, QueryOrder, RunOrder, heat_map
from shrec_viewer.evaluation.practical import (
    PartlyKnownValue,
    PracticalResult,
    PracticalRun,
    practical,
    practical_order,
)
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.number_format import (
    MINUS,
    SHARE_DECIMALS,
    format_interval,
    format_p_value,
    format_percent,
    format_value,
)
from shrec_viewer.render.scene.palette import RunStyle
from shrec_viewer.report.figures.content import (
    FigureBar,
    FigureBars,
    FigureChanges,
    FigureContent,
    FigureIntervals,
)
from shrec_viewer.report.figures.request import (
    FigureData,
    FigureRequest,
    headline,
    requested_queries,
    requested_runs,
    run_number,
    styles_of_runs,
)


def heat_map_figure(data: FigureData, request: FigureRequest) -> Matrix:
    """A measure of all runs for all queries."""
    scores, column = data.evaluated, headline(data.evaluated, request)
    measure = scores.measures[column]
    reference: HeatReference = "nothing"
    baseline = 0
    if request.baseline:
        reference = "mean" if request.baseline == "mean" and "mean" not in scores.runs else "run"
        baseline = scores.run_index(request.baseline) if reference == "run" else 0
    found = heat_map(
        scores,
        measure.key,
        reference=reference,
        baseline=baseline,
        query_order=cast(QueryOrder, "run" if request.sort_run else request.query_order),
        run_order=cast(RunOrder, "query" if request.sort_query else request.run_order),
        sort_run=scores.run_index(request.sort_run) if request.sort_run else 0,
        sort_query=_query_number(scores, request.sort_query) if request.sort_query else 0,
    )
    names = [scores.run_index(data.benchmark.runs[run].name) for run in requested_runs(data, request)]
    is_given = request.run_order == "given" and not request.sort_query
    rows = _positions(found.runs, names, keeps_order=is_given)
    is_given = request.query_order == "given" and not request.sort_run
    columns = _positions(found.queries, requested_queries(data, request), keeps_order=is_given)
    queries = found.queries[columns].tolist()
    groups: tuple[str, ...] = ()
    tree = data.benchmark.classification
    if request.query_order == "class" and not request.sort_run and tree is not None:
        labels = [int(scores.query_labels[query]) for query in queries]
        groups = tuple(tree.names[label] if label >= 0 else "" for label in labels)
    other = {"nothing": "", "mean": "mean"}.get(reference, request.baseline)
    return Matrix(
        title=f"{data.benchmark.name} heat map {measure.key}",
        values=found.values[np.ix_(rows, columns)],
        rows=tuple(scores.runs[run] for run in found.runs[rows].tolist()),
        columns=tuple(scores.queries[query] for query in queries),
        row_label="Run",
        column_label="Query",
        value_label=f"{measure.key} {MINUS} {other}" if other else measure.key,
        low=found.low,
        high=found.high,
        scale="values" if reference == "nothing" else "differences",
        inverted=measure.better == "lower",
        groups=groups,
        absent=found.missing[np.ix_(rows, columns)],
        totals=found.means[rows],
        total_label="mean",
        decimals=0 if _is_count(scores, column) else SHARE_DECIMALS,
    )


def _positions(shown: NDArray[np.int64], wanted: list[int], *, keeps_order: bool) -> NDArray[np.int64]:
    """Positions in `shown` of the wanted numbers, in their own order or in that of `shown`."""
    of = {number: position for position, number in enumerate(shown.tolist())}
    found = [of[number] for number in wanted]
    return np.array(found if keeps_order else sorted(found), np.int64)


def _query_number(scores: Scores, name: str) -> int:
    if name not in scores.queries:
        raise ShrecError(f"there is no query '{name}'")
    return scores.queries.index(name)


def _is_count(scores: Scores, column: int) -> bool:
    """Whether all values of a measure are integers without a fixed maximum."""
    values = scores.values[:, :, column]
    defined = values[np.isfinite(values)]
    return math.isinf(scores.measures[column].range[1]) and bool(np.all(defined == np.round(defined)))


def significance(data: FigureData, request: FigureRequest) -> FigureContent:
    """Means of the runs with confidence intervals, and groups that do not differ significantly."""
    scores = _of_runs(data, request)
    measure = scores.measures[headline(scores, request)]
    found = run_significance(scores, measure.key, baseline=request.baseline or None)
    styles = dict(zip((run.name for run in data.benchmark.runs), styles_of_runs(data, request), strict=True))
    return significance_content(f"{data.benchmark.name} significance {measure.key}", found, styles)


def significance_content(
    title: str,
    found: RunSignificance,
    styles: Mapping[str, RunStyle],
    differences: Mapping[str, float] = {},
) -> FigureIntervals:
    """Runs with their intervals, best first.

    Parameters
    ----------
    differences : from the version of a run that is its baseline.
    """
    means = np.array([interval.mean for interval in found.means])
    keys = means if found.measure.better == "lower" else -means
    rows = []
    for row in np.argsort(np.where(np.isnan(keys), np.inf, keys), kind="stable").tolist():
        interval, letters, name = found.means[row], found.groups.letters[row], found.runs[row]
        # The p value of the test that assigns the letters; a test of this pair alone could contradict them.
        p = format_p_value(found.p_of_pair(name, found.baseline))
        limits = format_interval(interval.low, interval.high)
        tip = f"{name}\n{found.measure.key} {format_value(interval.mean)}, confidence interval {limits}"
        tip += f"; groups {', '.join(letters)}" if letters else ""
        tip += f"; {p} compared with {found.baseline}" if p else ""
        note = p
        if name in differences:
            change = format_value(differences[name], signed=True)
            tip, note = f"{tip}; {change} from the baseline version", " · ".join(filter(None, (p, change)))
        rows.append(IntervalRow(name, *styles[name], interval.mean, interval.low, interval.high, letters, note, tip))
    confidence = f", {format_percent(found.means[0].confidence)} confidence interval" if found.means else ""
    return FigureIntervals(title, f"Mean {found.measure.key}{confidence}", tuple(rows))


PRACTICAL_LABELS = {
    "recall": "recall, first {scope} ranks",
    "generality": "generality, share of relevant pairs",
    "class_size": "class size, mean number of relevant models",
}
"""Labels of the scale of `practical_figure`, by attribute of `PracticalRun`; see `practical_label`."""


def practical_label(found: PracticalResult, value: str) -> str:
    """Label of the scale: of estimates, or without a sample of bounds."""
    kind = "Estimated" if found.sampled else "Bounds of"
    return f"{kind} {PRACTICAL_LABELS[value].format(scope=found.scope)}"


def practical_figure(data: FigureData, request: FigureRequest) -> FigureContent:
    """Estimates of the runs with their confidence intervals, else bounds; best recall first."""
    if data.benchmark.assessment is None:
        raise ShrecError(f"'{data.benchmark.name}' has no relevance assessment: no model was judged")
    if request.value not in PRACTICAL_LABELS:
        raise ShrecError(f"'{request.value}' is none of {', '.join(PRACTICAL_LABELS)}")
    names = tuple(data.benchmark.runs[run].name for run in requested_runs(data, request))
    found = practical(data.benchmark, data.profile, runs=names, scope=request.judged, sample_size=request.sample)
    styles = dict(zip((run.name for run in data.benchmark.runs), styles_of_runs(data, request), strict=True))
    order = range(len(found.runs)) if request.runs else practical_order(found)
    rows = tuple(
        practical_row(found.runs[row], request.value, found.is_complete, styles[found.runs[row].name]) for row in order
    )
    return FigureIntervals(
        f"{data.benchmark.name} practical {request.value}",
        practical_label(found, request.value),
        rows,
    )


def practical_row(run: PracticalRun, key: str, is_complete: bool, style: RunStyle) -> IntervalRow:
    """A run with its estimate, or bounds where there is none; `key` is one of `PRACTICAL_LABELS`."""
    value: PartlyKnownValue = getattr(run, key)
    has_estimate = math.isfinite(value.estimate)
    shown = value.interval if has_estimate else value.bounds
    bounds = f"bounds {format_interval(value.bounds.low, value.bounds.high)}"
    note = f"actual {format_value(value.actual)}, {bounds}" if is_complete else bounds
    interval = f", confidence interval {format_interval(shown.low, shown.high)}" if has_estimate else ""
    lines = (
        run.name,
        f"Estimate {format_value(value.estimate)}{interval}; {note}",
        f"Precision {format_value(run.precision)}: {run.found:,} of {run.judged:,} judged ranks are relevant",
        f"Random pairs outside the scope: {run.sampled:,}, of which {run.sampled_relevant:,} are relevant",
    )
    return IntervalRow(run.name, *style, value.estimate, shown.low, shown.high, "", note, "\n".join(lines))


def leaderboard_figure(data: FigureData, request: FigureRequest) -> FigureContent:
    """Mean scores of the runs as bars, best first."""
    scores = _of_runs(data, request)
    column = headline(scores, request)
    measure = scores.measures[column]
    order = scores.order_by(measure.key) if request.run_order != "given" else list(range(len(scores.runs)))
    order = order[::-1] if request.run_order == "worst" else order
    means = scores.mean()[:, column]
    styles = dict(zip((run.name for run in data.benchmark.runs), styles_of_runs(data, request), strict=True))
    bars = tuple(FigureBar(scores.runs[row], float(means[row]), styles[scores.runs[row]].colour) for row in order)
    finite = means[np.isfinite(means)]
    # Bars start at 0, as their lengths are compared.
    low, high = min(float(finite.min(initial=0.0)), 0.0), max(float(finite.max(initial=0.0)), 0.0)
    limits = (low, high if high > low else low + 1.0)
    decimals = 0 if _is_count(scores, column) and bool(np.all(finite == np.round(finite))) else SHARE_DECIMALS
    return FigureBars(
        f"{data.benchmark.name} leaderboard {measure.key}",
        f"{measure.label}, mean over queries",
        bars,
        limits,
        decimals,
    )


def _of_runs(data: FigureData, request: FigureRequest) -> Scores:
    """The scores of the requested runs, in their order."""
    scores = data.evaluated
    if not request.runs:
        return scores
    return scores.select_runs(
        [scores.run_index(data.benchmark.runs[run].name) for run in requested_runs(data, request)]
    )


def gain_and_loss(data: FigureData, request: FigureRequest) -> FigureContent:
    """Differences between two runs for each query, largest gain first."""
    scores, column = data.evaluated, headline(data.evaluated, request)
    measure = scores.measures[column]
    runs = requested_runs(data, request)
    if len(request.runs) != 2:
        raise ShrecError("this figure compares two runs: choose run A and run B")
    names = [data.benchmark.runs[run].name for run in runs]
    values = scores.values_in_mean[[scores.run_index(name) for name in names], :, column]
    changes = values[1] - values[0]
    queries = requested_queries(data, request)
    sign = -1.0 if measure.better == "lower" else 1.0
    if request.query_order != "given" or not request.queries:
        keys = np.array([-sign * changes[query] for query in queries])
        queries = [queries[at] for at in np.argsort(np.where(np.isnan(keys), np.inf, keys), kind="stable").tolist()]
    shown = changes[queries]
    gains, losses = int((sign * shown > 0).sum()), int((sign * shown < 0).sum())
    return FigureChanges(
        f"{data.benchmark.name} gain and loss {measure.key} {names[1]} {names[0]}",
        f"{measure.key}, {names[1]} {MINUS} {names[0]}",
        tuple(scores.queries[query] for query in queries),
        shown,
        measure.better == "lower",
        f"{names[1]} better: {gains:,}",
        f"{names[0]} better: {losses:,}",
    )


def confusion_figure(data: FigureData, request: FigureRequest) -> FigureContent:
    """Share of each class in the first or second tier of the queries of each class, of one run."""
    benchmark = data.benchmark
    if benchmark.classification is None:
        raise ShrecError(f"'{benchmark.name}' has no classification: there is no confusion of classes")
    name = request.highlight or (request.runs[0] if request.runs else "")
    run = benchmark.runs[run_number(data, name)] if name else benchmark.runs[requested_runs(data, request)[0]]
    found = confusion(tier_lists(benchmark, run, data.profile), benchmark, request.tier)
    if not len(found.rows):
        raise ShrecError("there are no queries with a class and relevant models")
    return confusion_matrix(found, benchmark, run.name, request.tier)


def confusion_matrix(found: Confusion, benchmark: Benchmark, run: str, tier: int) -> Matrix:
    """Contents of a confusion map; the benchmark has a classification."""
    assert benchmark.classification is not None
    names = benchmark.classification.names
    return Matrix(
        found.shares,
        tuple(names[label] for label in found.rows.tolist()),
        tuple(names[label] for label in found.columns.tolist()),
        scale="shares",
        decimals=2,
        title=f"{benchmark.name} confusion {run} tier {tier}",
        row_label="Class of the query",
        column_label="Class of the models",
        value_label=f"Share of the {'first' if tier == 1 else 'second'} tier, {run}",
    )
