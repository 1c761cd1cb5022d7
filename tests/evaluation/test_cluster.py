"""Ranking on a Dask cluster: equal to one process, workers and schedulers that end, results of interrupted calls."""

import os
import platform
import re
import signal
import socket
import subprocess
import sys
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import fields, replace
from itertools import count
from threading import Thread

import numpy as np
import pytest
from processes import has_semaphores, needs_semaphores, started

from shrec_viewer.domain import FormatError
from shrec_viewer.evaluation.parallel import cluster
from shrec_viewer.evaluation.parallel.cluster import (
    Cluster,
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

pytestmark = pytest.mark.usefixtures("spawned_workers")


@pytest.fixture(autouse=True, scope="module")
def library():
    """Import it here: every test process collects this file, one runs it, and the import takes 0.9 s."""
    global distributed
    distributed = pytest.importorskip("distributed")


N_MODELS = 120

N_KILLS = 2
"""Each takes the time in which a worker starts; bench_cluster.py kills ten."""


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
    """The scheduler of two worker processes."""
    if not has_semaphores():
        pytest.skip("/dev/shm is not writable: no worker process can be started")
    with connected_cluster("local:2") as found:
        found.client.wait_for_workers(2, timeout=120)
        yield found.client.cluster


def test_local_starts_processes_of_one_thread(local_cluster):
    with connected_cluster(local_cluster.scheduler_address) as found:
        workers = found.client.scheduler_info()["workers"].values()
        assert [worker["nthreads"] for worker in workers] == [1, 1]
        pids = set(found.client.run(os.getpid).values())
    assert len(pids) == 2
    assert os.getpid() not in pids


def test_the_ranks_are_those_of_one_process(values, local_cluster, tmp_path):
    results = tmp_path / "results"
    with _ranking(local_cluster.scheduler_address, results) as ranking:
        _assert_equal(_hits(values, ranking.map_blocks), _hits(values))
    assert list(results.iterdir()) == []  # nothing to resume


@pytest.mark.parametrize("n_workers", [1, 4])
def test_ranks_do_not_depend_on_the_number_of_workers(values, tmp_path, n_workers):
    """Workers are threads here, which start in a tenth of the time of processes."""
    with (
        distributed.LocalCluster(
            n_workers=n_workers, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0"
        ) as workers,
        _ranking(workers.scheduler_address, tmp_path / "results") as ranking,
    ):
        ranking._cluster.client.wait_for_workers(n_workers)
        assert ranking._cluster.worker_states() == ("running",) * n_workers
        assert ranking._cluster.n_threads() == n_workers
        _assert_equal(_hits(values, ranking.map_blocks), _hits(values))


@needs_semaphores
def test_the_error_of_a_task_is_raised_here_and_not_printed_there(capfd):
    code = b"from shrec_viewer.domain import FormatError; raise FormatError('00.npy', 'does not exist')"
    with connected_cluster("local:1") as found, pytest.raises(FormatError, match="does not exist"):
        list(found.run(exec, code, [{}]))
    assert capfd.readouterr().err == ""


def test_workers_that_are_killed_again_and_again_do_not_change_the_ranks(values, local_cluster, tmp_path):
    expected = _hits(values)
    with _ranking(local_cluster.scheduler_address, tmp_path / "results") as ranking:
        client, map_blocks = ranking._cluster.client, ranking.map_blocks
        killed = []

        def kill_after_each(blocks, starts):
            for ranks in map_blocks(blocks, starts):
                while len(killed) < N_KILLS:  # until a worker runs that was not killed
                    client.wait_for_workers(1)
                    pids = {pid for pid in client.run(os.getpid, on_error="return").values() if isinstance(pid, int)}
                    if pids - set(killed):
                        killed.append(min(pids - set(killed)))
                        os.kill(killed[-1], signal.SIGKILL)
                        break
                yield ranks

        _assert_equal(_hits(values, kill_after_each), expected)
    assert len(killed) == N_KILLS


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (b"raise MemoryError", "has too little memory for a task"),
        (b"import os; os._exit(1)", "ended again and again at the same task; more memory may help"),
        (b"import no_such_module", "install the same version of shrec-viewer"),
    ],
)
def test_workers_that_cannot_do_a_task_are_one_message(local_cluster, monkeypatch, code, message):
    monkeypatch.setattr(cluster, "RETRIES", 1)
    with connected_cluster(local_cluster.scheduler_address) as found:
        found.client.run_on_scheduler(_allow_failures, number=0)
        with pytest.raises(ClusterError, match=message):
            list(found.run(exec, code, [{}]))
        found.client.run_on_scheduler(_allow_failures, number=3)


def _allow_failures(dask_scheduler, number):
    dask_scheduler.allowed_failures = number


@pytest.mark.parametrize(
    ("states", "message"),
    [(("paused",), "have too little memory to take a task"), ((), "have ended; start others, and the same command")],
)
def test_without_workers_that_take_tasks_work_ends(monkeypatch, states, message):
    workers = {str(number): {"status": state} for number, state in enumerate(states)}
    monkeypatch.setattr(cluster, "STALLED_SECONDS", 0)
    monkeypatch.setattr(Cluster, "_workers", lambda _: workers)
    monkeypatch.setattr(Cluster, "is_connected", True)
    monkeypatch.setattr(distributed, "wait", _time_out)
    with pytest.raises(ClusterError, match=rf"all workers of 'tcp://one:1' {message}"):
        Cluster(_NoClient(), "tcp://one:1")._result(_Pending())


def test_work_ends_when_workers_that_are_started_again_end_again_and_again(monkeypatch):
    """Workers of too little memory: one is always running, and no task is finished or given up."""
    n_checks = count()
    monkeypatch.setattr(Cluster, "_workers", lambda _: {f"tcp://one:{next(n_checks)}": {"status": "running"}})
    monkeypatch.setattr(Cluster, "is_connected", True)
    monkeypatch.setattr(distributed, "wait", _time_out)
    with pytest.raises(ClusterError, match="workers of 'tcp://one:1' ended again and again; more memory may help"):
        Cluster(_NoClient(), "tcp://one:1")._result(_Pending())
    assert next(n_checks) > cluster.MAX_ENDS


def test_a_result_that_is_lost_after_its_task_ended_is_computed_again(monkeypatch):
    """The worker that has it ends before it is sent; checked while it is computed."""
    monkeypatch.setattr(Cluster, "_workers", lambda _: {"tcp://one:2": {"status": "running"}})
    monkeypatch.setattr(Cluster, "is_connected", True)
    monkeypatch.setattr(distributed, "wait", lambda *_, **__: None)
    checks = []
    lost = _Lost()
    assert Cluster(_NoClient(), "tcp://one:1", lambda: checks.append(lost.n_asked))._result(lost) == 7
    assert checks == [0, 1, 2]


def test_tasks_of_a_worker_that_is_paused_are_done_by_others(monkeypatch, tmp_path):
    import dask

    monkeypatch.setattr(cluster, "STALLED_SECONDS", 0)
    paused, started = tmp_path / "paused", tmp_path / "started"
    code = f"""
import pathlib, time
pathlib.Path({str(started)!r}).touch()
while not pathlib.Path({str(paused)!r}).exists():
    time.sleep(0.01)
""".encode()
    with (
        dask.config.set({"distributed.scheduler.work-stealing": False}),  # takes some of the tasks
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, memory_limit=0, dashboard_address="127.0.0.1:0"
        ) as workers,
    ):

        def pause_one():
            if started.exists() and not paused.exists():
                workers.loop.add_callback(setattr, workers.workers[0], "status", distributed.Status.paused)
                paused.touch()

        with connected_cluster(workers.scheduler_address, pause_one) as found:
            assert list(found.run(exec, code, [{} for _ in range(20)])) == [None] * 20
            assert sorted(found.worker_states()) == ["paused", "running"]


class _Pending:
    """A task that never ends."""

    status = "pending"

    def done(self):
        return False


class _Lost:
    """A task that has ended, whose result comes at the third time."""

    status, n_asked = "finished", 0

    def done(self):
        return True

    def result(self, timeout=None):
        self.n_asked += 1
        if timeout is None or self.n_asked < 3:
            raise TimeoutError
        return 7


class _NoClient:
    def as_current(self):
        return nullcontext()


def _time_out(*_, **__):
    raise TimeoutError


def test_a_cancelled_call_cancels_its_tasks(local_cluster, tmp_path):
    class Stop(Exception):  # noqa: N818 - as KeyboardInterrupt
        pass

    started = tmp_path / "started"
    code = f"import pathlib, time; pathlib.Path({str(started)!r}).touch(); time.sleep(0.2)".encode()

    def stop():
        if started.exists():
            raise Stop

    with connected_cluster(local_cluster.scheduler_address, stop) as found:
        with pytest.raises(Stop):
            list(found.run(exec, code, [{} for _ in range(100)]))
        while found.client.run_on_scheduler(_n_tasks):  # tasks that run end by themselves
            pass


def _n_tasks(dask_scheduler):
    return len(dask_scheduler.tasks)


def test_a_scheduler_without_workers_is_one_message(monkeypatch):
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 1)
    with (
        distributed.LocalCluster(n_workers=0, processes=False, dashboard_address="127.0.0.1:0") as empty,
        pytest.raises(ClusterError, match=r"has no workers; start them with `dask worker`"),
        connected_cluster(empty.scheduler_address),
    ):
        pass


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
            seen.extend(arguments[3:])
            return submit(function, *arguments, **names)

        monkeypatch.setattr(ranking._cluster.client, "submit", count)
        _assert_equal(_hits(values, ranking.map_blocks), _hits(values))
    assert len(seen) == N_MODELS // 10 - n_results


class _WithoutFile:
    """A cluster whose workers do not have the second file."""

    def __init__(self, path):
        self.error = FormatError(path, "does not exist")

    def run(self, *_):
        raise self.error
        yield


def test_a_file_that_only_workers_cannot_read_is_named_so(values, tmp_path):
    ranking = ClusterRanking(_WithoutFile(tmp_path / "b.npy"), tmp_path / "results")
    expected = r"a worker cannot read a file that is readable here: .*b\.npy: does not exist; workers need the same"
    with pytest.raises(ClusterError, match=expected):
        list(ranking.map_blocks(*_blocks(values)))
    (tmp_path / "b.npy").unlink()
    with pytest.raises(FormatError, match=r"b\.npy: does not exist$"):
        list(ranking.map_blocks(*_blocks_of_files(values)))


def _blocks_of_files(values):
    """`_blocks` of a matrix whose files are missing, by those of one in memory of the same shape."""
    blocks, starts = _blocks(np.zeros(values.shape))
    return replace(blocks, values=values), starts


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


def test_a_lost_scheduler_is_one_message_and_the_next_call_resumes(values, local_cluster, tmp_path):
    lost = distributed.LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0")
    with lost, _ranking(lost.scheduler_address, tmp_path / "results") as ranking:
        found = iter(ranking.map_blocks(*_blocks(values)))
        next(found)
        ranking._cluster.client._timeout = 1  # limit for reconnecting
        lost.close()
        with pytest.raises(ClusterError, match=r"is lost; the same command resumes"):
            list(found)
    assert len(list((tmp_path / "results").glob("*.npz"))) >= 1
    with _ranking(local_cluster.scheduler_address, tmp_path / "results") as ranking:
        _assert_equal(_hits(values, ranking.map_blocks), _hits(values))


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="the system cannot stop a process")
def test_a_scheduler_that_is_stopped_is_one_message(monkeypatch):
    """It keeps its connections, and answers nothing."""
    monkeypatch.setattr(cluster, "ANSWER_SECONDS", 0.2)
    monkeypatch.setattr(cluster, "SILENT_SECONDS", 1)
    monkeypatch.setattr(cluster, "FETCH_SECONDS", 0.2)
    with started([sys.executable, "-c", SCHEDULER], stdout=subprocess.PIPE, text=True) as scheduler:
        with connected_cluster(scheduler.stdout.readline().strip()) as found:
            results = found.run(exec, b"import time; time.sleep(0.05)", [{} for _ in range(1000)])
            next(results)
            scheduler.send_signal(signal.SIGSTOP)
            with pytest.raises(ClusterError, match="has not answered for 1 seconds; the same command resumes"):
                list(results)
            assert not found.is_connected
            assert found.worker_states() == ()
        scheduler.kill()


SCHEDULER = """
import time, distributed
if __name__ == "__main__":
    options = {"processes": False, "protocol": "tcp", "dashboard_address": "127.0.0.1:0"}
    with distributed.LocalCluster(n_workers=1, **options) as found:
        print(found.scheduler_address, flush=True)
        time.sleep(60)
"""


def test_a_scheduler_that_is_lost_before_a_task_is_submitted_is_one_message(monkeypatch):
    class Closed(_NoClient):
        status = "closed"

        def submit(self, *_, **__):
            raise distributed.client.ClosedClientError("Client is closed. Can't send update-graph message.")

    monkeypatch.setattr(Cluster, "_workers", lambda _: {})
    with pytest.raises(ClusterError, match="the scheduler at 'tcp://one:1' is lost; the same command resumes"):
        list(Cluster(Closed(), "tcp://one:1").run(exec, b"", [{}]))


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


@pytest.fixture
def server():
    """Starts a server that sends some bytes to whoever connects, or nothing; returns its address."""
    with ExitStack() as stack:

        def start(answer):
            listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))

            def serve():
                with suppress(OSError):
                    while True:
                        connection = stack.enter_context(listener.accept()[0])
                        connection.sendall(answer)

            stack.callback(listener.shutdown, socket.SHUT_RDWR)
            Thread(target=serve, daemon=True).start()
            return f"tcp://127.0.0.1:{listener.getsockname()[1]}"

        yield start


def _refuse_client(*_args, **_options):
    raise AssertionError("a Client may wait for ever, and prints a stack at the end of the process")


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.0 400 Bad Request\r\n\r\n"], ids=["silent", "http"])
def test_a_server_that_is_not_of_dask_is_one_message(answer, server, monkeypatch):
    address = server(answer)
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 1)
    monkeypatch.setattr(distributed, "Client", _refuse_client)
    with pytest.raises(ClusterError, match=f"no scheduler answers at '{address}'"), connected_cluster(address):
        pass


def test_the_address_of_a_worker_is_one_message(local_cluster, monkeypatch):
    address = next(iter(local_cluster.scheduler_info["workers"]))
    monkeypatch.setattr(distributed, "Client", _refuse_client)
    with pytest.raises(ClusterError, match=f"no scheduler answers at '{address}'"), connected_cluster(address):
        pass


def test_a_scheduler_of_an_old_version_is_one_message(monkeypatch):
    """`Client` raised the TypeError of the scheduler, and waited for 40 s at the end of the process."""

    def identity():  # of distributed 2025.1
        return {"type": "Scheduler", "workers": {}}

    with distributed.LocalCluster(n_workers=0, processes=False, dashboard_address="127.0.0.1:0") as old:
        monkeypatch.setitem(old.scheduler.handlers, "identity", identity)
        monkeypatch.setattr(distributed, "Client", _refuse_client)
        message = f"the scheduler at '{old.scheduler_address}' has an older version of Dask; install the same version"
        with pytest.raises(ClusterError, match=re.escape(message)), connected_cluster(old.scheduler_address):
            pass


@pytest.mark.parametrize("address", ["", "tcp://127.0.0.1", "tcp://[::1", "http://127.0.0.1:9", "tls://127.0.0.1:9"])
def test_an_incomplete_or_foreign_address_is_one_message(address, monkeypatch):
    monkeypatch.setattr(distributed, "Client", _refuse_client)
    message = re.escape(f"no scheduler answers at '{address}'")
    with pytest.raises(ClusterError, match=message), connected_cluster(address):
        pass


REUSES_MEMORY = """
import resource, numpy as np
from shrec_viewer.evaluation.parallel.cluster import _reuse_memory
def page_faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(20):
        np.ones(2**20)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
before = page_faults()
_reuse_memory()
print(before, page_faults())
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="mallopt of glibc")
def test_a_worker_uses_freed_memory_again():
    """Dask starts workers with this variable, and each array of a task was new memory of the system."""
    # Without huge pages: where the system has free ones, an array takes 5 faults instead of 2,000, new or not.
    environment = {**os.environ, "MALLOC_TRIM_THRESHOLD_": "65536", "NUMPY_MADVISE_HUGEPAGE": "0"}
    command = [sys.executable, "-c", REUSES_MEMORY]
    output = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    before, after = map(int, output.split())
    assert 0 <= after < before / 5


def test_a_task_gives_the_ranks_of_its_blocks(values):
    import pickle

    blocks, starts = _blocks(values)
    part = rank_task(pickle.dumps(blocks), starts[3:5])
    np.testing.assert_array_equal(np.unique(part.query), np.arange(3, 5))
