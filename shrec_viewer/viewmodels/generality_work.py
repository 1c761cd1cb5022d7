"""What the generality graph is computed from, as work for a lane: sweeps, chance, class sizes, one embedding."""

from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Cancelled
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.metrics import HitTable
from shrec_viewer.metrics.embedding import embedding_of
from shrec_viewer.metrics.generality import Swept, last_doubling_loss, loss_per_doubling, random_band, sweep
from shrec_viewer.metrics.generality_graph import by_class_size
from shrec_viewer.viewmodels.curves_reached import NOTHING_REACHED, Reached, reached
from shrec_viewer.viewmodels.tasks import Task

Floats = NDArray[np.float64]

GROWING, CLASSES = "growing", "classes"
"""How generality is varied: irrelevant models are added, or classes of other sizes are taken."""

EXPECTED: tuple[Swept, ...] = ("recall", "AP", "NDCG")
"""What is expected at an embedding; the precision follows from the recall at the relevant scope."""


def _nothing() -> Floats:
    return np.zeros(0)


@dataclass(frozen=True)
class Asked:
    """What is to be drawn.

    Attributes
    ----------
    runs : place in the benchmark and name of each.
    query : place of the query; None for means.
    scope : n; recall is within n times the class size.
    how : `GROWING` or `CLASSES`.
    """

    runs: tuple[tuple[int, str], ...]
    query: int | None
    scope: int
    how: str


@dataclass(frozen=True, eq=False)
class GeneralityCurve:
    """Recall at the relevant scope of one run over -log2 of the generality.

    Attributes
    ----------
    run : place in the benchmark.
    x, y : (K,) float64; NaN where undefined.
    spread : (2, K) float64: bounds where lists end early (`GROWING`), confidence intervals (`CLASSES`); None for none.
    reached : recall and precision at every rank of the whole collection.
    loss, last_loss : fall for each doubling of the collection, on average and the last time; NaN where not known.
    """

    run: int
    x: Floats
    y: Floats
    spread: Floats | None
    reached: Reached
    loss: float
    last_loss: float


@dataclass(frozen=True, eq=False)
class GeneralityDrawn:
    """All that is drawn at once.

    Attributes
    ----------
    asked : what was asked for; None for nothing.
    curves : one a run.
    low, high : least and highest -log2 g of the queries in the collection as it was searched; NaN for none.
    class_size, irrelevant : c and e of the queries where all agree, else None.
    chance_x, chance, chance_low, chance_high : (K,) float64, recall of random lists and where it lies 19 times of 20.
    complete : whether all runs asked for are there.
    """

    asked: Asked | None = None
    curves: tuple[GeneralityCurve, ...] = ()
    low: float = float("nan")
    high: float = float("nan")
    class_size: int | None = None
    irrelevant: int | None = None
    chance_x: Floats = field(default_factory=_nothing)
    chance: Floats = field(default_factory=_nothing)
    chance_low: Floats = field(default_factory=_nothing)
    chance_high: Floats = field(default_factory=_nothing)
    complete: bool = False


@dataclass(frozen=True, eq=False)
class Expected:
    """What a run is expected to reach at one level of generality.

    Attributes
    ----------
    run : place in the benchmark.
    doublings : -log2 g.
    recall, average_precision, gain : (2,) float64 each, recall at the relevant scope, AP and NDCG: expected at that
        level, and at the last one that all queries reach, which for one query is the list itself. NaN undefined.
    """

    run: int
    doublings: float
    recall: Floats
    average_precision: Floats
    gain: Floats


def draw(scores: Scores, asked: Asked, task: Task) -> GeneralityDrawn:
    """All curves; each state on the way is sent as a part."""
    hits, counted = _part(scores, asked, 0)
    if asked.query is None or asked.how == CLASSES:  # the first run may lack answers that the others have
        counted = np.any(scores.counted, axis=0)
    drawn = _frame(hits, counted, asked)
    for run, name in asked.runs:
        _listen(task)
        if name in scores.runs:
            curve = _curve(scores, asked, run, scores.run_index(name), task)
            drawn = replace(drawn, curves=(*drawn.curves, curve))
            task.send(drawn)
    return replace(drawn, complete=True)


def _part(scores: Scores, asked: Asked, place: int) -> tuple[HitTable, NDArray[np.bool_]]:
    """The hits of a run that are looked at, and which of their queries enter a mean."""
    hits = scores.hits[place]
    if asked.query is None or asked.how == CLASSES:
        return hits.rows(0, len(hits)), scores.counted[place]
    return hits.rows(asked.query, asked.query + 1), np.ones(1, np.bool_)


def _frame(hits: HitTable, counted: NDArray[np.bool_], asked: Asked) -> GeneralityDrawn:
    """What is the same for all runs: where the present collection is, and chance."""
    embedding = embedding_of(hits)
    takes_part = counted & (hits.relevant_size(1) > 0)
    kinds = np.unique(embedding.kind[takes_part])
    if not len(kinds):
        return GeneralityDrawn(asked)
    now = embedding.doublings[kinds]
    low, high = float(now.min()), float(now.max())
    start = float(np.log2(asked.scope))
    end = high if asked.how == CLASSES else low
    x = np.linspace(start, end, 60) if end > start else np.array([start])
    if asked.how == CLASSES:
        # Each class size has its own collection: chance is n g wherever the point is, and no band is common to them.
        chance = np.minimum(asked.scope * np.exp2(-x), 1.0)
        none = np.full(len(x), np.nan)
        return GeneralityDrawn(asked, (), low, high, None, None, x, chance, none, none)
    band = random_band(embedding, x, relevant_scope=float(asked.scope), counted=counted)
    one = len(kinds) == 1
    size, rest = int(embedding.relevant[kinds[0]]), int(embedding.irrelevant[kinds[0]])
    return GeneralityDrawn(
        asked, (), low, high, size if one else None, rest if one else None, x, band.mean, band.low, band.high
    )


def _curve(scores: Scores, asked: Asked, run: int, place: int, task: Task) -> GeneralityCurve:
    hits, counted = _part(scores, asked, place)
    got = reached(scores, place, asked.query)
    missing = asked.query is not None and bool(scores.missing[place, asked.query])
    if asked.how == CLASSES:
        points = by_class_size(hits, relevant_scope=float(asked.scope), counted=counted)
        x = np.array([point.doublings for point in points])
        y = np.array([point.recall.mean for point in points])
        spread = np.array([[point.recall.low for point in points], [point.recall.high for point in points]])
        return GeneralityCurve(run, x, y, spread.reshape(2, -1), got, float("nan"), float("nan"))
    if missing:
        return GeneralityCurve(run, np.zeros(1), np.full(1, np.nan), None, NOTHING_REACHED, float("nan"), float("nan"))
    grown = sweep(hits, scores.profile, relevant_scope=float(asked.scope), checkpoint=partial(_listen, task))
    lower, upper = grown.mean(counted)
    bounds = np.stack([lower, upper]) if np.any(upper - lower > 1e-12) else None
    x = grown.doublings
    return GeneralityCurve(run, x, lower, bounds, got, loss_per_doubling(x, lower), last_doubling_loss(x, lower))


def _listen(task: Task) -> None:
    if task.cancelled():
        raise Cancelled


def expect(scores: Scores, asked: Asked, run: int, doublings: float | None, task: Task) -> Expected | None:
    """What a run is expected to reach where the generality is ``2 ** -doublings``; None where it was not evaluated.

    Parameters
    ----------
    run : place in the benchmark, of one of those asked for.
    doublings : None for the last level that all queries reach.
    """
    name = dict(asked.runs).get(run)
    if name not in scores.runs:
        return None
    place = scores.run_index(name)
    hits, counted = _part(scores, asked, place)
    now = _frame(hits, counted, asked).low
    levels = [now if doublings is None else min(doublings, now), now]
    missing = asked.query is not None and bool(scores.missing[place, asked.query])
    values = []
    for measure in EXPECTED:
        _listen(task)
        if missing or np.isnan(now):
            values.append(np.full(2, np.nan))
            continue
        grown = sweep(hits, scores.profile, measure, relevant_scope=float(asked.scope), doublings=levels)
        values.append(grown.mean(counted)[0])
    return Expected(run, levels[0], *values)
