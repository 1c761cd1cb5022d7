"""Generality graphs of runs, values expected in larger collections, and the generality surface."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.evaluation.plots.curves import Floats, RunCurve, recall_precision
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.metrics import HitTable
from shrec_viewer.metrics.curves.curve import ROUNDING
from shrec_viewer.metrics.generality.embedding import embedding_of
from shrec_viewer.metrics.generality.expected_measures import (
    ExpectedByGenerality,
    ExpectedMeasure,
    MeanCurves,
    common_levels,
    expected_by_generality,
    random_baseline,
)
from shrec_viewer.metrics.generality.scope_graph import by_class_size, scopes_of_curve
from shrec_viewer.metrics.generality.surface import GeneralitySurface, generality_surface
from shrec_viewer.metrics.profiles.contests import DEFAULT

#: How the generality is varied: by adding irrelevant models, or by classes of different sizes.
ADD_IRRELEVANT, CLASS_SIZES = "growing", "classes"

#: Relevant scopes n of the GRnP graphs, the successive doublings of the source's figure 4.
GENERALITY_SCOPES = (1, 2, 4, 8, 16, 32)

#: Measures of `ExpectedScores`; precision follows from recall at the relevant scope.
EXPECTED_MEASURES: tuple[ExpectedMeasure, ...] = ("recall", "E", "AP", "NDCG")


def _no_values() -> Floats:
    return np.zeros(0)


@dataclass(frozen=True)
class GeneralityRequest:
    """Which curves to compute.

    Attributes
    ----------
    runs : index in the benchmark and name of each run.
    query : index of the query; None for means.
    scope : n; recall is that within n times the class size.
    variation : `ADD_IRRELEVANT` or `CLASS_SIZES`.
    measure : recall at the scope, or the E-measure.
    """

    runs: tuple[tuple[int, str], ...]
    query: int | None
    scope: int
    variation: str
    measure: Literal["recall", "E"] = "recall"

    @property
    def lowest_scope(self) -> int:
        """Relevant scope at which the curves begin."""
        return self.scope if self.measure == "recall" else 1


@dataclass(frozen=True, eq=False)
class GeneralityCurves:
    """Curves of several runs and their random baseline.

    Attributes
    ----------
    request : what was computed; None for nothing.
    curves : one per run.
    low, high : minimum and maximum -log2 g of the queries in the collection; NaN for none.
    class_size, irrelevant : c and e of the queries where all agree, else None.
    ideal_x, ideal : (K,) float64, value of ideal rankings.
    random_x, random, random_low, random_high : (K,) float64, expected value of random rankings and its 95 % interval.
    sizes : -log2 g, and numbers of queries and of their classes, of each class size, where these are varied.
    complete : False while curves of further runs are computed.
    former : curves before the edits of the assessment that differ from those with them.
    """

    request: GeneralityRequest | None = None
    curves: tuple[RunCurve, ...] = ()
    low: float = float("nan")
    high: float = float("nan")
    class_size: int | None = None
    irrelevant: int | None = None
    ideal_x: Floats = field(default_factory=_no_values)
    ideal: Floats = field(default_factory=_no_values)
    random_x: Floats = field(default_factory=_no_values)
    random: Floats = field(default_factory=_no_values)
    random_low: Floats = field(default_factory=_no_values)
    random_high: Floats = field(default_factory=_no_values)
    sizes: tuple[tuple[float, int, int], ...] = ()
    complete: bool = False
    former: tuple[RunCurve, ...] = ()


@dataclass(frozen=True, eq=False)
class ExpectedScores:
    """Expected values of measures of a run at one generality.

    Attributes
    ----------
    run : index in the benchmark.
    doublings : -log2 g.
    recall, e_measure, average_precision, gain : recall at the relevant scope, E, AP and NDCG with their bounds, (2,)
        float64 each: expected at `doublings`, and at the highest -log2 g that all queries have, which for one query is
        its own. NaN undefined.
    """

    run: int
    doublings: float
    recall: MeanCurves
    e_measure: MeanCurves
    average_precision: MeanCurves
    gain: MeanCurves


def generality_curves(
    scores: Scores,
    request: GeneralityRequest,
    checkpoint: Callable[[], None],
    on_run: Callable[[GeneralityCurves], None] | None = None,
) -> GeneralityCurves:
    """The curves of all runs.

    Parameters
    ----------
    checkpoint : called between blocks of work; may raise an exception to cancel.
    on_run : called after each run with the curves computed so far; not for one query, whose curves are found together.
    """
    hits, _ = _requested_hits(scores, request, 0)
    # All of them: the first run may have no results for some queries.
    result = _reference_curves(hits, np.ones(len(hits), np.bool_), request)
    of_query: dict[int, tuple[Floats, MeanCurves]] = {}
    if request.variation == CLASS_SIZES:
        result = replace(result, sizes=_class_sizes(scores, hits, request.scope))
    elif request.query is not None:
        of_query = _expected_of_query(scores, request, request.query, checkpoint)
    for run, name in request.runs:
        checkpoint()
        if name in scores.runs:
            curve = _curve(scores, request, run, scores.run_index(name), of_query, checkpoint)
            result = replace(result, curves=(*result.curves, curve))
            if on_run is not None and not of_query:
                on_run(result)
    return replace(result, complete=True)


def _requested_hits(scores: Scores, request: GeneralityRequest, row: int) -> tuple[HitTable, NDArray[np.bool_]]:
    """Hits of the requested queries that count in means of any run, and a mask of those that count for this run."""
    return _hits_of(scores, None if request.variation == CLASS_SIZES else request.query, row)


def _hits_of(scores: Scores, query: int | None, row: int) -> tuple[HitTable, NDArray[np.bool_]]:
    hits = scores.hits[row]
    if query is not None:
        return hits.rows(query, query + 1), np.ones(1, np.bool_)
    used = np.any(scores.counted, axis=0)  # others would limit the generality that all queries have
    return hits.select(used), scores.counted[row][used]


def _reference_curves(hits: HitTable, counted: NDArray[np.bool_], request: GeneralityRequest) -> GeneralityCurves:
    """The values that do not depend on the run: generality of the collection, and the random baseline."""
    embedding = embedding_of(hits)
    is_counted = counted & (hits.relevant_size(1) > 0)
    kinds = np.unique(embedding.kind[is_counted])
    if not len(kinds):
        return GeneralityCurves(request)
    current = embedding.doublings[kinds]
    low, high = float(current.min()), float(current.max())
    start = float(np.log2(request.lowest_scope))
    end = high if request.variation == CLASS_SIZES else low
    x = np.linspace(start, end, 60) if end > start else np.array([start])
    is_uniform = len(kinds) == 1
    result = GeneralityCurves(
        request,
        (),
        low,
        high,
        int(embedding.relevant[kinds[0]]) if is_uniform else None,
        int(embedding.irrelevant[kinds[0]]) if is_uniform else None,
        random_x=x,
    )
    if request.variation == CLASS_SIZES:
        # Each class size has its own generality: the random baseline is n g at each point, and there is no common band.
        random, none = np.minimum(request.scope * np.exp2(-x), 1.0), np.full(len(x), np.nan)
        ends = np.array([min(0.0, low), high])
        return replace(
            result,
            class_size=None,
            irrelevant=None,
            ideal_x=ends,
            ideal=np.ones(2),
            random=random,
            random_low=none,
            random_high=none,
        )
    band = random_baseline(embedding, x, measure=request.measure, relevant_scope=float(request.scope), counted=counted)
    # All relevant models are within c ranks of an ideal ranking, at every generality.
    ideal = np.ones(len(x))
    if request.measure == "E":
        ideal = expected_by_generality(hits.ideal().select(is_counted), DEFAULT, "E", doublings=x).mean().value
    return replace(
        result,
        ideal_x=x,
        ideal=ideal,
        random=band.mean,
        random_low=band.low,
        random_high=band.high,
    )


def _class_sizes(scores: Scores, hits: HitTable, scope: int) -> tuple[tuple[float, int, int], ...]:
    """`GeneralityCurves.sizes`; each query without a class counts as one class."""
    embedding, labels = embedding_of(hits), scores.query_labels[np.any(scores.counted, axis=0)]
    used = (hits.relevant_size(1) > 0) & (embedding.doublings >= np.log2(scope) - ROUNDING)[embedding.kind]
    found = []
    for kind in np.unique(embedding.kind[used]):
        of = labels[used & (embedding.kind == kind)]
        classes = len(np.unique(of[of >= 0])) + int(np.count_nonzero(of < 0))
        found.append((float(embedding.doublings[kind]), len(of), classes))
    return tuple(sorted(found))


def _expected_of_query(
    scores: Scores, request: GeneralityRequest, query: int, checkpoint: Callable[[], None]
) -> dict[int, tuple[Floats, MeanCurves]]:
    """Levels -log2 g and expected values of the query by row of `scores`, for the runs that have results for it.

    Lists of the same generality are computed together: each contains few relevant models, so that the time is that of
    calls, not of numbers.
    """
    rows = [scores.run_index(name) for _, name in request.runs if name in scores.runs]
    rows = [row for row in rows if not scores.missing[row, query]]
    if not rows:
        return {}
    hits = HitTable.joined([scores.hits[row].rows(query, query + 1) for row in rows])
    kind, found = embedding_of(hits).kind, {}
    for one in np.unique(kind):
        expected = _expected(hits.select(kind == one), scores, request, checkpoint)
        for index, place in enumerate(np.flatnonzero(kind == one)):
            found[rows[place]] = expected.doublings, expected.mean(np.arange(len(expected.value)) == index)
    return found


def _expected(
    hits: HitTable, scores: Scores, request: GeneralityRequest, checkpoint: Callable[[], None]
) -> ExpectedByGenerality:
    return expected_by_generality(
        hits, scores.profile, request.measure, relevant_scope=float(request.scope), checkpoint=checkpoint
    )


def _curve(
    scores: Scores,
    request: GeneralityRequest,
    run: int,
    row: int,
    of_query: Mapping[int, tuple[Floats, MeanCurves]],
    checkpoint: Callable[[], None],
) -> RunCurve:
    reached = recall_precision(scores, row, request.query)
    if request.variation == CLASS_SIZES:
        hits, counted = _requested_hits(scores, request, row)
        points = by_class_size(hits, relevant_scope=float(request.scope), counted=counted)
        x = np.array([point.doublings for point in points])
        y = np.array([point.recall.mean for point in points])
        low, high = (np.array([getattr(point.recall, end) for point in points]) for end in ("low", "high"))
        return RunCurve(run, x, y, reached, np.array([[x, low], [x, high]]))
    if request.query is None:
        hits, counted = _requested_hits(scores, request, row)
        expected = _expected(hits, scores, request, checkpoint)
        x, (y, lower, upper) = expected.doublings, expected.mean(counted)
    elif row in of_query:
        x, (y, lower, upper) = of_query[row]
    else:
        return RunCurve(run, np.zeros(1), np.full(1, np.nan))
    is_certain = not np.any(upper - lower > ROUNDING)
    return RunCurve(run, x, y, reached, None if is_certain else np.array([[x, lower], [x, upper]]))


def expected_scores(
    scores: Scores,
    request: GeneralityRequest,
    run: int,
    doublings: float | None,
    checkpoint: Callable[[], None],
) -> ExpectedScores | None:
    """Expected values of a run at the generality ``2 ** -doublings``; None where the run was not evaluated.

    Parameters
    ----------
    run : index in the benchmark, of a run of the request.
    doublings : None for the highest value that all queries have.
    """
    name = dict(request.runs).get(run)
    if name not in scores.runs:
        return None
    row = scores.run_index(name)
    hits, counted = _requested_hits(scores, request, row)
    current = min(_doublings_of(hits, counted), default=float("nan"))
    shown = current if doublings is None else min(doublings, current)
    levels = np.unique([shown, current])  # one for both, unless the embedding is smaller
    missing = request.query is not None and bool(scores.missing[row, request.query])
    values = []
    for measure in EXPECTED_MEASURES:
        checkpoint()
        if missing or np.isnan(current):
            values.append(MeanCurves(*np.full((3, 2), np.nan)))
            continue
        expected = expected_by_generality(
            hits, scores.profile, measure, relevant_scope=float(request.scope), doublings=levels
        )
        values.append(MeanCurves(*(mean[[0, -1]] for mean in expected.mean(counted))))
    return ExpectedScores(run, shown, *values)


def _doublings_of(hits: HitTable, counted: NDArray[np.bool_]) -> list[float]:
    """-log2 g of the counted queries that have relevant models."""
    embedding = embedding_of(hits)
    return embedding.doublings[embedding.kind[counted & (hits.relevant_size(1) > 0)]].tolist()


def surface_of_run(
    scores: Scores, query: int | None, name: str, checkpoint: Callable[[], None] | None = None
) -> GeneralitySurface | None:
    """Surface of a run at the levels that all queries reach; None where it has no results for the query."""
    row = scores.run_index(name)
    if query is not None and scores.missing[row, query]:
        return None
    hits, counted = _hits_of(scores, query, row)
    levels = common_levels(embedding_of(hits))
    if not len(levels):
        return None
    return generality_surface(
        hits,
        doublings=levels,
        relevant_scopes=scopes_of_curve(hits, float(levels[-1])),
        counted=counted,
        checkpoint=checkpoint,
    )
