"""Curves of runs as they are drawn: points on them, intersections with ranks, and their baselines."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.evaluation.scores import IDEAL, Scores, mean_of_defined
from shrec_viewer.metrics import HitTable, Profile
from shrec_viewer.metrics.curves.averaging import CurveAveraging
from shrec_viewer.metrics.curves.curve import Curve, CurveValues
from shrec_viewer.metrics.curves.precision_recall import R_CURVE
from shrec_viewer.metrics.generality.scope_graph import default_scopes, reachable_region, scope_lines

Floats = NDArray[np.float64]

#: Distance within which a sample counts as an intersection; otherwise rounding loses the first and last sample.
MEETING_TOLERANCE = 1e-12

#: Point where there is no intersection.
NO_POINT = (float("nan"), float("nan"))


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


#: Rounding error of a recall k / C.
RECALL_TOLERANCE = 1e-9


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
    seen = hits.with_query if with_self else hits
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


#: Maximum number of constant-scope lines; beyond 1/32 to 128 times the class size they cannot be distinguished.
MAX_SCOPE_LINES = 13


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
    tables = [hits.select(counted)]
    if kind.counts_query:
        # A missing list contains no query and has no curve, so that it does not determine the class size.
        rows = [table.rows(first, last) for table in scores.hits]
        listed = [table.select(counted & ~table.missing).with_query for table in rows]
        tables = [table for table in listed if len(table)] or tables
    sizes = np.concatenate([table.relevant_size(1) for table in tables])
    wholes = np.concatenate([table.collection_size for table in tables])
    size, whole = _common_value(sizes), _common_value(wholes)
    best = hits.ideal(scores.profile.list_cut)
    at_one_generality = kind.is_precision_recall and query is None and kind.averaged(average).keeps_scopes
    if at_one_generality or (doublings is not None and kind.at_generality is not None):
        return _at_one_generality(kind, best.select(counted), query, doublings)
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


def _at_one_generality(kind: Curve, best: HitTable, query: int | None, doublings: float | None) -> Baselines:
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


#: x of curves by rank: the rank, or the recall at that rank.
RANK, RECALL = "rank", "recall"

#: Ranks shown at first: the last cutoff of SHREC 2006.
DEFAULT_RANKS = 100


@dataclass(frozen=True, eq=False)
class RunCurve:
    """The curve of one run.

    Attributes
    ----------
    run : index of the run in the benchmark.
    x, y : (K,) float64; NaN in `y` where the curve is undefined (the query is missing, nothing is relevant).
    reached : recall and precision at every rank.
    bounds : (2, 2, K) float64, x and y of the lower and of the upper bound, where lists end before their relevant
        models, or of a confidence interval (means over classes of one size); None where y is certain.
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
    """Curves and their baselines, computed together.

    `former` are those before edits, where they differ, `pinned` those of the versions that are the baselines of runs,
    `singles` ids and curves of the queries of one run in its mean.
    """

    curves: tuple[RunCurve, ...] = ()
    baselines: Baselines = NO_BASELINES
    former: tuple[RunCurve, ...] = ()
    pinned: tuple[RunCurve, ...] = ()
    singles: tuple[tuple[str, RunCurve], ...] = ()


def differing_curves(curves: Iterable[RunCurve], others: Iterable[RunCurve]) -> tuple[RunCurve, ...]:
    """The curves that differ from the one of the same run among the others."""
    by_run = {curve.run: curve for curve in others}
    return tuple(
        curve
        for curve in curves
        if (other := by_run.get(curve.run)) is not None
        and not (np.array_equal(curve.x, other.x, equal_nan=True) and np.array_equal(curve.y, other.y, equal_nan=True))
    )


def run_curve(values: CurveValues, reached: RecallPrecision, over: str, run: int) -> RunCurve:
    """A curve with the ranks reached, over ranks or over recall (`RANK`, `RECALL`)."""
    x, y = np.asarray(values.x, np.float64), np.asarray(values.y, np.float64)
    if over == RECALL:
        x = np.array([reached.at(rank)[0] for rank in range(1, len(y) + 1)])
    bounds = None
    if values.is_bounded and values.lower is not None and values.upper is not None:
        scopes = values.relevant_scopes
        bounds = np.array([[x if scopes is None else bound * scopes, bound] for bound in (values.lower, values.upper)])
    return RunCurve(run, x, y, reached, bounds)


@dataclass(frozen=True)
class CurveRequest:
    """Which curves to compute.

    Attributes
    ----------
    kind : the curve type.
    runs : index in the benchmark and name of each run.
    query : index of the query; None for means.
    ranks : number of ranks, of curves by rank.
    over : `RANK` or `RECALL`: x of curves by rank.
    average, doublings : as in `Scores.curve`.
    """

    kind: Curve
    runs: tuple[tuple[int, str], ...]
    query: int | None
    ranks: int = DEFAULT_RANKS
    over: str = RANK
    average: CurveAveraging | None = None
    doublings: float | None = None


def compute_curve_set(scores: Scores, request: CurveRequest, checkpoint: Callable[[], None]) -> CurveSet:
    """The curves of the runs that were evaluated, and their baselines.

    Parameters
    ----------
    checkpoint : called before each curve; may raise an exception to cancel.
    """
    kind, query, ranks = request.kind, request.query, request.ranks
    found = compute_curves(scores, request, checkpoint, with_ranks=True)
    baselines = compute_baselines(scores, kind, query, ranks, request.average, request.doublings)
    if request.over == RECALL:
        baselines = baselines_over_recall(baselines, scores, query, ranks)
    return CurveSet(found, baselines)


def curves_of_queries(
    scores: Scores, request: CurveRequest, name: str, means: CurveSet, checkpoint: Callable[[], None]
) -> tuple[tuple[str, RunCurve], ...]:
    """Ids and curves of the queries in the mean of one run, at the generality of the mean.

    Parameters
    ----------
    name : of the run; "" for the only one of the request, and no curves where it has several.
    means : of the same request.
    """
    runs = [(run, of) for run, of in request.runs if of == name or (not name and len(request.runs) == 1)]
    if not runs or runs[0][1] not in scores.runs:
        return ()
    at = means.baselines.doublings if request.kind.averaged(request.average).way == "generality" else None
    doublings = request.doublings if at is None else at[0]
    found = []
    for query in np.flatnonzero(scores.counted[scores.run_index(runs[0][1])]).tolist():
        (curve,) = compute_curves(
            scores, replace(request, runs=tuple(runs), query=query, doublings=doublings), checkpoint
        )
        if curve.is_defined:
            found.append((scores.queries[query], curve))
    return tuple(found)


def compute_curves(
    scores: Scores, request: CurveRequest, checkpoint: Callable[[], None], *, with_ranks: bool = False
) -> tuple[RunCurve, ...]:
    """The curves of the runs that were evaluated.

    Parameters
    ----------
    checkpoint : called before each curve; may raise an exception to cancel.
    with_ranks : also compute recall and precision at every rank, of which curves over recall always require a part.
        They take more time than the curve.
    """
    kind, query = request.kind, request.query
    found = []
    for run, name in request.runs:
        checkpoint()
        if name in scores.runs:
            row = scores.run_index(name)
            curve = scores.curve(
                kind.key, row, query, request.ranks, average=request.average, doublings=request.doublings
            )
            reached = NO_RECALL_PRECISION
            if with_ranks or request.over == RECALL:
                reached = recall_precision(scores, row, query, with_self=kind.counts_query)
            found.append(run_curve(curve, reached, request.over, run))
    return tuple(found)
