"""Nearest-neighbour classification: the class of the first model as that of the query."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.diagnosis.assessed import classes_of_queries, lists_of
from shrec_viewer.evaluation.evaluate import make_checkpoint, never_cancelled
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.read_only import ReadOnlyArrays

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class NearestNeighbour(ReadOnlyArrays):
    """Classification of the queries by the first model of their lists.

    Attributes
    ----------
    run : its name.
    n : queries with a class and a list.
    accuracy : share of them whose first model has their class.
    balanced_accuracy : mean recall of the classes that have queries.
    mcc : Matthews correlation coefficient for several classes; 0 where it is undefined, for one class on either side.
    macro_f1 : mean F1 of the classes of queries or first models.
    classes : (K,) int32, these classes, ascending.
    precision, recall, f1 : (K,) float64; precision is NaN for a class of no first model, recall for one of no query.
    support : (K,) int64, queries of each class.

    Source: Gorodkin: Comparing two K-category assignments by a K-category correlation coefficient, 2004 (mcc).
    """

    run: str
    n: int
    accuracy: float
    balanced_accuracy: float
    mcc: float
    macro_f1: float
    classes: NDArray[np.int32]
    precision: Floats
    recall: Floats
    f1: Floats
    support: NDArray[np.int64]


def nearest_neighbour(
    scores: Scores, run: int, *, cancelled: Callable[[], bool] = never_cancelled
) -> NearestNeighbour | None:
    """Classification by the first model of each list of a run of `scores`.

    Queries that the profile excludes are left out. A first model without class, and an empty list, are wrong.

    Returns
    -------
    NearestNeighbour or None
        None without a classification, or queries with a class and a list.

    Raises
    ------
    Cancelled
        If `cancelled` returned True.
    """
    tree = scores.benchmark.classification
    of_queries = classes_of_queries(scores.benchmark)
    queries = np.flatnonzero((of_queries >= 0) & ~scores.excluded & ~scores.missing[run])
    if tree is None or not len(queries):
        return None
    truth, found = of_queries[queries], np.full(len(queries), -1, np.int32)
    for index, (_, head) in enumerate(lists_of(scores, run, queries, make_checkpoint(cancelled), 1)):
        if len(head) and head.items[0] >= 0:
            found[index] = tree.labels[head.items[0]]
    return classified(scores.runs[run], truth, found)


def classified(run: str, truth: NDArray[np.int32], found: NDArray[np.int32]) -> NearestNeighbour:
    """The figures of (n,) classes of queries and (n,) classes of first models, -1 for none; n > 0."""
    labels = np.union1d(truth, found)
    confusion = np.zeros((len(labels), len(labels)), np.int64)
    np.add.at(confusion, (np.searchsorted(labels, truth), np.searchsorted(labels, found)), 1)
    right, of_queries, of_models = np.diag(confusion), confusion.sum(axis=1), confusion.sum(axis=0)
    recall, precision = _ratio(right, of_queries), _ratio(right, of_models)
    f1 = 2.0 * right / (of_queries + of_models)
    is_class = labels >= 0
    n, n_right = len(truth), int(right.sum())
    # Python integers: products of counts of 5,000 queries exceed 32 bits, and floats would round.
    numbers = [(int(a), int(b)) for a, b in zip(of_queries, of_models, strict=True)]
    covariance = n * n_right - sum(a * b for a, b in numbers)
    spread = (n * n - sum(a * a for a, _ in numbers)) * (n * n - sum(b * b for _, b in numbers))
    return NearestNeighbour(
        run, n, n_right / n, float(recall[of_queries > 0].mean()), covariance / spread**0.5 if spread else 0.0,
        float(f1[is_class].mean()), labels[is_class].astype(np.int32),
        precision[is_class], recall[is_class], f1[is_class], of_queries[is_class],
    )  # fmt: skip


def _ratio(part: NDArray[np.int64], whole: NDArray[np.int64]) -> Floats:
    return np.divide(part, whole, out=np.full(len(part), np.nan), where=whole > 0)
