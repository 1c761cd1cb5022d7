"""Worker pool: fallback after crashes, restarts, newest request, idle shutdown."""

import os
import signal
import sys
import time

import pytest
from pool_handlers import open_handler, open_large_handler

from shrec_viewer.render.workers.worker_pool import WorkerPool

pytestmark = pytest.mark.usefixtures("spawned_workers")

TIMEOUT_S = 300.0


def make_pool(kind: str, **options: object) -> WorkerPool[str, str]:
    return WorkerPool(open_handler, (kind,), lambda reason: f"failed: {reason}", verb="draw", **options)


def collect(pool: WorkerPool[str, str], count: int) -> dict[str, str]:
    results: dict[str, str] = {}
    end = time.monotonic() + TIMEOUT_S
    while len(results) < count and time.monotonic() < end:
        results.update(pool.poll(1.0))
    return results


def test_fallback_when_many_processes_crash_at_start():
    pool = make_pool("broken", max_processes=4, fallback_args=("robust",))
    jobs = [f"job {number}" for number in range(6)]
    pool.request(jobs)
    assert collect(pool, 6) == {job: f"robust {job}" for job in jobs}
    assert pool.description == "robust"
    pool.close()


def test_fallback_after_two_crashed_jobs():
    pool = make_pool("fragile", fallback_args=("robust",))
    pool.request(["a", "b", "c"])
    results = collect(pool, 3)
    assert results["a"] == results["b"] == "failed: makes the drawing process crash (SIGSEGV)"
    assert results["c"] == "robust c"
    pool.close()


@pytest.mark.parametrize("processes", [1, 3])
def test_jobs_that_crash_because_of_the_arguments_are_done_with_others(processes):
    pool = make_pool("fragile", max_processes=processes, fallback_args=("robust",), is_stateless=True)
    jobs = [f"job {number}" for number in range(6)]
    pool.request(jobs)
    assert pool.pending == 6
    assert collect(pool, 6) == {job: f"robust {job}" for job in jobs}
    assert pool.pending == 0
    assert pool.uses_fallback
    assert pool.crash_reason == "makes the drawing process crash (SIGSEGV)"
    pool.close()


@pytest.mark.parametrize("processes", [1, 3])
def test_jobs_that_crash_with_all_arguments_fail_and_the_others_keep_theirs(processes):
    pool = make_pool("robust", max_processes=processes, fallback_args=("sturdy",), is_stateless=True)
    jobs = ["bad 1", "bad 2", "good 1", "bad 3", "good 2"]
    pool.request(jobs)
    results = collect(pool, 5)
    failed = "failed: makes the drawing process crash (SIGSEGV)"
    assert {job: results[job] for job in jobs if job.startswith("bad")} == dict.fromkeys(
        ("bad 1", "bad 2", "bad 3"), failed
    )
    assert set(results.values()) <= {failed, "robust good 1", "robust good 2", "sturdy good 1", "sturdy good 2"}
    pool.request(["good 3"])
    assert collect(pool, 1) == {"good 3": "robust good 3"}
    assert not pool.uses_fallback
    pool.close()


def test_broken_processes_without_fallback_fail_all_jobs():
    pool = make_pool("broken")
    pool.request(["a", "b"])
    reason = "failed: cannot be drawn: the drawing process does not start on this machine"
    assert collect(pool, 2) == {"a": reason, "b": reason}
    assert pool.has_given_up
    pool.close()


def kill_workers(pool: WorkerPool[str, str], number: int) -> None:
    for worker in pool._workers:
        if worker.process.is_alive():
            os.kill(worker.process.pid, number)


def test_processes_killed_while_they_start_do_not_count_as_failed_starts():
    pool = make_pool("robust", max_processes=4, fallback_args=("sturdy",), is_stateless=True)
    jobs = [f"slow {number}" for number in range(4)]
    pool.request(jobs)
    for _ in range(2):
        pool.poll(0.0)
        kill_workers(pool, signal.SIGKILL)
    assert collect(pool, 4) == {job: f"robust {job}" for job in jobs}, "neither failed nor in the fallback"
    pool.close()


def test_idle_processes_killed_from_outside_do_not_select_the_fallback():
    pool = make_pool("robust", max_processes=2, fallback_args=("sturdy",), is_stateless=True)
    for job in ("a", "b", "c"):
        pool.request([job])
        assert collect(pool, 1) == {job: f"robust {job}"}
        kill_workers(pool, signal.SIGTERM)
    pool.close()


def test_endless_kills_end_the_attempts():
    pool = make_pool("robust", max_processes=4, is_stateless=True)
    pool.request(["slow 1", "slow 2", "slow 3", "slow 4"])
    end = time.monotonic() + TIMEOUT_S
    while not pool.has_given_up and time.monotonic() < end:
        kill_workers(pool, signal.SIGKILL)
        results = pool.poll(0.0)
    assert set(dict(results).values()) == {
        "failed: cannot be drawn: the drawing process does not start on this machine"
    }
    pool.close()


def test_newest_request_replaces_queue_and_invalidate_drops_results():
    pool = make_pool("robust")
    pool.request(["slow 1", "a", "b"])
    while not pool.is_ready:
        pool.poll(1.0)
    pool.request(["c"])
    assert list(collect(pool, 2)) == ["slow 1", "c"]
    pool.request(["slow 2"])
    pool.poll(0.1)
    pool.invalidate()
    pool.request(["d"])
    assert list(collect(pool, 1)) == ["d"]
    pool.close()


def test_restart_with_other_arguments_keeps_jobs():
    pool = make_pool("robust", max_processes=2)
    pool.request(["slow 1", "slow 2", "a"])
    while not pool.is_ready:
        pool.poll(1.0)
    pool.restart_with("sturdy")
    assert set(collect(pool, 3).values()) == {"sturdy slow 1", "sturdy slow 2", "sturdy a"}
    pool.close()


def test_idle_processes_end_and_start_again():
    pool = make_pool("robust", idle_timeout_s=0.2)
    assert not pool.is_running
    for job in ("a", "b"):
        pool.request([job])
        assert collect(pool, 1) == {job: f"robust {job}"}
        assert pool.is_running
        end = time.monotonic() + 60
        while pool.is_running and time.monotonic() < end:
            pool.poll(0.1)
        assert not pool.is_running
    pool.close()


@pytest.mark.skipif(sys.platform != "linux", reason="memory of a process is limited on Linux only")
def test_memory_of_a_process_is_limited():
    pool = WorkerPool(open_large_handler, (), lambda reason: f"failed: {reason}", verb="read")
    pool.request([str(10**8), str(5 * 10**9)])
    assert collect(pool, 2) == {str(10**8): "100000000 bytes", str(5 * 10**9): "not enough memory"}
    pool.close()
