"""What the curves of runs are held against: the ideal list, random lists, lines of equal scope, what can be reached."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.evaluation.scores import IDEAL, Scores, mean_over
from shrec_viewer.metrics import HitTable, Profile, find_curve
from shrec_viewer.metrics.curve import CurveKind
from shrec_viewer.metrics.gain import level_gains, weights
from shrec_viewer.metrics.generality_graph import reachable_wedge, scope_lines, usual_scopes

MOST_LINES = 13
"""Lines of equal scope drawn: more than from 1/32 to 128 times the class size cannot be told apart."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Baseline:
    """A line: x, y (K,) float64."""

    x: Floats
    y: Floats


@dataclass(frozen=True, eq=False)
class Baselines:
    """What can be drawn beside the curves of one kind, whether it is shown or not.

    Attributes
    ----------
    class_size, collection : c and d of the query, or of all queries that enter the means where they agree; else None.
    ideal : of the list that has everything relevant first, highest levels first.
    random : expected of random lists; None for kinds without one.
    scopes : (A,) relevant scopes s / c of `lines`; lines (A, 2, 2) from the origin as (recall, precision).
    wedge : (4, 2) corners (recall, precision) of what can be reached, where c and d are known.
    """

    class_size: int | None = None
    collection: int | None = None
    ideal: Baseline | None = None
    random: Baseline | None = None
    scopes: Floats | None = None
    lines: Floats | None = None
    wedge: Floats | None = None


NO_BASELINES = Baselines()


def baselines_of(scores: Scores, kind: CurveKind, query: int | None, points: int) -> Baselines:
    """Ideal, random and scopes for one query, or for the means over the queries that enter those of any run."""
    if not scores.hits:
        return NO_BASELINES
    first, last = (0, len(scores.queries)) if query is None else (query, query + 1)
    hits = scores.hits[0].rows(first, last)
    counted = hits.relevant_size(1) > 0
    if query is None:
        counted = counted & np.any(scores.counted, axis=0)
    if not counted.any():
        return NO_BASELINES
    size, whole = _shared(hits.relevant_size(1)[counted]), _shared(hits.collection_size[counted])
    best = hits.ideal(scores.profile.list_cut)
    ideal = _ideal(scores, kind, best, query, points)
    found = Baselines(size, whole, ideal, _random(best, scores.profile, kind, counted, points))
    return _with_scopes(found) if kind.key.startswith("PR") else found


def _ideal(scores: Scores, kind: CurveKind, best: HitTable, query: int | None, points: int) -> Baseline:
    """The curve of the best lists `best` of a query alone, or the mean over all."""
    if query is not None:
        one = kind.evaluate(best, scores.profile, points)
        return Baseline(np.atleast_2d(one.x)[0], one.y[0])
    run = replace(
        scores,
        runs=(IDEAL,),
        participants=(IDEAL,),
        noticed=scores.noticed[:1],
        answers=scores.answers[:1],
        hits=(best,),
    )
    mean = run.curve(kind.key, 0, None, points)
    return Baseline(mean.x, mean.y)


def _shared(values: NDArray[np.int64]) -> int | None:
    return int(values[0]) if (values == values[0]).all() else None


def _with_scopes(found: Baselines) -> Baselines:
    """Lines of equal scope; those of relevant scope hold for every class size, the wedge for one only."""
    size, whole = found.class_size, found.collection
    if size is None or whole is None:
        scopes = np.exp2(np.arange(-4.0, 5.0))
        return replace(found, scopes=scopes, lines=scope_lines(scopes, 10**6, 10**9))
    usual = usual_scopes(size, whole)
    is_power = np.log2(usual) == np.round(np.log2(usual))
    scopes = np.sort(np.concatenate([usual[is_power][:MOST_LINES], usual[~is_power]]))
    lines, wedge = scope_lines(scopes, size, whole), reachable_wedge(size, whole)
    return replace(found, scopes=scopes, lines=lines, wedge=wedge)


def _random(
    hits: HitTable, profile: Profile, kind: CurveKind, counted: NDArray[np.bool_], points: int
) -> Baseline | None:
    """What random lists are expected to reach, averaged over the counted queries; None where nobody worked it out.

    Parameters
    ----------
    hits : of the best lists.
    """
    ranks = np.arange(1, points + 1, dtype=np.float64)
    whole = np.maximum(hits.collection_size, 1).astype(np.float64)
    generality = hits.relevant_size(1) / whole
    if kind.key in ("PR", "P"):
        level = float(generality[counted].mean())
        x = np.array([0.0, 1.0]) if kind.key == "PR" else ranks
        return Baseline(x, np.full(len(x), level))
    if kind.key == "R":
        return Baseline(ranks, np.minimum(ranks[None, :] / whole[counted, None], 1.0).mean(axis=0))
    if kind.key not in ("CG", "NCG", "DCG", "NDCG") or profile.discount == "rgbd":
        return None
    gained = hits.class_sizes @ level_gains(hits.highest_level, profile)[1:] / whole
    steps = np.ones(points) if kind.key in ("CG", "NCG") else weights(points, profile)[1 : points + 1]
    values = gained[:, None] * np.cumsum(steps)[None, :]
    if kind.key.startswith("N"):
        values = _shares(hits, profile, kind.key[1:], values, points)
    return Baseline(ranks, mean_over(np.where(counted[:, None], values, np.nan), axis=0))


def _shares(hits: HitTable, profile: Profile, key: str, values: Floats, points: int) -> Floats:
    """`values` (Q, K) as shares of the ideal curve of each query."""
    ideal = find_curve(key).evaluate(hits, profile, points).y
    return np.divide(values, ideal, out=np.full(values.shape, np.nan), where=ideal > 0)


def over_recall(baselines: Baselines, scores: Scores, query: int | None, points: int) -> Baselines:
    """The same over the recall that ideal and random lists reach at each rank."""
    if baselines.ideal is None:
        return baselines
    reach = baselines_of(scores, find_curve("R"), query, points)
    assert reach.ideal is not None
    assert reach.random is not None
    random = None if baselines.random is None else Baseline(reach.random.y, baselines.random.y)
    return replace(baselines, ideal=Baseline(reach.ideal.y, baselines.ideal.y), random=random)
