"""Threads and processes give the results of one thread, end on errors, and survive a worker that ends."""

import os
import time
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from shrec_viewer.evaluation.parallel.local import available_cores, run_in_processes, thread_map
from shrec_viewer.formats.discovery import reading
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.formats.io.parse_cache import ParseCache
from shrec_viewer.formats.runs import trec
from shrec_viewer.metrics import PROFILES, classes_as_truth
from shrec_viewer.metrics.ranking.matrix_ranking import hits_from_matrix


def _distances(n_models, seed):
    """Distances with ties, NaN and infinite values."""
    random = np.random.default_rng(seed)
    values = random.integers(0, 9, (n_models, n_models)).astype(np.float32)
    values[random.random(values.shape) < 0.05] = np.nan
    values[random.random(values.shape) < 0.05] = np.inf
    return values


@pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: profile.key)
def test_hits_do_not_depend_on_threads_and_blocks(profile):
    values = _distances(60, seed=7)
    truth = classes_as_truth(np.arange(60) // 6)
    expected = hits_from_matrix(truth, values, profile=profile)
    for jobs, block_values in ((2, 60), (5, 180), (3, 1 << 18)):
        with thread_map(jobs) as map_blocks:
            found = hits_from_matrix(truth, values, profile=profile, block_values=block_values, map_blocks=map_blocks)
        for field in fields(found.found):
            np.testing.assert_array_equal(getattr(found.found, field.name), getattr(expected.found, field.name))


def test_an_error_ends_the_blocks_that_have_not_begun():
    begun = []

    def fail_at_first(start):
        begun.append(start)
        raise ValueError(start)

    with pytest.raises(ValueError, match="0"), thread_map(2) as map_blocks:
        list(map_blocks(fail_at_first, range(1000)))
    assert len(begun) < 1000


def test_one_job_uses_no_thread():
    with thread_map(1) as map_blocks:
        assert map_blocks is map


def _has_semaphores():
    import multiprocessing

    try:
        multiprocessing.get_context("spawn").Lock()
    except OSError:
        return False
    return True


needs_semaphores = pytest.mark.skipif(not _has_semaphores(), reason="/dev/shm is not writable: no process pool")


def test_without_semaphores_nothing_is_called(tmp_path, monkeypatch):
    import multiprocessing.synchronize

    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(multiprocessing.synchronize.SemLock, "__init__", refuse)
    run_in_processes(_write_name, [tmp_path / "a", tmp_path / "b"], _no_report, jobs=2)
    assert list(tmp_path.iterdir()) == []


def _write_name(path: Path):
    path.write_text(str(os.getpid()))


def _end_process(path: Path):
    os._exit(3)


def _no_report(n_done):
    pass


@needs_semaphores
def test_processes_call_the_function_with_each_task(tmp_path):
    tasks = [tmp_path / str(number) for number in range(3)]
    reported = []
    run_in_processes(_write_name, tasks, reported.append, jobs=2)
    assert str(os.getpid()) not in {task.read_text() for task in tasks}
    assert reported == sorted(reported)
    assert reported[0] == 0


@needs_semaphores
def test_a_worker_that_ends_is_ignored(tmp_path):
    run_in_processes(_end_process, [tmp_path, tmp_path], _no_report, jobs=2)


@needs_semaphores
def test_an_error_in_the_report_ends_the_workers(tmp_path):
    import multiprocessing

    def cancel(n_done):
        raise KeyboardInterrupt

    before = set(multiprocessing.active_children())
    with pytest.raises(KeyboardInterrupt):
        run_in_processes(_write_name, [tmp_path / "a", tmp_path / "b"], cancel, jobs=2)
    deadline = time.monotonic() + 60
    while set(multiprocessing.active_children()) - before:
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_available_cores_is_positive():
    assert available_cores() >= 1


def test_large_runs_are_parsed_into_the_cache(tmp_path, monkeypatch):
    """The same benchmark with and without; a second reading starts no process; without a cache nothing is parsed."""
    root = tmp_path / "contest"
    (root / "runs").mkdir(parents=True)
    (root / "qrels.txt").write_text("q1 0 a 1\nq1 0 b 0\n")
    for name in ("A", "B", "C"):
        (root / f"runs/{name}.run").write_text(f"q1 Q0 a 1 .9 {name}\nq1 Q0 b 2 .5 {name}\n")
    monkeypatch.setattr(reading, "LARGE_TEXT_BYTES", 10)
    monkeypatch.setattr(trec, "LARGE_TEXT_BYTES", 10)
    calls = []

    def runner(function, tasks, report):
        calls.append(sorted(task.path.name for task in tasks))
        report(0)
        for task in tasks:
            function(task)

    cache = ParseCache(tmp_path / "cache")
    plain = read_benchmark(root)
    read_benchmark(root, run_in_processes=runner)
    assert calls == []
    for _ in range(2):
        found = read_benchmark(root, cache=cache, run_in_processes=runner)
        assert [run.name for run in found.runs] == ["A", "B", "C"]
        assert found.findings == plain.findings
        for run, other in zip(found.runs, plain.runs, strict=True):
            np.testing.assert_array_equal(run.ranking.items, other.ranking.items)
            np.testing.assert_array_equal(run.ranking.distances, other.ranking.distances)
    assert calls == [["A.run", "B.run", "C.run"]]


def test_the_command_gives_the_same_scores_with_several_jobs(capsys):
    from shrec_viewer.cli.program import run

    texts = []
    for jobs in ("1", "3"):
        assert run(["evaluate", "demo", "--format", "json", "--per-query", "--jobs", jobs]) in (0, 1)
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1] != ""
    assert run(["evaluate", "demo", "--jobs", "0"]) == 2
