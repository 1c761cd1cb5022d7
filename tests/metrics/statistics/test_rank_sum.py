"""The rank-sum test of a run against random order."""

import math

import numpy as np
import pytest
from hit_tables import Case, table_of

from shrec_viewer.metrics.statistics.rank_sum import rank_sum_deviation


def test_deviation_by_hand():
    """Ranks 1 and 2 of 4: the sum 3 is 2 below 5, and the variance is 2 * 2 * 5 / 12."""
    assert rank_sum_deviation(table_of([Case((1, 1, 0, 0))])) == pytest.approx(-2 / math.sqrt(5 / 3))
    assert rank_sum_deviation(table_of([Case((0, 0, 1, 1))])) == pytest.approx(2 / math.sqrt(5 / 3))
    assert rank_sum_deviation(table_of([Case((1, 0, 0, 1))])) == 0.0
    assert math.isnan(rank_sum_deviation(table_of([Case((1, 1))])))
    assert math.isnan(rank_sum_deviation(table_of([])))


@pytest.mark.parametrize("seed", range(12))
def test_deviation_equals_that_of_scipy_with_unlisted_models_tied(seed):
    stats = pytest.importorskip("scipy.stats", reason="scipy is an oracle here, not a dependency")
    random = np.random.default_rng(seed)
    size, relevant = int(random.integers(20, 200)), int(random.integers(2, 12))
    levels = np.zeros(size, int)
    levels[random.choice(size, relevant, replace=False)] = 1
    listed = int(random.integers(2, size + 1))
    table = table_of([Case(tuple(levels[:listed].tolist()), (1,) * int(levels[listed:].sum()), collection=size)])
    ranks = np.minimum(np.arange(1, size + 1), listed + 1)
    found = stats.mannwhitneyu(ranks[levels == 1], ranks[levels == 0], use_continuity=False, method="asymptotic")
    deviation = rank_sum_deviation(table)
    assert 2 * stats.norm.sf(abs(deviation)) == pytest.approx(found.pvalue, rel=1e-9)


@pytest.mark.parametrize("listed", [20, 100, 300])
def test_random_lists_have_a_standard_normal_deviation(listed):
    random = np.random.default_rng(7)
    found = []
    for _ in range(300):
        cases = []
        for relevant in (4, 9, 20):
            levels = np.zeros(300, int)
            levels[random.choice(300, relevant, replace=False)] = 1
            lacking = (1,) * int(levels[listed:].sum())
            cases.append(Case(tuple(levels[:listed].tolist()), lacking, collection=300))
        found.append(rank_sum_deviation(table_of(cases)))
    assert abs(np.mean(found)) < 0.2
    assert 0.85 < np.std(found) < 1.15


def test_missing_queries_are_ignored():
    from dataclasses import replace

    table = table_of([Case((1, 1, 0, 0)), Case((0, 0, 1, 1))])
    without = replace(table, missing=np.array([False, True]))
    assert rank_sum_deviation(table) == 0.0
    assert rank_sum_deviation(without) == pytest.approx(-2 / math.sqrt(5 / 3))
