"""Randomisation tests, multiple-comparison corrections and significance groups."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shrec_viewer.metrics.statistics.bootstrap import EXACT_BITS, SEED

#: Random sign patterns of a test: the standard error of p = 0.05 is then 0.0007.
RANDOMISATIONS = 100_000

#: Shuffles of all runs: each needs as many random numbers as there are scores. The standard error of p = 0.05 is
#: 0.0022.
SHUFFLES = 10_000

#: Up to this many differences, all 2^n sign patterns are enumerated, 65,536 at most, and p is exact.
MAX_ENUMERATED = 16

#: Numbers held at a time, 8 MB; the result does not depend on it.
CELLS = 1 << 20

#: Shuffles of the runs of all queries are kept for the next test if they have at most this many bytes.
KEPT_SHUFFLES = 1 << 24

#: Scores that differ by less are equal: the difference is the rounding error of sums in another order.
SCORE_TOLERANCE = 1e-9

BITS_PER_WORD = 64

BYTE_VALUES = 256

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PairedTest:
    """Result of a paired randomisation test.

    Attributes
    ----------
    difference : mean of the differences; NaN without any.
    p : two-sided, share of sign patterns whose mean is at least as extreme; NaN without differences.
    n : number of defined differences.
    exact : whether all patterns were enumerated; else a random sample.
    patterns : number of patterns; in a random sample, without the observed one.
    seed : of the random generator.
    """

    difference: float
    p: float
    n: int
    exact: bool
    patterns: int
    seed: int


def randomisation_test(differences: ArrayLike, *, randomisations: int = RANDOMISATIONS, seed: int = SEED) -> PairedTest:
    """Two-sided paired randomisation test of the mean difference between two runs.

    Under the null hypothesis each difference could as well have the other sign. With at most 16 differences that are
    not 0, every sign pattern is enumerated; else ``p = (count + 1) / (patterns + 1)``, which is never 0, since the
    observed pattern is one of them.

    Parameters
    ----------
    differences : (n,) float64, one per query. NaN (undefined in one of the runs) is ignored.
    randomisations : number of random patterns if there are too many to enumerate.
    seed : of the random generator; each random number has 64 signs, so the result does not depend on the block size.

    Source: Smucker, Allan, Carterette: A comparison of statistical significance tests for information retrieval
    evaluation. CIKM 2007.

    Examples
    --------
    >>> test = randomisation_test([0.1, 0.2, 0.3, 0.4])
    >>> test.p, test.exact  # of 16 patterns only the observed one and its mirror image are as extreme
    (0.125, True)
    """
    values = np.asarray(differences, np.float64)
    return randomisation_tests(values[:, None], randomisations=randomisations, seed=seed)[0]


def randomisation_tests(
    differences: ArrayLike,
    *,
    randomisations: int = RANDOMISATIONS,
    seed: int = SEED,
    checkpoint: Callable[[], None] | None = None,
) -> tuple[PairedTest, ...]:
    """`randomisation_test` of each column of `differences` (n, T), all with the same sign patterns.

    Each result is that of the column alone. `checkpoint` is called before each block of work and may raise an exception
    to cancel.
    """
    values = np.asarray(differences, np.float64)
    defined = ~np.isnan(values)
    number = defined.sum(axis=0)
    means = np.where(number > 0, np.where(defined, values, 0.0).sum(axis=0) / np.maximum(number, 1), np.nan)
    # Float sums depend on their order in the last bit; a pattern as extreme as the observed one could be missed.
    units = _in_exact_units(values)
    # Differences of 0 do not change with their sign, so only the others are enumerated.
    few = np.count_nonzero(units, axis=0) <= MAX_ENUMERATED
    p = np.full(len(means), np.nan)
    patterns = np.where(number > 0, randomisations, 0)
    for column in np.flatnonzero(few & (number > 0)):
        there = units[units[:, column] != 0, column]
        patterns[column] = 2 ** len(there)
        p[column] = np.mean(_at_least_as_extreme(_all_sums(there), there))
    many = np.flatnonzero(~few)
    if len(many):
        count = np.zeros(len(many), np.int64)
        sampled = units[:, many]
        for turned in _flipped_sums(sampled, randomisations, seed, checkpoint):
            # Changing the sign of x subtracts it twice from the sum.
            count += _at_least_as_extreme(sampled.sum(axis=0) - 2.0 * turned, sampled).sum(axis=0)
        p[many] = (count + 1) / (randomisations + 1)
    return tuple(
        PairedTest(float(means[i]), float(p[i]), int(number[i]), bool(few[i]), int(patterns[i]), seed)
        for i in range(len(means))
    )


def _in_exact_units(values: Floats) -> Floats:
    """`values` (n, T) as whole multiples of a unit for each column; their sums are exact in any order; NaN counts 0."""
    values = np.nan_to_num(values, nan=0.0)
    total = np.abs(values).sum(axis=0)
    return np.round(values * np.divide(2.0**EXACT_BITS, total, out=np.zeros_like(total), where=total > 0))


def _at_least_as_extreme(sums: Floats, units: Floats) -> NDArray[np.bool_]:
    """Whether sums are at least as far from 0 as that of `units`; half a unit each allows for rounding."""
    return np.abs(sums) >= np.abs(units.sum(axis=0)) - len(units)


def _all_sums(units: Floats) -> Floats:
    """(2^n,) sums of `units` (n,) under every sign pattern."""
    sums = np.zeros(1)
    for unit in units:
        sums = np.concatenate([sums + unit, sums - unit])
    return sums


def _flipped_sums(units: Floats, patterns: int, seed: int, checkpoint: Callable[[], None] | None) -> Iterator[Floats]:
    """Sums of the differences (n, T) that change their sign, by blocks of rows of (patterns, T).

    Eight differences have 256 sums, which are looked up by the byte of their signs; sums of whole units are exact in
    any order.
    """
    random = np.random.default_rng(seed)
    words = -(-len(units) // BITS_PER_WORD)
    eights = np.zeros((words * BITS_PER_WORD // 8, 8, units.shape[1]))
    eights.reshape(-1, units.shape[1])[: len(units)] = units
    sums = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.float64) @ eights
    at_once = max(1, CELLS // (8 * words))
    for start in range(0, patterns, at_once):
        if checkpoint is not None:
            checkpoint()
        rows = min(at_once, patterns - start)
        # Little-endian before the view, so that the bytes, and p, are the same on every machine.
        drawn = random.integers(0, 2**BITS_PER_WORD, (rows, words), np.uint64).astype("<u8").view(np.uint8)
        turned = np.zeros((rows, units.shape[1]))
        for eight, byte in zip(sums, drawn.T, strict=True):
            turned += np.take(eight, byte, axis=0)
        yield turned


def holm(p: ArrayLike) -> Floats:
    """P values of several tests, adjusted to control the family-wise error rate (Holm-Bonferroni).

    Parameters
    ----------
    p : (n,) float64 in [0, 1]; NaN is no test, remains NaN and is not counted.

    Returns
    -------
    (n,) float64
        The smallest times n, the next times n - 1, and so on; monotone, at most 1.

    Source: Holm: A simple sequentially rejective multiple test procedure. Scandinavian Journal of Statistics 6, 1979.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    values = np.asarray(p, np.float64)
    raised = np.full(values.shape, np.nan)
    tests = np.flatnonzero(~np.isnan(values))
    order = tests[np.argsort(values[tests], kind="stable")]
    steps = np.arange(len(order), 0, -1)
    # The running maximum keeps the order of the p values: step-down never rejects after a test that it accepted.
    raised[order] = np.minimum(np.maximum.accumulate(values[order] * steps), 1.0)
    return raised


@dataclass(frozen=True, eq=False)
class AllPairs:
    """Result of a test of all pairs of runs.

    Attributes
    ----------
    means : (R,) float64, over the queries for which all runs have a value; NaN without such a query.
    p : (R, R) float64, for each pair of runs, adjusted for multiple comparisons. 1 on the diagonal; NaN without
        queries.
    n : number of these queries.
    shuffles, seed : parameters to reproduce the result.
    """

    means: Floats
    p: Floats
    n: int
    shuffles: int
    seed: int


def randomised_tukey(
    values: ArrayLike,
    *,
    shuffles: int = SHUFFLES,
    seed: int = SEED,
    checkpoint: Callable[[], None] | None = None,
) -> AllPairs:
    """Randomised Tukey test (honest significant difference) of all pairs of runs.

    Under the null hypothesis that all runs are equal, the scores of a query could be shuffled among them. The
    difference of two means is compared with the range of the means (largest minus smallest) in shuffled scores, which
    controls the family-wise error rate over all pairs. ``p = (count + 1) / (shuffles + 1)``.

    Parameters
    ----------
    values : (R, Q) float64. Queries that are NaN in any run are ignored; `AllPairs.n` is the number of the others.
    shuffles : number of shuffles.
    seed : of the random generator.
    checkpoint : called before each block of work; may raise an exception to cancel.

    Source: Carterette: Multiple testing in statistical analysis of systems-based information retrieval experiments.
    ACM Transactions on Information Systems 30(1), 2012, section 3.
    """
    table = np.asarray(values, np.float64)
    table = table[:, ~np.any(np.isnan(table), axis=0)]
    n_runs, n_queries = table.shape
    if n_queries == 0 or n_runs == 0:
        return AllPairs(np.full(n_runs, np.nan), np.full((n_runs, n_runs), np.nan), 0, shuffles, seed)
    # Whole units with a total below 2^52: every sum is exact, so equal differences are equal.
    largest = float(np.abs(table).sum())
    units = np.round(table * (2.0**EXACT_BITS / largest if largest > 0 else 0.0))
    ranges = np.sort(_shuffled_ranges(units.T, shuffles, seed, checkpoint))
    totals = units.sum(axis=1)
    # Sums instead of means: every run has the same number of queries, so the comparison is the same.
    apart = np.abs(totals[:, None] - totals[None, :])
    rounding = 2 * n_queries  # half a unit per score, in each of four sums
    count = shuffles - np.searchsorted(ranges, apart - rounding, side="left")
    p = (count + 1) / (shuffles + 1)
    np.fill_diagonal(p, 1.0)
    return AllPairs(table.mean(axis=1), p, n_queries, shuffles, seed)


def _shuffled_ranges(by_query: Floats, shuffles: int, seed: int, checkpoint: Callable[[], None] | None) -> Floats:
    """(B,) largest minus smallest sum of the runs, with the scores (Q, R) of each query shuffled among them."""
    n_queries, n_runs = by_query.shape
    ranges = np.empty(shuffles)
    if n_runs <= BYTE_VALUES and by_query.size * shuffles <= KEPT_SHUFFLES:
        # Each edit of the assessment repeats the test with other scores. With the cached shuffles that takes 8 ms
        # instead of 43 ms for 13 runs and 30 queries; in smaller blocks, of 89 shuffles, it took 30 ms.
        order, at_once = _shuffles(n_queries, n_runs, shuffles, seed), max(1, CELLS // n_runs)
        blocks: Iterator[Floats] = (
            _sums_in_order(by_query, order[:, start : start + at_once]) for start in range(0, shuffles, at_once)
        )
    else:
        blocks = (shuffled.sum(axis=1) for shuffled in _shuffled(by_query, shuffles, seed))
    start = 0
    for sums in blocks:
        if checkpoint is not None:
            checkpoint()
        ranges[start : start + len(sums)] = sums.max(axis=1) - sums.min(axis=1)
        start += len(sums)
    return ranges


def _shuffled(by_query: Floats, shuffles: int, seed: int) -> Iterator[Floats]:
    """Blocks of (rows, Q, R) of the rows (Q, R), each shuffled by itself, `shuffles` rows in all."""
    random = np.random.default_rng(seed)
    at_once = max(1, CELLS // by_query.size)
    for start in range(0, shuffles, at_once):
        rows = min(at_once, shuffles - start)
        # permuted shuffles each slice along the axis on its own; `shuffle` would use one permutation for all queries.
        yield random.permuted(np.broadcast_to(by_query, (rows, *by_query.shape)), axis=2)


@lru_cache(maxsize=2)
def _shuffles(n_queries: int, n_runs: int, shuffles: int, seed: int) -> NDArray[np.uint8]:
    """(Q, shuffles, R) uint8, the run whose score each run gets in `_shuffled`."""
    # As float64, which `permuted` shuffles twice as fast as bytes (NumPy 2.4).
    runs = np.broadcast_to(np.arange(n_runs, dtype=np.float64), (n_queries, n_runs))
    blocks = [block.astype(np.uint8) for block in _shuffled(runs, shuffles, seed)]
    return np.ascontiguousarray(np.concatenate(blocks).transpose(1, 0, 2))


def _sums_in_order(by_query: Floats, order: NDArray[np.uint8]) -> Floats:
    """(rows, R) sums over the queries of the scores (Q, R) in the given order (Q, rows, R)."""
    sums = np.zeros(order.shape[1:])
    for scores, runs in zip(by_query, order, strict=True):
        sums += np.take(scores, runs, mode="clip")  # without the check of the indices, a third faster
    return sums


@dataclass(frozen=True)
class WinTieLoss:
    """Number of queries for which one run is better than another.

    Attributes
    ----------
    better, equal, worse : queries.
    undefined : queries for which one of the two has no value.
    """

    better: int
    equal: int
    worse: int
    undefined: int


def win_tie_loss(
    differences: ArrayLike, *, higher_is_better: bool = True, equal: float = SCORE_TOLERANCE
) -> WinTieLoss:
    """Number of queries with a difference (n,) that is better, equal, and worse; NaN is undefined."""
    values = np.asarray(differences, np.float64)
    # Comparisons with NaN are False, so undefined differences are in neither.
    up, down = int(np.sum(values > equal)), int(np.sum(values < -equal))
    undefined = int(np.sum(np.isnan(values)))
    good, bad = (up, down) if higher_is_better else (down, up)
    return WinTieLoss(good, len(values) - up - down - undefined, bad, undefined)


def effect_size(differences: ArrayLike) -> float:
    """Mean difference in standard deviations of the differences (Cohen's d for pairs); NaN if they do not vary."""
    values = np.asarray(differences, np.float64)
    values = values[~np.isnan(values)]
    spread = float(values.std(ddof=1)) if len(values) > 1 else 0.0
    return float(values.mean()) / spread if spread > SCORE_TOLERANCE else float("nan")


#: Letters of the first groups; later ones are numbers in brackets.
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

#: Largest p of a significant difference, the usual one in the field.
SIGNIFICANCE_LEVEL = 0.05


@dataclass(frozen=True)
class SignificanceGroups:
    """Maximal sets of runs that do not differ significantly from each other.

    Attributes
    ----------
    members : runs of each group, best first; groups in the order of their best members.
    letters : (R,) letters of each run, one for each of its groups: ``"ab"``. Two runs share a letter if and only if
        they do not differ significantly. Empty for a run without a mean.
    """

    members: tuple[tuple[int, ...], ...]
    letters: tuple[str, ...]


def group_runs(
    means: ArrayLike, p: ArrayLike, *, significant: float = SIGNIFICANCE_LEVEL, higher_is_better: bool = True
) -> SignificanceGroups:
    """Groups of runs that do not differ significantly, from the p values of all pairs (compact letter display).

    A run may be in several groups: A and B, B and C may not differ significantly while A and C do.

    Parameters
    ----------
    means : (R,) float64, for the order only; NaN is a run without scores, which is in no group.
    p : (R, R) float64, symmetric; NaN is a pair that was not tested and counts as not different.
    significant : largest p of a significant difference.

    Source: Piepho: An algorithm for a letter-based representation of all-pairwise comparisons. Journal of Computational
    and Graphical Statistics 13, 2004 (insert and absorb).

    Examples
    --------
    >>> group_runs([0.9, 0.8, 0.7], [[1, 0.3, 0.01], [0.3, 1, 0.4], [0.01, 0.4, 1]]).letters
    ('a', 'ab', 'b')
    """
    heights = np.asarray(means, np.float64)
    measured = np.flatnonzero(~np.isnan(heights))
    order = measured[np.argsort((-heights if higher_is_better else heights)[measured], kind="stable")]
    differ = (np.asarray(p, np.float64) <= significant)[np.ix_(order, order)]
    groups = sorted(tuple(sorted(group)) for group in _maximal_groups(differ))
    marks = [LETTERS[i] if i < len(LETTERS) else f"({i + 1})" for i in range(len(groups))]
    letters = [""] * len(heights)
    for mark, group in zip(marks, groups, strict=True):
        for place in group:
            letters[order[place]] += mark
    return SignificanceGroups(tuple(tuple(int(order[place]) for place in group) for group in groups), tuple(letters))


def _maximal_groups(differ: NDArray[np.bool_]) -> list[frozenset[int]]:
    """Maximal sets of indices of which no two differ significantly."""
    groups = [frozenset(range(len(differ)))] if len(differ) else []
    # Insert and absorb: each significant pair splits every group that has both, and subsets of others are dropped.
    for one, other in np.argwhere(np.triu(differ, 1)).tolist():
        torn = [group for group in groups if one in group and other in group]
        whole = [group for group in groups if not (one in group and other in group)]
        for part in sorted((group - {gone} for group in torn for gone in (one, other)), key=len, reverse=True):
            if not any(part <= group for group in whole):
                whole.append(part)
        groups = whole
    return groups
