"""Similarity of runs against single comparisons and scipy, and headroom against loops over models."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from independent_loaders import lists_of
from small_benchmarks import external

from shrec_viewer.diagnosis.headroom import headroom
from shrec_viewer.diagnosis.similarity import (
    SIMILARITIES,
    RunSimilarity,
    average_linkage,
    dendrogram,
    map_of_runs,
    run_copies,
    run_similarity,
)
from shrec_viewer.domain import Cancelled, ShrecViewerError
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.evaluation.ranked_list import ranked_items
from shrec_viewer.metrics import find_profile, tau_ap
from shrec_viewer.metrics.statistics.rank_correlation import rank_biased_overlap, tau_ap_of_ranks

DEFAULT = find_profile("default")


def overlap_by_depth(a: list[int], b: list[int], p: float = 0.9) -> float:
    """Equation 32 of Webber et al. for lists cut to the shorter one, depth by depth."""
    k = min(len(a), len(b))
    shared = [len(set(a[:d]) & set(b[:d])) for d in range(1, k + 1)]
    return shared[-1] / k * p**k + (1 - p) / p * sum(x / d * p**d for d, x in enumerate(shared, 1))


def expected_similarity(kind: str, a: list[int], b: list[int]) -> float:
    if not a or not b:
        return np.nan
    if kind == "rbo":
        return overlap_by_depth(a, b)
    if kind == "jaccard":
        return len({*a[:10]} & {*b[:10]}) / len({*a[:10]} | {*b[:10]})
    common = [item for item in a if item in b]
    return tau_ap([-a.index(item) for item in common], [-b.index(item) for item in common])


def random_scores(seed: int, n_runs: int = 4):
    random, benchmark = np.random.default_rng(seed), external()
    runs = []
    for run in range(n_runs):
        rows = [random.permutation(6)[: random.integers(0, 7)].tolist() for _ in range(3)]
        rows.append(None if run == 1 else random.permutation(6).tolist())
        runs.append(replace(benchmark.runs[0], name=f"r{run}", source=Path(f"r{run}"), ranking=lists_of(rows)))
    return evaluate(replace(benchmark, runs=tuple(runs)), DEFAULT, measures=["AP"])


def lists(scores, query: int) -> list[list[int]]:
    return [ranked_items(scores.benchmark, run, query, DEFAULT).tolist() for run in scores.benchmark.runs]


@pytest.mark.parametrize("kind", SIMILARITIES)
@pytest.mark.parametrize("seed", range(8))
def test_similarity_equals_comparisons_of_single_lists(kind, seed):
    scores = random_scores(seed)
    found = run_similarity(scores, kind)
    for a in range(4):
        for b in range(4):
            every = [expected_similarity(kind, lists(scores, q)[a], lists(scores, q)[b]) for q in range(4)]
            assert found.n_queries[a, b] == np.count_nonzero(~np.isnan(every))
            expected = np.nanmean(every) if found.n_queries[a, b] else np.nan
            assert found.values[a, b] == pytest.approx(expected, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize(("name", "low", "high"), [("shrec2021_culture", 0.024, 0.141), ("shrec06", 0.002, 0.664)])
def test_overlap_of_contests(scores_of, name, low, high):
    scores = scores_of(name)
    found = run_similarity(scores)
    between = found.values[np.triu_indices(len(scores.runs), 1)]
    assert (round(between.min(), 3), round(between.max(), 3)) == (low, high)
    np.testing.assert_allclose(found.values, found.values.T, rtol=0, atol=0)
    np.testing.assert_allclose(np.diag(found.values), 1, rtol=0, atol=1e-12)
    assert run_copies(scores.benchmark, found) == ()
    for a, b in [(0, 1), (3, 4)]:  # the function that compares whole lists
        both = [lists(scores, query) for query in np.flatnonzero(~scores.missing[[a, b]].any(axis=0))[:30].tolist()]
        every = [rank_biased_overlap(one[a], one[b]) for one in both]
        few = replace(scores, excluded=np.arange(len(scores.queries)) >= 30)
        assert run_similarity(few).values[a, b] == pytest.approx(np.mean(every), abs=1e-9)


@pytest.mark.parametrize("n", [2, 3, 63, 64, 65, 200])
def test_correlation_of_ranks_equals_tau_ap(n):
    ranks = np.random.default_rng(n).permutation(n)
    found = tau_ap_of_ranks(ranks)
    expected = tau_ap(-np.arange(n), -ranks), tau_ap(-ranks, -np.arange(n))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
    assert tau_ap_of_ranks(np.arange(n)) == (1, 1)
    assert tau_ap_of_ranks(np.arange(n)[::-1]) == (-1, -1)
    assert np.isnan(tau_ap_of_ranks(np.zeros(1, np.int64))).all()


@pytest.mark.parametrize("seed", range(10))
def test_linkage_equals_that_of_scipy(seed):
    hierarchy = pytest.importorskip("scipy.cluster.hierarchy", reason="scipy is not installed")
    distance = pytest.importorskip("scipy.spatial.distance")
    points = np.random.default_rng(seed).normal(size=(9, 3))
    merges, order = average_linkage(distance.squareform(distance.pdist(points)))
    np.testing.assert_allclose(merges, hierarchy.linkage(points, "average"), rtol=0, atol=1e-9)
    assert sorted(order.tolist()) == list(range(9))
    for cluster in range(len(merges)):  # each cluster is one piece of the order
        inside = hierarchy.to_tree(merges, rd=True)[1][9 + cluster].pre_order()
        places = np.sort(np.flatnonzero(np.isin(order, inside)))
        assert np.all(np.diff(places) == 1)


def test_linkage_of_few_runs():
    assert average_linkage(np.zeros((0, 0)))[1].tolist() == []
    merges, order = average_linkage(np.zeros((1, 1)))
    assert (merges.shape, order.tolist()) == ((0, 4), [0])
    merges, order = average_linkage(np.array([[0, 4, 1.0], [4, 0, 3], [1, 3, 0]]))
    assert merges.tolist() == [[0, 2, 1, 2], [1, 3, 3.5, 3]]
    assert order.tolist() == [0, 2, 1]


def test_copies_are_named_and_identical_files_found(tmp_path):
    scores = random_scores(0, 2)
    rows = [[0, 1, 2, 3, 4, 5]] * 4
    same = [replace(scores.benchmark.runs[0], name=name, ranking=lists_of(rows)) for name in "abc"]
    for run in same:
        (tmp_path / run.name).write_text("one" if run.name != "c" else "two")
    same = [replace(run, source=tmp_path / run.name) for run in same]
    fused = replace(same[0], name="fused", source=Path(), expression="rrf(a, b)")
    benchmark = replace(scores.benchmark, runs=(*same, fused, scores.benchmark.runs[1]))
    scores = evaluate(benchmark, DEFAULT, measures=["AP"])
    found = run_copies(scores.benchmark, run_similarity(scores))
    assert [(copy.a, copy.b, copy.is_identical) for copy in found] == [
        ("a", "b", True),
        ("a", "c", False),
        ("b", "c", False),
    ]
    assert all(copy.rbo == pytest.approx(1) for copy in found)
    (tmp_path / "a").unlink()
    (tmp_path / "b").unlink()
    assert not any(copy.is_identical for copy in run_copies(scores.benchmark, run_similarity(scores)))


@pytest.mark.parametrize("seed", range(8))
def test_headroom_equals_loops_over_models(seed):
    scores = random_scores(seed)
    found = headroom(scores)
    values = scores.values_in_mean[:, :, 0]
    assert found.best == pytest.approx(np.nanmax(np.nanmean(values, axis=1)))
    assert found.oracle == pytest.approx(np.nanmean(np.nanmax(values[:, [0, 1, 3]], axis=0)))
    by_set: dict[tuple[bool, ...], int] = {}
    missed = []
    for query, relevant in ((0, {0, 1, 3}), (1, {2}), (3, {5})):
        for model in sorted(relevant):
            key = tuple(model in items[: len(relevant)] for items in lists(scores, query))
            by_set[key] = by_set.get(key, 0) + 1
            if not any(key):
                missed.append([query, model])
    nothing = by_set.pop((False,) * 4, 0)
    assert (found.n_relevant, found.found_by_none, found.missed.tolist()) == (5, nothing, missed)
    assert {tuple(row): n for row, n in zip(found.sets.tolist(), found.counts.tolist(), strict=True)} == by_set
    assert found.unique.tolist() == [
        sum(n for key, n in by_set.items() if sum(key) == 1 and key[run]) for run in range(4)
    ]
    assert sorted(found.counts.tolist(), reverse=True) == found.counts.tolist()


def test_headroom_of_contests(scores_of):
    found = headroom(scores_of("shrec2021_culture"))
    assert (round(found.oracle, 3), round(found.best, 3), found.best_run) == (0.922, 0.848, "RVN.run1")
    assert found.unique[found.runs.index("MVCNN.run1")] == 175
    assert (found.found_by_none, found.n_relevant, len(found.missed)) == (389, 45174, 389)
    found = headroom(scores_of("shrec06"))
    assert (round(found.oracle, 3), round(found.best, 3), found.best_run) == (0.362, 0.264, "H1")
    assert found.found_by_none == 745
    assert found.counts.sum() + found.found_by_none == found.n_relevant


def test_what_cannot_be_compared_says_so():
    scores = random_scores(0)
    with pytest.raises(ShrecViewerError, match="no submitted runs"):
        headroom(scores.select_runs([]))
    with pytest.raises(ShrecViewerError, match="no queries with relevant models"):
        headroom(replace(scores, excluded=np.ones(4, np.bool_)))
    for compute in (headroom, run_similarity):
        with pytest.raises(Cancelled):
            compute(scores, cancelled=lambda: True)
    steps = []
    run_similarity(scores, progress=lambda *step: steps.append(step))
    assert steps == [(done, 4, "query") for done in range(4)]


def similarity_from(distances):
    names = tuple(f"r{n}" for n in range(len(distances)))
    merges, order = average_linkage(distances)
    return RunSimilarity("rbo", names, 1 - distances, np.ones(distances.shape, np.int64), merges, order)


def test_a_dendrogram_worked_by_hand():
    lines = dendrogram(similarity_from(np.array([[0.0, 0.8, 0.2], [0.8, 0.0, 0.6], [0.2, 0.6, 0.0]])))
    # r0 and r2 merge at 0.2, with r1 at (0.8 + 0.6) / 2 = 0.7; rows are r0, r2, r1.
    low = 0.2 / 0.7
    np.testing.assert_allclose(lines[0], [(0, 0.5), (low, 0.5), (low, 1.5), (0, 1.5)])
    assert {tuple(point) for point in np.round(lines[1], 9)} == {
        (0.0, 2.5), (1.0, 2.5), (1.0, 1.0), (round(low, 9), 1.0)
    }  # fmt: skip


def test_lines_of_a_dendrogram_have_the_heights_of_scipy(scores_of):
    hierarchy = pytest.importorskip("scipy.cluster.hierarchy")
    found = run_similarity(scores_of("shrec06"))
    lines = dendrogram(found)
    drawn = hierarchy.dendrogram(found.merges, no_plot=True)
    heights = np.sort([height[1] for height in drawn["dcoord"]])
    np.testing.assert_allclose(np.sort(lines[:, 1, 0]), heights / heights.max())
    leaves = lines[:, [0, 3]].reshape(-1, 2)
    assert sorted(leaves[leaves[:, 0] == 0, 1].tolist()) == [n + 0.5 for n in range(13)]  # each run once


def test_a_map_of_runs_keeps_distances_of_a_plane():
    points = np.random.default_rng(3).random((6, 2)) / 2
    distances = np.linalg.norm(points[:, None] - points, axis=2)
    found = map_of_runs(similarity_from(distances))
    np.testing.assert_allclose(np.linalg.norm(found[:, None] - found, axis=2), distances, atol=1e-9)
    assert found[:, 0].var() >= found[:, 1].var()
    for axis in found.T:
        assert axis[np.argmax(np.abs(axis))] > 0
    assert map_of_runs(similarity_from(np.zeros((2, 2)))).tolist() == [[0, 0], [0, 0]]
