"""Certainty of an order: by hand, against plain loops and closed forms, and coverage by simulation."""

from itertools import product
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shrec_viewer.evaluation import choices
from shrec_viewer.metrics.statistics import bootstrap
from shrec_viewer.metrics.statistics.bootstrap import bootstrap_interval, resampled_means
from shrec_viewer.metrics.statistics.certainty import (
    critical_difference,
    first_place_shares,
    is_equivalent,
    mean_ranks,
    places_of,
    queries_needed,
    rank_bounds,
    rank_intervals,
    share_above,
    studentised_range,
)
from shrec_viewer.metrics.statistics.significance import randomised_tukey

TABLES = st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=2, max_size=4)
"""Scores of two to four runs for four queries, in quarters, so that ties are common."""


@given(TABLES, st.booleans())
def test_places_are_counts_of_better_runs(rows, higher):
    means = np.array(rows).T / 4
    found = places_of(means, higher_is_better=higher)
    for line, places in zip(means, found, strict=True):
        better = [[(y > x) if higher else (y < x) for y in line] for x in line]
        assert places.tolist() == [1 + sum(row) for row in better]
    shares = first_place_shares(found)
    assert shares.sum() == pytest.approx(1)
    firsts = [[p == 1 for p in places] for places in found]
    assert shares == pytest.approx([np.mean([row[r] / sum(row) for row in firsts]) for r in range(len(rows))])


@given(TABLES)
def test_resampled_means_of_all_samples(rows):
    """The mean over many samples is near that over all 4^4 samples; each resample is one of them."""
    values = np.array(rows) / 4
    every = np.array([values[:, list(drawn)].mean(axis=1) for drawn in product(range(4), repeat=4)])
    found = resampled_means(values, resamples=500).means
    assert {tuple(row) for row in found.round(9)} <= {tuple(row) for row in every.round(9)}
    assert np.abs(found.mean(axis=0) - every.mean(axis=0)).max() < 0.1


def test_share_above_is_the_closed_form():
    """Differences of 1 and -1 for six and four queries: the number of gains in a sample is binomial."""
    values = np.zeros((2, 10))
    values[0, :6], values[1, 6:] = 1.0, 1.0
    means = resampled_means(values, resamples=100_000).means
    probabilities = [comb(10, k) * 0.6**k * 0.4 ** (10 - k) for k in range(11)]
    exact = sum(p for k, p in enumerate(probabilities) if k > 5) + probabilities[5] / 2
    assert share_above(means[:, 0] - means[:, 1]) == pytest.approx(exact, abs=0.006)
    assert first_place_shares(places_of(means))[0] == pytest.approx(exact, abs=0.006)


def test_intervals_of_differences_are_those_of_one_vector():
    random = np.random.default_rng(3)
    values, labels = random.random((3, 40)), np.repeat(np.arange(8), 5)
    for clusters in (None, labels):
        drawn = resampled_means(values, clusters)
        found, expected = drawn.interval(np.array([0, 1.0, -1.0])), bootstrap_interval(values[1] - values[2], clusters)
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-13)
        assert (found.units, found.resamples, found.seed) == (expected.units, 10_000, 2006)


def test_rank_intervals_are_places_that_occur():
    """Of a hundred resamples, 2.5 % are the third lowest and the third highest place."""
    places = np.repeat([1, 2, 3, 4], [2, 1, 95, 2])[:, None]
    assert rank_intervals(places).tolist() == [[2, 3]]
    assert rank_intervals(np.repeat([1, 2, 3, 4], [3, 0, 94, 3])[:, None]).tolist() == [[1, 4]]


@given(st.integers(2, 6), st.integers(0, 10_000), st.booleans())
def test_bounds_hold_the_rank_and_shrink_with_significance(runs, seed, higher):
    random = np.random.default_rng(seed)
    means, p = random.random(runs), random.random((runs, runs))
    p = np.triu(p, 1) + np.triu(p, 1).T + np.eye(runs)
    ranks = places_of(means, higher_is_better=higher)
    wide, narrow = (rank_bounds(means, p, significant=level, higher_is_better=higher) for level in (0.1, 0.9))
    for low, high in (wide.T, narrow.T):
        assert np.all((low <= ranks) & (ranks <= high))
    assert np.all((wide[:, 0] <= narrow[:, 0]) & (narrow[:, 1] <= wide[:, 1]))
    assert np.all(rank_bounds(means, np.zeros_like(p), higher_is_better=higher) == ranks[:, None])


def test_equivalence_is_that_of_two_one_sided_tests():
    """Half of the resamples are below -0.008 or above 0.008 by 4 % and 6 % each."""
    inside = np.concatenate([np.full(4, -0.02), np.zeros(92), np.full(4, 0.02)])
    outside = np.concatenate([np.full(6, -0.02), np.zeros(88), np.full(6, 0.02)])
    assert is_equivalent(inside, 0.01)
    assert not is_equivalent(outside, 0.01)
    assert is_equivalent(outside, 0.03)


@pytest.mark.parametrize(("effect", "short"), [(0.2, 0), (0.5, 0), (1.0, 0), (1.5, 0), (2.0, 1), (3.0, 1)])
def test_queries_needed_have_the_power_of_the_t_test(effect, short):
    """Equal to the exact power up to 1.5 standard deviations, one short at 2 and 3."""
    stats = pytest.importorskip("scipy.stats")

    def power(n):
        limit, shift = stats.t.ppf(0.975, n - 1), effect * np.sqrt(n)
        return 1 - stats.nct.cdf(limit, n - 1, shift) + stats.nct.cdf(-limit, n - 1, shift)

    exact = next(n for n in range(2, 1000) if power(n) >= 0.8)
    assert queries_needed(effect) == exact - short
    assert queries_needed(-effect) == queries_needed(effect)


def test_quantiles_of_the_studentised_range_are_the_printed_ones():
    printed = {2: 1.960, 3: 2.344, 5: 2.728, 6: 2.850, 10: 3.164, 13: 3.313, 20: 3.544}
    assert {k: round(studentised_range(k) / np.sqrt(2), 3) for k in printed} == printed
    assert critical_difference(2, 20) == pytest.approx(1.960 * np.sqrt(2 * 3 / (6 * 20)), abs=1e-3)


@given(TABLES, st.booleans())
def test_mean_ranks_are_those_of_scipy(rows, higher):
    stats = pytest.importorskip("scipy.stats")
    values = np.array(rows) / 4
    expected = stats.rankdata(-values if higher else values, axis=0).mean(axis=1)
    assert mean_ranks(values, higher_is_better=higher) == pytest.approx(expected)


def test_options_name_the_defaults_of_the_resamples():
    assert (choices.RESAMPLES, choices.SEED) == (bootstrap.RESAMPLES, bootstrap.SEED)


#: By the standard deviation of the runs: share of true places in their interval and width of it, share of trials in
#: which all true places are in their bounds, share of first places of the winner, and share of trials in which it is
#: the best. Scores are normal, of 13 runs for 30 queries, with a standard deviation of 0.15.
CALIBRATION = {
    0.06: (0.97, 5.7, 1.0, 0.66, 0.64),
    0.02: (0.92, 8.7, 1.0, 0.47, 0.29),
    0.0: (0.81, 9.5, 0.97, 0.41, 0.08),
}

TRIALS = 300


@pytest.mark.parametrize("deviation", CALIBRATION)
def test_coverage_is_that_of_the_published_simulation(deviation):
    """A share of first places is too large in a close field; only the bounds hold for all runs at once."""
    random = np.random.default_rng(1)
    found = []
    for trial in range(TRIALS):
        # Equal runs have an order, too, which their scores do not show.
        true = random.normal(0, deviation, 13) if deviation else random.permutation(13) * 1e-9
        values = true[:, None] + random.normal(0, 0.15, (13, 30))
        ranks = 1 + np.argsort(np.argsort(-true))
        places = places_of(resampled_means(values, resamples=500, seed=trial).means)
        intervals = rank_intervals(places)
        bounds = rank_bounds(values.mean(axis=1), randomised_tukey(values, shuffles=500).p)
        winner = int(np.argmax(values.mean(axis=1)))
        covered, in_all = ((ends[:, 0] <= ranks) & (ranks <= ends[:, 1]) for ends in (intervals, bounds))
        width = np.mean(intervals[:, 1] - intervals[:, 0])
        found.append((covered.mean(), width, in_all.all(), first_place_shares(places)[winner], ranks[winner] == 1))
    coverage, width, in_all, share, best = np.mean(found, axis=0)
    expected = CALIBRATION[deviation]
    # Three standard errors of 300 trials.
    assert coverage == pytest.approx(expected[0], abs=0.015)
    assert share == pytest.approx(expected[3], abs=0.05)
    assert best == pytest.approx(expected[4], abs=0.08)
    assert width == pytest.approx(expected[1], abs=0.3)
    assert in_all >= expected[2] - 0.02
    assert deviation == 0.06 or share > best + 0.08
