"""Cohen's kappa against scikit-learn, and laws."""

import numpy as np
import pytest

from shrec_viewer.metrics.statistics.agreement import cohen_kappa


@pytest.mark.parametrize("weights", ["none", "linear"])
def test_equals_scikit_learn(weights):
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(2)
    for n_levels in (2, 3, 4):
        for _ in range(20):
            first, second = rng.integers(0, n_levels, (2, 40))
            expected = metrics.cohen_kappa_score(first, second, weights=None if weights == "none" else weights)
            assert cohen_kappa(first, second, weights) == pytest.approx(expected, abs=1e-12)


def test_laws():
    first, second = np.random.default_rng(1).integers(0, 3, (2, 200))
    for weights in ("none", "linear"):
        assert cohen_kappa(first, first, weights) == 1.0
        assert cohen_kappa(first, second, weights) == pytest.approx(cohen_kappa(second, first, weights))
        assert abs(cohen_kappa(first, second, weights)) < 0.2
    assert np.isnan(cohen_kappa([], []))
    assert np.isnan(cohen_kappa([1, 1], [1, 1]))
