"""Maps of models: known planes, an independent decomposition, the same seed, and runs that have no map."""

from pathlib import Path

import numpy as np
import pytest

from shrec_viewer.diagnosis import model_map as module
from shrec_viewer.diagnosis.model_map import (
    laid_onto,
    landmark_mds,
    model_map,
    nearest,
    principal_components,
    procrustes,
)
from shrec_viewer.domain import (
    Benchmark,
    Cancelled,
    Collection,
    DistanceMatrix,
    Queries,
    QueryKind,
    RankedLists,
    Run,
    ShrecViewerError,
)
from shrec_viewer.formats.matrices.vectors import _distances_of

N = 60


def benchmark_of(n_models, run, *, member=None, n_queries=None):
    """A benchmark with one run; by default each model is a query."""
    n_queries = n_models if n_queries is None else n_queries
    member = np.arange(n_queries, dtype=np.int32) if member is None else np.array(member, np.int32)
    none = np.full(n_queries, -1, np.int32)
    queries = Queries(
        tuple(f"q{k}" for k in range(n_queries)), (None,) * n_queries, (QueryKind.NONE,) * n_queries, member, none
    )
    return Benchmark("b", Path(), Collection(tuple(f"m{k}" for k in range(n_models)), [None] * n_models), queries,
                     runs=(run,))  # fmt: skip


def matrix_run(values, *, similarity=False, columns=None):
    rows = np.arange(len(values), dtype=np.int32)
    columns = np.arange(values.shape[1], dtype=np.int32) if columns is None else np.array(columns, np.int32)
    return Run("r", "p", Path(), DistanceMatrix(values, rows, columns, similarity))


def list_run(lists, n_queries, distances=None):
    lengths = [len(items) for items in lists]
    return Run("r", "p", Path(), RankedLists(
        np.cumsum([0, *lengths]), np.concatenate(lists).astype(np.int32),
        None if distances is None else np.concatenate(distances), np.ones(n_queries, np.bool_),
    ))  # fmt: skip


def distances(points, others=None):
    return np.sqrt(((points[:, None] - (points if others is None else others)[None]) ** 2).sum(axis=2))


@pytest.fixture
def plane():
    return np.random.default_rng(3).standard_normal((N, 2)) * (3.0, 1.0)


def error_onto(points, targets):
    rotation, shift = procrustes(points, targets)
    return np.abs(points @ rotation + shift - targets).max()


def unit(points):
    points = points - points.mean(axis=0)
    return points / np.sqrt((points**2).sum(axis=1).mean())


@pytest.mark.parametrize("n_landmarks", [10, 30, N])
def test_points_of_a_plane_are_recovered_from_distances_to_landmarks(plane, n_landmarks):
    landmarks = np.arange(0, N, N // n_landmarks)
    points, shares = landmark_mds(distances(plane)[:, landmarks], landmarks, 2)
    assert error_onto(points, plane) < 1e-9
    assert sum(shares) == pytest.approx(1)
    assert points.mean(axis=0) == pytest.approx(0, abs=1e-9)
    assert abs((points[:, 0] * points[:, 1]).sum()) < 1e-6  # principal axes


def test_further_dimensions_than_the_distances_have_are_0(plane):
    points, _ = landmark_mds(distances(plane), np.arange(N), 5)
    assert points.shape == (N, 5)
    assert np.abs(points[:, 2:]).max() < 1e-6


@pytest.mark.parametrize("method", ["mds", "pca"])
@pytest.mark.parametrize("columns", [None, np.random.default_rng(0).permutation(N)])
def test_map_of_a_square_matrix_is_the_plane(plane, method, columns):
    values = distances(plane)
    run = matrix_run(values if columns is None else values[:, columns], columns=columns)
    found = model_map(benchmark_of(N, run), run, method)
    assert found.models.tolist() == list(range(N))
    assert np.sqrt((found.points**2).sum(axis=1).mean()) == pytest.approx(1)
    if method == "mds":
        assert error_onto(found.points, unit(plane)) < 1e-6
        assert found.source == "distances between 60 models and all"
    np.fill_diagonal(values, np.inf)
    assert found.neighbours.tolist() == np.argsort(values, axis=1)[:, :5].tolist()


def test_similarities_and_asymmetric_distances_are_taken_as_the_mean_of_both_directions(plane):
    values, skew = distances(plane), np.triu(np.full((N, N), 0.01), 1)
    run = matrix_run(values + skew - skew.T)
    assert error_onto(model_map(benchmark_of(N, run), run).points, unit(plane)) < 1e-6
    run = matrix_run(5.0 - values, similarity=True)
    assert error_onto(model_map(benchmark_of(N, run), run).points, unit(plane)) < 1e-6


def test_principal_components_are_those_of_numpys_svd():
    columns = np.random.default_rng(5).standard_normal((80, 12)) * np.arange(12, 0, -1)
    for matrix in (columns, columns[:8]):  # tall and wide
        points, shares = principal_components(matrix, 3)
        left, values, _ = np.linalg.svd(matrix - matrix.mean(axis=0), full_matrices=False)
        expected = left[:, :3] * values[:3]
        assert np.abs(np.abs(points) - np.abs(expected)).max() < 1e-9
        assert shares == pytest.approx(values[:3] ** 2 / (values**2).sum())
        assert (points.max(axis=0) >= -points.min(axis=0)).all()


def test_subspace_iteration_finds_the_same_axes(monkeypatch):
    columns = np.random.default_rng(5).standard_normal((300, 100)) * np.append([9, 5, 3], np.ones(97))
    expected, shares = principal_components(columns, 2)
    monkeypatch.setattr(module, "MAX_EXACT", 10)
    points, other_shares = principal_components(columns, 2, seed=1)
    assert points == pytest.approx(expected, abs=1e-6)
    assert other_shares == pytest.approx(shares)


def test_procrustes_finds_a_mirrored_and_moved_map(plane):
    angle = 0.7
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]) @ np.diag([1.0, -1.0])
    assert error_onto(plane @ turn + (4, -2), plane) < 1e-12
    models = np.arange(N, dtype=np.int32)
    moved = laid_onto(models[10:], plane[10:] @ turn, models[:50], plane[:50])
    assert moved == pytest.approx(plane[10:])
    assert laid_onto(models[:2], plane[:2], models, plane) is not moved
    np.testing.assert_array_equal(laid_onto(models[:2], plane[:2], models, plane), plane[:2])


def test_other_queries_give_profiles_of_ranks(plane):
    others = np.random.default_rng(8).standard_normal((12, 2)) * (3.0, 1.0)
    values = distances(others, plane)
    run = matrix_run(values)
    found = model_map(benchmark_of(N, run, member=[-1] * 12, n_queries=12), run)
    assert found.source == "ranks in 12 lists"
    ranks = (values.argsort(axis=1).argsort(axis=1) + 1.0).T
    expected, shares = principal_components(ranks, 2)
    assert found.points == pytest.approx(unit(expected))
    assert found.shares == pytest.approx(shares)
    away = distances(ranks)
    np.fill_diagonal(away, np.inf)
    assert found.neighbours.tolist() == np.argsort(away, axis=1, kind="stable")[:, :5].tolist()


def test_ranks_of_lists_are_those_of_the_matrix_and_unlisted_models_have_the_mean_rank():
    lists = [[2, 0, 1], [3, 3, 1]]
    run = list_run(lists, 2)
    found = module._Lists(benchmark_of(5, run, member=[-1, -1], n_queries=2), run)
    assert found.models.tolist() == [0, 1, 2, 3]
    assert found.absent == "1 model is in no list"
    # The first of a repeated model counts: ranks 1 and 3 of list 2 are 1 and 2 among the models.
    assert found.ranks(np.arange(2)).tolist() == [[2, 3, 1, 4], [3.5, 2, 3.5, 1]]


def test_full_lists_with_distances_are_a_matrix(plane):
    values = distances(plane)
    order = values.argsort(axis=1)
    run = list_run(list(order), N, list(np.take_along_axis(values, order, axis=1)))
    expected = model_map(benchmark_of(N, run), matrix_run(values))
    found = model_map(benchmark_of(N, run), run)
    assert found.points == pytest.approx(expected.points)
    assert found.source == expected.source


@pytest.mark.parametrize("metric", ["l2", "cosine"])
def test_vectors_of_the_run_are_used(metric):
    vectors = np.random.default_rng(2).standard_normal((N, 8))
    values = _distances_of(Path(), vectors[:4], vectors, metric)
    run = matrix_run(values)
    found = model_map(benchmark_of(N, run, n_queries=4), run)
    assert found.source == "vectors of 8 dimensions"
    prepared = vectors / np.linalg.norm(vectors, axis=1, keepdims=True) if metric == "cosine" else vectors
    assert found.points == pytest.approx(unit(principal_components(prepared, 2)[0]))
    away = distances(prepared)
    np.fill_diagonal(away, np.inf)
    assert found.neighbours.tolist() == np.argsort(away, axis=1)[:, :5].tolist()


def test_vectors_that_are_not_finite_are_absent():
    vectors = np.random.default_rng(2).standard_normal((N, 8))
    vectors[7] = 0.0  # no direction
    run = matrix_run(_distances_of(Path(), vectors[:4], vectors, "cosine"))
    found = model_map(benchmark_of(N, run, n_queries=4), run)
    assert 7 not in found.models
    assert found.absent == "1 model has no finite vector"


def test_missing_and_infinite_numbers_count_as_the_largest_of_the_query(plane):
    values = distances(plane)
    values[3, 5], values[3, 9] = np.nan, np.inf
    run = matrix_run(values)
    found = module._Lists(benchmark_of(N, run), run).dissimilarities(np.array([3]))[0]
    assert found[5] == found[9] == np.nanmax(values[3][np.isfinite(values[3])])
    assert np.isfinite(model_map(benchmark_of(N, run), run).points).all()


def test_same_seed_same_map_whatever_the_sample(plane, monkeypatch):
    monkeypatch.setattr(module, "MAX_LANDMARKS", 15)
    values = distances(np.random.default_rng(1).standard_normal((N, 6)))
    run = matrix_run(values)
    benchmark = benchmark_of(N, run)
    first, second, third = (model_map(benchmark, run, seed=seed) for seed in (4, 4, 5))
    assert first.points.tobytes() == second.points.tobytes()
    assert first.points.tobytes() != third.points.tobytes()
    monkeypatch.setattr(module, "ROWS", 7)
    assert model_map(benchmark, run, seed=4).points == pytest.approx(first.points, abs=1e-12)


def test_large_collections_have_no_neighbours_and_use_landmarks_only(plane, monkeypatch):
    monkeypatch.setattr(module, "MAX_NEIGHBOURS_OF", N - 1)
    run = matrix_run(distances(plane))
    found = model_map(benchmark_of(N, run), run)
    assert found.neighbours.shape == (N, 0)
    assert error_onto(found.points, unit(plane)) < 1e-6


def test_nearest_is_brute_force():
    rows = np.random.default_rng(0).standard_normal((300, 4))
    away = distances(rows)
    np.fill_diagonal(away, np.inf)
    assert nearest(rows, 3).tolist() == np.argsort(away, axis=1)[:, :3].tolist()
    assert nearest(rows[:3], 5).shape == (3, 2)


def test_progress_and_cancel(plane):
    run = matrix_run(distances(plane))
    seen = []
    model_map(benchmark_of(N, run), run, progress=lambda *step: seen.append(step))
    assert [step[2] for step in seen] == ["list", "list", "positions"]
    with pytest.raises(Cancelled):
        model_map(benchmark_of(N, run), run, cancelled=lambda: True)
    checks = iter([False, False, True])
    with pytest.raises(Cancelled):
        model_map(benchmark_of(N, run), run, cancelled=lambda: next(checks))


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        (np.ones((1, 5)), "run r has lists of 1 query and 5 models: a map needs two lists and three models"),
        (np.ones((3, 2)), "run r has lists of 3 queries and 2 models: a map needs two lists and three models"),
        (np.ones((3, 5)), "all models of run r have the same distances: there is no map"),
    ],
)
def test_runs_without_a_map_say_why(values, problem):
    run = matrix_run(values)
    benchmark = benchmark_of(values.shape[1], run, member=[-1] * len(values), n_queries=len(values))
    with pytest.raises(ShrecViewerError) as error:
        model_map(benchmark, run)
    assert str(error.value) == problem


def test_tsne_without_its_package_is_a_sentence(plane, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "openTSNE", None)
    run = matrix_run(distances(plane))
    with pytest.raises(ShrecViewerError, match="pip install 'shrec-viewer\\[maps\\]'"):
        model_map(benchmark_of(N, run), run, "tsne")


def test_tsne_is_the_same_each_time_and_keeps_clusters(plane):
    pytest.importorskip("openTSNE", reason="the extra 'maps' is not installed")
    centres = 20 * np.eye(5)
    vectors = np.repeat(centres, 12, axis=0) + np.random.default_rng(0).standard_normal((N, 5))
    run = matrix_run(distances(vectors))
    one, two = (model_map(benchmark_of(N, run), run, "tsne") for _ in range(2))
    assert one.points.tobytes() == two.points.tobytes()
    labels = np.repeat(np.arange(5), 12)
    assert (labels[nearest(one.points, 1)[:, 0]] == labels).mean() > 0.95
    checks = iter([False] * 8)
    with pytest.raises(Cancelled):
        model_map(benchmark_of(N, run), run, "tsne", cancelled=lambda: next(checks, True))
