"""Ranking on a Dask cluster: equal to one process, workers and schedulers that end, results of interrupted calls."""

import multiprocessing
import os
import signal
from contextlib import contextmanager
from dataclasses import fields

import numpy as np
import pytest

from shrec_viewer.evaluation.parallel import cluster
from shrec_viewer.evaluation.parallel.cluster import (
    ClusterError,
    ClusterRanking,
    connected_cluster,
    is_in_files,
    rank_task,
)
from shrec_viewer.formats.matrices import matrix
from shrec_viewer.formats.matrices.matrix import read_matrix
from shrec_viewer.formats.matrices.matrix_blocks import BlockMatrix
from shrec_viewer.metrics import classes_as_truth, find_profile
from shrec_viewer.metrics.ranking.matrix_ranking import hits_from_matrix

distributed = pytest.importorskip("distributed")

N_MODELS = 120


@pytest.fixture
def values(tmp_path, monkeypatch):
    """A matrix with ties, NaN and infinite values in two files, read by rows."""
    monkeypatch.setattr(matrix, "MAX_LOADED_BYTES", 0)
    monkeypatch.setattr(cluster, "TASK_BYTES", 8 * N_MODELS * 10)  # tasks of 10 rows
    random = np.random.default_rng(5)
    numbers = random.integers(0, 9, (N_MODELS, N_MODELS)).astype(np.float32)
    numbers[random.random(numbers.shape) < 0.05] = np.nan
    for name, part in zip("ab", np.hsplit(numbers, 2), strict=True):
        np.save(tmp_path / f"{name}.npy", part)
    return BlockMatrix(tuple(read_matrix(tmp_path / f"{name}.npy").values for name in "ab"), 1)


@contextmanager
def _ranking(address, results):
    with connected_cluster(address) as cluster:
        yield ClusterRanking(cluster, results)


def _hits(values, map_blocks=map):
    truth = classes_as_truth(np.arange(N_MODELS) // 6)
    profile = find_profile("psb")
    return hits_from_matrix(truth, values, profile=profile, block_values=N_MODELS, map_blocks=map_blocks)


def _assert_equal(found, expected):
    for field in fields(expected.found):
        np.testing.assert_array_equal(getattr(found.found, field.name), getattr(expected.found, field.name))


@pytest.fixture(scope="module")
def local_cluster():
    try:
        multiprocessing.get_context("spawn").Lock()
    except OSError:
        pytest.skip("/dev/shm is not writable: no worker process can be started")
    with distributed.LocalCluster(2, 1, processes=True, dashboard_address="127.0.0.1:0") as found:
        yield found


def test_the_ranks_are_those_of_one_process(values, local_cluster, tmp_path):
    results = tmp_path / "results"
    with _ranking(local_cluster.scheduler_address, results) as ranking:
        _assert_equal(_hits(values, ranking.map_blocks), _hits(values))
    assert list(results.iterdir()) == []  # nothing to resume


def test_a_worker_that_is_killed_does_not_change_the_ranks(values, local_cluster, tmp_path):
    expected = _hits(values)
    with _ranking(local_cluster.scheduler_address, tmp_path / "results") as ranking:
        parts = ranking.map_blocks

        def kill_after_the_first(blocks, starts):
            found = parts(blocks, starts)
            yield next(found)
            os.kill(next(iter(ranking._cluster.client.run(os.getpid).values())), signal.SIGKILL)
            yield from found

        _assert_equal(_hits(values, kill_after_the_first), expected)


def test_an_interrupted_call_resumes_from_its_results(values, local_cluster, tmp_path, monkeypatch):
    results = tmp_path / "results"
    seen = []

    def cancel():
        if len(list(results.glob("*.npz"))) >= 3:
            raise KeyboardInterrupt

    truth = classes_as_truth(np.arange(N_MODELS) // 6)
    options = {"profile": find_profile("psb"), "block_values": N_MODELS}
    with _ranking(local_cluster.scheduler_address, results) as ranking:
        with pytest.raises(KeyboardInterrupt):
            hits_from_matrix(truth, values, checkpoint=cancel, map_blocks=ranking.map_blocks, **options)
        n_results = len(list(results.glob("*.npz")))
        assert n_results >= 3
        submit = ranking._cluster.client.submit

        def count(function, *arguments, **names):
            seen.extend(arguments[1:])
            return submit(function, *arguments, **names)

        monkeypatch.setattr(ranking._cluster.client, "submit", count)
        _assert_equal(_hits(values, ranking.map_blocks), _hits(values))
    assert len(seen) == N_MODELS // 10 - n_results


def test_a_damaged_result_is_computed_again(values, local_cluster, tmp_path):
    results = tmp_path / "results"
    with _ranking(local_cluster.scheduler_address, results) as ranking:
        found = iter(ranking.map_blocks(*_blocks(values)))
        next(found)
        found.close()
        (stored,) = results.glob("*.npz")
        stored.write_bytes(b"PK")
        _assert_equal(_hits(values, ranking.map_blocks), _hits(values))


def _blocks(values):
    """The arguments of `map_blocks` for a matrix."""
    found = []

    def capture(blocks, starts):
        found.append((blocks, starts))
        return map(blocks, starts)

    _hits(values, capture)
    return found[0]


def test_a_lost_scheduler_is_one_message(values, tmp_path):
    lost = distributed.LocalCluster(1, 1, processes=False, dashboard_address="127.0.0.1:0")
    with lost, _ranking(lost.scheduler_address, tmp_path / "results") as ranking:
        found = iter(ranking.map_blocks(*_blocks(values)))
        next(found)
        lost.close()
        with pytest.raises(ClusterError, match=r"is lost; the same command resumes"):
            list(found)


def test_matrices_in_memory_are_not_sent(tmp_path):
    ranking = ClusterRanking(None, tmp_path)
    values = np.random.default_rng(1).random((N_MODELS, N_MODELS))
    assert not is_in_files(values)
    _assert_equal(_hits(values, ranking.map_blocks), _hits(values))


@pytest.mark.parametrize("address", ["local:", "local:0", "local:x"])
def test_a_wrong_number_of_workers_is_one_message(address):
    with (
        pytest.raises(ClusterError, match="a number of worker processes is expected"),
        connected_cluster(address),
    ):
        pass


def test_an_address_where_nothing_answers_is_one_message(monkeypatch):
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 1)
    refusal = pytest.raises(ClusterError, match=r"no scheduler answers at 'tcp://127\.0\.0\.1:9'")
    with refusal, connected_cluster("tcp://127.0.0.1:9"):
        pass


def test_a_task_gives_the_ranks_of_its_blocks(values):
    import pickle

    blocks, starts = _blocks(values)
    part = rank_task(pickle.dumps(blocks), starts[3:5])
    np.testing.assert_array_equal(np.unique(part.query), np.arange(3, 5))
