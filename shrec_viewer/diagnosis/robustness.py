"""How the ranking of the runs depends on conventions: scores under every profile and every single convention."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Benchmark, ShrecViewerError
from shrec_viewer.evaluation.comparison.leaderboards import Leaderboard, correlate, ranks_of
from shrec_viewer.evaluation.evaluate import evaluate, make_checkpoint, never_cancelled
from shrec_viewer.evaluation.score_tables import finite_or_none
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.metrics import CONVENTIONS, Profile, ResolvedMeasure, find_measure, profile_table, with_convention
from shrec_viewer.metrics.profiles.conventions import Convention, ConventionSetting, value_key
from shrec_viewer.metrics.ranking.hit_table import TieOrder
from shrec_viewer.metrics.statistics.bootstrap import EQUAL_MEANS
from shrec_viewer.version import __version__

#: Name and version of the document; the version changes when a reader of it would fail.
ROBUSTNESS_SCHEMA = "shrec-viewer/robustness/1"


@dataclass(frozen=True, eq=False)
class ConventionVariant:
    """The leaderboard after one change of the conventions.

    Attributes
    ----------
    key : the change: ``profile=psb``, ``ties=optimistic``, ``list_cut=100``, ``measure=NN``, ``mean=classes``.
    label : the same for display.
    values : (R,) float64, means of the runs, higher is better.
    tau, tau_ap : rank correlation with the leaderboard under the present conventions.
    """

    key: str
    label: str
    values: NDArray[np.float64]
    tau: float = float("nan")
    tau_ap: float = float("nan")


@dataclass(frozen=True)
class PairOrder:
    """Two runs, the better one under the present conventions first.

    Attributes
    ----------
    a, b : names.
    changed_by : keys of the variants that reverse their order; empty for a settled pair.
    """

    a: str
    b: str
    changed_by: tuple[str, ...]

    @property
    def settled(self) -> bool:
        """Whether no variant changes the order."""
        return not self.changed_by


@dataclass(frozen=True, eq=False)
class Robustness:
    """The ranking of the runs under all variants of the conventions.

    Attributes
    ----------
    benchmark, profile, measure : what was examined.
    runs : (R,) names, in the order of the benchmark.
    values : (R,) float64, means under the present conventions, higher is better.
    variants : every variant that the data allow.
    ranks : (R,) int64, 1-based rank of each run; equal runs share the better one, undefined ones are last.
    intervals : (R, 2) int64, best and worst rank over the present conventions and all variants.
    pairs : all pairs of runs, those that change order most often last.
    """

    benchmark: Benchmark
    profile: Profile
    measure: ResolvedMeasure
    runs: tuple[str, ...]
    values: NDArray[np.float64]
    variants: tuple[ConventionVariant, ...]
    ranks: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    intervals: NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 2), np.int64))
    pairs: tuple[PairOrder, ...] = ()

    def changes_of(self, key: str) -> tuple[PairOrder, ...]:
        """Pairs that a variant reverses."""
        return tuple(pair for pair in self.pairs if key in pair.changed_by)


def examine_robustness(
    benchmark: Benchmark,
    profile: Profile,
    measure: str | None = None,
    *,
    runs: Sequence[str] | None = None,
    cancelled: Callable[[], bool] = never_cancelled,
    progress: Callable[[int, int, str], None] | None = None,
) -> Robustness:
    """Rank the runs under every profile and under every single convention that the data allow.

    Parameters
    ----------
    benchmark : with an assessment and runs.
    profile : present conventions, of which one is changed at a time.
    measure : key; None for the main measure of the profile.
    runs : names of those that are ranked; None for all.
    cancelled, progress : as in `evaluate`.

    Raises
    ------
    Cancelled
        If `cancelled` returned True.
    ShrecViewerError
        If there is no assessment or no run, or higher values of the measure are neither better nor worse.
    """
    found = find_measure(measure or profile.headline)
    if found.better == "none":
        raise ShrecViewerError(
            f"neither higher nor lower values of {found.key} are better: runs cannot be ranked by it"
        )
    if benchmark.assessment is not None and not benchmark.runs:
        raise ShrecViewerError(f"'{benchmark.name}' has no runs to rank")
    checkpoint = make_checkpoint(cancelled)
    table = [found.key, *(key for key in profile.measures if find_measure(key).better != "none")]
    base = evaluate(benchmark, profile, runs=runs, measures=list(dict.fromkeys(table)), cancelled=cancelled)
    tasks = [*_settings(benchmark, profile, base)]
    variants = [*_of_measures(base), *_of_classes(base)]
    for done, (key, label, conventions, ties) in enumerate(tasks):
        checkpoint()
        if progress is not None:
            progress(done, len(tasks), "setting")
        scores = evaluate(
            benchmark, conventions, runs=runs, measures=[found.key], ties=ties,
            previous=base if ties == "profile" else None, cancelled=cancelled,
        )  # fmt: skip
        variants.append(ConventionVariant(key, label, _signed(scores.mean()[:, 0], found)))
    values = _signed(base.mean()[:, 0], found)
    board = Leaderboard(found.key, profile.key, base.runs, values)
    correlated = []
    for variant in variants:
        pair = correlate(board, Leaderboard(found.key, variant.key, base.runs, variant.values))
        correlated.append(ConventionVariant(variant.key, variant.label, variant.values, pair.tau, pair.tau_ap))
    all_ranks = np.array([ranks_of(values), *(ranks_of(variant.values) for variant in variants)])
    return Robustness(
        benchmark,
        profile,
        found,
        base.runs,
        values,
        tuple(correlated),
        all_ranks[0],
        np.stack([all_ranks.min(axis=0), all_ranks.max(axis=0)], axis=1),
        _pair_orders(base.runs, values, correlated),
    )


def _signed(means: NDArray[np.float64], measure: ResolvedMeasure) -> NDArray[np.float64]:
    return -means if measure.better == "lower" else means


def _settings(benchmark: Benchmark, profile: Profile, base: Scores) -> Iterator[tuple[str, str, Profile, TieOrder]]:
    """Key, label, conventions and order of ties of each variant that ranks or measures again."""
    origin = profile.changed_from or profile
    for other in profile_table():
        if other.key != origin.key or profile.changes:
            yield f"profile={other.key}", f"Profile: {other.title}", other, "profile"
    if any(anomalies.tied.any() for anomalies in base.anomalies):
        yield "ties=optimistic", "Ties: best order for the run", profile, "optimistic"
        yield "ties=pessimistic", "Ties: worst order for the run", profile, "pessimistic"
    for convention in CONVENTIONS:
        for allowed in convention.values:
            value = allowed.value
            if value == getattr(profile, convention.field) or not _is_allowed(benchmark, base, convention, value):
                continue
            changed = with_convention(profile, convention.field, value)
            yield f"{convention.field}={value_key(value)}", f"{convention.label}: {allowed.label}", changed, "profile"


def _is_allowed(benchmark: Benchmark, base: Scores, convention: Convention, value: ConventionSetting) -> bool:
    """Whether the data allow a value of a convention; those that change no mean of such data are left out."""
    assert benchmark.assessment is not None
    levels = benchmark.assessment.levels
    if convention.field in ("average", "classes"):
        return False  # which means are displayed; means over classes are a variant
    if convention.field == "self_match":
        return bool(np.any(benchmark.queries.member >= 0))
    if convention.field == "junk":
        return benchmark.assessment.has_junk
    if convention.field == "relevant_from":
        return isinstance(value, int) and value <= max(levels, default=1)
    if convention.field == "missing_query":
        return bool(base.missing.any())
    if convention.field == "no_relevant":
        return any(bool(np.any(hits.relevant_size(1) == 0)) for hits in base.hits)
    if convention.field == "list_cut":
        return value is None or (isinstance(value, int) and value < len(benchmark.collection))
    return True


def _of_measures(base: Scores) -> Iterator[ConventionVariant]:
    for column, measure in enumerate(base.measures[1:], start=1):
        values = _signed(base.mean()[:, column], measure)
        if not np.isnan(values).all():
            yield ConventionVariant(f"measure={measure.key}", f"Measure: {measure.label}", values)


def _of_classes(base: Scores) -> Iterator[ConventionVariant]:
    values = _signed(base.class_mean()[:, 0], base.measures[0])
    if not np.isnan(values).all():
        yield ConventionVariant("mean=classes", "Mean over classes", values)


def _pair_orders(
    runs: tuple[str, ...], values: NDArray[np.float64], variants: list[ConventionVariant]
) -> tuple[PairOrder, ...]:
    order = np.argsort(-np.where(np.isnan(values), -np.inf, values), kind="stable").tolist()
    pairs = []
    for index, a in enumerate(order):
        for b in order[index + 1 :]:
            if np.isnan(values[a]) or np.isnan(values[b]):
                continue
            is_equal = abs(values[a] - values[b]) <= EQUAL_MEANS
            changed_by = tuple(
                variant.key
                for variant in variants
                if variant.values[b] > variant.values[a] + EQUAL_MEANS
                or (is_equal and variant.values[a] > variant.values[b] + EQUAL_MEANS)
            )
            pairs.append(PairOrder(runs[a], runs[b], changed_by))
    return tuple(sorted(pairs, key=_number_of_changes))


def _number_of_changes(pair: PairOrder) -> int:
    return len(pair.changed_by)


def robustness_document(found: Robustness) -> dict[str, Any]:
    """Document of ``robustness --format json``; runs and pairs are in the order of the present ranking."""
    order = np.argsort(found.ranks, kind="stable").tolist()
    index = {found.runs[run]: position for position, run in enumerate(order)}
    pairs = sorted(found.pairs, key=lambda pair: (index[pair.a], index[pair.b]))
    return {
        "schema": ROBUSTNESS_SCHEMA,
        "version": __version__,
        "benchmark": found.benchmark.name,
        "profile": found.profile.key,
        "measure": found.measure.key,
        "runs": [
            {
                "name": found.runs[run],
                "rank": int(found.ranks[run]),
                "rank_interval": found.intervals[run].tolist(),
                "mean": finite_or_none(-found.values[run] if found.measure.better == "lower" else found.values[run]),
            }
            for run in order
        ],
        "pairs": [
            {"a": pair.a, "b": pair.b, "settled": pair.settled, "changed_by": list(pair.changed_by)} for pair in pairs
        ],
        "variants": [
            {
                "key": variant.key,
                "label": variant.label,
                "tau": finite_or_none(variant.tau),
                "tau_ap": finite_or_none(variant.tau_ap),
                "pairs_changed": len(found.changes_of(variant.key)),
            }
            for variant in found.variants
        ],
    }
