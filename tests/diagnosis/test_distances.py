"""Statistics of distances against brute force over all pairs, and the laws of a metric against loops."""

from dataclasses import replace
from itertools import pairwise, permutations

import numpy as np
import pytest
from independent_loaders import lists_of
from small_benchmarks import external, itself

from shrec_viewer.diagnosis import distances
from shrec_viewer.diagnosis.distances import metric_laws, query_distances, query_violations, run_distances
from shrec_viewer.domain import Benchmark, Cancelled, DistanceMatrix
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.evaluation.ranked_list import ranked_list
from shrec_viewer.metrics import find_profile

DEFAULT = find_profile("default")


def pooled(benchmark: Benchmark, run: int) -> tuple[np.ndarray, np.ndarray]:
    """Distances to relevant and irrelevant models of all lists, small is near."""
    relevant, irrelevant = [], []
    for query in range(len(benchmark.queries)):
        found = ranked_list(benchmark, benchmark.runs[run], query, DEFAULT)
        if found.relevant_count and not found.missing:
            values = -found.distances if found.similarity else found.distances
            relevant += values[(found.levels > 0) & ~np.isnan(values)].tolist()
            irrelevant += values[(found.levels == 0) & ~np.isnan(values)].tolist()
    return np.array(relevant), np.array(irrelevant)


def equal_error_rate(relevant: np.ndarray, irrelevant: np.ndarray) -> float:
    """Over all distinct distances one after another."""
    points = [(0.0, 1.0)]
    for threshold in np.unique(np.concatenate([relevant, irrelevant])):
        points.append((float(np.mean(irrelevant <= threshold)), float(np.mean(relevant > threshold))))
    for (far0, frr0), (far1, frr1) in pairwise(points):
        if far1 >= frr1:
            share = (frr0 - far0) / ((frr0 - far0) - (frr1 - far1))
            return far0 + share * (far1 - far0)
    raise AssertionError


@pytest.mark.parametrize(("name", "runs"), [("shrec2021_culture", (1, 2, 4)), ("shrec06", (0, 3, 9, 11))])
@pytest.mark.parametrize("kept", [distances.MAX_KEPT, 0])
def test_statistics_equal_brute_force(scores_of, monkeypatch, name, runs, kept):
    monkeypatch.setattr(distances, "MAX_KEPT", kept)
    scores = scores_of(name)
    for run in runs:
        found = run_distances(scores, run)
        relevant, irrelevant = pooled(scores.benchmark, run)
        assert (found.n_relevant, found.n_irrelevant) == (len(relevant), len(irrelevant))
        ranks = np.searchsorted(np.sort(irrelevant), relevant), np.searchsorted(np.sort(irrelevant), relevant, "right")
        auc = 1 - (ranks[0].mean() + ranks[1].mean()) / 2 / len(irrelevant)
        spread = np.sqrt((relevant.var() + irrelevant.var()) / 2)
        expected = auc, abs(relevant.mean() - irrelevant.mean()) / spread
        np.testing.assert_allclose((found.auc, found.d_prime), expected, rtol=0, atol=1e-9)
        widths = np.diff(found.edges)
        assert found.relevant @ widths == pytest.approx(1) == found.irrelevant @ widths
        bins = np.histogram(irrelevant, found.edges)[0] / (len(irrelevant) * widths)
        np.testing.assert_allclose(found.irrelevant, bins, rtol=0, atol=1e-9)
        if name == "shrec2021_culture" and run == 2:  # many ties; the others have tens of thousands of thresholds
            assert found.eer == pytest.approx(equal_error_rate(relevant, irrelevant), abs=1e-9)
        assert np.all(np.diff(found.far) >= 0)
        assert np.all(np.diff(found.frr) <= 0)
        assert (found.far[0], found.frr[0], found.far[-1], found.frr[-1]) == (0, 1, 1, 0)


@pytest.mark.parametrize("seed", range(20))
def test_equal_error_rate_over_all_thresholds(seed):
    random = np.random.default_rng(seed)
    rows = [np.sort(random.integers(0, 8, 6)).astype(float).tolist() for _ in range(4)]
    items = [random.permutation(6).tolist() for _ in range(4)]
    small = external()
    benchmark = replace(small, runs=(replace(small.runs[0], ranking=lists_of(items, rows)),))
    found = run_distances(evaluate(benchmark, DEFAULT, measures=["AP"]), 0)
    relevant, irrelevant = pooled(benchmark, 0)
    assert found.eer == pytest.approx(equal_error_rate(relevant, irrelevant), abs=1e-12)
    below, equal = relevant[:, None] < irrelevant, relevant[:, None] == irrelevant
    assert found.auc == pytest.approx((below + equal / 2).mean(), abs=1e-12)
    for index, query in enumerate(found.queries.tolist()):
        one = query_distances(benchmark, DEFAULT, benchmark.runs[0], query)
        below = one.relevant[:, None] < one.irrelevant
        expected = (below + (one.relevant[:, None] == one.irrelevant) / 2).mean()
        assert one.auc == found.auc_of_query[index] == pytest.approx(expected, abs=1e-12)
        margin = (min(one.irrelevant) - min(one.relevant)) / np.median(one.values)
        assert found.margin[index] == pytest.approx(margin, nan_ok=True)


def test_known_figures_of_contests(scores_of):
    culture = scores_of("shrec2021_culture")
    found = {name: run_distances(culture, run) for run, name in enumerate(culture.runs)}
    rates = {name.split(".")[0]: round(one.eer, 3) for name, one in found.items()}
    assert rates["NPC"] == max(rates.values()) == 0.494
    assert rates["TL"] == min(rates.values()) == 0.108
    tied = found["RVN.run1"]
    assert (tied.n_groups, tied.n_pure, tied.n_tied, tied.pure_ties) == (1134, 1134, tied.n_listed, True)
    assert [name for name, one in found.items() if one.pure_ties] == ["RVN.run1"]
    shrec06 = scores_of("shrec06")
    assert round(run_distances(shrec06, shrec06.runs.index("R1")).eer, 3) == 0.498


def test_similarities_are_distances_with_the_other_sign():
    benchmark = itself()
    run = benchmark.runs[0]
    turned = DistanceMatrix(-run.ranking.values, run.ranking.rows, run.ranking.columns, similarity=True)
    both = replace(benchmark, runs=(run, replace(run, name="similarities", ranking=turned)))
    scores = evaluate(both, DEFAULT, measures=["AP"])
    first, second = run_distances(scores, 0), run_distances(scores, 1)
    assert (first.eer, first.auc, first.d_prime) == (second.eer, second.auc, second.d_prime)
    np.testing.assert_array_equal(first.relevant, second.relevant)


def test_lists_without_numbers_or_one_side_have_no_statistics(scores_of):
    benchmark = external()
    assert run_distances(evaluate(benchmark, DEFAULT, measures=["AP"]), 0) is None
    assert query_distances(benchmark, DEFAULT, benchmark.runs[0], 0) is None
    rows = [[0, 1], [2], [0], [5]]
    only = replace(benchmark.runs[0], ranking=lists_of(rows, [[1.0] * len(row) for row in rows]))
    alone = replace(benchmark, runs=(only,))
    assert run_distances(evaluate(alone, DEFAULT, measures=["AP"]), 0) is None
    shrec06 = scores_of("shrec06")
    assert run_distances(shrec06, shrec06.runs.index("B1")) is None
    with pytest.raises(Cancelled):
        run_distances(shrec06, 0, cancelled=lambda: True)


def of_matrix(values: np.ndarray) -> Benchmark:
    benchmark = itself()
    columns = benchmark.runs[0].ranking.columns
    matrix = DistanceMatrix(values[:, columns], np.arange(6, dtype=np.int32), columns)
    return replace(benchmark, runs=(replace(benchmark.runs[0], ranking=matrix),))


@pytest.mark.parametrize("seed", range(5))
def test_laws_of_a_metric_equal_loops(seed, monkeypatch):
    values = np.random.default_rng(seed).uniform(0.5, 3, (6, 6))
    values[2, 4] = values[4, 2]
    values[1, 1] = 0
    benchmark = of_matrix(values)
    broken = [(i, k) for i, j, k in permutations(range(6), 3) if values[i, k] > values[i, j] + values[j, k]]
    laws = metric_laws(benchmark, benchmark.runs[0])
    assert (laws.n_triples, laws.n_violations, laws.is_complete) == (120, len(broken), True)
    assert (laws.n_pairs, laws.n_asymmetric, laws.n_nonzero) == (15, 14, 5)
    monkeypatch.setattr(distances, "BLOCK_VALUES", 12)  # two rows at a time
    for query in range(6):
        expected = sum(i == query for i, _ in broken)
        assert query_violations(benchmark, benchmark.runs[0], query) == (20, expected)
    monkeypatch.setattr(distances, "N_SAMPLED", 4)
    part = metric_laws(benchmark, benchmark.runs[0])
    assert (part.n_models, part.n_triples, part.is_complete) == (4, 24, False)
    assert part == metric_laws(benchmark, benchmark.runs[0])  # the same models each time


def test_a_metric_obeys_its_laws_and_others_say_why_not():
    benchmark = itself()
    laws = metric_laws(benchmark, benchmark.runs[0])
    assert (laws.n_asymmetric, laws.n_nonzero, laws.n_violations) == (0, 0, 0)
    outside = external()
    assert metric_laws(outside, outside.runs[0]) == query_violations(outside, outside.runs[0], 0) == "full is no matrix"
    matrix = benchmark.runs[0].ranking
    similar = replace(benchmark.runs[0], ranking=replace(matrix, similarity=True))
    assert metric_laws(benchmark, similar) == "line has similarities"
    two = replace(benchmark.runs[0], ranking=replace(matrix, rows=np.array([0, 1, -1, -1, -1, -1], np.int32)))
    assert "no triangles" in metric_laws(benchmark, two)
