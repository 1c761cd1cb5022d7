"""Named sets of queries, and the means of runs in each of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Benchmark
from shrec_viewer.evaluation.ranked_list import classes_of_queries
from shrec_viewer.evaluation.scores import Scores, mean_of_defined
from shrec_viewer.metrics import UnknownKeyError
from shrec_viewer.metrics.measures.measure import suggestion
from shrec_viewer.metrics.statistics.bootstrap import difference_intervals
from shrec_viewer.read_only import ReadOnlyArrays

Floats = NDArray[np.float64]

#: Queries from which intervals are given: resampling fewer ones says little about others.
MIN_QUERIES = 5

THIRDS = ("hard", "middle", "easy")


@dataclass(frozen=True, eq=False)
class QuerySlice(ReadOnlyArrays):
    """A named set of queries.

    Attributes
    ----------
    name : that of benchmark.toml, or what its queries have in common: ``"class: chair"``, ``"difficulty: hard"``.
    queries : (n,) int64, ascending.
    """

    name: str
    queries: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SliceScores(ReadOnlyArrays):
    """Means of the runs in each slice, with S slices and R runs.

    Attributes
    ----------
    slices : the slices.
    runs : names.
    measure : key.
    n : (S, R) int64, queries of the slice in the mean of the run.
    mean : (S, R) float64, NaN without queries.
    difference : (S, R) float64, this mean less that of the other queries; NaN if either has none.
    low, high : (S, R) float64, limits of the 95 % bootstrap interval of the difference; NaN where the slice or the
        rest has fewer than `MIN_QUERIES` queries.
    """

    slices: tuple[QuerySlice, ...]
    runs: tuple[str, ...]
    measure: str
    n: NDArray[np.int64]
    mean: Floats
    difference: Floats
    low: Floats
    high: Floats


def query_slices(scores: Scores, measure: int = 0) -> tuple[QuerySlice, ...]:
    """The slices of the benchmark, then those by number of relevant models, difficulty, kind, top class and class.

    Only queries that enter means. Slices by a property that all queries have in common are left out. Numbers of
    relevant models and `Scores.difficulty` are divided in thirds; equal ones stay together.
    Each number of relevant models that several queries have is a slice, too: its queries have the same generality.
    """
    benchmark, tree = scores.benchmark, scores.benchmark.classification
    used = np.flatnonzero(~scores.excluded & ~scores.without_relevant)
    named = [QuerySlice(name, np.intersect1d(queries, used)) for name, queries in benchmark.slices.items()]
    groups: list[list[tuple[str, NDArray[np.bool_]]]] = []
    by_size = _by_size(scores.hits[0].relevant_size(1)[used]) if len(used) and scores.hits else {}
    ease = -scores.difficulty(measure)[used]
    groups.append([(f"difficulty: {THIRDS[third]}", inside) for third, inside, _, _ in _thirds(ease)])
    kinds = np.array([str(kind) for kind in benchmark.queries.kinds])[used]
    groups.append([(f"kind: {kind}", kinds == kind) for kind in np.unique(kinds).tolist()])
    labels = classes_of_queries(benchmark)[used]
    if tree is not None:
        tops = np.where(labels >= 0, tree.tops[labels], -1)
        if not np.array_equal(tops, labels):
            groups.append([(f"top class: {tree.names[top]}", tops == top) for top in np.unique(tops[tops >= 0])])
        groups.append([(f"class: {tree.names[label]}", labels == label) for label in np.unique(labels[labels >= 0])])
    inside_of = [*by_size.items(), *(one for group in groups if len(group) > 1 for one in group)]
    built_in = [QuerySlice(name, used[inside]) for name, inside in inside_of]
    # One namespace: a slice of benchmark.toml replaces a built-in one of its name.
    return (*named, *(one for one in built_in if one.name not in benchmark.slices))


def queries_of_models(benchmark: Benchmark, models: Sequence[int], level: int = 1) -> NDArray[np.int64]:
    """(n,) int64, the queries that are some of the models (indices), and others that find most of theirs among them.

    Parameters
    ----------
    level : lowest level of the relevant models of a query that is no model of the collection.
    """
    inside, member = np.zeros(len(benchmark.collection), np.bool_), benchmark.queries.member
    inside[list(models)] = True
    found = (member >= 0) & inside[member]
    if benchmark.assessment is not None:
        for query in np.flatnonzero(member < 0).tolist():
            items, levels = benchmark.assessment.relevant(query)
            relevant = inside[items[levels >= level]]
            found[query] = 2 * np.count_nonzero(relevant) > len(relevant)
    return np.flatnonzero(found)


def select_slices(slices: Sequence[QuerySlice], names: Sequence[str]) -> tuple[QuerySlice, ...]:
    """The slices of these names; UnknownKeyError if there is none of a name."""
    known = {one.name: one for one in slices}
    for name in names:
        if name not in known:
            raise UnknownKeyError(f"there is no slice '{name}'{suggestion(name, list(known))}")
    return tuple(known[name] for name in dict.fromkeys(names))


def _by_size(sizes: NDArray[np.int64]) -> dict[str, NDArray[np.bool_]]:
    """Members (n,) of each third of the numbers of relevant models, then of each number of several queries."""
    values, counts = np.unique(sizes, return_counts=True)
    thirds = {
        f"relevant models: {low:.0f}" + (f" to {high:.0f}" if high > low else ""): inside
        for _, inside, low, high in _thirds(sizes.astype(np.float64))
        if not inside.all()
    }
    several = values[counts > 1].tolist() if len(values) > 1 else []
    return thirds | {f"relevant models: {size}": sizes == size for size in several}


def _thirds(values: Floats) -> Iterator[tuple[int, NDArray[np.bool_], float, float]]:
    """Number, members (n,), smallest and largest value of each third that is not empty."""
    defined = values[~np.isnan(values)]
    if not len(defined):
        return
    bounds = np.quantile(defined, [1 / 3, 2 / 3], method="inverted_cdf")
    third = np.where(np.isnan(values), -1, np.searchsorted(bounds, values))
    for number in range(3):
        if (inside := third == number).any():
            yield number, inside, float(values[inside].min()), float(values[inside].max())


def slice_means(scores: Scores, slices: Sequence[QuerySlice], measure: int = 0) -> Floats:
    """(R, S) float64, means of the runs in one column over the queries of each slice; NaN without queries."""
    values = scores.values_in_mean[:, :, measure]
    means = [mean_of_defined(values[:, one.queries], axis=1) for one in slices]
    return np.array(means).reshape(len(slices), len(scores.runs)).T


def slice_scores(scores: Scores, slices: tuple[QuerySlice, ...], measure: int = 0) -> SliceScores:
    """Means of the runs of `scores` in one of its columns, in each slice; intervals have a fixed seed."""
    values = scores.values_in_mean[:, :, measure]
    shape = len(slices), len(scores.runs)
    n, mean, rest_mean = np.zeros(shape, np.int64), np.full(shape, np.nan), np.full(shape, np.nan)
    ends = np.full((2, *shape), np.nan)
    for row, one in enumerate(slices):
        inside = np.zeros(len(scores.queries), np.bool_)
        inside[one.queries] = True
        n[row] = np.count_nonzero(~np.isnan(values[:, inside]), axis=1)
        n_rest = np.count_nonzero(~np.isnan(values[:, ~inside]), axis=1)
        mean[row], rest_mean[row] = (mean_of_defined(values[:, of], axis=1) for of in (inside, ~inside))
        enough = (n[row] >= MIN_QUERIES) & (n_rest >= MIN_QUERIES)
        if enough.any():
            ends[:, row, enough] = difference_intervals(values[enough], inside)
    return SliceScores(slices, scores.runs, scores.measures[measure].key, n, mean, mean - rest_mean, *ends)
