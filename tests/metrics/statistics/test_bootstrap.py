"""Bootstrap intervals: enumeration of resamples, independent programs, coverage, classes, reproducibility."""

import math
from itertools import product

import numpy as np
import pytest

import shrec_viewer.metrics.statistics.bootstrap as resampling_module
from shrec_viewer.metrics.statistics.bootstrap import bootstrap_interval, resampling_unit

NAN = float("nan")


def test_percentiles_are_those_of_every_resample():
    values = np.array([0.0, 0.1, 0.3, 0.9, 0.4])
    means = [np.mean(resample) for resample in product(values, repeat=5)]
    found = bootstrap_interval(values, method="percentile", confidence=0.8, resamples=40_000)
    assert found.mean == pytest.approx(values.mean())
    np.testing.assert_allclose([found.low, found.high], np.quantile(means, [0.1, 0.9]), atol=0.011)


@pytest.mark.parametrize("method", ["percentile", "BCa"])
def test_limits_equal_those_of_scipy(method):
    stats = pytest.importorskip("scipy.stats", reason="scipy is an oracle here, not a dependency")
    values = np.random.default_rng(3).random(30) ** 3
    theirs = stats.bootstrap((values,), np.mean, method=method, n_resamples=40_000, rng=1).confidence_interval
    found = bootstrap_interval(values, method=method.lower(), resamples=40_000)
    width = theirs.high - theirs.low
    assert found.low == pytest.approx(theirs.low, abs=0.02 * width)
    assert found.high == pytest.approx(theirs.high, abs=0.02 * width)


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_nine_of_ten_intervals_cover_the_mean(method):
    random = np.random.default_rng(14)
    covered = []
    for seed in range(400):
        found = bootstrap_interval(random.beta(2, 5, 40), method=method, confidence=0.9, resamples=600, seed=seed)
        covered.append(found.low <= 2 / 7 <= found.high)
    assert abs(np.mean(covered) - 0.9) < 0.05


def test_bias_correction_shifts_the_interval_towards_the_long_tail():
    values = np.random.default_rng(3).random(30) ** 6
    plain, corrected = (bootstrap_interval(values, method=method) for method in ("percentile", "bca"))
    assert corrected.low > plain.low
    assert corrected.high > plain.high


def test_correlated_queries_widen_the_interval_by_class():
    random = np.random.default_rng(6)
    classes = np.repeat(np.arange(60), 20)
    values = random.normal(0, 1, 60)[classes] + random.normal(0, 1, 1200)
    by_query, by_class = bootstrap_interval(values), bootstrap_interval(values, classes)
    assert (by_query.units, by_class.units) == (1200, 60)
    assert by_query.mean == pytest.approx(by_class.mean)
    widths = (by_class.high - by_class.low) / (by_query.high - by_query.low)
    assert widths == pytest.approx(math.sqrt((1 + 1 / 20) / (2 / 20)), rel=0.2)  # 3.2, the root of the design effect


def test_single_query_classes_and_unclassified_queries_are_units():
    values = np.random.default_rng(1).random(25)
    by_query = bootstrap_interval(values)
    assert bootstrap_interval(values, np.arange(25)) == by_query
    assert bootstrap_interval(values, np.full(25, -1)) == by_query
    mixed = bootstrap_interval(values, [7] * 20 + [-1] * 5)
    assert mixed.units == 6
    assert bootstrap_interval(values, [7] * 20 + [8] * 5).units == 2


def test_resampled_classes_weight_queries_equally():
    """Classes {0} and {1, 1, 1}: the four resamples have means 0, 3/4, 3/4, 1."""
    found = bootstrap_interval([0, 1, 1, 1], [0, 1, 1, 1], method="percentile", confidence=0.4, resamples=4000)
    assert (found.mean, found.low, found.high) == (0.75, 0.75, 0.75)
    found = bootstrap_interval([0, 1, 1, 1], [0, 1, 1, 1], method="percentile", confidence=0.6, resamples=4000)
    assert (found.low, found.high) == (0.0, 1.0)


def test_undefined_values_are_excluded():
    values = np.random.default_rng(2).random(12)
    holed = np.insert(values, 4, NAN)
    labels = np.repeat([0, 1, 2], 4)
    assert bootstrap_interval(holed) == bootstrap_interval(values)
    assert bootstrap_interval(holed, np.insert(labels, 4, 9)) == bootstrap_interval(values, labels)
    nothing = bootstrap_interval([NAN])
    assert math.isnan(nothing.mean)
    assert math.isnan(nothing.low)
    one = bootstrap_interval([0.5])
    assert one.mean == 0.5
    assert math.isnan(one.high)


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_equal_values_give_an_interval_of_width_zero(method):
    found = bootstrap_interval([0.25] * 9, method=method)
    assert (found.mean, found.low, found.high) == (0.25, 0.25, 0.25)


def test_extreme_skewness_still_gives_an_interval():
    found = bootstrap_interval([0.0] * 30 + [1.0], confidence=0.999, resamples=500)
    assert 0.0 <= found.low <= found.high <= 1.0


def test_result_depends_on_the_seed_only(monkeypatch):
    values = np.random.default_rng(9).random(50)
    labels = np.repeat(np.arange(10), 5)
    before = bootstrap_interval(values), bootstrap_interval(values, labels)
    assert bootstrap_interval(values) == before[0]
    for cells in (1, 777):
        monkeypatch.setattr(resampling_module, "CELLS", cells)
        assert bootstrap_interval(values, resamples=10_000) == before[0]
        assert bootstrap_interval(values, labels) == before[1]
    assert bootstrap_interval(values, seed=1).low != before[0].low


def test_classes_are_resampled_if_each_has_several_queries():
    assert resampling_unit([0, 0, 1, 1]) == "class"
    assert resampling_unit([0, 0, 1, 1, 1]) == "class"
    assert resampling_unit([0, 0, 1]) == "query"
    assert resampling_unit([0, 0, 0]) == "query"
    assert resampling_unit([0, 0, 1, 1, -1]) == "query"
    assert resampling_unit([]) == "query"
