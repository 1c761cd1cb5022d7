"""Scores of runs, their means, and their range over the orders of ties."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Benchmark, DistanceMatrix, Run
from shrec_viewer.metrics import (
    CurveValues,
    HitTable,
    Profile,
    ResolvedMeasure,
    UnknownKeyError,
    find_curve,
    find_measure,
    textbook_profile,
)
from shrec_viewer.metrics.curves.averaging import CurveAveraging
from shrec_viewer.metrics.measures.measure import suggestion
from shrec_viewer.metrics.ranking.hit_table import ListAnomalies, TieOrder
from shrec_viewer.metrics.statistics.rank_sum import rank_sum_deviation
from shrec_viewer.read_only import ReadOnlyArrays, read_only, shared_array

#: Standard deviations within which a run is taken for random; 99.7 % of the random runs are.
RANDOM_DEVIATION = 3.0


def same_ranking(run: Run, one: Profile, other: Profile) -> bool:
    """Whether `run` has the same hits under both profiles; False if that is not certain."""
    return _normalised_profile(run, one).ranking == _normalised_profile(run, other).ranking


def _normalised_profile(run: Run, profile: Profile) -> Profile:
    """The profile with conventions that do not affect this run set to a fixed value."""
    if profile.list_cut is None:
        # Without a cutoff, what it counts has no effect.
        profile = replace(profile, cut_counts="places")
    if profile.ties == "index" and not _ties_by_index_differ(run):
        profile = replace(profile, ties="file")
    if isinstance(run.ranking, DistanceMatrix):
        # The treatment of unknown ids matters only where there are some.
        return profile if np.any(run.ranking.columns < 0) else replace(profile, unknown="drop")
    # Lists in the order of their lines use no distances, so NaN and +inf in them have no effect.
    return profile if run.ranking.by_score else replace(profile, not_a_number="last", infinite="rank")


def _ties_by_index_differ(run: Run) -> bool:
    """Whether equal distances can have another order than that of the collection."""
    if isinstance(run.ranking, DistanceMatrix):
        models = run.ranking.columns
        # Columns in the order of the collection: the order of the file and that of the index are the same.
        return bool(np.any(np.diff(models[models >= 0]) < 0))
    return run.ranking.by_score


#: Name of the run of ideal rankings in graphs.
IDEAL = "ideal"


@dataclass(frozen=True, eq=False)
class Scores(ReadOnlyArrays):
    """Scores by run, query and measure.

    Attributes
    ----------
    benchmark : what was evaluated.
    profile : conventions.
    ties : order of models at the same distance.
    measures : (M,) columns.
    runs, participants : (R,) names.
    queries : (Q,) ids.
    query_labels : (Q,) int32, class of each query for macro averages, -1 for none.
    raw_values : (R, Q, M) float64, values of the measures; NaN undefined. A missing query has those of an empty list;
        `values` has NaN there.
    hits : (R,) hit tables; curves are computed from them on demand.
    anomalies : (R,) anomalies in the lists of each run: ties, repeated and unknown models, NaN and infinite distances.
    excluded : (Q,) bool, queries that the profile excludes from every mean.
    are_bounds : whether these are best possible scores, which measures without a better direction do not have.
    """

    benchmark: Benchmark
    profile: Profile
    ties: TieOrder
    measures: tuple[ResolvedMeasure, ...]
    runs: tuple[str, ...]
    participants: tuple[str, ...]
    queries: tuple[str, ...]
    query_labels: NDArray[np.int32]
    raw_values: NDArray[np.float64]
    hits: tuple[HitTable, ...]
    anomalies: tuple[ListAnomalies, ...]
    excluded: NDArray[np.bool_]
    are_bounds: bool = False

    def __repr__(self) -> str:
        counts = f"{len(self.runs)} runs, {len(self.queries):,} queries, {len(self.measures)} measures"
        return f"<Scores of '{self.benchmark.name[:80]}' under {self.profile.key}: {counts}>"

    @shared_array
    def missing(self) -> NDArray[np.bool_]:
        """(R, Q) bool, queries for which a run has no results."""
        rows = [hits.missing for hits in self.hits]
        return np.array(rows, np.bool_).reshape(len(self.runs), len(self.queries))

    @shared_array
    def values(self) -> NDArray[np.float64]:
        """(R, Q, M) float64, NaN where undefined and where the query is missing (see `missing`)."""
        return np.where(self.missing[:, :, None], np.nan, self.raw_values)

    @shared_array
    def counted(self) -> NDArray[np.bool_]:
        """(R, Q) bool, queries that enter the means of each run.

        Not those that the profile excludes, nor, depending on the profile, missing queries and those without relevant
        models.
        """
        enters = np.tile(~self.excluded, (len(self.runs), 1))
        if self.profile.missing_query == "skip":
            enters &= ~self.missing
        if self.profile.missing_query == "common":
            enters &= self.benchmark.common_queries
        if self.profile.no_relevant == "skip":
            enters &= ~self.without_relevant
        return enters

    @shared_array
    def without_relevant(self) -> NDArray[np.bool_]:
        """(Q,) bool, queries without relevant models under the profile; False without runs."""
        if not self.hits:
            return np.zeros(len(self.queries), np.bool_)
        # The number of relevant models depends on truth and profile, not on the run.
        return self.hits[0].relevant_size(1) == 0

    @shared_array
    def values_in_mean(self) -> NDArray[np.float64]:
        """(R, Q, M) float64, contribution of each query to the means; NaN if it does not enter.

        `mean` is the mean of the values that are not NaN. An undefined value counts 0 if the profile defines so.
        """
        filled = self._filled(self.raw_values)
        if self.are_bounds:
            filled = np.where([measure.better != "none" for measure in self.measures], filled, np.nan)
        return np.where(self.counted[:, :, None], filled, np.nan)

    def _filled(self, raw_values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.nan_to_num(raw_values, nan=0.0) if self.profile.no_relevant == "zero" else raw_values

    def difficulty(self, column: int) -> NDArray[np.float64]:
        """(Q,) float64, how difficult the queries are in one column: the mean of the submitted runs, as in their means.

        Negated where higher values are better, so that the highest difficulty is that of the worst mean; NaN where no
        submitted run has a value.
        """
        submitted = [row for row, name in enumerate(self.runs) if not self.benchmark.run(name).expression]
        mean = mean_of_defined(self.values_in_mean[submitted][:, :, column], axis=0)
        return mean if self.measures[column].better == "lower" else -mean

    def mean(self) -> NDArray[np.float64]:
        """(R, M) float64, mean over the counted queries (micro); NaN if no query has a value.

        A missing query scores 0 or is excluded, depending on the profile. An undefined value (no relevant models of
        that level) is excluded from the mean of its column, or counts 0 if the profile defines so. Measures that are no
        mean (`ResolvedMeasure.is_mean`) have their value of the run.
        """
        means = mean_of_defined(self.values_in_mean, axis=1)
        means[:, self._run_columns] = self._run_values
        return means

    @property
    def _run_columns(self) -> list[int]:
        """Measures whose value of a run is no mean."""
        return [column for column, measure in enumerate(self.measures) if not measure.is_mean]

    @shared_array
    def _run_values(self) -> NDArray[np.float64]:
        """(R, n) float64, values of the runs in the measures that are no mean."""
        columns = self._run_columns
        values = np.full((len(self.runs), len(columns)), np.nan)
        for run, hits in enumerate(self.hits if columns else ()):
            counted = hits.select(self.counted[run])
            values[run] = [self.measures[column].value_of_run(counted, self.profile) for column in columns]
        # Undefined where no query has a value, as a mean is: the bound of a measure of which no direction is better.
        return np.where(np.isnan(self.values_in_mean[:, :, columns]).all(axis=1), np.nan, values)

    def class_mean(self) -> NDArray[np.float64]:
        """(R, M) float64, mean over classes of the means of their counted queries (macro).

        Queries without a class are ignored. NaN for measures that are no mean.
        """
        return mean_of_defined(self.by_class()[1], axis=1)

    def by_class(self) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Classes of the queries, ascending (K,), and the means of the counted queries of each, (R, K, M)."""
        return self._by_class

    @cached_property
    def _by_class(self) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        labels, means = self._of_classes(self.values_in_mean)
        means[:, :, self._run_columns] = np.nan
        return read_only(labels), read_only(means)

    def _of_classes(self, values_in_mean: NDArray[np.float64]) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        # The classes of the queries, not of the collection: a class without queries has no mean.
        labels = np.flatnonzero(np.bincount(self.query_labels[self.query_labels >= 0])).astype(np.int32)
        means = np.full((values_in_mean.shape[0], len(labels), values_in_mean.shape[2]), np.nan)
        by_class = np.argsort(self.query_labels, kind="stable")
        starts, ends = (np.searchsorted(self.query_labels[by_class], labels, side) for side in ("left", "right"))
        sizes = ends - starts
        for size in set(sizes.tolist()):  # classes of one size at a time: there may be tens of thousands
            members = by_class[starts[sizes == size, None] + np.arange(size)]
            means[:, sizes == size] = mean_of_defined(values_in_mean[:, members], axis=2)
        return labels, means

    @cached_property
    def random_runs(self) -> frozenset[int]:
        """Indices of the runs whose relevant models are as in random order, by the rank-sum test over all queries."""
        deviations = [rank_sum_deviation(hits) for hits in self.hits]
        return frozenset(run for run, deviation in enumerate(deviations) if abs(deviation) <= RANDOM_DEVIATION)

    def textbook(self) -> "Scores | None":
        """Scores of the same hits without the evaluator bugs that the profile reproduces.

        None if the profile reproduces none; see `EVALUATOR_BUGS`. For display next to the official scores.
        """
        textbook = textbook_profile(self.profile)
        return None if textbook is None else self._measured(textbook, self.hits)

    def ceiling(self) -> "Scores":
        """Best possible scores of each run for lists of the submitted lengths; see `ResolvedMeasure.ceiling`.

        Queries enter the means as those of the run, so that no mean is better than its bound.
        """
        # For lists of the submitted length: a perfect full list would not bound measures that favour short ones, such
        # as P.
        best = self._measured(self.profile, tuple(hits.best_of_same_length() for hits in self.hits))
        has_direction = [measure.better != "none" for measure in self.measures]
        return replace(best, raw_values=np.where(has_direction, best.raw_values, np.nan), are_bounds=True)

    def select_runs(self, rows: Sequence[int]) -> "Scores":
        """The same with some runs, in the given order."""
        return replace(
            self,
            runs=tuple(self.runs[row] for row in rows),
            participants=tuple(self.participants[row] for row in rows),
            raw_values=self.raw_values[list(rows)],
            hits=tuple(self.hits[row] for row in rows),
            anomalies=tuple(self.anomalies[row] for row in rows),
        )

    def select_queries(self, queries: NDArray[np.int64]) -> "Scores":
        """The same with only these queries (indices) in all means and mean curves; values of queries stay."""
        others = np.ones(len(self.queries), np.bool_)
        others[queries] = False
        return replace(self, excluded=self.excluded | others)

    def order_by(self, key: str) -> list[int]:
        """Indices of the runs by their mean in a measure, best first; equal and undefined ones in their order."""
        column = self.column(key)
        means = self.mean()[:, column]
        # argsort ascends, so higher-is-better measures are negated; stable, so that equal runs keep their order.
        sign = 1.0 if self.measures[column].better == "lower" else -1.0
        return [int(row) for row in np.argsort(sign * means, kind="stable")]  # NaN last

    def with_runs(self, indices: Sequence[int], other: "Scores") -> "Scores":
        """The same with the runs at `indices` replaced by those of `other`, which has only these, in this order."""
        raw_values, hits = self.raw_values.copy(), list(self.hits)
        for row, index in enumerate(indices):
            raw_values[index], hits[index] = other.raw_values[row], other.hits[row]
        return replace(self, ties=other.ties, raw_values=raw_values, hits=tuple(hits))

    def _measured(self, profile: Profile, hits: tuple[HitTable, ...]) -> "Scores":
        raw_values = np.array([evaluate_measures(table, self.measures, profile) for table in hits])
        return replace(
            self, profile=profile, hits=hits, raw_values=raw_values.reshape(len(hits), *self.raw_values.shape[1:])
        )

    def index_of_ranking(self, benchmark: Benchmark, run: Run, profile: Profile) -> int | None:
        """Index in `runs` of hits that equal those of ranking `run` under `profile`; None if there are none."""
        ours, names = self.benchmark, [mine.name for mine in self.benchmark.runs]
        # Identity, not equality: a benchmark that was read again has new objects, and large arrays take time to
        # compare.
        same = (ours.assessment is benchmark.assessment, ours.queries is benchmark.queries)
        if not all(same) or ours.collection is not benchmark.collection or run.name not in self.runs:
            return None
        known = run.name in names and ours.run(run.name) is run and same_ranking(run, self.profile, profile)
        return self.runs.index(run.name) if known else None

    def column(self, key: str) -> int:
        """Index of a measure in `measures`, by its key or another name; UnknownKeyError if it was not evaluated."""
        with suppress(UnknownKeyError):
            key = key if key in self._columns else find_measure(key).key
        if key not in self._columns:
            raise UnknownKeyError(f"'{key}' was not evaluated{suggestion(key, list(self._columns))}")
        return self._columns[key]

    @cached_property
    def _columns(self) -> dict[str, int]:
        return {measure.key: column for column, measure in enumerate(self.measures)}

    def run_index(self, name: str) -> int:
        """Index of a run in `runs`; UnknownKeyError if there is none."""
        if name not in self.runs:
            raise UnknownKeyError(f"there is no run '{name}'{suggestion(name, self.runs)}")
        return self.runs.index(name)

    def curve(
        self,
        key: str,
        run: int,
        query: int | None,
        points: int = 100,
        *,
        average: CurveAveraging | None = None,
        doublings: float | None = None,
    ) -> CurveValues:
        """One curve, computed from the hits.

        Parameters
        ----------
        key : of a curve, see `find_curve`.
        run : index in `runs`.
        query : index in `queries`; None for the mean over the counted queries.
        points : number of ranks, for curves by rank.
        average : how a mean is taken; None, and a way that the curve does not have, for the default of the curve.
            ``"class"``: the mean over classes of the means of their queries (macro average), at the points of the
            default.
        doublings : -log2 of the generality of the collections, for curves that are known at any generality (see
            `Curve.at_generality`), and means at equal generality; None for the smallest generality of all queries, and
            for one query for the list itself.

        Returns
        -------
        CurveValues
            x (K,) and y (K,), and bounds of y (K,) where lists are truncated; NaN where undefined: everywhere for a
            missing query, at points where no query of the mean has a value. Undefined and missing queries enter a mean
            as in `mean`.
        """
        kind = find_curve(key)
        if query is not None:
            hits = self.hits[run].rows(query, query + 1)
            at_generality = None if doublings is None else kind.at_generality
            one = kind.evaluate(hits, self.profile, points) if at_generality is None else at_generality(hits, doublings)
            # A missing query has the curve of an empty list in the hits; as in `values` it is undefined.
            scale = np.nan if self.missing[run, query] else 1.0
            lower, upper = (None if bound is None else bound[0] * scale for bound in (one.lower, one.upper))
            return replace(one, x=np.atleast_2d(one.x)[0], y=one.y[0] * scale, lower=lower, upper=upper)
        way = kind.averaged(average)
        # Curves at equal generality depend on the largest class, which must be one of those that enter the mean.
        # Of any run, so that the curves of all runs are at the same generality and can be compared.
        used = np.any(self.counted, axis=0)
        hits = self.hits[run].select(used)
        at_generality = kind.at_generality if way.way == "generality" and doublings is not None else None
        every = way.function(hits, self.profile, points) if at_generality is None else at_generality(hits, doublings)
        over_classes = average == "class"
        x, y, lower, upper = (
            values if values is None or values.ndim == 1 else self._mean_curve(values, run, used, over_classes)
            for values in (every.x, every.y, every.lower, every.upper)
        )
        assert x is not None
        assert y is not None
        return replace(every, x=x, y=y, lower=lower, upper=upper)

    def _mean_curve(
        self, curves: NDArray[np.float64], run: int, used: NDArray[np.bool_], over_classes: bool
    ) -> NDArray[np.float64]:
        """(K,) mean of the curves of the queries marked in `used` (Q,)."""
        counted, in_mean = self.counted[run][used], self._filled(curves)
        if not counted.all():
            in_mean = np.where(counted[:, None], in_mean, np.nan)
        if not over_classes:
            return mean_of_defined(in_mean, axis=0)
        values_in_mean = np.full((1, len(used), curves.shape[1]), np.nan)
        values_in_mean[0, used] = in_mean
        return mean_of_defined(self._of_classes(values_in_mean)[1], axis=1)[0]


def evaluate_measures(
    hits: HitTable,
    measures: Sequence[ResolvedMeasure],
    profile: Profile,
    checkpoint: Callable[[], None] | None = None,
) -> NDArray[np.float64]:
    """(Q, M) float64, values of the measures; `checkpoint` is called before each measure and may raise to cancel."""
    raw_values = np.empty((len(hits), len(measures)))
    for column, measure in enumerate(measures):
        if checkpoint is not None:
            checkpoint()
        raw_values[:, column] = measure.evaluate(hits, profile)
    return raw_values


def main_column(scores: Scores) -> int:
    """Column of the main measure of the profile; the first one if it was not evaluated."""
    keys = [measure.key for measure in scores.measures]
    return keys.index(scores.profile.headline) if scores.profile.headline in keys else 0


#: Values of a row from which `sum` over the first axis adds row by row; below, numpy may add pairwise.
MIN_ROW = 32


def mean_of_defined(values: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    """Mean of the values that are not NaN; NaN if there are none. Unlike `numpy.nanmean` it does not warn then."""
    defined = ~np.isnan(values)
    count = defined.sum(axis=axis)
    # One after the other: the order of `sum` depends on the layout of the array in memory (numpy 2.4), so that the last
    # bit of a mean would depend on the other measures that were computed, and differ between window and command line.
    # In C order, and with rows that are long enough, it adds the rows in their order, without storing all sums.
    summands = values if defined.all() else np.where(defined, values, 0.0)
    rows = np.ascontiguousarray(np.moveaxis(summands, axis, 0))
    total = np.cumsum(rows, axis=0)[-1] if len(rows) and rows[0].size < MIN_ROW else rows.sum(axis=0)
    return np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)


@dataclass(frozen=True, eq=False)
class TieRange:
    """Scores with ties in the order of the profile, and in the best and the worst order.

    Attributes
    ----------
    actual, optimistic, pessimistic : scores of the same runs, queries and measures.
    """

    actual: Scores
    optimistic: Scores
    pessimistic: Scores

    def select_runs(self, rows: Sequence[int]) -> "TieRange":
        """The same with some runs, in the given order."""
        return TieRange(*(scores.select_runs(rows) for scores in (self.actual, self.optimistic, self.pessimistic)))

    def values(self) -> NDArray[np.float64]:
        """(2, R, Q, M) float64, lowest and highest value of each query; NaN where undefined or missing."""
        return self.between(lambda scores: scores.values)

    def mean(self) -> NDArray[np.float64]:
        """(2, R, M) float64, lowest and highest mean over queries."""
        return self.between(Scores.mean)

    def class_mean(self) -> NDArray[np.float64]:
        """(2, R, M) float64, lowest and highest mean over classes."""
        return self.between(Scores.class_mean)

    def between(self, read: Callable[[Scores], NDArray[np.float64]]) -> NDArray[np.float64]:
        """(2, ...) float64, lowest and highest of what `read` returns for the three orders."""
        # The order of the profile too: a measure that is not monotone can be outside the range of the other two.
        every = np.array([read(scores) for scores in (self.actual, self.optimistic, self.pessimistic)])
        return np.array([every.min(axis=0), every.max(axis=0)])
