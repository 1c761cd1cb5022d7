"""Sources of the variance of the scores: classes, runs, both together, and the queries of a class."""

from dataclasses import dataclass

import numpy as np

from shrec_viewer.evaluation.ranked_list import classes_of_queries
from shrec_viewer.evaluation.scores import Scores


@dataclass(frozen=True)
class VarianceSources:
    """Shares of the sum of squares of the scores of all runs for all queries; they sum to 1.

    Attributes
    ----------
    of_class : means of classes over all runs.
    run : means of runs over all queries.
    run_x_class : how far runs have other strong and weak classes.
    query_within_class : means of queries over all runs, within their class.
    rest : runs that differ for single queries of a class.
    n_runs, n_queries, n_classes : what was compared.

    Source: Ferro, Silvello: Toward an anatomy of IR system component performances. JASIST 69, 2018.
    """

    of_class: float
    run: float
    run_x_class: float
    query_within_class: float
    rest: float
    n_runs: int
    n_queries: int
    n_classes: int


def variance_sources(scores: Scores, measure: int = 0) -> VarianceSources | str:
    """The sources of the variance of one column of `scores`, or why there are none.

    A missing list scores 0. Virtual runs, queries without a class, and those with an undefined value are left out.
    Every run has a value for every query, so that the sums of squares are orthogonal for classes of any size.
    """
    submitted = [row for row, name in enumerate(scores.runs) if not scores.benchmark.run(name).expression]
    labels = classes_of_queries(scores.benchmark)
    values = np.where(scores.missing, 0.0, scores.raw_values[:, :, measure])[submitted]
    used = (labels >= 0) & ~scores.excluded & ~scores.without_relevant & ~np.isnan(values).any(axis=0)
    values = values[:, used]
    names, of_query = np.unique(labels[used], return_inverse=True)
    if len(submitted) < 2:
        return "there are fewer than two submitted runs"
    if len(names) < 2:
        return "the queries have fewer than two classes"
    n_runs, n_queries = values.shape
    sizes = np.bincount(of_query)
    grand, runs, queries = values.mean(), values.mean(axis=1), values.mean(axis=0)
    classes = np.bincount(of_query, queries) / sizes
    cells = np.array([np.bincount(of_query, row) / sizes for row in values])
    total = float(np.square(values - grand).sum())
    if not total:
        return "all scores are equal"
    parts = (
        n_runs * np.sum(sizes * np.square(classes - grand)),
        n_queries * np.square(runs - grand).sum(),
        np.sum(sizes * np.square(cells - runs[:, None] - classes + grand)),
        n_runs * np.square(queries - classes[of_query]).sum(),
        np.square(values - cells[:, of_query] - queries + classes[of_query]).sum(),
    )
    of_class, run, run_x_class, within, rest = (float(part) / total for part in parts)
    return VarianceSources(of_class, run, run_x_class, within, rest, n_runs, n_queries, len(names))
