"""Dask: seconds per 10⁹ distances and thumbnails per second with 1, 2 and 4 workers, against one process.

    python tests/bench/bench_cluster.py [--only ranks,kills,shards,thumbnails] [--models N] [--queries N] [--columns N]

Files are made up in a temporary folder: 8 GB for shards. Starting the workers is counted only for whole commands.

Measured on 4 cores with other work on all of them (load 9 to 14), numpy 2.4.6, distributed 2026.8; the times of rounds
differ by a factor of two, so that only processor time, bytes and messages can be relied on:

- shards, 1,000 x 1,000,000: reading the files once 1.5 s; ``--jobs`` 1, 2, 4: 19.4, 18.8, 19.6 s; ``local:`` 1, 2, 4:
  28.3, 29.8, 28.3 s, with 5 s of processor time more, in which the workers start; equal outputs. The names of a million
  models take about 9 s. 2,000 x 1,000,000 at a load of 7: reading 0.9 s from memory and 4.9 s from the disk,
  ``--jobs`` 2, 4: 45, 30 s, ``local:2``: 41 s, with 46, 40 and 52 s of processor time, 470 MB; equal outputs.
- kills: 10 workers killed at work, equal output. Scheduler killed: status 1, one message, 6 results kept; the same
  command afterwards: equal output, none left. Two workers of 140 MB: equal output; of 100
  and 90 MB: one message after 30 to 80 s; of 80 MB: none that starts, one message after 25 s.
- thumbnails, 5,000 models: 48.0/s with 4 local processes, 40.5 and 36.4/s with 2 and 4 workers, which is 44, 34 and 30
  per second of processor time (load 4 to 10: more workers than free cores are no faster); equal caches. 600 models with
  less other work (load 4): 43, 83/s with 1 and 2 local processes, 39/s with one worker. Each task starts a renderer,
  which takes 1 s of processor time. 100,000 models would take an hour of one free core.
- 100,000 distinct meshes of 50 to 200 triangles, made up elsewhere, ``thumbnails --scheduler local:2`` on two cores at
  lower priority: 110/s, 55 by each worker, with little other work; 47/s, 24 by each, over all 35 minutes at a load of
  18 to 36; 64 per second of processor time; 307 MB. At the default limit of 500 MB, the cache keeps 61,030 of them
  (7.7 KB each); with 1,000 MB the same command resumes from these and draws 38,970, 64/s: SQLite finds no error,
  100,000 different images are readable, and a sample of 200 is equal to those of local processes.
"""

import argparse
import os
import resource
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from shrec_viewer.cli.cpu_features import avoid_slow_sort

avoid_slow_sort()  # as the command line does, before numpy is imported

# ruff: noqa: E402
# isort: split
import numpy as np
from bench_evaluation import read_once
from timing import print_line, run_process
from workloads import Workload, write_classification

from shrec_viewer.evaluation.parallel.cluster import ClusterRanking, connected_cluster, draw_on_cluster
from shrec_viewer.evaluation.parallel.local import available_cores, thread_map
from shrec_viewer.formats.matrices.matrix import read_matrix
from shrec_viewer.formats.meshes.images import read_image
from shrec_viewer.formats.meshes.mesh_reader import read_mesh
from shrec_viewer.metrics import classes_as_truth, find_profile
from shrec_viewer.metrics.ranking.matrix_ranking import hits_from_matrix
from shrec_viewer.render.thumbnails.cache import ThumbnailCache
from shrec_viewer.render.thumbnails.thumbnail import ThumbnailRequest
from shrec_viewer.render.workers.thumbnail_pool import ThumbnailPool

if TYPE_CHECKING:
    from distributed import Client

WORKERS = (1, 2, 4)

N_KILLS = 10

EVALUATE = (sys.executable, "-m", "shrec_viewer", "evaluate")


def made_up_models(folder: Path, count: int) -> list[Path]:
    """Bumpy spheres of 2,000 triangles, the size of a model of the Princeton Shape Benchmark."""
    folder.mkdir(exist_ok=True)
    u, v = np.meshgrid(np.linspace(0, np.pi, 32), np.linspace(0, 2 * np.pi, 33))
    index = np.arange(32 * 33).reshape(33, 32)
    a, b, c, d = (part.ravel() for part in (index[:-1, :-1], index[1:, :-1], index[1:, 1:], index[:-1, 1:]))
    faces = np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])
    tail = "".join(f"3 {i} {j} {k}\n" for i, j, k in faces.tolist())
    paths = []
    for number in range(count):
        path = folder / f"m{number:06d}.off"
        if not path.exists():
            radius = 1 + 0.2 * np.sin(number % 7 * u + number) * np.cos(number % 5 * v)
            points = np.stack([radius * np.sin(u) * np.cos(v), radius * np.sin(u) * np.sin(v), radius * np.cos(u)], -1)
            lines = "".join(f"{x:.4f} {y:.4f} {z:.4f}\n" for x, y, z in points.reshape(-1, 3).tolist())
            path.write_text(f"OFF\n{points[..., 0].size} {len(faces)} 0\n{lines}{tail}")
        paths.append(path)
    return paths


def thumbnails(folder: Path, count: int) -> None:
    """Print thumbnails per second."""
    requests = [ThumbnailRequest(path) for path in made_up_models(folder / "models", count)]
    for n_processes in WORKERS:
        left, start = len(requests), time.perf_counter()
        with ThumbnailPool(
            read_mesh, read_image, folder / f"local{n_processes}", n_processes, lower_priority=False
        ) as pool:
            pool.request(requests)
            while left:
                left -= len(pool.wait(0.1))
        print_line(f"thumbnails, {n_processes} local processes: {count / (time.perf_counter() - start):.1f}/s")
    for n_workers in WORKERS:
        with connected_cluster(f"local:{n_workers}") as cluster:
            cluster.client.wait_for_workers(n_workers)
            cache = ThumbnailCache(folder / f"cluster{n_workers}")
            start = time.perf_counter()
            done = draw_on_cluster(
                cluster, requests, folder / f"cluster{n_workers}", cache, read_mesh, read_image, "auto"
            )
            drawn = sum(batch.drawn for batch in done)
            seconds = time.perf_counter() - start
            cache.close()
        images = cached_images(folder / f"cluster{n_workers}")
        same = "equal" if images == cached_images(folder / "local1") else "DIFFERENT"
        rate = drawn / seconds
        print_line(f"thumbnails, {n_workers} Dask workers: {rate:.1f}/s, {rate / n_workers:.1f} each; cache {same}")


def cached_images(folder: Path) -> set[tuple[str, bytes]]:
    """Keys and images of a cache, which SQLite has checked."""
    with closing(sqlite3.connect(folder / "thumbnails.sqlite")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return set(connection.execute("SELECT key, webp FROM thumbnails"))


def ranks(folder: Path, n_queries: int, n_columns: int) -> None:
    """Print seconds per 10⁹ distances."""
    path = folder / "matrix.npy"
    values = np.lib.format.open_memmap(path, "w+", np.float32, (n_queries, n_columns))
    random = np.random.default_rng(1)
    for row in range(n_queries):
        values[row] = random.random(n_columns, np.float32)
    values.flush()
    truth = classes_as_truth(np.arange(n_columns) // 200, np.arange(n_queries) * 50 // 200)
    profile, stored = find_profile("default"), read_matrix(path).values
    expected = None
    for n_threads in WORKERS:
        with thread_map(n_threads) as map_blocks:
            start, used = time.perf_counter(), time.process_time()
            found = hits_from_matrix(truth, stored, profile=profile, map_blocks=map_blocks)
            used = (time.process_time() - used) * 1e9 / stored.size
            _print_ranks(f"{n_threads} threads, {used:.1f} s of processor time", stored.size, start)
        expected = found if expected is None else expected
        np.testing.assert_array_equal(found.found.ranks, expected.found.ranks)
    for n_workers in WORKERS:
        with connected_cluster(f"local:{n_workers}") as cluster, tempfile.TemporaryDirectory() as results:
            cluster.client.wait_for_workers(n_workers)
            ranking = ClusterRanking(cluster, Path(results))
            start = time.perf_counter()
            found = hits_from_matrix(truth, stored, profile=profile, map_blocks=ranking.map_blocks)
            _print_ranks(f"{n_workers} Dask workers", stored.size, start)
        np.testing.assert_array_equal(found.found.ranks, expected.found.ranks)


def _print_ranks(name: str, count: int, start: float) -> None:
    seconds = time.perf_counter() - start
    print_line(f"ranks, {name}: {seconds * 1e9 / count:.1f} s per 10⁹ distances")


def one_matrix(folder: Path, n_queries: int, n_models: int, n_shards: int = 8) -> Workload:
    """A float32 matrix in files of as many models, of external queries and classes of 200 models."""
    random = np.random.default_rng(4)
    labels = np.arange(n_models) // 200
    query_labels = np.sort(random.integers(0, labels[-1] + 1, n_queries))
    (folder / "runs" / "M00").mkdir(parents=True)
    write_classification(folder / "classification.cla", [f"T{i:07d}" for i in range(n_models)], labels)
    write_classification(folder / "queries.cla", [f"Q{i:04d}" for i in range(n_queries)], query_labels)
    files = []
    for number, columns in enumerate(np.array_split(labels, n_shards)):
        files.append(folder / "runs" / "M00" / f"{number:02d}.npy")
        values = np.lib.format.open_memmap(files[-1], "w+", np.float32, (n_queries, len(columns)))
        for row in range(n_queries):
            values[row] = random.random(len(columns), np.float32) - 0.3 * (columns == query_labels[row])
        values.flush()
        del values
    title = f"{n_queries:,} x {n_models:,} float32 in {n_shards} files"
    return Workload("matrix", title, folder, "default", matrices=tuple(files))


def shards(folder: Path, n_queries: int, n_models: int) -> None:
    """Print seconds of the whole command for a matrix in 8 files, and of reading the files once."""
    work = one_matrix(folder / "shards", n_queries, n_models)
    n_values = n_queries * n_models
    print_line(f"{work.title}; whole command, seconds with the start of workers")
    start = time.perf_counter()
    n_bytes = sum(map(read_once, work.matrices))
    reading = time.perf_counter() - start
    print_line(f"    reading the files once: {reading:.1f} s, {n_bytes / reading / 1e9:.1f} GB/s")
    outputs = set()
    for options in (*(("--jobs", str(n)) for n in WORKERS), *(("--scheduler", f"local:{n}") for n in WORKERS)):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        found = run_process([*EVALUATE, str(work.folder), "--format", "csv", *options])
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        outputs.add(found.output)
        print_line(
            f"    {' '.join(options)}: {found.seconds:.1f} s, {found.seconds / reading:.1f} times reading, "
            f"{used * 1e9 / n_values:.1f} s of processor time per 10⁹ distances, {found.megabytes:.0f} MB"
        )
    print_line(f"    outputs: {'equal' if len(outputs) == 1 else 'DIFFERENT'}")


def kills(folder: Path, n_queries: int, n_columns: int) -> None:
    """Kill ten workers while a matrix is ranked, then the scheduler, then rank with too little memory."""
    work = one_matrix(folder / "kills", n_queries, n_columns)
    command = [*EVALUATE, str(work.folder), "--format", "csv"]
    expected = run_process(command).output
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache")}
    with started_cluster(4) as (address, client):
        process = subprocess.Popen([*command, "--scheduler", address], stdout=subprocess.PIPE, env=environment)
        killed: set[int] = set()
        while len(killed) < N_KILLS and process.poll() is None:
            busy = [name for name, keys in client.processing().items() if keys]
            pids = client.run(os.getpid, workers=busy, on_error="return") if busy else {}
            pid = next((pid for pid in pids.values() if isinstance(pid, int) and pid not in killed), None)
            if pid is not None:
                os.kill(pid, signal.SIGKILL)
                killed.add(pid)
                time.sleep(1)
        output = process.communicate()[0].decode()
    same = "equal" if output == expected else "DIFFERENT"
    print_line(f"kills: {len(killed)} workers killed at work, status {process.returncode}, output {same}")
    with started_cluster(2) as (address, client):
        process = subprocess.Popen(
            [*command, "--scheduler", address], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
        )
        results = folder / "cache" / "shrec-viewer" / "ranks"
        while len(list(results.glob("*.npz"))) < 3 and process.poll() is None:
            time.sleep(0.01)
        os.kill(client.run_on_scheduler(os.getpid), signal.SIGKILL)
        message = process.communicate()[1].decode().strip().splitlines()[-1:]
        kept = len(list(results.glob("*.npz")))
    print_line(f"scheduler killed: status {process.returncode}, {kept} results kept, {message}")
    with started_cluster(2) as (address, _):
        output = subprocess.run([*command, "--scheduler", address], capture_output=True, env=environment).stdout
    same = "equal" if output.decode() == expected else "DIFFERENT"
    print_line(f"the same command again: output {same}, {len(list(results.glob('*.npz')))} results left")
    for limit in ("120MB", "90MB"):
        with started_cluster(2, "--memory-limit", limit) as (address, _):
            found = subprocess.run([*command, "--scheduler", address], capture_output=True, env=environment)
        same = "equal" if found.stdout.decode() == expected else "none"
        message = found.stderr.decode().strip().splitlines()[-1:]
        print_line(f"workers of {limit}: status {found.returncode}, output {same}, {message}")


@contextmanager
def started_cluster(n_workers: int, *options: str) -> "Iterator[tuple[str, Client]]":
    """Address of a scheduler process with workers, and a client."""
    from distributed import Client

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{probe.getsockname()[1]}"
    dask = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", address, "--no-dashboard"]
    worker = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-dashboard"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    scheduler = subprocess.Popen(dask, **quiet)
    workers = subprocess.Popen([*worker, "--nworkers", str(n_workers), *options], **quiet)
    try:
        with Client(address, timeout=60, set_as_default=False) as client:
            if not options:  # else they may be too small to start
                client.wait_for_workers(n_workers)
            client._timeout = 1  # limit for reconnecting
            yield address, client
    finally:
        for process in (workers, scheduler):
            process.terminate()
            process.wait()


def main() -> None:
    """Run the chosen parts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default=",".join(PARTS), help="parts, separated by commas")
    parser.add_argument("--models", type=int, default=2000, help="thumbnails")
    parser.add_argument("--queries", type=int, default=2000)
    parser.add_argument("--columns", type=int, help="models of the matrix; default: 100,000, of shards 1,000,000")
    parser.add_argument("--folder", type=Path, help="of the files; default: that of temporary files")
    options = parser.parse_args()
    print_line(f"{available_cores()} cores, load {os.getloadavg()[0]:.1f}, numpy {np.__version__}")
    with tempfile.TemporaryDirectory(prefix="bench-cluster-", dir=options.folder) as folder:
        for part in options.only.split(","):
            if part == "thumbnails":
                thumbnails(Path(folder), options.models)
            else:
                columns = options.columns or (1_000_000 if part == "shards" else 100_000)
                PARTS[part](Path(folder), options.queries, columns)


PARTS = {"ranks": ranks, "kills": kills, "shards": shards, "thumbnails": thumbnails}

if __name__ == "__main__":
    main()
