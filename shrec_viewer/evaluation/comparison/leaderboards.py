"""Leaderboards, orders of the runs by a measure, and the rank correlation of two of them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Benchmark, Finding, PublishedTable, ShrecViewerError
from shrec_viewer.evaluation.comparison.published import published_columns
from shrec_viewer.evaluation.score_tables import ScoreRows, finite_or_none
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.metrics import Profile, ResolvedMeasure, UnknownKeyError, find_measure, kendall_tau, tau_ap
from shrec_viewer.metrics.statistics.bootstrap import EQUAL_MEANS
from shrec_viewer.version import __version__

#: Name and version of the document; the version changes when a reader of it would fail.
CORRELATION_SCHEMA = "shrec-viewer/correlation/1"


@dataclass(frozen=True, eq=False)
class Leaderboard:
    """The runs and their scores by one measure.

    Attributes
    ----------
    measure : key of the measure, or title of the column of a file.
    source : key of the profile, or name of the file.
    runs : (R,) names.
    values : (R,) float64, higher is better: negative scores of a measure whose lower values are better. NaN undefined.
    """

    measure: str
    source: str
    runs: tuple[str, ...]
    values: NDArray[np.float64]


@dataclass(frozen=True)
class LeaderboardCorrelation:
    """Rank correlation of two leaderboards.

    Attributes
    ----------
    first, second : the leaderboards.
    runs : number of runs that have a score in both.
    tau : Kendall's tau-b.
    tau_ap, tau_ap_reversed : AP correlation of `second` with `first` as the truth, and the other way round. All NaN
        where undefined.
    """

    first: Leaderboard
    second: Leaderboard
    runs: int
    tau: float
    tau_ap: float
    tau_ap_reversed: float


def leaderboards(scores: Scores) -> list[Leaderboard]:
    """The leaderboards by mean scores, of all measures of which higher or lower values are better."""
    return [
        leaderboard(measure, scores.profile.key, scores.runs, values)
        for measure, values in zip(scores.measures, scores.mean().T, strict=True)
        if measure.better != "none"
    ]


def leaderboard(
    measure: ResolvedMeasure, source: str, runs: tuple[str, ...], values: NDArray[np.float64]
) -> Leaderboard:
    """The leaderboard by the scores of a measure, (R,) float64."""
    return Leaderboard(measure.key, source, runs, -values if measure.better == "lower" else values)


def ranks_of(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """(R,) 1-based ranks by values, higher is better; equal values share the better rank, NaN are last.

    Examples
    --------
    >>> ranks_of(np.array([0.5, np.nan, 0.7, 0.5])).tolist()
    [2, 4, 1, 2]
    """
    filled = np.where(np.isnan(values), -np.inf, values)
    return len(filled) + 1 - np.searchsorted(np.sort(filled), filled + EQUAL_MEANS, "right").astype(np.int64)


def correlate(first: Leaderboard, second: Leaderboard) -> LeaderboardCorrelation:
    """Rank correlation of two leaderboards, over the runs that have a score in both.

    Sources: Kendall 1945; Yilmaz, Aslam, Robertson 2008. See `kendall_tau` and `tau_ap`.

    Examples
    --------
    >>> runs = ("A", "B", "C", "D")
    >>> ours = Leaderboard("AP", "default", runs, np.array([4.0, 3.0, 2.0, 1.0]))
    >>> found = correlate(ours, Leaderboard("AP", "trec", runs, np.array([3.0, 4.0, 2.0, 1.0])))
    >>> found.runs, round(found.tau, 3), round(found.tau_ap, 3)
    (4, 0.667, 0.333)
    """
    others = dict(zip(second.runs, second.values.tolist(), strict=True))
    x = first.values
    y = np.array([others.get(run, math.nan) for run in first.runs], np.float64)
    both = int((~np.isnan(x) & ~np.isnan(y)).sum())
    return LeaderboardCorrelation(first, second, both, kendall_tau(x, y), tau_ap(x, y), tau_ap(y, x))


def correlate_all(boards: Sequence[Leaderboard]) -> list[LeaderboardCorrelation]:
    """Rank correlations of all pairs."""
    return [correlate(first, second) for first, second in combinations(boards, 2)]


def correlate_with(board: Leaderboard, others: Sequence[Leaderboard]) -> list[LeaderboardCorrelation]:
    """Rank correlations of one leaderboard with others, without itself."""
    return [correlate(board, other) for other in others if other is not board]


def correlate_same_measures(
    boards: Sequence[Leaderboard], others: Sequence[Leaderboard]
) -> list[LeaderboardCorrelation]:
    """Rank correlations of the leaderboards of the same measure from two sources.

    If `others` is one leaderboard that is not named after a measure, it is compared with all.
    """
    if len(others) == 1 and not is_measure(others[0].measure):
        return [correlate(board, others[0]) for board in boards]
    by_measure = {other.measure: other for other in others}
    return [correlate(board, by_measure[board.measure]) for board in boards if board.measure in by_measure]


def published_leaderboards(table: PublishedTable) -> tuple[list[Leaderboard], tuple[Finding, ...]]:
    """The leaderboards in a published table, and findings about it; see `published_columns`.

    Columns named after a measure have its polarity; of all others, higher values are better.
    """
    columns, findings = published_columns(table)
    boards = [
        Leaderboard(column.title, table.source, table.names, column.values)
        if column.measure is None
        else leaderboard(column.measure, table.source, table.names, column.values)
        for column in columns
    ]
    return boards, tuple(findings)


def is_measure(name: str) -> bool:
    """Whether a name is that of a measure."""
    try:
        return bool(find_measure(name))
    except UnknownKeyError:
        return False


def require_common_runs(boards: Sequence[Leaderboard], others: Sequence[Leaderboard]) -> tuple[str, ...]:
    """Runs of `others` that `boards` lack; ShrecViewerError if fewer than two are in both."""
    ours = {run for board in boards for run in board.runs}
    theirs = dict.fromkeys(run for board in others for run in board.runs)
    if sum(run in ours for run in theirs) < 2:
        raise ShrecViewerError(
            f"the leaderboards have fewer than two runs in common: {', '.join(sorted(ours)) or 'none'} and "
            f"{', '.join(theirs) or 'none'}"
        )
    return tuple(run for run in theirs if run not in ours)


def correlation_rows(found: Sequence[LeaderboardCorrelation]) -> ScoreRows:
    """One row per pair of leaderboards, each with measure and source."""
    header = ("measure_1", "source_1", "measure_2", "source_2", "runs", "tau", "tau_ap", "tau_ap_reversed")
    rows = [
        (c.first.measure, c.first.source, c.second.measure, c.second.source, c.runs,
         *map(finite_or_none, (c.tau, c.tau_ap, c.tau_ap_reversed)))
        for c in found
    ]  # fmt: skip
    return ScoreRows(header, tuple(rows))


def correlation_document(
    found: Sequence[LeaderboardCorrelation], profile: Profile, benchmark: Benchmark
) -> dict[str, Any]:
    """Document of ``correlate --format json``: plain dicts, lists, strings and numbers, None for NaN."""
    return {
        "schema": CORRELATION_SCHEMA,
        "version": __version__,
        "benchmark": benchmark.name,
        "profile": profile.key,
        **({"conventions": dict(profile.changes)} if profile.changes else {}),
        "correlations": [
            {
                "first": {"measure": c.first.measure, "source": c.first.source},
                "second": {"measure": c.second.measure, "source": c.second.source},
                "runs": c.runs,
                "tau": finite_or_none(c.tau),
                "tau_ap": finite_or_none(c.tau_ap),
                "tau_ap_reversed": finite_or_none(c.tau_ap_reversed),
            }
            for c in found
        ],
    }
