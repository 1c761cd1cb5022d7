"""Virtual runs that reduce hubs: values worked by hand, a brute force, and what they need."""

from pathlib import Path

import numpy as np
import pytest

from shrec_viewer.domain import Benchmark, Collection, DistanceMatrix, PairAssessment, Queries, QueryKind, Run
from shrec_viewer.evaluation.ranked_list import ranked_list
from shrec_viewer.evaluation.virtual_runs import VirtualRunError, virtual_run
from shrec_viewer.metrics import find_profile

PROFILE = find_profile("default")


def contest(distances, member=None, *, similarity=False):
    distances = np.asarray(distances, np.float64)
    n_queries, n_models = distances.shape
    member = np.full(n_queries, -1) if member is None else np.asarray(member)
    queries = Queries(
        tuple(f"q{i}" for i in range(n_queries)), (None,) * n_queries, (QueryKind.NONE,) * n_queries,
        member.astype(np.int32), np.full(n_queries, -1, np.int32),
    )  # fmt: skip
    matrix = DistanceMatrix(
        distances, np.arange(n_queries, dtype=np.int32), np.arange(n_models, dtype=np.int32), similarity
    )
    truth = PairAssessment(np.arange(n_queries + 1), np.zeros(n_queries, np.int32), np.ones(n_queries, np.uint8))
    collection = Collection(tuple(f"m{i}" for i in range(n_models)), [None] * n_models)
    return Benchmark("hubs", Path(), collection, queries, truth, runs=(Run("A", "A", Path(), matrix),))


def values_of(benchmark, text):
    """(Q, N) values of a virtual run, NaN where a model is not listed."""
    run = virtual_run(benchmark, text, PROFILE)
    found = np.full((len(benchmark.queries), len(benchmark.collection)), np.nan)
    for query in range(len(found)):
        one = ranked_list(benchmark, run, query, PROFILE)
        found[query, one.items] = one.distances
        assert (np.diff(one.distances) >= 0).all()
    return found


HUB = [[1.0, 2.0, 6.0], [1.0, 4.0, 2.0], [1.0, 3.0, 5.0]]
"""The first model is the nearest of every query."""


def test_values_by_hand():
    benchmark = contest(HUB)
    # Nearest model of each query: 1, 1, 1; nearest query of each model: 1, 2, 2.
    assert values_of(benchmark, "csls(A, k=1)").tolist() == [[0.0, 1.0, 9.0], [0.0, 5.0, 1.0], [0.0, 3.0, 7.0]]
    # Means of the two nearest: 1.5, 1.5, 2 and 1, 2.5, 3.5.
    csls = values_of(benchmark, "csls(A, k=2)")
    assert csls[0].tolist() == [2 - 1.5 - 1, 4 - 1.5 - 2.5, 12 - 1.5 - 3.5]
    scaled = values_of(benchmark, "local_scaling(A, k=2)")
    # Second nearest: of the queries 2, 2, 3; of the models 1, 3, 5.
    assert scaled[2] == pytest.approx([1 - np.exp(-1 / 3), 1 - np.exp(-9 / 9), 1 - np.exp(-25 / 15)], abs=1e-6)
    near = values_of(benchmark, "mutual_proximity(A)")
    # Model 1 for query 0: one of three models and two of three queries are farther.
    assert near[0, 1] == pytest.approx(1 - 1 / 3 * 2 / 3, abs=1e-6)
    assert near[0, 0] == pytest.approx(1.0)  # no query is farther from the hub: it is last
    assert np.argmax(near[0]) == 0


@pytest.mark.parametrize("seed", range(4))
def test_values_of_a_brute_force(seed):
    chance = np.random.default_rng(seed)
    member = [0, 3, 5, -1, 2] if seed % 2 else None
    distances = chance.integers(1, 40, (5, 9)).astype(float)
    benchmark, k = contest(distances, member), 3
    others = distances.astype(object)
    for query, own in enumerate(member or ()):
        if own >= 0:
            others[query, own] = None
    rows = [sorted(d for d in row if d is not None) for row in others]
    columns = [sorted(d for d in column if d is not None) for column in others.T]
    found = {name: values_of(benchmark, f"{name}(A{option})") for name, option in
             (("csls", ", k=3"), ("local_scaling", ", k=3"), ("mutual_proximity", ""))}  # fmt: skip
    for query in range(5):
        for model in range(9):
            if member and member[query] == model:
                continue  # the query itself, which the profile takes out
            d, row, column = distances[query, model], rows[query], columns[model]
            assert found["csls"][query, model] == pytest.approx(
                2 * d - np.mean(row[:k]) - np.mean(column[:k]), abs=1e-4
            )
            scale = row[:k][-1] * column[:k][-1]
            assert found["local_scaling"][query, model] == pytest.approx(1 - np.exp(-(d**2) / scale), abs=1e-5)
            shares = [sum(one > d for one in line) / len(line) for line in (row, column)]
            assert found["mutual_proximity"][query, model] == pytest.approx(1 - shares[0] * shares[1], abs=1e-6)


def test_a_similarity_is_reduced_like_its_distance():
    one = values_of(contest(HUB), "csls(A, k=1)")
    two = values_of(contest(-np.array(HUB), similarity=True), "csls(A, k=1)")
    assert one.tolist() == two.tolist()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("csls(A, k=0)", "k must be at least 1"),
        ("csls(A, B)", "there is no run 'B'"),
        ("csls(rrf(A), A)", "it takes one run"),
        ("local_scaling(A)", "at least 0"),
    ],
)
def test_what_they_need(text, reason):
    benchmark = contest(-np.array(HUB))
    with pytest.raises(VirtualRunError, match=reason):
        virtual_run(benchmark, text, PROFILE)


def test_a_run_without_distances_is_named():
    with pytest.raises(VirtualRunError, match=r"run 'random.*' has no distances"):
        virtual_run(contest(HUB), "csls(random())", PROFILE)
