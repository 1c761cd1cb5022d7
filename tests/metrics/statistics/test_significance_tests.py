"""Significance tests: enumeration of patterns, independent programs, rate of false positives."""

import math
from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shrec_viewer.metrics.statistics.significance as statistics_module
from shrec_viewer.metrics.statistics.rank_correlation import kendall_tau, tau_ap
from shrec_viewer.metrics.statistics.significance import (
    effect_size,
    group_runs,
    holm,
    randomisation_test,
    randomisation_tests,
    randomised_tukey,
    win_tie_loss,
)

SOMETIMES = settings(max_examples=60, deadline=None)
NAN = float("nan")
EIGHTHS = st.integers(-16, 16).map(lambda n: n / 8)  # differences whose sums are exact, so that ties are ties


def scipy_stats():
    return pytest.importorskip("scipy.stats", reason="scipy is an oracle here, not a dependency")


# ----------------------------------------------------------------------------------------------- paired randomisation


@given(st.lists(EIGHTHS, min_size=1, max_size=10))
@SOMETIMES
def test_few_differences_are_enumerated(differences):
    sums = [
        abs(sum(s * d for s, d in zip(signs, differences, strict=True)))
        for signs in product((1, -1), repeat=len(differences))
    ]
    found = randomisation_test(differences)
    assert found.p == np.mean([value >= abs(sum(differences)) for value in sums])
    assert found.exact
    assert found.difference == pytest.approx(np.mean(differences))
    assert found.n == len(differences)


def test_rounding_does_not_split_ties():
    """0.1 + 0.2 and 0.3 are the same sum: patterns that tie with the observed one count."""
    assert randomisation_test([0.1, 0.2, -0.3]).p == 1.0
    # |sum| = 0.6: only + + + and - - - reach it, since 0.1 + 0.2 - 0.3 does not.
    assert randomisation_test([0.1, 0.2, 0.3]).p == 0.25
    assert randomisation_test([0.1, 0.7, 0.6 + 1e-16, 0.2]).p == 0.125


def test_sampling_agrees_with_enumeration():
    random = np.random.default_rng(1)
    differences = random.normal(0.2, 0.5, 18)
    sums = np.array(list(product((1.0, -1.0), repeat=18))) @ differences
    exact = np.mean(np.abs(sums) >= abs(differences.sum()) * (1 - 1e-12))
    found = randomisation_test(differences)
    assert not found.exact
    assert found.patterns == 100_000
    assert found.p == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 100_000))
    # p = (count + 1) / (patterns + 1): one of so many thousandths, never 0
    few = randomisation_test(differences, randomisations=999)
    assert few.p * 1000 == pytest.approx(round(few.p * 1000), abs=1e-9)
    assert randomisation_test(np.ones(40), randomisations=99).p == 0.01


def test_agrees_with_scipy_and_nearly_with_the_paired_t_test():
    stats = scipy_stats()
    random = np.random.default_rng(7)
    for n in (8, 30):
        a = random.random(n)
        b = a + random.normal(0.03, 0.1, n)
        found = randomisation_test(b - a)
        theirs = stats.permutation_test(
            (b - a,), np.mean, permutation_type="samples", n_resamples=20_000 if n > 16 else np.inf, rng=1
        )
        assert found.p == pytest.approx(theirs.pvalue, abs=1e-12 if n == 8 else 0.015)
        assert found.p == pytest.approx(stats.ttest_rel(b, a).pvalue, abs=0.05)


def test_zeros_keep_the_test_exact_and_undefined_queries_are_excluded():
    plain = randomisation_test([0.1, 0.2, 0.3, 0.4])
    padded = randomisation_test([0.1, 0.2, 0.0, 0.3, NAN, 0.4] + [0.0] * 40)
    assert (padded.p, padded.exact, padded.n) == (plain.p, True, 45)
    assert padded.difference == pytest.approx(1.0 / 45)
    nothing = randomisation_test([NAN, NAN])
    assert math.isnan(nothing.p)
    assert math.isnan(nothing.difference)
    assert (nothing.n, nothing.patterns) == (0, 0)
    assert randomisation_test([0.0, 0.0]).p == 1.0


def test_result_depends_on_the_seed_only(monkeypatch):
    random = np.random.default_rng(3)
    table = random.normal(0.05, 0.3, (70, 4))
    table[5, 1] = NAN
    whole = randomisation_tests(table, randomisations=3000)
    for column in range(4):
        assert randomisation_test(table[:, column], randomisations=3000) == whole[column]
    for cells in (70, 1000):
        monkeypatch.setattr(statistics_module, "CELLS", cells)
        assert randomisation_tests(table, randomisations=3000) == whole
    other = randomisation_tests(table, randomisations=3000, seed=1)
    assert [test.p for test in other] != [test.p for test in whole]


def test_rate_of_false_positives_is_the_significance_level():
    random = np.random.default_rng(21)
    p = [randomisation_test(random.normal(0, 1, 12) ** 3).p for _ in range(800)]
    for claimed in (0.05, 0.2):
        assert np.mean(np.array(p) <= claimed) <= claimed + 3 * math.sqrt(claimed * (1 - claimed) / 800)
    assert 0.4 < np.mean(p) < 0.6


def test_the_sign_does_not_matter():
    differences = np.random.default_rng(4).normal(0.1, 1, 30)
    up, down = randomisation_test(differences), randomisation_test(-differences)
    assert (up.p, up.difference) == (down.p, -down.difference)


# ---------------------------------------------------------------------------------------------------------------- Holm


def test_holm_by_hand_and_with_gaps():
    np.testing.assert_allclose(holm([0.01, 0.04, 0.03, 0.005]), [0.03, 0.06, 0.06, 0.02])
    np.testing.assert_allclose(holm([0.01, NAN, 0.04]), [0.02, NAN, 0.04])
    np.testing.assert_allclose(holm([0.9, 0.8]), [1.0, 1.0])
    assert holm([]).shape == (0,)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
@SOMETIMES
def test_holm_is_the_step_down_procedure(p):
    """A hypothesis falls at a level if all with smaller p fall, the k-th against level / (n - k + 1)."""
    raised = holm(p)
    order = sorted(range(len(p)), key=p.__getitem__)
    for level in (0.01, 0.05, 0.3):
        falls = []
        for step, test in enumerate(order):
            if p[test] * (len(p) - step) > level:
                break
            falls.append(test)
        assert sorted(falls) == [test for test in range(len(p)) if raised[test] <= level]


# --------------------------------------------------------------------------------------------------- randomised Tukey


def test_tukey_agrees_with_all_permutations():
    """Three runs, four queries: 6^4 = 1,296 ways."""
    values = np.array([[5, 3, 6, 4], [3, 2, 6, 1], [1, 2, 3, 2]]) / 8
    ranges = []
    for shuffle in product(permutations(range(3)), repeat=4):
        means = np.mean([values[list(order), query] for query, order in enumerate(shuffle)], axis=0)
        ranges.append(means.max() - means.min())
    found = randomised_tukey(values, shuffles=20_000)
    for one, other in combinations(range(3), 2):
        apart = abs(values[one].mean() - values[other].mean())
        exact = np.mean(np.array(ranges) >= apart - 1e-12)
        assert found.p[one, other] == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 20_000) + 1e-4)
    np.testing.assert_array_equal(found.p, found.p.T)
    np.testing.assert_array_equal(np.diag(found.p), 1.0)
    np.testing.assert_allclose(found.means, values.mean(axis=1))


def test_tukey_of_two_runs_is_the_paired_test():
    random = np.random.default_rng(8)
    a = random.random(25)
    b = a + random.normal(0.05, 0.15, 25)
    pair = randomised_tukey([a, b], shuffles=20_000).p[0, 1]
    assert pair == pytest.approx(randomisation_test(b - a).p, abs=0.015)


def test_tukey_is_stricter_than_single_tests_and_uses_shared_queries():
    random = np.random.default_rng(10)
    hardness = random.random(40) * 5
    values = np.array([hardness + random.normal(0, 0.2, 40) + 0.1 * run for run in range(6)])
    found = randomised_tukey(values, shuffles=4000)
    assert found.p[0, 5] < 0.01  # although the queries differ fifty times as much as the runs
    for one, other in combinations(range(6), 2):
        single = randomisation_test(values[one] - values[other], randomisations=4000).p
        assert found.p[one, other] >= single - 0.02


def test_tukey_excludes_missing_queries_and_depends_on_the_seed_only(monkeypatch):
    random = np.random.default_rng(2)
    values = random.random((4, 30))
    holed = np.insert(values, 7, [0.5, NAN, 0.5, 0.5], axis=1)
    whole = randomised_tukey(values, shuffles=500)
    np.testing.assert_array_equal(randomised_tukey(holed, shuffles=500).p, whole.p)
    assert randomised_tukey(holed, shuffles=500).n == 30
    monkeypatch.setattr(statistics_module, "KEPT_SHUFFLES", 0)
    for cells in (1, 700):
        monkeypatch.setattr(statistics_module, "CELLS", cells)
        np.testing.assert_array_equal(randomised_tukey(values, shuffles=500).p, whole.p)
    assert not np.array_equal(randomised_tukey(values, shuffles=500, seed=1).p, whole.p)
    empty = randomised_tukey([[NAN, 0.5], [0.5, NAN]])
    assert empty.n == 0
    assert np.isnan(empty.p).all()
    assert randomised_tukey(np.empty((0, 3))).p.shape == (0, 0)


@pytest.mark.parametrize("shape", [(13, 30), (2, 7), (30, 4), (300, 2)])
def test_tukey_is_the_same_with_kept_shuffles(monkeypatch, shape):
    values = np.random.default_rng(shape[0]).random(shape).round(2)
    found = [randomised_tukey(values, shuffles=700, seed=5).p for _ in range(2)]
    monkeypatch.setattr(statistics_module, "KEPT_SHUFFLES", 0)
    every = [randomised_tukey(values, shuffles=700, seed=5).p, *found]
    np.testing.assert_array_equal(every[0], every[1])
    np.testing.assert_array_equal(every[0], every[2])


def test_tukey_shuffles_once_for_tests_of_the_same_runs_and_queries(monkeypatch):
    random, drawn = np.random.default_rng(2), []
    shuffled = statistics_module._shuffled
    monkeypatch.setattr(statistics_module, "_shuffled", lambda *args: drawn.append(args) or shuffled(*args))
    statistics_module._shuffles.cache_clear()
    for _ in range(3):
        randomised_tukey(random.random((4, 9)), shuffles=50)
    assert len(drawn) == 1


def test_tukey_of_equal_runs_finds_nothing():
    np.testing.assert_array_equal(randomised_tukey(np.tile([0.1, 0.7, 0.3], (3, 1)), shuffles=200).p, np.ones((3, 3)))
    np.testing.assert_array_equal(randomised_tukey(np.zeros((2, 5)), shuffles=200).p, np.ones((2, 2)))


def test_tukey_limits_the_family_wise_error():
    random = np.random.default_rng(33)
    alarms = [np.any(randomised_tukey(random.random((5, 15)), shuffles=400).p <= 0.1) for _ in range(200)]
    assert np.mean(alarms) <= 0.1 + 3 * math.sqrt(0.1 * 0.9 / 200)
    assert np.mean(alarms) >= 0.03


def test_tests_can_be_cancelled():
    def stop():
        raise InterruptedError

    with pytest.raises(InterruptedError):
        randomised_tukey(np.random.default_rng(1).random((3, 9)), checkpoint=stop)
    with pytest.raises(InterruptedError):
        randomisation_tests(np.random.default_rng(1).random((30, 2)), checkpoint=stop)


# -------------------------------------------------------------------------------------------------------------- groups


@given(st.integers(1, 8), st.data())
@SOMETIMES
def test_two_runs_share_a_letter_exactly_where_they_do_not_differ(n, data):
    pairs = list(combinations(range(n), 2))
    differ = data.draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)))
    means = np.array(data.draw(st.lists(st.floats(0, 1), min_size=n, max_size=n)))
    p = np.ones((n, n))
    for (one, other), apart in zip(pairs, differ, strict=True):
        p[one, other] = p[other, one] = 0.01 if apart else 0.5
    found = group_runs(means, p)
    for one, other in pairs:
        assert bool(set(found.letters[one]) & set(found.letters[other])) == (p[one, other] > 0.05)
    alike = {frozenset(run for run in range(n) if mask >> run & 1) for mask in range(1, 2**n)}
    alike = {group for group in alike if all(p[one, other] > 0.05 for one, other in combinations(group, 2))}
    largest = {group for group in alike if not any(group < other for other in alike)}
    assert {frozenset(group) for group in found.members} == largest
    assert len(found.members) == len(largest)
    for group in found.members:
        assert [means[run] for run in group] == sorted((means[run] for run in group), reverse=True)
    assert "a" in found.letters[int(np.argmax(means))]


def test_letters_start_at_the_best_run_and_skip_undefined_runs():
    p = np.full((4, 4), 0.001)
    np.fill_diagonal(p, 1.0)
    p[0, 1] = p[1, 0] = NAN  # not tested, so not significantly different
    found = group_runs([0.2, 0.1, 0.9, NAN], p)
    assert found.letters == ("b", "b", "a", "")
    assert found.members == ((2,), (0, 1))
    assert group_runs([0.2, 0.1, 0.9, NAN], p, higher_is_better=False).members == ((1, 0), (2,))
    assert group_runs([0.2, 0.1, 0.9, NAN], p, significant=0.0001).letters == ("a", "a", "a", "")
    assert group_runs([], np.empty((0, 0))).members == ()
    many = group_runs(np.arange(60.0), np.eye(60))
    assert many.letters[59] == "a"
    assert many.letters[0] == "(60)"


# ---------------------------------------------------------------------------------------------------- tallies, effect


def test_win_tie_loss_uses_polarity_and_ignores_rounding():
    differences = [0.1, -0.2, 0.0, 0.3 - (0.1 + 0.2), NAN, 0.5]
    up, down = win_tie_loss(differences), win_tie_loss(differences, higher_is_better=False)
    assert (up.better, up.equal, up.worse, up.undefined) == (2, 2, 1, 1)
    assert (down.better, down.equal, down.worse, down.undefined) == (1, 2, 2, 1)


def test_effect_is_the_mean_in_standard_deviations():
    assert effect_size([1.0, 2.0, 3.0, NAN]) == pytest.approx(2.0)
    assert math.isnan(effect_size([0.5, 0.5]))
    assert math.isnan(effect_size([0.5]))
    assert math.isnan(effect_size([]))


# --------------------------------------------------------------------------------------------------- rank correlation


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=15))
@SOMETIMES
def test_tau_equals_scipy_with_ties(pairs):
    first, second = zip(*pairs, strict=True)
    theirs = scipy_stats().kendalltau(first, second).statistic
    assert kendall_tau(first, second) == pytest.approx(theirs, nan_ok=True, abs=1e-12)


def test_tau_ap_equals_the_example_of_ircor():
    """The manual of ircor, the package of the authors of tau_AP,a: .3928571 without ties, .39903 with ties in y."""
    truth = [0.67, 0.45, 0.29, 0.12, 0.57, 0.24, 0.94, 0.75, 0.08, 0.54]
    guess = [0.48, 0.68, 0.32, 0.09, 0.06, 0.61, 0.87, 0.22, 0.44, 0.84]
    assert tau_ap(truth, guess) == pytest.approx(0.3928571, abs=5e-8)
    assert tau_ap(truth, np.round(guess, 1)) == pytest.approx(0.39903, abs=5e-6)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=2, max_size=4), st.randoms())
@SOMETIMES
def test_tau_ap_is_the_mean_over_all_orders_of_tied_runs(pairs, random):
    truth, guess = (np.array(values, float) for values in zip(*pairs, strict=True))
    expected = []
    for orders in product(permutations(range(len(truth))), repeat=2):
        x, y = truth + np.array(orders[0]) / 10, guess + np.array(orders[1]) / 10
        by_guess = x[np.argsort(-y)]
        shares = [np.mean(by_guess[:rank] > by_guess[rank]) for rank in range(1, len(x))]
        expected.append(2 * np.mean(shares) - 1)
    assert tau_ap(truth, guess) == pytest.approx(np.mean(expected))
    random.shuffle(pairs)
    assert tau_ap(*zip(*pairs, strict=True)) == pytest.approx(np.mean(expected)), "independent of the order of the runs"


def test_tau_ap_by_hand_and_at_its_limits():
    truth = [5, 4, 3, 2, 1]
    assert tau_ap(truth, truth) == 1.0
    assert tau_ap(truth, truth[::-1]) == -1.0
    # Guess 4 5 3 2 1: shares rightly above are 0/1, 2/2, 3/3, 4/4; 2 * 3/4 - 1.
    assert tau_ap(truth, [4, 5, 3, 2, 1]) == pytest.approx(0.5)
    # Guess 5 4 3 1 2: shares 1, 1, 1, 3/4.
    assert tau_ap(truth, [5, 4, 3, 1, 2]) == pytest.approx(2 * (3.75 / 4) - 1)
    assert tau_ap([1, 1], [2, 1]) == 0.0
    assert tau_ap([2, NAN, 1], [2, 9, 1]) == 1.0
    assert math.isnan(tau_ap([1], [1]))
    assert math.isnan(kendall_tau([1, 1], [1, 2]))
