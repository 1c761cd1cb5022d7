"""Heat map of queries and runs for one measure: values, order, colour limits."""

from dataclasses import dataclass
from math import isfinite
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.evaluation.scores import Scores, mean_of_defined

#: What is subtracted from the values: nothing, the mean of the runs for the query, or the value of one run.
HeatReference = Literal["nothing", "mean", "run"]

QueryOrder = Literal["given", "class", "mean", "hard", "spread", "agreement", "run"]
RunOrder = Literal["given", "mean", "worst", "query"]

#: Minimum range of the colour scale of a measure without a maximum, such as a count.
MIN_COLOUR_SPAN = 0.1


@dataclass(frozen=True, eq=False)
class HeatMap:
    """Values of a heat map in the order shown.

    Attributes
    ----------
    runs : (R,) int64, indices in `Scores.runs`, from the top.
    queries : (Q,) int64, indices in `Scores.queries`, from the left.
    values : (R, Q) float64, values or differences; NaN where undefined or missing.
    missing : (R, Q) bool, queries that a run has no results for.
    means : (R,) float64, mean of each run as in the tables; for differences, the difference of these means.
    low, high : limits of the colour scale: the range of the measure, so that colours of two benchmarks mean the same;
        without a maximum, up to the largest value; for differences symmetric about 0.
    """

    runs: NDArray[np.int64]
    queries: NDArray[np.int64]
    values: NDArray[np.float64]
    missing: NDArray[np.bool_]
    means: NDArray[np.float64]
    low: float
    high: float


def heat_map(
    scores: Scores,
    measure: str,
    *,
    reference: HeatReference = "nothing",
    baseline: int = 0,
    query_order: QueryOrder = "given",
    run_order: RunOrder = "given",
    sort_run: int = 0,
    sort_query: int = 0,
) -> HeatMap:
    """The heat map of one measure.

    Parameters
    ----------
    scores : of at least one run.
    measure : key of the measure.
    reference, baseline : what is subtracted from the values; `baseline` is the index in `Scores.runs` of the run.
    query_order : ``"given"``, as in the benchmark; ``"class"``; ``"mean"``, by `Scores.difficulty`, easiest first;
        ``"hard"``, the same, hardest first; ``"spread"``, standard deviation over the runs, largest first;
        ``"agreement"``, the same, smallest first; ``"run"``, by the values of `sort_run`, best first. NaN is last; ties
        are stable.
    run_order : ``"given"``, as in the benchmark; ``"mean"``, best first; ``"worst"``, the same, worst first;
        ``"query"``, by the values of `sort_query`, best first.
    sort_run, sort_query : index in `Scores.runs` or `Scores.queries` to sort by.
    """
    column = scores.column(measure)
    values = scores.values[:, :, column]
    sign = -1.0 if scores.measures[column].better == "lower" else 1.0
    means = scores.mean()[:, column]
    rows = _run_order(means, values[:, sort_query], sign, run_order)
    columns = (
        _descending(sign * values[sort_run]) if query_order == "run" else _query_order(scores, column, query_order)
    )
    shown = _relative(values, reference, baseline)
    low, high = _limits(shown, scores.measures[column].range, reference)
    grid = np.ix_(rows, columns)
    totals = _relative(means[:, None], reference, baseline)[:, 0]
    return HeatMap(rows, columns, shown[grid], scores.missing[grid], totals[rows], low, high)


def _run_order(means: NDArray[np.float64], values: NDArray[np.float64], sign: float, by: RunOrder) -> NDArray[np.int64]:
    if by == "given":
        return np.arange(len(means))
    return _descending(sign * values) if by == "query" else _descending((-sign if by == "worst" else sign) * means)


def _query_order(scores: Scores, column: int, by: QueryOrder) -> NDArray[np.int64]:
    if by == "class":
        labels = np.where(scores.query_labels < 0, np.iinfo(np.int32).max, scores.query_labels)
        return np.argsort(labels, kind="stable")
    if by in ("mean", "hard"):
        return _descending((-1.0 if by == "mean" else 1.0) * scores.difficulty(column))
    if by in ("spread", "agreement"):
        return _descending((1.0 if by == "spread" else -1.0) * spread_over_runs(scores.values[:, :, column]))
    return np.arange(len(scores.queries))


def spread_over_runs(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """(Q,) float64, standard deviation (divisor n) over the runs of (R, Q) values; NaN for fewer than two values."""
    centred = values - mean_of_defined(values, axis=0)
    defined = (~np.isnan(values)).sum(axis=0) > 1
    return np.where(defined, np.sqrt(mean_of_defined(centred**2, axis=0)), np.nan)


def _relative(values: NDArray[np.float64], reference: HeatReference, baseline: int) -> NDArray[np.float64]:
    if reference == "mean":
        return values - mean_of_defined(values, axis=0)
    if reference == "run":
        return values - values[baseline]
    return values


def _limits(
    shown: NDArray[np.float64], value_range: tuple[float, float], reference: HeatReference
) -> tuple[float, float]:
    largest = float(np.nanmax(np.abs(shown))) if np.isfinite(shown).any() else 1.0
    if reference != "nothing":
        return -(largest or 1.0), largest or 1.0
    low, high = value_range
    return low, max(largest, high if isfinite(high) else low + MIN_COLOUR_SPAN)


def _descending(keys: NDArray[np.float64]) -> NDArray[np.int64]:
    """Indices in descending order of the keys, NaN last; stable."""
    return np.argsort(np.where(np.isnan(keys), np.inf, -keys), kind="stable")
