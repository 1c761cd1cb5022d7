"""Incomplete ground truth: bounds, coverage of intervals, unbiased estimates."""

import math
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shrec_viewer.metrics.generality.practical import (
    bounds,
    confidence_range,
    estimate,
    sample,
)

SOMETIMES = settings(max_examples=60, deadline=None)
PARTS = st.tuples(st.integers(0, 60), st.integers(0, 60), st.integers(0, 60)).map(sorted).map(tuple)


def chance(count: int, population: int, marked: int, drawn: int) -> float:
    if count < 0 or drawn < count or drawn - count > population - marked:
        return 0.0
    return math.comb(marked, count) * math.comb(population - marked, drawn - count) / math.comb(population, drawn)


@given(PARTS)
@SOMETIMES
def test_bounds_are_attained_and_never_exceeded(parts):
    found, scope, collection = parts
    sure = bounds(found, scope, collection)
    possible = range(found, found + collection - scope + 1)  # how many models may be relevant in all
    assert (sure.class_size.low, sure.class_size.high) == (possible[0], possible[-1])
    if collection:
        assert sure.generality.low == min(possible) / collection
        assert sure.generality.high == max(possible) / collection
    recalls = [found / size for size in possible if size > 0]
    if recalls and found:
        assert sure.recall.low == min(recalls)
        assert sure.recall.high == max(recalls) == 1
    if scope:
        assert sure.precision == found / scope


def test_bounds_of_the_source_are_of_little_use_alone():
    """22 of the first 100 of 1,814 models are relevant: recall is above 1 per cent."""
    sure = bounds(22, 100, 1814)
    assert sure.precision == 0.22
    assert sure.recall.low == pytest.approx(22 / (1814 - 100 + 22))
    assert sure.generality.low == pytest.approx(22 / 1814)
    assert sure.generality.high == pytest.approx((22 + 1814 - 100) / 1814)
    nothing = bounds(0, 0, 0)
    assert all(math.isnan(value) for value in (nothing.precision, nothing.recall.low, nothing.generality.high))
    assert (bounds(0, 5, 9).recall.low, bounds(0, 5, 9).recall.high) == (0.0, 0.0)


@pytest.mark.parametrize("confidence", [0.8, 0.95])
@pytest.mark.parametrize(("population", "judged"), [(1, 1), (12, 5), (30, 11), (25, 25), (9, 0)])
def test_intervals_cover_every_truth_and_are_the_tails_of_exact_chances(population, judged, confidence):
    tail = (1 - confidence) / 2
    ranges = [confidence_range(population, judged, relevant, confidence) for relevant in range(judged + 1)]
    for relevant, found in enumerate(ranges):
        kept = [
            marked
            for marked in range(relevant, population - judged + relevant + 1)
            if sum(chance(x, population, marked, judged) for x in range(relevant, judged + 1)) > tail * (1 + 1e-12)
            and sum(chance(x, population, marked, judged) for x in range(relevant + 1)) > tail * (1 + 1e-12)
        ]
        assert (found.low, found.high) == (kept[0], kept[-1])
        assert kept == list(range(kept[0], kept[-1] + 1))
    for truth in range(population + 1):
        covered = sum(
            chance(x, population, truth, judged) for x, found in enumerate(ranges) if found.low <= truth <= found.high
        )
        assert covered >= confidence - 1e-12


def test_limits_equal_those_of_scipy():
    stats = pytest.importorskip("scipy.stats", reason="scipy is an oracle here, not a dependency")
    random = np.random.default_rng(9)
    for _ in range(40):
        population = int(random.integers(50, 5000))
        judged = int(random.integers(1, population))
        relevant = int(random.integers(0, min(judged, 30)))
        found = confidence_range(population, judged, relevant)
        low, high = int(found.low), int(found.high)
        assert stats.hypergeom(population, low, judged).sf(relevant - 1) > 0.025
        assert low == relevant or stats.hypergeom(population, low - 1, judged).sf(relevant - 1) <= 0.025
        assert stats.hypergeom(population, high, judged).cdf(relevant) > 0.025
        most = population - judged + relevant
        assert high == most or stats.hypergeom(population, high + 1, judged).cdf(relevant) <= 0.025


def test_estimates_are_right_on_average_and_cover_the_truth():
    """1,814 models of which 34 are relevant, 22 of them among the first 100; 300 of the others judged."""
    random = np.random.default_rng(5)
    unseen = np.zeros(1714, int)
    unseen[:12] = 1
    guesses = []
    of_rest = cache(estimate)  # few samples differ in `relevant`
    for _ in range(600):
        x = int(random.choice(unseen, 300, replace=False).sum())
        guesses.append(of_rest(22, 100, 1814, judged=300, relevant=x))
    sizes = np.array([guess.class_size for guess in guesses])
    assert abs(sizes.mean() - 34) < 4 * sizes.std() / math.sqrt(600)
    assert np.mean([guess.class_size_range.low <= 34 <= guess.class_size_range.high for guess in guesses]) >= 0.95
    assert np.mean([guess.recall_range.low <= 22 / 34 <= guess.recall_range.high for guess in guesses]) >= 0.95
    covered = [guess.generality_range.low <= 34 / 1814 <= guess.generality_range.high for guess in guesses]
    assert np.mean(covered) >= 0.95


def test_estimates_by_hand():
    """10 models, 4 looked at and 1 relevant; of the other 6 three judged and one relevant: 1 + 6/3 = 3."""
    guess = estimate(1, 4, 10, judged=3, relevant=1, confidence=0.5)
    assert guess.class_size == 3.0
    assert guess.recall == 1 / 3
    assert guess.generality == 0.3
    # Six unseen: K relevant ones give >= 1 hit with .5 (K=1), and <= 1 hit with .5 (K=3), .2 (K=4): K in 1 … 3.
    assert (guess.class_size_range.low, guess.class_size_range.high) == (2.0, 4.0)
    assert (guess.recall_range.low, guess.recall_range.high) == (1 / 4, 1 / 2)
    assert (guess.generality_range.low, guess.generality_range.high) == (0.2, 0.4)
    assert guess.confidence == 0.5


def test_estimates_at_the_edges():
    all_seen = estimate(5, 100, 100, judged=0, relevant=0)
    assert (all_seen.class_size, all_seen.recall, all_seen.class_size_range.high) == (5.0, 1.0, 5.0)
    all_judged = estimate(5, 10, 30, judged=20, relevant=3)
    assert (all_judged.class_size, all_judged.class_size_range.low, all_judged.class_size_range.high) == (8.0, 8.0, 8.0)
    none_judged = estimate(5, 10, 30, judged=0, relevant=0)
    assert math.isnan(none_judged.class_size)
    assert (none_judged.class_size_range.low, none_judged.class_size_range.high) == (5.0, 25.0)


@pytest.mark.parametrize(
    "call",
    [
        lambda: bounds(3, 2, 10),
        lambda: bounds(-1, 2, 10),
        lambda: estimate(1, 5, 10, judged=6, relevant=0),
        lambda: confidence_range(5, 6, 0),
        lambda: sample([1, 2], 3),
    ],
)
def test_impossible_numbers_are_refused(call):
    with pytest.raises(ValueError, match="at most the next"):
        call()


def test_a_larger_sample_begins_with_the_smaller_one_and_each_model_is_as_likely():
    models = np.arange(100, 140)
    few, many = sample(models, 5), sample(models, 30)
    np.testing.assert_array_equal(many[:5], few)
    assert len(set(many.tolist())) == 30
    assert set(many.tolist()) <= set(models.tolist())
    assert sample(models, 30, seed=1).tolist() != many.tolist()
    times = np.bincount(np.concatenate([sample(np.arange(10), 3, seed=seed) for seed in range(2000)]), minlength=10)
    assert np.all(np.abs(times - 600) < 4 * math.sqrt(2000 * 0.3 * 0.7))
