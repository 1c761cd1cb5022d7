"""Benchmarks with planted errors of the assessment, for tests and the benchmark of suspects."""

from dataclasses import replace

import numpy as np

from shrec_viewer.domain import Benchmark, ClassAssessment, Classification, PairAssessment


def with_wrong_levels(benchmark: Benchmark, seed: int, number: int = 20) -> tuple[Benchmark, set[tuple[int, int]]]:
    """A copy with other levels for random pairs, half of them relevant, and the pairs."""
    n_queries, n_models = len(benchmark.queries), len(benchmark.collection)
    assert benchmark.assessment is not None
    levels = np.array([benchmark.assessment.gains(query, n_models) for query in range(n_queries)]).ravel()
    rng = np.random.default_rng(seed)
    relevant = rng.permutation(np.flatnonzero(levels > 0))[: number // 2]
    cells = np.concatenate([relevant, rng.permutation(np.flatnonzero(levels == 0))[: number - len(relevant)]])
    values = (0, *benchmark.assessment.levels)
    for cell in cells:
        levels[cell] = rng.choice([value for value in values if value != levels[cell]])
    table = levels.reshape(n_queries, n_models)
    query, items = np.nonzero(table)
    indptr = np.concatenate([[0], np.cumsum((table > 0).sum(axis=1))]).astype(np.int64)
    assessment = PairAssessment(indptr, items.astype(np.int32), table[query, items].astype(np.uint8))
    return replace(benchmark, assessment=assessment), {divmod(int(cell), n_models) for cell in cells}


def with_swapped_labels(benchmark: Benchmark, seed: int, number: int = 20) -> tuple[Benchmark, set[int]]:
    """A copy in which random models have labels of other classes, and the models."""
    tree, assessment = benchmark.classification, benchmark.assessment
    assert tree is not None
    assert isinstance(assessment, ClassAssessment)
    labels = tree.labels.copy()
    rng = np.random.default_rng(seed)
    models = rng.permutation(np.flatnonzero(labels >= 0))[:number]
    for model in models:
        labels[model] = rng.choice([label for label in tree.leaves if label != labels[model]])
    swapped = Classification(labels, tree.names, tree.parents)
    changed = replace(assessment, classification=swapped)
    return replace(benchmark, classification=swapped, assessment=changed), {int(model) for model in models}
