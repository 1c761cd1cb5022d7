"""Points on curves: interpolation, intersections, and recall and precision by rank."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.metrics import HitTable
from shrec_viewer.metrics.curves.precision_recall import with_query

Floats = NDArray[np.float64]

MEETING_TOLERANCE = 1e-12
"""By so much a sample may be off by rounding and still be a meeting: else the first and the last one would get lost."""

NO_POINT = (float("nan"), float("nan"))
"""The place of what is not on the line."""


def interpolate_at(x: Floats, y: Floats, at: float) -> float:
    """The line's height at `at`; NaN beyond its ends and where it is interrupted.

    Parameters
    ----------
    x, y : (K,) float64, `x` ascending; NaN where there is no sample.

    Examples
    --------
    >>> x, y = np.array([0.0, 1.0, 2.0, 3.0]), np.array([1.0, 0.5, np.nan, 0.0])
    >>> height_at(x, y, 0.5), height_at(x, y, 1.5), height_at(x, y, 3.0), height_at(x, y, 4.0)
    (0.75, nan, 0.0, nan)
    """
    kept = np.isfinite(x)
    x, y = x[kept], y[kept]
    if not len(x) or not x[0] <= at <= x[-1]:
        return float("nan")
    exact = y[np.searchsorted(x, at, "left") : np.searchsorted(x, at, "right")]
    exact = exact[np.isfinite(exact)]
    return float(exact.max()) if len(exact) else float(np.interp(at, x, y))


def intersect_ray(x: Floats, y: Floats, slope: float, near: float) -> tuple[float, float]:
    """Where the line meets the ray ``y = slope x``; of several places the one whose x is nearest to `near`.

    Precision is recall times class size over rank, so that a rank is a ray in a precision-recall graph, whatever the
    curves are made of. `NO_POINT` where they do not meet.

    Examples
    --------
    >>> x, y = np.array([0.5, 1.0]), np.array([1.0, 0.5])
    >>> on_ray(x, y, 1.0, 0.7), on_ray(x, y, 4.0, 0.7)
    ((0.75, 0.75), (nan, nan))
    """
    return _intersection(x, y, y - slope * x, near)


def intersect_level(x: Floats, y: Floats, level: float) -> tuple[float, float]:
    """Where the line has the height `level`, the rightmost such place; `NO_POINT` where it never has.

    Examples
    --------
    >>> x, y = np.array([0.0, 1.0, 2.0]), np.array([1.0, 0.5, 0.5])
    >>> on_level(x, y, 0.75), on_level(x, y, 0.5), on_level(x, y, 0.4)
    ((0.5, 0.75), (2.0, 0.5), (nan, nan))
    """
    return _intersection(x, y, y - level, float("inf"))


def _intersection(x: Floats, y: Floats, above: Floats, near: float) -> tuple[float, float]:
    """Places of the line where `above`, which is linear along its pieces, is 0."""
    finite = np.isfinite(x) & np.isfinite(above)
    ends = np.flatnonzero(finite & (np.abs(above) <= MEETING_TOLERANCE))
    joined = finite[:-1] & finite[1:]
    first = np.flatnonzero(joined & (np.sign(above[:-1]) * np.sign(above[1:]) < 0))
    share = above[first] / (above[first] - above[first + 1])
    xs = np.concatenate([x[ends], x[first] + share * (x[first + 1] - x[first])])
    ys = np.concatenate([y[ends], y[first] + share * (y[first + 1] - y[first])])
    if not len(xs) or np.isnan(near):
        return NO_POINT
    place = int(np.argmax(xs)) if np.isinf(near) else int(np.argmin(np.abs(xs - near)))
    return float(xs[place]), float(ys[place])


RECALL_TOLERANCE = 1e-9
"""By this much a recall may be off k / C by rounding."""

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RecallPrecision:
    """Recall and precision within the first k places.

    Attributes
    ----------
    recall, precision : (n,) float64, place k - 1 holds rank k; means of both over the queries that enter a mean, at the
        same rank. Empty where nothing is relevant or the run has no answer.
    offset : places by which ranks are behind those on the screen: 1 where the query itself is counted, and leads.
    """

    recall: FloatArray
    precision: FloatArray
    offset: int = 0

    def at(self, rank: int) -> tuple[float, float]:
        """Recall and precision at a 1-based rank; beyond the end of the list what it reached there. NaN for nothing."""
        if not len(self.recall) or rank < 1:
            return float("nan"), float("nan")
        place = rank - 1 + self.offset
        last = min(place, len(self.recall) - 1)
        # Places that a list does not fill are not relevant: the recall stays, the precision falls.
        return float(self.recall[last]), float(self.precision[last]) * (last + 1) / (place + 1)

    def rank_of(self, recall: float) -> int | None:
        """The first rank at which `recall` is reached; None where the list never reaches it."""
        place = int(np.searchsorted(self.recall, recall - RECALL_TOLERANCE, "left"))
        return max(1, place + 1 - self.offset) if place < len(self.recall) else None


NO_RECALL_PRECISION = RecallPrecision(np.zeros(0), np.zeros(0))


def recall_precision(scores: Scores, run: int, query: int | None, *, with_self: bool = False) -> RecallPrecision:
    """What a run reached for a query, or on average over the queries that enter its means.

    Parameters
    ----------
    run : place in `scores`.
    query : place of the query; None for means, in which a missing query counts as the profile says.
    with_self : count the query itself as a relevant model at the place where it stood.
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
    picked = hits.at_least(1)
    inside = enters[picked.query] & (picked.ranks <= last)
    places, owners = picked.ranks[inside] - 1, picked.query[inside]
    shares = np.bincount(places, weights=1.0 / size[owners], minlength=last)
    found = np.bincount(places, minlength=last)
    ranks = np.arange(1, last + 1)
    return RecallPrecision(np.cumsum(shares) / queries, np.cumsum(found) / (queries * ranks), offset)
