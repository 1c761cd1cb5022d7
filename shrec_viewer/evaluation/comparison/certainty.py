"""How sure the order of the runs is: places in resamples of the queries, bounds of ranks, and pairs of runs."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import ShrecViewerError
from shrec_viewer.evaluation.choices import RESAMPLES, ROPE, SEED, Resample
from shrec_viewer.evaluation.comparison.comparable import Incomparable, incomparable_pairs, incomparable_text
from shrec_viewer.evaluation.comparison.comparison import (
    ResamplingUnit,
    measure_column,
    resampling_clusters,
    tested_values,
)
from shrec_viewer.evaluation.evaluate import make_checkpoint, never_cancelled
from shrec_viewer.evaluation.score_tables import finite_or_none
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.formats.core.findings_log import count_of
from shrec_viewer.metrics import ResolvedMeasure
from shrec_viewer.metrics.statistics.bootstrap import ResampledMeans, resampled_means
from shrec_viewer.metrics.statistics.certainty import (
    first_place_shares,
    is_equivalent,
    places_of,
    queries_needed,
    rank_bounds,
    rank_intervals,
    share_above,
)
from shrec_viewer.metrics.statistics.significance import (
    SCORE_TOLERANCE,
    SIGNIFICANCE_LEVEL,
    AllPairs,
    SignificanceGroups,
    WinTieLoss,
    effect_size,
    group_runs,
    randomised_tukey,
    win_tie_loss,
)
from shrec_viewer.number_format import format_value
from shrec_viewer.version import __version__

#: Name and version of the document; the version changes when a reader of it would fail.
CERTAINTY_SCHEMA = "shrec-viewer/certainty/1"

#: Queries needed for each query at hand from which two runs cannot be told apart.
APART_FACTOR = 10

#: Units below which the ends of intervals move by a tenth of the width with the seed.
FEW_UNITS = 10


@dataclass(frozen=True)
class PairCertainty:
    """Two runs, the better-placed one first.

    Attributes
    ----------
    a, b : names.
    difference, low, high : mean of a less that of b, and the interval of ``compare b a``.
    p : of the simultaneous test of all pairs.
    p_above : share of resamples in which a is better, equal ones half.
    effect_size : difference in standard deviations of the differences by query; NaN if they do not vary.
    win_tie_loss : number of queries for which a is better, equal and worse.
    equivalent : whether the difference is within the rope.
    queries_needed : queries that would tell them apart, if difference and spread are as observed; None for none.
    """

    a: str
    b: str
    difference: float
    low: float
    high: float
    p: float
    p_above: float
    effect_size: float
    win_tie_loss: WinTieLoss
    equivalent: bool
    queries_needed: int | None


@dataclass(frozen=True, eq=False)
class Certainty:
    """How sure the order of the runs by one measure is.

    Attributes
    ----------
    benchmark, profile : name and key.
    family : (R,) names of the runs, best first.
    measure : the measure.
    n_queries : number of queries in the means of all runs.
    unit, units, resamples, seed, rope : of the resamples.
    values : (R, n) float64, scores of these queries.
    means : (R,) float64, over these queries.
    ranks : (R,) int64, equal runs share the better one.
    places : (B, R) int64, place of each run in each resample.
    intervals, bounds : (R, 2) int64, rank interval, and sure bounds for all runs at once.
    p_best : (R,) share of resamples in first place.
    tested, groups : the simultaneous test, and the runs that it does not separate.
    pairs : all pairs, in the order of the runs.
    incomparable : pairs whose difference says nothing about two methods.
    """

    benchmark: str
    profile: str
    family: tuple[str, ...]
    measure: ResolvedMeasure
    n_queries: int
    unit: ResamplingUnit
    units: int
    resamples: int
    seed: int
    rope: float
    values: NDArray[np.float64]
    means: NDArray[np.float64]
    ranks: NDArray[np.int64]
    places: NDArray[np.int64]
    intervals: NDArray[np.int64]
    bounds: NDArray[np.int64]
    p_best: NDArray[np.float64]
    tested: AllPairs
    groups: SignificanceGroups
    pairs: tuple[PairCertainty, ...]
    incomparable: tuple[Incomparable, ...]

    @property
    def resampling(self) -> str:
        """``"queries"`` or ``"classes"``."""
        return "classes" if self.unit == "class" else "queries"

    def can_tell_apart(self, pair: PairCertainty) -> bool:
        """Whether at most ten times the queries at hand would tell two runs apart."""
        return pair.queries_needed is not None and pair.queries_needed <= APART_FACTOR * self.n_queries


def order_certainty(
    scores: Scores,
    measure: str | None = None,
    *,
    resample: Resample = "auto",
    resamples: int = RESAMPLES,
    seed: int = SEED,
    rope: float = ROPE,
    difference: float | None = None,
    cancelled: Callable[[], bool] = never_cancelled,
) -> Certainty:
    """How sure the order of the runs is, over the queries that are in the means of all of them.

    Parameters
    ----------
    scores : of the family of runs.
    measure : key; None for the headline of the profile, or the first measure if that was not evaluated.
    resample, resamples, seed : see `Resample`; the same draws for all runs, those of `compare`.
    rope : difference up to which two runs are practically equivalent.
    difference : what `PairCertainty.queries_needed` tells apart; None for the observed difference of each pair.
    cancelled : called between blocks of work.

    Raises
    ------
    Cancelled
        If `cancelled` returned True.
    ShrecViewerError
        If the measure is no mean over queries or has no better direction, or there are no runs or fewer than two
        queries in the means of all.
    """
    column = measure_column(scores, measure)
    resolved, checkpoint = scores.measures[column], make_checkpoint(cancelled)
    if resolved.better == "none":
        raise ShrecViewerError(
            f"neither higher nor lower values of {resolved.key} are better: runs cannot be ranked by it"
        )
    if not scores.runs:
        raise ShrecViewerError(f"'{scores.benchmark.name}' has no runs to rank")
    table = tested_values(scores, column)
    in_all = ~np.any(np.isnan(table), axis=0)
    unit, clusters = resampling_clusters(scores, in_all, resample)
    if len(set(range(in_all.sum())) if clusters is None else set(clusters.tolist())) < 2:
        raise ShrecViewerError(
            f"fewer than two {'queries' if clusters is None else 'classes'} are in the means of all runs: there is "
            "nothing to resample"
        )
    higher = resolved.better == "higher"
    heights = table[:, in_all].mean(axis=1) * (1.0 if higher else -1.0)
    order = np.argsort(-heights, kind="stable").tolist()
    # Before the runs are sorted, as in `run_significance`: the shuffles depend on their order.
    tested = randomised_tukey(table[:, in_all], seed=seed, checkpoint=checkpoint)
    tested = replace(tested, means=tested.means[order], p=tested.p[np.ix_(order, order)])
    scores, values = scores.select_runs(order), table[order][:, in_all]
    drawn = resampled_means(values, clusters, resamples=resamples, seed=seed, checkpoint=checkpoint)
    means = values.mean(axis=1)
    places = places_of(drawn.means, higher_is_better=higher)
    pairs = _pairs(scores.runs, values, drawn, tested, resolved, rope, difference, checkpoint)
    return Certainty(
        benchmark=scores.benchmark.name,
        profile=scores.profile.key,
        family=scores.runs,
        measure=resolved,
        n_queries=values.shape[1],
        unit=unit,
        units=len(drawn.sizes),
        resamples=resamples,
        seed=seed,
        rope=rope,
        values=values,
        means=means,
        ranks=places_of(means, higher_is_better=higher),
        places=places,
        intervals=rank_intervals(places),
        bounds=rank_bounds(means, tested.p, higher_is_better=higher),
        p_best=first_place_shares(places),
        tested=tested,
        groups=group_runs(means, tested.p, higher_is_better=higher),
        pairs=tuple(pairs),
        incomparable=incomparable_pairs(scores, resolved.key),
    )


def selected_family(scores: Scores, names: Sequence[str]) -> Scores:
    """The runs of these names in the order of `scores`, on which random shuffles depend; all without any."""
    rows = sorted({scores.run_index(name) for name in names}) or list(range(len(scores.runs)))
    return scores if len(rows) == len(scores.runs) else scores.select_runs(rows)


def family_of(scores: Scores, names: tuple[str, ...] = ()) -> Scores:
    """The runs whose order is judged: those of these names; without any all but virtual runs, if there are others."""
    virtual = {run.name for run in scores.benchmark.runs if run.expression}
    return selected_family(scores, names or tuple(name for name in scores.runs if name not in virtual))


def _pairs(
    runs: tuple[str, ...],
    values: NDArray[np.float64],
    drawn: ResampledMeans,
    tested: AllPairs,
    measure: ResolvedMeasure,
    rope: float,
    difference: float | None,
    checkpoint: Callable[[], None],
) -> Iterator[PairCertainty]:
    higher = measure.better == "higher"
    for a in range(len(runs)):
        checkpoint()
        for b in range(a + 1, len(runs)):
            weights = np.zeros(len(runs))
            weights[a], weights[b] = 1.0, -1.0
            interval, by_query, resampled = drawn.interval(weights), values[a] - values[b], drawn.means @ weights
            spread = float(by_query.std(ddof=1))
            wanted = interval.mean if difference is None else difference
            is_varied = spread > SCORE_TOLERANCE
            needed = queries_needed(wanted / spread if is_varied else np.inf if abs(wanted) > SCORE_TOLERANCE else 0.0)
            yield PairCertainty(
                runs[a],
                runs[b],
                interval.mean,
                interval.low,
                interval.high,
                float(tested.p[a, b]),
                share_above(resampled if higher else -resampled),
                effect_size(by_query),
                win_tie_loss(by_query, higher_is_better=higher),
                is_equivalent(resampled, rope),
                needed,
            )


def leader_sentence(found: Certainty) -> str:
    """The best run, and which ones it is not significantly different from; "" for a single run.

    ``"H1 leads with AP 0.264; not significantly different from G1, F2."``
    """
    if len(found.family) < 2:
        return ""
    best, *others = found.family
    alike = [name for name, p in zip(others, found.tested.p[0, 1:], strict=True) if not p <= SIGNIFICANCE_LEVEL]
    leads = f"{best} leads with {found.measure.key} {format_value(float(found.means[0]))}"
    if not alike:
        return f"{leads}; significantly better than all others."
    return f"{leads}; not significantly different from {', '.join(alike)}."


def order_sentence(found: Certainty) -> str:
    """How sure the order is, in one sentence, for all that print it: about the first two runs that are not separated.

    ``"B2 and G1 share places 1 to 5; 424,569 queries would be needed to tell them apart"``. "" for a single run.
    """
    if len(found.family) < 2:
        return ""
    neighbours = {(pair.a, pair.b): pair for pair in found.pairs}
    for first in range(len(found.family) - 1):
        pair = neighbours[found.family[first], found.family[first + 1]]
        if pair.p > SIGNIFICANCE_LEVEL:
            both = found.intervals[first : first + 2]
            low, high = int(both[:, 0].min()), int(both[:, 1].max())
            places = f"places {low} to {high}" if low < high else f"place {low}"
            if pair.queries_needed is None:
                return f"{pair.a} and {pair.b} share {places}: their means are equal."
            needed = f"{count_of(pair.queries_needed, 'query', 'queries')} would be needed to tell them apart"
            return f"{pair.a} and {pair.b} share {places}; {needed}."
    return f"Each run differs significantly from the next one in the order by {found.measure.key}."


def certainty_notes(found: Certainty) -> tuple[str, ...]:
    """What must be said with the numbers: the order, what was resampled, the family, few units, and copies."""
    units = count_of(found.units, "query", "queries") if found.unit == "query" else f"{found.units:,} classes"
    share = f"Places and shares: {found.resamples:,} resamples of the {units}, seed {found.seed}"
    parts = [
        order_sentence(found),
        f"{share}; if other queries of the same kind had been drawn. A share of first places is no probability to be "
        "the best method: it is too large in a close field. Sure bounds (randomised Tukey HSD of all pairs, 5 %) hold "
        "for all runs at once.",
        f"Family: {count_of(len(found.family), 'run')}, {count_of(found.n_queries, 'query', 'queries')}; each further "
        "run widens the bounds.",
    ]
    if found.units < FEW_UNITS:
        parts.append(f"The intervals are rough: there are only {units}.")
    return tuple(filter(None, (*parts, incomparable_text(found.incomparable, found.measure.key))))


def certainty_document(found: Certainty) -> dict[str, Any]:
    """Document of ``certainty --format json``: plain dicts, lists, strings and numbers, None for NaN."""
    return {
        "schema": CERTAINTY_SCHEMA,
        "version": __version__,
        "benchmark": found.benchmark,
        "profile": found.profile,
        "measure": found.measure.key,
        "resampling": found.resampling,
        "units": found.units,
        "queries": found.n_queries,
        "resamples": found.resamples,
        "seed": found.seed,
        "rope": found.rope,
        "family": list(found.family),
        "sentence": order_sentence(found),
        "runs": [
            {
                "name": name,
                "mean": finite_or_none(float(found.means[run])),
                "rank": int(found.ranks[run]),
                "rank_interval": found.intervals[run].tolist(),
                "rank_bounds": found.bounds[run].tolist(),
                "p_best": finite_or_none(float(found.p_best[run])),
                "group": found.groups.letters[run],
            }
            for run, name in enumerate(found.family)
        ],
        "pairs": [
            {
                "a": pair.a,
                "b": pair.b,
                "difference": finite_or_none(pair.difference),
                "interval": [finite_or_none(pair.low), finite_or_none(pair.high)],
                "p_above": finite_or_none(pair.p_above),
                "effect_size": finite_or_none(pair.effect_size),
                "wins": pair.win_tie_loss.better,
                "ties": pair.win_tie_loss.equal,
                "losses": pair.win_tie_loss.worse,
                "equivalent": pair.equivalent,
                "queries_needed": pair.queries_needed,
            }
            for pair in found.pairs
        ],
        "not_comparable": [{"a": pair.a, "b": pair.b, "reason": pair.reason} for pair in found.incomparable],
    }
