"""Rank-biased overlap: values by hand, laws, and the definition written as a loop."""

import numpy as np
import pytest

from shrec_viewer.metrics.statistics.rank_correlation import rank_biased_overlap


def overlap_by_definition(first, second, p):
    """Equation 23 of Webber, Moffat, Zobel term by term."""
    depth = min(len(first), len(second))
    shared = [len(set(first[:d]) & set(second[:d])) for d in range(1, depth + 1)]
    total = sum(shared[d - 1] / d * p**d for d in range(1, depth + 1))
    return shared[-1] / depth * p**depth + (1 - p) / p * total


def test_equals_the_definition_on_random_lists():
    rng = np.random.default_rng(4)
    for _ in range(50):
        first = rng.permutation(30)[: rng.integers(1, 25)].tolist()
        second = rng.permutation(30)[: rng.integers(1, 25)].tolist()
        p = float(rng.uniform(0.2, 0.98))
        found = rank_biased_overlap(first, second, p)
        assert found == pytest.approx(overlap_by_definition(first, second, p), abs=1e-12)
        assert found == pytest.approx(rank_biased_overlap(second, first, p), abs=1e-15)
        assert -1e-12 <= found <= 1 + 1e-12


def test_equal_disjoint_and_empty_lists():
    assert rank_biased_overlap([3, 1, 2], [3, 1, 2]) == pytest.approx(1.0)
    assert rank_biased_overlap([1, 2], [3, 4]) == 0.0
    assert np.isnan(rank_biased_overlap([], [1]))


def test_two_exchanged_items_by_hand():
    # 1/1 * 0 + 2/2 * 0.25 in the sum, times (1 - p) / p = 1, and 2/2 * 0.25 for the rest.
    assert rank_biased_overlap([1, 2], [2, 1], 0.5) == pytest.approx(0.25 + 0.25)
