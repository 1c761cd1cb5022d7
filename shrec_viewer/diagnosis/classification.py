"""Nearest-neighbour classification: the class of the first model as that of the query."""

from collections.abc import Callable

import numpy as np

from shrec_viewer.diagnosis.assessed import lists_of
from shrec_viewer.evaluation.evaluate import make_checkpoint, never_cancelled
from shrec_viewer.evaluation.ranked_list import classes_of_queries
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.metrics.measures.classification import NearestNeighbour, classified


def nearest_neighbour(
    scores: Scores, run: int, *, cancelled: Callable[[], bool] = never_cancelled
) -> NearestNeighbour | None:
    """Classification by the first model of each list of a run of `scores`.

    Of the queries in the mean of the run; those without a list are left out under all conventions, as in the measures
    of the same names. A first model without class, and an empty list, are wrong.

    Returns
    -------
    NearestNeighbour or None
        None without a classification, or such queries with a class and a list.

    Raises
    ------
    Cancelled
        If `cancelled` returned True.
    """
    tree = scores.benchmark.classification
    of_queries = classes_of_queries(scores.benchmark)
    queries = np.flatnonzero((of_queries >= 0) & scores.counted[run] & ~scores.missing[run])
    if tree is None or not len(queries):
        return None
    truth, found = of_queries[queries], np.full(len(queries), -1, np.int32)
    for index, (_, head) in enumerate(lists_of(scores, run, queries, make_checkpoint(cancelled), 1)):
        if len(head) and head.items[0] >= 0:
            found[index] = tree.labels[head.items[0]]
    return classified(scores.runs[run], truth, found)
