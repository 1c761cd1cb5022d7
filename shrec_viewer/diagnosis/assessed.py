"""The lists and classes of queries that a diagnosis is made of."""

import sys
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.evaluation.ranked_list import ListHead, ListHeads
from shrec_viewer.evaluation.scores import Scores


def queries_in_mean(scores: Scores, run: int) -> NDArray[np.int64]:
    """(n,) int64, queries that enter the mean of a run and have relevant models, ascending."""
    return np.flatnonzero(scores.counted[run] & ~scores.without_relevant)


def queries_with_list(scores: Scores, run: int) -> NDArray[np.int64]:
    """(n,) int64, those of `queries_in_mean` for which the run has a list."""
    queries = queries_in_mean(scores, run)
    return queries[~scores.missing[run, queries]]


def lists_of(
    scores: Scores, run: int, queries: NDArray[np.int64], checkpoint: Callable[[], None], count: int = sys.maxsize
) -> Iterator[tuple[int, ListHead]]:
    """Each query with the first `count` ranks of its list in a run of `scores`; all without a count."""
    heads = ListHeads(scores.benchmark, scores.benchmark.run(scores.runs[run]), scores.profile)
    for query in queries.tolist():
        checkpoint()
        yield query, heads.head(query, count)
