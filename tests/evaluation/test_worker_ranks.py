"""Ranks that workers return are checked where they arrive; those of working ones always pass."""

import pickle
from dataclasses import fields, replace
from itertools import product

import numpy as np
import pytest

from shrec_viewer.evaluation.parallel import cluster
from shrec_viewer.evaluation.parallel.cluster import ClusterError, ClusterRanking, same_version_task
from shrec_viewer.formats.matrices import matrix
from shrec_viewer.formats.matrices.matrix import read_matrix
from shrec_viewer.metrics import find_profile
from shrec_viewer.metrics.ranking.hit_table import HitRanks
from shrec_viewer.metrics.ranking.matrix_ranking import hits_from_matrix
from shrec_viewer.metrics.ranking.truth import pairs_as_truth

N_QUERIES, N_MODELS, N_COLUMNS = 12, 20, 23


def _truth():
    random = np.random.default_rng(2)
    levels = [
        {int(model): int(random.integers(1, 4)) for model in random.choice(N_MODELS, 5, False)}
        for _ in range(N_QUERIES)
    ]
    members = np.where(np.arange(N_QUERIES) < 8, np.arange(N_QUERIES), -1).astype(np.int32)
    junk = [
        query * N_MODELS + model for query in range(N_QUERIES) for model in (query, 19) if model not in levels[query]
    ]
    return replace(pairs_as_truth(levels, N_MODELS), members=members, junk=np.array(junk))


def _numbers():
    """Distances with ties, NaN and infinite ones."""
    random = np.random.default_rng(5)
    numbers = random.integers(0, 6, (N_QUERIES, N_COLUMNS)).astype(float)
    numbers[random.random(numbers.shape) < 0.1] = np.nan
    numbers[random.random(numbers.shape) < 0.1] = np.inf
    numbers[random.random(numbers.shape) < 0.05] = -np.inf
    return numbers


def _blocks(profile, values=None):
    """The blocks of a matrix with columns of no model, models without a column, and queries without a row."""
    rows = np.arange(N_QUERIES, dtype=np.int32)
    rows[[3, 9]] = -1
    columns = np.random.default_rng(7).permutation(N_COLUMNS).astype(np.int32)
    columns[(columns >= N_MODELS) | (columns == 4)] = -1
    found = []

    def keep(blocks, starts):
        found.append((blocks, starts))
        return map(blocks, starts)

    values = _numbers() if values is None else values
    hits_from_matrix(_truth(), values, rows, columns, profile, block_values=3 * N_COLUMNS, map_blocks=keep)
    return found[0]


CHOICES = {
    "self_match": ("drop", "keep"),
    "unknown": ("drop", "keep"),
    "not_a_number": ("drop", "last"),
    "infinite": ("drop", "rank"),
    "ties": ("index", "file", "trec"),
    "relevant_from": (1, 2),
    "junk": ("not relevant", "removed"),
}


def test_ranks_of_every_convention_are_possible():
    for values in product(*CHOICES.values()):
        profile = replace(find_profile("default"), **dict(zip(CHOICES, values, strict=True)))
        blocks, starts = _blocks(profile)
        for task in (starts, starts[1:2], starts[2:4]):
            ranks = HitRanks.joined([*map(blocks, task)])
            assert blocks.fault(task, ranks) == "", values


def _with(name, change):
    return lambda ranks: replace(ranks, **{name: change(getattr(ranks, name))})


def _raised(array):
    return np.where(np.arange(len(array)) == 4, array + 1, array)


def _without_last(ranks):
    hits = ("query", "ranks", "levels", "earliest", "latest")
    return replace(ranks, **{name: getattr(ranks, name)[:-1] for name in hits})


FAULTS = {
    "none": (lambda ranks: None, "a result of type NoneType"),
    "text": (lambda ranks: "garbage", "a result of type str"),
    "short": (_with("ranks", lambda array: array[:-3]), "'ranks' has shape"),
    "zeros": (_with("ranks", np.zeros_like), "the ranks of a query are not strictly ascending"),
    "ones": (_with("ranks", np.ones_like), "the ranks of a query are not strictly ascending"),
    "negative": (_with("ranks", np.negative), "the ranks of a query are not strictly ascending"),
    "nan": (_with("ranks", lambda array: array * np.nan), "'ranks' does not consist of integers"),
    "too_large": (_with("ranks", lambda array: array + 1000), "a rank is not from 1 to the length of its list"),
    "shifted": (lambda ranks: replace(ranks, ranks=ranks.ranks - 50, earliest=ranks.earliest - 50), "a rank is not"),
    "list": (_with("ranks", list), "'ranks' does not consist of integers"),
    "two_axes": (_with("levels", lambda array: array[:, None]), "'levels' has shape"),
    "other_query": (_with("query", lambda array: array + 10**6), "the queries are not ascending, or others"),
    "reversed": (_with("query", lambda array: array[::-1]), "the queries are not ascending, or others"),
    "exchanged": (_with("query", _raised), ""),
    "dropped": (_without_last, "a query has more or fewer relevant models"),
    "levels": (_with("levels", lambda array: array * 0 + np.uint8(1)), "a query has more or fewer relevant models"),
    "high_levels": (_with("levels", lambda array: array + np.uint8(90)), "a relevance level is too high"),
    "ties": (_with("earliest", lambda array: array + 3), "a rank is not from 1 to the length of its list"),
    "lengths": (_with("list_length", lambda array: array * 2), ""),
    "longer": (_with("list_length", lambda array: array + 1), ""),
    "few_queries": (_with("nans", lambda array: array[:-1]), "'nans' has shape"),
    "counts": (_with("nans", np.negative), ""),
    "own_rank": (_with("own_rank", lambda array: array + 10**6), "a number of models or an own rank"),
    "floats": (_with("own_rank", lambda array: array + 0.5), "'own_rank' does not consist of integers"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_impossible_ranks_are_found(name):
    change, message = FAULTS[name]
    blocks, starts = _blocks(find_profile("default"), np.random.default_rng(3).random((N_QUERIES, N_COLUMNS)))
    if name == "counts":
        blocks, starts = _blocks(find_profile("default"))
    fault = blocks.fault(starts, change(HitRanks.joined([*map(blocks, starts)])))
    assert fault
    assert fault.startswith(message)


class _Workers:
    """A cluster that runs tasks here, with a function of its own."""

    address = "tcp://workers:8786"

    def __init__(self, function):
        self._function = function

    def run(self, function, data, tasks):
        return (self._function(function(data, task)) for task in tasks)


def test_impossible_ranks_of_workers_are_one_message_and_not_stored(tmp_path, monkeypatch):
    monkeypatch.setattr(matrix, "MAX_LOADED_BYTES", 0)
    np.save(tmp_path / "a.npy", _numbers())
    values = read_matrix(tmp_path / "a.npy").values
    blocks, starts = _blocks(find_profile("default"), values)
    results = tmp_path / "results"
    faulty = ClusterRanking(_Workers(_with("ranks", np.ones_like)), results)
    message = r"a worker of 'tcp://workers:8786' returned ranks that cannot be right: .*; install the same version"
    with pytest.raises(ClusterError, match=message):
        list(faulty.map_blocks(blocks, starts))
    assert not results.exists()
    (path,) = [*_stored(ClusterRanking(_Workers(lambda ranks: ranks), results), blocks, starts, results)]
    stored = {field.name: np.load(path)[field.name] for field in fields(HitRanks)}
    np.savez(path, **{**stored, "ranks": stored["ranks"] * 0 + 1})
    found = HitRanks.joined([*ClusterRanking(_Workers(lambda ranks: ranks), results).map_blocks(blocks, starts)])
    np.testing.assert_array_equal(found.ranks, HitRanks.joined([*map(blocks, starts)]).ranks)


def _stored(ranking, blocks, starts, results):
    """The files of results of a call that is interrupted after the first one."""
    parts = ranking.map_blocks(blocks, starts)
    next(parts)
    parts.close()
    return results.glob("*.npz")


def test_a_worker_of_another_version_is_one_message(monkeypatch):
    assert same_version_task(cluster.__version__, lambda data, task: (data, task), b"1", 2) == (b"1", 2)
    task = pickle.loads(pickle.dumps(same_version_task))
    monkeypatch.setattr(cluster, "__version__", "0.0.9")
    with pytest.raises(
        ClusterError, match=r"a worker has version 0\.0\.9 of this program, instead of 0\.1\.0; install"
    ):
        task("0.1.0", len, b"", 1)


def test_an_exception_of_a_worker_is_one_message():
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0"
        ) as workers,
        cluster.connected_cluster(workers.scheduler_address) as found,
        pytest.raises(ClusterError, match=r"a task failed on a worker of '.*': TypeError: other fields; install the"),
    ):
        list(found.run(_fails, b"", [1]))


def _fails(data, task):
    raise TypeError("other fields")
