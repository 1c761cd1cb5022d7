"""Compare two runs: differences, intervals, tests, changed queries, and rank changes in the lists of a query."""

import math
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shrec_viewer.domain import Benchmark, ShrecViewerError
from shrec_viewer.evaluation.choices import Resample
from shrec_viewer.evaluation.comparison.comparable import Incomparable, incomparable_pairs, incomparable_text
from shrec_viewer.evaluation.ranked_list import RankedList
from shrec_viewer.evaluation.score_tables import finite_or_none, measure_record
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.metrics import ResolvedMeasure
from shrec_viewer.metrics.statistics.bootstrap import (
    RESAMPLES,
    SEED,
    ConfidenceInterval,
    bootstrap_interval,
    resampling_unit,
)
from shrec_viewer.metrics.statistics.significance import (
    RANDOMISATIONS,
    SCORE_TOLERANCE,
    PairedTest,
    WinTieLoss,
    effect_size,
    randomisation_test,
    win_tie_loss,
)
from shrec_viewer.number_format import format_p_value, format_percent
from shrec_viewer.version import __version__

COMPARISON_SCHEMA = "shrec-viewer/comparison/1"
#: Name and version of the document; the version changes with every incompatible change.
COMPARISONS_SCHEMA = "shrec-viewer/comparisons/1"

#: Number of queries with the largest gain, and with the largest loss, that are listed.
SHOWN_QUERIES = 5

#: Unit that a bootstrap resampled.
ResamplingUnit = Literal["query", "class"]


@dataclass(frozen=True)
class QueryChange:
    """One query in both runs: its id, both values, and the difference, second minus first."""

    query: str
    a: float
    b: float
    change: float


@dataclass(frozen=True)
class Comparison:
    """Comparison of two runs on one measure, over the queries for which both have a value in the mean.

    Attributes
    ----------
    run_a, run_b : names. Every difference is b minus a.
    measure : the measure.
    n : number of queries compared.
    mean_a, mean_b : confidence intervals of the means over these queries.
    difference : confidence interval of the mean difference.
    test : paired randomisation test of the differences.
    effect : mean difference in standard deviations of the differences; NaN if they do not vary.
    win_tie_loss : number of queries for which b is better, equal, worse, and for which only one of the two has a value.
    better : name of the run with the better mean; None if the means are equal or no direction is better.
    unit : unit of the bootstrap.
    other_runs : number of further runs of the benchmark, for which the test of this pair is not corrected.
    gains, losses : queries with the largest improvements and deteriorations of b, largest first, without unchanged
        ones. If lower values are better, a gain is a negative difference.
    incomparable : why the difference says nothing about two methods; () where it does.
    """

    run_a: str
    run_b: str
    measure: ResolvedMeasure
    n: int
    mean_a: ConfidenceInterval
    mean_b: ConfidenceInterval
    difference: ConfidenceInterval
    test: PairedTest
    effect: float
    win_tie_loss: WinTieLoss
    better: str | None
    unit: ResamplingUnit
    other_runs: int
    gains: tuple[QueryChange, ...]
    losses: tuple[QueryChange, ...]
    incomparable: tuple[Incomparable, ...] = ()


def compare(
    scores: Scores,
    run_a: str,
    run_b: str,
    measure: str | None = None,
    *,
    resample: Resample = "auto",
    seed: int = SEED,
    shown: int = SHOWN_QUERIES,
) -> Comparison:
    """Compare run b with run a.

    A missing query counts as in the means of `Scores`: score 0 or excluded, depending on the profile. Queries for which
    only one of the two runs has a value are excluded and counted in `WinTieLoss.undefined`.

    Parameters
    ----------
    scores : with both runs and the measure.
    run_a, run_b : names; a is the baseline.
    measure : key; None for the headline of the profile, or the first measure if that was not evaluated.
    resample : see `Resample`.
    seed : of the random generators; the same seed gives the same result.
    shown : number of gains and of losses to list.

    Raises
    ------
    UnknownKeyError
        If there is no such run or the measure was not evaluated.
    ShrecViewerError
        If the measure is no mean over queries.
    """
    column = measure_column(scores, measure)
    row_a, row_b = scores.run_index(run_a), scores.run_index(run_b)
    values = tested_values(scores, column)[[row_a, row_b]]
    # Exactly one is NaN; queries that are undefined for both say nothing about the pair.
    n_undefined = int(np.sum(np.isnan(values[0]) != np.isnan(values[1])))
    has_both = ~np.any(np.isnan(values), axis=0)
    a, b = values[:, has_both]
    change = b - a
    # Of the compared queries only: a class whose queries are all excluded is no unit of resampling.
    unit, clusters = resampling_clusters(scores, has_both, resample)
    resolved = scores.measures[column]
    sign = -1.0 if resolved.better == "lower" else 1.0

    def interval(of: NDArray[np.float64]) -> ConfidenceInterval:
        return bootstrap_interval(of, clusters, resamples=RESAMPLES, seed=seed)

    counts = win_tie_loss(change, higher_is_better=sign > 0)
    difference = interval(change)
    return Comparison(
        run_a=run_a,
        run_b=run_b,
        measure=resolved,
        n=len(change),
        mean_a=interval(a),
        mean_b=interval(b),
        difference=difference,
        test=randomisation_test(change, randomisations=RANDOMISATIONS, seed=seed),
        effect=effect_size(change),
        win_tie_loss=WinTieLoss(counts.better, counts.equal, counts.worse, n_undefined),
        better=_better_run(resolved, run_a, run_b, difference.mean),
        unit=unit,
        other_runs=max(len(scores.benchmark.runs) - 2, 0),
        gains=_largest_changes(scores, has_both, a, b, sign, shown),
        losses=_largest_changes(scores, has_both, a, b, -sign, shown),
        incomparable=incomparable_pairs(scores.select_runs([row_a, row_b]), resolved.key),
    )


def measure_column(scores: Scores, measure: str | None) -> int:
    """Column of a measure; None for the headline of the profile, or the first measure if that was not evaluated."""
    if measure is None and scores.profile.headline not in {known.key for known in scores.measures}:
        return 0
    return scores.column(scores.profile.headline if measure is None else measure)


def tested_values(scores: Scores, column: int) -> NDArray[np.float64]:
    """(R, Q) contributions to the means; ShrecViewerError if the value of a run is no mean over queries."""
    measure = scores.measures[column]
    if not measure.is_mean:
        raise ShrecViewerError(
            f"{measure.key} is computed from all queries together, so runs have no differences by query to test; "
            "choose a measure that is a mean over queries"
        )
    return scores.values_in_mean[:, :, column]


def resampling_clusters(
    scores: Scores, queries: NDArray[np.bool_], resample: Resample
) -> tuple[ResamplingUnit, NDArray[np.int32] | None]:
    """Unit of resampling for the selected queries (Q,) bool, and their classes if the unit is the class."""
    labels = scores.query_labels[queries]
    unit: ResamplingUnit = resampling_unit(labels) if resample == "auto" else resample
    return unit, labels if unit == "class" else None


def _better_run(measure: ResolvedMeasure, run_a: str, run_b: str, difference: float) -> str | None:
    if measure.better == "none" or np.isnan(difference) or difference == 0:
        return None
    return run_b if (difference > 0) == (measure.better == "higher") else run_a


def _largest_changes(
    scores: Scores,
    has_both: NDArray[np.bool_],
    a: NDArray[np.float64],
    b: NDArray[np.float64],
    sign: float,
    shown: int,
) -> tuple[QueryChange, ...]:
    """The queries with the largest positive ``sign * (b - a)``; equal ones in the order of the queries."""
    names = [scores.queries[query] for query in np.flatnonzero(has_both)]
    change = sign * (b - a)
    # > 0, so that fewer than `shown` are listed rather than unchanged queries.
    largest = [int(i) for i in np.argsort(-change, kind="stable")[:shown] if change[i] > 0]
    return tuple(QueryChange(names[i], float(a[i]), float(b[i]), float(b[i] - a[i])) for i in largest)


def comparison_summary(comparison: Comparison) -> str:
    """The result in one sentence: difference, confidence interval and what it resamples, p-value and test, queries.

    Interval and test may disagree: with a few classes the interval is wide, or narrow by chance.
    """
    name, difference = comparison.measure.label, comparison.difference
    if comparison.n == 0:
        return f"{comparison.run_a} and {comparison.run_b} have no common query with a defined {name}."
    amount = (
        "as much as"
        if difference.mean == 0
        else f"{abs(difference.mean):.3f} {'more' if difference.mean > 0 else 'less'} than"
    )
    test = f"paired randomisation test of this pair alone over {comparison.n} queries"
    evidence = f"{format_p_value(comparison.test.p)}, {test}"
    if not math.isnan(difference.low):
        interval = f"{format_percent(difference.confidence)} confidence interval of the difference"
        drawn = f"by resampling {'classes' if comparison.unit == 'class' else 'queries'}"
        evidence = f"{interval} {difference.low:+.3f} to {difference.high:+.3f}, {drawn}; {evidence}"
    text = f"{comparison.run_b} scores {amount} {comparison.run_a} in {name} ({evidence})."
    return f"{text} {incomparable_text(comparison.incomparable, comparison.measure.key)}".strip()


def comparison_document(comparison: Comparison, scores: Scores, benchmark: Benchmark) -> dict[str, Any]:
    """Document of ``compare --format json``: plain dicts, lists, strings and numbers, None for NaN.

    Every difference is b minus a, in full precision; written by `score_tables.to_json`.
    """
    measure, test = comparison.measure, comparison.test
    return {
        "schema": COMPARISON_SCHEMA,
        "version": __version__,
        "benchmark": benchmark.name,
        "profile": scores.profile.key,
        "measure": measure_record(measure, scores.profile),
        "a": {"run": comparison.run_a, "mean": interval_record(comparison.mean_a)},
        "b": {"run": comparison.run_b, "mean": interval_record(comparison.mean_b)},
        "queries": comparison.n,
        "resampled": comparison.unit,
        "difference": interval_record(comparison.difference),
        "test": {
            "name": "paired randomisation",
            "p": finite_or_none(test.p),
            "exact": test.exact,
            "patterns": test.patterns,
            "seed": test.seed,
        },
        "effect": finite_or_none(comparison.effect),
        "tally": {
            "b_better": comparison.win_tie_loss.better,
            "equal": comparison.win_tie_loss.equal,
            "a_better": comparison.win_tie_loss.worse,
            "undefined": comparison.win_tie_loss.undefined,
        },
        "better": comparison.better,
        "not_comparable": [pair.reason for pair in comparison.incomparable],
        "gains": [_change_record(change) for change in comparison.gains],
        "losses": [_change_record(change) for change in comparison.losses],
    }


def interval_record(interval: ConfidenceInterval) -> dict[str, Any]:
    """Record of a confidence interval for JSON documents: value, limits, and parameters to reproduce it."""
    record = asdict(interval)
    return {
        "value": finite_or_none(record.pop("mean")),
        **{key: finite_or_none(value) if isinstance(value, float) else value for key, value in record.items()},
    }


def _change_record(change: QueryChange) -> dict[str, Any]:
    return {
        "query": change.query,
        "a": finite_or_none(change.a),
        "b": finite_or_none(change.b),
        "change": finite_or_none(change.change),
    }


#: Rank of a model that is not in a list.
NOT_LISTED = 0

#: Number of ranks on a first page of results; models that enter or leave these ranks are counted.
TOP = 10


@dataclass(frozen=True)
class RankShift:
    """A relevant model in both lists: its index in the collection, its level, its 1-based ranks (0: not listed)."""

    item: int
    level: int
    rank_a: int
    rank_b: int

    @property
    def moved_up(self) -> bool:
        """Whether its rank is better in the second list, or it is listed only there."""
        return self.rank_b != NOT_LISTED and (self.rank_a == NOT_LISTED or self.rank_b < self.rank_a)


def ranks_in(ranked_list: RankedList, items: NDArray[np.int32]) -> NDArray[np.int64]:
    """(n,) int64, 1-based rank of each of `items` in a list; `NOT_LISTED` if it is not there.

    Examples
    --------
    >>> import numpy as np
    >>> nothing = np.zeros(0, np.int32)
    >>> listed = np.array([7, 3, 9], np.int32)
    >>> ranked_list = RankedList(listed, np.zeros(3), np.zeros(3, np.uint8), np.zeros(3, bool), listed, False, nothing)
    >>> ranks_in(ranked_list, np.array([9, 4, 7], np.int32)).tolist()
    [3, 0, 1]
    """
    if not len(ranked_list.items) or not len(items):
        return np.zeros(len(items), np.int64)
    # Without sorting the list: of a million models that takes 0.2 s, at each change of the query.
    listed = np.flatnonzero(np.isin(ranked_list.items, items))
    if not len(listed):
        return np.zeros(len(items), np.int64)
    order = listed[np.argsort(ranked_list.items[listed], kind="stable")]
    ordered = ranked_list.items[order]
    found = np.minimum(np.searchsorted(ordered, items), len(ordered) - 1)
    return np.where((ordered[found] == items) & (items >= 0), order[found] + 1, NOT_LISTED).astype(np.int64)


def rank_shifts(a: RankedList, b: RankedList) -> tuple[RankShift, ...]:
    """Every relevant model in at least one of the lists, the largest shifts first.

    The size of a shift is the change of ``level / rank``: from 38 to 2 is large, from 938 to 902 is not. A model that
    is not listed has rank infinity. Equal shifts are ordered by rank in `b`.
    """
    items = np.unique(np.concatenate([a.items[a.levels > 0], b.items[b.levels > 0]])).astype(np.int32)
    ranks_a, ranks_b = ranks_in(a, items), ranks_in(b, items)
    levels = np.where(ranks_a > 0, a.levels[ranks_a - 1] if len(a) else 0, b.levels[ranks_b - 1] if len(b) else 0)
    size = np.abs(_reciprocal_ranks(ranks_b) - _reciprocal_ranks(ranks_a)) * levels
    order = np.lexsort((np.where(ranks_b > 0, ranks_b, np.iinfo(np.int64).max), -size))
    return tuple(RankShift(int(items[i]), int(levels[i]), int(ranks_a[i]), int(ranks_b[i])) for i in order)


def _reciprocal_ranks(ranks: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.where(ranks > 0, 1.0 / np.maximum(ranks, 1), 0.0)


def entering_top(a: RankedList, b: RankedList) -> tuple[int, int]:
    """Number of relevant models within the first ranks of `b` but not of `a`, and of `a` but not of `b`."""
    first_a, first_b = set(_relevant_in_top(a)), set(_relevant_in_top(b))
    return len(first_b - first_a), len(first_a - first_b)


def _relevant_in_top(ranked_list: RankedList) -> list[int]:
    return [int(item) for item in ranked_list.items[:TOP][ranked_list.levels[:TOP] > 0]]


def score_difference(before: ArrayLike, after: ArrayLike) -> NDArray[np.float64]:
    """Scores of run B (`after`) minus those of run A; 0 within `SCORE_TOLERANCE`, as in the counts of queries."""
    difference = np.asarray(after, np.float64) - np.asarray(before, np.float64)
    return np.where(np.abs(difference) <= SCORE_TOLERANCE, 0.0, difference)
