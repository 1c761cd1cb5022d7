"""Similarity of the lists of runs: rank-biased overlap, AP correlation and common models; copies; order by linkage."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.diagnosis.assessed import lists_of
from shrec_viewer.domain import Benchmark
from shrec_viewer.evaluation.evaluate import Progress, make_checkpoint, never_cancelled
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.formats.discovery.copies import NEAR_COPY
from shrec_viewer.formats.runs.version_store import content_digest
from shrec_viewer.metrics.statistics.rank_correlation import tau_ap_of_ranks
from shrec_viewer.read_only import ReadOnlyArrays

Floats = NDArray[np.float64]

#: Persistence of the rank-biased overlap: the first 10 ranks have 86 % of the weight.
RBO_P = 0.9

#: Ranks of lists that are compared: all others have less weight together than rounding, 0.9 ** 400 = 5e-19.
RBO_DEPTH = 400

#: Ranks among which the AP correlation compares the common models of two lists.
TAU_DEPTH = 1000

#: Rank of a model that a list does not contain.
NOT_LISTED = np.iinfo(np.int32).max

#: What `run_similarity` computes, and its names for display.
SIMILARITIES = {"rbo": "Rank-biased overlap", "tau_ap": "AP correlation", "jaccard": "Common models"}


@dataclass(frozen=True, eq=False)
class RunSimilarity(ReadOnlyArrays):
    """Mean similarity of the lists of each two runs.

    Attributes
    ----------
    kind : key of `SIMILARITIES`.
    runs : (R,) names.
    values : (R, R) float64, mean over the queries for which both have a list; NaN without any. At [a, b] of the AP
        correlation, a is the truth.
    n_queries : (R, R) int64, number of these queries.
    merges : (R - 1, 4) float64, average linkage by 1 - similarity as in scipy: the two clusters, where those from R on
        are the earlier merges, their distance, and the number of runs.
    order : (R,) int64, runs in the order of the dendrogram.
    """

    kind: str
    runs: tuple[str, ...]
    values: Floats
    n_queries: NDArray[np.int64]
    merges: Floats
    order: NDArray[np.int64]


def run_similarity(
    scores: Scores,
    kind: str = "rbo",
    k: int = 10,
    *,
    cancelled: Callable[[], bool] = never_cancelled,
    progress: Progress | None = None,
) -> RunSimilarity:
    """Similarity of the lists of all runs of `scores`, of ids in the collection.

    Parameters
    ----------
    kind : ``"rbo"`` with p = `RBO_P`; ``"tau_ap"`` of the models among the first `TAU_DEPTH` of both; ``"jaccard"``,
        the share of the models among the first `k` of either that are among those of both.
    k : ranks for ``"jaccard"``.

    Raises
    ------
    Cancelled
        If `cancelled` returned True.

    Source: Webber, Moffat, Zobel 2010 and Yilmaz, Aslam, Robertson 2008; see `rank_biased_overlap` and `tau_ap`.
    """
    n_runs, checkpoint = len(scores.runs), make_checkpoint(cancelled)
    depth = {"rbo": RBO_DEPTH, "tau_ap": TAU_DEPTH, "jaccard": k}[kind]
    queries = np.flatnonzero(~scores.excluded)
    readers = [lists_of(scores, run, queries, checkpoint, depth) for run in range(n_runs)]
    sums, counts = np.zeros((n_runs, n_runs)), np.zeros((n_runs, n_runs), np.int64)
    ranks = np.empty((n_runs, len(scores.benchmark.collection)), np.int64)
    for done, heads in enumerate(zip(*readers, strict=True)):
        if progress is not None:
            progress(done, len(queries), "query")
        lists = [head.items[head.items >= 0] for _, head in heads]
        lengths = np.array([len(items) for items in lists])
        ranks.fill(NOT_LISTED)
        for run, items in enumerate(lists):
            ranks[run, items] = np.arange(len(items))
        for run in np.flatnonzero(lengths).tolist():
            found = _similarities(kind, ranks[run:, lists[run]], lengths[run:])
            sums[run, run:] += np.nan_to_num(found[0])
            sums[run + 1 :, run] += np.nan_to_num(found[1, 1:])
            counts[run, run:] += ~np.isnan(found[0])
    counts += np.triu(counts, 1).T
    values = np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)
    return _linked(kind, scores.runs, values, counts)


def _linked(kind: str, runs: tuple[str, ...], values: Floats, counts: NDArray[np.int64]) -> RunSimilarity:
    merges, order = average_linkage(1.0 - np.nan_to_num((values + values.T) / 2.0))
    return RunSimilarity(kind, runs, values, counts, merges, order)


def similarity_of(found: RunSimilarity, rows: Sequence[int]) -> RunSimilarity:
    """The similarity of some of the runs."""
    cells = np.ix_(rows, rows)
    return _linked(found.kind, tuple(found.runs[row] for row in rows), found.values[cells], found.n_queries[cells])


def _similarities(kind: str, ranks: NDArray[np.int64], lengths: NDArray[np.int64]) -> Floats:
    """(2, R) similarity of a list and that of each run, with the first as the truth and the second; NaN undefined.

    Parameters
    ----------
    ranks : (R, n) int64, rank from 0 on of each model of the list in that of each run, or `NOT_LISTED`.
    lengths : (R,) int64, number of models in the list of each run.
    """
    own, is_common = np.arange(ranks.shape[1]), ranks < NOT_LISTED
    if kind == "tau_ap":
        rows = (row[common] for row, common in zip(ranks, is_common, strict=True))
        return np.array([tau_ap_of_ranks(np.argsort(np.argsort(row))) for row in rows]).T
    n_common = is_common.sum(axis=1)
    if kind == "jaccard":
        found = np.where(lengths > 0, n_common / (len(own) + lengths - n_common), np.nan)
        return np.stack([found, found])
    # A model is common to both lists from the larger one of its ranks on: `rank_biased_overlap` of all runs at once.
    depth = np.minimum(lengths, len(own))
    first_common = np.maximum(own, ranks)
    is_common = first_common < depth[:, None]
    number = np.arange(1, len(own) + 1)
    weight = np.concatenate([[0.0], np.cumsum(RBO_P**number / number)])
    gained = np.where(is_common, weight[depth][:, None] - weight[np.minimum(first_common, len(own))], 0.0).sum(axis=1)
    found = gained * (1.0 - RBO_P) / RBO_P + is_common.sum(axis=1) / np.maximum(depth, 1) * RBO_P**depth
    found[depth == 0] = np.nan
    return np.stack([found, found])


def average_linkage(distances: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """`RunSimilarity.merges` and `order` of symmetric distances (R, R); of equal ones, the first pair merges first."""
    n = len(distances)
    between = np.where(np.eye(n, dtype=bool), np.inf, distances)
    clusters, sizes = list(range(n)), np.ones(n)
    leaves = [[run] for run in range(n)]
    merges = np.zeros((max(n - 1, 0), 4))
    for step in range(n - 1):
        a, b = sorted(divmod(int(np.argmin(between)), n))
        merges[step] = *sorted((clusters[a], clusters[b])), between[a, b], sizes[a] + sizes[b]
        leaves[a] += leaves[b]
        between[a] = between[:, a] = (sizes[a] * between[a] + sizes[b] * between[b]) / (sizes[a] + sizes[b])
        between[a, a] = between[b] = between[:, b] = np.inf
        clusters[a], sizes[a] = n + step, sizes[a] + sizes[b]
    return merges, np.array(leaves[0] if n else [], np.int64)


def dendrogram(found: RunSimilarity) -> Floats:
    """(R - 1, 4, 2) float64, lines of the merges beside the runs in their order; see `Matrix.tree`."""
    n = len(found.runs)
    places = np.zeros((2 * n - 1, 2)) if n else np.zeros((0, 2))
    places[found.order, 1] = np.arange(n) + 0.5
    highest = found.merges[:, 2].max(initial=0.0) or 1.0
    lines = np.zeros((len(found.merges), 4, 2))
    for step, (a, b, distance, _) in enumerate(found.merges):
        ends, x = places[[int(a), int(b)]], distance / highest
        lines[step] = ends[0], (x, ends[0, 1]), (x, ends[1, 1]), ends[1]
        places[n + step] = x, ends[:, 1].mean()
    return lines


def map_of_runs(found: RunSimilarity) -> Floats:
    """(R, 2) float64, classical multidimensional scaling of 1 - similarity; axes are turned by their variance.

    The sign of each axis is that of its largest coordinate, so that the same similarities have the same map.
    Source: Torgerson: Multidimensional scaling: I. Theory and method. Psychometrika 17, 1952.
    """
    distances = 1.0 - np.nan_to_num((found.values + found.values.T) / 2.0)
    np.fill_diagonal(distances, 0.0)
    squares = np.square(distances)
    centred = -0.5 * (squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean())
    values, vectors = np.linalg.eigh(centred)
    points = np.zeros((len(found.runs), 2))
    for axis, component in enumerate(np.argsort(-values, kind="stable")[:2].tolist()):
        own = vectors[:, component] * np.sqrt(max(values[component], 0.0))
        points[:, axis] = own * (np.sign(own[np.argmax(np.abs(own))]) or 1.0)
    return points


@dataclass(frozen=True)
class RunCopy:
    """Two runs that are nearly or exactly the same.

    Attributes
    ----------
    a, b : names, in the order of the benchmark.
    rbo : rank-biased overlap.
    is_identical : whether their files have the same bytes.
    """

    a: str
    b: str
    rbo: float
    is_identical: bool


def run_copies(benchmark: Benchmark, similarity: RunSimilarity) -> tuple[RunCopy, ...]:
    """Pairs of submitted runs whose overlap is at least `NEAR_COPY`, in the order of the benchmark.

    Parameters
    ----------
    similarity : of kind ``"rbo"``. Only the files of its near-copies are read.
    """
    runs = [benchmark.run(name) for name in similarity.runs]
    pairs = [
        (a, b) for a, b in combinations(range(len(runs)), 2)
        if similarity.values[a, b] >= NEAR_COPY and not runs[a].expression and not runs[b].expression
    ]  # fmt: skip
    digests = {run: content_digest(runs[run].source) for run in dict.fromkeys(run for pair in pairs for run in pair)}
    return tuple(
        RunCopy(runs[a].name, runs[b].name, float(similarity.values[a, b]), digests[a] == digests[b] != "")
        for a, b in pairs
    )
