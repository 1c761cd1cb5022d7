"""Points on curves: interpolation, intersections, and recall and precision by rank."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.metrics import HitTable
from shrec_viewer.metrics.curves.precision_recall import with_query

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
