"""Curves of the shown runs, points on them, and their baselines."""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject

from shrec_viewer.domain import Cancelled
from shrec_viewer.evaluation.scores import IDEAL, Scores, mean_of_defined
from shrec_viewer.metrics import HitTable, Profile
from shrec_viewer.metrics.curves.curve import Curve, CurveAveraging, CurveValues
from shrec_viewer.metrics.curves.precision_recall import R_CURVE, with_query
from shrec_viewer.metrics.generality.scope_graph import default_scopes, reachable_region, scope_lines
from shrec_viewer.viewmodels.session.computation import SessionComputation
from shrec_viewer.viewmodels.session.selection import NOTHING
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.tasks.tasks import Task, Work

Floats = NDArray[np.float64]

MEETING_TOLERANCE = 1e-12
"""Distance within which a sample counts as an intersection; rounding would else lose the first and last sample."""

NO_POINT = (float("nan"), float("nan"))
"""Point where there is no intersection."""


def interpolate_at(x: Floats, y: Floats, at: float) -> float:
    """Y of a polyline at `at`; NaN outside its range and in gaps.

    Parameters
    ----------
    x, y : (K,) float64, `x` ascending; NaN for gaps.

    Examples
    --------
    >>> x, y = np.array([0.0, 1.0, 2.0, 3.0]), np.array([1.0, 0.5, np.nan, 0.0])
    >>> [interpolate_at(x, y, at) for at in (0.5, 1.5, 3.0, 4.0)]
    [0.75, nan, 0.0, nan]
    """
    finite = np.isfinite(x)
    x, y = x[finite], y[finite]
    if not len(x) or not x[0] <= at <= x[-1]:
        return float("nan")
    exact = y[np.searchsorted(x, at, "left") : np.searchsorted(x, at, "right")]
    exact = exact[np.isfinite(exact)]
    return float(exact.max()) if len(exact) else float(np.interp(at, x, y))


def intersect_ray(x: Floats, y: Floats, slope: float, near: float) -> tuple[float, float]:
    """Intersection of a polyline with the ray ``y = slope x``, the one with x nearest to `near`; else `NO_POINT`.

    Precision is recall times class size over rank, so that a rank is a ray in every precision-recall graph.

    Examples
    --------
    >>> x, y = np.array([0.5, 1.0]), np.array([1.0, 0.5])
    >>> intersect_ray(x, y, 1.0, 0.7), intersect_ray(x, y, 4.0, 0.7)
    ((0.75, 0.75), (nan, nan))
    """
    return _intersection(x, y, y - slope * x, near)


def intersect_level(x: Floats, y: Floats, level: float) -> tuple[float, float]:
    """Rightmost point of a polyline with y = `level`; else `NO_POINT`.

    Examples
    --------
    >>> x, y = np.array([0.0, 1.0, 2.0]), np.array([1.0, 0.5, 0.5])
    >>> intersect_level(x, y, 0.75), intersect_level(x, y, 0.5), intersect_level(x, y, 0.4)
    ((0.5, 0.75), (2.0, 0.5), (nan, nan))
    """
    return _intersection(x, y, y - level, float("inf"))


def _intersection(x: Floats, y: Floats, above: Floats, near: float) -> tuple[float, float]:
    """Point of a polyline where `above`, which is linear on its segments, is 0."""
    finite = np.isfinite(x) & np.isfinite(above)
    ends = np.flatnonzero(finite & (np.abs(above) <= MEETING_TOLERANCE))
    joined = finite[:-1] & finite[1:]
    first = np.flatnonzero(joined & (np.sign(above[:-1]) * np.sign(above[1:]) < 0))
    fraction = above[first] / (above[first] - above[first + 1])
    xs = np.concatenate([x[ends], x[first] + fraction * (x[first + 1] - x[first])])
    ys = np.concatenate([y[ends], y[first] + fraction * (y[first + 1] - y[first])])
    if not len(xs) or np.isnan(near):
        return NO_POINT
    nearest = int(np.argmax(xs)) if np.isinf(near) else int(np.argmin(np.abs(xs - near)))
    return float(xs[nearest]), float(ys[nearest])


RECALL_TOLERANCE = 1e-9
"""Rounding error of a recall k / C."""


@dataclass(frozen=True, eq=False)
class RecallPrecision:
    """Recall and precision within the first k ranks.

    Attributes
    ----------
    recall, precision : (n,) float64, element k - 1 is for rank k; for several queries, means at the same rank. Empty
        without relevant models or results.
    offset : difference to the displayed ranks: 1 where the query itself is counted at the first rank.
    """

    recall: Floats
    precision: Floats
    offset: int = 0

    def at(self, rank: int) -> tuple[float, float]:
        """Recall and precision at a 1-based rank, also beyond the end of the list; NaN without values."""
        if not len(self.recall) or rank < 1:
            return float("nan"), float("nan")
        index = rank - 1 + self.offset
        last = min(index, len(self.recall) - 1)
        # Ranks beyond the end of the list are not relevant: recall is constant, precision falls.
        return float(self.recall[last]), float(self.precision[last]) * (last + 1) / (index + 1)

    def rank_of(self, recall: float) -> int | None:
        """First 1-based rank with at least this recall; None for none."""
        index = int(np.searchsorted(self.recall, recall - RECALL_TOLERANCE, "left"))
        return max(1, index + 1 - self.offset) if index < len(self.recall) else None


NO_RECALL_PRECISION = RecallPrecision(np.zeros(0), np.zeros(0))


def recall_precision(scores: Scores, run: int, query: int | None, *, with_self: bool = False) -> RecallPrecision:
    """Recall and precision of a run for one query, or the means over the queries that count.

    Parameters
    ----------
    run : index in `scores`.
    query : index of the query; None for means, with missing queries according to the profile.
    with_self : count the query itself as a relevant model at its rank.
    """
    if query is not None and scores.missing[run, query]:
        return NO_RECALL_PRECISION
    hits = scores.hits[run]
    hits = hits.rows(0, len(hits)) if query is None else hits.rows(query, query + 1)
    counted = scores.counted[run] if query is None else np.ones(1, np.bool_)
    seen = with_query(hits) if with_self else hits
    return _accumulate(seen, counted, skips=scores.profile.no_relevant == "skip", offset=int(seen is not hits))


def _accumulate(hits: HitTable, counted: NDArray[np.bool_], *, skips: bool, offset: int) -> RecallPrecision:
    size = hits.relevant_size(1)
    enters = counted & (size > 0)
    queries = int(enters.sum()) if skips else int(counted.sum())
    last = int(hits.list_length[counted].max(initial=0))
    if not enters.any() or not last:
        return NO_RECALL_PRECISION
    relevant = hits.at_least(1)
    inside = enters[relevant.query] & (relevant.ranks <= last)
    indices, queries_of = relevant.ranks[inside] - 1, relevant.query[inside]
    recalls = np.bincount(indices, weights=1.0 / size[queries_of], minlength=last)
    found = np.bincount(indices, minlength=last)
    ranks = np.arange(1, last + 1)
    return RecallPrecision(np.cumsum(recalls) / queries, np.cumsum(found) / (queries * ranks), offset)


MAX_SCOPE_LINES = 13
"""Maximum number of constant-scope lines; beyond 1/32 to 128 times the class size they cannot be distinguished."""


@dataclass(frozen=True, eq=False)
class Baseline:
    """A reference line: x, y (K,) float64."""

    x: Floats
    y: Floats


@dataclass(frozen=True, eq=False)
class Baselines:
    """Reference lines for the curves of one kind.

    Attributes
    ----------
    class_size, collection : class size and collection size (c and d) of the query, or of all queries in the means
        where they agree; else None. With the query itself for curves that count it.
    doublings : lowest and highest -log2 of the generality of the queries; None without relevant models.
    ideal : curve of the ideal ranking, which has all relevant models first, highest levels first.
    random : expected curve of random rankings; None for kinds without one.
    scopes : (A,) float64, relevant scopes s / c of `lines`; None for means in which points are on no such line.
    lines : (A, 2, 2) float64, end points (recall, precision) of the constant-scope lines, from the origin.
    wedge : (4, 2) float64, corners (recall, precision) of the reachable region.
    """

    class_size: int | None = None
    collection: int | None = None
    doublings: tuple[float, float] | None = None
    ideal: Baseline | None = None
    random: Baseline | None = None
    scopes: Floats | None = None
    lines: Floats | None = None
    wedge: Floats | None = None


NO_BASELINES = Baselines()


def compute_baselines(
    scores: Scores,
    kind: Curve,
    query: int | None,
    points: int,
    average: CurveAveraging | None = None,
    doublings: float | None = None,
) -> Baselines:
    """Reference lines for one query, or with None for the means over the queries that are in the means of any run.

    Parameters
    ----------
    average, doublings : as in `Scores.curve`.
    """
    if not scores.hits:
        return NO_BASELINES
    first, last = (0, len(scores.queries)) if query is None else (query, query + 1)
    hits = scores.hits[0].rows(first, last)
    counted = hits.relevant_size(1) > 0
    if query is None:
        counted = counted & np.any(scores.counted, axis=0)
    if not counted.any():
        return NO_BASELINES
    tables = [with_query(table.rows(first, last)) for table in scores.hits] if kind.counts_query else [hits]
    sizes = np.concatenate([table.relevant_size(1)[counted] for table in tables])
    wholes = np.concatenate([table.collection_size[counted] for table in tables])
    size, whole = _common_value(sizes), _common_value(wholes)
    best = hits.ideal(scores.profile.list_cut)
    at_one_generality = kind.is_precision_recall and query is None and kind.averaged(average).keeps_scopes
    if at_one_generality or (doublings is not None and kind.at_generality is not None):
        return _at_one_generality(scores, kind, best.select(counted), query, average, doublings)
    ideal = _ideal(scores, kind, best, query, points, average)
    levels = np.log2(wholes / sizes)
    found = Baselines(
        size,
        whole,
        (float(levels.min()), float(levels.max())),
        ideal,
        _random(best, scores.profile, kind, counted, points),
    )
    if not kind.is_precision_recall or query is None or size is None or whole is None:
        return found
    return _with_scopes(found, size, whole)


def _at_one_generality(
    scores: Scores,
    kind: Curve,
    best: HitTable,
    query: int | None,
    average: CurveAveraging | None,
    doublings: float | None,
) -> Baselines:
    """Reference lines of precision over recall where all queries have the same generality.

    Parameters
    ----------
    best : ideal rankings of the queries in the mean.
    """
    assert kind.at_generality is not None
    ideal = kind.at_generality(best, doublings)
    assert ideal.doublings is not None
    smallest = int(best.relevant_size(1).min())
    generality = 2.0**-ideal.doublings
    sizes = best.relevant_size(1)
    found = Baselines(
        class_size=int(sizes[0]) if query is not None or (sizes == sizes[0]).all() else None,
        doublings=(ideal.doublings, ideal.doublings),
        ideal=Baseline(ideal.x.mean(axis=0), ideal.y.mean(axis=0)),
        random=Baseline(np.array([0.0, 1.0]), np.full(2, generality)),
    )
    return _with_scopes(found, smallest, smallest / generality)


def _ideal(
    scores: Scores, kind: Curve, best: HitTable, query: int | None, points: int, average: CurveAveraging | None
) -> Baseline:
    """Curve of the ideal rankings `best` of one query, or the mean over all queries."""
    if query is not None:
        # The points of precision over recall end at the last relevant model; at equal rank they continue to the end of
        # the list, along recall 1 down to c / d.
        way = next((way for way in kind.ways if way.way == "rank" and kind.x == "recall"), None)
        one = (way.function if way else kind.function)(best, scores.profile, points)
        return Baseline(np.atleast_2d(one.x)[0], one.y[0])
    run = replace(
        scores,
        runs=(IDEAL,),
        participants=(IDEAL,),
        anomalies=scores.anomalies[:1],
        raw_values=scores.raw_values[:1],
        hits=(best,),
    )
    mean = run.curve(kind.key, 0, None, points, average=average)
    return Baseline(mean.x, mean.y)


def _common_value(values: NDArray[np.int64]) -> int | None:
    return int(values[0]) if (values == values[0]).all() else None


def _with_scopes(found: Baselines, size: float, whole: float) -> Baselines:
    """Add constant-scope lines and the reachable region."""
    usual = default_scopes(size, whole)
    is_power = np.log2(usual) == np.round(np.log2(usual))
    scopes = np.sort(np.concatenate([usual[is_power][:MAX_SCOPE_LINES], usual[~is_power]]))
    lines, wedge = scope_lines(scopes, size, whole), reachable_region(size, whole)
    return replace(found, scopes=scopes, lines=lines, wedge=wedge)


def _random(best: HitTable, profile: Profile, kind: Curve, counted: NDArray[np.bool_], points: int) -> Baseline | None:
    """Expected curve of random rankings, averaged over the counted queries; None if it is unknown.

    Parameters
    ----------
    best : of the ideal rankings.
    """
    if kind.random is None:
        return None
    expected = kind.random(best, profile, points)
    mean = mean_of_defined(np.where(counted[:, None], expected.y, np.nan), axis=0)
    return None if np.isnan(mean).all() else Baseline(expected.x, mean)


def baselines_over_recall(baselines: Baselines, scores: Scores, query: int | None, points: int) -> Baselines:
    """The baselines with recall instead of rank as x."""
    if baselines.ideal is None:
        return baselines
    reach = compute_baselines(scores, R_CURVE, query, points)
    assert reach.ideal is not None
    assert reach.random is not None
    random = None if baselines.random is None else Baseline(reach.random.y, baselines.random.y)
    return replace(baselines, ideal=Baseline(reach.ideal.y, baselines.ideal.y), random=random)


RANK, RECALL = "rank", "recall"
"""x of curves by rank: the rank, or the recall at that rank."""

DEFAULT_RANKS = 100
"""Ranks shown at first: the last cutoff of SHREC 2006."""


@dataclass(frozen=True, eq=False)
class RunCurve:
    """The curve of one run.

    Attributes
    ----------
    run : index of the run in the benchmark.
    x, y : (K,) float64; NaN in `y` where the curve is undefined (the query is missing, nothing is relevant).
    reached : recall and precision at every rank.
    bounds : (2, 2, K) float64, x and y of the lower and of the upper bound, where lists end before their relevant
        models; None where y is certain.
    """

    run: int
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    reached: RecallPrecision = NO_RECALL_PRECISION
    bounds: NDArray[np.float64] | None = None

    @property
    def is_defined(self) -> bool:
        """Whether the curve has any finite value."""
        return bool(np.isfinite(self.y).any())

    def value_at(self, x: float) -> float:
        """Y of the curve at `x`, linearly interpolated; NaN where it is undefined."""
        return interpolate_at(self.x, self.y, x)


@dataclass(frozen=True, eq=False)
class CurveSet:
    """Curves and their baselines, computed together."""

    curves: tuple[RunCurve, ...] = ()
    baselines: Baselines = NO_BASELINES


NO_CURVES = CurveSet()


class CurveModel(SessionComputation):
    """Curves of one kind for the selected query, or for the means over all queries.

    Parameters
    ----------
    key : key of the task; one for each such object.
    active : whether it computes before `set_active` is called.
    """

    empty = NO_CURVES

    def __init__(
        self, session: Session, key: str, kind: Curve, parent: QObject | None = None, *, active: bool = True
    ) -> None:
        self._kind = kind
        self._ranks = DEFAULT_RANKS
        self._over = RANK
        self._average: CurveAveraging | None = None
        super().__init__(session, key, "The curves cannot be computed", parent, keeps_result=True)
        session.cursor_state.generality_changed.connect(self.update_result)
        self.set_active(active)

    @property
    def kind(self) -> Curve:
        """Which curve is shown."""
        return self._kind

    @property
    def ranks(self) -> int:
        """Number of ranks shown, for curves by rank."""
        return self._ranks

    @property
    def over(self) -> str:
        """`RANK` or `RECALL`: x of the curves by rank."""
        return self._over

    @property
    def average(self) -> CurveAveraging:
        """How the mean curves of this kind are averaged."""
        return "class" if self._average == "class" else self._kind.averaged(self._average).way

    @property
    def is_over_ranks(self) -> bool:
        """Whether x is currently the rank."""
        return self._kind.x == "rank" and self._over == RANK

    @property
    def curves(self) -> tuple[RunCurve, ...]:
        """Curves of the runs drawn and of the selected run, in benchmark order, possibly also of runs hidden since.

        Empty without scores.
        """
        return self.result.curves

    @property
    def baselines(self) -> Baselines:
        """Reference lines."""
        return self.result.baselines

    def curve_of(self, run: int) -> RunCurve | None:
        """The curve of the run with index `run`, or None."""
        return next((curve for curve in self.curves if curve.run == run), None)

    def point_at(self, curve: RunCurve, rank: int) -> tuple[float, float]:
        """Point (x, y) of a curve that belongs to a 1-based rank; NaN for none.

        For curves by rank the point at that rank; for precision over recall the intersection with the line of
        `slope_at`; else the point at the recall of that rank.
        """
        if self._kind.x == "other":
            return float("nan"), float("nan")
        recall, _ = curve.reached.at(rank)
        if self._kind.x == "rank":
            inside = 1 <= rank <= len(curve.y)
            y = float(curve.y[rank - 1]) if inside else float("nan")
            return (float(rank) if self._over == RANK else recall), y
        slope = self.slope_at(rank)
        return (recall, curve.value_at(recall)) if slope is None else intersect_ray(curve.x, curve.y, slope, recall)

    def slope_at(self, rank: int) -> float | None:
        """Precision divided by recall at a rank, which is class size over rank for all runs.

        None for other curves, for means over queries of different class sizes, and for a part of the collection.
        """
        size = self.baselines.class_size
        if size is None or self._kind.y != "precision" or self.doublings is not None:
            return None
        return size / (rank + max((curve.reached.offset for curve in self.curves), default=0))

    def rank_at(self, x: float, run: int) -> int | None:
        """1-based rank at `x`: x itself, or the rank at which the run reaches the recall `x`; None for none."""
        if math.isnan(x) or self._kind.x == "other":
            return None
        if self.is_over_ranks:
            return max(1, round(x))
        curve = self.curve_of(run)
        return None if curve is None else curve.reached.rank_of(x)

    def set_kind(self, kind: Curve) -> None:
        """Set the kind of curve."""
        if kind != self._kind:
            self._kind = kind
            self.update_result()

    def set_ranks(self, ranks: int) -> None:
        """Set the number of ranks of curves by rank."""
        if ranks != self._ranks:
            self._ranks = ranks
            self.update_result()

    def set_over(self, over: str) -> None:
        """Set x of curves by rank to `RANK` or `RECALL`."""
        if over != self._over:
            self._over = over
            self.update_result()

    def set_average(self, average: CurveAveraging) -> None:
        """Set how mean curves are averaged; kinds that do not have this way keep their default."""
        if average != self._average:
            self._average = average
            self.update_result()

    @property
    def doublings(self) -> float | None:
        """-log2 of the generality for which the curves are shown; None for that of the collection."""
        doublings = self._session.cursor_state.doublings
        is_scaled = self._kind.at_generality is not None and (
            not self._session.selection.means or self.average == "generality"
        )
        return doublings if is_scaled else None

    def inputs(self) -> tuple[Any, ...]:
        """Scores, query (None for means), kind, number of ranks, x, average, generality, and the runs."""
        scores, benchmark, selection = self._session.scores, self._session.benchmark, self._session.selection
        if scores is None or benchmark is None or selection.query == NOTHING:
            return ()
        query = None if selection.means else selection.query
        over = self._over if self._kind.x == "rank" else RANK
        runs = tuple((run, benchmark.runs[run].name) for run in selection.needed_runs)
        average = None if query is not None else self._average
        return scores, query, self._kind, self._ranks, over, average, self.doublings, runs

    def is_current(self, old: tuple[Any, ...], new: tuple[Any, ...]) -> bool:
        """Hiding a run needs no new curves."""
        has_all_runs = {*old[-1], *new[-1]} == {*old[-1]} if old and new else True
        return has_all_runs and super().is_current(old[:-1], new[:-1])

    def work(
        self,
        scores: Scores,
        query: int | None,
        kind: Curve,
        ranks: int,
        over: str,
        average: CurveAveraging | None,
        doublings: float | None,
        runs: tuple[tuple[int, str], ...],
    ) -> tuple[Work, str]:
        """See `SessionComputation.work`."""

        def compute(task: Task) -> CurveSet:
            found = []
            for run, name in runs:
                if task.cancelled():
                    raise Cancelled
                if name in scores.runs:
                    row = scores.run_index(name)
                    curve = scores.curve(kind.key, row, query, ranks, average=average, doublings=doublings)
                    reached = recall_precision(scores, row, query, with_self=kind.counts_query)
                    found.append(_run_curve(curve, reached, over, run))
            baselines = compute_baselines(scores, kind, query, ranks, average, doublings)
            if over == RECALL:
                baselines = baselines_over_recall(baselines, scores, query, ranks)
            return CurveSet(tuple(found), baselines)

        return compute, f"Curves: {kind.label}"


def _run_curve(values: CurveValues, reached: RecallPrecision, over: str, run: int) -> RunCurve:
    x, y = np.asarray(values.x, np.float64), np.asarray(values.y, np.float64)
    if over == RECALL:
        x = np.array([reached.at(rank)[0] for rank in range(1, len(y) + 1)])
    bounds = None
    if values.is_bounded and values.lower is not None and values.upper is not None:
        scopes = values.relevant_scopes
        bounds = np.array([[x if scopes is None else bound * scopes, bound] for bound in (values.lower, values.upper)])
    return RunCurve(run, x, y, reached, bounds)
