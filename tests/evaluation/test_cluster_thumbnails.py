"""Thumbnails on a Dask cluster: a cache equal to that of one process, workers that end, calls that are interrupted."""

import os
import re
import signal
import sqlite3
from contextlib import closing
from importlib.util import find_spec

import pytest
from processes import needs_semaphores

from shrec_viewer.domain import Cancelled
from shrec_viewer.evaluation.parallel import cluster
from shrec_viewer.evaluation.parallel.cluster import (
    LOCK,
    PARTS,
    ClusterError,
    ThumbnailBatch,
    connected_cluster,
    draw_on_cluster,
    draw_task,
)
from shrec_viewer.formats.meshes.images import read_image
from shrec_viewer.formats.meshes.mesh_reader import read_mesh
from shrec_viewer.render.thumbnails.cache import ThumbnailCache
from shrec_viewer.render.thumbnails.thumbnail import ThumbnailRequest
from shrec_viewer.render.workers.thumbnail_pool import ThumbnailPool

pytestmark = [
    pytest.mark.skipif(find_spec("distributed") is None, reason="distributed is not installed"),
    pytest.mark.usefixtures("spawned_workers"),
]

N_MODELS, PER_TASK = 9, 3


@pytest.fixture(autouse=True)
def small_tasks(monkeypatch):
    monkeypatch.setattr(cluster, "MODELS_PER_TASK", PER_TASK)


@pytest.fixture(scope="module")
def requests_(tmp_path_factory):
    """Requests for pyramids of different heights, one of them broken and one with a note."""
    folder = tmp_path_factory.mktemp("models")
    requests = []
    for number in range(N_MODELS):
        points = f"0 0 0\n1 0 0\n0 1 0\n0 0 {number + 1}\n"
        faces = "3 0 1 2\n3 0 1 3\n3 1 2 3\n3 0 2 3\n"
        path = folder / f"m{number}.off"
        path.write_text("OFF\n4 1" if number == 5 else f"OFF\n4 4 0\n{points}{faces}")
        requests.append(ThumbnailRequest(path, 32))
    return requests


class InProcess:
    """Runs the tasks of a cluster in this process, one after the other."""

    def __init__(self):
        self.n_tasks = 0

    def n_threads(self):
        return 2

    def run(self, function, data, tasks):
        for task in tasks:
            self.n_tasks += 1
            yield function(data, task)


def _draw(found, requests, folder):
    """Draw on a cluster, and the totals of its results: drawn, cached and without a thumbnail."""
    cache = ThumbnailCache(folder)
    try:
        results = list(draw_on_cluster(found, requests, folder, cache, read_mesh, read_image, "software"))
    finally:
        cache.close()
    return tuple(
        sum(part) for part in zip(*((one.drawn, one.cached, len(one.problems)) for one in results), strict=True)
    )


def _content(folder):
    """Keys, images and notes of a cache, and the digests of files."""
    with closing(sqlite3.connect(folder / "thumbnails.sqlite")) as connection:
        return (
            sorted(connection.execute("SELECT key, webp, notes FROM thumbnails")),
            sorted(connection.execute("SELECT place, content FROM contents")),
        )


@pytest.fixture(scope="module")
def expected(requests_, tmp_path_factory):
    """The cache that one process fills."""
    folder = tmp_path_factory.mktemp("local")
    left = len(requests_)
    with ThumbnailPool(read_mesh, read_image, folder, 1, prefer="software") as pool:
        pool.request(requests_)
        while left:
            left -= len(pool.wait(0.1))
    found = _content(folder)
    assert len(found[0]) == N_MODELS - 1
    return found


@needs_semaphores
def test_the_cache_is_that_of_one_process_though_a_worker_is_killed(requests_, expected, tmp_path):
    results = []
    with connected_cluster("local:2") as found:
        cache = ThumbnailCache(tmp_path)
        for batch in draw_on_cluster(found, requests_, tmp_path, cache, read_mesh, read_image, "software"):
            results.append(batch)
            if len(results) == 2:  # the first tells what is in the cache
                os.kill(next(iter(found.client.run(os.getpid).values())), signal.SIGKILL)
        cache.close()
    assert (sum(batch.drawn for batch in results), sum(batch.cached for batch in results)) == (N_MODELS - 1, 0)
    assert [path.name for batch in results for path in batch.problems] == ["m5.off"]
    assert _content(tmp_path) == expected
    assert list((tmp_path / PARTS).iterdir()) == []


def test_a_second_call_draws_nothing_but_what_failed(requests_, expected, tmp_path):
    found = InProcess()
    assert _draw(found, requests_, tmp_path) == (N_MODELS - 1, 0, 1)
    assert _draw(found, requests_, tmp_path) == (0, N_MODELS - 1, 1)
    assert found.n_tasks == N_MODELS // PER_TASK + 1
    assert _content(tmp_path) == expected


@pytest.mark.parametrize(("at_most", "at_least", "n_tasks"), [(200, 1, 5), (200, 5, 2), (1, 1, 9)])
def test_few_models_keep_all_workers_busy(requests_, tmp_path, monkeypatch, at_most, at_least, n_tasks):
    """Nine models are divided into at most three tasks for each of two threads, of at most and at least these sizes."""
    monkeypatch.setattr(cluster, "MODELS_PER_TASK", at_most)
    monkeypatch.setattr(cluster, "MIN_MODELS_PER_TASK", at_least)
    found = InProcess()
    assert _draw(found, requests_, tmp_path) == (N_MODELS - 1, 0, 1)
    assert found.n_tasks == n_tasks


def test_an_interrupted_call_keeps_what_is_finished(requests_, expected, tmp_path):
    found, cache = InProcess(), ThumbnailCache(tmp_path)
    running = draw_on_cluster(found, requests_, tmp_path, cache, read_mesh, read_image, "software")
    next(running)
    next(running)
    running.close()
    cache.close()
    assert len(_content(tmp_path)[0]) == PER_TASK
    assert _draw(found, requests_, tmp_path) == (N_MODELS - 1 - PER_TASK, PER_TASK, 1)
    assert _content(tmp_path) == expected


def test_results_of_a_killed_call_are_added_by_the_next_one(requests_, expected, tmp_path):
    call = tmp_path / PARTS / "killed"
    call.mkdir(parents=True)
    (call / LOCK).touch()
    import pickle

    data = pickle.dumps((read_mesh, read_image, "software"))
    draw_task(data, ThumbnailBatch(tuple(requests_[:PER_TASK]), call / "0"))
    (call / "abc.draft").mkdir()
    assert _draw(InProcess(), requests_, tmp_path) == (N_MODELS - 1 - PER_TASK, PER_TASK, 1)
    assert _content(tmp_path) == expected
    assert not call.exists()


def test_a_task_ends_when_its_call_has_ended(requests_, tmp_path, monkeypatch):
    call = tmp_path / "call"
    call.mkdir()
    (call / cluster.LOCK).touch()

    class EndedAfterTheStart(ThumbnailPool):
        def request(self, requests):
            super().request(requests)
            (call / cluster.LOCK).unlink()

    monkeypatch.setattr(cluster, "ThumbnailPool", EndedAfterTheStart)
    with pytest.raises(Cancelled):
        draw_task(_readers(), ThumbnailBatch(tuple(requests_), call / "0"))


def _readers():
    import pickle

    return pickle.dumps((read_mesh, read_image, "software"))


def test_a_worker_without_the_folder_of_the_call_names_it(requests_, tmp_path):
    """Not `Cancelled`, which was reported as an unexpected error."""
    folder = tmp_path / "thumbnails"
    with pytest.raises(ClusterError, match=f"not in {re.escape(str(folder))}, which must be the same folder on all"):
        draw_task(_readers(), ThumbnailBatch(tuple(requests_), folder / cluster.PARTS / "call" / "0"))
    assert not folder.exists()


def test_a_folder_that_cannot_be_written_is_one_message(requests_, tmp_path):
    (tmp_path / cluster.PARTS).write_text("a file in place of the folder")
    with pytest.raises(ClusterError, match="where the workers store thumbnails, cannot be written: "):
        _draw(InProcess(), requests_, tmp_path)


def test_a_folder_that_is_not_shared_is_one_message(requests_, tmp_path):
    class Elsewhere(InProcess):
        def run(self, _function, _data, tasks):
            yield from (cluster.ThumbnailCounts(len(task.requests)) for task in tasks)

    with pytest.raises(ClusterError, match=r"must be the same folder on all workers, .* set the variable XDG_CACHE"):
        _draw(Elsewhere(), requests_, tmp_path)
