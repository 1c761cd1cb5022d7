"""Distances of a run: how well one threshold separates relevant from irrelevant models, and the laws of a metric."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.diagnosis.assessed import lists_of, queries_with_list
from shrec_viewer.domain import Benchmark, Classification, DistanceMatrix, Run
from shrec_viewer.evaluation.evaluate import make_checkpoint, never_cancelled
from shrec_viewer.evaluation.ranked_list import ListHead, ListHeads
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.metrics import Profile
from shrec_viewer.metrics.statistics.bootstrap import SEED
from shrec_viewer.read_only import ReadOnlyArrays

Floats = NDArray[np.float64]

#: Bins of a density between the smallest and the largest distance.
N_BINS = 60

#: Models of which all distances are examined: 27 million triples take 0.1 s.
N_SAMPLED = 300

#: Relative difference of two distances that is rounding: matrices are often written with seven digits.
TOLERANCE = 1e-6

#: Distances of a run that are kept while it is examined, 100 MB with ranks, models and levels.
MAX_KEPT = 4_000_000

#: Distances of a matrix that are compared at a time, 32 MB.
BLOCK_VALUES = 1 << 22


@dataclass(frozen=True, eq=False)
class QueryDistances(ReadOnlyArrays):
    """Distances in one list.

    Attributes
    ----------
    ranks : (n,) int64, 1-based ranks of the models with a finite distance.
    items : (n,) int32, these models; -1 for ids outside the collection.
    values : (n,) float64, distances; negative similarities, so that small is near.
    levels : (n,) uint8, relevance levels.
    relevant_from : lowest relevant level.
    """

    ranks: NDArray[np.int64]
    items: NDArray[np.int32]
    values: Floats
    levels: NDArray[np.uint8]
    relevant_from: int

    @property
    def relevant(self) -> Floats:
        """Distances to relevant models, in the order of the list."""
        return self.values[self.levels >= self.relevant_from]

    @property
    def irrelevant(self) -> Floats:
        """Distances to the other models."""
        return self.values[self.levels < self.relevant_from]

    @property
    def auc(self) -> float:
        """Share of the pairs of a relevant and an irrelevant model in the right order, ties by half; NaN for none."""
        left, right = (np.searchsorted(np.sort(self.irrelevant), self.relevant, side) for side in ("left", "right"))
        n_pairs = len(self.relevant) * len(self.irrelevant)
        return 1.0 - float((left + right).sum()) / (2 * n_pairs) if n_pairs else float("nan")

    @property
    def margin(self) -> float:
        """Distance to the nearest irrelevant model less that to the nearest relevant one, over the median distance.

        Negative where an irrelevant model is nearer; NaN without both, or where the median is 0.
        """
        if not len(self.relevant) or not len(self.irrelevant):
            return float("nan")
        scale = abs(float(np.median(self.values)))
        return float(self.irrelevant.min() - self.relevant.min()) / scale if scale else float("nan")


@dataclass(frozen=True, eq=False)
class RunDistances(ReadOnlyArrays):
    """How well one threshold for all queries separates the distances to relevant models from those to the others.

    Attributes
    ----------
    run : its name.
    n_relevant, n_irrelevant : listed pairs with a finite distance.
    eer : equal error rate, where as many irrelevant models are accepted as relevant ones are rejected.
    auc : area under the ROC curve; ties count by half.
    d_prime : difference of the means over the root of the mean variance (divisor n); NaN without variance.
    far, frr : (P,) float64, share of irrelevant models accepted and of relevant ones rejected, from (0, 1) on: the
        corners of the ROC curve, between which it is straight.
    edges : (B + 1,) float64, limits of the bins of the densities.
    relevant, irrelevant : (B,) float64, densities of the distances to both.
    queries : (n,) int64, queries with a list.
    auc_of_query, margin : (n,) float64, `QueryDistances.auc` and `margin` of each of them.
    n_listed, n_tied : listed models, and those at the same distance as another one in the list.
    n_groups, n_pure : groups of equal distances in a list, and those whose models have the same class.

    Source: NIST speaker recognition evaluations (EER, DET); Green, Swets: Signal detection theory, 1966 (d').
    """

    run: str
    n_relevant: int
    n_irrelevant: int
    eer: float
    auc: float
    d_prime: float
    far: Floats
    frr: Floats
    edges: Floats
    relevant: Floats
    irrelevant: Floats
    queries: NDArray[np.int64]
    auc_of_query: Floats
    margin: Floats
    n_listed: int
    n_tied: int
    n_groups: int
    n_pure: int

    @property
    def pure_ties(self) -> bool:
        """Whether most listed models are tied, and only with models of their class: the distances know the classes."""
        return self.n_groups == self.n_pure and 2 * self.n_tied > self.n_listed

    @property
    def auc_within(self) -> float:
        """Mean AUC of single queries; far above `auc` where distances of different queries are not comparable."""
        return float(np.nanmean(self.auc_of_query)) if np.isfinite(self.auc_of_query).any() else float("nan")


def query_distances(benchmark: Benchmark, profile: Profile, run: Run, query: int) -> QueryDistances | None:
    """Distances in the list of a run for one query; None where the list has no numbers."""
    head = ListHeads(benchmark, run, profile).head(query, sys.maxsize)
    found = _distances_of(head, profile.relevant_from, is_similarity=run.ranking.similarity)
    return found if len(found.values) else None


def _distances_of(head: ListHead, relevant_from: int, *, is_similarity: bool) -> QueryDistances:
    ranks = np.flatnonzero(np.isfinite(head.distances))
    values = -head.distances[ranks] if is_similarity else head.distances[ranks]
    return QueryDistances(ranks + 1, head.items[ranks], values, head.levels[ranks], relevant_from)


def run_distances(scores: Scores, run: int, *, cancelled: Callable[[], bool] = never_cancelled) -> RunDistances | None:
    """Statistics of the distances of a run of `scores`; None unless relevant and irrelevant models have distances.

    Of runs with more than `MAX_KEPT` distances, lists are read twice and only the distances to relevant models are
    kept. The result is exact for all.

    Raises
    ------
    Cancelled
        If `cancelled` returned True.
    """
    checkpoint, queries = make_checkpoint(cancelled), queries_with_list(scores, run)
    is_similarity = scores.benchmark.run(scores.runs[run]).ranking.similarity

    def every() -> Iterator[QueryDistances]:
        for _, head in lists_of(scores, run, queries, checkpoint):
            yield _distances_of(head, scores.profile.relevant_from, is_similarity=is_similarity)

    is_small = len(queries) * len(scores.benchmark.collection) <= MAX_KEPT
    kept = list(every()) if is_small else None
    lists = [_first_pass(found, scores.benchmark.classification) for found in kept or every()]
    relevant = np.concatenate([np.zeros(0), *(one.relevant for one in lists)])
    totals = np.array([one.counts for one in lists], np.int64).reshape(-1, 4).sum(axis=0)
    n_listed, n_tied, n_groups, n_pure = totals.tolist()
    n_relevant, n_irrelevant = len(relevant), n_listed - len(relevant)
    if not n_relevant or not n_irrelevant:
        return None
    lowest, highest = min(one.lowest for one in lists), max(one.highest for one in lists)
    edges = np.linspace(lowest, highest, N_BINS + 1) if highest > lowest else np.array([lowest - 0.5, lowest + 0.5])
    values, counts = np.unique(relevant, return_counts=True)
    # Irrelevant models by the number of distinct relevant distances up to their own, and those equal to one of them.
    nearer, equal = np.zeros(len(values) + 1, np.int64), np.zeros(len(values), np.int64)
    histogram, sums, centre = np.zeros(len(edges) - 1), np.zeros(2), float(relevant.mean())
    for found in kept or every():
        others = found.irrelevant
        up_to = np.searchsorted(values, others, "right")
        nearer += np.bincount(up_to, minlength=len(nearer))
        equal += np.bincount(up_to[(up_to > 0) & (values[up_to - 1] == others)] - 1, minlength=len(equal))
        histogram += np.histogram(others, edges)[0]
        sums += (others - centre).sum(), np.square(others - centre).sum()
    # The corners before and after each distinct relevant distance: between them only one of the two shares changes.
    before = np.cumsum(nearer)[:-1]
    far = np.concatenate([[0.0], np.stack([before, before + equal], axis=1).ravel() / n_irrelevant, [1.0]])
    rejected = n_relevant - np.concatenate([[0], np.cumsum(counts)])
    frr = np.concatenate([[1.0], np.stack([rejected[:-1], rejected[1:]], axis=1).ravel() / n_relevant, [0.0]])
    difference = sums[0] / n_irrelevant  # of the mean of irrelevant distances from `centre`
    variance = (float(relevant.var()) + sums[1] / n_irrelevant - difference**2) / 2.0
    return RunDistances(
        scores.runs[run], n_relevant, n_irrelevant, _equal_error_rate(far, frr),
        auc=float(np.sum(np.diff(far) * (1.0 - (frr[1:] + frr[:-1]) / 2.0))),
        d_prime=abs(float(difference)) / float(np.sqrt(variance)) if variance > 0 else float("nan"),
        far=far, frr=frr, edges=edges,
        relevant=np.histogram(relevant, edges)[0] / (n_relevant * np.diff(edges)),
        irrelevant=histogram / (n_irrelevant * np.diff(edges)),
        queries=queries, auc_of_query=np.array([one.auc for one in lists]),
        margin=np.array([one.margin for one in lists]),
        n_listed=n_listed, n_tied=n_tied, n_groups=n_groups, n_pure=n_pure,
    )  # fmt: skip


class _FirstPass(NamedTuple):
    """Of one list: listed and tied models, groups of equal distances and pure ones; and what is kept of it."""

    counts: tuple[int, int, int, int]
    relevant: Floats
    lowest: float
    highest: float
    auc: float
    margin: float


def _first_pass(found: QueryDistances, tree: Classification | None) -> _FirstPass:
    values = found.values
    starts = np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1]])[: len(values)])
    sizes = np.diff(np.append(starts, len(values)))
    # Without classes, models of one level count as those of one class.
    of_models = found.levels.astype(np.int64) if tree is None else tree.labels[found.items].astype(np.int64)
    of_models[(found.items < 0) | (of_models < 0)] = -1
    lowest, highest = (of.reduceat(of_models, starts) if len(starts) else of_models for of in (np.minimum, np.maximum))
    is_tied = sizes > 1
    counts = (
        len(values),
        int(sizes[is_tied].sum()),
        int(is_tied.sum()),
        int((is_tied & (lowest == highest) & (lowest >= 0)).sum()),
    )
    ends = (float(values.min(initial=np.inf)), float(values.max(initial=-np.inf)))
    return _FirstPass(counts, found.relevant, *ends, found.auc, found.margin)


def _equal_error_rate(far: Floats, frr: Floats) -> float:
    """Where the straight line from the last point with far < frr to the next one has far = frr."""
    after = int(np.argmax(far >= frr))
    gap, next_gap = frr[after - 1] - far[after - 1], far[after] - frr[after]
    return float(far[after - 1] + gap / (gap + next_gap) * (far[after] - far[after - 1]))


@dataclass(frozen=True)
class MetricLaws:
    """Whether a matrix obeys the laws of a metric, for the distances among some models.

    Attributes
    ----------
    n_models : models whose distances to each other were examined.
    n_pairs, n_asymmetric : pairs, and those whose two distances differ.
    n_nonzero : models at a distance from themselves.
    n_triples, n_violations : triples (i, j, k) of different models, and those with d(i, k) > d(i, j) + d(j, k).
    is_complete : whether these are all models of the matrix.
    """

    n_models: int
    n_pairs: int
    n_asymmetric: int
    n_nonzero: int
    n_triples: int
    n_violations: int
    is_complete: bool


def metric_laws(benchmark: Benchmark, run: Run, *, cancelled: Callable[[], bool] = never_cancelled) -> MetricLaws | str:
    """The laws of a metric among at most `N_SAMPLED` models, drawn with a fixed seed; or why none can be examined.

    Raises
    ------
    Cancelled
        If `cancelled` returned True.
    """
    found = _models_of(benchmark, run)
    if isinstance(found, str):
        return found
    rows, columns = found
    checkpoint, n_all = make_checkpoint(cancelled), len(rows)
    chosen = np.sort(np.random.default_rng(SEED).permutation(n_all)[:N_SAMPLED])
    assert isinstance(run.ranking, DistanceMatrix)
    matrix = np.asarray(run.ranking.values[rows[chosen]], np.float64)[:, columns[chosen]]
    if not np.isfinite(matrix).all():
        return f"{run.name} has distances that are not finite"
    n, scale = len(matrix), float(np.abs(matrix).max())
    difference = np.abs(matrix - matrix.T)[np.triu_indices(n, 1)]
    n_violations = 0
    for middle in range(n):
        checkpoint()
        around = matrix[:, middle, None] + matrix[middle]
        around[middle] = around[:, middle] = np.inf  # triples of different models
        np.fill_diagonal(around, np.inf)
        n_violations += int(np.count_nonzero(matrix > around + TOLERANCE * scale))
    return MetricLaws(
        n, len(difference), int(np.count_nonzero(difference > TOLERANCE * scale)),
        int(np.count_nonzero(np.abs(np.diag(matrix)) > TOLERANCE * scale)),
        n * (n - 1) * (n - 2), n_violations, n == n_all,
    )  # fmt: skip


def query_violations(
    benchmark: Benchmark, run: Run, query: int, *, cancelled: Callable[[], bool] = never_cancelled
) -> tuple[int, int] | str:
    """Triples of a query and two other models, and those that violate the triangle inequality; or why there are none.

    Raises
    ------
    Cancelled
        If `cancelled` returned True.
    """
    found = _models_of(benchmark, run)
    if isinstance(found, str):
        return found
    rows, columns = found
    assert isinstance(run.ranking, DistanceMatrix)
    values, checkpoint, own = run.ranking.values, make_checkpoint(cancelled), int(run.ranking.rows[query])
    if own not in rows:
        return f"{run.name} has no distances from query '{benchmark.queries.ids[query]}' to itself"
    first = np.asarray(values[own : own + 1], np.float64)[0, columns]
    scale, n, violations, itself = float(np.abs(first).max()), len(rows), 0, int(np.flatnonzero(rows == own)[0])
    step = max(1, BLOCK_VALUES // n)
    for start in range(0, n, step):
        checkpoint()
        middle = np.arange(start, min(start + step, n))
        around = np.asarray(values[rows[middle]], np.float64)[:, columns] + first[middle, None]
        around[np.arange(len(middle)), middle] = around[:, itself] = np.inf
        around[middle == itself] = np.inf
        violations += int(np.count_nonzero(first > around + TOLERANCE * scale))
    return (n - 1) * (n - 2), violations


def _models_of(benchmark: Benchmark, run: Run) -> tuple[NDArray[np.int64], NDArray[np.int64]] | str:
    """Row and column of each model that has both in the matrix of a run; or why there are fewer than three."""
    matrix = run.ranking
    if not isinstance(matrix, DistanceMatrix):
        return f"{run.name} is no matrix"
    if matrix.similarity:
        return f"{run.name} has similarities"
    column_of = np.full(len(benchmark.collection), -1, np.int64)
    column_of[matrix.columns[matrix.columns >= 0]] = np.flatnonzero(matrix.columns >= 0)
    queries = np.flatnonzero((benchmark.queries.member >= 0) & (matrix.rows >= 0))
    columns = column_of[benchmark.queries.member[queries]]
    rows = matrix.rows[queries].astype(np.int64)[columns >= 0]
    if len(rows) < 3:
        return f"the queries of {run.name} are no models of the collection: there are no triangles"
    return rows, columns[columns >= 0]
