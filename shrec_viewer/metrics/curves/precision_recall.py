"""Precision and recall curves: over recall (psbPlot, trec_eval, all points), and by rank."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.metrics.curves.curve import Curve, CurveAverage, CurveValues, rank_axis
from shrec_viewer.metrics.measures.precision_recall import counts_from, dynamic_recall_hits, precision_divisors
from shrec_viewer.metrics.measures.sources import (
    GENERALITY_PR,
    PSB_PLOT,
    SHREC_2006,
    SHREC_2012,
    SHREC_2019,
    TREC_EVAL,
    TYPKE,
)
from shrec_viewer.metrics.profiles.profile import Profile
from shrec_viewer.metrics.ranking.hit_table import (
    HitTable,
    findable_size,
    found_at_ranks,
    generality,
    ratio_or_nan,
)

#: Recall levels of psbPlot, 0.05 … 1.
SAMPLES = 20

#: psbPlot draws no curve for fewer relevant models.
SMALLEST_CLASS = 2

#: Points of a mean precision-recall curve: every rank up to about 40, then at increasing distance, to the end of the
#: list. More are not distinguishable on a screen.
MAX_SCOPES = 256


def twenty_points(hits: HitTable, profile: Profile, points: int) -> CurveValues:
    """Precision at recall 0.05, 0.10 … 1, interpolated linearly between the relevant models (psbPlot).

    NaN at a recall below that of the first relevant model (1/C), and for fewer than two relevant models.
    """
    found = hits.at_least(1)
    return at_twenty_recalls(hits, found.number / found.ranks)


def at_twenty_recalls(hits: HitTable, values: NDArray[np.float64]) -> CurveValues:
    """Values at the relevant models, sampled at recall 0.05, 0.10 … 1; see `twenty_points`.

    Parameters
    ----------
    values : (n,) float64, one for each hit; relevant models that are not in a list have 0.
    """
    found = hits.at_least(1)
    size = hits.relevant_size(1)
    recall = np.arange(1, SAMPLES + 1) / SAMPLES
    # Recall j/20 is reached at the relevant model number j C / 20, which is in general between two of them.
    index = np.maximum(recall[None, :] * size[:, None] - 1.0, 0.0)
    before = index.astype(np.int64)
    fraction = index - before
    at_hit = _AtHits(values, found.indptr)
    # psbPlot interpolates linearly, not to the highest precision beyond, as trec_eval does.
    sampled = at_hit.take(before) * (1.0 - fraction) + at_hit.take(before + 1) * fraction
    # j C >= 20 in integers: the float j / 20 * C is below 1 for some exact multiples.
    drawn = (size[:, None] >= SMALLEST_CLASS) & (size[:, None] * np.arange(1, SAMPLES + 1)[None, :] >= SAMPLES)
    return CurveValues(recall, np.where(drawn, sampled, np.nan))


class _AtHits:
    """A value at the relevant models of each query, 0 for those not in the list."""

    def __init__(self, values: NDArray[np.float64], indptr: NDArray[np.int64]) -> None:
        # The appended 0 is the value of all models that are not in the list.
        self._values = np.append(values, 0.0)
        self._indptr = indptr

    def take(self, number: NDArray[np.int64]) -> NDArray[np.float64]:
        """(Q, K) value at the relevant model with the 0-based index `number` (Q, K)."""
        index = self._indptr[:-1, None] + number
        return self._values[np.where(index < self._indptr[1:, None], index, len(self._values) - 1)]


def twenty_points_with_query(hits: HitTable, profile: Profile, points: int) -> CurveValues:
    """As `twenty_points`, with the query itself counted as a relevant model at its rank."""
    return twenty_points(hits.with_query, profile, points)


def eleven_points(hits: HitTable, profile: Profile, points: int) -> CurveValues:
    """Highest precision at or beyond recall 0, 0.1 … 1, 0 if the list does not reach it (trec_eval's iprec).

    The relevant model that reaches recall r is number int(r C + 0.9).
    """
    found = hits.at_least(1)
    size = hits.relevant_size(1)
    recall = np.arange(11) / 10.0
    # int(r C + 0.9) as in trec_eval 9 (m_iprec_at_recall.c), which rounds up except for the smallest fractions.
    needed = (recall[None, :] * size[:, None] + 0.9).astype(np.int64)
    best = _AtHits(_best_from_here(found.number / found.ranks, found.indptr), found.indptr)
    values = best.take(np.maximum(needed - 1, 0))
    return CurveValues(recall, np.where(size[:, None] > 0, values, np.nan))


def _best_from_here(values: NDArray[np.float64], indptr: NDArray[np.int64]) -> NDArray[np.float64]:
    """(n,) maximum of the values of the same query from each index on."""
    best = values.copy()
    # A loop over queries: a running maximum cannot be reset within one array.
    for start, stop in pairwise(indptr):
        best[start:stop] = np.maximum.accumulate(values[start:stop][::-1])[::-1]
    return best


def all_points(hits: HitTable, profile: Profile, points: int) -> CurveValues:
    """Recall and precision at each relevant model of the list, (Q, K) both, NaN after the last one."""
    found = hits.at_least(1)
    return at_every_hit(hits, found.number / found.ranks)


def at_every_hit(hits: HitTable, values: NDArray[np.float64]) -> CurveValues:
    """Values at the relevant models (n,), over recall; (Q, K) both, NaN after the last hit of a query."""
    found = hits.at_least(1)
    longest = int(np.diff(found.indptr).max(initial=0))
    x = np.full((len(hits), longest), np.nan)
    y = np.full((len(hits), longest), np.nan)
    x[found.query, found.number - 1] = ratio_or_nan(found.number, hits.relevant_size(1)[found.query])
    y[found.query, found.number - 1] = values
    return CurveValues(x, y)


def random_precision_recall(hits: HitTable, profile: Profile, points: int) -> CurveValues:
    """Expected precision of a random ranking: the generality c / d at every recall from 0 to 1."""
    return CurveValues(np.array([0.0, 1.0]), np.repeat(generality(hits)[:, None], 2, axis=1))


def by_rank(hits: HitTable, profile: Profile, points: int) -> CurveValues:
    """Recall and precision within the first s ranks, (Q, K) both, for the same s of all queries.

    Mean points of classes of different size are not on the line of a relevant scope; see `by_generality`.
    """
    # Ranks of the longest list, for all queries: the same scope s for each is what "equal rank" means.
    scopes = sampled_scopes(int(hits.list_length.max(initial=1)))
    within = found_at_ranks(hits, 1, scopes)
    size = hits.relevant_size(1)
    y = np.where(size[:, None] > 0, within / scopes[None, :], np.nan)
    return CurveValues(ratio_or_nan(within, size[:, None]), y)


def by_generality(hits: HitTable, profile: Profile, points: int) -> CurveValues:
    """Recall and precision at the same relevant scopes and generality for all queries; see `at_generality`."""
    return at_generality(hits, None)


def at_generality(hits: HitTable, doublings: float | None) -> CurveValues:
    """Expected recall and precision, (Q, K) both, at the same relevant scopes in collections of one generality.

    Parameters
    ----------
    doublings : -log2 g, at most that of the query with the largest class; None for that.

    Returns
    -------
    CurveValues
        Mean points are on the lines of their relevant scopes, and the ideal system has recall = precision = 1 at
        relevant scope 1 (Sebe et al., section 3.4).
    """
    # Imported here: scores need no expected values.
    from shrec_viewer.metrics.generality.embedding import embedding_of
    from shrec_viewer.metrics.generality.expected_measures import common_levels
    from shrec_viewer.metrics.generality.scope_graph import scope_points, scopes_of_curve

    common = common_levels(embedding_of(hits))
    if not len(common):
        empty = np.full((len(hits), 1), np.nan)
        return CurveValues(empty, empty)
    # Beyond the last common level the queries with large classes would drop out, and the mean would be over others.
    level = float(common[-1]) if doublings is None else min(doublings, float(common[-1]))
    return scope_points(hits, level, scopes_of_curve(hits, level))


def sampled_scopes(last: int) -> NDArray[np.int64]:
    """Ranks 1 … `last`, at most `MAX_SCOPES` of them with approximately geometric spacing."""
    # unique, as the first ranks of the geometric series round to the same number.
    return np.unique(np.round(np.geomspace(1, max(last, 1), MAX_SCOPES)).astype(np.int64))


def f_at_hits(hits: HitTable, profile: Profile, points: int) -> CurveValues:
    """F-measure 2 k / (p_k + C) at each relevant model of the list, over recall k / C."""
    return at_every_hit(hits, _f_of_hits(hits))


def f_at_recalls(hits: HitTable, profile: Profile, points: int) -> CurveValues:
    """The same at recall 0.05, 0.10 … 1, so that queries can be averaged."""
    return at_twenty_recalls(hits, _f_of_hits(hits))


def _f_of_hits(hits: HitTable) -> NDArray[np.float64]:
    found = hits.at_least(1)
    return 2.0 * found.number / (found.ranks + hits.relevant_size(1)[found.query])


PR20 = Curve(
    key="PR20",
    label="Precision-recall, 20 points",
    x_label="Recall",
    y_label="Precision",
    x_range=(0.0, 1.0),
    y_range=(0.0, 1.0),
    definition="Precision at recall j/20, j = 1 … 20, interpolated linearly between the precisions k / p_k at the "
    "relevant models: at index j C / 20 - 1, counted from 0. A query enters only where C >= 20/j and C >= 2; a model "
    "that is not retrieved has precision 0.",
    source=PSB_PLOT,
    function=twenty_points,
    x="recall",
    y="precision",
    averages=(CurveAverage("recall", twenty_points, "20 points"),),
    short_label="20 points",
)
PR20_WITH_QUERY = replace(
    PR20,
    key="PR20(self)",
    label="Precision-recall, 20 points, the query as a hit",
    definition="The same with the query itself counted as a relevant model at its rank in its own "
    "list, as drawn by the released psbPlot, although its documentation excludes the query. Favours small "
    "classes: precision at recall 1/|C| is 1.",
    function=twenty_points_with_query,
    averages=(CurveAverage("recall", twenty_points_with_query, "20 points"),),
    counts_query=True,
    short_label="20 points, the query as a hit",
)
PR11 = replace(
    PR20,
    key="PR11",
    label="Precision-recall, 11 points",
    y_label="Interpolated precision",
    definition="Highest precision at any rank at or beyond that of relevant model number int(r C + 0.9), for recall "
    "r = 0, 0.1 … 1; 0 where the list ends before.",
    source=TREC_EVAL,
    function=eleven_points,
    averages=(CurveAverage("recall", eleven_points, "11 points"),),
    short_label="11 points",
)
PR = replace(
    PR20,
    key="PR",
    label="Precision-recall, all points",
    definition="Recall k / C and precision k / p_k at each relevant model of the list. The curve of a run is the mean "
    "at equal recall (20 points), at equal relevant scope and generality (each query in a random part of the "
    "collection, so that all have the same share of relevant models), or at equal rank.",
    source=f"{SHREC_2012}; {SHREC_2019}; {GENERALITY_PR}",
    function=all_points,
    random=random_precision_recall,
    short_label="All points",
    averages=(
        CurveAverage("recall", twenty_points, "20 points"),
        CurveAverage("generality", by_generality),
        CurveAverage("rank", by_rank),
    ),
    at_generality=at_generality,
)
F_BY_RECALL = Curve(
    key="F1(recall)",
    label="F-measure against recall",
    x_label="Recall",
    y_label="F-measure",
    x_range=(0.0, 1.0),
    y_range=(0.0, 1.0),
    definition="Harmonic mean of precision and recall at each point of the precision-recall curve: 2 k / (p_k + C) at "
    "relevant model number k. The curve of a run is the mean over queries at equal recall, interpolated linearly "
    "between relevant models, 0 for those not in the list.",
    source=f"{SHREC_2012}; {SHREC_2019}",
    function=f_at_hits,
    x="recall",
    averages=(CurveAverage("recall", f_at_recalls, "20 points"),),
    short_label="F1  F-measure against recall",
)


def precision_curve(hits: HitTable, profile: Profile, points: int) -> CurveValues:
    """P@1 … P@points; NaN without relevant models."""
    ranks = rank_axis(points)
    values = _found_by_rank(hits, 1, points) / precision_divisors(hits, profile, 1, np.arange(1, points + 1))
    return CurveValues(ranks, _past_end(hits, profile, np.where(hits.relevant_size(1)[:, None] > 0, values, np.nan)))


def recall_curve(hits: HitTable, profile: Profile, points: int) -> CurveValues:
    """R@1 … R@points; NaN without relevant models."""
    values = ratio_or_nan(_found_by_rank(hits, 1, points), findable_size(hits, profile, 1)[:, None])
    return CurveValues(rank_axis(points), _past_end(hits, profile, values))


def random_precision(hits: HitTable, profile: Profile, points: int) -> CurveValues:
    """Expected P@1 … P@points of a random ranking: the generality c / d at every rank."""
    return CurveValues(rank_axis(points), np.repeat(generality(hits)[:, None], points, axis=1))


def random_recall(hits: HitTable, profile: Profile, points: int) -> CurveValues:
    """Expected R@1 … R@points of a random ranking: rank / d, at most 1."""
    ranks = rank_axis(points)
    whole = np.maximum(hits.collection_size, 1).astype(np.float64)
    # Each relevant model is equally likely at each of the d ranks: E[v(s)] / c = s / d.
    return CurveValues(ranks, np.minimum(ranks[None, :] / whole[:, None], 1.0))


def dynamic_recall_curve(hits: HitTable, profile: Profile, points: int) -> CurveValues:
    """ADR@1 … ADR@points; NaN without relevant models."""
    ranks = np.arange(1, points + 1)
    hits = dynamic_recall_hits(hits, profile)
    cells = hits.query * (points + 1) + np.minimum(counts_from(hits, profile), points + 1) - 1
    starts = np.bincount(cells, minlength=len(hits) * (points + 1)).reshape(len(hits), points + 1)
    counted = np.cumsum(starts[:, :-1], axis=1)
    last = np.broadcast_to(ranks, counted.shape)
    if profile.adr == "shrec2006":
        last = np.minimum(last, hits.list_length[:, None])
    # No terms after the end of a list where the profile stops there; the sum then stays constant.
    recalls = np.where(ranks[None, :] <= last.max(axis=1, initial=0)[:, None], counted / ranks[None, :], 0.0)
    values = np.cumsum(recalls, axis=1) / np.maximum(last, 1)
    return CurveValues(ranks.astype(np.float64), np.where(hits.relevant_size(1)[:, None] > 0, values, np.nan))


def _found_by_rank(hits: HitTable, level: int, points: int) -> NDArray[np.int64]:
    """(Q, points) int64, number of models of at least `level` within the first 1 … points ranks."""
    return found_at_ranks(hits, level, np.arange(1, points + 1))


def _past_end(hits: HitTable, profile: Profile, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """`values` (Q, K) at the ranks 1 … K, or 0 after the end of each list if the profile defines so."""
    if profile.past_end == "hold":
        return values
    beyond = np.arange(1, values.shape[1] + 1)[None, :] > hits.list_length[:, None]
    return np.where(beyond & ~np.isnan(values), 0.0, values)


P_CURVE = Curve(
    key="P",
    label="Precision by rank",
    x_label="Rank",
    y_label="Precision",
    x_range=None,
    y_range=(0.0, 1.0),
    definition="P@K: share of relevant models within the first K ranks. Unused ranks of a short list are not "
    "relevant; for ShapeNet the curve is 0 after the end of a list.",
    source=TREC_EVAL,
    function=precision_curve,
    random=random_precision,
    x="rank",
    y="precision",
    common=True,
)
R_CURVE = Curve(
    key="R",
    label="Recall by rank",
    x_label="Rank",
    y_label="Recall",
    x_range=None,
    y_range=(0.0, 1.0),
    definition="R@K: share of the relevant models within the first K ranks, constant after the end of the "
    "list; for ShapeNet 0 there.",
    source=TREC_EVAL,
    function=recall_curve,
    random=random_recall,
    x="rank",
    y="recall",
    common=True,
)
ADR_CURVE = Curve(
    key="ADR",
    label="Average dynamic recall",
    x_label="Rank",
    y_label="Average dynamic recall",
    x_range=None,
    y_range=(0.0, 1.0),
    definition="ADR@K: mean over the ranks i = 1 … K of the recall relative to the possible one, f(i) / i, where f(i) "
    "counts the models within i ranks of at least the level at rank i of the ideal list: with two levels the highly "
    "relevant ones while i <= Ch, and all relevant ones beyond. SHREC 2006 stops at the end of a list.",
    source=f"{TYPKE}; {SHREC_2006}",
    function=dynamic_recall_curve,
    x="rank",
)
