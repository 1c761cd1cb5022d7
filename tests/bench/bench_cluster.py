"""Dask: thumbnails per second with 1, 2 and 4 workers, and seconds per 10⁹ distances, against one process.

    python tests/bench/bench_cluster.py [--models 2000] [--queries 2000] [--columns 100000]

Files are made up in a temporary folder. Starting the workers is not counted.
"""

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

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

WORKERS = (1, 2, 4)


def print_line(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


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
        print_line(f"thumbnails, {n_workers} Dask workers: {drawn / seconds:.1f}/s")


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


def main() -> None:
    """Run both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=int, default=2000)
    parser.add_argument("--queries", type=int, default=2000)
    parser.add_argument("--columns", type=int, default=100_000)
    options = parser.parse_args()
    print_line(f"{available_cores()} cores, load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory(prefix="bench-cluster-") as folder:
        if options.queries:
            ranks(Path(folder), options.queries, options.columns)
        if options.models:
            thumbnails(Path(folder), options.models)


if __name__ == "__main__":
    main()
