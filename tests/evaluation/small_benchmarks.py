"""A benchmark small enough to work out by hand."""

from pathlib import Path

import numpy as np
from independent_loaders import collection_of, lists_of, pairs_of, queries_of

from shrec_viewer.domain import Benchmark, ClassAssessment, Classification, DistanceMatrix, Finding, Run, Severity
from shrec_viewer.evaluation.evaluate import make_checkpoint, never_cancelled, ranked_hits
from shrec_viewer.evaluation.ranked_list import tie_ranks, truth_of
from shrec_viewer.metrics import HitTable, Profile
from shrec_viewer.metrics.ranking.hit_table import TieOrder

CLASSES = Classification(
    labels=np.array([1, 1, 1, 2, 2, 3], np.int32),
    names=("animal", "dog", "cat", "cup"),
    parents=np.array([-1, 0, 0, -1], np.int32),
)
"""Models a b c are dogs, d e cats (their sister class), f a cup."""

IDS = ("a", "b", "c", "d", "e", "f")


def external() -> Benchmark:
    """Four queries from outside with graded truth, two runs: one complete, one with gaps.

    Query q0 (dog) has a and b at level 2, d at level 1; q1 (dog) has c at level 1; q2 (cat) has nothing; q3 (cup) has f
    at level 2.
    """
    full = lists_of([[0, 1, 3, 2, 4, 5], [2, 0, 1, 3, 4, 5], [0, 1, 2, 3, 4, 5], [0, 5, 1, 2, 3, 4]])
    gaps = lists_of([[3, 0], None, [0], []])
    return Benchmark(
        name="external",
        root=Path("external"),
        collection=collection_of(IDS),
        queries=queries_of(("q0", "q1", "q2", "q3"), np.array([1, 1, 2, 3]), np.full(4, -1)),
        assessment=pairs_of([{0: 2, 1: 2, 3: 1}, {2: 1}, {}, {5: 2}]),
        classification=CLASSES,
        runs=(Run("full", "A", Path("full"), full), Run("gaps", "B", Path("gaps"), gaps)),
        findings=(Finding(Severity.WARNING, "gaps/q1", 3, "something odd", "left out"),),
    )


def itself(graded: bool = False) -> Benchmark:
    """The models are the queries; the columns of the matrix are in another order."""
    columns = np.array([5, 4, 3, 2, 1, 0], np.int32)
    distances = np.abs(np.arange(6)[:, None] - np.arange(6)[None, :]).astype(np.float32)
    matrix = DistanceMatrix(distances[:, columns], np.arange(6, dtype=np.int32), columns)
    return Benchmark(
        name="itself",
        root=Path("itself"),
        collection=collection_of(IDS),
        queries=queries_of(IDS, CLASSES.labels, np.arange(6)),
        assessment=ClassAssessment(CLASSES, CLASSES.labels, graded),
        classification=CLASSES,
        runs=(Run("line", "A", Path("line"), matrix),),
    )


def two_sizes() -> Benchmark:
    """Two queries with one (b) and two (a, c) relevant models of four, and the list a b c d for both."""
    ids = ("a", "b", "c", "d")
    return Benchmark(
        name="two sizes",
        root=Path("two sizes"),
        collection=collection_of(ids),
        queries=queries_of(("one", "two"), np.array([0, 1]), np.full(2, -1)),
        assessment=pairs_of([{1: 1}, {0: 1, 2: 1}]),
        runs=(Run("A", "A", Path("A"), lists_of([[0, 1, 2, 3]] * 2)),),
    )


def hit_table(run: Run, benchmark: Benchmark, profile: Profile, ties: TieOrder = "profile") -> HitTable:
    """Ranks of the relevant models of each query in one run."""
    checkpoint = make_checkpoint(never_cancelled)
    return ranked_hits(run, truth_of(benchmark), profile, tie_ranks(benchmark, profile), checkpoint).in_order(ties)
